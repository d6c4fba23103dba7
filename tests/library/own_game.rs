//! A researcher's game: data alone, unlike any built-in game.

use elenchus_test_support::journals::{Debate, complete_lines, events};
use elenchus_test_support::program::Program;
use serde_json::Value;

/// A scout, a scribe and a crier speak one after the other; the scribe notes something for itself
/// first. A listener judges each round and may end the game.
const RELAY: &str = r#"id = "relay"
name = "Relay"
description = "Three unlike seats hand a text on; a listener decides after each round"
source = "a test"
measures = "quality"
rounds = "$rounds"
style = "single"

[settings.rounds]
default = 3
min = 1
max = 6
help = "rounds at most"

[settings.secret]
default = true
help = "whether the scribe makes notes"

[[seats]]
id = "scout"
kind = "speaker"
label = "Scout"
persona = "You have good eyes."

[[seats]]
id = "scribe"
kind = "speaker"
label = "Scribe"

[[seats]]
id = "crier"
kind = "speaker"
label = "Crier"

[[seats]]
id = "listener"
kind = "judge"

[[stages]]
id = "look"
seats = ["scout"]
order = "sequential"
max_tokens = 64
sees = { topic = true, documents = "by_round", turns = [{ seats = ["crier"], rounds = "previous" }] }

[[stages]]
id = "note"
seats = ["scribe"]
private = true
enabled = "$secret"
rounds = "not_last"
template = "scribe"
sees = { turns = [{ seats = ["scout"], rounds = "this" }], own_private = "all" }

[[stages]]
id = "hand_on"
seats = ["scribe", "crier"]
order = "sequential"
draw = { tone = "tones" }
template = "hand-on"
sees = { own_private = "this_round", turns = [{ seats = ["scout", "scribe"], rounds = "this" }] }

[[judging]]
id = "heard"
by = "listener"
of = "round"
rubric = "heard"
sees = { topic = true, turns = [{ seats = ["crier"], rounds = "this" }] }

[[stop]]
judging = "heard"
labels = ["clear"]
"#;

const SCOUT: &str = "=== system
You are {{ me.label }}. {{ persona }}
=== user
{{ topic }}
{% for document in documents %}
<{{ document.name }}> {{ document.text }}
{% endfor %}
{% for turn in turns %}
{{ turn.label }} said: {{ turn.text }}
{% endfor %}
";

const SCRIBE: &str = "=== system
You are {{ me.label }}, alone with your notes.
=== user
{% for note in reasoning %}
Note of round {{ note.round }}: {{ note.text }}
{% endfor %}
{% for turn in turns %}
{{ turn.label }}: {{ turn.text }}
{% endfor %}
";

const HAND_ON: &str = "=== system
You are {{ me.label }}; speak in this tone: {{ draw.tone }}
=== user
{% for note in reasoning %}
Your note: {{ note.text }}
{% endfor %}
{% for turn in turns %}
{{ turn.label }}: {{ turn.text }}
{% endfor %}
";

const HEARD: &str = r#"id = "heard"
description = "Could the crier be understood?"
reading = "last_line"

[[labels]]
name = "clear"
meaning = "everything was understood"
says = "VERDICT: clear"
value = 1.0

[[labels]]
name = "muffled"
meaning = "something was missing"
says = "VERDICT: muffled"
value = -1.0
"#;

const LISTENER: &str = "=== user
Was this understood?
{% for turn in turns %}
{{ turn.text }}
{% endfor %}
{% for label in labels %}
{{ label.name }}: {{ label.meaning }}. Then write {{ label.says }}
{% endfor %}
";

const FOLDER: &str = "work/.elenchus/prompts/relay";

