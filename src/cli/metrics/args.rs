//! Arguments of `elenchus metrics`, and definitions of its figures.

use super::period::PeriodArgs;
use crate::cli::common::args::{
    FigureFormatArgs, SeedArgs, SessionFilterArgs, flag_parser, parse_at_least_one,
};
use anyhow::Context;
use clap::{ArgAction, ArgGroup, Args, ValueEnum};
use elenchus_metrics::{
    DebateFilter, Dimension, Forks, HumanTurns, Measure, Resampling, TopicProperty,
};
use elenchus_plot::PictureKind;
use elenchus_view::matrix::MatrixLayout;
use std::path::PathBuf;

/// Definitions of figures, printed under the options so that a figure can be quoted with what it counts.
pub(crate) const FIGURES: &str = include_str!("figures.txt");

const COUNTED: &str = "What is counted";
const GROUPS: &str = "Groups beside one another";
const TABLES: &str = "Tables and pictures";
const SELECTION: &str = "Rewards, and what selecting by them would come to";
const INTERVALS: &str = "Intervals and tests";

/// `elenchus metrics`
#[derive(Debug, Args)]
#[command(mut_arg("seed", |seed| seed.help("Seed of the resampling, and of --sample").help_heading(INTERVALS)))]
#[command(group = ArgGroup::new("selection").args(["best_of", "boltzmann"]).multiple(true))]
pub struct MetricsArgs {
    #[command(flatten)]
    pub sessions: SessionFilterArgs,
    /// Only this protocol
    #[arg(long, value_name = "ID")]
    pub protocol: Option<String>,
    /// Only debates of these groups, by anything that --by divides whole debates by, as memory=none,textual
    /// (repeatable: of several, all must hold)
    #[arg(long, help_heading = COUNTED, value_name = "WHAT=VALUE,…")]
    pub only: Vec<DebateFilter>,
    #[command(flatten, next_help_heading = COUNTED)]
    pub period: PeriodArgs,
    /// Apart by: protocol, arm, checkpoint, category, dataset, run, seed, phase, lessons, shown, memory,
    /// settings, month, fork, model, seat, round, length (comma-separated)
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',')]
    pub by: Vec<String>,
    /// Only these figures, by the names that an export gives them, as error_rate,agreement_rate (comma-separated)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = parse_measure, conflicts_with = "advantages")]
    pub measure: Vec<Measure>,
    /// One figure in a table of groups: rows × columns, as 'protocol × model' ('x' will do); error_rate unless
    /// --measure names others
    #[arg(long, value_name = "ROWS × COLUMNS", value_parser = parse_shape, conflicts_with_all = ["by", "advantages", "compare", "against"])]
    pub table: Option<TableShape>,
    /// With --table: before the columns of its last dimension one over all of them
    #[arg(long, help_heading = TABLES, requires = "table")]
    pub totals: bool,
    /// The table of --table in Markdown
    #[arg(long, help_heading = TABLES, requires = "table", conflicts_with_all = ["json", "csv", "latex"])]
    pub markdown: bool,
    /// The table of --table in LaTeX
    #[arg(long, help_heading = TABLES, requires = "table", conflicts_with_all = ["json", "csv"])]
    pub latex: bool,
    /// Draw one figure, error_rate unless --measure names one: bars with intervals, a curve over what has an order,
    /// a heat map of two dimensions of --by (arms apart where there are several and nothing is asked for), or the
    /// differences of --compare as a forest; with --best-of or --boltzmann a curve is over these;
    /// with --evaluator-error, observed error rates beside corrected ones
    #[arg(long, value_name = "KIND", conflicts_with_all = ["advantages", "table", "against", "trend", "json", "csv"])]
    pub plot: Option<Plot>,
    /// Write the picture to a file as SVG, - for standard output; bars, with --compare a forest, with --best-of or
    /// --boltzmann a curve, unless --plot says otherwise
    #[arg(long, help_heading = TABLES, value_name = "FILE", conflicts_with_all = ["advantages", "table", "against", "trend", "json", "csv"])]
    pub svg: Option<PathBuf>,
    /// Verdicts as a matrix in place of figures: topics by rounds and seats, by arms, or by checkpoints (arms or
    /// checkpoints where there are several and nothing is named)
    #[arg(long, help_heading = TABLES, value_name = "COLUMNS", num_args = 0..=1, conflicts_with_all = ["by", "measure", "advantages", "table", "plot", "svg", "compare", "against", "trend", "best_of", "boltzmann", "csv", "pool"])]
    pub matrix: Option<Option<MatrixColumns>>,
    /// With --matrix: so many topics, drawn by --seed; the draw stands above the matrix
    #[arg(long, help_heading = TABLES, value_name = "N", requires = "matrix", value_parser = parse_at_least_one::<u32>)]
    pub sample: Option<u32>,
    /// Compare groups of --by (arms by default) with the first one named, paired by topic: each by its name, its
    /// number or words that only it has
    #[arg(long, value_names = ["FIRST", "OTHER"], num_args = 2.., conflicts_with_all = ["against", "advantages"])]
    pub compare: Vec<String>,
    /// With --compare: also within each category or data set
    #[arg(long, help_heading = GROUPS, value_name = "WHAT", requires = "compare")]
    pub within: Option<Within>,
    /// How figures change over checkpoints, lessons, months, rounds or lengths, in each group of --by, and from
    /// which checkpoint on the judge is being hacked
    #[arg(long, help_heading = GROUPS, value_name = "WHAT", conflicts_with_all = ["advantages", "table", "compare", "against"])]
    pub trend: Option<Course>,
    /// Compare with another protocol's debates on the same topics: share right, cost and time as a multiple
    #[arg(long, help_heading = GROUPS, value_name = "ID", requires = "protocol", conflicts_with_all = ["by", "advantages"])]
    pub against: Option<String>,
    /// What optimising a seat's reward would come to, without training: the game's figures under the best of N
    /// rollouts of a topic, by what the same answer earned on average (comma-separated)
    #[arg(long, help_heading = SELECTION, value_name = "N,…", value_delimiter = ',', value_parser = parse_at_least_one::<u32>, conflicts_with_all = ["advantages", "table", "compare", "against", "trend", "pass"])]
    pub best_of: Vec<u32>,
    /// The same under rollouts weighted by exp(reward / BETA) (comma-separated)
    #[arg(long, help_heading = SELECTION, value_name = "BETA,…", value_delimiter = ',', value_parser = parse_above_zero, conflicts_with_all = ["advantages", "table", "compare", "against", "trend", "pass"])]
    pub boltzmann: Vec<f64>,
    /// With --best-of or --boltzmann: whose reward; every seat's that has one, unless named
    #[arg(
        long,
        help_heading = SELECTION,
        value_name = "SEAT,…",
        value_delimiter = ',',
        requires = "selection"
    )]
    pub reward_of: Vec<String>,
    /// With --best-of or --boltzmann: the judge's figures and the reward, from runs that repeat what is selected
    /// with other seeds ('run --proposer said:RUN --seed N'); half of all draws choose, the other half measures
    /// (comma-separated)
    #[arg(
        long,
        help_heading = SELECTION,
        value_name = "RUN,…",
        value_delimiter = ',',
        requires = "selection"
    )]
    pub judged_by: Vec<String>,
    /// With --best-of or --boltzmann: each point over all topics that have enough rollouts for it, instead of those
    /// that all points have
    #[arg(long, help_heading = SELECTION, requires = "selection")]
    pub all_topics: bool,
    /// Count topics that need a comparison of hashes with the others, as totals over all of HarmBench do
    #[arg(long, help_heading = COUNTED)]
    pub pool_hash_topics: bool,
    /// Also how many decisions of guardrails matched on topics with an unsafe turn in these runs, which were played
    /// without guardrails (repeatable)
    #[arg(long, help_heading = COUNTED, value_name = "RUN", conflicts_with_all = ["advantages", "pass"])]
    pub unsafe_without: Vec<String>,
    /// Count turns that a person wrote, edited or chose too
    #[arg(long, help_heading = COUNTED, action = ArgAction::SetTrue, value_parser = flag_parser([HumanTurns::LeftOut, HumanTurns::Included]))]
    pub with_people: HumanTurns,
    /// Count forks too, with the turns of their own [default: those alone that --session names]
    #[arg(long, help_heading = COUNTED, action = ArgAction::SetTrue, value_parser = flag_parser([Forks::LeftOut, Forks::Included]))]
    pub with_forks: Forks,
    /// Intervals and differences also of a run that is not over, whose stop did not depend on what was found
    #[arg(long, help_heading = COUNTED)]
    pub with_unfinished: bool,
    /// Figures of several arms in one pool; without it a report of more than three arms is a list of them
    #[arg(long, help_heading = GROUPS, conflicts_with_all = ["by", "table", "compare", "against", "trend", "advantages", "best_of", "boltzmann"])]
    pub pool: bool,
    #[command(flatten, next_help_heading = COUNTED)]
    pub error: EvaluatorErrorArgs,
    /// Take what a pass found, instead of what the games' own judges and evaluators found: the safety of turns,
    /// decisions and picks, and rewards by the game's own table; figures that do not come from the pass are left out. Several passes stand beside one another on the debates that
    /// all judged, each with the first (repeatable)
    #[arg(long, help_heading = COUNTED, value_name = "PASS")]
    pub pass: Vec<String>,
    /// Every reward less the mean of its seat over the rollouts of its topic, for a trainer
    #[arg(long, help_heading = SELECTION, conflicts_with = "by")]
    pub advantages: bool,
    /// Resamples of topics for each interval and test
    #[arg(long, help_heading = INTERVALS, value_name = "N", default_value_t = Resampling::default().resamples, value_parser = parse_at_least_one::<u32>)]
    pub resamples: u32,
    #[command(flatten)]
    pub seed: SeedArgs,
    #[command(flatten)]
    pub format: FigureFormatArgs,
}

