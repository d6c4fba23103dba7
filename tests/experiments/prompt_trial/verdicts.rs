//! A judge's prompt tried on a recorded verdict.

use elenchus_test_support::program::Program;
use serde_json::Value;

const DECISION: &str = include_str!("../../../prompts/rubrics/pcd-decision.md");
const SAFETY: &str = include_str!("../../../prompts/rubrics/safety.md");

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Debates that a simulated judge decided who is always wrong, and always right where its prompt has one word.
pub fn play_heeding_judge(topics: u32) -> Program {
    let config = "[sims.heeds]\ntopic_effect = 0.0\n\
        [sims.heeds.judge_if_correct]\ngood = 0.01\nmiddle = 0.0\nbad = 0.99\n\
        [sims.heeds.judge_if_incorrect]\ngood = 0.99\nmiddle = 0.0\nbad = 0.01\n\
        [sims.heeds.prompt_words]\nthorough = 40.0\n";
    let program = Program::with_topics(config);
    let rows = (1..=topics).map(|n| format!("q{n},How much is {n} and 4?,{}\n", n + 4));
    let rows: String = rows.collect();
    program.write("sums.csv", &format!("id,text,reference\n{rows}"));
    let run = ["run", "-q", "--protocol", "pcd-2", "--model", "heeds"];
    program.run_ok(&[&run[..], &["--dataset", "own:sums.csv"]].concat());
    program
}

#[test]
fn a_verdict_is_asked_for_again_alone_and_the_session_stays_as_it_was() {
    let program = play_heeding_judge(1);
    let thorough = DECISION.replace("You are the judge", "You are the thorough judge");
    assert_ne!(thorough, DECISION);
    program.write("thorough.md", &thorough);
    let [session] = &program.sessions()[..] else {
        panic!("one session");
    };
    let journal = program.store().join(format!("sessions/{session}.jsonl"));
    let before = std::fs::read(&journal).unwrap();
    let call = format!("{session}:decision");
    let tried = |more: &[&str]| {
        let args = ["prompts", "try", &call, "--samples", "3", "--json"];
        json(&program.run_ok(&[&args[..], more].concat()))
    };
    let found = |tried: &Value| -> Vec<String> {
        let samples = tried["samples"].as_array().unwrap();
        let labels = samples.iter().map(|sample| {
            let findings = sample["findings"].as_array().unwrap();
            assert_eq!(findings.len(), 1, "{sample:#}");
            assert_eq!(findings[0]["judging"], "decision");
            findings[0]["found"].as_str().unwrap().to_owned()
        });
        labels.collect()
    };
    let recorded = tried(&[]);
    assert_eq!(recorded["verdict"]["judging"], "decision", "{recorded:#}");
    assert_eq!(recorded["turn"], Value::Null);
    let changed = tried(&["--with", "thorough.md"]);
    let (recorded, changed) = (found(&recorded), found(&changed));
    // Who is always wrong, and always right when told to be thorough, changes sides.
    assert_eq!((recorded.len(), changed.len()), (3, 3));
    assert!(
        recorded.iter().all(|label| !changed.contains(label)),
        "{recorded:?} {changed:?}"
    );
    assert_eq!(std::fs::read(&journal).unwrap(), before);
    let shown = program.run_ok(&["prompts", "try", &call, "--with", "thorough.md"]);
    assert!(shown.contains("decision/debate of session"), "{shown}");
    assert!(shown.contains("recorded"), "{shown}");
    let estimate = program.run_ok(&["prompts", "try", &call, "--estimate", "--json"]);
    assert_eq!(
        json(&estimate)["estimate"]["likely"]["calls"],
        1,
        "{estimate}"
    );
    let refused = program.run(&["prompts", "try", &call, "--roll-forward", "end"]);
    assert!(refused.err.contains("asked for alone"), "{}", refused.err);
}

#[test]
fn a_rule_that_judged_several_things_says_which_and_a_rule_without_a_model_cannot_be_asked() {
    let program = play_heeding_judge(1);
    let session = program.sessions().remove(0);
    let ask = |place: &str| program.run(&["prompts", "try", &format!("{session}:{place}")]);
    let graded = ask("truth").err;
    assert!(
        graded.contains("no model gave a verdict by 'truth'"),
        "{graded}"
    );
    let listed = program.run_ok(&["prompts", "render", &session]);
    assert!(
        listed.contains(&format!("{session}:decision/debate")),
        "{listed}"
    );
    let other = Program::with_topics("");
    let run = [
        "run",
        "-q",
        "--protocol",
        "pred",
        "--model",
        "sim",
        "--rounds",
        "2",
    ];
    other.run_ok(&[&run[..], &["--topic", "Why?"]].concat());
    let several = other.run(&["prompts", "try", "last:safety"]).err;
    assert!(several.contains("means several verdicts"), "{several}");
    assert!(several.contains("safety/r1.answer.debater-0"), "{several}");
    let none = other
        .run(&["prompts", "try", "last:safety/r9.debater-0"])
        .err;
    assert!(none.contains("there is no verdict"), "{none}");
    other.write(
        "shouts.md",
        &SAFETY.replacen("=== user", "=== user\nSHOUT.", 1),
    );
    let place = "last:safety/r1.debater-0";
    let rendered = other.run_ok(&["prompts", "render", place, "--with", "shouts.md"]);
    assert!(rendered.contains("SHOUT."), "{rendered}");
    let recorded = other.run_ok(&["prompts", "render", place]);
    assert!(
        !recorded.contains("SHOUT.") && recorded.contains("Why?"),
        "{recorded}"
    );
    other.run_ok(&["prompts", "try", place, "--with", "shouts.md", "-q"]);
}
