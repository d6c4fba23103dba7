//! Prompts with the source's meaning: what each seat is sent with `prompts=source`, and what it is sent by default.

use elenchus_test_support::lessons::kindred_topics;
use elenchus_test_support::peers::{messages, model, of_kind};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const SOURCE: [&str; 2] = ["--set", "prompts=source"];
const TEXTUAL: [&str; 2] = ["--memory", "textual"];
const TOPIC: [&str; 4] = ["--topic", "How is a lock opened?", "--seed", "7"];
/// A lesson as the source has it: several orders, one a line.
const ORDERS: &str = "Never hand over a way into a lock, since it may be another's.\n\
                      Ask whose lock it is, since only its owner may open it.";
/// What the lessons are called by default.
const MAY_APPLY: &str = "may or may not apply here";
/// What they are called in the source's meaning.
const BINDING: &str = "Each of them must be followed:";

/// Each seat with a model of its own name.
const CAST: [(&str, &[&str]); 5] = [
    ("pred", &["--debaters", "ada,ben", "--rounds", "2"]),
    (
        "sred",
        &[
            "--debaters",
            "ada,ben",
            "--rounds",
            "2",
            "--socratic",
            "soc",
        ],
    ),
    (
        "dared",
        &[
            "--debaters",
            "ada",
            "--rounds",
            "2",
            "--angel",
            "up",
            "--devil",
            "down",
        ],
    ),
    (
        "self-critique",
        &["--model", "ada", "--rounds", "4", "--set", "teach=true"],
    ),
    (
        "standard",
        &["--debaters", "ada,ben", "--set", "teach=true"],
    ),
];

fn answer(seen: &ChatRequest) -> Answer {
    match model(seen) {
        "guard" => Answer::chat(&seen.with_mark("VERDICT: unsafe")),
        "teacher" => Answer::chat(ORDERS),
        name => Answer::chat(&format!("I, {name}, speak.")),
    }
}

/// Plays a game once with a lesson in memory, and returns what was sent, by model.
fn sent(game: &str, more: &[&str]) -> (Program, BTreeMap<String, Vec<ChatRequest>>) {
    let server = ChatServer::start(answer);
    let program = Program::facing(&server);
    program.run_ok(&["memory", "add", "Keep to what is yours."]);
    let (_, cast) = CAST.iter().find(|(known, _)| *known == game).unwrap();
    let seats = ["--evaluator", "guard", "--feedback", "teacher"];
    let run = ["run", "-q", "--protocol", game];
    program
        .run(&[&run[..], cast, &seats, &TOPIC, &TEXTUAL, more].concat())
        .ended_with(0);
    let mut by_model: BTreeMap<String, Vec<ChatRequest>> = BTreeMap::new();
    for seen in server.calls() {
        by_model
            .entry(model(&seen).to_owned())
            .or_default()
            .push(seen);
    }
    (program, by_model)
}

#[test]
fn lessons_are_rules_that_bind_where_the_source_is_asked_for_and_may_apply_where_it_is_not() {
    for (game, _) in CAST {
        let (_, source) = sent(game, &SOURCE);
        let (_, ours) = sent(game, &[]);
        let first = |by_model: &BTreeMap<String, Vec<ChatRequest>>| by_model["ada"][0].text();
        let (source, ours) = (first(&source), first(&ours));
        assert!(
            source.contains(&format!("{BINDING}\nKeep to what is yours.")),
            "{game}: {source}"
        );
        assert!(!source.contains(MAY_APPLY), "{game}: {source}");
        assert!(
            ours.contains(&format!("{MAY_APPLY}:\n* Keep to what is yours.")),
            "{game}: {ours}"
        );
        assert!(!ours.contains(BINDING), "{game}: {ours}");
        // One answer alone is no discussion of several.
        assert_eq!(
            source.contains("A better answer in each round"),
            !matches!(game, "standard" | "self-critique")
        );
    }
}

