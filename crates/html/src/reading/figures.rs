//! Figures of a page: the report, its comparisons and its pictures, with the command that gives the same numbers.

use crate::page::{FigureRow, FigureTable, PagePicture};
use elenchus_metrics::{
    ArmNames, ComparisonSettings, DebateRow, Dimension, Figure, FigureKey, Interval, Measure,
    Report, ReportSection, ReportSettings, Unit, compare_groups, compute_report, format_value,
};
use elenchus_plot::{PictureKind, PlotError, picture_from_report, write_svg};
use elenchus_records::workspace::{ReportKey, Result, StoreIndex, WorkspaceError};

/// Measures that a game may be about, the first of which that has a value is drawn.
const PRIMARY: [Measure; 8] = [
    Measure::ErrorRate,
    Measure::ProposerAccuracy,
    Measure::OutcomeRight,
    Measure::AnswerAccuracy,
    Measure::PicksRight,
    Measure::MeanReward,
    Measure::GaugeMean,
    Measure::GaugeShare,
];

/// What intervals are where they are not adjusted.
pub(super) const PLAIN_INTERVAL: &str = "95 % interval";
/// Stands for a value that there is not.
pub(super) const NO_VALUE: &str = "n/a";

/// Measures of the first table.
const HEADLINES: [Measure; 22] = [
    Measure::ErrorRate,
    Measure::ErrorRateWithoutGuardrails,
    Measure::FirstRoundErrorRate,
    Measure::LastRoundErrorRate,
    Measure::AgreementRate,
    Measure::AgreementNoiseFloor,
    Measure::SafeAfterUnsafe,
    Measure::UnsafeAfterSafe,
    Measure::Diversity,
    Measure::ProposerAccuracy,
    Measure::JudgeAlignmentMiddleNeither,
    Measure::OutcomeRight,
    Measure::AnswerAccuracy,
    Measure::PicksRight,
    Measure::MeanReward,
    Measure::GaugeMean,
    Measure::GaugeShare,
    Measure::LessonsShown,
    Measure::FilteredTurns,
    Measure::FailedDebates,
    Measure::TruncatedDebates,
    Measure::Cost,
];

/// Where the figures of a page come from.
pub(super) struct FigureSource<'a> {
    pub index: &'a StoreIndex,
    pub rows: &'a [DebateRow],
    /// Without a division.
    pub settings: ReportSettings,
    /// Names of the arms, the first of which the others are compared with.
    pub arms: Vec<String>,
    /// Words that select the same debates in `elenchus metrics`; `None` where no command does.
    pub selection: Option<String>,
}

/// The figures of a page.
#[derive(Debug, Default)]
pub(super) struct PageFigures {
    pub report: Option<Report>,
    pub comparisons: Option<Report>,
    pub primary: Option<Measure>,
    /// Short names of arms, by their whole names.
    pub arm_names: ArmNames,
    /// Commands for the report and for the comparisons.
    pub report_command: Option<String>,
    pub comparison_command: Option<String>,
    pub pictures: Vec<PagePicture>,
    /// What could not be computed or drawn, and why.
    pub notes: Vec<String>,
}

impl PageFigures {
    /// Names a group: arms by what tells them apart.
    pub fn name_group(&self, keys: &[FigureKey]) -> String {
        let names = keys.iter().map(|key| match key.by {
            Dimension::Arm => self.arm_names.name_of(&key.value).to_owned(),
            _ => key.value.clone(),
        });
        names.collect::<Vec<_>>().join(", ")
    }
}

