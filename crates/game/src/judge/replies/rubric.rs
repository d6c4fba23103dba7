//! Rubrics: the labels a judge chooses from, and the parsing of its reply.

use super::verdict::parse_label_text;
use crate::debate::event::Outcome;
use crate::debate::protocol::line_at;
use crate::prompt::{FenceMode, JudgeFrame, LabelHint, mark_label_line, split_label_line};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Field of the reasons in a reply that is held to a schema. Its name comes before that of the line in
/// the alphabet, by which servers may order fields.
pub(super) const REASON_FIELD: &str = "reason";
/// Field of the line that states the label in such a reply.
pub const LINE_FIELD: &str = "verdict";

/// The labels of a judgement and their spelling in a reply.
///
/// The text shown to the judge is in the template of the same name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rubric {
    pub id: String,
    pub description: String,
    /// Source of the definition: document and section.
    #[serde(default)]
    pub source: String,
    /// Version of the evaluator's model that the format and the codes belong to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What a pass asks it about. Rubrics that say nothing are asked about single turns; in a game its rules say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<RubricSubject>,
    /// What a pass shows besides: what the author of the turn thought in private.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    pub reading: ReplyFormat,
    /// For a last line: it carries a mark that only the judge is shown, and no other line states a label.
    /// Rubrics that journals of earlier versions hold have none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mark: bool,
    /// For a last line: what the server holds the judge's reply to, its reasons before its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constrain: Option<Constraint>,
    /// Source of the evaluator's score, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ScoreFrom>,
    /// Default token limit of a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    #[serde(default)]
    pub fence: FenceStyle,
    /// For JSON: the field that states the label, in place of `verdict` or `label`. For named
    /// fields: the field that states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_field: Option<String>,
    /// For named fields: the field that lists the categories of the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codes_field: Option<String>,
    /// For JSON: the schema that a reply must satisfy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    pub labels: Vec<RubricLabel>,
    /// Meanings of codes in a reply, for instance Llama Guard's `S1`. For screens only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub codes: BTreeMap<String, String>,
    /// Arguments of the evaluator's chat template, for instance a policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_template_kwargs: Option<Map<String, Value>>,
}

/// One possible finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RubricLabel {
    pub name: String,
    pub meaning: String,
    /// A reply, or the end of one, that states this label. With a label field or a schema it may be
    /// the content of the field alone, without the other fields.
    pub says: String,
    /// From −1 (bad) to 1 (good).
    pub value: f64,
    /// Other words that state this label, for instance `yes`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<String>,
    /// The label with the same meaning when the two candidates are shown in the other order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mirror: Option<String>,
}

/// What a rubric is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RubricSubject {
    /// A single turn that the game judges, or one that was said in public where it judges none.
    Turn,
    Round,
    Debate,
    /// A turn that the game grades against the reference answer.
    Proposal,
    /// A turn that the game's rules on critics look at, or one of the seat `critic`.
    Critique,
}

impl RubricSubject {
    /// Returns its name in rubrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Round => "round",
            Self::Debate => "debate",
            Self::Proposal => "proposal",
            Self::Critique => "critique",
        }
    }

    /// Says which sessions have something of the kind.
    pub fn describe_fitting(self) -> &'static str {
        match self {
            Self::Turn => "sessions with turns that were said in public",
            Self::Round | Self::Debate => "debates that were played to their end",
            Self::Proposal => {
                "sessions of a game that grades turns against a reference answer, such as pcd-2 or two-candidate"
            }
            Self::Critique => "sessions of a game with a critic, such as pcd-2, pcd-4 or moderated",
        }
    }
}

/// Format of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyFormat {
    /// Reasons, then a last line that states the label.
    LastLine,
    /// `safe`, or `unsafe` and a line of codes.
    LlamaGuard,
    /// A JSON object with the label in `verdict` or `label`, or in the rubric's label field.
    Json,
    /// The answer of a moderation endpoint: a flag and a score for each category.
    Moderation,
    /// The label first, `Yes` or `No`, and reasons after it if there are any.
    FirstWord,
    /// Fields as lines, `Safety: Unsafe`, or as tags, `<score> yes </score>`: the rubric's label field
    /// states the label.
    NamedFields,
}

/// What a server holds a judge's reply to while it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Constraint {
    /// A JSON object with the reasons, and then one of the lines that state a label.
    Schema,
    /// Lines of reasons, and then one of the lines that state a label.
    Grammar,
}

impl Constraint {
    /// Returns its name in rubrics and in the name of an arm.
    pub fn name(self) -> &'static str {
        match self {
            Constraint::Schema => "schema",
            Constraint::Grammar => "grammar",
        }
    }
}

/// Source of an evaluator's score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreFrom {
    /// The probability of the reply's first token, which is requested from the server.
    FirstToken,
}

/// Separation of text under judgement from the judge's instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FenceStyle {
    /// Between marks that it cannot forge.
    #[default]
    Marks,
    /// As chat messages of their own, for models trained on that format.
    ChatRole,
}

