//! A screen without a terminal: keys go through the table as they do in the workbench, and what was
//! drawn is read back as text.

use super::drawing::look;
use elenchus::tui::app::{Broadcast, Command, DrawContext, Effect, Screen, TurnWalk, Update};
use elenchus::tui::keys::{Chord, KeyMatch, KeyTable, spelled};
use elenchus::tui::theme::{Depth, GlyphSet, Look};
use elenchus::tui::widgets::{ClickRows, Content};
use elenchus_terminal::Paste;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};

/// A screen with what it asked for since it was looked at last.
pub struct TestScreen<S> {
    pub screen: S,
    pub effects: Vec<Effect>,
    pub content: Content,
    pub look: Look,
    table: KeyTable,
    /// Keys that begin a chord.
    pending: Vec<KeyEvent>,
}

impl<S: Screen> TestScreen<S> {
    pub fn new(screen: S) -> Self {
        Self::with(screen, Vec::new())
    }

    /// A screen without colours, attributes and glyphs beyond ASCII.
    pub fn plain(screen: S) -> Self {
        Self {
            look: Look::plain(),
            ..Self::new(screen)
        }
    }

    pub fn with(screen: S, effects: Vec<Effect>) -> Self {
        Self {
            screen,
            effects,
            content: Content::Shown,
            look: look("ansi", Depth::None, GlyphSet::Unicode),
            table: KeyTable::default(),
            pending: Vec::new(),
        }
    }

    /// Gives the screen the result of one of its tasks.
    pub fn update(&mut self, message: S::Message) -> &mut Self
    where
        S: Update,
    {
        let effects = self.screen.update(message);
        self.effects.extend(effects);
        self
    }

    pub fn tell(&mut self, news: Broadcast) -> &mut Self {
        let effects = self.screen.handle_broadcast(&news);
        self.effects.extend(effects);
        self
    }

    /// Types keys by their names, separated by blanks.
    pub fn press(&mut self, keys: &str) -> &mut Self {
        for name in keys.split_whitespace() {
            self.key(named(name));
        }
        assert!(self.pending.is_empty(), "{keys} ends within a chord");
        self
    }

    /// Types a text letter by letter.
    pub fn write(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            self.key(match c {
                '\n' => KeyCode::Enter.into(),
                c => KeyCode::Char(c).into(),
            });
        }
        self
    }

    pub fn paste(&mut self, text: &str) -> &mut Self {
        let paste = Paste {
            text: text.to_owned(),
            dropped_bytes: 0,
        };
        let effects = self.screen.handle_paste(&paste);
        self.effects.extend(effects);
        self
    }

    fn key(&mut self, key: KeyEvent) {
        let effects = if self.screen.is_typing() {
            self.screen.handle_typed_key(key)
        } else if let Some(effects) = self.takes(key) {
            effects
        } else {
            self.pending.push(key);
            match self
                .table
                .match_keys(self.screen.key_context(), &self.pending)
            {
                KeyMatch::Prefix => return,
                KeyMatch::Action(action) => self.screen.handle_action(action),
                KeyMatch::Nothing => panic!("{:?} means nothing here", self.pending),
            }
        };
        self.pending.clear();
        self.effects.extend(effects);
    }

    fn takes(&mut self, key: KeyEvent) -> Option<Vec<Effect>> {
        let is_first = self.pending.is_empty();
        is_first.then(|| self.screen.intercept_key(key)).flatten()
    }

    /// Returns in words what was asked for since.
    pub fn asked(&mut self) -> Vec<String> {
        let effects = self.effects.drain(..);
        effects.map(|effect| words(&effect)).collect()
    }

    /// Like [`TestScreen::asked`], with the names of commands alone.
    pub fn asked_briefly(&mut self) -> Vec<String> {
        let asked = self.asked().into_iter();
        asked
            .map(|asked| match asked.strip_prefix("do: ") {
                Some(command) => command.split(['(', ' ']).next().unwrap().to_owned(),
                None => asked,
            })
            .collect()
    }

    /// Returns the commands among what was asked for since.
    pub fn commands(&mut self) -> Vec<Command> {
        let effects = self.effects.drain(..);
        effects
            .filter_map(|effect| match effect {
                Effect::Do(command) => Some(command),
                _ => None,
            })
            .collect()
    }

    pub fn is_busy(&self) -> bool {
        self.screen.describe_open_work().is_some()
    }

    pub fn is_typing(&self) -> bool {
        self.screen.is_typing()
    }

    /// Draws the screen with a status line below it.
    pub fn draw(&mut self, width: u16, height: u16) -> String {
        text(&self.buffer(width, height))
    }

    pub fn buffer(&mut self, width: u16, height: u16) -> Buffer {
        let inner = Rect::new(0, 0, width, height - 1);
        let (mut buffer, cursor) = self.drawn(width, height, inner);
        self.draw_status(&mut buffer);
        if let Some(cursor) = cursor {
            assert!(inner.contains(cursor), "{cursor:?}");
        }
        buffer
    }

    /// Draws the screen with a status line below it, and its cursor as `_`.
    pub fn draw_with_cursor(&mut self, width: u16, height: u16) -> String {
        let inner = Rect::new(0, 0, width, height - 1);
        let (mut buffer, cursor) = self.drawn(width, height, inner);
        if let Some(cursor) = cursor {
            assert!(inner.contains(cursor), "{cursor:?}");
            buffer[cursor].set_symbol("_");
        }
        self.draw_status(&mut buffer);
        text(&buffer)
    }

    fn drawn(&mut self, width: u16, height: u16, area: Rect) -> (Buffer, Option<Position>) {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        let context = DrawContext {
            look: &self.look,
            content: self.content,
            keys: &self.table,
            rows: &ClickRows::default(),
            now: std::time::Instant::now(),
        };
        let cursor = self.screen.draw(&mut buffer, area, context);
        (buffer, cursor)
    }

    fn draw_status(&self, buffer: &mut Buffer) {
        let mut status = format!("[{}]", spelled(&self.screen.describe_status(), &self.table));
        for action in self.screen.list_hints() {
            let hint = self.table.key_hint(self.screen.key_context(), action);
            let hint = hint.unwrap_or_else(|| panic!("no key for {action:?}"));
            status.push_str(&format!(" {hint} {}", action.name()));
        }
        let Rect { width, height, .. } = buffer.area;
        buffer.set_stringn(0, height - 1, status, width.into(), self.look.base_style());
    }
}

