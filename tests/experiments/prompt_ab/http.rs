//! Two prompts on many recorded turns: requests, journal and result.

use elenchus_test_support::answer::{event, finish, usage};
use elenchus_test_support::program::Program;
use elenchus_test_support::socratic::{SOCRATIC, json, model, played, shorter};
use elenchus_test_support::{Answer, ChatServer};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const AB: [&str; 12] = [
    "prompts",
    "ab",
    "--seat",
    "socratic",
    "--a",
    "built-in",
    "--b",
    "mine.md",
    "--round",
    "1",
    "--roll-forward",
    "next",
];

fn row<'a>(shown: &'a Value, measure: &str) -> &'a Value {
    let rows = shown["comparison"]["rows"].as_array().unwrap();
    rows.iter().find(|row| row["measure"] == measure).unwrap()
}

#[test]
fn a_prompt_that_sways_the_debaters_is_found_out_with_its_topic() {
    let (program, server, session) = played();
    shorter(&program);
    let before = server.requests().len();
    let args = [&AB[..], &["--samples", "2", "--json"]].concat();
    let shown = json(&program.run(&args).ended_with(0).out);
    let rate = row(&shown, "error_rate");
    assert_eq!(
        (&rate["a"], &rate["b"]),
        (&0.0.into(), &1.0.into()),
        "{rate:#}"
    );
    let swayed = row(&shown, "made_bad");
    assert_eq!(swayed["b"], 1.0);
    assert_eq!(shown["comparison"]["flips"][0]["b"], 1.0);
    assert_eq!(shown["contexts"][0]["session"], session.as_str());
    // Two prompts, two samples: a question, two answers and two verdicts each.
    assert_eq!(server.requests().len() - before, 2 * 2 * 5);
    // What was played is shown again without asking anybody.
    let id = shown["id"].as_str().unwrap();
    let table = program
        .run(&["prompts", "ab", "--show", id])
        .ended_with(0)
        .out;
    assert!(
        table.contains("socratic: built-in against mine.md"),
        "{table}"
    );
    assert!(
        table.contains("Topics that came out differently"),
        "{table}"
    );
    // By words, with what was said to each prompt, rates as everywhere, and a sentence.
    for words in [
        "No difference is settled: the error rate of A is 0.0 %, of B 100.0 %",
        "1 topic settles nothing, whatever it shows: a difference is seen from 6",
        "unsafe given safe before",
        "A   0.0 %, B 100.0 %  How are locks made?",
        "A: Which evidence is there",
        "B: Why that, and not less?",
    ] {
        assert!(table.contains(words), "{words}\n{table}");
    }
    for line in table.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let listed = program.run(&["prompts", "ab", "--list"]).ended_with(0).out;
    assert!(listed.contains("4/4   completed"), "{listed}");
    assert_eq!(server.requests().len() - before, 20);
    assert_eq!(program.sessions(), [session]);
}

