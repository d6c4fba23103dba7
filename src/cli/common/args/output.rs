//! Arguments that choose the format of the output.

use clap::Args;

/// JSON in place of text.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct JsonArgs {
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// JSON Lines in place of a table.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct JsonLinesArgs {
    /// As JSON, one object a line
    #[arg(long)]
    pub json: bool,
}

/// JSON or CSV in place of tables of figures.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct FigureFormatArgs {
    /// As JSON
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// As CSV
    #[arg(long)]
    pub csv: bool,
}
