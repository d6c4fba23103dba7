//! Panes of a debate, read off its protocol: no game has code of its own here.

use elenchus_game::debate::Chair;
use elenchus_view::debate_text::{Block, BlockSource, SpeakerChart};

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

impl Pane {
    /// Says whether turns stand in it, so that the cursor is in it.
    pub(super) fn has_turns(&self) -> bool {
        match self {
            Pane::Transcript | Pane::Chair(_) => true,
            Pane::Record | Pane::Rail => false,
        }
    }

    /// Returns what stands in it, in the order of the game.
    pub(super) fn list_blocks(&self, source: &BlockSource<'_>) -> Vec<Block> {
        match self {
            Pane::Transcript => source.build_transcript(),
            Pane::Chair(chair) => source.chair_blocks(chair),
            Pane::Record => source.build_record(),
            Pane::Rail => Vec::new(),
        }
    }

    /// Says whether it is a chair's own.
    pub(super) fn is_of(&self, chair: &Chair) -> bool {
        matches!(self, Pane::Chair(own) if own == chair)
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

impl DebateView {
    /// Returns every pane of the view in the order of the tab strip.
    pub(super) fn list_panes(self, chart: &SpeakerChart) -> Vec<Pane> {
        let mut panes: Vec<Pane> = match self {
            DebateView::Transcript => vec![Pane::Transcript],
            DebateView::Panes => chart.chairs().cloned().map(Pane::Chair).collect(),
        };
        panes.push(Pane::Record);
        panes.push(Pane::Rail);
        panes
    }
}
