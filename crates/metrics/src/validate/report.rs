//! Validation report: evaluators and annotators in sections that are never pooled.

use super::annotator_agreement::{AnnotatorAgreement, annotator_agreement};
use super::calibration::{Calibration, ScoredTurn, compute_calibration};
use super::confusion_matrix::{ConfusionMatrix, NEITHER, NO_VERDICT, TurnPlace, UNPARSED};
use super::error_homogeneity::{ErrorDifference, PartitionedTurn, find_error_differences};
use super::estimate::{
    AGAINST_GOLD, Classed, Estimate, OF_PARTS, Quantity, TwoSided, estimate_binary,
    estimate_classes,
};
use super::gold::{Basis, LabelledDraws, LeftOutLabels, NoGold, find_gold, weigh_turns};
use super::label_space::{LabelSpace, ValidatedTurn, count_sideless_labels};
use super::rate_correction::{ArmRate, ArmTurn, CorrectionInputs, arm_rates, pooled_error};
use super::rows::{
    Blinding, EvaluatorFinding, EvaluatorRole, GivenLabel, LabelClasses, LabelSide, PartDimension,
    ValidateOptions, ValidateRow,
};
use crate::statistics::evaluator_error::EvaluatorError;
use crate::topic_names::{TopicNames, topics_in_rows};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Reason why evaluators cannot be compared with gold.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ValidateError {
    #[error("the set '{set}' has no label '{positive}' that decides; it has {has}")]
    NoSuchClass {
        set: String,
        positive: String,
        has: String,
    },
}

/// Results on evaluators and annotators.
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
    /// Labels and turns left out, by reason.
    pub left_out: BTreeMap<NoGold, usize>,
    /// Instructions for including them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    pub evaluators: Vec<EvaluatorReport>,
    pub people: AnnotatorAgreement,
}

/// One evaluator against gold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluatorReport {
    pub evaluator: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<EvaluatorRole>,
    /// Names of the positive and the negative side.
    pub positive: String,
    pub negative: String,
    pub matrix: ConfusionMatrix,
    /// Labels of its findings on neither side, with the number of turns: they are in no figure.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub neither: BTreeMap<String, usize>,
    /// Two-by-two figures; unparsed, undecided and missing verdicts are in the matrix alone.
    pub estimates: Vec<Estimate>,
    /// Figures of all classes, where the evaluator uses more than two of the set's.
    pub all_classes: Vec<Estimate>,
    pub parts: Vec<PartReport>,
    pub calibration: Option<Calibration>,
    /// Sensitivity and specificity over all labels, or the reason why they are unknown.
    pub error: Result<EvaluatorError, String>,
    pub differences: Vec<ErrorDifference>,
    pub arms: Vec<ArmRate>,
}

/// The figures of one category, seat or round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartReport {
    pub by: PartDimension,
    pub value: String,
    pub estimates: Vec<Estimate>,
}

const BY_VERDICT: &str = "the labelled turns were chosen by what evaluators said, so what they missed \
    together is not among them: draw a sample from all turns";

const FROM_FILES: &str = "the labels came from files that do not say with what probability a turn was chosen to be \
    labelled, and not every turn here has one, so they speak for those turns alone: name the column of \
    probabilities ('elenchus labels import --probability COLUMN'), or label every turn";

fn rows_of<'a>(items: &'a [ValidatedTurn<'a>]) -> impl Iterator<Item = &'a ValidateRow> {
    let with_gold = items.iter().filter(|item| item.gold.is_some());
    with_gold.map(|item| item.row)
}

/// Says whether all labels of some turns came from files.
fn are_from_files<'a>(rows: impl Iterator<Item = &'a ValidateRow>) -> bool {
    let mut labels = rows.flat_map(|row| &row.labels).peekable();
    labels.peek().is_some() && labels.all(|label| label.blindness == Blinding::Unknown)
}

/// Says whether what is labelled are whole files, which are no sample of other turns.
fn is_census_of_files<'a>(items: &'a [ValidatedTurn<'a>], basis: &Basis) -> bool {
    let Basis::Drawn { .. } = basis else {
        return false;
    };
    let labels = || rows_of(items).flat_map(|row| &row.labels);
    let has_stated_draw =
        |label: &GivenLabel| label.drawn.as_ref().is_some_and(|draw| draw.is_stated);
    are_from_files(rows_of(items)) && !labels().any(has_stated_draw)
}

