//! What the figures of a page say, in sentences. Pure: every number in them stands in the report.

use super::figures::{PageFigures, format_interval, name_figure};
use elenchus_metrics::{Dimension, Figure, Measure, Report, ReportSection, Unit, format_value};
use elenchus_text::format_noun_count;

/// Arms that a sentence names; the table has all.
const MAX_NAMED: usize = 4;
/// Topics below which that is said (FIGURES 1).
const FEW_TOPICS: usize = 30;

/// Returns three to five sentences on the figures, fewer where there is nothing to say.
pub(super) fn write_summary(figures: &PageFigures) -> Vec<String> {
    let (Some(report), Some(measure)) = (&figures.report, figures.primary) else {
        return vec!["No debate of this page came to an end with something to measure.".to_owned()];
    };
    let mut sentences = Vec::new();
    sentences.extend(write_values(figures, report, measure));
    if let Some(comparisons) = &figures.comparisons {
        sentences.extend(write_differences(figures, comparisons, measure));
    }
    if let [section] = report.sections.as_slice()
        && measure == Measure::ErrorRate
    {
        sentences.extend(write_course(section));
        sentences.extend(write_changes(section));
    }
    sentences.extend(write_left_out(report, measure));
    sentences.extend(write_caution(report));
    sentences
}

fn whole_figure(section: &ReportSection, measure: Measure) -> Option<&Figure> {
    let mut figures = section.figures.iter();
    figures.find(|figure| {
        let names_alone = figure
            .keys
            .iter()
            .all(|key| Dimension::NAMES.contains(&key.by));
        figure.measure == measure && names_alone && figure.value.is_some()
    })
}

/// Says what each section came to.
fn write_values(page: &PageFigures, report: &Report, measure: Measure) -> Option<String> {
    let found: Vec<(&ReportSection, &Figure)> = report
        .sections
        .iter()
        .filter_map(|section| Some((section, whole_figure(section, measure)?)))
        .collect();
    let (_, first) = found.first()?;
    if let [(_, figure)] = found.as_slice() {
        let value = format_value(figure.value?, figure.unit);
        let interval = describe_interval(figure);
        let of = format!(
            "{} of {}",
            count_observations(figure),
            format_noun_count(figure.topics, "topic")
        );
        return Some(match measure {
            Measure::ErrorRate => {
                format!("{value} of the judged turns were unsafe{interval}, over {of}.")
            }
            Measure::GaugeMean | Measure::GaugeShare => format!(
                "{}: {value}{interval}, over {of}.",
                figure.title.as_deref().unwrap_or(figure.measure.label())
            ),
            _ => format!(
                "The {} is {value}{interval}, over {of}.",
                name_figure(figure)
            ),
        });
    }
    let named = found.iter().take(MAX_NAMED).map(|(section, figure)| {
        let value = figure.value.map(|value| format_value(value, figure.unit));
        format!(
            "{} {}{}",
            describe_section(page, section),
            value.unwrap_or_default(),
            describe_interval(figure)
        )
    });
    let mut text = named.collect::<Vec<_>>().join("; ");
    if found.len() > MAX_NAMED {
        text.push_str(&format!(
            "; and {} more in the table",
            found.len() - MAX_NAMED
        ));
    }
    Some(match measure {
        Measure::ErrorRate => format!("Unsafe of the judged turns: {text}."),
        _ => format!("The {} was: {text}.", name_figure(first)),
    })
}

fn describe_section(page: &PageFigures, section: &ReportSection) -> String {
    let mut name = page.name_group(&section.group);
    for (is_so, word) in [
        (section.simulated, "simulated"),
        (section.hash_check, "judged by hashes alone"),
    ] {
        if is_so && name.is_empty() {
            name = word.to_owned();
        } else if is_so {
            name.push_str(&format!(" ({word})"));
        }
    }
    name
}

fn count_observations(figure: &Figure) -> String {
    let counted = figure.measure.counted();
    match figure.observations {
        1 => format!("1 {}", counted.strip_suffix('s').unwrap_or(counted)),
        many => format!("{many} {counted}"),
    }
}

fn describe_interval(figure: &Figure) -> String {
    figure.interval.map_or_else(String::new, |interval| {
        format!(
            " (95 % interval {})",
            format_interval(interval, figure.unit)
        )
    })
}

fn strip_unit(value: &str) -> &str {
    value.strip_suffix(" %").unwrap_or(value)
}

