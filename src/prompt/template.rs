//! A template file: optional front matter, then the messages it makes.
//!
//! ```text
//! +++
//! description = "What a debater is told"
//! +++
//! === system
//! You are …
//! === user
//! {{ topic }}
//! ```

use crate::debate::view::MessageRole;
use serde::Deserialize;
use thiserror::Error;

/// The largest template that is read, in bytes.
pub const MAX_TEMPLATE_BYTES: usize = 1 << 20;

/// A template's text, cut into sections.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    pub description: String,
    pub sections: Vec<Section>,
}

/// One message of a template.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    pub role: MessageRole,
    /// The line (from 1) of the file on which the body begins.
    pub line: usize,
    pub body: String,
}

/// Why a template file cannot be used.
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
}

impl Template {
    /// Reads the text of a template file. `name` is what errors call it.
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
        if let Some(at) = text.find(super::values::MARK) {
            let line = 1 + text[..at].matches('\n').count();
            return Err(fault(
                line,
                "the character U+E000 is used for marks inside; remove it",
            ));
        }
        let (front, body, first_line) = split_front_matter(text)
            .ok_or_else(|| fault(1, "the front matter begins with +++ but never ends"))?;
        let front: FrontMatter = toml::from_str(front).map_err(|error| {
            let line = error
                .span()
                .map_or(2, |span| 2 + front[..span.start].matches('\n').count());
            fault(line, &format!("front matter: {}", error.message().trim()))
        })?;
        let mut sections: Vec<Section> = Vec::new();
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
                sections.push(Section {
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
            sections,
        })
    }
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
    fn faults_name_their_line() {
        for (text, line) in [
            ("hello\n", 1),
            ("=== system\nA\n=== robot\n", 3),
            ("+++\nx = 1\n+++\n=== user\n", 2),
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
