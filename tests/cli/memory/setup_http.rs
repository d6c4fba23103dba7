//! `memory setup` over a network that misbehaves.

use elenchus_test_support::answer::Step;
use elenchus_test_support::minilm::RUNTIME_VARIABLE;
use elenchus_test_support::program::{Program, Ran};
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::PathBuf;

/// Large enough to be cut in the middle; it begins as an ONNX model does.
fn model() -> Vec<u8> {
    let rest = (0..200_000_u32).map(|at| (at % 251) as u8);
    [8, 8].into_iter().chain(rest).collect()
}

fn file(seen: &ChatRequest) -> &str {
    seen.path.rsplit('/').next().unwrap()
}

fn small(seen: &ChatRequest) -> Answer {
    if seen.path.contains("1_Pooling") {
        return Answer::body(404, "text/plain", b"none");
    }
    Answer::body(200, "application/json", br#"{"a": 1}"#)
}

/// Sets up from a server; there is no runtime, so nothing is tried out in the end.
fn set_up(program: &Program) -> Ran {
    program.run(&["memory", "setup"])
}

fn program(server: &ChatServer) -> Program {
    let url = server.base_url();
    Program::configured(&format!(
        "[memory]\nmodel_dir = \"../model\"\nmodel_url = \"{url}/{{model}}/main/\"\n"
    ))
    .with(RUNTIME_VARIABLE, "/nowhere/libonnxruntime.so")
}

fn kept(program: &Program) -> Option<Vec<u8>> {
    fs::read(program.work().join("model/model.onnx")).ok()
}

fn arriving(program: &Program) -> PathBuf {
    program.work().join("model.arriving")
}

fn with_etag(status: u16, etag: &str, body: &[u8]) -> Answer {
    Answer::with_headers(
        status,
        &[("etag", etag), ("content-type", "application/octet-stream")],
        body,
    )
}

/// Says how long it is and breaks off before.
fn broken_off(etag: &str, body: &[u8], after: usize) -> Answer {
    let head = format!(
        "HTTP/1.1 200 OK\r\netag: {etag}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut bytes = head.into_bytes();
    bytes.extend(&body[..after]);
    Answer::of(vec![Step::Raw(bytes), Step::Cut])
}

#[test]
fn a_model_is_fetched_checked_and_put_in_place() {
    let hash: String = Sha256::digest(model())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let etag = format!("\"{hash}\"");
    let server = ChatServer::start(move |seen| match file(seen) {
        "model.onnx" => with_etag(200, &etag, &model()),
        _ => small(seen),
    });
    let program = program(&server);
    let ran = set_up(&program);
    assert!(ran.err.contains("as the server says"), "{}", ran.err);
    assert_eq!(kept(&program).unwrap(), model());
    assert!(!arriving(&program).exists());
    let first = &server.requests()[0].path;
    assert!(
        first.ends_with("/Qdrant/all-MiniLM-L6-v2-onnx/main/config.json"),
        "{first}"
    );
    // What cannot be tried out is said, with what is missing.
    let ran = ran.ended_with(1);
    assert!(
        ran.err.contains("cannot be loaded as ONNX Runtime"),
        "{}",
        ran.err
    );
}

#[test]
fn what_broke_off_goes_on_where_it_was() {
    let server = ChatServer::start(|seen| match (file(seen), seen.header("range")) {
        ("model.onnx", None) => broken_off("\"one\"", &model(), 70_000),
        ("model.onnx", Some(range)) => {
            assert_eq!(seen.header("if-range"), Some("\"one\""));
            let from: usize = range
                .strip_prefix("bytes=")
                .unwrap()
                .strip_suffix('-')
                .unwrap()
                .parse()
                .unwrap();
            assert!(from > 0);
            with_etag(206, "\"one\"", &model()[from..])
        }
        _ => small(seen),
    });
    let program = program(&server);
    let ran = set_up(&program);
    assert!(ran.err.contains("of it kept from before"), "{}", ran.err);
    assert_eq!(kept(&program).unwrap(), model());
}

#[test]
fn what_became_another_version_meanwhile_begins_anew() {
    let server = ChatServer::start(|seen| match (file(seen), seen.header("range")) {
        ("model.onnx", None) => broken_off("\"one\"", &vec![8; 300_000], 70_000),
        // The version that was begun is gone, so all of the other one comes.
        ("model.onnx", Some(_)) => with_etag(200, "\"two\"", &model()),
        _ => small(seen),
    });
    let program = program(&server);
    let ran = set_up(&program);
    assert!(!ran.err.contains("kept from before"), "{}", ran.err);
    assert_eq!(kept(&program).unwrap(), model());
}

#[test]
fn what_cannot_be_had_is_told_and_a_model_that_was_there_stays() {
    let wrong = format!("\"{}\"", "0".repeat(64));
    let wrong = wrong.as_str();
    let cases: [(&str, Answer, &str); 5] = [
        (
            "model.onnx",
            Answer::body(404, "text/plain", b"no"),
            "the server answers 404: there is no such file",
        ),
        (
            "tokenizer.json",
            Answer::body(403, "text/plain", b"no"),
            "access to this file is restricted",
        ),
        (
            "model.onnx",
            Answer::body(200, "text/html", b"<html>log in</html>"),
            "a web page came instead of the file",
        ),
        (
            "model.onnx",
            Answer::body(200, "application/octet-stream", b"<!doctype html>"),
            "it is a web page",
        ),
        (
            "model.onnx",
            with_etag(200, wrong, &model()),
            "does not have the checksum that the server says",
        ),
    ];
    for (name, answer, expected) in cases {
        let name = name.to_owned();
        let server = ChatServer::start(move |seen| match file(seen) {
            found if found == name => answer.clone(),
            "model.onnx" => with_etag(200, "\"one\"", &model()),
            _ => small(seen),
        });
        let program = program(&server);
        program.write("model/model.onnx", "the old one");
        let ran = set_up(&program).ended_with(1);
        assert!(ran.err.contains(expected), "{}", ran.err);
        assert_eq!(kept(&program).unwrap(), b"the old one");
    }
}

#[test]
fn a_model_with_another_checksum_than_the_one_asked_for_is_refused() {
    let server = ChatServer::start(|seen| match file(seen) {
        "model.onnx" => with_etag(200, "\"one\"", &model()),
        _ => small(seen),
    });
    let program = program(&server);
    let ran = program
        .run(&["memory", "setup", "--sha256", "abc"])
        .ended_with(1);
    assert!(
        ran.err.contains("--sha256 abc: the model that came has"),
        "{}",
        ran.err
    );
    assert_eq!(kept(&program), None);
}

#[test]
fn a_server_that_is_gone_is_told_with_what_can_be_done_without_one() {
    let program = Program::new()
        .owning("[memory]\nmodel_url = \"http://127.0.0.1:9/{model}\"\n")
        .with(RUNTIME_VARIABLE, "/nowhere/libonnxruntime.so");
    let ran = set_up(&program).ended_with(1);
    assert!(ran.err.contains("use --from DIR"), "{}", ran.err);
}

#[test]
fn a_project_s_address_brings_nothing_into_the_folder_of_all_projects() {
    let server = ChatServer::start(|seen| match file(seen) {
        "model.onnx" => with_etag(200, "\"one\"", &model()),
        _ => small(seen),
    });
    let url = server.base_url();
    let program = Program::configured(&format!("[memory]\nmodel_url = \"{url}/{{model}}\"\n"))
        .with(RUNTIME_VARIABLE, "/nowhere/libonnxruntime.so");
    let ran = set_up(&program).ended_with(1);
    assert!(
        ran.err.contains("sets model_url without model_dir"),
        "{}",
        ran.err
    );
    assert!(server.requests().is_empty());
}
