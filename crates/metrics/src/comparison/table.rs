//! Comparisons of groups as text. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::groups::group_name;
use crate::report::arm_names::ArmNames;
use crate::report::figure::{Dimension, Figure, FigureKey, IntervalSubject, Report, ReportSection};
use crate::report::grid::{Grid, GridRow, MAX_HEAD, NameWidth};
use crate::report::table::{Footnotes, figure_name, left_out_text, shared_notes};
use crate::report::text_layout::{
    debates_title, escape_hidden, format_number, format_value, push_paragraph,
};
use crate::statistics::paired_tests::PairedTest;

/// Least width: the numbers and a short name fit.
const MIN_WIDTH: usize = 76;

const TOPICS: usize = 7;
const VALUE: usize = 9;
const INTERVAL: usize = 17;
const P: usize = 7;
/// Columns that names of measures are left beside the heads of two values.
const NAMES: usize = 20;

/// Renders a comparison as text of at most `width` columns (76 where that is more): with one other group a row
/// for each measure, with several a table for each measure.
pub fn comparison_to_table(report: &Report, width: usize) -> String {
    let width = width.max(MIN_WIDTH);
    let mut kinds: BTreeMap<(bool, bool), Vec<&ReportSection>> = BTreeMap::new();
    for section in &report.sections {
        let kind = (section.simulated, section.hash_check);
        kinds.entry(kind).or_default().push(section);
    }
    let tables = kinds
        .into_iter()
        .map(|((simulated, hash_check), sections)| {
            let debates = debates_title(simulated, hash_check);
            render_kind(&debates, &sections, width)
        });
    tables.collect::<Vec<_>>().join("\n")
}

fn render_kind(debates: &str, sections: &[&ReportSection], width: usize) -> String {
    let mut out = String::new();
    let first = sections.first().map(|section| group_name(&section.against));
    let first = escape_hidden(&first.unwrap_or_default());
    let test = |figure: &Figure| Some(figure.compared?.test?.test);
    let figures = sections.iter().flat_map(|section| &section.figures);
    let pairing = match figures
        .filter_map(test)
        .all(|test| test != PairedTest::LabelPermutation)
    {
        true => ", paired by topic",
        false => "",
    };
    let title = match sections {
        [one] => {
            let name = escape_hidden(&group_name(&one.group));
            format!("{name} against {first}{pairing}: {debates}")
        }
        _ => format!("Against {first}{pairing}: {debates}"),
    };
    push_paragraph(&mut out, &title, width);
    let common_notes = shared_by_all(sections, shared_notes);
    let everywhere = shared_by_all(sections, |section| section.notes.clone());
    let mut notes = everywhere.clone();
    for section in sections {
        let own = section
            .notes
            .iter()
            .filter(|note| !everywhere.contains(note));
        notes.extend(own.map(|note| format!("{}: {note}", group_name(&section.group))));
    }
    for note in notes.iter().chain(&common_notes) {
        push_paragraph(&mut out, &format!("! {}", escape_hidden(note)), width);
    }
    let mut footnotes = Footnotes::default();
    let heads = ValueHeads::from_sections(sections, width);
    for grid in build_grids(sections, &heads, &common_notes, &mut footnotes) {
        out.push('\n');
        out.push_str(&grid.to_text(width));
    }
    footnotes.write(&mut out, width);
    out.push('\n');
    push_paragraph(&mut out, &describe_columns(sections, &heads), width);
    out
}

/// Heads of the columns of two values, and what they are called in a sentence: names by what differs.
struct ValueHeads {
    first: String,
    /// `None` where a table has a row for each of several groups.
    other: Option<String>,
    /// Widest line of a head.
    widest: usize,
}

