//! Parser of `protocol.toml` files.

use super::check;
use super::locate::{SettingTest, line_at, line_of, setting_references};
use super::settings::{SettingSpec, SettingValue, Settings};
use super::{Protocol, ProtocolFault};
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// Reason why a protocol cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProtocolError {
    /// The text does not follow the format, at this line.
    #[error("{file}:{line}: {why}")]
    Text {
        file: String,
        line: usize,
        why: String,
    },
    /// The text follows the format but the game cannot be played.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Game(Vec<ProtocolFault>),
    /// A given setting that the protocol does not have.
    #[error("protocol '{protocol}' has no setting '{name}'; it has {known}")]
    UnknownSetting {
        protocol: String,
        name: String,
        known: String,
    },
    /// A given value that the setting does not take.
    #[error("setting '{name}' cannot be '{value}': it takes {expected}")]
    SettingValue {
        name: String,
        value: String,
        expected: String,
    },
}

/// The text of a protocol, with the settings it declares.
#[derive(Debug, Clone)]
pub struct ProtocolFile {
    file: String,
    text: String,
    id: String,
    settings: BTreeMap<String, SettingSpec>,
}

#[derive(Deserialize)]
struct Declarations {
    #[serde(default)]
    id: String,
    #[serde(default)]
    settings: BTreeMap<String, SettingSpec>,
}

