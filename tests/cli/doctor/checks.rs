//! Checks of `elenchus doctor`.

use elenchus_test_support::program::Program;

#[test]
fn a_fresh_place_has_no_problem_and_shows_no_key() {
    let program = Program::new().with_duo();
    let mut command = program.command(&["doctor"]);
    command
        .env("OPENAI_API_KEY", "sk-very-secret")
        .env("OPENAI_BASE_URL", "http://ana:hidden@127.0.0.1:9/v1");
    let output = command.output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(
        out.contains("ok        openai: http://127.0.0.1:9/v1, key in OPENAI_API_KEY"),
        "{out}"
    );
    assert!(!out.contains("secret") && !out.contains("hidden"), "{out}");
    assert!(out.contains("ok        ready to be played: "), "{out}");
    assert_eq!(output.status.code(), Some(0), "{out}");
}

#[test]
fn what_is_configured_and_broken_is_named_with_its_fix() {
    let program = Program::new().with_duo();
    program.write(
        ".elenchus/config.toml",
        "[providers.far]\nbase_url = \"https://far.example/v1\"\napi_key_env = \"FAR_KEY\"\n\
         [models.big]\nprovider = \"gone\"\nname = \"big-1\"\n\
         [defaults]\nmodel = \"nobody\"\n",
    );
    let ran = program.run_tidy(&["doctor"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.err,
        "error: 3 problems found; each is above with its fix\n"
    );
    let flat = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        "PROBLEM far: https://far.example/v1: its key is missing, FAR_KEY is not set fix: export FAR_KEY=…",
        "PROBLEM model 'big' names the provider 'gone', which is not configured fix: add [providers.gone]",
        "PROBLEM the default model: there is no model 'nobody'",
    ] {
        assert!(flat.contains(text), "{text} in {}", ran.out);
    }
}
