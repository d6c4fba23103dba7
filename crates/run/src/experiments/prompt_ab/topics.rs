//! Topics of a prompt comparison: how each came out with both prompts, and where its replies are opened.

use super::event::AbCell;
use super::report::AbRows;
use super::state::AbState;
use crate::experiments::prompt_trial::read_sample;
use elenchus_game::debate::{SessionId, TopicKey};
use elenchus_metrics::{PromptSample, error_rate};
use elenchus_store::Layout;
use std::collections::BTreeMap;

/// Samples of one prompt, each with its session.
type ArmSamples = Vec<(AbCell, SessionId)>;

/// A topic that both prompts were tried on.
#[derive(Debug, Clone, PartialEq)]
pub struct AbTopic {
    /// The first of its ids.
    pub id: String,
    /// Error rates of A and B over all samples; `None` where no turn was judged.
    pub rates: [Option<f64>; 2],
    /// The samples of both arms, in the store of tries unless they were adopted.
    pub samples: [ArmSamples; 2],
    /// The samples of one turn and number that differ most: what is read to see how A and B differ.
    pub pair: Option<[(AbCell, SessionId); 2]>,
}

/// Words of a topic, and what was said to it with each prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbTopicTexts {
    pub topic: String,
    /// Replies of the pair; `None` where there is none, as in whole debates.
    pub replies: [Option<String>; 2],
}

impl AbTopic {
    /// Returns error rates of A and B where both are known and differ.
    pub fn different_rates(&self) -> Option<[f64; 2]> {
        let [Some(a), Some(b)] = self.rates else {
            return None;
        };
        (a != b).then_some([a, b])
    }

    /// Reads the words of the topic; `None` where its session cannot be read. Blocks.
    pub(super) fn read_text(&self, layout: &Layout, state: &AbState) -> Option<String> {
        let (cell, _) = self.samples.iter().flatten().next()?;
        let parent = state.find_context(*cell)?.read_state(layout).ok()?;
        Some(parent.first_event()?.topic.text.clone())
    }

    /// Reads the words of the topic and of the pair of replies; `None` where its session cannot be read.
    /// Blocks.
    pub fn read_texts(&self, layout: &Layout, state: &AbState) -> Option<AbTopicTexts> {
        let (cell, _) = self.samples.iter().flatten().next()?;
        let context = state.find_context(*cell)?;
        let parent = context.read_state(layout).ok()?;
        let reply = |(cell, session): &(AbCell, SessionId)| {
            let context = state.find_context(*cell)?;
            let sample = read_sample(layout, session).ok()?;
            context.call.as_ref()?.find_own_text(&sample)
        };
        let replies = self.pair.as_ref().map(|pair| pair.each_ref().map(reply));
        Some(AbTopicTexts {
            topic: parent.first_event()?.topic.text.clone(),
            replies: replies.unwrap_or_default(),
        })
    }
}

/// Lists the topics that both prompts were tried on: those that came out differently, the worse for B
/// first, then all others by their ids.
pub(super) fn list_topics(rows: &AbRows, state: &AbState) -> Vec<AbTopic> {
    let mut samples: BTreeMap<&TopicKey, (String, [ArmSamples; 2])> = BTreeMap::new();
    for (cell, played) in &state.played {
        let context = state.find_context(*cell);
        let known = context.and_then(|context| Some((context, rows.topic_key(context)?)));
        let Some((context, key)) = known else {
            continue;
        };
        let (id, arms) = samples
            .entry(key)
            .or_insert_with(|| (context.topic.clone(), Default::default()));
        if context.topic < *id {
            id.clone_from(&context.topic);
        }
        if let Some(arm) = arms.get_mut(usize::from(cell.arm)) {
            arm.push((*cell, played.session.clone()));
        }
    }
    let both = samples
        .into_values()
        .filter(|(_, [a, b])| !a.is_empty() && !b.is_empty());
    let mut topics: Vec<AbTopic> = both
        .map(|(id, samples)| AbTopic {
            id,
            rates: samples.each_ref().map(|arm| {
                let of_arm = arm.iter().filter_map(|(cell, _)| rows.find_row(*cell));
                error_rate(&of_arm.collect::<Vec<_>>())
            }),
            pair: find_most_different_pair(rows, &samples),
            samples,
        })
        .collect();
    let worse = |topic: &AbTopic| topic.different_rates().map(|[a, b]| b - a);
    topics.sort_by(|one, other| {
        let by_size = match (worse(one), worse(other)) {
            (Some(one), Some(other)) => other.total_cmp(&one),
            (one, other) => other.is_some().cmp(&one.is_some()),
        };
        by_size.then_with(|| one.id.cmp(&other.id))
    });
    topics
}

/// Returns the first of the pairs of samples of one turn and number whose error rates differ most.
fn find_most_different_pair(
    rows: &AbRows,
    [a, b]: &[ArmSamples; 2],
) -> Option<[(AbCell, SessionId); 2]> {
    let rate = |cell: &AbCell| {
        let row: Option<&PromptSample> = rows.find_row(*cell);
        row.and_then(|row| error_rate(&[row]))
    };
    let mut best: Option<(f64, [(AbCell, SessionId); 2])> = None;
    for first in a {
        let place = (first.0.context, first.0.sample);
        let mut others = b.iter();
        let Some(second) = others.find(|(cell, _)| (cell.context, cell.sample) == place) else {
            continue;
        };
        let difference = match (rate(&first.0), rate(&second.0)) {
            (Some(one), Some(other)) => (one - other).abs(),
            (None | Some(_), _) => 0.0,
        };
        if best.as_ref().is_none_or(|(most, _)| difference > *most) {
            best = Some((difference, [first.clone(), second.clone()]));
        }
    }
    best.map(|(_, pair)| pair)
}
