//! Validation as a table of a bounded width. Pure.

use super::annotator_agreement::{AnnotatorAgreement, AnnotatorPair};
use super::confusion_matrix::{ConfusionMatrix, MatrixCell};
use super::estimate::{Estimate, Quantity};
use super::gold::{Basis, NoGold};
use super::rate_correction::ArmRate;
use super::report::{
    EvaluatorReport, PartReport, Validation, ValidationSection, unblinded_command,
};
use super::rows::LabelClasses;
use super::table_rate_correction::arms_lines;
use crate::report::grid::{Grid, GridRow, NameWidth};
use crate::report::table::{Footnotes, MIN_TABLE_WIDTH};
use crate::report::text_layout::{
    clip_to_width, debates_title, escape_hidden, format_count, push_line, push_paragraph,
};
use crate::sections::counting::FEW_TOPICS;
use std::collections::BTreeSet;

const VALUE: usize = 10;
const INTERVAL: usize = 19;
const TURNS: usize = 7;
const TOPICS: usize = 8;
/// Most labels without a side that are named, and most characters of each.
const MAX_WORDS: usize = 8;
const MAX_WORD: usize = 30;
/// Width of a share with its interval in the table of parts.
const PART: usize = 15;
/// Least width of a column of a confusion matrix.
const MATRIX: usize = 12;

/// What brings the labels that an arm lacks, as a command for a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextLabels {
    /// More turns are drawn.
    Draw(String),
    /// They are drawn already, and to be labelled.
    Label(String),
    /// No queue can go on: a new one of this name is drawn.
    NewQueue(String),
}

/// Says what brings the labels that an arm lacks.
pub type LabelCommand<'a> =
    dyn Fn(&ValidationSection, &EvaluatorReport, &ArmRate) -> NextLabels + 'a;

/// Evaluators whose figures are written below the table of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownEvaluators {
    /// Those with labels.
    Labelled,
    /// All that were read: they were asked for by name.
    All,
}

/// Renders a validation, at most `width` columns wide: the table of evaluators, then the figures of each.
pub fn validation_to_table(
    validation: &Validation,
    width: usize,
    shown: ShownEvaluators,
    command: &LabelCommand<'_>,
) -> String {
    let width = width.max(MIN_TABLE_WIDTH);
    if validation.sections.is_empty() {
        return "no turns to validate on\n".to_owned();
    }
    let sections = validation.sections.iter();
    let sections = sections.map(|section| {
        let context = SectionText {
            section,
            set: &validation.classes.set,
            of: &validation.classes.of,
            width,
            command,
        };
        section_table(context, shown)
    });
    let overview = validation.overview_to_text(width);
    let parts: Vec<String> = std::iter::once(overview).chain(sections).collect();
    parts.join("\n")
}

/// What the text of a section is written by.
#[derive(Clone, Copy)]
pub(super) struct SectionText<'a> {
    pub section: &'a ValidationSection,
    pub set: &'a str,
    /// Noun of what is labelled.
    pub of: &'a str,
    pub width: usize,
    pub command: &'a LabelCommand<'a>,
}

fn section_table(context: SectionText<'_>, shown: ShownEvaluators) -> String {
    let SectionText {
        section,
        set,
        of,
        width,
        ..
    } = context;
    let mut out = String::new();
    let mut title = debates_title(section.simulated, section.hash_check);
    title.push_str(&format!(
        ", label set {}: {} over {}, {} with gold",
        escape_hidden(set),
        format_count(section.turns, of),
        format_count(section.topics, "topic"),
        section.labelled
    ));
    push_paragraph(&mut out, &title, width);
    if section.simulated {
        let note = "! simulated: a check of the instrument, no evidence about models or protocols";
        push_paragraph(&mut out, note, width);
    }
    basis_lines(&mut out, section, set, width);
    let evaluators = section.evaluators.iter().filter(|one| match shown {
        ShownEvaluators::Labelled => one.matrix.judged_count() > 0,
        ShownEvaluators::All => true,
    });
    for evaluator in evaluators {
        out.push('\n');
        out.push_str(&evaluator_table(evaluator, context));
    }
    if section.evaluators.is_empty() {
        push_paragraph(&mut out, "\nno evaluator judged any of these turns", width);
    }
    people_lines(&mut out, &section.people, width);
    out
}

