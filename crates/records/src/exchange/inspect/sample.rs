//! Sample of a log as a finished conversation: messages as turns, scores as a program's labels.
//!
//! A log that this program wrote names seat, round and stage of each message: its turns keep their places where all
//! of them have one. In any other log each message is a round of its own.

use super::log_types::{
    Content, LogEvent, LogMessage, LogSample, LogScore, ModelEvent, OneOrMany, SampleInput,
};
use crate::exchange::finished_debate::{
    FindingPlace, FinishedItem, FinishedKind, FinishedTurn, FoundCall, FoundLabel, LabelledBy,
    TurnPart,
};
use elenchus_game::debate::event::Finish;
use elenchus_game::debate::{TurnId, Utterance, UtteranceRole};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The most messages of a sample after its prompt.
const MAX_MESSAGES: usize = 1_000;
/// The most scores of a sample.
const MAX_SCORES: usize = 10_000;
/// The most different seats of a conversation.
const MAX_SEATS: usize = 60;
const MAX_CHAIRS: u32 = 64;
const MAX_SEAT_CHARS: usize = 60;
/// The most characters of a scorer's name, and of a value that is no word.
const MAX_NAME_CHARS: usize = 200;
/// References to texts that Inspect keeps apart.
const ATTACHMENTS: [&str; 2] = ["attachment://", "tc://"];
const TOOL: &str = "tool";

/// What a sample gives.
pub(super) enum SampleContent {
    Item(Box<FinishedItem>),
    /// No message after the prompt: the reason in words.
    Unanswered(String),
}

/// What is not taken of the samples of a log, with how many have it.
#[derive(Debug, Default)]
pub(super) struct SampleNotes(BTreeMap<String, usize>);

impl SampleNotes {
    fn add(&mut self, what: String) {
        *self.0.entry(what).or_default() += 1;
    }

    /// Returns a sentence for each.
    pub(super) fn into_sentences(self) -> impl Iterator<Item = String> {
        self.0.into_iter().map(|(what, count)| {
            let samples = if count == 1 { "sample" } else { "samples" };
            format!("not taken: {what} ({count} {samples})")
        })
    }
}

/// Reads a sample.
///
/// # Errors
/// Says what in it is not as Inspect writes it, or too much.
pub(super) fn parse_sample(
    number: u64,
    bytes: &[u8],
    notes: &mut SampleNotes,
) -> Result<SampleContent, String> {
    let sample: LogSample =
        serde_json::from_slice(bytes).map_err(|error| format!("it is no sample: {error}"))?;
    let reader = SampleReader {
        sample: &sample,
        calls: list_calls(&sample.events),
        is_own: sample.metadata.as_ref().is_some_and(|fields| {
            text_of(fields, "session").is_some() && text_of(fields, "protocol").is_some()
        }),
    };
    reader.read(number, notes)
}

/// Returns the calls of models by the ids of their messages.
fn list_calls(events: &[LogEvent]) -> BTreeMap<&str, &ModelEvent> {
    let calls = events.iter().filter_map(|event| match event {
        LogEvent::Model(call) => {
            let id = call.output.choices.first()?.message.id.as_deref()?;
            Some((id, call))
        }
        LogEvent::Other => None,
    });
    calls.collect()
}

struct SampleReader<'a> {
    sample: &'a LogSample,
    calls: BTreeMap<&'a str, &'a ModelEvent>,
    /// This program wrote it.
    is_own: bool,
}

/// A turn with the place that its message states.
struct PlacedTurn {
    turn: FinishedTurn,
    place: Option<TurnId>,
}

