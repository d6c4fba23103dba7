//! Servers that a person adds: a key goes to the address it is named beside, and what the environment
//! says goes before what a folder says.

use super::{DEBATE, SECRET, SECRET_VARIABLE, heard_nothing, server, victim};
use elenchus_test_support::answer::event;
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::json;

/// A server that wants a key for everything.
fn guarded(key: &'static str) -> ChatServer {
    let bearer = format!("Bearer {key}");
    ChatServer::listing(move |seen: &ChatRequest| match seen.path.as_str() {
        _ if seen.header("authorization") != Some(&bearer) => {
            Answer::error(401, "invalid_api_key", "no key, no answer")
        }
        "/v1/models" => ChatServer::models(&["ada"]),
        _ => Answer::chat("safe"),
    })
}

/// Every key that a server was sent, as it came.
fn keys(server: &ChatServer) -> Vec<String> {
    let requests = server.requests();
    let keys = requests
        .iter()
        .filter_map(|seen| seen.header("authorization"));
    let mut keys: Vec<String> = keys.map(str::to_owned).collect();
    keys.sort();
    keys.dedup();
    keys
}

fn openai(server: &ChatServer, more: &str) -> String {
    format!(
        "[providers.openai]\nbase_url = \"{}\"\n{more}[models.ada]\nprovider = \"openai\"\nname = \"ada\"\n",
        server.base_url()
    )
}

#[test]
fn a_key_goes_to_the_server_it_is_named_beside_and_to_no_other() {
    let (lab, stranger) = (guarded(SECRET), server());
    let program = victim().with("OPENAI_API_KEY", "k-123456");
    let url = lab.base_url();
    let refused = program.run(&["servers", "add", &url]).ended_with(1);
    assert!(
        refused
            .err
            .contains(&format!("servers add {url} --key VARIABLE")),
        "{}",
        refused.err
    );
    assert!(keys(&lab).is_empty());
    let unset = program
        .run(&["servers", "add", &url, "--key", "NO_SUCH_KEY"])
        .ended_with(1);
    assert!(
        unset.err.contains("NO_SUCH_KEY is not set"),
        "{}",
        unset.err
    );
    let pasted = program
        .run(&["servers", "add", &url, "--key", "sk-secret-1234"])
        .ended_with(1);
    assert!(!pasted.err.contains("sk-secret-1234"), "{}", pasted.err);
    assert!(!program.home().join(".config/elenchus/config.toml").exists());

    let added = program
        .run(&["servers", "add", &url, "--key", SECRET_VARIABLE])
        .ended_with(0);
    let other = program
        .run(&["servers", "add", &stranger.base_url(), "--name", "other"])
        .ended_with(0);
    let played = program
        .run(&[&DEBATE[..], &["--model", "ada"]].concat())
        .ended_with(0);
    assert_eq!(keys(&lab), [format!("Bearer {SECRET}")]);
    assert_eq!(keys(&stranger), Vec::<String>::new());
    assert!(
        stranger.requests().len() > 1 && lab.requests().len() > 3,
        "both serve ada"
    );
    // The same model at two servers, each with its own key or none; and neither is ever shown.
    let listed = program.run(&["servers", "list", "--probe"]).ended_with(0);
    let file =
        std::fs::read_to_string(program.home().join(".config/elenchus/config.toml")).unwrap();
    for text in [
        added.out, other.out, played.out, played.err, listed.out, file,
    ] {
        assert!(
            !text.contains(SECRET) && !text.contains("k-123456"),
            "{text}"
        );
    }
    // Asked again without the option, it is the key that stands beside it.
    program.run(&["servers", "add", &url]).ended_with(0);
    assert_eq!(keys(&lab), [format!("Bearer {SECRET}")]);
}

#[test]
fn a_redirect_gets_no_key_and_no_models() {
    let stranger = server();
    let target = format!("{}/models", stranger.base_url());
    let moved =
        ChatServer::listing(move |_| Answer::with_headers(307, &[("location", &target)], b""));
    let args = [
        "servers",
        "add",
        &moved.base_url(),
        "--key",
        SECRET_VARIABLE,
    ];
    victim().run(&args).ended_with(1);
    heard_nothing(&stranger);
}

#[test]
fn the_address_of_the_environment_goes_before_that_of_a_folder() {
    let (own, theirs) = (server(), server());
    let program = Program::facing(&own).with("LAB_KEY", "k-lab-123456");
    program.write(
        ".elenchus/config.toml",
        &openai(&theirs, "api_key_env = \"LAB_KEY\"\n"),
    );
    let played = program
        .run(&[&DEBATE[..], &["--model", "ada"]].concat())
        .ended_with(0);
    heard_nothing(&theirs);
    assert!(!own.requests().is_empty());
    assert!(
        keys(&own).is_empty(),
        "a folder's key goes with its own address"
    );
    let told = format!(
        "the provider 'openai' is asked at {}, as OPENAI_BASE_URL says, and not at {}",
        own.base_url(),
        theirs.base_url()
    );
    assert_eq!(played.err.matches(&told).count(), 1, "{}", played.err);
    let listed = program.run(&["servers", "list"]).ended_with(0);
    assert!(
        listed.out.contains("OPENAI_BASE_URL, with the settings of"),
        "{}",
        listed.out
    );
    assert!(listed.out.contains(&own.base_url()), "{}", listed.out);
}

#[test]
fn a_files_other_settings_hold_for_the_server_of_the_environment() {
    // It never gives a finish reason, which only the file knows.
    let own = ChatServer::listing(|_| {
        let words = event(&json!({"content": "safe"}));
        Answer::sse([words.as_str(), "data: [DONE]\n\n"])
    });
    let theirs = server();
    let file = openai(
        &theirs,
        "finish_reason = \"absent\"\nin_flight = 1\nretries = 0\n",
    );
    let program = Program::facing(&own).with("OPENAI_API_KEY", "k-123456");
    program.write(".elenchus/config.toml", &file);
    let debate = [&DEBATE[..], &["--model", "ada"]].concat();
    let played = program.run(&debate).ended_with(0);
    assert_eq!(keys(&own), ["Bearer k-123456"], "{}", played.err);
    // Unless the environment says that as well.
    let program = program.with("ELENCHUS_FINISH_REASON", "required");
    program.run(&debate).ended_with(3);
    heard_nothing(&theirs);
}

#[test]
fn a_key_of_the_environment_alone_moves_no_server() {
    let lab = guarded("k-lab-123456");
    let program = Program::new()
        .with("LAB_KEY", "k-lab-123456")
        .with("OPENAI_API_KEY", "k-123456")
        .owning(&openai(&lab, "api_key_env = \"LAB_KEY\"\n"));
    program
        .run(&[&DEBATE[..], &["--model", "ada"]].concat())
        .ended_with(0);
    assert_eq!(keys(&lab), ["Bearer k-lab-123456"]);
}
