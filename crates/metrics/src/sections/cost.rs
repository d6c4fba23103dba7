//! Cost section: calls, tokens, money, time, and incomplete debates.

use super::counting::{DebatePool, DebateTally};
use crate::report::figure::{Dimension, Figure, FigureKey, Measure, Unit};
use crate::report::left_out::LeftOutReason;
use crate::report::text_layout::format_value;
use crate::rows::{Alert, DebateOutcome, DebateRow};

/// Returns the shares of debates that an error or a ceiling ended.
pub(crate) fn compute_outcome_figures(pool: &DebatePool<'_>) -> Vec<Figure> {
    let share = |measure, ended_so: fn(&DebateOutcome) -> bool| {
        pool.compute_figure(
            measure,
            |debate| {
                let mut tally = DebateTally::default();
                tally.observe_whether(ended_so(&debate.outcome));
                tally
            },
            |_| "no debate",
        )
    };
    vec![
        share(Measure::FailedDebates, |outcome| match outcome {
            DebateOutcome::Failed(_) => true,
            DebateOutcome::Complete | DebateOutcome::Truncated => false,
        }),
        share(Measure::TruncatedDebates, |outcome| match outcome {
            DebateOutcome::Truncated => true,
            DebateOutcome::Complete | DebateOutcome::Failed(_) => false,
        }),
    ]
}

/// Returns totals and means per debate. Forks and human turns are included: their use was real.
pub(crate) fn compute_usage_figures(pool: &DebatePool<'_>) -> Vec<Figure> {
    let calls = |debate: &DebateRow| debate.usage.calls as f64;
    let input = |debate: &DebateRow| debate.usage.input_tokens as f64;
    let output = |debate: &DebateRow| debate.usage.output_tokens as f64;
    let tokens = |debate: &DebateRow| input(debate) + output(debate);
    vec![
        total_use_figure(pool, Measure::Calls, calls),
        total_use_figure(pool, Measure::InputTokens, input),
        total_use_figure(pool, Measure::OutputTokens, output),
        withhold_unknown_cost(pool, total_use_figure(pool, Measure::Cost, cost_or_zero)),
        mean_use_figure(pool, Measure::CallsPerDebate, calls),
        mean_use_figure(pool, Measure::TokensPerDebate, tokens),
        withhold_unknown_cost(
            pool,
            mean_use_figure(pool, Measure::CostPerDebate, cost_or_zero),
        ),
        mean_use_figure(pool, Measure::WallPerDebate, |debate| {
            debate.usage.wall_ms as f64
        }),
        mean_use_figure(pool, Measure::CriticalPathPerDebate, |debate| {
            debate.usage.critical_path_ms as f64
        }),
    ]
}

/// Multiple of its estimate above which a debate's use is runaway (EAAPL-MAG005 §8.1).
const ESTIMATE_ALERT: Alert = Alert {
    below: None,
    above: Some(1.5),
};

/// Returns the use as a multiple of its estimate, for the pool and each of its categories: in
/// money, and in tokens where any debate cannot be compared in money. Empty where nothing was
/// estimated.
pub(crate) fn compute_estimate_figures(pool: &DebatePool<'_>) -> Vec<Figure> {
    let in_money: Vec<_> = pool
        .debates
        .iter()
        .map(|debate| cost_and_estimate(debate))
        .collect();
    let in_tokens = pool
        .debates
        .iter()
        .any(|debate| tokens_and_estimate(debate).is_ok());
    let mut figures = Vec::new();
    if pool.debates.iter().any(|d| d.usage.estimated_usd.is_some()) {
        figures.extend(estimate_ratio_figures(
            pool,
            Measure::CostOverEstimate,
            cost_and_estimate,
        ));
    }
    let has_no_price = |money: &Result<_, LeftOutReason>| {
        money.as_ref().is_err_and(|why| *why != LeftOutReason::Fork)
    };
    if in_tokens && in_money.iter().any(has_no_price) {
        figures.extend(estimate_ratio_figures(
            pool,
            Measure::TokensOverEstimate,
            tokens_and_estimate,
        ));
    }
    figures
}

