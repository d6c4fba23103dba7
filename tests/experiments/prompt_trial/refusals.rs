//! Trials that are impossible are refused before the first call.

use elenchus_test_support::socratic::played;
#[test]
fn a_text_that_is_no_template_is_refused_with_its_line() {
    let (program, server, session) = played();
    let before = server.requests().len();
    let turn = format!("{session}:r1.socratic");
    program.write("headless.md", "Ask.\n");
    program.write("unknown.md", "=== user\n\n{{ nope }}\n");
    program.write("joined.md", "=== user\n{{ topic ~ \"!\" }}\n");
    program.write("front.md", "+++\ntemper = 1\n+++\n=== user\n{{ topic }}\n");
    program.write("silent.md", "=== system\n{{ topic }}\n");
    program.write(
        "large.md",
        &format!("=== user\n{}\n", "long ".repeat(1 << 20)),
    );
    std::fs::write(program.work().join("latin.md"), b"=== user\ncaf\xe9\n").unwrap();
    for (file, why) in [
        ("headless.md", "headless.md:1: text before the first"),
        ("unknown.md", "unknown.md:3: undefined value"),
        ("joined.md", "joined.md:2: a value that carries its origin"),
        (
            "front.md",
            "front.md:2: front matter: unknown field `temper`",
        ),
        ("silent.md", "silent.md: it has no '=== user' section"),
        ("large.md", "large.md:1: the template is larger than 1 MiB"),
        ("latin.md", "latin.md is not UTF-8 text"),
        ("gone.md", "gone.md cannot be read"),
    ] {
        for command in ["render", "try"] {
            let ran = program.run(&["prompts", command, &turn, "--with", file]);
            assert_eq!(ran.code, 1, "{file}: {ran:?}");
            assert!(ran.err.contains(why), "{file}: {}", ran.err);
        }
    }
    assert_eq!(server.requests().len(), before, "nobody was asked");
}

#[test]
fn a_turn_or_template_that_is_not_there_is_named_with_those_that_are() {
    let (program, _server, session) = played();
    elenchus_test_support::socratic::shorter(&program);
    for (turn, more, why) in [
        ("r9.socratic", &[][..], "it has r1.answer.debater-0"),
        (
            "r1.answer",
            &[],
            "means several turns: r1.answer.debater-0, r1.answer.debater-1",
        ),
        (
            "r1.socratic",
            &["--with", "mine.md", "--template", "sophist"],
            "this debate has no template 'sophist'; it has debater, feedback, rubric:safety, socratic",
        ),
    ] {
        let turn = format!("{session}:{turn}");
        let ran = program.run(&[&["prompts", "try", &turn][..], more].concat());
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains(why), "{}", ran.err);
    }
    let ran = program.run(&[
        "prompts",
        "try",
        &format!("{session}:r1.socratic"),
        "--samples",
        "0",
    ]);
    assert!(ran.err.contains("try 1 to 64"), "{ran:?}");
    let ran = program.run(&["prompts", "show", "sred"]);
    assert!(ran.err.contains("is not PROTOCOL/TEMPLATE"), "{ran:?}");
    let ran = program.run(&["prompts", "show", "sred/sophist"]);
    assert!(ran.err.contains("it has debater, feedback"), "{ran:?}");
}

#[test]
fn every_built_in_template_renders_at_the_ends_of_every_setting() {
    let program = elenchus_test_support::program::Program::new();
    let checked = program.run(&["prompts", "check"]).ended_with(0);
    let fine = checked.out.lines().filter(|line| line.starts_with("ok: "));
    assert!(fine.count() >= 14, "{}", checked.out);
}

#[test]
fn prompts_are_copied_whole_or_not_at_all() {
    let program = elenchus_test_support::program::Program::new();
    program.run(&["prompts", "eject", "sred"]).ended_with(0);
    let edited = ".elenchus/prompts/sred/socratic.md";
    program.write(edited, "=== user\n{{ topic }}\n");
    let again = program.run(&["prompts", "eject", "sred"]);
    // What is there is what was asked for: a page that is followed twice goes on.
    assert_eq!(again.code, 0);
    assert!(again.err.contains("nothing was copied"), "{}", again.err);
    assert!(again.err.contains(edited), "{}", again.err);
    let other = program.work().join(".elenchus/prompts/sred/protocol.toml");
    std::fs::remove_file(&other).unwrap();
    let refused = program.run(&["prompts", "eject", "sred"]).ended_with(1);
    assert!(refused.err.contains(edited), "{}", refused.err);
    assert!(!other.exists());
    let shown = program
        .run(&["prompts", "show", "sred/socratic"])
        .ended_with(0);
    assert_eq!(shown.out, "=== user\n{{ topic }}\n");
    let differ = program.run(&["prompts", "diff", "built-in:sred/socratic", "sred/socratic"]);
    assert!(differ.ended_with(0).out.contains("-Put two to four"));
    // What was broken by hand is found, and the other protocols are still looked at.
    program.write(edited, "=== user\n{{ nope }}\n");
    let checked = program.run(&["prompts", "check"]);
    assert_eq!(checked.code, 1);
    assert!(checked.out.contains("socratic.md:2"), "{}", checked.out);
    assert!(checked.out.contains("ok: pred"), "{}", checked.out);
    assert!(checked.err.contains("1 of"), "{}", checked.err);
}