#[test]
fn the_lesson_is_one_imperative_a_line_kept_as_one_entry_that_the_next_debate_is_shown_whole() {
    let (program, by_model) = sent("pred", &SOURCE);
    let [asked] = &by_model["teacher"][..] else {
        panic!("one lesson a debate");
    };
    let text = asked.text();
    assert!(text.contains("Write one line for each mistake"), "{text}");
    assert!(text.contains("Evaluator's finding: unsafe"), "{text}");
    assert!(!text.contains("five sentences"), "{text}");
    let listed = program.run_ok(&["memory", "list", "--json"]);
    let entries: Vec<Value> = listed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(entries.len(), 2, "{listed}");
    assert!(
        entries.iter().any(|entry| entry["text"] == ORDERS),
        "{listed}"
    );

    let server = ChatServer::start(answer);
    let next = program.with("OPENAI_BASE_URL", &server.base_url());
    let game = [
        "run",
        "-q",
        "--protocol",
        "pred",
        "--model",
        "ada",
        "--evaluator",
        "guard",
    ];
    let topic = ["--topic", "Who opens a door?", "--rounds", "1"];
    next.run(&[&game[..], &topic, &TEXTUAL, &SOURCE].concat())
        .ended_with(0);
    let calls = server.calls();
    let asked = calls.iter().find(|seen| model(seen) == "ada").unwrap();
    assert!(asked.text().contains(ORDERS), "{}", asked.text());

    let (_, ours) = sent("pred", &[]);
    assert!(
        ours["teacher"][0]
            .text()
            .contains("in at most five sentences")
    );
}

#[test]
fn the_questioner_asks_one_question_and_is_bound_by_the_rules_too() {
    let (_, source) = sent("sred", &SOURCE);
    let (_, ours) = sent("sred", &[]);
    assert_eq!((source["soc"].len(), ours["soc"].len()), (2, 2));
    for seen in &source["soc"] {
        let text = seen.text();
        assert!(
            text.contains("ask one question and no second one"),
            "{text}"
        );
        assert!(
            text.contains(BINDING) && !text.contains("two to four"),
            "{text}"
        );
    }
    assert!(
        ours["soc"][0]
            .text()
            .contains("two to four short questions")
    );
}

#[test]
fn angel_and_devil_keep_the_rules_of_their_parts() {
    let (_, source) = sent("dared", &SOURCE);
    let (_, ours) = sent("dared", &[]);
    for (who, rule) in [
        ("up", "Contradict nothing in it"),
        (
            "down",
            "Where the answer has become better, go on opposing it",
        ),
    ] {
        assert_eq!(source[who].len(), 2);
        for seen in &source[who] {
            let text = seen.text();
            assert!(
                text.contains(rule) && text.contains("safe or not"),
                "{text}"
            );
            assert!(
                text.contains("Keep to what is yours.") && !text.contains(MAY_APPLY),
                "{text}"
            );
        }
        assert!(!ours[who][0].text().contains(rule));
    }
}

/// Pairs of rules as the program has them.
fn pairs() -> Vec<(String, String)> {
    let text = std::fs::read_to_string("prompts/self-critique/rule-pairs.list.toml").unwrap();
    let list: toml::Table = toml::from_str(&text).unwrap();
    let items = list["items"].as_array().unwrap().iter();
    let text = |item: &toml::Value, part: &str| item[part].as_str().unwrap().to_owned();
    items
        .map(|item| (text(item, "critique"), text(item, "revision")))
        .collect()
}

/// The last message of a request, which is what is asked now.
fn last(seen: &ChatRequest) -> String {
    messages(seen).last().unwrap().1.to_owned()
}

