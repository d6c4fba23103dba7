//! Validation of evaluators against labels: finds the set, reads rows, computes figures.

use super::ValidateQuery;
use super::collect::{ValidateRows, validate_rows};
use super::evaluator_findings::EvaluatorName;
use super::labels::{count_labels_by_set, label_classes};
use super::missing_labels::MissingByArm;
use crate::labelling::read_free_queue_name;
use elenchus_game::debate::{AttemptId, SessionId};
use elenchus_game::judge::LabelSet;
use elenchus_metrics::{
    ArmRate, BlindingRule, EvaluatorError, EvaluatorReport, Forks, GoldRule, LabelSide, NextLabels,
    PartDimension, Resampling, ValidateOptions, Validation, ValidationSection, compute_validation,
    find_gold_side,
};
use elenchus_records::library::{LabelBook, Library};
use elenchus_records::workspace::annotations::read_annotations;
use elenchus_records::workspace::{ReportKey, StoreIndex, WorkspaceError};
use elenchus_store::Layout;
use std::collections::{BTreeMap, BTreeSet};

/// The set where nothing is labelled yet.
const FIRST_SET: &str = "safety";

/// Parameters of a validation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ValidationRequest {
    /// The label set; the only one that turns are labelled by where `None`.
    pub set: Option<String>,
    pub query: ValidateQuery,
    pub gold: GoldRule,
    pub positive: Option<String>,
    pub blindfold: BlindingRule,
    pub queue: Option<String>,
    pub by: BTreeSet<PartDimension>,
    pub resampling: Resampling,
}

/// Figures, and the rows they are computed from.
#[derive(Debug, Clone)]
pub struct ValidationResult {
    pub validation: Validation,
    pub reading: ValidateRows,
    /// Every set that turns are labelled by.
    pub sets: Vec<String>,
    /// Draws of the labels that arms lack.
    pub missing: MissingByArm,
    /// A name that no queue has.
    pub free_queue_name: String,
}

impl ValidationResult {
    /// Returns how the labels which an arm lacks are come by.
    pub fn find_next_labels(
        &self,
        section: &ValidationSection,
        evaluator: &EvaluatorReport,
        arm: &ArmRate,
    ) -> NextLabels {
        let missing = self.missing.find(section, evaluator, arm);
        let free_name = &self.free_queue_name;
        missing.map_or_else(
            || NextLabels::NewQueue(free_name.clone()),
            |missing| missing.find_next_step(free_name),
        )
    }

    /// Returns the set after the one that was validated, the first after the last; `None` where there is no other.
    pub fn next_set(&self) -> Option<&String> {
        let here = &self.validation.classes.set;
        let at = self.sets.iter().position(|set| set == here);
        let next = at.map_or(0, |at| at + 1) % self.sets.len().max(1);
        self.sets.get(next).filter(|set| *set != here)
    }

    /// Returns the label after one that can be positive; `None`, what the set itself says, after the last.
    pub fn next_positive(&self, here: Option<&str>) -> Option<String> {
        let labels = self.validation.classes.labels.iter();
        let mut sided_labels = labels.filter(|(_, side)| match side {
            LabelSide::Positive | LabelSide::Negative => true,
            LabelSide::Neither => false,
        });
        if let Some(here) = here {
            sided_labels.find(|(name, _)| *name == here)?;
        }
        sided_labels.next().map(|(name, _)| name.clone())
    }
}

/// Validates evaluators against labels. Blocks while it reads and computes.
///
/// # Errors
/// When the set or the positive class does not exist, several sets are in use and none is named, a
/// pass that was named does not exist, or the store cannot be read.
pub fn validate_evaluators(
    index: &StoreIndex,
    library: &Library,
    request: &ValidationRequest,
) -> Result<ValidationResult, WorkspaceError> {
    let book = read_set(index.layout(), library, request)?;
    let reading = validate_rows(index, &book.set, book.hash, &request.query)?;
    if let Some(queue) = &request.queue {
        check_queue(queue, &reading)?;
    }
    let options = ValidateOptions {
        roles: reading.roles.clone(),
        ..build_options(&book.set, request)
    };
    let settings = (&options, &reading.other_labels);
    let key = ReportKey::from_rows("validation", &settings, &reading.rows);
    let validation = index.cached_report(key, || {
        compute_validation(&reading.rows, &reading.other_labels, &options)
    });
    let validation = validation.map_err(|error| WorkspaceError::Invalid(error.to_string()))?;
    let layout = index.layout();
    let mut missing = MissingByArm::from_validation(layout, &validation, &reading.rows, &options);
    missing.mark_refused(layout, &book, || {
        validate_rows(index, &book.set, book.hash, &ValidateQuery::default())
    })?;
    Ok(ValidationResult {
        missing,
        free_queue_name: read_free_queue_name(layout)?,
        validation,
        reading,
        sets: sets_in_use(index.layout())?.into_keys().collect(),
    })
}

