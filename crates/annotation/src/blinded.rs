//! Blinded transcripts: a session's question and turns without anything that reveals a
//! verdict, an arm, a protocol or a prompt's version (FIGURES 8).
//!
//! Made from a session, or read from a pack that holds no session at all: what is not in it
//! cannot be shown by mistake.

use elenchus_game::debate::event::Created;
use elenchus_game::debate::protocol::{SeatKind, StageOrder};
use elenchus_game::debate::view::PartSource;
use elenchus_game::debate::{Chair, SessionId, State, TurnId};
use elenchus_game::judge::{LabelSet, LabelTarget, SeatNames};
use elenchus_game::prompt::expand_view;
use elenchus_model::sim::remove_markers;
use elenchus_records::workspace::StoreContext;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::{OnAttempt, attempt_hash};
use elenchus_records::workspace::has_fields;
use elenchus_records::workspace::rows::find_conclusion;
use elenchus_records::workspace::{Intake, JournalKind};
use elenchus_store::JournalLine;
use elenchus_store::JournalType;
use elenchus_store::{Layout, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// Session as its annotator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlindedTranscript {
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
    /// All public turns, in the order of the protocol.
    pub turns: Vec<BlindedTurn>,
    /// What the debate concludes, where that is what is labelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<BlindedConclusion>,
    /// Marks of the simulated model, which state the truth about a text, were cut from the texts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub marks_cut: bool,
}

/// Conclusion of a debate, without its judge's label and scores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlindedConclusion {
    pub answer: String,
    /// Other texts beside it, each with its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<(String, String)>,
}

/// What a transcript is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TranscriptParts {
    pub names: SeatNames,
    /// Whether it holds what the debate concludes.
    pub conclusion: ConclusionShown,
}

/// Whether an annotator is shown what a debate concludes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConclusionShown {
    #[default]
    Hidden,
    Shown,
}

impl TranscriptParts {
    /// Returns what whoever labels by a set is shown.
    pub fn from_set(set: &LabelSet) -> Self {
        Self {
            names: set.seats,
            conclusion: match set.of {
                LabelTarget::Conclusion => ConclusionShown::Shown,
                LabelTarget::Turn
                | LabelTarget::Proposal
                | LabelTarget::Critique
                | LabelTarget::Debate => ConclusionShown::Hidden,
            },
        }
    }
}

/// One public turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlindedTurn {
    pub on: OnAttempt,
    /// A letter, or the seat's name where the label set shows names.
    pub who: String,
    pub text: String,
    /// Number of turns that were spoken before it; turns of the same simultaneous stage do not count.
    #[serde(default)]
    pub before: usize,
    /// Messages that the seat was shown for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub saw: Vec<BlindedMessage>,
}

/// One message that a seat was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlindedMessage {
    /// `system`, `user` or `assistant`.
    pub role: String,
    pub parts: Vec<BlindedPart>,
}

/// Part of such a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlindedPart {
    Text(String),
    /// A part that would reveal the protocol, its prompts, the arm or a verdict: only its kind.
    Hidden(String),
}

impl BlindedTurn {
    /// Returns the turn's address.
    pub fn turn_id(&self) -> &TurnId {
        &self.on.id.turn
    }
}

impl BlindedTranscript {
    /// Returns the turn that a label is on.
    pub fn find_turn(&self, on: &OnAttempt) -> Option<usize> {
        self.turns.iter().position(|turn| turn.on == *on)
    }

    /// Returns the same chair's turn of the round before, of the same stage if there is one.
    pub fn find_previous_turn(&self, at: usize) -> Option<&BlindedTurn> {
        let turn = self.turns.get(at)?.turn_id();
        let earlier = self.turns.get(..at)?.iter().rev();
        let mut earlier = earlier.filter(|other| other.turn_id().chair == turn.chair);
        let same_stage = |other: &&BlindedTurn| {
            other.turn_id().stage == turn.stage && other.turn_id().round + 1 == turn.round
        };
        earlier.clone().find(same_stage).or_else(|| earlier.next())
    }
}

