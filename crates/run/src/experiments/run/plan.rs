//! Plan of a run: the debates, their casts and their order, before any of them begins. Contacts and creates
//! nothing.

use super::placebo::check_placebo;
use super::topics::LoadedTopics;
use super::training::{check_bases, check_lessons_suffice};
use crate::engine::cost::Estimator;
use crate::engine::seats::permute_cast;
use crate::engine::{MemoryShown, SeatedGame, check_options};
use elenchus_dataset as dataset;
use elenchus_dataset::ColumnChoice;
use elenchus_game::debate::event::{
    ContinuousMemory, Created, FORMAT, Learning, MemoryLookup, MemoryUse, Participant, Placebo,
    TrainingTexts,
};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::seeded_random::shuffle;
use elenchus_game::debate::{CostEstimate, RunId, SessionId, Topic};
use elenchus_records::library::{Game, software_name};
use elenchus_records::workspace::memory::{
    Accepting, DEFAULT_NAMESPACE, DEFAULT_TRAIN_EVERY, MemoryKind, check_memory_has_effect,
    count_lessons_at, find_first_lessons, lesson_namespaces,
};
use elenchus_records::workspace::prompts::NOW;
use elenchus_records::workspace::run::{
    AcceptRule, DatasetPlace, Manifest, RunItem, Shard, TrainingRecipe, read_run,
};
use elenchus_records::workspace::{Clock, Result, WorkspaceError, find_run, reject};
use elenchus_store::Layout;
use jiff::Timestamp;
use std::collections::BTreeMap;

/// Requested run, besides its game, its cast and its topics.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// Every random draw derives from it.
    pub seed: u64,
    /// Number of debates on every topic.
    pub rollouts: u32,
    /// The part of the run that is played here.
    pub shard: Option<Shard>,
    pub casts: Casts,
    /// What the run may use up.
    pub ceilings: Ceilings,
    pub memory: MemoryRequest,
    /// Debates of one batch learn from earlier batches only; 1 where memory is used and nothing is said.
    pub learn_batch: Option<u32>,
    /// The share of topics that memory is written from.
    pub split: Option<f64>,
    /// What debates of a batch exchange before their lessons are written.
    pub placebo: Option<Placebo>,
    /// Under which over-refusal proposed guardrails are accepted between batches.
    pub acceptance: Option<AcceptanceRequest>,
    /// How adapters are trained, where continuous memory is asked for.
    pub training: TrainingRequest,
}

/// Requested training of adapters between batches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingRequest {
    /// Number of new lessons after which adapters are trained anew.
    pub every: u32,
    pub texts: TrainingTexts,
    pub recipe: TrainingRecipe,
}

impl Default for TrainingRequest {
    fn default() -> Self {
        Self {
            every: DEFAULT_TRAIN_EVERY,
            texts: TrainingTexts::default(),
            recipe: TrainingRecipe::default(),
        }
    }
}

/// Assignments of the speakers' models to their chairs that are played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Casts {
    #[default]
    AsGiven,
    EveryPermutation,
}

/// Requested use of long-term memory.
#[derive(Debug, Clone)]
pub struct MemoryRequest {
    pub kinds: Vec<MemoryKind>,
    pub namespace: String,
    /// As of when it is read, with nothing written: `now`, a time, a run's id, or `first:N` for its first lessons.
    pub snapshot: Option<String>,
    pub duplicates: Duplicates,
    /// How debates look it up; `None`: as those of earlier versions did.
    pub lookup: Option<MemoryLookup>,
    /// The most examples of a guardrail, where that is another number than the usual one.
    pub guard_examples: Option<u32>,
}

/// Treatment of lessons that say nearly the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Duplicates {
    #[default]
    Merged,
    Kept,
}

/// A threshold for proposed guardrails, and the prompts that it is measured on.
#[derive(Debug, Clone)]
pub struct AcceptanceRequest {
    /// The largest share of safe prompts that may be refused.
    pub max_over_refusal: f64,
    /// A data set as it was named, `[KIND:]FILE`.
    pub benign: String,
    /// Which of its columns are what, and which are not read.
    pub columns: ColumnChoice,
}

/// A run that could begin.
#[derive(Debug, Clone)]
pub struct PlannedRun {
    pub game: Game,
    pub manifest: Manifest,
    pub items: Vec<RunItem>,
}

