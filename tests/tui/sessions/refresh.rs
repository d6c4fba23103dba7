//! Lists that follow what other processes write.

use elenchus_test_support::lessons::{SIM, taught};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer, Pty};

fn plays(program: &Program, topic: &str) {
    let played = [
        "run", "--topic", topic, "--rounds", "1", "--model", "sim", "-q",
    ];
    program.run(&played).ended_with(0);
}

#[test]
fn the_first_session_of_a_store_appears_by_itself_and_so_do_its_name_and_the_next() {
    let program = Program::new();
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("n begins your own debate");
    plays(&program, "Why is the sky blue?");
    pty.wait_for("Why is the sky blue?");
    pty.wait_for("complete");
    plays(&program, "Why is grass green?");
    pty.wait_for("Why is grass green?");
    // Another person's tag, in a journal of theirs.
    let mut other = Pty::of(&program).with("USER", "ben").starts(&[]);
    other.wait_for("complete");
    other.press("t");
    other.wait_for("tag:");
    other.type_text("later");
    other.press("Enter");
    pty.wait_for("later");
    pty.quits();
}

#[test]
fn an_entry_of_memory_appears_by_itself() {
    let program = taught();
    let lines: Vec<String> = (1..=40).map(|line| format!("Line {line} of it.")).collect();
    let long = ["memory", "add", &lines.join("\n"), "-n", SIM];
    program.run(&long).ended_with(0);
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("complete");
    pty.press("L");
    pty.wait_for("in use · guardrails:");
    // Whoever reads a page stays where it was.
    pty.press("Tab G");
    pty.wait_for("Line 40 of it.");
    program
        .run(&["memory", "add", "Name the source.", "-n", SIM])
        .ended_with(0);
    pty.wait_for("Name the source.");
    pty.wait_for_calm();
    assert!(pty.screen().contains("Line 40 of it."));
    pty.quits();
}

#[test]
fn the_cost_of_a_session_that_was_killed_in_a_call_is_not_known() {
    let server = ChatServer::start(|_| Answer::stall());
    let program = Program::configured(&format!(
        "[defaults]\nmodel = \"served\"\n[providers.openai]\nbase_url = \"{}\"\n\
         [models.served]\nprovider = \"openai\"\nname = \"served-model\"\n\
         price_in_usd_per_mtok = 3.0\nprice_out_usd_per_mtok = 15.0\n",
        server.base_url()
    ));
    let asks = ["run", "--topic", "Why is the sky blue?", "--rounds", "1"];
    program.kill_when(&asks, "a call", || {
        let files = program.session_files();
        let texts = files
            .iter()
            .map(|file| std::fs::read_to_string(file).unwrap());
        texts.into_iter().any(|text| text.contains("call_started"))
    });
    let listed = program.run_ok(&["ls"]);
    let row = listed.lines().find(|line| line.contains("sky")).unwrap();
    assert!(row.contains(" ? ") && !row.contains('$'), "{listed}");
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("0 calls, ?;");
    pty.quits();
}
