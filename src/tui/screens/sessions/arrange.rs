//! In which order and under which headings sessions are listed. Pure.

use super::sift::Sieve;
use super::stock::{Entry, Origin};
use crate::debate::RunId;
use crate::driver::SessionStatus;
use crate::driver::desk::Glance;
use crate::tui::keep::KeptList;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

/// What sessions are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SortBy {
    /// When something happened last.
    #[default]
    Age,
    Protocol,
    Topic,
    State,
    Rounds,
    Verdicts,
    Cost,
}

/// Which end comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Rising,
    Falling,
}

/// What sessions are put together by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupBy {
    #[default]
    Nothing,
    Run,
    Topic,
}

/// A group of sessions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// No heading stands above it.
    All,
    Run(RunId),
    NoRun,
    Topic(String),
    Unread,
    Examples,
}

/// How the list is arranged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrangement {
    pub sort: SortBy,
    pub direction: Direction,
    pub group: GroupBy,
    pub filter: String,
    pub folded: BTreeSet<Group>,
}

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    Heading {
        group: Group,
        count: usize,
        folded: bool,
    },
    /// A session, by its place among all that were read.
    Session(usize),
}

impl SortBy {
    const ALL: [SortBy; 7] = [
        SortBy::Age,
        SortBy::Protocol,
        SortBy::Topic,
        SortBy::State,
        SortBy::Rounds,
        SortBy::Verdicts,
        SortBy::Cost,
    ];

    /// Returns the word that is kept and shown.
    pub fn word(self) -> &'static str {
        match self {
            SortBy::Age => "age",
            SortBy::Protocol => "protocol",
            SortBy::Topic => "topic",
            SortBy::State => "state",
            SortBy::Rounds => "rounds",
            SortBy::Verdicts => "verdicts",
            SortBy::Cost => "cost",
        }
    }

    /// Returns the next column.
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|one| *one == self).unwrap_or(0);
        Self::ALL.get(at + 1).copied().unwrap_or_default()
    }

    /// Returns the direction that is usual: what a person looks for stands above.
    pub fn usual(self) -> Direction {
        match self {
            SortBy::Protocol | SortBy::Topic | SortBy::State => Direction::Rising,
            SortBy::Age | SortBy::Rounds | SortBy::Verdicts | SortBy::Cost => Direction::Falling,
        }
    }

    /// Returns what stands above with a direction, in words.
    pub fn first(self, direction: Direction) -> &'static str {
        match (self, direction) {
            (SortBy::Age, Direction::Falling) => "newest first",
            (SortBy::Age, Direction::Rising) => "oldest first",
            (SortBy::Protocol, Direction::Rising) => "by protocol",
            (SortBy::Protocol, Direction::Falling) => "by protocol, z first",
            (SortBy::Topic, Direction::Rising) => "by topic",
            (SortBy::Topic, Direction::Falling) => "by topic, z first",
            (SortBy::State, Direction::Rising) => "unfinished first",
            (SortBy::State, Direction::Falling) => "finished first",
            (SortBy::Rounds, Direction::Falling) => "most rounds first",
            (SortBy::Rounds, Direction::Rising) => "fewest rounds first",
            (SortBy::Verdicts, Direction::Falling) => "most unsafe first",
            (SortBy::Verdicts, Direction::Rising) => "fewest unsafe first",
            (SortBy::Cost, Direction::Falling) => "dearest first",
            (SortBy::Cost, Direction::Rising) => "cheapest first",
        }
    }
}

impl Direction {
    /// The other one.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Direction::Rising => Direction::Falling,
            Direction::Falling => Direction::Rising,
        }
    }
}

impl GroupBy {
    /// Returns the word that is kept and shown.
    pub fn word(self) -> &'static str {
        match self {
            GroupBy::Nothing => "nothing",
            GroupBy::Run => "run",
            GroupBy::Topic => "topic",
        }
    }

    /// Returns the next way.
    pub fn next(self) -> Self {
        match self {
            GroupBy::Nothing => GroupBy::Run,
            GroupBy::Run => GroupBy::Topic,
            GroupBy::Topic => GroupBy::Nothing,
        }
    }
}

impl Arrangement {
    /// Reads what was kept.
    pub fn of(kept: &KeptList) -> Self {
        let sort = SortBy::ALL
            .into_iter()
            .find(|one| one.word() == kept.sort)
            .unwrap_or_default();
        let groups = [GroupBy::Nothing, GroupBy::Run, GroupBy::Topic];
        Self {
            sort,
            direction: match kept.descending {
                Some(true) => Direction::Falling,
                Some(false) => Direction::Rising,
                None => sort.usual(),
            },
            group: groups
                .into_iter()
                .find(|one| one.word() == kept.group)
                .unwrap_or_default(),
            filter: String::new(),
            folded: kept
                .examples_folded
                .then_some(Group::Examples)
                .into_iter()
                .collect(),
        }
    }