/// Writes the basis of the figures, and the observations left out.
fn basis_lines(out: &mut String, section: &ValidationSection, set: &str, width: usize) {
    push_paragraph(out, &format!("! {}", describe_basis(section)), width);
    for (why, count) in &section.left_out {
        let text = format!("! left out: {count} {}", why.label());
        if *why == NoGold::NotKnownBlind {
            push_paragraph(out, &format!("{text}; this counts them:"), width);
            push_line(
                out,
                &format!("  {}", unblinded_command(&escape_hidden(set))),
            );
        } else if *why == NoGold::Tie {
            push_paragraph(out, &format!("{text}{OF_SPLIT_TURNS}"), width);
        } else {
            push_paragraph(out, &text, width);
        }
    }
}

/// What leaving out turns on which people disagree does.
const OF_SPLIT_TURNS: &str = ": these are the hard ones, so evaluators look better here than over all \
     turns, and rates are of the rest; an adjudicator's labels would count them";

fn describe_basis(section: &ValidationSection) -> String {
    match &section.basis {
        Basis::Drawn {
            queue,
            of,
            taken,
            labelled,
            elsewhere,
            even,
        } => {
            let queue = escape_hidden(queue);
            let weigh = if *even {
                "every turn weighs the same"
            } else {
                "turns are weighted by the inverse of their chance"
            };
            let mut text = format!(
                "the sample is queue {queue}: {labelled} of {taken} drawn from {of}, {weigh}"
            );
            if *of < section.turns as u64 {
                text.push_str(&format!(
                    "; there are {} turns here, and it speaks for those that it was drawn from",
                    section.turns
                ));
            }
            if *elsewhere > 0 {
                let are = if *elsewhere == 1 { "is" } else { "are" };
                text.push_str(&format!(
                    "; {elsewhere} more of its turns {are} labelled, not among these: of another table here, or of \
                     sessions that were not asked for"
                ));
            }
            if ((labelled + elsewhere) as u64) < *taken {
                text.push_str("; it is not labelled to its end");
            }
            text
        }
        Basis::All => match section.left_out.get(&NoGold::Tie) {
            None => "every turn has gold: this is no sample, but all of them".to_owned(),
            Some(split) => format!(
                "every turn is labelled, and all but the {} have gold: this is no sample",
                format_count(*split, "split turn")
            ),
        },
        Basis::Chosen
            if section.labelled == 0 && section.left_out.contains_key(&NoGold::NotKnownBlind) =>
        {
            "no turn has gold: nobody knows whether its labels were given blind".to_owned()
        }
        Basis::Chosen if section.labelled == 0 => {
            "no turn has gold: label some, drawn by chance".to_owned()
        }
        Basis::Chosen => "people chose which turns to label: figures describe those turns alone, \
                          and no rate is corrected by them"
            .to_owned(),
        Basis::ByVerdict { queue } => format!(
            "queue {} was drawn from turns that were chosen by what evaluators said",
            escape_hidden(queue)
        ),
    }
}

fn evaluator_table(evaluator: &EvaluatorReport, context: SectionText<'_>) -> String {
    let SectionText { section, width, .. } = context;
    let mut out = String::new();
    let role = evaluator.role.map(|role| format!(", {},", role.label()));
    let title = format!(
        "evaluator {}{} against gold; positive is {}",
        escape_hidden(&evaluator.evaluator),
        role.unwrap_or_default(),
        escape_hidden(&evaluator.positive)
    );
    push_paragraph(&mut out, &title, width);
    out.push('\n');
    matrix_lines(&mut out, &evaluator.matrix, section, width);
    out.push('\n');
    figures_lines(&mut out, evaluator, context);
    out
}

/// Renders the results on one evaluator, without its matrix; at most `width` columns wide.
pub fn evaluator_to_text(
    section: &ValidationSection,
    evaluator: &EvaluatorReport,
    classes: &LabelClasses,
    width: usize,
    command: &LabelCommand<'_>,
) -> String {
    let set = &classes.set;
    let context = SectionText {
        section,
        set,
        of: &classes.of,
        width: width.max(MIN_TABLE_WIDTH),
        command,
    };
    let mut out = String::new();
    basis_lines(&mut out, section, set, context.width);
    out.push('\n');
    figures_lines(&mut out, evaluator, context);
    out
}

/// Renders the agreement of people; at most `width` columns wide.
pub fn people_to_text(section: &ValidationSection, set: &str, width: usize) -> String {
    let width = width.max(MIN_TABLE_WIDTH);
    let mut out = String::new();
    basis_lines(&mut out, section, set, width);
    people_lines(&mut out, &section.people, width);
    if section.people.labels.is_empty() {
        let text = match section.left_out.is_empty() {
            true => "nobody labelled any of these turns",
            false => "no label of these turns counts",
        };
        push_paragraph(&mut out, text, width);
    }
    out
}

