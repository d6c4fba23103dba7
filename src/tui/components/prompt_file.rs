//! File of a prompt that is edited: the text in use is read, watched, saved and pinned, and what must be asked
//! before is asked. What is written meanwhile is held by its screen.

use crate::tui::app::{Effect, Replies, Task, Tools, fail, say, warn};
use crate::tui::popups::{Dialog, DialogAnswer};
use crate::tui::widgets::DrawContext;
use elenchus_records::workspace::prompts::{
    Acceptance, KeptBecause, Pin, PromptName, PromptText, SaveFault, Saved, TextFault, accept,
    acceptance, pin_of, read_prompt, save_prompt, watch_prompt,
};
use elenchus_records::workspace::{FolderWatch, Hash, Result as Read, WorkspaceError};
use elenchus_run::drafts::prompt_edit::{OutsideChange, PromptEdit};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// Result of a task of the file.
pub(in crate::tui) enum FileMessage {
    Opened(Result<Arc<PromptText>, String>),
    Watched(FolderWatch),
    /// The file was written, moved or removed: what is used now.
    Changed(Result<Arc<PromptText>, String>),
    Saved(Result<Saved, SaveFault>),
    /// Pin of the prompt in its game, if there is one.
    Pinned(Option<Pin>),
    Acceptance(Result<Arc<Acceptance>, String>),
    Accepted(Result<Arc<Acceptance>, String>),
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
            edit: PromptEdit::of(name),
            wrap,
            watch: None,
            dialog: None,
        }
    }

    /// Reads the text in use and its pin, and asks for reports of changes by other programs.
    pub(in crate::tui) fn open(&self) -> Vec<Effect> {
        let open = self.task("open a prompt", |tools, name, tell| {
            let read = read_prompt(&tools.library, name).map(Arc::new);
            tell(FileMessage::Opened(read.map_err(|error| error.to_string())));
            tell(pinned(tools, name));
        });
        vec![open, self.watch()]
    }

    fn watch(&self) -> Effect {
        let (name, wrap) = (self.edit.name.clone(), self.wrap);
        let watch = move |tools: &Tools, replies: &Replies<M>| {
            let tell = replies.clone();
            let changed = move |now: Read<PromptText>| {
                let now = now.map(Arc::new).map_err(|error| error.to_string());
                tell.send(wrap(FileMessage::Changed(now)));
            };
            // Without a watch, saving finds out all the same.
            if let Ok(watch) = watch_prompt(tools.library.clone(), name, changed) {
                replies.send(wrap(FileMessage::Watched(watch)));
            }
        };
        Effect::Start(blocking("watch a prompt", watch))
    }

    /// Saves a text, where it is not the one in use.
    pub(in crate::tui) fn save(&self, text: String) -> Vec<Effect> {
        match self.edit.to_save() {
            Ok(version) => self.save_over(version, text),
            Err(why) => say(why),
        }
    }

    /// Makes a text the one in use, in place of a version.
    fn save_over(&self, version: Hash, text: String) -> Vec<Effect> {
        vec![self.task("save a prompt", move |tools, name, tell| {
            tell(FileMessage::Saved(saved(tools, name, &version, &text)));
            tell(pinned(tools, name));
        })]
    }

    /// Reads what pinning the text in use would change, before it is asked.
    pub(in crate::tui) fn look_at_acceptance(&self) -> Vec<Effect> {
        if let Some(why) = self.edit.nothing_to_accept() {
            return say(why);
        }
        let name = "compare a prompt with its pin";
        vec![self.task(name, |tools, name, tell| {
            let looked = acceptance(&tools.desk, &tools.library, name, None);
            let looked = looked.map(Arc::new).map_err(|error| error.to_string());
            tell(FileMessage::Acceptance(looked));
        })]
    }

    fn accept(&self, what: Arc<Acceptance>) -> Vec<Effect> {
        vec![self.task("pin a prompt", |tools, name, tell| {
            let done = accept(&tools.desk, name, &what).map(|()| what);
            tell(FileMessage::Accepted(
                done.map_err(|error| error.to_string()),
            ));
            tell(pinned(tools, name));
        })]
    }

    /// Work on the prompt that blocks, with any number of messages.
    fn task(
        &self,
        title: &'static str,
        work: impl FnOnce(&Tools, &PromptName, &dyn Fn(FileMessage)) + Send + 'static,
    ) -> Effect {
        let (name, wrap) = (self.edit.name.clone(), self.wrap);
        Effect::Start(blocking(title, move |tools, replies| {
            work(tools, &name, &|message| replies.send(wrap(message)));
        }))
    }

    /// Takes in what came of a task, and says it.
    pub(in crate::tui) fn update(&mut self, message: FileMessage) -> (FileNews, Vec<Effect>) {
        let effects = match message {
            FileMessage::Opened(Ok(text)) => return self.opened(text),
            FileMessage::Opened(Err(why)) => {
                self.edit.close(why.clone());
                fail(why)
            }
            FileMessage::Watched(watch) => {
                self.watch = Some(watch);
                Vec::new()
            }
            FileMessage::Changed(Ok(now)) => return self.changed(now),
            FileMessage::Changed(Err(why)) => {
                fail(format!("{why}; the text that was read last is still here"))
            }
            FileMessage::Saved(Ok(saved)) => {
                let mut effects = say(self.edit.saved(&saved));
                // Its folder may not have been there before.
                effects.insert(0, self.watch());
                return (FileNews::Saved(Arc::new(saved.now)), effects);
            }
            FileMessage::Saved(Err(fault)) => return self.not_saved(fault),
            FileMessage::Pinned(pin) => {
                self.edit.pin = pin;
                Vec::new()
            }
            FileMessage::Acceptance(Ok(acceptance)) => {
                let (question, accept) = (acceptance.question(), Question::Accept(acceptance));
                self.dialog = Some(Dialog::confirm("Accept", &question, accept));
                Vec::new()
            }
            FileMessage::Acceptance(Err(why)) => fail(why),
            FileMessage::Accepted(Ok(done)) => say(format!(
                "accepted, and pinned in {}: the game can be played with it",
                done.file.display()
            )),
            FileMessage::Accepted(Err(why)) => fail(format!("not accepted: {why}")),
        };
        (FileNews::Nothing, effects)
    }

    fn opened(&mut self, text: Arc<PromptText>) -> (FileNews, Vec<Effect>) {
        self.edit.open(&text);
        (FileNews::Opened(text), Vec::new())
    }

    fn changed(&mut self, now: Arc<PromptText>) -> (FileNews, Vec<Effect>) {
        match self.edit.changed_outside(&now) {
            OutsideChange::Opens => self.opened(now),
            OutsideChange::Nothing => (FileNews::Nothing, Vec::new()),
            OutsideChange::Gone(words) => (FileNews::ComparedAnew, warn(words)),
            OutsideChange::Both(words) => (FileNews::Nothing, warn(words)),
            OutsideChange::Reread => {
                let said = say("the file was changed, and read again");
                (FileNews::Reread(now), said)
            }
        }
    }

    fn not_saved(&mut self, fault: SaveFault) -> (FileNews, Vec<Effect>) {
        match fault {
            SaveFault::ChangedMeanwhile(theirs) => {
                let question = theirs.question_to_write_over();
                let theirs = Question::WriteOver(theirs);
                self.dialog = Some(Dialog::confirm("Changed meanwhile", &question, theirs));
                (FileNews::Nothing, Vec::new())
            }
            SaveFault::Text(fault) => {
                let text = format!("not saved, and nothing else is changed: {fault}");
                (FileNews::Refused(fault), fail(text))
            }
            SaveFault::Driver(why) => {
                let text = format!("not saved: {why}; your text is still here");
                (FileNews::Nothing, fail(text))
            }
        }
    }

    /// Says whether something is asked: keys are its answer then.
    pub(in crate::tui) fn is_asking(&self) -> bool {
        self.dialog.is_some()
    }

    /// Takes a key of an answer; `text` is what is written.
    pub(in crate::tui) fn key(
        &mut self,
        key: KeyEvent,
        text: impl FnOnce() -> String,
    ) -> Vec<Effect> {
        match Dialog::answer(&mut self.dialog, key) {
            Some(DialogAnswer::Yes(Question::Accept(acceptance))) => self.accept(acceptance),
            Some(DialogAnswer::Yes(Question::WriteOver(theirs))) => {
                self.save_over(theirs.glance.hash, text())
            }
            Some(DialogAnswer::Left(Question::Accept(_))) => {
                say("nothing is accepted; the game refuses to be played with this text")
            }
            Some(DialogAnswer::Left(Question::WriteOver(_))) => {
                say("nothing was written; your text is still here")
            }
            // Both are answered by yes or no.
            Some(DialogAnswer::Line(..) | DialogAnswer::Item(..)) | None => Vec::new(),
        }
    }

    pub(in crate::tui) fn draw_over(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.dialog.as_ref()?.draw(area, buffer, brush)
    }
}

fn blocking<M: Send + 'static>(
    title: &'static str,
    work: impl FnOnce(&Tools, &Replies<M>) + Send + 'static,
) -> Task {
    Task::stream(title, |services, replies| async move {
        // What panicked has no more messages; the panic itself is in the log.
        let _ = tokio::task::spawn_blocking(move || work(&services.tools, &replies)).await;
    })
}

fn pinned(tools: &Tools, name: &PromptName) -> FileMessage {
    // A game that cannot be read says so when its text is rendered.
    FileMessage::Pinned(pin_of(&tools.library, name).ok().flatten())
}

fn saved(tools: &Tools, name: &PromptName, opened: &Hash, text: &str) -> Result<Saved, SaveFault> {
    let Some(folder) = &tools.prompt_folder else {
        let why = "there is no folder for prompts: neither a project's .elenchus nor a user's \
                   configuration is known here; set HOME";
        return Err(WorkspaceError::Invalid(why.to_owned()).into());
    };
    let (desk, library) = (&tools.desk, &tools.library);
    let because = KeptBecause::Saved;
    save_prompt(desk, library, folder, name, opened, text, because)
}
