//! Drawing of the prompt list, with details of the chosen prompt.

use super::Prompts;
use crate::experiments::LastResult;
use crate::library::{FileOrigin, short};
use crate::tui::app::DrawContext;
use crate::tui::screens::rows::{cut, row};
use crate::tui::theme::Role;
use crate::tui::widgets::Paragraph;
use crate::tui::widgets::{Focus, frame, put};
use crate::tui::widgets::{StyledLine, lay_out};
use crate::workspace::prompts::PromptOverview;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// From this width on, list and details are side by side.
const WIDE: u16 = 120;
/// Rows of the details below the list.
const BELOW: u16 = 8;
/// Cells for where a prompt comes from.
const ORIGIN: usize = 9;
/// Cells for a version in the list.
const VERSION: usize = 12;
/// Cells for the result of the last debate, where the list is wide enough.
const RESULT: usize = 18;
const ROOMY: usize = 70;

impl Prompts {
    pub(crate) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        let (list, details) = split(area);
        let inner = frame(list, buffer, look, "prompts", Focus::Focused);
        let mut cursor = None;
        let mut body = inner;
        if self.filtering || !self.filter.text().is_empty() {
            let line = row(inner, inner.y);
            let muted = look.style(Role::Muted);
            let before = put(
                buffer,
                line.as_position(),
                line.width,
                "filter: ",
                muted,
                look,
            );
            let typed = Rect {
                x: line.x + before,
                width: line.width.saturating_sub(before),
                ..line
            };
            let at = self.filter.draw(typed, buffer, look, Role::Text);
            cursor = self.filtering.then_some(at);
            body.y += 1;
            body.height = body.height.saturating_sub(1);
        }
        self.draw_rows(buffer, body, brush);
        self.draw_details(buffer, details, brush);
        cursor
    }

    fn draw_rows(&self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        let look = brush.look;
        let Some(shelf) = &self.shelf else {
            let text = StyledLine {
                indent: 0,
                runs: vec![(Role::Notice, "reading prompts".to_owned())],
            };
            return text.put(buffer, row(area, area.y), look);
        };
        let top = self.rows.top(area.height);
        let shown = self.listed.iter().enumerate().skip(top);
        for (y, (place, at)) in (area.y..area.bottom()).zip(shown) {
            let Some(prompt) = shelf.prompts.get(*at) else {
                continue;
            };
            let is_chosen = self.rows.chosen() == Some(place);
            let line = self.listed(
                prompt,
                usize::from(area.width),
                is_chosen,
                look.glyphs().cursor,
            );
            line.put(buffer, row(area, y), look);
        }
        let below = area.y
            + u16::try_from(self.listed.len())
                .unwrap_or(u16::MAX)
                .min(area.height);
        if self.listed.is_empty() && area.height > 0 {
            let text = "no prompt fits the filter";
            let at = area.as_position();
            put(buffer, at, area.width, text, look.style(Role::Notice), look);
        }
        let broken = shelf.broken.iter().map(|(id, why)| {
            Paragraph::of(Role::Error, format!("! {id} cannot be played: {why}")).indented(0, 2)
        });
        let lines = lay_out(&broken.collect::<Vec<_>>(), usize::from(area.width));
        for (y, line) in (below..area.bottom()).zip(lines) {
            line.put(buffer, row(area, y), look);
        }
    }

    fn listed(
        &self,
        prompt: &PromptOverview,
        width: usize,
        is_chosen: bool,
        mark: &str,
    ) -> StyledLine {
        let mark = if is_chosen { mark } else { " " };
        let fault = if prompt.fault.is_some() { "!" } else { " " };
        let (labels, last) = self.known_of(prompt);
        // What a person called it says more than its digits.
        let version = match labels.first() {
            Some(label) => format!("[{label}]"),
            None => short(&prompt.hash),
        };
        let version = cut(&version, VERSION);
        let result = if width >= ROOMY { RESULT + 1 } else { 0 };
        let room = width.saturating_sub(3 + ORIGIN + 1 + VERSION + 1 + result);
        let name = cut(&prompt.name.to_string(), room);
        let role = match is_chosen {
            true => Role::Selection,
            false => Role::Text,
        };
        let origin = match prompt.origin {
            FileOrigin::BuiltIn => Role::Muted,
            FileOrigin::Folder(_) => Role::Accent,
        };
        let mut runs = vec![
            (Role::Accent, format!("{mark} ")),
            (Role::Error, fault.to_owned()),
            (role, format!("{name:<room$}")),
            (origin, format!(" {:<ORIGIN$}", origin_word(prompt))),
            (Role::Muted, format!(" {version:<VERSION$}")),
        ];
        if let (true, Some(last)) = (result > 0, last) {
            let (role, text) = result_words(last);
            runs.push((role, format!(" {}", cut(&text, RESULT))));
        }
        StyledLine { indent: 0, runs }
    }

    fn draw_details(&self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        let look = brush.look;
        let Some(prompt) = self.chosen() else {
            frame(area, buffer, look, "", Focus::Unfocused);
            return;
        };
        let title = prompt.name.to_string();
        let inner = frame(area, buffer, look, &title, Focus::Unfocused);
        let (labels, last) = self.known_of(prompt);
        let page = details(prompt, &labels, last);
        let lines = lay_out(&page, usize::from(inner.width));
        for (y, line) in (inner.y..inner.bottom()).zip(lines) {
            line.put(buffer, row(inner, y), look);
        }
    }
}

