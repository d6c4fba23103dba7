//! A comparison of two prompts as text and as JSON.

use super::text;
use crate::cli::common::{Page, Workshop, counted, fit, output};
use crate::debate::SessionId;
use crate::experiments::prompt_ab::{AbCell, AbEvidence, AbState, AbStop, AbSummary};
use crate::experiments::prompt_trial::RollForward;
use crate::metrics::{Interval, PairedTest, PromptComparison, PromptMeasure, PromptRow};
use serde_json::json;

/// How many topics are listed that came out differently.
const MAX_FLIPS: usize = 20;
/// Columns of a number.
const NUMBER: usize = 9;

/// Draws a comparison.
pub(super) fn drawn(
    state: &AbState,
    summary: &AbSummary,
    compared: &PromptComparison,
    shop: &Workshop,
) -> String {
    let manifest = &state.manifest;
    let [a, b] = &manifest.arms;
    let mut page = Page::new(output::width(), shop.colour);
    page.bold(&format!(
        "{}: {} against {}",
        manifest.template, a.name, b.name
    ));
    page.line(&format!(
        "{}, {} of each on every one, {}",
        grounds(state),
        counted(manifest.samples as usize, "sample"),
        match manifest.roll {
            _ if is_fresh(state) => "played to the end",
            RollForward::Turn => "the turn alone",
            RollForward::Next => "rolled forward through the next round",
            RollForward::End => "rolled forward to the end",
        }
    ));
    let missing = summary.missing;
    if missing > 0 && manifest.stop == AbStop::Fixed {
        page.at(0).middle(&format!(
            "{} of the planned samples are missing: a look at what is there, not the planned \
                 comparison",
            missing
        ));
    }
    for warning in &compared.warnings {
        page.at(0).middle(warning);
    }
    page.gap();
    let heads = ["topics", "A", "B", "B - A", "95 % interval", "p"];
    page.line(&laid_out("", heads));
    for row in &compared.rows {
        page.line(&line(row, summary.reads));
        for note in notes(row, summary.reads) {
            page.at(4).dim(&note);
        }
    }
    page.gap();
    page.line(match summary.reads {
            AbEvidence::FixedN => {
                "fixed number of topics: each topic weighs the same, whatever its turns and samples; \
                 intervals resample topics; p by flipped signs of topics (McNemar where each has one \
                 verdict), adjusted over the shares (Holm)"
            }
            AbEvidence::Sequence => {
                "each topic weighs the same, whatever its turns and samples; intervals and p-values \
                 are left out: they hold for a number of topics that was fixed before, and this \
                 comparison may end, or be looked at, at any of them"
            }
        });
    text::sequence(&mut page, state, summary);
    text::preference(&mut page, state, summary);
    let silent = [(a, compared.silent_a), (b, compared.silent_b)];
    for (arm, count) in silent.iter().filter(|(_, count)| *count > 0) {
        page.line(&format!(
            "{}: {} brought no reply",
            arm.name,
            counted(*count, "sample")
        ));
    }
    let left_out = [(a, compared.left_out_a), (b, compared.left_out_b)];
    for (arm, count) in left_out.iter().filter(|(_, count)| *count > 0) {
        let turns = counted(*count as usize, "turn");
        page.line(&format!("{}: {turns} without a readable verdict", arm.name));
    }
    if !compared.flips.is_empty() {
        page.title("Topics that came out differently, the worse for B first");
        for flip in compared.flips.iter().take(MAX_FLIPS) {
            page.at(2)
                .line(&format!("{:>5.2} {:>5.2}  {}", flip.a, flip.b, flip.topic));
        }
        if compared.flips.len() > MAX_FLIPS {
            let rest = compared.flips.len() - MAX_FLIPS;
            page.at(2)
                .line(&format!("and {rest} more: --json has them all"));
        }
    }
    for ((place, why), _) in state.impossible.iter().zip(0..MAX_FLIPS) {
        page.at(0)
            .bad(&format!("turn {} could not be tried: {why}", place.context));
    }
    page.finish()
}

/// Says what is compared on.
pub(super) fn grounds(state: &AbState) -> String {
    let contexts = state.manifest.contexts.len();
    match is_fresh(state) {
        true => format!("fresh debates on {}", counted(contexts, "topic")),
        false => counted(contexts, "recorded turn"),
    }
}

