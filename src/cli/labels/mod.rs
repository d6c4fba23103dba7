//! `elenchus labels`: what people found, and what they are asked to look at.

mod export;
mod files;
mod import;
mod list;
mod merge;
mod pack;
mod queue;
mod queues;
mod sets;

pub(super) use queue::tell;

use super::args_labels::{LabelsArgs, LabelsCommand};
use super::exit::Exit;
use super::open::person;
use super::run::on_a_runtime;
use super::workshop::Workshop;
use crate::driver::desk::Desk;

/// Does what is asked of labels.
///
/// # Errors
/// With context for a person: what, where, what to do next.
pub(super) fn run(args: &LabelsArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    match &args.command {
        LabelsCommand::Sets(args) => sets::run(args, shop),
        LabelsCommand::Queue(args) => on_a_runtime(|_| queue::draw(args, shop)),
        LabelsCommand::Extend(args) => on_a_runtime(|_| queue::extend(args, shop)),
        LabelsCommand::Queues(args) => queues::run(args, shop),
        LabelsCommand::List(args) => list::run(args, shop),
        LabelsCommand::Import(args) => import::run(args, shop),
        LabelsCommand::Export(args) => export::run(args, shop),
        LabelsCommand::Pack(args) => on_a_runtime(|_| pack::run(args, shop)),
        LabelsCommand::Merge(args) => on_a_runtime(|_| merge::run(args, shop)),
    }
}

/// The store as the person works on it who calls the program, or whom they name.
pub(super) fn desk(shop: &Workshop, named: Option<&String>) -> anyhow::Result<Desk> {
    Ok(Desk {
        layout: shop.layout.clone(),
        fsync: shop.fsync()?,
        clock: shop.clock,
        holder: shop.holder("labels"),
        person: named.cloned().unwrap_or_else(|| person(shop)),
    })
}
