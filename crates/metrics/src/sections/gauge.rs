//! Gauge section: measurements that protocols define on their own debates; names and bounds are
//! data (EAAPL-MAG005 §8.1).

use std::collections::BTreeSet;

use super::counting::{DebatePool, DebateTally};
use crate::report::figure::{Dimension, Figure, FigureKey, Measure};
use crate::report::left_out::LeftOutReason;
use crate::rows::{DebateRow, GaugeKind, GaugeRow};

/// Text of a flag for which the protocol has none.
const FLAG_WITHOUT_TEXT: &str = "flagged";

/// A gauge of one protocol: gauges of one id with different definitions are not pooled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct GaugeDefinition<'a> {
    id: &'a str,
    name: &'a str,
    kind: GaugeKind,
}

impl<'a> GaugeDefinition<'a> {
    fn from_row(row: &'a GaugeRow) -> Self {
        Self {
            id: &row.id,
            name: &row.name,
            kind: row.kind,
        }
    }

    fn rows_of<'b>(self, debate: &'b DebateRow) -> impl Iterator<Item = &'b GaugeRow>
    where
        'a: 'b,
    {
        debate
            .gauges
            .iter()
            .filter(move |row| GaugeDefinition::from_row(row) == self)
    }

    fn figure_key(self) -> FigureKey {
        FigureKey {
            by: Dimension::Gauge,
            value: self.id.to_owned(),
        }
    }
}

/// Returns for each gauge its mean over debates, compared with its alert bounds, and the share of
/// debates under each of its flags; empty where no debate has gauges.
pub(crate) fn compute_gauge_figures(pool: &DebatePool<'_>) -> Vec<Figure> {
    let rows = || pool.debates.iter().flat_map(|debate| &debate.gauges);
    let gauges: BTreeSet<GaugeDefinition<'_>> = rows().map(GaugeDefinition::from_row).collect();
    let mut figures = Vec::new();
    for gauge in gauges {
        figures.push(mean_figure(pool, gauge));
        let of_gauge = || rows().filter(|row| GaugeDefinition::from_row(row) == gauge);
        let mut flags: BTreeSet<Option<&str>> = of_gauge()
            .filter(|row| row.flagged || row.flag.is_some())
            .map(|row| row.flag.as_deref())
            .collect();
        // An unflagged debate without a text does not determine a flag's name.
        if flags.len() > 1 && !of_gauge().any(|row| row.flagged && row.flag.is_none()) {
            flags.remove(&None);
        }
        figures.extend(
            flags
                .into_iter()
                .map(|flag| flagged_share_figure(pool, gauge, flag)),
        );
    }
    figures
}

fn mean_figure(pool: &DebatePool<'_>, gauge: GaugeDefinition<'_>) -> Figure {
    let measure = match gauge.kind {
        GaugeKind::Mean => Measure::GaugeMean,
        GaugeKind::Share => Measure::GaugeShare,
    };
    let tally = reading_tally(pool, gauge, |row| match row.kind {
        GaugeKind::Share if !(0.0..=1.0).contains(&row.value) => Err(LeftOutReason::OutOfRange),
        GaugeKind::Mean | GaugeKind::Share => Ok(row.value),
    });
    let mut figure = pool
        .compute_figure(measure, tally, |_| "no reading")
        .with_key(gauge.figure_key())
        .with_title(gauge.name);
    let mut alerts: Vec<_> = pool
        .debates
        .iter()
        .flat_map(|debate| gauge.rows_of(debate))
        .map(|row| row.alert)
        .collect();
    alerts.dedup();
    match alerts[..] {
        [Some(bounds)] => figure.with_alert(bounds),
        [] | [None] => figure,
        _ => {
            figure
                .notes
                .push("debates differ in the bound of the alert; group by arm".to_owned());
            figure
        }
    }
}

fn flagged_share_figure(
    pool: &DebatePool<'_>,
    gauge: GaugeDefinition<'_>,
    flag: Option<&str>,
) -> Figure {
    let has_flag = |row: &GaugeRow| row.flagged && row.flag.as_deref() == flag;
    let tally = reading_tally(pool, gauge, |row| Ok(if has_flag(row) { 1.0 } else { 0.0 }));
    let count: f64 = pool.debates.iter().map(|debate| tally(debate).a).sum();
    let mut figure = pool
        .compute_figure(Measure::GaugeFlagged, &tally, |_| "no reading")
        .with_key(gauge.figure_key())
        .with_title(format!(
            "debates flagged: {}",
            flag.unwrap_or(FLAG_WITHOUT_TEXT)
        ));
    if figure.value.is_some() {
        let of = figure.observations;
        figure
            .notes
            .push(format!("{count} of {of} debates flagged"));
    }
    figure
}

/// One observation per debate that has readings and no human participant.
fn reading_tally<'a>(
    pool: &'a DebatePool<'_>,
    gauge: GaugeDefinition<'a>,
    value: impl Fn(&GaugeRow) -> Result<f64, LeftOutReason> + 'a,
) -> impl Fn(&DebateRow) -> DebateTally + 'a {
    move |debate| {
        let mut tally = DebateTally::default();
        for row in gauge.rows_of(debate) {
            match debate.exclusion_reason(pool.scope.people) {
                Some(reason) => tally.leave_out(reason),
                None if row.readings == 0 => tally.leave_out(LeftOutReason::NoReading),
                None => match value(row) {
                    Ok(value) => tally.observe(value),
                    Err(reason) => tally.leave_out(reason),
                },
            }
        }
        tally
    }
}
