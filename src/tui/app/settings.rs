//! Settings of the workbench, as files and flags write them.

use elenchus_run::experiments::ExperimentColumn;
use elenchus_terminal::{ColorChoice, GlyphChoice, LinkChoice};
use serde::Deserialize;

/// `[workbench]` of a configuration file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkbenchSettings {
    /// The name of a theme.
    #[serde(default)]
    pub theme: Option<String>,
    #[serde(default)]
    pub color: Option<ColorChoice>,
    #[serde(default)]
    pub glyphs: Option<GlyphChoice>,
    #[serde(default)]
    pub link: Option<LinkChoice>,
    /// Whether the terminal reports its mouse to the workbench.
    #[serde(default)]
    pub mouse: Option<bool>,
    /// Columns of the list of experiments, in their order; by the width of the terminal where there are none.
    #[serde(default)]
    pub experiment_columns: Option<Vec<ExperimentColumn>>,
}

impl WorkbenchSettings {
    /// Returns these settings where they are given, else the others.
    pub fn or(self, other: Self) -> Self {
        Self {
            theme: self.theme.or(other.theme),
            color: self.color.or(other.color),
            glyphs: self.glyphs.or(other.glyphs),
            link: self.link.or(other.link),
            mouse: self.mouse.or(other.mouse),
            experiment_columns: self.experiment_columns.or(other.experiment_columns),
        }
    }
}
