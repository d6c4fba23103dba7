//! Changes of sessions that can be undone: deletions, names and tags. The history is pure.

use super::several::outcome_words;
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::annotations::{
    Annotation, AnnotationId, AnnotationJournal, Annotations, all_annotations, write_annotation,
};
use elenchus_records::workspace::{StoreContext, WorkspaceError, delete_session, restore_session};
use elenchus_text::{Role, format_grouped_count};
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// Changes that can be undone, at most.
const MAX_CHANGES: usize = 200;

/// Change of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChange {
    Deleted(SessionId),
    Annotated {
        session: SessionId,
        mark: Annotation,
        /// What was written last: the mark itself, or what took it back.
        written: Option<AnnotationId>,
    },
}

/// Cause of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeCause {
    Fresh,
    Undo,
    Redo,
}

/// What came of changes that were asked for at once.
pub struct ChangeReport {
    pub cause: ChangeCause,
    pub done: Vec<SessionChange>,
    /// With the reasons.
    pub failed: Vec<(SessionChange, String)>,
    /// As they are now, where they were changed.
    pub annotations: Option<Arc<Annotations>>,
}

impl ChangeReport {
    /// Returns what was done and what failed, in words; `undo` is the key that undoes it.
    pub fn describe_outcome(&self, undo: Option<&str>) -> Option<(Role, String)> {
        let done_text = self.done.first().map(|change| {
            let what = change.describe(self.done.len());
            match (self.cause, undo) {
                (ChangeCause::Undo, _) => format!("{what}: undone"),
                (ChangeCause::Fresh | ChangeCause::Redo, Some(key)) => {
                    format!("{what}, {key} undoes")
                }
                (ChangeCause::Fresh | ChangeCause::Redo, None) => what,
            }
        });
        let failures = self.failed.iter();
        let failures = failures.map(|(change, why)| (change.session().clone(), why.clone()));
        outcome_words(done_text, &failures.collect::<Vec<_>>())
    }
}

/// Changes that were made and undone; those made at once are undone at once.
#[derive(Debug, Clone, Default)]
pub struct ChangeHistory {
    done: Vec<Vec<SessionChange>>,
    undone: Vec<Vec<SessionChange>>,
}

impl SessionChange {
    pub fn session(&self) -> &SessionId {
        match self {
            SessionChange::Deleted(session) | SessionChange::Annotated { session, .. } => session,
        }
    }

    /// Returns what was done to so many sessions alike, in words.
    pub fn describe(&self, sessions: usize) -> String {
        let what = match self {
            SessionChange::Deleted(_) => "moved to the trash".to_owned(),
            SessionChange::Annotated { mark, .. } => match mark {
                Annotation::Named { name, .. } => match name {
                    Some(name) => format!("named '{name}'"),
                    None => "the name is gone".to_owned(),
                },
                Annotation::Tagged { tag, .. } => format!("tagged '{tag}'"),
                Annotation::Untagged { tag, .. } => format!("the tag '{tag}' is gone"),
                Annotation::Noted { .. } => "noted".to_owned(),
                Annotation::Labelled(label) => format!("labelled '{}'", label.label),
                Annotation::Unblinded { .. } => "recorded as seen".to_owned(),
                Annotation::Retracted { .. } => "taken back".to_owned(),
            },
        };
        match sessions {
            1 => what,
            many => format!("{}: {what}", format_grouped_count(many, "session")),
        }
    }
}

impl ChangeHistory {
    /// Takes the latest changes, to be undone.
    pub fn undo(&mut self) -> Option<Vec<SessionChange>> {
        self.done.pop()
    }

    /// Takes the changes that were undone last, to be made again.
    pub fn redo(&mut self) -> Option<Vec<SessionChange>> {
        self.undone.pop()
    }

    /// Notes what came of changes; what failed stays as it was.
    pub fn record_changes(&mut self, report: &ChangeReport) {
        let failed_changes = report.failed.iter().map(|(change, _)| change.clone());
        let failed_changes: Vec<SessionChange> = failed_changes.collect();
        let (to, back) = match report.cause {
            ChangeCause::Fresh => {
                if !report.done.is_empty() {
                    self.undone.clear();
                }
                (&mut self.done, None)
            }
            ChangeCause::Redo => (&mut self.done, Some(&mut self.undone)),
            ChangeCause::Undo => (&mut self.undone, Some(&mut self.done)),
        };
        if !report.done.is_empty() {
            to.push(report.done.clone());
        }
        if let Some(back) = back.filter(|_| !failed_changes.is_empty()) {
            back.push(failed_changes);
        }
        if self.done.len() > MAX_CHANGES {
            self.done.remove(0);
        }
    }
}

/// Makes, undoes or makes again changes, each by itself.
pub async fn make_changes(
    store: &StoreContext,
    journal: &mut Option<AnnotationJournal>,
    cause: ChangeCause,
    changes: Vec<SessionChange>,
) -> ChangeReport {
    let mut report = ChangeReport {
        cause,
        done: Vec::new(),
        failed: Vec::new(),
        annotations: None,
    };
    for change in changes {
        match make_change(store, journal, cause, &change).await {
            Ok(done) => report.done.push(done),
            Err(why) => report.failed.push((change, why.to_string())),
        }
    }
    let mut done_changes = report.done.iter();
    if done_changes.any(|change| matches!(change, SessionChange::Annotated { .. })) {
        let store = store.clone();
        let read = spawn_blocking(move || all_annotations(&store)).await;
        report.annotations = read.ok().and_then(Result::ok).map(Arc::new);
    }
    report
}

/// Makes a change, undoes it or makes it again. Returns it with what was written, so that it can be undone.
///
/// # Errors
/// When the session cannot be moved, or the annotation cannot be written.
async fn make_change(
    store: &StoreContext,
    journal: &mut Option<AnnotationJournal>,
    cause: ChangeCause,
    change: &SessionChange,
) -> Result<SessionChange, WorkspaceError> {
    match change {
        SessionChange::Deleted(session) => {
            let (layout, id) = (store.layout.clone(), session.clone());
            let move_result = spawn_blocking(move || match cause {
                ChangeCause::Fresh | ChangeCause::Redo => delete_session(&layout, &id),
                ChangeCause::Undo => restore_session(&layout, &id),
            });
            move_result.await??;
            Ok(change.clone())
        }
        SessionChange::Annotated {
            session,
            mark,
            written,
        } => {
            let write = match (cause, written) {
                // Taking back is taken back in turn.
                (ChangeCause::Undo | ChangeCause::Redo, Some(of)) => {
                    Annotation::Retracted { of: of.clone() }
                }
                (ChangeCause::Fresh, _) | (_, None) => mark.clone(),
            };
            let write_result = write_annotation(store, journal, write).await;
            Ok(SessionChange::Annotated {
                session: session.clone(),
                mark: mark.clone(),
                written: Some(write_result?),
            })
        }
    }
}
