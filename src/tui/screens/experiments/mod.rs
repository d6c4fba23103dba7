//! Experiments screen: runs, sweeps, passes and all other kinds, with how far each is and what it found.
//!
//! The list follows the store: an experiment that another process performs is watched as it goes on.

mod figures_pane;
mod list;
mod tasks;
mod view;

use super::matrix::{MatrixSource, VerdictMatrix};
use super::places::Place;
use super::prompt_ab;
use super::side_by_side::SideBySide;
use crate::tui::app::{
    Command, DrawContext, Effect, Rereading, RunCommand, Screen, Ticket, Update, say_error,
    say_notice, show_screen,
};
use crate::tui::components::shown_writing::{PageWritten, ShownContent, ShownForm, ShownWriting};
use crate::tui::keys::{Action, Context, ScreenKeys};
use crate::tui::popups::{Dialog, DialogAnswer};
use crate::tui::widgets::{FilterList, Moved, Typed};
use elenchus_game::debate::RunId;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_html::Subject;
use elenchus_records::workspace::{Standing, WorkspaceError};
use elenchus_run::drafts::{format_ceilings, parse_ceilings};
use elenchus_run::experiments::{
    Activity, BackgroundTask, ExperimentColumn, ExperimentFigures, ExperimentLines,
    ListedExperiment,
};
use elenchus_terminal::Paste;
use figures_pane::FiguresPane;
use list::{ComputedFigures, KnownFigures};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How the screen is reached from everywhere.
pub(super) const PLACE: Place = Place {
    keys: &ScreenKeys {
        key: "6",
        name: "experiments",
        action: "show-experiments",
        label: "runs, experiments",
        help: "Go to the experiments: runs, sweeps, passes, comparisons.",
        own: &[],
    },
    context: Context::Experiments,
    open: Experiments::show_experiments,
};

/// The experiments of a store.
#[derive(Default)]
pub(super) struct KnownExperiments {
    experiments: Vec<ListedExperiment>,
    /// Why the others cannot be read.
    unreadable: Vec<String>,
    /// Columns that a configuration names; none where the width says which.
    columns: Vec<ExperimentColumn>,
}

/// The list of experiments, and the figures of one.
#[derive(Default)]
pub(crate) struct Experiments {
    known: Option<KnownExperiments>,
    /// Lines by index.
    list: FilterList,
    lines: ExperimentLines,
    /// Ids of those that are marked.
    marks: BTreeSet<String>,
    /// What experiments have come to, for the list.
    figures: KnownFigures,
    /// Figures for the list are being computed.
    is_computing: bool,
    reading: Rereading,
    /// Names the page that was opened last.
    pages: Ticket,
    page: Option<FiguresPane>,
    /// The ceilings under which an experiment goes on, while they are typed.
    asking: Option<Dialog<ListedExperiment>>,
    shown_writing: ShownWriting,
}

impl Experiments {
    /// Opens the list.
    pub(crate) fn show_experiments() -> Vec<Effect> {
        show_screen(Self::default())
    }

    /// Returns the experiment whose figures are shown, else the one under the cursor.
    fn selected_experiment(&self) -> Option<&ListedExperiment> {
        match &self.page {
            Some(page) => Some(&page.experiment),
            None => self.chosen_experiment(),
        }
    }

    fn selected_id(&self) -> Option<String> {
        self.selected_experiment().map(|one| one.summary.id.clone())
    }

    fn open_figures(&mut self) -> Vec<Effect> {
        let Some(of) = self.selected_experiment().cloned() else {
            return say_notice("there is no experiment to open");
        };
        if of.is_prompt_comparison() {
            // It has a screen of its own.
            return prompt_ab::show_report(of.summary.id);
        }
        self.pages.0 += 1;
        self.page = Some(FiguresPane::new(self.pages, of));
        self.compute_figures()
    }

    /// Shows the verdicts of its debates.
    fn show_matrix(&self) -> Vec<Effect> {
        match self.selected_experiment() {
            None => say_notice("there is no experiment to show verdicts of"),
            Some(one) if !one.has_rows() => {
                say_notice("experiments of this kind play no debates of their own")
            }
            Some(one) => {
                let source = MatrixSource::Experiment(Box::new(one.clone()));
                VerdictMatrix::show_debates(source)
            }
        }
    }

