//! Ceilings of runs and of debates hold, whatever the server counts.

use elenchus_test_support::answer::{event, finish, usage};
use elenchus_test_support::peers::{DUEL, is_debater, model, of_kind, polite, run, said};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, Barrier, ChatRequest, ChatServer};
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// What a debater's output token costs, in US dollars.
const PRICE: f64 = 0.001;
/// What the server counts for each turn, of at most 100 tokens.
const TOKENS: u64 = 60;

/// Debaters cost money, the others none.
fn priced(server: &ChatServer) -> String {
    let mut config = format!("[providers.openai]\nbase_url = \"{}\"\n", server.base_url());
    for (name, price) in [
        ("ada", 1e6 * PRICE),
        ("ben", 1e6 * PRICE),
        ("guard", 0.0),
        ("teacher", 0.0),
    ] {
        config += &format!(
            "[models.{name}]\nprovider = \"openai\"\nname = \"{name}\"\n\
             price_in_usd_per_mtok = 0.0\nprice_out_usd_per_mtok = {price:?}\n"
        );
    }
    config
}

fn billed(seen: &ChatRequest) -> Answer {
    match is_debater(seen) {
        true => Answer::sse([
            event(&json!({"content": said(seen)})),
            finish("stop"),
            usage(500, TOKENS),
            "data: [DONE]\n\n".to_owned(),
        ]),
        false => polite(seen),
    }
}

/// What the server has charged, and the most that it could have charged at any moment.
#[derive(Debug, Default)]
struct Bill {
    charged_usd: f64,
    open_usd: f64,
    worst_usd: f64,
}

impl Bill {
    fn opened(&mut self, seen: &ChatRequest) {
        self.open_usd += PRICE * seen.body["max_tokens"].as_f64().unwrap();
        self.worst_usd = self.worst_usd.max(self.charged_usd + self.open_usd);
    }

    fn closed(&mut self, seen: &ChatRequest) {
        self.open_usd -= PRICE * seen.body["max_tokens"].as_f64().unwrap();
        self.charged_usd += PRICE * TOKENS as f64;
    }
}

#[test]
fn a_run_pauses_before_its_ceiling_and_goes_on_under_a_higher_one() {
    let bill = Arc::new(Mutex::new(Bill::default()));
    let first_three = Barrier::of(3);
    let (charged, held) = (Arc::clone(&bill), Arc::clone(&first_three));
    let asked = Mutex::new(0);
    let server = ChatServer::start(move |seen| {
        if !is_debater(seen) {
            return billed(seen);
        }
        charged.lock().unwrap().opened(seen);
        let number = {
            let mut asked = asked.lock().unwrap();
            *asked += 1;
            *asked
        };
        if number <= 3 {
            // The ceiling has room for three turns at once, and they are asked at once.
            held.meet();
        }
        charged.lock().unwrap().closed(seen);
        billed(seen)
    });
    let program = Program::configured(&priced(&server));
    let topics: String = (1..=4).map(|at| format!("Topic number {at}\n")).collect();
    program.write("topics.txt", &topics);
    let more = [
        "--set",
        "max_tokens=100",
        "--dataset",
        "own:topics.txt",
        "--budget-usd",
        "0.33",
    ];
    let paused = program.run(&run(&DUEL, &more)).ended_with(4);
    let id = program.run_id().unwrap();
    assert!(
        paused.err.contains("the ceiling is reached"),
        "{}",
        paused.err
    );
    assert!(
        paused.err.contains(&format!("elenchus run --resume {id}")),
        "{}",
        paused.err
    );
    assert_eq!((first_three.met(), first_three.broken()), (1, false));
    let turns = || {
        let requests = server.requests();
        requests.iter().filter(|seen| is_debater(seen)).count()
    };
    // Four turns are charged; a fifth might have passed the ceiling.
    assert_eq!(turns(), 4);
    {
        let bill = bill.lock().unwrap();
        assert!(
            bill.worst_usd <= 0.33 && bill.charged_usd <= 0.33,
            "{bill:?}"
        );
    }

    program.run(&["run", "--resume", &id]).ended_with(4);
    assert_eq!(turns(), 4, "the ceiling still holds");

    program
        .run(&["run", "--resume", &id, "--budget-usd", "1"])
        .ended_with(0);
    assert_eq!(turns(), 8, "no turn is bought twice");
    let figures = program.figures();
    assert!((figures.value("cost") - 8.0 * PRICE * TOKENS as f64).abs() < 1e-9);
    assert!((bill.lock().unwrap().charged_usd - figures.value("cost")).abs() < 1e-9);
}

