//! Journal of the person who works here: opened when something is first written into it.

use super::event::{Annotation, AnnotationId};
use super::journal::AnnotationJournal;
use crate::workspace::{Result, StoreContext, WorkspaceError};

/// Writes an annotation of the person; durable when this returns.
///
/// # Errors
/// When the journal cannot be opened or written.
pub async fn write_annotation(
    store: &StoreContext,
    journal: &mut Option<AnnotationJournal>,
    annotation: Annotation,
) -> Result<AnnotationId> {
    let journal = open_own_journal(store, journal)?;
    journal.record_annotation(annotation).await
}

/// Returns the journal of the person, opened where it is not yet.
///
/// # Errors
/// When the journal cannot be opened.
pub fn open_own_journal<'a>(
    store: &StoreContext,
    journal: &'a mut Option<AnnotationJournal>,
) -> Result<&'a mut AnnotationJournal> {
    if journal.is_none() {
        *journal = Some(AnnotationJournal::open(store, &store.person)?);
    }
    let own_journal = journal.as_mut();
    own_journal
        .ok_or_else(|| WorkspaceError::Invalid("your annotations could not be opened".to_owned()))
}
