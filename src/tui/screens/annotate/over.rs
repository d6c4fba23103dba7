//! Overlays of the labelling screen: the codebook, what the seat saw, and typed lines.

use super::Annotate;
use crate::annotation::labelling::{codebook_sections, label_keys, view_page};
use crate::terminal::Paste;
use crate::tui::app::{Effect, say};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::theme::Role;
use crate::tui::widgets::{Content, LineInput, Page, Paragraph, prose};
use crate::workspace::annotations::Revealing;
use ratatui::crossterm::event::{KeyCode, KeyEvent};

/// Overlay over the page.
pub(super) enum Over {
    /// A text to be read.
    Page(OverlayPage),
    /// A line that is typed.
    Line(TypedLine, LineInput),
}

/// A text to be read.
pub(super) struct OverlayPage {
    pub title: String,
    pub page: Page,
    /// Hidden content of the page.
    hides: Hides,
}

/// Hidden content of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hides {
    Nothing,
    Words,
}

/// Use of a typed line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypedLine {
    Note,
    /// Words of one's own, in place of a label.
    Words,
}

impl Over {
    pub(super) fn is_typing(&self) -> bool {
        match self {
            Over::Line(..) => true,
            Over::Page(_) => false,
        }
    }

    /// Returns what is said below a page; keys are named by their marks.
    pub(super) fn hint(&self) -> String {
        let hides = match self {
            Over::Page(page) => page.hides,
            Over::Line(..) => Hides::Nothing,
        };
        let back = key_for(Context::Annotate, Action::Back);
        match hides {
            Hides::Nothing => format!(" {back} goes back "),
            Hides::Words => format!(
                " {back} goes back; {} shows what is hidden: labels to come are then not blind ",
                key_for(Context::Annotate, Action::Reveal)
            ),
        }
    }

    fn page(title: &str, items: Vec<Vec<Paragraph>>, hides: Hides) -> Self {
        Over::Page(OverlayPage {
            title: title.to_owned(),
            page: Page::of(items),
            hides,
        })
    }

    /// Everything that a seat was shown.
    pub(super) fn whole_view(messages: &[String], content: Content) -> Self {
        let items = messages
            .iter()
            .map(|message| prose(Role::Text, 0, &content.of(message)));
        Self::page("all of what the seat saw", items.collect(), Hides::Nothing)
    }
}

impl Annotate {
    pub(super) fn open_codebook(&mut self) -> Vec<Effect> {
        let Some(card) = &self.card else {
            return Vec::new();
        };
        let book = &card.book;
        let mut items = vec![label_keys(&book.set)];
        items.extend(codebook_sections(&book.codebook));
        let title = format!("codebook of '{}'", book.set.id);
        self.over = Some(Over::page(&title, items, Hides::Nothing));
        Vec::new()
    }

    /// Shows what the seat was shown, without what would unblind.
    pub(super) fn open_saw(&mut self) -> Vec<Effect> {
        let Some((sheet, Some(at))) = self.sheet() else {
            return say("no model was shown a debate as a whole");
        };
        let Some(turn) = sheet.turns.get(at).filter(|turn| !turn.saw.is_empty()) else {
            return say("what the seat was shown is not known here");
        };
        let items = view_page(turn, self.content);
        self.over = Some(Over::page("what the seat saw", items, Hides::Words));
        Vec::new()
    }

    /// Answers an action while something lies over the page.
    pub(super) fn answer_over(&mut self, action: Action) -> Vec<Effect> {
        let hides = match &self.over {
            Some(Over::Page(page)) => page.hides,
            Some(Over::Line(..)) | None => Hides::Nothing,
        };
        match action {
            Action::Back | Action::Codebook | Action::Inspect => {
                self.over = None;
                return Vec::new();
            }
            Action::Reveal if hides == Hides::Words => return self.reveal(Revealing::View),
            _ => {}
        }
        if let Some(Over::Page(over)) = &mut self.over {
            over.page.act(action);
        }
        Vec::new()
    }

    /// Takes a key while a line is typed.
    pub(super) fn line_typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        let Some(Over::Line(line, typed)) = &mut self.over else {
            return Vec::new();
        };
        match key.code {
            KeyCode::Esc => {
                self.over = None;
                say("nothing was kept")
            }
            KeyCode::Enter => {
                let (line, text) = (*line, typed.text().trim().to_owned());
                self.over = None;
                match line {
                    TypedLine::Words => self.give_words(&text),
                    TypedLine::Note => {
                        let mut pending = self.pending_here();
                        let words = match text.is_empty() {
                            true => "no note",
                            false => "noted",
                        };
                        pending.note = Some(text).filter(|text| !text.is_empty());
                        self.keep_along(pending, words)
                    }
                }
            }
            _ => {
                typed.key(key);
                Vec::new()
            }
        }
    }

    pub(super) fn line_pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        match &mut self.over {
            Some(Over::Line(_, typed)) => {
                typed.paste(&paste.text);
                Vec::new()
            }
            Some(Over::Page(_)) | None => {
                say("a pasted text labels nothing; open a note for it first")
            }
        }
    }
}
