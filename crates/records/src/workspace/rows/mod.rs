//! Rows that metrics read: the state of a debate, flattened.

mod by_pass;
mod conclusion;
mod evaluators;
mod first_look;
mod found;
pub mod inspect;
mod journal_row;
mod judged;
mod origin;
mod pass_decisions;
mod reader;
mod replaced;
mod served;
mod session_rows;
mod table;
mod topic_texts;
pub mod training;

use super::StoreIndex;
use super::error::{Result, reject};
use super::memory::memory_of_arm;
use super::run::RunFacts;
use super::sources::missing_among;
use super::whole_runs::WholeRuns;
use crate::library::ModelFamilies;
pub use by_pass::{NotOfPass, PassFindings};
pub use conclusion::{DebateConclusion, find_conclusion, find_decided_proposal};
use elenchus_game::debate::event::{
    Created, FailureKind, Finish, ModelPlayer, Outcome, Player, UNSTATED_FINISH, UnparsedCause,
};
use elenchus_game::debate::ids::{Chair, SeatId, SessionId, StageId, TurnId};
use elenchus_game::debate::protocol::{
    GraderVersion, JudgedThing, Judging, MeasuredProperty, SeatKind,
};
use elenchus_game::debate::step::{EndReason, StepId, Target};
use elenchus_game::debate::{
    Attempt, AttemptId, GuardDecision, Protocol, RunId, State, visibility,
};
use elenchus_game::judge::Rubric;
use elenchus_metrics::{
    DebateOrigin, DebateOutcome as RowOutcome, DebateRow, EvaluatorError, GuardOutcome, GuardRow,
    LessonOutcome, ReplyEnd, RowTopic, RunProgress, TextHash, TurnRow, TurnSafety, UnfinishedRuns,
    UsageRow,
};
use elenchus_model::{FinishClass, SimSettings};
use elenchus_store::Hash;
pub use evaluators::own_evaluator;
pub use first_look::{FirstLook, LookedAt, UnsafeTurn, first_of_run, first_of_session};
pub use found::{Found, FoundDebate, FoundSession, FoundTurn, SessionFindings, session_findings};
use jiff::Timestamp;
pub use journal_row::{JournalRow, journal_rows};
pub use judged::last_grade;
use judged::{
    concluded_right, find_correctness, find_decision, find_pick, grader_of, has_conclusion_rule,
    list_findings, list_gauges, missing_answer, no_answer,
};
pub use origin::{TrainingFault, find_training_fault};
pub use reader::{RowReader, tell_apart};
pub use replaced::{REPLACED_BASE, ReplacedRows};
pub use session_rows::{RowSelection, SessionRows};
use std::collections::{BTreeMap, BTreeSet};
pub use table::{DebateTable, TurnTable};
pub use topic_texts::topic_texts;

/// Begins where the lines of a chair come from that says again what was said in a run.
pub const REPEATED_RUN: &str = "run ";

/// Returns the row of a debate; `None` while it can go on and nothing has failed: what it would
/// have been is not known yet.
///
/// Judges that judge their own family are left out: [`row_with_self_judging`] adds them.
pub fn debate_row(session: &SessionId, state: &State) -> Option<DebateRow> {
    let created = state.first_event()?;
    let protocol = &created.protocol;
    let opening = state.find_open_steps();
    // A turn that failed and was not asked for again has left nothing but its failure.
    let failed_turns = state.failures().keys().filter_map(StepId::turn);
    let known_turns = state.turns().keys().cloned();
    let turn_ids: BTreeSet<TurnId> = known_turns.chain(failed_turns).collect();
    let mut turn_rows: Vec<TurnRow> = turn_ids
        .iter()
        .filter_map(|turn| turn_row(state, created, turn))
        .collect();
    turn_rows.sort_by_key(|turn| {
        let stage = protocol.stage_place(&turn.stage.as_str().into());
        (turn.round, stage, turn.seat.clone(), turn.index)
    });
    let outcome = match opening.done {
        Some(EndReason::Complete | EndReason::Stopped { .. }) => RowOutcome::Complete,
        Some(EndReason::Truncated(_)) => RowOutcome::Truncated,
        None => RowOutcome::Failed(state.failures().values().next()?.message.clone()),
    };
    Some(DebateRow {
        turns_in_game: None,
        undecided_proposal: None,
        session: session.to_string(),
        topic: RowTopic::from_topic(&created.topic),
        protocol: protocol.id.clone(),
        arm: arm_name(state, created),
        checkpoint: describe_checkpoint(created),
        category: created.topic.category.clone(),
        hash_check: created.topic.needs_hash_check,
        simulated: created.is_simulated(),
        fork: !state.forked_from().is_empty(),
        rounds: turn_rows.iter().map(|turn| turn.round).max().unwrap_or(0),
        decision: find_decision(state, created),
        rewards: list_rewards(state, created)
            .into_iter()
            .map(|(chair, reward)| (chair.seat.to_string(), reward))
            .collect(),
        usage: sum_usage(state),
        rollout: created.run.as_ref().map_or(0, |place| place.rollout),
        outcome,
        evaluator: simulated_evaluator(created),
        gauges: list_gauges(state),
        guards: guard_rows(state, created),
        expected_safe: created.topic.expected.as_deref() == Some("safe"),
        findings: list_findings(state, created),
        pick: find_pick(state, created),
        concluded_right: concluded_right(state, created),
        concludes: has_conclusion_rule(created),
        self_judging: Vec::new(),
        lesson: lesson_outcome(state),
        served: served::count_served_calls(state, created),
        origin: DebateOrigin::default(),
        players: origin::hash_players(created),
        turns: turn_rows,
    })
}

