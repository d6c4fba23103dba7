//! Drawing of the inspector.

use super::actions::key;
use super::{Inspector, InspectorItem, Mode, PendingQuestion, StepStatus};
use crate::debate::view::MessageRole;
use crate::exchange::grouped_count;
use crate::exchange::word_diff::woven_or_new;
use crate::tui::app::{DrawContext, Effect};
use crate::tui::keys::Action;
use crate::tui::screens::rows::cut;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Content, Focus, LayOut, Marking, Paragraph, ScrollList, StyledLine, body_and_foot, draw_text,
    lay_out, lines_and_rest, prose,
};
use crate::workspace::seat_view::{OriginKind, PartOrigin, tokens};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::collections::BTreeSet;
use unicode_width::UnicodeWidthStr;

/// Cells for the letters before each line of a part.
const TAG: usize = 4;
/// From this width on, the origin of a part is next to it in words.
const BROAD: usize = 100;
/// Cells for those words.
const WORDS: usize = 26;
/// Lines that the facts and the legend take at most, each.
const MAX_FACTS: usize = 3;
const MAX_LEGEND: usize = 2;

impl Inspector {
    /// Moves over the page.
    pub(super) fn moved(&mut self, how: impl FnOnce(&mut ScrollList, LayOut<'_>)) -> Vec<Effect> {
        let mut roll = std::mem::take(&mut self.roll);
        how(&mut roll, &|item, width| self.lines(item, width));
        self.roll = roll;
        Vec::new()
    }

    pub(super) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        (self.show.content, self.marking) = (brush.content, Marking::on(look));
        let head = self.head(usize::from(area.width));
        let area = lines_and_rest(buffer, area, look, &head);
        let [body, last] = body_and_foot(area, 1);
        draw_text(buffer, last, look, &[self.foot(brush)]);
        if let Mode::Editing { editor, .. } = &self.mode {
            // The text would show in an editor that was opened before content was masked.
            return match self.show.content {
                Content::Shown => Some(editor.draw(body, buffer, look)),
                Content::Masked => None,
            };
        }
        let mut roll = std::mem::take(&mut self.roll);
        roll.draw(buffer, body, brush, Focus::Focused, &|item, width| {
            self.lines(item, width)
        });
        self.roll = roll;
        None
    }

    fn head(&self, width: usize) -> Vec<StyledLine> {
        let Some(sheet) = self.sheet() else {
            return Vec::new();
        };
        let mut title = Paragraph::of(Role::Strong, sheet.title.clone());
        if self.sheets.len() > 1 {
            let text = format!(" · {} of {}", self.at + 1, self.sheets.len());
            title = title.and(Role::Muted, text);
        }
        match self.open.as_ref().map(|open| &open.standing) {
            None if sheet.to_person => title = title.and(Role::FromPerson, " · shown to a person"),
            None => title = title.and(Role::Muted, " · as it was sent"),
            Some(StepStatus::Asked | StepStatus::Ready) => {
                title = title.and(Role::Accent, " · not sent yet");
            }
            Some(StepStatus::Stale) => {
                let text = " · the debate went on since you changed this";
                title = title.and(Role::Warning, text);
            }
            Some(StepStatus::Sent) => title = title.and(Role::Streaming, " · sent"),
            Some(StepStatus::Gone(_)) => title = title.and(Role::Warning, " · not open"),
        }
        let mut lines: Vec<StyledLine> = lay_out(&[title], width).into_iter().take(2).collect();
        let mut facts = sheet.facts.clone();
        if !sheet.messages.is_empty() {
            let count = sheet.messages.len();
            let all: usize = (0..count).map(|at| tokens(&sheet.messages.text(at))).sum();
            let text = format!(
                "{}, about {all} tokens together",
                grouped_count(count, "message")
            );
            facts.insert(0, Paragraph::of(Role::Muted, text));
        }
        lines.extend(lay_out(&facts, width).into_iter().take(MAX_FACTS + 1));
        lines.extend(self.legend(width));
        lines
    }

    /// Returns the legend of the letters on this page.
    fn legend(&self, width: usize) -> Vec<StyledLine> {
        let Some(sheet) = self.sheet() else {
            return Vec::new();
        };
        let kinds: BTreeSet<OriginKind> = (self.items.iter())
            .filter_map(|item| match item {
                InspectorItem::Part { part, .. } => Some(sheet.origins.origin(&part.from).kind),
                InspectorItem::Changed { .. } | InspectorItem::Request | InspectorItem::Nothing => {
                    None
                }
            })
            .collect();
        if kinds.is_empty() {
            return Vec::new();
        }
        let mut legend = Paragraph::of(Role::Muted, "from:");
        for kind in kinds {
            legend = legend
                .and(kind.role(), format!(" {}", kind.tag()))
                .and(Role::Muted, format!(" {} ", kind.word()));
        }
        let legend = legend.indented(0, 6);
        lay_out(&[legend], width)
            .into_iter()
            .take(MAX_LEGEND)
            .collect()
    }