impl SampleReader<'_> {
    fn read(&self, number: u64, notes: &mut SampleNotes) -> Result<SampleContent, String> {
        let sample = self.sample;
        let id = sample.id.text();
        let (before, after) = sample.messages.split_at(self.count_prompt_messages());
        if after.len() > MAX_MESSAGES {
            return Err(format!(
                "it has {} messages after its prompt; at most {MAX_MESSAGES} are taken",
                after.len()
            ));
        }
        let (prompt, conversation) = self.read_prompt(before, notes);
        if prompt.trim().is_empty() {
            return Err("it has no prompt: neither its input nor a message before the first answer has text".to_owned());
        }
        let mut turns: Vec<PlacedTurn> = Vec::new();
        for message in after {
            turns.extend(self.read_turns(message, notes)?);
        }
        if turns.len() > MAX_MESSAGES {
            return Err(format!(
                "it has more than {MAX_MESSAGES} messages and calls of tools"
            ));
        }
        if turns.is_empty() {
            let why = match &sample.error {
                Some(error) => format!("it failed: {}", cut(&error.message)),
                None => "nothing follows its prompt".to_owned(),
            };
            return Ok(SampleContent::Unanswered(format!(
                "sample '{}' of epoch {} has no answer: {why}",
                cut(&id),
                sample.epoch
            )));
        }
        if sample.error.is_some() {
            notes.add("that a sample failed after its answer".to_owned());
        }
        self.note_leavings(notes);
        let mut item = FinishedItem {
            line: number,
            id: Some(self.field("topic").unwrap_or(id)),
            prompt,
            conversation,
            category: self.field("category"),
            context: self.field("context").filter(|_| self.is_own),
            options: sample.choices.clone().unwrap_or_default(),
            expected: self.field("expected").filter(|_| self.is_own),
            simulated: self.is_own && self.is_true("simulated"),
            ..FinishedItem::default()
        };
        item.reference = self.read_reference(item.expected.as_deref());
        let is_answer = match turns.as_slice() {
            [only] => only.place.is_none() && only.turn.part == TurnPart::Speech,
            _ => false,
        };
        let places = list_places(&turns);
        let stated = (!is_answer).then_some(places).flatten();
        if is_answer {
            item.form = FinishedKind::Answer;
            item.turns = turns
                .into_iter()
                .map(|placed| FinishedTurn {
                    round: 1,
                    stage: "answer".into(),
                    seat: "author".into(),
                    ..placed.turn
                })
                .collect();
        } else {
            item.form = FinishedKind::Conversation;
            item.turns = match &stated {
                Some(places) => place_turns(turns, places),
                None => number_turns(turns),
            };
        }
        self.add_scores(&mut item, stated.as_deref(), notes)?;
        Ok(SampleContent::Item(Box::new(item)))
    }

    /// Counts the messages that came before the first answer: what the model was shown.
    fn count_prompt_messages(&self) -> usize {
        let given: BTreeSet<&str> = match &self.sample.input {
            SampleInput::Text(_) => BTreeSet::new(),
            SampleInput::Messages(messages) => {
                let ids = messages.iter().filter_map(|message| message.id.as_deref());
                ids.collect()
            }
        };
        let is_given = |message: &LogMessage| {
            message.source.as_deref() == Some("input")
                || message.id.as_deref().is_some_and(|id| given.contains(id))
        };
        let mut messages = self.sample.messages.iter();
        let first = messages.position(|message| {
            matches!(message.role.as_str(), "assistant" | TOOL) && !is_given(message)
        });
        first.unwrap_or(self.sample.messages.len())
    }

    /// Returns the last text of a user before the first answer, and what was said before it.
    fn read_prompt(
        &self,
        before: &[LogMessage],
        notes: &mut SampleNotes,
    ) -> (String, Vec<Utterance>) {
        let from_input;
        let shown: Vec<&LogMessage> = match (before.is_empty(), &self.sample.input) {
            (false, _) => before.iter().collect(),
            (true, SampleInput::Messages(messages)) => messages.iter().collect(),
            (true, SampleInput::Text(text)) => {
                from_input = self.resolve(text);
                return (from_input, Vec::new());
            }
        };
        let last = shown.iter().rposition(|message| message.role == "user");
        let Some(last) = last else {
            let input = match &self.sample.input {
                SampleInput::Text(text) => self.resolve(text),
                SampleInput::Messages(_) => String::new(),
            };
            return (input, Vec::new());
        };
        let mut conversation = Vec::new();
        for (at, message) in shown.iter().enumerate() {
            let (text, _) = self.read_content(&message.content, notes);
            let role = match message.role.as_str() {
                "system" => UtteranceRole::System,
                "assistant" => UtteranceRole::Assistant,
                _ => UtteranceRole::User,
            };
            if at != last && !text.trim().is_empty() {
                conversation.push(Utterance { role, text });
            }
        }
        let prompt = shown.get(last).map(|message| {
            self.read_content(&message.content, &mut SampleNotes::default())
                .0
        });
        (prompt.unwrap_or_default(), conversation)
    }

    fn read_reference(&self, expected: Option<&str>) -> Option<String> {
        let target = match &self.sample.target {
            OneOrMany::One(target) => Some(target),
            OneOrMany::Many(targets) => targets.first(),
        };
        let target = target.map(|target| self.resolve(target));
        // Where there is no right answer, the expected label stands there.
        target.filter(|text| {
            let is_label = self.is_own && expected == Some(text.as_str());
            !text.trim().is_empty() && !is_label
        })
    }

    /// Returns the turns of a message: its text, and each call of a tool.
    fn read_turns(
        &self,
        message: &LogMessage,
        notes: &mut SampleNotes,
    ) -> Result<Vec<PlacedTurn>, String> {
        let (text, thinking) = self.read_content(&message.content, notes);
        let fields = message.metadata.as_ref();
        let stated = |key: &str| fields.and_then(|fields| text_of(fields, key));
        let is_stated =
            |key: &str| fields.is_some_and(|fields| fields.get(key) == Some(&Value::Bool(true)));
        let is_model = message.role == "assistant";
        let part = match (is_model, is_stated("private")) {
            (true, true) => TurnPart::Private,
            (true, false) => TurnPart::Speech,
            (false, _) => TurnPart::Context,
        };
        let place = stated("turn").and_then(|text| TurnId::try_from(text).ok());
        let place = place.filter(is_usable_place);
        let seat = stated("seat").filter(|_| is_model);
        let seat = make_seat(&seat.unwrap_or_else(|| message.role.clone()));
        let name = stated("name").unwrap_or_else(|| match message.role.as_str() {
            TOOL => message.function.clone().unwrap_or_else(|| TOOL.to_owned()),
            role => role.to_owned(),
        });
        let error = message.error.as_ref().filter(|_| message.role == TOOL);
        let text = match error {
            Some(error) if text.trim().is_empty() => format!("error: {}", error.message),
            Some(error) => format!("{text}\nerror: {}", error.message),
            None => text,
        };
        let calls = message.tool_calls.as_deref().unwrap_or_default();
        let mut turns = Vec::new();
        if !text.is_empty() || calls.is_empty() {
            turns.push(PlacedTurn {
                turn: FinishedTurn {
                    seat: seat.into(),
                    name: cut(&name),
                    text,
                    thinking,
                    part,
                    by_person: is_stated("by_person")
                        || stated("player").as_deref() == Some("human"),
                    call: self.find_call(message),
                    ..FinishedTurn::default()
                },
                place,
            });
        }
        for call in calls {
            let arguments = serde_json::to_string(&call.arguments)
                .map_err(|error| format!("a call of a tool cannot be read: {error}"))?;
            turns.push(PlacedTurn {
                turn: FinishedTurn {
                    seat: "tool_call".into(),
                    name: "call of a tool".to_owned(),
                    text: format!("{} {arguments}", call.function),
                    part: TurnPart::Context,
                    ..FinishedTurn::default()
                },
                place: None,
            });
        }
        Ok(turns)
    }

    /// Returns the text of a message, and its private reasoning; what is no text is noted and marked.
    fn read_content(&self, content: &Content, notes: &mut SampleNotes) -> (String, Option<String>) {
        let parts = match content {
            Content::Text(text) => return (self.resolve(text), None),
            Content::Parts(parts) => parts,
        };
        let (mut texts, mut thoughts) = (Vec::new(), Vec::new());
        for part in parts {
            match (part.kind.as_str(), &part.text, &part.reasoning) {
                ("text", Some(text), _) => texts.push(self.resolve(text)),
                ("reasoning", _, Some(reasoning)) => thoughts.push(self.resolve(reasoning)),
                (kind, _, _) => {
                    let kind = cut(kind);
                    notes.add(format!("parts of messages that are no text: {kind}"));
                    texts.push(format!("[{kind}: not taken]"));
                }
            }
        }
        let thoughts = thoughts.join("\n");
        let thinking = (!thoughts.trim().is_empty()).then_some(thoughts);
        (texts.join("\n"), thinking)
    }

    /// Returns a text, or the one that it refers to.
    fn resolve(&self, text: &str) -> String {
        let mut prefixes = ATTACHMENTS.iter();
        let key = prefixes.find_map(|prefix| text.strip_prefix(prefix));
        let kept = key.and_then(|key| self.sample.attachments.get(key.trim()));
        kept.map_or(text, String::as_str).to_owned()
    }

    fn find_call(&self, message: &LogMessage) -> Option<FoundCall> {
        let event = message.id.as_deref().and_then(|id| self.calls.get(id));
        let Some(event) = event else {
            let model = message.model.clone()?;
            return Some(FoundCall {
                model,
                ..FoundCall::default()
            });
        };
        let usage = event.output.usage.unwrap_or_default();
        let cached = usage.input_tokens_cache_read.unwrap_or_default();
        let cached = cached.saturating_add(usage.input_tokens_cache_write.unwrap_or_default());
        let seconds = event.working_time.or(event.output.time).unwrap_or_default();
        let choice = event.output.choices.first();
        let reason = choice.and_then(|choice| choice.stop_reason.as_deref());
        Some(FoundCall {
            model: event.model.clone(),
            input_tokens: usage.input_tokens.saturating_add(cached),
            output_tokens: usage.output_tokens,
            cost_usd: usage
                .total_cost
                .filter(|cost| cost.is_finite() && *cost >= 0.0),
            // A cast of floats saturates, and makes 0 of what is no number.
            latency_ms: (seconds * 1000.0).round() as u64,
            finish: match reason {
                None | Some("stop") => Finish::Stop,
                Some("max_tokens" | "model_length") => Finish::Length,
                Some(other) => Finish::Other(cut(other)),
            },
        })
    }

    fn is_true(&self, key: &str) -> bool {
        let fields = self.sample.metadata.as_ref();
        fields.is_some_and(|fields| fields.get(key) == Some(&Value::Bool(true)))
    }

    fn field(&self, key: &str) -> Option<String> {
        text_of(self.sample.metadata.as_ref()?, key)
    }

    /// Names what a sample has beside messages and scores.
    fn note_leavings(&self, notes: &mut SampleNotes) {
        let sample = self.sample;
        if sample.store.as_ref().is_some_and(|store| !store.is_empty()) {
            notes.add("what solvers kept in the store".to_owned());
        }
        let has_other = |event: &LogEvent| matches!(event, LogEvent::Other);
        if sample.events.iter().any(has_other) {
            notes.add("events beside calls of models".to_owned());
        }
        let known = ["category", "topic"];
        let messages = sample.messages.iter();
        let ids: BTreeSet<&str> = messages.filter_map(|one| one.id.as_deref()).collect();
        let is_elsewhere = |event: &LogEvent| match event {
            LogEvent::Model(call) => {
                let choice = call.output.choices.first();
                let id = choice.and_then(|choice| choice.message.id.as_deref());
                id.is_none_or(|id| !ids.contains(id))
            }
            LogEvent::Other => false,
        };
        if sample.events.iter().any(is_elsewhere) {
            notes.add(
                "calls of models that are no message, as those of judges, and what they used"
                    .to_owned(),
            );
        }
        let fields = sample.metadata.iter().flatten();
        for (key, _) in fields.filter(|(key, _)| !self.is_own && !known.contains(&key.as_str())) {
            notes.add(format!("metadata '{}'", cut(key)));
        }
        if self.is_own {
            notes.add("arm, run and seed, which only journals keep".to_owned());
        }
    }

    /// Adds scores to the turns that they are about, to the debate, or to the last answer.
    fn add_scores(
        &self,
        item: &mut FinishedItem,
        stated: Option<&[TurnId]>,
        notes: &mut SampleNotes,
    ) -> Result<(), String> {
        let sample = self.sample;
        let only = sample.score.iter().map(|score| ("score", score));
        let scores = sample.scores.iter().flatten();
        let scores = scores.map(|(name, score)| (name.as_str(), score));
        for (count, (name, score)) in scores.chain(only).enumerate() {
            if count >= MAX_SCORES {
                return Err(format!("it has more than {MAX_SCORES} scores"));
            }
            let fields = score.metadata.as_ref();
            let field = |key: &str| fields.and_then(|fields| text_of(fields, key));
            let is_human = fields.is_some_and(|fields| {
                self.is_own && fields.get("human") == Some(&Value::Bool(true))
            });
            if is_human {
                let annotator = field("annotator").unwrap_or_default();
                notes.add(format!(
                    "labels of '{}', which 'labels export' and 'labels import' carry",
                    cut(&annotator)
                ));
                continue;
            }
            let about = field("about").filter(|_| self.is_own);
            let scorer = field("scorer").filter(|_| about.is_some());
            let labels = read_labels(scorer.as_deref().unwrap_or(name), score, self.is_own);
            let Some(about) = about else {
                let mut turns = item.turns.iter_mut().rev();
                if let Some(last) = turns.find(|turn| turn.part == TurnPart::Speech) {
                    last.labels.extend(labels);
                }
                continue;
            };
            let place = about.strip_prefix('r').and_then(|round| round.parse().ok());
            let turn = TurnId::try_from(about.clone()).ok();
            let index = turn.and_then(|turn| stated?.iter().position(|place| *place == turn));
            let turn = index.and_then(|index| item.turns.get_mut(index));
            match (turn, place) {
                (Some(turn), _) => turn.labels.extend(labels),
                (None, Some(round)) if stated.is_some() => {
                    let placed = labels.map(|label| (FindingPlace::Round(round), label));
                    item.findings.extend(placed);
                }
                (None, None) if about == "debate" => {
                    let placed = labels.map(|label| (FindingPlace::Debate, label));
                    item.findings.extend(placed);
                }
                (None, _) => notes.add("scores of turns that are not in the log".to_owned()),
            }
        }
        Ok(())
    }
}

