//! Drawing of the memory screen: namespaces above, the list, and the page of the chosen entry.

use super::{ListContent, ListedEntry, Memory, MemoryPane, key};
use crate::tui::app::DrawContext;
use crate::tui::keys::Action;
use crate::tui::screens::rows::cut;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, Paragraph, Split, StyledLine, draw_lines, draw_text, frame, head_and_body, lay_out,
    thousands,
};
use crate::workspace::memory::{NamespaceOverview, in_short, role_of};
use crate::workspace::{EntryKind, EntryStatus, GuardStatus, MemoryEntry};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// From this width on, list and page are side by side.
const WIDE: u16 = 120;
/// Rows for the namespaces and what is listed.
const HEAD: u16 = 2;

impl Memory {
    pub(super) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        let [head, body] = head_and_body(area, HEAD.min(area.height));
        draw_lines(buffer, head, look, &self.head(area.width, brush));
        let panes = Split::shared(WIDE, 50, body.height * 2 / 5);
        let [list, page] = panes.areas(body);
        for (pane, area) in [(MemoryPane::List, list), (MemoryPane::Page, page)] {
            brush
                .rows
                .note_pane(area, pane as usize, self.focus as usize);
        }
        self.draw_list(buffer, list, brush);
        self.draw_page(buffer, page, brush);
        if let Some(writing) = &self.writing {
            return Some(writing.draw(body, buffer, brush));
        }
        self.dialog.as_ref()?.draw(area, buffer, brush)
    }

    fn head(&self, width: u16, brush: DrawContext<'_>) -> Vec<StyledLine> {
        let mut tabs = Paragraph::of(Role::Strong, "memory ");
        if let Some(card) = &self.card {
            let here = &card.shelf.namespace;
            let names = in_sight(&card.namespaces, here, usize::from(width) / 2);
            if !names.iter().any(|glance| glance.name == *here) {
                tabs = tabs.and(Role::Selection, format!(" {here} "));
            }
            for glance in names {
                let role = match glance.name == *here {
                    true => Role::Selection,
                    false => Role::Muted,
                };
                tabs = tabs
                    .and(role, format!(" {} ", glance.name))
                    .and(Role::Text, " ");
            }
            if card.namespaces.len() > 1 {
                tabs = tabs.and(
                    Role::Muted,
                    brush.spelled(&format!(
                        "{} and {} go to the others",
                        key(Action::Left),
                        key(Action::Right)
                    )),
                );
            }
        }
        let lines = lay_out(&[tabs], usize::from(width));
        let mut listing = self.listing();
        for (role, text) in &mut listing.runs {
            if *role == Role::Muted {
                *text = brush.spelled(text);
            }
        }
        let mut head: Vec<StyledLine> = lines.into_iter().take(1).collect();
        head.extend(lay_out(&[listing], usize::from(width)).into_iter().take(1));
        head
    }

    /// Summary of the list, in one line.
    fn listing(&self) -> Paragraph {
        let Some(card) = &self.card else {
            return Paragraph::of(Role::Notice, self.empty.clone());
        };
        let count = |count: usize| thousands(count as u64);
        let all = key(Action::Back);
        match &self.showing {
            ListContent::All if self.kind == EntryKind::Guardrail => self.guard_counts(),
            ListContent::All => {
                let counts = card.shelf.counts();
                let deleted = match self.list_deleted {
                    true => "listed",
                    false => "not listed",
                };
                Paragraph::of(
                    Role::Muted,
                    format!(
                        "{} live, {} disabled, {} deleted ({deleted}) · guardrails: {}, {} lists them",
                        count(counts.live),
                        count(counts.disabled),
                        count(counts.deleted),
                        count(self.of_kind(EntryKind::Guardrail).count()),
                        key(Action::OtherKind)
                    ),
                )
            }
            ListContent::Asked { text, .. } => Paragraph::of(Role::Muted, "looking for ")
                .and(Role::Match, cut(&self.content.of(text), 60)),
            ListContent::Found { query, retriever } => {
                Paragraph::of(Role::Muted, format!("{} near ", count(self.listed.len())))
                    .and(Role::Match, cut(&self.content.of(query), 40))
                    .and(Role::Muted, format!(" by {retriever}; {all} lists all"))
            }
            ListContent::Topic { text, .. } => {
                let listed = self.listed.iter().filter_map(|row| self.entry_at(*row));
                let guards = listed.filter(|entry| entry.kind() == EntryKind::Guardrail);
                let guards = guards.count();
                let asked = match guards {
                    0 => String::new(),
                    1 => "1 guardrail would be asked, ".to_owned(),
                    guards => format!("{} guardrails would be asked, ", count(guards)),
                };
                let shown = count(self.listed.len() - guards);
                let listed = format!("{asked}{shown} would be shown about ");
                Paragraph::of(Role::Muted, listed)
                    .and(Role::Match, cut(&self.content.of(text), 40))
                    .and(Role::Muted, format!("; {all} lists all"))
            }
        }
    }

    /// Numbers of guardrails by state.
    fn guard_counts(&self) -> Paragraph {
        let of = |status, wanted: fn(GuardStatus) -> bool| {
            let guards = self.of_kind(EntryKind::Guardrail);
            let guards = guards.filter(|guard| guard.standing() == status);
            let guards = guards.filter(|guard| guard.acceptance().is_some_and(wanted));
            guards.count()
        };
        let live = |wanted| of(EntryStatus::Live, wanted);
        let accepted = live(|status| matches!(status, GuardStatus::Accepted(_)));
        let proposed = live(|status| status == GuardStatus::Proposed);
        let rejected = live(|status| status == GuardStatus::Rejected);
        let disabled = of(EntryStatus::Disabled, |_| true);
        let deleted = of(EntryStatus::Deleted, |_| true);
        let listed = match self.list_deleted {
            true => " (listed)",
            false => "",
        };
        let text = format!(
            "{accepted} accepted, {proposed} proposed, {rejected} rejected, {disabled} disabled, \
             {deleted} deleted{listed} · {} lists lessons",
            key(Action::OtherKind)
        );
        Paragraph::of(Role::Muted, text)
    }

    /// Message where nothing is listed.
    fn nothing(&self) -> String {
        let add = key(Action::AddEntry);
        match (&self.card, self.kind) {
            (None, _) => self.empty.clone(),
            (Some(_), EntryKind::Lesson) => format!(
                "memory is empty: debates of games that write lessons fill it; {add} writes an \
                 entry of your own"
            ),
            (Some(_), EntryKind::Guardrail) => format!(
                "no guardrail here: debates with guardrails (a new debate's memory, or run --memory \
                 guardrails) propose them from their lessons; {add} writes one of your own"
            ),
        }
    }

    fn draw_list(&self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        let look = brush.look;
        let focus = match self.focus {
            MemoryPane::List => Focus::Focused,
            MemoryPane::Page => Focus::Unfocused,
        };
        let title = match (&self.showing, self.kind) {
            (ListContent::Topic { .. }, _) | (_, EntryKind::Lesson) => "entries",
            (_, EntryKind::Guardrail) => "guardrails",
        };
        let inner = frame(area, buffer, look, title, focus);
        if self.listed.is_empty() {
            let text = match &self.showing {
                ListContent::All => self.nothing(),
                ListContent::Asked { .. } => "looking".to_owned(),
                ListContent::Found { .. } => "nothing is near this text".to_owned(),
                ListContent::Topic { .. } => {
                    "a debate about this would be shown nothing".to_owned()
                }
            };
            let text = Paragraph::of(Role::Notice, brush.spelled(&text));
            draw_text(buffer, inner, look, &[text]);
            return;
        }
        if focus == Focus::Focused {
            brush.rows.note(self.rows, inner);
        }
        self.rows.draw(buffer, inner, look, |at, width| {
            let listed = self.listed.get(at);
            listed.map_or_else(StyledLine::default, |listed| {
                self.entry_line(*listed, brush, width)
            })
        });
    }

    fn entry_line(&self, listed: ListedEntry, brush: DrawContext<'_>, width: usize) -> StyledLine {
        let mut runs = Vec::new();
        let mut used = 0;
        let Some(entry) = self.entry_at(listed) else {
            return StyledLine { indent: 0, runs };
        };
        if let Some(score) = listed.score {
            let score = format!("{score:>7.3} ");
            used += score.len();
            runs.push((Role::Strong, score));
        }
        let standing = match (entry.kind(), entry.standing()) {
            (EntryKind::Lesson, EntryStatus::Live) => String::new(),
            (EntryKind::Lesson | EntryKind::Guardrail, _) => {
                format!("[{}] ", entry.standing_words())
            }
        };
        let about = match entry.kind() {
            EntryKind::Lesson => taught_by(entry),
            EntryKind::Guardrail => format!("{} ", in_short(entry)),
        };
        used += standing.chars().count() + about.chars().count();
        let room = width.saturating_sub(used);
        let first = entry.text.lines().next().unwrap_or_default();
        let role = match entry.is_used() {
            true => Role::Text,
            false => Role::Muted,
        };
        runs.extend([
            (role_of(entry), standing),
            (Role::Muted, about),
            (role, cut(&brush.content.of(first), room)),
        ]);
        StyledLine { indent: 0, runs }
    }

    fn draw_page(&mut self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        let focus = match self.focus {
            MemoryPane::Page => Focus::Focused,
            MemoryPane::List => Focus::Unfocused,
        };
        let title = match &self.showing {
            ListContent::Topic { .. } => "what would be shown",
            ListContent::All | ListContent::Asked { .. } | ListContent::Found { .. } => {
                match self.kind {
                    EntryKind::Lesson => "entry",
                    EntryKind::Guardrail => "guardrail",
                }
            }
        };
        let inner = frame(area, buffer, brush.look, title, focus);
        let mut roll = std::mem::take(&mut self.roll);
        roll.draw(buffer, inner, brush, focus, &|at, width| {
            let mut page = Vec::new();
            if let Some(item) = self.items.get(at) {
                page.clone_from(&item.paragraphs);
                let hint = item
                    .hint
                    .iter()
                    .map(|hint| (Role::Muted, brush.spelled(hint)));
                match page.last_mut() {
                    Some(last) => last.runs.extend(hint),
                    None => page.extend(hint.map(|(role, text)| Paragraph::of(role, text))),
                }
            }
            lay_out(&page, width)
        });
        self.roll = roll;
    }
}

/// Who taught a lesson, where that is not one debate, and which text it has.
fn taught_by(entry: &MemoryEntry) -> String {
    let by = match entry.origins.len() {
        0 => "by a person ".to_owned(),
        1 => String::new(),
        many => format!("from {many} "),
    };
    match entry.revision {
        0 => by,
        revision => format!("{by}text {revision} "),
    }
}

/// The namespaces from the one on from which the chosen one is in sight.
fn in_sight<'a>(
    namespaces: &'a [NamespaceOverview],
    here: &str,
    room: usize,
) -> &'a [NamespaceOverview] {
    let chosen = namespaces.iter().position(|glance| glance.name == here);
    let mut first = chosen.unwrap_or(0);
    let mut used = 0;
    while let Some(before) = first.checked_sub(1) {
        used += namespaces
            .get(before)
            .map_or(0, |glance| glance.name.len() + 3);
        if used > room {
            break;
        }
        first = before;
    }
    namespaces.get(first..).unwrap_or_default()
}
