//! Views of seats: what a seat was or would be shown for one call, every part with its origin, and the facts
//! of the call. Pure.
//!
//! | file | content |
//! |---|---|
//! | `origin` | origin of a part, in letters and in words |
//! | `messages` | messages with a person's changes to them |
//! | `prompt_version` | version of the prompt of an attempt |
//! | `text` | texts of parts, as far as they may be shown |
//! | `view_pages` | several views, gone through part by part |

mod messages;
mod origin;
mod prompt_version;
mod text;
mod view_pages;

pub use messages::Messages;
pub use origin::{OriginKind, Origins, PartOrigin};
pub use text::ViewOptions;
pub use view_pages::{ChangeKeys, ViewItemText, ViewPages};

use elenchus_game::debate::event::{Author, Outcome, Reply};
use elenchus_game::debate::state::{Attempt, State, VerdictState};
use elenchus_game::debate::step::{ShownOrder, Step, Target, VerdictSlot};
use elenchus_game::debate::view::View;
use elenchus_game::debate::{AttemptId, Chair, GuardDecision, JudgingId, Recorded, TurnId};
use elenchus_game::prompt::expand;
use elenchus_text::{Paragraph, Role, cost, prose};
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
pub fn tokens(text: &str) -> usize {
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
    let attempts = state.turns().get(turn).map(|known| &known.attempts);
    let attempts = attempts.into_iter().flatten().enumerate();
    attempts.map(|(at, attempt)| {
        let id = AttemptId {
            turn: turn.clone(),
            attempt: u32::try_from(at).unwrap_or(u32::MAX),
        };
        let view = of_attempt(state, &id, attempt);
        (id, view)
    })
}

/// Returns the view of the lesson, where one was written by a model.
pub fn view_of_lesson(state: &State) -> Option<SeatView> {
    let lesson = state.feedback()?;
    let view = lesson.view.as_ref()?.read();
    Some(SeatView {
        title: "what was shown for the lesson".to_owned(),
        origins: Origins::of(state, None),
        ..recorded(state, None, Some(view), Some(&lesson.reply), None)
    })
}

