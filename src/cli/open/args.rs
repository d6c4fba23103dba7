//! Arguments of `elenchus open`.

use clap::Args;
use elenchus_terminal::{ColorChoice, GlyphChoice, LinkChoice};

/// `elenchus open`, and `elenchus` alone
#[derive(Debug, Default, Args)]
pub struct OpenArgs {
    /// The session to open: an id, its beginning or end, or 'last' [default: the list, or where the workbench was left]
    #[arg(value_name = "SESSION")]
    pub session: Option<String>,
    /// Open the first turn of this run that was found unsafe
    #[arg(long, value_name = "RUN", conflicts_with = "session")]
    pub run: Option<String>,
    #[command(flatten)]
    pub look: LookArgs,
}

/// How the workbench looks
#[derive(Debug, Default, Args)]
pub struct LookArgs {
    /// The theme; the workbench remembers what is chosen with T
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// auto, truecolor, 256, 16 or none [default: NO_COLOR, COLORTERM and TERM decide]
    #[arg(long, value_name = "HOW")]
    pub color: Option<ColorChoice>,
    /// auto, unicode or ascii [default: the locale decides]
    #[arg(long, value_name = "SET")]
    pub glyphs: Option<GlyphChoice>,
    /// auto, fast or slow: on a slow link fewer frames are drawn, and a split key is waited for longer
    #[arg(long, value_name = "HOW")]
    pub link: Option<LinkChoice>,
}
