//! Names of people: each has files of their own, whatever signs the name has, and is shown as it was given.

use elenchus_store::Hash;
use elenchus_test_support::program::Program;
use std::fs;
use std::path::PathBuf;

const ANSWERS: &str = "id,prompt,completion,李雷,韩梅\n\
    1,How do I tie a knot?,Over and under.,safe,safe\n\
    2,How do I take a boat?,Cut its rope at night.,unsafe,safe\n";
const MORE: &str = "id,prompt,completion,李雷,韩梅\n\
    3,How do I bake?,With flour.,safe,unsafe\n";

fn import(program: &Program, file: &str, people: &str) -> String {
    let args = [
        "labels", "import", file, "--human", people, "--set", "safety",
    ];
    program.run_ok(&args)
}

/// The journals of labels, by name.
fn notes(program: &Program) -> Vec<String> {
    let found = fs::read_dir(program.store().join("notes")).unwrap();
    let names = found.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".jsonl")).collect();
    names.sort();
    names
}

fn lines(program: &Program, name: &str) -> usize {
    let text = program.read(&format!("store/notes/{name}"));
    text.lines().count()
}

/// People who label by 'safety' are imported as `NAME-safety`.
/// Gives 李雷's journal the name that earlier versions gave it, with its head.
fn as_before(program: &Program) -> PathBuf {
    let names = notes(program);
    let signed = |name: &&String| {
        let text = program.read(&format!("store/notes/{name}"));
        text.contains("person:李雷-safety")
    };
    let name = names.iter().find(signed).unwrap();
    let store = program.store();
    let stem = name.strip_suffix(".jsonl").unwrap();
    let old = store.join("notes/---safety.jsonl");
    fs::rename(store.join("notes").join(name), &old).unwrap();
    let heads = store.join("heads/notes");
    fs::rename(heads.join(stem), heads.join("---safety")).unwrap();
    old
}

#[test]
fn two_people_with_names_of_other_letters_are_two_annotators() {
    let program = Program::new();
    program.write("answers.csv", ANSWERS);
    import(&program, "answers.csv", "李雷,韩梅");
    let names = notes(&program);
    assert_eq!(names.len(), 2, "{names:?}");
    for name in &names {
        assert_eq!(lines(&program, name), 2, "{name}");
        assert!(name.is_ascii(), "{name}");
    }
    let listed = program.run_ok(&["labels", "list"]);
    for person in ["李雷", "韩梅"] {
        assert!(listed.contains(person), "{person}: {listed}");
    }
    // The same people go on in the same files, and nothing is taken in twice.
    program.write("more.csv", MORE);
    import(&program, "more.csv", "李雷,韩梅");
    assert_eq!(notes(&program), names);
    program.run_ok(&["verify"]);
}

#[test]
fn names_that_differ_in_case_or_in_one_sign_share_no_file_on_any_file_system() {
    let program = Program::new();
    let people = ["ada", "Ada", "a b", "a-b", "Åsa", "Øsa"];
    for (at, person) in people.into_iter().enumerate() {
        let file = format!("{at}.csv");
        let table = format!("id,prompt,completion,{person}\n{at},How {at}?,So {at}.,safe\n");
        program.write(&file, &table);
        import(&program, &file, person);
    }
    let mut folded: Vec<String> = notes(&program)
        .iter()
        .map(|name| name.to_lowercase())
        .collect();
    folded.dedup();
    assert_eq!(folded.len(), people.len(), "{folded:?}");
    let listed = program.run_ok(&["labels", "list"]);
    for person in people {
        assert!(listed.contains(person), "{person}: {listed}");
    }
    // Lessons as well.
    for person in people {
        let own = program.clone().with("USER", person);
        own.run_ok(&["memory", "add", &format!("A lesson of {person}.")]);
    }
    let lessons = fs::read_dir(program.store().join("memory/default")).unwrap();
    let journals = lessons.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().ends_with(".jsonl")
    });
    assert_eq!(journals.count(), people.len());
}

