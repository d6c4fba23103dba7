//! Theme file as parsed, before inheritance. Touches no file.

use super::colour::{ANSI, Rgb};
use super::look::MAX_TAG;
use elenchus_text::Role;
use ratatui::style::{Color, Modifier};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use thiserror::Error;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A theme that cannot be used; the one before it stays.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ThemeError {
    #[error("{file}:{line}: {why}")]
    Text {
        file: String,
        line: usize,
        why: String,
    },
    #[error("cannot read {file}: {why}")]
    Unreadable { file: String, why: String },
    #[error("there is no theme '{name}'; there are {known}")]
    Unknown { name: String, known: String },
}

/// Content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ThemeFile {
    pub(super) file: String,
    pub(super) description: String,
    pub(super) inherits: Option<Inherits>,
    pub(super) palette: BTreeMap<String, Rgb>,
    pub(super) rules: Vec<(Role, RoleRule)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inherits {
    pub(super) name: String,
    pub(super) line: usize,
}

/// Settings of a role in a file; missing ones are inherited.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RoleRule {
    pub(super) fg: Option<WrittenColor>,
    pub(super) bg: Option<WrittenColor>,
    pub(super) ansi: Option<Color>,
    pub(super) ansi_bg: Option<Color>,
    pub(super) attr: Option<Modifier>,
    pub(super) tag: Option<String>,
}

/// A colour of 24 bits as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WrittenColor {
    /// The terminal's own.
    Default,
    Exact(Rgb),
    /// Of the palette; known only when everything inherited is.
    Named {
        name: String,
        file: String,
        line: usize,
    },
}

const ATTRIBUTES: [(&str, Modifier); 6] = [
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underlined", Modifier::UNDERLINED),
    ("reversed", Modifier::REVERSED),
    ("crossed-out", Modifier::CROSSED_OUT),
];
const KEYS: &str = "description, inherits, [palette] and [roles.<role>]";
const FIELDS: &str = "fg, bg, ansi, ansi_bg, attr and tag";

type Name<'a> = Spanned<Cow<'a, str>>;
type Value<'a> = Spanned<DeValue<'a>>;

impl ThemeFile {
    /// Reads a theme file; `file` is what errors call it.
    pub(super) fn parse(file: &str, text: &str) -> Result<Self, ThemeError> {
        let reader = ThemeReader { file, text };
        let whole = DeTable::parse(text).map_err(|error| {
            let span = error.span().unwrap_or_default();
            reader.fault_at_span(&span, error.message().trim().replace('\n', "; "))
        })?;
        let mut theme_file = Self {
            file: file.to_owned(),
            description: String::new(),
            inherits: None,
            palette: BTreeMap::new(),
            rules: Vec::new(),
        };
        for (key, value) in whole.get_ref() {
            match key.get_ref().as_ref() {
                "description" => {
                    theme_file.description = reader.parse_string(key, value)?.to_owned()
                }
                "inherits" => {
                    theme_file.inherits = Some(Inherits {
                        name: reader.parse_string(key, value)?.to_owned(),
                        line: reader.line_number(&value.span()),
                    });
                }
                "palette" => theme_file.palette = reader.parse_palette(key, value)?,
                "roles" => theme_file.rules = reader.parse_roles(key, value)?,
                other => {
                    let why = format!("a theme has no '{other}'; it may have {KEYS}");
                    return Err(reader.fault_at_span(&key.span(), why));
                }
            }
        }
        Ok(theme_file)
    }

    /// Returns an error at a line of this file.
    pub(super) fn fault_at_line(&self, line: usize, why: String) -> ThemeError {
        ThemeError::Text {
            file: self.file.clone(),
            line,
            why,
        }
    }
}

struct ThemeReader<'a> {
    file: &'a str,
    text: &'a str,
}

