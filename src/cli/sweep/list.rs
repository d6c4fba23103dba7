//! `elenchus sweep --list`.

use crate::cli::common::{Exit, ShortIds, Workshop, output, print_table};
use crate::workspace::sweep::{SweepState, sweeps};
use serde_json::json;

/// Lists the sweeps of the store, the newest first.
///
/// # Errors
/// When they cannot be listed.
pub(super) fn run(as_json: bool, shop: &Workshop) -> anyhow::Result<Exit> {
    let (mut known, unreadable) = sweeps(&shop.layout)?;
    known.reverse();
    for one in unreadable {
        output::notice(&format!("notice: a sweep cannot be read: {}", one.error));
    }
    if as_json {
        let lines = known.iter().map(|sweep| {
            json!({
                "sweep": sweep.manifest.sweep,
                "file": sweep.manifest.file,
                "begun_at": sweep.begun_at,
                "arms": sweep.manifest.arms.len(),
                "points": sweep.manifest.points.len(),
                "tried": sweep.tried.len(),
                "standing": standing(sweep),
            })
        });
        output::json_lines(lines)?;
        return Ok(Exit::Fine);
    }
    if known.is_empty() {
        output::notice("there are no sweeps yet; 'elenchus sweep FILE' begins one");
        return Ok(Exit::Fine);
    }
    let short = ShortIds::among(known.iter().map(|sweep| sweep.manifest.sweep.as_str()));
    let rows: Vec<[String; 6]> = known
        .iter()
        .map(|sweep| {
            [
                short.of(&sweep.manifest.sweep),
                sweep.manifest.arms.len().to_string(),
                sweep.manifest.points.len().to_string(),
                sweep.tried.len().to_string(),
                standing(sweep).to_owned(),
                sweep.manifest.file.clone(),
            ]
        })
        .collect();
    let heads = ["sweep", "arms", "points", "tried", "standing", "file"];
    print_table(&heads, &rows)?;
    Ok(Exit::Fine)
}

/// Returns the state of a sweep, in a word.
pub(super) fn standing(sweep: &SweepState) -> &'static str {
    match (sweep.completed, &sweep.paused) {
        (true, _) => "completed",
        (false, Some(_)) => "paused",
        (false, None) => "open",
    }
}
