//! Ground truth of the simulated speakers, as probabilities that tests and metrics are checked
//! against. Pure.

use std::collections::BTreeMap;

use super::logistic_normal::{intercept, logistic};
use super::markers::{Flaw, Marker, MarkerKind, Quality, SimState, Trick, markers};
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
    pub flaw_named: bool,
    /// Whether a lesson is shown.
    pub lesson: bool,
}

/// Returns all marks in a request's messages, in order.
pub(super) fn marks_in_view(request: &Request) -> Vec<Marker> {
    request
        .messages
        .iter()
        .flat_map(|message| markers(&message.content))
        .collect()
}

/// Reads a speaker's knowledge from its messages, and from nothing else.
pub fn read_knowledge(request: &Request) -> SpeakerKnowledge {
    let hint = &request.hint;
    let shown = marks_in_view(request);
    let is_own = |marker: &Marker| marker.seat == hint.seat && marker.index == hint.index;
    // The last mark of the latest round, in any message.
    let own = shown
        .iter()
        .filter(|marker| is_own(marker) && marker.state.quality().is_some())
        .filter(|marker| matches!(marker.kind, MarkerKind::Turn | MarkerKind::Private))
        .max_by_key(|marker| marker.round);
    let mut peers: BTreeMap<(&str, u32), (u32, Quality)> = BTreeMap::new();
    let mut seen = SpeakerKnowledge {
        own: own.and_then(|marker| marker.state.quality()),
        decided: own.is_some_and(|marker| {
            marker.kind == MarkerKind::Private && marker.round == hint.round && !hint.private
        }),
        ..SpeakerKnowledge::default()
    };
    for marker in &shown {
        let is_new = own.is_none_or(|own| marker.round >= own.round);
        match (marker.kind, marker.state, marker.state.quality()) {
            (MarkerKind::Turn, _, Some(quality)) if !is_own(marker) => {
                let place = (marker.seat.as_str(), marker.index);
                let known = peers.get(&place).map_or(0, |(round, _)| *round);
                if marker.round >= known {
                    peers.insert(place, (marker.round, quality));
                }
            }
            (MarkerKind::Turn, SimState::Persona, _) if is_new => {
                seen.flaw_named |= marker.flaw == Some(Flaw::Named);
                if !seen.personas.contains(&marker.seat) {
                    seen.personas.push(marker.seat.clone());
                }
            }
            (MarkerKind::Feedback, _, _) => seen.lesson = true,
            (
                MarkerKind::Turn
                | MarkerKind::Private
                | MarkerKind::Verdict
                | MarkerKind::Guardrail,
                _,
                _,
            ) => {}
        }
    }
    for (_, quality) in peers.values() {
        match quality {
            Quality::Good => seen.good_peers += 1,
            Quality::Bad => seen.bad_peers += 1,
        }
    }
    seen
}

/// Computes the probability that a first turn is bad.
///
/// logit p = intercept + `topic_effect`·z(topic) + `seat_effect`·z(model, seat) −
/// `memory_effect`·\[lesson in view\]; a rate of 0 or 1 stays. The intercept is the one with which
/// the mean of p over all topics and seats, without a lesson, is the rate. The shifts do not depend
/// on the seed: a topic is as hard in every session and under every protocol.
pub fn first_turn_bad(
    settings: &SimSettings,
    model: &str,
    hint: &CallContext,
    seen: &SpeakerKnowledge,
) -> f64 {
    let rate = match hint.axis {
        Axis::Safety => settings.unsafe_rate,
        Axis::Correctness => 1.0 - settings.accuracy,
    };
    if rate <= 0.0 || rate >= 1.0 {
        return rate;
    }
    let axis = format!("{:?}", hint.axis);
    let index = hint.index.to_string();
    let topic = SeededDraws::keyed_by(&["topic", &axis, &hint.topic]).normal("effect");
    let seat = SeededDraws::keyed_by(&["seat", &axis, model, &hint.seat, &index]).normal("effect");
    let lesson = if seen.lesson {
        settings.memory_effect
    } else {
        0.0
    };
    let spread = settings.topic_effect.hypot(settings.seat_effect);
    logistic(
        intercept(rate, spread) + settings.topic_effect * topic + settings.seat_effect * seat
            - lesson,
    )
}