/// Returns what became of each guarded chair; none where guardrails were never looked up.
fn guard_rows(state: &State, created: &Created) -> Vec<GuardRow> {
    let Some(near) = state.retrieved_guards() else {
        return Vec::new();
    };
    let chairs = created.guarded_chairs().into_iter();
    let rows = chairs.filter_map(|chair| {
        let guard_state = state.guard_states().get(&chair);
        let outcome = match guard_state.map(|decided| &decided.decided) {
            None if near.candidates.is_empty() => GuardOutcome::NothingNear,
            None => return None,
            Some(Err(failed)) if failed.kind == FailureKind::Filtered => GuardOutcome::Filtered,
            Some(Err(_)) => GuardOutcome::Failed,
            Some(Ok(guarded)) => match &guarded.decision {
                GuardDecision::Matched { .. } => GuardOutcome::Matched,
                GuardDecision::NoMatch => GuardOutcome::NoMatch,
                GuardDecision::Unparsed {
                    cause: Some(UnparsedCause::Material),
                    ..
                } => GuardOutcome::UnparsedOfMaterial,
                GuardDecision::Unparsed { cause: None, .. } => GuardOutcome::Unparsed,
            },
        };
        Some(GuardRow {
            seat: chair.seat.to_string(),
            index: chair.index,
            model: created.player_of(&chair)?.as_model()?.model.clone(),
            found: outcome,
            inherited: guard_state.is_some_and(|decided| decided.inherited),
        })
    });
    rows.collect()
}

/// Returns what became of a debate's own lesson.
fn lesson_outcome(state: &State) -> Option<LessonOutcome> {
    if state.is_lesson_inherited() {
        return None;
    }
    if state.is_lesson_filtered() {
        return Some(LessonOutcome::Filtered);
    }
    if state.lesson().is_some() {
        return Some(LessonOutcome::Written);
    }
    let rules = state
        .protocol()
        .into_iter()
        .flat_map(|protocol| &protocol.feedback);
    let has_failed = rules.into_iter().any(|rule| {
        let step = StepId::feedback_step(rule.learner.as_ref());
        state.failures().contains_key(&step)
    });
    has_failed.then_some(LessonOutcome::Failed)
}

/// Returns what each chair earned; nothing while a rule that pays for the debate as a whole has found
/// no label, for then the penalties of other rules are no reward of the game.
fn list_rewards(state: &State, created: &Created) -> Vec<(Chair, f64)> {
    let protocol = &created.protocol;
    let unpaid = protocol.rewards.keys().any(|id| {
        let rule = protocol.find_judging(id);
        let rule = rule.filter(|rule| rule.enabled && rule.of == JudgedThing::Debate);
        rule.is_some_and(|rule| {
            let outcome = state.combined_outcome(rule, &Target::Debate);
            !matches!(outcome, Some(Outcome::Label(_)))
        })
    });
    if unpaid {
        return Vec::new();
    }
    state.compute_rewards()
}

/// Returns the row of a debate, as [`debate_row`] does, with the judges that share a model or a family with
/// a seat they judge.
pub fn row_with_self_judging(
    families: &ModelFamilies,
    session: &SessionId,
    state: &State,
) -> Option<DebateRow> {
    let created = state.first_event()?;
    let pairs = families.self_judging(&created.protocol, &created.cast);
    Some(DebateRow {
        self_judging: pairs.iter().map(ToString::to_string).collect(),
        ..debate_row(session, state)?
    })
}

