//! `elenchus prompts try`: a recorded turn, asked again with another prompt.

use super::render::{change, turn_of};
use super::trial_args::{AskAnew, RollForwardChoice, TryPromptArgs};
use super::trial_progress::{TrialProgress, label, watch};
use crate::cli::common::Exit;
use crate::cli::common::Workshop;
use crate::cli::common::resolve_session;
use crate::cli::common::run_interruptible;
use crate::cli::common::{Ink, Page, counted, output};
use crate::debate::Spend;
use crate::debate::event::Created;
use crate::engine::Repeats;
use crate::engine::{CostCeiling, check_budget, check_models};
use crate::exchange::cost;
use crate::experiments::NoExperimentObserver;
use crate::experiments::prompt_trial::{
    RollForward, SampleEnd, TryPlan, TrySample, TurnContext, adopt, play_tries,
};
use anyhow::{Context, bail};
use serde_json::json;
use std::io::IsTerminal;
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

/// Plays the samples and prints them next to the recorded reply.
///
/// # Errors
/// When there is no such turn, the text cannot be used there, or a model cannot be called.
pub fn run(args: &TryPromptArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    run_interruptible(|cancel| async move { try_out(args, shop, cancel).await })
}

async fn try_out(
    args: &TryPromptArgs,
    shop: &Workshop,
    cancel: CancellationToken,
) -> anyhow::Result<Exit> {
    let (session, turn) = args
        .turn
        .rsplit_once(':')
        .context("name a turn as SESSION:TURN; 'elenchus prompts render SESSION' lists them")?;
    let session = resolve_session(shop, session)?;
    let turn = turn_of(shop, &session, turn)?;
    let context = TurnContext::read(&shop.layout.session(session.as_str())?, &turn)?;
    if context.model().is_none() {
        bail!(
            "no model can be called for {turn}: a person plays the seat, or its turns are scripted"
        );
    }
    let template = args.template.as_deref();
    let file = args.with.as_deref();
    let changed = file.map(|file| change(&context, file, template));
    let changed = changed.transpose()?;
    let budget_usd = args.budget_usd.or(shop.config.defaults.budget_usd);
    check_budget(budget_usd)?;
    if let Some(created) = context.state.created() {
        let ceiling = CostCeiling::from_budget(budget_usd, &created.protocol);
        check_models(&created.cast, &shop.seats, ceiling)?;
    }
    if args.adopt.is_some_and(|number| number >= args.samples) {
        bail!(
            "samples are numbered from 0 to {}",
            args.samples.saturating_sub(1)
        );
    }
    let observer = Arc::new(NoExperimentObserver);
    let concurrency = Some(args.concurrency);
    let experiment = shop.experiment("prompts try", observer, concurrency, cancel)?;
    let plan = TryPlan {
        session,
        turn,
        change: changed,
        samples: args.samples,
        first_sample: 0,
        roll: roll(args.roll_forward),
        repeats: repeats(args.ask_anew),
        budget_usd,
    };
    let shows = match std::io::stdout().is_terminal() && !args.json {
        false => TrialProgress::Nothing,
        true if plan.samples == 1 => TrialProgress::Words,
        true => TrialProgress::Samples,
    };
    let drawing = Drawing {
        plan: &plan,
        shop,
        shows,
    };
    if shows == TrialProgress::Words {
        output::out(&drawing.head(&context))?;
    }
    let (tell, told) = unbounded_channel();
    let playing = play_tries(&experiment, &plan, tell);
    let (samples, watched) = tokio::join!(playing, watch(shows, &plan.turn, told));
    let samples = samples?;
    watched?;
    if args.json {
        output::out(&(output::harmless_json(&as_json(&plan, &samples).to_string()) + "\n"))?;
    } else {
        if shows != TrialProgress::Words {
            output::out(&drawing.head(&context))?;
        }
        output::out(&drawing.tail(&samples))?;
    }
    if let Some(number) = args.adopt {
        let sample = samples.iter().find(|sample| sample.number == number);
        let sample = sample.with_context(|| format!("sample {number} was not played"))?;
        if sample.attempt().is_none() {
            bail!("sample {number} brought no reply: there is nothing to adopt");
        }
        adopt(&experiment.desk, &sample.session)?;
        output::notice(&format!(
            "sample {number} is session {} now, a fork of {}",
            sample.session, plan.session
        ));
    }
    Ok(exit(&samples, plan.samples))
}

/// Returns how far samples are played.
pub(super) fn roll(choice: RollForwardChoice) -> RollForward {
    match choice {
        RollForwardChoice::Turn => RollForward::Turn,
        RollForwardChoice::Next => RollForward::Next,
        RollForwardChoice::End => RollForward::End,
    }
}

/// Returns what becomes of requests that were asked before.
pub(super) fn repeats(ask_anew: AskAnew) -> Repeats {
    match ask_anew.ask_anew {
        true => Repeats::AskAnew,
        false => Repeats::Serve,
    }
}

