//! Where rows end: as topics, or in the report.

use std::collections::HashMap;

use super::draft::{DocumentSource, Draft, shortened};
use super::{Kind, Note, Refused};
use crate::debate::{Document, Topic, Utterance, UtteranceRole};

/// Gives the text of a document by the path that a row names, or says why it cannot.
pub(super) type Documents<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// Takes drafts in, in the order of the file.
pub(super) struct Collector<'a> {
    kind: Kind,
    stem: String,
    /// The category of rows that name none.
    category: Option<String>,
    documents: Documents<'a>,
    lines_of_ids: HashMap<String, u64>,
    pub topics: Vec<Topic>,
    pub refused: Vec<Refused>,
    pub notes: Vec<Note>,
}

impl<'a> Collector<'a> {
    /// Starts a collection for the file called `name`.
    pub fn new(kind: Kind, name: &str, documents: Documents<'a>) -> Self {
        let stem = stem(name);
        let category = match kind {
            Kind::CoSafe => Some(category_in(stem)),
            Kind::HarmBench | Kind::Own => None,
        };
        Collector {
            kind,
            stem: stem.to_owned(),
            category,
            documents,
            lines_of_ids: HashMap::new(),
            topics: Vec::new(),
            refused: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Makes the draft a topic or reports it.
    pub fn add(&mut self, line: u64, draft: Draft) {
        match self.topic(line, draft) {
            Ok(topic) => {
                self.lines_of_ids.insert(topic.id.clone(), line);
                self.topics.push(topic);
            }
            Err(why) => self.refuse(line, why),
        }
    }

    /// Reports a row that is no topic.
    pub fn refuse(&mut self, line: u64, why: impl Into<String>) {
        let why = why.into();
        self.refused.push(Refused { line, why });
    }

    /// Reports something that was decided about a row that is a topic, or about the file.
    pub fn note(&mut self, line: u64, what: impl Into<String>) {
        let what = what.into();
        self.notes.push(Note { line, what });
    }

    fn topic(&mut self, line: u64, mut draft: Draft) -> Result<Topic, String> {
        let mut notes = Vec::new();
        let text = text_of(&mut draft, &mut notes)?;
        let needs_hash_check = match self.kind {
            Kind::HarmBench => needs_hash_check(&draft, &mut notes)?,
            Kind::CoSafe | Kind::Own => false,
        };
        let id = match draft.id.take() {
            Some(id) => id,
            None => format!("{}:{line}", self.stem),
        };
        if let Some(first) = self.lines_of_ids.get(&id) {
            return Err(format!(
                "the id `{}` is already used on line {first}",
                shortened(&id)
            ));
        }
        let reference = draft.reference();
        if reference.is_none() && !draft.aliases.is_empty() {
            notes.push("aliases without a reference answer are left out".to_owned());
        }
        let documents = draft
            .documents
            .drain(..)
            .map(|source| self.document(source))
            .collect::<Result<Vec<Document>, String>>()?;
        for what in notes {
            self.note(line, what);
        }
        Ok(Topic {
            id,
            text,
            category: draft.category.or_else(|| self.category.clone()),
            conversation: draft.conversation,
            context: draft.context,
            reference,
            expected: draft.expected,
            documents,
            options: Vec::new(),
            needs_hash_check,
        })
    }

    fn document(&self, source: DocumentSource) -> Result<Document, String> {
        match source {
            DocumentSource::Inline(document) => Ok(document),
            DocumentSource::Path(name) => match (self.documents)(&name) {
                Ok(text) => Ok(Document { name, text }),
                Err(why) => Err(format!("the document `{}` {why}", shortened(&name))),
            },
        }
    }
}

/// Returns the file's name without its folder and last extension.
pub(super) fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        Some(_) | None => file,
    }
}

/// CoSafe keeps the category in the file's name: `cosafe_privacy_violation` is `privacy_violation`.
fn category_in(stem: &str) -> String {
    let lower = stem.to_ascii_lowercase();
    let from = match lower.strip_prefix("cosafe") {
        Some(rest) => stem.len() - rest.trim_start_matches(['_', '-', ' ', '.']).len(),
        None => 0,
    };
    let to = match lower.strip_suffix("cosafe") {
        Some(rest) => rest.trim_end_matches(['_', '-', ' ', '.']).len(),
        None => stem.len(),
    };
    match stem.get(from..to) {
        Some(category) if !category.is_empty() => category.to_owned(),
        Some(_) | None => stem.to_owned(),
    }
}

/// Takes the text, or the last user turn when the conversation holds it.
fn text_of(draft: &mut Draft, notes: &mut Vec<String>) -> Result<String, String> {
    let conversation = &mut draft.conversation;
    // Lines of plain text are blank to ASCII only until here.
    if let Some(text) = draft.text.take().filter(|text| !text.trim().is_empty()) {
        let is_text = |said: &Utterance| said.role == UtteranceRole::User && said.text == text;
        if conversation.last().is_some_and(is_text) {
            conversation.pop();
            notes
                .push("the conversation ended with the text itself, which is kept once".to_owned());
        }
        return Ok(text);
    }
    if conversation.is_empty() {
        return Err("there is no text".to_owned());
    }
    let is_user = |said: &Utterance| said.role == UtteranceRole::User;
    let Some(last) = conversation.iter().rposition(is_user) else {
        return Err("the conversation has no user turn".to_owned());
    };
    let after = conversation.len() - last - 1;
    if after > 0 {
        notes.push(format!(
            "{after} of the conversation's turns come after the last user turn and are left out"
        ));
    }
    conversation.truncate(last + 1);
    match conversation.pop() {
        Some(said) if !said.text.trim().is_empty() => Ok(said.text),
        Some(_) | None => Err("the last user turn is empty".to_owned()),
    }
}

/// HarmBench's functional categories: copyright needs hashes, contextual needs its context.
fn needs_hash_check(draft: &Draft, notes: &mut Vec<String>) -> Result<bool, String> {
    let tagged = draft.tags.as_deref().is_some_and(|tags| {
        tags.split(',')
            .any(|tag| tag.trim().eq_ignore_ascii_case("hash_check"))
    });
    match draft.functional.as_deref() {
        Some("copyright") => Ok(true),
        Some("contextual") if draft.context.is_none() => {
            Err("the behaviour is contextual but its ContextString is empty".to_owned())
        }
        Some("contextual" | "standard") | None => Ok(tagged),
        Some(other) => {
            notes.push(format!(
                "the functional category `{}` is unknown and read as standard",
                shortened(other)
            ));
            Ok(tagged)
        }
    }
}
