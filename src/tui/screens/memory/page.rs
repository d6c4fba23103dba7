//! Memory page: an entry, or a preview of what a debate about a topic would be shown.

use super::{ListContent, Memory, PageItem, key};
use crate::debate::event::RetrievedEntry;
use crate::debate::view::{MessageRole, PartSource, ViewMessage};
use crate::tui::app::TopicTried;
use crate::tui::keys::Action;
use crate::tui::theme::Role;
use crate::tui::widgets::{Paragraph, counted, prose};
use crate::workspace::memory::EntryUse;
use crate::workspace::{EntryKind, EntryStatus, GuardStatus, MemoryEntry};

/// Entries that were left out by rule and are named; the rest is counted.
const MAX_EXCLUDED: usize = 200;

/// Returns paragraphs as plain text.
pub(super) fn text_of(paragraphs: &[Paragraph]) -> String {
    let line = |paragraph: &Paragraph| {
        let runs = paragraph.runs.iter().map(|(_, text)| text.as_str());
        format!(
            "{}{}",
            " ".repeat(paragraph.indent),
            runs.collect::<String>()
        )
    };
    paragraphs.iter().map(line).collect::<Vec<_>>().join("\n")
}

impl PageItem {
    pub(super) fn of(paragraphs: Vec<Paragraph>) -> Self {
        PageItem {
            paragraphs,
            hint: None,
            opens: None,
        }
    }

    /// Adds a sentence that names keys by their marks; it is drawn and never copied.
    pub(super) fn with_hint(mut self, hint: String) -> Self {
        self.hint = Some(hint);
        self
    }
}

impl Memory {
    pub(super) fn page(&self) -> Vec<PageItem> {
        match &self.showing {
            ListContent::Topic { text, tried } => self.topic_page(text, tried),
            ListContent::All | ListContent::Asked { .. } | ListContent::Found { .. } => self
                .chosen()
                .map_or_else(Vec::new, |entry| match entry.kind() {
                    EntryKind::Lesson => self.entry_page(entry),
                    EntryKind::Guardrail => self.guard_page(entry),
                }),
        }
    }

    fn entry_page(&self, entry: &MemoryEntry) -> Vec<PageItem> {
        let mut head = vec![
            Paragraph::of(Role::Strong, entry.id.0.clone())
                .and(role_of(entry), format!(" {}", entry.standing_words()))
                .and(
                    Role::Muted,
                    format!(", text {} of {}", entry.revision, entry.at),
                ),
        ];
        head.extend(prose(Role::FromMemory, 2, &self.content.of(&entry.text)));
        head.push(Paragraph::gap());
        let mut items = vec![PageItem::of(head)];
        items.extend(self.trial_item(&entry.id.0));
        items.extend(self.origins(entry));
        items.extend(self.used(entry));
        for (revision, version) in entry.earlier.iter().enumerate().rev() {
            let about = format!("Text {revision}, {}, in {}", version.at, version.journal);
            let mut page = vec![Paragraph::of(Role::Muted, about)];
            page.extend(prose(Role::Text, 2, &self.content.of(&version.text)));
            items.push(PageItem::of(page));
        }
        items
    }

    fn origins(&self, entry: &MemoryEntry) -> Vec<PageItem> {
        if entry.origins.is_empty() {
            let by = format!("Written by a person, in {}", entry.journal);
            return vec![PageItem::of(vec![
                Paragraph::of(Role::Human, by),
                Paragraph::gap(),
            ])];
        }
        let mut items = Vec::new();
        for (at, origin) in entry.origins.iter().enumerate() {
            let verb = match at {
                0 => "Taught by session ",
                _ => "Taught once more by session ",
            };
            let mut page = vec![
                Paragraph::of(Role::Muted, verb).and(Role::Accent, origin.session.clone()),
                Paragraph::of(Role::Muted, "about: ")
                    .and(Role::FromTopic, self.content.of(&origin.topic_text))
                    .indented(2, 4),
            ];
            let merged = entry.merged.iter();
            for lesson in merged.filter(|lesson| lesson.session == origin.session) {
                page.push(Paragraph::of(Role::Muted, "in these words:").indented(2, 4));
                page.extend(prose(Role::Text, 4, &self.content.of(&lesson.text)));
            }
            if at + 1 == entry.origins.len() {
                page.push(Paragraph::gap());
            }
            items.push(PageItem {
                paragraphs: page,
                hint: None,
                opens: Some(crate::debate::SessionId::new(origin.session.clone())),
            });
        }
        items
    }

