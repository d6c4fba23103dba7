//! Golden sets against a server that charges: what a debate costs beside a single answer, and
//! ceilings and stops that hold for both.

use elenchus_test_support::answer::{event, finish, usage};
use elenchus_test_support::compared::compared_figure;
use elenchus_test_support::journals::journals;
use elenchus_test_support::peers::model;
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What an output token of any model costs, in US dollars.
const PRICE_USD: f64 = 0.001;
/// What the server counts for a reply: the debaters', the single answer's and the moderator's.
const DEBATER_TOKENS: u64 = 60;
const ALONE_TOKENS: u64 = 40;
const MODERATOR_TOKENS: u64 = 40;

const SET: &str = "\
{\"id\":\"a\",\"text\":\"Is the clause valid?\",\"category\":\"contract\",\"reference\":\"yes\"}\n\
{\"id\":\"b\",\"text\":\"Is the port open?\",\"category\":\"security\",\"reference\":\"yes\"}\n";

const PLAY: [&str; 15] = [
    "golden",
    "run",
    "set.jsonl",
    "--model",
    "debater",
    "--seat",
    "moderator=moderator",
    "--single-model",
    "alone",
    "--set",
    "max_tokens=100",
    "--set",
    "moderator_tokens=100",
    "--single-set",
    "max_tokens=100",
];

/// A reply that fits the schema of every speaker's stage: each wants some of these fields.
pub fn said(seen: &ChatRequest) -> (Value, u64) {
    match model(seen) {
        "moderator" => (
            json!({
                "argumentQualityScore": { "proposer": 7, "critic": 6, "rebuttal": 8 },
                "resolvedPoints": [],
                "unresolvedPoints": [],
                "recommendAnotherRound": false,
                "synthesis": "It holds.",
                "answer": "yes",
                "confidenceLevel": "HIGH",
                "explicitUncertainties": ["Usage elsewhere"],
            }),
            MODERATOR_TOKENS,
        ),
        "alone" => (json!({ "answer": "no", "confidence": 0.5 }), ALONE_TOKENS),
        _ => (
            json!({
                "proposition": "It holds.",
                "answer": "no",
                "thesis": "It holds.",
                "supporting_arguments": [{ "point": "It is written." }],
                "counter_arguments": [{ "point": "It is unclear." }],
                "challengeStrength": 8,
                "rebuttals": [{ "answer": "It is clear." }],
                "concessions": [],
            }),
            DEBATER_TOKENS,
        ),
    }
}

fn charged(seen: &ChatRequest) -> Answer {
    let (reply, tokens) = said(seen);
    Answer::sse([
        event(&json!({"content": reply.to_string()})),
        finish("stop"),
        usage(455, tokens),
        "data: [DONE]\n\n".to_owned(),
    ])
}

fn program(server: &ChatServer) -> Program {
    let mut config = format!("[providers.openai]\nbase_url = \"{}\"\n", server.base_url());
    for name in ["debater", "moderator", "alone"] {
        config += &format!(
            "[models.{name}]\nprovider = \"openai\"\nname = \"{name}\"\n\
             price_in_usd_per_mtok = 0.0\nprice_out_usd_per_mtok = {:?}\n",
            1e6 * PRICE_USD
        );
    }
    let program = Program::configured(&config);
    program.write("set.jsonl", SET);
    program
}

#[test]
fn the_cost_of_a_debate_is_told_as_a_multiple_of_the_single_answers() {
    let server = ChatServer::start(charged);
    let program = program(&server);
    let ran = program
        .run(&[&PLAY[..], &["--json"]].concat())
        .ended_with(0);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    let asked = |name: &str| {
        let requests = server.requests();
        requests.iter().filter(|seen| model(seen) == name).count()
    };
    // Two questions, each framed, proposed, criticised, rebutted and moderated; or answered.
    assert_eq!(
        (asked("debater"), asked("moderator"), asked("alone")),
        (8, 2, 2)
    );
    let report = &told["comparison"];
    assert_eq!(report["sections"][0]["simulated"], false);
    let close = |value: &Value, expected: f64| {
        let value = value.as_f64().unwrap();
        assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
    };
    // (4 × 60 + 40) / 40 tokens that cost the same, and at least 5 × 455 tokens read
    // instead of 455: what the moderator reads is longer than that.
    let figure = |measure, category| compared_figure(report, measure, category);
    let last = report["sections"][0]["figures"].as_array().unwrap().last();
    let category = last.unwrap()["keys"][0]["value"].as_str();
    assert!(category.is_some(), "{report}");
    for part in [None, category] {
        close(&figure("cost_per_debate", part)["value"], 7.0);
        let tokens = figure("tokens_per_debate", part)["value"].as_f64().unwrap();
        assert!((2555.0 / 495.0..6.0).contains(&tokens), "{tokens}");
        assert!(figure("wall_per_debate", part)["value"].as_f64().unwrap() > 0.0);
    }
    // The moderator found for the expert, the single answer against.
    let right = &figure("outcome_right", None)["compared"];
    assert_eq!((&right["of"], &right["from"]), (&json!(1.0), &json!(0.0)));
    let ids = ["debates", "singles"].map(|arm| told[arm]["run"].as_str().unwrap());
    let shown = program
        .run(&["golden", "show", ids[0], ids[1]])
        .ended_with(0);
    assert!(shown.out.contains("7.00 x"), "{}", shown.out);
    assert!(!shown.out.contains("SIMULATED"), "{}", shown.out);
}

