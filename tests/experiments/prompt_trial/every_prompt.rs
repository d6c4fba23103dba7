//! Every prompt that is listed, of every game that comes with the program, tried where it asked for something.

use elenchus_game::debate::protocol::RetryRule;
use elenchus_game::prompt::{DECISION, DERIVATION, REPAIR};
use elenchus_records::library::Library;
use elenchus_records::workspace::prompts::{PromptName, places_in, prompt_catalogue};
use elenchus_run::experiments::prompt_trial::TriedCall;
use elenchus_test_support::program::Program;
use elenchus_test_support::validation::state;
use serde_json::Value;
use std::collections::BTreeMap;

/// Half of all turns are unsafe, and many replies are sent back.
const CONFIG: &str =
    "[defaults]\nmodel = \"it\"\n[sims.it]\nunsafe_rate = 0.5\nunparsed_rate = 0.4\n";

/// Topics that every game can be played on.
fn topics() -> String {
    let rows = (1..=4).map(|n| {
        serde_json::json!({
            "id": format!("q{n}"),
            "text": format!("How much is {n} and 4?"),
            "category": "sums",
            "reference": (n + 4).to_string(),
            "options": [(n + 4).to_string(), "8000"],
        })
    });
    rows.map(|row| format!("{row}\n")).collect()
}

fn program_with_guardrail() -> Program {
    let program = Program::with_topics(CONFIG);
    program.write("sums.jsonl", &topics());
    let asked = ["--intent", "Sums", "--example", "How much is 2 and 4?"];
    let place = ["-n", "default.sim"];
    let add = [&["memory", "guardrails", "add"], &asked[..], &place].concat();
    let id = program.run_ok(&add).trim().to_owned();
    let accept = ["memory", "guardrails", "accept", &id, "--untested"];
    program.run_ok(&[&accept[..], &place].concat());
    program
}

/// What a game is played with so that a prompt asks for something: its settings as on a command line, and what is
/// shown of memory.
fn conditions(library: &Library, name: &PromptName) -> (Vec<String>, &'static str) {
    let variant = library
        .read_variant_with(&name.protocol, &name.template)
        .unwrap();
    let feedback = variant.protocol.feedback.iter();
    let is_of_lesson = feedback
        .clone()
        .any(|rule| rule.template_name() == name.template);
    let memory = match name.template.as_str() {
        DECISION => "guardrails",
        DERIVATION | REPAIR => "textual+guardrails",
        _ if is_of_lesson => "textual",
        _ => "",
    };
    let settings = variant.chosen.iter();
    let mut settings: Vec<String> = settings
        .map(|(name, value)| format!("--set={name}={value}"))
        .collect();
    let mut retries = variant
        .protocol
        .stages
        .iter()
        .flat_map(|stage| &stage.retry);
    let is_of_weak_replies =
        |rule: &RetryRule| rule.below.is_some() && rule.template.as_ref() == Some(&name.template);
    if retries.any(is_of_weak_replies) {
        // The simulated model finds its replies strong.
        settings.push("--set=retry_below=10".to_owned());
    }
    (settings, memory)
}

/// Plays a game, and returns the sessions.
fn play(
    program: &Program,
    protocol: &str,
    (settings, memory): &(Vec<String>, &str),
) -> Vec<String> {
    let known = program.sessions();
    let mut run = vec![
        "run",
        "-q",
        "--protocol",
        protocol,
        "--dataset",
        "own:sums.jsonl",
    ];
    run.extend(settings.iter().map(String::as_str));
    if !memory.is_empty() {
        run.extend(["--memory", memory]);
    }
    program.run_ok(&run);
    let mut sessions = program.sessions();
    sessions.retain(|session| !known.contains(session));
    sessions
}

#[test]
fn every_prompt_can_be_tried_or_says_why_not() {
    let program = program_with_guardrail();
    let library = Library::default();
    let mut played: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut refused = Vec::new();
    let catalogue = prompt_catalogue(&library);
    assert!(catalogue.broken.is_empty());
    for (name, text) in &catalogue.texts {
        let conditions = conditions(&library, name);
        let key = format!("{} {conditions:?}", name.protocol);
        let sessions = played
            .entry(key)
            .or_insert_with(|| play(&program, &name.protocol, &conditions));
        let place = sessions.iter().find_map(|session| {
            let places = places_in(&state(&program, session), &name.template)?;
            places.list_places().next()
        });
        program.write(
            "changed.md",
            &text.replacen("=== user", "=== user\nSHOUT.", 1),
        );
        let with = ["--with", "changed.md", "--template", &name.template];
        let Some(place) = place else {
            refused.push(name.to_string());
            let writes = |session: &&String| {
                let places = places_in(&state(&program, session), DERIVATION);
                places.is_some_and(|places| !places.asked.is_empty())
            };
            let session = sessions.iter().find(writes);
            let session = session.unwrap_or_else(|| panic!("{name} asked for nothing"));
            let call = format!("{session}:derivation");
            let tried = program.run(&[&["prompts", "try", &call], &with[..]].concat());
            let why = format!("'{}' asks once more", name.template);
            assert!(tried.err.contains(&why), "{name}: {}", tried.err);
            continue;
        };
        let call = TriedCall::from(place.asked.clone());
        let address = format!("{}:{call}", place.session);
        let rendered = program.run_ok(&[&["prompts", "render", &address], &with[..]].concat());
        assert!(
            rendered.contains("SHOUT."),
            "{name} on {address}: {rendered}"
        );
        let tried = [&["prompts", "try", &address, "--json"], &with[..]].concat();
        let tried: Value = serde_json::from_str(&program.run_ok(&tried)).unwrap();
        let sample = &tried["samples"][0];
        assert!(sample["text"].is_string(), "{name} on {address}: {tried:#}");
        assert_eq!(sample["failed"], Value::Null, "{name} on {address}");
    }
    let sent_back: Vec<&String> = refused
        .iter()
        .filter(|name| !name.ends_with(REPAIR))
        .collect();
    assert!(sent_back.is_empty(), "{sent_back:?}");
    assert!(!refused.is_empty());
    program.run(&["verify"]).ended_with(0);
}