    fn used(&self, entry: &MemoryEntry) -> Vec<PageItem> {
        let uses = match &self.uses {
            Some((id, Ok(uses))) if *id == entry.id => uses,
            Some((id, Err(why))) if *id == entry.id => {
                return vec![PageItem::of(vec![Paragraph::of(Role::Error, why.clone())])];
            }
            Some(_) | None => {
                let hint = format!("{} lists the debates that were shown it", key(Action::Open));
                return vec![PageItem::of(Vec::new()).with_hint(hint)];
            }
        };
        let (open, leave_out) = (key(Action::Open), key(Action::LeaveOut));
        let (count, hint) = match (uses.debates.len(), uses.more) {
            (0, _) => ("Shown to no debate".to_owned(), None),
            (1, false) => (
                "Shown to 1 debate".to_owned(),
                Some(format!(
                    ": {open} opens it, {leave_out} repeats it without the entry"
                )),
            ),
            (many, false) => (
                format!("Shown to {many} debates"),
                Some(format!(
                    ": {open} opens one, {leave_out} repeats it without the entry"
                )),
            ),
            (many, true) => (format!("Shown to {many} debates and more"), None),
        };
        let count = PageItem::of(vec![Paragraph::of(Role::Strong, count)]);
        let mut items = vec![PageItem { hint, ..count }];
        items.extend(uses.debates.iter().map(|one| self.one_use(one)));
        if uses.replicates > 0 {
            let text = format!(
                "besides, {} replicates that left an entry out were given it",
                uses.replicates
            );
            items.push(PageItem::of(vec![Paragraph::of(Role::Muted, text)]));
        }
        if !uses.unread.is_empty() {
            let text = format!(
                "{} could not be read",
                counted(uses.unread.len(), "session")
            );
            items.push(PageItem::of(vec![Paragraph::of(Role::Warning, text)]));
        }
        items
    }

    fn one_use(&self, one: &EntryUse) -> PageItem {
        let text = match one.revision {
            Some(0) => String::new(),
            Some(revision) => format!(", text {revision}"),
            None => ", in words it has not had here".to_owned(),
        };
        let facts = format!(
            " {}, place {}, score {:.3}{text}",
            one.hit.protocol, one.hit.rank, one.hit.score
        );
        let page = vec![
            Paragraph::of(Role::Accent, one.hit.session.to_string())
                .and(Role::Muted, facts)
                .indented(2, 4),
            Paragraph::of(Role::FromTopic, self.content.of(&one.hit.topic)).indented(4, 6),
        ];
        PageItem {
            paragraphs: page,
            hint: None,
            opens: Some(one.hit.session.clone()),
        }
    }