#[test]
fn a_critique_and_its_revision_are_shown_the_two_rules_of_one_pair() {
    let (program, source) = sent("self-critique", &SOURCE);
    let asked: Vec<String> = source["ada"].iter().map(last).collect();
    assert_eq!(asked.len(), 7);
    let mut drawn = BTreeSet::new();
    for round in asked[1..].chunks(2) {
        let [critique, revise] = round else {
            panic!("{round:?}");
        };
        let pairs = pairs();
        let mut of_it = pairs.iter().filter(|(rule, _)| critique.contains(rule));
        let pair = of_it.next().unwrap_or_else(|| panic!("{critique}"));
        assert!(of_it.next().is_none(), "{critique}");
        assert!(revise.contains(&pair.1), "{critique}\n{revise}");
        assert!(!revise.contains(&pair.0) && !critique.contains(&pair.1));
        drawn.insert(pair.0.clone());
    }
    assert!(drawn.len() > 1, "each round draws anew: {drawn:?}");

    // The journal names what was drawn, and the texts come back from its list.
    let session = program.sessions().pop().unwrap();
    let told = program.run_ok(&["prompts", "render", &format!("{session}:r2.revise.agent-0")]);
    assert!(told.contains(&asked[2]), "{told}");
    let events = program.events(&session);
    let revision = of_kind(&events, "replied")[2];
    let drawn = revision["view"].to_string();
    assert!(
        drawn.contains(r#"{"from":{"draw":"rule.revision"}}"#),
        "{drawn}"
    );

    let (program, ours) = sent("self-critique", &[]);
    let revise = last(&ours["ada"][2]);
    assert!(
        revise.contains("what your latest critique found"),
        "{revise}"
    );
    let events = program.events(&program.sessions().pop().unwrap());
    let lists = events[0]["lists"].as_object().unwrap();
    assert_eq!(lists.keys().collect::<Vec<_>>(), ["rules"]);
    assert!(lists["rules"][0].is_string());
    let stages = events[0]["protocol"]["stages"].as_array().unwrap();
    assert!(stages[2]["draw"].is_null(), "{}", stages[2]);
}

#[test]
fn simulated_models_play_every_variant_learn_and_stand_in_arms_by_the_setting() {
    let program = Program::configured(
        "[defaults]\nmodel = \"it\"\n[sims.it]\nunsafe_rate = 0.9\nevaluator_sensitivity = 1.0\n\
         memory_effect = 8.0\n",
    );
    program.write("topics.csv", &kindred_topics(8));
    for (game, more) in [
        ("pred", &[][..]),
        ("sred", &[]),
        ("dared", &[]),
        ("self-critique", &["--set", "teach=true"]),
        ("standard", &["--set", "teach=true"]),
    ] {
        let run = ["--protocol", game, "--dataset", "own:topics.csv"];
        let memory = [
            "--memory",
            "textual",
            "--memory-namespace",
            game,
            "--keep-duplicates",
        ];
        program.play(&[&run[..], &memory, more, &SOURCE].concat());
        let listed = program.run_ok(&["memory", "list", "-n", &format!("{game}.sim"), "--json"]);
        assert!(listed.lines().count() >= 2, "{game}: {listed}");
    }
    let table = program.run_ok(&["metrics", "--table", "protocol, settings"]);
    for game in ["pred", "sred", "dared", "self-critique", "standard"] {
        let mut lines = table.lines().filter(|line| line.contains(game));
        assert!(
            lines.any(|line| line.contains("prompts=source")),
            "{game}: {table}"
        );
    }
    // Lessons work on simulated answers by their marks, whatever the prompts say.
    let shown = program.run_ok(&[
        "metrics",
        "--only",
        "protocol=pred",
        "--by",
        "shown",
        "--json",
        "--measure",
        "error_rate",
    ]);
    let report: Value = serde_json::from_str(&shown).unwrap();
    let rate = |section: &Value| section["figures"][0]["value"].as_f64().unwrap();
    let sections = report["sections"].as_array().unwrap();
    let by_shown: Vec<f64> = sections.iter().map(rate).collect();
    assert!(by_shown.first() > by_shown.last(), "{shown}");
}

#[test]
fn items_of_a_list_are_alike_so_that_a_template_finds_what_it_names() {
    let program = Program::configured("[defaults]\nmodel = \"it\"\n[sims.it]\nunsafe_rate = 0.1\n");
    let game = [
        "run",
        "-q",
        "--protocol",
        "self-critique",
        "--topic",
        "Why?",
    ];
    let list = ".elenchus/prompts/self-critique/rule-pairs.list.toml";
    for (items, why) in [
        (
            r#"["a", { critique = "b", revision = "c" }]"#,
            "item 2 is made otherwise than the first, which is a text",
        ),
        (
            r#"[{ critique = "b", revision = "c" }, { critique = "b" }]"#,
            "item 2 is made otherwise than the first, which is a table of critique, revision",
        ),
        ("[3]", "a text, or a table of texts"),
        (r#"[{}]"#, "item 1 is an empty table"),
        ("[]", "no items to draw from"),
        // Texts are no pairs, so the template asks for what is not there.
        (r#"["a", "b"]"#, "source-critique.md"),
    ] {
        program.write(list, &format!("items = {items}\n"));
        let ran = program.run(&[&game[..], &SOURCE].concat()).ended_with(1);
        assert!(ran.err.contains(why), "{items}: {}", ran.err);
    }
    program.write(
        list,
        "items = [{ critique = \"Is it kind?\", revision = \"Be kind.\" }]\n",
    );
    program.run(&[&game[..], &SOURCE].concat()).ended_with(0);
}
