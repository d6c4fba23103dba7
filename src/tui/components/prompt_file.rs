//! File of a prompt that is edited: the text in use is read, watched, saved and pinned, and what must be asked
//! before is asked. What is written meanwhile is held by its screen.

use crate::tui::app::{Effect, Replies, Services, Task, say_error, say_notice, say_warning};
use crate::tui::popups::{Dialog, DialogAnswer};
use crate::tui::widgets::DrawContext;
use elenchus_records::workspace::prompts::{
    Acceptance, KeptBecause, Pin, PromptName, PromptText, SaveFault, Saved, TextFault,
    accept_prompt, pin_of, prepare_acceptance, read_prompt, save_prompt, watch_prompt,
};
use elenchus_records::workspace::{FolderWatch, Hash, Result as Read, WorkspaceError};
use elenchus_run::drafts::prompt_edit::{OutsideChange, PromptEdit};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// Result of a task of the file.
pub(in crate::tui) enum FileMessage {
    Opened(Result<Arc<PromptText>, WorkspaceError>),
    Watched(FolderWatch),
    /// The file was written, moved or removed: what is used now.
    Changed(Result<Arc<PromptText>, WorkspaceError>),
    Saved(Result<Saved, SaveFault>),
    /// Pin of the prompt in its game, if there is one.
    Pinned(Option<Pin>),
    Acceptance(Result<Arc<Acceptance>, WorkspaceError>),
    Accepted(Result<Arc<Acceptance>, WorkspaceError>),
}

/// What a message means to the text that is written.
pub(in crate::tui) enum FileNews {
    Nothing,
    /// This is the text to be edited.
    Opened(Arc<PromptText>),
    /// Another program has put this text in its place.
    Reread(Arc<PromptText>),
    /// It was saved as this text.
    Saved(Arc<PromptText>),
    /// It is compared with another text from now on.
    ComparedAnew,
    /// It cannot be used.
    Refused(TextFault),
}

/// What is asked for.
enum Question {
    /// Whether the game pins the changed text.
    Accept(Arc<Acceptance>),
    /// Whether another program's change is written over.
    WriteOver(Box<PromptText>),
}

/// The file; `M` is what its screen is told.
pub(in crate::tui) struct PromptFile<M> {
    pub edit: PromptEdit,
    wrap: fn(FileMessage) -> M,
    /// Reports when the file is changed by another program.
    watch: Option<FolderWatch>,
    dialog: Option<Dialog<Question>>,
}