    /// Returns what is to be kept.
    pub fn kept(&self) -> KeptList {
        KeptList {
            sort: self.sort.word().to_owned(),
            descending: Some(self.direction == Direction::Falling),
            group: self.group.word().to_owned(),
            examples_folded: self.folded.contains(&Group::Examples),
        }
    }

    /// Arranges sessions: groups in the order of their first session, those that could not be read
    /// and the examples last.
    pub fn arrange(&self, entries: &[Entry]) -> Vec<Shown> {
        let mut sieve = Sieve::new(&self.filter);
        let mut order: Vec<(usize, &Entry)> = entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| sieve.passes(&entry.hay))
            .collect();
        order.sort_by(|(_, one), (_, other)| self.compare(one, other));
        let mut groups: Vec<(Group, Vec<usize>)> = Vec::new();
        let mut known: BTreeMap<Group, usize> = BTreeMap::new();
        for (at, entry) in order {
            let group = self.group_of(entry);
            match known.get(&group).and_then(|place| groups.get_mut(*place)) {
                Some((_, members)) => members.push(at),
                None => {
                    known.insert(group.clone(), groups.len());
                    groups.push((group, vec![at]));
                }
            }
        }
        groups.sort_by_key(|(group, _)| match group {
            Group::All | Group::Run(_) | Group::Topic(_) => 0,
            Group::NoRun => 1,
            Group::Unread => 2,
            Group::Examples => 3,
        });
        let mut lines = Vec::with_capacity(entries.len() + groups.len());
        for (group, members) in groups {
            let folded = group != Group::All && self.is_folded(&group);
            if group != Group::All {
                lines.push(Shown::Heading {
                    group,
                    count: members.len(),
                    folded,
                });
            }
            if !folded {
                lines.extend(members.into_iter().map(Shown::Session));
            }
        }
        lines
    }

    /// What a filter finds is never hidden in a fold.
    fn is_folded(&self, group: &Group) -> bool {
        self.filter.trim().is_empty() && self.folded.contains(group)
    }

    fn group_of(&self, entry: &Entry) -> Group {
        if entry.origin == Origin::Example {
            return Group::Examples;
        }
        match (&entry.found, self.group) {
            (_, GroupBy::Nothing) => Group::All,
            (Err(_), GroupBy::Run | GroupBy::Topic) => Group::Unread,
            (Ok(glance), GroupBy::Run) => match &glance.summary.run {
                Some(run) => Group::Run(run.clone()),
                None => Group::NoRun,
            },
            (Ok(glance), GroupBy::Topic) => Group::Topic(glance.summary.topic.clone()),
        }
    }

    fn compare(&self, one: &Entry, other: &Entry) -> Ordering {
        let newest = Reverse(&one.id).cmp(&Reverse(&other.id));
        match (&one.found, &other.found) {
            // What could not be read has no place in any column.
            (Err(_), Err(_)) => newest,
            (Err(_), Ok(_)) => Ordering::Greater,
            (Ok(_), Err(_)) => Ordering::Less,
            (Ok(a), Ok(b)) => {
                let order = by_column(self.sort, (one, a), (other, b));
                let order = match self.direction {
                    Direction::Rising => order,
                    Direction::Falling => order.reverse(),
                };
                order.then(newest)
            }
        }
    }
}

/// A text's letters as they are sorted.
fn fold(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase)
}

fn by_column(sort: SortBy, one: (&Entry, &Glance), other: (&Entry, &Glance)) -> Ordering {
    let (a, b) = (&one.1.summary, &other.1.summary);
    match sort {
        SortBy::Age => a.last_at.cmp(&b.last_at),
        SortBy::Protocol => a.protocol.cmp(&b.protocol),
        SortBy::Topic => fold(one.0.title()).cmp(fold(other.0.title())),
        SortBy::State => rank(a.state).cmp(&rank(b.state)),
        SortBy::Rounds => a.rounds.cmp(&b.rounds),
        SortBy::Verdicts => unsafe_ones(&a.verdicts).cmp(&unsafe_ones(&b.verdicts)),
        SortBy::Cost => a
            .cost_usd
            .unwrap_or(-1.0)
            .total_cmp(&b.cost_usd.unwrap_or(-1.0)),
    }
}

fn unsafe_ones(verdicts: &str) -> (usize, usize) {
    let count = |letter| verdicts.matches(letter).count();
    (count('u'), count('?'))
}

fn rank(state: SessionStatus) -> u8 {
    match state {
        SessionStatus::Failed => 0,
        SessionStatus::Open => 1,
        SessionStatus::Truncated => 2,
        SessionStatus::Stopped => 3,
        SessionStatus::Complete => 4,
    }
}
