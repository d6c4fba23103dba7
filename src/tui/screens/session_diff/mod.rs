//! Session comparison: two sessions side by side, with rows aligned by round, stage and chair, word
//! differences, verdicts, totals, and new verdicts of judges.
//!
//! | file | content |
//! |---|---|
//! | `page` | the rows, laid out |
//! | `header` | lines above the rows |

mod header;
mod page;

use crate::tui::app::{Broadcast, Command, DrawContext, Effect, Screen, Task, Update, say};
use crate::tui::components::rejudging::{RejudgeMessage, Rejudging};
use crate::tui::keys::{Action, Context};
use crate::tui::theme::{GlyphSet, Glyphs};
use crate::tui::widgets::{Content, Focus, LayOut, Marking, ScrollList, around, lines_and_rest};
use elenchus_game::debate::SessionId;
use elenchus_game::debate::event::Record;
use elenchus_records::workspace::pass::{self, PassVerdict};
use elenchus_run::experiments::rejudge::PassUpdate;
use elenchus_terminal::Paste;
use elenchus_view::SessionUpdate;
use elenchus_view::session_diff::{
    Comparison, DiffItem, DiffLayout, DiffOptions, DiffSide, RecordsTaken, Subject,
};
use page::{PageOptions, Pages, layouts};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::path::PathBuf;

/// From this width on, both sides are side by side.
const WIDE: u16 = 100;

/// The screen that compares two sessions.
pub struct Compare {
    compared: Comparison,
    items: Vec<DiffItem>,
    rejudging: Rejudging,
    roll: ScrollList,
    /// Layout with room for two columns, and without.
    wide: DiffLayout,
    narrow: DiffLayout,
    show: PageOptions,
}

impl Compare {
    /// Compares two sessions; those that are still wanted are read once it is shown.
    pub fn of(left: DiffSide, right: DiffSide) -> Self {
        let compared = Comparison::of(left, right);
        let mut compare = Self {
            compared,
            items: Vec::new(),
            rejudging: Rejudging::default(),
            roll: ScrollList::default(),
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
        };
        compare.rebuild(None);
        compare
    }

    fn subject(&self) -> Option<Subject> {
        let item = self.items.get(self.roll.cursor())?;
        Some(self.compared.row(item)?.subject.clone())
    }

    /// Rebuilds the items; the cursor goes to the row that it was on.
    fn rebuild(&mut self, kept: Option<Subject>) {
        self.items = self.compared.items(self.show.text.folded);
        self.roll.set_count(self.items.len());
        let Some(kept) = kept else { return };
        let is_kept = |item: &DiffItem| {
            let row = self.compared.row(item);
            row.is_some_and(|row| row.subject == kept)
        };
        if let Some(at) = self.items.iter().position(is_kept) {
            self.moved(|roll, lay_out| roll.go(at, lay_out));
        }
    }

    fn pages(&self) -> Pages<'_> {
        Pages {
            compared: &self.compared,
            show: self.show,
        }
    }

    fn moved(&mut self, how: impl FnOnce(&mut ScrollList, LayOut<'_>)) {
        let mut roll = std::mem::take(&mut self.roll);
        let pages = self.pages();
        how(&mut roll, &|at, width| match self.items.get(at) {
            Some(item) => pages.lay_out(item, width),
            None => Vec::new(),
        });
        self.roll = roll;
    }

    fn happened(&mut self, session: &SessionId, records: &[Record]) -> Vec<Effect> {
        let kept = self.subject();
        let taken = self.compared.take_records(session, records);
        if taken == RecordsTaken::OfNeither {
            return Vec::new();
        }
        self.rebuild(kept);
        match taken {
            RecordsTaken::Unfit => vec![read(session)],
            RecordsTaken::OfNeither | RecordsTaken::Taken => Vec::new(),
        }
    }

    /// Goes to the next row, or to the one before.
    fn step(&mut self, by: isize) -> Vec<Effect> {
        let to = self.roll.cursor().checked_add_signed(by);
        if let Some(to) = to.filter(|to| *to < self.items.len()) {
            self.moved(|roll, lay_out| roll.go(to, lay_out));
            return Vec::new();
        }
        say(match by > 0 {
            true => "this is the last row",
            false => "this is the first row",
        })
    }

    fn next_difference(&mut self) -> Vec<Effect> {
        let here = self.roll.cursor();
        let Some(next) = self.compared.next_difference(&self.items, here) else {
            return say("no row has verdicts that differ");
        };
        self.moved(|roll, lay_out| roll.go(next, lay_out));
        match next > here {
            true => Vec::new(),
            false => say("there is no further one: this is the first"),
        }
    }

    fn turn_view(&mut self, by: isize) {
        let layouts = layouts(self.show.is_narrow);
        let shown = |(view, _): &(DiffLayout, _)| *view == self.show.text.layout;
        let at = layouts.iter().position(shown).unwrap_or(0);
        if let Some((view, _)) = layouts.get(around(at, by, layouts.len())).copied() {
            if self.show.is_narrow {
                self.narrow = view;
            } else {
                self.wide = view;
            }
            self.show.text.layout = view;
            self.roll.forget();
        }
    }

    fn export(&self) -> Vec<Effect> {
        let compared = &self.compared;
        let name = format!(
            "comparison-{}-{}.txt",
            compared.left.session, compared.right.session
        );
        let text = compared.text(self.unmasked());
        vec![Effect::Do(Command::WriteText(PathBuf::from(name), text))]
    }

    fn copy(&self) -> Vec<Effect> {
        let item = self.items.get(self.roll.cursor());
        let text = item.map(|item| self.compared.item_text(item, self.unmasked()));
        let copy = text.map(|text| Effect::Do(Command::Copy(text)));
        copy.into_iter().collect()
    }

    /// Options of a text that leaves the screen on purpose.
    fn unmasked(&self) -> DiffOptions {
        DiffOptions {
            content: Content::Shown,
            ..self.show.text
        }
    }
}

