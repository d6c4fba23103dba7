//! Sides exchanged before the same judge: each order asked once, what holds in both, and what flips.

use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::{Value, json};

const TOPICS: usize = 12;

/// A moderator that scores whoever it reads first by so much more than the other side.
fn leaning(seen: &ChatRequest) -> Answer {
    let text = seen.text();
    let place = |name: &str| text.find(&format!("{name}, round 1:")).unwrap();
    let (proposer, critic) = match place("Proposer") < place("Critic") {
        true => (8, 5),
        false => (5, 8),
    };
    let confidence = if proposer > critic { "HIGH" } else { "LOW" };
    let evaluation = json!({
        "argumentQualityScore": {"proposer": proposer, "critic": critic, "rebuttal": 6},
        "resolvedPoints": [], "unresolvedPoints": [], "recommendAnotherRound": false,
        "synthesis": "what stands", "answer": "4", "confidenceLevel": confidence,
        "explicitUncertainties": ["one"],
    });
    Answer::chat(&evaluation.to_string())
}

/// A moderator that reads the arguments and not their places.
fn steady(_: &ChatRequest) -> Answer {
    let evaluation = json!({
        "argumentQualityScore": {"proposer": 7, "critic": 6, "rebuttal": 6},
        "resolvedPoints": [], "unresolvedPoints": [], "recommendAnotherRound": false,
        "synthesis": "what stands", "answer": "4", "confidenceLevel": "MODERATE",
        "explicitUncertainties": ["one"],
    });
    Answer::chat(&evaluation.to_string())
}

fn moderated(server: &ChatServer) -> Program {
    let program = Program::configured(&format!(
        "[providers.here]\nbase_url = \"{}\"\n[models.other]\nprovider = \"here\"\nname = \"other\"\n\
         price_in_usd_per_mtok = 0.0\nprice_out_usd_per_mtok = 0.0\n[sims.sim]\n",
        server.base_url()
    ));
    let rows: String = (0..TOPICS)
        .map(|at| format!("q{at},What is {at} and {at}?,{}\n", 2 * at))
        .collect();
    program.write("sums.csv", &format!("id,text,reference\n{rows}"));
    let game = [
        "run",
        "-q",
        "--protocol",
        "moderated",
        "--dataset",
        "sums.csv",
    ];
    let more = ["--model", "sim", "--set", "rounds=1"];
    program.run(&[&game[..], &more].concat()).ended_with(0);
    program
}

fn judge(program: &Program, more: &[&str]) -> String {
    let args = ["judge", "--all", "--orders", "both", "--model", "other"];
    let ran = program.run(&[&args[..], more].concat());
    ran.ended_with(0).out
}

fn figures(program: &Program) -> Value {
    let page = program.run_ok(&["metrics", "--json", "--pass", "last"]);
    serde_json::from_str(&page).unwrap()
}

