//! `elenchus gate`: decides whether a question is worth a debate.

use elenchus_test_support::program::{Program, Ran};
use serde_json::Value;

/// A model with prices, so that a debate costs something; nothing is ever sent to it.
const PRICED: &str = "[providers.here]
base_url = \"http://127.0.0.1:9/v1\"
[models.mini]
provider = \"here\"
name = \"mini\"
price_in_usd_per_mtok = 1.0
price_out_usd_per_mtok = 2.0
[models.unpriced]
provider = \"here\"
name = \"unpriced\"
";

fn gate(program: &Program, task: &str, confidence: &str, downside: &str, more: &[&str]) -> Ran {
    let asked = [
        "gate",
        "--protocol",
        "pcd-2",
        "--model",
        "mini",
        "--task",
        task,
        "--confidence",
        confidence,
        "--downside",
        downside,
    ];
    program.run(&[&asked, more].concat())
}

#[test]
fn a_dear_question_is_debated_and_a_cheap_one_or_a_lookup_is_not() {
    let program = Program::configured(PRICED);
    for (task, downside, first, code) in [
        ("contract", "50000", "debate: yes", 0),
        ("contract", "0.01", "debate: no", 10),
        ("factual", "50000", "debate: no", 10),
    ] {
        let told = gate(&program, task, "0.5", downside, &[]).ended_with(0);
        assert_eq!(told.out.lines().next(), Some(first), "{}", told.out);
        gate(&program, task, "0.5", downside, &["--exit-code"]).ended_with(code);
    }
    assert!(program.sessions().is_empty(), "nothing is begun");
}

#[test]
fn every_condition_is_told_with_its_figures_and_fits_eighty_columns() {
    let program = Program::configured(PRICED);
    let more = [
        "--answer",
        "It might hold, perhaps.",
        "--topic",
        "Is it binding?",
    ];
    let told = gate(&program, "contract", "0.9", "50000", &more).ended_with(0);
    for words in [
        "asymmetric downside     yes  $50000.00 is more than 50 x $0.0",
        "observable uncertainty  yes  confidence 0.9 is not below 0.7; the answer hedges:",
        "perhaps, might",
        "high-risk task          yes  'contract' is one of",
        "genuinely contested     yes  'contract' is not a look-up (factual)",
        "rule                    downside",
        "estimate                $0.0",
    ] {
        assert!(told.out.contains(words), "{words}\n{}", told.out);
    }
    assert!(
        told.out.lines().all(|line| line.chars().count() <= 80),
        "{}",
        told.out
    );
}

#[test]
fn the_rule_and_its_figures_come_from_the_configuration() {
    let program = Program::configured(&format!(
        "{PRICED}\n[gate]\nrule = \"all\"\nfactor = 10.0\n"
    ));
    let told = gate(&program, "poetry", "0.5", "50000", &["--json"]).ended_with(0);
    let told: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(told["debate"], false, "{told:#}");
    assert_eq!(told["rule"], "all");
    assert_eq!(told["conditions"].as_array().unwrap().len(), 4);
    assert!(
        told["conditions"][0]["because"]
            .as_str()
            .unwrap()
            .contains("than 10 x")
    );
    assert!(told["estimate"]["at_most"]["cost_usd"].as_f64().unwrap() > 0.0);
    let odd = Program::configured("[gate]\nfactor = -1.0\n");
    let refused = odd.run(&["ls"]).ended_with(1);
    assert!(
        refused.err.contains("[gate] factor must be"),
        "{}",
        refused.err
    );
}

#[test]
fn what_cannot_be_meant_is_refused_by_its_name() {
    let program = Program::configured(PRICED);
    for (confidence, downside, words) in [
        ("1.5", "1", "--confidence must be"),
        ("NaN", "1", "--confidence must be"),
        ("0.5", "-1", "--downside must be"),
        ("0.5", "inf", "--downside must be"),
    ] {
        let refused = gate(&program, "contract", confidence, downside, &[]).ended_with(1);
        assert!(refused.err.contains(words), "{}", refused.err);
    }
    let unpriced = gate(
        &program,
        "contract",
        "0.5",
        "1",
        &["--seat", "critic=unpriced"],
    );
    let unpriced = unpriced.ended_with(1);
    assert!(
        unpriced.err.contains("price_in_usd_per_mtok"),
        "{}",
        unpriced.err
    );
}

#[test]
fn at_most_counts_every_retry_of_a_stage_with_several_rules() {
    let program = Program::configured(PRICED);
    let more = ["--protocol", "moderated", "--json"];
    let asked = ["gate", "--model", "mini", "--task", "contract"];
    let figures = ["--confidence", "0.5", "--downside", "9"];
    let told = program
        .run(&[&asked[..], &figures, &more].concat())
        .ended_with(0);
    let told: Value = serde_json::from_str(&told.out).unwrap();
    // Five seats; each can be asked to repair its reply, and the critic to be harder as well.
    assert_eq!(told["estimate"]["likely"]["calls"], 5, "{told}");
    assert_eq!(told["estimate"]["at_most"]["calls"], 11, "{told}");
}

#[test]
fn a_check_that_holds_for_every_sum_is_said_to_be_none() {
    let program = Program::new();
    let asked = [
        "gate",
        "--task",
        "contract",
        "--confidence",
        "0.9",
        "--downside",
        "1",
    ];
    let told = program.run(&asked).ended_with(0).out;
    for words in [
        "debate: yes, though the downside was not weighed: name models that have prices",
        "asymmetric downside     -    no check: 50 x $0.0000 is nothing",
    ] {
        assert!(told.contains(words), "{words}\n{told}");
    }
    let shown: Value = serde_json::from_str(
        &program
            .run(&[&asked[..], &["--json"]].concat())
            .ended_with(0)
            .out,
    )
    .unwrap();
    assert_eq!(shown["conditions"][0]["is_no_check"], true);
    assert!(shown["conditions"][1].get("is_no_check").is_none());
}
