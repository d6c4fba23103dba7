//! Tasks of the session list: read, search, change, export and play sessions.

use super::Message;
use crate::annotation::{hidden_sessions, hide_verdicts};
use crate::debate::SessionId;
use crate::engine::seats::ServerModels;
use crate::engine::servers_line;
use crate::experiments::PlayOn;
use crate::tui::app::{Replies, Services, Task, Ticket};
use crate::workspace::ExportAs;
use crate::workspace::annotations::{all_annotations, session_marks};
use crate::workspace::session_browser::{
    ChangeCause, ChangeReport, Listing, SessionChange, make_change,
};
use crate::workspace::{
    SessionSearch, StoreIndex, SummaryStream, example_overviews, export_session, list, overviews,
};
use futures_util::StreamExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

/// Sessions that are summed up before the list is first shown: as many as a usual screen holds.
/// Those of a larger one follow at once.
const FIRST: usize = 40;
/// Interval of writing into the index what was read of a long list.
const WRITE_EVERY: Duration = Duration::from_secs(1);
/// What was written while the list was read is read again after this.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Reads the list: `Listed`, `Summed` as they come, and `ListRead` in any case.
pub(super) fn read_list() -> Task {
    Task::stream("list sessions", |services, replies| async move {
        // What could not go on has said so.
        let _ = read_all(&services, &replies).await;
        replies.send(Message::ListRead);
    })
}

/// Reads the list once more, a moment later.
pub(super) fn read_list_again() -> Task {
    Task::stream("list sessions again", |_, replies| async move {
        tokio::time::sleep(AGAIN_AFTER).await;
        replies.send(Message::ListAgain);
    })
}

async fn read_all(services: &Services, replies: &Replies<Message>) -> Option<()> {
    let (tools, turns) = (&services.tools, &services.index_turns);
    let desk = tools.desk.clone();
    let listed = spawn_blocking(move || {
        let ids = list(&desk.layout).map_err(|error| error.to_string())?;
        Ok::<_, String>((ids, hidden_sessions(&desk)?))
    });
    let (ids, hidden) = match listed.await.ok()? {
        Ok(listed) => listed,
        Err(why) => {
            replies.send(Message::Listed(Err(why)));
            return None;
        }
    };
    let (first, rest) = ids.split_at(FIRST.min(ids.len()));
    // What the first screen shows is read alone: the whole index takes as long as it is large.
    let (layout, of) = (tools.desk.layout.clone(), first.to_vec());
    let index = turns.take(move || Arc::new(StoreIndex::read_sessions(&layout, &of)));
    let index = index.await?;
    let (first, of) = (first.to_vec(), Arc::clone(&index));
    let read = spawn_blocking(move || {
        let marks = session_marks(&of).unwrap_or_default();
        (overviews(&of, &first), marks)
    });
    let (mut first, annotations) = read.await.ok()?;
    hide_verdicts(&mut first, &hidden);
    let listing = Listing {
        sessions: ids.clone(),
        first,
        examples: example_overviews().to_vec(),
        annotations,
        configured: tools.configured.clone(),
        open_here: services.open_here(),
        now: tools.desk.clock.now(),
    };
    replies.send(Message::Listed(Ok(Box::new(listing))));
    let layout = tools.desk.layout.clone();
    let whole = move || {
        index.write();
        Arc::new(StoreIndex::read(&layout).0)
    };
    let index = turns.take(whole).await?;
    let (of, rest) = (Arc::clone(&index), rest.to_vec());
    let _ = spawn_blocking(move || of.forget_gone(&ids)).await;
    let write = || {
        let (index, turns) = (Arc::clone(&index), turns.clone());
        tokio::spawn(async move { turns.take(move || index.write()).await })
    };
    // Written now and then, so that the next start finds the list faster even after an early exit.
    let mut writing = write();
    if rest.is_empty() {
        return Some(());
    }
    let mut written = Instant::now();
    let mut summing = SummaryStream::start(Arc::clone(&index), rest).ok()?;
    while let Some(mut batch) = summing.next().await {
        if writing.is_finished() && written.elapsed() >= WRITE_EVERY {
            writing = write();
            written = Instant::now();
        }
        hide_verdicts(&mut batch, &hidden);
        replies.send(Message::Summed(batch));
    }
    write();
    Some(())
}

