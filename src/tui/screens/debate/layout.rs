//! Layout of the debate's panes on a screen of a given size. Pure geometry.

use super::pane_list::{DebateView, Pane};
use crate::tui::widgets::head_and_body;
use elenchus_game::debate::Chair;
use elenchus_view::debate_text::SpeakerChart;
use ratatui::layout::{Constraint, Layout, Rect};
use std::collections::BTreeMap;

/// From this width and height on, panes are side by side: a terminal of 120×30, less the line at the top and
/// the status line.
pub const WIDE: (u16, u16) = (120, 28);
/// From this width on, the column of verdicts is broad enough for categories.
const BROAD: u16 = 180;
/// A pane that is narrower than this cannot be read.
const MIN_PANE_WIDTH: u16 = 24;
/// Width that the column of verdicts leaves to each pane on top, as far as it can.
const GOOD_PANE_WIDTH: u16 = 32;
/// Share of the band in the height, in tenths: where nothing is known of what there is to read, and at most.
pub(super) const BAND_TENTHS: u16 = 3;
pub(super) const MAX_BAND_TENTHS: u16 = 6;
const MIN_BAND_HEIGHT: u16 = 6;

/// Areas of all parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    pub header: Rect,
    /// The strip of tabs, where one pane is shown at a time.
    pub tabs: Option<Rect>,
    pub panes: Vec<(Pane, Rect)>,
    pub timeline: Rect,
}

/// Arrangement of the panes by the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PaneArrangement {
    pub view: DebateView,
    pub focus: Pane,
    /// The focused pane alone.
    pub zoomed: bool,
    /// Share of the width by chair, in tenths of an even one: what there is to read, and what the person
    /// asked for. The focus changes nothing about it, so that no text is wrapped anew.
    pub shares: BTreeMap<Chair, u16>,
    /// Share of the band in the height, in tenths.
    pub band: u16,
}

/// An even share of the width.
pub(super) const EVEN: u16 = 10;

/// Says whether a screen of that size shows panes side by side.
pub fn is_wide(area: Rect) -> bool {
    area.width >= WIDE.0 && area.height >= WIDE.1
}

/// Places the panes.
pub fn place_panes(chart: &SpeakerChart, area: Rect, how: &PaneArrangement) -> Places {
    let one = Constraint::Length(1);
    let [header, body, timeline] = Layout::vertical([one, Constraint::Fill(1), one]).areas(area);
    let (tabs, panes) = if !is_wide(area) {
        let [tabs, pane] = head_and_body(body, 1);
        (Some(tabs), vec![(how.focus.clone(), pane)])
    } else if how.zoomed {
        (None, vec![(how.focus.clone(), body)])
    } else {
        (None, place_side_by_side(chart, body, how))
    };
    Places {
        header,
        tabs,
        panes,
        timeline,
    }
}

fn place_side_by_side(
    chart: &SpeakerChart,
    body: Rect,
    how: &PaneArrangement,
) -> Vec<(Pane, Rect)> {
    let column = Constraint::Length(column_width(body.width, chart.top.len()));
    let [left, right] = Layout::horizontal([Constraint::Fill(1), column]).areas(body);
    let mut panes = Vec::new();
    match how.view {
        DebateView::Transcript => panes.push((Pane::Transcript, left)),
        DebateView::Panes => {
            let band = match chart.band.len() {
                0 => 0,
                _ => (left.height * how.band / 10).max(MIN_BAND_HEIGHT),
            };
            let rows = [Constraint::Fill(1), Constraint::Length(band)];
            let [top, band] = Layout::vertical(rows).areas(left);
            panes.extend(place_row(&chart.top, top, how));
            panes.extend(place_row(&chart.band, band, how));
        }
    }
    let rail = (right.height / 3).max(8).min(right.height);
    let [rail, record] = head_and_body(right, rail);
    panes.push((Pane::Rail, rail));
    panes.push((Pane::Record, record));
    panes
}

/// The width of the column with verdicts and record.
fn column_width(width: u16, chairs: usize) -> u16 {
    if width >= BROAD {
        return 52;
    }
    let chairs = u16::try_from(chairs).unwrap_or(u16::MAX);
    let left = width.saturating_sub(chairs.saturating_mul(GOOD_PANE_WIDTH));
    left.clamp(28, 34)
}

/// Places chairs in a row, as many as fit.
fn place_row(chairs: &[Chair], area: Rect, how: &PaneArrangement) -> Vec<(Pane, Rect)> {
    if chairs.is_empty() || area.height == 0 {
        return Vec::new();
    }
    let fit = usize::from((area.width / MIN_PANE_WIDTH).max(1)).min(chairs.len());
    let focus_index = chairs
        .iter()
        .position(|chair| how.focus == Pane::Chair(chair.clone()));
    // The window of panes moves only as far as the focus needs it.
    let first = focus_index.map_or(0, |at| (at + 1).saturating_sub(fit));
    let visible_chairs = chairs.iter().skip(first).take(fit);
    let widths = compute_widths(area.width, visible_chairs.clone(), &how.shares);
    let areas = Layout::horizontal(widths).split(area);
    let panes = visible_chairs.cloned().map(Pane::Chair);
    panes.zip(areas.iter().copied()).collect()
}

/// Shares a width out: none is narrower than can be read, and what is left goes by the shares.
pub fn compute_widths<'a>(
    width: u16,
    chairs: impl Iterator<Item = &'a Chair> + Clone,
    shares: &BTreeMap<Chair, u16>,
) -> Vec<Constraint> {
    let share = |chair| u32::from(shares.get(chair).copied().unwrap_or(EVEN).max(1));
    let count = u32::try_from(chairs.clone().count()).unwrap_or(u32::MAX);
    let all: u32 = chairs.clone().map(share).sum();
    let least = u32::from(MIN_PANE_WIDTH).min(u32::from(width) / count.max(1));
    let spare = u32::from(width) - least * count;
    let mut widths: Vec<u32> = chairs
        .map(|chair| least + spare * share(chair) / all.max(1))
        .collect();
    let used: u32 = widths.iter().sum();
    if let Some(last) = widths.last_mut() {
        *last += u32::from(width).saturating_sub(used);
    }
    let length = |width| Constraint::Length(u16::try_from(width).unwrap_or(u16::MAX));
    widths.into_iter().map(length).collect()
}
