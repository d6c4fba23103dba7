//! Labels that an arm lacks: the command that draws the turns for them out of those of the same queue.

use super::collect::ValidateRows;
use super::request::{ValidationRequest, build_options};
use super::{ValidateQuery, validate_rows};
use crate::queue::{
    ConsideredTurns, FurtherDraw, PlayedBy, Queue, QueueUnit, TurnCall, TurnCalls, find_queue,
};
use elenchus_game::debate::RunId;
use elenchus_metrics::{
    ArmRate, Basis, EvaluatorReport, MoreLabels, NextLabels, ValidateOptions, ValidateRow,
    Validation, ValidationSection, name_calls,
};
use elenchus_records::library::{LabelBook, Library};
use elenchus_records::workspace::annotations::AnnotationTarget;
use elenchus_records::workspace::run::read_run;
use elenchus_records::workspace::{StoreIndex, WorkspaceError, reject};
use elenchus_store::Layout;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// A draw of the labels that an arm lacks, as it is asked for on the command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MissingLabels {
    pub queue: String,
    /// `own`, `pass:ID`, or the whole name of an evaluator.
    pub evaluator: String,
    /// Only turns of this arm.
    pub arm: Option<String>,
    /// Only turns of this run.
    pub run: Option<RunId>,
    /// Of topics that can be judged by comparing hashes alone, in place of the others.
    pub hash_check: bool,
    /// The label that is positive alone.
    pub positive: Option<String>,
    /// How many of the turns that the evaluator called so.
    pub counts: Vec<(String, u32)>,
    /// How many of the arm the queue has drawn already, and nobody has labelled: they come first, for what is missing
    /// is another number once they are.
    pub waiting: usize,
    /// No chance can be stated for more of the queue, so that drawing it is refused: a new one is drawn.
    pub is_refused: bool,
}

impl MissingLabels {
    /// Returns how many labels are missing.
    pub fn total(&self) -> u32 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// Says how many of which are drawn.
    pub fn describe_counts(&self) -> String {
        let counts = self.counts.iter();
        let counts: Vec<String> = counts
            .map(|(call, count)| format!("{count} called {call}"))
            .collect();
        counts.join(", ")
    }

    /// Returns what is to be done next: what is drawn is labelled before more is. A new queue has the name that is
    /// free.
    pub fn find_next_step(&self, free_name: &str) -> NextLabels {
        match self.waiting {
            0 if self.is_refused => NextLabels::NewQueue(free_name.to_owned()),
            0 => NextLabels::Draw(self.to_command()),
            _ => NextLabels::Label(format!("elenchus annotate {}", quote(&self.queue))),
        }
    }

    /// Writes the command that draws them, for a shell.
    pub fn to_command(&self) -> String {
        let counts = self.counts.iter();
        let counts: Vec<String> = counts
            .map(|(call, count)| format!("{call}={count}"))
            .collect();
        let mut command = format!(
            "elenchus labels extend {} --unlabelled --per-stratum {}",
            quote(&self.queue),
            quote(&counts.join(","))
        );
        let mut add = |option: &str, value: &str| {
            command.push_str(&format!(" {option} {}", quote(value)));
        };
        if self.evaluator != OWN {
            add("--evaluator", &self.evaluator);
        }
        if let Some(run) = &self.run {
            add("--run", run.as_str());
        }
        if let Some(arm) = &self.arm {
            add("--arm", arm);
        }
        if let Some(positive) = &self.positive {
            add("--positive", positive);
        }
        if self.hash_check {
            command.push_str(" --hash-check");
        }
        command
    }
}

/// The game's own evaluator, on the command line.
const OWN: &str = "own";

/// Quotes a word where a shell would read it otherwise.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@+%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Draws of missing labels by section, evaluator and arm.
#[derive(Debug, Clone, Default)]
pub struct MissingByArm(BTreeMap<ArmKey, MissingLabels>);

/// Simulated, by hashes, the evaluator's name, the arm's.
type ArmKey = (bool, bool, String, String);

fn arm_key(section: &ValidationSection, evaluator: &EvaluatorReport, arm: &ArmRate) -> ArmKey {
    let (evaluator, arm) = (evaluator.evaluator.clone(), arm.arm.clone());
    (section.simulated, section.hash_check, evaluator, arm)
}

