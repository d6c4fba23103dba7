//! Trust in other people's files: sessions, configurations of folders, mistyped settings. A
//! stranger's server listens and must receive nothing.

mod approvals;
mod fallback;
mod folder;
mod jobs;
mod keys;
mod paths;
mod project;
mod servers;
mod session;

use elenchus_test_support::program::Program;
/// Where the fixtures say that the stranger's server is.
use elenchus_test_support::server::NOWHERE;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};

/// A secret of the person's that has nothing to do with language models.
const SECRET: &str = "wJalrXUtnFEMI-K7MDENG-bPxRfiCY";
/// The variable that holds it.
const SECRET_VARIABLE: &str = "AWS_SECRET_ACCESS_KEY";

/// A short debate by whatever model is the default.
const DEBATE: [&str; 5] = [
    "run",
    "--protocol",
    "standard",
    "--topic",
    "How are locks made?",
];

/// A server of anybody's that plays along.
fn server() -> ChatServer {
    ChatServer::listing(|seen: &ChatRequest| match seen.path.as_str() {
        "/v1/models" => ChatServer::models(&["ada", "ben"]),
        _ => Answer::chat("safe"),
    })
}

/// A program whose person has a secret in the environment.
fn victim() -> Program {
    Program::new().with(SECRET_VARIABLE, SECRET)
}

/// Two models of a person's own server, under names that no stranger knows.
fn own_models(server: &ChatServer) -> String {
    format!(
        "[providers.mine]\nbase_url = \"{}\"\nretries = 0\n\
         [models.first]\nprovider = \"mine\"\nname = \"ada\"\n\
         [models.second]\nprovider = \"mine\"\nname = \"ben\"\n",
        server.base_url()
    )
}

#[track_caller]
fn heard_nothing(stranger: &ChatServer) {
    assert_eq!(stranger.connections(), 0, "{:?}", stranger.requests());
}
