//! Options that go on with a journal: beside them stands nothing that the journal fixes.

use clap::{Arg, Command, Id};

/// Options of every experiment that may change when one goes on.
pub(crate) const BESIDE: [&str; 14] = [
    "budget_usd",
    "budget_calls",
    "budget_tokens",
    "price",
    "concurrency",
    "unlisted",
    "estimate",
    "batch_out",
    "batch_in",
    "quiet",
    "json",
    "help",
    "store",
    "no_color",
];

/// Lets `option` stand beside those of every experiment and `others` alone.
pub(crate) fn make_exclusive(command: Command, option: &'static str, others: &[&str]) -> Command {
    let goes_with = |id: &str| id == option || BESIDE.contains(&id) || others.contains(&id);
    let ids = command.get_arguments().map(Arg::get_id);
    let conflicting_ids: Vec<Id> = ids.filter(|id| !goes_with(id.as_str())).cloned().collect();
    command.mut_arg(option, |arg| arg.conflicts_with_all(conflicting_ids))
}