/// Says in a word where a prompt comes from.
fn origin_word(prompt: &PromptOverview) -> &'static str {
    match &prompt.origin {
        FileOrigin::BuiltIn => "built-in",
        FileOrigin::Folder(folder) if folder.ends_with(".elenchus/prompts") => "project",
        FileOrigin::Folder(_) => "user",
    }
}

/// Describes the result of the last debate with a text.
fn result_words(last: &LastResult) -> (Role, String) {
    let found = match last.judged {
        0 => "played".to_owned(),
        judged => format!("{}/{judged} unsafe", last.bad),
    };
    match last.simulated {
        true => (Role::Simulated, format!("{found} sim")),
        false => (Role::Text, found),
    }
}

fn details(prompt: &PromptOverview, labels: &[&str], last: Option<&LastResult>) -> Vec<Paragraph> {
    let fact = |name: &str, text: String| {
        Paragraph::of(Role::Muted, format!("{name} "))
            .and(Role::Text, text)
            .indented(0, 2)
    };
    let mut page = Vec::new();
    if !prompt.description.is_empty() {
        page.push(Paragraph::of(Role::Text, prompt.description.clone()));
    }
    if let Some(fault) = &prompt.fault {
        page.push(Paragraph::of(Role::Error, format!("! {fault}")));
    }
    let told = match prompt.tellers.is_empty() {
        true => "no seat at the default settings".to_owned(),
        false => prompt.tellers.clone(),
    };
    page.push(fact("prompt of", told));
    let from = match &prompt.origin {
        FileOrigin::BuiltIn => format!("built in, {}", prompt.file),
        FileOrigin::Folder(folder) => folder.join(&prompt.file).display().to_string(),
    };
    page.push(fact("from", from));
    if prompt.is_shared() {
        page.push(Paragraph::of(Role::Muted, "other games use this file too"));
    }
    let labelled: String = labels.iter().map(|label| format!(" [{label}]")).collect();
    page.push(fact("version", short(&prompt.hash) + &labelled));
    if let Some(last) = last {
        let (role, found) = result_words(last);
        let when = last.at.get(..16).unwrap_or(&last.at).replace('T', " ");
        let fact = Paragraph::of(Role::Muted, "last debate ").and(role, found);
        page.push(fact.and(Role::Muted, format!(", {when}")).indented(0, 2));
    }
    page
}

fn split(area: Rect) -> (Rect, Rect) {
    if area.width >= WIDE {
        let list = Rect {
            width: area.width * 3 / 5,
            ..area
        };
        let details = Rect {
            x: list.right(),
            width: area.width - list.width,
            ..area
        };
        return (list, details);
    }
    let below = BELOW.min(area.height / 2);
    let list = Rect {
        height: area.height - below,
        ..area
    };
    let details = Rect {
        y: list.bottom(),
        height: below,
        ..area
    };
    (list, details)
}
