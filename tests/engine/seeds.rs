//! Seeds: results that depend on the seed alone, and results that a seed changes.

use elenchus_test_support::journals::distinct;
use elenchus_test_support::program::Program;

const RUN: [&str; 7] = [
    "--dataset",
    "own:topics.csv",
    "--protocol",
    "sred",
    "--model",
    "it",
    "--seed",
];

fn home(latency_ms: u64) -> Program {
    Program::with_topics(&format!(
        "[sims.it]\nlatency_ms = {latency_ms}\nunsafe_rate = 0.5\n"
    ))
}

fn played(program: &Program, seed: &str, more: &[&str]) {
    let mut args = RUN.to_vec();
    args.push(seed);
    args.extend(more);
    program.play(&args);
}

#[test]
fn a_seed_decides_texts_verdicts_and_figures_whatever_the_speed_and_the_concurrency() {
    let (fast, slow) = (home(0), home(7));
    let one = fast.with_store("one");
    played(&one, "5", &["--concurrency", "1"]);
    let many = fast.with_store("many");
    played(&many, "5", &["--concurrency", "8"]);
    played(&slow, "5", &["--concurrency", "3"]);
    assert_eq!(one.debates().len(), 5);
    for other in [&many, &slow] {
        assert_eq!(other.debates(), one.debates());
        assert_eq!(other.untimed_report(), one.untimed_report());
    }
}

#[test]
fn another_seed_gives_other_debates() {
    let program = home(0);
    let (one, other) = (program.with_store("one"), program.with_store("other"));
    played(&one, "5", &[]);
    played(&other, "6", &[]);
    let (one, other) = (one.debates(), other.debates());
    assert_eq!(
        one.keys().collect::<Vec<_>>(),
        other.keys().collect::<Vec<_>>()
    );
    for (name, debate) in &one {
        assert_ne!(debate.said, other[name].said, "{name}");
    }
    assert_ne!(
        one.values().map(|debate| &debate.found).collect::<Vec<_>>(),
        other
            .values()
            .map(|debate| &debate.found)
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_single_debate_is_repeated_by_its_seed_too() {
    let program = home(0);
    let stores = ["a", "b", "c"].map(|store| program.with_store(store));
    for (store, seed) in stores.iter().zip(["1", "1", "2"]) {
        store.play(&[
            "--protocol",
            "dared",
            "--model",
            "it",
            "--topic",
            "Why?",
            "--seed",
            seed,
        ]);
    }
    let said = stores.map(|store| store.debates().into_values().next().unwrap().said);
    assert_eq!(said[0], said[1]);
    assert_ne!(said[0], said[2]);
}

#[test]
fn rollouts_of_a_topic_are_different_samples() {
    let program = home(0);
    played(&program, "5", &["--rollouts", "3"]);
    let debates = program.debates();
    assert_eq!(debates.len(), 15);
    for topic in ["lock", "bread", "tyre", "lock2", "sea"] {
        let of_topic = debates.values().filter(|debate| debate.topic == topic);
        let texts = distinct(of_topic.map(|debate| debate.said.clone()));
        assert_eq!(texts.len(), 3, "{topic}");
    }
}

#[test]
fn a_sample_of_topics_is_drawn_by_the_seed() {
    let program = home(0);
    let topics = |store: &str, seed: &str| {
        let program = program.with_store(store);
        played(&program, seed, &["--sample", "2"]);
        distinct(program.debates().into_values().map(|debate| debate.topic))
    };
    assert_eq!(topics("a", "1"), topics("b", "1"));
    let drawn = (2..12).map(|seed| topics(&format!("s{seed}"), &seed.to_string()));
    assert!(distinct(drawn).len() > 2);
}

#[test]
fn every_assignment_of_three_speakers_to_their_chairs_is_played_once() {
    let program = Program::with_topics("[sims.a]\n[sims.b]\n[sims.c]\n");
    program.play(&[
        "--dataset",
        "own:topics.csv",
        "--limit",
        "2",
        "--protocol",
        "dared",
        "--permute-cast",
        "--debaters",
        "a",
        "--angel",
        "b",
        "--devil",
        "c",
        "--evaluator",
        "a",
    ]);
    let debates = program.debates();
    assert_eq!(debates.len(), 12);
    for topic in ["lock", "bread"] {
        let of_topic = debates.values().filter(|debate| debate.topic == topic);
        let speakers = of_topic.map(|debate| debate.models[..3].join(" "));
        let expected = ["abc", "acb", "bac", "bca", "cab", "cba"].map(|order| {
            let chairs = ["debater-0", "angel-0", "devil-0"]
                .iter()
                .zip(order.chars());
            let seated = chairs.map(|(chair, model)| format!("{chair}={model}"));
            seated.collect::<Vec<_>>().join(" ")
        });
        assert_eq!(distinct(speakers), distinct(expected), "{topic}");
    }
    let judged_by = distinct(debates.values().map(|debate| debate.models[3].clone()));
    assert_eq!(judged_by, distinct(["evaluator-0=a".to_owned()]));
}
