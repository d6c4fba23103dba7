//! Corrected configuration: a resumed run uses it and never buys a turn again.

use elenchus_test_support::peers::{DUEL, model, of_kind, polite, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::server::NOWHERE;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};

const TOPICS: &str = "How are locks made?\nHow are keys made?\n";
/// How the limit is called by servers that refuse `max_tokens`.
const MENDED: &str = "max_tokens_as = \"max_completion_tokens\"\n";

fn configured(server: &ChatServer, guard: &str) -> String {
    let base = server.base_url();
    format!(
        "[providers.here]\nbase_url = \"{base}\"\nretries = 0\ndeadline_s = 30\n\
         [models.ada]\nprovider = \"here\"\nname = \"ada\"\n\
         [models.ben]\nprovider = \"here\"\nname = \"ben\"\n\
         [models.teacher]\nprovider = \"here\"\nname = \"teacher\"\n\
         [models.guard]\nprovider = \"here\"\nname = \"guard\"\n{guard}"
    )
}

/// A server whose evaluator refuses a parameter without naming it.
fn particular() -> ChatServer {
    ChatServer::start(|seen| match model(seen) {
        "guard" if seen.body.get("max_tokens").is_some() => {
            Answer::error(400, "bad_request", "this request cannot be served")
        }
        _ => polite(seen),
    })
}

fn asked(server: &ChatServer, name: &str) -> usize {
    let requests = server.requests();
    requests.iter().filter(|seen| model(seen) == name).count()
}

