//! `elenchus run --estimate`: what a debate or a run would take. Plays and writes nothing.

use super::args::RunArgs;
use super::{What, one, plan, print_refused_rows};
use crate::cli::common::{Workshop, counted, estimate, output};
use crate::debate::CostEstimate;
use crate::engine::SeatedGame;
use crate::engine::seats::models_of;
use crate::experiments::run::{ExpectedTime, Pace};
use crate::workspace::EarlierLatencies;
use anyhow::Result;
use serde_json::json;
use std::collections::BTreeSet;

/// What would be played, and what it would take.
struct Estimated {
    debates: usize,
    topics: usize,
    cost: Option<CostEstimate>,
    time: ExpectedTime,
}

/// Prints calls, tokens, cost and time.
///
/// # Errors
/// As those of what is estimated.
pub(super) fn print(
    args: &RunArgs,
    shop: &Workshop,
    party: &SeatedGame,
    what: &What<'_>,
) -> Result<()> {
    let models = models_of(&party.cast).map(|player| player.model.clone());
    let earlier = EarlierLatencies::read(&shop.layout, &models.collect())?;
    let mut pace = Pace {
        game: &party.game,
        seats: &shop.seats,
        earlier: &earlier,
        at_once: 1,
    };
    let found = match what {
        What::Topic(text) => {
            let created = one::created(args, shop, party, text)?;
            Estimated {
                debates: 1,
                topics: 1,
                cost: created.estimate,
                time: pace.time_of_debate(&created),
            }
        }
        What::Dataset(dataset) => {
            pace.at_once = shop.side_by_side(args.play.concurrency);
            let (loaded, topics) = plan::load(args, dataset)?;
            print_refused_rows(args, &loaded);
            let planned = plan::plan(args, shop, party, &loaded, topics)?;
            let items = &planned.items;
            let ids: BTreeSet<&str> = items.iter().map(|item| item.topic.id.as_str()).collect();
            Estimated {
                debates: items.len(),
                topics: ids.len(),
                cost: planned.estimate(),
                time: pace.time_of_run(&planned.manifest, items),
            }
        }
    };
    if let Some(line) = plan::simulation_notice(&party.cast).filter(|_| !args.quiet) {
        output::notice(&line);
    }
    let (cost, time) = (found.cost.as_ref(), &found.time);
    if args.json {
        let mut all = estimate::json(cost, time, pace.at_once);
        all["protocol"] = json!(party.game.protocol.id);
        all["debates"] = json!(found.debates);
        all["topics"] = json!(found.topics);
        return output::json_lines([all]);
    }
    output::out(&output::harmless(&format!(
        "{} of '{}' on {}\nestimate: {}\ntime: {}\n",
        counted(found.debates, "debate"),
        party.game.protocol.id,
        counted(found.topics, "topic"),
        estimate::line_or_none(cost),
        estimate::time_line(time, pace.at_once)
    )))
}
