//! Corpus of labelled critiques, one JSON object a line: a problem with its answer, a proposal, a critique of it,
//! and what two readers say that the critique names.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The most critiques of a corpus.
const MAX_CRITIQUES: usize = 10_000;

/// What a critique names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::VariantArray, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum CritiqueClass {
    NamesNothing,
    /// It names an error that the proposal does not have.
    NamesAbsentError,
    NamesPresentError,
}

impl CritiqueClass {
    /// Every class, in the order of tables.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns the name in files.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A critique with what its readers say of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LabelledCritique {
    pub id: String,
    pub problem: String,
    /// The reference answer.
    pub answer: String,
    pub proposal: String,
    pub critique: String,
    pub labels: TwoLabels,
}

/// The labels of two readers who did not know each other's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwoLabels {
    pub a: CritiqueClass,
    pub b: CritiqueClass,
}

/// Why a corpus cannot be used.
#[derive(Debug, Error)]
pub enum CorpusError {
    #[error(
        "line {line}: {why}; each line is an object with id, problem, answer, proposal, critique and \
         labels = {{\"a\": CLASS, \"b\": CLASS}}, where CLASS is names_nothing, names_absent_error or \
         names_present_error"
    )]
    Line { line: usize, why: serde_json::Error },
    #[error("line {line}: the id '{id}' stands on an earlier line; give every critique its own")]
    SameId { line: usize, id: String },
    #[error("there is no critique in it")]
    Empty,
    #[error("it has more than {MAX_CRITIQUES} critiques; check a part of them")]
    TooMany,
}

/// Parses a corpus; empty lines are skipped.
///
/// # Errors
/// When a line is no labelled critique, two have one id, or there are none or too many.
pub fn parse_corpus(text: &str) -> Result<Vec<LabelledCritique>, CorpusError> {
    let mut critiques: Vec<LabelledCritique> = Vec::new();
    let mut ids = std::collections::HashSet::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let critique: LabelledCritique =
            serde_json::from_str(line).map_err(|why| CorpusError::Line { line: number, why })?;
        if !ids.insert(critique.id.clone()) {
            let (line, id) = (number, critique.id);
            return Err(CorpusError::SameId { line, id });
        }
        if critiques.len() == MAX_CRITIQUES {
            return Err(CorpusError::TooMany);
        }
        critiques.push(critique);
    }
    match critiques.is_empty() {
        true => Err(CorpusError::Empty),
        false => Ok(critiques),
    }
}
