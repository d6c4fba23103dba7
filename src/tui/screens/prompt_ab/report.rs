//! Report of a comparison: its figures, and its topics, those with different results first.

use super::tasks;
use crate::tui::app::{
    Command, DrawContext, Effect, Screen, Update, say_error, say_notice, show_screen,
};
use crate::tui::components::rows::cut_to_width;
use crate::tui::components::shown_writing::{PageWritten, ShownContent, ShownForm, ShownWriting};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::screens::session_diff::Compare;
use crate::tui::theme::Role;
use crate::tui::widgets::{
    Content, ListCursor, Paragraph, ScrollText, StyledLine, draw_text, draw_top_lines, lay_out,
};
use elenchus_records::workspace::WorkspaceError;
use elenchus_run::drafts::prompt_ab::{AbNews, ComparisonSummary};
use elenchus_run::experiments::ExperimentEnd;
use elenchus_run::experiments::prompt_ab::AbTopic;
use elenchus_terminal::Paste;
use elenchus_text::format_grouped_count;
use elenchus_view::session_diff::DiffSide;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use std::sync::Arc;

/// Rows that are kept for the topics, their head included.
const TOPIC_ROWS: u16 = 7;
/// The width of a page that is copied or paged.
const PAGE_WIDTH: usize = 80;

/// The screen of one comparison.
pub(in crate::tui::screens) struct ComparisonReport {
    id: String,
    card: Option<Arc<ComparisonSummary>>,
    /// Message while there is nothing to show.
    empty: String,
    /// The topics.
    rows: ListCursor,
    figures: ScrollText,
    content: Content,
    writing: ShownWriting,
}

impl ComparisonReport {
    pub fn from_id(id: String) -> Self {
        Self {
            id,
            card: None,
            empty: "reading the samples".to_owned(),
            rows: ListCursor::new(0),
            figures: ScrollText::default(),
            content: Content::Shown,
            writing: ShownWriting::default(),
        }
    }

    fn topics(&self) -> &[AbTopic] {
        let card = self.card.as_ref();
        card.map_or(&[], |card| card.summary.topics.as_slice())
    }

    fn is_playing(&self) -> bool {
        self.card.as_ref().is_some_and(|card| card.playing)
    }

    /// Shows the replies to both prompts on the chosen topic side by side: the pair that differs most.
    fn open_samples(&self) -> Vec<Effect> {
        let topic = self
            .rows
            .selected_row()
            .and_then(|at| self.topics().get(at));
        let Some(topic) = topic else {
            return say_notice("no topic has replies to both prompts yet");
        };
        match &topic.pair {
            Some(pair) => {
                let [a, b] = self.name_prompts();
                let [(_, of_a), (_, of_b)] = pair;
                show_screen(Compare::from_sides(
                    DiffSide::from_id(of_a).with_title(a),
                    DiffSide::from_id(of_b).with_title(b),
                ))
            }
            None => say_notice("no sample of A on this topic has one of B beside it"),
        }
    }

    /// Returns what the replies of A and B are called where they stand side by side.
    fn name_prompts(&self) -> [String; 2] {
        let plan = self.card.as_ref().map(|card| &card.state.manifest.plan);
        match plan.map(|plan| &plan.arms) {
            Some([a, b]) => [format!("A: {}", a.name), format!("B: {}", b.name)],
            None => ["A", "B"].map(str::to_owned),
        }
    }

    fn stop_comparison(&self) -> Vec<Effect> {
        if !self.is_playing() {
            return say_notice("it is not being played here");
        }
        let mut effects = vec![Effect::Start(tasks::stop_comparison(self.id.clone()))];
        effects.extend(say_notice("stopping; what came is kept"));
        effects
    }

    fn resume_comparison(&mut self) -> Vec<Effect> {
        match &self.card {
            None => say_notice(self.empty.clone()),
            Some(card) if card.playing => say_notice("it is being played"),
            Some(card) if card.summary.missing == 0 => {
                say_notice("nothing is missing: it is complete")
            }
            Some(_) => vec![Effect::Start(tasks::resume_comparison(self.id.clone()))],
        }
    }

