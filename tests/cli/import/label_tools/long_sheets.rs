//! Sheets with a row an annotation, and what their columns are called.

use super::{import, labels};
use elenchus_test_support::program::Program;

#[test]
fn any_columns_can_be_named_and_any_left_out() {
    let program = Program::new();
    program.write(
        "own.csv",
        "Asked of it,It said,who,mark,bot_label\nWhy?,So.,eva,safe,unsafe\nWhy?,So.,finn,unsafe,unsafe\n",
    );
    let columns = [
        "--prompt",
        "asked-of-it",
        "--completion",
        "It said",
        "--annotator",
        "who",
    ];
    let said = import(
        &program,
        &[&["own.csv"], &columns[..], &["--label", "mark"]].concat(),
    );
    let said = said.ended_with(0);
    let line = "Asked of it = prompt, It said = completion, who = annotator, mark = label; not read: bot_label";
    assert!(said.err.contains(line), "{}", said.err);
    let given: Vec<String> = labels(&program).into_iter().map(|given| given.2).collect();
    assert_eq!(given, ["eva-safety", "finn-safety"]);
    assert_eq!(program.sessions().len(), 1);
    let texts = [
        "own.csv",
        "--prompt",
        "Asked of it",
        "--completion",
        "It said",
    ];
    let fault = |more: &[&str]| import(&program, &[&texts, more].concat()).ended_with(1).err;
    let said = fault(&["--annotator", "whom", "--label", "mark"]);
    let why = "--annotator whom: there is no column 'whom': there are Asked of it, It said";
    assert!(said.contains(why), "{said}");
    let said = fault(&["--annotator", "who", "--label", "marks"]);
    assert!(
        said.contains("--label marks: there is no column or question"),
        "{said}"
    );
    let said = fault(&[
        "--annotator",
        "who",
        "--label",
        "mark",
        "--probability",
        "p",
    ]);
    assert!(
        said.contains("--probability p: there is no column 'p'"),
        "{said}"
    );
    let said = import(&program, &["own.csv", "--human", "who", "--label", "mark"]).ended_with(2);
    assert!(said.err.contains("--human"), "{said:?}");
}

#[test]
fn a_program_s_column_beside_people_s_rows_becomes_a_pass_and_must_agree_with_itself() {
    let program = Program::new();
    let rows = "prompt,completion,annotator,label,bot\nWhy?,So.,eva,safe,unsafe\nWhy?,So.,finn,unsafe,unsafe\n";
    program.write("own.csv", rows);
    let said = import(&program, &["own.csv", "--automatic", "bot"]).ended_with(0);
    assert!(said.out.contains("imported:bot"), "{said:?}");
    program.write(
        "own.csv",
        &rows.replace("finn,unsafe,unsafe", "finn,unsafe,safe"),
    );
    let said = Program::new();
    said.write(
        "own.csv",
        &rows.replace("finn,unsafe,unsafe", "finn,unsafe,safe"),
    );
    let said = import(&said, &["own.csv", "--automatic", "bot"]).ended_with(1);
    assert!(
        said.err
            .contains("own.csv:3: 'bot' says 'safe' of an answer"),
        "{said:?}"
    );
}

#[test]
fn ids_of_rows_tell_no_answers_apart_and_ids_of_answers_do() {
    // A row number is no id of an answer: two people labelled one.
    let program = Program::new();
    program.write(
        "own.csv",
        "id,prompt,completion,annotator,label\n1,Why?,So.,eva,safe\n2,Why?,So.,finn,unsafe\n",
    );
    import(&program, &["own.csv"]).ended_with(0);
    assert_eq!((program.sessions().len(), labels(&program).len()), (1, 2));
    // One person labelled equal texts under two ids: they are two answers.
    let program = Program::new();
    program.write(
        "own.csv",
        "id,prompt,completion,annotator,label\n1,Why?,So.,eva,safe\n2,Why?,So.,eva,unsafe\n1,Why?,So.,finn,safe\n",
    );
    import(&program, &["own.csv"]).ended_with(0);
    assert_eq!(program.sessions().len(), 2);
}

#[test]
fn one_person_s_two_labels_of_one_answer_are_refused_with_both_lines() {
    let program = Program::new();
    let rows = "prompt,completion,annotator,label\nWhy?,So.,eva,safe\nWho?,I.,eva,safe\nWhy?,So.,eva,unsafe\nWho?,I.,eva,safe\n";
    program.write("own.csv", rows);
    let said = import(&program, &["own.csv"]).ended_with(1);
    let fault = "own.csv:4: 'eva' says 'unsafe' of an answer of which they say 'safe' before (the answer of line 2)";
    assert!(said.err.contains(fault), "{said:?}");
    assert!(
        said.err.contains("1 answer given twice by one person"),
        "{said:?}"
    );
    assert!(program.store_files().is_empty());
}