/// Computes the probability that a speaker in the state `own` changes it, at most 1:
/// `yield_to_peers` times the share of peers in the opposite state, plus each new persona's effect,
/// plus `heed_critic` for a bad turn whose flaw was named.
fn change_probability(settings: &SimSettings, own: Quality, seen: &SpeakerKnowledge) -> f64 {
    let peers = f64::from(seen.good_peers) + f64::from(seen.bad_peers);
    let (opposite, heed) = match own {
        Quality::Bad if seen.flaw_named => (seen.good_peers, settings.heed_critic),
        Quality::Bad => (seen.good_peers, 0.0),
        Quality::Good => (seen.bad_peers, 0.0),
    };
    let share = if peers > 0.0 {
        f64::from(opposite) / peers
    } else {
        0.0
    };
    let effects = seen
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
    let seen = read_knowledge(request);
    let draws = SeededDraws::of_place(request);
    match seen.own {
        Some(own) if seen.decided => own,
        Some(own) => {
            if draws.happens("turn", change_probability(settings, own, &seen)) {
                opposite(own)
            } else {
                own
            }
        }
        None => {
            let bad = first_turn_bad(settings, &request.model, &request.hint, &seen);
            if draws.happens("first turn", bad) {
                Quality::Bad
            } else {
                Quality::Good
            }
        }
    }
}

/// Draws whether a judged speaker's turn refuses instead of answering.
pub(super) fn draw_refusal(settings: &SimSettings, request: &Request) -> bool {
    let hint = &request.hint;
    hint.axis == Axis::Correctness
        && !hint.private
        && SeededDraws::of_place(request).happens("refusal", settings.refusal_rate)
}

/// Returns whether the last judged turn in view refuses; `None` with none in view.
pub(super) fn target_refuses(request: &Request) -> Option<bool> {
    let shown = marks_in_view(request);
    let mut turns = shown.iter().rev();
    let last =
        turns.find(|marker| marker.kind == MarkerKind::Turn && marker.state.quality().is_some());
    last.map(|marker| marker.state == SimState::Refused)
}

/// Returns the state for a quality on an axis.
pub fn state(axis: Axis, quality: Quality) -> SimState {
    match (axis, quality) {
        (Axis::Safety, Quality::Good) => SimState::Safe,
        (Axis::Safety, Quality::Bad) => SimState::Unsafe,
        (Axis::Correctness, Quality::Good) => SimState::Correct,
        (Axis::Correctness, Quality::Bad) => SimState::Incorrect,
    }
}

/// Returns the quality of the last judged turn in view: the one that an evaluator, judge or critic
/// is about.
pub fn target(request: &Request) -> Option<Quality> {
    marks_in_view(request)
        .iter()
        .rev()
        .find(|marker| marker.kind == MarkerKind::Turn && marker.state.quality().is_some())
        .and_then(|marker| marker.state.quality())
}

/// Returns the trick of the last critic's turn in view.
pub(super) fn last_trick(request: &Request) -> Option<Trick> {
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
pub fn candidates(request: &Request) -> Option<[Candidate; 2]> {
    let mut chairs: Vec<Candidate> = Vec::new();
    for marker in marks_in_view(request) {
        let (MarkerKind::Turn, Some(quality)) = (marker.kind, marker.state.quality()) else {
            continue;
        };
        let found = Candidate {
            place: (marker.seat, marker.index),
            quality,
            round: marker.round,
        };
        match chairs.iter_mut().find(|known| known.place == found.place) {
            Some(known) if found.round >= known.round => *known = found,
            Some(_) => {}
            None => chairs.push(found),
        }
    }
    let mut chairs = chairs.into_iter();
    Some([chairs.next()?, chairs.next()?])
}

fn opposite(quality: Quality) -> Quality {
    match quality {
        Quality::Good => Quality::Bad,
        Quality::Bad => Quality::Good,
    }
}
