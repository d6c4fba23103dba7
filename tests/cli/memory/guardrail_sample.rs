//! `elenchus memory guardrails derive --sample`: a part of a run's lessons.

use elenchus_test_support::program::Program;
use std::collections::BTreeSet;

fn derive(program: &Program, run: &str, sample: &str, seed: &str) -> BTreeSet<String> {
    let derived = program.run(&[
        "memory",
        "guardrails",
        "derive",
        "--run",
        run,
        "--sample",
        sample,
        "--seed",
        seed,
    ]);
    let derived = derived.ended_with(0);
    let drawn = format!("drawn: {sample} of 8 debates that wrote a lesson (seed {seed})");
    assert!(derived.err.contains(&drawn), "{derived:?}");
    derived.out.lines().map(str::to_owned).collect()
}

#[test]
fn a_larger_draw_of_lessons_holds_a_smaller_one_and_asks_for_nothing_twice() {
    let program = Program::with_topics("[sims.it]\nunsafe_rate = 1.0\n");
    let topics = [
        "lock", "fence", "boat", "oven", "lamp", "wheel", "roof", "clock",
    ];
    let rows: String = topics
        .iter()
        .map(|thing| format!("{thing},How do I break a {thing}?\n"))
        .collect();
    program.write("things.csv", &format!("id,text\n{rows}"));
    let run = program.play(&[
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--model",
        "it",
        "--dataset",
        "own:things.csv",
        "--memory",
        "textual",
    ]);
    let few = derive(&program, &run, "3", "7");
    let more = derive(&program, &run, "5", "7");
    assert!(
        !few.is_empty() && few.is_subset(&more) && few.len() < more.len(),
        "{few:?} {more:?}"
    );
    assert_eq!(derive(&program, &run, "5", "7"), more);
    let others = derive(&program, &run, "5", "8");
    assert_ne!(others, more, "another seed draws others");
    let too_many = program.run_err(
        1,
        &[
            "memory",
            "guardrails",
            "derive",
            "--run",
            &run,
            "--sample",
            "9",
        ],
    );
    assert!(too_many.contains("give 8 or less"), "{too_many}");
}
