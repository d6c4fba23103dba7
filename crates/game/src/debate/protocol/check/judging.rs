//! Checks of judging rules.

use super::{Check, Reader};
use crate::debate::protocol::grader_choice::asked_rule_id;
use crate::debate::protocol::locate::PathSegment;
use crate::debate::protocol::{
    AskedSource, GraderChoice, JudgedThing, Judging, MAX_RETRIES, Orders, RoundSet, SeatKind,
};

impl Check<'_> {
    pub(super) fn check_judging(&mut self) {
        let protocol = self.protocol;
        for (at, judging) in protocol.judging.iter().enumerate() {
            let here: [PathSegment; 2] = ["judging".into(), at.into()];
            let id = &judging.id;
            match (&judging.by, &judging.grader, judging.detector) {
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
                (None, Some(grader), None) => {
                    self.check_grader(&here, judging);
                    self.check_asked_grader(&here, judging, grader);
                }
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
            if judging.of != JudgedThing::Turn || !judging.has_judge() {
                self.check_no_judged_private(&sees, &judging.sees);
            }
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

    /// Checks who is asked besides the rules of comparison.
    fn check_asked_grader(
        &mut self,
        here: &[PathSegment],
        judging: &Judging,
        grader: &GraderChoice,
    ) {
        let id = &judging.id;
        let Some(asked) = &grader.asks else {
            return;
        };
        if judging.of != JudgedThing::Turn {
            self.add_fault(
                here,
                format!("whom the grader of '{id}' asks is shown turns: it can only grade turns"),
            );
        }
        let own = asked_rule_id(id);
        if !super::is_usable_name(own.as_str()) || self.protocol.find_judging(&own).is_some() {
            self.add_fault(
                here,
                format!("the grader of '{id}' needs the id '{own}' for whom it asks: rename one of the two"),
            );
        }
        match &asked.source {
            AskedSource::Seat { by, rubric } => {
                self.check_seat_kind(here, by, &[SeatKind::Judge, SeatKind::Evaluator], "grade");
                let shares_seat = |rule: &Judging| rule.enabled && rule.by.as_ref() == Some(by);
                if self.protocol.judging.iter().any(shares_seat) {
                    self.add_fault(
                        here,
                        format!(
                            "the seat '{by}' judges without the reference answer elsewhere, and the \
                             grader of '{id}' is shown it: give the grader a seat of its own"
                        ),
                    );
                }
                if !super::is_file_stem(rubric) {
                    self.add_fault(here, format!("a rubric cannot be called '{rubric}'"));
                }
            }
            AskedSource::Command(name) => {
                if !super::is_usable_name(name) {
                    self.add_fault(here, super::name_rule("a grader's command", name));
                }
            }
        }
    }

    fn check_judging_options(&mut self, here: &[PathSegment], judging: &Judging) {
        let id = &judging.id;
        if judging.grades.is_some() || judging.command.is_some() {
            self.add_fault(
                here,
                format!(
                    "whom a grader asks stands in its `grader`, not in a rule of its own: '{id}'"
                ),
            );
        }
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
            let asked = judging
                .grader
                .as_ref()
                .and_then(|grader| grader.asks.as_ref());
            let asks_seat =
                asked.is_some_and(|asked| matches!(asked.source, AskedSource::Seat { .. }));
            if judging.by.is_none() && !asks_seat {
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
