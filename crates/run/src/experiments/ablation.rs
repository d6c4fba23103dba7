//! Ablation of a memory entry: fresh replicates of a recorded debate with and without the entry.
//!
//! The replicates are a run: two debates a replicate, of the same protocol, templates, cast, topic,
//! settings and seed. Memory is fixed beforehand: one arm gets exactly what the recorded debate was given, the
//! other the same without the entry. Nothing replaces it and nothing is learned, so one thing differs.
//! Guardrails that were near the topic are near it in both arms, with the texts that they had then; whether
//! one matches is decided again.

use crate::engine::cost::estimate_cost;
use crate::experiments::run::{PlannedRun, build_plain_manifest};
use elenchus_game::debate::event::{Created, MemoryUse, Player, Retrieved};
use elenchus_game::debate::protocol::{Ceilings, MeasuredProperty as Measured, SettingValue};
use elenchus_game::debate::{CostEstimate, RunId, SessionId, State};
use elenchus_metrics::{
    ComparisonSettings, DebateRow, Dimension, Figure, LeftOutReason, Measure, ReportSettings,
    Resampling, RowTopic, compare_groups,
};
use elenchus_records::library::Game;
use elenchus_records::workspace::rows::debate_row;
use elenchus_records::workspace::run::{
    Ablation, DatasetPlace, Manifest, RunItem, RunState, read_run,
};
use elenchus_records::workspace::{
    Clock, Result, read_runs, read_session, reject, sort_newest_first,
};
use elenchus_store::Layout;
use elenchus_text::{Paragraph, Role, cost, format_noun_count};

/// Arm of a replicate: with or without the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AblationArm {
    With,
    Without,
}

impl AblationArm {
    fn arm_name(self) -> &'static str {
        match self {
            AblationArm::With => "with",
            AblationArm::Without => "without",
        }
    }
}

/// Requested ablation.
#[derive(Debug, Clone, PartialEq)]
pub struct AblationPlan {
    pub entry: String,
    /// Pairs of debates.
    pub replicates: u32,
    /// Replaces the number of rounds, in both arms.
    pub rounds: Option<u32>,
    pub seed: u64,
    pub ceilings: Ceilings,
}

/// Replicates that can begin.
#[derive(Debug, Clone)]
pub struct PlannedAblation {
    pub run: PlannedRun,
    /// What all replicates cost together; `None` where the game is too large for a dry run.
    pub estimate: Option<CostEstimate>,
}

