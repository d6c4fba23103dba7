//! What the README shows works as it stands there.

use crate::support::program::Desk;

const README: &str = include_str!("../README.md");

/// The code blocks of a language, in their order.
fn blocks(language: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside: Option<String> = None;
    for line in README.lines() {
        inside = match (inside, line.strip_prefix("```")) {
            (Some(text), Some(_)) => {
                found.push(text);
                None
            }
            (Some(text), None) => Some(text + line + "\n"),
            (None, Some(named)) if named == language => Some(String::new()),
            (None, _) => None,
        };
    }
    found
}

fn block_with(language: &str, words: &str) -> String {
    blocks(language)
        .into_iter()
        // A picture of a screen is no text to be used.
        .find(|block| block.contains(words) && !block.contains('┏'))
        .unwrap_or_else(|| panic!("the README has no {language} block with '{words}'"))
}

#[test]
fn the_headless_command_plays_a_whole_debate_without_a_server() {
    let first = block_with("sh", "elenchus run --protocol sred");
    let line = first.lines().next().unwrap();
    let topic = line.split('"').nth(1).unwrap();
    let desk = Desk::new();
    let played = desk
        .run(&["run", "--protocol", "sred", "--topic", topic])
        .ended_with(0);
    for words in ["SIMULATED", "Round 3 of 3", "error rate", topic] {
        assert!(played.out.contains(words), "{words}\n{}", played.out);
    }
    let again = played.out.lines().last().unwrap();
    let command = again.strip_prefix("to read it again: elenchus ").unwrap();
    let shown = desk.run(&command.split(' ').collect::<Vec<_>>());
    assert!(shown.ended_with(0).out.contains(topic));
}

/// Lays the README's small game out as it says; `debater` is what its template says.
fn small_game(desk: &Desk, debater: &str) {
    let home = ".elenchus/prompts/duel";
    desk.write(
        &format!("{home}/protocol.toml"),
        &block_with("toml", "id = \"duel\""),
    );
    desk.write(&format!("{home}/debater.md"), debater);
    desk.write(
        &format!("{home}/rubrics/points.toml"),
        &block_with("toml", "VERDICT: settled"),
    );
    desk.write(
        &format!("{home}/rubrics/points.md"),
        &block_with("text", "labels"),
    );
}

#[test]
fn the_small_game_checks_out_and_is_played() {
    let desk = Desk::new();
    small_game(&desk, &block_with("text", "=== system"));
    desk.run(&["protocols", "check", "duel"]).ended_with(0);
    let played = desk
        .run(&["run", "--protocol", "duel", "--topic", "Tea or coffee?"])
        .ended_with(0);
    assert!(played.out.contains("Debater 2"), "{}", played.out);
}

#[test]
fn a_fault_that_shows_only_after_a_round_that_could_have_ended_the_game_is_found_beforehand() {
    let desk = Desk::new();
    let right = block_with("text", "=== system");
    let wrong = right.replace("{{ turn.text }}", "{{ turn.txt }}");
    assert_ne!(right, wrong);
    small_game(&desk, &wrong);
    let checked = desk.run(&["protocols", "check", "duel"]).ended_with(1);
    assert!(
        checked.out.contains("duel/debater.md:12: undefined value"),
        "{}",
        checked.out
    );
    let played = desk
        .run(&["run", "--protocol", "duel", "--topic", "Tea or coffee?"])
        .ended_with(1);
    assert!(played.err.contains("cannot be played"), "{}", played.err);
    let listed = desk.run(&["ls"]).ended_with(0);
    assert!(listed.out.is_empty(), "nothing was begun: {}", listed.out);
}

#[test]
fn the_configuration_and_the_cast_are_accepted() {
    let desk = Desk::configured(&block_with("toml", "[providers.local]"));
    let doctor = desk.run(&["doctor"]);
    for words in ["mini", "careless", "local"] {
        assert!(doctor.out.contains(words), "{words}\n{}", doctor.out);
    }
    let cast = block_with("toml", "[seats.debater]")
        .replace("llama-guard-3", "sim")
        .replace("llama-3", "careless")
        .replace("mistral", "sim")
        .replace("phi-4", "sim");
    desk.write("cast.toml", &cast);
    let run = [
        "run",
        "--protocol",
        "sred",
        "--cast",
        "cast.toml",
        "--topic",
        "Tea?",
    ];
    let played = desk.run(&run).ended_with(0);
    assert!(played.out.contains("careless"), "{}", played.out);
    let shown = desk.run(&["show", "last", "--views"]).ended_with(0);
    assert!(
        shown.out.contains("taught logic"),
        "the persona is shown to its seat"
    );
}

#[test]
fn the_golden_question_is_played_and_compared_by_the_command_beside_it() {
    let commands = block_with("sh", "elenchus golden run");
    let shown = commands
        .lines()
        .find_map(|line| line.strip_prefix("elenchus "))
        .filter(|line| line.starts_with("run --protocol moderated"));
    assert!(shown.is_some(), "{commands}");
    let desk = Desk::new();
    desk.write("questions.jsonl", &block_with("json", "\"reference\""));
    desk.write("lease.txt", "The tenant may not assign the lease.\n");
    let debate = [
        "run",
        "--protocol",
        "moderated",
        "--topic",
        "May we assign the lease?",
        "--document",
        "lease.txt",
    ];
    let played = desk.run(&debate).ended_with(0);
    assert!(played.out.contains("Moderator"), "{}", played.out);
    let compared = desk
        .run(&["golden", "run", "questions.jsonl"])
        .ended_with(0);
    for words in ["SIMULATED", "contract", "20 known", "tokens"] {
        assert!(compared.out.contains(words), "{words}\n{}", compared.out);
    }
}

#[test]
fn every_option_that_the_readme_names_exists() {
    let desk = Desk::new();
    let mut help = String::new();
    for command in [
        "run",
        "ls",
        "show",
        "metrics",
        "judge",
        "validate",
        "verify",
        "export",
        "gate",
        "trust",
        "doctor",
        "protocols",
        "annotate",
    ] {
        help += &desk.run(&[command, "--help"]).ended_with(0).out;
    }
    for of_two_words in [
        ["protocols", "show"],
        ["protocols", "diff"],
        ["protocols", "pin"],
        ["golden", "run"],
        ["golden", "show"],
        ["config", "init"],
        ["labels", "import"],
        ["labels", "export"],
        ["memory", "list"],
        ["memory", "setup"],
        ["memory", "search"],
        ["memory", "export"],
        ["memory", "ablate"],
        ["prompts", "render"],
        ["prompts", "try"],
        ["prompts", "ab"],
        ["prompts", "label"],
        ["prompts", "accept"],
        ["labels", "queue"],
        ["labels", "extend"],
        ["labels", "pack"],
        ["labels", "merge"],
    ] {
        let [first, second] = of_two_words;
        help += &desk.run(&[first, second, "--help"]).ended_with(0).out;
    }
    for of_guardrails in ["test", "export"] {
        let words = ["memory", "guardrails", of_guardrails, "--help"];
        help += &desk.run(&words).ended_with(0).out;
    }
    let named = README
        .split(|c: char| !(c.is_ascii_lowercase() || c == '-'))
        .filter(|word| word.starts_with("--") && word.len() > 3);
    let mut seen = 0;
    for option in named {
        // Two are cargo's.
        if !["--release", "--path"].contains(&option) {
            assert!(
                help.contains(option),
                "{option} is in the README and in no help"
            );
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen}");
}
