//! Debates that the figures of a page count, and what is in no figure, with the reason.

use super::MAX_NAMED;
use super::subjects::{PassOnPage, Subjects};
use crate::request::{PageRequest, Subject};
use elenchus_game::debate::{SessionId, Target};
use elenchus_metrics::{DebateRow, Report, ReportSettings, ReportSubject, teaching_runs};
use elenchus_records::library::ModelFamilies;
use elenchus_records::workspace::rows::{PassFindings, RowSelection, SessionRows, unfinished_runs};
use elenchus_records::workspace::run::RunState;
use elenchus_records::workspace::sweep::SweepState;
use elenchus_records::workspace::{Result, StoreIndex, missing_sessions};
use elenchus_run::experiments::sweep::{compute_sweep_report, read_sweep_rows};
use elenchus_store::Layout;
use elenchus_text::format_noun_count;
use std::collections::{BTreeMap, BTreeSet};

/// Debates that the figures of a page are of.
#[derive(Default)]
pub(super) struct CountedDebates {
    pub rows: Vec<DebateRow>,
    pub settings: ReportSettings,
    /// Arms in their order, the first of which is compared with.
    pub arms: Vec<String>,
    /// What a sweep computed itself.
    pub sweep: Option<(Report, Option<Report>)>,
    /// What is not counted, and why.
    pub left_out: Vec<String>,
}

/// Reads the rows of the debates that figures count.
pub(super) fn count_debates(
    index: &StoreIndex,
    families: &ModelFamilies,
    request: &PageRequest,
    subjects: &Subjects,
) -> Result<CountedDebates> {
    let mut counted = CountedDebates::default();
    for run in &subjects.runs {
        let missing = describe_missing(index.layout(), run)?;
        counted.left_out.extend(missing);
    }
    if let [Subject::Sweep(_)] = request.subjects.as_slice()
        && let Some(sweep) = subjects.sweeps.first()
    {
        counted.count_sweep(index, families, sweep)?;
    } else {
        counted.count_sessions(index, families, subjects)?;
    }
    Ok(counted)
}

impl CountedDebates {
    /// Counts the debates of a sweep as its own report does.
    fn count_sweep(
        &mut self,
        index: &StoreIndex,
        families: &ModelFamilies,
        sweep: &SweepState,
    ) -> Result<()> {
        let read = read_sweep_rows(index, sweep, families)?;
        self.settings.teaching_runs = read.teaching_runs;
        self.rows = read.rows;
        let resampling = self.settings.resampling;
        let report = compute_sweep_report(index, sweep, families, resampling)?;
        self.arms = report.arms.iter().map(|arm| arm.name.clone()).collect();
        self.left_out.extend(report.notes);
        self.sweep = Some((report.report, report.comparisons));
        Ok(())
    }

    /// Counts the sessions of the page, by what the pass on it found where there is one.
    fn count_sessions(
        &mut self,
        index: &StoreIndex,
        families: &ModelFamilies,
        subjects: &Subjects,
    ) -> Result<()> {
        let sessions = subjects.counted_sessions();
        let pass = subjects.pass.as_ref().map(|on_page| &on_page.pass);
        let findings = pass.map(|pass| PassFindings::from_pass(pass, families.clone()));
        let selection = RowSelection {
            sessions: Some(&sessions),
            pass: findings.as_ref(),
            holds: &|_| true,
        };
        let mut reading = SessionRows::read_rows(index, families, &selection)?;
        let named: BTreeSet<String> = subjects.named.iter().map(SessionId::to_string).collect();
        let all_rows = reading.rows.len();
        reading
            .rows
            .retain(|row| !row.fork || named.contains(&row.session));
        let forks = all_rows - reading.rows.len();
        self.left_out.extend(describe_uncounted(&reading, forks));
        self.settings = ReportSettings {
            teaching_runs: teaching_runs(&reading.rows),
            unfinished: unfinished_runs(index, &reading.rows),
            ..ReportSettings::default()
        };
        if let Some((findings, on_page)) = findings.as_ref().zip(subjects.pass.as_ref()) {
            findings.check_rows(&reading.rows)?;
            self.settings.notes = findings.describe_source(&reading.rows, &reading.not_of_pass);
            self.settings.of = ReportSubject::Pass;
            self.left_out.extend(describe_not_of_pass(on_page));
        }
        self.add_arms_in_page_order(&reading.rows, subjects);
        self.rows = reading.rows;
        Ok(())
    }

