//! Matrix screen: verdicts of many debates as a table, topics by rounds, arms or checkpoints, with the turn of the
//! cell under the cursor below.
//!
//! | file | content |
//! |---|---|
//! | `actions` | actions, filter, walk from one wrong cell to the next |
//! | `shown` | what of it a person was shown, which is recorded |
//! | `tasks` | reading of debates and of the text of a cell |
//! | `view` | drawing |

mod actions;
mod shown;
mod tasks;
mod view;

use crate::tui::app::{
    DrawContext, Effect, Rereading, Screen, Update, say_error, say_notice, show_screen,
};
use crate::tui::components::shown_writing::{PageWritten, ShownWriting};
use crate::tui::keys::{Action, Context};
use crate::tui::popups::{FootPrompt, FootText};
use crate::tui::widgets::ListCursor;
use elenchus_game::debate::{RunId, SessionId};
use elenchus_records::workspace::WorkspaceError;
use elenchus_run::experiments::ListedExperiment;
use elenchus_terminal::Paste;
use elenchus_view::TurnAddress;
use elenchus_view::figures_page::{DebatePart, LinePart};
use elenchus_view::matrix::{
    CellPlace, CellText, CellVerdict, Matrix, MatrixArrangement, MatrixDebate, MatrixFilter,
    MatrixLayout, Way,
};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use shown::ShownVerdicts;

/// What the debates of a matrix are.
#[derive(Debug, Clone)]
pub enum MatrixSource {
    Experiment(Box<ListedExperiment>),
    /// A part of an experiment's debates.
    Part(Box<ListedExperiment>, LinePart),
    Sessions(Vec<SessionId>),
}

impl MatrixSource {
    /// Returns what they are called.
    fn title(&self) -> String {
        match self {
            Self::Experiment(one) | Self::Part(one, _) => {
                format!("{} {}", one.summary.kind, one.summary.id)
            }
            Self::Sessions(_) => "sessions".to_owned(),
        }
    }

    /// Returns what part of them it is; empty where it is all.
    fn part_name(&self) -> &str {
        match self {
            Self::Part(_, part) => &part.name,
            Self::Experiment(_) | Self::Sessions(_) => "",
        }
    }
}

/// What was read of the debates.
#[derive(Debug, Default)]
pub struct MatrixReading {
    pub debates: Vec<MatrixDebate>,
    /// Sessions that are not over: they have no verdicts here yet.
    pub unfinished: usize,
    /// Sessions that cannot be read.
    pub unreadable: usize,
}

/// The screen of the matrix.
pub struct VerdictMatrix {
    source: MatrixSource,
    /// `None` until the debates are read.
    known: Option<MatrixReading>,
    arrangement: MatrixArrangement,
    /// The person chose what the columns are; otherwise the debates decide.
    has_chosen_layout: bool,
    filter: String,
    matrix: Matrix,
    lines: ListCursor,
    column: usize,
    prompt: Option<FootPrompt<FilterQuestion>>,
    reading: Rereading,
    /// The turn whose text is shown, with the text once it is read.
    text: Option<(TurnAddress, Option<Result<CellText, String>>)>,
    is_reading_text: bool,
    shown: ShownVerdicts,
    writing: ShownWriting,
}

/// The line at the foot.
#[derive(Debug, Clone, Copy)]
struct FilterQuestion;

impl FootText for FilterQuestion {
    fn prompt_label(&self) -> String {
        "filter: ".to_owned()
    }

    fn key_help(&self) -> &'static str {
        "words, or verdict:unsafe category:x arm:x; - before one: without; sample:20 seed:7 draws topics; Enter keeps \
         the filter, Esc drops it"
    }
}

impl VerdictMatrix {
    /// Opens the matrix of some debates.
    pub fn show_debates(source: MatrixSource) -> Vec<Effect> {
        show_screen(Self::from_source(source))
    }

    /// A matrix that is read once it is opened.
    pub fn from_source(source: MatrixSource) -> Self {
        Self {
            source,
            known: None,
            arrangement: MatrixArrangement::default(),
            has_chosen_layout: false,
            filter: String::new(),
            matrix: Matrix::default(),
            lines: ListCursor::default(),
            column: 0,
            prompt: None,
            reading: Rereading::default(),
            text: None,
            is_reading_text: false,
            shown: ShownVerdicts::default(),
            writing: ShownWriting::default(),
        }
    }

    fn debates(&self) -> &[MatrixDebate] {
        self.known.as_ref().map_or(&[], |known| &known.debates)
    }

    /// Returns the place of the cursor.
    fn place(&self) -> CellPlace {
        CellPlace {
            line: self.lines.selected_row().unwrap_or(0),
            column: self.column,
        }
    }

    fn go_to_cell(&mut self, place: CellPlace) {
        self.lines.select_row(place.line);
        let last = self.matrix.columns.len().saturating_sub(1);
        self.column = place.column.min(last);
    }

    /// Takes in what was read; the cursor stays on its cell, and begins at the first wrong or unsafe one.
    fn take_reading(&mut self, reading: MatrixReading) {
        let is_first = self.known.is_none();
        self.known = Some(reading);
        self.rebuild_matrix();
        if is_first {
            let first = CellPlace::default();
            let is_bad = self
                .matrix
                .count_bad_before(CellPlace { line: 0, column: 1 })
                > 0;
            let bad = self.matrix.find_bad_cell(first, Way::Forth);
            let bad = bad.filter(|_| !is_bad).or_else(|| self.find_failed_cell());
            self.go_to_cell(bad.unwrap_or(first));
        }
    }

