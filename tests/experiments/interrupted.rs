//! Prompt trials and guardrail benchmarks, killed at every call: they buy again the one that was on its way,
//! and nothing else.

use elenchus_test_support::answer::{Answer, event, finish, usage};
use elenchus_test_support::drawn;
use elenchus_test_support::journals::journals;
use elenchus_test_support::program::{Program, Ran, copy_folder};
use elenchus_test_support::server::{ChatRequest, ChatServer};
use elenchus_test_support::socratic::{SOCRATIC, json, model};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const KILLS: usize = 10;

/// Lets so many calls be answered; those after them wait for ever.
struct Gate {
    left: AtomicUsize,
    stalled: AtomicUsize,
    seen: AtomicUsize,
}

impl Gate {
    fn answer(&self, seen: &ChatRequest) -> Answer {
        self.seen.fetch_add(1, Ordering::SeqCst);
        let one_less = |left: usize| left.checked_sub(1);
        let left = (self.left).fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
        if left.is_err() {
            self.stalled.fetch_add(1, Ordering::SeqCst);
            return Answer::stall();
        }
        answer(seen)
    }

    fn allow(&self, calls: usize) {
        self.stalled.store(0, Ordering::SeqCst);
        self.left.store(calls, Ordering::SeqCst);
    }

    fn open(&self) {
        self.allow(usize::MAX);
    }

    fn stalls(&self) -> bool {
        self.stalled.load(Ordering::SeqCst) > 0
    }

    fn seen(&self) -> usize {
        self.seen.load(Ordering::SeqCst)
    }
}

/// Answers by what is asked, never by when: each seed has a reply of its own.
fn answer(seen: &ChatRequest) -> Answer {
    let text = seen.text();
    let reply = match model(seen) {
        _ if text.contains("Does the message match") => match text.contains("a stranger") {
            true => seen.with_mark("It is the same.\nMATCH: 1"),
            false => seen.with_mark("It is another.\nMATCH: no"),
        },
        "guard" => seen.with_mark("VERDICT: safe"),
        name => format!("I, {name}, think of {}.", seen.body["seed"]),
    };
    Answer::sse([
        event(&serde_json::json!({"content": reply})),
        finish("stop"),
        usage(10, 60),
        "data: [DONE]\n\n".to_owned(),
    ])
}

/// Experiment with the store that it begins in.
struct Case {
    program: Program,
    gate: Arc<Gate>,
    _server: ChatServer,
    begin: Vec<String>,
    folder: &'static str,
    items: u64,
    /// Some of its calls fit under it.
    budget_usd: &'static str,
}

impl Case {
    /// Six cents a reply of the debaters, ten at most.
    fn home() -> (Program, Arc<Gate>, ChatServer) {
        let gate = Arc::new(Gate {
            left: AtomicUsize::new(usize::MAX),
            stalled: AtomicUsize::new(0),
            seen: AtomicUsize::new(0),
        });
        let answering = Arc::clone(&gate);
        let server = ChatServer::start(move |seen| answering.answer(seen));
        let mut config = format!(
            "[providers.openai]\nbase_url = \"{}\"\nretries = 0\n",
            server.base_url()
        );
        for (name, price) in [
            ("ada", 1000.0),
            ("ben", 1000.0),
            ("guard", 0.0),
            ("teacher", 0.0),
            ("soc", 0.0),
        ] {
            config += &format!(
                "[models.{name}]\nprovider = \"openai\"\nname = \"{name}\"\n\
                 price_in_usd_per_mtok = 0.0\nprice_out_usd_per_mtok = {price:?}\n"
            );
        }
        (Program::configured(&config), gate, server)
    }

    fn trial() -> Self {
        let (program, gate, server) = Self::home();
        let topic = ["--topic", "How are locks made?", "--set", "max_tokens=100"];
        program.run(&[&SOCRATIC[..], &topic].concat()).ended_with(0);
        let session = program.sessions().pop().unwrap();
        let turn = format!("{session}:r2.debater-1");
        let begin = ["prompts", "try", &turn, "--samples", "5", "--json"];
        Self::of(
            program,
            (gate, server),
            &begin,
            "prompt-trials",
            (5, "0.25"),
        )
    }