impl<M: Send + 'static> PromptFile<M> {
    pub(in crate::tui) fn new(name: PromptName, wrap: fn(FileMessage) -> M) -> Self {
        Self {
            edit: PromptEdit::new(name),
            wrap,
            watch: None,
            dialog: None,
        }
    }

    /// Reads the text in use and its pin, and asks for reports of changes by other programs.
    pub(in crate::tui) fn read_and_watch(&self) -> Vec<Effect> {
        let open = self.start_task("open a prompt", |services, name, tell| {
            let read = read_prompt(&services.library, name).map(Arc::new);
            tell(FileMessage::Opened(read));
            tell(read_pin(services, name));
        });
        vec![open, self.watch_file()]
    }

    fn watch_file(&self) -> Effect {
        let (name, wrap) = (self.edit.name.clone(), self.wrap);
        let watch = move |services: &Services, replies: &Replies<M>| {
            let tell = replies.clone();
            let send_change = move |now: Read<PromptText>| {
                let now = now.map(Arc::new);
                tell.send_message(wrap(FileMessage::Changed(now)));
            };
            // Without a watch, saving finds out all the same.
            if let Ok(watch) = watch_prompt(services.library.clone(), name, send_change) {
                replies.send_message(wrap(FileMessage::Watched(watch)));
            }
        };
        Effect::Start(new_blocking_stream("watch a prompt", watch))
    }

    /// Saves a text, where it is not the one in use.
    pub(in crate::tui) fn save_text(&self, text: String) -> Vec<Effect> {
        match self.edit.to_save() {
            Ok(version) => self.overwrite(version, text),
            Err(why) => say_notice(why),
        }
    }

    /// Makes a text the one in use, in place of a version.
    fn overwrite(&self, version: Hash, text: String) -> Vec<Effect> {
        vec![
            self.start_task("save a prompt", move |services, name, tell| {
                tell(FileMessage::Saved(save_to_folder(
                    services, name, &version, &text,
                )));
                tell(read_pin(services, name));
            }),
        ]
    }

    /// Reads what pinning the text in use would change, before it is asked.
    pub(in crate::tui) fn read_acceptance(&self) -> Vec<Effect> {
        if let Some(why) = self.edit.nothing_to_accept() {
            return say_notice(why);
        }
        let name = "compare a prompt with its pin";
        vec![self.start_task(name, |services, name, tell| {
            let acceptance_result =
                prepare_acceptance(&services.store, &services.library, name, None);
            let acceptance_result = acceptance_result.map(Arc::new);
            tell(FileMessage::Acceptance(acceptance_result));
        })]
    }

    fn pin_text(&self, what: Arc<Acceptance>) -> Vec<Effect> {
        vec![self.start_task("pin a prompt", |services, name, tell| {
            let accept_result =
                accept_prompt(&services.as_user().store, name, &what).map(|()| what);
            tell(FileMessage::Accepted(accept_result));
            tell(read_pin(services, name));
        })]
    }

    /// Work on the prompt that blocks, with any number of messages.
    fn start_task(
        &self,
        title: &'static str,
        work: impl FnOnce(&Services, &PromptName, &dyn Fn(FileMessage)) + Send + 'static,
    ) -> Effect {
        let (name, wrap) = (self.edit.name.clone(), self.wrap);
        Effect::Start(new_blocking_stream(title, move |services, replies| {
            work(services, &name, &|message| {
                replies.send_message(wrap(message))
            });
        }))
    }

    /// Takes in what came of a task, and says it.
    pub(in crate::tui) fn update(&mut self, message: FileMessage) -> (FileNews, Vec<Effect>) {
        let effects = match message {
            FileMessage::Opened(Ok(text)) => return self.open_text(text),
            FileMessage::Opened(Err(why)) => {
                self.edit.close(why.to_string());
                say_error(why)
            }
            FileMessage::Watched(watch) => {
                self.watch = Some(watch);
                Vec::new()
            }
            FileMessage::Changed(Ok(now)) => return self.handle_outside_change(now),
            FileMessage::Changed(Err(why)) => {
                say_error(format!("{why}; the text that was read last is still here"))
            }
            FileMessage::Saved(Ok(saved)) => {
                let mut effects = say_notice(self.edit.take_save(&saved));
                // Its folder may not have been there before.
                effects.insert(0, self.watch_file());
                return (FileNews::Saved(Arc::new(saved.now)), effects);
            }
            FileMessage::Saved(Err(fault)) => return self.handle_save_fault(fault),
            FileMessage::Pinned(pin) => {
                self.edit.pin = pin;
                Vec::new()
            }
            FileMessage::Acceptance(Ok(acceptance)) => {
                let (question, accept) =
                    (acceptance.format_question(), Question::Accept(acceptance));
                self.dialog = Some(Dialog::new_confirm("Accept", &question, accept));
                Vec::new()
            }
            FileMessage::Acceptance(Err(why)) => say_error(why),
            FileMessage::Accepted(Ok(done)) => say_notice(format!(
                "accepted, and pinned in {}: the game can be played with it",
                done.file.display()
            )),
            FileMessage::Accepted(Err(why)) => say_error(format!("not accepted: {why}")),
        };
        (FileNews::Nothing, effects)
    }

    fn open_text(&mut self, text: Arc<PromptText>) -> (FileNews, Vec<Effect>) {
        self.edit.open_text(&text);
        (FileNews::Opened(text), Vec::new())
    }

    fn handle_outside_change(&mut self, now: Arc<PromptText>) -> (FileNews, Vec<Effect>) {
        match self.edit.take_outside_change(&now) {
            OutsideChange::Opens => self.open_text(now),
            OutsideChange::Nothing => (FileNews::Nothing, Vec::new()),
            OutsideChange::Gone(words) => (FileNews::ComparedAnew, say_warning(words)),
            OutsideChange::Both(words) => (FileNews::Nothing, say_warning(words)),
            OutsideChange::Reread => {
                let effects = say_notice("the file was changed, and read again");
                (FileNews::Reread(now), effects)
            }
        }
    }

    fn handle_save_fault(&mut self, fault: SaveFault) -> (FileNews, Vec<Effect>) {
        match fault {
            SaveFault::ChangedMeanwhile(theirs) => {
                let question = theirs.question_to_write_over();
                let theirs = Question::WriteOver(theirs);
                self.dialog = Some(Dialog::new_confirm("Changed meanwhile", &question, theirs));
                (FileNews::Nothing, Vec::new())
            }
            SaveFault::Text(fault) => {
                let text = format!("not saved, and nothing else is changed: {fault}");
                (FileNews::Refused(fault), say_error(text))
            }
            SaveFault::Driver(why) => {
                let text = format!("not saved: {why}; your text is still here");
                (FileNews::Nothing, say_error(text))
            }
        }
    }

    /// Says whether something is asked: keys are its answer then.
    pub(in crate::tui) fn is_asking(&self) -> bool {
        self.dialog.is_some()
    }

    /// Takes a key of an answer; `text` is what is written.
    pub(in crate::tui) fn handle_key(
        &mut self,
        key: KeyEvent,
        text: impl FnOnce() -> String,
    ) -> Vec<Effect> {
        match Dialog::answer_key(&mut self.dialog, key) {
            Some(DialogAnswer::Yes(Question::Accept(acceptance))) => self.pin_text(acceptance),
            Some(DialogAnswer::Yes(Question::WriteOver(theirs))) => {
                self.overwrite(theirs.overview.hash, text())
            }
            Some(DialogAnswer::Left(Question::Accept(_))) => {
                say_notice("nothing is accepted; the game refuses to be played with this text")
            }
            Some(DialogAnswer::Left(Question::WriteOver(_))) => {
                say_notice("nothing was written; your text is still here")
            }
            // Both are answered by yes or no.
            Some(DialogAnswer::Line(..) | DialogAnswer::Item(..)) | None => Vec::new(),
        }
    }

    pub(in crate::tui) fn draw_dialog(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.dialog.as_ref()?.draw(area, buffer, context)
    }
}

fn new_blocking_stream<M: Send + 'static>(
    title: &'static str,
    work: impl FnOnce(&Services, &Replies<M>) + Send + 'static,
) -> Task {
    Task::new_stream(title, |services, replies| async move {
        // What panicked has no more messages; the panic itself is in the log.
        let _ = tokio::task::spawn_blocking(move || work(&services, &replies)).await;
    })
}

fn read_pin(services: &Services, name: &PromptName) -> FileMessage {
    // A game that cannot be read says so when its text is rendered.
    FileMessage::Pinned(pin_of(&services.library, name).ok().flatten())
}

fn save_to_folder(
    services: &Services,
    name: &PromptName,
    opened: &Hash,
    text: &str,
) -> Result<Saved, SaveFault> {
    let Some(folder) = &services.prompt_folder else {
        let why = "there is no folder for prompts: neither a project's .elenchus nor a user's \
                   configuration is known here; set HOME";
        return Err(WorkspaceError::Invalid(why.to_owned()).into());
    };
    let user = services.as_user();
    let because = KeptBecause::Saved;
    save_prompt(
        &user.store,
        &services.library,
        folder,
        name,
        opened,
        text,
        because,
    )
}
