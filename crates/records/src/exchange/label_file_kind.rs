//! Kinds of files of labels, by their names on the command line.

use elenchus_dataset::is_same_column;
use std::fmt;
use std::str::FromStr;

/// Kind of a file of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// All kinds, in the order of messages.
    pub const ALL: [Self; 7] = [
        Self::LabelStudio,
        Self::Argilla,
        Self::Doccano,
        Self::Potato,
        Self::Prodigy,
        Self::Long,
        Self::Wide,
    ];

    /// Returns the kind's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::LabelStudio => "label-studio",
            Self::Argilla => "argilla",
            Self::Doccano => "doccano",
            Self::Potato => "potato",
            Self::Prodigy => "prodigy",
            Self::Long => "long",
            Self::Wide => "wide",
        }
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

impl fmt::Display for LabelFileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for LabelFileKind {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let mut all = Self::ALL.into_iter();
        all.find(|kind| is_same_column(kind.name(), given))
            .ok_or_else(|| {
                let names = Self::ALL.map(Self::name).join(", ");
                format!("`{given}` is no kind of a file of labels: kinds are {names}")
            })
    }
}
