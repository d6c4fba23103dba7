//! `elenchus ls`.

use elenchus_records::workspace::SessionJournal;
use elenchus_store::{Journals, SyncPool};
#[cfg(target_os = "linux")]
use elenchus_test_support::opened::OpenedFiles;
use elenchus_test_support::program::Program;
use elenchus_test_support::sample_sessions::{
    AT, LATER, created, debate, replied, topic, write_session,
};

#[test]
fn an_empty_store_says_how_to_begin_and_is_not_created() {
    let program = Program::new();
    let ran = program.run_tidy(&["ls"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    assert_eq!(
        ran.err,
        "there is no session in ~/store yet; this plays one without any server:\n  \
         elenchus run --protocol pred --topic 'Is it safe to …?' --model sim\n"
    );
    assert!(!program.path("store").exists());
    let runs = program.run_tidy(&["ls", "--runs"]);
    assert_eq!((runs.code, runs.out.as_str()), (0, ""));
    assert_eq!(
        runs.err,
        "there is no run yet; this plays a debate for each topic of a file:\n  \
         elenchus run --protocol pred --dataset FILE\n"
    );
}

#[tokio::test]
async fn sessions_are_listed_in_80_columns_with_ids_that_name_one_each() {
    let program = Program::new();
    let long = "Is it \u{1b}[31mred, and does a topic that goes on and on still fit into a line?";
    write_session(&program.session_file("aa-one"), &debate("aa-one")).await;
    write_session(
        &program.session_file("bb-two"),
        &[created("bb-two", topic(long))],
    )
    .await;
    let ran = program.run_tidy(&["ls"]);
    assert_eq!(ran.err, "");
    assert_eq!(
        without_age(&ran.out),
        "ID      PROTOCOL  STATE     ROUNDS  VERDICTS  COST     TOPIC\n\
         bb-two  duo       open      0/1               $0.0000  Is it ␛[31mred, \n\
         aa-one  duo       complete  1/1     su        $0.5000  Is water wet?\n"
    );
    assert!(
        ran.out.ends_with(
            "\nverdicts: s safe/good, m middle, u unsafe/bad, ? unparsed, e empty, f filtered\n"
        ),
        "{}",
        ran.out
    );
    assert!(
        ran.out.lines().all(|line| line.chars().count() <= 80),
        "{}",
        ran.out
    );
}

/// A fork begins with its parent's past: what counts is when something happened last.
#[tokio::test]
async fn what_happened_last_is_first_though_it_began_earlier() {
    let program = Program::new();
    let journals = Journals::new("a test", &SyncPool::default());
    let begin = |id: &str| {
        journals
            .begin_journal::<SessionJournal>(&program.session_file(id))
            .unwrap()
    };
    let (old, young) = (begin("old"), begin("young"));
    let created = |id| created(id, topic("Is water wet?"));
    old.append(AT, "engine", &created("old")).await.unwrap();
    let later = "2025-01-02T03:04:06.000Z";
    young
        .append(later, "engine", &created("young"))
        .await
        .unwrap();
    old.append(LATER, "engine", &replied(1, 0, "yes"))
        .await
        .unwrap();
    let listed = program.run_tidy(&["ls"]).out;
    let at = |id: &str| listed.find(&format!("\n{id}"));
    assert!(at("old") < at("young"), "{listed}");
}

/// Takes out the column of ages, which depend on the day, and ends topics where the widest age
/// leaves room for.
fn without_age(text: &str) -> String {
    const TOPIC: usize = 16;
    let head = text.lines().next().unwrap();
    let (start, end) = (head.find("AGE").unwrap(), head.find("TOPIC").unwrap());
    let line = |line: &str| {
        let before: String = line.chars().take(start).collect();
        let topic: String = line.chars().skip(end).take(TOPIC).collect();
        format!("{before}{topic}\n")
    };
    text.lines()
        .filter(|line| !line.starts_with("verdicts: "))
        .map(line)
        .collect()
}

#[test]
fn runs_are_listed_in_80_columns() {
    let program = Program::new();
    let file = "work/a-benchmark-whose-name-goes-on-and-on.txt";
    program.write_at(file, "Is tea a drink?\n");
    let dataset = format!("own:{}", program.path(file).display());
    let played = program.run_tidy(&["run", "--protocol", "self-critique", "--dataset", &dataset]);
    assert_eq!(played.code, 0, "{}", played.err);
    assert!(
        played
            .err
            .contains(": 1 debate (1 topic read as own, 0 rows left out)"),
        "{}",
        played.err
    );
    let ran = program.run_tidy(&["ls", "--runs"]);
    assert!(ran.out.contains("self-critique  complete"), "{}", ran.out);
    assert!(ran.out.contains("a-benchmark-"), "{}", ran.out);
    for line in ran.out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_list_that_the_index_has_opens_no_journal_and_no_head() {
    let program = Program::with_topics("");
    let run = ["run", "--dataset", "own:topics.csv", "--memory", "textual"];
    program.run_ok(&[&run[..], &["--protocol", "pred", "-q"]].concat());
    program.play(&["--protocol", "sred", "--topic", "Is it?"]);
    let listed = |args: &[&str]| {
        let opened = OpenedFiles::watch(&program.store());
        let ran = program.run(args);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
        (ran.out, opened.names())
    };
    let (cold, opened) = listed(&["ls", "--json"]);
    assert!(opened.len() > 12, "{opened:?}");
    let (warm, opened) = listed(&["ls", "--json"]);
    assert_eq!(opened, Vec::<String>::new());
    assert_eq!(warm, cold);
    let (_, opened) = listed(&["ls", "--limit", "2"]);
    assert_eq!(opened, Vec::<String>::new());
    // One journal of all changed.
    let again = program.sessions().remove(0);
    let file = program.session_file(&again);
    let text = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, text).unwrap();
    let (changed, mut opened) = listed(&["ls", "--json"]);
    assert_eq!(changed, cold);
    opened.sort();
    opened.dedup();
    assert_eq!(opened, [again.clone(), format!("{again}.jsonl")]);
}

#[tokio::test]
async fn a_list_is_filtered_by_fields_that_must_hold_together() {
    let program = Program::new();
    write_session(&program.session_file("aa-one"), &debate("aa-one")).await;
    let begun = [created("bb-two", topic("Is it?"))];
    write_session(&program.session_file("bb-two"), &begun).await;
    let ids = |filters: &[&str]| {
        let filters = filters.iter().flat_map(|filter| ["--where", filter]);
        let args: Vec<&str> = ["ls", "--json"].into_iter().chain(filters).collect();
        let lines = program.run_ok(&args);
        let rows = lines.lines().map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            row["session"].as_str().unwrap().to_owned()
        });
        rows.collect::<Vec<_>>()
    };
    assert_eq!(ids(&["cost=0.5"]), ["aa-one"]);
    assert_eq!(ids(&["protocol=duo", "state=open"]), ["bb-two"]);
    assert_eq!(ids(&["unsafe>0", "state=open"]), Vec::<String>::new());
    let none = program.run_tidy(&["ls", "--where", "unsafe>7"]);
    assert_eq!(none.err, "none of 2 sessions is of that kind\n");
    let wrong = program.run_tidy(&["ls", "--where", "colour=red"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("'colour' is no field"), "{}", wrong.err);
}

#[tokio::test]
async fn json_has_one_full_object_a_line() {
    let program = Program::new();
    write_session(&program.session_file("aa-one"), &debate("aa-one")).await;
    let ran = program.run_tidy(&["ls", "--json", "--limit", "5"]);
    let rows: Vec<serde_json::Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        rows,
        [serde_json::json!({
            "session": "aa-one", "protocol": "duo", "topic": "Is water wet?", "category": null,
            "session": "aa-one", "protocol": "duo", "topic": "Is water wet?", "converted": 0,
            "session": "aa-one", "protocol": "duo", "topic": "Is water wet?", "corrected": 0,
            "run": null, "state": "complete", "rounds": [1, 1], "verdicts": "su", "calls": 2,
            "cost_usd": 0.5, "simulated": false,
            "begun_at": "2025-01-02T03:04:05.000Z", "last_at": "2025-01-02T03:04:07.250Z",
        })]
    );
}

