//! What came back in a pack: what its person did on its items since it was handed out, and apart from
//! that everything else, with why.

use super::super::clock::milliseconds;
use super::super::margin::{
    Drawn, Label, LabelRole, MarginEvent, Mark, MarkId, PendingMark, Spot, annotator,
};
use super::event::Queue;
use super::handed_out::HandedOut;
use crate::debate::SessionId;
use crate::debate::event::Author;
use crate::store::Line;
use std::collections::{BTreeMap, BTreeSet};

/// How far the clocks of two machines may differ.
const CLOCKS_DIFFER_MS: i64 = 5 * 60 * 1000;
/// How many places of each kind of act are named.
const NAMED: usize = 3;

/// Why an act is not taken unless its annotator is named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Apart {
    /// Nobody knows whose acts the pack carries.
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

impl Apart {
    fn why(&self) -> String {
        match self {
            Apart::ForNobody => "the pack does not say whom it is for".to_owned(),
            Apart::SomebodyElse { person } => format!("the pack is for {person}"),
            Apart::SignedBy(name) => format!("signed by '{name}'"),
            Apart::DatedBefore => "not dated after the pack was handed out".to_owned(),
            Apart::NotOfThePack => "not on an item of the pack, for its queue".to_owned(),
            Apart::Settles => {
                "it settles what others found, and a pack holds nobody else's labels".to_owned()
            }
            Apart::TakesBack => "what they take back was not made in this pack".to_owned(),
        }
    }
}

/// What acts in a pack are held to.
pub(super) struct Terms<'a> {
    /// `None` where the store did not hand the pack out.
    pub handed: Option<(i64, &'a HandedOut)>,
    pub items: &'a Items,
    /// The marks that the person had in the store when it was handed out.
    pub before: BTreeSet<MarkId>,
}

/// What a pack asks about, of this store's own queues.
#[derive(Default)]
pub(super) struct Items {
    /// The label set of each queue.
    sets: BTreeMap<String, String>,
    drawn: BTreeMap<String, BTreeMap<Spot, Option<Drawn>>>,
    sessions: BTreeSet<SessionId>,
}

impl Items {
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

    /// Puts how an item was drawn in the place of what the pack said of it.
    pub fn tell_how_drawn(&self, mark: &mut Mark) {
        let Mark::Labelled(label) = mark else { return };
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

    fn has(&self, on: &Spot) -> bool {
        self.drawn.values().any(|items| items.contains_key(on))
    }
}

/// What came back of one annotator.
#[derive(Default)]
pub(super) struct Returned {
    pub notes: Vec<PendingMark>,
    pub sights: Vec<PendingMark>,
    /// Marks that are in the store already.
    pub known: usize,
    /// What is not taken unless the annotator is named, by why.
    pub apart: BTreeMap<Apart, Acts>,
}

/// Acts that are told together.
#[derive(Default)]
pub(super) struct Acts {
    /// By the words for one of them and for several.
    counts: BTreeMap<(&'static str, &'static str), usize>,
    on: BTreeSet<String>,
}

impl Terms<'_> {
    /// Sorts one annotator's acts. `is_known` tells what is in the store already, `target` on what a
    /// mark of the store is.
    pub fn sort(
        &self,
        who: &str,
        notes: Vec<Line<MarginEvent>>,
        sights: Vec<Line<MarginEvent>>,
        is_known: impl Fn(&MarkId) -> bool,
        target: impl Fn(&MarkId) -> Option<String>,
    ) -> Returned {
        let mut returned = Returned::default();
        // What was made in this pack, on what.
        let mut made: BTreeMap<MarkId, String> = BTreeMap::new();
        let count = notes.len();
        for (at, line) in notes.into_iter().chain(sights).enumerate() {
            let is_note = at < count;
            let id = line.event.id.clone();
            let on = match &line.event.mark {
                Mark::Retracted { of } => made.get(of).cloned().or_else(|| target(of)),
                mark => place(mark),
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
            list.push(PendingMark::from(line));
        }
        returned
    }

    fn apart(
        &self,
        who: &str,
        line: &Line<MarginEvent>,
        is_note: bool,
        made: &BTreeMap<MarkId, String>,
    ) -> Option<Apart> {
        let Some((at, handed)) = self.handed else {
            return Some(Apart::ForNobody);
        };
        if handed.annotator() != who {
            let person = handed.person.clone();
            return Some(Apart::SomebodyElse { person });
        }
        match Author::parse(&line.by) {
            Author::Person(name) if annotator(&name) == who => {}
            Author::Person(name) => return Some(Apart::SignedBy(name)),
            Author::Engine => return Some(Apart::SignedBy("engine".to_owned())),
        }
        let earliest = at.saturating_sub(CLOCKS_DIFFER_MS);
        if milliseconds(&line.at).is_none_or(|at| at < earliest) {
            return Some(Apart::DatedBefore);
        }
        let fits = match &line.event.mark {
            Mark::Unblinded { session, .. } => self.items.sessions.contains(session),
            _ if !is_note => false,
            Mark::Retracted { of } if made.contains_key(of) => true,
            Mark::Retracted { .. } => return Some(Apart::TakesBack),
            Mark::Labelled(label) if label.role == LabelRole::Adjudicator => {
                return Some(Apart::Settles);
            }
            Mark::Labelled(label) => self.items.has_label(label),
            Mark::Noted { on, .. } => self.items.has(on),
            Mark::Tagged { .. } | Mark::Untagged { .. } | Mark::Named { .. } => false,
        };
        (!fits).then_some(Apart::NotOfThePack)
    }
}

/// Says on what a mark is; `None` where another mark tells.
pub(super) fn place(mark: &Mark) -> Option<String> {
    let spot = |on: &Spot| match &on.attempt {
        Some(attempt) => format!("{} of session {}", attempt.id, on.session),
        None => format!("session {}", on.session),
    };
    match mark {
        Mark::Labelled(label) => Some(spot(&label.on)),
        Mark::Noted { on, .. } => Some(spot(on)),
        Mark::Tagged { session, .. }
        | Mark::Untagged { session, .. }
        | Mark::Named { session, .. }
        | Mark::Unblinded { session, .. } => Some(format!("session {session}")),
        Mark::Retracted { .. } => None,
    }
}

impl Acts {
    fn add(&mut self, mark: &Mark, on: String) {
        let kind = match mark {
            Mark::Labelled(_) => ("label", "labels"),
            Mark::Noted { .. } => ("note", "notes"),
            Mark::Tagged { .. } | Mark::Untagged { .. } => ("tag", "tags"),
            Mark::Named { .. } => ("name of a session", "names of sessions"),
            Mark::Unblinded { .. } => (
                "record of what they were shown",
                "records of what they were shown",
            ),
            Mark::Retracted { .. } => ("mark taken back", "marks taken back"),
        };
        *self.counts.entry(kind).or_default() += 1;
        self.on.insert(on);
    }

    /// Says who did how much, on what, and why it is told apart.
    pub fn text(&self, who: &str, apart: &Apart) -> String {
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
