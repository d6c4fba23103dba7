//! The options of `elenchus open`.

use clap::{Args, ValueEnum};

/// `elenchus open`, and `elenchus` alone
#[derive(Debug, Default, Args)]
pub struct OpenArgs {
    /// The session to open: an id, its beginning or end, or 'last' [default: the list, or where the workbench was left]
    #[arg(value_name = "SESSION")]
    pub session: Option<String>,
    /// The theme; the workbench remembers what is chosen with T
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// How many colours the terminal shows [default: NO_COLOR, COLORTERM and TERM decide]
    #[arg(long, value_name = "HOW", value_enum)]
    pub color: Option<ColorChoice>,
    /// Which marks are drawn [default: the locale decides]
    #[arg(long, value_name = "SET", value_enum)]
    pub glyphs: Option<GlyphChoice>,
    /// 'slow' draws fewer frames and waits longer for the rest of a key
    #[arg(long, value_name = "HOW", value_enum)]
    pub link: Option<LinkChoice>,
}

/// How many colours are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    Auto,
    Truecolor,
    #[value(name = "256")]
    Indexed,
    #[value(name = "16")]
    Sixteen,
    None,
}

/// Which marks are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GlyphChoice {
    Auto,
    Unicode,
    Ascii,
}

/// How far away the terminal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LinkChoice {
    Auto,
    Near,
    Slow,
}