#[test]
fn people_whose_names_differ_by_signs_alone_stay_apart() {
    let program = Program::new();
    let names = [
        "李雷", "韩梅", "a b", "a/b", "A B", "../x", "4", "4.5", "é@x.org",
    ];
    let rows = names.map(|name| format!("Why?,So.,{name},safe\n")).concat();
    program.write("own.csv", &format!("prompt,completion,rater,label\n{rows}"));
    let said = import(&program, &["own.csv"]).ended_with(0);
    assert!(said.out.contains("9 labels of people"), "{said:?}");
    let mut kept: Vec<String> = labels(&program).into_iter().map(|given| given.2).collect();
    let mut wanted = names.map(|name| format!("{name}-safety")).to_vec();
    wanted.sort();
    kept.sort();
    assert_eq!(kept, wanted);
}

#[test]
fn a_text_that_is_missing_refuses_its_row_alone() {
    let program = Program::new();
    program.write(
        "own.csv",
        "prompt,completion,annotator,label\nWhy?,So.,eva,safe\n,So.,eva,safe\nHow?,,eva,safe\n",
    );
    let said = import(&program, &["own.csv"]).ended_with(1);
    for fault in [
        "own.csv:3: 'prompt' is empty",
        "own.csv:4: 'completion' is empty",
    ] {
        assert!(said.err.contains(fault), "{fault}: {said:?}");
    }
    let said = import(&program, &["own.csv", "--skip-bad-rows"]).ended_with(0);
    assert!(said.out.contains("imported 1 session\n"), "{said:?}");
}

#[test]
fn a_column_that_looks_like_labels_can_be_left_out_by_name() {
    let program = Program::new();
    program.write(
        "own.csv",
        "prompt,completion,eva,bot_label\nWhy?,So.,safe,unsafe\n",
    );
    let said = import(&program, &["own.csv", "--human", "eva"]).ended_with(1);
    assert!(said.err.contains("--ignore bot_label"), "{said:?}");
    let said = import(
        &program,
        &["own.csv", "--human", "eva", "--ignore", "bot_label"],
    )
    .ended_with(0);
    assert!(said.err.contains("not read: bot_label"), "{said:?}");
    assert!(said.out.contains("1 label of people"), "{said:?}");
}

#[test]
fn a_label_that_a_later_export_changed_stays_as_it_is_and_is_counted() {
    let program = Program::new();
    let rows = "prompt,completion,annotator,label\nWhy?,So.,eva,safe\nHow?,So.,eva,safe\n";
    program.write("own.csv", rows);
    import(&program, &["own.csv"]).ended_with(0);
    program.write(
        "own.csv",
        &rows.replace("How?,So.,eva,safe", "How?,So.,eva,unsafe"),
    );
    let said = import(&program, &["own.csv"]).ended_with(0);
    assert!(
        said.out
            .contains("! 1 label there already with another word"),
        "{said:?}"
    );
    assert!(labels(&program).iter().all(|given| given.3 == "safe"));
}

#[test]
fn a_sheet_without_a_column_of_people_or_of_prompts_is_read_as_far_as_it_goes() {
    let program = Program::new();
    program.write(
        "mine.csv",
        "prompt,completion,label\nWhy?,So.,safe\nWhy?,So.,unsafe\n",
    );
    let said = import(&program, &["mine.csv", "--label", "label"]).ended_with(0);
    assert!(
        said.err
            .contains("2 answers by nobody who is named: called 'mine'"),
        "{said:?}"
    );
    // Nobody knows whether one person labelled twice: the same answer twice is two answers.
    assert_eq!((program.sessions().len(), labels(&program).len()), (2, 2));
    let program = Program::new();
    program.write(
        "mine.csv",
        "comment,annotator,label\nSo it is.,eva,safe\nSo it is.,finn,unsafe\n",
    );
    import(&program, &["mine.csv"]).ended_with(0);
    assert_eq!((program.sessions().len(), labels(&program).len()), (1, 2));
    let program = Program::new();
    program.write(
        "mine.csv",
        "prompt,completion,annotator,note\nWhy?,So.,eva,good\n",
    );
    let said = import(&program, &["mine.csv", "--annotator", "annotator"]).ended_with(1);
    assert!(
        said.err
            .contains("it is not clear which column or question holds the label: there are note"),
        "{said:?}"
    );
}

#[test]
fn a_label_column_of_any_name_is_known_by_its_words_beside_one_of_people() {
    for (header, people) in [
        ("safety", true),
        ("what she said", true),
        ("what she said", false),
    ] {
        let program = Program::new();
        let who = if people { "rater" } else { "who" };
        let rows = "1;Why?;So.;eva;safe\n1;Why?;So.;finn;unsafe\n1;Why?;So.;;NA\n";
        program.write(
            "own.csv",
            &format!("item;question;answer;{who};{header}\n{rows}"),
        );
        let named = ["own.csv", "--annotator", "who"];
        let said = import(&program, if people { &named[..1] } else { &named[..] }).ended_with(0);
        assert!(
            said.err
                .contains(&format!("{header} = label; not read: item")),
            "{said:?}"
        );
        assert_eq!(
            (program.sessions().len(), labels(&program).len()),
            (1, 2),
            "{header}"
        );
    }
}
