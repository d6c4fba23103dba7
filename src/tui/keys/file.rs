//! Key bindings in a configuration file: `[keys.<context>]` with `action = ["key", …]`.

use super::action::Action;
use super::defaults::{Chord, Context, DefaultKeys};
use super::key_table::{KeyError, KeyOverride};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads the changes of keys that a configuration file asks for; `text` is the whole file.
///
/// # Errors
/// With the line, when a context, an action or a key is unknown. A file that is no TOML has none: it
/// is reported where the rest of it is read.
pub fn parse_overrides(
    file: &str,
    text: &str,
    defaults: &DefaultKeys,
) -> Result<Vec<KeyOverride>, KeyError> {
    let reader = KeysReader {
        file,
        text,
        defaults,
    };
    let Ok(whole) = DeTable::parse(text) else {
        return Ok(Vec::new());
    };
    let Some(keys) = whole.get_ref().get("keys") else {
        return Ok(Vec::new());
    };
    let mut overrides = Vec::new();
    for (name, table) in reader.parse_table(keys, "[keys]")? {
        let context = reader.parse_context(name)?;
        for (name, chords) in reader.parse_table(table, &format!("[keys.{}]", context.name()))? {
            overrides.push(reader.parse_override(context, name, chords)?);
        }
    }
    Ok(overrides)
}

struct KeysReader<'a> {
    file: &'a str,
    text: &'a str,
    defaults: &'a DefaultKeys,
}

type SpannedName<'a> = Spanned<std::borrow::Cow<'a, str>>;

impl KeysReader<'_> {
    fn parse_override(
        &self,
        context: Context,
        name: &SpannedName<'_>,
        chords: &Spanned<DeValue<'_>>,
    ) -> Result<KeyOverride, KeyError> {
        let action = self
            .defaults
            .find_action(name.get_ref().as_ref())
            .ok_or_else(|| {
                let here = self.defaults.list_actions(context);
                let names: Vec<&str> = here.into_iter().map(Action::name).collect();
                let why = format!(
                    "there is no action '{}'; here are {}",
                    name.get_ref(),
                    names.join(", ")
                );
                self.fault_at_span(name.span(), why)
            })?;
        let list = chords.get_ref().as_array().ok_or_else(|| {
            let why = format!(
                "'{}' needs a list of keys, for example [\"g g\"]",
                action.name()
            );
            self.fault_at_span(chords.span(), why)
        })?;
        let chords = list
            .iter()
            .map(|item| self.parse_chord(item))
            .collect::<Result<_, _>>()?;
        Ok(KeyOverride {
            context,
            action,
            chords,
            file: self.file.to_owned(),
            line: self.line_number(name.span()),
        })
    }

    fn parse_chord(&self, item: &Spanned<DeValue<'_>>) -> Result<Chord, KeyError> {
        item.get_ref()
            .as_str()
            .ok_or_else(|| "a key is written in quotes".to_owned())
            .and_then(str::parse)
            .map_err(|why| self.fault_at_span(item.span(), why))
    }

    fn parse_context(&self, name: &SpannedName<'_>) -> Result<Context, KeyError> {
        let contexts = self.defaults.list_contexts();
        let mut candidates = contexts.iter().copied();
        candidates
            .find(|context| context.name() == name.get_ref().as_ref())
            .ok_or_else(|| {
                let names: Vec<&str> = contexts.iter().map(|one| one.name()).collect();
                let why = format!(
                    "there is no context '{}'; there are {}",
                    name.get_ref(),
                    names.join(", ")
                );
                self.fault_at_span(name.span(), why)
            })
    }

    fn parse_table<'t, 'v>(
        &self,
        value: &'t Spanned<DeValue<'v>>,
        what: &str,
    ) -> Result<&'t DeTable<'v>, KeyError> {
        value
            .get_ref()
            .as_table()
            .ok_or_else(|| self.fault_at_span(value.span(), format!("{what} must be a table")))
    }

    fn fault_at_span(&self, span: Range<usize>, why: String) -> KeyError {
        KeyError {
            file: self.file.to_owned(),
            line: self.line_number(span),
            why,
        }
    }

    fn line_number(&self, span: Range<usize>) -> usize {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        1 + before.matches('\n').count()
    }
}
