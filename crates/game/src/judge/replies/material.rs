//! Material under judgement: the texts that a judge was shown, which its reply may repeat.

use super::verdict_line::lowercase_words;
use crate::debate::view::{PartSource, View};
use serde_json::{Map, Value};
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

/// The texts that a judge was shown and that are not the program's own, and the mark of its label's line.
#[derive(Debug, Default)]
pub struct Material {
    texts: Vec<String>,
    label_mark: Option<String>,
    words: OnceCell<String>,
    cache: RefCell<HashMap<String, bool>>,
    lines: OnceCell<HashSet<String>>,
}

impl Material {
    /// Returns no material, for replies to which none was shown.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Collects these texts.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            texts: texts.into_iter().map(str::to_owned).collect(),
            ..Self::default()
        }
    }

    /// Collects what a view shows of topic, documents, turns and memory. The view's parts hold
    /// their texts, as those of an expanded view do.
    pub fn from_view(view: &View) -> Self {
        let parts = view.messages.iter().flat_map(|message| &message.parts);
        let material = Self::from_texts(parts.filter_map(|part| match part.from {
            PartSource::Topic
            | PartSource::Context
            | PartSource::Conversation(_)
            | PartSource::Document(_)
            | PartSource::Option(_)
            | PartSource::Turn(_)
            | PartSource::OwnPrivate(_)
            | PartSource::Memory(_)
            | PartSource::Guardrail(_)
            | PartSource::Draw(_)
            | PartSource::Reference
            | PartSource::Person => part.text.as_deref(),
            PartSource::Template(_)
            | PartSource::Verdict { .. }
            | PartSource::Ruling { .. }
            | PartSource::Rewards { .. }
            | PartSource::Persona
            | PartSource::Fence
            | PartSource::LabelLine => None,
        }));
        Self {
            label_mark: view.label_mark().map(str::to_owned),
            ..material
        }
    }

    /// Returns the mark that the line of the label must carry, where the judge was shown one.
    pub(super) fn label_mark(&self) -> Option<&str> {
        self.label_mark.as_deref()
    }

    /// Returns whether the words of a statement stand in the material one after the other.
    pub(super) fn repeats_statement(&self, statement: &str) -> bool {
        if self.texts.is_empty() {
            return false;
        }
        let words = self.words.get_or_init(|| {
            let texts = self.texts.iter().map(|text| join_words(text));
            texts.collect()
        });
        let statement = join_words(statement);
        // A reply may state the same thousands of times.
        let mut cache = self.cache.borrow_mut();
        if let Some(stands) = cache.get(&statement) {
            return *stands;
        }
        let stands = words.contains(&statement);
        cache.insert(statement, stands);
        stands
    }

    /// Returns whether the words of a line are those of a line of the material.
    pub(super) fn repeats_line(&self, line: &str) -> bool {
        let lines = self.lines.get_or_init(|| {
            let lines = self.texts.iter().flat_map(|text| text.lines());
            lines.map(join_words).collect()
        });
        lines.contains(&join_words(line))
    }

    /// Returns whether an object stands in the material.
    pub(super) fn repeats_object(&self, object: &Map<String, Value>) -> bool {
        let mut texts = self.texts.iter();
        texts.any(|text| super::json::find_objects(text).any(|one| one == *object))
    }
}

/// Returns the words of a text, each between single spaces.
fn join_words(text: &str) -> String {
    format!(" {} ", lowercase_words(text).join(" "))
}
