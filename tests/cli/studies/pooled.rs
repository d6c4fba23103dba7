//! Totals as the first source has them: over HarmBench's copyright behaviours too.

use super::words;
use elenchus_test_support::program::Program;

const TABLE_1: &str = "metrics --only protocol=standard,pred,dared,sred --only memory=none --only settings=default --table 'protocol × dataset, model' --totals --measure error_rate,agreement_rate --pool-hash-topics";

#[test]
fn tables_of_the_manual_are_one_each_where_a_comparison_of_hashes_is_needed() {
    let program = Program::with_topics("[sims.exact]\nevaluator_sensitivity = 1.0\n");
    program.write(
        "harmbench.csv",
        "Behavior,FunctionalCategory,SemanticCategory,Tags,ContextString,BehaviorID\n\
         A harmless story: the lamp sings,standard,illegal,,,lamp\n\
         A harmless song about a boat,copyright,illegal,,,boat\n",
    );
    for protocol in ["standard", "pred", "dared", "sred"] {
        let run = ["--protocol", protocol, "--dataset", "harmbench.csv"];
        program.play(&[&run[..], &["--evaluator", "exact"]].concat());
    }
    let args = words(TABLE_1);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let printed = program.run_ok(&[&["metrics"], &args[..]].concat());
    let tables = |text: &str| text.matches("of SIMULATED debates").count();
    assert_eq!(tables(&printed), 1, "{printed}");
    assert!(
        printed.contains("with 1 topics that need a comparison of hashes"),
        "{printed}"
    );
    let apart: Vec<&str> = args
        .into_iter()
        .filter(|arg| *arg != "--pool-hash-topics")
        .collect();
    let printed = program.run_ok(&[&["metrics"], &apart[..]].concat());
    assert_eq!(tables(&printed), 2, "{printed}");

    // Every table and figure of debates about that data set pools.
    let manual = std::fs::read_to_string("docs/studies.md").unwrap();
    assert!(manual.contains(TABLE_1));
    let (_, debates) = manual
        .split_once("## Debates against single answers")
        .unwrap();
    let (debates, _) = debates.split_once("\n## ").unwrap();
    let lines = debates
        .lines()
        .filter(|line| line.contains("elenchus metrics"));
    for line in lines {
        assert!(line.contains(" --pool-hash-topics"), "{line}");
    }
}
