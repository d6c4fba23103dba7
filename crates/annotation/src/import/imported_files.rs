//! Files of an import, read into one plan: each as what its name and content say it is.

use super::named_files::{NamedFile, named_files};
use super::{CsvTexts, ImportPlan, LabelMap, plan_import, read_label_table};
use elenchus_dataset::{MAX_FILE_BYTES, read_rows, strip_byte_order_mark};
use elenchus_records::exchange::{
    FinishedFile, FinishedTurn, LabelColumns, RefusedRow, completions, is_no_debate, is_reddebate,
    json_rows, reddebate,
};
use elenchus_records::library::Library;
use elenchus_records::workspace::{Result, invalid};
use elenchus_store::{Layout, StoreError};
use std::collections::BTreeMap;
use std::path::PathBuf;

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
        for file in &named_files(paths)? {
            files.file(file, context)?;
        }
        Ok(files)
    }

    fn file(&mut self, file: &NamedFile, context: &ImportContext<'_>) -> Result<()> {
        let path = &file.path;
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let size = std::fs::metadata(path)
            .map_err(StoreError::io("read", path))?
            .len();
        if size > MAX_FILE_BYTES {
            return invalid(format!(
                "{} is larger than {MAX_FILE_BYTES} bytes; divide it",
                path.display()
            ));
        }
        let bytes = std::fs::read(path).map_err(StoreError::io("read", path))?;
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
            return self.finds(named, &dataset_of(&name), finds, context);
        }
        let is_json = ending.ends_with(".jsonl") || ending.ends_with(".ndjson");
        let (rows, texts) = match is_json {
            true => (json_rows(bytes), CsvTexts::AsTheyAre),
            false => (read_rows(&name, bytes), CsvTexts::Defused),
        };
        if let Some((plan, refused)) = read_label_table(context.layout, &rows, texts) {
            self.plan.extend(plan);
            self.refuse(&name, refused);
            return Ok(());
        }
        let finds = completions(&rows, &context.columns);
        self.finds((&name, &file.shown), &name, finds, context)
    }

    fn finds(
        &mut self,
        (name, shown): (&str, &str),
        source: &str,
        mut finds: FinishedFile,
        context: &ImportContext<'_>,
    ) -> Result<()> {
        for note in std::mem::take(&mut finds.notes) {
            *self.notes.entry(note).or_default() += 1;
        }
        let turns = finds.taken.iter_mut().flat_map(|item| &mut item.turns);
        turns.for_each(FinishedTurn::split_reasoning);
        let (plan, refused) = plan_import(context.library, name, source, &finds, &context.map)?;
        self.refuse(shown, std::mem::take(&mut finds.refused));
        self.refuse(shown, refused);
        self.plan.extend(plan);
        Ok(())
    }

    fn refuse(&mut self, name: &str, refused: Vec<RefusedRow>) {
        let named = refused.into_iter().map(|row| (name.to_owned(), row));
        self.refused.extend(named);
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
