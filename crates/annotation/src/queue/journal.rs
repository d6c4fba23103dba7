//! Queues of a store: begun, extended by a wave, found by name.

use super::definition::{ItemOrder, QueueDefinition, QueueFilter, QueueUnit, Sampling, StratifyBy};
use super::draw::{draw_wave, names_stratum, short_key};
use super::event::{Queue, QueueEvent, Wave, read_queue};
use super::population::{KnownJudgements, QueuePopulation, SkippedCounts, collect_units};
use elenchus_game::debate::Author;
use elenchus_records::library::LabelBook;
use elenchus_records::library::software_name;
use elenchus_records::workspace::StoreContext;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::read_annotations;
use elenchus_records::workspace::refuse_case_twin;
use elenchus_records::workspace::resume_journal;
use elenchus_store::{Layout, StoreError};
use std::collections::BTreeSet;

/// The format of queue journals that this version writes.
const FORMAT: u32 = 1;
/// Items of one wave at most: one line holds them.
const MAX_ITEMS: usize = 50_000;
/// Units that can be considered at most, for the same reason.
const MAX_CONSIDERED: usize = 500_000;
/// Strata of one wave at most: more are no strata but items.
const MAX_STRATA: usize = 10_000;
/// Strata that a message names, at most.
const MAX_NAMED: usize = 12;
/// The largest share of items that are shown twice, in percent.
const MAX_REPEATS_PERCENT: f64 = 50.0;

/// Parameters of a new queue.
#[derive(Debug, Clone, PartialEq)]
pub struct QueuePlan {
    pub queue: String,
    pub filter: QueueFilter,
    pub unit: QueueUnit,
    pub sampling: Sampling,
    pub strata: Vec<StratifyBy>,
    pub order: ItemOrder,
    pub repeats_percent: f64,
    pub seed: u64,
}

/// Queue after a draw, with counts of what the draw left out.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnQueue {
    pub queue: Queue,
    /// Sessions in the population.
    pub sessions: usize,
    pub disregarded: SkippedCounts,
}

/// A queue's name, and the queue where it can be read.
type NamedQueue = (String, Result<Queue, WorkspaceError>);

/// Draws a queue; definition and items are durable when this returns. Blocks while it reads the
/// sessions.
///
/// # Errors
/// When a queue of that name is there, the plan contradicts itself, nothing is found to draw from,
/// or the journal cannot be written.
pub async fn begin_queue(
    store: &StoreContext,
    book: &LabelBook,
    plan: QueuePlan,
) -> Result<DrawnQueue, WorkspaceError> {
    check_plan(book, &plan)?;
    let path = store.layout.queue_path(&plan.queue)?;
    refuse_case_twin("queue", &plan.queue, &store.layout.list_names("queues")?)?;
    let sampling = plan.sampling.clone();
    let definition = build_definition(book, plan);
    if path.exists() {
        return Err(queue_exists_error(&store.layout, &definition));
    }
    let population = collect_population(&store.layout, &definition)?;
    if population.units.is_empty() {
        check_verdicts(&store.layout, book, &definition)?;
        return Err(no_units_error(&definition, &population, DrawNumber::First));
    }
    let wave = draw_checked_wave(&definition, 1, sampling, &population)?;
    store.layout.create_missing_folders()?;
    let journal = match store.journals().begin_journal::<QueueEvent>(&path) {
        Err(StoreError::Exists { .. }) => {
            return Err(queue_exists_error(&store.layout, &definition));
        }
        created => created?,
    };
    let (at, by) = (store.clock.now(), author_name(store));
    let definition_event = QueueEvent::Defined(Box::new(definition.clone()));
    let wave_event = QueueEvent::Drawn(Box::new(wave.clone()));
    journal.append_without_sync(&at, &by, &definition_event)?;
    journal.append(&at, &by, &wave_event).await?;
    Ok(DrawnQueue {
        queue: Queue {
            definition,
            waves: vec![wave],
            begun_at: at,
            removed_at: None,
        },
        sessions: population.sessions,
        disregarded: population.disregarded,
    })
}

/// Refuses a verdict that is asked for and that neither a turn nor the label set has: it is a slip.
fn check_verdicts(
    layout: &Layout,
    book: &LabelBook,
    definition: &QueueDefinition,
) -> Result<(), WorkspaceError> {
    let asked = &definition.filter.verdicts;
    if asked.is_empty() {
        return Ok(());
    }
    let all = QueueDefinition {
        filter: QueueFilter {
            verdicts: Vec::new(),
            ..definition.filter.clone()
        },
        ..definition.clone()
    };
    let units = collect_population(layout, &all)?.units;
    let mut known: BTreeSet<&str> = units
        .iter()
        .filter_map(|unit| unit.features.get(&StratifyBy::Verdict))
        .map(String::as_str)
        .collect();
    if known.is_empty() {
        return Ok(());
    }
    known.extend(["none", "unparsed"]);
    known.extend(book.set.labels.iter().map(|label| label.name.as_str()));
    match asked.iter().find(|word| !known.contains(word.as_str())) {
        None => Ok(()),
        Some(word) => Err(queue_error(format!(
            "no turn has the verdict '{word}'; there are: {}",
            known.into_iter().collect::<Vec<_>>().join(", ")
        ))),
    }
}