/// Compares every evaluator with gold, and people with each other. `elsewhere` holds the labels of turns that are
/// not among the rows, those of a turn together: they say how far what was drawn is labelled.
///
/// # Errors
/// When the positive class is none of the set's.
pub fn compute_validation(
    rows: &[ValidateRow],
    elsewhere: &[Vec<GivenLabel>],
    options: &ValidateOptions,
) -> Result<Validation, ValidateError> {
    let classes = resolve_classes(options)?;
    let mut apart: BTreeMap<(bool, bool), Vec<&ValidateRow>> = BTreeMap::new();
    for row in rows {
        let rows = apart.entry((row.simulated, row.hash_check)).or_default();
        rows.push(row);
    }
    let names = TopicNames::from_topics(rows.iter().map(|row| &row.topic));
    let row_labels = rows.iter().map(|row| row.labels.as_slice());
    let all_labels = row_labels.chain(elsewhere.iter().map(Vec::as_slice));
    let counts = LabelledDraws::from_turns(all_labels, options);
    let sections = apart
        .into_iter()
        .map(|(part, rows)| {
            build_validation_section(part, (&rows, &names), &counts, options, &classes)
        })
        .collect();
    Ok(Validation { classes, sections })
}

/// Returns the set's labels with the positive class that was asked for.
fn resolve_classes(options: &ValidateOptions) -> Result<LabelClasses, ValidateError> {
    match &options.positive {
        None => Ok(options.classes.clone()),
        Some(positive)
            if options
                .classes
                .deciding_labels()
                .contains(&positive.as_str()) =>
        {
            Ok(options.classes.with_positive(positive))
        }
        Some(positive) => Err(ValidateError::NoSuchClass {
            set: options.classes.set.clone(),
            positive: positive.clone(),
            has: options.classes.deciding_labels().join(", "),
        }),
    }
}

/// Returns what an evaluator called each turn: the name of the side, as a validation names it; `None` where it
/// found neither. The rows are those of one section.
///
/// # Errors
/// When the positive class is none of the set's.
pub fn name_calls(
    rows: &[&ValidateRow],
    evaluator: &str,
    options: &ValidateOptions,
) -> Result<Vec<Option<String>>, ValidateError> {
    let classes = resolve_classes(options)?;
    let items: Vec<ValidatedTurn<'_>> = rows
        .iter()
        .map(|row| ValidatedTurn {
            row,
            topic: "",
            gold: None,
        })
        .collect();
    let label_space = LabelSpace::from_findings(&items, evaluator, options, &classes);
    let call = |row: &&ValidateRow| match row.found.get(evaluator)? {
        EvaluatorFinding::Found { label, side, .. } => {
            match label_space.resolve_side(label, *side, &classes) {
                LabelSide::Neither => None,
                side => Some(classes.side_name(side)),
            }
        }
        EvaluatorFinding::Unparsed | EvaluatorFinding::Missing | EvaluatorFinding::Guardrail => {
            None
        }
    };
    Ok(rows.iter().map(call).collect())
}

fn build_validation_section(
    (simulated, hash_check): (bool, bool),
    (rows, names): (&[&ValidateRow], &TopicNames),
    counts: &LabelledDraws<'_>,
    options: &ValidateOptions,
    classes: &LabelClasses,
) -> ValidationSection {
    let mut left_out = LeftOutLabels::new();
    let gold_classes: Vec<_> = rows
        .iter()
        .map(|row| find_gold(&row.labels, options))
        .collect();
    let (basis, weights) = weigh_turns(rows, &gold_classes, counts, options);
    let mut leave = |why: NoGold| *left_out.entry(why).or_default() += 1;
    let items: Vec<ValidatedTurn<'_>> = rows
        .iter()
        .zip(gold_classes.iter().zip(&weights))
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
            ValidatedTurn {
                row,
                topic: names.name_of(&row.topic),
                gold,
            }
        })
        .collect();
    let people = annotator_agreement(&items, options, classes, &mut left_out);
    let labelled_count = items.iter().filter(|item| item.gold.is_some()).count();
    let unknown = left_out.get(&NoGold::NotKnownBlind).copied();
    let mut notes: Vec<String> = unknown
        .map(|count| {
            format!(
                "{count} {}; '{}' counts them",
                NoGold::NotKnownBlind.label(),
                unblinded_command(&classes.set)
            )
        })
        .into_iter()
        .collect();
    let no_gold = notes.first().filter(|_| labelled_count == 0).cloned();
    notes.extend(topics_in_rows(rows.iter().map(|row| &row.topic)));
    let topics: BTreeSet<&str> = items.iter().map(|item| item.topic).collect();
    let evaluators: BTreeSet<&String> = rows.iter().flat_map(|row| row.found.keys()).collect();
    ValidationSection {
        simulated,
        hash_check,
        turns: rows.len(),
        topics: topics.len(),
        labelled: labelled_count,
        evaluators: evaluators
            .into_iter()
            .map(|name| {
                build_evaluator_report(name, &items, (&basis, no_gold.as_ref()), options, classes)
            })
            .collect(),
        notes,
        basis,
        left_out,
        people,
    }
}

