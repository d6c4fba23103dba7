//! Runs side by side: the arms of several experiments with their figures, and what each differs in from one of them,
//! paired by topic.
//!
//! | file | content |
//! |---|---|
//! | `rows` | the debates of experiments, each with the arm that it is of |
//! | `columns` | which figures stand beside each other: main ones, by round, by category, … |
//!
//! Debates are pooled by arm, whatever experiment played them, as `metrics --by arm` pools them. Differences are those
//! of `metrics --compare`; each figure is a family of its own, and differences of runs that are not over wait.

mod columns;
mod rows;

pub use columns::{ArmColumn, ArmView};
pub use rows::{ComparedRows, read_compared_rows};

use elenchus_game::debate::RunId;
use elenchus_metrics::{
    ArmNames, ComparisonSettings, Dimension, Figure, Report, ReportSection, TopicProperty,
    arms_to_table, compare_groups, comparison_to_table, compute_report,
};
use elenchus_records::workspace::{ReportKey, Result, StoreIndex, WorkspaceError, reject};
use std::collections::BTreeSet;

/// Arms side by side, with their figures.
#[derive(Debug, Clone)]
pub struct ArmsSideBySide {
    rows: ComparedRows,
    /// A section for each arm, apart for simulated debates and hashes.
    report: Report,
    /// In the order in which they are shown.
    arms: Vec<SideArm>,
}

/// An arm that stands beside others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideArm {
    /// The whole name.
    pub arm: String,
    /// What tells it from the others.
    pub name: String,
    /// The runs that played it.
    pub runs: Vec<RunId>,
    /// They played other arms too.
    pub shares_runs: bool,
}

/// What arms differ in from one of them, by one figure.
#[derive(Debug, Clone, PartialEq)]
pub struct ArmDifferences {
    /// The whole name of the arm that they are compared with.
    pub reference: String,
    pub column: ArmColumn,
    /// A section for each other arm, or why there is none.
    pub comparison: std::result::Result<Report, String>,
}

impl ArmsSideBySide {
    /// Computes the figures of the arms of some debates. Blocks where the index does not hold them.
    ///
    /// # Errors
    /// When there are not two arms with debates of one kind.
    pub fn compute(index: &StoreIndex, rows: ComparedRows) -> Result<Self> {
        let settings = rows.report_settings();
        let key = ReportKey::from_rows("report", &settings, &rows.rows);
        let report = index.cached_report(key, || compute_report(&rows.rows, &settings));
        let report = report.map_err(|error| WorkspaceError::Invalid(error.to_string()))?;
        let arms = rows.list_arms();
        match arms.as_slice() {
            [] => return reject("none of these has a debate that was played to its end"),
            [one] => {
                return reject(format!(
                    "all of these debates are of one arm, '{}': there is nothing to put beside it",
                    one.arm
                ));
            }
            [_, _, ..] => {}
        }
        let short = ArmNames::from_arms(arms.iter().map(|arm| arm.arm.as_str()));
        let name_of = |arm: &str| {
            let planned = rows.plan_names.get(arm).map(String::as_str);
            planned.unwrap_or_else(|| short.name_of(arm)).to_owned()
        };
        let arms = arms.into_iter().map(|arm| SideArm {
            name: name_of(&arm.arm),
            ..arm
        });
        Ok(Self {
            arms: arms.collect(),
            report,
            rows,
        })
    }

    pub fn arms(&self) -> &[SideArm] {
        &self.arms
    }

    /// Returns what an arm is called among these.
    pub fn name_of<'a>(&'a self, arm: &'a str) -> &'a str {
        let mut arms = self.arms.iter();
        let known = arms.find(|known| known.arm == arm);
        known.map_or(arm, |known| known.name.as_str())
    }

    /// Says whether the debates of an arm are shown: those of the kind of the first one's.
    pub fn is_simulated(&self) -> bool {
        self.shown_kind().0
    }

    /// Says whether the arm has debates in a run that is not over.
    pub fn goes_on(&self) -> bool {
        !self.rows.unfinished.is_empty()
    }

    /// Simulated and real debates, and topics that are judged by hashes alone, are never beside each other: shown are
    /// those of the kind that most arms have, real ones that an evaluator judges where that is equal.
    fn shown_kind(&self) -> (bool, bool) {
        let kind = |section: &ReportSection| (section.simulated, section.hash_check);
        let mut best = ((false, false), 0);
        for of in [(false, false), (true, false), (false, true), (true, true)] {
            let sections = self.report.sections.iter();
            let count = sections.filter(|section| kind(section) == of).count();
            if count > best.1 {
                best = (of, count);
            }
        }
        best.0
    }

    fn shown_sections(&self) -> impl Iterator<Item = &ReportSection> {
        let (simulated, hash_check) = self.shown_kind();
        let sections = self.report.sections.iter();
        sections.filter(move |section| {
            section.simulated == simulated && section.hash_check == hash_check
        })
    }

