//! A comparison that ends as soon as it is settled.

use elenchus_test_support::ChatServer;
use elenchus_test_support::program::Program;
use elenchus_test_support::socratic::{SOCRATIC, json, model, shorter};
use serde_json::Value;

const TOPICS: usize = 20;

/// Debates on many topics, recorded.
fn program() -> (Program, ChatServer) {
    let server = ChatServer::start(elenchus_test_support::socratic::answer);
    let program = Program::facing(&server);
    shorter(&program);
    let rows: String = (0..TOPICS)
        .map(|n| format!("t{n:02},How is thing {n:02} made?\n"))
        .collect();
    program.write("topics.csv", &format!("id,text\n{rows}"));
    let run = [&SOCRATIC[..], &["--dataset", "own:topics.csv"]].concat();
    program.run(&run).ended_with(0);
    (program, server)
}

fn compared(program: &Program, b: &str, more: &[&str]) -> Value {
    let args = [
        "prompts",
        "ab",
        "--seat",
        "socratic",
        "--a",
        "built-in",
        "--b",
        b,
        "--round",
        "1",
        "--roll-forward",
        "next",
        "--until-settled",
        "--concurrency",
        "1",
        "--json",
    ];
    json(&program.run(&[&args[..], more].concat()).ended_with(0).out)
}

#[test]
fn it_asks_no_more_topics_than_leave_no_difference_out_and_says_so() {
    let (program, server) = program();
    let before = server.requests().len();
    let shown = compared(&program, "mine.md", &["--seed", "5"]);
    // Every topic goes wrong with the one prompt alone: by the paper's formula sixteen are enough.
    assert_eq!(shown["sequence"]["settled_after"], 16);
    assert_eq!(shown["samples"].as_array().unwrap().len(), 2 * 16);
    assert_eq!(
        (&shown["reads"], &shown["missing"]),
        (&"sequence".into(), &0.into())
    );
    assert!(shown["sequence"]["points"][15]["low"].as_f64().unwrap() > 0.0);
    assert_eq!(server.requests().len() - before, 2 * 16 * 5);
    let id = shown["id"].as_str().unwrap();
    let table = program
        .run(&["prompts", "ab", "--show", id])
        .ended_with(0)
        .out;
    assert!(table.contains("settled after 16 topics"), "{table}");
    assert!(table.contains("are left out: they hold"), "{table}");
    // Running on with what is settled asks nothing.
    program
        .run(&["prompts", "ab", "--resume", id])
        .ended_with(0);
    assert_eq!(server.requests().len() - before, 2 * 16 * 5);
    // The order of topics is the seed's.
    let order = |shown: &Value| shown["contexts"].clone();
    let again = compared(&program, "mine.md", &["--seed", "6"]);
    assert_ne!(order(&again), order(&shown));
}

#[test]
fn equal_prompts_never_settle_and_every_planned_topic_is_played() {
    let (program, server) = program();
    let before = server.requests().len();
    let shown = compared(&program, "recorded", &[]);
    assert_eq!(shown["sequence"]["settled_after"], Value::Null);
    assert_eq!(shown["sequence"]["more_topics"], Value::Null);
    assert_eq!(shown["samples"].as_array().unwrap().len(), 2 * TOPICS);
    // The second prompt asks what the first one asked, so its replies are there already.
    let asked = server.requests().split_off(before);
    assert_eq!(
        asked.iter().filter(|seen| model(seen) == "soc").count(),
        TOPICS
    );
    let refused = program.run(&[
        "prompts",
        "ab",
        "--seat",
        "socratic",
        "--a",
        "built-in",
        "--b",
        "mine.md",
        "--until-settled",
        "0.9",
    ]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.err.contains("no chance of settling wrongly"),
        "{refused:?}"
    );
}
