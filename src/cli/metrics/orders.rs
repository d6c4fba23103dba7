//! `elenchus metrics --pass` of a pass in both orders: what the places of the proposer and the critic do to the judge.

use super::args::MetricsArgs;
use super::judges::{
    MEASURES, compare_judges_of, format_comparison, keep_shared_debates, list_notes, read_rows_of,
    refuse_options_of_one,
};
use crate::cli::common::{CommandContext, output};
use anyhow::Result;
use elenchus_metrics::Measure;
use elenchus_records::workspace::pass::Pass;

/// The debates as they are shown in the game, and with the places exchanged.
const AS_SPOKEN: &str = "as spoken";
const EXCHANGED: &str = "exchanged";
/// Figures by which sides are weighed, besides those of judges.
const OF_SIDES: [Measure; 2] = [Measure::GaugeMean, Measure::GaugeShare];

/// Puts what a judge found beside what it found with the sides exchanged.
///
/// # Errors
/// When an option has no meaning there, or nothing was judged in both orders.
pub(super) fn compare_orders(
    args: &MetricsArgs,
    pass: Pass,
    context: &CommandContext,
) -> Result<String> {
    refuse_options_of_one(args)?;
    let exchanged = pass.with_sides_exchanged();
    let both = vec![
        (AS_SPOKEN.to_owned(), pass),
        (EXCHANGED.to_owned(), exchanged),
    ];
    let mut judges = read_rows_of(args, both, context)?;
    let left_out = keep_shared_debates(&mut judges)?;
    for note in list_notes(&judges, left_out) {
        output::print_notice(&format!("notice: {note}"));
    }
    let measures = [&MEASURES[..], &OF_SIDES].concat();
    let (differences, verdicts) = compare_judges_of(args, &judges, &measures, context)?;
    let figures = format_comparison(args, &differences, &verdicts)?;
    Ok(match args.format.json || args.format.csv {
        true => figures,
        false => {
            let bias = verdicts.orders_to_text(EXCHANGED, output::width());
            format!("{}\n{figures}", output::clean_lines(&bias))
        }
    })
}
