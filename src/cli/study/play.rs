//! Play of a study: what the store has is used, what is open is gone on with, the rest begins.

use super::args::StudyArgs;
use super::file::{Entry, PlannedPlay, PlayKind, StudyPlan};
use super::labels::{RunIds, insert_run_ids};
use super::options::parse_options;
use crate::cli::common::args::{BudgetArgs, ExperimentArgs};
use crate::cli::common::{
    CommandContext, Exit, FoundPlan, PlanStanding, estimate, format_noun_count, output, shell_word,
};
use crate::cli::run::{self, RunArgs};
use crate::cli::sweep;
use anyhow::{Context, Result, bail};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{CostEstimate, Expense, RunId};
use elenchus_records::workspace::read_runs;
use elenchus_records::workspace::run::{Finished, RunState, read_run};
use elenchus_records::workspace::sweep::{SweepState, read_sweeps};
use elenchus_run::experiments::sweep::SweepFile;
use std::collections::BTreeSet;

const NO_DATA_SET: &str = "its runs are over data sets";
const GOES_ON: &str = "what is open is gone on with anyway";
const TYPED: &str = "type it beside the study's name";
/// Options of a run that a plan does not give, each with the reason.
const REFUSED_OF_RUN: [(&str, &str); 15] = [
    ("topic", NO_DATA_SET),
    ("reference", NO_DATA_SET),
    ("document", NO_DATA_SET),
    ("option", NO_DATA_SET),
    ("resume", GOES_ON),
    ("resume-session", GOES_ON),
    ("json", "what is printed are its [[metrics]]"),
    ("estimate", TYPED),
    ("quiet", TYPED),
    ("budget-usd", TYPED),
    ("budget-calls", TYPED),
    ("budget-tokens", TYPED),
    ("price", TYPED),
    ("concurrency", TYPED),
    ("unlisted", TYPED),
];

/// What came of the plays of a study.
pub(super) struct PlayedStudy {
    /// Every run, those of sweeps included.
    pub runs: Vec<RunId>,
    pub ids: RunIds,
    pub exit: Exit,
}

/// What is done about plays that the store does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingPlays {
    Play,
    Refuse,
}

/// Plays of a study, one after the other.
pub(super) struct StudyPlayer<'a> {
    args: &'a StudyArgs,
    plan: &'a StudyPlan,
    context: &'a CommandContext,
    known_runs: Vec<RunState>,
    known_sweeps: Vec<SweepState>,
    /// What is left of the limits of the whole.
    left: Ceilings,
    ids: RunIds,
}

/// A play, read and looked up.
struct PreparedPlay {
    call: PlayCall,
    found: FoundPlan,
}

/// What is called to play it.
enum PlayCall {
    Run(Box<RunArgs>),
    Sweep(Box<SweepFile>),
}

impl<'a> StudyPlayer<'a> {
    /// Reads what the store has.
    ///
    /// # Errors
    /// When its runs cannot be listed, or a limit cannot be meant.
    pub(super) fn new(
        args: &'a StudyArgs,
        plan: &'a StudyPlan,
        context: &'a CommandContext,
    ) -> Result<Self> {
        let layout = &context.store.layout;
        // A journal that cannot be read is no run that could be used; `verify` names it.
        let (known_runs, _) = read_runs(layout)?;
        let (known_sweeps, _) = read_sweeps(layout)?;
        Ok(Self {
            args,
            plan,
            context,
            known_runs,
            known_sweeps,
            left: context.resolve_ceilings(&args.budget)?,
            ids: RunIds::new(),
        })
    }

    /// Plays what is missing, or refuses it; ends at the first play that pauses.
    ///
    /// # Errors
    /// When an entry cannot be meant or played.
    pub(super) fn play_all(mut self, missing: MissingPlays) -> Result<PlayedStudy> {
        self.check_options()?;
        let mut runs: Vec<RunId> = Vec::new();
        let mut exit = Exit::Fine;
        for (number, play) in (1..).zip(&self.plan.plays) {
            let prepared = self.prepare(play)?;
            let (play_runs, play_exit) = match missing {
                MissingPlays::Play => self.play_if_missing(number, play, &prepared)?,
                MissingPlays::Refuse => (self.require_played(play, prepared)?, Exit::Fine),
            };
            if let (Some(label), Some(run)) = (&play.label, play_runs.first()) {
                self.ids.insert(label.clone(), run.to_string());
            }
            // A play that stands in the plan twice is one.
            runs.extend(
                play_runs
                    .into_iter()
                    .filter(|run| !runs.contains(run))
                    .collect::<Vec<_>>(),
            );
            if play_exit != Exit::Fine {
                exit = play_exit;
            }
            if exit == Exit::Unfinished {
                break;
            }
        }
        Ok(PlayedStudy {
            runs,
            ids: self.ids,
            exit,
        })
    }

