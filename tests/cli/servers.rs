//! `elenchus servers`: added, listed and removed servers.

mod failover;

use elenchus_test_support::answer::Step;
use elenchus_test_support::peers::{DUEL, model, of_kind, polite, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::server::{Log, NOWHERE, PATIENCE};
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Everybody who sits in a duel.
const NAMES: [&str; 4] = ["ada", "ben", "guard", "teacher"];
/// What a person has in their own configuration before.
const MINE: &str = "# Mine, and nobody else's.\n\n[sims.careless]   # on purpose\nunsafe_rate = 0.5\n\n\
                    # When nobody says anything.\n[defaults]\nmodel = \"careless\"\n";

fn listing(respond: impl Fn(&ChatRequest) -> Answer + Send + Sync + 'static) -> ChatServer {
    ChatServer::listing(move |seen| match seen.path.as_str() {
        "/v1/models" => ChatServer::models(&NAMES),
        _ => respond(seen),
    })
}

/// A server that answers so many calls and lets those after them wait until it is gone.
fn tiring(calls: usize) -> ChatServer {
    let left = AtomicUsize::new(calls);
    ChatServer::listing_apart(move |seen| {
        if seen.path == "/v1/models" {
            return ChatServer::models(&NAMES);
        }
        let taken = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
            left.checked_sub(1)
        });
        match taken {
            Ok(_) => polite(seen),
            Err(_) => Answer::stall(),
        }
    })
}

/// The calls that a server was asked for.
fn calls(server: &ChatServer) -> usize {
    server.calls().len()
}

fn posts(log: &Log) -> usize {
    let requests = log.requests.iter();
    requests.filter(|seen| seen.method == "POST").count()
}

fn own_file(program: &Program) -> PathBuf {
    program.home().join(".config/elenchus/config.toml")
}

fn own_text(program: &Program) -> String {
    std::fs::read_to_string(own_file(program)).unwrap()
}

/// The replies that were kept, which nobody pays for again.
fn kept(program: &Program) -> usize {
    let events = program.sessions().into_iter().map(|id| program.events(&id));
    events
        .map(|events| of_kind(&events, "replied").len() + of_kind(&events, "judged").len())
        .sum()
}

/// The models of a duel, at one or more providers.
fn models_at(providers: &str) -> String {
    NAMES
        .map(|name| format!("[models.{name}]\n{providers}\nname = \"{name}\"\n"))
        .concat()
}

fn provider(name: &str, base_url: &str) -> String {
    format!("[providers.{name}]\nbase_url = \"{base_url}\"\nretries = 1\ndeadline_s = 30\n")
}

/// Two providers and the models that both have.
fn both(first: &str, second: &str) -> String {
    let providers = provider("first", first) + &provider("second", second);
    providers + &models_at("providers = [\"first\", \"second\"]")
}

fn topics(count: usize) -> String {
    (0..count)
        .map(|at| format!("How is thing {at} made?\n"))
        .collect()
}

