//! Simulated model: an instrument with known ground truth, never evidence about protocols.
//!
//! Every reply is a function of [`SimSettings`], the request's [`Hint`](crate::CallContext) and the
//! marks in its messages: no clock, no state, no network. Speakers know their peers' and their own
//! past only from the marks in view, so a view that leaks changes what they do.
//!
//! Never: writes anything harmful (unsafe turns are marked placeholders), passes for a real model
//! (every free text carries a mark; findings, which must be read exactly, carry it in `thinking`).

mod citations;
mod critic;
mod findings;
mod guardrails;
mod json_from_schema;
mod logistic_normal;
mod markers;
mod reply_form;
mod seeded_draws;
mod sentences;
pub mod settings;
pub mod truth;
mod word_spans;

use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

pub use self::critic::{ACCEPTS, REJECTS};
use self::findings::SimFinding;
pub use self::markers::{
    Flaw, Marker, MarkerKind, Quality, SimState, Trick, markers, without_marks,
};
use self::reply_form::{SimTurn, render_reply, reply_of_text};
use self::seeded_draws::SeededDraws;
pub use self::sentences::UNSAFE_PLACEHOLDER;
use self::sentences::{SentenceKind, SimAnswer};
use self::settings::SimSettings;
use super::call::{BoxFuture, Delta, Model, Request, Watch};
use super::call_context::{Axis, JudgeTask, RoleHint};
use super::reply::Reply;
use super::settings::SettingsError;
use super::{CallError, CallErrorKind};

/// Number of pieces of a streamed reply.
const PIECES: usize = 8;
/// A reply that no parser can read.
const UNREADABLE: &str = "I would rather not put it that way. [simulated unreadable reply]";

/// The simulated model.
#[derive(Debug, Clone)]
pub struct Sim {
    settings: SimSettings,
}

impl Sim {
    /// Returns a simulated model; refuses invalid parameters.
    pub fn new(settings: SimSettings) -> Result<Self, SettingsError> {
        settings.check()?;
        Ok(Self { settings })
    }

    /// Returns the parameters: the known ground truth.
    pub fn settings(&self) -> &SimSettings {
        &self.settings
    }

    /// Computes the reply to a request, without its latency.
    pub fn reply(&self, request: &Request) -> Result<Reply, CallError> {
        let draws = SeededDraws::of_request(request);
        if draws.happens("failure", self.settings.failure_rate) {
            let kind = CallErrorKind::SimulatedFailure;
            return Err(CallError::new(kind, &place(request), ""));
        }
        let role = &request.hint.role;
        let finds = matches!(
            role,
            RoleHint::Judge | RoleHint::Evaluator | RoleHint::Guard
        );
        let read_by_machine = finds || !request.hint.choices.is_empty() || request.form.is_some();
        if read_by_machine && draws.happens("unparsed", self.settings.unparsed_rate) {
            return Ok(reply_of_text(request, UNREADABLE.to_owned(), None));
        }
        let said = match request.hint.role {
            RoleHint::Speaker => self.speaker_turn(request),
            RoleHint::Judge | RoleHint::Evaluator => self.finding_turn(request),
            RoleHint::Feedback => feedback(request, self.settings.tokens_per_reply),
            RoleHint::Guard => return Ok(guardrails::decide_match(&self.settings, request)),
            RoleHint::Derive => return Ok(guardrails::write_guardrail(request)),
        };
        Ok(render_reply(&self.settings, request, &said))
    }

    fn speaker_turn(&self, request: &Request) -> SimTurn {
        let hint = &request.hint;
        if hint.judged {
            if truth::draw_refusal(&self.settings, request) {
                let theme = SentenceKind::Refusal;
                let mut said = self.simulated_turn(request, theme, SimState::Refused, None);
                said.finding = SimFinding::Bad;
                return said;
            }
            let quality = truth::draw_quality(&self.settings, request);
            let theme = SentenceKind::Judged(hint.axis, quality);
            let mut said =
                self.simulated_turn(request, theme, truth::state(hint.axis, quality), None);
            said.finding = finding(quality);
            if hint.axis == Axis::Correctness && !hint.private {
                said.answer = answer(request, quality);
            }
            return said;
        }
        let draws = SeededDraws::of_place(request);
        let flaw = truth::target(request).map(|target| {
            let names_it = draws.happens("names flaw", self.settings.critic_skill);
            match (target, names_it) {
                (Quality::Bad, true) | (Quality::Good, false) => Flaw::Named,
                (Quality::Bad, false) | (Quality::Good, true) => Flaw::NotNamed,
            }
        });
        let mut said = self.simulated_turn(request, SentenceKind::Persona, SimState::Persona, flaw);
        said.finding = match flaw {
            Some(Flaw::Named) => SimFinding::Bad,
            Some(Flaw::NotNamed) => SimFinding::Good,
            None => SimFinding::Middle,
        };
        if let Some(critique) = critic::speaks(&self.settings, request, flaw) {
            said.text = critique.text;
            said.marker.flaw = critique.flaw;
            said.marker.trick = critique.trick;
            said.marker.stage = critique.stage;
            said.finding = match critique.flaw {
                Some(Flaw::NotNamed) => SimFinding::Good,
                Some(Flaw::Named) | None => SimFinding::Bad,
            };
        }
        said
    }

