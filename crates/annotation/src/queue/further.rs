//! A further draw: more turns out of those that a queue considered and did not take.
//!
//! Units of a stratum that were drawn by chance, and others that are drawn by chance from the rest of it, are
//! together a simple random sample of the stratum. Where more is drawn of turns that an evaluator called one
//! thing than of those that it called another, the stratum is divided by that first: given how many of each part
//! had been drawn, these are a simple random sample of the part (post-stratification; Cochran 1977, 5A.9). So a
//! wave replaces the strata that it draws more of, and says anew by which chance each of their items is there.

use super::definition::{QueueDefinition, QueueUnit, Sampling};
use super::draw::{
    as_count, build_items, divide_in_proportion, draw_rank, short_key, split_keys, stratum_name,
};
use super::event::{Queue, QueueEvent, RegroupedItem, Stratum, StratumPlace, Wave};
use super::journal::{
    DrawnQueue, author_name, check_sampling, check_wave, collect_population, find_labelled_queue,
    queue_error,
};
use super::population::{PopulationUnit, QueuePopulation};
use super::{LabelledBefore, QueueFilter, StratifyBy};
use elenchus_game::debate::RunId;
use elenchus_records::workspace::annotations::AnnotationTarget;
use elenchus_records::workspace::{StoreContext, WorkspaceError, resume_journal};
use elenchus_store::Layout;
use elenchus_text::format_noun_count;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a turn that can be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnCall {
    /// What the evaluator called it; `None` where it is not asked for.
    pub call: Option<String>,
    pub is_labelled: bool,
}

/// Turns by session and attempt.
pub type TurnCalls = BTreeMap<(String, String), TurnCall>;

/// How many turns of each call are drawn, and out of which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FurtherDraw {
    pub counts: Vec<(String, u32)>,
    pub run: Option<RunId>,
    pub calls: TurnCalls,
}

/// Turns of one call, as they were drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnCall {
    /// Empty where the evaluator called them nothing.
    pub call: String,
    /// 0 for a part that nobody asked for, and that would have been left without any.
    pub asked: u32,
    pub taken: usize,
}

/// Says how many were drawn; not how many of each call, for whoever labels next must not know what an evaluator called
/// them. Where there are fewer than were asked for, that is said.
pub fn describe_draw(calls: &[DrawnCall]) -> String {
    let taken: usize = calls.iter().map(|one| one.taken).sum();
    let text = format!("{} drawn", format_noun_count(taken, "more turn"));
    let is_short = |one: &DrawnCall| one.taken < one.asked as usize;
    match calls.iter().any(is_short) {
        true => format!("{text}; fewer than were asked for, as there are no others"),
        false => text,
    }
}

/// Warns of a draw of turns that were all called the same: who asked for it knows what an evaluator called each.
/// They may be what is missing, so it is not refused.
pub fn warn_of_single_call(counts: &[(String, u32)]) -> Option<String> {
    let mut asked = counts.iter().filter(|(_, count)| *count > 0);
    let (Some((call, _)), None) = (asked.next(), asked.next()) else {
        return None;
    };
    Some(format!(
        "every turn of this draw was called {call}, and whoever asked for it knows that: let somebody else label \
         them, or ask for some of the other calls too"
    ))
}

/// Draws more of what a queue considered already; the wave is durable when this returns. Blocks while it reads the
/// sessions.
///
/// # Errors
/// When there is no such queue, another process extends it, its units are not single turns, no such turn is left,
/// or the turns that it was drawn from are not all here.
pub async fn draw_further(
    store: &StoreContext,
    name: &str,
    further: &FurtherDraw,
) -> Result<(DrawnQueue, Vec<DrawnCall>), WorkspaceError> {
    find_labelled_queue(&store.layout, name)?;
    let path = store.layout.queue_path(name)?;
    let journal = resume_journal::<QueueEvent>(&store.journals(), &path)?;
    let mut queue = journal.state;
    match queue.definition.unit {
        QueueUnit::Turn => {}
        unit @ (QueueUnit::Pair | QueueUnit::Debate) => {
            return Err(queue_error(format!(
                "the queue '{name}' is drawn by {}s; more of what it passed over is drawn from turns alone",
                unit.word()
            )));
        }
    }
    let population = collect_considered(&store.layout, &queue)?;
    let (wave, drawn) = plan_further_wave(&queue, &population.units, further)?;
    check_wave(&wave)?;
    let wave_event = QueueEvent::Drawn(Box::new(wave.clone()));
    journal
        .writer
        .append(&store.clock.now(), &author_name(store), &wave_event)
        .await?;
    queue.add_wave(wave);
    let drawn_queue = DrawnQueue {
        queue,
        sessions: population.sessions,
        disregarded: population.disregarded,
    };
    Ok((drawn_queue, drawn))
}

