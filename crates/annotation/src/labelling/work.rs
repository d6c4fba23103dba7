//! Work of an annotator as it is opened: the items of a queue or of a dispute, or one thing. Nothing here
//! writes.

use crate::pack::read_label_book;
use crate::queue::{Queue, compute_progress, find_labelled_queue, fits_target, items_in_order};
use crate::{BlindedTranscript, TranscriptParts, read_blinded_transcript};
use elenchus_game::debate::SessionId;
use elenchus_records::library::{LabelBook, Library};
use elenchus_records::workspace::annotations::{
    AnnotationTarget, Annotations, CurrentLabel, LabelKey, LabelRole, QueueDraw, Unblinding,
    annotator_name, read_annotations,
};
use elenchus_records::workspace::{StoreContext, WorkspaceError, read_session};
use elenchus_store::Layout;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Words of one's own that are offered again.
const MAX_WORDS: usize = 12;

/// Work of an annotator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabellingWork {
    /// A queue, by name.
    Queue(String),
    /// Items of a queue on which annotators disagree.
    Disputes(String),
    /// One thing that the person chose, by a label set.
    One { on: AnnotationTarget, set: String },
}

/// Something to be labelled, as it was opened.
#[derive(Debug, Clone)]
pub struct OpenedWork {
    pub annotator: String,
    pub book: LabelBook,
    /// The label sets by which the one thing can be labelled that the person chose.
    pub sets: Vec<String>,
    /// Notices before the first label.
    pub notices: Vec<String>,
    pub items: Vec<LabelItem>,
    /// Blinded transcript of the first session without a label.
    pub first_transcript: Option<Arc<BlindedTranscript>>,
    /// Content that unblinded the person, by session.
    pub saw: BTreeMap<SessionId, BTreeSet<Unblinding>>,
    /// Durations of the person's labels, in milliseconds.
    pub spent_ms: Vec<u64>,
    /// Words of their own that the person has given, the most frequent first.
    pub words: Vec<String>,
    /// Other annotators who have labelled any of the queue.
    pub other_annotators: usize,
    /// Items of the queue on which annotators disagree, and that are not settled yet by this person.
    pub open_disputes: usize,
}

/// One thing to be labelled.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelItem {
    pub on: AnnotationTarget,
    pub drawn: Option<QueueDraw>,
    pub repeat: u32,
    pub role: LabelRole,
    /// Label of the person that is in force.
    pub mine: Option<CurrentLabel>,
    /// Labels of others, in a dispute.
    pub others: Vec<CurrentLabel>,
}

/// Opens something to be labelled. Blocks while it reads.
///
/// # Errors
/// When the queue or the label set is not there, or annotations cannot be read.
pub fn open_work(
    store: &StoreContext,
    library: &Library,
    work: &LabellingWork,
) -> Result<OpenedWork, WorkspaceError> {
    let layout = &store.layout;
    let (annotations, _) = read_annotations(layout)?;
    let who = annotator_name(&store.person);
    let mut notices = Vec::new();
    let (mut other_annotators, mut open_disputes) = (0, 0);
    let (book, items) = match work {
        LabellingWork::Queue(name) => {
            let queue = find_labelled_queue(layout, name)?;
            let book = read_label_book(library, &queue)?;
            notices.extend(describe_changed_codebook(&book, &queue));
            other_annotators = count_other_annotators(&queue, &annotations, &who);
            let disputes = collect_disputes(&queue, &annotations, &who);
            open_disputes = disputes.iter().filter(|item| item.mine.is_none()).count();
            let items = build_queue_items(&queue, &annotations, &who);
            (book, items)
        }
        LabellingWork::Disputes(name) => {
            let queue = find_labelled_queue(layout, name)?;
            let book = read_label_book(library, &queue)?;
            notices.extend(describe_changed_codebook(&book, &queue));
            let items = collect_disputes(&queue, &annotations, &who);
            (book, items)
        }
        LabellingWork::One { on, set } => {
            let book = library.read_label_set(set)?;
            let place = LabelKey {
                on: on.clone(),
                set: book.set.id.clone(),
                repeat: 0,
                role: LabelRole::Annotator,
            };
            let mine = annotations.find_label(&who, &place).cloned();
            let item = LabelItem {
                on: on.clone(),
                // A label that was drawn stays one of its sample when it is corrected here.
                drawn: mine.as_ref().and_then(|mine| mine.label.drawn.clone()),
                repeat: 0,
                role: LabelRole::Annotator,
                mine,
                others: Vec::new(),
            };
            (book, vec![item])
        }
    };
    let item_sessions = items.iter().map(|item| &item.on.session);
    let sessions: BTreeSet<&SessionId> = item_sessions.collect();
    let saw = sessions.into_iter().filter_map(|session| {
        let saw = annotations.unblindings(&who, session);
        (!saw.is_empty()).then(|| (session.clone(), saw))
    });
    let durations = items
        .iter()
        .filter_map(|item| item.mine.as_ref()?.label.spent_ms);
    let first = items
        .iter()
        .find(|item| item.mine.is_none())
        .or(items.first());
    let first_transcript = first.and_then(|item| {
        let parts = TranscriptParts::from_set(&book.set);
        read_blinded_transcript(layout, &item.on.session, parts).ok()
    });
    Ok(OpenedWork {
        first_transcript: first_transcript.map(Arc::new),
        sets: match work {
            LabellingWork::One { on, .. } => list_fitting_sets(layout, library, on),
            LabellingWork::Queue(_) | LabellingWork::Disputes(_) => Vec::new(),
        },
        notices,
        saw: saw.collect(),
        spent_ms: durations.collect(),
        words: list_own_words(&book, &annotations, &who),
        other_annotators,
        open_disputes,
        annotator: who,
        items,
        book,
    })
}

