//! Plan of an import: the sessions, marks and passes that it will write. Writes nothing.

use super::derive_id;
use super::imported_session::ImportedSession;
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::annotations::{Annotation, AnnotationEvent};
use elenchus_records::workspace::pass::ImportedPass;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that one import writes into a store.
#[derive(Debug, Default)]
pub struct ImportPlan {
    pub(crate) sessions: Vec<ImportedSession>,
    /// By person: each mark with its time, where the file says one.
    pub(crate) marks: BTreeMap<String, Vec<(Option<String>, AnnotationEvent)>>,
    pub(crate) passes: Vec<ImportedPass>,
    /// The words of label columns, as the files hold them.
    pub(crate) words: BTreeSet<String>,
    /// Those that are no labels of the set.
    pub(crate) unknown_words: BTreeSet<String>,
}

impl ImportPlan {
    /// Returns how many sessions, labels of people and labels of programs it holds.
    pub fn count_contents(&self) -> (usize, usize, usize) {
        let marks = self.marks.values().flatten();
        let marks = marks.filter(|(_, event)| is_label(event)).count();
        let verdicts = self.passes.iter().map(|pass| pass.found.len()).sum();
        (self.sessions.len(), marks, verdicts)
    }

    /// Returns how many turns people skipped.
    pub fn count_skips(&self) -> usize {
        let marks = self.marks.values().flatten();
        marks.filter(|(_, event)| !is_label(event)).count()
    }

    /// Returns the people whose labels it holds.
    pub fn people(&self) -> impl Iterator<Item = &str> {
        let marks = self.marks.iter();
        let with_labels = marks.filter(|(_, marks)| marks.iter().any(|(_, event)| is_label(event)));
        with_labels.map(|(person, _)| person.as_str())
    }

    /// Returns the columns that become passes.
    pub fn pass_columns(&self) -> impl Iterator<Item = &str> {
        self.passes.iter().map(|pass| pass.column.as_str())
    }

    /// Returns the words of label columns, and those of them that are no labels of the set.
    pub fn label_words(&self) -> (&BTreeSet<String>, &BTreeSet<String>) {
        (&self.words, &self.unknown_words)
    }

    /// Adds what another file holds.
    pub fn extend(&mut self, other: ImportPlan) {
        self.words.extend(other.words);
        self.unknown_words.extend(other.unknown_words);
        let session_ids: BTreeSet<SessionId> =
            self.sessions.iter().map(|one| one.id.clone()).collect();
        let new = other
            .sessions
            .into_iter()
            .filter(|one| !session_ids.contains(&one.id));
        self.sessions.extend(new);
        for (person, marks) in other.marks {
            self.marks.entry(person).or_default().extend(marks);
        }
        for pass in other.passes {
            let same =
                |known: &&mut ImportedPass| known.column == pass.column && known.file == pass.file;
            match self.passes.iter_mut().find(same) {
                Some(known) => known.found.extend(pass.found),
                None => self.passes.push(pass),
            }
        }
        self.name_passes();
    }

    /// A pass is named after everything that it holds.
    pub(super) fn name_passes(&mut self) {
        for pass in &mut self.passes {
            let mut parts = vec!["pass".to_owned(), pass.column.clone(), pass.file.clone()];
            for found in &pass.found {
                parts.push(found.session.to_string());
                parts.push(found.target.to_string());
                parts.push(found.outcome.describe());
            }
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            pass.pass = derive_id(&parts);
        }
    }
}

/// Says whether a mark is a label; what else an import has are notes of who skipped a turn.
pub(super) fn is_label(event: &AnnotationEvent) -> bool {
    match event.mark {
        Annotation::Labelled(_) => true,
        Annotation::Noted { .. }
        | Annotation::Tagged { .. }
        | Annotation::Untagged { .. }
        | Annotation::Named { .. }
        | Annotation::Unblinded { .. }
        | Annotation::Retracted { .. } => false,
    }
}
