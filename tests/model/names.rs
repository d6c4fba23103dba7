//! Names of models: listed by a server, misspelt, completed, confirmed.

use elenchus_test_support::peers::{DUEL, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer, Pty};

const TOPICS: &str = "How are locks made?\nHow are keys made?\nHow are bells made?\n";
const TOPIC: [&str; 2] = ["--topic", "How are locks made?"];

/// A server with three models.
fn three() -> ChatServer {
    ChatServer::listing(|seen: &ChatRequest| match seen.path.as_str() {
        "/v1/models" => ChatServer::models(&["llama-3", "mistral", "llama-guard-3"]),
        _ => Answer::chat(&seen.with_mark("I would rather not.\nVERDICT: safe")),
    })
}

fn lists(server: &ChatServer) -> usize {
    let requests = server.requests();
    requests
        .iter()
        .filter(|seen| seen.path == "/v1/models")
        .count()
}

#[test]
fn nothing_is_simulated_in_silence_where_a_server_is_set() {
    let server = three();
    let program = Program::facing(&server);
    program.write("topics.txt", TOPICS);
    let dataset = [
        "run",
        "--protocol",
        "pred",
        "--dataset",
        "own:topics.txt",
        "--rounds",
        "1",
    ];
    let refused = program.run(&dataset).ended_with(1);
    for words in [
        "seat 'debater' has no model",
        &server.base_url(),
        "--model sim",
        "models there are: llama-3, mistral, llama-guard-3",
    ] {
        assert!(refused.err.contains(words), "{words}: {}", refused.err);
    }
    assert!(server.calls().is_empty());
    assert_eq!(program.run(&["ls"]).ended_with(0).out, "");
    // Whoever says that they mean a simulation gets one.
    let simulated = [&dataset[..], &["--model", "sim"]].concat();
    program.run(&simulated).ended_with(0);
    assert!(server.calls().is_empty());
    // A model that is configured as the default is named.
    let program = program.owning("[defaults]\nmodel = \"mistral\"\n");
    program.run(&dataset).ended_with(0);
    let calls = server.calls();
    assert!(!calls.is_empty());
    assert!(calls.iter().all(|seen| seen.body["model"] == "mistral"));
}

#[test]
fn a_name_that_the_server_does_not_list_is_refused_before_anything_is_sent() {
    let server = three();
    let program = Program::facing(&server);
    program.write("topics.txt", TOPICS);
    let typo = [
        "run",
        "--dataset",
        "own:topics.txt",
        "--debaters",
        "llama-3",
        "--model",
        "mistrall",
    ];
    let refused = program.run(&typo).ended_with(1);
    for words in [
        "does not list 'mistrall'; it lists llama-3, mistral, llama-guard-3",
        "Did you mean 'mistral'?",
        "nothing was sent",
        "--unlisted",
    ] {
        assert!(refused.err.contains(words), "{words}: {}", refused.err);
    }
    assert!(server.calls().is_empty());
    assert_eq!(program.run(&["ls"]).ended_with(0).out, "");
    let meant = [&typo[..], &["--unlisted", "--rounds", "1", "--limit", "1"]].concat();
    let sent = program.run(&meant).ended_with(0);
    assert!(
        sent.err.contains("does not list 'mistrall'"),
        "{}",
        sent.err
    );
    assert!(
        server
            .calls()
            .iter()
            .any(|seen| seen.body["model"] == "mistrall")
    );
}

#[test]
fn in_a_terminal_a_name_is_asked_about_and_a_no_sends_nothing() {
    let server = three();
    let program = Program::facing(&server);
    let typo = run(&DUEL[..2], &TOPIC);
    let typo = [&typo[..], &["--model", "lama-3", "--rounds", "1"]].concat();
    for (answer, code) in [("\r", 1), ("y\r", 0)] {
        let mut pty = Pty::of(&program).starts(&typo);
        pty.wait_for("Did you mean 'llama-3'?");
        pty.wait_for("Send to it all the same? [y/N]");
        assert!(server.calls().is_empty());
        pty.send(answer.as_bytes());
        assert_eq!(pty.wait_for_exit().code, code);
    }
    assert!(!server.calls().is_empty());
}

