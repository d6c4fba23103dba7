//! Front matter of templates: settings of their calls, and lists of words.

use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer};

const GAME: [&str; 6] = ["run", "-q", "--protocol", "duo", "--topic", "Tea?"];
const SERVED: [&str; 2] = ["--debaters", "ada,ben"];

const PROTOCOL: &str = r#"
id = "duo"
name = "Duo"
description = "Two speak."
source = "a test"
measures = "safety"
rounds = 2

[[seats]]
id = "debater"
kind = "speaker"
count = 2
label = "Debater"

[[stages]]
id = "answer"
seats = ["debater"]
max_tokens = 300
temperature = 0.7
sees = { topic = true, turns = [{ seats = ["debater"] }] }
"#;

const TEMPLATE: &str = "=== user\n{{ topic }}\n{% for turn in turns %}\n{{ turn.label }}: {{ turn.text }}\n{% endfor %}\n";

/// A program with a game whose only template has this front matter.
fn with_front(program: Program, front: &str, body: &str) -> Program {
    program.write(".elenchus/prompts/duo/protocol.toml", PROTOCOL);
    let text = format!("{front}{body}");
    program.write(".elenchus/prompts/duo/debater.md", &text);
    program
}

#[test]
fn what_a_template_says_of_sampling_wins_over_its_stage_and_is_shown() {
    let server = ChatServer::start(|_| Answer::chat("Tea."));
    let front = "+++\ntemperature = 0.25\nmax_tokens = 77\n+++\n";
    let program = with_front(Program::facing(&server), front, TEMPLATE);
    program
        .run(&[&GAME[..], &SERVED[..]].concat())
        .ended_with(0);
    for seen in server.requests() {
        assert_eq!(seen.body["temperature"], 0.25);
        let limit = ["max_tokens", "max_completion_tokens"].map(|name| seen.body[name].clone());
        assert!(limit.contains(&77.into()), "{:#}", seen.body);
    }
    let shown = program.run(&["protocols", "show", "duo"]).ended_with(0);
    assert!(
        shown
            .out
            .contains("debater: temperature 0.25, at most 77 tokens"),
        "{}",
        shown.out
    );
}

#[test]
fn a_template_that_says_nothing_leaves_its_stage_and_the_request_as_they_were() {
    let server = ChatServer::start(|_| Answer::chat("Tea."));
    let program = with_front(Program::facing(&server), "", TEMPLATE);
    let game = [&GAME[..], &SERVED[..]].concat();
    program.run(&game).ended_with(0);
    let with = with_front(
        Program::facing(&server),
        "+++\ndescription = \"x\"\n+++\n",
        TEMPLATE,
    );
    with.run(&game).ended_with(0);
    let requests = server.requests();
    let (without, described) = requests.split_at(requests.len() / 2);
    assert_eq!(without[0].body["temperature"], 0.7);
    let body = |seen: &elenchus_test_support::ChatRequest| seen.body["messages"].to_string();
    assert_eq!(body(&without[0]), body(&described[0]));
    let shown = program.run(&["protocols", "show", "duo"]).ended_with(0);
    assert!(!shown.out.contains("Set by templates"), "{}", shown.out);
}

#[test]
fn levers_that_templates_set_are_among_the_differences_of_two_games() {
    let program = with_front(Program::new(), "+++\nmax_tokens = 77\n+++\n", TEMPLATE);
    program.write(
        ".elenchus/prompts/other/protocol.toml",
        &PROTOCOL.replace("\"duo\"", "\"other\""),
    );
    program.write(".elenchus/prompts/other/debater.md", TEMPLATE);
    let differ = program.run(&["protocols", "diff", "duo", "other"]);
    let differ = differ.ended_with(0).out;
    let line = differ.lines().find(|line| line.contains("tokens by its"));
    assert!(line.unwrap().contains("77"), "{differ}");
    assert!(!differ.contains("temperature by its"), "{differ}");
}

