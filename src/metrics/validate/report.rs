//! Everything that validation says, in sections that are never pooled.

use super::arms::{ArmRate, ArmTurn, Section, arms, pooled_error};
use super::calibration::{Calibration, Scored, calibration};
use super::differ::{Difference, Divided, differences};
use super::estimate::{
    AGAINST_GOLD, Classed, Estimate, OF_PARTS, Quantity, TwoSided, classed, two_sided,
};
use super::gold::{Basis, Missing, NoGold, gold, weights};
use super::matrix::{Matrix, NEITHER, NO_VERDICT, TurnPlace, UNPARSED};
use super::people::{People, people};
use super::rows::{Asked, Judged, LabelClasses, Part, Side, ValidateRow};
use crate::metrics::evaluator::EvaluatorError;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Why evaluators cannot be held against gold.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ValidateError {
    #[error("the set '{set}' has no label '{positive}' that decides; it has {has}")]
    NoSuchClass {
        set: String,
        positive: String,
        has: String,
    },
}

/// What is known about evaluators and annotators.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    pub classes: LabelClasses,
    /// Real sections before simulated ones, ordinary topics before those that need a comparison of
    /// hashes.
    pub sections: Vec<ValidationSection>,
}

/// Turns that are pooled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValidationSection {
    pub simulated: bool,
    pub hash_check: bool,
    pub turns: usize,
    pub topics: usize,
    /// Turns with gold, those of the sample alone.
    pub labelled: usize,
    pub basis: Basis,
    /// What was left out, by reason.
    pub left_out: BTreeMap<NoGold, usize>,
    pub evaluators: Vec<EvaluatorReport>,
    pub people: People,
}

/// One evaluator against gold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluatorReport {
    pub evaluator: String,
    /// What *positive* and *negative* are called.
    pub positive: String,
    pub negative: String,
    pub matrix: Matrix,
    /// Two-by-two figures; unparsed, undecided and missing are in the matrix alone.
    pub estimates: Vec<Estimate>,
    /// Of all classes, where the evaluator uses more than two of the set's.
    pub all_classes: Vec<Estimate>,
    pub parts: Vec<PartReport>,
    pub calibration: Option<Calibration>,
    /// Sensitivity and specificity over all labels, or why they cannot be told.
    pub error: Result<EvaluatorError, String>,
    pub differences: Vec<Difference>,
    pub arms: Vec<ArmRate>,
}

/// The figures of one category, seat or round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartReport {
    pub by: Part,
    pub value: String,
    pub estimates: Vec<Estimate>,
}

const BY_VERDICT: &str = "the labelled turns were chosen by what evaluators said, so what they missed \
    together is not among them: draw a sample from all turns";

/// A row with its gold class.
struct Item<'a> {
    row: &'a ValidateRow,
    /// The place in the set, and the weight, of a turn of the sample.
    gold: Option<(usize, f64)>,
}

/// Holds every evaluator against gold, and people against each other.
///
/// # Errors
/// When the positive class is none of the set's.
pub fn validate(rows: &[ValidateRow], asked: &Asked) -> Result<Validation, ValidateError> {
    let classes = match &asked.positive {
        None => asked.classes.clone(),
        Some(positive) if asked.classes.decided().contains(&positive.as_str()) => {
            asked.classes.with_positive(positive)
        }
        Some(positive) => {
            return Err(ValidateError::NoSuchClass {
                set: asked.classes.set.clone(),
                positive: positive.clone(),
                has: asked.classes.decided().join(", "),
            });
        }
    };
    let mut apart: BTreeMap<(bool, bool), Vec<&ValidateRow>> = BTreeMap::new();
    for row in rows {
        let rows = apart.entry((row.simulated, row.hash_check)).or_default();
        rows.push(row);
    }
    let sections = apart
        .into_iter()
        .map(|((simulated, hash_check), rows)| {
            section(simulated, hash_check, &rows, asked, &classes)
        })
        .collect();
    Ok(Validation { classes, sections })
}

