//! Header of an Inspect log: the evaluation, its plan, and what all samples come to.

use super::scores::Score;
use super::usage::{UsageByName, UsageSum};
use super::{LogPlayers, outcome_of};
use crate::library::software_name;
use elenchus_game::debate::SessionId;
use elenchus_metrics::{DebateOutcome, DebateRow};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What stands for the model of a log that has several, or none.
const NO_MODEL: &str = "none/none";
/// Time of a log whose debates have none.
const NO_TIME: &str = "1970-01-01T00:00:00Z";

/// What the samples of a log come to.
#[derive(Debug, Default)]
pub(super) struct LogTotals {
    completed: usize,
    by_model: UsageSum,
    by_seat: UsageSum,
    began: Option<String>,
    ended: Option<String>,
    scorers: BTreeMap<String, ScorerTotal>,
}

/// What a scorer found: how often each label, or the mean of numbers.
#[derive(Debug, Default)]
struct ScorerTotal {
    samples: usize,
    labels: BTreeMap<String, u64>,
    numbers: u64,
    sum: f64,
}

impl LogTotals {
    /// Adds a sample.
    pub(super) fn add_sample(
        &mut self,
        row: &DebateRow,
        (began, ended): (&str, &str),
        used: &UsageByName,
        scores: &[Score],
    ) {
        let is_failed = matches!(row.outcome, DebateOutcome::Failed(_));
        self.completed += usize::from(!is_failed);
        self.by_model.extend(&used.by_model);
        self.by_seat.extend(&used.by_seat);
        if !began.is_empty() {
            let earlier = self.began.take().filter(|known| known.as_str() < began);
            self.began = Some(earlier.unwrap_or_else(|| began.to_owned()));
            let later = self.ended.take().filter(|known| known.as_str() > ended);
            self.ended = Some(later.unwrap_or_else(|| ended.to_owned()));
        }
        let mut scorers = BTreeSet::new();
        for score in scores {
            let total = self.scorers.entry(score.scorer.clone()).or_default();
            if scorers.insert(&score.scorer) {
                total.samples += 1;
            }
            match score.label().as_f64() {
                Some(number) => {
                    total.numbers += 1;
                    total.sum += number;
                }
                None => {
                    let label = score.label().as_str().unwrap_or_default();
                    *total.labels.entry(label.to_owned()).or_default() += 1;
                }
            }
        }
    }
}

/// Returns the evaluation.
pub(super) fn build_eval(
    log_id: &str,
    players: &LogPlayers,
    debates: &[(SessionId, DebateRow)],
    sample_ids: &[(String, u32)],
) -> Value {
    let began = debates.iter().filter_map(|(_, row)| {
        let began = row.origin.began_at.as_deref();
        began.filter(|at| !at.is_empty())
    });
    let ids: BTreeSet<&str> = sample_ids.iter().map(|(id, _)| id.as_str()).collect();
    let epochs = sample_ids.iter().map(|(_, epoch)| *epoch).max();
    let collect = |value: fn(&DebateRow) -> Option<&str>| -> BTreeSet<&str> {
        debates.iter().filter_map(|(_, row)| value(row)).collect()
    };
    let datasets = collect(|row| row.origin.dataset.as_deref());
    let is_simulated = debates.iter().any(|(_, row)| row.simulated);
    let mut models = players.models.iter();
    let model = match (models.next(), models.next()) {
        (Some(model), None) => model,
        (_, _) => NO_MODEL,
    };
    let roles = players
        .by_seat
        .iter()
        .filter_map(|(seat, models)| match models.len() {
            1 => Some((seat.clone(), json!({ "model": models.first() }))),
            _ => None,
        });
    let protocols: Vec<&str> = players.protocols.iter().map(String::as_str).collect();
    json!({
        "eval_id": format!("eval-{log_id}"),
        "run_id": format!("run-{log_id}"),
        "created": began.min().unwrap_or(NO_TIME),
        "task": format!("elenchus {}", protocols.join("+")),
        "task_id": format!("task-{log_id}"),
        "task_version": 0,
        "task_attribs": {},
        "task_args": {},
        "tags": if is_simulated { json!(["simulated"]) } else { json!([]) },
        "dataset": {
            "name": datasets.into_iter().collect::<Vec<_>>().join("+"),
            "samples": ids.len(),
            "sample_ids": ids,
            "shuffled": false,
        },
        "model": model,
        "model_roles": Value::Object(roles.collect::<Map<_, _>>()),
        "model_args": {},
        "config": { "epochs": epochs.unwrap_or(1) },
        "packages": {},
        "metadata": {
            "software": software_name(),
            "played_by": players.software,
            "protocols": protocols,
            "arms": collect(|row| Some(row.arm.as_str())),
            "runs": collect(|row| row.origin.run.as_deref()),
            "simulated": is_simulated,
            "ends": collect(|row| Some(outcome_of(&row.outcome))),
        },
    })
}

/// Returns the plan: a step for each protocol.
pub(super) fn build_plan(players: &LogPlayers) -> Value {
    let steps = players.protocols.iter();
    let steps: Vec<Value> = steps
        .map(|protocol| json!({ "solver": protocol, "params": {} }))
        .collect();
    json!({ "name": "debate", "steps": steps, "config": {} })
}

/// Returns the whole log without its samples.
pub(super) fn build_header(eval: Value, plan: Value, totals: &LogTotals, samples: usize) -> Value {
    let scores: Vec<Value> = totals
        .scorers
        .iter()
        .map(|(scorer, total)| {
            json!({
                "name": scorer,
                "scorer": scorer,
                "scored_samples": total.samples,
                "unscored_samples": samples.saturating_sub(total.samples),
                "params": {},
                "metrics": build_metrics(total),
            })
        })
        .collect();
    json!({
        "status": "success",
        "eval": eval,
        "plan": plan,
        "results": {
            "total_samples": samples,
            "completed_samples": totals.completed,
            "scores": scores,
        },
        "stats": {
            "started_at": totals.began.as_deref().unwrap_or_default(),
            "completed_at": totals.ended.as_deref().unwrap_or_default(),
            "model_usage": totals.by_model.to_value(),
            "role_usage": totals.by_seat.to_value(),
        },
    })
}

/// Counts labels, and means numbers: rates with what they leave out are the business of `metrics`.
fn build_metrics(total: &ScorerTotal) -> Value {
    let metric = |name: &str, value: Value| json!({ "name": name, "value": value, "params": {} });
    let counts = total.labels.iter().map(|(label, count)| {
        let name = format!("count of {label}");
        (name.clone(), metric(&name, json!(count)))
    });
    let mut metrics: Map<String, Value> = counts.collect();
    if total.numbers > 0 {
        let mean = total.sum / total.numbers as f64;
        metrics.insert("mean".to_owned(), metric("mean", json!(mean)));
    }
    Value::Object(metrics)
}