#[test]
fn a_resumed_run_asks_as_the_mended_configuration_says_and_buys_no_turn_again() {
    let server = particular();
    let program = Program::configured(&configured(&server, ""));
    program.write("topics.txt", TOPICS);
    let dataset = ["--dataset", "own:topics.txt"];
    program.run(&run(&DUEL, &dataset)).ended_with(3);
    assert_eq!((asked(&server, "ada"), asked(&server, "guard")), (2, 4));
    let id = program.run_id().unwrap();

    program.write(".elenchus/config.toml", &configured(&server, MENDED));
    let resumed = program.run(&["run", "--resume", &id]).ended_with(0);
    assert_eq!((asked(&server, "ada"), asked(&server, "guard")), (2, 8));
    let told = "model guard is asked as the configuration says now, not as recorded: \
                max_tokens_as = \"max_completion_tokens\" (was \"max_tokens\")";
    assert_eq!(resumed.err.matches(told).count(), 1, "{}", resumed.err);
    let figures = program.figures();
    assert_eq!(figures.of("error_rate")["observations"], 4);
    for session in program.sessions() {
        let events = program.events(&session);
        for judged in of_kind(&events, "judged") {
            let dialect = &judged["reply"]["dialect"];
            assert_eq!(dialect["max_tokens_as"], "max_completion_tokens");
        }
        for replied in of_kind(&events, "replied") {
            assert!(replied["reply"]["dialect"].is_null());
        }
    }
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_single_debate_asks_as_the_mended_configuration_says() {
    let server = particular();
    let program = Program::configured(&configured(&server, ""));
    program
        .run(&run(&DUEL, &["--topic", "How are locks made?"]))
        .ended_with(3);
    let shown = program.run(&["show", "last"]).ended_with(0).out;
    // Where the turn stands, not only at the end.
    let words = "  safety: no verdict, its call failed: here/guard: the server answered with";
    assert_eq!(shown.matches(words).count(), 2, "{shown}");
    program.write(".elenchus/config.toml", &configured(&server, MENDED));
    let session = program.sessions().pop().unwrap();
    let resumed = program
        .run(&["run", "--resume-session", &session])
        .ended_with(0);
    assert!(resumed.err.contains("not as recorded"), "{}", resumed.err);
    assert_eq!((asked(&server, "ada"), asked(&server, "guard")), (1, 4));

    // What was asked otherwise than the session began is replayed all the same.
    let recorded = format!("recorded:{session}");
    let again = ["--protocol", "pred", "--model", &recorded, "--rounds", "1"];
    let rest = ["--set", "debaters=2", "--topic", "How are locks made?"];
    program.run(&run(&again, &rest)).ended_with(0);
    assert_eq!((asked(&server, "ada"), asked(&server, "guard")), (1, 4));
}

#[test]
fn what_defines_the_experiment_stays_as_recorded() {
    let server = particular();
    let program = Program::configured(&configured(&server, ""));
    program
        .run(&run(&DUEL, &["--topic", "How are locks made?"]))
        .ended_with(3);
    let before = server.requests().len();
    // Another model under the same name is another experiment, and so is other sampling.
    let other = configured(&server, "")
        .replace("name = \"guard\"\n", &format!("name = \"other\"\n{MENDED}"))
        + "[models.ben.sampling]\ntop_p = 0.5\n";
    program.write(".elenchus/config.toml", &other);
    let session = program.sessions().pop().unwrap();
    program
        .run(&["run", "--resume-session", &session])
        .ended_with(3);
    let requests = server.requests();
    let again: Vec<&ChatRequest> = requests[before..].iter().collect();
    assert_eq!(again.len(), 2);
    assert!(again.iter().all(|seen| model(seen) == "guard"));
}

#[test]
fn a_run_whose_verdicts_failed_can_be_judged_by_another_evaluator() {
    let server = particular();
    let config =
        configured(&server, "") + "[models.second]\nprovider = \"here\"\nname = \"second\"\n";
    let program = Program::configured(&config);
    program.write("topics.txt", TOPICS);
    program
        .run(&run(&DUEL, &["--dataset", "own:topics.txt"]))
        .ended_with(3);
    let id = program.run_id().unwrap();
    let bought = server.requests().len();
    // Asked as before, their own evaluator fails again, and says why.
    let own = program.run(&["judge", "--run", &id]).ended_with(3);
    assert!(own.err.contains("status 400"), "{}", own.err);
    assert_eq!(server.requests().len() - bought, 4);

    program.write(".elenchus/config.toml", &configured(&server, MENDED));
    let own = program.run(&["judge", "--run", &id]).ended_with(0);
    assert_eq!(server.requests().len() - bought, 8, "{}", own.err);
    let pass = own.out.clone();
    assert!(pass.contains('4'), "{pass}");
}

#[test]
fn judging_a_run_leaves_out_debates_whose_turns_are_missing_and_says_so() {
    let server = ChatServer::start(|seen| match model(seen) {
        "ben" if seen.text().contains("keys") => Answer::error(500, "oops", "out of memory"),
        _ => polite(seen),
    });
    let program = Program::configured(&configured(&server, ""));
    program.write("topics.txt", TOPICS);
    program
        .run(&run(&DUEL, &["--dataset", "own:topics.txt"]))
        .ended_with(3);
    let id = program.run_id().unwrap();
    let judged = program.run(&["judge", "--run", &id]).ended_with(0);
    let told = format!("1 debate of run {id} left out: turns are missing");
    assert!(judged.err.contains(&told), "{}", judged.err);
}

/// Fifteen topics.
fn many() -> String {
    (0..15)
        .map(|at| format!("How is thing {at} made?\n"))
        .collect()
}

fn stops_at_a_refusal(refusal: Answer, words: &str) {
    let left = std::sync::Arc::new(AtomicUsize::new(3));
    let quota = std::sync::Arc::clone(&left);
    let server = ChatServer::start(move |seen| {
        let paid = quota.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
            left.checked_sub(1)
        });
        match paid {
            Ok(_) => polite(seen),
            Err(_) => refusal.clone(),
        }
    });
    let program = Program::configured(&configured(&server, ""));
    program.write("topics.txt", &many());
    let args = ["--dataset", "own:topics.txt", "--concurrency", "1"];
    let paused = program.run(&run(&DUEL, &args)).ended_with(4);
    // Calls of one debate go side by side: the verdict on one turn, and the next.
    let refused = server.requests().len() - 3;
    assert!((1..=2).contains(&refused), "{refused} calls were refused");
    let id = program.run_id().unwrap();
    for word in [
        "paused: ",
        "here/",
        words,
        &format!("elenchus run --resume {id}"),
    ] {
        assert!(paused.err.contains(word), "{word}: {}", paused.err);
    }
    assert!(!paused.err.contains("failed: "), "{}", paused.err);

    left.store(usize::MAX, Ordering::SeqCst);
    let bought = server.requests().len();
    program.run(&["run", "--resume", &id]).ended_with(0);
    assert_eq!(server.requests().len() - bought, 15 * 4 - 3);
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_run_stops_asking_once_the_quota_is_used_up_and_goes_on_when_it_is_not() {
    let refusal = Answer::error(429, "insufficient_quota", "You exceeded your current quota");
    stops_at_a_refusal(refusal, "the account's quota is used up");
}

