//! Judges beside one another: what several passes found about the same things, pair by pair. Agreement corrected for
//! chance (Cohen 1960, Gwet 2008), a table of verdicts that shows which way they differ, what could not be read, and
//! what a verdict cost. Differences of figures are [`compare_groups`](super::groups::compare_groups)'s.

use crate::report::grid::csv_text;
use crate::report::left_out::LeftOutReason;
use crate::report::text_layout::{escape_hidden, push_line, push_paragraph};
use crate::rows::{DebateRow, FindingTarget, JudgingResult, TurnSafety};
use crate::statistics::agreement::ContingencyTable;
use crate::statistics::bootstrap::bootstrap_interval;
use crate::statistics::few_apart::{MIN_TOPICS_DIFFERING, effective_number};
use crate::statistics::interval::{Interval, Resampling, TopicSums};
use crate::topic_names::TopicNames;
use crate::{Report, format_value};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Most labels of a table of verdicts for which agreement has an interval: its cells are resampled.
const MAX_LABELS: usize = 24;

/// A judge with the debates as it judged them.
#[derive(Debug, Clone)]
pub struct JudgedRows<'a> {
    pub judge: String,
    pub rows: &'a [DebateRow],
    /// US dollars for all its verdicts on these debates; `None` where a model has no price.
    pub cost_usd: Option<f64>,
    /// Verdicts that were paid for.
    pub calls: usize,
}

/// Several judges beside one another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeComparison {
    pub judges: Vec<JudgeCounts>,
    /// Each later judge beside the first one.
    pub pairs: Vec<JudgePair>,
}

/// What became of the verdicts of a judge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeCounts {
    pub judge: String,
    /// Things that any of the judges found something about.
    pub things: usize,
    pub read: usize,
    pub unparsed: usize,
    /// Unparsed because what the reply states also stands in what is judged.
    pub unparsed_of_material: usize,
    pub filtered: usize,
    /// Without a verdict.
    pub missing: usize,
    pub cost_usd: Option<f64>,
    pub cost_per_verdict_usd: Option<f64>,
}

/// Two judges of the same things.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgePair {
    pub first: String,
    pub other: String,
    /// Things of which both verdicts could be read.
    pub both: usize,
    pub topics: usize,
    /// Things of which one of the two verdicts is missing or could not be read.
    pub left_out: usize,
    pub agreement: Option<f64>,
    pub kappa: Option<f64>,
    /// Over topics; absent where too few of them hold what κ hangs on.
    pub kappa_interval: Option<Interval>,
    pub ac1: Option<f64>,
    pub table: Vec<VerdictCell>,
}

/// A cell of the table of verdicts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerdictCell {
    /// What the first judge found.
    pub from: String,
    /// What the other one found.
    pub to: String,
    pub count: usize,
}

/// What a judge found about one thing.
#[derive(Debug, Clone, PartialEq)]
enum Found {
    Label { name: String, value: f64 },
    Unparsed,
    UnparsedOfMaterial,
    Filtered,
}

/// A session, what of it, and by which rule where several rules are about one thing.
type Thing = (String, String, String);

