//! Services: what tasks of screens share with each other; with those tasks, the one place of the workbench
//! that touches the rooms below and files.
//!
//! Nothing here blocks the loop: reading and waiting run on tasks, which report their results.
//!
//! | file | content |
//! |---|---|
//! | `session_reading` | reads and follows sessions |
//! | `live_sessions` | commands, forks and new debates for screens |
//! | `runs` | runs and other experiments in the background |
//! | `unblinding` | what a person was shown |
//! | `own_files` | drafts, arrangement, copies, texts for the person's editor |

mod comparisons;
mod heap;
mod live_sessions;
mod own_files;
mod runs;
mod session_reading;
mod unblinding;

use super::broadcast::{Broadcast, NameOf};
use super::drawing::Dirty;
use super::entry::{Annotator, ModelChoices, RereadModels, WorkbenchInputs};
use super::task::Delivery;
use crate::tui::theme::Role;
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::annotations::{AnnotationJournal, ShownHere};
use elenchus_records::workspace::{FileWriter, IndexTurns, StoreContext, StoreIndex};
use elenchus_run::drafts::prompt_ab::RunningComparisons;
use elenchus_run::engine::live::LiveEvent;
use elenchus_run::engine::{LiveSessions, PlayDefaults, RunContext};
use elenchus_run::experiments::{
    ExperimentColumn, ExperimentContext, NoExperimentObserver, StopSignal,
};
pub(crate) use heap::release_free_memory;
pub use live_sessions::TakenSession;
pub(crate) use live_sessions::{begin_debate, fork_session};
pub use own_files::EditError;
pub(crate) use own_files::read_ui_state;
pub(super) use own_files::{edit_in_editor, write_copy};
pub(crate) use session_reading::read_and_follow;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Mutex, OwnedRwLockReadGuard, RwLock};
use tokio_util::sync::CancellationToken;
pub(super) use unblinding::ShownVerdicts;
pub(crate) use unblinding::record_listing;

/// Longest wait for what is paid for when the program ends.
const RESTS_WITHIN: Duration = Duration::from_millis(700);

/// What tasks work with; clones share it. What the context of play has is read as its own.
#[derive(Clone)]
pub struct Services {
    pub(crate) run: RunContext,
    pub(crate) defaults: PlayDefaults,
    /// Configuration, in one line.
    pub(crate) configured: String,
    /// Where another store has sessions, if this one has none.
    pub(crate) elsewhere: Option<String>,
    reread_models: RereadModels,
    /// Folder for changed built-in prompts; `None` where the user has no folder.
    pub(crate) prompt_folder: Option<PathBuf>,
    /// Columns of the list of experiments; none where its width says which.
    pub(crate) experiment_columns: Vec<ExperimentColumn>,
    /// Folder of the workbench's own files: arrangement and drafts.
    own_folder: PathBuf,
    /// Whether the person has said under which name labels are given.
    annotator: Annotator,
    /// Who sits here: debates, prompts and memory are changed under this name. Labels, notes and what was seen are
    /// under that of the store, which is another one while somebody else labels here.
    user: String,
    /// Sessions that this process has taken.
    pub(crate) live: LiveSessions,
    delivery_sender: UnboundedSender<Delivery>,
    /// Journal of the person's annotations, once it was opened.
    pub(crate) annotations: Arc<Mutex<Option<AnnotationJournal>>>,
    pub(crate) index_turns: IndexTurns,
    /// Prompt comparisons that this process plays.
    pub(crate) comparisons: RunningComparisons,
    /// What this workbench has shown. Held while that is being recorded: no label is given, and nothing is said to be
    /// blind, before it is durable.
    pub(crate) shown_here: Arc<Mutex<ShownHere>>,
    files: Arc<FileWriter>,
    /// Cancelled when the program ends.
    closing: CancellationToken,
    /// Read by what must come to rest before the program ends.
    open_work: Arc<RwLock<()>>,
    /// What is delivered follows what others write into the store.
    is_watching: bool,
}

impl Deref for Services {
    type Target = RunContext;

    fn deref(&self) -> &RunContext {
        &self.run
    }
}

impl Services {
    /// Services that report on two channels: for sessions in play, and for everything else.
    pub(super) fn new(
        start: &WorkbenchInputs,
        live_sender: UnboundedSender<(SessionId, LiveEvent)>,
        delivery_sender: UnboundedSender<Delivery>,
    ) -> Self {
        Self {
            run: start.run.clone(),
            defaults: start.defaults.clone(),
            configured: start.configured.clone(),
            elsewhere: start.elsewhere.clone(),
            reread_models: Arc::clone(&start.reread_models),
            prompt_folder: start.prompt_folder.clone(),
            experiment_columns: start.experiment_columns.clone(),
            own_folder: start.own_folder.clone(),
            annotator: start.annotator,
            user: start.run.store.person.clone(),
            live: LiveSessions::new(live_sender, start.defaults.budget_usd),
            delivery_sender,
            annotations: Arc::default(),
            index_turns: IndexTurns::default(),
            comparisons: RunningComparisons::default(),
            shown_here: Arc::default(),
            files: Arc::new(FileWriter::start()),
            closing: CancellationToken::new(),
            open_work: Arc::default(),
            is_watching: false,
        }
    }

