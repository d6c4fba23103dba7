//! Events of a queue's journal (its definition, then its waves) and their fold.

use super::definition::{QueueDefinition, Sampling};
use super::draw::split_keys;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::{AnnotationTarget, QueueDraw};
use elenchus_records::workspace::has_fields;
use elenchus_records::workspace::{Intake, JournalKind};
use elenchus_store::JournalLine;
use elenchus_store::JournalType;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// One line of a queue's journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum QueueEvent {
    Defined(Box<QueueDefinition>),
    Drawn(Box<Wave>),
    /// It is listed and labelled no more; its labels stay, and say how they were drawn.
    Removed,
}

/// Items of one draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wave {
    /// Counts from 1.
    pub wave: u32,
    pub sampling: Sampling,
    pub strata: Vec<Stratum>,
    /// In the order in which they are shown.
    pub items: Vec<QueueItem>,
    /// The units that could have been drawn, in short: a later wave draws from others.
    pub considered: String,
    /// Strata of earlier waves that this one draws more of: its own hold their units from here on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaces: Vec<StratumPlace>,
    /// The items that had been drawn from those, each with its stratum of this wave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regrouped: Vec<RegroupedItem>,
}

/// Address of a stratum in its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StratumPlace {
    /// Counts from 1.
    pub wave: u32,
    /// Index in the wave.
    pub stratum: u32,
}

/// An item of an earlier wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegroupedItem {
    pub wave: u32,
    /// Index in that wave.
    pub item: u32,
    /// Index of the stratum that holds it now, in the wave that says so.
    pub stratum: u32,
}

/// A part of the population, and how many of it were drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stratum {
    pub name: String,
    /// Units; of pairs, pairs. Those that earlier waves had drawn of it count.
    pub taken: u32,
    pub of: u32,
    /// The units, in short, where a wave draws more of earlier strata; elsewhere the queue's features name them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub units: String,
}

/// Item to be labelled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueItem {
    pub on: AnnotationTarget,
    /// The topic's id.
    pub topic: String,
    /// Index of its stratum in the wave.
    pub stratum: u32,
    /// Number of units of its stratum that hold it: 1, except for turns of pairs.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub chances: u32,
    /// The stratum that holds it since a later wave drew more; not written, for that wave says it.
    #[serde(skip)]
    pub regrouped: Option<StratumPlace>,
}

fn one() -> u32 {
    1
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

fn index(count: u32) -> Option<usize> {
    usize::try_from(count).ok()
}

/// Queue: its definition and the waves drawn so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Queue {
    pub definition: QueueDefinition,
    pub waves: Vec<Wave>,
    /// When it was begun, RFC 3339, UTC.
    pub begun_at: String,
    /// When it was removed, in the same form.
    pub removed_at: Option<String>,
}

impl Queue {
    /// Returns how many items there are to be labelled, without repeats.
    pub fn len(&self) -> usize {
        self.waves.iter().map(|wave| wave.items.len()).sum()
    }

    /// Says whether nothing is to be labelled.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns every item with its wave, in the order of the waves.
    pub fn items(&self) -> impl Iterator<Item = (&Wave, &QueueItem)> {
        let waves = self.waves.iter();
        waves.flat_map(|wave| wave.items.iter().map(move |item| (wave, item)))
    }

    /// Returns how an item came into the queue.
    pub fn find_draw(&self, wave: &Wave, item: &QueueItem) -> Option<QueueDraw> {
        let stratum = self.find_stratum(self.place_of(wave, item))?;
        Some(QueueDraw {
            queue: self.definition.queue.clone(),
            stratum: stratum.name.clone(),
            taken: stratum.taken,
            of: stratum.of,
            chances: item.chances,
            by_verdict: self.definition.filter.is_by_verdict(),
            is_stated: false,
        })
    }

    /// Returns the address of the stratum that holds an item now.
    pub(super) fn place_of(&self, wave: &Wave, item: &QueueItem) -> StratumPlace {
        item.regrouped.unwrap_or(StratumPlace {
            wave: wave.wave,
            stratum: item.stratum,
        })
    }

    pub(super) fn find_stratum(&self, at: StratumPlace) -> Option<&Stratum> {
        let wave = self.waves.get(index(at.wave)?.checked_sub(1)?)?;
        wave.strata.get(index(at.stratum)?)
    }

    /// Returns the wave that drew more of a stratum, which is given by its wave and its index there.
    pub fn find_replacing_wave(&self, wave: u32, stratum: usize) -> Option<u32> {
        let is_it = |at: &StratumPlace| at.wave == wave && index(at.stratum) == Some(stratum);
        let mut later = self.waves.iter();
        let later = later.find(|later| later.replaces.iter().any(is_it));
        later.map(|later| later.wave)
    }

