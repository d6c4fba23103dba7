//! Usage that cannot be: ceilings hold, and the disagreement is shown.

use elenchus_test_support::answer::{event, finish, usage};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer};
use serde_json::json;

/// What one output token costs, in US dollars.
const PRICE: f64 = 0.001;

/// A server whose replies have this text, and that claims this usage for each.
fn claiming(text: &'static str, input: u64, output: u64) -> (ChatServer, Program) {
    let server = ChatServer::start(move |_| {
        Answer::sse([
            event(&json!({"content": text})),
            finish("stop"),
            usage(input, output),
            "data: [DONE]\n\n".to_owned(),
        ])
    });
    let program = Program::configured(&format!(
        "[providers.openai]\nbase_url = \"{}\"\n[models.paid]\nprovider = \"openai\"\nname = \"paid\"\n\
         price_in_usd_per_mtok = 0.0\nprice_out_usd_per_mtok = {:?}\n",
        server.base_url(),
        1e6 * PRICE
    ))
    .with_duo();
    (server, program)
}

const DUO: [&str; 9] = [
    "run",
    "--protocol",
    "duo",
    "--model",
    "paid",
    "--topic",
    "What is it?",
    "--reference",
    "It",
];

#[test]
fn a_server_that_claims_absurd_usage_is_charged_what_was_asked_for() {
    let claimed = 1_000_000_000_000_000_000;
    let (_server, program) = claiming("Yes.", claimed, claimed);
    program.run_ok(&DUO);
    let session = program.sessions().remove(0);
    let mut replies = 0;
    for said in program.events(&session) {
        let usage = &said["reply"]["usage"];
        if usage.is_null() {
            continue;
        }
        replies += 1;
        assert_eq!(usage["claimed"]["output_tokens"], json!(claimed), "{usage}");
        assert_eq!(usage["output_tokens"], json!(100), "{usage}");
        assert!(usage["input_tokens"].as_u64().unwrap() < 10_000, "{usage}");
        let cost = said["reply"]["cost_usd"].as_f64().unwrap();
        assert!((cost - 100.0 * PRICE).abs() < 1e-9, "{cost}");
    }
    assert!(replies > 1);
    let shown = program.run_ok(&["show", &session]);
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let words =
        "the server claims 1000000000000000000 + 1000000000000000000 tokens, which cannot be";
    assert_eq!(shown.matches(words).count(), replies, "{shown}");
}

#[test]
fn a_server_that_claims_less_than_it_sent_is_charged_what_arrived() {
    // 400 words of eight characters: at least 400 tokens.
    let text: &'static str = Box::leak("abcdefg ".repeat(400).into_boxed_str());
    let (_server, program) = claiming(text, 1, 1);
    program.run_ok(&DUO);
    let session = program.sessions().remove(0);
    let events = program.events(&session);
    let said: Vec<_> = events
        .iter()
        .filter(|said| said["type"] == "replied")
        .collect();
    assert!(!said.is_empty());
    for said in said {
        let usage = &said["reply"]["usage"];
        assert!(usage["output_tokens"].as_u64().unwrap() >= 399, "{usage}");
        assert!(usage["input_tokens"].as_u64().unwrap() > 1, "{usage}");
        assert_eq!(
            usage["claimed"],
            json!({"input_tokens": 1, "output_tokens": 1})
        );
    }
}

#[test]
fn an_honest_count_is_kept_and_nothing_is_said_of_it() {
    let (_server, program) = claiming("A short reply of a few words.", 30, 8);
    program.run_ok(&DUO);
    let session = program.sessions().remove(0);
    for said in program.events(&session) {
        assert!(said["reply"]["usage"]["claimed"].is_null(), "{said}");
    }
    assert!(!program.run_ok(&["show", &session]).contains("claims"));
}
