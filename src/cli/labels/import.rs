//! `elenchus labels import`: answers and debates of other people's files with their labels, all of
//! them or none.

use super::args::LabelImportArgs;
use super::reading::print_reading;
use crate::cli::common::{
    CommandContext, format_noun_count, join_first_names, output, run_interruptible, shell_word,
};
use anyhow::{Result, anyhow, bail};
use elenchus_annotation::import::{
    ImportContext, ImportCounts, ImportedFiles, LabelMap, write_import,
};
use elenchus_records::exchange::{LabelColumns, RefusedRow};
use std::collections::{BTreeMap, BTreeSet};

/// The most words that are shown to be mapped.
const MAX_MAPPED: usize = 8;
/// Faults of rows, and files without a debate, that are listed; the rest is counted.
const MAX_LISTED: usize = 20;

/// Takes files in.
///
/// # Errors
/// When a file or any row of it cannot be taken; then nothing is.
pub fn run(args: &LabelImportArgs, command_context: &CommandContext) -> Result<()> {
    let context = ImportContext {
        columns: LabelColumns {
            people: args.human.clone(),
            automatic: args.automatic.clone(),
            set: args.set.clone(),
            kind: args.kind,
            prompt: args.prompt.clone(),
            completion: args.completion.clone(),
            annotator: args.annotator.clone(),
            label: args.label.clone(),
            probability: args.probability.clone(),
            ignored: args.ignore.clone(),
            no_label: args.no_label.clone(),
            ..LabelColumns::default()
        },
        map: LabelMap::parse(&args.map).map_err(|why| anyhow!("--map: {why}"))?,
        library: &command_context.library,
        layout: &command_context.store.layout,
    };
    let files = ImportedFiles::read(&args.path, &context)?;
    for (file, reading) in files.readings.iter().take(MAX_LISTED) {
        print_reading(args, file, reading);
    }
    print_faults(&files);
    let (words, foreign) = files.plan.label_words();
    if let Some(word) = context.map.find_unused_words(words).first() {
        bail!("nothing was imported: --map: no column that was named holds the word '{word}'");
    }
    if !files.refused.is_empty() && !args.skip_bad_rows {
        let rows: BTreeSet<(&str, u64)> = files
            .refused
            .iter()
            .map(|(file, row)| (file.as_str(), row.line))
            .collect();
        bail!(
            "nothing was imported: {} cannot be taken; mend them, or leave them out with --skip-bad-rows{}",
            format_noun_count(rows.len(), "row"),
            describe_mapping(foreign)
        );
    }
    let (sessions, by_people, by_programs) = files.plan.count_contents();
    if sessions + by_people == 0 {
        bail!("nothing was imported: {}", describe_nothing(&files));
    }
    if args.check {
        let skips = match files.plan.count_skips() {
            0 => String::new(),
            skips => format!(
                "; {} by people, kept as notes",
                format_noun_count(skips, "skip")
            ),
        };
        return output::print_text(&format!(
            "would take {}, {} of people and {} of programs{skips}\n",
            format_noun_count(sessions, "session"),
            format_noun_count(by_people, "label"),
            format_noun_count(by_programs, "label"),
        ));
    }
    let people: BTreeSet<String> = files.plan.people().map(str::to_owned).collect();
    let columns: BTreeSet<String> = files.plan.pass_columns().map(str::to_owned).collect();
    let store = command_context.hold_store("labels import", Some(&"import".to_owned()));
    let intake = files.plan;
    run_interruptible(|_| async move {
        let counts = write_import(&store, intake).await?;
        output::print_text(&describe_counts(&counts, &people, &columns))
    })
}

/// Shows how to map unknown words; labels are never guessed.
fn describe_mapping(foreign: &BTreeSet<String>) -> String {
    if foreign.is_empty() {
        return String::new();
    }
    let pairs = foreign.iter().take(MAX_MAPPED);
    let pairs: Vec<String> = pairs.map(|word| format!("{word}=LABEL")).collect();
    format!(
        ", or say which label each word is, for people's and programs' columns alike, as in \
         0=safe,1=unsafe: --map {}",
        shell_word(&pairs.join(","))
    )
}

pub(in crate::cli) fn describe_counts(
    took: &ImportCounts,
    people: &BTreeSet<String>,
    columns: &BTreeSet<String>,
) -> String {
    let duplicates_text = |count: usize| match count {
        0 => String::new(),
        count => format!(", {count} there already"),
    };
    let mut text = format!(
        "imported {}{}\n",
        format_noun_count(took.sessions, "session"),
        duplicates_text(took.sessions_there)
    );
    if !people.is_empty() {
        let names: Vec<&str> = people.iter().map(String::as_str).collect();
        text.push_str(&format!(
            "{} of people{}, by {}\n",
            format_noun_count(took.labels, "label"),
            duplicates_text(took.labels_there),
            names.join(", ")
        ));
    }
    if took.labels_differ > 0 {
        text.push_str(&format!(
            "! {} there already with another word than the file has: what is there stays\n",
            format_noun_count(took.labels_differ, "label")
        ));
    }
    if took.skips + took.skips_there > 0 {
        text.push_str(&format!(
            "{}{}, kept as notes of who skipped\n",
            format_noun_count(took.skips, "skip"),
            duplicates_text(took.skips_there)
        ));
    }
    for column in columns {
        text.push_str(&format!(
            "a pass of the file's own labels: imported:{column}\n"
        ));
    }
    if took.passes_there > 0 {
        text.push_str(&format!(
            "{} of these passes there already\n",
            took.passes_there
        ));
    }
    text.push_str("list them: elenchus ls, elenchus labels list, elenchus judge list\n");
    output::clean_lines(&text)
}

pub(in crate::cli) fn print_faults(read: &ImportedFiles) {
    // By file and fault: the first line, and how many have it.
    let mut faults: Vec<(&str, &RefusedRow, usize)> = Vec::new();
    let mut fault_indices: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (file, row) in &read.refused {
        let at = *fault_indices
            .entry((file, &row.why))
            .or_insert(faults.len());
        match faults.get_mut(at) {
            Some((_, _, count)) => *count += 1,
            None => faults.push((file, row, 1)),
        }
    }
    for (file, row, count) in faults.iter().take(MAX_LISTED) {
        let more = match count {
            1 => String::new(),
            count => format!(" (in {count} rows, first here)"),
        };
        output::print_notice(&format!("refused: {file}:{}: {}{more}", row.line, row.why));
    }
    if faults.len() > MAX_LISTED {
        let more = format_noun_count(faults.len() - MAX_LISTED, "other fault");
        output::print_notice(&format!("… and {more}"));
    }
    if !read.skipped.is_empty() {
        output::print_notice(&format!("skipped {}", describe_skipped_files(read)));
    }
    for (note, count) in &read.notes {
        output::print_notice(&format!(
            "note: {note} (in {})",
            format_noun_count(*count, "file")
        ));
    }
}

/// Names files that hold no debate.
fn describe_skipped_files(read: &ImportedFiles) -> String {
    let what = match read.skipped.len() {
        1 => "not a debate".to_owned(),
        count => format!("{count} files that are no debates"),
    };
    format!("{}: {what}", join_first_names(&read.skipped, MAX_LISTED))
}

/// Says why there is nothing to take.
fn describe_nothing(read: &ImportedFiles) -> String {
    match read.skipped.is_empty() {
        true => "there is nothing to take".to_owned(),
        false => format!(
            "there is no debate here ({}); RedDebate writes a file for each debate, named like harmbench_q0.json, into its folder of checkpoints",
            describe_skipped_files(read)
        ),
    }
}
