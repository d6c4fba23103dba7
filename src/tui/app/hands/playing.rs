//! Control of sessions: takes them, gives orders, forks and begins.

use super::library::usual_model;
use super::reading::{offered, path_of};
use super::{Hands, Tools, locked};
use crate::debate::event::Record;
use crate::debate::step::Step;
use crate::debate::{SessionId, State};
use crate::engine::cost::Budget;
use crate::engine::live::{LiveCommand, LiveTools, open as open_live};
use crate::engine::open_memory;
use crate::engine::seats::{models_of, unlisted_as_known};
use crate::engine::{DebatePlan, PreparedDebate};
use crate::tui::app::hidden_verdicts::annotations;
use crate::tui::app::services::Services;
use crate::tui::app::told::{Opened, Told};
use crate::workspace::example_of;
use crate::workspace::{
    ForkPoint, Reopen, Tail, fork, fork_point, replace_private as keep_private,
};
use crate::workspace::{Session, WorkspaceError};
use std::sync::Arc;

impl Hands {
    pub(crate) fn take(&mut self, id: SessionId) {
        if locked(&self.services.taken).contains_key(&id) {
            let _ = self.tell.send(Told::Taken(id));
            return;
        }
        let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
        let (live, live_tell) = (
            Arc::clone(&self.services.taken),
            self.services.live_tell.clone(),
        );
        tokio::spawn(async move {
            match taken(&tools, &id).await {
                Ok((session, with)) => {
                    let handle = open_live(session, with, live_tell);
                    locked(&live).insert(id.clone(), handle);
                    let _ = tell.send(Told::Taken(id));
                }
                Err(why) => {
                    let _ = tell.send(Told::NotTaken(id, why));
                }
            }
        });
    }

    pub(crate) fn order(&mut self, id: &SessionId, order: LiveCommand) {
        match locked(&self.services.taken).get(id) {
            Some(handle) => handle.send(order),
            None => {
                let why = "the session is not in hand; open it again".to_owned();
                let _ = self.tell.send(Told::NotTaken(id.clone(), why));
            }
        }
    }

    pub(crate) fn release(&mut self, id: SessionId) {
        let Some(handle) = locked(&self.services.taken).remove(&id) else {
            return;
        };
        let tell = self.tell.clone();
        tokio::spawn(async move {
            handle.close().await;
            let _ = tell.send(Told::Released(id));
        });
    }

    pub(crate) fn fork(&mut self, parent: SessionId, reopen: Reopen, then: Vec<LiveCommand>) {
        let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
        let (live, live_tell) = (
            Arc::clone(&self.services.taken),
            self.services.live_tell.clone(),
        );
        tokio::spawn(async move {
            let made = forked(&tools, &parent, &reopen).await;
            let result = made.map(|(session, with, opened)| {
                let child = session.id.clone();
                let handle = open_live(session, with, live_tell);
                // The screen learns of the fork before anything happens in it.
                let ready = (child.clone(), Arc::new(opened));
                locked(&live).insert(child, handle);
                ready
            });
            let child = result.as_ref().ok().map(|(child, _)| child.clone());
            let _ = tell.send(Told::Forked { parent, result });
            if let Some(child) = child
                && let Some(handle) = locked(&live).get(&child)
            {
                for order in then {
                    handle.send(order);
                }
            }
        });
    }
}

/// Opens a session with its lock, and what it is played with.
async fn taken(tools: &Tools, id: &SessionId) -> Result<(Session, LiveTools), String> {
    let path = path_of(&tools.desk, id)?;
    if tools.desk.layout.session(id.as_str()).ok() != Some(path) {
        let why = "this is a sample of a try: where it was tried, it can be adopted; then it is \
                   played on like any other session";
        return Err(why.to_owned());
    }
    let (desk, wanted) = (tools.desk.clone(), id.clone());
    let opened =
        tokio::task::spawn_blocking(move || Session::open(&desk.layout, &desk.journals(), &wanted));
    // What failed is forgiven by the first order that goes on with it: the order to retry asks what
    // failed.
    let session = opened
        .await
        .map_err(|_| "the session could not be opened".to_owned())?
        .map_err(|error| error.to_string())?;
    let with = live_tools(tools, &session)?;
    Ok((session, with))
}

