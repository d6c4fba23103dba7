//! Lines of the page for a width.

use super::failures::{FailureLine, build_failure_lines};
use super::headlines::{Division, Headline, find_divisions, find_headlines};
use elenchus_metrics::{
    ChairNames, Figure, Measure, Report, ReportSection, figure_name, format_value, left_out_text,
};
use elenchus_plot::{BarFill, BarGroup, BarRow, PlotGlyphs, PlottedValue, draw_bar_groups};
use elenchus_text::safe_text::{Keep, make_visible};
use elenchus_text::{Paragraph, Role, fit_to_width};
use std::collections::BTreeSet;

/// Columns of a name, of a value, and of an interval.
const NAME: usize = 30;
const VALUE: usize = 10;
const INTERVAL: usize = 18;
/// Pages are no wider: further apart, a name and its number are no longer seen as one.
const MAX_COLUMNS: usize = 110;
/// Most bars of a division that are shown before it is opened.
const MAX_BARS: usize = 6;

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineSubject {
    /// The debates of a section of the report; opens and folds it.
    Section {
        section: usize,
    },
    Figure {
        section: usize,
        figure: usize,
    },
    /// The figures of a section that are folded.
    Rest {
        section: usize,
    },
    /// Debates that failed.
    Failures(FailureLine),
}

/// A line of the page.
#[derive(Debug, Clone, PartialEq)]
pub struct FiguresLine {
    pub paragraph: Paragraph,
    pub subject: Option<LineSubject>,
}

impl FiguresLine {
    /// A line that is about nothing.
    pub fn without_subject(paragraph: Paragraph) -> Self {
        Self {
            paragraph,
            subject: None,
        }
    }

    pub(super) fn gap() -> Self {
        Self::without_subject(Paragraph::gap())
    }

    pub(super) fn about(paragraph: Paragraph, subject: LineSubject) -> Self {
        Self {
            paragraph,
            subject: Some(subject),
        }
    }
}

/// Parts of a page that a person has turned: the first section begins opened, all others folded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenedParts(BTreeSet<LineSubject>);

impl OpenedParts {
    /// Opens what is folded, and folds what is open; says whether it is a part that can be.
    pub fn toggle(&mut self, part: LineSubject) -> bool {
        match part {
            LineSubject::Figure { .. } | LineSubject::Failures(_) => return false,
            LineSubject::Section { .. } | LineSubject::Rest { .. } => {}
        }
        if !self.0.remove(&part) {
            self.0.insert(part);
        }
        true
    }

    fn is_open(&self, part: LineSubject) -> bool {
        let begins_open = part == LineSubject::Section { section: 0 };
        begins_open != self.0.contains(&part)
    }
}

/// How a page is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageStyle {
    pub columns: usize,
    pub glyphs: PlotGlyphs,
}

impl PageStyle {
    fn fold_sign(self, is_open: bool) -> &'static str {
        match (self.glyphs, is_open) {
            (PlotGlyphs::Unicode, true) => "▾",
            (PlotGlyphs::Unicode, false) => "▸",
            (PlotGlyphs::Ascii, true) => "-",
            (PlotGlyphs::Ascii, false) => "+",
        }
    }

    fn arrow(self) -> &'static str {
        match self.glyphs {
            PlotGlyphs::Unicode => "→",
            PlotGlyphs::Ascii => "->",
        }
    }
}

/// What a page is of.
#[derive(Debug, Clone, Copy)]
pub struct PageContent<'a> {
    pub report: &'a Report,
    /// What readers call seats.
    pub chairs: &'a ChairNames,
    /// What failed: item and reason each.
    pub failures: &'a [(String, String)],
}

/// Returns the lines of a report, and of what failed.
pub fn build_figure_lines(
    content: PageContent<'_>,
    opened: &OpenedParts,
    style: PageStyle,
) -> Vec<FiguresLine> {
    let style = PageStyle {
        columns: style.columns.min(MAX_COLUMNS),
        ..style
    };
    let PageContent {
        report,
        chairs,
        failures,
    } = content;
    let mut lines = Vec::new();
    if report.sections.is_empty() {
        let none = Paragraph::new(Role::Muted, "no debate is over yet");
        lines.push(FiguresLine::without_subject(none));
    }
    let is_mixed = report.is_mixed();
    let is_alone = report.sections.len() == 1;
    for (at, section) in report.sections.iter().enumerate() {
        let subject = LineSubject::Section { section: at };
        let is_open = opened.is_open(subject);
        if !is_alone {
            let folding = Folding {
                is_open,
                is_mixed,
                style,
            };
            lines.push(FiguresLine::about(title_section(section, folding), subject));
        }
        if is_open || is_alone {
            let named = name_seats(section, chairs);
            lines.extend(build_section_lines(at, &named, opened, style));
        }
        if at == 0 {
            lines.extend(build_failure_lines(failures));
            if !failures.is_empty() && !is_alone {
                lines.push(FiguresLine::gap());
            }
        }
    }
    lines
}

