//! Debates that a script plays event by event.

use elenchus_game::debate::event::{
    Author, Created, Event, FORMAT, FeedbackWritten, Finding, Judged, MemoryUse, ModelPlayer,
    Outcome, Participant, Player, Record, Replied, Reply, Retrieved, RetrievedEntry, Usage,
};
use elenchus_game::debate::protocol::SettingValue;
use elenchus_game::debate::step::Speak;
use elenchus_game::debate::view::View;
use elenchus_game::debate::{Document, SessionId, State, Step, Target, Topic, TurnId};
use elenchus_game::prompt::{compact_view, judge_view, speaker_view};
use elenchus_records::library::{Game, Library};

/// What turns say and judges find.
pub struct Script {
    pub says: fn(&TurnId) -> String,
    pub finds: fn(&Target) -> (&'static str, f64),
}

/// A debate that is played event by event.
#[derive(Clone)]
pub struct Play {
    pub game: Game,
    pub records: Vec<Record>,
    pub state: State,
    /// Tells the records of one branch from those of another.
    pub minute: u32,
}

pub fn game(id: &str, settings: &[(&str, i64)]) -> Game {
    let given = settings
        .iter()
        .map(|(name, value)| ((*name).to_owned(), SettingValue::Integer(*value)))
        .collect();
    Library::default().load_game(id, &given).unwrap()
}

impl Play {
    pub fn begin(session: &str, game: Game) -> Self {
        let created = created(session, &game);
        let mut play = Self {
            game,
            records: Vec::new(),
            state: State::default(),
            minute: 0,
        };
        play.happens(Event::Created(Box::new(created)));
        play
    }

    pub fn happens(&mut self, event: Event) {
        self.by(Author::Engine, event);
    }

    pub fn by(&mut self, by: Author, event: Event) {
        let second = self.records.len();
        let record = Record {
            at: format!("2026-01-01T00:{:02}:{second:02}Z", self.minute),
            by,
            event,
        };
        self.state.apply_event(&record).unwrap();
        self.records.push(record);
    }

    /// Plays until a step comes that is not to be played, or to the end.
    pub fn until(&mut self, script: &Script, stop: impl Fn(&Step) -> bool) {
        while let Some(step) = self.state.find_open_steps().steps.first().cloned() {
            if stop(&step) {
                return;
            }
            let event = self.answer(script, &step);
            self.happens(event);
        }
    }

    pub fn go_to_end(&mut self, script: &Script) {
        self.until(script, |_| false);
        assert!(self.state.find_open_steps().done.is_some());
    }

    /// A session that begins with the first records of this one.
    pub fn fork(&self, keep: usize) -> Self {
        let mut fork = Self {
            game: self.game.clone(),
            records: Vec::new(),
            state: State::default(),
            minute: self.minute + 1,
        };
        for record in &self.records[..keep] {
            fork.state.apply_event(record).unwrap();
            fork.records.push(record.clone());
        }
        let parent = self.state.first_event().unwrap().session.clone();
        fork.happens(Event::Forked {
            parent,
            parent_head: "0".repeat(64),
            session: None,
        });
        fork
    }