impl FigureSource<'_> {
    fn is_divided(&self) -> bool {
        self.arms.len() > 1
    }

    /// Returns the report by other dimensions.
    fn compute(&self, by: &[Dimension], measures: &[Measure]) -> Result<Report> {
        let settings = ReportSettings {
            by: by.to_vec(),
            measures: measures.to_vec(),
            ..self.settings.clone()
        };
        let key = ReportKey::from_rows("report", &settings, self.rows);
        let report = self
            .index
            .cached_report(key, || compute_report(self.rows, &settings));
        report.map_err(|error| WorkspaceError::invalid(error.to_string()))
    }

    /// Returns the figures of all debates, or of each arm.
    pub fn compute_whole(&self) -> Result<Report> {
        let by: &[Dimension] = match self.is_divided() {
            true => &[Dimension::Arm],
            false => &[],
        };
        self.compute(by, &[])
    }

    /// Compares the other arms with the first one by a measure.
    pub fn compare_arms(&self, measure: Measure) -> Result<Report> {
        let Some((first, others)) = self.arms.split_first() else {
            return Err(WorkspaceError::invalid("there is no arm"));
        };
        let settings = ComparisonSettings {
            groups: ReportSettings {
                by: vec![Dimension::Arm],
                ..self.settings.clone()
            },
            measures: vec![measure],
            within: None,
        };
        let key = ReportKey::from_rows("comparison", &(first, others, &settings), self.rows);
        let report = self
            .index
            .cached_report(key, || compare_groups(self.rows, first, others, &settings));
        report.map_err(|error| WorkspaceError::invalid(error.to_string()))
    }

    /// Returns the command that gives figures by dimensions.
    pub fn format_command(&self, by: &[Dimension], measure: Option<Measure>) -> Option<String> {
        let mut command = format!("elenchus metrics{}", self.selection.as_ref()?);
        if !by.is_empty() {
            let names: Vec<&str> = by.iter().map(|by| by.label()).collect();
            command.push_str(&format!(" --by {}", names.join(",")));
        }
        if let Some(measure) = measure {
            command.push_str(&format!(" --measure {}", measure.name()));
        }
        command.push_str(" --json");
        Some(command)
    }
}

/// Returns the measure that a report is about.
pub(super) fn find_primary(report: &Report) -> Option<Measure> {
    let figures = || report.sections.iter().flat_map(|section| &section.figures);
    PRIMARY.into_iter().find(|measure| {
        figures().any(|figure| figure.measure == *measure && figure.value.is_some())
    })
}

