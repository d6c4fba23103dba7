//! A screen that the workbench does not know: what it takes to add one.

use elenchus::tui::app::state::{App, WorkbenchOptions};
use elenchus::tui::app::{DrawContext, Effect, Screen, UiState, Update};
use elenchus::tui::keys::{Action, Context, KeyTable, ScreenKeys, parse_overrides};
use elenchus::tui::screens::{PLACES, Place, default_keys, first_screen};
use elenchus::tui::theme::{Depth, GlyphSet, Role, parse_built_in};
use elenchus_terminal::Input;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};
use std::time::Instant;

/// All that is registered of it.
const TALLY: Place = Place {
    keys: &TALLY_KEYS,
    context: Context::Screen(&TALLY_KEYS),
    open: || vec![Effect::Show(Box::new(Tally::default()))],
};

static TALLY_KEYS: ScreenKeys = ScreenKeys {
    key: "7",
    name: "tally",
    action: "show-tally",
    label: "tally",
    help: "Go to the tally.",
    own: &[("+", Action::New)],
};

/// Counts how often a key was pressed.
#[derive(Default)]
struct Tally(u32);

impl Update for Tally {
    type Message = ();

    fn update(&mut self, (): ()) -> Vec<Effect> {
        Vec::new()
    }
}

impl Screen for Tally {
    fn key_context(&self) -> Context {
        TALLY.context
    }

    fn handle_action(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::New => self.0 += 1,
            Action::Back => return vec![Effect::Leave],
            _ => {}
        }
        Vec::new()
    }

    fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let text = format!("{} so far", self.0);
        buffer.set_string(area.x, area.y, text, context.look.style(Role::Text));
        None
    }

    fn refresh(&mut self) -> Vec<Effect> {
        vec![Effect::Say(Role::Notice, "read again".to_owned())]
    }

    fn describe_status(&self) -> String {
        "counting".to_owned()
    }

    fn list_hints(&self) -> Vec<Action> {
        vec![Action::New, Action::Back]
    }
}

struct Workbench(App);

impl Workbench {
    /// A workbench with the screen among its places, and with a person's changes of its keys.
    fn with_tally(config: &str) -> Self {
        let places: Vec<Place> = PLACES.iter().copied().chain([TALLY]).collect();
        let defaults = default_keys(&places);
        let changes = parse_overrides("config.toml", config, &defaults).unwrap();
        let keys = KeyTable::with_overrides(defaults, &changes).unwrap();
        let kept = UiState::default();
        let first = first_screen(&kept, &keys);
        let mut app = App::new(WorkbenchOptions {
            places,
            keys,
            themes: parse_built_in(),
            theme: "ansi".to_owned(),
            depth: Depth::None,
            glyphs: GlyphSet::Unicode,
            saved_state: kept,
            command_line: Vec::new,
        });
        app.show_screen(first);
        Self(app)
    }

    fn press(&mut self, key: char) -> &mut Self {
        let key = KeyEvent::from(KeyCode::Char(key));
        self.0.handle_input(&Input::Event(Event::Key(key)));
        self
    }

    /// Returns the rows of the next frame.
    fn frame(&mut self) -> Vec<String> {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 120, 24));
        self.0.draw(&mut buffer, Instant::now());
        let row = |row: Rect| {
            let cells = row.columns();
            let text: String = cells
                .map(|cell| buffer[(cell.x, cell.y)].symbol())
                .collect();
            text.trim_end().to_owned()
        };
        buffer.area.rows().map(row).collect()
    }
}

#[test]
fn a_new_screen_is_one_value_with_its_name_its_keys_and_what_opens_it() {
    let mut workbench = Workbench::with_tally("");
    let top = workbench.frame().swap_remove(0);
    assert!(top.contains("6 experiments  7 tally"), "{top}");
    let frame = workbench.press('7').press('+').press('+').frame();
    assert!(
        frame[0].contains("▶7 tally") || frame[0].contains("→7 tally"),
        "{}",
        frame[0]
    );
    assert_eq!(frame[1], "2 so far");
    let status = frame.last().unwrap();
    assert!(status.starts_with("counting"), "{status}");
    assert!(status.contains("+ new"), "{status}");
    let help = workbench.press('?').frame().join("\n");
    assert!(help.contains("Keys: tally"), "{help}");
    let help = workbench.press('/').press('7').frame().join("\n");
    assert!(help.contains("Go to the tally."), "{help}");
}

#[test]
fn a_chord_goes_on_though_something_was_read_between_its_keys() {
    let mut workbench = Workbench::with_tally("");
    let status = |workbench: &mut Workbench| workbench.frame().pop().unwrap();
    workbench.press('7').press('g');
    assert!(status(&mut workbench).contains("g …"));
    workbench.0.refresh_top();
    let read = status(&mut workbench);
    assert!(
        read.contains("read again") && read.contains("g …"),
        "{read}"
    );
    workbench.press('g');
    let after = status(&mut workbench);
    assert!(
        after.starts_with("counting") && !after.contains('…'),
        "{after}"
    );
}

#[test]
fn keys_of_a_new_screen_are_changed_as_all_others_are() {
    let config = "[keys.everywhere]\nshow-tally = [\"0\"]\n[keys.tally]\nnew = [\"i\"]\n";
    let mut workbench = Workbench::with_tally(config);
    let frame = workbench.press('0').press('i').press('+').frame();
    assert_eq!(frame[1], "1 so far");
    assert!(frame[0].contains("0 tally"), "{}", frame[0]);
    let status = frame.last().unwrap();
    assert!(status.contains("no action on +"), "{status}");
}
