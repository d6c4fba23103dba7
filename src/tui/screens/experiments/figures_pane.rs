//! Figures of one experiment: its head, its first figures as bars, all else folded, and what the line under the cursor
//! means.

use crate::tui::app::{DrawContext, Rereading, Ticket};
use crate::tui::keys::Action;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Focus, Moved, Paragraph, ScrollList, StyledLine, body_and_foot, draw_frame, draw_line_across,
    draw_text, lay_out,
};
use elenchus_records::workspace::WorkspaceError;
use elenchus_run::experiments::{DebateFigures, ExperimentFigures, ListedExperiment};
use elenchus_view::figures_page::{
    FiguresLine, LinePart, OpenedParts, PageContent, PageStyle, build_figure_lines, describe_line,
    find_line_part,
};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::sync::Arc;

/// Width of a page that is copied or paged.
const PAGE_WIDTH: usize = 80;
/// Rows of the meaning below the page, with the line above it.
const MEANING: u16 = 4;
/// Fewer rows than this show no meaning.
const LOW: u16 = 12;
/// Cells before each line of a list.
const MARGIN: u16 = 2;

type ComputedFigures = Result<Option<Arc<ExperimentFigures>>, WorkspaceError>;

/// Figures of an experiment, over the list.
pub(super) struct FiguresPane {
    pub ticket: Ticket,
    pub experiment: ListedExperiment,
    /// `None` while they are computed for the first time.
    figures: Option<ComputedFigures>,
    pub computing: Rereading,
    opened: OpenedParts,
    lines: Vec<FiguresLine>,
    /// What the lines were built for; `None` where something changed since.
    style: Option<PageStyle>,
    list: ScrollList,
}

impl FiguresPane {
    pub(super) fn new(ticket: Ticket, experiment: ListedExperiment) -> Self {
        Self {
            ticket,
            experiment,
            figures: None,
            computing: Rereading::default(),
            opened: OpenedParts::default(),
            lines: Vec::new(),
            style: None,
            list: ScrollList::default(),
        }
    }

    /// Takes the figures as they are by now.
    pub(super) fn take_figures(&mut self, figures: ComputedFigures) {
        self.figures = Some(figures);
        self.style = None;
    }

    /// Takes the experiment as it is by now; says whether it has changed.
    pub(super) fn take_experiment(&mut self, now: &ListedExperiment) -> bool {
        let has_changed = *now != self.experiment;
        if has_changed {
            self.experiment = now.clone();
            self.style = None;
        }
        has_changed
    }

    /// Returns the whole of the figures as text.
    pub(super) fn text(&self) -> Option<String> {
        match &self.figures {
            Some(Ok(Some(figures))) => Some(figures.to_text(PAGE_WIDTH)),
            Some(_) | None => None,
        }
    }

    /// Moves, if the action does; lines that are about nothing are passed by.
    pub(super) fn handle_action(&mut self, action: Action) -> Moved {
        let lines = &self.lines;
        let lay_out = |at: usize, width: usize| lay_out_line(lines, at, width);
        let moved = self.list.handle_action(action, &lay_out);
        let step = match action {
            Action::Up | Action::PageUp => Action::Up,
            _ => Action::Down,
        };
        let is_ahead = |at: usize| {
            let mut lines: Box<dyn Iterator<Item = &FiguresLine>> = match step {
                Action::Up => Box::new(lines.iter().take(at)),
                _ => Box::new(lines.iter().skip(at + 1)),
            };
            lines.any(|line| line.subject.is_some())
        };
        let passes_by = |at: usize| {
            let line = lines.get(at);
            line.is_some_and(|line| line.subject.is_none()) && is_ahead(at)
        };
        while moved == Moved::Yes && passes_by(self.list.cursor()) {
            let before = self.list.cursor();
            let _ = self.list.handle_action(step, &lay_out);
            if self.list.cursor() == before {
                break;
            }
        }
        moved
    }

    /// Opens or folds the part under the cursor; says whether there is one.
    pub(super) fn toggle_part(&mut self) -> bool {
        let line = self.lines.get(self.list.cursor());
        let is_part = line
            .and_then(|line| line.subject)
            .is_some_and(|subject| self.opened.toggle(subject));
        if is_part {
            self.style = None;
        }
        is_part
    }

    /// Returns which debates the line under the cursor is about; `None` where it is about none.
    pub(super) fn selected_part(&self) -> Option<LinePart> {
        let subject = self.lines.get(self.list.cursor())?.subject?;
        match self.figures.as_ref()?.as_ref().ok()?.as_deref()? {
            ExperimentFigures::Debates(figures) => {
                find_line_part(self.page_content(figures), subject)
            }
            ExperimentFigures::Sweep(_) => None,
        }
    }

