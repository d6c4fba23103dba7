//! Reference answers reach graders alone; options of a topic are kept.

use elenchus_game::debate::TurnId;
use elenchus_game::debate::view::View;
use elenchus_game::prompt::{expand_view, full_text};
use elenchus_records::workspace::read_session;
use elenchus_test_support::journals::events;
use elenchus_test_support::program::Program;

const SECRETS: [&str; 4] = ["quorblax", "zimmerwoot", "frandolin", "vexnibble"];
const LEVEL: &str = "211";

/// Every text that any seat was shown in a session.
fn shown(program: &Program, id: &str) -> Vec<String> {
    let path = program.session_file(id);
    let state = read_session(&path).unwrap();
    let events = events(&path);
    let views = events.iter().filter(|event| event["view"].is_object());
    let texts = views.map(|event| {
        let view: View = serde_json::from_value(event["view"].clone()).unwrap();
        let reader: Option<TurnId> = serde_json::from_value(event["turn"].clone()).ok();
        let whole = expand_view(&state, reader.as_ref(), view);
        let parts = full_text(&whole).into_iter().map(|(_, text)| text);
        parts.collect::<Vec<_>>().join("\n")
    });
    texts.collect()
}

#[test]
fn no_recorded_view_of_any_game_holds_reference_alias_expected_label_or_level() {
    let program = Program::with_topics("");
    program.write(
        "secret.jsonl",
        r#"{"id": "s", "text": "Which wharbling is the oldest?", "reference": "quorblax", "aliases": ["zimmerwoot", "frandolin"], "expected": "vexnibble", "level": 211, "options": ["Adopt one", "Adopt two", "Defer", "Wait"]}"#,
    );
    let list = program.run_ok(&["protocols", "list"]);
    let games = [
        "pcd-2",
        "pred",
        "sred",
        "dared",
        "standard",
        "self-critique",
        "best-of-n",
    ];
    for game in games {
        assert!(list.contains(game), "{game} is not in {list}");
        let program = program.with_store(game);
        program.play(&["--protocol", game, "--dataset", "own:secret.jsonl"]);
        let sessions = program.session_files();
        assert_eq!(sessions.len(), 1);
        let id = sessions[0].file_stem().unwrap().to_str().unwrap();
        let journal = std::fs::read_to_string(&sessions[0]).unwrap();
        assert!(
            SECRETS.iter().all(|secret| journal.contains(secret)),
            "the grader has them"
        );
        let views = shown(&program, id);
        assert!(views.len() >= 3, "{game}: {}", views.len());
        assert!(
            views.iter().any(|view| view.contains("wharbling")),
            "{game}: views are whole"
        );
        for view in &views {
            for secret in SECRETS {
                assert!(!view.contains(secret), "{game}: {secret}\n{view}");
            }
            let mut words = view.split(|c: char| !c.is_alphanumeric());
            assert!(words.all(|word| word != LEVEL), "{game}\n{view}");
        }
    }
}

#[test]
fn the_options_of_a_typed_topic_are_kept_and_shown_below_it() {
    let program = Program::with_topics("");
    let play = [
        "run",
        "-q",
        "--protocol",
        "standard",
        "--topic",
        "Which way?",
    ];
    program.run_ok(&[&play[..], &["--option", "Adopt X", "--option", " Defer "]].concat());
    let head = program.run_ok(&["show", "last"]);
    assert!(
        head.contains("  │ Which way?\n  │ option 1: Adopt X\n  │ option 2: Defer\n"),
        "{head}"
    );
    let error = program.run_err(1, &[&play[..], &["--option", " "]].concat());
    assert!(error.contains("an --option is empty"), "{error}");
    for with in [["--resume", "x"], ["--dataset", "topics.csv"]] {
        let error = program.run_err(2, &[&["run", "--option", "A"][..], &with[..]].concat());
        assert!(error.contains("--option"), "{error}");
    }
}

#[test]
fn a_level_selects_the_topics_of_a_run() {
    let program = Program::with_topics("");
    let row = |level: u8| {
        format!(
            "{{\"problem\": \"What is {level}?\", \"level\": \"Level {level}\", \"type\": \"Algebra\", \
             \"solution\": \"\\\\boxed{{{level}}}\"}}\n"
        )
    };
    program.write("math.jsonl", &(1..=5).map(row).collect::<String>());
    let run = [
        "run",
        "-q",
        "--protocol",
        "standard",
        "--dataset",
        "math.jsonl",
    ];
    program.run_ok(&[&run[..], &["--level", "4,5"]].concat());
    assert_eq!(program.session_files().len(), 2);
    let error = program.run_err(1, &[&run[..], &["--level", "7"]].concat());
    assert!(
        error.contains("no topic has the level 7; there are: 1, 2, 3, 4, 5"),
        "{error}"
    );
    let error = program.run_err(2, &[&run[..], &["--level", "hard"]].concat());
    assert!(error.contains("a whole number of at least 1"), "{error}");
    let others = [
        "run",
        "--protocol",
        "standard",
        "--dataset",
        "topics.csv",
        "--level",
        "4",
    ];
    let error = program.run_err(1, &others);
    assert!(
        error.contains("no topic of the dataset has a level"),
        "{error}"
    );
}