/// Reads a side.
fn read(session: &SessionId) -> Effect {
    let id = session.clone();
    Effect::Start(Task::read_session(session.clone(), move |update| {
        Message::Read(id.clone(), update)
    }))
}

/// Reads what earlier passes found on both.
fn read_passes(sessions: Vec<SessionId>) -> Task {
    Task::blocking("read passes", move |services| {
        let layout = &services.tools.desk.layout;
        let found = sessions
            .iter()
            .filter_map(|id| pass::read_passes(layout, id).ok());
        Message::PassesRead(found.flatten().collect())
    })
}

/// Result of a task of this screen.
pub enum Message {
    /// A side was read, or went on in another process.
    Read(SessionId, SessionUpdate),
    /// What earlier passes found.
    PassesRead(Vec<PassVerdict>),
    Rejudging(RejudgeMessage),
}

impl Update for Compare {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        self.roll.forget();
        match message {
            Message::Read(session, SessionUpdate::Read(result)) => {
                let kept = self.subject();
                let read = match &result {
                    Ok(opened) => Ok((&opened.state, opened.annotations.name(&session))),
                    Err(why) => Err(why.as_str()),
                };
                self.compared.take_session(&session, read);
                self.rebuild(kept);
                Vec::new()
            }
            Message::Read(session, SessionUpdate::Grew(records)) => {
                self.happened(&session, &records)
            }
            Message::Read(_, SessionUpdate::NotDriven) => Vec::new(),
            Message::PassesRead(verdicts) => {
                for verdict in &verdicts {
                    self.compared.take_verdict(verdict);
                }
                Vec::new()
            }
            Message::Rejudging(message) => {
                if let RejudgeMessage::Went(PassUpdate::Judged(verdict)) = &message {
                    self.compared.take_verdict(verdict);
                }
                self.rejudging.update(message)
            }
        }
    }
}

impl Screen for Compare {
    fn context(&self) -> Context {
        Context::Compare
    }

    fn opened(&mut self) -> Vec<Effect> {
        let mut effects = vec![Effect::Start(read_passes(self.compared.sessions()))];
        effects.extend(self.compared.unread().map(read));
        effects
    }

    fn is_typing(&self) -> bool {
        self.rejudging.is_asking()
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Back => return vec![Effect::Leave],
            _ if action.scrolls() => self.moved(|roll, lay_out| _ = roll.act(action, lay_out)),
            Action::NextTurn => return self.step(1),
            Action::PreviousTurn => return self.step(-1),
            Action::NextDisagreement => return self.next_difference(),
            Action::FocusNext | Action::Right => self.turn_view(1),
            Action::FocusPrevious | Action::Left => self.turn_view(-1),
            Action::Fold | Action::Open => {
                let kept = self.subject();
                self.show.text.folded = !self.show.text.folded;
                self.rebuild(kept);
            }
            Action::Private => {
                self.show.text.private = !self.show.text.private;
                self.roll.forget();
            }
            Action::Rejudge => {
                return self
                    .rejudging
                    .press(self.compared.sessions(), Message::Rejudging);
            }
            Action::Copy => return self.copy(),
            Action::Pager => {
                let text = self.compared.text(self.show.text);
                return vec![Effect::Do(Command::Page(text))];
            }
            Action::Export => return self.export(),
            _ => {}
        }
        Vec::new()
    }

    fn typed(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.rejudging.key(key, Message::Rejudging)
    }

    fn pasted(&mut self, _paste: &Paste) -> Vec<Effect> {
        say("nothing is typed here")
    }

    fn notice(&mut self, news: &Broadcast) -> Vec<Effect> {
        match news {
            Broadcast::Live(session, update) => match update.record() {
                Some(record) => self.happened(session, std::slice::from_ref(record)),
                None => Vec::new(),
            },
            Broadcast::Run(_) => Vec::new(),
        }
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        let look = brush.look;
        let is_narrow = area.width < WIDE;
        let drawn = PageOptions {
            text: DiffOptions {
                layout: if is_narrow { self.narrow } else { self.wide },
                content: brush.content,
                marking: look.marking(),
                ..self.show.text
            },
            glyphs: look.glyphs(),
            is_narrow,
        };
        if self.show.text.layout != drawn.text.layout {
            self.roll.forget();
        }
        self.show = drawn;
        let header = header::lines(&self.pages(), area.width.into());
        let body = lines_and_rest(buffer, area, look, &header);
        self.moved(|roll, lay_out| roll.draw(buffer, body, brush, Focus::Focused, lay_out));
        self.rejudging.draw(area, buffer, brush);
        None
    }

    fn status(&self) -> String {
        let place = format!("row {} of {}", self.roll.cursor() + 1, self.items.len());
        match self.rejudging.status(Context::Compare) {
            Some(standing) => format!("{standing} · {place}"),
            None => format!("comparing · {place}"),
        }
    }

    fn hints(&self) -> Vec<Action> {
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

    fn busy(&self) -> Option<String> {
        self.rejudging.busy()
    }
}
