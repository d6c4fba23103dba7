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
    Broadcast, Command, DrawContext, Effect, Screen, Task, Update, copy_text, say_notice,
    show_in_pager, show_screen,
};
use crate::tui::keys::{Action, Context, key_for, typed_char};
use crate::tui::popups::{Dialog, DialogAnswer};
use crate::tui::widgets::Page;
use elenchus_annotation::labelling::{
    BegunFrom, EarlierTurns, LabelProgress, LabellingEffect, LabellingKeys, LabellingRead,
    LabellingState, LabellingUpdate, LabellingWork, LabellingWrite, OtherKey,
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
    labelling: LabellingState,
    overlay: Option<TextOverlay>,
    dialog: Option<Dialog<TypedLine>>,
    focus: AnnotatePane,
    question: Page,
    turn: Page,
    /// Since when the item is on the screen.
    shown_at: Option<Instant>,
    begun_from: BegunFrom,
}

/// Use of a typed line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TypedLine {
    Note,
    /// Words of one's own, in place of a label.
    Words,
    /// The name that labels are given under.
    Annotator,
}

/// Pane that scrolls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnnotatePane {
    Question,
    Turn,
}

impl AnnotatePane {
    fn other_pane(self) -> Self {
        match self {
            AnnotatePane::Question => AnnotatePane::Turn,
            AnnotatePane::Turn => AnnotatePane::Question,
        }
    }
}

/// Returns the mark of a key of the labelling screen.
fn labelling_key(action: Action) -> char {
    key_for(Context::Annotate, action)
}

impl Annotate {
    /// A screen that nothing lies under.
    pub fn from_command_line(work: LabellingWork) -> Self {
        Self::new(work, BegunFrom::CommandLine)
    }

    /// Opens the screen on top of another.
    pub fn show_work(work: LabellingWork) -> Vec<Effect> {
        show_screen(Self::new(work, BegunFrom::Screen))
    }

    fn new(work: LabellingWork, begun_from: BegunFrom) -> Self {
        let keys = LabellingKeys {
            open: labelling_key(Action::Open),
            reveal: labelling_key(Action::Reveal),
            quit: labelling_key(Action::Quit),
        };
        Self {
            labelling: LabellingState::new(work, begun_from, keys),
            overlay: None,
            dialog: None,
            focus: AnnotatePane::Turn,
            question: Page::default(),
            turn: Page::default(),
            shown_at: None,
            begun_from,
        }
    }

    /// Reads what is to be labelled, as it is for whoever labels now.
    fn read_work(&mut self) -> Vec<Effect> {
        let begin = self.labelling.initial_read();
        self.perform_effects(vec![begin])
    }

    /// Asks once under which name labels are given: they are kept under it.
    fn ask_annotator(&mut self, proposal: &str) -> Vec<Effect> {
        let hint = "Enter labels under this name; it is asked once · Esc leaves";
        let title = "Labels are kept under your name";
        let question = Dialog::new_proposal(title, hint, proposal, TypedLine::Annotator);
        self.dialog = Some(question);
        Vec::new()
    }

    fn take_annotator(&mut self, name: String) -> Vec<Effect> {
        if name.trim().is_empty() {
            return self.ask_annotator("");
        }
        // What is to be labelled is read once the name is taken.
        vec![Effect::Do(Command::LabelAs(name))]
    }

    /// Makes the pages of the item on the screen.
    fn make_pages(&mut self) {
        let [question, turn] = self.labelling.build_pages();
        (self.question, self.turn) = (Page::from_texts(question), Page::from_texts(turn));
    }

    /// Performs what the sitting wants done, in its order.
    fn perform_effects(&mut self, wanted: Vec<LabellingEffect>) -> Vec<Effect> {
        let effects = wanted.into_iter();
        effects.filter_map(|one| self.perform_effect(one)).collect()
    }

