//! M7: the server of the environment serves where nothing is configured, and is named first.

use super::{DEBATE, heard_nothing, own_models, server};
use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

#[test]
fn a_mistyped_name_goes_to_no_server_because_a_key_happens_to_be_set() {
    let (own, other) = (server(), server());
    for config in [own_models(&own), "[sims.first]\n".to_owned()] {
        let program = Program::facing(&other)
            .with("OPENAI_API_KEY", "k-123456")
            .owning(&config);
        let refused = program
            .run(&[&DEBATE[..], &["--model", "frist"]].concat())
            .ended_with(1);
        for words in ["there is no model 'frist'", "first"] {
            assert!(refused.err.contains(words), "{words}: {}", refused.err);
        }
        assert!(!refused.err.contains("OPENAI_API_KEY"), "{}", refused.err);
        assert!(program.sessions().is_empty());
    }
    heard_nothing(&own);
    heard_nothing(&other);
}

#[test]
fn a_server_that_nobody_configured_is_named_with_its_key_once() {
    let server = server();
    let program = Program::facing(&server).with("OPENAI_API_KEY", "k-123456");
    let ran = program
        .run(&[&DEBATE[..], &["--model", "ada"]].concat())
        .ended_with(0);
    let told = format!(
        "models are asked at {} with the key in OPENAI_API_KEY, as none is configured",
        server.base_url()
    );
    assert_eq!(ran.err.matches(&told).count(), 1, "{}", ran.err);
    // Where nobody asks it, it is not named.
    let simulated = program
        .run(&[&DEBATE[..], &["--model", "sim"]].concat())
        .ended_with(0);
    assert!(!simulated.err.contains("are asked at"), "{}", simulated.err);
}

/// A proxy that lets nothing through: its address, and where each connection was to go.
fn closed_proxy() -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (tell, asked) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut line = String::new();
            let _ = BufReader::new(stream.unwrap()).read_line(&mut line);
            if tell.send(line).is_err() {
                return;
            }
        }
    });
    (address, asked)
}

#[test]
fn a_key_without_an_address_is_sent_nowhere_before_a_model_is_named() {
    let (proxy, asked) = closed_proxy();
    let program = Program::new()
        .with("OPENAI_API_KEY", "k-123456")
        .with("HTTPS_PROXY", &proxy);
    let pty = Pty::of(&program).size(80, 24).starts(&[]);
    pty.wait_for("examples");
    pty.wait_for_calm();
    drop(pty);
    let listed = program.run_ok(&["servers", "list"]);
    assert!(listed.contains("OPENAI_API_KEY alone"), "{listed}");
    assert!(asked.try_recv().is_err(), "something was sent unasked");
    // Where a model is named, it is meant.
    let named = program.run(&[&DEBATE[..], &["--model", "gpt-5"]].concat());
    assert!(named.err.contains("https://api.openai.com/v1"), "{named:?}");
    let first = asked.recv().unwrap();
    assert!(first.contains("CONNECT api.openai.com:443"), "{first}");
}

#[test]
fn a_key_that_another_server_has_makes_no_server_of_its_own() {
    let own = server();
    let config = format!(
        "[providers.lab]\nbase_url = \"{}\"\napi_key_env = \"OPENAI_API_KEY\"\n",
        own.base_url()
    );
    let program = Program::new()
        .with("OPENAI_API_KEY", "k-123456")
        .owning(&config);
    let listed = program.run_ok(&["servers", "list"]);
    assert!(listed.contains("lab"), "{listed}");
    assert!(!listed.contains("api.openai.com"), "{listed}");
}
