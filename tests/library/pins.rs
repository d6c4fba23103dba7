//! Pinned files: a game with a changed file is not played.

use elenchus_game::debate::protocol::Settings;
use elenchus_records::library::Library;
use elenchus_test_support::journals::{events, keep_lines};
use elenchus_test_support::program::Program;
use serde_json::Value;

const GAME: &str = r#"id = "court"
name = "Court"
description = "One speaks, a judge decides"
source = "a test"
measures = "quality"
rounds = 1
pinned = ["rubrics/ruling.md"]

[[seats]]
id = "speaker"
kind = "speaker"

[[seats]]
id = "judge"
kind = "judge"

[[stages]]
id = "speak"
seats = ["speaker"]
sees = { topic = true }

[[judging]]
id = "ruling"
by = "judge"
of = "debate"
rubric = "ruling"
sees = { topic = true, turns = [{ seats = ["speaker"] }] }
"#;
const RUBRIC: &str = r#"id = "ruling"
description = "Is it settled?"
reading = "last_line"

[[labels]]
name = "settled"
meaning = "nothing is left to say"
says = "VERDICT: settled"
value = 1.0

[[labels]]
name = "open"
meaning = "something is left to say"
says = "VERDICT: open"
value = 0.0
"#;
const ASKED: &str = "=== user\nIs this settled?\n{% for turn in turns %}\n{{ turn.text }}\n{% endfor %}\n{% for label in labels %}\n{{ label.says }} ({{ label.meaning }})\n{% endfor %}\n";
const FOLDER: &str = ".elenchus/prompts/court";
const PLAY: [&str; 5] = ["run", "--protocol", "court", "--topic", "Tea?"];

fn project() -> Program {
    let program = Program::new();
    for (name, text) in [
        ("protocol.toml", GAME),
        ("speaker.md", "=== user\n{{ topic }}\n"),
        ("rubrics/ruling.toml", RUBRIC),
        ("rubrics/ruling.md", ASKED),
    ] {
        program.write(&format!("{FOLDER}/{name}"), text);
    }
    program
}

#[track_caller]
fn refused(program: &Program, words: &[&str]) {
    let before = program.sessions();
    let ran = program.run(&PLAY).ended_with(1);
    for words in words {
        assert!(ran.err.contains(words), "{words}\n{}", ran.err);
    }
    assert_eq!(program.sessions(), before, "nothing is begun");
}

#[test]
fn every_pin_of_a_built_in_game_holds() {
    let library = Library::default();
    for (id, _) in library.list_protocols() {
        let game = library.load_game(&id, &Settings::new()).unwrap();
        let files = library.list_pinned_files(&id, &game).unwrap();
        let repaired = game.protocol.judging.iter().any(|it| it.repair.is_some());
        let repair = files.iter().any(|file| file.path == "repair.md");
        assert_eq!(repair, repaired && !game.protocol.pinned.is_empty(), "{id}");
        for file in files {
            assert!(file.matches_pin(), "{id}: {file:?}");
        }
    }
}

#[test]
fn a_required_file_without_a_pin_is_refused_until_it_is_pinned() {
    let program = project();
    refused(
        &program,
        &[
            "court/rubrics/ruling.md must be pinned before 'court' is played",
            "elenchus protocols pin court",
        ],
    );
    let shown = program.run(&["protocols", "show", "court"]).ended_with(0);
    assert!(
        shown.out.contains("rubrics/ruling.md: NOT PINNED"),
        "{}",
        shown.out
    );
    program.run(&["protocols", "check", "court"]).ended_with(1);
    let pinned = program
        .run(&["protocols", "pin", "court", "--project"])
        .ended_with(0);
    assert!(
        pinned.out.contains("rubrics/ruling.md: none -> "),
        "{}",
        pinned.out
    );
    program.run(&PLAY).ended_with(0);
    let checked = program.run(&["protocols", "check", "court"]).ended_with(0);
    assert!(
        checked.out.contains("rubrics/ruling.md: holds ("),
        "{}",
        checked.out
    );
    let again = program
        .run(&["protocols", "pin", "court", "--project"])
        .ended_with(0);
    assert!(again.out.contains(", as before"), "{}", again.out);
}

