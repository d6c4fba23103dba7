//! Arguments of `elenchus judge`.

use crate::cli::common::args::{
    ExperimentArgs, JsonLinesArgs, KeyArgs, SessionFilterArgs, make_exclusive,
};
use crate::cli::common::completers::complete_models;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use clap_complete::ArgValueCompleter;
use elenchus_game::debate::protocol::Detector;
use std::path::PathBuf;

const WHAT: &str = "What is judged";
const BY_WHOM: &str = "By whom";
const BY_BATCH: &str = "By batch files";

const USAGE: &str = "\
elenchus judge <SESSIONS> --rubric <ID> --model <MODEL>
       elenchus judge <SESSIONS> --detector <NAME>
       elenchus judge <SESSIONS> --replace-critique <CRITIQUE,…> --model <MODEL>
       elenchus judge --detector spurious --check [FILE]
       elenchus judge <SESSIONS> --orders both --model <MODEL>
       elenchus judge --resume <PASS>
       elenchus judge … --batch-out <FILE>
       elenchus judge --resume <PASS> --batch-in <FILE>
       elenchus judge list

SESSIONS: --all, --session …, --run … or --protocol …";

/// `elenchus judge`
#[derive(Debug, Args)]
#[command(
    override_usage = USAGE,
    args_conflicts_with_subcommands = true,
    defer(|command| make_exclusive(command, "resume", &[]))
)]
pub struct JudgeArgs {
    #[command(subcommand)]
    pub command: Option<JudgeCommand>,
    /// Every session of the store
    #[arg(long, conflicts_with_all = ["session", "run", "protocol"], help_heading = WHAT)]
    pub all: bool,
    #[command(flatten, next_help_heading = WHAT)]
    pub sessions: SessionFilterArgs,
    /// Only sessions of this protocol
    #[arg(long, value_name = "ID", help_heading = WHAT)]
    pub protocol: Option<String>,
    /// A rubric of the library (repeatable: an ensemble)
    #[arg(long, value_name = "ID", requires = "model", help_heading = BY_WHOM)]
    pub rubric: Vec<String>,
    /// Who judges (repeatable): one for all rubrics, one for each, or several for one rubric; without a rubric, one judges by each session's own rules, and a known guard (Llama Guard, Qwen3Guard ...) in its own format
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(complete_models), help_heading = BY_WHOM)]
    pub model: Vec<String>,
    /// A rule that needs no model (repeatable)
    #[arg(long, value_name = "NAME", value_parser = detector_parser(), help_heading = BY_WHOM)]
    pub detector: Vec<Detector>,
    /// How right the detector is: run it on critiques that two readers labelled, those that come with the program or those of a FILE (JSON lines), and print sensitivity, specificity and predictive values; judges no session
    #[arg(long, value_name = "FILE", num_args = 0..=1, requires = "detector", conflicts_with_all = ["all", "session", "run", "protocol", "rubric", "model"], help_heading = BY_WHOM)]
    pub check: Option<Option<PathBuf>>,
    /// Show each debate's judge other critiques of the same proposal, each in place of the one that was played, and compare what it decides: harsh, mild, honest, equal, own, or fixed:FILE (repeatable or between commas)
    #[arg(long, value_name = "CRITIQUE,…", value_delimiter = ',', conflicts_with_all = ["rubric", "detector"], help_heading = WHAT)]
    pub replace_critique: Vec<String>,
    /// both: ask each judge that reads a proposer and a critic twice, the second time with their places exchanged, and compare what it finds
    #[arg(long, value_name = "ORDERS", value_enum, default_value_t = OrdersName::One, conflicts_with_all = ["rubric", "detector", "replace_critique"], help_heading = WHAT)]
    pub orders: OrdersName,
    /// How the findings of several evaluators become one
    #[arg(long, value_name = "HOW", value_enum, default_value_t = CombineName::Majority, help_heading = BY_WHOM)]
    pub combine: CombineName,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    #[command(flatten)]
    pub repeat: KeyArgs,
    /// Ask nobody, and write the open calls to FILE, a batch for OpenAI's Batch API, LiteLLM or 'vllm run-batch'
    #[arg(long, value_name = "FILE", help_heading = BY_BATCH)]
    pub batch_out: Option<PathBuf>,
    /// Ask nobody, and take the answers that came of such a batch: in any order, in parts, also twice
    #[arg(long, value_name = "FILE", conflicts_with_all = ["batch_out", "estimate"], help_heading = BY_BATCH)]
    pub batch_in: Option<PathBuf>,
}

/// What else can be done with passes.
#[derive(Debug, Subcommand)]
pub enum JudgeCommand {
    /// List passes, the newest first
    List(JsonLinesArgs),
}

/// What the source calls the critiques that `names_error` looks for.
const SPURIOUS: &str = "spurious";

fn detector_parser() -> impl TypedValueParser<Value = Detector> {
    let offered = Detector::offered().map(Detector::name);
    let names = PossibleValuesParser::new(offered.chain([SPURIOUS]));
    names.try_map(|name| {
        if name == SPURIOUS {
            return Ok(Detector::NamesError);
        }
        let rule = Detector::offered().find(|detector| detector.name() == name);
        rule.ok_or_else(|| format!("there is no detector '{name}'"))
    })
}

/// Orders in which a judge is shown the sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OrdersName {
    /// As they spoke
    One,
    /// As they spoke, and exchanged
    Both,
}

/// How findings become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CombineName {
    /// The label most evaluators give; a tie is no finding
    Majority,
    /// The label whose value is nearest to the mean
    Mean,
}
