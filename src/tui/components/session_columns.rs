//! Table of sessions: its columns by width, and their cells. Pure.

use crate::tui::app::DrawContext;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::{
    Align, Content, TABLE_MARGIN, Table, TableCell, TableColumn, tell_apart, verdict_letters,
};
use elenchus_records::workspace::{SessionOverview, SessionStatus};
use elenchus_text::{cost, format_age, format_grouped_count};
use elenchus_view::session_browser::{Direction, SessionEntry, SessionLine, SortBy};
use std::collections::BTreeMap;

/// From this width on amounts of money have a column.
const WITH_COST: u16 = 76;
/// From this width on tags have a column.
const WITH_TAGS: u16 = 110;
/// From this width on the columns are generous.
const GENEROUS: u16 = 160;
/// Cells between two columns.
const GUTTER: u16 = 1;
/// Forks of forks that are indented.
const MAX_INDENT: usize = 3;
/// Cells of the mark of a simulated session before its title.
const SIMULATED: usize = 4;

/// The table for the sessions in sight.
pub(in crate::tui) struct SessionTable<'a> {
    pub columns: Table,
    column_widths: Vec<(SessionColumn, u16)>,
    /// Titles that are cut in the middle, as they are shown.
    apart: BTreeMap<&'a str, String>,
    context: DrawContext<'a>,
}

impl<'a> SessionTable<'a> {
    /// Returns the table in a width and an order.
    pub(in crate::tui) fn new(
        width: u16,
        (sort, direction): (SortBy, Direction),
        in_sight: impl Iterator<Item = &'a SessionEntry>,
        context: DrawContext<'a>,
    ) -> Self {
        let in_sight: Vec<&SessionEntry> = in_sight.collect();
        let has_tags = in_sight.iter().any(|entry| !entry.tags.is_empty());
        // Of examples that people wrote no model is known.
        let has_models = |entry: &&SessionEntry| {
            let glance = entry.found.as_ref();
            glance.is_ok_and(|glance| !glance.models.is_empty())
        };
        let shows = match (has_tags, in_sight.iter().any(has_models)) {
            (true, true) => Shown::TagsAndModels,
            (false, true) => Shown::Models,
            (_, false) => Shown::Tags,
        };
        let (column_widths, glyphs) = (
            fit_columns(width.saturating_sub(TABLE_MARGIN), shows),
            context.look.glyphs(),
        );
        let columns = column_widths.iter().map(|(column, width)| {
            let (heading, short, by, align) = column.column_facts();
            TableColumn {
                heading: match usize::from(*width) >= heading.len() {
                    true => heading,
                    false => short,
                },
                width: *width,
                align,
                order: (by == Some(sort)).then_some(match direction {
                    Direction::Rising => glyphs.up,
                    Direction::Falling => glyphs.down,
                }),
            }
        });
        let columns = Table {
            hidden: 0,
            columns: columns.collect(),
            gutter: GUTTER,
        };
        let topic = column_widths
            .iter()
            .find(|(column, _)| *column == SessionColumn::Topic);
        let room = topic.map_or(0, |(_, width)| usize::from(*width));
        let titles: Vec<&str> = in_sight.iter().map(|entry| entry.title()).collect();
        Self {
            columns,
            column_widths,
            apart: tell_apart(&titles, room.saturating_sub(SIMULATED), context.look),
            context,
        }
    }

    /// Returns the cells of a session.
    pub(in crate::tui) fn build_cells(
        &self,
        entry: &SessionEntry,
        line: SessionLine,
        now: &str,
    ) -> Vec<TableCell> {
        let cell = |(column, room): &(SessionColumn, u16)| match column {
            SessionColumn::Topic => {
                let title = self.apart.get(entry.title());
                let title = title.map_or(entry.title(), String::as_str);
                build_topic_cell(entry, line, title, self.context)
            }
            column => column.build_cell(entry, *room, now, self.context.look),
        };
        self.column_widths.iter().map(cell).collect()
    }
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SessionColumn {
    Protocol,
    Topic,
    Models,
    State,
    Rounds,
    Verdicts,
    Cost,
    Age,
    Tags,
}

/// What there is of the sessions in sight, for columns that have room in wide terminals alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Tags,
    Models,
    TagsAndModels,
}

/// Returns the columns with their widths; together with the gutters they fill the width. Where there is room for
/// tags or models alone, tags have it.
fn fit_columns(width: u16, shows: Shown) -> Vec<(SessionColumn, u16)> {
    use SessionColumn::{Age, Cost, Models, Protocol, Rounds, State, Tags, Topic, Verdicts};
    let fixed_widths = match width {
        ..WITH_COST => [9, 0, 9, 5, 6, 0, 5, 0],
        WITH_COST..WITH_TAGS => [11, 0, 9, 6, 8, 7, 5, 0],
        WITH_TAGS..GENEROUS if shows == Shown::Models => [14, 14, 16, 6, 12, 8, 5, 0],
        WITH_TAGS..GENEROUS => [14, 0, 16, 6, 12, 8, 5, 14],
        GENEROUS.. if shows == Shown::Tags => [14, 0, 34, 6, 24, 8, 5, 28],
        GENEROUS.. => [14, 28, 34, 6, 24, 8, 5, 20],
    };
    let column_kinds = [Protocol, Models, State, Rounds, Verdicts, Cost, Age, Tags];
    let mut columns: Vec<(SessionColumn, u16)> =
        column_kinds.into_iter().zip(fixed_widths).collect();
    columns.retain(|(_, width)| *width > 0);
    let used_width: u16 = columns.iter().map(|(_, width)| width + GUTTER).sum();
    columns.insert(1, (Topic, width.saturating_sub(used_width)));
    columns
}

