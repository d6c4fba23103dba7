//! Seats and rules of a pass in a session: its first event with those of the pass in place of its own, and who
//! of the pass then judges themselves or their like.

use super::subject::find_judged_subject;
use super::verdict::member_rule;
use super::{Evaluator, PassManifest, PassMember, PassRules};
use crate::library::{KinRole, ModelFamilies, SelfJudging};
use elenchus_game::debate::event::{Created, ModelPlayer, Participant, Player};
use elenchus_game::debate::protocol::{
    Combine, GraderVersion, JudgeWhen, Judging, Seat, SeatKind, Stance,
};
use elenchus_game::debate::{Chair, JudgingId, SeatId};
use std::collections::BTreeSet;

/// The seat of the judge that a pass brings along.
pub const PASS_SEAT: &str = "pass-judge";

/// What people call the seat of a judge that a pass brings along.
const EVALUATOR: &str = "evaluator";

impl PassManifest {
    /// Returns a session's first event with the rules and judges of the pass in place of its own.
    pub fn seat_judges(&self, mut created: Created) -> Created {
        created.template_texts = created.template_texts.with_texts(&self.template_texts);
        match (&self.rules, &self.judge) {
            (PassRules::Own { .. }, Some(judge)) => with_judges(created, judge),
            (PassRules::Own { .. }, None) | (PassRules::Imported { .. }, _) => created,
            (
                PassRules::Rubric { .. } | PassRules::Detector { .. } | PassRules::Ensemble { .. },
                _,
            ) => with_rules(created, &self.list_members()),
        }
    }

    /// Returns who of the pass judges themselves or their like in a session.
    pub fn self_judging(&self, created: &Created, families: &ModelFamilies) -> Vec<SelfJudging> {
        match &self.rules {
            // These labels were not given by anybody who sits here.
            PassRules::Imported { .. } => Vec::new(),
            PassRules::Own { .. }
            | PassRules::Rubric { .. }
            | PassRules::Detector { .. }
            | PassRules::Ensemble { .. } => {
                find_self_judging(&self.seat_judges(created.clone()), families)
            }
        }
    }
}

/// Returns who of a pass judges themselves or their like in the session that begins so.
///
/// The seat of a pass is in no game, so its name is replaced in messages.
pub fn find_self_judging(created: &Created, families: &ModelFamilies) -> Vec<SelfJudging> {
    let findings = families.self_judging(&created.protocol, &created.cast);
    // A pass asks no speaker: which critics were seated is the debate's.
    let judging = findings
        .into_iter()
        .filter(|found| found.role == KinRole::Judges);
    let warnings = judging.map(|found| {
        let is_ours = found.judge.as_str().starts_with(PASS_SEAT);
        match is_ours {
            true => found.with_judge(SeatId::new(EVALUATOR)),
            false => found,
        }
    });
    BTreeSet::from_iter(warnings).into_iter().collect()
}

/// Puts one model on every chair that judges.
fn with_judges(mut created: Created, judge: &ModelPlayer) -> Created {
    let protocol = &created.protocol;
    let judges = |chair: &Chair| {
        let mut rules = protocol.judging.iter().filter(|rule| rule.enabled);
        rules.any(|rule| rule.has_judge() && rule.by.as_ref() == Some(&chair.seat))
    };
    for participant in &mut created.cast {
        if judges(&participant.chair) {
            participant.player = Player::Model(judge.clone());
        }
    }
    created
}

/// Puts one rule for each evaluator in place of all others, about what its rubric is about: single turns where it
/// says nothing. An evaluator whose rubric is about something that the game does not have is asked nothing.
fn with_rules(mut created: Created, members: &[(Evaluator, PassMember)]) -> Created {
    let subjects: Vec<_> = members
        .iter()
        .map(|(evaluator, member)| find_judged_subject(&created, evaluator, member))
        .collect();
    let protocol = &mut created.protocol;
    protocol.judging.clear();
    for (at, ((evaluator, brought), subject)) in members.iter().zip(subjects).enumerate() {
        let Some(subject) = subject else {
            continue;
        };
        let (id, seat) = match members {
            [_] => (
                subject.own.unwrap_or_else(|| named_after(evaluator)),
                SeatId::new(PASS_SEAT),
            ),
            _ => (
                member_rule(at),
                SeatId::new(format!("{PASS_SEAT}-{}", at + 1)),
            ),
        };
        let (by, detector, rubric) = match evaluator {
            Evaluator::Rubric { rubric, .. } => (Some(seat.clone()), None, Some(rubric.clone())),
            Evaluator::Detector { detector } => (None, Some(*detector), None),
        };
        protocol.judging.push(Judging {
            id,
            by,
            grader: None,
            grader_version: GraderVersion::First,
            detector,
            grades: None,
            command: None,
            of: subject.of,
            answer: None,
            rounds: subject.rounds,
            turns: subject.turns,
            when: JudgeWhen::Soon,
            enabled: true,
            rubric,
            combine: Combine::default(),
            orders: subject.orders,
            tie_value: subject.tie_value,
            repair: None,
            sees: subject.sees,
            max_tokens: None,
        });
        let Some(judge) = &brought.judge else {
            continue;
        };
        protocol.seats.push(Seat {
            id: seat.clone(),
            kind: SeatKind::Evaluator,
            count: 1,
            label: None,
            persona: None,
            stance: Stance::Chosen,
        });
        created.cast.push(Participant {
            chair: Chair::first(seat),
            player: Player::Model(judge.clone()),
            persona: None,
        });
    }
    created
}

fn named_after(evaluator: &Evaluator) -> JudgingId {
    JudgingId::new(match evaluator {
        Evaluator::Rubric { rubric, .. } => rubric,
        Evaluator::Detector { detector } => detector.name(),
    })
}
