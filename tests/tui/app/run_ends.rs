//! What the status line says of a run that is over.

use elenchus::tui::app::state::{App, WorkbenchOptions};
use elenchus::tui::app::{Broadcast, RunEvent, UiState};
use elenchus::tui::keys::KeyTable;
use elenchus::tui::screens::{PLACES, default_keys, first_screen};
use elenchus::tui::theme::{Depth, GlyphSet, parse_built_in};
use elenchus_game::debate::RunId;
use elenchus_records::workspace::rows::UnsafeTurn;
use elenchus_run::experiments::{BackgroundEvent, PauseCause, RunEndState, RunOver};
use elenchus_terminal::Input;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent};
use ratatui::layout::Rect;
use std::sync::Arc;
use std::time::Instant;

fn over(how: RunEndState) -> RunOver {
    RunOver {
        run: RunId::new("01jd0000000000000000000000"),
        done: 20,
        failed: 0,
        debates: 20,
        end: how,
        first_figure: Some((
            "error rate 12.5 % (95 %: 6.1 to 20.2 %), 120 turns of 20 topics".to_owned(),
            "error rate 12.5 %".to_owned(),
        )),
        unsafe_turn: UnsafeTurn::There,
    }
}

/// The workbench on a screen that has room for nothing but the shortest words.
fn away_from_the_list() -> App {
    let keys = KeyTable::from(default_keys(PLACES));
    let kept = UiState::default();
    let list = first_screen(&kept, &keys);
    let mut app = App::new(WorkbenchOptions {
        places: PLACES.to_vec(),
        keys,
        themes: parse_built_in(),
        theme: "ansi".to_owned(),
        depth: Depth::None,
        glyphs: GlyphSet::Unicode,
        saved_state: kept,
        command_line: Vec::new,
    });
    app.show_screen(list);
    let memory = KeyEvent::from(KeyCode::Char('3'));
    app.handle_input(&Input::Event(Event::Key(memory)));
    app
}

/// What stands on the status line before the hints.
fn said(app: &mut App, width: u16) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, 24));
    app.draw(&mut buffer, Instant::now());
    let row: String = (0..width).map(|x| buffer[(x, 23)].symbol()).collect();
    let (said, _) = row.split_once("  ").unwrap_or((&row, ""));
    said.trim_end().to_owned()
}

#[test]
fn the_shortest_words_about_an_end_fit_into_eighty_cells() {
    for how in [
        RunEndState::Completed,
        RunEndState::Paused(PauseCause::Stopped),
    ] {
        let mut app = away_from_the_list();
        let ended = BackgroundEvent::Ended(Arc::new(over(how)));
        app.handle_broadcast(&Broadcast::Run(RunEvent::Played(ended)));
        let words = said(&mut app, 80);
        assert!(words.starts_with("run ") && !words.contains('…'), "{words}");
        assert_eq!(words, said(&mut app, 240));
    }
}