fn section(
    simulated: bool,
    hash_check: bool,
    rows: &[&ValidateRow],
    asked: &Asked,
    classes: &LabelClasses,
) -> ValidationSection {
    let mut left_out = Missing::new();
    let found: Vec<_> = rows.iter().map(|row| gold(row, asked)).collect();
    let (basis, weights) = weights(rows, &found, asked);
    let mut leave = |why: NoGold| *left_out.entry(why).or_default() += 1;
    let items: Vec<Item<'_>> = rows
        .iter()
        .zip(found.iter().zip(&weights))
        .map(|(row, (found, weight))| {
            let gold = match (found, weight) {
                (Some(Ok(class)), Some(weight)) => Some((*class, *weight)),
                (Some(Ok(_)), None) => {
                    leave(NoGold::NotDrawn);
                    None
                }
                (Some(Err(why)), _) => {
                    leave(*why);
                    None
                }
                (None, _) => None,
            };
            Item { row, gold }
        })
        .collect();
    let people = people(rows, asked, classes, &mut left_out);
    let topics: BTreeSet<&str> = rows.iter().map(|row| row.topic.as_str()).collect();
    let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.found.keys()).collect();
    ValidationSection {
        simulated,
        hash_check,
        turns: rows.len(),
        topics: topics.len(),
        labelled: items.iter().filter(|item| item.gold.is_some()).count(),
        evaluators: names
            .into_iter()
            .map(|name| evaluator(name, &items, &basis, asked, classes))
            .collect(),
        basis,
        left_out,
        people,
    }
}

/// In which words an evaluator is held against gold.
enum Tongue {
    /// It uses the set's own labels.
    Classes,
    /// Its sides are the set's.
    Sides,
    /// Its sides are the set's, the other way round.
    Switched,
    /// It does not tell the positive class from the others.
    Neither,
}

