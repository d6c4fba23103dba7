//! What a session that is played under somebody's hands says: the words alone, nothing is done.

use super::pieces::Piece;
use crate::debate::AttemptId;
use crate::debate::event::{Failed, Record};
use crate::debate::ids::TurnId;
use crate::debate::step::{Done, StepId};
use crate::debate::view::ViewMessage;
use crate::driver::observe::Question;
use crate::store::Notice;

/// How many attempts one order re-rolls at most.
pub const MAX_REROLLS: u32 = 16;
/// How long a text is at most that a person gives, in bytes: its line must fit a journal.
pub const MAX_TEXT_BYTES: usize = 1 << 20;
/// How long messages are at most that somebody sends instead of a step's own, in bytes.
pub const MAX_SENT_BYTES: usize = 4 << 20;

/// How far a session may go on by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// The first open turn with its retries; when nobody is to speak, the first open step.
    Turn,
    /// Every turn of the first open stage.
    Stage,
    /// Everything up to the end of the first open round, with its verdicts.
    Round,
    /// Everything.
    End,
}

/// What somebody wants of an open session.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// Go on so far; adds to what is allowed already. Rules, and judges of turns that were spoken,
    /// go on beside every pace.
    Play(Pace),
    /// Nothing new starts; what is in flight arrives.
    Pause,
    /// Cancels a call: it counts at its worst, and its step stays open until somebody plays on.
    StopCall(StepId),
    /// Plays an open step of a model with these messages, this once. Parts that differ from what
    /// the step would show are recorded as a person's, whatever they say they are from; a part
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
    /// Steps that failed are tried again.
    Retry,
    /// More may be spent while this session is in hand, in US dollars in all: what was held up by
    /// the ceiling goes on.
    Raise { ceiling_usd: f64 },
}

/// What an open session tells.
///
/// A state that was cloned before the session was opened here, and that every
/// [`Happened`](Tiding::Happened) is applied to, stays what the journal says.
#[derive(Debug)]
pub enum Tiding {
    /// Something happened, and is durable.
    Happened(Record),
    /// A call was sent.
    Began { step: StepId },
    /// More of a reply. The next piece of the call comes when this one is dropped: who is slow
    /// gets longer pieces, not more of them.
    Delta {
        step: StepId,
        kind: DeltaKind,
        text: Piece,
    },
    /// All public text of the reply so far was private reasoning.
    WasThinking { step: StepId },
    /// The pieces so far are void: the try failed, and another one follows after a wait.
    Void {
        step: StepId,
        why: String,
        wait_ms: u64,
    },
    /// A call or a question is over, whatever came; its record, if any, was told before.
    Ended { step: StepId },
    /// A person's seat is open. [`Order::Answer`] answers; when something that the seat is shown
    /// changes, the question ends and is asked anew.
    Asks(Box<Question>, StepId),
    /// Nothing is in flight and nothing that is allowed is open. Told again after every order.
    Rests(Rest),
    /// An order was not obeyed: why, and what to do instead.
    Refused { order: String, why: String },
    /// An incomplete last line was cut off a journal.
    Mended(Notice),
    /// Something is done otherwise than usual, and why.
    Noticed(String),
    /// The session cannot go on and its lock is given back; what was recorded stays.
    Broke(String),
}

/// Whom a piece of a reply is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeltaKind {
    /// Text that others may read.
    Public,
    /// Private reasoning.
    Thinking,
}

/// Why a session rests.
#[derive(Debug, Clone, PartialEq)]
pub enum Rest {
    /// What was allowed is done.
    Held,
    /// The debate is over. Turns that nothing has seen can still be re-rolled, edited and chosen.
    Done(Done),
    /// Something that was allowed failed; [`Order::Retry`] tries again.
    Stuck(Vec<Failed>),
    /// The ceiling allows no more calls.
    Paused,
    /// These seats wait for a person.
    Waits(Vec<StepId>),
}
