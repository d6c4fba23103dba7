//! Marks of a returned pack: those of its annotator on its items since it was handed out, and, apart from
//! them, all others with the reason.

use super::handout::Handout;
use crate::queue::Queue;
use elenchus_game::debate::SessionId;
use elenchus_game::debate::event::Author;
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationEvent, AnnotationId, AnnotationTarget, Label, LabelRole,
    PendingAnnotation, QueueDraw, annotator_name, mark_names, target_of,
};
use elenchus_records::workspace::parse_milliseconds;
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
    fn describe(&self) -> String {
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
    draws: BTreeMap<String, BTreeMap<AnnotationTarget, Option<QueueDraw>>>,
    sessions: BTreeSet<SessionId>,
}

impl PackItems {
    /// Adds a queue.
    pub fn add_queue(&mut self, queue: &Queue) {
        let name = &queue.definition.queue;
        self.sets.insert(name.clone(), queue.definition.set.clone());
        let item_draws = self.draws.entry(name.clone()).or_default();
        for (wave, item) in queue.items() {
            item_draws.insert(item.on.clone(), queue.find_draw(wave, item));
            self.sessions.insert(item.on.session.clone());
        }
    }

    /// Restores how an item was drawn, which the pack does not hold.
    pub(super) fn restore_draw(&self, mark: &mut Annotation) {
        let Annotation::Labelled(label) = mark else {
            return;
        };
        let Some(pack_draw) = &label.drawn else {
            return;
        };
        let items = self.draws.get(&pack_draw.queue);
        if let Some(draw) = items.and_then(|items| items.get(&label.on)) {
            label.drawn.clone_from(draw);
        }
    }

    fn has_label(&self, label: &Label) -> bool {
        let Some(draw) = &label.drawn else {
            return false;
        };
        let items = self.draws.get(&draw.queue);
        self.sets.get(&draw.queue) == Some(&label.set)
            && items.is_some_and(|items| items.contains_key(&label.on))
    }

    fn has_target(&self, on: &AnnotationTarget) -> bool {
        self.draws.values().any(|items| items.contains_key(on))
    }
}

/// Marks of one annotator in a returned pack.
#[derive(Default)]
pub(super) struct ReturnedMarks {
    pub notes: Vec<PendingAnnotation>,
    pub unblindings: Vec<PendingAnnotation>,
    /// Marks that are in the store already.
    pub known: usize,
    /// Marks that are not taken unless the annotator is named, by reason.
    pub not_taken: BTreeMap<NotTakenReason, MarkCounts>,
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
        unblindings: Vec<JournalLine<AnnotationEvent>>,
        is_known: impl Fn(&AnnotationId) -> bool,
        target: impl Fn(&AnnotationId) -> Option<String>,
    ) -> ReturnedMarks {
        let mut marks = ReturnedMarks::default();
        // Marks made in this pack, with their targets.
        let mut pack_marks: BTreeMap<AnnotationId, String> = BTreeMap::new();
        let count = notes.len();
        for (at, line) in notes.into_iter().chain(unblindings).enumerate() {
            let is_note = at < count;
            let id = line.event.id.clone();
            let on = match &line.event.mark {
                Annotation::Retracted { of } => pack_marks.get(of).cloned().or_else(|| target(of)),
                mark => target_of(mark),
            };
            let on = on.unwrap_or_else(|| "what is not here".to_owned());
            let reason = self.find_reason(who, &line, is_note, &pack_marks);
            if !self.before.contains(&id) {
                pack_marks.insert(id.clone(), on.clone());
            }
            if is_known(&id) {
                marks.known += usize::from(is_note);
                continue;
            }
            if let Some(apart) = reason {
                marks
                    .not_taken
                    .entry(apart)
                    .or_default()
                    .add_mark(&line.event.mark, on);
            }
            let list = match is_note {
                true => &mut marks.notes,
                false => &mut marks.unblindings,
            };
            list.push(PendingAnnotation::from(line));
        }
        marks
    }

    fn find_reason(
        &self,
        who: &str,
        line: &JournalLine<AnnotationEvent>,
        is_note: bool,
        pack_marks: &BTreeMap<AnnotationId, String>,
    ) -> Option<NotTakenReason> {
        let Some((at, handed)) = self.handed else {
            return Some(NotTakenReason::ForNobody);
        };
        if handed.annotator() != who {
            let person = handed.person.clone();
            return Some(NotTakenReason::SomebodyElse { person });
        }
        match Author::parse(&line.by) {
            Author::Person(name) if annotator_name(&name) == who => {}
            Author::Person(name) => return Some(NotTakenReason::SignedBy(name)),
            Author::Engine => return Some(NotTakenReason::SignedBy("engine".to_owned())),
        }
        let earliest = at.saturating_sub(CLOCKS_DIFFER_MS);
        if parse_milliseconds(&line.at).is_none_or(|at| at < earliest) {
            return Some(NotTakenReason::DatedBefore);
        }
        let fits = match &line.event.mark {
            Annotation::Unblinded { session, .. } => self.items.sessions.contains(session),
            _ if !is_note => false,
            Annotation::Retracted { of } if pack_marks.contains_key(of) => true,
            Annotation::Retracted { .. } => return Some(NotTakenReason::TakesBack),
            Annotation::Labelled(label) if label.role == LabelRole::Adjudicator => {
                return Some(NotTakenReason::Settles);
            }
            Annotation::Labelled(label) => self.items.has_label(label),
            Annotation::Noted { on, .. } => self.items.has_target(on),
            Annotation::Tagged { .. } | Annotation::Untagged { .. } | Annotation::Named { .. } => {
                false
            }
        };
        (!fits).then_some(NotTakenReason::NotOfThePack)
    }
}

impl MarkCounts {
    fn add_mark(&mut self, mark: &Annotation, on: String) {
        *self.counts.entry(mark_names(mark)).or_default() += 1;
        self.on.insert(on);
    }

    /// Describes an annotator's marks of one kind: counts, targets, and the reason they are listed.
    pub fn describe(&self, who: &str, apart: &NotTakenReason) -> String {
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
            apart.describe(),
            on.join(", "),
        )
    }
}
