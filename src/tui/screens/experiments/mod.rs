//! Experiments screen: runs, sweeps, passes and all other kinds, with how far each is and what it found.
//!
//! The list follows the store: an experiment that another process performs is watched as it goes on.

mod tasks;
mod view;

use super::prompt_ab;
use super::status_texts::said;
use crate::debate::RunId;
use crate::experiments::{ExperimentFigures, ListedExperiment};
use crate::tui::app::{Deed, DrawContext, Effect, RunDeed, Screen, Ticket, Told, Update};
use crate::tui::keys::{Action, Context};
use crate::tui::terminal::Paste;
use crate::tui::theme::Role;
use crate::tui::widgets::{FilterList, Moved, ScrollText, Typed, above_status};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

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
    ticket: Ticket,
    page: Option<FiguresPage>,
}

/// Figures of an experiment, over the list.
struct FiguresPage {
    of: ListedExperiment,
    /// `None` while they are computed for the first time.
    figures: Option<Result<Option<Arc<ExperimentFigures>>, String>>,
    text: ScrollText,
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
        self.page = Some(FiguresPage {
            of,
            figures: None,
            text: ScrollText::default(),
        });
        self.compute()
    }

    fn compute(&mut self) -> Vec<Effect> {
        let Some(page) = &self.page else {
            return Vec::new();
        };
        self.ticket.0 += 1;
        vec![Effect::Start(tasks::figures(self.ticket, page.of.clone()))]
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

    /// Goes on with an experiment that is no run: the workbench has its own ways for these.
    fn go_on(&self) -> Vec<Effect> {
        match self.here() {
            None => say("there is no experiment to go on with"),
            Some(one) if !one.goes_on() => say("nothing of it is left to do"),
            Some(one) => {
                let deed = RunDeed::GoOn(Box::new(one.clone()));
                vec![Effect::Do(Deed::Run(deed))]
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

fn say(text: &str) -> Vec<Effect> {
    vec![Effect::Say(Role::Notice, text.to_owned())]
}

/// Result of a task of this screen.
pub enum Message {
    Listed(Result<KnownExperiments, String>),
    Figures(Ticket, Result<Option<Arc<ExperimentFigures>>, String>),
}

impl Update for Experiments {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Listed(Ok(known)) => self.take_list(known),
            Message::Listed(Err(why)) => vec![Effect::Say(Role::Error, why)],
            Message::Figures(ticket, figures) => {
                if let Some(page) = &mut self.page
                    && ticket == self.ticket
                {
                    page.figures = Some(figures);
                    page.text.changed();
                }
                Vec::new()
            }
        }
    }
}

impl Screen for Experiments {
    fn context(&self) -> Context {
        Context::Experiments
    }

    fn opened(&mut self) -> Vec<Effect> {
        vec![Effect::Start(tasks::list())]
    }

    fn is_typing(&self) -> bool {
        self.list.is_typing()
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
                (Some(text), Action::Copy) => vec![Effect::Do(Deed::Copy(text))],
                (Some(text), _) => vec![Effect::Do(Deed::Page(text))],
            },
            Action::Interrupt => vec![Effect::Quit],
            _ => Vec::new(),
        }
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        let stood_on = self.id_here();
        if self.list.key(key) == Typed::Changed {
            self.arrange(stood_on.as_deref());
        }
        Vec::new()
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        if !self.list.is_typing() {
            return say("nothing is typed here; a filter takes text");
        }
        let stood_on = self.id_here();
        if self.list.paste(&paste.text) == Typed::Changed {
            self.arrange(stood_on.as_deref());
        }
        Vec::new()
    }

    fn told(&mut self, told: &Told) -> Vec<Effect> {
        said(told)
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.paint(buffer, above_status(area), brush)
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

    fn returned(&mut self) -> Vec<Effect> {
        self.opened()
    }
}
