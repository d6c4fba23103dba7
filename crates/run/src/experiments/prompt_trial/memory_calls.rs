//! Places of recorded calls about long-term memory: of a lesson, of a decision about guardrails, and of a guardrail
//! that is written from a lesson.

use super::call::{TriedCall, list_target_findings};
use super::context::format_first;
use super::verdict::side_of;
use crate::engine::guardrails::read_guardrail;
use elenchus_game::debate::event::{FeedbackWritten, Finding, Outcome, Reply};
use elenchus_game::debate::{
    AttemptId, Chair, GuardDecision, Guarded, GuardrailWritten, JudgingId, SeatId, State, Target,
};
use elenchus_memory::EntryKind;
use elenchus_records::workspace::memory::{NamespaceEntries, count_examples};
use elenchus_records::workspace::prompts::find_guardrail_writer;
use elenchus_records::workspace::{Result, reject};
use elenchus_store::Layout;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a lesson is called on the command line.
const LESSON: &str = "lesson";
/// What a decision about guardrails is called on the command line.
const GUARDRAILS: &str = "guardrails";
/// What a guardrail that is written from the lesson is called on the command line.
const DERIVATION: &str = "derivation";
/// What is found of a reply that a guardrail can be read from.
const READABLE: &str = "readable";
/// What is decided where a guardrail matches the topic, and where none does.
const MATCH: &str = "match";
const NO_MATCH: &str = "no match";

/// Labels of topics that must not be refused, and that must be.
const SAFE: &str = "safe";
const UNSAFE: &str = "unsafe";

/// The lesson of all, or that of a seat which learns for itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonPlace {
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub learner: Option<SeatId>,
}

/// The decision of a chair's model whether a guardrail matches the topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardPlace {
    pub chair: Chair,
}

/// The guardrail that a chair's model writes from the lesson of all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DerivationPlace {
    pub chair: Chair,
}

impl fmt::Display for DerivationPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(DERIVATION)
    }
}

impl fmt::Display for LessonPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.learner {
            None => f.write_str(LESSON),
            Some(learner) => write!(f, "{LESSON}/{learner}"),
        }
    }
}

impl fmt::Display for GuardPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{GUARDRAILS}/{}", self.chair)
    }
}

impl LessonPlace {
    /// Returns the lesson, once it is written.
    pub fn find_lesson<'s>(&self, state: &'s State) -> Option<&'s FeedbackWritten> {
        let mut lessons = state.lessons();
        lessons.find(|lesson| lesson.learner == self.learner)
    }
}

impl GuardPlace {
    /// Returns the decision; `None` where there is none, or its call failed.
    pub fn find_decision<'s>(&self, state: &'s State) -> Option<&'s Guarded> {
        let decided = &state.guard_states().get(&self.chair)?.decided;
        decided.as_ref().ok()
    }

    /// Returns the decision where the session made it itself, and no parent did.
    pub(crate) fn find_own_decision<'s>(&self, state: &'s State) -> Option<&'s Guarded> {
        let inherited = state.guard_states().get(&self.chair)?.inherited;
        self.find_decision(state).filter(|_| !inherited)
    }

    /// Returns the decision as a finding about the topic.
    pub fn find_outcome(&self, state: &State) -> Option<Outcome> {
        let guarded = self.find_decision(state)?;
        Some(outcome_of_decision(&guarded.decision))
    }

    /// Returns what the chair said after its decision, as far as it counts; nothing where it was refused.
    pub(crate) fn list_turns(&self, state: &State) -> Vec<AttemptId> {
        let turns = state.turns().keys();
        let own = turns.filter(|turn| turn.chair == self.chair);
        let chosen = own.filter_map(|turn| state.chosen_attempt(turn));
        let spoken = chosen.filter(|(_, attempt)| attempt.guardrail.is_none());
        spoken.map(|(id, _)| id).collect()
    }

    /// Says whether the topic may be answered: by the label that it is expected to have, else by what evaluators
    /// found of what the chair said; `None` where neither is known.
    pub(crate) fn find_truth(&self, state: &State) -> Option<bool> {
        match state.first_event()?.topic.expected.as_deref() {
            Some(SAFE) => return Some(true),
            Some(UNSAFE) => return Some(false),
            Some(_) | None => {}
        }
        let turns = self.list_turns(state).into_iter();
        let findings = turns.flat_map(|id| list_target_findings(state, &Target::Attempt(id)));
        Self::combine_sides(findings.filter_map(|(_, outcome)| side_of(outcome)))
    }

    /// Says whether a topic may be answered of whose answers this is known: not where one of them is bad.
    pub(crate) fn combine_sides(good: impl Iterator<Item = bool>) -> Option<bool> {
        good.reduce(|one, other| one && other)
    }

    /// Returns the name under which its finding stands among those of rules.
    pub(super) fn finding_name() -> JudgingId {
        JudgingId::new(GUARDRAILS)
    }
}

impl DerivationPlace {
    /// Returns the place in a session whose lesson a guardrail can be derived from; `None` of any other.
    pub fn find(state: &State) -> Option<Self> {
        find_guardrail_writer(state).map(|chair| Self { chair })
    }

    /// Returns whether a guardrail can be read from the reply.
    pub(crate) fn find_outcome(&self, state: &State) -> Option<Outcome> {
        let reply = &state.written_guardrail()?.reply;
        let most_examples = count_examples(&state.first_event()?.memory);
        Some(match read_guardrail(&reply.text, most_examples) {
            Ok(_) => Outcome::Label(Finding {
                label: READABLE.to_owned(),
                value: 1.0,
                ..Finding::default()
            }),
            Err(why) => Outcome::Unparsed { why, cause: None },
        })
    }
}

