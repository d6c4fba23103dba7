//! Live sessions: those that this process plays, each under its lock. A command takes the lock where that was
//! not done yet.

use super::cost::Budget;
use super::live::{LiveCommand, LiveEvent, LiveHandle, LiveTools, open_session as open_live};
use super::{DebatePlan, PlayDefaults, RunContext, open_memory, prepare_debate};
use elenchus_game::debate::event::Record;
use elenchus_game::debate::step::Step;
use elenchus_game::debate::{SessionId, State};
use elenchus_records::workspace::{
    ForkPoint, Reopen, Session, StoreContext, Tail, WorkspaceError, example_of, fork_point,
    fork_session, reject, replace_private,
};
use elenchus_view::{OpenedSession, session_path};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc::UnboundedSender;

/// Sessions under their locks; clones share them.
#[derive(Clone)]
pub struct LiveSessions {
    sessions: Arc<Mutex<BTreeMap<SessionId, LiveSession>>>,
    events: UnboundedSender<(SessionId, LiveEvent)>,
    /// The ceiling of each session, in US dollars.
    budget_usd: Option<f64>,
}

enum LiveSession {
    /// Its lock is being taken or given back; these commands are given once it is there.
    Moving(Vec<WaitingCommand>),
    Taken(LiveHandle),
}

struct WaitingCommand {
    command: LiveCommand,
    report: Box<dyn FnOnce(Result<(), WorkspaceError>) + Send>,
}

impl WaitingCommand {
    fn send_to(self, handle: &LiveHandle) {
        handle.send_command(self.command);
        (self.report)(Ok(()));
    }
}

impl LiveSessions {
    /// No sessions yet; each is played under the ceiling, and their events go to `events`.
    pub fn new(events: UnboundedSender<(SessionId, LiveEvent)>, budget_usd: Option<f64>) -> Self {
        Self {
            sessions: Arc::default(),
            events,
            budget_usd,
        }
    }

    /// Says whether this process has taken a session.
    pub fn has_session(&self, id: &SessionId) -> bool {
        self.lock_sessions().contains_key(id)
    }

    /// Returns the sessions that this process has taken.
    pub fn session_ids(&self) -> BTreeSet<SessionId> {
        self.lock_sessions().keys().cloned().collect()
    }

    /// Opens a session whose lock is held: it is idle until it gets a command.
    ///
    /// # Errors
    /// When its memory cannot be read.
    pub fn open_session(
        &self,
        run: &RunContext,
        ready: ReadySession,
    ) -> Result<(SessionId, Arc<OpenedSession>), WorkspaceError> {
        let id = ready.session.id.clone();
        let handle = self.start_session(run, ready.session)?;
        self.lock_sessions()
            .insert(id.clone(), LiveSession::Taken(handle));
        Ok((id, Arc::new(ready.opened)))
    }

    /// Starts the task of a session, under the ceiling of each.
    fn start_session(
        &self,
        run: &RunContext,
        session: Session,
    ) -> Result<LiveHandle, WorkspaceError> {
        let (layout, fsync) = (&run.store.layout, &run.store.fsync);
        let memory = open_memory(&session, layout, fsync, &run.embedding)?;
        let budget = Budget::new(self.budget_usd, session.state.committed_usd());
        let tools = LiveTools {
            run: run.clone(),
            budget: Arc::new(budget),
            memory,
        };
        Ok(open_live(session, tools, self.events.clone()))
    }

    /// Gives a session a command, in the order of the calls; takes its lock first where it is not ours.
    /// `given` learns whether it could be given. Must be called in a runtime.
    pub fn send_command(
        &self,
        run: &RunContext,
        id: SessionId,
        command: LiveCommand,
        given: impl FnOnce(Result<(), WorkspaceError>) + Send + 'static,
    ) {
        let report = Box::new(given);
        let command = WaitingCommand { command, report };
        let mut all = self.lock_sessions();
        match all.get_mut(&id) {
            Some(LiveSession::Taken(handle)) if !handle.is_over() => command.send_to(handle),
            Some(LiveSession::Moving(waiting)) => waiting.push(command),
            Some(LiveSession::Taken(_)) | None => {
                all.insert(id.clone(), LiveSession::Moving(vec![command]));
                let (sessions, run) = (self.clone(), run.clone());
                tokio::spawn(async move { sessions.take_session(&run, id).await });
            }
        }
    }