fn home(config: &str) -> Program {
    let program = Program::with_topics(config);
    for (name, text) in [
        ("protocol.toml", RELAY),
        ("scout.md", SCOUT),
        ("scribe.md", SCRIBE),
        ("hand-on.md", HAND_ON),
        (
            "tones.list.toml",
            "items = [\"low\", \"loud\", \"merry\"]\n",
        ),
        ("rubrics/heard.toml", HEARD),
        ("rubrics/heard.md", LISTENER),
    ] {
        program.write_at(&format!("{FOLDER}/{name}"), text);
    }
    program.write("first.txt", "The first paper.");
    program.write("second.txt", "The second paper.");
    program
}

const RUN: [&str; 9] = [
    "run",
    "--protocol",
    "relay",
    "--topic",
    "What is beyond the hill?",
    "--document",
    "first.txt",
    "--document",
    "second.txt",
];

/// The texts of the parts of a turn's view that name a document, or all text written in it.
fn view_of(session: &[Value], turn: &str) -> String {
    let found = session.iter().find(|event| event["turn"] == turn);
    found.unwrap_or_else(|| panic!("nobody spoke at {turn}"))["view"].to_string()
}

#[test]
fn a_game_of_ones_own_is_listed_checked_drawn_and_played_to_its_end() {
    let program = home("[sims.muddled]\naccuracy = 0.0\nevaluator_sensitivity = 1.0\n");
    let checked = program.run_ok(&["protocols", "check", "relay"]);
    assert!(checked.starts_with("ok: relay"), "{checked}");
    let list = program.run_ok(&["protocols", "list"]);
    assert!(
        list.contains("\nrelay ") && list.contains(".elenchus/prompts"),
        "{list}"
    );
    let drawn = program.run_ok(&["protocols", "show", "relay"]);
    assert!(
        drawn.contains("hand_on") && drawn.contains("listener"),
        "{drawn}"
    );
    program.run_ok(&RUN);
    let session = program.session_files().remove(0);
    let debate = Debate::read(&session);
    let turns: Vec<&str> = debate.said.keys().map(String::as_str).collect();
    let first_round = [
        "r1.hand_on.crier-0#0",
        "r1.hand_on.scribe-0#0",
        "r1.look.scout-0#0",
        "r1.note.scribe-0#0",
    ];
    assert_eq!(turns[..4], first_round);
    assert!(
        debate.found.contains_key("heard 0 r1"),
        "{:?}",
        debate.found
    );
    let stopped = debate.found.values().any(|label| label == "clear");
    let rounds = debate.found.len();
    assert!(stopped || rounds == 3);
    // In the last of three rounds the scribe makes no note.
    assert_eq!(debate.said.len(), 4 * rounds - usize::from(rounds == 3));
    let events = events(&session);
    // One more document each round; the tone is one of the list.
    let view = view_of(&events, "r1.look.scout-0");
    assert!(
        view.contains("first.txt") && !view.contains("second.txt"),
        "{view}"
    );
    assert!(program.run_ok(&["ls"]).contains("relay"));
    let shown = program.run_ok(&["show", "last", "--views", "--private"]);
    assert!(shown.contains("You have good eyes."), "{shown}");
    let tones = ["low", "loud", "merry"];
    let drawn = shown
        .lines()
        .filter(|line| tones.contains(&line.trim_start_matches([' ', '│'])));
    assert!(drawn.count() >= 2, "{shown}");
    program.run_ok(&["metrics", "--json"]);
    program.run_ok(&["verify"]);
}

#[test]
fn a_stop_rule_ends_the_game_when_its_label_is_found_and_not_before() {
    let program = home("");
    let mut lengths = std::collections::BTreeSet::new();
    for seed in 0..12 {
        let program = program.with_store(&format!("s{seed}"));
        let seed = seed.to_string();
        let mut args = RUN.to_vec();
        args.extend(["--rounds", "4", "--seed", &seed]);
        program.run_ok(&args);
        let debate = program.debates().into_values().next().unwrap();
        let labels: Vec<&String> = debate.found.values().collect();
        let (last, before) = labels.split_last().unwrap();
        assert!(before.iter().all(|label| *label == "muffled"), "{labels:?}");
        assert!(labels.len() == 4 || *last == "clear", "{labels:?}");
        lengths.insert(labels.len());
    }
    assert!(lengths.len() > 1, "every seed gave {lengths:?} rounds");
}

