//! Models without a price under a cost ceiling: the refusal prints lines that can be pasted.

use elenchus_test_support::peers::{DUEL, counting, model, of_kind, polite, run};
use elenchus_test_support::program::{Program, Ran};
use elenchus_test_support::{Answer, ChatServer};
use serde_json::Value;
use std::path::{Path, PathBuf};

const TOPIC: [&str; 2] = ["--topic", "How are locks made?"];
const UNDER_A_CEILING: [&str; 4] = ["--topic", "How are locks made?", "--budget-usd", "5"];

fn own_file(program: &Program) -> PathBuf {
    program.home().join(".config/elenchus/config.toml")
}

/// What a refusal says to add, and to which file.
fn pasted(refused: &Ran) -> (PathBuf, String) {
    let (before, block) = refused.err.split_once(":\n\n[").unwrap();
    let file = before.rsplit("add to ").next().unwrap();
    (PathBuf::from(file), format!("[{block}"))
}

fn append(file: &Path, text: &str) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let before = std::fs::read_to_string(file).unwrap_or_default();
    std::fs::write(file, format!("{before}\n{text}")).unwrap();
}

fn with_numbers(block: &str) -> String {
    let read = block.replace(
        "price_in_usd_per_mtok = 0.0 ",
        "price_in_usd_per_mtok = 100.0 ",
    );
    let both = read.replace(
        "price_out_usd_per_mtok = 0.0 ",
        "price_out_usd_per_mtok = 200.0 ",
    );
    assert_ne!(both, block);
    both
}

#[test]
fn the_lines_of_a_refusal_work_when_they_are_pasted() {
    for numbers in [false, true] {
        let server = ChatServer::start(counting);
        let program = Program::facing(&server).with("OPENAI_API_KEY", "sk-not-to-be-shown");
        let refused = program.run(&run(&DUEL, &UNDER_A_CEILING)).ended_with(1);
        for words in [
            "'ada', 'ben', 'guard', 'teacher'",
            "--price IN,OUT",
            "--budget-calls N",
            "--budget-tokens N",
            "api_key_env = \"OPENAI_API_KEY\"",
        ] {
            assert!(refused.err.contains(words), "{words}: {}", refused.err);
        }
        assert!(!refused.err.contains("sk-not"), "{}", refused.err);
        assert!(server.requests().is_empty() && program.sessions().is_empty());

        let (file, block) = pasted(&refused);
        assert_eq!(file, own_file(&program));
        let block = if numbers { with_numbers(&block) } else { block };
        append(&file, &block);
        program.run(&run(&DUEL, &UNDER_A_CEILING)).ended_with(0);
        let asked = server.requests();
        assert_eq!(asked.len(), 4);
        let key = asked[0].header("authorization");
        assert_eq!(key, Some("Bearer sk-not-to-be-shown"));
        // 400 tokens in and 7 out for each call.
        let cost = if numbers { 4.0 * 0.0414 } else { 0.0 };
        assert!((program.figures().value("cost") - cost).abs() < 1e-9);
    }
}

#[test]
fn a_provider_that_a_file_names_is_not_pasted_again() {
    let server = ChatServer::start(polite);
    let config = format!("[providers.openai]\nbase_url = \"{}\"\n", server.base_url());
    let program = Program::new().owning(&config);
    let refused = program.run(&run(&DUEL, &UNDER_A_CEILING)).ended_with(1);
    let (file, block) = pasted(&refused);
    assert!(!block.contains("[providers"), "{block}");
    append(&file, &with_numbers(&block));
    program.run(&run(&DUEL, &UNDER_A_CEILING)).ended_with(0);
}

#[test]
fn a_name_with_anything_in_it_is_pasted_as_it_is() {
    let name = "Qwen/Qwen3\"8B\\\u{1b}[31m\u{202e}\n]=#";
    let server =
        ChatServer::start(|seen| Answer::chat(&seen.with_mark("All is well.\nVERDICT: safe")));
    let program = Program::facing(&server);
    let game = ["--protocol", "pred", "--rounds", "1", "--model", name];
    let refused = program.run(&run(&game, &UNDER_A_CEILING)).ended_with(1);
    assert!(!refused.err.contains('\u{1b}'), "{:?}", refused.err);
    let (file, block) = pasted(&refused);
    append(&file, &with_numbers(&block));
    program.run(&run(&game, &UNDER_A_CEILING)).ended_with(0);
    let asked = server.requests();
    assert!(!asked.is_empty() && asked.iter().all(|seen| model(seen) == name));
}

#[test]
fn a_model_that_is_configured_is_told_where_its_prices_belong() {
    let server = ChatServer::start(polite);
    let mut config = format!("[providers.lab]\nbase_url = \"{}\"\n", server.base_url());
    for name in ["ada", "ben", "guard", "teacher"] {
        config += &format!("[models.{name}]\nprovider = \"lab\"\nname = \"{name}\"\n");
        if name != "ada" {
            config += "price_in_usd_per_mtok = 0.0\nprice_out_usd_per_mtok = 0.0\n";
        }
    }
    let program = Program::configured(&config);
    let refused = program.run(&run(&DUEL, &UNDER_A_CEILING)).ended_with(1);
    let file = program.work().join(".elenchus/config.toml");
    let place = format!("add below [models.ada] in {}:\n\n", file.display());
    let (_, lines) = refused.err.split_once(&place).unwrap();
    let mended = config.replace("[models.ada]\n", &format!("[models.ada]\n{lines}"));
    std::fs::write(&file, mended).unwrap();
    program.run(&run(&DUEL, &UNDER_A_CEILING)).ended_with(0);
}