/// Plans replicates of a recorded debate. Nothing is begun and nothing is paid for.
///
/// # Errors
/// When the debate was not shown the entry, a person sat in it, or its game cannot be played with
/// that number of rounds.
pub fn plan_ablation(
    session: &SessionId,
    state: &State,
    plan: &AblationPlan,
    clock: Clock,
) -> Result<PlannedAblation> {
    let Some(created) = state.first_event() else {
        return reject(format!("the session {session} has not begun"));
    };
    if state.retrievals().count() > 1 {
        return reject(format!(
            "several seats of the session {session} learn each for itself, and replicates are given the lessons of \
             one: choose a debate in which one seat learns"
        ));
    }
    let Some(retrieval) = state.retrievals().find(|given| !given.entries.is_empty()) else {
        return reject(format!(
            "the session {session} was shown nothing from memory, so nothing can be left out; \
             'elenchus memory show ENTRY' lists the debates that were shown an entry"
        ));
    };
    let Some(rank) = find_entry_rank(retrieval, &plan.entry) else {
        let ids = retrieval.entries.iter().map(|entry| entry.id.as_str());
        return reject(format!(
            "the session {session} was not shown the entry '{}'; it was shown: {}",
            plan.entry,
            ids.collect::<Vec<_>>().join(", ")
        ));
    };
    if let Some(seat) = created
        .cast
        .iter()
        .find_map(|participant| match participant.player {
            Player::Human { .. } => Some(&participant.chair),
            Player::Model(_) | Player::Fixed(_) => None,
        })
    {
        return reject(format!(
            "a person sat on {seat} in the session {session}, and people are no replicates of \
             themselves; choose a debate between models"
        ));
    }
    let mut created = created.clone();
    // Inherited turns of a fork are not copied: a replicate is played from its beginning.
    set_rounds(&mut created, plan.rounds);
    let game = Game::from_created(&created)?;
    let faults = game.list_template_faults();
    if !faults.is_empty() {
        return reject(format!(
            "the game cannot be played with these rounds: {}",
            faults.join("; ")
        ));
    }
    let entry = retrieval.entries.get(rank).cloned();
    let reduced_retrieval = remove_entry(retrieval, rank);
    let mut items = Vec::new();
    for rollout in 0..plan.replicates {
        for given in [retrieval, &reduced_retrieval] {
            items.push(RunItem {
                item: items.len() as u64,
                session: SessionId::new(clock.fresh_id()),
                topic: created.topic.clone(),
                cast: 0,
                rollout,
                batch: None,
                teaches: false,
                lines: Vec::new(),
                given: Some(Box::new(given.clone())),
                given_guards: state.retrieved_guards().cloned().map(Box::new),
            });
        }
    }
    let total_estimate = std::iter::repeat_n(estimate_cost(&created, &game), items.len()).sum();
    let place = DatasetPlace {
        path: session.to_string(),
        kind: "replicates of a session".to_owned(),
        ..DatasetPlace::default()
    };
    let manifest = Manifest {
        seed: plan.seed,
        rollouts: plan.replicates,
        ceilings: plan.ceilings,
        memory: MemoryUse {
            writes: false,
            given: None,
            given_guards: None,
            ..created.memory.clone()
        },
        ablation: Some(Ablation {
            session: session.clone(),
            entry: entry
                .as_ref()
                .map_or_else(String::new, |entry| entry.id.clone()),
            text: entry.map_or_else(String::new, |entry| entry.text),
            rank: rank + 1,
            shown: retrieval.entries.len(),
        }),
        ..build_plain_manifest(
            &game,
            vec![created.cast.clone()],
            (place, items.len()),
            clock,
        )
    };
    Ok(PlannedAblation {
        run: PlannedRun {
            game,
            manifest,
            items,
        },
        estimate: total_estimate,
    })
}

/// An id, or its end: the session names few, so little of it is enough.
fn find_entry_rank(retrieval: &Retrieved, text: &str) -> Option<usize> {
    let mut ids = retrieval.entries.iter().map(|entry| entry.id.as_str());
    let exact = ids.clone().position(|id| id == text);
    let fits = |id: &str| !text.is_empty() && (id.ends_with(text) || id.starts_with(text));
    let fitting = ids.clone().filter(|id| fits(id)).count();
    exact.or_else(|| ids.position(fits).filter(|_| fitting == 1))
}

fn remove_entry(given: &Retrieved, rank: usize) -> Retrieved {
    let mut retrieval = given.clone();
    if rank < retrieval.entries.len() {
        retrieval.entries.remove(rank);
    }
    retrieval
}

fn set_rounds(created: &mut Created, rounds: Option<u32>) {
    let Some(rounds) = rounds else { return };
    created.protocol.rounds = rounds;
    if created.protocol.settings.contains_key("rounds") {
        let value = SettingValue::Integer(rounds.into());
        created.settings.insert("rounds".to_owned(), value);
    }
}

/// Results of the replicates so far.
#[derive(Debug, Clone)]
pub struct AblationReport {
    pub run: RunId,
    pub about: Ablation,
    pub topic: String,
    pub simulated: bool,
    /// Pairs that were planned.
    pub replicates: u32,
    /// Every draw of the replicates derives from it.
    pub seed: u64,
    /// Debates of each arm that are over.
    pub done: (usize, usize),
    /// What it may have cost so far, in US dollars.
    pub committed_usd: f64,
    /// Debates that called a model without prices: what they cost is unknown.
    pub unpriced_debates: u64,
    /// Error rate or share of right outcomes without the entry less with it, over replicates; `None` until a
    /// pair is over.
    pub difference: Option<Figure>,
}

