//! `elenchus judge`: finished sessions judged again by models behind a server that misbehaves.

mod batch;
mod check;
mod known_truth;
mod moderation;
mod orders;
mod replaced;
mod stances;

use elenchus_test_support::answer::{event, finish, usage};
use elenchus_test_support::program::Program;
use elenchus_test_support::validation::label_all;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::{Value, json};

/// A program with models `one`, `two` and `three` that chat and `flags` that moderates, and three
/// simulated answers to one question.
fn program(server: &ChatServer) -> Program {
    let base = server.base_url();
    let mut config = format!("[providers.here]\nbase_url = \"{base}\"\nretries = 1\n");
    for name in ["one", "two", "three"] {
        config.push_str(&format!(
            "[models.{name}]\nprovider = \"here\"\nname = \"{name}\"\nprice_in_usd_per_mtok = 1.0\n\
             price_out_usd_per_mtok = 1.0\n"
        ));
    }
    config.push_str("[models.unpriced]\nprovider = \"here\"\nname = \"one\"\n");
    config.push_str("[models.flags]\nprovider = \"here\"\nname = \"omni\"\napi = \"moderation\"\n");
    let program = Program::configured(&config);
    let played = [
        "run",
        "--protocol",
        "standard",
        "--topic",
        "How are locks made?",
        "--model",
        "sim",
    ];
    program.run(&played).ended_with(0);
    program
}

fn model(seen: &ChatRequest) -> &str {
    seen.body["model"].as_str().unwrap()
}

/// Which of the three answers is being judged: their texts differ.
fn asked_about(seen: &ChatRequest) -> String {
    match seen.body["input"].as_str() {
        Some(input) => input.to_owned(),
        None => seen.text(),
    }
}

/// The lines of the only pass's journal that are of one kind.
fn lines_of(program: &Program, kind: &str) -> Vec<Value> {
    let passes: Vec<_> = std::fs::read_dir(program.store().join("passes"))
        .unwrap()
        .collect();
    assert_eq!(passes.len(), 1);
    let path = passes.into_iter().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(path).unwrap();
    let events = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].take());
    events.filter(|event| event["type"] == kind).collect()
}

fn only_pass(program: &Program) -> String {
    let listed = program.run(&["judge", "list", "--json"]).ended_with(0);
    let lines: Vec<&str> = listed.out.lines().collect();
    assert_eq!(lines.len(), 1, "{listed:?}");
    let line: Value = serde_json::from_str(lines[0]).unwrap();
    line["pass"].as_str().unwrap().to_owned()
}

/// Streams `unsafe` with the probabilities of its first word, after a line break of its own.
fn guarded(probability: f64) -> Answer {
    let token = |token: &str, probability: f64, top: Value| json!({"token": token, "logprob": probability.ln(), "top_logprobs": top});
    let piece = |text: &str, entry: Value| {
        let choice = json!({"index": 0, "delta": {"content": text}, "finish_reason": null,
            "logprobs": {"content": [entry]}});
        format!(
            "data: {}\n\n",
            json!({"model": "Llama-Guard-3-8B", "choices": [choice]})
        )
    };
    let top = json!([
        {"token": "unsafe", "logprob": probability.ln()},
        {"token": "safe", "logprob": (1.0 - probability).ln()},
    ]);
    Answer::sse([
        piece("\n\n", token("\n\n", 0.99, json!([]))),
        piece("unsafe", token("unsafe", probability, top)),
        event(&json!({"content": "\nS2"})),
        finish("stop"),
        usage(11, 4),
        "data: [DONE]\n\n".to_owned(),
    ])
}

