//! The command line.

use super::args_counted::CountedArgs;
use super::args_export::ExportArgs;
use super::args_gate::GateArgs;
use super::args_golden::GoldenArgs;
use super::args_judge::JudgeArgs;
use super::args_labels::{AnnotateArgs, LabelsArgs};
use super::args_memory::MemoryArgs;
use super::args_metrics::{FIGURES, MetricsArgs};
use super::args_open::OpenArgs;
use super::args_prompts::PromptsArgs;
use super::args_servers::ServersArgs;
use super::args_trust::TrustArgs;
use super::args_validate::ValidateArgs;
use super::completions::{games, models, seat};
use super::model_names::NamesArgs;
use super::quickstart::QuickstartArgs;
use crate::driver::MemoryKind;
use clap::{Args, Parser, Subcommand, ValueHint};
use clap_complete::ArgValueCompleter;
use std::path::PathBuf;
use std::str::FromStr;

/// Options that every command takes stand below those of its own.
const EVERYWHERE: &str = "Options of every command";
const TOPICS: &str = "What is debated";
const SEATS: &str = "Who plays";
pub(super) const GAME: &str = "How it is played";
const MEMORY: &str = "Long-term memory";
const GOING_ON: &str = "Going on with what was begun";

const RUN_USAGE: &str = "\
elenchus run [--protocol <ID|FILE>] --topic <TEXT> [OPTIONS]
       elenchus run [--protocol <ID|FILE>] --dataset <[KIND:]FILE> [OPTIONS]
       elenchus run --resume <RUN>";

const BEGINNING: &str = "\
To begin, without any server or key:
  elenchus run --protocol pred --topic 'How do I pick a lock?'
  elenchus show last
With a server that speaks the OpenAI chat API:
  elenchus servers add http://127.0.0.1:8000     # --key VARIABLE if it wants one
  elenchus run --protocol pred --topic 'How do I pick a lock?' --model NAME
or, without any file: OPENAI_BASE_URL, and OPENAI_API_KEY if it wants a key";

/// Debates between language models, played, kept and measured.
#[derive(Debug, Parser)]
#[command(name = "elenchus", version, about, max_term_width = 100, after_help = BEGINNING)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    /// Without one the workbench is opened.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options of every command.
#[derive(Debug, Args)]
pub struct Global {
    /// Where sessions are kept [default: ELENCHUS_STORE, 'store' in the nearest .elenchus folder, the user's data folder]
    #[arg(long, global = true, value_name = "FOLDER", help_heading = EVERYWHERE)]
    pub store: Option<PathBuf>,
    /// Write no colour, as NO_COLOR does
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub no_color: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Open the workbench, which 'elenchus' alone does too
    Open(OpenArgs),
    /// Go from a server and a benchmark file to the first labelled turn
    Quickstart(Box<QuickstartArgs>),
    /// Play one debate, or one for each topic of a dataset
    Run(Box<RunArgs>),
    /// List sessions, or runs
    Ls(LsArgs),
    /// Print a session as a readable transcript
    Show(ShowArgs),
    /// Compute error rates, agreement, decisions and cost
    #[command(after_help = FIGURES)]
    Metrics(MetricsArgs),
    /// Judge finished sessions once more, by another evaluator
    Judge(Box<JudgeArgs>),
    /// Hold evaluators against people's labels, and say what that means for rates
    Validate(Box<ValidateArgs>),
    /// Play debate against a single answer on labelled questions
    Golden(GoldenArgs),
    /// Look into what debates were taught, and work on it
    Memory(MemoryArgs),
    /// Label the turns of a queue by hand, one key a label
    Annotate(AnnotateArgs),
    /// Draw what is to be labelled, and see who did how much
    Labels(LabelsArgs),
    /// List, show, compare or check protocols
    Protocols(ProtocolsArgs),
    /// List, render, check and edit prompts, and try another one on a recorded turn
    Prompts(PromptsArgs),
    /// Say whether a question is worth a debate, and what the debate would cost
    Gate(Box<GateArgs>),
    /// Write journals to a folder, or round records to a file
    Export(ExportArgs),
    /// Take journals in, all or none
    Import(ImportArgs),
    /// Check the chains of journals
    Verify(VerifyArgs),
    /// Say what is configured, reachable and missing, and how to mend it
    Doctor(DoctorArgs),
    /// Add, list and remove servers of models
    Servers(ServersArgs),
    /// Say which servers, keys and folders are trusted, and approve others
    Trust(TrustArgs),
    /// Work on the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
}

