//! Survey for a prompt comparison: the debates, seats and judges it can be made of, its turns and their cost.

use super::contexts::{KnownTruth, TurnFilter};
use super::estimate::estimate_ab;
use super::event::{AbContext, AbPlan, VerdictTruth};
use super::selection::{has_one_text, select_turns};
use crate::experiments::engine::ExperimentContext;
use crate::experiments::prompt_trial::is_template_judged;
use elenchus_game::debate::{CostEstimate, SessionId};
use elenchus_game::prompt::DECISION;
use elenchus_records::library::{Library, rubric_template};
use elenchus_records::workspace::prompts::PromptName;
use elenchus_records::workspace::{
    Result, SessionOverview, StoreIndex, list_overviews, list_sessions, read_session,
};
use elenchus_store::Layout;
use elenchus_text::format_grouped_count as counted;
use std::collections::{BTreeMap, BTreeSet};

/// Single debates that a comparison can be made on, the newest; older ones are found by their run.
const MAX_SINGLE: usize = 200;

/// Selection of turns and plan of a prompt comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct AbWish {
    pub sessions: Vec<SessionId>,
    /// Everything but the turns, which are to be found.
    pub plan: AbPlan,
    pub seat: Option<String>,
    pub round: Option<u32>,
    /// Number of turns, drawn by the seed; all where left out.
    pub turns: Option<usize>,
}

/// Debates, seats and judges that a prompt can be compared with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AbSurvey {
    /// All debates first, then runs, then single debates, the newest first.
    pub sources: Vec<AbSource>,
    /// Seats that use the prompt.
    pub seats: Vec<String>,
    /// Turns that the prompt asks for are judged themselves, not only what follows them.
    pub is_judged: bool,
    /// It asks for verdicts or for decisions about guardrails: each is a sample.
    pub is_of_verdicts: bool,
    /// What verdicts can be held against; whoever surveys fills them in.
    pub truths: Vec<TruthChoice>,
    /// Models that can be asked which reply is better.
    pub judges: Vec<String>,
    /// The ceiling that is configured, in US dollars.
    pub budget_usd: Option<f64>,
}

/// What verdicts can be held against, as it is chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruthChoice {
    pub truth: VerdictTruth,
    pub name: String,
}

/// Debates that turns are taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbSource {
    pub label: String,
    pub detail: String,
    pub sessions: Vec<SessionId>,
}

/// A comparison that could begin.
#[derive(Debug, Clone, PartialEq)]
pub struct AbPlanned {
    pub plan: AbPlan,
    pub topics: usize,
    /// Cost, or why it is unknown.
    pub estimate: Result<CostEstimate, String>,
    pub simulated: bool,
    /// A and B have the same words on every turn.
    pub is_one_text: bool,
    /// What its topics can show; `None` where that is not computed.
    pub power: Option<String>,
    /// Notices before it begins.
    pub notices: Vec<String>,
}

impl AbSurvey {
    /// Finds the debates and seats that a prompt can be compared on. Blocks.
    ///
    /// # Errors
    /// When the store or the prompt's game cannot be read.
    pub fn read(library: &Library, index: &StoreIndex, prompt: &PromptName) -> Result<Self> {
        let glances = list_overviews(index, &list_sessions(index.layout())?);
        let glances = glances.into_iter().flatten();
        let game_overviews = glances.filter(|glance| glance.summary.protocol == prompt.protocol);
        let game_overviews: Vec<SessionOverview> = game_overviews.collect();
        let (mut seats, mut is_judged, mut is_of_verdicts) = (BTreeSet::new(), false, false);
        for variant in library.read_variants(&prompt.protocol)? {
            let protocol = &variant.protocol;
            is_judged |= is_template_judged(protocol, &prompt.template);
            let rules = protocol.judging.iter();
            for rule in rules.filter(|rule| rule.enabled && rule.has_judge()) {
                let template = rule.rubric.as_deref().map(rubric_template);
                if template.as_ref() == Some(&prompt.template) {
                    is_of_verdicts = true;
                    seats.extend(rule.by.iter().map(ToString::to_string));
                }
            }
            if prompt.template == DECISION {
                let guarded = protocol.judged_chairs().into_iter();
                seats.extend(guarded.map(|chair| chair.seat.to_string()));
                is_of_verdicts = true;
            }
            for stage in protocol.stages.iter().filter(|stage| stage.enabled) {
                for seat in &stage.seats {
                    if protocol.template_name(stage, seat) == prompt.template {
                        seats.insert(seat.to_string());
                    }
                }
            }
        }
        Ok(Self {
            sources: list_sources(&game_overviews),
            seats: seats.into_iter().collect(),
            is_judged: is_judged || is_of_verdicts,
            is_of_verdicts,
            ..Self::default()
        })
    }
}

