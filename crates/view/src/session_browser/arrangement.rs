//! Order and groups of the session list. Pure.

use super::families::arrange_families;
use super::known_sessions::{SessionEntry, SessionOrigin};
use super::query::{Fit, SessionQuery};
use elenchus_game::debate::{RunId, SessionId};
use elenchus_records::workspace::{SessionOverview, SessionStatus};
use elenchus_text::Content;
use serde::{Deserialize, Serialize};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

/// Sort key of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::VariantArray)]
pub enum SortBy {
    /// Time of the last event.
    #[default]
    Age,
    Protocol,
    Topic,
    State,
    Rounds,
    Verdicts,
    Cost,
}

/// Direction of the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Rising,
    Falling,
}

/// Grouping of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum GroupBy {
    #[default]
    Nothing,
    Run,
    Topic,
}

/// A group of sessions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SessionGroup {
    /// Has no heading.
    All,
    Run(RunId),
    NoRun,
    Topic(String),
    Unread,
    Examples,
}

/// Arrangement of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListArrangement {
    pub sort: SortBy,
    pub direction: Direction,
    pub group: GroupBy,
    pub filter: String,
    pub folded: BTreeSet<SessionGroup>,
    /// Sessions whose forks are folded away.
    pub folded_forks: BTreeSet<SessionId>,
}

/// Arrangement of the list of sessions as it is kept between starts. Unknown words fall back to the default.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ListState {
    /// The column that it is sorted by.
    pub sort: String,
    /// Left out, the column's usual direction.
    pub descending: Option<bool>,
    pub group: String,
    pub examples_folded: bool,
}

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListLine {
    Heading {
        group: SessionGroup,
        count: usize,
        folded: bool,
    },
    Session(SessionLine),
}

/// Line of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionLine {
    /// Place among all that were read.
    pub at: usize,
    /// Forks between it and the first session of its family that is listed.
    pub depth: usize,
    /// Forks that are folded away below it.
    pub folded: usize,
}

/// The lines of the list.
#[derive(Debug, Clone, Default)]
pub struct ArrangedList {
    pub lines: Vec<ListLine>,
    /// Replicates that are out of sight.
    pub replicates: usize,
}

impl SortBy {
    const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns its word, its usual direction, and what is first where it rises and where it falls.
    fn sort_facts(self) -> (&'static str, Direction, [&'static str; 2]) {
        use Direction::{Falling, Rising};
        match self {
            SortBy::Age => ("age", Falling, ["oldest first", "newest first"]),
            SortBy::Protocol => {
                let first = ["by protocol", "by protocol, descending"];
                ("protocol", Rising, first)
            }
            SortBy::Topic => ("topic", Rising, ["by topic", "by topic, descending"]),
            SortBy::State => ("state", Rising, ["unfinished first", "finished first"]),
            SortBy::Rounds => {
                let first = ["fewest rounds first", "most rounds first"];
                ("rounds", Falling, first)
            }
            SortBy::Verdicts => {
                let first = ["fewest unsafe first", "most unsafe first"];
                ("verdicts", Falling, first)
            }
            SortBy::Cost => {
                let first = ["by cost, ascending", "by cost, descending"];
                ("cost", Falling, first)
            }
        }
    }

    /// Returns the word that is kept and shown.
    pub fn word(self) -> &'static str {
        self.sort_facts().0
    }

    /// Returns the default direction: the most relevant end first.
    pub fn usual_direction(self) -> Direction {
        self.sort_facts().1
    }

    /// Describes the order.
    pub fn first(self, direction: Direction) -> &'static str {
        let [rising, falling] = self.sort_facts().2;
        match direction {
            Direction::Rising => rising,
            Direction::Falling => falling,
        }
    }

    /// Returns the next column.
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|one| *one == self).unwrap_or(0);
        Self::ALL.get(at + 1).copied().unwrap_or_default()
    }
}

impl Direction {
    /// The other one.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Direction::Rising => Direction::Falling,
            Direction::Falling => Direction::Rising,
        }
    }
}

impl SessionGroup {
    /// Returns the title of the group.
    pub fn title(&self, content: Content) -> String {
        match self {
            SessionGroup::All => "All sessions".to_owned(),
            SessionGroup::Run(run) => format!("run {run}"),
            SessionGroup::NoRun => "not in a run".to_owned(),
            SessionGroup::Topic(topic) => {
                content.show_or_mask(topic.lines().next().unwrap_or_default())
            }
            SessionGroup::Unread => "could not be read".to_owned(),
            SessionGroup::Examples => "Recorded examples, written by people:".to_owned(),
        }
    }
}

impl GroupBy {
    /// Returns the word that is kept and shown.
    pub fn word(self) -> &'static str {
        self.into()
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

impl ListArrangement {
    /// Reads what was kept.
    pub fn from_state(kept: &ListState) -> Self {
        let sort = SortBy::ALL
            .iter()
            .copied()
            .find(|one| one.word() == kept.sort)
            .unwrap_or_default();
        Self {
            sort,
            direction: match kept.descending {
                Some(true) => Direction::Falling,
                Some(false) => Direction::Rising,
                None => sort.usual_direction(),
            },
            group: kept.group.parse().unwrap_or_default(),
            filter: String::new(),
            folded: kept
                .examples_folded
                .then_some(SessionGroup::Examples)
                .into_iter()
                .collect(),
            folded_forks: BTreeSet::new(),
        }
    }

    /// Returns what is to be kept.
    pub fn to_state(&self) -> ListState {
        ListState {
            sort: self.sort.word().to_owned(),
            descending: Some(self.direction == Direction::Falling),
            group: self.group.word().to_owned(),
            examples_folded: self.folded.contains(&SessionGroup::Examples),
        }
    }

