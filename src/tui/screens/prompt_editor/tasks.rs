//! Tasks of the prompt editor: reads, watches, renders, labels, pins and saves a prompt.

use super::{Message, PromptAt, SaveEnd, Staged};
use crate::experiments::{PromptStage, history};
use crate::tui::app::{Replies, Task, Tools};
use crate::workspace::Hash as TextHash;
use crate::workspace::prompts::{
    Acceptance, KeptBecause, PromptBook, PromptName, SaveFault, accept as accept_text,
    acceptance as read_acceptance, find_places, pin_of, places_in, read_kept, read_prompt,
    save_prompt,
};
use crate::workspace::{
    Desk, FolderWatch, Listens, StoreIndex, WatchedChanges, WatchedFolder, WorkspaceError,
    read_session,
};
use std::sync::Arc;

/// Folders next to a protocol's own that hold templates.
const BESIDE: [&str; 2] = ["shared", "rubrics"];

/// Reads a prompt, then finds a turn to preview it on: the given one or the last that used it.
pub(super) fn open(name: PromptName, at: Option<PromptAt>) -> Task {
    messages("open a prompt", move |tools, replies| {
        let read = read_prompt(&tools.library, &name).map(Arc::new);
        replies.send(Message::Opened(read.map_err(|error| error.to_string())));
        replies.send(pinned(tools, &name));
        replies.send(staged(tools, &name, at, Otherwise::WhereUsedLast));
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
        let within = BESIDE.iter().copied().chain([name.protocol.as_str()]);
        let within: Vec<&str> = within.collect();
        let folders = tools.library.folders().iter();
        let folders: Vec<WatchedFolder> = folders
            .flat_map(|folder| within.iter().map(|inner| folder.join(inner)))
            .map(|folder| (folder, WatchedChanges::Saved))
            .collect();
        let (library, tell) = (tools.library.clone(), replies.clone());
        let changed = move || {
            let now = read_prompt(&library, &name).map(Arc::new);
            tell.send(Message::Changed(now.map_err(|error| error.to_string())));
            Listens::Yes
        };
        // Without a watch, saving finds out all the same.
        if let Ok(watch) = FolderWatch::begin(move || folders.clone(), ".md", changed) {
            replies.send(Message::Watched(watch));
        }
    })
}

/// Looks at it somewhere else, on sample data where no place is named.
pub(super) fn stage(name: PromptName, at: Option<PromptAt>) -> Task {
    Task::blocking("preview a prompt elsewhere", move |services| {
        staged(&services.tools, &name, at, Otherwise::Sample)
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
    Task::indexed(
        "label a version",
        prompt_index,
        move |tools, index| match labelled(tools, &name, &text, &label) {
            Ok(()) => read_versions(tools, index, &name),
            Err(error) => Message::Versions(Err(error.to_string())),
        },
    )
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

/// Sets a label on a text, or removes it if the text has it.
fn labelled(
    tools: &Tools,
    name: &PromptName,
    text: &str,
    label: &str,
) -> Result<(), WorkspaceError> {
    let book = PromptBook::for_person(&tools.desk);
    let labels = read_kept(&tools.desk.layout)?.labels;
    let stands_on = labels.get(name).and_then(|labels| labels.get(label));
    match stands_on == Some(&TextHash::of(text.as_bytes())) {
        true => book.unlabel(name, label).map(|_| ()),
        false => book.label(name, text, label).map(|_| ()),
    }
}

/// Preview where no turn is named.
#[derive(Clone, Copy)]
enum Otherwise {
    Sample,
    WhereUsedLast,
}

fn staged(tools: &Tools, name: &PromptName, at: Option<PromptAt>, otherwise: Otherwise) -> Message {
    let found = || -> Result<Staged, WorkspaceError> {
        let layout = &tools.desk.layout;
        // What is in no store, as an example is, cannot be opened again.
        let at = at.filter(|at| {
            let path = layout.session(at.session.as_str());
            path.is_ok_and(|path| path.exists())
        });
        let at = match (at, otherwise) {
            (Some(at), _) => Some(at),
            (None, Otherwise::Sample) => None,
            (None, Otherwise::WhereUsedLast) => {
                let found = find_places(layout, name)?;
                let last = found.into_iter().next();
                last.and_then(|places| {
                    Some(PromptAt {
                        session: places.session,
                        asked: places.asked.into_iter().next()?,
                    })
                })
            }
        };
        let Some(at) = at else {
            return Ok(Staged {
                stage: Arc::new(PromptStage::sample(&tools.library, name)?),
                beside: None,
            });
        };
        let path = layout.session(at.session.as_str())?;
        let stage = PromptStage::read(&path, name, &at.session, &at.asked)?;
        Ok(Staged {
            stage: Arc::new(stage),
            beside: places_in(&read_session(&path)?, &name.template),
        })
    };
    let found = found().map(Arc::new).map_err(|error| error.to_string());
    Message::Staged(found)
}

fn saved(tools: &Tools, name: &PromptName, opened: &TextHash, text: &str) -> SaveEnd {
    let Some(folder) = &tools.prompt_folder else {
        return SaveEnd::Failed(
            "there is no folder for prompts: neither a project's .elenchus nor a user's \
             configuration is known here; set HOME"
                .to_owned(),
        );
    };
    let because = KeptBecause::Saved;
    match save_prompt(
        &tools.desk,
        &tools.library,
        folder,
        name,
        opened,
        text,
        because,
    ) {
        Ok(saved) => SaveEnd::Saved(Arc::new(saved)),
        Err(SaveFault::ChangedMeanwhile(now)) => SaveEnd::Changed(Arc::new(*now)),
        Err(SaveFault::Text(fault)) => SaveEnd::Fault(fault),
        Err(SaveFault::Driver(error)) => SaveEnd::Failed(error.to_string()),
    }
}