async fn forked(
    tools: &Tools,
    parent: &SessionId,
    reopen: &Reopen,
) -> Result<(Session, LiveTools, Opened), String> {
    let path = tools
        .desk
        .layout
        .session(parent.as_str())
        .map_err(|error| error.to_string())?;
    let (wanted, desk, id) = (reopen.clone(), tools.desk.clone(), parent.clone());
    let lines = tokio::task::spawn_blocking(move || {
        // A fork needs its parent in the store: an example is copied into it first.
        if let Some(example) = example_of(&desk, &id) {
            desk.layout.create().map_err(|error| error.to_string())?;
            keep_private(&path, example.bytes).map_err(|error| error.to_string())?;
        }
        let records = Tail::open(&path)
            .more()
            .map_err(|error| error.to_string())?;
        let point = playable(&records, &wanted).map_err(|error| error.to_string())?;
        Ok::<u64, String>(point.lines)
    });
    let lines = lines
        .await
        .map_err(|_| "the fork was given up".to_owned())??;
    let session = fork(&tools.desk, parent, lines).await;
    with_opened(tools, session.map_err(|error| error.to_string())?)
}

/// Returns the point at which a fork leaves its parent. After the last turn of the game no step is
/// open: that turn itself is reopened instead.
fn playable(records: &[Record], wanted: &Reopen) -> Result<ForkPoint, WorkspaceError> {
    let point = fork_point(records, wanted)?;
    let Reopen::After(turn) = wanted else {
        return Ok(point);
    };
    let kept = usize::try_from(point.lines).unwrap_or(usize::MAX);
    let kept = records.get(..kept).unwrap_or(records);
    let state = State::fold(kept).map_err(|(_, refusal)| WorkspaceError::Refused(refusal))?;
    if state.open().steps.iter().any(Step::is_spoken) {
        return Ok(point);
    }
    fork_point(records, &Reopen::Turn(turn.clone()))
}

/// Prepares a debate, and holds its models against the lists of their servers that are known.
pub(crate) fn prepare_debate(tools: &Tools, plan: &DebatePlan) -> Result<PreparedDebate, String> {
    let usual = usual_model(tools, &tools.served.all_known());
    let Tools {
        desk,
        library,
        seats,
        served,
        ..
    } = tools;
    let made = plan.prepare(desk, library, seats, usual.as_deref());
    let mut made = made.map_err(|error| error.to_string())?;
    made.unlisted = unlisted_as_known(models_of(&made.created.cast), seats, served);
    Ok(made)
}

/// Begins a debate and takes it.
pub(crate) async fn begin_debate(
    services: &Services,
    plan: DebatePlan,
) -> Result<(SessionId, Arc<Opened>), String> {
    let tools = &services.tools;
    let prepared = prepare_debate(tools, &plan)?;
    let session = prepared.begin(&tools.desk).await;
    let session = session.map_err(|error| error.to_string())?;
    let (session, with, opened) = with_opened(tools, session)?;
    let id = session.id.clone();
    let handle = open_live(session, with, services.live_tell.clone());
    locked(&services.taken).insert(id.clone(), handle);
    Ok((id, Arc::new(opened)))
}

fn with_opened(tools: &Tools, session: Session) -> Result<(Session, LiveTools, Opened), String> {
    let (labels, forms) = offered(&session.state)?;
    let opened = Opened {
        labels,
        forms,
        state: Arc::new(session.state.clone()),
        driven_by: None,
        imported: false,
        example: false,
        annotations: annotations(&tools.desk)?,
    };
    let with = live_tools(tools, &session)?;
    Ok((session, with, opened))
}

/// Returns what a session is played with here, under the ceiling of each.
pub(crate) fn live_tools(tools: &Tools, session: &Session) -> Result<LiveTools, String> {
    let (layout, fsync) = (&tools.desk.layout, &tools.desk.fsync);
    let book = open_memory(session, layout, fsync, &tools.embedding);
    let book = book.map_err(|error| error.to_string())?;
    let spent = session.state.committed_usd();
    Ok(LiveTools {
        seats: Arc::clone(&tools.seats),
        budget: Arc::new(Budget::new(tools.budget_usd, spent)),
        memory: book,
        clock: tools.desk.clock,
        person: tools.desk.person.clone(),
    })
}
