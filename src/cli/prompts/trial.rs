//! `elenchus prompts try`: a recorded turn, asked again with another prompt.

use super::render::{find_call, read_change};
use super::trial_args::{RollForwardChoice, TryPromptArgs};
use super::trial_progress::{TrialProgress, outcome_label, print_updates};
use crate::cli::common::{
    CommandContext, Exit, ExperimentCommand, Ink, Page, format_noun_count, output, resolve_session,
};
use anyhow::{Context, Result, bail};
use elenchus_game::debate::event::{Created, Outcome};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{CostEstimate, Spend};
use elenchus_run::drafts::prompt_trial::{OFF_THE_PATH, describe_sample_cost};
use elenchus_run::engine::seats::models_of;
use elenchus_run::experiments::prompt_trial::{
    CallContext, DerivationPlace, GuardPlace, PromptTrial, RollForward, SampleEnd, TrialPlan,
    TriedCall, TryPlan, TrySample, adopt_tried_sample, estimate_sample,
};
use elenchus_run::experiments::{NoExperimentObserver, find_experiment};
use serde_json::json;
use std::io::IsTerminal;
use std::iter::repeat_n;
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;

/// Words of the command.
const COMMAND: &str = "prompts try";

/// Plays the samples and prints them next to the recorded reply.
///
/// # Errors
/// When there is no such turn, the text cannot be used there, or a model cannot be called.
pub fn run(args: &TryPromptArgs, context: &CommandContext) -> Result<Exit> {
    ExperimentCommand::run(COMMAND, &args.experiment, context, |command| {
        run_trial(command, args)
    })
}

async fn run_trial(command: ExperimentCommand<'_>, all: &TryPromptArgs) -> Result<Exit> {
    let (args, command_context) = (command.args, &command.context);
    let earlier_trial = args.resume.as_ref();
    let earlier_trial =
        earlier_trial.map(|text| find_experiment(&command_context.store.layout, text));
    let earlier_trial = earlier_trial.transpose()?.map(|found| found.summary);
    let ceilings = match &earlier_trial {
        Some(known) => known.ceilings,
        None => command_context.resolve_ceilings(&args.budget)?,
    };
    let command = command.with_ceilings(ceilings)?;
    let command_context = &command.context;
    let context = command.build_context(Arc::new(NoExperimentObserver));
    let mut trial = match earlier_trial {
        Some(earlier_trial) => {
            let overrides = args.budget.typed_ceilings()?;
            let trial = PromptTrial::resume(&context, &earlier_trial.id, overrides).await?;
            check_players(all, command_context, trial.call()).await?;
            trial
        }
        None => {
            let plan = plan_trial(all, command_context, ceilings).await?;
            if args.estimate {
                plan.check_samples()?;
                let sample_estimate = estimate_sample(&context, &plan)?;
                let total_estimate: CostEstimate =
                    repeat_n(sample_estimate, plan.samples as usize).sum();
                command.print_estimate(Some(&total_estimate), ceilings)?;
                return Ok(Exit::Fine);
            }
            PromptTrial::resume_or_begin(&context, plan).await?
        }
    };
    output::print_notices(&trial.items.log.notices);
    let TrialPlan { id, asked, .. } = trial.items.log.state.plan.clone();
    if trial.items.is_resumed {
        let played_count = trial.items.log.state.done.len();
        command.print_unless_quiet(&format!(
            "goes on with trial {id}: {played_count} of {} played already",
            format_noun_count(asked.samples as usize, "sample")
        ));
    }
    let shows = match std::io::stdout().is_terminal() && !args.json && !args.quiet {
        false => TrialProgress::Nothing,
        true if asked.samples == 1 => TrialProgress::Words,
        true => TrialProgress::Samples,
    };
    let drawing = Drawing {
        plan: &asked,
        context: command_context,
        shows,
    };
    let head = drawing.format_head(trial.call());
    if shows == TrialProgress::Words {
        output::print_text(&head)?;
    }
    let (sender, receiver) = unbounded_channel();
    let playing = trial.play_samples(&context, sender);
    let (play_result, watch_result) =
        tokio::join!(playing, print_updates(shows, &asked.call, receiver));
    let (end, samples) = play_result?;
    watch_result?;
    if args.json {
        output::print_json_lines([trial_to_json(&trial.items.log.state.plan, &samples)])?;
    } else if args.quiet {
        output::print_text(&format!("{id}\n"))?;
    } else {
        if shows != TrialProgress::Words {
            output::print_text(&head)?;
        }
        output::print_text(&drawing.format_samples(&samples))?;
    }
    let exit = command.print_end(&end, &trial.items.log.summarize());
    if let Some(number) = all.adopt {
        let sample = samples.iter().find(|sample| sample.number == number);
        let sample = sample.with_context(|| format!("sample {number} was not played"))?;
        if sample.reply_text().is_none() {
            bail!("sample {number} brought no reply: there is nothing to adopt");
        }
        adopt_tried_sample(&context.store, &sample.session)?;
        output::print_notice(&format!(
            "sample {number} is session {} now, a fork of {}",
            sample.session, asked.session
        ));
    }
    Ok(exit)
}

