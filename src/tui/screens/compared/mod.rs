//! Two prompts compared on recorded turns: planned, played, and what they came to.

use crate::driver::prompt_desk::PromptName;
use crate::driver::tries::{AbArm, AbState};
use crate::tui::app::{Brush, Deed, Effect, Screen, Told, TryDeed, TryTold};
use crate::tui::input::{Key, Paste};
use crate::tui::keys::{Action, Context};
use crate::tui::parts::lines::lay_out;
use crate::tui::parts::paragraph::Paragraph;
use crate::tui::parts::{Rows, above_status};
use crate::tui::screens::rows::row;
use crate::tui::screens::said::said;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// Which prompts are to be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompareWish {
    pub prompt: PromptName,
    pub a: AbArm,
    pub b: AbArm,
}

/// Shows two prompts that are to be compared; without any, the comparisons that there are.
pub fn show(_wish: Option<CompareWish>) -> Vec<Effect> {
    let screen = Comparisons {
        known: None,
        rows: Rows::new(0),
    };
    vec![
        Effect::Show(Box::new(screen)),
        Effect::Do(Deed::Try(TryDeed::ListComparisons)),
    ]
}

/// The list of comparisons.
pub struct Comparisons {
    known: Option<Arc<Vec<Result<AbState, String>>>>,
    rows: Rows,
}

impl Screen for Comparisons {
    fn context(&self) -> Context {
        Context::PromptsCompared
    }

    fn is_typing(&self) -> bool {
        false
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        self.rows.act(action);
        match action {
            Action::Back => vec![Effect::Leave],
            Action::Interrupt => vec![Effect::Quit],
            _ => Vec::new(),
        }
    }

    fn typed(&mut self, _key: Key) -> Vec<Effect> {
        Vec::new()
    }

    fn pasted(&mut self, _paste: &Paste) -> Vec<Effect> {
        Vec::new()
    }

    fn told(&mut self, told: &Told) -> Vec<Effect> {
        match told {
            Told::Try(TryTold::Comparisons(known)) => {
                self.rows.set_len(known.len());
                self.known = Some(Arc::clone(known));
                Vec::new()
            }
            other => said(other),
        }
    }

    fn draw(&mut self, buffer: &mut Buffer, area: Rect, brush: Brush<'_>) -> Option<Position> {
        let area = above_status(area);
        let lines: Vec<Paragraph> = match self.known.as_ref().map(|known| known.as_slice()) {
            None => vec![Paragraph::of(Role::Muted, "reading comparisons")],
            Some([]) => vec![Paragraph::of(Role::Notice, "no prompts were compared yet")],
            Some(known) => known.iter().map(line).collect(),
        };
        for (y, line) in (area.y..area.bottom()).zip(lay_out(&lines, area.width.into())) {
            line.put(buffer, row(area, y), brush.look);
        }
        None
    }

    fn status(&self) -> String {
        format!("{} comparisons", self.rows.len())
    }

    fn hints(&self) -> Vec<Action> {
        vec![Action::Open, Action::Back]
    }
}

fn line(known: &Result<AbState, String>) -> Paragraph {
    match known {
        Ok(state) => {
            let [a, b] = &state.manifest.arms;
            let text = format!("{}: {} against {}", state.manifest.template, a.name, b.name);
            Paragraph::of(Role::Text, text)
        }
        Err(why) => Paragraph::of(Role::Error, why.clone()),
    }
}