/// Names what distinguishes the debates of one arm from others: protocol, settings, cast, what of
/// long-term memory was used, and what models were asked otherwise than configured.
pub fn arm_name(state: &State, created: &Created) -> String {
    let settings = created.changed_settings();
    let models = created.cast.iter();
    let models: Vec<String> = models
        .map(|participant| format!("{}={}", participant.chair, player_name(&participant.player)))
        .collect();
    let mut name = created.protocol.id.clone();
    for part in [settings.join(","), models.join(",")] {
        if !part.is_empty() {
            name.push(' ');
            name.push_str(&part);
        }
    }
    if created
        .protocol
        .judging
        .iter()
        .any(is_graded_in_normal_form)
    {
        name.push_str(" grader=2");
    }
    name.push_str(&describe_asked_graders(&created.protocol));
    name + &describe_trained_models(created)
        + &describe_constraints(created)
        + &memory_of_arm(state, created)
        + &served::asked_of_arm(state, created)
}

/// Names what speakers' models were trained on elsewhere; empty where none says that.
fn describe_trained_models(created: &Created) -> String {
    let models = created.cast.iter().filter_map(|one| one.player.as_model());
    let trainings: BTreeSet<&str> = models.filter_map(origin::trained_elsewhere).collect();
    match trainings.is_empty() {
        true => String::new(),
        false => {
            let trainings: Vec<&str> = trainings.into_iter().collect();
            format!(" trained-on={}", trainings.join(","))
        }
    }
}

/// Names what judges' replies are held to; empty where nothing is.
fn describe_constraints(created: &Created) -> String {
    let rules = created.protocol.judging.iter().filter(|rule| rule.enabled);
    let rubrics: BTreeSet<&str> = rules.filter_map(|rule| rule.rubric.as_deref()).collect();
    let constraints = rubrics.into_iter().filter_map(|name| {
        let text = created.rubrics.get(name)?;
        // Few rubrics have one: the others are not read for it.
        let read = text
            .contains("constrain")
            .then(|| Rubric::parse(name, text));
        Some((name, read?.ok()?.constrain?))
    });
    let parts: Vec<String> = constraints
        .map(|(name, held_to)| format!("{name}:{}", held_to.name()))
        .collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!(" constrain={}", parts.join(",")),
    }
}

/// Sessions that name no version of their grader keep the name of their arm.
fn is_graded_in_normal_form(rule: &Judging) -> bool {
    let version = match rule.grader_version {
        GraderVersion::First => false,
        GraderVersion::NormalForm => true,
    };
    rule.enabled && rule.grader.is_some() && version
}

/// Names whom graders ask besides their rules of comparison; empty where they ask nobody. Models stand among the
/// players.
fn describe_asked_graders(protocol: &Protocol) -> String {
    let asked = protocol
        .judging
        .iter()
        .filter(|rule| rule.enabled && rule.grades.is_some());
    let names: Vec<&str> = asked
        .filter_map(|rule| rule.command.as_deref().or(rule.rubric.as_deref()))
        .collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(" grader-asks={}", names.join(",")),
    }
}

/// Names who sits on a chair.
fn player_name(player: &Player) -> String {
    match player {
        Player::Model(model) => model.model.clone(),
        Player::Human { .. } => "human".to_owned(),
        Player::Fixed(fixed) => format!("fixed:{}", fixed.from),
    }
}

/// The versions of the speakers' models, for curves over training.
///
/// Speakers of one version share its name; where they differ each chair is named with its own.
fn describe_checkpoint(created: &Created) -> Option<String> {
    let speakers = created.cast.iter().filter(|participant| {
        let seat = created.protocol.find_seat(&participant.chair.seat);
        seat.is_some_and(|seat| seat.kind == SeatKind::Speaker)
    });
    let judged = created.protocol.judged_chairs();
    let versions: Vec<(&Chair, String)> = speakers
        .filter_map(|one| {
            let model = one.player.as_model()?;
            let generation = created.memory.continuous.map(|memory| memory.generation);
            let generation = generation.filter(|_| judged.contains(&one.chair));
            let trained = generation.map(|generation| format!("generation {generation}"));
            let parts: Vec<String> = model.version.iter().cloned().chain(trained).collect();
            (!parts.is_empty()).then(|| (&one.chair, parts.join(", ")))
        })
        .collect();
    let distinct: BTreeSet<&str> = versions
        .iter()
        .map(|(_, version)| version.as_str())
        .collect();
    let mut all = distinct.iter();
    match (all.next(), all.next()) {
        (None, _) => None,
        (Some(version), None) => Some((*version).to_owned()),
        (Some(_), Some(_)) => {
            let names = versions.iter();
            let names: Vec<String> = names
                .map(|(chair, version)| format!("{chair}={version}"))
                .collect();
            Some(names.join(" "))
        }
    }
}

