//! The population of a curve over the first lessons of a memory: one set that was replayed from ever more of them.

use anyhow::{Result, bail};
use elenchus_game::debate::TopicKey;
use elenchus_metrics::{DebateRow, Dimension, ReportSettings, debate_value};
use std::collections::{BTreeMap, BTreeSet};

/// Rows of the topics that all points of a curve have, and how many topics are left out.
pub(super) struct OnePopulation {
    pub rows: Vec<DebateRow>,
    pub left_out: usize,
}

/// Keeps of each curve the topics that all of its points have; `None` where a curve is no replay from the first
/// lessons of a memory.
///
/// # Errors
/// When no topic is at every point.
pub(super) fn keep_common_topics(
    rows: &[DebateRow],
    settings: &ReportSettings,
) -> Result<Option<OnePopulation>> {
    let is_point = |row: &DebateRow| row.origin.first_lessons.is_some();
    if !settings.by.contains(&Dimension::Lessons) || rows.is_empty() || !rows.iter().all(is_point) {
        return Ok(None);
    }
    let others = settings.by.iter().filter(|by| **by != Dimension::Lessons);
    let others: Vec<Dimension> = others.copied().collect();
    let curve_of = |row: &DebateRow| -> Vec<Option<String>> {
        let values = others.iter().map(|by| debate_value(row, *by, settings));
        values.collect()
    };
    let mut curves: BTreeMap<_, BTreeMap<Option<u32>, BTreeSet<&TopicKey>>> = BTreeMap::new();
    for row in rows {
        let points = curves.entry(curve_of(row)).or_default();
        let topics = points.entry(row.origin.first_lessons).or_default();
        topics.insert(&row.topic.key);
    }
    let is_common = |row: &&DebateRow| {
        let points = curves.get(&curve_of(row)).into_iter().flatten();
        points
            .into_iter()
            .all(|(_, topics)| topics.contains(&row.topic.key))
    };
    let kept: Vec<DebateRow> = rows.iter().filter(is_common).cloned().collect();
    if kept.is_empty() {
        bail!(
            "a curve has one population, and no topic is at every point of this one: replay the same topics from \
             each number of lessons, or name what is to be drawn with --protocol or --only"
        );
    }
    let count = |rows: &[DebateRow]| {
        let keys: BTreeSet<&TopicKey> = rows.iter().map(|row| &row.topic.key).collect();
        keys.len()
    };
    let left_out = count(rows) - count(&kept);
    Ok(Some(OnePopulation {
        rows: kept,
        left_out,
    }))
}
