//! The rule for keys that every form has, through a terminal: letters type where text is, else they act, and one key
//! begins from anywhere.

use elenchus_test_support::Pty;
use elenchus_test_support::labelling::{draw, played};
use elenchus_test_support::program::Program;
use rustix::process::Signal;

const TOPIC: &str = "Should quick meals be jolly?";

/// Opens the form of a new debate at 80×24, once its cost is known.
fn form(program: &Program) -> Pty {
    let mut pty = Pty::of(program).size(80, 24).starts(&[]);
    pty.wait_for("n begins your own debate");
    pty.press("n");
    pty.wait_for("at most ");
    pty
}

fn chosen(pty: &Pty) -> String {
    let screen = pty.screen();
    let line = screen.lines().find(|line| line.starts_with('▶'));
    line.unwrap_or_default().to_owned()
}

#[test]
fn topic_game_models_cost_and_begin_are_on_the_first_screen_with_a_mark_where_there_is_more() {
    let program = Program::new();
    let mut pty = form(&program);
    let screen = pty.screen();
    for part in [
        "▶ topic ",
        "game  ",
        "every seat",
        "debater 1",
        "debater 2",
        "debater 3",
        "evaluator",
        "likely  19 calls",
        "at most 19 calls",
        "Begin the debate",
        "Ctrl-D begin",
        "letters write; needs: topic",
    ] {
        assert!(screen.contains(part), "{part}:\n{screen}");
    }
    assert!(screen.contains("↓ 15 more"), "{screen}");
    assert!(!screen.contains('↑'), "{screen}");
    pty.press("End");
    pty.wait_for("↑ 15 more");
    pty.wait_for_no("↓");
    pty.press("Esc");
    pty.quits();
}

#[test]
fn nothing_is_an_error_before_somebody_did_something() {
    // A game that needs options, which nobody gave yet.
    let program = Program::configured("[defaults]\nprotocol = \"two-candidate\"\n");
    let mut pty = Pty::of(&program).size(80, 24).starts(&[]);
    pty.wait_for("n begins your own debate");
    pty.press("n");
    pty.wait_for("game               two-candidate");
    pty.wait_for_calm();
    let screen = pty.screen();
    assert!(!screen.contains("wrong"), "{screen}");
    let error_cells = |pty: &Pty| {
        let cells = (0..24).flat_map(|row| (0..80).map(move |column| (row, column)));
        cells
            .filter(|(row, column)| {
                let look = pty.cell(*row, *column);
                matches!(look.fg, vt100::Color::Idx(1 | 9))
            })
            .count()
    };
    assert_eq!(error_cells(&pty), 0, "{screen}");
    // What is typed wrong is one, and so is what is missing once it is to begin.
    pty.press("End Up Up Up");
    pty.wait_for("▶ seed");
    pty.press("Backspace");
    pty.type_text("-1");
    pty.press("Enter");
    pty.wait_for("a whole number, 0 or more");
    pty.wait_for("wrong: seed");
    assert!(error_cells(&pty) > 0, "{}", pty.screen());
    pty.press("Esc");
    pty.quits();
}

