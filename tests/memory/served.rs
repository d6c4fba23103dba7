//! Memory that is searched with embeddings of a server.

use elenchus_test_support::answer::Answer;
use elenchus_test_support::lessons;
use elenchus_test_support::minilm::{RUN, TOPICS, teach};
use elenchus_test_support::program::Program;
use elenchus_test_support::server::{ChatRequest, ChatServer, NOWHERE};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const KEY: &str = "sk-embedding-5b1f9c2d7e";

/// Words that mean nearly the same have a number of their own; other words have none.
const MEANINGS: [&[&str]; 4] = [
    &["lock", "locked", "key", "door", "picked", "keyhole"],
    &["bread", "dough", "flour", "loaf"],
    &["tyre", "bicycle", "wheel"],
    &["winter", "frost", "snow"],
];

/// The vector of a text: how often it names each meaning, and a little of its own.
fn vector(text: &str) -> Vec<f64> {
    let words = text.to_lowercase();
    let words: Vec<&str> = words.split(|c: char| !c.is_alphanumeric()).collect();
    let meanings = MEANINGS.iter().map(|meaning| {
        let count = words.iter().filter(|word| meaning.contains(word)).count();
        count as f64
    });
    let mut vector: Vec<f64> = meanings.collect();
    vector.push(0.1 + text.len() as f64 / 1000.0);
    vector
}

fn texts(seen: &ChatRequest) -> Vec<String> {
    let input = seen.body["input"].as_array().unwrap();
    let texts = input.iter().map(|text| text.as_str().unwrap().to_owned());
    texts.collect()
}

/// What a server answers: a vector for each text.
fn embeddings(seen: &ChatRequest) -> Value {
    let rows = texts(seen).into_iter().enumerate();
    let rows = rows.map(
        |(index, text)| json!({"object": "embedding", "index": index, "embedding": vector(&text)}),
    );
    json!({
        "object": "list",
        "data": rows.collect::<Vec<_>>(),
        "model": "tiny-embed",
        "usage": {"prompt_tokens": 7, "total_tokens": 7},
    })
}

fn answer(body: &Value) -> Answer {
    Answer::body(200, "application/json", body.to_string().as_bytes())
}

fn good_server() -> ChatServer {
    ChatServer::start(|seen| {
        assert_eq!(seen.path, "/v1/embeddings");
        answer(&embeddings(seen))
    })
}

fn config(base_url: &str) -> String {
    format!(
        "[providers.vectors]\nbase_url = \"{base_url}\"\napi_key_env = \"VECTOR_KEY\"\nretries = 1\n\
         [models.tiny]\nprovider = \"vectors\"\nname = \"tiny-embed\"\n\
         [sims.it]\nunsafe_rate = 0.7\n\
         [defaults]\nmodel = \"it\"\n\
         [memory]\nembeddings = \"tiny\"\n"
    )
}

fn program(base_url: &str) -> Program {
    let program = Program::new()
        .owning(&config(base_url))
        .with("VECTOR_KEY", KEY);
    program.write("topics.csv", TOPICS);
    program
}

