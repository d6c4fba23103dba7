//! Decisions, picks, findings and gauges of a debate, as metrics read them.

use elenchus_game::debate::event::{Created, Fields, Outcome, UnparsedCause};
use elenchus_game::debate::ids::{Chair, JudgingId, StageId};
use elenchus_game::debate::protocol::{
    Detector, JudgedThing, Judging, MeasuredProperty, Orders, SeatKind, Stage, Take,
};
use elenchus_game::debate::state::{VerdictState, VerdictsBySlot};
use elenchus_game::debate::step::{ShownOrder, StepId, Target, VerdictSlot};
use elenchus_game::debate::{AttemptId, Protocol, State, TIE, TurnId, visibility};
use elenchus_game::judge::{FULL_REFUSAL, NoAnswer, PEER_OBJECTION_RUBRIC, REFUSAL_RUBRIC};
use elenchus_metrics::{
    Alert, DecisionLabel, DecisionRow, FindingRow, FindingTarget, GaugeKind, GaugeRow, JudgedBy,
    JudgingResult, MissingAnswer, OrdersRow, PickOutcome, PickRow, RulesFound,
};
use std::collections::BTreeSet;

/// The rubric by which a model finds what the detector of stances finds.
pub(super) const STANCE_RUBRIC: &str = "critic-stance";

/// Returns the judge's decision, with the ground truth on the proposal.
pub(super) fn find_decision(state: &State, created: &Created) -> Option<DecisionRow> {
    let protocol = &created.protocol;
    let judge = judge_of_debate(created, Orders::One);
    let label = match judge {
        Some(judging) if state.is_verdict_filtered(&judging.id, &Target::Debate) => {
            DecisionLabel::Filtered
        }
        Some(judging) => match state.combined_outcome(judging, &Target::Debate) {
            Some(found) => decision_label(&found),
            None if has_failed(state, &judging.id) => DecisionLabel::Failed,
            None => return None,
        },
        // Where one of two candidates is picked, no proposal is accepted or rejected.
        None if judge_of_debate(created, Orders::Both).is_some() => return None,
        None if protocol.measures == MeasuredProperty::Correctness => DecisionLabel::NoJudge,
        None => return None,
    };
    let last_grade = find_last_grade(state, created, |_| true);
    if judge.is_none() && last_grade.is_none() {
        return None;
    }
    let rewards = state.compute_rewards();
    let proposer = last_grade
        .as_ref()
        .map(|(turn, _)| &turn.chair)
        .or_else(|| {
            let has_judge = |chair: &&Chair| protocol.is_judged(&chair.seat);
            rewards.iter().map(|(chair, _)| chair).find(has_judge)
        });
    Some(DecisionRow {
        label,
        proposal_correct: last_grade.as_ref().map(|(_, correct)| *correct),
        proposer_reward: proposer.and_then(|chair| {
            let mut own_rewards = rewards.iter().filter(|(seat, _)| seat == chair);
            own_rewards.next().map(|(_, reward)| *reward)
        }),
        inherited: match (judge, &last_grade) {
            (Some(judging), _) => is_inherited(state, &judging.id, &Target::Debate),
            (None, Some((turn, _))) => {
                let choice = state.chosen_attempt(turn);
                choice.is_some_and(|(_, attempt)| attempt.inherited)
            }
            (None, None) => false,
        },
    })
}

/// Returns what the ground-truth grader found on an attempt.
pub(super) fn find_correctness(state: &State, created: &Created, id: &AttemptId) -> Option<bool> {
    let protocol = &created.protocol;
    let target = Target::Attempt(id.clone());
    if state.is_empty_target(&target) {
        return None;
    }
    let outcome = state.combined_outcome(grader_of(protocol, &id.turn)?, &target)?;
    Some(outcome.as_finding()?.value > 0.0)
}

/// Returns why nothing is known of the correctness of a turn that a grader is about.
pub(super) fn missing_answer(
    state: &State,
    created: &Created,
    turn: &TurnId,
) -> Option<MissingAnswer> {
    let rule = grader_of(&created.protocol, turn)?;
    created.topic.reference.as_ref()?;
    let Some((id, attempt)) = state.chosen_attempt(turn) else {
        let is_filtered = state.turns().get(turn).is_some_and(|turn| turn.filtered);
        return is_filtered.then_some(MissingAnswer::Filtered);
    };
    if attempt.is_empty_reply() {
        return Some(MissingAnswer::Empty);
    }
    match state.combined_outcome(rule, &Target::Attempt(id))? {
        Outcome::Unparsed { .. } => Some(MissingAnswer::Ungraded),
        Outcome::Label(_) => None,
    }
}