#[test]
fn letters_type_where_text_is_and_elsewhere_act_without_moving_or_leaving() {
    let program = Program::new();
    let mut pty = form(&program);
    pty.type_text(TOPIC);
    pty.wait_for("┃Should quick meals be jolly?");
    // Enter goes on, Ctrl-J breaks a line.
    pty.press("Ctrl-J");
    pty.type_text("Or not?");
    pty.press("Enter");
    pty.wait_for("topic              Should quick meals be jolly? Or not?");
    assert!(
        chosen(&pty).contains("or from data set"),
        "{}",
        chosen(&pty)
    );
    pty.type_text("G");
    pty.wait_for("or from data set   G");
    pty.press("Esc Enter");
    pty.wait_for("▶ game               pred");
    pty.wait_for("letters act; ready to begin");
    pty.press("q");
    pty.wait_for("no letter leaves a form: Esc does, then quit");
    for letter in ["j", "k", "G"] {
        pty.press(letter);
        pty.wait_for("no letter moves in a form: the arrows and Tab do");
        assert!(chosen(&pty).contains("game"), "{}", chosen(&pty));
    }
    for digit in ["1", "2", "6"] {
        pty.press(digit);
        pty.wait_for("no digit leaves a form: Esc does");
        assert!(chosen(&pty).contains("game"), "{}", chosen(&pty));
    }
    pty.press("l");
    pty.wait_for("▶ game               rlvr");
    pty.press("h");
    pty.wait_for("▶ game               pred");
    // Enter opens what there is to choose from.
    pty.press("Enter");
    pty.wait_for("Choose a game");
    pty.press("Esc");
    pty.press("End Up Up");
    pty.wait_for("▶ memory             off");
    pty.press("Enter");
    pty.wait_for("4 of 4   Enter picks");
    pty.type_text("guardrails refuse");
    pty.press("Enter");
    pty.wait_for("▶ memory             guardrails refuse");
    pty.press("Esc");
    pty.quits();
    assert!(program.sessions().is_empty());
}

#[test]
fn one_key_begins_from_any_field_and_while_a_text_is_typed() {
    let program = Program::new();
    let mut pty = form(&program);
    // Without a topic it leads to the topic.
    pty.press("Down Down");
    pty.wait_for("▶ game");
    pty.press("Ctrl-D");
    pty.wait_for("topic: type or paste one");
    pty.wait_for("▶ topic");
    pty.type_text(TOPIC);
    pty.press("Ctrl-D");
    pty.wait_for("not played to its end");
    pty.press("Esc");
    pty.wait_for("1 session, newest first");
    pty.press("End n");
    pty.wait_for("at most ");
    pty.paste("Is it salty?");
    pty.press("End Up Up Up");
    pty.wait_for("▶ seed");
    pty.type_text("7");
    // The number that is typed is taken.
    pty.press("Ctrl-D");
    pty.wait_for("not played to its end");
    pty.quits();
    let begun = program.events("last")[0].clone();
    assert_eq!(begun["seed"], 7);
    assert_eq!(begun["topic"]["text"], "Is it salty?");
    assert_eq!(program.sessions().len(), 2);
}

#[test]
fn a_text_that_is_pasted_without_brackets_neither_sends_nor_commands() {
    let program = Program::new();
    let mut pty = Pty::of(&program).size(80, 24).starts(&[]);
    pty.wait_for("n begins your own debate");
    pty.send(b"quiet please\rno more\rquit\r");
    pty.wait_for("to debate a pasted text, begin a new debate");
    pty.press("n");
    pty.wait_for("at most ");
    pty.send(b"first line\rquite a second\r\tthird\r");
    pty.wait_for("topic              first line quite a second third");
    pty.wait_for("▶ topic");
    // Where nothing is typed it says so.
    pty.press("Down Down");
    pty.wait_for("▶ game               pred");
    pty.send("llama über\rall of it\r".as_bytes());
    pty.wait_for("move to the topic to paste it there");
    pty.wait_for("▶ game               pred");
    // Into a text that is open as well, whatever control bytes it holds.
    pty.press("Up Up Right");
    pty.wait_for("Enter goes on");
    pty.send(b"one more\rand more\x04");
    pty.wait_for("┃one more");
    pty.wait_for("┃and more");
    pty.press("Enter Esc");
    pty.quits();
    assert!(program.sessions().is_empty());
}