/// Returns the labels of a score: one, or one for each part of it.
fn read_labels<'a>(
    scorer: &str,
    score: &'a LogScore,
    is_own: bool,
) -> impl Iterator<Item = FoundLabel> + use<'a> {
    let scorer = cut(scorer);
    let parts: Vec<(String, &Value)> = match &score.value {
        Value::Object(parts) => parts
            .iter()
            .map(|(key, value)| (format!("{scorer}.{}", cut(key)), value))
            .collect(),
        value @ (Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)) => vec![(scorer, value)],
    };
    let number = move |key: &str| {
        let fields = score.metadata.as_ref().filter(|_| is_own)?;
        fields.get(key)?.as_f64()
    };
    parts.into_iter().map(move |(column, value)| {
        let label = match value {
            Value::String(text) => cut(text),
            // Inspect's NaN.
            Value::Null => "unscored".to_owned(),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                cut(&value.to_string())
            }
        };
        let letter_value = match label.as_str() {
            "C" => Some(1.0),
            "I" => Some(-1.0),
            _ => None,
        };
        let stated = number("finding_value").filter(|value| (-1.0..=1.0).contains(value));
        let probability = number("probability").filter(|value| (0.0..=1.0).contains(value));
        FoundLabel {
            column,
            value: stated.or(letter_value),
            probability,
            reason: score.explanation.clone(),
            label,
            by: LabelledBy::Program,
        }
    })
}