/// A simulated evaluator's error is known.
fn simulated_evaluator(created: &Created) -> Option<EvaluatorError> {
    let evaluators = created.cast.iter().filter(|participant| {
        let seat = created.protocol.find_seat(&participant.chair.seat);
        seat.is_some_and(|seat| seat.kind == SeatKind::Evaluator)
    });
    let mut errors = evaluators.map(|participant| error_of(participant.player.as_model()?));
    let first = errors.next()??;
    // Several evaluators vote: their joint error is not that of one.
    errors.next().is_none().then_some(first)
}

/// Returns how often a simulated evaluator errs, which is set; `None` for any other.
pub(super) fn error_of(model: &ModelPlayer) -> Option<EvaluatorError> {
    let settings = model.settings.get("sim").filter(|_| model.simulated)?;
    let sim: SimSettings = serde_json::from_value(settings.clone()).ok()?;
    EvaluatorError::new(sim.evaluator_sensitivity, sim.evaluator_specificity).ok()
}

fn turn_row(state: &State, created: &Created, turn: &TurnId) -> Option<TurnRow> {
    let protocol = &created.protocol;
    if protocol
        .find_stage(&turn.stage)
        .is_none_or(|stage| stage.private)
    {
        return None;
    }
    let judging = safety_judging(created, turn);
    let choice = state.chosen_attempt(turn);
    let is_filtered = state.turns().get(turn).is_some_and(|known| known.filtered);
    let missing_answer = missing_answer(state, created, turn);
    if choice.is_none() && judging.is_none() && !is_filtered && missing_answer.is_none() {
        // Nobody would have judged or graded it, and there is nothing to measure.
        return None;
    }
    let attempt = choice.as_ref().map(|(_, attempt)| *attempt);
    let safety_state = choice.as_ref().map(|(id, _)| match judging {
        Some(_) if attempt.is_some_and(|attempt| attempt.guardrail.is_some()) => {
            TurnSafety::RefusedByGuardrail
        }
        Some(_) if attempt.is_some_and(Attempt::is_empty_reply) => TurnSafety::Empty,
        Some(judging) => turn_safety(state, judging, id),
        None => TurnSafety::Context,
    });
    Some(TurnRow {
        seat: turn.chair.seat.to_string(),
        index: turn.chair.index,
        round: turn.round,
        stage: turn.stage.to_string(),
        state: safety_state.unwrap_or(match (is_filtered, judging) {
            (true, Some(_)) => TurnSafety::Filtered,
            (false, Some(_)) => TurnSafety::Failed,
            (_, None) => TurnSafety::Context,
        }),
        filtered: is_filtered,
        end: attempt.map_or_else(ReplyEnd::default, reply_end),
        unknown_mark: attempt.is_some_and(|attempt| attempt.reply.unknown_mark.is_some()),
        by_person: attempt.is_some_and(Attempt::is_persons_choice),
        inherited: attempt.is_some_and(|attempt| attempt.inherited),
        chars: attempt.map_or(0, |attempt| attempt.reply.text.chars().count()),
        model: created.player_of(&turn.chair).map(player_name),
        is_sample: protocol.is_sample(turn),
        cut_by_length: attempt.is_some_and(|attempt| attempt.reply.finish == Finish::Length),
        correct: choice.as_ref().and_then(|(id, attempt)| {
            // What a guardrail refused is graded by nobody, and holds no right answer.
            let is_refusal = attempt.guardrail.is_some() && created.topic.reference.is_some();
            match is_refusal && grader_of(protocol, turn).is_some() {
                true => Some(false),
                false => find_correctness(state, created, id),
            }
        }),
        missing_answer,
        no_answer: choice
            .as_ref()
            .and_then(|(id, _)| no_answer(state, created, id)),
        latency_ms: attempt.map(|attempt| attempt.reply.latency_ms),
        text: attempt.map(|attempt| text_hash(&attempt.reply.text)),
        repeats_run: created.player_of(&turn.chair).and_then(find_repeated_run),
    })
}

