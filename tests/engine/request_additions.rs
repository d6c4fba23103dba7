//! Headers, query and fields that a user's own configuration adds to requests.

use elenchus_test_support::peers::{DUEL, polite, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer};

const KEY: &str = "azure-key-0123456789-abcdef";
const TOPIC: [&str; 2] = ["--topic", "How are locks made?"];

/// A server without a list of models, at any address.
fn listless() -> ChatServer {
    ChatServer::start(|seen| match seen.method.as_str() {
        "GET" => Answer::error(404, "404", "Resource not found"),
        _ => polite(seen),
    })
}

/// A configuration of a server at Azure's classic address.
fn azure(server: &ChatServer) -> String {
    let base = server.base_url();
    let base = base.trim_end_matches("/v1");
    let models = ["ada", "ben", "guard", "teacher"].map(|name| {
        format!(
            "[models.{name}]\nprovider = \"azure\"\nname = \"{name}\"\nextra_body = {{ top_k = 7 }}\n"
        )
    });
    format!(
        "[providers.azure]\nbase_url = \"{base}/openai/deployments/gpt\"\n\
         query = {{ api-version = \"2024-10-21\" }}\n\
         headers = {{ api-key = {{ env = \"AZURE_KEY\" }} }}\n{}",
        models.concat()
    )
}

#[test]
fn a_users_own_configuration_reaches_azures_classic_address() {
    let server = listless();
    let program = Program::new()
        .owning(&azure(&server))
        .with("AZURE_KEY", KEY);
    program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    let mut requests = server.requests();
    assert!(
        requests
            .iter()
            .all(|seen| seen.header("api-key") == Some(KEY))
    );
    requests.retain(|seen| seen.method == "POST");
    assert!(!requests.is_empty());
    for seen in &requests {
        assert_eq!(
            seen.path,
            "/openai/deployments/gpt/chat/completions?api-version=2024-10-21"
        );
        assert_eq!(
            (seen.header("api-key"), seen.header("authorization")),
            (Some(KEY), None)
        );
        assert_eq!(seen.body["top_k"], 7);
    }
    for (path, bytes) in program.store_files() {
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            !text.contains(KEY) && !text.contains("AZURE_KEY"),
            "{}",
            path.display()
        );
    }
    let first = program.events("last").remove(0).to_string();
    for kept in ["2024-10-21", "\"top_k\":7"] {
        assert!(first.contains(kept), "no {kept} in {first}");
    }
}

#[test]
fn added_fields_make_an_arm_of_their_own() {
    let server = listless();
    let config = azure(&server);
    let arms = |program: &Program| {
        let report = program.run_ok(&["metrics", "--by", "arm", "--json"]);
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        report["sections"].as_array().unwrap().len()
    };
    let program = Program::new().owning(&config).with("AZURE_KEY", KEY);
    for _ in 0..2 {
        program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    }
    assert_eq!(arms(&program), 1);
    let program = program.owning(&config.replace("top_k = 7", "top_k = 8"));
    program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    assert_eq!(arms(&program), 2);
}

#[test]
fn a_projects_configuration_adds_nothing_to_requests() {
    let server = ChatServer::start(polite);
    let additions = [
        "headers = { x-project = \"p\" }",
        "query = { a = \"b\" }",
        "extra_body = { top_k = 9 }",
    ];
    for addition in additions {
        let program = Program::facing(&server);
        let project = format!(
            "[providers.here]\nbase_url = \"{}\"\n{addition}\n",
            server.base_url()
        );
        program.write(".elenchus/config.toml", &project);
        let ran = program.run(&run(&DUEL, &TOPIC)).ended_with(1);
        assert!(
            ran.err.contains("in your own configuration alone"),
            "{}",
            ran.err
        );
    }
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn headers_do_not_follow_a_key_to_another_address() {
    let (own, other) = (ChatServer::start(polite), ChatServer::start(polite));
    let config = format!(
        "[providers.openai]\nbase_url = \"{}\"\nheaders = {{ api-key = {{ env = \"AZURE_KEY\" }} }}\n\
         query = {{ a = \"b\" }}\n",
        own.base_url()
    );
    // The environment names another server for the same provider; its port differs.
    let program = Program::new()
        .owning(&config)
        .with("AZURE_KEY", KEY)
        .with("OPENAI_BASE_URL", &other.base_url());
    program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    assert_eq!(own.requests().len(), 0);
    for seen in other.requests() {
        assert_eq!(
            (seen.header("api-key"), seen.path.as_str()),
            (None, "/v1/chat/completions")
        );
    }
}