    /// Says what would be played and what it would take. What is planned from what is not played yet is said to be
    /// unknown.
    ///
    /// # Errors
    /// When the first play that is missing cannot be planned.
    pub(super) fn estimate_all(mut self) -> Result<String> {
        self.check_options()?;
        let mut text = String::new();
        let mut estimates: Vec<Option<CostEstimate>> = Vec::new();
        let mut unknown_count = 0;
        for (at, play) in self.plan.plays.iter().enumerate() {
            let (number, before) = (at + 1, &self.plan.plays[..at]);
            let name = describe_play(play);
            let prepared = match self.prepare(play) {
                Ok(prepared) => prepared,
                Err(_) if !estimates.is_empty() || unknown_count > 0 => {
                    unknown_count += 1;
                    text += &format!("{number}. {name}: known when those before it are played\n");
                    continue;
                }
                Err(error) => return Err(error),
            };
            text += &match prepared.found.standing {
                PlanStanding::Over(runs) => {
                    if let (Some(label), Some(run)) = (&play.label, runs.first()) {
                        self.ids.insert(label.clone(), run.to_string());
                    }
                    format!(
                        "{number}. {name}: there already, {}\n",
                        describe_runs(&runs)
                    )
                }
                PlanStanding::Open { id, .. } => {
                    unknown_count += 1;
                    format!("{number}. {name}: to be gone on with, {id}\n")
                }
                PlanStanding::Missing { debates, estimate } => match find_same(before, play) {
                    // Played once, its run is there when this one is reached.
                    Some(same) => format!("{number}. {name}: the same as {same}\n"),
                    None => {
                        estimates.push(estimate);
                        let debates = format_noun_count(debates, "debate");
                        let cost = estimate::describe_cost(estimate.as_ref());
                        format!("{number}. {name}: {debates}, {cost}\n")
                    }
                },
            };
        }
        let total: Option<CostEstimate> = estimates.iter().copied().sum();
        text += &match (estimates.len(), unknown_count) {
            (0, 0) => "nothing is to be played\n".to_owned(),
            (_, 0) => format!("estimate: {}\n", estimate::describe_cost(total.as_ref())),
            (_, unknown) => format!(
                "estimate: {}, and what {unknown} more take\n",
                estimate::describe_cost(total.as_ref())
            ),
        };
        Ok(text)
    }

    fn tell(&self, line: &str) {
        if !self.args.quiet {
            output::print_notice(line);
        }
    }

    /// Reads the options of every play, before the first of them costs anything.
    ///
    /// # Errors
    /// When one cannot be meant.
    fn check_options(&self) -> Result<()> {
        for play in &self.plan.plays {
            match play.kind {
                PlayKind::Run => drop(read_run_options(&play.entry)?),
                PlayKind::Sweep => drop(read_sweep_options(&play.entry)?),
            }
        }
        Ok(())
    }

    /// Reads a play and looks for one of the same plan.
    fn prepare(&self, play: &PlannedPlay) -> Result<PreparedPlay> {
        let mut entry = play.entry.clone();
        insert_run_ids(&mut entry, &self.ids)?;
        match play.kind {
            PlayKind::Run => self.prepare_run(&entry),
            PlayKind::Sweep => self.prepare_sweep(&entry),
        }
    }

    fn prepare_run(&self, entry: &Entry) -> Result<PreparedPlay> {
        let mut args = read_run_options(entry)?;
        args.experiment = self.build_experiment_args(None, Expense::default());
        let found = run::look_up(&args, self.context, &self.known_runs)
            .with_context(|| entry.place.clone())?;
        args.experiment = self.build_experiment_args(Some(&found.models), Expense::default());
        let call = PlayCall::Run(Box::new(args));
        Ok(PreparedPlay { call, found })
    }

    fn prepare_sweep(&self, entry: &Entry) -> Result<PreparedPlay> {
        let mut file = read_sweep_options(entry)?;
        file.ceilings = self.left;
        let experiment = self.build_experiment_args(None, Expense::default());
        let known = (self.known_sweeps.as_slice(), self.known_runs.as_slice());
        // What is wrong with a sweep says where.
        let found = sweep::look_up(&file, &experiment, self.context, known)?;
        let call = PlayCall::Sweep(Box::new(file));
        Ok(PreparedPlay { call, found })
    }

    /// Returns the runs of a play that is there, be it over or not.
    fn require_played(&self, play: &PlannedPlay, prepared: PreparedPlay) -> Result<Vec<RunId>> {
        match prepared.found.standing {
            PlanStanding::Over(runs) => Ok(runs),
            PlanStanding::Open { id, runs } => {
                let place = &play.entry.place;
                self.tell(&format!("notice: {place} ({id}) is not played to its end"));
                Ok(runs)
            }
            PlanStanding::Missing { .. } => bail!(
                "{}: the store has no {} of this plan; play it with: elenchus study {}",
                play.entry.place,
                play.kind.word(),
                shell_word(self.args.study.as_deref().unwrap_or_default())
            ),
        }
    }

