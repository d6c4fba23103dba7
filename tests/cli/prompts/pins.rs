//! Pins of prompts: a changed prompt is refused until it is accepted.

use super::{changed, hash, versions};
use elenchus_test_support::program::Program;

const PLAY: [&str; 8] = [
    "run",
    "-q",
    "--protocol",
    "sred",
    "--topic",
    "Tea?",
    "--cast",
    "cast.toml",
];
const FILE: &str = ".elenchus/prompts/sred/socratic.md";

/// A program with a cast that pins the Socratic prompt as it is built in.
fn cast() -> (Program, String) {
    let program = Program::new();
    let pin = hash(&versions(&program)[0]);
    let cast = format!(
        "# Mine, do not touch.\nmodel = \"sim\"\n\n[pins]\n\"sred/debater\"   =  '{}'   # the debaters\nsocratic = \"{pin}\" # read in May\n\n[seats.socratic]\nmodel = \"sim\"\n",
        of(&program, "sred/debater"),
    );
    program.write("cast.toml", &cast);
    (program, cast)
}

/// The beginning of the hash of a prompt as it is now.
fn of(program: &Program, prompt: &str) -> String {
    let shown = program.run(&["prompts", "show", prompt]).ended_with(0);
    let (_, hash) = shown.err.trim_end().rsplit_once('(').unwrap();
    hash.trim_end_matches(')').to_owned()
}

#[test]
fn a_cast_refuses_a_changed_prompt_until_it_is_accepted_and_the_rest_of_its_file_stays() {
    let (program, cast) = cast();
    program.run(&PLAY).ended_with(0);
    program.write(FILE, &changed(&program, "Ask one thing."));
    let refused = program.run(&PLAY).ended_with(1);
    for words in [
        "the prompt sred/socratic is not the one that cast.toml pins",
        "elenchus prompts accept sred/socratic --cast cast.toml",
    ] {
        assert!(refused.err.contains(words), "{words}\n{}", refused.err);
    }
    assert_eq!(program.sessions().len(), 1);
    let accept = ["prompts", "accept", "sred/socratic", "--cast", "cast.toml"];
    let accepted = program.run(&accept).ended_with(0);
    assert!(accepted.out.contains("+Ask one thing."), "{accepted:?}");
    let before = hash(versions(&program).last().unwrap());
    let written = std::fs::read_to_string(program.work().join("cast.toml")).unwrap();
    let now = of(&program, "sred/socratic");
    assert_eq!(written, cast.replace(&before, &now));
    program.run(&PLAY).ended_with(0);
    assert_eq!(program.sessions().len(), 2);
    let again = program.run(&accept).ended_with(0);
    assert!(again.err.contains("pins already"), "{}", again.err);
}

#[test]
fn what_was_accepted_before_is_compared_with_even_when_no_debate_was_played_with_it() {
    let (program, _) = cast();
    let accept = ["prompts", "accept", "sred/socratic", "--cast", "cast.toml"];
    program.write(FILE, &changed(&Program::new(), "Ask one thing."));
    program.run(&accept).ended_with(0);
    program.write(FILE, &changed(&Program::new(), "Ask two things."));
    let accepted = program.run(&accept).ended_with(0);
    assert!(accepted.out.contains("-Ask one thing."), "{accepted:?}");
    assert!(accepted.out.contains("+Ask two things."), "{accepted:?}");
}

#[test]
fn a_pin_that_cannot_be_meant_is_refused_by_its_name() {
    for (pin, words) in [
        ("socratic = \"abc\"", "[pins] socratic: 'abc' is no pin"),
        (
            "nobody = \"0123456789ab\"",
            "[pins] nobody: protocol 'sred' has no such template; it has debater",
        ),
        ("socratic = 5", "cast.toml:2: "),
    ] {
        let program = Program::new();
        program.write("cast.toml", &format!("[pins]\n{pin}\n"));
        let refused = program.run(&PLAY).ended_with(1);
        assert!(refused.err.contains(words), "{words}\n{}", refused.err);
    }
    // Another protocol's prompts are nothing to this one.
    let program = Program::new();
    program.write("cast.toml", "[pins]\n\"pred/nobody\" = \"0123456789ab\"\n");
    program.run(&PLAY).ended_with(0);
}

#[test]
fn a_game_that_pins_a_prompt_plays_again_once_the_changed_one_is_accepted() {
    const PROMPT: &str = "moderated/rubric:moderation";
    let program = Program::new();
    let shown = program.run(&["prompts", "show", PROMPT]).ended_with(0);
    let mine = format!("{}\nBe brief.\n", shown.out);
    program.write(".elenchus/prompts/rubrics/moderation.md", &mine);
    let play = ["run", "-q", "--protocol", "moderated", "--topic", "Tea?"];
    let refused = program.run(&play).ended_with(1);
    assert!(refused.err.contains("is not what is pinned"), "{refused:?}");
    let accepted = program.run(&["prompts", "accept", PROMPT]).ended_with(0);
    assert!(accepted.out.contains("+Be brief."), "{accepted:?}");
    // The other pins are those that are built in.
    let pins = program.work().join(".elenchus/prompts/moderated/pins.toml");
    let pins = std::fs::read_to_string(pins).unwrap();
    let built_in = include_str!("../../../prompts/moderated/pins.toml");
    let differing = pins
        .lines()
        .zip(built_in.lines())
        .filter(|(one, other)| one != other);
    let differing: Vec<&str> = differing.map(|(one, _)| one).collect();
    assert_eq!(differing.len(), 1, "{differing:?}");
    assert!(differing[0].starts_with("\"rubrics/moderation.md\""));
    program.run(&play).ended_with(0);
}

#[test]
fn a_prompt_that_nothing_pins_is_told_how_to_be() {
    let program = Program::new();
    let unpinned = program.run(&["prompts", "accept", "sred/socratic"]);
    let unpinned = unpinned.ended_with(1);
    assert!(
        unpinned.err.contains("nothing pins sred/socratic"),
        "{unpinned:?}"
    );
    program.write("cast.toml", "model = \"sim\"\n");
    let args = ["prompts", "accept", "sred/socratic", "--cast", "cast.toml"];
    let unpinned = program.run(&args).ended_with(1);
    let line = format!("socratic\" = \"{}\"", of(&program, "sred/socratic"));
    assert!(unpinned.err.contains(&line), "{line}\n{}", unpinned.err);
}
