//! Round records of a game with four roles, validated against their schema by another
//! implementation.

use boon::{Compiler, SchemaIndex, Schemas};
use elenchus_test_support::answer::{Step, event, usage};
use elenchus_test_support::peers::{model, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

const PROTOCOL: &str = r#"id = "bench"
name = "Bench"
description = "Case, objection, answer, ruling"
source = "a test"
measures = "quality"
rounds = 2
style = "single"

[[seats]]
id = "proposer"
kind = "speaker"

[[seats]]
id = "critic"
kind = "speaker"

[[seats]]
id = "rebuttal"
kind = "speaker"

[[seats]]
id = "moderator"
kind = "judge"

[[stages]]
id = "case"
seats = ["proposer"]
rounds = "first"
template = "say"
output = { type = "object", required = ["thesis"] }
max_tokens = 100
sees = { topic = true, documents = "all" }

[[stages]]
id = "objection"
seats = ["critic"]
template = "say"
output = { type = "object", required = ["thesis"] }
max_tokens = 100
retry = [{ field = "challengeStrength", below = 6.0, at_most = 1, template = "more" }]
sees = { topic = true, documents = "all", turns = [{ seats = ["proposer"] }] }

[[stages]]
id = "answer"
seats = ["rebuttal"]
template = "say"
output = { type = "object", required = ["thesis"] }
max_tokens = 100
sees = { topic = true, turns = [{ seats = ["proposer", "critic"] }] }

[[judging]]
id = "quotes"
detector = "citations"
of = "turn"
turns = [{ seats = ["proposer", "critic"] }]
sees = { documents = "all" }

[[judging]]
id = "ruling"
by = "moderator"
of = "round"
rubric = "ruling"
max_tokens = 100
sees = { topic = true, turns = [{ seats = ["proposer", "critic", "rebuttal"], rounds = "this" }] }

[[gauges]]
id = "strength"
name = "Strength"
stage = "objection"
field = "challengeStrength"
take = "number"
flag_below = 8.0
flag = "weak challenge"

[record]
proposer = "case"
critic = "objection"
rebuttal = "answer"
moderator = "ruling"
citations = "quotes"
"#;

const SAY: &str = "=== user
{{ topic }}
{% for document in documents %}
{{ document.text }}
{% endfor %}
{% for turn in turns %}
{{ turn.text }}
{% endfor %}
";

const MORE: &str = "=== user
Again, harder: {{ retry.value }} is too low.
";

const RULING: &str = r#"id = "ruling"
description = "How sure"
reading = "json"
label_field = "confidenceLevel"

[schema]
type = "object"
required = ["confidenceLevel"]

[[labels]]
name = "HIGH"
meaning = "sure"
says = "HIGH"
value = 1.0

[[labels]]
name = "LOW"
meaning = "not sure"
says = "LOW"
value = -1.0
"#;

/// A program with the game, and prices for its models so that estimates are in money.
fn program(server: &ChatServer) -> Program {
    let models: String = ["pia", "carl", "rhea", "mo"]
        .iter()
        .map(|name| {
            format!(
                "[models.{name}]\nprovider = \"here\"\nname = \"{name}\"\n\
                 price_in_usd_per_mtok = 1.0\nprice_out_usd_per_mtok = 2.0\n"
            )
        })
        .collect();
    let url = server.base_url();
    let program = Program::configured(&format!("[providers.here]\nbase_url = \"{url}\"\n{models}"));
    let home = ".elenchus/prompts/bench";
    for (name, text) in [
        ("protocol.toml", PROTOCOL),
        ("say.md", SAY),
        ("more.md", MORE),
        ("rubrics/ruling.toml", RULING),
        ("rubrics/ruling.md", SAY),
    ] {
        program.write(&format!("{home}/{name}"), text);
    }
    program.write("lease.txt", "The tenant pays for every repair of the roof.");
    program
}

const CAST: [&str; 14] = [
    "--protocol",
    "bench",
    "--seat",
    "proposer=pia",
    "--seat",
    "critic=carl",
    "--seat",
    "rebuttal=rhea",
    "--seat",
    "moderator=mo",
    "--document",
    "lease.txt",
    "--topic",
    "Shall we sign?",
];

/// The critic is weak at first in round 1 and makes a quotation up; the moderator of round 2 says
/// nothing that can be read, however often it is asked.
fn reply(seen: &ChatRequest) -> Value {
    let evidence = |quote: &str| json!([{ "document": "lease.txt", "quote": quote }]);
    let again = seen.text().contains("Again, harder");
    // The case is made in round 1 alone, and a ruling sees the turns of its own round: rulings may
    // be asked for in any order.
    let second = !seen.text().contains("supporting_arguments");
    match model(seen) {
        "pia" => json!({
            "thesis": "Sign.",
            "supporting_arguments": [
                { "number": 1, "point": "cheap", "evidence": evidence("The tenant pays for every repair") },
                { "number": 2, "point": "safe", "evidence": [{ "document": "lease.txt" }] },
                { "number": 3, "point": "known", "evidence": [{ "document": "", "quote": "" }] },
                { "number": 4, "point": "short", "evidence": evidence("the roof") },
            ],
        }),
        "carl" => json!({
            "thesis": if again { "Never sign." } else { "Hm." },
            "counter_arguments": [
                { "number": 1, "point": "dear", "evidence": evidence("the landlord may evict at will") },
            ],
            "challengeStrength": if again { 7 } else { 4 },
        }),
        "rhea" => {
            json!({ "thesis": "Still.", "rebuttals": [{ "number": 1, "answer": "no" }], "concessions": [] })
        }
        _ if second => Value::Null,
        _ => json!({
            "argumentQualityScore": { "proposer": 8, "critic": 7, "rebuttal": 6 },
            "resolvedPoints": ["the price"],
            "unresolvedPoints": [],
            "recommendAnotherRound": true,
            "synthesis": "Sign with care.",
            "confidenceLevel": "LOW",
            "explicitUncertainties": ["the roof"],
        }),
    }
}

/// Plays the game.
fn played() -> (Program, ChatServer) {
    let server = ChatServer::start(|seen| match reply(seen) {
        Value::Null => Answer::counted("I would rather not say.", 150, 60),
        said => Answer::counted(&said.to_string(), 150, 60),
    });
    let program = program(&server);
    program.run(&run(&CAST, &[])).ended_with(0);
    (program, server)
}

fn exported(program: &Program, more: &[&str]) -> Vec<Value> {
    let args = [&["export", "last", "--record", "-o", "-"], more].concat();
    let told = program.run(&args).ended_with(0);
    let lines = told.out.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn schema(program: &Program) -> (Schemas, SchemaIndex) {
    let text = program
        .run(&["export", "--record-schema"])
        .ended_with(0)
        .out;
    let mut schemas = Schemas::new();
    let mut compiler = Compiler::new();
    let name = "record.schema.json";
    compiler
        .add_resource(name, serde_json::from_str(&text).unwrap())
        .unwrap();
    let index = compiler.compile(name, &mut schemas).unwrap();
    (schemas, index)
}

#[test]
fn a_reply_that_was_stopped_is_flagged_and_paid_for() {
    let asked = AtomicUsize::new(0);
    let server = ChatServer::start(move |seen| match (model(seen), reply(seen)) {
        ("rhea", _) if asked.fetch_add(1, Ordering::SeqCst) == 0 => {
            Answer::sse_open([event(&json!({"content": "Half of"})), usage(150, 2)]).then(Step::Cut)
        }
        (_, Value::Null) => Answer::counted("I would rather not say.", 150, 60),
        (_, said) => Answer::counted(&said.to_string(), 150, 60),
    });
    let program = program(&server);
    program.run(&run(&CAST, &[])).ended_with(0);
    let lines = exported(&program, &["--flags"]);
    let (schemas, index) = schema(&program);
    for line in &lines {
        assert!(schemas.validate(line, index).is_ok(), "{line:#}");
    }
    let flags = lines[2]["flags"].to_string();
    // Which round's rebuttal is asked first is open.
    let round = (0..2).find(|round| {
        let turn = format!("r{}.answer.rebuttal-0#0", round + 1);
        let flag = "the connection was lost (150 tokens in, 2 out";
        flags.contains(&format!("stopped: speak {turn}: {flag}"))
    });
    let record = &lines[round.expect(&flags)];
    assert_eq!(record["tokenCost"]["rebuttal"], 210 + 152);
    assert_eq!(record["rebuttalPosition"]["thesis"], "Still.");
}

#[test]
fn a_debates_records_have_the_shape_of_the_source_and_satisfy_their_schema() {
    let (program, _server) = played();
    let lines = exported(&program, &["--flags"]);
    let (schemas, index) = schema(&program);
    for line in &lines {
        let verdict = schemas.validate(line, index);
        assert!(verdict.is_ok(), "{line:#}\n{}", verdict.unwrap_err());
    }
    let [first, second, debate] = lines.as_slice() else {
        panic!("two rounds and the debate: {lines:#?}");
    };
    let keys: Vec<&str> = first
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let mut wanted = [
        "debateId",
        "roundNumber",
        "question",
        "proposerPosition",
        "criticPosition",
        "rebuttalPosition",
        "moderatorEvaluation",
        "tokenCost",
    ];
    wanted.sort_unstable();
    let mut found = keys.clone();
    found.sort_unstable();
    assert_eq!(found, wanted);
    assert_eq!(first["question"], "Shall we sign?");
    assert_eq!(first["debateId"], second["debateId"]);

    let critic = &first["criticPosition"];
    assert_eq!(critic["thesis"], "Never sign.", "the reply that counts");
    assert_eq!(critic["challengeStrength"], 7.0);
    let cited = |position: &Value| position["evidence_cited"][0]["status"].clone();
    assert_eq!(cited(&first["proposerPosition"]), "verified");
    assert_eq!(cited(critic), "fabricated");
    // The server counts 150 tokens in and 60 out for every call; the weak critique is paid for too.
    assert_eq!(
        first["tokenCost"],
        json!({ "proposer": 210, "critic": 420, "rebuttal": 210, "moderator": 210 })
    );
    assert_eq!(first["moderatorEvaluation"]["confidenceLevel"], "LOW");
    assert_eq!(
        first["moderatorEvaluation"]["argumentQualityScore"]["critic"],
        7.0
    );

    assert_eq!(
        second["proposerPosition"], first["proposerPosition"],
        "of the round before"
    );
    assert_eq!(second["tokenCost"]["proposer"], 0);
    assert!(
        second["moderatorEvaluation"].is_null(),
        "it could not be read"
    );
    assert_eq!(second["tokenCost"]["moderator"], 210, "but was paid for");

    assert_eq!(debate["outcome"], "COMPLETE");
    let flags = debate["flags"].to_string();
    for words in [
        "fabricated citation: r1.objection.critic-0#1",
        "unquoted evidence: r1.case.proposer-0#0: (lease.txt) is named without words of it",
        "unquoted evidence: r1.case.proposer-0#0: evidence is claimed and none is there",
        r#"unquoted evidence: r1.case.proposer-0#0: \"the roof\" (lease.txt) is too short"#,
        "weak challenge: r1.objection.critic-0#1: 7 is below 8",
        "unparsed: ruling r2",
    ] {
        assert!(flags.contains(words), "{words}\n{flags}");
    }
    let hashes = debate["promptHashes"].as_object().unwrap();
    for name in [
        "say.md",
        "more.md",
        "rubrics/ruling.md",
        "rubrics/ruling.toml",
    ] {
        assert!(hashes.contains_key(name), "{name}: {hashes:?}");
    }
    assert_eq!(debate["models"]["critic-0"], "here/carl");
}

#[test]
fn the_built_in_moderated_debate_has_records_that_satisfy_the_schema() {
    let program = Program::new();
    program.write("lease.txt", "The tenant pays for every repair of the roof.");
    for (later_rounds, moderated) in [("full", true), ("critique", false)] {
        let setting = format!("later_rounds={later_rounds}");
        let game = [
            "--protocol",
            "moderated",
            "--rounds",
            "2",
            "--set",
            &setting,
        ];
        let topic = ["--document", "lease.txt", "--topic", "Shall we sign?"];
        program.run(&run(&game, &topic)).ended_with(0);
        let lines = exported(&program, &["--flags"]);
        let (schemas, index) = schema(&program);
        for line in &lines {
            let verdict = schemas.validate(line, index);
            assert!(verdict.is_ok(), "{line:#}\n{}", verdict.unwrap_err());
        }
        let first = &lines[0];
        assert_eq!(
            first["moderatorEvaluation"].is_object(),
            moderated,
            "{first:#}"
        );
        assert!(
            first["criticPosition"]["counter_arguments"].is_array(),
            "{first:#}"
        );
        assert!(
            first["tokenCost"]["rebuttal"].as_u64().unwrap() > 0,
            "{first:#}"
        );
    }
}

/// Spoils a record in one way.
type Break = fn(&mut Value);

#[test]
fn a_record_that_was_tampered_with_is_refused_by_the_schema() {
    let (program, _server) = played();
    let record = exported(&program, &[]).remove(0);
    let (schemas, index) = schema(&program);
    assert!(schemas.validate(&record, index).is_ok());
    let broken: [(&str, Break); 8] = [
        ("a key is missing", |record| {
            record.as_object_mut().unwrap().remove("tokenCost");
        }),
        ("an inner key is missing", |record| {
            let critic = record["criticPosition"].as_object_mut().unwrap();
            critic.remove("challengeStrength");
        }),
        ("a key too many", |record| record["more"] = json!(1)),
        ("an unknown confidence", |record| {
            record["moderatorEvaluation"]["confidenceLevel"] = json!("CERTAIN");
        }),
        ("a version 1 UUID", |record| {
            record["debateId"] = json!("5d3b0c1e-5a1f-11ee-8c99-0242ac120002");
        }),
        ("round 0", |record| record["roundNumber"] = json!(0)),
        ("no question", |record| record["question"] = Value::Null),
        ("a negative cost", |record| {
            record["tokenCost"]["critic"] = json!(-1)
        }),
    ];
    for (what, break_it) in broken {
        let mut bad = record.clone();
        break_it(&mut bad);
        assert!(schemas.validate(&bad, index).is_err(), "{what}");
    }
}

#[test]
fn records_go_to_a_new_file_and_are_the_same_each_time() {
    let (program, _server) = played();
    program
        .run(&["export", "--record", "-o", "audit.jsonl"])
        .ended_with(0);
    let first = std::fs::read_to_string(program.work().join("audit.jsonl")).unwrap();
    assert_eq!(first.lines().count(), 2);
    let again = program
        .run(&["export", "--record", "-o", "audit.jsonl"])
        .ended_with(1);
    assert!(again.err.contains("choose another name"), "{}", again.err);
    assert_eq!(
        program
            .run(&["export", "--record", "-o", "-"])
            .ended_with(0)
            .out,
        first
    );
}

#[test]
fn a_game_without_the_four_roles_is_refused_with_the_reason() {
    let program = Program::new();
    program
        .run(&["run", "--protocol", "pcd-2", "--topic", "Tea?"])
        .ended_with(0);
    let named = program
        .run(&["export", "last", "--record", "-o", "-"])
        .ended_with(1);
    assert!(
        named.err.contains("'pcd-2' does not say which"),
        "{}",
        named.err
    );
    let all = program
        .run(&["export", "--record", "-o", "-"])
        .ended_with(1);
    assert!(
        all.err.contains("no session has round records"),
        "{}",
        all.err
    );
}

#[test]
fn what_was_estimated_is_told_kept_and_compared_with_what_was_used() {
    let (program, server) = played();
    let events = program.events("last");
    let estimate = &events[0]["estimate"];
    // Two rounds: case, objection and answer twice, ruling twice; two critiques more at most.
    assert_eq!(estimate["likely"]["calls"], 7);
    assert_eq!(estimate["at_most"]["calls"], 9);
    assert_eq!(estimate["likely"]["output_tokens"], 7 * 50);
    assert_eq!(estimate["at_most"]["output_tokens"], 9 * 100);
    let usd = |which: &str| {
        let used = &estimate[which];
        let tokens = |name: &str| used[name].as_f64().unwrap();
        let wanted = (tokens("input_tokens") + 2.0 * tokens("output_tokens")) / 1e6;
        assert!(
            (used["cost_usd"].as_f64().unwrap() - wanted).abs() < 1e-12,
            "{used}"
        );
        wanted
    };
    assert!(usd("likely") < usd("at_most"));
    let bytes: usize = server
        .requests()
        .iter()
        .flat_map(|seen| seen.body["messages"].as_array().unwrap().clone())
        .map(|said| said["content"].as_str().unwrap().len())
        .sum();
    assert!(estimate["at_most"]["input_tokens"].as_u64().unwrap() > bytes as u64 / 4);
    let shown = program.run(&["show", "last"]).ended_with(0).out;
    assert!(shown.contains("7 to 9 calls"), "{shown}");
    assert!(shown.contains("times what was likely"), "{shown}");
    let told = program.run(&run(&CAST, &[])).ended_with(0);
    assert!(told.err.starts_with("estimate: $"), "{}", told.err);
    let quiet = program.run(&run(&CAST, &["--quiet"])).ended_with(0);
    assert!(!quiet.err.contains("estimate"), "{}", quiet.err);
    let figures = program.figures();
    let expected = figures.value("cost") / (program.sessions().len() as f64 * usd("likely"));
    assert!((figures.value("cost_over_estimate") - expected).abs() < 1e-9);
}
