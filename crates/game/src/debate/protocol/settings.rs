//! Settings of a protocol: values that an experiment may vary without another protocol.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The values of a protocol's settings, by name.
pub type Settings = BTreeMap<String, SettingValue>;

/// A setting that a protocol declares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingSpec {
    pub default: SettingValue,
    pub help: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<SettingValue>,
}

/// One value of a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SettingValue {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
}

impl SettingValue {
    /// Parses typed text: `true`, `3`, `0.5`, anything else as text.
    pub fn parse(text: &str) -> Self {
        match text {
            "true" | "on" | "yes" => return SettingValue::Bool(true),
            "false" | "off" | "no" => return SettingValue::Bool(false),
            _ => {}
        }
        if let Ok(whole) = text.parse() {
            return SettingValue::Integer(whole);
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => SettingValue::Float(number),
            _ => SettingValue::Text(text.to_owned()),
        }
    }

    /// Returns the value as a TOML literal, to replace a reference in a protocol.
    pub(super) fn to_toml_literal(&self) -> String {
        match self {
            SettingValue::Bool(value) => value.to_string(),
            SettingValue::Integer(value) => value.to_string(),
            SettingValue::Float(value) => format!("{value:?}"),
            SettingValue::Text(value) => toml::Value::String(value.clone()).to_string(),
        }
    }

    fn describe_kind(&self) -> &'static str {
        match self {
            SettingValue::Bool(_) => "true or false",
            SettingValue::Integer(_) => "a whole number",
            SettingValue::Float(_) => "a number",
            SettingValue::Text(_) => "a text",
        }
    }

    fn as_number(&self) -> Option<f64> {
        match self {
            SettingValue::Integer(value) => Some(*value as f64),
            SettingValue::Float(value) => Some(*value),
            SettingValue::Bool(_) | SettingValue::Text(_) => None,
        }
    }
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingValue::Bool(value) => write!(f, "{value}"),
            SettingValue::Integer(value) => write!(f, "{value}"),
            SettingValue::Float(value) => write!(f, "{value}"),
            SettingValue::Text(value) => f.write_str(value),
        }
    }
}

impl SettingSpec {
    /// Checks a value against the declaration and returns it in the declared type.
    ///
    /// # Errors
    /// Describes the accepted values, for instance `a whole number from 1 to 10`.
    pub fn check_value(&self, value: &SettingValue) -> Result<SettingValue, String> {
        let value = match (&self.default, value) {
            // A float setting takes `1` as well as `1.0`.
            (SettingValue::Float(_), SettingValue::Integer(whole)) => {
                SettingValue::Float(*whole as f64)
            }
            (_, value) => value.clone(),
        };
        let same_kind = std::mem::discriminant(&self.default) == std::mem::discriminant(&value);
        let in_range = value.as_number().is_none_or(|number| {
            self.min.is_none_or(|min| number >= min) && self.max.is_none_or(|max| number <= max)
        });
        let in_list = self.one_of.is_empty() || self.one_of.contains(&value);
        if same_kind && in_range && in_list {
            return Ok(value);
        }
        Err(self.describe_accepted_values())
    }

    /// Reads a typed value; a setting that is a text takes what is typed as it is.
    ///
    /// # Errors
    /// As [`check_value`](Self::check_value).
    pub fn parse_value(&self, text: &str) -> Result<SettingValue, String> {
        self.check_value(&match self.default {
            SettingValue::Text(_) => SettingValue::Text(text.to_owned()),
            SettingValue::Bool(_) | SettingValue::Integer(_) | SettingValue::Float(_) => {
                SettingValue::parse(text.trim())
            }
        })
    }

    /// Returns the values of a setting that has few, in their order.
    pub fn list_choices(&self) -> Vec<String> {
        match self.default {
            SettingValue::Bool(_) => vec!["true".to_owned(), "false".to_owned()],
            SettingValue::Integer(_) | SettingValue::Float(_) | SettingValue::Text(_) => {
                self.one_of.iter().map(ToString::to_string).collect()
            }
        }
    }

    /// Describes the values that are accepted.
    pub fn describe_accepted_values(&self) -> String {
        if !self.one_of.is_empty() {
            let values: Vec<String> = self.one_of.iter().map(ToString::to_string).collect();
            return format!("one of {}", values.join(", "));
        }
        let kind = self.default.describe_kind();
        match (self.min, self.max) {
            (Some(min), Some(max)) => format!("{kind} from {min} to {max}"),
            (Some(min), None) => format!("{kind}, at least {min}"),
            (None, Some(max)) => format!("{kind}, at most {max}"),
            (None, None) => kind.to_owned(),
        }
    }
}
