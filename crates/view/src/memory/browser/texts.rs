//! Texts of a browser of memory: namespaces, what is listed, its rows, and what is said where it is empty.

use super::{MemoryBrowser, MemoryListing};
use crate::memory::page::describe_retriever;
use crate::memory::{describe_over_refusal, role_of};
use elenchus_memory::{EntryKind, EntryStatus, GuardStatus, MemoryEntry};
use elenchus_records::workspace::memory::NamespaceOverview;
use elenchus_text::{Content, Paragraph, Role, cut_to_width, format_thousands};

/// Cells of a text that was looked for, at most.
const MAX_ASKED: usize = 60;
const MAX_FOUND: usize = 40;
/// Letters of a namespace's name, and of its beginning where it is longer.
const MAX_NAMESPACE: usize = 22;
const NAMESPACE_BEGINNING: usize = 8;

/// A row of the list: what stands before the text of an entry, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryRow {
    pub before: Vec<(Role, String)>,
    pub role: Role,
    pub text: String,
}

impl MemoryBrowser {
    /// Returns the names of the namespaces that fit into so many cells, with the one that is read among them.
    pub fn namespace_names(&self, room: usize) -> Paragraph {
        let mut line = Paragraph::new(Role::Strong, "memory ");
        let Some(read) = &self.read else {
            return line;
        };
        let here = &read.entries.namespace;
        let names = visible_namespaces(&read.namespaces, here, room);
        if !names.iter().any(|glance| glance.name == *here) {
            line = line.with_run(Role::Selection, format!(" {} ", shorten_namespace(here)));
        }
        for glance in names {
            let role = match glance.name == *here {
                true => Role::Selection,
                false => Role::Muted,
            };
            let name = format!(" {} ", shorten_namespace(&glance.name));
            line = line.with_run(role, name).with_run(Role::Text, " ");
        }
        line
    }

    /// Returns how many namespaces there are.
    pub fn namespace_count(&self) -> usize {
        self.read.as_ref().map_or(0, |read| read.namespaces.len())
    }

    /// Returns a summary of the list, in one line.
    pub fn describe_listing(&self, content: Content) -> Paragraph {
        let Some(read) = &self.read else {
            return Paragraph::new(Role::Notice, self.empty.clone());
        };
        let count = |count: usize| format_thousands(count as u64);
        let all = self.keys.back;
        match &self.shown {
            MemoryListing::All if self.kind == EntryKind::Guardrail => self.guard_counts(),
            MemoryListing::All => {
                let counts = read.entries.lesson_counts();
                let mut parts = vec![match counts.live {
                    1 => "1 lesson in use".to_owned(),
                    live => format!("{} lessons in use", count(live)),
                }];
                if counts.disabled > 0 {
                    parts.push(format!("{} disabled", count(counts.disabled)));
                }
                if counts.deleted > 0 {
                    let hidden = if self.list_deleted {
                        ""
                    } else {
                        ", not listed"
                    };
                    parts.push(format!("{} deleted{hidden}", count(counts.deleted)));
                }
                let text = format!(
                    "{} · guardrails: {}, {} lists them",
                    parts.join(" · "),
                    count(self.entries_of_kind(EntryKind::Guardrail).count()),
                    self.keys.other_kind
                );
                Paragraph::new(Role::Muted, text)
            }
            MemoryListing::Asked { text, .. } => Paragraph::new(Role::Muted, "looking for ")
                .with_run(
                    Role::Match,
                    cut_to_width(&content.show_or_mask(text), MAX_ASKED),
                ),
            MemoryListing::Found { query, retriever } => {
                Paragraph::new(Role::Muted, format!("{} near ", count(self.listed.len())))
                    .with_run(
                        Role::Match,
                        cut_to_width(&content.show_or_mask(query), MAX_FOUND),
                    )
                    .with_run(
                        Role::Muted,
                        format!(", found {}; {all} lists all", describe_retriever(retriever)),
                    )
            }
            MemoryListing::Topic { text, .. } => {
                let rows = (0..self.listed.len()).filter_map(|row| self.entry_at(row));
                let guards = rows.filter(|entry| entry.kind() == EntryKind::Guardrail);
                let guards = guards.count();
                let guards_text = match guards {
                    0 => String::new(),
                    1 => "1 guardrail would be asked, ".to_owned(),
                    guards => format!("{} guardrails would be asked, ", count(guards)),
                };
                let lesson_count = count(self.listed.len() - guards);
                let summary = format!("{guards_text}{lesson_count} would be shown about ");
                Paragraph::new(Role::Muted, summary)
                    .with_run(
                        Role::Match,
                        cut_to_width(&content.show_or_mask(text), MAX_FOUND),
                    )
                    .with_run(Role::Muted, format!("; {all} lists all"))
            }
        }
    }

    /// Returns numbers of guardrails by state.
    fn guard_counts(&self) -> Paragraph {
        let count_guards = |status, wanted: fn(GuardStatus) -> bool| {
            let guards = self.entries_of_kind(EntryKind::Guardrail);
            let guards = guards.filter(|guard| guard.availability() == status);
            let guards = guards.filter(|guard| guard.acceptance().is_some_and(wanted));
            guards.count()
        };
        let live = |wanted| count_guards(EntryStatus::Live, wanted);
        let accepted_count = live(|status| matches!(status, GuardStatus::Accepted(_)));
        let proposed_count = live(|status| status == GuardStatus::Proposed);
        let rejected_count = live(|status| status == GuardStatus::Rejected);
        let disabled_count = count_guards(EntryStatus::Disabled, |_| true);
        let deleted_count = count_guards(EntryStatus::Deleted, |_| true);
        let listing_note = match self.list_deleted {
            true => " (listed)",
            false => "",
        };
        let text = format!(
            "{accepted_count} accepted, {proposed_count} proposed, {rejected_count} rejected, {disabled_count} disabled, \
             {deleted_count} deleted{listing_note} · {} lists lessons",
            self.keys.other_kind
        );
        Paragraph::new(Role::Muted, text)
    }

