//! What protocols measure about their own debates: gauges, whose names and bounds are data
//! (EAAPL-MAG005 §8.1).

use std::collections::BTreeSet;

use super::count::{Pool, Tally};
use super::figure::{By, Figure, Key, LeftOut, Measure};
use super::rows::{DebateRow, GaugeKind, GaugeRow};

/// What a flag is called whose protocol gives it no text.
const FLAG_WITHOUT_TEXT: &str = "flagged";

/// A gauge as one protocol has it: gauges of one id that mean different things are not pooled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Gauge<'a> {
    id: &'a str,
    name: &'a str,
    kind: GaugeKind,
}

impl<'a> Gauge<'a> {
    fn of(row: &'a GaugeRow) -> Self {
        Self {
            id: &row.id,
            name: &row.name,
            kind: row.kind,
        }
    }

    fn rows<'b>(self, debate: &'b DebateRow) -> impl Iterator<Item = &'b GaugeRow>
    where
        'a: 'b,
    {
        debate
            .gauges
            .iter()
            .filter(move |row| Gauge::of(row) == self)
    }

    fn key(self) -> Key {
        Key {
            by: By::Gauge,
            value: self.id.to_owned(),
        }
    }
}

/// Returns for each gauge its mean over debates, held against its alert, and the share of debates
/// under each of its flags; none where no debate has gauges.
pub(super) fn gauges(pool: &Pool<'_>) -> Vec<Figure> {
    let rows = || pool.debates.iter().flat_map(|debate| &debate.gauges);
    let gauges: BTreeSet<Gauge<'_>> = rows().map(Gauge::of).collect();
    let mut figures = Vec::new();
    for gauge in gauges {
        figures.push(level(pool, gauge));
        let of_gauge = || rows().filter(|row| Gauge::of(row) == gauge);
        let mut flags: BTreeSet<Option<&str>> = of_gauge()
            .filter(|row| row.flagged || row.flag.is_some())
            .map(|row| row.flag.as_deref())
            .collect();
        // An unflagged debate without a text says nothing of a flag's name.
        if flags.len() > 1 && !of_gauge().any(|row| row.flagged && row.flag.is_none()) {
            flags.remove(&None);
        }
        figures.extend(flags.into_iter().map(|flag| flagged(pool, gauge, flag)));
    }
    figures
}

fn level(pool: &Pool<'_>, gauge: Gauge<'_>) -> Figure {
    let measure = match gauge.kind {
        GaugeKind::Mean => Measure::GaugeMean,
        GaugeKind::Share => Measure::GaugeShare,
    };
    let tally = tallied(pool, gauge, |row| match row.kind {
        GaugeKind::Share if !(0.0..=1.0).contains(&row.value) => Err(LeftOut::OutOfRange),
        GaugeKind::Mean | GaugeKind::Share => Ok(row.value),
    });
    let mut figure = pool
        .figure(measure, tally, |_| "no reading")
        .keyed(gauge.key())
        .titled(gauge.name);
    let mut alerts: Vec<_> = pool
        .debates
        .iter()
        .flat_map(|debate| gauge.rows(debate))
        .map(|row| row.alert)
        .collect();
    alerts.dedup();
    match alerts[..] {
        [Some(bounds)] => figure.watched(bounds),
        [] | [None] => figure,
        _ => {
            figure
                .notes
                .push("debates differ in the bound of the alert; group by arm".to_owned());
            figure
        }
    }
}

fn flagged(pool: &Pool<'_>, gauge: Gauge<'_>, flag: Option<&str>) -> Figure {
    let raised = |row: &GaugeRow| row.flagged && row.flag.as_deref() == flag;
    let tally = tallied(pool, gauge, |row| Ok(if raised(row) { 1.0 } else { 0.0 }));
    let count: f64 = pool.debates.iter().map(|debate| tally(debate).a).sum();
    let mut figure = pool
        .figure(Measure::GaugeFlagged, &tally, |_| "no reading")
        .keyed(gauge.key())
        .titled(format!(
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

/// One observation a debate that has readings and that nobody took part in.
fn tallied<'a>(
    pool: &'a Pool<'_>,
    gauge: Gauge<'a>,
    value: impl Fn(&GaugeRow) -> Result<f64, LeftOut> + 'a,
) -> impl Fn(&DebateRow) -> Tally + 'a {
    move |debate| {
        let mut tally = Tally::default();
        for row in gauge.rows(debate) {
            match debate.excluded(pool.scope.people) {
                Some(reason) => tally.leave_out(reason),
                None if row.readings == 0 => tally.leave_out(LeftOut::NoReading),
                None => match value(row) {
                    Ok(value) => tally.observe(value),
                    Err(reason) => tally.leave_out(reason),
                },
            }
        }
        tally
    }
}