    /// Returns services whose deliveries follow what others write into the store.
    pub(super) fn to_watching(&self) -> Self {
        Self {
            is_watching: true,
            ..self.clone()
        }
    }

    /// Delivers something to the workbench, which may have been left: then nobody wants to know.
    pub(super) fn send_delivery(&self, delivery: Delivery) {
        let delivery = match delivery {
            Delivery::Message { to, message, .. } if self.is_watching => Delivery::Message {
                to,
                message,
                dirty: Dirty::Watched,
            },
            delivery => delivery,
        };
        let _ = self.delivery_sender.send(delivery);
    }

    /// Says something on the status line.
    pub(crate) fn show_message(&self, role: Role, text: String) {
        self.send_delivery(Delivery::Say(role, text));
    }

    /// Tells all screens.
    pub(super) fn broadcast(&self, news: Broadcast) {
        self.send_delivery(Delivery::All(news));
    }

    /// Whatever begins from now on has these models to choose from.
    pub(super) fn take_models(&mut self, choices: &ModelChoices) {
        self.run.seats = Arc::clone(&choices.seats);
        self.defaults = choices.defaults.clone();
        self.configured.clone_from(&choices.configured);
    }

    /// Reads the configuration again, and returns services with the models that it has now. Where it cannot be used
    /// they stay as they were, and why is said.
    pub(crate) async fn with_models_of_now(&self) -> Self {
        let reread = Arc::clone(&self.reread_models);
        let mut services = self.clone();
        match tokio::task::spawn_blocking(move || reread()).await {
            Ok(Ok(Some(choices))) => {
                services.take_models(&choices);
                self.send_delivery(Delivery::Models(Box::new(choices)));
            }
            Ok(Err(why)) => self.show_message(
                Role::Warning,
                format!("the models stay as they were, the configuration cannot be used: {why}"),
            ),
            Ok(Ok(None)) | Err(_) => {}
        }
        services
    }

    /// Labels are this person's from now on, who has seen what was shown here so far.
    pub(super) fn set_annotator(&mut self, name: String) {
        self.run.store.person.clone_from(&name);
        let whose = match self.annotator {
            Annotator::Unasked => NameOf::User,
            Annotator::Named => NameOf::Annotator,
        };
        if whose == NameOf::User {
            self.user.clone_from(&name);
        }
        self.annotator = Annotator::Named;
        // Another person's journal is opened.
        self.annotations = Arc::default();
        unblinding::hand_over_shown(self);
        self.broadcast(Broadcast::Annotator(name, whose));
    }

    /// Returns what debates are played and changed with, under the name of who sits here.
    pub(crate) fn as_user(&self) -> RunContext {
        let mut run = self.run.clone();
        run.store.person.clone_from(&self.user);
        run
    }

    /// Returns the name to propose where nobody has said yet under which name labels are given; `None`
    /// where somebody has.
    pub(crate) fn propose_annotator(&self) -> Option<String> {
        match self.annotator {
            Annotator::Named => None,
            Annotator::Unasked => Some(self.run.store.person.clone()),
        }
    }

    /// Keeps the program from ending while the guard is held, for a moment at most.
    async fn delay_exit(&self) -> OwnedRwLockReadGuard<()> {
        Arc::clone(&self.open_work).read_owned().await
    }

    /// Does work that is paid for: when the program ends, `stop` is cancelled and the work is waited for.
    pub(crate) async fn run_until_exit<T>(
        self,
        stop: CancellationToken,
        work: impl Future<Output = T>,
    ) -> T {
        let _exit_guard = self.delay_exit().await;
        let mut work = std::pin::pin!(work);
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = self.closing.cancelled() => stop.cancel(),
        }
        work.await
    }

    /// Ends everything that is going on: what had come is durable when this returns.
    pub(super) async fn close(self) {
        self.closing.cancel();
        let _ = tokio::time::timeout(RESTS_WITHIN, self.open_work.write()).await;
        // A label that was on its way is given, and what was shown is recorded.
        drop(self.annotations.lock().await);
        drop(self.shown_here.lock().await);
        self.live.close_all().await;
        // Entries that are being written are kept, and so are drafts.
        self.index_turns.close().await;
        self.files.close();
    }

    /// Does work with what is read of the store's index; `None` where that panicked. The index is not held
    /// while the work reads journals.
    pub(crate) async fn with_index<T: Send + 'static>(
        &self,
        read: fn(&StoreContext) -> StoreIndex,
        work: impl FnOnce(&Services, &StoreIndex) -> T + Send + 'static,
    ) -> Option<T> {
        let (services, store) = (self.clone(), self.store.clone());
        let work = move |index: &StoreIndex| work(&services, index);
        self.index_turns.with_index(store, read, work).await
    }

    /// Returns what an experiment is performed with beside the screens: no person is asked in it.
    pub(crate) fn experiment_context(&self, stop: StopSignal) -> ExperimentContext {
        let observer = Arc::new(NoExperimentObserver);
        ExperimentContext::without_people(self.run.clone(), observer, stop)
            .with_concurrency(self.defaults.concurrency)
    }

    /// Returns the sessions that this process has taken.
    pub(crate) fn locked_sessions(&self) -> BTreeSet<SessionId> {
        self.live.session_ids()
    }
}
