//! `elenchus labels`: what people found, and what they are asked to look at.

mod export;
mod import;
mod list;
mod sets;

use super::args_labels::{LabelsArgs, LabelsCommand};
use super::exit::Exit;
use super::workshop::Workshop;

/// Does what is asked of labels.
///
/// # Errors
/// With context for a person: what, where, what to do next.
pub(super) fn run(args: &LabelsArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    match &args.command {
        LabelsCommand::Sets(args) => sets::run(args, shop),
        LabelsCommand::List(args) => list::run(args, shop),
        LabelsCommand::Import(args) => import::run(args, shop),
        LabelsCommand::Export(args) => export::run(args, shop),
    }
}
