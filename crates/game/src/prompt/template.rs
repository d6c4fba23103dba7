//! Template files: optional front matter, then the messages.
//!
//! ```text
//! +++
//! description = "What a debater is told"
//! temperature = 0.4     # for the calls that the template makes, over the stage's and the model's
//! max_tokens = 400
//!
//! [variables]           # its own words by name
//! tone = "patient"
//! +++
//! === system
//! You are {{ tone }} …
//! === user
//! {{ topic }}
//! ```

use crate::debate::view::MessageRole;
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;
use toml::Spanned;

/// Largest template that is accepted, in bytes.
const MAX_TEMPLATE_BYTES: usize = 1 << 20;

/// Highest temperature of a request.
const MAX_TEMPERATURE: f64 = 2.0;
/// Names of values that the game provides in some template; variables of a template may not use
/// them. The template language's names are included.
const GIVEN: [&str; 36] = [
    "topic",
    "context",
    "conversation",
    "options",
    "round",
    "rounds",
    "style",
    "settings",
    "documents",
    "memory",
    "turns",
    "rulings",
    "reasoning",
    "my_verdicts",
    "me",
    "persona",
    "stance",
    "draw",
    "first",
    "retry",
    "target",
    "labels",
    "reference",
    "aliases",
    "guardrails",
    "match_lines",
    "lesson",
    "learner",
    "decisions",
    "rewards",
    "loop",
    "self",
    "range",
    "dict",
    "namespace",
    "debug",
];
/// Keywords of the template language.
const KEYWORDS: [&str; 14] = [
    "true", "false", "none", "True", "False", "None", "and", "or", "not", "in", "is", "if", "else",
    "for",
];

/// A template's text, split into sections.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    pub description: String,
    /// For the calls of the template, from 0 to 2.
    pub temperature: Option<f64>,
    /// For the calls of the template, at least 1.
    pub max_tokens: Option<u32>,
    /// Its own variables by name.
    pub variables: BTreeMap<String, Variable>,
    pub sections: Vec<TemplateSection>,
}

/// A variable of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    pub text: String,
    /// Line (from 1) of its definition.
    pub line: usize,
}

/// One message of a template.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateSection {
    pub role: MessageRole,
    /// Line (from 1) on which the body begins.
    pub line: usize,
    pub body: String,
}

/// Reason why a template file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name}:{line}: {why}")]
pub struct TemplateError {
    pub name: String,
    pub line: usize,
    pub why: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontMatter {
    #[serde(default)]
    description: String,
    temperature: Option<Spanned<f64>>,
    max_tokens: Option<Spanned<u32>>,
    #[serde(default)]
    variables: BTreeMap<Spanned<String>, Spanned<String>>,
}

impl Template {
    /// Parses a template file. `name` is used in errors.
    ///
    /// # Errors
    /// Names the line when the front matter or a section heading is wrong.
    pub fn parse(name: &str, text: &str) -> Result<Self, TemplateError> {
        let fault = |line: usize, why: &str| TemplateError {
            name: name.to_owned(),
            line,
            why: why.to_owned(),
        };
        if text.len() > MAX_TEMPLATE_BYTES {
            return Err(fault(1, "the template is larger than 1 MiB"));
        }
        if let Some(at) = text.find(super::tagged_values::MARK) {
            let line = 1 + text[..at].matches('\n').count();
            return Err(fault(
                line,
                "the character U+E000 is used for marks inside; remove it",
            ));
        }
        let (front, body, first_line) = split_front_matter(text)
            .ok_or_else(|| fault(1, "the front matter begins with +++ but never ends"))?;
        let front = read_front(front).map_err(|(line, why)| fault(line, &why))?;
        let mut sections: Vec<TemplateSection> = Vec::new();
        for (number, line) in (first_line..).zip(body.lines()) {
            if let Some(heading) = line.strip_prefix("===") {
                let role = match heading.trim() {
                    "system" => MessageRole::System,
                    "user" => MessageRole::User,
                    "assistant" => MessageRole::Assistant,
                    other => {
                        let why = format!("'=== {other}': sections are system, user or assistant");
                        return Err(fault(number, &why));
                    }
                };
                sections.push(TemplateSection {
                    role,
                    line: number + 1,
                    body: String::new(),
                });
                continue;
            }
            match sections.last_mut() {
                Some(section) => {
                    section.body.push_str(line);
                    section.body.push('\n');
                }
                None if line.trim().is_empty() => {}
                None => {
                    return Err(fault(
                        number,
                        "text before the first '=== system' or '=== user'",
                    ));
                }
            }
        }
        if sections.is_empty() {
            return Err(fault(
                first_line,
                "the template has no section; begin one with '=== user'",
            ));
        }
        Ok(Self {
            description: front.description,
            temperature: front.temperature.map(Spanned::into_inner),
            max_tokens: front.max_tokens.map(Spanned::into_inner),
            variables: front.variables,
            sections,
        })
    }
}

/// Parses the front matter; an error has the line in the file.
fn read_front(text: &str) -> Result<CheckedFrontMatter, (usize, String)> {
    // The first line begins the front matter.
    let line_at = |offset: usize| 2 + text.get(..offset).unwrap_or(text).matches('\n').count();
    let front: FrontMatter = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(2, |span| line_at(span.start));
        (line, format!("front matter: {}", error.message().trim()))
    })?;
    let at = |offset: usize, why: String| Err((line_at(offset), format!("front matter: {why}")));
    if let Some(degree) = &front.temperature
        && !(0.0..=MAX_TEMPERATURE).contains(degree.get_ref())
    {
        let why = format!("temperature is from 0 to 2, and not {}", degree.get_ref());
        return at(degree.span().start, why);
    }
    if let Some(limit) = &front.max_tokens
        && *limit.get_ref() == 0
    {
        return at(limit.span().start, "max_tokens is at least 1".to_owned());
    }
    let mut variables = BTreeMap::new();
    for (name, value) in front.variables {
        let line = line_at(name.span().start);
        if let Some(why) = wrong_name(name.get_ref()) {
            return Err((line, format!("front matter: {why}")));
        }
        if value.get_ref().contains(super::tagged_values::MARK) {
            let why = "the character U+E000 is used for marks inside; remove it";
            return at(value.span().start, why.to_owned());
        }
        let text = value.into_inner();
        variables.insert(name.into_inner(), Variable { text, line });
    }
    Ok(CheckedFrontMatter {
        description: front.description,
        temperature: front.temperature,
        max_tokens: front.max_tokens,
        variables,
    })
}

