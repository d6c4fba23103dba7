//! Arguments of `elenchus memory`.

use super::entry_args::{MemoryEntriesArgs, MemoryExportArgs, MemoryImportArgs, MemoryShowArgs};
use super::guardrails::{EarlierGuardrailCommand, GuardrailCommand};
use crate::cli::common::args::{
    ExperimentArgs, GAME, GOING_ON, JsonLinesArgs, KeyArgs, LookupArgs, NamespaceArgs, SeedArgs,
    make_exclusive, parse_at_least_one,
};
use clap::{Args, Subcommand, ValueEnum};
use elenchus_memory::EntryKind;
use std::path::PathBuf;

const PAIRED_SEED: &str =
    "Every random draw derives from it; both debates of a pair have the same draws";

/// What can be done with long-term memory.
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// List lessons, guardrails or both, the newest first
    List(MemoryListArgs),
    /// Find entries by meaning, or see what a debate would be shown
    Search(MemorySearchArgs),
    /// Show an entry: its texts, its tests, the debates that used it
    Show(MemoryShowArgs),
    /// Write a lesson of your own, or a guardrail
    Add(MemoryAddArgs),
    /// Give an entry a new text; earlier ones stay readable
    Edit(MemoryEditArgs),
    /// Keep entries from debates; they stay listed
    Disable(MemoryEntriesArgs),
    /// Take 'disable' back, or let in what came with an import
    Enable(MemoryEnableArgs),
    /// Take entries off the list; 'restore' brings them back
    Delete(MemoryEntriesArgs),
    /// Bring deleted entries back
    Restore(MemoryEntriesArgs),
    /// Write a namespace to a file, or its guardrails as Colang
    Export(MemoryExportArgs),
    /// Take in what 'memory export' wrote, or files of other tools
    Import(MemoryImportArgs),
    #[command(flatten)]
    OfGuardrails(GuardrailCommand),
    /// These commands as earlier versions had them for guardrails alone
    #[command(subcommand, hide = true)]
    Guardrails(EarlierGuardrailCommand),
    /// Repeat a recorded debate with and without one entry
    Ablate(Box<MemoryAblateArgs>),
    /// Bring the sentence model that memory is searched with
    ///
    /// ONNX Runtime comes with it, and both are tried out; where nothing can be fetched it says what to copy where.
    Setup(MemorySetupArgs),
}

impl MemoryCommand {
    /// Returns the command on guardrails alone that it is, in either form.
    pub fn guardrail_command(&self) -> Option<&GuardrailCommand> {
        match self {
            Self::OfGuardrails(command)
            | Self::Guardrails(EarlierGuardrailCommand::OfGuardrails(command)) => Some(command),
            _ => None,
        }
    }
}

/// Kinds of entries that are listed or searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ListedKinds {
    #[default]
    Lesson,
    Guardrail,
    All,
}

impl ListedKinds {
    pub fn entry_kinds(self) -> &'static [EntryKind] {
        match self {
            ListedKinds::Lesson => &[EntryKind::Lesson],
            ListedKinds::Guardrail => &[EntryKind::Guardrail],
            ListedKinds::All => &[EntryKind::Lesson, EntryKind::Guardrail],
        }
    }
}

/// `elenchus memory list`
#[derive(Debug, Args)]
pub struct MemoryListArgs {
    #[command(flatten)]
    pub place: NamespaceArgs,
    /// Which entries
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    pub kind: ListedKinds,
    /// Deleted entries and rejected guardrails too
    #[arg(long)]
    pub all: bool,
    /// List the namespaces instead
    #[arg(long, conflicts_with_all = ["namespace", "kind", "all", "limit"])]
    pub namespaces: bool,
    /// At most N, the newest [default: all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub output: JsonLinesArgs,
}

/// `elenchus memory search`
#[derive(Debug, Args)]
#[command(defer(|command| {
    command.mut_group("LookupArgs", |group| group.requires("as_topic"))
}))]
pub struct MemorySearchArgs {
    /// What is looked for; '-' reads it from standard input
    pub query: String,
    #[command(flatten)]
    pub place: NamespaceArgs,
    /// Take the text for a topic: look up, leave out and put in the view as a debate about it would, guardrails too
    #[arg(long, conflicts_with = "limit")]
    pub as_topic: bool,
    /// With --as-topic: the game that shows it [default: the configured one, else pred]
    #[arg(long, value_name = "ID|FILE", requires = "as_topic")]
    pub protocol: Option<String>,
    #[command(flatten)]
    pub lookup: LookupArgs,
    /// Which entries
    #[arg(
        long,
        value_enum,
        value_name = "KIND",
        default_value_t,
        conflicts_with = "as_topic"
    )]
    pub kind: ListedKinds,
    /// At most N, the best
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_at_least_one::<usize>)]
    pub limit: usize,
    #[command(flatten)]
    pub output: JsonLinesArgs,
}