impl ValueHeads {
    fn from_sections(sections: &[&ReportSection], width: usize) -> Self {
        let first = sections.first().map(|section| group_name(&section.against));
        let first = first.unwrap_or_default();
        let others: Vec<String> = sections
            .iter()
            .map(|section| group_name(&section.group))
            .collect();
        let names = others.iter().chain([&first]).map(String::as_str);
        let short = ArmNames::from_arms(names);
        let room = width.saturating_sub(TOPICS + VALUE + INTERVAL + P + NAMES);
        let widest = (room / 2).saturating_sub(1).clamp(VALUE - 1, MAX_HEAD);
        let first = escape_hidden(short.name_of(&first));
        let Some([other]) = others.first_chunk().filter(|_| others.len() == 1) else {
            return Self {
                first,
                other: None,
                widest,
            };
        };
        let other = escape_hidden(short.name_of(other));
        // What tells two games apart is in their names: the rest of long ones stands in the title.
        let (game, other_game) = (first_word(&first), first_word(&other));
        let is_long = |name: &str| name.split(' ').any(|word| word.len() > widest);
        let (first, other) = match game != other_game && (is_long(&first) || is_long(&other)) {
            true => (game.to_owned(), other_game.to_owned()),
            false => (first, other),
        };
        Self {
            first,
            other: Some(other),
            widest,
        }
    }
}

/// Renders trends as text of at most `width` columns (76 where that is more): a table for each section, a row for
/// each measure.
pub fn trend_to_table(report: &Report, width: usize) -> String {
    let width = width.max(MIN_WIDTH);
    let mut out = String::new();
    for section in &report.sections {
        let debates = debates_title(section.simulated, section.hash_check);
        let span = section.figures.iter().find_map(find_property);
        let over = span.map_or_else(String::new, |span| {
            format!(", {} {}", span.by.label(), escape_hidden(&span.value))
        });
        let of = match section.group.is_empty() {
            true => String::new(),
            false => format!("{}: ", escape_hidden(&group_name(&section.group))),
        };
        push_paragraph(&mut out, &format!("{of}trend{over}: {debates}"), width);
        let common_notes = shared_notes(section);
        for note in section.notes.iter().chain(&common_notes) {
            push_paragraph(&mut out, &format!("! {}", escape_hidden(note)), width);
        }
        let [interval, p] = column_heads(&[section]);
        let mut grid = Grid::new("measure", NameWidth::Rest)
            .with_column("topics", TOPICS)
            .with_column("first", VALUE)
            .with_column("last", VALUE)
            .with_column("a step", VALUE)
            .with_column(interval, INTERVAL)
            .with_column(p, P);
        let mut footnotes = Footnotes::default();
        for figure in &section.figures {
            let mut measure = figure.clone();
            measure
                .keys
                .retain(|key| Dimension::NAMES.contains(&key.by));
            let marked_name =
                footnotes.mark_name(figure_name(&measure), &figure.notes, &common_notes);
            add_figure_rows(&mut grid, marked_name, figure, ValueOrder::FirstBefore);
        }
        out.push('\n');
        out.push_str(&grid.to_text(width));
        footnotes.write(&mut out, width);
        out.push('\n');
    }
    let sections: Vec<&ReportSection> = report.sections.iter().collect();
    push_paragraph(&mut out, &describe_trend_columns(&sections), width);
    out
}

/// Says how to read the columns of a trend, and by which tests the p-values are.
fn describe_trend_columns(sections: &[&ReportSection]) -> String {
    let figures = sections.iter().flat_map(|section| &section.figures);
    let tests = figures.filter_map(|figure| figure.compared?.test);
    let of_runs: BTreeSet<bool> = tests
        .map(|test| test.test == PairedTest::RunSignFlip)
        .collect();
    let whose: Vec<&str> = of_runs
        .into_iter()
        .map(|of_runs| match of_runs {
            true => "learning runs'",
            false => "topics'",
        })
        .collect();
    let mut text = "first, last: means over topics of the value at the topic's first and last; a step: mean over \
         topics of the least-squares slope from one to the next"
        .to_owned();
    if !whose.is_empty() {
        let whose = whose.join(" or of the ");
        let _ = write!(text, "; p: signs of the {whose} slopes flipped");
    }
    if needs_adjustment(sections) {
        text.push_str(
            ". Both are adjusted over all that is shown: p is multiplied by some k (Holm), and its interval is at \
             1 - .05 / k",
        );
    }
    text
}

