//! Labelling screen: one item after the other, one key a label. What is shown, what letters do and what is
//! written is the [`Sitting`]'s.
//!
//! | file | content |
//! |---|---|
//! | `text_overlay` | texts over an item: codebook, what the seat saw |
//! | `view` | drawing |

mod text_overlay;
mod view;

use crate::tui::app::{
    Command, DrawContext, Effect, Screen, Task, Update, copy, say, show, show_in_pager,
};
use crate::tui::keys::{Action, Context, key_for, typed_char};
use crate::tui::popups::{Dialog, DialogAnswer};
use crate::tui::widgets::Page;
use elenchus_annotation::labelling::{
    BegunFrom, EarlierTurns, LabelProgress, LabellingWork, OtherKey, Sitting, SittingEffect,
    SittingKeys, SittingNews, SittingRead, SittingWrite,
};
use elenchus_records::workspace::annotations::Revealing;
use elenchus_terminal::Paste;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::time::Instant;
use text_overlay::{OverlayAnswer, TextOverlay};

/// The screen on which turns are labelled.
pub struct Annotate {
    sitting: Sitting,
    overlay: Option<TextOverlay>,
    typed: Option<Dialog<TypedLine>>,
    focus: AnnotatePane,
    question: Page,
    turn: Page,
    /// Since when the item is on the screen.
    shown_at: Option<Instant>,
}

/// Use of a typed line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TypedLine {
    Note,
    /// Words of one's own, in place of a label.
    Words,
}

/// Pane that scrolls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnnotatePane {
    Question,
    Turn,
}

impl AnnotatePane {
    fn other(self) -> Self {
        match self {
            AnnotatePane::Question => AnnotatePane::Turn,
            AnnotatePane::Turn => AnnotatePane::Question,
        }
    }
}

/// Returns the mark of a key of the labelling screen.
fn key(action: Action) -> char {
    key_for(Context::Annotate, action)
}

impl Annotate {
    /// A screen that nothing lies under.
    pub fn of(work: LabellingWork) -> Self {
        Self::new(work, BegunFrom::CommandLine)
    }

    /// Opens the screen on top of another.
    pub fn show(work: LabellingWork) -> Vec<Effect> {
        show(Self::new(work, BegunFrom::Screen))
    }

    fn new(work: LabellingWork, begun_from: BegunFrom) -> Self {
        let keys = SittingKeys {
            open: key(Action::Open),
            reveal: key(Action::Reveal),
            quit: key(Action::Quit),
        };
        Self {
            sitting: Sitting::new(work, begun_from, keys),
            overlay: None,
            typed: None,
            focus: AnnotatePane::Turn,
            question: Page::default(),
            turn: Page::default(),
            shown_at: None,
        }
    }

    /// Makes the pages of the item on the screen.
    fn make_pages(&mut self) {
        let [question, turn] = self.sitting.pages();
        (self.question, self.turn) = (Page::of_texts(question), Page::of_texts(turn));
    }

    /// Performs what the sitting wants done, in its order.
    fn perform(&mut self, wanted: Vec<SittingEffect>) -> Vec<Effect> {
        let wanted = wanted.into_iter();
        wanted.filter_map(|one| self.perform_one(one)).collect()
    }

    fn perform_one(&mut self, wanted: SittingEffect) -> Option<Effect> {
        match wanted {
            SittingEffect::ItemShown => {
                (self.overlay, self.typed) = (None, None);
                self.focus = AnnotatePane::Turn;
                self.make_pages();
                self.shown_at = None;
            }
            SittingEffect::PageChanged => self.make_pages(),
            SittingEffect::TimeBegins => self.shown_at = None,
            SittingEffect::TypeWords => {
                let title = match self.sitting.earlier_words().as_str() {
                    "" => "words, with commas; Enter labels".to_owned(),
                    earlier => format!("words, with commas; so far {earlier}"),
                };
                self.typed = Some(Dialog::line_at_foot(&title, "", TypedLine::Words));
            }
            SittingEffect::ShowText(text) => self.overlay = Some(TextOverlay::new(text)),
            SittingEffect::CloseText => self.overlay = None,
            SittingEffect::Leave => return Some(Effect::Leave),
            SittingEffect::Say(role, text) => return Some(Effect::Say(role, text)),
            SittingEffect::KeepNote(draft) => return Some(Effect::Do(Command::Draft(draft))),
            SittingEffect::FindNote(at, place) => {
                let found = move |draft| SittingNews::NoteFound(at, draft);
                return Some(Effect::Start(Task::find_draft(place, found)));
            }
            SittingEffect::Read(read) => return Some(Effect::Start(read_task(read))),
            SittingEffect::Write(mut write) => {
                let spent = self.shown_at.map(|at| at.elapsed().as_millis());
                write.took(spent.unwrap_or(0));
                return Some(Effect::Start(write_task(write)));
            }
        }
        None
    }

    fn act_on_overlay(&mut self, answer: OverlayAnswer) -> Vec<Effect> {
        match answer {
            OverlayAnswer::Stays => Vec::new(),
            OverlayAnswer::Closes => {
                self.overlay = None;
                Vec::new()
            }
            OverlayAnswer::Reveal => {
                let wanted = self.sitting.reveal(Revealing::View);
                self.perform(wanted)
            }
        }
    }
}

