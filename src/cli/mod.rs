//! Command line: one module a command.
//!
//! Results go to standard output; progress, notices and errors to standard error. Exit codes:
//! 0 all went well · 1 the command could not be done · 2 the command line is wrong · 3 some
//! debates failed, listed with their reasons · 4 stopped or paused before the end; it can be
//! resumed · 5 `verify` found something broken · 10 `gate --exit-code` says no debate.

mod annotate;
mod approval;
mod args;
mod command_lines;
pub mod common;
mod completions;
mod config;
mod doctor;
mod examples;
mod experiments;
mod export;
mod gate;
mod golden;
pub mod help;
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
mod repeat;
mod report;
mod rollout;
pub mod run;
mod servers;
mod show;
mod study;
mod sweep;
mod trust;
mod typed_options;
mod validate;
mod verify;

pub use args::Cli;

use anyhow::Result;
use common::{CommandContext, Exit, Global, print_notice};

use approval::ApprovalOutcome;
use args::Command;
use clap::CommandFactory;
use clap_complete::CompleteEnv;
use command_lines::list_command_lines;
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
    let mut command = cli
        .command
        .unwrap_or_else(|| Command::Open(OpenArgs::default()));
    let mut context = CommandContext::open(&cli.global, build_announcer(&command))?;
    context.command_line = list_command_lines;
    for folder in &context.config.untrusted_projects {
        print_notice(&format!("notice: {folder}"));
    }
    for line in &context.config.notices {
        print_notice(&format!("notice: {line}"));
    }
    approval::check_bounds(&command, &context)?;
    if approval::request_approvals(&command, &context)? == ApprovalOutcome::Answered {
        context = CommandContext::open(&cli.global, build_announcer(&command))?;
    }
    common::start_log(&context)?;
    let _lock = repeat::look_up_key(&mut command, &cli.typed, &context)?;
    run_command(&command, &cli.global, &context)
}

/// Performs a command in a context that is open.
fn run_command(command: &Command, global: &Global, context: &CommandContext) -> Result<Exit> {
    match command {
        Command::Open(args) => open::run(args, global, context),
        Command::Quickstart(args) => quickstart::run(args, global, context.clone()),
        Command::Run(args) => run::run(args, context),
        Command::Rollout(args) => rollout::run(args, context),
        Command::Sweep(args) => sweep::run(args, context),
        Command::Study(args) => study::run(args, context),
        Command::Ls(args) => ls::run(args, context).map(Exit::from),
        Command::Show(args) => show::run(args, context).map(Exit::from),
        Command::Metrics(args) => metrics::run(args, context).map(Exit::from),
        Command::Judge(args) => judge::run(args, context),
        Command::Validate(args) => validate::run(args, context).map(Exit::from),
        Command::Golden(args) => golden::run(args, context),
        Command::Memory(command) => memory::run(command, context),
        Command::Experiments(command) => experiments::run(command, context),
        Command::Annotate(args) => annotate::run(args, global, context),
        Command::Labels(command) => labels::run(command, context),
        Command::Protocols(command) => protocols::run(command, context).map(Exit::from),
        Command::Prompts(command) => prompts::run(command, context),
        Command::Report(args) => report::run(args, context).map(Exit::from),
        Command::Export(args) => export::run(args, context).map(Exit::from),
        Command::Import(args) => common::wait_for(import::run(args, context))?.map(Exit::from),
        Command::Verify(args) => verify::run(args, context),
        Command::Gate(args) => gate::run(args, context),
        Command::Doctor(args) => doctor::run(args, context).map(Exit::from),
        Command::Servers(command) => servers::run(command, context).map(Exit::from),
        Command::Trust(args) => trust::run(args, context).map(Exit::from),
        Command::Config(ConfigCommand::Init(args)) => config::run(args, context).map(Exit::from),
        Command::Examples(args) => examples::run(args).map(Exit::from),
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
