//! Layout of the debate's panes on a screen of a given size. Pure geometry.

use super::pane_list::{Chart, Pane};
use crate::debate::Chair;
use ratatui::layout::Rect;

/// From this width and height on, panes are side by side.
pub const WIDE: (u16, u16) = (120, 30);
/// From this width on, the column of verdicts is broad enough for categories.
const BROAD: u16 = 180;
/// A pane that is narrower than this cannot be read.
const MIN_PANE_WIDTH: u16 = 24;
/// Share of the band in the height, in tenths.
const BAND_TENTHS: u16 = 3;
const MIN_BAND_HEIGHT: u16 = 6;

/// Areas of all parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    pub header: Rect,
    /// The strip of tabs, where one pane is shown at a time.
    pub tabs: Option<Rect>,
    pub panes: Vec<(Pane, Rect)>,
    /// Chairs on top and in the band that do not fit.
    pub hidden: usize,
    pub timeline: Rect,
    pub status: Rect,
}

/// Arrangement of the panes by the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PaneArrangement {
    pub focus: Pane,
    /// The focused pane alone.
    pub zoomed: bool,
    /// Extra width of the focused chair's pane, in tenths of the others' width.
    pub wider: i16,
}

/// Says whether a screen of that size shows panes side by side.
pub fn is_wide(area: Rect) -> bool {
    area.width >= WIDE.0 && area.height >= WIDE.1
}

/// Places the panes.
pub fn place(chart: &Chart, area: Rect, how: &PaneArrangement) -> Places {
    let row = |y: u16| Rect {
        y: area.y + y.min(area.height.saturating_sub(1)),
        height: 1.min(area.height),
        ..area
    };
    let header = row(0);
    let status = row(area.height.saturating_sub(1));
    let timeline = row(area.height.saturating_sub(2));
    let body = Rect {
        y: area.y + 1,
        height: area.height.saturating_sub(3),
        ..area
    };
    if how.zoomed && is_wide(area) {
        return Places {
            header,
            tabs: None,
            panes: vec![(how.focus.clone(), body)],
            hidden: 0,
            timeline,
            status,
        };
    }
    if !is_wide(area) {
        let tabs = Rect { height: 1, ..body };
        let pane = Rect {
            y: body.y + 1,
            height: body.height.saturating_sub(1),
            ..body
        };
        return Places {
            header,
            tabs: Some(tabs),
            panes: vec![(how.focus.clone(), pane)],
            hidden: 0,
            timeline,
            status,
        };
    }
    let (panes, hidden) = side_by_side(chart, body, how);
    Places {
        header,
        tabs: None,
        panes,
        hidden,
        timeline,
        status,
    }
}

fn side_by_side(chart: &Chart, body: Rect, how: &PaneArrangement) -> (Vec<(Pane, Rect)>, usize) {
    let column = column_width(body.width);
    let (left, right) = split_width(body, body.width.saturating_sub(column));
    let band_height = match chart.band.len() {
        0 => 0,
        _ => (left.height * BAND_TENTHS / 10).max(MIN_BAND_HEIGHT),
    };
    let top = Rect {
        height: left.height.saturating_sub(band_height),
        ..left
    };
    let band = Rect {
        y: top.y + top.height,
        height: band_height,
        ..left
    };
    let mut panes = Vec::new();
    let mut hidden = row_of(&chart.top, top, how, &mut panes);
    hidden += row_of(&chart.band, band, how, &mut panes);
    let rail_height = rail_height(right.height);
    let (rail, record) = split_height(right, rail_height);
    panes.push((Pane::Rail, rail));
    panes.push((Pane::Record, record));
    (panes, hidden)
}

/// The width of the column with verdicts and record.
fn column_width(width: u16) -> u16 {
    if width >= BROAD { 52 } else { 34 }
}

fn rail_height(height: u16) -> u16 {
    (height / 3).max(8).min(height)
}

/// Places chairs in a row and returns how many did not fit.
fn row_of(
    chairs: &[Chair],
    area: Rect,
    how: &PaneArrangement,
    panes: &mut Vec<(Pane, Rect)>,
) -> usize {
    if chairs.is_empty() || area.height == 0 {
        return chairs.len();
    }
    let fit = usize::from((area.width / MIN_PANE_WIDTH).max(1)).min(chairs.len());
    let focused = chairs
        .iter()
        .position(|chair| how.focus == Pane::Chair(chair.clone()));
    // The window of panes moves only as far as the focus needs it.
    let first = focused.map_or(0, |at| (at + 1).saturating_sub(fit));
    let shown = &chairs[first..first + fit];
    let widths = widths(area.width, fit, focused.map(|at| at - first), how.wider);
    let mut x = area.x;
    for (chair, width) in shown.iter().zip(widths) {
        panes.push((Pane::Chair(chair.clone()), Rect { x, width, ..area }));
        x += width;
    }
    chairs.len() - fit
}

/// Shares a width out; the focused pane may be wider or narrower than the others.
fn widths(width: u16, count: usize, focused: Option<usize>, wider: i16) -> Vec<u16> {
    let count_u16 = u16::try_from(count).unwrap_or(u16::MAX).max(1);
    let even = width / count_u16;
    let mut widths = vec![even; count];
    if let Some(at) = focused.filter(|_| count > 1) {
        let others = count_u16 - 1;
        let room = i32::from(width) - i32::from(others) * i32::from(MIN_PANE_WIDTH);
        let wanted = i32::from(even) + i32::from(even) * i32::from(wider) / 10;
        let own = wanted.clamp(i32::from(MIN_PANE_WIDTH).min(room), room.max(1));
        let own = u16::try_from(own).unwrap_or(even);
        let rest = width.saturating_sub(own) / others;
        widths.fill(rest);
        if let Some(place) = widths.get_mut(at) {
            *place = own;
        }
    }
    let used: u16 = widths.iter().sum();
    if let Some(last) = widths.last_mut() {
        *last += width.saturating_sub(used);
    }
    widths
}

fn split_width(area: Rect, left: u16) -> (Rect, Rect) {
    let left = left.min(area.width);
    (
        Rect {
            width: left,
            ..area
        },
        Rect {
            x: area.x + left,
            width: area.width - left,
            ..area
        },
    )
}

fn split_height(area: Rect, top: u16) -> (Rect, Rect) {
    let top = top.min(area.height);
    (
        Rect {
            height: top,
            ..area
        },
        Rect {
            y: area.y + top,
            height: area.height - top,
            ..area
        },
    )
}
