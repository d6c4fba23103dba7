//! Keys: notation, actions, and refused changes.

use crate::tui::drawing::{ctrl, key};
use elenchus::tui::keys::{
    Action, Chord, Context, DEFAULTS, DefaultKeys, KeyMatch, KeyOverride, KeyTable, KeyTarget,
    LABEL_LETTERS, Resolved, Resolver, key_for, parse_mark, parse_overrides, spelled,
};
use elenchus::tui::screens::{PLACES, default_keys};
use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;
use proptest::prelude::*;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::collections::HashSet;

fn chord(text: &str) -> Chord {
    text.parse().unwrap()
}

fn table(text: &str) -> Result<KeyTable, String> {
    let defaults = default_keys(PLACES);
    parse_overrides("config.toml", text, &defaults)
        .and_then(|changes| KeyTable::with_overrides(defaults, &changes))
        .map_err(|error| error.to_string())
}

fn fault(text: &str) -> String {
    table(text).unwrap_err()
}

#[test]
fn keys_are_read_as_people_write_them() {
    assert_eq!(
        chord("g g").0,
        [key(KeyCode::Char('g')), key(KeyCode::Char('g'))]
    );
    assert_eq!(chord("Ctrl-D").0, [ctrl(KeyCode::Char('d'))]);
    assert_eq!(chord("ctrl-d").0, [ctrl(KeyCode::Char('d'))]);
    assert_eq!(chord("Shift-Tab").0, [key(KeyCode::BackTab)]);
    assert_eq!(chord("Space").0, [key(KeyCode::Char(' '))]);
    assert_eq!(chord("Del").0, [key(KeyCode::Delete)]);
    assert_eq!(chord("-").0, [key(KeyCode::Char('-'))]);
    assert_eq!(chord("Ctrl--").0, [ctrl(KeyCode::Char('-'))]);
    assert_eq!(chord("Ctrl-Left").0, [ctrl(KeyCode::Left)]);
    assert_eq!(chord("F").0, [key(KeyCode::Char('F'))]);
    assert_eq!(chord("f12").0, [key(KeyCode::F(12))]);
    for wrong in [
        "", "  ", "gg", "Ctrl-", "F25", "F0", "Shift-a", "Hyper-x", "a b c d",
    ] {
        assert!(wrong.parse::<Chord>().is_err(), "{wrong}");
    }
}

fn any_key() -> impl Strategy<Value = KeyEvent> {
    let named = prop::sample::select(vec![
        KeyCode::Enter,
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Backspace,
        KeyCode::Esc,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Insert,
        KeyCode::Delete,
        KeyCode::F(1),
        KeyCode::F(24),
    ]);
    let letter = any::<char>()
        .prop_filter("visible", |c| {
            !c.is_control() && !c.is_whitespace() || *c == ' '
        })
        .prop_map(KeyCode::Char);
    let plain = (
        prop_oneof![named, letter.clone()],
        any::<bool>(),
        any::<bool>(),
    );
    plain.prop_map(|(code, ctrl, alt)| {
        let code = match code {
            KeyCode::Char(c) if ctrl => KeyCode::Char(c.to_ascii_lowercase()),
            other => other,
        };
        let mut mods = KeyModifiers::NONE;
        mods.set(KeyModifiers::CONTROL, ctrl);
        mods.set(KeyModifiers::ALT, alt);
        KeyEvent::new(code, mods)
    })
}

proptest! {
    #[test]
    fn what_is_shown_of_a_chord_is_read_as_the_same_chord(
        keys in prop::collection::vec(any_key(), 1..=3),
    ) {
        // Upper case of a letter under Ctrl may be another letter altogether in some scripts.
        prop_assume!(keys.iter().all(|key| !key.modifiers.contains(KeyModifiers::CONTROL) || !matches!(key.code, KeyCode::Char(c) if !c.is_ascii())));
        let chord = Chord(keys);
        prop_assert_eq!(chord.to_string().parse::<Chord>(), Ok(chord));
    }
}

