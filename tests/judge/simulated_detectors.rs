//! Detectors on simulated critics of known truth, and the orders of a simulated judge.

use elenchus_test_support::journals::events;
use elenchus_test_support::program::Program;

const CONFIG: &str = "[sims.half]\nspurious_rate = 0.5\n[sims.biased]\nposition_bias = 0.25\n\
    [sims.mumbling]\nposition_bias = 0.0\nunparsed_rate = 0.4\n";
const TOPICS: usize = 64;

fn home() -> Program {
    let program = Program::with_topics(CONFIG);
    let rows = (0..TOPICS).map(|at| {
        format!(
            "{{\"id\":\"t{at}\",\"text\":\"How much is {at} + {}?\",\"reference\":\"{}\"}}\n",
            at * 7,
            at * 8
        )
    });
    program.write("sums.jsonl", &rows.collect::<String>());
    program
}

/// What a detector found on each critique, with what its mark says is true.
fn found(program: &Program) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for path in program.session_files() {
        let events = events(&path);
        let critique = events
            .iter()
            .filter(|event| event["type"] == "replied")
            .find(|event| event["turn"] == "r1.critique.critic-0")
            .unwrap();
        let judged = events
            .iter()
            .find(|event| event["type"] == "judged" && event["judging"] == "named_error")
            .unwrap();
        let label = judged["outcome"]["label"]["label"].as_str().unwrap();
        let text = critique["reply"]["text"].as_str().unwrap();
        found.push((text.to_owned(), label.to_owned()));
    }
    found
}

#[test]
fn simulated_spurious_critiques_are_all_found_and_no_other_is_called_so() {
    let program = home();
    program.play(&[
        "--protocol",
        "pcd-2",
        "--dataset",
        "own:sums.jsonl",
        "--model",
        "sim",
        "--critic",
        "half",
    ]);
    let found = found(&program);
    let (spurious, honest): (Vec<_>, Vec<_>) = found
        .iter()
        .partition(|(text, _)| text.contains("trick=spurious"));
    // 29 of 64 at this seed: about half, as the setting says.
    assert_eq!((spurious.len(), honest.len()), (29, 35));
    let called = |these: &[&(String, String)], label: &str| {
        these.iter().filter(|(_, found)| found == label).count()
    };
    assert_eq!(called(&spurious, "names_nothing"), 29, "{spurious:#?}");
    assert_eq!(called(&honest, "names_nothing"), 0, "{honest:#?}");
    // Who names a flaw quotes the proposal; who finds none points at nothing.
    let (naming, praising): (Vec<_>, Vec<_>) = honest
        .into_iter()
        .partition(|(text, _)| text.contains("flaw=yes"));
    assert_eq!((naming.len(), called(&naming, "names_error")), (13, 13));
    assert_eq!(called(&praising, "accepts"), praising.len());
}

/// Two candidates on every topic, compared by this judge.
fn compared_by(judge: &str) -> Program {
    let program = home();
    program.play(&[
        "--protocol",
        "two-candidate",
        "--dataset",
        "own:sums.jsonl",
        "--set",
        "rounds=1",
        "--seat",
        &format!("judge={judge}"),
    ]);
    program
}

#[test]
fn the_two_orders_of_a_simulated_judge_disagree_as_often_as_its_position_bias_says() {
    for (judge, disagree) in [("sim", 0.1), ("biased", 0.25)] {
        let figures = compared_by(judge).figures();
        let agree = figures.part("orders_agree", "decision");
        // Three standard deviations of a binomial.
        let bound = 3.0 * (disagree * (1.0 - disagree) / TOPICS as f64).sqrt();
        let found = 1.0 - agree["value"].as_f64().unwrap();
        assert!((found - disagree).abs() < bound, "{judge}: {found}");
        let ties = figures.value("pick_ties");
        assert!(ties < 0.6, "{judge}: {ties}");
    }
}

#[test]
fn an_unreadable_order_is_neither_agreement_nor_disagreement() {
    let figures = compared_by("mumbling").figures();
    let agree = figures.part("orders_agree", "decision");
    // It never believes a place, so whatever can be read agrees.
    assert_eq!(agree["value"].as_f64(), Some(1.0), "{agree}");
    let (read, unread) = (&agree["observations"], &agree["left_out"]["unparsed"]);
    let all = read.as_u64().unwrap() + unread.as_u64().unwrap();
    assert!(read.as_u64() < Some(all) && all == TOPICS as u64, "{agree}");
}
