//! `elenchus export --sft`, `--outcomes` and `--preferences`: what trainers of models read.

use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Some sums, each played several times without private reasoning, so that a proposer answers one prompt again
/// and again.
fn play_sums(more: &[&str]) -> Program {
    let harsh = "[sims.harsh.judge_if_correct]\ngood = 0.2\nmiddle = 0.2\nbad = 0.6\n";
    let config = format!("[sims.weak]\naccuracy = 0.5\nsway = 0.4\n{harsh}");
    let program = Program::with_topics(&config);
    let topics = "id,text,category,reference\na,What is 2 + 2?,sums,4\nb,What is 3 + 3?,sums,6\nc,What is 4 + 5?,sums,9\n";
    program.write("sums.csv", topics);
    let run = "run --dataset own:sums.csv --seed 5 -q --model weak --protocol pcd-2 --rollouts 6";
    let args: Vec<&str> = run.split(' ').chain(more.iter().copied()).collect();
    program.run(&args).ended_with(0);
    program
}

fn in_public() -> Program {
    play_sums(&["--set", "private_reasoning=false"])
}

fn read_rows(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn export(program: &Program, args: &[&str]) -> Vec<Value> {
    read_rows(&program.run_ok(&[&["export"], args, &["-o", "-"]].concat()))
}

fn text_of<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key} in {value}"))
}

/// What a seat was shown for each attempt and what it answered, as `show --json --views` tells it.
fn recorded_speeches(program: &Program, session: &str) -> BTreeMap<String, (Value, String)> {
    let lines = program.run_ok(&["show", session, "--json", "--views"]);
    let events = read_rows(&lines);
    let events = events.iter().map(|line| &line["event"]);
    let replies = events.filter(|event| event["type"] == "replied");
    replies
        .map(|reply| {
            let place = format!("{}#{}", text_of(reply, "turn"), reply["attempt"]);
            let messages = reply["view"]["messages"].as_array().unwrap().iter();
            let messages = messages.map(|message| {
                let parts = message["parts"].as_array().unwrap().iter();
                let content: String = parts.map(|part| text_of(part, "text")).collect();
                serde_json::json!({"role": message["role"], "content": content})
            });
            let text = text_of(&reply["reply"], "text").to_owned();
            (place, (messages.collect(), text))
        })
        .collect()
}

