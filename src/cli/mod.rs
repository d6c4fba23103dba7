//! Command line: one module a command.
//!
//! Results go to standard output; progress, notices and errors to standard error. Exit codes:
//! 0 all went well · 1 the command could not be done · 2 the command line is wrong · 3 some
//! debates failed, listed with their reasons · 4 stopped or paused before the end; it can be
//! resumed · 5 `verify` found something broken · 10 `gate --exit-code` says no debate.

mod annotate;
mod approval;
mod args;
pub mod common;
mod completions;
mod config;
mod doctor;
mod experiments;
mod export;
mod gate;
mod golden;
mod import;
mod judge;
mod labels;
pub mod ls;
mod memory;
mod metrics;
mod open;
pub mod prompts;
mod protocols;
mod quickstart;
pub mod run;
mod servers;
mod show;
mod sweep;
mod trust;
mod validate;
mod verify;

pub use args::Cli;

use anyhow::Result;
use common::{Exit, Global, Workshop, print_notice};

use approval::ApprovalOutcome;
use args::Command;
use clap::CommandFactory;
use clap_complete::CompleteEnv;
use config::ConfigCommand;
use elenchus_run::engine::seats::Announce;
use open::OpenArgs;
use std::sync::Arc;

/// Answers the shell where it asks for completions, and ends the process then.
pub fn complete_for_shell() {
    CompleteEnv::with_factory(Cli::command)
        .var(completions::VARIABLE)
        .complete();
}

/// Runs a command and returns its exit.
///
/// # Errors
/// With context for a person: what, where, what to do next.
pub fn run(cli: Cli) -> Result<Exit> {
    let command = cli
        .command
        .unwrap_or_else(|| Command::Open(OpenArgs::default()));
    let mut shop = Workshop::open(&cli.global, build_announcer(&command))?;
    for folder in &shop.config.untrusted_projects {
        print_notice(&format!("notice: {folder}"));
    }
    for line in &shop.config.notices {
        print_notice(&format!("notice: {line}"));
    }
    approval::check_bounds(&command, &shop)?;
    if approval::request_approvals(&command, &shop)? == ApprovalOutcome::Answered {
        shop = Workshop::open(&cli.global, build_announcer(&command))?;
    }
    common::start_log(&shop)?;
    run_command(&command, &cli.global, &shop)
}

/// Performs a command in a context that is open.
fn run_command(command: &Command, global: &Global, shop: &Workshop) -> Result<Exit> {
    match command {
        Command::Open(args) => open::run(args, shop),
        Command::Quickstart(args) => quickstart::run(args, global, shop.clone()),
        Command::Run(args) => run::run(args, shop),
        Command::Sweep(args) => sweep::run(args, shop),
        Command::Ls(args) => ls::run(args, shop).map(Exit::from),
        Command::Show(args) => show::run(args, shop).map(Exit::from),
        Command::Metrics(args) => metrics::run(args, shop).map(Exit::from),
        Command::Judge(args) => judge::run(args, shop),
        Command::Validate(args) => validate::run(args, shop).map(Exit::from),
        Command::Golden(args) => golden::run(args, shop),
        Command::Memory(command) => memory::run(command, shop),
        Command::Experiments(command) => experiments::run(command, shop),
        Command::Annotate(args) => annotate::run(args, shop),
        Command::Labels(command) => labels::run(command, shop),
        Command::Protocols(command) => protocols::run(command, shop).map(Exit::from),
        Command::Prompts(command) => prompts::run(command, shop),
        Command::Export(args) => export::run(args, shop).map(Exit::from),
        Command::Import(args) => common::wait_for(import::run(args, shop))?.map(Exit::from),
        Command::Verify(args) => verify::run(args, shop),
        Command::Gate(args) => gate::run(args, shop),
        Command::Doctor(args) => doctor::run(args, shop).map(Exit::from),
        Command::Servers(command) => servers::run(command, shop).map(Exit::from),
        Command::Trust(args) => trust::run(args, shop).map(Exit::from),
        Command::Config(ConfigCommand::Init(args)) => config::run(args, shop).map(Exit::from),
        Command::Completions(args) => completions::run(args).map(Exit::from),
    }
}

/// Announces unconfigured servers on standard error; the workbench does so on its own screen.
fn build_announcer(command: &Command) -> Announce {
    match command {
        Command::Open(_) | Command::Annotate(_) => Arc::new(|_| {}),
        _ => Arc::new(|text| print_notice(&format!("notice: {text}"))),
    }
}
