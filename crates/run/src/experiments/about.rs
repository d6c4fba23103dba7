//! Page about an experiment, from its own journal alone. Pure.

use super::kinds::ListedExperiment;
use elenchus_records::workspace::{ExperimentSummary, to_the_minute};
use elenchus_text::{Paragraph, Role, cost};

/// Failures that are shown; the rest is counted.
const MAX_SHOWN_FAILURES: usize = 20;

impl ListedExperiment {
    /// Returns what is known of an experiment from its own journal.
    pub fn describe(&self) -> Vec<Paragraph> {
        let one = &self.summary;
        let mut page = vec![
            Paragraph::new(Role::Strong, format!("{} ", one.about)).with_run(Role::Muted, &*one.id),
        ];
        let begin_time = to_the_minute(&one.begun_at);
        let (_, names) = one.item_names;
        let all = one
            .items
            .all
            .map_or_else(|| "?".to_owned(), |all| all.to_string());
        let mut progress =
            Paragraph::new(Role::Text, format!("{} of {all} {names}", one.items.done));
        if one.items.failed > 0 {
            progress = progress.with_run(Role::Error, format!(", {} failed", one.items.failed));
        }
        if !begin_time.is_empty() {
            progress = progress.with_run(Role::Muted, format!(" · begun {begin_time} UTC"));
        }
        page.push(progress);
        page.push(Paragraph::new(Role::Text, describe_cost(one)));
        if let Some(why) = one.standing.pause_reason() {
            page.push(Paragraph::new(Role::Warning, format!("paused: {why}")));
        }
        let first_failures = one.failures.iter().take(MAX_SHOWN_FAILURES);
        page.extend(first_failures.map(|(item, why)| {
            Paragraph::new(Role::Error, format!("{item}: {why}")).with_indent(0, 2)
        }));
        let more = one.failures.len().saturating_sub(MAX_SHOWN_FAILURES);
        if more > 0 {
            page.push(Paragraph::new(
                Role::Muted,
                format!("and {more} more failures"),
            ));
        }
        if self.can_resume() {
            page.push(Paragraph::new(
                Role::Muted,
                format!("go on with: {}", self.resume_command()),
            ));
        }
        page
    }
}

/// Returns the most that it may have cost, and its ceilings.
fn describe_cost(one: &ExperimentSummary) -> String {
    let mut text = match one.committed_usd {
        Some(usd) => format!("cost at most {}", cost::format_usd(usd)),
        None => "cost ? (not known from its journal)".to_owned(),
    };
    if let Some(ceiling) = one.ceilings.cost_usd {
        text.push_str(&format!(" of {}", cost::format_usd(ceiling)));
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
