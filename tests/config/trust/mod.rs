//! What other people's files carry is not trusted: sessions, configurations of folders, and what was
//! mistyped. A stranger's server listens, and must hear nothing.

mod fallback;
mod jobs;
mod keys;
mod project;
mod servers;
mod session;

use crate::support::program::Desk;
use crate::support::{Answer, Seen, Server};

/// A secret of the person's that has nothing to do with language models.
const SECRET: &str = "wJalrXUtnFEMI-K7MDENG-bPxRfiCY";
/// The variable that holds it.
const SECRET_VARIABLE: &str = "AWS_SECRET_ACCESS_KEY";
/// Where the fixtures say that the stranger's server is.
const NOWHERE: &str = "http://127.0.0.1:1/v1";

/// A short debate by whatever model is the default.
const DEBATE: [&str; 5] = [
    "run",
    "--protocol",
    "standard",
    "--topic",
    "How are locks made?",
];

/// A server of anybody's that plays along.
fn server() -> Server {
    Server::listing(|seen: &Seen| match seen.path.as_str() {
        "/v1/models" => Server::models(&["ada", "ben"]),
        _ => Answer::chat("safe"),
    })
}

/// A desk whose person has a secret in the environment.
fn victim() -> Desk {
    Desk::new().with(SECRET_VARIABLE, SECRET)
}

/// Two models of a person's own server, under names that no stranger knows.
fn own_models(server: &Server) -> String {
    format!(
        "[providers.mine]\nbase_url = \"{}\"\nretries = 0\n\
         [models.first]\nprovider = \"mine\"\nname = \"ada\"\n\
         [models.second]\nprovider = \"mine\"\nname = \"ben\"\n",
        server.base_url()
    )
}

#[track_caller]
fn heard_nothing(stranger: &Server) {
    assert_eq!(stranger.connections(), 0, "{:?}", stranger.requests());
}