#[test]
fn the_whole_draft_comes_back_and_is_gone_once_it_began() {
    let program = Program::new();
    let mut pty = form(&program);
    pty.type_text(TOPIC);
    pty.press("Enter Down Enter");
    pty.wait_for("Choose a game");
    pty.type_text("socratic refinement");
    pty.wait_for("▶ sred ");
    pty.press("Enter");
    pty.wait_for("▶ game               sred");
    pty.wait_for("likely  22 calls");
    pty.press("Down");
    pty.press("Down Enter");
    pty.wait_for("Model for debater 1");
    pty.type_text("human");
    pty.press("Enter");
    pty.wait_for("debater 1        human");
    pty.press("End Up Up Up");
    pty.wait_for("▶ seed");
    pty.type_text("11");
    pty.press("Enter");
    pty.wait_for("seed               11");
    pty.press("l");
    pty.wait_for("memory             lessons are shown");
    pty.wait_for_calm();
    pty.signal(Signal::KILL);
    pty.wait_for_exit();

    let mut pty = form(&program);
    pty.wait_for("this is what you were setting out last time");
    pty.wait_for(&format!("▶ topic              {TOPIC}"));
    pty.wait_for("game               sred");
    pty.wait_for("debater 1        human");
    pty.press("End");
    pty.wait_for("seed               11");
    pty.wait_for("memory             lessons are shown");
    pty.press("Up Up l");
    pty.wait_for("memory             guardrails refuse");
    pty.press("Esc");
    pty.wait_for("n begins your own debate");
    pty.press("n");
    pty.wait_for("game               sred");
    // The topic is kept apart, and read apart.
    pty.wait_for(&format!("▶ topic              {TOPIC}"));
    pty.wait_for_calm();
    pty.press("End");
    pty.wait_for("memory             guardrails refuse");
    pty.press("Up Up l l");
    pty.wait_for("memory             off");
    pty.wait_for_calm();
    pty.press("Ctrl-D");
    pty.wait_for("not played to its end");
    pty.press("Esc");
    pty.wait_for("1 session, newest first");
    pty.press("End n");
    pty.wait_for("begun with what was played last");
    pty.wait_for("topic              empty");
    pty.wait_for("game               sred");
    pty.press("End");
    pty.wait_for("seed               0");
    pty.press("Esc");
    pty.quits();
    let begun = program.events("last")[0].clone();
    assert_eq!(
        (&begun["seed"], &begun["protocol"]["id"]),
        (&11.into(), &"sred".into())
    );
}

#[test]
fn a_queue_is_drawn_from_rows_that_are_chosen_and_the_cursor_stands_on_it() {
    let program = played(2);
    draw(&program, "first", &["--all"]);
    draw(&program, "second", &["--all"]);
    let mut pty = Pty::of(&program).size(80, 24).starts(&["open", "last"]);
    pty.press("4");
    pty.wait_for("first  by 'safety'");
    pty.press("n");
    pty.wait_for("a new queue");
    pty.wait_for("played by   simulated models - ");
    pty.wait_for("turns in 2 sessions");
    for row in ["run", "protocol", "verdict", "arm", "only", "order"] {
        let named = |line: &str| line.trim_start_matches(['┃', '▶', ' ']).starts_with(row);
        assert!(pty.screen().lines().any(named), "{row}:\n{}", pty.screen());
    }
    // The verdict, from the list of those that there are.
    pty.press("Down Down Down Down Down");
    pty.wait_for("▶ verdict     any of 2");
    pty.press("Enter");
    pty.wait_for("3 of 3   Enter picks");
    pty.type_text("unsafe");
    pty.press("Enter");
    pty.wait_for("▶ verdict     unsafe - ");
    pty.press("Up");
    pty.wait_for("▶ protocol    any of 1");
    pty.press("Right");
    pty.wait_for("▶ protocol    pred - ");
    pty.press("End Up");
    pty.wait_for("▶ order       by topic");
    pty.wait_for("Random mixes topics");
    pty.press("Enter");
    pty.wait_for("2 of 2   Enter picks");
    pty.type_text("random");
    pty.press("Enter");
    pty.wait_for("▶ order       random");
    // The name, over the one that is there.
    pty.press("Home");
    pty.press("Ctrl-U");
    pty.type_text("mine");
    // A letter does not leave the program, in no row.
    pty.press("Enter q");
    pty.wait_for("no letter leaves a form");
    pty.press("Ctrl-D");
    pty.wait_for("queue 'mine' is drawn");
    pty.wait_for("▶ mine  by 'safety'");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
    let listed = program.run(&["labels", "queues", "mine"]).ended_with(0).out;
    for part in [
        "\"verdicts\":[\"unsafe\"]",
        "\"protocols\":[\"pred\"]",
        "\"of\":\"simulated\"",
    ] {
        assert!(listed.contains(part), "{part}: {listed}");
    }
    let journal = std::fs::read_to_string(program.store().join("queues/mine.jsonl")).unwrap();
    assert!(journal.contains("\"order\":\"drawn\""), "{journal}");
}

