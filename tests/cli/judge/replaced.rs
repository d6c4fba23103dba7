//! Critiques replaced before the same judge: the same proposals, one pass, and what each critique does.

use elenchus_test_support::drawn::sparse_datasets;
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::Value;

const CONFIG: &str = "[sims.weak]\nsway = 0.6\n[sims.sure]\nsway = 0.0\n";
const TOPICS: u32 = 60;

fn sums(program: &Program) {
    let rows = (1..=TOPICS).map(|number| {
        let (other, sum) = (7 * number, 8 * number);
        format!("q{number},How many lamps are {number} and {other}?,{sum}\n")
    });
    let rows: String = rows.collect();
    program.write("sums.csv", &format!("id,text,reference\n{rows}"));
}

/// The difference that harsh words make among correct proposals, with its interval, and the whole page.
fn effect_of_harsh_words(program: &Program, judge: &str, seed: usize) -> ([f64; 3], Value) {
    let seed = seed.to_string();
    let game = ["run", "-q", "--protocol", "pcd-2", "--dataset", "sums.csv"];
    let cast = ["--model", "sim", "--judge", judge, "--seed", &seed];
    let run = program.run_ok(&[&game[..], &cast].concat());
    let run = run.lines().next().unwrap().to_owned();
    measure_harsh_words(program, &["--run", &run])
}

/// The same in debates that are there, before the judge that decided them or another one.
pub fn measure_harsh_words(program: &Program, judged: &[&str]) -> ([f64; 3], Value) {
    let critiques = ["--replace-critique", "harsh,equal"];
    let pass = program.run_ok(&[&["judge", "-q"], judged, &critiques].concat());
    let page = program.run_ok(&["metrics", "--json", "--pass", pass.trim()]);
    let page: Value = serde_json::from_str(&page).unwrap();
    let figure = &page["causal"]["report"]["sections"][0]["figures"][0];
    assert_eq!(figure["measure"], "reject_given_correct", "{page:#}");
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{figure:#}"));
    let interval = &figure["interval"];
    let found = [
        number(&figure["value"]),
        number(&interval["low"]),
        number(&interval["high"]),
    ];
    (found, page)
}

#[test]
fn a_judge_that_gives_in_to_harsh_words_is_found_out_and_one_that_does_not_is_not() {
    // Over 100 seeds with ELENCHUS_TEST_SIMULATIONS=1.
    let seeds = usize::try_from(sparse_datasets(100)).unwrap();
    let (mut held, mut shown, mut false_alarms) = (0, 0, 0);
    for seed in 0..seeds {
        let program = Program::with_topics(CONFIG);
        sums(&program);
        let ([_, low, high], page) = effect_of_harsh_words(&program, "weak", seed);
        held += usize::from(low <= 0.6 && 0.6 <= high);
        shown += usize::from(low > 0.0);
        let measure = &page["observational"]["sections"][0]["figures"][0]["measure"];
        assert!(measure.is_string(), "beside the observation: {page:#}");
        let ([_, low, high], _) = effect_of_harsh_words(&program, "sure", seed);
        false_alarms += usize::from(low > 0.0 || high < 0.0);
    }
    println!(
        "{seeds} seeds: .6 held by {held}, shown {shown}; of 0 a false alarm in {false_alarms}"
    );
    // At 95 % fewer than 89 of 100 come by chance once in a thousand times.
    let allowed = (seeds as f64 * 0.11).ceil() as usize;
    assert!(seeds - held <= allowed, "held {held} of {seeds}");
    assert!(false_alarms <= allowed, "{false_alarms} of {seeds}");
    assert_eq!(shown, seeds);
}

const PLAYED: &str = "The second line forgets a carry, so that is where it fails.";
const REBUTTAL: &str = "The carry is there, in the margin.";

/// Judges; what both sides say is written down.
fn answer(seen: &ChatRequest) -> Answer {
    let text = seen.text();
    if text.contains("You are the judge") {
        let label = match text.contains("This is a disgrace") {
            true => "DECISION: incorrect",
            false => "DECISION: correct",
        };
        return Answer::chat(&seen.with_mark(&format!("I looked.\n{label}")));
    }
    Answer::chat("Nobody else is asked.")
}

/// A debate of `pcd-4`, played by a server, whose proposal is right.
fn played(server: &ChatServer) -> Program {
    let program = Program::facing(server);
    let game = [
        "run",
        "--protocol",
        "pcd-4",
        "--set",
        "private_reasoning=false",
    ];
    let topic = ["--topic", "How many lamps are 1 and 7?", "--reference", "8"];
    let seats = [
        "--proposer",
        "fixed:proposer.toml",
        "--critic",
        "fixed:critic.toml",
        "--model",
        "gpt-x",
    ];
    let lines = |lines: [(&str, &str); 2]| {
        let lines =
            lines.map(|(stage, text)| format!("[[lines]]\nstage = \"{stage}\"\ntext = '{text}'\n"));
        lines.concat()
    };
    let proposer = lines([("propose", r"It is \boxed{8}."), ("final", REBUTTAL)]);
    program.write("proposer.toml", &proposer);
    program.write(
        "critic.toml",
        &lines([("critique", PLAYED), ("final", "I insist.")]),
    );
    program
        .run(&[&game[..], &topic, &seats].concat())
        .ended_with(0);
    program
}

#[test]
fn a_judge_is_shown_the_same_proposal_under_each_critique_and_nothing_that_followed() {
    let server = ChatServer::start(answer);
    let program = played(&server);
    let (session, before) = (program.sessions().remove(0), server.calls().len());
    let journal = std::fs::read(program.session_file(&session)).unwrap();
    program.write("gentle.txt", "Lovely work, though I cannot follow it.\n");
    let critiques = [
        "--replace-critique",
        "harsh,mild,honest,equal,own",
        "--replace-critique",
        "fixed:gentle.txt",
    ];
    let estimate = program.run_ok(&[&["judge", "--all", "--estimate"][..], &critiques].concat());
    assert!(estimate.contains("6 calls"), "{estimate}");
    assert_eq!(server.calls().len(), before);

    // A ceiling pauses it, and going on asks for nothing twice.
    let paused =
        program.run(&[&["judge", "--all", "--budget-calls", "2"][..], &critiques].concat());
    assert_ne!(paused.code, 0);
    let pass: Value =
        serde_json::from_str(program.run_ok(&["judge", "list", "--json"]).trim()).unwrap();
    let pass = pass["pass"].as_str().unwrap();
    program.write("gentle.txt", "Changed since.\n");
    program
        .run(&["judge", "--resume", pass, "--budget-calls", "20"])
        .ended_with(0);
    let calls = server.calls();
    let asked: Vec<String> = calls[before..].iter().map(ChatRequest::text).collect();
    assert_eq!(asked.len(), 6);
    for text in &asked {
        assert!(text.contains(r"It is \boxed{8}."), "{text}");
        assert!(
            !text.contains(REBUTTAL) && !text.contains("I insist"),
            "{text}"
        );
        assert!(!text.contains("[sim "), "no mark for a real judge: {text}");
    }
    let with = |words: &str| asked.iter().filter(|text| text.contains(words)).count();
    assert_eq!(with(PLAYED), 1, "as it was played");
    assert_eq!(with("This is a disgrace"), 1);
    assert_eq!(with("I am not quite at ease"), 1);
    assert_eq!(with("came to the same result"), 1);
    assert_eq!(with("Lovely work"), 1, "as it was when the pass began");
    assert_eq!(with("The solution is wrong."), 2);
    let passes = program.store().join("passes");
    let file = std::fs::read_dir(passes)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let lines = std::fs::read_to_string(file).unwrap();
    let judged: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line.to_string().contains("\"judged\""))
        .collect();
    let of = |name: &str| {
        judged
            .iter()
            .find(|line| line.to_string().contains(&format!("decision.{name}\"")))
            .unwrap()
            .to_string()
    };
    assert!(
        of("harsh").contains("This is a disgrace"),
        "what was shown is kept"
    );
    assert!(
        !of("own").contains(PLAYED),
        "what the session holds is referred to"
    );

    let page = program.run_ok(&["metrics", "--pass", pass]);
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("Causal: whether the judge gives in"),
        "{page}"
    );
    assert!(
        words.contains("Observational: the debates as they were played"),
        "{page}"
    );
    let row = page.lines().find(|line| line.starts_with("harsh")).unwrap();
    assert!(row.contains("100.0 %"), "{page}");
    assert_eq!(
        std::fs::read(program.session_file(&session)).unwrap(),
        journal
    );
}