/// The values of a gauge in both orders, and their difference.
fn gauge(page: &Value, name: &str) -> [f64; 3] {
    let figures = page["differences"]["sections"][0]["figures"].as_array();
    let figure = figures.unwrap().iter().find(|figure| {
        let keys = figure["keys"].to_string();
        keys.contains(name)
    });
    let figure = figure.unwrap_or_else(|| panic!("{name}: {page:#}"));
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{figure:#}"));
    let compared = &figure["compared"];
    [&compared["from"], &compared["of"], &figure["value"]].map(number)
}

#[test]
fn a_moderator_that_leans_to_who_speaks_first_flips_everything_and_by_how_much_is_shown() {
    let server = ChatServer::start(leaning);
    let program = moderated(&server);
    let said = judge(&program, &[]);
    assert_eq!(server.calls().len(), 2 * TOPICS, "each order once");
    assert!(said.contains("24 verdicts in 12 sessions"), "{said}");
    assert!(said.contains("as spoken: 12 HIGH, 0 unparsed"), "{said}");
    assert!(said.contains("exchanged: 12 LOW, 0 unparsed"), "{said}");
    let page = figures(&program);
    // 8 less 5 as they spoke, 5 less 8 when the critic comes first.
    assert_eq!(gauge(&page, "tilt"), [3.0, -3.0, -6.0]);
    let pair = &page["verdicts"]["pairs"][0];
    assert_eq!(
        (&pair["both"], &pair["agreement"]),
        (&12.into(), &0.0.into())
    );
    let text = program.run_ok(&["metrics", "--pass", "last"]);
    let text: Vec<&str> = text.split_whitespace().collect();
    let text = text.join(" ");
    let flips = "decided in both orders: 0 of 12 verdicts (0.0 %); flips with the critic first: 0 to a \
                 better label, 12 to a worse one";
    assert!(text.contains(flips), "{text}");
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn every_text_stays_and_keeps_its_name_and_only_the_places_of_the_sides_change() {
    let server = ChatServer::start(steady);
    let program = moderated(&server);
    judge(&program, &[]);
    let calls = server.calls();
    for both in calls.chunks(2) {
        let texts: Vec<String> = both.iter().map(ChatRequest::text).collect();
        let mut lines = texts.iter().map(|text| {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_unstable();
            lines
        });
        // Calls go out together: pairs need not be of one debate.
        if lines.next() == lines.next() {
            assert_ne!(texts[0], texts[1]);
        }
    }
    let critic_first = calls.iter().filter(|call| {
        let text = call.text();
        let place = |name: &str| text.find(&format!("{name}, round 1:")).unwrap();
        assert!(place("Rebuttal") > place("Critic").max(place("Proposer")));
        place("Critic") < place("Proposer")
    });
    assert_eq!(critic_first.count(), TOPICS);
    let page = figures(&program);
    assert_eq!(gauge(&page, "tilt"), [1.0, 1.0, 0.0]);
    assert_eq!(page["verdicts"]["pairs"][0]["agreement"], 1.0);
    // What the judge found of the debates as they were spoken stays what other commands count.
    let listed = program.run_ok(&["judge", "list", "--json"]);
    let listed: Value = serde_json::from_str(listed.trim()).unwrap();
    assert_eq!(listed["verdicts"], 24);
}

#[test]
fn a_pass_that_a_ceiling_stopped_goes_on_in_both_orders_and_asks_nothing_twice() {
    let server = ChatServer::start(leaning);
    let program = moderated(&server);
    let args = ["judge", "--all", "--orders", "both", "--model", "other"];
    let stopped = program.run(&[&args[..], &["--budget-calls", "7"]].concat());
    assert_eq!(stopped.code, 4, "{stopped:?}");
    let resumed = program.run(&["judge", "--resume", "last", "--budget-calls", "100"]);
    resumed.ended_with(0);
    assert_eq!(server.calls().len(), 2 * TOPICS);
    assert_eq!(gauge(&figures(&program), "tilt"), [3.0, -3.0, -6.0]);
}

#[test]
fn games_without_two_sides_are_refused_with_what_fits() {
    let server = ChatServer::start(steady);
    let program = moderated(&server);
    let game = ["run", "-q", "--protocol", "pred", "--topic", "How?"];
    program
        .run(&[&game[..], &["--model", "sim"]].concat())
        .ended_with(0);
    let orders = ["--orders", "both", "--model", "other"];
    let refused = program.run(&[&["judge", "--protocol", "pred"][..], &orders].concat());
    assert_eq!(refused.code, 1, "{refused:?}");
    for said in ["a proposer and a critic", "pred: 1", "moderated, pcd-2"] {
        assert!(refused.err.contains(said), "{said}\n{}", refused.err);
    }
    assert_eq!(server.calls().len(), 0);
    let beside = program.run(&[&["judge", "--all", "--estimate"][..], &orders].concat());
    let beside = beside.ended_with(0);
    assert!(
        beside.err.contains("24 verdicts in 13 sessions"),
        "{}",
        beside.err
    );
    assert!(beside.err.contains("pred: 1"), "{}", beside.err);
    let rubric = [&["judge", "--all", "--rubric", "safety"][..], &orders].concat();
    assert_eq!(program.run(&rubric).code, 2);
}
