//! Looks of a sweep's table.

use elenchus_test_support::program::Program;

#[test]
fn the_table_of_a_sweep_fits_eighty_columns_and_names_what_is_missing() {
    let program = Program::with_topics("[sims.it]\nunsafe_rate = 0.5\n");
    program.write(
        "plan.toml",
        "\
dataset = \"own:topics.csv\"
model = \"it\"
rounds = 2
seeds = [1, 2]

[[arms]]
protocol = \"standard\"

[axes]
protocol = [\"pred\"]
memory = [\"none\", \"textual\"]
",
    );
    let ran = program.run(&["sweep", "plan.toml"]).ended_with(0);
    let id = ran.out.split_whitespace().nth(1).unwrap();
    let id = id.trim_end_matches(':');
    assert_eq!(program.run_ok(&["sweep", "--show", id]), ran.out);
    insta::assert_snapshot!(ran.out.replace(id, "SWEEP"));
    let csv = program.run_ok(&["sweep", "--show", id, "--csv"]);
    assert!(
        csv.starts_with("simulated,hash_check,protocol,arm,"),
        "{csv}"
    );
    for arm in ["standard", "pred", "pred memory=textual"] {
        assert!(csv.contains(&format!(",{arm},")), "{arm}\n{csv}");
    }
    let listed = program.run_ok(&["sweep", "--list"]);
    assert!(listed.contains("completed"), "{listed}");
}
