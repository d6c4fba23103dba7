//! What a plan can show: the difference that its topics find.

use super::event::AbPlan;
use elenchus_metrics::{PLANNED_POWER, find_detectable_differences};
use elenchus_text::format_noun_count;
use serde::Serialize;
use std::collections::BTreeSet;

/// Shares of topics that come out differently by chance, for which a plan says what it shows.
const BY_CHANCE: [f64; 2] = [0.1, 0.4];

/// The difference that a plan finds with a power of 80 %, where each topic has one sample of each prompt.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PlannedPower {
    /// Share of topics that come out differently by chance, half of them either way.
    pub by_chance: f64,
    /// Difference of error rates; `None` where no difference is large enough.
    pub difference: Option<f64>,
}

impl AbPlan {
    /// Returns how many topics it has: what its differences are counted over.
    pub fn count_topics(&self) -> usize {
        let topics = self.contexts.iter();
        let topics = topics.map(|context| (&context.topic_key, &context.topic));
        topics.collect::<BTreeSet<_>>().len()
    }

    /// Computes what it can show; empty where there are too many topics for it to be computed, which show little
    /// differences anyway.
    pub fn compute_power(&self) -> Vec<PlannedPower> {
        let topics = self.count_topics() as u64;
        let differences = find_detectable_differences(topics, BY_CHANCE);
        let pairs = BY_CHANCE.into_iter().zip(differences.into_iter().flatten());
        pairs
            .map(|(by_chance, difference)| PlannedPower {
                by_chance,
                difference,
            })
            .collect()
    }

    /// Says what it can show, for whoever is about to pay for it; `None` where that is not computed.
    pub fn describe_power(&self) -> Option<String> {
        let powers = self.compute_power();
        if powers.is_empty() {
            return None;
        }
        let topics = format_noun_count(self.count_topics(), "topic");
        let show = if self.count_topics() == 1 {
            "shows"
        } else {
            "show"
        };
        let shown = powers.iter().filter_map(|power| {
            let points = 100.0 * power.difference?;
            Some(format!(
                "{points:.0} points where {:.0} %",
                100.0 * power.by_chance
            ))
        });
        let shown: Vec<String> = shown.collect();
        let conditions = format!(
            "(5 %, power {:.0} %, one sample a topic; more show more)",
            100.0 * PLANNED_POWER
        );
        Some(match shown.is_empty() {
            true => format!("{topics} {show} no difference, however large {conditions}"),
            false => format!(
                "{topics} {show} a difference of {} of topics come out differently by chance as well {conditions}",
                shown.join(", of ")
            ),
        })
    }
}
