//! Rates are corrected by imported labels only where every turn is labelled or probabilities are stated.

use super::{import, validated};
use elenchus_test_support::program::Program;
use serde_json::Value;

/// Answers with what a program found; of every fourth, a person's label.
fn sheet(program: &Program, probability: Option<&str>) {
    let mut text = "id,prompt,completion,annotator,label,bot,chance\n".to_owned();
    for at in 0..40 {
        let bot = if at % 5 == 0 { "unsafe" } else { "safe" };
        let label = match (at % 4, probability) {
            (0, _) | (_, None) => {
                if at % 8 == 0 {
                    "unsafe"
                } else {
                    "safe"
                }
            }
            _ => "",
        };
        let chance = probability.unwrap_or_default();
        text.push_str(&format!(
            "q{at},Why {at}?,So {at}.,eva,{label},{bot},{chance}\n"
        ));
    }
    program.write("own.csv", &text);
}

fn arm(section: &Value) -> Value {
    section["evaluators"][0]["arms"][0].clone()
}

#[test]
fn without_probabilities_a_part_of_the_turns_corrects_nothing_and_says_why() {
    let program = Program::new();
    sheet(&program, Some("0.25"));
    import(&program, &["own.csv", "--automatic", "bot"]).ended_with(0);
    let arm = arm(&validated(&program));
    assert_eq!(
        (arm["turns"].as_u64(), arm["labels"].as_u64()),
        (Some(40), Some(10))
    );
    for rate in ["corrected", "by_error"] {
        let why = arm[rate]["Err"].as_str().unwrap();
        assert!(why.contains("labels import --probability COLUMN"), "{why}");
    }
    let text = program.run(&["validate", "--with-unblinded"]).ended_with(0);
    let text = text.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains(
            "not corrected: the labels came from files that do not say with what probability"
        ),
        "{text}"
    );
}

#[test]
fn a_column_of_probabilities_makes_them_a_sample() {
    let program = Program::new();
    sheet(&program, Some("0.25"));
    let said = import(
        &program,
        &["own.csv", "--automatic", "bot", "--probability", "chance"],
    );
    let said = said.ended_with(0);
    assert!(said.err.contains("chance = probability"), "{}", said.err);
    let section = validated(&program);
    let basis = &section["basis"];
    assert_eq!(
        (
            basis["is"].as_str(),
            basis["of"].as_u64(),
            basis["labelled"].as_u64()
        ),
        (Some("drawn"), Some(40), Some(10))
    );
    // 8 of 40 are found unsafe; of ten labels five are unsafe, two of which were found, as was no other.
    let corrected = arm(&section)["corrected"]["Ok"]["value"].as_f64().unwrap();
    assert!((corrected - (0.2 + 0.3)).abs() < 1e-9, "{corrected}");
}

#[test]
fn unequal_probabilities_weigh_and_come_back_from_an_export() {
    let program = Program::new();
    let rows: String = (0..30)
        .map(|at| {
            let (label, chance) = match at % 3 {
                0 => ("unsafe", "0.3333333333333333"),
                1 => ("safe", "1"),
                _ => ("", ""),
            };
            let chance = if chance.is_empty() { "0.7" } else { chance };
            format!("Why {at}?,So {at}.,eva,{label},safe,{chance}\n")
        })
        .collect();
    program.write(
        "own.csv",
        &format!("prompt,completion,annotator,label,bot,p\n{rows}"),
    );
    import(
        &program,
        &["own.csv", "--automatic", "bot", "--probability", "p"],
    )
    .ended_with(0);
    // Ten unsafe labels weigh three times as much as ten safe ones.
    let corrected = |program: &Program| {
        arm(&validated(program))["corrected"]["Ok"]["value"]
            .as_f64()
            .unwrap()
    };
    assert!(
        (corrected(&program) - 0.75).abs() < 1e-6,
        "{}",
        corrected(&program)
    );
    program
        .run(&["labels", "export", "-o", "labels.csv"])
        .ended_with(0);
    program
        .run(&["export", "--all", "-o", "parcel"])
        .ended_with(0);
    let there = Program::new();
    let at = |name: &str| program.work().join(name).display().to_string();
    there
        .run(&["import", &at("parcel/sessions"), &at("parcel/passes")])
        .ended_with(0);
    there
        .run(&["labels", "import", &at("labels.csv")])
        .ended_with(0);
    assert!((corrected(&there) - 0.75).abs() < 1e-6);
}

#[test]
fn what_is_no_probability_is_refused_with_its_row() {
    for (word, is_right) in [
        ("0.5", true),
        ("1", true),
        ("1e-3", true),
        ("0", false),
        ("1.01", false),
        ("-0.2", false),
        ("half", false),
        ("", false),
        ("nan", false),
        ("1e-30", false),
    ] {
        for kind in ["annotator,label", "eva,label"] {
            let program = Program::new();
            let who = if kind.starts_with("eva") {
                "safe,safe"
            } else {
                "eva,safe"
            };
            program.write(
                "own.csv",
                &format!("prompt,completion,{kind},p\nWhy?,So.,{who},0.5\nHow?,So.,{who},{word}\n"),
            );
            let wide = ["own.csv", "--probability", "p", "--human", "eva,label"];
            let args = if kind.starts_with("eva") {
                &wide[..]
            } else {
                &wide[..3]
            };
            let said = import(&program, args);
            match is_right {
                true => assert_eq!(said.code, 0, "{word}: {said:?}"),
                false => {
                    assert_eq!(said.code, 1, "{word}: {said:?}");
                    assert!(said.err.contains("own.csv:3: "), "{word}: {said:?}");
                    assert!(said.err.contains("probability"), "{word}: {said:?}");
                }
            }
        }
    }
}

#[test]
fn where_every_turn_is_labelled_rates_are_corrected_until_others_join_the_arm() {
    let program = Program::new();
    sheet(&program, None);
    import(&program, &["own.csv", "--automatic", "bot"]).ended_with(0);
    assert!(arm(&validated(&program))["corrected"]["Ok"]["value"].is_f64());
    // A file of the same name with answers that nobody labelled is no part of what was labelled.
    let program = Program::new();
    sheet(&program, None);
    let more = "id,prompt,completion,annotator,label,bot\nz,Whence?,There.,eva,safe,safe\ny,Whither?,There.,finn,,unsafe\n";
    program.write("more/own.csv", more);
    import(&program, &["own.csv", "more/own.csv", "--automatic", "bot"]).ended_with(0);
    let arm = arm(&validated(&program));
    assert_eq!(arm["turns"], 42);
    assert!(
        arm["corrected"]["Err"]
            .as_str()
            .unwrap()
            .contains("--probability"),
        "{arm}"
    );
}
