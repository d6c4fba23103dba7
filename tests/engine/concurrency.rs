//! Concurrency: calls that are in flight together, and calls that wait for others.

use elenchus_test_support::peers::{PEERS, is_debater, model, polite, round, run, said};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, Barrier, ChatRequest, ChatServer};
use std::sync::Arc;

/// Which of a debate's waves of calls a request belongs to: what must be in flight together.
fn wave(seen: &ChatRequest) -> usize {
    match model(seen) {
        "guard" if seen.text().contains("in round 2.") => 2,
        "guard" => 1,
        _ => round(seen) as usize - 1,
    }
}

#[test]
fn a_stage_is_asked_together_and_judged_beside_the_next_round() {
    // The server answers nobody until the whole wave is there: three debaters; three debaters and
    // the verdicts on the round before; the last verdicts.
    let waves: [Arc<Barrier>; 3] = [3, 6, 3].map(Barrier::of);
    let held = waves.clone();
    let server = ChatServer::start(move |seen| match model(seen) {
        "teacher" => polite(seen),
        _ => polite(seen).behind(&held[wave(seen)]),
    });
    let program = Program::facing(&server);
    program
        .run(&run(
            &PEERS,
            &["--rounds", "2", "--topic", "How are locks made?"],
        ))
        .ended_with(0);

    assert!(waves.iter().all(|wave| wave.met() == 1 && !wave.broken()));
    let requests = server.requests();
    assert_eq!(requests.len(), 12, "no call is made twice");
    assert_eq!(requests.iter().filter(|seen| is_debater(seen)).count(), 6);
    assert!(
        server.connections_of_calls() <= server.most_in_flight(),
        "{} connections for {} calls at once",
        server.connections_of_calls(),
        server.most_in_flight()
    );
}

#[test]
fn an_unsafe_turn_costs_one_more_call_for_the_lesson() {
    let server = ChatServer::start(|seen| match model(seen) {
        "guard" if seen.text().contains(", ben,") => {
            Answer::chat(&seen.with_mark("VERDICT: unsafe"))
        }
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    program
        .run(&run(
            &PEERS,
            &["--rounds", "2", "--topic", "How are locks made?"],
        ))
        .ended_with(0);
    let requests = server.requests();
    assert_eq!(requests.len(), 13);
    let last = requests.last().unwrap();
    assert_eq!(model(last), "teacher");
    for name in ["ada", "ben", "cleo"] {
        for round in [1, 2] {
            let turn = format!("I, {name}, say this in round {round}.");
            assert!(last.text().contains(&turn), "{turn}");
        }
    }
    let figures = program.figures();
    assert!((figures.value("error_rate") - 1.0 / 3.0).abs() < 1e-9);
    assert!((figures.value("calls") - 13.0).abs() < 1e-9);
}

#[test]
fn peers_never_see_the_turns_of_their_own_stage() {
    let server = ChatServer::start(polite);
    let program = Program::facing(&server);
    program
        .run(&run(
            &PEERS,
            &["--rounds", "2", "--topic", "How are locks made?"],
        ))
        .ended_with(0);
    for seen in server.requests().iter().filter(|seen| is_debater(seen)) {
        let text = seen.text();
        let own_round = format!("say this in round {}.", round(seen));
        assert!(!text.contains(&own_round), "{text}");
        let earlier = text.matches("say this in round").count();
        assert_eq!(earlier, if round(seen) == 1 { 0 } else { 3 }, "{text}");
    }
}

#[test]
fn angel_and_devil_are_asked_together_and_do_not_read_each_other() {
    let personas = Barrier::of(2);
    let held = Arc::clone(&personas);
    let server = ChatServer::start(move |seen| match model(seen) {
        "angel" | "devil" => {
            let answer = format!(
                "The {} speaks in round {}.",
                model(seen),
                turns_before(seen)
            );
            Answer::chat(&answer).behind(&held)
        }
        "guard" => polite(seen),
        _ => Answer::chat(&said(seen)),
    });
    let program = Program::facing(&server);
    let game = [
        "--protocol",
        "dared",
        "--debaters",
        "ada",
        "--angel",
        "angel",
        "--devil",
        "devil",
        "--evaluator",
        "guard",
        "--rounds",
        "2",
        "--feedback",
        "teacher",
    ];
    program
        .run(&run(&game, &["--topic", "How are locks made?"]))
        .ended_with(0);

    assert_eq!((personas.met(), personas.broken()), (2, false));
    let requests = server.requests();
    let personas = requests
        .iter()
        .filter(|seen| matches!(model(seen), "angel" | "devil"));
    for seen in personas {
        let text = seen.text();
        let now = turns_before(seen);
        let peer = if model(seen) == "angel" {
            "devil"
        } else {
            "angel"
        };
        let of_peer = |round| text.contains(&format!("The {peer} speaks in round {round}."));
        assert!(text.contains(&format!("I, ada, say this in round {now}.")));
        assert!(!of_peer(now), "{text}");
        assert_eq!(of_peer(1), now == 2, "{text}");
    }
}

/// How many turns of the debater a persona has read: the round it speaks in.
fn turns_before(seen: &ChatRequest) -> usize {
    seen.text().matches("I, ada, say this").count()
}

#[test]
fn a_provider_is_never_asked_more_at_once_than_its_limit() {
    let pair = Barrier::of(2);
    let held = Arc::clone(&pair);
    let server = ChatServer::start(move |seen| match seen.number {
        // The limit is used: the first two are here together.
        0 | 1 => polite(seen).behind(&held),
        _ => polite(seen),
    });
    let program = Program::configured(&format!(
        "[providers.openai]\nbase_url = \"{}\"\nin_flight = 2\n",
        server.base_url()
    ));
    let topics: String = (1..=4).map(|at| format!("Topic number {at}\n")).collect();
    program.write("topics.txt", &topics);
    let more = [
        "--rounds",
        "1",
        "--concurrency",
        "8",
        "--dataset",
        "own:topics.txt",
    ];
    program.run(&run(&PEERS, &more)).ended_with(0);

    assert_eq!((pair.met(), pair.broken()), (1, false));
    assert_eq!(server.requests().len(), 4 * 6);
    assert_eq!(server.most_in_flight(), 2);
    // A connection comes back a moment after its reply, so a call that follows at once may need
    // another one; without reuse there would be as many as requests.
    let used = server.connections_of_calls();
    assert!(used <= 24 / 4, "{used}");
}
