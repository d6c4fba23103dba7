//! Report of a comparison: its figures, and the topics with different results.

use super::report_text::{figures, flip, heading, progress};
use super::{AbCard, tasks};
use crate::experiments::ExperimentEnd;
use crate::experiments::prompt_ab::AbFlip;
use crate::tui::app::{Command, DrawContext, Effect, Screen, Update, fail, say};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::screens::rows::{cut, row};
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::Content;
use crate::tui::widgets::Paragraph;
use crate::tui::widgets::{ListCursor, Moved, above_status, counted};
use crate::tui::widgets::{StyledLine, lay_out};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// Rows that are kept for the topics that came out differently, their head included.
const FLIP_ROWS: u16 = 7;
/// The width of a page that is copied or paged.
const PAGE_WIDTH: usize = 80;

/// The screen of one comparison.
pub(super) struct ComparisonReport {
    id: String,
    card: Option<Arc<AbCard>>,
    /// Message while there is nothing to show.
    empty: String,
    /// The topics that came out differently.
    rows: ListCursor,
    /// The first line of the figures that is shown, and how many there are beyond the screen.
    top: usize,
    beyond: usize,
    content: Content,
}

impl ComparisonReport {
    pub fn of(id: String) -> Self {
        Self {
            id,
            card: None,
            empty: "reading the samples".to_owned(),
            rows: ListCursor::new(0),
            top: 0,
            beyond: 0,
            content: Content::Shown,
        }
    }

    fn flips(&self) -> &[AbFlip] {
        let card = self.card.as_ref();
        card.map_or(&[], |card| card.summary.flips.as_slice())
    }

    fn is_playing(&self) -> bool {
        self.card.as_ref().is_some_and(|card| card.playing)
    }

    /// Shows the samples of both prompts on the chosen topic side by side.
    fn open(&self) -> Vec<Effect> {
        let chosen = self.rows.chosen().and_then(|at| self.flips().get(at));
        let Some(chosen) = chosen else {
            return say("no topic came out differently: there is nothing to open");
        };
        let [a, b] = &chosen.samples;
        match (a.first(), b.first()) {
            (Some((_, a)), Some((_, b))) => vec![Effect::Compare(a.clone(), b.clone())],
            _ => say("a sample of this topic is missing"),
        }
    }

    fn stop(&self) -> Vec<Effect> {
        if !self.is_playing() {
            return say("it is not being played here");
        }
        let mut effects = vec![Effect::Start(tasks::stop(self.id.clone()))];
        effects.extend(say("stopping; what came is kept"));
        effects
    }

    fn resume(&mut self) -> Vec<Effect> {
        match &self.card {
            None => say(self.empty.clone()),
            Some(card) if card.playing => say("it is being played"),
            Some(card) if card.summary.missing == 0 => say("nothing is missing: it is complete"),
            Some(_) => vec![Effect::Start(tasks::resume(self.id.clone()))],
        }
    }

    fn leave(&self) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.is_playing() {
            effects.extend(say("it goes on; the list of comparisons has it"));
        }
        effects.push(Effect::Leave);
        effects
    }

    fn whole(&self) -> String {
        let Some(card) = &self.card else {
            return String::new();
        };
        let mut page = heading(card);
        page.extend(figures(card));
        let flips = self.flips().iter();
        let content = self.content;
        page.extend(flips.map(|one| Paragraph::of(Role::Text, flip(card, one, content))));
        let lines = lay_out(&page, PAGE_WIDTH);
        lines.iter().map(|line| line.text() + "\n").collect()
    }

    fn over(&mut self, end: Result<ExperimentEnd, String>) -> Vec<Effect> {
        if let Some(card) = &mut self.card {
            Arc::make_mut(card).playing = false;
        }
        let again = key_for(Context::PromptsCompared, Action::RunToEnd);
        let (role, text) = match end {
            Ok(ExperimentEnd::Completed) => (Role::Notice, "the comparison is over".to_owned()),
            Ok(ExperimentEnd::WithFailures(count)) => (
                Role::Warning,
                format!("{} failed: {again} tries again", counted(count, "sample")),
            ),
            Ok(ExperimentEnd::Paused { why, .. }) => {
                (Role::Warning, format!("{why}: {again} goes on"))
            }
            Err(why) => (Role::Error, why),
        };
        vec![Effect::Say(role, text)]
    }

    fn draw_flips(&self, buffer: &mut Buffer, area: Rect, card: &AbCard, look: &Look) {
        let head = match self.flips().len() {
            0 => Paragraph::of(Role::Muted, "no topic came out differently"),
            _ => Paragraph::of(
                Role::Strong,
                "     A      B  Topics that came out differently, the worse for B first",
            ),
        };
        if let Some(line) = lay_out(&[head], area.width.into()).first() {
            line.put(buffer, row(area, area.y), look);
        }
        let height = area.height.saturating_sub(1);
        let top = self.rows.top(height);
        let shown = self.flips().iter().enumerate().skip(top);
        for (y, (at, one)) in (area.y + 1..area.bottom()).zip(shown) {
            let is_here = self.rows.chosen() == Some(at);
            let mark = if is_here { look.glyphs().cursor } else { " " };
            let role = if is_here { Role::Selection } else { Role::Text };
            let line = StyledLine {
                indent: 0,
                runs: vec![(
                    role,
                    cut(
                        &format!("{mark}{}", flip(card, one, self.content)),
                        area.width.into(),
                    ),
                )],
            };
            line.put(buffer, row(area, y), look);
        }
    }
}

