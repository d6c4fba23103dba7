//! Derivation of a guardrail from a debate's lesson. The model on the guardrail seat is asked, where there is
//! none that on the feedback seat, once more where
//! its reply cannot be read; the result is kept either way.

use super::requests;
use crate::engine::call::derive_sampling_seed;
use crate::engine::cost::WorstCase;
use crate::engine::model_request;
use crate::engine::paid_call::{PaidCall, PaidReply};
use crate::engine::play::Table;
use crate::engine::seats::ReadyModel;
use elenchus_game::debate::event::{Created, ModelPlayer};
use elenchus_game::debate::{Chair, Protocol, SeatId, SessionId, State, guardrail_chair};
use elenchus_game::judge;
use elenchus_game::prompt::Derivation;
use elenchus_memory::{DerivedBy, EntryId, EntryOrigin, GuardText, MemoryEvent};
use elenchus_model as model;
use elenchus_model::Request;
use elenchus_records::library::Game;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::memory::{MemoryBook, count_examples};
use elenchus_store::TailNotice;

/// Maximum number of requests for a replacement of an unparsed reply.
const REPAIRS: usize = 1;
/// The token limit of a derivation where the model has none of its own.
const MAX_TOKENS: u32 = 2_048;

/// A lesson that a guardrail can be derived from.
#[derive(Debug, Clone)]
pub(crate) struct DerivationSource {
    pub session: SessionId,
    state: State,
    game: Game,
    chair: Chair,
    player: ModelPlayer,
    text: String,
    entry: String,
    /// The most examples that a guardrail is given.
    most_examples: usize,
}

/// End of a derivation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DerivationEnd {
    /// Kept, as a proposal or as an unparsed reply.
    Kept { notices: Vec<TailNotice> },
    /// Nothing was sent: the ceiling is reached, or the derivation was cancelled.
    NotSent,
}

/// Says why no guardrail is derived from debates of a game in which seats learn for themselves: one keeps all
/// debaters from speaking, and no lesson there is about all of them. `None` for every other game.
pub(crate) fn explain_no_guardrails(protocol: &Protocol) -> Option<String> {
    let learners: Vec<&str> = protocol.learners().map(SeatId::as_str).collect();
    (!learners.is_empty()).then(|| {
        format!(
            "no guardrail is derived from debates of '{}' as it is set: seats learn for themselves there ({}), \
             and a guardrail is derived from a lesson for all debaters; play a game with such a lesson, as pred",
            protocol.id,
            learners.join(", ")
        )
    })
}

impl DerivationSource {
    /// Returns the lesson of a debate that wrote one of its own; `None` where there is none or it is
    /// empty, where no model sits on the feedback seat, or where seats learn for themselves.
    pub(crate) fn from_session(session: &SessionId, state: &State, game: &Game) -> Option<Self> {
        let created = state.first_event()?;
        let feedback = state.lesson()?;
        if explain_no_guardrails(&created.protocol).is_some() {
            return None;
        }
        if state.is_lesson_inherited() || feedback.reply.is_empty() {
            return None;
        }
        let chair = created.guardrail_writer()?;
        let player = created.player_of(&chair)?.as_model()?.clone();
        Some(Self {
            session: session.clone(),
            text: feedback.reply.text.clone(),
            entry: feedback.entry.clone(),
            most_examples: count_examples(&created.memory),
            state: state.clone(),
            game: game.clone(),
            chair,
            player,
        })
    }

    /// Returns the same, asked of another model.
    pub(crate) fn with_player(self, player: ModelPlayer) -> Self {
        let chair = guardrail_chair();
        Self {
            chair,
            player,
            ..self
        }
    }

    /// Returns the same with another bound of examples.
    pub(crate) fn with_most_examples(self, most_examples: usize) -> Self {
        Self {
            most_examples,
            ..self
        }
    }

    fn build_origin(&self, created: &Created) -> EntryOrigin {
        let run = created.run.as_ref();
        EntryOrigin {
            session: self.session.to_string(),
            run: run.map(|place| place.run.to_string()),
            topic_id: created.topic.id.clone(),
            topic_text: created.topic.text.clone(),
            said_before: created.topic.earlier_user_text(),
            root_session: created.session.to_string(),
            batch: run.and_then(|place| place.batch),
        }
    }

    fn build_request(
        &self,
        seat: &ReadyModel,
        created: &Created,
        before: Option<(&str, &str)>,
    ) -> Result<Request, WorkspaceError> {
        let derivation = Derivation {
            chair: &self.chair,
            lesson: &self.text,
            entry: &self.entry,
            before,
        };
        let step_request =
            requests::build_derivation_request(&self.state, created, &self.game, &derivation)?;
        let mut sampling = step_request.sampling;
        if sampling.max_tokens.is_none() && seat.settings.sampling.max_tokens.is_none() {
            sampling.max_tokens = Some(MAX_TOKENS);
        }
        sampling.seed = Some(derive_sampling_seed(created, 0, &step_request.hint));
        let messages = model_request::messages_of_view(&step_request.view);
        let sample = step_request.hint.attempt;
        let settings = &seat.settings;
        Ok(settings.build_request(
            messages,
            &sampling,
            step_request.form,
            sample,
            step_request.hint,
        ))
    }
}