#[test]
fn one_changed_byte_is_refused_with_both_hashes_and_accepted_once_it_is_pinned() {
    let program = project();
    program
        .run(&["protocols", "pin", "court", "--project"])
        .ended_with(0);
    program.run(&PLAY).ended_with(0);
    program.write(
        &format!("{FOLDER}/rubrics/ruling.md"),
        &ASKED.replace('\n', "\r\n"),
    );
    let digits = |text: &str, after: &str| -> String {
        let (_, rest) = text.split_once(after).unwrap();
        rest.chars().take_while(char::is_ascii_hexdigit).collect()
    };
    let ran = program.run(&PLAY).ended_with(1);
    assert!(
        ran.err
            .contains("court/rubrics/ruling.md is not what is pinned"),
        "{}",
        ran.err
    );
    let expected = digits(&ran.err, "should begin with ");
    let found = digits(&ran.err, "and begins with ");
    assert_eq!((expected.len(), found.len()), (12, 12), "{}", ran.err);
    assert_ne!(expected, found);
    let pinned = program
        .run(&["protocols", "pin", "court", "--project"])
        .ended_with(0);
    let line = format!("rubrics/ruling.md: {expected} -> {found}");
    assert!(pinned.out.contains(&line), "{}", pinned.out);
    program.run(&PLAY).ended_with(0);
    let left: Vec<String> = std::fs::read_dir(program.work().join(FOLDER))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("pins"))
        .collect();
    assert_eq!(left, ["pins.toml"]);
}

#[test]
fn a_session_goes_on_with_its_own_texts_whatever_became_of_the_pins() {
    let program = project();
    program
        .run(&["protocols", "pin", "court", "--project"])
        .ended_with(0);
    program.run(&PLAY).ended_with(0);
    let session = program.sessions().remove(0);
    let journal = program.store().join(format!("sessions/{session}.jsonl"));
    let whole = events(&journal);
    let is_verdict = |event: &Value| event["type"] == "judged";
    let verdict = whole.iter().position(is_verdict).unwrap();
    // As a kill before the judge was asked would have left it.
    let asked = whole.iter().rposition(|event| event["type"] == "replied");
    keep_lines(&journal, asked.unwrap() + 1);
    program.forget_heads();
    let before = events(&journal);
    assert!(before.len() <= verdict && !before.iter().any(is_verdict));
    program.write(&format!("{FOLDER}/rubrics/ruling.md"), "changed");
    refused(&program, &["court/rubrics/ruling.md"]);

    program
        .run(&["run", "--resume-session", &session])
        .ended_with(0);
    let after = events(&journal);
    let given = after.iter().find(|event| is_verdict(event)).unwrap();
    let shown = program.run_ok(&["show", &session, "--views", "--json"]);
    assert!(shown.contains("Is this settled?"), "{shown}");
    let (given, first) = (&given["outcome"], &whole[verdict]["outcome"]);
    assert_eq!(given, first, "the simulated judge sees what it saw");
}

#[test]
fn files_that_somebody_pinned_besides_are_verified_as_well() {
    let program = project();
    let pinned = program
        .run(&["protocols", "pin", "court", "--project", "--all"])
        .ended_with(0);
    for path in [
        "speaker.md: none",
        "rubrics/ruling.toml: none",
        "rubrics/ruling.md: none",
    ] {
        assert!(pinned.out.contains(path), "{path}\n{}", pinned.out);
    }
    program.run(&PLAY).ended_with(0);
    program.write(
        &format!("{FOLDER}/speaker.md"),
        "=== user\nNow: {{ topic }}\n",
    );
    refused(
        &program,
        &["court/speaker.md is not what is pinned as 'speaker.md'"],
    );
    std::fs::remove_file(program.work().join(FOLDER).join("rubrics/ruling.md")).unwrap();
    program.run(&PLAY).ended_with(1);
}

#[test]
fn a_copy_that_nothing_is_played_with_does_not_stand_for_the_file_that_is() {
    let program = project();
    let own = program.work().join(FOLDER).join("rubrics");
    std::fs::remove_dir_all(own).unwrap();
    program.write(".elenchus/prompts/rubrics/ruling.toml", RUBRIC);
    program.write(".elenchus/prompts/rubrics/ruling.md", ASKED);
    program
        .run(&["protocols", "pin", "court", "--project"])
        .ended_with(0);
    program.run(&PLAY).ended_with(0);
    // A rubric's template counts beside its labels alone.
    program.write(&format!("{FOLDER}/rubrics/ruling.md"), ASKED);
    let changed = ASKED.replace("Is this settled?", "Say that it is settled.");
    program.write(".elenchus/prompts/rubrics/ruling.md", &changed);
    refused(
        &program,
        &["court/rubrics/ruling.md is not used: a rubric is two files"],
    );
    std::fs::remove_file(program.work().join(FOLDER).join("rubrics/ruling.md")).unwrap();
    refused(
        &program,
        &["prompts/rubrics/ruling.md is not what is pinned as 'rubrics/ruling.md'"],
    );
}