/// Asks servers whose lists of models are not known: `Servers`, again when all have answered.
pub(super) fn ask_servers() -> Task {
    Task::stream("ask servers", |services, replies| async move {
        let tools = services.tools;
        if tools.seats.table().providers.is_empty() {
            return;
        }
        let say = |servers: Vec<ServerModels>| async {
            let tools = tools.clone();
            let line = spawn_blocking(move || servers_line(&tools, &servers)).await;
            if let Ok(Some(line)) = line {
                replies.send(Message::Servers(line));
            }
        };
        let known = tools.served.all_known();
        let is_whole = known.len() == tools.seats.table().providers.len();
        say(known).await;
        if !is_whole {
            say(tools.served.all().await).await;
        }
    })
}

/// Looks for a text in all sessions: `Found` as it is found, then `SearchOver`.
pub(super) fn search(ticket: Ticket, text: String, stop: CancellationToken) -> Task {
    Task::stream("search sessions", move |services, replies| async move {
        let found = async {
            let layout = &services.tools.desk.layout;
            let Ok(mut search) = SessionSearch::start(layout, &text) else {
                return;
            };
            while let Some(found) = search.next().await {
                replies.send(Message::Found(ticket, found));
            }
        };
        if stop.run_until_cancelled(found).await.is_some() {
            replies.send(Message::SearchOver(ticket));
        }
    })
}

/// Makes, undoes or makes again changes, each by itself: `Changed`.
pub(super) fn change(cause: ChangeCause, changes: Vec<SessionChange>) -> Task {
    Task::stream("change sessions", move |services, replies| async move {
        let mut report = ChangeReport {
            cause,
            done: Vec::new(),
            failed: Vec::new(),
            annotations: None,
        };
        // Held to the end: the program waits for it.
        let mut book = services.annotations.lock().await;
        for change in changes {
            match make_change(&services.tools.desk, &mut book, cause, &change).await {
                Ok(done) => report.done.push(done),
                Err(why) => report.failed.push((change, why)),
            }
        }
        let mut done = report.done.iter();
        if done.any(|change| matches!(change, SessionChange::Annotated { .. })) {
            let desk = services.tools.desk.clone();
            let read = spawn_blocking(move || all_annotations(&desk)).await;
            report.annotations = read.ok().and_then(Result::ok).map(Arc::new);
        }
        drop(book);
        replies.send(Message::Changed(report));
    })
}

/// Writes sessions to files, one each, never over one that is there: `Exported`.
pub(super) fn export(to: PathBuf, form: ExportAs, files: Vec<(SessionId, PathBuf)>) -> Task {
    Task::blocking("export sessions", move |services| {
        let mut failed = Vec::new();
        let mut written = 0;
        for (id, file) in files {
            let made = match file.parent() {
                // The folder of several is made; that of one file is there.
                Some(folder) if folder == to => {
                    std::fs::create_dir_all(folder).map_err(|error| error.to_string())
                }
                Some(_) | None => Ok(()),
            };
            match made.and_then(|()| export_session(&services.tools.desk, &id, form, &file)) {
                Ok(()) => written += 1,
                Err(why) => failed.push((id, why)),
            }
        }
        Message::Exported {
            to,
            written,
            failed,
        }
    })
}

/// Plays sessions on to their ends, some at once: `Played` for each, then `PlayOver`.
pub(super) fn play_on(sessions: Vec<SessionId>, stop: CancellationToken) -> Task {
    Task::stream("play sessions", move |services, replies| async move {
        let tools = &services.tools;
        let at_once = tools.concurrency.max(1);
        let play_on = PlayOn {
            desk: tools.desk.clone(),
            seats: Arc::clone(&tools.seats),
            embedding: Arc::clone(&tools.embedding),
            budget_usd: tools.budget_usd,
        };
        let played = futures_util::stream::iter(sessions).for_each_concurrent(at_once, |id| {
            let (play_on, replies, stop) = (&play_on, &replies, stop.clone());
            async move {
                if stop.is_cancelled() {
                    return;
                }
                let end = play_on.to_end(&id, &stop).await;
                replies.send(Message::Played(id, end));
            }
        });
        services.clone().until_closed(stop.clone(), played).await;
        replies.send(Message::PlayOver);
    })
}