/// Returns the queue of a plan's name where it was drawn by this very plan: whoever repeats a command finds what it
/// drew. `None` of a name that is free, was removed, or belongs to another plan.
pub fn find_same_queue(layout: &Layout, book: &LabelBook, plan: &QueuePlan) -> Option<Queue> {
    let queue = find_labelled_queue(layout, &plan.queue).ok()?;
    let wanted = build_definition(book, plan.clone());
    list_differences(&queue.definition, &wanted)
        .is_empty()
        .then_some(queue)
}

/// Names in what two definitions of one name differ; which version wrote them is no difference.
fn list_differences(one: &QueueDefinition, other: &QueueDefinition) -> Vec<&'static str> {
    let parts = [
        (
            "label set",
            one.set == other.set && one.codebook_sha256 == other.codebook_sha256,
        ),
        (
            "what it is drawn from",
            one.filter == other.filter && one.unit == other.unit,
        ),
        ("how many", one.sampling == other.sampling),
        ("strata", one.strata == other.strata),
        ("order", one.order == other.order),
        ("repeats", one.repeats_percent == other.repeats_percent),
        ("seed", one.seed == other.seed),
    ];
    let differing = parts.into_iter().filter(|(_, is_same)| !is_same);
    differing.map(|(part, _)| part).collect()
}

pub(super) fn build_definition(book: &LabelBook, plan: QueuePlan) -> QueueDefinition {
    QueueDefinition {
        format: FORMAT,
        queue: plan.queue,
        software: software_name(),
        set: book.set.id.clone(),
        set_text: book.text.clone(),
        codebook: book.codebook.clone(),
        codebook_sha256: book.hash,
        filter: QueueFilter {
            about: book.set.of,
            ..plan.filter
        },
        unit: plan.unit,
        sampling: plan.sampling,
        strata: plan.strata,
        order: plan.order,
        repeats_percent: plan.repeats_percent,
        seed: plan.seed,
    }
}

/// Draws a wave from newer units, in strata of its own: earlier items keep their inclusion
/// probability. `sampling` replaces the queue's own.
///
/// # Errors
/// When there is no such queue, another process extends it, or no new unit exists.
pub async fn extend_queue(
    store: &StoreContext,
    name: &str,
    sampling: Option<Sampling>,
) -> Result<DrawnQueue, WorkspaceError> {
    find_labelled_queue(&store.layout, name)?;
    let path = store.layout.queue_path(name)?;
    let journal = resume_journal::<QueueEvent>(&store.journals(), &path)?;
    let mut queue = journal.state;
    let sampling = sampling.unwrap_or_else(|| queue.definition.sampling.clone());
    check_sampling(&sampling)?;
    let mut population = collect_population(&store.layout, &queue.definition)?;
    let considered_keys = queue.considered_keys();
    population
        .units
        .retain(|unit| !considered_keys.contains(&short_key(unit)));
    if population.units.is_empty() {
        return Err(no_units_error(
            &queue.definition,
            &population,
            DrawNumber::Later,
        ));
    }
    let next = u32::try_from(queue.waves.len())
        .unwrap_or(u32::MAX)
        .saturating_add(1);
    let wave = draw_checked_wave(&queue.definition, next, sampling, &population)?;
    let wave_event = QueueEvent::Drawn(Box::new(wave.clone()));
    journal
        .writer
        .append(&store.clock.now(), &author_name(store), &wave_event)
        .await?;
    queue.add_wave(wave);
    Ok(DrawnQueue {
        queue,
        sessions: population.sessions,
        disregarded: population.disregarded,
    })
}

/// Takes a queue from those that are labelled. Nothing is deleted: its journal says from when on, and its labels stay.
///
/// # Errors
/// When there is no such queue, it was removed before, or another process extends it.
pub async fn remove_queue(store: &StoreContext, name: &str) -> Result<(), WorkspaceError> {
    find_labelled_queue(&store.layout, name)?;
    let path = store.layout.queue_path(name)?;
    let journal = resume_journal::<QueueEvent>(&store.journals(), &path)?;
    let (at, by) = (store.clock.now(), author_name(store));
    journal
        .writer
        .append(&at, &by, &QueueEvent::Removed)
        .await?;
    Ok(())
}

