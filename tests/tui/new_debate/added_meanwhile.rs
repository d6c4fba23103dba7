//! Servers and models that are configured while the workbench is open.

use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer, Pty};

fn configure(program: &Program, config: &str) {
    let folder = program.home().join(".config/elenchus");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), config).unwrap();
}

/// A configuration with one model, which is the default.
fn with_model(server: &ChatServer, name: &str) -> String {
    format!(
        "[defaults]\nmodel = \"{name}\"\n[providers.mine]\nkind = \"openai\"\nbase_url = \"{}\"\n\
         [models.{name}]\nprovider = \"mine\"\nname = \"{name}-model\"\n",
        server.base_url()
    )
}

#[test]
fn a_model_that_is_configured_meanwhile_is_offered_and_is_the_default() {
    let server = ChatServer::start(|_| Answer::chat("Said by what was added."));
    let program = Program::new();
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.wait_for("n begins your own debate");
    pty.press("n");
    pty.wait_for("sim (no server is configured)");
    pty.press("Home Down Down Down");
    pty.wait_for("▶ every seat");
    pty.press("Enter");
    pty.wait_for("human");
    assert!(!pty.screen().contains("fresh"), "{}", pty.screen());
    // Another terminal configures a server while the list is closed.
    pty.press("Esc");
    configure(&program, &with_model(&server, "fresh"));
    pty.press("Enter");
    pty.wait_for("  fresh");
    pty.press("Esc");
    pty.wait_for("every seat         fresh");
    // What cannot be used says why, and what there was stays.
    configure(&program, "[models.other]\nprovider = 3\n");
    pty.press("Enter");
    pty.wait_for("the models stay as they were");
    assert!(pty.screen().contains("  fresh"), "{}", pty.screen());
    // One more while the list is open, which is the default from then on.
    configure(&program, &with_model(&server, "newer"));
    pty.press("Esc Enter");
    pty.wait_for("  newer");
    pty.wait_for_no("  fresh");
    pty.press("Esc");
    pty.wait_for("every seat         newer");
    pty.press("Esc");
    pty.wait_for("No sessions yet");
    pty.press("n");
    pty.wait_for("every seat         newer");
    pty.press("Home");
    pty.paste("Why is it salty?");
    pty.wait_for("Why is it salty?");
    pty.press("Ctrl-D");
    pty.wait_for("not played to its end");
    pty.press("n");
    pty.wait_for("Said by what was added.");
    pty.quits();
    let calls = server.calls();
    assert!(!calls.is_empty());
    assert!(calls.iter().all(|call| call.body["model"] == "newer-model"));
}