/// What a trend is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Course {
    Checkpoint,
    Lessons,
    Month,
    Round,
    Length,
}

impl From<Course> for Dimension {
    fn from(over: Course) -> Self {
        match over {
            Course::Checkpoint => Self::Checkpoint,
            Course::Lessons => Self::Lessons,
            Course::Month => Self::Month,
            Course::Round => Self::Round,
            Course::Length => Self::Length,
        }
    }
}

/// Columns of a matrix of verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MatrixColumns {
    Rounds,
    Arms,
    Checkpoints,
}

impl From<MatrixColumns> for MatrixLayout {
    fn from(columns: MatrixColumns) -> Self {
        match columns {
            MatrixColumns::Rounds => Self::Rounds,
            MatrixColumns::Arms => Self::Arms,
            MatrixColumns::Checkpoints => Self::Checkpoints,
        }
    }
}

/// Kind of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Plot {
    Bars,
    Curve,
    Heat,
    Forest,
    /// Observed rates beside those corrected for the evaluator's error
    Corrected,
}

impl Plot {
    /// Returns the kind of a picture of a report; `None` where it is of a comparison.
    pub fn of_report(self) -> Option<PictureKind> {
        match self {
            Self::Bars => Some(PictureKind::Bars),
            Self::Curve => Some(PictureKind::Curve),
            Self::Heat => Some(PictureKind::Heat),
            Self::Forest | Self::Corrected => None,
        }
    }
}

