//! Reader of a streamed reply: assembles text, reasoning, usage and finish reason from events, and
//! tolerates many dialects.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::error_meaning;
use super::finish_class::{FinishClass, finish_of};
use super::reasoning_marks::{OwnMarks, ReasoningMarks};
use super::reasoning_split::ReasoningSplitter;
use crate::CallErrorKind;
use crate::access::key_scrub::Scrubber;
use crate::access::secret::Secret;
use crate::call::{Delta, Request, Watch};
use crate::reply::{FirstToken, Reply, TokenSource, Usage};
use crate::usage_bounds::UsageBounds;

/// Field names of the public text; `text` is what old completion servers send.
const TEXT_FIELDS: [&str; 3] = ["content", "refusal", "text"];
/// The longest finish reason, model name or token that is kept.
const MAX_NAME_CHARS: usize = 256;
/// The most alternatives to the first token that are kept.
const MAX_OTHER_TOKENS: usize = 20;

/// End of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamEnd {
    NotYet,
    WithReason,
    ByContentFilter,
}

/// A reply while it arrives.
pub(super) struct StreamReader {
    start_time: Instant,
    first_text: Option<Duration>,
    splitter: ReasoningSplitter,
    /// Scrubs the key before any piece is passed on.
    public: Scrubber,
    thinking: Scrubber,
    finish: Option<String>,
    /// As the server claims it.
    usage: Option<Usage>,
    bounds: UsageBounds,
    /// Characters of text and reasoning that were passed on.
    read_chars: u64,
    model: Option<String>,
    has_choice: bool,
    is_streamed: bool,
    first_token: Option<FirstToken>,
}

impl StreamReader {
    /// `marks` are those of private reasoning that the model's settings name.
    pub fn new(start_time: Instant, key: &Secret, bounds: UsageBounds, marks: &OwnMarks) -> Self {
        Self {
            start_time,
            first_text: None,
            splitter: ReasoningSplitter::with_marks(marks),
            public: key.build_scrubber(),
            thinking: key.build_scrubber(),
            finish: None,
            usage: None,
            bounds,
            read_chars: 0,
            model: None,
            has_choice: false,
            is_streamed: false,
            first_token: None,
        }
    }

