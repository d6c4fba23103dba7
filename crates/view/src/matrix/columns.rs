//! Columns of a matrix: rounds with their seats, arms, or checkpoints.

use super::debate::{CellTurn, MatrixDebate};
use elenchus_game::debate::{SeatId, StageId, TurnId};
use elenchus_metrics::{ArmNames, compare_naturally};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What the columns of a matrix are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatrixLayout {
    /// Rounds, each with its seats: a line is a debate.
    #[default]
    Rounds,
    /// A line is a topic.
    Arms,
    /// A line is a topic.
    Checkpoints,
}

/// Columns under one heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnGroup {
    pub heading: String,
    /// How many columns it has.
    pub columns: usize,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MatrixColumn {
    /// A few letters; the group's heading is part of its name.
    pub heading: String,
    /// Its whole name.
    pub name: String,
}

/// What a turn's column is found by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ColumnKey {
    Turn {
        round: u32,
        /// The earliest place in its round that a turn of this kind has in any debate.
        place: usize,
        seat: SeatId,
        index: u32,
        stage: StageId,
    },
    Named(String),
}

/// Columns with what finds them.
#[derive(Debug)]
pub(super) struct Columns {
    layout: MatrixLayout,
    places: TurnPlaces,
    by_key: BTreeMap<ColumnKey, usize>,
    pub groups: Vec<ColumnGroup>,
    pub columns: Vec<MatrixColumn>,
}

/// A kind of turn with its earliest place in a round.
type TurnPlaces = BTreeMap<(u32, SeatId, u32, StageId), usize>;

impl MatrixLayout {
    /// Returns the layout that shows most of some debates: over checkpoints where there are several, else over arms
    /// where there are several.
    pub fn suited_to(debates: &[MatrixDebate]) -> Self {
        let checkpoints = distinct(debates.iter().filter_map(|one| one.checkpoint.as_deref()));
        let arms = distinct(debates.iter().map(|one| one.arm.as_str()));
        match (checkpoints.len(), arms.len()) {
            (2.., _) => Self::Checkpoints,
            (_, 2..) => Self::Arms,
            (..2, ..2) => Self::Rounds,
        }
    }

    /// Returns the layouts that some debates can be shown in.
    pub fn list_layouts(debates: &[MatrixDebate]) -> Vec<Self> {
        let arms = distinct(debates.iter().map(|one| one.arm.as_str()));
        let has_checkpoints = debates.iter().any(|one| one.checkpoint.is_some());
        let mut layouts = vec![Self::Rounds];
        layouts.extend((arms.len() > 1).then_some(Self::Arms));
        layouts.extend(has_checkpoints.then_some(Self::Checkpoints));
        layouts
    }

    /// Returns what its columns are.
    pub fn label(self) -> &'static str {
        match self {
            Self::Rounds => "rounds",
            Self::Arms => "arms",
            Self::Checkpoints => "checkpoints",
        }
    }
}

impl Columns {
    pub(super) fn from_debates(layout: MatrixLayout, debates: &[&MatrixDebate]) -> Self {
        let places = match layout {
            MatrixLayout::Rounds => find_places(debates),
            MatrixLayout::Arms | MatrixLayout::Checkpoints => TurnPlaces::new(),
        };
        let mut found = Self {
            layout,
            places,
            by_key: BTreeMap::new(),
            groups: Vec::new(),
            columns: Vec::new(),
        };
        let keys = match layout {
            MatrixLayout::Rounds => {
                let turns = debates.iter().flat_map(|debate| {
                    let turns = debate.turns.iter();
                    turns.filter_map(|turn| found.key_of(debate, turn))
                });
                let keys: BTreeSet<ColumnKey> = turns.collect();
                keys.into_iter().collect()
            }
            MatrixLayout::Arms | MatrixLayout::Checkpoints => list_names(layout, debates),
        };
        match layout {
            MatrixLayout::Rounds => found.add_rounds(&keys),
            MatrixLayout::Arms | MatrixLayout::Checkpoints => found.add_named(&keys),
        }
        found.by_key = keys.into_iter().zip(0..).collect();
        found
    }

    /// Returns the column of a debate's turn; `None` where the layout has none for it.
    pub(super) fn column_of(&self, debate: &MatrixDebate, turn: &CellTurn) -> Option<usize> {
        self.by_key.get(&self.key_of(debate, turn)?).copied()
    }

    fn key_of(&self, debate: &MatrixDebate, turn: &CellTurn) -> Option<ColumnKey> {
        if self.layout != MatrixLayout::Rounds {
            return name_of(self.layout, debate);
        }
        let (round, seat, index, stage) = kind_of(&turn.address.turn);
        let place = *self
            .places
            .get(&(round, seat.clone(), index, stage.clone()))?;
        Some(ColumnKey::Turn {
            round,
            place,
            seat,
            index,
            stage,
        })
    }

