//! `elenchus labels import`: answers and debates of other people's files with their labels, all of
//! them or none.

use super::args::LabelImportArgs;
use super::files::{NamedFile, named};
use crate::annotation::import::{
    ImportCounts, ImportPlan, LabelMap, plan_import, read_label_table, take_in,
};
use crate::cli::common::{Workshop, counted, first_names, output, run_interruptible, shell_word};
use crate::dataset::{MAX_FILE_BYTES, read_rows, strip_byte_order_mark};
use crate::exchange::{
    LabelColumns, RefusedRow, completions, is_no_debate, is_reddebate, json_rows, reddebate,
};
use anyhow::{Context, Result, anyhow, bail};
use std::collections::{BTreeMap, BTreeSet};

/// The most words that are shown to be mapped.
const MAX_MAPPED: usize = 8;
/// Faults of rows, and files without a debate, that are listed; the rest is counted.
const MAX_LISTED: usize = 20;

/// Everything that the files hold.
#[derive(Default)]
struct ImportedFiles {
    intake: ImportPlan,
    /// By file.
    refused: Vec<(String, RefusedRow)>,
    /// Files of folders that hold no debate.
    skipped: Vec<String>,
    notes: BTreeMap<String, usize>,
}

/// What is said of the columns, and of their words.
struct ImportOptions {
    columns: LabelColumns,
    map: LabelMap,
}

/// Takes files in.
///
/// # Errors
/// When a file or any row of it cannot be taken; then nothing is.
pub fn run(args: &LabelImportArgs, shop: &Workshop) -> Result<()> {
    let asked = ImportOptions {
        columns: LabelColumns {
            people: args.human.clone(),
            automatic: args.automatic.clone(),
            set: args.set.clone(),
        },
        map: LabelMap::parse(&args.map).map_err(|why| anyhow!("--map: {why}"))?,
    };
    let mut read = ImportedFiles::default();
    for file in &named(&args.path)? {
        read.file(file, &asked, shop)?;
    }
    read.print_faults();
    let (words, foreign) = read.intake.label_words();
    if let Some(word) = asked.map.unused(words).first() {
        bail!("nothing was imported: --map: no column that was named holds the word '{word}'");
    }
    if !read.refused.is_empty() && !args.skip_bad_rows {
        let rows: BTreeSet<(&str, u64)> = read
            .refused
            .iter()
            .map(|(file, row)| (file.as_str(), row.line))
            .collect();
        bail!(
            "nothing was imported: {} cannot be taken; mend them, or leave them out with --skip-bad-rows{}",
            counted(rows.len(), "row"),
            how_to_map(foreign)
        );
    }
    let (sessions, by_people, by_programs) = read.intake.counts();
    if sessions + by_people == 0 {
        bail!("nothing was imported: {}", read.nothing());
    }
    if args.check {
        return output::out(&format!(
            "would take {}, {} of people and {} of programs\n",
            counted(sessions, "session"),
            counted(by_people, "label"),
            counted(by_programs, "label"),
        ));
    }
    let people: BTreeSet<String> = read.intake.people().map(str::to_owned).collect();
    let columns: BTreeSet<String> = read.intake.columns().map(str::to_owned).collect();
    let desk = shop.desk("labels import", Some(&"import".to_owned()))?;
    let intake = read.intake;
    run_interruptible(|_| async move {
        let took = take_in(&desk, intake).await?;
        output::out(&describe_counts(&took, &people, &columns))
    })
}