fn estimate_ratio_figures(
    pool: &DebatePool<'_>,
    measure: Measure,
    used: fn(&DebateRow) -> Result<(f64, f64), LeftOutReason>,
) -> Vec<Figure> {
    let figure = |part: &DebatePool<'_>| {
        part.ratio_of_sums(
            measure,
            |debate| Some(used(debate)),
            "no debate with an estimate above 0",
        )
        .with_alert(ESTIMATE_ALERT)
    };
    let mut figures = vec![figure(pool)];
    let categories = pool.split_by_category();
    if categories.len() > 1 {
        figures.extend(categories.into_iter().map(|(category, part)| {
            figure(&part).with_key(FigureKey {
                by: Dimension::Category,
                value: category,
            })
        }));
    }
    figures
}

/// Returns cost and estimated cost. The use of a fork is only part of the estimated debate's.
fn cost_and_estimate(debate: &DebateRow) -> Result<(f64, f64), LeftOutReason> {
    if debate.fork {
        return Err(LeftOutReason::Fork);
    }
    let estimate = debate
        .usage
        .estimated_usd
        .ok_or(LeftOutReason::NoEstimate)?;
    let cost = debate.usage.cost_usd.ok_or(LeftOutReason::NoPrice)?;
    (cost.is_finite() && estimate.is_finite())
        .then_some((cost, estimate))
        .ok_or(LeftOutReason::NotFinite)
}

/// Returns tokens and estimated tokens.
fn tokens_and_estimate(debate: &DebateRow) -> Result<(f64, f64), LeftOutReason> {
    if debate.fork {
        return Err(LeftOutReason::Fork);
    }
    let usage = &debate.usage;
    let estimate = usage.estimated_tokens.ok_or(LeftOutReason::NoEstimate)?;
    let used = usage.input_tokens as f64 + usage.output_tokens as f64;
    Ok((used, estimate as f64))
}

fn known_cost(debate: &DebateRow) -> Option<f64> {
    debate.usage.cost_usd.filter(|cost| cost.is_finite())
}

/// Returns the cost; shown only where [`withhold_unknown_cost`] finds every cost known.
fn cost_or_zero(debate: &DebateRow) -> f64 {
    known_cost(debate).unwrap_or(0.0)
}

/// Removes the value of a cost figure when the cost of any debate is unknown.
fn withhold_unknown_cost(pool: &DebatePool<'_>, mut figure: Figure) -> Figure {
    let unknown = pool
        .debates
        .iter()
        .filter(|debate| known_cost(debate).is_none())
        .count();
    if unknown == 0 {
        return figure;
    }
    figure.notes.clear();
    let known_total: f64 = pool.debates.iter().filter_map(|d| known_cost(d)).sum();
    let known_text = if known_total > 0.0 && known_total.is_finite() {
        format!("{} is known; ", format_value(known_total, Unit::Usd))
    } else {
        String::new()
    };
    figure.mark_not_applicable(format!(
        "{known_text}{unknown} of {} debates called a model without a price",
        pool.debates.len()
    ))
}

fn mean_use_figure(
    pool: &DebatePool<'_>,
    measure: Measure,
    used: impl Fn(&DebateRow) -> f64,
) -> Figure {
    pool.compute_figure(measure, |debate| tally_use(debate, &used), |_| "no debate")
}

fn total_use_figure(
    pool: &DebatePool<'_>,
    measure: Measure,
    used: impl Fn(&DebateRow) -> f64,
) -> Figure {
    let tallies = pool.tally_by_topic(|debate| tally_use(debate, &used));
    let mut figure = Figure::from_tallies(measure, &tallies);
    figure.set_total(tallies.total.a);
    figure
}

fn tally_use(debate: &DebateRow, used: impl Fn(&DebateRow) -> f64) -> DebateTally {
    let mut tally = DebateTally::default();
    tally.observe(used(debate));
    tally
}