impl MissingByArm {
    /// Returns the draw of the labels that halve an arm's interval. `None` where none are missing, or where the
    /// turns were not drawn one by one by a queue that is here.
    pub fn find(
        &self,
        section: &ValidationSection,
        evaluator: &EvaluatorReport,
        arm: &ArmRate,
    ) -> Option<&MissingLabels> {
        self.0.get(&arm_key(section, evaluator, arm))
    }

    /// Returns the draws of an evaluator, by arm.
    pub fn list_of<'a>(
        &'a self,
        section: &'a ValidationSection,
        evaluator: &'a EvaluatorReport,
    ) -> impl Iterator<Item = (&'a ArmRate, &'a MissingLabels)> {
        let arms = evaluator.arms.iter();
        arms.filter_map(|arm| Some((arm, self.find(section, evaluator, arm)?)))
    }

    /// Finds them in a validation. Blocks while it reads the queues and, where labels are missing, the runs.
    pub(super) fn from_validation(
        layout: &Layout,
        validation: &Validation,
        rows: &[ValidateRow],
        options: &ValidateOptions,
    ) -> Self {
        let mut missing = Self::default();
        let mut runs = None;
        for section in &validation.sections {
            let Basis::Drawn { queue, .. } = &section.basis else {
                continue;
            };
            let Ok(known) = find_queue(layout, queue) else {
                continue;
            };
            let definition = &known.definition;
            if definition.unit != QueueUnit::Turn || definition.set != validation.classes.set {
                continue;
            }
            let rows: Vec<&ValidateRow> = rows
                .iter()
                .filter(|row| {
                    row.simulated == section.simulated && row.hash_check == section.hash_check
                })
                .collect();
            let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.found.keys()).collect();
            let items = list_drawn_turns(&known);
            for evaluator in &section.evaluators {
                for arm in &evaluator.arms {
                    let Some(counts) = list_counts(evaluator, arm) else {
                        continue;
                    };
                    let waits = |row: &&&ValidateRow| {
                        let key = (row.session.clone(), row.turn.clone());
                        row.arm == arm.arm && row.labels.is_empty() && items.contains(&key)
                    };
                    let waiting = rows.iter().filter(waits).count();
                    let of_arm = rows.iter().filter(|row| row.arm == arm.arm);
                    let sessions = of_arm.map(|row| row.session.as_str()).collect();
                    let runs = runs.get_or_insert_with(|| read_sessions_of_runs(layout));
                    let found = MissingLabels {
                        queue: queue.clone(),
                        evaluator: shorten_evaluator(&evaluator.evaluator, &names),
                        // One arm alone was looked at, perhaps, of several that the queue was drawn from.
                        arm: Some(arm.arm.clone()),
                        run: find_run_of(runs, &sessions),
                        hash_check: section.hash_check,
                        positive: options.positive.clone(),
                        counts,
                        waiting,
                        is_refused: false,
                    };
                    missing.0.insert(arm_key(section, evaluator, arm), found);
                }
            }
        }
        missing
    }

    /// Tries every draw that would be advised: what the program would refuse is not offered. `whole` is every turn by
    /// the set, whatever was looked at. Blocks, where a turn was labelled that no draw of the queue has, while it reads
    /// what that was drawn from: every session.
    pub(super) fn mark_refused(
        &mut self,
        layout: &Layout,
        book: &LabelBook,
        whole: impl FnOnce() -> Result<ValidateRows, WorkspaceError>,
    ) -> Result<(), WorkspaceError> {
        let mut advised = self
            .0
            .values_mut()
            .filter(|one| one.waiting == 0)
            .peekable();
        if advised.peek().is_none() {
            return Ok(());
        }
        let reading = whole()?;
        let mut considered: BTreeMap<String, ConsideredTurns> = BTreeMap::new();
        for missing in advised {
            let queue = find_queue(layout, &missing.queue)?;
            let kind = queue.definition.filter.of;
            if !is_labelled_beside(&reading.rows, &queue) {
                continue;
            }
            let turns = match considered.entry(missing.queue.clone()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(ConsideredTurns::read(layout, queue)?),
            };
            let further = build_further_draw(&reading, book, kind, missing);
            missing.is_refused = !further.is_ok_and(|further| turns.can_draw(&further));
        }
        Ok(())
    }
}