/// Returns the kind of an attempt that has a text and no final answer.
pub(super) fn no_answer(state: &State, created: &Created, id: &AttemptId) -> Option<NoAnswer> {
    let rule = grader_of(&created.protocol, &id.turn)?;
    let outcome = state.combined_outcome(rule, &Target::Attempt(id.clone()))?;
    NoAnswer::from_finding(outcome.as_finding()?)
}

/// Returns the rule by which a turn is graded against the ground truth.
pub(super) fn grader_of<'a>(protocol: &'a Protocol, turn: &TurnId) -> Option<&'a Judging> {
    protocol.judging.iter().find(|judging| {
        judging.enabled
            && judging.grader.is_some()
            && visibility::is_target(protocol, judging, turn)
    })
}

/// Says whether the call for a judgement of the debate failed.
fn has_failed(state: &State, judging: &JudgingId) -> bool {
    let mut failed_steps = state
        .failures()
        .keys()
        .filter_map(StepId::requested_verdict);
    failed_steps.any(|(id, _, target, _)| id == *judging && target == Target::Debate)
}

pub(super) fn decision_label(outcome: &Outcome) -> DecisionLabel {
    match outcome {
        Outcome::Label(finding) if finding.value > 0.0 => DecisionLabel::Accept,
        Outcome::Label(finding) if finding.value < 0.0 => DecisionLabel::Reject,
        Outcome::Label(_) => DecisionLabel::Middle,
        Outcome::Unparsed {
            cause: Some(UnparsedCause::Material),
            ..
        } => DecisionLabel::UnparsedOfMaterial,
        Outcome::Unparsed { cause: None, .. } => DecisionLabel::Unparsed,
    }
}

/// Returns the first rule by which a judge decides the debate; other rules about the debate come
/// after it in a protocol.
fn judge_of_debate(created: &Created, orders: Orders) -> Option<&Judging> {
    created.protocol.judging.iter().find(|judging| {
        judging.enabled
            && judging.by.is_some()
            && judging.of == JudgedThing::Debate
            && judging.orders == orders
    })
}

/// Returns the rule by which a judge decides the debate or picks one of two candidates.
pub(super) fn deciding_rule(created: &Created) -> Option<&Judging> {
    let rule = judge_of_debate(created, Orders::One);
    rule.or_else(|| judge_of_debate(created, Orders::Both))
}

/// Returns the rule by which a judge decides the debate, with the sign of the label that the reference answer
/// calls for; `None` where it calls for none, or nothing was graded.
pub(super) fn find_right_decision<'a>(
    state: &State,
    created: &'a Created,
) -> Option<(&'a Judging, f64)> {
    let sign = |holds: bool| if holds { 1.0 } else { -1.0 };
    if let Some(rule) = judge_of_debate(created, Orders::One) {
        let (_, correct) = find_last_grade(state, created, |_| true)?;
        return Some((rule, sign(correct)));
    }
    let rule = judge_of_debate(created, Orders::Both)?;
    let (first, second) = grade_candidates(state, created)?;
    let (first, second) = (first?, second?);
    (first != second).then(|| (rule, sign(first)))
}

/// Returns the last graded turn of some chairs, by the protocol's first grader of turns: what
/// later rules grade besides (a rebuttal's answer) is no proposal.
fn find_last_grade(
    state: &State,
    created: &Created,
    of: impl Fn(&Chair) -> bool,
) -> Option<(TurnId, bool)> {
    let protocol = &created.protocol;
    let rule = protocol.find_proposal_rule()?;
    state
        .turns()
        .keys()
        .filter(|turn| of(&turn.chair) && visibility::is_target(protocol, rule, turn))
        .filter_map(|turn| {
            let (id, _) = state.chosen_attempt(turn)?;
            Some((turn.clone(), find_correctness(state, created, &id)?))
        })
        .max_by_key(|(turn, _)| (turn.round, protocol.stage_place(&turn.stage)))
}

/// Says whether the last graded proposal of a debate is correct; `None` where none was graded.
pub fn last_grade(state: &State, created: &Created) -> Option<bool> {
    Some(find_last_grade(state, created, |_| true)?.1)
}

