//! Drawing of the session table: headings of columns, and the rows on the screen. Pure.

use super::columns;
use super::columns::{Column, GUTTER};
use super::selection::ListView;
use crate::debate::SessionId;
use crate::exchange::grouped_count;
use crate::tui::app::DrawContext;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::{Content, head_and_body, mark_row, put};
use crate::workspace::session_browser::{
    Direction, KnownSessions, ListArrangement, ListLine, SessionEntry, SessionGroup, SessionLine,
};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::collections::{BTreeMap, BTreeSet};
use unicode_width::UnicodeWidthStr;

/// Cells of the mark of a simulated session before its title.
const SIMULATED: usize = 4;
/// Forks of forks that are indented.
const MAX_INDENT: usize = 3;
/// Cells before a row: the cursor, and the mark.
const MARGIN: u16 = 2;

/// Content of the table.
pub(super) struct SessionTable<'a> {
    pub stock: &'a KnownSessions,
    pub view: &'a ListView,
    pub how: &'a ListArrangement,
    pub marks: &'a BTreeSet<SessionId>,
}

impl SessionTable<'_> {
    /// Draws headings and rows.
    pub fn draw(&self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        let columns = columns::columns(area.width.saturating_sub(MARGIN));
        self.headings(buffer, area, brush, &columns);
        let [_, body] = head_and_body(area, 1);
        let rows = self.view.rows();
        brush.rows.note(rows, body);
        let top = rows.top(body.height);
        let in_sight = self.view.lines().iter().enumerate().skip(top);
        let lines = in_sight.take(body.height.into());
        let shown = lines.clone().filter_map(|(_, line)| match line {
            ListLine::Session(line) => Some(self.stock.entries().get(line.at)?.title()),
            ListLine::Heading { .. } => None,
        });
        let alike = BeginningsAlike::of(shown, &columns);
        for (row, (at, line)) in body.rows().zip(lines) {
            match line {
                ListLine::Heading {
                    group,
                    count,
                    folded,
                } => self.heading(buffer, row, brush, (group, *count, *folded)),
                ListLine::Session(line) => {
                    if let Some(entry) = self.stock.entries().get(line.at) {
                        self.session(buffer, row, brush, &columns, (entry, *line, &alike));
                    }
                }
            }
            if rows.chosen() == Some(at) {
                mark_row(buffer, row, brush.look);
            }
        }
    }

    fn headings(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
        columns: &[(Column, u16)],
    ) {
        let look = brush.look;
        let mut x = area.x + MARGIN;
        for (column, width) in columns {
            let mut text = column.heading(*width).to_owned();
            let mut role = Role::Muted;
            if column.sort() == Some(self.how.sort) {
                role = Role::Strong;
                let mark = match self.how.direction {
                    Direction::Rising => look.glyphs().up,
                    Direction::Falling => look.glyphs().down,
                };
                if text.len() + 2 <= usize::from(*width) {
                    text.push(' ');
                    text.push_str(mark);
                }
            }
            let at = placed(x, *width, *column, text.width());
            put(
                buffer,
                Position::new(at, area.y),
                *width,
                &text,
                look.style(role),
                look,
            );
            x += width + GUTTER;
        }
    }

    fn heading(
        &self,
        buffer: &mut Buffer,
        row: Rect,
        brush: DrawContext<'_>,
        (group, count, folded): (&SessionGroup, usize, bool),
    ) {
        let look = brush.look;
        let mark = match folded {
            true => look.glyphs().folded,
            false => look.glyphs().unfolded,
        };
        let title = title(group, brush.content);
        let count = grouped_count(count, "session");
        let room = row.width.saturating_sub(MARGIN + count.len() as u16 + 2);
        let title = format!("{mark} {title}");
        let mut x = row.x + MARGIN;
        for (role, text, room) in [
            (Role::Strong, title, room),
            (Role::Muted, count, row.width.saturating_sub(room)),
        ] {
            let at = Position::new(x, row.y);
            x += put(buffer, at, room, &text, look.style(role), look) + 1;
        }
    }

    fn session(
        &self,
        buffer: &mut Buffer,
        row: Rect,
        brush: DrawContext<'_>,
        columns: &[(Column, u16)],
        (entry, line, alike): (&SessionEntry, SessionLine, &BeginningsAlike),
    ) {
        let look = brush.look;
        if self.marks.contains(&entry.id) {
            let style = look.style(Role::Accent);
            buffer.set_string(row.x + 1, row.y, look.glyphs().focus, style);
        }
        let mut x = row.x + MARGIN;
        for (column, width) in columns {
            let cell = match column {
                Column::Topic => topic(entry, line, brush, alike),
                Column::Protocol
                | Column::State
                | Column::Rounds
                | Column::Verdicts
                | Column::Cost
                | Column::Age
                | Column::Tags => columns::cell(*column, entry, *width, self.stock.now(), look),
            };
            let wide: usize = cell.iter().map(|(_, text)| text.width()).sum();
            let mut at = placed(x, *width, *column, wide);
            for (role, text) in cell {
                let room = (x + width).saturating_sub(at);
                let place = Position::new(at, row.y);
                at += put(buffer, place, room, &text, look.style(role), look);
            }
            x += width + GUTTER;
        }
    }
}

