//! The page of an experiment's figures: its lines lead to the debates that they are about.

use crate::tui::debate::walk::{TWO_ROUNDS, calm_and_bold, program_of};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer, Pty};

/// More lines than a page of these tests has.
const MANY: usize = 60;

/// Puts the cursor of a page on the next line that has a text.
fn go_to_line(pty: &mut Pty, text: &str) {
    for _ in 0..MANY {
        let screen = pty.screen();
        let mut lines = screen.lines();
        if lines.any(|line| line.contains('▶') && line.contains(text)) {
            return;
        }
        pty.press("j");
        pty.wait_for_calm();
    }
    panic!("no line with {text} is reached:\n{}", pty.screen());
}

#[test]
fn a_figure_leads_to_the_verdicts_of_its_part_and_esc_back_to_its_line() {
    let server = calm_and_bold();
    let program = program_of(&server);
    program.run_ok(&[TWO_ROUNDS, &["--dataset", "own:topics.csv"]].concat());
    for (width, height) in [(80, 24), (120, 40)] {
        let mut pty = Pty::of(&program).size(width, height).starts(&[]);
        pty.press("6");
        pty.wait_for("1 of 1 experiments");
        pty.press("Enter");
        pty.wait_for("by round");
        // Of five topics one is about a bicycle: in the others the second debater is unsafe in both rounds.
        for (line, part, wrong) in [
            ("error rate", "", "8 of 20 turns wrong or unsafe"),
            ("2    ", " · only round 2", "4 of 10 turns wrong or unsafe"),
            (
                "Debater 2",
                " · only seat Debater 2",
                "8 of 10 turns wrong or unsafe",
            ),
            (
                "bold",
                " · only model bold",
                "8 of 10 turns wrong or unsafe",
            ),
            (
                "doors",
                " · only category doors",
                "4 of 8 turns wrong or unsafe",
            ),
        ] {
            go_to_line(&mut pty, line);
            pty.press("Enter");
            pty.wait_for(wrong);
            pty.wait_for(&format!("sorted by wrong or unsafe turns ↓{part}"));
            pty.press("y");
            pty.wait_for("sent to terminal");
            let copied = STANDARD.decode(pty.clipboard().pop().unwrap()).unwrap();
            let copied = String::from_utf8(copied).unwrap();
            // What leaves as text says of which part it is.
            let head = part.replacen(" · ", "", 1);
            assert!(copied.starts_with(&head), "{copied}");
            pty.press("Esc");
            pty.wait_until("the cursor is on its line again", |screen| {
                let text = screen.text();
                let mut lines = text.lines();
                !text.contains("matrix ·") && lines.any(|at| at.contains('▶') && at.contains(line))
            });
        }
        pty.quits();
    }
}

#[test]
fn a_reason_leads_to_the_debates_that_failed_for_it() {
    let server = ChatServer::start(|seen| {
        let text = seen.text();
        match seen.body["model"].as_str().unwrap() {
            "bold" if text.contains("bicycle") => Answer::error(500, "resting", "not now"),
            "bold" if text.contains("bread") => Answer::error(400, "refused", "not this"),
            "judge" => Answer::chat(&seen.with_mark("It declines.\nVERDICT: safe")),
            _ => Answer::chat("Better not."),
        }
    });
    let program = program_of(&server);
    let run = [
        TWO_ROUNDS,
        &["--dataset", "own:topics.csv", "--concurrency", "1"],
    ]
    .concat();
    program.run(&run).ended_with(3);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.press("6");
    pty.wait_for("1 of 1 experiments");
    pty.press("Enter");
    pty.wait_for("by round");
    go_to_line(&mut pty, "not this");
    pty.wait_for("what was judged before counts");
    pty.press("Enter");
    pty.wait_for("1 debate · 1 topic");
    pty.wait_for("only failed: ");
    pty.wait_for("How long does bread dough rest");
    pty.wait_for("Debater 2, round 1, failed: ");
    pty.wait_for("status 400");
    pty.press("Enter");
    pty.wait_for("Debater 2 (bold) · round 1 · answer · failed");
    pty.wait_for("the server answered with status 400 (not this)");
    pty.press("Esc");
    pty.wait_for("only failed: ");
    pty.press("Esc");
    pty.wait_for("what failed, and why");
    pty.quits();
}

#[test]
fn a_line_of_a_pass_leads_to_what_the_pass_found() {
    let server = calm_and_bold();
    let program = program_of(&server);
    program.run_ok(&[TWO_ROUNDS, &["--dataset", "own:topics.csv"]].concat());
    program.run_ok(&[
        "judge", "--all", "--rubric", "safety", "--model", "judge", "-q",
    ]);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.press("6");
    pty.wait_for("2 of 2 experiments");
    pty.press("Enter");
    pty.wait_for("by round");
    go_to_line(&mut pty, "2    ");
    pty.press("Enter");
    pty.wait_for("matrix · pass");
    pty.wait_for("only round 2");
    pty.wait_for("4 of 10 turns wrong or unsafe");
    pty.press("Esc");
    pty.wait_for_no("matrix ·");
    pty.wait_for("by round");
    pty.quits();
}

#[test]
fn a_line_about_no_debates_says_so() {
    let program = Program::with_topics("");
    let debate = [
        "run",
        "--topic",
        "x",
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "-q",
    ];
    program.run_ok(&debate);
    let session = program.sessions().remove(0);
    program.run_ok(&["prompts", "try", &format!("{session}:r1.debater-0")]);
    let mut pty = Pty::of(&program).starts(&[]);
    pty.press("6");
    pty.wait_for("1 of 1 experiments");
    pty.press("Enter");
    pty.wait_for("experiments of this kind have no figures here");
    pty.press("Enter");
    pty.wait_for("this line is about no debates");
    pty.quits();
}
