//! Preview as a page: the messages, each part with its origin, or the differences from the recorded ones. Pure.

use super::{PromptPreview, PromptStage};
use elenchus_game::debate::Chair;
use elenchus_game::debate::view::{PartSource, View, ViewMessage, ViewPart};
use elenchus_records::workspace::prompts::AskedFor;
use elenchus_text::{Paragraph, Role, cost};
use elenchus_view::seat_view::{Origins, estimate_tokens};

/// One thing on the page.
#[derive(Debug, Clone, PartialEq)]
pub enum PreviewItem {
    /// Role of a message, and its tokens (estimated).
    Heading(String),
    Part(ViewPart),
    /// A message with its differences to the recorded one.
    Changed {
        before: String,
        now: String,
    },
    Nothing(String),
}

impl PreviewItem {
    /// Returns the only item of a page that has nothing else.
    pub fn empty_page(why: &str) -> Vec<Self> {
        vec![Self::Nothing(why.to_owned())]
    }
}

impl PromptPreview {
    /// Returns the messages part by part; message by message with its differences where what was recorded
    /// is given.
    pub fn list_items(&self, recorded: Option<&View>) -> Vec<PreviewItem> {
        let mut items = Vec::new();
        for (at, message) in self.messages.iter().enumerate() {
            let now = message_text(message);
            let (role, tokens) = (message.role.as_str(), estimate_tokens(&now));
            items.push(PreviewItem::Heading(format!(
                "{role} · about {tokens} tokens"
            )));
            match recorded.map(|recorded| recorded.messages.get(at)) {
                Some(before) => items.push(PreviewItem::Changed {
                    before: before.map(message_text).unwrap_or_default(),
                    now,
                }),
                None => items.extend(message.parts.iter().cloned().map(PreviewItem::Part)),
            }
        }
        let old_messages = recorded.map_or(&[][..], |recorded| &recorded.messages);
        for message in old_messages.iter().skip(self.messages.len()) {
            items.push(PreviewItem::Heading(message.role.as_str().to_owned()));
            items.push(PreviewItem::Changed {
                before: message_text(message),
                now: String::new(),
            });
        }
        match items.is_empty() {
            true => PreviewItem::empty_page("no seat is shown anything here"),
            false => items,
        }
    }

    /// Returns the messages as they would be sent.
    pub fn text(&self) -> String {
        let texts = self.messages.iter();
        let texts = texts
            .map(|message| format!("=== {}\n{}", message.role.as_str(), message_text(message)));
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Says about how many tokens the messages have together, and the words of the prompt alone.
    pub fn describe_tokens(&self) -> String {
        let all = self
            .messages
            .iter()
            .map(|message| estimate_tokens(&message_text(message)));
        let parts = self.messages.iter().flat_map(|message| &message.parts);
        let own = parts.filter(|part| matches!(part.from, PartSource::Template(_)));
        let own: String = own.filter_map(|part| part.text.as_deref()).collect();
        format!(
            "about {} tokens, {} of them this prompt's",
            all.sum::<usize>(),
            estimate_tokens(&own)
        )
    }

    /// Returns the request besides the messages, on one line; `None` where no model is asked.
    pub fn describe_request(&self) -> Option<String> {
        let request = self.request.as_ref()?;
        let mut text = format!("to {}", request.model);
        if let Some(temperature) = request.sampling.temperature {
            text.push_str(&format!(", temperature {temperature}"));
        }
        if let Some(limit) = request.sampling.max_tokens {
            text.push_str(&format!(", at most {limit} tokens back"));
        }
        let cost = cost::format_cost(request.likely.cost_usd);
        text.push_str(&format!(", likely {cost}"));
        Some(text)
    }
}

impl PromptStage {
    /// Returns what is known of where the parts of the messages come from, for whom they are for.
    pub fn collect_origins(&self) -> Origins {
        let reader: Option<Chair> = match self.place.as_ref().map(|at| &at.asked) {
            Some(AskedFor::Turn(turn)) => Some(turn.chair.clone()),
            Some(AskedFor::GuardDecision(chair) | AskedFor::Guardrail(chair)) => {
                Some(chair.clone())
            }
            Some(AskedFor::Verdict { .. } | AskedFor::Lesson(_)) | None => None,
        };
        Origins::from_state(&self.state, reader)
    }

    /// Returns on one line where it is.
    pub fn heading(&self) -> Paragraph {
        let Some(at) = &self.place else {
            return Paragraph::new(Role::Accent, "sample data")
                .with_run(Role::Muted, ": a made-up topic, no model is asked");
        };
        let place = Paragraph::new(Role::Accent, at.asked.to_string())
            .with_run(Role::Muted, format!(" of {}", at.short_session()));
        let created = self.state.first_event();
        match created.is_some_and(|created| created.is_simulated()) {
            true => place.with_run(Role::Simulated, " SIMULATED"),
            false => place,
        }
    }
}

fn message_text(message: &ViewMessage) -> String {
    let parts = message.parts.iter();
    parts.filter_map(|part| part.text.as_deref()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use elenchus_game::debate::view::MessageRole;

    fn message(role: MessageRole, text: &str) -> ViewMessage {
        let parts = [(PartSource::Template("debater".to_owned()), text)];
        let parts = parts.map(|(from, text)| ViewPart {
            from,
            text: Some(text.to_owned()),
            text_hash: None,
        });
        ViewMessage {
            role,
            parts: parts.into(),
        }
    }

    fn preview(messages: Vec<ViewMessage>) -> PromptPreview {
        PromptPreview {
            messages,
            request: None,
        }
    }

    #[test]
    fn against_a_longer_record_each_message_is_compared_and_what_is_gone_is_named() {
        let recorded = preview(vec![
            message(MessageRole::System, "You speak."),
            message(MessageRole::User, "Now."),
        ]);
        let shown = preview(vec![message(MessageRole::System, "You sing.")]);
        let view = View {
            messages: recorded.messages.clone(),
            ..View::default()
        };
        let changed = |before: &str, now: &str| PreviewItem::Changed {
            before: before.to_owned(),
            now: now.to_owned(),
        };
        let items = shown.list_items(Some(&view));
        let [
            PreviewItem::Heading(first),
            one,
            PreviewItem::Heading(gone),
            other,
        ] = &items[..]
        else {
            panic!("{items:?}");
        };
        assert!(first.starts_with("system · about "), "{first}");
        assert_eq!(*one, changed("You speak.", "You sing."));
        assert_eq!((gone.as_str(), other), ("user", &changed("Now.", "")));
        assert_eq!(shown.text(), "=== system\nYou sing.");
    }

    #[test]
    fn a_page_is_never_empty() {
        let nothing = PreviewItem::empty_page("no seat is shown anything here");
        assert_eq!(preview(Vec::new()).list_items(None), nothing);
    }
}
