//! `elenchus labels queue` and `elenchus labels extend`: turns drawn to be labelled.

use super::args::{ExtendArgs, PerStratum, QueueArgs};
use crate::cli::common::{CommandContext, format_noun_count, output, print_missing_journals};
use anyhow::{Result, bail};
use elenchus_annotation::queue::{
    DrawnQueue, Queue, QueueFilter, QueuePlan, QueueUnit, Sampling, begin_queue, describe_draw,
    draw_further, extend_queue, find_same_queue, warn_of_single_call,
};
use elenchus_annotation::validation::{MissingLabels, read_further_draw};
use elenchus_records::workspace::{StoreIndex, find_run};

/// Draws a queue, or finds the one that the same command drew before.
///
/// # Errors
/// When a session, run or set does not exist, a queue of that name was drawn otherwise, or nothing fits.
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
        arms: args.arm.clone(),
        disagreement: args.disagreements,
        labelled: args.unlabelled,
        people: args.people,
        of: args.simulated,
        // The set says it.
        about: book.set.of,
    };
    let sampling = choose_sampling(args.all, args.sample, args.per_stratum.as_ref());
    let plan = QueuePlan {
        queue: args.name.clone(),
        filter,
        unit: match (args.pairs, args.debates) {
            (true, _) => QueueUnit::Pair,
            (false, true) => QueueUnit::Debate,
            (false, false) => QueueUnit::from_target(book.set.of),
        },
        sampling: sampling.unwrap_or(Sampling::All),
        strata: args.strata.clone(),
        order: args.order,
        repeats_percent: args.repeats,
        seed: args.seed,
    };
    let store = context.hold_store("labels", args.by.person.as_ref());
    print_missing_journals(context)?;
    if let Some(queue) = find_same_queue(&context.store.layout, &book, &plan) {
        print_same_queue(&queue);
        return Ok(());
    }
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

/// Says that a queue is there as it would be drawn, and how one goes on with it.
fn print_same_queue(queue: &Queue) {
    let name = &queue.definition.queue;
    output::print_notice(&format!(
        "queue '{name}' is there already, drawn {} by the same words: {} to label by '{}'; nothing was drawn",
        output::day_part(&queue.begun_at),
        format_noun_count(queue.len(), "item"),
        queue.definition.set,
    ));
    output::print_notice(&format!(
        "draw from what has ended since with: elenchus labels extend {name}"
    ));
    output::print_notice(&format!("label it with: elenchus annotate {name}"));
}

/// Draws more into a queue.
///
/// # Errors
/// When there is no such queue, another process extends it, or no new unit exists.
pub async fn draw_more(args: &ExtendArgs, context: &CommandContext) -> Result<()> {
    if args.unlabelled {
        return draw_passed_over(args, context).await;
    }
    let sampling = choose_sampling(args.all, args.sample, args.per_stratum.as_ref());
    let store = context.hold_store("labels", args.by.person.as_ref());
    print_missing_journals(context)?;
    let queue_draw = extend_queue(&store, &args.name, sampling).await?;
    print_draw_summary(&queue_draw);
    Ok(())
}

/// Draws more of what the queue was drawn from.
async fn draw_passed_over(args: &ExtendArgs, context: &CommandContext) -> Result<()> {
    let Some(PerStratum::Named(counts)) = args.per_stratum.clone() else {
        bail!("--unlabelled needs a number for each verdict: --per-stratum unsafe=20,safe=36");
    };
    let run = args.run.iter();
    let run = run.map(|run| find_run(&context.store.layout, run)).next();
    let missing = MissingLabels {
        queue: args.name.clone(),
        evaluator: args.evaluator.clone(),
        arm: args.arm.clone(),
        run: run.transpose()?,
        hash_check: args.hash_check,
        positive: args.positive.clone(),
        counts,
        waiting: 0,
        is_refused: false,
    };
    let index = context.read_index(StoreIndex::read_findings);
    let further = read_further_draw(&index, &context.library, &missing);
    index.write_changes();
    let store = context.hold_store("labels", args.by.person.as_ref());
    print_missing_journals(context)?;
    let (queue_draw, calls) = draw_further(&store, &args.name, &further?).await?;
    output::print_notice(&describe_draw(&calls));
    if let Some(warning) = warn_of_single_call(&missing.counts) {
        output::print_notice(&format!("notice: {warning}"));
    }
    print_wave_summary(&queue_draw);
    output::print_notice(&format!("label it with: elenchus annotate {}", args.name));
    Ok(())
}

fn choose_sampling(all: bool, sample: Option<u32>, each: Option<&PerStratum>) -> Option<Sampling> {
    match (all, sample, each) {
        (true, _, _) => Some(Sampling::All),
        (false, Some(units), _) => Some(Sampling::Sample { units }),
        (false, None, Some(PerStratum::Each(units))) => Some(Sampling::Each { units: *units }),
        (false, None, Some(PerStratum::Named(counts))) => Some(Sampling::Named {
            units: counts.iter().cloned().collect(),
        }),
        (false, None, None) => None,
    }
}

/// Says what was drawn out of what, and what was passed over.
pub(crate) fn print_draw_summary(drawn: &DrawnQueue) {
    let queue = &drawn.queue;
    let unit = queue.definition.unit_noun();
    let strata = queue.waves.last().map(|wave| &wave.strata);
    for stratum in strata.into_iter().flatten() {
        output::print_notice(&format!(
            "{}: {} of {}",
            stratum.name,
            stratum.taken,
            format_noun_count(stratum.of as usize, unit)
        ));
    }
    print_wave_summary(drawn);
}

/// Says how many items the last wave has, and what was passed over.
fn print_wave_summary(drawn: &DrawnQueue) {
    let queue = &drawn.queue;
    let Some(wave) = queue.waves.last() else {
        return;
    };
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
    let lacking = format!("without a {}", queue.definition.filter.about.name());
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
        (left_out.sessions_without_subject, "session", &lacking),
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
