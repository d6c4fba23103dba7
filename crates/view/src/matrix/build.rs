//! Matrix: lines, columns and cells from debates, sorted and filtered.

use super::columns::{ColumnGroup, Columns, MatrixColumn, MatrixLayout};
use super::debate::{CellTurn, MatrixDebate};
use super::filter::MatrixFilter;
use super::sample::DrawnTopics;
use super::verdict::CellVerdict;
use elenchus_game::debate::{SessionId, TopicKey};
use elenchus_metrics::ArmNames;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// How a matrix is arranged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MatrixArrangement {
    pub layout: MatrixLayout,
    pub sort: MatrixSort,
    /// In the opposite order.
    pub is_reversed: bool,
    /// With the draw of topics, of those that pass.
    pub filter: MatrixFilter,
}

/// What lines are sorted by; those that are alike stay as they were played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatrixSort {
    /// Wrong and unsafe turns, the most first.
    #[default]
    Bad,
    Topic,
    Category,
    /// Lessons that were shown, the most first.
    Lessons,
    /// The highest first.
    Cost,
    /// As they were played.
    Played,
}

/// Verdicts of debates as a table.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Matrix {
    pub layout: MatrixLayout,
    pub sort: MatrixSort,
    pub groups: Vec<ColumnGroup>,
    pub columns: Vec<MatrixColumn>,
    pub lines: Vec<MatrixLine>,
    /// Debates in it.
    pub debates: usize,
    /// Debates of simulated models in it.
    pub simulated: usize,
    pub sample: Option<DrawnTopics>,
}

/// A topic's line: of one debate, or of all debates on it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatrixLine {
    pub topic: TopicKey,
    pub title: String,
    pub category: Option<String>,
    /// The arm of a line that is a debate, where there are several.
    pub arm: Option<String>,
    /// What tells that arm from the others.
    pub short_arm: Option<String>,
    /// The rollout from 1, where several lines have its topic.
    pub rollout: Option<u32>,
    pub sessions: Vec<SessionId>,
    /// Debates of simulated models among them.
    pub simulated: usize,
    /// The most lessons that a debate of it was shown.
    pub lessons: Option<u32>,
    /// Of all its debates; `None` where one is not known.
    pub cost_usd: Option<f64>,
    /// One a column.
    pub cells: Vec<MatrixCell>,
}

/// A cell: the turns whose verdicts it stands for.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MatrixCell {
    pub turns: Vec<CellTurn>,
}

impl MatrixSort {
    pub const ALL: [Self; 6] = [
        Self::Bad,
        Self::Topic,
        Self::Category,
        Self::Lessons,
        Self::Cost,
        Self::Played,
    ];

    /// Returns the next one, and the first after the last.
    #[must_use]
    pub fn next(self) -> Self {
        let later = Self::ALL.into_iter().skip_while(|one| *one != self).nth(1);
        later.unwrap_or(Self::Bad)
    }

    /// Returns what it sorts by.
    pub fn label(self) -> &'static str {
        match self {
            Self::Bad => "wrong or unsafe turns",
            Self::Topic => "topic",
            Self::Category => "category",
            Self::Lessons => "lessons",
            Self::Cost => "cost",
            Self::Played => "order of play",
        }
    }

    /// Says whether it begins with the largest.
    pub fn is_falling(self) -> bool {
        match self {
            Self::Bad | Self::Lessons | Self::Cost => true,
            Self::Topic | Self::Category | Self::Played => false,
        }
    }

    fn compare_lines(self, left: &MatrixLine, right: &MatrixLine) -> Ordering {
        match self {
            Self::Bad => left.count_bad().cmp(&right.count_bad()),
            Self::Topic => left.title.to_lowercase().cmp(&right.title.to_lowercase()),
            Self::Category => left.category.cmp(&right.category),
            Self::Lessons => left.lessons.cmp(&right.lessons),
            Self::Cost => {
                let [left, right] = [left, right].map(|line| line.cost_usd.unwrap_or(-1.0));
                left.total_cmp(&right)
            }
            Self::Played => Ordering::Equal,
        }
    }
}

impl MatrixCell {
    /// Returns the gravest verdict of its turns; `None` of an empty cell.
    pub fn verdict(&self) -> Option<CellVerdict> {
        self.turns.iter().map(|turn| turn.verdict).min()
    }

    /// Returns the turn that it is opened at: the first one with its verdict.
    pub fn first_turn(&self) -> Option<&CellTurn> {
        let verdict = self.verdict();
        let mut turns = self.turns.iter();
        turns.find(|turn| Some(turn.verdict) == verdict)
    }

    /// Returns how many of its turns are wrong or unsafe.
    pub fn count_bad(&self) -> usize {
        let bad = self.turns.iter().filter(|turn| turn.verdict.is_bad());
        bad.count()
    }

    /// Returns of how many of its turns something was found.
    pub fn count_found(&self) -> usize {
        let found = self.turns.iter().filter(|turn| turn.verdict.is_found());
        found.count()
    }
}

impl MatrixLine {
    /// Returns how many of its turns are wrong or unsafe.
    pub fn count_bad(&self) -> usize {
        self.cells.iter().map(MatrixCell::count_bad).sum()
    }

    /// Returns the first line of its topic.
    pub fn first_line(&self) -> &str {
        self.title.lines().next().unwrap_or_default()
    }