/// Reads the queue of a name, to be labelled or extended.
///
/// # Errors
/// When there is none, it was removed, or it cannot be read.
pub fn find_labelled_queue(layout: &Layout, name: &str) -> Result<Queue, WorkspaceError> {
    let queue = find_queue(layout, name)?;
    match &queue.removed_at {
        None => Ok(queue),
        Some(at) => Err(queue_error(format!(
            "the queue '{name}' was removed {at}: its labels stay, and more are given in another queue"
        ))),
    }
}

/// Reads the queue of a name, removed ones too.
///
/// # Errors
/// When there is none (those that are there are listed by another command) or it cannot be read.
pub fn find_queue(layout: &Layout, name: &str) -> Result<Queue, WorkspaceError> {
    let path = layout.queue_path(name)?;
    if !path.exists() {
        return Err(WorkspaceError::NoSuch {
            what: "queue",
            id: name.to_owned(),
            list: "elenchus labels queues",
        });
    }
    read_queue(&path)
}

/// Reads every queue of a store by name; those that cannot be read come as their errors.
///
/// # Errors
/// When the folder of queues cannot be listed.
pub fn read_queues(layout: &Layout) -> Result<Vec<NamedQueue>, WorkspaceError> {
    let names = layout.list_names("queues")?.into_iter();
    Ok(names
        .map(|name| {
            let path = layout.queue_path(&name);
            let queue = path
                .map_err(WorkspaceError::from)
                .and_then(|path| read_queue(&path));
            (name, queue)
        })
        .collect())
}

/// Reads every queue of a store that is labelled, by name; those that cannot be read come as their errors.
///
/// # Errors
/// When the folder of queues cannot be listed.
pub fn list_labelled_queues(layout: &Layout) -> Result<Vec<NamedQueue>, WorkspaceError> {
    let mut queues = read_queues(layout)?;
    queues.retain(|(_, queue)| {
        queue
            .as_ref()
            .map_or(true, |queue| queue.removed_at.is_none())
    });
    Ok(queues)
}

pub(super) fn author_name(store: &StoreContext) -> String {
    Author::Person(store.person.clone()).to_string()
}

pub(super) fn collect_population(
    layout: &Layout,
    definition: &QueueDefinition,
) -> Result<QueuePopulation, WorkspaceError> {
    let (annotations, _) = read_annotations(layout)?;
    let judgements =
        KnownJudgements::read(layout, &definition.filter, &annotations, &definition.set)?;
    let queue_population = collect_units(layout, &definition.filter, definition.unit, &judgements)?;
    if queue_population.units.len() > MAX_CONSIDERED {
        return Err(queue_error(format!(
            "the filter lets {} {}s through, more than the {MAX_CONSIDERED} a queue can be drawn from; name runs, seats or rounds",
            queue_population.units.len(),
            definition.unit_noun()
        )));
    }
    Ok(queue_population)
}

pub(super) fn draw_checked_wave(
    definition: &QueueDefinition,
    number: u32,
    sampling: Sampling,
    population: &QueuePopulation,
) -> Result<Wave, WorkspaceError> {
    let wave = draw_wave(definition, number, sampling, &population.units);
    check_wave(&wave)?;
    Ok(wave)
}

/// Refuses a wave that one line cannot hold, and one in which a stratum that was named is not there.
pub(super) fn check_wave(wave: &Wave) -> Result<(), WorkspaceError> {
    if wave.items.len() > MAX_ITEMS {
        return Err(queue_error(format!(
            "{} items would be drawn, more than the {MAX_ITEMS} of one wave; draw fewer with --sample, and extend the queue later",
            wave.items.len()
        )));
    }
    if wave.strata.len() > MAX_STRATA {
        return Err(queue_error(format!(
            "there would be {} strata; divide by less",
            wave.strata.len()
        )));
    }
    if let Sampling::Named { units } = &wave.sampling
        && wave.replaces.is_empty()
    {
        let is_there = |word: &&String| {
            let mut strata = wave.strata.iter();
            strata.any(|stratum| names_stratum(word, &stratum.name))
        };
        if let Some(word) = units.keys().find(|word| !is_there(word)) {
            let strata = wave.strata.iter().map(|stratum| stratum.name.as_str());
            return Err(queue_error(format!(
                "there is no stratum '{word}'; there are: {}",
                strata.take(MAX_NAMED).collect::<Vec<_>>().join("; ")
            )));
        }
    }
    Ok(())
}

