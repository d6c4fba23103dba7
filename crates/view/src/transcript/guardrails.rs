//! The guardrails near the topic, and what each debater's model decided.

use super::Script;
use elenchus_game::debate::GuardDecision;
use elenchus_text::Ink;

impl Script<'_> {
    /// Writes what was found and decided; nothing where guardrails were not asked.
    pub(crate) fn guardrails(&mut self) {
        let state = self.state;
        let Some(near) = state.guards() else {
            return;
        };
        self.page
            .title(&format!("Guardrails near the topic, by {}", near.retriever));
        if near.candidates.is_empty() {
            self.page.at(2).line("none: no model was called");
        }
        for candidate in &near.candidates {
            self.page
                .at(2)
                .dim(&format!("{} · {:.3}", candidate.id, candidate.score));
            self.others(Ink::Plain, 4, &candidate.text());
        }
        for (id, why) in &near.excluded {
            self.page.at(2).dim(&format!("left out: {id}, {why}"));
        }
        for (chair, decided) in state.guarded() {
            let who = self.name(chair);
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
                    self.page.at(2).inked(ink, &format!("=> {who}: {text}"));
                    self.guard_view(guarded);
                }
                Err(failed) => {
                    self.page.at(2).bad(&format!(
                        "=> {who}: failed, so it speaks: {}",
                        failed.message
                    ));
                }
            }
        }
    }
}