/// Parsed front matter.
struct CheckedFrontMatter {
    description: String,
    temperature: Option<Spanned<f64>>,
    max_tokens: Option<Spanned<u32>>,
    variables: BTreeMap<String, Variable>,
}

/// Returns whether the game provides a value of that name in some template.
pub(super) fn is_given(name: &str) -> bool {
    GIVEN.contains(&name)
}

/// Describes why a name cannot be used for a variable.
fn wrong_name(name: &str) -> Option<String> {
    let mut letters = name.chars();
    let begins = letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    if !begins || !letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
        return Some(format!(
            "'{name}' cannot be printed: a variable's name has letters, digits and '_', and begins \
             with no digit"
        ));
    }
    if KEYWORDS.contains(&name) {
        return Some(format!(
            "'{name}' is a word of the template language; choose another name"
        ));
    }
    is_given(name).then(|| {
        format!(
            "'{name}' is what the game gives, or the language does; choose a name that is none of {}",
            GIVEN.join(", ")
        )
    })
}

/// Returns the front matter, the rest, and the line on which the rest begins.
fn split_front_matter(text: &str) -> Option<(&str, &str, usize)> {
    let Some(after) = text.strip_prefix("+++\n") else {
        return Some(("", text, 1));
    };
    let end = if after.starts_with("+++\n") {
        0
    } else {
        after.find("\n+++\n")? + 1
    };
    let lines = after[..end].matches('\n').count();
    Some((&after[..end], &after[end + 4..], lines + 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_keep_their_lines() {
        let text = "+++\ndescription = \"x\"\n+++\n=== system\nA\n=== user\nB\nC\n";
        let template = Template::parse("t", text).unwrap();
        assert_eq!(template.description, "x");
        assert_eq!(template.sections[0].line, 5);
        assert_eq!(template.sections[1].line, 7);
        assert_eq!(template.sections[1].body, "B\nC\n");
    }

    #[test]
    fn the_front_matter_gives_sampling_and_words() {
        let text = "+++\ntemperature = 0\nmax_tokens = 9\n\n[variables]\ntone = \"mild\"\n+++\n\
                    === user\nBe {{ tone }}.\n";
        let template = Template::parse("t", text).unwrap();
        assert_eq!(template.temperature, Some(0.0));
        assert_eq!(template.max_tokens, Some(9));
        let tone = &template.variables["tone"];
        assert_eq!((tone.text.as_str(), tone.line), ("mild", 6));
    }

    #[test]
    fn faults_name_their_line() {
        for (text, line) in [
            ("hello\n", 1),
            ("=== system\nA\n=== robot\n", 3),
            ("+++\nx = 1\n+++\n=== user\n", 2),
            ("+++\n\ntemperature = 2.5\n+++\n=== user\n", 3),
            ("+++\ntemperature = nan\n+++\n=== user\n", 2),
            ("+++\n\n\nmax_tokens = 0\n+++\n=== user\n", 4),
            ("+++\nmax_tokens = \"many\"\n+++\n=== user\n", 2),
            (
                "+++\n[variables]\na = \"b\"\ntopic = \"x\"\n+++\n=== user\n",
                4,
            ),
            ("+++\n[variables]\n1a = \"b\"\n+++\n=== user\n", 3),
            ("+++\n[variables]\nnot = \"b\"\n+++\n=== user\n", 3),
            ("+++\n[variables]\na = \"\\uE000\"\n+++\n=== user\n", 3),
            ("+++\nnever ends\n", 1),
            ("=== user\nA\u{E000}\n", 2),
            ("", 1),
        ] {
            assert_eq!(
                Template::parse("t", text).unwrap_err().line,
                line,
                "{text:?}"
            );
        }
    }
}
