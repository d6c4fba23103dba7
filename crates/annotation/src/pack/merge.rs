//! Merge of a returned pack: what its annotator did on its items since it was handed out,
//! everything or nothing.
//!
//! Anything else in it (other people's marks, marks on other items, retractions of earlier marks) is
//! listed, and nothing is taken until `--take` names an annotator.

use super::blind_queue;
use super::handout::{Handout, find_changes, read_pack_handout, read_stored_handout};
use super::returned_marks::{MergeTerms, PackItems, ReturnedMarks};
use crate::queue::{Queue, read_queue};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::JournalKind;
use elenchus_records::workspace::StoreContext;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::annotations::{
    AnnotationEvent, AnnotationId, AnnotationJournal, Annotations, MarkIntake, Pending,
    annotator_name, complete_merges, journal_of_person, journals_of_people, read_annotations,
    target_of,
};
use elenchus_store::{JournalLine, Layout, ReadLine, StoreError, open_lines};
use elenchus_text::shell_word;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Marks taken from one annotator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedAnnotator {
    pub annotator: String,
    /// Marks that are new here.
    pub taken: usize,
    /// Records of what they were shown that are new here.
    pub unblindings: usize,
    /// Marks that were here before.
    pub known: usize,
}

/// Result of a merge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MergeResult {
    pub merged: Vec<MergedAnnotator>,
    /// What an earlier merge had taken and was killed over, by annotator.
    pub completed: BTreeMap<String, usize>,
    /// What was taken because its annotator was named.
    pub named: Vec<String>,
    /// What stayed in the pack because its annotator was not named.
    pub left: Vec<String>,
}

/// Takes in what was labelled in a pack: everything, or nothing where anything is wrong or the process
/// is killed. What is here already is passed over, so that merging twice doubles nothing. `take` names
/// annotators whose marks are all taken, and only theirs. Blocks while it reads.
///
/// # Errors
/// When the folder is no pack, or not as it was handed out; when one of its queues is another one here,
/// or not here at all; when it holds what its person did not do on its items since it was handed out,
/// and `take` is empty; when a label is on something that is not here, or one mark is two different
/// things; when another process writes to an annotator's journal.
pub async fn merge_pack(
    store: &StoreContext,
    folder: &Path,
    take: &[String],
) -> Result<MergeResult, WorkspaceError> {
    let pack = Layout::new(folder);
    let completed_counts = complete_merges(store, BTreeMap::new()).await?;
    let items = read_items(store, &pack)?;
    let handout = find_handout(store, &pack)?;
    let terms = MergeTerms {
        handed: handout.as_ref().map(|(at, handed)| (*at, handed)),
        items: &items,
        before: match &handout {
            Some((_, handed)) => read_marks_before_handout(&store.layout, handed)?,
            None => BTreeSet::new(),
        },
    };
    let (annotations, _) = read_annotations(&store.layout)?;
    let mut returned_marks: BTreeMap<String, ReturnedMarks> = BTreeMap::new();
    for who in list_people(&pack)? {
        let one = sort_marks(&pack, &who, &terms, &annotations)?;
        returned_marks.insert(who, one);
    }
    let mut merge = MergeResult {
        completed: completed_counts,
        ..MergeResult::default()
    };
    let handout = handout.as_ref().map(|(_, handed)| handed);
    let marks_to_take = select_marks(&pack, handout, returned_marks, take, &mut merge)?;
    let session_path = |session: &SessionId| -> Result<_, WorkspaceError> {
        Ok(store.layout.session_path(session.as_str())?)
    };
    let mut intake = MarkIntake::new(&annotations, session_path);
    for (who, one) in &marks_to_take {
        let path = journal_of_person(&pack, "notes", who)?;
        for mark in &one.notes {
            intake.check_mark(&path, who, &mark.event)?;
        }
    }
    commit_merge(store, marks_to_take, &mut merge).await?;
    Ok(merge)
}

/// Commits a merge: before the pending document is durable nothing is taken, afterwards everything is.
async fn commit_merge(
    store: &StoreContext,
    taken: BTreeMap<String, ReturnedMarks>,
    merge: &mut MergeResult,
) -> Result<(), WorkspaceError> {
    let mut pending = Pending::default();
    let mut open_journals = BTreeMap::new();
    for (who, one) in taken {
        merge.merged.push(MergedAnnotator {
            annotator: who.clone(),
            taken: one.notes.len(),
            unblindings: one.unblindings.len(),
            known: one.known,
        });
        if !one.notes.is_empty() {
            // A journal that another process holds is refused before anything is taken.
            if journal_of_person(&store.layout, "notes", &who)?.exists() {
                let book = AnnotationJournal::open(store, &who)?;
                open_journals.insert(who.clone(), book);
            }
            pending.notes.insert(who.clone(), one.notes);
        }
        if !one.unblindings.is_empty() {
            pending.unblindings.insert(who, one.unblindings);
        }
    }
    if pending.notes.is_empty() && pending.unblindings.is_empty() {
        return Ok(());
    }
    pending.commit(&store.layout, &store.clock.fresh_id())?;
    complete_merges(store, open_journals).await?;
    Ok(())
}

