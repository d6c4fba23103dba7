//! Columns of the session list by width, and their cells. Pure.

use crate::exchange::cost;
use crate::tui::theme::{Look, Role};
use crate::workspace::session_browser::{SessionEntry, SortBy, age};
use crate::workspace::{HIDDEN_VERDICTS, SessionStatus};

/// From this width on amounts of money have a column.
const WITH_COST: u16 = 76;
/// From this width on tags have a column.
const WITH_TAGS: u16 = 110;
/// From this width on the columns are generous.
const GENEROUS: u16 = 160;
/// Cells between two columns.
pub const GUTTER: u16 = 1;

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Protocol,
    Topic,
    State,
    Rounds,
    Verdicts,
    Cost,
    Age,
    Tags,
}

/// A cell's text in runs.
pub(super) type TableCell = Vec<(Role, String)>;

impl Column {
    /// Returns the heading, as long as there is room for.
    pub fn heading(self, width: u16) -> &'static str {
        match self {
            Column::Protocol => "protocol",
            Column::Topic => "topic",
            Column::State => "state",
            Column::Rounds if width >= 6 => "rounds",
            Column::Rounds => "rnd",
            Column::Verdicts if width >= 8 => "verdicts",
            Column::Verdicts => "found",
            Column::Cost => "cost",
            Column::Age => "age",
            Column::Tags => "tags",
        }
    }

    /// Returns what the list is sorted by on it.
    pub fn sort(self) -> Option<SortBy> {
        Some(match self {
            Column::Protocol => SortBy::Protocol,
            Column::Topic => SortBy::Topic,
            Column::State => SortBy::State,
            Column::Rounds => SortBy::Rounds,
            Column::Verdicts => SortBy::Verdicts,
            Column::Cost => SortBy::Cost,
            Column::Age => SortBy::Age,
            Column::Tags => return None,
        })
    }

    /// Says whether it holds figures, which are aligned to the right.
    pub fn is_right(self) -> bool {
        match self {
            Column::Rounds | Column::Cost | Column::Age => true,
            Column::Protocol | Column::Topic | Column::State | Column::Verdicts | Column::Tags => {
                false
            }
        }
    }
}

/// Returns the columns with their widths; together with the gutters they fill the width.
pub fn columns(width: u16) -> Vec<(Column, u16)> {
    use Column::{Age, Cost, Protocol, Rounds, State, Tags, Verdicts};
    let fixed: &[(Column, u16)] = match width {
        ..WITH_COST => &[
            (Protocol, 9),
            (State, 9),
            (Rounds, 5),
            (Verdicts, 6),
            (Age, 5),
        ],
        WITH_COST..WITH_TAGS => &[
            (Protocol, 11),
            (State, 9),
            (Rounds, 6),
            (Verdicts, 8),
            (Cost, 7),
            (Age, 5),
        ],
        WITH_TAGS..GENEROUS => &[
            (Protocol, 14),
            (State, 16),
            (Rounds, 6),
            (Verdicts, 12),
            (Cost, 8),
            (Age, 5),
            (Tags, 14),
        ],
        GENEROUS.. => &[
            (Protocol, 14),
            (State, 34),
            (Rounds, 6),
            (Verdicts, 24),
            (Cost, 8),
            (Age, 5),
            (Tags, 28),
        ],
    };
    let mut fixed = fixed.to_vec();
    let taken: u16 = fixed.iter().map(|(_, width)| width + GUTTER).sum();
    fixed.insert(1, (Column::Topic, width.saturating_sub(taken)));
    fixed
}

/// Returns the cell of a session that was read.
pub fn cell(column: Column, entry: &SessionEntry, room: u16, now: &str, look: &Look) -> TableCell {
    let glance = match &entry.found {
        Ok(glance) => glance,
        Err(_) => return unread(column),
    };
    let summary = &glance.summary;
    let muted = |text: String| vec![(Role::Muted, text)];
    match column {
        Column::Protocol => vec![(Role::Text, summary.protocol.clone())],
        Column::Topic => Vec::new(),
        Column::State if entry.open_here => {
            let what = if room > 10 { "open here" } else { "here" };
            vec![(Role::Streaming, format!("{} {what}", look.glyphs().playing))]
        }
        Column::State => match &glance.driven_by {
            Some(holder) if room > 12 => vec![(
                Role::Streaming,
                format!(
                    "{} {}, {}@{}",
                    look.glyphs().playing,
                    holder.command,
                    holder.pid,
                    holder.host
                ),
            )],
            Some(_) => vec![(Role::Streaming, format!("{} in use", look.glyphs().playing))],
            None => vec![(state_role(summary.state), summary.state.word().to_owned())],
        },
        Column::Rounds => muted(format!("{}/{}", summary.rounds.0, summary.rounds.1)),
        Column::Verdicts => strip(&summary.verdicts, room.into(), look),
        Column::Cost => muted(cost::known(summary.cost_usd)),
        Column::Age => muted(age(&summary.last_at, now)),
        Column::Tags => muted(entry.tags.join(" ")),
    }
}

fn unread(column: Column) -> TableCell {
    match column {
        Column::Protocol => vec![(Role::Error, "?".to_owned())],
        Column::State => vec![(Role::Error, "unread".to_owned())],
        Column::Topic
        | Column::Rounds
        | Column::Verdicts
        | Column::Cost
        | Column::Age
        | Column::Tags => Vec::new(),
    }
}

/// Returns the role of a state.
fn state_role(state: SessionStatus) -> Role {
    match state {
        SessionStatus::Open => Role::Accent,
        SessionStatus::Failed => Role::Error,
        SessionStatus::Truncated => Role::Warning,
        SessionStatus::Complete | SessionStatus::Stopped => Role::Text,
    }
}

/// The kinds of verdict with their letters, the gravest first.
const KINDS: [(char, Role); 4] = [
    ('u', Role::Unsafe),
    ('?', Role::Unparsed),
    ('m', Role::Middle),
    ('s', Role::Safe),
];

/// Returns the verdicts of a session, a letter each; counted where there is no room for that.
pub fn strip(verdicts: &str, room: usize, look: &Look) -> TableCell {
    if verdicts == HIDDEN_VERDICTS {
        return vec![(Role::Muted, verdicts.to_owned())];
    }
    if verdicts.chars().count() <= room {
        return verdicts
            .chars()
            .filter_map(|letter| KINDS.iter().find(|(kind, _)| *kind == letter))
            .map(|(kind, role)| (*role, letter(*kind, *role, look)))
            .collect();
    }
    let mut cell = TableCell::new();
    let mut left = room;
    for (kind, role) in KINDS {
        let count = verdicts.matches(kind).count();
        let text = format!("{count}{}", letter(kind, role, look));
        let gap = usize::from(!cell.is_empty());
        if count > 0 && text.len() + gap <= left {
            left -= text.len() + gap;
            if gap > 0 {
                cell.push((Role::Text, " ".to_owned()));
            }
            cell.push((role, text));
        }
    }
    cell
}

fn letter(kind: char, role: Role, look: &Look) -> String {
    let tag = look.tag(role);
    let own = kind.to_ascii_uppercase();
    if tag.chars().count() == 1 {
        tag.to_owned()
    } else {
        own.to_string()
    }
}