/// Reads something for the sitting.
fn read_task(read: SittingRead) -> Task {
    Task::blocking("read for labelling", move |services| {
        if read.tells_what_was_seen() {
            drop(services.sights.blocking_lock());
        }
        read.perform(&services.tools.desk, &services.tools.library)
    })
}

/// Writes something of the sitting.
fn write_task(write: SittingWrite) -> Task {
    Task::stream("write for labelling", |services, replies| async move {
        let (desk, journal) = (&services.tools.desk, &services.annotations);
        replies.send(write.perform(desk, journal, &services.sights).await);
    })
}

/// Result of a task of this screen.
pub type Message = SittingNews;

impl Update for Annotate {
    type Message = Message;

    fn update(&mut self, news: Message) -> Vec<Effect> {
        let wanted = self.sitting.take(news);
        self.perform(wanted)
    }
}

impl Screen for Annotate {
    fn context(&self) -> Context {
        Context::Annotate
    }

    fn opened(&mut self) -> Vec<Effect> {
        let begin = self.sitting.begin();
        self.perform(vec![begin])
    }

    fn is_typing(&self) -> bool {
        self.typed.is_some()
    }

    fn takes(&mut self, key: KeyEvent) -> Option<Vec<Effect>> {
        if self.overlay.is_some() {
            return None;
        }
        let letter = typed_char(key).filter(char::is_ascii_lowercase)?;
        let wanted = self.sitting.letter(letter)?;
        Some(self.perform(wanted))
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        if let Some(overlay) = &mut self.overlay {
            let answer = overlay.act(action);
            return self.act_on_overlay(answer);
        }
        let sitting = &mut self.sitting;
        let key = match action {
            Action::Back => OtherKey::Back,
            Action::Open => OtherKey::Open,
            Action::Undo | Action::Interrupt => OtherKey::Always,
            _ => OtherKey::WhileLabelling,
        };
        if let Some(wanted) = sitting.other_key(key) {
            return self.perform(wanted);
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        let wanted = match action {
            Action::Undo => sitting.undo(),
            Action::Redo => sitting.redo(),
            Action::NextTurn => sitting.step(1),
            Action::PreviousTurn => sitting.step(-1),
            Action::NextUnlabelled => sitting.next_unlabelled(),
            Action::NextDisagreement => sitting.next_disagreement(),
            Action::Difference => sitting.toggle_difference(),
            Action::Flag => sitting.flag(),
            Action::Reveal => sitting.reveal(Revealing::Verdict),
            Action::Names => sitting.toggle_names(),
            Action::NextSet => sitting.next_set(),
            Action::SaidBefore => {
                self.focus = match sitting.toggle_earlier() {
                    EarlierTurns::Folded => AnnotatePane::Turn,
                    EarlierTurns::Unfolded => AnnotatePane::Question,
                };
                vec![SittingEffect::PageChanged]
            }
            Action::Codebook => sitting.open_codebook(),
            Action::Inspect => sitting.open_view(),
            Action::Note => {
                let title = "note; Enter keeps it, Esc does not";
                let note = sitting.note();
                self.typed = Some(Dialog::line_at_foot(title, &note, TypedLine::Note));
                Vec::new()
            }
            Action::FocusNext | Action::FocusPrevious | Action::Left | Action::Right => {
                self.focus = self.focus.other();
                Vec::new()
            }
            Action::Copy => return copy(sitting.text()),
            Action::Pager => return show_in_pager(sitting.text()),
            action => {
                match self.focus {
                    AnnotatePane::Question => self.question.act(action),
                    AnnotatePane::Turn => self.turn.act(action),
                };
                Vec::new()
            }
        };
        self.perform(wanted)
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        let wanted = match Dialog::answer(&mut self.typed, key) {
            Some(DialogAnswer::Line(TypedLine::Words, text)) => self.sitting.give_words(&text),
            Some(DialogAnswer::Line(TypedLine::Note, text)) => self.sitting.take_note(text),
            Some(DialogAnswer::Left(_)) => return say("nothing was kept"),
            Some(DialogAnswer::Item(..) | DialogAnswer::Yes(_)) | None => return Vec::new(),
        };
        self.perform(wanted)
    }

    fn pasted(&mut self, paste: &Paste) -> Vec<Effect> {
        match &mut self.typed {
            Some(typed) => {
                typed.paste(&paste.text);
                Vec::new()
            }
            None => say("a pasted text labels nothing; open a note for it first"),
        }
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let marking = brush.look.marking();
        let wanted = self.sitting.show_as(brush.content, marking);
        self.perform(wanted);
        self.shown_at.get_or_insert(brush.now);
        self.paint(buffer, area, brush)
    }

    fn status(&self) -> String {
        self.sitting.status()
    }

    fn hints(&self) -> Vec<Action> {
        if self.sitting.progress() == LabelProgress::Done {
            return vec![Action::Open, Action::Back];
        }
        if self.sitting.is_asking() {
            return vec![Action::Back];
        }
        vec![
            Action::Help,
            Action::Codebook,
            Action::SaidBefore,
            Action::Undo,
            Action::NextTurn,
            Action::Note,
            Action::Difference,
        ]
    }

    fn busy(&self) -> Option<String> {
        let is_saving = self.sitting.is_saving();
        is_saving.then(|| "a label is being made durable".to_owned())
    }

    fn returned(&mut self) -> Vec<Effect> {
        self.shown_at = None;
        Vec::new()
    }
}
