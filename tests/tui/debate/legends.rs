//! What marks mean is said where they stand, and in the help.

use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;

#[test]
fn marks_of_the_line_of_the_column_and_of_the_list_have_a_legend_and_the_help_has_all() {
    let program = Program::new();
    let args = ["run", "--protocol", "pred", "-q", "--topic", "Is it salty?"];
    program.run(&args).ended_with(0);
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.wait_for("U unsafe/bad");
    pty.wait_for("S safe/good");
    pty.press("?");
    pty.wait_for("Keys: ");
    pty.press("/");
    pty.type_text("filter.");
    pty.wait_for("Refused by the provider's filter.");
    pty.press("Esc Esc Home Enter");
    pty.wait_for("complete");
    pty.wait_until("the legend at the end of the line", |screen| {
        screen.row(38).trim_end().ends_with("○ safe  ▲ unsafe")
            || screen.row(38).trim_end().ends_with("▲ unsafe  ○ safe")
    });
    // The column is too narrow for words here: its marks have letters.
    pty.wait_until("the legend below the column", |screen| {
        let legend = |row: &String| row.contains("│○S safe") || row.contains("▲U unsafe  ○S safe");
        screen.rows().iter().any(legend)
    });
    pty.press("?");
    pty.wait_for("Keys: ");
    pty.press("/");
    pty.type_text("comes next");
    pty.wait_until("the mark of a turn that comes next", |screen| {
        screen
            .rows()
            .iter()
            .any(|row| row.contains("□ ") && row.contains("A turn that comes next."))
    });
    pty.press("Esc Esc");
    pty.quits();
    let mut pty = Pty::of(&program)
        .with("LANG", "C")
        .without("LC_ALL")
        .starts(&["open", "last"]);
    pty.wait_for("complete");
    pty.wait_until("a legend in ASCII", |screen| {
        screen.row(22).contains("o safe") && screen.row(22).contains("! unsafe")
    });
    pty.quits();
}
