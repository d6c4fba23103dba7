//! Plays a built-in game with telling texts, and keeps every view.

use elenchus::debate::event::{
    Author, Created, Event, FORMAT, FeedbackWritten, Finding, Judged, MemoryUse, ModelPlayer,
    Outcome, Participant, Player, Record, Replied, Reply, Retrieved, RetrievedEntry,
};
use elenchus::debate::protocol::{SettingValue, Settings};
use elenchus::debate::view::{MessageRole, View};
use elenchus::debate::{
    AttemptId, Document, Reference, SessionId, State, Step, Target, Topic, TurnId, Utterance,
    UtteranceRole,
};
use elenchus::driver::{Game, Library};
use elenchus::prompt::{expand, feedback_view, full_text, judge_view, speaker_view};

/// A view that was made during a game.
pub struct Shown {
    pub step: String,
    /// Who reads: the turn for speakers.
    pub turn: Option<TurnId>,
    pub view: View,
}

impl Shown {
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
pub const THINKING: &str = "<<thinking in tags>>";

pub fn game(id: &str, settings: &[(&str, SettingValue)]) -> Game {
    let given: Settings = settings
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    Library::default().game(id, &given).unwrap()
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
        cast: game
            .chairs()
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
            reference: Some(Reference {
                answer: REFERENCE.to_owned(),
                aliases: vec!["<<alias>>".to_owned()],
            }),
            expected: Some(EXPECTED.to_owned()),
            documents: vec![Document {
                name: "manual.txt".to_owned(),
                text: "Pins and springs.".to_owned(),
            }],
            options: Vec::new(),
            level: None,
            needs_hash_check: false,
        },
        settings: game.settings.clone(),
        seed: 11,
        memory: MemoryUse {
            reads: true,
            writes: true,
            namespace: String::new(),
        },
        run: None,
        estimate: None,
    }
}

/// Plays to the end and returns every view, with the state after it.
pub fn play(game: &Game) -> (Vec<Shown>, State) {
    let mut state = State::default();
    let mut shown = Vec::new();
    happens(&mut state, Event::Created(Box::new(created(game))));
    while let Some(step) = state.open().steps.first().cloned() {
        if let Some(view) = view_of(game, &state, &step) {
            let turn = match &step {
                Step::Speak(speak) => Some(speak.turn.clone()),
                _ => None,
            };
            // What is kept must give the same view again.
            let kept = elenchus::prompt::compact(&state, turn.as_ref(), view.clone());
            assert_eq!(expand(&state, turn.as_ref(), kept), view, "{}", step.id());
            shown.push(Shown {
                step: step.id().to_string(),
                turn,
                view,
            });
        }
        let event = answer(&step);
        happens(&mut state, event);
    }
    assert!(state.open().done.is_some());
    (shown, state)
}

fn happens(state: &mut State, event: Event) {
    let record = Record {
        at: String::new(),
        by: Author::Engine,
        event,
    };
    state.apply(&record).unwrap();
}

fn view_of(game: &Game, state: &State, step: &Step) -> Option<View> {
    Some(match step {
        Step::Speak(speak) => speaker_view(&game.engine, state, speak).unwrap(),
        Step::Judge(judge) => {
            let judging = game.protocol.judging(&judge.judging).unwrap();
            let frame = game.frame(judging.rubric.as_ref().unwrap()).unwrap();
            judge_view(&game.engine, state, judge, &frame).unwrap()
        }
        Step::WriteFeedback(chair) => feedback_view(&game.engine, state, chair).unwrap(),
        _ => return None,
    })
}

fn answer(step: &Step) -> Event {
    let reply = |text: String| Reply {
        text,
        thinking: Some(THINKING.to_owned()),
        ..Reply::default()
    };
    match step {
        Step::Retrieve => Event::Retrieved(Retrieved {
            retriever: "r".to_owned(),
            entries: vec![RetrievedEntry {
                id: "lesson-1".to_owned(),
                score: 1.0,
                text: "<<a lesson>>".to_owned(),
                origin: None,
            }],
            excluded: Vec::new(),
        }),
        Step::Speak(speak) | Step::AwaitSpeaker(speak) | Step::Recite(speak) => {
            Event::Replied(Box::new(Replied {
                turn: speak.turn.clone(),
                attempt: speak.attempt,
                view: None,
                reply: reply(words(&speak.turn)),
                fields: None,
            }))
        }
        Step::Judge(judge) | Step::AwaitJudge(judge) => {
            // Round 1 is unsafe, so that a lesson is due.
            let bad = match &judge.target {
                Target::Attempt(AttemptId { turn, .. }) => turn.round == 1,
                Target::Round(_) | Target::Debate => false,
            };
            Event::Judged(Box::new(Judged {
                judging: judge.judging.clone(),
                chair: judge.chair.index,
                target: judge.target.clone(),
                order: judge.order,
                attempt: judge.attempt,
                outcome: Outcome::Label(Finding {
                    label: if bad { "unsafe" } else { "safe" }.to_owned(),
                    value: if bad { -1.0 } else { 1.0 },
                    reason: Some(verdict_words(judge.judging.as_str())),
                    ..Finding::default()
                }),
                view: None,
                reply: Some(reply(verdict_words(judge.judging.as_str()))),
            }))
        }
        Step::Grade { judging, target } => Event::Judged(Box::new(Judged {
            judging: judging.clone(),
            chair: 0,
            target: target.clone(),
            order: elenchus::debate::ShownOrder::AsSeated,
            attempt: 0,
            outcome: Outcome::Label(Finding {
                label: "correct".to_owned(),
                value: 1.0,
                ..Finding::default()
            }),
            view: None,
            reply: None,
        })),
        Step::WriteFeedback(_) | Step::AwaitFeedback(_) => {
            Event::FeedbackWritten(Box::new(FeedbackWritten {
                entry: "e".to_owned(),
                view: None,
                reply: reply("<<lesson>>".to_owned()),
            }))
        }
    }
}

/// Every built-in game, in small.
pub fn all_games() -> Vec<(String, Game)> {
    let two = SettingValue::Integer(2);
    Library::default()
        .protocols()
        .into_iter()
        .map(|(id, _)| {
            let declared = Library::default().protocol(&id).unwrap();
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
