//! `elenchus labels queues`.

use crate::cli::args_labels::QueuesArgs;
use crate::cli::exit::Exit;
use crate::cli::list::table;
use crate::cli::page;
use crate::cli::workshop::Workshop;
use crate::driver::desk::{Margins, Progress, Queue, find_queue, progress, queues, read_margins};
use serde_json::json;

/// Lists the queues with how far everybody is, or shows one.
///
/// # Errors
/// When the queues cannot be listed, or there is none of that name.
pub fn run(args: &QueuesArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    if !shop.layout.root().exists() {
        return Ok(none());
    }
    let (margins, unread) = read_margins(&shop.layout)?;
    for margin in unread {
        page::notice(&format!("notice: {}: {}", margin.annotator, margin.why));
    }
    if let Some(name) = &args.name {
        let queue = find_queue(&shop.layout, name)?;
        let text = match args.json {
            true => page::harmless_json(&as_json(&queue, &margins)?.to_string()) + "\n",
            false => shown(&queue, &margins),
        };
        page::out(&text)?;
        return Ok(Exit::Fine);
    }
    let mut found = Vec::new();
    for (name, queue) in queues(&shop.layout)? {
        match queue {
            Ok(queue) => found.push(queue),
            Err(error) => page::notice(&format!("notice: queue '{name}' is not shown: {error}")),
        }
    }
    if args.json {
        let mut text = String::new();
        for queue in &found {
            text.push_str(&page::harmless_json(&as_json(queue, &margins)?.to_string()));
            text.push('\n');
        }
        page::out(&text)?;
        return Ok(Exit::Fine);
    }
    if found.is_empty() {
        return Ok(none());
    }
    let rows: Vec<[String; 5]> = found
        .iter()
        .map(|queue| {
            [
                queue.definition.queue.clone(),
                queue.definition.set.clone(),
                queue.len().to_string(),
                queue.waves.len().to_string(),
                who(queue, &margins),
            ]
        })
        .collect();
    let heads = ["QUEUE", "SET", "ITEMS", "WAVES", "LABELLED BY"];
    page::out(&table(&heads, &rows, page::width()))?;
    Ok(Exit::Fine)
}

fn none() -> Exit {
    page::notice("there are no queues yet; 'elenchus labels queue NAME --sample N' draws one");
    Exit::Fine
}

/// Returns how far everybody is who has labelled anything of a queue.
fn all_progress(queue: &Queue, margins: &Margins) -> Vec<Progress> {
    let annotators = margins.annotators();
    let all = annotators.map(|annotator| progress(queue, margins, annotator));
    all.filter(|progress| progress.labelled > 0).collect()
}

fn who(queue: &Queue, margins: &Margins) -> String {
    let all = all_progress(queue, margins).into_iter();
    let all: Vec<String> = all
        .map(|one| format!("{} {}/{}", one.annotator, one.labelled, one.of))
        .collect();
    match all.is_empty() {
        true => "nobody yet".to_owned(),
        false => all.join(", "),
    }
}

fn shown(queue: &Queue, margins: &Margins) -> String {
    let definition = &queue.definition;
    let filter = serde_json::to_string(&definition.filter).unwrap_or_default();
    let mut text = format!(
        "queue '{}': {} items by '{}' (codebook {}), drawn {} by {}s, seed {}, {} % hidden repeats\n",
        definition.queue,
        queue.len(),
        definition.set,
        definition.codebook_sha256,
        queue.begun_at,
        definition.unit.word(),
        definition.seed,
        definition.repeats_percent,
    );
    text.push_str(&format!("from: {filter}\n"));
    for wave in &queue.waves {
        for stratum in &wave.strata {
            text.push_str(&format!(
                "  wave {}  {} of {}  {}\n",
                wave.wave, stratum.taken, stratum.of, stratum.name
            ));
        }
    }
    text.push_str(&format!("labelled by: {}\n", who(queue, margins)));
    crate::exchange::visible(&text, crate::exchange::Keep::Newlines).to_string()
}

fn as_json(queue: &Queue, margins: &Margins) -> anyhow::Result<serde_json::Value> {
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
    let progress = all_progress(queue, margins).into_iter().map(|one| {
        json!({
            "annotator": one.annotator,
            "labelled": one.labelled,
            "of": one.of,
            "last_at": one.last_at,
        })
    });
    Ok(json!({
        "queue": definition.queue,
        "set": definition.set,
        "codebook_sha256": definition.codebook_sha256.to_string(),
        "unit": definition.unit,
        "filter": serde_json::to_value(&definition.filter)?,
        "by_verdict": definition.filter.is_by_verdict(),
        "seed": definition.seed,
        "repeats_percent": definition.repeats_percent,
        "items": queue.len(),
        "strata": strata.collect::<Vec<_>>(),
        "progress": progress.collect::<Vec<_>>(),
    }))
}