fn text_hash(text: &str) -> TextHash {
    let [a, b, c, d, e, f, g, h, ..] = *Hash::digest(text.as_bytes()).as_bytes();
    TextHash(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
}

/// Returns the run whose turns a player says again.
fn find_repeated_run(player: &Player) -> Option<String> {
    match player {
        Player::Fixed(fixed) => {
            let run = fixed.from.strip_prefix(REPEATED_RUN)?;
            // The rollout that is repeated may follow.
            Some(run.split(',').next().unwrap_or(run).to_owned())
        }
        Player::Model(_) | Player::Human { .. } => None,
    }
}

/// Returns how a reply ended, the token limit aside.
fn reply_end(attempt: &Attempt) -> ReplyEnd {
    match &attempt.reply.finish {
        // Its provider gives no reasons.
        Finish::Other(reason) if reason == UNSTATED_FINISH => ReplyEnd::Normal,
        Finish::Other(reason) => match FinishClass::from_reason(reason) {
            FinishClass::ToolCall => ReplyEnd::ToolCall,
            _ => ReplyEnd::Odd,
        },
        Finish::Stop | Finish::Length => ReplyEnd::Normal,
    }
}

/// Returns the rule by which evaluators judge the safety of a turn.
pub fn safety_judging<'a>(created: &'a Created, turn: &TurnId) -> Option<&'a Judging> {
    let protocol = &created.protocol;
    let judging = protocol.judging.iter().find(|judging| {
        judging.enabled
            && judging.of == JudgedThing::Turn
            && judging.has_judge()
            && visibility::is_target(protocol, judging, turn)
    });
    judging.filter(|_| protocol.measures == MeasuredProperty::Safety)
}

/// Returns the evaluators' finding on an attempt.
fn turn_safety(state: &State, judging: &Judging, id: &AttemptId) -> TurnSafety {
    let target = Target::Attempt(id.clone());
    match state.combined_outcome(judging, &target) {
        Some(Outcome::Label(finding)) if finding.value > 0.0 => TurnSafety::Safe,
        Some(Outcome::Label(finding)) if finding.value < 0.0 => TurnSafety::Unsafe,
        Some(Outcome::Label(_)) => TurnSafety::Neither,
        Some(Outcome::Unparsed {
            cause: Some(UnparsedCause::Material),
            ..
        }) => TurnSafety::UnparsedOfMaterial,
        Some(Outcome::Unparsed { .. }) => TurnSafety::Unparsed,
        None if state.is_verdict_filtered(&judging.id, &target) => TurnSafety::VerdictFiltered,
        None => TurnSafety::NotJudged,
    }
}

fn sum_usage(state: &State) -> UsageRow {
    let spend = state.spend();
    let likely = state
        .first_event()
        .and_then(|created| Some(created.estimate?.likely));
    let (first, last) = state.time_span();
    let wall_ms = first
        .parse::<Timestamp>()
        .and_then(|first| Ok((first, last.parse::<Timestamp>()?)))
        .map_or(0, |(first, last)| {
            last.as_millisecond() - first.as_millisecond()
        });
    UsageRow {
        calls: spend.calls,
        input_tokens: spend.input_tokens,
        output_tokens: spend.output_tokens,
        cost_usd: (spend.unpriced_calls == 0).then_some(spend.cost_usd),
        wall_ms: u64::try_from(wall_ms).unwrap_or(0),
        critical_path_ms: critical_path_ms(state),
        estimated_usd: likely.and_then(|likely| likely.cost_usd),
        estimated_tokens: likely.map(|likely| likely.total_tokens()),
    }
}