    fn perform_effect(&mut self, effect: LabellingEffect) -> Option<Effect> {
        match effect {
            LabellingEffect::ItemShown => {
                (self.overlay, self.dialog) = (None, None);
                self.focus = AnnotatePane::Turn;
                self.make_pages();
                self.shown_at = None;
            }
            LabellingEffect::PageChanged => self.make_pages(),
            LabellingEffect::TimeBegins => self.shown_at = None,
            LabellingEffect::TypeWords => {
                let title = match self.labelling.earlier_words().as_str() {
                    "" => "words, with commas; Enter labels".to_owned(),
                    earlier => format!("words, with commas; so far {earlier}"),
                };
                self.dialog = Some(Dialog::new_foot_prompt(&title, "", TypedLine::Words));
            }
            LabellingEffect::ShowText(text) => self.overlay = Some(TextOverlay::new(text)),
            LabellingEffect::CloseText => self.overlay = None,
            LabellingEffect::Leave => return Some(Effect::Leave),
            LabellingEffect::Say(role, text) => return Some(Effect::Say(role, text)),
            LabellingEffect::KeepNote(draft) => return Some(Effect::Do(Command::Draft(draft))),
            LabellingEffect::FindNote(at, place) => {
                let to_message = move |draft| {
                    Message::Labelling(Box::new(LabellingUpdate::NoteFound(at, draft)))
                };
                return Some(Effect::Start(Task::find_draft(place, to_message)));
            }
            LabellingEffect::Read(read) => return Some(Effect::Start(read_task(read))),
            LabellingEffect::Write(mut write) => {
                let elapsed_ms = self.shown_at.map(|at| at.elapsed().as_millis());
                write.set_duration(elapsed_ms.unwrap_or(0));
                return Some(Effect::Start(write_task(write)));
            }
        }
        None
    }

    fn handle_overlay_answer(&mut self, answer: OverlayAnswer) -> Vec<Effect> {
        match answer {
            OverlayAnswer::Stays => Vec::new(),
            OverlayAnswer::Closes => {
                self.overlay = None;
                Vec::new()
            }
            OverlayAnswer::Reveal => {
                let effects = self.labelling.reveal(Revealing::View);
                self.perform_effects(effects)
            }
        }
    }
}

/// Reads something for the sitting.
fn read_task(read: LabellingRead) -> Task {
    Task::new_blocking("read for labelling", move |services| {
        if read.needs_record_first() {
            drop(services.shown_here.blocking_lock());
        }
        let update = read.perform(&services.store, &services.library);
        Message::Labelling(Box::new(update))
    })
}

/// Finds out whether it is known who labels.
fn find_annotator() -> Task {
    Task::new_blocking("find out who labels", |services| {
        Message::Annotator(services.propose_annotator())
    })
}

/// Writes something of the sitting.
fn write_task(write: LabellingWrite) -> Task {
    Task::new_stream("write for labelling", |services, replies| async move {
        let (store, journal) = (&services.store, &services.annotations);
        let news = write.perform(store, journal, &services.shown_here);
        replies.send_message(Message::Labelling(Box::new(news.await)));
    })
}

/// Result of a task of this screen.
pub enum Message {
    Labelling(Box<LabellingUpdate>),
    /// The name to propose where nobody has said who labels.
    Annotator(Option<String>),
}

impl Update for Annotate {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Labelling(news) => {
                let effects = self.labelling.handle_news(*news);
                self.perform_effects(effects)
            }
            Message::Annotator(None) => self.read_work(),
            Message::Annotator(Some(proposal)) => self.ask_annotator(&proposal),
        }
    }
}

impl Screen for Annotate {
    fn key_context(&self) -> Context {
        Context::Annotate
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        vec![Effect::Start(find_annotator())]
    }

    fn handle_broadcast(&mut self, news: &Broadcast) -> Vec<Effect> {
        match news {
            Broadcast::Annotator(..) => self.read_work(),
            Broadcast::Live(..) | Broadcast::Run(_) => Vec::new(),
        }
    }

    fn is_typing(&self) -> bool {
        self.dialog.is_some()
    }

