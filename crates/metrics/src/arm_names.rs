//! Short names of arms: what all of them have alike tells none apart. No two arms have one name. Pure.

use std::collections::{BTreeMap, BTreeSet};

/// Returns a short name for each arm, by whole names; the whole ones where shortening would make two alike.
pub fn shorten_arm_names<'a>(arms: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, String> {
    let arms: BTreeSet<&str> = arms.into_iter().collect();
    let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for arm in &arms {
        for (key, value) in split_parts(arm).filter_map(|part| part.split_once('=')) {
            values.entry(key).or_default().insert(value);
        }
    }
    let is_telling = |part: &&str| match part.split_once('=') {
        Some((key, _)) => values.get(key).is_none_or(|values| values.len() > 1),
        None => true,
    };
    let shorten = |arm: &str| -> String {
        let parts: Vec<&str> = split_parts(arm).filter(is_telling).collect();
        parts.join(" ")
    };
    let short_names: Vec<String> = arms.iter().map(|arm| shorten(arm)).collect();
    let distinct: BTreeSet<&String> = short_names.iter().collect();
    // An arm that lacks a part which the others have alike would be called as they are.
    let can_shorten = arms.len() > 1
        && distinct.len() == arms.len()
        && short_names.iter().all(|name| !name.is_empty());
    let names = arms.iter().zip(&short_names);
    let names = names.map(|(arm, short)| match can_shorten {
        true => ((*arm).to_owned(), short.clone()),
        false => ((*arm).to_owned(), (*arm).to_owned()),
    });
    names.collect()
}

fn split_parts(arm: &str) -> impl Iterator<Item = &str> {
    arm.split([' ', ',']).filter(|part| !part.is_empty())
}
