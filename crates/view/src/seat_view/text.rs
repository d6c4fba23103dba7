//! Texts of a view's parts, as far as they may be shown. Pure.

use super::{OriginKind, PartOrigin, SeatView, estimate_tokens};
use elenchus_game::debate::view::MessageRole;
use elenchus_text::{Content, Paragraph, Role, others_prose};

/// How much of a view is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewOptions {
    pub content: Content,
    /// Private reasoning is shown.
    pub private: bool,
}

impl PartOrigin {
    /// Returns a part's text as it may be shown.
    pub fn visible_text(&self, text: Option<&str>, show: ViewOptions) -> String {
        let Some(text) = text else {
            return "the session holds no text for it".to_owned();
        };
        let hides = match self.kind {
            OriginKind::Private => !show.private,
            OriginKind::Template
            | OriginKind::Persona
            | OriginKind::Draw
            | OriginKind::Topic
            | OriginKind::Context
            | OriginKind::Conversation
            | OriginKind::Options
            | OriginKind::Document
            | OriginKind::Memory
            | OriginKind::Peer
            | OriginKind::Own
            | OriginKind::Verdict
            | OriginKind::Fence
            | OriginKind::Person => false,
        };
        if hides && show.content == Content::Shown {
            let count = text.chars().count();
            return format!("[private reasoning: {count} characters, not shown]");
        }
        show.content.show_or_mask(text)
    }
}

impl SeatView {
    /// Returns about how many tokens all messages have.
    pub fn total_tokens(&self) -> usize {
        let messages = 0..self.messages.len();
        messages
            .map(|at| estimate_tokens(&self.messages.text(at)))
            .sum()
    }

    /// Returns its title, what is known of its call, its messages with the origin of every part, and what
    /// else was sent; `reveal` shows private texts.
    pub fn full_paragraphs(&self, show: ViewOptions, reveal: &str) -> Vec<Paragraph> {
        let shift_right = |by: usize, page: Vec<Paragraph>| {
            let moved = page.into_iter();
            moved.map(move |line| {
                let (indent, hang) = (line.indent + by, line.hang + by);
                line.with_indent(indent, hang)
            })
        };
        let mut page = vec![Paragraph::new(Role::Muted, self.title.clone()).with_indent(2, 4)];
        page.extend(shift_right(4, self.all_facts()));
        let nothing = self.nothing.iter();
        page.extend(nothing.map(|why| Paragraph::new(Role::Notice, why).with_indent(4, 6)));
        for at in 0..self.messages.len() {
            page.extend(shift_right(4, self.message_heading(at)));
            for part in self.messages.parts(at) {
                let origin = self.origins.part_origin(&part.from);
                let how = match origin.kind {
                    OriginKind::Private if !show.private => format!("; {reveal} shows it"),
                    _ => String::new(),
                };
                let from = format!("[{}{how}]", origin.words);
                page.push(Paragraph::new(Role::Muted, from).with_indent(6, 8));
                let text = origin.visible_text(part.text.as_deref(), show);
                page.extend(others_prose(origin.kind.role(), 6, &text));
            }
        }
        page.extend(shift_right(4, self.request.clone()));
        page
    }

    /// Returns all messages as one text, every part behind its origin.
    pub fn full_text(&self, show: ViewOptions) -> String {
        let mut page = format!("{}\n", self.title);
        for at in 0..self.messages.len() {
            let role = self.messages.role(at).map_or("", MessageRole::as_str);
            page.push_str(&format!("\n=== {role}\n"));
            for part in self.messages.parts(at) {
                let origin = self.origins.part_origin(&part.from);
                page.push_str(&format!("[{}]\n", origin.words));
                let text = origin.visible_text(part.text.as_deref(), show);
                page.push_str(&text);
                if !text.ends_with('\n') {
                    page.push('\n');
                }
            }
        }
        page
    }
}
