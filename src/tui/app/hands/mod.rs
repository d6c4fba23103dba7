//! Background commands that concern more than one screen, and what tasks of screens share: with those tasks,
//! the one place of the workbench that touches the rooms below and files.
//!
//! Nothing here blocks the loop: reading and waiting run on tasks, which report their results.
//!
//! | file | content |
//! |---|---|
//! | `index_turns` | when the store's index is read or written |
//! | `reading` | opens and follows sessions |
//! | `playing` | takes sessions, gives orders, forks, begins |
//! | `library` | games and models to choose from |
//! | `keeping` | annotations, exports, drafts, arrangement |
//! | `unblinding` | what a person was shown |
//! | `running` | plays a run, and finds its unsafe turns |
//! | `scribe` | writes the workbench's own small files |

mod index_turns;
mod keeping;
mod library;
mod playing;
mod reading;
mod running;
mod scribe;
mod unblinding;

use super::deed::{Deed, ExportAs};
use super::services::Services;
use super::task::{Delivery, ScreenId, Task};
use super::told::Told;
use super::ui_state::UiState;
use crate::debate::{SessionId, State};
use crate::engine::NoPeople;
use crate::engine::live::{LiveEvent, LiveHandle};
use crate::engine::seats::{Seats, ServedModels};
use crate::experiments::{ExperimentContext, ExperimentObserver, StopSignal};
use crate::library::Library;
use crate::workspace::Desk;
use crate::workspace::memory::LazyEmbedding;
pub(super) use index_turns::IndexTurns;
pub(crate) use index_turns::for_sessions;
pub(crate) use keeping::{export_session, find_draft, opened as opened_journal, write_mark};
pub(crate) use library::{models, read_library, servers_line};
pub(crate) use playing::{begin_debate, live_tools, prepare_debate};
pub(crate) use reading::{is_there, path_of, read_opened};
pub(crate) use running::prepare_run;
use scribe::Scribe;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Mutex;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;
pub(crate) use unblinding::{Revealing, record, record_listed, reveals};

/// Writes a session to a file; returns an error in words.
pub type Exporter =
    Arc<dyn Fn(&SessionId, &State, ExportAs, &Path) -> Result<(), String> + Send + Sync>;

/// Context of the hands.
#[derive(Clone)]
pub struct Tools {
    pub desk: Desk,
    pub library: Library,
    pub seats: Arc<Seats>,
    /// Embedder of memory searches.
    pub embedding: Arc<LazyEmbedding>,
    /// Model of seats without a named one; none where one must be chosen.
    pub default_model: Option<String>,
    /// Models that servers list.
    pub served: Arc<ServedModels>,
    pub default_protocol: Option<String>,
    /// The ceiling of each session that is played, in US dollars.
    pub budget_usd: Option<f64>,
    /// Calls of a pass that may be on their way at once.
    pub concurrency: usize,
    /// Configuration, in one line.
    pub configured: String,
    /// Folder for changed built-in prompts; `None` where the user has no folder.
    pub prompt_folder: Option<PathBuf>,
    /// Folder of the workbench's own files: arrangement and drafts.
    pub own_folder: PathBuf,
    pub exporter: Exporter,
}

impl Tools {
    /// Returns what experiments are performed with here: no person is asked in them.
    pub(crate) fn experiment(
        &self,
        observer: Arc<dyn ExperimentObserver>,
        stop: StopSignal,
    ) -> ExperimentContext {
        ExperimentContext {
            desk: self.desk.clone(),
            library: self.library.clone(),
            seats: Arc::clone(&self.seats),
            embedding: Arc::clone(&self.embedding),
            people: Arc::new(NoPeople),
            observer,
            stop,
            concurrency: self.concurrency,
            budget: None,
        }
    }
}

/// Performer of commands.
pub struct Hands {
    services: Services,
    tell: UnboundedSender<Told>,
    deliver: UnboundedSender<Delivery>,
    followed: BTreeMap<SessionId, JoinHandle<()>>,
    /// The run that is played here, or was the last.
    run: Option<running::Running>,
    scribe: Scribe,
    /// Debates whose verdicts appeared while they were played.
    sighted: BTreeSet<SessionId>,
}

/// Lock held while something that was shown is being recorded.
pub(super) type Sights = Arc<Mutex<()>>;

/// Sessions that this process has taken.
pub(super) type TakenSessions = Arc<std::sync::Mutex<BTreeMap<SessionId, LiveHandle>>>;

impl Hands {
    /// Hands that report on three channels: for sessions in play, for tasks of screens, and for everything
    /// else.
    pub fn new(
        tools: Tools,
        tell: UnboundedSender<Told>,
        live_tell: UnboundedSender<(SessionId, LiveEvent)>,
        deliver: UnboundedSender<Delivery>,
    ) -> Self {
        Self {
            services: Services::new(tools, live_tell),
            tell,
            deliver,
            followed: BTreeMap::new(),
            run: None,
            scribe: Scribe::start(),
            sighted: BTreeSet::new(),
        }
    }

    /// Starts a task of a screen.
    pub fn start(&self, from: ScreenId, task: Task) {
        task.start(from, &self.services, self.deliver.clone());
    }

    /// Performs a command. Those that need the terminal itself are the loop's.
    pub fn perform(&mut self, deed: Deed) {
        match deed {
            Deed::Open(id) => self.open(id),
            Deed::Take(id) => self.take(id),
            Deed::Order(id, order) => self.order(&id, order),
            Deed::Release(id) => self.release(id),
            Deed::Fork {
                parent,
                reopen,
                then,
            } => self.fork(parent, reopen, then),
            Deed::Margin(mark) => self.mark(mark),
            Deed::Export(id, form, path) => self.export(id, form, path),
            Deed::WriteText(path, text) => self.write_text(path, text),
            Deed::Remember(kept) => self.remember(&kept),
            Deed::LabelAs(name) => self.label_as(name),
            Deed::Run(deed) => self.run(deed),
            Deed::Draft(draft) => self.draft(&draft),
            // The loop holds the terminal.
            Deed::Copy(_) | Deed::Page(_) => {}
        }
    }

    fn label_as(&mut self, name: String) {
        self.services.tools.desk.person = name;
        // Another person's journal is opened, and what they are shown is theirs.
        self.services.annotations = Arc::default();
        self.sighted.clear();
    }

    /// Takes note that a frame was drawn: nothing slows the first one down.
    pub(crate) fn painted(&self) {
        self.services.index_turns.painted();
    }

    /// Ends everything that is going on: what had come is durable when this returns.
    pub async fn close(self) {
        for task in self.followed.into_values() {
            task.abort();
        }
        self.services.close().await;
        // A label that was on its way is given, and what was shown is recorded.
        drop(self.services.annotations.lock().await);
        drop(self.services.sights.lock().await);
        let live = std::mem::take(&mut *locked(&self.services.taken));
        futures_util::future::join_all(live.into_values().map(LiveHandle::close)).await;
        // Entries that are being written are kept.
        self.services.index_turns.close().await;
    }
}

fn locked<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Reads how the workbench was arranged; a file that cannot be read is as if there were none.
pub fn recall(own_folder: &Path) -> UiState {
    keeping::recall(own_folder)
}
