//! Jobs, CI and approved users: sessions without anybody to ask.

use super::{DEBATE, heard_nothing, server};
use elenchus_test_support::program::Program;

/// A project of a lab, whose server wants a key.
fn lab(base_url: &str) -> String {
    format!(
        "[providers.lab]\nbase_url = \"{base_url}\"\napi_key_env = \"LAB_KEY\"\n\
         [models.ada]\nprovider = \"lab\"\nname = \"ada\"\n[defaults]\nmodel = \"ada\"\n"
    )
}

#[test]
fn a_job_that_names_its_servers_by_pattern_is_asked_nothing_twice() {
    let server = server();
    let program = Program::configured(&lab(&server.base_url()))
        .with("LAB_KEY", "k-of-the-lab")
        .with("SLURM_JOB_ID", "4711")
        .with(
            "ELENCHUS_TRUST",
            "http://gpu*:8000 http://127.0.0.1:*=LAB_KEY",
        );
    for _ in 0..2 {
        let ran = program.run(&DEBATE).ended_with(0);
        assert!(!ran.err.contains("trust"), "{}", ran.err);
    }
    for seen in server.requests() {
        assert_eq!(seen.header("authorization"), Some("Bearer k-of-the-lab"));
    }
    assert!(
        !program.home().join(".config").exists(),
        "nothing is written"
    );
}

#[test]
fn a_run_of_ci_whose_variables_name_server_and_key_is_asked_nothing_twice() {
    let server = server();
    let program = Program::facing(&server)
        .with("OPENAI_API_KEY", "k-of-the-lab")
        .with("CI", "true");
    program.write(
        ".elenchus/config.toml",
        "[models.ada]\nprovider = \"openai\"\nname = \"ada\"\n[defaults]\nmodel = \"ada\"\n",
    );
    for _ in 0..2 {
        let ran = program.run(&DEBATE).ended_with(0);
        assert!(!ran.err.contains("trust"), "{}", ran.err);
    }
    assert!(!server.requests().is_empty());
}

#[test]
fn a_variable_that_would_trust_anybody_is_refused() {
    let server = server();
    for wrong in ["http://*", "*", "http://127.0.0.1:*=sk-secret-0123456789"] {
        let program = Program::configured(&lab(&server.base_url()))
            .with("LAB_KEY", "k")
            .with("ELENCHUS_TRUST", wrong);
        let refused = program.run(&DEBATE).ended_with(1);
        let told = ["ELENCHUS_TRUST: ", "nothing was sent"];
        assert!(
            told.iter().any(|words| refused.err.contains(words)),
            "{}",
            refused.err
        );
        assert!(!refused.err.contains("sk-secret"), "{}", refused.err);
    }
    heard_nothing(&server);
}

#[test]
fn a_damaged_list_of_approvals_is_named_and_approves_nothing() {
    let server = server();
    let program = Program::configured(&lab(&server.base_url())).with("LAB_KEY", "k");
    let folder = program.home().join(".config/elenchus");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("trust.toml"), "# mine\n[[servers]\n").unwrap();
    let refused = program.run(&DEBATE).ended_with(1);
    assert!(refused.err.contains("trust.toml:2: "), "{}", refused.err);
    heard_nothing(&server);
}
