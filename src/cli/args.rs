//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Debates between language models, played, kept and measured.
#[derive(Debug, Parser)]
#[command(name = "elenchus", version, about, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
pub struct Global {
    /// Where sessions are kept [default: ELENCHUS_STORE, the nearest .elenchus/store, the user's data folder]
    #[arg(long, global = true, value_name = "FOLDER")]
    pub store: Option<PathBuf>,
    /// Write no colour, as NO_COLOR does
    #[arg(long, global = true)]
    pub no_color: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Play one debate, or one for each topic of a dataset
    Run(Box<RunArgs>),
    /// List sessions, or runs
    Ls(LsArgs),
    /// Print a session as a readable transcript
    Show(ShowArgs),
    /// Compute error rates, agreement, decisions and cost
    Metrics(MetricsArgs),
    /// List, show or check protocols
    Protocols(ProtocolsArgs),
    /// Write journals to a folder
    Export(ExportArgs),
    /// Take journals in, all or none
    Import(ImportArgs),
    /// Check the chains of journals
    Verify(VerifyArgs),
    /// Say what is configured, reachable and missing, and how to mend it
    Doctor(DoctorArgs),
    /// Work on the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
}

/// What a run or session is begun with, and keeps: none of it goes with resuming one.
const BEGINNING: [&str; 12] = [
    "protocol",
    "topic",
    "dataset",
    "set",
    "rounds",
    "seed",
    "rollouts",
    "permute_cast",
    "memory",
    "memory_namespace",
    // The group of all its flags.
    "CastArgs",
    "shard",
];

/// `elenchus run`
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The game: a protocol's id ('protocols list'), or the path of a protocol.toml
    #[arg(long, value_name = "ID|FILE")]
    pub protocol: Option<String>,
    /// Play one debate about this text ('-' reads it from standard input)
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["dataset", "resume"])]
    pub topic: Option<String>,
    /// The right answer, for graders alone
    #[arg(long, value_name = "TEXT", requires = "topic")]
    pub reference: Option<String>,
    /// A text that seats may read and cite (repeatable)
    #[arg(long, value_name = "FILE", requires = "topic")]
    pub document: Vec<PathBuf>,
    /// Play a debate for each topic of a file: [harmbench:|cosafe:|own:]FILE
    #[arg(long, value_name = "[KIND:]FILE", conflicts_with = "resume")]
    pub dataset: Option<String>,
    /// Only topics of this category (repeatable)
    #[arg(long, value_name = "NAME", requires = "dataset")]
    pub category: Vec<String>,
    /// Only the first N topics
    #[arg(
        long,
        value_name = "N",
        requires = "dataset",
        conflicts_with = "sample"
    )]
    pub limit: Option<usize>,
    /// N topics drawn by the seed
    #[arg(long, value_name = "N", requires = "dataset")]
    pub sample: Option<usize>,
    #[command(flatten)]
    pub cast: CastArgs,
    /// A setting of the protocol (repeatable); 'protocols show ID' lists them
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Rounds, the same as --set rounds=N
    #[arg(long, value_name = "N")]
    pub rounds: Option<u32>,
    /// Debates played side by side [default: 16]
    #[arg(long, value_name = "N")]
    pub concurrency: Option<usize>,
    /// Pause the run before it can cost more than this
    #[arg(long, value_name = "USD")]
    pub budget_usd: Option<f64>,
    /// Play every topic K times
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub rollouts: u32,
    /// Play every assignment of the speakers' models to their chairs
    #[arg(long)]
    pub permute_cast: bool,
    /// Play part I of N, for a scheduler's array of jobs
    #[arg(long, value_name = "I/N", requires = "dataset")]
    pub shard: Option<String>,
    /// Long-term memory: lessons of earlier debates are shown, and new ones kept
    #[arg(long, value_name = "KIND", value_enum)]
    pub memory: Option<MemoryKind>,
    /// Which memory is read and written
    #[arg(long, value_name = "NAME", default_value = crate::driver::DEFAULT_NAMESPACE)]
    pub memory_namespace: String,
    /// With memory: debates of one batch learn from earlier batches only; 1 is the paper's way [default: 1]
    #[arg(long, value_name = "B", requires = "memory")]
    pub learn_batch: Option<u32>,
    /// With memory: learn from this share of the topics, then only read
    #[arg(long, value_name = "SHARE", requires = "memory")]
    pub split: Option<f64>,
    /// Every random draw derives from it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Go on with a run
    #[arg(long, value_name = "RUN", conflicts_with_all = BEGINNING)]
    pub resume: Option<String>,
    /// Go on with a single session
    #[arg(long, value_name = "SESSION", conflicts_with = "resume", conflicts_with_all = BEGINNING)]
    pub resume_session: Option<String>,
    /// Print nothing but the ids of what was played
    #[arg(long, short)]
    pub quiet: bool,
}

