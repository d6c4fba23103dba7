//! Shares of a benign test, as lists show them.

use elenchus_memory::MatchShare;

/// Returns a share with its counts.
pub fn format_share(share: MatchShare) -> String {
    match share.ratio() {
        Some(value) => format!("{:.1} % ({}/{})", value * 100.0, share.count, share.of),
        None => "n/a (0 prompts)".to_owned(),
    }
}