#[test]
fn a_list_is_asked_for_once_and_kept_and_a_server_without_one_is_used_as_it_is() {
    let server = three();
    let program = Program::facing(&server);
    let play = run(&DUEL[..2], &TOPIC);
    let play = [&play[..], &["--model", "llama-3", "--rounds", "1"]].concat();
    program.run(&play).ended_with(0);
    program.run(&play).ended_with(0);
    assert_eq!(lists(&server), 1, "it is kept from one command to the next");
    // A name that is not on a kept list may be a new one: the server is asked again.
    let refused = [&play[..play.len() - 4], &["--model", "new"]].concat();
    program.run(&refused).ended_with(1);
    assert_eq!(lists(&server), 2);
    let unlisting = ChatServer::start(|seen| Answer::chat(&seen.with_mark("No.\nVERDICT: safe")));
    let program = Program::facing(&unlisting);
    program.run(&play).ended_with(0);
    assert!(!unlisting.calls().is_empty());
}

#[test]
fn a_name_in_the_configuration_is_warned_about_and_asked() {
    let server = three();
    let program = Program::new().owning(&format!(
        "[providers.here]\nbase_url = \"{}\"\n[models.alias]\nprovider = \"here\"\nname = \"served-under\"\n",
        server.base_url()
    ));
    let play = run(&DUEL[..2], &TOPIC);
    let play = [&play[..], &["--model", "alias", "--rounds", "1"]].concat();
    let ran = program.run(&play).ended_with(0);
    assert!(
        ran.err.contains("does not list 'served-under'"),
        "{}",
        ran.err
    );
    assert!(!server.calls().is_empty());
}

#[test]
fn a_judge_that_is_not_listed_is_refused_as_well() {
    let server = three();
    let program = Program::facing(&server);
    let play = run(&DUEL[..2], &TOPIC);
    let play = [&play[..], &["--model", "sim", "--rounds", "1"]].concat();
    program.run(&play).ended_with(0);
    let judge = ["judge", "--all", "--rubric", "safety", "--model", "jugde"];
    let refused = program.run(&judge).ended_with(1);
    assert!(
        refused.err.contains("'jugde' is not listed"),
        "{}",
        refused.err
    );
    assert!(server.calls().is_empty());
}

#[test]
fn the_shell_completes_models_from_the_server_seats_and_games() {
    let server = three();
    let program = Program::facing(&server).with("ELENCHUS_COMPLETE", "fish");
    let complete = |words: &[&str]| {
        let words = [&["--", "elenchus"], words].concat();
        let ran = program.run(&words).ended_with(0);
        let names = ran.out.lines().filter_map(|line| line.split('\t').next());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        complete(&["run", "--model", "l"]),
        ["llama-3", "llama-guard-3"]
    );
    assert_eq!(
        complete(&["run", "--debaters", "mistral,s"]),
        ["mistral,sim"]
    );
    assert_eq!(
        complete(&["run", "--seat", "critic=llama-g"]),
        ["critic=llama-guard-3"]
    );
    assert_eq!(complete(&["judge", "--model", "mis"]), ["mistral"]);
    assert_eq!(complete(&["run", "--protocol", "sr"]), ["sred"]);
    assert_eq!(complete(&["prot"]), ["protocols"]);
    assert_eq!(lists(&server), 1);
    assert!(server.calls().is_empty());
}

#[test]
fn the_workbench_says_who_answers_and_its_form_offers_their_models() {
    let server = three();
    let program = Program::facing(&server);
    let mut pty = Pty::of(&program).size(100, 34).starts(&[]);
    pty.wait_for("answers: llama-3, mistral, llama-guard-3; a new debate asks who plays");
    pty.press("n");
    pty.wait_for("every seat         no model is chosen yet");
    pty.wait_for("choose a model (Enter lists them), or sim");
    pty.press("Down Down Down Enter");
    pty.wait_for("Model for all seats");
    pty.wait_for("listed by openai");
    pty.press("m i s t r Enter");
    pty.wait_for("every seat         mistral - listed by openai");
    pty.press("Enter");
    // A name that nobody lists can be typed, and is asked about before anything begins.
    pty.press("q w e r t y Enter");
    pty.wait_for("every seat         qwerty");
    pty.wait_for("does not list 'qwerty'");
    pty.press("Home");
    pty.paste("How are locks made?");
    pty.press("Ctrl-D");
    pty.wait_for("Begin all the same?");
    pty.press("n");
    pty.wait_for("every seat         qwerty");
    assert!(server.calls().is_empty());
    pty.press("End Enter");
    pty.wait_for("Begin all the same?");
    pty.press("y");
    pty.wait_for("round 1 · answer · next");
    assert!(server.calls().is_empty(), "nothing is sent before a turn");
    assert_eq!(lists(&server), 1);
}