/// Returns which of two candidates the judge picked.
///
/// A label's sign says which candidate it is for: positive for the one that is seated first.
pub(super) fn find_pick(state: &State, created: &Created) -> Option<PickRow> {
    let judging = judge_of_debate(created, Orders::Both)?;
    let outcome = state.combined_outcome(judging, &Target::Debate);
    let is_filtered = state.is_verdict_filtered(&judging.id, &Target::Debate);
    let (first, second) = grade_candidates(state, created)?;
    let better = match (first, second) {
        (Some(true), Some(false)) => Some(1.0),
        (Some(false), Some(true)) => Some(-1.0),
        (Some(_) | None, Some(_) | None) => None,
    };
    let has_both_grades = first.is_some() && second.is_some();
    let pick_outcome = match &outcome {
        None if is_filtered => PickOutcome::Filtered,
        None if has_failed(state, &judging.id) => PickOutcome::Failed,
        None => return None,
        Some(Outcome::Unparsed {
            cause: Some(UnparsedCause::Material),
            ..
        }) => PickOutcome::UnparsedOfMaterial,
        Some(Outcome::Unparsed { cause: None, .. }) => PickOutcome::Unparsed,
        Some(Outcome::Label(finding)) if finding.value == 0.0 => PickOutcome::Tie,
        Some(Outcome::Label(finding)) => match better {
            Some(better) if finding.value * better > 0.0 => PickOutcome::Right,
            Some(_) | None => PickOutcome::Wrong,
        },
    };
    Some(PickRow {
        picked: pick_outcome,
        decidable: has_both_grades.then_some(better.is_some()),
        inherited: is_inherited(state, &judging.id, &Target::Debate),
    })
}

/// Returns for each of the two candidates whether it is correct, as far as it was graded.
fn grade_candidates(state: &State, created: &Created) -> Option<(Option<bool>, Option<bool>)> {
    let protocol = &created.protocol;
    let mut right = protocol
        .seats
        .iter()
        .filter(|seat| seat.kind == SeatKind::Speaker && protocol.is_judged(&seat.id))
        .flat_map(|seat| {
            (0..seat.count).map(|index| Chair {
                seat: seat.id.clone(),
                index,
            })
        })
        .map(|chair| {
            let last_grade = find_last_grade(state, created, |other| other == &chair);
            last_grade.map(|(_, correct)| correct)
        });
    Some((right.next()?, right.next()?))
}

/// Says whether a rule of the game decides what a debate concludes.
pub(super) fn has_conclusion_rule(created: &Created) -> bool {
    created.protocol.find_conclusion_rule().is_some()
        || judge_of_debate(created, Orders::Both).is_some()
}

/// Says whether the debate's conclusion is right: by the grader of the debate, else by the candidate
/// that was picked. A tie concludes both answers, so it is right where both are.
pub(super) fn concluded_right(state: &State, created: &Created) -> Option<bool> {
    if let Some(rule) = created.protocol.find_conclusion_rule() {
        let outcome = state.combined_outcome(rule, &Target::Debate)?;
        return Some(outcome.as_finding()?.value > 0.0);
    }
    let judging = judge_of_debate(created, Orders::Both)?;
    let Outcome::Label(finding) = state.combined_outcome(judging, &Target::Debate)? else {
        return None;
    };
    let (first, second) = grade_candidates(state, created)?;
    Some(if finding.value > 0.0 {
        first?
    } else if finding.value < 0.0 {
        second?
    } else {
        first? && second?
    })
}

/// Returns the findings of every rule but the evaluators' on safety: those are states of turns.
pub(super) fn list_findings(state: &State, created: &Created) -> Vec<FindingRow> {
    let protocol = &created.protocol;
    let finding_rows = state
        .verdicts()
        .filter(|(_, target, _)| state.is_current(target) && !state.is_empty_target(target))
        .filter_map(|(id, target, by_slot)| {
            let judging = protocol.find_judging(id)?;
            let is_safety = protocol.measures == MeasuredProperty::Safety
                && judging.of == JudgedThing::Turn
                && judging.has_judge();
            if is_safety {
                return None;
            }
            let (by, value) = (judged_by(judging), state.combined_outcome(judging, target));
            let value = value.and_then(|found| Some(found.as_finding()?.value));
            let result = match state.combined_outcome(judging, target) {
                Some(Outcome::Label(finding)) => JudgingResult::Label(finding.label),
                Some(Outcome::Unparsed {
                    cause: Some(UnparsedCause::Material),
                    ..
                }) => JudgingResult::UnparsedOfMaterial,
                Some(Outcome::Unparsed { cause: None, .. }) => JudgingResult::Unparsed,
                None if state.is_verdict_filtered(id, target) => JudgingResult::Filtered,
                None => return None,
            };
            let votes = list_votes(judging, by_slot);
            Some(FindingRow {
                judging: id.to_string(),
                by,
                value,
                about: finding_target(target),
                found: result,
                orders: match judging.orders {
                    Orders::One => None,
                    Orders::Both => Some(OrdersRow {
                        consistent: agree_in_both_orders(by_slot),
                    }),
                },
                votes,
                inherited: by_slot.values().all(|verdict| verdict.inherited),
                rules_found: find_rules_finding(state, protocol, judging, target),
            })
        });
    finding_rows
        .chain(guardrail_refusals(state, protocol))
        .chain(declared_stances(state, protocol))
        .collect()
}

