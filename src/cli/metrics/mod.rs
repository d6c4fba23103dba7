//! `elenchus metrics`: numbers over the sessions of the store.

use super::args_metrics::MetricsArgs;
use super::exit::Exit;
use super::list::resolve_session;
use super::measure_against::{compare, table};
use super::measured_error;
use super::page::{self, counted};
use super::short::{tell_short_of, with_short};
use super::workshop::Workshop;
use crate::debate::SessionId;
use crate::driver::desk::find_pass;
use crate::driver::validate::own_evaluator;
use crate::driver::{Families, NotOfPass, PassFindings, copies, find_run, read_run, read_session};
use crate::exchange::{Keep, visible};
use crate::metrics::{self, By, DebateRow, Of, People, Resampling, Settings};
use anyhow::{anyhow, bail};
use std::collections::{BTreeMap, BTreeSet};

/// What was read, and what was not.
#[derive(Debug, Default)]
struct Reading {
    rows: Vec<DebateRow>,
    /// Who judged the safety of turns, by session.
    evaluators: BTreeMap<String, String>,
    left_out: usize,
    /// Still being played, or stopped before the end without a failure.
    unfinished: usize,
    /// Journals that could not be read, with the reason.
    unreadable: Vec<String>,
    /// What the debates have and the pass did not find.
    not_of_pass: BTreeSet<NotOfPass>,
}

/// Measures the selected sessions.
///
/// # Errors
/// When a run, session or dimension does not exist.
pub fn run(args: &MetricsArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let by = args
        .by
        .iter()
        .map(|name| {
            name.trim()
                .parse::<By>()
                .map_err(|why| anyhow!("--by: {why}"))
        })
        .collect::<anyhow::Result<Vec<By>>>()?;
    let wanted = selected(&args.run, &args.session, shop)?;
    refuse_beside_pass(args)?;
    let families = shop.library.families()?;
    let pass = args.pass.as_deref();
    let pass = pass.map(|text| find_pass(&shop.layout, text)).transpose()?;
    let pass = pass.as_ref();
    let pass = pass
        .map(|pass| PassFindings::of(pass, families.clone()))
        .transpose()?;
    let mut reading = read(args, shop, &families, wanted.as_ref(), pass.as_ref())?;
    tell(&reading);
    let short = tell_short_of(shop, &args.run)?;
    let notes = match &pass {
        Some(pass) => {
            pass.check(&reading.rows)?;
            pass.words(&reading.rows, &reading.not_of_pass)
        }
        None => Vec::new(),
    };
    for note in &notes {
        page::notice(note);
    }
    if let Some(labels) = &args.error.evaluator_error {
        measured_error::take(&mut reading.rows, &reading.evaluators, labels, wanted, shop)?;
    }
    let people = if args.with_people {
        People::Included
    } else {
        People::LeftOut
    };
    let against = args.protocol.as_deref().zip(args.against.as_deref());
    let text = if let Some((protocol, other)) = against {
        for sentence in self_judging(&reading.rows) {
            page::notice(&format!("notice: {sentence}"));
        }
        let report = compare(&reading.rows, [protocol, other], people, args.seed)?;
        if args.json {
            harmless_lines(&metrics::paired_to_json(&report)?)
        } else {
            table(&report) + "\n"
        }
    } else if args.advantages {
        advantages(args, &reading.rows, people)?
    } else {
        figures(args, &reading.rows, by, people, notes)?
    };
    page::out(&if args.json {
        with_short(text, &short)?
    } else {
        text
    })?;
    Ok(Exit::Fine)
}

/// Says of whose verdicts some are those of their like, where no section of a report says it.
fn self_judging(rows: &[DebateRow]) -> BTreeSet<&String> {
    rows.iter().flat_map(|row| &row.self_judging).collect()
}

fn figures(
    args: &MetricsArgs,
    rows: &[DebateRow],
    by: Vec<By>,
    people: People,
    notes: Vec<String>,
) -> anyhow::Result<String> {
    let report = metrics::report(
        rows,
        &Settings {
            by,
            people,
            notes,
            of: if args.pass.is_some() {
                Of::Pass
            } else {
                Of::Debates
            },
            resampling: Resampling {
                seed: args.seed,
                ..Resampling::default()
            },
            ..Settings::default()
        },
    )?;
    Ok(if args.json {
        harmless_lines(&metrics::to_json(&report)?)
    } else if args.csv {
        visible(&metrics::to_csv(&report)?, Keep::NewlinesAndTabs).into_owned()
    } else {
        let table = metrics::to_table(&report, page::width());
        visible(&table, Keep::Newlines).into_owned()
    })
}