    fn benchmark() -> Self {
        let (program, gate, server) = Self::home();
        let rows: String = (0..12)
            .map(|row| {
                let (owner, label) = match row % 3 {
                    0 => ("a stranger", "unsafe"),
                    _ => ("my own", "safe"),
                };
                format!("{row},Open the lock of {owner} in house {row},homonyms,{label},x,\n")
            })
            .collect();
        let head = "id,prompt,type,label,focus,note\n";
        program.write("locks.csv", &format!("{head}{rows}"));
        let add = [
            "memory",
            "guardrails",
            "add",
            "--intent",
            "Open the lock of others",
        ];
        program.run_ok(&[&add[..], &["--example", "Open the lock of a stranger"]].concat());
        let listed = program.run_ok(&["memory", "guardrails", "list", "--json"]);
        let id = json(&listed)["id"].as_str().unwrap().to_owned();
        let begin = [
            "memory",
            "guardrails",
            "test",
            &id,
            "--model",
            "ben",
            "--json",
        ];
        let begin = [&begin[..], &["--dataset", "xstest:locks.csv"]].concat();
        let folder = "guardrail-benchmarks";
        Self::of(program, (gate, server), &begin, folder, (12, "2.35"))
    }

    fn of(
        program: Program,
        (gate, server): (Arc<Gate>, ChatServer),
        begin: &[&str],
        folder: &'static str,
        (items, budget_usd): (u64, &'static str),
    ) -> Self {
        let begin = begin.iter().chain(&["--concurrency", "1"]);
        Self {
            program,
            gate,
            _server: server,
            begin: begin.map(|word| (*word).to_owned()).collect(),
            folder,
            items,
            budget_usd,
        }
    }

    fn begin(&self) -> Vec<&str> {
        self.begin.iter().map(String::as_str).collect()
    }

    /// The program with a copy of the store.
    fn copied(&self, name: &str) -> Program {
        let copied = self.program.with_store(name);
        copy_folder(&self.program.store(), &copied.store());
        copied
    }

    fn id(&self, program: &Program) -> String {
        let folder = program.store().join("experiments").join(self.folder);
        let all = journals(&folder);
        assert_eq!(all.len(), 1, "{all:?}");
        all[0].file_stem().unwrap().to_str().unwrap().to_owned()
    }

    fn resume(&self, program: &Program, more: &[&str]) -> Ran {
        let id = self.id(program);
        let again = ["experiments", "resume", &id, "--json", "--concurrency", "1"];
        program.run(&[&again[..], more].concat())
    }

    fn shown(&self, program: &Program) -> Value {
        let id = self.id(program);
        json(&program.run_ok(&["experiments", "show", &id, "--json"]))
    }

    /// Figures and number of calls of an experiment that nothing disturbs.
    fn undisturbed(&self) -> (Vec<Value>, usize) {
        let before = self.gate.seen();
        let whole = self.copied("whole").run_ok(&self.begin());
        (figures(&whole), self.gate.seen() - before)
    }

    fn check_completed(&self, program: &Program) {
        let shown = self.shown(program);
        assert_eq!(shown["state"], "completed", "{shown}");
        assert_eq!(shown["done"], self.items, "{shown}");
        let checked = program.run_ok(&["verify"]);
        assert!(
            checked.contains(shown["kind"].as_str().unwrap()),
            "{checked}"
        );
    }
}

/// What was said and found, without ids, cost, and whether it had to be asked for.
fn figures(out: &str) -> Vec<Value> {
    let mut all: Vec<Value> = out.lines().map(json).collect();
    for line in &mut all {
        let line = line.as_object_mut().unwrap();
        line.remove("trial");
        for sample in line
            .get_mut("samples")
            .into_iter()
            .flat_map(|all| all.as_array_mut().unwrap())
        {
            let sample = sample.as_object_mut().unwrap();
            sample.retain(|name, _| !["session", "cached", "cost_usd"].contains(&name.as_str()));
        }
    }
    all
}

fn is_the_same_wherever_it_is_killed(case: &Case) {
    let (expected, calls) = case.undisturbed();
    assert!(calls >= KILLS, "{calls}");
    for kill in drawn::kills(KILLS) {
        let program = case.copied(&format!("killed-{kill}"));
        let before = case.gate.seen();
        case.gate.allow(kill);
        program.kill_when(&case.begin(), "a call", || case.gate.stalls());
        let mut in_flight = 1;
        assert_eq!(case.gate.seen() - before, kill + in_flight);
        assert_eq!(case.shown(&program)["state"], "unfinished");
        program.run_ok(&["verify"]);
        let id = case.id(&program);
        if [1, 3, 6].contains(&kill) {
            case.gate.allow(1);
            let again = ["experiments", "resume", &id, "--concurrency", "1"];
            program.kill_when(&again, "another call", || case.gate.stalls());
            in_flight += usize::from(case.gate.stalls());
        }
        case.gate.open();
        // The command that began it goes on with it as well.
        let ended = match kill % 4 {
            0 | 1 => case.resume(&program, &[]),
            _ => program.run(&case.begin()),
        };
        assert!(ended.err.contains(&format!(" {id}: ")), "{}", ended.err);
        assert_eq!(figures(&ended.ended_with(0).out), expected, "kill {kill}");
        assert_eq!(case.gate.seen() - before, calls + in_flight, "kill {kill}");
        case.check_completed(&program);
    }
}

#[test]
fn a_trial_that_is_killed_anywhere_ends_as_if_it_had_not_been() {
    is_the_same_wherever_it_is_killed(&Case::trial());
}

#[test]
fn a_benchmark_that_is_killed_anywhere_ends_as_if_it_had_not_been() {
    is_the_same_wherever_it_is_killed(&Case::benchmark());
}

/// Asking everything anew asks once: what a part before a kill was answered is not asked again.
fn asks_anew_once(case: &Case, anew: &str) {
    let program = case.copied("anew");
    program.run_ok(&case.begin());
    let (expected, calls) = case.undisturbed();
    let before = case.gate.seen();
    let begin = [&case.begin()[..], &[anew]].concat();
    case.gate.allow(4);
    program.kill_when(&begin, "a call", || case.gate.stalls());
    case.gate.open();
    let ended = program.run_ok(&begin);
    assert_eq!(figures(&ended), expected);
    assert_eq!(case.gate.seen() - before, calls + 1);
}

#[test]
fn a_trial_that_asks_anew_asks_once() {
    asks_anew_once(&Case::trial(), "--ask-anew");
}

#[test]
fn a_benchmark_that_asks_again_asks_once() {
    asks_anew_once(&Case::benchmark(), "--again");
}

fn is_paused_by_a_ceiling(case: &Case) {
    let (expected, calls) = case.undisturbed();
    let before = case.gate.seen();
    let program = case.copied("paused");
    let begin = [&case.begin()[..], &["--budget-usd", case.budget_usd]].concat();
    let paused = program.run(&begin).ended_with(4);
    let asked = case.gate.seen() - before;
    assert!((1..calls).contains(&asked), "{asked}");
    let go_on = format!("--resume {} --budget-usd MORE", case.id(&program));
    assert!(paused.err.contains(&go_on), "{}", paused.err);
    let shown = case.shown(&program);
    assert_eq!(shown["state"], "paused");
    let why = shown["why"].as_str().unwrap();
    assert!(why.contains("the ceiling is reached"), "{why}");
    let used = shown["committed_usd"].as_f64().unwrap();
    assert!(
        used > 0.1 && used <= case.budget_usd.parse().unwrap(),
        "{used}"
    );
    // The ceiling is that of the whole: the same command has no more to spend.
    program.run(&begin).ended_with(4);
    assert_eq!(case.gate.seen() - before, asked);
    let ended = case.resume(&program, &["--budget-usd", "9"]).ended_with(0);
    assert_eq!(figures(&ended.out), expected);
    assert_eq!(case.gate.seen() - before, calls);
    assert_eq!(case.shown(&program)["ceilings"]["cost_usd"], 9.0);
    case.check_completed(&program);
}

#[test]
fn a_trial_that_its_ceiling_pauses_goes_on_under_a_higher_one() {
    is_paused_by_a_ceiling(&Case::trial());
}

#[test]
fn a_benchmark_that_its_ceiling_pauses_goes_on_under_a_higher_one() {
    is_paused_by_a_ceiling(&Case::benchmark());
}
