//! Prompts of a judge over many seeds: equal texts do not differ, and a planted effect is found at the power that
//! the plan says.

use super::verdicts::{DECISION, play_judged_debates};
use elenchus_metrics::mcnemar_power;
use elenchus_test_support::drawn::sparse_datasets;
use elenchus_test_support::program::Program;
use serde_json::Value;

const TOPICS: u32 = 40;
/// Shares of verdicts that are right, without the marked word and with it: the word moves the odds by ln 4.
const RIGHT: [f64; 2] = [0.5, 0.8];

/// The odds that the marked word moves from one share to the other, in logits.
const MARKED_WORD: f64 = 1.386_294_361_119_890_6;

/// The p-value of the difference of error rates, with the whole comparison.
fn compare(program: &Program, b: &str, seed: u64) -> (f64, Value) {
    let seed = seed.to_string();
    let args = [
        "prompts", "ab", "--seat", "judge", "--a", "recorded", "--b", b, "--json", "--seed", &seed,
    ];
    let shown: Value = serde_json::from_str(&program.run_ok(&args)).unwrap();
    let rows = shown["comparison"]["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["measure"] == "error_rate");
    let p = row.unwrap()["p_holm"].as_f64();
    (p.unwrap_or_else(|| panic!("{shown:#}")), shown)
}

#[test]
fn equal_prompts_do_not_differ_and_a_planted_effect_is_found_at_the_power_of_the_plan() {
    // Over 100 seeds with ELENCHUS_TEST_SIMULATIONS=1.
    let seeds = sparse_datasets(100);
    let (mut false_alarms, mut found) = (0, 0);
    for seed in 0..seeds {
        let program = play_judged_debates(TOPICS, MARKED_WORD, seed);
        // Other words without a mark, so that both prompts are asked anew.
        program.write(
            "same.md",
            &DECISION.replace("You are the judge", "You are judge"),
        );
        let (p, shown) = compare(&program, "same.md", seed);
        false_alarms += u64::from(p < 0.05);
        // The plan's difference, where half of both prompts' errors fall on topics of their own.
        let planned = &shown["power"][1];
        assert_eq!(planned["by_chance"], 0.4);
        assert!(planned["difference"].as_f64().unwrap() > 0.2, "{planned}");
        let (p, _) = compare(&program, "thorough.md", seed);
        found += u64::from(p < 0.05);
    }
    let [first, second] = RIGHT;
    let power = mcnemar_power(
        TOPICS.into(),
        first * (1.0 - second),
        second * (1.0 - first),
    );
    let power = power.unwrap();
    println!("{seeds} seeds: {false_alarms} false alarms; found {found}, planned {power:.3}");
    assert!(
        false_alarms * 10 <= seeds.max(10),
        "{false_alarms} of {seeds}"
    );
    // Three standard errors of the share that is found.
    let share = found as f64 / seeds as f64;
    let slack = 3.0 * (power * (1.0 - power) / seeds as f64).sqrt();
    assert!((share - power).abs() <= slack, "{share} {power}");
}
