//! Where a run is looked at first: its first unsafe turn, else its first debate, and what is said of it.

use super::{debate_row, turn_id};
use crate::workspace::error::{Result, reject};
use crate::workspace::session::read_session_without_views;
use crate::workspace::whole_runs::read_whole_run;
use crate::workspace::{StoreContext, example_of};
use elenchus_game::debate::RunId;
use elenchus_game::debate::ids::{SessionId, TurnId};
use elenchus_metrics::{DebateRow, TurnSafety};
use elenchus_store::Layout;
use elenchus_text::format_noun_count;

/// Existence of an unsafe turn in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsafeTurn {
    There,
    None,
    /// Nothing is known of any turn: no verdict could be read, of so many.
    Unknown {
        unparsed: usize,
    },
}

/// What is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookedAt {
    Run(RunId),
    Session(SessionId),
}

/// Place at which a run or a session is looked at first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstLook {
    pub of: LookedAt,
    pub session: SessionId,
    pub turn: Option<TurnId>,
    pub unsafe_turn: UnsafeTurn,
}

/// Counts of turns, as far as it matters whether one is unsafe.
#[derive(Debug, Clone, Copy, Default)]
struct TurnCounts {
    unsafe_turns: usize,
    otherwise_known: usize,
    unparsed: usize,
}

impl TurnCounts {
    fn add_row(&mut self, row: &DebateRow) {
        for turn in &row.turns {
            match turn.state {
                TurnSafety::Unsafe => self.unsafe_turns += 1,
                TurnSafety::Safe | TurnSafety::Neither | TurnSafety::RefusedByGuardrail => {
                    self.otherwise_known += 1;
                }
                TurnSafety::Unparsed | TurnSafety::UnparsedOfMaterial => self.unparsed += 1,
                TurnSafety::Failed
                | TurnSafety::Filtered
                | TurnSafety::VerdictFiltered
                | TurnSafety::Empty
                | TurnSafety::NotJudged
                | TurnSafety::Context => {}
            }
        }
    }

    fn find_unsafe(self) -> UnsafeTurn {
        match (self.unsafe_turns, self.otherwise_known, self.unparsed) {
            (0, 0, unparsed @ 1..) => UnsafeTurn::Unknown { unparsed },
            (0, _, _) => UnsafeTurn::None,
            (_, _, _) => UnsafeTurn::There,
        }
    }
}

impl UnsafeTurn {
    /// Finds out whether any turn of some debates is unsafe.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = &'a DebateRow>) -> Self {
        let mut counts = TurnCounts::default();
        rows.into_iter().for_each(|row| counts.add_row(row));
        counts.find_unsafe()
    }

    /// Says why there is no unsafe turn to look at; `None` where there is one.
    pub fn describe_absence(self) -> Option<String> {
        match self {
            UnsafeTurn::There => None,
            UnsafeTurn::None => Some("no unsafe verdict".to_owned()),
            UnsafeTurn::Unknown { unparsed } => Some(format!(
                "nothing could be judged: {}",
                format_noun_count(unparsed, "unparsed verdict")
            )),
        }
    }
}

impl FirstLook {
    /// Says what is looked at.
    pub fn describe(&self) -> String {
        match (self.unsafe_turn.describe_absence(), &self.of) {
            (None, LookedAt::Run(_)) => "the first unsafe turn of the run".to_owned(),
            (None, LookedAt::Session(_)) => "the first unsafe turn in this debate".to_owned(),
            (Some(why), LookedAt::Run(_)) => format!("{why} in this run; its first debate"),
            (Some(why), LookedAt::Session(_)) => format!("{why} in this debate"),
        }
    }
}

/// Returns where a run is looked at first: its first unsafe turn, by the order of its topics and rounds,
/// else its first debate without a turn.
///
/// # Errors
/// When the run or one of its sessions cannot be read, and when no debate of the run is finished.
pub fn first_of_run(layout: &Layout, run: &RunId) -> Result<FirstLook> {
    let state = read_whole_run(layout, run)?;
    let mut counts = TurnCounts::default();
    for done in state.finished.values() {
        let session = read_session_without_views(&layout.session_path(done.session.as_str())?)?;
        let Some(row) = debate_row(&done.session, &session) else {
            continue;
        };
        if let Some(turn) = find_unsafe_turn(&row) {
            return Ok(FirstLook {
                of: LookedAt::Run(run.clone()),
                session: done.session.clone(),
                turn: Some(turn),
                unsafe_turn: UnsafeTurn::There,
            });
        }
        counts.add_row(&row);
    }
    let Some(first_finished) = state.finished.values().next() else {
        return reject(format!(
            "no debate of run {run} is finished; go on with: elenchus run --resume {run}"
        ));
    };
    Ok(FirstLook {
        of: LookedAt::Run(run.clone()),
        session: first_finished.session.clone(),
        turn: None,
        unsafe_turn: counts.find_unsafe(),
    })
}

/// Returns where a session is looked at first: its first unsafe turn by the order of its rounds, else its beginning.
///
/// # Errors
/// When it cannot be read.
pub fn first_of_session(store: &StoreContext, session: &SessionId) -> Result<FirstLook> {
    let state = match example_of(store, session) {
        Some(example) => example.fold_state()?,
        None => read_session_without_views(&store.layout.session_path(session.as_str())?)?,
    };
    let row = debate_row(session, &state);
    Ok(FirstLook {
        of: LookedAt::Session(session.clone()),
        session: session.clone(),
        turn: row.as_ref().and_then(find_unsafe_turn),
        unsafe_turn: UnsafeTurn::from_rows(&row),
    })
}

fn find_unsafe_turn(row: &DebateRow) -> Option<TurnId> {
    let turns = row.turns.iter();
    let unsafe_turns = turns.filter(|turn| turn.state == TurnSafety::Unsafe);
    unsafe_turns.min_by_key(|turn| turn.round).map(turn_id)
}