    /// Shows the verdicts of the debates that the line of the page is about; of a line about none, the arms of what is
    /// shown.
    fn open_line(&self) -> Vec<Effect> {
        let Some(page) = &self.page else {
            return Vec::new();
        };
        match page.selected_part() {
            Some(part) => {
                let source = MatrixSource::Part(Box::new(page.experiment.clone()), part);
                VerdictMatrix::show_debates(source)
            }
            None if page.experiment.has_arms() => self.show_arms_of_page(),
            None => say_notice("this line is about no debates: there is nothing to open"),
        }
    }

    /// Puts the arms of what is shown side by side, where it has several.
    fn show_arms_of_page(&self) -> Vec<Effect> {
        let page = self.page.as_ref();
        match page
            .map(|page| &page.experiment)
            .filter(|one| one.has_arms())
        {
            Some(one) => SideBySide::show_arms(vec![one.clone()]),
            None => say_notice("it has one arm: mark it and others in the list to compare them"),
        }
    }

    /// Computes the figures that are shown, once at a time: that can take longer than an experiment stands
    /// still.
    fn compute_figures(&mut self) -> Vec<Effect> {
        let Some(page) = &mut self.page else {
            return Vec::new();
        };
        let (ticket, of) = (page.ticket, page.experiment.clone());
        page.computing
            .start_read(|| tasks::compute_figures(ticket, of))
    }

    fn take_figures(
        &mut self,
        answered: Ticket,
        figures: Result<Option<Arc<ExperimentFigures>>, WorkspaceError>,
    ) -> Vec<Effect> {
        match &mut self.page {
            Some(page) if page.ticket == answered => {
                page.take_figures(figures);
                page.computing.finish_read(Message::ComputeAgain)
            }
            Some(_) | None => Vec::new(),
        }
    }

    /// Takes in the list; figures of what has gone on since are computed again.
    fn take_list(&mut self, known: KnownExperiments) -> Vec<Effect> {
        let cursor_id = self.selected_id();
        self.known = Some(known);
        self.drop_stale_marks();
        self.apply_filter(cursor_id.as_deref());
        let mut effects = self.compute_listed_figures();
        let Some(page) = &mut self.page else {
            return effects;
        };
        let experiments = self.known.iter().flat_map(|known| &known.experiments);
        let mut same = experiments.filter(|one| one.summary.id == page.experiment.summary.id);
        match same.next() {
            Some(now) if page.take_experiment(now) => {
                effects.extend(self.compute_figures());
                effects
            }
            Some(_) | None => effects,
        }
    }

    /// Goes on under the ceilings of a line, or says what it can hold.
    fn resume_with_ceilings(&mut self, one: ListedExperiment, line: &str) -> Vec<Effect> {
        let there = one.summary.ceilings;
        match parse_ceilings(line, there) {
            Some(given) => resume_experiment(one, given),
            None => {
                let why = format!("change the numbers of: {}", format_ceilings(there));
                self.asking = Some(ask_for_ceilings(one, line).with_fault(&why));
                Vec::new()
            }
        }
    }

    /// Goes on with an experiment; where a ceiling may have ended it, asks for ceilings first.
    fn resume_selected(&mut self) -> Vec<Effect> {
        let Some(one) = self.selected_experiment().cloned() else {
            return say_notice("there is no experiment to go on with");
        };
        if !one.can_resume() {
            return say_notice("nothing of it is left to do");
        }
        let line = format_ceilings(one.summary.ceilings);
        match one.summary.standing {
            Standing::Paused(_) if !line.is_empty() => {
                self.asking = Some(ask_for_ceilings(one, &line));
                Vec::new()
            }
            Standing::Paused(_) | Standing::Unfinished | Standing::Completed => {
                resume_experiment(one, Ceilings::default())
            }
        }
    }

