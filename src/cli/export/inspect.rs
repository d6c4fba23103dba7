//! `elenchus export --inspect`: debates as a log of Inspect AI.

use super::args::ExportArgs;
use super::{stream_text, tables};
use crate::cli::common::{CommandContext, format_noun_count, output};
use anyhow::{Result, bail};
use elenchus_game::debate::{SessionId, State};
use elenchus_metrics::DebateRow;
use elenchus_records::exchange::inspect::LogWriter;
use elenchus_records::workspace::annotations::read_annotations;
use elenchus_records::workspace::rows::inspect::{InspectExport, LogPlayers, PrivateTexts};
use elenchus_records::workspace::{self, read_ahead, read_session_without_views};
use std::io;
use std::path::Path;

/// The end of a log's name: Inspect reads no other.
const ENDING: &str = "eval";

/// Writes the debates that are over as samples. Sessions are read twice; only a few are held at a time.
///
/// # Errors
/// When no debate is over, the file is there already, or its name is none that Inspect reads.
pub fn write_log(args: &ExportArgs, context: &CommandContext, file: &Path) -> Result<()> {
    if file.extension().is_none_or(|ending| ending != ENDING) {
        bail!(
            "give --inspect a name that ends with .{ENDING}, for Inspect reads no other: {}.{ENDING}",
            file.display()
        );
    }
    let (annotations, unread) = read_annotations(&context.store.layout)?;
    for one in unread {
        output::print_notice(&format!("notice: labels of {}: {}", one.annotator, one.why));
    }
    let passes = tables::read_passes(context)?;
    let mut players = LogPlayers::default();
    let debates = tables::read_debates(args, context, |_, _, state| players.add_debate(state))?;
    let private = match args.private {
        true => PrivateTexts::Included,
        false => PrivateTexts::LeftOut,
    };
    let mut log = InspectExport::new(private, players, &debates, &annotations, &passes);
    let read_item = |(session, _): &(SessionId, DebateRow)| -> workspace::Result<State> {
        read_session_without_views(&context.store.layout.session_path(session.as_str())?)
    };
    stream_text(file, args.existing.existing_file(), |to| {
        let mut writer =
            LogWriter::begin(to, output::clean_json, &log.build_eval(), &log.build_plan())?;
        let mut index = 0;
        read_ahead(
            &debates,
            || read_item,
            |_, state| {
                let state = state.map_err(io::Error::other)?;
                if let Some(sample) = log.build_sample(index, &state) {
                    writer.add_sample(&sample)?;
                }
                index += 1;
                Ok::<(), io::Error>(())
            },
        )?;
        writer.finish(&log.build_header())
    })?;
    output::print_notice(&format!(
        "exported {} as samples; open them with 'inspect view --log-dir FOLDER'",
        format_noun_count(debates.len(), "debate")
    ));
    Ok(())
}