/// Says of labelled turns, proposals and critiques whether people, blind, call them good by a set: the class of their
/// gold that is on a side of the set's two. Blocks while it reads.
///
/// # Errors
/// When there is no such set, it is about whole debates, or the store cannot be read.
pub(super) fn read_label_truths(
    index: &StoreIndex,
    library: &Library,
    set: &str,
) -> Result<BTreeMap<(SessionId, AttemptId), bool>, WorkspaceError> {
    let request = ValidationRequest {
        set: Some(set.to_owned()),
        ..ValidationRequest::default()
    };
    let book = read_turn_set(index.layout(), library, &request)?;
    let reading = validate_rows(index, &book.set, book.hash, &request.query)?;
    let options = build_options(&book.set, &request);
    let truths = reading.rows.iter().filter_map(|row| {
        let is_good = match find_gold_side(&row.labels, &options)? {
            LabelSide::Positive => false,
            LabelSide::Negative => true,
            LabelSide::Neither => return None,
        };
        let attempt = AttemptId::parse(&row.turn)?;
        Some(((SessionId::new(row.session.clone()), attempt), is_good))
    });
    Ok(truths.collect())
}

pub(super) fn build_options(set: &LabelSet, request: &ValidationRequest) -> ValidateOptions {
    ValidateOptions {
        classes: label_classes(set),
        positive: request.positive.clone(),
        gold: request.gold.clone(),
        blinding_rule: request.blindfold,
        queue: request.queue.clone(),
        by: request.by.clone(),
        roles: BTreeMap::new(),
        resampling: request.resampling,
    }
}

fn check_queue(queue: &str, reading: &ValidateRows) -> Result<(), WorkspaceError> {
    let labels = reading.rows.iter().flat_map(|row| &row.labels);
    let draws = labels.filter_map(|label| label.drawn.as_ref());
    let queues: BTreeSet<&str> = draws.map(|draw| draw.queue.as_str()).collect();
    if queues.contains(queue) {
        return Ok(());
    }
    let names: Vec<&str> = queues.into_iter().collect();
    Err(WorkspaceError::Invalid(format!(
        "no label here was drawn by the queue '{queue}'; there are: {}",
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        }
    )))
}

pub(super) fn sets_in_use(layout: &Layout) -> Result<BTreeMap<String, usize>, WorkspaceError> {
    let (annotations, _) = read_annotations(layout)?;
    Ok(count_labels_by_set(&annotations))
}

/// Returns the set by which most labels were given; `None` where nothing is labelled.
///
/// # Errors
/// When the annotators cannot be listed.
pub fn find_most_labelled_set(layout: &Layout) -> Result<Option<String>, WorkspaceError> {
    let sets = sets_in_use(layout)?.into_iter();
    Ok(sets.max_by_key(|(_, labels)| *labels).map(|(set, _)| set))
}

fn only_set(layout: &Layout) -> Result<String, WorkspaceError> {
    let sets: Vec<String> = sets_in_use(layout)?.into_keys().collect();
    match sets.as_slice() {
        [] => Ok(FIRST_SET.to_owned()),
        [only] => Ok(only.clone()),
        several => Err(WorkspaceError::Invalid(format!(
            "there are labels by several sets ({}); name one with --set",
            several.join(", ")
        ))),
    }
}

/// Of simulated or real debates, by the name of the evaluator: its error, or why it is not known.
type ErrorsFromLabels = BTreeMap<(bool, String), Result<EvaluatorError, String>>;

