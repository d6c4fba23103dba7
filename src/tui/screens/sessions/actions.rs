//! Actions and typed keys of the session list.

use super::Sessions;
use super::history::SessionChange;
use super::known_sessions::{SessionEntry, SessionOrigin};
use super::line_prompt::{FootPrompt, FootQuestion};
use super::search_hits;
use super::search_hits::SearchResults;
use super::selection::ListPick;
use crate::debate::SessionId;
use crate::tui::app::{Deed, Effect, ExportAs};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::screens::annotate::Annotate;
use crate::tui::screens::memory::Memory;
use crate::tui::screens::new_debate::NewDebate;
use crate::tui::screens::prompt_list::Prompts;
use crate::tui::screens::tree::Forks;
use crate::tui::screens::validate::Validate;
use crate::tui::terminal::Paste;
use crate::tui::theme::Role;
use crate::tui::widgets::{Moved, Typed};
use crate::workspace::Reopen;
use crate::workspace::annotations::Annotation;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use std::path::PathBuf;

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
                Some(deed) => vec![Effect::Do(deed)],
                None => say("nothing to undo"),
            },
            Action::Redo => match self.history.redo() {
                Some(deed) => vec![Effect::Do(deed)],
                None => say("nothing to redo"),
            },
            Action::Rename
            | Action::Tag
            | Action::Delete
            | Action::Export
            | Action::Mark
            | Action::Compare
            | Action::Fork
            | Action::Tree => match self.chosen().cloned() {
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
            Action::Tag => self.ask(FootPrompt::new(FootQuestion::Tag(id), "")),
            Action::Delete => match entry.origin {
                SessionOrigin::Store => {
                    vec![Effect::Do(self.history.change(SessionChange::Deleted(id)))]
                }
                SessionOrigin::Example => say(&format!(
                    "examples come with the program; {} on their heading folds them",
                    key_for(Context::Sessions, Action::Open)
                )),
            },
            Action::Export => self.ask(FootPrompt::export(id, ExportAs::Parcel)),
            Action::Mark => self.mark(id),
            Action::Compare => match &self.marked {
                None => say("mark the other session first, then compare it with this one"),
                Some(marked) if *marked == id => {
                    say("this is the marked session; choose another one to compare it with")
                }
                Some(marked) => vec![Effect::Compare(marked.clone(), id)],
            },
            Action::Fork => {
                self.forking = Some(id.clone());
                let fork = Deed::Fork {
                    parent: id,
                    reopen: Reopen::Nothing,
                    then: Vec::new(),
                };
                vec![
                    Effect::Do(fork),
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

    fn mark(&mut self, id: SessionId) -> Vec<Effect> {
        if self.marked.as_ref() == Some(&id) {
            self.marked = None;
            return say("unmarked");
        }
        self.marked = Some(id);
        say("marked: choose another session and compare")
    }

    /// Leaves what lies nearest; the list itself is left by quitting.
    fn back(&mut self) -> Vec<Effect> {
        if let Some(finds) = self.finds.take() {
            return if finds.is_on() {
                vec![Effect::Do(Deed::StopSearch)]
            } else {
                Vec::new()
            };
        }
        if !self.how.filter.is_empty() {
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

    /// Folds or unfolds the chosen heading: Left folds, Right unfolds, anything else turns it round.
    fn fold(&mut self, action: Action) -> Vec<Effect> {
        let Some(ListPick::Heading(group)) = self.view.pick().cloned() else {
            return Vec::new();
        };
        let folded = self.how.folded.remove(&group);
        let fold = match action {
            Action::Left => true,
            Action::Right => false,
            _ => !folded,
        };
        if fold {
            self.how.folded.insert(group);
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
                prompt.turn_form();
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
                self.finds = Some(SearchResults::new(text.clone()));
                vec![Effect::Do(Deed::SearchAll(text))]
            }
            FootQuestion::Rename(session) => self.rename(session, text),
            FootQuestion::Tag(session) => self.tag(session, &text),
            FootQuestion::Export(_, _) if text.is_empty() => say("an export needs a name"),
            FootQuestion::Export(session, form) => {
                self.exporting = true;
                vec![Effect::Do(Deed::Export(session, form, PathBuf::from(text)))]
            }
        }
    }

    fn rename(&mut self, session: SessionId, name: String) -> Vec<Effect> {
        let before = self
            .stock
            .entry(&session)
            .and_then(|entry| entry.name.clone());
        let after = (!name.is_empty()).then_some(name);
        if before == after {
            return Vec::new();
        }
        self.mark_down(Annotation::Named {
            session,
            name: after,
        })
    }

    fn mark_down(&mut self, mark: Annotation) -> Vec<Effect> {
        vec![Effect::Do(self.history.change(SessionChange::Marked(mark)))]
    }

    fn tag(&mut self, session: SessionId, text: &str) -> Vec<Effect> {
        let tags = self
            .stock
            .entry(&session)
            .map(|entry| entry.tags.as_slice());
        let has = |tag: &str| tags.unwrap_or_default().iter().any(|one| one == tag);
        let mark = match text.strip_prefix('-').map(str::trim) {
            Some(tag) if has(tag) => Annotation::Untagged {
                session,
                tag: tag.to_owned(),
            },
            Some(tag) => return say(&format!("it has no tag '{tag}'")),
            None if text.is_empty() || has(text) => return Vec::new(),
            None => Annotation::Tagged {
                session,
                tag: text.to_owned(),
            },
        };
        self.mark_down(mark)
    }

    /// Returns the actions worth a hint now, the most useful first.
    pub(super) fn useful(&self) -> Vec<Action> {
        if self.prompt.is_some() {
            // The line says itself what its keys do.
            return Vec::new();
        }
        if self.finds.is_some() {
            return vec![Action::Open, Action::Back, Action::SearchAll, Action::Help];
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

/// Says something that needs nothing to be done.
fn say(text: &str) -> Vec<Effect> {
    vec![Effect::Say(Role::Notice, text.to_owned())]
}