    /// Returns the titles of the list and of the page.
    pub fn titles(&self) -> (&'static str, &'static str) {
        match (&self.shown, self.kind) {
            (MemoryListing::Topic { .. }, _) => ("entries", "what would be shown"),
            (_, EntryKind::Lesson) => ("entries", "entry"),
            (_, EntryKind::Guardrail) => ("guardrails", "guardrail"),
        }
    }

    /// Returns what is said where nothing is listed; `None` where something is.
    pub fn empty_words(&self) -> Option<String> {
        if !self.listed.is_empty() {
            return None;
        }
        let add = self.keys.add;
        Some(match (&self.shown, &self.read, self.kind) {
            (MemoryListing::Asked { .. }, ..) => "looking".to_owned(),
            (MemoryListing::Found { .. }, ..) => "nothing is near this text".to_owned(),
            (MemoryListing::Topic { .. }, ..) => {
                "a debate about this would be shown nothing".to_owned()
            }
            (MemoryListing::All, None, _) => self.empty.clone(),
            (MemoryListing::All, Some(_), EntryKind::Lesson) => format!(
                "memory is empty: debates of games that write lessons fill it; {add} writes an \
                 entry of your own"
            ),
            (MemoryListing::All, Some(_), EntryKind::Guardrail) => format!(
                "no guardrail here: debates with guardrails (a new debate's memory, or run --memory \
                 guardrails) propose them from their lessons; {add} writes one of your own"
            ),
        })
    }

    /// Returns a row of the list.
    pub fn entry_row(&self, row: usize, content: Content) -> Option<EntryRow> {
        let entry = self.entry_at(row)?;
        let score = self.listed.get(row)?.score;
        let standing = match (entry.kind(), entry.availability()) {
            (EntryKind::Lesson, EntryStatus::Live) => String::new(),
            (EntryKind::Lesson | EntryKind::Guardrail, _) => {
                format!("[{}] ", entry.describe_status())
            }
        };
        let about = match entry.kind() {
            EntryKind::Lesson => taught_by(entry),
            EntryKind::Guardrail => format!("{} ", describe_over_refusal(entry)),
        };
        let score = score.map(|score| (Role::Strong, format!("{score:>7.3} ")));
        let came = self.entry_import(entry);
        let came = came.map_or_else(String::new, |_| "imported ".to_owned());
        let before = [
            (role_of(entry), standing),
            (Role::Notice, came),
            (Role::Muted, about),
        ];
        let first = entry.text.lines().next().unwrap_or_default();
        Some(EntryRow {
            before: score.into_iter().chain(before).collect(),
            role: match entry.is_active() {
                true => Role::Text,
                false => Role::Muted,
            },
            text: content.show_or_mask(first),
        })
    }

    /// Returns which row is chosen, in words.
    pub fn place_words(&self) -> String {
        let of = match self.listed.len() {
            0 => "nothing listed".to_owned(),
            many => format!("{} of {many}", self.row + 1),
        };
        match (&self.shown, self.kind) {
            (MemoryListing::All, EntryKind::Lesson) => format!("memory: {of}"),
            (MemoryListing::All, EntryKind::Guardrail) => format!("guardrails: {of}"),
            (MemoryListing::Asked { .. }, _) => "memory: looking".to_owned(),
            (MemoryListing::Found { .. }, _) => format!("memory, found: {of}"),
            (MemoryListing::Topic { .. }, _) => format!("memory, would be shown: {of}"),
        }
    }
}

/// Who taught a lesson, where that is not one debate, and which text it has.
fn taught_by(entry: &MemoryEntry) -> String {
    let by = match entry.origins.len() {
        0 => "by a person ".to_owned(),
        1 => String::new(),
        many => format!("from {many} "),
    };
    match entry.revision {
        0 => by,
        1 => format!("{by}changed once "),
        many => format!("{by}changed {many} times "),
    }
}

/// Returns the name of a namespace, of a long one beginning and end: those of sweeps name their run, and
/// differ behind it.
fn shorten_namespace(name: &str) -> String {
    let count = name.chars().count();
    if count <= MAX_NAMESPACE {
        return name.to_owned();
    }
    let beginning: String = name.chars().take(NAMESPACE_BEGINNING).collect();
    let end = name
        .chars()
        .skip(count + NAMESPACE_BEGINNING + 1 - MAX_NAMESPACE);
    format!("{beginning}…{}", end.collect::<String>())
}

/// The namespaces from the one on from which the chosen one is in sight.
fn visible_namespaces<'a>(
    namespaces: &'a [NamespaceOverview],
    here: &str,
    room: usize,
) -> &'a [NamespaceOverview] {
    let chosen_index = namespaces.iter().position(|glance| glance.name == here);
    let mut first = chosen_index.unwrap_or(0);
    let mut used = 0;
    while let Some(before) = first.checked_sub(1) {
        used += namespaces.get(before).map_or(0, |glance| {
            shorten_namespace(&glance.name).chars().count() + 3
        });
        if used > room {
            break;
        }
        first = before;
    }
    namespaces.get(first..).unwrap_or_default()
}