fn describe_walk(walk: &TurnWalk) -> String {
    let at = walk.address();
    format!("{} at {}, {}", at.session, at.turn, walk.describe())
}

fn words(effect: &Effect) -> String {
    match effect {
        Effect::Show(_) => "show".to_owned(),
        Effect::Leave => "leave".to_owned(),
        Effect::Replace(_) => "replace".to_owned(),
        Effect::Open(session, place) => {
            let turn = place.as_ref().and_then(|place| place.turn.as_ref());
            let turn = turn.map(|turn| format!(" at {turn}"));
            format!("open {session}{}", turn.unwrap_or_default())
        }
        Effect::OpenInstead(session) => format!("open {session} instead"),
        Effect::OpenForked { fork, .. } => format!("open the fork {fork}"),
        Effect::OpenBegun(session, _) => format!("open {session}, which began"),
        Effect::Sent(sent) => format!("sent {}", sent.place),
        Effect::ListSessions(filter) => format!("list sessions {filter}"),
        Effect::Quit => "quit".to_owned(),
        Effect::Compare(left, right) => format!("compare {left} with {right}"),
        Effect::Say(_, text) => format!("say: {}", spelled(text, &KeyTable::default())),
        Effect::EditOutside(edit) => format!("edit outside: {}", edit.text),
        Effect::Do(command) => format!("do: {command:?}"),
        Effect::Order(order) => format!("order: {:?}", order.command),
        Effect::Fork(fork) => format!("fork: {}", fork.parent),
        Effect::Walk(walk) => format!("walk: {}", describe_walk(walk)),
        Effect::WalkOn(walk) => format!("walk on: {}", describe_walk(walk)),
        Effect::Start(task) => format!("start: {task:?}"),
    }
}

fn named(name: &str) -> KeyEvent {
    let chord: Chord = name.parse().unwrap();
    assert_eq!(chord.0.len(), 1, "{name} names no key");
    chord.0[0]
}

fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for row in buffer.area.rows() {
        let mut line = String::new();
        let mut skip = 0;
        for cell in row.columns() {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(cell.x, cell.y)].symbol();
            skip = unicode_width::UnicodeWidthStr::width(symbol).saturating_sub(1);
            line.push_str(symbol);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
