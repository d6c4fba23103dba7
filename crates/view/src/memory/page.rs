//! Page of a memory entry, or preview of what a debate about a topic would be shown and asked, in paragraphs: the
//! same for the workbench and the command line.

use super::guardrail_page::describe_decisions;
use elenchus_game::debate::SessionId;
use elenchus_game::debate::event::RetrievedEntry;
use elenchus_game::debate::view::{PartSource, ViewMessage};
use elenchus_memory::{EntryKind, EntryStatus, GuardStatus, MemoryEntry};
use elenchus_records::workspace::memory::{
    EntryUse, EntryUses, GuardPreview, LessonPreview, NamespaceEntries,
};
use elenchus_records::workspace::{Import, WorkspaceError, to_the_minute};
use elenchus_text::{Content, PageItem, Paragraph, Role, format_noun_count, others_prose};

/// Entries that were left out by rule and are named; the rest is counted.
const MAX_EXCLUDED: usize = 200;

/// What is known of an entry beside itself, and how its page is written.
#[derive(Debug, Clone, Copy)]
pub struct EntryPage<'a> {
    pub content: Content,
    pub namespace: Option<&'a str>,
    /// Debates whose look-up chose it, or why they are not known; `None` where they were not looked for.
    pub uses: Option<&'a Result<EntryUses, WorkspaceError>>,
    pub keys: Option<PageKeys>,
    /// Where the entry came from, if it was not written here.
    pub origin: Option<EntryImport<'a>>,
    /// How many examples of a guardrail models are shown.
    pub shown_examples: usize,
}

/// Import of an entry.
#[derive(Debug, Clone, Copy)]
pub struct EntryImport<'a> {
    pub import: &'a Import,
    /// It is disabled until a person accepts it.
    pub waits: bool,
}

impl<'a> EntryImport<'a> {
    /// Returns the import of an entry of these; `None` where it was written here.
    pub fn find_import(entries: &'a NamespaceEntries, entry: &MemoryEntry) -> Option<Self> {
        Some(Self {
            import: entries.import_of(entry)?,
            waits: entries.waiting.contains(&entry.id),
        })
    }
}

/// Marks of the keys that a page names.
#[derive(Debug, Clone, Copy)]
pub struct PageKeys {
    pub open: char,
    pub leave_out: char,
}

