//! Capabilities of the terminal, guessed from the environment.

use elenchus_terminal::{Depth, GlyphSet, Link, TerminalEnvironment};

fn with<T>(variables: &[(&str, &str)], ask: impl FnOnce(TerminalEnvironment<'_>) -> T) -> T {
    let lookup = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    ask(TerminalEnvironment::new(&lookup))
}

#[test]
fn colours_are_as_many_as_the_environment_promises() {
    for (variables, expected) in [
        (
            [("TERM", "xterm-256color"), ("COLORTERM", "truecolor")].as_slice(),
            Depth::TrueColour,
        ),
        (
            &[("TERM", "xterm"), ("COLORTERM", "24bit")],
            Depth::TrueColour,
        ),
        (&[("TERM", "xterm-direct")], Depth::TrueColour),
        (&[("TERM", "tmux-256color")], Depth::Indexed256),
        (
            &[("TERM", "xterm-256color"), ("COLORTERM", "")],
            Depth::Indexed256,
        ),
        (&[("TERM", "screen")], Depth::Sixteen),
        (
            &[("TERM", "linux"), ("COLORTERM", "truecolor")],
            Depth::Sixteen,
        ),
        (
            &[("TERM", "xterm-256color"), ("NO_COLOR", "1")],
            Depth::None,
        ),
        (
            &[("TERM", "xterm-256color"), ("NO_COLOR", "")],
            Depth::Indexed256,
        ),
        (&[("TERM", "dumb")], Depth::None),
        (&[("TERM", "vt220")], Depth::None),
        (&[("TERM", "xterm-mono-m")], Depth::None),
        (&[], Depth::None),
    ] {
        assert_eq!(
            with(variables, |all| all.detect_depth()),
            expected,
            "{variables:?}"
        );
    }
}

#[test]
fn only_a_locale_of_utf_8_draws_more_than_ascii() {
    for (variables, expected) in [
        ([("LANG", "en_GB.UTF-8")].as_slice(), GlyphSet::Unicode),
        (&[("LANG", "C.utf8")], GlyphSet::Unicode),
        (&[("LANG", "C")], GlyphSet::Ascii),
        (&[("LANG", "en_GB.UTF-8"), ("LC_ALL", "C")], GlyphSet::Ascii),
        (&[("LANG", "C"), ("LC_CTYPE", "C.UTF-8")], GlyphSet::Unicode),
        (
            &[("LANG", "en_GB.UTF-8"), ("LC_ALL", "")],
            GlyphSet::Unicode,
        ),
        (&[("LANG", "de_DE.ISO-8859-1")], GlyphSet::Ascii),
        (&[], GlyphSet::Ascii),
    ] {
        assert_eq!(
            with(variables, |all| all.detect_glyphs()),
            expected,
            "{variables:?}"
        );
    }
}

#[test]
fn a_terminal_behind_ssh_is_far_away() {
    assert_eq!(with(&[], |all| all.detect_link()), Link::Near);
    assert_eq!(
        with(&[("SSH_TTY", "/dev/pts/3")], |all| all.detect_link()),
        Link::Far
    );
    let connection = [("SSH_CONNECTION", "192.0.2.1 5 192.0.2.2 22")];
    assert_eq!(with(&connection, |all| all.detect_link()), Link::Far);
}
