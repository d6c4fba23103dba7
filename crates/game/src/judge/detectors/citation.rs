//! Citation detector: checks the citations of a turn against the given documents.
//!
//! A structured reply cites in its lists of arguments: every list at the top level of the fields
//! whose items are objects counts, whatever its name, and each item may hold
//! `evidence: [{"document": …, "quote": …}]`. An item that itself has `document` or `quote`, and
//! every item of a list called `evidence` or `evidence_cited`, is a citation of the whole reply.
//! All other text of a structured reply, and a reply without fields, cites by quoting.
//!
//! An argument rests on a fabricated citation where it cites it, quotes it, or repeats words that
//! are fabricated anywhere in the same reply.
//!
//! - *verified*: the quoted words are in a given document, character for character or but for
//!   typesetting, or in fragments between ellipses that occur there in their order. Where that is
//!   another document than the one named, or the named one was not given, `found_in` says which.
//! - *unquoted*: a given document is named without words of it, or with too few to prove anything
//!   (fewer than three words and fewer than fifteen characters), or evidence is promised and none
//!   is there. Citations beyond the most that are checked count as unquoted too.
//! - *fabricated*: the quoted words are in no given document, or a document is named that was not
//!   given, without words that were.
//!
//! The check is about words alone. It cannot tell whether a quotation supports the argument, and
//! fragments that truly occur in their order may have been put together to mislead. In running
//! text a quotation that is found nowhere is taken for something the opponent said, unless its
//! sentence names a given document.

use super::normalize::normalize_text;
use super::quotations::{Quotation, find_quotations};
use super::quote_search::{DocumentIndex, QuoteSearch};
use super::turn_text::TurnText;
use crate::debate::Document;
use crate::debate::event::Outcome;
use crate::judge::replies::verdict::detector_outcome as finding;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Most citations of one turn that are checked.
pub const MAX_CITATIONS: usize = 500;
/// Most characters of a quotation that are kept with the finding; all of it is checked.
const MAX_KEPT_CHARS: usize = 1_000;
/// Name of the list where a turn has no fields.
const TEXT: &str = "text";

const NONE: &str = "none";

// The fields of an argument and of its evidence.
const NUMBER: &str = "number";
const EVIDENCE: &str = "evidence";
const DOCUMENT: &str = "document";
const QUOTE: &str = "quote";
/// Lists at the top level that hold citations instead of arguments.
const LISTS_OF_EVIDENCE: [&str; 2] = [EVIDENCE, "evidence_cited"];

/// The labels of [`check_citations`] with their values, the best first.
pub(crate) const LABELS: &[(&str, f64)] = &[
    ("verified", 1.0),
    ("unquoted", 0.0),
    ("fabricated", -1.0),
    (NONE, 0.0),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum Status {
    Fabricated,
    Unquoted,
    Verified,
}

impl Status {
    fn name(self) -> &'static str {
        self.into()
    }
}

/// Evidence at one position of a turn.
#[derive(Clone, Copy)]
struct CitedEvidence<'a> {
    list: &'a str,
    /// From 0.
    at: usize,
    number: Option<u64>,
    document: Option<&'a str>,
    quote: Option<&'a str>,
    part: CitingPart,
}

/// Part of a reply that contains a citation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CitingPart {
    /// An item of a list: omitted where the citation is fabricated.
    Item,
    /// Other text: reported, and kept.
    Text,
}

/// Treatment of a quotation that no document contains.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UnfoundQuote {
    Fabricated,
    NoCitation,
}

#[derive(Default)]
struct Checked<'a> {
    citations: Vec<Value>,
    worst: Option<Status>,
    discarded: BTreeSet<(&'a str, usize)>,
    /// Quoted words that are in no document, normalized.
    invented: BTreeSet<String>,
    looked_for: usize,
    unchecked: usize,
}

/// Checks every citation of a turn against the given documents.
///
/// The label is the worst status of the turn, or `none` where nothing is cited. `fields` contains
/// `citations`, each with its position (`list`, `at` from 0), the argument's own `number`,
/// `status`, `found_in` and `how` (exact, normalised or fragments); `discarded` with the positions
/// of the arguments that rest on at least one fabricated citation; and `unchecked`, a count, where
/// there were more than [`MAX_CITATIONS`].
pub fn check_citations(target: &TurnText<'_>, documents: &[Document]) -> Outcome {
    let index = DocumentIndex::new(documents);
    let mut report = Checked::default();
    match target.fields {
        Some(fields) => report.check_fields(fields, &index),
        None => report.check_text(target.text, &index),
    }
    report.into_outcome()
}

