//! Games and topics, described in paragraphs.

use super::{Content, Paragraph, Role, prose_paragraphs};
use elenchus_game::debate::protocol_text::{Emphasis, NAMES, TextBlock, describe_game};
use elenchus_game::debate::{Protocol, Topic};

/// Characters of a text that are laid out.
const MAX_SHOWN_CHARS: usize = 4_000;

/// Returns a game's description and its drawing.
pub fn describe_protocol(protocol: &Protocol) -> Vec<Paragraph> {
    let mut page = vec![
        Paragraph::new(Role::Strong, protocol.name.clone()),
        Paragraph::new(Role::Text, protocol.description.clone()),
    ];
    for stroke in describe_game(protocol) {
        page.extend(match stroke {
            TextBlock::Gap => vec![Paragraph::gap()],
            TextBlock::Line {
                emphasis: ink,
                indent,
                text,
            } => {
                vec![Paragraph::new(role_of_emphasis(ink), text).with_indent(indent, indent + 2)]
            }
            TextBlock::Field { indent, name, text } => {
                // A pane is narrower than a page: values are closer to their names.
                let hang = indent + NAMES / 2;
                let name = format!("{name} ");
                vec![
                    Paragraph::new(Role::Muted, name)
                        .with_run(Role::Text, text)
                        .with_indent(indent, hang),
                ]
            }
            TextBlock::Prose {
                emphasis: ink,
                indent,
                text,
            } => prose_paragraphs(role_of_emphasis(ink), indent, &text),
        });
    }
    page
}

/// Returns a topic of a data set with what belongs to it.
pub fn describe_topic(topic: &Topic, content: Content) -> Vec<Paragraph> {
    let mut page = text_beginning(&topic.text, content);
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
            content.show_or_mask(&topic.options.join(" | "))
        ));
    }
    if !facts.is_empty() {
        page.push(Paragraph::new(Role::Muted, facts.join("; ")));
    }
    if let Some(context) = &topic.context {
        page.push(Paragraph::new(Role::Muted, "with the text:"));
        page.extend(text_beginning(context, content));
    }
    page
}

/// Returns the beginning of a text, or that it is masked.
pub fn text_beginning(text: &str, content: Content) -> Vec<Paragraph> {
    let text: String = text.chars().take(MAX_SHOWN_CHARS).collect();
    match content {
        Content::Shown => prose_paragraphs(Role::Text, 0, &text),
        Content::Masked => vec![Paragraph::new(Role::Masked, content.show_or_mask(&text))],
    }
}

fn role_of_emphasis(ink: Emphasis) -> Role {
    match ink {
        Emphasis::Plain => Role::Text,
        Emphasis::Bold => Role::Strong,
        Emphasis::Dim => Role::Muted,
    }
}