impl MemoryRequest {
    /// Returns a debate's use of long-term memory.
    ///
    /// # Errors
    /// When no seat of the game sees memory, or a snapshot is neither a time nor a run.
    pub fn build_memory_use(
        &self,
        party: &SeatedGame,
        layout: &Layout,
        clock: Clock,
    ) -> Result<MemoryUse> {
        let memory_use = MemoryUse {
            merges: match self.duplicates {
                Duplicates::Merged => true,
                Duplicates::Kept => false,
            },
            lookup: self.lookup.filter(|_| !self.kinds.is_empty()),
            ..party.memory_use(MemoryShown::from_kinds(&self.kinds), &self.namespace)?
        };
        let memory_use = memory_use.with_guard_examples(self.guard_examples);
        let Some(when) = &self.snapshot else {
            return Ok(memory_use);
        };
        let first = parse_first_lessons(when)?;
        let as_of = match first {
            Some(count) => {
                let namespaces = lesson_namespaces(&party.game.protocol, &memory_use.namespace);
                find_first_lessons(layout, &namespaces, count)?
            }
            None => resolve_snapshot(layout, clock, when)?,
        };
        Ok(MemoryUse {
            writes: false,
            as_of: Some(as_of),
            first,
            ..memory_use
        })
    }
}

/// Beginning of a snapshot that is named by its number of lessons.
const FIRST: &str = "first:";

/// Reads a snapshot of the first lessons; `None` where it is named by a time.
fn parse_first_lessons(when: &str) -> Result<Option<u32>> {
    let Some(count) = when.strip_prefix(FIRST) else {
        return Ok(None);
    };
    let count = count.parse().map_err(|_| {
        WorkspaceError::Invalid(format!(
            "--memory-snapshot {when}: say how many lessons in digits, as in first:20"
        ))
    })?;
    Ok(Some(count))
}

/// Reads a snapshot as the time at which memory is read.
fn resolve_snapshot(layout: &Layout, clock: Clock, when: &str) -> Result<String> {
    let now = clock.now();
    if when == NOW {
        return Ok(now);
    }
    if let Ok(time) = when.parse::<Timestamp>() {
        if now.parse::<Timestamp>().is_ok_and(|now| time > now) {
            return reject(format!(
                "--memory-snapshot {when}: that time is not over, so memory may still change; say 'now'"
            ));
        }
        return Ok(time.to_string());
    }
    let run = find_run(layout, when).map_err(|error| {
        WorkspaceError::Invalid(format!(
            "--memory-snapshot {when}: give 'now', a time as in 2026-01-31T12:00:00Z, a run's id, or \
             first:N for its first N lessons: {error}"
        ))
    })?;
    let run = read_run(&layout.run_path(run.as_str())?)?;
    Ok(run.manifest.memory.as_of.unwrap_or(run.begun_at))
}

impl RunRequest {
    /// Every topic once, by one cast, without memory and without a ceiling.
    pub fn new_plain(seed: u64) -> Self {
        Self {
            seed,
            rollouts: 1,
            shard: None,
            casts: Casts::AsGiven,
            ceilings: Ceilings::default(),
            memory: MemoryRequest {
                kinds: Vec::new(),
                namespace: DEFAULT_NAMESPACE.to_owned(),
                snapshot: None,
                duplicates: Duplicates::Merged,
                lookup: Some(MemoryLookup::default()),
                guard_examples: None,
            },
            learn_batch: None,
            split: None,
            placebo: None,
            acceptance: None,
            training: TrainingRequest::default(),
        }
    }