/// Returns the sets that are about a thing that a person chose.
fn list_fitting_sets(layout: &Layout, library: &Library, on: &AnnotationTarget) -> Vec<String> {
    let path = layout.session_path(on.session.as_str()).ok();
    let state = path.and_then(|path| read_session(&path).ok());
    let sets = library.list_label_sets().into_iter();
    let fitting = sets.filter_map(|(name, _)| {
        let of = library.read_label_set(&name).ok()?.set.of;
        // Of a session that cannot be read it is not known what its turns are.
        let fits = match &state {
            Some(state) => fits_target(of, state, on),
            None => of.is_default(),
        };
        fits.then_some(name)
    });
    fitting.collect()
}

fn describe_changed_codebook(book: &LabelBook, queue: &Queue) -> Option<String> {
    (book.hash != queue.definition.codebook_sha256).then(|| {
        format!(
            "the codebook of '{}' has changed since this queue was drawn; labels tell which one they were given by",
            book.set.id
        )
    })
}

/// Counts the others who have labelled any of a queue.
pub(super) fn count_other_annotators(queue: &Queue, annotations: &Annotations, who: &str) -> usize {
    let others = annotations.annotators().filter(|other| *other != who);
    others
        .filter(|other| compute_progress(queue, annotations, other).labelled > 0)
        .count()
}

fn build_queue_items(queue: &Queue, annotations: &Annotations, who: &str) -> Vec<LabelItem> {
    let set = &queue.definition.set;
    let ordered_items = items_in_order(queue, who).into_iter();
    ordered_items
        .map(|item| {
            let place = item.label_key(set);
            let is_labelled = item.is_labelled(annotations, who, set);
            LabelItem {
                mine: annotations
                    .find_label(who, &place)
                    .filter(|_| is_labelled)
                    .cloned(),
                on: item.on,
                drawn: Some(item.drawn),
                repeat: item.repeat,
                role: LabelRole::Annotator,
                others: Vec::new(),
            }
        })
        .collect()
}

/// Returns what annotators of a queue said different things of, in the queue's order.
fn collect_disputes(queue: &Queue, annotations: &Annotations, who: &str) -> Vec<LabelItem> {
    let set = &queue.definition.set;
    let mut labels_by_target: BTreeMap<&AnnotationTarget, Vec<&CurrentLabel>> = BTreeMap::new();
    for standing in annotations.labels() {
        let label = &standing.label;
        let first = label.role == LabelRole::Annotator && label.repeat == 0;
        if label.set == *set && first {
            labels_by_target
                .entry(&label.on)
                .or_default()
                .push(standing);
        }
    }
    let items = queue.items().filter_map(|(wave, item)| {
        let others = labels_by_target.get(&item.on)?;
        let words: BTreeSet<&String> = others.iter().map(|it| &it.label.label).collect();
        if words.len() < 2 {
            return None;
        }
        let place = LabelKey {
            on: item.on.clone(),
            set: set.clone(),
            repeat: 0,
            role: LabelRole::Adjudicator,
        };
        Some(LabelItem {
            on: item.on.clone(),
            drawn: queue.find_draw(wave, item),
            repeat: 0,
            role: LabelRole::Adjudicator,
            mine: annotations.find_label(who, &place).cloned(),
            others: others.iter().map(|it| (*it).clone()).collect(),
        })
    });
    items.collect()
}

/// Returns words of one's own by how often they were given.
fn list_own_words(book: &LabelBook, annotations: &Annotations, who: &str) -> Vec<String> {
    if book.set.free.is_none() {
        return Vec::new();
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mine = annotations.labels().filter(|standing| {
        standing.annotator == who
            && standing.label.set == book.set.id
            && book.set.find_label(&standing.label.label).is_none()
    });
    for word in mine.flat_map(|standing| standing.label.label.split(", ")) {
        *counts.entry(word).or_default() += 1;
    }
    let mut words: Vec<(&str, usize)> = counts.into_iter().collect();
    words.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let words = words.into_iter().take(MAX_WORDS);
    words.map(|(word, _)| word.to_owned()).collect()
}
