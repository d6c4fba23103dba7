//! Collector of rows: each draft becomes a topic or is reported as refused.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use super::boxed_answer::last_box;
use super::columns::text_column;
use super::missing_value::is_missing;
use super::option_answers::{
    NumberedAnswer, Numbering, OptionAnswer, detect_numbering, find_option,
};
use super::repeated_topics::{Contradiction, RepeatedTopics, TopicRow, reference_of};
use super::topic_draft::{DocumentSource, TopicDraft, shorten_text};
use super::{ColumnChoice, DatasetError, DatasetKind, RejectedRow, RowNote, TopicField};
use elenchus_game::debate::{Document, ReferenceAnswer, Topic, Utterance, UtteranceRole};

/// Returns the text of a document by the path that a row names, or the reason why not.
pub(super) type DocumentReader<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// The most bytes of all topics that are kept.
const MAX_TOPICS_BYTES: u64 = 1 << 30;
/// The most refused rows and notes that are kept of one dataset.
const MAX_REPORTS: usize = 100_000;
/// The most kinds of odd values that are counted of one dataset.
const MAX_ODD_KINDS: usize = 100;
/// What GSM8K puts before the answer.
const ANSWER_MARK: &str = "####";
/// Aegis's placeholder for prompts that may not be passed on.
const TAKEN_OUT: &str = "REDACTED";

/// TriviaQA's placeholder for withheld answers.
const HELD_BACK: &str = "<unk>";

/// Naming of rows without an id.
enum Naming {
    /// By file and line; from the second row of a line on also by the position in the line.
    ByLine(String),
    /// By file, where the file is a single row.
    ByFile(String),
}

/// Values of one kind that were left out or are unknown.
struct OddCount {
    first_line: u64,
    count: u64,
    example: String,
}

/// Topics, refused rows and notes, in the order of the file.
pub(super) struct Collector<'a> {
    kind: DatasetKind,
    pub choice: &'a ColumnChoice,
    naming: Naming,
    /// The file of a folder that is being read.
    file: Option<String>,
    /// The category of rows without one.
    category: Option<String>,
    documents: DocumentReader<'a>,
    /// File and line of each id, by its hash: a large file has millions.
    places_of_ids: HashMap<u128, (Option<String>, u64)>,
    /// How many topics are kept, from the first.
    most_topics: usize,
    topics_bytes: u64,
    noted_levels: bool,
    /// By column and what they are.
    odd: BTreeMap<(String, &'static str), OddCount>,
    numbered: Vec<NumberedAnswer>,
    /// The columns of options are numbered from 1.
    options_from_one: bool,
    repeated: RepeatedTopics,
    /// Filter and hash of the text of each sample of lm-eval, by its id.
    filters: HashMap<u128, (String, u128)>,
    /// How many rows are another filter of a sample; the line and the filter of the first.
    other_filters: (u64, Option<(u64, String)>),
    /// Files of a folder, in the order in which they are read.
    files: Vec<String>,
    /// The line of the row before, and how many rows began on it.
    on_line: (u64, u32),
    pub topics: Vec<Topic>,
    pub refused: Vec<RejectedRow>,
    pub notes: Vec<RowNote>,
}