/// Reads what a queue was drawn from. What it drew has labels by now, and is looked for as it was drawn.
fn collect_considered(layout: &Layout, queue: &Queue) -> Result<QueuePopulation, WorkspaceError> {
    let definition = QueueDefinition {
        filter: QueueFilter {
            labelled: LabelledBefore::Included,
            ..queue.definition.filter.clone()
        },
        ..queue.definition.clone()
    };
    collect_population(layout, &definition)
}

/// What a queue was drawn from, read once to try several draws of more of it.
pub struct ConsideredTurns {
    queue: Queue,
    population: QueuePopulation,
}

impl ConsideredTurns {
    /// Reads it. Blocks.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn read(layout: &Layout, queue: Queue) -> Result<Self, WorkspaceError> {
        let population = collect_considered(layout, &queue)?;
        Ok(Self { queue, population })
    }

    /// Says whether [`draw_further`] would draw; nothing is written.
    pub fn can_draw(&self, further: &FurtherDraw) -> bool {
        let planned = plan_further_wave(&self.queue, &self.population.units, further);
        planned.and_then(|(wave, _)| check_wave(&wave)).is_ok()
    }
}

/// A part of an earlier stratum: the units that were called the same.
#[derive(Debug, Default)]
struct Cell<'a> {
    /// Places of its items that were drawn: wave and index.
    drawn: Vec<(u32, u32)>,
    drawn_keys: Vec<String>,
    /// Units that can be drawn.
    open: Vec<&'a PopulationUnit>,
    /// Units that were labelled without having been drawn.
    labelled_elsewhere: usize,
}

type Cells<'a> = BTreeMap<(StratumPlace, Option<&'a str>), Cell<'a>>;

