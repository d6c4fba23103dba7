//! Servers that share a model's calls, that break off in the middle of a run and that move to another
//! address.

use super::*;

#[test]
fn a_run_goes_on_at_the_new_address_of_its_server_and_buys_nothing_twice() {
    let paid = 3;
    let old = tiring(paid);
    let mine = provider("old", &old.base_url()) + &models_at("provider = \"old\"");
    let program = Program::new().owning(&mine);
    program.write("topics.txt", &topics(3));
    let going = program.start(&duels("1"));
    old.wait_until("a call after the last", |log| posts(log) > paid);
    drop(old);
    let paused = going.finish().ended_with(4);
    assert!(paused.err.contains("no connection"), "{}", paused.err);

    let paid = kept(&program);
    assert!((1..12).contains(&paid), "{paid}");
    let new = listing(polite);
    let added = program
        .run(&["servers", "add", &new.base_url()])
        .ended_with(0);
    assert!(
        added.out.contains("model ada, which old and local-"),
        "{}",
        added.out
    );
    program
        .run(&["run", "--resume", &program.run_id().unwrap()])
        .ended_with(0);
    assert_eq!(calls(&new), 3 * 4 - paid);
    program.run(&["verify"]).ended_with(0);

    // The other way round: recorded at a server that is not configured any more.
    program.run(&["servers", "remove", "old"]).ended_with(0);
    let id = program.run_id().unwrap();
    let judged = program
        .run(&["judge", "--run", &id, "--model", "guard"])
        .ended_with(0);
    assert_eq!(calls(&new), 3 * 4 - paid + 6, "{}", judged.err);
}

#[test]
fn two_servers_of_a_model_share_its_calls() {
    let (first, second) = (listing(polite), listing(polite));
    let program = Program::new().owning(&both(&first.base_url(), &second.base_url()));
    program.write("topics.txt", &topics(6));
    program.run(&duels("3")).ended_with(0);
    assert_eq!(calls(&first) + calls(&second), 6 * 4);
    let fewer = calls(&first).min(calls(&second));
    assert!(fewer >= 6, "{fewer} of 24 calls");
    // What is recorded is what one server would have recorded.
    for session in program.sessions() {
        let events = program
            .events(&session)
            .iter()
            .map(Value::to_string)
            .collect::<String>();
        assert!(events.contains("\"provider\":\"first\"") && !events.contains("\"providers\""));
    }
}

#[test]
fn a_run_finishes_when_one_of_two_servers_is_killed_and_tries_it_again_later() {
    let paid = 3;
    let (first, second) = (tiring(paid), listing(polite));
    let program = Program::new().owning(&both(&first.base_url(), &second.base_url()));
    program.write("topics.txt", &topics(8));
    let going = program.start(&duels("2"));
    first.wait_until("a call after the last", |log| posts(log) > paid);
    drop(first);
    going.finish().ended_with(0);
    // A reply that was under way is asked for again.
    let rest = 8 * 4 - paid;
    let asked = calls(&second);
    assert!((rest..=rest + paid).contains(&asked), "{asked}");
    assert_eq!(kept(&program), 8 * 4);
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_server_that_is_gone_from_the_beginning_costs_no_retry() {
    let server = listing(polite);
    let config = both(NOWHERE, &server.base_url()).replace("retries = 1", "retries = 0");
    let program = Program::new().owning(&config);
    program.write("topics.txt", &topics(4));
    program.run(&duels("2")).ended_with(0);
    assert_eq!(calls(&server), 4 * 4);
}

#[test]
fn a_server_that_comes_back_is_asked_again() {
    let first = listing(polite);
    let address = first.address();
    let is_back = Arc::new((Mutex::new(false), Condvar::new()));
    let waiting = Arc::clone(&is_back);
    let second = listing(move |seen| {
        let (flag, changed) = &*waiting;
        let flag = flag.lock().unwrap();
        let waited = changed.wait_timeout_while(flag, PATIENCE, |is_back| !*is_back);
        assert!(!waited.unwrap().1.timed_out());
        // The run goes on for longer than a server is set aside.
        polite(seen).after(Step::Wait(Duration::from_millis(60)))
    });
    let config = both(&first.base_url(), &second.base_url());
    drop(first);
    let program = Program::new().owning(&config);
    program.write("topics.txt", &topics(12));
    let going = program.start(&duels("1"));
    // By then the first has refused a connection.
    second.wait_until("a call", |log| posts(log) > 0);
    let first = ChatServer::start_at(address, polite);
    *is_back.0.lock().unwrap() = true;
    is_back.1.notify_all();
    going.finish().ended_with(0);
    assert!(calls(&first) > 0);
    assert_eq!(calls(&first) + calls(&second), 12 * 4);
}

#[test]
fn a_call_that_fails_at_one_server_is_made_again_at_another() {
    let broken = listing(|_| Answer::error(500, "oops", "out of memory"));
    let server = listing(polite);
    let program = Program::new().owning(&both(&broken.base_url(), &server.base_url()));
    program.write("topics.txt", &topics(4));
    program.run(&duels("1")).ended_with(0);
    assert_eq!(calls(&server), 4 * 4);
    // With a place free at both, either is asked first.
    assert!(calls(&broken) > 0);
}

#[test]
fn a_run_pauses_when_all_servers_of_a_model_are_gone_and_goes_on_at_another() {
    let paid = 2;
    let (first, second) = (tiring(paid), tiring(paid));
    let program = Program::new().owning(&both(&first.base_url(), &second.base_url()));
    program.write("topics.txt", &topics(6));
    let going = program.start(&duels("4"));
    for server in [&first, &second] {
        server.wait_until("a call after the last", |log| posts(log) > paid);
    }
    drop((first, second));
    let paused = going.finish().ended_with(4);
    for words in ["paused: ", "no connection", "nor at "] {
        assert!(paused.err.contains(words), "{words}: {}", paused.err);
    }
    let paid = kept(&program);
    assert!((1..24).contains(&paid), "{paid}");
    let third = listing(polite);
    let config = provider("third", &third.base_url()) + &models_at("provider = \"third\"");
    let program = program.owning(&config);
    program
        .run(&["run", "--resume", &program.run_id().unwrap()])
        .ended_with(0);
    assert_eq!(calls(&third), 6 * 4 - paid);
    assert!(
        third
            .calls()
            .iter()
            .all(|seen| NAMES.contains(&model(seen)))
    );
}

#[test]
fn a_list_of_providers_that_cannot_be_meant_is_refused() {
    for (providers, why) in [
        ("provider = \"first\"\nproviders = [\"second\"]", "not both"),
        ("providers = [\"first\", \"first\"]", "different ones"),
        ("providers = []", "must name one of [providers]"),
    ] {
        let program = Program::new().owning(&models_at(providers));
        let refused = program.run(&["doctor"]).ended_with(1);
        assert!(refused.err.contains(why), "{providers}: {}", refused.err);
    }
    let one = provider("first", NOWHERE) + &models_at("providers = [\"first\", \"second\"]");
    let refused = Program::new()
        .owning(&one)
        .run(&run(&DUEL, &["--topic", "Why?"]))
        .ended_with(1);
    assert!(refused.err.contains("second"), "{}", refused.err);
}
