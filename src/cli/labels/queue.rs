//! `elenchus labels queue` and `elenchus labels extend`: turns drawn to be labelled.

use super::args::{ExtendArgs, QueueArgs};
use crate::cli::common::{CommandContext, format_noun_count, output, print_missing_journals};
use anyhow::Result;
use elenchus_annotation::queue::{
    DrawnQueue, QueueFilter, QueuePlan, QueueUnit, Sampling, begin_queue, extend_queue,
};

/// Draws a queue.
///
/// # Errors
/// When a session, run or set does not exist, a queue of that name is there, or nothing fits.
pub async fn draw_queue(args: &QueueArgs, context: &CommandContext) -> Result<()> {
    let book = context.library.read_label_set(&args.set)?;
    let (sessions, runs) = args.sessions.resolve_ids(context)?;
    let filter = QueueFilter {
        sessions,
        runs,
        protocols: args.protocol.clone(),
        seats: args.seat.clone(),
        rounds: args.round.clone(),
        categories: args.category.clone(),
        verdicts: args.verdict.clone(),
        disagreement: args.disagreements,
        labelled: args.unlabelled,
        people: args.people,
        of: args.simulated,
    };
    let sampling = choose_sampling(args.all, args.sample, args.per_stratum);
    let plan = QueuePlan {
        queue: args.name.clone(),
        filter,
        unit: match (args.pairs, args.debates) {
            (true, _) => QueueUnit::Pair,
            (false, true) => QueueUnit::Debate,
            (false, false) => QueueUnit::Turn,
        },
        sampling: sampling.unwrap_or(Sampling::All),
        strata: args.strata.clone(),
        order: args.order,
        repeats_percent: args.repeats,
        seed: args.seed,
    };
    let store = context.hold_store("labels", args.by.person.as_ref());
    print_missing_journals(context)?;
    let queue_draw = begin_queue(&store, &book, plan).await?;
    print_draw_summary(&queue_draw);
    if queue_draw.queue.definition.filter.is_by_verdict() {
        output::print_notice(
            "notice: it is drawn by what evaluators said: sensitivity and corrected error rates \
             cannot be told from it alone",
        );
    }
    output::print_notice(&format!("label it with: elenchus annotate {}", args.name));
    Ok(())
}

/// Draws more into a queue.
///
/// # Errors
/// When there is no such queue, another process extends it, or no new unit exists.
pub async fn draw_more(args: &ExtendArgs, context: &CommandContext) -> Result<()> {
    let sampling = choose_sampling(args.all, args.sample, args.per_stratum);
    let store = context.hold_store("labels", args.by.person.as_ref());
    print_missing_journals(context)?;
    let queue_draw = extend_queue(&store, &args.name, sampling).await?;
    print_draw_summary(&queue_draw);
    Ok(())
}

fn choose_sampling(all: bool, sample: Option<u32>, each: Option<u32>) -> Option<Sampling> {
    match (all, sample, each) {
        (true, _, _) => Some(Sampling::All),
        (false, Some(units), _) => Some(Sampling::Sample { units }),
        (false, None, Some(units)) => Some(Sampling::Each { units }),
        (false, None, None) => None,
    }
}

/// Says what was drawn out of what, and what was passed over.
pub(crate) fn print_draw_summary(drawn: &DrawnQueue) {
    let queue = &drawn.queue;
    let Some(wave) = queue.waves.last() else {
        return;
    };
    let unit = queue.definition.unit.word();
    for stratum in &wave.strata {
        output::print_notice(&format!(
            "{}: {} of {}",
            stratum.name,
            stratum.taken,
            format_noun_count(stratum.of as usize, unit)
        ));
    }
    output::print_notice(&format!(
        "queue '{}': {} to label by '{}', from {}{}",
        queue.definition.queue,
        format_noun_count(wave.items.len(), "item"),
        queue.definition.set,
        format_noun_count(drawn.sessions, "session"),
        match queue.waves.len() {
            1 => String::new(),
            waves => format!("; {} in {waves} waves", queue.len()),
        }
    ));
    let left_out = drawn.disregarded;
    let left_out_counts = [
        (left_out.unfinished_sessions, "session", "not over yet"),
        (
            left_out.other_kind_sessions,
            "session",
            "of the other kind, simulated or real",
        ),
        (
            left_out.unreadable_sessions,
            "session",
            "unreadable; 'elenchus verify' names them",
        ),
        (left_out.refused_turns, "turn", "refused by guardrails"),
        (left_out.empty_turns, "turn", "empty replies"),
        (
            left_out.peoples_turns,
            "turn",
            "written, edited or chosen by people",
        ),
    ];
    for (count, noun, why) in left_out_counts
        .into_iter()
        .filter(|(count, _, _)| *count > 0)
    {
        output::print_notice(&format!(
            "notice: left out: {}, {why}",
            format_noun_count(count, noun)
        ));
    }
}
