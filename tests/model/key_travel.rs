//! API keys go to their server and nowhere else.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use elenchus_test_support::peers::{DUEL, is_debater, polite, run};
use elenchus_test_support::program::{Program, Ran};
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::json;

const KEY: &str = "sk-distinctive-7c1e55aa90";

#[test]
fn a_base_url_alone_is_enough_and_sends_no_key() {
    let server = ChatServer::start(polite);
    let program = Program::facing(&server);
    program
        .run(&run(&DUEL, &["--topic", "How are locks made?"]))
        .ended_with(0);
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    for seen in &requests {
        assert_eq!(seen.path, "/v1/chat/completions");
        assert_eq!(seen.header("authorization"), None);
    }
}

#[test]
fn the_key_goes_to_the_server_and_into_no_file_or_output() {
    let server = ChatServer::start(polite);
    let program = Program::facing(&server).with("OPENAI_API_KEY", KEY);
    let played = program
        .run(&run(&DUEL, &["--topic", "How are locks made?"]))
        .ended_with(0);
    let bearer = format!("Bearer {KEY}");
    for seen in server.requests() {
        assert_eq!(seen.header("authorization"), Some(bearer.as_str()));
    }
    nowhere(&program, &[played]);
}

#[test]
fn the_key_stays_out_of_everything_when_the_server_refuses_or_repeats_it() {
    let server = ChatServer::start(|seen| {
        // Some servers put the key that they refuse into their words.
        let key = seen.header("authorization").unwrap_or_default().to_owned();
        Answer::error(401, "invalid_api_key", &format!("wrong key: {key}"))
    });
    let program = Program::facing(&server).with("OPENAI_API_KEY", KEY);
    let played = program
        .run(&run(&DUEL, &["--topic", "How are locks made?"]))
        .ended_with(3);
    assert!(played.err.contains("refused the key"), "{}", played.err);
    assert!(played.err.contains("wrong key: "), "{}", played.err);
    assert_eq!(server.requests().len(), 2, "a refused key is not retried");

    program.write("topics.txt", "How are locks made?\n");
    let ran = program
        .run(&run(&DUEL, &["--dataset", "own:topics.txt"]))
        .ended_with(4);
    nowhere(&program, &[played, ran]);
}

/// The key in the ways in which servers, proxies and their logs write it down, each with what of it
/// must be found nowhere.
fn written() -> Vec<(String, String)> {
    let hex: String = KEY.bytes().map(|byte| format!("{byte:02x}")).collect();
    let percent: String = KEY.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let escaped: String = KEY
        .chars()
        .map(|c| format!("\\u{:04x}", u32::from(c)))
        .collect();
    let (head, tail) = KEY.split_at(13);
    let broken = |gap: &str| (format!("{head}{gap}{tail}"), tail.to_owned());
    // What a key decides of its base64 at each alignment, a few characters from the ends.
    let inside = |code: String, before: usize| {
        let (from, to) = (before * 4 / 3 + 2, (before + KEY.len()) * 4 / 3 - 2);
        let sure = code[from..to].to_owned();
        (code, sure)
    };
    let mut all = vec![
        (KEY.to_owned(), KEY.to_owned()),
        (hex.to_uppercase(), hex.to_uppercase()),
        (hex.clone(), hex),
        (percent.clone(), percent),
        (escaped.clone(), escaped),
        broken("\n"),
        broken("\r\n    "),
        broken("\\n"),
        broken("  "),
    ];
    for before in ["", "x", "Bearer ", "somebody:", ":::::"] {
        let text = format!("{before}{KEY}");
        all.push(inside(STANDARD.encode(&text), before.len()));
        all.push(inside(
            URL_SAFE_NO_PAD.encode(format!("{text}:")),
            before.len(),
        ));
    }
    all
}

/// Says the key in every way, in pieces of so many characters.
fn told(pieces_of: usize) -> Vec<String> {
    let all: Vec<String> = written()
        .into_iter()
        .map(|(text, _)| format!("<{text}>"))
        .collect();
    let all: Vec<char> = all.join(" ").chars().collect();
    all.chunks(pieces_of).map(String::from_iter).collect()
}