    /// Plays what is not there or not over, and counts what it used.
    fn play_if_missing(
        &mut self,
        number: usize,
        play: &PlannedPlay,
        prepared: &PreparedPlay,
    ) -> Result<(Vec<RunId>, Exit)> {
        let name = describe_play(play);
        let place = format!("{number} of {}: {name}", self.plan.plays.len());
        let used_before = match &prepared.found.standing {
            PlanStanding::Over(runs) => {
                self.tell(&format!("{place}: there already, {}", describe_runs(runs)));
                return Ok((runs.clone(), Exit::Fine));
            }
            PlanStanding::Open { id, runs } => {
                self.tell(&format!("{place}: {id} is gone on with"));
                self.read_used(runs)?
            }
            PlanStanding::Missing { .. } => {
                self.tell(&place);
                Expense::default()
            }
        };
        let experiment = self.build_experiment_args(Some(&prepared.found.models), used_before);
        let open_id = match &prepared.found.standing {
            PlanStanding::Open { id, .. } => Some(id.as_str()),
            PlanStanding::Over(_) | PlanStanding::Missing { .. } => None,
        };
        let (runs, exit) = match (&prepared.call, open_id) {
            (PlayCall::Run(_), Some(id)) => run::resume_silently(id, &experiment, self.context)?,
            (PlayCall::Run(args), None) => run::begin_silently(args, self.context)?,
            (PlayCall::Sweep(_), Some(id)) => {
                sweep::resume_silently(id, &experiment, self.context)?
            }
            (PlayCall::Sweep(file), None) => {
                sweep::begin_silently(file, &experiment, self.context)?
            }
        };
        let used = self.read_used(&runs)?;
        // A later play of the same plan is this one.
        let layout = &self.context.store.layout;
        self.known_runs = read_runs(layout)?.0;
        self.known_sweeps = read_sweeps(layout)?.0;
        self.left = Ceilings {
            cost_usd: self
                .left
                .cost_usd
                .map(|left| (left - (used.usd - used_before.usd)).max(0.0)),
            calls: self
                .left
                .calls
                .map(|left| left.saturating_sub(used.calls - used_before.calls)),
            tokens: self
                .left
                .tokens
                .map(|left| left.saturating_sub(used.tokens - used_before.tokens)),
        };
        Ok((runs, exit))
    }

    /// Returns what runs used at most in debates that are over.
    fn read_used(&self, runs: &[RunId]) -> Result<Expense> {
        let layout = &self.context.store.layout;
        let mut used = Expense::default();
        for run in runs {
            let state = read_run(&layout.run_path(run.as_str())?)?;
            let finished = state.finished.values();
            used = used.plus(finished.filter_map(Finished::committed_expense).sum());
        }
        Ok(used)
    }

    /// Returns the limits of a play: what is left of the whole, beside what it used before. The prices are all that
    /// are typed, until its models are known: whoever does not play in it has none in it.
    fn build_experiment_args(
        &self,
        models: Option<&BTreeSet<String>>,
        used_before: Expense,
    ) -> ExperimentArgs {
        let prices = self.args.budget.price.iter().filter(|price| {
            let model = price.model.as_ref().zip(models);
            model.is_none_or(|(model, models)| models.contains(model))
        });
        ExperimentArgs {
            budget: BudgetArgs {
                budget_usd: self.left.cost_usd.map(|left| left + used_before.usd),
                budget_calls: self.left.calls.map(|left| left + used_before.calls),
                budget_tokens: self.left.tokens.map(|left| left + used_before.tokens),
                price: prices.cloned().collect(),
            },
            concurrency: self.args.concurrency,
            names: self.args.names,
            quiet: self.args.quiet,
            ..ExperimentArgs::default()
        }
    }
}

fn read_run_options(entry: &Entry) -> Result<RunArgs> {
    let args: RunArgs = parse_options("run", entry, &REFUSED_OF_RUN)?;
    if args.dataset.is_empty() {
        bail!(
            "{}: it names no data set: dataset = [\"FILE\"]",
            entry.place
        );
    }
    Ok(args)
}

fn read_sweep_options(entry: &Entry) -> Result<SweepFile> {
    if entry.options.contains_key("budget") {
        bail!(
            "{}: 'budget' does not stand in a plan: {TYPED}",
            entry.place
        );
    }
    Ok(SweepFile::parse(
        &entry.place,
        &toml::to_string(&entry.options)?,
    )?)
}

impl PlayKind {
    fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Sweep => "sweep",
        }
    }
}

/// Returns the number of an earlier play that plays the same, from 1.
fn find_same(before: &[PlannedPlay], play: &PlannedPlay) -> Option<usize> {
    let is_same =
        |other: &PlannedPlay| other.kind == play.kind && other.entry.options == play.entry.options;
    before.iter().position(is_same).map(|at| at + 1)
}

/// Says in a few words what is played.
fn describe_play(play: &PlannedPlay) -> String {
    let word_of = |option: &str| play.entry.options.get(option).and_then(|it| it.as_str());
    let mut words: Vec<&str> = vec![play.kind.word()];
    words.extend(word_of("protocol"));
    words.extend(word_of("model"));
    words.extend(word_of("memory"));
    let number = play.entry.place.as_str();
    format!("{} ({number})", words.join(" "))
}

fn describe_runs(runs: &[RunId]) -> String {
    match runs {
        [run] => format!("run {run}"),
        [..] => format_noun_count(runs.len(), "run"),
    }
}