fn is_fresh(state: &AbState) -> bool {
    let mut contexts = state.manifest.contexts.iter();
    contexts.any(|context| context.turn.is_none())
}

/// Lays out a row: topics, both prompts, their difference, its interval and p.
fn laid_out(name: &str, [topics, a, b, difference, interval, p]: [&str; 6]) -> String {
    let names = PromptMeasure::ALL.map(|measure| measure.label().len());
    let name = fit(name, names.into_iter().max().unwrap_or(0));
    format!("{name}{topics:>7}{a:>NUMBER$}{b:>NUMBER$}{difference:>NUMBER$}{interval:>17}{p:>7}")
}

fn line(row: &PromptRow, reads: AbEvidence) -> String {
    let number = |value: f64| match row.measure {
        PromptMeasure::Length => format!("{value:.0}"),
        PromptMeasure::Cost => format!("{value:.4}"),
        PromptMeasure::ErrorRate | PromptMeasure::MadeGood | PromptMeasure::MadeBad => {
            format!("{value:.3}")
        }
    };
    let interval = row.interval.as_ref();
    let interval = interval.map_or("n/a".to_owned(), |interval: &Interval| {
        format!("{} to {}", number(interval.low), number(interval.high))
    });
    let (interval, p) = match (reads, row.p_holm, row.measure.is_share()) {
        (AbEvidence::Sequence, _, _) => (String::new(), String::new()),
        (AbEvidence::FixedN, Some(_), true) => (interval, row.shown_p().to_string()),
        (AbEvidence::FixedN, Some(_) | None, _) => (interval, String::new()),
    };
    let numbers = [row.a, row.b, row.difference].map(number);
    let [a, b, difference] = &numbers;
    let cells = [&row.topics.to_string(), a, b, difference, &interval, &p];
    laid_out(row.measure.label(), cells.map(String::as_str))
}

fn notes(row: &PromptRow, reads: AbEvidence) -> Vec<String> {
    let mut notes = Vec::new();
    if row.unpaired_topics > 0 {
        let topics = counted(row.unpaired_topics, "topic");
        notes.push(format!(
            "{topics} with a value of one prompt alone are left out"
        ));
    }
    if reads == AbEvidence::Sequence {
        return notes;
    }
    if let (PromptMeasure::ErrorRate, Some(needed)) = (row.measure, row.needed_topics) {
        notes.push(format!(
            "a difference of this size would be settled by about {needed} topics (5 %, power 80 %; \
             judged by the spread of these {})",
            row.topics
        ));
    }
    if row.measure == PromptMeasure::ErrorRate && row.test == PairedTest::McNemar {
        notes.push("one verdict a topic and prompt: McNemar's exact test".to_owned());
    }
    notes
}

/// Returns a comparison as JSON: how it was planned, what was compared, and the session of every
/// sample.
pub(super) fn as_json(state: &AbState, summary: &AbSummary) -> serde_json::Value {
    let samples: Vec<_> = state
        .played
        .iter()
        .map(|(place, played)| {
            json!({
                "context": place.context,
                "arm": place.arm,
                "sample": place.sample,
                "session": played.session,
                "failed": played.failed,
            })
        })
        .collect();
    let flips: Vec<_> = summary
        .flips
        .iter()
        .map(|flip| {
            let of = |arm: &[(AbCell, SessionId)]| -> Vec<String> {
                arm.iter().map(|(_, session)| session.to_string()).collect()
            };
            let [a, b] = &flip.samples;
            json!({"topic": flip.flip.topic, "a": of(a), "b": of(b)})
        })
        .collect();
    json!({
        "id": state.manifest.id,
        "stop": state.manifest.stop,
        "reads": match summary.reads {
            AbEvidence::FixedN => "fixed_n",
            AbEvidence::Sequence => "sequence",
        },
        "flips": flips,
        "template": state.manifest.template,
        "arms": state.manifest.arms,
        "contexts": state.manifest.contexts,
        "missing": summary.missing,
        "samples": samples,
        "comparison": summary.comparison.as_ref().ok(),
        "sequence": summary.sequence,
        "preference": summary.preference,
    })
}
