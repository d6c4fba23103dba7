//! Reasons for rejecting an event.

use crate::debate::event::FORMAT;
use crate::debate::ids::{AttemptId, TurnId};
use crate::debate::step::StepId;
use thiserror::Error;

/// Reason why an event does not fit the events before it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EventRefusal {
    #[error("the session has not begun: its first event must be 'created'")]
    NotBegun,
    #[error("the session has begun already")]
    BegunTwice,
    #[error("the session is written in format {0}; this version reads up to {FORMAT}")]
    Format(u32),
    #[error("the cast has nobody on the chair {0}")]
    EmptyChair(String),
    #[error(
        "topic '{topic}' has {options} options, and {chairs} chairs of this protocol are to argue \
         for one each: give the topic its options, or let the seats choose"
    )]
    TooFewOptions {
        topic: String,
        options: usize,
        chairs: usize,
    },
    #[error("the protocol has no turn {0}")]
    NoSuchTurn(TurnId),
    #[error("turn {0} was answered before what it must see was there")]
    TooEarly(TurnId),
    #[error("attempt {found} of turn {turn} does not follow: {expected} was next")]
    WrongAttempt {
        turn: TurnId,
        found: u32,
        expected: usize,
    },
    #[error("turn {0} has been seen by what came after it: changing it needs a fork")]
    Seen(TurnId),
    #[error("there is no attempt {0}")]
    NoSuchAttempt(AttemptId),
    #[error("the protocol has no judging '{0}' of this kind of target")]
    NoSuchJudging(String),
    #[error("the judge of '{judging}' has no chair {chair}")]
    NoSuchJudge { judging: String, chair: u32 },
    #[error("there is a verdict by '{0}' already")]
    JudgedTwice(String),
    #[error("'{judging}' was judged on {target} before everything that it is about was there")]
    JudgedTooEarly { judging: String, target: String },
    #[error("step '{0}' is not open")]
    NotOpen(StepId),
    #[error("long-term memory was asked already, or this session does not read it")]
    NoRetrieval,
    #[error("guardrails were looked up already, or nobody in this session is guarded")]
    NoGuardsWanted,
    #[error("guardrail '{0}' did not match here")]
    NoSuchGuardrail(String),
    #[error("a guardrail refuses turn {0}: nobody is asked for it")]
    Guarded(TurnId),
    #[error("attempt {0} was refused by a guardrail: nobody judges it")]
    NotJudged(AttemptId),
    #[error("no lesson is due: something else is missing, or nothing calls for one")]
    NoFeedbackDue,
    #[error("prompts change only where a session is forked, as the fork's first event")]
    NotForked,
    #[error("the session has no template '{0}' whose text could be changed")]
    NoSuchTemplate(String),
    #[error("the debate was truncated and goes no further")]
    Over,
}
