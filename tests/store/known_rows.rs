//! Rows of debates and reports from the store's index: equal to those from journals to the bit, whatever became
//! of the index and of the journals.

use super::earlier_versions::copied;
use super::lost_lines::id;
use elenchus_annotation::validation::{ValidateQuery, validate_rows};
use elenchus_game::debate::RunId;
use elenchus_records::library::{Library, ModelFamilies};
use elenchus_records::workspace::StoreIndex;
use elenchus_records::workspace::rows::{RowSelection, SessionRows, run_rows};
use elenchus_store::{Hash, Index, IndexOptions, Layout};
use elenchus_test_support::journals::{journals, keep_lines};
#[cfg(target_os = "linux")]
use elenchus_test_support::opened::OpenedFiles;
use elenchus_test_support::program::Program;
use elenchus_test_support::validation::{label_all, layout};
use std::fs;

/// What is derived from the recorded sessions of two earlier versions, by table: a hash of all its entries.
///
/// Where this differs, entries have another form or say something else than before. Raise the number of the table
/// in `crates/records/src/workspace/store_index.rs`, so that entries of before are read anew, and put its name
/// and the hash here.
const FORMS: [(&str, &str); 3] = [
    ("rows/4", "503dae4486b55d1a"),
    ("found/2", "4ad080e10fc7f89d"),
    ("runs/3", "2e831cd40fc61a5f"),
];

/// All that figures are computed from; floats are written so that they differ where their bits do.
fn rows(for_rows: &StoreIndex, for_validation: &StoreIndex) -> String {
    let library = Library::default();
    let families = library.read_families().unwrap();
    let selection = RowSelection {
        sessions: None,
        pass: None,
        holds: &|_| true,
    };
    let all = SessionRows::read_rows(for_rows, &families, &selection).unwrap();
    let runs = for_rows.layout().list_runs().unwrap().into_iter();
    let runs = runs.map(|run| {
        // One that lacks a session has none.
        let rows = run_rows(for_rows, &RunId::new(run), &families);
        rows.map_err(|error| error.to_string())
    });
    let runs: Vec<_> = runs.collect();
    let book = library.read_label_set("safety").unwrap();
    let query = ValidateQuery::default();
    let validated = validate_rows(for_validation, &book.set, book.hash, &query).unwrap();
    format!("{all:#?}\n{runs:#?}\n{validated:#?}")
}

fn from_journals(layout: &Layout) -> String {
    let alone = StoreIndex::bypass(layout);
    rows(&alone, &alone)
}

/// Reads as a process does, and writes what was new.
fn from_index(layout: &Layout) -> String {
    let ((for_rows, _), (for_validation, _)) = (
        StoreIndex::read_rows(layout),
        StoreIndex::read_findings(layout),
    );
    let found = rows(&for_rows, &for_validation);
    for_rows.write_changes();
    for_validation.write_changes();
    found
}

/// Both what is read first, and what the index knows then.
#[track_caller]
fn assert_equal(layout: &Layout, when: &str) {
    let alone = from_journals(layout);
    assert!(alone.len() > 1000, "{alone}");
    for time in ["first", "again"] {
        let found = from_index(layout);
        if found != alone {
            let mut lines = found.lines().zip(alone.lines());
            panic!(
                "{when}, {time}: {:?}",
                lines.find(|(one, other)| one != other)
            );
        }
    }
}

/// Entries of a table, without the version of the program that begins them.
fn entries(layout: &Layout, table: &'static str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let (mut index, notice) = Index::open(&layout.cache_folder(), IndexOptions::default());
    assert_eq!(notice, None);
    let table = index.read_table(table);
    let version = 1 + env!("CARGO_PKG_VERSION").len();
    let entries = table.keys().map(|key| {
        let value = table.get(key).unwrap().value;
        (key.to_vec(), value[version..].to_vec())
    });
    entries.collect()
}

/// Changes the entries of a table in place.
fn change_entries(layout: &Layout, table: &'static str, change: impl Fn(&mut Vec<u8>)) -> usize {
    let (mut index, _) = Index::open(&layout.cache_folder(), IndexOptions::default());
    let known = index.read_table(table);
    let changed: Vec<_> = known
        .keys()
        .map(|key| {
            let mut entry = known.get(key).unwrap();
            change(&mut entry.value);
            ((table, key.to_vec()), Some(entry))
        })
        .collect();
    index.write_changes(&changed);
    changed.len()
}

