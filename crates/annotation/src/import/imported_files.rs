//! Files of an import, read into one plan: each as what its name and content say it is.

use super::named_files::{NamedFile, find_files};
use super::{CsvTexts, ImportPlan, LabelMap, plan_import, read_label_table};
use elenchus_dataset::{
    DatasetError, parse_json_objects, parse_table_rows, read_unpacked_file, strip_byte_order_mark,
};
use elenchus_records::exchange::inspect::{is_archive, parse_log_document, read_log_archive};
use elenchus_records::exchange::{
    FinishedFile, FinishedTurn, LabelColumns, LabelReading, RefusedRow, SourceRows, is_no_debate,
    is_reddebate, json_rows, parse_completions, parse_reddebate, read_tool_file,
};
use elenchus_records::library::Library;
use elenchus_records::workspace::{Result, reject};
use elenchus_store::{Layout, StoreError};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

/// Everything that the files of an import hold.
#[derive(Default)]
pub struct ImportedFiles {
    pub plan: ImportPlan,
    /// By file.
    pub refused: Vec<(String, RefusedRow)>,
    /// Files of folders that hold no debate.
    pub skipped: Vec<String>,
    /// Notes on content that is not imported, with the number of files they are about.
    pub notes: BTreeMap<String, usize>,
    /// How the columns of each file are read.
    pub readings: Vec<(String, LabelReading)>,
}

/// What files are read with: the meaning of their columns and words, and where their parts are known.
pub struct ImportContext<'a> {
    pub columns: LabelColumns,
    pub map: LabelMap,
    pub library: &'a Library,
    pub layout: &'a Layout,
}

impl ImportedFiles {
    /// Reads files, and the JSON files of folders at any depth. Blocks.
    ///
    /// # Errors
    /// When one cannot be read, a folder holds none, or there are too many. A row that cannot be taken
    /// is no error, but refused.
    pub fn read(paths: &[PathBuf], context: &ImportContext<'_>) -> Result<Self> {
        let mut files = Self::default();
        for file in &find_files(paths)? {
            files.read_file(file, context)?;
        }
        Ok(files)
    }

    /// Reads logs of Inspect: `.eval` archives, and documents. Blocks.
    ///
    /// # Errors
    /// When one cannot be read, or is no log.
    pub fn read_logs(paths: &[PathBuf], context: &ImportContext<'_>) -> Result<Self> {
        let mut files = Self::default();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let log = read_log(path)?;
            let source = log.source.clone().unwrap_or_else(|| name.to_string());
            files.add_finished_file((&name, &name), &source, log, context)?;
        }
        Ok(files)
    }

    fn read_file(&mut self, file: &NamedFile, context: &ImportContext<'_>) -> Result<()> {
        let (name, bytes) = match read_unpacked_file(&file.path) {
            Err(DatasetError::NoText { why, .. }) => {
                self.add_refused_rows(&file.shown, vec![RefusedRow { line: 1, why }]);
                return Ok(());
            }
            read => read?,
        };
        let bytes = match strip_byte_order_mark(&bytes) {
            Ok(bytes) => bytes,
            Err(why) => {
                self.add_refused_rows(&file.shown, vec![RefusedRow { line: 1, why }]);
                return Ok(());
            }
        };
        if file.in_folder && is_no_debate(bytes) {
            self.skipped.push(file.shown.clone());
            return Ok(());
        }
        let file_names = (name.as_str(), file.shown.as_str());
        let ending = name.to_ascii_lowercase();
        if is_reddebate(bytes) {
            let finished_file = parse_reddebate(&name, bytes);
            return self.add_finished_file(
                file_names,
                &dataset_name(&name),
                finished_file,
                context,
            );
        }
        let columns = context.columns_with_words();
        if ending.ends_with(".json") {
            let rows = SourceRows::from(parse_json_objects(bytes));
            if rows.rows.is_empty() || (file.in_folder && rows.rows.len() == 1) {
                let finished_file = parse_reddebate(&name, bytes);
                return self.add_finished_file(
                    file_names,
                    &dataset_name(&name),
                    finished_file,
                    context,
                );
            }
            let finished_file = match read_tool_file(file_stem(&name), &rows, &columns) {
                Some(finds) => finds,
                // One object alone is to be a debate.
                None if rows.rows.len() == 1 => {
                    let finished_file = parse_reddebate(&name, bytes);
                    return self.add_finished_file(
                        file_names,
                        &dataset_name(&name),
                        finished_file,
                        context,
                    );
                }
                None => parse_completions(&rows.into_table(), &columns),
            };
            return self.add_finished_file(file_names, &name, finished_file, context);
        }
        let is_json = ending.ends_with(".jsonl") || ending.ends_with(".ndjson");
        let (table, texts) = match is_json {
            true => (json_rows(bytes), CsvTexts::AsTheyAre),
            false => (parse_table_rows(&name, bytes), CsvTexts::Defused),
        };
        if let Some((plan, refused)) = read_label_table(context.layout, &table, texts) {
            self.plan.extend(plan);
            self.add_refused_rows(&name, refused);
            return Ok(());
        }
        let rows = match is_json {
            true => SourceRows::from(parse_json_objects(bytes)),
            false => SourceRows::from(table.clone()),
        };
        let finished_file = read_tool_file(file_stem(&name), &rows, &columns);
        let finished_file = finished_file.unwrap_or_else(|| parse_completions(&table, &columns));
        self.add_finished_file(file_names, &name, finished_file, context)
    }

    fn add_finished_file(
        &mut self,
        (name, shown): (&str, &str),
        source: &str,
        mut finished_file: FinishedFile,
        context: &ImportContext<'_>,
    ) -> Result<()> {
        if let Some(reading) = &finished_file.reading {
            self.readings.push((shown.to_owned(), reading.clone()));
        }
        for note in std::mem::take(&mut finished_file.notes) {
            *self.notes.entry(note).or_default() += 1;
        }
        let turns = finished_file
            .items
            .iter_mut()
            .flat_map(|item| &mut item.turns);
        turns.for_each(FinishedTurn::split_reasoning);
        let (plan, refused) =
            plan_import(context.library, name, source, &finished_file, &context.map)?;
        self.add_refused_rows(shown, std::mem::take(&mut finished_file.refused));
        self.add_refused_rows(shown, refused);
        self.plan.extend(plan);
        Ok(())
    }

    fn add_refused_rows(&mut self, name: &str, refused: Vec<RefusedRow>) {
        let rows = refused.into_iter().map(|row| (name.to_owned(), row));
        self.refused.extend(rows);
    }
}

