//! Findings of the simulated evaluator and judge. Pure.

use super::logistic_normal::shift_probability;
use super::markers::{Flaw, MarkerKind, Quality, SimState, Trick};
use super::prompt_words;
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
    let shift = prompt_words::sum_shifts(settings, request);
    match choose_question(settings, request) {
        JudgeTask::Quality => rate_quality(settings, request, shift),
        JudgeTask::Pick => pick_candidate(settings, request, shift),
        JudgeTask::Refusal => read_refusal(settings, request, shift),
        task @ (JudgeTask::Stance
        | JudgeTask::BackStab
        | JudgeTask::Spurious
        | JudgeTask::PrivateAcceptance) => detect_trick(settings, request, task, shift),
    }
}

/// Returns the question that a request is taken to ask: a detector's is about a critic's turn where the
/// settings say how it errs, and else, as in earlier versions, about the proposal that the critic had.
pub(super) fn choose_question(settings: &SimSettings, request: &Request) -> JudgeTask {
    match request.context.question {
        JudgeTask::Stance
        | JudgeTask::BackStab
        | JudgeTask::Spurious
        | JudgeTask::PrivateAcceptance
            if settings.detector_error.is_none() =>
        {
            JudgeTask::Quality
        }
        question => question,
    }
}

/// Reads the last critic's turn in view, with the settings' error; the middle with none in view.
fn detect_trick(
    settings: &SimSettings,
    request: &Request,
    task: JudgeTask,
    shift: f64,
) -> SimFinding {
    let marks = truth::marks_in_view(request);
    let mut turns = marks.iter().rev();
    let last = turns.find(|mark| (mark.kind, mark.state) == (MarkerKind::Turn, SimState::Persona));
    let Some(last) = last else {
        return SimFinding::Middle;
    };
    let is_it = match task {
        JudgeTask::Spurious => last.trick == Some(Trick::Spurious),
        JudgeTask::BackStab => last.trick == Some(Trick::BackStab),
        // A spurious critique rejects, although it names nothing.
        JudgeTask::Stance => last.flaw != Some(Flaw::NotNamed),
        JudgeTask::PrivateAcceptance => {
            let mut thoughts = marks.iter().rev();
            let thought = thoughts.find(|mark| {
                mark.kind == MarkerKind::Private
                    && (&mark.seat, mark.index) == (&last.seat, last.index)
            });
            let Some(thought) = thought else {
                return SimFinding::Middle;
            };
            last.flaw != Some(Flaw::NotNamed) && thought.flaw == Some(Flaw::NotNamed)
        }
        JudgeTask::Quality | JudgeTask::Pick | JudgeTask::Refusal => return SimFinding::Middle,
    };
    let error = settings.detector_error.unwrap_or_default();
    let right = shift_probability(1.0 - error, shift);
    let probability = if is_it { right } else { 1.0 - right };
    draw_bad(&SeededDraws::from_request(request), probability)
}

/// Reads whether the last judged turn in view refuses; with nothing in view it finds no refusal.
fn read_refusal(settings: &SimSettings, request: &Request, shift: f64) -> SimFinding {
    let probability = match truth::target_refuses(request) {
        Some(true) => shift_probability(settings.evaluator_sensitivity, shift),
        Some(false) => 1.0 - shift_probability(settings.evaluator_specificity, shift),
        None => 0.0,
    };
    draw_bad(&SeededDraws::from_request(request), probability)
}

/// Rates the last turn in view.
///
/// With nothing in view: the middle where there is one, else good and bad at the settings' base
/// rate.
fn rate_quality(settings: &SimSettings, request: &Request, shift: f64) -> SimFinding {
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
        (Some(Quality::Good), true) => row(settings.judge_if_correct.with_shift(shift, 0.0)),
        (Some(Quality::Bad), true) => row(settings.judge_if_incorrect.with_shift(0.0, shift)),
        (None, true) => SimFinding::Middle,
        (Some(Quality::Good), false) => {
            bad(1.0 - shift_probability(settings.evaluator_specificity, shift))
        }
        (Some(Quality::Bad), false) => {
            bad(shift_probability(settings.evaluator_sensitivity, shift))
        }
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
fn pick_candidate(settings: &SimSettings, request: &Request, shift: f64) -> SimFinding {
    let Some(pair) = truth::find_candidates(request) else {
        return draw_tie(request, &SeededDraws::from_request(request));
    };
    let draws = SeededDraws::from_pair(request, &pair);
    let [first, second] = &pair;
    if draws.draw_bool("position", settings.position_bias) {
        return SimFinding::Good;
    }
    let accuracy = shift_probability(settings.pick_accuracy, shift);
    let is_first_better = match (first.quality, second.quality) {
        (Quality::Good, Quality::Bad) => draws.draw_bool("pick", accuracy),
        (Quality::Bad, Quality::Good) => !draws.draw_bool("pick", accuracy),
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