impl SessionColumn {
    /// Returns the heading, a short one, what the list is sorted by on it, and the side of its texts.
    fn column_facts(self) -> (&'static str, &'static str, Option<SortBy>, Align) {
        use Align::{Left, Right};
        match self {
            SessionColumn::Protocol => ("protocol", "protocol", Some(SortBy::Protocol), Left),
            SessionColumn::Topic => ("topic", "topic", Some(SortBy::Topic), Left),
            SessionColumn::Models => ("models", "models", None, Left),
            SessionColumn::State => ("state", "state", Some(SortBy::State), Left),
            SessionColumn::Rounds => ("rounds", "rnd", Some(SortBy::Rounds), Right),
            SessionColumn::Verdicts => ("verdicts", "found", Some(SortBy::Verdicts), Left),
            SessionColumn::Cost => ("cost", "cost", Some(SortBy::Cost), Right),
            SessionColumn::Age => ("age", "age", Some(SortBy::Age), Right),
            SessionColumn::Tags => ("tags", "tags", None, Left),
        }
    }

    /// Returns the cell of a session, in so many cells; the topic has one of its own.
    fn build_cell(self, entry: &SessionEntry, room: u16, now: &str, look: &Look) -> TableCell {
        let glance = match (&entry.found, self) {
            (Ok(glance), _) => glance,
            (Err(_), SessionColumn::Protocol) => return vec![(Role::Error, "?".to_owned())],
            (Err(_), SessionColumn::State) => return vec![(Role::Error, "unread".to_owned())],
            (Err(_), _) => return TableCell::new(),
        };
        let summary = &glance.summary;
        let muted_cell = |text: String| vec![(Role::Muted, text)];
        match self {
            SessionColumn::Protocol => vec![(Role::Text, summary.protocol.clone())],
            SessionColumn::Topic => TableCell::new(),
            SessionColumn::Models => muted_cell(glance.models.join(" ")),
            SessionColumn::State => vec![describe_state(entry, glance, room, look)],
            SessionColumn::Rounds => {
                muted_cell(format!("{}/{}", summary.rounds.0, summary.rounds.1))
            }
            SessionColumn::Verdicts => verdict_letters(&summary.verdicts, room.into(), look),
            SessionColumn::Cost => muted_cell(cost::format_cost(summary.cost_usd)),
            SessionColumn::Age => muted_cell(format_age(&summary.last_at, now)),
            SessionColumn::Tags => muted_cell(entry.tags.join(" ")),
        }
    }
}

/// Returns who has the session in hand, else its state.
fn describe_state(
    entry: &SessionEntry,
    glance: &SessionOverview,
    room: u16,
    look: &Look,
) -> (Role, String) {
    let playing = match &glance.driven_by {
        _ if entry.open_here && room > 10 => "open here".to_owned(),
        _ if entry.open_here => "here".to_owned(),
        Some(holder) if room > 12 => {
            format!("{}, {}@{}", holder.command, holder.pid, holder.host)
        }
        Some(_) => "in use".to_owned(),
        None => {
            let state = glance.summary.state;
            let role = match state {
                SessionStatus::Open => Role::Accent,
                SessionStatus::Failed => Role::Error,
                SessionStatus::Truncated => Role::Warning,
                SessionStatus::Complete | SessionStatus::Stopped => Role::Text,
            };
            return (role, state.as_word().to_owned());
        }
    };
    let text = format!("{} {playing}", look.glyphs().playing);
    (Role::Streaming, text)
}

/// Returns the cell of a session's topic: where it stands among its forks, and its title.
fn build_topic_cell(
    entry: &SessionEntry,
    line: SessionLine,
    title: &str,
    context: DrawContext<'_>,
) -> TableCell {
    let glance = match &entry.found {
        Ok(glance) => glance,
        // Why it could not be read is no content.
        Err(why) => return vec![(Role::Error, why.clone())],
    };
    let (mut cell, glyphs) = (TableCell::new(), context.look.glyphs());
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
        let text = format!(
            "{} {} ",
            glyphs.folded,
            format_grouped_count(line.folded, "fork")
        );
        cell.push((Role::Muted, text));
    }
    if glance.summary.simulated {
        let tag = context.look.tag(Role::Simulated);
        let tag = if tag.is_empty() { "sim" } else { tag };
        cell.push((Role::Simulated, tag.to_owned()));
        cell.push((Role::Text, " ".to_owned()));
    }
    // Below its parent a fork would say the parent's topic again.
    let fork = glance
        .fork
        .as_deref()
        .filter(|_| line.depth > 0 && entry.name.is_none());
    if let Some(fork) = fork {
        // The branch says that it is one.
        let words = fork.strip_prefix("fork of ").or(fork.strip_prefix("fork "));
        cell.push((Role::Text, words.unwrap_or(fork).to_owned()));
        return cell;
    }
    let role = match context.content {
        Content::Masked => Role::Masked,
        Content::Shown if entry.name.is_some() => Role::Strong,
        Content::Shown => Role::Text,
    };
    cell.push((role, context.content.show_or_mask(title)));
    cell
}
