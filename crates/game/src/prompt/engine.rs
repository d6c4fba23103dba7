//! Template engine: the compiled templates of one game.

use super::missing_value::describe_missing_value;
use super::tagged_values::{CutError, MAX_MESSAGE_BYTES, TaggedValue, ValueTable};
use super::template::{Template, TemplateError, TemplateSection, is_given};
use super::template_bounds::{self, Computed, GAME_BYTES, Unbounded, bytes_of};
use super::template_context::Values;
use crate::debate::view::{MessageRole, ViewMessage};
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error as ThisError;

/// Most steps of one rendering, so that a template cannot loop forever.
const FUEL: u64 = 5_000_000;
/// The most bytes that a template prints itself; values of the game count for their marks.
const MAX_PRINTED_BYTES: usize = 64 << 20;

/// Reason why a view could not be built.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum PromptError {
    #[error(transparent)]
    File(#[from] TemplateError),
    #[error("there is no template '{0}'")]
    NoTemplate(String),
    #[error("template '{0}' has no '=== user' section")]
    NoUserSection(String),
    #[error("{template}:{line}: {why}")]
    Render {
        template: String,
        line: usize,
        why: String,
    },
    #[error(
        "{template}:{line}: a value that carries its origin was joined or filtered; \
         print it alone, as in {{{{ turn.text }}}}"
    )]
    MarkLost { template: String, line: usize },
    #[error("the session has not begun")]
    NotBegun,
    #[error("the protocol has no turn or rule '{0}'")]
    NoSuchPlace(String),
}

/// Sampling settings of a template's calls; `None` leaves them to the stage, rule or model.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TemplateSampling {
    /// From 0 to 2.
    pub temperature: Option<f64>,
    pub max_tokens: Option<u32>,
}

/// The templates of a game, compiled once.
#[derive(Debug)]
pub struct Engine {
    env: Environment<'static>,
    syntax: SyntaxConfig,
    templates: BTreeMap<String, Template>,
    computed: Computed,
}

impl Engine {
    /// Compiles templates, given as text by name.
    ///
    /// # Errors
    /// Names the template and line that cannot be parsed.
    pub fn new(texts: &BTreeMap<String, String>) -> Result<Self, PromptError> {
        let mut env = Environment::new();
        env.set_undefined_behavior(UndefinedBehavior::Strict);
        env.set_auto_escape_callback(|_| AutoEscape::None);
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true);
        let syntax = syntax.build().unwrap_or_default();
        env.set_syntax(syntax.clone());
        env.set_formatter(
            |out, state, value| match value.downcast_object_ref::<TaggedValue>() {
                Some(tagged) => out.write_str(tagged.mark()).map_err(|_| {
                    Error::new(
                        ErrorKind::WriteFailure,
                        "the rendered text could not be kept",
                    )
                }),
                None => minijinja::escape_formatter(out, state, value),
            },
        );
        let mut templates = BTreeMap::new();
        let mut bounds = Computed::default();
        for (name, text) in texts {
            let template = Template::parse(name, text)?;
            for (place, section) in template.sections.iter().enumerate() {
                let of_section =
                    template_bounds::check_template(&section.body, &syntax, GAME_BYTES);
                bounds =
                    bounds.max(of_section.map_err(|found| unbounded_error(name, section, found))?);
                env.add_template_owned(section_name(name, place), section.body.clone())
                    .map_err(|error| render_error(name, section.line, &error))?;
            }
            check_variable_use(&env, name, &template)?;
            templates.insert(name.clone(), template);
        }
        env.set_fuel(Some(bounds.limit_steps(FUEL)));
        Ok(Self {
            env,
            syntax,
            templates,
            computed: bounds,
        })
    }

    /// Returns the sampling settings of the first of these templates that has any.
    pub fn find_sampling<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> TemplateSampling {
        let names = names.into_iter();
        let templates: Vec<&Template> = names.filter_map(|name| self.templates.get(name)).collect();
        TemplateSampling {
            temperature: templates.iter().find_map(|template| template.temperature),
            max_tokens: templates.iter().find_map(|template| template.max_tokens),
        }
    }

    /// Renders the sections of a template that `wanted` selects, as messages.
    pub(super) fn render(
        &self,
        name: &str,
        table: &ValueTable,
        values: &Values,
        wanted: impl Fn(MessageRole) -> bool,
    ) -> Result<Vec<ViewMessage>, PromptError> {
        let template = self
            .templates
            .get(name)
            .ok_or_else(|| PromptError::NoTemplate(name.to_owned()))?;
        debug_assert!(
            values.keys().all(|name| is_given(name)),
            "{:?}",
            values.keys()
        );
        // Values of the game win; no name is in both, because those were rejected.
        let own = template.variables.iter();
        let own = own.map(|(name, words)| (name.as_str(), Value::from(words.text.as_str())));
        let game_values = values.iter().map(|(name, value)| (*name, value.clone()));
        let values: BTreeMap<&str, Value> = own.chain(game_values).collect();
        let env = self.environment_for_values(name, template, &values)?;
        let mut messages = Vec::new();
        for (place, section) in template.sections.iter().enumerate() {
            if !wanted(section.role) {
                continue;
            }
            let output = env
                .get_template(&section_name(name, place))
                .and_then(|compiled| {
                    let pairs = values.iter().map(|(name, value)| (*name, value.clone()));
                    let mut buffer = PrintedText::default();
                    compiled.render_captured_to(Value::from_pairs(pairs), &mut buffer)?;
                    Ok(buffer.0)
                })
                .map_err(|error| undefined_error(name, section, &error, &values))?;
            let parts = table
                .split_at_marks(name, &String::from_utf8_lossy(&output))
                .map_err(|error| match error {
                    CutError::MarkLost => PromptError::MarkLost {
                        template: name.to_owned(),
                        line: section.line + joined_line(&section.body),
                    },
                    CutError::TooLarge => PromptError::Render {
                        template: name.to_owned(),
                        line: section.line,
                        why: format!(
                            "the message is larger than {} MiB, which no model reads",
                            MAX_MESSAGE_BYTES >> 20
                        ),
                    },
                })?;
            if !parts.is_empty() {
                messages.push(ViewMessage {
                    role: section.role,
                    parts,
                });
            }
        }
        Ok(messages)
    }

    /// Returns the environment for a rendering: where a value of the game is longer than templates were
    /// checked for, they are checked anew, and take fewer steps.
    fn environment_for_values(
        &self,
        name: &str,
        template: &Template,
        values: &BTreeMap<&str, Value>,
    ) -> Result<Cow<'_, Environment<'static>>, PromptError> {
        if self.computed == Computed::default() {
            return Ok(Cow::Borrowed(&self.env));
        }
        let sizes = values.iter().map(|(name, value)| (bytes_of(value), *name));
        let Some((largest, value)) = sizes.max().filter(|(bytes, _)| *bytes > GAME_BYTES) else {
            return Ok(Cow::Borrowed(&self.env));
        };
        let mut bounds = Computed::default();
        for section in &template.sections {
            let of_section = template_bounds::check_template(&section.body, &self.syntax, largest);
            bounds = bounds.max(of_section.map_err(|mut found| {
                let kib = largest >> 10;
                found.why = format!("'{value}' has {kib} KiB here, and {}", found.why);
                unbounded_error(name, section, found)
            })?);
        }
        let mut env = self.env.clone();
        env.set_fuel(Some(bounds.limit_steps(FUEL)));
        Ok(Cow::Owned(env))
    }

    /// Returns whether there is a template of that name with a section of that role.
    pub(super) fn has_section(&self, name: &str, role: MessageRole) -> bool {
        self.templates
            .get(name)
            .is_some_and(|template| template.sections.iter().any(|section| section.role == role))
    }
}