    /// Asks in which form to write what is marked in the list, else the experiment under the cursor.
    fn ask_form(&mut self) -> Vec<Effect> {
        let chosen: Vec<ListedExperiment> = match (&self.page, self.marks.is_empty()) {
            // The oldest first: the others are compared with it.
            (None, false) => {
                let all = self.experiments().iter().rev();
                let marked = all.filter(|one| self.marks.contains(&one.summary.id));
                marked.cloned().collect()
            }
            (Some(_), _) | (None, true) => {
                self.selected_experiment().cloned().into_iter().collect()
            }
        };
        let figures = self.page.as_ref().and_then(FiguresPane::text);
        let figures = figures.map(|text| ShownForm {
            what: "the figures as text",
            file: format!("elenchus-{}.txt", self.selected_id().unwrap_or_default()),
            content: ShownContent::Text(text, Vec::new()),
        });
        self.shown_writing
            .ask_form_of(&chosen, figures.into_iter().collect())
    }

    /// Returns what is copied: the figures that are shown, else the command that goes on.
    fn text_to_copy(&self) -> Option<String> {
        match &self.page {
            Some(page) => page.text(),
            None => self
                .selected_experiment()
                .map(ListedExperiment::resume_command),
        }
    }
}

fn ask_for_ceilings(one: ListedExperiment, line: &str) -> Dialog<ListedExperiment> {
    Dialog::new_line_prompt("Under which ceilings?", "Enter goes on", line, one)
}

/// Goes on under ceilings that replace those of the experiment where they are given.
fn resume_experiment(one: ListedExperiment, ceilings: Ceilings) -> Vec<Effect> {
    let command = match one.run_id() {
        Some(run) => RunCommand::Play(BackgroundTask::Resume(run, ceilings)),
        None => RunCommand::Play(BackgroundTask::Other(Box::new(one), ceilings)),
    };
    vec![Effect::Do(Command::Run(command))]
}

/// Result of a task of this screen.
pub enum Message {
    /// They are to be read again now.
    ReadAgain,
    Listed(Result<KnownExperiments, WorkspaceError>),
    /// What some of the list have come to.
    ListedFigures(ComputedFigures),
    /// The figures that are shown are to be computed again now.
    ComputeAgain,
    Figures(
        Ticket,
        Result<Option<Arc<ExperimentFigures>>, WorkspaceError>,
    ),
    PageWritten(PageWritten),
}

impl Update for Experiments {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Listed(listed) => {
                let mut effects = match listed {
                    Ok(known) => self.take_list(known),
                    Err(why) => say_error(why),
                };
                effects.extend(self.reading.finish_read(Message::ReadAgain));
                effects
            }
            Message::ReadAgain => self.handle_open(),
            Message::ListedFigures(computed) => self.take_listed_figures(computed),
            Message::Figures(ticket, figures) => self.take_figures(ticket, figures),
            Message::ComputeAgain => self.compute_figures(),
            Message::PageWritten(written) => written.say(),
        }
    }
}

impl Screen for Experiments {
    fn key_context(&self) -> Context {
        Context::Experiments
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        let experiments = self.experiments().to_vec();
        self.reading
            .start_read(|| tasks::read_experiment_list(experiments))
    }

