//! Actions of the session list, and what is typed at its foot.

use super::{ListPurpose, ListQuestion, Message, Sessions};
use crate::tui::app::{Command, Effect, RunCommand, say_notice, show_screen};
use crate::tui::components::session_search::open_hit;
use crate::tui::keys::Action;
use crate::tui::popups::{FootPrompt, PromptKeyResult};
use crate::tui::screens::matrix::{MatrixSource, VerdictMatrix};
use crate::tui::screens::memory::Memory;
use crate::tui::screens::new_debate::NewDebate;
use crate::tui::screens::prompt_list::Prompts;
use crate::tui::screens::queues::Queues;
use crate::tui::screens::tree::Forks;
use crate::tui::screens::validate::Validate;
use crate::tui::theme::Role;
use crate::tui::widgets::{ListCursor, Moved};
use elenchus_records::workspace::Reopen;
use elenchus_records::workspace::rows::LookedAt;
use elenchus_view::session_browser::{Fold, ListPick};
use ratatui::crossterm::event::KeyEvent;

impl Sessions {
    /// Returns the cursor of what is listed.
    pub(super) fn list_cursor(&self) -> ListCursor {
        ListCursor::with_row(self.list.row_index(), self.list.row_count())
    }

    fn move_cursor(&mut self, action: Action) -> Moved {
        let mut cursor = self.list_cursor();
        let movement = cursor.handle_action(action);
        if movement == Moved::Yes {
            self.list.choose_row(cursor.selected_row().unwrap_or(0));
        }
        movement
    }

    /// Answers an action; the list is arranged.
    pub(super) fn handle_list_action(&mut self, action: Action) -> Vec<Effect> {
        if self.move_cursor(action) == Moved::Yes {
            return Vec::new();
        }
        if let Some(effects) = self.acts.handle_action(action, &self.list, self.content) {
            return effects;
        }
        let is_list = self.list.current_search().is_none();
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => return self.go_back(),
            Action::Open => return self.open_selected(),
            Action::FirstUnsafe => return self.open_first_unsafe(),
            Action::New => {
                let source = self.list.chosen_session();
                let source = source.filter(|entry| entry.unchangeable_reason().is_none());
                return NewDebate::show_form(source.map(|entry| entry.id.clone()));
            }
            Action::Memory => return Memory::show_namespace(None, None),
            Action::Matrix => {
                let source = MatrixSource::Sessions(self.list.marked_or_listed());
                return VerdictMatrix::show_debates(source);
            }
            Action::Validate => return Validate::show_validation(),
            Action::Annotate => return show_screen(Queues::default()),
            Action::Prompts => return Prompts::show_prompts(None),
            Action::Filter if is_list => {
                self.list.filter_by("");
                self.prompt = Some(FootPrompt::new(ListQuestion::Filter, ""));
            }
            Action::SearchAll => {
                let text = self.list.current_search().map_or("", |(text, _)| text);
                self.prompt = Some(FootPrompt::new(ListQuestion::SearchAll, text));
            }
            Action::Sort => self.list.sort_by_next(),
            Action::SortReverse => self.list.reverse_order(),
            Action::Group => self.list.group_by_next(),
            Action::Left if is_list => self.list.apply_fold(Fold::Away),
            Action::Right if is_list => self.list.apply_fold(Fold::Out),
            Action::Mark => self.list.toggle_mark(),
            Action::MarkAll => self.list.mark_all(),
            Action::UnmarkAll => self.list.unmark_all(),
            Action::Compare => {
                return match self.list.pair_to_compare() {
                    Ok((left, right)) => vec![Effect::Compare(left, right)],
                    Err(why) => say_notice(why),
                };
            }
            Action::Fork | Action::Tree => return self.handle_fork_action(action),
            _ => {}
        }
        Vec::new()
    }

    /// Forks the chosen session, or shows its forks.
    fn handle_fork_action(&self, action: Action) -> Vec<Effect> {
        let Some(id) = self.list.chosen_session().map(|entry| entry.id.clone()) else {
            return say_notice("choose a session first");
        };
        if action == Action::Tree {
            let forks = Forks::from_session(&id, self.list.known_sessions().annotations());
            return show_screen(forks);
        }
        let parent = id.clone();
        let to_message = |made| Message::Forked(parent, made);
        vec![
            Effect::fork_session(id, Reopen::Nothing, Vec::new(), to_message),
            Effect::Say(Role::Notice, "forking".to_owned()),
        ]
    }

    /// Leaves what lies nearest; the list of all sessions itself is left by quitting.
    fn go_back(&mut self) -> Vec<Effect> {
        if self.search.leave_search(&mut self.list) {
            return Vec::new();
        }
        match self.purpose {
            ListPurpose::All => self.list.filter_by(""),
            ListPurpose::Asked => return vec![Effect::Leave],
        }
        Vec::new()
    }

    fn open_selected(&mut self) -> Vec<Effect> {
        if self.list.current_search().is_some() {
            return self.list.chosen_hit().map(open_hit).into_iter().collect();
        }
        match self.list.pick() {
            Some(ListPick::Session(id)) => return vec![Effect::Open(id.clone(), None)],
            Some(ListPick::Heading(_)) => self.list.apply_fold(Fold::TurnRound),
            None => {}
        }
        Vec::new()
    }

    /// Opens the debate of the row where something unsafe was first said.
    fn open_first_unsafe(&mut self) -> Vec<Effect> {
        match self.list.chosen_session() {
            Some(entry) => {
                let look = RunCommand::FirstOf(LookedAt::Session(entry.id.clone()));
                vec![Effect::Do(Command::Run(look))]
            }
            None => say_notice("choose a debate: its first unsafe turn is opened"),
        }
    }

    /// Takes a key of the line at the foot.
    pub(super) fn handle_prompt_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        let is_filter = self.is_filtering();
        match FootPrompt::answer_key(&mut self.prompt, key) {
            PromptKeyResult::Changed => self.apply_filter(),
            PromptKeyResult::Left(ListQuestion::Filter) => self.list.filter_by(""),
            PromptKeyResult::Entered(ListQuestion::SearchAll, text) if !text.is_empty() => {
                return self
                    .search
                    .start_search(&mut self.list, text, Message::Search);
            }
            // The list can be walked through while it is filtered.
            PromptKeyResult::Moves(action) if is_filter => _ = self.move_cursor(action),
            PromptKeyResult::Left(ListQuestion::SearchAll) | PromptKeyResult::Entered(..) => {}
            PromptKeyResult::Stays | PromptKeyResult::Moves(_) | PromptKeyResult::Turns => {}
        }
        Vec::new()
    }

    pub(super) fn is_filtering(&self) -> bool {
        let prompt = self.prompt.as_ref();
        prompt.is_some_and(|prompt| prompt.purpose == ListQuestion::Filter)
    }

    /// The list follows a filter that is typed.
    pub(super) fn apply_filter(&mut self) {
        if let Some(prompt) = self.prompt.as_ref().filter(|_| self.is_filtering()) {
            self.list.filter_by(prompt.text());
        }
    }
}
