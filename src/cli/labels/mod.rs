//! `elenchus labels`: queues to label, people's labels, their import, export and packs.

mod args;
mod export;
mod import;
mod list;
mod merge;
mod pack;
mod queue;
mod queues;
mod reading;
mod sets;

pub(crate) use args::LabelsCommand;
pub(in crate::cli) use import::{describe_counts, print_faults};
pub(crate) use queue::print_draw_summary;

use super::common::{CommandContext, Exit, run_interruptible};
use anyhow::Result;

/// Runs a command on labels.
///
/// # Errors
/// With context for a person: what, where, what to do next.
pub(super) fn run(command: &LabelsCommand, context: &CommandContext) -> Result<Exit> {
    match command {
        LabelsCommand::Sets { set } => return sets::run(set.as_deref(), context),
        LabelsCommand::Queue(args) => run_interruptible(|_| queue::draw_queue(args, context))?,
        LabelsCommand::Extend(args) => run_interruptible(|_| queue::draw_more(args, context))?,
        LabelsCommand::Queues(args) => queues::run(args, context)?,
        LabelsCommand::List(args) => list::run(args, context)?,
        LabelsCommand::Import(args) => import::run(args, context)?,
        LabelsCommand::Export(args) => export::run(args, context)?,
        LabelsCommand::Pack(args) => run_interruptible(|_| pack::run(args, context))?,
        LabelsCommand::Merge(args) => run_interruptible(|_| merge::run(args, context))?,
    }
    Ok(Exit::Fine)
}
