//! What a line of the page means.

use super::lines::{LineSubject, PageContent};
use elenchus_metrics::{Figure, IntervalSubject, figure_name, left_out_text};
use elenchus_text::safe_text::{Keep, make_visible};
use elenchus_text::{Paragraph, Role};

/// Returns the name of what a line is about, its definition as the page of figures has it, and what its number rests
/// on; for a line that folds, what opening it shows.
pub fn describe_line(content: PageContent<'_>, subject: LineSubject) -> Vec<Paragraph> {
    match subject {
        LineSubject::Figure { section, figure } => {
            let section = content.report.sections.get(section);
            let figure = section.and_then(|section| section.figures.get(figure));
            let named = figure.map(|figure| content.chairs.name_figure(figure));
            named.as_ref().map_or_else(Vec::new, describe_figure)
        }
        LineSubject::Rest { .. } => vec![Paragraph::new(
            Role::Muted,
            "all other figures of these debates, with their notes",
        )],
        LineSubject::Section { .. } => vec![Paragraph::new(
            Role::Muted,
            "figures of these debates; they are never added to those of others",
        )],
        LineSubject::Failures(_) => vec![Paragraph::new(
            Role::Muted,
            "what failed so: what was judged before counts in the figures above, the rest is left out there",
        )],
    }
}

fn describe_figure(figure: &Figure) -> Vec<Paragraph> {
    let definition = figure.measure.definition().unwrap_or_default();
    let meaning = Paragraph::new(Role::Strong, format!("{}: ", figure_name(figure)))
        .with_run(Role::Text, definition);
    let interval = match (figure.interval, figure.interval_of) {
        (None, _) => "no interval",
        (Some(_), None) => "95 % interval over topics",
        (Some(_), Some(IntervalSubject::ThisMemory)) => "95 % interval of this memory",
        (Some(_), Some(IntervalSubject::LearningRuns)) => "95 % interval of the learning runs",
    };
    let mut basis = format!(
        "{} {} of {} topics · {interval}",
        figure.observations,
        figure.measure.counted(),
        figure.topics
    );
    let notes = figure
        .notes
        .iter()
        .map(|note| make_visible(note, Keep::Nothing));
    for note in notes.map(Into::into).chain(left_out_text(figure)) {
        basis.push_str(" · ");
        basis.push_str(&note);
    }
    vec![meaning, Paragraph::new(Role::Muted, basis)]
}
