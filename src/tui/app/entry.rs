//! Entry of the workbench and exit from it: everything it is started with, and the state it was left in.

use crate::tui::keys::KeyTable;
use crate::tui::popups::CommandLineEntry;
use crate::tui::theme::{Depth, GlyphSet};
use elenchus_annotation::labelling::LabellingWork;
use elenchus_game::debate::{SessionId, TurnId};
use elenchus_run::engine::seats::Seats;
use elenchus_run::engine::{PlayDefaults, RunContext};
use elenchus_run::experiments::ExperimentColumn;
use elenchus_terminal::{Link, Mouse};
use std::path::PathBuf;
use std::sync::Arc;

/// Everything the workbench is started with.
pub struct WorkbenchInputs {
    pub run: RunContext,
    pub defaults: PlayDefaults,
    /// Whether `run.store.person` is a name that the person gave.
    pub annotator: Annotator,
    /// Configuration, in one line.
    pub configured: String,
    /// Where another store has sessions, if this one has none.
    pub elsewhere: Option<String>,
    /// Reads again which models there are.
    pub reread_models: RereadModels,
    /// Folder for changed built-in prompts; `None` where the user has no folder.
    pub prompt_folder: Option<PathBuf>,
    /// Columns of the list of experiments; none where its width says which.
    pub experiment_columns: Vec<ExperimentColumn>,
    /// Folder of the workbench's own files: arrangement and drafts.
    pub own_folder: PathBuf,
    pub keys: KeyTable,
    /// Folders of themes, those that win last.
    pub theme_folders: Vec<PathBuf>,
    /// Folder of a project that nobody approved, whose themes may not lead out of it.
    pub theme_bound: Option<PathBuf>,
    /// The theme that is configured; what a person chose in the workbench wins.
    pub theme: Option<String>,
    /// The theme that was asked for this time.
    pub asked_theme: Option<String>,
    pub depth: Depth,
    pub glyphs: GlyphSet,
    pub link: Link,
    pub in_tmux: bool,
    pub mouse: Mouse,
    pub editor: Option<String>,
    pub pager: Option<String>,
    /// Lists what the command line does.
    pub command_line: fn() -> Vec<CommandLineEntry>,
    /// Screen to open at once.
    pub open: Option<FirstScreen>,
    /// Notice for the person, shown at the start.
    pub notice: Option<String>,
}

/// Whether it is known who labels: the name that is configured or given, or one that is only guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Annotator {
    Named,
    /// The system's user: asked before the first label.
    Unasked,
}

/// What the configuration says of models, which may change while the workbench is open.
#[derive(Clone)]
pub struct ModelChoices {
    pub seats: Arc<Seats>,
    pub defaults: PlayDefaults,
    /// Configuration, in one line.
    pub configured: String,
}

/// Reads the configuration again: what it says of models, where that is something else than it said last; else why
/// it cannot be used. Blocks while it reads.
pub type RereadModels = Arc<dyn Fn() -> Result<Option<ModelChoices>, String> + Send + Sync>;

/// First screen of the workbench.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstScreen {
    /// A session, at a turn where one is named.
    Session(SessionId, Option<TurnId>),
    /// Labelling: nothing that shows verdicts is drawn before it.
    Annotate(LabellingWork),
}

/// State in which the workbench was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkbenchExit {
    /// The session that was open: leaving prints how to come back to it.
    pub session: Option<SessionId>,
    /// The command that goes on with a run, or another experiment, that was played here.
    pub goes_on: Option<String>,
    /// The name that labels were given under last.
    pub annotator: String,
    /// Says whether the terminal can still be printed on.
    pub terminal: ExitReason,
}

/// Reason why the workbench ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    /// A person left, or the process was asked to end.
    Orderly,
    /// The terminal is gone.
    Hangup,
}
