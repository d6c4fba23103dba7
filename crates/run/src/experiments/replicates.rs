//! Replicates that leave an entry of memory out, as a person asks for them: how many, at what price, played
//! beside something else, and what they came to on the page of the entry.

use super::ablation::{AblationPlan, AblationReport, PlannedAblation, plan_ablation};
use super::run::Run;
use super::{EndedItem, ExperimentEnd, ExperimentObserver, StopSignal};
use crate::engine::{CostCeiling, Observer, RunContext, check_models};
use crate::experiments::ExperimentContext;
use elenchus_game::debate::event::Record;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{RunId, SessionId, State};
use elenchus_records::workspace::{EntryId, WorkspaceError, read_session};
use elenchus_text::{PageItem, Paragraph, Role, price};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most replicates that are asked for at the workbench; more are played on the command line.
const MAX_REPLICATES: u32 = 1_000;

/// Pairs of debates, with the entry and without it, and the seed of their draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplicateCount {
    pub pairs: u32,
    pub seed: u64,
}

impl Default for ReplicateCount {
    /// As on the command line.
    fn default() -> Self {
        Self { pairs: 10, seed: 0 }
    }
}

impl fmt::Display for ReplicateCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} seed {}", self.pairs, self.seed)
    }
}

impl FromStr for ReplicateCount {
    type Err = WorkspaceError;

    /// Reads `K seed N`; without a seed it is 0.
    fn from_str(text: &str) -> Result<Self, WorkspaceError> {
        let words = text.split(|c: char| c.is_whitespace() || c == ',');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let values = match words.as_slice() {
            [pairs] => pairs.parse().ok().zip(Some(0)),
            [pairs, "seed", seed] => pairs.parse().ok().zip(seed.parse().ok()),
            _ => None,
        };
        let in_range = |(pairs, _): &(u32, u64)| (1..=MAX_REPLICATES).contains(pairs);
        let (pairs, seed) = values.filter(in_range).ok_or_else(|| {
            WorkspaceError::invalid(format!(
                "give a number from 1 to {MAX_REPLICATES}, and a seed: 10 seed 0"
            ))
        })?;
        Ok(Self { pairs, seed })
    }
}

/// Plans replicates of a debate with and without an entry. Blocks.
///
/// # Errors
/// When the debate cannot be read or repeated, or a model cannot be called under the ceiling.
pub fn plan_replicates(
    run: &RunContext,
    budget_usd: Option<f64>,
    session: &SessionId,
    entry: &EntryId,
    count: ReplicateCount,
) -> Result<PlannedAblation, WorkspaceError> {
    let state = read_session(&run.store.layout.session_path(session.as_str())?)?;
    let plan = AblationPlan {
        entry: entry.0.clone(),
        replicates: count.pairs,
        rounds: None,
        seed: count.seed,
        ceilings: Ceilings::from_usd(budget_usd),
    };
    let ablation = plan_ablation(session, &state, &plan, run.store.clock)?;
    let ceiling = CostCeiling::from_budget(budget_usd, &ablation.run.manifest.protocol);
    for cast in &ablation.run.manifest.casts {
        check_models(cast, &run.seats, ceiling)?;
    }
    Ok(ablation)
}

impl PlannedAblation {
    /// Returns what is asked before it is played: how many debates, and what they cost.
    pub fn build_question(&self) -> String {
        let cost = match &self.estimate {
            Some(all) => price::describe_price_with_tokens(all),
            None => "the cost is not known".to_owned(),
        };
        let ceiling = price::describe_ceiling(self.run.manifest.ceilings.cost_usd);
        let fixed_guards = self.run.items.first();
        let fixed_guards = fixed_guards.and_then(|item| item.given_guards.as_ref());
        let guards = match fixed_guards.map_or(0, |given| given.candidates.len()) {
            0 => String::new(),
            1 => " The guardrail that was near the topic is near it in all of them.".to_owned(),
            near => {
                format!(" The {near} guardrails that were near the topic are so in all of them.")
            }
        };
        format!(
            "{} debates, half of them with the entry and half without, of seed {}: {cost}; \
             {ceiling}.{guards} Play them?",
            self.run.items.len(),
            self.run.manifest.seed,
        )
    }
}

