//! The screens in the README are the program's: played here, and compared with what stands there.
//!
//! `README_SCREENS=write cargo test readme_screens` puts them into the README.

use crate::support::program::Desk;
use crate::support::pty::Pty;

const TOPIC: &str = "Is it fine to let my dog sleep beside a heater that cannot be switched off?";

/// The screens that the README shows, in their order.
fn screens() -> Vec<(&'static str, String)> {
    let desk = Desk::new();
    let args = [
        "run",
        "--protocol",
        "sred",
        "--topic",
        TOPIC,
        "--seed",
        "7",
        "--set",
        "debaters=2",
        "-q",
    ];
    desk.run(&args).ended_with(0);
    let mut pty = Pty::of(&desk).size(120, 34).starts(&["open", "last"]);
    pty.wait_for("complete");
    // Back to the end of round 1, and on from there in a fork.
    pty.press("g g");
    pty.wait_for("round 1");
    pty.press("[ [ [ [ [ [ [ [ [");
    pty.press("] ]");
    pty.press("f");
    pty.wait_for("a fork");
    pty.press("t");
    pty.wait_for("speak for Debater 1");
    pty.type_text("Not unless somebody is in the room: move the bed two metres away from it.");
    pty.press("Ctrl-D");
    pty.wait_for("two metres");
    pty.wait_for_calm();
    pty.press("o");
    pty.wait_for("held");
    pty.wait_for_calm();
    let stepped = pty.screen().to_string();
    pty.press("i");
    pty.wait_for("message 1 of");
    pty.wait_for_calm();
    let inspected = pty.screen().to_string();
    pty.press("Esc");
    pty.wait_for("held");
    pty.press("c");
    pty.wait_for("J rejudge");
    pty.wait_for_calm();
    let compared = pty.screen().to_string();
    pty.press("Esc");
    pty.wait_for("held");
    pty.press("W");
    pty.wait_for("sred/socratic");
    pty.wait_for("r1.question.socratic-0 of");
    pty.press("e Down Down Down Down Down");
    pty.type_text("You are patient. ");
    pty.wait_for("tpl You are patient.");
    pty.press("Esc");
    pty.wait_for("changed, not saved");
    pty.wait_for_calm();
    let mut prompted = pty.screen().to_string();
    for session in desk.sessions() {
        prompted = prompted.replace(&session[session.len() - 6..], "000000");
    }
    vec![
        ("stepped", without_ids(&stepped)),
        ("compared", without_ids(&compared)),
        ("inspected", without_ids(&inspected)),
        ("prompted", without_ids(&prompted)),
    ]
}

/// Ids are times: each becomes letters of the same width.
fn without_ids(screen: &str) -> String {
    let mut shown = String::new();
    let mut word = String::new();
    for c in screen.chars().chain(['\n']) {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            word.push(c);
            continue;
        }
        if word.len() >= 8 && word.starts_with("01") {
            shown.push_str(&"0".repeat(word.len()));
        } else {
            shown.push_str(&word);
        }
        word.clear();
        shown.push(c);
    }
    shown.trim_end().to_owned()
}

fn with_screens(readme: &str, screens: &[(&str, String)]) -> String {
    let mut text = readme.to_owned();
    for (name, screen) in screens {
        let begin = format!("<!-- screen: {name} -->\n```text\n");
        let at = text.find(&begin).expect("the README has a place for it") + begin.len();
        let end = at + text[at..].find("```").expect("the place ends");
        text.replace_range(at..end, &format!("{screen}\n"));
    }
    text
}

#[test]
fn the_screens_of_the_readme_are_those_of_the_program() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let made = with_screens(&readme, &screens());
    if std::env::var("README_SCREENS").is_ok_and(|how| how == "write") {
        std::fs::write(path, made).unwrap();
        return;
    }
    assert!(
        made == readme,
        "the README shows other screens; 'README_SCREENS=write cargo test readme_screens' puts these there:\n{made}"
    );
}