    fn is_typing(&self) -> bool {
        self.asking.is_some() || self.shown_writing.is_asking() || self.list.is_typing()
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        match &mut self.page {
            Some(page) => {
                if page.handle_action(action) == Moved::Yes {
                    return Vec::new();
                }
            }
            None => {
                if let Some(effects) = self.handle_list_action(action) {
                    return effects;
                }
            }
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back if self.page.take().is_some() => Vec::new(),
            Action::Back if self.list.clear_filter() => {
                let cursor_id = self.selected_id();
                self.apply_filter(cursor_id.as_deref());
                Vec::new()
            }
            Action::Back => vec![Effect::Leave],
            Action::Open => match &mut self.page {
                None => self.open_figures(),
                Some(page) => match page.toggle_part() {
                    true => Vec::new(),
                    false => self.open_line(),
                },
            },
            Action::Filter if self.page.is_none() => {
                let cursor_id = self.selected_id();
                self.list.type_filter();
                self.apply_filter(cursor_id.as_deref());
                Vec::new()
            }
            Action::Matrix => self.show_matrix(),
            Action::CompareRuns => self.show_arms_of_page(),
            Action::ResumeRun => self.resume_selected(),
            Action::Export => self.ask_form(),
            Action::Copy | Action::Pager => match (self.text_to_copy(), action) {
                (None, _) => say_notice("there is nothing to copy yet"),
                (Some(text), Action::Copy) => vec![Effect::Do(Command::Copy(text))],
                (Some(text), _) => vec![Effect::Do(Command::Page(text))],
            },
            _ => Vec::new(),
        }
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.asking.is_some() {
            return match Dialog::answer_key(&mut self.asking, key) {
                Some(DialogAnswer::Line(one, line)) => self.resume_with_ceilings(one, &line),
                Some(_) | None => Vec::new(),
            };
        }
        if self.shown_writing.is_asking() {
            return self.shown_writing.handle_key(key, Message::PageWritten);
        }
        let cursor_id = self.selected_id();
        if self.list.handle_key(key) == Typed::Changed {
            self.apply_filter(cursor_id.as_deref());
        }
        Vec::new()
    }

    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        if let Some(dialog) = &mut self.asking {
            dialog.paste_text(&paste.text);
            return Vec::new();
        }
        if self.shown_writing.is_asking() {
            self.shown_writing.paste_text(&paste.text);
            return Vec::new();
        }
        if !self.list.is_typing() {
            return say_notice("nothing is typed here; a filter takes text");
        }
        let cursor_id = self.selected_id();
        if self.list.paste_text(&paste.text) == Typed::Changed {
            self.apply_filter(cursor_id.as_deref());
        }
        Vec::new()
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let cursor = self.draw_experiments(buffer, area, context);
        match &self.asking {
            Some(dialog) => dialog.draw(area, buffer, context),
            None if self.shown_writing.is_asking() => {
                self.shown_writing.draw(area, buffer, context)
            }
            None => cursor,
        }
    }

    fn describe_status(&self) -> String {
        match &self.page {
            Some(page) => page.experiment.activity_word().to_owned(),
            None => self.describe_list(),
        }
    }

    fn list_hints(&self) -> Vec<Action> {
        let of_run = [Action::FirstUnsafe, Action::LabelSample];
        let of_run = of_run.into_iter().filter(|_| self.run_id().is_some());
        let goes_on = self
            .selected_experiment()
            .is_some_and(|one| one.can_resume() && one.activity() != Activity::GoesOn);
        let goes_on = [Action::ResumeRun].into_iter().filter(|_| goes_on);
        let own: &[Action] = match &self.page {
            Some(page) if page.experiment.has_arms() => {
                &[Action::CompareRuns, Action::Copy, Action::Pager]
            }
            Some(_) => &[Action::Open, Action::Copy, Action::Pager],
            None => &[
                Action::Open,
                Action::Filter,
                Action::Mark,
                Action::CompareRuns,
            ],
        };
        let selected = self.selected_experiment();
        let has_rows = selected.is_some_and(ListedExperiment::has_rows);
        let has_page = selected.is_some_and(|one| Subject::from_experiment(one).is_some());
        let of_debates = [(Action::Matrix, has_rows), (Action::Export, has_page)];
        let of_debates = of_debates.into_iter().filter(|(_, is_there)| *is_there);
        let own = own
            .iter()
            .copied()
            .chain(of_debates.map(|(action, _)| action));
        // What is left to do comes first: a narrow line has no room for all.
        goes_on.chain(own).chain(of_run).collect()
    }

    fn run_id(&self) -> Option<RunId> {
        self.selected_experiment()?.run_id()
    }

    fn refresh(&mut self) -> Vec<Effect> {
        self.handle_open()
    }

    fn watches_process(&self) -> bool {
        let known = self.known.iter().flat_map(|known| &known.experiments);
        let mut shown = known.chain(self.page.iter().map(|page| &page.experiment));
        shown.any(|one| one.activity() == Activity::GoesOn)
    }
}