#[test]
fn the_table_that_comes_with_the_program_has_no_conflicts_and_forgets_no_action() {
    assert_eq!(table(""), Ok(KeyTable::from(default_keys(PLACES))));
    for action in Action::ALL {
        let somewhere = Context::ALL
            .into_iter()
            .any(|context| !KeyTable::default().find_chords(context, *action).is_empty());
        assert!(somewhere, "{action:?}");
    }
}

#[test]
fn every_key_of_the_table_can_be_typed_through_a_multiplexer() {
    let table = KeyTable::default();
    for context in Context::ALL {
        for action in table.list_actions(context) {
            let shown: Vec<String> = table
                .find_chords(context, action)
                .iter()
                .map(|chord| chord.to_string())
                .collect();
            // The rule for changes holds for the table itself.
            let again = format!("[keys.{}]\n{} = {shown:?}\n", context.name(), action.name());
            if let Err(why) = self::table(&again) {
                assert!(!why.contains("only key"), "{why}");
            }
        }
    }
}

#[test]
fn letters_are_left_over_for_labels() {
    let table = KeyTable::default();
    for letter in LABEL_LETTERS {
        assert!(
            letter.is_ascii_lowercase() && !"cmntuy".contains(letter),
            "{letter}"
        );
        let found = table.match_keys(Context::Everywhere, &[key(KeyCode::Char(letter))]);
        assert_eq!(found, KeyMatch::Nothing, "{letter}");
    }
}

#[test]
fn a_contexts_own_keys_win_and_the_nearest_context_wins() {
    let table = KeyTable::default();
    let at = |context, text: &str| table.match_keys(context, &chord(text).0);
    assert_eq!(at(Context::Debate, "n"), KeyMatch::Action(Action::StepTurn));
    assert_eq!(
        at(Context::Searching, "n"),
        KeyMatch::Action(Action::SearchNext)
    );
    assert_eq!(at(Context::Searching, "p"), KeyMatch::Action(Action::Pause));
    assert_eq!(at(Context::Sessions, "n"), KeyMatch::Action(Action::New));
    assert_eq!(at(Context::Compare, "n"), KeyMatch::Nothing);
    assert_eq!(at(Context::Compare, "g"), KeyMatch::Prefix);
    assert_eq!(at(Context::Compare, "g g"), KeyMatch::Action(Action::Top));
    assert_eq!(
        table.key_hint(Context::Debate, Action::Top).as_deref(),
        Some("g g")
    );
}

/// Keys that mean one thing wherever they mean anything, with the actions that this is.
const ONE_SENSE: &[(&str, &[Action])] = &[
    (
        "c",
        &[
            Action::Compare,
            Action::ComparePrompts,
            Action::CompareRuns,
            Action::CompareWithThis,
        ],
    ),
    ("#", &[Action::Note]),
    ("@", &[Action::LabelAs, Action::Names]),
    ("C", &[Action::Codebook]),
    ("m", &[Action::Mark, Action::Flag]),
    ("w", &[Action::Export, Action::SavePrompt]),
    ("e", &[Action::Edit, Action::EditEntry]),
    ("E", &[Action::EditOutside]),
    ("f", &[Action::Fork]),
    ("F", &[Action::Tree]),
    ("i", &[Action::Inspect]),
    ("y", &[Action::Copy]),
    ("P", &[Action::Pager]),
    ("J", &[Action::Rejudge]),
    ("Q", &[Action::LabelSample, Action::LabelMissing]),
    ("Z", &[Action::PauseRun]),
    ("O", &[Action::ResumeRun]),
    ("z", &[Action::Zoom]),
    ("]", &[Action::NextTurn, Action::NextWrong]),
    ("[", &[Action::PreviousTurn, Action::PreviousWrong]),
    ("/", &[Action::Filter, Action::Search, Action::SearchMemory]),
    ("u", &[Action::Undo]),
    ("U", &[Action::Redo]),
    ("M", &[Action::Mask]),
    ("T", &[Action::Themes]),
];

#[test]
fn a_key_of_one_sense_means_nothing_else_on_any_screen() {
    let defaults = default_keys(PLACES);
    let table = KeyTable::from(defaults);
    for (keys, actions) in ONE_SENSE {
        let mut met = Vec::new();
        for context in Context::ALL {
            let bindings = table.list_bindings(context).into_iter();
            met.extend(
                bindings
                    .filter(|one| one.chord == chord(keys))
                    .map(|one| one.action),
            );
        }
        assert!(!met.is_empty(), "{keys}");
        for action in met {
            assert!(actions.contains(&action), "{keys} is {action:?} too");
        }
    }
}