/// Returns the debates that turns can be taken from; simulated ones are never pooled with others.
fn list_sources(glances: &[SessionOverview]) -> Vec<AbSource> {
    let mut sources = Vec::new();
    for simulated in [false, true] {
        let summaries = glances.iter().map(|glance| &glance.summary);
        let summaries = summaries.filter(|summary| summary.simulated == simulated);
        let sessions: Vec<SessionId> = summaries.map(|summary| summary.session.clone()).collect();
        if !sessions.is_empty() {
            let what = if simulated { "simulated" } else { "real" };
            sources.push(AbSource {
                label: format!("all {what} debates"),
                detail: format!("{} of this game", sessions.len()),
                sessions,
            });
        }
    }
    let mut runs: Vec<(String, Vec<SessionId>)> = Vec::new();
    for summary in glances.iter().map(|glance| &glance.summary) {
        let Some(run) = summary.run.as_ref().map(ToString::to_string) else {
            continue;
        };
        match runs.iter_mut().find(|(known, _)| *known == run) {
            Some((_, sessions)) => sessions.push(summary.session.clone()),
            None => runs.push((run, vec![summary.session.clone()])),
        }
    }
    sources.extend(runs.into_iter().map(|(run, sessions)| AbSource {
        label: format!("run {run}"),
        detail: counted(sessions.len(), "debate"),
        sessions,
    }));
    let single = glances.iter().take(MAX_SINGLE);
    sources.extend(single.map(|glance| AbSource {
        label: format!("debate {}", glance.summary.session),
        detail: glance.summary.topic.clone(),
        sessions: vec![glance.summary.session.clone()],
    }));
    sources
}

impl AbWish {
    /// Finds the turns of the comparison, its verdicts held against what is known, and what it costs. Blocks.
    ///
    /// # Errors
    /// When a session cannot be read, or its models cannot be asked.
    pub fn plan_comparison(
        &self,
        context: &ExperimentContext,
        truth: KnownTruth,
    ) -> Result<AbPlanned> {
        let source = truth.source();
        let filter = TurnFilter {
            sessions: self.sessions.clone(),
            template: self.plan.template.clone(),
            seat: self.seat.clone(),
            round: self.round,
            sample: self.turns,
            truth,
        };
        let limits = (self.plan.seed, self.plan.ceilings.cost_usd);
        let turns = select_turns(&context.store.layout, &context.seats, &filter, limits)?;
        let notices = turns.list_notices();
        let contexts = turns.contexts;
        let hash_topics = count_hash_topics(&context.store.layout, &contexts)?;
        let pooled = (hash_topics > 0).then(|| describe_hash_topics(hash_topics));
        let plan = AbPlan {
            contexts,
            truth: source,
            ..self.plan.clone()
        };
        let estimate = estimate_ab(context, &plan).map_err(|error| error.to_string());
        let is_one_text = has_one_text(&context.store.layout, &plan)?;
        Ok(AbPlanned {
            estimate,
            topics: plan.count_topics(),
            power: plan.describe_power(),
            plan,
            simulated: turns.simulated,
            is_one_text,
            notices: pooled.into_iter().chain(notices).collect(),
        })
    }
}

/// Counts the topics of turns that only a comparison of hashes can judge. Blocks while it reads their sessions.
fn count_hash_topics(layout: &Layout, contexts: &[AbContext]) -> Result<usize> {
    let sessions: BTreeMap<&SessionId, _> = (contexts.iter())
        .map(|context| (&context.session, &context.topic_key))
        .collect();
    let mut topics = BTreeSet::new();
    for (session, topic) in sessions {
        let state = read_session(&layout.session_path(session.as_str())?)?;
        let needs_hash = (state.first_event()).is_some_and(|begun| begun.topic.needs_hash_check);
        if needs_hash {
            topics.insert(topic);
        }
    }
    Ok(topics.len())
}

fn describe_hash_topics(topics: usize) -> String {
    format!(
        "{} to be judged by a comparison of hashes alone (HarmBench's copyright behaviours), counted with the \
         others here",
        counted(topics, "topic")
    )
}
