//! Grader of a judging rule: its rules of comparison, and who is asked where these decide nothing.
//!
//! Written as `"auto"`, as `"command:NAME"`, or as a table with `by` and `rubric`, or `command`.

use super::Protocol;
use super::judging::{Grader, GraderVersion, Judging};
use crate::debate::ids::{JudgingId, SeatId};
use serde::de::{self, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Begins the name of a command where a grader is named.
const COMMAND: &str = "command:";
/// Ends the id of the rule of who is asked.
const ASKED: &str = "-asked";

/// Grader of a judging rule.
#[derive(Debug, Clone, PartialEq)]
pub struct GraderChoice {
    /// They come first; `None` for an open task, that no rule compares.
    pub rules: Option<Grader>,
    pub asks: Option<AskedGrader>,
}

/// Who decides what the rules of comparison leave undecided.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedGrader {
    pub source: AskedSource,
    /// Share of the turns that rules decided on which it is asked as well, so that the error of the
    /// rules, or its own, can be seen.
    pub sample: f64,
}

/// A model on a seat, or a program of the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskedSource {
    Seat { by: SeatId, rubric: String },
    Command(String),
}

/// The table that a grader is written as.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GraderTable {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<SeatId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rubric: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(default)]
    rules: RulesWord,
    #[serde(default)]
    sample: f64,
}

/// The rules of comparison as they are written.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RulesWord {
    None,
    #[serde(untagged)]
    Rules(Grader),
}

impl Default for RulesWord {
    fn default() -> Self {
        Self::Rules(Grader::Auto)
    }
}

impl RulesWord {
    fn rules(self) -> Option<Grader> {
        match self {
            RulesWord::None => None,
            RulesWord::Rules(rules) => Some(rules),
        }
    }

    fn from_rules(rules: Option<Grader>) -> Self {
        rules.map_or(RulesWord::None, RulesWord::Rules)
    }
}

impl GraderChoice {
    /// Returns a grader that compares by rules and asks nobody.
    pub fn from_rules(rules: Grader) -> Self {
        Self {
            rules: Some(rules),
            asks: None,
        }
    }

    fn from_command(name: &str, rules: Option<Grader>, sample: f64) -> Self {
        Self {
            rules,
            asks: Some(AskedGrader {
                source: AskedSource::Command(name.to_owned()),
                sample,
            }),
        }
    }

    fn from_table(table: GraderTable) -> Result<Self, String> {
        let sample = table.sample;
        if !(0.0..=1.0).contains(&sample) {
            return Err(format!("`sample` is a share from 0 to 1, not {sample}"));
        }
        match (table.by, table.rubric, table.command) {
            (Some(by), Some(rubric), None) => Ok(Self {
                rules: table.rules.rules(),
                asks: Some(AskedGrader {
                    source: AskedSource::Seat { by, rubric },
                    sample,
                }),
            }),
            (None, None, Some(command)) => {
                Ok(Self::from_command(&command, table.rules.rules(), sample))
            }
            (Some(_) | None, Some(_) | None, Some(_) | None) => Err(
                "a grader that is asked has a seat in `by` with a `rubric`, or a `command`"
                    .to_owned(),
            ),
        }
    }

    fn from_word(word: &str) -> Result<Self, String> {
        if let Some(name) = word.strip_prefix(COMMAND) {
            return Ok(Self::from_command(name, Some(Grader::Auto), 0.0));
        }
        let rules = de::value::StrDeserializer::<de::value::Error>::new(word);
        let rules = Grader::deserialize(rules).map_err(|error| error.to_string())?;
        Ok(Self::from_rules(rules))
    }
}

impl Serialize for GraderChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rules = RulesWord::from_rules(self.rules);
        let Some(asked) = &self.asks else {
            return rules.serialize(serializer);
        };
        let (by, rubric, command) = match &asked.source {
            AskedSource::Seat { by, rubric } => (Some(by.clone()), Some(rubric.clone()), None),
            AskedSource::Command(name) => (None, None, Some(name.clone())),
        };
        let table = GraderTable {
            by,
            rubric,
            command,
            rules,
            sample: asked.sample,
        };
        table.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for GraderChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct GraderVisitor;

        impl<'de> Visitor<'de> for GraderVisitor {
            type Value = GraderChoice;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "auto, exact, alias, boxed, numeric, \"command:NAME\", or a table with `by` and `rubric`",
                )
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<GraderChoice, E> {
                GraderChoice::from_word(word).map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<GraderChoice, A::Error> {
                let table = GraderTable::deserialize(MapAccessDeserializer::new(map))?;
                GraderChoice::from_table(table).map_err(de::Error::custom)
            }
        }

        deserializer.deserialize_any(GraderVisitor)
    }
}

impl Protocol {
    /// Gives each grader that asks somebody a rule of its own for what is asked.
    pub(super) fn add_asked_graders(&mut self) {
        let asked: Vec<Judging> = self.judging.iter().filter_map(build_asked_rule).collect();
        for rule in self.judging.iter_mut().filter(|rule| rule.grader.is_some()) {
            // A rule of comparison finds the same again: it is for who is asked.
            rule.repair = None;
        }
        self.judging.extend(asked);
    }

    /// Returns the rule of whoever is asked besides a grader's rules of comparison.
    pub fn find_asked_grader(&self, grader: &Judging) -> Option<&Judging> {
        let asks = grader
            .grader
            .as_ref()
            .is_some_and(|grader| grader.asks.is_some());
        if !asks {
            return None;
        }
        let mut rules = self.judging.iter();
        rules.find(|rule| rule.grades.as_ref() == Some(&grader.id))
    }
}

/// Returns the id of the rule of who is asked.
pub(super) fn asked_rule_id(grader: &JudgingId) -> JudgingId {
    JudgingId::new(format!("{grader}{ASKED}"))
}

fn build_asked_rule(grader: &Judging) -> Option<Judging> {
    let asked = grader.grader.as_ref()?.asks.as_ref()?;
    let (by, rubric, command) = match &asked.source {
        AskedSource::Seat { by, rubric } => (Some(by.clone()), Some(rubric.clone()), None),
        AskedSource::Command(name) => (None, None, Some(name.clone())),
    };
    let mut sees = grader.sees.clone();
    // What is graded answers it.
    sees.topic = true;
    Some(Judging {
        id: asked_rule_id(&grader.id),
        by,
        grader: None,
        grader_version: GraderVersion::First,
        grades: Some(grader.id.clone()),
        command,
        rubric,
        sees,
        ..grader.clone()
    })
}