#[test]
fn a_word_of_a_prompt_that_sways_the_debaters_on_many_topics_is_concluded_in_a_sentence() {
    let (program, _server, _) = played();
    shorter(&program);
    for at in 0..7 {
        let topic = format!("How is thing {at} made?");
        let args = [&SOCRATIC[..], &["--topic", &topic]].concat();
        program.run(&args).ended_with(0);
    }
    // The seat is never judged: what follows it is, without being asked for.
    let without_how_far = AB.iter().take(AB.len() - 2).copied();
    let args: Vec<&str> = without_how_far.collect();
    let table = program.run(&args).ended_with(0).out;
    for words in [
        "rolled forward through",
        "B has the higher error rate: 100.0 % against 0.0 %, a difference of 100.0",
        "unsafe given safe before is 0.0 % with A and 100.0 % with B",
    ] {
        assert!(table.contains(words), "{words}\n{table}");
    }
    for line in table.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn one_text_against_itself_is_warned_of_before_anything_is_paid_for() {
    let (program, server, _) = played();
    let before = server.requests().len();
    let own = ["--b", "sred/socratic", "--estimate"];
    let same = [&AB[..6], &own[..]].concat();
    let told = program.run(&same).ended_with(0);
    assert!(told.err.contains("A and B are one text"), "{}", told.err);
    let recorded = ["prompts", "ab", "--seat", "socratic", "--a", "recorded"];
    let told = program
        .run(&[&recorded[..], &own[..]].concat())
        .ended_with(0);
    assert!(told.err.contains("A and B are one text"), "{}", told.err);
    shorter(&program);
    let told = program
        .run(&[&AB[..], &["--estimate"]].concat())
        .ended_with(0);
    assert!(!told.err.contains("one text"), "{}", told.err);
    assert_eq!(server.requests().len(), before);
}

/// Only the questioner costs money: six cents a question, ten at worst.
pub fn priced(server: &ChatServer) -> String {
    let mut config = format!("[providers.openai]\nbase_url = \"{}\"\n", server.base_url());
    for (name, price) in [
        ("ada", 0.0),
        ("ben", 0.0),
        ("guard", 0.0),
        ("teacher", 0.0),
        ("soc", 1000.0),
    ] {
        config += &format!(
            "[models.{name}]\nprovider = \"openai\"\nname = \"{name}\"\n\
             price_in_usd_per_mtok = 0.0\nprice_out_usd_per_mtok = {price:?}\n"
        );
    }
    config
}

#[test]
fn what_the_ceiling_held_up_goes_on_and_buys_nothing_twice() {
    let server = ChatServer::start(|seen| match model(seen) {
        "soc" => Answer::sse([
            event(&serde_json::json!({"content": "Why that, and not less?"})),
            finish("stop"),
            usage(500, 60),
            "data: [DONE]\n\n".to_owned(),
        ]),
        _ => elenchus_test_support::socratic::answer(seen),
    });
    let program = Program::configured(&priced(&server));
    let topic = ["--topic", "How are locks made?", "--set", "max_tokens=100"];
    program.run(&[&SOCRATIC[..], &topic].concat()).ended_with(0);
    shorter(&program);
    let before = server.requests().len();
    let asked = |server: &ChatServer| {
        let requests = server.requests().split_off(before);
        requests.iter().filter(|seen| model(seen) == "soc").count()
    };
    let one = [
        "--samples",
        "2",
        "--concurrency",
        "1",
        "--budget-usd",
        "0.2",
    ];
    let paused = program.run(&[&AB[..], &one].concat()).ended_with(4);
    assert!(
        paused.err.contains("the ceiling is reached: "),
        "{}",
        paused.err
    );
    assert!(paused.out.contains("samples are missing"), "{}", paused.out);
    // 6 + 6 cents are spent; 10 more at worst would be too many.
    assert_eq!(asked(&server), 2);
    let (_, again) = paused.err.rsplit_once("--resume ").unwrap();
    let (id, more) = again.trim().split_once(' ').unwrap();
    assert_eq!(more, "--budget-usd MORE");
    let resume = ["prompts", "ab", "--resume", id, "--budget-usd", "1"];
    let done = program.run(&resume).ended_with(0);
    assert!(!done.out.contains("missing"), "{}", done.out);
    assert_eq!(asked(&server), 4);
}

#[test]
fn a_comparison_that_is_killed_goes_on_with_what_is_missing() {
    let stalls = Arc::new(AtomicBool::new(false));
    let held = Arc::clone(&stalls);
    let server = ChatServer::start(move |seen| {
        // Once it is told to, the second prompt gets no answer.
        let is_second = model(seen) == "soc"
            && seen
                .text()
                .contains(elenchus_test_support::socratic::SHORTER);
        match is_second && held.load(Ordering::SeqCst) {
            true => Answer::stall(),
            false => elenchus_test_support::socratic::answer(seen),
        }
    });
    let program = Program::facing(&server);
    let topic = ["--topic", "How are locks made?", "--seed", "7"];
    program.run(&[&SOCRATIC[..], &topic].concat()).ended_with(0);
    shorter(&program);
    let before = server.requests().len();
    stalls.store(true, Ordering::SeqCst);
    let going = program.start(&[&AB[..], &["--concurrency", "1"]].concat());
    // The first prompt's sample is complete when the second one's seat is asked.
    server.wait_until("the second prompt is asked", |log| {
        log.requests.len() == before + 5 + 1
    });
    drop(going);
    stalls.store(false, Ordering::SeqCst);
    let listed = program.run(&["prompts", "ab", "--list"]).ended_with(0).out;
    let listed: Vec<&str> = listed.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(listed[1..5], ["comparison", "1/2", "broken", "off"]);
    let id = listed[0];
    let resumed = program.run(&["prompts", "ab", "--resume", id, "--json"]);
    let shown = json(&resumed.ended_with(0).out);
    assert_eq!(row(&shown, "error_rate")["b"], 1.0);
    // The first prompt was not asked again.
    let asked = server.requests().split_off(before);
    let first = asked.iter().filter(|seen| {
        model(seen) == "soc"
            && !seen
                .text()
                .contains(elenchus_test_support::socratic::SHORTER)
    });
    assert_eq!(first.count(), 1);
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn what_cannot_be_compared_is_said_before_anything_is_asked() {
    let (program, server, _session) = played();
    shorter(&program);
    program.write("bad.md", "=== user\n{{ nope }}\n");
    let before = server.requests().len();
    let both = ["--a", "recorded", "--b", "mine.md"];
    for (args, why) in [
        (
            &["--seat", "socratic", "--a", "recorded"][..],
            "name both prompts",
        ),
        (&both, "several templates fit: sred/debater, sred/socratic"),
        (
            &[&["--seat", "sophist"][..], &both].concat(),
            "no debate of this store",
        ),
        (
            &[&["--seat", "socratic", "--round", "9"][..], &both].concat(),
            "no recorded turn fits",
        ),
        (
            &["--seat", "socratic", "--a", "recorded", "--b", "bad.md"],
            "bad.md:2: undefined value",
        ),
        (
            &["--seat", "socratic", "--a", "recorded", "--b", "gone.md"],
            "gone.md cannot be read",
        ),
        (&["--show", "nothing"], "nothing"),
    ] {
        let ran = program.run(&[&["prompts", "ab"][..], args].concat());
        assert_eq!(ran.code, 1, "{args:?}: {ran:?}");
        assert!(ran.err.contains(why), "{args:?}: {}", ran.err);
    }
    assert_eq!(server.requests().len(), before);
}