/// Returns the command that includes labels not known to be blind.
pub(super) fn unblinded_command(set: &str) -> String {
    format!("elenchus validate --set {set} --with-unblinded")
}

fn build_evaluator_report(
    name: &str,
    items: &[ValidatedTurn<'_>],
    (basis, no_gold): (&Basis, Option<&String>),
    options: &ValidateOptions,
    classes: &LabelClasses,
) -> EvaluatorReport {
    let label_space = LabelSpace::from_findings(items, name, options, classes);
    let side_of = |judged: &EvaluatorFinding| match judged {
        EvaluatorFinding::Found { label, side, .. } => {
            label_space.resolve_side(label, *side, classes)
        }
        EvaluatorFinding::Unparsed | EvaluatorFinding::Missing | EvaluatorFinding::Guardrail => {
            LabelSide::Neither
        }
    };
    let both: Vec<(&ValidatedTurn<'_>, TwoSided<'_>)> = items
        .iter()
        .filter_map(|item| {
            let (class, weight) = item.gold?;
            let (label, _) = classes.labels.get(class)?;
            let turn = TwoSided {
                topic: item.topic,
                gold: classes.side_of(label).is_positive()?,
                verdict: side_of(item.row.found.get(name)?).is_positive()?,
                weight,
            };
            Some((item, turn))
        })
        .collect();
    let turns: Vec<TwoSided<'_>> = both.iter().map(|(_, turn)| *turn).collect();
    let unfit = match label_space {
        LabelSpace::Classes | LabelSpace::Sides | LabelSpace::Switched => None,
        LabelSpace::Neither => Some(format!(
            "'{name}' does not tell '{}' from the other labels",
            classes.side_name(LabelSide::Positive)
        )),
    };
    let by_verdict = match basis {
        Basis::ByVerdict { .. } => Some(BY_VERDICT),
        Basis::Drawn { .. } | Basis::All | Basis::Chosen => None,
    };
    let basis_refusal = unfit.as_deref().or(by_verdict);
    let refusal = basis_refusal.or(no_gold.map(String::as_str));
    let estimate = |turns: &[TwoSided<'_>], quantities: &[Quantity]| match refusal {
        None => estimate_binary(turns, quantities, options.resampling),
        Some(why) => quantities
            .iter()
            .map(|quantity| Estimate::new_not_applicable(*quantity, why))
            .collect(),
    };
    let arm_turns: Vec<ArmTurn<'_>> = items
        .iter()
        .filter_map(|item| arm_turn(item, name, classes, &side_of))
        .collect();
    let mut unread: BTreeMap<&str, usize> = BTreeMap::new();
    for item in items {
        let is_unread = |judged: &&EvaluatorFinding| match judged {
            EvaluatorFinding::Found { .. }
            | EvaluatorFinding::Unparsed
            | EvaluatorFinding::Missing => side_of(judged) == LabelSide::Neither,
            EvaluatorFinding::Guardrail => false,
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
    let section = CorrectionInputs {
        turns: &arm_turns,
        refused: refusal.or(match basis {
            Basis::Chosen if are_from_files(rows_of(items)) => Some(FROM_FILES),
            Basis::Chosen if items.is_empty() => {
                Some("no turn is labelled yet: label some, drawn by chance")
            }
            Basis::Chosen => Some(
                "people chose which turns to label, so the labels speak for those alone: draw a \
                 sample from all turns",
            ),
            Basis::Drawn { .. } | Basis::All | Basis::ByVerdict { .. } => None,
        }),
        refused_in_part: is_census_of_files(items, basis).then_some(FROM_FILES),
        plan: options.resampling,
    };
    let error = pooled_error(&section);
    let parts = split_parts(&both, options);
    EvaluatorReport {
        evaluator: name.to_owned(),
        role: options.roles.get(name).copied(),
        positive: classes.side_name(LabelSide::Positive),
        negative: classes.side_name(LabelSide::Negative),
        matrix: build_matrix(name, items, &label_space, classes),
        neither: match unfit {
            None => count_sideless_labels(name, items, &side_of),
            Some(_) => BTreeMap::new(),
        },
        estimates: estimate(&turns, &AGAINST_GOLD),
        all_classes: match (&label_space, refusal) {
            (LabelSpace::Classes, None) => estimate_all_classes(name, items, options, classes),
            _ => Vec::new(),
        },
        parts: parts
            .into_iter()
            .map(|((by, value), turns)| PartReport {
                by,
                value,
                estimates: estimate(&turns, &OF_PARTS),
            })
            .collect(),
        calibration: compute_calibration(
            &list_scored_turns(name, &both, &label_space),
            options.resampling,
        )
        .filter(|_| refusal.is_none()),
        differences: match refusal {
            None => find_error_differences(&partition_turns(&both), options.resampling),
            Some(_) => Vec::new(),
        },
        arms: arm_rates(&section, &unread, &error),
        error,
    }
}

fn arm_turn<'a>(
    item: &ValidatedTurn<'a>,
    name: &str,
    classes: &LabelClasses,
    side_of: &impl Fn(&EvaluatorFinding) -> LabelSide,
) -> Option<ArmTurn<'a>> {
    let finding = item.row.found.get(name)?;
    let verdict = match finding {
        EvaluatorFinding::Guardrail => LabelSide::Negative,
        EvaluatorFinding::Found { .. } | EvaluatorFinding::Unparsed | EvaluatorFinding::Missing => {
            side_of(finding)
        }
    };
    let gold = item.gold.and_then(|(class, weight)| {
        let (label, _) = classes.labels.get(class)?;
        Some((classes.side_of(label).is_positive()?, weight))
    });
    Some(ArmTurn {
        arm: &item.row.arm,
        topic: item.topic,
        verdict: verdict.is_positive()?,
        gold,
        unlabelled: item.row.labels.is_empty(),
        judged: *finding != EvaluatorFinding::Guardrail,
    })
}

type InPart<'a> = BTreeMap<(PartDimension, String), Vec<TwoSided<'a>>>;

fn split_parts<'a>(
    both: &[(&ValidatedTurn<'a>, TwoSided<'a>)],
    options: &ValidateOptions,
) -> InPart<'a> {
    let mut parts: InPart<'a> = BTreeMap::new();
    for part in &options.by {
        for (item, turn) in both {
            let turns = parts.entry((*part, part.value_of(item.row))).or_default();
            turns.push(*turn);
        }
    }
    parts
}

