//! Views of seats: what a seat was or would be shown for one call, every part with its origin, and the facts
//! of the call. Pure.
//!
//! | file | content |
//! |---|---|
//! | `origin` | origin of a part, in letters and in words |
//! | `messages` | messages with a person's changes to them |
//! | `prompt_version` | version of the prompt of an attempt |
//! | `reading` | what a person in a seat reads before they write |
//! | `text` | texts of parts, as far as they may be shown |
//! | `view_pages` | several views, gone through part by part |

mod messages;
mod origin;
mod prompt_version;
mod reading;
mod text;
mod view_pages;

pub use messages::Messages;
pub use origin::{OriginKind, Origins, PartOrigin};
pub use reading::SeatReading;
pub use text::ViewOptions;
pub use view_pages::{ChangeKeys, ViewItemText, ViewPages};

use elenchus_game::debate::event::{Author, Outcome, Reply};
use elenchus_game::debate::state::{Attempt, State, VerdictState};
use elenchus_game::debate::step::{ShownOrder, Step, Target, VerdictSlot};
use elenchus_game::debate::view::View;
use elenchus_game::debate::{
    AttemptId, Chair, GuardDecision, GuardrailWritten, JudgingId, Recorded, SeatId, TurnId,
};
use elenchus_game::prompt::expand_view;
use elenchus_text::{Paragraph, Role, cost, prose_paragraphs};
use prompt_version::MadeWith;
use serde_json::Value;

/// Four characters are about a token (as estimates assume).
const CHARACTERS_PER_TOKEN: usize = 4;
/// Characters of a hash in the heading.
const SHORT_HASH: usize = 12;

/// One view with what is known of its call.
#[derive(Debug, Clone, Default)]
pub struct SeatView {
    /// Seat and purpose of the call.
    pub title: String,
    pub origins: Origins,
    pub messages: Messages,
    /// Model, tokens, cost: a few lines.
    pub facts: Vec<Paragraph>,
    /// Sampling, schema and hash in full.
    pub request: Vec<Paragraph>,
    /// Reason why there are no messages.
    pub nothing: Option<String>,
    /// Says whether a model would be sent this.
    pub to_model: bool,
    /// A person spoke or judged: nothing was sent to a model.
    pub to_person: bool,
    /// Reply of a judge, or to the question about guardrails.
    pub reply: Option<Reply>,
    /// Version of the prompt, with its line among the facts.
    made_with: Option<MadeWith>,
}

/// Returns about how many tokens a text has.
pub fn estimate_tokens(text: &str) -> usize {
    text.chars().count().div_ceil(CHARACTERS_PER_TOKEN)
}

/// Returns the views of a turn's attempts, and of its seat's decision on guardrails.
pub fn views_of_turn(state: &State, turn: &TurnId) -> Vec<SeatView> {
    if !state.turns().contains_key(turn) {
        return Vec::new();
    }
    let decision = view_of_decision(state, &turn.chair);
    let attempts = views_of_attempts(state, turn).map(|(_, view)| view);
    attempts.chain(decision).collect()
}

/// Returns the views of a turn's attempts.
pub fn views_of_attempts<'a>(
    state: &'a State,
    turn: &'a TurnId,
) -> impl Iterator<Item = (AttemptId, SeatView)> + 'a {
    let turn_state = state.turns().get(turn);
    let attempts = turn_state.map(|turn_state| &turn_state.attempts);
    let attempts = attempts.into_iter().flatten().enumerate();
    attempts.map(|(at, attempt)| {
        let id = AttemptId {
            turn: turn.clone(),
            attempt: u32::try_from(at).unwrap_or(u32::MAX),
        };
        let view = view_of_attempt(state, &id, attempt);
        (id, view)
    })
}

/// Returns the views of the lessons that a model wrote.
pub fn views_of_lessons(state: &State) -> Vec<SeatView> {
    let views = state.lessons().filter_map(|lesson| {
        let view = lesson.view.as_ref()?.decode();
        let of = describe_learner(lesson.learner.as_ref());
        Some(SeatView {
            title: format!("what was shown for the lesson{of}"),
            origins: Origins::from_state(state, None),
            ..build_view(state, None, Some(view), Some(&lesson.reply), None)
        })
    });
    views.collect()
}