    /// Returns how everything of the queue was drawn, where later waves drew more of what earlier ones had
    /// considered: a label then states a chance that its turn had before. `None` where no wave did.
    pub fn list_later_draws(&self) -> Option<BTreeMap<AnnotationTarget, QueueDraw>> {
        let has_more = self.waves.iter().any(|wave| !wave.replaces.is_empty());
        has_more.then(|| {
            let items = self.items();
            items
                .filter_map(|(wave, item)| Some((item.on.clone(), self.find_draw(wave, item)?)))
                .collect()
        })
    }

    /// Adds a wave; items that it regroups are of its strata from here on.
    pub(super) fn add_wave(&mut self, wave: Wave) {
        for regrouped in &wave.regrouped {
            let earlier = index(regrouped.wave).and_then(|wave| wave.checked_sub(1));
            let items = earlier.and_then(|at| self.waves.get_mut(at));
            let item = items.zip(index(regrouped.item));
            if let Some(item) = item.and_then(|(wave, at)| wave.items.get_mut(at)) {
                item.regrouped = Some(StratumPlace {
                    wave: wave.wave,
                    stratum: regrouped.stratum,
                });
            }
        }
        self.waves.push(wave);
    }

    /// Says why a wave cannot follow those that there are.
    pub(super) fn refuse_wave(&self, wave: &Wave) -> Option<String> {
        let next = self.waves.len() + 1;
        if usize::try_from(wave.wave) != Ok(next) {
            return Some(format!("wave {next} is expected here"));
        }
        let has_stratum = |at: u32| index(at).is_some_and(|at| at < wave.strata.len());
        if !wave.items.iter().all(|item| has_stratum(item.stratum)) {
            return Some("an item is of a stratum that is not there".to_owned());
        }
        let has_earlier = |one: &RegroupedItem| {
            let earlier = index(one.wave).and_then(|wave| self.waves.get(wave.checked_sub(1)?));
            let item = earlier.zip(index(one.item));
            has_stratum(one.stratum) && item.is_some_and(|(wave, at)| at < wave.items.len())
        };
        let replaces_known = wave
            .replaces
            .iter()
            .all(|at| self.find_stratum(*at).is_some());
        if !replaces_known || !wave.regrouped.iter().all(has_earlier) {
            return Some("it draws more of what no earlier wave has".to_owned());
        }
        None
    }

    /// Returns the units that waves have considered, in short.
    pub(crate) fn considered_keys(&self) -> BTreeSet<String> {
        let waves = self.waves.iter();
        waves
            .flat_map(|wave| split_keys(&wave.considered))
            .collect()
    }
}

impl JournalType for QueueEvent {
    type Event = Self;
    const KIND: &'static str = "queue";
}

impl JournalKind for QueueEvent {
    type State = Queue;
    const NAMES: (&'static str, &'static str) = ("queue", "queues");
    const FOLDERS: &'static [&'static str] = &["queues"];
    const INTAKE: Intake = Intake::Freely;
    const BEGINS_WITH_ONE: bool = true;

    fn is_first(event: &Value) -> bool {
        has_fields(event, "defined", &["queue", "set"])
    }

    fn fold_journal(path: &Path, lines: Vec<JournalLine<Self>>) -> Result<Queue, WorkspaceError> {
        let wrong = |line: usize, why: &str| {
            let path = path.display();
            WorkspaceError::Invalid(format!(
                "{path}:{line}: {why}; the file is kept as it is, and 'elenchus verify' looks at its chain"
            ))
        };
        let mut lines = lines.into_iter().enumerate();
        let Some((_, first)) = lines.next() else {
            return Err(WorkspaceError::empty_journal(path));
        };
        let QueueEvent::Defined(definition) = first.event else {
            return Err(wrong(1, "a queue begins with its definition"));
        };
        let mut queue = Queue {
            definition: *definition,
            waves: Vec::new(),
            begun_at: first.at,
            removed_at: None,
        };
        for (at, line) in lines {
            let wave = match line.event {
                QueueEvent::Drawn(wave) => wave,
                QueueEvent::Removed => {
                    queue.removed_at.get_or_insert(line.at);
                    continue;
                }
                QueueEvent::Defined(_) => return Err(wrong(at + 1, "a queue is defined once")),
            };
            if let Some(why) = queue.refuse_wave(&wave) {
                return Err(wrong(at + 1, &why));
            }
            queue.add_wave(*wave);
        }
        Ok(queue)
    }
}

/// Reads a queue's journal, without a lock. Blocks while it reads.
///
/// # Errors
/// When the journal cannot be read or is none of a queue.
pub fn read_queue(path: &Path) -> Result<Queue, WorkspaceError> {
    QueueEvent::read_state(path)
}
