//! Fixed words of templates: a journal holds each once, and what a seat was shown is there to the byte.

use elenchus_game::debate::view::View;
use elenchus_game::prompt::{expand_view, full_text};
use elenchus_records::workspace::read_session;
use elenchus_test_support::ChatServer;
use elenchus_test_support::journals::events;
use elenchus_test_support::peers::{PEERS, messages, polite, run};
use elenchus_test_support::program::Program;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A text that is shorter is written where it stands.
const SHORT: usize = 32;
const GAMES: [&str; 5] = ["pred", "sred", "dared", "pcd-2", "consultancy"];

/// A store in which a game was played once with the simulated model.
fn played(game: &str) -> Program {
    let program = Program::with_topics("");
    let topic = r#"{"id": "a", "text": "Which wharbling is the oldest?", "reference": "A", "options": ["One", "Two", "Three", "Four"]}"#;
    program.write("asked.jsonl", topic);
    program.play(&["--protocol", game, "--dataset", "own:asked.jsonl"]);
    program
}

/// The parts of a journal's views that are words of a template.
fn fixed_parts(events: &[Value]) -> impl Iterator<Item = &Value> {
    let messages = events
        .iter()
        .filter_map(|event| event["view"]["messages"].as_array());
    let parts = messages
        .flatten()
        .filter_map(|message| message["parts"].as_array());
    parts
        .flatten()
        .filter(|part| part["from"]["template"].is_string())
}

/// Every view of a session with the text of every part, as roles and contents of its messages.
fn shown(path: &Path) -> Vec<Vec<(String, String)>> {
    let state = read_session(path).unwrap();
    let events = events(path);
    let views = events.iter().filter(|event| event["view"].is_object());
    let whole = views.map(|event| {
        let view: View = serde_json::from_value(event["view"].clone()).unwrap();
        let reader = serde_json::from_value(event["turn"].clone()).ok();
        let messages = full_text(&expand_view(&state, reader.as_ref(), view));
        let role = |role| {
            serde_json::to_value(role)
                .unwrap()
                .as_str()
                .unwrap()
                .to_owned()
        };
        messages
            .into_iter()
            .map(|(by, text)| (role(by), text))
            .collect()
    });
    whole.collect()
}

#[test]
fn a_journal_refers_to_words_that_it_holds_already() {
    for game in GAMES {
        let program = played(game);
        let path = program.session_files().remove(0);
        let events = events(&path);
        let known = events[0]["template_texts"].as_object().unwrap();
        assert!(!known.is_empty(), "{game}");
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        let mut referred = BTreeSet::new();
        for part in fixed_parts(&events) {
            match (&part["text"], &part["text_hash"]) {
                (Value::String(text), Value::Null) => {
                    *times.entry(text).or_default() += usize::from(text.len() >= SHORT);
                }
                (Value::Null, Value::String(hash)) => {
                    assert!(known.contains_key(hash), "{game}: {hash}");
                    referred.insert(hash);
                }
                other => panic!("{game}: {other:?}"),
            }
        }
        let twice = times.iter().find(|(_, times)| **times > 1);
        assert_eq!(twice, None, "{game}");
        assert!(!referred.is_empty(), "{game}");
    }
}

#[test]
fn what_seats_were_shown_is_what_the_server_received() {
    let server = ChatServer::start(polite);
    let program = Program::facing(&server);
    program
        .run(&run(&PEERS, &["--topic", "How are locks made?"]))
        .ended_with(0);
    let sent: BTreeSet<Vec<(String, String)>> = (server.calls().iter())
        .map(|call| {
            let messages = messages(call).into_iter();
            messages
                .map(|(role, text)| (role.to_owned(), text.to_owned()))
                .collect()
        })
        .collect();
    let kept: BTreeSet<_> = shown(&program.session_files()[0]).into_iter().collect();
    assert!(sent.len() > 10, "{}", sent.len());
    assert_eq!(kept, sent);
}

#[test]
fn show_writes_every_text_into_the_views_of_its_json() {
    let program = played("pred");
    let lines = program.run_ok(&["show", "last", "--json", "--views"]);
    let events: Vec<Value> = (lines.lines())
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].take())
        .collect();
    let parts = fixed_parts(&events).collect::<Vec<_>>();
    assert!(parts.len() > 20, "{}", parts.len());
    assert!(parts.iter().all(|part| part["text"].is_string()));
    let plain = program.run_ok(&["show", "last", "--json"]);
    let journal = fs::read_to_string(&program.session_files()[0]).unwrap();
    assert_eq!(plain, journal);
}

#[test]
fn a_pass_holds_the_words_of_its_rubric_once() {
    let program = played("pred");
    program.run_ok(&["judge", "--all", "--rubric", "harmbench", "--model", "sim"]);
    let pass = fs::read_dir(program.store().join("passes"))
        .unwrap()
        .next()
        .unwrap();
    let events = events(&pass.unwrap().path());
    let known = events[0]["template_texts"].as_object().unwrap();
    assert!(!known.is_empty());
    let parts: Vec<&Value> = fixed_parts(&events).collect();
    let referred = parts.iter().filter_map(|part| part["text_hash"].as_str());
    assert!(
        referred
            .inspect(|hash| assert!(known.contains_key(*hash)))
            .count()
            > 3
    );
    let long = |part: &&&Value| {
        part["text"]
            .as_str()
            .is_some_and(|text| text.len() >= SHORT)
    };
    assert_eq!(parts.iter().filter(long).count(), 0);
}
