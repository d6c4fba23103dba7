//! Guardrail section: match rate, recall and runtime errors of guardrail decisions.

use super::counting::{DebatePool, DebateTally};
use crate::metrics::report::figure::{Figure, Measure};
use crate::metrics::report::left_out::LeftOutReason;
use crate::metrics::rows::{DebateRow, GuardOutcome, GuardRow};
use std::collections::BTreeSet;

/// Returns the three figures over all guarded chairs and, where several models decided, over those
/// of each; empty where no debate used guardrails.
pub(crate) fn guards(pool: &DebatePool<'_>) -> Vec<Figure> {
    let rows = pool.debates.iter().flat_map(|debate| &debate.guards);
    let models: BTreeSet<&str> = rows.map(|row| row.model.as_str()).collect();
    if models.is_empty() {
        return Vec::new();
    }
    let mut figures = guardrail_figures(pool, None);
    if models.len() > 1 {
        for model in models {
            figures.extend(guardrail_figures(pool, Some(model)));
        }
    }
    figures
}

fn guardrail_figures(pool: &DebatePool<'_>, model: Option<&str>) -> Vec<Figure> {
    let measures = [
        Measure::GuardrailMatch,
        Measure::GuardrailRecall,
        Measure::GuardrailErrors,
    ];
    let figures = measures.map(|measure| {
        let tally = |debate: &DebateRow| {
            let mut tally = DebateTally::default();
            let rows = debate.guards.iter().filter(|row| {
                model.is_none_or(|model| row.model == model)
                    && (pool.scope.model.as_ref())
                        .is_none_or(|model| model.as_ref() == Some(&row.model))
                    && pool
                        .scope
                        .place
                        .as_ref()
                        .is_none_or(|place| *place == row.place())
            });
            for row in rows {
                observe(&mut tally, measure, debate, row);
            }
            tally
        };
        let figure = pool.figure(measure, tally, |_| "no decision");
        match model {
            Some(model) => figure.titled(format!("{}, {model}", measure.label())),
            None => figure,
        }
    });
    figures.into()
}

fn observe(tally: &mut DebateTally, measure: Measure, debate: &DebateRow, row: &GuardRow) {
    if row.inherited {
        tally.leave_out(LeftOutReason::Inherited);
        return;
    }
    let asked = row.found != GuardOutcome::NothingNear;
    let concerned = match measure {
        // Without a near guardrail nothing can match; for a topic called safe nothing should.
        Measure::GuardrailRecall => asked && !debate.expected_safe,
        Measure::GuardrailErrors => asked,
        _ => true,
    };
    if !concerned {
        return;
    }
    let is_error = match row.found {
        GuardOutcome::Unparsed | GuardOutcome::Failed => true,
        GuardOutcome::Matched | GuardOutcome::NoMatch | GuardOutcome::NothingNear => false,
    };
    match (measure, row.found) {
        (Measure::GuardrailErrors, _) => tally.observe_whether(is_error),
        (_, GuardOutcome::Unparsed) => tally.leave_out(LeftOutReason::Unparsed),
        (_, GuardOutcome::Failed) => tally.leave_out(LeftOutReason::Failed),
        (_, found) => tally.observe_whether(found == GuardOutcome::Matched),
    }
}