/// Reason why a rubric cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}:{line}: {why}")]
pub struct RubricError {
    pub file: String,
    /// From 1.
    pub line: usize,
    pub why: String,
}

impl Rubric {
    /// Parses and checks a rubric's TOML file. `file` is the name used in errors.
    ///
    /// # Errors
    /// When the text does not follow the format, there are fewer than two labels, names or values
    /// are unusable, mirrors or the tie do not fit the labels, or the `says` of a label would not
    /// be parsed as that label.
    pub fn parse(file: &str, text: &str) -> Result<Self, RubricError> {
        let rubric: Rubric = toml::from_str(text).map_err(|error| RubricError {
            file: file.to_owned(),
            line: error.span().map_or(1, |span| line_at(text, span.start)),
            why: error.message().trim().replace('\n', "; "),
        })?;
        match rubric.find_fault() {
            None => Ok(rubric),
            Some((label, why)) => Err(RubricError {
                file: file.to_owned(),
                line: label.map_or(1, |label| line_of_label(text, label)),
                why,
            }),
        }
    }

    /// Returns the layout of a judge's view by that template.
    pub fn judge_frame(&self, template: &str) -> JudgeFrame {
        JudgeFrame {
            template: template.to_owned(),
            labels: self.label_hints(),
            marks_label: self.mark,
            fence: match self.fence {
                FenceStyle::Marks => FenceMode::Marks,
                FenceStyle::ChatRole => FenceMode::ChatRole,
            },
        }
    }

    /// Returns the labels as they are explained to whoever judges.
    pub fn label_hints(&self) -> Vec<LabelHint> {
        let labels = self.labels.iter().map(|label| LabelHint {
            name: label.name.clone(),
            meaning: label.meaning.clone(),
            says: label.says.clone(),
        });
        labels.collect()
    }

    /// Returns the schema of a reply that is reasons and then one of the lines that state a label.
    pub fn line_schema(&self, mark: Option<&str>) -> Value {
        json!({
            "type": "object",
            "properties": {
                REASON_FIELD: {"type": "string"},
                LINE_FIELD: {"type": "string", "enum": self.label_lines(mark)},
            },
            "required": [REASON_FIELD, LINE_FIELD],
            "additionalProperties": false,
        })
    }

    /// Returns the grammar, in llama.cpp's notation, of a reply that is lines of reasons and then one of
    /// those that state a label.
    pub fn line_grammar(&self, mark: Option<&str>) -> String {
        let quote_line = |line: String| {
            let escaped_line = line.replace('\\', "\\\\").replace('"', "\\\"");
            format!("\"{}\"", escaped_line.replace('\n', "\\n"))
        };
        let lines: Vec<String> = self.label_lines(mark).into_iter().map(quote_line).collect();
        format!(
            "root ::= reason+ label\nreason ::= [^\\n]+ \"\\n\"+\nlabel ::= {}\n",
            lines.join(" | ")
        )
    }

    fn label_lines(&self, mark: Option<&str>) -> Vec<String> {
        let labels = self.labels.iter().map(|label| match mark {
            Some(mark) => mark_label_line(&label.says, mark),
            None => label.says.clone(),
        });
        labels.collect()
    }

    /// Returns the label of that name.
    pub fn find_label(&self, name: &str) -> Option<&RubricLabel> {
        self.labels.iter().find(|label| label.name == name)
    }

    /// Returns the label with the same meaning as `label` when the two candidates are shown in the
    /// other order; `None` where the rubric has no mirrors.
    pub fn find_mirror(&self, label: &str) -> Option<&RubricLabel> {
        self.find_label(self.find_label(label)?.mirror.as_deref()?)
    }

    /// Returns the first fault, with the index of its label.
    fn find_fault(&self) -> Option<(Option<usize>, String)> {
        if self.id.trim().is_empty() {
            return Some((None, "a rubric needs an id".to_owned()));
        }
        if self.labels.len() < 2 {
            return Some((None, "a rubric needs at least two [[labels]]".to_owned()));
        }
        let mut spellings = BTreeSet::new();
        for (at, label) in self.labels.iter().enumerate() {
            if let Some(why) = label.find_fault(&mut spellings) {
                return Some((Some(at), why));
            }
        }
        let safety = self.labels.len() == 2
            && self.find_label("safe").is_some()
            && self.find_label("unsafe").is_some();
        if let Some(name) = self.reading.name_of_safety_format()
            && !safety
        {
            let why = format!("a rubric read as {name} has exactly the labels 'safe' and 'unsafe'");
            return Some((None, why));
        }
        if self.score.is_some() && self.labels.len() != 2 {
            let why = "a score by the first token needs exactly two labels";
            return Some((None, why.to_owned()));
        }
        if self.max_tokens == Some(0) {
            return Some((None, "'max_tokens' must be at least 1".to_owned()));
        }
        if let Some(why) = self.structure_fault() {
            return Some((None, why));
        }
        if let Some((at, why)) = self.mirror_fault() {
            return Some((at, why));
        }
        if let Some(at) = self.find_unmarkable_label() {
            let name = &self.labels[at].name;
            let why = format!(
                "'mark' needs a colon in what every label says, and label '{name}' has none"
            );
            return Some((Some(at), why));
        }
        self.labels.iter().enumerate().find_map(|(at, label)| {
            let problem = match parse_label_text(self, &label.says) {
                Outcome::Label(finding) if finding.label == label.name => return None,
                Outcome::Label(finding) => format!("would be read as '{}'", finding.label),
                Outcome::Unparsed { why, .. } => format!("cannot be read: {why}"),
            };
            let why = format!("what label '{}' says {problem}", label.name);
            Some((Some(at), why))
        })
    }

