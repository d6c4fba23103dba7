//! Random draw of a wave from a population. Pure: every draw derives from the queue's seed and name.

use super::definition::{ItemOrder, QueueDefinition, QueueUnit, Sampling};
use super::event::{QueueItem, Stratum, Wave};
use super::population::PopulationUnit;
use elenchus_game::debate::seeded_random::seeded_number;
use elenchus_store::Hash;
use std::collections::{BTreeMap, BTreeSet};

/// Digits of a hash that tell one unit of a queue from all others: with a million units, two of
/// which would share them, a wave leaves one out in one of five hundred queues.
const KEY_DIGITS: usize = 12;
/// The stratum of a population that is not divided.
const WHOLE: &str = "all";

/// Returns the short name of a unit that waves remember what they considered by.
pub(super) fn short_key(unit: &PopulationUnit) -> String {
    let mut digits = Hash::digest(unit.key().as_bytes()).to_string();
    digits.truncate(KEY_DIGITS);
    digits
}

/// Reads what [`Wave::considered`] holds.
pub(super) fn split_keys(considered: &str) -> BTreeSet<String> {
    let digits: Vec<char> = considered.chars().collect();
    digits
        .chunks(KEY_DIGITS)
        .map(|key| key.iter().collect())
        .collect()
}

/// Draws a wave out of units that no earlier wave considered. Waves count from 1.
pub(super) fn draw_wave(
    definition: &QueueDefinition,
    wave: u32,
    sampling: Sampling,
    units: &[PopulationUnit],
) -> Wave {
    let mut units_by_stratum: BTreeMap<String, Vec<&PopulationUnit>> = BTreeMap::new();
    for unit in units {
        units_by_stratum
            .entry(stratum_name(definition, wave, unit))
            .or_default()
            .push(unit);
    }
    let sizes: Vec<usize> = units_by_stratum.values().map(Vec::len).collect();
    let names: Vec<&str> = units_by_stratum.keys().map(String::as_str).collect();
    let takes = sample_sizes(&sampling, &names, &sizes);
    let mut strata = Vec::new();
    let mut sample: Vec<(&PopulationUnit, u32)> = Vec::new();
    for ((name, mut units), take) in units_by_stratum.into_iter().zip(takes) {
        units.sort_by_cached_key(|unit| draw_rank(definition, wave, unit));
        let place = u32::try_from(strata.len()).unwrap_or(u32::MAX);
        strata.push(Stratum {
            name,
            taken: as_count(take.min(units.len())),
            of: as_count(units.len()),
            units: String::new(),
        });
        sample.extend(units.into_iter().take(take).map(|unit| (unit, place)));
    }
    let mut keys: Vec<String> = units.iter().map(short_key).collect();
    keys.sort_unstable();
    Wave {
        wave,
        sampling,
        strata,
        items: build_items(
            definition,
            wave,
            sample,
            &count_chances(definition, wave, units),
        ),
        considered: keys.concat(),
        replaces: Vec::new(),
        regrouped: Vec::new(),
    }
}

/// Returns a unit's place in the drawing of lots of a wave: those with the lowest are drawn.
pub(super) fn draw_rank(
    definition: &QueueDefinition,
    wave: u32,
    unit: &PopulationUnit,
) -> (u64, String) {
    let (wave, key) = (wave.to_string(), unit.key());
    let at = ["queue", &definition.queue, "wave", &wave, &key];
    (seeded_number(definition.seed, &at), key)
}

pub(super) fn stratum_name(
    definition: &QueueDefinition,
    wave: u32,
    unit: &PopulationUnit,
) -> String {
    let parts = definition.strata.iter().map(|by| {
        let value = unit.features.get(by).map_or("none", String::as_str);
        format!("{by}={value}")
    });
    let parts: Vec<String> = parts.collect();
    let name = match parts.is_empty() {
        true => WHOLE.to_owned(),
        false => parts.join(", "),
    };
    match wave {
        1 => name,
        later => format!("wave {later}: {name}"),
    }
}

/// Returns the sample size of each stratum, never more than it has.
fn sample_sizes(sampling: &Sampling, names: &[&str], sizes: &[usize]) -> Vec<usize> {
    match sampling {
        Sampling::All => sizes.to_vec(),
        Sampling::Each { units } => sizes
            .iter()
            .map(|size| (*size).min(*units as usize))
            .collect(),
        Sampling::Sample { units } => divide_in_proportion(*units as usize, sizes),
        Sampling::Named { units } => names
            .iter()
            .zip(sizes)
            .map(|(name, size)| {
                let mut wanted = units.iter().filter(|(word, _)| names_stratum(word, name));
                let wanted = wanted.next().map_or(0, |(_, wanted)| *wanted as usize);
                wanted.min(*size)
            })
            .collect(),
    }
}

/// Says whether a word names a stratum: the whole of its name, or one of its values.
pub(super) fn names_stratum(word: &str, stratum: &str) -> bool {
    let is_value = |part: &str| part.split_once('=').is_some_and(|(_, value)| value == word);
    stratum == word || stratum.split(", ").any(is_value)
}