/// `elenchus memory enable`
#[derive(Debug, Args)]
pub struct MemoryEnableArgs {
    /// Ids of entries, or the beginnings or ends of them
    #[arg(required_unless_present = "imported")]
    pub entry: Vec<String>,
    /// All entries that came disabled with an import and wait to be accepted
    #[arg(long, conflicts_with = "entry")]
    pub imported: bool,
    #[command(flatten)]
    pub place: NamespaceArgs,
}

/// `elenchus memory add`
#[derive(Debug, Args)]
pub struct MemoryAddArgs {
    /// The text; '-' reads it from standard input. Without it $VISUAL or $EDITOR is opened
    pub text: Option<String>,
    /// Make it a guardrail: the text is an intent that must be refused, and this is how they may ask (repeatable)
    #[arg(long, value_name = "TEXT", requires = "text")]
    pub example: Vec<String>,
    #[command(flatten)]
    pub place: NamespaceArgs,
}

/// `elenchus memory edit`
#[derive(Debug, Args)]
pub struct MemoryEditArgs {
    /// An entry's id, or the beginning or end of one
    pub entry: String,
    /// The new text, or a guardrail's new intent; '-' reads it from standard input. Without it $VISUAL or $EDITOR is opened
    pub text: Option<String>,
    /// A guardrail's new examples, all of them (repeatable) [default: as they are]
    #[arg(long, value_name = "TEXT")]
    pub example: Vec<String>,
    #[command(flatten)]
    pub place: NamespaceArgs,
}

/// `elenchus memory ablate`
#[derive(Debug, Args)]
#[command(
    mut_arg("seed", |seed| seed.help(PAIRED_SEED)),
    mut_arg("key", |key| key.conflicts_with("show")),
    defer(|command| make_exclusive(command, "resume", &["seed"]))
)]
pub struct MemoryAblateArgs {
    /// A debate that was shown the entry: its id, the beginning or end of one, or 'last'
    #[arg(required_unless_present_any = ["resume", "show"])]
    pub session: Option<String>,
    /// The entry to leave out: its id, or the beginning or end of one
    #[arg(long, value_name = "ID", required_unless_present_any = ["resume", "show"])]
    pub entry: Option<String>,
    /// Pairs of debates, one with and one without the entry
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = parse_at_least_one::<u32>, help_heading = GAME)]
    pub replicates: u32,
    /// Rounds of every replicate [default: as many as the debate had]
    #[arg(long, value_name = "N", value_parser = parse_at_least_one::<u32>, help_heading = GAME)]
    pub rounds: Option<u32>,
    #[command(flatten)]
    pub seed: SeedArgs,
    /// Show the results of replicates again
    #[arg(
        long,
        value_name = "RUN",
        conflicts_with_all = ["session", "entry", "rounds", "resume", "estimate", "BudgetArgs", "concurrency"],
        help_heading = GOING_ON
    )]
    pub show: Option<String>,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    #[command(flatten)]
    pub repeat: KeyArgs,
}

/// `elenchus memory setup`
#[derive(Debug, Args)]
pub struct MemorySetupArgs {
    /// Copy the model from this folder instead of fetching it
    #[arg(long, value_name = "DIR", conflicts_with_all = ["model", "model_url", "again", "sha256"])]
    pub from: Option<PathBuf>,
    /// Another model, as its hub calls it; its token vectors are pooled by their mean [default: Qdrant/all-MiniLM-L6-v2-onnx]
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Fetch it even when it is there
    #[arg(long)]
    pub again: bool,
    /// Refuse a model.onnx that does not have this checksum
    #[arg(long, value_name = "HEX")]
    pub sha256: Option<String>,
    /// Fetch the model's files from this address, as of a mirror; its name stands for {model} [default: https://huggingface.co/{model}/resolve/main]
    #[arg(long, value_name = "URL")]
    pub model_url: Option<String>,
    /// Fetch ONNX Runtime from this archive (.whl, .zip or .tgz) [default: the maker's package of version 1.24.4, by its checksum]
    #[arg(long, value_name = "URL")]
    pub runtime_url: Option<String>,
}