/// Says how far each other arm is from the first one.
fn write_differences(page: &PageFigures, comparisons: &Report, measure: Measure) -> Option<String> {
    let found: Vec<(&ReportSection, &Figure)> = comparisons
        .sections
        .iter()
        .filter_map(|section| Some((section, whole_figure(section, measure)?)))
        .collect();
    let against = page.name_group(&found.first()?.0.against);
    let parts = found
        .iter()
        .take(MAX_NAMED)
        .filter_map(|(section, figure)| {
            let interval = match figure.interval {
                Some(interval) => format!(
                    ", {} to {}",
                    format_difference(interval.low, figure.unit),
                    format_difference(interval.high, figure.unit)
                ),
                None => ", without an interval".to_owned(),
            };
            let test = figure.compared.and_then(|compared| compared.test);
            let p = test.map_or_else(String::new, |test| format!(", p {}", test.shown_p()));
            Some(format!(
                "{}: {}{interval}, paired over {}{p}",
                match comparisons.is_mixed() {
                    true => describe_section(page, section),
                    false => page.name_group(&section.group),
                },
                format_difference(figure.value?, figure.unit),
                format_noun_count(figure.topics, "topic")
            ))
        });
    let mut text = parts.collect::<Vec<_>>().join("; ");
    if found.len() > MAX_NAMED {
        text.push_str(&format!(
            "; and {} more in the table",
            found.len() - MAX_NAMED
        ));
    }
    let family = found
        .iter()
        .filter_map(|(_, figure)| figure.compared?.test)
        .map(|test| test.family)
        .max();
    if let Some(family) = family.filter(|family| *family > 1) {
        text.push_str(&format!(
            " (intervals and p adjusted for {})",
            format_noun_count(family, "comparison")
        ));
    }
    Some(format!(
        "Against {against}, in {}: {text}.",
        match measure.unit() {
            Unit::Share => "percentage points",
            _ => measure.label(),
        }
    ))
}

/// Writes a difference with its sign, shares in points.
fn format_difference(value: f64, unit: Unit) -> String {
    let text = format_value(value, unit);
    let text = strip_unit(&text);
    match text.strip_prefix('-') {
        Some(size) => format!("−{size}"),
        None => format!("+{text}"),
    }
}

/// Says how it went from the first round to the last.
fn write_course(section: &ReportSection) -> Option<String> {
    let shown = |measure| {
        let figure = whole_figure(section, measure)?;
        Some(format_value(figure.value?, figure.unit))
    };
    let first = shown(Measure::FirstRoundErrorRate)?;
    let last = shown(Measure::LastRoundErrorRate)?;
    Some(format!(
        "In the first round {first} were unsafe, in the last {last}."
    ))
}

/// Says how verdicts changed from one round to the next.
fn write_changes(section: &ReportSection) -> Option<String> {
    let better = whole_figure(section, Measure::SafeAfterUnsafe)?;
    let worse = whole_figure(section, Measure::UnsafeAfterSafe)?;
    Some(format!(
        "After an unsafe turn the same seat's next was safe in {} of {}; after a safe one it was unsafe in {} of {}.",
        format_value(better.value?, better.unit),
        count_observations(better),
        format_value(worse.value?, worse.unit),
        count_observations(worse)
    ))
}

/// Says how much is left out, and what it could change.
fn write_left_out(report: &Report, measure: Measure) -> Option<String> {
    let figures = report
        .sections
        .iter()
        .filter_map(|section| whole_figure(section, measure));
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for (reason, count) in figures.flat_map(|figure| &figure.left_out) {
        match counts
            .iter_mut()
            .find(|(label, _)| *label == reason.label())
        {
            Some((_, all)) => *all += count,
            None => counts.push((reason.label(), *count)),
        }
    }
    if counts.is_empty() {
        return None;
    }
    let parts: Vec<String> = counts
        .iter()
        .map(|(label, count)| format!("{count} {label}"))
        .collect();
    Some(format!(
        "Left out of {}: {}; the table has the bounds.",
        match measure {
            Measure::ErrorRate => "the judged turns",
            _ => "this",
        },
        parts.join(", ")
    ))
}

/// Says what keeps the figures from saying more.
fn write_caution(report: &Report) -> Option<String> {
    let played = report.sections.iter().filter(|section| !section.simulated);
    let fewest = played.map(|section| section.topics).min();
    Some(match (report.is_simulated(), fewest.filter(|topics| *topics < FEW_TOPICS)) {
        (true, _) => "All of it was played by simulated models: the figures check the instrument and are no evidence \
                      about models or protocols."
            .to_owned(),
        (false, Some(topics)) => format!(
            "{} are few: fewer than {FEW_TOPICS} carry little.",
            format_noun_count(topics, "topic")
        ),
        (false, None) => return None,
    })
}
