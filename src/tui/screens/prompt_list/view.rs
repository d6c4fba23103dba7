//! Drawing of the prompt list, with details of the chosen prompt.

use super::Prompts;
use crate::experiments::LastResult;
use crate::library::{FileOrigin, short};
use crate::tui::app::DrawContext;
use crate::tui::screens::rows::cut;
use crate::tui::theme::Role;
use crate::tui::widgets::{Focus, Paragraph, Split, StyledLine, draw_text, frame};
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
const ROOMY: usize = 68;

impl Prompts {
    pub(crate) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        let [list, details] = Split::with_details(area, WIDE, BELOW);
        let inner = frame(list, buffer, look, "prompts", Focus::Focused);
        let (prompts, broken) = match &self.shelf {
            Some(shelf) => (shelf.prompts.as_slice(), shelf.broken.as_slice()),
            None => Default::default(),
        };
        let empty = match &self.shelf {
            Some(_) => "no prompt fits the filter",
            None => "reading prompts",
        };
        let (cursor, left) = self.list.draw(buffer, inner, brush, empty, |at, width| {
            let prompt = prompts.get(at);
            prompt.map_or_else(StyledLine::default, |prompt| self.listed(prompt, width))
        });
        let broken = broken.iter().map(|(id, why)| {
            Paragraph::of(Role::Error, format!("! {id} cannot be played: {why}")).indented(0, 2)
        });
        draw_text(buffer, left, look, &broken.collect::<Vec<_>>());
        self.draw_details(buffer, details, brush);
        cursor
    }

    fn listed(&self, prompt: &PromptOverview, width: usize) -> StyledLine {
        let fault = if prompt.fault.is_some() { "!" } else { " " };
        let (labels, last) = self.known_of(prompt);
        // What a person called it says more than its digits.
        let version = match labels.first() {
            Some(label) => format!("[{label}]"),
            None => short(&prompt.hash),
        };
        let version = cut(&version, VERSION);
        let result = if width >= ROOMY { RESULT + 1 } else { 0 };
        let room = width.saturating_sub(1 + ORIGIN + 1 + VERSION + 1 + result);
        let name = cut(&prompt.name.to_string(), room);
        let origin = match prompt.origin {
            FileOrigin::BuiltIn => Role::Muted,
            FileOrigin::Folder(_) => Role::Accent,
        };
        let mut runs = vec![
            (Role::Error, fault.to_owned()),
            (Role::Text, format!("{name:<room$}")),
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
        draw_text(buffer, inner, look, &details(prompt, &labels, last));
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
