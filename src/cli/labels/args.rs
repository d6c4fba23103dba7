//! Arguments of `elenchus labels`.

use crate::cli::common::args::{
    JsonArgs, PersonArgs, ReplacedFileArgs, SessionFilterArgs, flag_parser,
};
use clap::{ArgAction, ArgGroup, Args, Subcommand, ValueEnum};
use elenchus_annotation::queue::{
    DisagreementOf, ItemOrder, LabelledBefore, PeoplesTurns, PlayedBy, REPEATS_PERCENT, StratifyBy,
};
use elenchus_records::exchange::LabelFileKind;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::str::FromStr;

const FROM: &str = "What it is drawn from";
const HOW: &str = "How it is drawn";
const PASSED_OVER: &str = "More of what it was drawn from";
const READ: &str = "How columns are read";

const QUEUE_USAGE: &str = "\
elenchus labels queue <NAME> --sample <N> [OPTIONS]
       elenchus labels queue <NAME> --per-stratum <N> --strata <BY,…> [OPTIONS]
       elenchus labels queue <NAME> --all [OPTIONS]";

/// What can be done with labels.
#[derive(Debug, Subcommand)]
pub enum LabelsCommand {
    /// List the label sets, or print one with its codebook
    Sets {
        /// The set to print
        #[arg(value_name = "SET")]
        set: Option<String>,
    },
    /// Draw turns to be labelled; 'elenchus annotate' shows them one after the other
    Queue(Box<QueueArgs>),
    /// Draw more into a queue from sessions that have ended since
    Extend(ExtendArgs),
    /// List the queues, with each annotator's progress
    Queues(QueuesArgs),
    /// List who labelled how much, by which set
    List(LabelListArgs),
    /// Take in answers and debates of other people's files with their labels, or exported labels
    Import(Box<LabelImportArgs>),
    /// Write labels to a file, with who gave them, when, how blind and how they were drawn
    Export(LabelExportArgs),
    /// Write a folder in which a colleague labels a queue on another machine
    Pack(PackArgs),
    /// Take in what was labelled in a pack, all or nothing
    Merge(MergeArgs),
}

/// `elenchus labels import`
#[derive(Debug, Args)]
pub struct LabelImportArgs {
    /// An export of Label Studio, Argilla, doccano, Potato or Prodigy, a sheet of labels (CSV, JSON, JSONL, .gz), XSTest's completions, RedDebate's JSON or a folder that holds it at any depth, or what 'labels export' wrote
    #[arg(required = true, value_name = "FILE")]
    pub path: Vec<PathBuf>,
    /// Columns that a person filled each: a sheet with a row an answer
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    pub human: Vec<String>,
    /// Columns that a program filled, where the file does not say
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    pub automatic: Vec<String>,
    /// Columns that are not read (repeatable)
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',', help_heading = READ)]
    pub ignore: Vec<String>,
    /// The label set whose labels the columns hold [default where only programs labelled: safety]
    #[arg(long, value_name = "SET")]
    pub set: Option<String>,
    /// What other words of these columns mean, as labels of the set or 'unparsed': 0=safe,1=unsafe
    #[arg(long, value_name = "WORD=LABEL,…")]
    pub map: Vec<String>,
    /// Words that are no label, besides a blank, nan, N/A, ? and - (repeatable)
    #[arg(long, help_heading = READ, value_name = "WORD,…", value_delimiter = ',')]
    pub no_label: Vec<String>,
    /// Take the rest where some rows cannot be taken
    #[arg(long)]
    pub skip_bad_rows: bool,
    /// Say how the files are read and what would be taken, and take nothing
    #[arg(long)]
    pub check: bool,
    /// What the file is: label-studio, argilla, doccano, potato, prodigy, long (a row an annotation), wide (a row an answer) [default: recognised]
    #[arg(long, value_name = "KIND", help_heading = READ)]
    pub kind: Option<LabelFileKind>,
    /// The column of prompts
    #[arg(long, value_name = "COLUMN", help_heading = READ)]
    pub prompt: Option<String>,
    /// The column of completions, which were labelled
    #[arg(long, value_name = "COLUMN", help_heading = READ)]
    pub completion: Option<String>,
    /// The column that names who labelled: a sheet with a row an annotation
    #[arg(long, value_name = "COLUMN", help_heading = READ, conflicts_with = "human")]
    pub annotator: Option<String>,
    /// The column or the tool's question that holds the label
    #[arg(long, value_name = "COLUMN", help_heading = READ, conflicts_with = "human")]
    pub label: Option<String>,
    /// The column with the probability with which a row was chosen to be labelled: corrected rates need it where not every turn is labelled
    #[arg(long, value_name = "COLUMN", help_heading = READ)]
    pub probability: Option<String>,
}