/// Result of a task of this screen.
pub(super) enum ReportMessage {
    Compared(Result<Arc<AbCard>, String>),
    Ended(Result<ExperimentEnd, String>),
}

impl Update for ComparisonReport {
    type Message = ReportMessage;

    fn update(&mut self, message: ReportMessage) -> Vec<Effect> {
        match message {
            ReportMessage::Compared(Ok(card)) => {
                self.rows.set_len(card.summary.flips.len());
                self.card = Some(card);
                Vec::new()
            }
            ReportMessage::Compared(Err(why)) => {
                self.empty.clone_from(&why);
                fail(why)
            }
            ReportMessage::Ended(end) => self.over(end),
        }
    }
}

impl Screen for ComparisonReport {
    fn context(&self) -> Context {
        Context::PromptsCompared
    }

    fn opened(&mut self) -> Vec<Effect> {
        vec![Effect::Start(tasks::read(self.id.clone()))]
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => self.leave(),
            Action::Open => self.open(),
            Action::StopStream => self.stop(),
            Action::Interrupt if self.is_playing() => self.stop(),
            Action::Interrupt => vec![Effect::Quit],
            Action::RunToEnd => self.resume(),
            Action::Copy => vec![Effect::Do(Command::Copy(self.whole()))],
            Action::Pager => vec![Effect::Do(Command::Page(self.whole()))],
            Action::PageDown => {
                self.top = self.beyond.min(self.top + usize::from(FLIP_ROWS));
                Vec::new()
            }
            Action::PageUp => {
                self.top = self.top.saturating_sub(FLIP_ROWS.into());
                Vec::new()
            }
            other => match self.rows.act(other) {
                Moved::Yes | Moved::No => Vec::new(),
            },
        }
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        self.content = brush.content;
        let area = above_status(area);
        let width = usize::from(area.width);
        let Some(card) = self.card.clone() else {
            let empty = [Paragraph::of(Role::Notice, self.empty.clone())];
            for (y, line) in (area.y..area.bottom()).zip(lay_out(&empty, width)) {
                line.put(buffer, row(area, y), look);
            }
            return None;
        };
        let mut lines = lay_out(&heading(&card), width);
        lines.extend(lay_out(&figures(&card), width));
        let wanted = u16::try_from(self.flips().len() + 1).unwrap_or(u16::MAX);
        let below = wanted.min(FLIP_ROWS).min(area.height / 2);
        let room = usize::from(area.height - below);
        self.beyond = lines.len().saturating_sub(room);
        self.top = self.top.min(self.beyond);
        let used = lines.len().min(room);
        for (y, line) in (area.y..).zip(lines.iter().skip(self.top).take(used)) {
            line.put(buffer, row(area, y), look);
        }
        // They begin below the figures and have all that is left.
        let used = u16::try_from(used).unwrap_or(u16::MAX);
        let gap = u16::from(area.height > used + below);
        let y = area.y + used + gap;
        let flips = Rect {
            y,
            height: area.bottom().saturating_sub(y),
            ..area
        };
        self.draw_flips(buffer, flips, &card, look);
        None
    }

    fn status(&self) -> String {
        let Some(card) = &self.card else {
            return String::new();
        };
        let more = if self.beyond > self.top {
            ", more below"
        } else {
            ""
        };
        format!("{}{more}", progress(&card.state))
    }

    fn hints(&self) -> Vec<Action> {
        let mut hints = Vec::new();
        match &self.card {
            Some(card) if card.playing => hints.push(Action::StopStream),
            Some(card) if card.summary.missing > 0 => hints.push(Action::RunToEnd),
            Some(_) | None => {}
        }
        hints.extend([Action::Open, Action::PageDown, Action::Copy, Action::Back]);
        hints
    }

    fn busy(&self) -> Option<String> {
        self.is_playing()
            .then(|| "two prompts are being compared; it can be gone on with".to_owned())
    }

    fn returned(&mut self) -> Vec<Effect> {
        // What is played is followed already.
        match self.is_playing() {
            true => Vec::new(),
            false => self.opened(),
        }
    }
}
