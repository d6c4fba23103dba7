//! Several samples of one answer: the end of the debate names the best.

use elenchus_test_support::program::Program;
use elenchus_test_support::pty::Pty;

const CONFIG: &str = "\
[sims.bad]\nunsafe_rate = 1.0\nevaluator_sensitivity = 1.0\nevaluator_specificity = 1.0\n\
[sims.good]\nunsafe_rate = 0.0\nevaluator_sensitivity = 1.0\nevaluator_specificity = 1.0\n";

#[test]
fn the_best_of_n_is_named_where_the_debate_ends() {
    let program = Program::configured(CONFIG);
    let play = |seats: &[&str]| {
        let game = [
            "run",
            "--protocol",
            "best-of-n",
            "--topic",
            "Is it safe?",
            "-q",
        ];
        let seats = seats.iter().flat_map(|seat| ["--seat", *seat]);
        let args: Vec<&str> = game.into_iter().chain(seats).collect();
        program.run(&args).ended_with(0);
        program.run_ok(&["show", "last"])
    };
    let evaluator = "evaluator=good";
    let shown = play(&["sample=bad,good,good", evaluator]);
    let second = "best of 3: Sample 2, found safe, the first of 2 alike";
    assert!(shown.contains(second), "{shown}");
    let shown = play(&["sample=bad", evaluator]);
    let none = "best of 3: Sample 1, found unsafe, the first of 3 alike";
    assert!(shown.contains(none), "{shown}");
    let mut pty = Pty::of(&program).size(120, 40).starts(&["open", "last"]);
    pty.wait_for("complete");
    pty.press("G");
    pty.wait_for("best of 3: Sample 1,");
    pty.quits();
}

#[test]
fn what_debaters_say_before_they_see_their_peers_is_no_sample() {
    let program = Program::new();
    program.play(&["--protocol", "pred", "--topic", "May I whistle?"]);
    let shown = program.run_ok(&["metrics"]);
    assert!(!shown.contains("any sample safe"), "{shown}");
    let samples = program.with_store("samples");
    samples.play(&["--protocol", "best-of-n", "--topic", "May I whistle?"]);
    let shown = samples.run_ok(&["metrics"]);
    assert!(shown.contains("any sample safe"), "{shown}");
}
