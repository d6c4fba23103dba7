//! Paragraphs of stopped replies and of failed calls, at the place where the whole reply would be. Pure.

use super::attempt::is_private;
use super::writer::DebateText;
use elenchus_game::debate::event::{Failed, FailureKind};
use elenchus_game::debate::state::StoppedReply;
use elenchus_game::debate::{StepId, TurnId};
use elenchus_text::{Content, Paragraph, Role, cost, others_prose, stopped_heading};

impl DebateText<'_> {
    /// Writes a turn of which there are stopped replies alone.
    pub(super) fn describe_stopped_turn(&self, turn: &TurnId) -> Vec<Paragraph> {
        let mut page = vec![self.describe_coming_turn(turn)];
        page.extend(self.describe_stopped_replies(turn));
        page.push(Paragraph::gap());
        page
    }

    /// Writes a turn whose call failed, with what had come of replies to it.
    pub(super) fn describe_failed_turn(&self, step: &StepId, turn: &TurnId) -> Vec<Paragraph> {
        let mut page = vec![
            self.describe_coming_turn(turn)
                .with_run(Role::Error, " · failed"),
        ];
        page.extend(self.describe_stopped_replies(turn));
        if let Some(failure) = self.state.failures().get(step) {
            page.push(self.describe_failure("", failure).with_indent(2, 4));
        }
        page.push(Paragraph::gap());
        page
    }

    /// Writes the failed calls for other attempts of a turn that was spoken.
    pub(super) fn describe_failed_attempts(&self, turn: &TurnId) -> Vec<Paragraph> {
        let failures = self.state.failures().iter();
        failures
            .filter(|(step, _)| step.turn().as_ref() == Some(turn))
            .map(|(_, failed)| {
                self.describe_failure("another attempt failed", failed)
                    .with_indent(2, 4)
            })
            .collect()
    }

    /// Writes the whole text of a failure, and what there is to do.
    pub(super) fn describe_failure(&self, what: &str, failed: &Failed) -> Paragraph {
        let message = failed.message.trim();
        let mut text = match what {
            "" => message.to_owned(),
            what => format!("{what}: {message}"),
        };
        match failed.kind {
            FailureKind::Error => {}
            FailureKind::Filtered => text.push_str(" (the provider's filter)"),
        }
        if let Some(usd) = failed.may_have_cost_usd.filter(|usd| *usd > 0.0) {
            text.push_str(&format!(" (may have cost {})", cost::format_usd(usd)));
        }
        let line = Paragraph::new(Role::Error, text);
        match self.retry {
            "" => line,
            retry => line.with_run(Role::Notice, format!(" · {retry} asks again")),
        }
    }

    /// Writes the stopped replies to a turn: their words where nothing else stands there.
    pub(super) fn describe_stopped_replies(&self, turn: &TurnId) -> Vec<Paragraph> {
        let stopped_replies = self.state.stopped_replies_to(turn);
        let in_short = !self.is_page() && self.state.turns().contains_key(turn);
        stopped_replies
            .flat_map(|stopped| match in_short {
                true => vec![stopped_reply_heading(stopped, None).with_indent(2, 4)],
                false => self.describe_stopped_reply(stopped, None),
            })
            .collect()
    }

    /// Writes a stopped reply; `step` says of what, where its place does not.
    pub(super) fn describe_stopped_reply(
        &self,
        stopped: &StoppedReply,
        step: Option<&str>,
    ) -> Vec<Paragraph> {
        let reply = &stopped.reply;
        let mut page = vec![stopped_reply_heading(stopped, step).with_indent(2, 4)];
        if let Some(thinking) = &reply.thinking {
            page.extend(self.describe_hidden_text(Role::Thinking, "its own thinking", thinking));
        }
        let turn = reply.step.turn();
        if reply.text.trim().is_empty() {
            return page;
        }
        if turn.is_some_and(|turn| is_private(self.state, &turn)) {
            page.extend(self.describe_hidden_text(Role::Private, "private reasoning", &reply.text));
            return page;
        }
        match self.content() {
            Content::Masked => {
                page.push(
                    Paragraph::new(Role::Masked, self.display_text(&reply.text)).with_indent(4, 4),
                );
            }
            Content::Shown => page.extend(others_prose(Role::Muted, 4, reply.text.trim_end())),
        }
        page
    }
}

fn stopped_reply_heading(stopped: &StoppedReply, step: Option<&str>) -> Paragraph {
    let heading = stopped_heading(&stopped.reply);
    let heading = match step {
        Some(step) => format!("{step}: {heading}"),
        None => heading,
    };
    let line = Paragraph::new(Role::Warning, heading);
    match stopped.inherited {
        true => line.with_run(Role::Muted, " (from the parent)"),
        false => line,
    }
}