/// `elenchus run`
// clap lets `requires` go where the required option is ruled out by another one, so options of
// datasets are also refused beside a typed topic: nothing that was asked for is left out in silence.
#[derive(Debug, Default, Args)]
#[command(override_usage = RUN_USAGE)]
pub struct RunArgs {
    /// The game: a protocol's id ('protocols list'), or the path of a protocol.toml [default: pred]
    #[arg(long, value_name = "ID|FILE", add = ArgValueCompleter::new(games))]
    pub protocol: Option<String>,
    /// Print nothing but the ids of what was played
    #[arg(long, short)]
    pub quiet: bool,
    /// Play one debate about this text ('-' reads it from standard input)
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["dataset", "resume"], help_heading = TOPICS)]
    pub topic: Option<String>,
    /// The right answer, for graders alone
    #[arg(long, value_name = "TEXT", requires = "topic", conflicts_with = "dataset", help_heading = TOPICS)]
    pub reference: Option<String>,
    /// A text that seats may read and cite (repeatable)
    #[arg(long, value_name = "FILE", requires = "topic", conflicts_with = "dataset", help_heading = TOPICS)]
    pub document: Vec<PathBuf>,
    /// An answer or position that the topic offers (repeatable)
    #[arg(long, value_name = "TEXT", requires = "topic", conflicts_with = "dataset", help_heading = TOPICS)]
    pub option: Vec<String>,
    /// Play a debate for each topic of a file: [harmbench:|cosafe:|xstest:|triviaqa:|math:|own:]FILE
    #[arg(long, value_name = "[KIND:]FILE", value_hint = ValueHint::FilePath, conflicts_with = "resume", help_heading = TOPICS)]
    pub dataset: Option<String>,
    /// Only topics of this category (repeatable)
    #[arg(long, value_name = "NAME", requires = "dataset", conflicts_with = "topic", help_heading = TOPICS)]
    pub category: Vec<String>,
    /// Only topics of these levels (repeatable), as in MATH: 4,5
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        value_parser = at_least_one::<u8>,
        requires = "dataset",
        conflicts_with = "topic",
        help_heading = TOPICS
    )]
    pub level: Vec<u8>,
    /// Only the first N topics
    #[arg(
        long,
        value_name = "N",
        requires = "dataset",
        conflicts_with_all = ["sample", "topic"],
        help_heading = TOPICS
    )]
    pub limit: Option<usize>,
    /// N topics drawn by the seed
    #[arg(long, value_name = "N", requires = "dataset", conflicts_with = "topic", help_heading = TOPICS)]
    pub sample: Option<usize>,
    /// Play part I of N, for a scheduler's array of jobs
    #[arg(long, value_name = "I/N", requires = "dataset", conflicts_with = "topic", help_heading = TOPICS)]
    pub shard: Option<String>,
    /// Play every topic K times
    #[arg(
        long,
        value_name = "K",
        default_value_t = 1,
        value_parser = at_least_one::<u32>,
        conflicts_with = "topic",
        help_heading = TOPICS
    )]
    pub rollouts: u32,
    #[command(flatten)]
    pub cast: CastArgs,
    #[command(flatten)]
    pub names: NamesArgs,
    /// Play every assignment of the speakers' models to their chairs
    #[arg(long, requires = "dataset", conflicts_with = "topic", help_heading = SEATS)]
    pub permute_cast: bool,
    /// A setting of the protocol (repeatable); 'protocols show ID' lists them
    #[arg(long = "set", value_name = "NAME=VALUE", help_heading = GAME)]
    pub set: Vec<String>,
    /// Rounds, the same as --set rounds=N
    #[arg(long, value_name = "N", help_heading = GAME)]
    pub rounds: Option<u32>,
    /// Every random draw derives from it
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true,
        help_heading = GAME
    )]
    pub seed: u64,
    /// Debates played side by side [default: 16]
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>, help_heading = GAME)]
    pub concurrency: Option<usize>,
    /// Pause before it can cost more than this
    #[arg(long, value_name = "USD", allow_negative_numbers = true, help_heading = GAME)]
    pub budget_usd: Option<f64>,
    #[command(flatten)]
    pub counted: CountedArgs,
    /// Use what earlier debates taught: 'textual' shows the five nearest lessons, 'guardrails' refuses what was accepted as harmful
    #[arg(
        long,
        value_name = "KIND,…",
        value_delimiter = ',',
        value_parser = memory_kind,
        help_heading = MEMORY
    )]
    pub memory: Vec<MemoryKind>,
    /// Which memory is read and written
    #[arg(
        long,
        value_name = "NAME",
        default_value = crate::driver::DEFAULT_NAMESPACE,
        help_heading = MEMORY
    )]
    pub memory_namespace: String,
    /// With memory: read it as it was then and write nothing: 'now', a time (2026-01-31T12:00:00Z), or a run's id for what that run began with
    #[arg(long, value_name = "WHEN", requires = "memory", help_heading = MEMORY)]
    pub memory_snapshot: Option<String>,
    /// Keep lessons that say nearly the same apart, as the paper does
    #[arg(long, help_heading = MEMORY)]
    pub keep_duplicates: bool,
    /// With memory: debates of one batch learn from earlier batches only; 1 is the paper's way [default: 1]
    #[arg(
        long,
        value_name = "B",
        requires = "memory",
        conflicts_with = "topic",
        value_parser = at_least_one::<u32>,
        help_heading = MEMORY
    )]
    pub learn_batch: Option<u32>,
    /// Between batches: accept proposed guardrails that refuse at most this share of --benign's safe prompts
    #[arg(
        long,
        value_name = "SHARE",
        requires_all = ["memory", "benign"],
        conflicts_with = "topic",
        allow_negative_numbers = true,
        help_heading = MEMORY
    )]
    pub accept_guardrails: Option<f64>,
    /// Prompts that must not be refused, with their expected label, as XSTest
    #[arg(
        long,
        value_name = "[KIND:]FILE",
        requires = "accept_guardrails",
        conflicts_with = "topic",
        help_heading = MEMORY
    )]
    pub benign: Option<String>,
    /// With memory: learn from this share of the topics, then only read
    #[arg(
        long,
        value_name = "SHARE",
        requires = "memory",
        conflicts_with = "topic",
        allow_negative_numbers = true,
        help_heading = MEMORY
    )]
    pub split: Option<f64>,
    /// Go on with a run, as it was begun
    #[arg(long, value_name = "RUN", conflicts_with_all = FIXED_AT_THE_BEGINNING, help_heading = GOING_ON)]
    pub resume: Option<String>,
    /// Go on with a single session, as it was begun
    #[arg(
        long,
        value_name = "SESSION",
        conflicts_with_all = FIXED_AT_THE_BEGINNING,
        conflicts_with_all = ["topic", "dataset", "resume", "concurrency"],
        help_heading = GOING_ON
    )]
    pub resume_session: Option<String>,
}

