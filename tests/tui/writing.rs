//! What a screen shows is written to a file, and what it shows of verdicts is recorded.

use crate::tui::debate::walk::{TWO_ROUNDS, calm_and_bold, program_of};
use elenchus_test_support::answer::{event, finish, usage};
use elenchus_test_support::labelling::{draw, played};
use elenchus_test_support::program::{Program, is_written};
use elenchus_test_support::validation::label_all;
use elenchus_test_support::{Answer, ChatServer, Pty};
use serde_json::json;

/// What was recorded of verdicts that a person was shown.
fn recorded(program: &Program) -> String {
    let files = program.store_files().into_iter();
    let sights = files.filter(|(path, _)| path.to_string_lossy().contains("sights"));
    sights
        .map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned())
        .collect()
}

#[test]
fn a_matrix_leaves_as_text_and_as_a_page_and_all_of_it_counts_as_shown() {
    let server = calm_and_bold();
    let program = program_of(&server);
    let many = ["--dataset", "own:topics.csv", "--rollouts", "3"];
    program.run_ok(&[TWO_ROUNDS, &many].concat());
    let run = program.run_id().unwrap();
    // So low that not every line is in sight.
    let mut pty = Pty::of(&program).size(80, 16).starts(&[]);
    pty.press("6");
    pty.wait_for("1 of 1 experiments");
    pty.press("v");
    pty.wait_for("24 of 60 turns wrong or unsafe");
    pty.wait_for_calm();
    let before = recorded(&program);
    let sessions = program.sessions();
    assert!(
        sessions.iter().any(|session| !before.contains(session)),
        "{before}"
    );
    pty.press("w");
    pty.wait_for("Write what is shown as");
    pty.press("Enter");
    pty.wait_for("Write the table as text: to which file?");
    pty.press("Enter");
    let name = format!("elenchus-matrix-{run}.txt");
    let file = program.work().join(&name);
    pty.wait_until("the file is there", |_| is_written(&file));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.starts_with("15 debates · 5 topics · sorted by wrong or unsafe turns\n"),
        "{text}"
    );
    assert!(text.contains("U unsafe, S safe"), "{text}");
    pty.wait_for_calm();
    let after = recorded(&program);
    for session in &sessions {
        assert!(after.contains(session), "{session}: {after}");
    }
    pty.press("w Down Enter");
    pty.wait_for("Write a page to send: to which file?");
    pty.press("Enter");
    pty.wait_for("a page of 15 debates is written");
    let page =
        std::fs::read_to_string(program.work().join(format!("elenchus-{run}.html"))).unwrap();
    assert_eq!(page.matches("<details class=\"debate").count(), 15);
    // Never over a file that is there.
    pty.press("w Enter Enter");
    pty.wait_for("choose another name: ");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    pty.quits();
}

#[test]
fn what_is_written_of_debates_that_are_labelled_holds_no_verdict_of_them() {
    let program = played(3);
    draw(&program, "short", &["--all"]);
    let mut pty = Pty::of(&program).starts(&["annotate", "short"]);
    pty.wait_for("1 of ");
    pty.press("s");
    pty.wait_for("1 labelled");
    pty.quits();
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.press("6");
    pty.wait_for("1 of 1 experiments");
    pty.press("v");
    pty.wait_for("3 debates · 3 topics");
    pty.wait_for("verdicts of this debate are hidden while you label it");
    pty.press("w Enter");
    pty.wait_for("Write the table as text");
    let run = program.run_id().unwrap();
    let file = program.work().join(format!("elenchus-matrix-{run}.txt"));
    pty.press("Enter");
    pty.wait_until("the file is there", |_| is_written(&file));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("h h h   h h h"), "{text}");
    assert!(text.trim_end().ends_with("\n\nh hidden"), "{text}");
    pty.press("w Down Enter");
    pty.wait_for("Write a page to send: to which file?");
    pty.press("Enter");
    pty.wait_for("is one that you are labelling");
    assert!(!program.work().join(format!("elenchus-{run}.html")).exists());
    pty.quits();
    // The command writes none either, but one without verdicts.
    let refused = program.run_err(1, &["report", &run, "-o", "told.html"]);
    assert!(
        refused.contains("is one that you are labelling"),
        "{refused}"
    );
    assert!(!program.work().join("told.html").exists());
    program.run_ok(&["report", &run, "--blind", "-o", "blind.html"]);
    let recorded = recorded(&program);
    for session in program.sessions() {
        assert!(!recorded.contains(&session), "{session}: {recorded}");
    }
}

/// Streams `unsafe` with the probability of its first word.
fn guarded(probability: f64) -> Answer {
    let entry = json!({"token": "unsafe", "logprob": probability.ln(), "top_logprobs": [
        {"token": "unsafe", "logprob": probability.ln()},
        {"token": "safe", "logprob": (1.0 - probability).ln()},
    ]});
    let choice = json!({"index": 0, "delta": {"content": "unsafe"}, "finish_reason": null,
        "logprobs": {"content": [entry]}});
    Answer::sse([
        format!(
            "data: {}\n\n",
            json!({"model": "Llama-Guard-3-8B", "choices": [choice]})
        ),
        event(&json!({"content": "\nS2"})),
        finish("stop"),
        usage(11, 4),
        "data: [DONE]\n\n".to_owned(),
    ])
}

