//! `elenchus config`.

use elenchus_test_support::program::Program;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn init_writes_a_private_file_that_is_accepted_and_never_replaced() {
    let program = Program::new();
    let ran = program.run_tidy(&["config", "init"]);
    let path = program.path("home/.config/elenchus/config.toml");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(
        ran.out.lines().next(),
        Some("wrote ~/home/.config/elenchus/config.toml")
    );
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);

    assert_eq!(program.run_tidy(&["ls"]).code, 0);

    std::fs::write(&path, "# mine\n").unwrap();
    let again = program.run_tidy(&["config", "init"]);
    assert_eq!(again.code, 0);
    assert_eq!(
        again.err,
        "~/home/.config/elenchus/config.toml exists already and is left as it is; \
         edit it, or move it away first\n"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# mine\n");
}

#[test]
fn init_can_write_the_projects_own_file() {
    let program = Program::new();
    let ran = program.run_tidy(&["config", "init", "--project"]);
    assert!(
        ran.out.contains("are kept in .elenchus/store from now on"),
        "{}",
        ran.out
    );
    assert_eq!(
        ran.out.lines().next(),
        Some("wrote ~/work/.elenchus/config.toml")
    );
    assert_eq!(mode(&program.path("work/.elenchus")), 0o700);
}

#[test]
fn keys_of_the_workbench_that_collide_are_refused_at_start() {
    let program = Program::new();
    program.write(".elenchus/config.toml", "[keys.debate]\nfork = [\"n\"]\n");
    let ran = program.run_tidy(&["ls"]);
    assert_eq!(ran.code, 1);
    let said = "config.toml:2: 'n' is both step-turn = 'n' in [keys.debate] (as it comes) and fork";
    assert!(ran.err.contains(said), "{}", ran.err);
}

#[test]
fn settings_of_the_workbench_are_checked_at_their_line() {
    let program = Program::new();
    program.write(
        ".elenchus/config.toml",
        "[workbench]\ntheme = \"dark\"\ncolor = \"blue\"\n",
    );
    let ran = program.run_tidy(&["ls"]);
    assert_eq!(ran.code, 1);
    let said = "config.toml:3: color cannot be 'blue'; it is auto, truecolor, 256, 16 or none";
    assert!(ran.err.contains(said), "{}", ran.err);
}

#[test]
fn a_wrong_key_is_named_with_file_and_line() {
    let program = Program::new();
    program.write(
        ".elenchus/config.toml",
        "[defaults]\nmodel = \"sim\"\nmodle = \"sim\"\n",
    );
    let ran = program.run_tidy(&["ls"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.out, "");
    assert_eq!(
        ran.err,
        "error: ~/work/.elenchus/config.toml:3: unknown field `modle`, expected one of `model`, \
         `protocol`, `concurrency`, `budget_usd`, `stop_grace_s`, `name`\n"
    );
}

#[test]
fn a_log_is_written_only_when_it_is_asked_for() {
    let program = Program::new();
    assert_eq!(program.run_tidy(&["ls"]).code, 0);
    assert!(!program.path("store").exists());
    let mut command = program.command(&["ls"]);
    let output = command.env("ELENCHUS_LOG", "debug").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(mode(&program.path("store/log")), 0o600);
}
