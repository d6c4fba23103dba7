//! Contexts of a prompt comparison: recorded turns, or fresh debates on topics.

use super::event::{AbContext, ContextKind, VerdictTruth};
use crate::engine::{DebateInputs, SeatedGame};
use crate::experiments::prompt_trial::{
    DerivationPlace, GuardPlace, LessonPlace, TriedCall, VerdictPlace, list_guard_places,
    list_lesson_places, side_of,
};
use elenchus_game::debate::event::{MemoryUse, Player};
use elenchus_game::debate::seeded_random::seeded_number;
use elenchus_game::debate::{
    SeatId, SessionId, State, Target, Topic, TopicKey, TurnId, VerdictState,
};
use elenchus_game::prompt;
use elenchus_records::library::rubric_template;
use elenchus_records::workspace::pass::Pass;
use elenchus_records::workspace::prompts::is_asked_by;
use elenchus_records::workspace::{
    Result, Session, StoreContext, WorkspaceError, read_session, reject,
};
use elenchus_store::Layout;
use std::collections::{BTreeMap, BTreeSet};

/// Which recorded turns two prompts are compared on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnFilter {
    pub sessions: Vec<SessionId>,
    /// What sessions call the template: only turns that it was asked by.
    pub template: String,
    /// Only these seats, where there are any.
    pub seat: Option<String>,
    pub round: Option<u32>,
    /// So many of them, drawn by the seed; all where left out.
    pub sample: Option<usize>,
    /// What verdicts are held against.
    pub truth: KnownTruth,
}

/// What is known of what verdicts should say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum KnownTruth {
    /// What graders of the session found.
    #[default]
    Grader,
    /// Whether each of these is good.
    Named(VerdictTruth, BTreeMap<(SessionId, Target), bool>),
}

impl TurnFilter {
    /// Says what is found that is held against a truth.
    pub(super) fn scored_kind(&self) -> ContextKind {
        scored_kind(&self.template)
    }
}

/// Says what a template asks for that is held against a truth.
pub fn scored_kind(template: &str) -> ContextKind {
    match template == prompt::DECISION {
        true => ContextKind::GuardDecision,
        false => ContextKind::Verdict,
    }
}

impl KnownTruth {
    /// Says whether what a verdict or decision is about is good; `None` where that is not known, and of calls that
    /// nothing is held against.
    fn find(&self, session: &SessionId, state: &State, call: &TriedCall) -> Option<bool> {
        match (self, call) {
            (_, TriedCall::Turn(_) | TriedCall::Lesson(_) | TriedCall::Derivation(_)) => None,
            (Self::Grader, TriedCall::Verdict(place)) => place.find_truth(state),
            (Self::Grader, TriedCall::GuardDecision(place)) => place.find_truth(state),
            (Self::Named(_, truths), TriedCall::Verdict(place)) => {
                let find = |target: Target| truths.get(&(session.clone(), target)).copied();
                // What is known of the proposal that a decision is about is known of the decision.
                let decided = || Some(Target::Attempt(place.find_decided_proposal(state)?));
                find(place.target.clone()).or_else(|| find(decided()?))
            }
            (Self::Named(_, truths), TriedCall::GuardDecision(place)) => {
                let turns = place.list_turns(state).into_iter();
                let known = turns.filter_map(|turn| {
                    let target = Target::Attempt(turn);
                    truths.get(&(session.clone(), target)).copied()
                });
                GuardPlace::combine_sides(known)
            }
        }
    }

    /// Takes what a pass found: whether each thing that it judged is good.
    ///
    /// # Errors
    /// When it asked several rubrics, so that its findings have several meanings.
    pub fn from_pass(pass: &Pass) -> Result<Self> {
        let rubrics: BTreeSet<&str> = pass.verdicts.iter().map(|one| &*one.rubric).collect();
        if rubrics.len() > 1 {
            return reject(format!(
                "pass {} asked several rubrics: {}; hold verdicts against a pass of one",
                pass.manifest.pass,
                rubrics.into_iter().collect::<Vec<_>>().join(", ")
            ));
        }
        let mut sides: BTreeMap<(SessionId, Target), Option<bool>> = BTreeMap::new();
        for verdict in &pass.verdicts {
            let place = (verdict.session.clone(), verdict.target.clone());
            let side = side_of(verdict.outcome.clone());
            // Chairs or orders that disagree say nothing.
            let known = sides.entry(place).or_insert(side);
            *known = known.filter(|known| Some(*known) == side);
        }
        let sides = sides.into_iter();
        let sides = sides.filter_map(|(place, side)| Some((place, side?)));
        let source = VerdictTruth::Pass(pass.manifest.pass.clone());
        Ok(Self::Named(source, sides.collect()))
    }