fn partition_turns<'a>(both: &[(&ValidatedTurn<'a>, TwoSided<'a>)]) -> Vec<PartitionedTurn<'a>> {
    let turns = both.iter().map(|(item, turn)| PartitionedTurn {
        topic: turn.topic,
        session: &item.row.session,
        gold: turn.gold,
        verdict: turn.verdict,
        weight: turn.weight,
        parts: [
            ("arm", Some(item.row.arm.clone())),
            (
                PartDimension::Round.label(),
                Some(PartDimension::Round.value_of(item.row)),
            ),
            (PartDimension::Category.label(), item.row.category.clone()),
        ]
        .into_iter()
        .filter_map(|(by, value)| Some((by, value?)))
        .collect(),
    });
    turns.collect()
}

fn list_scored_turns<'a>(
    name: &str,
    both: &[(&ValidatedTurn<'a>, TwoSided<'a>)],
    label_space: &LabelSpace,
) -> Vec<ScoredTurn<'a>> {
    let turns = both.iter().filter_map(|(item, turn)| {
        let EvaluatorFinding::Found { score, side, .. } = item.row.found.get(name)? else {
            return None;
        };
        let score = score.filter(|score| (0.0..=1.0).contains(score))?;
        // A score is that of the set's own positive side.
        let needs_reversal = match label_space {
            LabelSpace::Classes => *side != LabelSide::from_positive(turn.verdict),
            LabelSpace::Sides => false,
            LabelSpace::Switched => true,
            LabelSpace::Neither => return None,
        };
        Some(ScoredTurn {
            topic: turn.topic,
            score: if needs_reversal { 1.0 - score } else { score },
            gold: turn.gold,
            weight: turn.weight,
        })
    });
    turns.collect()
}

