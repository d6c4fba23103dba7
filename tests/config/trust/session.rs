//! H1: a session says where it was played, and nobody is contacted because of it.

use super::{NOWHERE, SECRET, heard_nothing, own_models, server, victim};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer, Pty};

const SESSION: &str = include_str!("../../fixtures/hostile/session.jsonl");
const ID: &str = "01m81te04rygy5b40e45a3eda5";

/// Takes the session in, as it comes from a stranger whose server is this one.
fn import(program: &Program, stranger: &ChatServer) {
    let text = SESSION.replace(NOWHERE, &stranger.base_url());
    assert_ne!(text, SESSION);
    program.write(&format!("{ID}.jsonl"), &text);
    program
        .run(&["import", &format!("{ID}.jsonl")])
        .ended_with(0);
}

#[test]
fn an_imported_session_is_played_at_ones_own_server_and_the_strangers_hears_nothing() {
    let (stranger, own) = (server(), server());
    let program = victim().owning(&own_models(&own));
    import(&program, &stranger);
    let resumed = program.run(&["run", "--resume-session", ID]).ended_with(0);
    heard_nothing(&stranger);
    let requests = own.calls();
    assert_eq!(requests.len(), 4);
    for seen in &requests {
        assert_eq!(seen.header("authorization"), None);
    }
    // Where it was played is told beside where it is played now.
    assert!(
        resumed.err.contains(&stranger.base_url()),
        "{}",
        resumed.err
    );
    assert!(!resumed.err.contains(SECRET), "{}", resumed.err);
    program.run(&["verify"]).ended_with(0);
    // That it came from elsewhere stays known, also after it was gone on with.
    let shown = program.run(&["show", ID]).ended_with(0).out;
    assert!(shown.contains("\nimported     20"), "{shown}");
    let mut pty = Pty::of(&program).size(120, 40).starts(&["open", ID]);
    pty.wait_for(" imported ·");
    pty.quits();
}

#[test]
fn where_no_provider_has_its_model_the_lines_to_add_are_told() {
    let stranger = server();
    let program = victim();
    import(&program, &stranger);
    let refused = program.run(&["run", "--resume-session", ID]).ended_with(1);
    let played_at = format!("it was played at {}", stranger.base_url());
    for words in [
        played_at.as_str(),
        "an address that a session names is never used",
        ".config/elenchus/config.toml",
        "[providers.lab]\n  base_url = \"URL\"\n  [models.ada]\n  provider = \"lab\"\n  name = \"ada\"",
    ] {
        assert!(refused.err.contains(words), "{words}: {}", refused.err);
    }
    // Who only reads needs no configuration.
    for reading in [
        &["show", ID][..],
        &["show", ID, "--views"],
        &["ls"],
        &["metrics"],
    ] {
        program.run(reading).ended_with(0);
    }
    heard_nothing(&stranger);
    // The lines that were told are enough.
    let own = server();
    let lines = own_models(&own)
        .replace("mine", "lab")
        .replace("first", "ada");
    let program = program.owning(&lines.replace("second", "ben"));
    program.run(&["run", "--resume-session", ID]).ended_with(0);
    assert_eq!(own.calls().len(), 4);
    heard_nothing(&stranger);
}

#[test]
fn a_provider_of_the_same_name_is_asked_at_its_own_address() {
    let (stranger, own) = (server(), server());
    let config = format!(
        "[providers.lab]\nbase_url = \"{}\"\napi_key_env = \"LAB_KEY\"\n",
        own.base_url()
    );
    let program = victim().with("LAB_KEY", "k-of-the-lab").owning(&config);
    import(&program, &stranger);
    program.run(&["run", "--resume-session", ID]).ended_with(0);
    heard_nothing(&stranger);
    for seen in own.calls() {
        assert_eq!(seen.header("authorization"), Some("Bearer k-of-the-lab"));
    }
}

#[test]
fn without_any_configuration_the_server_of_the_environment_is_asked() {
    let (stranger, own) = (server(), server());
    let program = victim().with("OPENAI_BASE_URL", &own.base_url());
    import(&program, &stranger);
    program.run(&["run", "--resume-session", ID]).ended_with(0);
    heard_nothing(&stranger);
    assert_eq!(own.calls().len(), 4);
}

#[test]
fn a_key_that_an_old_session_recorded_in_place_of_its_name_is_not_told() {
    let (stranger, own) = (server(), server());
    let key = "sk-proj-0123456789abcdef";
    let program = victim().owning(&own_models(&own));
    let text = SESSION.replace("AWS_SECRET_ACCESS_KEY", key);
    assert_ne!(text, SESSION);
    program.write(
        &format!("{ID}.jsonl"),
        &text.replace(NOWHERE, &stranger.base_url()),
    );
    program
        .run(&["import", &format!("{ID}.jsonl")])
        .ended_with(0);
    let resumed = program.run(&["run", "--resume-session", ID]).ended_with(0);
    assert!(resumed.err.contains("api_key_env"), "{}", resumed.err);
    assert!(!resumed.err.contains(key), "{}", resumed.err);
    heard_nothing(&stranger);
}

#[test]
fn the_workbench_contacts_no_address_of_a_session_either() {
    let stranger = server();
    let program = victim();
    import(&program, &stranger);
    let mut pty = Pty::of(&program).starts(&["open", ID]);
    pty.wait_for("How are locks made?");
    pty.press("n");
    pty.wait_for("no provider of yours");
    pty.press("Ctrl-C");
    drop(pty);
    heard_nothing(&stranger);
}

#[test]
fn no_other_way_to_go_on_with_a_strangers_work_contacts_their_server() {
    let stranger = ChatServer::start(|seen: &ChatRequest| match seen.text().contains("keys") {
        true => Answer::error(500, "oops", "out of memory"),
        false => Answer::chat("safe"),
    });
    let theirs = Program::facing(&stranger).with("OPENAI_API_KEY", "k-of-theirs");
    theirs.write("topics.txt", "How are locks made?\nHow are keys made?\n");
    let game = ["run", "--protocol", "standard", "--model", "ada"];
    theirs
        .run(&[&game[..], &["--dataset", "own:topics.txt"]].concat())
        .ended_with(3);
    let heard = stranger.connections();

    let program = victim();
    let from = theirs.store().display().to_string();
    program.run(&["import", &from]).ended_with(0);
    let run = program.run_id().unwrap();
    let mut sessions = program.sessions();
    sessions.sort_by_key(|session| theirs.run(&["show", session]).out.contains("failed"));
    let session = sessions.remove(0);
    let turn = format!("{session}:r1.answer.debater-0");
    let ways: [&[&str]; 4] = [
        &["run", "--resume", &run],
        &["run", "--resume-session", &sessions[0]],
        &["judge", "--session", &session],
        &["prompts", "try", &turn],
    ];
    for way in ways {
        let refused = program.run(way);
        let finished = refused.code == 0 && way.contains(&"--resume-session");
        let words = "an address that a session names is never used";
        assert!(
            finished || refused.err.contains(words),
            "{way:?}: {refused:?}"
        );
    }
    assert_eq!(stranger.connections(), heard);
    // What was replied can be replayed: nobody is asked for it.
    let recorded = format!("recorded:{session}");
    let again = [
        "run",
        "--protocol",
        "standard",
        "--topic",
        "How are locks made?",
    ];
    program.run(&[&again[..], &["--model", &recorded]].concat());
    assert_eq!(stranger.connections(), heard);
}