/// Name under which figures show what critics declare.
const DECLARED: &str = "declared";
/// The field in which a protocol has a turn declare its stance, with what it says there.
const STANCE_FIELD: &str = "stance";
const DECLARED_STANCES: [(&str, &str, f64); 2] =
    [("accept", "accepts", 1.0), ("reject", "rejects", -1.0)];

/// Returns what turns declare about the proposal, in stages whose form asks for that.
fn declared_stances<'a>(
    state: &'a State,
    protocol: &'a Protocol,
) -> impl Iterator<Item = FindingRow> + 'a {
    let asks_for_stance = |stage: &Stage| {
        let form = stage.output.as_ref();
        let field = form.and_then(|form| form.get("properties")?.get(STANCE_FIELD));
        let words = field.and_then(|field| field.get("enum")?.as_array());
        words.is_some_and(|words| {
            let mut known = DECLARED_STANCES.iter();
            known.all(|(word, _, _)| words.iter().any(|one| one == word))
        })
    };
    let stages = protocol.stages.iter();
    let asking: BTreeSet<&StageId> = stages
        .filter(|stage| asks_for_stance(stage))
        .map(|stage| &stage.id)
        .collect();
    let turns = state.turns().keys();
    let turns = turns.filter(move |turn| asking.contains(&turn.stage));
    turns.filter_map(move |turn| {
        let (id, attempt) = state.chosen_attempt(turn)?;
        let (found, value) = match attempt.fields.as_ref()? {
            Fields::Unparsed { .. } => (JudgingResult::Unparsed, None),
            Fields::Read(fields) => {
                let said = fields.get(STANCE_FIELD)?.as_str()?;
                let mut known = DECLARED_STANCES.iter();
                let (_, label, value) = known.find(|(word, _, _)| *word == said)?;
                (JudgingResult::Label((*label).to_owned()), Some(*value))
            }
        };
        Some(FindingRow {
            judging: DECLARED.to_owned(),
            by: JudgedBy::Declared,
            value,
            about: finding_target(&Target::Attempt(id)),
            found,
            votes: Vec::new(),
            orders: None,
            inherited: attempt.inherited,
            rules_found: None,
        })
    })
}

/// Returns turns that a guardrail refused as findings of the rules that would have read them for refusals.
fn guardrail_refusals<'a>(
    state: &'a State,
    protocol: &'a Protocol,
) -> impl Iterator<Item = FindingRow> + 'a {
    let refusals = state.turns().keys().filter_map(|turn| {
        let (id, attempt) = state.chosen_attempt(turn)?;
        attempt.guardrail.as_ref()?;
        Some((turn, id, attempt.inherited))
    });
    refusals.flat_map(move |(turn, id, inherited)| {
        let rules = protocol.judging.iter().filter(move |judging| {
            judging.enabled
                && judged_by(judging) == JudgedBy::Refusal
                && visibility::is_target(protocol, judging, turn)
        });
        rules.map(move |judging| FindingRow {
            judging: judging.id.to_string(),
            by: JudgedBy::Refusal,
            value: Some(-1.0),
            about: finding_target(&Target::Attempt(id.clone())),
            found: JudgingResult::Label(FULL_REFUSAL.to_owned()),
            votes: Vec::new(),
            orders: None,
            inherited,
            rules_found: None,
        })
    })
}

/// Returns what a grader's rules of comparison found where whoever it asks found something as well.
fn find_rules_finding(
    state: &State,
    protocol: &Protocol,
    judging: &Judging,
    target: &Target,
) -> Option<RulesFound> {
    let grader = protocol.find_judging(judging.grades.as_ref()?)?;
    Some(match state.own_outcome(grader, target)? {
        Outcome::Unparsed { .. } => RulesFound::Undecided,
        Outcome::Label(finding) if finding.value > 0.0 => RulesFound::Correct,
        Outcome::Label(_) => RulesFound::Incorrect,
    })
}