fn estimate_all_classes(
    name: &str,
    items: &[ValidatedTurn<'_>],
    options: &ValidateOptions,
    classes: &LabelClasses,
) -> Vec<Estimate> {
    let label_names = classes.deciding_labels();
    if label_names.len() < 3 {
        return Vec::new();
    }
    let place = |label: &str| label_names.iter().position(|name| *name == label);
    let turns: Vec<Classed<'_>> = items
        .iter()
        .filter_map(|item| {
            let (class, weight) = item.gold?;
            let EvaluatorFinding::Found { label, .. } = item.row.found.get(name)? else {
                return None;
            };
            Some(Classed {
                topic: item.topic,
                gold: place(&classes.labels.get(class)?.0)?,
                verdict: place(label)?,
                weight,
            })
        })
        .collect();
    estimate_classes(
        &turns,
        label_names.len(),
        Quantity::Accuracy,
        options.resampling,
    )
}

fn build_matrix(
    name: &str,
    items: &[ValidatedTurn<'_>],
    label_space: &LabelSpace,
    classes: &LabelClasses,
) -> ConfusionMatrix {
    let side_labels = |side: LabelSide| {
        let of_side = classes.labels.iter().filter(move |(_, own)| *own == side);
        of_side.map(|(name, _)| name.clone())
    };
    let sides = [LabelSide::Positive, LabelSide::Negative];
    let rows: Vec<String> = sides
        .into_iter()
        .chain([LabelSide::Neither])
        .flat_map(side_labels)
        .collect();
    let mut columns: Vec<String> = match label_space {
        LabelSpace::Classes => sides.into_iter().flat_map(side_labels).collect(),
        LabelSpace::Sides | LabelSpace::Switched => {
            sides.map(|side| classes.side_name(side)).to_vec()
        }
        LabelSpace::Neither => Vec::new(),
    };
    let kept_columns: Vec<String> = columns
        .iter()
        .cloned()
        .chain([UNPARSED.to_owned()])
        .collect();
    columns.extend([NEITHER, UNPARSED, NO_VERDICT].map(str::to_owned));
    let mut matrix = ConfusionMatrix::new(rows, columns);
    for item in items {
        let Some((class, weight)) = item.gold else {
            continue;
        };
        let column = match item.row.found.get(name) {
            None | Some(EvaluatorFinding::Missing | EvaluatorFinding::Guardrail) => {
                NO_VERDICT.to_owned()
            }
            Some(EvaluatorFinding::Unparsed) => UNPARSED.to_owned(),
            Some(EvaluatorFinding::Found { label, side, .. }) => {
                match (label_space.resolve_side(label, *side, classes), label_space) {
                    (LabelSide::Neither, _) => NEITHER.to_owned(),
                    (LabelSide::Positive | LabelSide::Negative, LabelSpace::Classes) => {
                        label.clone()
                    }
                    (side, LabelSpace::Sides | LabelSpace::Switched | LabelSpace::Neither) => {
                        classes.side_name(side)
                    }
                }
            }
        };
        let place = TurnPlace {
            session: item.row.session.clone(),
            turn: item.row.turn.clone(),
            topic: item.topic.to_owned(),
        };
        if let Some((gold, _)) = classes.labels.get(class) {
            matrix.add_turn(gold, &column, weight, place);
        }
    }
    let kept_column_names: Vec<&str> = kept_columns.iter().map(String::as_str).collect();
    matrix.remove_empty_columns(&kept_column_names)
}