/// Divides a sample over strata by their sizes; each has at least one where that many are asked for,
/// for a stratum without a drawn unit has no estimate.
pub(super) fn divide_in_proportion(wanted: usize, sizes: &[usize]) -> Vec<usize> {
    let whole: usize = sizes.iter().sum();
    let sample_size = wanted.min(whole);
    if whole == 0 {
        return vec![0; sizes.len()];
    }
    let floor = usize::from(sample_size >= sizes.len());
    let mut takes: Vec<usize> = sizes
        .iter()
        .map(|size| (sample_size * size / whole).max(floor).min(*size))
        .collect();
    // The stratum furthest from its share loses or gains one, one at a time.
    let short = |takes: &[usize], at: usize| {
        let (take, size) = (takes.get(at).copied(), sizes.get(at).copied());
        let (take, size) = (take.unwrap_or(0), size.unwrap_or(0));
        (sample_size * size) as i128 - (take * whole) as i128
    };
    loop {
        let sum: usize = takes.iter().sum();
        let places = 0..takes.len();
        let next = match sum.cmp(&sample_size) {
            std::cmp::Ordering::Equal => return takes,
            std::cmp::Ordering::Less => places
                .filter(|at| takes.get(*at) < sizes.get(*at))
                .max_by_key(|at| (short(&takes, *at), usize::MAX - at)),
            std::cmp::Ordering::Greater => places
                .filter(|at| takes.get(*at).is_some_and(|take| *take > floor))
                .min_by_key(|at| (short(&takes, *at), *at)),
        };
        let Some(take) = next.and_then(|at| takes.get_mut(at)) else {
            return takes;
        };
        match sum < sample_size {
            true => *take += 1,
            false => *take -= 1,
        }
    }
}

/// Counts the units of its stratum that hold each turn: two pairs, if rounds before and after it count.
fn count_chances(
    definition: &QueueDefinition,
    wave: u32,
    units: &[PopulationUnit],
) -> BTreeMap<String, u32> {
    let mut chances = BTreeMap::new();
    if definition.unit != QueueUnit::Pair {
        return chances;
    }
    for unit in units {
        let stratum = stratum_name(definition, wave, unit);
        for spot in &unit.spots {
            *chances.entry(spot_key(&stratum, spot)).or_insert(0) += 1;
        }
    }
    chances
}

fn spot_key(
    stratum: &str,
    spot: &elenchus_records::workspace::annotations::AnnotationTarget,
) -> String {
    let on = spot.attempt.as_ref().map(|on| on.sha256.to_string());
    format!("{stratum}/{}/{}", spot.session, on.unwrap_or_default())
}

pub(super) fn build_items(
    definition: &QueueDefinition,
    wave: u32,
    mut sample: Vec<(&PopulationUnit, u32)>,
    chances: &BTreeMap<String, u32>,
) -> Vec<QueueItem> {
    let name = definition.queue.as_str();
    let rank = |what: &str, of: &str| seeded_number(definition.seed, &["queue", name, what, of]);
    sample.sort_by_cached_key(|(unit, _)| {
        let first = unit.spots.first();
        let session = first
            .map(|spot| spot.session.to_string())
            .unwrap_or_default();
        let on = first.and_then(|spot| spot.attempt.as_ref());
        let turn = on.map(|on| &on.id.turn);
        let within = turn.map(|turn| (turn.stage.clone(), turn.chair.clone(), turn.round));
        let key = unit.key();
        match definition.order {
            ItemOrder::ByTopic => (
                rank("topic", &unit.topic),
                rank("session", &session),
                within,
                key,
            ),
            ItemOrder::Drawn => (rank("item", &key), 0, None, key),
        }
    });
    let mut targets = BTreeSet::new();
    let mut items = Vec::new();
    for (unit, stratum) in sample {
        for spot in &unit.spots {
            if !targets.insert(spot.clone()) {
                continue;
            }
            let key = spot_key(&stratum_name(definition, wave, unit), spot);
            items.push(QueueItem {
                on: spot.clone(),
                topic: unit.topic.clone(),
                stratum,
                chances: chances.get(&key).copied().unwrap_or(1),
                regrouped: None,
            });
        }
    }
    items
}

pub(super) fn as_count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_divided_by_size_and_leaves_no_stratum_out() {
        assert_eq!(divide_in_proportion(10, &[90, 10]), [9, 1]);
        assert_eq!(divide_in_proportion(10, &[980, 10, 10]), [8, 1, 1]);
        assert_eq!(divide_in_proportion(1, &[5, 5]), [1, 0]);
        assert_eq!(divide_in_proportion(100, &[3, 4]), [3, 4]);
        assert_eq!(divide_in_proportion(3, &[]), Vec::<usize>::new());
        for wanted in 0..60 {
            let takes = divide_in_proportion(wanted, &[31, 7, 1, 20]);
            assert_eq!(takes.iter().sum::<usize>(), wanted.min(59), "{takes:?}");
        }
    }
}
