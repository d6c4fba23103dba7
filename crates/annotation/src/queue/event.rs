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
use std::collections::BTreeSet;
use std::path::Path;

/// One line of a queue's journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum QueueEvent {
    Defined(Box<QueueDefinition>),
    Drawn(Box<Wave>),
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
}

/// A part of the population, and how many of it were drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stratum {
    pub name: String,
    /// Units; of pairs, pairs.
    pub taken: u32,
    pub of: u32,
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
}

fn one() -> u32 {
    1
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

/// Queue: its definition and the waves drawn so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Queue {
    pub definition: QueueDefinition,
    pub waves: Vec<Wave>,
    /// When it was begun, RFC 3339, UTC.
    pub begun_at: String,
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
        let stratum = wave.strata.get(usize::try_from(item.stratum).ok()?)?;
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
        };
        for (at, line) in lines {
            let QueueEvent::Drawn(wave) = line.event else {
                return Err(wrong(at + 1, "a queue is defined once"));
            };
            let next = queue.waves.len() + 1;
            if usize::try_from(wave.wave) != Ok(next) {
                return Err(wrong(at + 1, &format!("wave {next} is expected here")));
            }
            let strata = wave.strata.len();
            let has_stratum =
                |item: &QueueItem| usize::try_from(item.stratum).is_ok_and(|at| at < strata);
            if !wave.items.iter().all(has_stratum) {
                return Err(wrong(at + 1, "an item is of a stratum that is not there"));
            }
            queue.waves.push(*wave);
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
