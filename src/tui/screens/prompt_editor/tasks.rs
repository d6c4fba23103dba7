//! Tasks of the prompt editor: reads, watches, renders, labels, pins and saves a prompt.

use super::Message;
use crate::experiments::{PreviewPlace, PromptStage, history};
use crate::tui::app::{Replies, Task, Tools};
use crate::workspace::Hash as TextHash;
use crate::workspace::prompts::{
    Acceptance, KeptBecause, PromptAt, PromptBook, PromptName, PromptText, SaveFault, Saved,
    accept as accept_text, acceptance as read_acceptance, find_places, pin_of, read_prompt,
    save_prompt, watch_prompt,
};
use crate::workspace::{Desk, Result, StoreIndex, WorkspaceError};
use std::sync::Arc;

/// Reads a prompt, then finds a turn to preview it on: the given one or the last that used it.
pub(super) fn open(name: PromptName, at: Option<PromptAt>) -> Task {
    messages("open a prompt", move |tools, replies| {
        let read = read_prompt(&tools.library, &name).map(Arc::new);
        replies.send(Message::Opened(read.map_err(|error| error.to_string())));
        replies.send(pinned(tools, &name));
        let (layout, library) = (&tools.desk.layout, &tools.library);
        let found = PreviewPlace::at_or_last(layout, library, &name, at);
        replies.send(staged(found));
    })
}

/// Work that blocks, with any number of messages.
fn messages(
    name: &'static str,
    work: impl FnOnce(&Tools, &Replies<Message>) + Send + 'static,
) -> Task {
    Task::stream(name, |services, replies| async move {
        // What panicked has no more messages; the panic itself is in the log.
        let _ = tokio::task::spawn_blocking(move || work(&services.tools, &replies)).await;
    })
}

/// Watches the files that the prompt could be read from.
pub(super) fn watch(name: PromptName) -> Task {
    messages("watch a prompt", move |tools, replies| {
        let tell = replies.clone();
        let changed = move |now: Result<PromptText>| {
            let now = now.map(Arc::new).map_err(|error| error.to_string());
            tell.send(Message::Changed(now));
        };
        // Without a watch, saving finds out all the same.
        if let Ok(watch) = watch_prompt(tools.library.clone(), name, changed) {
            replies.send(Message::Watched(watch));
        }
    })
}

/// Looks at it somewhere else, on sample data where no place is named.
pub(super) fn stage(name: PromptName, at: Option<PromptAt>) -> Task {
    Task::blocking("preview a prompt elsewhere", move |services| {
        let (layout, library) = (&services.tools.desk.layout, &services.tools.library);
        staged(PreviewPlace::at_or_sample(layout, library, &name, at))
    })
}

/// Finds where a prompt was used.
pub(super) fn places(name: PromptName) -> Task {
    Task::blocking("find where a prompt was used", move |services| {
        let found = find_places(&services.tools.desk.layout, &name);
        Message::Places(found.map_err(|error| error.to_string()))
    })
}

/// Renders a text.
pub(super) fn render(stage: Arc<PromptStage>, text: String) -> Task {
    Task::blocking("render a prompt", move |services| {
        Message::Shown(stage.show(&services.tools.seats, &text).map(Box::new))
    })
}

/// Reads every text that a prompt had.
pub(super) fn versions(name: PromptName) -> Task {
    Task::indexed("read the versions", prompt_index, move |tools, index| {
        read_versions(tools, index, &name)
    })
}

/// Sets a label on a text, or removes it if the text has it.
pub(super) fn label(name: PromptName, text: Arc<str>, label: String) -> Task {
    Task::indexed("label a version", prompt_index, move |tools, index| {
        let book = PromptBook::for_person(&tools.desk);
        match book.toggle_label(&name, &text, &label) {
            Ok(()) => read_versions(tools, index, &name),
            Err(error) => Message::Versions(Err(error.to_string())),
        }
    })
}

/// Reads what accepting the text as it is now would change, where it is pinned.
pub(super) fn acceptance(name: PromptName) -> Task {
    Task::blocking("compare a prompt with its pin", move |services| {
        let tools = &services.tools;
        let looked = read_acceptance(&tools.desk, &tools.library, &name, None);
        let looked = looked.map(Arc::new).map_err(|error| error.to_string());
        Message::Acceptance(looked)
    })
}

/// Pins a text.
pub(super) fn accept(name: PromptName, what: Arc<Acceptance>) -> Task {
    messages("pin a prompt", move |tools, replies| {
        let done = accept_text(&tools.desk, &name, &what).map(|()| what);
        replies.send(Message::Accepted(done.map_err(|error| error.to_string())));
        replies.send(pinned(tools, &name));
    })
}

/// Makes a text the one that is used; `opened` is the version that was edited.
pub(super) fn save(name: PromptName, opened: TextHash, text: String) -> Task {
    messages("save a prompt", move |tools, replies| {
        replies.send(Message::Saved(saved(tools, &name, &opened, &text)));
        replies.send(pinned(tools, &name));
    })
}

fn pinned(tools: &Tools, name: &PromptName) -> Message {
    // A game that cannot be read says so when its text is rendered.
    Message::Pinned(pin_of(&tools.library, name).ok().flatten())
}

fn prompt_index(desk: &Desk) -> StoreIndex {
    StoreIndex::read_prompts(&desk.layout).0
}

fn read_versions(tools: &Tools, index: &StoreIndex, name: &PromptName) -> Message {
    let found = history(index, &tools.library, name).map(Arc::new);
    Message::Versions(found.map_err(|error| error.to_string()))
}

fn staged(found: Result<PreviewPlace>) -> Message {
    let found = found.map(Arc::new).map_err(|error| error.to_string());
    Message::Staged(found)
}

fn saved(
    tools: &Tools,
    name: &PromptName,
    opened: &TextHash,
    text: &str,
) -> Result<Arc<Saved>, SaveFault> {
    let Some(folder) = &tools.prompt_folder else {
        let why = "there is no folder for prompts: neither a project's .elenchus nor a user's \
                   configuration is known here; set HOME";
        return Err(WorkspaceError::Invalid(why.to_owned()).into());
    };
    let (desk, library) = (&tools.desk, &tools.library);
    let because = KeptBecause::Saved;
    save_prompt(desk, library, folder, name, opened, text, because).map(Arc::new)
}