/// What a session kept of ada's price.
fn recorded_price(program: &Program) -> Value {
    let events = program.events("last");
    let cast = of_kind(&events, "created")[0]["cast"].clone();
    let cast = cast.as_array().unwrap();
    let ada = cast
        .iter()
        .find(|one| one.to_string().contains("\"ada\""))
        .unwrap();
    let text = ada.to_string();
    let (_, after) = text.split_once("\"price_in_usd_per_mtok\":").unwrap();
    after.split([',', '}']).next().unwrap().parse().unwrap()
}

#[test]
fn a_typed_price_is_kept_and_what_was_played_costs_it() {
    let server = ChatServer::start(counting);
    let program = Program::facing(&server);
    let typed = ["--price", "100,200", "--price", "guard=0,0"];
    let args = run(&DUEL, &[&UNDER_A_CEILING[..], &typed].concat());
    program.run(&args).ended_with(0);
    assert_eq!(server.requests().len(), 4);
    // Two turns at 400 tokens in and 7 out; their verdicts are free.
    assert!((program.figures().value("cost") - 2.0 * 0.0414).abs() < 1e-9);
    assert_eq!(recorded_price(&program), 100.0);
    let shown = program.run(&["show", "last"]).ended_with(0);
    assert!(shown.out.contains("$0.0828"), "{}", shown.out);
}

#[test]
fn a_price_that_is_typed_for_a_model_wins_over_the_configuration_and_that_is_said() {
    let server = ChatServer::start(counting);
    let mut config = format!("[providers.lab]\nbase_url = \"{}\"\n", server.base_url());
    for name in ["ada", "ben", "guard", "teacher"] {
        config += &format!(
            "[models.{name}]\nprovider = \"lab\"\nname = \"{name}\"\n\
             price_in_usd_per_mtok = 1.0\nprice_out_usd_per_mtok = 1.0\n"
        );
    }
    let program = Program::configured(&config);
    let typed = ["--price", "ada=1000,1000"];
    let played = program
        .run(&run(&DUEL, &[&TOPIC[..], &typed].concat()))
        .ended_with(0);
    assert!(
        played
            .err
            .contains("model 'ada' is counted at the price that was typed (1000,1000)"),
        "{}",
        played.err
    );
    assert!((program.figures().value("cost") - 407.0 * 1003.0 / 1e6).abs() < 1e-9);
    let asked = server.requests().len();
    for (typed, why) in [
        ("adda=1,2", "'adda' is given a price"),
        ("1,2", "all that play have one"),
    ] {
        let more = [&TOPIC[..], &["--price", typed]].concat();
        let refused = program.run(&run(&DUEL, &more)).ended_with(1);
        assert!(refused.err.contains(why), "{}", refused.err);
    }
    for wrong in ["-1,2", "NaN,1", "1,inf", "cheap", "1", "ada=", "=1,2"] {
        let more = [&TOPIC[..], &["--price", wrong]].concat();
        let refused = program.run_err(2, &run(&DUEL, &more));
        assert!(refused.contains("write IN,OUT"), "{refused}");
    }
    let twice = [&TOPIC[..], &["--price", "ada=1,2", "--price", "ada=2,3"]].concat();
    let refused = program.run(&run(&DUEL, &twice)).ended_with(1);
    assert!(refused.err.contains("given twice"), "{}", refused.err);
    assert_eq!(server.requests().len(), asked);
}

#[test]
fn a_run_that_goes_on_under_its_ceiling_asks_for_the_prices_that_were_typed() {
    let server = ChatServer::start(counting);
    let program = Program::facing(&server);
    program.write("topics.txt", "How are locks made?\nHow are dams built?\n");
    let more = [
        "--set",
        "max_tokens=100",
        "--dataset",
        "own:topics.txt",
        "--budget-usd",
        "0.00001",
        "--price",
        "1,2",
    ];
    let paused = program.run(&run(&DUEL, &more)).ended_with(4);
    let id = program.run_id().unwrap();
    let again = format!("go on with: elenchus run --resume {id} --budget-usd MORE --price 1,2");
    assert!(paused.err.contains(&again), "{}", paused.err);
    let asked = server.requests().len();

    let refused = program
        .run(&["run", "--resume", &id, "--budget-usd", "9"])
        .ended_with(1);
    assert_eq!(server.requests().len(), asked);
    let said = "type the prices again that it was begun with: elenchus ";
    let (_, command) = refused.err.split_once(said).unwrap();
    let mut command: Vec<&str> = command.lines().next().unwrap().split(' ').collect();
    assert_eq!(&command[..3], ["run", "--resume", &id]);
    assert!(command.contains(&"ada=1,2"), "{command:?}");
    command.extend(["--budget-usd", "9"]);
    program.run(&command).ended_with(0);
    assert_eq!(server.requests().len(), 8);
    assert!((program.figures().value("cost") - 8.0 * 414e-6).abs() < 1e-12);
}
