//! Built-in games played with recognisable texts; every view is kept.

use crate::library::{Game, Library};
use elenchus_game::debate::event::{
    Author, Created, Event, FORMAT, FeedbackWritten, Fields, Finding, Judged, MemoryUse,
    ModelPlayer, Outcome, Participant, Player, Record, Replied, Reply, Retrieved, RetrievedEntry,
    SwappedRewards,
};
use elenchus_game::debate::protocol::{SettingValue, Settings, Stance};
use elenchus_game::debate::view::{MessageRole, View};
use elenchus_game::debate::{
    AttemptId, Document, ReferenceAnswer, SessionId, Speak, State, Step, Target, Topic, TurnId,
    Utterance, UtteranceRole,
};
use elenchus_game::prompt::{expand_view, feedback_view, full_text, judge_view, speaker_view};

/// A view that was made during a game.
pub struct ShownView {
    pub step: String,
    /// Who reads: the turn for speakers.
    pub turn: Option<TurnId>,
    pub view: View,
}

impl ShownView {
    /// Says whether a speaker is asked for a reply once more. What is asked then stands in no later
    /// conversation: those hold the reply that counts.
    pub fn is_asked_again(&self) -> bool {
        self.turn.is_some() && !self.step.ends_with("#0")
    }

    /// The messages as one text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (role, text) in full_text(&self.view) {
            let role = match role {
                MessageRole::System => "system",
                MessageRole::User => "user",
                MessageRole::Assistant => "assistant",
            };
            out.push_str(&format!("=== {role}\n{text}\n"));
        }
        out
    }
}

/// What a turn says: its address, so that a view tells whom it shows.
pub fn words(turn: &TurnId) -> String {
    format!("<<said at {turn}>>")
}

/// What a verdict says.
pub fn verdict_words(judging: &str) -> String {
    format!("<<reasons of {judging}>>")
}

pub const REFERENCE: &str = "<<reference answer>>";
pub const EXPECTED: &str = "<<expected label>>";
pub const OPTION_ONE: &str = "<<option one>>";
pub const OPTION_TWO: &str = "<<option two>>";
pub const THINKING: &str = "<<thinking in tags>>";

pub fn game(id: &str, settings: &[(&str, SettingValue)]) -> Game {
    let given: Settings = settings
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    Library::default().load_game(id, &given).unwrap()
}

pub fn created(game: &Game) -> Created {
    Created {
        format: FORMAT,
        session: SessionId::new("s"),
        software: "test".to_owned(),
        protocol: game.protocol.clone(),
        templates: game.templates.clone(),
        rubrics: game.rubric_texts.clone(),
        lists: game.lists.clone(),
        unpinned: game.unpinned_files(),
        cast: game
            .list_chairs()
            .into_iter()
            .map(|chair| Participant {
                chair,
                player: Player::Model(ModelPlayer {
                    model: "m".to_owned(),
                    provider: "p".to_owned(),
                    name: "m".to_owned(),
                    family: None,
                    version: None,
                    simulated: true,
                    settings: serde_json::Value::Null,
                    adapter: None,
                }),
                persona: None,
            })
            .collect(),
        topic: Topic {
            id: "t".to_owned(),
            text: "How does a lock work?".to_owned(),
            category: Some("<<category>>".to_owned()),
            conversation: vec![
                Utterance {
                    role: UtteranceRole::User,
                    text: "I lost my key.".to_owned(),
                },
                Utterance {
                    role: UtteranceRole::Assistant,
                    text: "That is a pity.".to_owned(),
                },
            ],
            context: Some("The lock is my own.".to_owned()),
            reference: Some(ReferenceAnswer {
                answer: REFERENCE.to_owned(),
                aliases: vec!["<<alias>>".to_owned()],
            }),
            expected: Some(EXPECTED.to_owned()),
            documents: vec![Document {
                name: "manual.txt".to_owned(),
                text: "Pins and springs.".to_owned(),
            }],
            options: options(game),
            level: None,
            needs_hash_check: false,
            dataset: None,
        },
        settings: game.settings.clone(),
        seed: 11,
        memory: MemoryUse {
            reads: true,
            writes: true,
            ..MemoryUse::default()
        },
        run: None,
        template_texts: Default::default(),
        estimate: None,
    }
}

/// As many options as there are chairs that are given one, and two at least.
fn options(game: &Game) -> Vec<String> {
    let seats = game.protocol.seats.iter();
    let given = seats.filter(|seat| seat.stance != Stance::Chosen);
    let more = 3..=given.map(|seat| seat.count).sum();
    let mut options = [OPTION_ONE, OPTION_TWO].map(str::to_owned).to_vec();
    options.extend(more.map(|number: u32| format!("<<option {number}>>")));
    options
}

/// Plays to the end and returns every view, with the state after it.
pub fn play(game: &Game) -> (Vec<ShownView>, State) {
    play_judged(created(game), game, &|step| {
        // Round 1 is unsafe, so that a lesson is due.
        let bad = match step {
            Step::Judge(judge) | Step::AwaitJudge(judge) => match &judge.target {
                Target::Attempt(AttemptId { turn, .. }) => turn.round == 1,
                Target::Round(_) | Target::Debate => false,
            },
            _ => return Some(("correct", 1.0)),
        };
        Some(if bad { ("unsafe", -1.0) } else { ("safe", 1.0) })
    })
}

