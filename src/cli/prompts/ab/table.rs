//! A comparison of two prompts as text and as JSON.

use crate::cli::common::{Page, Workshop, counted, output};
use elenchus_game::debate::SessionId;
use elenchus_metrics::{PromptComparison, PromptEvidence};
use elenchus_run::experiments::prompt_ab::{AbCell, AbState, AbStop, AbSummary};
use elenchus_run::experiments::prompt_trial::RollForward;
use serde_json::json;

/// How many topics are listed that came out differently.
const MAX_FLIPS: usize = 20;

/// Draws a comparison.
pub(super) fn drawn(
    state: &AbState,
    summary: &AbSummary,
    compared: &PromptComparison,
    shop: &Workshop,
) -> String {
    let manifest = &state.manifest;
    let [a, b] = &manifest.plan.arms;
    let mut page = Page::new(output::width(), shop.colour);
    page.bold(&format!(
        "{}: {} against {}",
        manifest.plan.template, a.name, b.name
    ));
    page.line(&format!(
        "{}, {} of each on every one, {}",
        grounds(state),
        counted(manifest.plan.samples as usize, "sample"),
        match manifest.plan.roll {
            _ if is_fresh(state) => "played to the end",
            RollForward::Turn => "the turn alone",
            RollForward::Next => "rolled forward through the next round",
            RollForward::End => "rolled forward to the end",
        }
    ));
    let missing = summary.missing;
    if missing > 0 && manifest.plan.stop == AbStop::Fixed {
        page.at(0).middle(&format!(
            "{} of the planned samples are missing: a look at what is there, not the planned \
                 comparison",
            missing
        ));
    }
    page.gap();
    page.paragraphs(&summary.paragraphs(state));
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
    page.finish()
}

/// Says what is compared on.
pub(super) fn grounds(state: &AbState) -> String {
    let contexts = state.manifest.plan.contexts.len();
    match is_fresh(state) {
        true => format!("fresh debates on {}", counted(contexts, "topic")),
        false => counted(contexts, "recorded turn"),
    }
}

fn is_fresh(state: &AbState) -> bool {
    let mut contexts = state.manifest.plan.contexts.iter();
    contexts.any(|context| context.turn.is_none())
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
