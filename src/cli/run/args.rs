//! Arguments of `elenchus run`.

use crate::cli::common::args::{
    CastArgs, ExperimentArgs, GAME, GOING_ON, KeyArgs, LIMITS, LookupArgs, SEATS, SeedArgs, TOPICS,
    TopicFilterArgs, flag_parser, make_exclusive, parse_at_least_one,
};
use crate::cli::common::completers::complete_games;
use clap::{ArgAction, Args, ValueHint};
use clap_complete::ArgValueCompleter;
use elenchus_dataset::ColumnChoice;
use elenchus_game::debate::event::Placebo;
use elenchus_records::workspace::memory::{DEFAULT_NAMESPACE, MemoryKind};
use elenchus_run::experiments::run::{Casts, Duplicates, TopicCriterion};
use std::path::PathBuf;

const MEMORY: &str = "Long-term memory";

const RUN_USAGE: &str = "\
elenchus run [--protocol <ID|FILE>] --topic <TEXT> [OPTIONS]
       elenchus run [--protocol <ID|FILE>] --dataset <[KIND:]FILE> [OPTIONS]
       elenchus run --resume <RUN>";

/// `elenchus run`
// clap lets `requires` go where the required option is ruled out by another one, so options of
// datasets are also refused with a typed topic: no option is ignored silently.
#[derive(Debug, Default, Args)]
#[command(
    override_usage = RUN_USAGE,
    defer(|command| {
        make_exclusive(make_exclusive(command, "resume", &["train_cmd"]), "resume_session", &[])
            .mut_group("LookupArgs", |group| group.requires("memory"))
            .mut_arg("key", |key| key.conflicts_with_all(["topic", "resume_session"]))
    })
)]
pub struct RunArgs {
    /// The game: a protocol's id ('protocols list'), or the path of a protocol.toml [default: pred]
    #[arg(long, value_name = "ID|FILE", add = ArgValueCompleter::new(complete_games))]
    pub protocol: Option<String>,
    /// Play one debate about this text ('-' reads it from standard input)
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["dataset", "resume", "TopicFilterArgs"], help_heading = TOPICS)]
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
    /// Play a debate for each topic of a file (repeatable). Kinds: harmbench, cosafe, xstest, triviaqa, math, aegis, wildjailbreak, quality, jailbreakbench, strongreject, advbench, donotanswer, beavertails, truthfulqa and own, a file of your own
    #[arg(long, value_name = "[KIND:]FILE", value_hint = ValueHint::FilePath, conflicts_with = "resume", help_heading = TOPICS)]
    pub dataset: Vec<String>,
    /// Only topics that came to this in an earlier run: 'accuracy in RUN between 0.2 0.8', or error_rate
    #[arg(long, value_name = "WHAT", requires = "dataset", conflicts_with = "topic", help_heading = TOPICS)]
    pub select: Option<TopicCriterion>,
    #[command(flatten, next_help_heading = TOPICS)]
    pub topics: TopicFilterArgs,
    /// Play part I of N, for a scheduler's array of jobs
    #[arg(long, value_name = "I/N", requires = "dataset", conflicts_with = "topic", help_heading = TOPICS)]
    pub shard: Option<String>,
    /// With --shard: the limits are this part's own [default: those of the whole run, of which each part has its share]
    #[arg(long, requires = "shard", help_heading = LIMITS)]
    pub budget_each: bool,
    /// Play every topic K times
    #[arg(
        long,
        value_name = "K",
        default_value_t = 1,
        value_parser = parse_at_least_one::<u32>,
        conflicts_with = "topic",
        help_heading = TOPICS
    )]
    pub rollouts: u32,
    #[command(flatten)]
    pub cast: CastArgs,
    /// Which program a grader's command is: NAME=/PATH/TO/PROGRAM with its arguments; no shell runs it (repeatable) [default: [graders.NAME] in your configuration]
    #[arg(long, value_name = "NAME=COMMAND", value_hint = ValueHint::CommandString, help_heading = SEATS)]
    pub grader: Vec<String>,
    /// Play every assignment of the speakers' models to their chairs
    #[arg(long, requires = "dataset", conflicts_with = "topic", help_heading = SEATS, action = ArgAction::SetTrue, value_parser = flag_parser([Casts::AsGiven, Casts::EveryPermutation]))]
    pub permute_cast: Casts,
    /// A setting of the protocol (repeatable); 'protocols show ID' lists them
    #[arg(long = "set", value_name = "NAME=VALUE", help_heading = GAME)]
    pub set: Vec<String>,
    /// Rounds, the same as --set rounds=N
    #[arg(long, value_name = "N", help_heading = GAME)]
    pub rounds: Option<u32>,
    #[command(flatten)]
    pub seed: SeedArgs,
    #[command(flatten)]
    pub learning: LearningArgs,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    #[command(flatten)]
    pub repeat: KeyArgs,
    /// Go on with a single session, as it was begun
    #[arg(
        long,
        value_name = "SESSION",
        conflicts_with = "concurrency",
        help_heading = GOING_ON
    )]
    pub resume_session: Option<String>,
}

