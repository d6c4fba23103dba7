//! `elenchus protocols check`: a protocol with its templates and rubrics, at the ends of each setting.

use super::pin;
use crate::cli::common::{Workshop, counted, output};
use anyhow::{Result, bail};
use elenchus_records::library::ProtocolSource;

/// Checks a protocol of the library or of a file, and prints what is wrong.
///
/// # Errors
/// When anything is.
pub fn run(shop: &Workshop, named: &str) -> Result<()> {
    let checked = ProtocolSource::of(named).check(&shop.library)?;
    let faults = &checked.faults.0;
    if !faults.is_empty() {
        for fault in faults {
            output::out(&format!("{}\n", output::clean(fault)))?;
        }
        bail!("protocol '{named}' has {}", counted(faults.len(), "fault"));
    }
    if let Some(game) = &checked.game {
        output::out(&format!(
            "ok: {} ({}, {}, {}; checked with {} of its {})\n",
            output::clean(&game.protocol.id),
            counted(game.protocol.stages.len(), "stage"),
            counted(game.templates.len(), "template"),
            counted(game.rubrics.len(), "rubric"),
            counted(checked.choices, "choice"),
            counted(checked.settings, "setting"),
        ))?;
        output::out(&pin::standing(shop, named, game)?)?;
    }
    Ok(())
}