    /// Gives a session back, once nothing is in flight: the future waits for that. Commands that come
    /// meanwhile are given after it, under a new lock. `None` where the session is not ours.
    pub fn release_session(
        &self,
        run: &RunContext,
        id: SessionId,
    ) -> Option<impl Future<Output = ()> + Send + 'static> {
        let handle = {
            let mut all = self.lock_sessions();
            match all.remove(&id) {
                Some(LiveSession::Taken(handle)) => {
                    all.insert(id.clone(), LiveSession::Moving(Vec::new()));
                    handle
                }
                Some(moving @ LiveSession::Moving(_)) => {
                    all.insert(id, moving);
                    return None;
                }
                None => return None,
            }
        };
        let (sessions, run) = (self.clone(), run.clone());
        Some(async move {
            handle.close().await;
            // What was asked for meanwhile needs the lock again.
            if sessions.has_waiting_commands(&id) {
                sessions.take_session(&run, id).await;
            }
        })
    }

    /// Gives the locks back: what had come is durable when this returns.
    pub async fn close_all(self) {
        let all = std::mem::take(&mut *self.lock_sessions());
        let handles = all.into_values().filter_map(|session| match session {
            LiveSession::Taken(handle) => Some(handle.close()),
            LiveSession::Moving(_) => None,
        });
        futures_util::future::join_all(handles).await;
    }

    fn lock_sessions(&self) -> MutexGuard<'_, BTreeMap<SessionId, LiveSession>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says whether something waits for a session that was given back; forgets the session else.
    fn has_waiting_commands(&self, id: &SessionId) -> bool {
        let mut all = self.lock_sessions();
        let waits =
            matches!(all.get(id), Some(LiveSession::Moving(waiting)) if !waiting.is_empty());
        if !waits {
            all.remove(id);
        }
        waits
    }

    /// Takes a session's lock and gives it what waits for that.
    async fn take_session(&self, run: &RunContext, id: SessionId) {
        let result = open_locked_session(run, &id).await;
        let result = result.and_then(|session| self.start_session(run, session));
        let mut all = self.lock_sessions();
        let waiting = match all.remove(&id) {
            Some(LiveSession::Moving(waiting)) => waiting,
            Some(LiveSession::Taken(_)) | None => Vec::new(),
        };
        match result {
            Ok(handle) => {
                waiting
                    .into_iter()
                    .for_each(|command| command.send_to(&handle));
                all.insert(id, LiveSession::Taken(handle));
            }
            Err(why) => {
                for command in waiting {
                    (command.report)(Err(why.clone()));
                }
            }
        }
    }
}

/// A session that was just made, under its lock, with what it is shown as.
pub struct ReadySession {
    session: Session,
    pub opened: OpenedSession,
}

impl ReadySession {
    /// Begins a debate.
    ///
    /// # Errors
    /// When it cannot be prepared or its journal cannot be written.
    pub async fn begin_debate(
        run: &RunContext,
        defaults: &PlayDefaults,
        plan: &DebatePlan,
    ) -> Result<Self, WorkspaceError> {
        let debate = prepare_debate(run, defaults, plan)?;
        let session = debate.begin_session(&run.store).await;
        Self::from_session(&run.store, session?)
    }

    /// Copies a session's past so that something is open to change; an example is copied into the store
    /// first.
    ///
    /// # Errors
    /// When the parent cannot be read, nothing can be reopened there, or the copy cannot be written.
    pub async fn fork_session(
        store: &StoreContext,
        parent: &SessionId,
        reopen: &Reopen,
    ) -> Result<Self, WorkspaceError> {
        let path = store.layout.session_path(parent.as_str())?;
        let (wanted, own_store, id) = (reopen.clone(), store.clone(), parent.clone());
        let point = tokio::task::spawn_blocking(move || {
            // A fork needs its parent in the store: an example is copied into it first.
            if let Some(example) = example_of(&own_store, &id) {
                own_store.layout.create_missing_folders()?;
                replace_private(&path, example.bytes)?;
            }
            let records = Tail::open(&path).read_new_records()?;
            find_playable_fork_point(&records, &wanted)
        });
        let point = point
            .await
            .map_err(|_| WorkspaceError::invalid("the fork was given up"))??;
        let session = fork_session(store, parent, &point).await;
        Self::from_session(store, session?)
    }

    /// Returns the session that is shown and played.
    pub fn id(&self) -> &SessionId {
        &self.session.id
    }

    fn from_session(store: &StoreContext, session: Session) -> Result<Self, WorkspaceError> {
        Ok(Self {
            opened: OpenedSession::from_own_state(store, Arc::new(session.state.clone()))?,
            session,
        })
    }
}

/// Opens a session with its lock.
async fn open_locked_session(run: &RunContext, id: &SessionId) -> Result<Session, WorkspaceError> {
    let path = session_path(&run.store, id)?;
    if run.store.layout.session_path(id.as_str()).ok() != Some(path) {
        let why = "this is a sample of a try: where it was tried, it can be adopted; then it is \
                   played on like any other session";
        return reject(why);
    }
    let (store, wanted) = (run.store.clone(), id.clone());
    let session_task = tokio::task::spawn_blocking(move || {
        Session::open(&store.layout, &store.journals(), &wanted)
    });
    // What failed is forgiven by the first order that goes on with it: the order to retry asks what
    // failed.
    session_task
        .await
        .map_err(|_| WorkspaceError::invalid("the session could not be opened"))?
}

/// Returns the point at which a fork leaves its parent. After the last turn of the game no step is
/// open: that turn itself is reopened instead.
fn find_playable_fork_point(
    records: &[Record],
    reopen: &Reopen,
) -> Result<ForkPoint, WorkspaceError> {
    let point = fork_point(records, reopen)?;
    let Reopen::After(turn) = reopen else {
        return Ok(point);
    };
    let line_count = usize::try_from(point.lines).unwrap_or(usize::MAX);
    let kept_records = records.get(..line_count).unwrap_or(records);
    let state = State::from_records(kept_records)
        .map_err(|(_, refusal)| WorkspaceError::Refused(refusal))?;
    if state.find_open_steps().steps.iter().any(Step::is_spoken) {
        return Ok(point);
    }
    fork_point(records, &Reopen::Turn(turn.clone()))
}
