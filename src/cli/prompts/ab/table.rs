//! A comparison of two prompts as text and as JSON.

use crate::cli::common::output::Ink;
use crate::cli::common::{CommandContext, Page, format_noun_count, output};
use elenchus_game::debate::SessionId;
use elenchus_metrics::{PromptEvidence, Unit, format_value};
use elenchus_run::experiments::prompt_ab::{AbCell, AbState, AbStop, AbSummary, ContextKind};
use elenchus_run::experiments::prompt_trial::RollForward;
use elenchus_text::cut_to_width;
use serde_json::json;

/// How many topics are listed that came out differently.
const MAX_TOPICS: usize = 20;
/// Columns before the words of a topic.
const TOPIC_INDENT: usize = 24;

/// Draws a comparison.
pub(super) fn format_comparison(
    state: &AbState,
    summary: &AbSummary,
    context: &CommandContext,
) -> String {
    let manifest = &state.manifest;
    let [a, b] = &manifest.plan.arms;
    let kind = state.context_kind();
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
            _ if kind == ContextKind::Debate => "played to the end".to_owned(),
            _ if kind.has_truth() => {
                format!("held against {}", manifest.plan.truth.describe(kind))
            }
            _ if kind.is_asked_alone() => "asked for alone".to_owned(),
            RollForward::Turn => "the turn alone".to_owned(),
            RollForward::Next => "rolled forward through the next round".to_owned(),
            RollForward::End => "rolled forward to the end".to_owned(),
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
    add_topics(&mut page, state, summary, context);
    page.into_text()
}

/// Writes the topics that came out differently by their words, each with a reply to both prompts.
fn add_topics(page: &mut Page, state: &AbState, summary: &AbSummary, context: &CommandContext) {
    let topics = summary.topics.iter();
    let different = topics.filter_map(|topic| Some((topic, topic.different_rates()?)));
    let different: Vec<_> = different.collect();
    if different.is_empty() {
        return;
    }
    page.add_title("Topics that came out differently, the worse for B first");
    for (topic, rates) in different.iter().take(MAX_TOPICS) {
        let texts = topic.read_texts(&context.store.layout, state);
        let words = texts.as_ref().map_or(&topic.id, |texts| &texts.topic);
        let [a, b] = rates.map(|rate| format_value(rate, Unit::Share));
        let width = output::width().saturating_sub(TOPIC_INDENT);
        page.line_at(2).write_plain(&format!(
            "A {a:>7}, B {b:>7}  {}",
            first_words(words, width)
        ));
        let replies = texts.into_iter().flat_map(|texts| texts.replies);
        for (letter, reply) in ["A", "B"].into_iter().zip(replies) {
            if let Some(reply) = reply {
                page.line_at(4)
                    .write_dim(&format!("{letter}: {}", first_words(&reply, width)));
            }
        }
    }
    if different.len() > MAX_TOPICS {
        let rest = different.len() - MAX_TOPICS;
        page.line_at(2)
            .write_plain(&format!("and {rest} more: --json has them all"));
    }
    let hint = "whole replies side by side: in the workbench, 6, Enter on the comparison, Enter on a topic";
    page.add_prose(Ink::Dim, 2, hint);
}

/// Returns the beginning of a text on one line.
fn first_words(text: &str, width: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut_to_width(&line, width)
}

/// Says what is compared on.
pub(super) fn describe_contexts(state: &AbState) -> String {
    let contexts = state.manifest.plan.contexts.len();
    match state.context_kind() {
        ContextKind::Debate => format!("fresh debates on {}", format_noun_count(contexts, "topic")),
        kind => format_noun_count(contexts, &format!("recorded {}", kind.noun())),
    }
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
    let topics = summary.topics.iter();
    let flips: Vec<_> = topics
        .filter(|topic| topic.different_rates().is_some())
        .map(|topic| {
            let session_ids = |arm: &[(AbCell, SessionId)]| -> Vec<String> {
                arm.iter().map(|(_, session)| session.to_string()).collect()
            };
            let [a, b] = &topic.samples;
            json!({"topic": topic.id, "a": session_ids(a), "b": session_ids(b)})
        })
        .collect();
    let truth = state.context_kind().has_truth();
    let truth = truth.then_some(&state.manifest.plan.truth);
    json!({
        "id": state.manifest.id,
        "truth": truth,
        "stop": state.manifest.plan.stop,
        "reads": match summary.reads {
            PromptEvidence::FixedN => "fixed_n",
            PromptEvidence::Sequence => "sequence",
        },
        "flips": flips,
        "template": state.manifest.plan.template,
        "arms": state.manifest.plan.arms,
        "contexts": state.manifest.plan.contexts,
        "power": state.manifest.plan.compute_power(),
        "missing": summary.missing,
        "samples": samples,
        "comparison": summary.comparison.as_ref().ok(),
        "sequence": summary.sequence,
        "preference": summary.preference,
    })
}
