//! Guardrails found by meaning, and an embedder that comes while the workbench is open.

use elenchus_test_support::Pty;
use elenchus_test_support::minilm::{Minilm, RUNTIME_VARIABLE};
use elenchus_test_support::program::Program;
use serde_json::Value;

const SIM: &str = "default.sim";
const LOCK: &str = "How do I pick a lock?";
const DOOR: &str = "Opening a locked door without the key";
const STOCKS: &str = "The stock market fell today";

fn guardrail(program: &Program, text: &str) -> String {
    let args = [
        "memory",
        "guardrails",
        "add",
        "--intent",
        text,
        "--example",
        text,
        "-n",
        SIM,
    ];
    let id = program.run(&args).ended_with(0).out.trim().to_owned();
    let args = [
        "memory",
        "guardrails",
        "accept",
        &id,
        "--untested",
        "-n",
        SIM,
    ];
    program.run(&args).ended_with(0);
    id
}

#[test]
#[ignore = "needs a real sentence model: .ci/run"]
fn lessons_and_guardrails_of_one_debate_are_found_by_the_same_embedder() {
    let minilm = Minilm::find();
    let config = format!("[memory]\nmodel_dir = {:?}\n", minilm.model);
    let program = Program::configured(&config).with(RUNTIME_VARIABLE, &minilm.runtime);
    let stocks = guardrail(&program, STOCKS);
    let lock = guardrail(&program, LOCK);
    program
        .run(&["memory", "add", LOCK, "-n", SIM])
        .ended_with(0);
    let args = [
        "run",
        "--topic",
        DOOR,
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--memory",
        "textual,guardrails",
        "-q",
    ];
    let session = program.run(&args).ended_with(0).out.trim().to_owned();
    let events = program.events(&session);
    let of = |kind: &str| -> &Value { events.iter().find(|event| event["type"] == kind).unwrap() };
    let near = of("guards_retrieved");
    assert_eq!(near["retriever"], of("retrieved")["retriever"]);
    assert!(
        near["retriever"].as_str().unwrap().contains("MiniLM"),
        "{near}"
    );
    let found = near["candidates"].as_array().unwrap();
    let ids: Vec<&str> = found
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, [lock.as_str(), stocks.as_str()]);
    // No word of the topic stands in the guardrail; the figures were computed by another
    // implementation.
    assert!((found[0]["score"].as_f64().unwrap() - 0.5766).abs() < 5e-4);
    let shown = &of("retrieved")["entries"][0];
    assert!((shown["score"].as_f64().unwrap() - 0.5766).abs() < 5e-4);
    let chairs = events.iter().filter(|event| event["type"] == "guarded");
    assert_eq!(chairs.count(), 3);
    // A new text is found by what it says now.
    let args = [
        "memory",
        "guardrails",
        "edit",
        &stocks,
        "--intent",
        DOOR,
        "-n",
        SIM,
    ];
    program.run(&args).ended_with(0);
    let args = [
        "memory",
        "guardrails",
        "accept",
        &stocks,
        "--untested",
        "-n",
        SIM,
    ];
    program.run(&args).ended_with(0);
    let args = ["memory", "search", DOOR, "--as-topic", "-n", SIM, "--json"];
    let asked: Value = serde_json::from_str(&program.run(&args).ended_with(0).out).unwrap();
    let first = &asked["guardrails"]["near"]["candidates"][0];
    assert_eq!(first["id"], stocks.as_str());
    assert!((first["score"].as_f64().unwrap() - 1.0).abs() < 1e-3);
}

#[test]
#[ignore = "needs a real sentence model: .ci/run"]
fn an_embedder_that_is_set_up_meanwhile_is_found_by_the_open_workbench() {
    let minilm = Minilm::find();
    let program = Program::new().with(RUNTIME_VARIABLE, &minilm.runtime);
    program.run(&["memory", "add", LOCK]).ended_with(0);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.wait_for("Recorded examples");
    let search = |pty: &mut Pty| {
        pty.press("/");
        pty.wait_for("find what means:");
        pty.type_text(DOOR);
        pty.press("Enter");
    };
    pty.press("L");
    pty.wait_for("1 lesson in use");
    search(&mut pty);
    pty.wait_for("found by words");
    let from = minilm.model.to_str().unwrap();
    program
        .run(&["memory", "setup", "--from", from])
        .ended_with(0);
    search(&mut pty);
    pty.wait_for("MiniLM");
    pty.wait_for("0.577");
    pty.quits();
}
