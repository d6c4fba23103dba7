//! Imported transcripts: taken whole or not at all, judged, compared with their labels, exported
//! again.

use elenchus_test_support::program::{Program, Ran};
use serde_json::Value;
use std::path::PathBuf;

fn fixture(name: &str) -> String {
    format!(
        "{}/tests/fixtures/imported/{name}",
        env!("CARGO_MANIFEST_DIR")
    )
}

fn import(program: &Program, args: &[&str]) -> Ran {
    program.run(&[&["labels", "import"], args].concat())
}

/// Names and bytes of everything that is kept, without what only says who held a lock.
fn kept(program: &Program) -> Vec<(PathBuf, Vec<u8>)> {
    let mut kept = program.store_files();
    kept.retain(|(path, _)| {
        path.extension()
            .is_some_and(|extension| extension == "jsonl")
    });
    kept.sort();
    kept
}

fn passes(program: &Program) -> Vec<Value> {
    let listed = program.run(&["judge", "list", "--json"]).ended_with(0);
    let lines = listed.out.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn xstest_s_completions_become_sessions_with_two_annotators_what_they_settled_and_a_pass() {
    let program = Program::new();
    let said = import(&program, &[&fixture("xstest.csv")]).ended_with(0);
    assert!(said.out.contains("imported 8 sessions"), "{said:?}");
    assert!(
        said.out.contains(
            "24 labels of people, by annotation_1-xstest, annotation_2-xstest, final_label-xstest"
        ),
        "{said:?}"
    );
    let listed = program.run(&["ls", "--json"]).ended_with(0);
    assert_eq!(listed.out.lines().count(), 8);
    assert!(
        listed.out.lines().all(|line| line.contains("\"imported\"")),
        "{listed:?}"
    );
    let shown = program.run(&["show", "last"]).ended_with(0);
    assert!(
        shown.out.contains("imported - Imported answer"),
        "{shown:?}"
    );
    assert!(shown.out.contains("xstest.csv (imported)"), "{shown:?}");
    let verified = program.run(&["verify"]).ended_with(0);
    assert!(verified.out.contains("nothing is broken"), "{verified:?}");
    let pass = passes(&program);
    assert_eq!(pass.len(), 1);
    assert_eq!(pass[0]["by"], "imported:gpt4_label (xstest.csv)");
    assert_eq!(pass[0]["labels"]["2_full_refusal"], 2);
    assert_eq!(pass[0]["labels"]["1_full_compliance"], 5);
    let nothing = program.run(&["judge", "--resume", pass[0]["pass"].as_str().unwrap()]);
    assert!(
        nothing
            .ended_with(1)
            .err
            .contains("came with an imported file")
    );
}

#[test]
fn importing_twice_doubles_nothing() {
    let program = Program::new();
    import(&program, &[&fixture("xstest.csv")]).ended_with(0);
    let before = kept(&program);
    let said = import(&program, &[&fixture("xstest.csv")]).ended_with(0);
    assert!(
        said.out.contains("imported 0 sessions, 8 there already"),
        "{said:?}"
    );
    assert!(
        said.out.contains("0 labels of people, 24 there already"),
        "{said:?}"
    );
    assert_eq!(kept(&program), before);
}

#[test]
fn an_import_that_was_killed_is_completed_by_the_next_one() {
    let whole = Program::new();
    import(&whole, &[&fixture("xstest.csv")]).ended_with(0);
    let program = Program::new();
    import(&program, &[&fixture("xstest.csv")]).ended_with(0);
    // What a kill in the middle leaves: some journals have their names, others are only made ready.
    let store = program.store();
    let staging = store.join("intake/sessions");
    let staged_heads = store.join("intake/heads/sessions");
    std::fs::create_dir_all(&staging).unwrap();
    std::fs::create_dir_all(&staged_heads).unwrap();
    for session in program.sessions().iter().step_by(2) {
        let name = format!("{session}.jsonl");
        std::fs::rename(store.join("sessions").join(&name), staging.join(&name)).unwrap();
        let head = store.join("heads/sessions").join(session);
        std::fs::rename(head, staged_heads.join(session)).unwrap();
    }
    for gone in ["passes", "heads/passes"] {
        std::fs::remove_dir_all(store.join(gone)).unwrap();
    }
    for gone in [
        "notes/annotation_2-xstest.jsonl",
        "heads/notes/annotation_2-xstest",
    ] {
        std::fs::remove_file(store.join(gone)).unwrap();
    }
    let said = import(&program, &[&fixture("xstest.csv")]).ended_with(0);
    assert!(
        said.out.contains("imported 4 sessions, 4 there already"),
        "{said:?}"
    );
    assert!(
        said.out.contains("8 labels of people, 16 there already"),
        "{said:?}"
    );
    let names = |program: &Program| -> Vec<PathBuf> {
        let kept = kept(program).into_iter();
        kept.map(|(path, _)| path.strip_prefix(program.store()).unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&program), names(&whole));
    assert!(!store.join("intake").exists());
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn the_rule_for_refusals_is_judged_by_and_held_against_the_annotators() {
    let program = Program::new();
    import(&program, &[&fixture("xstest.csv")]).ended_with(0);
    let judged = program.run(&["judge", "--protocol", "imported", "--detector", "refusal"]);
    let judged = judged.ended_with(0);
    assert!(
        judged.out.contains(
            "8 verdicts in 8 sessions: 4 1_full_compliance, 3 2_full_refusal, 1 3_partial_refusal"
        ),
        "{judged:?}"
    );
    let validated = program.run(&["validate", "--with-unblinded"]).ended_with(0);
    assert!(
        validated.out.contains("8 turns over 8 topics"),
        "{validated:?}"
    );
    assert!(
        validated.out.contains("detector:refusal by rule"),
        "{validated:?}"
    );
    assert!(
        validated.out.contains("imported:gpt4_label by imported"),
        "{validated:?}"
    );
    assert!(
        validated.out.contains("8 topics, 8 with gold"),
        "{validated:?}"
    );
    // Nobody knows whether they were blind, so by default they are no gold.
    let blind = program.run(&["validate"]).ended_with(0);
    assert!(blind.out.contains("8 topics, 0 with gold"), "{blind:?}");
    assert!(
        blind.out.contains("does not say whether they were blind"),
        "{blind:?}"
    );
}

#[test]
fn a_file_with_bad_rows_is_refused_as_a_whole_with_their_lines() {
    let program = Program::new();
    let file = "prompt,completion,annotation_1,annotation_2,final_label\n\
                a,b,1_full_compliance,1_full_compliance,1_full_compliance\n\
                c,\"d\ne\",maybe,2_full_refusal,2_full_refusal\n\
                ,f,2_full_refusal,2_full_refusal,2_full_refusal\n\
                g,h\n";
    program.write("bad.csv", file);
    let said = import(&program, &["bad.csv"]).ended_with(1);
    for fault in [
        "bad.csv:3: 'maybe' in column 'annotation_1' is no label of the set 'xstest'",
        "bad.csv:5: the prompt is empty",
        "bad.csv:6: the row has 2 cells but the header has 5",
        "nothing was imported: 3 rows cannot be taken",
    ] {
        assert!(said.err.contains(fault), "{fault}: {said:?}");
    }
    assert_eq!(program.store_files(), Vec::new());
    let said = import(&program, &["bad.csv", "--skip-bad-rows"]).ended_with(0);
    assert!(said.err.contains("bad.csv:5"), "{said:?}");
    assert!(said.out.contains("imported 1 session\n"), "{said:?}");
}

#[test]
fn labels_of_a_table_of_one_s_own_belong_to_whom_the_command_says() {
    let program = Program::new();
    let table = "prompt,completion,ada,label\nHow?,So.,safe,unsafe\nHow?,Thus.,unsafe,unsafe\n";
    program.write("own.csv", table);
    let said = import(&program, &["own.csv"]).ended_with(1);
    assert!(
        said.err
            .contains("own.csv:1: the column 'label' looks like labels"),
        "{said:?}"
    );
    let said = import(
        &program,
        &["own.csv", "--human", "ada", "--automatic", "label"],
    )
    .ended_with(1);
    assert!(said.err.contains("which label set"), "{said:?}");
    let whose = [
        "own.csv",
        "--human",
        "ada",
        "--automatic",
        "label",
        "--set",
        "safety",
    ];
    let checked = import(&program, &[&whose[..], &["--check"]].concat()).ended_with(0);
    assert!(
        checked
            .out
            .contains("2 sessions, 2 labels of people and 2 labels of programs"),
        "{checked:?}"
    );
    assert_eq!(program.store_files(), Vec::new());
    import(&program, &whose).ended_with(0);
    let lines = "{\"prompt\": \"How?\", \"completion\": \"So.\"}\n\n{\"prompt\": 7}\nno\n";
    program.write("own.jsonl", lines);
    let said = import(&program, &["own.jsonl"]).ended_with(1);
    assert!(
        said.err.contains("own.jsonl:4: the line is no JSON"),
        "{said:?}"
    );
    // The same answer to the same prompt is there already; one prompt is one topic.
    let measured = program.run(&[
        "metrics",
        "--pass",
        passes(&program)[0]["pass"].as_str().unwrap(),
    ]);
    let measured = measured.ended_with(0);
    assert!(
        measured.out.contains("2 debates over 1 topic"),
        "{measured:?}"
    );
    assert!(
        measured.out.contains("0 safe, 2 unsafe, 0 unparsed"),
        "{measured:?}"
    );
}

#[test]
fn reddebate_s_files_are_taken_with_everything_that_is_odd_about_them() {
    let program = Program::new();
    let said = import(&program, &[&fixture("debates")]).ended_with(0);
    assert!(said.out.contains("imported 3 sessions"), "{said:?}");
    assert!(said.err.contains("question.memory"), "{said:?}");
    let mut texts = String::new();
    for session in program.sessions() {
        texts.push_str(
            &program
                .run(&["show", &session, "--private"])
                .ended_with(0)
                .out,
        );
    }
    for part in [
        // Agents stand in the order of their numbers, thinking apart from the text.
        "Debater 1 · round 1 · answer · r1.answer.debater-0 · written beforehand\n  its own thinking:\n    │ Let me think.\n  │ A locksmith can do it.",
        " · by Human-0 · ",
        "Devil · round 1 · personas · r1.personas.devil-0",
        "Feedback · round 2 · feedback · r2.feedback.lesson-0",
        "Debater · round 2 · revision · r2.revision.debater-0 · written beforehand\n  │ It stays as it is.",
    ] {
        assert!(texts.contains(part), "{part}\n{texts}");
    }
    let pass = passes(&program);
    assert_eq!(pass[0]["by"], "imported:is_safe (locks)");
    assert_eq!(pass[0]["verdicts"], 9);
    let id = pass[0]["pass"].as_str().unwrap();
    let measured = program.run(&["metrics", "--pass", id]).ended_with(0);
    assert!(
        measured
            .out
            .contains("error rate                              25.0 %"),
        "{measured:?}"
    );
    // Personas, critiques and the lesson are context: nobody judges them.
    let judged = program
        .run(&["judge", "--all", "--detector", "refusal"])
        .ended_with(0);
    assert!(
        judged.out.contains("12 verdicts in 3 sessions"),
        "{judged:?}"
    );
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn games_of_safety_are_played_with_every_evaluator() {
    for rubric in ["harmbench", "openai-moderation"] {
        let program = Program::new();
        let setting = format!("rubric={rubric}");
        let played = [
            "run",
            "--protocol",
            "pred",
            "--topic",
            "How are locks made?",
            "--set",
            &setting,
        ];
        program.run(&played).ended_with(0);
        let figures = program.figures();
        assert!(figures.value("error_rate") <= 1.0);
        assert_eq!(figures.of("error_rate")["left_out"], Value::Null);
    }
}

#[test]
fn a_debate_that_is_no_debate_is_refused_with_the_place() {
    let program = Program::new();
    for (name, text, fault) in [
        (
            "cut_q0.json",
            "{\"question\":\n{\"text\": \"t\"}, \"resp",
            "cut_q0.json:2: the file is no JSON",
        ),
        (
            "who_q0.json",
            r#"{"question": {"text": "t"}, "responses": [{"Robot": {"response": "r"}}]}"#,
            "responses[0].Robot: no speaker of this name",
        ),
        (
            "gap_q0.json",
            r#"{"question": {"text": "t"}, "responses": [
                {"Agent-0": {"response": "a"}, "Agent-1": {"response": "b"}},
                {"Agent-0": {"response": "c"}}]}"#,
            "in round 2 there is nothing of debater 2",
        ),
        (
            "label_q0.json",
            r#"{"question": {"text": "t"}, "responses": [{"Agent-0": {"response": "a", "is_safe": "no"}}]}"#,
            "is_safe is \"no\"; true or false",
        ),
        (
            "none_q0.json",
            r#"{"question": {"text": "t"}, "responses": []}"#,
            "'responses' has 0 rounds",
        ),
    ] {
        program.write(name, text);
        let said = import(&program, &[name]).ended_with(1);
        assert!(said.err.contains(fault), "{fault}: {said:?}");
    }
    assert_eq!(program.store_files(), Vec::new());
}

#[test]
fn exported_labels_come_back_elsewhere_as_they_were() {
    let here = Program::new();
    import(&here, &[&fixture("xstest.csv")]).ended_with(0);
    let there = Program::new();
    here.run(&["export", "--output", "parcel"]).ended_with(0);
    let parcel = here.work().join("parcel").display().to_string();
    for name in ["labels.csv", "labels.jsonl"] {
        here.run(&["labels", "export", "-o", name]).ended_with(0);
        let from = here.work().join(name).display().to_string();
        let strange = Program::new();
        let said = import(&strange, &[&from]).ended_with(1);
        assert!(said.err.contains(&format!("{name}:")), "{said:?}");
        assert!(said.err.contains("is not in this store"), "{said:?}");
        let there = Program::new();
        there.run(&["import", &parcel]).ended_with(0);
        let said = import(&there, &[&from]).ended_with(0);
        assert!(said.out.contains("24 labels of people"), "{said:?}");
        there.run(&["labels", "export", "-o", name]).ended_with(0);
        let read = |program: &Program| std::fs::read_to_string(program.work().join(name)).unwrap();
        assert_eq!(read(&there), read(&here));
        assert!(read(&here).contains("xstest.csv:2"));
    }
    there.run(&["import", &parcel]).ended_with(0);
    let again = here
        .run(&["labels", "export", "-o", "labels.csv"])
        .ended_with(1);
    assert!(again.err.contains("is there already"), "{again:?}");
    // A label whose text is another one elsewhere is no label of it.
    let table = std::fs::read_to_string(here.work().join("labels.csv")).unwrap();
    let head = table.lines().next().unwrap();
    let is_whole =
        |line: &&str| line.contains("r1.answer") && line.matches('"').count().is_multiple_of(2);
    let row = table.lines().find(is_whole).unwrap();
    let hash = row.split(',').nth(4).unwrap();
    there.write(
        "forged.csv",
        &format!("{head}\n{}\n", row.replacen(hash, &"0".repeat(64), 1)),
    );
    let said = import(&there, &["forged.csv"]).ended_with(1);
    assert!(
        said.err
            .contains("forged.csv:2: the text of r1.answer.author-0 is another one"),
        "{said:?}"
    );
}

#[test]
fn private_reasoning_in_an_imported_answer_is_split_off_and_its_labels_stay() {
    let program = Program::new();
    program.write(
        "answers.csv",
        "id,prompt,completion,annotation_1\n\
         a1,How do I sharpen a knife?,<think>SECRETPLAN</think>Use a whetstone.,1_full_compliance\n",
    );
    import(
        &program,
        &["answers.csv", "--human", "annotation_1", "--set", "xstest"],
    )
    .ended_with(0);
    let shown = program.run(&["show", "last"]).ended_with(0);
    assert!(shown.out.contains("Use a whetstone."), "{}", shown.out);
    assert!(!shown.out.contains("SECRETPLAN"), "{}", shown.out);
    let table = program
        .run(&["export", "--turns", "-", "last"])
        .ended_with(0);
    assert!(!table.out.contains("SECRETPLAN"), "{}", table.out);
    assert!(table.out.contains("1_full_compliance"), "{}", table.out);
}