/// Returns the places of all turns, where every turn states one and a protocol with stages in one order, in which the
/// same seats speak whenever the stage is played, has them all.
fn list_places(turns: &[PlacedTurn]) -> Option<Vec<TurnId>> {
    let places: Option<Vec<TurnId>> = turns.iter().map(|turn| turn.place.clone()).collect();
    let places = places?;
    let mut stages: Vec<&str> = Vec::new();
    for place in &places {
        if !stages.contains(&place.stage.as_str()) {
            stages.push(place.stage.as_str());
        }
    }
    let order = |place: &TurnId| {
        let stage = stages
            .iter()
            .position(|stage| *stage == place.stage.as_str());
        (place.round, stage)
    };
    let is_sorted = places.is_sorted_by_key(order);
    let mut chairs: BTreeMap<&str, u32> = BTreeMap::new();
    let mut by_stage: BTreeMap<(&str, u32), BTreeSet<(&str, u32)>> = BTreeMap::new();
    for place in &places {
        let seat = place.chair.seat.as_str();
        let count = chairs.entry(seat).or_default();
        *count = (*count).max(place.chair.index + 1);
        let in_stage = by_stage.entry((place.stage.as_str(), place.round));
        if !in_stage.or_default().insert((seat, place.chair.index)) {
            return None;
        }
    }
    let mut seats_of: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for ((stage, _), speakers) in &by_stage {
        let seats = speakers.iter().map(|(seat, _)| *seat);
        seats_of.entry(stage).or_default().extend(seats);
    }
    let is_whole = by_stage.iter().all(|((stage, _), speakers)| {
        let seats = seats_of.get(stage).into_iter().flatten();
        let chairs: u32 = seats.filter_map(|seat| chairs.get(seat)).sum();
        usize::try_from(chairs).is_ok_and(|chairs| chairs == speakers.len())
    });
    (is_sorted && is_whole && chairs.len() <= MAX_SEATS).then_some(places)
}