/// Selects the annotators whose marks are taken, and notes what stays.
fn select_marks(
    pack: &Layout,
    handed: Option<&Handout>,
    returned: BTreeMap<String, ReturnedMarks>,
    take: &[String],
    merge: &mut MergeResult,
) -> Result<BTreeMap<String, ReturnedMarks>, WorkspaceError> {
    let annotators: BTreeSet<String> = take.iter().map(|name| annotator_name(name)).collect();
    if let Some(unknown) = annotators.iter().find(|who| !returned.contains_key(*who)) {
        let pack_annotators: Vec<&str> = returned.keys().map(String::as_str).collect();
        return Err(merge_error(format!(
            "{unknown} did nothing in {}; it holds marks of: {}. Nothing was taken",
            pack.root().display(),
            match pack_annotators.is_empty() {
                true => "no annotator".to_owned(),
                false => pack_annotators.join(", "),
            }
        )));
    }
    let describe_apart = |who: &str, one: &ReturnedMarks| -> Vec<String> {
        let marks_by_reason = one.not_taken.iter();
        marks_by_reason
            .map(|(apart, acts)| acts.describe(who, apart))
            .collect()
    };
    let refusals: Vec<String> = returned
        .iter()
        .flat_map(|(who, one)| describe_apart(who, one))
        .collect();
    if annotators.is_empty() {
        if refusals.is_empty() {
            return Ok(returned);
        }
        return Err(merge_error(describe_refusal(
            pack, handed, &returned, &refusals,
        )));
    }
    let mut selection = BTreeMap::new();
    for (who, one) in returned {
        if annotators.contains(&who) {
            // Of a pack without a recipient, everything is taken by name.
            if handed.is_some() {
                merge.named.extend(describe_apart(&who, &one));
            }
            selection.insert(who, one);
        } else if !one.notes.is_empty() || !one.unblindings.is_empty() {
            merge
                .left
                .push(match one.notes.len() + one.unblindings.len() {
                    1 => format!("{who}: 1 mark"),
                    count => format!("{who}: {count} marks"),
                });
        }
    }
    Ok(selection)
}

fn describe_refusal(
    pack: &Layout,
    handed: Option<&Handout>,
    returned: &BTreeMap<String, ReturnedMarks>,
    apart: &[String],
) -> String {
    let holds = match handed {
        None => "is not known as a pack for somebody: it was made without --for, by an earlier \
                 version or in another store. It holds"
            .to_owned(),
        Some(handed) => format!(
            "was handed out to {}, and holds more than what they did on its items since",
            handed.person
        ),
    };
    let whose = returned.iter().filter(|(_, one)| !one.not_taken.is_empty());
    let take_options: Vec<String> = whose
        .map(|(who, _)| format!("--take {}", shell_word(who)))
        .collect();
    format!(
        "{} {holds}:\n  {}\nNothing was taken. To take everything of one annotator, and nothing \
         else, name them: {}",
        pack.root().display(),
        apart.join("\n  "),
        take_options.join(" or ")
    )
}

/// Reads what one annotator did in a pack and sorts it.
fn sort_marks(
    pack: &Layout,
    who: &str,
    terms: &MergeTerms<'_>,
    annotations: &Annotations,
) -> Result<ReturnedMarks, WorkspaceError> {
    let mut notes = read_marks(pack, "notes", who)?;
    let unblindings = read_marks(pack, "sights", who)?;
    for line in &mut notes {
        terms.items.restore_draw(&mut line.event.mark);
    }
    let session_path = |session: &SessionId| -> Result<_, WorkspaceError> {
        Ok(pack.session_path(session.as_str())?)
    };
    let intake = MarkIntake::new(annotations, session_path);
    for line in notes.iter().chain(&unblindings) {
        intake.check_is_same(pack.root(), who, &line.event)?;
    }
    let is_known = |id: &AnnotationId| annotations.find_event(who, id).is_some();
    let target = |id: &AnnotationId| target_of(&annotations.find_event(who, id)?.mark);
    Ok(terms.sort(who, notes, unblindings, is_known, target))
}

