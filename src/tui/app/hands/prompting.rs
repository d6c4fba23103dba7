//! Prompt templates: listed, read, watched, rendered and saved.

use super::{Hands, Library, Tools, locked};
use crate::experiments::{PromptStage, history};
use crate::tui::app::deed::Ticket;
use crate::tui::app::file_watch::{FolderWatch, Listens, WatchedChanges, WatchedFolder};
use crate::tui::app::prompt_talk::{PromptAt, PromptDeed, PromptTold, SaveEnd, Staged};
use crate::tui::app::told::Told;
use crate::workspace::Hash as TextHash;
use crate::workspace::prompts::{
    KeptBecause, PromptBook, PromptName, SaveFault, accept, acceptance, find_places, pin_of,
    places_in, read_kept, read_prompt, save_prompt,
};
use crate::workspace::{Desk, StoreIndex, WorkspaceError, read_session};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

/// Folders next to a protocol's own that hold templates.
const BESIDE: [&str; 2] = ["shared", "rubrics"];

/// State of the prompt commands.
#[derive(Default)]
pub(super) struct Prompting {
    /// Watch of the open file.
    watch: Option<FolderWatch>,
    showing: Arc<Mutex<Showing>>,
}

/// Texts that are to be shown: a key must not wait for the text of the key before.
#[derive(Default)]
struct Showing {
    next: Option<(Ticket, Arc<PromptStage>, String)>,
    is_at_work: bool,
}

impl Hands {
    pub(crate) fn prompt(&mut self, deed: PromptDeed) {
        let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
        let say = move |told: PromptTold| {
            let _ = tell.send(Told::Prompt(told));
        };
        match deed {
            PromptDeed::Open(name, at) => {
                self.prompting.watch = watch(&tools, &name, self.tell.clone());
                spawn_blocking(move || {
                    let read = read_prompt(&tools.library, &name).map(Arc::new);
                    let read = read.map_err(|error| error.to_string());
                    say(PromptTold::Opened(name.clone(), read));
                    say(pinned(&tools, &name));
                    say(staged(&tools, name, at, Otherwise::WhereUsedLast));
                });
            }
            PromptDeed::Watch(name) => {
                self.prompting.watch = watch(&tools, &name, self.tell.clone());
                spawn_blocking(move || {
                    let now = read_prompt(&tools.library, &name).map(Arc::new);
                    let now = now.map_err(|error| error.to_string());
                    say(PromptTold::Changed(name, now));
                });
            }
            PromptDeed::Close => self.prompting.watch = None,
            PromptDeed::Stage(name, at) => {
                spawn_blocking(move || say(staged(&tools, name, at, Otherwise::Sample)));
            }
            PromptDeed::FindPlaces(name) => {
                spawn_blocking(move || {
                    let found = find_places(&tools.desk.layout, &name).map(Arc::new);
                    let found = found.map_err(|error| error.to_string());
                    say(PromptTold::Places(name, found));
                });
            }
            PromptDeed::Show(ticket, stage, text) => self.show_prompt(ticket, stage, text),
            PromptDeed::Versions(name) => {
                let turns = self.services.index_turns.clone();
                tokio::spawn(async move {
                    let (desk, library) = (tools.desk, tools.library);
                    let read = move |index: &_| versions(index, &library, name);
                    turns.with(desk, prompt_index, read).await.map(say)
                });
            }
            PromptDeed::Label { name, text, label } => {
                let (turns, desk) = (self.services.index_turns.clone(), tools.desk.clone());
                tokio::spawn(async move {
                    let label = move |index: &_| match labelled(&tools, &name, &text, &label) {
                        Ok(()) => versions(index, &tools.library, name),
                        Err(error) => PromptTold::Versions(name, Err(error.to_string())),
                    };
                    turns.with(desk, prompt_index, label).await.map(say)
                });
            }
            PromptDeed::Acceptance(name) => {
                spawn_blocking(move || {
                    let looked = acceptance(&tools.desk, &tools.library, &name, None);
                    let looked = looked.map(Arc::new).map_err(|error| error.to_string());
                    say(PromptTold::Acceptance(name, looked));
                });
            }
            PromptDeed::Accept(name, what) => {
                spawn_blocking(move || {
                    let done = accept(&tools.desk, &name, &what).map(|()| what);
                    let done = done.map_err(|error| error.to_string());
                    say(PromptTold::Accepted(name.clone(), done));
                    say(pinned(&tools, &name));
                });
            }
            PromptDeed::Save { name, opened, text } => {
                spawn_blocking(move || {
                    let end = saved(&tools, &name, &opened, &text);
                    say(PromptTold::Saved(name.clone(), end));
                    say(pinned(&tools, &name));
                });
            }
        }
    }

