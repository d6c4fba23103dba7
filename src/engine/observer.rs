//! Who watches a debate while it is played.

use crate::debate::event::Record;
use crate::debate::step::{Judge, Speak};
use crate::debate::view::View;
use crate::debate::{Chair, SessionId, State};
use crate::judge::Rubric;
use crate::model::BoxFuture;
use crate::prompt::LabelHint;
use crate::store::Notice;

/// Is told what happened. Everything it hears of is durable already, but for retries, which are
/// written without waiting for the disk.
pub trait Observer: Send + Sync {
    /// An event was made durable; `state` holds it.
    fn happened(&self, session: &SessionId, record: &Record, state: &State);
    /// An incomplete last line was cut off a journal when it was opened; nobody is told unless
    /// this is written.
    fn mended(&self, _notice: &Notice) {}
    /// Something is done otherwise than usual, and why: words stand in for meaning when memory is
    /// searched. Nobody is told unless this is written.
    fn noticed(&self, _notice: &str) {}
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn happened(&self, _session: &SessionId, _record: &Record, _state: &State) {}
}

/// What a person is asked for, with what the seat is shown.
#[derive(Debug, Clone)]
pub struct Question {
    pub view: View,
    pub kind: QuestionKind,
}

/// The kinds of things a person on a seat is asked for.
#[derive(Debug, Clone)]
pub enum QuestionKind {
    Turn(Speak),
    Verdict {
        judge: Judge,
        labels: Vec<LabelHint>,
        form: VerdictForm,
        /// Reads the verdict. The game asks no person again for one that cannot be read, so
        /// whoever asks looks first.
        rubric: Box<Rubric>,
    },
    Lesson(Chair),
}

/// What has to be written for the rubric to read a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerdictForm {
    /// What a label says, alone.
    Label,
    /// Reasons, if there are any, and what a label says on the last line.
    LabelAfterReasons,
    /// Everything that the seat is asked for: the label is one field of several.
    Whole,
}

/// What a person answered.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A turn, a lesson, or a verdict in words that the rubric reads.
    Text(String),
    /// The person left; the debate can be resumed.
    Left,
}

/// Asks people who sit on seats, one at a time.
pub trait People: Send + Sync {
    /// Asks and waits.
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, std::io::Result<Answer>>;

    /// Returns the name under which answers are recorded.
    fn name(&self) -> String;
}

/// There is no terminal to ask on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl People for Nobody {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, std::io::Result<Answer>> {
        Box::pin(async { Ok(Answer::Left) })
    }

    fn name(&self) -> String {
        "nobody".to_owned()
    }
}
