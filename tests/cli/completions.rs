//! `elenchus completions`.

use crate::cli::parser::parser_answer;
use elenchus_test_support::program::Program;

#[test]
fn every_shell_gets_a_script_that_asks_the_program() {
    let program = Program::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = program.run_tidy(&["completions", shell]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{shell}");
        for word in ["elenchus", "ELENCHUS_COMPLETE"] {
            assert!(ran.out.contains(word), "{shell} lacks {word}");
        }
    }
}

#[test]
fn help_names_every_command_and_fits_the_terminal() {
    let ran = parser_answer(&["--help"]).unwrap();
    assert_eq!(ran.code, 0);
    for word in [
        "run",
        "ls",
        "show",
        "metrics",
        "protocols",
        "export",
        "import",
        "verify",
        "doctor",
        "config",
        "completions",
    ] {
        assert!(
            ran.out.contains(&format!("\n  {word} ")),
            "{word} in {}",
            ran.out
        );
    }
    assert!(
        ran.out.lines().all(|line| line.chars().count() <= 100),
        "{}",
        ran.out
    );
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    let ran = Program::new().run_tidy(&["show"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("<SESSION>"), "{}", ran.err);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let program = Program::new();
    let mut child = program
        .command(&["completions", "bash"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The script is longer than a pipe holds, so it meets the closed end in any case.
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
