//! Acts on the entries of a memory: written, edited, disabled, deleted, accepted, rejected, with undo. A text that is
//! written survives as a draft; a guardrail is never accepted without its over-refusal being said.

use super::drafted_text::{DraftedKey, DraftedText};
use crate::tui::app::{DrawContext, EditError, Effect, Task, keep_draft, say_error, say_notice};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::{Dialog, DialogAnswer};
use crate::tui::widgets::Content;
use elenchus_records::workspace::memory::{ChangedEntry, EntryAction, EntryChange};
use elenchus_records::workspace::{Draft, WorkspaceError};
use elenchus_run::engine::change_memory;
use elenchus_terminal::Paste;
use elenchus_view::memory::{EntryDraft, MemoryBrowser, WantedChange};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// Result of one of its tasks.
pub enum EntryActMessage {
    Changed(Result<Box<ChangedEntry>, WorkspaceError>),
    /// A text of an earlier time that was not used, and its place.
    DraftFound(String, Draft),
    /// A text came back from the person's own editor.
    Edited(EntryDraft, Result<String, EditError>),
}

/// The acts of one screen, whose messages wrap theirs.
pub(in crate::tui) struct EntryActs<M> {
    wrap: fn(EntryActMessage) -> M,
    /// Whether a guardrail is accepted.
    asking: Option<Dialog<EntryChange>>,
    writing: DraftedText<EntryDraft>,
}

