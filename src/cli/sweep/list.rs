//! `elenchus sweep --list`.

use crate::cli::common::{ShortIds, Workshop, output, print_table};
use crate::workspace::sweep::{SweepState, sweeps};
use anyhow::Result;
use serde_json::json;

/// Lists the sweeps of the store, the newest first.
///
/// # Errors
/// When they cannot be listed.
pub(super) fn run(as_json: bool, shop: &Workshop) -> Result<()> {
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
        return output::json_lines(lines);
    }
    if known.is_empty() {
        output::notice("there are no sweeps yet; 'elenchus sweep FILE' begins one");
        return Ok(());
    }
    let short = ShortIds::among(known.iter().map(|sweep| sweep.manifest.sweep.as_str()));
    print_table(
        &known,
        &[
            ("sweep", &|one| short.of(&one.manifest.sweep)),
            ("arms", &|one| one.manifest.arms.len().to_string()),
            ("points", &|one| one.manifest.points.len().to_string()),
            ("tried", &|one| one.tried.len().to_string()),
            ("standing", &|one| standing(one).to_owned()),
            ("file", &|one| one.manifest.file.clone()),
        ],
    )
}

/// Returns the state of a sweep, in a word.
pub(super) fn standing(sweep: &SweepState) -> &'static str {
    match (sweep.completed, &sweep.paused) {
        (true, _) => "completed",
        (false, Some(_)) => "paused",
        (false, None) => "open",
    }
}
