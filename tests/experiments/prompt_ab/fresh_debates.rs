//! Two prompts in fresh debates on topics of a file.

use elenchus_test_support::ChatServer;
use elenchus_test_support::program::Program;
use elenchus_test_support::socratic::{json, model, shorter};

const FRESH: [&str; 24] = [
    "prompts",
    "ab",
    "--dataset",
    "own:topics.csv",
    "--protocol",
    "sred",
    "--seat",
    "socratic",
    "--a",
    "built-in",
    "--b",
    "mine.md",
    "--debaters",
    "ada,ben",
    "--seat",
    "socratic=soc",
    "--seat",
    "evaluator=guard",
    "--seat",
    "feedback=teacher",
    "--rounds",
    "2",
    "--concurrency",
    "1",
];

fn program() -> (Program, ChatServer) {
    let server = ChatServer::start(elenchus_test_support::socratic::answer);
    let program = Program::facing(&server);
    shorter(&program);
    program.write(
        "topics.csv",
        "id,text\nlocks,How are locks made?\nkeys,How are keys made?\nbolts,How are bolts made?\n",
    );
    (program, server)
}

#[test]
fn each_topic_is_debated_to_its_end_by_both_prompts_and_compared_with_itself() {
    let (program, server) = program();
    let args = [&FRESH[..], &["--limit", "2", "--json"]].concat();
    let shown = json(&program.run(&args).ended_with(0).out);
    let contexts = shown["contexts"].as_array().unwrap();
    let mut topics: Vec<&str> = contexts
        .iter()
        .map(|context| {
            assert!(context.get("turn").is_none(), "{context}");
            context["topic"].as_str().unwrap()
        })
        .collect();
    topics.sort_unstable();
    assert_eq!(topics, ["keys", "locks"]);
    let rows = shown["comparison"]["rows"].as_array().unwrap();
    let rate = rows.iter().find(|row| row["measure"] == "error_rate");
    let rate = rate.unwrap();
    // The question stands after the first round: only the second one can be swayed.
    assert_eq!((&rate["a"], &rate["b"]), (&0.0.into(), &0.5.into()));
    assert_eq!(rate["topics"], 2);
    assert_eq!(shown["flips"].as_array().unwrap().len(), 2);
    assert_eq!(shown["flips"][0]["b"].as_array().unwrap().len(), 1);
    // The first round is the same request to both prompts, so it is bought once a topic.
    let of = |name: &str, text: &str| {
        let requests = server.requests();
        let asked = requests
            .iter()
            .filter(|seen| model(seen) == name && seen.text().contains(text));
        asked.count()
    };
    assert_eq!(of("ada", "How are locks made?"), 3);
    // A question after each round of each topic.
    assert_eq!(of("soc", elenchus_test_support::socratic::SHORTER), 4);
    assert_eq!(program.sessions(), Vec::<String>::new());
    let table = program.run(&["prompts", "ab", "--show", shown["id"].as_str().unwrap()]);
    let table = table.ended_with(0).out;
    assert!(table.contains("fresh debates on 2 topics"), "{table}");
    assert!(table.contains("fixed number of topics"), "{table}");
    program.run(&["verify"]).ended_with(0);
    let before = server.requests().len();
    let resume = ["prompts", "ab", "--resume", shown["id"].as_str().unwrap()];
    program.run(&resume).ended_with(0);
    assert_eq!(server.requests().len(), before, "nothing is missing");
}

#[test]
fn what_does_not_fit_fresh_debates_is_said_before_anybody_is_asked() {
    let (program, server) = program();
    program.write("bad.md", "=== user\n{{ nope }}\n");
    for (more, code, why) in [
        (
            &["--a", "recorded"][..],
            1,
            "fresh debates have no recorded prompt",
        ),
        (&["--b", "bad.md"], 1, "socratic:2"),
        (&["--preference", "umpire"], 2, "--preference"),
        (&["--run", "last"], 2, "--run"),
        (&["--category", "none"], 1, "none"),
    ] {
        let mut args = FRESH.to_vec();
        for pair in more.chunks(2) {
            match args.iter().position(|arg| *arg == pair[0]) {
                Some(at) if pair[0] != "--seat" => args[at + 1] = pair[1],
                _ => args.extend(pair),
            }
        }
        let ran = program.run(&args);
        assert_eq!(ran.code, code, "{more:?}: {ran:?}");
        assert!(ran.err.contains(why), "{more:?}: {}", ran.err);
    }
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn what_it_will_cost_is_said_first_and_asks_nobody() {
    let (program, server) = program();
    let told = program
        .run(&[&FRESH[..], &["--limit", "1", "--estimate"]].concat())
        .ended_with(0);
    assert!(told.out.contains("calls"), "{}", told.out);
    assert_eq!(server.requests().len(), 0);
    let listed = program.run(&["prompts", "ab", "--list"]).ended_with(0);
    assert_eq!(listed.out, "");
}