impl<M: Send + 'static> EntryActs<M> {
    pub(in crate::tui) fn new(wrap: fn(EntryActMessage) -> M) -> Self {
        Self {
            wrap,
            asking: None,
            writing: DraftedText::default(),
        }
    }

    /// Answers an action on the chosen entry; `None` where it is no act.
    pub(in crate::tui) fn handle_action(
        &mut self,
        action: Action,
        memory: &mut MemoryBrowser,
        content: Content,
    ) -> Option<Vec<Effect>> {
        let change_result = match action {
            Action::AcceptGuardrail => match memory.propose_acceptance(content) {
                Ok((question, change)) => {
                    let title = "Accept this guardrail";
                    self.asking = Some(Dialog::new_confirm(title, &question, change));
                    return Some(Vec::new());
                }
                Err(why) => Err(why),
            },
            Action::AddEntry => {
                let draft = EntryDraft::Add(memory.kind());
                return Some(self.write_entry(memory, draft, ""));
            }
            Action::EditEntry | Action::EditOutside => match memory.build_edit_draft(content) {
                Ok((draft, text)) => {
                    return Some(match action {
                        Action::EditEntry => self.write_entry(memory, draft, &text),
                        _ => self.write_in_editor(draft, text),
                    });
                }
                Err(why) => Err(why),
            },
            Action::RejectGuardrail => memory.reject_guard(),
            Action::DisableEntry => memory.change_chosen(|entry| match entry.disabled {
                true => EntryAction::Enable,
                false => EntryAction::Disable,
            }),
            Action::DeleteEntry => memory.change_chosen(|entry| match entry.deleted {
                true => EntryAction::Restore,
                false => EntryAction::Delete,
            }),
            Action::Undo => memory.undo(),
            Action::Redo => memory.redo(),
            _ => return None,
        };
        Some(self.start_change(change_result))
    }

    /// Says whether keys are a text or answer a question.
    pub(in crate::tui) fn is_asking(&self) -> bool {
        self.asking.is_some() || self.writing.is_open()
    }

    /// Takes a key of the text or of the answer.
    pub(in crate::tui) fn handle_key(
        &mut self,
        key: KeyEvent,
        memory: &mut MemoryBrowser,
    ) -> Vec<Effect> {
        if self.writing.is_open() {
            return match self.writing.handle_key(key) {
                DraftedKey::Effects(effects) => effects,
                DraftedKey::Done(draft, text) => self.submit_text(memory, draft, text),
                DraftedKey::Outside(draft, text) => self.write_in_editor(draft, text),
            };
        }
        match Dialog::answer_key(&mut self.asking, key) {
            Some(DialogAnswer::Yes(change)) => {
                self.start_change(memory.request_change(change, None))
            }
            Some(_) => say_notice("it stays as it was"),
            None => Vec::new(),
        }
    }

    /// Types pasted text; `None` where no text is written.
    pub(in crate::tui) fn handle_paste(&mut self, paste: &Paste) -> Option<Vec<Effect>> {
        self.writing.handle_paste(paste)
    }

    /// Takes the result of a task. What was changed is to be read again by the screen.
    pub(in crate::tui) fn update(
        &mut self,
        message: EntryActMessage,
        memory: &mut MemoryBrowser,
    ) -> Vec<Effect> {
        match message {
            EntryActMessage::Changed(Ok(changed)) => match memory.finish_change(*changed) {
                Some((words, draft)) => {
                    let draft = draft.map(|place| keep_draft(place, String::new()));
                    draft.into_iter().chain(say_notice(words)).collect()
                }
                None => Vec::new(),
            },
            EntryActMessage::Changed(Err(why)) => match memory.cancel_change() {
                true => say_error(why),
                false => Vec::new(),
            },
            EntryActMessage::DraftFound(place, draft) => self.writing.handle_draft(&place, &draft),
            EntryActMessage::Edited(draft, Ok(text)) => self.submit_text(memory, draft, text),
            EntryActMessage::Edited(_, Err(why)) => say_error(why),
        }
    }

    /// Draws the text over an area, or the question; returns the cursor of the text.
    pub(in crate::tui) fn draw(
        &self,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        if let Some(ask) = &self.asking {
            ask.draw(area, buffer, context);
        }
        self.writing.draw(area, buffer, context)
    }

    fn write_entry(
        &mut self,
        memory: &MemoryBrowser,
        draft: EntryDraft,
        text: &str,
    ) -> Vec<Effect> {
        if let Err(why) = memory.loaded_namespace() {
            return say_notice(why);
        }
        let (place, wrap) = (memory.draft_place(&draft), self.wrap);
        let to_message = move |place, draft| wrap(EntryActMessage::DraftFound(place, draft));
        self.writing
            .open_text((draft.title(), text, draft), place, to_message)
    }

    fn write_in_editor(&self, draft: EntryDraft, text: String) -> Vec<Effect> {
        let wrap = self.wrap;
        let message = move |text| wrap(EntryActMessage::Edited(draft, text));
        vec![Effect::edit_outside(text, message)]
    }

    /// Submits a text: its draft is kept until the change is durable.
    fn submit_text(
        &mut self,
        memory: &mut MemoryBrowser,
        draft: EntryDraft,
        text: String,
    ) -> Vec<Effect> {
        let place = memory.draft_place(&draft);
        if text.trim().is_empty() {
            let disable = key_for(Context::Memory, Action::DisableEntry);
            return say_notice(format!(
                "the text is empty, so nothing was changed; {disable} keeps an entry from debates"
            ));
        }
        let mut effects = vec![keep_draft(place.clone(), text.clone())];
        effects.extend(match draft.parse_change(&text) {
            Ok(change) => self.start_change(memory.request_change(change, Some(place))),
            Err(why) => {
                // What was typed stays to be mended.
                let reopen_result = self
                    .writing
                    .reopen_text((draft.title(), &text, draft), place);
                say_notice(
                    reopen_result.map_or_else(|error| error.to_string(), |()| why.to_string()),
                )
            }
        });
        effects
    }

    /// Writes a change, or says why nothing is changed.
    fn start_change(&self, wanted: Result<WantedChange, WorkspaceError>) -> Vec<Effect> {
        let (wrap, wanted) = match wanted {
            Ok(wanted) => (self.wrap, wanted),
            Err(why) => return say_notice(why),
        };
        vec![Effect::Start(Task::new_stream(
            "change memory",
            move |services, replies| async move {
                let outcome = change_memory(&services.as_user().store, wanted).await;
                replies.send_message(wrap(EntryActMessage::Changed(outcome)));
            },
        ))]
    }
}
