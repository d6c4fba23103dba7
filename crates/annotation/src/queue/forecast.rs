//! Forecast of a draw: how many units a plan would draw out of how many, and how well a sample of that
//! size tells a rate. Draws nothing.

use super::definition::{QueueFilter, QueueUnit};
use super::event::Stratum;
use super::journal::{
    QueuePlan, build_definition, check_plan, collect_population, draw_checked_wave,
};
use super::population::QueuePopulation;
use elenchus_metrics::wilson_interval;
use elenchus_records::library::LabelBook;
use elenchus_records::workspace::WorkspaceError;
use elenchus_store::Layout;
use elenchus_text::{Paragraph, Role, format_grouped_count};
use std::sync::Arc;

/// Rates for which a forecast says how well they would be known.
pub const FORECAST_RATES: [f64; 2] = [0.5, 0.1];

/// Strata that are listed, at most.
const MAX_STRATA: usize = 8;

/// What a plan would draw.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueForecast {
    /// Sessions in the population.
    pub sessions: usize,
    /// Units that would be drawn, and those they are drawn from.
    pub taken: u32,
    pub of: u32,
    /// Items to label; of pairs two each.
    pub items: usize,
    /// Strata: name, units drawn, units there are.
    pub strata: Vec<(String, u32, u32)>,
    /// Half of the 95 % interval of each of [`FORECAST_RATES`], if the units were independent and the
    /// population large; `None` where all are taken.
    pub half_widths: Option<[f64; 2]>,
}

impl QueueForecast {
    /// Describes what would be drawn, and how precisely a rate is then known.
    pub fn describe(&self, unit: &str) -> Vec<Paragraph> {
        let of = format_grouped_count(self.of as usize, unit);
        let sessions = format_grouped_count(self.sessions, "session");
        let items = format_grouped_count(self.items, "item");
        let (taken, all) = (self.taken, self.of);
        let summary = format!("{taken} of {of} in {sessions}: {items} to label");
        let tells = match self.half_widths {
            None if all == 0 => {
                "nothing fits; debates of real models and simulated ones are never drawn together"
                    .to_owned()
            }
            None => "all are taken: labels tell the rate itself".to_owned(),
            Some(widths) => {
                let rates = FORECAST_RATES.iter().zip(widths);
                let intervals = rates.map(|(rate, half)| {
                    format!("one of {:.0} % to {:.0}", rate * 100.0, half * 100.0)
                });
                format!(
                    "a sample of {taken} tells a rate to so many points either way at 95 %: {}; turns of one \
                     debate are alike, so expect wider",
                    intervals.collect::<Vec<_>>().join(", ")
                )
            }
        };
        let mut page = vec![
            Paragraph::new(Role::Strong, summary),
            Paragraph::new(Role::Text, tells),
        ];
        if self.strata.len() > 1 {
            let strata = self.strata.iter().take(MAX_STRATA);
            page.extend(strata.map(|(name, taken, of)| {
                Paragraph::new(Role::Muted, format!("{name}: {taken} of {of}")).with_indent(2, 4)
            }));
            let more = self.strata.len().saturating_sub(MAX_STRATA);
            if more > 0 {
                page.push(Paragraph::new(Role::Muted, format!("  and {more} more")));
            }
        }
        page
    }
}

/// Population that was read for a forecast: as long as the conditions are the same, another forecast reads nothing.
#[derive(Debug, Clone)]
pub struct ForecastPopulation {
    filter: QueueFilter,
    unit: QueueUnit,
    set: String,
    population: QueuePopulation,
}

impl ForecastPopulation {
    /// Returns the population of a plan: the one that is known, where it is that. Blocks while it reads the sessions.
    ///
    /// # Errors
    /// When the plan contradicts itself, or the sessions cannot be read.
    pub fn read(
        layout: &Layout,
        book: &LabelBook,
        plan: &QueuePlan,
        known: Option<Arc<Self>>,
    ) -> Result<Arc<Self>, WorkspaceError> {
        check_plan(book, plan)?;
        let is_same = |known: &Arc<Self>| {
            known.filter == plan.filter && known.unit == plan.unit && known.set == book.set.id
        };
        if let Some(known) = known.filter(is_same) {
            return Ok(known);
        }
        let definition = build_definition(book, plan.clone());
        Ok(Arc::new(Self {
            population: collect_population(layout, &definition)?,
            // As the plan has it: what the set is about is the set's.
            filter: plan.filter.clone(),
            unit: definition.unit,
            set: definition.set,
        }))
    }
}

/// Says what a plan would draw from its population.
///
/// # Errors
/// When one wave cannot hold it.
pub fn forecast_queue(
    book: &LabelBook,
    plan: QueuePlan,
    population: &ForecastPopulation,
) -> Result<QueueForecast, WorkspaceError> {
    let population = &population.population;
    let sampling = plan.sampling.clone();
    let definition = build_definition(book, plan);
    let wave = draw_checked_wave(&definition, 1, sampling, population)?;
    let sum = |count: fn(&Stratum) -> u32| wave.strata.iter().map(count).sum::<u32>();
    let (taken, of) = (sum(|stratum| stratum.taken), sum(|stratum| stratum.of));
    let strata = wave.strata.iter();
    Ok(QueueForecast {
        sessions: population.sessions,
        taken,
        of,
        items: wave.items.len(),
        strata: strata
            .map(|stratum| (stratum.name.clone(), stratum.taken, stratum.of))
            .collect(),
        half_widths: compute_half_widths(taken, of),
    })
}

fn compute_half_widths(taken: u32, of: u32) -> Option<[f64; 2]> {
    (0 < taken && taken < of).then(|| {
        FORECAST_RATES.map(|rate| {
            let successes = (f64::from(taken) * rate).round() as u64;
            let interval = wilson_interval(successes, taken.into());
            interval.map_or(1.0, |it| (it.high - it.low) / 2.0)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_a_hundred_tells_a_half_to_ten_points_and_a_tenth_to_six() {
        let [half, tenth] = compute_half_widths(100, 1000).unwrap();
        // Wilson's interval by hand: z √(p(1-p)/n + z²/4n²) / (1 + z²/n).
        assert!((half - 0.0962).abs() < 0.0001, "{half}");
        assert!((tenth - 0.0596).abs() < 0.0001, "{tenth}");
        assert_eq!(compute_half_widths(100, 100), None);
        assert_eq!(compute_half_widths(0, 100), None);
    }
}
