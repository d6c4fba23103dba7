//! Samples of an Inspect log: debates as messages, scores, usage and events. Pure.
//!
//! | file | content |
//! |---|---|
//! | `header` | what is said of all samples together |
//! | `turns` | turns of a debate as messages |
//! | `scores` | verdicts, findings of passes, rewards and people's labels as scores |
//! | `events` | calls in their order, with what each used |
//! | `usage` | tokens and cost by model and by seat |
//!
//! Private turns and private reasoning are left out unless they are asked for.

mod events;
mod header;
mod scores;
mod turns;
mod usage;

use crate::workspace::annotations::{Annotations, CurrentLabel};
use crate::workspace::pass::{Pass, PassVerdict};
use elenchus_game::debate::event::{Created, Player};
use elenchus_game::debate::{SessionId, State};
use elenchus_metrics::{DebateOutcome, DebateRow};
use elenchus_store::Hash;
use header::LogTotals;
use jiff::Timestamp;
use scores::list_scores;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use turns::{SpokenTurn, list_turns};
use usage::UsageByName;

/// How much of a hash is the id of a log.
const LOG_ID_CHARS: usize = 20;

/// Whether private turns and private reasoning are in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrivateTexts {
    LeftOut,
    Included,
}

/// Who plays in the debates of a log.
#[derive(Debug, Default)]
pub struct LogPlayers {
    models: BTreeSet<String>,
    by_seat: BTreeMap<String, BTreeSet<String>>,
    protocols: BTreeSet<String>,
    software: BTreeSet<String>,
}

impl LogPlayers {
    /// Adds the models of a debate.
    pub fn add_debate(&mut self, state: &State) {
        let Some(created) = state.first_event() else {
            return;
        };
        self.protocols.insert(created.protocol.id.clone());
        self.software.insert(created.software.clone());
        for participant in &created.cast {
            if let Some(model) = model_name(&participant.player) {
                let seat = participant.chair.to_string();
                self.by_seat.entry(seat).or_default().insert(model.clone());
                self.models.insert(model);
            }
        }
    }
}

/// An Inspect log of debates that are over.
pub struct InspectExport<'a> {
    private: PrivateTexts,
    players: LogPlayers,
    debates: &'a [(SessionId, DebateRow)],
    /// By session.
    labels: BTreeMap<&'a SessionId, Vec<&'a CurrentLabel>>,
    found: BTreeMap<&'a SessionId, Vec<(&'a Pass, &'a PassVerdict)>>,
    sample_ids: Vec<(String, u32)>,
    /// The same for the same debates with the same texts.
    log_id: String,
    totals: LogTotals,
}

impl<'a> InspectExport<'a> {
    /// Begins a log of debates, with people's labels and what passes found.
    pub fn new(
        private: PrivateTexts,
        players: LogPlayers,
        debates: &'a [(SessionId, DebateRow)],
        annotations: &'a Annotations,
        passes: &'a [Pass],
    ) -> Self {
        let mut labels: BTreeMap<_, Vec<_>> = BTreeMap::new();
        // Hidden repeats measure a person, not a debate.
        for one in annotations.labels().filter(|one| one.label.repeat == 0) {
            labels.entry(&one.label.on.session).or_default().push(one);
        }
        let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for pass in passes {
            for verdict in &pass.verdicts {
                found
                    .entry(&verdict.session)
                    .or_default()
                    .push((pass, verdict));
            }
        }
        Self {
            private,
            players,
            debates,
            labels,
            found,
            sample_ids: name_samples(debates),
            log_id: derive_log_id(private, debates),
            totals: LogTotals::default(),
        }
    }