/// Returns the view of the guardrail that a sample wrote.
pub fn view_of_guardrail(state: &State, written: &GuardrailWritten) -> SeatView {
    let view = written.view.as_ref().map(Recorded::decode);
    let origins = Origins::from_state(state, Some(written.chair.clone()));
    SeatView {
        title: "what was shown to write a guardrail".to_owned(),
        origins,
        ..build_view(state, None, view, Some(&written.reply), None)
    }
}

fn describe_learner(learner: Option<&SeatId>) -> String {
    learner.map_or_else(String::new, |learner| format!(" of {learner}"))
}

/// Returns the sheet of a chair's decision on guardrails, which came before its first turn.
pub fn view_of_decision(state: &State, chair: &Chair) -> Option<SeatView> {
    let decision = state.guard_states().get(chair)?;
    let origins = Origins::from_state(state, Some(chair.clone()));
    let name = origins.chair_name(chair);
    let mut seat_view = match &decision.decided {
        Ok(guarded) => build_view(
            state,
            None,
            guarded.view.as_ref().map(Recorded::decode),
            Some(&guarded.reply),
            None,
        ),
        Err(failed) => SeatView {
            nothing: Some(format!(
                "the call failed, so {name} spoke: {}",
                failed.message
            )),
            ..SeatView::default()
        },
    };
    if let Ok(outcome) = &decision.decided {
        seat_view.reply = Some(outcome.reply.clone());
        let (role, found) = match &outcome.decision {
            GuardDecision::Matched { guardrail } => (
                Role::Warning,
                format!("decided: guardrail {guardrail} matches"),
            ),
            GuardDecision::NoMatch => (Role::FromMemory, "decided: none matches".to_owned()),
            GuardDecision::Unparsed { why, .. } => (Role::Unparsed, format!("unparsed: {why}")),
        };
        seat_view.facts.push(Paragraph::new(role, found));
    }
    Some(SeatView {
        title: format!("what {name} was shown to decide on guardrails"),
        origins,
        ..seat_view
    })
}

fn view_of_attempt(state: &State, id: &AttemptId, attempt: &Attempt) -> SeatView {
    let origins = Origins::from_state(state, Some(id.turn.chair.clone()));
    let name = origins.chair_name(&id.turn.chair);
    let title = format!("what {name} was shown for {id}");
    let schema = state
        .protocol()
        .and_then(|protocol| protocol.find_stage(&id.turn.stage))
        .and_then(|stage| stage.output.clone());
    let mut seat_view = build_view(
        state,
        Some(&id.turn),
        attempt.view.map(|place| state.view_at(place)),
        Some(&attempt.reply),
        schema,
    );
    if let Some(guardrail) = &attempt.guardrail {
        seat_view.nothing = Some(format!(
            "guardrail {guardrail} refused this turn: no model was asked"
        ));
    }
    if let (None, Author::Person(who)) = (&attempt.view, &attempt.by) {
        seat_view.nothing = Some(format!(
            "{who} typed this text: no model was shown anything"
        ));
    }
    prompt_version::add_prompt_version(&mut seat_view, state, id);
    if let (Author::Person(who), false) = (&attempt.by, attempt.edited) {
        let text = format!("{who} spoke on this seat: nothing was sent to a model");
        seat_view.facts = vec![Paragraph::new(Role::FromPerson, text)];
        seat_view.request.clear();
        seat_view.to_person = true;
    }
    if attempt.edited {
        let who = match &attempt.by {
            Author::Person(who) => who.as_str(),
            Author::Engine => "a person",
        };
        let text = format!("the text that counts was edited afterwards by {who}");
        seat_view.facts.push(Paragraph::new(Role::FromPerson, text));
    }
    SeatView {
        title,
        origins,
        ..seat_view
    }
}

/// Returns the views of every verdict of a rule on a target, each with the tries before it, and the
/// place of the one of a slot.
pub fn views_of_verdicts(
    state: &State,
    judging: &JudgingId,
    target: &Target,
    slot: Option<VerdictSlot>,
) -> (Vec<SeatView>, usize) {
    let mut views = Vec::new();
    let mut position = None;
    let by_slot = state.verdicts_on(judging, target);
    for (of, verdict) in by_slot.into_iter().flatten() {
        for earlier in &verdict.earlier {
            views.push(view_of_verdict(state, judging, target, *of, earlier));
        }
        if position.is_none() && slot.is_none_or(|slot| slot == *of) {
            position = Some(views.len());
        }
        views.push(view_of_verdict(state, judging, target, *of, verdict));
    }
    (views, position.unwrap_or(0))
}

