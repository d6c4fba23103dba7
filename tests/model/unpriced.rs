//! Unknown cost of calls without prices, on every screen and in every sum.

use elenchus_test_support::ChatServer;
use elenchus_test_support::peers::{DUEL, counting, run};
use elenchus_test_support::program::Program;
use serde_json::Value;

/// Debaters have prices, or one of them has, or none; whoever has no table has no price.
fn with_prices(server: &ChatServer, priced: &[&str]) -> Program {
    let url = server.base_url();
    let mut config = format!("[providers.openai]\nbase_url = \"{url}\"\n");
    for name in ["ada", "ben", "guard", "teacher"] {
        config += &format!("[models.{name}]\nprovider = \"openai\"\nname = \"{name}\"\n");
        if priced.contains(&name) {
            config += "price_in_usd_per_mtok = 100.0\nprice_out_usd_per_mtok = 100.0\n";
        }
    }
    Program::configured(&config)
}

fn read(program: &Program, args: &[&str]) -> String {
    program.run(args).ended_with(0).out
}

/// Everything that says what a debate cost.
fn screens(program: &Program) -> Vec<String> {
    vec![
        read(program, &["ls"]),
        read(program, &["show", "last"]),
        read(program, &["metrics"]),
        read(program, &["ls", "--runs"]),
    ]
}

fn played(priced: &[&str]) -> (ChatServer, Program, String) {
    let server = ChatServer::start(counting);
    let program = with_prices(&server, priced);
    program.write("topics.txt", "Is a heater safe?\n");
    let ran = program.run(&run(&DUEL, &["--dataset", "own:topics.txt"]));
    let said = ran.ended_with(0).out;
    (server, program, said)
}

#[test]
fn where_no_model_has_a_price_no_screen_says_that_a_debate_cost_nothing() {
    let (_server, program, said) = played(&[]);
    assert!(
        said.contains(" tokens, ? (?: some models have no price)"),
        "{said}"
    );
    for screen in screens(&program) {
        assert!(screen.contains('?'), "{screen}");
        assert!(!screen.contains("$0"), "{screen}");
    }
    let ls: Value = serde_json::from_str(read(&program, &["ls", "--json"]).trim()).unwrap();
    assert_eq!(ls["cost_usd"], Value::Null);
    let runs = read(&program, &["ls", "--runs", "--json"]);
    let runs: Value = serde_json::from_str(runs.trim()).unwrap();
    assert_eq!(runs["committed_usd"], Value::Null);
    // A pass of such a model, too.
    let judged = ["judge", "--all", "--rubric", "safety", "--model", "guard"];
    let said = program.run(&judged).ended_with(0);
    assert!(said.out.contains("cost at most ?;"), "{said:?}");
    assert!(
        said.err.contains("estimate: ? (a model has no price)"),
        "{said:?}"
    );
    let listed = read(&program, &["judge", "list", "--json"]);
    let listed: Value = serde_json::from_str(listed.trim()).unwrap();
    assert_eq!(listed["committed_usd"], Value::Null);
    assert!(!read(&program, &["judge", "list"]).contains("$0"));
    // And samples of a tried prompt.
    let address = "last:r1.debater-0";
    let tried = read(&program, &["prompts", "try", address]);
    assert!(tried.contains("1 sample, ?;"), "{tried}");
    let tried = read(
        &program,
        &["prompts", "try", address, "--json", "--ask-anew"],
    );
    let tried: Value = serde_json::from_str(&tried).unwrap();
    assert_eq!(tried["samples"][0]["cost_usd"], Value::Null, "{tried}");
}

#[test]
fn a_sum_with_an_unknown_part_shows_what_is_known_and_that_it_is_not_all() {
    let (_server, program, said) = played(&["ada"]);
    // 400 tokens in and 7 out for each call, at $100 a million.
    assert!(said.contains("$0.0407 + ?"), "{said}");
    let shown = read(&program, &["show", "last"]);
    assert!(shown.contains("$0.0407 + ?"), "{shown}");
    let runs = read(&program, &["ls", "--runs"]);
    assert!(runs.contains("$0.0407 + ?"), "{runs}");
    let (_, _, all) = played(&["ada", "ben", "guard", "teacher"]);
    assert!(!all.contains('?'), "{all}");
}
