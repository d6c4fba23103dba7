//! Draws memory: namespaces above, the list, and the page of what is chosen below or beside it.

use super::guard_page::{in_short, role_of as role_of_guard};
use super::page::role_of;
use super::typing::{Dialog, Writing};
use super::{Kind, Listed, Memory, Pane, Row, Showing};
use crate::driver::memory_desk::{EntryStanding, Guard, NamespaceGlance, Standing};
use crate::tui::app::Brush;
use crate::tui::parts::lines::{Line, lay_out};
use crate::tui::parts::paragraph::Paragraph;
use crate::tui::parts::{Focus, fill, frame, put, thousands};
use crate::tui::screens::rows::{cut, row};
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// From this width on, list and page stand side by side.
const WIDE: u16 = 120;
/// Rows for the namespaces and what is listed.
const HEAD: u16 = 2;
/// Below this height an editor takes everything.
const MIN_EDITOR: u16 = 8;

impl Memory {
    pub(super) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: Brush<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        for (y, line) in (area.y..).zip(self.head(area.width)) {
            line.put(buffer, row(area, y), look);
        }
        let body = Rect {
            y: area.y + HEAD.min(area.height),
            height: area.height.saturating_sub(HEAD),
            ..area
        };
        let (list, page) = split(body);
        self.draw_list(buffer, list, brush);
        self.draw_page(buffer, page, brush);
        match &self.dialog {
            None | Some(Dialog::Outside { .. }) => None,
            Some(Dialog::Line { question, line }) => {
                let height = 2.min(body.height);
                let at = Rect {
                    y: body.bottom() - height,
                    height,
                    ..body
                };
                fill(at, buffer, look);
                let hint = look.style(Role::Muted);
                put(
                    buffer,
                    at.as_position(),
                    at.width,
                    &question.hint(),
                    hint,
                    look,
                );
                let words = question.words();
                let y = at.bottom().saturating_sub(1);
                let style = look.style(Role::Strong);
                let room = at.width.saturating_sub(20);
                let used = put(buffer, Position::new(at.x, y), room, words, style, look);
                let typed = Rect {
                    x: at.x + used,
                    y,
                    width: at.width.saturating_sub(used),
                    height: 1,
                };
                Some(line.draw(typed, buffer, look, Role::Text))
            }
            Some(Dialog::Text(writing)) => Some(draw_editor(writing, buffer, body, brush)),
            Some(Dialog::Begin { ask, .. } | Dialog::Accept { ask, .. }) => {
                ask.draw(area, buffer, look);
                None
            }
        }
    }

    fn head(&self, width: u16) -> Vec<Line> {
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
                tabs = tabs.and(Role::Muted, "Left and Right go to the others");
            }
        }
        let lines = lay_out(&[tabs], usize::from(width));
        let mut head: Vec<Line> = lines.into_iter().take(1).collect();
        head.extend(
            lay_out(&[self.listing()], usize::from(width))
                .into_iter()
                .take(1),
        );
        head
    }

    /// What is listed, in one line.
    fn listing(&self) -> Paragraph {
        let Some(card) = &self.card else {
            return Paragraph::of(Role::Notice, self.empty.clone());
        };
        let count = |count: usize| thousands(count as u64);
        match &self.showing {
            Showing::All if self.kind == Kind::Guardrails => self.guard_counts(),
            Showing::All => {
                let counts = card.shelf.counts();
                let deleted = match self.list_deleted {
                    true => "listed",
                    false => "not listed",
                };
                Paragraph::of(
                    Role::Muted,
                    format!(
                        "{} live, {} disabled, {} deleted ({deleted}) · guardrails: {}, s lists them",
                        count(counts.live),
                        count(counts.disabled),
                        count(counts.deleted),
                        count(self.guards().len())
                    ),
                )
            }
            Showing::Asked { text, .. } => Paragraph::of(Role::Muted, "looking for ")
                .and(Role::Match, cut(&self.content.of(text), 60)),
            Showing::Found { query, retriever } => {
                Paragraph::of(Role::Muted, format!("{} near ", count(self.listed.len())))
                    .and(Role::Match, cut(&self.content.of(query), 40))
                    .and(Role::Muted, format!(" by {retriever}; Esc lists all"))
            }
            Showing::Topic { text, .. } => {
                let is_guard = |listed: &&Listed| matches!(listed.at, Row::Guard(_));
                let guards = self.listed.iter().filter(is_guard).count();
                let asked = match guards {
                    0 => String::new(),
                    1 => "1 guardrail would be asked, ".to_owned(),
                    guards => format!("{} guardrails would be asked, ", count(guards)),
                };
                let shown = count(self.listed.len() - guards);
                let listed = format!("{asked}{shown} would be shown about ");
                Paragraph::of(Role::Muted, listed)
                    .and(Role::Match, cut(&self.content.of(text), 40))
                    .and(Role::Muted, "; Esc lists all")
            }
        }
    }

    /// How many guardrails stand where.
    fn guard_counts(&self) -> Paragraph {
        if let Some(Err(why)) = self.card.as_ref().map(|card| &card.guards) {
            return Paragraph::of(Role::Error, why.clone());
        }
        let guards = || self.guards().iter().filter(|guard| !guard.deleted);
        let of = |wanted: fn(&Guard) -> bool| guards().filter(|guard| wanted(guard)).count();
        let accepted = of(Guard::is_used);
        let proposed = of(|guard| guard.standing == Standing::Proposed && !guard.disabled);
        let rejected = of(|guard| guard.standing == Standing::Rejected && !guard.disabled);
        let disabled = of(|guard| guard.disabled);
        let deleted = self.guards().len() - guards().count();
        let listed = match self.list_deleted {
            true => " (listed)",
            false => "",
        };
        let text = format!(
            "{accepted} accepted, {proposed} proposed, {rejected} rejected, {disabled} disabled, \
             {deleted} deleted{listed} · s lists lessons"
        );
        Paragraph::of(Role::Muted, text)
    }

    /// Why nothing is listed.
    fn nothing(&self) -> &str {
        match (&self.card, self.kind) {
            (None, _) => &self.empty,
            (Some(_), Kind::Lessons) => {
                "memory is empty: debates of games that write lessons fill it; a writes an entry of \
                 your own"
            }
            (Some(_), Kind::Guardrails) => {
                "no guardrail here: debates with guardrails (a new debate's memory, or run --memory \
                 guardrails) propose them from their lessons; a writes one of your own"
            }
        }
    }

    fn draw_list(&self, buffer: &mut Buffer, area: Rect, brush: Brush<'_>) {
        let look = brush.look;
        let focus = match self.focus {
            Pane::List => Focus::Focused,
            Pane::Page => Focus::Unfocused,
        };
        let title = match (&self.showing, self.kind) {
            (Showing::Topic { .. }, _) | (_, Kind::Lessons) => "entries",
            (_, Kind::Guardrails) => "guardrails",
        };
        let inner = frame(area, buffer, look, title, focus);
        if self.listed.is_empty() {
            let text = match &self.showing {
                Showing::All => self.nothing(),
                Showing::Asked { .. } => "looking",
                Showing::Found { .. } => "nothing is near this text",
                Showing::Topic { .. } => "a debate about this would be shown nothing",
            };
            let text = Paragraph::of(Role::Notice, text);
            for (y, line) in
                (inner.y..inner.bottom()).zip(lay_out(&[text], usize::from(inner.width)))
            {
                line.put(buffer, row(inner, y), look);
            }
            return;
        }
        let top = self.rows.top(inner.height);
        let listed = self.listed.iter().enumerate().skip(top);
        for (y, (at, listed)) in (inner.y..inner.bottom()).zip(listed) {
            let chosen = self.rows.chosen() == Some(at);
            let line = self.entry_line(*listed, chosen, brush, inner.width);
            if chosen {
                buffer.set_style(row(inner, y), look.style(Role::Selection));
            }
            line.put(buffer, row(inner, y), look);
        }
    }

    fn entry_line(&self, listed: Listed, chosen: bool, brush: Brush<'_>, width: u16) -> Line {
        let mark = match chosen {
            true => brush.look.glyphs().cursor,
            false => " ",
        };
        let mut runs = vec![(Role::Accent, format!("{mark} "))];
        let mut used = 2;
        let guard = self.guard_at(listed);
        if self.entry_at(listed).is_none() && guard.is_none() {
            return Line { indent: 0, runs };
        }
        if let Some(score) = listed.score {
            let score = format!("{score:>7.3} ");
            used += score.len();
            runs.push((Role::Strong, score));
        }
        if let Some(guard) = guard {
            runs.extend(guard_runs(guard, chosen, brush, usize::from(width), used));
        }
        let Some(entry) = self.entry_at(listed) else {
            return Line { indent: 0, runs };
        };
        let standing = entry.standing();
        match standing {
            EntryStanding::Live => {}
            EntryStanding::Disabled | EntryStanding::Deleted => {
                let word = format!("[{}] ", standing.word());
                used += word.len();
                runs.push((role_of(standing), word));
            }
        }
        let mut by = match entry.origins.len() {
            0 => "by a person ".to_owned(),
            1 => String::new(),
            many => format!("from {many} "),
        };
        if entry.revision > 0 {
            by.push_str(&format!("text {} ", entry.revision));
        }
        used += by.chars().count();
        runs.push((Role::Muted, by));
        let room = usize::from(width).saturating_sub(used);
        let first = entry.text.lines().next().unwrap_or_default();
        let role = match standing {
            EntryStanding::Live => Role::Text,
            EntryStanding::Disabled | EntryStanding::Deleted => Role::Muted,
        };
        let role = if chosen { Role::Selection } else { role };
        runs.push((role, cut(&brush.content.of(first), room)));
        Line { indent: 0, runs }
    }

    fn draw_page(&mut self, buffer: &mut Buffer, area: Rect, brush: Brush<'_>) {
        let focus = match self.focus {
            Pane::Page => Focus::Focused,
            Pane::List => Focus::Unfocused,
        };
        let title = match &self.showing {
            Showing::Topic { .. } => "what would be shown",
            Showing::All | Showing::Asked { .. } | Showing::Found { .. } => match self.kind {
                Kind::Lessons => "entry",
                Kind::Guardrails => "guardrail",
            },
        };
        let inner = frame(area, buffer, brush.look, title, focus);
        let mut roll = std::mem::take(&mut self.roll);
        roll.draw(buffer, inner, brush.look, &|at, width| {
            let item = self.items.get(at);
            lay_out(item.map_or(&[], |item| &item.paragraphs), width)
        });
        self.roll = roll;
    }
}

