//! Sessions written by hand.

use super::program::{DUO, DUO_TEMPLATE};
use elenchus_game::debate::event::{
    Author, Created, Event, Finding, Judged, ModelPlayer, Outcome, Participant, Player, Replied,
    Reply, Usage,
};
use elenchus_game::debate::protocol::{ProtocolFile, Settings};
use elenchus_game::debate::{AttemptId, Chair, SessionId, Target, Topic, TurnId, event};
use elenchus_records::workspace::SessionJournal;
use elenchus_store::{Journals, SyncPool};
use std::path::Path;

pub const AT: &str = "2025-01-02T03:04:05.000Z";
pub const LATER: &str = "2025-01-02T03:04:07.250Z";

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
    let file = ProtocolFile::parse("duo", DUO).unwrap();
    let (protocol, settings) = file.resolve_protocol(&Settings::new()).unwrap();
    let player = Player::Model(ModelPlayer {
        model: "mini".to_owned(),
        provider: "local".to_owned(),
        name: "mini-1".to_owned(),
        family: None,
        version: None,
        simulated: false,
        settings: serde_json::Value::Null,
        adapter: None,
    });
    Event::Created(Box::new(Created {
        format: event::FORMAT,
        session: SessionId::new(id),
        software: "elenchus test".to_owned(),
        protocol,
        templates: [("speaker".to_owned(), DUO_TEMPLATE.to_owned())].into(),
        rubrics: Default::default(),
        lists: Default::default(),
        unpinned: Default::default(),
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
        template_texts: Default::default(),
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
                claimed: None,
                sent_tokens: None,
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
        order: elenchus_game::debate::ShownOrder::AsSeated,
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
    let writer = Journals::new("a test", &SyncPool::default())
        .begin_journal::<SessionJournal>(path)
        .unwrap();
    let by = Author::Engine.to_string();
    for (at, event) in events.iter().enumerate() {
        let at = if at + 1 == events.len() { LATER } else { AT };
        writer.append(at, &by, event).await.unwrap();
    }
}
