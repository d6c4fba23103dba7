//! Actions and typed keys of the session list.

use super::line_prompt::{FootPrompt, FootQuestion};
use super::search_hits::SearchHits;
use super::selection::ListPick;
use super::several::change;
use super::{Message, Sessions, search_hits, tasks};
use crate::terminal::Paste;
use crate::tui::app::{Effect, Screen, say};
use crate::tui::keys::Action;
use crate::tui::screens::annotate::Annotate;
use crate::tui::screens::memory::Memory;
use crate::tui::screens::new_debate::NewDebate;
use crate::tui::screens::prompt_list::Prompts;
use crate::tui::screens::tree::Forks;
use crate::tui::screens::validate::Validate;
use crate::tui::theme::Role;
use crate::tui::widgets::{Moved, Typed};
use crate::workspace::ExportAs;
use crate::workspace::Reopen;
use crate::workspace::session_browser::{ChangeCause, SessionEntry, SessionOrigin};
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use tokio_util::sync::CancellationToken;

impl Sessions {
    /// Answers an action; the list is arranged.
    pub(super) fn answer(&mut self, action: Action) -> Vec<Effect> {
        if let Some(finds) = &mut self.finds {
            if finds.rows.act(action) == Moved::Yes {
                return Vec::new();
            }
        } else if self.view.act(action, &self.stock) == Moved::Yes {
            return Vec::new();
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => self.back(),
            Action::Open => self.open(),
            Action::New => {
                let kept = self.chosen();
                let kept = kept.filter(|entry| entry.origin == SessionOrigin::Store);
                NewDebate::show(kept.map(|entry| entry.id.clone()))
            }
            Action::Memory => Memory::show(None, None),
            Action::Validate => Validate::show(),
            Action::Annotate => Annotate::show(None),
            Action::Prompts => Prompts::show(None),
            Action::Filter if self.finds.is_none() => {
                self.how.filter.clear();
                self.stale = true;
                self.ask(FootPrompt::new(FootQuestion::Filter, ""))
            }
            Action::SearchAll => {
                let text = self.finds.as_ref().map(|finds| finds.text.clone());
                self.ask(FootPrompt::new(
                    FootQuestion::SearchAll,
                    &text.unwrap_or_default(),
                ))
            }
            Action::Sort => {
                self.how.sort = self.how.sort.next();
                self.how.direction = self.how.sort.usual();
                self.rearranged()
            }
            Action::SortReverse => {
                self.how.direction = self.how.direction.turned();
                self.rearranged()
            }
            Action::Group => {
                self.how.group = self.how.group.next();
                self.rearranged()
            }
            Action::Left | Action::Right => self.fold(action),
            Action::Undo => match self.history.undo() {
                Some(changes) => change(ChangeCause::Undo, changes),
                None => say("nothing to undo"),
            },
            Action::Redo => match self.history.redo() {
                Some(changes) => change(ChangeCause::Redo, changes),
                None => say("nothing to redo"),
            },
            Action::Mark => self.mark(),
            Action::MarkAll => self.mark_all(),
            Action::UnmarkAll => {
                self.marks.clear();
                Vec::new()
            }
            Action::Compare => self.compare(),
            Action::Delete => self.delete(),
            Action::Rejudge => self.rejudge(),
            Action::RunToEnd => self.play_on(),
            Action::Tag | Action::Export if self.targets().is_empty() => {
                say("choose a session first")
            }
            Action::Tag => self.ask(FootPrompt::new(FootQuestion::Tag, "")),
            Action::Export => {
                let prompt = self.ask_export(ExportAs::Parcel);
                self.ask(prompt)
            }
            Action::Rename | Action::Fork | Action::Tree => match self.chosen().cloned() {
                Some(entry) => self.answer_on(action, &entry),
                None => say("choose a session first"),
            },
            _ => Vec::new(),
        }
    }

    /// Returns the session that actions are about.
    pub(super) fn chosen(&self) -> Option<&SessionEntry> {
        match &self.finds {
            Some(finds) => self.stock.entry(&finds.chosen()?.session),
            None => self.view.entry(&self.stock),
        }
    }

    fn answer_on(&mut self, action: Action, entry: &SessionEntry) -> Vec<Effect> {
        let id = entry.id.clone();
        match action {
            Action::Rename => {
                let name = entry.name.clone().unwrap_or_default();
                self.ask(FootPrompt::new(FootQuestion::Rename(id), &name))
            }
            Action::Fork => {
                let parent = id.clone();
                let made = |made| Message::Forked(parent, made);
                vec![
                    Effect::fork(id, Reopen::Nothing, Vec::new(), made),
                    Effect::Say(Role::Notice, "forking".to_owned()),
                ]
            }
            Action::Tree => {
                let forks = Forks::of(&id, self.stock.annotations());
                vec![Effect::Show(Box::new(forks))]
            }
            _ => Vec::new(),
        }
    }

    /// Leaves what lies nearest; the list itself is left by quitting.
    fn back(&mut self) -> Vec<Effect> {
        if self.finds.take().is_none() && !self.how.filter.is_empty() {
            self.how.filter.clear();
            self.stale = true;
        }
        Vec::new()
    }

    fn open(&mut self) -> Vec<Effect> {
        if let Some(finds) = &self.finds {
            return match finds.chosen() {
                Some(hit) => vec![Effect::Open(
                    hit.session.clone(),
                    Some(search_hits::place(hit)),
                )],
                None => Vec::new(),
            };
        }
        match self.view.pick() {
            Some(ListPick::Session(id)) => vec![Effect::Open(id.clone(), None)],
            Some(ListPick::Heading(_)) => self.fold(Action::Open),
            None => Vec::new(),
        }
    }

