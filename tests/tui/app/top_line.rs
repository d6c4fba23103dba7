//! Line at the top: the screens that there are, each one key away.

use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;

fn played() -> Program {
    let program = Program::new();
    let args = ["run", "--protocol", "pred", "--rounds", "1", "-q"];
    let ran = program.run(&[&args[..], &["--topic", "Is it salty?"]].concat());
    ran.ended_with(0);
    program
}

#[test]
fn every_place_is_a_key_away_and_each_is_left_to_where_one_was() {
    let program = played();
    let mut pty = Pty::of(&program).starts(&["open", "last"]);
    pty.wait_for("→1 sessions ▸ debate 2 prompts 3 memory 4 labelling 5 validation 6 experiments");
    pty.wait_for("Evaluator");
    pty.press("i");
    // Where there is no room for all names, they are cut and can still be told.
    pty.wait_for("→1 sessions ▸ debate ▸ inspector 2 promp… 3 memory 4 label… 5 valid… 6 exper…");
    pty.press("W");
    pty.wait_for("→1 sessions ▸ … ▸ prompt editor 2 promp… 3 memory 4 label… 5 valid… 6 exper…");
    pty.press("Esc");
    pty.wait_for("▸ debate ▸ inspector 2 promp…");
    pty.press("Esc");
    pty.wait_for("→1 sessions ▸ debate 2 prompts");
    pty.press("2");
    pty.wait_for("→2 prompts");
    pty.press("3");
    pty.wait_for("→3 memory");
    // It is open already: what lies on it is left.
    pty.press("2");
    pty.wait_for("→2 prompts");
    pty.press("Esc");
    pty.wait_for("→1 sessions ▸ debate ");
    pty.press("5");
    pty.wait_for("→5 validation");
    pty.press("4");
    pty.wait_for("→4 labelling");
    pty.press("6");
    pty.wait_for("→6 experiments");
    pty.press("1");
    pty.wait_for("→1 sessions  2 prompts");
    pty.wait_for("Is it salty?");
    pty.quits();
}

#[test]
fn the_line_names_the_keys_that_are_in_force_and_yields_where_there_is_no_room() {
    let program = played();
    let keys = "[keys.everywhere]\nshow-memory = [\"g m\"]\nshow-queues = []\n";
    program.write(".elenchus/config.toml", keys);
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("g m memory  labelling");
    pty.press("g m");
    pty.wait_for("→g m memory");
    pty.quits();
    let mut pty = Pty::of(&program).size(80, 19).starts(&[]);
    pty.wait_for("Is it salty?");
    assert!(!pty.screen().contains("validation"), "{}", pty.screen());
    pty.quits();
}

#[test]
fn a_screen_is_gone_to_over_what_is_filtered_or_paged_on_the_way() {
    let program = Program::new();
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("→1 sessions");
    pty.press("2");
    pty.wait_for("→2 prompts");
    pty.press("/");
    pty.type_text("devil");
    pty.press("Enter");
    pty.wait_for("filter: devil");
    pty.press("3");
    pty.wait_for("→3 memory");
    // The prompts lie below, with their filter.
    pty.press("1");
    pty.wait_for("→1 sessions");
    pty.quits();
}