/// `elenchus labels export`
#[derive(Debug, Args)]
pub struct LabelExportArgs {
    /// The file to write
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub existing: ReplacedFileArgs,
    /// CSV or JSON Lines [default: by the file's name]
    #[arg(long, value_enum)]
    pub format: Option<LabelFormat>,
    /// Only labels by this set
    #[arg(long, value_name = "SET")]
    pub set: Option<String>,
    /// Only this person's
    #[arg(long, value_name = "NAME")]
    pub annotator: Option<String>,
    /// Leave texts of CSV as they are that a spreadsheet would run (an apostrophe is put before them otherwise, and
    /// taken away by 'labels import')
    #[arg(long)]
    pub raw: bool,
}

/// How labels are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LabelFormat {
    Csv,
    Jsonl,
}

/// `elenchus labels queue`
#[derive(Debug, Args)]
#[command(
    override_usage = QUEUE_USAGE,
    group = ArgGroup::new("size").required(true).args(["all", "sample", "per_stratum"])
)]
pub struct QueueArgs {
    /// The queue's name: letters, digits, dots, dashes
    #[arg(value_name = "NAME")]
    pub name: String,
    /// The label set ('labels sets' lists them)
    #[arg(long, value_name = "SET", default_value = "safety")]
    pub set: String,
    #[command(flatten, next_help_heading = FROM)]
    pub sessions: SessionFilterArgs,
    /// Only sessions of these protocols (repeatable)
    #[arg(long, help_heading = FROM, value_name = "ID")]
    pub protocol: Vec<String>,
    /// Only debates of these arms, by their whole names (repeatable)
    #[arg(long, help_heading = FROM, value_name = "NAME")]
    pub arm: Vec<String>,
    /// Only turns of these seats (repeatable) [default: what the set is about; of sets about turns, those that evaluators judge]
    #[arg(long, help_heading = FROM, value_name = "NAME")]
    pub seat: Vec<String>,
    /// Only turns of these rounds; of pairs, the first round: 1,3
    #[arg(long, help_heading = FROM, value_name = "N,…", value_delimiter = ',')]
    pub round: Vec<u32>,
    /// Only topics of this category (repeatable)
    #[arg(long, help_heading = FROM, value_name = "NAME")]
    pub category: Vec<String>,
    /// Only turns on which the game's evaluator found this, 'unparsed' and 'none' included
    /// (repeatable): sensitivity cannot be estimated from such a sample alone
    #[arg(long, help_heading = FROM, value_name = "LABEL")]
    pub verdict: Vec<String>,
    /// Only turns on which evaluators, or people by this set, disagree
    #[arg(long, help_heading = FROM, value_name = "WHO", value_parser = parse_disagreement)]
    pub disagreements: Option<DisagreementOf>,
    /// Only turns without a label of this set
    #[arg(long, help_heading = FROM, action = ArgAction::SetTrue, value_parser = flag_parser([LabelledBefore::Included, LabelledBefore::LeftOut]))]
    pub unlabelled: LabelledBefore,
    /// Turns too that a person wrote, edited or chose
    #[arg(long, help_heading = FROM, action = ArgAction::SetTrue, value_parser = flag_parser([PeoplesTurns::LeftOut, PeoplesTurns::Included]))]
    pub people: PeoplesTurns,
    /// Simulated sessions in place of real ones
    #[arg(long, help_heading = FROM, action = ArgAction::SetTrue, value_parser = flag_parser([PlayedBy::Models, PlayedBy::Simulated]))]
    pub simulated: PlayedBy,
    /// Everything that fits
    #[arg(long, help_heading = HOW)]
    pub all: bool,
    /// N of them, by the seed; of strata, in proportion to their size
    #[arg(long, help_heading = HOW, value_name = "N")]
    pub sample: Option<u32>,
    /// N of each stratum, by the seed; or a number for each that is named: unsafe=20,safe=36
    #[arg(long, help_heading = HOW, value_name = "N", requires = "strata")]
    pub per_stratum: Option<PerStratum>,
    /// What divides the population: verdict, seat, round, run, protocol, category, arm
    #[arg(long, help_heading = HOW, value_name = "BY,…", value_delimiter = ',')]
    pub strata: Vec<StratifyBy>,
    /// Draw a chair's turns of two consecutive rounds together, for figures about transitions
    #[arg(long, help_heading = HOW, conflicts_with = "debates")]
    pub pairs: bool,
    /// Draw debates as a whole: what sets about debates and conclusions do in any case
    #[arg(long, help_heading = HOW)]
    pub debates: bool,
    /// topic (all of a topic together, so that a question is read once), or random (topics mixed, as the seed draws
    /// them; 'drawn' means the same)
    #[arg(long, help_heading = HOW, value_name = "BY", default_value = "topic", value_parser = parse_order)]
    pub order: ItemOrder,
    /// Percentage that each annotator is shown a second time, unannounced
    #[arg(long, help_heading = HOW, value_name = "PERCENT", default_value_t = REPEATS_PERCENT, allow_negative_numbers = true)]
    pub repeats: f64,
    /// Every random draw derives from it
    #[arg(long, help_heading = HOW, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    #[command(flatten, next_help_heading = HOW)]
    pub by: PersonArgs,
}

