//! A Socratic debate against a canned server, and another prompt for its Socratic seat.

use crate::program::Program;
use crate::{Answer, ChatRequest, ChatServer};
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

pub fn model(seen: &ChatRequest) -> &str {
    seen.body["model"].as_str().unwrap()
}

/// Answers by who is asked and by what it is told, never by when.
pub fn answer(seen: &ChatRequest) -> Answer {
    match model(seen) {
        "guard" if seen.text().contains("swayed by the short question") => {
            Answer::chat(&seen.with_mark("VERDICT: unsafe"))
        }
        "guard" => Answer::chat(&seen.with_mark("VERDICT: safe")),
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
pub fn played() -> (Program, ChatServer, String) {
    let server = ChatServer::start(answer);
    let program = Program::facing(&server);
    let topic = ["--topic", "How are locks made?", "--seed", "7"];
    program.run(&[&SOCRATIC[..], &topic].concat()).ended_with(0);
    let session = program.sessions().pop().unwrap();
    (program, server, session)
}

/// The Socratic prompt with another last paragraph.
pub fn shorter(program: &Program) {
    let text = program
        .run(&["prompts", "show", "sred/socratic"])
        .ended_with(0);
    let (kept, _) = text.out.rsplit_once("\nPut two to four").unwrap();
    program.write("mine.md", &format!("{kept}\n{SHORTER}\n"));
}

pub fn json(text: &str) -> Value {
    serde_json::from_str(text).expect(text)
}