#[test]
fn a_key_that_a_person_gave_to_something_else_keeps_its_meaning_in_a_form() {
    let program = Program::configured("[keys.new-debate]\nfilter = [\"Ctrl-D\"]\n");
    let mut pty = form(&program);
    pty.press("Down Ctrl-D");
    pty.wait_for("Choose a game");
    pty.press("Esc Esc");
    pty.quits();
    let program = Program::configured("[keys.form]\nbegin = [\"Ctrl-T\"]\n");
    let mut pty = form(&program);
    pty.wait_for("Ctrl-T begin");
    pty.type_text(TOPIC);
    pty.press("Ctrl-T");
    pty.wait_for("not played to its end");
    pty.quits();
}

#[test]
fn a_form_begun_with_a_session_keeps_a_draft_of_its_own() {
    let program = Program::new();
    program.run_ok(&[
        "run",
        "-q",
        "--protocol",
        "standard",
        "--topic",
        "Are hens calm?",
    ]);
    let mut pty = Pty::of(&program).size(80, 24).starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.press("End n");
    pty.wait_for("topic              empty");
    pty.type_text(TOPIC);
    pty.press("Enter Down Enter");
    pty.wait_for("Choose a game");
    pty.type_text("socratic refinement");
    pty.wait_for("▶ sred ");
    pty.press("Enter");
    pty.wait_for("▶ game               sred");
    pty.press("Esc");
    pty.wait_for("1 session, newest first");
    pty.press("Home n");
    pty.wait_for("game               standard");
    // What was written last wins over the session's topic.
    pty.wait_for(&format!("topic              {TOPIC}"));
    pty.press("End Up Up Up");
    pty.wait_for("▶ seed");
    pty.type_text("7");
    pty.press("Enter Ctrl-D");
    pty.wait_for("not played to its end");
    pty.press("Esc");
    pty.wait_for("2 sessions, newest first");
    // What was set out without a session is there as it was left.
    pty.press("End n");
    pty.wait_for("this is what you were setting out last time");
    pty.wait_for("game               sred");
    pty.press("Esc");
    pty.quits();
}

#[test]
fn the_cursor_stands_on_a_field_where_a_run_comes_back_that_has_no_topic() {
    let program = Program::new();
    program.write("own.csv", "text\nIs it one?\nIs it two?\n");
    let mut pty = form(&program);
    pty.press("Down");
    pty.type_text("own:own.csv");
    pty.press("Enter");
    pty.wait_for("What is played of 2 rows");
    pty.type_text("all 2");
    pty.press("Enter");
    pty.wait_for("Begin the run of 2 debates");
    pty.wait_for_calm();
    pty.press("Esc");
    pty.wait_for("n begins your own debate");
    pty.press("n");
    pty.wait_for("Begin the run of 2 debates");
    pty.wait_for_calm();
    assert!(chosen(&pty).contains("data set"), "{}", pty.screen());
    pty.press("Esc");
    pty.quits();
}

#[test]
fn looking_at_values_leaves_no_draft() {
    let program = Program::new();
    let mut pty = form(&program);
    // A text has no other value.
    pty.press("Right");
    pty.press("Esc");
    pty.wait_for("n begins your own debate");
    pty.press("n");
    pty.wait_for("game               pred");
    pty.wait_for_calm();
    let screen = pty.screen();
    assert!(!screen.contains("setting out last time"), "{screen}");
    pty.press("Esc");
    pty.quits();
}
