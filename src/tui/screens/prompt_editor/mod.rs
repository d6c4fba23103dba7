//! Prompt editor: the text of one prompt, with a preview of what a seat would be shown.
//!
//! | file | content |
//! |---|---|
//! | `actions` | actions of the screen, and keys to the text or to what lies over it |
//! | `texts` | texts that take the place of the one that is written |
//! | `view` | drawing |
//!
//! The file of the prompt, the preview and the versions are components beside the screens.

mod actions;
mod texts;
mod view;

use crate::tui::app::{DrawContext, EditError, Effect, Screen, Update, say_error, show_screen};
use crate::tui::components::prompt_file::{FileMessage, PromptFile};
use crate::tui::components::prompt_preview::{PreviewMessage, PreviewPane};
use crate::tui::components::prompt_versions::{PromptVersions, VersionsRead};
use crate::tui::keys::{Action, Context};
use crate::tui::popups::Dialog;
use crate::tui::widgets::{Content, Editor, Side, TwoPanes};
use elenchus_records::workspace::prompts::{PromptAt, PromptName};
use elenchus_records::workspace::{Draft, WorkspaceError};
use elenchus_terminal::Paste;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// From this width on, text and preview are side by side.
const WIDE: u16 = 100;
/// Panes of the text and of what it shows.
const TEXT: Side = Side::Left;
const SHOWN: Side = Side::Right;

/// Mode in which the editor is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditorMode {
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
    file: PromptFile<Message>,
    /// Place to preview it at when it is opened.
    at: Option<PromptAt>,
    begin: EditorMode,
    editor: Editor,
    is_typing: bool,
    pane: PreviewPane<Message>,
    panes: TwoPanes,
    /// What is searched for in the text.
    find: Option<Dialog<()>>,
    versions: Option<PromptVersions<Message>>,
    content: Content,
}

impl PromptEditor {
    /// Opens a prompt, to be looked at in a place if one is named.
    pub fn show_editor(name: PromptName, at: Option<PromptAt>, begin: EditorMode) -> Vec<Effect> {
        show_screen(Self {
            pane: PreviewPane::new(name.clone(), Message::Preview),
            file: PromptFile::new(name, Message::File),
            at,
            begin,
            editor: Editor::default(),
            is_typing: false,
            panes: TwoPanes::new(WIDE),
            find: None,
            versions: None,
            content: Content::Shown,
        })
    }
}

/// Result of a task of this screen.
pub enum Message {
    File(FileMessage),
    Preview(PreviewMessage),
    Versions(VersionsRead),
    DraftFound(Draft),
    /// The text that comes with the program.
    BuiltIn(Result<String, WorkspaceError>),
    /// The text came back from the person's own editor.
    Edited(Result<String, EditError>),
}

impl Update for PromptEditor {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::File(message) => {
                let (news, said) = self.file.update(message);
                let mut effects = self.handle_file_news(news);
                effects.extend(said);
                effects
            }
            Message::Preview(message) => {
                let text = || self.file.edit.whole_text(|| self.editor.text()).ok();
                self.pane.update(message, text)
            }
            Message::Versions(read) => PromptVersions::update(&mut self.versions, read),
            Message::BuiltIn(Ok(text)) => self.take_built_in(&text),
            Message::BuiltIn(Err(why)) => say_error(why),
            Message::DraftFound(draft) => self.restore_draft(&draft),
            Message::Edited(text) => self.replace_from_outside(text),
        }
    }
}

impl Screen for PromptEditor {
    fn key_context(&self) -> Context {
        Context::PromptEditor
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        let mut effects = self.file.read_and_watch();
        effects.push(self.pane.open_place(self.at.take()));
        effects
    }

    fn is_typing(&self) -> bool {
        self.is_typing || self.has_overlay()
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        self.handle_editor_action(action)
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.handle_text_key(key)
    }

    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        self.paste_text(paste)
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        self.draw_editor(buffer, area, context)
    }

    fn describe_status(&self) -> String {
        let text = self
            .file
            .edit
            .describe_status(self.pane.preview.fault.as_ref());
        match self.is_typing {
            true => format!("writing · {text} · Ctrl-D saves, Esc stops writing"),
            false => text,
        }
    }

    fn list_hints(&self) -> Vec<Action> {
        // While keys are text none of them asks for anything.
        if Screen::is_typing(self) {
            return Vec::new();
        }
        let edit = &self.file.edit;
        let save = edit.is_changed().then_some(Action::SavePrompt);
        let accept = edit.breaks_pin().then_some(Action::AcceptPrompt);
        let hints = save.into_iter().chain(accept);
        let hints = hints.chain([
            Action::Edit,
            Action::TryPrompt,
            Action::ChooseTurn,
            Action::NextTurn,
            Action::Difference,
            Action::Versions,
            Action::ComparePrompts,
        ]);
        hints.collect()
    }
}
