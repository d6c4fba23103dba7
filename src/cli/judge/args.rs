//! Arguments of `elenchus judge`.

use crate::cli::common::args::{
    CostLimitArgs, JsonLinesArgs, SessionFilterArgs, UnlistedArgs, at_least_one,
};
use crate::cli::common::completers::models;
use crate::debate::protocol::Detector;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use clap_complete::ArgValueCompleter;

const WHAT: &str = "What is judged";
const BY_WHOM: &str = "By whom";
const GOING_ON: &str = "Resuming";

const USAGE: &str = "\
elenchus judge <--all|--session …|--run …|--protocol …> --rubric <ID> --model <MODEL>
       elenchus judge <--all|--session …|--run …|--protocol …> --detector <NAME>
       elenchus judge --resume <PASS>
       elenchus judge list";

/// `elenchus judge`
#[derive(Debug, Args)]
#[command(override_usage = USAGE, args_conflicts_with_subcommands = true)]
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
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(models), help_heading = BY_WHOM)]
    pub model: Vec<String>,
    // The heading of the group before it ends here.
    #[command(flatten, next_help_heading = None::<&str>)]
    pub names: UnlistedArgs,
    /// A rule that needs no model (repeatable)
    #[arg(long, value_name = "NAME", value_parser = detector(), help_heading = BY_WHOM)]
    pub detector: Vec<Detector>,
    /// How the findings of several evaluators become one
    #[arg(long, value_name = "HOW", value_enum, default_value_t = CombineName::Majority, help_heading = BY_WHOM)]
    pub combine: CombineName,
    /// Go on with a pass; what it found already is not asked again
    #[arg(
        long,
        value_name = "PASS",
        conflicts_with_all = ["all", "session", "run", "protocol", "rubric", "model", "detector"],
        help_heading = GOING_ON
    )]
    pub resume: Option<String>,
    #[command(flatten)]
    pub cost: CostLimitArgs,
    /// Verdicts asked for side by side [default: 16]
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>)]
    pub concurrency: Option<usize>,
    /// Say what it would cost, and judge nothing
    #[arg(long, conflicts_with = "resume")]
    pub estimate: bool,
    /// Print nothing but the pass's id
    #[arg(long, short)]
    pub quiet: bool,
    /// What it found as JSON
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
}

/// What else can be done with passes.
#[derive(Debug, Subcommand)]
pub enum JudgeCommand {
    /// List passes, the newest first
    List(JsonLinesArgs),
}

fn detector() -> impl TypedValueParser<Value = Detector> {
    let names = PossibleValuesParser::new(Detector::ALL.map(Detector::name));
    names.try_map(|name| {
        let mut all = Detector::ALL.into_iter();
        let found = all.find(|detector| detector.name() == name);
        found.ok_or_else(|| format!("there is no detector '{name}'"))
    })
}

/// How findings become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CombineName {
    /// The label most evaluators give; a tie is no finding
    Majority,
    /// The label whose value is nearest to the mean
    Mean,
}
