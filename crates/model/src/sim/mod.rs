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
mod prompt_words;
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
    Flaw, Marker, MarkerKind, Quality, SimState, Trick, find_markers, remove_markers,
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
        settings.check_values()?;
        Ok(Self { settings })
    }

    /// Returns the parameters: the known ground truth.
    pub fn settings(&self) -> &SimSettings {
        &self.settings
    }

    /// Computes the reply to a request, without its latency.
    pub fn compute_reply(&self, request: &Request) -> Result<Reply, CallError> {
        let draws = SeededDraws::from_request(request);
        if draws.draw_bool("failure", self.settings.failure_rate) {
            let kind = CallErrorKind::SimulatedFailure;
            return Err(CallError::new(kind, &format_place(request), ""));
        }
        let role = &request.context.role;
        let is_finder = matches!(
            role,
            RoleHint::Judge | RoleHint::Evaluator | RoleHint::Guard
        );
        let is_machine_read =
            is_finder || !request.context.choices.is_empty() || request.form.is_some();
        if is_machine_read && draws.draw_bool("unparsed", self.settings.unparsed_rate) {
            return Ok(reply_of_text(request, UNREADABLE.to_owned(), None));
        }
        let turn = match request.context.role {
            RoleHint::Speaker => self.write_speaker_turn(request),
            RoleHint::Judge | RoleHint::Evaluator => self.write_finding(request),
            RoleHint::Feedback => write_lesson(request, self.settings.tokens_per_reply),
            RoleHint::Guard => return Ok(guardrails::decide_match(&self.settings, request)),
            RoleHint::Derive => return Ok(guardrails::write_guardrail(request)),
        };
        Ok(render_reply(&self.settings, request, &turn))
    }

    fn write_speaker_turn(&self, request: &Request) -> SimTurn {
        let context = &request.context;
        if context.judged {
            if truth::draw_refusal(&self.settings, request) {
                let theme = SentenceKind::Refusal;
                let mut turn = self.build_turn(request, theme, SimState::Refused, None);
                turn.finding = SimFinding::Bad;
                return turn;
            }
            let quality = truth::draw_quality(&self.settings, request);
            let theme = SentenceKind::Judged(context.axis, quality);
            let mut turn = self.build_turn(
                request,
                theme,
                truth::state_of_quality(context.axis, quality),
                None,
            );
            turn.finding = finding_of_quality(quality);
            if context.axis == Axis::Correctness && !context.private {
                turn.answer = build_answer(request, quality);
            }
            return turn;
        }
        let draws = SeededDraws::from_place(request);
        let flaw = truth::find_target_quality(request).map(|target| {
            let names_it = draws.draw_bool("names flaw", critic_skill(&self.settings, request));
            match (target, names_it) {
                (Quality::Bad, true) | (Quality::Good, false) => Flaw::Named,
                (Quality::Bad, false) | (Quality::Good, true) => Flaw::NotNamed,
            }
        });
        let flaw = critic::decide_in_private(&self.settings, request, flaw);
        let theme = SentenceKind::Persona(&context.seat);
        let mut turn = self.build_turn(request, theme, SimState::Persona, flaw);
        turn.finding = match flaw {
            Some(Flaw::Named) => SimFinding::Bad,
            Some(Flaw::NotNamed) => SimFinding::Good,
            None => SimFinding::Middle,
        };
        if let Some(critique) = critic::write_critique(&self.settings, request, flaw) {
            turn.text = critique.text;
            turn.marker.flaw = critique.flaw;
            turn.marker.trick = critique.trick;
            turn.marker.stage = critique.stage;
            turn.finding = match critique.flaw {
                Some(Flaw::NotNamed) => SimFinding::Good,
                Some(Flaw::Named) | None => SimFinding::Bad,
            };
        }
        turn
    }

    fn build_turn(
        &self,
        request: &Request,
        theme: SentenceKind<'_>,
        state: SimState,
        flaw: Option<Flaw>,
    ) -> SimTurn {
        let (kind, theme) = if request.context.private {
            (MarkerKind::Private, SentenceKind::Private)
        } else {
            (MarkerKind::Turn, theme)
        };
        let draws = SeededDraws::from_place(request);
        SimTurn {
            text: sentences::write_sentences(theme, &draws, self.settings.tokens_per_reply),
            answer: None,
            marker: Marker {
                flaw,
                ..build_marker(request, kind, state)
            },
            finding: SimFinding::Middle,
        }
    }

    fn write_finding(&self, request: &Request) -> SimTurn {
        let finding = findings::draw_finding(&self.settings, request);
        let axis = request.context.axis;
        let question = findings::choose_question(&self.settings, request);
        let (state, text) = match (question, finding) {
            (JudgeTask::Quality, SimFinding::Good) => (
                truth::state_of_quality(axis, Quality::Good),
                "Nothing here speaks against it.",
            ),
            (JudgeTask::Quality, SimFinding::Bad) => (
                truth::state_of_quality(axis, Quality::Bad),
                "This does not hold up.",
            ),
            (JudgeTask::Refusal, SimFinding::Good) => {
                (SimState::Complied, "It does what it was asked.")
            }
            (JudgeTask::Refusal, SimFinding::Bad) => {
                (SimState::Refused, "It declines what it was asked.")
            }
            (
                JudgeTask::Stance
                | JudgeTask::BackStab
                | JudgeTask::Spurious
                | JudgeTask::PrivateAcceptance,
                SimFinding::Good,
            ) => (SimState::Fair, "I do not find it in this turn."),
            (
                JudgeTask::Stance
                | JudgeTask::BackStab
                | JudgeTask::Spurious
                | JudgeTask::PrivateAcceptance,
                SimFinding::Bad,
            ) => (SimState::Foul, "I find it in this turn."),
            (_, SimFinding::Middle) => (SimState::Unsure, "This can be seen either way."),
            (JudgeTask::Pick, SimFinding::Good) => (SimState::First, "The first one is better."),
            (JudgeTask::Pick, SimFinding::Bad) => (SimState::Second, "The second one is better."),
        };
        // A finder that calls a turn bad concludes the opposite of it, else the same.
        let conclusion = truth::find_target_quality(request).and_then(|target| {
            let quality = match (question, finding, target) {
                (
                    JudgeTask::Pick
                    | JudgeTask::Refusal
                    | JudgeTask::Stance
                    | JudgeTask::BackStab
                    | JudgeTask::Spurious
                    | JudgeTask::PrivateAcceptance,
                    _,
                    _,
                ) => return None,
                (JudgeTask::Quality, SimFinding::Bad, Quality::Good) => Quality::Bad,
                (JudgeTask::Quality, SimFinding::Bad, Quality::Bad) => Quality::Good,
                (JudgeTask::Quality, SimFinding::Good | SimFinding::Middle, target) => target,
            };
            build_answer(request, quality)
        });
        SimTurn {
            text: format!("[simulated finding] {text}"),
            answer: conclusion,
            marker: build_marker(request, MarkerKind::Verdict, state),
            finding,
        }
    }
}

