//! Side panel of the form: help on the field, the game's drawing, the topic, the cost.

use super::NewDebate;
use super::form::FormField;
use crate::debate::protocol_text::{Emphasis, NAMES, TextBlock, describe_game};
use crate::debate::{ExpectedUse, Protocol, Topic};
use crate::exchange::cost;
use crate::tui::app::DrawContext;
use crate::tui::theme::Role;
use crate::tui::widgets::{Content, Paragraph, counted, prose, thousands};

/// Characters of a text that are laid out.
const MAX_SHOWN_CHARS: usize = 4_000;

/// Space for details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DetailRoom {
    /// A pane of its own, next to the form.
    Wide,
    /// A few lines below it.
    Narrow,
}

impl NewDebate {
    /// Returns the details of the focused field.
    pub(super) fn detail(&self, brush: DrawContext<'_>, room: DetailRoom) -> Vec<Paragraph> {
        let content = brush.content;
        let help = brush.spelled(&self.help(&self.rows.focus));
        let mut page = vec![Paragraph::of(Role::Muted, help)];
        if self.rows.focus == FormField::Topic && !self.form.topic.is_empty() {
            page.push(Paragraph::gap());
            page.extend(shown(&self.form.topic.text(), content));
            return page;
        }
        if let FormField::Everybody | FormField::Chair(_) = self.rows.focus {
            page.extend(self.servers());
        }
        if self.rows.focus == FormField::Game || room == DetailRoom::Wide {
            if let Some(protocol) = self.protocol() {
                page.push(Paragraph::gap());
                page.extend(game(protocol));
            } else if let Some(Some(Err(why))) = self.games.get(&self.form.game) {
                page.push(Paragraph::of(Role::Error, why.clone()));
            }
        }
        page
    }

    /// Returns why models of a server are not listed, and what to do.
    pub(super) fn servers(&self) -> impl Iterator<Item = Paragraph> {
        let faults = self.library.server_faults.iter();
        faults.map(|fault| Paragraph::of(Role::Warning, fault.clone()))
    }

    /// Returns what the debate would cost, in two lines or three.
    pub(super) fn cost(&self) -> Vec<Paragraph> {
        let prepared = match &self.prepared {
            _ if self.form.game.is_empty() => return Vec::new(),
            None if self.needs_somebody() => {
                let text = "who plays decides what it costs";
                return vec![Paragraph::of(Role::Muted, text)];
            }
            None => return vec![Paragraph::of(Role::Muted, "the cost is being estimated")],
            Some(Err(why)) => return vec![Paragraph::of(Role::Error, why.clone())],
            Some(Ok(ready)) => ready,
        };
        let mut page = match prepared.estimate() {
            None => vec![Paragraph::of(
                Role::Muted,
                "the game is too large for its cost to be estimated",
            )],
            Some(estimate) => vec![
                Paragraph::of(Role::Strong, "likely  ").and(Role::Text, used(&estimate.likely)),
                Paragraph::of(Role::Strong, "at most ").and(Role::Text, used(&estimate.at_most)),
            ],
        };
        let notices = prepared.notices().iter();
        page.extend(notices.map(|notice| Paragraph::of(Role::Warning, notice.clone())));
        let unlisted = prepared.unlisted().iter();
        page.extend(unlisted.map(|one| Paragraph::of(Role::Warning, one.to_string())));
        page
    }
}

/// Returns a game's description and its drawing.
pub(super) fn game(protocol: &Protocol) -> Vec<Paragraph> {
    let mut page = vec![
        Paragraph::of(Role::Strong, protocol.name.clone()),
        Paragraph::of(Role::Text, protocol.description.clone()),
    ];
    for stroke in describe_game(protocol) {
        page.extend(match stroke {
            TextBlock::Gap => vec![Paragraph::gap()],
            TextBlock::Line { ink, indent, text } => {
                vec![Paragraph::of(role(ink), text).indented(indent, indent + 2)]
            }
            TextBlock::Field { indent, name, text } => {
                // A pane is narrower than a page: values are closer to their names.
                let hang = indent + NAMES / 2;
                let name = format!("{name} ");
                vec![
                    Paragraph::of(Role::Muted, name)
                        .and(Role::Text, text)
                        .indented(indent, hang),
                ]
            }
            TextBlock::Prose { ink, indent, text } => prose(role(ink), indent, &text),
        });
    }
    page
}

/// Returns a topic of a data set with what belongs to it.
pub(super) fn row(topic: &Topic, content: Content) -> Vec<Paragraph> {
    let mut page = shown(&topic.text, content);
    let mut facts = Vec::new();
    facts.extend(topic.category.iter().map(|one| format!("category {one}")));
    facts.extend(topic.level.map(|level| format!("level {level}")));
    facts.extend(topic.expected.iter().map(|one| format!("expected {one}")));
    match topic.conversation.len() {
        0 => {}
        many => facts.push(format!("after {many} utterances")),
    }
    if !topic.documents.is_empty() {
        facts.push(format!("{} documents", topic.documents.len()));
    }
    if !topic.options.is_empty() {
        facts.push(format!(
            "options: {}",
            content.of(&topic.options.join(" | "))
        ));
    }
    if !facts.is_empty() {
        page.push(Paragraph::of(Role::Muted, facts.join("; ")));
    }
    if let Some(context) = &topic.context {
        page.push(Paragraph::of(Role::Muted, "with the text:"));
        page.extend(shown(context, content));
    }
    page
}

fn shown(text: &str, content: Content) -> Vec<Paragraph> {
    let text: String = text.chars().take(MAX_SHOWN_CHARS).collect();
    match content {
        Content::Shown => prose(Role::Text, 0, &text),
        Content::Masked => vec![Paragraph::of(Role::Masked, content.of(&text))],
    }
}

fn role(ink: Emphasis) -> Role {
    match ink {
        Emphasis::Plain => Role::Text,
        Emphasis::Bold => Role::Strong,
        Emphasis::Dim => Role::Muted,
    }
}

fn used(expected: &ExpectedUse) -> String {
    let cost = match expected.cost_usd {
        Some(usd) => cost::usd(usd),
        None => "unknown: no price".to_owned(),
    };
    format!(
        "{}, {} tokens in and {} out, {cost}",
        counted(expected.calls as usize, "call"),
        thousands(expected.input_tokens),
        thousands(expected.output_tokens)
    )
}
