//! Live sessions: those that this process plays, each under its lock. A command takes the lock where that was
//! not done yet.

use super::library_list::usual_model;
use super::session_reading::{offered, path_of};
use super::{Opened, Services, Tools, locked, unblinding};
use crate::debate::event::Record;
use crate::debate::step::Step;
use crate::debate::{SessionId, State};
use crate::engine::cost::Budget;
use crate::engine::live::{LiveCommand, LiveHandle, LiveTools, open as open_live};
use crate::engine::seats::{models_of, unlisted_as_known};
use crate::engine::{DebatePlan, PreparedDebate, open_memory};
use crate::tui::app::hidden_verdicts::annotations;
use crate::workspace::{
    ForkPoint, Reopen, Tail, fork, fork_point, replace_private as keep_private,
};
use crate::workspace::{Session, WorkspaceError, example_of};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// Sessions under their locks; clones share them.
#[derive(Clone, Default)]
pub(crate) struct LiveSessions(Arc<Mutex<BTreeMap<SessionId, LiveSession>>>);

enum LiveSession {
    /// Its lock is being taken or given back; these commands are given once it is there.
    Moving(Vec<WaitingCommand>),
    Taken(LiveHandle),
}

struct WaitingCommand {
    command: LiveCommand,
    given: Box<dyn FnOnce(Result<(), String>) + Send>,
}

impl WaitingCommand {
    fn give(self, handle: &LiveHandle) {
        handle.send(self.command);
        (self.given)(Ok(()));
    }
}

impl LiveSessions {
    /// Says whether this process has taken a session.
    pub(super) fn has(&self, id: &SessionId) -> bool {
        locked(&self.0).contains_key(id)
    }

    /// Returns the sessions that this process has taken.
    pub(super) fn taken(&self) -> BTreeSet<SessionId> {
        locked(&self.0).keys().cloned().collect()
    }

    /// Says whether something waits for a session that was given back; forgets the session else.
    fn is_wanted(&self, id: &SessionId) -> bool {
        let mut all = locked(&self.0);
        let waits =
            matches!(all.get(id), Some(LiveSession::Moving(waiting)) if !waiting.is_empty());
        if !waits {
            all.remove(id);
        }
        waits
    }

    fn insert(&self, handle: LiveHandle) {
        let id = handle.session().clone();
        locked(&self.0).insert(id, LiveSession::Taken(handle));
    }

    /// Gives the locks back: what had come is durable when this returns.
    pub(super) async fn close(self) {
        let all = std::mem::take(&mut *locked(&self.0));
        let handles = all.into_values().filter_map(|session| match session {
            LiveSession::Taken(handle) => Some(handle.close()),
            LiveSession::Moving(_) => None,
        });
        futures_util::future::join_all(handles).await;
    }
}

impl Services {
    /// Gives a session a command, in the order of the calls; takes its lock first where it is not ours.
    /// `given` learns whether it could be given.
    pub(in crate::tui::app) fn give(
        &self,
        id: SessionId,
        command: LiveCommand,
        given: impl FnOnce(Result<(), String>) + Send + 'static,
    ) {
        let given = Box::new(given);
        let command = WaitingCommand { command, given };
        let mut all = locked(&self.live.0);
        match all.get_mut(&id) {
            Some(LiveSession::Taken(handle)) if !handle.is_over() => command.give(handle),
            Some(LiveSession::Moving(waiting)) => waiting.push(command),
            Some(LiveSession::Taken(_)) | None => {
                all.insert(id.clone(), LiveSession::Moving(vec![command]));
                let services = self.clone();
                tokio::spawn(async move { services.take(id).await });
            }
        }
    }

    /// Takes a session's lock and gives it what waits for that.
    async fn take(&self, id: SessionId) {
        let taken = taken(&self.tools, &id).await;
        let mut all = locked(&self.live.0);
        let waiting = match all.remove(&id) {
            Some(LiveSession::Moving(waiting)) => waiting,
            Some(LiveSession::Taken(_)) | None => Vec::new(),
        };
        match taken {
            Ok((session, with)) => {
                let handle = open_live(session, with, self.live_tell.clone());
                waiting
                    .into_iter()
                    .for_each(|command| command.give(&handle));
                all.insert(id, LiveSession::Taken(handle));
            }
            Err(why) => {
                for command in waiting {
                    (command.given)(Err(why.clone()));
                }
            }
        }
    }

    /// Gives a session back, once nothing is in flight.
    pub(in crate::tui::app) fn release(&self, id: SessionId) {
        let mut all = locked(&self.live.0);
        if !matches!(all.get(&id), Some(LiveSession::Taken(_))) {
            return;
        }
        let released = all.insert(id.clone(), LiveSession::Moving(Vec::new()));
        drop(all);
        let Some(LiveSession::Taken(handle)) = released else {
            return;
        };
        let services = self.clone();
        tokio::spawn(async move {
            let _goes_on = services.goes_on().await;
            handle.close().await;
            // What was asked for meanwhile needs the lock again.
            if !services.live.is_wanted(&id) {
                return;
            }
            services.take(id).await;
        });
    }
}

/// Copies a session's past so that something is open to change, takes the copy, and gives it commands once the
/// screen has learnt of it.
pub(crate) async fn fork_session(
    services: &Services,
    (parent, reopen): (SessionId, Reopen),
    then: Vec<LiveCommand>,
    made: impl FnOnce(TakenSession),
) {
    let tools = &services.tools;
    let (session, with, opened) = match forked(tools, &parent, &reopen).await {
        Ok(forked) => forked,
        Err(why) => return made(Err(why)),
    };
    let fork = session.id.clone();
    // It is shown at once, with the verdicts of its past.
    unblinding::record_shown(services, &fork, &opened).await;
    let handle = open_live(session, with, services.live_tell.clone());
    services.live.insert(handle);
    // The screen learns of the fork before anything happens in it.
    made(Ok((fork.clone(), Arc::new(opened))));
    for command in then {
        services.give(fork.clone(), command, |_| ());
    }
}

/// A session that was made here, and whose lock is ours; an error in words.
pub type TakenSession = Result<(SessionId, Arc<Opened>), String>;

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
pub(crate) async fn begin_debate(services: &Services, plan: DebatePlan) -> TakenSession {
    let tools = &services.tools;
    let prepared = prepare_debate(tools, &plan)?;
    let session = prepared.begin(&tools.desk).await;
    let session = session.map_err(|error| error.to_string())?;
    let (session, with, opened) = with_opened(tools, session)?;
    let id = session.id.clone();
    let handle = open_live(session, with, services.live_tell.clone());
    services.live.insert(handle);
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
