//! Scripted seats: turns come from a file or another session instead of a model.
//!
//! Reads the lines before anything is played and finds the turns that have none. `automatic_steps`
//! performs the turns.

use super::replayed_lines::{LinesFromRun, Recording, find_recording, lines_said_by};
use elenchus_game::debate::event::{Participant, Player, ScriptedLine, ScriptedPlayer};
use elenchus_game::debate::ids::StageId;
use elenchus_game::debate::protocol::{Seat, SeatKind};
use elenchus_game::debate::{Chair, TurnId};
use elenchus_records::library::Game;
use elenchus_records::workspace::CastError;
use elenchus_records::workspace::rows::REPEATED_RUN;
use elenchus_store::Layout;
use serde::Deserialize;
use std::path::Path;

/// Begins the name of a player whose lines are in a file.
pub const FIXED: &str = "fixed:";
/// Begins the name of a player whose lines were said in a session, or in the sessions of a run.
pub const SAID: &str = "said:";
/// The largest file of lines, in bytes.
const MAX_LINES_BYTES: u64 = 1 << 20;

/// A file that says more than one text for every turn.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LinesFile {
    lines: Vec<LineOfFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineOfFile {
    round: Option<u32>,
    stage: Option<StageId>,
    text: String,
}

/// Returns the player that a cast's word describes, still without lines; `None` for other words.
///
/// # Errors
/// When the seat does not speak.
pub(super) fn parse_scripted_player(
    word: &str,
    seat: &Seat,
) -> Result<Option<ScriptedPlayer>, CastError> {
    if !word.starts_with(FIXED) && !word.starts_with(SAID) {
        return Ok(None);
    }
    match seat.kind {
        SeatKind::Speaker => Ok(Some(ScriptedPlayer {
            from: word.to_owned(),
            lines: Vec::new(),
            simulated: false,
        })),
        SeatKind::Judge | SeatKind::Evaluator | SeatKind::Feedback => Err(CastError::NoSpeaker {
            seat: seat.id.to_string(),
            word: word.to_owned(),
        }),
    }
}

/// Reads the lines of every scripted chair.
///
/// Lines of a run differ from topic to topic: they are looked up for each debate, in what this
/// returns.
///
/// # Errors
/// When lines cannot be read, or a turn that the game can come to has none.
pub fn read_lines(
    layout: &Layout,
    game: &Game,
    cast: &mut [Participant],
) -> Result<Vec<LinesFromRun>, CastError> {
    let mut runs = Vec::new();
    for participant in cast {
        let Player::Fixed(player) = &mut participant.player else {
            continue;
        };
        let chair = &participant.chair;
        if let Some(file) = player.from.strip_prefix(FIXED) {
            player.lines = read_lines_file(Path::new(file))?;
            player.from = file.to_owned();
        } else if let Some(source) = player.from.strip_prefix(SAID) {
            let (id, rollout) = id_and_rollout(source)?;
            match find_recording(layout, id)? {
                Recording::Session { .. } if rollout.is_some() => {
                    return Err(CastError::Lines {
                        from: player.from.clone(),
                        why: "a session has no rollouts: name it without one".to_owned(),
                    });
                }
                Recording::Session { id, state } => {
                    player.from = format!("session {id}");
                    player.lines = lines_said_by(&state, chair, &player.from)?;
                }
                Recording::Run(run) => {
                    player.from = format!("{REPEATED_RUN}{}", run.manifest.run);
                    if let Some(rollout) = rollout {
                        player.from.push_str(&format!(", rollout {rollout}"));
                    }
                    runs.push(LinesFromRun::new(run, chair.clone(), rollout));
                    continue;
                }
            }
        }
        check_lines(game, chair, player)?;
    }
    Ok(runs)
}

/// Returns the id of `ID` or `ID/ROLLOUT`, and the rollout.
fn id_and_rollout(source: &str) -> Result<(&str, Option<u32>), CastError> {
    let Some((id, rollout)) = source.split_once('/') else {
        return Ok((source, None));
    };
    match rollout.parse() {
        Ok(rollout) => Ok((id, Some(rollout))),
        Err(_) => Err(CastError::Lines {
            from: format!("{SAID}{source}"),
            why: "what follows '/' is the number of a rollout, from 0".to_owned(),
        }),
    }
}

/// Refuses a player who would have nothing to say in a turn that the game can come to.
pub(super) fn check_lines(
    game: &Game,
    chair: &Chair,
    player: &ScriptedPlayer,
) -> Result<(), CastError> {
    let rounds = game.protocol.rounds;
    for round in 1..=rounds {
        let stages = game.protocol.stages.iter();
        for stage in stages
            .filter(|stage| stage.plays_in(round, rounds) && stage.seats.contains(&chair.seat))
        {
            let turn = TurnId {
                round,
                stage: stage.id.clone(),
                chair: chair.clone(),
            };
            if player.find_line(&turn).is_none() {
                return Err(CastError::NoLine {
                    chair: chair.to_string(),
                    from: player.from.clone(),
                    round,
                    stage: stage.id.to_string(),
                });
            }
        }
    }
    Ok(())
}

fn read_lines_file(path: &Path) -> Result<Vec<ScriptedLine>, CastError> {
    let fault = |why: String| CastError::Lines {
        from: path.display().to_string(),
        why,
    };
    let metadata = std::fs::metadata(path).map_err(|error| fault(error.to_string()))?;
    if !metadata.is_file() {
        return Err(fault("it is no file".to_owned()));
    }
    if metadata.len() > MAX_LINES_BYTES {
        return Err(fault(format!(
            "it is larger than {} KiB, which no turn is",
            MAX_LINES_BYTES >> 10
        )));
    }
    let bytes = std::fs::read(path).map_err(|error| fault(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        fault(format!("it is no UTF-8 text from byte {valid} on"))
    })?;
    let lines = if path.extension().is_some_and(|end| end == "toml") {
        parse_lines_toml(path, &text)?
    } else {
        vec![ScriptedLine {
            round: None,
            stage: None,
            // An editor's last line break is no part of what is said.
            text: text.trim_end_matches(['\n', '\r']).to_owned(),
        }]
    };
    if lines.is_empty() {
        return Err(fault("it has no [[lines]]".to_owned()));
    }
    if let Some(at) = lines.iter().position(|line| line.text.trim().is_empty()) {
        return Err(fault(if lines.len() == 1 {
            "it says nothing".to_owned()
        } else {
            format!("line {} of its [[lines]] says nothing", at + 1)
        }));
    }
    Ok(lines)
}

fn parse_lines_toml(path: &Path, text: &str) -> Result<Vec<ScriptedLine>, CastError> {
    let file: LinesFile = toml::from_str(text).map_err(|error| {
        let before = error
            .span()
            .and_then(|span| text.get(..span.start))
            .unwrap_or_default();
        CastError::Lines {
            from: format!("{}:{}", path.display(), 1 + before.matches('\n').count()),
            why: error.message().trim().replace('\n', "; "),
        }
    })?;
    let lines = file.lines.into_iter().map(|line| ScriptedLine {
        round: line.round,
        stage: line.stage,
        text: line.text,
    });
    Ok(lines.collect())
}
