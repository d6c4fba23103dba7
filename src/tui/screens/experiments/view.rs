//! Drawing of the experiments screen: the list, what is known of the one under the cursor, and figures.

use super::{Experiments, FiguresPage};
use crate::experiments::ListedExperiment;
use crate::tui::app::DrawContext;
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::screens::rows::cut;
use crate::tui::theme::Role;
use crate::tui::widgets::{Focus, Paragraph, Split, StyledLine, cells, draw_text, frame, lay_out};
use crate::workspace::{ExperimentSummary, MINUTE_CHARS, Standing, to_the_minute};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// From this width on, list and details are side by side.
const WIDE: u16 = 120;
/// Rows of the details below the list.
const BELOW: u16 = 9;
/// Bytes of the year before a time, as RFC 3339 writes it.
const YEAR: usize = 5;

impl Experiments {
    pub(super) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        if let Some(page) = &mut self.page {
            page.paint(buffer, area, brush);
            return None;
        }
        let look = brush.look;
        let [list, details] = Split::with_details(area, WIDE, BELOW);
        let inner = frame(list, buffer, look, "experiments", Focus::Focused);
        let all = self.listed();
        let columns = Columns::of(all);
        let empty = match &self.known {
            None => "reading the experiments".to_owned(),
            Some(_) if all.is_empty() => {
                let key = key_for(Context::Sessions, Action::New);
                brush.spelled(&format!(
                    "no experiment yet: {key} in the list of sessions begins a debate or a run, and \
                     'elenchus run', 'sweep', 'golden', 'judge' and 'prompts ab' begin others"
                ))
            }
            Some(_) => "no experiment fits the filter".to_owned(),
        };
        let (cursor, left) = self.list.draw(buffer, inner, brush, &empty, |at, width| {
            all.get(at)
                .map_or_else(StyledLine::default, |one| columns.row(&one.summary, width))
        });
        let unreadable = self.known.iter().flat_map(|known| &known.unreadable);
        let unreadable = unreadable.map(|why| {
            Paragraph::of(Role::Error, format!("! cannot be read: {why}")).indented(0, 2)
        });
        draw_text(buffer, left, look, &unreadable.collect::<Vec<_>>());
        let inner = frame(details, buffer, look, "", Focus::Unfocused);
        if let Some(one) = self.here() {
            draw_text(buffer, inner, look, &one.about_page());
        }
        cursor
    }
}

impl FiguresPage {
    fn paint(&mut self, buffer: &mut Buffer, area: Rect, brush: DrawContext<'_>) {
        let Self {
            of, figures, text, ..
        } = self;
        let title = format!("{} {}", of.summary.kind, of.summary.id);
        let inner = frame(area, buffer, brush.look, &title, Focus::Focused);
        text.draw(buffer, inner, brush.look, |width| {
            let mut lines = lay_out(&of.about_page(), width);
            lines.push(StyledLine::default());
            let said = match figures {
                None => Err((Role::Muted, "computing the figures")),
                Some(Ok(None)) => {
                    Err((Role::Muted, "experiments of this kind have no figures here"))
                }
                Some(Err(why)) => Err((Role::Error, why.as_str())),
                Some(Ok(Some(figures))) => Ok(figures.to_text(width)),
            };
            match said {
                Err((role, text)) => lines.extend(lay_out(&[Paragraph::of(role, text)], width)),
                Ok(text) => lines.extend(text.lines().map(|line| match line.starts_with('!') {
                    true => StyledLine::of(Role::Warning, line),
                    false => StyledLine::of(Role::Text, line),
                })),
            }
            lines
        });
    }
}

/// Widths of the columns before what an experiment is about.
struct Columns {
    kind: usize,
    done: usize,
    state: usize,
}

impl Columns {
    /// Returns the least in which all of them fit.
    fn of(all: &[ListedExperiment]) -> Self {
        let widest = |text: fn(&ExperimentSummary) -> String| {
            let widths = all.iter().map(|one| cells(&text(&one.summary)));
            widths.max().unwrap_or(0)
        };
        Self {
            kind: widest(|one| one.kind.to_owned()),
            done: widest(|one| one.items.to_string()),
            state: widest(|one| one.standing.word().to_owned()),
        }
    }

    /// Returns the line of an experiment: when it began, kind, items, state, and what it is about.
    fn row(&self, one: &ExperimentSummary, width: usize) -> StyledLine {
        let state = match one.standing {
            Standing::Completed => Role::Muted,
            Standing::Paused(_) => Role::Warning,
            Standing::Unfinished => Role::Streaming,
        };
        let counts = match one.items.failed {
            0 => Role::Text,
            _ => Role::Error,
        };
        let begun = to_the_minute(&one.begun_at);
        let begun = padded(begun.get(YEAR..).unwrap_or_default(), MINUTE_CHARS - YEAR);
        let mut runs = vec![
            (Role::Muted, begun),
            (Role::Text, padded(one.kind, self.kind)),
            (counts, padded(&one.items.to_string(), self.done)),
            (state, padded(one.standing.word(), self.state)),
        ];
        let used: usize = runs.iter().map(|(_, text)| cells(text)).sum();
        runs.push((Role::Text, cut(&one.about, width.saturating_sub(used))));
        StyledLine { indent: 0, runs }
    }
}

/// Returns a text in a column of so many cells, and two blanks.
fn padded(text: &str, width: usize) -> String {
    let blanks = width.saturating_sub(cells(text)) + 2;
    format!("{text}{}", " ".repeat(blanks))
}