/// Returns the notes that all groups with a value have.
fn shared_by_all(
    sections: &[&ReportSection],
    notes: impl Fn(&ReportSection) -> Vec<String>,
) -> Vec<String> {
    let has_value = |section: &&&ReportSection| {
        let mut figures = section.figures.iter();
        figures.any(|figure| figure.value.is_some())
    };
    let mut all = sections
        .iter()
        .filter(has_value)
        .map(|section| notes(section));
    let first = all.next().unwrap_or_default();
    all.fold(first, |mut shared, notes| {
        shared.retain(|note| notes.contains(note));
        shared
    })
}

/// Says of interval and p-value whether both are adjusted, or neither, and where debates learn of what they are.
fn column_heads(sections: &[&ReportSection]) -> [&'static str; 2] {
    let mut figures = sections.iter().flat_map(|section| &section.figures);
    let has_adjustment = needs_adjustment(sections);
    let is_of_memory =
        figures.any(|figure| figure.interval_of == Some(IntervalSubject::ThisMemory));
    let interval = match (has_adjustment, is_of_memory) {
        (_, true) => "of this memory",
        (true, false) => "adj. interval",
        (false, false) => "95 % interval",
    };
    [interval, if has_adjustment { "adj. p" } else { "p" }]
}

fn first_word(name: &str) -> &str {
    name.split(' ').next().unwrap_or_default()
}

fn build_grid(corner: &str, sections: &[&ReportSection], heads: &ValueHeads) -> Grid {
    let [interval, p] = column_heads(sections);
    let other = heads.other.as_deref().unwrap_or("value");
    Grid::new(corner, NameWidth::Rest)
        .with_column("topics", TOPICS)
        .with_headed_column(other, VALUE, heads.widest)
        .with_headed_column(&*heads.first, VALUE, heads.widest)
        .with_column("diff", VALUE)
        .with_column(interval, INTERVAL)
        .with_column(p, P)
}

/// Says whether several tests were made, so that they are adjusted together.
fn needs_adjustment(sections: &[&ReportSection]) -> bool {
    let figures = sections.iter().flat_map(|section| &section.figures);
    let mut tests = figures.filter_map(|figure| figure.compared?.test);
    tests.any(|test| test.family > 1)
}

fn build_grids(
    sections: &[&ReportSection],
    heads: &ValueHeads,
    shared: &[String],
    footnotes: &mut Footnotes,
) -> Vec<Grid> {
    if let [one] = sections {
        let mut all = build_grid("measure", sections, heads);
        for figure in &one.figures {
            let name = match find_property(figure) {
                Some(key) => format!("- {}", escape_hidden(&key.value)),
                None => figure_name(figure),
            };
            let marked_name = footnotes.mark_name(name, &figure.notes, shared);
            add_figure_rows(&mut all, marked_name, figure, ValueOrder::FirstAfter);
        }
        return vec![all];
    }
    let mut measures: Vec<(String, Grid)> = Vec::new();
    for section in sections {
        for figure in &section.figures {
            let mut measure = figure.clone();
            measure
                .keys
                .retain(|key| Dimension::NAMES.contains(&key.by));
            let measure = figure_name(&measure);
            if !measures.iter().any(|(known, _)| *known == measure) {
                measures.push((measure.clone(), build_grid(&measure, sections, heads)));
            }
            let table = measures.iter_mut().find(|(known, _)| *known == measure);
            if let Some((_, table)) = table {
                let of =
                    find_property(figure).map(|key| format!(", {}", escape_hidden(&key.value)));
                let name = escape_hidden(&group_name(&section.group)) + &of.unwrap_or_default();
                let marked_name = footnotes.mark_name(name, &figure.notes, shared);
                add_figure_rows(table, marked_name, figure, ValueOrder::FirstAfter);
            }
        }
    }
    measures.into_iter().map(|(_, grid)| grid).collect()
}