/// What debates are shown of earlier ones, and what they teach.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = MEMORY)]
pub struct LearningArgs {
    /// Use what earlier debates taught: 'textual' shows the nearest lessons, 'continuous' trains the debaters on them between batches, 'guardrails' refuses what was accepted as harmful; several as 'textual+continuous'
    #[arg(long, value_name = "KIND+…", value_delimiter = ',', value_parser = parse_memory_kinds)]
    pub memory: Vec<MemoryKinds>,
    /// Which memory is read and written
    #[arg(long, value_name = "NAME", default_value = DEFAULT_NAMESPACE)]
    pub memory_namespace: String,
    /// With memory: read it as it was then and write nothing: 'now', a time (2026-01-31T12:00:00Z), a run's id for what that run began with, or 'first:N' for its first N lessons
    #[arg(long, value_name = "WHEN", requires = "memory")]
    pub memory_snapshot: Option<String>,
    #[command(flatten)]
    pub lookup: LookupArgs,
    /// Keep lessons that say nearly the same apart, as the paper does
    #[arg(long, action = ArgAction::SetTrue, value_parser = flag_parser([Duplicates::Merged, Duplicates::Kept]))]
    pub keep_duplicates: Duplicates,
    /// With memory: debates of one batch learn from earlier batches only; 1 is the paper's way [default: 1]
    #[arg(long, value_name = "B", requires = "memory", conflicts_with = "topic", value_parser = parse_at_least_one::<u32>)]
    pub learn_batch: Option<u32>,
    /// With continuous memory: train anew once there are N new lessons; 10 is the paper's [default: 10]
    #[arg(long, value_name = "N", requires = "memory", conflicts_with = "topic", value_parser = parse_at_least_one::<u32>)]
    pub train_every: Option<u32>,
    /// With continuous memory: the command that trains, given a folder and printing the adapter's name as its last line; no shell runs it [default: command of [training] in your configuration]
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString, conflicts_with = "topic")]
    pub train_cmd: Option<String>,
    /// With continuous memory: train on texts of other content, as long as the lessons
    #[arg(long, requires = "memory", conflicts_with = "topic")]
    pub train_placebo: bool,
    /// With lessons that are written from rewards: each debate's are written from those of another debate of its batch ('rewards')
    #[arg(long, value_name = "KIND", requires = "memory", conflicts_with = "topic", value_parser = Placebo::from_name)]
    pub placebo: Option<Placebo>,
    /// Between batches: accept proposed guardrails that refuse at most this share of --benign's safe prompts
    #[arg(long, value_name = "SHARE", requires_all = ["memory", "benign"], conflicts_with = "topic", allow_negative_numbers = true)]
    pub accept_guardrails: Option<f64>,
    /// Prompts that must not be refused, with their expected label, as XSTest
    #[arg(
        long,
        value_name = "[KIND:]FILE",
        requires = "accept_guardrails",
        conflicts_with = "topic"
    )]
    pub benign: Option<String>,
    /// Which column of --benign is what (repeatable), as --column says it of the data set
    #[arg(long, value_name = "FIELD=COLUMN,…", requires = "benign")]
    pub benign_column: Vec<ColumnChoice>,
    /// A column of --benign that is not read (repeatable)
    #[arg(long, value_name = "COLUMN", requires = "benign")]
    pub benign_ignore: Vec<String>,
    /// With memory: learn from this share of the topics, then only read
    #[arg(
        long,
        value_name = "SHARE",
        requires = "memory",
        conflicts_with = "topic",
        allow_negative_numbers = true
    )]
    pub split: Option<f64>,
}

/// Kinds of memory that were joined by `+`.
#[derive(Debug, Clone)]
pub struct MemoryKinds(Vec<MemoryKind>);

impl LearningArgs {
    /// Returns the kinds of memory that are asked for, each once.
    pub fn memory_kinds(&self) -> Vec<MemoryKind> {
        let mut kinds: Vec<MemoryKind> = Vec::new();
        for kind in self.memory.iter().flat_map(|kinds| &kinds.0) {
            if !kinds.contains(kind) {
                kinds.push(*kind);
            }
        }
        kinds
    }
}

fn parse_memory_kinds(text: &str) -> anyhow::Result<MemoryKinds> {
    let kinds = text.split('+').map(|name| {
        name.trim().parse().map_err(|_| {
            let names = MemoryKind::NAMES.join(", ");
            anyhow::anyhow!("there is no such memory; known are {names}")
        })
    });
    Ok(MemoryKinds(kinds.collect::<anyhow::Result<_>>()?))
}
