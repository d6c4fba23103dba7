//! Verdicts that are hidden from a person who labels: a list that showed them would unblind.

use super::queue::{compute_progress, find_queue};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::annotations::{Annotations, all_annotations, annotator_name};
use elenchus_records::workspace::{
    HIDDEN_VERDICTS, SessionOverview, StoreContext, UnreadableSession, WorkspaceError,
};
use std::collections::BTreeSet;

/// Returns the sessions whose verdicts are hidden: labels are read only where there is a queue. Blocks.
///
/// # Errors
/// When the queues or the annotations cannot be read.
pub fn hidden_sessions(store: &StoreContext) -> Result<BTreeSet<SessionId>, WorkspaceError> {
    let queues = store.layout.list_names("queues")?;
    Ok(match queues.is_empty() {
        true => BTreeSet::new(),
        false => find_unfinished_sessions(store, &all_annotations(store)?),
    })
}

/// Refuses a page with the verdicts of sessions that the person is labelling. Blocks.
///
/// # Errors
/// When one of them is, with what to do; when the queues or the annotations cannot be read.
pub fn refuse_hidden_verdicts(
    store: &StoreContext,
    sessions: &[SessionId],
) -> Result<(), WorkspaceError> {
    let hidden = hidden_sessions(store)?;
    match sessions.iter().find(|session| hidden.contains(*session)) {
        None => Ok(()),
        Some(session) => Err(WorkspaceError::invalid(format!(
            "session {session} is one that you are labelling, and a page shows its verdicts: label it to the end \
             first, or write a page without verdicts by 'elenchus report --blind'"
        ))),
    }
}

/// Returns the sessions of queues that the person has begun to label and not finished: a list that
/// showed their verdicts would unblind.
fn find_unfinished_sessions(
    store: &StoreContext,
    annotations: &Annotations,
) -> BTreeSet<SessionId> {
    let who = annotator_name(&store.person);
    let mine = annotations
        .labels()
        .filter(|standing| standing.annotator == who);
    let queue_names = mine.filter_map(|standing| Some(&standing.label.drawn.as_ref()?.queue));
    let queue_names: BTreeSet<&String> = queue_names.collect();
    let mut sessions = BTreeSet::new();
    for name in queue_names {
        let Ok(queue) = find_queue(&store.layout, name) else {
            continue;
        };
        let item_progress = compute_progress(&queue, annotations, &who);
        if item_progress.labelled < item_progress.of {
            sessions.extend(queue.items().map(|(_, item)| item.on.session.clone()));
        }
    }
    sessions
}

/// Hides the verdicts of sessions in a list.
pub fn hide_verdicts(
    glances: &mut [Result<SessionOverview, UnreadableSession>],
    hidden: &BTreeSet<SessionId>,
) {
    for glance in glances.iter_mut().flatten() {
        if hidden.contains(&glance.summary.session) && !glance.summary.verdicts.is_empty() {
            HIDDEN_VERDICTS.clone_into(&mut glance.summary.verdicts);
        }
    }
}
