//! Page about an experiment, from its own journal alone. Pure.

use super::kinds::ListedExperiment;
use elenchus_records::workspace::{ExperimentSummary, to_the_minute};
use elenchus_text::{Paragraph, Role, cost};

/// Failures that are shown; the rest is counted.
const MAX_SHOWN_FAILURES: usize = 20;

impl ListedExperiment {
    /// Returns what is known of an experiment from its own journal.
    pub fn about_page(&self) -> Vec<Paragraph> {
        let one = &self.summary;
        let mut page =
            vec![Paragraph::of(Role::Strong, format!("{} ", one.about)).and(Role::Muted, &*one.id)];
        let begun = to_the_minute(&one.begun_at);
        let (_, names) = one.item_names;
        let all = one
            .items
            .all
            .map_or_else(|| "?".to_owned(), |all| all.to_string());
        let mut done = Paragraph::of(Role::Text, format!("{} of {all} {names}", one.items.done));
        if one.items.failed > 0 {
            done = done.and(Role::Error, format!(", {} failed", one.items.failed));
        }
        if !begun.is_empty() {
            done = done.and(Role::Muted, format!(" · begun {begun} UTC"));
        }
        page.push(done);
        page.push(Paragraph::of(Role::Text, cost_of(one)));
        if let Some(why) = one.standing.reason() {
            page.push(Paragraph::of(Role::Warning, format!("paused: {why}")));
        }
        let shown = one.failures.iter().take(MAX_SHOWN_FAILURES);
        page.extend(shown.map(|(item, why)| {
            Paragraph::of(Role::Error, format!("{item}: {why}")).indented(0, 2)
        }));
        let more = one.failures.len().saturating_sub(MAX_SHOWN_FAILURES);
        if more > 0 {
            page.push(Paragraph::of(
                Role::Muted,
                format!("and {more} more failures"),
            ));
        }
        if self.goes_on() {
            page.push(Paragraph::of(
                Role::Muted,
                format!("go on with: {}", self.resume()),
            ));
        }
        page
    }
}

/// Returns the most that it may have cost, and its ceilings.
fn cost_of(one: &ExperimentSummary) -> String {
    let mut text = match one.committed_usd {
        Some(usd) => format!("cost at most {}", cost::usd(usd)),
        None => "cost ? (not known from its journal)".to_owned(),
    };
    if let Some(ceiling) = one.ceilings.cost_usd {
        text.push_str(&format!(" of {}", cost::usd(ceiling)));
    }
    for (count, name) in [
        (one.ceilings.calls, "calls"),
        (one.ceilings.tokens, "tokens"),
    ] {
        if let Some(count) = count {
            text.push_str(&format!(" · {count} {name} at most"));
        }
    }
    text
}
