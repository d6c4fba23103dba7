//! Commands.
//!
//! Results go to standard output; progress, notices and errors to standard error. Exit codes:
//! 0 all went well · 1 the command could not be done · 2 the command line is wrong · 3 some
//! debates failed, listed with their reasons · 4 stopped or paused before the end; it can be
//! resumed · 5 `verify` found something broken · 10 `gate --exit-code` says no debate.

mod annotate;
mod approval;
mod args;
mod args_ab;
mod args_counted;
mod args_export;
mod args_gate;
mod args_golden;
mod args_guard;
mod args_judge;
mod args_labels;
mod args_memory;
mod args_metrics;
mod args_open;
mod args_prompt_versions;
mod args_prompts;
mod args_servers;
mod args_trust;
mod args_validate;
mod ceilings;
mod completions;
mod config_init;
mod doctor;
mod doctor_memory;
mod doctor_probe;
mod estimate;
mod exit;
mod export;
mod export_record;
mod gate;
mod golden;
mod golden_compare;
mod import;
mod judge;
mod judge_list;
mod judge_progress;
mod labels;
mod list;
mod log;
mod measure;
mod measure_against;
mod measured_error;
mod memory;
mod model_names;
mod open;
mod page;
mod parcel;
mod people;
mod play_one;
mod progress;
mod prompts;
mod protocol_check;
mod protocol_diff;
mod protocol_drawing;
mod protocol_pin;
mod protocol_place;
mod protocol_sampling;
mod protocols;
mod question;
mod quickstart;
mod run;
mod run_plan;
mod servers;
mod short;
mod show;
mod transcript;
mod trust;
mod typed;
mod validate;
mod verify;
mod verify_accept;
mod verify_journals;
mod workshop;

pub use args::Cli;
pub use completions::answer_the_shell;
pub use exit::{Exit, FAILURE};
pub use page::{is_broken_pipe, notice};
pub use workshop::Workshop;

use crate::driver::Announce;
use approval::Answered;
use args::{Command, ConfigCommand};
use args_open::OpenArgs;
use std::sync::Arc;

/// Does what the command line says and returns how it went.
///
/// # Errors
/// With context for a person: what, where, what to do next.
pub fn run(cli: Cli) -> anyhow::Result<Exit> {
    let command = cli
        .command
        .unwrap_or_else(|| Command::Open(OpenArgs::default()));
    let mut shop = Workshop::open(&cli.global, voice(&command))?;
    for folder in &shop.config.passed_over {
        notice(&format!("notice: {folder}"));
    }
    if approval::ask(&command, &shop)? == Answered::Something {
        shop = Workshop::open(&cli.global, voice(&command))?;
    }
    log::start(&shop)?;
    match command {
        Command::Open(args) => open::run(&args, &shop),
        Command::Quickstart(args) => quickstart::run(&args, &cli.global, shop),
        Command::Run(args) => run::run(&args, &shop),
        Command::Ls(args) => list::run(&args, &shop),
        Command::Show(args) => show::run(&args, &shop),
        Command::Metrics(args) => measure::run(&args, &shop),
        Command::Judge(args) => judge::run(&args, &shop),
        Command::Validate(args) => validate::run(&args, &shop),
        Command::Golden(args) => golden::run(&args, &shop),
        Command::Memory(args) => memory::run(&args, &shop),
        Command::Annotate(args) => annotate::run(&args, &shop),
        Command::Labels(args) => labels::run(&args, &shop),
        Command::Protocols(args) => protocols::run(&args, &shop),
        Command::Prompts(args) => prompts::run(&args, &shop),
        Command::Export(args) => export::run(&args, &shop),
        Command::Import(args) => import::run(&args, &shop),
        Command::Verify(args) => verify::run(&args, &shop),
        Command::Gate(args) => gate::run(&args, &shop),
        Command::Doctor(args) => doctor::run(&args, &shop),
        Command::Servers(args) => servers::run(&args, &shop),
        Command::Trust(args) => trust::run(&args, &shop),
        Command::Config(ConfigCommand::Init(args)) => config_init::run(&args, &shop),
        Command::Completions(args) => completions::run(&args),
    }
}

/// Who tells a person of a server that nobody configured: the workbench says it on its own screen.
fn voice(command: &Command) -> Announce {
    match command {
        Command::Open(_) | Command::Annotate(_) => Arc::new(|_| {}),
        _ => Arc::new(|text| notice(&format!("notice: {text}"))),
    }
}
