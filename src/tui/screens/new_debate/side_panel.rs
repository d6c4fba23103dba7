//! Side panel of the form: help on the field, the game, the topic, the cost.

use super::NewDebate;
use crate::debate::ExpectedUse;
use crate::exchange::grouped_count;
use crate::exchange::{cost, described};
use crate::experiments::debate_draft::DebateField;
use crate::tui::app::DrawContext;
use crate::tui::theme::Role;
use crate::tui::widgets::{Paragraph, thousands};

/// Space for details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DetailRoom {
    /// A pane of its own, next to the form.
    Wide,
    /// A few lines below it.
    Narrow,
}

impl NewDebate {
    /// Returns the details of the focused field.
    pub(super) fn detail(&self, brush: DrawContext<'_>, room: DetailRoom) -> Vec<Paragraph> {
        let help = brush.spelled(&self.help(&self.rows.focus));
        let mut page = vec![Paragraph::of(Role::Muted, help)];
        if self.rows.focus == DebateField::Topic && !self.draft.topic.is_empty() {
            page.push(Paragraph::gap());
            page.extend(described::beginning(&self.draft.topic, brush.content));
            return page;
        }
        if let DebateField::Everybody | DebateField::Chair(_) = self.rows.focus {
            page.extend(self.servers());
        }
        if self.rows.focus == DebateField::Game || room == DetailRoom::Wide {
            if let Some(protocol) = self.protocol() {
                page.push(Paragraph::gap());
                page.extend(described::game(protocol));
            } else if let Some(Some(Err(why))) = self.games.get(&self.draft.game) {
                page.push(Paragraph::of(Role::Error, why.clone()));
            }
        }
        page
    }

    /// Returns why models of a server are not listed, and what to do.
    pub(super) fn servers(&self) -> impl Iterator<Item = Paragraph> {
        let faults = self.library.server_faults.iter();
        faults.map(|fault| Paragraph::of(Role::Warning, fault.clone()))
    }

    /// Returns what the debate would cost, in two lines or three.
    pub(super) fn cost(&self) -> Vec<Paragraph> {
        let prepared = match &self.prepared {
            _ if self.draft.game.is_empty() => return Vec::new(),
            None if self.needs_somebody() => {
                let text = "who plays decides what it costs";
                return vec![Paragraph::of(Role::Muted, text)];
            }
            None => return vec![Paragraph::of(Role::Muted, "the cost is being estimated")],
            Some(Err(why)) => return vec![Paragraph::of(Role::Error, why.clone())],
            Some(Ok(ready)) => ready,
        };
        let mut page = match prepared.estimate() {
            None => vec![Paragraph::of(
                Role::Muted,
                "the game is too large for its cost to be estimated",
            )],
            Some(estimate) => vec![
                Paragraph::of(Role::Strong, "likely  ").and(Role::Text, used(&estimate.likely)),
                Paragraph::of(Role::Strong, "at most ").and(Role::Text, used(&estimate.at_most)),
            ],
        };
        let notices = prepared.notices().iter();
        page.extend(notices.map(|notice| Paragraph::of(Role::Warning, notice.clone())));
        let unlisted = prepared.unlisted().iter();
        page.extend(unlisted.map(|one| Paragraph::of(Role::Warning, one.to_string())));
        page
    }
}

fn used(expected: &ExpectedUse) -> String {
    let cost = match expected.cost_usd {
        Some(usd) => cost::usd(usd),
        None => "unknown: no price".to_owned(),
    };
    format!(
        "{}, {} tokens in and {} out, {cost}",
        grouped_count(expected.calls as usize, "call"),
        thousands(expected.input_tokens),
        thousands(expected.output_tokens)
    )
}