    /// Returns the sample of one of the debates, by its index, and counts it for the header.
    pub fn build_sample(&mut self, index: usize, state: &State) -> Option<Value> {
        let (session, row) = self.debates.get(index)?;
        let (id, epoch) = self.sample_ids.get(index)?;
        let created = state.first_event()?;
        let turns = list_turns(state, created, self.private);
        let empty = (Vec::new(), Vec::new());
        let labels = self.labels.get(session).unwrap_or(&empty.0);
        let found = self.found.get(session).unwrap_or(&empty.1);
        let scores = list_scores((session, state, row), self.private, labels, found);
        let used = UsageByName::from_state(state, created);
        let mut sample = Map::new();
        let mut add = |key: &str, value: Value| sample.insert(key.to_owned(), value);
        add("id", json!(id));
        add("epoch", json!(epoch));
        add("input", build_input(created));
        if !created.topic.options.is_empty() {
            add("choices", json!(created.topic.options));
        }
        add("target", json!(describe_target(created)));
        let spoken = turns.iter().map(|turn| turn.message(session, created));
        let input_messages = build_input_messages(session, created).into_iter();
        let messages: Vec<Value> = input_messages.chain(spoken).collect();
        add("messages", Value::Array(messages));
        add("output", build_output(session, created, turns.last()));
        let named_scores = scores.iter();
        let named_scores = named_scores.map(|score| (score.name.clone(), score.value()));
        add("scores", Value::Object(named_scores.collect()));
        let metadata = describe_debate(row, state, created);
        add("metadata", Value::Object(metadata));
        add("store", json!({}));
        let events = events::list_events((session, state, created), &turns, &scores);
        add("events", Value::Array(events));
        add("model_usage", used.by_model.to_value());
        add("role_usage", used.by_seat.to_value());
        let (began, ended) = state.time_span();
        if !began.is_empty() {
            add("started_at", json!(began));
            add("completed_at", json!(ended));
            add("total_time", json!(seconds_between(began, ended)));
            let worked = row.usage.critical_path_ms as f64 / 1000.0;
            add("working_time", json!(worked));
        }
        // Scout finds a sample by it alone, in whichever log of a folder it lies.
        add("uuid", json!(format!("{session}-{}", self.log_id)));
        add("attachments", json!({}));
        if let DebateOutcome::Failed(why) = &row.outcome {
            add(
                "error",
                json!({ "message": why, "traceback": why, "traceback_ansi": why }),
            );
        }
        self.totals.add_sample(row, (began, ended), &used, &scores);
        Some(Value::Object(sample))
    }

    /// Returns the evaluation: what is known before the first sample.
    pub fn build_eval(&self) -> Value {
        header::build_eval(&self.log_id, &self.players, self.debates, &self.sample_ids)
    }

    /// Returns the plan: debates have no solvers.
    pub fn build_plan(&self) -> Value {
        header::build_plan(&self.players)
    }

    /// Returns the log without its samples, once all are built.
    pub fn build_header(&self) -> Value {
        header::build_header(
            self.build_eval(),
            self.build_plan(),
            &self.totals,
            self.debates.len(),
        )
    }
}

/// Derives the id of a log from what it holds.
fn derive_log_id(private: PrivateTexts, debates: &[(SessionId, DebateRow)]) -> String {
    let sessions = debates.iter().map(|(session, _)| session.as_str());
    let sessions: Vec<&str> = sessions.collect();
    let text = format!("{private:?} {}", sessions.join(" "));
    let hash = Hash::digest(text.as_bytes()).to_string();
    hash.chars().take(LOG_ID_CHARS).collect()
}

/// Names samples by topic, and by arm where there are several; rollouts of both are epochs.
fn name_samples(debates: &[(SessionId, DebateRow)]) -> Vec<(String, u32)> {
    let arms: BTreeSet<&str> = debates.iter().map(|(_, row)| row.arm.as_str()).collect();
    let mut epochs: BTreeMap<String, u32> = BTreeMap::new();
    let names = debates.iter().map(|(_, row)| {
        let name = match arms.len() {
            0 | 1 => row.topic.id.clone(),
            _ => format!("{} [{}]", row.topic.id, row.arm),
        };
        let name = make_file_name(&name);
        let epoch = epochs.entry(name.clone()).or_default();
        *epoch += 1;
        (name, *epoch)
    });
    names.collect()
}

/// Replaces what a path would be made of: a sample's file is called by its id.
fn make_file_name(text: &str) -> String {
    let letters = text.chars().map(|c| match c {
        '/' | '\\' | ':' => '_',
        c if c.is_control() => '_',
        c => c,
    });
    letters.collect()
}

/// Returns the conversation before the topic, and the topic, as a text where it is alone.
fn build_input(created: &Created) -> Value {
    let topic = &created.topic;
    match topic.conversation.is_empty() {
        true => json!(topic.text),
        false => {
            let said = topic.conversation.iter();
            let said = said.map(|one| json!({ "role": one.role.as_str(), "content": one.text }));
            let last = json!({ "role": "user", "content": topic.text });
            Value::Array(said.chain([last]).collect())
        }
    }
}

