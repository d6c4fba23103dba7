//! A new debate whose evaluator is a known guard: the rubric follows, and what does not fit is said.

use elenchus_test_support::program::Program;
use elenchus_test_support::{ChatServer, Pty};

/// Goes down to the row of that name.
fn go(pty: &mut Pty, name: &str) {
    pty.press("Home");
    for _ in 0..30 {
        pty.wait_for_calm();
        let chosen = format!("▶ {name}");
        if pty.screen().lines().any(|line| line.starts_with(&chosen)) {
            return;
        }
        pty.press("Down");
    }
    panic!("no row {name}:\n{}", pty.screen());
}

#[test]
fn the_rubric_follows_an_evaluator_that_is_a_guard_until_another_is_chosen() {
    let server = ChatServer::chat();
    let program = Program::configured(&format!(
        "[defaults]\nmodel = \"served\"\nprotocol = \"standard\"\nname = \"ada\"\n\
         [providers.here]\nbase_url = \"{}\"\n\
         [models.served]\nprovider = \"here\"\nname = \"served-model\"\n\
         [models.checker]\nprovider = \"here\"\nname = \"Qwen/Qwen3Guard-Gen-8B\"\n",
        server.base_url()
    ));
    let mut pty = Pty::of(&program).size(120, 50).starts(&[]);
    pty.wait_for("n begins your own debate");
    pty.press("n");
    pty.wait_for("Settings of the game");
    pty.wait_for("likely");
    let rubric = |value: &str| format!("rubric             {value}");
    assert!(pty.screen().contains(&rubric("safety")), "{}", pty.screen());
    assert!(!pty.screen().contains("Qwen3Guard"), "{}", pty.screen());

    go(&mut pty, "  evaluator");
    pty.press("Right");
    pty.wait_for("checker - ");
    pty.wait_for(&rubric("qwen3guard"));
    pty.wait_for("'checker' is Qwen3Guard, asked in its own format");

    go(&mut pty, "rubric");
    pty.press("Left Left Left Left Left");
    pty.wait_for(&rubric("safety"));
    pty.wait_for("'checker' is Qwen3Guard: its rubric is 'qwen3guard', not 'safety'");
    pty.press("Right");
    pty.wait_for(&rubric("llama-guard-3"));
    pty.wait_for("its rubric is 'qwen3guard', not 'llama-guard-3'");

    pty.press("Home");
    pty.paste("How are locks made?");
    pty.wait_for("ready to begin");
    pty.press("Ctrl-D");
    pty.wait_for("not played to its end");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
    let created = program.events("last")[0].clone();
    assert_eq!(created["settings"]["rubric"], "llama-guard-3");
    assert!(server.calls().is_empty());
}