#[test]
fn a_key_file_of_an_earlier_version_collides_with_no_key_that_was_moved_since() {
    let found = |table: &KeyTable, context: Context, letter: char| {
        table.match_keys(context, &[key(KeyCode::Char(letter))])
    };
    let earlier = table(
        "[keys.annotate]\nflag = [\"C\"]\n[keys.debate]\nfork = [\"#\"]\n[keys.queues]\nadjudicate = [\"@\"]\n",
    );
    let earlier = earlier.unwrap();
    for (context, letter, action) in [
        (Context::Annotate, 'C', Action::Flag),
        (Context::Annotate, 'c', Action::Codebook),
        (Context::Annotate, '#', Action::Note),
        (Context::Debate, '#', Action::Fork),
        (Context::Debate, 'm', Action::Note),
        (Context::Queues, '@', Action::Adjudicate),
        (Context::Queues, 'w', Action::LabelAs),
    ] {
        let is = KeyMatch::Action(action);
        assert_eq!(found(&earlier, context, letter), is, "{letter}");
    }
    let named = table("[keys.annotate]\ncodebook = [\"c\"]\nnote = [\"n\"]\n").unwrap();
    let is = KeyMatch::Action(Action::Codebook);
    assert_eq!(found(&named, Context::Annotate, 'c'), is);
    assert_eq!(found(&named, Context::Annotate, 'C'), KeyMatch::Nothing);
}

#[test]
fn a_change_replaces_all_keys_of_the_action_in_that_context() {
    let table = table("[keys.debate]\nstep-turn = [\"Ctrl-N\", \"b b\"]\nfork = []\n").unwrap();
    let at = |text: &str| table.match_keys(Context::Debate, &chord(text).0);
    assert_eq!(at("n"), KeyMatch::Nothing);
    assert_eq!(at("Ctrl-N"), KeyMatch::Action(Action::StepTurn));
    assert_eq!(at("b"), KeyMatch::Prefix);
    assert_eq!(at("f"), KeyMatch::Nothing);
    assert!(
        KeyTable::default()
            .list_actions(Context::Debate)
            .contains(&Action::Fork)
    );
    assert_eq!(table.key_hint(Context::Debate, Action::Fork), None);
}

#[test]
fn keys_may_be_exchanged() {
    let table = table("[keys.debate]\nfork = [\"n\"]\nstep-turn = [\"f\"]\n").unwrap();
    assert_eq!(
        table.match_keys(Context::Debate, &[key(KeyCode::Char('f'))]),
        KeyMatch::Action(Action::StepTurn)
    );
}

#[test]
fn conflicts_are_refused_with_both_lines() {
    assert_eq!(
        fault("[keys.debate]\nfork = [\"n\"]\n"),
        "config.toml:2: 'n' is both step-turn = 'n' in [keys.debate] (as it comes) and fork = 'n' in \
         [keys.debate] (config.toml:2); give one of them another key, or [] for none"
    );
    assert_eq!(
        fault("[keys.debate]\nfork = [\"B\"]\n\nedit = [\"B\"]\n"),
        "config.toml:4: 'B' is both edit = 'B' in [keys.debate] (config.toml:4) and fork = 'B' in \
         [keys.debate] (config.toml:2); give one of them another key, or [] for none"
    );
    assert_eq!(
        fault("[keys.compare]\ncopy = [\"g\"]\n"),
        "config.toml:2: copy = 'g' in [keys.compare] (config.toml:2) would hide next-disagreement = \
         'g d' in [keys.compare] (as it comes); give one of them another key, or [] for none"
    );
    assert_eq!(
        fault("[keys.inspector]\ncopy = [\"g\"]\n"),
        "config.toml:2: copy = 'g' in [keys.inspector] (config.toml:2) would hide top = 'g g' in \
         [keys.everywhere] (as it comes); give one of them another key, or [] for none"
    );
}

