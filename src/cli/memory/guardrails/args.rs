//! Arguments of the commands of `elenchus memory` on guardrails alone, and of `elenchus memory guardrails`.

use crate::cli::common::args::{
    ExperimentArgs, JsonLinesArgs, NamespaceArgs, SeedArgs, TOPICS, TopicFilterArgs, flag_parser,
    make_exclusive, parse_at_least_one,
};
use crate::cli::common::completers::complete_models;
use crate::cli::memory::entry_args::{
    MemoryEntriesArgs, MemoryExportArgs, MemoryImportArgs, MemoryShowArgs,
};
use anyhow::Context;
use clap::{ArgAction, Args, Subcommand};
use clap_complete::ArgValueCompleter;
use elenchus_memory::GuardAcceptance;
use elenchus_records::workspace::memory::EarlierDecisions;

/// What is done to guardrails alone.
#[derive(Debug, Subcommand)]
pub enum GuardrailCommand {
    /// Derive guardrails from the lessons of finished debates
    Derive(GuardDeriveArgs),
    /// Report how often guardrails would refuse harmless prompts
    Test(Box<GuardTestArgs>),
    /// Let debates that begin from now on be refused by guardrails
    Accept(GuardAcceptArgs),
    /// Decide against guardrails; they stay listed
    Reject(MemoryEntriesArgs),
    /// Propose accepted or rejected guardrails again
    Reopen(MemoryEntriesArgs),
}

/// `elenchus memory guardrails`: every command as earlier versions had it for guardrails. Help does not list it;
/// scripts go on working.
#[derive(Debug, Subcommand)]
pub enum EarlierGuardrailCommand {
    /// 'memory list --kind guardrail', in the order in which they were proposed
    List(GuardListArgs),
    /// 'memory show'
    Show(MemoryShowArgs),
    /// 'memory add' with the intent as an option
    Add(GuardAddArgs),
    /// 'memory edit' with the intent as an option
    Edit(GuardEditArgs),
    /// 'memory disable'
    Disable(MemoryEntriesArgs),
    /// 'memory enable'
    Enable(MemoryEntriesArgs),
    /// 'memory delete'
    Delete(MemoryEntriesArgs),
    /// 'memory restore'
    Restore(MemoryEntriesArgs),
    /// 'memory export --colang'
    Export(MemoryExportArgs),
    /// 'memory import'
    Import(MemoryImportArgs),
    #[command(flatten)]
    OfGuardrails(GuardrailCommand),
}

/// `elenchus memory guardrails list`
#[derive(Debug, Args)]
pub struct GuardListArgs {
    #[command(flatten)]
    pub place: NamespaceArgs,
    /// Deleted and rejected ones too
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub output: JsonLinesArgs,
}

/// `elenchus memory derive`
#[derive(Debug, Args)]
pub struct GuardDeriveArgs {
    /// Sessions: ids, the beginning or end of one, or 'last'
    #[arg(required_unless_present = "run")]
    pub session: Vec<String>,
    /// From every lesson that a run's debates wrote
    #[arg(long, value_name = "RUN", conflicts_with = "session")]
    pub run: Option<String>,
    /// Of these only N, drawn by --seed; a larger N of the same seed holds a smaller one
    #[arg(long, value_name = "N", requires = "run", value_parser = parse_at_least_one::<usize>)]
    pub sample: Option<usize>,
    /// The draw of --sample
    #[arg(long, value_name = "N", default_value_t = 0, requires = "sample")]
    pub seed: u64,
    /// The model that writes them: guardrail=MODEL [default: that of the debate's guardrail seat, else of its feedback seat]
    #[arg(long, value_name = "guardrail=MODEL", value_parser = parse_writer)]
    pub seat: Option<String>,
    /// Refuse calls that together can cost more than this
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub budget_usd: Option<f64>,
}

/// Reads the seat that writes guardrails, and returns its model.
fn parse_writer(text: &str) -> anyhow::Result<String> {
    let model = text.strip_prefix("guardrail=").map(str::trim);
    let model = model.filter(|model| !model.is_empty());
    model
        .map(str::to_owned)
        .context("only the seat 'guardrail' writes here: give guardrail=MODEL")
}

/// `elenchus memory guardrails add`
#[derive(Debug, Args)]
pub struct GuardAddArgs {
    /// The intent that must be refused, in one line
    #[arg(long, value_name = "TEXT")]
    pub intent: String,
    /// How they may ask (repeatable)
    #[arg(long, value_name = "TEXT", required = true)]
    pub example: Vec<String>,
    #[command(flatten)]
    pub place: NamespaceArgs,
}

/// `elenchus memory accept`
#[derive(Debug, Args)]
pub struct GuardAcceptArgs {
    /// Ids of guardrails, or the beginnings or ends of them
    #[arg(required = true)]
    pub guardrail: Vec<String>,
    /// Accept what was never tested on harmless prompts, or was changed since
    #[arg(long, action = ArgAction::SetTrue, value_parser = flag_parser([GuardAcceptance::ByHand, GuardAcceptance::Untested]))]
    pub untested: GuardAcceptance,
    #[command(flatten)]
    pub place: NamespaceArgs,
}

/// `elenchus memory guardrails edit`
#[derive(Debug, Args)]
pub struct GuardEditArgs {
    /// A guardrail's id, or the beginning or end of one
    pub guardrail: String,
    /// The new intent [default: as it is]
    #[arg(long, value_name = "TEXT", required_unless_present = "example")]
    pub intent: Option<String>,
    /// The new examples, all of them (repeatable) [default: as they are]
    #[arg(long, value_name = "TEXT")]
    pub example: Vec<String>,
    #[command(flatten)]
    pub place: NamespaceArgs,
}

/// `elenchus memory test`
#[derive(Debug, Args)]
#[command(
    defer(|command| make_exclusive(command, "resume", &["namespace"])),
    mut_arg("seed", |seed| seed.help("Draws the sample"))
)]
pub struct GuardTestArgs {
    /// Which guardrails: one is asked alone, several as they would be together [default: each proposed one, alone]
    pub guardrail: Vec<String>,
    /// Prompts with their expected label, as XSTest: [KIND:]FILE
    #[arg(long, value_name = "[KIND:]FILE", required_unless_present = "resume")]
    pub dataset: Option<String>,
    #[command(flatten, next_help_heading = TOPICS)]
    pub topics: TopicFilterArgs,
    #[command(flatten)]
    pub seed: SeedArgs,
    /// The model that decides: that of the debaters who are to be guarded [default: the configured one]
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(complete_models))]
    pub model: Option<String>,
    /// Ask again what was decided in an earlier or stopped test
    #[arg(long, action = ArgAction::SetTrue, value_parser = flag_parser([EarlierDecisions::Reuse, EarlierDecisions::Ignore]))]
    pub again: EarlierDecisions,
    #[command(flatten)]
    pub place: NamespaceArgs,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
}
