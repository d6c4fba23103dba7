//! Marks of a returned pack: those of its annotator on its items since it was handed out, and, apart from
//! them, all others with the reason.

use super::handout::Handout;
use crate::queue::Queue;
use elenchus_game::debate::SessionId;
use elenchus_game::debate::event::Author;
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationEvent, AnnotationId, AnnotationTarget, Label, LabelRole,
    PendingAnnotation, QueueDraw, annotator, mark_names, target_of,
};
use elenchus_records::workspace::milliseconds;
use elenchus_store::JournalLine;
use std::collections::{BTreeMap, BTreeSet};

/// How far the clocks of two machines may differ.
const CLOCKS_DIFFER_MS: i64 = 5 * 60 * 1000;
/// Number of targets that are named for each kind of mark.
const NAMED: usize = 3;

/// Reason why a mark is not taken unless its annotator is named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NotTakenReason {
    /// The pack has no recipient.
    ForNobody,
    SomebodyElse {
        person: String,
    },
    SignedBy(String),
    DatedBefore,
    NotOfThePack,
    TakesBack,
    Settles,
}

impl NotTakenReason {
    fn why(&self) -> String {
        match self {
            NotTakenReason::ForNobody => "the pack does not say whom it is for".to_owned(),
            NotTakenReason::SomebodyElse { person } => format!("the pack is for {person}"),
            NotTakenReason::SignedBy(name) => format!("signed by '{name}'"),
            NotTakenReason::DatedBefore => "not dated after the pack was handed out".to_owned(),
            NotTakenReason::NotOfThePack => "not on an item of the pack, for its queue".to_owned(),
            NotTakenReason::Settles => {
                "an adjudication, and a pack holds only its annotator's labels".to_owned()
            }
            NotTakenReason::TakesBack => "what they take back was not made in this pack".to_owned(),
        }
    }
}

/// Conditions on the marks of a pack.
pub(super) struct MergeTerms<'a> {
    /// `None` where the store did not hand the pack out.
    pub handed: Option<(i64, &'a Handout)>,
    pub items: &'a PackItems,
    /// The marks that the person had in the store when it was handed out.
    pub before: BTreeSet<AnnotationId>,
}

/// Items of a pack, from this store's own queues.
#[derive(Default)]
pub(super) struct PackItems {
    /// The label set of each queue.
    sets: BTreeMap<String, String>,
    drawn: BTreeMap<String, BTreeMap<AnnotationTarget, Option<QueueDraw>>>,
    sessions: BTreeSet<SessionId>,
}

impl PackItems {
    /// Adds a queue.
    pub fn add(&mut self, queue: &Queue) {
        let name = &queue.definition.queue;
        self.sets.insert(name.clone(), queue.definition.set.clone());
        let drawn = self.drawn.entry(name.clone()).or_default();
        for (wave, item) in queue.items() {
            drawn.insert(item.on.clone(), queue.drawn(wave, item));
            self.sessions.insert(item.on.session.clone());
        }
    }

    /// Restores how an item was drawn, which the pack does not hold.
    pub(super) fn tell_how_drawn(&self, mark: &mut Annotation) {
        let Annotation::Labelled(label) = mark else {
            return;
        };
        let Some(packed) = &label.drawn else { return };
        let items = self.drawn.get(&packed.queue);
        if let Some(drawn) = items.and_then(|items| items.get(&label.on)) {
            label.drawn.clone_from(drawn);
        }
    }

    fn has_label(&self, label: &Label) -> bool {
        let Some(drawn) = &label.drawn else {
            return false;
        };
        let items = self.drawn.get(&drawn.queue);
        self.sets.get(&drawn.queue) == Some(&label.set)
            && items.is_some_and(|items| items.contains_key(&label.on))
    }

    fn has(&self, on: &AnnotationTarget) -> bool {
        self.drawn.values().any(|items| items.contains_key(on))
    }
}

/// Marks of one annotator in a returned pack.
#[derive(Default)]
pub(super) struct ReturnedMarks {
    pub notes: Vec<PendingAnnotation>,
    pub sights: Vec<PendingAnnotation>,
    /// Marks that are in the store already.
    pub known: usize,
    /// Marks that are not taken unless the annotator is named, by reason.
    pub apart: BTreeMap<NotTakenReason, MarkCounts>,
}

