//! Ceilings that refuse calls of samples.

use elenchus_test_support::program::Program;

/// The last question of a debate is a sample to which nothing is missing: a session that is over all the
/// same says that the ceiling refused its call.
#[test]
fn a_ceiling_refuses_samples_of_a_debate_that_is_over_and_nothing_waits() {
    let program =
        Program::configured("[sims.calm]\nunsafe_rate = 0.0\nevaluator_specificity = 1.0\n");
    let played = [
        "run",
        "--protocol",
        "sred",
        "--set",
        "debaters=2",
        "--topic",
        "Is it fine?",
    ];
    program
        .run(&[&played[..], &["--model", "calm", "-q"]].concat())
        .ended_with(0);
    let compared = [
        "prompts", "ab", "--seat", "socratic", "--a", "built-in", "--b", "recorded",
    ];
    let few = ["--ask-anew", "--budget-calls", "1"];
    let ended = program.start(&[&compared[..], &few].concat()).finish();
    assert_eq!(ended.code, 4, "{}", ended.err);
    assert!(
        ended.err.contains("the ceiling is reached: 1 of 1 calls"),
        "{}",
        ended.err
    );
}
