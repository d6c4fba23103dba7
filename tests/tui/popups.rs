//! Popups: their drawing and their answers.

use crate::tui::drawing::{Drawing, ansi, ctrl, key, look, typed, with_brush};
use elenchus::tui::keys::{Action, Chord, Context, KeyTable, find_continuations, parse_overrides};
use elenchus::tui::popups::{
    CommandLineEntry, Confirm, ConfirmAnswer, Help, InputKind, LinePrompt, PaletteRow, PickItem,
    Picker, PopupResult, ThemePicker, ThemeWish, WhichKey, build_palette,
};
use elenchus::tui::screens::{PLACES, default_keys};
use elenchus::tui::theme::{Depth, GlyphSet, parse_built_in};
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::style::{Color, Modifier};

fn press<T: PartialEq + std::fmt::Debug>(
    mut one: impl FnMut(KeyEvent) -> PopupResult<T>,
    text: &str,
) {
    for key in typed(text) {
        assert_eq!(one(key), PopupResult::Stays);
    }
}

#[test]
fn help_lists_the_keys_as_they_are_now_and_does_what_a_row_says() {
    let changes = parse_overrides(
        "c",
        "[keys.debate]\nstep-turn = [\"B\"]\nfork = []\n",
        &default_keys(PLACES),
    )
    .unwrap();
    let mut help = Help::new(
        &KeyTable::with_overrides(default_keys(PLACES), &changes).unwrap(),
        Context::Debate,
    );
    let screen = Drawing::draw(80, 24, |area, buf| {
        with_brush(&ansi(), |context| help.draw(area, buf, context));
    });
    insta::assert_snapshot!("help_80x24", screen.text());
    assert_eq!(screen.style_of("B  ").fg, Some(Color::Cyan));

    assert_eq!(help.input_kind(), InputKind::Actions);
    assert_eq!(help.handle_action(Action::Search), PopupResult::Stays);
    assert_eq!(help.input_kind(), InputKind::Text);
    press(|key| help.handle_key(key), "fork");
    let screen = Drawing::draw(60, 15, |area, buf| {
        with_brush(&ansi(), |context| help.draw(area, buf, context));
    });
    insta::assert_snapshot!("help_search_60x15", screen.text());
    assert_eq!(help.handle_key(key(KeyCode::Enter)), PopupResult::Stays);
    assert_eq!(help.handle_action(Action::Down), PopupResult::Stays);
    help.handle_action(Action::Bottom);
    help.handle_action(Action::Up);
    assert_eq!(
        help.handle_action(Action::Open),
        PopupResult::Says(Action::Fork)
    );
    assert_eq!(help.handle_action(Action::Back), PopupResult::Closes);
}

/// Some of the command line, as the palette is given it.
fn commands() -> Vec<CommandLineEntry> {
    let entries = [
        ("elenchus metrics", "Compute figures of sessions"),
        (
            "elenchus metrics --plot",
            "Draw a figure in place of the table",
        ),
        ("elenchus import", "Take in what another store exported"),
        (
            "elenchus memory ablate",
            "Repeat a debate with and without an entry",
        ),
    ];
    let entries = entries
        .into_iter()
        .map(|(command, about)| CommandLineEntry {
            command: command.to_owned(),
            about: about.to_owned(),
        });
    entries.collect()
}

/// What the palette of a context has for some words, in its order.
fn found(context: Context, words: &str) -> (Vec<String>, Option<PaletteRow>) {
    let (mut palette, rows) = build_palette(&default_keys(PLACES).into(), context, &commands());
    press(|key| palette.handle_key(key), words);
    let screen = Drawing::draw(80, 24, |area, buf| {
        palette.draw(area, buf, &ansi());
    });
    let first = match palette.handle_key(key(KeyCode::Enter)) {
        PopupResult::Says(at) => rows.get(at).cloned(),
        PopupResult::Stays | PopupResult::Closes => None,
    };
    let lines = screen.text().lines().map(str::to_owned).collect();
    (lines, first)
}

