//! Session comparison: two sessions side by side, with rows aligned by round, stage and chair, word
//! differences, verdicts, totals, and new verdicts of judges.
//!
//! | file | content |
//! |---|---|
//! | `page` | the rows, laid out |
//! | `header` | lines above the rows |

mod header;
mod page;

use crate::tui::app::{Broadcast, Command, DrawContext, Effect, Screen, Task, Update, say_notice};
use crate::tui::components::rejudging::{RejudgeMessage, Rejudging};
use crate::tui::components::shown_writing::{PageWritten, ShownContent, ShownForm, ShownWriting};
use crate::tui::keys::{Action, Context};
use crate::tui::theme::{GlyphSet, Glyphs};
use crate::tui::widgets::{
    Content, Focus, LayOut, Marking, ScrollList, draw_top_lines, wrap_index,
};
use elenchus_game::debate::SessionId;
use elenchus_game::debate::event::Record;
use elenchus_html::Subject as PageSubject;
use elenchus_records::workspace::pass::{self, PassVerdict};
use elenchus_run::experiments::rejudge::PassUpdate;
use elenchus_terminal::Paste;
use elenchus_view::SessionUpdate;
use elenchus_view::session_diff::{
    Comparison, DiffItem, DiffLayout, DiffOptions, DiffSide, RecordsTaken, Subject,
};
use page::{PageOptions, Pages, available_layouts};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// From this width on, both sides are side by side.
const WIDE: u16 = 100;

/// The screen that compares two sessions.
pub struct Compare {
    comparison: Comparison,
    items: Vec<DiffItem>,
    rejudging: Rejudging,
    list: ScrollList,
    /// Layout with room for two columns, and without.
    wide: DiffLayout,
    narrow: DiffLayout,
    show: PageOptions,
    writing: ShownWriting,
}

impl Compare {
    /// Compares two sessions; those that are still wanted are read once it is shown.
    pub fn from_sides(left: DiffSide, right: DiffSide) -> Self {
        let diff = Comparison::new(left, right);
        let mut compare = Self {
            comparison: diff,
            items: Vec::new(),
            rejudging: Rejudging::default(),
            list: ScrollList::default(),
            wide: DiffLayout::Beside,
            narrow: DiffLayout::Woven,
            show: PageOptions {
                text: DiffOptions {
                    layout: DiffLayout::Beside,
                    content: Content::Shown,
                    private: false,
                    folded: true,
                    marking: Marking::Look,
                },
                glyphs: Glyphs::from_set(GlyphSet::Unicode),
                is_narrow: false,
            },
            writing: ShownWriting::default(),
        };
        compare.rebuild_items(None);
        compare
    }

    fn selected_subject(&self) -> Option<Subject> {
        let item = self.items.get(self.list.cursor())?;
        Some(self.comparison.find_row(item)?.subject.clone())
    }

    /// Rebuilds the items; the cursor goes to the row that it was on.
    fn rebuild_items(&mut self, subject: Option<Subject>) {
        self.items = self.comparison.list_items(self.show.text.folded);
        self.list.set_count(self.items.len());
        let Some(subject) = subject else { return };
        let is_kept = |item: &DiffItem| {
            let row = self.comparison.find_row(item);
            row.is_some_and(|row| row.subject == subject)
        };
        if let Some(at) = self.items.iter().position(is_kept) {
            self.update_list(|list, lay_out| list.go_to_item(at, lay_out));
        }
    }

