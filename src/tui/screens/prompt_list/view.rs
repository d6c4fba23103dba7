//! Drawing of the prompt list, with details of the chosen prompt.

use super::Prompts;
use crate::tui::app::DrawContext;
use crate::tui::components::rows::cut_to_width;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Content, Focus, Paragraph, Split, StyledLine, draw_frame, draw_text, prose_paragraphs,
};
use elenchus_records::library::{FileOrigin, shorten_hash};
use elenchus_records::workspace::prompts::PromptOverview;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// From this width on, list and details are side by side.
const WIDE: u16 = 120;
/// Rows of the details below the list.
const BELOW: u16 = 13;
/// Comparisons of a prompt that are named, the newest; its versions name all.
const MAX_COMPARED: usize = 1;
/// Cells for where a prompt comes from.
const ORIGIN: usize = 9;
/// Cells for a version in the list.
const VERSION: usize = 12;
/// Cells for the result of the last debate, where the list is wide enough.
const RESULT: usize = 18;
const ROOMY: usize = 68;

impl Prompts {
    pub(crate) fn draw_prompts(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let look = context.look;
        let [list, details] = Split::with_details(area, WIDE, BELOW);
        let inner = draw_frame(list, buffer, look, "prompts", Focus::Focused);
        let (prompts, broken) = match &self.catalogue {
            Some(shelf) => (shelf.prompts.as_slice(), shelf.broken.as_slice()),
            None => Default::default(),
        };
        let empty = match &self.catalogue {
            Some(_) => "no prompt fits the filter",
            None => "reading prompts",
        };
        let (cursor, left) = self.list.draw(buffer, inner, context, empty, |at, width| {
            let prompt = prompts.get(at);
            prompt.map_or_else(StyledLine::default, |prompt| {
                self.lay_out_prompt(prompt, width)
            })
        });
        let faults = broken.iter().map(|(id, why)| {
            Paragraph::new(Role::Error, format!("! {id} cannot be played: {why}")).with_indent(0, 2)
        });
        draw_text(buffer, left, look, &faults.collect::<Vec<_>>());
        self.draw_details(buffer, details, context);
        cursor
    }

    fn lay_out_prompt(&self, prompt: &PromptOverview, width: usize) -> StyledLine {
        let fault = if prompt.fault.is_some() { "!" } else { " " };
        let last = self.results.last(prompt);
        // What a person called it says more than its digits.
        let version = match self.results.labels(prompt).next() {
            Some(label) => format!("[{label}]"),
            None => shorten_hash(&prompt.hash),
        };
        let version = cut_to_width(&version, VERSION);
        let result = if width >= ROOMY { RESULT + 1 } else { 0 };
        let room = width.saturating_sub(1 + ORIGIN + 1 + VERSION + 1 + result);
        let name = cut_to_width(&prompt.name.to_string(), room);
        let origin = match prompt.origin {
            FileOrigin::BuiltIn => Role::Muted,
            FileOrigin::Folder(_) => Role::Accent,
        };
        let mut runs = vec![
            (Role::Error, fault.to_owned()),
            (Role::Text, format!("{name:<room$}")),
            (origin, format!(" {:<ORIGIN$}", prompt.origin_word())),
            (Role::Muted, format!(" {version:<VERSION$}")),
        ];
        if let (true, Some(last)) = (result > 0, last) {
            let (role, text) = last.describe_result();
            runs.push((role, format!(" {}", cut_to_width(&text, RESULT))));
        }
        StyledLine::from_runs(runs)
    }

    fn draw_details(&self, buffer: &mut Buffer, area: Rect, context: DrawContext<'_>) {
        let look = context.look;
        let Some(prompt) = self.selected_prompt() else {
            draw_frame(area, buffer, look, "", Focus::Unfocused);
            return;
        };
        let title = prompt.name.to_string();
        let inner = draw_frame(area, buffer, look, &title, Focus::Unfocused);
        let mut page = self.results.describe_prompt(prompt);
        let compared = self.compared.get(&prompt.name).into_iter().flatten();
        page.extend(
            compared
                .take(MAX_COMPARED)
                .map(|texts| Paragraph::new(Role::Notice, texts.describe()).with_indent(0, 2)),
        );
        page.push(Paragraph::gap());
        page.extend(self.prompt_text(prompt, context.content));
        draw_text(buffer, inner, look, &page);
    }

    /// Returns the text of a prompt, without the lines before its first section that describe it.
    fn prompt_text(&self, prompt: &PromptOverview, content: Content) -> Vec<Paragraph> {
        let texts = self.catalogue.as_ref().map(|shelf| &shelf.texts);
        let Some(text) = texts.and_then(|texts| texts.get(&prompt.name)) else {
            return Vec::new();
        };
        let text = match text.find("\n=== ") {
            Some(at) => text.get(at + 1..).unwrap_or_default(),
            None => text,
        };
        match content {
            Content::Masked => prose_paragraphs(Role::Notice, 0, "content is masked"),
            Content::Shown => prose_paragraphs(Role::Text, 0, text),
        }
    }
}
