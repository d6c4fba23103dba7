//! Stopped replies of a transcript: the words that came, marked as no attempt.

use super::Script;
use super::rounds::TEXT;
use elenchus_game::debate::state::StoppedReply;
use elenchus_text::Ink;
use elenchus_text::stopped_heading;

impl Script<'_> {
    /// Writes the stopped replies that belong to no turn and to no verdict.
    pub(super) fn write_other_stopped_replies(&mut self) {
        let state = self.state;
        if state.other_stopped_replies().next().is_none() {
            return;
        }
        self.page.add_title("Stopped replies");
        for stopped in state.other_stopped_replies() {
            self.page
                .line_at(2)
                .write_plain(stopped.reply.step.as_str());
            self.write_stopped_reply(stopped, false);
        }
    }

    /// Writes a stopped reply; `private`, where its stage is.
    pub(super) fn write_stopped_reply(&mut self, stopped: &StoppedReply, private: bool) {
        let reply = &stopped.reply;
        let mut heading = stopped_heading(reply);
        if stopped.inherited {
            heading.push_str("; copied from the parent");
        }
        self.page.line_at(TEXT).write_middle(&heading);
        if let Some(thinking) = &reply.thinking {
            self.private_text(TEXT + 2, "its own thinking", thinking);
        }
        if reply.text.trim().is_empty() {
            return;
        }
        if private {
            self.private_text(TEXT + 2, "private reasoning", &reply.text);
        } else {
            self.write_prose(Ink::Dim, TEXT + 2, &reply.text);
        }
    }
}
