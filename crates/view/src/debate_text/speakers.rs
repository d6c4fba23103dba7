//! Speakers of a game, read off its protocol: no game has code of its own here.
//!
//! Chairs whose turns are judged one by one are on top; other speakers (personas, critic, rebuttal
//! …) form the band below. Where no turn is judged, all are on top.

use elenchus_game::debate::event::Created;
use elenchus_game::debate::protocol::{Protocol, SeatKind};
use elenchus_game::debate::{Chair, State};
use std::collections::BTreeSet;

/// The speakers of a debate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpeakerChart {
    pub top: Vec<Chair>,
    pub band: Vec<Chair>,
}

impl SpeakerChart {
    /// Reads the speakers off a protocol.
    pub fn from_protocol(protocol: &Protocol) -> Self {
        let mut chart = Self::default();
        for seat in &protocol.seats {
            if seat.kind != SeatKind::Speaker {
                continue;
            }
            let chairs = (0..seat.count).map(|index| Chair {
                seat: seat.id.clone(),
                index,
            });
            if protocol.is_judged(&seat.id) {
                chart.top.extend(chairs);
            } else {
                chart.band.extend(chairs);
            }
        }
        if chart.top.is_empty() {
            std::mem::swap(&mut chart.top, &mut chart.band);
        }
        chart
    }

    /// Returns every chair that speaks, in the order of the tab strip.
    pub fn chairs(&self) -> impl Iterator<Item = &Chair> {
        self.top.iter().chain(&self.band)
    }
}

/// Names a speaker, with its model where speakers have different ones, as `Debater 1 (qwen2.5-7b)`.
pub fn speaker_title(state: &State, chair: &Chair) -> String {
    let name = state.name_of(chair);
    let created = state
        .first_event()
        .filter(|created| has_several_models(created));
    let model = created.and_then(|created| created.player_of(chair)?.as_model());
    match model {
        Some(player) => format!("{name} ({})", player.model),
        None => name,
    }
}

/// Says whether the speakers of a debate have different models.
fn has_several_models(created: &Created) -> bool {
    let is_speaker = |chair: &Chair| {
        let seat = created.protocol.find_seat(&chair.seat);
        seat.is_some_and(|seat| seat.kind == SeatKind::Speaker)
    };
    let speakers = created.cast.iter().filter(|one| is_speaker(&one.chair));
    let models = speakers.filter_map(|one| one.player.as_model());
    models
        .map(|player| &player.model)
        .collect::<BTreeSet<_>>()
        .len()
        > 1
}
