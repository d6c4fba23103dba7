//! Reading of sessions: open, follow, export.

use super::{Services, Tools, unblinding};
use crate::debate::event::Record;
use crate::debate::{SessionId, State};
use crate::exchange::Colour;
use crate::library::{Game, JsonVerdictForm};
use crate::prompt::LabelHint;
use crate::tui::app::effect::ExportAs;
use crate::tui::app::hidden_verdicts::annotations;
use crate::workspace::annotations::Annotations;
use crate::workspace::prompts::KeptPrompts;
use crate::workspace::transcript::{Options, Private, Views, render};
use crate::workspace::{Desk, Tail, WorkspaceError, example_of, imported_at, write_new};
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
pub struct Opened {
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
    Read(Result<Arc<Opened>, String>),
    /// Another process appended to it.
    Grew(Vec<Record>),
    /// No process drives it any more.
    NotDriven,
}

/// Reads a session, records that its verdicts are shown, and follows it while another process drives it.
pub(crate) async fn read_and_follow(
    services: &Services,
    id: SessionId,
    tell: impl Fn(SessionUpdate),
) {
    let (desk, session) = (services.tools.desk.clone(), id.clone());
    let read = tokio::task::spawn_blocking(move || read_opened(&desk, &session)).await;
    let (mut opened, tail) = match read {
        Ok(Ok(read)) => read,
        Ok(Err(why)) => return tell(SessionUpdate::Read(Err(why))),
        Err(_) => return,
    };
    if services.live.has(&id) {
        opened.driven_by = None;
    }
    let driven = opened.driven_by.is_some();
    if !opened.example {
        unblinding::record_shown(services, &id, &opened).await;
    }
    tell(SessionUpdate::Read(Ok(Arc::new(opened))));
    if driven {
        let follow = follow(services, &id, tail, tell);
        services.closing.run_until_cancelled(follow).await;
    }
}

/// Reads a session, kept or an example; blocks.
pub(crate) fn read_opened(desk: &Desk, id: &SessionId) -> Result<(Opened, Tail), String> {
    if let Some(example) = example_of(desk, id) {
        let state = example.state().map_err(|error| error.to_string())?;
        let (labels, forms) = offered(&state)?;
        let opened = Opened {
            labels,
            forms,
            driven_by: None,
            imported: false,
            example: true,
            annotations: annotations(desk)?,
            state: Arc::new(state),
        };
        return Ok((opened, Tail::open(desk.layout.root())));
    }
    let path = path_of(desk, id)?;
    let (mut state, mut tail) = Tail::of_state(&path).map_err(|error| error.to_string())?;
    let driven_by = tail.driven_by().map(|holder| holder.to_string());
    if driven_by.is_none() {
        // The driver may have ended after the reading, and then no follower reads the rest.
        for record in tail.more().map_err(|error| error.to_string())? {
            let applied = state.apply(&record);
            applied.map_err(|refusal| format!("{}: {refusal}", path.display()))?;
        }
    }
    let (labels, forms) = offered(&state)?;
    let opened = Opened {
        labels,
        forms,
        driven_by,
        imported: imported_at(&path).is_some(),
        example: false,
        annotations: annotations(desk)?,
        state: Arc::new(state),
    };
    Ok((opened, tail))
}

/// Returns where a session is: among the others, else among the samples of tries.
pub(crate) fn path_of(desk: &Desk, id: &SessionId) -> Result<PathBuf, String> {
    let found = || {
        let path = desk.layout.session(id.as_str())?;
        let tried = desk.layout.tries().session(id.as_str())?;
        let is_sample = !path.exists() && tried.exists();
        Ok(if is_sample { tried } else { path })
    };
    found().map_err(|error: WorkspaceError| error.to_string())
}

/// Says whether there is a session, kept or an example.
pub(crate) fn is_there(desk: &Desk, id: &SessionId) -> bool {
    example_of(desk, id).is_some() || path_of(desk, id).is_ok_and(|path| path.exists())
}

/// Labels and forms, by the name of their rubric.
type Offered = (
    BTreeMap<String, Vec<LabelHint>>,
    BTreeMap<String, JsonVerdictForm>,
);

/// Returns what judges of a session may find, and in which form where a label is not enough.
pub(super) fn offered(state: &State) -> Result<Offered, String> {
    let Some(created) = state.created() else {
        return Err("the session has not begun".to_owned());
    };
    let game = Game::of_session(created).map_err(|error| error.to_string())?;
    let names = game.rubrics.keys();
    let labels = names
        .clone()
        .map(|name| (name.clone(), game.labels_of_people(name)));
    let forms = names.filter_map(|name| Some((name.clone(), game.form_of_people(name)?)));
    Ok((labels.collect(), forms.collect()))
}

/// Reports what another process appends, until no process drives the session.
async fn follow(services: &Services, id: &SessionId, mut tail: Tail, tell: impl Fn(SessionUpdate)) {
    let mut shown = unblinding::ShownVerdicts::default();
    loop {
        tokio::time::sleep(FOLLOW_EVERY).await;
        let looked = tokio::task::spawn_blocking(move || {
            let driven = tail.driven_by().map(|holder| holder.to_string());
            (tail.more(), driven, tail)
        });
        let Ok((Ok(records), driven, back)) = looked.await else {
            return;
        };
        tail = back;
        if !records.is_empty() {
            for record in &records {
                shown.note(services, id, record);
            }
            tell(SessionUpdate::Grew(records));
        }
        if driven.is_none() {
            return tell(SessionUpdate::NotDriven);
        }
    }
}

/// Writes a session's journal or its transcript to a file, never over one that is there; blocks.
pub(crate) fn export_session(
    tools: &Tools,
    id: &SessionId,
    form: ExportAs,
    path: &Path,
) -> Result<(), String> {
    let written = match form {
        ExportAs::Transcript => {
            let options = Options {
                imported: None,
                width: TRANSCRIPT_WIDTH,
                colour: Colour::Plain,
                private: Private::Shown,
                views: Views::Hidden,
            };
            let (opened, _) = read_opened(&tools.desk, id)?;
            render(id, &opened.state, &KeptPrompts::default(), options).into_bytes()
        }
        ExportAs::Parcel => {
            let from = tools.desk.layout.session(id.as_str());
            let from = from.map_err(|error| error.to_string())?;
            std::fs::read(&from).map_err(|error| format!("{}: {error}", from.display()))?
        }
    };
    write_new(path, &written).map_err(|error| error.to_string())
}
