//! Panes of a debate, read off its protocol: no game has code of its own here.
//!
//! Chairs whose turns are judged one by one are on top; other speakers (personas, critic, rebuttal
//! …) form the band below. Where no turn is judged, all are on top.

use crate::debate::Chair;
use crate::debate::protocol::{Protocol, SeatKind};

/// A pane of the debate screen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Pane {
    /// All turns in the order of speaking.
    Transcript,
    /// Turns of one chair.
    Chair(Chair),
    /// The topic, who plays, what was found about rounds and the debate, the lesson, the end.
    Record,
    /// Rounds × chairs, with what was found about each turn.
    Rail,
}

/// The panes of a debate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Chart {
    pub top: Vec<Chair>,
    pub band: Vec<Chair>,
}

impl Pane {
    /// Says whether turns stand in it, so that the cursor is in it.
    pub(super) fn has_turns(&self) -> bool {
        match self {
            Pane::Transcript | Pane::Chair(_) => true,
            Pane::Record | Pane::Rail => false,
        }
    }

    /// Says whether turns of a chair stand in it.
    pub(super) fn has_turns_of(&self, chair: &Chair) -> bool {
        match self {
            Pane::Transcript => true,
            Pane::Chair(own) => own == chair,
            Pane::Record | Pane::Rail => false,
        }
    }
}

/// Views of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DebateView {
    /// All turns in the order of speaking.
    Transcript,
    /// A pane for each speaker.
    Panes,
}

impl Chart {
    /// Reads the panes off a protocol.
    pub fn of(protocol: &Protocol) -> Self {
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

    /// Returns every pane of a view in the order of the tab strip.
    pub fn panes(&self, view: DebateView) -> Vec<Pane> {
        let mut panes: Vec<Pane> = match view {
            DebateView::Transcript => vec![Pane::Transcript],
            DebateView::Panes => self.chairs().cloned().map(Pane::Chair).collect(),
        };
        panes.push(Pane::Record);
        panes.push(Pane::Rail);
        panes
    }

    /// Returns every chair that speaks, in the order of the tab strip.
    pub fn chairs(&self) -> impl Iterator<Item = &Chair> {
        self.top.iter().chain(&self.band)
    }
}
