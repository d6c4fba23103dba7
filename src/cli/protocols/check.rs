//! `elenchus protocols check`: a protocol with its templates and rubrics, at the ends of each setting.

use super::pin;
use crate::cli::common::{CommandContext, format_noun_count, output};
use anyhow::{Result, bail};
use elenchus_records::library::ProtocolSource;

/// Checks a protocol of the library or of a file, and prints what is wrong.
///
/// # Errors
/// When anything is.
pub fn run(context: &CommandContext, named: &str) -> Result<()> {
    let outcome = ProtocolSource::from_name(named).check_protocol(&context.library)?;
    let faults = &outcome.faults.0;
    if !faults.is_empty() {
        for fault in faults {
            output::print_text(&format!("{}\n", output::clean_line(fault)))?;
        }
        bail!(
            "protocol '{named}' has {}",
            format_noun_count(faults.len(), "fault")
        );
    }
    if let Some(game) = &outcome.game {
        output::print_text(&format!(
            "ok: {} ({}, {}, {}; checked with {} of its {})\n",
            output::clean_line(&game.protocol.id),
            format_noun_count(game.protocol.stages.len(), "stage"),
            format_noun_count(game.templates.len(), "template"),
            format_noun_count(game.rubrics.len(), "rubric"),
            format_noun_count(outcome.choices, "choice"),
            format_noun_count(outcome.settings, "setting"),
        ))?;
        output::print_text(&pin::describe_pins(context, named, game)?)?;
    }
    Ok(())
}
