//! `elenchus run --estimate`: what a debate or a run would take. Plays and writes nothing.

use super::args::RunArgs;
use super::{What, one, plan, print_refused_rows};
use crate::cli::common::{Workshop, counted, estimate, output};
use anyhow::Result;
use elenchus_records::workspace::EarlierLatencies;
use elenchus_run::engine::SeatedGame;
use elenchus_run::engine::seats::models_of;
use elenchus_run::experiments::run::Pace;
use serde_json::json;
use std::collections::BTreeSet;

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
    let (debates, topics, cost, time) = match what {
        What::Topic(text) => {
            let created = one::created(args, shop, party, text)?;
            (1, 1, created.estimate, pace.time_of_debate(&created))
        }
        What::Datasets => {
            pace.at_once = shop.side_by_side(args.experiment.concurrency);
            let (loaded, topics) = plan::load(args, shop)?;
            print_refused_rows(&args.experiment, &loaded);
            let planned = plan::plan(args, shop, party, &loaded, topics)?;
            let items = &planned.items;
            let ids: BTreeSet<&str> = items.iter().map(|item| item.topic.id.as_str()).collect();
            let time = pace.time_of_run(&planned.manifest, items);
            (items.len(), ids.len(), planned.estimate(), time)
        }
    };
    if let Some(line) = plan::simulation_notice(&party.cast).filter(|_| !args.experiment.quiet) {
        output::notice(&line);
    }
    let ceilings = shop.ceilings(&args.experiment.budget)?;
    if args.experiment.json {
        let mut all = estimate::json(cost.as_ref(), &time, pace.at_once);
        all["ceilings"] = json!(ceilings);
        all["protocol"] = json!(party.game.protocol.id);
        all["debates"] = json!(debates);
        all["topics"] = json!(topics);
        return output::json_lines([all]);
    }
    output::out(&output::harmless(&format!(
        "{} of '{}' on {}\nestimate: {}{}\ntime: {}\n",
        counted(debates, "debate"),
        party.game.protocol.id,
        counted(topics, "topic"),
        estimate::line_or_none(cost.as_ref()),
        estimate::ceilings(&ceilings),
        estimate::time_line(&time, pace.at_once)
    )))
}
