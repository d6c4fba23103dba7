//! L4: a key where the name of its variable belongs is never printed; and keys on the open network.

use super::{DEBATE, heard_nothing, server};
use elenchus_test_support::program::Program;

#[test]
fn a_key_in_place_of_a_variables_name_is_refused_and_printed_nowhere() {
    for key in ["sk-proj-0123456789abcdef", "hf_AbCdEfGhIjKlMnOpQrSt12"] {
        let server = server();
        let program = Program::new().owning(&format!(
            "[providers.lab]\nbase_url = \"{}\"\napi_key_env = \"{key}\"\n\
             [models.ada]\nprovider = \"lab\"\nname = \"ada\"\n[defaults]\nmodel = \"ada\"\n",
            server.base_url()
        ));
        let commands: [&[&str]; 5] = [
            &DEBATE,
            &["doctor"],
            &["doctor", "--probe"],
            &["trust"],
            &["ls"],
        ];
        for args in commands {
            let ran = program.run(args);
            assert!(!ran.out.contains(key) && !ran.err.contains(key), "{ran:?}");
        }
        let refused = program.run(&DEBATE).ended_with(1);
        let words = "holds what looks like a key, not the name of a variable";
        assert!(refused.err.contains(words), "{}", refused.err);
        let given = program
            .run(&["trust", "https://lab.example", "--key", key])
            .ended_with(1);
        assert!(
            !given.err.contains(key) && given.err.contains(words),
            "{}",
            given.err
        );
        for (path, bytes) in program.store_files() {
            let found = bytes
                .windows(key.len())
                .any(|window| window == key.as_bytes());
            assert!(!found, "{} holds the key", path.display());
        }
        heard_nothing(&server);
    }
}

#[test]
fn doctor_warns_of_a_key_that_would_cross_the_network_unencrypted() {
    let provider = |url: &str| {
        let program = Program::new()
            .with("LAB_KEY", "k-of-the-lab")
            .owning(&format!(
                "[providers.lab]\nbase_url = \"{url}\"\napi_key_env = \"LAB_KEY\"\n"
            ));
        program.run(&["doctor"]).out
    };
    assert!(provider("http://gpu7:8000/v1").contains("unencrypted"));
    assert!(!provider("https://gpu7:8000/v1").contains("unencrypted"));
    assert!(!provider("http://127.0.0.1:8000/v1").contains("unencrypted"));
}