/// What a template prints, in memory. The language's engine writes to a string without bounds, or to this
/// trait, whose errors end the rendering.
#[derive(Default)]
struct PrintedText(Vec<u8>);

impl std::io::Write for PrintedText {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_PRINTED_BYTES {
            return Err(std::io::Error::other(format!(
                "the template prints more than {} MiB",
                MAX_PRINTED_BYTES >> 20
            )));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn unbounded_error(name: &str, section: &TemplateSection, found: Unbounded) -> PromptError {
    PromptError::Render {
        template: name.to_owned(),
        line: section.line + found.line.saturating_sub(1),
        why: found.why,
    }
}

/// Finds the line, from 0, that most likely joins or filters a value: the first whose expression
/// has an operator or a filter. A section without one is reported by its first line.
fn joined_line(body: &str) -> usize {
    let computes = |line: &str| {
        let mut expressions = line.split('{').skip(1);
        expressions.any(|rest| {
            let inside = rest.split('}').next().unwrap_or_default();
            inside.contains(['|', '~', '+', '(', '['])
        })
    };
    body.lines().position(computes).unwrap_or(0)
}

/// Rejects variables that no section prints.
fn check_variable_use(
    env: &Environment<'_>,
    name: &str,
    template: &Template,
) -> Result<(), PromptError> {
    if template.variables.is_empty() {
        return Ok(());
    }
    let sections = (0..template.sections.len()).map(|place| section_name(name, place));
    let compiled_sections = sections.filter_map(|section| env.get_template(&section).ok());
    let used: BTreeSet<String> = compiled_sections
        .flat_map(|section| section.undeclared_variables(false))
        .collect();
    let mut own = template.variables.iter();
    match own.find(|(variable, _)| !used.contains(*variable)) {
        None => Ok(()),
        Some((variable, words)) => Err(PromptError::File(TemplateError {
            name: name.to_owned(),
            line: words.line,
            why: format!(
                "front matter: nothing prints the variable '{variable}'; write \
                 {{{{ {variable} }}}} where it belongs, or remove it"
            ),
        })),
    }
}

/// Names the missing value that a template uses, with the values that exist.
fn undefined_error(
    name: &str,
    section: &TemplateSection,
    error: &Error,
    values: &BTreeMap<&str, Value>,
) -> PromptError {
    let plain = render_error(name, section.line, error);
    if error.kind() != ErrorKind::UndefinedError {
        return plain;
    }
    let explanation = describe_missing_value(&section.body, error, values);
    match (plain, explanation) {
        (PromptError::Render { template, line, .. }, Some(why)) => PromptError::Render {
            template,
            line,
            why: format!("undefined value: {why}"),
        },
        (plain, _) => plain,
    }
}

fn section_name(template: &str, place: usize) -> String {
    format!("{template}/{place}")
}

fn render_error(name: &str, first_line: usize, error: &Error) -> PromptError {
    let bound =
        std::error::Error::source(error).and_then(|why| why.downcast_ref::<std::io::Error>());
    let why = match (error.kind(), error.detail()) {
        (ErrorKind::WriteFailure, _) if bound.is_some() => {
            bound.map(ToString::to_string).unwrap_or_default()
        }
        (ErrorKind::OutOfFuel, _) => {
            "the template takes too many steps: shorten its loops".to_owned()
        }
        (kind, Some(detail)) => format!("{kind}: {detail}"),
        (kind, None) => kind.to_string(),
    };
    PromptError::Render {
        template: name.to_owned(),
        line: first_line + error.line().unwrap_or(1).saturating_sub(1),
        why,
    }
}
