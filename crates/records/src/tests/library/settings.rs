//! Pairs of settings of built-in games: every pair of values can be played.

use crate::library::{Game, Library};
use elenchus_game::debate::protocol::{ProtocolFile, SettingSpec, SettingValue, Settings};
use std::collections::BTreeSet;

/// A value of each of two settings, as places in the list of settings and in their lists of values.
type Pair = ((usize, usize), (usize, usize));

/// Settings that change no view.
const UNSEEN: [&str; 2] = ["combine", "grader"];

/// Every built-in game with few choices of settings that together hold every pair of values of
/// those that can change what is shown.
pub fn every_pair_of_settings() -> Vec<(String, Game)> {
    games(&UNSEEN)
}

fn games(without: &[&str]) -> Vec<(String, Game)> {
    let library = Library::default();
    let mut games = Vec::new();
    for (id, _) in library.list_protocols() {
        let declared = library.read_protocol(&id).unwrap();
        for settings in covering(&declared, without) {
            let label = format!("{id} {}", shown(&settings));
            match library.load_game(&id, &settings) {
                Ok(game) => games.push((label, game)),
                Err(error) => panic!("{label}: {error}"),
            }
        }
    }
    games
}

fn shown(settings: &Settings) -> String {
    let each = settings
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    each.collect::<Vec<_>>().join(" ")
}

/// The values worth trying of a setting: all of a list, few of a number.
fn values(name: &str, spec: &SettingSpec) -> Vec<SettingValue> {
    if !spec.one_of.is_empty() {
        return spec.one_of.clone();
    }
    match &spec.default {
        SettingValue::Bool(_) => vec![SettingValue::Bool(false), SettingValue::Bool(true)],
        // A bound on tokens changes no view and no turn.
        SettingValue::Integer(_) if name.ends_with("tokens") => Vec::new(),
        SettingValue::Integer(_) => {
            let least = spec.min.map_or(1, |min| min as i64);
            let more = spec
                .max
                .map_or(least + 2, |max| (max as i64).min(least + 2));
            vec![SettingValue::Integer(least), SettingValue::Integer(more)]
        }
        SettingValue::Float(_) | SettingValue::Text(_) => Vec::new(),
    }
}

/// Returns choices of settings that hold every pair of values, found greedily.
fn covering(declared: &ProtocolFile, without: &[&str]) -> Vec<Settings> {
    let lists: Vec<(String, Vec<SettingValue>)> = declared
        .settings()
        .iter()
        .filter(|(name, _)| !without.contains(&name.as_str()))
        .map(|(name, spec)| (name.clone(), values(name, spec)))
        .filter(|(_, values)| !values.is_empty())
        .collect();
    let sizes: Vec<usize> = lists.iter().map(|(_, values)| values.len()).collect();
    let mut missing = pairs(&sizes);
    let mut choices = vec![Settings::new()];
    while let Some(first) = missing.first().copied() {
        let row = choice(&sizes, first, &missing);
        missing.retain(|pair| !holds(&row, pair));
        let settings = lists
            .iter()
            .zip(&row)
            .map(|((name, values), at)| (name.clone(), values[*at].clone()));
        choices.push(settings.collect());
    }
    choices
}

fn pairs(sizes: &[usize]) -> BTreeSet<Pair> {
    let mut pairs = BTreeSet::new();
    for one in 0..sizes.len() {
        for other in one + 1..sizes.len() {
            for a in 0..sizes[one] {
                pairs.extend((0..sizes[other]).map(|b| ((one, a), (other, b))));
            }
        }
    }
    pairs
}

fn holds(row: &[usize], ((one, a), (other, b)): &Pair) -> bool {
    row[*one] == *a && row[*other] == *b
}

/// Begins with a pair and gives every other setting the value that meets most missing pairs.
fn choice(sizes: &[usize], first: Pair, missing: &BTreeSet<Pair>) -> Vec<usize> {
    let mut row: Vec<Option<usize>> = vec![None; sizes.len()];
    row[first.0.0] = Some(first.0.1);
    row[first.1.0] = Some(first.1.1);
    for at in 0..sizes.len() {
        if row[at].is_some() {
            continue;
        }
        let met = |value: usize| {
            let here = (at, value);
            row.iter()
                .enumerate()
                .filter_map(|(other, set)| Some((other, (*set)?)))
                .filter(|there| missing.contains(&(here.min(*there), here.max(*there))))
                .count()
        };
        // The last of equals, so that values other than the first are tried often.
        row[at] = (0..sizes[at]).max_by_key(|value| met(*value));
    }
    row.into_iter().map(Option::unwrap_or_default).collect()
}

#[test]
fn every_pair_of_settings_gives_a_game_whose_templates_can_all_be_rendered() {
    let mut played = 0;
    for (label, game) in games(&[]) {
        let faults: Vec<String> = game
            .rehearse_templates()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert!(faults.is_empty(), "{label}: {faults:?}");
        played += 1;
    }
    assert!(played > 40, "only {played}");
}

#[test]
fn the_choices_hold_every_pair_of_values_and_are_few() {
    let declared = Library::default().read_protocol("pcd-4").unwrap();
    let choices = covering(&declared, &[]);
    let listed: Vec<(&String, Vec<SettingValue>)> = declared
        .settings()
        .iter()
        .map(|(name, spec)| (name, values(name, spec)))
        .collect();
    for (one, a) in &listed {
        for (other, b) in listed.iter().filter(|(other, _)| other > one) {
            for (x, y) in a.iter().flat_map(|x| b.iter().map(move |y| (x, y))) {
                let met = |choice: &Settings| {
                    choice.get(*one) == Some(x) && choice.get(*other) == Some(y)
                };
                assert!(choices.iter().any(met), "{one}={x} with {other}={y}");
            }
        }
    }
    assert!(choices.len() < 40, "{}", choices.len());
}
