//! Kinds of files of labels, by their names on the command line.

use elenchus_dataset::is_same_column;
use std::str::FromStr;

/// Kind of a file of labels, in the order of messages.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    strum::Display,
    strum::IntoStaticStr,
    strum::VariantArray,
    strum::VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum LabelFileKind {
    /// JSON, JSON-MIN or CSV.
    LabelStudio,
    Argilla,
    Doccano,
    Potato,
    Prodigy,
    /// A sheet with a row an annotation.
    Long,
    /// A sheet with a row an answer and a column a person.
    Wide,
}

impl LabelFileKind {
    /// Returns the kind's name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns what a file of this kind is, for reports.
    pub fn describe(self) -> &'static str {
        match self {
            Self::LabelStudio => "an export of Label Studio",
            Self::Argilla => "an export of Argilla",
            Self::Doccano => "an export of doccano",
            Self::Potato => "an export of Potato",
            Self::Prodigy => "an export of Prodigy",
            Self::Long => "a sheet with a row an annotation",
            Self::Wide => "a sheet with a row an answer",
        }
    }
}

impl FromStr for LabelFileKind {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let mut all = <Self as strum::VariantArray>::VARIANTS.iter().copied();
        all.find(|kind| is_same_column(kind.name(), given))
            .ok_or_else(|| {
                let names = <Self as strum::VariantNames>::VARIANTS.join(", ");
                format!("`{given}` is no kind of a file of labels: kinds are {names}")
            })
    }
}