fn view_of_verdict(
    state: &State,
    judging: &JudgingId,
    target: &Target,
    slot: VerdictSlot,
    verdict: &VerdictState,
) -> SeatView {
    let rule = state
        .protocol()
        .and_then(|protocol| protocol.find_judging(judging));
    let chair = rule.and_then(|rule| rule.by.clone()).map(|seat| Chair {
        seat,
        index: slot.chair,
    });
    let origins = Origins::from_state(state, chair.clone());
    let name = chair.map_or_else(|| judging.to_string(), |chair| origins.chair_name(&chair));
    let order = match slot.order {
        ShownOrder::AsSeated => "",
        ShownOrder::Swapped => ", candidates swapped",
    };
    let title = format!("what {name} was shown for {judging} on {target}{order}");
    let mut seat_view = build_view(
        state,
        None,
        verdict.view.map(|place| state.view_at(place)),
        verdict.reply.as_ref(),
        None,
    );
    let outcome_text = match &verdict.outcome {
        Some(Outcome::Label(finding)) => format!("found: {}", finding.label),
        Some(Outcome::Unparsed { .. }) => "found: unparsed".to_owned(),
        None => "found nothing: the provider's filter refused the call".to_owned(),
    };
    seat_view
        .facts
        .push(Paragraph::new(Role::FromVerdict, outcome_text));
    if verdict.view.is_none() {
        seat_view.nothing = Some(match &verdict.by {
            Author::Person(who) => format!("{who} gave this verdict: no model was shown anything"),
            Author::Engine => "a rule found this: no model was shown anything".to_owned(),
        });
    }
    seat_view.to_person = matches!(verdict.by, Author::Person(_));
    seat_view.reply.clone_from(&verdict.reply);
    SeatView {
        title,
        origins,
        ..seat_view
    }
}

fn build_view(
    state: &State,
    reader: Option<&TurnId>,
    view: Option<View>,
    reply: Option<&Reply>,
    schema: Option<Value>,
) -> SeatView {
    let mut seat_view = SeatView::default();
    let Some(view) = view else {
        seat_view.nothing = Some("nothing is recorded of what was shown".to_owned());
        return seat_view;
    };
    let request_hash = view.request_sha256.clone();
    seat_view.messages = Messages::new(expand_view(state, reader, view).messages);
    let mut sampling = Value::Null;
    if let Some(reply) = reply {
        seat_view.facts.push(describe_reply(reply));
        sampling = reply.sampling.decode();
    }
    let (asked, request) = request_facts(&sampling, schema.as_ref(), &request_hash);
    seat_view.facts.push(asked);
    if let Some(otherwise) = reply.and_then(describe_deviations) {
        seat_view
            .facts
            .push(Paragraph::new(Role::Notice, otherwise));
    }
    seat_view.request = request;
    seat_view
}

fn describe_reply(reply: &Reply) -> Paragraph {
    let about = if reply.usage.estimated { "about " } else { "" };
    let cost = cost::format_cost(reply.cost_usd);
    let model = match reply.model.as_str() {
        "" => "model not named",
        model => model,
    };
    let mut line = Paragraph::new(Role::Text, model.to_owned()).with_run(
        Role::Muted,
        format!(
            " · {about}{} tokens in, {} out · {cost} · {:.1} s",
            reply.usage.input_tokens,
            reply.usage.output_tokens,
            reply.latency_ms as f64 / 1000.0
        ),
    );
    if reply.cached {
        line = line.with_run(Role::Notice, " · from the cache: nothing was paid");
    }
    line
}

/// Says what of the request its server did not take as it was composed.
fn describe_deviations(reply: &Reply) -> Option<String> {
    let with_spaces = |name: &str| name.replace('_', " ");
    let left_out = reply
        .left_out
        .iter()
        .map(|name| format!("without {}", with_spaces(name)));
    let sent_as = (reply.sent_as.iter())
        .map(|(name, sent)| format!("{} as {}", with_spaces(name), with_spaces(sent)));
    let parts: Vec<String> = left_out.chain(sent_as).collect();
    (!parts.is_empty()).then(|| format!("sent {}", parts.join(", ")))
}