#[test]
fn a_private_note_is_shown_to_nobody_else_and_documents_come_round_by_round() {
    let program = home("");
    // Somebody found muffled in every round plays all of them.
    for seed in 0..40 {
        let program = program.with_store(&format!("s{seed}"));
        let seed = seed.to_string();
        let mut args = RUN.to_vec();
        args.extend(["--seed", &seed, "-q"]);
        let id = program.run_ok(&args);
        let session = program.session_file(id.trim());
        let debate = Debate::read(&session);
        if debate.found.len() < 3 {
            continue;
        }
        let shown = program.run_ok(&["show", id.trim(), "--views"]);
        assert!(shown.contains("The second paper."));
        let events = events(&session);
        let note = "r1.note.scribe-0";
        for event in events.iter().filter(|event| event["view"].is_object()) {
            let sees = event["view"].to_string().contains(note);
            let by_scribe = event["turn"]
                .as_str()
                .is_some_and(|turn| turn.ends_with("scribe-0"));
            assert!(!sees || by_scribe, "{event}");
        }
        // The scribe's note is in their next note, and in what they hand on in that round only.
        assert!(view_of(&events, "r2.note.scribe-0").contains(note));
        assert!(view_of(&events, "r1.hand_on.scribe-0").contains(note));
        assert!(!view_of(&events, "r2.hand_on.scribe-0").contains(note));
        assert!(view_of(&events, "r2.look.scout-0").contains("second.txt"));
        assert!(view_of(&events, "r2.look.scout-0").contains("r1.hand_on.crier-0"));
        assert!(!view_of(&events, "r3.look.scout-0").contains("r1.hand_on.crier-0"));
        return;
    }
    panic!("no seed played three rounds");
}

#[test]
fn a_seat_with_a_schema_cites_the_documents_that_it_was_shown_by_then() {
    let program = home(
        "[sims.citing]\nfabricate_rate = 0.0\nfields = { strength = 7 }\n\
         [defaults]\nmodel = \"citing\"\n",
    );
    let schema = r#"output = { type = "object", required = ["seen", "strength"], properties = { strength = { type = "integer", minimum = 1, maximum = 10 }, seen = { type = "array", minItems = 8, items = { type = "object", properties = { document = { type = "string" }, quote = { type = "string" } } } } } }"#;
    let stage = "id = \"look\"\n";
    let protocol = RELAY.replacen(stage, &format!("{stage}{schema}\n"), 1);
    program.write_at(&format!("{FOLDER}/protocol.toml"), &protocol);
    let mut cited = std::collections::BTreeSet::new();
    for seed in 0..6 {
        let program = program.with_store(&format!("s{seed}"));
        let mut args = RUN.to_vec();
        let seed = seed.to_string();
        args.extend(["-q", "--seed", &seed]);
        let id = program.run_ok(&args);
        for event in events(&program.session_file(id.trim())) {
            let Some(turn) = event["turn"].as_str().filter(|turn| turn.contains("look")) else {
                continue;
            };
            let Some(text) = event["reply"]["text"].as_str() else {
                continue;
            };
            let said: Value = serde_json::from_str(text).unwrap();
            assert_eq!(said["strength"], 7);
            for citation in said["seen"].as_array().unwrap() {
                let document = citation["document"].as_str().unwrap();
                let quote = format!("The {} paper.", document.trim_end_matches(".txt"));
                assert_eq!(citation["quote"], quote.as_str());
                cited.insert((turn.split('.').next().unwrap().to_owned(), quote));
            }
        }
    }
    let expected = [("r1", "first"), ("r2", "first"), ("r2", "second")];
    for (round, paper) in expected {
        let quote = format!("The {paper} paper.");
        assert!(cited.contains(&(round.to_owned(), quote)), "{cited:?}");
    }
    let early = ("r1".to_owned(), "The second paper.".to_owned());
    assert!(!cited.contains(&early), "{cited:?}");
}