    /// Reads one event; an error that it reports ends the reply.
    pub(super) fn add_event(
        &mut self,
        event: &Value,
        watch: &dyn Watch,
    ) -> Result<(), (CallErrorKind, String)> {
        if let Some(error) = error_meaning::from_event(event) {
            return Err(error);
        }
        if let Some(usage) = event.get("usage").and_then(parse_usage) {
            self.usage = Some(usage);
            watch.on_usage(self.bounds.clamp_usage(usage, self.read_chars));
        }
        if self.model.is_none() {
            self.model = read_name(event.get("model"));
        }
        let choices = event.get("choices").and_then(Value::as_array);
        // One choice is requested; others would be other replies.
        let choice = choices.and_then(|choices| {
            let first = |choice: &&Value| choice.get("index").is_none_or(|index| index == 0);
            choices.iter().find(first)
        });
        let Some(choice) = choice else {
            return Ok(());
        };
        self.has_choice = true;
        if self.first_token.is_none() {
            self.first_token = parse_first_token(choice);
        }
        self.add_choice(choice, watch);
        match self.finish.as_deref() {
            Some(reason) if FinishClass::from_reason(reason) == FinishClass::Broken => {
                let words = format!("finish reason: {reason}");
                Err((CallErrorKind::ErrorInStream, words))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn add_choice(&mut self, choice: &Value, watch: &dyn Watch) {
        let delta = choice.get("delta").filter(|delta| delta.is_object());
        self.is_streamed |= delta.is_some();
        let message = delta.or_else(|| choice.get("message")).unwrap_or(choice);
        let mut passed_chars = 0;
        let mut forward = |delta: Delta<'_>| {
            passed_chars += match delta {
                Delta::Public(text) | Delta::Thinking(text) => text.chars().count() as u64,
                Delta::PublicWasThinking => 0,
            };
            watch.on_delta(delta);
        };
        if let Some(thinking) = find_private_text(message) {
            let thinking = self.thinking.push_text(&thinking);
            self.splitter.push_thinking(&thinking, &mut forward);
        }
        for field in TEXT_FIELDS {
            match message.get(field) {
                Some(Value::String(text)) => {
                    let text = self.public.push_text(text);
                    self.splitter.push_text(&text, &mut forward);
                }
                Some(Value::Array(parts)) => self.add_parts(parts, &mut forward),
                Some(_) | None => {}
            }
        }
        if passed_chars > 0 && self.first_text.is_none() {
            self.first_text = Some(self.start_time.elapsed());
        }
        self.read_chars += passed_chars;
        if let Some(usage) = self.usage.filter(|_| passed_chars > 0) {
            // It was reported before this text came.
            watch.on_usage(self.bounds.clamp_usage(usage, self.read_chars));
        }
        if let Some(reason) = find_finish_reason(choice) {
            self.finish = Some(reason);
        }
    }

    /// Takes text in parts: a part is private by its type, else public.
    fn add_parts(&mut self, parts: &[Value], forward: &mut dyn FnMut(Delta<'_>)) {
        for part in parts {
            let text = part_text(part);
            if text.is_empty() {
                continue;
            }
            match is_private_part(part) {
                true => {
                    let text = self.thinking.push_text(&text);
                    self.splitter.push_thinking(&text, forward);
                }
                false => self
                    .splitter
                    .push_text(&self.public.push_text(&text), forward),
            }
        }
    }

    /// Returns whether and how the reply has ended so far.
    pub fn stream_end(&self) -> StreamEnd {
        match self.finish.as_deref() {
            None => StreamEnd::NotYet,
            Some(reason) => match FinishClass::from_reason(reason) {
                FinishClass::Filtered => StreamEnd::ByContentFilter,
                FinishClass::Whole
                | FinishClass::CutByLength
                | FinishClass::Broken
                | FinishClass::ToolCall
                | FinishClass::NoneYet
                | FinishClass::Unknown => StreamEnd::WithReason,
            },
        }
    }

    /// Returns whether any event held a choice: without one there is no reply.
    pub(super) fn has_choice(&self) -> bool {
        self.has_choice
    }

    /// Returns whether any text arrived, public or private.
    pub(super) fn has_text(&self) -> bool {
        self.read_chars > 0
    }

    /// Assembles the reply.
    pub fn into_reply(mut self, request: &Request, latency_ms: u64, watch: &dyn Watch) -> Reply {
        let mut forward = |delta: Delta<'_>| watch.on_delta(delta);
        let rest = self.thinking.finish();
        if !rest.is_empty() {
            self.splitter.push_thinking(&rest, &mut forward);
        }
        self.splitter.push_text(&self.public.finish(), &mut forward);
        let split = self.splitter.finish(&mut |delta| watch.on_delta(delta));
        let (text, thinking) = (split.public, split.thinking);
        let thinking_chars = thinking.as_ref().map_or(0, |text| text.chars().count());
        let output = (text.chars().count() + thinking_chars) as u64;
        let usage = match self.usage {
            Some(usage) => self.bounds.clamp_usage(usage, output),
            None => Usage::estimate(request.input_chars(), output, TokenSource::Estimated),
        };
        Reply {
            text,
            thinking,
            finish: finish_of(self.finish),
            usage,
            model: self.model.unwrap_or_else(|| request.model.clone()),
            latency_ms,
            first_token_ms: self.first_text.filter(|_| self.is_streamed).map(to_millis),
            request_id: None,
            cached: false,
            first_token: self.first_token,
            end_token: split.end_token,
            unknown_mark: split.unknown_mark,
            left_out: Vec::new(),
            sent_as: BTreeMap::new(),
            reported_cost_usd: None,
        }
    }
}

/// Returns the probability of the first token that is not blank: some replies begin with line
/// breaks.
fn parse_first_token(choice: &Value) -> Option<FirstToken> {
    let tokens = choice.get("logprobs")?.get("content")?.as_array()?;
    let likely = |entry: &Value| {
        let token = entry.get("token")?.as_str()?;
        let probability = entry.get("logprob")?.as_f64()?.exp();
        let token_text: String = token.chars().take(MAX_NAME_CHARS).collect();
        // A positive logarithm is no log-probability.
        (0.0..=1.0)
            .contains(&probability)
            .then_some((token_text, probability))
    };
    let blank = |entry: &&Value| {
        let token = entry.get("token").and_then(Value::as_str);
        token.is_some_and(|token| token.trim().is_empty())
    };
    let first = tokens.iter().find(|entry| !blank(entry))?;
    let (token, probability) = likely(first)?;
    let others = first.get("top_logprobs").and_then(Value::as_array);
    let others = others.into_iter().flatten().filter_map(likely);
    Some(FirstToken {
        others: others
            .filter(|(other, _)| *other != token)
            .take(MAX_OTHER_TOKENS)
            .collect(),
        token,
        probability,
    })
}

/// Rounds a duration down to whole milliseconds.
pub(super) fn to_millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn read_name(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?;
    (!text.is_empty()).then(|| text.chars().take(MAX_NAME_CHARS).collect())
}

/// Returns the finish reason of a choice: the standard field, else what a router or another API calls
/// it. Words that say that there is none yet are none.
fn find_finish_reason(choice: &Value) -> Option<String> {
    let fields = ["finish_reason", "native_finish_reason", "stop_reason"];
    let mut reasons = fields
        .iter()
        .filter_map(|field| read_name(choice.get(*field)));
    reasons.find(|reason| FinishClass::from_reason(reason) != FinishClass::NoneYet)
}

/// Returns the private reasoning that a message holds in fields of its own.
fn find_private_text(message: &Value) -> Option<String> {
    let fields = &ReasoningMarks::common_marks().fields;
    let texts = fields
        .text
        .iter()
        .filter_map(|field| match message.get(field)? {
            Value::String(text) => Some(text.clone()),
            Value::Array(parts) => Some(parts.iter().map(part_text).collect()),
            other => Some(part_text(other)),
        });
    let lists = fields.lists.iter().filter_map(|field| {
        let parts = message.get(field)?.as_array()?;
        Some(parts.iter().map(part_text).collect())
    });
    texts.chain(lists).find(|text: &String| !text.is_empty())
}

fn is_private_part(part: &Value) -> bool {
    let private = &ReasoningMarks::common_marks().fields.part_types;
    let is_thought = part.get("thought").and_then(Value::as_bool);
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    let kind = kind.to_lowercase();
    is_thought == Some(true)
        || private.iter().any(|private| kind.contains(private))
        || part.get("thinking").is_some_and(|inner| !inner.is_null())
}

/// Returns the text of a part of a list, which may be in parts itself.
fn part_text(part: &Value) -> String {
    if let Value::String(text) = part {
        return text.clone();
    }
    let fields = ["text", "thinking", "reasoning", "summary", "content"];
    let inner_text = fields.iter().find_map(|field| match part.get(*field)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(inner) => {
            let texts = inner.iter().filter_map(|part| match part {
                Value::String(text) => Some(text.as_str()),
                part => part.get("text")?.as_str(),
            });
            Some(texts.collect())
        }
        _ => None,
    });
    inner_text.unwrap_or_default()
}

/// Reads usage; none where the server sent nothing or only zeros.
fn parse_usage(value: &Value) -> Option<Usage> {
    let count = |names: [&str; 2]| names.iter().find_map(|name| value.get(*name)?.as_u64());
    let input_tokens = count(["prompt_tokens", "input_tokens"])?;
    let output_tokens = count(["completion_tokens", "output_tokens"])?;
    if input_tokens == 0 && output_tokens == 0 {
        return None;
    }
    let detail = |path: &str| value.pointer(path).and_then(Value::as_u64);
    Some(Usage {
        input_tokens,
        output_tokens,
        reasoning_tokens: detail("/completion_tokens_details/reasoning_tokens"),
        cached_tokens: detail("/prompt_tokens_details/cached_tokens"),
        counted: TokenSource::Server,
        claimed: None,
        sent_tokens: None,
    })
}