#[test]
fn validation_leaves_as_text_and_its_scores_as_a_picture() {
    let server = ChatServer::start(|seen| match seen.body["model"].as_str().unwrap() {
        "guard" => guarded(0.875),
        "judge" => Answer::chat(&seen.with_mark("Nothing here.\nVERDICT: safe")),
        _ => Answer::chat("Better not."),
    });
    let program = Program::with_topics(&format!(
        "[providers.here]\nbase_url = \"{}\"\n\
         [models.calm]\nprovider = \"here\"\nname = \"calm\"\n\
         [models.bold]\nprovider = \"here\"\nname = \"bold\"\n\
         [models.guard]\nprovider = \"here\"\nname = \"guard\"\n\
         [models.judge]\nprovider = \"here\"\nname = \"judge\"\n",
        server.base_url()
    ));
    program.run_ok(&[TWO_ROUNDS, &["--dataset", "own:topics.csv"]].concat());
    program.run_ok(&[
        "judge",
        "--all",
        "--rubric",
        "llama-guard-3",
        "--model",
        "guard",
        "-q",
    ]);
    label_all(&program, "ada");
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.press("V");
    pty.wait_for("20 turns with gold");
    pty.wait_for_calm();
    let scored = |pty: &mut Pty| {
        for _ in 0..10 {
            pty.press("w");
            pty.wait_for("as text");
            if pty.screen().contains("the picture of its scores as SVG") {
                return;
            }
            pty.press("Esc");
            pty.wait_for_no("to which file?");
            pty.press("j");
            pty.wait_for_calm();
        }
        panic!("no evaluator has scores:\n{}", pty.screen());
    };
    scored(&mut pty);
    pty.press("Enter");
    pty.wait_for("Write the table as text: to which file?");
    pty.press("Enter");
    let table = program.work().join("elenchus-validation-evaluators.txt");
    pty.wait_until("the table is there", |_| is_written(&table));
    let table = std::fs::read_to_string(&table).unwrap();
    assert!(
        table.contains("sens.") && table.contains("spec."),
        "{table}"
    );
    pty.press("Enter");
    pty.wait_for("rows: gold label, columns: verdict");
    pty.press("w Down Enter");
    pty.wait_for("Write the picture of its scores as SVG: to which file?");
    pty.press("Enter");
    let picture = program.work().join("elenchus-validation-reliability.svg");
    pty.wait_until("the picture is there", |_| is_written(&picture));
    // What is said of it stands where the next words are looked for.
    pty.wait_for("written to elenchus-validation-reliability.svg");
    let picture = std::fs::read_to_string(&picture).unwrap();
    assert!(
        picture.starts_with("<svg") && picture.contains("unsafe by people"),
        "{picture}"
    );
    // A cell: all of its turns.
    pty.press("j Enter");
    pty.wait_for("turn 1 of");
    pty.wait_for("verdict ");
    pty.wait_for_calm();
    pty.press("w");
    pty.wait_for("Write the turns of the cell as text");
    pty.press("Enter");
    let cell = program.work().join("elenchus-validation-cell.txt");
    pty.wait_until("the turns are there", |_| is_written(&cell));
    let cell = std::fs::read_to_string(&cell).unwrap();
    assert!(cell.matches("elenchus show ").count() > 1, "{cell}");
    pty.quits();
}

#[test]
fn a_comparison_of_prompts_leaves_as_text() {
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
    let turn = ["--protocol", "pred", "--round", "1", "--turns", "1"];
    let texts = ["--a", "built-in", "--b", "recorded"];
    program.run_ok(&[&["prompts", "ab"], &turn[..], &texts].concat());
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.press("6");
    pty.wait_for("1 of 1 experiments");
    pty.press("Enter");
    pty.wait_for("2 of 2 samples · complete");
    pty.wait_for_no("1 of 1 experiments");
    pty.press("w");
    pty.wait_for("Write the report as text: to which file?");
    pty.press("Enter");
    pty.wait_for_no("to which file?");
    let written = || {
        let files = std::fs::read_dir(program.work()).unwrap();
        let mut files = files.map(|file| file.unwrap().path());
        files.find(|file| file.to_string_lossy().contains("elenchus-prompts-ab-"))
    };
    pty.wait_until("the report is there", |_| {
        written().is_some_and(|path| is_written(&path))
    });
    let report = std::fs::read_to_string(written().unwrap()).unwrap();
    assert!(
        report.contains("built-in") && report.contains("recorded"),
        "{report}"
    );
    pty.quits();
}

#[test]
fn a_pass_leaves_as_a_page() {
    let server = calm_and_bold();
    let program = program_of(&server);
    program.run_ok(&[TWO_ROUNDS, &["--dataset", "own:topics.csv"]].concat());
    program.run_ok(&[
        "judge", "--all", "--rubric", "safety", "--model", "judge", "-q",
    ]);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.press("6");
    pty.wait_for("2 of 2 experiments");
    pty.wait_for("w export");
    pty.press("w");
    pty.wait_for("Write a page to send: to which file?");
    pty.press("Enter");
    pty.wait_for("a page of 5 debates is written");
    pty.quits();
}
