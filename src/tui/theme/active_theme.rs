//! Active theme, which outlives mistakes in its own file.

use super::theme_file::ThemeError;
use super::themes::{Theme, Themes};

/// The last theme that was good, and what is wrong with the one that was wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveTheme {
    /// Name that was asked for.
    wanted: String,
    theme: Option<Theme>,
    fault: Option<ThemeError>,
}

impl ActiveTheme {
    /// Puts a theme on.
    pub fn new(themes: &Themes, name: &str) -> Self {
        let mut worn = Self {
            wanted: String::new(),
            theme: None,
            fault: None,
        };
        worn.wear(themes, name);
        worn
    }

    /// Puts another theme on, or the same one read again; a wrong one leaves the last good one.
    pub fn wear(&mut self, themes: &Themes, name: &str) {
        name.clone_into(&mut self.wanted);
        match themes.theme(name) {
            Ok(theme) => {
                self.theme = Some(theme);
                self.fault = None;
            }
            Err(fault) => self.fault = Some(fault),
        }
    }

    /// Reads the theme again that was asked for last.
    pub fn again(&mut self, themes: &Themes) {
        let name = self.wanted.clone();
        self.wear(themes, &name);
    }

    /// Returns the name that was asked for last.
    pub fn wanted(&self) -> &str {
        &self.wanted
    }

    /// Returns the theme in use; `None` when none was ever good.
    pub fn theme(&self) -> Option<&Theme> {
        self.theme.as_ref()
    }

    /// Returns what is wrong with the theme that was asked for last.
    pub fn fault(&self) -> Option<&ThemeError> {
        self.fault.as_ref()
    }
}
