//! Replayed lines: turns of a recorded session or run, spoken again without a model.
//!
//! Reads sessions and runs without their locks and never changes one.

use super::scripted::check_lines;
use elenchus_game::debate::event::{ScriptedLine, ScriptedPlayer};
use elenchus_game::debate::{Chair, SessionId, State, Topic};
use elenchus_records::library::Game;
use elenchus_records::workspace::read_session;
use elenchus_records::workspace::run::{ChairLines, RunItem};
use elenchus_records::workspace::run::{RunState, read_run};
use elenchus_records::workspace::{CastError, WorkspaceError};
use elenchus_records::workspace::{find_run, find_session};
use elenchus_store::Layout;

/// Recording that an id after `said:` names.
pub(super) enum Recording {
    Session { id: SessionId, state: Box<State> },
    Run(Box<RunState>),
}

/// Chair that repeats in every debate its turns about the same topic in a run.
#[derive(Debug, Clone)]
pub struct LinesFromRun {
    run: Box<RunState>,
    chair: Chair,
    /// The rollout that is repeated in all of them; `None` for each its own.
    rollout: Option<u32>,
}

/// Finds the session or run that an id, or the beginning or end of one, names.
pub(super) fn find_recording(layout: &Layout, id: &str) -> Result<Recording, CastError> {
    let fault = |error: WorkspaceError| CastError::Lines {
        from: format!("said:{id}"),
        why: error.to_string(),
    };
    let session = match find_session(layout, id) {
        Ok(session) => Some(session),
        Err(WorkspaceError::NoSuch { .. }) => None,
        Err(error) => return Err(fault(error)),
    };
    let run = match find_run(layout, id) {
        Ok(run) => Some(run),
        Err(WorkspaceError::NoSuch { .. }) => None,
        Err(error) => return Err(fault(error)),
    };
    match (session, run) {
        (Some(id), None) => {
            let path = layout
                .session_path(id.as_str())
                .map_err(|error| fault(error.into()))?;
            let state = Box::new(read_session(&path).map_err(fault)?);
            Ok(Recording::Session { id, state })
        }
        (None, Some(id)) => {
            let path = layout
                .run_path(id.as_str())
                .map_err(|error| fault(error.into()))?;
            Ok(Recording::Run(Box::new(read_run(&path).map_err(fault)?)))
        }
        (Some(_), Some(_)) => Err(CastError::Lines {
            from: format!("said:{id}"),
            why: "it fits a session and a run; give more of the id".to_owned(),
        }),
        (None, None) => Err(CastError::Lines {
            from: format!("said:{id}"),
            why:
                "there is no such session or run; 'elenchus ls' and 'elenchus ls --runs' list them"
                    .to_owned(),
        }),
    }
}

/// Returns what a chair said in a session, private turns included, each for its round and stage.
///
/// A seat that had one chair there speaks for every chair of the seat here.
pub(super) fn lines_said_by(
    state: &State,
    chair: &Chair,
    from: &str,
) -> Result<Vec<ScriptedLine>, CastError> {
    let protocol = state.protocol();
    let seat = protocol.and_then(|protocol| protocol.find_seat(&chair.seat));
    let there = Chair {
        seat: chair.seat.clone(),
        index: match seat.map(|seat| seat.count) {
            Some(1) => 0,
            Some(_) | None => chair.index,
        },
    };
    let lines: Vec<ScriptedLine> = state
        .turns()
        .iter()
        .filter(|(turn, _)| turn.chair == there)
        .filter_map(|(turn, known)| {
            Some(ScriptedLine {
                round: Some(turn.round),
                stage: Some(turn.stage.clone()),
                text: known.chosen_attempt()?.reply.text.clone(),
            })
        })
        .collect();
    if lines.is_empty() {
        return Err(CastError::Lines {
            from: from.to_owned(),
            why: format!("{chair} has no turn there"),
        });
    }
    Ok(lines)
}

impl LinesFromRun {
    pub(crate) fn new(run: Box<RunState>, chair: Chair, rollout: Option<u32>) -> Self {
        Self {
            run,
            chair,
            rollout,
        }
    }

    /// Returns what the chair says in a debate about `topic`: what it said in the run's debate
    /// about the same topic, of the same rollout or of the one that was named.
    ///
    /// # Errors
    /// When the run had no such debate, it cannot be read, or a turn of the game has no line.
    pub fn find_lines(
        &self,
        layout: &Layout,
        game: &Game,
        topic: &Topic,
        rollout: u32,
        cast: u32,
    ) -> Result<ChairLines, CastError> {
        let run = &self.run.manifest.run;
        let item = self.find_item(topic, rollout, cast)?;
        let from = format!("run {run}, session {}", item.session);
        let fault = |error: WorkspaceError| CastError::Lines {
            from: from.clone(),
            why: error.to_string(),
        };
        let path = layout
            .session_path(item.session.as_str())
            .map_err(|error| fault(error.into()))?;
        if !path.exists() {
            return Err(CastError::Lines {
                from,
                why: format!("topic '{}' was not played there yet", topic.id),
            });
        }
        let state = read_session(&path).map_err(fault)?;
        let player = ScriptedPlayer {
            lines: lines_said_by(&state, &self.chair, &from)?,
            from,
            simulated: false,
        };
        check_lines(game, &self.chair, &player)?;
        Ok(ChairLines {
            chair: self.chair.clone(),
            lines: player.lines,
        })
    }

    fn find_item(&self, topic: &Topic, rollout: u32, cast: u32) -> Result<&RunItem, CastError> {
        let fault = |why: String| CastError::Lines {
            from: format!("run {}", self.run.manifest.run),
            why,
        };
        let rollout = self.rollout.unwrap_or(rollout);
        let items = self.run.items.iter();
        let mut fitting: Vec<&RunItem> = items
            .filter(|item| item.topic.id == topic.id && item.rollout == rollout)
            .collect();
        if fitting.len() > 1 {
            // A run over every assignment of models has a debate for each.
            fitting.retain(|item| item.cast == cast);
        }
        let Some(item) = fitting.first() else {
            let rollout = match rollout {
                0 => String::new(),
                number => format!(" with rollout {number}"),
            };
            return Err(fault(format!(
                "it has no debate about topic '{}'{rollout}",
                topic.id
            )));
        };
        if item.topic.text != topic.text {
            return Err(fault(format!(
                "its topic '{}' asks something else: lines about it would not fit",
                topic.id
            )));
        }
        Ok(item)
    }
}
