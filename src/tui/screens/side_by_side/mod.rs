//! Runs side by side: the arms of marked experiments as rows, their figures as columns, and what each differs in from
//! one of them as a forest.

mod tasks;
mod view;

use crate::tui::app::{
    Command, DrawContext, Effect, Rereading, Screen, Ticket, Update, say_notice, show_screen,
};
use crate::tui::components::shown_writing::{PageWritten, ShownContent, ShownForm, ShownWriting};
use crate::tui::keys::{Action, Context};
use crate::tui::widgets::{ListCursor, Moved};
use elenchus_plot::{forest_from_comparison, write_svg};
use elenchus_records::workspace::WorkspaceError;
use elenchus_run::experiments::ListedExperiment;
use elenchus_run::experiments::side_by_side::{
    ArmColumn, ArmDifferences, ArmView, ArmsSideBySide, SideArm,
};
use elenchus_terminal::Paste;
use elenchus_text::wrap_index;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// Width of a page that is copied or paged.
const PAGE_WIDTH: usize = 100;
/// Begins the ids in a picture.
const PICTURE_ID: &str = "differences";
/// Differences that are kept, so that going back to a column computes nothing.
const MAX_KEPT: usize = 64;

/// The screen of arms side by side.
pub(crate) struct SideBySide {
    experiments: Vec<ListedExperiment>,
    reading: Rereading,
    arms: Option<Arc<ArmsSideBySide>>,
    /// Message while there is nothing to show.
    empty: String,
    view: ArmView,
    columns: Vec<ArmColumn>,
    column: usize,
    rows: ListCursor,
    /// The whole name of the arm that the others are compared with; the first one until another is chosen.
    reference: Option<String>,
    differences: Vec<Arc<ArmDifferences>>,
    /// Names the reading that differences belong to.
    ticket: Ticket,
    is_comparing: bool,
    shown_writing: ShownWriting,
}

impl SideBySide {
    /// Puts the arms of experiments side by side.
    pub(crate) fn show_arms(mut experiments: Vec<ListedExperiment>) -> Vec<Effect> {
        // The oldest first: the others are compared with it, on a page as well.
        experiments
            .sort_by_cached_key(|one| (one.summary.begun_at.clone(), one.summary.id.clone()));
        let screen = Self {
            experiments,
            reading: Rereading::default(),
            arms: None,
            empty: "reading the debates".to_owned(),
            view: ArmView::default(),
            columns: Vec::new(),
            column: 0,
            rows: ListCursor::default(),
            reference: None,
            differences: Vec::new(),
            ticket: Ticket(0),
            is_comparing: false,
            shown_writing: ShownWriting::default(),
        };
        show_screen(screen)
    }

    fn arms(&self) -> &[SideArm] {
        self.arms.as_ref().map_or(&[], |arms| arms.arms())
    }

    fn selected_arm(&self) -> Option<&SideArm> {
        self.arms().get(self.rows.selected_row()?)
    }

    fn selected_column(&self) -> Option<&ArmColumn> {
        self.columns.get(self.column)
    }

    fn reference(&self) -> Option<&str> {
        let first = self.arms().first().map(|arm| arm.arm.as_str());
        self.reference.as_deref().or(first)
    }

    /// Returns the differences in the column of the cursor, once they are known.
    fn shown_differences(&self) -> Option<&ArmDifferences> {
        let (column, reference) = (self.selected_column()?, self.reference()?);
        let mut known = self.differences.iter();
        let of_column = known.find(|one| one.reference == reference && one.column == *column)?;
        Some(of_column)
    }

    /// Computes the differences in the column of the cursor, where they are not known; one column at a time.
    fn compare_arms(&mut self) -> Vec<Effect> {
        if self.is_comparing || self.shown_differences().is_some() {
            return Vec::new();
        }
        let arms = self.arms.clone();
        let (Some(arms), Some(column), Some(reference)) =
            (arms, self.selected_column().cloned(), self.reference())
        else {
            return Vec::new();
        };
        let reference = reference.to_owned();
        self.is_comparing = true;
        vec![Effect::Start(tasks::compare_arms(
            self.ticket,
            arms,
            reference,
            column,
        ))]
    }

    fn take_arms(&mut self, arms: Result<Arc<ArmsSideBySide>, WorkspaceError>) -> Vec<Effect> {
        match arms {
            Ok(arms) => {
                self.ticket.0 += 1;
                self.is_comparing = false;
                self.differences.clear();
                self.rows.set_len(arms.arms().len());
                self.arms = Some(arms);
                self.show_view(self.view);
                if self.columns.is_empty() {
                    // Games without turns that are judged have other figures.
                    self.show_next_view(1);
                }
                self.compare_arms()
            }
            Err(why) => {
                self.arms = None;
                self.empty = why.to_string();
                Vec::new()
            }
        }
    }

    fn show_view(&mut self, view: ArmView) {
        let arms = self.arms.as_ref();
        let columns = arms.map_or_else(Vec::new, |arms| arms.list_columns(view));
        if self.view != view {
            self.column = 0;
        }
        self.view = view;
        self.column = self.column.min(columns.len().saturating_sub(1));
        self.columns = columns;
    }

    /// Shows the next view that has columns, or the one before.
    fn show_next_view(&mut self, step: isize) {
        let Some(arms) = self.arms.clone() else {
            return;
        };
        let all = ArmView::ALL;
        let mut at = all.iter().position(|view| *view == self.view).unwrap_or(0);
        for _ in all {
            at = wrap_index(at, step, all.len());
            let view = all.get(at).copied().unwrap_or_default();
            if !arms.list_columns(view).is_empty() {
                return self.show_view(view);
            }
        }
    }

