//! Arms × measures in one table.

use crate::{DebateRow, Dimension, UsageRow, arms_to_table, compute_report};

use super::{by, judged};

fn arm(name: &str, course: fn(usize) -> &'static str, cost_usd: Option<f64>) -> Vec<DebateRow> {
    let debate = |number: usize| DebateRow {
        arm: name.to_owned(),
        usage: UsageRow {
            calls: 12,
            cost_usd,
            ..UsageRow::default()
        },
        ..judged(&format!("topic {number}"), &[course(number)])
    };
    (0..8).map(debate).collect()
}

fn names(arms: &[&str]) -> Vec<String> {
    arms.iter().map(|arm| (*arm).to_owned()).collect()
}

fn drawn(rows: &[DebateRow], arms: &[&str], width: usize) -> String {
    let report = compute_report(rows, &by(&[Dimension::Arm])).unwrap();
    arms_to_table(&report, &names(arms), width)
}

#[test]
fn an_unknown_cost_is_no_zero_and_a_measure_that_a_game_lacks_is_no_value() {
    let mut rows = arm("first", |_| "SU", Some(0.5));
    rows.extend(arm("unpriced", |n| if n < 4 { "UU" } else { "SS" }, None));
    rows.extend(arm("never judged", |_| "CC", Some(0.25)));
    let text = drawn(&rows, &["first", "unpriced", "never judged"], 80);
    let line = |arm: &str, block: usize| -> Vec<String> {
        let mut found = text.lines().filter(|line| line.starts_with(arm));
        let words = found.nth(block).unwrap().split("  ");
        let words = words.map(str::trim).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    assert_eq!(line("never judged", 0)[3..], ["-", "-"], "{text}");
    let last = line("unpriced", 1);
    assert_eq!(last.last().unwrap(), "?", "{text}");
    let why = "cost per debate: n/a (8 of 8 debates called a model without a price); unpriced";
    assert!(text.contains(why), "{text}");
    assert!(
        line("never judged", 1).last().unwrap().starts_with("$0.25"),
        "{text}"
    );
}

#[test]
fn a_narrow_table_goes_on_below_and_no_line_is_wider() {
    let long = "protocol with a very long name rounds=3 memory=textual+guardrails evaluator=guard";
    let mut rows = arm("a", |_| "SU", Some(0.5));
    rows.extend(arm(
        long,
        |n| if n % 2 == 0 { "UU" } else { "US" },
        Some(1.5),
    ));
    for width in [60, 80, 120, 200] {
        let text = drawn(&rows, &["a", long], width);
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= width, "{widest} at {width}:\n{text}");
        for head in ["error rate", "calls per debate", "cost per debate"] {
            assert_eq!(text.matches(head).count(), 1, "{head} at {width}:\n{text}");
        }
        for word in long.split(' ') {
            assert!(text.contains(word), "{word} at {width}:\n{text}");
        }
    }
}

#[test]
fn simulated_arms_and_real_ones_are_in_tables_of_their_own() {
    let mut rows = arm("real", |_| "SU", None);
    rows.extend(arm("sim", |_| "SS", None).into_iter().map(|row| DebateRow {
        simulated: true,
        ..row
    }));
    let text = drawn(&rows, &["real", "sim"], 80);
    let (real, simulated) = text.split_once("Arms of SIMULATED debates").unwrap();
    assert!(
        real.contains("\nreal ") && !real.contains("\nsim "),
        "{text}"
    );
    assert!(
        simulated.contains("\nsim ") && !simulated.contains("\nreal "),
        "{text}"
    );
}
