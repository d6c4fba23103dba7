//! Memory exported from one store and imported into another.

use elenchus_test_support::lessons::{SIM, entries, taught};
use elenchus_test_support::program::Program;
use std::path::Path;

fn exported(program: &Program) -> String {
    program
        .run(&["memory", "export", "-n", SIM, "-o", "out.jsonl"])
        .ended_with(0);
    std::fs::read_to_string(program.work().join("out.jsonl")).unwrap()
}

#[test]
fn a_namespace_arrives_as_it_left_and_only_once() {
    let program = taught();
    program
        .run(&["memory", "add", "Mine.", "-n", SIM])
        .ended_with(0);
    let file = exported(&program);
    let other = Program::new();
    other.write("in.jsonl", &file);
    other.run(&["memory", "import", "in.jsonl"]).ended_with(0);
    assert_eq!(entries(&other, SIM), entries(&program, SIM));
    other.run(&["verify"]).ended_with(0);
    let before = other.store_files();
    let again = other.run(&["memory", "import", "in.jsonl"]).ended_with(0);
    assert!(
        again
            .err
            .contains("0 journals, 0 lines; 2 were there already"),
        "{again:?}"
    );
    assert_eq!(other.store_files(), before);
    // Into another namespace everything is taken once more.
    other
        .run(&["memory", "import", "in.jsonl", "-n", "copy"])
        .ended_with(0);
    assert_eq!(entries(&other, "copy"), entries(&program, SIM));
    let there = program.run(&["memory", "export", "-n", SIM, "-o", "out.jsonl"]);
    assert!(there.ended_with(1).err.contains("out.jsonl"));
}

#[test]
fn two_people_of_one_name_keep_a_journal_each() {
    let (ann, other_ann) = (
        Program::new().with("USER", "ann"),
        Program::new().with("USER", "ann"),
    );
    ann.run(&["memory", "add", "One."]).ended_with(0);
    other_ann.run(&["memory", "add", "Two."]).ended_with(0);
    ann.run(&["memory", "export", "-o", "out.jsonl"])
        .ended_with(0);
    let file = std::fs::read_to_string(ann.work().join("out.jsonl")).unwrap();
    other_ann.write("in.jsonl", &file);
    let taken = other_ann
        .run(&["memory", "import", "in.jsonl"])
        .ended_with(0);
    assert!(taken.err.contains("another journal here"), "{taken:?}");
    let texts: Vec<String> = entries(&other_ann, "default")
        .iter()
        .map(|entry| entry["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(texts, ["Two.", "One."]);
    // Once is enough, also under another name.
    let again = other_ann
        .run(&["memory", "import", "in.jsonl"])
        .ended_with(0);
    assert!(again.err.contains("1 were there already"), "{again:?}");
}

#[test]
fn a_journal_that_went_on_is_not_merged_into_the_one_that_is_here() {
    let ann = Program::new().with("USER", "ann");
    ann.run(&["memory", "add", "One."]).ended_with(0);
    ann.run(&["memory", "export", "-o", "short.jsonl"])
        .ended_with(0);
    ann.run(&["memory", "add", "Two."]).ended_with(0);
    ann.run(&["memory", "export", "-o", "long.jsonl"])
        .ended_with(0);
    let read = |name: &str| std::fs::read_to_string(ann.work().join(name)).unwrap();
    let other = Program::new();
    other.write("short.jsonl", &read("short.jsonl"));
    other.write("long.jsonl", &read("long.jsonl"));
    other
        .run(&["memory", "import", "short.jsonl"])
        .ended_with(0);
    let before = other.store_files();
    let refused = other.run(&["memory", "import", "long.jsonl"]).ended_with(1);
    assert!(
        refused.err.contains("goes further than the one here"),
        "{refused:?}"
    );
    assert_eq!(other.store_files(), before);
    // What is less than what is here adds nothing.
    let less = ann.run(&["memory", "import", "short.jsonl"]).ended_with(0);
    assert!(less.err.contains("is here already"), "{less:?}");
}

#[test]
fn foreign_changed_cut_and_hostile_files_are_refused_as_a_whole() {
    let program = taught();
    let good = exported(&program);
    let lines: Vec<&str> = good.lines().collect();
    let with = |at: usize, line: &str| {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        lines[at] = line.to_owned();
        lines.join("\n") + "\n"
    };
    let renamed = |name: &str| {
        let begin = lines[1].find("\"name\":\"").unwrap() + 8;
        let end = begin + lines[1][begin..].find('"').unwrap();
        with(
            1,
            &format!("{}{name}{}", &lines[1][..begin], &lines[1][end..]),
        )
    };
    let session = program
        .store()
        .join("sessions")
        .join(format!("{}.jsonl", program.sessions()[0]));
    let session = std::fs::read_to_string(session).unwrap();
    let head = lines[0].replace("\"journals\":1", "\"journals\":2");
    let twice = [
        head.as_str(),
        &lines[1..].join("\n"),
        &lines[1..].join("\n"),
        "",
    ]
    .join("\n");
    let cases: [(&str, String, &str); 9] = [
        ("empty", String::new(), "no export of memory"),
        (
            "foreign",
            "{\"name\":7}\n".to_owned(),
            "neither a text nor an object",
        ),
        ("session", session, ":1: this is no export"),
        (
            "changed",
            with(2, &lines[2].replacen("lesson", "lessor", 1)),
            ".jsonl:4:",
        ),
        (
            "cut",
            lines[..lines.len() - 1].join("\n") + "\n",
            "is cut off",
        ),
        (
            "missing",
            lines[0].to_owned() + "\n",
            "holds 0 of 1 journals",
        ),
        (
            "outside",
            renamed("../../sessions/x"),
            "cannot name a memory writer",
        ),
        ("twice", twice, "is in it twice"),
        (
            "newer",
            with(0, &lines[0].replace("\"format\":1", "\"format\":7")),
            "format 7",
        ),
    ];
    let other = Program::new();
    for (name, text, why) in cases {
        other.write("in.jsonl", &text);
        let refused = other.run(&["memory", "import", "in.jsonl"]);
        assert_eq!(refused.code, 1, "{name}: {refused:?}");
        assert!(refused.err.contains(why), "{name}: {refused:?}");
        assert!(
            refused.err.contains("nothing was imported"),
            "{name}: {refused:?}"
        );
    }
    let bytes = vec![0xff_u8; 5000];
    std::fs::write(other.work().join("in.jsonl"), bytes).unwrap();
    other.run(&["memory", "import", "in.jsonl"]).ended_with(1);
    let none = other
        .run(&["memory", "import", "nowhere.jsonl"])
        .ended_with(1);
    assert!(none.err.contains("nowhere.jsonl"), "{none:?}");
    assert!(
        !is_there(&other.store().join("memory")),
        "nothing of it was kept"
    );
}

/// Whether any journal is in a folder.
fn is_there(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some())
}
