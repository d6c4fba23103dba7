//! Journals exported from one store and imported into another.

use elenchus_test_support::program::Program;
use elenchus_test_support::sample_sessions::{created, debate, topic, write_session};
use std::os::unix::fs::PermissionsExt;

#[tokio::test]
async fn what_was_exported_is_imported_byte_for_byte_and_once() {
    let (from, to) = (Program::new(), Program::new());
    write_session(&from.session_file("aa-one"), &debate("aa-one")).await;
    let out = to.path("parcel");
    let out = out.to_str().unwrap();
    let exported = from.run_tidy(&["export", "-o", out]);
    assert_eq!(exported.code, 0, "{exported:?}");
    assert!(
        exported
            .err
            .starts_with("exported 1 session and 0 runs to "),
        "{}",
        exported.err
    );
    let again = from.run_tidy(&["export", "-o", out]);
    assert!(
        again.err.ends_with("; 1 were there already\n"),
        "{}",
        again.err
    );

    let imported = to.run_tidy(&["import", out]);
    assert_eq!(
        (imported.code, imported.err.as_str()),
        (0, "imported 1 session and 0 runs\n")
    );
    assert_eq!(
        to.read("store/sessions/aa-one.jsonl"),
        from.read("store/sessions/aa-one.jsonl")
    );
    let mode = std::fs::metadata(to.session_file("aa-one"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let twice = to.run_tidy(&["import", out]);
    assert_eq!(
        twice.err,
        "imported 0 sessions and 0 runs; 1 were there already\n"
    );
    let left: Vec<_> = std::fs::read_dir(to.path("store/sessions"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["aa-one.jsonl"]);
}

#[test]
fn a_whole_store_travels_with_journals_of_every_kind() {
    let from = Program::with_topics("[sims.it]\nunsafe_rate = 0.9\n");
    from.write(
        "two.csv",
        "id,text\na,How do I open a lock?\nb,How do I bake?\n",
    );
    let played = ["--protocol", "pred", "--rounds", "1", "--model", "it"];
    let memory = ["--dataset", "own:two.csv", "--memory", "textual"];
    let run = from.play(&[&played[..], &memory].concat());
    from.run_ok(&["memory", "guardrails", "derive", "--run", &run]);
    from.run_ok(&["judge", "--all", "--rubric", "safety", "--model", "it"]);
    from.run_ok(&["prompts", "label", "sred/socratic", "now", "patient"]);
    from.run_ok(&["labels", "queue", "pilot", "--all", "--simulated"]);
    let whole = from.run_ok(&["verify"]);

    let to = Program::new();
    let out = to.path("parcel");
    from.run_ok(&["export", "--all", "-o", out.to_str().unwrap()]);
    let imported = to.run(&["import", out.to_str().unwrap(), "--take", "all"]);
    assert_eq!(imported.code, 0, "{imported:?}");
    assert!(
        imported.err.contains("imported 2 sessions and 1 run, "),
        "{}",
        imported.err
    );
    let kinds = [
        "1 pass",
        "1 queue",
        "1 journal of guardrails",
        "1 journal of prompt versions",
    ];
    for kind in kinds {
        assert!(imported.err.contains(kind), "{}", imported.err);
    }
    // Everything is there, the texts of kept prompts too, and one journal in which lessons wait for a person.
    let waiting = to.run_ok(&["memory", "list", "-n", "default.sim", "--json"]);
    let waiting = waiting.lines().count();
    let events = |verified: &str| -> usize {
        let before = verified.split(" events").next().unwrap();
        before.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let (count, more) = (events(&whole), events(&whole) + waiting);
    let expected = whole
        .replace("5 other journals", "6 other journals")
        .replace("1 journal of lessons", "2 journals of lessons")
        .replace(&format!("{count} events"), &format!("{more} events"));
    assert_eq!(to.run_ok(&["verify"]), expected);
    for args in [
        &["labels", "queues", "--json"][..],
        &["judge", "list", "--json"],
    ] {
        assert_eq!(to.run_ok(args), from.run_ok(args));
    }
    let twice = to.run(&["import", out.to_str().unwrap(), "--take", "all"]);
    assert!(
        twice.err.starts_with("imported 0 sessions and 0 runs; "),
        "{}",
        twice.err
    );
}

#[test]
fn samples_of_tried_prompts_stay_samples_in_another_store() {
    let from = Program::with_topics("");
    let plan = ["--protocol", "sred", "--rounds", "1", "--model", "sim"];
    from.run_ok(&[&["run"][..], &plan, &["--topic", "How are locks made?"]].concat());
    from.run_ok(&["prompts", "try", "last:r1.socratic", "--samples", "2"]);
    let to = Program::new();
    let out = to.path("parcel");
    from.run_ok(&["export", "--all", "-o", out.to_str().unwrap()]);
    to.run_ok(&["import", out.to_str().unwrap()]);
    assert_eq!(to.sessions(), from.sessions());
    assert_eq!(to.run_ok(&["verify"]), from.run_ok(&["verify"]));
}

#[test]
fn no_name_in_a_journal_or_of_a_folder_leads_out_of_the_store() {
    let from = Program::new().with_duo();
    from.write("topics.jsonl", "{\"id\":\"a\",\"text\":\"One?\"}\n");
    let plan = [
        "--protocol",
        "duo",
        "--dataset",
        "own:topics.jsonl",
        "--model",
        "sim",
    ];
    from.run_ok(&[&["run"][..], &plan].concat());
    let run = std::fs::read_dir(from.store().join("runs")).unwrap();
    let run = run.map(|entry| entry.unwrap().path()).next().unwrap();
    let id = run.file_stem().unwrap().to_str().unwrap().to_owned();
    let text = std::fs::read_to_string(&run).unwrap();
    let to = Program::new();
    let escaping = text.replace(&format!("\"run\":\"{id}\""), "\"run\":\"../../escaped\"");
    assert_ne!(escaping, text);
    let chained = elenchus_test_support::journals::chained(&escaping);
    to.write_at("in/x.jsonl", &chained);
    let ran = to.run(&["import", to.path("in/x.jsonl").to_str().unwrap()]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("cannot name a journal"), "{}", ran.err);
    assert!(!to.path("escaped.jsonl").exists());
    // Nor is a journal of a folder passed over because of its name.
    to.write_at("parcel/runs/a b.jsonl", &text);
    to.write_at("parcel/sessions/c d.jsonl", "");
    let ran = to.run(&["import", to.path("parcel").to_str().unwrap()]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("c d.jsonl"), "{}", ran.err);
    assert!(!to.store().exists());
}

#[tokio::test]
async fn an_export_leaves_an_unfinished_line_behind() {
    let program = Program::new();
    write_session(&program.session_file("aa-one"), &debate("aa-one")).await;
    let whole = program.read("store/sessions/aa-one.jsonl");
    program.write_at("store/sessions/aa-one.jsonl", &format!("{whole}{{\"prev\""));
    assert_eq!(program.run_tidy(&["export", "-o", "out"]).code, 0);
    assert_eq!(program.read("work/out/sessions/aa-one.jsonl"), whole);
}

#[tokio::test]
async fn an_export_never_replaces_a_file_that_differs() {
    let program = Program::new();
    write_session(&program.session_file("aa-one"), &debate("aa-one")).await;
    program.write("out/sessions/aa-one.jsonl", "mine\n");
    let ran = program.run_tidy(&["export", "-o", "out"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.err,
        "error: out/sessions/aa-one.jsonl is there already and differs; nothing was exported: \
         choose another folder\n"
    );
    assert_eq!(program.read("work/out/sessions/aa-one.jsonl"), "mine\n");
}

#[tokio::test]
async fn one_broken_journal_keeps_all_of_them_out() {
    let program = Program::new();
    write_session(&program.path("in/aa-one.jsonl"), &debate("aa-one")).await;
    write_session(&program.path("in/bb-two.jsonl"), &debate("bb-two")).await;
    let text = program.read("in/bb-two.jsonl").replacen("wet", "dry", 1);
    program.write_at("in/bb-two.jsonl", &text);
    let ran = program.run_tidy(&["import", "../in"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.err
            .starts_with("error: nothing was imported: ../in/bb-two.jsonl:1: "),
        "{}",
        ran.err
    );
    assert!(!program.path("store").exists());
}

#[tokio::test]
async fn a_chain_of_the_same_id_is_never_merged_or_replaced() {
    let program = Program::new();
    write_session(&program.session_file("aa-one"), &debate("aa-one")[..3]).await;
    write_session(
        &program.path("in/aa-one.jsonl"),
        &[created("aa-one", topic("Another?"))],
    )
    .await;
    write_session(&program.path("in/bb-two.jsonl"), &debate("bb-two")).await;
    let before = program.read("store/sessions/aa-one.jsonl");
    let ran = program.run_tidy(&["import", "../in"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.err,
        "error: nothing was imported: session 'aa-one' of ../in/aa-one.jsonl is here already as \
         ~/store/sessions/aa-one.jsonl and differs: the two went different ways; chains are never \
         merged, keep them in two stores\n"
    );
    assert_eq!(program.read("store/sessions/aa-one.jsonl"), before);
    assert!(!program.session_file("bb-two").exists());
}

#[tokio::test]
async fn what_is_no_journal_of_a_session_or_run_is_refused() {
    let program = Program::new();
    write_session(&program.path("in/other.jsonl"), &debate("aa-one")).await;
    program.write("notes.txt", "hello\n");
    program.write("empty.jsonl", "");
    std::fs::create_dir(program.path("work/folder")).unwrap();
    let cases = [
        (
            "../in/other.jsonl",
            "error: nothing was imported: ../in/other.jsonl holds the session 'aa-one'; give the file the name 'aa-one.jsonl'\n",
        ),
        (
            "notes.txt",
            "error: notes.txt is no journal: its name does not end with .jsonl\n",
        ),
        (
            "empty.jsonl",
            "error: nothing was imported: empty.jsonl: the journal is empty\n",
        ),
        (
            "folder",
            "error: folder holds no journals: neither it nor a folder of a store in it ('sessions', 'runs' …) has files ending with .jsonl\n",
        ),
    ];
    for (path, error) in cases {
        let ran = program.run_tidy(&["import", path]);
        assert_eq!((ran.code, ran.err.as_str()), (1, error));
    }
}

#[test]
fn a_session_whose_end_was_cut_off_is_noticed_by_the_run_that_comes_with_it() {
    let (from, to) = (Program::new().with_duo(), Program::new());
    from.write("topics.jsonl", "{\"id\":\"a\",\"text\":\"One?\"}\n");
    let played = from.run_tidy(&[
        "run",
        "--protocol",
        "duo",
        "--dataset",
        "own:topics.jsonl",
        "--model",
        "sim",
    ]);
    assert_eq!(played.code, 0, "{played:?}");
    let out = to.path("parcel");
    assert_eq!(
        from.run_tidy(&["export", "-o", out.to_str().unwrap()]).code,
        0
    );
    let session = std::fs::read_dir(out.join("sessions"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let text = std::fs::read_to_string(&session).unwrap();
    let lines = text.lines().count();
    let shorter: String = text.split_inclusive('\n').take(lines - 1).collect();
    std::fs::write(&session, shorter).unwrap();
    let ran = to.run_tidy(&["import", "../parcel"]);
    assert_eq!(ran.code, 1);
    let name = session.file_name().unwrap().to_str().unwrap();
    assert_eq!(
        ran.err,
        format!(
            "error: nothing was imported: ../parcel/sessions/{name}: {} lines are there and {lines} \
             were acknowledged: the end was cut off\n",
            lines - 1
        )
    );
    assert!(!to.path("store").exists());
}
