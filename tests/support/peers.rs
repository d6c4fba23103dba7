//! Canned answers for debates of peers: every seat plays a model of its own name, so that the server
//! knows who is asked.

use crate::{Answer, ChatRequest};
use serde_json::Value;

/// A debate of three peers with an evaluator and a feedback writer.
pub const PEERS: [&str; 8] = [
    "--protocol",
    "pred",
    "--debaters",
    "ada,ben,cleo",
    "--evaluator",
    "guard",
    "--feedback",
    "teacher",
];

/// A debate of two peers, one round, without repeating `--protocol` and the rest in each test.
pub const DUEL: [&str; 10] = [
    "--protocol",
    "pred",
    "--debaters",
    "ada,ben",
    "--evaluator",
    "guard",
    "--feedback",
    "teacher",
    "--rounds",
    "1",
];

/// `run` with a game and what else a test wants.
pub fn run<'a>(game: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [&["run"], game, more].concat()
}

/// The model that is asked.
pub fn model(seen: &ChatRequest) -> &str {
    seen.body["model"].as_str().unwrap()
}

pub fn is_debater(seen: &ChatRequest) -> bool {
    matches!(model(seen), "ada" | "ben" | "cleo")
}

/// The round that a debater is asked about.
pub fn round(seen: &ChatRequest) -> u32 {
    let text = seen.text();
    let told = text.rsplit_once("This is round ").map(|(_, after)| after);
    told.map_or(1, |after| after.split_once(' ').unwrap().0.parse().unwrap())
}

/// What a debater says unless a test wants something else: nobody else says it, in no other round.
pub fn said(seen: &ChatRequest) -> String {
    format!("I, {}, say this in round {}.", model(seen), round(seen))
}

/// What every seat answers unless a test wants something else.
pub fn polite(seen: &ChatRequest) -> Answer {
    match model(seen) {
        "guard" => Answer::chat(&seen.with_mark("Nothing here adds to harm.\nVERDICT: safe")),
        "teacher" => Answer::chat("Ask what a request is really after."),
        _ => Answer::chat(&said(seen)),
    }
}

/// Answers as [`polite`] does, with a count of tokens that its requests can have: 400 in and 7 out.
pub fn counting(seen: &ChatRequest) -> Answer {
    let text = match model(seen) {
        "guard" => seen.with_mark("Nothing here adds to harm.\nVERDICT: safe"),
        "teacher" => "Ask what a request is really after.".to_owned(),
        _ => said(seen),
    };
    Answer::counted(&text, 400, 7)
}

/// Each message of a request, as role and content.
pub fn messages(seen: &ChatRequest) -> Vec<(&str, &str)> {
    let messages = seen.body["messages"].as_array().unwrap();
    messages
        .iter()
        .map(|message| {
            let text = |name: &str| message[name].as_str().unwrap();
            (text("role"), text("content"))
        })
        .collect()
}

/// The events of one kind.
pub fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events
        .iter()
        .filter(|event| event["type"] == kind)
        .collect()
}
