//! Paragraphs of the record: topic, cast, memory, findings on rounds and the debate, and the end. Pure.

use super::block::stands_at_a_turn;
use super::texts;
use super::writer::DebateText;
use elenchus_game::debate::event::{ModelPlayer, Outcome, Player};
use elenchus_game::debate::step::Target;
use elenchus_game::debate::{GuardDecision, JudgingId, State};
use elenchus_records::exchange::best_sample;
use elenchus_text::{Paragraph, Role, grouped_count, others_prose};

impl DebateText<'_> {
    pub(super) fn topic(&self) -> Vec<Paragraph> {
        let topic = &self.created.topic;
        let mut page = vec![Paragraph::of(Role::Strong, "Topic")];
        page.extend(others_prose(Role::FromTopic, 2, &self.said(&topic.text)));
        if let Some(category) = &topic.category {
            page.push(Paragraph::of(Role::Muted, format!("category: {category}")).indented(2, 4));
        }
        if let Some(context) = &topic.context {
            page.push(Paragraph::of(Role::Muted, "context:").indented(2, 2));
            page.extend(others_prose(Role::FromTopic, 4, &self.said(context)));
        }
        for utterance in &topic.conversation {
            let who = utterance.role.word();
            page.push(Paragraph::of(Role::Muted, format!("earlier, {who}:")).indented(2, 2));
            page.extend(others_prose(
                Role::FromTopic,
                4,
                &self.said(&utterance.text),
            ));
        }
        for (at, option) in topic.options.iter().enumerate() {
            let text = format!("option {}: {}", at + 1, self.said(option));
            let line = Paragraph::of(Role::FromTopic, text).indented(2, 4);
            page.push(line.by_others());
        }
        for document in &topic.documents {
            let mut name = format!("document {}", document.name);
            if self.is_page() {
                let count = document.text.chars().count();
                name.push_str(&format!(" ({})", grouped_count(count, "character")));
            }
            page.push(Paragraph::of(Role::FromDocument, name).indented(2, 4));
            if !self.is_page() {
                page.extend(others_prose(Role::Muted, 4, &self.said(&document.text)));
            }
        }
        page.push(Paragraph::gap());
        page
    }

    pub(super) fn cast(&self) -> Vec<Paragraph> {
        let protocol = &self.created.protocol;
        let mut page = vec![
            Paragraph::of(Role::Strong, "Game")
                .and(Role::Text, format!(" {}", protocol.name))
                .and(
                    Role::Muted,
                    format!(" · {}", grouped_count(protocol.rounds as usize, "round")),
                ),
        ];
        for participant in &self.created.cast {
            let (role, who) = match &participant.player {
                Player::Model(model) if model.simulated => {
                    (Role::Simulated, format!("{}, simulated", model.model))
                }
                Player::Model(model) => (Role::Text, self.model(model)),
                Player::Human { name } => {
                    let name = name.as_deref().unwrap_or("anyone at the terminal");
                    (Role::Human, format!("a person: {name}"))
                }
                Player::Fixed(fixed) => {
                    (Role::Muted, format!("written beforehand: {}", fixed.from))
                }
            };
            let line = Paragraph::of(Role::Muted, format!("{}: ", self.name(&participant.chair)));
            let mut line = line.and(role, who);
            if self.is_page() && participant.persona.is_some() {
                line = line.and(Role::Muted, ", with a persona of the cast");
            }
            page.push(line.indented(2, 4));
        }
        page.push(Paragraph::gap());
        page
    }

    /// Names a model; on a page with its provider, its name there and its version.
    fn model(&self, model: &ModelPlayer) -> String {
        let mut text = model.model.clone();
        if self.is_page() {
            text.push_str(&format!(" ({}", model.provider));
            if model.name != model.model {
                text.push_str(&format!(": {}", model.name));
            }
            if let Some(version) = &model.version {
                text.push_str(&format!(", version {version}"));
            }
            text.push(')');
        }
        text
    }

    /// Writes what a rule left out, and why.
    fn left_out(excluded: &[(String, String)]) -> impl Iterator<Item = Paragraph> {
        let line = |(id, why): &(String, String)| {
            Paragraph::of(Role::Muted, format!("left out by rule: {id}, {why}")).indented(2, 4)
        };
        excluded.iter().map(line)
    }

    pub(super) fn memory(&self) -> Vec<Paragraph> {
        let Some(retrieved) = self.state.retrieved() else {
            return Vec::new();
        };
        let mut page = vec![
            Paragraph::of(Role::Strong, "Memory")
                .and(Role::Muted, format!(" by {}", retrieved.retriever)),
        ];
        if retrieved.entries.is_empty() {
            page.push(Paragraph::of(Role::Muted, "nothing was retrieved").indented(2, 2));
        }
        for entry in &retrieved.entries {
            let origin = match &entry.origin {
                Some(origin) => format!(", from session {origin}"),
                None => String::new(),
            };
            let line = format!("{} · {:.3}{origin}", entry.id, entry.score);
            page.push(Paragraph::of(Role::Muted, line).indented(2, 4));
            page.extend(others_prose(Role::FromMemory, 4, &self.said(&entry.text)));
        }
        page.extend(Self::left_out(&retrieved.excluded));
        page.push(Paragraph::gap());
        page
    }

    pub(super) fn guardrails(&self) -> Vec<Paragraph> {
        let Some(near) = self.state.guards() else {
            return Vec::new();
        };
        let mut page = vec![
            Paragraph::of(Role::Strong, "Guardrails")
                .and(Role::Muted, format!(" by {}", near.retriever)),
        ];
        if near.candidates.is_empty() {
            page.push(
                Paragraph::of(Role::Muted, "none is near: no model was asked").indented(2, 2),
            );
        }
        for candidate in &near.candidates {
            let id = self.guardrail(&candidate.id);
            let line = format!("{id} · {:.3}", candidate.score);
            page.push(Paragraph::of(Role::Muted, line).indented(2, 4));
            page.extend(others_prose(
                Role::FromMemory,
                4,
                &self.said(&candidate.text()),
            ));
        }
        page.extend(Self::left_out(&near.excluded));
        for (chair, decided) in self.state.guarded() {
            let (role, text) = match &decided.decided {
                Ok(guarded) => match &guarded.decision {
                    GuardDecision::Matched { guardrail } => (
                        Role::Notice,
                        format!("{} matches; it does not speak", self.guardrail(guardrail)),
                    ),
                    GuardDecision::NoMatch => (Role::Safe, "none matches".to_owned()),
                    GuardDecision::Unparsed { why, .. } => {
                        (Role::Unparsed, format!("unparsed, so it speaks: {why}"))
                    }
                },
                Err(failed) => {
                    let text = format!("failed, so it speaks: {}", failed.message);
                    (Role::Error, text)
                }
            };
            let line = Paragraph::of(Role::Muted, format!("{}: ", self.name(chair)));
            page.push(line.and(role, text).indented(2, 4));
        }
        page.push(Paragraph::gap());
        page
    }

    pub(super) fn found(&self, judging: &JudgingId, target: &Target) -> Vec<Paragraph> {
        let what = match target {
            Target::Round(round) => format!("Round {round}"),
            Target::Debate => "Debate".to_owned(),
            Target::Attempt(attempt) => attempt.to_string(),
        };
        let mut page =
            vec![Paragraph::of(Role::Strong, what).and(Role::Muted, format!(" · {judging}"))];
        let rule = self.created.protocol.judging(judging);
        page.extend(
            rule.into_iter()
                .flat_map(|rule| self.verdicts_by(rule, target)),
        );
        page.push(Paragraph::gap());
        page
    }

    pub(super) fn rewards(&self) -> Vec<Paragraph> {
        let mut page = vec![Paragraph::of(Role::Strong, "Rewards")];
        for (chair, reward) in self.state.rewards() {
            let role = if reward < 0.0 {
                Role::Unsafe
            } else {
                Role::Safe
            };
            let line = Paragraph::of(Role::Muted, format!("{}: ", self.name(&chair)));
            page.push(line.and(role, format!("{reward:+}")).indented(2, 4));
        }
        page.push(Paragraph::gap());
        page
    }

    pub(super) fn lesson(&self) -> Vec<Paragraph> {
        let Some(lesson) = self.state.feedback() else {
            return Vec::new();
        };
        let mut page = vec![
            Paragraph::of(Role::Strong, "Lesson").and(Role::Muted, format!(" · {}", lesson.entry)),
        ];
        if let Some(thinking) = &lesson.reply.thinking {
            page.extend(self.hidden(Role::Thinking, "its own thinking", thinking));
        }
        if lesson.reply.is_empty() {
            let empty = lesson.reply.empty_placeholder();
            let text = format!("{empty}; memory keeps nothing of it");
            page.push(Paragraph::of(Role::Warning, text).indented(2, 2));
        } else {
            page.extend(others_prose(
                Role::FromMemory,
                2,
                &self.said(&lesson.reply.text),
            ));
        }
        page.push(Paragraph::gap());
        page
    }

    pub(super) fn failures(&self) -> Vec<Paragraph> {
        let mut page = Vec::new();
        let failures = self.state.failures().iter();
        let failures = failures.filter(|(step, _)| !stands_at_a_turn(step));
        for (step, failed) in failures {
            if page.is_empty() {
                page.push(Paragraph::of(Role::Error, "Failed"));
            }
            page.push(self.failure(step.as_str(), failed).indented(2, 4));
        }
        let stopped = self.state.stopped_replies().iter();
        for stopped in stopped.filter(|stopped| !stands_at_a_turn(&stopped.reply.step)) {
            page.extend(self.stopped(stopped, Some(stopped.reply.step.as_str())));
        }
        page.push(Paragraph::gap());
        page
    }

    pub(super) fn ending(&self) -> Vec<Paragraph> {
        let (role, text) = texts::ending(self.state);
        let mut page = vec![Paragraph::of(Role::Strong, "State ").and(role, text)];
        let best = best_sample(self.state);
        page.extend(best.map(|best| Paragraph::of(Role::Text, best).indented(2, 4)));
        page.extend(texts::spend(self.state));
        page
    }
}

/// Returns the topic, what was found, and the lesson as plain text; `None` where nothing has begun.
pub fn record_text(state: &State) -> Option<String> {
    let mut text = state.created()?.topic.text.clone();
    for (judging, target, by_slot) in state.verdicts() {
        for verdict in by_slot.values() {
            let words = verdict.outcome.as_ref().map(Outcome::describe);
            let words = words.unwrap_or_else(|| "none".to_owned());
            text.push_str(&format!("\n{judging} on {target}: {words}"));
        }
    }
    if let Some(lesson) = state.feedback() {
        text.push_str(&format!("\n\n{}", lesson.reply.text));
    }
    Some(text)
}
