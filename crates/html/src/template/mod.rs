//! Template of a page, and how it is filled. Pure.
//!
//! Every value that the template prints is made visible and escaped here: a text of others keeps its line breaks where
//! the template asks for that by `lines`, and only markup of our own is passed as it is (`safe`).

use crate::page::{DebatePart, HtmlPage};
use elenchus_text::{Keep, make_visible};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, ValueKind};
use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, HtmlEscape, State, UndefinedBehavior, Value, context,
};
use serde::Serialize;

/// The page, one debate, and what both are made of.
const TEMPLATES: [(&str, &str); 7] = [
    ("page.html", include_str!("page.html")),
    ("debate.html", include_str!("debate.html")),
    ("block.html", include_str!("block.html")),
    ("views.html", include_str!("views.html")),
    ("figures.html", include_str!("figures.html")),
    ("confusion.html", include_str!("confusion.html")),
    ("command.html", include_str!("command.html")),
];
const STYLE: &str = include_str!("page.css");

/// The template, compiled.
pub(crate) struct PageTemplate(Environment<'static>);

/// What the template is filled with.
#[derive(Serialize)]
struct Filling<'a> {
    page: &'a HtmlPage,
    style: &'a str,
    /// Debates as they were written.
    debates: &'a [String],
    /// What was cut from the page to keep its size.
    cuts: &'a [String],
}

impl PageTemplate {
    /// Compiles the template.
    ///
    /// # Errors
    /// When it cannot be parsed.
    pub(crate) fn compile() -> Result<Self, Error> {
        let mut env = Environment::new();
        env.set_undefined_behavior(UndefinedBehavior::Strict);
        env.set_auto_escape_callback(|_| AutoEscape::Html);
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true);
        env.set_syntax(syntax.build()?);
        env.set_formatter(|out, _, value| {
            let write = match value.is_safe() {
                true => write!(out, "{value}"),
                false => write!(out, "{}", escape_text(value, Keep::Nothing)),
            };
            write.map_err(|_| Error::new(ErrorKind::WriteFailure, "the page could not be kept"))
        });
        env.add_filter("lines", |value: Value| {
            Value::from_safe_string(escape_text(&value, Keep::NewlinesAndTabs))
        });
        // Templates of games have neither macros nor includes, which are features of the whole program: a part of the
        // page is filled by name instead.
        env.add_filter("fill", |state: &mut State, it: Value, name: &str| {
            let html = state.get_template(name)?.render(context! { it })?;
            Ok::<_, Error>(Value::from_safe_string(html))
        });
        for (name, text) in TEMPLATES {
            env.add_template(name, text)?;
        }
        Ok(Self(env))
    }

    /// Writes one debate.
    ///
    /// # Errors
    /// When the template does not fit the data.
    pub(crate) fn write_debate(&self, debate: &DebatePart) -> Result<String, Error> {
        let debate = Value::from(Serde(debate));
        self.0
            .get_template("debate.html")?
            .render(context! { debate })
    }

    /// Writes the page around debates that are written.
    ///
    /// # Errors
    /// When the template does not fit the data.
    pub(crate) fn write_page(
        &self,
        page: &HtmlPage,
        debates: &[String],
        cuts: &[String],
    ) -> Result<String, Error> {
        self.0.get_template("page.html")?.render(Serde(Filling {
            page,
            style: STYLE,
            debates,
            cuts,
        }))
    }
}

/// Returns a value as text that is text wherever it stands.
fn escape_text(value: &Value, keep: Keep) -> String {
    match value.kind() {
        ValueKind::None | ValueKind::Undefined => String::new(),
        _ => {
            let text = value.to_string();
            HtmlEscape(&make_visible(&text, keep)).to_string()
        }
    }
}
