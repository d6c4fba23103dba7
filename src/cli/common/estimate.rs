//! Estimates of cost and time as text and JSON.

use super::CommandContext;
use super::output::format_noun_count;
use elenchus_game::debate::CostEstimate;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_run::experiments::run::ExpectedTime;
use elenchus_text::cost;
pub use elenchus_text::cost::describe_estimate as line;
use indicatif::HumanDuration;
use serde_json::{Value, json};
use std::time::Duration;

/// Longest time that is estimated: a century, in seconds.
const MAX_SECONDS: f64 = 3.2e9;

/// Returns a time as one line, with the earlier replies that it rests on.
pub fn describe_time(time: &ExpectedTime, at_once: usize) -> String {
    match time {
        ExpectedTime::Unknown(why) => format!("unknown: {why}"),
        ExpectedTime::About { seconds, replies } => {
            let replies_by_model: Vec<String> = replies
                .iter()
                .map(|(model, count)| {
                    format!("{} of {model}", format_noun_count(*count, "earlier reply"))
                })
                .collect();
            let rests_on = match replies_by_model.is_empty() {
                true => String::new(),
                false => format!("; by {}", replies_by_model.join(", ")),
            };
            let about = match *seconds {
                ..1.0 => "under a second".to_owned(),
                seconds => {
                    let whole = Duration::from_secs_f64(seconds.min(MAX_SECONDS));
                    format!("about {}", HumanDuration(whole))
                }
            };
            let debates = format_noun_count(at_once, "debate");
            format!("{about}, {debates} side by side{rests_on}")
        }
    }
}

/// Says what a search of memory takes that is in no estimate, where a server embeds its texts.
pub fn describe_embeddings(context: &CommandContext) -> Option<String> {
    let model = context.config.models.embeddings.as_ref()?;
    Some(format!(
        "memory: its texts and the topics are embedded by {model}; these calls are not in the estimate and \
         count against no ceiling"
    ))
}

/// Returns cost and time for programs; what is not known is `null`, with the reason where there is one.
pub fn to_json(estimate: Option<&CostEstimate>, time: &ExpectedTime, at_once: usize) -> Value {
    let time = match time {
        ExpectedTime::About { seconds, replies } => json!({
            "seconds": seconds,
            "side_by_side": at_once,
            "earlier_replies": replies,
        }),
        ExpectedTime::Unknown(why) => json!({
            "seconds": null,
            "side_by_side": at_once,
            "unknown": why.to_string(),
        }),
    };
    json!({ "estimate": estimate, "time": time })
}

/// Returns the ceilings that follow an estimate; empty where there are none.
pub fn describe_ceilings(ceilings: &Ceilings) -> String {
    let parts = [
        ceilings.cost_usd.map(cost::format_usd),
        ceilings
            .calls
            .map(|calls| format_noun_count(calls as usize, "call")),
        ceilings
            .tokens
            .map(|tokens| format_noun_count(tokens as usize, "token")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!("; pauses at {}", parts.join(" or ")),
    }
}

/// Returns an estimate as one line, or that there is none.
pub fn describe_cost(estimate: Option<&CostEstimate>) -> String {
    let none = || "unknown: the game is too large to be walked".to_owned();
    estimate.map_or_else(none, line)
}