    fn section_of(&self, arm: &str) -> Option<&ReportSection> {
        let mut sections = self.shown_sections();
        sections.find(|section| arm_of(section) == Some(arm))
    }

    /// Returns how many topics the shown debates of an arm are about.
    pub fn topics_of(&self, arm: &str) -> Option<usize> {
        self.section_of(arm).map(|section| section.topics)
    }

    /// Returns the figure of an arm in a column.
    pub fn find_figure(&self, arm: &str, column: &ArmColumn) -> Option<&Figure> {
        let mut figures = self.section_of(arm)?.figures.iter();
        figures.find(|figure| column.matches_figure(figure))
    }

    /// Says why nothing of an arm stands in this table: its debates are of a kind that is never put beside the others.
    /// `None` of an arm that is in it.
    pub fn describe_absence(&self, arm: &str) -> Option<&'static str> {
        if self.section_of(arm).is_some() {
            return None;
        }
        let mut sections = self.report.sections.iter();
        let other = sections.find(|section| arm_of(section) == Some(arm));
        Some(
            match other.map(|section| (section.simulated, section.hash_check)) {
                Some((_, true)) => "judged by hashes alone, and the others are not",
                Some((true, false)) => "simulated, and the others are not",
                Some((false, false)) => "not simulated, and the others are",
                None => "none of its debates is over",
            },
        )
    }

    /// Says why an arm has no value in a column; `None` where it has one.
    pub fn describe_missing(&self, arm: &str, column: &ArmColumn) -> Option<String> {
        if let Some(why) = self.describe_absence(arm) {
            return Some(why.to_owned());
        }
        match self.find_figure(arm, column) {
            None => Some("no figure of its game".to_owned()),
            Some(figure) if figure.value.is_some() => None,
            Some(figure) => Some(
                figure
                    .not_applicable
                    .clone()
                    .unwrap_or_else(|| "not known".to_owned()),
            ),
        }
    }

    /// Returns the columns of a view, those that any arm has a value of.
    pub fn list_columns(&self, view: ArmView) -> Vec<ArmColumn> {
        let figures = self.shown_sections().flat_map(|section| &section.figures);
        columns::list_columns(view, figures)
    }

    /// Compares all other arms with one of them by the figure of a column. Blocks where the index does not hold it.
    pub fn compute_differences(
        &self,
        index: &StoreIndex,
        reference: &str,
        column: &ArmColumn,
    ) -> ArmDifferences {
        ArmDifferences {
            reference: reference.to_owned(),
            column: column.clone(),
            comparison: self.compare(index, reference, column),
        }
    }

    fn compare(
        &self,
        index: &StoreIndex,
        reference: &str,
        column: &ArmColumn,
    ) -> std::result::Result<Report, String> {
        if let Some((run, progress)) = self.rows.unfinished.iter().next() {
            return Err(format!(
                "run {run} is not over ({} of {} planned debates), and differences wait for that",
                progress.ended, progress.planned
            ));
        }
        let mut groups = self.rows.report_settings();
        let name = |arm: &str| column.name_group(arm);
        if column.round().is_some() {
            groups.by.push(Dimension::Round);
        }
        let has_figure =
            |arm: &&SideArm| arm.arm != reference && self.find_figure(&arm.arm, column).is_some();
        let others = self.arms.iter().filter(has_figure);
        let others: Vec<String> = others.map(|arm| name(&arm.arm)).collect();
        let settings = ComparisonSettings {
            groups,
            measures: vec![column.measure],
            within: column.category().map(|_| TopicProperty::Category),
        };
        let first = name(reference);
        let key =
            ReportKey::from_rows("comparison", &(&first, &others, &settings), &self.rows.rows);
        let report = index.cached_report(key, || {
            compare_groups(&self.rows.rows, &first, &others, &settings)
        });
        let mut report = report.map_err(|error| error.to_string())?;
        let (simulated, hash_check) = self.shown_kind();
        report
            .sections
            .retain(|section| section.simulated == simulated && section.hash_check == hash_check);
        Ok(report)
    }

    /// Returns what is said of the shown figures, each sentence once.
    pub fn list_notes(&self) -> Vec<String> {
        let mut notes = self.rows.notes.clone();
        let kinds: BTreeSet<(bool, bool)> = self
            .report
            .sections
            .iter()
            .map(|section| (section.simulated, section.hash_check))
            .collect();
        for (simulated, hash_check) in kinds {
            if (simulated, hash_check) != self.shown_kind() {
                let what = match (simulated, hash_check) {
                    (_, true) => "topics that are judged by hashes alone",
                    (true, false) => "simulated debates",
                    (false, false) => "debates that are not simulated",
                };
                notes.push(format!(
                    "not in this table: {what}; 'metrics --by arm' has them"
                ));
            }
        }
        let sections: Vec<&ReportSection> = self.shown_sections().collect();
        for section in &sections {
            for note in &section.notes {
                let everywhere = sections.iter().all(|other| other.notes.contains(note));
                let text = match everywhere {
                    true => note.clone(),
                    false => {
                        let arm = arm_of(section).unwrap_or_default();
                        format!("{}: {note}", self.name_of(arm))
                    }
                };
                if !notes.contains(&text) {
                    notes.push(text);
                }
            }
        }
        notes
    }

    /// Says of how many topics differences are, where their arms have others besides: a difference is not that of the
    /// values beside it then. `None` where each is of all topics of its arms.
    pub fn find_shared_topics(&self, differences: &ArmDifferences) -> Option<SharedTopics> {
        if !differences.is_paired() {
            return None;
        }
        let of_arm = |arm: &str| {
            let figure = self.find_figure(arm, &differences.column);
            figure.map_or(0, |figure| figure.topics)
        };
        let reference = of_arm(&differences.reference);
        let arms = self.arms.iter().filter_map(|arm| {
            let figure = differences.find_figure(&arm.arm)?;
            figure.value?;
            Some((figure.topics, reference.max(of_arm(&arm.arm))))
        });
        let arms: Vec<(usize, usize)> = arms.collect();
        if arms.iter().all(|(shared, all)| shared >= all) {
            return None;
        }
        let counts: BTreeSet<usize> = arms.iter().map(|(shared, _)| *shared).collect();
        Some(match counts.first() {
            Some(count) if counts.len() == 1 => SharedTopics::Each(*count),
            Some(_) | None => SharedTopics::Various,
        })
    }

    /// Returns figures and differences as text of at most `width` columns, or of the least that a table needs.
    pub fn to_text(&self, differences: Option<&ArmDifferences>, width: usize) -> String {
        let arms: Vec<String> = self.arms.iter().map(|arm| arm.arm.clone()).collect();
        let notes = self.rows.notes.iter().map(|note| format!("! {note}\n"));
        let mut text: String = notes.collect();
        text.push_str(&arms_to_table(&self.report, &arms, width));
        match differences.map(|differences| &differences.comparison) {
            Some(Ok(comparison)) => {
                text.push('\n');
                text.push_str(&comparison_to_table(comparison, width));
            }
            Some(Err(why)) => text.push_str(&format!("\nno differences: {why}\n")),
            None => {}
        }
        text
    }
}

