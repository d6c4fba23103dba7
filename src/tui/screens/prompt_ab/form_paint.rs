//! Drawing of the comparison form.

use super::AbPlanned;
use super::fields::ComparisonField;
use super::form::{ComparisonForm, Over};
use crate::experiments::prompt_ab::AbArm;
use crate::tui::app::DrawContext;
use crate::tui::screens::prompt_trial::cost;
use crate::tui::screens::rows::{cut, row};
use crate::tui::theme::Role;
use crate::tui::widgets::Paragraph;
use crate::tui::widgets::{StyledLine, lay_out};
use crate::tui::widgets::{counted, thousands};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// Columns of a field's name.
const LABEL: usize = 17;
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
        let mut y = area.y;
        let mut put = |line: &StyledLine, buffer: &mut Buffer| {
            if y < area.bottom() {
                line.put(buffer, row(area, y), look);
                y += 1;
            }
        };
        for line in lay_out(&self.head(), width) {
            put(&line, buffer);
        }
        put(&StyledLine::default(), buffer);
        for (at, field) in ComparisonField::ALL.into_iter().enumerate() {
            let is_here = self.rows.chosen() == Some(at);
            let mark = if is_here { look.glyphs().cursor } else { " " };
            let name = if is_here { Role::Selection } else { Role::Text };
            let (role, value) = self.value(field);
            let room = width.saturating_sub(LABEL + 2);
            let line = StyledLine {
                indent: 0,
                runs: vec![
                    (name, format!("{mark}{:LABEL$}", field.label())),
                    (Role::Text, " ".to_owned()),
                    (role, cut(&value, room)),
                ],
            };
            put(&line, buffer);
        }
        let duty = Paragraph::of(Role::Muted, brush.spelled(&self.field().duty())).indented(1, 1);
        let mut below = vec![duty, Paragraph::gap()];
        below.extend(self.costs());
        for line in lay_out(&below, width) {
            put(&line, buffer);
        }
        match &self.over {
            Some(Over::Debates(pick)) => pick.draw(area, buffer, look),
            Some(Over::Line(_, prompt)) => prompt.draw(area, buffer, look),
            None => None,
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
                format!("Compare two prompts: {}", self.wish.prompt),
            ),
            arm("A", &self.wish.a),
            arm("B", &self.wish.b),
        ]
    }

    fn costs(&self) -> Vec<Paragraph> {
        let line = |role, text: String| Paragraph::of(role, text).indented(1, 3);
        match &self.planned {
            None if self.survey.is_none() => vec![line(Role::Notice, self.empty.clone())],
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
            counted(turns, "turn"),
            counted(planned.topics, "topic"),
            counted(all, "sample")
        );
        let mut page = vec![line(Role::Strong, text)];
        let ceiling = match planned.plan.budget_usd {
            Some(usd) => format!("; it pauses before ${usd:.2}"),
            None => "; there is no ceiling".to_owned(),
        };
        page.push(match (&planned.estimate, planned.simulated) {
            (Ok(all), true) => line(Role::Simulated, format!("SIMULATED: {}", cost(all))),
            (Ok(all), false) => line(Role::Text, format!("{}{ceiling}", cost(all))),
            (Err(why), _) => line(Role::Warning, format!("{why}{ceiling}")),
        });
        let notices = planned.notices.iter().take(MAX_NOTICES);
        page.extend(notices.map(|why| line(Role::Warning, format!("left out: {why}"))));
        page
    }
}
