//! Estimates of cost and time as text and JSON.

use super::CommandContext;
use super::output::format_noun_count;
use elenchus_game::debate::CostEstimate;
use elenchus_game::debate::event::Participant;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::memory::MemoryKind;
use elenchus_run::engine::seats::models_of;
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

/// What a play takes that is in no estimate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnestimatedWork {
    /// The model that embeds the texts of memory, where a server does.
    embeddings: Option<String>,
    /// The command that trains debaters; empty where it is still to be named.
    training: Option<Vec<String>>,
}

impl UnestimatedWork {
    /// Returns that of debates with these kinds of memory and this cast.
    pub fn from_play(context: &CommandContext, kinds: &[MemoryKind], cast: &[Participant]) -> Self {
        let is_searched = kinds.iter().any(|kind| *kind != MemoryKind::Continuous);
        // Simulated debaters are trained by nobody.
        let is_served = models_of(cast).any(|player| !player.simulated);
        let trains = is_served && kinds.contains(&MemoryKind::Continuous);
        let embeddings = context.config.models.embeddings.clone();
        Self {
            embeddings: embeddings.filter(|_| is_searched),
            training: trains.then(|| context.training.command.clone()),
        }
    }

    /// Returns that of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            embeddings: self.embeddings.or(other.embeddings),
            training: self.training.or(other.training),
        }
    }

    /// Says it in a line each; empty where there is nothing.
    pub fn describe(&self) -> String {
        let embeddings = self.embeddings.iter().map(|model| {
            format!(
                "memory: its texts and the topics are embedded by {model}; these calls are not in the estimate \
                 and count against no ceiling\n"
            )
        });
        let training = self.training.iter().map(|command| {
            let command = match command.is_empty() {
                true => "a command that is still to be named (--train-cmd)".to_owned(),
                false => command.join(" "),
            };
            format!("training: by {command} between batches; what that takes is in no estimate\n")
        });
        embeddings.chain(training).collect()
    }

    /// Adds it to an estimate for programs.
    pub fn add_to(&self, summary: &mut Value) {
        if let Some(model) = &self.embeddings {
            summary["embeddings"] = json!({"model": model, "in_estimate": false});
        }
        if let Some(command) = &self.training {
            summary["training"] = json!({"command": command, "in_estimate": false});
        }
    }
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
