//! Calls, tokens, money, time, and debates that did not come to their end.

use super::count::{Pool, Tally};
use super::figure::{Figure, Measure};
use super::rows::{DebateRow, Outcome};

/// Returns the shares of debates that an error or a ceiling ended.
pub(super) fn outcomes(pool: &Pool<'_>) -> Vec<Figure> {
    let share = |measure, ended_so: fn(&Outcome) -> bool| {
        pool.figure(
            measure,
            |debate| {
                let mut tally = Tally::default();
                tally.observe_whether(ended_so(&debate.outcome));
                tally
            },
            |_| "no debate",
        )
    };
    vec![
        share(Measure::FailedDebates, |outcome| match outcome {
            Outcome::Failed(_) => true,
            Outcome::Complete | Outcome::Truncated => false,
        }),
        share(Measure::TruncatedDebates, |outcome| match outcome {
            Outcome::Truncated => true,
            Outcome::Complete | Outcome::Failed(_) => false,
        }),
    ]
}

/// Returns totals and means per debate. What people and forks used was used: nothing is left out.
pub(super) fn usage(pool: &Pool<'_>) -> Vec<Figure> {
    let calls = |debate: &DebateRow| debate.usage.calls as f64;
    let input = |debate: &DebateRow| debate.usage.input_tokens as f64;
    let output = |debate: &DebateRow| debate.usage.output_tokens as f64;
    let tokens = |debate: &DebateRow| input(debate) + output(debate);
    vec![
        total(pool, Measure::Calls, calls),
        total(pool, Measure::InputTokens, input),
        total(pool, Measure::OutputTokens, output),
        priced(pool, total(pool, Measure::Cost, cost_or_zero)),
        mean(pool, Measure::CallsPerDebate, calls),
        mean(pool, Measure::TokensPerDebate, tokens),
        priced(pool, mean(pool, Measure::CostPerDebate, cost_or_zero)),
        mean(pool, Measure::WallPerDebate, |debate| {
            debate.usage.wall_ms as f64
        }),
        mean(pool, Measure::CriticalPathPerDebate, |debate| {
            debate.usage.critical_path_ms as f64
        }),
    ]
}

fn known_cost(debate: &DebateRow) -> Option<f64> {
    debate.usage.cost_usd.filter(|cost| cost.is_finite())
}

/// Only shown where [`priced`] finds every cost known.
fn cost_or_zero(debate: &DebateRow) -> f64 {
    known_cost(debate).unwrap_or(0.0)
}

/// Withholds a figure about cost when the cost of any debate is unknown.
fn priced(pool: &Pool<'_>, mut figure: Figure) -> Figure {
    let unknown = pool
        .debates
        .iter()
        .filter(|debate| known_cost(debate).is_none())
        .count();
    if unknown == 0 {
        return figure;
    }
    figure.notes.clear();
    figure.without_value(format!(
        "{unknown} of {} debates called a model without a price",
        pool.debates.len()
    ))
}

fn mean(pool: &Pool<'_>, measure: Measure, used: impl Fn(&DebateRow) -> f64) -> Figure {
    pool.figure(measure, |debate| tally(debate, &used), |_| "no debate")
}

fn total(pool: &Pool<'_>, measure: Measure, used: impl Fn(&DebateRow) -> f64) -> Figure {
    let pooled = pool.tallied(|debate| tally(debate, &used));
    let mut figure = Figure::empty(measure, &pooled);
    figure.give_total(pooled.total.a);
    figure
}

fn tally(debate: &DebateRow, used: impl Fn(&DebateRow) -> f64) -> Tally {
    let mut tally = Tally::default();
    tally.observe(used(debate));
    tally
}