impl EntryPage<'_> {
    /// Returns the page of an entry; `results` of ablations come behind the text of a lesson.
    pub fn build_entry_page(&self, entry: &MemoryEntry, results: Vec<PageItem>) -> Vec<PageItem> {
        let mut head = vec![
            Paragraph::new(role_of(entry), describe_standing(entry))
                .with_run(Role::Muted, describe_age(entry))
                .with_run(Role::Muted, format!(" · {}", entry.id.0)),
        ];
        if let Some(EntryImport { import, waits }) = self.origin {
            let waits = match waits {
                true => "; in no debate until it is enabled",
                false => "",
            };
            head.push(Paragraph::new(Role::Notice, format!("{import}{waits}")));
        }
        head.extend(others_prose(
            Role::FromMemory,
            2,
            &self.content.show_or_mask(&entry.text),
        ));
        head.push(Paragraph::gap());
        let mut items = vec![PageItem::from_paragraphs(head)];
        match entry.kind() {
            EntryKind::Lesson => {
                items.extend(results);
                items.extend(self.describe_origins(entry));
                items.extend(self.describe_uses(entry));
            }
            EntryKind::Guardrail => items.extend(self.guard_items(entry)),
        }
        for (revision, version) in entry.earlier.iter().enumerate().rev() {
            let journal = match entry.kind() {
                EntryKind::Lesson => format!(", in {}", version.journal),
                EntryKind::Guardrail => String::new(),
            };
            let about = format!(
                "Text {revision}, {}{journal}",
                format_entry_time(entry, &version.at)
            );
            let mut page = vec![Paragraph::new(Role::Muted, about)];
            page.extend(others_prose(
                Role::Text,
                2,
                &self.content.show_or_mask(&version.text),
            ));
            for example in &version.examples {
                let text = format!("- {}", self.content.show_or_mask(example));
                page.push(Paragraph::new(Role::Text, text).with_indent(4, 6));
            }
            items.push(PageItem::from_paragraphs(page));
        }
        items
    }

    pub(super) fn describe_origins(&self, entry: &MemoryEntry) -> Vec<PageItem> {
        if entry.origins.is_empty() {
            let by = match entry.kind() {
                EntryKind::Lesson => format!("Written by a person, in {}", entry.journal),
                EntryKind::Guardrail => "Written by a person".to_owned(),
            };
            let page = vec![Paragraph::new(Role::Human, by), Paragraph::gap()];
            return vec![PageItem::from_paragraphs(page)];
        }
        let mut items = Vec::new();
        for (at, origin) in entry.origins.iter().enumerate() {
            let derivation = entry.guardrail.as_ref().map(|own| &own.derived);
            let by = match (derivation, at) {
                (None, 0) => "Taught by session ".to_owned(),
                (None, _) => "Taught once more by session ".to_owned(),
                (Some(Some(derived)), 0) => format!("Derived by {} from session ", derived.model),
                (Some(_), _) => "Derived once more from session ".to_owned(),
            };
            let run = match (&origin.run, origin.batch) {
                (Some(run), Some(batch)) => format!(" of run {run}, batch {batch}"),
                (Some(run), None) => format!(" of run {run}"),
                (None, _) => String::new(),
            };
            let mut page = vec![
                Paragraph::new(Role::Muted, by)
                    .with_run(Role::Accent, origin.session.clone())
                    .with_run(Role::Muted, run),
                Paragraph::new(Role::Muted, "about: ")
                    .with_run(
                        Role::FromTopic,
                        self.content.show_or_mask(&origin.topic_text),
                    )
                    .with_indent(2, 4),
            ];
            let merged_lessons = entry.merged.iter();
            let merged_lessons =
                merged_lessons.filter(|one| derivation.is_none() && one.session == origin.session);
            for lesson in merged_lessons {
                page.push(Paragraph::new(Role::Muted, "in these words:").with_indent(2, 4));
                page.extend(others_prose(
                    Role::Text,
                    4,
                    &self.content.show_or_mask(&lesson.text),
                ));
            }
            if at + 1 == entry.origins.len() {
                page.push(Paragraph::gap());
            }
            items.push(PageItem {
                paragraphs: page,
                hint: None,
                opens: Some(SessionId::new(origin.session.clone())),
            });
        }
        items
    }

    /// Debates whose look-up chose the entry.
    pub(super) fn describe_uses(&self, entry: &MemoryEntry) -> Vec<PageItem> {
        let one = |role, text: String| PageItem::from_paragraphs(vec![Paragraph::new(role, text)]);
        let uses = match self.uses {
            Some(Ok(uses)) => uses,
            Some(Err(why)) => return vec![one(Role::Error, why.to_string())],
            None => {
                let did = match entry.kind() {
                    EntryKind::Lesson => "that were shown it",
                    EntryKind::Guardrail => "in which it fired",
                };
                let hint = self.keys;
                let hint = hint.map(|keys| format!("{} lists the debates {did}", keys.open));
                return vec![PageItem::from_paragraphs(Vec::new()).with_hint(hint)];
            }
        };
        let debates = format_noun_count(uses.debates.len(), "debate");
        let more = if uses.more { " and more" } else { "" };
        let which = if uses.debates.len() == 1 { "it" } else { "one" };
        let (none, count, hint, given) = match entry.kind() {
            EntryKind::Lesson => (
                "Shown to no debate",
                format!("Shown to {debates}{more}"),
                self.keys.map(|PageKeys { open, leave_out }| {
                    format!(": {open} opens {which}, {leave_out} repeats it without the entry")
                }),
                " that left an entry out",
            ),
            EntryKind::Guardrail => (
                "It was near no debate's topic yet",
                format!(
                    "It was near {debates}{more} and fired in {}",
                    uses.debates
                        .iter()
                        .filter(|debate| debate.has_fired())
                        .count()
                ),
                self.keys.map(|keys| format!(": {} opens one", keys.open)),
                "",
            ),
        };
        let mut items = match uses.debates.is_empty() {
            true => vec![one(Role::Strong, none.to_owned())],
            false => vec![one(Role::Strong, count).with_hint(hint)],
        };
        items.extend(
            uses.debates
                .iter()
                .map(|debate| self.describe_use(entry, debate)),
        );
        if uses.replicates > 0 {
            let replicates = format_noun_count(uses.replicates, "replicate");
            let was = if uses.replicates == 1 { "was" } else { "were" };
            let text = format!("besides, {replicates}{given} {was} given it");
            items.push(one(Role::Muted, text));
        }
        if !uses.unread.is_empty() {
            let unread = format_noun_count(uses.unread.len(), "session");
            items.push(one(Role::Warning, format!("{unread} could not be read")));
        }
        if entry.kind() == EntryKind::Guardrail {
            items.push(PageItem::from_paragraphs(vec![Paragraph::gap()]));
        }
        items
    }

    fn describe_use(&self, entry: &MemoryEntry, one: &EntryUse) -> PageItem {
        let text = match one.revision {
            Some(0) => String::new(),
            Some(1) => ", as changed once".to_owned(),
            Some(many) => format!(", as changed {many} times"),
            None => ", in words it has not had here".to_owned(),
        };
        let fork_note = match one.inherited {
            true => ", a fork: decided in its parent",
            false => "",
        };
        let facts = format!(
            " {}, place {}, score {:.3}, found {}{text}{fork_note}",
            one.protocol,
            one.rank,
            one.score,
            describe_retriever(&one.retriever)
        );
        let mut head = Paragraph::new(Role::Accent, one.session.to_string());
        if entry.kind() == EntryKind::Guardrail {
            let (role, came) = match one.has_fired() {
                true => (
                    Role::Notice,
                    format!("fired, {} refused", format_noun_count(one.refused, "turn")),
                ),
                false => (Role::Muted, "did not fire".to_owned()),
            };
            head = head.with_run(Role::Text, " ").with_run(role, came);
        }
        let mut page = vec![
            head.with_run(Role::Muted, facts).with_indent(2, 4),
            Paragraph::new(Role::FromTopic, self.content.show_or_mask(&one.topic))
                .with_indent(4, 6),
        ];
        page.extend(describe_decisions(one));
        PageItem {
            paragraphs: page,
            hint: None,
            opens: Some(one.session.clone()),
        }
    }

    /// Returns what a debate about a topic would be shown and asked.
    pub fn build_topic_page(
        &self,
        topic: &str,
        shown: &LessonPreview,
        asked: &GuardPreview,
    ) -> Vec<PageItem> {
        let retrieval = &shown.retrieved;
        let count = match retrieval.entries.len() {
            0 => "nothing".to_owned(),
            1 => "1 entry".to_owned(),
            many => format!("{many} entries"),
        };
        let mut items = vec![PageItem::from_paragraphs(vec![
            Paragraph::new(Role::Muted, "A debate about ")
                .with_run(Role::FromTopic, self.content.show_or_mask(topic))
                .with_run(
                    Role::Muted,
                    format!(
                        " would be shown {count}, found {}",
                        describe_retriever(&retrieval.retriever)
                    ),
                ),
            Paragraph::gap(),
        ])];
        items.extend(
            retrieval
                .entries
                .iter()
                .map(|entry| self.describe_retrieved_entry(entry)),
        );
        if !retrieval.excluded.is_empty() {
            let text = format!("Left out by rule: {}", retrieval.excluded.len());
            items.push(PageItem::from_paragraphs(vec![Paragraph::new(
                Role::Strong,
                text,
            )]));
            for (id, why) in retrieval.excluded.iter().take(MAX_EXCLUDED) {
                let line = Paragraph::new(Role::Text, id.clone())
                    .with_run(Role::Muted, format!(": {why}"));
                items.push(PageItem::from_paragraphs(vec![line.with_indent(2, 4)]));
            }
        }
        match &shown.view {
            Ok((chair, messages)) => {
                let text = format!("What {chair} would be sent first");
                items.push(PageItem::from_paragraphs(vec![
                    Paragraph::gap(),
                    Paragraph::new(Role::Strong, text),
                ]));
                items.extend(
                    messages
                        .iter()
                        .map(|message| self.describe_message(message)),
                );
            }
            Err(why) => items.push(PageItem::from_paragraphs(vec![Paragraph::new(
                Role::Notice,
                why.clone(),
            )])),
        }
        items.extend(self.preview_guards(asked));
        items
    }

    fn describe_retrieved_entry(&self, entry: &RetrievedEntry) -> PageItem {
        let from: Vec<String> = (entry.origin.iter().chain(&entry.also_from))
            .map(ToString::to_string)
            .collect();
        let from = match from.as_slice() {
            [] => "written by a person".to_owned(),
            sessions => format!("taught by session {}", sessions.join(", ")),
        };
        let mut page = vec![
            Paragraph::new(Role::Strong, format!("{:.3} ", entry.score))
                .with_run(Role::Accent, entry.id.clone())
                .with_run(Role::Muted, format!(", {from}"))
                .with_indent(2, 4),
        ];
        page.extend(others_prose(
            Role::FromMemory,
            4,
            &self.content.show_or_mask(&entry.text),
        ));
        PageItem {
            paragraphs: page,
            hint: None,
            opens: entry.origin.clone(),
        }
    }

    /// A message word for word; what comes from memory is marked by its role.
    pub(super) fn describe_message(&self, message: &ViewMessage) -> PageItem {
        let role = format!("[{}]", message.role.as_str());
        let mut page = vec![Paragraph::new(Role::Muted, role).with_indent(2, 2)];
        let mut line = Paragraph::new(Role::Text, "").with_indent(4, 4);
        for part in &message.parts {
            let text = part.text.as_deref().unwrap_or_default();
            let (role, text) = match part.from {
                PartSource::Template(_) => (Role::Text, text.to_owned()),
                PartSource::Memory(_) | PartSource::Guardrail(_) => {
                    (Role::FromMemory, self.content.show_or_mask(text))
                }
                PartSource::Topic => (Role::FromTopic, self.content.show_or_mask(text)),
                _ => (Role::Text, self.content.show_or_mask(text)),
            };
            for (at, piece) in text.split('\n').enumerate() {
                if at > 0 {
                    page.push(std::mem::replace(
                        &mut line,
                        Paragraph::new(Role::Text, "").with_indent(4, 4),
                    ));
                }
                line = line.with_run(role, piece);
            }
        }
        page.push(line);
        PageItem::from_paragraphs(page)
    }
}