/// Topics that both arms of a difference have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedTopics {
    /// As many in each difference.
    Each(usize),
    Various,
}

impl ArmDifferences {
    /// Returns the difference of an arm.
    pub fn find_figure(&self, arm: &str) -> Option<&Figure> {
        let report = self.comparison.as_ref().ok()?;
        let mut sections = report.sections.iter();
        let section = sections.find(|section| arm_of(section) == Some(arm))?;
        let mut figures = section.figures.iter();
        figures.find(|figure| self.column.matches_compared_figure(figure))
    }

    /// Returns how many tests are adjusted for together.
    pub fn family(&self) -> usize {
        let sections = self.comparison.iter().flat_map(|report| &report.sections);
        let figures = sections.flat_map(|section| &section.figures);
        let shown = figures.filter(|figure| self.column.matches_compared_figure(figure));
        let families = shown.filter_map(|figure| Some(figure.compared?.test?.family));
        families.max().unwrap_or(0)
    }

    /// Says whether every topic that is counted was played by both arms.
    pub fn is_paired(&self) -> bool {
        let sections = self.comparison.iter().flat_map(|report| &report.sections);
        let figures = sections.flat_map(|section| &section.figures);
        let mut tests = figures.filter_map(|figure| figure.compared?.test);
        tests.all(|test| test.test != elenchus_metrics::PairedTest::LabelPermutation)
    }

    /// Returns what is said of the shown differences themselves, each sentence once.
    pub fn list_figure_notes(&self) -> Vec<String> {
        let sections = self.comparison.iter().flat_map(|report| &report.sections);
        let figures = sections.flat_map(|section| &section.figures);
        let shown = figures.filter(|figure| self.column.matches_compared_figure(figure));
        let mut notes: Vec<String> = Vec::new();
        for note in shown.flat_map(|figure| &figure.notes) {
            if !notes.contains(note) {
                notes.push(note.clone());
            }
        }
        notes
    }

    /// Returns what is said of the differences, each sentence once.
    pub fn list_notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        for section in self.comparison.iter().flat_map(|report| &report.sections) {
            for note in &section.notes {
                if !notes.contains(note) {
                    notes.push(note.clone());
                }
            }
        }
        notes
    }
}

/// Returns the arm that a section is of.
fn arm_of(section: &ReportSection) -> Option<&str> {
    let key = section.group.iter().find(|key| key.by == Dimension::Arm)?;
    Some(&key.value)
}
