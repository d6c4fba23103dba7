//! Active theme, which outlives mistakes in its own file.

use super::theme_file::ThemeError;
use super::themes::{Theme, Themes};

/// The last theme that was good, and what is wrong with the one that was wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveTheme {
    /// Name that was asked for.
    requested_name: String,
    theme: Option<Theme>,
    fault: Option<ThemeError>,
}

impl ActiveTheme {
    /// Puts a theme on.
    pub fn new(themes: &Themes, name: &str) -> Self {
        let mut active_theme = Self {
            requested_name: String::new(),
            theme: None,
            fault: None,
        };
        active_theme.set_theme(themes, name);
        active_theme
    }

    /// Puts another theme on, or the same one read again; a wrong one leaves the last good one.
    pub fn set_theme(&mut self, themes: &Themes, name: &str) {
        name.clone_into(&mut self.requested_name);
        match themes.resolve_theme(name) {
            Ok(theme) => {
                self.theme = Some(theme);
                self.fault = None;
            }
            Err(fault) => self.fault = Some(fault),
        }
    }

    /// Reads the theme again that was asked for last.
    pub fn reload_theme(&mut self, themes: &Themes) {
        let name = self.requested_name.clone();
        self.set_theme(themes, &name);
    }

    /// Returns the name that was asked for last.
    pub fn requested_name(&self) -> &str {
        &self.requested_name
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
