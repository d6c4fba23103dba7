//! Checks of judging rules.

use super::{Check, Reader};
use crate::debate::protocol::locate::PathSegment;
use crate::debate::protocol::{JudgedThing, Judging, MAX_RETRIES, Orders, RoundSet, SeatKind};

impl Check<'_> {
    pub(super) fn check_judging(&mut self) {
        let protocol = self.protocol;
        for (at, judging) in protocol.judging.iter().enumerate() {
            let here: [PathSegment; 2] = ["judging".into(), at.into()];
            let id = &judging.id;
            match (&judging.by, judging.grader, judging.detector) {
                (Some(seat), None, None) => {
                    self.check_seat_kind(
                        &here,
                        seat,
                        &[SeatKind::Judge, SeatKind::Evaluator],
                        "judge",
                    );
                    if judging.rubric.is_none() {
                        self.add_fault(&here, format!("judging '{id}' needs a rubric"));
                    }
                }
                (None, Some(_), None) => self.check_grader(&here, judging),
                (None, None, Some(_)) => {
                    if judging.of != JudgedThing::Turn {
                        self.add_fault(
                            &here,
                            format!("the detector of '{id}' looks at turns alone"),
                        );
                    }
                }
                (None | Some(_), None | Some(_), None | Some(_)) => self.add_fault(
                    &here,
                    format!(
                        "judging '{id}' needs one of a seat in `by`, a `grader` and a `detector`"
                    ),
                ),
            }
            self.check_judging_options(&here, judging);
            match (judging.of, judging.turns.is_empty()) {
                (JudgedThing::Turn, true) => {
                    self.add_fault(
                        &here,
                        format!("judging '{id}' must say which `turns` it judges"),
                    );
                }
                (JudgedThing::Round | JudgedThing::Debate, false) => self.add_fault(
                    &here,
                    format!("judging '{id}' is not of turns; say what the judge sees in `sees`"),
                ),
                (JudgedThing::Turn, false) | (JudgedThing::Round | JudgedThing::Debate, true) => {}
            }
            for target in &judging.turns {
                for seat in &target.seats {
                    self.check_seat_kind(&here, seat, &[SeatKind::Speaker], "be judged");
                }
                self.check_stages_exist(&here, target.stages.as_deref());
            }
            let sees = [here[0].clone(), here[1].clone(), "sees".into()];
            let reader = match judging.by {
                Some(_) => Reader::Judge,
                None => Reader::Other,
            };
            self.check_sees(&sees, &judging.sees, reader);
            self.check_no_rewards(&sees, &judging.sees);
        }
    }

    fn check_grader(&mut self, here: &[PathSegment], judging: &Judging) {
        let id = &judging.id;
        let answer_rule = judging.answer.as_ref().map(|answer| &answer.judging);
        match (judging.of, answer_rule) {
            (JudgedThing::Turn, None | Some(None)) => {}
            (JudgedThing::Turn, Some(Some(_))) => self.add_fault(
                here,
                format!("'{id}' grades turns: its `answer` names a field of them and no judging"),
            ),
            (JudgedThing::Debate, Some(Some(rule))) => match self.protocol.find_judging(rule) {
                None => self.add_fault(here, format!("there is no judging '{rule}'")),
                Some(rule) if rule.of == JudgedThing::Turn || rule.is_rule() => self.add_fault(
                    here,
                    format!("'{}' states no answer about a round or the debate", rule.id),
                ),
                Some(_) => {}
            },
            (JudgedThing::Debate, None | Some(None)) => self.add_fault(
                here,
                format!(
                    "'{id}' grades the debate: it needs an `answer` with the judging and the \
                     field that state it"
                ),
            ),
            (JudgedThing::Round, _) => self.add_fault(
                here,
                format!("the grader of '{id}' can only grade turns or the debate"),
            ),
        }
    }

    fn check_judging_options(&mut self, here: &[PathSegment], judging: &Judging) {
        let id = &judging.id;
        if judging.answer.is_some() && judging.grader.is_none() {
            self.add_fault(here, format!("`answer` of '{id}' is for graders"));
        }
        if judging.rounds != RoundSet::default() && judging.of != JudgedThing::Round {
            self.add_fault(
                here,
                format!(
                    "`rounds` of '{id}' is for of = \"round\"; `turns` have rounds of their own"
                ),
            );
        }
        if judging.orders == Orders::Both
            && (judging.by.is_none() || judging.of == JudgedThing::Turn)
        {
            self.add_fault(
                here,
                format!("'{id}' shows no two candidates: orders = \"both\" is for judges of a round or debate"),
            );
        }
        if let Some(repair) = &judging.repair {
            if judging.by.is_none() {
                self.add_fault(
                    here,
                    format!("`repair` of '{id}' is for judges who can be asked"),
                );
            }
            if !(1..=MAX_RETRIES).contains(&repair.at_most) {
                self.add_fault(here, format!("`at_most` must be from 1 to {MAX_RETRIES}"));
            }
        }
    }
}