    fn add_rounds(&mut self, keys: &[ColumnKey]) {
        let turns = || {
            keys.iter().filter_map(|key| match key {
                ColumnKey::Turn {
                    round,
                    seat,
                    index,
                    stage,
                    ..
                } => Some((*round, seat, *index, stage)),
                ColumnKey::Named(_) => None,
            })
        };
        let seats = distinct(turns().map(|(_, seat, ..)| seat.as_str()));
        for (round, seat, index, stage) in turns() {
            let heading = format!("r{round}");
            match self.groups.last_mut() {
                Some(group) if group.heading == heading => group.columns += 1,
                Some(_) | None => self.groups.push(ColumnGroup {
                    heading,
                    columns: 1,
                }),
            }
            let number = index.saturating_add(1);
            let has_stages = turns().any(|other| {
                (other.0, other.1, other.2) == (round, seat, index) && other.3 != stage
            });
            let stage = match has_stages {
                true => format!(", {stage}"),
                false => String::new(),
            };
            self.columns.push(MatrixColumn {
                heading: match seats.len() {
                    1 => number.to_string(),
                    _ => format!("{}{number}", shorten_seat(seat.as_str(), &seats)),
                },
                name: format!("{seat} {number}, round {round}{stage}"),
            });
        }
    }

    fn add_named(&mut self, keys: &[ColumnKey]) {
        let names: Vec<&str> = keys
            .iter()
            .filter_map(|key| match key {
                ColumnKey::Named(name) => Some(name.as_str()),
                ColumnKey::Turn { .. } => None,
            })
            .collect();
        let short = match self.layout {
            MatrixLayout::Arms => ArmNames::from_arms(names.iter().copied()),
            MatrixLayout::Rounds | MatrixLayout::Checkpoints => ArmNames::default(),
        };
        self.columns = names
            .iter()
            .map(|name| MatrixColumn {
                heading: short.name_of(name).to_owned(),
                name: (*name).to_owned(),
            })
            .collect();
        self.groups = vec![ColumnGroup {
            heading: self.layout.label().to_owned(),
            columns: self.columns.len(),
        }];
    }
}

/// Returns the columns of arms in the order in which they were played, and of checkpoints by their numbers. An arm of
/// which nothing was judged is there all the same.
fn list_names(layout: MatrixLayout, debates: &[&MatrixDebate]) -> Vec<ColumnKey> {
    let mut known = BTreeSet::new();
    let names = debates.iter().filter_map(|debate| name_of(layout, debate));
    let mut names: Vec<ColumnKey> = names.filter(|name| known.insert(name.clone())).collect();
    if layout == MatrixLayout::Checkpoints {
        names.sort_by(|left, right| match (left, right) {
            (ColumnKey::Named(left), ColumnKey::Named(right)) => compare_naturally(left, right),
            (left, right) => left.cmp(right),
        });
    }
    names
}

fn name_of(layout: MatrixLayout, debate: &MatrixDebate) -> Option<ColumnKey> {
    match layout {
        MatrixLayout::Rounds => None,
        MatrixLayout::Arms => Some(ColumnKey::Named(debate.arm.clone())),
        MatrixLayout::Checkpoints => debate.checkpoint.clone().map(ColumnKey::Named),
    }
}

fn kind_of(turn: &TurnId) -> (u32, SeatId, u32, StageId) {
    (
        turn.round,
        turn.chair.seat.clone(),
        turn.chair.index,
        turn.stage.clone(),
    )
}

/// Finds for each kind of turn its earliest place in a round: debates of one game have the same, and those of
/// several games are put together as well as that goes.
fn find_places(debates: &[&MatrixDebate]) -> TurnPlaces {
    let mut places = TurnPlaces::new();
    for debate in debates {
        let mut before = BTreeMap::<u32, usize>::new();
        for turn in &debate.turns {
            let here = before.entry(turn.address.turn.round).or_default();
            let place = places
                .entry(kind_of(&turn.address.turn))
                .or_insert(usize::MAX);
            *place = (*place).min(*here);
            *here += 1;
        }
    }
    places
}

/// Returns the letters that tell a seat's name from the others'.
fn shorten_seat(seat: &str, seats: &BTreeSet<&str>) -> String {
    let whole = seat.chars().count();
    let mut lengths = 1..whole;
    let length = lengths.find(|length| {
        let beginning: String = seat.chars().take(*length).collect();
        seats
            .iter()
            .filter(|one| one.starts_with(&beginning))
            .count()
            == 1
    });
    seat.chars().take(length.unwrap_or(whole)).collect()
}

fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    texts.collect()
}
