//! Templates that a setting brings into a game: they are listed, shown, checked and copied as the others are.

use elenchus_test_support::program::Program;

#[test]
fn templates_of_a_setting_are_listed_with_it_and_shown_by_their_names() {
    let program = Program::new();
    let listed = program.run_ok(&["prompts", "list", "sred"]);
    for said in [
        "debater in answer\n",
        "debater in answer with prompts=source",
        "socratic in question with prompts=source",
        "feedback for the lesson with prompts=source",
        "shared/source-feedback.md [built-in]",
    ] {
        assert!(listed.contains(said), "{said}: {listed}");
    }
    // A lesson in the source's meaning takes two settings there.
    let listed_alone = program.run_ok(&["prompts", "list", "self-critique"]);
    let both = "feedback for the lesson with prompts=source, teach=true";
    let words: Vec<&str> = listed_alone.split_whitespace().collect();
    assert!(words.join(" ").contains(both), "{listed_alone}");
    // What every game can use is no template of the game's own.
    assert!(!listed.contains("llama-guard"), "{listed}");
    let text = program.run_ok(&["prompts", "show", "sred/source-socratic"]);
    assert!(text.contains("ask one question"), "{text}");
    let unknown = program
        .run(&["prompts", "show", "sred/nobody"])
        .ended_with(1);
    assert!(unknown.err.contains("source-socratic"), "{}", unknown.err);
    let drawing = program.run_ok(&[
        "protocols",
        "show",
        "self-critique",
        "--set",
        "prompts=source",
    ]);
    assert!(drawing.contains("'rule' drawn from a list"), "{drawing}");
    let diff = program.run_ok(&[
        "protocols",
        "diff",
        "self-critique",
        "self-critique",
        "--set-b",
        "prompts=source",
        "--prompts",
    ]);
    for said in [
        "Now rewrite your latest answer",
        "+ critique: ",
        "+ revision: ",
    ] {
        assert!(diff.contains(said), "{said}: {diff}");
    }
}

#[test]
fn a_template_of_a_setting_that_is_broken_is_named_with_its_line() {
    let program = Program::configured("");
    program.run_ok(&["prompts", "eject", "sred"]);
    let file = ".elenchus/prompts/shared/source-feedback.md";
    let own = program.read(&format!("work/{file}"));
    program.write(file, &own.replace("{{ topic }}", "{{ tpic }}"));
    // In the last one it takes two settings.
    for command in [
        ["prompts", "check", "sred"],
        ["protocols", "check", "sred"],
        ["prompts", "check", "self-critique"],
        ["protocols", "check", "self-critique"],
    ] {
        let told = program.run(&command);
        assert_ne!(told.code, 0);
        let all = told.out + &told.err;
        assert!(
            all.contains("source-feedback.md:") && all.contains("tpic"),
            "{all}"
        );
    }
}

#[test]
fn every_file_that_a_setting_brings_is_pinned_with_the_others_and_held_to() {
    let program = Program::configured("[defaults]\nmodel = \"it\"\n[sims.it]\nunsafe_rate = 0.1\n");
    let told = program.run_ok(&["protocols", "pin", "self-critique", "--project", "--all"]);
    for file in [
        "rules.list.toml: none",
        "rule-pairs.list.toml: none",
        "source-revise.md: none",
        "shared/source-feedback.md: none",
    ] {
        assert!(told.contains(file), "{file}: {told}");
    }
    let game = [
        "run",
        "-q",
        "--protocol",
        "self-critique",
        "--topic",
        "Why?",
    ];
    let source = [&game[..], &["--set", "prompts=source"]].concat();
    for asked in [&game[..], &source] {
        program.run(asked).ended_with(0);
    }
    let text = program.run_ok(&["prompts", "show", "self-critique/source-revise"]);
    program.write(
        ".elenchus/prompts/self-critique/source-revise.md",
        &format!("{text}\nBe brief.\n"),
    );
    let refused = program.run(&source).ended_with(1);
    assert!(refused.err.contains("source-revise.md"), "{}", refused.err);
}
