//! Debates of several positions, and the single answer they are compared with.

use elenchus_test_support::peers::{of_kind, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::{Value, json};

const OPTIONS: [&str; 3] = ["Buy the press", "Rent the press", "Wait a year"];

/// What a request wants, told by its schema.
fn wanted(seen: &ChatRequest) -> &'static str {
    let schema = &seen.body["response_format"]["json_schema"]["schema"];
    let required = schema["required"].to_string();
    [
        ("positions", "frame"),
        ("supporting_arguments", "case"),
        ("challengeStrength", "challenge"),
        ("ranking", "ranking"),
        ("confidence", "single"),
    ]
    .into_iter()
    .find(|(field, _)| required.contains(field))
    .map_or_else(|| panic!("{required}"), |(_, stage)| stage)
}

/// The number of the advocate who is asked.
fn advocate(seen: &ChatRequest) -> usize {
    let text = seen.text();
    let after = text.split_once("You are Advocate ").unwrap().1;
    after.split_once(',').unwrap().0.parse().unwrap()
}

fn canned(seen: &ChatRequest) -> Value {
    match wanted(seen) {
        "frame" => json!({ "positions": [
            { "number": 1, "position": OPTIONS[0] },
            { "number": 2, "position": OPTIONS[1] },
            { "number": 3, "position": OPTIONS[2] },
        ] }),
        "case" => json!({
            "answer": OPTIONS[advocate(seen) - 1],
            "thesis": format!("Case {}.", advocate(seen)),
            "supporting_arguments": [{ "number": 1, "point": "It is cheapest.", "evidence": [] }],
        }),
        "challenge" => json!({
            "thesis": format!("Attack {}.", advocate(seen)),
            "counter_arguments": [{ "number": 1, "against": 2, "point": "Rents rise." }],
            "rebuttals": [],
            "concessions": [],
            "challengeStrength": 7,
        }),
        "ranking" => json!({
            "ranking": [
                { "position": OPTIONS[2], "advocate": 3, "score": 8, "why": "Best supported" },
                { "position": OPTIONS[0], "advocate": 1, "score": 6, "why": "Costs are open" },
                { "position": OPTIONS[1], "advocate": 2, "score": 3, "why": "Refuted" },
            ],
            "unresolvedPoints": [],
            "recommendAnotherRound": false,
            "synthesis": "Waiting costs least.",
            "answer": OPTIONS[2],
            "confidenceLevel": "Low",
            "explicitUncertainties": ["Next year's price"],
        }),
        "single" => json!({ "answer": "Wait a year", "reasoning": "…", "confidence": 0.6 }),
        other => panic!("{other}"),
    }
}

fn table() -> (ChatServer, Program) {
    let server = ChatServer::start(|seen| Answer::chat(&canned(seen).to_string()));
    let config = format!(
        "[providers.openai]\nbase_url = \"{}\"\n[models.m]\nprovider = \"openai\"\nname = \"m\"\n\
         price_in_usd_per_mtok = 0.0\nprice_out_usd_per_mtok = 0.0\n",
        server.base_url()
    );
    let program = Program::configured(&config);
    (server, program)
}

const TOPIC: [&str; 4] = ["--topic", "What about the press?", "--model", "m"];

fn asked(server: &ChatServer, stage: &str) -> Vec<String> {
    let requests = server.requests();
    let of_stage = requests.iter().filter(|seen| wanted(seen) == stage);
    of_stage.map(ChatRequest::text).collect()
}

#[test]
fn each_advocate_argues_for_the_position_that_was_framed_for_it_and_all_are_ranked() {
    let (server, program) = table();
    let game = [&["--protocol", "positions"][..], &TOPIC].concat();
    program.run(&run(&game, &[])).ended_with(0);
    for (stage, times) in [("frame", 1), ("case", 3), ("challenge", 3), ("ranking", 1)] {
        assert_eq!(asked(&server, stage).len(), times, "{stage}");
    }
    for text in asked(&server, "case") {
        assert!(text.contains("of the list that was framed"), "{text}");
        assert!(!text.contains("Case "), "nobody reads another case: {text}");
    }
    for text in asked(&server, "challenge") {
        for case in ["Case 1.", "Case 2.", "Case 3."] {
            assert!(text.contains(case), "{case}: {text}");
        }
        assert!(!text.contains("Attack "), "{text}");
    }
    let shown = program.run(&["show", "last"]).ended_with(0).out;
    for words in [
        "LOW",
        "Waiting costs least.",
        "Next year's price",
        "Refuted",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn the_topics_options_can_be_the_positions() {
    let (server, program) = table();
    let game = [&["--protocol", "positions"][..], &TOPIC].concat();
    let from_topic = ["--set", "positions_from=topic"];
    let refused = program.run(&run(&game, &from_topic)).ended_with(1);
    assert!(refused.err.contains("option"), "{}", refused.err);

    let options: Vec<&str> = OPTIONS.iter().flat_map(|one| ["--option", one]).collect();
    program
        .run(&run(&game, &[&from_topic[..], &options].concat()))
        .ended_with(0);
    assert!(asked(&server, "frame").is_empty());
    for text in asked(&server, "case") {
        let named = OPTIONS.iter().filter(|one| text.contains(**one)).count();
        assert_eq!(named, 1, "{text}");
    }
    let ranking = &asked(&server, "ranking")[0];
    assert!(ranking.contains("The positions:"), "{ranking}");
}

#[test]
fn a_single_answer_and_a_debate_are_graded_on_what_they_conclude() {
    let (_server, program) = table();
    for protocol in ["single", "positions"] {
        let game = [&["--protocol", protocol][..], &TOPIC].concat();
        program
            .run(&run(&game, &["--reference", "wait a year"]))
            .ended_with(0);
        let events = program.events("last");
        let truth = of_kind(&events, "judged")
            .into_iter()
            .find(|event| event["judging"] == "truth")
            .unwrap();
        assert_eq!(truth["outcome"]["label"]["label"], "correct", "{protocol}");
    }
}
