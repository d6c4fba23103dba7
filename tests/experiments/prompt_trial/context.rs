//! Context of a trial: the recorded view with the template's own words replaced.

use elenchus_test_support::socratic::{SHORTER, json, model, played, shorter};
use serde_json::Value;

/// The parts that no template brought, with where they come from.
fn given(view: &Value) -> Vec<Value> {
    let messages = view["messages"].as_array().unwrap().iter();
    let parts = messages.flat_map(|message| message["parts"].as_array().unwrap());
    parts
        .filter(|part| part["from"].get("template").is_none())
        .cloned()
        .collect()
}

fn text(view: &Value) -> String {
    let messages = view["messages"].as_array().unwrap().iter();
    let parts = messages.flat_map(|message| message["parts"].as_array().unwrap());
    parts.map(|part| part["text"].as_str().unwrap()).collect()
}

#[test]
fn another_template_changes_its_own_words_alone() {
    let (program, _server, session) = played();
    shorter(&program);
    let turn = format!("{session}:r1.socratic");
    let recorded = program.run(&["prompts", "render", &turn, "--json"]);
    let recorded = json(&recorded.ended_with(0).out);
    let changed = program.run(&["prompts", "render", &turn, "--with", "mine.md", "--json"]);
    let changed = json(&changed.ended_with(0).out);
    assert!(given(&recorded).len() > 2, "{recorded:#}");
    assert_eq!(given(&changed), given(&recorded));
    assert!(text(&changed).contains(SHORTER));
    assert!(!text(&recorded).contains(SHORTER));
}

#[test]
fn the_recorded_prompt_is_rendered_again_byte_for_byte_for_every_seat_and_round() {
    let (program, _server, session) = played();
    program.run(&["prompts", "eject", "sred"]).ended_with(0);
    for (turn, template) in [
        ("r1.ada", "debater"),
        ("r1.debater-1", "debater"),
        ("r2.debater-0", "debater"),
        ("r1.socratic", "socratic"),
    ] {
        let turn = format!("{session}:{}", turn.replace("ada", "debater-0"));
        let recorded = program.run(&["prompts", "render", &turn]).ended_with(0);
        let file = format!(".elenchus/prompts/sred/{template}.md");
        let again = program.run(&["prompts", "render", &turn, "--with", &file]);
        assert_eq!(again.ended_with(0).out, recorded.out, "{turn}");
    }
}

#[test]
fn what_is_rendered_is_what_is_sent() {
    let (program, server, session) = played();
    shorter(&program);
    let before = server.requests().len();
    let turn = format!("{session}:r1.socratic");
    let shown = program.run(&["prompts", "render", &turn, "--with", "mine.md", "--json"]);
    let shown = json(&shown.ended_with(0).out);
    program
        .run(&["prompts", "try", &turn, "--with", "mine.md"])
        .ended_with(0);
    let asked = server.requests().split_off(before);
    assert_eq!(asked.len(), 1, "a persona is not judged: one call");
    assert_eq!(model(&asked[0]), "soc");
    let sent: Vec<Value> = asked[0].body["messages"].as_array().unwrap().clone();
    let shown = shown["messages"].as_array().unwrap();
    assert_eq!(sent.len(), shown.len());
    for (sent, shown) in sent.iter().zip(shown) {
        assert_eq!(sent["role"], shown["role"]);
        let parts = shown["parts"].as_array().unwrap().iter();
        let whole: String = parts.map(|part| part["text"].as_str().unwrap()).collect();
        assert_eq!(sent["content"].as_str().unwrap(), whole);
    }
}