impl AblationReport {
    /// Returns what came of the replicates, in paragraphs.
    pub fn to_paragraphs(&self) -> Vec<Paragraph> {
        let line = |role, text: String| Paragraph::new(role, text).with_indent(2, 4);
        let about = &self.about;
        let (with, without) = self.done;
        let mut page = vec![line(
            Role::Muted,
            format!(
                "{} of session {}, seed {}, in which it was {} of {} entries shown; {with} debates \
                 with it and {without} without are over; at most {} so far",
                format_noun_count(self.replicates as usize, "replicate"),
                about.session,
                self.seed,
                about.rank,
                about.shown,
                cost::format_cost_sum(self.committed_usd, self.unpriced_debates)
            ),
        )];
        match self
            .difference
            .as_ref()
            .and_then(|it| Some((it, it.compared?)))
        {
            None => page.push(line(
                Role::Notice,
                "No pair of replicates has a value in both arms yet.".to_owned(),
            )),
            Some((figure, compared)) => {
                let (what, above) = match figure.measure {
                    Measure::ErrorRate => ("error rate", "errors more"),
                    _ => ("right", "right more often"),
                };
                let (with, without) = (compared.from, compared.of);
                let rates = format!("{what} with it {with:.3}, without it {without:.3}");
                page.push(line(Role::Text, rates));
                let difference = figure.value.unwrap_or_default();
                let interval = figure.interval.as_ref().map_or_else(
                    || "no interval: too few replicates, or all are equal".to_owned(),
                    |own| {
                        format!(
                            "[{:+.3}, {:+.3}] at 95 %, over replicates",
                            own.low, own.high
                        )
                    },
                );
                let p = compared.test.map(|test| format!("; p {}", test.shown_p()));
                let text = format!(
                    "without − with {difference:+.3}  {interval}{}",
                    p.unwrap_or_default()
                );
                page.push(line(Role::Strong, text));
                if difference > 0.0 {
                    page.push(line(
                        Role::Text,
                        format!("above 0: {above} where it is left out"),
                    ));
                }
                for (reason, what, why) in [
                    (
                        LeftOutReason::Unpaired,
                        "replicate",
                        "left out: only one debate of the pair has a value",
                    ),
                    (LeftOutReason::NoOutcome, "debate", "without an outcome"),
                ] {
                    if let Some(count) = figure.left_out.get(&reason).filter(|count| **count > 0) {
                        page.push(line(
                            Role::Text,
                            format!("{} {why}", format_noun_count(*count, what)),
                        ));
                    }
                }
            }
        }
        page.push(line(
            Role::Muted,
            "All replicates are of one topic: this says what the entry does to this debate, and \
             nothing about other topics. Interval and test are over replicates."
                .to_owned(),
        ));
        if self.simulated {
            let text =
                "Simulated models played: a check of the instrument, no evidence about models.";
            page.push(line(Role::Simulated, text.to_owned()));
        }
        page
    }
}

/// Returns the results of all runs that left an entry out, newest first.
///
/// # Errors
/// When the folder of runs cannot be listed, or a session of such a run cannot be read.
pub fn list_ablations(layout: &Layout, entry: &str) -> Result<Vec<AblationReport>> {
    let (mut ablation_runs, _) = read_runs(layout)?;
    ablation_runs.retain(|run| {
        let about = run.manifest.ablation.as_ref();
        about.is_some_and(|about| about.entry == entry)
    });
    sort_newest_first(&mut ablation_runs, |run| {
        let id = run.manifest.run.to_string();
        let path = layout.run_path(&id).unwrap_or_default();
        (id, path)
    });
    let reports = ablation_runs.into_iter();
    reports
        .map(|run| build_ablation_report(layout, &run.manifest.run, run.manifest.seed))
        .collect()
}