/// Advantages and what was right are the game's own judges': a heading that names a pass must not
/// stand over them.
fn refuse_beside_pass(args: &MetricsArgs) -> anyhow::Result<()> {
    let asked = match (&args.pass, args.advantages, &args.against) {
        (None, _, _) | (Some(_), false, None) => return Ok(()),
        (Some(_), true, _) => "--advantages",
        (Some(_), false, Some(_)) => "--against",
    };
    bail!(
        "{asked} and --pass do not go together: rewards and what a debate concludes come from the \
         game's own judges, never from a pass; leave one of them out"
    )
}

fn advantages(args: &MetricsArgs, rows: &[DebateRow], people: People) -> anyhow::Result<String> {
    let advantages = metrics::group_advantages(rows, people);
    Ok(if args.json {
        harmless_lines(&metrics::advantages_to_json(&advantages)?)
    } else if args.csv {
        let csv = metrics::advantages_to_csv(&advantages)?;
        visible(&csv, Keep::NewlinesAndTabs).into_owned()
    } else {
        let table = metrics::advantages_to_table(&advantages, page::width());
        visible(&table, Keep::Newlines).into_owned()
    })
}

pub(super) fn harmless_lines(json: &str) -> String {
    json.lines()
        .map(|line| page::harmless_json(line) + "\n")
        .collect()
}

/// Returns the sessions that were named, by themselves or by their runs; `None` for all.
pub(super) fn selected(
    runs: &[String],
    sessions: &[String],
    shop: &Workshop,
) -> anyhow::Result<Option<BTreeSet<SessionId>>> {
    if runs.is_empty() && sessions.is_empty() {
        return Ok(None);
    }
    let mut wanted = BTreeSet::new();
    for text in runs {
        let id = find_run(&shop.layout, text)?;
        let run = read_run(&shop.layout.run(id.as_str())?)?;
        wanted.extend(run.sessions());
    }
    for text in sessions {
        wanted.insert(resolve_session(shop, text)?);
    }
    Ok(Some(wanted))
}

fn read(
    args: &MetricsArgs,
    shop: &Workshop,
    families: &Families,
    wanted: Option<&BTreeSet<SessionId>>,
    pass: Option<&PassFindings<'_>>,
) -> anyhow::Result<Reading> {
    let mut reading = Reading::default();
    let copies = copies(&shop.layout)?;
    for id in shop.layout.sessions()? {
        let id = SessionId::new(id);
        if let Some(why) = copies.get(&id) {
            reading.unreadable.push(why.to_string());
            continue;
        }
        if wanted.is_some_and(|wanted| !wanted.contains(&id))
            || pass.is_some_and(|pass| !pass.is_about(&id))
        {
            reading.left_out += 1;
            continue;
        }
        let path = shop.layout.session(id.as_str())?;
        let row = match read_session(&path) {
            Ok(state) => {
                let evaluator = match pass {
                    Some(pass) => Some(pass.evaluator()),
                    None => own_evaluator(&state),
                };
                (reading.evaluators).extend(evaluator.map(|name| (id.to_string(), name)));
                match pass {
                    Some(pass) => pass.row(&id, &state).map(|of_pass| {
                        reading.not_of_pass.extend(of_pass.left_out);
                        of_pass.row
                    }),
                    None => families.row(&id, &state),
                }
            }
            Err(error) => {
                reading.unreadable.push(error.to_string());
                continue;
            }
        };
        match row {
            Some(row)
                if args.protocol.as_ref().is_none_or(|protocol| {
                    &row.protocol == protocol || args.against.as_ref() == Some(&row.protocol)
                }) =>
            {
                reading.rows.push(row);
            }
            Some(_) => reading.left_out += 1,
            None => reading.unfinished += 1,
        }
    }
    Ok(reading)
}

/// Says on standard error what the figures rest on, so that it never mixes with CSV or JSON.
fn tell(reading: &Reading) {
    for why in &reading.unreadable {
        page::notice(&format!("notice: a session is not counted: {why}"));
    }
    let mut text = format!("{} read", counted(reading.rows.len(), "session"));
    if reading.left_out > 0 {
        text.push_str(&format!(", {} not selected", reading.left_out));
    }
    if reading.unfinished > 0 {
        text.push_str(&format!(", {} not played to the end", reading.unfinished));
    }
    if !reading.unreadable.is_empty() {
        text.push_str(&format!(", {} unreadable", reading.unreadable.len()));
    }
    let simulated = reading.rows.iter().filter(|row| row.simulated).count();
    if simulated > 0 {
        text.push_str(&format!(
            "; {simulated} SIMULATED: a check of the instrument, no evidence about models or protocols"
        ));
    }
    page::notice(&text);
}