/// Returns the error of every game's own evaluator as labels of a set on these sessions measure it,
/// by blind gold.
///
/// # Errors
/// As [`validate_evaluators`].
pub fn errors_from_labels(
    index: &StoreIndex,
    library: &Library,
    set: Option<String>,
    sessions: Option<BTreeSet<SessionId>>,
) -> Result<ErrorsFromLabels, WorkspaceError> {
    let request = ValidationRequest {
        set,
        query: ValidateQuery {
            sessions,
            evaluators: vec![EvaluatorName::Own],
            ..ValidateQuery::default()
        },
        // Only the rates themselves are read.
        resampling: Resampling {
            resamples: 0,
            ..Resampling::default()
        },
        ..ValidationRequest::default()
    };
    let result = validate_evaluators(index, library, &request)?;
    let sections = result.validation.sections.into_iter();
    // Behaviours that need a comparison of hashes are no sample of an evaluator's error.
    let ordinary = sections.filter(|section| !section.hash_check);
    let errors = ordinary.flat_map(|section| {
        let is_simulated = section.simulated;
        let evaluators = section.evaluators.into_iter();
        evaluators.map(move |one| ((is_simulated, one.evaluator), one.error))
    });
    Ok(errors.collect())
}

/// What labels make of the rates that an evaluator gave in groups of debates.
#[derive(Debug, Clone, PartialEq)]
pub struct RatesFromLabels {
    pub simulated: bool,
    /// The evaluator; its arms are the groups.
    pub evaluator: EvaluatorReport,
    /// Turns with gold.
    pub labelled: usize,
}

/// Returns what labels of a set make of the rates of groups of debates, by blind gold: of every evaluator that is
/// named. `groups` says of each session which group it is in; no other session counts.
///
/// # Errors
/// As [`validate_evaluators`].
pub fn rates_from_labels(
    index: &StoreIndex,
    library: &Library,
    request: &ValidationRequest,
    groups: &BTreeMap<String, String>,
) -> Result<Vec<RatesFromLabels>, WorkspaceError> {
    let book = read_turn_set(index.layout(), library, request)?;
    let sessions = groups.keys().map(|id| SessionId::new(id.clone()));
    let query = ValidateQuery {
        sessions: Some(sessions.collect()),
        evaluators: vec![EvaluatorName::Own],
        // Which forks count was decided when the groups were made.
        forks: Forks::Included,
        ..request.query.clone()
    };
    let mut reading = validate_rows(index, &book.set, book.hash, &query)?;
    for row in &mut reading.rows {
        if let Some(group) = groups.get(&row.session) {
            row.arm.clone_from(group);
        }
    }
    let options = build_options(&book.set, request);
    let settings = (&options, &reading.other_labels);
    let key = ReportKey::from_rows("validation", &settings, &reading.rows);
    let validation = index.cached_report(key, || {
        compute_validation(&reading.rows, &reading.other_labels, &options)
    });
    let validation = validation.map_err(|error| WorkspaceError::Invalid(error.to_string()))?;
    let sections = validation.sections.into_iter();
    // Behaviours that need a comparison of hashes are no sample of an evaluator's error.
    let ordinary = sections.filter(|section| !section.hash_check);
    let rates = ordinary.flat_map(|section| {
        let evaluators = section.evaluators.into_iter();
        evaluators.map(move |evaluator| RatesFromLabels {
            simulated: section.simulated,
            evaluator,
            labelled: section.labelled,
        })
    });
    Ok(rates.collect())
}

/// Reads the set that is named, or the only one in use.
fn read_set(
    layout: &Layout,
    library: &Library,
    request: &ValidationRequest,
) -> Result<LabelBook, WorkspaceError> {
    let set = match &request.set {
        Some(set) => set.clone(),
        None => only_set(layout)?,
    };
    Ok(library.read_label_set(&set)?)
}

/// Says whether a set labels turns, proposals or critiques.
pub(super) fn is_turn_set(library: &Library, set: &str) -> bool {
    library
        .read_label_set(set)
        .is_ok_and(|book| book.set.of.is_turn())
}

/// Reads the set by which something is known about turns.
fn read_turn_set(
    layout: &Layout,
    library: &Library,
    request: &ValidationRequest,
) -> Result<LabelBook, WorkspaceError> {
    let book = read_set(layout, library, request)?;
    match book.set.of.is_turn() {
        true => Ok(book),
        false => Err(WorkspaceError::Invalid(format!(
            "the set '{}' labels {}s, and what is asked for is known by labels on turns, proposals or critiques",
            book.set.id,
            book.set.of.name()
        ))),
    }
}