#[test]
fn a_single_debate_pauses_at_its_budget_and_goes_on_under_a_higher_one() {
    let server = ChatServer::start(billed);
    let program = Program::configured(&priced(&server));
    let more = [
        "--set",
        "max_tokens=100",
        "--topic",
        "How are locks made?",
        "--budget-usd",
        "0.15",
    ];
    let paused = program.run(&run(&DUEL, &more)).ended_with(4);
    let session = program.sessions().pop().unwrap();
    assert!(
        paused
            .err
            .contains(&format!("--resume-session {session} --budget-usd")),
        "{}",
        paused.err
    );
    program
        .run(&["run", "--resume-session", &session, "--budget-usd", "1"])
        .ended_with(0);
    assert_eq!(server.requests().len(), 4);
    assert!((program.figures().value("cost") - 2.0 * PRICE * TOKENS as f64).abs() < 1e-9);
}

#[test]
fn a_model_without_prices_is_refused_under_a_ceiling_before_anything_is_asked() {
    let server = ChatServer::start(polite);
    let program = Program::facing(&server);
    let more = ["--topic", "How are locks made?", "--budget-usd", "5"];
    let refused = program.run(&run(&DUEL, &more)).ended_with(1);
    for word in [
        "price_in_usd_per_mtok",
        "price_out_usd_per_mtok",
        "[models.",
        "0 for a free",
    ] {
        assert!(refused.err.contains(word), "{word}: {}", refused.err);
    }
    assert!(server.requests().is_empty());
    assert!(program.sessions().is_empty());
}

#[test]
fn tries_that_broke_off_count_against_the_ceiling_before_they_are_made_again() {
    let settled = Barrier::of(2);
    let held = Arc::clone(&settled);
    let tries = Arc::new(Mutex::new(0));
    let made = Arc::clone(&tries);
    let server = ChatServer::start(move |seen| match model(seen) {
        "ben" => {
            let mut made = made.lock().unwrap();
            *made += 1;
            // Paid for, whether or not anything usable came back.
            let broken = Answer::sse([event(&json!({"content": "Half a"}))]);
            match *made {
                // ada is being judged: what her turn cost is known.
                1 => broken.behind(&held),
                2..=4 => broken,
                _ => billed(seen),
            }
        }
        "guard" if seen.text().contains("I, ada,") => billed(seen).behind(&held),
        _ => billed(seen),
    });
    let config = priced(&server).replacen("\n[models", "\nretries = 3\n[models", 1);
    let program = Program::configured(&config);
    let more = [
        "--set",
        "max_tokens=100",
        "--topic",
        "How are locks made?",
        "--budget-usd",
        "0.27",
    ];
    program.run(&run(&DUEL, &more)).ended_with(4);
    assert_eq!((settled.met(), settled.broken()), (1, false));
    // ada's turn was 0.06 and each of ben's tries may have been 0.1: a third has no room.
    assert_eq!(*tries.lock().unwrap(), 2);
    assert!(of_kind(&program.events("last"), "failed").is_empty());

    // The rest of the tries and the turn have room under a higher ceiling.
    let session = program.sessions().pop().unwrap();
    let resume = ["run", "--resume-session", &session, "--budget-usd", "2"];
    program.run(&resume).ended_with(0);
    assert_eq!(*tries.lock().unwrap(), 5);
}

/// Plays the short game.
const SHORT: [&str; 7] = [
    "run",
    "--protocol",
    "short",
    "--model",
    "ada",
    "--topic",
    "Locks",
];

