//! Search in an editor's text, ignoring case.

use super::{Edited, Editor, SearchDirection};
use ratatui_textarea::DataCursor;

impl Editor {
    /// Returns what was searched for last.
    pub(crate) fn wanted(&self) -> &str {
        &self.wanted
    }

    /// Looks for a text, ignoring case: [`Editor::act`] goes from one place of it to the next.
    pub fn look_for(&mut self, wanted: String) {
        self.wanted = wanted;
    }

    /// Puts the cursor on the next (or previous) occurrence of what is looked for, wrapping around at
    /// the end.
    pub(super) fn seek(&mut self, onward: SearchDirection) -> Result<Edited, String> {
        if self.wanted.is_empty() {
            return Err("search for something first".to_owned());
        }
        let small = |c: char| c.to_lowercase().next().unwrap_or(c);
        let wanted: Vec<char> = self.wanted.chars().map(small).collect();
        let DataCursor(at_line, at_column) = self.area.cursor();
        let lines = self.area.lines().iter().enumerate();
        let all: Vec<(usize, usize)> = lines
            .flat_map(|(at, line)| places(line, &wanted).into_iter().map(move |c| (at, c)))
            .collect();
        let here = (at_line, at_column);
        let next = match onward {
            SearchDirection::Next => all.iter().find(|place| **place > here).or(all.first()),
            SearchDirection::Previous => {
                all.iter().rev().find(|place| **place < here).or(all.last())
            }
        };
        match next {
            Some((line, column)) => {
                self.go_to(*line, *column);
                Ok(Edited::Moved)
            }
            None => Err(format!("'{}' is not in this text", self.wanted)),
        }
    }
}

/// Returns the character positions in a line at which a text begins, ignoring case.
fn places(line: &str, wanted: &[char]) -> Vec<usize> {
    if wanted.is_empty() {
        return Vec::new();
    }
    // A letter that becomes several when it is made small must not move the places behind it.
    let small = |c: char| c.to_lowercase().next().unwrap_or(c);
    let line: Vec<char> = line.chars().map(small).collect();
    let starts = line.windows(wanted.len()).enumerate();
    starts
        .filter(|(_, window)| *window == wanted)
        .map(|(at, _)| at)
        .collect()
}
