//! Experiments screen: runs, sweeps, passes and all other kinds, with how far each is and what it found.
//!
//! The list follows the store: an experiment that another process performs is watched as it goes on.

mod tasks;
mod view;

use super::places::Place;
use super::prompt_ab;
use crate::tui::app::{
    Command, DrawContext, Effect, Rereading, RunCommand, Screen, Ticket, Update, fail, say,
};
use crate::tui::keys::{Action, Context, ScreenKeys};
use crate::tui::popups::{Dialog, DialogAnswer};
use crate::tui::widgets::{FilterList, Moved, ScrollText, Typed};
use elenchus_game::debate::RunId;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::Standing;
use elenchus_run::drafts::{ceilings_line, read_ceilings};
use elenchus_run::experiments::{BackgroundTask, ExperimentFigures, ListedExperiment};
use elenchus_terminal::Paste;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
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
    open: Experiments::show,
};

/// Width of a page that is copied or paged.
const PAGE_WIDTH: usize = 80;

/// The experiments of a store.
#[derive(Default)]
pub(super) struct KnownExperiments {
    listed: Vec<ListedExperiment>,
    /// Why the others cannot be read.
    unreadable: Vec<String>,
}

/// The list of experiments, and the figures of one.
#[derive(Default)]
pub(crate) struct Experiments {
    known: Option<KnownExperiments>,
    /// Experiments by index.
    list: FilterList,
    reading: Rereading,
    /// Names the page that was opened last.
    pages: Ticket,
    page: Option<FiguresPage>,
    /// The ceilings under which an experiment goes on, while they are typed.
    asking: Option<Dialog<ListedExperiment>>,
}

/// Figures of an experiment, over the list.
struct FiguresPage {
    ticket: Ticket,
    of: ListedExperiment,
    /// `None` while they are computed for the first time.
    figures: Option<Result<Option<Arc<ExperimentFigures>>, String>>,
    text: ScrollText,
    computing: Rereading,
}

impl Experiments {
    /// Opens the list.
    pub(crate) fn show() -> Vec<Effect> {
        vec![Effect::Show(Box::new(Self::default()))]
    }

    fn listed(&self) -> &[ListedExperiment] {
        let known = self.known.as_ref();
        known.map_or(&[], |known| known.listed.as_slice())
    }

    /// Returns the experiment whose figures are shown, else the one under the cursor.
    fn here(&self) -> Option<&ListedExperiment> {
        match &self.page {
            Some(page) => Some(&page.of),
            None => self.listed().get(self.list.chosen()?),
        }
    }

