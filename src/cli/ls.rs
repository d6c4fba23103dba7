//! `elenchus ls`: sessions and runs at a glance, the newest first.

use super::args::LsArgs;
use super::exit::Exit;
use super::page::{self, columns, counted, fit};
use super::short::tell_short;
use super::workshop::Workshop;
use crate::debate::event::Player;
use crate::debate::{RunId, SessionId};
use crate::driver::{RunState, Summary, Unreadable, find_run, find_session, runs, summaries};
use crate::exchange::cost;
use anyhow::bail;
use jiff::Timestamp;
use serde_json::json;
use std::collections::BTreeMap;

/// Names the newest session wherever a session is asked for.
pub const LAST: &str = "last";
/// Ids are never shown shorter than this.
const MIN_SHORT_ID: usize = 6;
/// Between two columns.
const GUTTER: &str = "  ";
/// The narrowest column of topics.
const MIN_TOPIC: usize = 12;
/// The widest cells of the columns before the topic.
const MAX_CELL: usize = 14;
/// What the column of verdicts holds.
const STRIP: &str =
    "verdicts: s safe or good, m in the middle, u unsafe or bad, ? unparsed, e empty";

/// Lists sessions or runs.
///
/// # Errors
/// When the store cannot be listed, or `--run` names no run.
pub fn run(args: &LsArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    if args.runs {
        list_runs(args, shop)?;
    } else {
        list_sessions(args, shop)?;
    }
    tell_short(shop)?;
    Ok(Exit::Fine)
}

/// Finds the session that an id, its beginning, its end, or `last` names.
///
/// # Errors
/// When none or several do.
pub fn resolve_session(shop: &Workshop, text: &str) -> anyhow::Result<SessionId> {
    if text != LAST {
        return Ok(find_session(&shop.layout, text)?);
    }
    // Ids begin with the time of their creation, so the newest is the last.
    match shop.layout.sessions()?.pop() {
        Some(id) => Ok(SessionId::new(id)),
        None => bail!("there is no session yet; 'elenchus run' plays one"),
    }
}

/// Returns for each id the shortest end, of one length for all, that names it and no other.
///
/// Ids of one moment share their beginnings, and an id's beginning names it as well as its end, so
/// an end that is another id's beginning is no name either.
pub fn short_ids(ids: &[String]) -> BTreeMap<String, String> {
    let longest = ids.iter().map(String::len).max().unwrap_or(0);
    let length = (MIN_SHORT_ID..longest)
        .find(|length| {
            let mut named: BTreeMap<&str, u32> = BTreeMap::new();
            for id in ids {
                let (first, last) = (beginning(id, *length), end(id, *length));
                *named.entry(last).or_default() += 1;
                if first != last {
                    *named.entry(first).or_default() += 1;
                }
            }
            ids.iter().all(|id| named.get(end(id, *length)) == Some(&1))
        })
        .unwrap_or(longest);
    ids.iter()
        .map(|id| (id.clone(), end(id, length).to_owned()))
        .collect()
}

// Ids of the store are ASCII; anything else is left whole.
fn beginning(id: &str, length: usize) -> &str {
    id.get(..length).unwrap_or(id)
}

fn end(id: &str, length: usize) -> &str {
    id.len()
        .checked_sub(length)
        .and_then(|start| id.get(start..))
        .unwrap_or(id)
}

fn list_sessions(args: &LsArgs, shop: &Workshop) -> anyhow::Result<()> {
    let run = match &args.run {
        Some(text) => Some(find_run(&shop.layout, text)?),
        None => None,
    };
    let (mut found, unreadable) = summaries(&shop.layout, &shop.cache())?;
    tell_unreadable("session", &unreadable);
    let ids: Vec<String> = shop.layout.sessions()?;
    let all = found.len();
    found.retain(|summary| {
        run.as_ref()
            .is_none_or(|run| summary.run.as_ref() == Some(run))
            && args
                .protocol
                .as_ref()
                .is_none_or(|id| &summary.protocol == id)
    });
    found.sort_by(|a, b| (&b.begun_at, b.session.as_str()).cmp(&(&a.begun_at, a.session.as_str())));
    found.truncate(args.limit.unwrap_or(usize::MAX));
    if args.json {
        let mut text = String::new();
        for summary in &found {
            text.push_str(&page::harmless_json(&serde_json::to_string(summary)?));
            text.push('\n');
        }
        return page::out(&text);
    }
    if found.is_empty() {
        if all > 0 {
            page::notice(&format!(
                "none of {} is of that kind",
                counted(all, "session")
            ));
        } else if unreadable.is_empty() {
            page::notice(&format!(
                "there is no session in {} yet; this plays one without any server:\n  \
                 elenchus run --protocol pred --topic 'Is it safe to …?' --model sim",
                shop.layout.root().display()
            ));
        }
        return Ok(());
    }
    let short = short_ids(&ids);
    let now = shop.clock.now();
    let rows: Vec<[String; 8]> = found
        .iter()
        .map(|summary| session_row(summary, &short, &now))
        .collect();
    let heads = [
        "ID", "PROTOCOL", "STATE", "ROUNDS", "VERDICTS", "COST", "AGE", "TOPIC",
    ];
    let mut text = table(&heads, &rows, page::width());
    if found.iter().any(|summary| !summary.verdicts.is_empty()) {
        text.push_str(STRIP);
        text.push('\n');
    }
    if found.iter().any(|summary| summary.simulated) {
        text.push_str("sim: simulated models play there; no evidence about models or protocols\n");
    }
    page::out(&text)
}