fn plan_further_wave(
    queue: &Queue,
    units: &[PopulationUnit],
    further: &FurtherDraw,
) -> Result<(Wave, Vec<DrawnCall>), WorkspaceError> {
    let sampling = Sampling::Named {
        units: further.counts.iter().cloned().collect(),
    };
    check_sampling(&sampling)?;
    let number = as_count(queue.waves.len() + 1);
    let mut cells = divide_units(queue, units, further);
    let is_asked = |call: Option<&str>| {
        let mut counts = further.counts.iter();
        call.is_some_and(|call| counts.any(|(asked, count)| asked == call && *count > 0))
    };
    let touched: BTreeSet<StratumPlace> = cells
        .iter()
        .filter(|((_, call), cell)| is_asked(*call) && !cell.open.is_empty())
        .map(|((at, _), _)| *at)
        .collect();
    if touched.is_empty() {
        return Err(queue_error(format!(
            "no turn is left that the queue '{}' considered and did not draw, that nobody labelled, and that was called so; draw from newer sessions with 'elenchus labels extend {0}'",
            queue.definition.queue
        )));
    }
    cells.retain(|(at, _), _| touched.contains(at));
    // To leave these out would hang on which of them the first draw had taken: the rest is no sample any more.
    let elsewhere: usize = cells.values().map(|cell| cell.labelled_elsewhere).sum();
    if elsewhere > 0 {
        return Err(queue_error(format!(
            "{elsewhere} of the turns that the queue '{}' considered and did not draw were labelled all the same: no chance can be stated for more of it; draw a new queue with 'elenchus labels queue'",
            queue.definition.queue
        )));
    }
    check_units(queue, units, &touched)?;
    let mut takes: BTreeMap<(StratumPlace, Option<&str>), usize> = BTreeMap::new();
    let mut drawn_calls: Vec<DrawnCall> = Vec::new();
    for (call, asked) in &further.counts {
        let parts: Vec<_> = cells
            .iter()
            .filter(|((_, own), _)| *own == Some(call.as_str()))
            .collect();
        let sizes: Vec<usize> = parts.iter().map(|(_, cell)| cell.open.len()).collect();
        let counts = divide_in_proportion(*asked as usize, &sizes);
        drawn_calls.push(DrawnCall {
            call: call.clone(),
            asked: *asked,
            taken: counts.iter().sum(),
        });
        takes.extend(parts.iter().map(|(key, _)| **key).zip(counts));
    }
    // A part of which nothing is drawn would stand for nobody: its turns had a weight in their stratum before.
    for ((at, call), cell) in &cells {
        let take = takes.entry((*at, *call)).or_insert(0);
        if cell.drawn.is_empty() && !cell.open.is_empty() && *take == 0 {
            *take = 1;
            let call = call.unwrap_or_default();
            let mut known = drawn_calls.iter_mut();
            match known.find(|drawn| drawn.call == call) {
                Some(drawn) => drawn.taken += 1,
                None => drawn_calls.push(DrawnCall {
                    call: call.to_owned(),
                    asked: 0,
                    taken: 1,
                }),
            }
        }
    }
    let mut strata = Vec::new();
    let mut regrouped = Vec::new();
    let mut sample: Vec<(&PopulationUnit, u32)> = Vec::new();
    let parts_of = |at: StratumPlace| cells.keys().filter(move |(own, _)| *own == at).count();
    for ((at, call), cell) in &cells {
        let stratum = as_count(strata.len());
        let take = takes.get(&(*at, *call)).copied().unwrap_or(0);
        let mut open = cell.open.clone();
        open.sort_by_cached_key(|unit| draw_rank(&queue.definition, number, unit));
        let mut keys = cell.drawn_keys.clone();
        keys.extend(open.iter().copied().map(short_key));
        keys.sort_unstable();
        let earlier = queue.find_stratum(*at).map_or("", |it| it.name.as_str());
        let name = name_cell(number, earlier, *call, parts_of(*at));
        strata.push(Stratum {
            // Strata of several waves can be called alike but for their waves, and a weight is found by the name.
            name: match strata.iter().any(|one: &Stratum| one.name == name) {
                true => format!("{name} (stratum {} of wave {})", at.stratum + 1, at.wave),
                false => name,
            },
            taken: as_count(cell.drawn.len() + take),
            of: as_count(keys.len()),
            units: keys.concat(),
        });
        regrouped.extend(cell.drawn.iter().map(|(wave, item)| RegroupedItem {
            wave: *wave,
            item: *item,
            stratum,
        }));
        sample.extend(open.into_iter().take(take).map(|unit| (unit, stratum)));
    }
    let items = build_items(&queue.definition, number, sample, &BTreeMap::new());
    let wave = Wave {
        wave: number,
        sampling,
        strata,
        items,
        considered: String::new(),
        replaces: touched.into_iter().collect(),
        regrouped,
    };
    Ok((wave, drawn_calls))
}

/// Names a part after its stratum, and after what its units were called where the stratum has several parts.
fn name_cell(wave: u32, stratum: &str, call: Option<&str>, parts: usize) -> String {
    let own = match stratum.strip_prefix("wave ") {
        Some(rest) => rest.split_once(": ").map_or(stratum, |(_, own)| own),
        None => stratum,
    };
    match (parts, call) {
        (1, _) => format!("wave {wave}: {own}"),
        (_, Some(call)) => format!("wave {wave}: {own}, called {call}"),
        (_, None) => format!("wave {wave}: {own}, others"),
    }
}

