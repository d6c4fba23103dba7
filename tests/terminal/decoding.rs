//! Keys from bytes, however a link cuts them.

use crate::tui::drawing::{ctrl, key};
use elenchus::tui::keys::{key_name, typed_char};
use elenchus_terminal::Input;
use elenchus_terminal::decode::{Decoder, DecoderWait, PASTE_LIMIT_BYTES};
use proptest::prelude::*;
use ratatui::crossterm::event::{Event, KeyCode};

/// What terminals send for named keys, and the names.
const KNOWN: &[(&str, &str)] = &[
    // xterm, with cursor keys in either mode.
    ("\x1b[A", "Up"),
    ("\x1bOA", "Up"),
    ("\x1b[B", "Down"),
    ("\x1bOB", "Down"),
    ("\x1b[C", "Right"),
    ("\x1bOC", "Right"),
    ("\x1b[D", "Left"),
    ("\x1bOD", "Left"),
    ("\x1b[H", "Home"),
    ("\x1bOH", "Home"),
    ("\x1b[F", "End"),
    ("\x1bOF", "End"),
    ("\x1b[5~", "PgUp"),
    ("\x1b[6~", "PgDn"),
    ("\x1b[2~", "Ins"),
    ("\x1b[3~", "Del"),
    ("\x1b[Z", "Shift-Tab"),
    ("\x1b[1;5A", "Ctrl-Up"),
    ("\x1b[1;3B", "Alt-Down"),
    ("\x1b[1;2C", "Shift-Right"),
    ("\x1b[1;8D", "Ctrl-Alt-Shift-Left"),
    ("\x1b[5;5~", "Ctrl-PgUp"),
    ("\x1b[3;2~", "Shift-Del"),
    ("\x1bOP", "F1"),
    ("\x1b[1;2Q", "Shift-F2"),
    ("\x1b[15~", "F5"),
    ("\x1b[17~", "F6"),
    ("\x1b[24~", "F12"),
    ("\x1b[27;5;105~", "Ctrl-I"),
    ("\x1b[27;2;13~", "Shift-Enter"),
    ("\x1b[97;5u", "Ctrl-A"),
    ("\x1b[97;2u", "A"),
    ("\x1bOM", "Enter"),
    // rxvt.
    ("\x1b[7~", "Home"),
    ("\x1b[8~", "End"),
    ("\x1b[5^", "Ctrl-PgUp"),
    ("\x1b[5$", "Shift-PgUp"),
    ("\x1b[5@", "Ctrl-Shift-PgUp"),
    ("\x1b[a", "Shift-Up"),
    ("\x1bOa", "Ctrl-Up"),
    ("\x1b\x1b[A", "Alt-Up"),
    ("\x1bO5C", "Ctrl-Right"),
    // Linux's console; screen and tmux.
    ("\x1b[[A", "F1"),
    ("\x1b[[E", "F5"),
    ("\x1b[1~", "Home"),
    ("\x1b[4~", "End"),
    // Alt before a key.
    ("\x1bx", "Alt-x"),
    ("\x1b\r", "Alt-Enter"),
    ("\x1b\x7f", "Alt-Backspace"),
    ("\x1bñ", "Alt-ñ"),
    // Control bytes and characters.
    ("\r", "Enter"),
    ("\n", "Ctrl-J"),
    ("\t", "Tab"),
    ("\x7f", "Backspace"),
    ("\x08", "Backspace"),
    ("\x03", "Ctrl-C"),
    ("\x1a", "Ctrl-Z"),
    ("\x1f", "Ctrl-_"),
    (" ", "Space"),
    ("漢", "漢"),
    ("🦀", "🦀"),
    // The mouse.
    ("\x1b[<0;12;7M", "Down(Left) 11,6"),
    ("\x1b[<2;12;7m", "Up(Right) 11,6"),
    ("\x1b[<64;1;1M", "ScrollUp 0,0"),
    ("\x1b[<81;300;99M", "Control+ScrollDown 299,98"),
];