/// Who sits where.
#[derive(Debug, Args)]
pub struct CastArgs {
    /// A cast file (TOML): model = "…" and [seats.NAME] with model or models, persona
    #[arg(long, value_name = "FILE")]
    pub cast: Option<PathBuf>,
    /// The model of every seat that is not named
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Models of a seat: one, or one for each chair (repeatable); 'human' puts a person there
    #[arg(long = "seat", value_name = "SEAT=MODEL[,MODEL…]")]
    pub seat: Vec<String>,
    /// Models of the seat 'debater'
    #[arg(long, value_name = "MODEL,…", value_delimiter = ',')]
    pub debaters: Vec<String>,
    /// Model of the seat 'evaluator'
    #[arg(long, value_name = "MODEL")]
    pub evaluator: Option<String>,
    /// Model of the seat 'feedback'
    #[arg(long, value_name = "MODEL")]
    pub feedback: Option<String>,
    /// Model of the seat 'socratic'
    #[arg(long, value_name = "MODEL")]
    pub socratic: Option<String>,
    /// Model of the seat 'angel'
    #[arg(long, value_name = "MODEL")]
    pub angel: Option<String>,
    /// Model of the seat 'devil'
    #[arg(long, value_name = "MODEL")]
    pub devil: Option<String>,
    /// Model of the seat 'proposer'
    #[arg(long, value_name = "MODEL")]
    pub proposer: Option<String>,
    /// Model of the seat 'critic'
    #[arg(long, value_name = "MODEL")]
    pub critic: Option<String>,
    /// Model of the seat 'judge'
    #[arg(long, value_name = "MODEL")]
    pub judge: Option<String>,
}

/// Kinds of long-term memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MemoryKind {
    /// Lessons as text, the five nearest to the topic
    Textual,
}

/// `elenchus ls`
#[derive(Debug, Args)]
pub struct LsArgs {
    /// List runs instead of sessions
    #[arg(long)]
    pub runs: bool,
    /// Only sessions of this run
    #[arg(long, value_name = "RUN", conflicts_with = "runs")]
    pub run: Option<String>,
    /// Only sessions of this protocol
    #[arg(long, value_name = "ID", conflicts_with = "runs")]
    pub protocol: Option<String>,
    /// At most N, the newest [default: all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// As JSON, one object a line
    #[arg(long)]
    pub json: bool,
}

/// `elenchus show`
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A session's id, or the beginning or end of one; 'last' is the newest
    pub session: String,
    /// Show private reasoning and thinking too
    #[arg(long)]
    pub private: bool,
    /// Show what each seat was shown, with where each part came from
    #[arg(long)]
    pub views: bool,
    /// As JSON: the events, one a line
    #[arg(long, conflicts_with_all = ["private", "views"])]
    pub json: bool,
}

/// `elenchus metrics`
#[derive(Debug, Args)]
pub struct MetricsArgs {
    /// Only sessions of these runs
    #[arg(long, value_name = "RUN")]
    pub run: Vec<String>,
    /// Only these sessions
    #[arg(long, value_name = "SESSION")]
    pub session: Vec<String>,
    /// Only this protocol
    #[arg(long, value_name = "ID")]
    pub protocol: Option<String>,
    /// Apart by: protocol, arm, seat, category, round, checkpoint, length (comma-separated)
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',')]
    pub by: Vec<String>,
    /// Count turns that a person wrote, edited or chose too
    #[arg(long)]
    pub with_people: bool,
    /// Seed of the resampling
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// As JSON
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// As CSV
    #[arg(long)]
    pub csv: bool,
}

/// `elenchus protocols`
#[derive(Debug, Args)]
pub struct ProtocolsArgs {
    #[command(subcommand)]
    pub command: ProtocolsCommand,
}

/// What can be done with protocols.
#[derive(Debug, Subcommand)]
pub enum ProtocolsCommand {
    /// List the protocols
    List,
    /// Show a protocol: its round, who sees what, its settings
    Show {
        /// A protocol's id
        id: String,
        /// A setting (repeatable)
        #[arg(long = "set", value_name = "NAME=VALUE")]
        set: Vec<String>,
        /// Print the file instead
        #[arg(long)]
        raw: bool,
    },
    /// Check a protocol file with its templates and rubrics
    Check {
        /// The path of a protocol.toml, or a protocol's id
        file: String,
    },
}

/// `elenchus export`
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Sessions; all of them when none is named
    pub session: Vec<String>,
    /// All sessions of a run, and its journal
    #[arg(long, value_name = "RUN")]
    pub run: Vec<String>,
    /// The folder to write to
    #[arg(long, short, value_name = "FOLDER")]
    pub output: PathBuf,
}

/// `elenchus import`
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Journals, or folders that 'export' wrote
    #[arg(required = true)]
    pub path: Vec<PathBuf>,
}

/// `elenchus verify`
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Journals; the whole store when none is named
    pub file: Vec<PathBuf>,
    /// Build the cache anew from the journals
    #[arg(long)]
    pub repair_cache: bool,
}

/// `elenchus doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Contact the configured servers and the usual loopback ports
    #[arg(long)]
    pub probe: bool,
}

/// `elenchus config`
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Write a commented configuration to start from
    Init(ConfigInitArgs),
}

/// `elenchus config init`
#[derive(Debug, Args)]
pub struct ConfigInitArgs {
    /// Write ./.elenchus/config.toml instead of the user's own
    #[arg(long)]
    pub project: bool,
}

/// `elenchus completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}