    fn as_pages(&self) -> Pages<'_> {
        Pages {
            comparison: &self.comparison,
            show: self.show,
        }
    }

    fn update_list(&mut self, how: impl FnOnce(&mut ScrollList, LayOut<'_>)) {
        let mut list = std::mem::take(&mut self.list);
        let pages = self.as_pages();
        how(&mut list, &|at, width| match self.items.get(at) {
            Some(item) => pages.lay_out(item, width),
            None => Vec::new(),
        });
        self.list = list;
    }

    fn apply_records(&mut self, session: &SessionId, records: &[Record]) -> Vec<Effect> {
        let subject = self.selected_subject();
        let outcome = self.comparison.apply_records(session, records);
        if outcome == RecordsTaken::OfNeither {
            return Vec::new();
        }
        self.rebuild_items(subject);
        match outcome {
            RecordsTaken::Unfit => vec![read_side(session)],
            RecordsTaken::OfNeither | RecordsTaken::Taken => Vec::new(),
        }
    }

    /// Goes to the next row, or to the one before.
    fn step_row(&mut self, by: isize) -> Vec<Effect> {
        let to = self.list.cursor().checked_add_signed(by);
        if let Some(to) = to.filter(|to| *to < self.items.len()) {
            self.update_list(|list, lay_out| list.go_to_item(to, lay_out));
            return Vec::new();
        }
        say_notice(match by > 0 {
            true => "this is the last row",
            false => "this is the first row",
        })
    }

    fn next_difference(&mut self) -> Vec<Effect> {
        let here = self.list.cursor();
        let Some(next) = self.comparison.next_difference(&self.items, here) else {
            return say_notice("no row has verdicts that differ");
        };
        self.update_list(|list, lay_out| list.go_to_item(next, lay_out));
        match next > here {
            true => Vec::new(),
            false => say_notice("there is no further one: this is the first"),
        }
    }

    fn switch_layout(&mut self, by: isize) {
        let layouts = available_layouts(self.show.is_narrow);
        let is_shown = |(view, _): &(DiffLayout, _)| *view == self.show.text.layout;
        let at = layouts.iter().position(is_shown).unwrap_or(0);
        if let Some((view, _)) = layouts.get(wrap_index(at, by, layouts.len())).copied() {
            if self.show.is_narrow {
                self.narrow = view;
            } else {
                self.wide = view;
            }
            self.show.text.layout = view;
            self.list.forget_lines();
        }
    }

    /// Asks in which form to write the comparison. What it shows was recorded when its sides were opened.
    fn ask_form(&mut self) -> Vec<Effect> {
        let comparison = &self.comparison;
        let name = format!("{}-{}", comparison.left.session, comparison.right.session);
        let text = comparison.full_text(self.unmasked_options());
        let sides = comparison.sessions().into_iter();
        let debates = ShownForm {
            what: "a page to send, of both debates",
            ..ShownForm::page_of(sides.map(PageSubject::Session).collect(), &name)
        };
        self.writing.ask_form(vec![
            ShownForm {
                what: "the comparison as text",
                file: format!("comparison-{name}.txt"),
                content: ShownContent::Text(text, Vec::new()),
            },
            debates,
        ])
    }

    fn copy_item(&self) -> Vec<Effect> {
        let item = self.items.get(self.list.cursor());
        let text = item.map(|item| self.comparison.item_text(item, self.unmasked_options()));
        let copy = text.map(|text| Effect::Do(Command::Copy(text)));
        copy.into_iter().collect()
    }

    /// Options of a text that leaves the screen on purpose.
    fn unmasked_options(&self) -> DiffOptions {
        DiffOptions {
            content: Content::Shown,
            ..self.show.text
        }
    }
}

/// Reads a side.
fn read_side(session: &SessionId) -> Effect {
    let id = session.clone();
    Effect::Start(Task::read_session(session.clone(), move |update| {
        Message::Read(id.clone(), update)
    }))
}

/// Reads what earlier passes found on both.
fn read_passes(sessions: Vec<SessionId>) -> Task {
    Task::new_blocking("read passes", move |services| {
        let layout = &services.store.layout;
        let verdicts = sessions
            .iter()
            .filter_map(|id| pass::read_passes(layout, id).ok());
        Message::PassesRead(verdicts.flatten().collect())
    })
}

/// Result of a task of this screen.
pub enum Message {
    /// A side was read, or went on in another process.
    Read(SessionId, SessionUpdate),
    /// What earlier passes found.
    PassesRead(Vec<PassVerdict>),
    Rejudging(RejudgeMessage),
    PageWritten(PageWritten),
}

impl Update for Compare {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        self.list.forget_lines();
        match message {
            Message::Read(session, SessionUpdate::Read(result)) => {
                let subject = self.selected_subject();
                let read = match &result {
                    Ok(opened) => Ok((&opened.state, opened.annotations.session_name(&session))),
                    Err(why) => Err(why),
                };
                self.comparison.set_session(&session, read);
                self.rebuild_items(subject);
                Vec::new()
            }
            Message::Read(session, SessionUpdate::Grew(records)) => {
                self.apply_records(&session, &records)
            }
            Message::Read(_, SessionUpdate::NotDriven) => Vec::new(),
            Message::PassesRead(verdicts) => {
                for verdict in &verdicts {
                    self.comparison.add_verdict(verdict);
                }
                Vec::new()
            }
            Message::Rejudging(message) => {
                if let RejudgeMessage::Update(PassUpdate::Judged(verdict)) = &message {
                    self.comparison.add_verdict(verdict);
                }
                self.rejudging.update(message)
            }
            Message::PageWritten(written) => written.say(),
        }
    }
}

