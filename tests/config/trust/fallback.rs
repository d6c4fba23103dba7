//! M7: the server of the environment serves where nothing is configured, and is named first.

use super::{DEBATE, heard_nothing, own_models, server};
use elenchus_test_support::program::Program;

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