#[test]
fn a_session_goes_on_when_the_files_of_its_game_have_changed() {
    let program = home("");
    let mut args = RUN.to_vec();
    args.extend(["-q", "--rounds", "2", "--seed", "1"]);
    let id = program.run_ok(&args).trim().to_owned();
    let whole = program.debates();
    let lines = complete_lines(&program.session_file(&id));
    std::fs::write(program.session_file(&id), lines[..4].join("\n") + "\n").unwrap();
    program.forget_heads();
    std::fs::remove_dir_all(program.path("work/.elenchus")).unwrap();
    program.run_ok(&["run", "-q", "--resume-session", &id]);
    assert_eq!(program.debates(), whole);
}

/// The line of the protocol's file on which a text stands.
fn line_of(text: &str) -> usize {
    1 + RELAY.lines().position(|line| line == text).unwrap()
}

/// Changes one file of the game, and expects this from the check and from a run.
fn broken(file: &str, from: &str, to: &str, expected: &[&str]) {
    let program = home("");
    let path = program.path(&format!("{FOLDER}/{file}"));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from} is not in {file}");
    std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
    said(&program, expected);
}

fn said(program: &Program, expected: &[&str]) {
    let ran = program.run(&["protocols", "check", "relay"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    let checked = ran.out + &ran.err;
    let why = program.run_err(1, &RUN);
    for text in expected {
        assert!(
            checked.contains(text),
            "'{text}' is not in the check: {checked}"
        );
        assert!(why.contains(text), "'{text}' is not in the refusal: {why}");
    }
    assert!(
        program.session_files().is_empty(),
        "nothing is begun that cannot be played"
    );
}

#[test]
fn an_unknown_variable_in_a_template_is_named_with_file_and_line() {
    broken(
        "hand-on.md",
        "Your note: {{ note.text }}",
        "Your note: {{ colour }}",
        &["hand-on.md:5", "colour"],
    );
    broken(
        "rubrics/heard.md",
        "{{ turn.text }}",
        "{{ turn.txt }}",
        &["heard.md:4", "txt"],
    );
}

#[test]
fn a_filter_on_what_somebody_said_is_named_with_file_and_line() {
    broken(
        "scribe.md",
        "{{ turn.label }}: {{ turn.text }}",
        "{{ turn.label }}: {{ turn.text | upper }}",
        &["scribe.md:8", "turn.text"],
    );
}

#[test]
fn a_missing_template_rubric_or_list_is_named() {
    for (file, expected) in [
        ("hand-on.md", "relay/hand-on.md"),
        ("rubrics/heard.toml", "heard.toml"),
        ("rubrics/heard.md", "heard.md"),
        ("tones.list.toml", "relay/tones.list.toml"),
    ] {
        let program = home("");
        std::fs::remove_file(program.path(&format!("{FOLDER}/{file}"))).unwrap();
        said(&program, &[expected]);
    }
}

#[test]
fn what_a_protocol_cannot_mean_is_named_with_file_and_line() {
    broken(
        "protocol.toml",
        "labels = [\"clear\"]",
        "labels = [\"bright\"]",
        &[
            &format!("protocol.toml:{}", line_of("labels = [\"clear\"]")),
            "bright",
            "heard",
        ],
    );
    broken(
        "protocol.toml",
        "seats = [\"scout\"]\norder",
        "seats = [\"scoot\"]\norder",
        &["protocol.toml:", "scoot"],
    );
    broken(
        "protocol.toml",
        "private = true",
        "privat = true",
        &[
            &format!("protocol.toml:{}", line_of("private = true")),
            "privat",
        ],
    );
    broken(
        "protocol.toml",
        "max_tokens = 64",
        "max_tokens = \"$tokens\"",
        &[
            &format!("protocol.toml:{}", line_of("max_tokens = 64")),
            "tokens",
        ],
    );
}