/// A guardrail in one line: its standing and over-refusal, then its intent.
fn guard_runs(
    guard: &Guard,
    chosen: bool,
    brush: Brush<'_>,
    width: usize,
    before: usize,
) -> Vec<(Role, String)> {
    let standing = format!("[{}] ", guard.standing_words());
    let tested = format!("{} ", in_short(guard));
    let used = before + standing.chars().count() + tested.chars().count();
    let role = match (chosen, guard.is_used()) {
        (true, _) => Role::Selection,
        (false, true) => Role::Text,
        (false, false) => Role::Muted,
    };
    let intent = cut(&brush.content.of(&guard.intent), width.saturating_sub(used));
    vec![
        (role_of_guard(guard), standing),
        (Role::Muted, tested),
        (role, intent),
    ]
}

/// The namespaces from the one on from which the chosen one is in sight.
fn in_sight<'a>(
    namespaces: &'a [NamespaceGlance],
    here: &str,
    room: usize,
) -> &'a [NamespaceGlance] {
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

/// Where list and page stand: side by side, or one over the other.
fn split(area: Rect) -> (Rect, Rect) {
    if area.width >= WIDE {
        let left = area.width / 2;
        let list = Rect {
            width: left,
            ..area
        };
        let page = Rect {
            x: area.x + left,
            width: area.width - left,
            ..area
        };
        return (list, page);
    }
    let above = area.height * 2 / 5;
    let list = Rect {
        height: above,
        ..area
    };
    let page = Rect {
        y: area.y + above,
        height: area.height - above,
        ..area
    };
    (list, page)
}

fn draw_editor(writing: &Writing, buffer: &mut Buffer, body: Rect, brush: Brush<'_>) -> Position {
    let look = brush.look;
    let height = (body.height / 2).max(MIN_EDITOR).min(body.height);
    let area = Rect {
        y: body.bottom() - height,
        height,
        ..body
    };
    fill(area, buffer, look);
    let inner = frame(area, buffer, look, &writing.title(), Focus::Focused);
    let hint = " Ctrl-D done  Esc leave, the text is kept  Ctrl-E your editor ";
    let y = area.bottom().saturating_sub(1);
    let style = look.style(Role::Muted);
    let room = area.width.saturating_sub(4);
    put(
        buffer,
        Position::new(area.x + 2, y),
        room,
        hint,
        style,
        look,
    );
    writing.editor.draw(inner, buffer, look)
}
