//! Rollouts of a topic that can be weighted against each other, with the draws of what each answer came to.

use std::collections::{BTreeMap, BTreeSet};

use super::fresh_draws::{DrawnBy, FreshDraws};
use super::speech::{Answer, ComparedBy, Speech};
use super::weights::Selection;
use crate::report::left_out::LeftOutReason;
use crate::rows::{DebateRow, DecisionLabel, DecisionRow};
use crate::sections::counting::DebatePool;
use crate::sections::game::own_rewards;
use crate::statistics::sums::compute_mean;

/// Draws of an answer below which what it comes to is hardly known, in repetitions.
pub(super) const MIN_DRAWS: usize = 4;

/// Rollouts that differ in a seat's answer alone: of one topic, arm, checkpoint, and of one text of those who
/// spoke before.
pub(super) struct RolloutGroup<'a> {
    pub topic: &'a str,
    /// What it counts among those of its topic, arm and checkpoint; together 1.
    pub share: f64,
    pub rollouts: Vec<Rollout<'a>>,
    pub answers: Vec<AnswerDraws<'a>>,
}

pub(super) struct Rollout<'a> {
    pub debate: &'a DebateRow,
    /// Place of its answer in the group's.
    pub answer: usize,
}

/// What an answer came to, each time it was given.
pub(super) struct AnswerDraws<'a> {
    /// In the debates that are measured.
    own: Vec<Draw<'a>>,
    /// In their repetitions.
    fresh: Vec<Draw<'a>>,
}

/// A reward, and the decision that paid it.
#[derive(Clone, Copy)]
pub(super) struct Draw<'a> {
    pub debate: &'a DebateRow,
    pub reward: f64,
}

/// Draws that choose, and others that measure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    /// What was played chooses; nothing is left to measure.
    Played,
    /// The first half chooses, the second measures.
    FirstChooses,
    SecondChooses,
}

impl<'a> Draw<'a> {
    /// Returns the decision, where it could be read.
    pub(super) fn readable_decision(&self) -> Option<DecisionRow> {
        self.debate.decision.filter(is_readable)
    }
}

fn is_readable(decision: &DecisionRow) -> bool {
    match decision.label {
        DecisionLabel::Accept | DecisionLabel::Middle | DecisionLabel::Reject => true,
        DecisionLabel::Unparsed
        | DecisionLabel::UnparsedOfMaterial
        | DecisionLabel::Filtered
        | DecisionLabel::Failed
        | DecisionLabel::NoJudge => false,
    }
}

impl<'a> AnswerDraws<'a> {
    pub(super) fn all_draws(&self) -> impl Iterator<Item = &Draw<'a>> {
        self.own.iter().chain(&self.fresh)
    }

    /// Returns the draws that choose by a fold, and those that measure.
    pub(super) fn split_by_fold(&self, fold: Fold, drawn_by: DrawnBy) -> [Vec<Draw<'a>>; 2] {
        let all = || self.all_draws().copied();
        match (fold, drawn_by) {
            (Fold::Played, _) => [self.own.clone(), Vec::new()],
            (Fold::FirstChooses | Fold::SecondChooses, DrawnBy::OtherPlayers) => {
                [self.own.clone(), self.fresh.clone()]
            }
            (Fold::FirstChooses, DrawnBy::SamePlayers) => [
                all().step_by(2).collect(),
                all().skip(1).step_by(2).collect(),
            ],
            (Fold::SecondChooses, DrawnBy::SamePlayers) => [
                all().skip(1).step_by(2).collect(),
                all().step_by(2).collect(),
            ],
        }
    }

    /// Returns whether there are draws to choose by and draws to measure by.
    fn can_split(&self, drawn_by: DrawnBy) -> bool {
        self.split_by_fold(Fold::FirstChooses, drawn_by)
            .iter()
            .all(|half| !half.is_empty())
    }
}