#[test]
fn who_answers_gives_way_to_the_keys_of_the_list_in_eighty_columns() {
    let server = three();
    let program = Program::facing(&server);
    // With a session of one's own the line stands at the bottom, where the keys are.
    let debate = ["run", "-q", "--protocol", "standard", "--topic", "Why?"];
    program.run_ok(&[&debate[..], &["--model", "sim"]].concat());
    let mut pty = Pty::of(&program).size(80, 24).starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.wait_for("answers: llama-3, mistral, llama-guard-3");
    pty.wait_for_no("? help");
    pty.press("Down");
    pty.wait_for_no("answers: llama-3");
    pty.wait_for("? help");
}

#[test]
fn the_only_model_that_can_speak_plays_where_nobody_is_chosen() {
    let server = ChatServer::listing(|seen: &ChatRequest| match seen.path.as_str() {
        "/v1/models" => ChatServer::models(&["bge-embed", "mistral", "llama-guard-3"]),
        _ => Answer::chat("No."),
    });
    let program = Program::facing(&server);
    let mut pty = Pty::of(&program).size(100, 34).starts(&[]);
    pty.wait_for("a new debate is played by");
    pty.press("n");
    pty.wait_for("every seat         mistral (the only one listed)");
    drop(pty);
    assert!(server.calls().is_empty());
}

#[test]
fn what_a_server_lists_is_never_a_command_of_the_shell() {
    let server = ChatServer::listing(|_| {
        ChatServer::models(&[
            "zz`touch pwned`",
            "zz;touch pwned",
            "zz$(touch pwned)",
            "zz-plain:8b",
        ])
    });
    let program = Program::facing(&server);
    let script = program.run(&["completions", "bash"]).ended_with(0).out;
    assert!(script.contains("COMP_WORDBREAKS=${COMP_WORDBREAKS//:}"));
    let program = program.with("ELENCHUS_COMPLETE", "fish");
    let words = ["--", "elenchus", "run", "--model", "zz"];
    let ran = program.run(&words).ended_with(0);
    assert_eq!(ran.out, "zz-plain:8b\tmodel\n");
}

#[test]
fn a_run_says_that_it_is_simulated_first_and_last() {
    let program = Program::new();
    program.write("topics.txt", TOPICS);
    let ran = program
        .run(&["run", "--dataset", "own:topics.txt", "--rounds", "1"])
        .ended_with(0);
    let said = "simulated: debater, evaluator, feedback;";
    assert_eq!(ran.err.matches(said).count(), 2, "{}", ran.err);
}

#[test]
fn what_was_played_here_does_not_go_to_the_usual_address_because_a_variable_is_gone() {
    let server = three();
    let program = Program::facing(&server);
    program.write("topics.txt", TOPICS);
    let play = [
        "run",
        "--dataset",
        "own:topics.txt",
        "--model",
        "mistral",
        "--rounds",
        "1",
        "--budget-calls",
        "2",
    ];
    program.run(&play).ended_with(4);
    let run = program.run_id().unwrap();
    let program = program
        .with("OPENAI_BASE_URL", "")
        .with("OPENAI_API_KEY", "sk-elsewhere");
    let refused = program
        .run(&["run", "--resume", &run, "--budget-calls", "4"])
        .ended_with(1);
    for words in ["was played at", "nothing was sent", "OPENAI_BASE_URL"] {
        assert!(refused.err.contains(words), "{words}: {}", refused.err);
    }
}
