//! Servers that do not take a request as it was composed, or that end replies before they are whole.

use elenchus_test_support::peers::{DUEL, PEERS, model, of_kind, polite, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, Barrier, ChatServer};
use serde_json::json;

#[test]
fn a_server_that_serves_one_request_at_a_time_gets_through_a_run_at_sixteen_in_flight() {
    // The first three are there together: at least one of them is interrupted.
    let three = Barrier::of(3);
    let server = ChatServer::start(move |seen| {
        let answer = Answer::interruptible(&seen.with_mark("A whole reply.\nVERDICT: safe"));
        match seen.number {
            0..3 => answer.behind(&three),
            _ => answer,
        }
    });
    let program = Program::facing(&server);
    program.write(
        "topics.txt",
        "How are locks made?\nHow are dams built?\nWho counts votes?\n",
    );
    let more = ["--dataset", "own:topics.txt", "--concurrency", "16"];
    let ran = program.run(&run(&PEERS, &more)).ended_with(0);
    assert!(ran.out.contains("3 of 3 debates done"), "{}", ran.out);
    let mut retried = 0;
    for session in program.sessions() {
        let events = program.events(&session);
        retried += of_kind(&events, "call_retried").len();
        for kind in ["replied", "judged"] {
            for said in of_kind(&events, kind) {
                let text = said["reply"]["text"].as_str().unwrap();
                assert!(text.starts_with("A whole reply.\nVERDICT"), "{text}");
                assert!(text.ends_with(": safe"), "{text}");
            }
        }
    }
    assert!(retried > 0, "nothing was interrupted");
    let figures = program.figures();
    assert_eq!(
        figures.of("error_rate")["left_out"],
        serde_json::Value::Null
    );
}

#[test]
fn a_server_without_finish_reasons_fails_with_the_line_to_add_and_works_with_it() {
    let server = ChatServer::start(|seen| {
        let text = match model(seen) {
            "guard" => seen.with_mark("VERDICT: safe"),
            _ => "A reply.".to_owned(),
        };
        let event = elenchus_test_support::answer::event(&json!({"content": text}));
        Answer::sse([event, "data: [DONE]\n\n".to_owned()])
    });
    let topic = ["--topic", "How are locks made?"];
    let place = format!(
        "[providers.openai]\nbase_url = \"{}\"\nretries = 0\n",
        server.base_url()
    );
    let program = Program::configured(&place);
    let ran = program.run(&run(&DUEL, &topic)).ended_with(3);
    for part in [
        "finish_reason = \"absent\"",
        "[providers.openai]",
        "in_flight = 1",
    ] {
        assert!(ran.err.contains(part), "no {part} in {}", ran.err);
    }
    Program::configured(&format!("{place}finish_reason = \"absent\"\n"))
        .run(&run(&DUEL, &topic))
        .ended_with(0);
    let by_variable = || Program::facing(&server).with("ELENCHUS_FINISH_REASON", "absent");
    by_variable().run(&run(&DUEL, &topic)).ended_with(0);
    let wrong = Program::facing(&server).with("ELENCHUS_FINISH_REASON", "maybe");
    let ran = wrong.run(&run(&DUEL, &topic)).ended_with(1);
    assert!(
        ran.err
            .contains("ELENCHUS_FINISH_REASON = maybe: must be required or absent"),
        "{}",
        ran.err
    );
}

