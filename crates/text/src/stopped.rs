//! Stopped replies in words: why, and what was used as far as known.

use super::cost;
use elenchus_game::debate::event::Stopped;

/// Returns the heading of a stopped reply.
pub fn stopped_heading(stopped: &Stopped) -> String {
    format!("stopped reply, not an attempt: {}", stopped_reason(stopped))
}

/// Returns why a reply was stopped, and what it used.
pub fn stopped_reason(stopped: &Stopped) -> String {
    let why = stopped.reason.describe();
    match describe_use(stopped) {
        Some(used) => format!("{why} ({used})"),
        None => why.to_owned(),
    }
}

/// Returns what was used: as the server reported it, else at most.
fn describe_use(stopped: &Stopped) -> Option<String> {
    let usd = stopped.may_have_cost_usd.map(cost::format_usd);
    let of = |tokens: String| match &usd {
        Some(usd) => format!("{tokens}, {usd}"),
        None => tokens,
    };
    if let Some(usage) = stopped.usage {
        let (read, written) = (usage.input_tokens, usage.output_tokens);
        return Some(of(format!("{read} tokens in, {written} out")));
    }
    let tokens = stopped.may_have_used_tokens?;
    Some(of(format!("at most {tokens} tokens")))
}
