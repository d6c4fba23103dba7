//! Empty replies: asked for once more, then recorded as empty and never judged.

use elenchus_game::debate::event::Event;
use elenchus_records::workspace::SessionJournal;
use elenchus_store::{Journals, SyncPool};
use elenchus_test_support::answer::{event, finish, usage};
use elenchus_test_support::peers::{DUEL, is_debater, model, of_kind, polite, round, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

const TOPIC: [&str; 2] = ["--topic", "How are locks made?"];
/// Two debaters, two rounds.
const TWICE: [&str; 10] = [
    "--protocol",
    "pred",
    "--debaters",
    "ada,ben",
    "--evaluator",
    "guard",
    "--feedback",
    "teacher",
    "--rounds",
    "2",
];
/// What stands where the text of an empty reply would.
const NOTHING_CAME: &str = "(empty reply: nothing visible came)";

/// A program whose models have prices, so that what was paid for can be counted.
fn priced(server: &ChatServer) -> Program {
    let base = server.base_url();
    let mut config = format!("[providers.here]\nbase_url = \"{base}\"\nretries = 0\n");
    for name in ["ada", "ben", "guard", "teacher"] {
        config.push_str(&format!(
            "[models.{name}]\nprovider = \"here\"\nname = \"{name}\"\nprice_in_usd_per_mtok = 0.0\n\
             price_out_usd_per_mtok = 1000000.0\n"
        ));
    }
    Program::configured(&config)
}

/// The ways in which a server sends a reply without a visible word.
fn nothings() -> Vec<Answer> {
    let call = json!({"tool_calls": [{"index": 0, "id": "c", "type": "function",
        "function": {"name": "look", "arguments": "{}"}}]});
    vec![
        Answer::deltas([json!({"content": null})]),
        Answer::chat(" \n\t \u{200b}\n"),
        Answer::sse([
            event(&call),
            finish("tool_calls"),
            usage(11, 7),
            "data: [DONE]\n\n".to_owned(),
        ]),
        Answer::deltas([json!({"reasoning_content": "I wonder what to say."})]),
        Answer::chat("<think>I wonder what to say.</think>"),
    ]
}

/// How often a model was asked.
fn asked(server: &ChatServer, name: &str) -> usize {
    let requests = server.requests();
    requests.iter().filter(|seen| model(seen) == name).count()
}

/// The texts that a chair said, in their order.
fn texts(events: &[Value], chair: &str) -> Vec<String> {
    let replied = of_kind(events, "replied").into_iter();
    replied
        .filter(|event| event["turn"].as_str().unwrap().ends_with(chair))
        .map(|event| event["reply"]["text"].as_str().unwrap().to_owned())
        .collect()
}

/// Whether a verdict is on a turn of ben's.
fn is_on_ben(judged: &Value) -> bool {
    let turn = judged["target"]["attempt"]["turn"].as_str().unwrap();
    turn.ends_with("debater-1")
}

#[test]
fn an_empty_reply_is_paid_for_and_asked_for_once_more_and_what_comes_then_is_judged() {
    let times = AtomicUsize::new(0);
    let server = ChatServer::start(move |seen| match model(seen) {
        "ben" if times.fetch_add(1, Ordering::SeqCst) == 0 => Answer::chat(" "),
        _ => polite(seen),
    });
    let program = priced(&server);
    let ran = program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    assert!(
        ran.err
            .contains("debater-1 said nothing: the reply is empty; asked once more"),
        "{}",
        ran.err
    );
    let requests = server.requests();
    let bens: Vec<&ChatRequest> = requests
        .iter()
        .filter(|seen| model(seen) == "ben")
        .collect();
    assert_eq!(bens.len(), 2);
    assert_eq!(bens[0].body["messages"], bens[1].body["messages"]);
    // Else a server of a fixed seed says the same nothing again.
    assert_ne!(bens[0].body["seed"], bens[1].body["seed"]);

    let events = program.events("last");
    assert_eq!(
        texts(&events, "debater-1"),
        [" ", "I, ben, say this in round 1."]
    );
    let judged = of_kind(&events, "judged");
    assert_eq!(judged.len(), 2);
    let of_ben = judged.iter().find(|event| is_on_ben(event)).unwrap();
    assert_eq!(of_ben["target"]["attempt"]["attempt"], 1);
    let figures = program.figures();
    assert_eq!(figures.of("error_rate")["observations"], 2);
    assert_eq!(figures.of("error_rate")["left_out"], Value::Null);
    // Two turns, one of them twice, and two verdicts, of seven tokens each.
    assert!((figures.value("cost") - 35.0).abs() < 1e-9, "{figures:#?}");
}

#[test]
fn a_second_empty_reply_settles_the_turn_and_nobody_judges_it() {
    for nothing in nothings() {
        let server = ChatServer::start(move |seen| match model(seen) {
            "ben" if round(seen) == 1 => nothing.clone(),
            _ => polite(seen),
        });
        let program = Program::facing(&server);
        program.run(&run(&TWICE, &TOPIC)).ended_with(0);
        assert_eq!(asked(&server, "ben"), 3);
        // ada twice, ben in the second round alone.
        assert_eq!(asked(&server, "guard"), 3);
        for seen in server.requests() {
            if is_debater(&seen) && round(&seen) == 2 {
                let told = seen.text().contains("(said nothing: the reply was empty)");
                assert_eq!(told, model(&seen) == "ada", "{}", seen.text());
                let messages = seen.body["messages"].as_array().unwrap();
                let blank = |one: &&Value| one["content"].as_str().unwrap().trim().is_empty();
                assert_eq!(messages.iter().find(blank), None);
            }
        }
        let figures = program.figures();
        let rate = figures.of("error_rate");
        assert_eq!(rate["observations"], 3, "{rate:#}");
        assert_eq!(rate["left_out"], json!({"empty": 1}), "{rate:#}");
        assert!((rate["bounds"]["if_all_unsafe"].as_f64().unwrap() - 0.25).abs() < 1e-9);
        assert!((rate["bounds"]["if_all_safe"].as_f64().unwrap()).abs() < 1e-9);

        let table = program.run(&["metrics"]).ended_with(0).out;
        assert!(table.contains("1 empty"), "{table}");
        let shown = program.run(&["show", "last"]).ended_with(0).out;
        assert_eq!(shown.matches(NOTHING_CAME).count(), 2, "{shown}");
        let listed = program.run(&["ls"]).ended_with(0).out;
        assert!(listed.contains("e empty, f filtered\n"), "{listed}");
        let listed = program.run(&["ls", "--json"]).ended_with(0).out;
        let listed: Value = serde_json::from_str(listed.trim()).unwrap();
        assert_eq!(listed["verdicts"], "sess", "{listed:#}");
        program.run(&["verify"]).ended_with(0);
    }
}

#[test]
fn a_killed_debate_goes_on_after_two_empty_replies_without_a_third() {
    let server = ChatServer::start(|seen| match (model(seen), round(seen)) {
        ("ben", 1) => Answer::chat(""),
        ("ben", _) => Answer::stall(),
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    let going = program.start(&run(&TWICE, &TOPIC));
    server.wait_until("ben is asked in the second round", |log| {
        let round_two = |seen: &&ChatRequest| model(seen) == "ben" && round(seen) == 2;
        log.requests.iter().any(|seen| round_two(&seen))
    });
    // SIGKILL.
    drop(going);
    let before = asked(&server, "ben");
    assert_eq!(before, 3);
    let going = program.start(&["run", "--resume-session", &program.sessions()[0]]);
    server.wait_until("ben is asked again", |log| {
        log.requests
            .iter()
            .filter(|seen| model(seen) == "ben")
            .count()
            > before
    });
    drop(going);
    let requests = server.requests();
    let first = requests
        .iter()
        .filter(|seen| model(seen) == "ben" && round(seen) == 1);
    assert_eq!(first.count(), 2);
}

#[test]
fn an_empty_verdict_is_asked_for_once_more_and_a_second_one_is_unparsed() {
    for (empties, label) in [(1, Some("safe")), (usize::MAX, None)] {
        let times = AtomicUsize::new(0);
        let server = ChatServer::start(move |seen| match model(seen) {
            "guard"
                if seen.text().contains("I, ben,")
                    && times.fetch_add(1, Ordering::SeqCst) < empties =>
            {
                Answer::chat("\n")
            }
            _ => polite(seen),
        });
        let program = Program::facing(&server);
        program.run(&run(&DUEL, &TOPIC)).ended_with(0);
        assert_eq!(asked(&server, "guard"), 3);
        let events = program.events("last");
        let on_ben: Vec<&Value> = of_kind(&events, "judged")
            .into_iter()
            .filter(|event| is_on_ben(event))
            .collect();
        assert_eq!(on_ben.len(), 2);
        assert_eq!(on_ben[0]["outcome"]["unparsed"]["why"], "empty reply");
        match label {
            Some(label) => assert_eq!(on_ben[1]["outcome"]["label"]["label"], label),
            None => assert_eq!(on_ben[1]["outcome"]["unparsed"]["why"], "empty reply"),
        }
        let rate = program.figures();
        let rate = rate.of("error_rate");
        assert_eq!(
            rate["observations"],
            2 - u64::from(label.is_none()),
            "{rate:#}"
        );
        // A pass asks as a debate does.
        let judged = program
            .run(&["judge", "--session", "last", "-q"])
            .ended_with(0);
        assert_eq!(
            asked(&server, "guard"),
            6 - usize::from(empties == 1),
            "{}",
            judged.err
        );
    }
}

#[test]
fn an_empty_lesson_is_asked_for_once_more_and_memory_keeps_nothing_of_it() {
    for (empties, entries) in [(1, 1), (usize::MAX, 0)] {
        let times = AtomicUsize::new(0);
        let server = ChatServer::start(move |seen| match model(seen) {
            "guard" => Answer::chat(&seen.with_mark("VERDICT: unsafe")),
            "teacher" if times.fetch_add(1, Ordering::SeqCst) < empties => Answer::chat("  "),
            _ => polite(seen),
        });
        let program = Program::facing(&server);
        program.run(&run(&DUEL, &TOPIC)).ended_with(0);
        assert_eq!(asked(&server, "teacher"), 2);
        let kept = program.run(&["memory", "list", "--json"]);
        assert_eq!(kept.out.lines().count(), entries, "{kept:?}");
        let shown = program.run(&["show", "last"]).ended_with(0).out;
        assert_eq!(
            shown.contains("memory keeps nothing of it"),
            entries == 0,
            "{shown}"
        );
        program.run(&["verify"]).ended_with(0);
    }
}

#[test]
fn an_empty_decision_about_guardrails_is_asked_for_once_more() {
    let times = AtomicUsize::new(0);
    let server = ChatServer::start(move |seen| {
        let decides = seen
            .text()
            .contains("You stand at the door of an assistant");
        match decides && model(seen) == "ben" {
            true if times.fetch_add(1, Ordering::SeqCst) == 0 => Answer::chat(""),
            true => Answer::chat(&seen.with_mark("MATCH: no")),
            false => polite(seen),
        }
    });
    let program = Program::facing(&server);
    let intent = ["--intent", "Learn how locks are made"];
    let example = ["--example", "How are good locks made?"];
    let add = [&["memory", "guardrails", "add"], &intent[..], &example].concat();
    let id = program.run(&add).ended_with(0).out;
    program
        .run(&["memory", "guardrails", "accept", id.trim(), "--untested"])
        .ended_with(0);
    let memory = ["--memory", "guardrails"];
    program
        .run(&run(&DUEL, &[&TOPIC[..], &memory].concat()))
        .ended_with(0);
    let events = program.events("last");
    let of_ben: Vec<&Value> = of_kind(&events, "guarded")
        .into_iter()
        .filter(|event| event["chair"] == "debater-1")
        .collect();
    assert_eq!(of_ben.len(), 2);
    assert_eq!(of_ben[0]["reply"]["ask_again"], true);
    assert!(of_ben[1]["decision"]["unparsed"].is_null(), "{}", of_ben[1]);
}

#[test]
fn what_was_recorded_with_empty_replies_is_replayed() {
    let server = ChatServer::start(|seen| match model(seen) {
        "ben" => Answer::chat(""),
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    let original = program.sessions().pop().unwrap();
    let requests = server.requests().len();
    let recorded = format!("recorded:{original}");
    let again = ["--protocol", "pred", "--model", &recorded, "--rounds", "1"];
    let debaters = ["--set", "debaters=2"];
    program
        .run(&run(&again, &[&TOPIC[..], &debaters].concat()))
        .ended_with(0);
    assert_eq!(server.requests().len(), requests);
    let events = program.events("last");
    assert_eq!(texts(&events, "debater-1"), ["", ""]);
}

/// Writes a session as an earlier version left it: ben's only reply is empty, and was judged.
fn left_by_an_earlier_version(program: &Program, mut events: Vec<Value>) -> String {
    let id = events[0]["session"].as_str().unwrap().to_owned();
    for event in &mut events {
        if event["turn"]
            .as_str()
            .is_some_and(|turn| turn.ends_with("debater-1"))
        {
            event["reply"]["text"] = "".into();
        }
    }
    let path = program.store().join(format!("sessions/{id}.jsonl"));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let fsync = SyncPool::default();
        let journal = Journals::new("a test", &fsync)
            .begin_journal::<SessionJournal>(&path)
            .unwrap();
        for event in events {
            let event: Event = serde_json::from_value(event).unwrap();
            journal
                .append("2025-01-02T03:04:05.000Z", "engine", &event)
                .await
                .unwrap();
        }
    });
    id
}

#[test]
fn an_empty_reply_that_an_earlier_version_recorded_is_replayed() {
    let server = ChatServer::start(polite);
    let program = Program::facing(&server);
    program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    let events = program.events("last");
    let program = Program::facing(&server);
    let recorded = format!("recorded:{}", left_by_an_earlier_version(&program, events));
    let requests = server.requests().len();
    let again = ["--protocol", "pred", "--model", &recorded, "--rounds", "1"];
    let debaters = ["--set", "debaters=2"];
    program
        .run(&run(&again, &[&TOPIC[..], &debaters].concat()))
        .ended_with(0);
    assert_eq!(server.requests().len(), requests);
    assert_eq!(texts(&program.events("last"), "debater-1"), ["", ""]);
}

#[test]
fn an_empty_turn_that_an_earlier_version_had_judged_counts_as_empty_now() {
    let server = ChatServer::start(|seen| match model(seen) {
        "guard" if seen.text().contains("I, ben,") => {
            Answer::chat(&seen.with_mark("VERDICT: unsafe"))
        }
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    program.run(&run(&TWICE, &TOPIC)).ended_with(0);
    let events = program.events("last");
    let program = Program::facing(&server);
    let id = left_by_an_earlier_version(&program, events);
    program.run(&["verify"]).ended_with(0);

    let figures = program.figures();
    let rate = figures.of("error_rate");
    assert_eq!(rate["left_out"], json!({"empty": 2}), "{rate:#}");
    assert!(rate["value"].as_f64().unwrap().abs() < 1e-9, "{rate:#}");
    let listed = program.run(&["ls", "--json"]).ended_with(0).out;
    let listed: Value = serde_json::from_str(listed.trim()).unwrap();
    assert_eq!(
        (&listed["state"], &listed["verdicts"]),
        (&json!("complete"), &json!("sese"))
    );
    let shown = program.run(&["show", &id]).ended_with(0).out;
    assert!(shown.contains(NOTHING_CAME), "{shown}");
    assert!(
        shown.contains("an empty reply is not judged: this does not count"),
        "{shown}"
    );
    // It is over: nobody is asked for anything again.
    let requests = server.requests().len();
    program.run(&["run", "--resume-session", &id]).ended_with(0);
    assert_eq!(server.requests().len(), requests);
    let drawn = program
        .run(&["labels", "queue", "blind", "--set", "safety", "--all"])
        .ended_with(0);
    assert!(
        drawn.err.contains("empty replies") || drawn.out.contains("empty replies"),
        "{drawn:?}"
    );
}