fn repeating(seen: &ChatRequest) -> Answer {
    if !is_debater(seen) {
        return polite(seen);
    }
    // The one seat streams, the other answers at once; both have names and reasons of their own.
    if elenchus_test_support::peers::model(seen) == "ben" {
        let message = json!({"role": "assistant", "content": told(1000).concat(),
            "reasoning_content": told(1000).concat()});
        let choice =
            json!({"index": 0, "finish_reason": format!("ended {KEY}"), "message": message});
        let body = json!({"model": format!("m-{KEY}"), "choices": [choice]});
        let id = STANDARD.encode(KEY);
        let headers = [
            ("x-request-id", id.as_str()),
            ("content-type", "application/json"),
        ];
        return Answer::with_headers(200, &headers, body.to_string().as_bytes());
    }
    let thought = told(7)
        .into_iter()
        .map(|piece| json!({"reasoning_content": piece}));
    let said = told(5).into_iter().map(|piece| json!({"content": piece}));
    Answer::deltas(thought.chain(said))
}

#[test]
fn a_key_that_a_reply_repeats_is_kept_and_shown_nowhere_however_it_is_written() {
    let server = ChatServer::start(repeating);
    let program = Program::facing(&server)
        .with("OPENAI_API_KEY", KEY)
        .with("ELENCHUS_LOG", "trace");
    let played = program
        .run(&run(&DUEL, &["--topic", "How are locks made?"]))
        .ended_with(0);
    let shown = program.run(&["show", &program.sessions()[0]]).ended_with(0);
    assert!(shown.out.contains("[key]"), "{}", shown.out);
    nowhere(&program, &[played]);
}

#[test]
fn a_key_that_a_refusal_repeats_is_kept_and_shown_nowhere_however_it_is_written() {
    // A topic for each way of writing the key down.
    let server = ChatServer::start(|seen| {
        let text = seen.text();
        let form = (0..written().len()).find(|form| text.contains(&question(*form)));
        let (text, _) = written().swap_remove(form.unwrap());
        // So that the rest of the key stands where what is kept of a body ends.
        let long = "so it goes ".repeat(20);
        let message = format!("wrong key <{text}> {long} <{text}>");
        let body = json!({"error": {"message": message}}).to_string();
        Answer::body(400, "application/json", body.as_bytes())
    });
    let program = Program::facing(&server)
        .with("OPENAI_API_KEY", KEY)
        .with("ELENCHUS_LOG", "trace");
    let topics: Vec<String> = (0..written().len()).map(question).collect();
    program.write("topics.txt", &topics.join("\n"));
    let played = program
        .run(&run(&DUEL, &["--dataset", "own:topics.txt"]))
        .ended_with(3);
    let sessions = program.session_files();
    assert_eq!(sessions.len(), written().len());
    for path in sessions {
        let kept = std::fs::read_to_string(&path).unwrap();
        let topic = (0..=8).find(|form| kept.contains(&question(*form)));
        assert!(topic.is_none() || kept.contains("<[key]>"), "{kept}");
    }
    nowhere(&program, &[played]);
}

fn question(form: usize) -> String {
    format!("How is lock {form:02} made?")
}

#[test]
fn a_key_that_a_list_of_models_repeats_is_not_printed() {
    let server = ChatServer::listing(|seen| match seen.path.as_str() {
        "/v1/models" => ChatServer::models(&[&format!("m-{KEY}"), "second"]),
        _ => Answer::chat("yes"),
    });
    let program = Program::facing(&server).with("OPENAI_API_KEY", KEY);
    let probed = program.run(&["doctor", "--probe"]);
    assert!(probed.out.contains("second"), "{}", probed.out);
    assert!(
        !probed.out.contains(KEY) && !probed.err.contains(KEY),
        "{probed:?}"
    );
}

/// Looks for the key in every byte that was kept and everything that commands say about it, in each of
/// the ways in which it can be written.
fn nowhere(program: &Program, said: &[Ran]) {
    let session = program.sessions().pop().unwrap();
    let commands: [&[&str]; 7] = [
        &["show", &session],
        &["show", &session, "--views", "--private"],
        &["show", &session, "--json"],
        &["ls", "--json"],
        &["ls", "--runs", "--json"],
        &["metrics", "--json"],
        &["doctor"],
    ];
    let shown: Vec<Ran> = commands.iter().map(|args| program.run(args)).collect();
    let mut secret: Vec<String> = written().into_iter().map(|(_, sure)| sure).collect();
    // As it stands in JSON.
    let in_json = secret.iter().map(|text| text.replace('\\', "\\\\"));
    secret.extend(in_json.collect::<Vec<_>>());
    for ran in said.iter().chain(&shown) {
        for text in &secret {
            assert!(
                !ran.out.contains(text) && !ran.err.contains(text),
                "{text} in {ran:?}"
            );
        }
    }
    let kept = program.store_files();
    assert!(!kept.is_empty());
    for (path, bytes) in kept {
        let kept = String::from_utf8_lossy(&bytes);
        for text in &secret {
            assert!(!kept.contains(text), "{} holds {text}", path.display());
        }
    }
}