#[test]
fn the_palette_says_where_on_the_command_line_a_thing_is_that_is_not_here() {
    for (words, command) in [
        ("plot", "elenchus metrics --plot"),
        ("metric", "elenchus metrics"),
        ("import", "elenchus import"),
        ("ablation", "elenchus memory ablate"),
    ] {
        let (lines, first) = found(Context::Sessions, words);
        let Some(PaletteRow::CommandLine(entry)) = first else {
            panic!("{words}: {lines:#?}");
        };
        assert_eq!(entry.command, command, "{words}");
        assert!(
            lines.iter().any(|line| line.contains("command line")),
            "{lines:#?}"
        );
    }
    // What is here is not looked for elsewhere.
    let (lines, first) = found(Context::Sessions, "export");
    assert_eq!(first, Some(PaletteRow::Action(Action::Export)));
    assert!(
        !lines.iter().any(|line| line.contains("command line")),
        "{lines:#?}"
    );
    let (lines, first) = found(Context::Sessions, "zzz");
    assert_eq!(first, None);
    assert!(
        lines
            .iter()
            .any(|line| line.contains("nothing is called so")),
        "{lines:#?}"
    );
}

#[test]
fn what_spends_or_deletes_is_found_by_its_name_alone() {
    let weighty = [
        Action::RunToEnd,
        Action::Delete,
        Action::Rejudge,
        Action::New,
    ];
    // Words and letters of what these do, and of nothing that they are called.
    for words in ["price", "trash brings", "marked", "begin", "plot", "mtrc"] {
        let (lines, first) = found(Context::Sessions, words);
        for action in weighty {
            assert_ne!(
                first,
                Some(PaletteRow::Action(action)),
                "{words}: {lines:#?}"
            );
        }
    }
    for (words, action) in [("delete", Action::Delete), ("run end", Action::RunToEnd)] {
        let (_, first) = found(Context::Sessions, words);
        assert_eq!(first, Some(PaletteRow::Action(action)), "{words}");
    }
}

#[test]
fn no_help_is_cut_at_any_screen() {
    let table = KeyTable::from(default_keys(PLACES));
    for context in Context::ALL {
        for (width, height) in [(60, 15), (80, 24), (120, 40)] {
            let mut help = Help::new(&table, context);
            let mut seen = String::new();
            for _ in 0..200 {
                let screen = Drawing::draw(width, height, |area, buf| {
                    with_brush(&ansi(), |context| help.draw(area, buf, context));
                });
                seen.push_str(&screen.text());
                help.handle_action(Action::Down);
            }
            assert!(!seen.contains('…'), "{context:?} {width}: {seen}");
            let actions = table.list_actions(context).into_iter();
            // What is done can be taken back on some screens alone.
            let actions = actions.filter(|one| !matches!(one, Action::Undo | Action::Redo));
            for action in actions {
                let words = action.help_in(context).split(' ');
                assert!(words.clone().all(|word| seen.contains(word)), "{action:?}");
            }
        }
    }
}

#[test]
fn the_help_is_in_groups_and_in_the_order_of_use() {
    let table = KeyTable::from(default_keys(PLACES));
    let help = Help::new(&table, Context::Debate);
    let screen = Drawing::draw(80, 60, |area, buf| {
        with_brush(&ansi(), |context| help.draw(area, buf, context));
    });
    let text = screen.text();
    let place = |words: &str| {
        text.find(words)
            .unwrap_or_else(|| panic!("{words}: {text}"))
    };
    let order = [
        "Play",
        "Play one turn",
        "Play one stage",
        "Change",
        "Edit the reply",
        "Look",
    ];
    assert!(
        order.windows(2).all(|pair| place(pair[0]) < place(pair[1])),
        "{text}"
    );
    // What one action means here is said for here.
    let editor = Action::Edit.help_in(Context::PromptEditor);
    assert_ne!(editor, Action::Edit.help_in(Context::Debate));
    assert!(!editor.contains("inspector"));
}