    fn topic_page(&self, topic: &str, tried: &TopicTried) -> Vec<PageItem> {
        let shown = &tried.shown;
        let retrieved = &shown.retrieved;
        let count = match retrieved.entries.len() {
            0 => "nothing".to_owned(),
            1 => "1 entry".to_owned(),
            many => format!("{many} entries"),
        };
        let mut items = vec![PageItem::of(vec![
            Paragraph::of(Role::Muted, "A debate about ")
                .and(Role::FromTopic, self.content.of(topic))
                .and(
                    Role::Muted,
                    format!(" would be shown {count} ({})", retrieved.retriever),
                ),
            Paragraph::gap(),
        ])];
        items.extend(
            retrieved
                .entries
                .iter()
                .map(|entry| self.shown_entry(entry)),
        );
        if !retrieved.excluded.is_empty() {
            let text = format!("Left out by rule: {}", retrieved.excluded.len());
            items.push(PageItem::of(vec![Paragraph::of(Role::Strong, text)]));
            for (id, why) in retrieved.excluded.iter().take(MAX_EXCLUDED) {
                let line =
                    Paragraph::of(Role::Text, id.clone()).and(Role::Muted, format!(": {why}"));
                items.push(PageItem::of(vec![line.indented(2, 4)]));
            }
        }
        match &shown.view {
            Ok((chair, messages)) => {
                let text = format!("What {chair} would be sent first");
                items.push(PageItem::of(vec![
                    Paragraph::gap(),
                    Paragraph::of(Role::Strong, text),
                ]));
                items.extend(messages.iter().map(|message| self.message(message)));
            }
            Err(why) => items.push(PageItem::of(vec![Paragraph::of(Role::Notice, why.clone())])),
        }
        items.extend(self.preview_guards(&tried.asked));
        items
    }

    fn shown_entry(&self, entry: &RetrievedEntry) -> PageItem {
        let from: Vec<String> = (entry.origin.iter().chain(&entry.also_from))
            .map(ToString::to_string)
            .collect();
        let from = match from.as_slice() {
            [] => "written by a person".to_owned(),
            sessions => format!("taught by session {}", sessions.join(", ")),
        };
        let mut page = vec![
            Paragraph::of(Role::Strong, format!("{:.3} ", entry.score))
                .and(Role::Accent, entry.id.clone())
                .and(Role::Muted, format!(", {from}"))
                .indented(2, 4),
        ];
        page.extend(prose(Role::FromMemory, 4, &self.content.of(&entry.text)));
        PageItem {
            paragraphs: page,
            hint: None,
            opens: entry.origin.clone(),
        }
    }

    /// A message word for word; what comes from memory is marked by its role.
    pub(super) fn message(&self, message: &ViewMessage) -> PageItem {
        let role = match message.role {
            MessageRole::System => "[system]",
            MessageRole::User => "[user]",
            MessageRole::Assistant => "[assistant]",
        };
        let mut page = vec![Paragraph::of(Role::Muted, role).indented(2, 2)];
        let mut line = Paragraph::of(Role::Text, "").indented(4, 4);
        for part in &message.parts {
            let text = part.text.as_deref().unwrap_or_default();
            let (role, text) = match part.from {
                PartSource::Template(_) => (Role::Text, text.to_owned()),
                PartSource::Memory(_) | PartSource::Guardrail(_) => {
                    (Role::FromMemory, self.content.of(text))
                }
                PartSource::Topic => (Role::FromTopic, self.content.of(text)),
                _ => (Role::Text, self.content.of(text)),
            };
            for (at, piece) in text.split('\n').enumerate() {
                if at > 0 {
                    page.push(std::mem::replace(
                        &mut line,
                        Paragraph::of(Role::Text, "").indented(4, 4),
                    ));
                }
                line = line.and(role, piece);
            }
        }
        page.push(line);
        PageItem::of(page)
    }
}

/// The role in which the standing of an entry is written.
pub(super) fn role_of(entry: &MemoryEntry) -> Role {
    match (entry.standing(), entry.acceptance()) {
        (EntryStatus::Deleted, _) => Role::Removed,
        (EntryStatus::Disabled, _) => Role::Warning,
        (EntryStatus::Live, None | Some(GuardStatus::Accepted(_))) => Role::Safe,
        (EntryStatus::Live, Some(GuardStatus::Proposed)) => Role::Notice,
        (EntryStatus::Live, Some(GuardStatus::Rejected)) => Role::Muted,
    }
}