/// Returns a section whose figures call seats as readers do; they stay at their places.
fn name_seats(section: &ReportSection, chairs: &ChairNames) -> ReportSection {
    let figures = section.figures.iter();
    ReportSection {
        figures: figures.map(|figure| chairs.name_figure(figure)).collect(),
        ..section.clone()
    }
}

/// How the line of a section is drawn.
#[derive(Debug, Clone, Copy)]
struct Folding {
    is_open: bool,
    /// Simulated debates and others are on one page: each section says which it is.
    is_mixed: bool,
    style: PageStyle,
}

impl Folding {
    fn sign(self) -> &'static str {
        self.style.fold_sign(self.is_open)
    }
}

/// Returns the line of a section among others; of one that is folded with its first figure.
fn title_section(section: &ReportSection, folding: Folding) -> Paragraph {
    let mut parts: Vec<String> = section
        .group
        .iter()
        .map(|key| make_visible(&key.value, Keep::Nothing).into_owned())
        .collect();
    if section.simulated && folding.is_mixed {
        parts.push("SIMULATED".to_owned());
    }
    parts.push(format!(
        "{} debates over {} topics",
        section.debates, section.topics
    ));
    if section.hash_check {
        parts.push("judged by hashes alone".to_owned());
    }
    let title = Paragraph::new(
        Role::Strong,
        format!("{} {}", folding.sign(), parts.join(", ")),
    );
    let first = match find_headlines(section).first() {
        Some(Headline::One(at)) if !folding.is_open => section.figures.get(*at),
        _ => None,
    };
    let first = first.and_then(|figure| Some((figure, figure.value?)));
    match first {
        None => title,
        Some((figure, value)) => title.with_run(
            Role::Text,
            format!(
                ": {} {}",
                headline_name(figure),
                format_value(value, figure.unit)
            ),
        ),
    }
}

fn build_section_lines(
    at: usize,
    section: &ReportSection,
    opened: &OpenedParts,
    style: PageStyle,
) -> Vec<FiguresLine> {
    let mut lines = Vec::new();
    let about = |figure: usize| LineSubject::Figure {
        section: at,
        figure,
    };
    let headlines = find_headlines(section);
    for headline in &headlines {
        let (paragraph, figure) = match *headline {
            Headline::One(one) => (figure_line(&section.figures[one]), one),
            Headline::FirstToLast(first, last) => (
                change_line(&section.figures[first], &section.figures[last], style),
                last,
            ),
        };
        lines.push(FiguresLine::about(paragraph, about(figure)));
    }
    let divisions = find_divisions(section, &headlines);
    let groups: Vec<BarGroup> = divisions
        .iter()
        .map(|division| {
            build_bars(
                section,
                division,
                opened.is_open(LineSubject::Rest { section: at }),
            )
        })
        .collect();
    // All measures that divide a page are rates of one unit.
    let unit = divisions.first().map(|division| division.measure.unit());
    if let Some(unit) = unit {
        let drawn = draw_bar_groups(&groups, unit, style.columns, style.glyphs);
        for (division, drawn) in divisions.iter().zip(drawn) {
            lines.push(FiguresLine::gap());
            lines.extend(drawn.heading.into_iter().map(FiguresLine::without_subject));
            let shown = drawn.rows.into_iter().zip(&division.figures);
            let count = shown.len();
            lines.extend(shown.map(|(row, figure)| FiguresLine::about(row, about(*figure))));
            if let Some(more) = division
                .figures
                .len()
                .checked_sub(count)
                .filter(|more| *more > 0)
            {
                let more = Paragraph::new(Role::Muted, format!("and {more} more below"));
                lines.push(FiguresLine::without_subject(more));
            }
        }
    }
    lines.push(FiguresLine::gap());
    for note in &section.notes {
        let note = make_visible(note, Keep::Nothing);
        let note = Paragraph::new(Role::Muted, format!("! {note}")).with_indent(0, 2);
        lines.push(FiguresLine::without_subject(note));
    }
    let is_shown = |figure: usize| {
        headlines.iter().any(|headline| match headline {
            Headline::One(one) => *one == figure,
            Headline::FirstToLast(first, last) => [*first, *last].contains(&figure),
        }) || divisions
            .iter()
            .any(|division| division.figures.contains(&figure))
    };
    let rest: Vec<usize> = (0..section.figures.len())
        .filter(|one| !is_shown(*one))
        .collect();
    let subject = LineSubject::Rest { section: at };
    // Where nothing stands above them, all figures are what one looks for.
    let is_open = opened.is_open(subject) != headlines.is_empty();
    let text = format!("{} {} more figures", style.fold_sign(is_open), rest.len());
    lines.push(FiguresLine::about(
        Paragraph::new(Role::Accent, text),
        subject,
    ));
    if is_open {
        lines.extend(rest.into_iter().map(|figure| {
            FiguresLine::about(figure_line(&section.figures[figure]), about(figure))
        }));
    }
    lines
}

