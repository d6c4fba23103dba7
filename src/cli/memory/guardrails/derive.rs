//! `elenchus memory derive`: guardrails from the lessons of finished debates.

use super::args::GuardDeriveArgs;
use crate::cli::common::{
    CommandContext, Exit, format_noun_count, output, resolve_session, run_interruptible,
};
use anyhow::{Result, bail};
use elenchus_game::debate::SessionId;
use elenchus_game::debate::seeded_random::shuffle;
use elenchus_records::workspace::run::read_run;
use elenchus_records::workspace::{find_run, read_session};
use elenchus_run::engine::check_budget;
use elenchus_run::engine::cost::Budget;
use elenchus_run::engine::guardrails::{DerivedFrom, derive_guard};

/// Derives guardrails one after the other and prints their ids.
///
/// # Errors
/// When a debate wrote no lesson, a call failed, or its reply could not be read. Of a run's debates those
/// without a lesson are passed over, and what went wrong is said at the end.
pub fn run(args: &GuardDeriveArgs, context: &CommandContext) -> Result<Exit> {
    check_budget(args.budget_usd)?;
    let sessions = named_sessions(args, context)?;
    let writer = args.seat.as_ref();
    let writer = writer.map(|model| context.seats.find_guardrail_writer(model));
    let writer = writer.transpose()?;
    let run = context.hold_run("memory");
    run_interruptible(|cancel| async move {
        let budget = Budget::new(args.budget_usd, 0.0);
        let mut faults = Vec::new();
        for session in &sessions {
            let (namespace, came) =
                derive_guard(&run, (&budget, &cancel), session, writer.as_ref()).await?;
            let (guard, already) = match came {
                DerivedFrom::Guardrail(guard) => (guard, ""),
                DerivedFrom::Already(guard) => (guard, " before"),
                DerivedFrom::Unparsed(why) => {
                    faults.push(format!(
                        "the guardrail of session {session} could not be read, nor its repair: {why}; \
                         the replies are kept, and the same command asks again"
                    ));
                    continue;
                }
                DerivedFrom::Failed(why) => {
                    faults.push(format!(
                        "the call for the guardrail of session {session} failed: {why}"
                    ));
                    continue;
                }
                DerivedFrom::NotSent => {
                    output::print_notice(
                        "nothing was sent: the ceiling allows no call, or it was stopped",
                    );
                    return Ok(Exit::Unfinished);
                }
            };
            output::print_text(&format!("{}\n", guard.id))?;
            output::print_notice(&format!(
                "derived{already} in memory '{namespace}', {}: {}",
                guard.describe_status(),
                output::clean_line(&guard.text)
            ));
        }
        match faults.as_slice() {
            [] => Ok(Exit::Fine),
            [only] => bail!("{only}"),
            several => bail!(
                "{} were not derived: {}",
                format_noun_count(several.len(), "guardrail"),
                several.join("; ")
            ),
        }
    })
}

/// Returns the sessions that are named, or those of a run that wrote a lesson.
fn named_sessions(args: &GuardDeriveArgs, context: &CommandContext) -> Result<Vec<SessionId>> {
    let Some(run) = &args.run else {
        let names = args.session.iter();
        return names.map(|text| resolve_session(context, text)).collect();
    };
    let layout = &context.store.layout;
    let run = find_run(layout, run)?;
    let run_state = read_run(&layout.run_path(run.as_str())?)?;
    let mut sessions = Vec::new();
    for item in &run_state.items {
        let path = layout.session_path(item.session.as_str())?;
        if !path.exists() {
            continue;
        }
        let state = read_session(&path)?;
        let own_lesson = state.lesson().filter(|_| !state.is_lesson_inherited());
        if own_lesson.is_some_and(|lesson| !lesson.reply.is_empty()) {
            sessions.push(item.session.clone());
        }
    }
    if sessions.is_empty() {
        bail!(
            "no debate of run {run} wrote a lesson, and guardrails are derived from lessons; play a game \
             with a feedback seat, as pred, in which turns are found unsafe"
        );
    }
    if let Some(sample) = args.sample {
        draw_sample(&mut sessions, sample, args.seed)?;
    }
    Ok(sessions)
}

/// Draws some of a run's debates, so that a larger draw of the same seed holds a smaller one: guardrails of 80,
/// 120 and 200 lessons are points of one curve.
fn draw_sample(sessions: &mut Vec<SessionId>, sample: usize, seed: u64) -> Result<()> {
    let all = sessions.len();
    if sample > all {
        bail!(
            "--sample {sample}: {} of this run wrote a lesson; give {all} or less, or leave --sample out",
            format_noun_count(all, "debate")
        );
    }
    shuffle(sessions, seed, &["guardrails of a run"]);
    sessions.truncate(sample);
    output::print_notice(&format!(
        "drawn: {sample} of {} that wrote a lesson (seed {seed})",
        format_noun_count(all, "debate")
    ));
    Ok(())
}
