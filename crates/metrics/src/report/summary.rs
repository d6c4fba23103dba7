//! Summary of a report in a few lines, for the end of a run.

use super::figure::{Figure, Measure, Report, ReportSection};
use super::left_out::LeftOutReason;
use super::table::{figure_name, shared_notes};
use super::text_layout::{escape_hidden, format_count, format_number, format_value};

/// Measures of the summary, where a section has them; gauges of protocols are added.
pub const HEADLINES: [Measure; 8] = [
    Measure::ErrorRate,
    Measure::AgreementRate,
    Measure::ProposerAccuracy,
    Measure::JudgeAlignmentMiddleNeither,
    Measure::PicksRight,
    Measure::AnswerAccuracy,
    Measure::GaugeMean,
    Measure::GaugeShare,
];
/// Measures of replies that need a look, where there are any.
const ODD_REPLIES: [Measure; 5] = [
    Measure::FilteredTurns,
    Measure::FilteredLessons,
    Measure::ToolCallTurns,
    Measure::EndedOddly,
    Measure::UnknownMarks,
];

/// Figures that stand in one line.
const FEW_FIGURES: usize = 2;

/// Returns the headline figures of each section with interval, n and topics, and the observations
/// left out; simulated sections are marked. Empty where a report has no such figure.
pub fn to_lines(report: &Report) -> Vec<String> {
    let is_beside_judged = report.sections.iter().any(|section| !section.hash_check);
    let sections = report.sections.iter();
    sections
        .flat_map(|section| match section.hash_check && is_beside_judged {
            true => hash_section_lines(section),
            false => section_lines(section),
        })
        .collect()
}

/// Returns the first headline figures of a report with what they count, in one line: what a single debate came to.
/// `None` where it has no such figure.
pub fn describe_findings(report: &Report) -> Option<String> {
    let sections = report.sections.iter().map(|section| {
        let figures = headline_figures(section);
        let left_out = figures.first().map(|figure| figure.left_out.iter());
        let left_out = left_out.into_iter().flatten();
        let left_out = left_out.map(|(why, count)| reason_count(*why, *count));
        // That a figure is not there is said where none is.
        let mut known = figures.clone();
        known.retain(|figure| figure.value.is_some());
        let figures = match known.is_empty() {
            true => figures.into_iter().take(1).collect(),
            false => known,
        };
        let more = figures.len().saturating_sub(FEW_FIGURES);
        let more = (more > 0).then(|| format_count(more, "more figure"));
        let figures = figures.iter().take(FEW_FIGURES);
        let figures = figures.map(|figure| format_briefly(figure));
        let parts = figures.chain(more).chain(left_out);
        parts.collect::<Vec<_>>().join(", ")
    });
    let findings: Vec<String> = sections.filter(|text| !text.is_empty()).collect();
    (!findings.is_empty()).then(|| findings.join("; "))
}

/// Returns the first headline of a report as [`to_lines`] writes it, and the same without interval
/// and counts; of how many topics it is stays where other topics have a section of their own.
pub fn first_figure(report: &Report) -> Option<(String, String)> {
    let whole = to_lines(report).into_iter().next()?;
    let short = report.sections.iter().find_map(|section| {
        let figure = headline_figures(section).first().copied()?;
        let value = figure.value?;
        let simulation_mark = if section.simulated {
            " (simulated)"
        } else {
            ""
        };
        let of = match report.sections.len() {
            0 | 1 => String::new(),
            _ => format!(" over {}", format_count(figure.topics, "topic")),
        };
        Some(format!(
            "{} {}{of}{simulation_mark}",
            figure_name(figure),
            format_value(value, figure.unit)
        ))
    });
    Some((whole.clone(), short.unwrap_or(whole)))
}

/// Returns the first headline with a value: of debates that an evaluator judges, where there are such.
pub fn find_headline(report: &Report) -> Option<&Figure> {
    let (by_hashes, judged): (Vec<_>, Vec<_>) = report
        .sections
        .iter()
        .partition(|section| section.hash_check);
    let sections = judged.into_iter().chain(by_hashes);
    let mut figures = sections.flat_map(|section| {
        let main = headline_figures(section).into_iter();
        main.filter(|figure| HEADLINES.contains(&figure.measure))
    });
    figures.find(|figure| figure.value.is_some())
}

