//! Observer of a debate, and the people who can be asked during it.

use elenchus_game::debate::event::Record;
use elenchus_game::debate::step::{Judge, Speak};
use elenchus_game::debate::view::View;
use elenchus_game::debate::{Chair, SessionId, State};
use elenchus_game::judge::Rubric;
use elenchus_game::prompt::LabelHint;
use elenchus_model::BoxFuture;
use elenchus_records::library::VerdictForm;
use elenchus_store::TailNotice;

/// Receives what happened. All of it is durable already, except retries, which are
/// written without waiting for the disk.
pub trait Observer: Send + Sync {
    /// An event was made durable; `state` holds it.
    fn on_event(&self, session: &SessionId, record: &Record, state: &State);
    /// An incomplete last line was cut off a journal when it was opened. Ignored unless implemented.
    fn on_tail_repair(&self, _notice: &TailNotice) {}
    /// A notice, for example that memory is searched by words because no embedder is available. Ignored
    /// unless implemented.
    fn on_notice(&self, _notice: &str) {}
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn on_event(&self, _session: &SessionId, _record: &Record, _state: &State) {}
}

/// Question to a person, with the view of the seat.
#[derive(Debug, Clone)]
pub struct PersonQuestion {
    pub view: View,
    pub kind: QuestionKind,
}

/// Kind of a question to a person.
#[derive(Debug, Clone)]
pub enum QuestionKind {
    Turn(Speak),
    Verdict {
        judge: Judge,
        labels: Vec<LabelHint>,
        form: VerdictForm,
        /// Reads the verdict. The game asks no person again for an unparsed one, so the caller of
        /// [`People::ask`] checks it first.
        rubric: Box<Rubric>,
    },
    Lesson(Chair),
}

/// Answer of a person.
#[derive(Debug, Clone)]
pub enum PersonAnswer {
    /// A turn, a lesson, or a verdict in words that the rubric reads.
    Text(String),
    /// The person left; the debate can be resumed.
    Left,
}

/// Asks people who sit on seats, one at a time.
pub trait People: Send + Sync {
    /// Asks and waits.
    fn ask<'a>(
        &'a self,
        question: &'a PersonQuestion,
    ) -> BoxFuture<'a, std::io::Result<PersonAnswer>>;

    /// Returns the name under which answers are recorded.
    fn name(&self) -> String;
}

/// No people: there is no terminal to ask on.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPeople;

impl People for NoPeople {
    fn ask<'a>(
        &'a self,
        _question: &'a PersonQuestion,
    ) -> BoxFuture<'a, std::io::Result<PersonAnswer>> {
        Box::pin(async { Ok(PersonAnswer::Left) })
    }

    fn name(&self) -> String {
        "nobody".to_owned()
    }
}