#[test]
fn keys_that_others_take_cannot_be_the_only_ones() {
    for taken in [
        "Ctrl-A",
        "Ctrl-B",
        "Ctrl-S",
        "Ctrl-Q",
        "Ctrl-P",
        "Ctrl-W",
        "Ctrl-G",
        "Ctrl-\\\\",
        "F5",
        "Alt-x",
    ] {
        let why = fault(&format!("[keys.debate]\nfork = [\"{taken}\"]\n"));
        assert!(why.starts_with("config.toml:2: multiplexers, "), "{why}");
        table(&format!("[keys.debate]\nfork = [\"{taken}\", \"f\"]\n")).unwrap();
    }
    // It keeps its keys of everywhere.
    table("[keys.debate]\nup = [\"Ctrl-P\"]\n").unwrap();
}

#[test]
fn what_cannot_be_meant_is_refused_at_its_line() {
    let cases = [
        (
            "[keys.debates]\n",
            ":1: there is no context 'debates'; there are everywhere, sessions,",
        ),
        (
            "[keys.debate]\nfrok = [\"f\"]\n",
            ":2: there is no action 'frok'; here are search, export,",
        ),
        (
            "[keys.debate]\nfork = \"f\"\n",
            ":2: 'fork' needs a list of keys",
        ),
        (
            "[keys.debate]\nfork = [\"f\",\n  \"gg\"]\n",
            ":3: 'gg' is no key; write a character",
        ),
        (
            "[keys.debate]\nsort = [\"B\"]\n",
            ":2: [keys.debate] has no action 'sort'; write it in [keys.sessions]",
        ),
        (
            "[keys.debate]\nfork = [\"Space f\"]\n",
            ":2: Space shows what may follow",
        ),
        (
            "[keys.debate]\nfork = [\"f Esc\"]\n",
            ":2: 'f Esc': Esc gives up a chord",
        ),
        (
            "[keys.debate]\nfork = [\"Ctrl-I\"]\n",
            ":2: 'Ctrl-I' arrives from a terminal as Tab",
        ),
        ("[keys.everywhere]\nback = []\n", ":2: 'back' needs a key"),
        ("keys = 3\n", ":1: [keys] must be a table"),
    ];
    for (text, said) in cases {
        let why = fault(text);
        assert!(why.starts_with(&format!("config.toml{said}")), "{why}");
    }
}

#[test]
fn a_chord_waits_and_esc_gives_it_up() {
    let table = KeyTable::default();
    let mut resolver = Resolver::default();
    let begun = resolver.resolve_key(&table, Context::Debate, key(KeyCode::Char('g')));
    assert_eq!(begun, Resolved::Pending);
    let (prefix, next) = resolver.list_continuations(&table, Context::Debate);
    assert_eq!(prefix.to_string(), "g");
    let actions: Vec<KeyTarget> = next.iter().map(|next| next.leads).collect();
    assert_eq!(
        actions,
        [
            KeyTarget::To(Action::FirstUnsafe),
            KeyTarget::To(Action::NextDisagreement),
            KeyTarget::To(Action::NextWrong),
            KeyTarget::To(Action::PreviousWrong),
            KeyTarget::To(Action::Top)
        ]
    );
    let mut press = |key| resolver.resolve_key(&table, Context::Debate, key);
    assert_eq!(press(key(KeyCode::Esc)), Resolved::Cancelled);
    assert_eq!(press(key(KeyCode::Esc)), Resolved::Action(Action::Back));
    press(key(KeyCode::Char('g')));
    assert_eq!(
        press(key(KeyCode::Char('u'))),
        Resolved::Action(Action::FirstUnsafe)
    );
    press(key(KeyCode::Char('g')));
    assert_eq!(press(key(KeyCode::Char('q'))), Resolved::Nothing);
    assert_eq!(
        press(key(KeyCode::Char('q'))),
        Resolved::Action(Action::Quit)
    );
}