fn session_row(summary: &Summary, short: &BTreeMap<String, String>, now: &str) -> [String; 8] {
    let id = summary.session.as_str();
    [
        short.get(id).cloned().unwrap_or_else(|| id.to_owned()),
        summary.protocol.clone(),
        summary.state.word().to_owned(),
        format!("{}/{}", summary.rounds.0, summary.rounds.1),
        summary.verdicts.clone(),
        cost(cost::known(summary.cost_usd), summary.simulated),
        age(&summary.begun_at, now),
        summary.topic.clone(),
    ]
}

/// Marks a cost where simulated models, which cost nothing, were among those called.
fn cost(cost: String, simulated: bool) -> String {
    match simulated {
        true if cost == cost::usd(0.0) => "sim".to_owned(),
        true => format!("sim {cost}"),
        false => cost,
    }
}

fn list_runs(args: &LsArgs, shop: &Workshop) -> anyhow::Result<()> {
    let (mut found, unreadable) = runs(&shop.layout)?;
    tell_unreadable("run", &unreadable);
    found.sort_by(|a, b| {
        let key = |run: &RunState| (run.begun_at.clone(), run.manifest.run.clone());
        key(b).cmp(&key(a))
    });
    found.truncate(args.limit.unwrap_or(usize::MAX));
    let unpriced = unpriced(shop)?;
    if args.json {
        let lines: Vec<String> = found
            .iter()
            .map(|run| page::harmless_json(&run_json(run, &unpriced).to_string()) + "\n")
            .collect();
        return page::out(&lines.concat());
    }
    if found.is_empty() {
        if unreadable.is_empty() {
            page::notice(
                "there is no run yet; this plays a debate for each topic of a file:\n  \
                 elenchus run --protocol pred --dataset FILE",
            );
        }
        return Ok(());
    }
    let short = short_ids(&shop.layout.runs()?);
    let now = shop.clock.now();
    let rows: Vec<[String; 7]> = found
        .iter()
        .map(|run| {
            let id = run.manifest.run.as_str();
            let (done, failed, total) = progress(run);
            [
                short.get(id).cloned().unwrap_or_else(|| id.to_owned()),
                run.manifest.protocol.id.clone(),
                run_state(run).to_owned(),
                format!("{done}/{failed}/{total}"),
                cost(
                    cost::sum(committed_usd(run), unpriced_debates(&unpriced, run)),
                    run_is_simulated(run),
                ),
                age(&run.begun_at, &now),
                dataset(run),
            ]
        })
        .collect();
    let heads = [
        "ID",
        "PROTOCOL",
        "STATE",
        "DONE/FAILED/ALL",
        "COST ≤",
        "AGE",
        "DATASET",
    ];
    let mut text = table(&heads, &rows, page::width());
    if found.iter().any(run_is_simulated) {
        text.push_str("sim: simulated models play there; no evidence about models or protocols\n");
    }
    page::out(&text)
}

fn progress(run: &RunState) -> (usize, usize, usize) {
    (run.finished.len(), run.failed.len(), run.items.len())
}

fn run_state(run: &RunState) -> &'static str {
    match (run.completed, run.paused.is_some(), run.failed.is_empty()) {
        (true, _, _) => "complete",
        (false, true, _) => "paused",
        (false, false, true) => "open",
        (false, false, false) => "failures",
    }
}

/// Returns how many debates of runs called a model without prices: nobody knows what those cost.
fn unpriced(shop: &Workshop) -> anyhow::Result<BTreeMap<RunId, u64>> {
    let (sessions, _) = summaries(&shop.layout, &shop.cache())?;
    let mut counts = BTreeMap::new();
    let unpriced = sessions.into_iter().filter(|one| one.cost_usd.is_none());
    for run in unpriced.filter_map(|summary| summary.run) {
        *counts.entry(run).or_default() += 1;
    }
    Ok(counts)
}

fn unpriced_debates(unpriced: &BTreeMap<RunId, u64>, run: &RunState) -> u64 {
    unpriced.get(&run.manifest.run).copied().unwrap_or(0)
}

fn committed_usd(run: &RunState) -> f64 {
    // An empty sum of floats is -0.
    run.finished
        .values()
        .map(|done| done.committed_usd)
        .sum::<f64>()
        + 0.0
}

fn run_is_simulated(run: &RunState) -> bool {
    run.manifest
        .casts
        .iter()
        .flatten()
        .any(|participant| match &participant.player {
            Player::Model(model) => model.simulated,
            Player::Human { .. } | Player::Fixed(_) => false,
        })
}

