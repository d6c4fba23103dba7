//! Exports of label tools, and sheets of labels in long form: answers with a label a person. Pure.
//!
//! Every tool's file is first a list of tasks with their texts and answers; which column is the prompt, the
//! completion and the label is chosen over all of them; then one answer to one prompt is one item with a label a
//! person. What is no single verdict, and what a person skipped, is no label: it is counted, and a skip is kept.

mod answers;
mod argilla;
mod detection;
mod divided_text;
mod doccano;
mod flat_rows;
mod label_studio;
mod potato;
mod prodigy;
mod question;
mod source_rows;
mod task;
mod text_columns;
mod verdict;

pub use source_rows::SourceRows;

use super::finished_debate::{FinishedFile, RefusedRow, limit_rows};
use super::label_columns::LabelColumns;
use super::label_file_kind::LabelFileKind;
use answers::collect_answers;
use detection::detect_kind;
use question::choose_question;
use task::ToolFile;
use text_columns::choose_texts;

/// Reads the export of a label tool, or a sheet in long form; `None` for a sheet in wide form, which is read as a
/// table of completions. `stem` is the file's name without its ends: it names people whom the file does not.
pub fn read_tool_file(stem: &str, rows: &SourceRows, asked: &LabelColumns) -> Option<FinishedFile> {
    let kind = asked.kind.unwrap_or_else(|| detect_kind(rows, asked));
    let file = match kind {
        LabelFileKind::LabelStudio => label_studio::parse_label_studio(rows, asked),
        LabelFileKind::Argilla => argilla::parse_argilla(rows, asked),
        LabelFileKind::Doccano => doccano::parse_doccano(rows, asked),
        LabelFileKind::Potato => potato::parse_potato(rows, asked),
        LabelFileKind::Prodigy => prodigy::parse_prodigy(rows, asked),
        LabelFileKind::Long => flat_rows::parse_flat_rows(rows, asked, flat_rows::LONG),
        LabelFileKind::Wide => return None,
    };
    let mut finds = FinishedFile {
        set: asked.set.clone(),
        ..FinishedFile::default()
    };
    for (line, why) in rows.broken.iter().chain(&file.broken) {
        finds.refuse_row(*line, why.clone());
    }
    if let Err(why) = fill_finished_file(&mut finds, (stem, kind), file, asked) {
        finds.refuse_row(1, why);
    }
    finds.refused.sort_by_key(|refused| refused.line);
    limit_rows(&mut finds);
    Some(finds)
}

fn fill_finished_file(
    finds: &mut FinishedFile,
    (stem, kind): (&str, LabelFileKind),
    file: ToolFile,
    asked: &LabelColumns,
) -> Result<(), String> {
    let texts = choose_texts(&file, asked)?;
    let question = choose_question(&file, &texts, asked)?;
    finds.reading = Some(question.build_reading(kind, &file, &texts, asked)?);
    if asked.set.is_none() {
        return Err("say which label set people labelled by: --set".to_owned());
    }
    collect_answers(finds, stem, &file, &texts, &question, asked);
    Ok(())
}

impl FinishedFile {
    fn refuse_row(&mut self, line: u64, why: String) {
        self.refused.push(RefusedRow { line, why });
    }
}
