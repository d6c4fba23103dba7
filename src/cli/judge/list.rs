//! `elenchus judge list`, and a pass's findings as text.

use crate::cli::common::{CommandContext, format_noun_count, output, print_table};
use anyhow::Result;
use elenchus_game::debate::SessionId;
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::protocol::Orders;
use elenchus_records::workspace::pass::{Pass, PassRules, PassStanding, read_all_passes};
use elenchus_text::cost;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What the verdicts of a pass come to.
#[derive(Debug, Default)]
struct VerdictTally {
    counts: LabelCounts,
    /// Why replies could not be read, with how many.
    whys: BTreeMap<String, usize>,
    disputed: usize,
    sessions: BTreeSet<SessionId>,
    /// By member of an ensemble.
    members: BTreeMap<String, LabelCounts>,
}

/// Labels with how often each was found, and how often none could be read.
#[derive(Debug, Default)]
struct LabelCounts {
    labels: BTreeMap<String, usize>,
    unparsed: usize,
}

impl LabelCounts {
    fn count_outcome(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Label(finding) => {
                *self.labels.entry(finding.label.clone()).or_default() += 1;
            }
            Outcome::Unparsed { .. } => self.unparsed += 1,
        }
    }
}

impl fmt::Display for LabelCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (label, count) in &self.labels {
            write!(f, "{count} {label}, ")?;
        }
        write!(f, "{} unparsed", self.unparsed)
    }
}

/// Reasons that are listed; the rest is counted.
const MAX_WHYS: usize = 5;
/// The most characters of a reason that are shown.
const MAX_WHY_CHARS: usize = 100;

impl VerdictTally {
    fn from_pass(pass: &Pass) -> Self {
        let mut tally = Self::default();
        for verdict in &pass.verdicts {
            tally.sessions.insert(verdict.session.clone());
            tally.disputed += usize::from(verdict.is_disputed());
            tally.counts.count_outcome(&verdict.outcome);
            if let Outcome::Unparsed { why, .. } = &verdict.outcome {
                let why: String = why.chars().take(MAX_WHY_CHARS).collect();
                *tally.whys.entry(why).or_default() += 1;
            }
            let mut critiques = pass.manifest.critiques.iter();
            if let Some(critique) = critiques.find(|one| one.is_of(&verdict.judging)) {
                let shown = format!("with the critique '{}'", critique.name);
                tally
                    .members
                    .entry(shown)
                    .or_default()
                    .count_outcome(&verdict.outcome);
            }
            for member in &verdict.members {
                let member_of = tally.members.entry(member.evaluator.clone());
                member_of.or_default().count_outcome(&member.outcome);
            }
        }
        if pass.manifest.orders == Orders::Both {
            let orders = [
                ("as spoken", &pass.verdicts),
                ("exchanged", &pass.exchanged),
            ];
            for (shown, verdicts) in orders {
                let of_order = tally.members.entry(shown.to_owned()).or_default();
                let outcomes = verdicts.iter().map(|verdict| &verdict.outcome);
                outcomes.for_each(|outcome| of_order.count_outcome(outcome));
            }
            let exchanged = pass.exchanged.iter().map(|verdict| &verdict.outcome);
            exchanged.for_each(|outcome| tally.counts.count_outcome(outcome));
        }
        tally
    }
}

/// Counts the verdicts that a pass found.
fn count_verdicts(pass: &Pass) -> usize {
    pass.verdicts.len() + pass.exchanged.len()
}