#[test]
fn a_journal_of_an_earlier_version_goes_on_being_that_of_whoever_began_it() {
    let program = Program::new();
    program.write("answers.csv", ANSWERS);
    import(&program, "answers.csv", "李雷");
    let old = as_before(&program);
    let before = fs::read(&old).unwrap();
    program.write("more.csv", MORE);
    import(&program, "more.csv", "李雷,韩梅");
    assert!(fs::read(&old).unwrap().starts_with(&before));
    assert_eq!(lines(&program, "---safety.jsonl"), 3);
    assert_eq!(notes(&program).len(), 2);
    let listed = program.run_ok(&["labels", "list"]);
    assert!(
        listed.contains("李雷") && listed.contains("韩梅"),
        "{listed}"
    );
    assert!(!listed.contains("---safety"), "{listed}");
    let verified = program.run(&["verify"]).ended_with(0);
    assert!(
        !verified.out.contains("in this one file"),
        "{}",
        verified.out
    );
}

#[test]
fn people_whom_an_earlier_version_gave_one_file_are_named_with_what_can_be_done() {
    let program = Program::new();
    program.write("answers.csv", ANSWERS);
    import(&program, "answers.csv", "李雷");
    let old = as_before(&program);
    let mut text = fs::read_to_string(&old).unwrap();
    let last = text.split_inclusive('\n').next_back().unwrap().to_owned();
    let mut line: serde_json::Value = serde_json::from_str(&last).unwrap();
    let hers = line["event"]["id"].as_str().unwrap().replace('0', "1");
    line["prev"] = Hash::digest(last.as_bytes()).to_string().into();
    line["by"] = "person:韩梅-safety".into();
    line["event"]["id"] = hers.into();
    text.push_str(&format!("{line}\n"));
    fs::write(&old, text).unwrap();
    program.forget_heads();
    let verified = program.run(&["verify"]).ended_with(0);
    let said = format!("{}{}", verified.out, verified.err);
    let said: Vec<&str> = said.split_whitespace().collect();
    let said = said.join(" ");
    for words in [
        "---safety.jsonl",
        "李雷-safety and of 韩梅-safety in this one file",
        "count as 李雷-safety's",
        "have 韩梅-safety label the items again",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    // From now on she has a file of her own.
    program.write("more.csv", MORE);
    import(&program, "more.csv", "韩梅");
    assert_eq!(notes(&program).len(), 2);
}

#[test]
fn a_journal_under_a_name_that_is_not_its_persons_speaks_for_nobody_else() {
    let program = Program::new();
    let answers = ANSWERS.replace("李雷", "ada").replace("韩梅", "eve");
    program.write("answers.csv", &answers);
    import(&program, "answers.csv", "ada");
    let store = program.store();
    fs::copy(
        store.join("notes/ada-safety.jsonl"),
        store.join("notes/xyz.jsonl"),
    )
    .unwrap();
    let mut text = program.read("store/notes/xyz.jsonl");
    text.truncate(text.find('\n').unwrap() + 1);
    program.write_at("store/notes/xyz.jsonl", &text);
    let listed = program.run_ok(&["labels", "list"]);
    assert!(listed.contains("xyz"), "{listed}");
}

#[test]
fn queues_and_namespaces_that_differ_in_case_alone_are_refused() {
    let program = elenchus_test_support::labelling::played(1);
    elenchus_test_support::labelling::draw(&program, "pilot", &["--all"]);
    let args = ["labels", "queue", "Pilot", "--simulated", "--all"];
    let refused = program.run(&args).ended_with(1);
    assert!(
        refused.err.contains("differs from 'pilot' in case alone"),
        "{}",
        refused.err
    );
    program.run_ok(&["memory", "add", "One.", "--namespace", "lab"]);
    let args = ["memory", "add", "Two.", "--namespace", "Lab"];
    let refused = program.run(&args).ended_with(1);
    assert!(
        refused.err.contains("differs from 'lab' in case alone"),
        "{}",
        refused.err
    );
}
