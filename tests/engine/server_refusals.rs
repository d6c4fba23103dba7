//! Requests that servers refuse, cut or are not ready for: mended and recorded, or said with the cause.

use elenchus_test_support::answer::{event, finish, usage};
use elenchus_test_support::peers::{DUEL, model, of_kind, polite, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::{Value, json};

const TOPIC: [&str; 2] = ["--topic", "How are locks made?"];

fn asked(server: &ChatServer, name: &str) -> Vec<ChatRequest> {
    let mut requests = server.requests();
    requests.retain(|seen| model(seen) == name);
    requests
}

/// The arms of all debates.
fn arms(program: &Program) -> String {
    program.run_ok(&["metrics", "--by", "arm", "--json"])
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_part_that_is_refused_under_any_status_is_left_out_and_makes_an_arm_of_its_own() {
    let refusals = [
        (
            403,
            json!({"error": {"message": "You may not set a seed for this model"}}),
        ),
        (
            404,
            json!({"error": {"message": "The seed parameter is not supported here", "code": 404}}),
        ),
        (
            200,
            json!({"error": {"message": "seed: not supported", "code": 400}}),
        ),
    ];
    for (status, body) in refusals {
        let refusal = body.clone();
        let server = ChatServer::start(move |seen| match seen.body.get("seed") {
            Some(_) if model(seen) == "guard" => Answer::refusal(status, &refusal),
            _ => polite(seen),
        });
        let program = Program::facing(&server);
        let ran = program.run(&run(&DUEL, &TOPIC)).ended_with(0);
        let said = "guard was asked otherwise than configured, as its server or its context wants it: no seed";
        assert!(squeezed(&ran.out).contains(said), "{body}: {}", ran.out);
        for verdict in of_kind(&program.events("last"), "judged") {
            assert_eq!(verdict["reply"]["left_out"], json!(["seed"]), "{body}");
        }
        assert!(arms(&program).contains("asked=no seed"), "{body}");
        // Nothing of it where nothing was refused.
        let program = Program::facing(&ChatServer::start(polite));
        assert!(!program.run_ok(&["metrics"]).contains("asked"));
    }
}

#[test]
fn a_reply_that_does_not_fit_is_asked_for_once_more_with_the_limit_that_fits() {
    let server = ChatServer::start(|seen| match seen.body["max_tokens"].as_u64() {
        Some(limit) if limit > 500 && model(seen) == "ada" => {
            let words = format!(
                "The context window is 3000 tokens: 2500 in the prompt and {limit} for the reply exceed it"
            );
            Answer::error(400, "bad", &words)
        }
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    let limits: Vec<Value> = (asked(&server, "ada").iter())
        .map(|seen| seen.body["max_tokens"].clone())
        .collect();
    assert_eq!(limits.len(), 2, "{limits:?}");
    assert_eq!(limits[1], 500);
    let events = program.events("last");
    let replied = of_kind(&events, "replied");
    let of_ada = replied
        .iter()
        .find(|said| !said["reply"]["sent_as"].is_null());
    assert_eq!(of_ada.unwrap()["reply"]["sent_as"]["max_tokens"], "500");
    // Made again under the ceiling, which counts both.
    assert_eq!(of_kind(&events, "call_retried").len(), 1);
    assert!(arms(&program).contains("asked=another limit"));
}

#[test]
fn one_more_call_is_not_made_where_the_ceiling_on_calls_has_no_room_for_it() {
    let server = ChatServer::start(|seen| match seen.body["max_tokens"].as_u64() {
        Some(limit) if limit > 500 => Answer::error(
            400,
            "bad",
            "The context window is 3000 tokens: 2500 in the prompt and 2048 for the reply exceed it",
        ),
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    let more = ["--topic", "How are locks made?", "--budget-calls", "1"];
    program.run(&run(&DUEL, &more));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_context_from_the_list_of_models_holds_back_what_clearly_cannot_fit() {
    let server = ChatServer::listing(|seen| match seen.path.as_str() {
        "/v1/models" => {
            let entry = |name: &str| json!({"id": name, "max_model_len": 2000});
            let list = json!(["ada", "ben", "guard", "teacher"].map(entry));
            Answer::body(200, "application/json", list.to_string().as_bytes())
        }
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    program.write("long.txt", &"Locks are made of brass. ".repeat(1_000));
    let more = ["--topic", "How are locks made?", "--document", "long.txt"];
    let ran = program.run(&run(&DUEL, &more)).ended_with(3);
    assert!(
        ran.err
            .contains("its server names a context of 2000; it was not sent"),
        "{}",
        ran.err
    );
    let chats = server
        .requests()
        .iter()
        .filter(|seen| seen.method == "POST")
        .count();
    assert_eq!(chats, 0);
}

/// A server that reads at most so many tokens of a request, and says so in its count.
fn cutting(most: u64) -> ChatServer {
    ChatServer::start(move |seen| {
        let text = match model(seen) {
            "guard" => seen.with_mark("VERDICT: safe"),
            _ => "Of brass.".to_owned(),
        };
        let read = (seen.text().len() as u64 / 4).min(most);
        Answer::sse([
            event(&json!({"content": text})),
            finish("stop"),
            usage(read, 5),
            "data: [DONE]\n\n".to_owned(),
        ])
    })
}

#[test]
fn a_server_that_cuts_what_it_reads_is_named_during_and_after_the_run() {
    let long = "Locks are made of brass, pins and springs. ".repeat(600);
    let said = |most: u64| {
        let server = cutting(most);
        let program = Program::facing(&server);
        program.write("long.txt", &long);
        let more = ["--topic", "How are locks made?", "--document", "long.txt"];
        let ran = program.run(&run(&DUEL, &more)).ended_with(0);
        (
            ran.err,
            squeezed(&ran.out),
            squeezed(&program.run_ok(&["metrics"])),
        )
    };
    let (during, after, later) = said(1_000);
    assert_eq!(
        during
            .matches("the server of ada says that it read 1000 tokens")
            .count(),
        0
    );
    // One call may be miscounted: who is asked twice is named, once.
    assert_eq!(
        during
            .matches("the server of guard says that it read 1000 tokens")
            .count(),
        1,
        "{during}"
    );
    for report in [after, later] {
        assert!(
            report.contains(
                "the server of guard read far fewer tokens than were sent in 2 of 2 calls"
            ),
            "{report}"
        );
    }
    let (during, after, later) = said(1_000_000);
    assert!(!during.contains("says that it read"), "{during}");
    for report in [after, later] {
        assert!(!report.contains("far fewer tokens"), "{report}");
    }
}

#[test]
fn a_stream_that_breaks_before_its_first_word_says_why_as_a_whole_reply() {
    let server = ChatServer::start(|seen| match seen.body.get("stream") {
        Some(_) if model(seen) == "ada" => {
            Answer::sse_open([""; 0]).then(elenchus_test_support::answer::Step::Cut)
        }
        None => Answer::error(
            500,
            "e",
            "Requested tokens (5495) exceed context window of 4096",
        ),
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    let ran = program.run(&run(&DUEL, &TOPIC)).ended_with(3);
    assert!(
        ran.err
            .contains("the request is longer than the model's context (Requested tokens (5495)"),
        "{}",
        ran.err
    );
    assert_eq!(asked(&server, "ada").len(), 2);
}

#[test]
fn a_limit_for_a_day_pauses_a_run_which_goes_on_once_it_is_renewed() {
    let program = Program::new();
    program.write(
        "topics.txt",
        "How are locks made?\nHow are dams built?\nWho counts votes?\n",
    );
    let server = ChatServer::start(|_| {
        Answer::error(
            429,
            "rate_limit_exceeded",
            "Rate limit reached on requests per day (RPD): Limit 50, Used 50, Requested 1. Please try again in 9h12m.",
        )
    });
    let address = server.base_url();
    let play = |args: &[&str]| {
        let mut command = program.command(args);
        command
            .env("OPENAI_BASE_URL", &address)
            .env("OPENAI_API_KEY", "x");
        elenchus_test_support::program::Ran::of(command.output().unwrap())
    };
    let more = [
        "--dataset",
        "own:topics.txt",
        "--concurrency",
        "1",
        "--unlisted",
    ];
    let ran = play(&run(&DUEL, &more));
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(
        ran.err.contains("wait until its limit is renewed"),
        "{}",
        ran.err
    );
    // Both debaters of the first topic were asked together.
    assert_eq!(server.requests().len(), 2);
    let at = server.address();
    drop(server);
    let server = ChatServer::start_at(at, polite);
    let id = program.run_id().unwrap();
    let ran = play(&["run", "--resume", &id, "--unlisted"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("3 of 3 debates done"), "{}", ran.out);
    assert!(!server.requests().is_empty());
}

#[test]
fn a_model_that_is_being_loaded_is_waited_for_and_shown() {
    let server = ChatServer::start(|seen| match seen.number {
        0..4 => Answer::error(503, "unavailable_error", "Loading model"),
        _ => polite(seen),
    });
    // More than its retries.
    let program = Program::configured(&format!(
        "[providers.here]\nbase_url = \"{}\"\nretries = 0\n{}",
        server.base_url(),
        ["ada", "ben", "guard", "teacher"]
            .map(|name| format!("[models.{name}]\nprovider = \"here\"\nname = \"{name}\"\n"))
            .concat()
    ));
    let ran = program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    assert!(
        ran.err
            .contains("the server is loading the model (Loading model)"),
        "{}",
        ran.err
    );
}

#[test]
fn a_reply_that_spends_its_limit_on_reasoning_is_not_asked_for_again() {
    let server = ChatServer::start(|seen| match model(seen) {
        "ada" => Answer::sse([
            event(&json!({"reasoning_content": "Let me think about locks."})),
            finish("length"),
            usage(300, 2048),
            "data: [DONE]\n\n".to_owned(),
        ]),
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    let ran = program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    assert_eq!(asked(&server, "ada").len(), 1);
    let why = "its token limit was spent before a visible word; raise max_tokens";
    assert!(ran.err.contains(why), "{}", ran.err);
    assert!(squeezed(&ran.out).contains(why), "{}", ran.out);
    assert!(
        squeezed(&ran.out)
            .contains("1 of 1 replies of ada spent their token limit before a visible word"),
        "{}",
        ran.out
    );
    // It stays an empty reply: not judged, and counted.
    assert_eq!(asked(&server, "guard").len(), 1);
    program.run_ok(&["verify"]);
}
