//! `elenchus labels queues`: queues with each annotator's progress.

use super::args::QueuesArgs;
use crate::cli::common::{CommandContext, output, print_table};
use anyhow::Result;
use elenchus_annotation::queue::{
    Progress, Queue, compute_progress, find_queue, list_labelled_queues,
};
use elenchus_records::workspace::annotations::{Annotations, read_annotations};
use elenchus_text::safe_text::format_noun_count;
use serde_json::json;

/// Lists the queues with how far everybody is, or shows one.
///
/// # Errors
/// When the queues cannot be listed, or there is none of that name.
pub fn run(args: &QueuesArgs, context: &CommandContext) -> Result<()> {
    let (annotations, unread) = read_annotations(&context.store.layout)?;
    output::print_notices(unread);
    if let Some(name) = &args.name {
        let queue = find_queue(&context.store.layout, name)?;
        return match args.output.json {
            true => output::print_json_lines([queue_to_json(&queue, &annotations)?]),
            false => output::print_text(&format_queue(&queue, &annotations)),
        };
    }
    let mut readable_queues = Vec::new();
    for (name, queue) in list_labelled_queues(&context.store.layout)? {
        match queue {
            Ok(queue) => readable_queues.push(queue),
            Err(error) => {
                output::print_notice(&format!("notice: queue '{name}' is not shown: {error}"))
            }
        }
    }
    if args.output.json {
        let queues = readable_queues
            .iter()
            .map(|queue| queue_to_json(queue, &annotations));
        return output::print_json_lines(queues.collect::<Result<Vec<_>>>()?);
    }
    if readable_queues.is_empty() {
        output::print_notice(
            "there are no queues yet; 'elenchus labels queue NAME --sample N' draws one",
        );
        return Ok(());
    }
    print_table(
        &readable_queues,
        &[
            ("QUEUE", &|queue| queue.definition.queue.clone()),
            ("SET", &|queue| queue.definition.set.clone()),
            ("OF", &|queue| format!("{}s", queue.definition.unit_noun())),
            ("ITEMS", &|queue| queue.len().to_string()),
            ("WAVES", &|queue| queue.waves.len().to_string()),
            ("LABELLED BY", &|queue| {
                describe_annotators(queue, &annotations)
            }),
        ],
    )
}

/// Returns how far everybody is who has labelled anything of a queue.
fn list_progress(queue: &Queue, annotations: &Annotations) -> Vec<Progress> {
    let annotators = annotations.annotators();
    let progress_list = annotators.map(|annotator| compute_progress(queue, annotations, annotator));
    progress_list
        .filter(|progress| progress.labelled > 0)
        .collect()
}

fn describe_annotators(queue: &Queue, annotations: &Annotations) -> String {
    let parts = list_progress(queue, annotations).into_iter();
    let parts: Vec<String> = parts
        .map(|one| {
            let repeats = match one.of - one.shown_of {
                0 => String::new(),
                many => format!(" with {} hidden", format_noun_count(many, "repeat")),
            };
            let Progress {
                annotator,
                labelled,
                of,
                ..
            } = one;
            format!("{annotator} {labelled}/{of}{repeats}")
        })
        .collect();
    match parts.is_empty() {
        true => "no annotator yet".to_owned(),
        false => parts.join(", "),
    }
}

fn format_queue(queue: &Queue, annotations: &Annotations) -> String {
    let definition = &queue.definition;
    let filter = serde_json::to_string(&definition.filter).unwrap_or_default();
    let mut text = format!(
        "queue '{}': {} items by '{}' (codebook {}), drawn {} by {}s, seed {}, {} % hidden repeats\n",
        definition.queue,
        queue.len(),
        definition.set,
        definition.codebook_sha256,
        queue.begun_at,
        definition.unit_noun(),
        definition.seed,
        definition.repeats_percent,
    );
    text.push_str(&format!("from: {filter}\n"));
    if let Some(at) = &queue.removed_at {
        text.push_str(&format!("removed {at}: its labels stay\n"));
    }
    for wave in &queue.waves {
        for (at, stratum) in wave.strata.iter().enumerate() {
            let later = queue.find_replacing_wave(wave.wave, at);
            let later = later.map(|later| format!(" (more of it in wave {later})"));
            text.push_str(&format!(
                "  wave {}  {} of {}  {}{}\n",
                wave.wave,
                stratum.taken,
                stratum.of,
                stratum.name,
                later.unwrap_or_default()
            ));
        }
    }
    text.push_str(&format!(
        "labelled by: {}\n",
        describe_annotators(queue, annotations)
    ));
    output::clean_lines(&text)
}

fn queue_to_json(queue: &Queue, annotations: &Annotations) -> Result<serde_json::Value> {
    let definition = &queue.definition;
    let strata = queue.waves.iter().flat_map(|wave| {
        let of_wave = wave.strata.iter();
        of_wave.map(|stratum| {
            json!({
                "wave": wave.wave,
                "stratum": stratum.name,
                "taken": stratum.taken,
                "of": stratum.of,
            })
        })
    });
    Ok(json!({
        "queue": definition.queue,
        "set": definition.set,
        "codebook_sha256": definition.codebook_sha256.to_string(),
        "unit": definition.unit,
        "of": definition.unit_noun(),
        "filter": serde_json::to_value(&definition.filter)?,
        "by_verdict": definition.filter.is_by_verdict(),
        "seed": definition.seed,
        "repeats_percent": definition.repeats_percent,
        "items": queue.len(),
        "strata": strata.collect::<Vec<_>>(),
        "progress": list_progress(queue, annotations),
    }))
}
