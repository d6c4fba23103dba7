//! Work of an annotator as it is opened: the items of a queue or of a dispute, or one thing. Nothing here
//! writes.

use crate::annotation::pack::label_book;
use crate::annotation::queue::{Queue, find_queue, items_in_order};
use crate::annotation::{BlindedTranscript, read_blinded_transcript};
use crate::debate::SessionId;
use crate::library::LabelBook;
use crate::tui::app::{Tools, Work};
use crate::workspace::WorkspaceError;
use crate::workspace::annotations::{
    AnnotationTarget, Annotations, CurrentLabel, LabelKey, LabelRole, QueueDraw, Unblinding,
    annotator, read_annotations,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Words of one's own that are offered again.
const MAX_WORDS: usize = 12;

/// Something to be labelled, as it was opened.
#[derive(Debug, Clone)]
pub struct AnnotateCard {
    pub annotator: String,
    pub book: LabelBook,
    /// The other label sets that single things can be labelled by.
    pub sets: Vec<String>,
    /// Notices before the first label.
    pub notices: Vec<String>,
    pub posts: Vec<Post>,
    /// Blinded transcript of the first session without a label.
    pub sheet: Option<Arc<BlindedTranscript>>,
    /// Content that unblinded the person, by session.
    pub saw: BTreeMap<SessionId, BTreeSet<Unblinding>>,
    /// Durations of the person's labels, in milliseconds.
    pub spent_ms: Vec<u64>,
    /// Words of their own that the person has given, the most frequent first.
    pub words: Vec<String>,
}

/// One thing to be labelled.
#[derive(Debug, Clone, PartialEq)]
pub struct Post {
    pub on: AnnotationTarget,
    pub drawn: Option<QueueDraw>,
    pub repeat: u32,
    pub role: LabelRole,
    /// Label of the person that is in force.
    pub mine: Option<CurrentLabel>,
    /// Labels of others, in a dispute.
    pub others: Vec<CurrentLabel>,
}

pub(super) fn card(tools: &Tools, work: &Work) -> Result<AnnotateCard, String> {
    let in_words = |error: WorkspaceError| error.to_string();
    let layout = &tools.desk.layout;
    let (annotations, _) = read_annotations(layout).map_err(in_words)?;
    let who = annotator(&tools.desk.person);
    let mut notices = Vec::new();
    let (book, posts) = match work {
        Work::Queue(name) => {
            let queue = find_queue(layout, name).map_err(in_words)?;
            let book = label_book(&tools.library, &queue).map_err(in_words)?;
            notices.extend(changed(&book, &queue));
            let posts = posts(&queue, &annotations, &who);
            (book, posts)
        }
        Work::Disputes(name) => {
            let queue = find_queue(layout, name).map_err(in_words)?;
            let book = label_book(&tools.library, &queue).map_err(in_words)?;
            notices.extend(changed(&book, &queue));
            let posts = disputes(&queue, &annotations, &who);
            (book, posts)
        }
        Work::One { on, set } => {
            let book = tools
                .library
                .label_set(set)
                .map_err(|error| error.to_string())?;
            let place = LabelKey {
                on: on.clone(),
                set: book.set.id.clone(),
                repeat: 0,
                role: LabelRole::Annotator,
            };
            let mine = annotations.label(&who, &place).cloned();
            let post = Post {
                on: on.clone(),
                // A label that was drawn stays one of its sample when it is corrected here.
                drawn: mine.as_ref().and_then(|mine| mine.label.drawn.clone()),
                repeat: 0,
                role: LabelRole::Annotator,
                mine,
                others: Vec::new(),
            };
            (book, vec![post])
        }
    };
    let of = posts.iter().map(|post| &post.on.session);
    let sessions: BTreeSet<&SessionId> = of.collect();
    let saw = sessions.into_iter().filter_map(|session| {
        let saw = annotations.saw(&who, session);
        (!saw.is_empty()).then(|| (session.clone(), saw))
    });
    let spent = posts
        .iter()
        .filter_map(|post| post.mine.as_ref()?.label.spent_ms);
    let first = posts
        .iter()
        .find(|post| post.mine.is_none())
        .or(posts.first());
    let sheet = first
        .and_then(|post| read_blinded_transcript(layout, &post.on.session, book.set.seats).ok());
    Ok(AnnotateCard {
        sheet: sheet.map(Arc::new),
        sets: tools
            .library
            .label_sets()
            .into_iter()
            .map(|(name, _)| name)
            .collect(),
        notices,
        saw: saw.collect(),
        spent_ms: spent.collect(),
        words: words(&book, &annotations, &who),
        annotator: who,
        posts,
        book,
    })
}

fn changed(book: &LabelBook, queue: &Queue) -> Option<String> {
    (book.hash != queue.definition.codebook_sha256).then(|| {
        format!(
            "the codebook of '{}' has changed since this queue was drawn; labels tell which one they were given by",
            book.set.id
        )
    })
}

fn posts(queue: &Queue, annotations: &Annotations, who: &str) -> Vec<Post> {
    let set = &queue.definition.set;
    let stations = items_in_order(queue, who).into_iter();
    stations
        .map(|station| {
            let place = station.place(set);
            let done = station.is_labelled(annotations, who, set);
            Post {
                mine: annotations.label(who, &place).filter(|_| done).cloned(),
                on: station.on,
                drawn: Some(station.drawn),
                repeat: station.repeat,
                role: LabelRole::Annotator,
                others: Vec::new(),
            }
        })
        .collect()
}

/// Returns what annotators of a queue said different things of, in the queue's order.
fn disputes(queue: &Queue, annotations: &Annotations, who: &str) -> Vec<Post> {
    let set = &queue.definition.set;
    let mut said: BTreeMap<&AnnotationTarget, Vec<&CurrentLabel>> = BTreeMap::new();
    for standing in annotations.labels() {
        let label = &standing.label;
        let first = label.role == LabelRole::Annotator && label.repeat == 0;
        if label.set == *set && first {
            said.entry(&label.on).or_default().push(standing);
        }
    }
    let items = queue.items().filter_map(|(wave, item)| {
        let others = said.get(&item.on)?;
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
        Some(Post {
            on: item.on.clone(),
            drawn: queue.drawn(wave, item),
            repeat: 0,
            role: LabelRole::Adjudicator,
            mine: annotations.label(who, &place).cloned(),
            others: others.iter().map(|it| (*it).clone()).collect(),
        })
    });
    items.collect()
}

/// Returns words of one's own by how often they were given.
fn words(book: &LabelBook, annotations: &Annotations, who: &str) -> Vec<String> {
    if book.set.free.is_none() {
        return Vec::new();
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mine = annotations.labels().filter(|standing| {
        standing.annotator == who
            && standing.label.set == book.set.id
            && book.set.label(&standing.label.label).is_none()
    });
    for word in mine.flat_map(|standing| standing.label.label.split(", ")) {
        *counts.entry(word).or_default() += 1;
    }
    let mut words: Vec<(&str, usize)> = counts.into_iter().collect();
    words.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let words = words.into_iter().take(MAX_WORDS);
    words.map(|(word, _)| word.to_owned()).collect()
}
