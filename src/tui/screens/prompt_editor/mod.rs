//! Prompt editor: the text of one prompt, with a preview of what a seat would be shown.
//!
//! | file | content |
//! |---|---|
//! | `actions` | actions of the screen |
//! | `typing` | keys and pastes while a text is typed |
//! | `heard` | results of commands |
//! | `over` | overlays: turns, questions |
//! | `versions` | versions of the prompt |
//! | `preview` | preview of the text |
//! | `view` | drawing |

mod actions;
mod heard;
mod over;
mod preview;
mod typing;
mod versions;
mod view;

use super::inspect::Origins;
use crate::experiments::PromptPreview;
use crate::tui::app::Draft;
use crate::tui::app::{
    Deed, DrawContext, Effect, PromptAt, PromptDeed, Screen, Staged, Ticket, Told, Update,
};
use crate::tui::keys::{Action, Context};
use crate::tui::terminal::Paste;
use crate::tui::widgets::Content;
use crate::tui::widgets::Marking;
use crate::tui::widgets::ScrollList;
use crate::tui::widgets::{Editor, LineInput, above_status};
use crate::workspace::prompts::{AskedFor, Pin, PromptName, PromptText, TextFault};
use over::Over;
use preview::PreviewItem;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

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
    staged: Option<Arc<Staged>>,
    /// Preview of the last usable text, and the fault of the latest one.
    shown: Option<Arc<PromptPreview>>,
    fault: Option<TextFault>,
    /// Of the text that was shown last, and of the one that is being shown.
    answered: Ticket,
    ticket: Ticket,
    items: Vec<PreviewItem>,
    origins: Origins,
    roll: ScrollList,
    /// Differences to what was recorded, instead of parts.
    difference: bool,
    focus: EditorPane,
    zoomed: bool,
    wanted: String,
    searching: Option<LineInput>,
    over: Option<Over>,
    content: Content,
    marking: Marking,
    is_wide: bool,
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
            name: name.clone(),
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
            answered: Ticket(0),
            ticket: Ticket(0),
            items: Vec::new(),
            origins: Origins::default(),
            roll: ScrollList::default(),
            difference: false,
            focus: EditorPane::Text,
            zoomed: false,
            wanted: String::new(),
            searching: None,
            over: None,
            content: Content::Shown,
            marking: Marking::Look,
            is_wide: true,
        };
        let open = PromptDeed::Open(name, at);
        vec![
            Effect::Show(Box::new(screen)),
            Effect::Do(Deed::Prompt(open)),
        ]
    }

    /// Asks for reports of changes of the file by other programs.
    fn watch(&self) -> Effect {
        Effect::Do(Deed::Prompt(PromptDeed::Watch(self.name.clone())))
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
        Effect::Do(Deed::Draft(Draft {
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

    /// Asks what a text shows.
    fn look(&mut self, text: String) -> Option<Effect> {
        let staged = self.staged.as_ref()?;
        self.ticket.0 += 1;
        let deed = PromptDeed::Show(self.ticket, Arc::clone(&staged.stage), text);
        Some(Effect::Do(Deed::Prompt(deed)))
    }

    /// The place that is looked at, among its neighbours.
    fn place(&self) -> Option<(&crate::debate::SessionId, &AskedFor)> {
        let place = self.staged.as_ref()?.stage.place.as_ref()?;
        Some((&place.0, &place.1))
    }

    /// Says whether a pane is drawn; there may be room for one only.
    fn sees(&self, pane: EditorPane) -> bool {
        (self.is_wide && !self.zoomed) || self.focus == pane
    }
}

/// Result of a task of this screen.
pub enum Message {
    DraftFound(Draft),
    /// The text came back from the person's own editor.
    Edited(Result<String, String>),
}

impl Update for PromptEditor {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::DraftFound(draft) => self.draft_found(&draft),
            Message::Edited(text) => self.edited_outside(text),
        }
    }
}

impl Screen for PromptEditor {
    fn context(&self) -> Context {
        Context::PromptEditor
    }

    fn is_typing(&self) -> bool {
        self.is_typing || self.searching.is_some() || self.over.is_some()
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

    fn told(&mut self, told: &Told) -> Vec<Effect> {
        self.hear(told)
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        self.paint(buffer, above_status(area), brush)
    }

    fn status(&self) -> String {
        self.status_text()
    }

    fn returned(&mut self) -> Vec<Effect> {
        // The screen above may have watched another file.
        vec![self.watch()]
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
