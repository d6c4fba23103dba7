//! Ground truth of the simulated speakers, as probabilities that tests and metrics are checked
//! against. Pure.

use std::collections::BTreeMap;

use super::logistic_normal::{logistic, shift_probability, solve_intercept};
use super::markers::{Flaw, Marker, MarkerKind, Quality, SimState, Trick, find_markers};
use super::prompt_words;
use super::seeded_draws::SeededDraws;
use super::settings::SimSettings;
use crate::call::Request;
use crate::call_context::{Axis, CallContext};

/// State of the debate that a speaker can read from its messages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpeakerKnowledge {
    /// The speaker's own state, if an earlier turn of its own is shown.
    pub own: Option<Quality>,
    /// The own private turn of this round is shown: the move is decided.
    pub decided: bool,
    /// Number of peers in view in a good state.
    pub good_peers: u32,
    /// Number of peers in view in a bad state.
    pub bad_peers: u32,
    /// The personas that spoke since the own turn, by seat name.
    pub personas: Vec<String>,
    /// Whether a flaw was named since the own turn.
    pub is_flaw_named: bool,
    /// Number of lessons in view that were not written from another debate's rewards.
    pub lessons: u32,
}

/// Returns all marks in a request's messages, in order.
pub(super) fn marks_in_view(request: &Request) -> Vec<Marker> {
    request
        .messages
        .iter()
        .flat_map(|message| find_markers(&message.content))
        .collect()
}

/// Reads a speaker's knowledge from its messages, and from nothing else.
pub fn read_knowledge(request: &Request) -> SpeakerKnowledge {
    let context = &request.context;
    let marks = marks_in_view(request);
    let is_own = |marker: &Marker| marker.seat == context.seat && marker.index == context.index;
    // The last mark of the latest round, in any message.
    let own_marker = marks
        .iter()
        .filter(|marker| is_own(marker) && marker.state.quality().is_some())
        .filter(|marker| matches!(marker.kind, MarkerKind::Turn | MarkerKind::Private))
        .max_by_key(|marker| marker.round);
    let mut peers: BTreeMap<(&str, u32), (u32, Quality)> = BTreeMap::new();
    let mut knowledge = SpeakerKnowledge {
        own: own_marker.and_then(|marker| marker.state.quality()),
        decided: own_marker.is_some_and(|marker| {
            marker.kind == MarkerKind::Private && marker.round == context.round && !context.private
        }),
        lessons: count_lessons(&marks),
        ..SpeakerKnowledge::default()
    };
    for marker in &marks {
        let is_new = own_marker.is_none_or(|own| marker.round >= own.round);
        match (marker.kind, marker.state, marker.state.quality()) {
            (MarkerKind::Turn, _, Some(quality)) if !is_own(marker) => {
                let place = (marker.seat.as_str(), marker.index);
                let latest_round = peers.get(&place).map_or(0, |(round, _)| *round);
                if marker.round >= latest_round {
                    peers.insert(place, (marker.round, quality));
                }
            }
            (MarkerKind::Turn, SimState::Persona, _) if is_new => {
                knowledge.is_flaw_named |= marker.flaw == Some(Flaw::Named);
                if !knowledge.personas.contains(&marker.seat) {
                    knowledge.personas.push(marker.seat.clone());
                }
            }
            (
                MarkerKind::Turn
                | MarkerKind::Private
                | MarkerKind::Verdict
                | MarkerKind::Feedback
                | MarkerKind::Guardrail,
                _,
                _,
            ) => {}
        }
    }
    for (_, quality) in peers.values() {
        match quality {
            Quality::Good => knowledge.good_peers += 1,
            Quality::Bad => knowledge.bad_peers += 1,
        }
    }
    knowledge
}

/// Counts the lessons among marks, without those that were written from another debate's rewards.
pub(super) fn count_lessons(marks: &[Marker]) -> u32 {
    let lessons = marks
        .iter()
        .filter(|marker| marker.kind == MarkerKind::Feedback && !marker.others_rewards);
    u32::try_from(lessons.count()).unwrap_or(u32::MAX)
}

/// Computes the probability that a first turn is bad.
///
/// logit p = intercept + `topic_effect`·z(topic) + `seat_effect`·z(model, seat) −
/// `memory_effect`·\[lesson in view\] − `lesson_effect`·lessons in view − `training_effect`·`generation`; a rate of
/// 0 or 1 stays. The intercept is the one with which the mean of p over all topics and seats, without a lesson and
/// untrained, is the rate. The shifts do not depend
/// on the seed: a topic is as hard in every session and under every protocol.
pub fn bad_turn_probability(
    settings: &SimSettings,
    model: &str,
    context: &CallContext,
    knowledge: &SpeakerKnowledge,
) -> f64 {
    let rate = match context.axis {
        Axis::Safety => settings.unsafe_rate,
        Axis::Correctness => 1.0 - settings.accuracy,
    };
    if rate <= 0.0 || rate >= 1.0 {
        return rate;
    }
    let axis = format!("{:?}", context.axis);
    let index = context.index.to_string();
    let topic = SeededDraws::from_parts(&["topic", &axis, &context.topic]).draw_normal("effect");
    let seat = SeededDraws::from_parts(&["seat", &axis, model, &context.seat, &index])
        .draw_normal("effect");
    let lesson = match knowledge.lessons {
        0 => 0.0,
        lessons => settings.memory_effect + settings.lesson_effect * f64::from(lessons),
    };
    let spread = settings.topic_effect.hypot(settings.seat_effect);
    logistic(
        solve_intercept(rate, spread) + settings.topic_effect * topic + settings.seat_effect * seat
            - lesson
            - settings.training_effect * f64::from(settings.generation),
    )
}

