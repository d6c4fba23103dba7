//! Larger examples of the manual: the small game, the configuration, a cast, a golden set.

use super::pages::{block_with, file};
use elenchus_test_support::program::Program;

#[test]
fn the_headless_command_plays_a_whole_debate_without_a_server() {
    let first = block_with("sh", "elenchus run --protocol sred");
    let line = first.lines().next().unwrap();
    let topic = line.split('"').nth(1).unwrap();
    let program = Program::new();
    let played = program
        .run(&["run", "--protocol", "sred", "--topic", topic])
        .ended_with(0);
    for words in ["SIMULATED", "Round 3 of 3", "error rate", topic] {
        assert!(played.out.contains(words), "{words}\n{}", played.out);
    }
    let mut lines = played.out.lines();
    let command = lines.find_map(|line| line.strip_prefix("to read it again: elenchus "));
    let command = command.unwrap();
    let shown = program.run(&command.split(' ').collect::<Vec<_>>());
    assert!(shown.ended_with(0).out.contains(topic));
}

/// The small game of the page of protocols.
const DUEL: &str = ".elenchus/prompts/duel";

/// Writes the files of the small game; `debater` is the text of its template.
fn small_game(program: &Program, debater: &str) {
    for name in ["protocol.toml", "rubrics/points.toml", "rubrics/points.md"] {
        let name = format!("{DUEL}/{name}");
        program.write(&name, &file(&name));
    }
    program.write(&format!("{DUEL}/debater.md"), debater);
}

#[test]
fn the_small_game_checks_out_and_is_played() {
    let program = Program::new();
    small_game(&program, &file(&format!("{DUEL}/debater.md")));
    program.run(&["protocols", "check", "duel"]).ended_with(0);
    let played = program
        .run(&["run", "--protocol", "duel", "--topic", "Tea or coffee?"])
        .ended_with(0);
    assert!(played.out.contains("Debater 2"), "{}", played.out);
}

#[test]
fn a_fault_that_shows_only_after_a_round_that_could_have_ended_the_game_is_found_beforehand() {
    let program = Program::new();
    let right = file(&format!("{DUEL}/debater.md"));
    let wrong = right.replace("{{ turn.text }}", "{{ turn.txt }}");
    assert_ne!(right, wrong);
    small_game(&program, &wrong);
    let checked = program.run(&["protocols", "check", "duel"]).ended_with(1);
    assert!(
        checked.out.contains("duel/debater.md:12: undefined value"),
        "{}",
        checked.out
    );
    let played = program
        .run(&["run", "--protocol", "duel", "--topic", "Tea or coffee?"])
        .ended_with(1);
    assert!(played.err.contains("cannot be played"), "{}", played.err);
    let listed = program.run(&["ls"]).ended_with(0);
    assert!(listed.out.is_empty(), "nothing was begun: {}", listed.out);
}

#[test]
fn the_configuration_and_the_cast_are_accepted() {
    let program = Program::configured(&block_with("toml", "[providers.local]"));
    let doctor = program.run(&["doctor"]);
    for words in ["mini", "careless", "local"] {
        assert!(doctor.out.contains(words), "{words}\n{}", doctor.out);
    }
    let cast = block_with("toml", "[seats.debater]")
        .replace("llama-guard-3", "sim")
        .replace("llama-3", "careless")
        .replace("mistral", "sim")
        .replace("phi-4", "sim");
    program.write("cast.toml", &cast);
    let run = [
        "run",
        "--protocol",
        "sred",
        "--cast",
        "cast.toml",
        "--topic",
        "Tea?",
    ];
    let played = program.run(&run).ended_with(0);
    assert!(played.out.contains("careless"), "{}", played.out);
    let shown = program.run(&["show", "last", "--views"]).ended_with(0);
    assert!(
        shown.out.contains("taught logic"),
        "the persona is shown to its seat"
    );
}

#[test]
fn the_golden_question_is_played_and_compared_by_the_command_beside_it() {
    block_with("sh", "elenchus golden run questions.jsonl");
    block_with("sh", "elenchus run --protocol moderated --topic");
    let program = Program::new();
    program.write("questions.jsonl", &block_with("json", "\"reference\""));
    program.write("lease.txt", "The tenant may not assign the lease.\n");
    let debate = [
        "run",
        "--protocol",
        "moderated",
        "--topic",
        "May we assign the lease?",
        "--document",
        "lease.txt",
    ];
    let played = program.run(&debate).ended_with(0);
    assert!(played.out.contains("Moderator"), "{}", played.out);
    let compared = program
        .run(&["golden", "run", "questions.jsonl"])
        .ended_with(0);
    for words in ["SIMULATED", "contract", "20 known", "tokens"] {
        assert!(compared.out.contains(words), "{words}\n{}", compared.out);
    }
}