/// Returns what a folder of a pack holds of somebody.
fn read_marks(
    pack: &Layout,
    folder: &str,
    who: &str,
) -> Result<Vec<JournalLine<AnnotationEvent>>, WorkspaceError> {
    let mut journals = journals_of_people(pack, folder)?.into_iter();
    match journals.find(|(person, _)| person == who) {
        Some((_, path)) => AnnotationEvent::read_state(&path),
        None => Ok(Vec::new()),
    }
}

/// Everybody who did something in a pack.
fn list_people(pack: &Layout) -> Result<BTreeSet<String>, WorkspaceError> {
    let notes = journals_of_people(pack, "notes")?;
    let unblindings = journals_of_people(pack, "sights")?;
    let people = notes.into_iter().chain(unblindings);
    Ok(people.map(|(person, _)| person).collect())
}

/// Returns what the store knows of handing the pack out, where the pack is still what it was then;
/// `None` where it knows nothing of it.
fn find_handout(
    store_context: &StoreContext,
    pack: &Layout,
) -> Result<Option<(i64, Handout)>, WorkspaceError> {
    let Some((_, theirs)) = read_pack_handout(pack)? else {
        return Ok(None);
    };
    let Some((at, ours)) = read_stored_handout(&store_context.layout, &theirs.pack)? else {
        return Ok(None);
    };
    let mut differs = find_changes(pack, &ours)?;
    if ours != theirs {
        differs.push(match ours.person == theirs.person {
            true => "what it says of itself is not what this store handed out".to_owned(),
            false => format!(
                "it says that it is for {}, and was handed out to {}",
                theirs.person, ours.person
            ),
        });
    }
    if differs.is_empty() {
        return Ok(Some((at, ours)));
    }
    Err(merge_error(format!(
        "{} is not the pack that was handed out to {}: {}; whoever labelled may have been shown \
         something else, so hand out a new one. Nothing was taken",
        pack.root().display(),
        ours.person,
        differs.join("; ")
    )))
}

/// Returns the marks that a person had in the store when a pack was handed out to them.
fn read_marks_before_handout(
    layout: &Layout,
    handed: &Handout,
) -> Result<BTreeSet<AnnotationId>, WorkspaceError> {
    let path = journal_of_person(layout, "notes", &handed.person)?;
    let lines = match open_lines::<AnnotationEvent>(&path) {
        Ok(lines) => lines,
        Err(StoreError::Missing { .. }) => return Ok(BTreeSet::new()),
        Err(error) => return Err(error.into()),
    };
    let count = usize::try_from(handed.marks).unwrap_or(usize::MAX);
    let mut first = BTreeSet::new();
    for line in lines.take(count) {
        match line? {
            ReadLine::Known(line) => first.insert(line.event.id),
            // What a later version wrote is no mark that this one could take back.
            ReadLine::Unknown { .. } => false,
        };
    }
    Ok(first)
}

/// Returns what a pack asks about, where its queues are this store's.
fn read_items(store: &StoreContext, pack: &Layout) -> Result<PackItems, WorkspaceError> {
    let names = pack.list_names("queues")?;
    if names.is_empty() {
        return Err(merge_error(format!(
            "{} is no pack: it holds no queue; name the folder that 'elenchus labels pack' wrote",
            pack.root().display()
        )));
    }
    let mut items = PackItems::default();
    for name in names {
        items.add_queue(&check_queue(store, pack, &name)?);
    }
    Ok(items)
}

/// Returns this store's queue as far as the pack has it, where the pack's is the same.
fn check_queue(
    store_context: &StoreContext,
    pack: &Layout,
    name: &str,
) -> Result<Queue, WorkspaceError> {
    let theirs = read_queue(&pack.queue_path(name)?)?;
    let path = store_context.layout.queue_path(name)?;
    let mut ours = match path.exists() {
        true => read_queue(&path)?,
        false => {
            return Err(merge_error(format!(
                "the pack is of the queue '{name}', which this store does not have; merge it into \
                 the store that the pack was made from. Nothing was taken"
            )));
        }
    };
    // Waves that were drawn since are none of the pack's.
    ours.waves.truncate(theirs.waves.len());
    let same = blind_queue(&ours);
    let differs = if same.definition != theirs.definition {
        "its definition is another one".to_owned()
    } else if ours.len() != theirs.len() {
        format!(
            "it has {} items where this store's has {}",
            theirs.len(),
            ours.len()
        )
    } else if same.waves != theirs.waves {
        "some of its items are others".to_owned()
    } else {
        return Ok(ours);
    };
    Err(merge_error(format!(
        "the queue '{name}' of the pack is another one than this store's: {differs}; merge it into \
         the store that the pack was made from. Nothing was taken"
    )))
}

fn merge_error(why: String) -> WorkspaceError {
    WorkspaceError::Invalid(why)
}