/// Says whether a turn was labelled that a queue did not draw.
fn is_labelled_beside(rows: &[ValidateRow], queue: &Queue) -> bool {
    let drawn = list_drawn_turns(queue);
    let mut labelled = rows.iter().filter(|row| !row.labels.is_empty());
    labelled.any(|row| !drawn.contains(&(row.session.clone(), row.turn.clone())))
}

/// Returns the sessions and turns that a queue drew.
fn list_drawn_turns(queue: &Queue) -> BTreeSet<(String, String)> {
    let items = queue.items();
    items.filter_map(|(_, item)| turn_key(&item.on)).collect()
}

/// Returns how many labels an arm lacks of which turns; `None` where labels alone halve nothing.
fn list_counts(evaluator: &EvaluatorReport, arm: &ArmRate) -> Option<Vec<(String, u32)>> {
    let Some(MoreLabels::Labels { strata }) = &arm.more else {
        return None;
    };
    let name = |positive: bool| match positive {
        true => evaluator.positive.clone(),
        false => evaluator.negative.clone(),
    };
    let counts = strata.iter().filter(|one| one.add > 0).map(|one| {
        let count = u32::try_from(one.add).unwrap_or(u32::MAX);
        (name(one.positive), count)
    });
    Some(counts.collect())
}

/// Returns a turn by its session and its attempt, as rows name it.
fn turn_key(on: &AnnotationTarget) -> Option<(String, String)> {
    let attempt = on.attempt.as_ref()?;
    Some((on.session.to_string(), attempt.id.to_string()))
}

/// Returns an evaluator's first word where it tells it from the others: of two evaluators that games have of their
/// own, the calls of one are not those of the other.
fn shorten_evaluator(name: &str, names: &BTreeSet<&String>) -> String {
    let first = name.split(' ').next().unwrap_or(name);
    let alike = names.iter().filter(|other| is_called(other, first));
    match alike.count() {
        0 | 1 => first.to_owned(),
        _ => name.to_owned(),
    }
}

/// Says whether a name, or its first word, is what was asked for.
fn is_called(name: &str, wanted: &str) -> bool {
    name == wanted || name.split(' ').next() == Some(wanted)
}

/// Sessions of each run that are over.
type SessionsOfRuns = Vec<(RunId, BTreeSet<String>)>;

fn read_sessions_of_runs(layout: &Layout) -> SessionsOfRuns {
    let runs = layout.list_runs().unwrap_or_default().into_iter();
    let runs = runs.filter_map(|run| {
        let state = read_run(&layout.run_path(&run).ok()?).ok()?;
        let finished = state.finished.values();
        let sessions = finished.map(|done| done.session.to_string()).collect();
        Some((RunId::new(run), sessions))
    });
    runs.collect()
}

/// Returns the run that all of some sessions are of.
fn find_run_of(runs: &SessionsOfRuns, sessions: &BTreeSet<&str>) -> Option<RunId> {
    let holds_all = |own: &BTreeSet<String>| sessions.iter().all(|session| own.contains(*session));
    let mut runs = runs.iter();
    let found = runs.find(|(_, own)| !sessions.is_empty() && holds_all(own));
    found.map(|(run, _)| run.clone())
}

/// Reads what an evaluator called the turns of a queue's label set, for a draw of more of them. Blocks.
///
/// # Errors
/// When there is no such queue, the evaluator judged none of its turns or several do by that name, or the store
/// cannot be read.
pub fn read_further_draw(
    index: &StoreIndex,
    library: &Library,
    missing: &MissingLabels,
) -> Result<FurtherDraw, WorkspaceError> {
    let definition = find_queue(index.layout(), &missing.queue)?.definition;
    let book = library.read_label_set(&definition.set)?;
    let query = ValidateQuery::default();
    let reading = validate_rows(index, &book.set, book.hash, &query)?;
    build_further_draw(&reading, &book, definition.filter.of, missing)
}