#[test]
fn space_shows_what_may_follow_and_changes_nothing() {
    let table = KeyTable::default();
    let mut resolver = Resolver::default();
    let asked = resolver.resolve_key(&table, Context::Debate, key(KeyCode::Char(' ')));
    assert_eq!(asked, Resolved::Which);
    let (prefix, next) = resolver.list_continuations(&table, Context::Debate);
    assert!(prefix.0.is_empty());
    let g = next
        .iter()
        .find(|next| next.key == key(KeyCode::Char('g')))
        .unwrap();
    assert_eq!(g.leads, KeyTarget::On(5));
    resolver.resolve_key(&table, Context::Debate, key(KeyCode::Char('g')));
    let shown = resolver.resolve_key(&table, Context::Debate, key(KeyCode::Char(' ')));
    assert_eq!(shown, Resolved::Which);
    assert_eq!(
        resolver.list_continuations(&table, Context::Debate).1.len(),
        5
    );
    let found = resolver.resolve_key(&table, Context::Debate, key(KeyCode::Char('g')));
    assert_eq!(found, Resolved::Action(Action::Top));
}

#[test]
fn only_what_ends_or_stops_or_redraws_passes_while_text_is_typed() {
    let table = KeyTable::default();
    assert_eq!(
        table.find_typing_action(ctrl(KeyCode::Char('c'))),
        Some(Action::Interrupt)
    );
    assert_eq!(
        table.find_typing_action(ctrl(KeyCode::Char('z'))),
        Some(Action::Suspend)
    );
    assert_eq!(
        table.find_typing_action(ctrl(KeyCode::Char('l'))),
        Some(Action::Redraw)
    );
    for typed in [
        key(KeyCode::Char('q')),
        ctrl(KeyCode::Char('u')),
        ctrl(KeyCode::Char('d')),
        key(KeyCode::Esc),
    ] {
        assert_eq!(table.find_typing_action(typed), None, "{typed:?}");
    }
}

#[test]
fn whoever_hesitates_within_a_chord_is_shown_what_may_follow_in_words() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("elenchus");
    pty.press("g");
    pty.wait_for("g and then");
    pty.wait_for("to the beginning");
    pty.press("Esc");
    pty.wait_for_no("g and then");
    pty.press("Space");
    pty.wait_for("reverse order");
    pty.press("Esc");
    pty.wait_for_no("reverse order");
    pty.press("g g");
    pty.wait_for_calm();
    assert!(!pty.screen().contains("and then"));
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
}

#[test]
fn no_keys_are_bound_twice_in_a_context() {
    let mut bound = HashSet::new();
    for (context, keys, action) in DEFAULTS {
        let chord: Chord = keys.parse().unwrap();
        let is_new = bound.insert((*context, chord));
        assert!(is_new, "{keys} of {action:?} twice in {}", context.name());
    }
}

#[test]
fn the_keys_as_they_come_collide_nowhere() {
    let table = KeyTable::default();
    // Collisions are looked for where something is changed: here to what it is.
    let (context, action) = (Context::Everywhere, Action::Back);
    let chords = table.find_chords(context, action).into_iter().cloned();
    let same = KeyOverride {
        context,
        action,
        chords: chords.collect(),
        file: "config.toml".to_owned(),
        line: 1,
    };
    KeyTable::with_overrides(DefaultKeys::default(), &[same]).unwrap();
}

#[test]
fn every_action_has_a_mark_of_its_own_in_every_context() {
    for context in Context::ALL {
        for action in Action::ALL {
            assert_eq!(
                parse_mark(key_for(context, *action)),
                Some((context, *action))
            );
        }
    }
}

#[test]
fn a_sentence_names_the_keys_that_are_in_force() {
    let key = key_for(Context::Debate, Action::StepTurn);
    let sentence = format!("{key} plays, é stays");
    assert_eq!(spelled(&sentence, &KeyTable::default()), "n plays, é stays");
    let change = |chords| KeyOverride {
        context: Context::Debate,
        action: Action::StepTurn,
        chords,
        file: "config.toml".to_owned(),
        line: 1,
    };
    let other =
        KeyTable::with_overrides(DefaultKeys::default(), &[change(vec![chord("g n")])]).unwrap();
    assert_eq!(spelled(&sentence, &other), "g n plays, é stays");
    let none = KeyTable::with_overrides(DefaultKeys::default(), &[change(Vec::new())]).unwrap();
    assert_eq!(
        spelled(&sentence, &none),
        "the command step-turn plays, é stays"
    );
}