/// Figures are aligned to the right of their column.
fn placed(x: u16, width: u16, column: Column, text: usize) -> u16 {
    let text = u16::try_from(text).unwrap_or(u16::MAX);
    if column.is_right() {
        x + width.saturating_sub(text)
    } else {
        x
    }
}

/// Titles in sight that begin alike as far as their column goes: they are cut in the middle, so that
/// they can be told apart.
struct BeginningsAlike {
    room: usize,
    beginnings: BTreeSet<String>,
}

impl BeginningsAlike {
    fn of<'a>(titles: impl Iterator<Item = &'a str>, columns: &[(Column, u16)]) -> Self {
        let topic = columns.iter().find(|(column, _)| *column == Column::Topic);
        let room = topic.map_or(0, |(_, width)| {
            usize::from(*width).saturating_sub(SIMULATED)
        });
        let mut known: BTreeMap<String, &str> = BTreeMap::new();
        let mut beginnings = BTreeSet::new();
        for title in titles.filter(|title| title.width() > room) {
            let beginning: String = title.chars().take(room / 2).collect();
            let other = known.insert(beginning.clone(), title);
            if other.is_some_and(|other| other != title) {
                beginnings.insert(beginning);
            }
        }
        Self { room, beginnings }
    }

    fn title(&self, title: &str, look: &Look) -> String {
        let beginning: String = title.chars().take(self.room / 2).collect();
        if title.width() <= self.room || !self.beginnings.contains(&beginning) {
            return title.to_owned();
        }
        let line = title.lines().next().unwrap_or_default();
        let rest = (self.room / 2).saturating_sub(1);
        let end: String = line.chars().rev().take(rest).collect();
        let end: String = end.chars().rev().collect();
        format!("{beginning}{}{end}", look.glyphs().ellipsis)
    }
}

fn topic(
    entry: &SessionEntry,
    line: SessionLine,
    brush: DrawContext<'_>,
    alike: &BeginningsAlike,
) -> columns::TableCell {
    let mut cell = columns::TableCell::new();
    let glance = match &entry.found {
        Ok(glance) => glance,
        // Why it could not be read is no content.
        Err(why) => return vec![(Role::Error, why.clone())],
    };
    let glyphs = brush.look.glyphs();
    match (line.depth, entry.parent()) {
        (0, None) => {}
        // Its parent is elsewhere.
        (0, Some(_)) => cell.push((Role::Muted, "fork ".to_owned())),
        (depth, _) => {
            let past = glyphs.tree_none.repeat((depth - 1).min(MAX_INDENT));
            cell.push((Role::Border, format!("{past}{} ", glyphs.tree_last)));
        }
    }
    if line.folded > 0 {
        let text = format!("{} {} ", glyphs.folded, grouped_count(line.folded, "fork"));
        cell.push((Role::Muted, text));
    }
    if glance.summary.simulated {
        let tag = brush.look.tag(Role::Simulated);
        let tag = if tag.is_empty() { "sim" } else { tag };
        cell.push((Role::Simulated, tag.to_owned()));
        cell.push((Role::Text, " ".to_owned()));
    }
    let role = match brush.content {
        Content::Masked => Role::Masked,
        Content::Shown if entry.name.is_some() => Role::Strong,
        Content::Shown => Role::Text,
    };
    let title = alike.title(entry.title(), brush.look);
    cell.push((role, brush.content.of(&title)));
    cell
}

/// Returns the title of a group.
pub fn title(group: &SessionGroup, content: Content) -> String {
    match group {
        SessionGroup::All => "All sessions".to_owned(),
        SessionGroup::Run(run) => format!("run {run}"),
        SessionGroup::NoRun => "not in a run".to_owned(),
        SessionGroup::Topic(topic) => content.of(topic.lines().next().unwrap_or_default()),
        SessionGroup::Unread => "could not be read".to_owned(),
        SessionGroup::Examples => "Recorded examples, written by people:".to_owned(),
    }
}