/// Returns the mean reward of draws; `None` without any.
pub(super) fn mean_reward(draws: &[Draw<'_>]) -> Option<f64> {
    let mut rewards: Vec<f64> = draws.iter().map(|draw| draw.reward).collect();
    // Sums do not depend on which rollout was played first.
    rewards.sort_by(f64::total_cmp);
    (!rewards.is_empty()).then(|| compute_mean(&rewards))
}

impl RolloutGroup<'_> {
    /// Returns the weight of each rollout by the mean rewards of its answer's draws.
    pub(super) fn compute_weights(
        &self,
        selection: Selection,
        fold: Fold,
        drawn_by: DrawnBy,
    ) -> Option<Vec<f64>> {
        let rewards: Option<Vec<f64>> = self
            .answers
            .iter()
            .map(|answer| mean_reward(&answer.split_by_fold(fold, drawn_by)[0]))
            .collect();
        let rewards = rewards?;
        let of_rollouts: Vec<f64> = self
            .rollouts
            .iter()
            .map(|rollout| rewards[rollout.answer])
            .collect();
        selection.weigh_rollouts(&of_rollouts)
    }
}

/// Groups of rollouts, and what is in none.
#[derive(Default)]
pub(super) struct Rollouts<'a> {
    pub groups: Vec<RolloutGroup<'a>>,
    pub left_out: BTreeMap<LeftOutReason, usize>,
    /// The seat answers others: its rollouts are those on one text of theirs.
    pub answers_others: bool,
    /// The fewest draws of an answer for which rollouts are left out.
    pub fewest_draws: Option<usize>,
}

/// Topic, arm and checkpoint.
type Place<'a> = (&'a str, &'a String, &'a Option<String>);

/// Divides the debates of a pool into groups of rollouts with at least `needs` each.
pub(super) fn rollouts_of<'a>(
    pool: &'a DebatePool<'a>,
    seat: &str,
    needs: usize,
    fresh: Option<&FreshDraws<'a>>,
) -> Rollouts<'a> {
    let compared_by = fresh.map_or(ComparedBy::Speech, |fresh| fresh.question.compared_by());
    let mut rollouts = Rollouts::default();
    let mut members_by_place: BTreeMap<(Place<'a>, Speech<'a>), Vec<(Answer<'a>, Draw<'a>)>> =
        BTreeMap::new();
    for &debate in &pool.debates {
        match reward_of(debate, seat, pool) {
            Ok(reward) => {
                let place = (pool.topic_name(debate), &debate.arm, &debate.checkpoint);
                let answer = Answer::from_debate(debate, seat, compared_by);
                rollouts.answers_others |= answer.before != Speech::Turns(Vec::new());
                let group = members_by_place
                    .entry((place, answer.before.clone()))
                    .or_default();
                group.push((answer, Draw { debate, reward }));
            }
            Err(reason) => rollouts.leave_out(reason, 1),
        }
    }
    let mut places: BTreeMap<Place<'a>, usize> = BTreeMap::new();
    let mut kept_groups = Vec::new();
    for ((place, _), members) in members_by_place {
        let count = members.len();
        match build_group(pool, seat, place.0, members, needs, fresh) {
            Ok((group, unread)) => {
                rollouts.leave_out(LeftOutReason::NoReward, unread);
                *places.entry(place).or_default() += group.rollouts.len();
                kept_groups.push((place, group));
            }
            Err(missing) => {
                rollouts.leave_out(missing.reason, count);
                let draws = rollouts.fewest_draws.into_iter().chain(missing.draws);
                rollouts.fewest_draws = draws.min();
            }
        }
    }
    for (place, mut group) in kept_groups {
        group.share = group.rollouts.len() as f64 / places[&place] as f64;
        rollouts.groups.push(group);
    }
    rollouts
}

impl Rollouts<'_> {
    fn leave_out(&mut self, reason: LeftOutReason, count: usize) {
        if count > 0 {
            *self.left_out.entry(reason).or_default() += count;
        }
    }

    pub(super) fn topics(&self) -> BTreeSet<&str> {
        self.groups.iter().map(|group| group.topic).collect()
    }

    pub(super) fn debate_count(&self) -> usize {
        self.groups.iter().map(|group| group.rollouts.len()).sum()
    }

    pub(super) fn answers(&self) -> impl Iterator<Item = &AnswerDraws<'_>> {
        self.groups.iter().flat_map(|group| &group.answers)
    }
}

/// What a group of rollouts lacks.
struct Missing {
    reason: LeftOutReason,
    /// Draws of the answer that has too few.
    draws: Option<usize>,
}