    /// Says whether anything is known.
    pub fn is_known(&self) -> bool {
        match self {
            Self::Grader => true,
            Self::Named(_, truths) => !truths.is_empty(),
        }
    }

    /// Returns whose word it is.
    pub fn source(&self) -> VerdictTruth {
        match self {
            Self::Grader => VerdictTruth::Grader,
            Self::Named(source, _) => source.clone(),
        }
    }
}

/// What a filter found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundContexts {
    /// In an order fixed by the seed.
    pub contexts: Vec<AbContext>,
    /// Why sessions are left out.
    pub unreadable: Vec<String>,
    /// Verdicts and decisions of which nothing says what they should have been.
    pub without_truth: usize,
}

/// Finds the calls of a filter that models answered; of verdicts and decisions those of which it is known what they
/// should have been. Blocks.
pub fn find_contexts(layout: &Layout, filter: &TurnFilter, seed: u64) -> FoundContexts {
    let mut draws: Vec<(u64, AbContext)> = Vec::new();
    let (mut unreadable, mut without_truth) = (Vec::new(), 0);
    for session in &filter.sessions {
        let state = layout
            .session_path(session.as_str())
            .map_err(WorkspaceError::from)
            .and_then(|path| read_session(&path));
        let state = match state {
            Ok(state) => state,
            Err(error) => {
                unreadable.push(error.to_string());
                continue;
            }
        };
        let Some(created) = state.first_event() else {
            continue;
        };
        for call in list_calls(&state, filter) {
            let context = AbContext {
                session: session.clone(),
                truth: filter.truth.find(session, &state, &call),
                call: Some(call.clone()),
                topic: created.topic.id.clone(),
                topic_key: Some(created.topic.compute_key()),
            };
            if context.kind().has_truth() && context.truth.is_none() {
                without_truth += 1;
                continue;
            }
            let name = match &call {
                TriedCall::Verdict(place) => format!("{} {}", place.judging, place.target),
                TriedCall::Turn(_)
                | TriedCall::Lesson(_)
                | TriedCall::GuardDecision(_)
                | TriedCall::Derivation(_) => call.to_string(),
            };
            let drawn = seeded_number(seed, &["prompts ab", session.as_str(), &name]);
            draws.push((drawn, context));
        }
    }
    draws.sort_by_key(|(drawn, _)| *drawn);
    let mut contexts: Vec<AbContext> = draws.into_iter().map(|(_, context)| context).collect();
    contexts.truncate(filter.sample.unwrap_or(usize::MAX));
    FoundContexts {
        contexts,
        unreadable,
        without_truth,
    }
}

/// Returns the calls that a filter's template asked for, of models that the session asked itself.
fn list_calls(state: &State, filter: &TurnFilter) -> Vec<TriedCall> {
    let verdicts = list_verdicts(state, filter).into_iter();
    let decisions = list_guard_decisions(state, filter).into_iter();
    let lessons = list_lessons(state, filter).into_iter();
    let turns = list_turns(state, filter).into_iter();
    (verdicts.map(TriedCall::Verdict))
        .chain(decisions.map(TriedCall::GuardDecision))
        .chain(lessons.map(TriedCall::Lesson))
        .chain(find_derivation(state, filter).map(TriedCall::Derivation))
        .chain(turns.map(TriedCall::Turn))
        .collect()
}

fn list_turns(state: &State, filter: &TurnFilter) -> Vec<TurnId> {
    let turns = state.turns().keys().filter(|turn| {
        let created = state.first_event();
        let player = created.and_then(|created| created.player_of(&turn.chair));
        let is_own = state
            .chosen_attempt(turn)
            .is_some_and(|(_, attempt)| !attempt.inherited && attempt.guardrail.is_none());
        matches_filter(filter, turn)
            && is_asked_by(state, turn, &filter.template)
            && matches!(player, Some(Player::Model(_)))
            && is_own
    });
    turns.cloned().collect()
}

fn list_guard_decisions(state: &State, filter: &TurnFilter) -> Vec<GuardPlace> {
    // They are made before the first round.
    if filter.template != prompt::DECISION || filter.round.is_some() {
        return Vec::new();
    }
    let seat = filter.seat.as_deref();
    let mut places = list_guard_places(state);
    places.retain(|place| {
        seat.is_none_or(|seat| place.chair.seat.as_str() == seat)
            && place.find_own_decision(state).is_some()
    });
    places
}

fn find_derivation(state: &State, filter: &TurnFilter) -> Option<DerivationPlace> {
    let is_wanted = filter.template == prompt::DERIVATION && filter.round.is_none();
    let place =
        DerivationPlace::find(state).filter(|_| is_wanted && !state.is_lesson_inherited())?;
    let seat = filter.seat.as_deref();
    seat.is_none_or(|seat| place.chair.seat.as_str() == seat)
        .then_some(place)
}

