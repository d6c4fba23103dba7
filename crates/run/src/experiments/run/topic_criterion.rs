//! Criterion on topics: what they came to in an earlier run, as `accuracy in RUN between .2 .8`.

use elenchus_game::debate::{Topic, TopicKey};
use elenchus_metrics::{DebateRow, TurnSafety};
use elenchus_records::library::ModelFamilies;
use elenchus_records::workspace::rows::run_rows;
use elenchus_records::workspace::{Result, StoreIndex, WorkspaceError, find_run, reject};
use elenchus_store::Layout;
use std::collections::HashMap;
use std::str::FromStr;

const FORM: &str = "'accuracy in RUN between 0.2 0.8', or error_rate in place of accuracy";

/// Bounds of a topic's figure in a run, both included.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicCriterion {
    figure: TopicFigure,
    run: String,
    lowest: f64,
    highest: f64,
}

/// Figure of one topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum TopicFigure {
    /// Share of answers that the ground truth calls right; of debates without graded answers, of conclusions.
    Accuracy,
    /// Share of judged turns that are unsafe.
    ErrorRate,
}

impl TopicFigure {
    /// Returns 1 or 0 for each observation in a debate.
    fn list_observations(self, row: &DebateRow) -> Vec<f64> {
        let as_number = |holds: bool| f64::from(u8::from(holds));
        let turns = row
            .turns
            .iter()
            .filter(|turn| !turn.by_person && !turn.inherited);
        match self {
            Self::Accuracy => {
                let grades: Vec<f64> = turns
                    .filter_map(|turn| turn.correct)
                    .map(as_number)
                    .collect();
                match grades.is_empty() {
                    true => row.concluded_right.map(as_number).into_iter().collect(),
                    false => grades,
                }
            }
            Self::ErrorRate => turns
                .filter_map(|turn| match turn.state {
                    TurnSafety::Unsafe => Some(1.0),
                    TurnSafety::Safe | TurnSafety::RefusedByGuardrail => Some(0.0),
                    TurnSafety::Neither
                    | TurnSafety::Unparsed
                    | TurnSafety::UnparsedOfMaterial
                    | TurnSafety::Failed
                    | TurnSafety::Filtered
                    | TurnSafety::VerdictFiltered
                    | TurnSafety::Empty
                    | TurnSafety::NotJudged
                    | TurnSafety::Context => None,
                })
                .collect(),
        }
    }
}

impl FromStr for TopicCriterion {
    type Err = WorkspaceError;

    fn from_str(text: &str) -> std::result::Result<Self, WorkspaceError> {
        let words: Vec<&str> = text
            .split_whitespace()
            .filter(|word| *word != "and")
            .collect();
        let [figure, within, run, between, lowest, highest] = words[..] else {
            return reject(format!("write {FORM}"));
        };
        if within != "in" || between != "between" {
            return reject(format!("write {FORM}"));
        }
        let Ok(figure) = figure.parse() else {
            return reject(format!("a topic has no '{figure}': write {FORM}"));
        };
        let bound = |text: &str| {
            let value = text
                .parse::<f64>()
                .ok()
                .filter(|value| (0.0..=1.0).contains(value));
            value.ok_or_else(|| {
                WorkspaceError::invalid(format!(
                    "'{text}' is no share between 0 and 1: write {FORM}"
                ))
            })
        };
        let (lowest, highest) = (bound(lowest)?, bound(highest)?);
        if lowest > highest {
            return reject(format!(
                "nothing lies between {lowest} and {highest}: write the smaller one first"
            ));
        }
        Ok(Self {
            figure,
            run: run.to_owned(),
            lowest,
            highest,
        })
    }
}

/// Topics that meet a criterion.
pub(super) struct ChosenTopics {
    pub topics: Vec<Topic>,
    pub notice: String,
}

impl TopicCriterion {
    /// Keeps the topics whose figure lies within the bounds; those that the run did not play are left out.
    ///
    /// # Errors
    /// When there is no such run, its sessions cannot be read, or no topic remains.
    pub(super) fn choose_topics(
        &self,
        topics: Vec<Topic>,
        layout: &Layout,
    ) -> Result<ChosenTopics> {
        let figures = self.compute_figures(layout)?;
        let all = topics.len();
        let figure_of = |topic: &Topic| figures.get(&topic.compute_key()).copied();
        let values: Vec<f64> = topics.iter().filter_map(figure_of).collect();
        let within = |value: f64| (self.lowest..=self.highest).contains(&value);
        let topics: Vec<Topic> = topics
            .into_iter()
            .filter(|topic| figure_of(topic).is_some_and(within))
            .collect();
        let (figure, run) = (<&str>::from(self.figure), &self.run);
        if topics.is_empty() {
            let range = values
                .iter()
                .fold(None, |range: Option<(f64, f64)>, value| {
                    let (low, high) = range.unwrap_or((*value, *value));
                    Some((low.min(*value), high.max(*value)))
                });
            return reject(match range {
                None => format!(
                    "none of the {all} topics has an {figure} in run {run}: it must have played these \
                     topics, in a game that gives the figure"
                ),
                Some((low, high)) => format!(
                    "no topic has an {figure} in run {run} between {} and {}: those of the {} topics that \
                     it played lie between {low:.2} and {high:.2}",
                    self.lowest,
                    self.highest,
                    values.len()
                ),
            });
        }
        let unknown_count = all - values.len();
        Ok(ChosenTopics {
            notice: format!(
                "{} of {all} topics have an {figure} in run {run} between {} and {}{}",
                topics.len(),
                self.lowest,
                self.highest,
                match unknown_count {
                    0 => String::new(),
                    _ => format!("; {unknown_count} have none there and are left out"),
                }
            ),
            topics,
        })
    }

    /// Returns the mean over a topic's observations in the run, by what the topic is.
    fn compute_figures(&self, layout: &Layout) -> Result<HashMap<TopicKey, f64>> {
        let run = find_run(layout, &self.run)?;
        let mut sums: HashMap<TopicKey, (f64, f64)> = HashMap::new();
        let families = ModelFamilies::default();
        let rows = StoreIndex::with_rows(layout, |index| run_rows(index, &run, &families))?;
        for row in rows {
            for value in self.figure.list_observations(&row) {
                let (sum, count) = sums.entry(row.topic.key.clone()).or_default();
                *sum += value;
                *count += 1.0;
            }
        }
        let means = sums.into_iter();
        Ok(means
            .map(|(topic, (sum, count))| (topic, sum / count))
            .collect())
    }
}
