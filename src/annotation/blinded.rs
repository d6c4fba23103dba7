//! A session as whoever labels it is shown it: what was asked and said, and nothing that tells a
//! verdict, an arm, a protocol or a prompt's version (FIGURES 8).
//!
//! It is made of a session, or read from a pack that holds no session at all: what is not in a sheet
//! cannot be shown by mistake.

use super::super::error::DriverError;
use super::super::lines::{check_lines, known};
use super::super::margin::{OnAttempt, attempt_hash};
use crate::debate::event::Created;
use crate::debate::protocol::{Order, SeatKind};
use crate::debate::view::{MessageRole, Source};
use crate::debate::{Chair, SessionId, State, TurnId};
use crate::driver::desk::Desk;
use crate::judge::SeatNames;
use crate::prompt::expand;
use crate::store::{JournalWriter, Layout, StoreError, read_journal};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// What whoever labels is shown of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sheet {
    pub session: SessionId,
    pub topic: String,
    /// The text that the topic cannot be understood without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The conversation before the topic: who, and what.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conversation: Vec<(String, String)>,
    /// Documents, each with its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Everything that was said in public, in the order of the game.
    pub turns: Vec<SheetTurn>,
}

/// One public turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetTurn {
    pub on: OnAttempt,
    /// A letter, or the seat's name where the label set shows names.
    pub who: String,
    pub text: String,
    /// How many turns of the sheet were said before it; what was said side by side with it was not.
    #[serde(default)]
    pub before: usize,
    /// What the seat was shown for it, in messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub saw: Vec<SawMessage>,
}

/// One message of what a seat was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SawMessage {
    /// `system`, `user` or `assistant`.
    pub role: String,
    pub parts: Vec<SawPart>,
}

/// A piece of what a seat was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SawPart {
    Text(String),
    /// It would tell the game, its prompts, the arm or a verdict: what it is, and no more.
    Hidden(String),
}

impl SheetTurn {
    /// Returns the turn's address.
    pub fn turn(&self) -> &TurnId {
        &self.on.id.turn
    }
}

impl Sheet {
    /// Returns the turn that a label is on.
    pub fn find(&self, on: &OnAttempt) -> Option<usize> {
        self.turns.iter().position(|turn| turn.on == *on)
    }

    /// Returns what the same seat said in the round before, at the same stage.
    pub fn before(&self, at: usize) -> Option<&SheetTurn> {
        let turn = self.turns.get(at)?.turn();
        let earlier = self.turns.get(..at)?.iter().rev();
        let mut earlier = earlier.filter(|other| other.turn().chair == turn.chair);
        let same_stage = |other: &&SheetTurn| {
            other.turn().stage == turn.stage && other.turn().round + 1 == turn.round
        };
        earlier.clone().find(same_stage).or_else(|| earlier.next())
    }
}

/// Makes the sheet of a session; `None` while it has not begun.
pub fn sheet_of(session: &SessionId, state: &State, names: SeatNames) -> Option<Sheet> {
    let created = state.created()?;
    let topic = &created.topic;
    let conversation = topic.conversation.iter().map(|said| {
        let who = serde_json::to_value(said.role).ok();
        let who = who.and_then(|who| Some(who.as_str()?.to_owned()));
        (who.unwrap_or_default(), said.text.clone())
    });
    let documents = topic.documents.iter();
    let documents = documents.map(|document| (document.name.clone(), document.text.clone()));
    let named = names_of(created, names);
    let mut ids: Vec<&TurnId> = state.turns().keys().collect();
    let protocol = &created.protocol;
    ids.sort_by_key(|id| (id.round, protocol.stage_place(&id.stage), id.chair.clone()));
    let public = ids.into_iter().filter(|id| {
        let stage = protocol.stage(&id.stage);
        stage.is_some_and(|stage| !stage.private)
    });
    let spoken: Vec<&TurnId> = public.filter(|id| state.chosen(id).is_some()).collect();
    let turns = spoken.iter().enumerate().filter_map(|(at, id)| {
        let (attempt, chosen) = state.chosen(id)?;
        let view = chosen.view.clone();
        let view = view.map(|view| expand(state, Some(*id), view));
        let messages = view.map(|view| view.messages).unwrap_or_default();
        let saw = messages.into_iter().map(|message| SawMessage {
            role: role(message.role).to_owned(),
            parts: joined(
                message
                    .parts
                    .into_iter()
                    .filter_map(|part| seen(part.from, part.text)),
            ),
        });
        Some(SheetTurn {
            on: OnAttempt {
                sha256: attempt_hash(&attempt, &chosen.reply.text),
                id: attempt,
            },
            who: named.get(&id.chair).cloned().unwrap_or_default(),
            text: chosen.reply.text.clone(),
            before: said_before(created, &spoken, at),
            saw: saw.collect(),
        })
    });
    Some(Sheet {
        session: session.clone(),
        topic: topic.text.clone(),
        context: topic.context.clone(),
        conversation: conversation.collect(),
        documents: documents.collect(),
        options: topic.options.clone(),
        turns: turns.collect(),
    })
}