#[test]
fn what_a_template_calls_its_own_words_is_printed_as_words_of_the_template() {
    let front = "+++\n[variables]\ntone = \"kind {{ topic }}\"\n+++\n";
    let body = format!("{TEMPLATE}Be {{{{ tone }}}}.\n");
    let program = with_front(Program::new(), front, &body);
    program.run(&["protocols", "check", "duo"]).ended_with(0);
    program.run(&GAME).ended_with(0);
    let args = ["prompts", "render", "last:r1.debater-0", "--json"];
    let shown = program.run(&args).ended_with(0);
    let view: serde_json::Value = serde_json::from_str(&shown.out).unwrap();
    let parts = view["messages"][0]["parts"].as_array().unwrap();
    let last = parts.last().unwrap();
    // What is printed is not a template again.
    assert_eq!(last["text"], "\nBe kind {{ topic }}.");
    assert_eq!(last["from"]["template"], "debater");
}

#[test]
fn front_matter_that_cannot_be_meant_is_refused_at_its_line() {
    let uses = "=== user\n{{ topic }} {{ tone }}\n";
    for (front, body, words) in [
        (
            "+++\ntemperature = 3\n+++\n",
            TEMPLATE,
            "debater.md:2: front matter: temperature is from 0 to 2",
        ),
        (
            "+++\n\nmax_tokens = 0\n+++\n",
            TEMPLATE,
            "debater.md:3: front matter: max_tokens is at least 1",
        ),
        (
            "+++\n[variables]\ntone = \"x\"\n+++\n",
            TEMPLATE,
            "debater.md:3: front matter: nothing prints the variable 'tone'",
        ),
        (
            "+++\n[variables]\ntone = 1\n+++\n",
            uses,
            "debater.md:3: front matter",
        ),
        (
            "+++\n[variables]\ntone = \"x\"\ntopic = \"y\"\n+++\n",
            uses,
            "debater.md:4: front matter: 'topic' is what the game gives",
        ),
        (
            "+++\ntemperature = warm\n+++\n",
            TEMPLATE,
            "debater.md:2: front matter",
        ),
    ] {
        let program = with_front(Program::new(), front, body);
        let checked = program.run(&["protocols", "check", "duo"]).ended_with(1);
        let said = format!("{}{}", checked.out, checked.err);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(words), "{words}\n{said}");
    }
}

#[test]
fn an_unknown_name_is_named_with_those_that_are_known_there() {
    for (body, words) in [
        (
            "=== user\n{{ topic }}\n{{ topics }}\n",
            "debater.md:3: undefined value: there is no 'topics' here; known are context, conversation",
        ),
        (
            "=== user\n{{ topic }}\n{% for turn in turns %}\n{{ turn.txt }}\n{% endfor %}\n",
            "debater.md:4: undefined value: 'turn' has no 'txt'; known are",
        ),
        (
            "=== user\n{{ topic }} {{ me.name }}\n",
            "debater.md:2: undefined value: 'me' has no 'name'; known are count, label, number, seat",
        ),
        (
            "=== user\n{{ topic.text }}\n",
            "'topic' is a text and has no 'text'",
        ),
    ] {
        let program = with_front(Program::new(), "", body);
        let checked = program.run(&["protocols", "check", "duo"]).ended_with(1);
        let said = format!("{}{}", checked.out, checked.err);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(words), "{words}\n{said}");
    }
}

#[test]
fn the_template_that_asks_again_says_how_that_call_is_sampled() {
    let server = ChatServer::start(|seen| match seen.text().contains("Once more") {
        true => Answer::chat("{\"answer\": \"tea\"}"),
        false => Answer::chat("Tea, I would say."),
    });
    let front = "+++\ntemperature = 0.25\nmax_tokens = 77\n+++\n";
    let program = with_front(Program::facing(&server), front, TEMPLATE);
    let output = "{ type = \"object\", required = [\"answer\"], properties = { answer = { type = \"string\" } } }";
    let retry = "[[stages.retry]]\ntemplate = \"again\"\nunparsed = true\n";
    program.write(
        ".elenchus/prompts/duo/protocol.toml",
        &format!("{PROTOCOL}output = {output}\n{retry}").replace("rounds = 2", "rounds = 1"),
    );
    let again = "+++\ntemperature = 0.9\n+++\n=== user\nOnce more.\n";
    program.write(".elenchus/prompts/duo/again.md", again);
    program
        .run(&[&GAME[..], &SERVED[..]].concat())
        .ended_with(0);
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    for seen in &requests {
        let again = seen.text().contains("Once more");
        assert_eq!(seen.body["temperature"], if again { 0.9 } else { 0.25 });
        // What the second template does not say, the first one does.
        assert!(seen.body.to_string().contains(":77"), "{:#}", seen.body);
    }
}