/// Lists the passes of the store, the newest first.
///
/// # Errors
/// When the passes cannot be listed.
pub(super) fn run(json: bool, context: &CommandContext) -> Result<()> {
    let mut pass_list = Vec::new();
    for pass in read_all_passes(&context.store.layout)? {
        match pass {
            Ok(pass) => pass_list.push(pass),
            Err(error) => output::print_notice(&format!("notice: a pass cannot be read: {error}")),
        }
    }
    if json {
        return output::print_json_lines(pass_list.iter().map(pass_to_json));
    }
    if pass_list.is_empty() {
        output::print_notice("there are no passes yet; 'elenchus judge' begins one");
        return Ok(());
    }
    print_table(
        pass_list
            .iter()
            .map(|pass| (pass, VerdictTally::from_pass(pass))),
        &[
            ("pass", &|(pass, _)| short_id(&pass.manifest.pass)),
            ("sessions", &|(pass, _)| {
                pass.manifest.sessions.len().to_string()
            }),
            ("verdicts", &|(pass, _)| count_verdicts(pass).to_string()),
            ("unparsed", &|(_, tally)| tally.counts.unparsed.to_string()),
            ("cost", &|(pass, _)| {
                cost::format_cost_sum(pass.committed_usd, pass.unpriced_calls)
            }),
            ("standing", &|(pass, _)| standing_word(pass).to_owned()),
            ("by", &|(pass, _)| pass.manifest.rules.to_string()),
        ],
    )
}

/// Ids begin with their time, so ends tell them apart.
fn short_id(id: &str) -> String {
    let skip = id.chars().count().saturating_sub(SHORT_ID);
    id.chars().skip(skip).collect()
}

/// How much of an id is listed.
const SHORT_ID: usize = 8;

fn standing_word(pass: &Pass) -> &'static str {
    match (&pass.manifest.rules, &pass.end) {
        (PassRules::Imported { .. }, _) => "imported",
        (_, Some(PassStanding::Completed)) => "completed",
        (_, Some(PassStanding::Paused(_))) => "paused",
        (_, None) => "going on, or killed",
    }
}

/// Sums a pass up for programs.
pub(super) fn pass_to_json(pass: &Pass) -> Value {
    let tally = VerdictTally::from_pass(pass);
    json!({
        "pass": pass.manifest.pass,
        "by": pass.manifest.rules.to_string(),
        "rules": pass.manifest.rules,
        "sessions": pass.manifest.sessions.len(),
        "verdicts": count_verdicts(pass),
        "labels": tally.counts.labels,
        "unparsed": tally.counts.unparsed,
        "disputed": tally.disputed,
        "committed_usd": (pass.unpriced_calls == 0).then_some(pass.committed_usd),
        "in_batch": pass.in_batch,
        "standing": standing_word(pass),
    })
}

/// Says in a few lines what a pass found.
pub(super) fn describe_pass(pass: &Pass) -> String {
    let tally = VerdictTally::from_pass(pass);
    let manifest = &pass.manifest;
    let mut text = format!(
        "pass {}: {}\n{} in {}: {}\n",
        manifest.pass,
        manifest.rules,
        format_noun_count(count_verdicts(pass), "verdict"),
        format_noun_count(tally.sessions.len(), "session"),
        tally.counts,
    );
    for (why, count) in tally.whys.iter().take(MAX_WHYS) {
        text.push_str(&format!("  unparsed ({count}): {why}\n"));
    }
    if tally.whys.len() > MAX_WHYS {
        let more = tally.whys.len() - MAX_WHYS;
        text.push_str(&format!(
            "  … and {}\n",
            format_noun_count(more, "other reason")
        ));
    }
    for (evaluator, found) in &tally.members {
        text.push_str(&format!("  {evaluator}: {}\n", found));
    }
    if matches!(manifest.rules, PassRules::Ensemble { .. }) {
        let share = 100.0 * tally.disputed as f64 / pass.verdicts.len().max(1) as f64;
        text.push_str(&format!(
            "  the evaluators differ on {} of {} ({share:.1} %)\n",
            tally.disputed,
            pass.verdicts.len()
        ));
    }
    text.push_str(&format!(
        "cost at most {}; figures by it: elenchus metrics --pass {}\n",
        cost::format_cost_sum(pass.committed_usd, pass.unpriced_calls),
        manifest.pass
    ));
    crate::cli::common::clean_lines(&text)
}
