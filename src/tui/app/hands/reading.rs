//! Reading of sessions: list, open, follow and search.

use super::Hands;
use crate::debate::{SessionId, State};
use crate::library::{Game, JsonVerdictForm};
use crate::prompt::LabelHint;
use crate::tui::app::hidden_verdicts::{annotations, hidden_sessions, hide_verdicts};
use crate::tui::app::told::{Listing, Opened, Told};
use crate::workspace::WorkspaceError;
use crate::workspace::annotations::{Annotations, session_marks};
use crate::workspace::imported_at;
use crate::workspace::{
    Desk, SessionSearch, StoreIndex, SummaryStream, Tail, example_of, example_overviews, list,
    overviews,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Sessions that are summed up before the list is first shown: as many as a usual screen holds.
/// Those of a larger one follow at once.
const FIRST: usize = 40;
/// Interval of writing into the index what was read of a long list.
const WRITE_EVERY: Duration = Duration::from_secs(1);
/// Interval of following a session that another process plays.
const FOLLOW_EVERY: Duration = Duration::from_secs(1);

impl Hands {
    /// Says whether the list is being read.
    pub(crate) fn is_listing(&self) -> bool {
        self.list.as_ref().is_some_and(|task| !task.is_finished())
    }

    pub(crate) fn list(&mut self) {
        if let Some(before) = self.list.take() {
            before.abort();
        }
        if !self.services.tools.seats.table().providers.is_empty() && !self.servers_asked {
            self.servers_asked = true;
            self.read_library();
        }
        let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
        let (live, turns) = (
            Arc::clone(&self.services.taken),
            self.services.index_turns.clone(),
        );
        self.list = Some(tokio::spawn(async move {
            let desk = tools.desk.clone();
            let listed = tokio::task::spawn_blocking(move || listing(&desk));
            let Ok(listed) = listed.await else { return };
            let (mut listing, hidden) = match listed {
                Ok(listed) => listed,
                Err(why) => {
                    let _ = tell.send(Told::Listed(Err(why)));
                    return;
                }
            };
            let rest = listing
                .sessions
                .split_off(FIRST.min(listing.sessions.len()));
            // What the first screen shows is read alone: the whole index takes as long as it is large.
            let (layout, first) = (tools.desk.layout.clone(), listing.sessions.clone());
            let read = turns.take(move || Arc::new(StoreIndex::read_sessions(&layout, &first)));
            let Some(index) = read.await else { return };
            let (first, of) = (listing.sessions.clone(), Arc::clone(&index));
            let read = tokio::task::spawn_blocking(move || {
                (
                    overviews(&of, &first),
                    session_marks(&of).unwrap_or_default(),
                )
            });
            let Ok(read) = read.await else { return };
            (listing.first, listing.annotations) = read;
            listing.sessions.extend(rest.iter().cloned());
            hide_verdicts(&mut listing.first, &hidden);
            listing.configured = tools.configured;
            listing.in_hand = super::locked(&live).keys().cloned().collect();
            let listing = Arc::new(listing);
            if tell.send(Told::Listed(Ok(Arc::clone(&listing)))).is_err() {
                return;
            }
            let layout = tools.desk.layout.clone();
            let whole = move || {
                index.write();
                Arc::new(StoreIndex::read(&layout).0)
            };
            let Some(index) = turns.take(whole).await else {
                return;
            };
            let of = Arc::clone(&index);
            let forget = move || of.forget_gone(&listing.sessions);
            let _ = tokio::task::spawn_blocking(forget).await;
            let write = || {
                let (index, turns) = (Arc::clone(&index), turns.clone());
                tokio::spawn(async move { turns.take(move || index.write()).await })
            };
            // Written now and then, so that the next start finds the list faster even after an early
            // exit.
            let mut writing = write();
            if rest.is_empty() {
                return;
            }
            let mut written = Instant::now();
            let Ok(mut summing) = SummaryStream::start(Arc::clone(&index), rest) else {
                return;
            };
            while let Some(mut batch) = summing.next().await {
                if writing.is_finished() && written.elapsed() >= WRITE_EVERY {
                    writing = write();
                    written = Instant::now();
                }
                hide_verdicts(&mut batch, &hidden);
                let told = Told::Summed {
                    batch: Arc::new(batch),
                    more: true,
                };
                if tell.send(told).is_err() {
                    return;
                }
            }
            let _ = tell.send(Told::Summed {
                batch: Arc::default(),
                more: false,
            });
            write();
        }));
    }

    pub(super) fn search_all(&mut self, text: &str) {
        self.stop_search();
        let tell = self.tell.clone();
        let mut search = match SessionSearch::start(&self.services.tools.desk.layout, text) {
            Ok(search) => search,
            Err(_) => {
                let _ = tell.send(Told::SearchOver);
                return;
            }
        };
        self.search = Some(tokio::spawn(async move {
            while let Some(found) = search.next().await {
                if tell.send(Told::Found(Arc::new(found))).is_err() {
                    return;
                }
            }
            let _ = tell.send(Told::SearchOver);
        }));
    }

    pub(super) fn stop_search(&mut self) {
        if let Some(search) = self.search.take() {
            search.abort();
        }
    }

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
                        super::annotating::record_sight(&tools, &id, &opened, &tell, sights).await;
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

/// Returns the list without overviews and annotations of its sessions, and those whose verdicts are
/// hidden. Blocks.
fn listing(desk: &Desk) -> Result<(Listing, BTreeSet<SessionId>), String> {
    let hidden = hidden_sessions(desk)?;
    let listing = Listing {
        sessions: list(&desk.layout).map_err(|error| error.to_string())?,
        first: Vec::new(),
        examples: example_overviews().to_vec(),
        annotations: Annotations::default(),
        configured: String::new(),
        in_hand: BTreeSet::new(),
        now: desk.clock.now(),
    };
    Ok((listing, hidden))
}

/// Reads a session, kept or an example; blocks.
pub(super) fn read_opened(desk: &Desk, id: &SessionId) -> Result<(Opened, Tail), String> {
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
pub(super) fn path_of(desk: &Desk, id: &SessionId) -> Result<PathBuf, String> {
    let found = || {
        let path = desk.layout.session(id.as_str())?;
        let tried = desk.layout.tries().session(id.as_str())?;
        let is_sample = !path.exists() && tried.exists();
        Ok(if is_sample { tried } else { path })
    };
    found().map_err(|error: WorkspaceError| error.to_string())
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
