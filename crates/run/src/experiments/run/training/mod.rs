//! Continuous memory: adapters of the debaters' models, trained on lessons between the batches of a run.
//!
//! ```text
//! schedule     whether a training is due before a batch, and on which lessons
//! folder       the files that a training is given
//! placebo      texts of other content, as long as the lessons
//! command      the user's command: run, watched, its last line read
//! names        names of adapters, and whether one was used before
//! ```

mod command;
mod folder;
mod names;
mod placebo;
mod schedule;

use crate::engine::RunContext;
use crate::engine::cost::WorstCase;
use crate::engine::seats::ReadyModel;
use crate::experiments::engine::{ExperimentLog, ItemEnd, Stage};
use command::{TrainerEnd, run_trainer};
use elenchus_game::debate::Protocol;
use elenchus_game::debate::event::{
    Adapter, ContinuousMemory, Created, ModelPlayer, Participant, TrainingTexts,
};
use elenchus_model::{CallContext, ChatRole, Message, RoleHint, Sampling};
use elenchus_records::workspace::memory::{LessonSet, MemoryBook};
use elenchus_records::workspace::run::{
    Lessons, Manifest, RunEvent, RunItem, RunState, TrainedAdapter, TrainingBegun, TrainingFailed,
    TrainingOutcome, base_of_player,
};
use elenchus_records::workspace::{Result, reject};
use elenchus_text::format_noun_count;
use folder::{PlannedFolder, TrainingTask};
use schedule::DueTraining;
use std::collections::BTreeMap;

/// Refuses a cast without a model that adapters could be trained for.
///
/// # Errors
/// When no judged seat of the game is played by a model, or one repeats a recording.
pub(super) fn check_bases(protocol: &Protocol, cast: &[Participant]) -> Result<()> {
    if let Some(learner) = protocol.learners().next() {
        return reject(format!(
            "in protocol '{}' the seat '{learner}' learns for itself, and no model is trained on what one side \
             learned: leave 'continuous' out of --memory, or the learning off (--set learn=off)",
            protocol.id
        ));
    }
    let chairs = protocol.judged_chairs();
    let judged_players = cast.iter().filter(|one| chairs.contains(&one.chair));
    let models: Vec<&ModelPlayer> = judged_players
        .filter_map(|one| one.player.as_model())
        .collect();
    if models.is_empty() {
        return reject(format!(
            "no model of protocol '{}' is judged turn by turn, so there is none that could be trained: leave \
             'continuous' out of --memory, or play a game whose turns are judged, as pred",
            protocol.id
        ));
    }
    match models
        .iter()
        .find(|model| model.settings.get("recorded").is_some())
    {
        Some(recorded) => reject(format!(
            "{} repeats what was recorded and cannot be trained: seat a model, or leave 'continuous' out of \
             --memory",
            recorded.model
        )),
        None => Ok(()),
    }
}

/// Refuses a run of which too few lessons can come for a training before its last batch.
///
/// # Errors
/// Says how many can come.
pub(super) fn check_lessons_suffice(
    continuous: ContinuousMemory,
    held: usize,
    items: &[RunItem],
) -> Result<()> {
    let last_batch = items.iter().filter_map(|item| item.batch).max();
    let is_earlier = |item: &&RunItem| item.teaches && item.batch < last_batch;
    let coming = items.iter().filter(is_earlier).count();
    match held + coming < continuous.every as usize {
        true => reject(format!(
            "debaters are trained once there are {} new lessons, and at most {} can be there before the last \
             debates begin ({held} in memory, one of each debate that teaches): nothing would be trained. Give \
             --train-every with a smaller number, or more topics",
            continuous.every,
            held + coming
        )),
        false => Ok(()),
    }
}

/// Refuses a run whose adapters nothing here could train.
///
/// # Errors
/// When debaters are asked of a server and no command is configured or its program is not there.
pub fn check_trainer(manifest: &Manifest, context: &RunContext) -> Result<()> {
    let mut players = list_players(manifest).into_values().flatten();
    if manifest.training.is_none() || players.all(|one| one.simulated) {
        return Ok(());
    }
    context.training.find_program().map(|_| ())
}

