//! Preview of an open step as the view of its seat.

use super::{Preview, PreviewRequest, PreviewUse};
use elenchus_model::ReplyForm;
use elenchus_text::{Paragraph, Role, cost};
use elenchus_view::seat_view::{Messages, SeatView, request_facts};

impl Preview {
    /// Fills the view of the step with what it would send.
    pub fn fill_view(&self, view: &mut SeatView) {
        view.messages = Messages::new(self.messages.clone());
        view.nothing = None;
        view.to_model = self.request.is_some();
        (view.facts, view.request) = match &self.request {
            Some(request) => request.list_facts(),
            None => {
                let text =
                    "a person sits here: this is what they are asked with, and nothing is sent";
                (vec![Paragraph::new(Role::Human, text)], Vec::new())
            }
        };
    }
}

impl PreviewRequest {
    /// Returns model, cost and sampling in a few lines, and the request in full.
    fn list_facts(&self) -> (Vec<Paragraph>, Vec<Paragraph>) {
        let mut model = Paragraph::new(Role::Text, self.model.clone());
        if self.name != self.model {
            model = model.with_run(Role::Muted, format!(" ({})", self.name));
        }
        if self.simulated {
            model = model.with_run(Role::Simulated, " simulated");
        }
        let model = model
            .with_run(
                Role::Muted,
                format!(" · likely {}", describe_use(self.likely)),
            )
            .with_run(
                Role::Muted,
                format!(" · at most {}", describe_use(self.at_most)),
            );
        let sampling = serde_json::to_value(&self.sampling).unwrap_or_default();
        let form = self.form.as_ref().map(|form| match form {
            ReplyForm::Schema(schema) => schema.clone(),
            ReplyForm::Grammar(grammar) => grammar.as_str().into(),
        });
        let (asked, full) = request_facts(&sampling, form.as_ref(), &self.sha256);
        (vec![model, asked], full)
    }
}

fn describe_use(of: PreviewUse) -> String {
    let cost = cost::format_cost(of.cost_usd);
    format!("{} in, {} out, {cost}", of.input_tokens, of.output_tokens)
}
