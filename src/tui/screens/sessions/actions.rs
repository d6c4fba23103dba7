//! Actions of the session list, and what is typed at its foot.

use super::{ListQuestion, Message, Sessions};
use crate::tui::app::{Effect, say, show};
use crate::tui::components::session_search::open_hit;
use crate::tui::keys::Action;
use crate::tui::popups::{FootKey, FootPrompt};
use crate::tui::screens::memory::Memory;
use crate::tui::screens::new_debate::NewDebate;
use crate::tui::screens::prompt_list::Prompts;
use crate::tui::screens::queues::Queues;
use crate::tui::screens::tree::Forks;
use crate::tui::screens::validate::Validate;
use crate::tui::theme::Role;
use crate::tui::widgets::{ListCursor, Moved};
use elenchus_records::workspace::Reopen;
use elenchus_view::session_browser::{Fold, ListPick};
use ratatui::crossterm::event::KeyEvent;

impl Sessions {
    /// Returns the cursor of what is listed.
    pub(super) fn cursor(&self) -> ListCursor {
        ListCursor::at(self.list.row(), self.list.rows())
    }

    fn moved(&mut self, action: Action) -> Moved {
        let mut cursor = self.cursor();
        let moved = cursor.act(action);
        if moved == Moved::Yes {
            self.list.choose_row(cursor.chosen().unwrap_or(0));
        }
        moved
    }

    /// Answers an action; the list is arranged.
    pub(super) fn answer(&mut self, action: Action) -> Vec<Effect> {
        if self.moved(action) == Moved::Yes {
            return Vec::new();
        }
        if let Some(effects) = self.acts.act(action, &self.list, self.content) {
            return effects;
        }
        let is_list = self.list.searched().is_none();
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => self.back(),
            Action::Open => return self.open(),
            Action::New => {
                let kept = self.list.chosen();
                let kept = kept.filter(|entry| entry.why_not_changed().is_none());
                return NewDebate::show(kept.map(|entry| entry.id.clone()));
            }
            Action::Memory => return Memory::show(None, None),
            Action::Validate => return Validate::show(),
            Action::Annotate => return show(Queues::default()),
            Action::Prompts => return Prompts::show(None),
            Action::Filter if is_list => {
                self.list.filter_by("");
                self.prompt = Some(FootPrompt::new(ListQuestion::Filter, ""));
            }
            Action::SearchAll => {
                let text = self.list.searched().map_or("", |(text, _)| text);
                self.prompt = Some(FootPrompt::new(ListQuestion::SearchAll, text));
            }
            Action::Sort => self.list.sort_by_next(),
            Action::SortReverse => self.list.turn_order(),
            Action::Group => self.list.group_by_next(),
            Action::Left if is_list => self.list.fold(Fold::Away),
            Action::Right if is_list => self.list.fold(Fold::Out),
            Action::Mark => self.list.mark(),
            Action::MarkAll => self.list.mark_all(),
            Action::UnmarkAll => self.list.unmark_all(),
            Action::Compare => {
                return match self.list.pair() {
                    Ok((left, right)) => vec![Effect::Compare(left, right)],
                    Err(why) => say(why),
                };
            }
            Action::Fork | Action::Tree => return self.of_chosen(action),
            _ => {}
        }
        Vec::new()
    }

    /// Forks the chosen session, or shows its forks.
    fn of_chosen(&self, action: Action) -> Vec<Effect> {
        let Some(id) = self.list.chosen().map(|entry| entry.id.clone()) else {
            return say("choose a session first");
        };
        if action == Action::Tree {
            let forks = Forks::of(&id, self.list.known().annotations());
            return vec![Effect::Show(Box::new(forks))];
        }
        let parent = id.clone();
        let made = |made| Message::Forked(parent, made);
        vec![
            Effect::fork(id, Reopen::Nothing, Vec::new(), made),
            Effect::Say(Role::Notice, "forking".to_owned()),
        ]
    }

    /// Leaves what lies nearest; the list itself is left by quitting.
    fn back(&mut self) {
        if !self.search.leave(&mut self.list) {
            self.list.filter_by("");
        }
    }

    fn open(&mut self) -> Vec<Effect> {
        if self.list.searched().is_some() {
            return self.list.hit().map(open_hit).into_iter().collect();
        }
        match self.list.pick() {
            Some(ListPick::Session(id)) => return vec![Effect::Open(id.clone(), None)],
            Some(ListPick::Heading(_)) => self.list.fold(Fold::TurnRound),
            None => {}
        }
        Vec::new()
    }

    /// Takes a key of the line at the foot.
    pub(super) fn take_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        let is_filter = self.is_filtering();
        match FootPrompt::key(&mut self.prompt, key) {
            FootKey::Changed => self.follow(),
            FootKey::Left(ListQuestion::Filter) => self.list.filter_by(""),
            FootKey::Entered(ListQuestion::SearchAll, text) if !text.is_empty() => {
                return self.search.begin(&mut self.list, text, Message::Search);
            }
            // The list can be walked through while it is filtered.
            FootKey::Moves(action) if is_filter => _ = self.moved(action),
            FootKey::Left(ListQuestion::SearchAll) | FootKey::Entered(..) => {}
            FootKey::Stays | FootKey::Moves(_) | FootKey::Turns => {}
        }
        Vec::new()
    }

    pub(super) fn is_filtering(&self) -> bool {
        let prompt = self.prompt.as_ref();
        prompt.is_some_and(|prompt| prompt.of == ListQuestion::Filter)
    }

    /// The list follows a filter that is typed.
    pub(super) fn follow(&mut self) {
        if let Some(prompt) = self.prompt.as_ref().filter(|_| self.is_filtering()) {
            self.list.filter_by(prompt.text());
        }
    }
}