/// A time in RFC 3339, of a guardrail up to its minute.
/// Says of an entry whether debates are shown it.
fn describe_standing(entry: &MemoryEntry) -> String {
    match (entry.availability(), entry.kind()) {
        (EntryStatus::Live, EntryKind::Lesson) => "shown to new debates".to_owned(),
        (EntryStatus::Disabled, EntryKind::Lesson) => "disabled: shown to no debate".to_owned(),
        (EntryStatus::Deleted, EntryKind::Lesson) => "deleted".to_owned(),
        (_, EntryKind::Guardrail) => entry.describe_status(),
    }
}

/// Says when an entry got its text, and how often that was changed.
fn describe_age(entry: &MemoryEntry) -> String {
    let at = to_the_minute(&entry.at);
    match entry.revision {
        0 => format!(", written {at}"),
        1 => format!(", changed once, last {at}"),
        many => format!(", changed {many} times, last {at}"),
    }
}

/// Says how something was found, in words: the name of what looks by words is its version.
pub(crate) fn describe_retriever(name: &str) -> String {
    match name {
        _ if name.contains("bm25") => "by words".to_owned(),
        _ => format!("by meaning ({name})"),
    }
}

fn format_entry_time(entry: &MemoryEntry, at: &str) -> String {
    match entry.kind() {
        EntryKind::Lesson => at.to_owned(),
        EntryKind::Guardrail => to_the_minute(at),
    }
}

/// The role in which the standing of an entry is written.
pub fn role_of(entry: &MemoryEntry) -> Role {
    match (entry.availability(), entry.acceptance()) {
        (EntryStatus::Deleted, _) => Role::Removed,
        (EntryStatus::Disabled, _) => Role::Warning,
        (EntryStatus::Live, None | Some(GuardStatus::Accepted(_))) => Role::Safe,
        (EntryStatus::Live, Some(GuardStatus::Proposed)) => Role::Notice,
        (EntryStatus::Live, Some(GuardStatus::Rejected)) => Role::Muted,
    }
}
