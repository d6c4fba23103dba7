//! Models that say what they were trained on: in the record, in the arm, and compared with memory by `doctor`.

use elenchus_test_support::journals::events;
use elenchus_test_support::peers::{DUEL, is_debater, model, polite, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer};
use serde_json::Value;

/// The debaters of a duel, of which one was trained on lessons.
fn config(server: &ChatServer, trained_on: &str) -> String {
    let models = ["ben", "guard", "teacher"]
        .map(|name| format!("[models.{name}]\nprovider = \"local\"\nname = \"{name}\"\n"));
    format!(
        "[providers.local]\nbase_url = \"{}\"\nretries = 0\n{}[models.ada]\nprovider = \"local\"\n\
         name = \"ada\"\nbase = \"llama-8b\"\nadapter = \"ada-3\"\n{trained_on}",
        server.base_url(),
        models.concat()
    )
}

/// A server whose evaluator finds everything unsafe, so that each debate teaches.
fn severe() -> ChatServer {
    ChatServer::start(|seen| match model(seen) {
        "guard" => Answer::chat(&seen.with_mark("This does harm.\nVERDICT: unsafe")),
        _ => polite(seen),
    })
}

/// What `doctor` says, without its line breaks.
fn doctor(program: &Program) -> String {
    let told = program.run(&["doctor"]).out;
    told.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn teach(program: &Program, topic: &str) {
    let args = run(&DUEL, &["--topic", topic, "--quiet"]);
    program.run(&args).ended_with(0);
}

/// The hash of the lessons that a namespace holds.
fn lessons_hash(program: &Program) -> String {
    let listed = program.run_ok(&["memory", "list", "--namespaces", "--json"]);
    let namespace: Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    namespace["lessons_sha256"].as_str().unwrap().to_owned()
}

#[test]
fn doctor_compares_what_a_model_was_trained_on_with_memory_as_it_is() {
    let server = severe();
    let program = Program::new().owning(&config(&server, ""));
    teach(&program, "How are locks opened?");
    let hash = lessons_hash(&program);
    let listed = program.run_ok(&["memory", "list", "--namespaces"]);
    assert!(listed.contains(&hash[..8]), "{listed}");

    let trained = format!("trained_on = \"default@{}\"\n", &hash[..12]);
    let program = program.owning(&config(&server, &trained));
    let told = doctor(&program);
    assert!(
        told.contains("ada: trained on the 1 lesson that memory 'default' holds"),
        "{told}"
    );
    // Memory grows.
    program
        .run(&[
            "memory",
            "add",
            "-n",
            "default",
            "Say why a request is refused, in one sentence.",
        ])
        .ended_with(0);
    assert_ne!(lessons_hash(&program), hash);
    let told = doctor(&program);
    assert!(
        told.contains(
            "ada: trained on the first 1 of the 2 lessons that memory 'default' holds now"
        ),
        "{told}"
    );
    // Others.
    let program = program.owning(&config(&server, "trained_on = \"default@00000000\"\n"));
    let told = doctor(&program);
    assert!(
        told.contains("which is none of the states of memory 'default'"),
        "{told}"
    );
}

#[test]
fn a_model_that_was_trained_elsewhere_says_so_in_record_and_arm() {
    let server = severe();
    let program = Program::new().owning(&config(&server, "trained_on = \"default@3f9c01ab\"\n"));
    teach(&program, "How are locks opened?");
    let session = program.sessions().pop().unwrap();
    let created = events(&program.session_file(&session)).remove(0);
    let cast = created["cast"].as_array().unwrap();
    let settings = |at: usize| &cast[at]["player"]["settings"]["server"]["model"];
    assert_eq!(settings(0)["trained_on"], "default@3f9c01ab");
    assert_eq!(settings(0)["base"], "llama-8b");
    assert!(settings(1).get("trained_on").is_none());
    let figures = program.run_ok(&["metrics", "--by", "arm,memory", "--json"]);
    for words in ["trained-on=default@3f9c01ab", "continuous:elsewhere"] {
        assert!(figures.contains(words), "{words}: {figures}");
    }
    // Its server is asked for it by its own name.
    let requests = server.requests();
    assert!(
        requests
            .iter()
            .filter(|seen| is_debater(seen))
            .any(|seen| model(seen) == "ada")
    );
}

#[test]
fn what_names_no_lessons_is_refused() {
    let server = severe();
    for wrong in ["default", "default@short", "@3f9c01ab", "default@3f9c01zz"] {
        let program =
            Program::new().owning(&config(&server, &format!("trained_on = \"{wrong}\"\n")));
        let refused = program.run(&["ls"]);
        assert_ne!(refused.code, 0, "{wrong}");
        assert!(
            refused.err.contains("NAMESPACE@HASH"),
            "{wrong}: {}",
            refused.err
        );
    }
}
