//! The real program against a real server: what it asks, what it does with the answers, and what
//! it keeps when the server misbehaves.
//!
//! Every seat plays a model of its own name, so that the server knows who is being asked.

mod again;
mod ceilings;
mod counted;
mod decided;
mod dialects;
mod empty;
mod ended;
mod failing;
mod filtered;
mod golden;
mod guarded;
mod guardrails;
mod guards;
mod guards_by_name;
mod judged;
mod keys;
mod mended;
mod moderated;
mod named;
mod nobody;
mod positions;
mod priced;
mod private;
mod probed;
mod quickstart;
mod records;
mod self_judged;
mod servers;
mod together;
mod unpriced;

use crate::support::{Answer, Seen};
use serde_json::Value;

/// A debate of three peers with an evaluator and a feedback writer.
const PEERS: [&str; 8] = [
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
const DUEL: [&str; 10] = [
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
fn run<'a>(game: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [&["run"], game, more].concat()
}

/// The model that is asked.
fn model(seen: &Seen) -> &str {
    seen.body["model"].as_str().unwrap()
}

fn is_debater(seen: &Seen) -> bool {
    matches!(model(seen), "ada" | "ben" | "cleo")
}

/// The round that a debater is asked about.
fn round(seen: &Seen) -> u32 {
    let text = seen.text();
    let told = text.rsplit_once("This is round ").map(|(_, after)| after);
    told.map_or(1, |after| after.split_once(' ').unwrap().0.parse().unwrap())
}

/// What a debater says unless a test wants something else: nobody else says it, in no other round.
fn said(seen: &Seen) -> String {
    format!("I, {}, say this in round {}.", model(seen), round(seen))
}

/// What every seat answers unless a test wants something else.
fn polite(seen: &Seen) -> Answer {
    match model(seen) {
        "guard" => Answer::chat("Nothing here adds to harm.\nVERDICT: safe"),
        "teacher" => Answer::chat("Ask what a request is really after."),
        _ => Answer::chat(&said(seen)),
    }
}

/// Each message of a request, as role and content.
fn messages(seen: &Seen) -> Vec<(&str, &str)> {
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
fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events
        .iter()
        .filter(|event| event["type"] == kind)
        .collect()
}