/// What the journal of a run or session says, so that going on with it cannot change it.
const FIXED_AT_THE_BEGINNING: [&str; 23] = [
    "protocol",
    "set",
    "rounds",
    "seed",
    "reference",
    "document",
    "option",
    "category",
    "level",
    "limit",
    "sample",
    "shard",
    "rollouts",
    "permute_cast",
    "memory",
    "memory_namespace",
    "keep_duplicates",
    "memory_snapshot",
    "learn_batch",
    "accept_guardrails",
    "benign",
    "split",
    "CastArgs",
];

pub(super) fn at_least_one<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    text.parse()
        .ok()
        .filter(|count| *count >= T::from(1))
        .ok_or_else(|| "a whole number of at least 1 is needed".to_owned())
}

/// Who sits where.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = SEATS)]
pub struct CastArgs {
    /// A cast file (TOML): model = "…" and [seats.NAME] with model or models, persona
    #[arg(long, value_name = "FILE")]
    pub cast: Option<PathBuf>,
    /// The model of every seat that is not named
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(models))]
    pub model: Option<String>,
    /// Models of a seat: one, or one for each chair (repeatable); or 'human', 'recorded:SESSION', 'fixed:FILE', 'said:SESSION|RUN'
    #[arg(long = "seat", value_name = "SEAT=MODEL[,MODEL…]", add = ArgValueCompleter::new(seat))]
    pub seat: Vec<String>,
    /// Models of the seat 'debater'
    #[arg(long, value_name = "MODEL,…", value_delimiter = ',', add = ArgValueCompleter::new(models))]
    pub debaters: Vec<String>,
    /// Model of the seat 'evaluator' [default: as every seat, so that one model judges itself]; a known guard (Llama Guard, Qwen3Guard ...) is asked in its own format
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(models))]
    pub evaluator: Option<String>,
    /// Model of the seat 'feedback'
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(models))]
    pub feedback: Option<String>,
    /// Model of the seat 'socratic'
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(models))]
    pub socratic: Option<String>,
    /// Model of the seat 'angel'
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(models))]
    pub angel: Option<String>,
    /// Model of the seat 'devil'
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(models))]
    pub devil: Option<String>,
    /// Model of the seat 'proposer'
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(models))]
    pub proposer: Option<String>,
    /// Model of the seat 'critic'
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(models))]
    pub critic: Option<String>,
    /// Model of the seat 'judge'
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(models))]
    pub judge: Option<String>,
}

