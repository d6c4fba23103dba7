//! Placebo of a learning run: lessons are written from the rewards of another debate of the batch.
//!
//! The debates of a batch are played until nothing but lessons is missing. Then each is given the decisions of
//! the next one on a circle that the run's seed draws, so that who gives to whom depends on no server's speed,
//! and is the same when the run is stopped and goes on.

use elenchus_game::debate::event::{Placebo, SwappedRewards};
use elenchus_game::debate::protocol::Protocol;
use elenchus_game::debate::seeded_random::shuffle;
use elenchus_records::workspace::run::{RunItem, RunState};
use elenchus_records::workspace::{Result, read_session_without_views, reject};
use elenchus_store::Layout;
use std::collections::BTreeMap;

/// What a debate of a run is played with of the rewards of others.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum OthersRewards {
    /// It is played until it needs them.
    NotAsked,
    /// They were looked for; `None` where no other debate of its batch has a decision.
    Asked(Option<Box<SwappedRewards>>),
}

/// Why a debate that needs another's rewards has none.
pub(super) const NO_OTHERS_REWARDS: &str = "its lessons are written from the rewards of another debate of its \
    batch, and no other one about another topic has a decision; it is tried again when the run goes on";

/// Finds the rewards that a debate's lessons are written from.
///
/// # Errors
/// When a session of the run has a name that no file has.
pub(super) fn find_others_rewards(
    state: &RunState,
    layout: &Layout,
    of: &RunItem,
) -> Result<Option<Box<SwappedRewards>>> {
    let mut circle: Vec<&RunItem> = state
        .items
        .iter()
        .filter(|item| item.batch == of.batch && item.teaches)
        .collect();
    circle.sort_by_key(|item| item.item);
    let batch = of.batch.map_or_else(String::new, |batch| batch.to_string());
    shuffle(&mut circle, state.manifest.seed, &["placebo", &batch]);
    let place = circle.iter().position(|item| item.item == of.item);
    let (before, after) = circle.split_at(place.unwrap_or(0));
    let others = after.iter().skip(1).chain(before);
    for other in others.filter(|other| other.topic.id != of.topic.id) {
        let path = layout.session_path(other.session.as_str())?;
        if !path.exists() {
            continue;
        }
        // What cannot be read has no decision to give; its own debate, or `verify`, says why.
        let Ok(session) = read_session_without_views(&path) else {
            continue;
        };
        if session.has_decisions() {
            return Ok(Some(Box::new(SwappedRewards {
                from: other.session.clone(),
                paid: session.paid_decisions(),
            })));
        }
    }
    Ok(None)
}

/// Refuses a placebo that could exchange nothing.
///
/// # Errors
/// When nothing is learned, no lesson of the game is written from rewards, or a batch has one topic alone.
pub(super) fn check_placebo(
    placebo: Placebo,
    protocol: &Protocol,
    teaches: bool,
    batches: &[Option<u32>],
) -> Result<()> {
    let name = placebo.name();
    if !protocol.feedback.iter().any(|rule| rule.sees.rewards) {
        return reject(format!(
            "--placebo {name}: no lesson of protocol '{}' is written from rewards as it is set; pcd-2, pcd-4, \
             consultancy and two-candidate write such lessons with --set learn=…",
            protocol.id
        ));
    }
    if !teaches {
        return reject(format!(
            "--placebo {name}: memory is only read here, so no lesson is written; leave --memory-snapshot or \
             --placebo out"
        ));
    }
    let mut topics: BTreeMap<Option<u32>, usize> = BTreeMap::new();
    for batch in batches {
        *topics.entry(*batch).or_default() += 1;
    }
    match topics.values().any(|count| *count == 1) {
        false => Ok(()),
        true => reject(format!(
            "--placebo {name} exchanges rewards between the debates of a batch, and one of the batches has one \
             topic alone: give --learn-batch so that each has two or more ({} topics teach)",
            batches.len()
        )),
    }
}
