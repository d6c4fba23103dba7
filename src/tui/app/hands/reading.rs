//! Reading of sessions: open and follow.

use super::Hands;
use crate::debate::{SessionId, State};
use crate::library::{Game, JsonVerdictForm};
use crate::prompt::LabelHint;
use crate::tui::app::hidden_verdicts::annotations;
use crate::tui::app::told::{Opened, Told};
use crate::workspace::WorkspaceError;
use crate::workspace::imported_at;
use crate::workspace::{Desk, Tail, example_of};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Interval of following a session that another process plays.
const FOLLOW_EVERY: Duration = Duration::from_secs(1);

impl Hands {
    pub(crate) fn open(&mut self, id: SessionId) {
        let (desk, tell) = (self.services.tools.desk.clone(), self.tell.clone());
        let ours = super::locked(&self.services.taken).contains_key(&id);
        let (tools, sights) = (
            self.services.tools.clone(),
            Arc::clone(&self.services.sights),
        );
        let task = tokio::spawn(async move {
            let (at, session) = (desk.clone(), id.clone());
            let read = tokio::task::spawn_blocking(move || read_opened(&at, &session)).await;
            let Ok(read) = read else { return };
            match read {
                Ok((mut opened, tail)) => {
                    if ours {
                        opened.driven_by = None;
                    }
                    let driven = opened.driven_by.is_some();
                    if !opened.example {
                        let sights = Arc::clone(&sights);
                        super::unblinding::record_sight(&tools, &id, &opened, &tell, sights).await;
                    }
                    let told = Told::Opened(id.clone(), Ok(Arc::new(opened)));
                    if tell.send(told).is_ok() && driven {
                        follow(id, tail, tell).await;
                    }
                }
                Err(why) => {
                    let _ = tell.send(Told::Opened(id, Err(why)));
                }
            }
        });
        self.watch(task);
    }

    /// Remembers the task that follows a session; there are as many as screens.
    fn watch(&mut self, task: tokio::task::JoinHandle<()>) {
        self.followed.retain(|_, task| !task.is_finished());
        let key = SessionId::new(format!("{:?}", task.id()));
        self.followed.insert(key, task);
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
async fn follow(id: SessionId, mut tail: Tail, tell: tokio::sync::mpsc::UnboundedSender<Told>) {
    loop {
        tokio::time::sleep(FOLLOW_EVERY).await;
        let looked = tokio::task::spawn_blocking(move || {
            let driven = tail.driven_by().map(|holder| holder.to_string());
            (tail.more(), driven, tail)
        });
        let Ok((more, driven, back)) = looked.await else {
            return;
        };
        tail = back;
        let over = driven.is_none();
        let told = match more {
            Ok(records) if records.is_empty() => None,
            Ok(records) => Some(Told::Grew(id.clone(), Arc::new(records))),
            Err(_) => return,
        };
        let sent = told.is_none_or(|told| tell.send(told).is_ok());
        if over {
            let _ = tell.send(Told::DrivenBy(id, None));
            return;
        }
        if !sent {
            return;
        }
    }
}