fn build_input_messages(session: &SessionId, created: &Created) -> Vec<Value> {
    let topic = &created.topic;
    let said = topic.conversation.iter();
    let said = said.map(|one| (one.role.as_str(), &one.text));
    let all = said.chain([("user", &topic.text)]).enumerate();
    let messages = all.map(|(at, (role, text))| {
        let id = format!("{session}.input-{at}");
        json!({ "id": id, "role": role, "content": text, "source": "input" })
    });
    messages.collect()
}

fn describe_target(created: &Created) -> String {
    let topic = &created.topic;
    let reference = topic.reference.as_ref().map(|right| right.answer.clone());
    reference
        .or_else(|| topic.expected.clone())
        .unwrap_or_default()
}

/// Returns what Inspect takes for the answer: the last turn.
fn build_output(session: &SessionId, created: &Created, last: Option<&SpokenTurn<'_>>) -> Value {
    match last {
        Some(turn) => turn.output(session, created),
        None => json!({ "model": "", "choices": [], "completion": "" }),
    }
}

/// Returns what a debate is, for grouping and for finding it again.
fn describe_debate(row: &DebateRow, state: &State, created: &Created) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut add = |key: &str, value: Value| {
        let is_blank = value.is_null() || value.as_str().is_some_and(str::is_empty);
        if !is_blank {
            fields.insert(key.to_owned(), value);
        }
    };
    let origin = &row.origin;
    add("session", json!(row.session));
    add("topic", json!(row.topic.id));
    add("topic_key", json!(row.topic.key.to_string()));
    add("category", json!(row.category));
    add("expected", json!(created.topic.expected));
    add("context", json!(created.topic.context));
    add("arm", json!(row.arm));
    add("protocol", json!(row.protocol));
    add("settings", json!(origin.settings));
    add("memory", json!(origin.memory));
    add("dataset", json!(origin.dataset));
    add("run", json!(origin.run));
    add("seed", json!(origin.seed));
    add("rollout", json!(row.rollout));
    add("checkpoint", json!(row.checkpoint));
    add("simulated", json!(row.simulated));
    add("fork", json!(row.fork));
    add("rounds", json!(row.rounds));
    add("end", json!(outcome_of(&row.outcome)));
    add("cost_usd", json!(row.usage.cost_usd));
    add("calls", json!(row.usage.calls));
    let players = created.cast.iter().map(|participant| {
        let player = &participant.player;
        let player = model_name(player).unwrap_or_else(|| super::player_name(player));
        (participant.chair.to_string(), json!(player))
    });
    add("players", Value::Object(players.collect()));
    let failed = state.failures().iter();
    let failed: Vec<Value> = failed
        .map(|(step, failure)| json!({ "step": step.to_string(), "why": failure.message }))
        .collect();
    if !failed.is_empty() {
        add("failed_steps", Value::Array(failed));
    }
    let refused = state.turns().iter().filter(|(_, turn)| turn.filtered);
    let refused: Vec<String> = refused.map(|(turn, _)| turn.to_string()).collect();
    if !refused.is_empty() {
        add("filtered_turns", json!(refused));
    }
    let lessons: Vec<&str> = state.lessons().map(|one| one.reply.text.as_str()).collect();
    if !lessons.is_empty() {
        add("lessons", json!(lessons));
    }
    fields
}

/// Returns how a debate ended, in one word.
fn outcome_of(outcome: &DebateOutcome) -> &'static str {
    match outcome {
        DebateOutcome::Complete => "complete",
        DebateOutcome::Truncated => "truncated",
        DebateOutcome::Failed(_) => "failed",
    }
}

/// Returns what Inspect calls a model: its provider and its name.
fn model_name(player: &Player) -> Option<String> {
    let model = player.as_model()?;
    Some(format!("{}/{}", model.provider, model.name))
}

/// Returns the seconds from one time to another; 0 where one is no time.
fn seconds_between(from: &str, to: &str) -> f64 {
    let parse = |text: &str| text.parse::<Timestamp>().ok();
    match (parse(from), parse(to)) {
        (Some(from), Some(to)) => to.duration_since(from).as_secs_f64().max(0.0),
        (_, _) => 0.0,
    }
}