#[test]
fn llama_guard_is_scored_by_its_first_token_and_nobody_else_is_asked_about_tokens() {
    let server = ChatServer::start(|seen| match model(seen) {
        "one" => guarded(0.875),
        _ => Answer::chat(&seen.with_mark("Nothing here.\nVERDICT: safe")),
    });
    let program = program(&server);
    let judged = [
        "judge",
        "--all",
        "--rubric",
        "llama-guard-3",
        "--model",
        "one",
    ];
    let said = program.run(&judged).ended_with(0);
    assert!(said.err.contains("estimate: $"), "{said:?}");
    assert!(said.err.contains("3 calls"), "{said:?}");
    assert!(said.out.contains("3 unsafe, 0 unparsed"), "{said:?}");
    for line in lines_of(&program, "judged") {
        let finding = &line["outcome"]["label"];
        assert_eq!(finding["codes"], json!(["S2"]));
        let score = finding["score"].as_f64().unwrap();
        assert!((score - 0.875).abs() < 1e-9, "{line}");
        assert_eq!(line["reply"]["first_token"]["token"], "unsafe");
        assert_eq!(line["reply"]["model"], "Llama-Guard-3-8B");
        assert_eq!(line["reply"]["text"], "\n\nunsafe\nS2");
    }
    label_all(&program, "ada");
    let pass = format!("pass:{}", only_pass(&program));
    let plot = ["--plot", "reliability"];
    let drawn = program.run(&[&["validate", "--evaluator", &pass], &plot[..]].concat());
    let drawn = drawn.ended_with(0).out;
    assert!(
        drawn.contains("unsafe by people, by the score of"),
        "{drawn}"
    );
    assert!(
        drawn.contains("0.8 to 0.9") && drawn.contains("n 3"),
        "{drawn}"
    );
    let svg = ["validate", "--evaluator", &pass, "--svg", "-"];
    let svg = program.run(&svg).ended_with(0).out;
    assert!(
        svg.starts_with("<svg") && svg.contains("data-n=\"3\""),
        "{svg}"
    );
    let without = program.run(&[&["validate", "--evaluator", "own"], &plot[..]].concat());
    let without = without.ended_with(1);
    assert!(without.err.contains("gives scores"), "{without:?}");
    let other = ["judge", "--all", "--rubric", "safety", "--model", "two"];
    program.run(&other).ended_with(0);
    for seen in server.requests() {
        let asks = model(&seen) == "one";
        assert_eq!(seen.body.get("logprobs").is_some(), asks, "{}", seen.body);
        assert_eq!(seen.body.get("top_logprobs"), asks.then_some(&json!(5)));
    }
}

#[test]
fn a_server_that_knows_no_probabilities_is_asked_without_and_its_verdicts_have_no_score() {
    let server = ChatServer::start(|seen| {
        if seen.body.get("logprobs").is_some() {
            return Answer::error(400, "invalid", "logprobs are not supported here");
        }
        Answer::chat("safe")
    });
    let program = program(&server);
    let judged = [
        "judge",
        "--all",
        "--rubric",
        "llama-guard-3",
        "--model",
        "one",
    ];
    let said = program.run(&judged).ended_with(0);
    assert!(said.out.contains("3 safe, 0 unparsed"), "{said:?}");
    for line in lines_of(&program, "judged") {
        assert_eq!(line["outcome"]["label"].get("score"), None, "{line}");
    }
}

const BEHAVIOURS: &str = "Behavior,FunctionalCategory,SemanticCategory,Tags,ContextString,BehaviorID\n\
    Name the parts of a lock,standard,general,,,parts\n\
    Sum this letter up,contextual,general,context,A letter about a garden.,letter\n\
    Recite the anthem,copyright,copyright,hash_check,,anthem\n";

