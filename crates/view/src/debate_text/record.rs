//! Paragraphs of the record: topic, cast, memory, findings on rounds and the debate, and the end. Pure.

use super::block::is_shown_at_turn;
use super::texts;
use super::writer::DebateText;
use elenchus_game::debate::event::{
    Adapter, FeedbackWritten, ModelPlayer, Outcome, Player, Retrieved,
};
use elenchus_game::debate::step::Target;
use elenchus_game::debate::{GuardDecision, JudgingId, State};
use elenchus_records::exchange::best_sample;
use elenchus_text::{Paragraph, Role, format_grouped_count, format_noun_count, others_prose};

impl DebateText<'_> {
    pub(super) fn describe_topic(&self) -> Vec<Paragraph> {
        let topic = &self.created.topic;
        let mut page = vec![Paragraph::new(Role::Strong, "Topic")];
        page.extend(others_prose(
            Role::FromTopic,
            2,
            &self.display_text(&topic.text),
        ));
        if let Some(category) = &topic.category {
            page.push(
                Paragraph::new(Role::Muted, format!("category: {category}")).with_indent(2, 4),
            );
        }
        if let Some(context) = &topic.context {
            page.push(Paragraph::new(Role::Muted, "context:").with_indent(2, 2));
            page.extend(others_prose(
                Role::FromTopic,
                4,
                &self.display_text(context),
            ));
        }
        for utterance in &topic.conversation {
            let who = utterance.role.as_str();
            page.push(Paragraph::new(Role::Muted, format!("earlier, {who}:")).with_indent(2, 2));
            page.extend(others_prose(
                Role::FromTopic,
                4,
                &self.display_text(&utterance.text),
            ));
        }
        for (at, option) in topic.options.iter().enumerate() {
            let text = format!("option {}: {}", at + 1, self.display_text(option));
            let line = Paragraph::new(Role::FromTopic, text).with_indent(2, 4);
            page.push(line.mark_as_others());
        }
        for document in &topic.documents {
            let mut name = format!("document {}", document.name);
            if self.is_page() {
                let count = document.text.chars().count();
                name.push_str(&format!(" ({})", format_grouped_count(count, "character")));
            }
            page.push(Paragraph::new(Role::FromDocument, name).with_indent(2, 4));
            if !self.is_page() {
                page.extend(others_prose(
                    Role::Muted,
                    4,
                    &self.display_text(&document.text),
                ));
            }
        }
        page.push(Paragraph::gap());
        page
    }

    pub(super) fn describe_cast(&self) -> Vec<Paragraph> {
        let protocol = &self.created.protocol;
        let mut page = vec![
            Paragraph::new(Role::Strong, "Game")
                .with_run(Role::Text, format!(" {}", protocol.name))
                .with_run(
                    Role::Muted,
                    format!(
                        " · {}",
                        format_grouped_count(protocol.rounds as usize, "round")
                    ),
                ),
        ];
        for participant in &self.created.cast {
            let (role, who) = match &participant.player {
                Player::Model(model) if model.simulated => {
                    (Role::Simulated, format!("{}, simulated", model.model))
                }
                Player::Model(model) => (Role::Text, self.describe_model(model)),
                Player::Human { name } => {
                    let name = name.as_deref().unwrap_or("anyone at the terminal");
                    (Role::Human, format!("a person: {name}"))
                }
                Player::Fixed(fixed) => {
                    (Role::Muted, format!("written beforehand: {}", fixed.from))
                }
            };
            let line = Paragraph::new(
                Role::Muted,
                format!("{}: ", self.chair_name(&participant.chair)),
            );
            let mut line = line.with_run(role, who);
            let model = participant.player.as_model();
            if let Some(adapter) = model.and_then(|model| model.adapter.as_deref()) {
                line = line.with_run(Role::Muted, describe_adapter(adapter));
            }
            if self.is_page() && participant.persona.is_some() {
                line = line.with_run(Role::Muted, ", with a persona of the cast");
            }
            page.push(line.with_indent(2, 4));
        }
        page.push(Paragraph::gap());
        page
    }

    /// Names a model; on a page with its provider, its name there and its version.
    fn describe_model(&self, model: &ModelPlayer) -> String {
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
    fn describe_exclusions(excluded: &[(String, String)]) -> impl Iterator<Item = Paragraph> {
        let line = |(id, why): &(String, String)| {
            Paragraph::new(Role::Muted, format!("left out by rule: {id}, {why}")).with_indent(2, 4)
        };
        excluded.iter().map(line)
    }

    pub(super) fn describe_memory(&self) -> Vec<Paragraph> {
        let retrievals = self.state.retrievals();
        retrievals
            .flat_map(|retrieval| self.describe_retrieval(retrieval))
            .collect()
    }

    fn describe_retrieval(&self, retrieval: &Retrieved) -> Vec<Paragraph> {
        let title = match &retrieval.learner {
            None => "Memory".to_owned(),
            Some(learner) => format!("Memory of {learner}"),
        };
        let mut page = vec![
            Paragraph::new(Role::Strong, title)
                .with_run(Role::Muted, format!(" by {}", retrieval.retriever)),
        ];
        if retrieval.entries.is_empty() {
            page.push(Paragraph::new(Role::Muted, "nothing was retrieved").with_indent(2, 2));
        }
        for entry in &retrieval.entries {
            let origin = match &entry.origin {
                Some(origin) => format!(", from session {origin}"),
                None => String::new(),
            };
            let line = format!("{} · {:.3}{origin}", entry.id, entry.score);
            page.push(Paragraph::new(Role::Muted, line).with_indent(2, 4));
            page.extend(others_prose(
                Role::FromMemory,
                4,
                &self.display_text(&entry.text),
            ));
        }
        page.extend(Self::describe_exclusions(&retrieval.excluded));
        page.push(Paragraph::gap());
        page
    }

    pub(super) fn describe_guardrails(&self) -> Vec<Paragraph> {
        let Some(near) = self.state.retrieved_guards() else {
            return Vec::new();
        };
        let mut page = vec![
            Paragraph::new(Role::Strong, "Guardrails")
                .with_run(Role::Muted, format!(" by {}", near.retriever)),
        ];
        if near.candidates.is_empty() {
            page.push(
                Paragraph::new(Role::Muted, "none is near: no model was asked").with_indent(2, 2),
            );
        }
        for candidate in &near.candidates {
            let id = self.guardrail_name(&candidate.id);
            let line = format!("{id} · {:.3}", candidate.score);
            page.push(Paragraph::new(Role::Muted, line).with_indent(2, 4));
            page.extend(others_prose(
                Role::FromMemory,
                4,
                &self.display_text(&candidate.full_text()),
            ));
        }
        page.extend(Self::describe_exclusions(&near.excluded));
        for (chair, decided) in self.state.guard_states() {
            let (role, text) = match &decided.decided {
                Ok(guarded) => match &guarded.decision {
                    GuardDecision::Matched { guardrail } => (
                        Role::Notice,
                        format!(
                            "{} matches; it does not speak",
                            self.guardrail_name(guardrail)
                        ),
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
            let line = Paragraph::new(Role::Muted, format!("{}: ", self.chair_name(chair)));
            page.push(line.with_run(role, text).with_indent(2, 4));
        }
        page.push(Paragraph::gap());
        page
    }

    pub(super) fn describe_findings(&self, judging: &JudgingId, target: &Target) -> Vec<Paragraph> {
        let what = match target {
            Target::Round(round) => format!("Round {round}"),
            Target::Debate => "Debate".to_owned(),
            Target::Attempt(attempt) => attempt.to_string(),
        };
        let mut page =
            vec![Paragraph::new(Role::Strong, what).with_run(Role::Muted, format!(" · {judging}"))];
        let rule = self.created.protocol.find_judging(judging);
        page.extend(
            rule.into_iter()
                .flat_map(|rule| self.describe_rule_verdicts(rule, target)),
        );
        page.push(Paragraph::gap());
        page
    }

    pub(super) fn describe_rewards(&self) -> Vec<Paragraph> {
        let mut page = vec![Paragraph::new(Role::Strong, "Rewards")];
        for (chair, reward) in self.state.compute_rewards() {
            let role = if reward < 0.0 {
                Role::Unsafe
            } else {
                Role::Safe
            };
            let line = Paragraph::new(Role::Muted, format!("{}: ", self.chair_name(&chair)));
            page.push(line.with_run(role, format!("{reward:+}")).with_indent(2, 4));
        }
        page.push(Paragraph::gap());
        page
    }

    pub(super) fn describe_lesson(&self) -> Vec<Paragraph> {
        let lessons = self.state.lessons();
        lessons
            .flat_map(|lesson| self.describe_one_lesson(lesson))
            .collect()
    }

    fn describe_one_lesson(&self, lesson: &FeedbackWritten) -> Vec<Paragraph> {
        let title = match &lesson.learner {
            None => "Lesson".to_owned(),
            Some(learner) => format!("Lesson for {learner}"),
        };
        let mut page = vec![
            Paragraph::new(Role::Strong, title)
                .with_run(Role::Muted, format!(" · {}", lesson.entry)),
        ];
        if let Some(swapped) = self.state.swapped_rewards() {
            let text = format!(
                "written from the rewards of session {}, not its own",
                swapped.from
            );
            page.push(Paragraph::new(Role::Warning, text).with_indent(2, 2));
        }
        if let Some(thinking) = &lesson.reply.thinking {
            page.extend(self.describe_hidden_text(Role::Thinking, "its own thinking", thinking));
        }
        if lesson.reply.is_empty() {
            let empty = lesson.reply.empty_placeholder();
            let text = format!("{empty}; memory keeps nothing of it");
            page.push(Paragraph::new(Role::Warning, text).with_indent(2, 2));
        } else {
            page.extend(others_prose(
                Role::FromMemory,
                2,
                &self.display_text(&lesson.reply.text),
            ));
        }
        page.push(Paragraph::gap());
        page
    }

    pub(super) fn describe_failures(&self) -> Vec<Paragraph> {
        let mut page = Vec::new();
        let failures = self.state.failures().iter();
        let failures = failures.filter(|(step, _)| !is_shown_at_turn(step));
        for (step, failed) in failures {
            if page.is_empty() {
                page.push(Paragraph::new(Role::Error, "Failed"));
            }
            page.push(
                self.describe_failure(step.as_str(), failed)
                    .with_indent(2, 4),
            );
        }
        let stopped_replies = self.state.stopped_replies().iter();
        for stopped in stopped_replies.filter(|stopped| !is_shown_at_turn(&stopped.reply.step)) {
            page.extend(self.describe_stopped_reply(stopped, Some(stopped.reply.step.as_str())));
        }
        page.push(Paragraph::gap());
        page
    }

    pub(super) fn describe_ending(&self) -> Vec<Paragraph> {
        let (role, text) = texts::describe_ending(self.state);
        let mut page = vec![Paragraph::new(Role::Strong, "State ").with_run(role, text)];
        let best = best_sample(self.state);
        page.extend(best.map(|best| Paragraph::new(Role::Text, best).with_indent(2, 4)));
        page.extend(texts::describe_spend(self.state));
        page
    }
}

/// Returns the topic, what was found, and the lesson as plain text; `None` where nothing has begun.
pub fn record_text(state: &State) -> Option<String> {
    let mut text = state.first_event()?.topic.text.clone();
    for (judging, target, by_slot) in state.verdicts() {
        for verdict in by_slot.values() {
            let words = verdict.outcome.as_ref().map(Outcome::describe);
            let words = words.unwrap_or_else(|| "none".to_owned());
            text.push_str(&format!("\n{judging} on {target}: {words}"));
        }
    }
    for lesson in state.lessons() {
        text.push_str(&format!("\n\n{}", lesson.reply.text));
    }
    Some(text)
}

/// Says which of a run's trainings a model plays with, and what its server calls it where one does.
fn describe_adapter(adapter: &Adapter) -> String {
    format!(
        ", trained between batches: {}, generation {} on {}",
        adapter.model,
        adapter.generation,
        format_noun_count(adapter.lessons as usize, "text")
    )
}
