//! Details of the chosen session below the list: facts without a column. Pure.

use super::columns::{age, counted};
use super::known_sessions::{KnownSessions, SessionEntry, SessionOrigin};
use crate::exchange::cost;
use crate::tui::app::DrawContext;
use crate::tui::theme::Role;
use crate::tui::widgets;
use crate::tui::widgets::{Content, Paragraph, StyledLine, lay_out};

/// Characters of a topic that are laid out here.
const MAX_TOPIC_CHARS: usize = 600;

/// Returns the lines about a session, at most `height` of them.
pub fn lines(
    entry: &SessionEntry,
    stock: &KnownSessions,
    brush: DrawContext<'_>,
    size: (u16, u16),
) -> Vec<StyledLine> {
    let (width, height) = (usize::from(size.0), usize::from(size.1));
    let facts = lay_out(&[facts(entry, stock)], width);
    let mut lines = lay_out(&[topic(entry, brush)], width);
    // The facts are short; what they leave is the topic's.
    let room = height.saturating_sub(facts.len()).max(1);
    lines.truncate(room);
    lines.extend(facts);
    lines.truncate(height);
    lines
}

fn topic(entry: &SessionEntry, brush: DrawContext<'_>) -> Paragraph {
    let glance = match &entry.found {
        Ok(glance) => glance,
        Err(why) => return Paragraph::of(Role::Error, why.clone()),
    };
    let text: String = glance
        .summary
        .topic
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(MAX_TOPIC_CHARS)
        .collect();
    let role = match brush.content {
        Content::Shown => Role::Text,
        Content::Masked => Role::Masked,
    };
    let mut line = Paragraph::default();
    if let Some(name) = &entry.name {
        line = line.and(Role::Strong, format!("{}: ", brush.content.of(name)));
    }
    line.and(role, brush.content.of(&text))
}

fn facts(entry: &SessionEntry, stock: &KnownSessions) -> Paragraph {
    let glance = match &entry.found {
        Ok(glance) => glance,
        Err(_) => return Paragraph::of(Role::Muted, format!("session {}", entry.id)),
    };
    let summary = &glance.summary;
    let mut line = Paragraph::default();
    if entry.open_here {
        line = line.and(Role::Streaming, "open here; ");
    } else if let Some(holder) = &glance.driven_by {
        line = line.and(Role::Streaming, format!("running in {holder}; "));
    }
    if summary.simulated {
        line = line.and(Role::Simulated, "simulated models; ");
    }
    // What a narrow list has no column for comes first.
    let cost = cost::known(summary.cost_usd);
    let mut facts = vec![format!(
        "{}, {cost}",
        widgets::counted(summary.calls as usize, "call")
    )];
    if !entry.tags.is_empty() {
        facts.push(format!("tags {}", entry.tags.join(" ")));
    }
    facts.push(counted(&summary.verdicts));
    facts.push(format!(
        "{} {}, {} of {}",
        summary.protocol,
        summary.state.word(),
        summary.rounds.0,
        widgets::counted(summary.rounds.1 as usize, "round")
    ));
    facts.push(match age(&summary.last_at, stock.now()).as_str() {
        "now" => "just now".to_owned(),
        age => format!("{age} ago"),
    });
    if let Some(category) = &summary.category {
        facts.push(format!("category {category}"));
    }
    if let Some(parent) = &glance.parent {
        facts.push(format!("fork of {parent}"));
    }
    match stock.forks(&entry.id) {
        0 => {}
        1 => facts.push("1 fork".to_owned()),
        forks => facts.push(format!("{forks} forks")),
    }
    if let Some(run) = &summary.run {
        facts.push(format!("run {run}"));
    }
    facts.push(match entry.origin {
        SessionOrigin::Store => format!("session {}", entry.id),
        SessionOrigin::Example => "comes with the program".to_owned(),
    });
    line.and(Role::Muted, facts.join("; "))
}
