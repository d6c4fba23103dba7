//! Comparison of critiques that a pass put in place of those that were played: on the same proposals, before the same
//! judge, so that a difference is the critique's doing. Beside it stands what the debates as they were played show,
//! which is an observation.

use super::groups::{CompareError, ComparisonSettings, compare_groups};
use super::table::comparison_to_table;
use crate::report::pivot::{PivotShape, TableFormat, build_pivots};
use crate::report::table::to_table;
use crate::report::text_layout::push_paragraph;
use crate::report::{ReportError, ReportSettings, compute_report};
use crate::{DebateRow, Dimension, Figure, Measure, Report};
use serde::Serialize;

/// What is said of each critique.
const OF_EACH: [Measure; 3] = [
    Measure::RejectGivenCorrect,
    Measure::AcceptGivenIncorrect,
    Measure::JudgeAlignmentMiddleNeither,
];

/// Everything that is said about replaced critiques.
#[derive(Debug, Serialize)]
pub struct ReplacedComparison {
    /// The critique that the others are compared with.
    base: String,
    by_critique: Report,
    /// Differences among correct proposals, paired by topic: whether the judge gives in.
    causal: PairedEffects,
    /// The same among incorrect proposals, a family of tests of its own.
    causal_on_incorrect: PairedEffects,
    /// The same question asked of the debates as they were played.
    observational: Report,
}

/// Differences of critiques from the first.
#[derive(Debug, Serialize)]
struct PairedEffects {
    /// `None` where nothing has a value under both critiques.
    report: Option<Report>,
    why_not: Option<String>,
}

impl PairedEffects {
    fn compare(
        replaced: &[DebateRow],
        (base, others): (&str, &[String]),
        groups: &ReportSettings,
        measure: Measure,
    ) -> Result<Self, ReplacedError> {
        let settings = ComparisonSettings {
            groups: groups.clone(),
            measures: vec![measure],
            within: None,
        };
        match compare_groups(replaced, base, others, &settings) {
            Ok(report) => Ok(Self {
                report: Some(report),
                why_not: None,
            }),
            Err(why @ (CompareError::NothingCompared | CompareError::NoSuchGroup(_))) => Ok(Self {
                report: None,
                why_not: Some(why.to_string()),
            }),
            Err(other) => Err(ReplacedError::Compare(other)),
        }
    }

    fn push_text(&self, text: &mut String, width: usize) {
        match (&self.report, &self.why_not) {
            (Some(report), _) => text.push_str(&comparison_to_table(report, width)),
            (None, why) => {
                let why = why.as_deref().unwrap_or("nothing to compare");
                push_paragraph(text, &format!("n/a: {why}"), width);
            }
        }
    }
}

/// Reason why critiques cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum ReplacedError {
    #[error("no debate has been judged with a replaced critique yet")]
    NothingJudged,
    #[error(transparent)]
    Compare(CompareError),
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl ReplacedComparison {
    /// Compares each other critique with the first. `replaced` has a row for each debate and critique, `played` one
    /// for each debate.
    ///
    /// # Errors
    /// When there is no row, or too many groups.
    pub fn compare(
        replaced: &[DebateRow],
        (base, others): (&str, &[String]),
        played: &[DebateRow],
        settings: &ReportSettings,
    ) -> Result<Self, ReplacedError> {
        if replaced.is_empty() {
            return Err(ReplacedError::NothingJudged);
        }
        let groups = ReportSettings {
            by: vec![Dimension::Arm],
            ..settings.clone()
        };
        let mut by_critique = compute_report(replaced, &groups)?;
        keep_measures(&mut by_critique, &OF_EACH);
        let present: Vec<String> = others
            .iter()
            .filter(|name| replaced.iter().any(|row| row.arm == **name))
            .cloned()
            .collect();
        let names = (base, &present[..]);
        let effects = |measure| PairedEffects::compare(replaced, names, &groups, measure);
        let asked = ReportSettings {
            by: Vec::new(),
            measures: vec![Measure::RejectionSway],
            ..settings.clone()
        };
        let mut observational = compute_report(played, &asked)?;
        keep_measures(
            &mut observational,
            &[Measure::RejectionSway, Measure::RejectGivenCorrect],
        );
        Ok(Self {
            base: base.to_owned(),
            by_critique,
            causal: effects(Measure::RejectGivenCorrect)?,
            causal_on_incorrect: effects(Measure::AcceptGivenIncorrect)?,
            observational,
        })
    }

    /// Renders it as text of at most `width` columns.
    pub fn to_text(&self, width: usize) -> String {
        let mut text = String::new();
        push_paragraph(
            &mut text,
            "Decisions by the critique that the judge was shown; proposals, judge and prompt are the same",
            width,
        );
        text.push('\n');
        let shape = PivotShape {
            rows: vec![Dimension::Arm],
            columns: Vec::new(),
            measures: OF_EACH.to_vec(),
        };
        for pivot in build_pivots(&self.by_critique, &shape) {
            text.push_str(&pivot.render(TableFormat::Text(width)));
        }
        text.push('\n');
        let heading = format!(
            "Causal: whether the judge gives in. What a critique does to the decision about the same correct proposals, \
             beside '{}'",
            self.base
        );
        push_paragraph(&mut text, &heading, width);
        text.push('\n');
        self.causal.push_text(&mut text, width);
        text.push('\n');
        push_paragraph(&mut text, "The same where the proposal is wrong", width);
        text.push('\n');
        self.causal_on_incorrect.push_text(&mut text, width);
        text.push('\n');
        push_paragraph(
            &mut text,
            "Observational: the debates as they were played, before their own judge; those in which a rule found a \
             label differ from the others in more than that, so this is no proof of a cause",
            width,
        );
        text.push('\n');
        match figures_of(&self.observational).next() {
            Some(_) => text.push_str(&to_table(&self.observational, width)),
            None => push_paragraph(&mut text, "n/a: no proposal was graded", width),
        }
        text
    }
}

fn figures_of(report: &Report) -> impl Iterator<Item = &Figure> {
    report.sections.iter().flat_map(|section| &section.figures)
}

/// Keeps the figures that are asked for; everything else of these debates is in their own report.
fn keep_measures(report: &mut Report, measures: &[Measure]) {
    for section in &mut report.sections {
        section
            .figures
            .retain(|figure| measures.contains(&figure.measure));
        section.advantages.clear();
    }
}
