//! Simulated critics: texts about a proposal in which detectors find known outcomes. Pure.
//!
//! Knows a proposal, and its own earlier turns, only from the messages.

use super::markers::{Flaw, Marker, MarkerKind, SimState, Trick, locate_marks};
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
pub(super) fn write_critique(
    settings: &SimSettings,
    request: &Request,
    honest: Option<Flaw>,
) -> Option<Critique> {
    let context = &request.context;
    let honest = honest.filter(|_| context.axis == Axis::Correctness && !context.private)?;
    let trick = draw_trick(settings, request);
    let draws = SeededDraws::from_place(request);
    let flaw = match (trick, honest) {
        (Some(Trick::Spurious), _) => None,
        (Some(Trick::Feint), _) | (None, Flaw::NotNamed) => Some(Flaw::NotNamed),
        (Some(Trick::BackStab), _) | (None, Flaw::Named) => Some(Flaw::Named),
    };
    let (begin, sentences, end) = match flaw {
        None => (String::new(), &SENTENCES.spurious, REJECTS),
        Some(Flaw::NotNamed) => (String::new(), &SENTENCES.sound, ACCEPTS),
        Some(Flaw::Named) => (
            quote_faulty_part(request, &draws, trick),
            &SENTENCES.flawed,
            REJECTS,
        ),
    };
    let text = sentences::append_sentences(begin, sentences, &draws, settings.tokens_per_reply);
    Some(Critique {
        text: format!("{text} {end}"),
        flaw,
        trick,
        stage: (trick == Some(Trick::Feint)).then(|| context.stage.clone()),
    })
}

/// Returns what a critic with [`private_accept_rate`](SimSettings::private_accept_rate) finds: in private whatever it
/// finds there, or that the proposal is right; in public that it is wrong where it was so drawn, and else what it
/// found in private. Where nothing is set, or it did not think in private, it is what it was.
pub(super) fn decide_in_private(
    settings: &SimSettings,
    request: &Request,
    honest: Option<Flaw>,
) -> Option<Flaw> {
    let context = &request.context;
    let Some(rate) = settings.private_accept_rate else {
        return honest;
    };
    let found = honest.filter(|_| context.axis == Axis::Correctness)?;
    let (seed, index) = (context.seed.to_string(), context.index.to_string());
    let parts = ["critic", &seed, &context.topic, &context.seat, &index];
    let accepts = SeededDraws::from_parts(&parts).draw_bool("private accept", rate);
    if context.private {
        return Some(if accepts { Flaw::NotNamed } else { found });
    }
    let marks = truth::marks_in_view(request);
    let own_thought = marks.iter().rev().find(|marker| {
        marker.kind == MarkerKind::Private
            && marker.seat == context.seat
            && marker.index == context.index
    });
    let Some(thought) = own_thought else {
        return Some(found);
    };
    match accepts {
        true => Some(Flaw::Named),
        false => thought.flaw.or(Some(found)),
    }
}

/// Draws whether the turn is dishonest, given the critic's own earlier turns in view.
fn draw_trick(settings: &SimSettings, request: &Request) -> Option<Trick> {
    let context = &request.context;
    let marks = truth::marks_in_view(request);
    let mut own_turns = marks.iter().filter(|marker| {
        (marker.kind, marker.state) == (MarkerKind::Turn, SimState::Persona)
            && marker.seat == context.seat
            && marker.index == context.index
            // Earlier attempts at a feint are not an earlier turn.
            && !(marker.round == context.round && marker.stage.as_ref() == Some(&context.stage))
    });
    let is_first = own_turns.clone().next().is_none();
    let has_feinted = own_turns.any(|marker| marker.trick == Some(Trick::Feint));
    let (seed, index) = (context.seed.to_string(), context.index.to_string());
    let critic = SeededDraws::from_parts(&["critic", &seed, &context.topic, &context.seat, &index]);
    if has_feinted {
        Some(Trick::BackStab)
    } else if is_first && critic.draw_bool("back-stab", settings.back_stab_rate) {
        Some(Trick::Feint)
    } else if SeededDraws::from_place(request).draw_bool("spurious", settings.spurious_rate) {
        Some(Trick::Spurious)
    } else {
        None
    }
}

/// Returns the sentence that quotes the faulty part of the proposal.
fn quote_faulty_part(request: &Request, draws: &SeededDraws, trick: Option<Trick>) -> String {
    let begin = match trick {
        Some(Trick::BackStab) => "I take back what I said before. ",
        Some(Trick::Spurious | Trick::Feint) | None => "",
    };
    let quotation = find_proposal(request).and_then(|text| {
        let most = word_spans::find_words(text).len();
        let span = MAX_QUOTED_WORDS - MIN_QUOTED_WORDS + 1;
        let count = (MIN_QUOTED_WORDS + draws.draw_below("quoted words", span)) as usize;
        let quotation = word_spans::cut_words(text, most.saturating_sub(count), count);
        let quotation = quotation.trim_end_matches(['.', ',', ';', ':', '!', '?']);
        (!quotation.is_empty()).then_some(quotation)
    });
    match quotation {
        Some(quotation) => format!("{begin}It says \"{quotation}\", and that is wrong."),
        None => format!("{begin}The step before the result is wrong."),
    }
}

/// Returns the proposal's last words: the text before the last mark of a judged turn, on its line,
/// within its JSON string, and without formulas.
fn find_proposal(request: &Request) -> Option<&str> {
    request.messages.iter().rev().find_map(|message| {
        let marks = locate_marks(&message.content);
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