impl ProtocolFile {
    /// Returns file and line of the first occurrence of a word, comments excluded.
    pub fn place_of_word(&self, word: &str) -> Option<String> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let says = |line: &str| {
            let code = line.split('#').next().unwrap_or_default();
            code.split(|c| !is_part(c)).any(|part| part == word)
        };
        let line = self.text.lines().position(says)? + 1;
        Some(format!("{}:{line}", self.file))
    }

    /// Parses the declarations of a protocol's text. `file` is the name used in errors.
    ///
    /// # Errors
    /// With the line, when the text is no TOML or a setting is declared wrongly.
    pub fn parse(file: &str, text: &str) -> Result<Self, ProtocolError> {
        let head: Declarations =
            toml::from_str(text).map_err(|error| text_error(file, text, &error))?;
        for (name, spec) in &head.settings {
            if let Err(expected) = spec.check_value(&spec.default) {
                return Err(ProtocolError::Text {
                    file: file.to_owned(),
                    line: line_of(text, &["settings".into(), name.as_str().into()]),
                    why: format!("the default of setting '{name}' is not {expected}"),
                });
            }
        }
        Ok(Self {
            file: file.to_owned(),
            text: text.to_owned(),
            id: head.id,
            settings: head.settings,
        })
    }

    /// Returns the text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the settings the protocol declares.
    pub fn settings(&self) -> &BTreeMap<String, SettingSpec> {
        &self.settings
    }

    /// Fills in the values of settings and checks the game.
    ///
    /// Returns the game and the value of every setting, defaults included.
    ///
    /// # Errors
    /// When a given setting is unknown or out of range, or the game cannot be played.
    pub fn resolve_protocol(
        &self,
        given: &Settings,
    ) -> Result<(Protocol, Settings), ProtocolError> {
        let values = self.resolve_values(given)?;
        let text = self.substitute_settings(&values)?;
        let mut protocol: Protocol =
            toml::from_str(&text).map_err(|error| text_error(&self.file, &text, &error))?;
        let faults = check::find_faults(&protocol);
        if faults.is_empty() {
            protocol.drop_alternatives();
            protocol.drop_disabled_feedback();
            protocol.drop_empty_draws();
            protocol.grade_by_current_version();
            protocol.add_asked_graders();
            return Ok((protocol, values));
        }
        Err(ProtocolError::Game(
            faults
                .into_iter()
                .map(|fault| ProtocolFault {
                    file: self.file.clone(),
                    line: line_of(&text, &fault.path),
                    why: fault.why,
                })
                .collect(),
        ))
    }

    fn resolve_values(&self, given: &Settings) -> Result<Settings, ProtocolError> {
        let mut values: Settings = self
            .settings
            .iter()
            .map(|(name, spec)| (name.clone(), spec.default.clone()))
            .collect();
        for (name, value) in given {
            let Some(spec) = self.settings.get(name) else {
                return Err(ProtocolError::UnknownSetting {
                    protocol: self.id.clone(),
                    name: name.clone(),
                    known: list_setting_names(&self.settings),
                });
            };
            let value =
                spec.check_value(value)
                    .map_err(|expected| ProtocolError::SettingValue {
                        name: name.clone(),
                        value: value.to_string(),
                        expected,
                    })?;
            values.insert(name.clone(), value);
        }
        Ok(values)
    }

    /// Replaces every value `"$name"` by the setting's value, keeping the lines.
    fn substitute_settings(&self, values: &Settings) -> Result<String, ProtocolError> {
        let mut out = String::with_capacity(self.text.len());
        let mut copy_start = 0;
        for reference in setting_references(&self.text) {
            let (place, name) = (&reference.place, &reference.name);
            let fault = |why: String| ProtocolError::Text {
                file: self.file.clone(),
                line: line_at(&self.text, place.start),
                why,
            };
            let value = self.declared_value(name, values).map_err(fault)?;
            out.push_str(&self.text[copy_start..place.start]);
            match &reference.test {
                None => out.push_str(&value.to_toml_literal()),
                Some((test, wanted)) => {
                    let holds = self.is_value(name, value, wanted).map_err(fault)?;
                    let holds = match test {
                        SettingTest::Is => holds,
                        SettingTest::IsNot => !holds,
                    };
                    let selected_value = match &reference.choice {
                        None => SettingValue::Bool(holds),
                        Some((this, _)) if holds => {
                            self.choice_value(this, values).map_err(fault)?
                        }
                        Some((_, that)) => self.choice_value(that, values).map_err(fault)?,
                    };
                    out.push_str(&selected_value.to_toml_literal());
                }
            }
            copy_start = place.end;
        }
        out.push_str(&self.text[copy_start..]);
        Ok(out)
    }

    /// Returns the value of a setting that must be declared.
    fn declared_value<'a>(
        &self,
        name: &str,
        values: &'a Settings,
    ) -> Result<&'a SettingValue, String> {
        values.get(name).ok_or_else(|| {
            format!(
                "\"${name}\" names a setting that is not declared; declared are {}",
                list_setting_names(&self.settings)
            )
        })
    }

    /// Returns one of two values of a choice: a literal, or that of another setting.
    fn choice_value(&self, text: &str, values: &Settings) -> Result<SettingValue, String> {
        match text.strip_prefix('$') {
            Some(name) => self.declared_value(name, values).cloned(),
            None => Ok(SettingValue::parse(text)),
        }
    }

    /// Returns whether a setting has one of the values between `|`, each of which it must be able to have.
    fn is_value(&self, name: &str, value: &SettingValue, wanted: &str) -> Result<bool, String> {
        // All of them are looked at: one that the setting can never have is a fault wherever it stands.
        wanted.split('|').try_fold(false, |holds, one| {
            Ok(self.is_one_value(name, value, one)? || holds)
        })
    }

    fn is_one_value(&self, name: &str, value: &SettingValue, wanted: &str) -> Result<bool, String> {
        let describe_mismatch = |spec: &SettingSpec| {
            format!(
                "setting '{name}' can never be '{wanted}': it takes {}",
                spec.describe_accepted_values()
            )
        };
        let accepted_value = match self.settings.get(name) {
            None => SettingValue::parse(wanted),
            // 'off' is a text where the setting is one.
            Some(spec) => spec
                .parse_value(wanted)
                .map_err(|_| describe_mismatch(spec))?,
        };
        Ok(&accepted_value == value)
    }
}

fn list_setting_names(settings: &BTreeMap<String, SettingSpec>) -> String {
    if settings.is_empty() {
        return "none".to_owned();
    }
    settings.keys().cloned().collect::<Vec<_>>().join(", ")
}

fn text_error(file: &str, text: &str, error: &toml::de::Error) -> ProtocolError {
    ProtocolError::Text {
        file: file.to_owned(),
        line: error.span().map_or(1, |span| line_at(text, span.start)),
        why: error.message().trim().replace('\n', "; "),
    }
}
