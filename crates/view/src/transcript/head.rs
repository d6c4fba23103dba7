//! Head of a transcript: topic, cast, settings, and entries from memory.

use super::Script;
use elenchus_game::debate::event::{Participant, Player};
use elenchus_text::cost;
use elenchus_text::{Ink, Page, format_noun_count};

/// How wide the column of names is.
const NAMES: usize = 13;

impl Script<'_> {
    pub(crate) fn write_head(&mut self) {
        let creation = self.created;
        if creation.is_simulated() {
            self.page.line_at(0).write_middle("SIMULATED: simulated models played this; it is no evidence about models or protocols");
            self.page.add_gap();
        }
        self.page
            .add_bold_line(&format!("Session {}", self.session));
        let protocol = &creation.protocol;
        self.write_field("protocol", &format!("{} - {}", protocol.id, protocol.name));
        self.write_topic();
        self.write_cast();
        let settings = creation.changed_settings();
        if !settings.is_empty() {
            self.write_field("settings", &settings.join(", "));
        }
        self.write_field("seed", &creation.seed.to_string());
        self.write_origin();
        self.write_estimate();
        let begin_time = self.state.time_span().0.to_owned();
        self.write_field("begun", &format!("{begin_time}, by {}", creation.software));
    }

    fn write_field(&mut self, name: &str, text: &str) {
        self.page.add_field(0, name, NAMES, text);
    }

    fn write_others_field(&mut self, name: &str, text: &str) {
        self.page.add_others_field(name, NAMES, text);
    }

    fn write_topic(&mut self) {
        let topic = &self.created.topic;
        self.write_others_field("topic", &topic.text);
        if let Some(category) = &topic.category {
            self.write_field("category", category);
        }
        if let Some(context) = &topic.context {
            self.write_others_field("context", context);
        }
        for (at, said) in topic.conversation.iter().enumerate() {
            let who = said.role.as_str();
            let name = if at == 0 { "conversation" } else { "" };
            self.write_others_field(name, &format!("{who}: {}", said.text));
        }
        for (at, document) in topic.documents.iter().enumerate() {
            let name = if at == 0 { "documents" } else { "" };
            let text = format!(
                "{} ({})",
                document.name,
                super::character_count(&document.text)
            );
            self.write_field(name, &text);
        }
        for (at, option) in topic.options.iter().enumerate() {
            let name = if at == 0 { "options" } else { "" };
            self.write_others_field(name, &format!("{}. {option}", at + 1));
        }
        if let Some(reference) = &topic.reference {
            self.write_field(
                "reference",
                &format!("{} (for graders alone)", reference.answer),
            );
        }
        if let Some(expected_label) = &topic.expected {
            self.write_field(
                "expected",
                &format!("{expected_label} (by the dataset; not shown to any seat)"),
            );
        }
        if let Some(level) = topic.level {
            self.write_field(
                "level",
                &format!("{level} (by the dataset; not shown to any seat)"),
            );
        }
    }

    fn write_cast(&mut self) {
        let creation = self.created;
        for (at, participant) in creation.cast.iter().enumerate() {
            let name = if at == 0 { "cast" } else { "" };
            let player_text = format!(
                "{}: {}",
                self.chair_name(&participant.chair),
                describe_player(participant)
            );
            self.write_field(name, &player_text);
        }
    }

    fn write_origin(&mut self) {
        let creation = self.created;
        let memory = &creation.memory;
        let memory_use = match (memory.reads, memory.writes) {
            (false, false) => None,
            (true, false) => Some("read"),
            (false, true) => Some("written"),
            (true, true) => Some("read and written"),
        };
        if let Some(used) = memory_use {
            self.write_field("memory", &format!("'{}', {used}", memory.namespace));
        }
        if let Some(place) = &creation.run {
            let mut text = format!("{}, item {}", place.run, place.item);
            if place.rollout > 0 {
                text.push_str(&format!(", rollout {}", place.rollout));
            }
            if let Some(batch) = place.batch {
                text.push_str(&format!(", batch {batch}"));
            }
            self.write_field("run", &text);
        }
        let parents: Vec<&str> = self
            .state
            .forked_from()
            .iter()
            .map(|id| id.as_str())
            .collect();
        if !parents.is_empty() {
            self.write_field("forked from", &parents.join(", from "));
        }
        if let Some(import) = self.options.imported {
            let from = import.from.iter().map(|from| format!(" from {from}"));
            self.write_field(
                "imported",
                &format!("{}{}", import.at, from.collect::<String>()),
            );
        }
        for changed in self.state.replaced_templates() {
            let names: Vec<&str> = changed.texts.keys().map(String::as_str).collect();
            if !names.is_empty() {
                let text = format!("{} changed {}", names.join(", "), changed.at);
                self.write_field("prompts", &text);
            }
        }
    }

    fn write_estimate(&mut self) {
        let Some(estimate) = self.created.estimate else {
            return;
        };
        self.write_field("estimate", &cost::describe_estimate(&estimate));
        let spend = self.state.spend();
        let tokens = spend.total_tokens();
        let usd = (spend.unpriced_calls == 0).then_some(spend.cost_usd);
        let cost = cost::format_cost_sum(spend.cost_usd, spend.unpriced_calls);
        let mut spend_text = format!("{cost}; {tokens} tokens");
        // A fork uses only a part of what the whole was estimated to use.
        let whole = self.state.forked_from().is_empty();
        let times = cost::compute_multiple(&estimate.likely, usd, tokens);
        if let Some(times) = times.filter(|_| whole) {
            spend_text.push_str(&format!(" ({times:.2} times what was likely)"));
        }
        self.write_field("used", &spend_text);
    }

    pub(crate) fn write_memory(&mut self) {
        let Some(retrieved) = self.state.retrieved_memory() else {
            return;
        };
        self.page.add_title(&format!(
            "From memory: {} ({})",
            match retrieved.entries.len() {
                0 => "nothing".to_owned(),
                count => format_noun_count(count, "entry"),
            },
            retrieved.retriever
        ));
        for entry in &retrieved.entries {
            let origin = match &entry.origin {
                Some(session) => format!(", taught by session {session}"),
                None => String::new(),
            };
            self.page
                .line_at(2)
                .write_plain(&format!("{} (score {:.3}{origin})", entry.id, entry.score));
            self.write_prose(Ink::Plain, 4, &entry.text);
        }
        write_excluded_entries(&mut self.page, &retrieved.excluded);
    }
}

/// Writes which entries of memory a rule left out, and why.
pub(crate) fn write_excluded_entries(page: &mut Page, excluded: &[(String, String)]) {
    if !excluded.is_empty() {
        let others = format_noun_count(excluded.len(), "other");
        page.line_at(2)
            .write_dim(&format!("left out by rule: {others}"));
        for (id, why) in excluded {
            page.line_at(4).write_dim(&format!("{id}: {why}"));
        }
    }
}

fn describe_player(participant: &Participant) -> String {
    let mut text = match &participant.player {
        Player::Model(model) if model.simulated => format!("{} (SIMULATED)", model.model),
        Player::Model(model) => {
            let mut text = format!("{} ({}", model.model, model.provider);
            if model.name != model.model {
                text.push_str(&format!(": {}", model.name));
            }
            if let Some(version) = &model.version {
                text.push_str(&format!(", version {version}"));
            }
            text + ")"
        }
        Player::Human { name: Some(name) } => format!("a person, {name}"),
        Player::Human { name: None } => "a person".to_owned(),
        Player::Fixed(fixed) => format!("no model: turns from {}", fixed.from),
    };
    if participant.persona.is_some() {
        text.push_str(", with a persona of the cast");
    }
    text
}