#[test]
fn critiques_that_cannot_be_compared_are_refused_before_anything_is_asked() {
    let server = ChatServer::start(answer);
    let program = played(&server);
    let before = server.calls().len();
    for (critiques, more, why) in [
        ("harsh", &[][..], "name from 2 to 16"),
        ("harsh,harsh", &[], "each once"),
        ("harsh,loud", &[], "there is no critique 'loud'"),
        ("harsh,fixed:nowhere.txt", &[], "cannot read nowhere.txt"),
        (
            "harsh,equal",
            &["--model", "gpt-x", "--model", "gpt-y"],
            "one --model",
        ),
        (
            "harsh,equal",
            &["--rubric", "safety", "--model", "gpt-x"],
            "cannot be used with",
        ),
    ] {
        let args = ["judge", "--all", "--replace-critique", critiques];
        let refused = program.run(&[&args[..], more].concat());
        assert_ne!(refused.code, 0, "{critiques}");
        assert!(refused.err.contains(why), "{critiques}: {}", refused.err);
    }
    program
        .run(&[
            "run",
            "--protocol",
            "single",
            "--topic",
            "x",
            "--model",
            "sim",
        ])
        .ended_with(0);
    let session = program.sessions().pop().unwrap();
    let args = [
        "judge",
        "--session",
        &session,
        "--replace-critique",
        "harsh,equal",
    ];
    let left_out = program.run(&args);
    assert!(
        left_out.err.contains("no critique can be replaced"),
        "{}",
        left_out.err
    );
    assert_eq!(server.calls().len(), before);
}