pub(super) fn check_plan(book: &LabelBook, plan: &QueuePlan) -> Result<(), WorkspaceError> {
    check_sampling(&plan.sampling)?;
    let percent = plan.repeats_percent;
    if !(0.0..=MAX_REPEATS_PERCENT).contains(&percent) {
        return Err(queue_error(format!(
            "{percent} % hidden repeats cannot be had; give 0 to {MAX_REPEATS_PERCENT}"
        )));
    }
    let splits = plan.strata.iter().find(|by| by.splits_pairs());
    if let (QueueUnit::Pair, Some(by)) = (plan.unit, splits) {
        return Err(queue_error(format!(
            "pairs cannot be divided by {by}: their two turns may differ in it; divide by seat, run, protocol, category or arm"
        )));
    }
    let is_by_stratum = match plan.sampling {
        Sampling::Each { .. } | Sampling::Named { .. } => true,
        Sampling::All | Sampling::Sample { .. } => false,
    };
    if plan.strata.is_empty() && is_by_stratum {
        return Err(queue_error(
            "a number of each stratum was asked for without strata; name them with --strata"
                .to_owned(),
        ));
    }
    let (of, set) = (book.set.of, &book.set.id);
    match (of.is_turn(), plan.unit) {
        (false, QueueUnit::Turn | QueueUnit::Pair) => Err(queue_error(format!(
            "the set '{set}' is about {}s; leave --pairs out",
            of.name()
        ))),
        (true, QueueUnit::Debate) => Err(queue_error(format!(
            "the set '{set}' is about single {}s; leave --debates out, or name a set about debates or conclusions \
             ('elenchus labels sets' says what each is about)",
            of.name()
        ))),
        (false, QueueUnit::Debate) | (true, QueueUnit::Turn | QueueUnit::Pair) => Ok(()),
    }
}

pub(super) fn check_sampling(sampling: &Sampling) -> Result<(), WorkspaceError> {
    let is_nothing = match sampling {
        Sampling::All => false,
        Sampling::Sample { units } | Sampling::Each { units } => *units == 0,
        Sampling::Named { units } => units.values().all(|units| *units == 0),
    };
    match is_nothing {
        true => Err(queue_error(
            "a sample of 0 is none; give at least 1".to_owned(),
        )),
        false => Ok(()),
    }
}

/// Whether something is drawn for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DrawNumber {
    First,
    Later,
}

/// Explains an empty population, with counts of what was left out.
fn no_units_error(
    definition: &QueueDefinition,
    population: &QueuePopulation,
    draw: DrawNumber,
) -> WorkspaceError {
    let word = definition.unit_noun();
    let left = population.disregarded;
    let mut why = match draw {
        DrawNumber::First => format!("no {word} fits the conditions"),
        DrawNumber::Later => format!(
            "no {word} fits the conditions that no earlier draw of this queue has considered"
        ),
    };
    let mut add = |count: usize, what: &str| {
        if count > 0 {
            why.push_str(&format!("; {count} {what}"));
        }
    };
    add(
        left.unfinished_sessions,
        "sessions are not over yet: extend or begin the queue when they are",
    );
    match definition.filter.of {
        super::definition::PlayedBy::Models => add(
            left.other_kind_sessions,
            "sessions are simulated: --simulated draws from those",
        ),
        super::definition::PlayedBy::Simulated => {
            add(left.other_kind_sessions, "sessions are not simulated");
        }
    }
    let about = definition.filter.about;
    if left.sessions_without_subject > 0 {
        why.push_str(&format!(
            "; {} sessions have no {}: what fits are {}",
            left.sessions_without_subject,
            about.name(),
            about.describe_fitting()
        ));
    }
    let mut add = |count: usize, what: &str| {
        if count > 0 {
            why.push_str(&format!("; {count} {what}"));
        }
    };
    add(left.refused_turns, "turns were refused by guardrails");
    add(left.empty_turns, "turns are empty replies");
    add(
        left.peoples_turns,
        "turns are people's: --people draws from those too",
    );
    add(
        left.unreadable_sessions,
        "sessions cannot be read: 'elenchus verify' names them",
    );
    queue_error(why)
}

fn queue_exists_error(layout: &Layout, wanted: &QueueDefinition) -> WorkspaceError {
    let name = &wanted.queue;
    let there = find_labelled_queue(layout, name).ok();
    let differences = there.map(|queue| list_differences(&queue.definition, wanted));
    let of_another_draw = match differences.as_deref() {
        None | Some([]) => String::new(),
        Some(parts) => format!(", drawn otherwise ({})", parts.join(", ")),
    };
    queue_error(format!(
        "there is a queue '{name}' already{of_another_draw}; choose another name, or draw more into it with \
         'elenchus labels extend {name}'"
    ))
}

pub(super) fn queue_error(why: String) -> WorkspaceError {
    WorkspaceError::Invalid(why)
}