/// What terminals answer or report; no keys.
const ANSWERS: &[&str] = &[
    "\x1b]11;rgb:1e1e/1e1e/1e1e\x07",
    "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
    "\x1bP>|XTerm(390)\x1b\\",
    "\x1bP1+r544e=787465726d\x1b\\",
    "\x1b_Gi=31;OK\x1b\\",
    "\x1b[?62;22c",
    "\x1b[>41;390;0c",
    "\x1b[12;40R",
    "\x1b[?2026;2$y",
    "\x1b[I",
    "\x1b[O",
    "\x1b[<35;12;7M",
    "\x1b[<64;12M",
    "\x1b[<64;12;7~",
    "\x1b[<64;12;7m",
    "\x1b[M !!",
    "\x1b[?1u",
    "\x1b[4;600;800t",
];

fn keys(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn told(inputs: &[Input]) -> Vec<String> {
    inputs
        .iter()
        .map(|input| match input {
            Input::Event(Event::Key(key)) => key_name(*key),
            Input::Paste(paste) => format!("<{}+{}>", paste.text, paste.dropped_bytes),
            Input::Event(Event::Mouse(mouse)) => {
                let held: Vec<String> = mouse
                    .modifiers
                    .iter()
                    .map(|one| format!("{one}+"))
                    .collect();
                format!(
                    "{}{:?} {},{}",
                    held.concat(),
                    mouse.kind,
                    mouse.column,
                    mouse.row
                )
            }
            Input::Event(other) => panic!("bytes are keys, not {other:?}"),
        })
        .collect()
}

/// Feeds pieces one after the other, with no time between them.
fn decoded(pieces: &[&[u8]]) -> Vec<String> {
    let mut decoder = Decoder::new();
    let mut inputs = Vec::new();
    for piece in pieces {
        decoder.feed(piece, &mut inputs);
    }
    assert_eq!(decoder.pending_wait(), None, "something is half arrived");
    told(&inputs)
}

#[test]
fn every_known_sequence_is_its_key() {
    for (bytes, name) in KNOWN {
        assert_eq!(decoded(&[bytes.as_bytes()]), [*name], "{bytes:?}");
    }
}

#[test]
fn every_known_sequence_is_its_key_wherever_it_is_cut() {
    for (bytes, name) in KNOWN {
        let bytes = bytes.as_bytes();
        for at in 0..=bytes.len() {
            let (one, two) = bytes.split_at(at);
            assert_eq!(decoded(&[one, two]), [*name], "{bytes:?} at {at}");
        }
    }
}

#[test]
fn answers_of_a_terminal_are_no_keys_wherever_they_are_cut() {
    for answer in ANSWERS {
        for at in 0..=answer.len() {
            let (one, two) = answer.as_bytes().split_at(at);
            assert_eq!(decoded(&[one, two, b"j"]), ["j"], "{answer:?} at {at}");
        }
    }
}

#[test]
fn a_tail_that_follows_a_lone_esc_is_put_together_and_fires_no_letter() {
    for (bytes, name) in KNOWN.iter().filter(|(bytes, _)| {
        let tail = bytes.strip_prefix('\x1b');
        tail.is_some_and(|tail| tail.starts_with(['[', 'O']))
    }) {
        let mut decoder = Decoder::new();
        let mut inputs = Vec::new();
        decoder.feed(b"\x1b", &mut inputs);
        assert_eq!(decoder.pending_wait(), Some(DecoderWait::Escape));
        decoder.handle_timeout(&mut inputs);
        assert_eq!(decoder.pending_wait(), Some(DecoderWait::Tail));
        for byte in &bytes.as_bytes()[1..] {
            decoder.feed(&[*byte], &mut inputs);
        }
        assert_eq!(told(&inputs), ["Esc", *name], "{bytes:?}");
    }
}

#[test]
fn a_sequence_that_has_begun_waits_for_its_end_however_long() {
    for (bytes, name) in KNOWN.iter().filter(|(bytes, _)| {
        let tail = bytes.strip_prefix('\x1b');
        tail.is_some_and(|tail| tail.starts_with(['[', 'O']))
    }) {
        for at in 2..bytes.len() {
            let (one, two) = bytes.as_bytes().split_at(at);
            let mut decoder = Decoder::new();
            let mut inputs = Vec::new();
            decoder.feed(one, &mut inputs);
            decoder.handle_timeout(&mut inputs);
            decoder.feed(two, &mut inputs);
            assert_eq!(told(&inputs), [*name], "{bytes:?} at {at}");
        }
    }
}

#[test]
fn an_answer_torn_behind_its_esc_fires_no_letter() {
    let mut decoder = Decoder::new();
    let mut inputs = Vec::new();
    decoder.feed(b"\x1b", &mut inputs);
    decoder.handle_timeout(&mut inputs);
    decoder.feed(b"]11;rgb:ffff/ffff/ffff\x07j", &mut inputs);
    assert_eq!(told(&inputs), ["Esc", "j"]);
}

#[test]
fn what_a_person_types_after_esc_is_theirs() {
    for (typed, expected) in [
        ("j", ["Esc", "j"].as_slice()),
        ("\x1b[A", &["Esc", "Up"]),
        ("q", &["Esc", "q"]),
        ("]j", &["Esc", "]", "j"]),
        ("Ok", &["Esc", "O", "k"]),
        ("[\r", &["Esc", "[", "Enter"]),
    ] {
        let mut decoder = Decoder::new();
        let mut inputs = Vec::new();
        decoder.feed(b"\x1b", &mut inputs);
        decoder.handle_timeout(&mut inputs);
        decoder.feed(typed.as_bytes(), &mut inputs);
        assert_eq!(told(&inputs), expected, "{typed:?}");
    }
}

#[test]
fn a_bracket_long_after_esc_is_a_key() {
    for bracket in ["[", "]", "O"] {
        for passes_before in [true, false] {
            let mut decoder = Decoder::new();
            let mut inputs = Vec::new();
            decoder.feed(b"\x1b", &mut inputs);
            decoder.handle_timeout(&mut inputs);
            if passes_before {
                decoder.handle_timeout(&mut inputs);
            }
            decoder.feed(bracket.as_bytes(), &mut inputs);
            if !passes_before {
                decoder.handle_timeout(&mut inputs);
            }
            decoder.feed(b"j", &mut inputs);
            assert_eq!(told(&inputs), ["Esc", bracket, "j"]);
        }
    }
}

#[test]
fn a_string_that_never_ends_does_not_keep_the_keyboard() {
    let mut decoder = Decoder::new();
    let mut inputs = Vec::new();
    decoder.feed(b"\x1b]", &mut inputs);
    assert_eq!(decoder.pending_wait(), Some(DecoderWait::Rest));
    decoder.handle_timeout(&mut inputs);
    decoder.feed(b"j\x1b]junk\x03k", &mut inputs);
    assert_eq!(told(&inputs), ["j", "Ctrl-C", "k"]);
}

#[test]
fn a_control_key_ends_a_sequence_that_was_begun_by_mistake() {
    assert_eq!(decoded(&[b"\x1b[\x03"]), ["Ctrl-C"]);
    assert_eq!(decoded(&[b"\x1b[1;\x1b[A"]), ["Up"]);
    assert_eq!(decoded(&[b"\x1bO\r"]), ["Enter"]);
}

#[test]
fn bytes_that_are_no_characters_are_left_out() {
    assert_eq!(decoded(&[b"a\xff\xc3(b\x9bc"]), ["a", "(", "b", "c"]);
    assert_eq!(decoded(&["\u{9b}A".as_bytes()]), ["A"]);
}

#[test]
fn a_pasted_text_comes_whole_and_fires_nothing() {
    let text = "q\ry\r\n\x1b[A \x1b[200~ \x1b[20 ünï \x1b";
    let bytes = format!("a\x1b[200~{text}\x1b[201~b");
    let expected = keys(&["a", "<q\ny\n\x1b[A \x1b[200~ \x1b[20 ünï \x1b+0>", "b"]);
    for at in 0..=bytes.len() {
        let (one, two) = bytes.as_bytes().split_at(at);
        assert_eq!(decoded(&[one, two]), expected, "at {at}");
    }
}

#[test]
fn a_paste_is_cut_at_its_limit_and_says_by_how_much() {
    // Characters of two bytes behind one of one byte: the limit falls into the middle of one.
    let text = format!("x{}", "é".repeat(PASTE_LIMIT_BYTES / 2 + 10));
    let mut decoder = Decoder::new();
    let mut inputs = Vec::new();
    decoder.feed(format!("\x1b[200~{text}\x1b[201~j").as_bytes(), &mut inputs);
    let [Input::Paste(paste), Input::Event(Event::Key(_))] = inputs.as_slice() else {
        panic!("{} inputs", inputs.len());
    };
    assert_eq!(paste.text.len(), PASTE_LIMIT_BYTES - 1);
    assert_eq!(
        paste.text.len() as u64 + paste.dropped_bytes,
        text.len() as u64
    );
    assert!(text.starts_with(&paste.text));
}

#[test]
fn an_interrupt_after_a_pause_ends_a_paste_whose_end_was_lost() {
    let mut decoder = Decoder::new();
    let mut inputs = Vec::new();
    decoder.feed(b"\x1b[200~ab", &mut inputs);
    assert_eq!(decoder.pending_wait(), Some(DecoderWait::Paste));
    decoder.handle_timeout(&mut inputs);
    decoder.feed(b"c", &mut inputs);
    assert!(inputs.is_empty(), "a pause alone ends nothing");
    decoder.handle_timeout(&mut inputs);
    decoder.feed(b"\x03j", &mut inputs);
    assert_eq!(told(&inputs), ["<abc+0>", "Ctrl-C", "j"]);
}

#[test]
fn an_interrupt_in_the_flow_of_a_paste_is_text_and_what_follows_it_no_keys() {
    assert_eq!(
        decoded(&[b"\x1b[200~ab\x03\x03\x03dd\x1b[201~j"]),
        ["<ab\x03\x03\x03dd+0>", "j"]
    );
}

#[test]
fn a_paste_whose_end_never_comes_is_told_after_a_bounded_time_and_keys_are_keys_again() {
    let mut decoder = Decoder::new();
    let mut inputs = Vec::new();
    decoder.feed(b"\x1b[200~ab", &mut inputs);
    let mut pauses = 0;
    while decoder.pending_wait() == Some(DecoderWait::Paste) {
        decoder.handle_timeout(&mut inputs);
        pauses += 1;
        assert!(pauses < 100, "it is waited for without end");
    }
    decoder.feed(b"j", &mut inputs);
    assert_eq!(told(&inputs), ["<ab+0>", "j"]);
    assert_eq!(decoder.pending_wait(), None);
}

fn input() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(KNOWN).prop_map(|(bytes, _)| bytes.as_bytes().to_vec());
    let answer = prop::sample::select(ANSWERS).prop_map(|answer| answer.as_bytes().to_vec());
    let paste = "[a-z\u{1b}\\[é~0-2]{0,12}"
        .prop_map(|text| format!("\x1b[200~{text}\x1b[201~").into_bytes());
    let noise = prop::collection::vec(any::<u8>(), 0..6);
    prop_oneof![4 => known, 2 => answer, 1 => paste, 2 => noise]
}

