//! `elenchus labels export`: labels with everything that says how far they can be trusted.

use super::args::{LabelExportArgs, LabelFormat};
use crate::annotation::import::{LABEL_COLUMNS, label_rows};
use crate::cli::common::{Workshop, counted, output, print_missing_journals};
use crate::workspace::annotations::{CurrentLabel, read_annotations};
use crate::workspace::write_new;
use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

/// Columns whose values are numbers in JSON.
const NUMBERS: [&str; 8] = [
    "attempt",
    "strength",
    "repeat",
    "taken",
    "of",
    "chances",
    "spent_ms",
    "probability",
];

/// Writes labels to a new file.
///
/// # Errors
/// When there are none, or the file is there already.
pub fn run(args: &LabelExportArgs, shop: &Workshop) -> Result<()> {
    let (annotations, unread) = read_annotations(&shop.layout)?;
    if let Some(journal) = unread.first() {
        bail!("nothing was exported: {journal}");
    }
    print_missing_journals(shop)?;
    let wanted = |standing: &&CurrentLabel| {
        let of_set = args
            .set
            .as_ref()
            .is_none_or(|set| set == &standing.label.set);
        let by = args.annotator.as_ref();
        of_set && by.is_none_or(|annotator| annotator == &standing.annotator)
    };
    let rows = label_rows(&shop.layout, annotations.labels().filter(wanted))?;
    if rows.is_empty() {
        bail!("there are no such labels; 'elenchus labels list' lists what there is");
    }
    let text = match format(args) {
        LabelFormat::Csv => as_csv(&rows)?,
        LabelFormat::Jsonl => as_lines(&rows),
    };
    write_new(&args.output, text.as_bytes())?;
    output::notice(&format!(
        "exported {} to {}",
        counted(rows.len(), "label"),
        args.output.display()
    ));
    Ok(())
}

fn format(args: &LabelExportArgs) -> LabelFormat {
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

fn as_csv(rows: &[Vec<String>]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let cannot = "the labels cannot be written as CSV";
    writer.write_record(LABEL_COLUMNS).context(cannot)?;
    for row in rows {
        writer.write_record(row).context(cannot)?;
    }
    let bytes = writer.into_inner().context(cannot)?;
    String::from_utf8(bytes).context(cannot)
}

fn as_lines(rows: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| {
        let fields: Map<String, Value> = LABEL_COLUMNS
            .iter()
            .zip(row)
            .filter(|(_, text)| !text.is_empty())
            .map(|(column, text)| ((*column).to_owned(), value(column, text)))
            .collect();
        Value::Object(fields).to_string() + "\n"
    };
    rows.iter().map(line).collect()
}

fn value(column: &str, text: &str) -> Value {
    let number = || serde_json::from_str(text).ok().filter(Value::is_number);
    let number = NUMBERS.contains(&column).then(number).flatten();
    number.unwrap_or_else(|| Value::String(text.to_owned()))
}