/// Makes the blinded transcript of a session; `None` while it has not begun.
fn blind_session(
    session: &SessionId,
    state: &State,
    parts: TranscriptParts,
) -> Option<BlindedTranscript> {
    let creation = state.first_event()?;
    let topic = &creation.topic;
    let conversation = topic.conversation.iter().map(|said| {
        let who = serde_json::to_value(said.role).ok();
        let who = who.and_then(|who| Some(who.as_str()?.to_owned()));
        (who.unwrap_or_default(), said.text.clone())
    });
    let documents = topic.documents.iter();
    let documents = documents.map(|document| (document.name.clone(), document.text.clone()));
    let names_by_chair = name_chairs(creation, parts.names);
    let mut ids: Vec<&TurnId> = state.turns().keys().collect();
    let protocol = &creation.protocol;
    ids.sort_by_key(|id| (id.round, protocol.stage_place(&id.stage), id.chair.clone()));
    let public = ids.into_iter().filter(|id| {
        let stage = protocol.find_stage(&id.stage);
        stage.is_some_and(|stage| !stage.private)
    });
    let public_turns: Vec<&TurnId> = public
        .filter(|id| state.chosen_attempt(id).is_some())
        .collect();
    let turns = public_turns.iter().enumerate().filter_map(|(at, id)| {
        let (attempt, chosen) = state.chosen_attempt(id)?;
        let view = chosen.view.map(|place| state.view_at(place));
        let view = view.map(|view| expand_view(state, Some(*id), view));
        let messages = view.map(|view| view.messages).unwrap_or_default();
        let saw = messages.into_iter().map(|message| BlindedMessage {
            role: message.role.as_str().to_owned(),
            parts: join_parts(
                message
                    .parts
                    .into_iter()
                    .filter_map(|part| blind_part(part.from, part.text)),
            ),
        });
        Some(BlindedTurn {
            on: OnAttempt {
                sha256: attempt_hash(&attempt, &chosen.reply.text),
                id: attempt,
            },
            who: names_by_chair.get(&id.chair).cloned().unwrap_or_default(),
            text: chosen.reply.text.clone(),
            before: count_turns_before(creation, &public_turns, at),
            saw: saw.collect(),
        })
    });
    Some(BlindedTranscript {
        session: session.clone(),
        topic: topic.text.clone(),
        context: topic.context.clone(),
        conversation: conversation.collect(),
        documents: documents.collect(),
        options: topic.options.clone(),
        turns: turns.collect(),
        conclusion: match parts.conclusion {
            ConclusionShown::Hidden => None,
            ConclusionShown::Shown => find_conclusion(state).map(|found| BlindedConclusion {
                answer: found.answer,
                texts: found.texts,
            }),
        },
        marks_cut: false,
    })
}

impl BlindedTranscript {
    /// Cuts the simulated model's marks from what was said; hashes stay those of the journal's texts.
    fn cut_marks(mut self) -> Self {
        let mut cut = false;
        let mut hide = |text: &mut String| {
            if let Cow::Owned(rest) = remove_markers(text) {
                cut = true;
                *text = rest.trim_end().to_owned();
            }
        };
        for turn in &mut self.turns {
            hide(&mut turn.text);
            let parts = turn.saw.iter_mut().flat_map(|message| &mut message.parts);
            for part in parts {
                match part {
                    BlindedPart::Text(text) => hide(text),
                    BlindedPart::Hidden(_) => {}
                }
            }
        }
        if let Some(conclusion) = &mut self.conclusion {
            hide(&mut conclusion.answer);
            conclusion.texts.iter_mut().for_each(|(_, text)| hide(text));
        }
        self.marks_cut |= cut;
        self
    }
}

/// Counts the turns that were spoken before a turn.
fn count_turns_before(created: &Created, public_turns: &[&TurnId], at: usize) -> usize {
    let Some(turn) = public_turns.get(at) else {
        return at;
    };
    let stage = created.protocol.find_stage(&turn.stage);
    match stage.map(|stage| stage.order) {
        Some(StageOrder::Simultaneous) => {
            let is_in_same_stage =
                |other: &&TurnId| other.round == turn.round && other.stage == turn.stage;
            public_turns.iter().position(is_in_same_stage).unwrap_or(at)
        }
        Some(StageOrder::Sequential) | None => at,
    }
}