/// Plays a duel on each of some topics.
fn duels(concurrency: &'static str) -> Vec<&'static str> {
    let dataset = ["--dataset", "own:topics.txt", "--concurrency", concurrency];
    run(&DUEL, &dataset)
}

#[test]
fn an_added_server_works_at_once_and_what_was_there_stays() {
    let server = listing(polite);
    let program = Program::new().owning(MINE);
    let port = server
        .base_url()
        .replace("http://127.0.0.1:", "")
        .replace("/v1", "");
    let added = program.run(&["servers", "add", &port]).ended_with(0);
    for words in [
        &*server.base_url(),
        "model guard",
        "elenchus run --protocol pred --model ada",
    ] {
        assert!(added.out.contains(words), "{words}: {}", added.out);
    }
    let text = own_text(&program);
    assert!(text.starts_with(MINE), "{text}");
    program
        .run(&run(&DUEL, &["--topic", "How are locks made?"]))
        .ended_with(0);
    assert_eq!(calls(&server), 4);

    // However it is spelled, it is the same.
    for url in [
        server.base_url() + "/",
        server.base_url().replace("127.0.0.1", "localhost"),
    ] {
        let again = program.run(&["servers", "add", &url]).ended_with(0);
        assert!(again.out.contains("nothing was changed"), "{}", again.out);
        assert_eq!(own_text(&program), text);
    }
}

#[test]
fn a_first_server_makes_a_private_file() {
    use std::os::unix::fs::PermissionsExt;
    let server = listing(polite);
    let file = tempfile::tempdir().unwrap();
    let file = file.path().join("below/mine.toml");
    let program = Program::new().with("ELENCHUS_CONFIG", file.to_str().unwrap());
    let args = [
        "servers",
        "add",
        &server.base_url(),
        "--name",
        "desk",
        "--model",
        "ben",
    ];
    program.run(&args).ended_with(0);
    let text = std::fs::read_to_string(&file).unwrap();
    let models: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("[models"))
        .collect();
    assert_eq!(models, ["[models.ben]"]);
    assert!(text.contains("[providers.desk]"), "{text}");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_server_that_lists_nothing_is_not_written_unless_its_models_are_named() {
    let without = ChatServer::listing(|seen| match seen.path.as_str() {
        path if path.ends_with("models") => Answer::error(404, "not_found", "no such page"),
        _ => polite(seen),
    });
    let empty = ChatServer::listing(|_| ChatServer::models(&[]));
    let program = Program::new().owning(MINE);
    for (url, why) in [
        (without.base_url(), "it has no list of models (status 404)"),
        (empty.base_url(), "it lists no models"),
        (NOWHERE.to_string(), "it does not answer"),
    ] {
        let refused = program.run(&["servers", "add", &url]).ended_with(1);
        for words in [
            why,
            "nothing was written",
            &format!("servers add {url} --model NAME"),
        ] {
            assert!(refused.err.contains(words), "{words}: {}", refused.err);
        }
    }
    // Of several all are written or none.
    let good = listing(polite);
    let urls = [good.base_url(), NOWHERE.to_string()];
    program
        .run(&["servers", "add", &urls[0], &urls[1]])
        .ended_with(1);
    assert_eq!(own_text(&program), MINE);

    let url = without.base_url();
    let named = NAMES.iter().flat_map(|name| ["--model", *name]);
    let args: Vec<&str> = ["servers", "add", &url].into_iter().chain(named).collect();
    program.run(&args).ended_with(0);
    program
        .run(&run(&DUEL, &["--topic", "How are locks made?"]))
        .ended_with(0);
    assert_eq!(calls(&without), 4);
}

#[test]
fn a_name_that_the_server_does_not_list_is_refused_and_hostile_ones_are_left_out() {
    let many: Vec<String> = (0..70).map(|at| format!("m{at}")).collect();
    let hostile = ChatServer::listing(|_| {
        ChatServer::models(&["ada", "a\u{1b}[2Jb", "a\u{202e}b", "", "sim"])
    });
    let large = ChatServer::listing(move |_| {
        ChatServer::models(&many.iter().map(String::as_str).collect::<Vec<_>>())
    });
    let program = Program::new().owning(MINE);
    let typo = program
        .run(&["servers", "add", &hostile.base_url(), "--model", "adda"])
        .ended_with(1);
    assert!(typo.err.contains("lists no model 'adda'"), "{}", typo.err);
    let full = program
        .run(&["servers", "add", &large.base_url()])
        .ended_with(1);
    assert!(
        full.err.contains("lists 70 models") && full.err.contains("--model"),
        "{}",
        full.err
    );
    assert_eq!(own_text(&program), MINE);

    let added = program
        .run(&["servers", "add", &hostile.base_url(), "--name", "h"])
        .ended_with(0);
    assert!(added.err.contains("3 names left out"), "{}", added.err);
    let text = own_text(&program);
    // The simulated model keeps its name.
    assert!(
        text.contains("[models.\"h/sim\"]") && !text.contains("[models.sim]"),
        "{text}"
    );
    assert!(!(added.out + &added.err + &text).contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn a_list_says_where_servers_stand_and_what_they_have_beyond_that() {
    let (near, far) = (listing(polite), listing(polite));
    let mine = provider("near", &near.base_url())
        + "[models.quick]\nprovider = \"near\"\nname = \"ada\"\n";
    let program = Program::new()
        .owning(&mine)
        .with("OPENAI_BASE_URL", &far.base_url())
        .with("OPENAI_API_KEY", "k-123456");
    program.write(".elenchus/config.toml", &provider("gone", NOWHERE));
    let listed = program.run(&["servers", "list"]).ended_with(0);
    for words in [
        "near",
        &near.base_url(),
        "quick (ada)",
        "work/.elenchus/config.toml",
        "in OPENAI_API_KEY",
    ] {
        assert!(listed.out.contains(words), "{words}: {}", listed.out);
    }
    assert_eq!(near.requests().len() + far.requests().len(), 0);

    let probed = program
        .run(&["servers", "list", "--probe", "--json"])
        .ended_with(0);
    assert!(!probed.out.contains("k-123456"));
    let rows: Vec<Value> = probed
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
    assert_eq!(
        row("near")["probe"]["not_configured"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    assert_eq!(row("gone")["probe"]["answers"], false);
    assert_eq!(
        (&row("openai")["of_environment"], &row("openai")["file"]),
        (&true.into(), &Value::Null)
    );
}

#[test]
fn a_server_is_removed_from_the_persons_own_file_only() {
    let (one, other) = (listing(polite), listing(polite));
    let program = Program::new().owning(MINE);
    program
        .run(&["servers", "add", &one.base_url(), "--model", "ada"])
        .ended_with(0);
    let before = own_text(&program);
    program
        .run(&["servers", "add", &other.base_url(), "--name", "other"])
        .ended_with(0);
    assert!(own_text(&program).contains(", \"other\"]"));
    let removed = program
        .run(&["servers", "remove", &other.base_url()])
        .ended_with(0);
    assert!(
        removed.out.contains("model ben") && removed.out.contains("(model ada stays"),
        "{}",
        removed.out
    );
    let left = own_text(&program)
        .replace("providers = [", "provider = ")
        .replace("\"]\n", "\"\n");
    assert_eq!(left, before);

    program.write(".elenchus/config.toml", &provider("theirs", NOWHERE));
    let refused = program.run(&["servers", "remove", "theirs"]).ended_with(1);
    assert!(
        refused
            .err
            .contains(".elenchus/config.toml, which is edited by hand"),
        "{}",
        refused.err
    );
    let unknown = program.run(&["servers", "remove", "nobody"]).ended_with(1);
    assert!(unknown.err.contains("theirs"), "{}", unknown.err);
    let facing = Program::facing(&one);
    let refused = facing
        .run(&["servers", "remove", &one.base_url()])
        .ended_with(1);
    assert!(refused.err.contains("unset them"), "{}", refused.err);
}

#[test]
fn a_file_that_cannot_be_written_stays_as_it_was() {
    use std::os::unix::fs::PermissionsExt;
    let server = listing(polite);
    let long = format!("{MINE}# {}\n", "word ".repeat(2000));
    let program = Program::new().owning(&long);
    let binary = env!("CARGO_BIN_EXE_elenchus");
    let command = format!(
        "ulimit -f 4; exec {binary} servers add {}",
        server.base_url()
    );
    let full = Command::new("sh")
        .args(["-c", &command])
        .env_clear()
        .envs(program.environment())
        .current_dir(program.work())
        .output()
        .unwrap();
    let err = String::from_utf8(full.stderr).unwrap();
    assert_eq!(full.status.code(), Some(1), "{err}");
    assert!(
        err.contains("File too large") && err.contains("stays as it was"),
        "{err}"
    );

    let file = own_file(&program);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    let refused = program
        .run(&["servers", "add", &server.base_url()])
        .ended_with(1);
    assert!(
        refused.err.contains("may not be written to"),
        "{}",
        refused.err
    );
    assert_eq!(own_text(&program), long);
    assert_eq!(
        std::fs::read_dir(file.parent().unwrap()).unwrap().count(),
        1
    );
}

#[test]
fn servers_that_are_added_at_the_same_time_are_all_in_the_file() {
    let servers: Vec<ChatServer> = (0..6).map(|_| listing(polite)).collect();
    let program = Program::new().owning(MINE);
    let going: Vec<_> = servers
        .iter()
        .map(|server| program.start(&["servers", "add", &server.base_url()]))
        .collect();
    for one in going {
        one.finish().ended_with(0);
    }
    let text = own_text(&program);
    for server in &servers {
        assert!(text.contains(&server.base_url()), "{text}");
    }
}
