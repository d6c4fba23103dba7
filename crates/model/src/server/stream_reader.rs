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
    began: Instant,
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
    streamed: bool,
    first_token: Option<FirstToken>,
}

impl StreamReader {
    /// `marks` are those of private reasoning that the model's settings name.
    pub fn new(began: Instant, key: &Secret, bounds: UsageBounds, marks: &OwnMarks) -> Self {
        Self {
            began,
            first_text: None,
            splitter: ReasoningSplitter::with_marks(marks),
            public: key.scrubber(),
            thinking: key.scrubber(),
            finish: None,
            usage: None,
            bounds,
            read_chars: 0,
            model: None,
            has_choice: false,
            streamed: false,
            first_token: None,
        }
    }

    /// Reads one event; an error that it reports ends the reply.
    pub(super) fn take_event(
        &mut self,
        event: &Value,
        watch: &dyn Watch,
    ) -> Result<(), (CallErrorKind, String)> {
        if let Some(error) = error_meaning::from_event(event) {
            return Err(error);
        }
        if let Some(usage) = event.get("usage").and_then(usage) {
            self.usage = Some(usage);
            watch.usage(self.bounds.apply(usage, self.read_chars));
        }
        if self.model.is_none() {
            self.model = name(event.get("model"));
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
            self.first_token = first_token(choice);
        }
        self.take_choice(choice, watch);
        match self.finish.as_deref() {
            Some(reason) if FinishClass::from_reason(reason) == FinishClass::Broken => {
                let words = format!("finish reason: {reason}");
                Err((CallErrorKind::ErrorInStream, words))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn take_choice(&mut self, choice: &Value, watch: &dyn Watch) {
        let delta = choice.get("delta").filter(|delta| delta.is_object());
        self.streamed |= delta.is_some();
        let message = delta.or_else(|| choice.get("message")).unwrap_or(choice);
        let mut told_chars = 0;
        let mut tell = |delta: Delta<'_>| {
            told_chars += match delta {
                Delta::Public(text) | Delta::Thinking(text) => text.chars().count() as u64,
                Delta::PublicWasThinking => 0,
            };
            watch.delta(delta);
        };
        if let Some(thinking) = private_fields(message) {
            let thinking = self.thinking.push(&thinking);
            self.splitter.push_thinking(&thinking, &mut tell);
        }
        for field in TEXT_FIELDS {
            match message.get(field) {
                Some(Value::String(text)) => {
                    let text = self.public.push(text);
                    self.splitter.push(&text, &mut tell);
                }
                Some(Value::Array(parts)) => self.take_parts(parts, &mut tell),
                Some(_) | None => {}
            }
        }
        if told_chars > 0 && self.first_text.is_none() {
            self.first_text = Some(self.began.elapsed());
        }
        self.read_chars += told_chars;
        if let Some(usage) = self.usage.filter(|_| told_chars > 0) {
            // It was reported before this text came.
            watch.usage(self.bounds.apply(usage, self.read_chars));
        }
        if let Some(reason) = finish_reason(choice) {
            self.finish = Some(reason);
        }
    }

    /// Takes text in parts: a part is private by its type, else public.
    fn take_parts(&mut self, parts: &[Value], tell: &mut dyn FnMut(Delta<'_>)) {
        for part in parts {
            let text = part_text(part);
            if text.is_empty() {
                continue;
            }
            match is_private_part(part) {
                true => {
                    let text = self.thinking.push(&text);
                    self.splitter.push_thinking(&text, tell);
                }
                false => self.splitter.push(&self.public.push(&text), tell),
            }
        }
    }

    /// Returns whether and how the reply has ended so far.
    pub fn ended(&self) -> StreamEnd {
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
    pub fn finish(mut self, request: &Request, latency_ms: u64, watch: &dyn Watch) -> Reply {
        let mut tell = |delta: Delta<'_>| watch.delta(delta);
        let thought = self.thinking.finish();
        if !thought.is_empty() {
            self.splitter.push_thinking(&thought, &mut tell);
        }
        self.splitter.push(&self.public.finish(), &mut tell);
        let split = self.splitter.finish(&mut |delta| watch.delta(delta));
        let (text, thinking) = (split.public, split.thinking);
        let thought = thinking.as_ref().map_or(0, |text| text.chars().count());
        let output = (text.chars().count() + thought) as u64;
        let usage = match self.usage {
            Some(usage) => self.bounds.apply(usage, output),
            None => Usage::estimated(request.input_chars(), output, TokenSource::Estimated),
        };
        Reply {
            text,
            thinking,
            finish: finish_of(self.finish),
            usage,
            model: self.model.unwrap_or_else(|| request.model.clone()),
            latency_ms,
            first_token_ms: self.first_text.filter(|_| self.streamed).map(millis),
            request_id: None,
            cached: false,
            first_token: self.first_token,
            end_token: split.end_token,
            unknown_mark: split.unknown_mark,
            left_out: Vec::new(),
            sent_as: BTreeMap::new(),
        }
    }
}

/// Returns the probability of the first token that is not blank: some replies begin with line
/// breaks.
fn first_token(choice: &Value) -> Option<FirstToken> {
    let tokens = choice.get("logprobs")?.get("content")?.as_array()?;
    let likely = |entry: &Value| {
        let token = entry.get("token")?.as_str()?;
        let probability = entry.get("logprob")?.as_f64()?.exp();
        let kept: String = token.chars().take(MAX_NAME_CHARS).collect();
        // A positive logarithm is no log-probability.
        (0.0..=1.0)
            .contains(&probability)
            .then_some((kept, probability))
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
pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn name(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?;
    (!text.is_empty()).then(|| text.chars().take(MAX_NAME_CHARS).collect())
}

/// Returns the finish reason of a choice: the standard field, else what a router or another API calls
/// it. Words that say that there is none yet are none.
fn finish_reason(choice: &Value) -> Option<String> {
    let fields = ["finish_reason", "native_finish_reason", "stop_reason"];
    let mut reasons = fields.iter().filter_map(|field| name(choice.get(*field)));
    reasons.find(|reason| FinishClass::from_reason(reason) != FinishClass::NoneYet)
}

/// Returns the private reasoning that a message holds in fields of its own.
fn private_fields(message: &Value) -> Option<String> {
    let fields = &ReasoningMarks::known().fields;
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
    let private = &ReasoningMarks::known().fields.part_types;
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
    let found = fields.iter().find_map(|field| match part.get(*field)? {
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
    found.unwrap_or_default()
}

/// Reads usage; none where the server sent nothing or only zeros.
fn usage(value: &Value) -> Option<Usage> {
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
