//! Findings of the simulated evaluator and judge. Pure.

use super::markers::{Quality, Trick};
use super::seeded_draws::SeededDraws;
use super::settings::{JudgeRow, SimSettings};
use super::truth;
use crate::call::Request;
use crate::call_context::{JudgeTask, LabelChoice, RoleHint};

/// Choices nearer to 0 than this are in the middle.
const MIDDLE: f64 = 0.5;

/// A finding; in a choice between two candidates, `Good` is the one shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SimFinding {
    Good,
    Middle,
    Bad,
}

/// Returns the finding for a request, with the settings' error rates.
pub(super) fn draw_finding(settings: &SimSettings, request: &Request) -> SimFinding {
    match request.context.question {
        JudgeTask::Quality => rate_quality(settings, request),
        JudgeTask::Pick => pick_candidate(settings, request),
        JudgeTask::Refusal => read_refusal(settings, request),
    }
}

/// Reads whether the last judged turn in view refuses; with nothing in view it finds no refusal.
fn read_refusal(settings: &SimSettings, request: &Request) -> SimFinding {
    let probability = match truth::target_refuses(request) {
        Some(true) => settings.evaluator_sensitivity,
        Some(false) => 1.0 - settings.evaluator_specificity,
        None => 0.0,
    };
    draw_bad(&SeededDraws::from_request(request), probability)
}

/// Rates the last turn in view.
///
/// With nothing in view: the middle where there is one, else good and bad at the settings' base
/// rate.
fn rate_quality(settings: &SimSettings, request: &Request) -> SimFinding {
    let draws = SeededDraws::from_request(request);
    let sway = compute_sway(settings, request);
    let row = |row: JudgeRow| {
        if sway > 0.0 {
            draw_from_row(&draws, row.with_sway(sway))
        } else {
            draw_from_row(&draws, row)
        }
    };
    let bad = |probability: f64| draw_bad(&draws, (probability + sway).min(1.0));
    match (truth::find_target_quality(request), has_middle(request)) {
        (Some(Quality::Good), true) => row(settings.judge_if_correct),
        (Some(Quality::Bad), true) => row(settings.judge_if_incorrect),
        (None, true) => SimFinding::Middle,
        (Some(Quality::Good), false) => bad(1.0 - settings.evaluator_specificity),
        (Some(Quality::Bad), false) => bad(settings.evaluator_sensitivity),
        (None, false) => draw_bad(&draws, settings.unsafe_rate),
    }
}

/// Returns the addition to the probability of a bad finding.
fn compute_sway(settings: &SimSettings, request: &Request) -> f64 {
    match (request.context.role, truth::find_last_trick(request)) {
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

/// Picks the better of the first two candidates in view; a tie with fewer.
///
/// The draws are keyed by the pair and the judge, not by the order in which the pair is shown:
/// without position bias a judge finds the same in both orders.
fn pick_candidate(settings: &SimSettings, request: &Request) -> SimFinding {
    let Some(pair) = truth::find_candidates(request) else {
        return draw_tie(request, &SeededDraws::from_request(request));
    };
    let draws = SeededDraws::from_pair(request, &pair);
    let [first, second] = &pair;
    if draws.draw_bool("position", settings.position_bias) {
        return SimFinding::Good;
    }
    let is_first_better = match (first.quality, second.quality) {
        (Quality::Good, Quality::Bad) => draws.draw_bool("pick", settings.pick_accuracy),
        (Quality::Bad, Quality::Good) => !draws.draw_bool("pick", settings.pick_accuracy),
        (Quality::Good, Quality::Good) | (Quality::Bad, Quality::Bad) => {
            if has_middle(request) && draws.draw_bool("tie", settings.tie_rate) {
                return SimFinding::Middle;
            }
            // A fair draw between the two, independent of their order.
            draws.draw_bool("favourite", 0.5) == (first.place < second.place)
        }
    };
    if is_first_better {
        SimFinding::Good
    } else {
        SimFinding::Bad
    }
}

fn draw_tie(request: &Request, draws: &SeededDraws) -> SimFinding {
    if has_middle(request) {
        SimFinding::Middle
    } else if draws.draw_bool("tie", 0.5) {
        SimFinding::Good
    } else {
        SimFinding::Bad
    }
}

fn has_middle(request: &Request) -> bool {
    request
        .context
        .choices
        .iter()
        .any(|c| c.value.abs() < MIDDLE)
}

/// Picks the choice nearest to a finding.
pub(super) fn nearest_choice(choices: &[LabelChoice], finding: SimFinding) -> Option<&LabelChoice> {
    let target_value = match finding {
        SimFinding::Good => 1.0,
        SimFinding::Middle => 0.0,
        SimFinding::Bad => -1.0,
    };
    let distance = |choice: &LabelChoice| (choice.value - target_value).abs();
    choices
        .iter()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

fn draw_bad(draws: &SeededDraws, probability: f64) -> SimFinding {
    if draws.draw_bool("finding", probability) {
        SimFinding::Bad
    } else {
        SimFinding::Good
    }
}

fn draw_from_row(draws: &SeededDraws, row: JudgeRow) -> SimFinding {
    let at = draws.draw_uniform("finding") * (row.good + row.middle + row.bad);
    if at < row.good {
        SimFinding::Good
    } else if at < row.good + row.middle {
        SimFinding::Middle
    } else {
        SimFinding::Bad
    }
}
