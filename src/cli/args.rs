//! Command line: global options and the list of commands.

use super::annotate::AnnotateArgs;
use super::common::Global;
use super::completions::CompletionsArgs;
use super::config::ConfigCommand;
use super::doctor::DoctorArgs;
use super::examples::ExamplesArgs;
use super::experiments::ExperimentsCommand;
use super::export::ExportArgs;
use super::gate::GateArgs;
use super::golden::GoldenArgs;
use super::help::arrange_help;
use super::import::ImportArgs;
use super::judge::JudgeArgs;
use super::labels::LabelsCommand;
use super::ls::LsArgs;
use super::memory::MemoryCommand;
use super::metrics::{FIGURES, MetricsArgs};
use super::open::OpenArgs;
use super::prompts::PromptsCommand;
use super::protocols::ProtocolsCommand;
use super::quickstart::QuickstartArgs;
use super::report::ReportArgs;
use super::rollout::RolloutArgs;
use super::run::RunArgs;
use super::servers::{SERVERS, ServersCommand};
use super::show::ShowArgs;
use super::study::StudyArgs;
use super::sweep::SweepArgs;
use super::trust::TrustArgs;
use super::typed_options::TypedOptions;
use super::validate::ValidateArgs;
use super::verify::VerifyArgs;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

const BEGINNING: &str = include_str!("beginning.txt");

/// Debates between language models, played, kept and measured.
#[derive(Debug, Parser)]
#[command(name = "elenchus", version, about, max_term_width = 100, after_help = BEGINNING.trim_end(), defer(arrange_help))]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    /// Without one the workbench is opened.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What was typed, for a command that may be repeated.
    #[arg(skip)]
    pub typed: TypedOptions,
}

impl Cli {
    /// Reads the process's command line; ends the process where it is wrong or asks for help.
    pub fn read_command_line() -> Self {
        let mut command = Self::command();
        let matches = command.try_get_matches_from_mut(std::env::args_os());
        let matches = matches.unwrap_or_else(|error| error.exit());
        let cli = Self::from_arg_matches(&matches);
        let mut cli = cli.unwrap_or_else(|error| error.format(&mut command).exit());
        cli.typed = TypedOptions::from_matches(&command, &matches);
        cli
    }
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
    /// Play many runs of one plan, side by side in one table
    ///
    /// Protocols, settings, casts, memory and prompts may differ between its arms.
    Sweep(Box<SweepArgs>),
    /// Play and print a table or figure of a publication, or list them
    Study(Box<StudyArgs>),
    /// List sessions, or runs
    Ls(LsArgs),
    /// Print a session as a readable transcript
    Show(ShowArgs),
    /// Compute error rates, agreement, decisions and cost
    #[command(after_help = FIGURES.trim_end())]
    Metrics(Box<MetricsArgs>),
    /// Judge finished sessions once more, by another evaluator
    Judge(Box<JudgeArgs>),
    /// Measure evaluators against people's labels, and correct rates
    Validate(Box<ValidateArgs>),
    /// Play debate against a single answer on labelled questions
    Golden(Box<GoldenArgs>),
    /// List, search, edit and test lessons and guardrails
    ///
    /// Debates teach lessons; a guardrail, once accepted, refuses topics. An entry's id names it, whichever it is: the whole id, its beginning or end, or both with the middle left out, as lists show it.
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// List, show and resume experiments: runs, passes and others
    #[command(subcommand)]
    Experiments(ExperimentsCommand),
    /// Label the turns of a queue by hand, one key a label
    Annotate(AnnotateArgs),
    /// Draw turns to be labelled; import, export and count labels
    #[command(subcommand)]
    Labels(LabelsCommand),
    /// List, show, compare or check protocols
    #[command(subcommand)]
    Protocols(ProtocolsCommand),
    /// List, render, check and edit prompts, and try others
    #[command(subcommand)]
    Prompts(PromptsCommand),
    /// Say whether a question is worth a debate, and what it costs
    Gate(Box<GateArgs>),
    /// Play topics as a trainer sends them, and print rewards
    Rollout(Box<RolloutArgs>),
    /// Write runs, sweeps or sessions as one HTML page to send
    Report(ReportArgs),
    /// Write journals to a folder, or round records to a file
    Export(ExportArgs),
    /// Take journals in, all or none
    Import(ImportArgs),
    /// Check the chains of journals
    Verify(VerifyArgs),
    /// Say what is configured, reachable or missing, and how to mend it
    Doctor(DoctorArgs),
    /// Add, list and remove servers of models
    #[command(subcommand, after_help = SERVERS.trim_end())]
    Servers(ServersCommand),
    /// Say which servers, keys and folders are trusted; approve others
    Trust(TrustArgs),
    /// Work on the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Write the files that the manual's commands read into this folder
    Examples(ExamplesArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
}