#[test]
fn a_verdict_that_could_not_be_asked_at_temperature_0_says_so_in_its_record() {
    let refusal = json!({"error": {"message": "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
        "type": "invalid_request_error", "param": "temperature", "code": "unsupported_value"}});
    let server = ChatServer::start(move |seen| {
        if model(seen) == "guard" && seen.body.get("temperature").is_some() {
            Answer::refusal(400, &refusal)
        } else {
            polite(seen)
        }
    });
    let program = Program::facing(&server);
    program
        .run(&run(&DUEL, &["--topic", "How are locks made?"]))
        .ended_with(0);
    let events = program.events("last");
    let verdicts = of_kind(&events, "judged");
    assert_eq!(verdicts.len(), 2);
    for verdict in verdicts {
        assert_eq!(verdict["reply"]["left_out"], json!(["temperature"]));
        // What was composed stands beside it.
        assert_eq!(verdict["reply"]["sampling"]["temperature"], 0.0);
    }
    for turn in of_kind(&events, "replied") {
        assert_eq!(turn["reply"].get("left_out"), None);
    }
    assert!(!of_kind(&events, "call_retried").is_empty());
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn what_a_server_refused_does_not_change_what_a_replay_asks() {
    let refusal = json!({"error": {"message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}});
    let server = ChatServer::start(move |seen| match seen.body.get("max_tokens") {
        Some(_) => Answer::refusal(400, &refusal),
        None => polite(seen),
    });
    let program = Program::facing(&server);
    let topic = ["--topic", "How are locks made?", "--seed", "7"];
    program.run(&run(&DUEL, &topic)).ended_with(0);
    let original = program.sessions().pop().unwrap();
    let asked = server.requests().len();
    let recorded = format!("recorded:{original}");
    let both = format!("{recorded},{recorded}");
    let replay = [
        "run",
        "--protocol",
        "pred",
        "--debaters",
        &both,
        "--evaluator",
        &recorded,
        "--feedback",
        &recorded,
        "--rounds",
        "1",
    ];
    program.run(&[&replay[..], &topic].concat()).ended_with(0);
    assert_eq!(server.requests().len(), asked);
    let events = program.events("last");
    let replies = of_kind(&events, "replied");
    assert_eq!(replies.len(), 2);
    for reply in replies {
        assert_eq!(
            reply["reply"]["sent_as"]["max_tokens"],
            "max_completion_tokens"
        );
    }
}

#[test]
fn a_call_that_is_clearly_too_long_fails_before_it_is_sent() {
    let server = ChatServer::start(polite);
    let other = |name: &str| format!("[models.{name}]\nprovider = \"openai\"\nname = \"{name}\"\n");
    let others = ["ada", "guard", "teacher"].map(other).concat();
    let program = Program::configured(&format!(
        "[providers.openai]\nbase_url = \"{}\"\n{others}\
         [models.ben]\nprovider = \"openai\"\nname = \"ben\"\ncontext_tokens = 40\n\
         price_in_usd_per_mtok = 1.0\nprice_out_usd_per_mtok = 1.0\n",
        server.base_url()
    ));
    let ran = program
        .run(&run(&DUEL, &["--topic", "How are locks made?"]))
        .ended_with(3);
    assert!(
        ran.err.contains("context_tokens is 40; it was not sent"),
        "{}",
        ran.err
    );
    assert!(server.requests().iter().all(|seen| model(seen) != "ben"));
    let events = program.events("last");
    let failed = of_kind(&events, "failed");
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["may_have_cost_usd"], 0.0);
}

#[test]
fn a_limit_that_cannot_be_sent_fails_the_call_where_replies_have_a_price() {
    let server = ChatServer::start(|seen| {
        let names = ["max_tokens", "max_completion_tokens"];
        match names.into_iter().find(|name| seen.body.get(name).is_some()) {
            Some(name) if model(seen) == "ada" => Answer::error(
                400,
                "unsupported_parameter",
                &format!("'{name}' is not supported"),
            ),
            _ => polite(seen),
        }
    });
    let priced = |name: &str| {
        format!(
            "[models.{name}]\nprovider = \"openai\"\nname = \"{name}\"\n\
             price_in_usd_per_mtok = 1.0\nprice_out_usd_per_mtok = 1.0\n"
        )
    };
    let models = ["ada", "ben", "guard", "teacher"].map(priced).concat();
    let place = format!("[providers.openai]\nbase_url = \"{}\"\n", server.base_url());
    let program = Program::configured(&format!("{place}{models}"));
    let more = ["--topic", "How are locks made?", "--budget-usd", "1"];
    let ran = program.run(&run(&DUEL, &more)).ended_with(3);
    assert!(ran.err.contains("takes no token limit"), "{}", ran.err);
    assert!(
        ran.err.contains("drop_params = [\"max_tokens\"]"),
        "{}",
        ran.err
    );
    let limited = |name: &str| {
        let of_ada = |seen: &&elenchus_test_support::ChatRequest| model(seen) == "ada";
        let requests = server.requests();
        requests
            .iter()
            .filter(of_ada)
            .filter(|seen| seen.body.get(name).is_some())
            .count()
    };
    assert_eq!(
        (limited("max_tokens"), limited("max_completion_tokens")),
        (1, 1)
    );
}