fn dataset(run: &RunState) -> String {
    let path = &run.manifest.dataset.path;
    let name = path.rsplit('/').next().unwrap_or(path);
    match run.manifest.shard {
        Some(shard) => format!("{name} (part {}/{})", shard.part, shard.of),
        None => name.to_owned(),
    }
}

fn run_json(run: &RunState, unpriced: &BTreeMap<RunId, u64>) -> serde_json::Value {
    let (done, failed, items) = progress(run);
    json!({
        "run": run.manifest.run,
        "protocol": run.manifest.protocol.id,
        "settings": run.manifest.settings,
        "dataset": run.manifest.dataset,
        "shard": run.manifest.shard,
        "seed": run.manifest.seed,
        "items": items,
        "done": done,
        "failed": failed,
        "state": run_state(run),
        "paused": run.paused,
        "committed_usd": (unpriced_debates(unpriced, run) == 0).then(|| committed_usd(run)),
        "budget_usd": run.manifest.budget_usd,
        "budget_calls": run.manifest.budget_calls,
        "budget_tokens": run.manifest.budget_tokens,
        "simulated": run_is_simulated(run),
        "begun_at": run.begun_at,
    })
}

/// Names on standard error what could not be read.
pub fn tell_unreadable(what: &str, unreadable: &[Unreadable]) {
    for journal in unreadable {
        page::notice(&format!("notice: a {what} is not shown: {}", journal.error));
    }
}

/// Draws rows under their heads; the last column takes what is left of the width.
pub fn table<const N: usize>(heads: &[&str; N], rows: &[[String; N]], width: usize) -> String {
    let mut widths: Vec<usize> = heads.iter().map(|head| columns(head)).collect();
    for row in rows {
        for (at, cell) in row.iter().enumerate() {
            widths[at] = widths[at].max(columns(cell).min(MAX_CELL));
        }
    }
    if let Some((last, before)) = widths.split_last_mut() {
        let taken: usize = before.iter().map(|width| width + GUTTER.len()).sum();
        *last = width.saturating_sub(taken).max(MIN_TOPIC);
    }
    let mut text = String::new();
    let mut line = |cells: Vec<&str>| {
        let cells: Vec<String> = cells
            .iter()
            .zip(&widths)
            .map(|(cell, width)| fit(cell, *width))
            .collect();
        text.push_str(cells.join(GUTTER).trim_end());
        text.push('\n');
    };
    line(heads.to_vec());
    for row in rows {
        line(row.iter().map(String::as_str).collect());
    }
    text
}

/// Returns how long ago a time was, in its largest unit: `5m`, `3h`, `12d`.
fn age(at: &str, now: &str) -> String {
    let (Ok(at), Ok(now)) = (at.parse::<Timestamp>(), now.parse::<Timestamp>()) else {
        return "?".to_owned();
    };
    let seconds = (now.as_second() - at.as_second()).max(0);
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    match seconds {
        0..MINUTE => format!("{seconds}s"),
        MINUTE..HOUR => format!("{}m", seconds / MINUTE),
        HOUR..DAY => format!("{}h", seconds / HOUR),
        _ => format!("{}d", seconds / DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortened(ids: &[&str]) -> Vec<String> {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        let short = short_ids(&ids);
        ids.iter().map(|id| short[id].clone()).collect()
    }

    #[test]
    fn short_ids_are_ends_that_name_one_session_each() {
        assert_eq!(
            shortened(&["aaaa111111", "aaaa222222"]),
            ["111111", "222222"]
        );
        assert_eq!(
            shortened(&["aa0abcdef", "bb1abcdef"]),
            ["0abcdef", "1abcdef"]
        );
        // The end of the first is the beginning of the second.
        assert_eq!(shortened(&["xxabcdef", "abcdefyy"]), ["xabcdef", "bcdefyy"]);
        assert_eq!(
            shortened(&["short", "longer-than-six"]),
            ["short", "an-six"]
        );
    }

    #[test]
    fn an_age_is_said_in_its_largest_unit() {
        let since = |at| age(at, "2025-01-10T12:00:00Z");
        assert_eq!(since("2025-01-10T11:59:18.5Z"), "42s");
        assert_eq!(since("2025-01-10T11:00:01Z"), "59m");
        assert_eq!(since("2025-01-09T12:00:01Z"), "23h");
        assert_eq!(since("2024-12-31T12:00:00Z"), "10d");
        assert_eq!(since("2025-01-11T12:00:00Z"), "0s");
        assert_eq!(since("yesterday"), "?");
    }

    #[test]
    fn a_table_fits_its_width_and_shows_hostile_text() {
        let rows = [["a".to_owned(), "\x1b[31mred topic that goes on".to_owned()]];
        let text = table(&["ID", "TOPIC"], &rows, 20);
        assert_eq!(text, "ID  TOPIC\na   ␛[31mred topic …\n");
    }
}