/// A program at which the short game can be played.
fn at_short(config: &str, ceilings: &str) -> Program {
    let program = Program::configured(config);
    for (name, text) in short(ceilings) {
        program.write(&name, &text);
    }
    program
}

/// A game of one speaker and five rounds, with its own ceilings.
fn short(ceilings: &str) -> [(String, String); 2] {
    let protocol = format!(
        r#"id = "short"
name = "Short"
description = "One speaker under a ceiling"
source = "ours"
measures = "quality"
rounds = 5
style = "dialogue"

[ceilings]
{ceilings}

[[seats]]
id = "speaker"
kind = "speaker"

[[stages]]
id = "say"
seats = ["speaker"]
max_tokens = 100
sees = {{ topic = true, turns = [{{ seats = ["speaker"] }}] }}
"#
    );
    let template = "+++\ndescription = \"Says something\"\n+++\n=== system\nSpeak.\n=== user\n\
                    {% if first %}\n{{ topic }}\n{% endif %}\nGo on.\n";
    [
        (".elenchus/prompts/short/protocol.toml".to_owned(), protocol),
        (
            ".elenchus/prompts/short/speaker.md".to_owned(),
            template.to_owned(),
        ),
    ]
}

#[test]
fn a_debate_is_truncated_at_its_own_ceiling_and_keeps_what_was_said() {
    for (ceilings, kind, turns) in [
        ("calls = 3", "calls", 3),
        // Two turns cost 0.12; a third could pass 0.2.
        ("cost_usd = 0.2", "cost_usd", 2),
    ] {
        let server = ChatServer::start(billed);
        let program = at_short(&priced(&server), ceilings);
        let played = program.run(&SHORT).ended_with(0);
        assert!(played.err.contains("DEBATE_TRUNCATED"), "{}", played.err);
        assert_eq!(server.requests().len(), turns, "{ceilings}");
        let events = program.events("last");
        assert_eq!(of_kind(&events, "replied").len(), turns);
        let truncated = of_kind(&events, "truncated");
        assert_eq!(truncated.len(), 1);
        assert_eq!(truncated[0]["ceiling"], kind);
        let shown = program.run(&["show", "last"]).ended_with(0);
        assert_eq!(shown.out.matches("I, ada, say this").count(), turns);
        assert!(shown.out.contains("DEBATE_TRUNCATED"), "{}", shown.out);
        assert!((program.figures().value("truncated_debates") - 1.0).abs() < 1e-9);

        // It is over: going on with it asks nothing more.
        let session = program.sessions().pop().unwrap();
        program
            .run(&["run", "--resume-session", &session])
            .ended_with(0);
        assert_eq!(server.requests().len(), turns);
        assert_eq!(program.events(&session).len(), events.len(), "it is over");
    }
}

#[test]
fn several_seats_that_meet_the_debates_own_ceiling_together_truncate_it_once() {
    for (ceilings, turns) in [("calls = 2", 2), ("cost_usd = 0.05", 0)] {
        let server = ChatServer::start(billed);
        let program = Program::configured(&priced(&server));
        let [(path, text), template] = short(ceilings);
        let two = text.replacen("kind = \"speaker\"", "kind = \"speaker\"\ncount = 2", 1);
        program.write(&path, &two);
        program.write(&template.0, &template.1);
        let played = program.run(&SHORT).ended_with(0);
        assert!(played.err.contains("DEBATE_TRUNCATED"), "{}", played.err);
        assert_eq!(server.requests().len(), turns, "{ceilings}");
        let events = program.events("last");
        assert_eq!(of_kind(&events, "replied").len(), turns);
        assert_eq!(of_kind(&events, "truncated").len(), 1);
    }
}

#[test]
fn tries_that_broke_off_count_against_the_debates_own_ceiling_as_well() {
    let server = ChatServer::start(|_| Answer::sse([event(&json!({"content": "Half a"}))]));
    let config = priced(&server).replacen("\n[models", "\nretries = 3\n[models", 1);
    let program = at_short(&config, "cost_usd = 0.25");
    let played = program.run(&SHORT).ended_with(0);
    // Each try may have cost 0.1: two fit under the ceiling, a third does not.
    assert_eq!(server.requests().len(), 2);
    assert!(played.err.contains("DEBATE_TRUNCATED"), "{}", played.err);
    assert!(of_kind(&program.events("last"), "replied").is_empty());
}