    /// Lists the arms in the order in which their first debates stand on the page.
    fn add_arms_in_page_order(&mut self, rows: &[DebateRow], subjects: &Subjects) {
        let rows_by_session: BTreeMap<&str, &DebateRow> =
            rows.iter().map(|row| (row.session.as_str(), row)).collect();
        for item in &subjects.items {
            let arm = rows_by_session
                .get(item.session.as_str())
                .map(|row| &row.arm);
            if let Some(arm) = arm.filter(|arm| !self.arms.contains(arm)) {
                self.arms.push(arm.clone());
            }
        }
    }
}

/// Says which debates of a run are not in the store any more, and which failed.
fn describe_missing(layout: &Layout, run: &RunState) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    let id = &run.manifest.run;
    let missing = missing_sessions(layout, run)?;
    if let Some(first) = missing.first() {
        notes.push(format!(
            "{} of run {id} that were finished are not in the store, and no figure counts them; the first: session {}",
            format_noun_count(missing.len(), "debate"),
            first.session
        ));
    }
    let failures = run.failed.iter().take(MAX_NAMED);
    notes.extend(failures.map(|(item, why)| format!("run {id}, item {item}: failed: {why}")));
    let more = run.failed.len().saturating_sub(MAX_NAMED);
    if more > 0 {
        let more = format_noun_count(more, "item");
        notes.push(format!("run {id}: {more} more failed"));
    }
    Ok(notes)
}

/// Says which sessions of the page are in no figure.
fn describe_uncounted(reading: &SessionRows, forks: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if forks > 0 {
        notes.push(format!(
            "{} in no figure: a person made them having seen a debate",
            match forks {
                1 => "1 fork is".to_owned(),
                many => format!("{} are", format_noun_count(many, "fork")),
            }
        ));
    }
    if reading.unfinished > 0 {
        notes.push(format!(
            "{} in no figure: not played to the end",
            match reading.unfinished {
                1 => "1 debate is".to_owned(),
                many => format!("{} are", format_noun_count(many, "debate")),
            }
        ));
    }
    let unreadable = reading.unreadable.iter().take(MAX_NAMED);
    notes.extend(unreadable.map(|why| format!("a session is in no figure: {why}")));
    let more = reading.unreadable.len().saturating_sub(MAX_NAMED);
    if more > 0 {
        let more = format_noun_count(more, "session");
        notes.push(format!("{more} more are in no figure: they cannot be read"));
    }
    notes
}

/// Says what of a pass is not on the page, and what of the games is in no figure for it.
fn describe_not_of_pass(on_page: &PassOnPage) -> Vec<String> {
    let mut notes = Vec::new();
    if on_page.missing > 0 {
        notes.push(format!(
            "{} that the pass judged: not in the store any more",
            format_noun_count(on_page.missing, "session")
        ));
    }
    let verdicts = on_page.pass.verdicts.iter();
    let elsewhere = verdicts.filter(|verdict| !matches!(verdict.target, Target::Attempt(_)));
    let elsewhere = elsewhere.count();
    if elsewhere > 0 {
        notes.push(format!(
            "{} of the pass on rounds or whole debates: beside turns stand those on turns alone",
            format_noun_count(elsewhere, "verdict")
        ));
    }
    notes.push(
        "what the games' own evaluators found stands in no figure: those are of the pass; beside a turn stand both"
            .to_owned(),
    );
    notes
}