    fn page_content<'a>(&'a self, figures: &'a DebateFigures) -> PageContent<'a> {
        PageContent {
            report: &figures.page,
            chairs: &figures.chairs,
            failures: &self.experiment.summary.failures,
        }
    }

    pub(super) fn draw(&mut self, buffer: &mut Buffer, area: Rect, context: DrawContext<'_>) {
        let look = context.look;
        let summary = &self.experiment.summary;
        let title = format!("{} {}", summary.kind, summary.id);
        let inner = draw_frame(area, buffer, look, &title, Focus::Focused);
        let meaning = if inner.height < LOW { 0 } else { MEANING };
        let [body, foot] = body_and_foot(inner, meaning);
        self.build_lines(PageStyle {
            columns: body.width.saturating_sub(MARGIN).into(),
            glyphs: look.plot_glyphs(),
        });
        let lines = &self.lines;
        let lay_out = |at: usize, width: usize| lay_out_line(lines, at, width);
        self.list
            .draw(buffer, body, context, Focus::Focused, &lay_out);
        let cursor = self.list.cursor();
        context
            .rows
            .recount(|steps| count_stops(lines, cursor, steps));
        if foot.height > 0 {
            self.draw_meaning(buffer, foot, context);
        }
    }

    fn draw_meaning(&self, buffer: &mut Buffer, foot: Rect, context: DrawContext<'_>) {
        let [rule, text] = body_and_foot(foot, foot.height.saturating_sub(1));
        draw_line_across(buffer, rule, context.look);
        let line = self.lines.get(self.list.cursor());
        if let (Some(Ok(Some(figures))), Some(subject)) =
            (&self.figures, line.and_then(|line| line.subject))
            && let ExperimentFigures::Debates(figures) = &**figures
        {
            let meaning = describe_line(self.page_content(figures), subject);
            draw_text(buffer, text, context.look, &meaning);
        }
    }

    /// Builds the lines where the width, the figures or what is opened have changed.
    fn build_lines(&mut self, style: PageStyle) {
        if self.style == Some(style) {
            return;
        }
        let is_first = self.lines.iter().all(|line| line.subject.is_none());
        self.style = Some(style);
        let mut lines: Vec<FiguresLine> = Vec::new();
        let say = |role: Role, text: &str| vec![Paragraph::new(role, text)];
        let mut head = self.experiment.describe_below_title();
        if let Some(Ok(Some(figures))) = &self.figures
            && figures.are_simulated()
            && let Some(about) = head.first_mut()
        {
            about
                .runs
                .push((Role::Simulated, " · SIMULATED".to_owned()));
        }
        head.push(Paragraph::gap());
        match &self.figures {
            None => head.extend(say(Role::Muted, "computing the figures")),
            Some(Ok(None)) => head.extend(say(
                Role::Muted,
                "experiments of this kind have no figures here",
            )),
            Some(Err(why)) => head.extend(say(Role::Error, &why.to_string())),
            Some(Ok(Some(figures))) => match &**figures {
                ExperimentFigures::Debates(figures) => {
                    lines = build_figure_lines(self.page_content(figures), &self.opened, style);
                }
                ExperimentFigures::Sweep(report) => {
                    let text = report.to_text(style.columns);
                    head.extend(text.lines().map(|line| match line.starts_with('!') {
                        true => Paragraph::new(Role::Warning, line),
                        false => Paragraph::new(Role::Text, line),
                    }));
                }
            },
        }
        let head = head.into_iter().map(FiguresLine::without_subject);
        self.lines = head.chain(lines).collect();
        self.list.set_count(self.lines.len());
        let first = self.lines.iter().position(|line| line.subject.is_some());
        if let (true, Some(first)) = (is_first, first) {
            let lines = &self.lines;
            self.list
                .go_to_item(first, &|at, width| lay_out_line(lines, at, width));
        }
    }
}

/// Returns how many steps of the cursor lead to the line so many lines on, as lines that are about nothing are passed
/// by; `None` where it is such a line.
fn count_stops(lines: &[FiguresLine], cursor: usize, steps: isize) -> Option<isize> {
    let to = cursor.checked_add_signed(steps)?;
    lines.get(to)?.subject?;
    let between = match steps {
        ..0 => lines.get(to..cursor)?,
        _ => lines.get(cursor + 1..to + 1)?,
    };
    let stops = between.iter().filter(|line| line.subject.is_some()).count();
    Some(isize::try_from(stops).ok()? * steps.signum())
}

fn lay_out_line(lines: &[FiguresLine], at: usize, width: usize) -> Vec<StyledLine> {
    let paragraph = lines.get(at).map(|line| line.paragraph.clone());
    lay_out(paragraph.as_slice(), width)
}