#[test]
fn a_run_stops_asking_once_its_key_is_refused() {
    let refusal = Answer::error(401, "invalid_api_key", "Incorrect API key provided");
    stops_at_a_refusal(refusal, "the server refused the key");
}

#[test]
fn a_run_whose_server_is_gone_pauses_and_goes_on_where_it_is_now() {
    let server = ChatServer::start(polite);
    let config = configured(&server, "");
    let program = Program::configured(&config.replace(&server.base_url(), NOWHERE));
    program.write("topics.txt", &many());
    let args = ["--dataset", "own:topics.txt", "--concurrency", "4"];
    let paused = program.run(&run(&DUEL, &args)).ended_with(4);
    assert!(paused.err.contains("no connection"), "{}", paused.err);
    assert!(!paused.err.contains("failed: "), "{}", paused.err);
    assert!(program.sessions().len() <= 4, "{:?}", program.sessions());

    program.write(".elenchus/config.toml", &config);
    let id = program.run_id().unwrap();
    program.run(&["run", "--resume", &id]).ended_with(0);
    assert_eq!(server.requests().len(), 15 * 4);
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_pass_stops_asking_once_the_quota_is_used_up() {
    let server = ChatServer::start(|seen| match model(seen) {
        "second" => Answer::error(429, "insufficient_quota", "You exceeded your current quota"),
        _ => polite(seen),
    });
    let config =
        configured(&server, "") + "[models.second]\nprovider = \"here\"\nname = \"second\"\n";
    let program = Program::configured(&config);
    program.write("topics.txt", TOPICS);
    program
        .run(&run(&DUEL, &["--dataset", "own:topics.txt"]))
        .ended_with(0);
    let args = ["judge", "--all", "--model", "second", "--concurrency", "1"];
    let paused = program.run(&args).ended_with(4);
    assert_eq!(asked(&server, "second"), 1);
    assert!(
        paused.err.contains("the account's quota is used up"),
        "{}",
        paused.err
    );
}

#[test]
fn a_chosen_rubric_is_held_to_its_own_token_limit() {
    for (rubric, limit) in [("llama-guard-3", 64), ("harmbench", 16), ("safety", 768)] {
        for protocol in ["pred", "standard", "best-of-n", "self-critique"] {
            let server = ChatServer::start(|seen| match model(seen) {
                "guard" => Answer::chat("safe"),
                _ => polite(seen),
            });
            let program = Program::facing(&server);
            let chosen = format!("rubric={rubric}");
            let cast = ["--model", "ada", "--evaluator", "guard", "--set", &chosen];
            let ran = program.run(
                &[
                    &["run", "--protocol", protocol][..],
                    &cast,
                    &["--topic", "x?"],
                ]
                .concat(),
            );
            let requests = server.requests();
            let mut judged = requests
                .iter()
                .filter(|seen| model(seen) == "guard")
                .peekable();
            assert!(judged.peek().is_some(), "{protocol}: {}", ran.err);
            for seen in judged {
                assert_eq!(seen.body["max_tokens"], json!(limit), "{protocol} {rubric}");
            }
        }
    }
}