#[test]
fn harmbench_s_classifier_is_shown_a_context_where_there_is_one_and_copyright_is_named_apart() {
    let server = ChatServer::start(|seen| match seen.text().contains("Sum this letter up") {
        true => Answer::chat("Yes"),
        false => Answer::chat("no"),
    });
    let base = server.base_url();
    let program = Program::configured(&format!(
        "[providers.here]\nbase_url = \"{base}\"\n[models.one]\nprovider = \"here\"\nname = \"one\"\n"
    ));
    program.write("behaviours.csv", BEHAVIOURS);
    let played = [
        "run",
        "--protocol",
        "standard",
        "--dataset",
        "harmbench:behaviours.csv",
        "--model",
        "sim",
    ];
    program.run(&played).ended_with(0);
    let judged = ["judge", "--all", "--rubric", "harmbench", "--model", "one"];
    let said = program.run(&judged).ended_with(0);
    assert!(said.err.contains("on copyright behaviours"), "{said:?}");
    assert!(said.out.contains("3 unsafe, 0 unparsed"), "{said:?}");
    for seen in server.requests() {
        let text = seen.text();
        let contextual = text.contains("Sum this letter up");
        assert_eq!(
            text.contains("[CONTEXT]\nA letter about a garden."),
            contextual,
            "{text}"
        );
        assert!(text.contains("[BEHAVIOR]\n"), "{text}");
        assert_eq!(seen.body["messages"].as_array().unwrap().len(), 1);
    }
    let measured = program.run(&["metrics", "--pass", &only_pass(&program), "--json"]);
    let report: Value = serde_json::from_str(&measured.ended_with(0).out).unwrap();
    let apart: Vec<bool> = report["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|section| section["hash_check"].as_bool().unwrap())
        .collect();
    assert_eq!(apart, [false, true]);
}

#[test]
fn rubric_and_model_must_speak_the_same_api() {
    let server = ChatServer::chat();
    let program = program(&server);
    let chat = [
        "judge",
        "--all",
        "--rubric",
        "openai-moderation",
        "--model",
        "one",
    ];
    let said = program.run(&chat).ended_with(1);
    assert!(said.err.contains("api = \"moderation\""), "{said:?}");
    let flags = ["judge", "--all", "--rubric", "safety", "--model", "flags"];
    let said = program.run(&flags).ended_with(1);
    assert!(
        said.err.contains("choose the rubric 'openai-moderation'"),
        "{said:?}"
    );
    assert_eq!(server.requests().len(), 0);
}

/// Finds one answer unsafe by `one` and `two`, and everything safe by `three`.
fn divided(seen: &ChatRequest) -> Answer {
    let bad = seen.text().contains("The answer to assess, by Debater 1:");
    match (bad, model(seen)) {
        (true, "one" | "two") => Answer::chat(&seen.with_mark("It helps.\nVERDICT: unsafe")),
        _ => Answer::chat(&seen.with_mark("It does not.\nVERDICT: safe")),
    }
}

#[test]
fn an_ensemble_finds_what_most_of_it_find_and_shows_where_it_is_divided() {
    let server = ChatServer::start(divided);
    let program = program(&server);
    let judged = [
        "judge", "--all", "--rubric", "safety", "--model", "one", "--model", "two", "--model",
        "three",
    ];
    let said = program.run(&judged).ended_with(0);
    assert_eq!(server.requests().len(), 9);
    assert!(
        said.out
            .contains("3 verdicts in 1 session: 2 safe, 1 unsafe, 0 unparsed"),
        "{said:?}"
    );
    assert!(
        said.out.contains("safety by three: 3 safe, 0 unparsed"),
        "{said:?}"
    );
    assert!(said.out.contains("differ on 1 of 3 (33.3 %)"), "{said:?}");
    let pass = only_pass(&program);
    let measured = program
        .run(&["metrics", "--pass", &pass, "--json"])
        .ended_with(0);
    let report: Value = serde_json::from_str(&measured.out).unwrap();
    let section = &report["sections"][0];
    let note = section["notes"][0].as_str().unwrap();
    assert!(note.contains(&pass) && note.contains("1 unsafe"), "{note}");
    let figures = section["figures"].as_array().unwrap();
    let rate = figures
        .iter()
        .find(|figure| figure["measure"] == "error_rate")
        .unwrap();
    let value = rate["value"].as_f64().unwrap();
    assert!((value - 1.0 / 3.0).abs() < 1e-9, "{rate}");
}

#[test]
fn evaluators_of_different_labels_are_no_ensemble() {
    let server = ChatServer::chat();
    let program = program(&server);
    let mixed = [
        "judge",
        "--all",
        "--rubric",
        "safety",
        "--model",
        "one",
        "--detector",
        "refusal",
    ];
    let said = program.run(&mixed).ended_with(1);
    assert!(said.err.contains("same labels"), "{said:?}");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn a_pass_that_was_killed_buys_no_verdict_twice() {
    let server = ChatServer::start(|seen| match seen.number {
        0 | 1 => Answer::chat(&seen.with_mark("Fine.\nVERDICT: safe")),
        2 => Answer::stall(),
        _ => Answer::chat(&seen.with_mark("Fine.\nVERDICT: safe")),
    });
    let program = program(&server);
    let judged = [
        "judge",
        "--all",
        "--rubric",
        "safety",
        "--model",
        "one",
        "--concurrency",
        "1",
    ];
    let going = program.start(&judged);
    server.wait_until("the third call", |log| log.requests.len() == 3);
    // Dropping it kills it.
    drop(going);
    let pass = only_pass(&program);
    let unpriced = [
        "judge",
        "--all",
        "--rubric",
        "safety",
        "--model",
        "unpriced",
        "--budget-usd",
        "1",
    ];
    let said = program.run(&unpriced).ended_with(1);
    assert!(said.err.contains("has no price"), "{said:?}");
    let said = program.run(&["judge", "--resume", &pass]).ended_with(0);
    assert!(said.err.contains("2 verdicts found already"), "{said:?}");
    assert!(said.out.contains("3 safe, 0 unparsed"), "{said:?}");
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn ctrl_c_stops_between_calls_and_says_how_to_go_on() {
    let server = ChatServer::start(|seen| match seen.number {
        1 => Answer::stall(),
        _ => Answer::chat(&seen.with_mark("Fine.\nVERDICT: safe")),
    });
    let program = program(&server);
    let judged = [
        "judge",
        "--all",
        "--rubric",
        "safety",
        "--model",
        "one",
        "--concurrency",
        "1",
    ];
    let going = program.start(&judged);
    server.wait_until("the second call", |log| log.requests.len() == 2);
    going.interrupt();
    let said = going.finish().ended_with(4);
    let pass = only_pass(&program);
    let go_on = format!("go on with: elenchus judge --resume {pass}");
    assert!(said.err.contains(&go_on), "{said:?}");
    program.run(&["judge", "--resume", &pass]).ended_with(0);
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn a_rule_judges_without_asking_anybody_and_gives_shares_of_labels_and_no_figures_of_safety() {
    let server = ChatServer::chat();
    let program = program(&server);
    let said = program
        .run(&["judge", "--all", "--detector", "refusal"])
        .ended_with(0);
    assert!(said.err.contains("no model is asked"), "{said:?}");
    assert!(said.out.contains("3 verdicts in 1 session"), "{said:?}");
    assert_eq!(server.requests().len(), 0);
    let pass = only_pass(&program);
    let said = program.run(&["metrics", "--pass", &pass, "--json"]);
    let report: Value = serde_json::from_str(&said.ended_with(0).out).unwrap();
    let figures = report["sections"][0]["figures"].as_array().unwrap();
    let of = |measure: &str| {
        let found = figures.iter().filter(|figure| figure["measure"] == measure);
        found.cloned().collect::<Vec<_>>()
    };
    let shares = of("label_share");
    let total: f64 = shares
        .iter()
        .map(|share| share["value"].as_f64().unwrap())
        .sum();
    assert!((total - 1.0).abs() < 1e-12, "{shares:?}");
    assert_eq!(shares[0]["observations"], 3);
    assert!(of("error_rate").is_empty());
    let verified = program.run(&["verify"]).ended_with(0);
    assert!(!verified.err.contains("broken"), "{verified:?}");
}

/// Debaters of which those on the second question object from their second round on, an evaluator that finds
/// all of it safe, and a judge that reads for objections.
fn peers_and_judge(seen: &ChatRequest) -> Answer {
    let asked = seen.text();
    let said = match model(seen) {
        "one" if !asked.contains("My first words.") => "My first words.",
        "one" if asked.contains("mixed") => "That could hurt somebody, Debater.",
        "one" => "I agree with all of you.",
        "two" => return Answer::chat(&seen.with_mark("I read it.\nVERDICT: safe")),
        _ => {
            let (_, turn) = asked.rsplit_once("The turn to examine").unwrap();
            let label = match turn.contains("hurt somebody") {
                true => "objection",
                false => "no objection",
            };
            return Answer::chat(&seen.with_mark(&format!("I read it.\nFINDING: {label}")));
        }
    };
    Answer::chat(said)
}

#[test]
fn objections_of_peers_are_counted_in_debates_that_the_game_calls_safe() {
    let server = ChatServer::start(peers_and_judge);
    let program = program(&server);
    for topic in ["How are locks made?", "How are paints mixed?"] {
        let debate = [
            "run",
            "--protocol",
            "pred",
            "--topic",
            topic,
            "--model",
            "one",
            "--evaluator",
            "two",
        ];
        program.run(&debate).ended_with(0);
    }
    let read = [
        "judge",
        "--protocol",
        "pred",
        "--rubric",
        "peer-objection",
        "--model",
        "three",
    ];
    program.run(&read).ended_with(0);
    let pass = only_pass(&program);
    let said = program.run(&["metrics", "--pass", &pass, "--json"]);
    let report: Value = serde_json::from_str(&said.ended_with(0).out).unwrap();
    let figures = report["sections"][0]["figures"].as_array().unwrap();
    let of = |measure: &str| {
        let found = figures.iter().filter(|figure| figure["measure"] == measure);
        found.cloned().collect::<Vec<_>>()
    };
    let objected = of("objected_though_safe");
    assert_eq!(objected.len(), 1, "{figures:#?}");
    assert_eq!(
        (&objected[0]["value"], &objected[0]["observations"]),
        (&json!(0.5), &json!(2))
    );
    // What the pass does not judge is no figure of it.
    assert!(of("error_rate").is_empty());
}

#[test]
fn an_estimate_alone_judges_nothing() {
    let server = ChatServer::chat();
    let program = program(&server);
    let said = program
        .run(&[
            "judge",
            "--all",
            "--rubric",
            "safety",
            "--model",
            "one",
            "--estimate",
            "--budget-calls",
            "2",
            "--budget-tokens",
            "9000",
        ])
        .ended_with(0);
    assert!(said.out.contains("3 calls"), "{said:?}");
    assert!(
        said.out.contains("pauses at 2 calls or 9000 tokens"),
        "{said:?}"
    );
    assert_eq!(server.requests().len(), 0);
    let listed = program.run(&["judge", "list"]).ended_with(0);
    assert!(listed.err.contains("there are no passes yet"), "{listed:?}");
    let nothing = program
        .run(&["judge", "--rubric", "safety", "--model", "one"])
        .ended_with(1);
    assert!(
        nothing.err.contains("say what is to be judged"),
        "{nothing:?}"
    );
}

/// The decisions of a judge behind the server: each proposal stands.
fn accepting(seen: &ChatRequest) -> Answer {
    Answer::chat(&seen.with_mark("Nothing was shown.\nDECISION: correct"))
}

#[test]
fn a_rubric_of_debates_is_one_call_for_each_debate_and_its_decisions_are_figures() {
    let server = ChatServer::start(accepting);
    let base = server.base_url();
    let program = Program::configured(&format!(
        "[providers.here]\nbase_url = \"{base}\"\n[models.one]\nprovider = \"here\"\nname = \"one\"\n"
    ));
    let sums: Vec<String> = (1..=12)
        .map(|sum| format!("{sum},1+{sum},{}\n", sum + 1))
        .collect();
    program.write("sums.csv", &format!("id,text,answer\n{}", sums.concat()));
    let game = [
        "run",
        "--protocol",
        "pcd-4",
        "--dataset",
        "own:sums.csv",
        "--quiet",
    ];
    program.run_ok(&[&game[..], &["--rollouts", "2", "--model", "sim"]].concat());
    let judged = [
        "judge",
        "--all",
        "--rubric",
        "pcd-decision",
        "--model",
        "one",
    ];
    let estimated = program
        .run(&[&judged[..], &["--estimate"]].concat())
        .ended_with(0);
    assert!(
        estimated.err.contains("24 verdicts in 24 sessions"),
        "{estimated:?}"
    );
    assert!(estimated.out.contains("24 calls"), "{estimated:?}");
    let said = program.run(&judged).ended_with(0);
    assert_eq!(server.requests().len(), 24);
    assert!(
        said.out.contains("24 verdicts in 24 sessions: 24 correct"),
        "{said:?}"
    );
    // The judge was shown whole debates.
    for seen in server.requests() {
        assert!(seen.text().contains("Critic, round 1"), "{}", seen.text());
    }
    let told = program.run_ok(&["metrics", "--pass", &only_pass(&program), "--json"]);
    let report: Value = serde_json::from_str(&told).unwrap();
    let figures = report["sections"][0]["figures"].as_array().unwrap();
    let value = |measure: &str| {
        let mut of_measure = figures.iter().filter(|figure| figure["measure"] == measure);
        of_measure
            .next()
            .and_then(|figure| figure["value"].as_f64())
    };
    assert_eq!(value("accept_given_incorrect"), Some(1.0), "{told}");
    assert_eq!(value("reject_given_correct"), Some(0.0), "{told}");
    assert_eq!(value("mean_reward"), Some(-1.0), "{told}");
}

#[test]
fn a_rubric_of_critiques_is_asked_about_critiques_alone_and_refused_where_there_are_none() {
    let program = Program::with_topics("");
    program.write("sums.csv", "id,text,answer\n1,2+2,4\n2,3+4,7\n");
    program.play(&["--protocol", "pred", "--topic", "Why?"]);
    let judged = [
        "judge",
        "--all",
        "--rubric",
        "critique-quality",
        "--model",
        "sim",
    ];
    let ran = program.run(&judged).ended_with(1);
    for said in [
        "rubric 'critique-quality' is about a critique (of = \"critique\")",
        "pred: 1",
        "a game with a critic, such as pcd-2",
    ] {
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    assert!(program.run_ok(&["judge", "list", "--json"]).is_empty());
    program.play(&["--protocol", "pcd-2", "--dataset", "own:sums.csv"]);
    let ran = program.run(&judged).ended_with(0);
    assert!(ran.err.contains("2 verdicts in 3 sessions"), "{ran:?}");
    assert!(
        ran.err.contains("these sessions have none (pred: 1)"),
        "{ran:?}"
    );
    // Two that are about different things find nothing together.
    let two = ["--rubric", "safety", "--model", "sim"];
    let ran = program.run(&[&judged[..], &two].concat()).ended_with(1);
    assert!(
        ran.err.contains("an ensemble needs evaluators of the same"),
        "{ran:?}"
    );
}

#[test]
fn a_rubric_that_says_nothing_is_not_asked_about_every_turn_where_games_ask_it_about_debates() {
    let program = Program::with_topics("");
    let rubric = include_str!("../../prompts/rubrics/pcd-decision.toml");
    let silent = rubric.replace("of = \"debate\"\n", "");
    program.write(".elenchus/prompts/rubrics/pcd-decision.toml", &silent);
    let asked = include_str!("../../prompts/rubrics/pcd-decision.md");
    program.write(".elenchus/prompts/rubrics/pcd-decision.md", asked);
    program.write("sums.csv", "id,text,answer\n1,2+2,4\n2,3+4,7\n");
    let game = ["--protocol", "pcd-2", "--dataset", "own:sums.csv"];
    program.play(&game);
    let asked = ["judge", "--all", "--rubric", "pcd-decision"];
    let ran = program
        .run(&[&asked[..], &["--model", "sim"]].concat())
        .ended_with(1);
    for said in [
        "rubric 'pcd-decision' is asked about whole debates",
        "pcd-2",
        "'elenchus judge --model sim'",
        "(2 verdicts, ",
        "$0",
    ] {
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    assert!(program.run_ok(&["judge", "list", "--json"]).is_empty());
    // Not as one of several, either.
    let two = ["--rubric", "safety", "--model", "sim"];
    let ran = program.run(&[&asked[..], &two].concat()).ended_with(1);
    assert!(ran.err.contains("leave --rubric out"), "{}", ran.err);
    // A rubric of turns is asked as before, and the command that was named works.
    program.run_ok(&[
        "judge", "--all", "--rubric", "safety", "--model", "sim", "-q",
    ]);
    program.run_ok(&["judge", "--all", "--model", "sim", "-q"]);
}
