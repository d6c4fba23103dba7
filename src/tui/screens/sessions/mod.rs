//! The sessions: what there is at a glance, found by typing, and where every debate is opened from.
//!
//! | file | what it is |
//! |---|---|
//! | `stock` | what was read of each session |
//! | `sift`, `arrange` | filter; order and headings |
//! | `view` | the arranged lines and the choice among them |
//! | `columns`, `table`, `foot`, `paint` | drawing |
//! | `prompt` | one line that is asked for |
//! | `history` | undo and redo |
//! | `finds` | search over all sessions |
//! | `acts`, `heard` | what each action does; what came of deeds |

mod acts;
mod arrange;
mod columns;
mod finds;
mod foot;
mod heard;
mod history;
mod paint;
mod prompt;
mod sift;
mod stock;
mod table;
mod view;

use crate::debate::{RunId, SessionId};
use crate::tui::app::{Brush, Effect, Screen, Told};
use crate::tui::input::{Key, Paste};
use crate::tui::keep::{Kept, KeptList};
use crate::tui::keys::{Action, Context, KeyTable};
use crate::tui::parts::above_status;
use arrange::Arrangement;
use finds::Finds;
use history::History;
use prompt::Prompt;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;
use stock::Stock;
use view::View;

/// The screen of all sessions.
pub struct Sessions {
    stock: Stock,
    how: Arrangement,
    view: View,
    /// Something changed since the list was arranged.
    stale: bool,
    history: History,
    prompt: Option<Prompt>,
    finds: Option<Finds>,
    /// The left side of a comparison.
    marked: Option<SessionId>,
    /// The session whose fork was asked for from here.
    forking: Option<SessionId>,
    /// An export was asked for from here.
    exporting: bool,
    keys: Arc<KeyTable>,
}

impl Sessions {
    /// A list that is to be read: whoever shows it asks for [`Deed::List`](crate::tui::app::Deed).
    /// `keys` name what a newcomer is to press.
    pub fn new(kept: &KeptList, keys: Arc<KeyTable>) -> Self {
        Self {
            stock: Stock::default(),
            how: Arrangement::of(kept),
            view: View::default(),
            stale: true,
            history: History::default(),
            prompt: None,
            finds: None,
            marked: None,
            forking: None,
            exporting: false,
            keys,
        }
    }

    /// Arranges the list if anything changed.
    fn refresh(&mut self) {
        if std::mem::take(&mut self.stale) {
            self.view.arrange(&self.stock, &self.how);
        }
    }
}

impl Screen for Sessions {
    fn context(&self) -> Context {
        Context::Sessions
    }

    fn is_typing(&self) -> bool {
        self.prompt.is_some()
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.refresh();
        self.answer(action)
    }

    fn typed(&mut self, key: Key) -> Vec<Effect> {
        self.refresh();
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
        match &self.finds {
            Some(finds) => finds.status(),
            // How many there are stands above the list.
            None => match self.stock.servers() {
                Some(servers) if !self.is_first_start() => servers.to_owned(),
                Some(_) | None => self.count(),
            },
        }
    }

    fn hints(&self) -> Vec<Action> {
        self.useful()
    }

    fn run(&self) -> Option<RunId> {
        let glance = self.chosen()?.found.as_ref().ok()?;
        glance.summary.run.clone()
    }

    fn keep(&self, kept: &mut Kept) {
        kept.list = self.how.kept();
    }

    fn returned(&mut self) -> Vec<Effect> {
        vec![Effect::Do(crate::tui::app::Deed::List)]
    }
}