/// Shows how to map unknown words; labels are never guessed.
fn how_to_map(foreign: &BTreeSet<String>) -> String {
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

fn describe_counts(
    took: &ImportCounts,
    people: &BTreeSet<String>,
    columns: &BTreeSet<String>,
) -> String {
    let there = |count: usize| match count {
        0 => String::new(),
        count => format!(", {count} there already"),
    };
    let mut text = format!(
        "imported {}{}\n",
        counted(took.sessions, "session"),
        there(took.sessions_there)
    );
    if !people.is_empty() {
        let names: Vec<&str> = people.iter().map(String::as_str).collect();
        text.push_str(&format!(
            "{} of people{}, by {}\n",
            counted(took.labels, "label"),
            there(took.labels_there),
            names.join(", ")
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
    output::harmless(&text)
}

impl ImportedFiles {
    fn file(&mut self, file: &NamedFile, asked: &ImportOptions, shop: &Workshop) -> Result<()> {
        let path = &file.path;
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let cannot = || format!("{} cannot be read", path.display());
        let size = std::fs::metadata(path).with_context(cannot)?.len();
        if size > MAX_FILE_BYTES {
            bail!(
                "{} is larger than {MAX_FILE_BYTES} bytes; divide it",
                path.display()
            );
        }
        let bytes = std::fs::read(path).with_context(cannot)?;
        let bytes = match strip_byte_order_mark(&bytes) {
            Ok(bytes) => bytes,
            Err(why) => {
                self.refuse(&file.shown, vec![RefusedRow { line: 1, why }]);
                return Ok(());
            }
        };
        if file.in_folder && is_no_debate(bytes) {
            self.skipped.push(file.shown.clone());
            return Ok(());
        }
        let ending = name.to_ascii_lowercase();
        if ending.ends_with(".json") || is_reddebate(bytes) {
            let finds = reddebate(&name, bytes);
            let named = (name.as_str(), file.shown.as_str());
            return self.finds(named, &dataset_of(&name), finds, asked, shop);
        }
        let rows = if ending.ends_with(".jsonl") || ending.ends_with(".ndjson") {
            json_rows(bytes)
        } else {
            read_rows(&name, bytes)
        };
        if let Some((intake, refused)) = read_label_table(&shop.layout, &rows) {
            self.intake.extend(intake);
            self.refuse(&name, refused);
            return Ok(());
        }
        let finds = completions(&rows, &asked.columns);
        self.finds((&name, &file.shown), &name, finds, asked, shop)
    }

    fn finds(
        &mut self,
        (name, shown): (&str, &str),
        source: &str,
        mut finds: crate::exchange::FinishedFile,
        asked: &ImportOptions,
        shop: &Workshop,
    ) -> Result<()> {
        for note in std::mem::take(&mut finds.notes) {
            *self.notes.entry(note).or_default() += 1;
        }
        let (intake, refused) = plan_import(&shop.library, name, source, &finds, &asked.map)?;
        self.refuse(shown, std::mem::take(&mut finds.refused));
        self.refuse(shown, refused);
        self.intake.extend(intake);
        Ok(())
    }

    fn refuse(&mut self, name: &str, refused: Vec<RefusedRow>) {
        let named = refused.into_iter().map(|row| (name.to_owned(), row));
        self.refused.extend(named);
    }

    fn print_faults(&self) {
        // By file and fault: the first line, and how many have it.
        let mut faults: Vec<(&str, &RefusedRow, usize)> = Vec::new();
        let mut known: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (file, row) in &self.refused {
            let at = *known.entry((file, &row.why)).or_insert(faults.len());
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
            output::notice(&format!("refused: {file}:{}: {}{more}", row.line, row.why));
        }
        if faults.len() > MAX_LISTED {
            let more = counted(faults.len() - MAX_LISTED, "other fault");
            output::notice(&format!("… and {more}"));
        }
        if !self.skipped.is_empty() {
            output::notice(&format!("skipped {}", self.no_debates()));
        }
        for (note, count) in &self.notes {
            output::notice(&format!("note: {note} (in {})", counted(*count, "file")));
        }
    }

    /// Names files that hold no debate.
    fn no_debates(&self) -> String {
        let what = match self.skipped.len() {
            1 => "not a debate".to_owned(),
            count => format!("{count} files that are no debates"),
        };
        format!("{}: {what}", first_names(&self.skipped, MAX_LISTED))
    }

    /// Says why there is nothing to take.
    fn nothing(&self) -> String {
        match self.skipped.is_empty() {
            true => "there is nothing to take".to_owned(),
            false => format!(
                "there is no debate here ({}); RedDebate writes a file for each debate, named like harmbench_q0.json, into its folder of checkpoints",
                self.no_debates()
            ),
        }
    }
}

/// `harmbench_q12.json` is a debate of `harmbench`.
fn dataset_of(name: &str) -> String {
    let stem = name.trim_end_matches(".json");
    match stem.rsplit_once("_q") {
        Some((dataset, number)) if number.parse::<u64>().is_ok() => dataset.to_owned(),
        Some(_) | None => stem.to_owned(),
    }
}