    fn leave_report(&self) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.is_playing() {
            effects.extend(say_notice("it goes on; the list of comparisons has it"));
        }
        effects.push(Effect::Leave);
        effects
    }

    fn format_report(&self) -> String {
        let Some(card) = &self.card else {
            return String::new();
        };
        let mut page = card.heading();
        page.extend(card.figures());
        page.extend([
            Paragraph::gap(),
            Paragraph::new(Role::Strong, card.topics_heading()),
        ]);
        let topics = self.topics().iter();
        let content = self.content;
        page.extend(topics.map(|one| Paragraph::new(Role::Text, card.format_topic(one, content))));
        let lines = lay_out(&page, PAGE_WIDTH);
        lines.iter().map(|line| line.text() + "\n").collect()
    }

    /// Asks to which file to write the report; topics and figures show no verdict of a debate that is labelled.
    fn ask_form(&mut self) -> Vec<Effect> {
        let report = ShownForm {
            what: "the report as text",
            file: format!("elenchus-prompts-ab-{}.txt", self.id),
            content: ShownContent::Text(self.format_report(), Vec::new()),
        };
        let is_read = self.card.is_some();
        self.writing
            .ask_form(is_read.then_some(report).into_iter().collect())
    }

    fn handle_end(&mut self, end: Result<ExperimentEnd, WorkspaceError>) -> Vec<Effect> {
        if let Some(card) = &mut self.card {
            Arc::make_mut(card).playing = false;
            self.figures.invalidate();
        }
        let again = key_for(Context::PromptsCompared, Action::RunToEnd);
        let (role, text) = match end {
            Ok(ExperimentEnd::Completed) => (Role::Notice, "the comparison is over".to_owned()),
            Ok(ExperimentEnd::WithFailures(count)) => (
                Role::Warning,
                format!(
                    "{} failed: {again} tries again",
                    format_grouped_count(count, "sample")
                ),
            ),
            Ok(ExperimentEnd::Paused(cause)) => {
                (Role::Warning, format!("{cause}: {again} goes on"))
            }
            Err(why) => (Role::Error, why.to_string()),
        };
        vec![Effect::Say(role, text)]
    }

    fn draw_topics(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        card: &ComparisonSummary,
        context: DrawContext<'_>,
    ) {
        let look = context.look;
        let role = match self.topics() {
            [] => Role::Muted,
            _ => Role::Strong,
        };
        // Under the mark of the cursor nothing stands.
        let head = Paragraph::new(role, format!("  {}", card.topics_heading()));
        let rows = draw_top_lines(buffer, area, look, &lay_out(&[head], area.width.into()));
        context.rows.note_rows(self.rows, rows);
        self.rows.draw(buffer, rows, look, |at, width| {
            let topic = self.topics().get(at);
            let text = topic.map(|topic| card.format_topic(topic, self.content));
            StyledLine::from_text(Role::Text, cut_to_width(&text.unwrap_or_default(), width))
        });
    }
}

/// Result of a task of this screen.
pub enum ReportMessage {
    News(AbNews),
    PageWritten(PageWritten),
}

impl Update for ComparisonReport {
    type Message = ReportMessage;

    fn update(&mut self, message: ReportMessage) -> Vec<Effect> {
        match message {
            ReportMessage::News(AbNews::Compared(Ok(card))) => {
                self.rows.set_len(card.summary.topics.len());
                self.card = Some(card);
                self.figures.invalidate();
                Vec::new()
            }
            ReportMessage::News(AbNews::Compared(Err(why))) => {
                self.empty = why.to_string();
                say_error(why)
            }
            ReportMessage::News(AbNews::Ended(end)) => self.handle_end(end),
            ReportMessage::PageWritten(written) => written.say(),
        }
    }
}

impl Screen for ComparisonReport {
    fn key_context(&self) -> Context {
        Context::PromptsCompared
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        vec![Effect::Start(tasks::read_comparison(self.id.clone()))]
    }

    fn is_typing(&self) -> bool {
        self.writing.is_asking()
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.writing.handle_key(key, ReportMessage::PageWritten)
    }

    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        self.writing.paste_text(&paste.text);
        Vec::new()
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => self.leave_report(),
            Action::Open => self.open_samples(),
            Action::StopStream => self.stop_comparison(),
            Action::Interrupt if self.is_playing() => self.stop_comparison(),
            Action::RunToEnd => self.resume_comparison(),
            Action::Copy => vec![Effect::Do(Command::Copy(self.format_report()))],
            Action::Pager => vec![Effect::Do(Command::Page(self.format_report()))],
            Action::Export => self.ask_form(),
            Action::PageDown | Action::PageUp => {
                self.figures.handle_action(action);
                Vec::new()
            }
            other => {
                self.rows.handle_action(other);
                Vec::new()
            }
        }
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let look = context.look;
        self.content = context.content;
        let Some(card) = self.card.clone() else {
            let empty = Paragraph::new(Role::Notice, self.empty.clone());
            draw_text(buffer, area, look, &[empty]);
            return None;
        };
        let text = |width| {
            let mut page = card.heading();
            page.extend(card.figures());
            lay_out(&page, width)
        };
        let lines = self.figures.lay_out(area.width, text);
        let lines = u16::try_from(lines).unwrap_or(u16::MAX);
        let topics = u16::try_from(self.topics().len() + 1).unwrap_or(u16::MAX);
        let below = topics.min(TOPIC_ROWS).min(area.height / 2);
        let above = lines.min(area.height - below);
        // The topics have all that the figures leave.
        let rows = [
            Constraint::Length(above),
            Constraint::Length(u16::from(area.height > above + below)),
            Constraint::Fill(1),
        ];
        let [above, _, below] = Layout::vertical(rows).areas(area);
        self.figures.draw(buffer, above, look, text);
        self.draw_topics(buffer, below, &card, context);
        self.writing.draw(area, buffer, context)
    }

    fn describe_status(&self) -> String {
        let Some(card) = &self.card else {
            return String::new();
        };
        let more = match self.figures.has_more_below() {
            true => ", more below",
            false => "",
        };
        format!("{}{more}", card.state.describe_progress())
    }

    fn list_hints(&self) -> Vec<Action> {
        let mut hints = Vec::new();
        match &self.card {
            Some(card) if card.playing => hints.push(Action::StopStream),
            Some(card) if card.summary.missing > 0 => hints.push(Action::RunToEnd),
            Some(_) | None => {}
        }
        hints.extend([Action::Open, Action::PageDown, Action::Copy]);
        hints.extend([Action::Export, Action::Back]);
        hints
    }

    fn describe_open_work(&self) -> Option<String> {
        self.is_playing()
            .then(|| "two prompts are being compared; it can be gone on with".to_owned())
    }

    fn handle_return(&mut self) -> Vec<Effect> {
        // What is played is followed already.
        match self.is_playing() {
            true => Vec::new(),
            false => self.handle_open(),
        }
    }
}