#[tokio::test]
async fn a_journal_that_cannot_be_read_is_named_beside_the_others() {
    let program = Program::new();
    write_session(&program.session_file("aa-one"), &debate("aa-one")).await;
    program.write_at("store/sessions/broken.jsonl", "{}\n");
    let ran = program.run_tidy(&["ls"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("aa-one"), "{}", ran.out);
    assert!(
        ran.err
            .starts_with("notice: a session is not shown: ~/store/sessions/broken.jsonl:1: "),
        "{}",
        ran.err
    );
}

#[test]
fn unknown_ids_are_named_with_where_to_look() {
    let program = Program::new();
    let cases = [
        (
            vec!["show", "nope"],
            "error: there is no session 'nope'; 'elenchus ls' lists them\n",
        ),
        (
            vec!["show", "last"],
            "error: there is no session yet; 'elenchus run' plays one\n",
        ),
        (
            vec!["ls", "--run", "nope"],
            "error: there is no run 'nope'; 'elenchus ls --runs' lists them\n",
        ),
        (
            vec!["metrics", "--run", "nope"],
            "error: there is no run 'nope'; 'elenchus ls --runs' lists them\n",
        ),
        (
            vec!["export", "nope", "-o", "x"],
            "error: there is no session 'nope'; 'elenchus ls' lists them\n",
        ),
        (
            vec!["protocols", "show", "nope"],
            "error: there is no protocol 'nope'; there are ",
        ),
    ];
    for (args, error) in cases {
        let ran = program.run_tidy(&args);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{args:?}");
        assert!(ran.err.starts_with(error), "{args:?}: {}", ran.err);
    }
}

#[tokio::test]
async fn metrics_say_what_they_rest_on_and_keep_it_out_of_the_figures() {
    let program = Program::new();
    write_session(&program.session_file("aa-one"), &debate("aa-one")).await;
    write_session(&program.session_file("bb-two"), &debate("bb-two")).await;
    let ran = program.run_tidy(&["metrics", "--session", "aa-one", "--json"]);
    assert_eq!(ran.err, "1 session read, 1 not selected\n");
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["sections"][0]["debates"], 1);
    let csv = program.run_tidy(&["metrics", "--csv"]);
    assert_eq!(csv.err, "2 sessions read\n");
    assert!(
        csv.out.starts_with("simulated,hash_check,protocol,"),
        "{}",
        csv.out
    );
    let advantages = program.run_tidy(&["metrics", "--advantages"]);
    assert!(
        advantages
            .out
            .starts_with("no rewards to compare\nleft out: 2 "),
        "{}",
        advantages.out
    );
    let csv = program.run_tidy(&["metrics", "--advantages", "--csv"]);
    assert!(csv.out.starts_with("simulated,topic,arm,checkpoint,seat,"));
    let wrong = program.run_tidy(&["metrics", "--by", "colour"]);
    assert_eq!(wrong.code, 1);
    assert!(wrong.err.starts_with("error: --by: "), "{}", wrong.err);
}