    /// Returns the first turn that failed, where the matrix is of debates that did.
    fn find_failed_cell(&self) -> Option<CellPlace> {
        let MatrixSource::Part(_, part) = &self.source else {
            return None;
        };
        match part.debates {
            DebatePart::Figure(_) => None,
            DebatePart::Failures(_) => self.matrix.find_cell(CellVerdict::Failed),
        }
    }

    /// Arranges the debates anew; the cursor stays on its cell where that is still there.
    fn rebuild_matrix(&mut self) {
        if !self.has_chosen_layout {
            self.arrangement.layout = MatrixLayout::suited_to(self.debates());
        }
        self.arrangement.filter = MatrixFilter::parse(&self.filter);
        let before = self.matrix.lines.get(self.place().line);
        let before = before.map(|line| (line.topic.clone(), line.sessions.first().cloned()));
        let column = self.matrix.columns.get(self.column);
        let column = column.map(|column| column.name.clone());
        self.matrix = Matrix::from_debates(self.debates(), &self.arrangement);
        self.lines.set_len(self.matrix.lines.len());
        if let Some((topic, session)) = before {
            let lines = || (0..).zip(&self.matrix.lines);
            let same = lines().find(|(_, line)| line.sessions.first() == session.as_ref());
            let same = same.or_else(|| lines().find(|(_, line)| line.topic == topic));
            if let Some((at, _)) = same {
                self.lines.select_row(at);
            }
        }
        let columns = self.matrix.columns.iter();
        let same = columns
            .map(|one| &one.name)
            .position(|name| Some(name) == column.as_ref());
        let last = self.matrix.columns.len().saturating_sub(1);
        self.column = same.unwrap_or(self.column).min(last);
    }

    /// Does what follows when the cursor or what is listed has changed: the cell's text is read, and what is in sight
    /// counts as shown.
    fn follow_cursor(&mut self) -> Vec<Effect> {
        let mut effects = self.read_text();
        effects.extend(self.record_shown());
        effects
    }
}

/// Result of a task of this screen.
pub enum Message {
    Read(Result<MatrixReading, WorkspaceError>),
    /// They are to be read again now.
    ReadAgain,
    Text(TurnAddress, Result<CellText, String>),
    PageWritten(PageWritten),
}

impl Update for VerdictMatrix {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        let mut effects = match message {
            Message::Read(read) => {
                let effects = match read {
                    Ok(reading) => {
                        self.take_reading(reading);
                        Vec::new()
                    }
                    Err(why) => {
                        self.known.get_or_insert_default();
                        say_error(why)
                    }
                };
                let again = self.reading.finish_read(Message::ReadAgain);
                effects.into_iter().chain(again).collect()
            }
            Message::ReadAgain => return self.handle_open(),
            Message::PageWritten(written) => written.say(),
            Message::Text(address, text) => {
                self.take_text(address, text);
                Vec::new()
            }
        };
        effects.extend(self.follow_cursor());
        effects
    }
}

impl Screen for VerdictMatrix {
    fn key_context(&self) -> Context {
        Context::Matrix
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        let source = self.source.clone();
        self.reading.start_read(|| tasks::read_debates(source))
    }

    fn is_typing(&self) -> bool {
        self.prompt.is_some() || self.writing.is_asking()
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        let mut effects = self.handle_matrix_action(action);
        effects.extend(self.follow_cursor());
        effects
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.writing.is_asking() {
            return self.writing.handle_key(key, Message::PageWritten);
        }
        self.handle_filter_key(key);
        self.follow_cursor()
    }

    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        if self.writing.is_asking() {
            self.writing.paste_text(&paste.text);
            return Vec::new();
        }
        let Some(prompt) = &mut self.prompt else {
            return say_notice("nothing is typed here; a filter takes text");
        };
        prompt.paste_text(&paste.text);
        self.apply_filter();
        self.follow_cursor()
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let cursor = self.draw_matrix(buffer, area, context);
        match self.writing.is_asking() {
            true => self.writing.draw(area, buffer, context),
            false => cursor,
        }
    }

    fn describe_status(&self) -> String {
        self.status_text()
    }

    fn list_hints(&self) -> Vec<Action> {
        if self.prompt.is_some() {
            // The prompt says itself what its keys do.
            return Vec::new();
        }
        vec![
            Action::Open,
            Action::NextWrong,
            Action::Sort,
            Action::Filter,
            Action::FocusNext,
            Action::Export,
            Action::Back,
            Action::Help,
        ]
    }

    fn run_id(&self) -> Option<RunId> {
        match &self.source {
            MatrixSource::Experiment(one) | MatrixSource::Part(one, _) => one.run_id(),
            MatrixSource::Sessions(_) => None,
        }
    }

    fn select_turn(&mut self, address: TurnAddress) {
        match self.matrix.find_turn(&address) {
            Some(place) => self.go_to_cell(place),
            None => self.select_session(address.session),
        }
    }

    fn select_session(&mut self, session: SessionId) {
        let is_here = |at: usize| {
            let line = self.matrix.lines.get(at);
            line.is_some_and(|line| line.sessions.contains(&session))
        };
        // The cell that was opened is on its line already.
        if is_here(self.place().line) {
            return;
        }
        let mut lines = 0..self.matrix.lines.len();
        if let Some(line) = lines.find(|at| is_here(*at)) {
            self.lines.select_row(line);
        }
    }

    fn refresh(&mut self) -> Vec<Effect> {
        self.handle_open()
    }
}