fn exit(samples: &[TrySample], wanted: u32) -> Exit {
    let stopped = samples
        .iter()
        .any(|sample| matches!(sample.end, SampleEnd::Paused | SampleEnd::Stopped));
    let failed = samples
        .iter()
        .any(|sample| matches!(sample.end, SampleEnd::Failed(_)));
    if stopped || samples.len() < wanted as usize {
        Exit::Unfinished
    } else if failed {
        Exit::SomeFailed
    } else {
        Exit::Fine
    }
}

struct Drawing<'a> {
    plan: &'a TryPlan,
    shop: &'a Workshop,
    shows: TrialProgress,
}

impl Drawing<'_> {
    /// What is known before anybody is asked.
    fn head(&self, context: &TurnContext) -> String {
        let mut page = Page::new(output::width(), self.shop.colour);
        let plan = self.plan;
        page.inked(
            Ink::Bold,
            0,
            &format!("{} of session {}", plan.turn, plan.session),
        );
        let created = context.state.created();
        if created.is_some_and(Created::is_simulated) {
            page.inked(
                Ink::Middle,
                0,
                "SIMULATED: a check of the instrument, no evidence about prompts",
            );
        }
        if let Some((_, recorded)) = context.recorded() {
            page.gap();
            page.inked(Ink::Bold, 0, "recorded");
            page.prose(Ink::Plain, 2, &recorded.reply.text);
        }
        if self.shows == TrialProgress::Words {
            page.gap();
            page.inked(Ink::Bold, 0, "sample 0");
        }
        page.finish()
    }

    /// What came; words that were seen as they came are not said again.
    fn tail(&self, samples: &[TrySample]) -> String {
        let mut page = Page::new(output::width(), self.shop.colour);
        let (mut usd, mut unpriced) = (0.0, 0);
        for sample in samples {
            page.gap();
            let found = own_verdict(sample);
            let cached = if sample.is_cached() { " (cached)" } else { "" };
            let title = format!("sample {}{found}{cached}", sample.number);
            page.inked(Ink::Bold, 0, &title);
            match sample.text() {
                Some(_) if self.shows == TrialProgress::Words => {}
                Some(text) => page.prose(Ink::Plain, 2, text),
                None => page.line(2, "nothing came"),
            }
            for line in followed(sample) {
                page.line(2, &line);
            }
            if let Some(why) = ended(&sample.end) {
                page.inked(Ink::Bad, 2, &why);
            }
            let spend = sample.state.spend();
            usd += spend.cost_usd;
            unpriced += spend.unpriced_calls;
        }
        page.gap();
        page.line(
            0,
            &format!(
                "{}, {}; one step off the recorded path: the session is as it was",
                counted(samples.len(), "sample"),
                cost::sum(usd, unpriced)
            ),
        );
        page.finish()
    }
}

fn own_verdict(sample: &TrySample) -> String {
    let Some(attempt) = sample.attempt() else {
        return String::new();
    };
    let own = sample
        .findings()
        .into_iter()
        .filter(|(id, _)| *id == attempt);
    let labels: Vec<String> = own.map(|(_, outcome)| label(&outcome)).collect();
    match labels.is_empty() {
        true => String::new(),
        false => format!(": {}", labels.join(", ")),
    }
}

/// Says what was found on the turns that followed.
fn followed(sample: &TrySample) -> Vec<String> {
    let attempt = sample.attempt();
    let after = sample
        .findings()
        .into_iter()
        .filter(|(id, _)| Some(id) != attempt.as_ref());
    after
        .map(|(id, outcome)| format!("{}: {}", id.turn, label(&outcome)))
        .collect()
}

/// Returns the cost, or `None` where a model without prices was called.
fn known_usd(spend: &Spend) -> Option<f64> {
    (spend.unpriced_calls == 0).then_some(spend.cost_usd)
}

fn ended(end: &SampleEnd) -> Option<String> {
    match end {
        SampleEnd::Played => None,
        SampleEnd::Failed(why) => Some(format!("failed: {why}")),
        SampleEnd::Paused => Some("the ceiling allows no more calls".to_owned()),
        SampleEnd::Stopped => Some("stopped".to_owned()),
    }
}

fn as_json(plan: &TryPlan, samples: &[TrySample]) -> serde_json::Value {
    let samples: Vec<_> = samples
        .iter()
        .map(|sample| {
            let findings: Vec<_> = sample
                .findings()
                .into_iter()
                .map(|(id, outcome)| json!({"turn": id.turn, "found": label(&outcome)}))
                .collect();
            json!({
                "sample": sample.number,
                "session": sample.session,
                "text": sample.text(),
                "cached": sample.is_cached(),
                "findings": findings,
                "failed": ended(&sample.end),
                "cost_usd": known_usd(&sample.state.spend()),
            })
        })
        .collect();
    json!({"session": plan.session, "turn": plan.turn, "samples": samples})
}