/// Reads a guardrail from a model's reply.
///
/// # Errors
/// When the reply holds none that memory takes; says why.
pub(crate) fn read_guardrail(reply: &str, most_examples: usize) -> Result<GuardText, String> {
    let (intent, examples) = judge::parse_guardrail(reply)?;
    let text = GuardText::new(&intent, &examples)?;
    text.check_count(most_examples)?;
    Ok(text)
}

/// Derives a guardrail; durable when this returns. A call that fails is kept as a failure.
///
/// # Errors
/// When a template fails, the model cannot be made ready, or the journal cannot be written.
pub(crate) async fn derive_guardrail(
    lesson: DerivationSource,
    book: &MemoryBook,
    table: Table<'_>,
) -> Result<DerivationEnd, WorkspaceError> {
    let Some(created) = lesson.state.first_event() else {
        return Ok(DerivationEnd::NotSent);
    };
    let origin = lesson.build_origin(created);
    let seat = table.seats.make_ready(&lesson.player)?;
    let mut by = DerivedBy {
        model: lesson.player.model.clone(),
        simulated: lesson.player.simulated,
        cost_usd: Some(0.0),
        ..DerivedBy::default()
    };
    let mut why = String::new();
    for _ in 0..=REPAIRS {
        let before = by
            .replies
            .last()
            .map(|reply| (reply.as_str(), why.as_str()));
        let request = lesson.build_request(&seat, created, before)?;
        let reply = match ask_model(&lesson, &seat, &request, book, table).await? {
            DerivationReply::Replied(reply) => *reply,
            DerivationReply::NotSent => return Ok(DerivationEnd::NotSent),
            DerivationReply::Failed(why) => {
                let at = table.clock.now();
                let failure = MemoryEvent::DerivationFailed { origin, why, at };
                let notices = book.add_guard_events(vec![failure]).await?;
                return Ok(DerivationEnd::Kept { notices });
            }
        };
        let cost = seat.settings.cost_usd(&reply);
        by.cost_usd = by.cost_usd.zip(cost).map(|(sum, cost)| sum + cost);
        by.input_tokens = by.input_tokens.saturating_add(reply.usage.input_tokens);
        by.output_tokens = by.output_tokens.saturating_add(reply.usage.output_tokens);
        let read = read_guardrail(&reply.text, lesson.most_examples);
        by.replies.push(reply.text);
        match read {
            Ok(text) => {
                let proposal = MemoryEvent::GuardProposed {
                    id: EntryId(format!("guard-{}", lesson.session)),
                    text,
                    origin: Some(origin),
                    derived: Some(Box::new(by)),
                    at: table.clock.now(),
                };
                let notices = book.add_guard_events(vec![proposal]).await?;
                return Ok(DerivationEnd::Kept { notices });
            }
            Err(fault) => why = fault,
        }
    }
    let unparsed_reply = MemoryEvent::DerivationUnparsed {
        origin,
        why,
        derived: Box::new(by),
        at: table.clock.now(),
    };
    let notices = book.add_guard_events(vec![unparsed_reply]).await?;
    Ok(DerivationEnd::Kept { notices })
}

enum DerivationReply {
    Replied(Box<model::Reply>),
    Failed(String),
    NotSent,
}

async fn ask_model(
    lesson: &DerivationSource,
    seat: &ReadyModel,
    request: &Request,
    book: &MemoryBook,
    table: Table<'_>,
) -> Result<DerivationReply, WorkspaceError> {
    let worst_case = WorstCase::from_request(&seat.settings, request);
    let call = PaidCall {
        seat,
        request,
        worst_case,
        budget: table.budget,
        cancel: table.cancel,
    };
    let write_start = async {
        let start_event = MemoryEvent::DerivationStarted {
            session: lesson.session.to_string(),
            worst_case_usd: worst_case.usd,
            worst_case_tokens: worst_case.tokens,
            at: table.clock.now(),
        };
        book.note_guard_event(start_event).await
    };
    Ok(match call.send(write_start, |_, _, _| {}).await? {
        PaidReply::Replied(reply) => DerivationReply::Replied(reply),
        PaidReply::Failed { error, .. } if !table.cancel.is_cancelled() => {
            DerivationReply::Failed(error.to_string())
        }
        PaidReply::Failed { .. } | PaidReply::Refused | PaidReply::NotSent => {
            DerivationReply::NotSent
        }
    })
}