    fn move_column(&mut self, to: Option<usize>) {
        if let Some(column) = to.filter(|column| *column < self.columns.len()) {
            self.column = column;
        }
    }

    /// Compares all others with the arm under the cursor from now on.
    fn choose_reference(&mut self) -> Vec<Effect> {
        let Some(arm) = self.selected_arm() else {
            return say_notice(self.empty.clone());
        };
        self.reference = Some(arm.arm.clone());
        self.compare_arms()
    }

    /// Lists the debates of the cell under the cursor.
    fn open_debates(&self) -> Vec<Effect> {
        let Some(arm) = self.selected_arm() else {
            return say_notice(self.empty.clone());
        };
        let runs: Vec<&str> = arm.runs.iter().map(|run| run.as_str()).collect();
        if runs.is_empty() {
            return say_notice("these debates are of no run");
        }
        let mut terms = vec![format!("run:{}", runs.join(","))];
        if arm.shares_runs {
            terms.push(format!("arm=\"{}\"", arm.arm));
        }
        let category = self.selected_column().and_then(ArmColumn::category);
        terms.extend(category.map(|category| format!("category=\"{category}\"")));
        vec![Effect::ListSessions(terms.join(" "))]
    }

    /// Asks in which form to write what is compared.
    fn ask_form(&mut self) -> Vec<Effect> {
        let table = self.text_to_copy().map(|text| ShownForm {
            what: "the tables as text",
            file: "elenchus-side-by-side.txt".to_owned(),
            content: ShownContent::Text(text, Vec::new()),
        });
        let forest = self.draw_forest().map(|svg| ShownForm {
            what: "the differences as a picture",
            file: "elenchus-differences.svg".to_owned(),
            content: ShownContent::Picture(svg),
        });
        let shown = table.into_iter().chain(forest).collect();
        self.shown_writing.ask_form_of(&self.experiments, shown)
    }

    /// Draws the differences in the column of the cursor; `None` where there are none.
    fn draw_forest(&self) -> Option<String> {
        let differences = self.shown_differences()?;
        let comparison = differences.comparison.as_ref().ok()?;
        let picture = forest_from_comparison(comparison, differences.column.measure).ok()?;
        Some(write_svg(&picture, PICTURE_ID))
    }

    fn text_to_copy(&self) -> Option<String> {
        let arms = self.arms.as_ref()?;
        Some(arms.to_text(self.shown_differences(), PAGE_WIDTH))
    }
}

/// Result of a task of this screen.
pub enum ArmsMessage {
    Read(Result<Arc<ArmsSideBySide>, WorkspaceError>),
    /// They are to be read again now.
    ReadAgain,
    Compared(Ticket, Arc<ArmDifferences>),
    PageWritten(PageWritten),
}

impl Update for SideBySide {
    type Message = ArmsMessage;

    fn update(&mut self, message: ArmsMessage) -> Vec<Effect> {
        match message {
            ArmsMessage::Read(arms) => {
                let mut effects = self.take_arms(arms);
                effects.extend(self.reading.finish_read(ArmsMessage::ReadAgain));
                effects
            }
            ArmsMessage::ReadAgain => self.handle_open(),
            ArmsMessage::Compared(ticket, differences) if ticket == self.ticket => {
                self.is_comparing = false;
                if self.differences.len() >= MAX_KEPT {
                    self.differences.remove(0);
                }
                self.differences.push(differences);
                // The cursor may have gone on meanwhile.
                self.compare_arms()
            }
            ArmsMessage::Compared(..) => Vec::new(),
            ArmsMessage::PageWritten(written) => written.say(),
        }
    }
}

impl Screen for SideBySide {
    fn key_context(&self) -> Context {
        Context::SideBySide
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        let experiments = self.experiments.clone();
        self.reading.start_read(|| tasks::read_arms(experiments))
    }

    fn is_typing(&self) -> bool {
        self.shown_writing.is_asking()
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.shown_writing.handle_key(key, ArmsMessage::PageWritten)
    }

    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        self.shown_writing.paste_text(&paste.text);
        Vec::new()
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        if self.rows.handle_action(action) == Moved::Yes {
            return Vec::new();
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => return vec![Effect::Leave],
            Action::Open => return self.open_debates(),
            Action::CompareWithThis => return self.choose_reference(),
            Action::Export => return self.ask_form(),
            Action::Copy | Action::Pager => {
                return match (self.text_to_copy(), action) {
                    (None, _) => say_notice("there is nothing to copy yet"),
                    (Some(text), Action::Copy) => vec![Effect::Do(Command::Copy(text))],
                    (Some(text), _) => vec![Effect::Do(Command::Page(text))],
                };
            }
            Action::Left => self.move_column(self.column.checked_sub(1)),
            Action::Right => self.move_column(self.column.checked_add(1)),
            Action::FocusNext => self.show_next_view(1),
            Action::FocusPrevious => self.show_next_view(-1),
            _ => return Vec::new(),
        }
        self.compare_arms()
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.draw_arms(buffer, area, context);
        self.shown_writing.draw(area, buffer, context)
    }

    fn describe_status(&self) -> String {
        match (&self.arms, self.is_comparing) {
            (None, _) => self.empty.clone(),
            (Some(_), true) => "comparing".to_owned(),
            (Some(arms), false) => format!("{} arms", arms.arms().len()),
        }
    }

    fn list_hints(&self) -> Vec<Action> {
        vec![
            Action::Open,
            Action::FocusNext,
            Action::CompareWithThis,
            Action::Export,
            Action::Copy,
            Action::Pager,
        ]
    }

    fn refresh(&mut self) -> Vec<Effect> {
        // What is over does not change by what others write.
        match self.arms.as_ref().is_none_or(|arms| arms.goes_on()) {
            true => self.handle_open(),
            false => Vec::new(),
        }
    }
}