/// News of replicates that are played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplicatesUpdate {
    Began(RunId),
    /// Number of debates that are over.
    Over(usize),
    /// No more are played: why not, where they ended early.
    Ended(Option<String>),
}

/// How far replicates are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplicatesProgress {
    pub run: Option<RunId>,
    over: usize,
    debates: usize,
}

impl ReplicatesProgress {
    /// Nothing is over yet.
    pub fn from_planned(planned: &PlannedAblation) -> Self {
        Self {
            run: None,
            over: 0,
            debates: planned.run.items.len(),
        }
    }

    /// Takes news in, those of the end excepted.
    pub fn apply_update(&mut self, update: &ReplicatesUpdate) {
        match update {
            ReplicatesUpdate::Began(run) => self.run = Some(run.clone()),
            ReplicatesUpdate::Over(over) => self.over = *over,
            ReplicatesUpdate::Ended(_) => {}
        }
    }
}

impl fmt::Display for ReplicatesProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} debates over", self.over, self.debates)
    }
}

/// Plays what was planned, and tells of it to the end.
pub async fn play_replicates(
    run: RunContext,
    concurrency: usize,
    ablation: &PlannedAblation,
    stop: StopSignal,
    report: impl Fn(ReplicatesUpdate) + Send + Sync + 'static,
) {
    let observer = Arc::new(ReplicatesObserver {
        report: Box::new(report),
        over: AtomicUsize::new(0),
    });
    let context = ExperimentContext::without_people(run, observer.clone(), stop)
        .with_concurrency(concurrency);
    let run = ablation.run.manifest.run.clone();
    (observer.report)(ReplicatesUpdate::Began(run.clone()));
    let playing = async {
        let mut run = Run::begin(&context, ablation.run.clone()).await?;
        run.play_debates(&context).await
    };
    (observer.report)(ReplicatesUpdate::Ended(match playing.await {
        Ok(end) => describe_early_end(end, &run),
        Err(error) => Some(WorkspaceError::to_string(&error)),
    }));
}

fn describe_early_end(end: ExperimentEnd, run: &RunId) -> Option<String> {
    let why = match end {
        ExperimentEnd::Completed => return None,
        ExperimentEnd::WithFailures(_) => "some debates failed".to_owned(),
        ExperimentEnd::Paused(cause) => cause.to_string(),
    };
    Some(format!(
        "{why}; go on with: elenchus memory ablate --resume {run}"
    ))
}

/// Counts debates that are over.
struct ReplicatesObserver {
    report: Box<dyn Fn(ReplicatesUpdate) + Send + Sync>,
    over: AtomicUsize,
}

impl Observer for ReplicatesObserver {
    fn on_event(&self, _session: &SessionId, _record: &Record, _state: &State) {}
}

impl ExperimentObserver for ReplicatesObserver {
    fn on_item_end(&self, _item: &EndedItem<'_>) {
        let over_count = self.over.fetch_add(1, Ordering::Relaxed) + 1;
        (self.report)(ReplicatesUpdate::Over(over_count));
    }
}

/// Results of replicates on the page of the entry that was left out, the newest first; `early` says why the last
/// ones ended early.
pub fn build_replicate_items(
    early: Option<&str>,
    reports: Option<&Result<Vec<AblationReport>, WorkspaceError>>,
) -> Vec<PageItem> {
    let line = |role, text: &str| {
        let text = Paragraph::new(role, text).with_indent(2, 2);
        PageItem::from_paragraphs(vec![text, Paragraph::gap()])
    };
    let mut items: Vec<PageItem> = Vec::new();
    items.extend(early.map(|why| line(Role::Warning, why)));
    match reports {
        None => {}
        Some(Ok(reports)) => items.extend(reports.iter().map(build_report_item)),
        Some(Err(why)) => items.push(line(Role::Error, &why.to_string())),
    }
    items
}

fn build_report_item(report: &AblationReport) -> PageItem {
    let mut paragraphs = vec![Paragraph::new(Role::Strong, "Leave one out")];
    paragraphs.extend(report.to_paragraphs());
    let show = format!("elenchus memory ablate --show {}", report.run);
    paragraphs.push(Paragraph::new(Role::Muted, show).with_indent(2, 4));
    paragraphs.push(Paragraph::gap());
    PageItem {
        paragraphs,
        hint: None,
        opens: Some(report.about.session.clone()),
    }
}
