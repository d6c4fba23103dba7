//! Reader of the values of a plan's file, with the line of what is wrong.

use elenchus_game::debate::event::{MAX_LESSONS, MemoryQuery, Placebo};
use elenchus_game::debate::protocol::{SettingValue, line_at};
use elenchus_records::workspace::{Result, WorkspaceError};
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(super) type Key<'a> = Spanned<Cow<'a, str>>;
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// Names that are as near to an unknown one as this are what was perhaps meant.
const NEAR: f64 = 0.8;

#[derive(Debug, Clone, Copy)]
pub(super) struct FileReader<'a> {
    pub file: &'a str,
    pub text: &'a str,
}

impl FileReader<'_> {
    /// Returns an error at a byte offset of the file.
    pub fn fault_at(&self, at: usize, why: String) -> WorkspaceError {
        let line = self.line_at(at);
        WorkspaceError::Invalid(format!("{}:{line}: {why}", self.file))
    }

    /// Returns the line of a byte offset, from 1.
    pub fn line_at(&self, at: usize) -> usize {
        line_at(self.text, at)
    }

    /// Refuses a key that is not known.
    pub fn check_key(&self, key: &Key<'_>, of: &str, known: &[&str]) -> Result<()> {
        let key_name = key.get_ref().as_ref();
        if known.contains(&key_name) {
            return Ok(());
        }
        let near = known
            .iter()
            .find(|name| strsim::jaro(name, key_name) >= NEAR);
        let hint = near.map_or_else(String::new, |name| format!(" (is '{name}' meant?)"));
        let why = format!(
            "{of} has no '{key_name}'{hint}; it has {}",
            known.join(", ")
        );
        Err(self.fault_at(key.span().start, why))
    }

    pub fn parse_table<'v>(&self, value: &'v Value<'v>, name: &str) -> Result<&'v DeTable<'v>> {
        let table = value.get_ref().as_table();
        table.ok_or_else(|| self.type_error(value, &format!("'{name}' to be a table")))
    }

    /// Returns the values of a list, which must not be empty.
    pub fn parse_items<'v>(&self, value: &'v Value<'v>) -> Result<&'v [Value<'v>]> {
        let items = value.get_ref().as_array();
        let items = items.ok_or_else(|| self.type_error(value, "a list, as in [1, 2]"))?;
        if items.is_empty() {
            return Err(self.fault_at(value.span().start, "the list is empty".to_owned()));
        }
        Ok(items)
    }

    pub fn parse_text(&self, value: &Value<'_>) -> Result<String> {
        let text = value.get_ref().as_str().map(str::to_owned);
        let text = text.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| self.type_error(value, "a text"))
    }

    pub fn parse_bool(&self, value: &Value<'_>) -> Result<bool> {
        let flag = value.get_ref().as_bool();
        flag.ok_or_else(|| self.type_error(value, "true or false"))
    }

    /// Reads a whole number that is not negative.
    pub fn parse_whole(&self, value: &Value<'_>) -> Result<u64> {
        let whole = match self.parse_setting(value)? {
            SettingValue::Integer(whole) => u64::try_from(whole).ok(),
            SettingValue::Bool(_) | SettingValue::Float(_) | SettingValue::Text(_) => None,
        };
        whole.ok_or_else(|| self.type_error(value, "a whole number, at least 0"))
    }

    /// Reads a number of things, at least one.
    pub fn parse_count(&self, value: &Value<'_>) -> Result<usize> {
        let count = usize::try_from(self.parse_whole(value)?).ok();
        let count = count.filter(|count| *count > 0);
        count.ok_or_else(|| self.type_error(value, "a whole number, at least 1"))
    }

    /// Reads a number of things that fits 32 bits, at least one.
    pub fn parse_small_count(&self, value: &Value<'_>) -> Result<u32> {
        let count = u32::try_from(self.parse_count(value)?).ok();
        count.ok_or_else(|| self.type_error(value, "a smaller number"))
    }

    pub fn parse_number(&self, value: &Value<'_>) -> Result<f64> {
        match self.parse_setting(value)? {
            SettingValue::Integer(whole) => Ok(whole as f64),
            SettingValue::Float(number) => Ok(number),
            SettingValue::Bool(_) | SettingValue::Text(_) => {
                Err(self.type_error(value, "a number"))
            }
        }
    }

    /// Reads how many lessons a debate is shown.
    pub fn parse_lesson_count(&self, value: &Value<'_>) -> Result<u32> {
        let lesson_count = u32::try_from(self.parse_count(value)?).ok();
        let lesson_count = lesson_count.filter(|count| *count <= MAX_LESSONS);
        lesson_count
            .ok_or_else(|| self.type_error(value, &format!("a number from 1 to {MAX_LESSONS}")))
    }

    /// Reads what memory is searched by.
    pub fn parse_memory_query(&self, value: &Value<'_>) -> Result<MemoryQuery> {
        let name = self.parse_text(value)?;
        MemoryQuery::from_name(&name).map_err(|why| self.fault_at(value.span().start, why))
    }

    /// Reads what debates of a batch exchange.
    pub fn parse_placebo(&self, value: &Value<'_>) -> Result<Placebo> {
        let name = self.parse_text(value)?;
        Placebo::from_name(&name).map_err(|why| self.fault_at(value.span().start, why))
    }

    /// Reads a number between 0 and 1.
    pub fn parse_share(&self, value: &Value<'_>) -> Result<f64> {
        let share = self.parse_number(value)?;
        match share > 0.0 && share < 1.0 {
            true => Ok(share),
            false => Err(self.type_error(value, "a share between 0 and 1, as 0.5")),
        }
    }

    /// Reads a single value.
    pub fn parse_setting(&self, value: &Value<'_>) -> Result<SettingValue> {
        let setting_value = match value.get_ref() {
            DeValue::String(text) => Some(SettingValue::Text(text.to_string())),
            DeValue::Boolean(is) => Some(SettingValue::Bool(*is)),
            DeValue::Integer(digits) => {
                let whole = i64::from_str_radix(digits.as_str(), digits.radix());
                whole.ok().map(SettingValue::Integer)
            }
            DeValue::Float(digits) => {
                let number: Option<f64> = digits.as_str().parse().ok();
                let number = number.filter(|number| number.is_finite());
                number.map(SettingValue::Float)
            }
            DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
        };
        setting_value.ok_or_else(|| self.type_error(value, "a text, a number, true or false"))
    }

    pub fn type_error(&self, value: &Value<'_>, what: &str) -> WorkspaceError {
        let span = value.span();
        let source_text = self.text.get(span.clone()).unwrap_or_default();
        let source_text: String = source_text.chars().take(MAX_FOUND).collect();
        let source_text = source_text.replace('\n', " ");
        self.fault_at(span.start, format!("expected {what}, found {source_text}"))
    }
}

/// Characters of a wrong value that a message repeats.
const MAX_FOUND: usize = 40;