    /// Lists what passes the filter; the cursor stays on its experiment where it can.
    fn arrange(&mut self, stood_on: Option<&str>) {
        let words = self.list.words();
        let fits = |one: &ListedExperiment| {
            let summary = &one.summary;
            let word = summary.standing.word();
            let text = format!("{} {} {word} {}", summary.id, summary.kind, summary.about);
            let text = text.to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let all = self.listed().iter().enumerate();
        let chosen = all
            .clone()
            .find(|(_, one)| Some(one.summary.id.as_str()) == stood_on);
        let chosen = chosen.map(|(at, _)| at);
        let listed = all.filter(|(_, one)| fits(one)).map(|(at, _)| at).collect();
        self.list.list(listed, chosen);
    }

    fn id_here(&self) -> Option<String> {
        self.here().map(|one| one.summary.id.clone())
    }

    fn open(&mut self) -> Vec<Effect> {
        let Some(of) = self.here().cloned() else {
            return say("there is no experiment to open");
        };
        if of.is_prompt_comparison() {
            // It has a screen of its own.
            return prompt_ab::show_report(of.summary.id);
        }
        self.pages.0 += 1;
        self.page = Some(FiguresPage {
            ticket: self.pages,
            of,
            figures: None,
            text: ScrollText::default(),
            computing: Rereading::default(),
        });
        self.compute()
    }

    /// Computes the figures that are shown, once at a time: that can take longer than an experiment stands
    /// still.
    fn compute(&mut self) -> Vec<Effect> {
        let Some(page) = &mut self.page else {
            return Vec::new();
        };
        let (ticket, of) = (page.ticket, page.of.clone());
        page.computing.begin(|| tasks::figures(ticket, of))
    }

    fn take_figures(
        &mut self,
        answered: Ticket,
        figures: Result<Option<Arc<ExperimentFigures>>, String>,
    ) -> Vec<Effect> {
        match &mut self.page {
            Some(page) if page.ticket == answered => {
                page.figures = Some(figures);
                page.text.changed();
                page.computing.end(Message::ComputeAgain)
            }
            Some(_) | None => Vec::new(),
        }
    }

    /// Takes in the list; figures of what has gone on since are computed again.
    fn take_list(&mut self, known: KnownExperiments) -> Vec<Effect> {
        let stood_on = self.id_here();
        self.known = Some(known);
        self.arrange(stood_on.as_deref());
        let Some(page) = &mut self.page else {
            return Vec::new();
        };
        let listed = self.known.iter().flat_map(|known| &known.listed);
        let mut same = listed.filter(|one| one.summary.id == page.of.summary.id);
        match same.next() {
            Some(now) if now.summary != page.of.summary => {
                page.of = now.clone();
                page.text.changed();
                self.compute()
            }
            Some(_) | None => Vec::new(),
        }
    }

    /// Goes on under the ceilings of a line, or says what it can hold.
    fn go_on_under(&mut self, one: ListedExperiment, line: &str) -> Vec<Effect> {
        let there = one.summary.ceilings;
        match read_ceilings(line, there) {
            Some(given) => go_on(one, given),
            None => {
                let why = format!("change the numbers of: {}", ceilings_line(there));
                self.asking = Some(ask_for_ceilings(one, line).refused(&why));
                Vec::new()
            }
        }
    }

    /// Goes on with an experiment; where a ceiling may have ended it, asks for ceilings first.
    fn go_on(&mut self) -> Vec<Effect> {
        let Some(one) = self.here().cloned() else {
            return say("there is no experiment to go on with");
        };
        if !one.goes_on() {
            return say("nothing of it is left to do");
        }
        let line = ceilings_line(one.summary.ceilings);
        match one.summary.standing {
            Standing::Paused(_) if !line.is_empty() => {
                self.asking = Some(ask_for_ceilings(one, &line));
                Vec::new()
            }
            Standing::Paused(_) | Standing::Unfinished | Standing::Completed => {
                go_on(one, Ceilings::default())
            }
        }
    }

    /// Returns what is copied: the figures that are shown, else the command that goes on.
    fn text(&self) -> Option<String> {
        match &self.page {
            Some(page) => match &page.figures {
                Some(Ok(Some(figures))) => Some(figures.to_text(PAGE_WIDTH)),
                Some(_) | None => None,
            },
            None => self.here().map(ListedExperiment::resume),
        }
    }
}

fn ask_for_ceilings(one: ListedExperiment, line: &str) -> Dialog<ListedExperiment> {
    Dialog::line("Under which ceilings?", "Enter goes on", line, one)
}

/// Goes on under ceilings that replace those of the experiment where they are given.
fn go_on(one: ListedExperiment, given: Ceilings) -> Vec<Effect> {
    let command = match one.run() {
        Some(run) => RunCommand::Play(BackgroundTask::Again(run, given)),
        None => RunCommand::Play(BackgroundTask::Other(Box::new(one), given)),
    };
    vec![Effect::Do(Command::Run(command))]
}

/// Result of a task of this screen.
pub enum Message {
    /// They are to be read again now.
    ReadAgain,
    Listed(Result<KnownExperiments, String>),
    /// The figures that are shown are to be computed again now.
    ComputeAgain,
    Figures(Ticket, Result<Option<Arc<ExperimentFigures>>, String>),
}

impl Update for Experiments {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Listed(listed) => {
                let mut effects = match listed {
                    Ok(known) => self.take_list(known),
                    Err(why) => fail(why),
                };
                effects.extend(self.reading.end(Message::ReadAgain));
                effects
            }
            Message::ReadAgain => self.opened(),
            Message::Figures(ticket, figures) => self.take_figures(ticket, figures),
            Message::ComputeAgain => self.compute(),
        }
    }
}

