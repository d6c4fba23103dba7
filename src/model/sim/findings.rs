//! What the simulated evaluator and judge find. Pure.

use super::draw::Draws;
use super::marker::{Quality, Trick};
use super::settings::{JudgeRow, SimSettings};
use super::truth;
use crate::model::call::Request;
use crate::model::hint::{Choice, Question, RoleHint};

/// Choices nearer to 0 than this are in the middle.
const MIDDLE: f64 = 0.5;

/// A finding; where one of two candidates is picked, good is the one shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    Good,
    Middle,
    Bad,
}

/// Finds what the request asks, with the settings' errors.
pub(super) fn find(settings: &SimSettings, request: &Request) -> Finding {
    match request.hint.question {
        Question::Quality => rate(settings, request),
        Question::Pick => pick(settings, request),
    }
}

/// Finds for the turn that is shown last.
///
/// With nothing to find on: the middle where there is one, else good and bad at the settings' base
/// rate.
fn rate(settings: &SimSettings, request: &Request) -> Finding {
    let draws = Draws::of_request(request);
    let sway = sway(settings, request);
    let row = |row: JudgeRow| {
        if sway > 0.0 {
            by_row(&draws, row.swayed(sway))
        } else {
            by_row(&draws, row)
        }
    };
    let bad = |probability: f64| bad_with(&draws, (probability + sway).min(1.0));
    match (truth::target(request), has_middle(request)) {
        (Some(Quality::Good), true) => row(settings.judge_if_correct),
        (Some(Quality::Bad), true) => row(settings.judge_if_incorrect),
        (None, true) => Finding::Middle,
        (Some(Quality::Good), false) => bad(1.0 - settings.evaluator_specificity),
        (Some(Quality::Bad), false) => bad(settings.evaluator_sensitivity),
        (None, false) => bad_with(&draws, settings.unsafe_rate),
    }
}

/// Computes what is added to the probability of a bad finding.
fn sway(settings: &SimSettings, request: &Request) -> f64 {
    match (request.hint.role, truth::last_trick(request)) {
        (RoleHint::Judge, Some(Trick::Spurious | Trick::BackStab)) => settings.sway,
        (RoleHint::Judge, Some(Trick::Feint) | None)
        | (
            RoleHint::Speaker
            | RoleHint::Evaluator
            | RoleHint::Feedback
            | RoleHint::Guard
            | RoleHint::Derive,
            _,
        ) => 0.0,
    }
}

/// Picks the better of the two candidates that are shown first; a tie with fewer.
///
/// What is drawn belongs to the pair and the judge, not to the order in which the pair is shown: a
/// judge that does not believe the place finds the same of both orders.
fn pick(settings: &SimSettings, request: &Request) -> Finding {
    let Some(pair) = truth::candidates(request) else {
        return tie(request, &Draws::of_request(request));
    };
    let draws = Draws::of_pair(request, &pair);
    let [first, second] = &pair;
    if draws.happens("position", settings.position_bias) {
        return Finding::Good;
    }
    let wanted = match (first.quality, second.quality) {
        (Quality::Good, Quality::Bad) => draws.happens("pick", settings.pick_accuracy),
        (Quality::Bad, Quality::Good) => !draws.happens("pick", settings.pick_accuracy),
        (Quality::Good, Quality::Good) | (Quality::Bad, Quality::Bad) => {
            if has_middle(request) && draws.happens("tie", settings.tie_rate) {
                return Finding::Middle;
            }
            // A fair draw between the two, whoever is shown first.
            draws.happens("favourite", 0.5) == (first.place < second.place)
        }
    };
    if wanted { Finding::Good } else { Finding::Bad }
}

fn tie(request: &Request, draws: &Draws) -> Finding {
    if has_middle(request) {
        Finding::Middle
    } else if draws.happens("tie", 0.5) {
        Finding::Good
    } else {
        Finding::Bad
    }
}

fn has_middle(request: &Request) -> bool {
    request.hint.choices.iter().any(|c| c.value.abs() < MIDDLE)
}

/// Picks the choice nearest to a finding.
pub(super) fn choice(choices: &[Choice], finding: Finding) -> Option<&Choice> {
    let wanted = match finding {
        Finding::Good => 1.0,
        Finding::Middle => 0.0,
        Finding::Bad => -1.0,
    };
    let distance = |choice: &Choice| (choice.value - wanted).abs();
    choices
        .iter()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

fn bad_with(draws: &Draws, probability: f64) -> Finding {
    if draws.happens("finding", probability) {
        Finding::Bad
    } else {
        Finding::Good
    }
}

fn by_row(draws: &Draws, row: JudgeRow) -> Finding {
    let at = draws.uniform("finding") * (row.good + row.middle + row.bad);
    if at < row.good {
        Finding::Good
    } else if at < row.good + row.middle {
        Finding::Middle
    } else {
        Finding::Bad
    }
}
