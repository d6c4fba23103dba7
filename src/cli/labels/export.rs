//! `elenchus labels export`: labels with everything that says how far they can be trusted.

use super::args::{LabelExportArgs, LabelFormat};
use crate::cli::common::args::advise_on_existing;
use crate::cli::common::{CommandContext, format_noun_count, output, print_missing_journals};
use anyhow::{Context, Result, bail};
use elenchus_annotation::import::{CsvTexts, label_rows, labels_to_csv, labels_to_json_lines};
use elenchus_records::workspace::annotations::{CurrentLabel, read_annotations};
use elenchus_records::workspace::write_export;

/// Writes labels to a new file.
///
/// # Errors
/// When there are none, or the file is there already.
pub fn run(args: &LabelExportArgs, context: &CommandContext) -> Result<()> {
    let (annotations, unread) = read_annotations(&context.store.layout)?;
    if let Some(journal) = unread.first() {
        bail!("nothing was exported: {journal}");
    }
    print_missing_journals(context)?;
    let is_wanted = |standing: &&CurrentLabel| {
        let of_set = args
            .set
            .as_ref()
            .is_none_or(|set| set == &standing.label.set);
        let by = args.annotator.as_ref();
        of_set && by.is_none_or(|annotator| annotator == &standing.annotator)
    };
    let rows = label_rows(
        &context.store.layout,
        annotations.labels().filter(is_wanted),
    )?;
    if rows.is_empty() {
        bail!("there are no such labels; 'elenchus labels list' lists what there is");
    }
    let text = match choose_format(args) {
        LabelFormat::Csv => {
            let cells = match args.raw {
                true => CsvTexts::AsTheyAre,
                false => CsvTexts::Defused,
            };
            labels_to_csv(&rows, cells).context("the labels cannot be written as CSV")?
        }
        LabelFormat::Jsonl => labels_to_json_lines(&rows),
    };
    write_export(&args.output, args.existing.existing_file(), text.as_bytes())
        .map_err(advise_on_existing)?;
    output::print_notice(&format!(
        "exported {} to {}",
        format_noun_count(rows.len(), "label"),
        args.output.display()
    ));
    Ok(())
}

fn choose_format(args: &LabelExportArgs) -> LabelFormat {
    let by_name = match args
        .output
        .extension()
        .and_then(|extension| extension.to_str())
    {
        Some("jsonl" | "ndjson") => LabelFormat::Jsonl,
        Some(_) | None => LabelFormat::Csv,
    };
    args.format.unwrap_or(by_name)
}
