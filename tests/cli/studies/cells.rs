//! Cells of a printed table: values and intervals by group, and which of them hold the truth.

use elenchus_metrics::Measure;
use elenchus_test_support::program::Program;
use serde_json::Value;
use std::collections::BTreeMap;

/// One figure of one group.
#[derive(Debug, Clone)]
pub struct Cell {
    /// What the group is, by dimension.
    pub of: BTreeMap<String, String>,
    pub measure: String,
    pub value: Option<f64>,
    pub interval: Option<(f64, f64)>,
}

impl Cell {
    pub fn is(&self, by: &str) -> &str {
        self.of.get(by).map_or("", String::as_str)
    }
}

/// The cells of a table in Markdown, whose shape is that of `--table`.
pub fn printed_cells(markdown: &str, shape: &str) -> Vec<Cell> {
    let (rows, columns) = shape.split_once('×').unwrap_or((shape, ""));
    let mut lines = markdown.lines().filter(|line| line.starts_with('|'));
    let split = |line: &str| -> Vec<String> {
        let inner = line.trim_matches('|').split('|');
        inner.map(|cell| cell.trim().to_owned()).collect()
    };
    let heads = split(lines.next().unwrap());
    let mut cells = Vec::new();
    for line in lines.skip(1) {
        let line = split(line);
        for (head, text) in heads.iter().zip(&line).skip(1) {
            let (column, measure) = match (head.rsplit_once(": "), columns.is_empty()) {
                (Some((column, label)), _) => (column, measure_of(label)),
                (None, true) => ("", measure_of(head)),
                (None, false) => (head.as_str(), measure_of_title(markdown)),
            };
            let mut of = keys(rows, &line[0]);
            of.extend(keys(columns, column));
            let (value, interval) = numbers(text);
            cells.push(Cell {
                of,
                measure: measure.name().to_owned(),
                value,
                interval,
            });
        }
    }
    cells
}

fn measure_of(label: &str) -> Measure {
    let mut all = Measure::ALL.iter().copied();
    let found = all.find(|measure| measure.label() == label);
    found.unwrap_or_else(|| panic!("no figure is called {label}"))
}

/// The only measure of a table, which its title names.
fn measure_of_title(markdown: &str) -> Measure {
    let title = markdown.strip_prefix("**").unwrap();
    measure_of(title.split(" of SIMULATED").next().unwrap())
}

fn keys(dimensions: &str, names: &str) -> BTreeMap<String, String> {
    let dimensions = dimensions.split(',').map(str::trim);
    let dimensions = dimensions.filter(|by| !by.is_empty()).map(str::to_owned);
    let names = names.split(", ").map(str::to_owned);
    dimensions.zip(names).collect()
}

/// Reads `28.5 % [20.5, 37.8]`; bounds are as wide as rounding may have made them narrower.
fn numbers(text: &str) -> (Option<f64>, Option<(f64, f64)>) {
    let (value, interval) = match text.split_once('[') {
        Some((value, interval)) => (value, Some(interval.trim_end_matches(']'))),
        None => (text, None),
    };
    let scale = if value.contains('%') { 0.01 } else { 1.0 };
    let number = |text: &str| text.trim().parse::<f64>().ok().map(|number| number * scale);
    let value = number(value.trim().trim_end_matches('%'));
    let interval = interval.map(|interval| {
        let (low, high) = interval.split_once(", ").unwrap();
        let decimals = high.split_once('.').map_or(0, |(_, after)| after.len());
        let rounding = 0.5 * scale / 10f64.powi(i32::try_from(decimals).unwrap());
        (
            number(low).unwrap() - rounding,
            number(high).unwrap() + rounding,
        )
    });
    (value, interval)
}

/// The figures that a command without a table gives as JSON.
pub fn cells(program: &Program, args: &[&str]) -> Vec<Cell> {
    let json = program.run_ok(&[&["metrics", "--json"], args].concat());
    let report: Value = serde_json::from_str(&json).unwrap();
    let mut cells = Vec::new();
    for section in report["sections"].as_array().unwrap() {
        let keys = |of: &Value| -> BTreeMap<String, String> {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let keys = of.as_array().unwrap().iter();
            keys.map(|key| (text(&key["by"]), text(&key["value"])))
                .collect()
        };
        for figure in section["figures"].as_array().unwrap() {
            let (low, high) = (&figure["interval"]["low"], &figure["interval"]["high"]);
            let mut of = keys(&section["group"]);
            of.extend(keys(&figure["keys"]));
            cells.push(Cell {
                of,
                measure: figure["measure"].as_str().unwrap().to_owned(),
                value: figure["value"].as_f64(),
                interval: low.as_f64().zip(high.as_f64()),
            });
        }
    }
    cells
}

/// How many cells have a known truth, and those whose interval misses it.
#[derive(Debug, Default)]
pub struct Held {
    known: usize,
    without_interval: usize,
    missed: Vec<String>,
}

impl Held {
    /// Compares a cell with its truth.
    pub fn compare(&mut self, table: &str, cell: &Cell, truth: f64) {
        let value = cell.value;
        let value = value.unwrap_or_else(|| panic!("{table}: no value: {cell:?}"));
        self.known += 1;
        let Some((low, high)) = cell.interval else {
            self.without_interval += 1;
            return;
        };
        if !(low..=high).contains(&truth) {
            let groups: Vec<&str> = cell.of.values().map(String::as_str).collect();
            self.missed.push(format!(
                "{table}: {} of {}: {truth:.3} is not in [{low:.3}, {high:.3}] around {value:.3}",
                cell.measure,
                groups.join(", ")
            ));
        }
    }

    #[track_caller]
    pub fn assert_all(&self) {
        println!(
            "{} cells with a known truth, {} of them without interval, {} missed",
            self.known,
            self.without_interval,
            self.missed.len()
        );
        assert!(self.missed.is_empty(), "{:#?}", self.missed);
        assert!(10 * self.without_interval < self.known, "{self:?}");
    }

    /// Fails where a cell has an interval although its topics are too few for one.
    pub fn assert_none(&self) {
        assert_eq!(self.without_interval, self.known, "{self:?}");
    }
}