/// Writes the labels that are in no figure, the most frequent first.
fn neither_line(out: &mut String, evaluator: &EvaluatorReport, width: usize) {
    let mut words: Vec<(&String, &usize)> = evaluator.neither.iter().collect();
    words.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let count: usize = evaluator.neither.values().sum();
    if count == 0 {
        return;
    }
    let mut named_words: Vec<String> = words
        .iter()
        .take(MAX_WORDS)
        .map(|(word, count)| {
            format!(
                "'{}' ({count})",
                clip_to_width(&escape_hidden(word), MAX_WORD).trim_end()
            )
        })
        .collect();
    if words.len() > MAX_WORDS {
        named_words.push(format!("{} more words", words.len() - MAX_WORDS));
    }
    let text = format!(
        "! in no figure: {} whose verdict is on neither side: {}",
        format_count(count, "turn"),
        named_words.join(", ")
    );
    push_paragraph(out, &text, width);
}

fn figures_lines(out: &mut String, evaluator: &EvaluatorReport, context: SectionText<'_>) {
    let width = context.width;
    neither_line(out, evaluator, width);
    estimates_lines(out, &evaluator.estimates, width);
    if !evaluator.all_classes.is_empty() {
        push_paragraph(out, "\nall labels, each a class of its own", width);
        estimates_lines(out, &evaluator.all_classes, width);
    }
    parts_lines(out, &evaluator.parts, width);
    if let Some(calibration) = &evaluator.calibration {
        out.push_str("\nscores against gold\n");
        estimates_lines(out, &calibration.estimates, width);
        for bin in &calibration.bins {
            let line = format!(
                "  scores {:.1} to {:.1}: mean {:.3}, positive {:.1} % of {}",
                bin.from,
                bin.to,
                bin.mean_score,
                100.0 * bin.positive,
                format_count(bin.turns, "turn")
            );
            push_paragraph(out, &line, width);
        }
    }
    arms_lines(out, evaluator, context);
}

fn matrix_lines(
    out: &mut String,
    matrix: &ConfusionMatrix,
    section: &ValidationSection,
    width: usize,
) {
    let grid = |corner: &str, shown: &dyn Fn(&MatrixCell) -> String| {
        let mut grid = Grid::new(corner, NameWidth::AtMost(width / 3));
        for name in &matrix.found {
            grid = grid.with_column(escape_hidden(name), MATRIX);
        }
        let columns = matrix.found.len().max(1);
        for (name, cells) in matrix.gold.iter().zip(matrix.cells.chunks(columns)) {
            grid.add_row(escape_hidden(name), cells.iter().map(shown).collect());
        }
        grid.to_text(width)
    };
    out.push_str(&grid("gold, turns", &|cell| cell.turns.len().to_string()));
    let Basis::Drawn { even: false, .. } = section.basis else {
        return;
    };
    let total: f64 = matrix.cells.iter().map(|cell| cell.weight).sum();
    if total > 0.0 {
        let share = |cell: &MatrixCell| format!("{:.1}", 100.0 * cell.weight / total);
        out.push_str(&grid("weighted, %", &share));
    }
}

/// Formats a quantity's value or its interval's end, without unit.
fn format_quantity(quantity: Quantity, value: f64) -> String {
    let text = if quantity.is_share() {
        format!("{:.1}", 100.0 * value)
    } else {
        format!("{value:.3}")
    };
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| "0.".contains(c)) => rest.to_owned(),
        Some(_) | None => text,
    }
}

/// Returns an estimate's value and interval as text; the reason where there is no value.
fn estimate_text(estimate: &Estimate) -> (String, String) {
    let Some(value) = estimate.value else {
        let why = estimate.not_applicable.as_deref().unwrap_or("no value");
        return (format!("n/a ({why})"), String::new());
    };
    let unit = if estimate.quantity.is_share() {
        " %"
    } else {
        ""
    };
    let interval = estimate.interval.map(|interval| {
        let end = |end| format_quantity(estimate.quantity, end);
        format!("{} to {}", end(interval.low), end(interval.high))
    });
    let value = format!("{}{unit}", format_quantity(estimate.quantity, value));
    (value, interval.unwrap_or_default())
}

