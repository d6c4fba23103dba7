//! Session as it was opened to be shown: its state with what people may say of it. It is followed while
//! another process drives it, and written to files.

use super::show::{TranscriptOptions, write_transcript};
use elenchus_game::debate::event::Record;
use elenchus_game::debate::{SessionId, State};
use elenchus_game::prompt::LabelHint;
use elenchus_records::library::{Game, JsonVerdictForm};
use elenchus_records::workspace::annotations::{Annotations, all_annotations};
use elenchus_records::workspace::read_session_text;
use elenchus_records::workspace::{StoreContext, Tail, example_of, import_of, write_new};
use elenchus_records::workspace::{WorkspaceError, reject};
use elenchus_text::Colour;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Width of transcripts that are exported.
const TRANSCRIPT_WIDTH: usize = 100;
/// Interval of following a session that another process plays.
const FOLLOW_EVERY: Duration = Duration::from_secs(1);

/// A session as it was read.
#[derive(Debug, Clone)]
pub struct OpenedSession {
    /// Shared with the screens that show it.
    pub state: Arc<State>,
    /// Process that drives it, if any.
    pub driven_by: Option<String>,
    /// It came from elsewhere.
    pub imported: bool,
    /// An embedded example: it is not in the store, and any change makes a fork.
    pub example: bool,
    pub annotations: Annotations,
    /// Labels that judges may give, by the name of their rubric.
    pub labels: BTreeMap<String, Vec<LabelHint>>,
    /// The forms of rubrics whose verdicts are objects, by the rubric's name.
    pub forms: BTreeMap<String, JsonVerdictForm>,
}

/// What becomes known of a session that is read, and followed while another process drives it.
pub enum SessionUpdate {
    Read(Result<Arc<OpenedSession>, WorkspaceError>),
    /// Another process appended to it.
    Grew(Vec<Record>),
    /// No process drives it any more.
    NotDriven,
}

/// In which form a session is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportAs {
    /// As `elenchus export` writes it: the journal with its checksums, to be imported elsewhere.
    Parcel,
    /// As `elenchus show` prints it.
    Transcript,
}

impl OpenedSession {
    /// Reads a session, kept or an example, and returns where its journal is read on; blocks.
    ///
    /// # Errors
    /// When it, its game or the annotations cannot be read.
    pub fn read(store: &StoreContext, id: &SessionId) -> Result<(Self, Tail), WorkspaceError> {
        if let Some(example) = example_of(store, id) {
            let state = example.fold_state()?;
            let session = Self {
                example: true,
                ..Self::from_own_state(store, Arc::new(state))?
            };
            return Ok((session, Tail::open(store.layout.root())));
        }
        let path = session_path(store, id)?;
        let (mut state, mut tail) = Tail::open_at_end(&path)?;
        let driven_by = tail.driven_by().map(|holder| holder.to_string());
        if driven_by.is_none() {
            // The driver may have ended after the reading, and then no follower reads the rest.
            for record in tail.read_new_records()? {
                let result = state.apply_event(&record);
                result.map_err(|refusal| {
                    WorkspaceError::invalid(format!("{}: {refusal}", path.display()))
                })?;
            }
        }
        let session = Self {
            driven_by,
            imported: import_of(&path).is_some(),
            ..Self::from_own_state(store, Arc::new(state))?
        };
        Ok((session, tail))
    }

    /// Describes a session that this process has made.
    ///
    /// # Errors
    /// When its game or the annotations cannot be read.
    pub fn from_own_state(store: &StoreContext, state: Arc<State>) -> Result<Self, WorkspaceError> {
        let (labels, forms) = collect_labels_and_forms(&state)?;
        Ok(Self {
            labels,
            forms,
            state,
            driven_by: None,
            imported: false,
            example: false,
            annotations: all_annotations(store)?,
        })
    }

    /// Returns the sessions whose verdicts are shown with this one: what a fork shows of its past is its parents' as
    /// well.
    pub fn sessions_shown(&self, session: &SessionId) -> Vec<SessionId> {
        if self.state.verdicts().next().is_none() {
            return Vec::new();
        }
        let mut sessions = self.state.forked_from().to_vec();
        sessions.push(session.clone());
        sessions
    }
}

/// Returns where a session is: among the others, else among the samples of tries.
pub fn session_path(store: &StoreContext, id: &SessionId) -> Result<PathBuf, WorkspaceError> {
    let find_path = || {
        let path = store.layout.session_path(id.as_str())?;
        let sample_path = store.layout.tries_store().session_path(id.as_str())?;
        let is_sample = !path.exists() && sample_path.exists();
        Ok(if is_sample { sample_path } else { path })
    };
    find_path()
}

/// Says whether there is a session, kept or an example.
pub fn is_session(store: &StoreContext, id: &SessionId) -> bool {
    example_of(store, id).is_some() || session_path(store, id).is_ok_and(|path| path.exists())
}

/// Reports what another process appends, until no process drives the session.
pub async fn follow_session(mut tail: Tail, mut report: impl FnMut(SessionUpdate)) {
    loop {
        tokio::time::sleep(FOLLOW_EVERY).await;
        let read_task = tokio::task::spawn_blocking(move || {
            let driver = tail.driven_by().map(|holder| holder.to_string());
            (tail.read_new_records(), driver, tail)
        });
        let Ok((Ok(records), driven, back)) = read_task.await else {
            return;
        };
        tail = back;
        if !records.is_empty() {
            report(SessionUpdate::Grew(records));
        }
        if driven.is_none() {
            return report(SessionUpdate::NotDriven);
        }
    }
}

/// Writes a session's journal or its transcript to a file, never over one that is there; blocks.
///
/// # Errors
/// When the session cannot be read or the file cannot be written.
pub fn export_session(
    store: &StoreContext,
    id: &SessionId,
    form: ExportAs,
    path: &Path,
) -> Result<(), WorkspaceError> {
    let contents = match form {
        ExportAs::Transcript => {
            let options = TranscriptOptions {
                imported: None,
                width: TRANSCRIPT_WIDTH,
                colour: Colour::Plain,
                private: true,
                views: None,
            };
            let (opened, _) = OpenedSession::read(store, id)?;
            write_transcript(id, &opened.state, options).into_bytes()
        }
        ExportAs::Parcel => {
            let from = store.layout.session_path(id.as_str());
            let from = from?;
            let text = read_session_text(&from)?;
            text.into_bytes()
        }
    };
    write_new(path, &contents).map_err(WorkspaceError::from)
}

/// Labels and forms, by the name of their rubric.
type LabelsAndForms = (
    BTreeMap<String, Vec<LabelHint>>,
    BTreeMap<String, JsonVerdictForm>,
);

/// Returns what judges of a session may find, and in which form where a label is not enough.
fn collect_labels_and_forms(state: &State) -> Result<LabelsAndForms, WorkspaceError> {
    let Some(creation) = state.first_event() else {
        return reject("the session has not begun");
    };
    let game = Game::from_created(creation)?;
    let names = game.rubrics.keys();
    let labels = names
        .clone()
        .map(|name| (name.clone(), game.labels_of_people(name)));
    let forms = names.filter_map(|name| Some((name.clone(), game.form_of_people(name)?)));
    Ok((labels.collect(), forms.collect()))
}
