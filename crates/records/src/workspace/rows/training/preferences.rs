//! Pairs of speeches after one prompt, byte for byte, of which one is wanted and the other is not.

use super::chat::ChatMessage;
use super::grade::Side;
use super::speech::{ComparisonKey, Speech, SpeechPlace};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A pair as trainers of preferences read it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PreferenceRow {
    pub prompt: Vec<ChatMessage>,
    pub chosen: Vec<ChatMessage>,
    pub rejected: Vec<ChatMessage>,
    /// Where the wanted speech stands, and what it earned.
    pub chosen_place: SpeechPlace,
    pub rejected_place: SpeechPlace,
}

/// Prompts after which wanted and unwanted speeches are known.
#[derive(Debug, Clone, Default)]
pub struct TwoSidedPrompts(BTreeMap<ComparisonKey, [bool; 2]>);

impl TwoSidedPrompts {
    /// Takes note of a speech.
    pub fn add(&mut self, speech: &Speech) {
        if let Some(side) = index_side(speech) {
            self.0.entry(speech.comparison_key()).or_default()[side] = true;
        }
    }

    /// Returns whether a speech can be in a pair.
    pub fn holds(&self, speech: &Speech) -> bool {
        index_side(speech).is_some() && self.0.get(&speech.comparison_key()) == Some(&[true, true])
    }

    /// Returns the number of prompts with speeches on one side only.
    pub fn count_one_sided(&self) -> usize {
        self.0
            .values()
            .filter(|sides| **sides != [true, true])
            .count()
    }
}

fn index_side(speech: &Speech) -> Option<usize> {
    match speech.side? {
        Side::Wanted => Some(0),
        Side::Unwanted => Some(1),
        Side::Neither => None,
    }
}

/// Pairs speeches of one model on one seat after one prompt: the most wanted with the least wanted, and so
/// on, each in one pair at most. What was said on both sides is in none.
///
/// Speeches of later seats share a prompt only where all that was said before is the same: in forks, or after
/// frozen turns.
pub fn pair_speeches(speeches: Vec<Speech>) -> Vec<PreferenceRow> {
    let mut by_prompt: BTreeMap<ComparisonKey, [Vec<Speech>; 2]> = BTreeMap::new();
    for speech in speeches {
        if let Some(side) = index_side(&speech) {
            by_prompt.entry(speech.comparison_key()).or_default()[side].push(speech);
        }
    }
    let mut pairs = Vec::new();
    for [mut wanted, mut unwanted] in by_prompt.into_values() {
        let place = |speech: &Speech| (speech.place.session.clone(), speech.place.place.clone());
        wanted.sort_by(|a, b| (b.score.total_cmp(&a.score)).then_with(|| place(a).cmp(&place(b))));
        unwanted
            .sort_by(|a, b| (a.score.total_cmp(&b.score)).then_with(|| place(a).cmp(&place(b))));
        let texts = |side: &[Speech]| -> BTreeSet<String> {
            side.iter().map(|speech| speech.text.clone()).collect()
        };
        let mut unfit: BTreeSet<String> = &texts(&wanted) & &texts(&unwanted);
        for side in [&mut wanted, &mut unwanted] {
            side.retain(|speech| unfit.insert(speech.text.clone()));
        }
        pairs.extend(
            wanted
                .into_iter()
                .zip(unwanted)
                .map(|(good, bad)| PreferenceRow {
                    prompt: good.prompt,
                    chosen: ChatMessage::completion(&good.text),
                    rejected: ChatMessage::completion(&bad.text),
                    chosen_place: good.place,
                    rejected_place: bad.place,
                }),
        );
    }
    pairs
}