fn list_lessons(state: &State, filter: &TurnFilter) -> Vec<LessonPlace> {
    let Some(protocol) = state.protocol() else {
        return Vec::new();
    };
    let mut places = list_lesson_places(state);
    places.retain(|place| {
        let rule = protocol.find_feedback(place.learner.as_ref());
        rule.is_some_and(|rule| {
            let seat = filter.seat.as_deref();
            rule.template_name() == filter.template
                && seat.is_none_or(|seat| rule.by.as_str() == seat)
        })
    });
    match filter.round.is_some() || state.is_lesson_inherited() {
        true => Vec::new(),
        false => places,
    }
}

/// Returns the verdicts of models that a filter's template asked for.
fn list_verdicts(state: &State, filter: &TurnFilter) -> Vec<VerdictPlace> {
    let Some(created) = state.first_event() else {
        return Vec::new();
    };
    let rules = created.protocol.judging.iter().filter(|rule| {
        let template = rule.rubric.as_deref().map(rubric_template);
        let is_its = template.as_ref() == Some(&filter.template);
        let seat = filter.seat.as_deref();
        let is_seat = |by: &SeatId| seat.is_none_or(|seat| by.as_str() == seat);
        rule.enabled && is_its && rule.has_judge() && rule.by.as_ref().is_some_and(is_seat)
    });
    let places = rules.flat_map(|rule| {
        let targets = state.targets_of(rule).into_iter();
        targets
            .filter(|target| {
                let round = match target {
                    Target::Attempt(id) => Some(id.turn.round),
                    Target::Round(round) => Some(*round),
                    Target::Debate => None,
                };
                let verdicts = state.verdicts_on(&rule.id, target);
                let is_model =
                    |verdict: &VerdictState| verdict.view.is_some() && !verdict.inherited;
                filter.round.is_none_or(|wanted| round == Some(wanted))
                    && verdicts.is_some_and(|all| all.values().all(|verdict| is_model(verdict)))
            })
            .map(|target| VerdictPlace {
                judging: rule.id.clone(),
                target,
            })
    });
    places.collect()
}

fn matches_filter(filter: &TurnFilter, turn: &TurnId) -> bool {
    let seat = filter.seat.as_ref();
    seat.is_none_or(|seat| turn.chair.seat.as_str() == seat)
        && filter.round.is_none_or(|round| turn.round == round)
}

/// Begins a debate for each topic in the store of tries: what is drawn of each belongs to both
/// prompts. No model is asked.
///
/// # Errors
/// When a topic does not fit the game, or the disk refuses.
pub async fn create_fresh_contexts(
    store_context: &StoreContext,
    party: &SeatedGame,
    topics: Vec<Topic>,
    seed: u64,
) -> Result<Vec<AbContext>> {
    let store = store_context.layout.tries_store();
    store.create_missing_folders()?;
    let mut contexts = Vec::with_capacity(topics.len());
    for topic in topics {
        let (topic_id, topic_key) = (topic.id.clone(), topic.compute_key());
        let debate = DebateInputs {
            topic,
            seed,
            // Both prompts start from nothing, and long-term memory learns nothing from a trial.
            memory: MemoryUse::default(),
        };
        let created =
            party.build_first_event(&store_context.layout, store_context.clock, debate)?;
        let session = created.session.clone();
        let (at, game) = (store_context.clock.now(), party.game.clone());
        Session::create(&store, &store_context.journals(), game, created, at).await?;
        contexts.push(AbContext {
            session,
            call: None,
            truth: None,
            topic: topic_id,
            topic_key: Some(topic_key),
        });
    }
    contexts.sort_by_key(|context| seeded_number(seed, &["prompts ab", &context.topic]));
    Ok(contexts)
}

/// Groups contexts by topic, topics in an order drawn by the seed.
pub(super) fn group_contexts(contexts: Vec<AbContext>, seed: u64) -> Vec<AbContext> {
    let mut topics: BTreeMap<Option<TopicKey>, Vec<AbContext>> = BTreeMap::new();
    for context in contexts {
        let group = topics.entry(context.topic_key.clone()).or_default();
        group.push(context);
    }
    let mut topics: Vec<Vec<AbContext>> = topics.into_values().collect();
    topics.sort_by_cached_key(|of| {
        let first = of.iter().map(|context| context.topic.as_str()).min();
        seeded_number(seed, &["prompts ab", "topics", first.unwrap_or_default()])
    });
    topics.into_iter().flatten().collect()
}
