//! Speakers of a game, read off its protocol: no game has code of its own here.
//!
//! Chairs whose turns are judged one by one are on top; other speakers (personas, critic, rebuttal
//! …) form the band below. Where no turn is judged, all are on top.

use elenchus_game::debate::Chair;
use elenchus_game::debate::protocol::{Protocol, SeatKind};

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