/// A store of everything that rows hold: arms, a learning run, forks, a pass, labels, failures, and a debate that
/// was left.
fn mixed() -> Program {
    let program = Program::with_topics(
        "[sims.it]\nunsafe_rate = 0.5\n[providers.gone]\nbase_url = \"http://127.0.0.1:9/v1\"\nretries = 0\n\
         [models.dead]\nprovider = \"gone\"\nname = \"dead\"\nfamily = \"kin\"\n",
    );
    let play = |args: &[&str]| program.run(&[&["run", "-q"], args].concat());
    let over_topics = |args: &str| {
        let args = format!("--dataset own:topics.csv --model it {args}");
        play(&args.split(' ').collect::<Vec<_>>()).ended_with(0)
    };
    over_topics("--protocol pred --rounds 1 --rollouts 2");
    let run = program.run_id().unwrap();
    over_topics("--protocol pred --rounds 1 --memory textual --split 0.6 --learn-batch 2");
    over_topics("--protocol pcd-2 --limit 2");
    let dead = ["--topic", "Is it dead?", "--model", "dead", "--unlisted"];
    play(&dead).ended_with(3);
    let session = program.sessions().remove(0);
    program.adopt_fork(&session, "r1.debater-0");
    program.run_ok(&[
        "judge", "--run", &run, "--rubric", "safety", "--model", "it",
    ]);
    label_all(&program, "ada");
    let left = program.play(&[
        "--protocol",
        "pred",
        "--topic",
        "Is it left?",
        "--model",
        "it",
    ]);
    keep_lines(&program.session_file(&left), 6);
    fs::remove_file(program.store().join("heads/sessions").join(left)).unwrap();
    program
}

#[test]
fn figures_of_recorded_stores_are_the_same_from_the_index() {
    for version in ["0.1.0", "0.1.0-44b6880"] {
        let program = copied(version);
        assert_equal(&layout(&program), version);
    }
}

#[test]
fn figures_are_the_same_whatever_became_of_the_index_and_of_journals() {
    let program = mixed();
    let layout = layout(&program);
    assert_equal(&layout, "at first");

    fs::remove_dir_all(layout.cache_folder()).unwrap();
    assert_equal(&layout, "the index is gone");

    let db = layout.cache_folder().join("db");
    let bytes = fs::read(&db).unwrap();
    fs::write(&db, &bytes[..bytes.len() / 2]).unwrap();
    assert_equal(&layout, "the index is damaged");

    for table in ["rows/4", "found/2", "runs/3"] {
        // The version of the program is the first text of an entry.
        assert!(change_entries(&layout, table, |value| value[1] = b'9') > 2);
    }
    assert_equal(&layout, "the entries are of another version");
    for table in ["rows/4", "found/2", "runs/3"] {
        change_entries(&layout, table, |value| value.truncate(value.len() / 2));
    }
    assert_equal(&layout, "the entries are cut off");

    let lock = fs::File::open(layout.cache_folder().with_extension("lock")).unwrap();
    lock.lock().unwrap();
    let (busy, notice) = StoreIndex::read_rows(&layout);
    assert!(notice.is_some(), "another has it");
    assert_eq!(rows(&busy, &busy), from_journals(&layout));
    lock.unlock().unwrap();

    program.play(&[
        "--protocol",
        "pred",
        "--topic",
        "Is it new?",
        "--model",
        "it",
    ]);
    assert_equal(&layout, "a session is new");

    let open = program.session_files().into_iter();
    let open = open
        .min_by_key(|path| fs::metadata(path).unwrap().len())
        .unwrap();
    program.run(&["run", "--resume-session", &id(&open)]);
    assert_equal(&layout, "a session has grown");

    let sessions = program.session_files();
    keep_lines(&sessions[3], 8);
    fs::remove_file(layout.root().join("heads/sessions").join(id(&sessions[3]))).unwrap();
    assert_equal(
        &layout,
        "a session without a head holds less than it was seen to hold",
    );

    fs::remove_file(&sessions[0]).unwrap();
    fs::remove_file(layout.root().join("heads/sessions").join(id(&sessions[0]))).unwrap();
    assert_equal(&layout, "a session is gone");

    fs::rename(
        &sessions[1],
        program.session_file("01zzzzzzzzzzzzzzzzzzzzzzzz"),
    )
    .unwrap();
    assert_equal(&layout, "a session has another name");

    fs::copy(
        &sessions[2],
        program.session_file("01yyyyyyyyyyyyyyyyyyyyyyyy"),
    )
    .unwrap();
    assert_equal(&layout, "a session is there twice");

    let run = journals(&layout.root().join("runs")).remove(0);
    fs::remove_file(&run).unwrap();
    fs::remove_file(layout.root().join("heads/runs").join(id(&run))).unwrap();
    assert_equal(&layout, "a run is gone");
}