#[test]
fn the_palette_finds_a_command_by_its_words_and_shows_its_key() {
    let (mut palette, actions) =
        build_palette(&default_keys(PLACES).into(), Context::Debate, &commands());
    let screen = Drawing::draw(80, 24, |area, buf| {
        palette.draw(area, buf, &ansi());
    });
    insta::assert_snapshot!("palette_80x24", screen.text());
    let at_run_to_end = actions
        .iter()
        .position(|one| *one == PaletteRow::Action(Action::RunToEnd));
    press(|key| palette.handle_key(key), "run end");
    let mut cursor = None;
    let screen = Drawing::draw(60, 15, |area, buf| {
        cursor = palette.draw(area, buf, &ansi());
    });
    insta::assert_snapshot!("palette_typed_60x15", screen.text());
    assert!(cursor.is_some());
    assert_eq!(
        palette.handle_key(key(KeyCode::Enter)),
        PopupResult::Says(at_run_to_end.unwrap())
    );
    press(|key| palette.handle_key(key), "zzzz");
    assert_eq!(palette.handle_key(key(KeyCode::Enter)), PopupResult::Stays);
    assert_eq!(palette.handle_key(key(KeyCode::Esc)), PopupResult::Closes);
}

#[test]
fn the_letters_that_match_and_the_chosen_row_show_without_colour() {
    let (mut palette, _) =
        build_palette(&default_keys(PLACES).into(), Context::Debate, &commands());
    press(|key| palette.handle_key(key), "pag");
    let bare = look("ansi", Depth::None, GlyphSet::Ascii);
    let screen = Drawing::draw(60, 15, |area, buf| {
        palette.draw(area, buf, &bare);
    });
    let style = screen.style_of("pager");
    assert!(
        style
            .add_modifier
            .contains(Modifier::REVERSED | Modifier::UNDERLINED),
        "{style:?}"
    );
    assert!(screen.text().is_ascii(), "{}", screen.text());
}

#[test]
fn moving_in_the_theme_picker_previews_and_esc_goes_back() {
    let mut themes = parse_built_in();
    themes.add_theme(
        "broken",
        "/home/ana/broken.toml",
        Ok("[roles.nobody]\n".to_owned()),
    );
    let mut picker = ThemePicker::new(&themes, "ansi");
    assert_eq!(picker.handle_action(Action::Down), PopupResult::Stays);
    let screen = Drawing::draw(80, 24, |area, buf| {
        with_brush(&ansi(), |context| picker.draw(area, buf, context));
    });
    insta::assert_snapshot!("themes_broken_80x24", screen.text());
    assert_eq!(picker.handle_action(Action::Open), PopupResult::Stays);
    let wish = |name: &str, wish: fn(String) -> ThemeWish| PopupResult::Says(wish(name.to_owned()));
    assert_eq!(
        picker.handle_action(Action::Down),
        wish("colour-blind", ThemeWish::Preview)
    );
    assert_eq!(
        picker.handle_action(Action::Down),
        wish("dark", ThemeWish::Preview)
    );
    let dark = look("dark", Depth::TrueColour, GlyphSet::Unicode);
    let screen = Drawing::draw(60, 15, |area, buf| {
        with_brush(&dark, |context| picker.draw(area, buf, context));
    });
    insta::assert_snapshot!("themes_60x15", screen.text());
    assert_eq!(
        screen.style_of("S safe").fg,
        Some(Color::Rgb(0x8f, 0xd1, 0x8b))
    );
    assert_eq!(
        picker.handle_action(Action::Open),
        wish("dark", ThemeWish::Keep)
    );
    assert_eq!(
        picker.handle_action(Action::Back),
        wish("ansi", ThemeWish::Restore)
    );
    picker.refresh_list(&parse_built_in());
    assert_eq!(
        picker.handle_action(Action::Open),
        wish("dark", ThemeWish::Keep)
    );
}

