//! Whoever a grader asks besides its rules of comparison: how much is left to them, and how often they differ
//! on a sample of what the rules decided.

use super::counting::{DebatePool, DebateTally};
use super::findings::{finding_exclusion_reason, findings_in_scope};
use crate::report::figure::{Dimension, Figure, FigureKey, Measure};
use crate::report::left_out::LeftOutReason;
use crate::rows::{DebateRow, FindingRow, JudgedBy, JudgingResult, RulesFound};
use std::collections::BTreeSet;

/// Returns the figures of each rule of whoever is asked; nothing where no grader asks anybody.
pub(crate) fn compute_asked_grader_figures(pool: &DebatePool<'_>) -> Vec<Figure> {
    let findings = pool.debates.iter().flat_map(|debate| &debate.findings);
    let asked = findings.filter(|finding| finding.by == JudgedBy::AskedGrader);
    let rules: BTreeSet<&str> = asked.map(|finding| finding.judging.as_str()).collect();
    if rules.is_empty() {
        return Vec::new();
    }
    let mut figures = vec![undecided_figure(pool)];
    figures.extend(
        rules
            .into_iter()
            .map(|rule| disagreement_figure(pool, rule)),
    );
    figures
}

/// The share of graded turns that the rules of comparison left undecided.
fn undecided_figure(pool: &DebatePool<'_>) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = DebateTally::default();
        let graded = findings_in_scope(debate, &pool.scope);
        for finding in graded.filter(|finding| finding.by == JudgedBy::Truth) {
            match finding_exclusion_reason(debate, finding, pool.scope.people) {
                Some(reason) => tally.leave_out(reason),
                None => tally.observe_whether(debate.findings.iter().any(|other| {
                    other.rules_found == Some(RulesFound::Undecided) && other.about == finding.about
                })),
            }
        }
        tally
    };
    pool.compute_figure(Measure::GraderUndecided, tally, |_| "no turn is graded")
}

/// The share of a sample of turns that rules decided on which whoever is asked finds otherwise.
fn disagreement_figure(pool: &DebatePool<'_>, rule: &str) -> Figure {
    let tally = |debate: &DebateRow| {
        let mut tally = DebateTally::default();
        let findings = findings_in_scope(debate, &pool.scope);
        for finding in findings.filter(|finding| finding.judging == rule) {
            let Some(differs) = differs_from_rules(finding) else {
                continue;
            };
            match finding_exclusion_reason(debate, finding, pool.scope.people) {
                Some(reason) => tally.leave_out(reason),
                None => match differs {
                    Ok(differs) => tally.observe_whether(differs),
                    Err(reason) => tally.leave_out(reason),
                },
            }
        }
        tally
    };
    let why_not = "nobody was asked about turns that rules decided (`sample` of the grader)";
    let mut figure = pool.compute_figure(Measure::GraderDisagreement, tally, |_| why_not);
    if figure.value.is_some() {
        figure.notes.push(describe_directions(pool, rule));
    }
    let key = FigureKey {
        by: Dimension::Judging,
        value: rule.to_owned(),
    };
    figure
        .with_key(key)
        .with_title(format!("{rule}: differs from the rules"))
}

/// Says whether a finding differs from what rules decided; `None` where they decided nothing.
fn differs_from_rules(finding: &FindingRow) -> Option<Result<bool, LeftOutReason>> {
    let correct_by_rules = match finding.rules_found? {
        RulesFound::Undecided => return None,
        RulesFound::Correct => true,
        RulesFound::Incorrect => false,
    };
    Some(match &finding.found {
        JudgingResult::Label(_) => {
            Ok(finding.value.is_some_and(|value| value > 0.0) != correct_by_rules)
        }
        JudgingResult::Unparsed => Err(LeftOutReason::Unparsed),
        JudgingResult::UnparsedOfMaterial => Err(LeftOutReason::UnparsedOfMaterial),
        JudgingResult::Filtered => Err(LeftOutReason::Filtered),
    })
}

fn describe_directions(pool: &DebatePool<'_>, rule: &str) -> String {
    let (mut too_strict, mut too_lenient) = (0, 0);
    for debate in &pool.debates {
        let findings = findings_in_scope(debate, &pool.scope);
        for finding in findings.filter(|finding| finding.judging == rule) {
            let counts = finding_exclusion_reason(debate, finding, pool.scope.people).is_none();
            if counts && differs_from_rules(finding) == Some(Ok(true)) {
                match finding.rules_found {
                    Some(RulesFound::Incorrect) => too_strict += 1,
                    Some(RulesFound::Correct) => too_lenient += 1,
                    Some(RulesFound::Undecided) | None => {}
                }
            }
        }
    }
    format!(
        "on a sample of the turns that rules of comparison decided: {too_strict} that they call incorrect are called \
         correct, {too_lenient} the other way; one of the two errs there, and labels of people say which \
         (elenchus validate)"
    )
}
