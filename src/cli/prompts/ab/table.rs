//! A comparison of two prompts as text and as JSON.

use crate::cli::common::{CommandContext, Page, format_noun_count, output};
use elenchus_game::debate::SessionId;
use elenchus_metrics::{PromptComparison, PromptEvidence};
use elenchus_run::experiments::prompt_ab::{AbCell, AbState, AbStop, AbSummary};
use elenchus_run::experiments::prompt_trial::RollForward;
use serde_json::json;

/// How many topics are listed that came out differently.
const MAX_FLIPS: usize = 20;

/// Draws a comparison.
pub(super) fn format_comparison(
    state: &AbState,
    summary: &AbSummary,
    compared: &PromptComparison,
    context: &CommandContext,
) -> String {
    let manifest = &state.manifest;
    let [a, b] = &manifest.plan.arms;
    let mut page = Page::new(output::width(), context.colour);
    page.add_bold_line(&format!(
        "{}: {} against {}",
        manifest.plan.template, a.name, b.name
    ));
    page.add_line(&format!(
        "{}, {} of each on every one, {}",
        describe_contexts(state),
        format_noun_count(manifest.plan.samples as usize, "sample"),
        match manifest.plan.roll {
            _ if is_fresh(state) => "played to the end",
            RollForward::Turn => "the turn alone",
            RollForward::Next => "rolled forward through the next round",
            RollForward::End => "rolled forward to the end",
        }
    ));
    let missing = summary.missing;
    if missing > 0 && manifest.plan.stop == AbStop::Fixed {
        page.line_at(0).write_middle(&format!(
            "{} of the planned samples are missing: a look at what is there, not the planned \
                 comparison",
            missing
        ));
    }
    page.add_gap();
    page.add_paragraphs(&summary.to_paragraphs(state));
    if !compared.flips.is_empty() {
        page.add_title("Topics that came out differently, the worse for B first");
        for flip in compared.flips.iter().take(MAX_FLIPS) {
            page.line_at(2)
                .write_plain(&format!("{:>5.2} {:>5.2}  {}", flip.a, flip.b, flip.topic));
        }
        if compared.flips.len() > MAX_FLIPS {
            let rest = compared.flips.len() - MAX_FLIPS;
            page.line_at(2)
                .write_plain(&format!("and {rest} more: --json has them all"));
        }
    }
    page.into_text()
}

/// Says what is compared on.
pub(super) fn describe_contexts(state: &AbState) -> String {
    let contexts = state.manifest.plan.contexts.len();
    match is_fresh(state) {
        true => format!("fresh debates on {}", format_noun_count(contexts, "topic")),
        false => format_noun_count(contexts, "recorded turn"),
    }
}

fn is_fresh(state: &AbState) -> bool {
    let mut contexts = state.manifest.plan.contexts.iter();
    contexts.any(|context| context.turn.is_none())
}

/// Returns a comparison as JSON: how it was planned, what was compared, and the session of every
/// sample.
pub(super) fn comparison_to_json(state: &AbState, summary: &AbSummary) -> serde_json::Value {
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
            let session_ids = |arm: &[(AbCell, SessionId)]| -> Vec<String> {
                arm.iter().map(|(_, session)| session.to_string()).collect()
            };
            let [a, b] = &flip.samples;
            json!({"topic": flip.flip.topic, "a": session_ids(a), "b": session_ids(b)})
        })
        .collect();
    json!({
        "id": state.manifest.id,
        "stop": state.manifest.plan.stop,
        "reads": match summary.reads {
            PromptEvidence::FixedN => "fixed_n",
            PromptEvidence::Sequence => "sequence",
        },
        "flips": flips,
        "template": state.manifest.plan.template,
        "arms": state.manifest.plan.arms,
        "contexts": state.manifest.plan.contexts,
        "missing": summary.missing,
        "samples": samples,
        "comparison": summary.comparison.as_ref().ok(),
        "sequence": summary.sequence,
        "preference": summary.preference,
    })
}