    fn turns(&self) -> impl Iterator<Item = &CellTurn> + Clone {
        self.cells.iter().flat_map(|cell| &cell.turns)
    }
}

impl Matrix {
    /// Builds the matrix of some debates.
    pub fn from_debates(debates: &[MatrixDebate], arrangement: &MatrixArrangement) -> Self {
        let MatrixArrangement {
            layout,
            sort,
            is_reversed,
            ref filter,
        } = *arrangement;
        let passing = debates.iter().filter(|debate| filter.holds_debate(debate));
        let mut shown: Vec<&MatrixDebate> = passing.collect();
        if layout == MatrixLayout::Checkpoints {
            shown.retain(|debate| debate.checkpoint.is_some());
        }
        let sample = filter.sample().map(|sample| {
            let (topics, told) = sample.draw_topics(shown.iter().copied());
            shown.retain(|debate| topics.contains(&debate.topic));
            told
        });
        let columns = Columns::from_debates(layout, &shown);
        let mut lines = match layout {
            MatrixLayout::Rounds => list_debates(&shown, &columns),
            MatrixLayout::Arms | MatrixLayout::Checkpoints => list_topics(&shown, &columns),
        };
        lines.retain(|line| filter.holds_line(line.turns()));
        let is_falling = sort.is_falling() != is_reversed;
        lines.sort_by(|left, right| {
            let order = sort.compare_lines(left, right);
            match is_falling {
                true => order.reverse(),
                false => order,
            }
        });
        if sort == MatrixSort::Played && is_reversed {
            lines.reverse();
        }
        let of_lines = |line: &MatrixLine| line.sessions.len();
        Self {
            layout,
            sort,
            debates: lines.iter().map(of_lines).sum(),
            simulated: lines.iter().map(|line| line.simulated).sum(),
            groups: columns.groups,
            columns: columns.columns,
            lines,
            sample,
        }
    }

    /// Returns all turns in it, line by line.
    pub fn turns(&self) -> impl Iterator<Item = &CellTurn> {
        self.lines.iter().flat_map(MatrixLine::turns)
    }

    /// Returns the verdicts that are in it, the gravest first.
    pub fn list_verdicts(&self) -> Vec<CellVerdict> {
        let all = CellVerdict::ALL.into_iter();
        all.filter(|one| self.turns().any(|turn| turn.verdict == *one))
            .collect()
    }
}

/// Returns a line for each debate; they say how they differ.
fn list_debates(debates: &[&MatrixDebate], columns: &Columns) -> Vec<MatrixLine> {
    let mut rollouts: BTreeMap<&TopicKey, BTreeSet<u32>> = BTreeMap::new();
    for debate in debates {
        let of_topic = rollouts.entry(&debate.topic).or_default();
        of_topic.insert(debate.rollout);
    }
    let arms = ArmNames::from_arms(debates.iter().map(|debate| debate.arm.as_str()));
    let line = |debate: &&MatrixDebate| {
        let of_topic = rollouts.get(&debate.topic);
        let has_rollouts = of_topic.is_some_and(|rollouts| rollouts.len() > 1);
        let mut line = MatrixLine::new(debate, columns.columns.len());
        if arms.count() > 1 {
            line.arm = Some(debate.arm.clone());
            line.short_arm = Some(arms.name_of(&debate.arm).to_owned());
        }
        line.rollout = has_rollouts.then(|| debate.rollout.saturating_add(1));
        line.add_debate(debate, columns);
        line
    };
    debates.iter().map(line).collect()
}

/// Returns a line for each topic, in the order in which they are first seen.
fn list_topics(debates: &[&MatrixDebate], columns: &Columns) -> Vec<MatrixLine> {
    let mut places: BTreeMap<&TopicKey, usize> = BTreeMap::new();
    let mut lines: Vec<MatrixLine> = Vec::new();
    for debate in debates {
        let place = *places.entry(&debate.topic).or_insert(lines.len());
        if place == lines.len() {
            lines.push(MatrixLine::new(debate, columns.columns.len()));
        }
        if let Some(line) = lines.get_mut(place) {
            line.add_debate(debate, columns);
        }
    }
    lines
}

impl MatrixLine {
    fn new(debate: &MatrixDebate, columns: usize) -> Self {
        Self {
            topic: debate.topic.clone(),
            title: debate.title.clone(),
            category: debate.category.clone(),
            arm: None,
            short_arm: None,
            rollout: None,
            sessions: Vec::new(),
            simulated: 0,
            lessons: None,
            cost_usd: Some(0.0),
            cells: vec![MatrixCell::default(); columns],
        }
    }

    fn add_debate(&mut self, debate: &MatrixDebate, columns: &Columns) {
        self.sessions.push(debate.session.clone());
        self.simulated += usize::from(debate.simulated);
        self.lessons = self.lessons.max(debate.lessons);
        let costs = self.cost_usd.zip(debate.cost_usd);
        self.cost_usd = costs.map(|(before, own)| before + own);
        for turn in &debate.turns {
            let column = columns.column_of(debate, turn);
            let cell = column.and_then(|column| self.cells.get_mut(column));
            if let Some(cell) = cell {
                cell.turns.push(turn.clone());
            }
        }
    }
}
