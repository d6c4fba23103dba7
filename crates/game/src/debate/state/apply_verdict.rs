//! Application of verdicts to the state: each finding has its slot, and a reply that could not be
//! parsed may be followed by another one.

use super::refusal::EventRefusal;
use super::{FeedbackState, State, VerdictState};
use crate::debate::ensemble::{owes_repair, required_slots};
use crate::debate::event::{Finding, Judged, Outcome, Record, UnparsedCause};
use crate::debate::ids::{Chair, JudgingId};
use crate::debate::protocol::{JudgedThing, Judging, Protocol};
use crate::debate::step::{Judge, Step, StepGroup, Target, VerdictSlot, VerdictStep};
use crate::debate::visibility;

impl State {
    pub(crate) fn apply_verdict(
        &mut self,
        record: &Record,
        judged: &Judged,
    ) -> Result<(), EventRefusal> {
        let first_event = self.check_running()?;
        let protocol = &first_event.protocol;
        let judging = self.rule_about(protocol, &judged.judging, &judged.target)?;
        if !self.is_judgeable(judging, &judged.target) {
            return Err(EventRefusal::JudgedTooEarly {
                judging: judged.judging.to_string(),
                target: judged.target.to_string(),
            });
        }
        if let Target::Attempt(attempt) = &judged.target
            && self.is_refusal(&judged.target)
        {
            return Err(EventRefusal::NotJudged(attempt.clone()));
        }
        let slot = VerdictSlot {
            chair: judged.chair,
            order: judged.order,
        };
        if !required_slots(protocol, judging).any(|wanted| wanted == slot) {
            return Err(EventRefusal::NoSuchJudge {
                judging: judged.judging.to_string(),
                chair: judged.chair,
            });
        }
        let step = match &judging.by {
            Some(seat) => Step::Judge(Judge {
                judging: judging.id.clone(),
                chair: Chair {
                    seat: seat.clone(),
                    index: judged.chair,
                },
                target: judged.target.clone(),
                order: judged.order,
                attempt: judged.attempt,
            }),
            None => Step::Grade {
                judging: judging.id.clone(),
                target: judged.target.clone(),
            },
        };
        let verdict = VerdictState {
            by: record.by.clone(),
            at: record.at.clone(),
            outcome: Some(judged.outcome.clone()),
            view: judged.view.as_ref().map(|view| self.views.add_view(view)),
            reply: judged.reply.clone(),
            inherited: false,
            earlier: Vec::new(),
        };
        self.insert_verdict(&judged.judging, &judged.target, slot, verdict)?;
        self.charge_reply(&record.by, judged.reply.as_ref());
        self.settle_step(&record.by, &step);
        Ok(())
    }

    /// Returns the rule of that id, if it can apply to the target.
    pub(crate) fn rule_about<'a>(
        &self,
        protocol: &'a Protocol,
        id: &JudgingId,
        target: &Target,
    ) -> Result<&'a Judging, EventRefusal> {
        let no_such = || EventRefusal::NoSuchJudging(id.to_string());
        let judging = protocol
            .find_judging(id)
            .filter(|judging| {
                matches!(
                    (judging.of, target),
                    (JudgedThing::Turn, Target::Attempt(_))
                        | (JudgedThing::Round, Target::Round(_))
                        | (JudgedThing::Debate, Target::Debate)
                )
            })
            .ok_or_else(no_such)?;
        if let Target::Attempt(attempt) = target {
            let has_attempt = self
                .turns
                .get(&attempt.turn)
                .is_some_and(|state| state.attempts.len() > attempt.attempt as usize);
            if !has_attempt {
                return Err(EventRefusal::NoSuchAttempt(attempt.clone()));
            }
            if !visibility::is_target(protocol, judging, &attempt.turn) {
                return Err(no_such());
            }
        }
        Ok(judging)
    }

    fn insert_verdict(
        &mut self,
        id: &JudgingId,
        target: &Target,
        slot: VerdictSlot,
        mut verdict: VerdictState,
    ) -> Result<(), EventRefusal> {
        let judging = self
            .protocol()
            .and_then(|protocol| protocol.find_judging(id));
        let before = self.verdicts_on(id, target).and_then(|on| on.get(&slot));
        if before.is_some_and(|before| !judging.is_some_and(|rule| owes_repair(rule, before))) {
            return Err(EventRefusal::JudgedTwice(id.to_string()));
        }
        let on = self.verdicts.entry(id.clone()).or_default();
        let by_slot = on.entry(target.clone()).or_default();
        if let Some(mut before) = by_slot.remove(&slot) {
            verdict.earlier = std::mem::take(&mut before.earlier);
            verdict.earlier.push(*before);
        }
        by_slot.insert(slot, Box::new(verdict));
        if let Some(round) = target.round() {
            self.mark_rounds(round);
        }
        Ok(())
    }

    /// Continues without the result of a step that the provider's filter refused.
    pub(super) fn skip_filtered_step(
        &mut self,
        record: &Record,
        step: &Step,
    ) -> Result<(), EventRefusal> {
        match step.group() {
            StepGroup::Turn(speak) => {
                self.turns.entry(speak.turn.clone()).or_default().filtered = true;
                self.mark_rounds(speak.turn.round);
            }
            StepGroup::Verdict(VerdictStep {
                judge: Some(judge), ..
            }) => {
                let verdict = VerdictState {
                    by: record.by.clone(),
                    at: record.at.clone(),
                    outcome: None,
                    view: None,
                    reply: None,
                    inherited: false,
                    earlier: Vec::new(),
                };
                let slot = VerdictSlot {
                    chair: judge.chair.index,
                    order: judge.order,
                };
                self.insert_verdict(&judge.judging, &judge.target, slot, verdict)?;
            }
            StepGroup::Lesson(lesson) => {
                let refused = FeedbackState {
                    written: None,
                    at: record.at.clone(),
                    inherited: false,
                };
                self.feedback.insert(lesson.learner.clone(), refused);
            }
            StepGroup::Verdict(VerdictStep { judge: None, .. })
            | StepGroup::Memory
            | StepGroup::Guard(_) => {
                return Err(EventRefusal::NotOpen(step.id()));
            }
        }
        Ok(())
    }
}

impl Outcome {
    /// Returns why it could not be parsed, where the judge alone is not the reason.
    pub fn cause(&self) -> Option<UnparsedCause> {
        match self {
            Outcome::Label(_) => None,
            Outcome::Unparsed { cause, .. } => *cause,
        }
    }

    /// Returns what was found, unless the reply could not be parsed.
    pub fn as_finding(&self) -> Option<&Finding> {
        match self {
            Outcome::Label(finding) => Some(finding),
            Outcome::Unparsed { .. } => None,
        }
    }

    /// Returns the label, unless the reply could not be parsed.
    pub fn label(&self) -> Option<&str> {
        Some(&self.as_finding()?.label)
    }

    /// Describes the finding: label, codes, reason.
    pub fn describe(&self) -> String {
        let mut text = self.describe_label();
        if let Some(reason) = self
            .as_finding()
            .and_then(|finding| finding.reason.as_ref())
        {
            text.push_str(&format!(": {}", reason.trim()));
        }
        text
    }

    /// Describes the finding without the reason, which is the judge's own text.
    pub fn describe_label(&self) -> String {
        match self {
            Outcome::Label(finding) if finding.codes.is_empty() => finding.label.clone(),
            Outcome::Label(finding) => {
                format!("{} [{}]", finding.label, finding.codes.join(", "))
            }
            Outcome::Unparsed { why, .. } => format!("unparsed: {why}"),
        }
    }
}
