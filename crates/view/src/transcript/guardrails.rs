//! The guardrails near the topic, and what each debater's model decided.

use super::Script;
use elenchus_game::debate::GuardDecision;
use elenchus_text::Ink;

impl Script<'_> {
    /// Writes what was found and decided; nothing where guardrails were not asked.
    pub(crate) fn write_guardrails(&mut self) {
        let state = self.state;
        let Some(near) = state.retrieved_guards() else {
            return;
        };
        self.page
            .add_title(&format!("Guardrails near the topic, by {}", near.retriever));
        if near.candidates.is_empty() {
            self.page
                .line_at(2)
                .write_plain("none: no model was called");
        }
        for candidate in &near.candidates {
            self.page
                .line_at(2)
                .write_dim(&format!("{} · {:.3}", candidate.id, candidate.score));
            self.write_prose(Ink::Plain, 4, &candidate.full_text());
        }
        for (id, why) in &near.excluded {
            self.page
                .line_at(2)
                .write_dim(&format!("left out: {id}, {why}"));
        }
        for (chair, decided) in state.guard_states() {
            let who = self.chair_name(chair);
            match &decided.decided {
                Ok(guarded) => {
                    let (ink, text) = match &guarded.decision {
                        GuardDecision::Matched { guardrail } => (
                            Ink::Middle,
                            format!("{guardrail} matches; it does not speak"),
                        ),
                        GuardDecision::NoMatch => (Ink::Good, "none matches".to_owned()),
                        GuardDecision::Unparsed { why, .. } => {
                            (Ink::Bad, format!("unparsed, so it speaks: {why}"))
                        }
                    };
                    self.page
                        .line_at(2)
                        .write_in_ink(ink, &format!("=> {who}: {text}"));
                    self.write_guard_view(guarded);
                }
                Err(failed) => {
                    self.page.line_at(2).write_bad(&format!(
                        "=> {who}: failed, so it speaks: {}",
                        failed.message
                    ));
                }
            }
        }
    }
}
