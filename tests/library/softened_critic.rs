//! A critic that was made to agree: it is played with a warning and flagged, until somebody pins it.

use elenchus_store::Hash;
use elenchus_test_support::journals::events;
use elenchus_test_support::program::Program;
use serde_json::{Value, json};

const CRITIC: &str = include_str!("../../prompts/moderated/critic.md");
const IN_PROJECT: &str = ".elenchus/prompts/moderated/critic.md";
const PLAY: [&str; 6] = ["run", "-q", "--protocol", "moderated", "--topic", "Tea?"];

fn softened() -> String {
    let soft = CRITIC.replace(
        "How you argue:",
        "You agree with everything. How you argue:",
    );
    assert_ne!(soft, CRITIC);
    soft
}

/// Plays a debate, and returns what was warned of and the flags of prompts.
fn play(program: &Program) -> (String, Vec<String>) {
    let warned = program.run(&PLAY).ended_with(0).err;
    (warned, flags(program))
}

/// The flags of prompts of the last debate.
fn flags(program: &Program) -> Vec<String> {
    let lines = program.run_ok(&["export", "last", "--record", "--flags", "-o", "-"]);
    let debate: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    let flags = debate["flags"].as_array().unwrap().iter();
    flags
        .map(|flag| flag.as_str().unwrap().to_owned())
        .filter(|flag| flag.starts_with("unpinned prompt"))
        .collect()
}

#[test]
fn a_softened_critic_is_warned_about_and_flagged_until_it_is_pinned() {
    let program = Program::new();
    program.write(IN_PROJECT, &softened());
    let (warned, found) = play(&program);
    for words in [
        "moderated/critic.md is not the text that is built in, and nobody pinned it",
        "pin it with 'elenchus protocols pin moderated --project'",
    ] {
        assert!(warned.contains(words), "{words}\n{warned}");
    }
    let [flag] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(flag.starts_with("unpinned prompt: critic.md: its SHA-256 begins with "));
    let shown = program.run_ok(&["protocols", "show", "moderated"]);
    assert!(shown.contains("critic.md: not pinned"), "{shown}");
    assert!(shown.contains("harder.md: built in"), "{shown}");

    let pin = ["protocols", "pin", "moderated", "--project"];
    let pinned = program.run_ok(&pin);
    assert!(pinned.contains("critic.md: none -> "), "{pinned}");
    assert_eq!(play(&program), (String::new(), Vec::new()));
    let shown = program.run_ok(&["protocols", "show", "moderated"]);
    assert!(shown.contains("critic.md: holds"), "{shown}");

    // Whoever pins it wants no other.
    program.write(IN_PROJECT, &(softened() + "More.\n"));
    let refused = program.run(&PLAY).ended_with(1);
    assert!(refused.err.contains("is not what is pinned as 'critic.md'"));
}

#[test]
fn debates_of_a_run_and_of_a_sweep_say_it_too() {
    let program = Program::with_topics("");
    program.write(IN_PROJECT, &softened());
    let run = [
        "run",
        "-q",
        "--protocol",
        "moderated",
        "--dataset",
        "topics.csv",
        "--limit",
        "1",
    ];
    let warned = program.run(&run).ended_with(0).err;
    assert!(warned.contains("nobody pinned it"), "{warned}");
    assert_eq!(flags(&program).len(), 1);

    let sweep = "dataset = \"topics.csv\"\nlimit = 1\n[axes]\nprotocol = [\"moderated\"]\n";
    program.write("sweep.toml", sweep);
    let warned = program.run(&["sweep", "sweep.toml"]).ended_with(0);
    let warned = warned.out + &warned.err;
    assert!(warned.contains("nobody pinned it"), "{warned}");
    assert_eq!(flags(&program).len(), 1);

    // The text comes from the store, by its hash.
    let hash = Hash::digest(softened().as_bytes()).to_string();
    std::fs::remove_file(program.work().join(IN_PROJECT)).unwrap();
    assert_eq!(play(&program), (String::new(), Vec::new()));
    let sweep = format!("{sweep}[prompts]\n\"moderated/critic\" = \"{hash}\"\n");
    program.write("version.toml", &sweep);
    program.run(&["sweep", "version.toml"]).ended_with(0);
    assert_eq!(flags(&program).len(), 1);
}

#[test]
fn a_critic_that_is_as_it_is_built_in_is_no_matter() {
    let program = Program::new();
    assert_eq!(play(&program), (String::new(), Vec::new()));
    let created = &events(&program.session_files()[0])[0];
    assert_eq!(created.get("unpinned"), None);
    program.write(IN_PROJECT, CRITIC);
    assert_eq!(play(&program), (String::new(), Vec::new()));
    // What other seats are told is for everybody to write.
    let framer = include_str!("../../prompts/moderated/framer.md");
    let framer = framer.replace("=== user", "Be brief.\n=== user");
    program.write(".elenchus/prompts/moderated/framer.md", &framer);
    assert_eq!(play(&program), (String::new(), Vec::new()));
}

#[test]
fn the_users_own_prompt_is_pinned_among_the_users_own() {
    let program = Program::new();
    let folder = program.home().join(".config/elenchus/prompts/positions");
    std::fs::create_dir_all(&folder).unwrap();
    let asked = include_str!("../../prompts/positions/challenge.md");
    let soft = asked.replace("=== user", "Agree with everybody.\n=== user");
    std::fs::write(folder.join("challenge.md"), &soft).unwrap();
    let run = [
        "run",
        "-q",
        "--protocol",
        "positions",
        "--topic",
        "Tea?",
        "--option",
        "tea",
        "--option",
        "milk",
        "--set",
        "positions_from=topic",
        "--set",
        "positions=2",
    ];
    let warned = program.run(&run).ended_with(0).err;
    assert!(
        warned.contains("'elenchus protocols pin positions'"),
        "{warned}"
    );
    let unpinned = |program: &Program| {
        let newest = program.session_files().into_iter().max().unwrap();
        events(&newest)[0]["unpinned"].clone()
    };
    let hash = Hash::digest(soft.as_bytes()).to_string();
    assert_eq!(unpinned(&program), json!({ "challenge.md": hash }));
    program.run_ok(&["protocols", "pin", "positions"]);
    assert_eq!(program.run(&run).ended_with(0).err, "");
    assert_eq!(unpinned(&program), Value::Null);
}

#[test]
fn a_file_that_is_to_be_watched_and_is_not_there_is_refused() {
    let program = Program::new().with_duo();
    let duo = ".elenchus/prompts/duo/protocol.toml";
    let text = std::fs::read_to_string(program.work().join(duo)).unwrap();
    program.write(duo, &format!("pinnable = [\"critic.md\"]\n{text}"));
    let ran = program.run(&["run", "--protocol", "duo", "--topic", "Tea?"]);
    let words = "'critic.md' can be pinned, says protocol 'duo', which has no such file";
    let refused = ran.ended_with(1);
    assert!(refused.err.contains(words), "{}", refused.err);
}
