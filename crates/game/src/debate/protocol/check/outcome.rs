//! Checks of rewards, lessons, stop rules, gauges and the audit record.

use super::{Check, Reader};
use crate::debate::ids::{SeatId, StageId};
use crate::debate::protocol::locate::PathSegment;
use crate::debate::protocol::{
    Feedback, FeedbackWhen, Gauge, JudgeWhen, JudgedThing, Protocol, SeatKind, Take,
};
use std::collections::BTreeSet;

/// Returns the path of a rule for lessons; a single one is a table, not a list.
pub(super) fn feedback_path(protocol: &Protocol, at: usize) -> Vec<PathSegment> {
    match protocol.feedback.as_slice() {
        [only] if only.learner.is_none() => vec!["feedback".into()],
        _ => vec!["feedback".into(), at.into()],
    }
}

impl Check<'_> {
    pub(super) fn check_rewards(&mut self) {
        let protocol = self.protocol;
        for (id, labels) in &protocol.rewards {
            let path = ["rewards".into(), PathSegment::Key(id.to_string())];
            if protocol.find_judging(id).is_none() {
                self.add_fault(
                    &path,
                    format!("rewards name the judging '{id}', which is not there"),
                );
            }
            for seats in labels.values() {
                for seat in seats.keys() {
                    self.check_seat_kind(&path, seat, &[SeatKind::Speaker], "be rewarded");
                }
            }
        }
    }

    pub(super) fn check_feedback(&mut self) {
        let protocol = self.protocol;
        let mut learners = BTreeSet::new();
        for (at, feedback) in protocol.feedback.iter().enumerate() {
            let here = feedback_path(protocol, at);
            self.check_seat_kind(&here, &feedback.by, &[SeatKind::Feedback], "write feedback");
            self.check_when_written(&here, feedback);
            if feedback.enabled && !learners.insert(&feedback.learner) {
                let of = match &feedback.learner {
                    Some(learner) => format!("for the seat '{learner}'"),
                    None => "without `for`".to_owned(),
                };
                self.add_fault(&here, format!("there are two lessons {of}"));
            }
            match &feedback.learner {
                Some(learner) => self.check_learner(&here, learner),
                None => self.check_common_lesson(&here, feedback),
            }
            let mut sees = here.clone();
            sees.push("sees".into());
            self.check_sees(&sees, &feedback.sees, Reader::Other);
            self.check_rewards_shown(&sees, feedback);
            self.check_no_judged_private(&sees, &feedback.sees);
        }
    }

    fn check_when_written(&mut self, here: &[PathSegment], feedback: &Feedback) {
        match (feedback.when, &feedback.judging) {
            (FeedbackWhen::Always, None) if feedback.labels.is_empty() => {}
            (FeedbackWhen::Always, _) => self.add_fault(
                here,
                "feedback that is written `always` names no `judging` and no `labels`",
            ),
            (FeedbackWhen::Labels, Some(id)) => {
                if self.protocol.find_judging(id).is_none() {
                    self.add_fault(
                        here,
                        format!("feedback names the judging '{id}', which is not there"),
                    );
                }
                if feedback.labels.is_empty() {
                    self.add_fault(here, "feedback must say after which `labels` it is written");
                }
            }
            (FeedbackWhen::Labels, None) => self.add_fault(
                here,
                "feedback must say after which `labels` of which `judging` it is written, or `when = \"always\"`",
            ),
        }
    }

    fn check_learner(&mut self, here: &[PathSegment], learner: &SeatId) {
        self.check_seat_kind(here, learner, &[SeatKind::Speaker], "learn");
        // Lessons of one memory would tell a chair what another one thought in private.
        if self
            .protocol
            .find_seat(learner)
            .is_some_and(|seat| seat.count > 1)
        {
            self.add_fault(
                here,
                format!(
                    "the seat '{learner}' has several chairs and cannot learn for itself: give each chair a \
                     seat of its own"
                ),
            );
        }
    }

    fn check_common_lesson(&mut self, here: &[PathSegment], feedback: &Feedback) {
        let mut others = self.protocol.feedback.iter();
        let somebody_learns = others.any(|other| other.enabled && other.learner.is_some());
        if feedback.enabled && somebody_learns {
            self.add_fault(
                here,
                "a lesson without `for` would be shown to nobody where another one has `for`: say for which seat \
                 this one is, or leave it out",
            );
        }
    }

    fn check_rewards_shown(&mut self, path: &[PathSegment], feedback: &Feedback) {
        if !feedback.enabled || !feedback.sees.rewards {
            return;
        }
        let protocol = self.protocol;
        let paid_by_grader = protocol.judging.iter().find(|rule| {
            rule.enabled && rule.grader.is_some() && protocol.rewards.contains_key(&rule.id)
        });
        if let Some(rule) = paid_by_grader {
            self.add_fault(
                path,
                format!(
                    "rewards of '{}' would tell the author of a lesson what the reference answer is worth: \
                     only what judges pay can be shown",
                    rule.id
                ),
            );
        }
        if protocol.rewards.is_empty() {
            self.add_fault(path, "rewards cannot be shown where none are paid");
        }
    }

    pub(super) fn check_stops(&mut self) {
        let protocol = self.protocol;
        for (at, stop) in protocol.stop.iter().enumerate() {
            let here: [PathSegment; 2] = ["stop".into(), at.into()];
            match (&stop.judging, &stop.stage) {
                (Some(id), None) => match protocol.find_judging(id) {
                    None => self.add_fault(&here, format!("there is no judging '{id}'")),
                    Some(judging) if judging.of == JudgedThing::Debate => self.add_fault(
                        &here,
                        format!("'{id}' is found after the debate and cannot stop a round"),
                    ),
                    Some(judging) if judging.when == JudgeWhen::End => self.add_fault(
                        &here,
                        format!(
                            "'{id}' is found after the last round (`when = \"end\"`) and cannot \
                             stop an earlier one"
                        ),
                    ),
                    Some(_) => {}
                },
                (None, Some(id)) => match protocol.find_stage(id) {
                    None => self.add_fault(&here, format!("there is no stage '{id}'")),
                    Some(stage) if stage.output.is_none() => self.add_fault(
                        &here,
                        format!("stage '{id}' has no output schema, so no field to stop on"),
                    ),
                    Some(_) => {}
                },
                (None, None) | (Some(_), Some(_)) => {
                    self.add_fault(&here, "a stop rule needs either `judging` or `stage`");
                }
            }
            if stop.labels.is_empty() && stop.field.is_none() {
                self.add_fault(&here, "a stop rule needs `labels` or a `field`");
            }
            if stop.field.is_some() != stop.equals.is_some() {
                self.add_fault(&here, "`field` and `equals` go together");
            }
        }
    }
    pub(super) fn check_gauges(&mut self) {
        let protocol = self.protocol;
        let mut gauge_ids = BTreeSet::new();
        for (at, gauge) in protocol.gauges.iter().enumerate() {
            let here: [PathSegment; 2] = ["gauges".into(), at.into()];
            if !gauge_ids.insert(&gauge.id) {
                self.add_fault(&here, format!("there are two gauges '{}'", gauge.id));
            }
            match (&gauge.stage, &gauge.judging) {
                (Some(stage), None) => self.check_structured_stage(&here, stage),
                (None, Some(id)) if protocol.find_judging(id).is_none() => {
                    self.add_fault(&here, format!("there is no judging '{id}'"));
                }
                (None, Some(_)) => {}
                (None, None) | (Some(_), Some(_)) => self.add_fault(
                    &here,
                    format!("gauge '{}' needs either a `stage` or a `judging`", gauge.id),
                ),
            }
            self.check_take(&here, gauge);
        }
    }

    fn check_take(&mut self, here: &[PathSegment], gauge: &Gauge) {
        let id = &gauge.id;
        let label = gauge.judging.is_some() && gauge.field.is_none();
        match gauge.take {
            Take::Is if gauge.equals.is_none() => {
                self.add_fault(here, format!("gauge '{id}' takes `is`: it needs `equals`"));
            }
            Take::Above if gauge.above.is_none() => {
                self.add_fault(
                    here,
                    format!("gauge '{id}' takes `above`: it needs `above`"),
                );
            }
            Take::SameAs => match &gauge.same_as {
                None => self.add_fault(
                    here,
                    format!(
                        "gauge '{id}' takes `same_as`: it needs `same_as` with stage and field"
                    ),
                ),
                Some(of) => self.check_structured_stage(here, &of.stage),
            },
            Take::Number | Take::Length | Take::Is | Take::Above => {}
        }
        if gauge.minus.is_some() && !matches!(gauge.take, Take::Number | Take::Above) {
            self.add_fault(
                here,
                format!("gauge '{id}': `minus` goes with `take` = `number` or `above`"),
            );
        }
        if !label && gauge.field.is_none() || label && gauge.take != Take::Is {
            self.add_fault(
                here,
                format!("gauge '{id}' needs the `field` that it reads"),
            );
        }
        if gauge.flag_below.is_some() != gauge.flag.is_some() {
            self.add_fault(here, "`flag_below` and `flag` go together");
        }
    }

    pub(super) fn check_record(&mut self) {
        let protocol = self.protocol;
        let Some(record) = &protocol.record else {
            return;
        };
        let here: [PathSegment; 1] = ["record".into()];
        for stage in [&record.proposer, &record.critic, &record.rebuttal] {
            self.check_structured_stage(&here, stage);
        }
        let rules = std::iter::once(&record.moderator).chain(&record.citations);
        for id in rules {
            if protocol.find_judging(id).is_none() {
                self.add_fault(&here, format!("there is no judging '{id}'"));
            }
        }
    }

    fn check_structured_stage(&mut self, here: &[PathSegment], id: &StageId) {
        match self.protocol.find_stage(id) {
            None => self.add_fault(here, format!("there is no stage '{id}'")),
            Some(stage) if stage.output.is_none() => self.add_fault(
                here,
                format!("stage '{id}' has no output schema, so no field to read"),
            ),
            Some(_) => {}
        }
    }
}