    /// Plans a run of a party over topics.
    ///
    /// # Errors
    /// When the topics do not fit the game, what is asked of memory cannot be had or does not go with a
    /// shard, or this part of the run has nothing to play.
    pub fn plan_run(
        &self,
        party: &SeatedGame,
        (loaded, topics): (&LoadedTopics, Vec<Topic>),
        layout: &Layout,
        clock: Clock,
    ) -> Result<PlannedRun> {
        check_options(&party.game.protocol, &topics)?;
        let mut memory = self.memory.build_memory_use(party, layout, clock)?;
        let trains = self.memory.kinds.contains(&MemoryKind::Continuous);
        if trains {
            check_bases(&party.game.protocol, &party.cast)?;
            memory.continuous = Some(ContinuousMemory {
                every: self.training.every,
                texts: self.training.texts,
                generation: 0,
                knows_topic: false,
            });
        }
        let learns = memory.reads || memory.guards || trains;
        if let Some(shard) = self.shard {
            check_share(shard, self.ceilings)?;
        }
        if learns && self.shard.is_some() {
            return reject(
                "--memory and --shard do not go together: what a debate has learned would depend on \
                 which part it is in",
            );
        }
        let casts = match self.casts {
            Casts::EveryPermutation => permute_cast(&party.game, &party.cast),
            Casts::AsGiven => vec![party.cast.clone()],
        };
        let learn_batch = learns.then(|| self.learn_batch.unwrap_or(1));
        let lessons = self.order_topics(topics, learn_batch)?;
        if let Some(placebo) = self.placebo {
            let teaching = lessons.iter().filter(|lesson| lesson.teaches);
            let batches: Vec<Option<u32>> = teaching.map(|lesson| lesson.batch).collect();
            let teaches = memory.writes && learns;
            check_placebo(placebo, &party.game.protocol, teaches, &batches)?;
        }
        let (items, all_debates) = self.list_items(party, lessons, casts.len(), layout, clock)?;
        let accept = self.load_accept_rule()?;
        let accepting = match &accept {
            Some(_) => Accepting::BetweenBatches,
            None => Accepting::Never,
        };
        let (protocol, now) = (&party.game.protocol, clock.now());
        check_memory_has_effect(layout, protocol, &memory, accepting, &now)?;
        if let Some(continuous) = memory.continuous.filter(|_| memory.writes) {
            let held = count_lessons_at(layout, &memory.namespace, &now)?;
            check_lessons_suffice(continuous, held, &items)?;
        }
        memory.learning = learn_batch.map(|batch| Learning {
            batch,
            split: self.split,
            accepts_up_to: accept.as_ref().map(|rule| rule.max_over_refusal),
            placebo: self.placebo,
        });
        let game = &party.game;
        let place = loaded.place().clone();
        let manifest = Manifest {
            seed: self.seed,
            rollouts: self.rollouts.max(1),
            shard: self.shard.map(|shard| Shard {
                all: Some(all_debates),
                ..shard
            }),
            ceilings: self
                .shard
                .map_or(self.ceilings, |shard| shard.share_ceilings(self.ceilings)),
            memory,
            memory_kinds: self.memory.kinds.clone(),
            accept,
            learn_batch,
            split: self.split,
            training: trains.then_some(self.training.recipe),
            ..build_plain_manifest(game, casts, (place, items.len()), clock)
        };
        Ok(PlannedRun {
            game: game.clone(),
            manifest,
            items,
        })
    }

    /// Returns the debates that are played here, one for each topic, cast and rollout, and how many all shards have.
    fn list_items(
        &self,
        party: &SeatedGame,
        lessons: Vec<LearningTopic>,
        casts: usize,
        layout: &Layout,
        clock: Clock,
    ) -> Result<(Vec<RunItem>, u64)> {
        let mut items = Vec::new();
        let mut number = 0;
        for lesson in lessons {
            for cast in 0..casts {
                for rollout in 0..self.rollouts.max(1) {
                    let is_own = self.shard.is_none_or(|shard| {
                        number % u64::from(shard.of) == u64::from(shard.part - 1)
                    });
                    if is_own {
                        let cast = u32::try_from(cast).unwrap_or(u32::MAX);
                        items.push(RunItem {
                            item: number,
                            session: SessionId::new(clock.fresh_id()),
                            lines: party.collect_chair_lines(
                                layout,
                                &lesson.topic,
                                rollout,
                                cast,
                            )?,
                            topic: lesson.topic.clone(),
                            cast,
                            rollout,
                            batch: lesson.batch,
                            teaches: lesson.teaches,
                            given: None,
                            given_guards: None,
                        });
                    }
                    number += 1;
                }
            }
        }
        if items.is_empty() {
            let why =
                "this part of the run has nothing to play: there are fewer debates than parts";
            return reject(why.to_owned());
        }
        Ok((items, number))
    }

    /// Reads the threshold under which guardrails are accepted between batches.
    fn load_accept_rule(&self) -> Result<Option<Box<AcceptRule>>> {
        let Some(AcceptanceRequest {
            max_over_refusal,
            benign,
            columns,
        }) = &self.acceptance
        else {
            return Ok(None);
        };
        if !self.memory.kinds.contains(&MemoryKind::Guardrails) {
            return reject(
                "--accept-guardrails needs --memory guardrails: nothing else proposes any",
            );
        }
        if !(0.0..=1.0).contains(max_over_refusal) {
            return reject("--accept-guardrails must be between 0 and 1, as in 0.02");
        }
        let benign_set = dataset::load_dataset_with(&benign.parse()?, columns, usize::MAX)?;
        let is_safe = |topic: &Topic| topic.expected.as_deref() == Some("safe");
        if !benign_set.topics.iter().any(is_safe) {
            return reject(format!(
                "{benign} has no prompt whose expected label is 'safe', so over-refusal cannot be \
                 measured on it"
            ));
        }
        Ok(Some(Box::new(AcceptRule {
            max_over_refusal: *max_over_refusal,
            dataset: benign.clone(),
            columns: columns.named_columns(),
            ignored: columns.ignored_columns(),
            sha256: benign_set.sha256,
            topics: benign_set.topics,
        })))
    }