/// What a judge, grader or detector finds in a step: a label and its value, or nothing readable.
pub type Finds<'a> = &'a dyn Fn(&Step) -> Option<(&'static str, f64)>;

/// Plays a session to the end with the findings that are given.
pub fn play_judged(created: Created, game: &Game, finds: Finds<'_>) -> (Vec<ShownView>, State) {
    let mut state = State::default();
    let mut shown = Vec::new();
    happens(&mut state, Event::Created(Box::new(created)));
    while let Some(step) = state.find_open_steps().steps.first().cloned() {
        if let Some(view) = view_of(game, &state, &step) {
            let turn = match &step {
                Step::Speak(speak) => Some(speak.turn.clone()),
                _ => None,
            };
            // What is kept must give the same view again.
            let kept = elenchus_game::prompt::compact_view(&state, turn.as_ref(), view.clone());
            assert_eq!(
                expand_view(&state, turn.as_ref(), kept),
                view,
                "{}",
                step.id()
            );
            shown.push(ShownView {
                step: step.id().to_string(),
                turn,
                view,
            });
        }
        let event = answer(&state, &step, finds);
        happens(&mut state, event);
    }
    assert!(state.find_open_steps().done.is_some());
    (shown, state)
}

fn happens(state: &mut State, event: Event) {
    let record = Record {
        at: String::new(),
        by: Author::Engine,
        event,
    };
    state.apply_event(&record).unwrap();
}

fn view_of(game: &Game, state: &State, step: &Step) -> Option<View> {
    Some(match step {
        Step::Speak(speak) => speaker_view(&game.engine, state, speak).unwrap(),
        Step::Judge(judge) => {
            let judging = game.protocol.find_judging(&judge.judging).unwrap();
            let frame = game.judge_frame(judging.rubric.as_ref().unwrap()).unwrap();
            judge_view(&game.engine, state, judge, &frame).unwrap()
        }
        Step::WriteFeedback(lesson) => feedback_view(&game.engine, state, lesson).unwrap(),
        _ => return None,
    })
}

fn answer(state: &State, step: &Step, finds: Finds<'_>) -> Event {
    let reply = |text: String| Reply {
        text,
        thinking: Some(THINKING.to_owned()),
        ..Reply::default()
    };
    match step {
        Step::Retrieve(learner) => Event::Retrieved(Retrieved {
            learner: learner.clone(),
            retriever: "r".to_owned(),
            entries: vec![RetrievedEntry {
                id: "lesson-1".to_owned(),
                score: 1.0,
                text: "<<a lesson>>".to_owned(),
                origin: None,
                also_from: Vec::new(),
            }],
            excluded: Vec::new(),
        }),
        Step::RetrieveGuards | Step::Guard(_) | Step::DeriveGuardrail(_) | Step::Refuse(_) => {
            panic!("no guardrail is asked at this table")
        }
        Step::Speak(speak) | Step::AwaitSpeaker(speak) | Step::Recite(speak) => {
            Event::Replied(Box::new(Replied {
                turn: speak.turn.clone(),
                attempt: speak.attempt,
                view: None,
                reply: reply(words(&speak.turn)),
                fields: fields(state, speak),
                call: None,
                guardrail: None,
            }))
        }
        Step::Judge(judge) | Step::AwaitJudge(judge) => {
            let reasons = verdict_words(judge.judging.as_str());
            Event::Judged(Box::new(Judged {
                judging: judge.judging.clone(),
                chair: judge.chair.index,
                target: judge.target.clone(),
                order: judge.order,
                attempt: judge.attempt,
                outcome: outcome(finds(step), Some(reasons.clone())),
                view: None,
                reply: Some(reply(reasons)),
            }))
        }
        Step::Grade { judging, target } => Event::Judged(Box::new(Judged {
            judging: judging.clone(),
            chair: 0,
            target: target.clone(),
            order: elenchus_game::debate::ShownOrder::AsSeated,
            attempt: 0,
            outcome: outcome(finds(step), None),
            view: None,
            reply: None,
        })),
        Step::SwapRewards => Event::RewardsSwapped(Box::new(SwappedRewards {
            from: SessionId::new("01OTHER"),
            paid: state.paid_decisions(),
        })),
        Step::WriteFeedback(lesson) | Step::AwaitFeedback(lesson) => {
            Event::FeedbackWritten(Box::new(FeedbackWritten {
                entry: "e".to_owned(),
                learner: lesson.learner.clone(),
                view: None,
                reply: reply("<<lesson>>".to_owned()),
            }))
        }
    }
}

fn outcome(found: Option<(&'static str, f64)>, reason: Option<String>) -> Outcome {
    match found {
        Some((label, value)) => Outcome::Label(Finding {
            label: label.to_owned(),
            value,
            reason,
            ..Finding::default()
        }),
        None => Outcome::Unparsed {
            why: "a test".to_owned(),
            cause: None,
        },
    }
}

/// A structured reply cannot be read at first and is then read, so that repairs are asked for.
fn fields(state: &State, speak: &Speak) -> Option<Fields> {
    let stage = state.protocol()?.find_stage(&speak.turn.stage)?;
    stage.output.as_ref()?;
    let why = "the reply is no JSON".to_owned();
    Some(match speak.attempt {
        0 => Fields::Unparsed { why },
        _ => Fields::Read(serde_json::json!({ "stance": "reject" })),
    })
}

/// Every built-in game, in small.
pub fn all_games() -> Vec<(String, Game)> {
    let two = SettingValue::Integer(2);
    Library::default()
        .list_protocols()
        .into_iter()
        .map(|(id, _)| {
            let declared = Library::default().read_protocol(&id).unwrap();
            let mut settings = Vec::new();
            for name in ["rounds", "debaters", "positions"] {
                if declared.settings().contains_key(name) {
                    settings.push((name, two.clone()));
                }
            }
            let game = game(&id, &settings);
            (id, game)
        })
        .collect()
}