/// The models that adapters are trained for, by their base: of one base each that has a server of its own.
fn list_players(manifest: &Manifest) -> BTreeMap<String, Vec<&ModelPlayer>> {
    let chairs = manifest.protocol.judged_chairs();
    let cast = manifest.casts.iter().flatten();
    let cast = cast.filter(|one| chairs.contains(&one.chair));
    let mut players: BTreeMap<String, Vec<&ModelPlayer>> = BTreeMap::new();
    for model in cast.filter_map(|one| one.player.as_model()) {
        let of_base = players.entry(base_of_player(model)).or_default();
        if of_base.iter().all(|known| known.provider != model.provider) {
            of_base.push(model);
        }
    }
    players
}

/// Adapters of a run.
#[derive(Default)]
pub(super) struct Adapters {
    /// Lessons of the generation that debates play with.
    trained_on: Option<(u32, LessonSet)>,
    /// Why no adapter came of the last training.
    failure: Option<String>,
}

impl Adapters {
    /// Returns why the run waits.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Trains what is due before a batch. Returns whether the batch can begin: a training that failed or was
    /// stopped lets it wait.
    ///
    /// # Errors
    /// When the journal cannot be written, or a run of the store cannot be read.
    pub(super) async fn train_before(
        &mut self,
        batch: u32,
        (log, stage): (&mut ExperimentLog<RunEvent>, &Stage),
        memory: &MemoryBook,
    ) -> Result<bool> {
        let Some(due) = DueTraining::before_batch(&log.state, memory, batch) else {
            return Ok(true);
        };
        let players: BTreeMap<String, Vec<ModelPlayer>> = list_players(&log.state.manifest)
            .into_iter()
            .map(|(base, players)| (base, players.into_iter().cloned().collect()))
            .collect();
        for (base, players) in players {
            if log.state.find_adapter(due.generation, &base).is_some() {
                continue;
            }
            let is_trained = match players.iter().all(|player| player.simulated) {
                true => train_simulated(&due, base, log).await?,
                false => self.train(&due, base, &players, (log, stage)).await?,
            };
            if !is_trained {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Trains an adapter of a served model. Returns whether it came.
    async fn train(
        &mut self,
        due: &DueTraining,
        base: String,
        players: &[ModelPlayer],
        (log, stage): (&mut ExperimentLog<RunEvent>, &Stage),
    ) -> Result<bool> {
        let (context, settings) = (&stage.context, &stage.context.training);
        let manifest = &log.state.manifest;
        let task = TrainingTask {
            run: &manifest.run,
            due,
            base: &base,
            recipe: manifest.training.unwrap_or_default(),
            seed: manifest.seed,
        };
        let planned = PlannedFolder::write(&context.store.layout, &task)?;
        let begun = TrainingBegun {
            generation: due.generation,
            base: base.clone(),
            lessons: Lessons {
                count: due.lessons.len() as u64,
                sha256: planned.sha256.clone(),
            },
            from_batch: due.from_batch,
            folder: Some(planned.name.clone()),
            command: settings.command.clone(),
        };
        log.record_event(RunEvent::TrainingBegun(Box::new(begun.clone())))
            .await?;
        context.observer.on_notice(&format!(
            "training generation {} of {base} on {}, in {}",
            due.generation,
            format_noun_count(due.lessons.len(), describe_text(due.texts)),
            planned.path.display()
        ));
        let (end, outcome) = run_trainer(context, &planned.path).await?;
        let named = match end {
            TrainerEnd::Stopped => return Ok(false),
            TrainerEnd::Failed(why) => Err(why),
            TrainerEnd::Named(model) => {
                let layout = &context.store.layout;
                match names::find_name_fault(layout, &log.state, &begun, &model, players)? {
                    Some(why) => Err(why),
                    None => match ask_for_name(stage, players, &begun, &model).await? {
                        ItemEnd::Done(()) => Ok(model),
                        ItemEnd::Failed(why) => Err(why),
                        ItemEnd::Unfinished => return Ok(false),
                    },
                }
            }
        };
        match named {
            Ok(model) => {
                context.observer.on_notice(&format!(
                    "generation {} of {base}: debaters play with {model} ({:.1} s of training)",
                    due.generation, outcome.seconds
                ));
                let trained = TrainedAdapter {
                    begun,
                    model,
                    outcome,
                };
                log.record_event(RunEvent::Trained(Box::new(trained)))
                    .await?;
                Ok(true)
            }
            Err(why) => {
                self.failure = Some(format!(
                    "generation {} of {base} was not trained: {why}; what it said is in {}",
                    due.generation,
                    planned.path.join(folder::OUTPUT).display()
                ));
                let failed = TrainingFailed {
                    begun,
                    why,
                    outcome,
                };
                log.record_event(RunEvent::TrainingFailed(Box::new(failed)))
                    .await?;
                Ok(false)
            }
        }
    }

    /// Notes in a debate's first event whether its topic taught the adapters that it plays with.
    pub(super) fn note_known_topic(
        &mut self,
        created: &mut Created,
        state: &RunState,
        memory: Option<&MemoryBook>,
    ) {
        let (Some(continuous), Some(memory), true) = (
            created.memory.continuous,
            memory,
            state.manifest.training.is_some(),
        ) else {
            return;
        };
        let generation = continuous.generation;
        if generation == 0 {
            return;
        }
        if self
            .trained_on
            .as_ref()
            .is_none_or(|(known, _)| *known != generation)
        {
            let lessons = schedule::lessons_of_generation(state, memory, generation);
            self.trained_on = Some((generation, lessons));
        }
        let knows_topic = self
            .trained_on
            .as_ref()
            .is_some_and(|(_, lessons)| lessons.knows_topic_of(created));
        if let Some(continuous) = &mut created.memory.continuous {
            continuous.knows_topic = knows_topic;
        }
    }
}

fn describe_text(texts: TrainingTexts) -> &'static str {
    match texts {
        TrainingTexts::Lessons => "lesson",
        TrainingTexts::Placebo => "placebo text",
    }
}

/// Trains a simulated model: no command is run, it plays on as one that was trained once more.
async fn train_simulated(
    due: &DueTraining,
    base: String,
    log: &mut ExperimentLog<RunEvent>,
) -> Result<bool> {
    let texts = due.training_texts(log.state.manifest.seed);
    let begun = TrainingBegun {
        generation: due.generation,
        lessons: Lessons {
            count: due.lessons.len() as u64,
            sha256: texts.sha256,
        },
        from_batch: due.from_batch,
        folder: None,
        command: Vec::new(),
        base,
    };
    let trained = TrainedAdapter {
        model: format!(
            "{} (simulated, generation {})",
            begun.base, begun.generation
        ),
        begun,
        outcome: TrainingOutcome::default(),
    };
    log.record_event(RunEvent::Trained(Box::new(trained)))
        .await?;
    Ok(true)
}

/// Asks for one token of an adapter under its name, of every server that debaters of its base are asked of, before
/// anything is played on it.
async fn ask_for_name(
    stage: &Stage,
    players: &[ModelPlayer],
    begun: &TrainingBegun,
    model: &str,
) -> Result<ItemEnd> {
    for player in players {
        match ask_server_for_name(stage, player, begun, model).await? {
            ItemEnd::Done(()) => {}
            end => return Ok(end),
        }
    }
    Ok(ItemEnd::Done(()))
}

async fn ask_server_for_name(
    stage: &Stage,
    player: &ModelPlayer,
    begun: &TrainingBegun,
    model: &str,
) -> Result<ItemEnd> {
    let player = ModelPlayer {
        name: model.to_owned(),
        adapter: Some(Box::new(Adapter {
            model: model.to_owned(),
            base: begun.base.clone(),
            generation: begun.generation,
            lessons: begun.lessons.count,
            lessons_sha256: begun.lessons.sha256.clone(),
        })),
        ..player.clone()
    };
    let seat: ReadyModel = stage.context.seats.make_ready(&player)?;
    let sampling = Sampling {
        max_tokens: Some(1),
        ..Sampling::default()
    };
    let question = Message {
        role: ChatRole::User,
        content: "Are you there?".to_owned(),
    };
    let place = CallContext::standalone(RoleHint::Speaker, "training");
    let request = seat
        .settings
        .build_request(vec![question], &sampling, None, 0, place);
    let worst_case = WorstCase::from_request(&seat.settings, &request);
    let asked = stage
        .ask_model(&seat, &request, worst_case, async { Ok(()) }, |_, _, _| {})
        .await?;
    Ok(match asked.end {
        ItemEnd::Done(_) => ItemEnd::Done(()),
        ItemEnd::Failed(why) => ItemEnd::Failed(format!(
            "its last line names '{model}', and the server '{}' does not answer under that name ({why})",
            player.provider
        )),
        ItemEnd::Unfinished => ItemEnd::Unfinished,
    })
}