    fn simulated_turn(
        &self,
        request: &Request,
        theme: SentenceKind,
        state: SimState,
        flaw: Option<Flaw>,
    ) -> SimTurn {
        let (kind, theme) = if request.hint.private {
            (MarkerKind::Private, SentenceKind::Private)
        } else {
            (MarkerKind::Turn, theme)
        };
        let draws = SeededDraws::of_place(request);
        SimTurn {
            text: sentences::write(theme, &draws, self.settings.tokens_per_reply),
            answer: None,
            marker: Marker {
                flaw,
                ..mark(request, kind, state)
            },
            finding: SimFinding::Middle,
        }
    }

    fn finding_turn(&self, request: &Request) -> SimTurn {
        let finding = findings::find(&self.settings, request);
        let axis = request.hint.axis;
        let (state, text) = match (request.hint.question, finding) {
            (JudgeTask::Quality, SimFinding::Good) => (
                truth::state(axis, Quality::Good),
                "Nothing here speaks against it.",
            ),
            (JudgeTask::Quality, SimFinding::Bad) => {
                (truth::state(axis, Quality::Bad), "This does not hold up.")
            }
            (JudgeTask::Refusal, SimFinding::Good) => {
                (SimState::Complied, "It does what it was asked.")
            }
            (JudgeTask::Refusal, SimFinding::Bad) => {
                (SimState::Refused, "It declines what it was asked.")
            }
            (_, SimFinding::Middle) => (SimState::Unsure, "This can be seen either way."),
            (JudgeTask::Pick, SimFinding::Good) => (SimState::First, "The first one is better."),
            (JudgeTask::Pick, SimFinding::Bad) => (SimState::Second, "The second one is better."),
        };
        // A finder that calls a turn bad concludes the opposite of it, else the same.
        let concluded = truth::target(request).and_then(|target| {
            let quality = match (request.hint.question, finding, target) {
                (JudgeTask::Pick | JudgeTask::Refusal, _, _) => return None,
                (JudgeTask::Quality, SimFinding::Bad, Quality::Good) => Quality::Bad,
                (JudgeTask::Quality, SimFinding::Bad, Quality::Bad) => Quality::Good,
                (JudgeTask::Quality, SimFinding::Good | SimFinding::Middle, target) => target,
            };
            answer(request, quality)
        });
        SimTurn {
            text: format!("[simulated finding] {text}"),
            answer: concluded,
            marker: mark(request, MarkerKind::Verdict, state),
            finding,
        }
    }
}

fn feedback(request: &Request, tokens: u32) -> SimTurn {
    let lesson = sentences::write(
        SentenceKind::Lesson,
        &SeededDraws::of_place(request),
        tokens,
    );
    let mut marker = mark(request, MarkerKind::Feedback, SimState::Lesson);
    marker.topic = Some(request.hint.topic.clone());
    SimTurn {
        text: format!("[simulated lesson] {lesson}"),
        answer: None,
        marker,
        finding: SimFinding::Middle,
    }
}

fn mark(request: &Request, kind: MarkerKind, state: SimState) -> Marker {
    Marker {
        kind,
        seat: request.hint.seat.clone(),
        index: request.hint.index,
        round: request.hint.round,
        state,
        flaw: None,
        trick: None,
        stage: None,
        topic: None,
    }
}

fn finding(quality: Quality) -> SimFinding {
    match quality {
        Quality::Good => SimFinding::Good,
        Quality::Bad => SimFinding::Bad,
    }
}

fn answer(request: &Request, quality: Quality) -> Option<SimAnswer> {
    let reference = request.hint.reference.as_deref()?;
    Some(match quality {
        Quality::Good => SimAnswer {
            text: reference.to_owned(),
            not: None,
        },
        Quality::Bad => SimAnswer {
            text: sentences::wrong_answer(reference, &SeededDraws::of_place(request)),
            not: Some(reference.trim().to_owned()),
        },
    })
}

fn place(request: &Request) -> String {
    format!("sim/{}", request.model)
}

/// Streams a finished reply so that its last piece arrives after `latency_ms`.
async fn stream_reply(reply: &Reply, latency_ms: u64, watch: &dyn Watch) {
    let began = Instant::now();
    if let Some(thinking) = &reply.thinking {
        watch.delta(Delta::Thinking(thinking));
    }
    let pieces = pieces(&reply.text);
    let count = pieces.len().max(1) as u64;
    for (at, piece) in (1..).zip(pieces) {
        if latency_ms > 0 {
            sleep_until(began + Duration::from_millis(latency_ms.saturating_mul(at) / count)).await;
        }
        watch.delta(Delta::Public(piece));
    }
}

/// Cuts a text after white space into at most [`PIECES`] pieces; at least one.
fn pieces(text: &str) -> Vec<&str> {
    let size = text.len().div_ceil(PIECES).max(1);
    let mut pieces = Vec::with_capacity(PIECES);
    let mut rest = text;
    while rest.len() > size && pieces.len() + 1 < PIECES {
        let behind = rest
            .char_indices()
            .find(|(at, c)| *at >= size && c.is_whitespace())
            .map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (piece, after) = rest.split_at(behind);
        pieces.push(piece);
        rest = after;
    }
    if !rest.is_empty() || pieces.is_empty() {
        pieces.push(rest);
    }
    pieces
}

impl Model for Sim {
    fn complete<'a>(
        &'a self,
        request: &'a Request,
        watch: &'a dyn Watch,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, CallError>> {
        Box::pin(async move {
            let mut reply = self.reply(request)?;
            // The latency is not measured: a replay must give the same bytes.
            reply.latency_ms = self.settings.latency_ms;
            tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    Err(CallError::new(CallErrorKind::Cancelled, &place(request), ""))
                }
                () = stream_reply(&reply, self.settings.latency_ms, watch) => Ok(reply),
            }
        })
    }

    fn simulated(&self) -> bool {
        true
    }
}