#[test]
fn what_may_follow_is_shown_along_the_bottom() {
    let table = KeyTable::from(default_keys(PLACES));
    let prefix: Chord = "g".parse().unwrap();
    let next = find_continuations(&table, Context::Debate, &prefix.0);
    let which = WhichKey::new(prefix, next);
    let screen = Drawing::draw(80, 24, |area, buf| which.draw(area, buf, &ansi()));
    insta::assert_snapshot!("which_key_80x24", screen.text());

    let mut all = WhichKey::new(
        Chord(Vec::new()),
        find_continuations(&table, Context::Debate, &[]),
    );
    let screen = Drawing::draw(60, 15, |area, buf| all.draw(area, buf, &ansi()));
    insta::assert_snapshot!("which_key_all_60x15", screen.text());
    all.turn_page();
    let next = Drawing::draw(60, 15, |area, buf| all.draw(area, buf, &ansi()));
    assert_ne!(screen.text(), next.text());
}

#[test]
fn a_question_is_answered_by_its_letters_or_by_what_is_chosen() {
    let question = "Two streams are still coming. What was sent arrives even so. Quit?";
    let mut ask = Confirm::new("Quit", question, ConfirmAnswer::No);
    let screen = Drawing::draw(60, 15, |area, buf| ask.draw(area, buf, &ansi()));
    insta::assert_snapshot!("ask_60x15", screen.text());
    assert!(
        screen
            .style_of("n  no")
            .add_modifier
            .contains(Modifier::REVERSED)
    );
    assert_eq!(
        ask.handle_key(key(KeyCode::Enter)),
        PopupResult::Says(ConfirmAnswer::No)
    );
    assert_eq!(ask.handle_key(key(KeyCode::Left)), PopupResult::Stays);
    assert_eq!(
        ask.handle_key(key(KeyCode::Enter)),
        PopupResult::Says(ConfirmAnswer::Yes)
    );
    assert_eq!(
        ask.handle_key(key(KeyCode::Char('n'))),
        PopupResult::Says(ConfirmAnswer::No)
    );
    assert_eq!(ask.handle_key(ctrl(KeyCode::Char('y'))), PopupResult::Stays);
    assert_eq!(ask.handle_key(key(KeyCode::Esc)), PopupResult::Closes);
}

#[test]
fn a_prompt_starts_with_what_is_there_and_says_why_it_was_refused() {
    let mut prompt = LinePrompt::new("Rename", "Enter renames the session", "first try");
    prompt.paste_text(" again\n");
    prompt.set_fault("another session has this name");
    let screen = Drawing::draw(60, 15, |area, buf| {
        prompt.draw(area, buf, &ansi());
    });
    insta::assert_snapshot!("prompt_60x15", screen.text());
    prompt.handle_key(ctrl(KeyCode::Char('u')));
    press(|key| prompt.handle_key(key), "日本");
    assert_eq!(
        prompt.handle_key(key(KeyCode::Enter)),
        PopupResult::Says("日本".to_owned())
    );
}

#[test]
fn a_picker_narrows_as_one_types_and_keeps_its_borders_straight() {
    let item = |label: &str, detail: &str| PickItem {
        label: label.to_owned(),
        detail: detail.to_owned(),
        aside: "x".to_owned(),
    };
    let items = vec![
        item(
            "is 日本 an island",
            "a wide topic with a detail that is far too long to fit into the row",
        ),
        item("does 👩\u{200d}🔬 science", "a joined one"),
        item("cafe\u{301}", "a combining one"),
        item("\x1b[2Jhostile", "\u{202e}"),
    ];
    let mut pick = Picker::new("Topics", items);
    let screen = Drawing::draw(80, 24, |area, buf| {
        pick.draw(area, buf, &ansi());
    });
    insta::assert_snapshot!("pick_80x24", screen.text());
    pick.select_item(2);
    assert_eq!(pick.handle_key(key(KeyCode::Enter)), PopupResult::Says(2));
    pick.paste_text("island");
    assert_eq!(pick.selected_item(), Some(0));
}