/// Returns what the arguments ask for, checked as far as it can be without asking a model.
async fn plan_trial(
    args: &TryPromptArgs,
    command_context: &CommandContext,
    ceilings: Ceilings,
) -> Result<TryPlan> {
    let address = args.turn.as_deref().unwrap_or_default();
    let (session, turn) = address
        .rsplit_once(':')
        .context(
            "name a turn as SESSION:TURN, a verdict as SESSION:RULE, or SESSION:lesson; 'elenchus prompts render \
             SESSION' lists them",
        )?;
    let session = resolve_session(command_context, session)?;
    let call = find_call(command_context, &session, turn)?;
    let context = CallContext::read(&command_context.store.layout, &session, &call)?;
    context.check_seat(&command_context.seats)?;
    check_players(args, command_context, &context).await?;
    if args.adopt.is_some_and(|number| number >= args.samples) {
        bail!(
            "samples are numbered from 0 to {}",
            args.samples.saturating_sub(1)
        );
    }
    let template = args.template.as_deref();
    let file = args.with.as_deref();
    let prompt_change = file.map(|file| read_change(&context, file, template));
    Ok(TryPlan {
        session,
        call,
        change: prompt_change.transpose()?,
        samples: args.samples,
        first_sample: 0,
        roll: to_roll_forward(args.roll_forward),
        repeats: args.ask_anew.ask_anew,
        ceilings,
    })
}

async fn check_players(
    args: &TryPromptArgs,
    context: &CommandContext,
    call: &CallContext,
) -> Result<()> {
    match call.state().first_event() {
        Some(created) => {
            let players = models_of(&created.cast);
            context.check_players(players, &args.experiment).await
        }
        None => Ok(()),
    }
}

/// Returns how far samples are played.
pub(super) fn to_roll_forward(choice: RollForwardChoice) -> RollForward {
    match choice {
        RollForwardChoice::Turn => RollForward::Turn,
        RollForwardChoice::Next => RollForward::Next,
        RollForwardChoice::End => RollForward::End,
    }
}

struct Drawing<'a> {
    plan: &'a TryPlan,
    context: &'a CommandContext,
    shows: TrialProgress,
}

impl Drawing<'_> {
    /// What is known before anybody is asked.
    fn format_head(&self, context: &CallContext) -> String {
        let mut page = Page::new(output::width(), self.context.colour);
        let plan = self.plan;
        page.add_bold_line(&format!("{} of session {}", plan.call, plan.session));
        let creation = context.state().first_event();
        if creation.is_some_and(Created::is_simulated) {
            page.line_at(0)
                .write_middle("SIMULATED: a check of the instrument, no evidence about prompts");
        }
        if let Some(recorded) = context.recorded_text() {
            page.add_title("recorded");
            page.write_behind_bar(2, |page| page.add_prose(Ink::Plain, 0, recorded));
        }
        if self.shows == TrialProgress::Words {
            page.add_title("sample 0");
        }
        page.into_text()
    }

    /// What came; words that were seen as they came are not said again.
    fn format_samples(&self, samples: &[TrySample]) -> String {
        let mut page = Page::new(output::width(), self.context.colour);
        for sample in samples {
            page.add_gap();
            let verdict = describe_own_verdict(sample);
            let cache_note = if sample.is_cached() { " (cached)" } else { "" };
            page.add_bold_line(&format!("sample {}{verdict}{cache_note}", sample.number));
            match sample.reply_text() {
                Some(_) if self.shows == TrialProgress::Words => {}
                Some(text) => page.write_behind_bar(2, |page| page.add_prose(Ink::Plain, 0, &text)),
                None => page.line_at(2).write_plain("nothing came"),
            }
            for line in describe_later_turns(sample) {
                page.line_at(2).write_plain(&line);
            }
            if let Some(why) = describe_end(&sample.end) {
                page.line_at(2).write_bad(&why);
            }
        }
        page.add_gap();
        page.add_line(&format!(
            "{}, {}; {OFF_THE_PATH}",
            format_noun_count(samples.len(), "sample"),
            describe_sample_cost(samples.iter().map(|sample| &sample.state))
        ));
        page.into_text()
    }
}