impl ThemeReader<'_> {
    fn parse_palette(
        &self,
        key: &Name<'_>,
        value: &Value<'_>,
    ) -> Result<BTreeMap<String, Rgb>, ThemeError> {
        let mut palette = BTreeMap::new();
        for (name, value) in self.parse_table(key, value)? {
            let text = self.parse_string(name, value)?;
            let colour = Rgb::parse(text).ok_or_else(|| {
                let why = format!("'{text}' is no colour; write it as \"#rrggbb\"");
                self.fault_at_span(&value.span(), why)
            })?;
            palette.insert(name.get_ref().to_string(), colour);
        }
        Ok(palette)
    }

    fn parse_roles(
        &self,
        key: &Name<'_>,
        value: &Value<'_>,
    ) -> Result<Vec<(Role, RoleRule)>, ThemeError> {
        let mut rules = Vec::new();
        for (name, value) in self.parse_table(key, value)? {
            let role = Role::ALL
                .iter()
                .copied()
                .find(|role| role.name() == name.get_ref().as_ref())
                .ok_or_else(|| {
                    let names: Vec<&str> = Role::ALL.iter().map(|role| role.name()).collect();
                    let why = format!(
                        "there is no role '{}'; there are {}",
                        name.get_ref(),
                        names.join(", ")
                    );
                    self.fault_at_span(&name.span(), why)
                })?;
            rules.push((role, self.parse_rule(name, value)?));
        }
        Ok(rules)
    }

    fn parse_rule(&self, name: &Name<'_>, value: &Value<'_>) -> Result<RoleRule, ThemeError> {
        let mut rule = RoleRule::default();
        for (key, value) in self.parse_table(name, value)? {
            match key.get_ref().as_ref() {
                "fg" => rule.fg = Some(self.parse_colour(key, value)?),
                "bg" => rule.bg = Some(self.parse_colour(key, value)?),
                "ansi" => rule.ansi = Some(self.parse_ansi_colour(key, value)?),
                "ansi_bg" => rule.ansi_bg = Some(self.parse_ansi_colour(key, value)?),
                "attr" => rule.attr = Some(self.parse_attributes(value)?),
                "tag" => rule.tag = Some(self.parse_tag(key, value)?),
                other => {
                    let why = format!("a role has no '{other}'; it may have {FIELDS}");
                    return Err(self.fault_at_span(&key.span(), why));
                }
            }
        }
        Ok(rule)
    }

    fn parse_colour(&self, key: &Name<'_>, value: &Value<'_>) -> Result<WrittenColor, ThemeError> {
        let text = self.parse_string(key, value)?;
        if text == "default" {
            return Ok(WrittenColor::Default);
        }
        if let Some(colour) = Rgb::parse(text) {
            return Ok(WrittenColor::Exact(colour));
        }
        Ok(WrittenColor::Named {
            name: text.to_owned(),
            file: self.file.to_owned(),
            line: self.line_number(&value.span()),
        })
    }

    fn parse_ansi_colour(&self, key: &Name<'_>, value: &Value<'_>) -> Result<Color, ThemeError> {
        let text = self.parse_string(key, value)?;
        let entry = ANSI.iter().find(|(name, _)| *name == text);
        entry.map(|(_, colour)| *colour).ok_or_else(|| {
            let names: Vec<&str> = ANSI.iter().map(|(name, _)| *name).collect();
            let why = format!(
                "'{text}' is none of the sixteen colours: {}",
                names.join(", ")
            );
            self.fault_at_span(&value.span(), why)
        })
    }

    fn parse_attributes(&self, value: &Value<'_>) -> Result<Modifier, ThemeError> {
        let names: Vec<&str> = ATTRIBUTES.iter().map(|(name, _)| *name).collect();
        let wrong = |span: Range<usize>| {
            let why = format!("attr is a list of {}", names.join(", "));
            self.fault_at_span(&span, why)
        };
        let list = value
            .get_ref()
            .as_array()
            .ok_or_else(|| wrong(value.span()))?;
        let mut all = Modifier::empty();
        for item in list {
            let text = item.get_ref().as_str();
            let entry = ATTRIBUTES.iter().find(|(name, _)| Some(*name) == text);
            all |= entry
                .map(|(_, one)| *one)
                .ok_or_else(|| wrong(item.span()))?;
        }
        Ok(all)
    }

    fn parse_tag(&self, key: &Name<'_>, value: &Value<'_>) -> Result<String, ThemeError> {
        let tag = self.parse_string(key, value)?;
        let is_plain = tag.chars().all(|c| c.is_ascii_graphic());
        if !is_plain || tag.len() > MAX_TAG {
            let why = format!("a tag is at most {MAX_TAG} letters or signs of ASCII");
            return Err(self.fault_at_span(&value.span(), why));
        }
        Ok(tag.to_owned())
    }

    fn parse_string<'v>(
        &self,
        key: &Name<'_>,
        value: &'v Value<'_>,
    ) -> Result<&'v str, ThemeError> {
        value.get_ref().as_str().ok_or_else(|| {
            let why = format!("'{}' is written in quotes", key.get_ref());
            self.fault_at_span(&value.span(), why)
        })
    }

    fn parse_table<'t, 'v>(
        &self,
        key: &Name<'_>,
        value: &'t Value<'v>,
    ) -> Result<&'t DeTable<'v>, ThemeError> {
        value.get_ref().as_table().ok_or_else(|| {
            let why = format!("'{}' must be a table", key.get_ref());
            self.fault_at_span(&value.span(), why)
        })
    }

    fn fault_at_span(&self, span: &Range<usize>, why: String) -> ThemeError {
        ThemeError::Text {
            file: self.file.to_owned(),
            line: self.line_number(span),
            why,
        }
    }

    fn line_number(&self, span: &Range<usize>) -> usize {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        1 + before.matches('\n').count()
    }
}