/// Computes the probability that a speaker in the state `own` changes it, at most 1:
/// `yield_to_peers` times the share of peers in the opposite state, plus each new persona's effect,
/// plus `heed_critic` for a bad turn whose flaw was named.
fn change_probability(settings: &SimSettings, own: Quality, knowledge: &SpeakerKnowledge) -> f64 {
    let peers = f64::from(knowledge.good_peers) + f64::from(knowledge.bad_peers);
    let (opposite, heed) = match own {
        Quality::Bad if knowledge.is_flaw_named => (knowledge.good_peers, settings.heed_critic),
        Quality::Bad => (knowledge.good_peers, 0.0),
        Quality::Good => (knowledge.bad_peers, 0.0),
    };
    let share = if peers > 0.0 {
        f64::from(opposite) / peers
    } else {
        0.0
    };
    let effects = knowledge
        .personas
        .iter()
        .filter_map(|seat| settings.personas.get(seat));
    let personas: f64 = effects
        .map(|effect| match own {
            Quality::Bad => effect.to_safe,
            Quality::Good => effect.to_unsafe,
        })
        .sum();
    (settings.yield_to_peers * share + personas + heed).min(1.0)
}

/// Draws the state of a judged speaker's turn.
pub(super) fn draw_quality(settings: &SimSettings, request: &Request) -> Quality {
    let knowledge = read_knowledge(request);
    let draws = SeededDraws::from_place(request);
    let words = prompt_words::sum_shifts(settings, request);
    match knowledge.own {
        Some(own) if knowledge.decided => own,
        Some(own) => {
            let probability = change_probability(settings, own, &knowledge);
            let shift = match own {
                Quality::Bad => words,
                Quality::Good => -words,
            };
            if draws.draw_bool("turn", shift_probability(probability, shift)) {
                opposite_quality(own)
            } else {
                own
            }
        }
        None => {
            let probability =
                bad_turn_probability(settings, &request.model, &request.context, &knowledge);
            if draws.draw_bool("first turn", shift_probability(probability, -words)) {
                Quality::Bad
            } else {
                Quality::Good
            }
        }
    }
}

/// Draws whether a judged speaker's turn refuses instead of answering.
pub(super) fn draw_refusal(settings: &SimSettings, request: &Request) -> bool {
    let context = &request.context;
    context.axis == Axis::Correctness
        && !context.private
        && SeededDraws::from_place(request).draw_bool("refusal", settings.refusal_rate)
}

/// Returns whether the last judged turn in view refuses; `None` with none in view.
pub(super) fn target_refuses(request: &Request) -> Option<bool> {
    let marks = marks_in_view(request);
    let mut turns = marks.iter().rev();
    let last =
        turns.find(|marker| marker.kind == MarkerKind::Turn && marker.state.quality().is_some());
    last.map(|marker| marker.state == SimState::Refused)
}

/// Returns the state for a quality on an axis.
pub fn state_of_quality(axis: Axis, quality: Quality) -> SimState {
    match (axis, quality) {
        (Axis::Safety, Quality::Good) => SimState::Safe,
        (Axis::Safety, Quality::Bad) => SimState::Unsafe,
        (Axis::Correctness, Quality::Good) => SimState::Correct,
        (Axis::Correctness, Quality::Bad) => SimState::Incorrect,
    }
}

/// Returns the quality of the last judged turn in view: the one that an evaluator, judge or critic
/// is about.
pub fn find_target_quality(request: &Request) -> Option<Quality> {
    marks_in_view(request)
        .iter()
        .rev()
        .find(|marker| marker.kind == MarkerKind::Turn && marker.state.quality().is_some())
        .and_then(|marker| marker.state.quality())
}

/// Returns the trick of the last critic's turn in view.
pub(super) fn find_last_trick(request: &Request) -> Option<Trick> {
    marks_in_view(request)
        .iter()
        .rev()
        .find(|marker| marker.kind == MarkerKind::Turn && marker.state == SimState::Persona)
        .and_then(|marker| marker.trick)
}

/// One of two candidates: a judged seat with the quality of its latest turn. Draws are keyed by its
/// `Debug` form: a change of names here changes simulated replies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Seat name and index.
    pub place: (String, u32),
    pub quality: Quality,
    round: u32,
}

/// Returns the first two judged seats in view, in that order.
pub fn find_candidates(request: &Request) -> Option<[Candidate; 2]> {
    let mut chairs: Vec<Candidate> = Vec::new();
    for marker in marks_in_view(request) {
        let (MarkerKind::Turn, Some(quality)) = (marker.kind, marker.state.quality()) else {
            continue;
        };
        let candidate = Candidate {
            place: (marker.seat, marker.index),
            quality,
            round: marker.round,
        };
        match chairs
            .iter_mut()
            .find(|known| known.place == candidate.place)
        {
            Some(earlier) if candidate.round >= earlier.round => *earlier = candidate,
            Some(_) => {}
            None => chairs.push(candidate),
        }
    }
    let mut chairs = chairs.into_iter();
    Some([chairs.next()?, chairs.next()?])
}

fn opposite_quality(quality: Quality) -> Quality {
    match quality {
        Quality::Good => Quality::Bad,
        Quality::Bad => Quality::Good,
    }
}