    /// Returns the first label whose line has no place for the mark that it must carry.
    fn find_unmarkable_label(&self) -> Option<usize> {
        let mut labels = self.labels.iter();
        labels.position(|label| self.mark && split_label_line(&label.says).is_none())
    }

    fn structure_fault(&self) -> Option<String> {
        let needs = |key: &str, reading: &str| Some(format!("'{key}' needs reading = {reading}"));
        for (is_set, key) in [(self.mark, "mark"), (self.constrain.is_some(), "constrain")] {
            if is_set && self.reading != ReplyFormat::LastLine {
                return needs(key, "\"last_line\"");
            }
        }
        let field = self.label_field.as_deref();
        if field.is_some_and(|field| field.trim().is_empty()) {
            return Some("'label_field' names no field".to_owned());
        }
        match self.reading {
            ReplyFormat::Json => match &self.schema {
                Some(schema) if !schema.is_object() => Some("'schema' must be a table".to_owned()),
                Some(_) | None if self.codes_field.is_some() => {
                    needs("codes_field", "\"named_fields\"")
                }
                Some(_) | None => None,
            },
            ReplyFormat::NamedFields if field.is_none() => {
                Some("reading = \"named_fields\" needs a 'label_field'".to_owned())
            }
            _ if self.schema.is_some() => needs("schema", "\"json\""),
            ReplyFormat::NamedFields => None,
            ReplyFormat::LastLine
            | ReplyFormat::LlamaGuard
            | ReplyFormat::Moderation
            | ReplyFormat::FirstWord => {
                if field.is_some() {
                    return needs("label_field", "\"json\" or \"named_fields\"");
                }
                let codes = self.codes_field.as_ref();
                codes.and_then(|_| needs("codes_field", "\"named_fields\""))
            }
        }
    }

    /// Checks that all labels have a mirror or none has, and that mirrors are mutual.
    fn mirror_fault(&self) -> Option<(Option<usize>, String)> {
        let has_mirrors = self.labels.iter().any(|label| label.mirror.is_some());
        let mut places = self.labels.iter().enumerate().filter(|_| has_mirrors);
        places.find_map(|(at, label)| {
            let name = &label.name;
            let why = match label
                .mirror
                .as_deref()
                .map(|mirror| (mirror, self.find_label(mirror)))
            {
                None => format!("label '{name}' needs a mirror, as the other labels have"),
                Some((mirror, None)) => {
                    format!("the mirror '{mirror}' of label '{name}' is no label of the rubric")
                }
                Some((_, Some(other))) if other.mirror.as_ref() == Some(name) => return None,
                Some((mirror, Some(_))) => {
                    format!("the mirror of label '{mirror}' must be '{name}', whose mirror it is")
                }
            };
            Some((Some(at), why))
        })
    }
}

impl ReplyFormat {
    /// Returns the name of a format that states only safety.
    fn name_of_safety_format(self) -> Option<&'static str> {
        match self {
            ReplyFormat::LlamaGuard => Some("llama_guard"),
            ReplyFormat::Moderation => Some("moderation"),
            ReplyFormat::LastLine
            | ReplyFormat::Json
            | ReplyFormat::FirstWord
            | ReplyFormat::NamedFields => None,
        }
    }
}

impl RubricLabel {
    fn find_fault(&self, spellings: &mut BTreeSet<Vec<String>>) -> Option<String> {
        let name = &self.name;
        if self.meaning.trim().is_empty() {
            return Some(format!("label '{name}' needs a meaning"));
        }
        if !(-1.0..=1.0).contains(&self.value) {
            return Some(format!("the value of label '{name}' must be from -1 to 1"));
        }
        for spelling in self.spellings() {
            let words = super::verdict_line::lowercase_words(spelling);
            if words.is_empty() {
                return Some(format!("'{spelling}' has no letters to recognise it by"));
            }
            if !spellings.insert(words) {
                return Some(format!("'{spelling}' stands for a label twice"));
            }
        }
        None
    }

    /// Returns the name and its synonyms.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.synonyms.iter().map(String::as_str))
    }
}

/// Returns the line (from 1) at which the label of that index begins.
fn line_of_label(text: &str, place: usize) -> usize {
    #[derive(Deserialize)]
    struct LabelPositions {
        labels: Vec<toml::Spanned<toml::Value>>,
    }
    toml::from_str::<LabelPositions>(text)
        .ok()
        .and_then(|places| Some(line_at(text, places.labels.get(place)?.span().start)))
        .unwrap_or(1)
}