    fn intercept_key(&mut self, key: KeyEvent) -> Option<Vec<Effect>> {
        if self.overlay.is_some() {
            return None;
        }
        let letter = typed_char(key).filter(char::is_ascii_lowercase)?;
        let effects = self.labelling.handle_letter(letter)?;
        Some(self.perform_effects(effects))
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        if let Some(overlay) = &mut self.overlay {
            let answer = overlay.handle_action(action);
            return self.handle_overlay_answer(answer);
        }
        let labelling = &mut self.labelling;
        let key = match action {
            Action::Back => OtherKey::Back,
            Action::Open => OtherKey::Open,
            Action::Undo | Action::Interrupt => OtherKey::Always,
            _ => OtherKey::WhileLabelling,
        };
        if let Some(effects) = labelling.handle_other_key(key) {
            return self.perform_effects(effects);
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        let effects = match action {
            Action::Undo => labelling.undo(),
            Action::Redo => labelling.redo(),
            Action::NextTurn => labelling.step(1),
            Action::PreviousTurn => labelling.step(-1),
            Action::NextUnlabelled => labelling.go_to_unlabelled_item(),
            Action::NextDisagreement => labelling.next_disagreement(),
            Action::Difference => labelling.toggle_difference(),
            Action::Flag => labelling.toggle_flag(),
            Action::Reveal => labelling.reveal(Revealing::Verdict),
            Action::Names => labelling.toggle_names(),
            Action::NextSet => labelling.switch_set(),
            Action::SaidBefore => {
                self.focus = match labelling.toggle_earlier() {
                    EarlierTurns::Folded => AnnotatePane::Turn,
                    EarlierTurns::Unfolded => AnnotatePane::Question,
                };
                vec![LabellingEffect::PageChanged]
            }
            Action::Codebook => labelling.open_codebook(),
            Action::Inspect => labelling.open_view(),
            Action::Note => {
                let title = "note; Enter keeps it, Esc does not";
                let note = labelling.label_note();
                self.dialog = Some(Dialog::new_foot_prompt(title, &note, TypedLine::Note));
                Vec::new()
            }
            Action::FocusNext | Action::FocusPrevious | Action::Left | Action::Right => {
                self.focus = self.focus.other_pane();
                Vec::new()
            }
            Action::Copy => return copy_text(labelling.current_text()),
            Action::Pager => return show_in_pager(labelling.current_text()),
            action => {
                match self.focus {
                    AnnotatePane::Question => self.question.handle_action(action),
                    AnnotatePane::Turn => self.turn.handle_action(action),
                };
                Vec::new()
            }
        };
        self.perform_effects(effects)
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        let effects = match Dialog::answer_key(&mut self.dialog, key) {
            Some(DialogAnswer::Line(TypedLine::Words, text)) => self.labelling.give_words(&text),
            Some(DialogAnswer::Line(TypedLine::Note, text)) => self.labelling.set_note(text),
            Some(DialogAnswer::Line(TypedLine::Annotator, name)) => {
                return self.take_annotator(name);
            }
            Some(DialogAnswer::Left(TypedLine::Annotator)) => {
                return match self.begun_from {
                    BegunFrom::Screen => vec![Effect::Leave],
                    BegunFrom::CommandLine => vec![Effect::Quit],
                };
            }
            Some(DialogAnswer::Left(_)) => return say_notice("nothing was kept"),
            Some(DialogAnswer::Item(..) | DialogAnswer::Yes(_)) | None => return Vec::new(),
        };
        self.perform_effects(effects)
    }

    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        match &mut self.dialog {
            Some(typed) => {
                typed.paste_text(&paste.text);
                Vec::new()
            }
            None => say_notice("a pasted text labels nothing; open a note for it first"),
        }
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let marking = context.look.marking();
        let effects = self.labelling.show_as(context.content, marking);
        self.perform_effects(effects);
        self.shown_at.get_or_insert(context.now);
        self.draw_labelling(buffer, area, context)
    }

    fn describe_status(&self) -> String {
        self.labelling.describe_progress()
    }

    fn list_hints(&self) -> Vec<Action> {
        if self.dialog.is_some() {
            // The box says itself what its keys do.
            return Vec::new();
        }
        if self.labelling.progress() == LabelProgress::Done {
            return vec![Action::Open, Action::Back];
        }
        if self.labelling.is_asking() {
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

    fn describe_open_work(&self) -> Option<String> {
        let is_saving = self.labelling.is_saving();
        is_saving.then(|| "a label is being made durable".to_owned())
    }

    fn handle_return(&mut self) -> Vec<Effect> {
        self.shown_at = None;
        Vec::new()
    }
}
