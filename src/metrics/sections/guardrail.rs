//! What guardrails did: how often one matched, of what could match, and how often asking failed.

use super::count::{Pool, Tally};
use super::figure::{Figure, LeftOut, Measure};
use super::rows::{DebateRow, GuardFound, GuardRow};
use std::collections::BTreeSet;

/// Returns the three figures over all guarded chairs and, where several models decided, over those
/// of each; none where no debate asked guardrails.
pub(super) fn guards(pool: &Pool<'_>) -> Vec<Figure> {
    let rows = pool.debates.iter().flat_map(|debate| &debate.guards);
    let models: BTreeSet<&str> = rows.map(|row| row.model.as_str()).collect();
    if models.is_empty() {
        return Vec::new();
    }
    let mut figures = of(pool, None);
    if models.len() > 1 {
        for model in models {
            figures.extend(of(pool, Some(model)));
        }
    }
    figures
}

fn of(pool: &Pool<'_>, model: Option<&str>) -> Vec<Figure> {
    let measures = [
        Measure::GuardrailMatch,
        Measure::GuardrailRecall,
        Measure::GuardrailErrors,
    ];
    let figures = measures.map(|measure| {
        let tally = |debate: &DebateRow| {
            let mut tally = Tally::default();
            let rows = debate.guards.iter().filter(|row| {
                model.is_none_or(|model| row.model == model)
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

fn observe(tally: &mut Tally, measure: Measure, debate: &DebateRow, row: &GuardRow) {
    if row.inherited {
        tally.leave_out(LeftOut::Inherited);
        return;
    }
    let asked = row.found != GuardFound::NothingNear;
    let concerned = match measure {
        // Where nothing is near nothing can match; what is said to be safe should not.
        Measure::GuardrailRecall => asked && !debate.expected_safe,
        Measure::GuardrailErrors => asked,
        _ => true,
    };
    if !concerned {
        return;
    }
    let is_error = match row.found {
        GuardFound::Unparsed | GuardFound::Failed => true,
        GuardFound::Matched | GuardFound::NoMatch | GuardFound::NothingNear => false,
    };
    match (measure, row.found) {
        (Measure::GuardrailErrors, _) => tally.observe_whether(is_error),
        (_, GuardFound::Unparsed) => tally.leave_out(LeftOut::Unparsed),
        (_, GuardFound::Failed) => tally.leave_out(LeftOut::Failed),
        (_, found) => tally.observe_whether(found == GuardFound::Matched),
    }
}
