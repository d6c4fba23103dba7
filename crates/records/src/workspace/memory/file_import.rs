//! Import of guardrails and lessons of other tools' files: guardrails are proposed, lessons disabled, so that
//! no debate is refused or steered before a person looked at them.

use super::browse::NamespaceEntries;
use super::change::{EntryText, WRITTEN, build_addition, person_journal};
use super::hold_back::{ArrivingJournal, HeldBack};
use super::journals::NamespaceWriter;
use crate::exchange::{FoundGuardrail, FoundLesson, MemoryFile};
use crate::workspace::error::Result;
use crate::workspace::store_context::StoreContext;
use elenchus_game::debate::Author;
use elenchus_memory::{
    EntryId, EntryKind, GuardStatus, MemoryEntry, MemoryEvent, has_example, is_same_intent,
};

/// What came of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileImport {
    /// Guardrails that are proposed now.
    pub proposed: Vec<EntryId>,
    /// Lessons that wait, disabled.
    pub disabled: Vec<EntryId>,
    /// Entries that were here already.
    pub known: usize,
    /// Lines whose guardrail was not taken, with the reason.
    pub refused: Vec<(u64, String)>,
}

/// Takes the guardrails and lessons of a file into a namespace, durable when this returns. Blocks.
///
/// # Errors
/// When the namespace's guardrails cannot be read, or a journal cannot be written.
pub async fn import_memory_file(
    store: &StoreContext,
    namespace: &str,
    file: &MemoryFile,
) -> Result<FileImport> {
    let here = NamespaceEntries::read_entries(&store.layout, namespace)?;
    if !file.guardrails.is_empty() {
        here.check_guardrails()?;
    }
    let mut import = FileImport::default();
    let at = store.clock.now();
    let add = |text: EntryText| {
        let id = EntryId(format!("{WRITTEN}{}", store.clock.fresh_id()));
        (id.clone(), build_addition(id, text, at.clone()))
    };
    let mut proposals = Vec::new();
    for found in &file.guardrails {
        match find_standing(&here, found) {
            GuardrailStanding::New => {
                let (id, event) = add(EntryText::Guardrail(found.text.clone()));
                import.proposed.push(id);
                proposals.push(event);
            }
            GuardrailStanding::Known => import.known += 1,
            GuardrailStanding::Decided(why) => import.refused.push((found.line, why)),
        }
    }
    let mut lessons = Vec::new();
    for FoundLesson { text, .. } in &file.lessons {
        let mut earlier = here.folded.entries_of_kind(EntryKind::Lesson);
        if earlier.any(|entry| entry.text == *text) {
            import.known += 1;
            continue;
        }
        let (id, event) = add(EntryText::Lesson(text.clone()));
        import.disabled.push(id);
        lessons.push(event);
    }
    if proposals.is_empty() && lessons.is_empty() {
        return Ok(import);
    }
    let name = person_journal(&store.layout, namespace, &store.person)?;
    let arriving = ArrivingJournal {
        kind: EntryKind::Lesson,
        name: name.clone(),
        events: lessons.clone(),
    };
    // Before the lessons are there: a kill leaves none of them in use.
    let held_back = HeldBack::from_arrivals(&store.layout, namespace, &[arriving])?;
    held_back.disable_entries(store, &at).await?;
    let mut writer = NamespaceWriter::new(&store.layout, &store.journals(), namespace, &name)?;
    let by = Author::Person(store.person.clone()).to_string();
    let events: Vec<MemoryEvent> = lessons.into_iter().chain(proposals).collect();
    for event in &events {
        writer.record_without_sync(&by, event)?;
    }
    writer.sync().await?;
    Ok(import)
}

/// How a guardrail of a file stands to those that are here.
enum GuardrailStanding {
    New,
    /// All of it is here.
    Known,
    /// One of its intent was accepted or rejected, and would be changed by further examples.
    Decided(String),
}

fn find_standing(here: &NamespaceEntries, found: &FoundGuardrail) -> GuardrailStanding {
    let mut guardrails = here.folded.entries_of_kind(EntryKind::Guardrail);
    let same = guardrails.find(|entry| is_same_intent(&entry.text, &found.text.intent));
    let Some(same) = same else {
        return GuardrailStanding::New;
    };
    let is_known = |example: &String| has_example(&same.examples, example);
    if found.text.examples.iter().all(is_known) {
        return GuardrailStanding::Known;
    }
    match describe_decision(same) {
        None => GuardrailStanding::New,
        Some(decision) => GuardrailStanding::Decided(format!(
            "guardrail {} has this intent and is {decision}: it is not given further examples; \
             'elenchus memory guardrails edit' does that",
            same.id
        )),
    }
}

fn describe_decision(entry: &MemoryEntry) -> Option<&'static str> {
    match entry.acceptance()? {
        GuardStatus::Proposed => None,
        status @ (GuardStatus::Accepted(_) | GuardStatus::Rejected) => Some(status.name()),
    }
}
