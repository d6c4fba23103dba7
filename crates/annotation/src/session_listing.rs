//! Listing of all sessions for a person: what the first screen shows at once, the rest as it is read, and no
//! verdict that would unblind who labels.

use super::{hidden_sessions, hide_verdicts};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::annotations::session_marks;
use elenchus_records::workspace::{
    IndexTurns, SessionOverview, StoreContext, StoreIndex, SummaryStream, UnreadableSession,
    WorkspaceError, example_overviews, list_overviews, list_sessions,
};
use elenchus_view::session_browser::Listing;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::spawn_blocking;

/// Sessions that are summed up before the list is first shown: as many as a usual screen holds.
/// Those of a larger one follow at once.
const FIRST: usize = 40;
/// Interval of writing into the index what was read of a long list.
const WRITE_EVERY: Duration = Duration::from_secs(1);

/// A part of a listing.
pub enum ListingPart {
    /// The whole list, with its first sessions summed up; why it cannot be read otherwise.
    Listed(Result<Box<Listing>, WorkspaceError>),
    /// Sessions that were not in `Listed`.
    Summed(Vec<Result<SessionOverview, UnreadableSession>>),
}

/// Where a listing is read from, and what else is said in it.
pub struct ListingSource {
    pub store: StoreContext,
    pub turns: IndexTurns,
    /// Configuration, in one line.
    pub configured: String,
    /// Where another store has sessions, if this one has none.
    pub elsewhere: Option<String>,
    /// Sessions that this process has in hand.
    pub open_here: BTreeSet<SessionId>,
}

impl ListingSource {
    /// Reads the list and gives its parts away as they come. What cannot go on has said so, or panicked: that
    /// is in the log.
    pub async fn read(self, report: impl Fn(ListingPart)) {
        let _ = self.read_all(report).await;
    }

    async fn read_all(self, report: impl Fn(ListingPart)) -> Option<()> {
        let Self { store, turns, .. } = &self;
        let of = store.clone();
        let listing = spawn_blocking(move || {
            let ids = list_sessions(&of.layout)?;
            Ok::<_, WorkspaceError>((ids, hidden_sessions(&of)?))
        });
        let (ids, hidden) = match listing.await.ok()? {
            Ok(listed) => listed,
            Err(why) => {
                report(ListingPart::Listed(Err(why)));
                return None;
            }
        };
        let (first, rest) = ids.split_at(FIRST.min(ids.len()));
        // What the first screen shows is read alone: the whole index takes as long as it is large.
        let (layout, of) = (store.layout.clone(), first.to_vec());
        let index = turns.take_turn(move || Arc::new(StoreIndex::read_sessions(&layout, &of)));
        let index = index.await?;
        let (first, of) = (first.to_vec(), Arc::clone(&index));
        let read = spawn_blocking(move || {
            let marks = session_marks(&of).unwrap_or_default();
            (list_overviews(&of, &first), marks)
        });
        let (mut first, annotations) = read.await.ok()?;
        hide_verdicts(&mut first, &hidden);
        report(ListingPart::Listed(Ok(Box::new(Listing {
            sessions: ids.clone(),
            first,
            examples: example_overviews().to_vec(),
            annotations,
            configured: self.configured.clone(),
            elsewhere: self.elsewhere.clone(),
            open_here: self.open_here.clone(),
            now: store.clock.now(),
        }))));
        let layout = store.layout.clone();
        let whole = move || {
            index.write_changes();
            Arc::new(StoreIndex::read_overviews(&layout).0)
        };
        let index = turns.take_turn(whole).await?;
        let (of, rest) = (Arc::clone(&index), rest.to_vec());
        let _ = spawn_blocking(move || of.forget_gone(&ids)).await;
        summarize_sessions(index, rest, turns, |mut batch| {
            hide_verdicts(&mut batch, &hidden);
            report(ListingPart::Summed(batch));
        })
        .await
    }
}

/// Sums up the rest of a list. What was read is written into the index now and then, so that the next start
/// finds it even after an early exit.
async fn summarize_sessions(
    index: Arc<StoreIndex>,
    rest: Vec<SessionId>,
    turns: &IndexTurns,
    summed: impl Fn(Vec<Result<SessionOverview, UnreadableSession>>),
) -> Option<()> {
    let write = || {
        let (index, turns) = (Arc::clone(&index), turns.clone());
        tokio::spawn(async move { turns.take_turn(move || index.write_changes()).await })
    };
    let mut writing = write();
    if rest.is_empty() {
        return Some(());
    }
    let mut last_write = Instant::now();
    let mut summing = SummaryStream::start(Arc::clone(&index), rest).ok()?;
    while let Some(batch) = summing.next().await {
        if writing.is_finished() && last_write.elapsed() >= WRITE_EVERY {
            writing = write();
            last_write = Instant::now();
        }
        summed(batch);
    }
    write();
    Some(())
}