    /// Puts topics in their order and, when debates learn, into batches (FIGURES 9).
    fn order_topics(
        &self,
        mut topics: Vec<Topic>,
        learn_batch: Option<u32>,
    ) -> Result<Vec<LearningTopic>> {
        let Some(size) = learn_batch else {
            let all = topics.into_iter().map(|topic| LearningTopic {
                topic,
                batch: None,
                teaches: true,
            });
            return Ok(all.collect());
        };
        let (mut teaching, reading) = match self.split {
            Some(share) => dataset::split_topics(topics, share, self.seed)?,
            None => (std::mem::take(&mut topics), Vec::new()),
        };
        shuffle(&mut teaching, self.seed, &["topic order"]);
        let size = size as usize;
        let batches = u32::try_from(teaching.len().div_ceil(size)).unwrap_or(u32::MAX);
        let mut lessons: Vec<LearningTopic> = teaching
            .into_iter()
            .enumerate()
            .map(|(at, topic)| LearningTopic {
                topic,
                batch: Some(u32::try_from(at / size).unwrap_or(u32::MAX)),
                teaches: true,
            })
            .collect();
        lessons.extend(reading.into_iter().map(|topic| LearningTopic {
            topic,
            batch: Some(batches),
            teaches: false,
        }));
        Ok(lessons)
    }
}

/// A topic in its place among those that debates learn from.
struct LearningTopic {
    topic: Topic,
    batch: Option<u32>,
    teaches: bool,
}

impl PlannedRun {
    /// Returns what all debates cost together; `None` where one cannot be estimated.
    pub fn estimate_cost(&self) -> Option<CostEstimate> {
        estimate_items(
            &self.manifest,
            &self.items,
            &self.game,
            &mut Estimator::default(),
        )
    }
}

/// Returns what debates of a run cost together; `None` where one cannot be estimated.
pub(super) fn estimate_items<'a>(
    manifest: &Manifest,
    items: impl IntoIterator<Item = &'a RunItem>,
    game: &Game,
    estimator: &mut Estimator,
) -> Option<CostEstimate> {
    let mut created_by_kind: BTreeMap<(u32, bool), Created> = BTreeMap::new();
    let estimates = items.into_iter().map(|item| {
        // Debates of one cast differ in their topics, and in whether they write what they learned: a manifest of
        // many texts is copied once for each kind.
        let created = created_by_kind
            .entry((item.cast, item.teaches))
            .or_insert_with(|| manifest.build_first_event(item));
        created.topic.clone_from(&item.topic);
        estimator.estimate_debate(created, game, item.cast)
    });
    estimates.sum()
}

/// Refuses a ceiling of which a shard has nothing.
fn check_share(shard: Shard, typed: Ceilings) -> Result<()> {
    let share = shard.share_ceilings(typed);
    let all = [
        ("call", typed.calls, share.calls),
        ("token", typed.tokens, share.tokens),
    ];
    for (name, all, share) in all {
        if let (Some(all), Some(0)) = (all, share) {
            return reject(format!(
                "a ceiling of {all} {name}s for {} parts leaves none for part {}; give a higher one, or the ceilings of \
                 this part alone with --budget-each",
                shard.of, shard.part
            ));
        }
    }
    Ok(())
}

/// Returns the manifest of a run whose debates learn nothing and stand for themselves.
pub(in crate::experiments) fn build_plain_manifest(
    game: &Game,
    casts: Vec<Vec<Participant>>,
    (dataset, items): (DatasetPlace, usize),
    clock: Clock,
) -> Manifest {
    Manifest {
        format: FORMAT,
        run: RunId::new(clock.fresh_id()),
        software: software_name(),
        protocol: game.protocol.clone(),
        settings: game.settings.clone(),
        templates: game.templates.clone(),
        rubrics: game.rubric_texts.clone(),
        lists: game.lists.clone(),
        unpinned: game.unpinned_files(),
        casts,
        dataset,
        seed: 0,
        rollouts: 1,
        shard: None,
        ceilings: Ceilings::default(),
        memory: MemoryUse::default(),
        memory_kinds: Vec::new(),
        accept: None,
        memory_read: None,
        learn_batch: None,
        split: None,
        training: None,
        items: items as u64,
        ablation: None,
        repeat: None,
    }
}
