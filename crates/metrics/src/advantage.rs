//! Group advantages: rewards minus the mean of their group, for training (FIELD §3).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::report::figure::Advantage;
use super::report::left_out::LeftOutReason;
use super::report::natural_order::compare_naturally;
use super::rows::{DebateRow, HumanTurns};
use super::sections::game::own_rewards;
use super::topic_names::TopicNames;

/// Advantages, with the debates and rewards left out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Advantages {
    pub rows: Vec<Advantage>,
    /// Groups of a single rollout: their advantages carry no information.
    pub groups_of_one: usize,
    pub groups: usize,
    /// Debates left out, by reason; single rewards where they are not finite.
    pub left_out: BTreeMap<LeftOutReason, usize>,
}

/// Returns each reward minus the mean per seat over the rollouts of one topic (FIELD §3).
///
/// A group is the debates of one topic, arm, checkpoint and kind (simulated or not). Forks are no
/// rollouts of their own, and a reward that is not finite is no reward: both are left out. A group
/// of one has advantage 0. Sorted by topic, arm, checkpoint, seat and rollout.
pub fn group_advantages(debates: &[DebateRow], people: HumanTurns) -> Advantages {
    let names = TopicNames::from_topics(debates.iter().map(|debate| &debate.topic));
    compute_advantages(&debates.iter().collect::<Vec<_>>(), &names, people)
}

/// Topic, arm, checkpoint, kind and seat.
type GroupKey<'a> = (&'a str, &'a str, Option<&'a str>, bool, &'a str);

pub(super) fn compute_advantages(
    debates: &[&DebateRow],
    names: &TopicNames,
    people: HumanTurns,
) -> Advantages {
    let mut groups: BTreeMap<GroupKey<'_>, Vec<(&DebateRow, f64)>> = BTreeMap::new();
    let mut all_advantages = Advantages::default();
    let mut leave_out = |reason| *all_advantages.left_out.entry(reason).or_default() += 1;
    for debate in debates {
        let rewards = match own_rewards(debate, people) {
            Err(reason) => {
                leave_out(reason);
                continue;
            }
            Ok(_) if debate.has_inherited_turns() => {
                leave_out(LeftOutReason::Fork);
                continue;
            }
            Ok([]) => {
                leave_out(LeftOutReason::NoReward);
                continue;
            }
            Ok(rewards) => rewards,
        };
        for (seat, reward) in rewards {
            if !reward.is_finite() {
                leave_out(LeftOutReason::NotFinite);
                continue;
            }
            let group = (
                names.name_of(&debate.topic),
                debate.arm.as_str(),
                debate.checkpoint.as_deref(),
                debate.simulated,
                seat.as_str(),
            );
            groups.entry(group).or_default().push((debate, *reward));
        }
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by(|(a, _), (b, _)| {
        let checkpoints = compare_naturally(a.2.unwrap_or_default(), b.2.unwrap_or_default());
        (a.0, a.1)
            .cmp(&(b.0, b.1))
            .then(checkpoints)
            .then_with(|| (a.3, a.4).cmp(&(b.3, b.4)))
    });
    for (group, members) in groups {
        all_advantages.add_group(group, members);
    }
    all_advantages
}

impl Advantages {
    fn add_group(&mut self, group: GroupKey<'_>, mut members: Vec<(&DebateRow, f64)>) {
        let (topic, arm, checkpoint, simulated, seat) = group;
        members.sort_by(|(a, _), (b, _)| {
            (a.rollout, a.session.as_str()).cmp(&(b.rollout, b.session.as_str()))
        });
        let mean = members.iter().map(|(_, reward)| reward).sum::<f64>() / members.len() as f64;
        let sessions: BTreeSet<&str> = members.iter().map(|(d, _)| d.session.as_str()).collect();
        self.groups += 1;
        self.groups_of_one += usize::from(sessions.len() == 1);
        for (debate, reward) in &members {
            let advantage = reward - mean;
            // The mean of finite but huge rewards may overflow.
            if !advantage.is_finite() {
                *self.left_out.entry(LeftOutReason::NotFinite).or_default() += 1;
                continue;
            }
            self.rows.push(Advantage {
                session: debate.session.clone(),
                topic: topic.to_owned(),
                arm: arm.to_owned(),
                checkpoint: checkpoint.map(str::to_owned),
                simulated,
                seat: seat.to_owned(),
                rollout: debate.rollout,
                reward: *reward,
                advantage,
                group_size: members.len(),
                rollouts: sessions.len(),
            });
        }
    }
}
