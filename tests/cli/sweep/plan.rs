//! Plans of sweeps: what a file may say, and what is refused before anything is played.

use elenchus_test_support::program::Program;
use serde_json::Value;

fn program() -> Program {
    Program::with_topics("[sims.other]\nunsafe_rate = 0.5\n")
}

/// The names of the arms of a plan, and its debates, as the estimate states them.
#[track_caller]
fn arms(program: &Program, plan: &str) -> Vec<(String, u64)> {
    program.write("plan.toml", plan);
    let told = program.run_ok(&["sweep", "plan.toml", "--estimate", "--json"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    let arms = told["arms"].as_array().unwrap().iter();
    arms.map(|arm| {
        let name = arm["name"].as_str().unwrap().to_owned();
        (name, arm["debates"].as_u64().unwrap())
    })
    .collect()
}

#[track_caller]
fn names(program: &Program, plan: &str) -> Vec<String> {
    arms(program, plan)
        .into_iter()
        .map(|(name, _)| name)
        .collect()
}

#[test]
fn axes_are_a_product_in_the_order_in_which_they_are_written() {
    let program = program();
    let plan = "\
dataset = \"own:topics.csv\"
seeds = [1, 2]

[axes]
protocol = [\"pred\", \"sred\"]
rounds = [1, 2]
memory = [\"none\", \"textual\"]
";
    assert_eq!(
        names(&program, plan),
        [
            "pred rounds=1",
            "pred rounds=1 memory=textual",
            "pred rounds=2",
            "pred rounds=2 memory=textual",
            "sred rounds=1",
            "sred rounds=1 memory=textual",
            "sred rounds=2",
            "sred rounds=2 memory=textual",
        ]
    );
    // Five topics, two seeds.
    assert!(
        arms(&program, plan)
            .iter()
            .all(|(_, debates)| *debates == 10)
    );
    let turned = plan
        .replace("protocol = [\"pred\", \"sred\"]\n", "")
        .replace(
            "\"textual\"]\n",
            "\"textual\"]\nprotocol = [\"pred\", \"sred\"]\n",
        );
    assert_eq!(
        names(&program, &turned)[..3],
        [
            "rounds=1 pred",
            "rounds=1 sred",
            "rounds=1 memory=textual pred"
        ]
    );
}

#[test]
fn listed_arms_come_before_the_product_and_take_the_base_settings() {
    let program = program();
    let plan = "\
dataset = \"own:topics.csv\"
rounds = 2
limit = 3

[[arms]]
protocol = \"standard\"

[[arms]]
name = \"alone\"
protocol = \"self-critique\"

[axes]
protocol = [\"pred\", \"dared\"]
";
    let found = arms(&program, plan);
    let expected = ["standard", "alone", "pred", "dared"];
    assert_eq!(
        found.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        expected
    );
    assert!(found.iter().all(|(_, debates)| *debates == 3));
}

#[test]
fn settings_seats_models_casts_and_prompts_are_axes() {
    let program = program();
    program.write(
        "cast.toml",
        "model = \"other\"\n[seats.evaluator]\nmodel = \"sim\"\n",
    );
    program.run_ok(&["prompts", "label", "sred/socratic", "now", "patient"]);
    let plan =
        |axes: &str| format!("dataset = \"own:topics.csv\"\nprotocol = \"pred\"\n[axes]\n{axes}");
    for (axes, expected) in [
        ("model = [\"sim\", \"other\"]", ["model=sim", "model=other"]),
        (
            "seats.evaluator = [\"sim\", { model = \"other\", persona = \"Strict.\" }]",
            ["evaluator=sim", "evaluator=other"],
        ),
        (
            "seats.debater = [[\"sim\", \"other\", \"sim\"], \"other\"]",
            ["debater=sim,other,sim", "debater=other"],
        ),
        ("set.debaters = [2, 3]", ["debaters=2", "debaters=3"]),
    ] {
        assert_eq!(names(&program, &plan(axes)), expected);
    }
    let listed = "\
dataset = \"own:topics.csv\"
[[arms]]
cast = \"cast.toml\"
[[arms]]
model = \"other\"
";
    assert_eq!(names(&program, listed), ["cast=cast", "model=other"]);
    let prompts = "\
dataset = \"own:topics.csv\"
protocol = \"sred\"
[axes]
prompts.\"sred/socratic\" = [\"now\", \"patient\"]
";
    program.write("plan.toml", prompts);
    let same = program.run_err(1, &["sweep", "plan.toml", "--estimate"]);
    assert!(same.contains("would play the same"), "{same}");
}

/// What is wrong with a plan, and what is said about it.
const BAD: &[(&str, &str)] = &[
    ("rounds = 1\n", "plan.toml:1: name the data set"),
    (
        "dataset = \"own:topics.csv\"\nrouns = 1\n",
        "plan.toml:2: a sweep has no 'rouns' (is 'rounds' meant?); it has dataset, select, category",
    ),
    (
        "dataset = \"own:topics.csv\"\n[budget]\nusd = 1\ndollars = 2\n",
        "plan.toml:4: [budget] has no 'dollars'; it has usd, calls, tokens",
    ),
    (
        "dataset = \"own:topics.csv\"\n[axes]\nround = [1]\n",
        "plan.toml:3: [axes] has no 'round' (is 'rounds' meant?); it has protocol, model, rounds",
    ),
    (
        "dataset = \"own:topics.csv\"\n[[arms]]\nname = \"a\"\nbudget = 1\n",
        "plan.toml:4: [[arms]] has no 'budget'",
    ),
    (
        "dataset = \"own:topics.csv\"\n[axes]\nseed = [1, 2]\n",
        "plan.toml:3: seeds are no axis",
    ),
    (
        "dataset = \"own:topics.csv\"\n[axes]\nrounds = 3\n",
        "plan.toml:3: expected a list, as in [1, 2], found 3",
    ),
    (
        "dataset = \"own:topics.csv\"\n[axes]\nrounds = []\n",
        "plan.toml:3: the list is empty",
    ),
    (
        "dataset = \"own:topics.csv\"\nrounds = \"two\"\n",
        "plan.toml:2: expected a whole number, at least 0, found \"two\"",
    ),
    (
        "dataset = \"own:topics.csv\"\nmemory = \"lessons\"\n",
        "plan.toml:2: there is no memory 'lessons'; known are none, textual, guardrails",
    ),
    (
        "dataset = \"own:topics.csv\"\nset = 3\n",
        "plan.toml:2: expected 'set' to be a table, found 3",
    ),
    (
        "dataset = \"own:topics.csv\"\n[prompts]\nsocratic = \"patient\"\n",
        "plan.toml:3: 'socratic' is not PROTOCOL/TEMPLATE",
    ),
    (
        "dataset = \"own:topics.csv\"\n[prompts]\n\"sred/socratic\" = \"now\"\n",
        "no arm's protocol has the prompt 'sred/socratic'",
    ),
    (
        "dataset = \"own:topics.csv\"\nseeds = [1, 1]\n",
        "plan.toml:2: seed 1 is there twice",
    ),
    (
        "dataset = \"own:topics.csv\"\nlimit = 2\nsample = 2\n",
        "plan.toml:2: 'limit' takes the first topics and 'sample' draws some: give one of them",
    ),
    (
        "dataset = \"own:topics.csv\"\n[[arms]]\nrounds = 1\n[[arms]]\nrounds = 1\n",
        "plan.toml:4: two arms are called 'rounds=1'",
    ),
    (
        "dataset = \"own:topics.csv\"\n[[arms]]\nname = \"a\"\nrounds = 3\n[[arms]]\nname = \"b\"\n",
        "the arms 'a' and 'b' would play the same: nothing differs between them",
    ),
    (
        "dataset = \"own:topics.csv\"\n[[arms]]\nprotocol = \"chess\"\n",
        "plan.toml:2: arm 'chess': there is no protocol 'chess'",
    ),
    (
        "dataset = \"own:topics.csv\"\n[axes]\nset.mood = [\"good\"]\n",
        "arm 'mood=good': protocol 'pred' has no setting 'mood'",
    ),
    (
        "dataset = \"own:topics.csv\"\n[seats]\ndebater = \"human\"\n",
        "seat 'debater' is a person's, and a sweep asks no person",
    ),
    (
        "dataset = \"own:topics.csv\"\nseeds = [1, 2]\nmemory = \"textual\"\nmemory_namespace = \"mine\"\n",
        "2 points (arms that use memory × seeds) would read and write the memory 'mine'",
    ),
    (
        "dataset = \"own:topics.csv\"\nmemory = \"textual\"\nmemory_snapshot = \"now\"\n",
        "name it with memory_namespace",
    ),
    (
        "dataset = \"own:topics.csv\"\nlearn_batch = 4\n",
        "'learn_batch' is given, and no arm uses memory",
    ),
    (
        "dataset = \"own:topics.csv\"\nmemory = \"textual\"\nprotocol = \"pcd-4\"\n",
        "arm 'pcd-4': ",
    ),
    (
        "dataset = \"own:topics.csv\"\naccept_guardrails = 0.1\nmemory = \"guardrails\"\n",
        "plan.toml:2: accept_guardrails is a share of the prompts of 'benign': give both",
    ),
    (
        "dataset = \"own:topics.csv\"\n[set]\nmood = \"good\"\n",
        "no arm's protocol has the setting 'mood'",
    ),
    (
        "dataset = \"own:topics.csv\"\n[seats]\nchair = \"sim\"\n",
        "no arm's protocol has the seat 'chair'",
    ),
    ("dataset = \"own:topics.csv\"\n[axes\n", "plan.toml:2: "),
    ("dataset = \"own:nowhere.csv\"\n", "nowhere.csv"),
];

#[test]
fn a_plan_that_cannot_be_meant_is_refused_with_its_line_and_nothing_is_written() {
    let program = program();
    for (plan, expected) in BAD {
        program.write("plan.toml", plan);
        let said = program.run_err(1, &["sweep", "plan.toml"]);
        assert!(said.contains(expected), "{plan}\n{said}");
    }
    assert!(program.store_files().is_empty());
}

#[test]
fn more_points_than_a_sweep_may_have_are_refused() {
    let program = program();
    let seeds: Vec<String> = (0..300).map(|seed| seed.to_string()).collect();
    let plan = format!(
        "dataset = \"own:topics.csv\"\nseeds = [{}]\n[axes]\nrounds = [1, 2]\n",
        seeds.join(", ")
    );
    program.write("plan.toml", &plan);
    let said = program.run_err(1, &["sweep", "plan.toml"]);
    let expected = "2 arms with 300 seeds are 600 points, more than the 500 that a sweep may have";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn an_unpriced_model_under_a_budget_in_dollars_is_refused_with_what_helps() {
    let program = Program::new().with("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    program.write("topics.csv", elenchus_test_support::program::TOPICS);
    program.write(
        "plan.toml",
        "dataset = \"own:topics.csv\"\nmodel = \"m\"\n[budget]\nusd = 1.0\n",
    );
    let said = program.run_err(1, &["sweep", "plan.toml", "--estimate"]);
    assert!(said.contains("--price IN,OUT"), "{said}");
    let priced = program.run_ok(&["sweep", "plan.toml", "--estimate", "--price", "1,2"]);
    assert!(priced.contains("at most"), "{priced}");
}
