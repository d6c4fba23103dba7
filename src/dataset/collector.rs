//! Where rows end: as topics, or in the report.

use std::collections::HashMap;

use super::boxed::last_box;
use super::columns::text_column;
use super::draft::{DocumentSource, Draft, shortened};
use super::{Kind, Note, Refused};
use crate::debate::{Document, Topic, Utterance, UtteranceRole};

/// Gives the text of a document by the path that a row names, or says why it cannot.
pub(super) type Documents<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// TriviaQA's answer to the questions whose answers are held back.
const HELD_BACK: &str = "<unk>";

/// How rows without an id are called.
enum Naming {
    /// After the file and the line, and from the second row of a line on after which it is there.
    ByLine(String),
    /// After the file, of which the row is all.
    ByFile(String),
}

/// Takes drafts in, in the order of the file.
pub(super) struct Collector<'a> {
    kind: Kind,
    naming: Naming,
    /// The file of a folder that is being read.
    file: Option<String>,
    /// The category of rows that name none.
    category: Option<String>,
    documents: Documents<'a>,
    places_of_ids: HashMap<String, String>,
    told_of_levels: bool,
    /// The line of the row before, and how many rows began on it.
    on_line: (u64, u32),
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
            Kind::HarmBench | Kind::XsTest | Kind::TriviaQa | Kind::Math | Kind::Own => None,
        };
        Collector {
            kind,
            naming: Naming::ByLine(stem.to_owned()),
            file: None,
            category,
            documents,
            places_of_ids: HashMap::new(),
            told_of_levels: false,
            on_line: (0, 0),
            topics: Vec::new(),
            refused: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Goes on with a file of a folder that holds so many rows.
    pub fn enter(&mut self, file: &str, rows: usize) {
        let stem = file.strip_suffix(".json").unwrap_or(file).to_owned();
        self.naming = match rows {
            0 | 1 => Naming::ByFile(stem),
            _ => Naming::ByLine(stem),
        };
        self.file = Some(file.to_owned());
        self.on_line = (0, 0);
    }

    /// Makes the draft a topic or reports it.
    pub fn add(&mut self, line: u64, draft: Draft) {
        self.on_line = match self.on_line {
            (before, rows) if before == line => (line, rows + 1),
            _ => (line, 1),
        };
        match self.topic(line, draft) {
            Ok(topic) => {
                let place = super::load::place(self.file.as_deref(), line);
                self.places_of_ids.insert(topic.id.clone(), place);
                self.topics.push(topic);
            }
            Err(why) => self.refuse(line, why),
        }
    }

    /// Reports a row that is no topic.
    pub fn refuse(&mut self, line: u64, why: impl Into<String>) {
        let why = why.into();
        let file = self.file.clone();
        self.refused.push(Refused { file, line, why });
    }

    /// Reports something that was decided about a row that is a topic, or about the file.
    pub fn note(&mut self, line: u64, what: impl Into<String>) {
        let what = what.into();
        let file = self.file.clone();
        self.notes.push(Note { file, line, what });
    }

    fn topic(&mut self, line: u64, mut draft: Draft) -> Result<Topic, String> {
        let mut notes = Vec::new();
        let text = text_of(self.kind, &mut draft, &mut notes)?;
        let mut needs_hash_check = false;
        match self.kind {
            Kind::HarmBench => needs_hash_check = is_hash_checked(&draft, &mut notes)?,
            Kind::XsTest => draft.expected = Some(safe_or_unsafe(draft.expected.as_deref())?),
            Kind::TriviaQa => tell_held_back(&mut draft, &mut notes),
            Kind::Math => draft.answer = Some(answer_in_box(&mut draft)?),
            Kind::CoSafe | Kind::Own => {}
        }
        let id = match (draft.id.take(), &self.naming) {
            (Some(id), _) => id,
            (None, Naming::ByLine(stem)) => match self.on_line {
                (_, 0 | 1) => format!("{stem}:{line}"),
                (_, row) => format!("{stem}:{line}.{row}"),
            },
            (None, Naming::ByFile(stem)) => stem.clone(),
        };
        if let Some(first) = self.places_of_ids.get(&id) {
            return Err(format!(
                "the id `{}` is already used on {first}",
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
        let level = draft.level.as_deref().and_then(level_of);
        if let (Some(given), None, false) = (&draft.level, level, self.told_of_levels) {
            // A file whose levels are words has one in every row.
            self.told_of_levels = true;
            notes.push(format!(
                "the level `{}` is no number such as 5 or `Level 5`, so it is left out, here and \
                 wherever else it is none",
                shortened(given)
            ));
        }
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
            options: draft.options,
            level,
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
fn text_of(kind: Kind, draft: &mut Draft, notes: &mut Vec<String>) -> Result<String, String> {
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
        return Err(match kind {
            Kind::CoSafe | Kind::Own => "there is no text".to_owned(),
            Kind::HarmBench | Kind::XsTest | Kind::TriviaQa | Kind::Math => {
                let (_, name) = text_column(kind);
                format!("there is no text: `{name}` is missing or empty")
            }
        });
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

/// The label of an XSTest prompt.
fn safe_or_unsafe(label: Option<&str>) -> Result<String, String> {
    match label.map(str::to_ascii_lowercase).as_deref() {
        Some(label @ ("safe" | "unsafe")) => Ok(label.to_owned()),
        Some(other) => Err(format!(
            "the label `{}` is neither safe nor unsafe: mend the row or leave it out",
            shortened(other)
        )),
        None => Err("there is no `label`: write safe or unsafe".to_owned()),
    }
}

/// TriviaQA's test questions come without their answers.
fn tell_held_back(draft: &mut Draft, notes: &mut Vec<String>) {
    draft.answer.take_if(|answer| answer == HELD_BACK);
    if draft.answer.is_none() {
        draft.aliases.clear();
        notes.push("there is no answer, so no grader can compare with one".to_owned());
    }
}

/// The answer of a MATH problem: what its solution boxes, else the answer that a selection gives.
fn answer_in_box(draft: &mut Draft) -> Result<String, String> {
    let solution = draft.solution.take();
    match (solution.as_deref().map(last_box), draft.answer.take()) {
        (Some(Some(answer)), _) if !answer.is_empty() => Ok(answer.to_owned()),
        (_, Some(answer)) => Ok(answer),
        (Some(Some(_)), None) => {
            Err("the solution's last box is empty: mend the record or leave it out".to_owned())
        }
        (Some(None), None) => Err(
            "the solution has no \\boxed{…}, which holds the answer: mend the record or leave it out"
                .to_owned(),
        ),
        (None, None) => Err("there is no `solution`, whose box holds the answer".to_owned()),
    }
}

/// Reads `5`, `Level 5` or `level 5`.
fn level_of(given: &str) -> Option<u8> {
    let lower = given.trim().to_ascii_lowercase();
    lower
        .strip_prefix("level")
        .unwrap_or(&lower)
        .trim()
        .parse()
        .ok()
}

/// HarmBench's functional categories: copyright needs hashes, contextual needs its context.
fn is_hash_checked(draft: &Draft, notes: &mut Vec<String>) -> Result<bool, String> {
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