/// Puts the guardrail into a session that memory keeps of it, as its first writer replied: sessions hold none. Leaves
/// the session as it is where there is none, or memory cannot be read. Blocks.
pub(crate) fn put_derived_guardrail(layout: &Layout, call: &TriedCall, state: &mut State) {
    let TriedCall::Derivation(place) = call else {
        return;
    };
    let Some(created) = state.first_event() else {
        return;
    };
    let entries = NamespaceEntries::read_entries(layout, &created.memory.namespace);
    let Ok(entries) = entries else {
        return;
    };
    let mut guards = entries.folded.entries_of_kind(EntryKind::Guardrail);
    let own = guards.find(|guard| guard.has_origin(created.session.as_str()));
    let derived = own.and_then(|guard| guard.guardrail.as_ref()?.derived.as_ref());
    let Some((by, text)) = derived.and_then(|by| Some((by, by.replies.first()?))) else {
        return;
    };
    let reply = Reply {
        text: text.clone(),
        model: by.model.clone(),
        cost_usd: by.cost_usd,
        ..Reply::default()
    };
    state.put_derived_guardrail(GuardrailWritten {
        chair: place.chair.clone(),
        view: None,
        reply,
    });
}

/// Returns a decision as a finding about the topic: a match says that it is bad.
pub fn outcome_of_decision(decision: &GuardDecision) -> Outcome {
    let (label, value) = match decision {
        GuardDecision::Matched { .. } => (MATCH, -1.0),
        GuardDecision::NoMatch => (NO_MATCH, 1.0),
        GuardDecision::Unparsed { why, cause } => {
            return Outcome::Unparsed {
                why: why.clone(),
                cause: *cause,
            };
        }
    };
    Outcome::Label(Finding {
        label: label.to_owned(),
        value,
        ..Finding::default()
    })
}

/// Lists the lessons that models wrote in a session.
pub fn list_lesson_places(state: &State) -> Vec<LessonPlace> {
    let lessons = state.lessons().filter(|lesson| lesson.view.is_some());
    let places = lessons.map(|lesson| LessonPlace {
        learner: lesson.learner.clone(),
    });
    places.collect()
}

/// Lists the decisions about guardrails that models made in a session.
pub fn list_guard_places(state: &State) -> Vec<GuardPlace> {
    let chairs = state.guard_states().keys();
    let places = chairs.map(|chair| GuardPlace {
        chair: chair.clone(),
    });
    places
        .filter(|place| place.find_decision(state).is_some())
        .collect()
}

/// Finds a lesson by its name: `lesson`, or `lesson/proposer` where several seats learn; `None` where the text
/// names none.
///
/// # Errors
/// When the session has none, or not that one; names some.
pub(super) fn find_lesson(state: &State, text: &str) -> Result<Option<LessonPlace>> {
    find_place(
        (LESSON, text),
        list_lesson_places(state),
        |place, learner| {
            place
                .learner
                .as_ref()
                .is_some_and(|of| of.as_str() == learner)
        },
        "no model wrote a lesson in this session: a lesson is asked for with '--memory textual', where a turn was \
         found unsafe",
    )
}

/// Finds a decision about guardrails by its name: `guardrails/debater-0`, or `guardrails` where one chair decided;
/// `None` where the text names none.
///
/// # Errors
/// When the session has none, or not that one; names some.
pub(super) fn find_guard_decision(state: &State, text: &str) -> Result<Option<GuardPlace>> {
    find_place(
        (GUARDRAILS, text),
        list_guard_places(state),
        |place, chair| place.chair.to_string() == chair,
        "no model decided about guardrails in this session: it is asked with '--memory guardrails', where an \
         accepted one is near the topic",
    )
}

/// Finds the guardrail that is written from the lesson by its name, `derivation`; `None` where the text is another.
///
/// # Errors
/// When none is derived from the session.
pub(super) fn find_derivation(state: &State, text: &str) -> Result<Option<DerivationPlace>> {
    find_place(
        (DERIVATION, text),
        DerivationPlace::find(state).into_iter().collect(),
        |_, _| false,
        "no guardrail is derived from this session: it needs a lesson for all debaters, of a debate with \
         '--memory textual+guardrails'",
    )
}

/// How many places a message names.
const MAX_LISTED: usize = 12;

fn find_place<P: fmt::Display>(
    (kind, text): (&str, &str),
    places: Vec<P>,
    is_called: impl Fn(&P, &str) -> bool,
    none: &str,
) -> Result<Option<P>> {
    let (name, part) = match text.split_once('/') {
        Some((name, part)) => (name, Some(part)),
        None => (text, None),
    };
    if name != kind {
        return Ok(None);
    }
    if places.is_empty() {
        return reject(none);
    }
    let names: Vec<String> = places.iter().map(ToString::to_string).collect();
    let mut hits = places
        .into_iter()
        .filter(|place| part.is_none_or(|part| is_called(place, part)));
    match (hits.next(), hits.next()) {
        (Some(one), None) => Ok(Some(one)),
        (None, _) => reject(format!(
            "there is no '{text}'; there are {}",
            format_first(&names, MAX_LISTED)
        )),
        (Some(_), Some(_)) => reject(format!(
            "'{text}' means several: {}",
            format_first(&names, MAX_LISTED)
        )),
    }
}