fn describe_own_verdict(sample: &TrySample) -> String {
    let findings = sample.list_own_findings();
    let labels = findings.iter().map(|(_, outcome)| outcome_label(outcome));
    let labels: Vec<String> = labels.collect();
    match labels.is_empty() {
        true => String::new(),
        false => format!(": {}", labels.join(", ")),
    }
}

/// Says what was found on the turns that followed.
fn describe_later_turns(sample: &TrySample) -> Vec<String> {
    let findings = sample.list_later_findings().into_iter();
    findings
        .map(|(turn, outcome)| format!("{turn}: {}", outcome_label(&outcome)))
        .collect()
}

/// Returns the cost, or `None` where a model without prices was called.
fn known_cost(spend: &Spend) -> Option<f64> {
    (spend.unpriced_calls == 0).then_some(spend.cost_usd)
}

fn describe_end(end: &SampleEnd) -> Option<String> {
    match end {
        SampleEnd::Played => None,
        SampleEnd::Failed(why) => Some(format!("failed: {why}")),
        SampleEnd::Paused => Some("the ceiling allows no more calls".to_owned()),
        SampleEnd::Stopped => Some("stopped".to_owned()),
    }
}

fn trial_to_json(plan: &TrialPlan, samples: &[TrySample]) -> serde_json::Value {
    let TrialPlan { id, asked, .. } = plan;
    let samples: Vec<_> = samples
        .iter()
        .map(|sample| {
            let findings = list_all_findings(sample).into_iter();
            let findings: Vec<_> = findings
                .map(|(place, outcome)| {
                    let mut finding = place;
                    finding["found"] = outcome_label(&outcome).into();
                    finding
                })
                .collect();
            json!({
                "sample": sample.number,
                "session": sample.session,
                "text": sample.reply_text(),
                "cached": sample.is_cached(),
                "findings": findings,
                "failed": describe_end(&sample.end),
                "cost_usd": known_cost(&sample.state.spend()),
            })
        })
        .collect();
    let mut trial = json!({
        "trial": id,
        "session": asked.session,
        "samples": samples,
    });
    match &asked.call {
        TriedCall::Turn(turn) => trial["turn"] = json!(turn),
        TriedCall::Verdict(place) => trial["verdict"] = json!(place),
        TriedCall::Lesson(place) => trial["lesson"] = json!(place),
        TriedCall::GuardDecision(place) => trial["guard_decision"] = json!(place),
        TriedCall::Derivation(place) => trial["derivation"] = json!(place),
    }
    trial
}

/// Returns all that was found, each with what it is of.
fn list_all_findings(sample: &TrySample) -> Vec<(serde_json::Value, Outcome)> {
    let own = sample.list_own_findings().into_iter();
    let own = own.map(|(judging, outcome)| match &sample.call {
        TriedCall::Turn(turn) => (json!({ "turn": turn }), outcome),
        TriedCall::Verdict(place) => (json!({"judging": judging, "target": place.target}), outcome),
        TriedCall::GuardDecision(GuardPlace { chair })
        | TriedCall::Derivation(DerivationPlace { chair }) => (json!({ "chair": chair }), outcome),
        TriedCall::Lesson(_) => (json!({}), outcome),
    });
    let later = sample.list_later_findings().into_iter();
    own.chain(later.map(|(turn, outcome)| (json!({ "turn": turn }), outcome)))
        .collect()
}
