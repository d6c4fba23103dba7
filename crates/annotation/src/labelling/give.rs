//! Giving of labels, and taking them back. Both are durable when they return.

use elenchus_game::debate::SessionId;
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationId, AnnotationJournal, Annotations, Blindness, CurrentLabel, Label,
    LabelKey, Unblinding, annotator_name, open_own_journal, read_unblinding,
};
use elenchus_records::workspace::{StoreContext, WorkspaceError};
use elenchus_store::Layout;
use std::collections::BTreeSet;
use tokio::task::spawn_blocking;

/// Longest time that is recorded for a label, in milliseconds: a lunch break is not reading time.
const MAX_SPENT_MS: u128 = 10 * 60 * 1000;

/// Returns the time that is recorded for a label, bounded: a longer time is a pause.
pub fn recorded_time_ms(spent_ms: u128) -> u64 {
    u64::try_from(spent_ms.min(MAX_SPENT_MS)).unwrap_or(u64::MAX)
}

/// Gives a label, and returns it as it is in force. How blind it is, is filled in.
///
/// # Errors
/// When it cannot be written, or what the person was shown by now cannot be read.
pub async fn give_label(
    store: &StoreContext,
    journal: &mut Option<AnnotationJournal>,
    mut label: Box<Label>,
) -> Result<CurrentLabel, WorkspaceError> {
    let journal = open_own_journal(store, journal)?;
    let who = annotator_name(&store.person);
    let mut saw = journal.annotations().unblindings(&who, &label.on.session);
    saw.extend(shown_elsewhere(store, &who, &label.on.session).await?);
    label.blind = match saw.is_empty() {
        true => Blindness::Blind,
        false => Blindness::Unblinded { saw },
    };
    let place = LabelKey::from_label(&label);
    journal
        .record_annotation(Annotation::Labelled(label))
        .await?;
    let standing = journal.annotations().find_label(&who, &place).cloned();
    standing.ok_or_else(|| WorkspaceError::Invalid("the label was not recorded".to_owned()))
}

/// Takes a mark back, be it a label or the taking back of one. Returns the new mark, and the label that is in
/// force then.
///
/// # Errors
/// When it cannot be written.
pub async fn take_label_back(
    store: &StoreContext,
    journal: &mut Option<AnnotationJournal>,
    of: AnnotationId,
    place: &LabelKey,
) -> Result<(AnnotationId, Option<Box<CurrentLabel>>), WorkspaceError> {
    let journal = open_own_journal(store, journal)?;
    let mark = journal
        .record_annotation(Annotation::Retracted { of })
        .await?;
    let stands = journal
        .annotations()
        .find_label(&annotator_name(&store.person), place);
    Ok((mark, stands.cloned().map(Box::new)))
}

/// Returns what a person was shown of a session by now: it may have been in another terminal.
async fn shown_elsewhere(
    store: &StoreContext,
    who: &str,
    session: &SessionId,
) -> Result<BTreeSet<Unblinding>, WorkspaceError> {
    let (layout, who, session) = (store.layout.clone(), who.to_owned(), session.clone());
    let read = spawn_blocking(move || read_shown(&layout, &who, &session)).await;
    read.unwrap_or_else(|_| {
        let why = "what you were shown could not be read";
        Err(WorkspaceError::Invalid(why.to_owned()))
    })
}

fn read_shown(
    layout: &Layout,
    who: &str,
    session: &SessionId,
) -> Result<BTreeSet<Unblinding>, WorkspaceError> {
    let mut annotations = Annotations::default();
    annotations.add_events(who, read_unblinding(layout, who)?);
    Ok(annotations.unblindings(who, session))
}
