//! Commands to a live session, and the events that it sends. Data only.

use super::stream_buffer::StreamText;
use crate::engine::observer::PersonQuestion;
use elenchus_game::debate::event::{Failed, Record};
use elenchus_game::debate::ids::TurnId;
use elenchus_game::debate::step::{EndReason, StepId};
use elenchus_game::debate::view::ViewMessage;
use elenchus_game::debate::{AttemptId, JudgingId, Target};
use elenchus_store::TailNotice;

/// Maximum number of attempts of one re-roll.
pub const MAX_REROLLS: u32 = 16;
/// Maximum length of a person's text, in bytes: its line must fit a journal.
pub const MAX_TEXT_BYTES: usize = 1 << 20;
/// Maximum length of messages sent instead of a step's own, in bytes.
pub(super) const MAX_SENT_BYTES: usize = 4 << 20;

/// Distance that a session may play without another command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// The first open turn with its retries; when no turn is open, the first open step.
    Turn,
    /// Every turn of the first open stage.
    Stage,
    /// Everything up to the end of the first open round, with its verdicts.
    Round,
    /// Everything.
    End,
}

/// Command to an open session.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveCommand {
    /// Plays on; adds to what is allowed already. Rules, and judges of spoken turns, run at every pace.
    Play(Pace),
    /// Pauses after the calls in flight.
    Pause,
    /// Cancels a call: it counts at its worst case, and its step stays open until the session plays on.
    StopCall(StepId),
    /// Plays an open step of a model with these messages, this once. Parts that differ from what
    /// the step would show are recorded as a person's, even if they name another source; a part
    /// without text has that of its source.
    Send {
        step: StepId,
        messages: Vec<ViewMessage>,
    },
    /// A person's turn, verdict (in words that the rubric reads) or lesson. On a model's open step
    /// it takes the seat over for this once: a call in flight is cancelled first.
    Answer { step: StepId, text: String },
    /// Asks for fresh attempts of a turn that nothing has seen, side by side; at most
    /// [`MAX_REROLLS`].
    Reroll { turn: TurnId, attempts: u32 },
    /// Asks for one fresh attempt of a turn that nothing has seen, as the attempt that counts was
    /// asked for: with the reply that was sent back before it, where one was.
    AskAgain(TurnId),
    /// Replaces the text of a turn that nothing has seen.
    Edit { turn: TurnId, text: String },
    /// Lets another attempt count, of a turn that nothing has seen.
    Choose(AttemptId),
    /// Asks every model that is to judge an attempt, be it not their time yet.
    Judge(AttemptId),
    /// Asks every model that is to give a verdict which is open now, and nothing else.
    GiveVerdict { judging: JudgingId, target: Target },
    /// Does one step that is open now, and nothing else.
    DoStep(StepId),
    /// Steps that failed are tried again.
    Retry,
    /// Raises the ceiling while this session is open, to a total in US dollars; steps that waited for it
    /// go on.
    Raise { ceiling_usd: f64 },
}

/// Event of an open session.
///
/// A state that was cloned before the session was opened here, and that every
/// [`Happened`](LiveEvent::Happened) is applied to, stays what the journal says.
#[derive(Debug)]
pub enum LiveEvent {
    /// Something happened, and is durable.
    Happened(Record),
    /// A call was sent.
    Began { step: StepId },
    /// More text of a reply. The next one of the call is sent when this one is dropped: a slow receiver
    /// gets longer texts, not more of them.
    Delta {
        step: StepId,
        kind: DeltaKind,
        text: StreamText,
    },
    /// All public text of the reply so far was private reasoning.
    WasThinking { step: StepId },
    /// The text so far is void: the try failed, and another one follows after a wait.
    Void {
        step: StepId,
        why: String,
        wait_ms: u64,
    },
    /// A call or a question is over; its record, if any, was published before.
    Ended { step: StepId },
    /// A person's seat is open. [`LiveCommand::Answer`] answers; when something that the seat is shown
    /// changes, the question ends and is asked again.
    Asks(Box<PersonQuestion>, StepId),
    /// Nothing is in flight and no permitted step is open. Sent again after every command.
    Idle(IdleReason),
    /// A command was refused: why, and what to do instead.
    Refused { command: String, why: String },
    /// An incomplete last line was cut off a journal.
    Mended(TailNotice),
    /// A notice to the person.
    Noticed(String),
    /// The session cannot go on and its lock is released; its records stay.
    Broke(String),
}

/// Kind of streamed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeltaKind {
    /// Text that others may read.
    Public,
    /// Private reasoning.
    Thinking,
}

/// Reason why a session is idle.
#[derive(Debug, Clone, PartialEq)]
pub enum IdleReason {
    /// Everything permitted is done.
    Held,
    /// The debate is over. Turns that nothing has seen can still be re-rolled, edited and chosen.
    Done(EndReason),
    /// A permitted step failed; [`LiveCommand::Retry`] tries again.
    Stuck(Vec<Failed>),
    /// The ceiling allows no more calls.
    Paused,
    /// These seats wait for a person.
    Waits(Vec<StepId>),
}