#[test]
fn a_call_that_was_interrupted_counts_against_the_debates_own_ceiling() {
    let stalls = Arc::new(AtomicBool::new(true));
    let held = Arc::clone(&stalls);
    let server = ChatServer::start(move |seen| {
        if held.load(Ordering::SeqCst) {
            Answer::stall()
        } else {
            billed(seen)
        }
    });
    let program = at_short(&priced(&server), "calls = 3");
    let going = program.start(&SHORT);
    server.wait_until("the first turn is asked for", |log| log.requests.len() == 1);
    going.interrupt();
    going.finish().ended_with(4);
    stalls.store(false, Ordering::SeqCst);
    let session = program.sessions().pop().unwrap();
    let played = program
        .run(&["run", "--resume-session", &session])
        .ended_with(0);
    assert!(played.err.contains("DEBATE_TRUNCATED"), "{}", played.err);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_session_that_goes_on_is_held_to_a_ceiling_that_can_be_kept() {
    let server = ChatServer::start(|_| Answer::error(500, "server_error", "down"));
    let config = format!(
        "[providers.openai]\nbase_url = \"{}\"\nretries = 0\n",
        server.base_url()
    );
    let program = Program::configured(&config);
    program
        .run(&run(&DUEL, &["--topic", "Locks"]))
        .ended_with(3);
    let session = program.sessions().pop().unwrap();
    let asked = server.requests().len();
    let resume = ["run", "--resume-session", &session];
    let refused = program
        .run(&[&resume[..], &["--budget-usd", "NaN"]].concat())
        .ended_with(1);
    assert!(refused.err.contains("0 or more"), "{}", refused.err);
    // The ceiling of the configuration is one as well, and this model has no price.
    program.write(
        ".elenchus/config.toml",
        &format!("{config}[defaults]\nbudget_usd = 1.0\n"),
    );
    let refused = program.run(&resume).ended_with(1);
    assert!(refused.err.contains("have no price"), "{}", refused.err);
    assert_eq!(server.requests().len(), asked);
}

#[test]
fn a_run_over_models_without_prices_is_listed_with_an_unknown_cost() {
    let server = ChatServer::start(polite);
    let program = Program::facing(&server);
    program.write("one.txt", "How are locks made?\n");
    program
        .run(&run(&DUEL, &["--dataset", "own:one.txt"]))
        .ended_with(0);
    let runs = program.run(&["ls", "--runs"]).ended_with(0);
    let row = runs.out.lines().nth(1).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[3..5], ["1/0/1", "?"], "{}", runs.out);
}

#[test]
fn a_try_that_broke_off_is_in_the_journal_before_its_call_is_over() {
    let tries = Arc::new(Mutex::new(0));
    let made = Arc::clone(&tries);
    let server = ChatServer::start(move |_| {
        let mut made = made.lock().unwrap();
        *made += 1;
        match *made {
            1 => Answer::sse([event(&json!({"content": "Half a"}))]),
            _ => Answer::stall(),
        }
    });
    let config = priced(&server).replacen("\n[models", "\nretries = 3\n[models", 1);
    let program = at_short(&config, "cost_usd = 0.25");
    let going = program.start(&SHORT);
    // The second try is never answered: what the first may have cost is written all the same.
    server.wait_until("the turn is asked for again", |log| log.requests.len() == 2);
    while of_kind(&program.events("last"), "call_retried").is_empty() {
        std::thread::yield_now();
    }
    drop(going);
    let session = program.sessions().pop().unwrap();
    // 0.1 for the try that broke off and 0.1 for the one in flight leave no room for a third.
    let resumed = program
        .run(&["run", "--resume-session", &session])
        .ended_with(0);
    assert!(resumed.err.contains("DEBATE_TRUNCATED"), "{}", resumed.err);
    assert_eq!(server.requests().len(), 2);
}
