//! Debates to look at, and a stage for screens: keys go through the table as they do in the
//! workbench, and what was drawn is read back as text.

use elenchus::debate::event::{
    Author, Created, Event, FORMAT, FeedbackWritten, Finding, Judged, MemoryUse, ModelPlayer,
    Outcome, Participant, Player, Record, Replied, Reply, Retrieved, RetrievedEntry, Usage,
};
use elenchus::debate::protocol::SettingValue;
use elenchus::debate::step::Speak;
use elenchus::debate::view::View;
use elenchus::debate::{Document, SessionId, State, Step, Target, Topic, TurnId};
use elenchus::driver::{Game, Library};
use elenchus::prompt::{compact, judge_view, speaker_view};
use elenchus::tui::app::{Brush, Deed, Effect, Screen, Told};
use elenchus::tui::input::{Code, Key};
use elenchus::tui::keys::{Found, KeyTable, spelled};
use elenchus::tui::parts::secret::Content;
use elenchus::tui::theme::{Depth, GlyphSet, Look, built_in};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

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
    Library::default().game(id, &given).unwrap()
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
        self.state.apply(&record).unwrap();
        self.records.push(record);
    }

    /// Plays until a step comes that is not to be played, or to the end.
    pub fn until(&mut self, script: &Script, stop: impl Fn(&Step) -> bool) {
        while let Some(step) = self.state.open().steps.first().cloned() {
            if stop(&step) {
                return;
            }
            let event = self.answer(script, &step);
            self.happens(event);
        }
    }

    pub fn go_to_end(&mut self, script: &Script) {
        self.until(script, |_| false);
        assert!(self.state.open().done.is_some());
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
            fork.state.apply(record).unwrap();
            fork.records.push(record.clone());
        }
        let parent = self.state.created().unwrap().session.clone();
        fork.happens(Event::Forked {
            parent,
            parent_head: "0".repeat(64),
        });
        fork
    }

    fn answer(&self, script: &Script, step: &Step) -> Event {
        match step {
            Step::Retrieve => Event::Retrieved(Retrieved {
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
                let rule = self.game.protocol.judging(&judge.judging).unwrap();
                let frame = self.game.frame(rule.rubric.as_ref().unwrap()).unwrap();
                let view = judge_view(&self.game.engine, &self.state, judge, &frame).unwrap();
                let (label, value) = (script.finds)(&judge.target);
                Event::Judged(Box::new(Judged {
                    judging: judge.judging.clone(),
                    chair: judge.chair.index,
                    target: judge.target.clone(),
                    order: judge.order,
                    attempt: judge.attempt,
                    outcome: found(label, value),
                    view: Some(compact(&self.state, None, view)),
                    reply: Some(reply(label, 1)),
                }))
            }
            Step::WriteFeedback(_) => Event::FeedbackWritten(Box::new(FeedbackWritten {
                entry: "lesson-9".to_owned(),
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
        let mut view = compact(&self.state, Some(&speak.turn), self.view(speak));
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
        },
        cost_usd: Some(0.0012 * times as f64),
        latency_ms: 900 * times,
        model: "small-model-1".to_owned(),
        sampling: serde_json::json!({ "temperature": 0.7, "max_tokens": 512 }),
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
        cast: game.chairs().into_iter().map(participant).collect(),
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
        },
        settings: game.settings.clone(),
        seed: 3,
        memory: MemoryUse {
            reads: true,
            writes: true,
            ..MemoryUse::default()
        },
        run: None,
        estimate: None,
    }
}

/// What a model sits on is said, and the library is fine.
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

/// Everything that a screen asked for and drew.
pub struct Stage<S> {
    pub screen: S,
    pub effects: Vec<Effect>,
    pub content: Content,
    pub look: Look,
    table: KeyTable,
}

impl<S: Screen> Stage<S> {
    pub fn new(screen: S) -> Self {
        Self {
            screen,
            effects: Vec::new(),
            content: Content::Shown,
            look: look(Depth::None),
            table: KeyTable::default(),
        }
    }

    pub fn with(screen: S, effects: Vec<Effect>) -> Self {
        let mut stage = Self::new(screen);
        stage.effects = effects;
        stage
    }

    pub fn tell(&mut self, told: Told) -> &mut Self {
        let effects = self.screen.told(&told);
        self.effects.extend(effects);
        self
    }

    /// Types keys by name; a chord is one string.
    pub fn press(&mut self, chords: &[&str]) -> &mut Self {
        for chord in chords {
            let keys: Vec<Key> = chord.split_whitespace().map(named).collect();
            let effects = if self.screen.is_typing() {
                self.screen.typed(keys[0])
            } else {
                match self.table.lookup(self.screen.context(), &keys) {
                    Found::Action(action) => self.screen.act(action),
                    Found::Prefix | Found::Nothing => panic!("{chord} means nothing here"),
                }
            };
            self.effects.extend(effects);
        }
        self
    }

    pub fn write(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            assert!(self.screen.is_typing());
            let effects = self.screen.typed(Key::char(c));
            self.effects.extend(effects);
        }
        self
    }

    /// Returns what was asked for since, in words.
    pub fn asked(&mut self) -> Vec<String> {
        let effects = self.effects.drain(..);
        effects.map(|effect| words(&effect)).collect()
    }

    pub fn deeds(&mut self) -> Vec<Deed> {
        let effects = self.effects.drain(..);
        effects
            .filter_map(|effect| match effect {
                Effect::Do(deed) => Some(deed),
                _ => None,
            })
            .collect()
    }

    pub fn buffer(&mut self, width: u16, height: u16) -> Buffer {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        let inner = Rect {
            height: height - 1,
            ..area
        };
        let brush = Brush {
            look: &self.look,
            content: self.content,
            keys: &self.table,
        };
        if let Some(cursor) = self.screen.draw(&mut buffer, inner, brush) {
            assert!(inner.contains(cursor), "{cursor:?}");
        }
        let mut status = format!("[{}]", spelled(&self.screen.status(), &self.table));
        for action in self.screen.hints() {
            let hint = self.table.hint(self.screen.context(), action);
            let hint = hint.unwrap_or_else(|| panic!("no key for {action:?}"));
            status.push_str(&format!(" {hint} {}", action.name()));
        }
        let width = usize::from(width);
        buffer.set_stringn(
            0,
            height - 1,
            status,
            width,
            ratatui::style::Style::default(),
        );
        buffer
    }

    pub fn draw(&mut self, width: u16, height: u16) -> String {
        let buffer = self.buffer(width, height);
        let mut page = String::new();
        for y in 0..height {
            let row: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
            page.push_str(row.trim_end());
            page.push('\n');
        }
        page
    }
}

pub fn look(depth: Depth) -> Look {
    let theme = built_in().theme("ansi").unwrap();
    theme.resolve(depth, GlyphSet::Unicode)
}

fn named(name: &str) -> Key {
    match name {
        "Esc" => Key::plain(Code::Esc),
        "Enter" => Key::plain(Code::Enter),
        "Tab" => Key::plain(Code::Tab),
        "Shift-Tab" => Key::plain(Code::BackTab),
        "PgDn" => Key::plain(Code::PageDown),
        "PgUp" => Key::plain(Code::PageUp),
        "Ctrl-D" => Key::ctrl('d'),
        "Ctrl-E" => Key::ctrl('e'),
        "Ctrl-U" => Key::ctrl('u'),
        one => {
            let mut chars = one.chars();
            let key = Key::char(chars.next().unwrap());
            assert!(chars.next().is_none(), "{one}");
            key
        }
    }
}

fn words(effect: &Effect) -> String {
    match effect {
        Effect::Show(_) => "show".to_owned(),
        Effect::Leave => "leave".to_owned(),
        Effect::Replace(_) => "replace".to_owned(),
        Effect::Open(session, _) => format!("open {session}"),
        Effect::OpenInstead(session) => format!("open {session} instead"),
        Effect::OpenForked(session) => format!("open the fork {session}"),
        Effect::Sent(sent) => format!("sent {}", sent.place),
        Effect::Quit => "quit".to_owned(),
        Effect::Compare(left, right) => format!("compare {left} with {right}"),
        Effect::Say(_, text) => format!("say: {}", spelled(text, &KeyTable::default())),
        Effect::Do(deed) => {
            let text = format!("{deed:?}");
            let name = text.split(|c: char| !c.is_alphanumeric()).next();
            name.unwrap_or_default().to_owned()
        }
    }
}

impl<S: Screen> Stage<S> {
    pub fn screen_busy(&self) -> bool {
        self.screen.busy().is_some()
    }

    pub fn screen_typing(&self) -> bool {
        self.screen.is_typing()
    }
}