impl From<LeftOutReason> for Missing {
    fn from(reason: LeftOutReason) -> Self {
        Self {
            reason,
            draws: None,
        }
    }
}

/// Puts rollouts of one place together by their answers. Returns also how many are left out because no draw of
/// theirs could be read in one of the halves.
fn build_group<'a>(
    pool: &'a DebatePool<'a>,
    seat: &str,
    topic: &'a str,
    mut members: Vec<(Answer<'a>, Draw<'a>)>,
    needs: usize,
    fresh: Option<&FreshDraws<'a>>,
) -> Result<(RolloutGroup<'a>, usize), Missing> {
    if members.len() < needs {
        return Err(LeftOutReason::TooFewRollouts.into());
    }
    members.sort_by_key(|(_, draw)| {
        let debate = draw.debate;
        (&debate.origin.run, debate.rollout, &debate.session)
    });
    let mut by_answer: BTreeMap<Answer<'a>, Vec<Draw<'a>>> = BTreeMap::new();
    for (answer, draw) in members {
        by_answer.entry(answer).or_default().push(draw);
    }
    let mut group = RolloutGroup {
        topic,
        share: 1.0,
        rollouts: Vec::new(),
        answers: Vec::new(),
    };
    let mut unread = 0;
    for (answer, own) in by_answer {
        let rollouts: Vec<&DebateRow> = own.iter().map(|draw| draw.debate).collect();
        let draws = match fresh {
            Some(fresh) => with_repetitions(pool, seat, &answer, own, fresh)?,
            None => AnswerDraws {
                own,
                fresh: Vec::new(),
            },
        };
        if fresh.is_some_and(|fresh| !draws.can_split(fresh.drawn_by)) {
            unread += rollouts.len();
            continue;
        }
        let at = group.answers.len();
        group.answers.push(draws);
        group.rollouts.extend(
            rollouts
                .into_iter()
                .map(|debate| Rollout { debate, answer: at }),
        );
    }
    match group.rollouts.len() < needs {
        true => Err(LeftOutReason::TooFewRollouts.into()),
        false => Ok((group, unread)),
    }
}

/// Adds the repetitions of an answer to its own draws.
fn with_repetitions<'a>(
    pool: &'a DebatePool<'a>,
    seat: &str,
    answer: &Answer<'a>,
    own: Vec<Draw<'a>>,
    fresh: &FreshDraws<'a>,
) -> Result<AnswerDraws<'a>, Missing> {
    let runs = own
        .iter()
        .filter_map(|draw| draw.debate.origin.run.as_deref());
    let runs: BTreeSet<&str> = runs.collect();
    let topic = own.first().map(|draw| draw.debate.topic.key.as_str());
    let repetitions = fresh.repetitions_of(&runs, topic.unwrap_or_default(), answer);
    // What is left out may not depend on how often an answer was given, nor on what came of it: whoever could not
    // be read counts here, and all of the group go.
    let attempts = own.len() + repetitions.len();
    if attempts < MIN_DRAWS {
        return Err(Missing {
            reason: LeftOutReason::TooFewDraws,
            draws: Some(attempts),
        });
    }
    let rewarded_draws = repetitions.into_iter().filter_map(|debate| {
        let reward = reward_of(debate, seat, pool).ok()?;
        Some(Draw { debate, reward })
    });
    Ok(AnswerDraws {
        own,
        fresh: rewarded_draws.collect(),
    })
}

/// Returns a seat's mean reward in a debate, or the reason why it does not count.
fn reward_of(debate: &DebateRow, seat: &str, pool: &DebatePool<'_>) -> Result<f64, LeftOutReason> {
    if debate.has_inherited_turns() {
        return Err(LeftOutReason::Fork);
    }
    let rewards = own_rewards(debate, pool.scope.people)?.iter();
    let own: Vec<f64> = rewards
        .filter(|(rewarded, _)| rewarded == seat)
        .map(|(_, reward)| *reward)
        .collect();
    if own.is_empty() {
        return Err(LeftOutReason::NoReward);
    }
    let mean = compute_mean(&own);
    match mean.is_finite() {
        true => Ok(mean),
        false => Err(LeftOutReason::NotFinite),
    }
}