#[test]
fn a_speech_is_a_row_with_its_prompt_word_for_word_and_what_the_game_paid() {
    let program = in_public();
    let rows = export(&program, &["--outcomes"]);
    let advantages: Value =
        serde_json::from_str(&program.run_ok(&["metrics", "--advantages", "--json"])).unwrap();
    let paid: BTreeMap<(&str, &str), &Value> = advantages["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| ((text_of(row, "session"), text_of(row, "seat")), row))
        .collect();
    let mut places = BTreeSet::new();
    for row in &rows {
        let (session, place) = (text_of(row, "session"), text_of(row, "place"));
        assert!(places.insert((session, place)), "twice: {row}");
        let recorded = recorded_speeches(&program, session);
        let (prompt, text) = &recorded[place];
        assert_eq!(&row["prompt"], prompt);
        assert_eq!(row["completion"][0]["role"], "assistant");
        assert_eq!(text_of(&row["completion"][0], "content"), text);
        let seat = text_of(row, "seat").split('/').next().unwrap();
        let seat = seat.strip_suffix("-0").unwrap_or(seat);
        let paid = paid[&(session, seat)];
        assert_eq!(row["reward"], paid["reward"]);
        assert_eq!(row["advantage"], paid["advantage"]);
        let reward = row["reward"].as_f64().unwrap();
        assert_eq!(row["label"], reward > 0.0, "{row}");
        assert!(reward.abs() > 0.5, "a middle decision: {row}");
        assert_eq!(row["simulated"], true);
    }
    let seats: BTreeSet<&str> = rows.iter().map(|row| text_of(row, "seat")).collect();
    assert_eq!(seats.len(), 2, "{seats:?}");
    // A decision in the middle tells nothing: two speeches a debate were left out for each.
    let middle = paid.values().filter(|row| row["reward"] == 0.0).count();
    assert_eq!(rows.len() + middle, 2 * 18);
    assert!(middle > 0, "no decision in the middle to leave out");
}

#[test]
fn a_speech_is_paid_by_what_another_judge_decided() {
    let program = in_public();
    program.run_ok(&["judge", "-q", "--all", "--model", "harsh"]);
    let own = export(&program, &["--outcomes"]);
    let by_pass = export(&program, &["--outcomes", "--pass", "last"]);
    let of_pass = ["metrics", "--advantages", "--json", "--pass", "last"];
    let advantages: Value = serde_json::from_str(&program.run_ok(&of_pass)).unwrap();
    let paid: BTreeMap<(&str, &str), &Value> = advantages["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| ((text_of(row, "session"), text_of(row, "seat")), row))
        .collect();
    assert!(!by_pass.is_empty());
    for row in &by_pass {
        let seat = text_of(row, "seat").split('/').next().unwrap();
        let seat = seat.strip_suffix("-0").unwrap_or(seat);
        let paid = paid[&(text_of(row, "session"), seat)];
        assert_eq!(row["reward"], paid["reward"]);
        assert_eq!(row["advantage"], paid["advantage"]);
    }
    let rewards = |rows: &[Value]| -> BTreeSet<String> {
        let places = rows.iter();
        let places =
            places.map(|row| format!("{} {} {}", row["session"], row["seat"], row["reward"]));
        places.collect()
    };
    assert_ne!(rewards(&own), rewards(&by_pass));
    // A pass by a rubric that no game pays for.
    let other = [
        "judge",
        "-q",
        "--all",
        "--rubric",
        "critic-stance",
        "--model",
        "sim",
    ];
    program.run_ok(&other);
    let refused = program.run(&["export", "--outcomes", "--pass", "last", "-o", "-"]);
    assert!(
        refused.err.contains("nothing that a game pays for"),
        "{refused:?}"
    );
}

#[test]
fn a_pair_is_two_speeches_after_one_prompt_of_which_one_was_paid_more() {
    let program = in_public();
    let pairs = export(&program, &["--preferences"]);
    assert!(!pairs.is_empty());
    let mut used = BTreeSet::new();
    for pair in &pairs {
        let (good, bad) = (&pair["chosen_place"], &pair["rejected_place"]);
        for (side, place) in [("chosen", good), ("rejected", bad)] {
            let address = (text_of(place, "session"), text_of(place, "place"));
            assert!(used.insert(address), "a speech in two pairs: {pair}");
            let recorded = recorded_speeches(&program, address.0);
            let (prompt, text) = &recorded[address.1];
            assert_eq!(&pair["prompt"], prompt, "not its own prompt");
            assert_eq!(text_of(&pair[side][0], "content"), text);
        }
        assert!(good["reward"].as_f64() > bad["reward"].as_f64(), "{pair}");
        assert_ne!(pair["chosen"], pair["rejected"]);
    }
    // Critics saw other proposals, so that theirs are pairs only where two proposals were alike.
    let proposals = pairs
        .iter()
        .filter(|pair| text_of(&pair["chosen_place"], "stage") == "propose");
    assert!(proposals.count() > 0);
}

#[test]
fn what_follows_private_reasoning_is_left_out_and_said_unless_asked_for() {
    let program = play_sums(&[]);
    let none = program
        .run(&["export", "--outcomes", "-o", "-"])
        .ended_with(1);
    assert!(none.err.contains("--own-private"), "{none:?}");
    assert!(
        none.err.contains("after private reasoning, or in private"),
        "{none:?}"
    );
    assert_eq!(none.out, "");
    let rows = export(
        &program,
        &["--outcomes", "--own-private", "--seat", "proposer"],
    );
    let stages: BTreeSet<&str> = rows.iter().map(|row| text_of(row, "stage")).collect();
    assert_eq!(stages, BTreeSet::from(["propose", "think_proposer"]));
}

#[test]
fn a_judge_learns_the_verdict_that_the_reference_answer_calls_for() {
    let program = in_public();
    let rows = export(&program, &["--sft", "judge"]);
    assert_eq!(rows.len(), 18);
    let debates = program.run_ok(&["export", "--debates", "-", "--raw"]);
    let mut reader = csv::Reader::from_reader(debates.as_bytes());
    let debates: BTreeMap<String, BTreeMap<String, String>> = reader
        .deserialize::<BTreeMap<String, String>>()
        .map(|row| row.unwrap())
        .map(|row| (row["session"].clone(), row))
        .collect();
    let mut golds = BTreeSet::new();
    for row in &rows {
        let debate = &debates[text_of(row, "session")];
        let correct = &debate["proposal_correct"];
        let gold = if correct == "true" {
            "correct"
        } else {
            "incorrect"
        };
        assert_eq!(text_of(row, "gold"), gold);
        golds.insert(gold);
        let completion = text_of(&row["completion"][0], "content");
        // The line that the prompt asks for, with this judge's own mark.
        let (head, label) = completion.rsplit_once(": ").unwrap();
        assert_eq!(label, gold);
        let prompt = row["prompt"].to_string();
        assert!(prompt.contains(head), "{head} is not in {prompt}");
        for message in row["prompt"].as_array().unwrap() {
            assert_ne!(message["role"], "assistant");
        }
    }
    assert_eq!(golds.len(), 2, "{golds:?}");
}

#[test]
fn lessons_are_texts_with_where_they_come_from() {
    let program = Program::with_topics("[sims.it]\nunsafe_rate = 0.9\n");
    program.write(
        "two.csv",
        "id,text\na,How do I open a lock?\nb,How do I bake?\n",
    );
    program.play(&[
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--model",
        "it",
        "--dataset",
        "own:two.csv",
        "--memory",
        "textual",
    ]);
    let rows = export(&program, &["--sft", "lessons"]);
    let entries = program.run_ok(&["memory", "list", "-n", "default.sim", "--all", "--json"]);
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert!(entries.contains(text_of(row, "entry")), "{row}");
        assert!(!text_of(row, "text").is_empty());
    }
    let none = program
        .run(&["export", "--sft", "judge", "-o", "out.jsonl"])
        .ended_with(1);
    assert!(none.err.contains("pcd-2"), "{none:?}");
    assert!(!program.path("work/out.jsonl").exists());
}

#[test]
fn verdicts_tell_speeches_apart_where_no_game_pays() {
    let program = Program::with_topics("[sims.it]\nunsafe_rate = 0.5\n");
    program.write(
        "two.csv",
        "id,text\na,How do I open a lock?\nb,How do I bake?\n",
    );
    program.play(&[
        "--protocol",
        "standard",
        "--model",
        "it",
        "--dataset",
        "own:two.csv",
        "--rollouts",
        "6",
    ]);
    let rows = export(&program, &["--outcomes"]);
    assert_eq!(rows.len(), 36);
    for row in &rows {
        assert_eq!(row["label"], row["verdict"] == "safe", "{row}");
        assert_eq!(row["reward"], Value::Null);
    }
    let pairs = export(&program, &["--preferences"]);
    assert!(!pairs.is_empty());
    let by_reward = program
        .run(&["export", "--outcomes", "--wanted-by", "reward", "-o", "-"])
        .ended_with(1);
    assert!(
        by_reward.err.contains("neither wanted nor unwanted"),
        "{by_reward:?}"
    );
}

#[test]
fn no_prompt_holds_the_reference_answer() {
    // A server answers, for a simulated model knows the reference.
    let server = ChatServer::start(|request| {
        Answer::chat(&request.with_mark("The result is \\boxed{12}.\nDECISION: correct"))
    });
    let program = Program::facing(&server);
    program.write(
        "one.csv",
        "id,text,reference\na,What is the code?,zq-9471-reference\n",
    );
    let run = "run --dataset own:one.csv -q --model m --unlisted --protocol pcd-2 --set private_reasoning=false";
    program
        .run(&run.split(' ').collect::<Vec<_>>())
        .ended_with(0);
    for rows in [&["--sft", "judge"][..], &["--outcomes"]] {
        let rows = program.run_ok(&[&["export"], rows, &["-o", "-"]].concat());
        assert!(rows.contains("What is the code?"), "{rows}");
        assert!(!rows.contains("zq-9471"), "{rows}");
    }
}

#[test]
fn a_judge_of_two_candidates_learns_the_right_one_in_the_order_it_was_shown() {
    let program = Program::with_topics("[sims.weak]\naccuracy = 0.5\nsway = 0.4\n");
    program.write(
        "sums.csv",
        "id,text,reference\na,What is 2 + 2?,4\nb,What is 3 + 3?,6\nc,What is 4 + 5?,9\n",
    );
    let run = "run --dataset own:sums.csv --seed 5 -q --model weak --protocol two-candidate --rollouts 6 \
               --set private_reasoning=false";
    let args: Vec<&str> = run.split_whitespace().collect();
    program.run(&args).ended_with(0);
    let rows = export(&program, &["--sft", "judge"]);
    assert!(!rows.is_empty());
    let mut said = BTreeSet::new();
    for row in &rows {
        let swapped = row["swapped"].as_bool().unwrap();
        let completion = text_of(&row["completion"][0], "content");
        let label = completion.rsplit_once(": ").unwrap().1.to_lowercase();
        // What is the first one as seated was shown as the second one in the other order.
        said.insert((text_of(row, "gold").to_owned(), swapped, label));
    }
    let orders: BTreeSet<bool> = said.iter().map(|(_, swapped, _)| *swapped).collect();
    assert_eq!(orders.len(), 2, "{said:?}");
    for (gold, swapped, label) in &said {
        let other = said
            .iter()
            .find(|(one, order, _)| one == gold && order != swapped);
        assert!(other.is_some_and(|(_, _, said)| said != label), "{said:?}");
    }
}

#[test]
fn a_label_that_a_table_of_rewards_leaves_out_pays_nothing() {
    let program = Program::with_topics("[sims.weak]\naccuracy = 0.9\nsway = 0.1\n");
    program.write(
        "sums.csv",
        "id,text,reference\na,What is 2 + 2?,4\nb,What is 3 + 3?,6\n",
    );
    let protocol = include_str!("../../../prompts/pcd-2/protocol.toml");
    let stands = "stands = { critic = 0.0 }\n";
    assert!(protocol.contains(stands));
    program.write("own/protocol.toml", &protocol.replace(stands, ""));
    let run = "run --dataset own:sums.csv --seed 5 -q --model weak --protocol own/protocol.toml --rollouts 6 \
               --set private_reasoning=false --set spurious_penalty=true";
    let args: Vec<&str> = run.split_whitespace().collect();
    program.run(&args).ended_with(0);
    let rows = export(&program, &["--outcomes", "--seat", "critic"]);
    let lost: Vec<&Value> = rows.iter().filter(|row| row["reward"] == -1.0).collect();
    assert!(
        !lost.is_empty(),
        "no critic lost without being spurious: {rows:?}"
    );
    assert!(lost.iter().all(|row| row["label"] == false), "{lost:?}");
}

#[test]
fn options_that_would_change_nothing_are_refused() {
    let program = in_public();
    for args in [
        &["--sft", "judge", "--turns", "t.csv"][..],
        &["--sft", "judge", "-o", "-", "--seat", "critic"],
        &["-o", "folder", "--wanted-by", "verdict"],
    ] {
        program.run_err(2, &[&["export"], args].concat());
    }
    let unknown = program.run_err(1, &["export", "--outcomes", "-o", "-", "--seat", "propser"]);
    assert!(
        unknown.contains("critic") && unknown.contains("proposer"),
        "{unknown}"
    );
}
