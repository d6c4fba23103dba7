//! Search in an editor's text, ignoring case.

use super::{Edited, Editor, SearchDirection};
use ratatui_textarea::DataCursor;

impl Editor {
    /// Returns what was searched for last.
    pub(crate) fn query(&self) -> &str {
        &self.query
    }

    /// Looks for a text, ignoring case: [`Editor::handle_action`] goes from one place of it to the next.
    pub fn set_query(&mut self, query: String) {
        self.query = query;
    }

    /// Puts the cursor on the next (or previous) occurrence of what is looked for, wrapping around at
    /// the end.
    pub(super) fn find_next(&mut self, onward: SearchDirection) -> Result<Edited, String> {
        if self.query.is_empty() {
            return Err("search for something first".to_owned());
        }
        let small = |c: char| c.to_lowercase().next().unwrap_or(c);
        let letters: Vec<char> = self.query.chars().map(small).collect();
        let DataCursor(at_line, at_column) = self.area.cursor();
        let lines = self.area.lines().iter().enumerate();
        let all: Vec<(usize, usize)> = lines
            .flat_map(|(at, line)| {
                find_places(line, &letters)
                    .into_iter()
                    .map(move |c| (at, c))
            })
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
                self.move_to(*line, *column);
                Ok(Edited::Moved)
            }
            None => Err(format!("'{}' is not in this text", self.query)),
        }
    }
}

/// Returns the character positions in a line at which a text begins, ignoring case.
fn find_places(line: &str, letters: &[char]) -> Vec<usize> {
    if letters.is_empty() {
        return Vec::new();
    }
    // A letter that becomes several when it is made small must not move the places behind it.
    let small = |c: char| c.to_lowercase().next().unwrap_or(c);
    let line: Vec<char> = line.chars().map(small).collect();
    let starts = line.windows(letters.len()).enumerate();
    starts
        .filter(|(_, window)| *window == letters)
        .map(|(at, _)| at)
        .collect()
}