impl<'a> Checked<'a> {
    fn check_fields(&mut self, fields: &'a Value, index: &DocumentIndex<'a>) {
        let mut list_items = Vec::new();
        for (list, value) in fields.as_object().into_iter().flatten() {
            let place = |at, part| CitedEvidence {
                list,
                at,
                number: None,
                document: None,
                quote: None,
                part,
            };
            match value {
                Value::Array(items) => {
                    for (at, item) in items.iter().enumerate() {
                        self.check_item(place(at, CitingPart::Item), item, index);
                        list_items.push((list.as_str(), at, item));
                    }
                }
                Value::Object(_) => self.check_item(place(0, CitingPart::Text), value, index),
                Value::String(text) => {
                    self.check_quotations(place(0, CitingPart::Text), text, index)
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        self.discard_repetitions(&list_items);
    }

    /// Checks an item of a list: an argument, a citation or a sentence.
    fn check_item(&mut self, place: CitedEvidence<'a>, item: &'a Value, index: &DocumentIndex<'a>) {
        let is_evidence = LISTS_OF_EVIDENCE.contains(&place.list);
        match item {
            Value::Object(item) if !is_evidence && !is_citation(item) => {
                self.check_argument(place, item, index);
            }
            Value::Object(object) => {
                let number = object.get(NUMBER).and_then(Value::as_u64);
                self.add_citation(
                    index,
                    parse_evidence(CitedEvidence { number, ..place }, item, index),
                );
            }
            Value::String(_) if is_evidence => {
                self.add_citation(index, parse_evidence(place, item, index))
            }
            Value::String(text) => self.check_quotations(place, text, index),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {}
        }
    }

    /// Discards items that repeat words which are fabricated elsewhere in the reply.
    fn discard_repetitions(&mut self, items: &[(&'a str, usize, &'a Value)]) {
        if self.invented.is_empty() {
            return;
        }
        for (list, at, item) in items {
            let texts: Vec<String> = texts_of(item).map(normalize_text).collect();
            let repeats = |words: &String| texts.iter().any(|text| text.contains(words.as_str()));
            if self.invented.iter().any(repeats) {
                self.discarded.insert((list, *at));
            }
        }
    }

    fn check_argument(
        &mut self,
        place: CitedEvidence<'a>,
        item: &'a Map<String, Value>,
        index: &DocumentIndex<'a>,
    ) {
        let place = CitedEvidence {
            number: item.get(NUMBER).and_then(Value::as_u64),
            ..place
        };
        let before = self.citations.len();
        let evidence = match item.get(EVIDENCE) {
            Some(Value::Array(evidence)) => evidence.as_slice(),
            // One citation without a list around it.
            Some(one @ (Value::Object(_) | Value::String(_))) => std::slice::from_ref(one),
            Some(Value::Null | Value::Bool(_) | Value::Number(_)) | None => &[],
        };
        for one in evidence {
            self.add_citation(index, parse_evidence(place, one, index));
        }
        for (key, value) in item {
            if let (false, Some(text)) = (key == EVIDENCE, value.as_str()) {
                self.check_quotations(place, text, index);
            }
        }
        if evidence.is_empty() && self.citations.len() == before {
            let mut texts = item.iter().filter_map(|(_, value)| value.as_str());
            if let Some(document) = texts.find_map(|text| index.find_mention(text)) {
                let document = Some(document);
                self.add_citation(
                    index,
                    (
                        CitedEvidence { document, ..place },
                        UnfoundQuote::Fabricated,
                    ),
                );
            }
        }
    }

    fn check_text(&mut self, text: &'a str, index: &DocumentIndex<'a>) {
        for (at, quotation) in find_quotations(text).into_iter().enumerate() {
            let place = CitedEvidence {
                list: TEXT,
                at,
                number: None,
                document: None,
                quote: None,
                part: CitingPart::Text,
            };
            self.check_quotation(place, &quotation, index);
        }
    }

    fn check_quotations(
        &mut self,
        place: CitedEvidence<'a>,
        text: &'a str,
        index: &DocumentIndex<'a>,
    ) {
        for quotation in find_quotations(text) {
            self.check_quotation(place, &quotation, index);
        }
    }

    fn check_quotation(
        &mut self,
        place: CitedEvidence<'a>,
        quotation: &Quotation<'a>,
        index: &DocumentIndex<'a>,
    ) {
        let document = [quotation.before, quotation.after]
            .iter()
            .find_map(|part| index.find_mention(part));
        let unfound = match document {
            Some(_) => UnfoundQuote::Fabricated,
            None => UnfoundQuote::NoCitation,
        };
        let evidence = CitedEvidence {
            document,
            quote: Some(quotation.quote),
            ..place
        };
        self.add_citation(index, (evidence, unfound));
    }

    fn add_citation(
        &mut self,
        index: &DocumentIndex<'a>,
        (evidence, unfound): (CitedEvidence<'a>, UnfoundQuote),
    ) {
        if self.looked_for >= MAX_CITATIONS {
            self.unchecked += 1;
            return;
        }
        self.looked_for += 1;
        let named_documents = evidence
            .document
            .map_or(Vec::new(), |name| index.find_documents(name));
        let search = evidence.quote.map_or(QuoteSearch::ProvesNothing, |quote| {
            index.find_quote(quote, &named_documents)
        });
        let mut found_in = None;
        let mut how = None;
        let status = match search {
            QuoteSearch::Found(name, by) => {
                how = Some(by.name());
                found_in = Some(name).filter(|name| !named_documents.contains(name));
                Status::Verified
            }
            QuoteSearch::Nowhere | QuoteSearch::ProvesNothing
                if unfound == UnfoundQuote::NoCitation =>
            {
                return;
            }
            QuoteSearch::Nowhere => Status::Fabricated,
            QuoteSearch::ProvesNothing
                if evidence.document.is_some() && named_documents.is_empty() =>
            {
                Status::Fabricated
            }
            QuoteSearch::ProvesNothing => Status::Unquoted,
        };
        if status == Status::Fabricated {
            if evidence.part == CitingPart::Item {
                self.discarded.insert((evidence.list, evidence.at));
            }
            if search == QuoteSearch::Nowhere {
                self.invented.extend(evidence.quote.map(normalize_text));
            }
        }
        self.worst = self.worst.into_iter().chain([status]).min();
        let quote: Option<String> = evidence
            .quote
            .map(|quote| quote.chars().take(MAX_KEPT_CHARS).collect());
        self.citations.push(json!({
            "list": evidence.list,
            "at": evidence.at,
            "number": evidence.number,
            "document": evidence.document,
            "quote": quote,
            "status": status.name(),
            "found_in": found_in,
            "how": how,
        }));
    }

    fn into_outcome(self) -> Outcome {
        let unchecked_status = (self.unchecked > 0).then_some(Status::Unquoted);
        let worst = self.worst.into_iter().chain(unchecked_status).min();
        let label = worst.map_or(NONE, Status::name);
        let mut reason = match worst {
            None => "nothing is cited".to_owned(),
            Some(_) => {
                let counts: Vec<String> = [Status::Verified, Status::Unquoted, Status::Fabricated]
                    .iter()
                    .map(|status| (self.count_status(*status), status.name()))
                    .filter(|(count, _)| *count > 0)
                    .map(|(count, name)| format!("{count} {name}"))
                    .collect();
                format!(
                    "of {} citations: {}",
                    self.citations.len(),
                    counts.join(", ")
                )
            }
        };
        if self.unchecked > 0 {
            reason.push_str(&format!(
                "; {} more than the {MAX_CITATIONS} that are checked",
                self.unchecked
            ));
        }
        let discarded_items: Vec<Value> = self
            .discarded
            .iter()
            .map(|(list, at)| json!({ "list": list, "at": at }))
            .collect();
        let mut fields = json!({ "citations": self.citations, "discarded": discarded_items });
        if let (Some(fields), 1..) = (fields.as_object_mut(), self.unchecked) {
            fields.insert("unchecked".to_owned(), json!(self.unchecked));
        }
        finding(LABELS, label, reason, fields)
    }

    fn count_status(&self, status: Status) -> usize {
        let is_it = |citation: &&Value| citation["status"] == status.name();
        self.citations.iter().filter(is_it).count()
    }
}

/// Returns whether an item of a list is a citation by itself.
fn is_citation(item: &Map<String, Value>) -> bool {
    let holds = |key: &str| item.get(key).is_some_and(Value::is_string);
    !item.contains_key(EVIDENCE) && (holds(DOCUMENT) || holds(QUOTE))
}

/// Returns the texts of an item: its own, or those of its fields.
fn texts_of(item: &Value) -> impl Iterator<Item = &str> {
    let fields = item.as_object().into_iter().flat_map(Map::values);
    item.as_str()
        .into_iter()
        .chain(fields.filter_map(Value::as_str))
}

/// Parses one item of an argument's evidence. A bare string is the name of a document or words that
/// may or may not be in one: it does not claim to be a quotation, so it cannot be a false one.
fn parse_evidence<'a>(
    place: CitedEvidence<'a>,
    evidence: &'a Value,
    index: &DocumentIndex<'a>,
) -> (CitedEvidence<'a>, UnfoundQuote) {
    let text = |key: &str| {
        let text = evidence.get(key)?.as_str()?;
        Some(text).filter(|text| !text.trim().is_empty())
    };
    let mut cited_evidence = CitedEvidence {
        document: text(DOCUMENT),
        quote: text(QUOTE),
        ..place
    };
    if let Some(bare) = evidence.as_str() {
        if !index.find_documents(bare).is_empty() {
            cited_evidence.document = Some(bare);
        } else if matches!(index.find_quote(bare, &[]), QuoteSearch::Found(..)) {
            cited_evidence.quote = Some(bare);
        }
    }
    (cited_evidence, UnfoundQuote::Fabricated)
}