impl ImportContext<'_> {
    /// Returns what is said of the columns, with the words that are labels.
    fn columns_with_words(&self) -> LabelColumns {
        let set = self.columns.set.as_deref();
        // A set that is not there is named when the file is planned.
        let book = set.and_then(|set| self.library.read_label_set(set).ok());
        let own = book.iter().flat_map(|book| &book.set.labels);
        let own = own.map(|label| label.name.to_lowercase());
        LabelColumns {
            words: own.chain(self.map.words().map(str::to_owned)).collect(),
            ..self.columns.clone()
        }
    }
}

/// Reads a log of Inspect of either form.
fn read_log(path: &Path) -> Result<FinishedFile> {
    let cannot_open = StoreError::from_io("read", path);
    let mut file = File::open(path).map_err(cannot_open)?;
    let mut head = Vec::new();
    let cannot_read = StoreError::from_io("read", path);
    let read = (&mut file).take(HEAD_BYTES).read_to_end(&mut head);
    read.and_then(|_| file.rewind()).map_err(cannot_read)?;
    if is_archive(&head) {
        return read_log_archive(file)
            .or_else(|fault| reject(format!("{}: {fault}", path.display())));
    }
    let (_, bytes) = read_unpacked_file(path)?;
    match strip_byte_order_mark(&bytes) {
        Ok(bytes) => match parse_log_document(bytes) {
            Some(log) => Ok(log),
            None => reject(format!(
                "{} is no log of Inspect: it is no archive, and no JSON document with 'eval' and 'samples' that ends \
                 as it begins; transcripts of other tools are taken by 'elenchus labels import'",
                path.display()
            )),
        },
        Err(why) => reject(format!("{}: {why}", path.display())),
    }
}

/// How much of a file says whether it is an archive.
const HEAD_BYTES: u64 = 4;

/// Returns a file's name without its end.
fn file_stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// `harmbench_q12.json` is a debate of `harmbench`.
fn dataset_name(name: &str) -> String {
    let stem = name.trim_end_matches(".json");
    match stem.rsplit_once("_q") {
        Some((dataset, number)) if number.parse::<u64>().is_ok() => dataset.to_owned(),
        Some(_) | None => stem.to_owned(),
    }
}
