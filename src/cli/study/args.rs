//! Arguments of `elenchus study`.

use super::file::list_studies;
use crate::cli::common::args::{BudgetArgs, LIMITS, UnlistedArgs, parse_at_least_one};
use anyhow::Context;
use clap::Args;
use clap_complete::ArgValueCompleter;
use clap_complete::engine::CompletionCandidate;
use std::ffi::OsStr;
use std::path::PathBuf;

const STUDY_USAGE: &str = "\
elenchus study
       elenchus study <NAME|FILE> [OPTIONS]";
const OWN: &str = "Models and data sets of one's own";

/// `elenchus study`
#[derive(Debug, Default, Args)]
#[command(
    override_usage = STUDY_USAGE,
    mut_group("BudgetArgs", |group| group.requires("study")),
    mut_group("UnlistedArgs", |group| group.requires("study")),
)]
pub struct StudyArgs {
    /// A study that comes with the program, or a plan file (TOML); without one the studies are listed
    #[arg(value_name = "NAME|FILE", add = ArgValueCompleter::new(complete_studies))]
    pub study: Option<String>,
    /// Play nothing: print from the runs that are there
    #[arg(long, requires = "study", conflicts_with_all = ["estimate", "plan", "BudgetArgs", "UnlistedArgs", "concurrency"])]
    pub print_only: bool,
    /// Write the pictures as SVG files to a folder
    #[arg(
        long,
        value_name = "FOLDER",
        requires = "study",
        conflicts_with_all = ["estimate", "plan"]
    )]
    pub svg: Option<PathBuf>,
    /// Say what would be played and what it would take, and ask and write nothing
    #[arg(long, requires = "study")]
    pub estimate: bool,
    /// Print the plan file itself, to be changed
    #[arg(
        long,
        requires = "study",
        conflicts_with_all = ["estimate", "model", "dataset", "BudgetArgs", "UnlistedArgs", "concurrency", "quiet"]
    )]
    pub plan: bool,
    /// A model in the place of one that the plan names (repeatable)
    #[arg(long, value_name = "NAME=MODEL", requires = "study", value_parser = parse_replacement, help_heading = OWN)]
    pub model: Vec<Replacement>,
    /// A data set in the place of one that the plan names (repeatable)
    #[arg(long, value_name = "NAME=[KIND:]FILE", requires = "study", value_parser = parse_replacement, help_heading = OWN)]
    pub dataset: Vec<Replacement>,
    /// Limits of all that is played, together
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Debates that are played side by side [default: 16]
    #[arg(long, value_name = "N", requires = "study", value_parser = parse_at_least_one::<usize>, help_heading = LIMITS)]
    pub concurrency: Option<usize>,
    #[command(flatten, next_help_heading = LIMITS)]
    pub names: UnlistedArgs,
    /// Print nothing but the tables and pictures
    #[arg(long, short, requires = "study", help_heading = None::<&str>)]
    pub quiet: bool,
}

impl StudyArgs {
    /// Says whether models may be asked.
    pub(crate) fn can_call_models(&self) -> bool {
        self.study.is_some() && !self.print_only && !self.estimate && !self.plan
    }
}

/// What stands in the place of a name of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    pub name: String,
    pub by: String,
}

/// Returns the studies that begin as it is typed; files are completed by the shell.
fn complete_studies(typed: &OsStr) -> Vec<CompletionCandidate> {
    let studies = list_studies().unwrap_or_default().into_iter();
    let names = studies.map(|study| study.name);
    let fits = names.filter(|name| typed.to_str().is_some_and(|typed| name.starts_with(typed)));
    fits.map(CompletionCandidate::new).collect()
}

fn parse_replacement(text: &str) -> anyhow::Result<Replacement> {
    let (name, by) = text
        .split_once('=')
        .map(|(name, by)| (name.trim(), by.trim()))
        .filter(|(name, by)| !name.is_empty() && !by.is_empty())
        .context("write NAME=…: the plan's name, and what takes its place")?;
    Ok(Replacement {
        name: name.to_owned(),
        by: by.to_owned(),
    })
}
