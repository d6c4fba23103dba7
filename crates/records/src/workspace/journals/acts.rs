//! Acts of people among the journals of an import: whose they are, what they did, and which are taken.
//!
//! Labels, what somebody was shown, lessons, guardrails and prompts in use change figures and later debates.
//! So they come in only where a person names whose they want.

use super::import::Arrival;
use super::registry::RegisteredKind;
use crate::workspace::annotations::{AnnotationEvent, mark_names, owner_of, person_of_journal};
use crate::workspace::error::{Result, reject};
use crate::workspace::memory::{GuardrailJournal, LessonJournal};
use crate::workspace::{Intake, JournalKind};
use elenchus_memory::MemoryEvent;
use elenchus_store::JournalLine;
use elenchus_text::shell_word;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

/// Takes the acts of everybody.
const ALL: &str = "all";
/// Separates names.
const COMMA: char = ',';

/// What one person did in the journals of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonActs {
    pub person: String,
    /// How often, by what one and several are called.
    counts: BTreeMap<(String, String), usize>,
}

impl fmt::Display for PersonActs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.person)?;
        for (place, ((one, many), count)) in self.counts.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            let what = if *count == 1 { one } else { many };
            write!(f, "{comma}{count} {what}")?;
        }
        Ok(())
    }
}

/// Returns whose acts a journal holds: the person who began it, or the run or session that wrote it; `None`
/// where it is of a kind that holds no acts of people.
pub(super) fn writer_of(kind: &RegisteredKind, path: &Path, stem: &str) -> Option<String> {
    match kind.intake {
        Intake::Freely => None,
        Intake::ByName if kind.is_kind::<AnnotationEvent>() => Some(person_of_journal(path)),
        Intake::ByName => Some(owner_of(path).unwrap_or_else(|| stem.to_owned())),
    }
}

/// Divides arrivals into those that are taken and those that are left: acts of people whom `take` does not
/// name. Returns the ones that are taken, and what is left of whom.
///
/// # Errors
/// When a name is that of nobody here; those that there are are listed.
pub(super) fn divide_arrivals(
    arrivals: Vec<Arrival>,
    take: &[String],
) -> Result<(Vec<Arrival>, Vec<PersonActs>)> {
    let people: BTreeSet<&str> = arrivals
        .iter()
        .filter_map(|one| one.who.as_deref())
        .collect();
    let mut names = BTreeSet::new();
    for given in take {
        names.extend(names_in(given, &people)?);
    }
    let is_taken = |arrival: &Arrival| match &arrival.who {
        Some(who) => names.contains(who) || names.contains(ALL),
        None => true,
    };
    let (taken, left): (Vec<Arrival>, Vec<Arrival>) = arrivals.into_iter().partition(is_taken);
    Ok((taken, acts_of(&left)?))
}

/// Reads names as they were given: one name, or several between commas.
fn names_in(given: &str, people: &BTreeSet<&str>) -> Result<BTreeSet<String>> {
    if people.contains(given) || given == ALL {
        return Ok(BTreeSet::from([given.to_owned()]));
    }
    let names = given.split(COMMA).map(str::trim);
    let names: BTreeSet<String> = names.map(str::to_owned).collect();
    let unknown = names
        .iter()
        .find(|name| !people.contains(name.as_str()) && *name != ALL);
    let Some(unknown) = unknown else {
        return Ok(names);
    };
    let there: Vec<String> = people
        .iter()
        .map(|name| shell_word(name).to_string())
        .collect();
    reject(format!(
        "--take {}: there are no acts of anybody of that name here; there is: {}",
        shell_word(unknown),
        match there.is_empty() {
            true => "nobody".to_owned(),
            false => there.join(", "),
        }
    ))
}

/// Counts what is left, by person.
fn acts_of(left: &[Arrival]) -> Result<Vec<PersonActs>> {
    let mut acts: BTreeMap<&str, PersonActs> = BTreeMap::new();
    for arrival in left {
        let who = arrival.who.as_deref().unwrap_or_default();
        let person = acts.entry(who).or_insert_with(|| PersonActs {
            person: who.to_owned(),
            counts: BTreeMap::new(),
        });
        for (names, count) in counts_of(arrival)? {
            *person.counts.entry(names).or_default() += count;
        }
    }
    Ok(acts.into_values().collect())
}

/// Counts of acts, by what one and several are called.
type ActCounts = Vec<((String, String), usize)>;

fn counts_of(arrival: &Arrival) -> Result<ActCounts> {
    let kind = arrival.kind;
    if kind.is_kind::<LessonJournal>() {
        let lines = LessonJournal::read_state(&arrival.from)?;
        return Ok(counts_of_memory(arrival, &lines, ["lesson", "lessons"]));
    }
    if kind.is_kind::<GuardrailJournal>() {
        let lines = GuardrailJournal::read_state(&arrival.from)?;
        return Ok(counts_of_memory(
            arrival,
            &lines,
            ["guardrail", "guardrails"],
        ));
    }
    let one = |(one, many): (&str, &str)| ((one.to_owned(), many.to_owned()), 1);
    if kind.is_kind::<AnnotationEvent>() {
        let lines = AnnotationEvent::read_state(&arrival.from)?.into_iter();
        return Ok(lines
            .map(|line| one(mark_names(&line.event.mark)))
            .collect());
    }
    Ok(vec![one(kind.names)])
}

fn counts_of_memory(
    arrival: &Arrival,
    lines: &[JournalLine<MemoryEvent>],
    [one, many]: [&str; 2],
) -> ActCounts {
    let namespace = arrival.namespace().unwrap_or_default();
    let additions = lines.iter().filter(|line| adds_entry(&line.event)).count();
    let counts = [
        (
            format!("{one} in memory '{namespace}'"),
            format!("{many} in memory '{namespace}'"),
            additions,
        ),
        (
            format!("change to {many} in memory '{namespace}'"),
            format!("changes to {many} in memory '{namespace}'"),
            lines.len() - additions,
        ),
    ];
    let counts = counts.into_iter().filter(|(_, _, count)| *count > 0);
    counts
        .map(|(one, many, count)| ((one, many), count))
        .collect()
}

fn adds_entry(event: &MemoryEvent) -> bool {
    matches!(
        event,
        MemoryEvent::EntryAdded { .. } | MemoryEvent::GuardProposed { .. }
    )
}

/// Says how acts that were left are taken, below a list of them.
pub fn how_to_take(left: &[PersonActs]) -> String {
    let names = left.iter().map(|acts| shell_word(&acts.person).to_string());
    let names: Vec<String> = names.collect();
    format!(
        "import again with --take {} for what you want of that, or with --take {ALL} for a store of your own",
        names.join(" or --take ")
    )
}