    fn show_prompt(&mut self, ticket: Ticket, stage: Arc<PromptStage>, text: String) {
        let showing = Arc::clone(&self.prompting.showing);
        let is_at_work = {
            let mut showing = locked(&showing);
            showing.next = Some((ticket, stage, text));
            std::mem::replace(&mut showing.is_at_work, true)
        };
        if is_at_work {
            return;
        }
        let (seats, tell) = (Arc::clone(&self.services.tools.seats), self.tell.clone());
        spawn_blocking(move || {
            loop {
                let next = {
                    let mut showing = locked(&showing);
                    let next = showing.next.take();
                    showing.is_at_work = next.is_some();
                    next
                };
                let Some((ticket, stage, text)) = next else {
                    return;
                };
                let shown = stage.show(&seats, &text).map(Arc::new);
                let _ = tell.send(Told::Prompt(PromptTold::Shown(ticket, shown)));
            }
        });
    }
}

fn pinned(tools: &Tools, name: &PromptName) -> PromptTold {
    let pin = pin_of(&tools.library, name).map_err(|error| error.to_string());
    PromptTold::Pinned(name.clone(), pin)
}

fn prompt_index(desk: &Desk) -> StoreIndex {
    StoreIndex::read_prompts(&desk.layout).0
}

fn versions(index: &StoreIndex, library: &Library, name: PromptName) -> PromptTold {
    let found = history(index, library, &name).map(Arc::new);
    PromptTold::Versions(name, found.map_err(|error| error.to_string()))
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

fn staged(
    tools: &Tools,
    name: PromptName,
    at: Option<PromptAt>,
    otherwise: Otherwise,
) -> PromptTold {
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
                let found = find_places(layout, &name)?;
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
                stage: Arc::new(PromptStage::sample(&tools.library, &name)?),
                beside: None,
            });
        };
        let path = layout.session(at.session.as_str())?;
        let stage = PromptStage::read(&path, &name, &at.session, &at.asked)?;
        Ok(Staged {
            stage: Arc::new(stage),
            beside: places_in(&read_session(&path)?, &name.template),
        })
    };
    let found = found().map(Arc::new).map_err(|error| error.to_string());
    PromptTold::Staged(name, found)
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

/// Reports changes of the files that the prompt could be read from.
fn watch(tools: &Tools, name: &PromptName, tell: UnboundedSender<Told>) -> Option<FolderWatch> {
    let within = BESIDE.iter().copied().chain([name.protocol.as_str()]);
    let within: Vec<&str> = within.collect();
    let folders = tools.library.folders().iter();
    let folders: Vec<WatchedFolder> = folders
        .flat_map(|folder| within.iter().map(|inner| folder.join(inner)))
        .map(|folder| (folder, WatchedChanges::Saved))
        .collect();
    let (library, name) = (tools.library.clone(), name.clone());
    let changed = move || {
        let now = read_prompt(&library, &name).map(Arc::new);
        let now = now.map_err(|error| error.to_string());
        match tell.send(Told::Prompt(PromptTold::Changed(name.clone(), now))) {
            Ok(()) => Listens::Yes,
            Err(_) => Listens::No,
        }
    };
    // Without a watch, saving finds out all the same.
    FolderWatch::begin(move || folders.clone(), ".md", changed).ok()
}
