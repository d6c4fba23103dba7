//! Another prompt on a recorded turn, through the real program.

mod ab;
mod bad;
mod context;
mod fresh;
mod played;
mod preferred;
mod repeats;
mod sent_back;
mod settled;
mod watched;

use crate::support::program::Desk;
use crate::support::{Answer, Seen, Server};
use serde_json::Value;

/// A Socratic debate of two over two rounds, each seat with a model of its own name.
pub const SOCRATIC: [&str; 14] = [
    "run",
    "-q",
    "--protocol",
    "sred",
    "--debaters",
    "ada,ben",
    "--seat",
    "socratic=soc",
    "--evaluator",
    "guard",
    "--feedback",
    "teacher",
    "--rounds",
    "2",
];

/// A question that only the changed prompt asks for.
pub const SHORTER: &str = "Ask one thing, in five words.";

pub fn model(seen: &Seen) -> &str {
    seen.body["model"].as_str().unwrap()
}

/// Answers by who is asked and by what it is told, never by when.
pub fn answer(seen: &Seen) -> Answer {
    match model(seen) {
        "guard" if seen.text().contains("swayed by the short question") => {
            Answer::chat("VERDICT: unsafe")
        }
        "guard" => Answer::chat("VERDICT: safe"),
        "teacher" => Answer::chat("Look twice."),
        "soc" if seen.text().contains(SHORTER) => Answer::chat("Why that, and not less?"),
        "soc" => Answer::chat("Which evidence is there, and what would follow from it?"),
        name if seen.text().contains("Why that, and not less?") => {
            Answer::chat(&format!("I, {name}, am swayed by the short question."))
        }
        name => Answer::chat(&format!("I, {name}, think it over.")),
    }
}

/// A debate that was played against a server, and the server.
pub fn played() -> (Desk, Server, String) {
    let server = Server::start(answer);
    let desk = Desk::facing(&server);
    let topic = ["--topic", "How are locks made?", "--seed", "7"];
    desk.run(&[&SOCRATIC[..], &topic].concat()).ended_with(0);
    let session = desk.sessions().pop().unwrap();
    (desk, server, session)
}

/// The Socratic prompt with another last paragraph.
pub fn shorter(desk: &Desk) {
    let text = desk
        .run(&["prompts", "show", "sred/socratic"])
        .ended_with(0);
    let (kept, _) = text.out.rsplit_once("\nPut two to four").unwrap();
    desk.write("mine.md", &format!("{kept}\n{SHORTER}\n"));
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect(text)
}