/// Counts what was said before a turn.
fn said_before(created: &Created, spoken: &[&TurnId], at: usize) -> usize {
    let Some(turn) = spoken.get(at) else {
        return at;
    };
    let stage = created.protocol.stage(&turn.stage);
    match stage.map(|stage| stage.order) {
        Some(Order::Simultaneous) => {
            let beside = |other: &&TurnId| other.round == turn.round && other.stage == turn.stage;
            spoken.iter().position(beside).unwrap_or(at)
        }
        Some(Order::Sequential) | None => at,
    }
}

/// Names the chairs: by letters in the order of the cast, or by their seats.
fn names_of(created: &Created, names: SeatNames) -> BTreeMap<Chair, String> {
    let speakers = created.cast.iter().filter(|participant| {
        let seat = created.protocol.seat(&participant.chair.seat);
        seat.is_some_and(|seat| seat.kind == SeatKind::Speaker)
    });
    let chairs = speakers.map(|participant| &participant.chair).enumerate();
    let named = chairs.map(|(at, chair)| {
        let name = match names {
            SeatNames::Hidden => letter(at),
            SeatNames::Shown => {
                let seat = created.protocol.seat(&chair.seat);
                let label = seat.and_then(|seat| seat.label.clone());
                let label = label.unwrap_or_else(|| chair.seat.to_string());
                match seat.map_or(1, |seat| seat.count) {
                    0 | 1 => label,
                    _ => format!("{label} {}", chair.index + 1),
                }
            }
        };
        (chair.clone(), name)
    });
    named.collect()
}

fn letter(at: usize) -> String {
    match u8::try_from(at).ok().filter(|at| *at < 26) {
        Some(at) => char::from(b'A' + at).to_string(),
        None => format!("speaker {}", at + 1),
    }
}

fn role(role: MessageRole) -> &'static str {
    match role {
        MessageRole::System => "system",
        MessageRole::User => "user",
        MessageRole::Assistant => "assistant",
    }
}

/// Returns a part as it is shown; nothing of marks that only fence others.
fn seen(from: Source, text: Option<String>) -> Option<SawPart> {
    let hidden = |what: &str| Some(SawPart::Hidden(what.to_owned()));
    match from {
        Source::Topic
        | Source::Context
        | Source::Conversation(_)
        | Source::Document(_)
        | Source::Option(_)
        | Source::Turn(_)
        | Source::OwnPrivate(_) => text.map(SawPart::Text),
        Source::Template(_) => hidden("words of the prompt"),
        Source::Verdict { .. } | Source::Ruling { .. } => hidden("what a judge found"),
        Source::Memory(_) => hidden("an entry of memory"),
        Source::Guardrail(_) => hidden("a guardrail"),
        Source::Persona => hidden("a persona"),
        Source::Draw(_) => hidden("something drawn for this turn"),
        Source::Person => hidden("something a person typed for this call"),
        Source::Fence => None,
    }
}

/// Puts pieces of one kind that follow each other together.
fn joined(parts: impl Iterator<Item = SawPart>) -> Vec<SawPart> {
    let mut joined: Vec<SawPart> = Vec::new();
    for part in parts {
        match (joined.last_mut(), part) {
            (Some(SawPart::Text(text)), SawPart::Text(more)) => text.push_str(&more),
            (Some(SawPart::Hidden(what)), SawPart::Hidden(more)) if *what == more => {}
            (_, part) => joined.push(part),
        }
    }
    joined
}

/// One line of a sheet's journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum SheetEvent {
    Sheet(Box<Sheet>),
}

/// Writes a sheet into a pack; durable when this returns.
///
/// # Errors
/// When the pack has one of that session, or the disk refuses.
pub async fn write_sheet(desk: &Desk, sheet: Sheet) -> Result<(), DriverError> {
    let path = desk.layout.sheet(sheet.session.as_str())?;
    let journal = JournalWriter::create(&path, &desk.holder, &desk.fsync)?;
    let event = SheetEvent::Sheet(Box::new(sheet));
    journal.append(&desk.clock.now(), "engine", &event).await?;
    Ok(())
}

/// Reads the journal of a sheet, wherever it is. Blocks while it reads.
///
/// # Errors
/// When a line cannot be read as a sheet.
pub(in super::super) fn check_sheet(path: &Path) -> Result<(), DriverError> {
    check_lines::<SheetEvent>(path)
}

/// Returns the sheet of a session: of the session itself, or as a pack holds it. Blocks while it
/// reads.
///
/// # Errors
/// When neither is there or it cannot be read.
pub fn read_sheet(
    layout: &Layout,
    session: &SessionId,
    names: SeatNames,
) -> Result<Sheet, DriverError> {
    let missing = || DriverError::NoSuch {
        what: "session",
        id: session.to_string(),
        list: "elenchus ls",
    };
    match super::super::session::read_session(&layout.session(session.as_str())?) {
        Ok(state) => return sheet_of(session, &state, names).ok_or_else(missing),
        Err(DriverError::Store(StoreError::Io { cause, .. }))
            if cause.kind() == std::io::ErrorKind::NotFound => {}
        Err(DriverError::Store(StoreError::Missing { .. })) => {}
        Err(error) => return Err(error),
    }
    let path = layout.sheet(session.as_str())?;
    if !path.exists() {
        return Err(missing());
    }
    let lines = known::<SheetEvent>(&path, read_journal(&path)?.lines)?;
    let last = lines.into_iter().next_back();
    last.map(|line| match line.event {
        SheetEvent::Sheet(sheet) => *sheet,
    })
    .ok_or_else(missing)
}