impl Screen for Experiments {
    fn context(&self) -> Context {
        Context::Experiments
    }

    fn opened(&mut self) -> Vec<Effect> {
        let known = self.listed().to_vec();
        self.reading.begin(|| tasks::list(known))
    }

    fn is_typing(&self) -> bool {
        self.asking.is_some() || self.list.is_typing()
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        let moved = match &mut self.page {
            Some(page) => page.text.act(action),
            None => self.list.act(action),
        };
        if moved == Moved::Yes {
            return Vec::new();
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back if self.page.take().is_some() => Vec::new(),
            Action::Back if self.list.clear() => {
                let stood_on = self.id_here();
                self.arrange(stood_on.as_deref());
                Vec::new()
            }
            Action::Back => vec![Effect::Leave],
            Action::Open if self.page.is_none() => self.open(),
            Action::Filter if self.page.is_none() => {
                self.list.type_filter();
                Vec::new()
            }
            Action::ResumeRun => self.go_on(),
            Action::Copy | Action::Pager => match (self.text(), action) {
                (None, _) => say("there is nothing to copy yet"),
                (Some(text), Action::Copy) => vec![Effect::Do(Command::Copy(text))],
                (Some(text), _) => vec![Effect::Do(Command::Page(text))],
            },
            Action::Interrupt => vec![Effect::Quit],
            _ => Vec::new(),
        }
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.asking.is_some() {
            return match Dialog::answer(&mut self.asking, key) {
                Some(DialogAnswer::Line(one, line)) => self.go_on_under(one, &line),
                Some(_) | None => Vec::new(),
            };
        }
        let stood_on = self.id_here();
        if self.list.key(key) == Typed::Changed {
            self.arrange(stood_on.as_deref());
        }
        Vec::new()
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        if let Some(dialog) = &mut self.asking {
            dialog.paste(&paste.text);
            return Vec::new();
        }
        if !self.list.is_typing() {
            return say("nothing is typed here; a filter takes text");
        }
        let stood_on = self.id_here();
        if self.list.paste(&paste.text) == Typed::Changed {
            self.arrange(stood_on.as_deref());
        }
        Vec::new()
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let cursor = self.paint(buffer, area, brush);
        match &self.asking {
            Some(dialog) => dialog.draw(area, buffer, brush),
            None => cursor,
        }
    }

    fn status(&self) -> String {
        match (&self.page, &self.known) {
            (Some(page), _) => page.of.summary.standing.word().to_owned(),
            (None, Some(known)) => {
                format!("{} of {} experiments", self.list.len(), known.listed.len())
            }
            (None, None) => "reading the experiments".to_owned(),
        }
    }

    fn hints(&self) -> Vec<Action> {
        let of_run = [Action::FirstUnsafe, Action::LabelSample];
        let of_run = of_run.into_iter().filter(|_| self.run().is_some());
        let goes_on = self.here().is_some_and(ListedExperiment::goes_on);
        let goes_on = [Action::ResumeRun].into_iter().filter(|_| goes_on);
        let own: &[Action] = match self.page {
            Some(_) => &[Action::Copy, Action::Pager],
            None => &[Action::Open, Action::Filter],
        };
        own.iter().copied().chain(goes_on).chain(of_run).collect()
    }

    fn run(&self) -> Option<RunId> {
        self.here()?.run()
    }

    fn refresh(&mut self) -> Vec<Effect> {
        self.opened()
    }
}
