//! Matrix as text: a table that a terminal, a file or a pipe can take.

use super::build::{Matrix, MatrixCell, MatrixLine};
use super::columns::MatrixLayout;
use elenchus_text::cost::format_cost;
use elenchus_text::{display_width, fit_to_width, format_grouped_count};

/// Cells of a topic at least, and at most.
const TOPIC: (usize, usize) = (24, 48);
/// Cells of a category, and of a column's heading, at most.
const MAX_CATEGORY: usize = 16;
const MAX_HEADING: usize = 18;
/// Cells of an arm of a line at most.
const MAX_ARM: usize = 28;
const GUTTER: &str = "  ";

impl Matrix {
    /// Returns the table with what it is of and the meaning of its letters, in so many columns, or as many as
    /// its verdicts need.
    pub fn to_text(&self, width: usize) -> String {
        let mut text = self.describe();
        if self.lines.is_empty() {
            return text + "\n";
        }
        text.push_str(&format!(" · sorted by {}\n", self.sort.label()));
        text.push('\n');
        for line in self.lay_out_table(width) {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.push('\n');
        text.push_str(&self.describe_letters());
        text.push('\n');
        for column in &self.columns {
            if self.layout != MatrixLayout::Rounds && column.heading != column.name {
                text.push_str(&format!("{}: {}\n", column.heading, column.name));
            }
        }
        text
    }

    /// Says in a line what it is of.
    pub fn describe(&self) -> String {
        let mut parts = vec![match self.debates {
            0 => "no debate with a verdict".to_owned(),
            debates => format_grouped_count(debates, "debate"),
        }];
        let topics = self.count_topics();
        if topics > 0 {
            parts.push(format_grouped_count(topics, "topic"));
        }
        parts.extend(self.sample.as_ref().map(|drawn| drawn.describe()));
        match self.simulated {
            0 => {}
            all if all >= self.debates => parts.push("SIMULATED".to_owned()),
            some => parts.push(format!("{some} SIMULATED")),
        }
        parts.join(" · ")
    }

    fn count_topics(&self) -> usize {
        let topics = self.lines.iter().map(|line| &line.topic);
        topics.collect::<std::collections::BTreeSet<_>>().len()
    }

    /// Says what the letters in it mean.
    pub fn describe_letters(&self) -> String {
        let verdicts = self.list_verdicts().into_iter();
        let words: Vec<String> = verdicts
            .map(|one| format!("{} {}", one.letter(), one.word()))
            .collect();
        let counted = match self.layout {
            MatrixLayout::Rounds => "",
            MatrixLayout::Arms | MatrixLayout::Checkpoints => {
                "; the gravest of a cell, and how many turns are wrong or unsafe of those judged"
            }
        };
        format!("{}{counted}", words.join(", "))
    }

    fn lay_out_table(&self, width: usize) -> Vec<String> {
        let cells: Vec<Vec<String>> = self
            .lines
            .iter()
            .map(|line| line.cells.iter().map(cell_text).collect())
            .collect();
        let widths: Vec<usize> = (0..)
            .zip(&self.columns)
            .map(|(at, column)| {
                let texts = cells.iter().filter_map(|cells| cells.get(at));
                let heading = display_width(&column.heading).min(MAX_HEADING);
                texts
                    .map(|text| display_width(text))
                    .fold(heading, usize::max)
            })
            .collect();
        let facts = FactWidths::of_lines(&self.lines);
        let table: usize = widths.iter().map(|width| width + 1).sum();
        let groups = self.groups.len() * GUTTER.len();
        let topic = width.saturating_sub(table + groups + facts.total());
        let titles = self
            .lines
            .iter()
            .map(|line| display_width(line.first_line()));
        let widest = titles.max().unwrap_or(0).max("topic".len());
        let topic = topic.clamp(TOPIC.0, TOPIC.1).min(widest);
        let mut table = Vec::new();
        if self.layout == MatrixLayout::Rounds {
            let groups = self.lay_out_groups(&widths);
            table.push(facts.lay_out_line(topic, "", ["", "", "", ""], &groups));
        }
        let headings = self.columns.iter().map(|column| column.heading.clone());
        let headings = self.join_cells(&headings.collect::<Vec<_>>(), &widths);
        let names = ["arm", "category", "lessons", "cost"];
        table.push(facts.lay_out_line(topic, "topic", names, &headings));
        for (line, cells) in self.lines.iter().zip(&cells) {
            let arm = describe_arm(line);
            let category = line.category.clone().unwrap_or_default();
            let lessons = line.lessons.map(|count| count.to_string());
            let (lessons, cost) = (lessons.unwrap_or_default(), format_cost(line.cost_usd));
            let facts_of_line = [&arm, &category, &lessons, &cost].map(String::as_str);
            let cells = self.join_cells(cells, &widths);
            table.push(facts.lay_out_line(topic, line.first_line(), facts_of_line, &cells));
        }
        table
    }

    /// Joins texts of cells, with a gap between groups.
    fn join_cells(&self, texts: &[String], widths: &[usize]) -> String {
        let mut cells = texts.iter().zip(widths);
        let mut text = String::new();
        for group in &self.groups {
            text.push_str(GUTTER);
            for (cell, width) in cells.by_ref().take(group.columns) {
                text.push_str(&fit_to_width(cell, *width));
                text.push(' ');
            }
        }
        text
    }

    fn lay_out_groups(&self, widths: &[usize]) -> String {
        let mut widths = widths.iter();
        let mut text = String::new();
        for group in &self.groups {
            let wide = widths.by_ref().take(group.columns);
            let wide: usize = wide.map(|width| width + 1).sum();
            text.push_str(GUTTER);
            text.push_str(&fit_to_width(&group.heading, wide));
        }
        text
    }
}

/// Widths of the columns before the verdicts; 0 where no line has anything.
struct FactWidths([usize; 4]);

impl FactWidths {
    fn of_lines(lines: &[MatrixLine]) -> Self {
        let widest = |text: fn(&MatrixLine) -> String, most: usize| {
            let widths = lines.iter().map(|line| display_width(&text(line)));
            widths.max().unwrap_or(0).min(most)
        };
        let arm = widest(describe_arm, MAX_ARM);
        let category = widest(
            |line| line.category.clone().unwrap_or_default(),
            MAX_CATEGORY,
        );
        let lessons = lines.iter().any(|line| line.lessons.is_some());
        let cost = widest(|line| format_cost(line.cost_usd), MAX_HEADING);
        let at_least = |width: usize, heading: &str| match width {
            0 => 0,
            width => width.max(heading.len()),
        };
        Self([
            at_least(arm, "arm"),
            at_least(category, "category"),
            at_least(usize::from(lessons), "lessons"),
            at_least(cost, "cost"),
        ])
    }