    /// Arranges sessions: groups in the order of their first session, those that could not be read
    /// and the examples last.
    pub fn arrange(&self, entries: &[SessionEntry], now: &str) -> ArrangedList {
        let mut query = SessionQuery::new(&self.filter, now);
        let fitting = entries.iter().enumerate();
        let mut order: Vec<(Fit, usize, &SessionEntry)> = fitting
            .filter_map(|(at, entry)| Some((query.find_fit(entry)?, at, entry)))
            .collect();
        let fitting = order.len();
        if !query.shows_replicates() {
            order.retain(|(_, _, entry)| !entry.is_replicate());
        }
        let replicates = fitting - order.len();
        order.sort_by(|(fit, _, one), (other_fit, _, other)| {
            fit.cmp(other_fit)
                .then_with(|| self.compare_entries(one, other))
        });
        let mut groups: Vec<(SessionGroup, Vec<usize>)> = Vec::new();
        let mut group_places: BTreeMap<SessionGroup, usize> = BTreeMap::new();
        for (_, at, entry) in order {
            let group = self.group_of(entry);
            match group_places
                .get(&group)
                .and_then(|place| groups.get_mut(*place))
            {
                Some((_, members)) => members.push(at),
                None => {
                    group_places.insert(group.clone(), groups.len());
                    groups.push((group, vec![at]));
                }
            }
        }
        groups.sort_by_key(|(group, _)| match group {
            SessionGroup::All | SessionGroup::Run(_) | SessionGroup::Topic(_) => 0,
            SessionGroup::NoRun => 1,
            SessionGroup::Unread => 2,
            SessionGroup::Examples => 3,
        });
        let mut lines = Vec::new();
        for (group, members) in groups {
            let is_folded = group != SessionGroup::All && self.is_folded(&group);
            if group != SessionGroup::All {
                lines.push(ListLine::Heading {
                    group,
                    count: members.len(),
                    folded: is_folded,
                });
            }
            if !is_folded {
                let members = self.group_into_families(entries, &members);
                lines.extend(members.into_iter().map(ListLine::Session));
            }
        }
        ArrangedList { lines, replicates }
    }

    /// Puts forks under their parents where the list is sorted by time: a family stands where its first
    /// member stands. By any other column each session has its own place.
    fn group_into_families(&self, entries: &[SessionEntry], members: &[usize]) -> Vec<SessionLine> {
        let is_fork = |at: &usize| entries.get(*at).is_some_and(|one| one.parent().is_some());
        if self.sort == SortBy::Age && members.iter().any(is_fork) {
            return arrange_families(entries, members, |id| {
                self.filter.trim().is_empty() && self.folded_forks.contains(id)
            });
        }
        let alone = |at: &usize| SessionLine {
            at: *at,
            depth: 0,
            folded: 0,
        };
        members.iter().map(alone).collect()
    }

    /// Matches of a filter are never hidden in a fold.
    fn is_folded(&self, group: &SessionGroup) -> bool {
        self.filter.trim().is_empty() && self.folded.contains(group)
    }

    fn group_of(&self, entry: &SessionEntry) -> SessionGroup {
        if entry.origin == SessionOrigin::Example {
            return SessionGroup::Examples;
        }
        match (&entry.found, self.group) {
            (_, GroupBy::Nothing) => SessionGroup::All,
            (Err(_), GroupBy::Run | GroupBy::Topic) => SessionGroup::Unread,
            (Ok(glance), GroupBy::Run) => match &glance.summary.run {
                Some(run) => SessionGroup::Run(run.clone()),
                None => SessionGroup::NoRun,
            },
            (Ok(glance), GroupBy::Topic) => SessionGroup::Topic(glance.summary.topic.clone()),
        }
    }

    fn compare_entries(&self, one: &SessionEntry, other: &SessionEntry) -> Ordering {
        let newest = Reverse(&one.id).cmp(&Reverse(&other.id));
        match (&one.found, &other.found) {
            // What could not be read has no place in any column.
            (Err(_), Err(_)) => newest,
            (Err(_), Ok(_)) => Ordering::Greater,
            (Ok(_), Err(_)) => Ordering::Less,
            (Ok(a), Ok(b)) => {
                let order = compare_by_column(self.sort, (one, a), (other, b));
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
fn fold_case(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase)
}

fn compare_by_column(
    sort: SortBy,
    one: (&SessionEntry, &SessionOverview),
    other: (&SessionEntry, &SessionOverview),
) -> Ordering {
    let (a, b) = (&one.1.summary, &other.1.summary);
    match sort {
        SortBy::Age => one.1.ordered_at().cmp(other.1.ordered_at()),
        SortBy::Protocol => a.protocol.cmp(&b.protocol),
        SortBy::Topic => fold_case(one.0.title()).cmp(fold_case(other.0.title())),
        SortBy::State => status_rank(a.state).cmp(&status_rank(b.state)),
        SortBy::Rounds => a.rounds.cmp(&b.rounds),
        SortBy::Verdicts => count_unsafe(&a.verdicts).cmp(&count_unsafe(&b.verdicts)),
        SortBy::Cost => a
            .cost_usd
            .unwrap_or(-1.0)
            .total_cmp(&b.cost_usd.unwrap_or(-1.0)),
    }
}

fn count_unsafe(verdicts: &str) -> (usize, usize) {
    let count = |letter| verdicts.matches(letter).count();
    (count('u'), count('?'))
}

fn status_rank(state: SessionStatus) -> u8 {
    match state {
        SessionStatus::Failed => 0,
        SessionStatus::Open => 1,
        SessionStatus::Truncated => 2,
        SessionStatus::Complete | SessionStatus::Stopped => 3,
    }
}