/// Writes estimates one below the other, with their notes.
fn estimates_lines(out: &mut String, estimates: &[Estimate], width: usize) {
    let reasons = estimates.iter().map(|one| one.not_applicable.as_deref());
    let reasons: BTreeSet<Option<&str>> = reasons.collect();
    if let [Some(why)] = reasons.iter().collect::<Vec<_>>()[..] {
        push_paragraph(out, &format!("no figures: {why}"), width);
        return;
    }
    let mut grid = Grid::new("figure", NameWidth::Rest)
        .with_column("value", VALUE)
        .with_column("95 % interval", INTERVAL)
        .with_column("turns", TURNS)
        .with_column("topics", TOPICS);
    let mut footnotes = Footnotes::default();
    for estimate in estimates {
        let (value, interval) = estimate_text(estimate);
        let name = estimate.quantity.label().to_owned();
        if estimate.value.is_none() {
            grid.rows.push(GridRow::Reason(name, value));
            continue;
        }
        let (turns, topics) = (estimate.turns.to_string(), estimate.topics.to_string());
        let name = footnotes.mark_name(name, &estimate.notes, &[]);
        grid.add_row(name, vec![value, interval, turns, topics]);
    }
    out.push_str(&grid.to_text(width));
    footnotes.write(out, width);
}

fn parts_lines(out: &mut String, parts: &[PartReport], width: usize) {
    let quantities = [Quantity::Accuracy, Quantity::Recall, Quantity::Specificity];
    let mut few = false;
    for parts in parts.chunk_by(|one, other| one.by == other.by) {
        let by = parts.first().map_or("", |part| part.by.label());
        let mut grid = Grid::new(&format!("by {by}, %"), NameWidth::Rest)
            .with_column("turns", TURNS)
            .with_column("topics", TOPICS);
        for quantity in quantities {
            grid = grid.with_column(quantity.label(), PART);
        }
        for part in parts {
            let of = |quantity| part.estimates.iter().find(|one| one.quantity == quantity);
            let all = of(Quantity::Accuracy);
            let topics = all.map_or(0, |all| all.topics);
            few |= topics < FEW_TOPICS;
            let star = if topics < FEW_TOPICS { "*" } else { "" };
            let mut cells = vec![
                all.map_or(0, |all| all.turns).to_string(),
                format!("{topics}{star}"),
            ];
            cells.extend(
                quantities.map(|quantity| of(quantity).map_or(String::new(), format_share)),
            );
            grid.add_row(escape_hidden(&part.value), cells);
        }
        out.push('\n');
        out.push_str(&grid.to_text(width));
    }
    if few {
        push_line(out, &format!("* fewer than {FEW_TOPICS} topics"));
    }
}

fn format_share(estimate: &Estimate) -> String {
    let Some(value) = estimate.value else {
        return "n/a".to_owned();
    };
    match estimate.interval {
        Some(interval) => format!(
            "{:.1} ({:.0}-{:.0})",
            100.0 * value,
            100.0 * interval.low,
            100.0 * interval.high
        ),
        None => format!("{:.1}", 100.0 * value),
    }
}

fn people_lines(out: &mut String, people: &AnnotatorAgreement, width: usize) {
    if people.labels.is_empty() {
        return;
    }
    out.push_str("\nbetween people\n");
    let labels = people.labels.iter();
    let labels: Vec<String> = labels
        .map(|(name, count)| {
            let seconds = people.median_seconds.get(name);
            let seconds = seconds.map(|median| format!(" (median {median:.1} s a label)"));
            let seconds = seconds.unwrap_or_default();
            format!("{} {count}{seconds}", escape_hidden(name))
        })
        .collect();
    push_paragraph(out, &format!("labels: {}", labels.join(", ")), width);
    if people.undecided > 0 {
        let text = format!(
            "! {} on neither side, as unsure, are in none of these figures",
            format_count(people.undecided, "label")
        );
        push_paragraph(out, &text, width);
    }
    if people.labels.len() > 1 && people.pairs.is_empty() {
        push_paragraph(out, "no turn was labelled by two of them", width);
    }
    if people.labels.len() > 2 && !people.together.is_empty() {
        out.push_str("\nall together\n");
        estimates_lines(out, &people.together, width);
    }
    for AnnotatorPair {
        first,
        second,
        estimates,
    } in &people.pairs
    {
        let title = format!(
            "\n{} (first) and {}",
            escape_hidden(first),
            escape_hidden(second)
        );
        push_line(out, &title);
        let mut pair_estimates = estimates.clone();
        if people.labels.len() == 2 {
            // With two people, the figures of all are those of the pair.
            let alpha = people.together.iter().filter(|estimate| {
                matches!(
                    estimate.quantity,
                    Quantity::FleissKappa | Quantity::AlphaNominal | Quantity::AlphaOrdinal
                )
            });
            pair_estimates.extend(alpha.cloned());
        }
        estimates_lines(out, &pair_estimates, width);
    }
    for AnnotatorPair {
        first, estimates, ..
    } in &people.selves
    {
        let title = format!(
            "\n{} with themselves, by hidden repeats",
            escape_hidden(first)
        );
        push_line(out, &title);
        estimates_lines(out, estimates, width);
    }
}