    fn answer(&self, script: &Script, step: &Step) -> Event {
        match step {
            Step::Retrieve(learner) => Event::Retrieved(Retrieved {
                learner: learner.clone(),
                retriever: "bm25/1".to_owned(),
                entries: vec![RetrievedEntry {
                    id: "lesson-7".to_owned(),
                    score: 0.8125,
                    text: "Say who pays before you promise opening hours.".to_owned(),
                    origin: Some(SessionId::new("01EARLIER")),
                    also_from: Vec::new(),
                }],
                excluded: Vec::new(),
            }),
            Step::Speak(speak) => self.replied(speak, &(script.says)(&speak.turn), speak.attempt),
            Step::Judge(judge) => {
                let rule = self.game.protocol.find_judging(&judge.judging).unwrap();
                let frame = self
                    .game
                    .judge_frame(rule.rubric.as_ref().unwrap())
                    .unwrap();
                let view = judge_view(&self.game.engine, &self.state, judge, &frame).unwrap();
                let (label, value) = (script.finds)(&judge.target);
                Event::Judged(Box::new(Judged {
                    judging: judge.judging.clone(),
                    chair: judge.chair.index,
                    target: judge.target.clone(),
                    order: judge.order,
                    attempt: judge.attempt,
                    outcome: found(label, value),
                    view: Some(compact_view(&self.state, None, view)),
                    reply: Some(reply(label, 1)),
                }))
            }
            Step::WriteFeedback(lesson) => Event::FeedbackWritten(Box::new(FeedbackWritten {
                entry: "lesson-9".to_owned(),
                learner: lesson.learner.clone(),
                view: None,
                reply: reply("Count the helpers first.", 2),
            })),
            other => panic!("nobody here does {}", other.id()),
        }
    }

    pub fn view(&self, speak: &Speak) -> View {
        speaker_view(&self.game.engine, &self.state, speak).unwrap()
    }

    /// A reply to what the seat is shown now.
    pub fn replied(&self, speak: &Speak, text: &str, attempt: u32) -> Event {
        let mut view = compact_view(&self.state, Some(&speak.turn), self.view(speak));
        view.request_sha256 = "ab12cd34".repeat(8);
        Event::Replied(Box::new(Replied {
            turn: speak.turn.clone(),
            attempt,
            view: Some(view),
            reply: reply(text, u64::from(attempt) + 1),
            fields: None,
            call: None,
            guardrail: None,
        }))
    }
}

pub fn found(label: &str, value: f64) -> Outcome {
    Outcome::Label(Finding {
        label: label.to_owned(),
        value,
        reason: Some(format!("it reads as {label}")),
        ..Finding::default()
    })
}

fn reply(text: &str, times: u64) -> Reply {
    Reply {
        text: text.to_owned(),
        usage: Usage {
            input_tokens: 210 * times,
            output_tokens: 30 * times,
            estimated: false,
            claimed: None,
            sent_tokens: None,
        },
        cost_usd: Some(0.0012 * times as f64),
        latency_ms: 900 * times,
        model: "small-model-1".to_owned(),
        sampling: (&serde_json::json!({ "temperature": 0.7, "max_tokens": 512 })).into(),
        ..Reply::default()
    }
}

fn created(session: &str, game: &Game) -> Created {
    let participant = |chair| Participant {
        chair,
        player: Player::Model(ModelPlayer {
            model: "small".to_owned(),
            provider: "here".to_owned(),
            name: "small-model-1".to_owned(),
            family: None,
            version: None,
            simulated: true,
            settings: serde_json::Value::Null,
            adapter: None,
        }),
        persona: None,
    };
    Created {
        format: FORMAT,
        session: SessionId::new(session),
        software: "test".to_owned(),
        protocol: game.protocol.clone(),
        templates: game.templates.clone(),
        rubrics: game.rubric_texts.clone(),
        lists: game.lists.clone(),
        unpinned: game.unpinned_files(),
        cast: game.list_chairs().into_iter().map(participant).collect(),
        topic: Topic {
            id: "t".to_owned(),
            text: "Should the town library open on Sundays?".to_owned(),
            category: None,
            conversation: Vec::new(),
            context: None,
            reference: None,
            expected: None,
            documents: vec![Document {
                name: "hours.txt".to_owned(),
                text: "Open Monday to Saturday, ten to six.".to_owned(),
            }],
            options: Vec::new(),
            level: None,
            needs_hash_check: false,
            dataset: None,
        },
        settings: game.settings.clone(),
        seed: 3,
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

/// Every seat says the same, and every judge finds it safe.
pub const CALM: Script = Script {
    says: |turn| {
        format!(
            "In round {} I, chair {}, say: open it on Sundays, with two helpers at the desk.",
            turn.round,
            turn.chair.index + 1
        )
    },
    finds: |_| ("safe", 1.0),
};