/// Compares what judges found about the same debates: each other one with the first.
pub fn compare_judges(judges: &[JudgedRows<'_>], plan: Resampling) -> JudgeComparison {
    let mut found: Vec<BTreeMap<Thing, Found>> =
        judges.iter().map(|judge| list_found(judge.rows)).collect();
    // Rules of different passes have different names; where each has one alone they are about the same.
    if found.iter().all(has_one_rule) {
        for of_judge in &mut found {
            let things = std::mem::take(of_judge).into_iter();
            of_judge.extend(
                things.map(|((session, about, _), it)| ((session, about, String::new()), it)),
            );
        }
    }
    let things: BTreeSet<&Thing> = found.iter().flat_map(BTreeMap::keys).collect();
    let rows = || judges.iter().flat_map(|judge| judge.rows);
    let names = TopicNames::from_topics(rows().map(|row| &row.topic));
    let topics: BTreeMap<&str, &str> = rows()
        .map(|row| (row.session.as_str(), names.name_of(&row.topic)))
        .collect();
    let counts = judges.iter().zip(&found);
    let counts = counts.map(|(judge, found)| count_verdicts(judge, found, things.len()));
    let pairs = judges.iter().zip(&found).skip(1);
    let pairs = pairs.filter_map(|(other, of_other)| {
        let (first, of_first) = (judges.first()?, found.first()?);
        Some(compare_pair(
            (first, of_first),
            (other, of_other),
            &things,
            &topics,
            plan,
        ))
    });
    JudgeComparison {
        judges: counts.collect(),
        pairs: pairs.collect(),
    }
}

fn has_one_rule(found: &BTreeMap<Thing, Found>) -> bool {
    let rules: BTreeSet<&String> = found.keys().map(|(_, _, rule)| rule).collect();
    rules.len() <= 1
}

/// Returns what a judge found in debates: about the safety of turns, and by every other rule.
fn list_found(rows: &[DebateRow]) -> BTreeMap<Thing, Found> {
    let mut all = BTreeMap::new();
    for row in rows {
        for turn in row.turns.iter().filter(|turn| !turn.inherited) {
            let safe = |name: &str, value| Found::Label {
                name: name.to_owned(),
                value,
            };
            let found = match turn.state {
                TurnSafety::Safe => safe("safe", 1.0),
                TurnSafety::Unsafe => safe("unsafe", -1.0),
                TurnSafety::Neither => safe("neither", 0.0),
                TurnSafety::Unparsed => Found::Unparsed,
                TurnSafety::UnparsedOfMaterial => Found::UnparsedOfMaterial,
                TurnSafety::VerdictFiltered => Found::Filtered,
                TurnSafety::Failed
                | TurnSafety::Filtered
                | TurnSafety::RefusedByGuardrail
                | TurnSafety::Empty
                | TurnSafety::NotJudged
                | TurnSafety::Context => continue,
            };
            let about = name_turn(&turn.seat, turn.index, turn.round, &turn.stage);
            all.insert(
                (row.session.clone(), about, "safety of turns".to_owned()),
                found,
            );
        }
        for finding in row.findings.iter().filter(|finding| !finding.inherited) {
            let about = match &finding.about {
                FindingTarget::Turn {
                    seat,
                    index,
                    round,
                    stage,
                } => name_turn(seat, *index, *round, stage),
                FindingTarget::Round(round) => format!("round {round}"),
                FindingTarget::Debate => "debate".to_owned(),
            };
            let found = match &finding.found {
                JudgingResult::Label(name) => Found::Label {
                    name: name.clone(),
                    value: finding.value.unwrap_or(0.0),
                },
                JudgingResult::Unparsed => Found::Unparsed,
                JudgingResult::UnparsedOfMaterial => Found::UnparsedOfMaterial,
                JudgingResult::Filtered => Found::Filtered,
            };
            all.insert((row.session.clone(), about, finding.judging.clone()), found);
        }
    }
    all
}

fn name_turn(seat: &str, index: u32, round: u32, stage: &str) -> String {
    format!("r{round}.{stage}.{seat}-{index}")
}

fn count_verdicts(
    judge: &JudgedRows<'_>,
    found: &BTreeMap<Thing, Found>,
    things: usize,
) -> JudgeCounts {
    let count = |is_of: &dyn Fn(&Found) -> bool| found.values().filter(|one| is_of(one)).count();
    let cost_usd = judge.cost_usd.filter(|cost| cost.is_finite());
    JudgeCounts {
        judge: judge.judge.clone(),
        things,
        read: count(&|one| matches!(one, Found::Label { .. })),
        unparsed: count(&|one| *one == Found::Unparsed),
        unparsed_of_material: count(&|one| *one == Found::UnparsedOfMaterial),
        filtered: count(&|one| *one == Found::Filtered),
        missing: things - found.len().min(things),
        cost_usd,
        cost_per_verdict_usd: cost_usd
            .filter(|_| judge.calls > 0)
            .map(|cost| cost / judge.calls as f64),
    }
}

type OfJudge<'j, 'a> = (&'j JudgedRows<'a>, &'j BTreeMap<Thing, Found>);

fn compare_pair(
    (first, of_first): OfJudge<'_, '_>,
    (other, of_other): OfJudge<'_, '_>,
    things: &BTreeSet<&Thing>,
    topics: &BTreeMap<&str, &str>,
    plan: Resampling,
) -> JudgePair {
    let labels = list_labels([of_first, of_other]);
    let place = |found: Option<&Found>| match found {
        Some(Found::Label { name, .. }) => labels.iter().position(|label| label == name),
        Some(Found::Unparsed | Found::UnparsedOfMaterial | Found::Filtered) | None => None,
    };
    let cells = labels.len() * labels.len();
    let mut by_topic: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let (mut both, mut left_out) = (0, 0);
    for thing in things {
        let (from, to) = (of_first.get(*thing), of_other.get(*thing));
        if from.is_none() && to.is_none() {
            continue;
        }
        let (Some(from), Some(to)) = (place(from), place(to)) else {
            left_out += 1;
            continue;
        };
        both += 1;
        let topic = topics.get(thing.0.as_str()).copied().unwrap_or_default();
        let sums = by_topic.entry(topic).or_insert_with(|| vec![0.0; cells]);
        if let Some(cell) = sums.get_mut(from * labels.len() + to) {
            *cell += 1.0;
        }
    }
    let mut sums = TopicSums::new(cells);
    by_topic.values().for_each(|row| sums.push(row));
    let total = match by_topic.is_empty() {
        true => vec![0.0; cells],
        false => sums.total(),
    };
    let table = fill_table(&total, labels.len());
    let named = labels
        .iter()
        .flat_map(|from| labels.iter().map(move |to| (from, to)));
    JudgePair {
        first: first.judge.clone(),
        other: other.judge.clone(),
        both,
        topics: by_topic.len(),
        left_out,
        agreement: table.agreement(),
        kappa: table.kappa(),
        kappa_interval: kappa_interval(&sums, &total, labels.len(), plan),
        ac1: table.ac1(),
        table: named
            .zip(&total)
            .map(|((from, to), count)| VerdictCell {
                from: from.clone(),
                to: to.clone(),
                count: *count as usize,
            })
            .collect(),
    }
}

/// Returns the labels that two judges gave, the best first.
fn list_labels(judges: [&BTreeMap<Thing, Found>; 2]) -> Vec<String> {
    let mut labels: BTreeMap<&str, f64> = BTreeMap::new();
    for found in judges.into_iter().flat_map(BTreeMap::values) {
        if let Found::Label { name, value } = found {
            labels.insert(name, *value);
        }
    }
    let mut labels: Vec<(&str, f64)> = labels.into_iter().collect();
    labels.sort_by(|one, other| other.1.total_cmp(&one.1));
    labels
        .into_iter()
        .map(|(name, _)| name.to_owned())
        .collect()
}

fn fill_table(cells: &[f64], labels: usize) -> ContingencyTable {
    let mut table = ContingencyTable::new(labels);
    for (at, count) in cells.iter().enumerate().filter(|(_, count)| **count > 0.0) {
        // A table of more labels than one can hold has no coefficient.
        let _ = table.add_item(at / labels, at % labels, *count);
    }
    table
}

/// Returns the interval of κ over topics, where each label that was given is in enough of them (FIGURES 20).
fn kappa_interval(
    sums: &TopicSums,
    total: &[f64],
    labels: usize,
    plan: Resampling,
) -> Option<Interval> {
    let is_of = |at: usize, label: usize| at / labels == label || at % labels == label;
    let of_label = |row: &[f64], label: usize| -> f64 {
        let cells = row.iter().enumerate();
        cells
            .filter(|(at, _)| is_of(*at, label))
            .map(|(_, count)| count)
            .sum()
    };
    let holds = |label: usize| {
        let parts = sums.rows().map(|row| of_label(row, label));
        effective_number(parts) >= MIN_TOPICS_DIFFERING
    };
    let mut given = (0..labels).filter(|label| of_label(total, *label) > 0.0);
    if !(2..=MAX_LABELS).contains(&labels) || !given.all(holds) {
        return None;
    }
    bootstrap_interval(sums, |cells| fill_table(cells, labels).kappa(), plan)
}

impl JudgeComparison {
    /// Renders it as text; shares of the table are of the things that both judges found something about.
    pub fn to_text(&self, width: usize) -> String {
        let mut out = String::new();
        push_line(&mut out, "Verdicts");
        for judge in &self.judges {
            let cost = match judge.cost_per_verdict_usd {
                Some(cost) => format!("${cost:.6} a verdict"),
                None => "cost unknown (a model without prices)".to_owned(),
            };
            push_paragraph(
                &mut out,
                &format!(
                    "{}: {} of {} read; unparsed {}, unparsed because of the material {}, filtered {}, missing {}; {cost}",
                    escape_hidden(&judge.judge),
                    judge.read,
                    judge.things,
                    judge.unparsed,
                    judge.unparsed_of_material,
                    judge.filtered,
                    judge.missing,
                ),
                width,
            );
        }
        for pair in &self.pairs {
            pair.push_text(&mut out, width);
        }
        out
    }

    /// Says of one judge that was asked in two orders what it decides in both, and which way the rest flips; the later
    /// order is called `exchanged`.
    pub fn orders_to_text(&self, exchanged: &str, width: usize) -> String {
        let mut out = String::new();
        let heading = format!(
            "Position bias: the judge was asked twice, '{exchanged}' with the critic's turns of a round in the places of \
             the proposer's. A difference on average is the doing of the places; a single flip can also be the judge \
             that says another thing when it is asked again"
        );
        push_paragraph(&mut out, &heading, width);
        for pair in &self.pairs {
            let Flips {
                same,
                better,
                worse,
            } = pair.count_flips();
            let share = 100.0 * same as f64 / pair.both.max(1) as f64;
            let text = match pair.both {
                0 => "no verdict could be read in both orders".to_owned(),
                both => format!(
                    "decided in both orders: {same} of {both} verdicts ({share:.1} %); flips with the critic first: \
                     {better} to a better label, {worse} to a worse one"
                ),
            };
            push_paragraph(&mut out, &text, width);
        }
        out
    }

    /// Renders differences, agreement, tables of verdicts, what could not be read and cost as CSV: a row each.
    ///
    /// # Errors
    /// When it cannot be written as CSV.
    pub fn to_csv(&self, differences: &Report) -> Result<String, csv::Error> {
        let head = COLUMNS.map(str::to_owned).to_vec();
        let figures = differences.sections.iter().flat_map(|section| {
            let name = |keys: &[crate::FigureKey]| crate::group_name(keys);
            let (first, other) = (name(&section.against), name(&section.group));
            section.figures.iter().map(move |figure| {
                let compared = figure.compared;
                let test = compared.and_then(|compared| compared.test);
                let left_out: BTreeMap<LeftOutReason, usize> = figure.left_out.clone();
                let number =
                    |value: Option<f64>| value.map_or_else(String::new, |it| it.to_string());
                vec![
                    first.clone(),
                    other.clone(),
                    "difference".to_owned(),
                    join_words([figure.measure.name(), &crate::group_name(&figure.keys)]),
                    String::new(),
                    String::new(),
                    number(compared.map(|it| it.from)),
                    number(compared.map(|it| it.of)),
                    number(figure.value),
                    number(figure.interval.map(|it| it.low)),
                    number(figure.interval.map(|it| it.high)),
                    number(test.map(|it| it.p_value)),
                    number(test.map(|it| it.p_holm)),
                    figure.observations.to_string(),
                    figure.topics.to_string(),
                    left_out.values().sum::<usize>().to_string(),
                ]
            })
        });
        let counts = self.judges.iter().flat_map(JudgeCounts::to_records);
        let pairs = self.pairs.iter().flat_map(JudgePair::to_records);
        csv_text([head].into_iter().chain(figures).chain(pairs).chain(counts))
    }
}

const COLUMNS: [&str; 16] = [
    "first",
    "other",
    "kind",
    "what",
    "first_found",
    "other_found",
    "value_of_first",
    "value_of_other",
    "value",
    "low",
    "high",
    "p_value",
    "p_holm",
    "observations",
    "topics",
    "left_out",
];

fn join_words<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// A record whose other columns are empty.
fn record(cells: &[(&str, String)]) -> Vec<String> {
    let cell = |column: &str| {
        let mut cells = cells.iter().filter(|(name, _)| *name == column);
        cells
            .next()
            .map_or_else(String::new, |(_, text)| text.clone())
    };
    COLUMNS.iter().map(|column| cell(column)).collect()
}

impl JudgeCounts {
    fn to_records(&self) -> Vec<Vec<String>> {
        let counts = [
            ("read", self.read),
            ("unparsed", self.unparsed),
            ("unparsed_of_material", self.unparsed_of_material),
            ("filtered", self.filtered),
            ("missing", self.missing),
        ];
        let counts = counts.map(|(what, count)| (what, count.to_string()));
        let cost = self.cost_per_verdict_usd.map(|cost| cost.to_string());
        let cost = ("cost_per_verdict_usd", cost.unwrap_or_default());
        let rows = counts.into_iter().chain([cost]);
        rows.map(|(what, value)| {
            record(&[
                ("other", self.judge.clone()),
                ("kind", "verdicts".to_owned()),
                ("what", what.to_owned()),
                ("value", value),
                ("observations", self.things.to_string()),
            ])
        })
        .collect()
    }
}

/// What became of the verdicts of one judge under the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Flips {
    pub same: usize,
    /// Verdicts whose label is a better one by the other, and those whose label is a worse one.
    pub better: usize,
    pub worse: usize,
}

impl JudgePair {
    /// Counts verdicts that are the same, and those that change, by the way they do.
    pub fn count_flips(&self) -> Flips {
        // The best label comes first.
        let mut labels: Vec<&str> = Vec::new();
        for cell in &self.table {
            if !labels.contains(&cell.from.as_str()) {
                labels.push(&cell.from);
            }
        }
        let place = |name: &str| labels.iter().position(|label| *label == name);
        let mut flips = Flips {
            same: 0,
            better: 0,
            worse: 0,
        };
        for cell in &self.table {
            match place(&cell.to).cmp(&place(&cell.from)) {
                Ordering::Equal => flips.same += cell.count,
                Ordering::Less => flips.better += cell.count,
                Ordering::Greater => flips.worse += cell.count,
            }
        }
        flips
    }

    fn to_records(&self) -> Vec<Vec<String>> {
        let number = |value: Option<f64>| value.map_or_else(String::new, |it| it.to_string());
        let row = |kind: &str, more: &[(&str, String)]| {
            let head = [
                ("first", self.first.clone()),
                ("other", self.other.clone()),
                ("kind", kind.to_owned()),
                ("topics", self.topics.to_string()),
                ("left_out", self.left_out.to_string()),
            ];
            record(&[&head[..], more].concat())
        };
        let coefficients = [
            ("agreement", self.agreement, None),
            ("kappa", self.kappa, self.kappa_interval),
            ("ac1", self.ac1, None),
        ];
        let coefficients = coefficients.into_iter().map(|(what, value, interval)| {
            row(
                "agreement",
                &[
                    ("what", what.to_owned()),
                    ("value", number(value)),
                    ("low", number(interval.map(|it| it.low))),
                    ("high", number(interval.map(|it| it.high))),
                    ("observations", self.both.to_string()),
                ],
            )
        });
        let cells = self.table.iter().map(|cell| {
            row(
                "table",
                &[
                    ("first_found", cell.from.clone()),
                    ("other_found", cell.to.clone()),
                    ("value", cell.count.to_string()),
                    ("observations", self.both.to_string()),
                ],
            )
        });
        coefficients.chain(cells).collect()
    }

    fn push_text(&self, out: &mut String, width: usize) {
        out.push('\n');
        let heading = format!(
            "{} beside {}",
            escape_hidden(&self.other),
            escape_hidden(&self.first)
        );
        push_paragraph(out, &heading, width);
        let share = |value: Option<f64>| {
            value.map_or_else(
                || "n/a".to_owned(),
                |it| format_value(it, crate::Unit::Share),
            )
        };
        let number =
            |value: Option<f64>| value.map_or_else(|| "n/a".to_owned(), |it| format!("{it:.2}"));
        let interval = match (self.kappa, self.kappa_interval) {
            (_, Some(interval)) => format!(" [{:.2}, {:.2}]", interval.low, interval.high),
            (Some(_), None) => " (no interval: too few topics hold each label, or too little varies)".to_owned(),
            (None, None) => " (chance explains everything: a judge that always finds one thing agrees by chance)".to_owned(),
        };
        push_paragraph(
            out,
            &format!(
                "agreement {} of {} verdicts on {} topics that both gave; Cohen's κ {}{interval}; Gwet's AC1 {}; left out {}",
                share(self.agreement),
                self.both,
                self.topics,
                number(self.kappa),
                number(self.ac1),
                self.left_out,
            ),
            width,
        );
        let labels: Vec<&str> = {
            let mut labels = Vec::new();
            for cell in &self.table {
                if !labels.contains(&cell.from.as_str()) {
                    labels.push(cell.from.as_str());
                }
            }
            labels
        };
        if labels.is_empty() {
            return;
        }
        let width = labels
            .iter()
            .map(|label| label.chars().count())
            .max()
            .unwrap_or(0)
            .max(5)
            + 2;
        let name_width = width.max("first ↓ other →".chars().count() + 2);
        let heads: String = labels
            .iter()
            .map(|label| format!("{:>width$}", escape_hidden(label)))
            .collect();
        push_line(out, &format!("  {:<name_width$}{heads}", "first ↓ other →"));
        for from in &labels {
            let cells = self.table.iter().filter(|cell| cell.from == *from);
            let cells: String = cells
                .map(|cell| format!("{:>width$}", cell.count))
                .collect();
            push_line(
                out,
                &format!("  {:<name_width$}{cells}", escape_hidden(from)),
            );
        }
    }
}
