//! A screen on a stage: keys go through the table as they do in the workbench, and what was drawn is
//! read back as text.

use elenchus::tui::app::{Brush, Deed, Effect, Screen, Told};
use elenchus::tui::input::{Code, Key, Paste};
use elenchus::tui::keys::{Found, KeyTable, spelled};
use elenchus::tui::parts::secret::Content;
use elenchus::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A screen with what it asked for since it was looked at last.
pub struct Stage<S> {
    pub screen: S,
    pub effects: Vec<Effect>,
    pub content: Content,
    table: KeyTable,
}

impl<S: Screen> Stage<S> {
    pub fn new(screen: S) -> Self {
        Self {
            screen,
            effects: Vec::new(),
            content: Content::Shown,
            table: KeyTable::default(),
        }
    }

    /// Tells the screen something.
    pub fn tell(&mut self, told: Told) -> &mut Self {
        let effects = self.screen.told(&told);
        self.effects.extend(effects);
        self
    }

    /// Types keys that are named, separated by blanks.
    pub fn press(&mut self, keys: &str) -> &mut Self {
        for name in keys.split_whitespace() {
            self.key(named(name));
        }
        self
    }

    /// Types a text letter by letter.
    pub fn write(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            self.key(match c {
                '\n' => Key::plain(Code::Enter),
                c => Key::char(c),
            });
        }
        self
    }

    pub fn paste(&mut self, text: &str) -> &mut Self {
        let paste = Paste {
            text: text.to_owned(),
            dropped_bytes: 0,
        };
        let effects = self.screen.pasted(&paste);
        self.effects.extend(effects);
        self
    }

    fn key(&mut self, key: Key) {
        let effects = if self.screen.is_typing() {
            self.screen.typed(key)
        } else {
            match self.table.lookup(self.screen.context(), &[key]) {
                Found::Action(action) => self.screen.act(action),
                Found::Prefix | Found::Nothing => panic!("{key} means nothing here"),
            }
        };
        self.effects.extend(effects);
    }

    /// Returns what was asked for since, in words.
    pub fn asked(&mut self) -> Vec<String> {
        self.effects
            .drain(..)
            .map(|effect| words(&effect))
            .collect()
    }

    /// Returns the deeds that were asked for since.
    pub fn deeds(&mut self) -> Vec<Deed> {
        self.effects
            .drain(..)
            .filter_map(|effect| match effect {
                Effect::Do(deed) => Some(deed),
                _ => None,
            })
            .collect()
    }

    /// Draws the screen with a status line below it.
    pub fn draw(&mut self, width: u16, height: u16) -> String {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        let look = Look::plain();
        let brush = Brush {
            look: &look,
            content: self.content,
            keys: &self.table,
        };
        let inner = Rect {
            height: height - 1,
            ..area
        };
        let cursor = self.screen.draw(&mut buffer, area, brush);
        if let Some(cursor) = cursor {
            assert!(inner.contains(cursor), "{cursor:?}");
            buffer[cursor].set_symbol("_");
        }
        let mut status = format!("[{}]", spelled(&self.screen.status(), &self.table));
        for action in self.screen.hints() {
            if let Some(key) = self.table.hint(self.screen.context(), action) {
                status.push_str(&format!(" {key} {}", action.name()));
            }
        }
        buffer.set_stringn(0, height - 1, status, width.into(), look.base());
        text(&buffer)
    }
}

/// Returns the texts that the effects say.
pub fn words(effect: &Effect) -> String {
    match effect {
        Effect::Show(_) => "show a screen".to_owned(),
        Effect::Leave => "leave".to_owned(),
        Effect::Replace(_) => "replace the screen".to_owned(),
        Effect::Open(id, place) => format!(
            "open {id}{}",
            place
                .as_ref()
                .and_then(|place| place.turn.as_ref())
                .map(|turn| format!(" at {turn}"))
                .unwrap_or_default()
        ),
        Effect::OpenForked(id) => format!("open the fork {id}"),
        Effect::Sent(sent) => format!("sent {}", sent.place),
        Effect::Quit => "quit".to_owned(),
        Effect::OpenInstead(id) => format!("open {id} instead"),
        Effect::Compare(left, right) => format!("compare {left} with {right}"),
        Effect::Say(_, text) => format!("say: {}", spelled(text, &KeyTable::default())),
        Effect::Do(deed) => format!("do: {deed:?}"),
    }
}

fn named(name: &str) -> Key {
    match name {
        "Enter" => Key::plain(Code::Enter),
        "Esc" => Key::plain(Code::Esc),
        "Tab" => Key::plain(Code::Tab),
        "S-Tab" => Key::plain(Code::BackTab),
        "Up" => Key::plain(Code::Up),
        "Down" => Key::plain(Code::Down),
        "Left" => Key::plain(Code::Left),
        "Right" => Key::plain(Code::Right),
        "End" => Key::plain(Code::End),
        "Home" => Key::plain(Code::Home),
        "Backspace" => Key::plain(Code::Backspace),
        "C-u" => Key::ctrl('u'),
        letter => {
            let mut letters = letter.chars();
            let key = Key::char(letters.next().unwrap());
            assert!(letters.next().is_none(), "{name} names no key");
            key
        }
    }
}

fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in buffer.area.rows() {
        let mut line = String::new();
        let mut skip = 0;
        for x in y.columns() {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x.x, y.y)].symbol();
            skip = unicode_width::UnicodeWidthStr::width(symbol).saturating_sub(1);
            line.push_str(symbol);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