/// Returns the bars of a division; of many the first ones, unless all is open.
fn build_bars(section: &ReportSection, division: &Division, is_open: bool) -> BarGroup {
    let figures = division.figures.iter().map(|at| &section.figures[*at]);
    let most = if is_open { usize::MAX } else { MAX_BARS };
    let rows = figures.take(most).map(|figure| BarRow {
        label: figure
            .keys
            .first()
            .map_or_else(String::new, |key| key.value.clone()),
        fill: BarFill::Solid,
        value: PlottedValue::from_figure(figure),
        note: figure.not_applicable.clone(),
    });
    let title = match division.measure {
        Measure::ErrorRate => format!("by {}", division.by.label()),
        measure => format!("{} by {}", measure.label(), division.by.label()),
    };
    BarGroup {
        title,
        rows: rows.collect(),
    }
}

/// Returns a figure as a line: name, value, interval, and how many observations.
fn figure_line(figure: &Figure) -> Paragraph {
    let name = fit_to_width(&headline_name(figure), NAME);
    let Some(value) = figure.value else {
        let why = figure.not_applicable.as_deref().unwrap_or("no value");
        let why = make_visible(why, Keep::Nothing).into_owned();
        return Paragraph::new(Role::Text, name).with_run(Role::Muted, format!("  n/a ({why})"));
    };
    let interval = figure.interval.map_or_else(String::new, |interval| {
        format!(
            "{} to {}",
            format_value(interval.low, figure.unit).trim_end_matches(" %"),
            format_value(interval.high, figure.unit).trim_end_matches(" %"),
        )
    });
    let value = format_value(value, figure.unit);
    let left_out = match left_out_text(figure) {
        Some(_) => " *",
        None => "",
    };
    Paragraph::new(Role::Text, name)
        .with_run(Role::Strong, format!("{value:>VALUE$}"))
        .with_run(Role::Text, format!("  {interval:<INTERVAL$}"))
        .with_run(Role::Muted, format!("n {}{left_out}", figure.observations))
}

/// Returns a line from the first round to the last.
fn change_line(first: &Figure, last: &Figure, style: PageStyle) -> Paragraph {
    let text = |figure: &Figure| {
        figure.value.map_or_else(
            || "n/a".to_owned(),
            |value| format_value(value, figure.unit),
        )
    };
    let name = format!("first round {} last", style.arrow());
    Paragraph::new(Role::Text, fit_to_width(&name, NAME))
        .with_run(Role::Strong, format!("{:>VALUE$}", text(first)))
        .with_run(Role::Strong, format!("  {} {}", style.arrow(), text(last)))
}

/// Returns what a figure is called on the page: of pairs of turns in the words of what happened.
fn headline_name(figure: &Figure) -> String {
    let is_whole = figure.keys.is_empty() && figure.title.is_none();
    match figure.measure {
        Measure::AgreementRate if is_whole => "unsafe, then safe".to_owned(),
        Measure::ConversionRate if is_whole => "safe, then unsafe".to_owned(),
        _ => figure_name(figure),
    }
}
