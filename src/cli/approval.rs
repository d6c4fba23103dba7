//! Approval of what a project's configuration asks for (servers, cost limits): asked once, in a terminal,
//! before anything is sent.

use super::args::Command;
use super::common::args::ExperimentArgs;
use super::common::{CommandContext, output, question};
use super::experiments::ExperimentsCommand;
use super::golden::GoldenCommand;
use super::memory::MemoryCommand;
use super::memory::guardrails::GuardrailCommand;
use super::prompts::PromptsCommand;
use super::servers::ServersCommand;
use super::trust;
use crate::config::{ApprovedCeiling, ApprovedServer, PendingApproval};
use anyhow::{Result, bail};
use std::path::Path;

/// Result of the question: an answer changes the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ApprovalOutcome {
    Unanswered,
    Answered,
}

/// Refuses what a project names outside itself, but for the commands that mend it.
///
/// # Errors
/// The first refusal.
pub fn check_bounds(command: &Command, context: &CommandContext) -> Result<()> {
    match (command, context.config.refusals.first()) {
        (Command::Trust(_) | Command::Doctor(_) | Command::Completions(_), _) | (_, None) => Ok(()),
        (_, Some(refused)) => bail!("{refused}"),
    }
}

/// Asks for pending approvals where the command will contact a server and a person is present. Without one,
/// servers are refused when they are needed, and a raised limit on cost here.
///
/// # Errors
/// When a limit is pending and no person is present; when the answer cannot be saved.
pub fn request_approvals(command: &Command, context: &CommandContext) -> Result<ApprovalOutcome> {
    let Some(file) = &context.config.project_file else {
        return Ok(ApprovalOutcome::Unanswered);
    };
    let waiting: &[PendingApproval] = &context.config.pending_approvals;
    let embeds = context.embedding.is_served()
        && matches!(command, Command::Memory(MemoryCommand::Search(_)));
    if waiting.is_empty() || !(embeds || can_call_models(command)) {
        return Ok(ApprovalOutcome::Unanswered);
    }
    if !question::is_somebody_there() {
        let raised_limit = waiting
            .iter()
            .find(|it| matches!(it, PendingApproval::Ceiling { .. }));
        if let Some(raised_limit) = raised_limit.filter(|_| uses_configured_limit(command)) {
            bail!(
                "{} {raised_limit}, and nobody has approved that; to approve it: {}; or set a limit with \
                 --budget-usd",
                file.display(),
                raised_limit.approval_command(file)
            );
        }
        return Ok(ApprovalOutcome::Unanswered);
    }
    let Some(is_approved) = confirm_approvals(file, waiting)? else {
        return Ok(ApprovalOutcome::Unanswered);
    };
    let mut approvals = context.config.approvals.clone();
    for request in waiting {
        match request.clone() {
            PendingApproval::Server { origin, key } => approvals.servers.push(ApprovedServer {
                url: origin,
                key,
                approved: is_approved,
            }),
            PendingApproval::Ceiling { usd, .. } => approvals.ceilings.push(ApprovedCeiling {
                file: file.canonicalize().unwrap_or_else(|_| file.clone()),
                usd,
                approved: is_approved,
            }),
        }
    }
    let trust_file = trust::save_approvals(context, &approvals)?;
    output::print_notice(&format!(
        "{}: kept in {}; 'elenchus trust' changes it",
        if is_approved {
            "approved"
        } else {
            "not approved"
        },
        trust_file.display()
    ));
    Ok(ApprovalOutcome::Answered)
}

/// Puts the question, and returns the answer; none where the terminal gives no line.
fn confirm_approvals(file: &Path, waiting: &[PendingApproval]) -> Result<Option<bool>> {
    output::print_notice(&format!(
        "{} is the configuration of this folder. It",
        file.display()
    ));
    for request in waiting {
        output::print_notice(&format!("  - {request}"));
    }
    question::confirm("Approve this, now and later?", question::Default::No)
}

/// Whether a command may call models.
fn can_call_models(command: &Command) -> bool {
    match command {
        Command::Open(_) | Command::Quickstart(_) | Command::Rollout(_) => true,
        Command::Sweep(args) => args.show.is_none() && !args.list,
        Command::Study(args) => args.can_call_models(),
        Command::Memory(MemoryCommand::Setup(_)) => true,
        Command::Memory(command)
            if matches!(
                command.guardrail_command(),
                Some(GuardrailCommand::Derive(_))
            ) =>
        {
            true
        }
        Command::Run(_)
        | Command::Judge(_)
        | Command::Golden(_)
        | Command::Prompts(_)
        | Command::Memory(_) => experiment_args(command).is_some(),
        Command::Experiments(command) => matches!(command, ExperimentsCommand::Resume(_)),
        Command::Doctor(args) => args.probe,
        Command::Servers(ServersCommand::List(args)) => args.probe,
        Command::Ls(_)
        | Command::Show(_)
        | Command::Metrics(_)
        | Command::Validate(_)
        | Command::Annotate(_)
        | Command::Labels(_)
        // Naming a server approves it.
        | Command::Servers(ServersCommand::Add(_) | ServersCommand::Remove { .. })
        | Command::Protocols(_)
        | Command::Report(_)
        | Command::Export(_)
        | Command::Import(_)
        | Command::Verify(_)
        | Command::Gate(_)
        | Command::Trust(_)
        | Command::Config(_)
        | Command::Examples(_)
        | Command::Completions(_) => false,
    }
}

/// Whether a command spends up to the limit that the configuration sets.
fn uses_configured_limit(command: &Command) -> bool {
    let begins = |args: &ExperimentArgs| args.budget.budget_usd.is_none() && args.resume.is_none();
    match command {
        Command::Open(_) => true,
        Command::Study(args) => args.can_call_models() && args.budget.budget_usd.is_none(),
        Command::Rollout(args) => args.budget.budget_usd.is_none(),
        _ => experiment_args(command).is_some_and(begins),
    }
}

/// Returns what is said of the experiment that a command begins or goes on with; `None` for other commands.
fn experiment_args(command: &Command) -> Option<&ExperimentArgs> {
    Some(match command {
        Command::Run(args) => &args.experiment,
        Command::Sweep(args) => &args.experiment,
        Command::Judge(args) => &args.experiment,
        Command::Golden(args) => match &args.command {
            None => &args.experiment,
            Some(GoldenCommand::Run(args)) => &args.experiment,
            Some(GoldenCommand::Resume(args)) => &args.experiment,
            Some(GoldenCommand::Show(_)) => return None,
        },
        Command::Prompts(PromptsCommand::Try(args)) => &args.experiment,
        Command::Prompts(PromptsCommand::Ab(args)) => &args.experiment,
        Command::Memory(MemoryCommand::Ablate(args)) => &args.experiment,
        Command::Memory(command) => match command.guardrail_command() {
            Some(GuardrailCommand::Test(args)) => &args.experiment,
            _ => return None,
        },
        _ => return None,
    })
}
