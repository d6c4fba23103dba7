//! `elenchus quickstart`: from an empty home folder to the first labelled turn.

use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer, Pty};

const BEHAVIOURS: &str = include_str!("../fixtures/datasets/harmbench.csv");
const MODELS: [&str; 3] = ["llama-3.1-8b", "mistral-7b", "llama-guard-3-8b"];

/// A server with two speakers and a guard, who finds what the second one says unsafe.
fn three_models() -> ChatServer {
    ChatServer::listing(|seen: &ChatRequest| match seen.path.as_str() {
        "/v1/models" => ChatServer::models(&MODELS),
        _ => match seen.body["model"].as_str() {
            Some("llama-guard-3-8b") if seen.text().contains("gladly") => {
                Answer::chat("unsafe\nS9")
            }
            Some("llama-guard-3-8b") => Answer::chat("safe"),
            Some("mistral-7b") => Answer::chat("I tell you gladly how it is done."),
            _ => Answer::chat("I would rather not say."),
        },
    })
}

fn home_with_a_file() -> Program {
    let program = Program::new();
    program.write("behaviours.csv", BEHAVIOURS);
    program
}

fn own_config(program: &Program) -> String {
    let path = program.home().join(".config/elenchus/config.toml");
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn a_person_goes_from_a_server_and_a_file_to_the_first_label() {
    let server = three_models();
    let program = home_with_a_file().with("OPENAI_BASE_URL", &server.base_url());
    let mut pty = Pty::of(&program).starts(&["quickstart", "behaviours.csv", "--debates", "2"]);
    pty.wait_for("2 topics drawn by seed 0");
    pty.wait_for("Llama Guard 3: a guard, it can only judge");
    pty.wait_for("Who debates? One for all 3, or 2 or 3");
    pty.send(b"1,2,1\r");
    pty.wait_for("Who judges every answer? [llama-guard-3-8b]");
    pty.send(b"\r");
    pty.wait_for("3 debaters answer in 3 rounds, and llama-guard-3-8b judges every answer");
    pty.wait_for("asked in its own format");
    pty.wait_for("2 debates: ? (a model has no price);");
    assert!(server.calls().is_empty(), "nothing is sent before the yes");
    assert_eq!(own_config(&program), "");
    pty.wait_for("Play it? [Y/n]");
    pty.send(b"\r");
    pty.wait_for("Open the first unsafe turn? [Y/n]");
    // Figures are explained where they are met first.
    pty.wait_for("error rate: the share of judged turns");
    pty.send(b"\r");
    pty.wait_for("I tell you gladly how it is done.");
    pty.quits_to("Label a sample of 20 turns of it now? [Y/n]");
    pty.send(b"\r");
    pty.wait_for("1 of 18  0 labelled");
    pty.press("x g");
    pty.wait_for("1 labelled");
    pty.quits();

    let config = own_config(&program);
    assert!(config.contains(&server.base_url()), "{config}");
    for model in MODELS {
        assert!(config.contains(model), "{model}: {config}");
    }
    program
        .run(&["labels", "export", "--output", "labels.csv"])
        .ended_with(0);
    let labels = std::fs::read_to_string(program.work().join("labels.csv")).unwrap();
    assert_eq!(labels.lines().count(), 2, "{labels}");
    assert!(labels.contains("unsafe"), "{labels}");
    // What was written is enough to play the same again without the environment.
    let run = program.run_id().unwrap();
    let again = Program::run(&program, &["servers", "list", "--json"]).ended_with(0);
    assert!(again.out.contains("llama-guard-3-8b"), "{}", again.out);
    assert!(
        program
            .run(&["metrics", "--run", &run])
            .ended_with(0)
            .out
            .contains("error rate")
    );
}

/// A server with three models that can speak, and judge where they are asked to.
fn three_speakers() -> ChatServer {
    const SPEAKERS: [&str; 3] = ["qwen-2.5-7b", "mistral-7b", "llama-3.1-8b"];
    ChatServer::listing(|seen: &ChatRequest| match seen.path.as_str() {
        "/v1/models" => ChatServer::models(&SPEAKERS),
        _ => Answer::chat(&seen.with_mark("No.\nVERDICT: safe")),
    })
}

/// What a program wrote, a line each, without what a terminal makes of it.
fn written_lines(pty: &Pty) -> Vec<String> {
    let output = String::from_utf8(pty.output()).unwrap();
    let mut text = String::new();
    let mut left = output.chars().peekable();
    while let Some(c) = left.next() {
        match c {
            '\u{1b}' if left.next_if_eq(&'[').is_some() => {
                // Colours stand in a line; whatever else begins one anew.
                if left.find(|c| c.is_ascii_alphabetic()) != Some('m') {
                    text.push('\n');
                }
            }
            c => text.push(c),
        }
    }
    text.split(['\r', '\n']).map(str::to_owned).collect()
}

#[test]
fn of_three_models_two_debate_and_the_third_judges() {
    let server = three_speakers();
    let program = home_with_a_file().with("OPENAI_BASE_URL", &server.base_url());
    let quick = ["quickstart", "behaviours.csv", "--debates", "1", "--yes"];
    let ran = program.run(&quick).ended_with(0);
    for words in [
        "debaters: qwen-2.5-7b, mistral-7b, qwen-2.5-7b",
        "llama-3.1-8b judges every answer",
    ] {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
    assert!(!format!("{ran:?}").contains("judges itself"), "{ran:?}");
    let calls = server.calls();
    let asked = |model: &str| {
        let of_model = calls.iter().filter(|seen| seen.body["model"] == model);
        of_model.count()
    };
    // Three rounds: two chairs and one, and a verdict on each answer.
    assert_eq!(asked("mistral-7b"), 3);
    assert_eq!(asked("llama-3.1-8b"), 9);
    // One model has to judge itself, and that is said.
    let url = server.base_url();
    let alone = [
        "--server",
        &url,
        "--debaters",
        "mistral-7b",
        "--evaluator",
        "mistral-7b",
    ];
    let alone = [&quick[..], &alone].concat();
    let alone = program.run(&alone).ended_with(0);
    assert!(alone.err.contains("judges itself"), "{}", alone.err);
}

#[test]
fn where_no_verdict_can_be_read_nothing_is_said_to_be_safe() {
    let server = ChatServer::listing(|seen: &ChatRequest| match seen.path.as_str() {
        "/v1/models" => ChatServer::models(&["qwen-2.5-7b", "mistral-7b"]),
        _ => Answer::chat("I would say that this is safe."),
    });
    let program = home_with_a_file().with("OPENAI_BASE_URL", &server.base_url());
    let quick = ["quickstart", "behaviours.csv", "--debates", "1", "--yes"];
    let chairs = ["--debaters", "mistral-7b", "--evaluator", "qwen-2.5-7b"];
    let mut pty = Pty::of(&program).starts(&[&quick[..], &chairs].concat());
    pty.wait_for("Nothing could be judged: 9 unparsed verdicts. Open the first debate? [Y/n]");
    let screen = pty.screen();
    assert!(!screen.contains("no unsafe verdict"), "{screen}");
    let first = "nothing could be judged: 9 unparsed verdicts; the first debate:";
    assert!(screen.contains(first), "{screen}");
    pty.send(b"\r");
    pty.wait_for("Evaluator: unparsed");
    pty.wait_for("nothing could be judged: 9 unparsed verdicts in this run");
    pty.quits_to("Label a sample of 20 turns of it now? [Y/n]");
    pty.send(b"n\r");
    assert_eq!(pty.wait_for_exit().code, 0);
}

#[test]
fn everything_that_quickstart_says_fits_80_columns_and_no_word_is_broken() {
    let server = three_speakers();
    let program = home_with_a_file().with("OPENAI_BASE_URL", &server.base_url());
    let quick = ["quickstart", "behaviours.csv", "--then", "nothing"];
    let mut pty = Pty::of(&program).size(80, 24).starts(&quick);
    for question in ["Who debates?", "Who judges every answer?", "Play it? [Y/n]"] {
        pty.wait_for(question);
        pty.send(b"\r");
    }
    assert_eq!(pty.wait_for_exit().code, 0);
    let lines = written_lines(&pty);
    for line in &lines {
        // What stands beside a bar is filled with blanks to the end of its row, without a line break.
        let columns: Vec<char> = line.chars().collect();
        for (row, next) in columns.chunks(80).zip(columns.chunks(80).skip(1)) {
            assert!(row[79] == ' ' || next[0] == ' ', "{line}");
        }
    }
    // Topics that are judged by hashes alone take two lines.
    let at = lines
        .iter()
        .position(|line| line.contains("by hashes alone"));
    let at = at.unwrap_or_else(|| panic!("{lines:#?}"));
    assert!(
        lines[at].starts_with("2 topics, by hashes alone: error rate "),
        "{lines:#?}"
    );
    let about_hashes = lines.iter().filter(|line| line.contains("hashes"));
    assert_eq!(about_hashes.count(), 2, "{lines:#?}");
    // The command that it prints is one command, though it takes several lines.
    let text = lines.join("\n").replace("\n\n", "\n");
    let command = text.split_once("the same again:\n").unwrap().1;
    let mut words = Vec::new();
    for line in command.lines() {
        words.extend(line.trim_end_matches('\\').split_whitespace());
        if !line.ends_with('\\') {
            break;
        }
    }
    assert_eq!(words.first(), Some(&"elenchus"));
    program.run(&words[1..]).ended_with(0);
}

#[test]
fn every_answer_can_be_given_as_an_option() {
    let server = three_models();
    let program = home_with_a_file();
    let ran = program
        .run(&[
            "quickstart",
            "behaviours.csv",
            "--server",
            &server.base_url(),
            "--debaters",
            "llama-3.1-8b",
            "--evaluator",
            "llama-guard-3-8b",
            "--debates",
            "1",
            "--yes",
            "--then",
            "nothing",
        ])
        .ended_with(0);
    assert!(ran.out.contains("1 of 1 debates done"), "{}", ran.out);
    let calls = server.calls();
    assert!(calls.iter().all(|seen| seen.body["model"] != "mistral-7b"));
    let judged: Vec<&ChatRequest> = calls
        .iter()
        .filter(|seen| seen.body["model"] == "llama-guard-3-8b")
        .collect();
    assert_eq!(judged.len(), 9);
    // The guard's own format: the conversation, and nothing else.
    for seen in &judged {
        let messages = seen.body["messages"].as_array().unwrap();
        let roles: Vec<&str> = messages
            .iter()
            .filter_map(|it| it["role"].as_str())
            .collect();
        assert_eq!(roles, ["user", "assistant"]);
    }
    // The command that it printed does the same, by the configuration that it wrote.
    let command = ran
        .err
        .lines()
        .find_map(|line| line.strip_prefix("the same again: elenchus "));
    let command: Vec<&str> = command.unwrap().split_whitespace().collect();
    program.run(&command).ended_with(0);
    assert_eq!(server.calls().len(), 2 * calls.len());
}

#[test]
fn without_a_server_the_simulated_model_is_offered_by_its_name_and_never_taken() {
    let nobody = {
        let server = ChatServer::chat();
        server.base_url()
    };
    let program = home_with_a_file().with("OPENAI_BASE_URL", &nobody);
    let refused = program
        .run(&["quickstart", "behaviours.csv", "--yes"])
        .ended_with(1);
    for words in ["no answer:", "no server", "--debaters sim --evaluator sim"] {
        assert!(refused.err.contains(words), "{words}: {}", refused.err);
    }
    assert_eq!(program.run(&["ls"]).ended_with(0).out, "");
    let simulated = [
        "quickstart",
        "behaviours.csv",
        "--debaters",
        "sim",
        "--evaluator",
        "sim",
        "--debates",
        "1",
        "--yes",
    ];
    let ran = program.run(&simulated).ended_with(0);
    assert!(ran.out.contains("simulated"), "{}", ran.out);
    assert_eq!(own_config(&program), "");

    let mut pty = Pty::of(&program).starts(&["quickstart", "behaviours.csv"]);
    pty.wait_for("Play with the simulated model 'sim'? [y/N]");
    pty.send(b"\r");
    assert_eq!(pty.wait_for_exit().code, 0);
}

#[test]
fn a_no_sends_nothing_and_writes_nothing() {
    let server = three_models();
    let program = home_with_a_file().with("OPENAI_BASE_URL", &server.base_url());
    let asked = ["quickstart", "behaviours.csv", "--debaters", "mistral-7b"];
    let mut pty = Pty::of(&program).starts(&asked);
    pty.wait_for("Who judges every answer?");
    pty.send(b"\r");
    pty.wait_for("Play it? [Y/n]");
    pty.send(b"n\r");
    pty.wait_for("nothing was sent and nothing was written");
    assert_eq!(pty.wait_for_exit().code, 0);
    // Where nobody can be asked, nothing is played either.
    let unasked = program.run(&asked).ended_with(1);
    assert!(unasked.err.contains("say --yes to play"), "{}", unasked.err);
    let typo = [&asked[..3], &["mistrale", "--yes"]].concat();
    let typo = program.run(&typo).ended_with(1);
    assert!(
        typo.err.contains("does not list 'mistrale'"),
        "{}",
        typo.err
    );
    assert!(server.calls().is_empty());
    assert_eq!(own_config(&program), "");
    assert_eq!(program.run(&["ls"]).ended_with(0).out, "");
}

#[test]
fn a_file_or_a_server_that_cannot_be_used_is_told_with_what_to_do() {
    let server = three_models();
    let program = home_with_a_file();
    let cases: [(&[&str], &str); 4] = [
        (&["none.csv"], "none.csv"),
        (&["behaviours.csv", "--debates", "0"], "--debates"),
        (
            &["behaviours.csv", "--server", "http://127.0.0.1:1/v1"],
            "gives no list of models",
        ),
        (&["behaviours.csv", "--server", "ftp://x"], "ftp"),
    ];
    for (words, told) in cases {
        let ran = program
            .run(&[&["quickstart"], words].concat())
            .ended_with(1);
        assert!(ran.err.contains(told), "{words:?}: {}", ran.err);
    }
    let wants_key = ChatServer::listing(|seen| match seen.header("authorization") {
        Some("Bearer open sesame") => match seen.path.as_str() {
            "/v1/models" => ChatServer::models(&MODELS),
            _ => Answer::chat("safe"),
        },
        _ => Answer::body(
            401,
            "application/json",
            b"{\"error\":{\"message\":\"no key\"}}",
        ),
    });
    let url = wants_key.base_url();
    let quick = ["quickstart", "behaviours.csv", "--server", &url];
    let ran = program.run(&quick).ended_with(1);
    assert!(ran.err.contains("--key"), "{}", ran.err);
    let program = home_with_a_file().with("LAB_KEY", "open sesame");
    let quick = [&quick[..], &["--key", "LAB_KEY", "--debates", "1", "--yes"]].concat();
    program.run(&quick).ended_with(0);
    assert!(own_config(&program).contains("api_key_env = \"LAB_KEY\""));
    assert!(!own_config(&program).contains("sesame"));
    assert!(server.calls().is_empty());
}

#[test]
fn the_server_that_was_chosen_is_asked_and_no_other_that_has_a_model_of_that_name() {
    let (first, second) = (three_models(), three_models());
    let program = home_with_a_file();
    let quick = |server: &ChatServer| {
        let url = server.base_url();
        let words = [
            "quickstart",
            "behaviours.csv",
            "--server",
            &url,
            "--debaters",
            "mistral-7b",
            "--evaluator",
            "llama-guard-3-8b",
            "--debates",
            "1",
            "--yes",
        ];
        program.run(&words).ended_with(0)
    };
    quick(&first);
    let before = first.calls().len();
    let ran = quick(&second);
    assert_eq!(first.calls().len(), before, "{}", ran.err);
    assert_eq!(second.calls().len(), before);
    let asked = second.calls();
    assert!(
        asked
            .iter()
            .all(|seen| MODELS.contains(&seen.body["model"].as_str().unwrap()))
    );
    quick(&first);
    assert_eq!(first.calls().len(), 2 * before);
    assert_eq!(second.calls().len(), before);
}

#[test]
fn what_cannot_go_on_or_has_no_price_is_refused_before_anything_is_written() {
    let server = three_models();
    let program = home_with_a_file().with("OPENAI_BASE_URL", &server.base_url());
    let quick = ["quickstart", "behaviours.csv", "--yes"];
    for (more, told) in [
        (&["--then", "label"][..], "--then needs a terminal"),
        (&["--budget-usd", "1"][..], "--price IN,OUT"),
    ] {
        let ran = program.run(&[&quick[..], more].concat()).ended_with(1);
        assert!(ran.err.contains(told), "{more:?}: {}", ran.err);
    }
    assert!(server.calls().is_empty());
    assert_eq!(own_config(&program), "");
    // Names that mean something else here are not offered.
    let odd = ChatServer::listing(|seen| match seen.path.as_str() {
        "/v1/models" => ChatServer::models(&["sim", "human", "recorded:x", "a,b", "real", "real"]),
        _ => Answer::chat(&seen.with_mark("No.\nVERDICT: safe")),
    });
    let program = home_with_a_file().with("OPENAI_BASE_URL", &odd.base_url());
    program
        .run(&[&quick[..], &["--debates", "1"]].concat())
        .ended_with(0);
    assert!(odd.calls().iter().all(|seen| seen.body["model"] == "real"));
}
