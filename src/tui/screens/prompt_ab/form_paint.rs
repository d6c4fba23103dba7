//! Drawing of the comparison form.

use super::form::ComparisonForm;
use crate::exchange::grouped_count;
use crate::exchange::price;
use crate::experiments::prompt_ab::{AbArm, AbField, AbPlanned};
use crate::tui::app::DrawContext;
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    FormLine, Paragraph, StyledLine, draw_text, head_and_body, lay_out, lines_and_rest, thousands,
};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// Columns of a field's name.
const LABEL: u16 = 17;
/// Notices that are shown at most.
const MAX_NOTICES: usize = 2;

impl ComparisonForm {
    pub(crate) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        let width = usize::from(area.width);
        let mut head = lay_out(&self.head(), width);
        head.push(StyledLine::default());
        let body = lines_and_rest(buffer, area, look, &head);
        let lines = AbField::ALL.map(|field| {
            let (role, value) = self.draft.value(field);
            FormLine::Field {
                field,
                name: field.label().to_owned(),
                role,
                value,
            }
        });
        let rows = AbField::ALL.len() as u16 + u16::from(self.rows.is_refused());
        let [rows, below] = head_and_body(body, rows);
        let cursor = self.rows.draw(buffer, rows, look, LABEL, &lines);
        let open = key_for(Context::PromptsCompared, Action::Open);
        let duty = brush.spelled(&self.rows.focus.duty(open));
        let mut page = vec![
            Paragraph::of(Role::Muted, duty).indented(1, 1),
            Paragraph::gap(),
        ];
        page.extend(self.costs());
        draw_text(buffer, below, look, &page);
        match &self.debates {
            Some(debates) => debates.draw(area, buffer, brush),
            None => cursor,
        }
    }

    fn head(&self) -> Vec<Paragraph> {
        let arm = |letter: &str, arm: &AbArm| {
            let text = match &arm.text {
                Some(text) => format!(", {} characters", thousands(text.chars().count() as u64)),
                None => ", the text of each debate".to_owned(),
            };
            Paragraph::of(Role::Strong, format!(" {letter} "))
                .and(Role::Text, arm.name.clone())
                .and(Role::Muted, text)
        };
        vec![
            Paragraph::of(
                Role::Strong,
                format!("Compare two prompts: {}", self.draft.compared.prompt),
            ),
            arm("A", &self.draft.compared.a),
            arm("B", &self.draft.compared.b),
        ]
    }

    fn costs(&self) -> Vec<Paragraph> {
        let line = |role, text: String| Paragraph::of(role, text).indented(1, 3);
        match &self.planned {
            None if self.draft.sources().is_none() => vec![line(Role::Notice, self.empty.clone())],
            None => vec![line(Role::Muted, "working out what it costs".to_owned())],
            Some(Err(why)) => vec![line(Role::Error, why.clone())],
            Some(Ok(planned)) => self.planned_lines(planned),
        }
    }

    fn planned_lines(&self, planned: &AbPlanned) -> Vec<Paragraph> {
        let line = |role, text: String| Paragraph::of(role, text).indented(1, 3);
        let turns = planned.plan.contexts.len();
        if turns == 0 {
            let text = "no recorded turn fits: choose other debates, another seat or round";
            return vec![line(Role::Warning, text.to_owned())];
        }
        let all = 2 * turns * planned.plan.samples as usize;
        let text = format!(
            "{} of {}: {}",
            grouped_count(turns, "turn"),
            grouped_count(planned.topics, "topic"),
            grouped_count(all, "sample")
        );
        let mut page = vec![line(Role::Strong, text)];
        let ceiling = format!("; {}", price::ceiling(planned.plan.ceilings.cost_usd));
        page.push(match (&planned.estimate, planned.simulated) {
            (Ok(all), true) => line(Role::Simulated, format!("SIMULATED: {}", price::price(all))),
            (Ok(all), false) => line(Role::Text, format!("{}{ceiling}", price::price(all))),
            (Err(why), _) => line(Role::Warning, format!("{why}{ceiling}")),
        });
        let notices = planned.notices.iter().take(MAX_NOTICES);
        page.extend(notices.map(|why| line(Role::Warning, format!("left out: {why}"))));
        page
    }
}