    /// Folds or unfolds the chosen heading, or the forks of the chosen session: Left folds, Right unfolds,
    /// anything else turns it round.
    fn fold(&mut self, action: Action) -> Vec<Effect> {
        match self.view.pick().cloned() {
            Some(ListPick::Heading(group)) => {
                let folded = self.how.folded.remove(&group);
                let fold = match action {
                    Action::Left => true,
                    Action::Right => false,
                    _ => !folded,
                };
                if fold {
                    self.how.folded.insert(group);
                }
            }
            Some(ListPick::Session(id)) => match (action, self.view.chosen_line()) {
                (Action::Left, Some((_, true))) => {
                    self.how.folded_forks.insert(id);
                }
                (Action::Left, Some((line, false))) if line.depth > 0 => {
                    let entry = self.stock.entry(&id);
                    if let Some(parent) = entry.and_then(SessionEntry::parent).cloned() {
                        self.view.choose(parent.clone());
                        self.how.folded_forks.insert(parent);
                    }
                }
                _ => {
                    self.how.folded_forks.remove(&id);
                }
            },
            None => {}
        }
        self.rearranged()
    }

    fn rearranged(&mut self) -> Vec<Effect> {
        self.stale = true;
        Vec::new()
    }

    fn ask(&mut self, prompt: FootPrompt) -> Vec<Effect> {
        self.prompt = Some(prompt);
        Vec::new()
    }

    /// Takes a key of the line that is asked for.
    pub(super) fn take_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.is_asking() {
            return self.answered(key);
        }
        let filtering = self.is_filtering();
        let Some(prompt) = &mut self.prompt else {
            return Vec::new();
        };
        match key.code {
            KeyCode::Esc => {
                self.prompt = None;
                if filtering {
                    self.how.filter.clear();
                    self.stale = true;
                }
                return Vec::new();
            }
            KeyCode::Enter => return self.entered(),
            KeyCode::Tab | KeyCode::BackTab => {
                if let FootQuestion::Export(form) | FootQuestion::ExportAll(_, form) = prompt.ask {
                    self.prompt = Some(self.ask_export(match form {
                        ExportAs::Parcel => ExportAs::Transcript,
                        ExportAs::Transcript => ExportAs::Parcel,
                    }));
                }
                return Vec::new();
            }
            // The list can be walked through while it is filtered.
            KeyCode::Up | KeyCode::Down | KeyCode::PageUp | KeyCode::PageDown if filtering => {
                let action = match key.code {
                    KeyCode::Up => Action::Up,
                    KeyCode::Down => Action::Down,
                    KeyCode::PageUp => Action::PageUp,
                    _ => Action::PageDown,
                };
                self.view.act(action, &self.stock);
                return Vec::new();
            }
            _ => {}
        }
        if prompt.line.key(key) == Typed::Changed {
            self.follow();
        }
        Vec::new()
    }

    /// Takes pasted text.
    pub(super) fn take_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        match &mut self.prompt {
            Some(prompt) => {
                prompt.line.paste(&paste.text);
                self.follow();
                Vec::new()
            }
            None => say("to debate a pasted text, begin a new debate and paste it there"),
        }
    }

    /// The list follows a filter that is typed.
    fn follow(&mut self) {
        if let Some(prompt) = &self.prompt
            && prompt.ask == FootQuestion::Filter
        {
            self.how.filter = prompt.line.text().to_owned();
            self.stale = true;
        }
    }

    /// Does what the line was asked for.
    fn entered(&mut self) -> Vec<Effect> {
        let Some(prompt) = self.prompt.take() else {
            return Vec::new();
        };
        let text = prompt.line.text().trim().to_owned();
        match prompt.ask {
            FootQuestion::Filter => Vec::new(),
            FootQuestion::SearchAll if text.is_empty() => Vec::new(),
            FootQuestion::SearchAll => {
                self.searches.0 += 1;
                let (ticket, stop) = (self.searches, CancellationToken::new());
                let finds = SearchHits::new(text.clone(), ticket, stop.clone());
                self.finds = Some(finds);
                vec![Effect::Start(tasks::search(ticket, text, stop))]
            }
            FootQuestion::Rename(session) => {
                let renamed = self.stock.name_change(session, &text);
                change(ChangeCause::Fresh, renamed.into_iter().collect())
            }
            FootQuestion::Tag => self.tag(&text),
            FootQuestion::Export(_) | FootQuestion::ExportAll(..) if text.is_empty() => {
                say("an export needs a name")
            }
            FootQuestion::Export(form) | FootQuestion::ExportAll(_, form) => {
                self.export(form, &text)
            }
        }
    }

    /// Returns the actions worth a hint now, the most useful first.
    pub(super) fn useful(&self) -> Vec<Action> {
        if self.is_typing() {
            // The question says itself what its keys do.
            return Vec::new();
        }
        if self.finds.is_some() {
            return vec![Action::Open, Action::Back, Action::SearchAll, Action::Help];
        }
        if !self.marks.is_empty() {
            return vec![
                Action::Tag,
                Action::Delete,
                Action::Export,
                Action::Rejudge,
                Action::RunToEnd,
                Action::Compare,
                Action::UnmarkAll,
                Action::Help,
            ];
        }
        vec![
            Action::New,
            Action::Open,
            Action::Filter,
            Action::SearchAll,
            Action::Help,
            Action::Sort,
            Action::Group,
            Action::Fork,
            Action::Tree,
            Action::Mark,
            Action::MarkAll,
            Action::Compare,
            Action::Rename,
            Action::Tag,
            Action::Delete,
            Action::Undo,
            Action::Export,
            Action::Quit,
        ]
    }
}