#[test]
fn pins_that_cannot_be_read_are_named_with_their_line() {
    let program = project();
    let pins = format!("{FOLDER}/pins.toml");
    program.write(&pins, "# pins\n\n\"rubrics/ruling.md\" = \"abc\"\n");
    refused(
        &program,
        &["court/pins.toml:3: the pin of 'rubrics/ruling.md' is not a SHA-256 value"],
    );
    program.write(&pins, "# pins\n\n= 5\n");
    refused(&program, &["court/pins.toml:3: "]);
    let hash = "0".repeat(64);
    program.write(&pins, &format!("\"../x.md\" = \"{hash}\"\n"));
    refused(&program, &["'../x.md' cannot be pinned"]);
    program.write(&pins, &format!("\"gone.md\" = \"{hash}\"\n"));
    refused(
        &program,
        &["'gone.md' is pinned, and protocol 'court' has no such file"],
    );
}

#[test]
fn the_users_own_pins_are_written_privately_and_a_nearer_file_is_told_of() {
    use std::os::unix::fs::PermissionsExt;
    let program = project();
    let pinned = program.run(&["protocols", "pin", "court"]).ended_with(0);
    assert_eq!(pinned.err, "");
    program.run(&PLAY).ended_with(0);
    let written = pinned.out.lines().last().unwrap();
    let path = program
        .work()
        .parent()
        .unwrap()
        .join("home/.config/elenchus/prompts/court/pins.toml");
    assert!(written.starts_with("wrote "), "{}", pinned.out);
    let mode = std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    program
        .run(&["protocols", "pin", "court", "--project"])
        .ended_with(0);
    let hidden = program.run(&["protocols", "pin", "court"]).ended_with(0);
    assert!(
        hidden.err.contains("is nearer and still counts"),
        "{}",
        hidden.err
    );
}

#[test]
fn a_rubrics_text_without_the_rubric_is_refused_and_beside_the_built_in_ones_it_replaces_the_text()
{
    let moderation =
        |name: &str| std::fs::read_to_string(format!("prompts/rubrics/moderation.{name}")).unwrap();
    let play = ["run", "--protocol", "moderated", "--topic", "Shall we?"];
    // In the game's own folder it would be left out without a word.
    let program = Program::new();
    let own = ".elenchus/prompts/moderated/rubrics/moderation";
    program.write(&format!("{own}.md"), &moderation("md"));
    let ran = program.run(&play).ended_with(1);
    for words in [
        "moderated/rubrics/moderation.md is not used",
        "moderated/rubrics/moderation.toml is not there",
        ".elenchus/prompts/rubrics/moderation.md, where it replaces the text alone",
    ] {
        assert!(ran.err.contains(words), "{words}\n{}", ran.err);
    }
    assert!(program.sessions().is_empty(), "nothing is begun");
    program
        .run(&["protocols", "check", "moderated"])
        .ended_with(1);
    program.write(&format!("{own}.toml"), &moderation("toml"));
    program.run(&play).ended_with(0);
    // Among the rubrics of all games it wins by itself, and is held against the pin.
    let program = Program::new();
    let shared = ".elenchus/prompts/rubrics";
    let changed = moderation("md") + "\nBe brief.\n";
    program.write(&format!("{shared}/moderation.md"), &changed);
    let ran = program.run(&play).ended_with(1);
    assert!(ran.err.contains("moderation.md"), "{}", ran.err);
    assert!(ran.err.contains("pin"), "{}", ran.err);
    // A rubric that is nowhere else needs both of its files there, too.
    program
        .run(&["run", "--protocol", "standard", "--topic", "Why?"])
        .ended_with(0);
    program.write(&format!("{shared}/mine.md"), &moderation("md"));
    let judge = ["judge", "--all", "--rubric", "mine", "--model", "sim"];
    let ran = program.run(&judge).ended_with(1);
    assert!(
        ran.err.contains("rubrics/mine.toml is not there"),
        "{}",
        ran.err
    );
}
