//! Simulated critics: texts about a proposal in which detectors find known outcomes. Pure.
//!
//! Knows a proposal, and its own earlier turns, only from the messages.

use super::markers::{Flaw, Marker, MarkerKind, SimState, Trick, located};
use super::seeded_draws::SeededDraws;
use super::sentences::{self, SENTENCES};
use super::settings::SimSettings;
use super::truth;
use super::word_spans;
use crate::call::Request;
use crate::call_context::Axis;

/// The last sentence of a critique that accepts the proposal.
pub const ACCEPTS: &str = "The proposal is correct.";
/// The last sentence of a critique that rejects the proposal.
pub const REJECTS: &str = "The proposal is incorrect.";

const MIN_QUOTED_WORDS: u64 = 4;
const MAX_QUOTED_WORDS: u64 = 6;

/// A critique with its ground truth.
#[derive(Debug)]
pub(super) struct Critique {
    pub text: String,
    pub flaw: Option<Flaw>,
    pub trick: Option<Trick>,
    /// The stage's name, on feints.
    pub stage: Option<String>,
}

/// Writes a critic's public turn on the last proposal in view; `None` with no proposal in view.
/// `honest` is the finding where the critic plays no trick.
pub(super) fn speaks(
    settings: &SimSettings,
    request: &Request,
    honest: Option<Flaw>,
) -> Option<Critique> {
    let hint = &request.hint;
    let honest = honest.filter(|_| hint.axis == Axis::Correctness && !hint.private)?;
    let trick = trick(settings, request);
    let draws = SeededDraws::of_place(request);
    let flaw = match (trick, honest) {
        (Some(Trick::Spurious), _) => None,
        (Some(Trick::Feint), _) | (None, Flaw::NotNamed) => Some(Flaw::NotNamed),
        (Some(Trick::BackStab), _) | (None, Flaw::Named) => Some(Flaw::Named),
    };
    let (begin, sentences, end) = match flaw {
        None => (String::new(), &SENTENCES.spurious, REJECTS),
        Some(Flaw::NotNamed) => (String::new(), &SENTENCES.sound, ACCEPTS),
        Some(Flaw::Named) => (
            points_at(request, &draws, trick),
            &SENTENCES.flawed,
            REJECTS,
        ),
    };
    let text = sentences::go_on(begin, sentences, &draws, settings.tokens_per_reply);
    Some(Critique {
        text: format!("{text} {end}"),
        flaw,
        trick,
        stage: (trick == Some(Trick::Feint)).then(|| hint.stage.clone()),
    })
}

/// Draws whether the turn is dishonest, given the critic's own earlier turns in view.
fn trick(settings: &SimSettings, request: &Request) -> Option<Trick> {
    let hint = &request.hint;
    let shown = truth::marks_in_view(request);
    let mut own = shown.iter().filter(|marker| {
        (marker.kind, marker.state) == (MarkerKind::Turn, SimState::Persona)
            && marker.seat == hint.seat
            && marker.index == hint.index
            // Earlier attempts at a feint are not an earlier turn.
            && !(marker.round == hint.round && marker.stage.as_ref() == Some(&hint.stage))
    });
    let is_first = own.clone().next().is_none();
    let feinted = own.any(|marker| marker.trick == Some(Trick::Feint));
    let (seed, index) = (hint.seed.to_string(), hint.index.to_string());
    let critic = SeededDraws::keyed_by(&["critic", &seed, &hint.topic, &hint.seat, &index]);
    if feinted {
        Some(Trick::BackStab)
    } else if is_first && critic.happens("back-stab", settings.back_stab_rate) {
        Some(Trick::Feint)
    } else if SeededDraws::of_place(request).happens("spurious", settings.spurious_rate) {
        Some(Trick::Spurious)
    } else {
        None
    }
}

/// Returns the sentence that quotes the faulty part of the proposal.
fn points_at(request: &Request, draws: &SeededDraws, trick: Option<Trick>) -> String {
    let begin = match trick {
        Some(Trick::BackStab) => "I take back what I said before. ",
        Some(Trick::Spurious | Trick::Feint) | None => "",
    };
    let quoted = proposal(request).and_then(|text| {
        let most = word_spans::words(text).len();
        let span = MAX_QUOTED_WORDS - MIN_QUOTED_WORDS + 1;
        let count = (MIN_QUOTED_WORDS + draws.below("quoted words", span)) as usize;
        let quoted = word_spans::cut(text, most.saturating_sub(count), count);
        let quoted = quoted.trim_end_matches(['.', ',', ';', ':', '!', '?']);
        (!quoted.is_empty()).then_some(quoted)
    });
    match quoted {
        Some(quoted) => format!("{begin}It says \"{quoted}\", and that is wrong."),
        None => format!("{begin}The step before the result is wrong."),
    }
}

/// Returns the proposal's last words: the text before the last mark of a judged turn, on its line,
/// within its JSON string, and without formulas.
fn proposal(request: &Request) -> Option<&str> {
    request.messages.iter().rev().find_map(|message| {
        let marks = located(&message.content);
        let is_judged =
            |marker: &Marker| marker.kind == MarkerKind::Turn && marker.state.quality().is_some();
        let (at, _) = marks.into_iter().rfind(|(_, marker)| is_judged(marker))?;
        let before = &message.content[..at];
        let line = before.rsplit(['\n', '"', ']']).next().unwrap_or_default();
        let line = line.trim_end();
        Some(match line.find('\\') {
            // The sentence that holds the formula is left out too.
            Some(formula) => line[..formula]
                .rsplit_once(". ")
                .map_or("", |(text, _)| text),
            None => line,
        })
    })
}
