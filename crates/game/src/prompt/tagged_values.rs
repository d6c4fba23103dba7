//! Tagged values: text that keeps its source while a template is rendered.

use crate::debate::view::{PartSource, ViewPart};
use minijinja::Value;
use minijinja::value::{Object, ObjectRepr};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// First character of every mark; templates may not contain it.
pub(super) const MARK: char = '\u{E000}';
/// The most bytes of a message: a template can print a long text many times.
pub(super) const MAX_MESSAGE_BYTES: usize = 256 << 20;
/// Last character of a mark.
const MARK_END: char = '\u{E001}';

/// Why rendered text cannot be a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CutError {
    /// The template joined or filtered a tagged value.
    MarkLost,
    TooLarge,
}

/// The tagged values of one rendering.
#[derive(Debug, Clone)]
pub(super) struct ValueTable {
    nonce: Arc<str>,
    entries: Arc<Mutex<Vec<Vec<ViewPart>>>>,
}

/// A template value that represents parts of a view.
#[derive(Debug)]
pub(super) struct TaggedValue {
    mark: String,
}

impl Object for TaggedValue {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    /// Reached only by joins and filters: the formatter prints a value that is used alone.
    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MARK}lost{MARK_END}")
    }
}

impl TaggedValue {
    /// Returns the text that the formatter prints for the value.
    pub(super) fn mark(&self) -> &str {
        &self.mark
    }
}

impl ValueTable {
    /// Creates a table whose marks no other text contains by chance.
    pub(super) fn new(nonce: &str) -> Self {
        Self {
            nonce: Arc::from(nonce),
            entries: Arc::default(),
        }
    }

    /// Creates a template value for one piece of text.
    pub(super) fn tag_text(&self, from: PartSource, text: impl Into<String>) -> Value {
        self.tag_parts(vec![ViewPart::new(from, text)])
    }

    /// Creates a template value for several parts.
    pub(super) fn tag_parts(&self, parts: Vec<ViewPart>) -> Value {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let mark = format!("{MARK}{}:{}{MARK_END}", self.nonce, entries.len());
        entries.push(parts);
        Value::from_object(TaggedValue { mark })
    }

    /// Splits rendered text at the marks.
    ///
    /// # Errors
    /// When a mark was lost, or the values are larger than [`MAX_MESSAGE_BYTES`] together.
    pub(super) fn split_at_marks(
        &self,
        template: &str,
        rendered: &str,
    ) -> Result<Vec<ViewPart>, CutError> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let literal = |text: &str| ViewPart::new(PartSource::Template(template.to_owned()), text);
        let mut parts = Vec::new();
        let mut bytes = 0_usize;
        let mut rest = rendered.trim();
        while let Some(start) = rest.find(MARK) {
            if start > 0 {
                parts.push(literal(&rest[..start]));
            }
            let inner = &rest[start + MARK.len_utf8()..];
            let end = inner.find(MARK_END).ok_or(CutError::MarkLost)?;
            let entry = inner[..end]
                .split_once(':')
                .filter(|(nonce, _)| *nonce == &*self.nonce)
                .and_then(|(_, index)| entries.get(index.parse::<usize>().ok()?))
                .ok_or(CutError::MarkLost)?;
            let more = entry
                .iter()
                .filter_map(|part| Some(part.text.as_ref()?.len()));
            bytes = more.fold(bytes, usize::saturating_add);
            if bytes > MAX_MESSAGE_BYTES {
                return Err(CutError::TooLarge);
            }
            parts.extend(entry.iter().cloned());
            rest = &inner[end + MARK_END.len_utf8()..];
        }
        if !rest.is_empty() {
            parts.push(literal(rest));
        }
        Ok(parts)
    }
}
