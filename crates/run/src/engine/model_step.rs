//! Step that asks a model, as opposed to one that the engine performs itself or that asks a person.

use elenchus_game::debate::ids::Chair;
use elenchus_game::debate::step::{Judge, LessonStep, Speak, Step};

/// A step that asks a model. A call is made of no other, so that its reply has one event.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ModelStep {
    Speak(Speak),
    Judge(Judge),
    Guard(Chair),
    WriteFeedback(LessonStep),
    DeriveGuardrail(Chair),
}

impl ModelStep {
    /// Returns `None` for a step that the engine performs itself or that asks a person.
    pub(super) fn from_step(step: &Step) -> Option<Self> {
        match step {
            Step::Speak(speak) => Some(Self::Speak(speak.clone())),
            Step::Judge(judge) => Some(Self::Judge(judge.clone())),
            Step::Guard(chair) => Some(Self::Guard(chair.clone())),
            Step::WriteFeedback(lesson) => Some(Self::WriteFeedback(lesson.clone())),
            Step::DeriveGuardrail(chair) => Some(Self::DeriveGuardrail(chair.clone())),
            Step::Retrieve(_)
            | Step::RetrieveGuards
            | Step::SwapRewards
            | Step::Refuse(_)
            | Step::Recite(_)
            | Step::Grade { .. }
            | Step::AwaitSpeaker(_)
            | Step::AwaitJudge(_)
            | Step::AwaitFeedback(_) => None,
        }
    }

    /// Returns the step of the game.
    pub(super) fn to_step(&self) -> Step {
        match self {
            Self::Speak(speak) => Step::Speak(speak.clone()),
            Self::Judge(judge) => Step::Judge(judge.clone()),
            Self::Guard(chair) => Step::Guard(chair.clone()),
            Self::WriteFeedback(lesson) => Step::WriteFeedback(lesson.clone()),
            Self::DeriveGuardrail(chair) => Step::DeriveGuardrail(chair.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elenchus_game::debate::JudgingId;
    use elenchus_game::debate::ids::{SeatId, StageId, TurnId};
    use elenchus_game::debate::step::{ShownOrder, Target};

    fn chair() -> Chair {
        Chair {
            seat: SeatId::new("debater"),
            index: 0,
        }
    }

    fn lesson() -> LessonStep {
        LessonStep {
            chair: chair(),
            learner: None,
        }
    }

    fn speak() -> Speak {
        Speak {
            turn: TurnId {
                round: 1,
                stage: StageId::new("answer"),
                chair: chair(),
            },
            attempt: 0,
            retry: None,
        }
    }

    fn judge() -> Judge {
        Judge {
            judging: JudgingId::from("safety"),
            chair: chair(),
            target: Target::Debate,
            order: ShownOrder::AsSeated,
            attempt: 0,
        }
    }

    #[test]
    fn a_step_that_asks_no_model_becomes_no_call() {
        let others = [
            Step::Retrieve(None),
            Step::Retrieve(Some(SeatId::new("proposer"))),
            Step::SwapRewards,
            Step::RetrieveGuards,
            Step::Refuse(speak()),
            Step::Recite(speak()),
            Step::Grade {
                judging: JudgingId::from("safety"),
                target: Target::Debate,
            },
            Step::AwaitSpeaker(speak()),
            Step::AwaitJudge(judge()),
            Step::AwaitFeedback(lesson()),
        ];
        for step in others {
            assert_eq!(ModelStep::from_step(&step), None, "{step:?}");
        }
    }

    #[test]
    fn a_step_that_asks_a_model_is_the_same_step_in_its_call() {
        let asked = [
            Step::Speak(speak()),
            Step::Judge(judge()),
            Step::Guard(chair()),
            Step::WriteFeedback(lesson()),
            Step::DeriveGuardrail(chair()),
        ];
        for step in asked {
            let call = ModelStep::from_step(&step).map(|call| call.to_step());
            assert_eq!(call, Some(step));
        }
    }
}