impl Screen for Compare {
    fn key_context(&self) -> Context {
        Context::Compare
    }

    fn handle_open(&mut self) -> Vec<Effect> {
        let mut effects = vec![Effect::Start(read_passes(self.comparison.sessions()))];
        effects.extend(self.comparison.unread_sessions().map(read_side));
        effects
    }

    fn is_typing(&self) -> bool {
        self.rejudging.is_asking() || self.writing.is_asking()
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Back => return vec![Effect::Leave],
            _ if action.is_scrolling() => {
                self.update_list(|list, lay_out| _ = list.handle_action(action, lay_out))
            }
            Action::NextTurn => return self.step_row(1),
            Action::PreviousTurn => return self.step_row(-1),
            Action::NextDisagreement => return self.next_difference(),
            Action::FocusNext | Action::Right => self.switch_layout(1),
            Action::FocusPrevious | Action::Left => self.switch_layout(-1),
            Action::Fold | Action::Open => {
                let subject = self.selected_subject();
                self.show.text.folded = !self.show.text.folded;
                self.rebuild_items(subject);
            }
            Action::Private => {
                self.show.text.private = !self.show.text.private;
                self.list.forget_lines();
            }
            Action::Rejudge => {
                return self
                    .rejudging
                    .ask_price_or_stop(self.comparison.sessions(), Message::Rejudging);
            }
            Action::Copy => return self.copy_item(),
            Action::Pager => {
                let text = self.comparison.full_text(self.show.text);
                return vec![Effect::Do(Command::Page(text))];
            }
            Action::Export => return self.ask_form(),
            _ => {}
        }
        Vec::new()
    }

    fn handle_typed_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        match self.writing.is_asking() {
            true => self.writing.handle_key(key, Message::PageWritten),
            false => self.rejudging.handle_key(key, Message::Rejudging),
        }
    }

    fn handle_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        if self.writing.is_asking() {
            self.writing.paste_text(&paste.text);
            return Vec::new();
        }
        say_notice("nothing is typed here")
    }

    fn handle_broadcast(&mut self, news: &Broadcast) -> Vec<Effect> {
        match news {
            Broadcast::Live(session, update) => match update.record() {
                Some(record) => self.apply_records(session, std::slice::from_ref(record)),
                None => Vec::new(),
            },
            Broadcast::Run(_) | Broadcast::Annotator(..) => Vec::new(),
        }
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let look = context.look;
        let is_narrow = area.width < WIDE;
        let options = PageOptions {
            text: DiffOptions {
                layout: if is_narrow { self.narrow } else { self.wide },
                content: context.content,
                marking: look.marking(),
                ..self.show.text
            },
            glyphs: look.glyphs(),
            is_narrow,
        };
        if self.show.text.layout != options.text.layout {
            self.list.forget_lines();
        }
        self.show = options;
        let header = header::lay_out_header(&self.as_pages(), area.width.into());
        let body = draw_top_lines(buffer, area, look, &header);
        self.update_list(|list, lay_out| list.draw(buffer, body, context, Focus::Focused, lay_out));
        self.rejudging.draw(area, buffer, context);
        self.writing.draw(area, buffer, context)
    }

    fn describe_status(&self) -> String {
        let place = format!("row {} of {}", self.list.cursor() + 1, self.items.len());
        match self.rejudging.describe_status(Context::Compare) {
            Some(standing) => format!("{standing} · {place}"),
            None => format!("comparing · {place}"),
        }
    }

    fn list_hints(&self) -> Vec<Action> {
        vec![
            Action::NextTurn,
            Action::FocusNext,
            Action::Rejudge,
            Action::NextDisagreement,
            Action::Fold,
            Action::Private,
            Action::Copy,
            Action::Export,
            Action::Back,
        ]
    }

    fn describe_open_work(&self) -> Option<String> {
        self.rejudging.describe_open_work()
    }
}
