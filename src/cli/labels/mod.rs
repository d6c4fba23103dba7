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
pub(crate) use queue::print_draw_summary;

use super::common::{Exit, Workshop, run_interruptible};
use anyhow::Result;

/// Runs a command on labels.
///
/// # Errors
/// With context for a person: what, where, what to do next.
pub(super) fn run(command: &LabelsCommand, shop: &Workshop) -> Result<Exit> {
    match command {
        LabelsCommand::Sets { set } => return sets::run(set.as_deref(), shop),
        LabelsCommand::Queue(args) => run_interruptible(|_| queue::draw_queue(args, shop))?,
        LabelsCommand::Extend(args) => run_interruptible(|_| queue::draw_more(args, shop))?,
        LabelsCommand::Queues(args) => queues::run(args, shop)?,
        LabelsCommand::List(args) => list::run(args, shop)?,
        LabelsCommand::Import(args) => import::run(args, shop)?,
        LabelsCommand::Export(args) => export::run(args, shop)?,
        LabelsCommand::Pack(args) => run_interruptible(|_| pack::run(args, shop))?,
        LabelsCommand::Merge(args) => run_interruptible(|_| merge::run(args, shop))?,
    }
    Ok(Exit::Fine)
}