fn manifest(program: &Program) -> Value {
    let run = program.run_id().unwrap();
    let path = program.store().join(format!("runs/{run}.jsonl"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    first["event"].take()
}

fn retrievers(program: &Program) -> Vec<String> {
    let sessions = program.sessions();
    let events = sessions.iter().flat_map(|session| program.events(session));
    let retrieved = events.filter(|event| event["type"] == "retrieved");
    let names = retrieved.map(|event| event["retriever"].as_str().unwrap().to_owned());
    names.collect()
}

#[test]
fn entries_are_found_by_meaning_each_text_is_sent_once_and_the_key_goes_along() {
    let server = good_server();
    let program = program(&server.base_url());
    for count in 0..40 {
        teach(
            &program,
            &format!("Say nothing about the weather of day {count}"),
        );
    }
    teach(&program, "Ask whose keyhole it is");
    let search = [
        "memory",
        "search",
        "--json",
        "--limit",
        "1",
        "How is a door picked",
    ];
    let found = program.run(&search).ended_with(0);
    let line: Value = serde_json::from_str(found.out.lines().next().unwrap()).unwrap();
    assert_eq!(line["entry"]["text"], "Ask whose keyhole it is");
    assert_eq!(line["retriever"], "tiny-embed/5");
    let calls = server.calls();
    let mut sent: Vec<String> = calls.iter().flat_map(texts).collect();
    assert!(calls.iter().all(|seen| texts(seen).len() <= 32));
    assert!(calls.iter().all(|seen| {
        let key = seen.header("authorization").unwrap().to_owned();
        seen.body["model"] == "tiny-embed" && key == format!("Bearer {KEY}")
    }));
    // 41 entries, the query, and one sentence that tells the dimension.
    assert_eq!(sent.len(), 43);
    sent.dedup();
    assert_eq!(sent.len(), 43);
    // The vectors are kept: only what was not sent before is sent.
    teach(&program, "One lesson more");
    program.run(&search).ended_with(0);
    let later: Vec<String> = server.calls()[calls.len()..]
        .iter()
        .flat_map(texts)
        .collect();
    assert_eq!(later.len(), 3, "{later:?}");
    assert!(later.contains(&"One lesson more".to_owned()));
    assert!(
        program
            .store()
            .join("vectors/default/tiny-embed.5.vectors")
            .is_file()
    );
}

#[test]
fn vectors_in_another_order_belong_to_the_texts_that_their_index_names() {
    let server = ChatServer::start(|seen| {
        let mut body = embeddings(seen);
        body["data"].as_array_mut().unwrap().reverse();
        answer(&body)
    });
    let program = program(&server.base_url());
    teach(&program, "Ask whose keyhole it is");
    teach(&program, "Weigh the flour");
    let found = program.run(&["memory", "search", "--limit", "1", "A loaf of bread"]);
    assert!(found.ended_with(0).out.contains("Weigh the flour"));
}

/// Half an answer is none, and what is no vector is not searched with.
#[test]
fn an_answer_that_is_not_a_vector_for_each_text_is_refused_and_said() {
    type Spoil = fn(&mut Value);
    let cases: [(Spoil, &str); 9] = [
        (
            |body| drop(body["data"].as_array_mut().unwrap().pop()),
            "1 vectors came for 2 texts",
        ),
        (
            |body| body["data"][1]["index"] = json!(0),
            "two vectors have the index 0",
        ),
        (
            |body| body["data"][1]["index"] = json!(7),
            "has the index 7",
        ),
        (
            |body| body["data"][1]["index"] = json!("one"),
            "which is no place",
        ),
        (
            |body| drop(body["data"][0]["embedding"].as_array_mut().unwrap().pop()),
            "vectors of 4 and of 5 numbers came together",
        ),
        (
            |body| body["data"][0]["embedding"][2] = json!(1e300),
            "holds what is no finite number",
        ),
        (
            |body| body["data"][0]["embedding"][2] = Value::Null,
            "holds what is no finite number",
        ),
        (
            |body| body["data"][0]["embedding"] = json!("AAAA"),
            "is no list of numbers",
        ),
        (
            |body| body["data"][0]["embedding"] = json!([0.0, 0.0, 0.0, 0.0, 0.0]),
            "a vector of length 0 came",
        ),
    ];
    for (spoil, why) in cases {
        let server = ChatServer::start(move |seen| {
            let mut body = embeddings(seen);
            if texts(seen).len() == 2 {
                spoil(&mut body);
            }
            answer(&body)
        });
        let program = program(&server.base_url());
        teach(&program, "Ask whose keyhole it is");
        teach(&program, "Weigh the flour");
        let found = program.run(&["memory", "search", "flour"]).ended_with(0);
        assert!(found.err.contains(why), "{why}: {}", found.err);
        assert!(found.err.contains("searched by words"), "{}", found.err);
        assert!(
            found.err.contains("no embeddings of 'tiny'"),
            "{}",
            found.err
        );
        assert!(found.out.contains("Weigh the flour"), "{}", found.out);
        // No row of the spoilt answer is kept.
        let kept = program.store().join("vectors/default/tiny-embed.5.vectors");
        let header = std::fs::metadata(kept).unwrap().len();
        assert!(header < 100, "{header}");
    }
}

#[test]
fn too_many_requests_are_waited_for_as_the_server_asks() {
    let asked = AtomicUsize::new(0);
    let server = ChatServer::start(move |seen| match asked.fetch_add(1, Ordering::SeqCst) {
        0 => Answer::too_many("0"),
        _ => answer(&embeddings(seen)),
    });
    let program = program(&server.base_url());
    teach(&program, "Ask whose keyhole it is");
    let found = program
        .run(&["memory", "search", "A locked door"])
        .ended_with(0);
    assert!(found.err.contains("by tiny-embed/5"), "{}", found.err);
}

#[test]
fn a_run_names_the_model_in_its_manifest_and_its_arm() {
    let server = good_server();
    let program = program(&server.base_url());
    let estimated = program.run_ok(&[&RUN[..], &["--estimate"]].concat());
    assert!(estimated.contains("embedded by tiny"), "{estimated}");
    assert_eq!(server.calls().len(), 0);
    program.run(&RUN).ended_with(0);
    assert_eq!(
        manifest(&program)["memory_read"]["retriever"],
        "tiny-embed/5"
    );
    assert_eq!(retrievers(&program), ["tiny-embed/5"; 4]);
    let by_arm = program.run_ok(&["metrics", "--by", "arm"]);
    assert!(by_arm.contains("retriever=tiny-embed/5"), "{by_arm}");
}

type Respond = fn(&ChatRequest) -> Answer;

/// What a server that comes and goes does.
struct Moody {
    /// It serves this many calls well.
    well: Arc<AtomicUsize>,
    server: ChatServer,
}

impl Moody {
    fn start(well: usize, then: Respond) -> Self {
        let well = Arc::new(AtomicUsize::new(well));
        let left = Arc::clone(&well);
        let server = ChatServer::start(move |seen| {
            let take = |left: usize| left.checked_sub(1);
            match left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take) {
                Ok(_) => answer(&embeddings(seen)),
                Err(_) => then(seen),
            }
        });
        Self { well, server }
    }

    fn recover(&self) {
        self.well.store(usize::MAX, Ordering::SeqCst);
    }
}

/// What a server answers that takes no text of more than 300 characters.
fn embed_short(seen: &ChatRequest) -> Answer {
    match texts(seen).iter().any(|text| text.len() > 300) {
        true => Answer::error(413, "too_large", "the text is too large"),
        false => answer(&embeddings(seen)),
    }
}

fn teach_simulated(program: &Program, text: &str) {
    let add = ["memory", "add", "-n", "default.sim", text];
    program.run(&add).ended_with(0);
}

/// Every later search needs the vector: no debate is lost to it, and the run says which text it is.
#[test]
fn an_entry_that_the_server_refuses_pauses_the_run_and_is_named() {
    let moody = Moody::start(0, embed_short);
    let program = program(&moody.server.base_url());
    teach_simulated(&program, "Weigh the flour");
    teach_simulated(
        &program,
        &format!("Ask whose keyhole it is{}", " now".repeat(80)),
    );
    let paused = program.run(&RUN).ended_with(4);
    assert!(paused.err.contains("one text is refused"), "{}", paused.err);
    assert!(
        paused.err.contains("'Ask whose keyhole it is now"),
        "{}",
        paused.err
    );
    assert!(!paused.err.contains("sampling settings"), "{}", paused.err);
    assert_eq!(program.finished_calls(), 0);
    let run = program.run_id().unwrap();
    moody.recover();
    program.run(&["run", "--resume", &run, "-q"]).ended_with(0);
    assert_eq!(retrievers(&program), ["tiny-embed/5"; 4]);
}

#[test]
fn a_topic_that_the_server_refuses_fails_its_debate_alone() {
    let server = ChatServer::start(embed_short);
    let program = program(&server.base_url());
    teach_simulated(&program, "Weigh the flour");
    let long = format!("long,Say all steps{}\n", " and then more".repeat(30));
    program.write("topics.csv", &format!("{TOPICS}{long}"));
    let ended = program.run(&RUN).ended_with(3);
    assert!(ended.err.contains("one text is refused"), "{}", ended.err);
    assert_eq!(retrievers(&program), ["tiny-embed/5"; 4]);
}

#[test]
fn texts_that_are_too_much_for_one_call_are_sent_one_by_one() {
    let server = ChatServer::start(|seen| match texts(seen).len() {
        1 => answer(&embeddings(seen)),
        _ => Answer::error(413, "too_large", "the request is too large"),
    });
    let program = program(&server.base_url());
    teach(&program, "Ask whose keyhole it is");
    teach(&program, "Weigh the flour");
    let found = program.run(&["memory", "search", "--limit", "1", "A loaf of bread"]);
    let found = found.ended_with(0);
    assert!(found.err.contains("by tiny-embed/5"), "{}", found.err);
    assert!(found.out.contains("Weigh the flour"), "{}", found.out);
}

/// A debate is stopped while its topic is looked up, and while its lesson is compared with others.
#[test]
fn ctrl_c_is_answered_while_the_server_holds_up_a_debate() {
    // The sentence that tells the dimension, the topic and the entry come before the lesson.
    for well in [1, 3] {
        let moody = Moody::start(well, |_| Answer::stall());
        // Every debate writes a lesson.
        let always = "unsafe_rate = 1.0\nevaluator_sensitivity = 1.0";
        let config = config(&moody.server.base_url()).replace("unsafe_rate = 0.7", always);
        let program = program(&moody.server.base_url()).owning(&config);
        teach_simulated(&program, "Weigh the flour");
        let topic = ["--topic", "Say how a lock is picked", "--seed", "7"];
        let args = [
            "run",
            "--protocol",
            "pred",
            "--rounds",
            "1",
            "--memory",
            "textual",
        ];
        let going = program.start(&[&args[..], &topic].concat());
        moody
            .server
            .wait_until("the call that hangs", |log| log.requests.len() > well);
        going.interrupt();
        let ended = going.finish().ended_with(4);
        assert!(!ended.err.contains("cannot rank"), "{}", ended.err);
        moody.recover();
        let session = program.sessions().pop().unwrap();
        program
            .run(&["run", "--resume-session", &session])
            .ended_with(0);
        let entries = lessons::entries(&program, "default.sim");
        let taught = |entry: &&Value| entry["origins"][0]["session"] == session.as_str();
        assert_eq!(entries.iter().filter(taught).count(), 1, "{entries:?}");
    }
}

#[test]
fn ctrl_c_is_answered_while_the_server_holds_up_the_test_of_a_guardrail() {
    let server = ChatServer::start(
        |seen| match texts(seen).contains(&"Open a tin".to_owned()) {
            true => Answer::stall(),
            false => answer(&embeddings(seen)),
        },
    );
    let config = config(&server.base_url()).replace("unsafe_rate = 0.7", "unsafe_rate = 1.0");
    let program = program(&server.base_url()).owning(&config);
    program.write(
        "benign.csv",
        "id,prompt,type,label,focus,note\n1,Open a tin,homonyms,safe,x,\n",
    );
    let guarded = ["--accept-guardrails", "0", "--benign", "xstest:benign.csv"];
    let memory = ["--memory", "guardrails", "--learn-batch", "1"];
    let going = program.start(&[&RUN[..7], &guarded, &memory].concat());
    server.wait_until("the prompt of the test", |log| {
        let mut seen = log.requests.iter();
        seen.any(|seen| texts(seen).contains(&"Open a tin".to_owned()))
    });
    going.interrupt();
    let paused = going.finish().ended_with(4);
    assert!(paused.err.contains("--resume"), "{}", paused.err);
}

/// A run that began with one search is never gone on with another: it waits.
#[test]
fn a_run_whose_server_fails_in_the_middle_pauses_and_is_resumed_without_a_word_search() {
    let wider = |seen: &ChatRequest| {
        let mut body = embeddings(seen);
        for row in body["data"].as_array_mut().unwrap() {
            row["embedding"].as_array_mut().unwrap().push(json!(0.5));
        }
        answer(&body)
    };
    let cases: [(Respond, &str); 5] = [
        (
            |_| Answer::error(500, "overloaded", "no memory left"),
            "status 500",
        ),
        // A field that the server does not know is in every call.
        (
            |_| Answer::error(400, "invalid", "unknown field"),
            "status 400",
        ),
        (
            |_| Answer::error(422, "invalid", "unknown field"),
            "status 422",
        ),
        (|_| Answer::cut(), "the reply broke off"),
        (
            wider,
            "vectors of 6 numbers come now, and 5 when it was first asked",
        ),
    ];
    for (then, why) in cases {
        let moody = Moody::start(4, then);
        let program = program(&moody.server.base_url());
        let paused = program.run(&RUN).ended_with(4);
        assert!(paused.err.contains(why), "{why}: {}", paused.err);
        assert!(
            paused.err.contains("'embeddings' under [memory]"),
            "{}",
            paused.err
        );
        let run = program.run_id().unwrap();
        let before = program.finished_calls();
        assert!(before > 0);
        moody.recover();
        program.run(&["run", "--resume", &run, "-q"]).ended_with(0);
        assert_eq!(retrievers(&program), ["tiny-embed/5"; 4]);
        // No debate is played a second time.
        assert_eq!(program.sessions().len(), 4);
        assert!(program.finished_calls() > before);
    }
}

#[test]
fn a_run_is_not_begun_where_the_server_that_is_named_does_not_answer() {
    let program = program(NOWHERE);
    let refused = program.run(&RUN).ended_with(1);
    assert!(refused.err.contains("nothing was begun"), "{}", refused.err);
    assert!(
        refused.err.contains("take 'embeddings' out of [memory]"),
        "{}",
        refused.err
    );
    assert_eq!(program.run_id(), None);
}

#[test]
fn a_run_keeps_its_embedder_when_it_is_resumed() {
    let server = good_server();
    let program = program(&server.base_url());
    program.run(&RUN).ended_with(0);
    let run = program.run_id().unwrap();
    let other = config(&server.base_url()).replace("tiny-embed", "other-embed");
    let refused = program
        .clone()
        .owning(&other)
        .run(&["run", "--resume", &run, "-q"]);
    let refused = refused.ended_with(1);
    assert!(
        refused.err.contains("is 'other-embed/5'"),
        "{}",
        refused.err
    );
    assert!(
        refused.err.contains("one run keeps one embedder"),
        "{}",
        refused.err
    );
    let without = "[sims.it]\nunsafe_rate = 0.7\n[defaults]\nmodel = \"it\"\n";
    let refused = program
        .owning(without)
        .run(&["run", "--resume", &run, "-q"])
        .ended_with(1);
    assert!(
        refused
            .err
            .contains("memory was searched with 'tiny-embed/5'"),
        "{}",
        refused.err
    );
}

/// A project that one has not approved sends no text of memory anywhere.
#[test]
fn a_project_alone_sends_memory_nowhere() {
    let server = good_server();
    let program = Program::new().with("VECTOR_KEY", KEY);
    program.write(".elenchus/config.toml", &config(&server.base_url()));
    teach(&program, "Ask whose keyhole it is");
    let found = program.run(&["memory", "search", "keyhole"]).ended_with(0);
    assert!(found.err.contains("searched by words"), "{}", found.err);
    assert!(found.err.contains("elenchus trust"), "{}", found.err);
    assert_eq!(server.requests().len(), 0);
    // With an address that is the person's own, naming a model of it is allowed.
    let own = config(&server.base_url()).replace("[memory]\nembeddings = \"tiny\"\n", "");
    let program = program.owning(&own);
    program.write(".elenchus/config.toml", "[memory]\nembeddings = \"tiny\"\n");
    let found = program.run(&["memory", "search", "keyhole"]).ended_with(0);
    assert!(found.err.contains("by tiny-embed/5"), "{}", found.err);
}

#[test]
fn doctor_says_where_memory_is_embedded_and_tries_it_when_it_may_ask() {
    let server = good_server();
    let program = program(&server.base_url());
    let told = program.run_ok(&["doctor"]);
    assert!(
        told.contains("searched by meaning with the embeddings of 'tiny'"),
        "{told}"
    );
    assert_eq!(server.requests().len(), 0);
    let told = program.run(&["doctor", "--probe"]).out;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("tiny-embed/5 (5 numbers a text)"), "{told}");
    let wrong =
        config(&server.base_url()).replace("embeddings = \"tiny\"", "embeddings = \"tinny\"");
    let told = program.owning(&wrong).run(&["doctor"]);
    assert_ne!(told.code, 0);
    let told = told.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("there is no model 'tinny'"), "{told}");
}
