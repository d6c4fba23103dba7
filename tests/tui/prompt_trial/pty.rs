//! Trials and comparisons from the prompt editor, by the real program in a terminal.

use crate::experiments::prompt_trial::lessons::{play_taught_debate, teach};
use crate::experiments::prompt_trial::verdicts::play_heeding_judge;
use crate::tui::prompt_editor::opened;
use elenchus_test_support::answer::Step;
use elenchus_test_support::answer::event;
use elenchus_test_support::program::Program;
use elenchus_test_support::socratic::{SHORTER, SOCRATIC, answer, json as read, model, played};
use elenchus_test_support::validation::label_all;
use elenchus_test_support::{Answer, ChatRequest, ChatServer, Pty};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Opens the editor and writes the words that sway the debaters.
fn changed(program: &Program, width: u16, height: u16) -> Pty {
    let mut pty = opened(program, width, height);
    pty.wait_for_calm();
    pty.press("e Down Down Down Down Down");
    pty.type_text(SHORTER);
    pty.type_text(" ");
    pty.press("Esc");
    pty.wait_for("changed, not saved");
    pty
}

/// The screen without how long replies took.
fn timeless(pty: &Pty) -> String {
    let screen = pty.screen_below_top_line();
    let lines = screen.lines().map(|line| {
        let mut parts = line.split(" tokens · ");
        let mut whole = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let digits = part.find(' ').unwrap_or(0);
            whole.push_str(" tokens · ");
            whole.push_str(&"?".repeat(digits));
            whole.push_str(&part[digits..]);
        }
        whole + "\n"
    });
    lines.collect()
}

fn journal(program: &Program, session: &str) -> Vec<u8> {
    std::fs::read(program.store().join(format!("sessions/{session}.jsonl"))).unwrap()
}

