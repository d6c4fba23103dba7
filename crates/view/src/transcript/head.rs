//! Head of a transcript: topic, cast, settings, and entries from memory.

use super::Script;
use elenchus_game::debate::event::{Participant, Player};
use elenchus_text::cost;
use elenchus_text::{Ink, Page, counted};

/// How wide the column of names is.
const NAMES: usize = 13;

impl Script<'_> {
    pub(crate) fn head(&mut self) {
        let created = self.created;
        if created.is_simulated() {
            self.page.at(0).middle("SIMULATED: simulated models played this; it is no evidence about models or protocols");
            self.page.gap();
        }
        self.page.bold(&format!("Session {}", self.session));
        let protocol = &created.protocol;
        self.field("protocol", &format!("{} - {}", protocol.id, protocol.name));
        self.topic();
        self.cast();
        let settings = created.changed_settings();
        if !settings.is_empty() {
            self.field("settings", &settings.join(", "));
        }
        self.field("seed", &created.seed.to_string());
        self.place();
        self.estimate();
        let begun = self.state.span().0.to_owned();
        self.field("begun", &format!("{begun}, by {}", created.software));
    }

    fn field(&mut self, name: &str, text: &str) {
        self.page.field(0, name, NAMES, text);
    }

    fn others_field(&mut self, name: &str, text: &str) {
        self.page.others_field(name, NAMES, text);
    }

    fn topic(&mut self) {
        let topic = &self.created.topic;
        self.others_field("topic", &topic.text);
        if let Some(category) = &topic.category {
            self.field("category", category);
        }
        if let Some(context) = &topic.context {
            self.others_field("context", context);
        }
        for (at, said) in topic.conversation.iter().enumerate() {
            let who = said.role.word();
            let name = if at == 0 { "conversation" } else { "" };
            self.others_field(name, &format!("{who}: {}", said.text));
        }
        for (at, document) in topic.documents.iter().enumerate() {
            let name = if at == 0 { "documents" } else { "" };
            let text = format!("{} ({})", document.name, super::characters(&document.text));
            self.field(name, &text);
        }
        for (at, option) in topic.options.iter().enumerate() {
            let name = if at == 0 { "options" } else { "" };
            self.others_field(name, &format!("{}. {option}", at + 1));
        }
        if let Some(reference) = &topic.reference {
            self.field(
                "reference",
                &format!("{} (for graders alone)", reference.answer),
            );
        }
        if let Some(expected) = &topic.expected {
            self.field(
                "expected",
                &format!("{expected} (by the dataset; not shown to any seat)"),
            );
        }
        if let Some(level) = topic.level {
            self.field(
                "level",
                &format!("{level} (by the dataset; not shown to any seat)"),
            );
        }
    }

    fn cast(&mut self) {
        let created = self.created;
        for (at, participant) in created.cast.iter().enumerate() {
            let name = if at == 0 { "cast" } else { "" };
            let seated = format!("{}: {}", self.name(&participant.chair), player(participant));
            self.field(name, &seated);
        }
    }

    fn place(&mut self) {
        let created = self.created;
        let memory = &created.memory;
        let used = match (memory.reads, memory.writes) {
            (false, false) => None,
            (true, false) => Some("read"),
            (false, true) => Some("written"),
            (true, true) => Some("read and written"),
        };
        if let Some(used) = used {
            self.field("memory", &format!("'{}', {used}", memory.namespace));
        }
        if let Some(place) = &created.run {
            let mut text = format!("{}, item {}", place.run, place.item);
            if place.rollout > 0 {
                text.push_str(&format!(", rollout {}", place.rollout));
            }
            if let Some(batch) = place.batch {
                text.push_str(&format!(", batch {batch}"));
            }
            self.field("run", &text);
        }
        let parents: Vec<&str> = self
            .state
            .forked_from()
            .iter()
            .map(|id| id.as_str())
            .collect();
        if !parents.is_empty() {
            self.field("forked from", &parents.join(", from "));
        }
        if let Some(import) = self.options.imported {
            let from = import.from.iter().map(|from| format!(" from {from}"));
            self.field(
                "imported",
                &format!("{}{}", import.at, from.collect::<String>()),
            );
        }
        for changed in self.state.replaced_templates() {
            let names: Vec<&str> = changed.texts.keys().map(String::as_str).collect();
            if !names.is_empty() {
                let text = format!("{} changed {}", names.join(", "), changed.at);
                self.field("prompts", &text);
            }
        }
    }

    fn estimate(&mut self) {
        let Some(estimate) = self.created.estimate else {
            return;
        };
        self.field("estimate", &cost::estimate(&estimate));
        let spend = self.state.spend();
        let tokens = spend.tokens();
        let usd = (spend.unpriced_calls == 0).then_some(spend.cost_usd);
        let cost = cost::sum(spend.cost_usd, spend.unpriced_calls);
        let mut used = format!("{cost}; {tokens} tokens");
        // A fork uses only a part of what the whole was estimated to use.
        let whole = self.state.forked_from().is_empty();
        let times = cost::multiple(&estimate.likely, usd, tokens);
        if let Some(times) = times.filter(|_| whole) {
            used.push_str(&format!(" ({times:.2} times what was likely)"));
        }
        self.field("used", &used);
    }

    pub(crate) fn retrieved(&mut self) {
        let Some(retrieved) = self.state.retrieved() else {
            return;
        };
        self.page.title(&format!(
            "From memory: {} ({})",
            match retrieved.entries.len() {
                0 => "nothing".to_owned(),
                count => counted(count, "entry"),
            },
            retrieved.retriever
        ));
        for entry in &retrieved.entries {
            let origin = match &entry.origin {
                Some(session) => format!(", taught by session {session}"),
                None => String::new(),
            };
            self.page
                .at(2)
                .line(&format!("{} (score {:.3}{origin})", entry.id, entry.score));
            self.others(Ink::Plain, 4, &entry.text);
        }
        write_excluded(&mut self.page, &retrieved.excluded);
    }
}

/// Writes which entries of memory a rule left out, and why.
pub(crate) fn write_excluded(page: &mut Page, excluded: &[(String, String)]) {
    if !excluded.is_empty() {
        let others = counted(excluded.len(), "other");
        page.at(2).dim(&format!("left out by rule: {others}"));
        for (id, why) in excluded {
            page.at(4).dim(&format!("{id}: {why}"));
        }
    }
}

fn player(participant: &Participant) -> String {
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