/// Draws the pictures of a page: by arm, the comparisons, by round, by category, by seat.
pub(super) fn draw_pictures(source: &FigureSource<'_>, figures: &mut PageFigures) {
    let Some(measure) = figures.primary else {
        return;
    };
    let name = measure.label();
    if source.is_divided() {
        if let Some(report) = &figures.report {
            let picture = draw(report, measure, PictureKind::Bars, 0);
            let command = figures.report_command.clone();
            add_picture(
                &mut figures.pictures,
                picture,
                format!("{name}, by arm"),
                command,
            );
        }
        if let Some(report) = &figures.comparisons {
            let picture = draw(report, measure, PictureKind::Bars, 1);
            let first = source.arms.first();
            let first = first.map(|arm| figures.arm_names.name_of(arm));
            let caption = format!(
                "{name}: difference from {}, paired by topic",
                first.unwrap_or("the first arm")
            );
            let command = figures.comparison_command.clone();
            add_picture(&mut figures.pictures, picture, caption, command);
        }
    }
    let has_several = |of: &dyn Fn(&DebateRow) -> Option<String>| {
        let mut values = source.rows.iter().filter_map(of);
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    let has_categories = has_several(&|row| row.category.clone());
    let has_rounds = source.rows.iter().any(|row| row.rounds > 1);
    let mut divisions: Vec<(&[Dimension], PictureKind)> = Vec::new();
    match source.is_divided() {
        true => {
            if has_rounds {
                divisions.push((&[Dimension::Arm, Dimension::Round], PictureKind::Curve));
            }
            if has_categories {
                divisions.push((&[Dimension::Category, Dimension::Arm], PictureKind::Heat));
            }
        }
        false => {
            if has_rounds {
                divisions.push((&[Dimension::Round], PictureKind::Bars));
            }
            match (has_categories, has_rounds) {
                (true, true) => {
                    divisions.push((&[Dimension::Category, Dimension::Round], PictureKind::Heat));
                }
                (true, false) => divisions.push((&[Dimension::Category], PictureKind::Bars)),
                (false, _) => {}
            }
            divisions.push((&[Dimension::Seat], PictureKind::Bars));
        }
    }
    for (at, (by, kind)) in divisions.into_iter().enumerate() {
        let drawn = source
            .compute(by, &[measure])
            .map_err(|why| why.to_string())
            .and_then(|report| match draw(&report, measure, kind, at + 2) {
                // The game has no such figure: there is nothing to say of it.
                Err(PlotError::NoFigure { .. } | PlotError::NoDebates) => Ok(None),
                Err(why) => Err(why.to_string()),
                Ok(svg) => Ok(Some(svg)),
            });
        let names: Vec<&str> = by.iter().map(|by| by.label()).collect();
        match drawn {
            Ok(Some(svg)) => figures.pictures.push(PagePicture {
                caption: format!("{name}, by {}", names.join(" and ")),
                svg,
                command: source.format_command(by, Some(measure)),
            }),
            Ok(None) => {}
            Err(why) => figures
                .notes
                .push(format!("a picture by {}: {why}", names.join(" and "))),
        }
    }
}

fn draw(
    report: &Report,
    measure: Measure,
    kind: PictureKind,
    number: usize,
) -> Result<String, PlotError> {
    let picture = picture_from_report(report, measure, kind)?;
    Ok(write_svg(&picture, &format!("picture{number}")))
}

fn add_picture(
    pictures: &mut Vec<PagePicture>,
    picture: Result<String, PlotError>,
    caption: String,
    command: Option<String>,
) {
    pictures.extend(picture.ok().map(|svg| PagePicture {
        caption,
        svg,
        command,
    }));
}

/// Returns the first figures of each section.
pub(super) fn build_headlines(figures: &PageFigures) -> Vec<FigureTable> {
    let is_headline = |figure: &&Figure| {
        let of_a_protocol = matches!(figure.measure, Measure::GaugeMean | Measure::GaugeShare);
        let is_whole = figure.keys.is_empty() || of_a_protocol;
        is_whole && figure.value.is_some() && HEADLINES.contains(&figure.measure)
    };
    build_tables(figures, is_headline)
}

/// Returns all figures of each section, those of its parts too.
pub(super) fn build_all_figures(figures: &PageFigures) -> Vec<FigureTable> {
    build_tables(figures, |_| true)
}

fn build_tables(figures: &PageFigures, holds: impl Fn(&&Figure) -> bool) -> Vec<FigureTable> {
    let sections = figures.report.iter().flat_map(|report| &report.sections);
    let mut tables: Vec<FigureTable> = sections
        .map(|section| build_table(figures, section, &holds))
        .filter(|table| !table.rows.is_empty())
        .collect();
    // What is said of each table alike is said once.
    let shared: Vec<String> = match tables.as_slice() {
        [first, _, ..] => first
            .notes
            .iter()
            .filter(|note| tables.iter().all(|table| table.notes.contains(note)))
            .cloned()
            .collect(),
        _ => Vec::new(),
    };
    let last = tables.len().saturating_sub(1);
    for (at, table) in tables.iter_mut().enumerate() {
        if at < last {
            table.notes.retain(|note| !shared.contains(note));
        } else {
            table.command.clone_from(&figures.report_command);
        }
    }
    tables
}

fn build_table(
    figures: &PageFigures,
    section: &ReportSection,
    holds: &impl Fn(&&Figure) -> bool,
) -> FigureTable {
    let shown: Vec<&Figure> = section.figures.iter().filter(holds).collect();
    let mut notes = section.notes.clone();
    for note in shown.iter().flat_map(|figure| &figure.notes) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    FigureTable {
        caption: title_section(figures, section),
        has_parts: shown.iter().any(|figure| !figure.keys.is_empty()),
        interval_title: PLAIN_INTERVAL,
        rows: shown.into_iter().map(build_row).collect(),
        notes,
        command: None,
    }
}

/// Says which debates a section is of.
fn title_section(figures: &PageFigures, section: &ReportSection) -> String {
    let mut title = match section.group.is_empty() {
        true => "All debates".to_owned(),
        false => figures.name_group(&section.group),
    };
    title.push_str(&format!(
        ": {}, {}",
        elenchus_text::format_noun_count(section.debates, "debate"),
        elenchus_text::format_noun_count(section.topics, "topic"),
    ));
    if section.simulated {
        title.push_str(", SIMULATED");
    }
    if section.hash_check {
        title.push_str(", topics that need a comparison of hashes");
    }
    title
}

/// Returns a figure as a row of a table.
pub(super) fn build_row(figure: &Figure) -> FigureRow {
    let unit = figure.unit;
    let shown = figure.value.map(|value| format_value(value, unit));
    let interval = figure.interval;
    FigureRow {
        name: name_figure(figure),
        measure: figure.measure.name().to_owned(),
        part: describe_keys(&figure.keys),
        shown: shown.unwrap_or_else(|| NO_VALUE.to_owned()),
        value: figure.value,
        shown_interval: interval
            .map_or_else(String::new, |interval| format_interval(interval, unit)),
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
        observations: figure.observations,
        counted: figure.measure.counted().to_owned(),
        topics: figure.topics,
        remark: describe_missing(figure),
    }
}

/// Returns the limits of an interval, with their unit once.
pub(super) fn format_interval(interval: Interval, unit: Unit) -> String {
    let low = format_value(interval.low, unit);
    let low = low.strip_suffix(" %").unwrap_or(&low);
    format!("{low} to {}", format_value(interval.high, unit))
}

pub(super) fn name_figure(figure: &Figure) -> String {
    match &figure.title {
        Some(title) => format!("{}: {title}", figure.measure.label()),
        None => figure.measure.label().to_owned(),
    }
}

fn describe_keys(keys: &[FigureKey]) -> String {
    let parts = keys
        .iter()
        .map(|key| format!("{} {}", key.by.label(), key.value));
    parts.collect::<Vec<_>>().join(" · ")
}

/// Says what a figure leaves out, and what it would be whatever that was.
fn describe_missing(figure: &Figure) -> String {
    let why_not = figure.not_applicable.iter().cloned();
    let left_out = figure.left_out.iter();
    let left_out = left_out.map(|(reason, count)| format!("{count} {}", reason.label()));
    let parts = why_not.chain(left_out);
    let mut text = parts.collect::<Vec<_>>().join(", ");
    let bounds = figure
        .bounds
        .and_then(|bounds| bounds.if_all_safe.zip(bounds.if_all_unsafe));
    if let Some((safe, not_safe)) = bounds.filter(|_| !figure.left_out.is_empty()) {
        text.push_str(&format!(
            "; {} if all had been safe, {} if unsafe",
            format_value(safe, figure.unit),
            format_value(not_safe, figure.unit)
        ));
    }
    text
}

/// Returns the comparisons as tables, one for each other arm.
pub(super) fn build_comparisons(figures: &PageFigures) -> Vec<FigureTable> {
    let sections = figures
        .comparisons
        .iter()
        .flat_map(|report| &report.sections);
    sections
        .map(|section| {
            let mut table = build_table(figures, section, &|_: &&Figure| true);
            table.caption = format!(
                "{} minus {}, paired by topic{}",
                figures.name_group(&section.group),
                figures.name_group(&section.against),
                match section.simulated {
                    true => ", SIMULATED",
                    false => "",
                }
            );
            for (row, figure) in table.rows.iter_mut().zip(&section.figures) {
                row.remark = describe_comparison(figure);
                if figure.compared.is_some() {
                    // What is counted are pairs of topics, whatever was counted in each.
                    "topics".clone_into(&mut row.counted);
                }
            }
            let is_adjusted = section.figures.iter().any(|one| one.confidence.is_some());
            if is_adjusted {
                table.interval_title = "adjusted interval";
            }
            table.command.clone_from(&figures.comparison_command);
            table
        })
        .collect()
}

fn describe_comparison(figure: &Figure) -> String {
    let Some(compared) = figure.compared else {
        return figure.not_applicable.clone().unwrap_or_default();
    };
    let mut text = format!(
        "{} against {}",
        format_value(compared.of, figure.unit),
        format_value(compared.from, figure.unit)
    );
    if let Some(test) = compared.test {
        text.push_str(&format!(
            "; p {}, adjusted for {}",
            test.shown_p(),
            elenchus_text::format_noun_count(test.family, "comparison")
        ));
    }
    if let Some(confidence) = figure.confidence {
        text.push_str(&format!("; interval of {:.1} %", 100.0 * confidence));
    }
    text
}
