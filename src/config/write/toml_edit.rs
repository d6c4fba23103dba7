//! Edits of a TOML text at byte ranges: every other byte stays as it is.

use super::WriteError;
use std::ops::Range;
use toml_edit::{Array, Document, Item, Key, Table};

/// A TOML text with the edits that were collected for it.
pub(super) struct TomlEditor<'a> {
    text: &'a str,
    document: Document<&'a str>,
    edits: Vec<(Range<usize>, String)>,
    appended: String,
}

impl<'a> TomlEditor<'a> {
    /// Parses a text.
    ///
    /// # Errors
    /// With the line, when it is not TOML.
    pub fn parse(text: &'a str) -> Result<Self, WriteError> {
        let document = Document::parse(text).map_err(|error| WriteError::Text {
            line: error.span().map_or(1, |span| line_number(text, span.start)),
            why: error.message().trim().replace('\n', "; "),
        })?;
        Ok(Self {
            text,
            document,
            edits: Vec::new(),
            appended: String::new(),
        })
    }

    /// Appends lines at the end, after an empty line.
    pub fn append(&mut self, lines: &str) {
        if !self.text.is_empty() || !self.appended.is_empty() {
            self.appended.push('\n');
        }
        self.appended.push_str(lines);
    }

    /// Sets a key of an entry, such as `base_url` of `[providers.NAME]`; a new key is added after
    /// the key `after`.
    pub fn set_key(&mut self, path: [&str; 2], key: &str, value: &str, after: &str) -> Option<()> {
        let table = self.find_entry(path)?.1.as_table()?;
        if let Some(item) = table.get(key) {
            self.edits.push((item.span()?, value.to_owned()));
            return Some(());
        }
        let end = end_of_line(self.text, table.get(after)?.span()?.end);
        self.edits.push((end..end, format!("\n{key} = {value}")));
        Some(())
    }

    /// Adds a provider to a model: a single `provider` becomes a list.
    pub(super) fn add_model_provider(&mut self, model: &str, provider: &str) -> Option<()> {
        let (_, entry) = self.find_entry(["models", model])?;
        let entry = entry.as_table_like()?;
        if let Some(list) = entry.get("providers").and_then(Item::as_array) {
            let end = list.iter().last()?.span()?.end;
            self.edits
                .push((end..end, format!(", {}", super::quote_toml(provider))));
            return Some(());
        }
        let (key, one) = entry.get_key_value("provider")?;
        let current_name = one.as_str()?;
        let list = format!(
            "[{}, {}]",
            super::quote_toml(current_name),
            super::quote_toml(provider)
        );
        let (key, value) = (key.span()?, one.span()?);
        self.edits.push((key, "providers".to_owned()));
        self.edits.push((value, list));
        Some(())
    }

    /// Removes a provider from a model's list.
    pub(super) fn remove_provider(&mut self, model: &str, provider: &str) -> Option<()> {
        let (_, entry) = self.find_entry(["models", model])?;
        let list = entry.as_table_like()?.get("providers")?.as_array()?;
        self.edits.push(format_list_without(list, provider)?);
        Some(())
    }

    /// Removes an entry, with its tables and the comment directly above it.
    pub fn remove(&mut self, path: [&str; 2]) -> Option<()> {
        let (key, entry) = self.find_entry(path)?;
        let mut places = Vec::new();
        self.collect_places(key, entry, &mut places)?;
        places.sort_by_key(|place| place.start);
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for place in places {
            match ranges.last_mut() {
                Some(last) if place.start <= last.end => last.end = place.end.max(last.end),
                Some(_) | None => ranges.push(place),
            }
        }
        for place in ranges {
            let place = self.extend_over_empty_line(place);
            self.edits.push((place, String::new()));
        }
        Some(())
    }

    /// Returns the edited text.
    pub fn finish(mut self) -> String {
        self.edits
            .sort_by_key(|(place, _)| (place.start, place.end));
        let mut text = String::with_capacity(self.text.len() + self.appended.len());
        let mut at = 0;
        for (place, new) in &self.edits {
            // Two removed entries may share the empty line between them.
            let start = place.start.max(at);
            if place.end < start {
                continue;
            }
            text.push_str(&self.text[at..start]);
            text.push_str(new);
            at = place.end;
        }
        text.push_str(&self.text[at..]);
        if !self.text.starts_with('\n') {
            // The first entry was removed, and the empty line after it is left.
            text = text.trim_start_matches('\n').to_owned();
        }
        if !text.is_empty() && !text.ends_with('\n') && !self.appended.is_empty() {
            text.push('\n');
        }
        text + &self.appended
    }

    fn find_entry(&self, [table, name]: [&str; 2]) -> Option<(&Key, &Item)> {
        let table = self.document.as_table().get(table)?;
        table.as_table_like()?.get_key_value(name)
    }

    /// Collects the lines of an entry.
    fn collect_places(&self, key: &Key, item: &Item, places: &mut Vec<Range<usize>>) -> Option<()> {
        match item {
            Item::None => {}
            Item::Value(value) => {
                places.push(self.extend_to_lines(key.span()?.start..value.span()?.end));
            }
            Item::Table(table) => self.collect_table_places(table, places)?,
            Item::ArrayOfTables(tables) => {
                for table in tables.iter() {
                    self.collect_table_places(table, places)?;
                }
            }
        }
        Some(())
    }

    fn collect_table_places(&self, table: &Table, places: &mut Vec<Range<usize>>) -> Option<()> {
        if let Some(header) = table.span().filter(|_| !table.is_dotted()) {
            places.push(self.extend_to_lines(header));
        }
        for (name, item) in table.iter() {
            self.collect_places(table.key(name)?, item, places)?;
        }
        Some(())
    }

    /// Extends a range to whole lines, with the comment directly above them. A comment at the top
    /// of the file belongs to no entry.
    fn extend_to_lines(&self, place: Range<usize>) -> Range<usize> {
        let start = start_of_line(self.text, place.start);
        let end = (end_of_line(self.text, place.end) + 1).min(self.text.len());
        let mut above = start;
        while above > 0 {
            let line = start_of_line(self.text, above - 1);
            if !self.text[line..above].trim_start().starts_with('#') {
                break;
            }
            above = line;
        }
        match above {
            0 => start..end,
            above => above..end,
        }
    }

    /// Extends a removed range by the empty line before it.
    fn extend_over_empty_line(&self, place: Range<usize>) -> Range<usize> {
        match self.text[..place.start].ends_with("\n\n") {
            true => place.start - 1..place.end,
            false => place,
        }
    }
}

/// Returns the list without one of its texts: comments between the others are rare, and are lost.
fn format_list_without(list: &Array, taken: &str) -> Option<(Range<usize>, String)> {
    let other_names = list.iter().filter_map(|value| value.as_str());
    let other_names: Vec<String> = other_names
        .filter(|name| *name != taken)
        .map(super::quote_toml)
        .collect();
    Some((list.span()?, format!("[{}]", other_names.join(", "))))
}

fn line_number(text: &str, at: usize) -> usize {
    1 + text[..at.min(text.len())].matches('\n').count()
}

fn start_of_line(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

fn end_of_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |found| at + found)
}
