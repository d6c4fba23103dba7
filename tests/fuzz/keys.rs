//! Random keys in the workbench.

use elenchus::tui::app::UiState;
use elenchus::tui::app::state::{App, WorkbenchOptions};
use elenchus::tui::keys::KeyTable;
use elenchus::tui::screens::debate::Debate;
use elenchus::tui::screens::{PLACES, default_keys, first_screen};
use elenchus::tui::theme::{Depth, GlyphSet, parse_built_in};
use elenchus_game::debate::SessionId;
use elenchus_terminal::paint::Painter;
use elenchus_terminal::{Input, Paste};
use elenchus_test_support::damage::Damage;
use elenchus_test_support::damage::cases;
use elenchus_test_support::debates as kit;
use elenchus_text::safe_text::has_hidden;
use elenchus_view::OpenedSession;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use std::sync::Arc;
use std::time::Instant;

/// Workbenches, each with keys of its own.
const BENCHES: u64 = 4;
/// Keys of each.
const KEYS: usize = 400;
const SESSION: &str = "01m0000000000000000000000a";
const NAMED: [KeyCode; 14] = [
    KeyCode::Enter,
    KeyCode::Esc,
    KeyCode::Tab,
    KeyCode::BackTab,
    KeyCode::Backspace,
    KeyCode::Delete,
    KeyCode::Up,
    KeyCode::Down,
    KeyCode::Left,
    KeyCode::Right,
    KeyCode::PageUp,
    KeyCode::PageDown,
    KeyCode::Home,
    KeyCode::End,
];
const SIZES: [(u16, u16); 6] = [(80, 24), (120, 40), (200, 60), (61, 15), (30, 8), (1, 1)];

/// A workbench with a whole debate in it, of which nothing outside is performed.
fn bench(play: &kit::Play) -> App {
    let keys = KeyTable::from(default_keys(PLACES));
    let kept = UiState::default();
    let first = first_screen(&kept, &keys);
    let mut app = App::new(WorkbenchOptions {
        places: PLACES.to_vec(),
        keys,
        themes: parse_built_in(),
        theme: "ansi".to_owned(),
        depth: Depth::Sixteen,
        glyphs: GlyphSet::Unicode,
        saved_state: kept.clone(),
        command_line: Vec::new,
    });
    app.show_screen(first);
    let opened = OpenedSession {
        state: Arc::new(play.state.clone()),
        driven_by: None,
        imported: false,
        example: false,
        annotations: Default::default(),
        labels: Default::default(),
        forms: Default::default(),
    };
    let id = SessionId::new(SESSION);
    app.show_screen(Box::new(Debate::from_opened(id, &kept, &opened, None)));
    app
}

fn key(damage: &mut Damage) -> KeyEvent {
    match damage.number(0, 9) {
        0..=5 => {
            let letter = char::from(u8::try_from(damage.number(0x20, 0x7e)).unwrap());
            KeyEvent::from(KeyCode::Char(letter))
        }
        6 => {
            let letter = char::from(u8::try_from(damage.number(0x61, 0x7a)).unwrap());
            KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)
        }
        7 => KeyEvent::from(KeyCode::Char(*damage.pick(&['é', '日', '🦀', '\u{301}']))),
        _ => KeyEvent::from(*damage.pick(&NAMED)),
    }
}

#[test]
fn no_key_stops_the_workbench() {
    let mut play = kit::Play::begin(SESSION, kit::game("pred", &[]));
    play.go_to_end(&kit::Script {
        says: |turn| format!("In round {} I say: nobody 🦀 pays.", turn.round),
        finds: |_| ("safe", 1.0),
    });
    for mut damage in cases(BENCHES) {
        let mut app = bench(&play);
        let mut painter = Painter::new(Depth::Sixteen, has_hidden);
        let mut area = Rect::new(0, 0, 120, 40);
        for _ in 0..KEYS {
            let input = match damage.number(0, 99) {
                0 => {
                    let (width, height) = *damage.pick(&SIZES);
                    area = Rect::new(0, 0, width, height);
                    Input::Event(Event::Resize(width, height))
                }
                1 => Input::Paste(Paste {
                    text: "two\nlines \u{1b}[2J 日".to_owned(),
                    dropped_bytes: 0,
                }),
                _ => Input::Event(Event::Key(key(&mut damage))),
            };
            app.handle_input(&input);
            painter.paint_screen(area, |buffer| app.draw(buffer, Instant::now()));
            if app.is_quitting() {
                app = bench(&play);
            }
        }
    }
}