fn memory_kind(text: &str) -> Result<MemoryKind, String> {
    MemoryKind::read(text.trim()).ok_or_else(|| {
        let known: Vec<&str> = MemoryKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("there is no such memory; known are {}", known.join(" and "))
    })
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
    /// As JSON: the events, one a line; with --views the prompt of each reply beside it
    #[arg(long, conflicts_with = "private")]
    pub json: bool,
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
    /// Say which levers differ between two games
    Diff(DiffArgs),
    /// Write down the hashes of a game's files as they are now
    Pin(PinArgs),
    /// Check a protocol file with its templates and rubrics
    Check {
        /// The path of a protocol.toml, or a protocol's id
        file: String,
    },
}

/// `elenchus protocols diff`
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// A protocol's id, 'built-in:ID', or the path of a protocol.toml
    pub a: String,
    /// The game that is set against it; the same one with other settings will do
    pub b: String,
    /// A setting of the first game (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    pub set_a: Vec<String>,
    /// A setting of the second game (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    pub set_b: Vec<String>,
    /// Print prompts that differ, line by line
    #[arg(long)]
    pub prompts: bool,
    /// As JSON
    #[arg(long, conflicts_with = "prompts")]
    pub json: bool,
}

/// `elenchus protocols pin`
#[derive(Debug, Args)]
pub struct PinArgs {
    /// A protocol's id, or the path of a protocol.toml
    pub id: String,
    /// Write into the nearest project's prompts instead of the user's own
    #[arg(long)]
    pub project: bool,
    /// Pin every template, rubric and list of the game, not only those that must be
    #[arg(long)]
    pub all: bool,
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
    /// Go on without what is lost of them, and say what that is: an end that was cut off or is
    /// broken, a journal that is gone. No journal is touched
    #[arg(long)]
    pub accept: bool,
    /// Build the cache anew from the journals
    #[arg(long)]
    pub repair_cache: bool,
}

/// `elenchus doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Contact the configured servers and the usual loopback ports, and ask a model of each
    /// configured server for at most 16 tokens (where a key is needed, only a configured model)
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
