//! Check of marks that come from elsewhere: packs and imports bring them through this one door.

use super::event::{Annotation, AnnotationEvent, AnnotationTarget};
use super::journal::check_annotation;
use super::state::Annotations;
use crate::workspace::error::{Result, reject};
use crate::workspace::read_session;
use elenchus_game::debate::{SessionId, State};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Marks that come from elsewhere, checked against the marks and the sessions that they will stand beside.
/// Sessions are read one by one, each once.
pub struct MarkIntake<'a, F> {
    annotations: &'a Annotations,
    /// Journal of a session: in the store, or among what comes with the marks.
    session_path: F,
    sessions: BTreeMap<SessionId, Option<State>>,
}

impl<'a, F: Fn(&SessionId) -> Result<PathBuf>> MarkIntake<'a, F> {
    /// Begins with the marks that are in the store.
    pub fn new(annotations: &'a Annotations, session_path: F) -> Self {
        Self {
            annotations,
            session_path,
            sessions: BTreeMap::new(),
        }
    }

    /// Refuses a mark that is another one in this store, one with a text that could not have been written
    /// here, and one on something that is not here. `from` is for messages.
    ///
    /// # Errors
    /// Says which of them it is, and what can be done.
    pub fn check_mark(&mut self, from: &Path, who: &str, event: &AnnotationEvent) -> Result<()> {
        self.check_is_same(from, who, event)?;
        self.check_target(from, &event.mark)?;
        check_annotation(&event.mark)
    }

    /// Refuses a mark that is another one in this store.
    ///
    /// # Errors
    /// Names the mark.
    pub fn check_is_same(&self, from: &Path, who: &str, event: &AnnotationEvent) -> Result<()> {
        let id = &event.id;
        match self.annotations.find_event(who, id) {
            Some(here) if here != event => reject(format!(
                "{}: the mark {} of {who} is another one in this store; nothing was taken: one of the \
                 two journals was changed by hand, and 'elenchus verify' looks at both",
                from.display(),
                id.as_str()
            )),
            Some(_) | None => Ok(()),
        }
    }

    fn check_target(&mut self, from: &Path, mark: &Annotation) -> Result<()> {
        let on = match mark {
            Annotation::Labelled(label) => &label.on,
            Annotation::Noted { on, .. } => on,
            Annotation::Tagged { .. }
            | Annotation::Untagged { .. }
            | Annotation::Named { .. }
            | Annotation::Unblinded { .. }
            | Annotation::Retracted { .. } => return Ok(()),
        };
        if !self.sessions.contains_key(&on.session) {
            let path = (self.session_path)(&on.session)?;
            let state = read_session(&path).ok();
            self.sessions.insert(on.session.clone(), state);
        }
        let state = self.sessions.get(&on.session).and_then(Option::as_ref);
        let is_here = state.is_some_and(|state| match &on.attempt {
            None => true,
            Some(attempt) => {
                AnnotationTarget::from_attempt(on.session.clone(), state, &attempt.id).as_ref()
                    == Some(on)
            }
        });
        match is_here {
            true => Ok(()),
            false => reject(format!(
                "{}: {} is not in this store in these words; nothing was taken",
                from.display(),
                target_of(mark).unwrap_or_default()
            )),
        }
    }
}

/// Describes the target of a mark; `None` for a retraction.
pub fn target_of(mark: &Annotation) -> Option<String> {
    let spot = |on: &AnnotationTarget| match &on.attempt {
        Some(attempt) => format!("{} of session {}", attempt.id, on.session),
        None => format!("session {}", on.session),
    };
    match mark {
        Annotation::Labelled(label) => Some(spot(&label.on)),
        Annotation::Noted { on, .. } => Some(spot(on)),
        Annotation::Tagged { session, .. }
        | Annotation::Untagged { session, .. }
        | Annotation::Named { session, .. }
        | Annotation::Unblinded { session, .. } => Some(format!("session {session}")),
        Annotation::Retracted { .. } => None,
    }
}

/// Returns what a mark is called, one and several.
pub fn mark_names(mark: &Annotation) -> (&'static str, &'static str) {
    match mark {
        Annotation::Labelled(_) => ("label", "labels"),
        Annotation::Noted { .. } => ("note", "notes"),
        Annotation::Tagged { .. } | Annotation::Untagged { .. } => ("tag", "tags"),
        Annotation::Named { .. } => ("name of a session", "names of sessions"),
        Annotation::Unblinded { .. } => (
            "record of what they were shown",
            "records of what they were shown",
        ),
        Annotation::Retracted { .. } => ("mark taken back", "marks taken back"),
    }
}
