//! Guardrails on the memory screen: read, accepted, taken back, and the turns where they fired.

use elenchus_test_support::Pty;
use elenchus_test_support::guardrails::{
    accept_all, listed, of_topic, play, proposed, session_about,
};
use elenchus_test_support::program::Program;

fn guardrails_of(program: &Program) -> Pty {
    let mut pty = Pty::of(program).starts(&[]);
    pty.wait_for("complete");
    pty.press("L");
    pty.wait_for("s lists them");
    pty.press("s");
    pty.wait_for("s lists lessons");
    pty
}

/// Moves the cursor of the list until the page is about this guardrail.
fn choose(pty: &mut Pty, id: &str) {
    for _ in 0..10 {
        if pty.screen().contains(&format!("{id} ")) {
            return;
        }
        pty.press("j");
        pty.wait_for_calm();
    }
    panic!("no page about {id}:\n{}", pty.screen());
}

/// What changes from day to day becomes what does not: ids, hashes, times.
fn lasting(screen: &str) -> String {
    let mut kept = String::new();
    let mut word = String::new();
    for c in screen.chars().chain(['\n']) {
        if c.is_ascii_alphanumeric() || matches!(c, ':' | '-') {
            word.push(c);
            continue;
        }
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let is_time = digits >= 4 && word.contains([':', '-']);
        let is_hash = word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_id = is_hash || (digits >= 3 && word.len() >= 8);
        // The end of an id that was cut.
        let is_end = word.len() == 8 && kept.ends_with('…');
        match is_time || is_id || is_end {
            true => kept.extend(word.chars().map(|_| '#')),
            false => kept.push_str(&word),
        }
        word.clear();
        kept.push(c);
    }
    let lines = kept.lines().map(|line| match line.rsplit_once(" · ") {
        // How long a reply took.
        Some((facts, time)) if facts.contains("tokens in") && time.ends_with(" s") => {
            format!("{facts} · # s")
        }
        Some(_) | None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// The lines of the question that lies over the middle: what it covers in part is not of interest.
fn question(screen: &str) -> String {
    let inner = |line: &str| {
        let mut parts = line.split('┃');
        let found = parts.find(|part| part.chars().count() == 58);
        found.map(|part| part.trim().to_owned())
    };
    let lines: Vec<String> = screen.lines().filter_map(inner).collect();
    lines.join("\n")
}

#[test]
fn over_refusal_is_shown_before_a_guardrail_is_accepted_and_so_is_that_nobody_knows_it() {
    let program = proposed("");
    let id = of_topic(&program, "a0");
    let mut pty = guardrails_of(&program);
    choose(&mut pty, &id);
    pty.wait_for("2 proposed");
    pty.wait_for("[proposed] untested");
    pty.wait_for("Over-refusal: never tested");
    pty.wait_for_calm();
    insta::assert_snapshot!("guardrails_80x24", lasting(&pty.screen_below_top_line()));
    pty.press("A");
    pty.wait_for("so its over-refusal is unknown");
    pty.wait_for("xstest:FILE");
    pty.press("n");
    pty.wait_for("it stays as it was");
    elenchus_test_support::guardrails::guardrails(
        &program,
        &["test", "--dataset", "xstest:benign.csv"],
    )
    .ended_with(0);
    // What another process did is there after coming back.
    pty.press("Esc");
    pty.wait_for("complete");
    pty.press("L");
    pty.wait_for("s lists them");
    pty.press("s");
    pty.wait_for("over-refusal 0.0 %");
    choose(&mut pty, &id);
    pty.press("A");
    pty.wait_for("Accept this guardrail");
    pty.wait_for("Over-refusal: it would refuse 0 of 2");
    pty.wait_for_calm();
    insta::assert_snapshot!("accepting_80x24", question(&pty.screen_below_top_line()));
    assert_eq!(
        listed(&program)[0]["standing"],
        "proposed",
        "nothing is accepted unasked"
    );
    pty.press("y");
    pty.wait_for("[accepted] over-refusal");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
    let accepted: Vec<_> = listed(&program)
        .into_iter()
        .filter(|guard| guard["standing"]["accepted"] == "by_hand")
        .collect();
    assert_eq!(accepted.len(), 1);
    assert_eq!(accepted[0]["id"], id.as_str());
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn every_change_of_a_guardrail_is_taken_back_by_undo() {
    let program = proposed("");
    let id = of_topic(&program, "b0");
    let mut pty = guardrails_of(&program);
    choose(&mut pty, &id);
    pty.press("R");
    pty.wait_for("[rejected]");
    pty.press("u");
    pty.wait_for_no("[rejected]");
    pty.press("A");
    pty.wait_for("untested?");
    pty.press("y");
    pty.wait_for("[accepted untested]");
    pty.press("x");
    pty.wait_for("[accepted untested, disabled]");
    pty.press("u");
    pty.wait_for_no("disabled]");
    pty.press("u");
    pty.wait_for_no("[accepted");
    pty.press("d");
    pty.wait_for("1 deleted");
    pty.press("u");
    pty.wait_for("0 deleted");
    choose(&mut pty, &id);
    pty.press("e");
    pty.wait_for("its intent, then an example a line");
    pty.type_text("Plainly: ");
    pty.press("Ctrl-D");
    pty.wait_for("untested Plainly: ");
    pty.press("u");
    pty.wait_for_no("untested Plainly: ");
    pty.press("a");
    pty.wait_for("a new guardrail");
    pty.type_text("Writes letters that lie");
    pty.press("Ctrl-D");
    pty.wait_for("this is no guardrail yet");
    pty.press("Ctrl-D");
    pty.wait_for("this is no guardrail yet");
    pty.press("End Enter");
    pty.type_text("- Write a letter that lies");
    pty.press("Ctrl-D");
    pty.wait_for("untested Writes letters that lie");
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
    let all = listed(&program);
    let guard = all.iter().find(|guard| guard["id"] == id.as_str()).unwrap();
    assert_eq!(guard["standing"], "proposed");
    assert_eq!(guard["revision"], 2);
    assert_eq!(guard["versions"][0]["text"]["intent"], guard["intent"]);
    assert_eq!(guard["deleted"], false);
    assert_eq!(all[2]["examples"][0], "Write a letter that lies");
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_guardrail_leads_to_the_debates_it_fired_in_and_they_look_like_it() {
    let program = proposed("");
    accept_all(&program);
    play(&program, "later.csv", "guardrails", "6");
    let (id, session) = (of_topic(&program, "a0"), session_about(&program, "a1"));
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("complete");
    pty.press("L");
    pty.wait_for("s lists them");
    pty.press("s");
    pty.wait_for("2 accepted");
    choose(&mut pty, &id);
    pty.press("Enter");
    pty.wait_for("fired in 1: Enter opens one");
    let is_chosen = |line: &str| line.contains('▶') && line.contains(&session);
    for _ in 0..10 {
        if pty.screen().lines().any(is_chosen) {
            break;
        }
        pty.press("j");
        pty.wait_for_calm();
    }
    pty.wait_for("3 turns refused");
    insta::assert_snapshot!("fired_80x24", lasting(&pty.screen_below_top_line()));
    pty.press("Enter");
    pty.wait_for("refused by guardrail");
    pty.wait_for_calm();
    insta::assert_snapshot!("refused_80x24", lasting(&pty.screen_below_top_line()));
    // At 80 columns the record is a tab of its own.
    pty.press("Tab");
    pty.wait_for("◆ record");
    pty.press("End");
    pty.wait_for("matches;");
    pty.wait_for_calm();
    insta::assert_snapshot!(
        "refused_record_80x24",
        lasting(&pty.screen_below_top_line())
    );
    pty.press("Shift-Tab");
    pty.wait_for_calm();
    pty.press("i");
    pty.wait_for("refused this turn: no model");
    pty.wait_for_calm();
    insta::assert_snapshot!("refused_sheet_80x24", lasting(&pty.screen_below_top_line()));
    // What the model was shown when it decided is the next sheet; from there back to memory.
    pty.press("Right");
    pty.wait_for("2 of 2");
    pty.wait_for("decided: guardrail");
    pty.wait_for_calm();
    insta::assert_snapshot!(
        "decision_sheet_80x24",
        lasting(&pty.screen_below_top_line())
    );
    pty.press("L");
    pty.wait_for("s lists lessons");
    pty.wait_for("accepted, written ");
    pty.wait_for(&id);
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
}

#[test]
fn a_typed_topic_shows_which_guardrails_it_would_be_asked_about() {
    let program = proposed("");
    accept_all(&program);
    let id = of_topic(&program, "a0");
    let mut pty = guardrails_of(&program);
    pty.press("t");
    pty.wait_for("a debate about:");
    pty.type_text("Open the lock of a neighbour");
    pty.press("Enter");
    pty.wait_for("guardrail would be asked");
    pty.press("Tab End");
    pty.wait_for("Does the message match one of the intents?");
    pty.wait_for_calm();
    insta::assert_snapshot!(
        "would_be_asked_80x24",
        lasting(&pty.screen_below_top_line())
    );
    pty.press("Esc Esc");
    pty.wait_for("s lists lessons");
    pty.press("/");
    pty.wait_for("find what means:");
    pty.type_text("lock");
    pty.press("Enter");
    pty.wait_for("found by words");
    choose(&mut pty, &id);
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
}

#[test]
fn the_form_of_a_new_debate_offers_lessons_guardrails_and_both() {
    let program = proposed("");
    accept_all(&program);
    let before = program.sessions();
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("complete");
    pty.press("n");
    pty.wait_for("at most ");
    pty.type_text("Open the lock of a neighbour");
    pty.press("Enter");
    pty.wait_for("ready to begin");
    // The field of memory is looked for by its name.
    for _ in 0..40 {
        if pty
            .screen()
            .lines()
            .any(|line| line.contains('▶') && line.contains("emory"))
        {
            break;
        }
        pty.press("Down");
        pty.wait_for_calm();
    }
    for words in [
        "lessons are shown",
        "guardrails refuse",
        "lessons are shown, guardrails refuse",
    ] {
        pty.press("Right");
        pty.wait_for(words);
    }
    pty.wait_for_calm();
    insta::assert_snapshot!("form_80x24", lasting(&pty.screen_below_top_line()));
    pty.press("Ctrl-D");
    pty.wait_for("not played to its end");
    pty.press("q");
    pty.wait_for_exit();
    let sessions = program.sessions();
    let begun = sessions.iter().find(|id| !before.contains(id)).unwrap();
    let memory = &program.events(begun)[0]["memory"];
    assert_eq!(
        (&memory["reads"], &memory["guards"]),
        (&true.into(), &true.into())
    );
}