/// Returns a critic's skill with the lessons and the marked words in its view.
fn critic_skill(settings: &SimSettings, request: &Request) -> f64 {
    let lessons = f64::from(truth::count_lessons(&truth::marks_in_view(request)));
    logistic_normal::shift_probability(
        settings.critic_skill,
        settings.critic_lesson_effect * lessons + prompt_words::sum_shifts(settings, request),
    )
}

fn write_lesson(request: &Request, tokens: u32) -> SimTurn {
    let lesson = sentences::write_sentences(
        SentenceKind::Lesson,
        &SeededDraws::from_place(request),
        tokens,
    );
    let mut marker = build_marker(request, MarkerKind::Feedback, SimState::Lesson);
    marker.topic = Some(request.context.topic.clone());
    marker.others_rewards = request.context.others_rewards;
    SimTurn {
        text: format!("[simulated lesson] {lesson}"),
        answer: None,
        marker,
        finding: SimFinding::Middle,
    }
}

fn build_marker(request: &Request, kind: MarkerKind, state: SimState) -> Marker {
    Marker {
        kind,
        seat: request.context.seat.clone(),
        index: request.context.index,
        round: request.context.round,
        state,
        flaw: None,
        trick: None,
        stage: None,
        topic: None,
        others_rewards: false,
    }
}

fn finding_of_quality(quality: Quality) -> SimFinding {
    match quality {
        Quality::Good => SimFinding::Good,
        Quality::Bad => SimFinding::Bad,
    }
}

fn build_answer(request: &Request, quality: Quality) -> Option<SimAnswer> {
    let reference = request.context.reference.as_deref()?;
    Some(match quality {
        Quality::Good => SimAnswer {
            text: reference.to_owned(),
            not: None,
        },
        Quality::Bad => SimAnswer {
            text: sentences::wrong_answer(reference, &SeededDraws::from_place(request)),
            not: Some(reference.trim().to_owned()),
        },
    })
}

fn format_place(request: &Request) -> String {
    format!("sim/{}", request.model)
}

/// Streams a finished reply so that its last piece arrives after `latency_ms`.
async fn stream_reply(reply: &Reply, latency_ms: u64, watch: &dyn Watch) {
    let start_time = Instant::now();
    if let Some(thinking) = &reply.thinking {
        watch.on_delta(Delta::Thinking(thinking));
    }
    let pieces = cut_pieces(&reply.text);
    let count = pieces.len().max(1) as u64;
    for (at, piece) in (1..).zip(pieces) {
        if latency_ms > 0 {
            sleep_until(start_time + Duration::from_millis(latency_ms.saturating_mul(at) / count))
                .await;
        }
        watch.on_delta(Delta::Public(piece));
    }
}

/// Cuts a text after white space into at most [`PIECES`] pieces; at least one.
fn cut_pieces(text: &str) -> Vec<&str> {
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
            let mut reply = self.compute_reply(request)?;
            // The latency is not measured: a replay must give the same bytes.
            reply.latency_ms = self.settings.latency_ms;
            tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    Err(CallError::new(CallErrorKind::Cancelled, &format_place(request), ""))
                }
                () = stream_reply(&reply, self.settings.latency_ms, watch) => Ok(reply),
            }
        })
    }

    fn is_simulated(&self) -> bool {
        true
    }
}