/// Returns the value of a property of topics that a figure is within.
fn find_property(figure: &Figure) -> Option<&FigureKey> {
    let mut keys = figure.keys.iter();
    keys.find(|key| !Dimension::NAMES.contains(&key.by))
}

/// Place of the value that another is compared with.
#[derive(Debug, Clone, Copy)]
enum ValueOrder {
    FirstBefore,
    FirstAfter,
}

fn add_figure_rows(grid: &mut Grid, name: String, figure: &Figure, order: ValueOrder) {
    let (Some(value), Some(compared)) = (figure.value, figure.compared) else {
        let why = figure.not_applicable.as_deref().unwrap_or("no value");
        let why = format!("n/a ({})", escape_hidden(why));
        grid.rows.push(GridRow::Reason(name, why));
        return;
    };
    let interval = figure.interval.map(|interval| {
        let (low, high) = (interval.low, interval.high);
        format!(
            "{} to {}",
            format_number(low, figure.unit),
            format_number(high, figure.unit)
        )
    });
    let format_mean = |value: f64| format_value(value, figure.measure.unit());
    let [one, other] = match order {
        ValueOrder::FirstBefore => [compared.from, compared.of],
        ValueOrder::FirstAfter => [compared.of, compared.from],
    };
    grid.add_row(
        name,
        vec![
            figure.topics.to_string(),
            format_mean(one),
            format_mean(other),
            format_value(value, figure.unit),
            interval.unwrap_or_default(),
            compared
                .test
                .map_or_else(String::new, |test| test.shown_p().to_string()),
        ],
    );
    grid.rows.extend(left_out_text(figure).map(GridRow::Note));
}

/// Says how to read the columns, and by which tests the p-values are.
fn describe_columns(sections: &[&ReportSection], heads: &ValueHeads) -> String {
    let figures = || sections.iter().flat_map(|section| &section.figures);
    let tests = figures().filter_map(|figure| figure.compared?.test);
    let (mut names, mut family) = (BTreeSet::new(), 1);
    for test in tests {
        names.insert(match test.test {
            PairedTest::McNemar => "exact McNemar where each topic has one observation a group",
            PairedTest::McNemarMidP => {
                "McNemar's mid-p where each topic has one observation a group"
            }
            PairedTest::SignFlip => "signs of the topics' differences flipped",
            PairedTest::RunPermutation => "learning runs divided otherwise",
            PairedTest::RunSignFlip => "signs of the learning runs' differences flipped",
            PairedTest::LabelPermutation => "topics divided otherwise, where none is in both",
        });
        family = family.max(test.family);
    }
    let (first, other) = (&heads.first, heads.other.as_deref().unwrap_or("each"));
    let mut text = format!("diff: {other} less {first}, means over topics");
    if figures().any(|figure| figure.compared.is_some_and(|it| it.test.is_none())) {
        let _ = write!(
            text,
            "; of use the multiple of {first}, over topics both played"
        );
    }
    if !names.is_empty() {
        let names: Vec<&str> = names.into_iter().collect();
        text.push_str(&format!("; p: {}", names.join("; ")));
    }
    if family > 1 {
        text.push_str(
            ". Both are adjusted over all comparisons that were asked for: p is multiplied by some k (Holm), and its \
             interval is at 1 - .05 / k",
        );
        if figures().any(|figure| figure.compared.is_some_and(|it| it.test.is_none())) {
            text.push_str("; intervals of use are at 95 %");
        }
    }
    text
}