fn is_usable_place(place: &TurnId) -> bool {
    let is_name = |text: &str| text == make_seat(text);
    (1..=MAX_MESSAGES as u32).contains(&place.round)
        && place.chair.index < MAX_CHAIRS
        && is_name(place.stage.as_str())
        && is_name(place.chair.seat.as_str())
}

/// Gives turns the places that they state.
fn place_turns(turns: Vec<PlacedTurn>, places: &[TurnId]) -> Vec<FinishedTurn> {
    let placed = turns.into_iter().zip(places);
    let placed = placed.map(|(placed, place)| FinishedTurn {
        round: place.round,
        stage: place.stage.to_string().into(),
        seat: place.chair.seat.to_string().into(),
        index: place.chair.index,
        ..placed.turn
    });
    placed.collect()
}

/// Makes each turn a round of its own, with a stage for each speaker.
fn number_turns(turns: Vec<PlacedTurn>) -> Vec<FinishedTurn> {
    let mut seats: BTreeSet<String> = BTreeSet::new();
    let numbered = (1..).zip(turns).map(|(round, placed)| {
        let mut turn = placed.turn;
        let chair = placed.place.map_or(0, |place| place.chair.index);
        let mut seat = match chair {
            0 => turn.seat.to_string(),
            chair => make_seat(&format!("{}_{}", turn.seat, chair + 1)),
        };
        if !seats.contains(&seat) && seats.len() >= MAX_SEATS {
            seat = "others".to_owned();
        }
        seats.insert(seat.clone());
        turn.round = round;
        turn.stage = seat.clone().into();
        turn.seat = seat.into();
        turn.index = 0;
        turn
    });
    numbered.collect()
}

/// Returns a name that a protocol can have.
fn make_seat(text: &str) -> String {
    let letters = text.chars().take(MAX_SEAT_CHARS).map(|c| match c {
        'a'..='z' | '0'..='9' | '_' => c,
        'A'..='Z' => c.to_ascii_lowercase(),
        _ => '_',
    });
    let name: String = letters.collect();
    match name.starts_with(|c: char| c.is_ascii_lowercase()) {
        true => name,
        false => format!("s{name}").chars().take(MAX_SEAT_CHARS).collect(),
    }
}

fn text_of(fields: &Map<String, Value>, key: &str) -> Option<String> {
    let text = fields.get(key)?.as_str()?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_NAME_CHARS).collect()
}
