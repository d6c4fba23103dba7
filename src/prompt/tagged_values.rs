//! Tagged values: text that remembers where it comes from while a template is rendered.

use crate::debate::view::{Part, Source};
use minijinja::Value;
use minijinja::value::{Object, ObjectRepr};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Begins every mark; templates may not hold it.
pub(super) const MARK: char = '\u{E000}';
/// Ends a mark.
const MARK_END: char = '\u{E001}';

/// The tagged values of one rendering.
#[derive(Debug, Clone)]
pub(super) struct Table {
    nonce: Arc<str>,
    entries: Arc<Mutex<Vec<Vec<Part>>>>,
}

/// A value in a template that stands for parts of a view.
#[derive(Debug)]
pub(super) struct Tagged {
    mark: String,
}

impl Object for Tagged {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    /// Only joins and filters get here: the formatter prints a value that stands alone.
    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MARK}lost{MARK_END}")
    }
}

impl Tagged {
    /// Returns what the formatter leaves in the place of the value.
    pub(super) fn mark(&self) -> &str {
        &self.mark
    }
}

impl Table {
    /// Begins a table whose marks no other text can hold by chance.
    pub(super) fn new(nonce: &str) -> Self {
        Self {
            nonce: Arc::from(nonce),
            entries: Arc::default(),
        }
    }

    /// Makes a template value that stands for one piece of text.
    pub(super) fn value(&self, from: Source, text: impl Into<String>) -> Value {
        self.parts(vec![Part {
            from,
            text: Some(text.into()),
        }])
    }

    /// Makes a template value that stands for several parts.
    pub(super) fn parts(&self, parts: Vec<Part>) -> Value {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let mark = format!("{MARK}{}:{}{MARK_END}", self.nonce, entries.len());
        entries.push(parts);
        Value::from_object(Tagged { mark })
    }

    /// Cuts rendered text at the marks.
    ///
    /// `None` when a mark was lost: the template joined or filtered a tagged value.
    pub(super) fn cut(&self, template: &str, rendered: &str) -> Option<Vec<Part>> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let literal = |text: &str| Part {
            from: Source::Template(template.to_owned()),
            text: Some(text.to_owned()),
        };
        let mut parts = Vec::new();
        let mut rest = rendered.trim();
        while let Some(start) = rest.find(MARK) {
            if start > 0 {
                parts.push(literal(&rest[..start]));
            }
            let inner = &rest[start + MARK.len_utf8()..];
            let end = inner.find(MARK_END)?;
            let (nonce, index) = inner[..end].split_once(':')?;
            if nonce != &*self.nonce {
                return None;
            }
            parts.extend(entries.get(index.parse::<usize>().ok()?)?.iter().cloned());
            rest = &inner[end + MARK_END.len_utf8()..];
        }
        if !rest.is_empty() {
            parts.push(literal(rest));
        }
        Some(parts)
    }
}