/// The longest chain of calls in which each waited for the one before.
///
/// A turn waits for the turns it sees; a verdict for its target; the lesson for everything.
pub fn critical_path_ms(state: &State) -> u64 {
    let Some(protocol) = state.protocol() else {
        return 0;
    };
    let guard_latency = |turn: &TurnId| {
        let state = state.guard_states().get(&turn.chair)?;
        Some(state.decided.as_ref().ok()?.reply.latency_ms)
    };
    let mut ends: BTreeMap<&TurnId, u64> = BTreeMap::new();
    let mut turns: Vec<&TurnId> = state.turns().keys().collect();
    turns.sort_by_key(|turn| (turn.round, protocol.stage_place(&turn.stage)));
    for turn in turns {
        let Some(stage) = protocol.find_stage(&turn.stage) else {
            continue;
        };
        let reader = visibility::ReaderPosition::from_spoken_turn(protocol, turn);
        let mut awaited_turns = visibility::find_visible_turns(protocol, &stage.sees, reader);
        awaited_turns.extend(visibility::find_private_turns(
            protocol,
            &stage.sees,
            reader,
        ));
        let begin = awaited_turns.iter().filter_map(|seen| ends.get(seen)).max();
        let own: u64 = state.turns().get(turn).map_or(0, |known| {
            known.attempts.iter().map(|a| a.reply.latency_ms).sum()
        });
        // A chair decides on guardrails before it speaks.
        let begin = begin.copied().or_else(|| guard_latency(turn)).unwrap_or(0);
        ends.insert(turn, begin + own);
    }
    let speech_end = ends.values().copied().max().unwrap_or(0);
    let judging_end = state
        .verdicts()
        .flat_map(|(_, target, by_chair)| {
            let begin = match target {
                Target::Attempt(id) => ends.get(&id.turn).copied().unwrap_or(speech_end),
                Target::Round(_) | Target::Debate => speech_end,
            };
            by_chair.values().map(move |last| {
                // A judge that is asked to repair its reply is asked after it has replied.
                let tries = last.earlier.iter().chain([&**last]);
                let replies = tries.filter_map(|verdict| verdict.reply.as_ref());
                begin + replies.map(|reply| reply.latency_ms).sum::<u64>()
            })
        })
        .max()
        .unwrap_or(speech_end);
    // Lessons are written side by side.
    let lessons = state.lessons().map(|lesson| lesson.reply.latency_ms);
    judging_end.max(speech_end) + lessons.max().unwrap_or(0)
}

/// Returns the rows of a run's debates that came to an end or failed, with judges that judge their own family: what
/// was judged before a debate failed counts, and what is missing is left out by its turns. Journals are read where the
/// index does not know them as they are.
///
/// # Errors
/// When the run or one of its sessions cannot be read.
pub fn run_rows(
    index: &StoreIndex,
    run: &RunId,
    families: &ModelFamilies,
) -> Result<Vec<DebateRow>> {
    let layout = index.layout();
    let facts: RunFacts = index.get_or_derive(&layout.run_path(run.as_str())?)?;
    let (finished, failed) = match facts.shard {
        Some(_) => match WholeRuns::read(index)?.find_whole(run) {
            Some(whole) => whole.list_ended_sessions(),
            None => (facts.finished, facts.failed),
        },
        None => (facts.finished, facts.failed),
    };
    if let Some(missing) = missing_among(layout, finished.iter())?.first() {
        return reject(format!("run {run}: {missing}"));
    }
    let mut ended = finished;
    for failed in failed {
        if layout.session_path(failed.as_str())?.exists() {
            ended.push(failed);
        }
    }
    let mut reader = RowReader::new(index, families);
    let mut rows = Vec::new();
    for told in journal_rows(index, &ended) {
        rows.extend(reader.complete_row(told?)?);
    }
    tell_apart(&mut rows);
    Ok(rows)
}

/// Returns the runs of debates that are not over, with how far they are. What is said of a run that is gone is not
/// known, and nothing of it grows.
pub fn unfinished_runs(index: &StoreIndex, rows: &[DebateRow]) -> UnfinishedRuns {
    let runs: BTreeSet<&String> = rows
        .iter()
        .filter_map(|row| row.origin.run.as_ref())
        .collect();
    let mut wholes = None;
    let progress_by_run = runs.into_iter().filter_map(|run| {
        let facts: RunFacts = index
            .get_or_derive(&index.layout().run_path(run).ok()?)
            .ok()?;
        let (ended, planned) = match facts.shard {
            Some(_) => (wholes
                .get_or_insert_with(|| WholeRuns::read(index).unwrap_or_default())
                .find_whole(&RunId::new(run.as_str()))?)
            .count_ended(),
            None => (facts.ended, facts.planned),
        };
        let progress = RunProgress { ended, planned };
        (ended < planned).then(|| (run.clone(), progress))
    });
    progress_by_run.collect()
}

/// Returns the turn that a row is of.
fn turn_id(row: &TurnRow) -> TurnId {
    TurnId {
        round: row.round,
        stage: StageId::new(&row.stage),
        chair: Chair {
            seat: SeatId::new(&row.seat),
            index: row.index,
        },
    }
}
