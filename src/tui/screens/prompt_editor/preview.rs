//! Preview of a prompt: the messages, each part with its origin, or the differences from the
//! recorded ones.

use super::PromptEditor;
use crate::debate::Chair;
use crate::debate::view::{ViewMessage, ViewPart};
use crate::experiments::PromptStage;
use crate::tui::screens::inspect::{Origins, tagged, tokens};
use crate::tui::theme::Role;
use crate::tui::widgets::{LayOut, Paragraph, ScrollList, StyledLine, lay_out, woven};
use crate::workspace::prompts::AskedFor;

/// One thing on the page.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PreviewItem {
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

impl PromptEditor {
    /// Makes the page of what was shown last; the cursor stays.
    pub(crate) fn turn_page(&mut self) {
        self.items = self.page();
        self.roll.set_count(self.items.len());
    }

    fn page(&self) -> Vec<PreviewItem> {
        let Some(shown) = &self.shown else {
            let why = match &self.staged {
                None => "looking for a place where this prompt was used",
                Some(_) => "rendering",
            };
            return vec![PreviewItem::Nothing(why.to_owned())];
        };
        let recorded = self.staged.as_ref().map(|staged| &staged.stage.recorded);
        let recorded = recorded.and_then(Option::as_ref);
        let mut items = Vec::new();
        for (at, message) in shown.messages.iter().enumerate() {
            let text = words(message);
            items.push(PreviewItem::Heading(format!(
                "{} · about {} tokens",
                message.role.word(),
                tokens(&text)
            )));
            match (self.difference, recorded) {
                (true, Some(recorded)) => items.push(PreviewItem::Changed {
                    before: recorded.messages.get(at).map(words).unwrap_or_default(),
                    now: text,
                }),
                (_, _) => items.extend(message.parts.iter().cloned().map(PreviewItem::Part)),
            }
        }
        if let (true, Some(recorded)) = (self.difference, recorded) {
            for message in recorded.messages.iter().skip(shown.messages.len()) {
                items.push(PreviewItem::Heading(message.role.word().to_owned()));
                items.push(PreviewItem::Changed {
                    before: words(message),
                    now: String::new(),
                });
            }
        }
        if items.is_empty() {
            items.push(PreviewItem::Nothing(
                "no seat is shown anything here".to_owned(),
            ));
        }
        items
    }

    /// Moves over the page.
    pub(crate) fn rolled(&mut self, how: impl FnOnce(&mut ScrollList, LayOut<'_>)) {
        let mut roll = std::mem::take(&mut self.roll);
        how(&mut roll, &|item, width| self.lines(item, width));
        self.roll = roll;
    }

    /// Lays one thing of the page out.
    pub(crate) fn lines(&self, item: usize, width: usize) -> Vec<StyledLine> {
        match self.items.get(item) {
            Some(PreviewItem::Heading(text)) => {
                let mut page = Vec::new();
                if item > 0 {
                    page.push(Paragraph::gap());
                }
                page.push(Paragraph::of(Role::Strong, text.clone()));
                lay_out(&page, width)
            }
            Some(PreviewItem::Part(part)) => {
                let origin = self.origins.origin(&part.from);
                let text = part.text.as_deref().unwrap_or_default();
                tagged(&origin, origin.kind.role(), &self.content.of(text), width)
            }
            Some(PreviewItem::Changed { before, now }) => {
                let (before, now) = (self.content.of(before), self.content.of(now));
                let page = match woven(&before, &now, self.marking) {
                    Some(page) => page,
                    None => vec![Paragraph::of(
                        Role::Notice,
                        "these texts are too long to be compared word by word",
                    )],
                };
                lay_out(&page, width)
            }
            Some(PreviewItem::Nothing(why)) => {
                lay_out(&[Paragraph::of(Role::Notice, why.clone())], width)
            }
            None => Vec::new(),
        }
    }

    /// Returns what the text shows, as it would be sent.
    pub(super) fn shown_text(&self) -> String {
        let messages = self.shown.iter().flat_map(|shown| &shown.messages);
        let texts =
            messages.map(|message| format!("=== {}\n{}", message.role.word(), words(message)));
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Returns about how many tokens the messages have together, and the words of the prompt alone.
    pub(crate) fn counted(&self) -> Option<(usize, usize)> {
        let shown = self.shown.as_ref()?;
        let all = shown.messages.iter().map(|message| tokens(&words(message)));
        let parts = shown.messages.iter().flat_map(|message| &message.parts);
        let own = parts.filter(|part| is_own(part));
        let own: String = own.filter_map(|part| part.text.as_deref()).collect();
        Some((all.sum(), tokens(&own)))
    }
}

fn is_own(part: &ViewPart) -> bool {
    matches!(part.from, crate::debate::view::PartSource::Template(_))
}

/// Returns whom the messages are for, and what is known of where their parts come from.
pub(super) fn origins(stage: &PromptStage) -> Origins {
    let reader: Option<Chair> = match stage.place.as_ref().map(|(_, asked)| asked) {
        Some(AskedFor::Turn(turn)) => Some(turn.chair.clone()),
        Some(AskedFor::Verdict { .. } | AskedFor::Lesson) | None => None,
    };
    Origins::of(&stage.state, reader)
}

fn words(message: &ViewMessage) -> String {
    let parts = message.parts.iter();
    parts.filter_map(|part| part.text.as_deref()).collect()
}