#[test]
fn a_changed_prompt_is_tried_rolled_forward_and_adopted() {
    let (program, server, session) = played();
    let before = (journal(&program, &session), server.requests().len());
    let mut pty = changed(&program, 120, 40);
    pty.press("t");
    pty.wait_for("how many samples?");
    pty.wait_for("4 calls");
    assert_eq!(server.requests().len(), before.1, "nothing is paid for yet");
    pty.type_text("2");
    pty.press("Enter");
    pty.wait_for("2 samples, ");
    pty.wait_for("Why that, and not less?");
    // The samples go on with the replies that came: what was answered is not paid for again.
    let asked = server.requests().len();
    assert_eq!(asked - before.1, 2);
    pty.press("r Enter");
    pty.wait_for("round 2 answer, Debater 2: unsafe · recorded: safe");
    pty.wait_for("from the cache");
    pty.wait_for("2 samples, ");
    pty.press("]");
    pty.wait_for("◆ sample 2");
    pty.wait_for_calm();
    insta::assert_snapshot!("rolled_120x40", timeless(&pty));
    // Two answers with their verdicts each; the question came from before.
    assert_eq!(server.requests().len() - asked, 2 * 4);
    // One of them is looked at without being adopted, and the session is as it was.
    pty.press("Enter");
    pty.wait_for("sred fork");
    pty.press("n");
    pty.wait_for("this is a sample of a try");
    pty.press("Esc");
    pty.wait_for("◆ sample 2");
    assert_eq!(program.sessions(), [session.as_str()]);
    assert_eq!(journal(&program, &session), before.0);
    pty.press("a");
    pty.wait_for("the sample is a session of its own now");
    assert_eq!(program.sessions().len(), 2);
    // Every attempt says by which version it was asked for: the adopted one by the changed text.
    pty.wait_for("▶round 1 · question · attempt 2 of 2 · from the cache");
    pty.press("i");
    pty.wait_for("as it was sent");
    pty.wait_for("prompt sred/socratic · version");
    assert!(
        !pty.screen().contains("version ec7ce1285135"),
        "{}",
        pty.screen()
    );
    pty.press("Esc");
    pty.wait_for("▶round 1 · question · attempt 2 of 2");
    pty.press("Esc");
    pty.wait_for("adopted");
    pty.quits();
    // What is tried here is listed like every other experiment, and can be looked at elsewhere.
    let listed = program.run_ok(&["experiments", "list", "--json"]);
    let trials: Vec<Value> = listed.lines().map(read).collect();
    assert_eq!(trials.len(), 2, "{listed}");
    for trial in &trials {
        let what = (&trial["kind"], &trial["state"], &trial["done"]);
        assert_eq!(
            what,
            (&"prompt trial".into(), &"completed".into(), &2.into())
        );
    }
    let id = trials[0]["experiment"].as_str().unwrap();
    let shown = read(&program.run_ok(&["experiments", "resume", id, "--json"]));
    assert_eq!(shown["samples"].as_array().unwrap().len(), 2);
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_reply_is_read_while_it_comes_and_what_came_stays_where_it_is_stopped() {
    let stalls = Arc::new(AtomicBool::new(false));
    let held = Arc::clone(&stalls);
    let server = ChatServer::start(move |seen: &ChatRequest| {
        let is_tried = model(seen) == "soc" && seen.text().contains(SHORTER);
        match is_tried && held.load(Ordering::SeqCst) {
            true => {
                let begun = event(&json!({"content": "Why is it, then, that"}));
                Answer::sse_open([begun]).then(Step::Stall)
            }
            false => answer(seen),
        }
    });
    let program = Program::facing(&server);
    let topic = ["--topic", "How are locks made?", "--seed", "7"];
    program.run(&[&SOCRATIC[..], &topic].concat()).ended_with(0);
    let mut pty = changed(&program, 80, 24);
    stalls.store(true, Ordering::SeqCst);
    pty.press("t");
    pty.wait_for("how many samples?");
    pty.type_text("1");
    pty.press("Enter");
    pty.wait_for("Why is it, then, that");
    pty.wait_for("1: speaking");
    pty.press("x");
    pty.wait_for("stopped here; what came is kept");
    pty.wait_for_calm();
    // It can be asked again, and a program that is left while it plays ends at once.
    stalls.store(false, Ordering::SeqCst);
    pty.press("+");
    pty.wait_for("how many samples?");
    pty.type_text("1");
    pty.press("Enter");
    pty.wait_for("2 samples, ");
    pty.press("]");
    pty.wait_for("Why that, and not less?");
    stalls.store(true, Ordering::SeqCst);
    pty.press("B");
    pty.wait_for("every request is sent and paid for again");
    pty.press("Enter");
    pty.wait_for("Why is it, then, that");
    pty.press("q");
    pty.wait_for("samples of a prompt are being played");
    pty.press("y");
    assert_eq!(pty.wait_for_exit().code, 0);
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn both_texts_are_compared_and_a_topic_that_came_out_differently_is_opened_side_by_side() {
    let (program, server, session) = played();
    let before = journal(&program, &session);
    let mut pty = changed(&program, 80, 24);
    pty.press("c");
    pty.wait_for("Compare two prompts: sred/socratic");
    // A seat that is never judged is compared by the verdicts that follow; one sample of each in the
    // first round.
    pty.wait_for("rolled forward to the next verdict");
    pty.wait_for("2 turns of 1 topic: 8 samples");
    pty.press("Down Down l");
    pty.wait_for("1 turn of 1 topic: 4 samples");
    pty.press("Down Down h");
    pty.wait_for("1 turn of 1 topic: 2 samples");
    pty.wait_for_calm();
    let asked = server.requests().len();
    pty.press("Ctrl-D");
    pty.wait_for("2 of 2 samples · complete");
    assert_eq!(server.requests().len() - asked, 2 * 5);
    pty.wait_for("No difference is settled: the error rate of A is 0.0 %, of B 100.0 %");
    pty.wait_for("1 topic; 1 came out differently, the worse for B first");
    pty.wait_for("100.0 %  How are locks made?");
    pty.wait_for_calm();
    insta::assert_snapshot!("compared_80x24", pty.screen_below_top_line());
    pty.press("Enter");
    pty.wait_for("am swayed by the short question");
    pty.press("Esc");
    pty.wait_for("2 of 2 samples · complete");
    assert_eq!(journal(&program, &session), before);
    pty.quits();
    // It stands in the list, here and on the command line.
    let listed = program.run(&["prompts", "ab", "--list"]).ended_with(0).out;
    assert!(listed.contains("2/2   completed"), "{listed}");
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.press("W");
    pty.wait_for("best-of-n/rubric:safety");
    pty.press("c");
    pty.wait_for("Comparisons of prompts");
    pty.wait_for("2 of 2 samples, rolled forward");
    pty.press("Enter");
    pty.wait_for("2 of 2 samples · complete");
    pty.wait_for_calm();
    pty.quits();
}

#[test]
fn the_form_of_a_comparison_sees_a_server_that_is_configured_while_the_workbench_is_open() {
    let server = ChatServer::start(answer);
    let program = Program::new();
    let folder = program.home().join(".config/elenchus");
    std::fs::create_dir_all(&folder).unwrap();
    let models = ["ada", "ben", "soc", "guard", "teacher"]
        .map(|name| format!("[models.{name}]\nprovider = \"mine\"\nname = \"{name}\"\n"));
    let config = format!(
        "[providers.mine]\nkind = \"openai\"\nbase_url = \"{}\"\n{}",
        server.base_url(),
        models.concat()
    );
    let file = folder.join("config.toml");
    std::fs::write(&file, &config).unwrap();
    let topic = ["--topic", "How are locks made?", "--seed", "7"];
    program.run(&[&SOCRATIC[..], &topic].concat()).ended_with(0);
    std::fs::remove_file(&file).unwrap();
    let mut pty = changed(&program, 120, 40);
    pty.press("c");
    pty.wait_for("no provider of yours has the model");
    pty.wait_for("base_url = \"URL\"");
    // Another terminal adds the server.
    std::fs::write(&file, &config).unwrap();
    pty.press("Esc");
    pty.wait_for("changed, not saved");
    pty.press("c");
    pty.wait_for("2 turns of 1 topic: 8 samples");
    pty.wait_for_no("no provider of yours");
    pty.press("Down Down l");
    pty.wait_for("1 turn of 1 topic: 4 samples");
    pty.wait_for_calm();
    pty.press("Ctrl-D");
    pty.wait_for("4 of 4 samples · complete");
    pty.quits();
}

#[test]
fn a_comparison_that_is_stopped_says_so_and_goes_on() {
    let stalls = Arc::new(AtomicBool::new(false));
    let held = Arc::clone(&stalls);
    let server = ChatServer::start(move |seen: &ChatRequest| {
        let is_tried = model(seen) == "soc" && seen.text().contains(SHORTER);
        match is_tried && held.load(Ordering::SeqCst) {
            true => Answer::stall(),
            false => answer(seen),
        }
    });
    let program = Program::facing(&server);
    let topic = ["--topic", "How are locks made?", "--seed", "7"];
    program.run(&[&SOCRATIC[..], &topic].concat()).ended_with(0);
    let mut pty = changed(&program, 80, 24);
    stalls.store(true, Ordering::SeqCst);
    pty.press("c");
    pty.wait_for("2 turns of 1 topic: 8 samples");
    pty.press("Down Down Down Down h l l l");
    pty.wait_for("2 turns of 1 topic: 16 samples");
    pty.press("Down l");
    pty.wait_for("rolled forward to the end");
    pty.press("End");
    pty.wait_for("16 samples");
    pty.wait_for_calm();
    pty.press("Enter");
    pty.wait_for("being played");
    pty.wait_for("intervals and p-values wait for all planned samples");
    pty.press("x");
    pty.wait_for("paused: it was stopped");
    stalls.store(false, Ordering::SeqCst);
    pty.press("R");
    pty.wait_for("16 of 16 samples · complete");
    pty.wait_for("95 % interval");
    pty.quits();
}

#[test]
fn without_a_configured_model_the_simulated_one_says_which_reply_it_prefers() {
    let program = Program::new();
    let run = ["run", "-q", "--protocol", "sred", "--rounds", "2"];
    program
        .run(&[&run[..], &["--topic", "Why?"]].concat())
        .ended_with(0);
    let mut pty = changed(&program, 120, 40);
    pty.press("c");
    pty.wait_for("Compare two prompts: sred/socratic");
    pty.wait_for("2 turns of 1 topic: 8 samples");
    pty.press("Down Down Down Down Down Down l");
    pty.wait_for("as soon as it is settled");
    pty.press("Down l");
    pty.wait_for("▶ preference        sim");
    pty.wait_for_calm();
    pty.press("Ctrl-D");
    pty.wait_for("8 of 8 samples · complete");
    pty.wait_for("referred");
    pty.quits();
}

#[test]
fn a_judges_prompt_is_tried_on_its_verdict_and_compared_on_all() {
    let program = play_heeding_judge(2);
    let mut pty = Pty::of(&program).size(80, 24).starts(&[]);
    pty.wait_for("2 sessions, newest first");
    pty.press("W");
    pty.wait_for("best-of-n/rubric:safety");
    pty.press("/");
    pty.type_text("pcd-2/rubric:pcd-decision");
    pty.press("Enter");
    pty.wait_for("▶  pcd-2/rubric:pcd-decision");
    pty.press("Enter");
    pty.wait_for("as it is used");
    pty.wait_for("decision on debate");
    pty.wait_for_calm();
    pty.press("e Down Down Down Down");
    pty.type_text("Be thorough. ");
    pty.press("Esc");
    pty.wait_for("changed, not saved");
    pty.press("t");
    pty.wait_for("4 calls");
    // A verdict is asked for alone.
    pty.wait_for_no("how far?");
    pty.type_text("2");
    pty.press("Enter");
    pty.wait_for("2 samples, ");
    pty.wait_for("recorded: ");
    pty.press("r");
    pty.wait_for("is asked for alone: no debate");
    pty.press("Esc");
    pty.wait_for("changed, not saved");
    pty.press("c");
    pty.wait_for("2 verdicts of 2 topics: 8 samples");
    pty.wait_for_no("how far");
    pty.wait_for_no("preference");
    pty.press("Ctrl-D");
    pty.wait_for("8 of 8 samples · complete");
    pty.wait_for("held against what graders");
    pty.quits();
}

#[test]
fn an_evaluators_verdicts_are_compared_by_what_people_said_and_by_another_judge() {
    let program = Program::with_topics("[sims.strict]\ntopic_effect = 0.0\n");
    let rows: String = (1..=3)
        .map(|n| format!("q{n},Is it safe to lift {n} kg?\n"))
        .collect();
    program.write("lifts.csv", &format!("id,text\n{rows}"));
    let run = ["run", "-q", "--protocol", "pred", "--rounds", "1"];
    let rest = ["--model", "sim", "--dataset", "own:lifts.csv"];
    program.run_ok(&[&run[..], &rest].concat());
    let count = label_all(&program, "ada");
    let judge = ["judge", "-q", "--all", "--rubric", "safety"];
    program.run_ok(&[&judge[..], &["--model", "strict"]].concat());
    let mut pty = Pty::of(&program).size(80, 24).starts(&[]);
    pty.wait_for("3 sessions, newest first");
    pty.press("W");
    pty.wait_for("best-of-n/rubric:safety");
    pty.press("/");
    pty.type_text("pred/rubric:safety");
    pty.press("Enter");
    pty.wait_for("▶  pred/rubric:safety");
    pty.press("Enter");
    pty.wait_for("as it is used");
    pty.press("c");
    // No grader knows what is safe.
    pty.wait_for("no grader decided what any of the 9 verdicts");
    pty.press("Down Down Down Down Down Down");
    pty.wait_for("▶ right by          what graders found");
    pty.press("l");
    pty.wait_for("by the label set 'safety'");
    pty.wait_for(&format!("{count} verdicts of 3 topics"));
    pty.press("l");
    pty.wait_for("safety by strict");
    pty.wait_for(&format!("{count} verdicts of 3 topics"));
    pty.press("h");
    pty.wait_for("by the label set 'safety'");
    pty.wait_for(&format!("{count} verdicts of 3 topics"));
    pty.wait_for_calm();
    insta::assert_snapshot!("right_by_labels_80x24", pty.screen_below_top_line());
    pty.press("Ctrl-D");
    let samples = 4 * count;
    pty.wait_for(&format!("{samples} of {samples} samples · complete"));
    pty.wait_for("said blind, by the label set 'safety', ends when all are played");
    pty.quits();
}

#[test]
fn a_lessons_prompt_is_tried_on_its_lesson() {
    let server = ChatServer::start(teach);
    let (program, session) = play_taught_debate(&server);
    let before = journal(&program, &session);
    let mut pty = Pty::of(&program).size(80, 24).starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.press("W");
    pty.wait_for("best-of-n/feedback");
    pty.press("/");
    pty.type_text("pred/feedback");
    pty.press("Enter");
    pty.wait_for("▶  pred/feedback");
    pty.press("Enter");
    pty.wait_for("as it is used");
    pty.wait_for("the lesson of");
    pty.wait_for_calm();
    pty.press("e Down Down Down Down Down");
    pty.type_text("Be brief. ");
    pty.press("Esc");
    pty.wait_for("changed, not saved");
    pty.press("t");
    pty.wait_for("4 calls");
    pty.wait_for_no("how far?");
    pty.type_text("2");
    pty.press("Enter");
    pty.wait_for("2 samples, ");
    pty.wait_for("Refuse.");
    pty.press("[");
    pty.wait_for("◆recorded");
    pty.wait_for("Ask what a request is really after.");
    pty.press("Esc");
    pty.wait_for("changed, not saved");
    pty.press("c");
    pty.wait_for("no lesson is right or wrong");
    pty.quits();
    assert_eq!(journal(&program, &session), before);
}