/// `elenchus labels extend`
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("size").args(["all", "sample", "per_stratum"]))]
pub struct ExtendArgs {
    /// The queue
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Everything that has come since [default: as the queue was drawn]
    #[arg(long)]
    pub all: bool,
    /// N of what has come since
    #[arg(long, value_name = "N")]
    pub sample: Option<u32>,
    /// N of each stratum of what has come since; or a number for each that is named: unsafe=20,safe=36
    #[arg(long, value_name = "N")]
    pub per_stratum: Option<PerStratum>,
    /// Draw from the turns that earlier draws passed over and nobody labelled: so many of those that an evaluator called so
    #[arg(long, help_heading = PASSED_OVER, requires = "per_stratum", conflicts_with_all = ["all", "sample"])]
    pub unlabelled: bool,
    /// Whose verdicts are meant: own (the game's evaluator), pass:ID, or a name as 'validate' prints it
    #[arg(long, help_heading = PASSED_OVER, value_name = "EVALUATOR", requires = "unlabelled", default_value = "own")]
    pub evaluator: String,
    /// Only turns of this run
    #[arg(long, help_heading = PASSED_OVER, value_name = "RUN", requires = "unlabelled")]
    pub run: Option<String>,
    /// Only turns of this arm, by its name as 'validate' prints it
    #[arg(long, help_heading = PASSED_OVER, value_name = "ARM", requires = "unlabelled")]
    pub arm: Option<String>,
    /// The label that is positive alone, instead of those that the set says
    #[arg(long, help_heading = PASSED_OVER, value_name = "LABEL", requires = "unlabelled")]
    pub positive: Option<String>,
    /// Turns on topics that are judged by comparing hashes alone, in place of the others
    #[arg(long, help_heading = PASSED_OVER, requires = "unlabelled")]
    pub hash_check: bool,
    #[command(flatten, next_help_heading = None::<&str>)]
    pub by: PersonArgs,
}

/// `elenchus labels queues`
#[derive(Debug, Args)]
pub struct QueuesArgs {
    /// The queue to look into: what it was drawn from, and its strata
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    #[command(flatten)]
    pub output: JsonArgs,
}

/// `elenchus labels pack`
#[derive(Debug, Args)]
pub struct PackArgs {
    /// The queue
    #[arg(long, value_name = "NAME")]
    pub queue: String,
    /// Whose labels come back with it; merging asks nothing then, and takes nothing else
    #[arg(long = "for", value_name = "NAME")]
    pub person: Option<String>,
    /// A folder that is not there yet
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}

/// `elenchus labels merge`
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The pack, as it came back
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Take everything that this person did in it, and only theirs (repeatable):
    /// for packs that do not say whom they are for
    #[arg(long, value_name = "NAME")]
    pub take: Vec<String>,
}

/// How many are drawn of each stratum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PerStratum {
    /// The same of all.
    Each(u32),
    /// By name.
    Named(Vec<(String, u32)>),
}

impl FromStr for PerStratum {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        if let Ok(units) = text.trim().parse() {
            return Ok(Self::Each(units));
        }
        let counts = text.split(',').map(|part| {
            let named = part.rsplit_once('=');
            let named = named.map(|(name, count)| (name.trim().to_owned(), count.trim().parse()));
            match named {
                Some((name, Ok(count))) if !name.is_empty() => Ok((name, count)),
                Some(_) | None => {
                    anyhow::bail!("'{part}' is neither a number nor a name with one, as unsafe=20")
                }
            }
        });
        let counts: Vec<(String, u32)> = counts.collect::<anyhow::Result<_>>()?;
        let mut names = BTreeSet::new();
        match counts.iter().find(|(name, _)| !names.insert(name)) {
            None => Ok(Self::Named(counts)),
            Some((name, _)) => anyhow::bail!("'{name}' is named twice"),
        }
    }
}

fn parse_disagreement(text: &str) -> anyhow::Result<DisagreementOf> {
    match text {
        "evaluators" => Ok(DisagreementOf::Evaluators),
        "people" => Ok(DisagreementOf::People),
        _ => Err(anyhow::anyhow!("it is evaluators or people")),
    }
}

fn parse_order(text: &str) -> anyhow::Result<ItemOrder> {
    match text {
        "topic" => Ok(ItemOrder::ByTopic),
        "random" | "drawn" => Ok(ItemOrder::Drawn),
        _ => Err(anyhow::anyhow!("it is topic or random")),
    }
}

/// `elenchus labels list`
#[derive(Debug, Args)]
pub struct LabelListArgs {
    /// Only labels by this set
    #[arg(long, value_name = "SET")]
    pub set: Option<String>,
    #[command(flatten)]
    pub output: JsonArgs,
}