/// Returns what a request says besides its messages: in one line, and in full. `form` is the schema that
/// the reply is held to, or a grammar as a text.
pub fn request_facts(
    sampling: &Value,
    form: Option<&Value>,
    sha256: &str,
) -> (Paragraph, Vec<Paragraph>) {
    let line = describe_request(sampling, form, sha256);
    let full = describe_full_request(sampling, form, sha256);
    (Paragraph::new(Role::Muted, line), full)
}

/// Returns sampling, schema and the beginning of the hash in one line.
fn describe_request(sampling: &Value, form: Option<&Value>, sha256: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (key, value) in sampling.as_object().into_iter().flatten() {
        parts.push(format!("{} {value}", key.replace('_', " ")));
    }
    if parts.is_empty() {
        parts.push("sampling as the server has it".to_owned());
    }
    if let Some(form) = form {
        parts.push(format!("answers in a {}", form_name(form)));
    }
    if !sha256.is_empty() {
        let short: String = sha256.chars().take(SHORT_HASH).collect();
        parts.push(format!("request {short}"));
    }
    parts.join(" · ")
}

/// A schema is an object, a grammar a text.
fn form_name(form: &Value) -> &'static str {
    match form.is_string() {
        true => "grammar",
        false => "schema",
    }
}

fn describe_full_request(sampling: &Value, form: Option<&Value>, sha256: &str) -> Vec<Paragraph> {
    let mut page = vec![Paragraph::new(Role::Strong, "request")];
    if !sha256.is_empty() {
        page.push(Paragraph::new(Role::Muted, format!("sha256 {sha256}")).with_indent(2, 4));
    }
    for (key, value) in sampling.as_object().into_iter().flatten() {
        page.push(Paragraph::new(Role::Muted, format!("{key} {value}")).with_indent(2, 4));
    }
    if let Some(form) = form {
        let says = format!("answers in this {}:", form_name(form));
        page.push(Paragraph::new(Role::Muted, says).with_indent(2, 2));
        let pretty = form.as_str().map_or_else(
            || serde_json::to_string_pretty(form).unwrap_or_default(),
            str::to_owned,
        );
        page.extend(prose_paragraphs(Role::Muted, 4, &pretty));
    }
    page
}

/// Returns the view of an open step before its request is known.
pub fn view_of_step(state: &State, step: &Step) -> SeatView {
    let (title, reader) = step_title(state, step);
    SeatView {
        title,
        origins: Origins::from_state(state, reader),
        nothing: Some("working out what would be sent".to_owned()),
        ..SeatView::default()
    }
}

/// Returns the title of a step, and who reads it.
fn step_title(state: &State, step: &Step) -> (String, Option<Chair>) {
    let origins = Origins::from_state(state, None);
    match step {
        Step::Speak(speak)
        | Step::AwaitSpeaker(speak)
        | Step::Recite(speak)
        | Step::Refuse(speak) => {
            let name = origins.chair_name(&speak.turn.chair);
            let title = format!("what {name} will be shown for {}", speak.turn);
            (title, Some(speak.turn.chair.clone()))
        }
        Step::Judge(judge) | Step::AwaitJudge(judge) => {
            let name = origins.chair_name(&judge.chair);
            let title = format!(
                "what {name} will be shown for {} on {}",
                judge.judging, judge.target
            );
            (title, Some(judge.chair.clone()))
        }
        Step::WriteFeedback(lesson) | Step::AwaitFeedback(lesson) => {
            let name = origins.chair_name(&lesson.chair);
            let of = describe_learner(lesson.learner.as_ref());
            let title = format!("what {name} will be shown for the lesson{of}");
            (title, Some(lesson.chair.clone()))
        }
        Step::Guard(chair) => {
            let name = origins.chair_name(chair);
            let title = format!("what {name} will be shown to decide on guardrails");
            (title, Some(chair.clone()))
        }
        Step::DeriveGuardrail(chair) => {
            let name = origins.chair_name(chair);
            let title = format!("what {name} will be shown to write a guardrail");
            (title, Some(chair.clone()))
        }
        Step::Retrieve(learner) => {
            let of = describe_learner(learner.as_ref());
            (format!("what memory{of} will be asked"), None)
        }
        Step::SwapRewards => ("whose rewards lessons are written from".to_owned(), None),
        Step::RetrieveGuards => ("which guardrails are near the topic".to_owned(), None),
        Step::Grade { judging, target } => (format!("{judging} on {target}, a rule"), None),
    }
}
