//! Annotations, exports, drafts, and how the workbench is arranged.

use super::reading::read_opened;
use super::{Hands, Tools};
use crate::debate::SessionId;
use crate::tui::app::deed::ExportAs;
use crate::tui::app::hidden_verdicts::annotations;
use crate::tui::app::task::Delivery;
use crate::tui::app::told::Told;
use crate::tui::app::ui_state::{Draft, UiState};
use crate::tui::theme::Role;
use crate::workspace::annotations::{Annotation, AnnotationId, AnnotationJournal};
use crate::workspace::write_new;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const ARRANGED: &str = "workbench.json";
const DRAFTS: &str = "drafts";
/// A draft's file is named after its place: this much of the place, and a number made of all of it.
const NAME_CHARS: usize = 40;

impl Hands {
    pub(crate) fn mark(&mut self, mark: Annotation) {
        let (tools, tell) = (self.services.tools.clone(), self.tell.clone());
        let margin = Arc::clone(&self.services.annotations);
        tokio::spawn(async move {
            let mut book = margin.lock().await;
            let written = write_mark(&tools, &mut book, mark).await;
            let desk = tools.desk.clone();
            let told = match written {
                Ok(id) => {
                    let read = tokio::task::spawn_blocking(move || annotations(&desk)).await;
                    match read {
                        Ok(read) => read.map(|all| (Arc::new(all), Some(id))),
                        Err(_) => return,
                    }
                }
                Err(why) => Err(why),
            };
            let _ = tell.send(Told::Annotations(told));
        });
    }

    pub(crate) fn export(&mut self, id: SessionId, form: ExportAs, path: PathBuf) {
        let tools = self.services.tools.clone();
        self.write_file(path, move |path| export_session(&tools, &id, form, path));
    }

    pub(crate) fn write_text(&mut self, path: PathBuf, text: String) {
        let write = move |path: &Path| write_new(path, text.as_bytes());
        self.write_file(path, move |path| {
            write(path).map_err(|error| error.to_string())
        });
    }

    /// Writes a file, and says where it is.
    fn write_file(
        &self,
        path: PathBuf,
        write: impl FnOnce(&Path) -> Result<(), String> + Send + 'static,
    ) {
        let deliver = self.deliver.clone();
        tokio::task::spawn_blocking(move || {
            let _ = deliver.send(match write(&path) {
                Ok(()) => Delivery::Say(Role::Notice, format!("written to {}", path.display())),
                Err(why) => Delivery::Say(Role::Error, why),
            });
        });
    }

    pub(crate) fn remember(&mut self, kept: &UiState) {
        let path = self.services.tools.own_folder.join(ARRANGED);
        let Ok(text) = serde_json::to_vec_pretty(kept) else {
            return;
        };
        self.scribe.write(path, Some(text));
    }

    pub(crate) fn draft(&mut self, draft: &Draft) {
        let path = draft_path(&self.services.tools.own_folder, &draft.place);
        let text = match draft.text.is_empty() {
            true => None,
            false => serde_json::to_vec(draft).ok(),
        };
        self.scribe.write(path, text);
    }
}

/// Writes a session's journal or its transcript to a file, never over one that is there; blocks.
pub(crate) fn export_session(
    tools: &Tools,
    id: &SessionId,
    form: ExportAs,
    path: &Path,
) -> Result<(), String> {
    let (opened, _) = read_opened(&tools.desk, id)?;
    (tools.exporter)(id, &opened.state, form, path)
}

/// Writes into the person's margin; durable when this returns.
pub(crate) async fn write_mark(
    tools: &Tools,
    book: &mut Option<AnnotationJournal>,
    mark: Annotation,
) -> Result<AnnotationId, String> {
    let book = opened(tools, book)?;
    book.write(mark).await.map_err(|error| error.to_string())
}

/// Returns the person's margin, opened where it is not yet.
pub(crate) fn opened<'a>(
    tools: &Tools,
    book: &'a mut Option<AnnotationJournal>,
) -> Result<&'a mut AnnotationJournal, String> {
    if book.is_none() {
        let desk = &tools.desk;
        let opened = AnnotationJournal::open(desk, &desk.person);
        *book = Some(opened.map_err(|error| error.to_string())?);
    }
    book.as_mut()
        .ok_or_else(|| "the margin could not be opened".to_owned())
}

/// Returns a text that was not used at an earlier time.
pub(crate) fn find_draft(own_folder: &Path, place: &str) -> Option<Draft> {
    let text = std::fs::read(draft_path(own_folder, place)).ok()?;
    let draft = serde_json::from_slice::<Draft>(&text).ok();
    draft.filter(|draft| draft.place == place)
}

pub(super) fn recall(own_folder: &Path) -> UiState {
    let read = std::fs::read(own_folder.join(ARRANGED));
    let kept = read
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok());
    kept.unwrap_or_default()
}

/// Returns the file of a draft.
fn draft_path(own_folder: &Path, place: &str) -> PathBuf {
    let mut name: String = place
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(NAME_CHARS)
        .collect();
    // FNV-1a: places that begin alike have files of their own.
    let number = place.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let _ = write!(name, "-{number:016x}.json");
    own_folder.join(DRAFTS).join(name)
}