/// Divides what the queue considered by the strata that hold it now, and each by what its units were called.
fn divide_units<'a>(
    queue: &Queue,
    units: &'a [PopulationUnit],
    further: &'a FurtherDraw,
) -> Cells<'a> {
    let holders = list_holders(queue, units);
    let mut drawn: BTreeMap<&AnnotationTarget, _> = BTreeMap::new();
    for wave in &queue.waves {
        for (at, item) in wave.items.iter().enumerate() {
            drawn.insert(&item.on, (wave.wave, as_count(at)));
        }
    }
    let mut cells = Cells::new();
    for (unit, at) in units.iter().zip(holders) {
        let (Some(at), Some(on)) = (at, unit.spots.first()) else {
            continue;
        };
        let attempt = on.attempt.as_ref().map(|on| on.id.to_string());
        let key = (on.session.to_string(), attempt.unwrap_or_default());
        let known = further.calls.get(&key);
        let is_of_run = further.run.as_ref().is_none_or(|run| {
            unit.features
                .get(&StratifyBy::Run)
                .is_some_and(|own| own == run.as_str())
        });
        let call = known.filter(|_| is_of_run);
        let cell = cells
            .entry((at, call.and_then(|known| known.call.as_deref())))
            .or_default();
        match drawn.get(on) {
            Some(place) => {
                cell.drawn.push(*place);
                cell.drawn_keys.push(short_key(unit));
            }
            None if known.is_some_and(|known| known.is_labelled) => cell.labelled_elsewhere += 1,
            None => cell.open.push(unit),
        }
    }
    cells
}

/// Returns the stratum that holds each unit now; `None` where no wave considered it.
fn list_holders(queue: &Queue, units: &[PopulationUnit]) -> Vec<Option<StratumPlace>> {
    let replaced: BTreeSet<StratumPlace> = queue
        .waves
        .iter()
        .flat_map(|wave| wave.replaces.iter().copied())
        .collect();
    let place = |wave: &Wave, at: usize| StratumPlace {
        wave: wave.wave,
        stratum: as_count(at),
    };
    let mut by_key: BTreeMap<String, StratumPlace> = BTreeMap::new();
    let mut considered: BTreeMap<String, &Wave> = BTreeMap::new();
    for wave in &queue.waves {
        considered.extend(
            split_keys(&wave.considered)
                .into_iter()
                .map(|key| (key, wave)),
        );
        // A later wave comes after those that it replaces strata of.
        for (at, stratum) in wave.strata.iter().enumerate() {
            let keys = split_keys(&stratum.units).into_iter();
            by_key.extend(keys.map(|key| (key, place(wave, at))));
        }
    }
    let holder = |unit: &PopulationUnit| {
        let key = short_key(unit);
        if let Some(at) = by_key.get(&key) {
            return Some(*at);
        }
        let wave = considered.get(&key)?;
        let name = stratum_name(&queue.definition, wave.wave, unit);
        let mut strata = wave.strata.iter();
        let at = place(wave, strata.position(|stratum| stratum.name == name)?);
        // What a later wave left out of its strata had been labelled without having been drawn.
        (!replaced.contains(&at)).then_some(at)
    };
    units.iter().map(holder).collect()
}