    fn total(&self) -> usize {
        let widths = self.0.iter().filter(|width| **width > 0);
        widths.map(|width| width + GUTTER.len()).sum()
    }

    fn lay_out_line(&self, topic: usize, title: &str, facts: [&str; 4], cells: &str) -> String {
        let mut line = fit_to_width(title, topic);
        for (fact, width) in facts.into_iter().zip(self.0) {
            if width > 0 {
                line.push_str(GUTTER);
                line.push_str(&fit_to_width(fact, width));
            }
        }
        line.push_str(cells);
        line
    }
}

/// Names what tells a line from others of its topic.
fn describe_arm(line: &MatrixLine) -> String {
    let rollout = line.rollout.map(|rollout| format!("rollout {rollout}"));
    let parts: Vec<String> = line.short_arm.iter().cloned().chain(rollout).collect();
    parts.join(", ")
}

/// Returns a cell's letter; of several turns also how many are wrong or unsafe of those judged.
fn cell_text(cell: &MatrixCell) -> String {
    match (cell.verdict(), cell.turns.len()) {
        (None, _) => "·".to_owned(),
        (Some(verdict), 1) => verdict.letter().to_string(),
        (Some(verdict), _) => format!(
            "{} {}/{}",
            verdict.letter(),
            cell.count_bad(),
            cell.count_found()
        ),
    }
}
