//! Drawing of the session list screen.

use super::Sessions;
use super::line_prompt::FootQuestion;
use super::selection::ListPick;
use super::table::{SessionTable, title};
use crate::exchange::grouped_count;
use crate::tui::app::DrawContext;
use crate::tui::keys::{Action, Context, key_for, spelled};
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Paragraph, StyledLine, draw_lines, draw_text, head_and_body, label_and_rest, lay_out, thousands,
};
use crate::workspace::session_browser::{GroupBy, query_fault, session_facts, session_topic};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};

/// From this height on the foot has four lines, below it three.
const HIGH: u16 = 20;

impl Sessions {
    /// Draws everything; returns the position of the cursor while text is typed.
    pub(super) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.refresh();
        self.content = brush.content;
        if area.height < 4 || area.width < 20 {
            return None;
        }
        let foot = Constraint::Length(if area.height >= HIGH { 4 } else { 3 });
        let [top, rule, foot] =
            Layout::vertical([Constraint::Fill(1), Constraint::Length(1), foot]).areas(area);
        let head = self.head(area.width);
        let height = u16::try_from(head.len()).unwrap_or(u16::MAX);
        let [head_area, body] = head_and_body(top, height.min(top.height / 2));
        let look = brush.look;
        draw_lines(buffer, head_area, look, &head);
        match &self.finds {
            Some(finds) => finds.draw(buffer, body, &self.stock, brush),
            None => self.list(buffer, body, brush),
        }
        let line = look.glyphs().border.horizontal_top;
        let line = StyledLine::of(Role::Border, line.repeat(area.width.into()));
        draw_lines(buffer, rule, look, [&line]);
        let cursor = self.prompt(buffer, foot, brush);
        if cursor.is_none() {
            self.foot(buffer, foot, brush);
        }
        if let Some(ask) = &self.asking {
            ask.draw(area, buffer, brush);
        }
        self.rejudging.draw(area, buffer, brush);
        cursor
    }

    /// Returns the lines above the list.
    fn head(&self, width: u16) -> Vec<StyledLine> {
        let is_whole = self.finds.is_none() && self.how.filter.is_empty();
        let paragraphs = match self.is_first_start() && is_whole {
            true => self.welcome(),
            false => vec![self.heading()],
        };
        lay_out(&paragraphs, width.into())
    }

    fn heading(&self) -> Paragraph {
        if let Some(finds) = &self.finds {
            return Paragraph::of(Role::Strong, "Search ")
                .and(Role::Match, finds.text.clone())
                .and(Role::Muted, format!(": {}", finds.results.status()));
        }
        let mut facts = vec![self.how.sort.first(self.how.direction).to_owned()];
        if self.how.group != GroupBy::Nothing {
            facts.push(format!("grouped by {}", self.how.group.word()));
        }
        match self.view.replicates() {
            0 => {}
            hidden => {
                let hidden = grouped_count(hidden, "replicate");
                facts.push(format!("{hidden} out of sight: filter is:replicate"));
            }
        }
        let mut line = Paragraph::of(Role::Strong, self.count())
            .and(Role::Muted, format!(", {}", facts.join(", ")));
        if !self.how.filter.is_empty() {
            let all = key_for(Context::Sessions, Action::Back);
            let found = format!(": {}; {all} clears the filter", self.matches());
            let found = match query_fault(&self.how.filter) {
                Some(why) => (Role::Warning, format!(": {why}")),
                None => (Role::Muted, spelled(&found, &self.keys)),
            };
            line = line
                .and(Role::Muted, ", filter ")
                .and(Role::Match, self.how.filter.clone())
                .and(found.0, found.1);
        }
        line
    }

    fn matches(&self) -> String {
        match self.view.sessions() {
            1 => "1 match".to_owned(),
            many => format!("{many} matches"),
        }
    }

    /// Servers that answer, once known; before that the configured ones.
    fn servers(&self) -> &str {
        let configured = self.stock.configured();
        self.stock.servers().unwrap_or(configured)
    }

    /// Welcome text where there are no sessions yet.
    fn welcome(&self) -> Vec<Paragraph> {
        let key = |action| {
            self.keys
                .hint(Context::Sessions, action)
                .unwrap_or_else(|| format!("':' {}", action.name()))
        };
        let keys = Paragraph::default()
            .and(Role::KeyHint, key(Action::New))
            .and(Role::Text, " begins your own debate, ")
            .and(Role::KeyHint, key(Action::Open))
            .and(Role::Text, " opens an example, ")
            .and(Role::KeyHint, key(Action::Help))
            .and(Role::Text, " lists the keys, ")
            .and(Role::KeyHint, key(Action::Quit))
            .and(Role::Text, " quits");
        vec![
            Paragraph::of(Role::Strong, "No sessions yet."),
            Paragraph::of(Role::Muted, self.servers()),
            keys,
            Paragraph::gap(),
        ]
    }

    fn list(&self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        let look = brush.look;
        if self.view.lines().is_empty() {
            let text = match (self.stock.is_listed(), self.how.filter.is_empty()) {
                (false, _) => "reading the sessions",
                (true, true) if self.stock.read_count() < self.stock.total() => {
                    "reading the sessions"
                }
                (true, true) => "There is nothing to list.",
                (true, false) => "No session fits the filter.",
            };
            let text = Paragraph::of(Role::Muted, text).indented(2, 2);
            draw_text(buffer, area, look, &[text]);
            return;
        }
        let table = SessionTable {
            stock: &self.stock,
            view: &self.view,
            how: &self.how,
            marks: &self.marks,
        };
        table.draw(buffer, area, brush);
    }

    fn prompt(&self, buffer: &mut Buffer, foot: Rect, brush: DrawContext<'_>) -> Option<Position> {
        let prompt = self.prompt.as_ref()?;
        let look = brush.look;
        let [row, below] = head_and_body(foot, 1);
        let input = label_and_rest(buffer, row, look, Role::Accent, &prompt.label());
        let cursor = prompt.line.draw(input, buffer, look, Role::Text);
        let help = Paragraph::of(Role::Muted, prompt.help());
        draw_text(buffer, below, look, &[help]);
        Some(cursor)
    }

    fn foot(&self, buffer: &mut Buffer, foot: Rect, brush: DrawContext<'_>) {
        let hit = self.finds.as_ref().and_then(|finds| finds.chosen());
        let entry = match hit {
            Some(hit) => self.stock.entry(&hit.session),
            None => self.view.entry(&self.stock),
        };
        let lines = match (entry, self.view.pick()) {
            (Some(entry), _) => {
                let (width, height) = (usize::from(foot.width), usize::from(foot.height));
                let facts = lay_out(&[session_facts(entry, &self.stock)], width);
                let mut lines = lay_out(&[session_topic(entry, brush.content)], width);
                // The facts are short; what they leave is the topic's.
                lines.truncate(height.saturating_sub(facts.len()).max(1));
                lines.extend(facts);
                lines.truncate(height);
                lines
            }
            (None, Some(ListPick::Heading(group))) => {
                let title = title(group, brush.content);
                let enter = key_for(Context::Sessions, Action::Open);
                let text = brush.spelled(&format!("{title} {enter} folds or unfolds it."));
                lay_out(&[Paragraph::of(Role::Muted, text)], foot.width.into())
            }
            (None, Some(ListPick::Session(_)) | None) => Vec::new(),
        };
        draw_lines(buffer, foot, brush.look, &lines);
    }

    pub(super) fn is_first_start(&self) -> bool {
        self.stock.is_listed() && self.stock.total() == 0
    }

    /// Returns how many sessions there are, in words.
    pub(super) fn count(&self) -> String {
        let (read, total) = (self.stock.read_count(), self.stock.total());
        match (self.stock.is_listed(), total) {
            (false, _) => "being read".to_owned(),
            (true, total) if read < total => {
                format!(
                    "{} of {} read",
                    thousands(read as u64),
                    thousands(total as u64)
                )
            }
            (true, total) => grouped_count(total, "session"),
        }
    }

    /// Says whether a question waits for a yes.
    pub(super) fn is_asking(&self) -> bool {
        self.asking.is_some() || self.rejudging.is_asking()
    }

    /// Says whether the filter is being typed.
    pub(super) fn is_filtering(&self) -> bool {
        self.prompt
            .as_ref()
            .is_some_and(|prompt| prompt.ask == FootQuestion::Filter)
    }
}
