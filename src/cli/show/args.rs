//! Arguments of `elenchus show`.

use crate::cli::common::args::flag_parser;
use clap::{ArgAction, Args};
use elenchus_view::transcript::Private;

/// `elenchus show`
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A session's id, or the beginning or end of one; 'last' is the newest
    pub session: String,
    /// Show private reasoning and thinking too
    #[arg(long, action = ArgAction::SetTrue, value_parser = flag_parser([Private::Hidden, Private::Shown]))]
    pub private: Private,
    /// Show what each seat was shown, with where each part came from
    #[arg(long)]
    pub views: bool,
    /// As JSON: the events, one a line; with --views the prompt of each reply next to it
    #[arg(long, conflicts_with = "private")]
    pub json: bool,
}
