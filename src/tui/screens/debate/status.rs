//! Status line and key hints of the debate screen.

use super::Debate;
use crate::tui::keys::Action;
use elenchus_run::engine::live::IdleReason;
use elenchus_view::debate_text::texts;

impl Debate {
    /// Says what is going on, for the status line.
    pub(super) fn status_text(&self) -> String {
        if let Some(search) = &self.search {
            return search.status_text();
        }
        if !self.empty.is_empty() {
            return String::new();
        }
        let live = self.source.streams.live_steps().count();
        let (_, state) = texts::describe_end(self.done.as_ref(), self.blocked);
        let mut words = match (live, self.describe_rest()) {
            (0, Some(rest)) if !matches!(self.idle_reason, Some(IdleReason::Done(_))) => {
                format!("{state} · {rest}")
            }
            (0, _) => state,
            (1, _) => "playing: one reply on its way".to_owned(),
            (live, _) => format!("playing: {live} replies on their way"),
        };
        if let Some(who) = self.driven_by.as_ref().filter(|_| !self.control.is_taken) {
            words = format!("{words} · played by {who}");
        }
        if self.is_example {
            words = format!("recorded example · {words}");
        }
        format!("{words} · {}", texts::describe_cost(&self.source.state))
    }

    /// Returns the actions worth a hint now.
    pub(super) fn select_hints(&self) -> Vec<Action> {
        if self.is_choosing() {
            return vec![Action::Open, Action::Back];
        }
        if self.has_overlay() {
            return Vec::new();
        }
        if self.search.is_some() {
            return vec![Action::SearchNext, Action::SearchPrevious, Action::Back];
        }
        if self.source.streams.live_steps().next().is_some() {
            return vec![Action::Pause, Action::StopStream, Action::Help];
        }
        let opening_done = self.coming.is_empty();
        let mut hints = if opening_done {
            vec![
                Action::NextTurn,
                Action::PreviousTurn,
                Action::Fork,
                Action::Reroll,
            ]
        } else {
            vec![Action::StepTurn, Action::StepRound, Action::RunToEnd]
        };
        hints.extend([Action::Inspect, Action::FocusNext, Action::Help]);
        hints
    }
}
