//! `elenchus protocols show` and `check`.

use elenchus_test_support::program::{DUO, Program};

#[test]
fn a_protocol_of_the_project_is_listed_with_where_it_comes_from() {
    let ran = Program::new().with_duo().run_tidy(&["protocols", "list"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let flat = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains(
            "duo Two answers: Two speakers answer side by side; each answer is compared with the \
             reference. [~/work/.elenchus/prompts]"
        ),
        "{}",
        ran.out
    );
}

#[test]
fn a_protocol_is_drawn_so_that_a_newcomer_understands_its_round() {
    let ran =
        Program::new()
            .with_duo()
            .run_tidy(&["protocols", "show", "duo", "--set", "rounds=2"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(ran.out, include_str!("drawing.txt"));
}

#[test]
fn the_file_itself_can_be_printed() {
    let ran = Program::new()
        .with_duo()
        .run_tidy(&["protocols", "show", "duo", "--raw"]);
    assert_eq!(ran.out, DUO);
}

#[test]
fn a_setting_out_of_range_is_refused_with_what_it_takes() {
    let ran =
        Program::new()
            .with_duo()
            .run_tidy(&["protocols", "show", "duo", "--set", "rounds=9"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.err,
        "error: setting 'rounds' cannot be '9': it takes a whole number from 1 to 3\n"
    );
}

#[test]
fn a_sound_protocol_checks_out_at_the_ends_of_its_settings() {
    let program = Program::new().with_duo();
    let expected =
        "ok: duo (1 stage, 1 template, 0 rubrics; checked with 2 choices of its 1 setting)\n";
    for named in [
        "duo",
        ".elenchus/prompts/duo",
        ".elenchus/prompts/duo/protocol.toml",
    ] {
        let ran = program.run_tidy(&["protocols", "check", named]);
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (0, expected),
            "{named}: {}",
            ran.err
        );
    }
}

#[test]
fn every_fault_of_a_protocol_is_named_with_its_line() {
    let program = Program::new().with_duo();
    let broken = DUO
        .replace(
            "seats = [\"speaker\"]\nmax",
            "seats = [\"speaker\", \"critic\"]\nmax",
        )
        .replace("grader = \"exact\"", "by = \"nobody\"");
    program.write(".elenchus/prompts/duo/protocol.toml", &broken);
    let ran = program.run_tidy(&["protocols", "check", "duo"]);
    assert_eq!(ran.code, 1);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines.len() >= 2, "{ran:?}");
    for line in lines {
        assert!(
            line.starts_with("~/work/.elenchus/prompts/duo/protocol.toml:"),
            "{line}"
        );
    }
    assert!(
        ran.err.starts_with("error: protocol 'duo' has "),
        "{}",
        ran.err
    );
}

#[test]
fn a_template_that_cannot_be_rendered_is_a_fault() {
    let program = Program::new().with_duo();
    program.write(
        ".elenchus/prompts/duo/speaker.md",
        "=== user\n{{ nobody.knows }}\n",
    );
    let ran = program.run_tidy(&["protocols", "check", "duo"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.out.contains("speaker:2: ") || ran.out.contains("speaker.md:2: "),
        "{}",
        ran.out
    );
    assert_eq!(ran.err, "error: protocol 'duo' has 1 fault\n");
}
