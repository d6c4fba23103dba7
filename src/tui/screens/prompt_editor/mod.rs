//! One prompt: its text, and beside it what a seat would be shown by it.
//!
//! | file | what it is |
//! |---|---|
//! | `acts` | what each action does |
//! | `typing` | keys and pastes while something is written |
//! | `heard` | what came of deeds |
//! | `over` | what lies over the text: places, questions |
//! | `versions` | every text that it had |
//! | `shown` | what the text shows, as a page |
//! | `paint` | drawing |

mod acts;
mod heard;
mod over;
mod paint;
mod shown;
mod typing;
mod versions;

use crate::driver::prompt_desk::{AskedFor, Pin, PromptName, PromptShown, PromptText, TextFault};
use crate::tui::app::{Brush, Deed, Effect, PromptAt, PromptDeed, Screen, Staged, Ticket, Told};
use crate::tui::input::{Key, Paste};
use crate::tui::keep::Draft;
use crate::tui::keys::{Action, Context};
use crate::tui::parts::differ::Marking;
use crate::tui::parts::roll::Roll;
use crate::tui::parts::secret::Content;
use crate::tui::parts::{Editor, LineInput, above_status};
use crate::tui::screens::inspect::Origins;
use over::Over;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use shown::Item;
use std::sync::Arc;

/// How the editor is opened.
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
    /// What is used, and was when the text was opened or saved.
    opened: Option<Arc<PromptText>>,
    /// How its game pins it.
    pin: Option<Pin>,
    /// Why there is nothing to edit, while there is nothing.
    empty: String,
    editor: Editor,
    /// The text differs from what is used.
    changed: bool,
    /// Something was typed since the text was opened.
    touched: bool,
    is_typing: bool,
    /// The text is in the person's own editor.
    outside: Option<Ticket>,
    /// Where it is looked at.
    staged: Option<Arc<Staged>>,
    /// What the last text showed that could be used, and what was wrong with the last one.
    shown: Option<Arc<PromptShown>>,
    fault: Option<TextFault>,
    /// Of the text that was shown last, and of the one that is being shown.
    answered: Ticket,
    ticket: Ticket,
    items: Vec<Item>,
    origins: Origins,
    roll: Roll,
    /// Differences to what was recorded, instead of parts.
    difference: bool,
    focus: Pane,
    zoomed: bool,
    wanted: String,
    searching: Option<LineInput>,
    over: Option<Over>,
    content: Content,
    marking: Marking,
    is_wide: bool,
}

/// Where keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pane {
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
            outside: None,
            staged: None,
            shown: None,
            fault: None,
            answered: Ticket(0),
            ticket: Ticket(0),
            items: Vec::new(),
            origins: Origins::default(),
            roll: Roll::default(),
            difference: false,
            focus: Pane::Text,
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

    /// Wants to be told when the file is changed by somebody else.
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

    /// Which of both panes is to be seen where there is room for one.
    fn sees(&self, pane: Pane) -> bool {
        (self.is_wide && !self.zoomed) || self.focus == pane
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

    fn typed(&mut self, key: Key) -> Vec<Effect> {
        self.take_key(key)
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        self.take_paste(paste)
    }

    fn told(&mut self, told: &Told) -> Vec<Effect> {
        self.hear(told)
    }

    fn draw(&mut self, buffer: &mut Buffer, area: Rect, brush: Brush<'_>) -> Option<Position> {
        self.paint(buffer, above_status(area), brush)
    }

    fn status(&self) -> String {
        self.standing()
    }

    fn returned(&mut self) -> Vec<Effect> {
        // Whoever lay over this may have looked at another file.
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