/// Compares the replicates that are over, paired by replicate: both of a pair have one seed.
///
/// All of them are of one topic (FIGURES 1, 5): what comes out is a statement about this topic.
///
/// # Errors
/// When the run is no such run, or one of its sessions cannot be read.
pub fn build_ablation_report(layout: &Layout, run: &RunId, seed: u64) -> Result<AblationReport> {
    let state = read_run(&layout.run_path(run.as_str())?)?;
    let Some(about) = state.manifest.ablation.clone() else {
        return reject(format!(
            "the run {run} leaves no entry out; 'elenchus memory ablate SESSION --entry ID' begins \
             one that does"
        ));
    };
    let (with, without) = (
        read_arm_rows(layout, &state, AblationArm::With)?,
        read_arm_rows(layout, &state, AblationArm::Without)?,
    );
    let plan = Resampling::from_seed(seed);
    let debate_rows = with.iter().chain(&without);
    let unpriced_count = debate_rows
        .filter(|row| row.usage.cost_usd.is_none())
        .count();
    let topic = state.items.first();
    let manifest = &state.manifest;
    Ok(AblationReport {
        run: run.clone(),
        about,
        topic: topic.map_or_else(String::new, |item| item.topic.text.clone()),
        simulated: with.iter().chain(&without).any(|row| row.simulated),
        replicates: manifest.rollouts,
        seed: manifest.seed,
        done: (with.len(), without.len()),
        committed_usd: state.committed_usd(),
        unpriced_debates: unpriced_count as u64,
        difference: {
            let measure = match manifest.protocol.measures {
                Measured::Safety => Measure::ErrorRate,
                Measured::Correctness | Measured::Quality => Measure::OutcomeRight,
            };
            let rows: Vec<DebateRow> = with.into_iter().chain(without).collect();
            compare_arms(&rows, measure, plan)
        },
    })
}

/// Compares the arm without the entry with the one that has it; `None` where no pair has a value in both.
fn compare_arms(rows: &[DebateRow], measure: Measure, plan: Resampling) -> Option<Figure> {
    let settings = ComparisonSettings {
        groups: ReportSettings {
            by: vec![Dimension::Arm],
            resampling: plan,
            ..ReportSettings::default()
        },
        measures: vec![measure],
        within: None,
    };
    let (with, without) = (
        AblationArm::With.arm_name(),
        AblationArm::Without.arm_name(),
    );
    let report = compare_groups(rows, with, &[without.to_owned()], &settings).ok()?;
    let mut figures = report
        .sections
        .into_iter()
        .flat_map(|section| section.figures);
    figures.find(|figure| figure.compared.is_some())
}

/// The debates of an arm that are over. Each replicate counts as a topic.
fn read_arm_rows(layout: &Layout, state: &RunState, arm: AblationArm) -> Result<Vec<DebateRow>> {
    let mut rows = Vec::new();
    for item in &state.items {
        let entry = state.manifest.ablation.as_ref().map(|about| &about.entry);
        let shown_entries = item.given.iter().flat_map(|given| &given.entries);
        let is_shown = shown_entries
            .map(|entry| &entry.id)
            .any(|id| Some(id) == entry);
        let item_arm = match is_shown {
            true => AblationArm::With,
            false => AblationArm::Without,
        };
        let Some(result) = state.finished.get(&item.item).filter(|_| item_arm == arm) else {
            continue;
        };
        let session = read_session(&layout.session_path(result.session.as_str())?)?;
        if let Some(mut row) = debate_row(&result.session, &session) {
            row.topic = RowTopic::from_name(&format!("replicate {}", item.rollout));
            row.arm = arm.arm_name().to_owned();
            rows.push(row);
        }
    }
    Ok(rows)
}