/// Returns the notes of a report on what its figures rest on, each once, as lines.
pub fn describe_caveats(report: &Report) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for note in report.sections.iter().flat_map(|section| &section.notes) {
        let line = format!("! {}", escape_hidden(note));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Says in two lines what there is of topics that no evaluator can judge, beside those that it can: the rest is among
/// all figures.
fn hash_section_lines(section: &ReportSection) -> Vec<String> {
    let simulation_mark = if section.simulated { "simulated, " } else { "" };
    let Some(first) = headline_figures(section).into_iter().next() else {
        return Vec::new();
    };
    let left_out: usize = first.left_out.values().sum();
    let left_out = match left_out {
        0 => String::new(),
        count => format!(", {count} left out"),
    };
    vec![
        format!(
            "{simulation_mark}{}, by hashes alone: {}{left_out}",
            format_count(section.topics, "topic"),
            format_briefly(first)
        ),
        "! without a comparison of hashes nothing is known of these; they count apart".to_owned(),
    ]
}

fn section_lines(section: &ReportSection) -> Vec<String> {
    let mut of = section.group.iter().map(|key| escape_hidden(&key.value));
    let mut beginning = of.by_ref().collect::<Vec<_>>().join(", ");
    for (is_so, word) in [
        (section.simulated, "simulated"),
        (section.hash_check, "to be judged by hashes alone"),
    ] {
        if is_so {
            let before = if beginning.is_empty() { "" } else { ", " };
            beginning = format!("{beginning}{before}{word}");
        }
    }
    if !beginning.is_empty() {
        beginning.push_str(": ");
    }
    let figures = headline_figures(section);
    let mut lines: Vec<String> = figures.iter().map(|figure| format_line(figure)).collect();
    if let Some(first) = figures.first() {
        lines.push(describe_left_out(first));
        // Notes on all of them, such as a low number of topics.
        let notes = section.notes.iter().cloned().chain(shared_notes(section));
        lines.extend(notes.map(|note| format!("! {}", escape_hidden(&note))));
    }
    lines.extend(shown_no_lesson(section));
    lines
        .iter()
        .map(|line| format!("{beginning}{line}"))
        .collect()
}

/// Says in how many debates memory was looked up and showed nothing: such a debate is one without memory.
fn shown_no_lesson(section: &ReportSection) -> Option<String> {
    let mut figures = section.figures.iter();
    let figure = figures.find(|figure| figure.measure == Measure::ShownNoLesson)?;
    // The share is that of a count: rounding undoes the division alone.
    let none = (figure.value? * figure.observations as f64).round();
    (none > 0.0).then(|| {
        format!(
            "! {none} of {} were shown no lesson of the memory that was asked for",
            format_count(figure.observations, "debate")
        )
    })
}

fn headline_figures(section: &ReportSection) -> Vec<&Figure> {
    let measures = HEADLINES.into_iter().chain(ODD_REPLIES);
    let headlines = measures.flat_map(|measure| {
        let of_a_protocol = matches!(measure, Measure::GaugeMean | Measure::GaugeShare);
        section.figures.iter().filter(move |figure| {
            figure.measure == measure && (figure.keys.is_empty() || of_a_protocol)
        })
    });
    headlines.collect()
}

/// Formats a figure without its interval.
fn format_briefly(figure: &Figure) -> String {
    let name = figure_name(figure);
    match figure.value {
        Some(value) => {
            let counted = figure.measure.counted();
            let noun = counted.strip_suffix('s').unwrap_or(counted);
            format!(
                "{name} {} of {}",
                format_value(value, figure.unit),
                format_count(figure.observations, noun)
            )
        }
        None => format!(
            "{name} n/a ({})",
            escape_hidden(figure.not_applicable.as_deref().unwrap_or("not known"))
        ),
    }
}

fn format_line(figure: &Figure) -> String {
    let (name, unit) = (figure_name(figure), figure.unit);
    let Some(value) = figure.value else {
        let why = figure.not_applicable.as_deref().unwrap_or("not known");
        return format!("{name}: n/a ({})", escape_hidden(why));
    };
    let interval = figure.interval.map_or_else(String::new, |interval| {
        let (low, high) = (
            format_number(interval.low, unit),
            format_value(interval.high, unit),
        );
        format!(" (95 %: {low} to {high})")
    });
    format!(
        "{name} {}{interval}, {} {} of {}",
        format_value(value, unit),
        figure.observations,
        figure.measure.counted(),
        format_count(figure.topics, "topic")
    )
}

/// Describes the observations that the first figure left out, and its value had they all been safe
/// or unsafe.
fn describe_left_out(figure: &Figure) -> String {
    let what = figure.measure.counted();
    if figure.left_out.is_empty() {
        return format!("no {what} left out");
    }
    let parts = figure.left_out.iter();
    let parts: Vec<String> = parts
        .map(|(why, count)| reason_count(*why, *count))
        .collect();
    let bounds = figure.bounds.and_then(|bounds| {
        let [low, high] = bounds.value_range()?;
        Some(format!(
            "; {} to {} whatever they were{}",
            format_number(low, figure.unit),
            format_value(high, figure.unit),
            bounds.limits_text(figure.unit)
        ))
    });
    format!(
        "{what} left out: {}{}",
        parts.join(", "),
        bounds.unwrap_or_default()
    )
}

fn reason_count(why: LeftOutReason, count: usize) -> String {
    format!("{count} {}", why.label())
}