pub(super) fn judged_by(judging: &Judging) -> JudgedBy {
    let finds = |detector: Detector, rubric: &str| {
        judging.detector == Some(detector) || judging.rubric.as_deref() == Some(rubric)
    };
    if judging.grader.is_some() {
        JudgedBy::Truth
    } else if judging.grades.is_some() {
        JudgedBy::AskedGrader
    } else if finds(Detector::Stance, STANCE_RUBRIC) {
        JudgedBy::Stance
    } else if judging.detector == Some(Detector::NamesError) {
        JudgedBy::NamesError
    } else if finds(Detector::Refusal, REFUSAL_RUBRIC) {
        JudgedBy::Refusal
    } else if judging.rubric.as_deref() == Some(PEER_OBJECTION_RUBRIC) {
        JudgedBy::PeerObjection
    } else {
        JudgedBy::Other
    }
}

pub(super) fn finding_target(target: &Target) -> FindingTarget {
    match target {
        Target::Attempt(id) => FindingTarget::Turn {
            seat: id.turn.chair.seat.to_string(),
            index: id.turn.chair.index,
            round: id.turn.round,
            stage: id.turn.stage.to_string(),
        },
        Target::Round(round) => FindingTarget::Round(*round),
        Target::Debate => FindingTarget::Debate,
    }
}

fn label_of(verdict: &VerdictState) -> Option<String> {
    Some(verdict.outcome.as_ref()?.as_finding()?.label.clone())
}

/// One label per judge: a judge that contradicts itself over the two orders has found a tie.
fn list_votes(judging: &Judging, by_slot: &VerdictsBySlot) -> Vec<Option<String>> {
    let verdicts = by_slot
        .iter()
        .filter(|(slot, _)| slot.order == ShownOrder::AsSeated);
    verdicts
        .map(|(slot, verdict)| match judging.orders {
            Orders::One => label_of(verdict),
            Orders::Both => {
                let label = label_of(verdict)?;
                let other = label_of(by_slot.get(&VerdictSlot {
                    order: ShownOrder::Swapped,
                    ..*slot
                })?)?;
                Some(if label == other {
                    label
                } else {
                    TIE.to_owned()
                })
            }
        })
        .collect()
}

/// Returns whether every judge found the same in both orders; `None` where a reply could not be read,
/// whatever the others say.
fn agree_in_both_orders(by_slot: &VerdictsBySlot) -> Option<bool> {
    let in_order = |slot: &VerdictSlot, order| {
        let verdict = by_slot.get(&VerdictSlot { order, ..*slot });
        verdict.and_then(|verdict| label_of(verdict))
    };
    let judges = by_slot.keys().map(|slot| {
        let label = in_order(slot, ShownOrder::AsSeated)?;
        Some(label == in_order(slot, ShownOrder::Swapped)?)
    });
    let agree: Option<Vec<bool>> = judges.collect();
    Some(agree?.into_iter().all(|same| same))
}

fn is_inherited(state: &State, judging: &JudgingId, target: &Target) -> bool {
    state
        .verdicts_on(judging, target)
        .is_some_and(|by_slot| by_slot.values().all(|verdict| verdict.inherited))
}

/// Returns the readings of the game's gauges.
pub(super) fn list_gauges(state: &State) -> Vec<GaugeRow> {
    state
        .compute_gauge_readings()
        .iter()
        .map(|reading| {
            let gauge = reading.gauge;
            let count = reading.values.len();
            GaugeRow {
                id: gauge.id.clone(),
                name: gauge.name.clone(),
                kind: match gauge.take {
                    Take::Number | Take::Length => GaugeKind::Mean,
                    Take::Is | Take::Above | Take::SameAs => GaugeKind::Share,
                },
                value: reading.values.iter().sum::<f64>() / count.max(1) as f64,
                readings: u32::try_from(count).unwrap_or(u32::MAX),
                alert: (gauge.alert_below.is_some() || gauge.alert_above.is_some()).then_some(
                    Alert {
                        below: gauge.alert_below,
                        above: gauge.alert_above,
                    },
                ),
                flagged: reading.is_flagged(),
                flag: gauge.flag.clone(),
            }
        })
        .collect()
}
