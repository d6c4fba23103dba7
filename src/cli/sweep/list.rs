//! `elenchus sweep --list`.

use crate::cli::common::{Exit, Workshop, output, short_ids, table};
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
            let line = json!({
                "sweep": sweep.manifest.sweep,
                "file": sweep.manifest.file,
                "begun_at": sweep.begun_at,
                "arms": sweep.manifest.arms.len(),
                "points": sweep.manifest.points.len(),
                "tried": sweep.tried.len(),
                "standing": standing(sweep),
            });
            output::harmless_json(&line.to_string()) + "\n"
        });
        output::out(&lines.collect::<String>())?;
        return Ok(Exit::Fine);
    }
    if known.is_empty() {
        output::notice("there are no sweeps yet; 'elenchus sweep FILE' begins one");
        return Ok(Exit::Fine);
    }
    let ids: Vec<String> = known.iter().map(|it| it.manifest.sweep.clone()).collect();
    let short = short_ids(&ids);
    let rows: Vec<[String; 6]> = known
        .iter()
        .map(|sweep| {
            [
                short[&sweep.manifest.sweep].clone(),
                sweep.manifest.arms.len().to_string(),
                sweep.manifest.points.len().to_string(),
                sweep.tried.len().to_string(),
                standing(sweep).to_owned(),
                sweep.manifest.file.clone(),
            ]
        })
        .collect();
    let heads = ["sweep", "arms", "points", "tried", "standing", "file"];
    output::out(&table(&heads, &rows, output::width()))?;
    Ok(Exit::Fine)
}

/// Returns how a sweep stands, in a word.
pub(super) fn standing(sweep: &SweepState) -> &'static str {
    match (sweep.completed, &sweep.paused) {
        (true, _) => "completed",
        (false, Some(_)) => "paused",
        (false, None) => "open",
    }
}
