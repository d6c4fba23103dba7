//! `elenchus labels import`: answers and debates of other people's files with their labels, all of
//! them or none.

use crate::cli::args_labels::LabelImportArgs;
use crate::cli::exit::Exit;
use crate::cli::page::{self, counted};
use crate::cli::run::on_a_runtime;
use crate::cli::workshop::Workshop;
use crate::dataset::{MAX_FILE_BYTES, rows_of};
use crate::driver::desk::Desk;
use crate::driver::{Intake, TookIn, own_labels, plan_intake, take_in};
use crate::exchange::{
    LabelColumns, MAX_FINISHED, RefusedRow, completions, is_reddebate, json_rows, reddebate,
};
use anyhow::{Context, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Refused rows that are listed; the rest is counted.
const MAX_LISTED: usize = 20;

/// Everything that the files hold.
#[derive(Default)]
struct Read {
    intake: Intake,
    /// By file.
    refused: Vec<(String, RefusedRow)>,
    notes: BTreeMap<String, usize>,
}

/// Takes files in.
///
/// # Errors
/// When a file or any row of it cannot be taken; then nothing is.
pub fn run(args: &LabelImportArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let files = files(&args.path)?;
    let asked = LabelColumns {
        people: args.human.clone(),
        automatic: args.automatic.clone(),
        set: args.set.clone(),
    };
    let mut read = Read::default();
    for file in &files {
        read.file(file, &asked, shop)?;
    }
    read.tell();
    if !read.refused.is_empty() && !args.skip_bad_rows {
        bail!(
            "nothing was imported: {} cannot be taken; mend them, or leave them out with --skip-bad-rows",
            counted(read.refused.len(), "row")
        );
    }
    let (sessions, by_people, by_programs) = read.intake.counts();
    if sessions + by_people == 0 {
        bail!("nothing was imported: there is nothing to take");
    }
    if args.check {
        page::out(&format!(
            "would take {}, {} of people and {} of programs\n",
            counted(sessions, "session"),
            counted(by_people, "label"),
            counted(by_programs, "label"),
        ))?;
        return Ok(Exit::Fine);
    }
    let people: BTreeSet<String> = read.intake.people().map(str::to_owned).collect();
    let columns: BTreeSet<String> = read.intake.columns().map(str::to_owned).collect();
    let desk = Desk {
        layout: shop.layout.clone(),
        fsync: shop.fsync()?,
        clock: shop.clock,
        holder: shop.holder("labels import"),
        person: "import".to_owned(),
    };
    let intake = read.intake;
    on_a_runtime(|_| async move {
        let took = take_in(&desk, intake).await?;
        page::out(&told(&took, &people, &columns))?;
        Ok(Exit::Fine)
    })
}

fn told(took: &TookIn, people: &BTreeSet<String>, columns: &BTreeSet<String>) -> String {
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
    page::harmless(&text)
}

impl Read {
    fn file(&mut self, path: &Path, asked: &LabelColumns, shop: &Workshop) -> anyhow::Result<()> {
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
        if is_json(&name) || is_reddebate(&bytes) {
            let finds = reddebate(&name, &bytes);
            return self.finds(&name, &dataset_of(&name), finds, shop);
        }
        let rows = if is_lines(&name) {
            json_rows(&bytes)
        } else {
            rows_of(&name, &bytes)
        };
        if let Some((intake, refused)) = own_labels(&shop.layout, &rows) {
            self.intake.extend(intake);
            self.refuse(&name, refused);
            return Ok(());
        }
        let finds = completions(&rows, asked);
        self.finds(&name, &name, finds, shop)
    }

    fn finds(
        &mut self,
        name: &str,
        source: &str,
        mut finds: crate::exchange::Finds,
        shop: &Workshop,
    ) -> anyhow::Result<()> {
        for note in std::mem::take(&mut finds.notes) {
            *self.notes.entry(note).or_default() += 1;
        }
        let (intake, refused) = plan_intake(&shop.library, name, source, &finds)?;
        self.refuse(name, std::mem::take(&mut finds.refused));
        self.refuse(name, refused);
        self.intake.extend(intake);
        Ok(())
    }

    fn refuse(&mut self, name: &str, refused: Vec<RefusedRow>) {
        let named = refused.into_iter().map(|row| (name.to_owned(), row));
        self.refused.extend(named);
    }

    fn tell(&self) {
        for (file, row) in self.refused.iter().take(MAX_LISTED) {
            page::notice(&format!("refused: {file}:{}: {}", row.line, row.why));
        }
        if self.refused.len() > MAX_LISTED {
            let more = self.refused.len() - MAX_LISTED;
            page::notice(&format!("… and {} more", counted(more, "refused row")));
        }
        for (note, count) in &self.notes {
            page::notice(&format!("note: {note} (in {})", counted(*count, "file")));
        }
    }
}

fn is_json(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".json")
}

fn is_lines(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with(".jsonl") || name.ends_with(".ndjson")
}

/// `harmbench_q12.json` is a debate of `harmbench`.
fn dataset_of(name: &str) -> String {
    let stem = name.trim_end_matches(".json");
    match stem.rsplit_once("_q") {
        Some((dataset, number)) if number.parse::<u64>().is_ok() => dataset.to_owned(),
        Some(_) | None => stem.to_owned(),
    }
}

/// Returns the files that are named, and the JSON files of the folders that are.
fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let cannot = || format!("the folder {} cannot be listed", path.display());
        let mut within = Vec::new();
        for entry in std::fs::read_dir(path).with_context(cannot)? {
            let file = entry.with_context(cannot)?.path();
            let name = file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if file.is_file() && is_json(&name) {
                within.push(file);
            }
        }
        if within.is_empty() {
            bail!("{} holds no file that ends with .json", path.display());
        }
        within.sort();
        files.extend(within);
    }
    if files.len() > MAX_FINISHED {
        bail!("at most {MAX_FINISHED} files are taken at once");
    }
    Ok(files)
}
