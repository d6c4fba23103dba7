//! Import of guardrails and lessons of other tools' files: guardrails are proposed, lessons disabled, so that
//! no debate is refused or steered before a person looked at them.

use super::browse::NamespaceEntries;
use super::change::{EntryText, WRITTEN, build_addition, person_journal};
use super::hold_back::{ArrivingJournal, HeldBack};
use super::journals::NamespaceWriter;
use crate::exchange::MemoryFile;
use crate::workspace::error::Result;
use crate::workspace::store_context::StoreContext;
use elenchus_game::debate::Author;
use elenchus_memory::{
    EntryId, EntryKind, GuardStatus, GuardText, MemoryEntry, MemoryEvent, MemoryFold, normal_form,
};
use std::collections::{HashMap, HashSet};

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

/// Takes the guardrails and lessons of files into a namespace, durable when this returns, and returns what came
/// of each. Blocks.
///
/// # Errors
/// When the namespace's guardrails cannot be read, or a journal cannot be written.
pub async fn import_memory_files(
    store: &StoreContext,
    namespace: &str,
    files: &[MemoryFile],
) -> Result<Vec<FileImport>> {
    let here = NamespaceEntries::read_entries(&store.layout, namespace)?;
    if files.iter().any(|file| !file.guardrails.is_empty()) {
        here.check_guardrails()?;
    }
    let mut intake = Intake::new(&here.folded);
    let at = store.clock.now();
    let add = |text: EntryText| {
        let id = EntryId(format!("{WRITTEN}{}", store.clock.fresh_id()));
        (id.clone(), build_addition(id, text, at.clone()))
    };
    let (mut proposals, mut lessons) = (Vec::new(), Vec::new());
    let mut imports = Vec::new();
    for file in files {
        let mut import = FileImport::default();
        for found in &file.guardrails {
            match intake.note_guardrail(&found.text) {
                GuardrailStanding::New => {
                    let (id, event) = add(EntryText::Guardrail(found.text.clone()));
                    import.proposed.push(id);
                    proposals.push(event);
                }
                GuardrailStanding::Known => import.known += 1,
                GuardrailStanding::Decided(why) => import.refused.push((found.line, why)),
            }
        }
        for text in &file.lessons {
            if !intake.lessons.insert(text) {
                import.known += 1;
                continue;
            }
            let (id, event) = add(EntryText::Lesson(text.clone()));
            import.disabled.push(id);
            lessons.push(event);
        }
        imports.push(import);
    }
    if proposals.is_empty() && lessons.is_empty() {
        return Ok(imports);
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
    Ok(imports)
}

/// What is here, with what came from the files so far.
struct Intake<'a> {
    folded: &'a MemoryFold,
    lessons: HashSet<&'a str>,
    /// Guardrails by the normal form of what they are called now.
    by_intent: HashMap<String, &'a MemoryEntry>,
    /// Normal forms of examples, by the normal form of the intent that they were found with.
    examples: HashMap<String, HashSet<String>>,
}

/// How a guardrail of a file stands to those that are here.
enum GuardrailStanding {
    New,
    /// All of it is here.
    Known,
    /// One of its intent was accepted or rejected, and would be changed by further examples.
    Decided(String),
}

impl<'a> Intake<'a> {
    fn new(folded: &'a MemoryFold) -> Self {
        let lessons = folded.entries_of_kind(EntryKind::Lesson);
        let guardrails = folded.entries_of_kind(EntryKind::Guardrail);
        Self {
            folded,
            lessons: lessons.map(|entry| entry.text.as_str()).collect(),
            by_intent: guardrails
                .map(|entry| (normal_form(&entry.text), entry))
                .collect(),
            examples: HashMap::new(),
        }
    }

    /// Notes a guardrail of a file, and returns how it stands to the one that it would become part of, or that is
    /// called so now.
    fn note_guardrail(&mut self, text: &GuardText) -> GuardrailStanding {
        let form = normal_form(&text.intent);
        let first = self.folded.find_guardrail(&text.intent);
        let same = first.or_else(|| self.by_intent.get(&form).copied());
        let is_called_so = same.is_some_and(|same| normal_form(&same.text) == form);
        let examples = self.examples.entry(form).or_insert_with(|| {
            let here = same.iter().flat_map(|same| &same.examples);
            here.map(|example| normal_form(example)).collect()
        });
        let forms: Vec<String> = text.examples.iter().map(|one| normal_form(one)).collect();
        if forms.iter().all(|form| examples.contains(form)) {
            return GuardrailStanding::Known;
        }
        if let Some((same, decision)) = same.and_then(|same| Some((same, describe_decision(same)?)))
        {
            let has = match is_called_so {
                true => "has this intent",
                false => "had this intent before it was edited",
            };
            return GuardrailStanding::Decided(format!(
                "guardrail {} {has} and is {decision}: it is not given further examples; \
                 'elenchus memory edit' does that",
                same.id
            ));
        }
        examples.extend(forms);
        GuardrailStanding::New
    }
}

fn describe_decision(entry: &MemoryEntry) -> Option<&'static str> {
    match entry.acceptance()? {
        GuardStatus::Proposed => None,
        status @ (GuardStatus::Accepted(_) | GuardStatus::Rejected) => Some(status.name()),
    }
}