#[test]
fn the_ceiling_holds_for_both_runs_together_and_what_is_paused_is_compared_later() {
    let server = ChatServer::start(charged);
    let program = program(&server);
    // Two answers cost 0.08; each call of a debate may cost 0.1, so the first five do not all fit.
    let budget = ["--concurrency", "1", "--budget-usd", "0.3"];
    let paused = program.run(&[&PLAY[..], &budget].concat()).ended_with(4);
    let spent: u64 = server.requests().iter().map(|seen| said(seen).1).sum();
    assert!(PRICE_USD * spent as f64 <= 0.3, "{spent} tokens");
    assert!(paused.err.contains("no comparison yet"), "{}", paused.err);
    let again = paused.err.lines().last().unwrap();
    let command = again.strip_prefix("then compare them: elenchus ").unwrap();
    let command: Vec<&str> = command.split(' ').collect();
    let early = program.run(&command).ended_with(1);
    assert!(
        early.err.contains("no debate that was played"),
        "{}",
        early.err
    );
    let debates = command[2];
    assert!(
        early.err.contains(&format!("--resume {debates}")),
        "{}",
        early.err
    );

    let more = ["run", "--resume", debates, "--budget-usd", "5"];
    program.run(&more).ended_with(0);
    let shown = program.run(&command).ended_with(0);
    assert!(shown.out.contains("2 of 2 debates"), "{}", shown.out);
    assert!(shown.out.contains("7.00 x"), "{}", shown.out);
}

#[test]
fn stopped_among_the_debates_it_compares_what_is_done_and_goes_on_later() {
    // Once a debate was moderated, the next one is not answered until it was stopped.
    let (moderated, stalls) = (AtomicBool::new(false), Arc::new(AtomicBool::new(true)));
    let held = Arc::clone(&stalls);
    let server = ChatServer::start(move |seen| {
        if model(seen) == "moderator" {
            moderated.store(true, Ordering::SeqCst);
        } else if moderated.load(Ordering::SeqCst) && held.load(Ordering::SeqCst) {
            return Answer::stall();
        }
        charged(seen)
    });
    let program = program(&server);
    let going = program.start(&[&PLAY[..], &["--concurrency", "1", "--json"]].concat());
    server.wait_until("the second debate waits", |log| {
        log.requests.len() == 8 && log.in_flight == 1
    });
    going.interrupt();
    let stopped = going.finish().ended_with(4);
    let told: Value = serde_json::from_str(&stopped.out).unwrap();
    assert_eq!(
        (&told["debates"]["done"], &told["debates"]["of"]),
        (&json!(1), &json!(2))
    );
    let right = |told: &Value| compared_figure(&told["comparison"], "outcome_right", None).clone();
    assert_eq!(right(&told)["topics"], 1);
    assert_eq!(right(&told)["left_out"]["unpaired"], 1);

    stalls.store(false, Ordering::SeqCst);
    let ids = ["debates", "singles"].map(|arm| told[arm]["run"].as_str().unwrap());
    program.run(&["run", "--resume", ids[0]]).ended_with(0);
    let shown = program
        .run(&["golden", "show", ids[0], ids[1], "--json"])
        .ended_with(0);
    let told: Value = serde_json::from_str(&shown.out).unwrap();
    assert_eq!(right(&told)["topics"], 2);
    assert_eq!(right(&told)["left_out"], Value::Null);
}

#[test]
fn calls_are_counted_over_both_runs_and_the_configured_ceiling_holds() {
    let server = ChatServer::start(charged);
    let program = program(&server);
    let calls = ["--concurrency", "1", "--budget-calls", "5"];
    let paused = program.run(&[&PLAY[..], &calls].concat()).ended_with(4);
    assert_eq!(server.requests().len(), 5);
    let id = journals(&program.store().join("experiments/golden")).remove(0);
    let id = id.file_stem().unwrap().to_str().unwrap().to_owned();
    let again = format!("go on with: elenchus golden --resume {id} --budget-calls MORE");
    assert!(paused.err.contains(&again), "{}", paused.err);
    let more = ["golden", "resume", &id, "--budget-calls", "20"];
    program.run(&more).ended_with(0);
    assert_eq!(server.requests().len(), 12, "nothing is asked twice");

    let config = program.work().join(".elenchus/config.toml");
    let config = std::fs::read_to_string(config).unwrap();
    let limited = format!("[defaults]\nbudget_usd = 0.05\n{config}");
    program.write(".elenchus/config.toml", &limited);
    let paused = program.run(&PLAY).ended_with(4);
    assert!(
        paused.err.contains("the ceiling is reached"),
        "{}",
        paused.err
    );
    let spent: u64 = server.requests()[12..]
        .iter()
        .map(|seen| said(seen).1)
        .sum();
    assert!(PRICE_USD * spent as f64 <= 0.05, "{spent} tokens");
}
