//! Games and topics, described in paragraphs.

use super::{Content, Paragraph, Role, prose};
use elenchus_game::debate::protocol_text::{Emphasis, NAMES, TextBlock, describe_game};
use elenchus_game::debate::{Protocol, Topic};

/// Characters of a text that are laid out.
const MAX_SHOWN_CHARS: usize = 4_000;

/// Returns a game's description and its drawing.
pub fn game(protocol: &Protocol) -> Vec<Paragraph> {
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
pub fn topic(topic: &Topic, content: Content) -> Vec<Paragraph> {
    let mut page = beginning(&topic.text, content);
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
        page.extend(beginning(context, content));
    }
    page
}

/// Returns the beginning of a text, or that it is masked.
pub fn beginning(text: &str, content: Content) -> Vec<Paragraph> {
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
