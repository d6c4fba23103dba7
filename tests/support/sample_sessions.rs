//! A home, a project and a store for each test, and sessions written by hand.

use elenchus::debate::event::{
    Author, Created, Event, Finding, Judged, ModelPlayer, Outcome, Participant, Player, Replied,
    Reply, Usage,
};
use elenchus::debate::protocol::{ProtocolFile, Settings};
use elenchus::debate::{AttemptId, Chair, SessionId, Target, Topic, TurnId, event};
use elenchus::store::{Fsync, JournalWriter};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub const AT: &str = "2025-01-02T03:04:05.000Z";
pub const LATER: &str = "2025-01-02T03:04:07.250Z";

/// A game for two speakers whose last answers are compared with the reference.
pub const DUO: &str = include_str!("../fixtures/duo/protocol.toml");
const TEMPLATE: &str = include_str!("../fixtures/duo/speaker.md");

/// A folder of its own with a home and a project in it.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("home")).unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        Self { folder }
    }

    /// A place whose project has the game 'duo'.
    pub fn with_duo() -> Self {
        let place = Self::new();
        place.write("work/.elenchus/prompts/duo/protocol.toml", DUO);
        place.write("work/.elenchus/prompts/duo/speaker.md", TEMPLATE);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn session(&self, id: &str) -> PathBuf {
        self.path(&format!("store/sessions/{id}.jsonl"))
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_elenchus"));
        command
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("ELENCHUS_STORE", self.path("store"))
            .current_dir(self.path("work"))
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self, self.command(args).output().unwrap())
    }

    /// Takes the place's own path, which differs from run to run, out of a text.
    pub fn tidy(&self, text: &str) -> String {
        let own = self.folder.path().canonicalize().unwrap();
        text.replace(own.to_str().unwrap(), "~")
            .replace(self.folder.path().to_str().unwrap(), "~")
    }
}

/// What a command said.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    fn of(place: &Place, output: Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            out: place.tidy(std::str::from_utf8(&output.stdout).unwrap()),
            err: place.tidy(std::str::from_utf8(&output.stderr).unwrap()),
        }
    }
}

pub fn topic(text: &str) -> Topic {
    let text = serde_json::to_string(text).unwrap();
    let json = format!(r#"{{"id": "t1", "text": {text}, "reference": {{"answer": "yes"}}}}"#);
    serde_json::from_str(&json).unwrap()
}

pub fn chair(index: u32) -> Chair {
    Chair {
        seat: "speaker".into(),
        index,
    }
}

pub fn created(id: &str, topic: Topic) -> Event {
    let file = ProtocolFile::read("duo", DUO).unwrap();
    let (protocol, settings) = file.resolve(&Settings::new()).unwrap();
    let player = Player::Model(ModelPlayer {
        model: "mini".to_owned(),
        provider: "local".to_owned(),
        name: "mini-1".to_owned(),
        family: None,
        version: None,
        simulated: false,
        settings: serde_json::Value::Null,
    });
    Event::Created(Box::new(Created {
        format: event::FORMAT,
        session: SessionId::new(id),
        software: "elenchus test".to_owned(),
        protocol,
        templates: [("speaker".to_owned(), TEMPLATE.to_owned())].into(),
        rubrics: Default::default(),
        lists: Default::default(),
        cast: [0, 1]
            .map(|index| Participant {
                chair: chair(index),
                player: player.clone(),
                persona: None,
            })
            .into(),
        topic,
        settings,
        seed: 7,
        memory: Default::default(),
        run: None,
        estimate: None,
    }))
}

pub fn turn(round: u32, index: u32) -> TurnId {
    TurnId {
        round,
        stage: "answer".into(),
        chair: chair(index),
    }
}

pub fn replied(round: u32, index: u32, text: &str) -> Event {
    Event::Replied(Box::new(Replied {
        turn: turn(round, index),
        attempt: 0,
        view: None,
        reply: Reply {
            text: text.to_owned(),
            thinking: Some("It thinks.".to_owned()),
            usage: Usage {
                input_tokens: 10,
                output_tokens: 5,
                estimated: false,
            },
            cost_usd: Some(0.25),
            ..Reply::default()
        },
        fields: None,
        call: None,
        guardrail: None,
    }))
}

pub fn graded(round: u32, index: u32, label: &str, value: f64) -> Event {
    Event::Judged(Box::new(Judged {
        judging: "truth".into(),
        chair: 0,
        target: Target::Attempt(AttemptId {
            turn: turn(round, index),
            attempt: 0,
        }),
        order: elenchus::debate::ShownOrder::AsSeated,
        attempt: 0,
        outcome: Outcome::Label(Finding {
            label: label.to_owned(),
            value,
            ..Finding::default()
        }),
        view: None,
        reply: None,
    }))
}

/// The events of a whole debate of one round.
pub fn debate(id: &str) -> Vec<Event> {
    vec![
        created(id, topic("Is water wet?")),
        replied(1, 0, "yes"),
        replied(1, 1, "no \u{1b}[2J"),
        graded(1, 0, "correct", 1.0),
        graded(1, 1, "incorrect", -1.0),
    ]
}

/// Writes a session's journal; its last event is later than the others.
pub async fn write_session(path: &Path, events: &[Event]) {
    let writer = JournalWriter::<Event>::create(path, "a test", &Fsync::start().unwrap()).unwrap();
    let by = Author::Engine.to_string();
    for (at, event) in events.iter().enumerate() {
        let at = if at + 1 == events.len() { LATER } else { AT };
        writer.append(at, &by, event).await.unwrap();
    }
}