/// Names the chairs: by letters in the order of the cast, or by their seats.
fn name_chairs(created: &Created, names: SeatNames) -> BTreeMap<Chair, String> {
    let speakers = created.cast.iter().filter(|participant| {
        let seat = created.protocol.find_seat(&participant.chair.seat);
        seat.is_some_and(|seat| seat.kind == SeatKind::Speaker)
    });
    let chairs = speakers.map(|participant| &participant.chair).enumerate();
    let names_by_chair = chairs.map(|(at, chair)| {
        let name = match names {
            SeatNames::Hidden => anonymous_name(at),
            SeatNames::Shown => {
                let seat = created.protocol.find_seat(&chair.seat);
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
    names_by_chair.collect()
}

fn anonymous_name(at: usize) -> String {
    match u8::try_from(at).ok().filter(|at| *at < 26) {
        Some(at) => char::from(b'A' + at).to_string(),
        None => format!("speaker {}", at + 1),
    }
}

/// Returns a part as it is shown; `None` for marks that only delimit others.
fn blind_part(from: PartSource, text: Option<String>) -> Option<BlindedPart> {
    let hide = |what: &str| Some(BlindedPart::Hidden(what.to_owned()));
    match from {
        PartSource::Topic
        | PartSource::Context
        | PartSource::Conversation(_)
        | PartSource::Document(_)
        | PartSource::Option(_)
        | PartSource::Turn(_)
        | PartSource::OwnPrivate(_) => text.map(BlindedPart::Text),
        PartSource::Template(_) | PartSource::LabelLine => hide("words of the prompt"),
        PartSource::Verdict { .. } | PartSource::Ruling { .. } | PartSource::Rewards { .. } => {
            hide("what a judge found")
        }
        PartSource::Memory(_) => hide("an entry of memory"),
        PartSource::Guardrail(_) => hide("a guardrail"),
        PartSource::Reference => hide("the reference answer"),
        PartSource::Persona => hide("a persona"),
        PartSource::Draw(_) => hide("something drawn for this turn"),
        PartSource::Person => hide("something a person typed for this call"),
        PartSource::Fence => None,
    }
}

/// Joins adjacent parts of one kind.
fn join_parts(parts: impl Iterator<Item = BlindedPart>) -> Vec<BlindedPart> {
    let mut distinct_parts: Vec<BlindedPart> = Vec::new();
    for part in parts {
        match (distinct_parts.last_mut(), part) {
            (Some(BlindedPart::Text(text)), BlindedPart::Text(more)) => text.push_str(&more),
            (Some(BlindedPart::Hidden(what)), BlindedPart::Hidden(more)) if *what == more => {}
            (_, part) => distinct_parts.push(part),
        }
    }
    distinct_parts
}

/// One line of a transcript's journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum BlindedEvent {
    Sheet(Box<BlindedTranscript>),
}

/// Writes a transcript into a pack; durable when this returns.
///
/// # Errors
/// When the pack has one of that session, or the disk refuses.
pub(super) async fn write_blinded_transcript(
    store: &StoreContext,
    transcript: BlindedTranscript,
) -> Result<(), WorkspaceError> {
    let path = store.layout.sheet_path(transcript.session.as_str())?;
    let journal = store.journals().begin_journal::<BlindedEvent>(&path)?;
    let event = BlindedEvent::Sheet(Box::new(transcript));
    journal.append(&store.clock.now(), "engine", &event).await?;
    Ok(())
}

/// Returns the blinded transcript of a session, from the session itself or from a pack. Blocks while it
/// reads.
///
/// # Errors
/// When neither is there or it cannot be read.
pub fn read_blinded_transcript(
    layout: &Layout,
    session: &SessionId,
    parts: TranscriptParts,
) -> Result<BlindedTranscript, WorkspaceError> {
    let missing = || WorkspaceError::NoSuch {
        what: "session",
        id: session.to_string(),
        list: "elenchus ls",
    };
    match elenchus_records::workspace::read_session(&layout.session_path(session.as_str())?) {
        Ok(state) => {
            let transcript = blind_session(session, &state, parts).ok_or_else(missing)?;
            return Ok(
                match state.first_event().is_some_and(Created::is_simulated) {
                    true => transcript.cut_marks(),
                    false => transcript,
                },
            );
        }
        Err(WorkspaceError::Store(StoreError::Io { cause, .. }))
            if cause.kind() == std::io::ErrorKind::NotFound => {}
        Err(WorkspaceError::Store(StoreError::Missing { .. })) => {}
        Err(error) => return Err(error),
    }
    let path = layout.sheet_path(session.as_str())?;
    if !path.exists() {
        return Err(missing());
    }
    let lines = BlindedEvent::read_state(&path)?;
    let last = lines.into_iter().next_back();
    last.map(|line| match line.event {
        // Packs of earlier versions hold the texts as they are.
        BlindedEvent::Sheet(sheet) => sheet.cut_marks(),
    })
    .ok_or_else(missing)
}

impl JournalType for BlindedEvent {
    type Event = Self;
    const KIND: &'static str = "blinded_transcript";
}

impl JournalKind for BlindedEvent {
    type State = Vec<JournalLine<Self>>;
    const NAMES: (&'static str, &'static str) = ("sheet", "sheets");
    const FOLDERS: &'static [&'static str] = &["sheets"];
    const INTAKE: Intake = Intake::Freely;

    fn is_first(event: &Value) -> bool {
        has_fields(event, "sheet", &["session"])
    }

    fn fold_journal(_: &Path, lines: Self::State) -> Result<Self::State, WorkspaceError> {
        Ok(lines)
    }
}