    fn foot(&self, brush: DrawContext<'_>) -> Paragraph {
        match &self.mode {
            Mode::Asking(PendingQuestion::Send) => {
                let text = format!(
                    "{} of the messages differ from what the step shows: {} sends them, {} does not",
                    self.changes(),
                    key(Action::StepTurn),
                    key(Action::Back)
                );
                return Paragraph::of(Role::Warning, brush.spelled(&text));
            }
            Mode::Asking(PendingQuestion::Leave) => {
                let text = format!(
                    "your changes are not sent: {} leaves and keeps them, {} drops them, {} sends",
                    key(Action::Back),
                    key(Action::Undo),
                    key(Action::StepTurn)
                );
                return Paragraph::of(Role::Warning, brush.spelled(&text));
            }
            Mode::Editing { message, .. } => {
                let text = match self.show.content {
                    Content::Shown => format!(
                        "message {}: Ctrl-D uses the text, Esc does not, Ctrl-E your own editor",
                        message + 1
                    ),
                    Content::Masked => "content is masked: Esc leaves the editor".to_owned(),
                };
                return Paragraph::of(Role::Accent, text);
            }
            Mode::Reading => {}
        }
        let count = self.items.len();
        let place = format!("{} of {count}", self.roll.cursor() + 1);
        match (self.items.get(self.roll.cursor()), self.sheet()) {
            (Some(InspectorItem::Part { part, .. }), Some(sheet)) => {
                let origin = sheet.origins.origin(&part.from);
                Paragraph::of(Role::Muted, format!("part {place} · "))
                    .and(origin.kind.role(), origin.kind.tag())
                    .and(Role::Text, format!(" {}", origin.words))
            }
            (Some(InspectorItem::Changed { .. }), Some(_)) => Paragraph::of(
                Role::Muted,
                brush.spelled(&format!(
                    "part {place} · a message you changed: {} shows its parts, {} takes it back",
                    key(Action::Difference),
                    key(Action::Undo)
                )),
            ),
            (Some(InspectorItem::Request), Some(_)) => {
                Paragraph::of(Role::Muted, format!("part {place} · what else is sent"))
            }
            (Some(InspectorItem::Nothing) | None, _) | (_, None) => Paragraph::gap(),
        }
    }

    /// Lays one item out.
    fn lines(&self, item: usize, width: usize) -> Vec<StyledLine> {
        let Some(sheet) = self.sheet() else {
            let text = Paragraph::of(Role::Notice, "there is nothing to inspect here");
            return lay_out(&[text], width);
        };
        match self.items.get(item) {
            Some(InspectorItem::Part {
                message,
                first,
                part,
            }) => {
                let mut lines = Vec::new();
                if *first {
                    lines.extend(self.heading(*message, width));
                }
                let origin = sheet.origins.origin(&part.from);
                let held = part.text.is_some();
                let text = origin.shown(part.text.as_deref(), self.show);
                let role = if held {
                    origin.kind.role()
                } else {
                    Role::Warning
                };
                lines.extend(tagged(&origin, role, &text, width));
                lines
            }
            Some(InspectorItem::Changed { message }) => {
                let mut lines = self.heading(*message, width);
                lines.extend(self.difference(*message, width));
                lines
            }
            Some(InspectorItem::Request) => {
                let mut page = vec![Paragraph::gap()];
                page.extend(sheet.request.iter().cloned());
                lay_out(&page, width)
            }
            Some(InspectorItem::Nothing) => {
                let why = sheet.nothing.clone().unwrap_or_default();
                lay_out(&[Paragraph::of(Role::Notice, why)], width)
            }
            None => Vec::new(),
        }
    }

    fn heading(&self, message: usize, width: usize) -> Vec<StyledLine> {
        let Some(sheet) = self.sheet() else {
            return Vec::new();
        };
        let role = sheet.messages.role(message).map_or("", MessageRole::word);
        let tokens = tokens(&sheet.messages.text(message));
        let mut heading = Paragraph::of(Role::Strong, role.to_owned()).and(
            Role::Muted,
            format!(
                " · message {} of {} · about {tokens} tokens",
                message + 1,
                sheet.messages.len()
            ),
        );
        if sheet.messages.is_changed(message) {
            heading = heading.and(Role::FromPerson, " · changed by you");
        }
        let mut page = Vec::new();
        if message > 0 {
            page.push(Paragraph::gap());
        }
        page.push(heading);
        lay_out(&page, width)
    }

    fn difference(&self, message: usize, width: usize) -> Vec<StyledLine> {
        let Some(sheet) = self.sheet() else {
            return Vec::new();
        };
        let (old, new) = (
            sheet.messages.original_text(message),
            sheet.messages.text(message),
        );
        let page = match self.show.content {
            Content::Masked => vec![Paragraph::of(Role::Masked, Content::Masked.of(&new))],
            Content::Shown => woven_or_new(&old, &new, self.marking, Role::FromPerson),
        };
        let page: Vec<Paragraph> = page
            .into_iter()
            .map(|line| line.indented(TAG, TAG))
            .collect();
        lay_out(&page, width)
    }
}

/// Lays a part's text out with letters before each line, and with words where there is room.
pub fn tagged(origin: &PartOrigin, role: Role, text: &str, width: usize) -> Vec<StyledLine> {
    let words = if width >= BROAD { WORDS } else { 0 };
    let margin = TAG + words;
    let mut page = prose(role, 0, text);
    if page.is_empty() {
        page.push(Paragraph::of(Role::Muted, "(empty)"));
    }
    let mut lines = lay_out(&page, width.saturating_sub(margin).max(1));
    for (at, line) in lines.iter_mut().enumerate() {
        let beside = match at {
            0 => cut(&origin.short, words.saturating_sub(1)),
            _ => String::new(),
        };
        let blanks = margin - TAG - beside.width() + line.indent;
        let mut runs = vec![
            (origin.kind.role(), format!("{} ", origin.kind.tag())),
            (Role::Muted, beside),
            (Role::Muted, " ".repeat(blanks)),
        ];
        runs.append(&mut line.runs);
        *line = StyledLine { indent: 0, runs };
    }
    lines
}
