//! Results of a benign test as text.

use crate::cli::common::Page;
use crate::memory::{GuardReport, MatchShare};
use crate::metrics::wilson;

/// Writes a report. One that is about another revision than the guardrail's says so.
pub fn write(page: &mut Page, report: &GuardReport, revision: u32) {
    let simulated = if report.simulated { ", simulated" } else { "" };
    page.at(2).bold(&format!(
        "tested on {} by {}{simulated}, nearest by {}",
        report.dataset, report.model, report.retriever
    ));
    if report.revision != revision {
        page.at(4).middle(&format!(
            "of revision {}: the text was changed since",
            report.revision
        ));
    }
    if report.beside > 0 {
        page.at(4).line(&format!(
            "tested with {} others: their matches are counted for them",
            report.beside
        ));
    }
    page.field(4, "over-refusal", 14, &interval(report.over_refused));
    for kind in &report.by_type {
        let name = format!("  {}", kind.name);
        page.at(4).line(&format!("{name}: {}", percent(kind.share)));
    }
    page.field(4, "catch rate", 14, &interval(report.caught));
    if report.unparsed + report.failed > 0 {
        page.at(4).middle(&format!(
            "{} replies could not be read and count as no match; {} calls failed and are left out",
            report.unparsed, report.failed
        ));
    }
}

/// Returns a share with its Wilson interval: there is one observation a prompt.
pub fn interval(share: MatchShare) -> String {
    let bounds = wilson(u64::from(share.count), u64::from(share.of));
    match bounds {
        Some(bounds) => format!(
            "{}, 95 % interval {:.1} to {:.1} % (Wilson)",
            percent(share),
            bounds.low * 100.0,
            bounds.high * 100.0
        ),
        None => percent(share),
    }
}

/// Returns a share with its counts.
pub fn percent(share: MatchShare) -> String {
    match share.value() {
        Some(value) => format!("{:.1} % ({}/{})", value * 100.0, share.count, share.of),
        None => "n/a (0 prompts)".to_owned(),
    }
}
