//! What the simulated evaluator and judge find. Pure.

use super::draw::Draws;
use super::marker::Quality;
use super::settings::{JudgeRow, SimSettings};
use super::truth;
use crate::model::call::Request;
use crate::model::hint::Choice;

/// Choices nearer to 0 than this are in the middle.
const MIDDLE: f64 = 0.5;

/// A finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    Good,
    Middle,
    Bad,
}

/// Finds for the turn that is shown last, with the settings' errors.
///
/// With nothing to find on: the middle where there is one, else good and bad at the settings' base
/// rate.
pub(super) fn find(settings: &SimSettings, request: &Request) -> Finding {
    let draws = Draws::of_request(request);
    let three_way = request.hint.choices.iter().any(|c| c.value.abs() < MIDDLE);
    match (truth::target(request), three_way) {
        (Some(Quality::Good), true) => by_row(&draws, settings.judge_if_correct),
        (Some(Quality::Bad), true) => by_row(&draws, settings.judge_if_incorrect),
        (None, true) => Finding::Middle,
        (Some(Quality::Good), false) => bad_with(&draws, 1.0 - settings.evaluator_specificity),
        (Some(Quality::Bad), false) => bad_with(&draws, settings.evaluator_sensitivity),
        (None, false) => bad_with(&draws, settings.unsafe_rate),
    }
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