/// Finds in all turns what an evaluator called those that are missing.
fn build_further_draw(
    reading: &ValidateRows,
    book: &LabelBook,
    kind: PlayedBy,
    missing: &MissingLabels,
) -> Result<FurtherDraw, WorkspaceError> {
    let options = build_options(
        &book.set,
        &ValidationRequest {
            positive: missing.positive.clone(),
            ..ValidationRequest::default()
        },
    );
    let is_simulated = kind == PlayedBy::Simulated;
    let rows: Vec<&ValidateRow> = reading
        .rows
        .iter()
        .filter(|row| row.simulated == is_simulated && row.hash_check == missing.hash_check)
        .collect();
    let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.found.keys()).collect();
    let named = names.iter().map(|name| name.as_str());
    let mut evaluators: Vec<&str> = named
        .clone()
        .filter(|name| is_called(name, &missing.evaluator))
        .collect();
    // A whole name is that evaluator, also where it is the first word of another one.
    if evaluators.contains(&missing.evaluator.as_str()) {
        evaluators = vec![&missing.evaluator];
    }
    if evaluators.is_empty() {
        let names: Vec<&str> = named.collect();
        return reject(format!(
            "no evaluator '{}' judged turns of such debates; there are: {}",
            missing.evaluator,
            match names.is_empty() {
                true => "none".to_owned(),
                false => names.join("; "),
            }
        ));
    }
    let is_of_arm = |row: &ValidateRow| missing.arm.as_ref().is_none_or(|arm| *arm == row.arm);
    // Of a game's own a turn has one as a rule: together they are what games themselves found.
    let is_judged_twice = rows.iter().filter(|row| is_of_arm(row)).any(|row| {
        let found = evaluators
            .iter()
            .filter(|name| row.found.contains_key(**name));
        found.count() > 1
    });
    if evaluators.len() > 1 && (missing.evaluator != OWN || is_judged_twice) {
        return reject(format!(
            "'{}' are several evaluators; name one of: {}",
            missing.evaluator,
            evaluators.join("; ")
        ));
    }
    evaluators.sort_unstable();
    let mut calls = TurnCalls::new();
    for evaluator in evaluators {
        let found = name_calls(&rows, evaluator, &options)
            .map_err(|error| WorkspaceError::Invalid(error.to_string()))?;
        for (row, call) in rows.iter().zip(found) {
            let key = (row.session.clone(), row.turn.clone());
            let known = calls.entry(key).or_insert(TurnCall {
                call: None,
                is_labelled: !row.labels.is_empty(),
            });
            known.call = known.call.take().or(call.filter(|_| is_of_arm(row)));
        }
    }
    refuse_unknown_calls(&calls, missing)?;
    Ok(FurtherDraw {
        counts: missing.counts.clone(),
        run: missing.run.clone(),
        calls,
    })
}

/// Refuses a call that no turn has, with those that there are.
fn refuse_unknown_calls(calls: &TurnCalls, missing: &MissingLabels) -> Result<(), WorkspaceError> {
    let known: BTreeSet<&str> = calls
        .values()
        .filter_map(|turn| turn.call.as_deref())
        .collect();
    let unknown = |call: &&String| !known.contains(call.as_str());
    let mut asked = missing.counts.iter().map(|(call, _)| call);
    match asked.find(unknown) {
        None => Ok(()),
        Some(call) => reject(format!(
            "no turn was called '{call}' by it; there are: {}",
            known.into_iter().collect::<Vec<_>>().join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_evaluator_has_its_first_word_where_no_other_has_it() {
        let names = [
            "own safety by ada",
            "own safety by bo",
            "pass:01 safety",
            "pass:02",
        ]
        .map(str::to_owned);
        let names: BTreeSet<&String> = names.iter().collect();
        let short: Vec<String> = names
            .iter()
            .map(|name| shorten_evaluator(name, &names))
            .collect();
        // The calls of one of games' own evaluators are not those of the other.
        assert_eq!(
            short,
            [
                "own safety by ada",
                "own safety by bo",
                "pass:01",
                "pass:02"
            ]
        );
        let one: BTreeSet<&String> = names.iter().take(1).copied().collect();
        assert_eq!(shorten_evaluator("own safety by ada", &one), OWN);
    }
}