proptest! {
    #[test]
    fn any_cut_of_any_bytes_gives_the_same_inputs(
        parts in prop::collection::vec(input(), 0..12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let bytes = parts.concat();
        let mut whole = Vec::new();
        let mut decoder = Decoder::new();
        decoder.feed(&bytes, &mut whole);
        let waiting = decoder.pending_wait();
        // A text of lines is known by its coming at once.
        prop_assume!(waiting != Some(DecoderWait::Burst));

        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let mut decoder = Decoder::new();
        let mut pieces = Vec::new();
        for cut in cuts.windows(2) {
            decoder.feed(&bytes[cut[0]..cut[1]], &mut pieces);
        }
        prop_assert_eq!(pieces, whole);
        prop_assert_eq!(decoder.pending_wait(), waiting);
    }

    /// A pause in one place of a run of named keys may add an Esc there, and nothing that types or
    /// commands.
    #[test]
    fn a_pause_anywhere_among_named_keys_types_nothing(
        parts in prop::collection::vec(prop::sample::select(KNOWN), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let named = |(bytes, _): &&(&str, &str)| {
            bytes.strip_prefix('\x1b').is_some_and(|tail| tail.starts_with(['[', 'O']))
                && !bytes.contains('u')
                && !bytes.contains("27;")
        };
        let bytes: Vec<u8> = parts.iter().filter(named).flat_map(|(bytes, _)| bytes.bytes()).collect();
        let (one, two) = bytes.split_at(cut.index(bytes.len() + 1));
        let mut decoder = Decoder::new();
        let mut inputs = Vec::new();
        decoder.feed(one, &mut inputs);
        decoder.handle_timeout(&mut inputs);
        decoder.feed(two, &mut inputs);
        for input in &inputs {
            let types = matches!(input, Input::Event(Event::Key(key)) if typed_char(*key).is_some());
            prop_assert!(!types, "{:?}", told(&inputs));
        }
    }
}

#[test]
fn shift_is_part_of_a_character() {
    let mut inputs = Vec::new();
    Decoder::new().feed(b"\x1b[27;6;71~G", &mut inputs);
    let keys = [ctrl(KeyCode::Char('g')), key(KeyCode::Char('G'))];
    assert_eq!(inputs, keys.map(|key| Input::Event(Event::Key(key))));
}

#[test]
fn a_text_of_lines_without_brackets_is_one_paste_also_where_its_rest_comes_later() {
    let mut decoder = Decoder::new();
    let mut inputs = Vec::new();
    decoder.feed("first line\rzweite Zeile ü\r".as_bytes(), &mut inputs);
    assert!(inputs.is_empty(), "{inputs:?}");
    assert_eq!(decoder.pending_wait(), Some(DecoderWait::Burst));
    decoder.feed(b"\tthird", &mut inputs);
    decoder.handle_timeout(&mut inputs);
    let texts: Vec<_> = inputs
        .iter()
        .map(|input| match input {
            Input::Paste(paste) => paste.text.clone(),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(texts, ["first line\nzweite Zeile ü\n\tthird"]);
    // Keys are keys again.
    inputs.clear();
    decoder.feed(b"q", &mut inputs);
    assert_eq!(inputs.len(), 1);
    assert!(matches!(inputs[0], Input::Event(_)), "{inputs:?}");
}

#[test]
fn control_bytes_in_a_text_of_lines_without_brackets_are_no_keys() {
    for byte in (0x00..0x20).chain([0x7f, 0x80, 0xff]) {
        for at in [0, 3, 5, 6, 12] {
            let mut text = b"first\rsecond\r".to_vec();
            text.insert(at, byte);
            let mut decoder = Decoder::new();
            let mut inputs = Vec::new();
            decoder.feed(&text, &mut inputs);
            decoder.handle_timeout(&mut inputs);
            assert!(
                matches!(inputs[..], [Input::Paste(_)]),
                "{byte:#x} at {at}: {inputs:?}"
            );
            // Also in what comes right behind.
            inputs.clear();
            decoder.feed(b"first\rsecond\r", &mut inputs);
            decoder.feed(&text, &mut inputs);
            decoder.handle_timeout(&mut inputs);
            assert!(
                matches!(inputs[..], [Input::Paste(_)]),
                "{byte:#x} at {at}: {inputs:?}"
            );
        }
    }
    let coloured =
        "\x1b[31mred\x1b[0m words\r\x1b]8;;https://example.org\x1b\\more\x1b]8;;\x1b\\\rend\r";
    let mut decoder = Decoder::new();
    let mut inputs = Vec::new();
    decoder.feed(coloured.as_bytes(), &mut inputs);
    decoder.handle_timeout(&mut inputs);
    assert!(matches!(inputs[..], [Input::Paste(_)]), "{inputs:?}");
}

#[test]
fn keys_that_a_slow_link_brings_together_are_no_paste() {
    let arrows = "topic\r\x1b[B\x1b[Bsred\r";
    let mut inputs = Vec::new();
    Decoder::new().feed(arrows.as_bytes(), &mut inputs);
    assert_eq!(inputs.len(), 13, "{inputs:?}");
    for keys in ["jjjjjjjj\r", "topic text\r", "n\rj\rq\rjj\r", "ab\rcd\r"] {
        let mut inputs = Vec::new();
        Decoder::new().feed(keys.as_bytes(), &mut inputs);
        assert_eq!(inputs.len(), keys.len(), "{keys:?}: {inputs:?}");
    }
}