impl Tongue {
    fn of(items: &[Item<'_>], name: &str, asked: &Asked, classes: &LabelClasses) -> Self {
        let decided = classes.decided();
        let mut labels = items
            .iter()
            .filter_map(|item| match item.row.found.get(name)? {
                Judged::Found { label, .. } => Some(label.as_str()),
                Judged::Unparsed | Judged::Missing | Judged::Guardrail => None,
            });
        if labels.all(|label| decided.contains(&label)) {
            return Self::Classes;
        }
        let same = |turned: bool| {
            decided.iter().all(|label| {
                let own = asked.classes.side(label) == Some(Side::Positive);
                (own != turned) == (classes.side(label) == Some(Side::Positive))
            })
        };
        match (same(false), same(true)) {
            (true, _) => Self::Sides,
            (false, true) => Self::Switched,
            (false, false) => Self::Neither,
        }
    }

    /// The side of a finding.
    fn side(&self, label: &str, side: Option<Side>, classes: &LabelClasses) -> Option<Side> {
        match self {
            Self::Classes => classes.side(label),
            Self::Sides => side,
            Self::Switched => side.map(|side| Side::of(side == Side::Negative)),
            Self::Neither => None,
        }
    }
}

fn evaluator(
    name: &str,
    items: &[Item<'_>],
    basis: &Basis,
    asked: &Asked,
    classes: &LabelClasses,
) -> EvaluatorReport {
    let tongue = Tongue::of(items, name, asked, classes);
    let side_of = |judged: &Judged| match judged {
        Judged::Found { label, side, .. } => tongue.side(label, *side, classes),
        Judged::Unparsed | Judged::Missing | Judged::Guardrail => None,
    };
    let both: Vec<(&Item<'_>, TwoSided<'_>)> = items
        .iter()
        .filter_map(|item| {
            let (class, weight) = item.gold?;
            let (label, _) = classes.labels.get(class)?;
            let turn = TwoSided {
                topic: &item.row.topic,
                gold: classes.side(label)? == Side::Positive,
                found: side_of(item.row.found.get(name)?)? == Side::Positive,
                weight,
            };
            Some((item, turn))
        })
        .collect();
    let turns: Vec<TwoSided<'_>> = both.iter().map(|(_, turn)| *turn).collect();
    let unfit = match tongue {
        Tongue::Classes | Tongue::Sides | Tongue::Switched => None,
        Tongue::Neither => Some(format!(
            "'{name}' does not tell '{}' from the other labels",
            classes.side_name(Side::Positive)
        )),
    };
    let refused = unfit.as_deref().or(match basis {
        Basis::ByVerdict { .. } => Some(BY_VERDICT),
        Basis::Drawn { .. } | Basis::All | Basis::Chosen => None,
    });
    let estimated = |turns: &[TwoSided<'_>], quantities: &[Quantity]| match refused {
        None => two_sided(turns, quantities, asked.resampling),
        Some(why) => quantities
            .iter()
            .map(|quantity| Estimate::refused(*quantity, why))
            .collect(),
    };
    let arm_turns: Vec<ArmTurn<'_>> = items
        .iter()
        .filter_map(|item| arm_turn(item, name, classes, &side_of))
        .collect();
    let mut unread: BTreeMap<&str, usize> = BTreeMap::new();
    for item in items {
        let is_unread = |judged: &&Judged| match judged {
            Judged::Found { .. } | Judged::Unparsed | Judged::Missing => side_of(judged).is_none(),
            Judged::Guardrail => false,
        };
        if item
            .row
            .found
            .get(name)
            .is_some_and(|judged| is_unread(&judged))
        {
            *unread.entry(&item.row.arm).or_default() += 1;
        }
    }
    let section = Section {
        turns: &arm_turns,
        refused: refused.or(match basis {
            Basis::Chosen => Some(
                "people chose which turns to label, so the labels speak for those alone: draw a \
                 sample from all turns",
            ),
            Basis::Drawn { .. } | Basis::All | Basis::ByVerdict { .. } => None,
        }),
        plan: asked.resampling,
    };
    let error = pooled_error(&section);
    let parts = parts(&both, asked);
    EvaluatorReport {
        evaluator: name.to_owned(),
        positive: classes.side_name(Side::Positive),
        negative: classes.side_name(Side::Negative),
        matrix: matrix(name, items, &tongue, classes),
        estimates: estimated(&turns, &AGAINST_GOLD),
        all_classes: match (&tongue, refused) {
            (Tongue::Classes, None) => all_classes(name, items, asked, classes),
            _ => Vec::new(),
        },
        parts: parts
            .into_iter()
            .map(|((by, value), turns)| PartReport {
                by,
                value,
                estimates: estimated(&turns, &OF_PARTS),
            })
            .collect(),
        calibration: calibration(&scored(name, &both, &tongue), asked.resampling)
            .filter(|_| refused.is_none()),
        differences: match refused {
            None => differences(&divided(&both)),
            Some(_) => Vec::new(),
        },
        arms: arms(&section, &unread, &error),
        error,
    }
}

fn arm_turn<'a>(
    item: &Item<'a>,
    name: &str,
    classes: &LabelClasses,
    side_of: &impl Fn(&Judged) -> Option<Side>,
) -> Option<ArmTurn<'a>> {
    let judged = item.row.found.get(name)?;
    let verdict = match judged {
        Judged::Guardrail => Side::Negative,
        Judged::Found { .. } | Judged::Unparsed | Judged::Missing => side_of(judged)?,
    };
    let gold = item.gold.and_then(|(class, weight)| {
        let (label, _) = classes.labels.get(class)?;
        Some((classes.side(label)? == Side::Positive, weight))
    });
    Some(ArmTurn {
        arm: &item.row.arm,
        topic: &item.row.topic,
        verdict: verdict == Side::Positive,
        gold,
        judged: *judged != Judged::Guardrail,
    })
}

type InPart<'a> = BTreeMap<(Part, String), Vec<TwoSided<'a>>>;

fn parts<'a>(both: &[(&Item<'a>, TwoSided<'a>)], asked: &Asked) -> InPart<'a> {
    let mut parts: InPart<'a> = BTreeMap::new();
    for part in &asked.by {
        for (item, turn) in both {
            let turns = parts.entry((*part, part.of(item.row))).or_default();
            turns.push(*turn);
        }
    }
    parts
}

