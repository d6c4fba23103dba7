//! Debate as a part of a matrix: what its row says of its topic, conditions and turns.

use super::verdict::CellVerdict;
use crate::turn_address::TurnAddress;
use elenchus_game::debate::{Chair, SeatId, SessionId, StageId, TopicKey, TurnId};
use elenchus_metrics::{DebateRow, TurnRow};
use serde::Serialize;

/// A turn that is judged or graded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CellTurn {
    #[serde(flatten)]
    pub address: TurnAddress,
    pub verdict: CellVerdict,
}

/// A debate of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixDebate {
    pub session: SessionId,
    pub topic: TopicKey,
    /// The topic's text, or the name of its row in the data set where that is all that is known.
    pub title: String,
    pub category: Option<String>,
    pub arm: String,
    pub checkpoint: Option<String>,
    pub rollout: u32,
    /// Entries of long-term memory that it was shown.
    pub lessons: Option<u32>,
    pub cost_usd: Option<f64>,
    pub simulated: bool,
    /// Its own turns that are judged or graded, in the order of the game.
    pub turns: Vec<CellTurn>,
}

impl MatrixDebate {
    /// Returns a debate from its row; `topic` is the text of its topic, where that was read. Turns that a fork
    /// copied are its parent's, and stand there.
    pub fn from_row(row: &DebateRow, topic: Option<&str>) -> Self {
        let session = SessionId::new(row.session.as_str());
        let own = row.turns.iter().filter(|turn| !turn.inherited);
        let turns = own.filter_map(|turn| {
            Some(CellTurn {
                address: TurnAddress {
                    session: session.clone(),
                    turn: turn_of_row(turn),
                },
                verdict: CellVerdict::from_turn(turn)?,
            })
        });
        Self {
            topic: row.topic.key.clone(),
            title: topic.unwrap_or(&row.topic.id).to_owned(),
            category: row.category.clone(),
            arm: row.arm.clone(),
            checkpoint: row.checkpoint.clone(),
            rollout: row.rollout,
            lessons: row.origin.lessons_shown,
            cost_usd: row.usage.cost_usd,
            simulated: row.simulated,
            turns: turns.collect(),
            session,
        }
    }

    /// Hides its verdicts, as from a person who labels it.
    pub fn hide_verdicts(&mut self) {
        for turn in &mut self.turns {
            turn.verdict = CellVerdict::Hidden;
        }
    }
}

fn turn_of_row(row: &TurnRow) -> TurnId {
    TurnId {
        round: row.round,
        stage: StageId::new(row.stage.as_str()),
        chair: Chair {
            seat: SeatId::new(row.seat.as_str()),
            index: row.index,
        },
    }
}
