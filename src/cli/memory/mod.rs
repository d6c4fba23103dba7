//! `elenchus memory`: what debates were taught, looked into and worked on.

mod list;

use super::args_memory::{MemoryArgs, MemoryCommand};
use super::exit::Exit;
use super::workshop::Workshop;

/// Does what is asked of long-term memory.
///
/// # Errors
/// With context for a person: what, where, what to do next.
pub(super) fn run(args: &MemoryArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    match &args.command {
        MemoryCommand::List(args) => list::run(args, shop),
    }
}