fn divided<'a>(both: &[(&Item<'a>, TwoSided<'a>)]) -> Vec<Divided<'a>> {
    let divided = both.iter().map(|(item, turn)| Divided {
        topic: turn.topic,
        gold: turn.gold,
        found: turn.found,
        weight: turn.weight,
        parts: vec![
            ("arm", item.row.arm.clone()),
            (Part::Round.label(), Part::Round.of(item.row)),
            (Part::Category.label(), Part::Category.of(item.row)),
        ],
    });
    divided.collect()
}

fn scored<'a>(name: &str, both: &[(&Item<'a>, TwoSided<'a>)], tongue: &Tongue) -> Vec<Scored<'a>> {
    let scored = both.iter().filter_map(|(item, turn)| {
        let Judged::Found { score, side, .. } = item.row.found.get(name)? else {
            return None;
        };
        let score = score.filter(|score| (0.0..=1.0).contains(score))?;
        // A score is that of the set's own positive side.
        let switched = match tongue {
            Tongue::Classes => *side != Some(Side::of(turn.found)),
            Tongue::Sides => false,
            Tongue::Switched => true,
            Tongue::Neither => return None,
        };
        Some(Scored {
            topic: turn.topic,
            score: if switched { 1.0 - score } else { score },
            gold: turn.gold,
            weight: turn.weight,
        })
    });
    scored.collect()
}

fn all_classes(
    name: &str,
    items: &[Item<'_>],
    asked: &Asked,
    classes: &LabelClasses,
) -> Vec<Estimate> {
    let decided = classes.decided();
    if decided.len() < 3 {
        return Vec::new();
    }
    let place = |label: &str| decided.iter().position(|name| *name == label);
    let turns: Vec<Classed<'_>> = items
        .iter()
        .filter_map(|item| {
            let (class, weight) = item.gold?;
            let Judged::Found { label, .. } = item.row.found.get(name)? else {
                return None;
            };
            Some(Classed {
                topic: &item.row.topic,
                gold: place(&classes.labels.get(class)?.0)?,
                found: place(label)?,
                weight,
            })
        })
        .collect();
    classed(&turns, decided.len(), Quantity::Accuracy, asked.resampling)
}

fn matrix(name: &str, items: &[Item<'_>], tongue: &Tongue, classes: &LabelClasses) -> Matrix {
    let named = |side: Option<Side>| {
        let of_side = classes.labels.iter().filter(move |(_, own)| *own == side);
        of_side.map(|(name, _)| name.clone())
    };
    let sides = [Some(Side::Positive), Some(Side::Negative)];
    let rows: Vec<String> = sides
        .iter()
        .copied()
        .chain([None])
        .flat_map(named)
        .collect();
    let mut columns: Vec<String> = match tongue {
        Tongue::Classes => sides.into_iter().flat_map(named).collect(),
        Tongue::Sides | Tongue::Switched => {
            let sides = [Side::Positive, Side::Negative];
            sides.map(|side| classes.side_name(side)).to_vec()
        }
        Tongue::Neither => Vec::new(),
    };
    let shown: Vec<String> = columns
        .iter()
        .cloned()
        .chain([UNPARSED.to_owned()])
        .collect();
    columns.extend([NEITHER, UNPARSED, NO_VERDICT].map(str::to_owned));
    let mut matrix = Matrix::new(rows, columns);
    for item in items {
        let Some((class, weight)) = item.gold else {
            continue;
        };
        let found = match item.row.found.get(name) {
            None | Some(Judged::Missing | Judged::Guardrail) => NO_VERDICT.to_owned(),
            Some(Judged::Unparsed) => UNPARSED.to_owned(),
            Some(Judged::Found { label, side, .. }) => match tongue {
                Tongue::Classes => label.clone(),
                Tongue::Sides | Tongue::Switched | Tongue::Neither => tongue
                    .side(label, *side, classes)
                    .map_or(NEITHER.to_owned(), |side| classes.side_name(side)),
            },
        };
        let place = TurnPlace {
            session: item.row.session.clone(),
            turn: item.row.turn.clone(),
            topic: item.row.topic.clone(),
        };
        if let Some((gold, _)) = classes.labels.get(class) {
            matrix.add(gold, &found, weight, place);
        }
    }
    let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
    matrix.without_empty_columns(&shown)
}
