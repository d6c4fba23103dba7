//! `metrics --pass A --pass B`: judges beside one another on the same debates.

use elenchus_test_support::program::Program;
use serde_json::Value;

/// Judges of known rates, and one who finds nothing that can be read in half of its replies.
const CONFIG: &str = "\
[sims.even]\naccuracy = 0.5\ntopic_effect = 0.0\nseat_effect = 0.0\n\
[sims.fair]\nsway = 0.0\n\
[sims.fair.judge_if_correct]\ngood = 1.0\nmiddle = 0.0\nbad = 0.0\n\
[sims.fair.judge_if_incorrect]\ngood = 0.0\nmiddle = 0.0\nbad = 1.0\n\
[sims.harsh]\nsway = 0.0\n\
[sims.harsh.judge_if_correct]\ngood = 0.0\nmiddle = 0.0\nbad = 1.0\n\
[sims.harsh.judge_if_incorrect]\ngood = 0.0\nmiddle = 0.0\nbad = 1.0\n\
[sims.mumbling]\nsway = 0.0\nunparsed_rate = 0.5\n";

/// Plays 20 debates with proposals that are right in about half, and judges them by each model.
fn judged_by(models: &[&str]) -> (Program, Vec<String>) {
    let program = Program::with_topics(CONFIG);
    let sums = (1..=20).map(|sum| format!("{sum},How much is 1 + {sum}?,{}\n", sum + 1));
    let sums: String = sums.collect();
    program.write("sums.csv", &format!("id,text,answer\n{sums}"));
    let game = [
        "run",
        "--protocol",
        "pcd-2",
        "--dataset",
        "own:sums.csv",
        "--quiet",
    ];
    let seats = ["--model", "sim", "--seat", "proposer=even", "--seed", "4"];
    program.run_ok(&[&game[..], &seats].concat());
    let passes = models.iter().map(|model| {
        program.run_ok(&["judge", "--all", "--quiet", "--model", model]);
        let listed = program.run_ok(&["judge", "list", "--json"]);
        let newest: Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
        newest["pass"].as_str().unwrap().to_owned()
    });
    let passes = passes.collect();
    (program, passes)
}

#[test]
fn judges_stand_beside_one_another_paired_with_agreement_beyond_chance_and_the_way_they_differ() {
    let (program, passes) = judged_by(&["fair", "harsh"]);
    let asked = ["metrics", "--pass", &passes[0], "--pass", &passes[1]];
    let report: Value =
        serde_json::from_str(&program.run_ok(&[&asked[..], &["--json"]].concat())).unwrap();
    let figures = report["differences"]["sections"][0]["figures"]
        .as_array()
        .unwrap();
    let figure = |measure: &str| {
        let mut of_measure = figures.iter().filter(|figure| figure["measure"] == measure);
        of_measure
            .next()
            .unwrap_or_else(|| panic!("{measure}: {report}"))
    };
    // The fair one never rejects what is correct, the harsh one always does.
    let rejects = figure("reject_given_correct");
    assert_eq!(rejects["value"], 1.0, "{rejects}");
    assert!(
        rejects["compared"]["test"]["p_holm"].as_f64().unwrap() < 0.05,
        "{rejects}"
    );
    let topics = rejects["topics"].as_u64().unwrap();
    let aligned = figure("judge_alignment_middle_neither");
    assert_eq!(aligned["topics"], 20, "{aligned}");
    assert_eq!(
        aligned["value"].as_f64().unwrap(),
        -(topics as f64) / 20.0,
        "{aligned}"
    );
    assert!(
        aligned["interval"]["low"].as_f64().unwrap() < 0.0,
        "{aligned}"
    );
    // All that differs are acceptances that became rejections, of proposals that are correct.
    let pair = &report["verdicts"]["pairs"][0];
    assert_eq!(pair["both"], 20, "{pair}");
    let cell = |from: &str, to: &str| {
        let cells = pair["table"].as_array().unwrap().iter();
        let mut cells = cells.filter(|cell| cell["from"] == from && cell["to"] == to);
        cells.next().unwrap()["count"].as_u64().unwrap()
    };
    assert_eq!(cell("correct", "incorrect"), topics);
    assert_eq!(cell("incorrect", "correct"), 0);
    assert_eq!(cell("incorrect", "incorrect"), 20 - topics);
    // A judge that always says one thing agrees by chance alone.
    assert_eq!(pair["kappa"].as_f64().unwrap(), 0.0, "{pair}");
    let csv = program.run_ok(&[&asked[..], &["--csv"]].concat());
    assert!(csv.contains(",difference,reject_given_correct,"), "{csv}");
    assert!(
        csv.contains(&format!(",table,,correct,incorrect,,,{topics},")),
        "{csv}"
    );
    let text = program.run_ok(&asked);
    assert!(text.contains("reject given"), "{text}");
    assert!(text.contains("Cohen's κ 0.00"), "{text}");
    assert!(text.contains("first ↓ other →"), "{text}");
}

#[test]
fn what_a_judge_says_that_cannot_be_read_is_neither_agreement_nor_disagreement() {
    let (program, passes) = judged_by(&["fair", "mumbling"]);
    let asked = [
        "metrics", "--pass", &passes[0], "--pass", &passes[1], "--json",
    ];
    let report: Value = serde_json::from_str(&program.run_ok(&asked)).unwrap();
    let counts = &report["verdicts"]["judges"][1];
    let unparsed = counts["unparsed"].as_u64().unwrap();
    assert!((4..=16).contains(&unparsed), "{counts}");
    assert_eq!(counts["read"].as_u64().unwrap() + unparsed, 20, "{counts}");
    let pair = &report["verdicts"]["pairs"][0];
    assert_eq!(pair["both"].as_u64().unwrap(), 20 - unparsed, "{pair}");
    assert_eq!(pair["left_out"].as_u64().unwrap(), unparsed, "{pair}");
    let twice = program.run_err(1, &["metrics", "--pass", &passes[0], "--pass", &passes[0]]);
    assert!(twice.contains("twice"), "{twice}");
    let two = [
        "metrics", "--pass", &passes[0], "--pass", &passes[1], "--by", "seat",
    ];
    let refused = program.run_err(1, &two);
    assert!(refused.contains("--by is of one pass"), "{refused}");
}
