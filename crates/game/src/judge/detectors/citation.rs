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

use super::normalize::normalize;
use super::quotations::{Quotation, quotations};
use super::quote_search::{DocumentIndex, QuoteSearch};
use super::turn_text::TurnText;
use crate::debate::Document;
use crate::debate::event::Outcome;
use crate::judge::replies::verdict::labelled as finding;
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

/// The labels of [`citations`] with their values, the best first.
pub(crate) const LABELS: &[(&str, f64)] = &[
    ("verified", 1.0),
    ("unquoted", 0.0),
    ("fabricated", -1.0),
    (NONE, 0.0),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    Fabricated,
    Unquoted,
    Verified,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Fabricated => "fabricated",
            Status::Unquoted => "unquoted",
            Status::Verified => "verified",
        }
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
pub fn citations(target: &TurnText<'_>, documents: &[Document]) -> Outcome {
    let shelf = DocumentIndex::new(documents);
    let mut checked = Checked::default();
    match target.fields {
        Some(fields) => checked.structured(fields, &shelf),
        None => checked.inline(target.text, &shelf),
    }
    checked.outcome()
}

impl<'a> Checked<'a> {
    fn structured(&mut self, fields: &'a Value, shelf: &DocumentIndex<'a>) {
        let mut repeated = Vec::new();
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
                        self.item(place(at, CitingPart::Item), item, shelf);
                        repeated.push((list.as_str(), at, item));
                    }
                }
                Value::Object(_) => self.item(place(0, CitingPart::Text), value, shelf),
                Value::String(text) => self.quoted(place(0, CitingPart::Text), text, shelf),
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        self.discard_what_repeats(&repeated);
    }

    /// Checks an item of a list: an argument, a citation or a sentence.
    fn item(&mut self, place: CitedEvidence<'a>, item: &'a Value, shelf: &DocumentIndex<'a>) {
        let is_evidence = LISTS_OF_EVIDENCE.contains(&place.list);
        match item {
            Value::Object(item) if !is_evidence && !is_citation(item) => {
                self.argument(place, item, shelf);
            }
            Value::Object(object) => {
                let number = object.get(NUMBER).and_then(Value::as_u64);
                self.add(shelf, cited(CitedEvidence { number, ..place }, item, shelf));
            }
            Value::String(_) if is_evidence => self.add(shelf, cited(place, item, shelf)),
            Value::String(text) => self.quoted(place, text, shelf),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {}
        }
    }

    /// Discards items that repeat words which are fabricated elsewhere in the reply.
    fn discard_what_repeats(&mut self, items: &[(&'a str, usize, &'a Value)]) {
        if self.invented.is_empty() {
            return;
        }
        for (list, at, item) in items {
            let texts: Vec<String> = texts_of(item).map(normalize).collect();
            let repeats = |words: &String| texts.iter().any(|text| text.contains(words.as_str()));
            if self.invented.iter().any(repeats) {
                self.discarded.insert((list, *at));
            }
        }
    }

    fn argument(
        &mut self,
        place: CitedEvidence<'a>,
        item: &'a Map<String, Value>,
        shelf: &DocumentIndex<'a>,
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
            self.add(shelf, cited(place, one, shelf));
        }
        for (key, value) in item {
            if let (false, Some(text)) = (key == EVIDENCE, value.as_str()) {
                self.quoted(place, text, shelf);
            }
        }
        if evidence.is_empty() && self.citations.len() == before {
            let mut texts = item.iter().filter_map(|(_, value)| value.as_str());
            if let Some(document) = texts.find_map(|text| shelf.mentioned(text)) {
                let document = Some(document);
                self.add(
                    shelf,
                    (
                        CitedEvidence { document, ..place },
                        UnfoundQuote::Fabricated,
                    ),
                );
            }
        }
    }

    fn inline(&mut self, text: &'a str, shelf: &DocumentIndex<'a>) {
        for (at, quotation) in quotations(text).into_iter().enumerate() {
            let place = CitedEvidence {
                list: TEXT,
                at,
                number: None,
                document: None,
                quote: None,
                part: CitingPart::Text,
            };
            self.quotation(place, &quotation, shelf);
        }
    }

    fn quoted(&mut self, place: CitedEvidence<'a>, text: &'a str, shelf: &DocumentIndex<'a>) {
        for quotation in quotations(text) {
            self.quotation(place, &quotation, shelf);
        }
    }

    fn quotation(
        &mut self,
        place: CitedEvidence<'a>,
        quotation: &Quotation<'a>,
        shelf: &DocumentIndex<'a>,
    ) {
        let document = [quotation.before, quotation.after]
            .iter()
            .find_map(|part| shelf.mentioned(part));
        let unfound = match document {
            Some(_) => UnfoundQuote::Fabricated,
            None => UnfoundQuote::NoCitation,
        };
        let cited = CitedEvidence {
            document,
            quote: Some(quotation.quote),
            ..place
        };
        self.add(shelf, (cited, unfound));
    }

    fn add(
        &mut self,
        shelf: &DocumentIndex<'a>,
        (cited, unfound): (CitedEvidence<'a>, UnfoundQuote),
    ) {
        if self.looked_for >= MAX_CITATIONS {
            self.unchecked += 1;
            return;
        }
        self.looked_for += 1;
        let named = cited.document.map_or(Vec::new(), |name| shelf.named(name));
        let search = cited.quote.map_or(QuoteSearch::ProvesNothing, |quote| {
            shelf.search(quote, &named)
        });
        let mut found_in = None;
        let mut how = None;
        let status = match search {
            QuoteSearch::Found(name, by) => {
                how = Some(by.name());
                found_in = Some(name).filter(|name| !named.contains(name));
                Status::Verified
            }
            QuoteSearch::Nowhere | QuoteSearch::ProvesNothing
                if unfound == UnfoundQuote::NoCitation =>
            {
                return;
            }
            QuoteSearch::Nowhere => Status::Fabricated,
            QuoteSearch::ProvesNothing if cited.document.is_some() && named.is_empty() => {
                Status::Fabricated
            }
            QuoteSearch::ProvesNothing => Status::Unquoted,
        };
        if status == Status::Fabricated {
            if cited.part == CitingPart::Item {
                self.discarded.insert((cited.list, cited.at));
            }
            if search == QuoteSearch::Nowhere {
                self.invented.extend(cited.quote.map(normalize));
            }
        }
        self.worst = self.worst.into_iter().chain([status]).min();
        let quote: Option<String> = cited
            .quote
            .map(|quote| quote.chars().take(MAX_KEPT_CHARS).collect());
        self.citations.push(json!({
            "list": cited.list,
            "at": cited.at,
            "number": cited.number,
            "document": cited.document,
            "quote": quote,
            "status": status.name(),
            "found_in": found_in,
            "how": how,
        }));
    }

    fn outcome(self) -> Outcome {
        let unchecked = (self.unchecked > 0).then_some(Status::Unquoted);
        let worst = self.worst.into_iter().chain(unchecked).min();
        let label = worst.map_or(NONE, Status::name);
        let mut reason = match worst {
            None => "nothing is cited".to_owned(),
            Some(_) => {
                let counts: Vec<String> = [Status::Verified, Status::Unquoted, Status::Fabricated]
                    .iter()
                    .map(|status| (self.count(*status), status.name()))
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
        let discarded: Vec<Value> = self
            .discarded
            .iter()
            .map(|(list, at)| json!({ "list": list, "at": at }))
            .collect();
        let mut fields = json!({ "citations": self.citations, "discarded": discarded });
        if let (Some(fields), 1..) = (fields.as_object_mut(), self.unchecked) {
            fields.insert("unchecked".to_owned(), json!(self.unchecked));
        }
        finding(LABELS, label, reason, fields)
    }

    fn count(&self, status: Status) -> usize {
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
fn cited<'a>(
    place: CitedEvidence<'a>,
    evidence: &'a Value,
    shelf: &DocumentIndex<'a>,
) -> (CitedEvidence<'a>, UnfoundQuote) {
    let text = |key: &str| {
        let text = evidence.get(key)?.as_str()?;
        Some(text).filter(|text| !text.trim().is_empty())
    };
    let mut cited = CitedEvidence {
        document: text(DOCUMENT),
        quote: text(QUOTE),
        ..place
    };
    if let Some(bare) = evidence.as_str() {
        if !shelf.named(bare).is_empty() {
            cited.document = Some(bare);
        } else if matches!(shelf.search(bare, &[]), QuoteSearch::Found(..)) {
            cited.quote = Some(bare);
        }
    }
    (cited, UnfoundQuote::Fabricated)
}
