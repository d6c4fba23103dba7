//! Memory section: what debates were shown of long-term memory, not what it held or what was asked for
//! (FIGURES 25).

use super::counting::{DebatePool, DebateTally};
use crate::report::figure::{Figure, Measure};
use crate::rows::DebateRow;

/// Returns how many lessons debates were shown, and the share that were shown none; empty where no
/// debate looked memory up.
pub(crate) fn compute_lesson_figures(pool: &DebatePool<'_>) -> Vec<Figure> {
    let mut lesson_counts = pool
        .debates
        .iter()
        .map(|debate| debate.origin.lessons_shown);
    if lesson_counts.all(|shown| shown.is_none()) {
        return Vec::new();
    }
    let figure = |measure, observe: fn(&mut DebateTally, u32)| {
        let tally = |debate: &DebateRow| {
            let mut tally = DebateTally::default();
            if let Some(lessons) = debate.origin.lessons_shown {
                observe(&mut tally, lessons);
            }
            tally
        };
        pool.compute_figure(measure, tally, |_| "no debate looked memory up")
    };
    vec![
        figure(Measure::LessonsShown, |tally, shown| {
            tally.observe(f64::from(shown));
        }),
        figure(Measure::ShownNoLesson, |tally, shown| {
            tally.observe_whether(shown == 0);
        }),
    ]
}
