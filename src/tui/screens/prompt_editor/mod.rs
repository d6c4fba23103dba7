//! Prompt editor: the text of one prompt, with a preview of what a seat would be shown.
//!
//! | file | content |
//! |---|---|
//! | `actions` | actions of the screen |
//! | `typing` | keys and pastes while a text is typed |
//! | `tasks`, `update` | work in the background, and what came of it |
//! | `over` | overlays: turns, questions |
//! | `versions` | versions of the prompt |
//! | `preview` | preview of the text |
//! | `view` | drawing |

mod actions;
mod over;
mod preview;
mod tasks;
mod typing;
mod update;
mod versions;
mod view;

use crate::experiments::{PreviewItem, PreviewPlace, PromptPreview};
use crate::terminal::Paste;
use crate::tui::app::{Command, DrawContext, Effect, Screen};
use crate::tui::keys::{Action, Context};
use crate::tui::popups::Dialog;
use crate::tui::widgets::{Content, Editor, Marking, ScrollList};
use crate::workspace::Draft;
use crate::workspace::FolderWatch;
use crate::workspace::prompts::{Pin, PromptAt, PromptName, PromptText, TextFault};
use crate::workspace::seat_view::Origins;
use over::{Over, Question};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;
use update::Message;

/// Mode in which the editor is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    Reading,
    /// Keys are text at once.
    Writing,
    /// In the person's own editor at once.
    Outside,
    /// With every text that it had.
    Versions,
}

/// The editor of one prompt.
pub struct PromptEditor {
    name: PromptName,
    /// Place to preview it at when it is opened.
    at: Option<PromptAt>,
    begin: Begin,
    /// Text in use when this one was opened or saved.
    opened: Option<Arc<PromptText>>,
    /// Pin of the prompt in its game.
    pin: Option<Pin>,
    /// Message while there is nothing to edit.
    empty: String,
    editor: Editor,
    /// The text differs from what is used.
    changed: bool,
    /// Something was typed since the text was opened.
    touched: bool,
    is_typing: bool,
    /// Turn that it is previewed on.
    staged: Option<Arc<PreviewPlace>>,
    /// Preview of the last usable text, and the fault of the latest one.
    shown: Option<Box<PromptPreview>>,
    fault: Option<TextFault>,
    rendering: Rendering,
    /// Reports when the file is changed by another program.
    watch: Option<FolderWatch>,
    items: Vec<PreviewItem>,
    origins: Origins,
    roll: ScrollList,
    /// Differences to what was recorded, instead of parts.
    difference: bool,
    focus: EditorPane,
    zoomed: bool,
    wanted: String,
    dialog: Option<Dialog<Question>>,
    over: Option<Over>,
    content: Content,
    marking: Marking,
    is_wide: bool,
}

/// State of the preview; one text is rendered at a time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Rendering {
    #[default]
    Idle,
    Busy,
    /// A text is being rendered, and another one waits.
    Behind(String),
}

/// Pane with the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EditorPane {
    Text,
    Shown,
}

impl PromptEditor {
    /// Opens a prompt, to be looked at in a place if one is named.
    pub fn show(name: PromptName, at: Option<PromptAt>, begin: Begin) -> Vec<Effect> {
        let screen = Self {
            name,
            at,
            begin,
            opened: None,
            pin: None,
            empty: "reading the prompt".to_owned(),
            editor: Editor::default(),
            changed: false,
            touched: false,
            is_typing: false,
            staged: None,
            shown: None,
            fault: None,
            rendering: Rendering::Idle,
            watch: None,
            items: Vec::new(),
            origins: Origins::default(),
            roll: ScrollList::default(),
            difference: false,
            focus: EditorPane::Text,
            zoomed: false,
            wanted: String::new(),
            dialog: None,
            over: None,
            content: Content::Shown,
            marking: Marking::Look,
            is_wide: true,
        };
        vec![Effect::Show(Box::new(screen))]
    }

    /// Asks for reports of changes of the file by other programs.
    fn watch_file(&self) -> Effect {
        Effect::Start(tasks::watch(self.name.clone()))
    }

    fn draft_place(&self) -> String {
        format!("prompt {}", self.name)
    }

    /// Keeps what is written where a crash or a lost connection does not reach it.
    fn draft(&self) -> Effect {
        let text = match self.changed {
            true => self.editor.text(),
            false => String::new(),
        };
        Effect::Do(Command::Draft(Draft {
            place: self.draft_place(),
            text,
        }))
    }

    /// The text is another one.
    fn edited(&mut self) -> Vec<Effect> {
        self.touched = true;
        let text = self.editor.text();
        let used = self.opened.as_ref().map(|opened| opened.text.as_str());
        self.changed = used != Some(text.as_str());
        let mut effects = vec![self.draft()];
        effects.extend(self.look(text));
        effects
    }

    /// Asks what a text shows. A key does not wait for the text of the key before.
    fn look(&mut self, text: String) -> Option<Effect> {
        let staged = self.staged.as_ref()?;
        if self.is_late() {
            self.rendering = Rendering::Behind(text);
            return None;
        }
        self.rendering = Rendering::Busy;
        Some(Effect::Start(tasks::render(
            Arc::clone(&staged.stage),
            text,
        )))
    }

    /// Says whether the preview is of an earlier text.
    fn is_late(&self) -> bool {
        self.rendering != Rendering::Idle
    }

    /// The place that is looked at; `None` for sample data.
    fn place(&self) -> Option<&PromptAt> {
        self.staged.as_ref()?.at()
    }

    /// Says whether a pane is drawn; there may be room for one only.
    fn sees(&self, pane: EditorPane) -> bool {
        (self.is_wide && !self.zoomed) || self.focus == pane
    }
}

impl Screen for PromptEditor {
    fn context(&self) -> Context {
        Context::PromptEditor
    }

    fn opened(&mut self) -> Vec<Effect> {
        let open = tasks::open(self.name.clone(), self.at.take());
        vec![Effect::Start(open), self.watch_file()]
    }

    fn is_typing(&self) -> bool {
        self.is_typing || self.dialog.is_some() || self.over.is_some()
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.answer(action)
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.take_key(key)
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        self.take_paste(paste)
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.paint(buffer, area, brush)
    }

    fn status(&self) -> String {
        self.status_text()
    }

    fn hints(&self) -> Vec<Action> {
        // While keys are text none of them asks for anything.
        if Screen::is_typing(self) {
            return Vec::new();
        }
        let mut hints = vec![Action::Edit, Action::TryPrompt];
        if self.pin.as_ref().is_some_and(|pin| !pin.holds) {
            hints.insert(0, Action::AcceptPrompt);
        }
        if self.changed {
            hints.insert(0, Action::SavePrompt);
        }
        hints.extend([
            Action::ChooseTurn,
            Action::NextTurn,
            Action::Difference,
            Action::Versions,
            Action::ComparePrompts,
        ]);
        hints
    }
}