impl<'a> Collector<'a> {
    /// Starts a collection for a file with this name.
    pub fn new(
        kind: DatasetKind,
        choice: &'a ColumnChoice,
        (name, documents): (&str, DocumentReader<'a>),
    ) -> Self {
        let stem = file_stem(name);
        Collector {
            kind,
            choice,
            naming: Naming::ByLine(stem.to_owned()),
            file: None,
            category: category_of_file(kind, stem),
            documents,
            places_of_ids: HashMap::new(),
            most_topics: usize::MAX,
            topics_bytes: 0,
            noted_levels: false,
            odd: BTreeMap::new(),
            numbered: Vec::new(),
            options_from_one: false,
            repeated: RepeatedTopics::default(),
            filters: HashMap::new(),
            other_filters: (0, None),
            files: Vec::new(),
            on_line: (0, 0),
            topics: Vec::new(),
            refused: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Takes the kind of the rows, once it is known.
    pub(super) fn set_kind(&mut self, kind: DatasetKind, name: &str) {
        self.kind = kind;
        self.category = category_of_file(kind, file_stem(name));
    }

    /// Keeps only so many topics, from the first.
    pub(super) fn limit_topics(&mut self, topics: usize) {
        self.most_topics = topics;
    }

    /// Says whether the topics are larger together than is kept.
    pub(super) fn is_over(&self) -> bool {
        self.topics_bytes > MAX_TOPICS_BYTES || self.refused.len() + self.notes.len() > MAX_REPORTS
    }

    pub(super) fn too_large_error(&self, path: &Path) -> DatasetError {
        let path = path.to_owned();
        match self.topics_bytes > MAX_TOPICS_BYTES {
            true => DatasetError::TopicsTooLarge {
                path,
                limit_bytes: MAX_TOPICS_BYTES,
            },
            false => DatasetError::NoText {
                path,
                why: format!("more than {MAX_REPORTS} of its rows are refused or noted"),
            },
        }
    }

    /// Continues with a file of a folder, which has `rows` rows. Where files are datasets of their own as well
    /// (CoSafe), their topics are named as there.
    pub fn set_file(&mut self, file: &str, rows: usize) {
        let path = file.strip_suffix(".json").unwrap_or(file);
        self.category = category_of_file(self.kind, file_stem(file));
        self.naming = match (self.kind, rows) {
            (DatasetKind::CoSafe, _) => Naming::ByLine(file_stem(file).to_owned()),
            (_, 0 | 1) => Naming::ByFile(path.to_owned()),
            _ => Naming::ByLine(path.to_owned()),
        };
        self.file = Some(file.to_owned());
        self.files.push(file.to_owned());
        self.on_line = (0, 0);
    }

    /// Adds the draft as a topic, or reports it.
    pub fn add_draft(&mut self, line: u64, draft: TopicDraft) {
        self.on_line = match self.on_line {
            (before, rows) if before == line => (line, rows + 1),
            _ => (line, 1),
        };
        if self.is_other_filter(line, &draft) {
            return;
        }
        match self.build_topic(line, draft) {
            Ok((topic, number)) => {
                let place = (self.file.clone(), line);
                self.places_of_ids.insert(hash_of(&topic.id), place);
                let is_kept = self.topics.len() < self.most_topics;
                let row = TopicRow {
                    file: self.file.clone(),
                    line,
                    at: is_kept.then_some(self.topics.len()),
                    reference: hash_of(&(reference_of(&topic), number)),
                    expected: topic.expected.clone(),
                };
                self.repeated.add_row(&topic, row);
                if is_kept {
                    self.topics_bytes += size_of_topic(&topic);
                    self.topics.push(topic);
                }
            }
            Err(why) => self.refuse_row(line, why),
        }
    }

    /// Says whether a row is a sample of lm-eval that was read already, with its answer taken out by another filter:
    /// the topic is the same.
    fn is_other_filter(&mut self, line: u64, draft: &TopicDraft) -> bool {
        let (Some(id), Some(filter)) = (&draft.id, &draft.filter) else {
            return false;
        };
        let text = hash_of(&draft.text);
        let first = self.filters.entry(hash_of(id));
        let (known, of) = first.or_insert_with(|| (filter.clone(), text));
        let is_other = known != filter && *of == text;
        if is_other {
            self.other_filters.0 += 1;
            self.other_filters
                .1
                .get_or_insert_with(|| (line, filter.clone()));
        }
        is_other
    }

    /// Says that the options of rows are columns whose numbers begin with 1.
    pub(super) fn number_options_from_one(&mut self) {
        self.options_from_one = true;
    }

    fn count_odd(&mut self, line: u64, column: String, what: &'static str, value: &str) {
        if self.odd.len() >= MAX_ODD_KINDS && !self.odd.contains_key(&(column.clone(), what)) {
            return;
        }
        let odd_count = self.odd.entry((column, what)).or_insert_with(|| OddCount {
            first_line: line,
            count: 0,
            example: value.to_owned(),
        });
        odd_count.count += 1;
    }

    /// Ends the collection: resolves numbered answers, and returns what is to be said of the file as a whole.
    pub(super) fn finish_collection(&mut self) -> Vec<String> {
        self.resolve_numbers();
        let mut remarks = Vec::new();
        for ((column, what), odd) in std::mem::take(&mut self.odd) {
            let value = match odd.example.as_str() {
                "" => String::new(),
                example => format!("`{example}` "),
            };
            let rows = match odd.count {
                1 => "1 row, on".to_owned(),
                count => format!("{count} rows, the first on"),
            };
            remarks.push(format!(
                "column `{column}`: {value}{what} ({rows} line {})",
                odd.first_line
            ));
        }
        if let (count, Some((line, filter))) = &self.other_filters {
            let rows = match count {
                1 => format!(
                    "1 row is a sample that was read already, by the filter `{filter}` (line {line})"
                ),
                _ => format!(
                    "{count} rows are samples that were read already, by another filter (the first on line \
                     {line}, by `{filter}`)"
                ),
            };
            remarks.push(format!("{rows}: the topic is the same, and it is left out"));
        }
        self.refuse_contradictions();
        remarks.extend(self.repeated.list_remarks());
        remarks
    }

    /// Gives each numbered answer the text of its option, once all numbers of the file are known.
    fn resolve_numbers(&mut self) {
        let answers = std::mem::take(&mut self.numbered);
        if answers.is_empty() {
            return;
        }
        let numbering = detect_numbering(&answers, self.options_from_one);
        let from = match numbering {
            Numbering::Texts => return,
            Numbering::FromZero | Numbering::Unclear => 0,
            Numbering::FromOne => 1,
        };
        for answer in &answers {
            let topic = answer.topic.and_then(|at| self.topics.get_mut(at));
            let at = usize::try_from(answer.number - from).ok();
            let option = at.filter(|at| *at < answer.options);
            if let Some(topic) = topic {
                let text = option.and_then(|at| topic.options.get(at)).cloned();
                topic.reference = text.map(|answer| ReferenceAnswer {
                    answer,
                    aliases: Vec::new(),
                });
            }
            if option.is_none() {
                let what = "is the number of none of the row's options and is left out";
                let number = answer.number.to_string();
                self.count_odd(answer.line, "answer".to_owned(), what, &number);
            } else if numbering == Numbering::Unclear {
                let what = "is read as the number of an option counted from 0: no answer of the file is 0 or as \
                            large as the number of options, so it could be counted from 1";
                let number = answer.number.to_string();
                self.count_odd(answer.line, "answer".to_owned(), what, &number);
            }
        }
    }

    /// Refuses all rows of topics that have several references or expected labels: which one is right is not
    /// known, and must not depend on which stands first.
    fn refuse_contradictions(&mut self) {
        let contradictions = self.repeated.take_contradictions(&self.topics);
        if contradictions.is_empty() {
            return;
        }
        let mut refused_places = BTreeSet::new();
        for (row, why) in contradictions.iter().flat_map(Contradiction::list_reasons) {
            refused_places.extend(row.at);
            self.refused.push(RejectedRow {
                file: row.file.clone(),
                line: row.line,
                why,
            });
        }
        let mut at = 0;
        self.topics.retain(|_| {
            at += 1;
            !refused_places.contains(&(at - 1))
        });
        let files = self.files.iter().map(String::as_str);
        let places: HashMap<&str, usize> = files.zip(0..).collect();
        self.refused.sort_by_key(|row| {
            let file = row.file.as_deref().and_then(|file| places.get(file));
            (file.copied(), row.line)
        });
    }

    /// Reports a refused row.
    pub fn refuse_row(&mut self, line: u64, why: impl Into<String>) {
        let why = why.into();
        let file = self.file.clone();
        self.refused.push(RejectedRow { file, line, why });
    }

    /// Reports a decision about a row that is a topic, or about the file.
    pub fn add_note(&mut self, line: u64, what: impl Into<String>) {
        let what = what.into();
        let file = self.file.clone();
        self.notes.push(RowNote { file, line, what });
    }

    /// Returns the topic of a row, and its reference where that is the number of an option.
    fn build_topic(
        &mut self,
        line: u64,
        mut draft: TopicDraft,
    ) -> Result<(Topic, Option<i64>), String> {
        let mut notes = Vec::new();
        self.drop_missing_answer(&mut draft);
        let has_text_column = self.choice.has_field(TopicField::Text);
        let text = text_of((self.kind, has_text_column), &mut draft, &mut notes)?;
        let mut needs_hash_check = false;
        let mut number = None;
        match self.kind {
            DatasetKind::HarmBench => needs_hash_check = has_hash_check(&draft, &mut notes)?,
            DatasetKind::XsTest => {
                draft.expected = Some(safe_or_unsafe(draft.expected.as_deref())?)
            }
            DatasetKind::TriviaQa => note_held_back_answer(&mut draft, &mut notes),
            DatasetKind::Math => draft.answer = Some(answer_in_box(&mut draft)?),
            DatasetKind::Aegis => {
                draft.expected = Some(safe_or_unsafe(draft.expected.as_deref())?);
                draft.category = draft.category.as_deref().map(first_category);
                if text == TAKEN_OUT {
                    return Err("the prompt was taken out of the file: put it back by its \
                                reconstruction id, or leave the row out"
                        .to_owned());
                }
            }
            DatasetKind::WildJailbreak => draft.expected = Some(harm_of_type(&draft)?),
            DatasetKind::Quality => {}
            DatasetKind::CoSafe
            | DatasetKind::JailbreakBench
            | DatasetKind::StrongReject
            | DatasetKind::AdvBench
            | DatasetKind::DoNotAnswer
            | DatasetKind::BeaverTails
            | DatasetKind::TruthfulQa
            | DatasetKind::Own => {
                take_marked_answer(&mut draft);
                number = take_option(&mut draft);
                draft.note_odd_answer();
                draft.filter_expected_label();
            }
        }
        let id = match (draft.id.take(), &self.naming) {
            (Some(id), _) => id,
            (None, Naming::ByLine(stem)) => match self.on_line {
                (_, 0 | 1) => format!("{stem}:{line}"),
                (_, row) => format!("{stem}:{line}.{row}"),
            },
            (None, Naming::ByFile(stem)) => stem.clone(),
        };
        if let Some((file, line)) = self.places_of_ids.get(&hash_of(&id)) {
            let first = super::load::format_row_place(file.as_deref(), *line);
            return Err(format!(
                "the id `{}` is already used on {first}",
                shorten_text(&id)
            ));
        }
        let reference = draft.take_reference();
        if reference.is_none() && !draft.aliases.is_empty() {
            notes.push("aliases without a reference answer are left out".to_owned());
        }
        let documents = draft
            .documents
            .drain(..)
            .map(|source| self.read_document(source))
            .collect::<Result<Vec<Document>, String>>()?;
        let level = draft.level.as_deref().and_then(level_of);
        if let (Some(given), None, false) = (&draft.level, level, self.noted_levels) {
            // A file with such levels has one in every row: one note is enough.
            self.noted_levels = true;
            notes.push(format!(
                "the level `{}` is no number such as 5 or `Level 5`, so it is left out, here and \
                 wherever else it is none",
                shorten_text(given)
            ));
        }
        for what in notes {
            self.add_note(line, what);
        }
        for odd in draft.odd {
            self.count_odd(line, odd.column, odd.what, &odd.value);
        }
        if let Some((number, is_text)) = number {
            let is_kept = self.topics.len() < self.most_topics;
            self.numbered.push(NumberedAnswer {
                topic: is_kept.then_some(self.topics.len()),
                line,
                number,
                options: draft.options.texts.len(),
                is_text,
            });
        }
        let topic = Topic {
            id,
            text,
            category: draft.category.or_else(|| self.category.clone()),
            conversation: draft.conversation,
            context: draft.context,
            reference,
            expected: draft.expected,
            documents,
            options: draft.options.texts,
            level,
            needs_hash_check,
            dataset: None,
        };
        Ok((topic, number.map(|(number, _)| number)))
    }

    /// Drops an answer that stands for a missing value, unless the row says that it is one.
    fn drop_missing_answer(&self, draft: &mut TopicDraft) {
        let Some(answer) = draft.answer.clone().filter(|answer| is_missing(answer)) else {
            return;
        };
        let is_same = |other: &String| other.trim().eq_ignore_ascii_case(answer.trim());
        if draft.options.texts.iter().any(is_same) || draft.aliases.iter().any(is_same) {
            return;
        }
        draft.answer = None;
        let column = draft.answer_column.clone();
        draft.add_odd_value(
            &column,
            "stands for a missing value and is no reference",
            &answer,
        );
    }

    fn read_document(&self, source: DocumentSource) -> Result<Document, String> {
        match source {
            DocumentSource::Inline(document) => Ok(document),
            DocumentSource::Path(name) => match (self.documents)(&name) {
                Ok(text) => Ok(Document { name, text }),
                Err(why) => Err(format!("the document `{}` {why}", shorten_text(&name))),
            },
        }
    }
}

/// Takes the answer that stands behind GSM8K's mark on the last line; without commas between thousands it is right
/// as well.
fn take_marked_answer(draft: &mut TopicDraft) {
    let Some(answer) = draft.answer.as_deref() else {
        return;
    };
    let last = answer.trim_end().lines().next_back().unwrap_or_default();
    let Some(marked) = last.trim().strip_prefix(ANSWER_MARK) else {
        return;
    };
    let marked_answer = marked.trim().to_owned();
    if marked_answer.is_empty() {
        let column = std::mem::take(&mut draft.answer_column);
        draft.answer = None;
        draft.add_odd_value(
            &column,
            "has nothing behind its last ####, so there is no answer",
            "",
        );
        return;
    }
    let plain: String = marked_answer.chars().filter(|c| *c != ',').collect();
    if plain != marked_answer && plain.parse::<f64>().is_ok() {
        draft.aliases.push(plain);
    }
    draft.answer = Some(marked_answer);
}

/// Gives the answer the text of the option that it means. Returns a number that is read once all are known, and
/// whether it is also the text of an option.
fn take_option(draft: &mut TopicDraft) -> Option<(i64, bool)> {
    let options = &draft.options;
    if options.texts.is_empty() {
        return None;
    }
    if draft.answer.is_none() {
        if let Some(right) = options.right.and_then(|at| options.texts.get(at)) {
            draft.answer = Some(right.clone());
            return None;
        }
        // HellaSwag and others call the number of the right option a label.
        let label = draft.expected.as_deref()?;
        if find_option(label, options) == OptionAnswer::None {
            return None;
        }
        draft.answer = draft.expected.take();
        draft.answer_column = std::mem::take(&mut draft.label_column);
    }
    let answer = draft.answer.clone()?;
    match find_option(&answer, options) {
        OptionAnswer::Option(at) => {
            draft.answer = options.texts.get(at).cloned();
            None
        }
        OptionAnswer::Number { number, is_text } => Some((number, is_text)),
        OptionAnswer::None => {
            let column = draft.answer_column.clone();
            let what = "is none of the row's options: it is kept as the reference";
            draft.add_odd_value(&column, what, &answer);
            None
        }
    }
}

/// Returns a hash of a value that no two values share by chance.
fn hash_of<T: Hash + ?Sized>(value: &T) -> u128 {
    let [high, low] = [0_u8, 1].map(|part| {
        let mut hasher = DefaultHasher::new();
        (part, value).hash(&mut hasher);
        u128::from(hasher.finish())
    });
    high << 64 | low
}

/// Returns the bytes of a topic's texts, and of what holds them.
fn size_of_topic(topic: &Topic) -> u64 {
    let texts = [&topic.text, &topic.id].map(String::len).into_iter();
    let utterances = topic.conversation.iter().map(|said| said.text.len());
    let documents = topic.documents.iter().map(|document| document.text.len());
    let more = topic.context.iter().chain(&topic.options).map(String::len);
    let bytes: usize = texts.chain(utterances).chain(documents).chain(more).sum();
    (bytes + size_of::<Topic>()) as u64
}

/// Returns the file's name without its folder and last extension.
pub(super) fn file_stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        Some(_) | None => file,
    }
}

/// Returns the category of rows without one, by the file that they are in.
fn category_of_file(kind: DatasetKind, stem: &str) -> Option<String> {
    (kind == DatasetKind::CoSafe).then(|| category_in(stem))
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

/// Returns the text, or the last user turn where the conversation holds it.
fn text_of(
    (kind, has_text_column): (DatasetKind, bool),
    draft: &mut TopicDraft,
    notes: &mut Vec<String>,
) -> Result<String, String> {
    if kind == DatasetKind::WildJailbreak && !has_text_column && is_adversarial(draft) {
        draft.text = draft.adversarial.take();
    }
    let conversation = &mut draft.conversation;
    // Unicode blanks in lines of plain text are recognised only here.
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
            DatasetKind::CoSafe | DatasetKind::AdvBench | DatasetKind::Own => {
                "there is no text".to_owned()
            }
            DatasetKind::HarmBench
            | DatasetKind::XsTest
            | DatasetKind::TriviaQa
            | DatasetKind::Math
            | DatasetKind::Aegis
            | DatasetKind::WildJailbreak
            | DatasetKind::JailbreakBench
            | DatasetKind::StrongReject
            | DatasetKind::DoNotAnswer
            | DatasetKind::BeaverTails
            | DatasetKind::TruthfulQa
            | DatasetKind::Quality => {
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

fn is_adversarial(draft: &TopicDraft) -> bool {
    let category = draft.category.as_deref();
    category.is_some_and(|category| category.to_ascii_lowercase().starts_with("adversarial"))
}

/// Returns the label that a WildJailbreak prompt has by its type, as `vanilla_harmful`.
fn harm_of_type(draft: &TopicDraft) -> Result<String, String> {
    let Some(prompt_type) = draft.category.as_deref() else {
        return Err("there is no `data_type`, which says whether the prompt is harmful".to_owned());
    };
    match prompt_type.to_ascii_lowercase().rsplit('_').next() {
        Some("harmful") => Ok("unsafe".to_owned()),
        Some("benign") => Ok("safe".to_owned()),
        Some(_) | None => Err(format!(
            "the type `{}` is neither harmful nor benign: write vanilla_harmful, vanilla_benign, \
             adversarial_harmful or adversarial_benign",
            shorten_text(prompt_type)
        )),
    }
}

/// Returns the first of several categories with commas between them.
fn first_category(all: &str) -> String {
    all.split(',').next().unwrap_or(all).trim().to_owned()
}

/// Returns the label of an XSTest or Aegis prompt.
fn safe_or_unsafe(label: Option<&str>) -> Result<String, String> {
    match label.map(str::to_ascii_lowercase).as_deref() {
        Some(label @ ("safe" | "unsafe")) => Ok(label.to_owned()),
        Some(other) => Err(format!(
            "the label `{}` is neither safe nor unsafe: mend the row or leave it out",
            shorten_text(other)
        )),
        None => Err("there is no `label`: write safe or unsafe".to_owned()),
    }
}

/// Notes a withheld answer, as of TriviaQA's test questions.
fn note_held_back_answer(draft: &mut TopicDraft, notes: &mut Vec<String>) {
    draft.answer.take_if(|answer| answer == HELD_BACK);
    if draft.answer.is_none() {
        draft.aliases.clear();
        notes.push("there is no answer, so no grader can compare with one".to_owned());
    }
}

/// Returns the answer of a MATH problem: the boxed one of its solution, else the separate answer of
/// a selection.
fn answer_in_box(draft: &mut TopicDraft) -> Result<String, String> {
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

/// Returns whether a topic needs a hash check: HarmBench's copyright behaviours do; contextual ones
/// need their context.
fn has_hash_check(draft: &TopicDraft, notes: &mut Vec<String>) -> Result<bool, String> {
    let has_tag = draft.tags.as_deref().is_some_and(|tags| {
        tags.split(',')
            .any(|tag| tag.trim().eq_ignore_ascii_case("hash_check"))
    });
    match draft.functional.as_deref() {
        Some("copyright") => Ok(true),
        Some("contextual") if draft.context.is_none() => {
            Err("the behaviour is contextual but its ContextString is empty".to_owned())
        }
        Some("contextual" | "standard") | None => Ok(has_tag),
        Some(other) => {
            notes.push(format!(
                "the functional category `{}` is unknown and read as standard",
                shorten_text(other)
            ));
            Ok(has_tag)
        }
    }
}