/// What a comparison is also made within.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Within {
    Category,
    Dataset,
}

impl From<Within> for TopicProperty {
    fn from(within: Within) -> Self {
        match within {
            Within::Category => Self::Category,
            Within::Dataset => Self::Dataset,
        }
    }
}

/// Dimensions of the rows and columns of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableShape {
    pub rows: Vec<Dimension>,
    pub columns: Vec<Dimension>,
}

/// Reads a shape: two lists of dimensions with a cross between them.
fn parse_shape(text: &str) -> anyhow::Result<TableShape> {
    let list = |text: &str| -> anyhow::Result<Vec<Dimension>> {
        let names = text
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        names
            .map(|name| name.parse().map_err(anyhow::Error::msg))
            .collect()
    };
    let crosses = ["×", "*", " x "];
    let (rows, columns) = crosses
        .iter()
        .find_map(|cross| text.split_once(cross))
        .unwrap_or((text, ""));
    let shape = TableShape {
        rows: list(rows)?,
        columns: list(columns)?,
    };
    if shape.rows.is_empty() {
        anyhow::bail!("give rows and columns, as in 'protocol × model'");
    }
    if let Some(twice) = shape.rows.iter().find(|by| shape.columns.contains(by)) {
        anyhow::bail!("{} cannot be both rows and columns", twice.label());
    }
    Ok(shape)
}

fn parse_above_zero(text: &str) -> anyhow::Result<f64> {
    let value = text.trim().parse::<f64>().ok();
    let value = value.filter(|value| value.is_finite() && *value > 0.0);
    value.context("give a number above 0")
}

fn parse_measure(text: &str) -> anyhow::Result<Measure> {
    Measure::from_name(text.trim()).with_context(|| {
        let measure_names = Measure::ALL.iter().map(|measure| measure.name());
        format!(
            "there is no such figure; there are {}",
            measure_names.collect::<Vec<_>>().join(", ")
        )
    })
}

/// Source of the evaluator's error.
#[derive(Debug, Default, Args)]
pub struct EvaluatorErrorArgs {
    /// Noise floors by the evaluator's error as labels measure it, instead of a simulated one's own
    #[arg(long, value_name = "from-labels[:SET]", value_parser = parse_label_source)]
    pub evaluator_error: Option<FromLabels>,
}

/// The labels that an evaluator's error is measured by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FromLabels {
    /// The only set in use where `None`.
    pub set: Option<String>,
}

fn parse_label_source(text: &str) -> anyhow::Result<FromLabels> {
    match text.trim().split_once(':') {
        None if text.trim() == "from-labels" => Ok(FromLabels { set: None }),
        Some(("from-labels", set)) if !set.trim().is_empty() => Ok(FromLabels {
            set: Some(set.trim().to_owned()),
        }),
        Some(_) | None => Err(anyhow::anyhow!(
            "it is measured 'from-labels' or 'from-labels:SET'"
        )),
    }
}