/// Returns the sheet of a chair's decision on guardrails, which came before its first turn.
pub fn view_of_decision(state: &State, chair: &Chair) -> Option<SeatView> {
    let decided = state.guarded().get(chair)?;
    let origins = Origins::of(state, Some(chair.clone()));
    let name = origins.name(chair);
    let mut sheet = match &decided.decided {
        Ok(guarded) => recorded(
            state,
            None,
            guarded.view.as_ref().map(Recorded::read),
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
    if let Ok(guarded) = &decided.decided {
        sheet.reply = Some(guarded.reply.clone());
        let (role, found) = match &guarded.decision {
            GuardDecision::Matched { guardrail } => (
                Role::Warning,
                format!("decided: guardrail {guardrail} matches"),
            ),
            GuardDecision::NoMatch => (Role::FromMemory, "decided: none matches".to_owned()),
            GuardDecision::Unparsed { why, .. } => (Role::Unparsed, format!("unparsed: {why}")),
        };
        sheet.facts.push(Paragraph::of(role, found));
    }
    Some(SeatView {
        title: format!("what {name} was shown to decide on guardrails"),
        origins,
        ..sheet
    })
}

fn of_attempt(state: &State, id: &AttemptId, attempt: &Attempt) -> SeatView {
    let origins = Origins::of(state, Some(id.turn.chair.clone()));
    let name = origins.name(&id.turn.chair);
    let title = format!("what {name} was shown for {id}");
    let schema = state
        .protocol()
        .and_then(|protocol| protocol.stage(&id.turn.stage))
        .and_then(|stage| stage.output.clone());
    let mut sheet = recorded(
        state,
        Some(&id.turn),
        attempt.view.map(|place| state.view(place)),
        Some(&attempt.reply),
        schema,
    );
    if let Some(guardrail) = &attempt.guardrail {
        sheet.nothing = Some(format!(
            "guardrail {guardrail} refused this turn: no model was asked"
        ));
    }
    if let (None, Author::Person(who)) = (&attempt.view, &attempt.by) {
        sheet.nothing = Some(format!(
            "{who} typed this text: no model was shown anything"
        ));
    }
    prompt_version::tell(&mut sheet, state, id);
    if let (Author::Person(who), false) = (&attempt.by, attempt.edited) {
        let text = format!("{who} spoke on this seat: nothing was sent to a model");
        sheet.facts = vec![Paragraph::of(Role::FromPerson, text)];
        sheet.request.clear();
        sheet.to_person = true;
    }
    if attempt.edited {
        let who = match &attempt.by {
            Author::Person(who) => who.as_str(),
            Author::Engine => "a person",
        };
        let text = format!("the text that counts was edited afterwards by {who}");
        sheet.facts.push(Paragraph::of(Role::FromPerson, text));
    }
    SeatView {
        title,
        origins,
        ..sheet
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
    let mut sheets = Vec::new();
    let mut wanted = None;
    let by_slot = state.verdicts_on(judging, target);
    for (of, verdict) in by_slot.into_iter().flatten() {
        for earlier in &verdict.earlier {
            sheets.push(of_verdict(state, judging, target, *of, earlier));
        }
        if wanted.is_none() && slot.is_none_or(|slot| slot == *of) {
            wanted = Some(sheets.len());
        }
        sheets.push(of_verdict(state, judging, target, *of, verdict));
    }
    (sheets, wanted.unwrap_or(0))
}

fn of_verdict(
    state: &State,
    judging: &JudgingId,
    target: &Target,
    slot: VerdictSlot,
    verdict: &VerdictState,
) -> SeatView {
    let rule = state
        .protocol()
        .and_then(|protocol| protocol.judging(judging));
    let chair = rule.and_then(|rule| rule.by.clone()).map(|seat| Chair {
        seat,
        index: slot.chair,
    });
    let origins = Origins::of(state, chair.clone());
    let name = chair.map_or_else(|| judging.to_string(), |chair| origins.name(&chair));
    let order = match slot.order {
        ShownOrder::AsSeated => "",
        ShownOrder::Swapped => ", candidates swapped",
    };
    let title = format!("what {name} was shown for {judging} on {target}{order}");
    let mut sheet = recorded(
        state,
        None,
        verdict.view.map(|place| state.view(place)),
        verdict.reply.as_ref(),
        None,
    );
    let found = match &verdict.outcome {
        Some(Outcome::Label(finding)) => format!("found: {}", finding.label),
        Some(Outcome::Unparsed { .. }) => "found: unparsed".to_owned(),
        None => "found nothing: the provider's filter refused the call".to_owned(),
    };
    sheet.facts.push(Paragraph::of(Role::FromVerdict, found));
    if verdict.view.is_none() {
        sheet.nothing = Some(match &verdict.by {
            Author::Person(who) => format!("{who} gave this verdict: no model was shown anything"),
            Author::Engine => "a rule found this: no model was shown anything".to_owned(),
        });
    }
    sheet.to_person = matches!(verdict.by, Author::Person(_));
    sheet.reply.clone_from(&verdict.reply);
    SeatView {
        title,
        origins,
        ..sheet
    }
}

fn recorded(
    state: &State,
    reader: Option<&TurnId>,
    view: Option<View>,
    reply: Option<&Reply>,
    schema: Option<Value>,
) -> SeatView {
    let mut sheet = SeatView::default();
    let Some(view) = view else {
        sheet.nothing = Some("nothing is recorded of what was shown".to_owned());
        return sheet;
    };
    let sent = view.request_sha256.clone();
    sheet.messages = Messages::new(expand(state, reader, view).messages);
    let mut sampling = Value::Null;
    if let Some(reply) = reply {
        sheet.facts.push(of_reply(reply));
        sampling = reply.sampling.read();
    }
    let (asked, request) = request_facts(&sampling, schema.as_ref(), &sent);
    sheet.facts.push(asked);
    if let Some(otherwise) = reply.and_then(sent_otherwise) {
        sheet.facts.push(Paragraph::of(Role::Notice, otherwise));
    }
    sheet.request = request;
    sheet
}

fn of_reply(reply: &Reply) -> Paragraph {
    let about = if reply.usage.estimated { "about " } else { "" };
    let cost = cost::known(reply.cost_usd);
    let model = match reply.model.as_str() {
        "" => "model not named",
        model => model,
    };
    let mut line = Paragraph::of(Role::Text, model.to_owned()).and(
        Role::Muted,
        format!(
            " · {about}{} tokens in, {} out · {cost} · {:.1} s",
            reply.usage.input_tokens,
            reply.usage.output_tokens,
            reply.latency_ms as f64 / 1000.0
        ),
    );
    if reply.cached {
        line = line.and(Role::Notice, " · from the cache: nothing was paid");
    }
    line
}

/// Says what of the request its server did not take as it was composed.
fn sent_otherwise(reply: &Reply) -> Option<String> {
    let spaced = |name: &str| name.replace('_', " ");
    let left_out = reply
        .left_out
        .iter()
        .map(|name| format!("without {}", spaced(name)));
    let sent_as =
        (reply.sent_as.iter()).map(|(name, sent)| format!("{} as {}", spaced(name), spaced(sent)));
    let said: Vec<String> = left_out.chain(sent_as).collect();
    (!said.is_empty()).then(|| format!("sent {}", said.join(", ")))
}

/// Returns what a request says besides its messages: in one line, and in full. `form` is the schema that
/// the reply is held to, or a grammar as a text.
pub fn request_facts(
    sampling: &Value,
    form: Option<&Value>,
    sha256: &str,
) -> (Paragraph, Vec<Paragraph>) {
    let line = asked_with(sampling, form, sha256);
    let full = in_full(sampling, form, sha256);
    (Paragraph::of(Role::Muted, line), full)
}

/// Returns sampling, schema and the beginning of the hash in one line.
fn asked_with(sampling: &Value, form: Option<&Value>, sha256: &str) -> String {
    let mut said: Vec<String> = Vec::new();
    for (key, value) in sampling.as_object().into_iter().flatten() {
        said.push(format!("{} {value}", key.replace('_', " ")));
    }
    if said.is_empty() {
        said.push("sampling as the server has it".to_owned());
    }
    if let Some(form) = form {
        said.push(format!("answers in a {}", form_name(form)));
    }
    if !sha256.is_empty() {
        let short: String = sha256.chars().take(SHORT_HASH).collect();
        said.push(format!("request {short}"));
    }
    said.join(" · ")
}

/// A schema is an object, a grammar a text.
fn form_name(form: &Value) -> &'static str {
    match form.is_string() {
        true => "grammar",
        false => "schema",
    }
}

fn in_full(sampling: &Value, form: Option<&Value>, sha256: &str) -> Vec<Paragraph> {
    let mut page = vec![Paragraph::of(Role::Strong, "request")];
    if !sha256.is_empty() {
        page.push(Paragraph::of(Role::Muted, format!("sha256 {sha256}")).indented(2, 4));
    }
    for (key, value) in sampling.as_object().into_iter().flatten() {
        page.push(Paragraph::of(Role::Muted, format!("{key} {value}")).indented(2, 4));
    }
    if let Some(form) = form {
        let says = format!("answers in this {}:", form_name(form));
        page.push(Paragraph::of(Role::Muted, says).indented(2, 2));
        let pretty = form.as_str().map_or_else(
            || serde_json::to_string_pretty(form).unwrap_or_default(),
            str::to_owned,
        );
        page.extend(prose(Role::Muted, 4, &pretty));
    }
    page
}

/// Returns the view of an open step before its request is known.
pub fn view_of_step(state: &State, step: &Step) -> SeatView {
    let (title, reader) = step_title(state, step);
    SeatView {
        title,
        origins: Origins::of(state, reader),
        nothing: Some("working out what would be sent".to_owned()),
        ..SeatView::default()
    }
}

/// Returns the title of a step, and who reads it.
fn step_title(state: &State, step: &Step) -> (String, Option<Chair>) {
    let origins = Origins::of(state, None);
    match step {
        Step::Speak(speak)
        | Step::AwaitSpeaker(speak)
        | Step::Recite(speak)
        | Step::Refuse(speak) => {
            let name = origins.name(&speak.turn.chair);
            let title = format!("what {name} will be shown for {}", speak.turn);
            (title, Some(speak.turn.chair.clone()))
        }
        Step::Judge(judge) | Step::AwaitJudge(judge) => {
            let name = origins.name(&judge.chair);
            let title = format!(
                "what {name} will be shown for {} on {}",
                judge.judging, judge.target
            );
            (title, Some(judge.chair.clone()))
        }
        Step::WriteFeedback(chair) | Step::AwaitFeedback(chair) => {
            let name = origins.name(chair);
            let title = format!("what {name} will be shown for the lesson");
            (title, Some(chair.clone()))
        }
        Step::Guard(chair) => {
            let name = origins.name(chair);
            let title = format!("what {name} will be shown to decide on guardrails");
            (title, Some(chair.clone()))
        }
        Step::Retrieve => ("what memory will be asked".to_owned(), None),
        Step::RetrieveGuards => ("which guardrails are near the topic".to_owned(), None),
        Step::Grade { judging, target } => (format!("{judging} on {target}, a rule"), None),
    }
}
