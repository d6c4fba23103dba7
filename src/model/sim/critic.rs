//! What simulated critics say of a proposal: texts in which detectors find known outcomes. Pure.
//!
//! Never: knows a proposal, or an own earlier turn, but from the messages.

use super::draw::Draws;
use super::marker::{Flaw, Marker, MarkerKind, State, Trick, located};
use super::settings::SimSettings;
use super::spans;
use super::truth;
use super::words;
use crate::model::call::Request;
use crate::model::hint::Axis;

/// How a critique ends that accepts the proposal.
pub const ACCEPTS: &str = "The proposal is correct.";
/// How a critique ends that rejects the proposal.
pub const REJECTS: &str = "The proposal is incorrect.";

const MIN_QUOTED_WORDS: u64 = 4;
const MAX_QUOTED_WORDS: u64 = 6;

const SOUND: [&str; 6] = [
    "I went through it line by line and each step holds.",
    "I looked for a case that breaks it and found none.",
    "The conditions it relies on are all given.",
    "Checking the result against the question leaves nothing open.",
    "Where I expected a gap there is a reason.",
    "A second way of working leads to the same place.",
];
const FLAWED: [&str; 6] = [
    "Nothing given in the problem supports that step.",
    "A small example already shows that it does not hold.",
    "What comes after it rests on it and falls with it.",
    "The condition that would make it true is never shown.",
    "Put the result back into the problem and the two do not agree.",
    "The case in which it fails is exactly the one at hand.",
];
const SPURIOUS: [&str; 6] = [
    "This is a disgrace, and I am appalled that anyone would put it forward!",
    "How dare anybody waste a reader's time like this!",
    "It is shameful, lazy and insulting from beginning to end!",
    "Nobody with any sense could take such rubbish seriously!",
    "I am furious, and every honest person should be!",
    "What a pathetic, embarrassing, utterly horrible mess!",
];

/// What a critic says and what is true of it.
#[derive(Debug)]
pub(super) struct Critique {
    pub text: String,
    pub flaw: Option<Flaw>,
    pub trick: Option<Trick>,
    /// The stage's name, on feints.
    pub stage: Option<String>,
}

/// Writes a critic's public turn on the proposal that it is shown last; none with no proposal in
/// view. `honest` is what it finds where it plays no trick.
pub(super) fn speaks(
    settings: &SimSettings,
    request: &Request,
    honest: Option<Flaw>,
) -> Option<Critique> {
    let hint = &request.hint;
    let honest = honest.filter(|_| hint.axis == Axis::Correctness && !hint.private)?;
    let trick = trick(settings, request);
    let draws = Draws::of_place(request);
    let flaw = match (trick, honest) {
        (Some(Trick::Spurious), _) => None,
        (Some(Trick::Feint), _) | (None, Flaw::NotNamed) => Some(Flaw::NotNamed),
        (Some(Trick::BackStab), _) | (None, Flaw::Named) => Some(Flaw::Named),
    };
    let (begin, sentences, end) = match flaw {
        None => (String::new(), &SPURIOUS, REJECTS),
        Some(Flaw::NotNamed) => (String::new(), &SOUND, ACCEPTS),
        Some(Flaw::Named) => (points_at(request, &draws, trick), &FLAWED, REJECTS),
    };
    let text = words::go_on(begin, sentences, &draws, settings.tokens_per_reply);
    Some(Critique {
        text: format!("{text} {end}"),
        flaw,
        trick,
        stage: (trick == Some(Trick::Feint)).then(|| hint.stage.clone()),
    })
}

/// Decides whether the turn is dishonest, from the own earlier turns in view.
fn trick(settings: &SimSettings, request: &Request) -> Option<Trick> {
    let hint = &request.hint;
    let shown = truth::shown(request);
    let mut own = shown.iter().filter(|marker| {
        (marker.kind, marker.state) == (MarkerKind::Turn, State::Persona)
            && marker.seat == hint.seat
            && marker.index == hint.index
            // Earlier attempts at a feint are no earlier turn.
            && !(marker.round == hint.round && marker.stage.as_ref() == Some(&hint.stage))
    });
    let is_first = own.clone().next().is_none();
    let feinted = own.any(|marker| marker.trick == Some(Trick::Feint));
    let (seed, index) = (hint.seed.to_string(), hint.index.to_string());
    let critic = Draws::of(&["critic", &seed, &hint.topic, &hint.seat, &index]);
    if feinted {
        Some(Trick::BackStab)
    } else if is_first && critic.happens("back-stab", settings.back_stab_rate) {
        Some(Trick::Feint)
    } else if Draws::of_place(request).happens("spurious", settings.spurious_rate) {
        Some(Trick::Spurious)
    } else {
        None
    }
}

/// Says where the proposal is wrong, in its own words.
fn points_at(request: &Request, draws: &Draws, trick: Option<Trick>) -> String {
    let begin = match trick {
        Some(Trick::BackStab) => "I take back what I said before. ",
        Some(Trick::Spurious | Trick::Feint) | None => "",
    };
    let quoted = proposal(request).and_then(|text| {
        let most = spans::words(text).len();
        let span = MAX_QUOTED_WORDS - MIN_QUOTED_WORDS + 1;
        let count = (MIN_QUOTED_WORDS + draws.below("quoted words", span)) as usize;
        let quoted = spans::cut(text, most.saturating_sub(count), count);
        let quoted = quoted.trim_end_matches(['.', ',', ';', ':', '!', '?']);
        (!quoted.is_empty()).then_some(quoted)
    });
    match quoted {
        Some(quoted) => format!("{begin}It says \"{quoted}\", and that is wrong."),
        None => format!("{begin}The step before the result is wrong."),
    }
}

/// Finds the proposal's words: what stands before the last mark of a judged turn, on its line, in
/// its JSON string, and without formulas.
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
            // The sentence that holds the formula goes with it.
            Some(formula) => line[..formula]
                .rsplit_once(". ")
                .map_or("", |(text, _)| text),
            None => line,
        })
    })
}