#[test]
fn entries_of_rows_keep_the_form_of_their_tables() {
    let mut found = Vec::new();
    for (table, _) in FORMS {
        let mut text = Vec::new();
        for version in ["0.1.0", "0.1.0-44b6880"] {
            let program = copied(version);
            let layout = layout(&program);
            from_index(&layout);
            for (key, value) in entries(&layout, table) {
                text.extend([key, value].concat());
            }
        }
        assert!(text.len() > 1000, "no table {table}");
        found.push((table, Hash::digest(&text).to_string()));
    }
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(table, hash)| (*table, &hash[..16]))
        .collect();
    assert_eq!(found, FORMS, "see FORMS");
}

/// Journals and heads that a command opens, but for those of people and of passes.
#[cfg(target_os = "linux")]
fn opened(program: &Program, args: &[&str]) -> Vec<String> {
    let watch = OpenedFiles::watch(&program.store());
    program.run_ok(args);
    let others = ["notes", "passes"].map(|folder| journals(&program.store().join(folder)));
    let others: Vec<String> = others.iter().flatten().map(|path| id(path)).collect();
    let mut names = watch.names();
    names.retain(|name| !others.contains(&name.trim_end_matches(".jsonl").to_owned()));
    names.sort();
    names.dedup();
    names
}

#[cfg(target_os = "linux")]
#[test]
fn no_journal_is_opened_that_is_known_and_only_a_new_one_is_read() {
    let program = mixed();
    let commands: [&[&str]; 5] = [
        &["metrics"],
        &["metrics", "--by", "dataset,memory", "--json"],
        &["metrics", "--advantages"],
        &["metrics", "--evaluator-error", "from-labels"],
        &["validate"],
    ];
    for args in commands {
        program.run_ok(args);
    }
    for args in commands {
        assert_eq!(opened(&program, args), [""; 0], "{args:?}");
    }
    // It teaches nothing: of memory that has changed all journals are read.
    let new = program.play(&[
        "--protocol",
        "standard",
        "--topic",
        "Is it new?",
        "--model",
        "it",
    ]);
    for args in [commands[0], commands[4]] {
        assert_eq!(
            opened(&program, args),
            [new.clone(), format!("{new}.jsonl")],
            "{args:?}"
        );
        assert_eq!(opened(&program, args), [""; 0], "{args:?}");
    }
}

#[test]
fn nobody_holds_the_index_while_journals_are_read() {
    let program = copied("0.1.0-44b6880");
    let layout = layout(&program);
    StoreIndex::with_rows(&layout, |index| {
        let families = ModelFamilies::default();
        let holds = |_: &_| {
            let (other, notice) = Index::open(&layout.cache_folder(), IndexOptions::default());
            // Another would have waited in vain and said so. That it had to wait for a moment says nothing: a
            // program that another test starts holds each open file until it has become that program.
            assert_eq!((other.why_off(), notice), (None, None));
            true
        };
        let selection = RowSelection {
            sessions: None,
            pass: None,
            holds: &holds,
        };
        let read = SessionRows::read_rows(index, &families, &selection).unwrap();
        assert!(read.rows.len() > 3);
    });
    assert!(entries(&layout, "rows/4").len() > 3);
}

#[test]
fn a_report_that_did_not_change_comes_from_the_index_and_others_do_not() {
    let program = copied("0.1.0");
    let layout = layout(&program);
    let computed = program.run_ok(&["metrics"]);
    let held = |layout: &Layout| {
        let (mut index, _) = Index::open(&layout.cache_folder(), IndexOptions::default());
        index.read_table("reports/2").keys().len()
    };
    assert_eq!(held(&layout), 1);
    assert_eq!(program.run_ok(&["metrics"]), computed);
    assert_eq!(held(&layout), 1, "it was known");
    // A report that says something else is told as it is held.
    let changed = change_entries(&layout, "reports/2", |value| {
        let text = String::from_utf8(value.clone()).unwrap();
        let other = text.replacen(r#""debates":"#, r#""debates":99999"#, 1);
        assert_ne!(text, other);
        *value = other.into_bytes();
    });
    assert_eq!(changed, 1);
    let told = program.run_ok(&["metrics"]);
    assert!(told.contains("99999"), "{told}");
    // Of other debates, asked for otherwise, or computed by another build it is computed.
    for args in [
        &["metrics", "--seed", "4"][..],
        &["metrics", "--with-people"],
        &["metrics", "--only", "simulated=simulated"],
    ] {
        program.run(args);
        assert!(!program.run(args).out.contains("99999"), "{args:?}");
    }
    program.play(&[
        "--protocol",
        "pred",
        "--topic",
        "Is it new?",
        "--model",
        "sim",
    ]);
    assert!(!program.run_ok(&["metrics"]).contains("99999"));
    // However many are asked for, the index keeps some.
    for seed in 10..45 {
        program.run_ok(&["metrics", "--resamples", "1", "--seed", &seed.to_string()]);
    }
    assert_eq!(held(&layout), 32);
}
