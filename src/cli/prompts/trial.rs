//! `elenchus prompts try`: a recorded turn, asked again with another prompt.

use super::render::{change, turn_of};
use super::trial_args::{RollForwardChoice, TryPromptArgs};
use super::trial_progress::{TrialProgress, label, watch};
use crate::cli::common::{
    Exit, ExperimentCommand, Ink, Page, Workshop, counted, output, resolve_session,
};
use anyhow::{Context, Result, bail};
use elenchus_game::debate::event::Created;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{CostEstimate, Spend};
use elenchus_run::drafts::prompt_trial::{OFF_THE_PATH, cost_of_samples};
use elenchus_run::engine::seats::models_of;
use elenchus_run::experiments::prompt_trial::{
    PromptTrial, RollForward, SampleEnd, TrialPlan, TryPlan, TrySample, TurnContext, adopt,
    estimate_sample,
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
pub fn run(args: &TryPromptArgs, shop: &Workshop) -> Result<Exit> {
    ExperimentCommand::run(COMMAND, &args.experiment, shop, |command| {
        try_out(command, args)
    })
}

async fn try_out(command: ExperimentCommand<'_>, all: &TryPromptArgs) -> Result<Exit> {
    let (args, shop) = (command.args, &command.shop);
    let known = args.resume.as_ref();
    let known = known.map(|text| find_experiment(&shop.layout, text));
    let known = known.transpose()?.map(|found| found.summary);
    let ceilings = match &known {
        Some(known) => known.ceilings,
        None => shop.ceilings(&args.budget)?,
    };
    let command = command.under(ceilings)?;
    let shop = &command.shop;
    let context = command.context(Arc::new(NoExperimentObserver))?;
    let mut trial = match known {
        Some(known) => {
            let typed = args.budget.typed()?;
            let trial = PromptTrial::resume(&context, &known.id, typed).await?;
            check_players(all, shop, trial.turn()).await?;
            trial
        }
        None => {
            let plan = asked(all, shop, ceilings).await?;
            if args.estimate {
                plan.check()?;
                let one = estimate_sample(&context, &plan)?;
                let all: CostEstimate = repeat_n(one, plan.samples as usize).sum();
                command.print_estimate(Some(&all), ceilings)?;
                return Ok(Exit::Fine);
            }
            PromptTrial::go_on_or_begin(&context, plan).await?
        }
    };
    output::notices(&trial.items.log.notices);
    let TrialPlan { id, asked, .. } = trial.items.log.state.plan.clone();
    if trial.items.is_resumed {
        let done = trial.items.log.state.done.len();
        command.say(&format!(
            "goes on with trial {id}: {done} of {} played already",
            counted(asked.samples as usize, "sample")
        ));
    }
    let shows = match std::io::stdout().is_terminal() && !args.json && !args.quiet {
        false => TrialProgress::Nothing,
        true if asked.samples == 1 => TrialProgress::Words,
        true => TrialProgress::Samples,
    };
    let drawing = Drawing {
        plan: &asked,
        shop,
        shows,
    };
    let head = drawing.head(trial.turn());
    if shows == TrialProgress::Words {
        output::out(&head)?;
    }
    let (tell, told) = unbounded_channel();
    let playing = trial.play(&context, tell);
    let (played, watched) = tokio::join!(playing, watch(shows, &asked.turn, told));
    let (end, samples) = played?;
    watched?;
    if args.json {
        output::json_lines([as_json(&trial.items.log.state.plan, &samples)])?;
    } else if args.quiet {
        output::out(&format!("{id}\n"))?;
    } else {
        if shows != TrialProgress::Words {
            output::out(&head)?;
        }
        output::out(&drawing.tail(&samples))?;
    }
    let exit = command.print_end(&end, &trial.items.log.summary());
    if let Some(number) = all.adopt {
        let sample = samples.iter().find(|sample| sample.number == number);
        let sample = sample.with_context(|| format!("sample {number} was not played"))?;
        if sample.attempt().is_none() {
            bail!("sample {number} brought no reply: there is nothing to adopt");
        }
        adopt(&context.desk, &sample.session)?;
        output::notice(&format!(
            "sample {number} is session {} now, a fork of {}",
            sample.session, asked.session
        ));
    }
    Ok(exit)
}

/// Returns what the arguments ask for, checked as far as it can be without asking a model.
async fn asked(args: &TryPromptArgs, shop: &Workshop, ceilings: Ceilings) -> Result<TryPlan> {
    let named = args.turn.as_deref().unwrap_or_default();
    let (session, turn) = named
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
    check_players(args, shop, &context).await?;
    if args.adopt.is_some_and(|number| number >= args.samples) {
        bail!(
            "samples are numbered from 0 to {}",
            args.samples.saturating_sub(1)
        );
    }
    let template = args.template.as_deref();
    let file = args.with.as_deref();
    let changed = file.map(|file| change(&context, file, template));
    Ok(TryPlan {
        session,
        turn,
        change: changed.transpose()?,
        samples: args.samples,
        first_sample: 0,
        roll: roll(args.roll_forward),
        repeats: args.ask_anew.ask_anew,
        ceilings,
    })
}

async fn check_players(args: &TryPromptArgs, shop: &Workshop, turn: &TurnContext) -> Result<()> {
    match turn.state.created() {
        Some(created) => {
            let players = models_of(&created.cast);
            shop.check_players(players, &args.experiment).await
        }
        None => Ok(()),
    }
}

/// Returns how far samples are played.
pub(super) fn roll(choice: RollForwardChoice) -> RollForward {
    match choice {
        RollForwardChoice::Turn => RollForward::Turn,
        RollForwardChoice::Next => RollForward::Next,
        RollForwardChoice::End => RollForward::End,
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
        page.bold(&format!("{} of session {}", plan.turn, plan.session));
        let created = context.state.created();
        if created.is_some_and(Created::is_simulated) {
            page.at(0)
                .middle("SIMULATED: a check of the instrument, no evidence about prompts");
        }
        if let Some((_, recorded)) = context.recorded() {
            page.title("recorded");
            page.behind_bar(2, |page| page.prose(Ink::Plain, 0, &recorded.reply.text));
        }
        if self.shows == TrialProgress::Words {
            page.title("sample 0");
        }
        page.finish()
    }

    /// What came; words that were seen as they came are not said again.
    fn tail(&self, samples: &[TrySample]) -> String {
        let mut page = Page::new(output::width(), self.shop.colour);
        for sample in samples {
            page.gap();
            let found = own_verdict(sample);
            let cached = if sample.is_cached() { " (cached)" } else { "" };
            page.bold(&format!("sample {}{found}{cached}", sample.number));
            match sample.text() {
                Some(_) if self.shows == TrialProgress::Words => {}
                Some(text) => page.behind_bar(2, |page| page.prose(Ink::Plain, 0, text)),
                None => page.at(2).line("nothing came"),
            }
            for line in followed(sample) {
                page.at(2).line(&line);
            }
            if let Some(why) = ended(&sample.end) {
                page.at(2).bad(&why);
            }
        }
        page.gap();
        page.line(&format!(
            "{}, {}; {OFF_THE_PATH}",
            counted(samples.len(), "sample"),
            cost_of_samples(samples.iter().map(|sample| &sample.state))
        ));
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

fn as_json(plan: &TrialPlan, samples: &[TrySample]) -> serde_json::Value {
    let TrialPlan { id, asked, .. } = plan;
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
    json!({
        "trial": id,
        "session": asked.session,
        "turn": asked.turn,
        "samples": samples,
    })
}