/// Counts of marks that are reported together.
#[derive(Default)]
pub(super) struct MarkCounts {
    /// By the words for one of them and for several.
    counts: BTreeMap<(&'static str, &'static str), usize>,
    on: BTreeSet<String>,
}

impl MergeTerms<'_> {
    /// Sorts one annotator's marks. `is_known` knows the marks of the store, `target` what a
    /// mark of the store is.
    pub fn sort(
        &self,
        who: &str,
        notes: Vec<JournalLine<AnnotationEvent>>,
        sights: Vec<JournalLine<AnnotationEvent>>,
        is_known: impl Fn(&AnnotationId) -> bool,
        target: impl Fn(&AnnotationId) -> Option<String>,
    ) -> ReturnedMarks {
        let mut returned = ReturnedMarks::default();
        // Marks made in this pack, with their targets.
        let mut made: BTreeMap<AnnotationId, String> = BTreeMap::new();
        let count = notes.len();
        for (at, line) in notes.into_iter().chain(sights).enumerate() {
            let is_note = at < count;
            let id = line.event.id.clone();
            let on = match &line.event.mark {
                Annotation::Retracted { of } => made.get(of).cloned().or_else(|| target(of)),
                mark => target_of(mark),
            };
            let on = on.unwrap_or_else(|| "what is not here".to_owned());
            let apart = self.apart(who, &line, is_note, &made);
            if !self.before.contains(&id) {
                made.insert(id.clone(), on.clone());
            }
            if is_known(&id) {
                returned.known += usize::from(is_note);
                continue;
            }
            if let Some(apart) = apart {
                returned
                    .apart
                    .entry(apart)
                    .or_default()
                    .add(&line.event.mark, on);
            }
            let list = match is_note {
                true => &mut returned.notes,
                false => &mut returned.sights,
            };
            list.push(PendingAnnotation::from(line));
        }
        returned
    }

    fn apart(
        &self,
        who: &str,
        line: &JournalLine<AnnotationEvent>,
        is_note: bool,
        made: &BTreeMap<AnnotationId, String>,
    ) -> Option<NotTakenReason> {
        let Some((at, handed)) = self.handed else {
            return Some(NotTakenReason::ForNobody);
        };
        if handed.annotator() != who {
            let person = handed.person.clone();
            return Some(NotTakenReason::SomebodyElse { person });
        }
        match Author::parse(&line.by) {
            Author::Person(name) if annotator(&name) == who => {}
            Author::Person(name) => return Some(NotTakenReason::SignedBy(name)),
            Author::Engine => return Some(NotTakenReason::SignedBy("engine".to_owned())),
        }
        let earliest = at.saturating_sub(CLOCKS_DIFFER_MS);
        if milliseconds(&line.at).is_none_or(|at| at < earliest) {
            return Some(NotTakenReason::DatedBefore);
        }
        let fits = match &line.event.mark {
            Annotation::Unblinded { session, .. } => self.items.sessions.contains(session),
            _ if !is_note => false,
            Annotation::Retracted { of } if made.contains_key(of) => true,
            Annotation::Retracted { .. } => return Some(NotTakenReason::TakesBack),
            Annotation::Labelled(label) if label.role == LabelRole::Adjudicator => {
                return Some(NotTakenReason::Settles);
            }
            Annotation::Labelled(label) => self.items.has_label(label),
            Annotation::Noted { on, .. } => self.items.has(on),
            Annotation::Tagged { .. } | Annotation::Untagged { .. } | Annotation::Named { .. } => {
                false
            }
        };
        (!fits).then_some(NotTakenReason::NotOfThePack)
    }
}

impl MarkCounts {
    fn add(&mut self, mark: &Annotation, on: String) {
        *self.counts.entry(mark_names(mark)).or_default() += 1;
        self.on.insert(on);
    }

    /// Describes an annotator's marks of one kind: counts, targets, and the reason they are listed.
    pub fn text(&self, who: &str, apart: &NotTakenReason) -> String {
        let counts = self.counts.iter().map(|((one, many), count)| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {many}"),
        });
        let counts: Vec<String> = counts.collect();
        let on: Vec<&str> = self.on.iter().take(NAMED).map(String::as_str).collect();
        let more = match self.on.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!(
            "{who}: {}: {}; on {}{more}",
            counts.join(", "),
            apart.why(),
            on.join(", "),
        )
    }
}