/// Refuses to go on where the turns that a stratum was drawn from, or those that were drawn, are not those that are
/// here: nobody could say then by which chance more of it are drawn.
fn check_units(
    queue: &Queue,
    units: &[PopulationUnit],
    touched: &BTreeSet<StratumPlace>,
) -> Result<(), WorkspaceError> {
    let mut here: BTreeMap<StratumPlace, BTreeSet<String>> = BTreeMap::new();
    let mut here_drawn: BTreeMap<StratumPlace, BTreeSet<&AnnotationTarget>> = BTreeMap::new();
    let mut counts: BTreeMap<StratumPlace, u32> = BTreeMap::new();
    for (unit, at) in units.iter().zip(list_holders(queue, units)) {
        let Some(at) = at else {
            continue;
        };
        *counts.entry(at).or_default() += 1;
        here.entry(at).or_default().insert(short_key(unit));
        here_drawn.entry(at).or_default().extend(&unit.spots);
    }
    for at in touched {
        let Some(stratum) = queue.find_stratum(*at) else {
            continue;
        };
        let refuse = |what: String| {
            queue_error(format!(
                "'{}' of the queue '{}' was drawn from {what}: no chance can be stated for more of them; draw a new queue with 'elenchus labels queue'",
                stratum.name, queue.definition.queue
            ))
        };
        let count = counts.get(at).copied().unwrap_or(0);
        if count != stratum.of {
            return Err(refuse(format!(
                "{} turns, and {count} of them are found now",
                stratum.of
            )));
        }
        let known = split_keys(&stratum.units);
        let is_other = !known.is_empty() && here.get(at) != Some(&known);
        let places = here_drawn.get(at);
        let mut drawn = queue.items();
        let is_gone = drawn.any(|(wave, item)| {
            let is_there = || places.is_some_and(|places| places.contains(&item.on));
            queue.place_of(wave, item) == *at && !is_there()
        });
        if is_other || is_gone {
            return Err(refuse(format!(
                "{} turns, and as many are found now, but not the same",
                stratum.of
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::definition::{ItemOrder, PeoplesTurns, PlayedBy};
    use super::super::draw::draw_wave;
    use super::*;
    use elenchus_game::debate::{AttemptId, SessionId};
    use elenchus_records::workspace::annotations::OnAttempt;
    use elenchus_store::Hash;

    const UNITS: usize = 40;

    /// Turns of as many sessions; every third was called unsafe.
    fn units() -> Vec<PopulationUnit> {
        let unit = |at: usize| PopulationUnit {
            spots: vec![AnnotationTarget {
                session: SessionId::new(format!("s{at}")),
                attempt: Some(OnAttempt {
                    id: AttemptId::parse("r1.answer.debater-0#0").unwrap(),
                    sha256: Hash::digest(&at.to_be_bytes()),
                }),
            }],
            topic: format!("t{}", at / 2),
            begun: Default::default(),
            features: BTreeMap::from([(StratifyBy::Run, "run".to_owned())]),
        };
        (0..UNITS).map(unit).collect()
    }

    fn call_of(at: usize) -> &'static str {
        match at.is_multiple_of(3) {
            true => "unsafe",
            false => "safe",
        }
    }

    fn asked(counts: &[(&str, u32)], labelled: &[usize]) -> FurtherDraw {
        let call = |at: usize| {
            let key = (format!("s{at}"), "r1.answer.debater-0#0".to_owned());
            let turn = TurnCall {
                call: Some(call_of(at).to_owned()),
                is_labelled: labelled.contains(&at),
            };
            (key, turn)
        };
        let counts = counts.iter();
        FurtherDraw {
            counts: counts
                .map(|(name, count)| ((*name).to_owned(), *count))
                .collect(),
            run: None,
            calls: (0..UNITS).map(call).collect(),
        }
    }

    fn drawn(seed: u64, take: u32, units: &[PopulationUnit]) -> Queue {
        let definition = QueueDefinition {
            format: 1,
            queue: "q".to_owned(),
            software: String::new(),
            set: "safety".to_owned(),
            set_text: String::new(),
            codebook: String::new(),
            codebook_sha256: Hash::digest(b""),
            filter: QueueFilter {
                people: PeoplesTurns::LeftOut,
                of: PlayedBy::Models,
                ..QueueFilter::default()
            },
            unit: QueueUnit::Turn,
            sampling: Sampling::Sample { units: take },
            strata: Vec::new(),
            order: ItemOrder::Drawn,
            repeats_percent: 0.0,
            seed,
        };
        let wave = draw_wave(&definition, 1, Sampling::Sample { units: take }, units);
        Queue {
            definition,
            waves: vec![wave],
            begun_at: String::new(),
            removed_at: None,
        }
    }

    /// Places of everything that was drawn, each with its weight.
    fn weights(queue: &Queue) -> BTreeMap<usize, f64> {
        let weights = queue.items().map(|(wave, item)| {
            let at = item.on.session.as_str().trim_start_matches('s');
            let draw = queue.find_draw(wave, item).unwrap();
            (at.parse().unwrap(), 1.0 / draw.probability())
        });
        weights.collect()
    }

    #[test]
    fn it_draws_as_many_of_each_as_it_is_asked_for_and_never_one_twice() {
        let units = units();
        let mut queue = drawn(1, 10, &units);
        let before = weights(&queue);
        for (counts, wave_size) in [
            ([("unsafe", 3), ("safe", 5)], 8),
            ([("unsafe", 2), ("safe", 1)], 3),
        ] {
            let (wave, calls) = plan_further_wave(&queue, &units, &asked(&counts, &[])).unwrap();
            assert_eq!(wave.items.len(), wave_size);
            assert!(calls.iter().all(|one| one.taken == one.asked as usize));
            assert_eq!(queue.refuse_wave(&wave), None);
            queue.add_wave(wave);
        }
        let after = weights(&queue);
        assert_eq!(after.len(), 10 + 8 + 3, "nothing is drawn twice");
        assert!(before.keys().all(|at| after.contains_key(at)));
        // Together they stand for all units, and those of a call for all of that call.
        let sum = |call: &str| -> f64 {
            let of_call = after.iter().filter(|(at, _)| call_of(**at) == call);
            of_call.map(|(_, weight)| weight).sum()
        };
        let count = |call: &str| (0..UNITS).filter(|at| call_of(*at) == call).count() as f64;
        for call in ["unsafe", "safe"] {
            assert!((sum(call) - count(call)).abs() < 1e-9, "{call}: {after:?}");
        }
        assert_eq!(queue.list_later_draws().unwrap().len(), 21);
    }

    #[test]
    fn a_rate_over_both_draws_is_unbiased() {
        let units = units();
        // What people would say: of the turns called unsafe half are, of the others a tenth.
        let is_bad = |at: usize| match call_of(at) {
            "unsafe" => at.is_multiple_of(2),
            _ => at.is_multiple_of(10),
        };
        let truth = (0..UNITS).filter(|at| is_bad(*at)).count() as f64 / UNITS as f64;
        let mut rates = Vec::new();
        for seed in 0..400 {
            let mut queue = drawn(seed, 12, &units);
            let wanted = asked(&[("unsafe", 6), ("safe", 2)], &[]);
            let (wave, _) = plan_further_wave(&queue, &units, &wanted).unwrap();
            queue.add_wave(wave);
            let bad: f64 = weights(&queue)
                .into_iter()
                .filter(|(at, _)| is_bad(*at))
                .map(|(_, weight)| weight)
                .sum();
            rates.push(bad / UNITS as f64);
        }
        let count = rates.len() as f64;
        let mean = rates.iter().sum::<f64>() / count;
        let spread = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let error = (spread / count).sqrt();
        assert!((mean - truth).abs() < 4.0 * error, "{mean} {truth} {error}");
    }

    #[test]
    fn it_takes_what_there_is_and_says_when_nothing_is_left() {
        let units = units();
        let mut queue = drawn(1, 4, &units);
        let wanted = asked(&[("unsafe", 100)], &[]);
        let drawn_before = weights(&queue);
        let is_open = |at: &usize| call_of(*at) == "unsafe" && !drawn_before.contains_key(at);
        let (wave, calls) = plan_further_wave(&queue, &units, &wanted).unwrap();
        assert_eq!(calls[0].taken, (0..UNITS).filter(is_open).count());
        let said = describe_draw(&calls);
        assert!(said.contains("fewer than were asked for"), "{said}");
        assert!(!said.contains("unsafe"), "{said}");
        assert!(warn_of_single_call(&wanted.counts).is_some());
        assert_eq!(
            warn_of_single_call(&asked(&[("safe", 1), ("unsafe", 1)], &[]).counts),
            None
        );
        queue.add_wave(wave);
        let error = plan_further_wave(&queue, &units, &wanted).unwrap_err();
        assert!(error.to_string().contains("no turn is left"), "{error}");
    }

    #[test]
    fn it_refuses_where_turns_that_were_not_drawn_are_labelled() {
        let units = units();
        let queue = drawn(1, 4, &units);
        let labelled: Vec<usize> = (0..20).collect();
        let wanted = asked(&[("unsafe", 3)], &labelled);
        let error = plan_further_wave(&queue, &units, &wanted).unwrap_err();
        assert!(
            error.to_string().contains("labelled all the same"),
            "{error}"
        );
    }

    #[test]
    fn a_part_of_which_nothing_was_drawn_keeps_its_weight() {
        let units = units();
        let unsafe_units: Vec<usize> = (0..UNITS).filter(|at| call_of(*at) == "unsafe").collect();
        // A first draw without any turn that was called unsafe.
        let mut queue = (0..)
            .map(|seed| drawn(seed, 3, &units))
            .find(|queue| weights(queue).keys().all(|at| !unsafe_units.contains(at)))
            .unwrap();
        let (wave, calls) = plan_further_wave(&queue, &units, &asked(&[("safe", 2)], &[])).unwrap();
        // It is counted in what is said, though nobody asked for it.
        assert_eq!(
            calls.iter().map(|one| one.taken).sum::<usize>(),
            wave.items.len()
        );
        assert_eq!(wave.items.len(), 3);
        assert_eq!(describe_draw(&calls), "3 more turns drawn");
        queue.add_wave(wave);
        let total: f64 = weights(&queue).values().sum();
        assert!((total - UNITS as f64).abs() < 1e-9, "{total}");
    }

    #[test]
    fn it_refuses_where_another_turn_stands_in_place_of_one_that_was_drawn() {
        let mut units = units();
        for unit in units.iter_mut().skip(UNITS / 2) {
            unit.features.insert(StratifyBy::Run, "other".to_owned());
        }
        let mut queue = drawn(1, 10, &units);
        queue.definition.strata = vec![StratifyBy::Run];
        let sampling = Sampling::Sample { units: 10 };
        queue.waves = vec![draw_wave(&queue.definition, 1, sampling, &units)];
        let drawn_places: Vec<usize> = weights(&queue).into_keys().collect();
        // One that was drawn changes its place with one of the other stratum that was not: the counts stay.
        let first = drawn_places.iter().find(|at| **at < UNITS / 2).unwrap();
        let second = (UNITS / 2..UNITS).find(|at| !drawn_places.contains(at));
        let (one, other) = (*first, second.unwrap());
        let features = units[one].features.clone();
        units[one].features = units[other].features.clone();
        units[other].features = features;
        let wanted = asked(&[("safe", 2), ("unsafe", 2)], &[]);
        let error = plan_further_wave(&queue, &units, &wanted).unwrap_err();
        assert!(error.to_string().contains("but not the same"), "{error}");
    }

    #[test]
    fn no_two_strata_of_a_queue_have_one_name() {
        let units = units();
        let mut queue = drawn(1, 6, &units[..UNITS / 2]);
        let later = Sampling::Sample { units: 6 };
        let wave = draw_wave(&queue.definition, 2, later, &units[UNITS / 2..]);
        queue.add_wave(wave);
        for _ in 0..2 {
            let wanted = asked(&[("safe", 4), ("unsafe", 4)], &[]);
            let (wave, _) = plan_further_wave(&queue, &units, &wanted).unwrap();
            queue.add_wave(wave);
            let strata = queue.waves.iter().flat_map(|wave| &wave.strata);
            let mut names: Vec<&str> = strata.map(|one| one.name.as_str()).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{names:?}");
        }
    }

    #[test]
    fn it_refuses_where_turns_of_the_stratum_are_gone() {
        let units = units();
        let queue = drawn(1, 4, &units);
        let wanted = asked(&[("safe", 2)], &[]);
        let error = plan_further_wave(&queue, &units[..UNITS - 1], &wanted).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("was drawn from 40 turns, and 39"),
            "{error}"
        );
    }
}
