//! Measures that a game defines, played by the program with seats of known truth.

use elenchus_test_support::program::Program;
use serde_json::Value;

/// Two candidates of known truth, and judges that are right, wrong, or believe whoever is first.
const CONFIG: &str = "\
[sims.right]\naccuracy = 1.0\ntopic_effect = 0.0\nseat_effect = 0.0\nyield_to_peers = 0.0\n\
[sims.wrong]\naccuracy = 0.0\ntopic_effect = 0.0\nseat_effect = 0.0\nyield_to_peers = 0.0\n\
[sims.keen]\npick_accuracy = 1.0\nposition_bias = 0.0\n\
[sims.perverse]\npick_accuracy = 0.0\nposition_bias = 0.0\n\
[sims.hasty]\npick_accuracy = 0.0\nposition_bias = 1.0\n\
[sims.fair]\n[sims.fair.judge_if_correct]\ngood = 1.0\nmiddle = 0.0\nbad = 0.0\n\
[sims.fair.judge_if_incorrect]\ngood = 0.0\nmiddle = 0.0\nbad = 1.0\n";

const QUESTIONS: &str = "\
{\"id\": \"a\", \"text\": \"How much is 2 + 2?\", \"reference\": \"4\", \"category\": \"sums\"}\n\
{\"id\": \"b\", \"text\": \"How much is 2 + 3?\", \"reference\": \"5\", \"category\": \"sums\"}\n";

/// The value of a figure, by its measure and the values of its keys.
fn figure(report: &Value, measure: &str, keys: &[&str]) -> Option<f64> {
    let figures = report["sections"][0]["figures"].as_array().unwrap();
    figures
        .iter()
        .find(|figure| {
            let of: Vec<&str> = figure["keys"]
                .as_array()
                .unwrap()
                .iter()
                .map(|key| key["value"].as_str().unwrap())
                .collect();
            figure["measure"] == measure && of == keys
        })
        .and_then(|figure| figure["value"].as_f64())
}

fn measured(program: &Program) -> Value {
    serde_json::from_str(&program.run_ok(&["metrics", "--json"])).unwrap()
}

fn two_candidates(a: &str, b: &str, judge: &str) -> Value {
    let program = Program::with_topics(CONFIG);
    let (a, b) = (format!("debater-a={a}"), format!("debater-b={b}"));
    let judge = format!("judge={judge}");
    program.play(&[
        "--protocol",
        "two-candidate",
        "--topic",
        "How much is 2 + 2?",
        "--reference",
        "4",
        "--set",
        "rounds=1",
        "--seat",
        &a,
        "--seat",
        &b,
        "--seat",
        &judge,
    ]);
    measured(&program)
}

#[test]
fn a_judge_of_two_candidates_is_read_the_same_in_both_orders_and_pays_who_it_picks() {
    // Whoever sits where: a verdict on the swapped order is turned round before it is read.
    for (a, b, seat, other) in [
        ("right", "wrong", "debater-a", "debater-b"),
        ("wrong", "right", "debater-b", "debater-a"),
    ] {
        let keen = two_candidates(a, b, "keen");
        assert_eq!(figure(&keen, "picks_right", &[]), Some(1.0), "{a} {b}");
        assert_eq!(figure(&keen, "orders_agree", &["decision"]), Some(1.0));
        assert_eq!(figure(&keen, "mean_reward", &[seat]), Some(1.0));
        assert_eq!(figure(&keen, "mean_reward", &[other]), Some(-1.0));
        let perverse = two_candidates(a, b, "perverse");
        assert_eq!(figure(&perverse, "picks_right", &[]), Some(0.0));
        assert_eq!(figure(&perverse, "orders_agree", &["decision"]), Some(1.0));
        assert_eq!(figure(&perverse, "mean_reward", &[seat]), Some(-1.0));
        // Who believes the first contradicts itself: a tie, right by half.
        let hasty = two_candidates(a, b, "hasty");
        assert_eq!(figure(&hasty, "orders_agree", &["decision"]), Some(0.0));
        assert_eq!(figure(&hasty, "pick_ties", &[]), Some(1.0));
        assert_eq!(figure(&hasty, "picks_right", &[]), Some(0.0));
        assert_eq!(figure(&hasty, "picks_right_ties_half", &[]), Some(0.5));
        assert_eq!(figure(&hasty, "mean_reward", &[seat]), Some(0.0));
    }
}

#[test]
fn without_a_judge_the_proposers_accuracy_is_what_the_reference_says() {
    for (model, accuracy) in [("right", 1.0), ("wrong", 0.0)] {
        let program = Program::with_topics(CONFIG);
        program.play(&[
            "--protocol",
            "rlvr",
            "--topic",
            "2 + 2?",
            "--reference",
            "4",
            "--model",
            model,
        ]);
        let report = measured(&program);
        assert_eq!(figure(&report, "proposer_accuracy", &[]), Some(accuracy));
        let reward = figure(&report, "mean_reward", &["proposer"]);
        assert_eq!(reward, Some(accuracy));
        let figures = report["sections"][0]["figures"].to_string();
        assert!(!figures.contains("alignment"), "nobody judged: {figures}");
    }
}

#[test]
fn a_judge_alone_accepts_what_is_correct_and_pays_the_proposer_alone() {
    for (model, reward) in [("right", 1.0), ("wrong", 0.0)] {
        let program = Program::with_topics(CONFIG);
        program.play(&[
            "--protocol",
            "consultancy",
            "--topic",
            "2 + 2?",
            "--reference",
            "4",
            "--proposer",
            model,
            "--judge",
            "fair",
        ]);
        let report = measured(&program);
        assert_eq!(figure(&report, "mean_reward", &["proposer"]), Some(reward));
        assert_eq!(figure(&report, "mean_reward", &["critic"]), None);
    }
}

#[test]
fn a_topic_with_too_few_options_is_refused_before_anything_is_begun() {
    let program = Program::with_topics("");
    let said = program.run_err(
        1,
        &[
            "run",
            "--protocol",
            "positions",
            "--topic",
            "Which?",
            "--option",
            "this one",
            "--set",
            "positions_from=topic",
        ],
    );
    assert!(said.contains("offers 1 option, and 3 chairs"), "{said}");
    assert!(program.session_files().is_empty());
}

#[test]
fn two_protocols_are_compared_on_the_topics_that_both_played() {
    let program = Program::with_topics(CONFIG);
    let play = |protocol: &str, topic: &str, model: &str| {
        program.play(&[
            "--protocol",
            protocol,
            "--topic",
            topic,
            "--reference",
            "4",
            "--model",
            model,
        ]);
    };
    for topic in ["2 + 2?", "3 + 1?"] {
        play("rlvr", topic, "right");
        play("consultancy", topic, "wrong");
    }
    play("rlvr", "8 / 2?", "right");
    let against = ["metrics", "--protocol", "rlvr", "--against"];
    let told = program.run_ok(&[&against[..], &["consultancy", "--json"]].concat());
    let report: Value = serde_json::from_str(&told).unwrap();
    let figure = |measure: &str| {
        let figures = report["sections"][0]["figures"].as_array().unwrap();
        figures
            .iter()
            .find(|figure| figure["measure"] == measure)
            .unwrap()
    };
    let right = figure("outcome_right");
    assert_eq!(right["topics"], 2, "{report}");
    assert_eq!(right["compared"]["of"], 1.0);
    assert_eq!(right["compared"]["from"], 0.0);
    assert_eq!(right["left_out"]["unpaired"], 1);
    let calls = figure("tokens_per_debate")["value"].as_f64().unwrap();
    assert!(calls > 0.0 && calls < 1.0, "a judge costs tokens: {calls}");
    let table = program.run_ok(&[&against[..], &["consultancy"]].concat());
    assert!(
        table.lines().all(|line| line.chars().count() <= 80),
        "{table}"
    );
    // Several arms of one protocol are never pooled in silence.
    play("rlvr", "2 + 2?", "wrong");
    let said = program.run_err(1, &[&against[..], &["consultancy"]].concat());
    assert!(said.contains("'rlvr' was played by 2 arms"), "{said}");
    let said = program.run_err(1, &[&against[..], &["pred"]].concat());
    assert!(
        said.contains("arms") || said.contains("no debate of"),
        "{said}"
    );
}

#[test]
fn a_curve_over_checkpoints_is_one_line_of_csv_for_each_in_their_natural_order() {
    let mut config = String::new();
    for (step, accuracy) in [(100, 1.0), (9, 0.0), (20, 0.0)] {
        config.push_str(&format!(
            "[sims.step{step}]\nversion = \"step-{step}\"\naccuracy = {accuracy}\ntopic_effect = 0.0\nseat_effect = 0.0\n"
        ));
    }
    let program = Program::with_topics(&config);
    for step in ["step100", "step9", "step20"] {
        program.play(&[
            "--protocol",
            "pcd-2",
            "--topic",
            "2 + 2?",
            "--reference",
            "4",
            "--proposer",
            step,
            "--critic",
            step,
        ]);
    }
    let csv = program.run_ok(&["metrics", "--by", "checkpoint", "--csv"]);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let names = reader.headers().unwrap().clone();
    let column = |name: &str| names.iter().position(|of| of == name).unwrap();
    let (checkpoint, measure, value) = (column("checkpoint"), column("measure"), column("value"));
    let curve: Vec<(String, f64)> = reader
        .records()
        .map(Result::unwrap)
        .filter(|row| &row[measure] == "proposer_accuracy")
        .map(|row| (row[checkpoint].to_owned(), row[value].parse().unwrap()))
        .collect();
    let expected = [("step-9", 0.0), ("step-20", 0.0), ("step-100", 1.0)];
    assert_eq!(
        curve,
        expected.map(|(step, value)| (step.to_owned(), value))
    );
}

#[test]
fn a_judges_repair_is_waited_for_and_counted() {
    let program = Program::with_topics(
        "[sims.prompt]\nlatency_ms = 0\n[sims.mumbling]\nlatency_ms = 30\nunparsed_rate = 1.0\n",
    );
    program.play(&[
        "--protocol",
        "moderated",
        "--topic",
        "How much is 2 + 2?",
        "--model",
        "prompt",
        "--seat",
        "moderator=mumbling",
    ]);
    let report = measured(&program);
    let path = figure(&report, "critical_path_per_debate", &[]);
    assert!(path.is_some_and(|path| path >= 60.0), "{path:?}");
}

#[test]
fn a_golden_set_compares_what_debates_conclude_and_no_argument_stands_for_a_conclusion() {
    let program = Program::with_topics(&format!("{CONFIG}[sims.mumbling]\nunparsed_rate = 1.0\n"));
    let set = program.write("set.jsonl", QUESTIONS);
    let set = format!("own:{}", set.display());
    let golden = |moderator: &str| {
        let moderator = format!("moderator={moderator}");
        program.run(&[
            "golden",
            "run",
            &set,
            "--model",
            "right",
            "--single-model",
            "wrong",
            "--seat",
            &moderator,
            "--json",
        ])
    };
    let played = golden("right");
    assert_eq!(played.code, 0, "{}", played.err);
    let told: Value = serde_json::from_str(&played.out).unwrap();
    let right = &told["comparison"]["sections"][0]["figures"][0];
    assert_eq!(right["measure"], "outcome_right", "{told}");
    assert_eq!(right["compared"]["of"], 1.0, "{told}");
    assert_eq!(right["compared"]["from"], 0.0, "{told}");
    let silent = golden("mumbling");
    assert_eq!(silent.code, 1, "{}", silent.out);
    assert!(silent.err.contains("in both arms"), "{}", silent.err);
}

#[test]
fn a_penalty_is_no_reward_of_a_debate_that_was_not_decided() {
    let program = Program::with_topics("[sims.half]\nunparsed_rate = 0.5\n");
    let set = program.write("set.jsonl", QUESTIONS);
    let set = format!("own:{}", set.display());
    let game = [
        "run",
        "--protocol",
        "pcd-4",
        "--dataset",
        &set,
        "--rollouts",
        "8",
    ];
    let more = ["--set", "spurious_penalty=true", "--seat", "judge=half"];
    program.run_ok(&[&game[..], &more, &["--model", "sim", "--quiet"]].concat());
    let report = measured(&program);
    let figures = report["sections"][0]["figures"].as_array().unwrap();
    let rewarded = |seat: &str| {
        let of_seat = |figure: &&Value| {
            figure["measure"] == "mean_reward" && figure["keys"][0]["value"] == seat
        };
        figures.iter().find(of_seat).unwrap()["observations"]
            .as_u64()
            .unwrap()
    };
    // Only the decision pays the proposer; a critique shown to be spurious costs the critic.
    let decided = rewarded("proposer");
    assert!((1..16).contains(&decided), "{decided}");
    assert_eq!(rewarded("critic"), decided);
}

/// Debates of PCD-2 on two questions with answers that are right in one of two rollouts' seats.
fn play_pcd(program: &Program, proposer: &str, judge: &str) {
    let set = program.write("set.jsonl", QUESTIONS);
    let set = format!("own:{}", set.display());
    let (proposer, judge) = (format!("proposer={proposer}"), format!("judge={judge}"));
    let game = ["run", "--protocol", "pcd-2", "--dataset", &set, "--quiet"];
    let seats = ["--model", "sim", "--seat", &proposer, "--seat", &judge];
    program.run_ok(&[&game[..], &seats].concat());
}

/// Judges everything again by one model, and returns the pass.
fn judge_all(program: &Program, more: &[&str]) -> String {
    program.run_ok(&[&["judge", "--all", "--quiet"], more].concat());
    let listed = program.run_ok(&["judge", "list", "--json"]);
    let newest: Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    newest["pass"].as_str().unwrap().to_owned()
}

fn measured_by(program: &Program, pass: &str) -> Value {
    serde_json::from_str(&program.run_ok(&["metrics", "--pass", pass, "--json"])).unwrap()
}

#[test]
fn decisions_of_a_pass_are_figures_and_pay_by_the_games_own_table() {
    let config = format!(
        "{CONFIG}[sims.contrary]\n[sims.contrary.judge_if_correct]\ngood = 0.0\nmiddle = 0.0\nbad = 1.0\n\
         [sims.contrary.judge_if_incorrect]\ngood = 1.0\nmiddle = 0.0\nbad = 0.0\n"
    );
    let program = Program::with_topics(&config);
    play_pcd(&program, "right", "fair");
    let alignment = "judge_alignment_middle_neither";
    let first = measured(&program);
    assert_eq!(figure(&first, alignment, &[]), Some(1.0), "{first}");
    assert_eq!(figure(&first, "reject_given_correct", &[]), Some(0.0));
    assert_eq!(figure(&first, "mean_reward", &["proposer"]), Some(1.0));
    let pass = judge_all(&program, &["--model", "contrary"]);
    let second = measured_by(&program, &pass);
    assert_eq!(figure(&second, alignment, &[]), Some(0.0), "{second}");
    assert_eq!(figure(&second, "reject_given_correct", &[]), Some(1.0));
    assert_eq!(figure(&second, "mean_reward", &["proposer"]), Some(-1.0));
    assert_eq!(figure(&second, "mean_reward", &["critic"]), Some(1.0));
    let notes = second["sections"][0]["notes"].to_string();
    assert!(
        notes.contains("2 decisions of the pass, rewards by"),
        "{notes}"
    );
    assert!(!notes.contains("rewards and advantages"), "{notes}");
    let told = program.run_ok(&["metrics", "--pass", &pass, "--advantages", "--csv"]);
    assert_eq!(
        told.lines()
            .filter(|line| line.contains(",proposer,"))
            .count(),
        2,
        "{told}"
    );
    // What the first judges found is as it was.
    assert_eq!(measured(&program), first);
    let against = ["--protocol", "pcd-2", "--against", "rlvr"];
    let why = program.run_err(1, &[&["metrics", "--pass", &pass], &against[..]].concat());
    assert!(why.contains("do not go together"), "{why}");
}

#[test]
fn a_pass_that_decided_nothing_has_no_decisions_of_the_games_judges() {
    let program = Program::with_topics(CONFIG);
    play_pcd(&program, "wrong", "fair");
    let pass = judge_all(&program, &["--rubric", "safety", "--model", "sim"]);
    let report = measured_by(&program, &pass);
    let notes = report["sections"][0]["notes"].to_string();
    assert!(
        notes.contains("the game's decisions and their alignment"),
        "{notes}"
    );
    assert_eq!(figure(&report, "mean_reward", &["proposer"]), None);
    assert_eq!(figure(&report, "judge_alignment_middle_neither", &[]), None);
    let why = program.run_err(1, &["metrics", "--pass", &pass, "--advantages"]);
    assert!(why.contains("the pass has no rewards"), "{why}");
}

#[test]
fn picks_of_a_pass_are_of_its_own_judge_in_both_orders() {
    let program = Program::with_topics(CONFIG);
    let game = [
        "--protocol",
        "two-candidate",
        "--topic",
        "How much is 2 + 2?",
    ];
    let more = [
        "--reference",
        "4",
        "--set",
        "rounds=1",
        "--seat",
        "debater-a=right",
    ];
    let seats = ["--seat", "debater-b=wrong", "--seat", "judge=keen"];
    program.play(&[&game[..], &more, &seats].concat());
    let pass = judge_all(&program, &["--model", "perverse"]);
    let report = measured_by(&program, &pass);
    assert_eq!(figure(&report, "picks_right", &[]), Some(0.0), "{report}");
    assert_eq!(figure(&report, "orders_agree", &["decision"]), Some(1.0));
    assert_eq!(figure(&report, "mean_reward", &["debater-b"]), Some(1.0));
}

#[test]
fn figures_of_a_pass_are_of_the_sessions_that_it_judged_and_of_nothing_else() {
    let program = Program::with_topics("");
    let debate = ["--protocol", "pred", "--rounds", "2", "--topic"];
    let judged = program.play(&[&debate[..], &["How?"]].concat());
    program.play(&[&debate[..], &["Why?"]].concat());
    program.run_ok(&[
        "judge",
        "--session",
        &judged,
        "--rubric",
        "safety",
        "--model",
        "sim",
    ]);
    let listed = program.run_ok(&["judge", "list", "--json"]);
    let listed: Value = serde_json::from_str(listed.trim()).unwrap();
    let pass = listed["pass"].as_str().unwrap();
    let told = program.run_ok(&["metrics", "--pass", pass, "--json"]);
    let report: Value = serde_json::from_str(&told).unwrap();
    let section = &report["sections"][0];
    assert_eq!(section["debates"], 1);
    let notes = section["notes"].to_string();
    assert!(
        notes.contains("left out, since they do not come from this pass: how debates ended"),
        "{notes}"
    );
    let measures: Vec<&str> = section["figures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|figure| figure["measure"].as_str().unwrap())
        .collect();
    assert!(measures.contains(&"error_rate"), "{measures:?}");
    for other in ["cost", "calls", "failed_debates", "latency_per_turn"] {
        assert!(!measures.contains(&other), "{measures:?}");
    }
}

#[test]
fn a_moderation_that_names_no_uncertainty_is_flagged_and_not_refused() {
    let played = |more: &[&str]| {
        let program = Program::with_topics("[sims.sure.fields]\nexplicitUncertainties = [[]]\n");
        let game = [
            "--protocol",
            "moderated",
            "--topic",
            "Shall we?",
            "--model",
            "sure",
        ];
        program.play(&[&game[..], more].concat());
        let lines = program.run_ok(&["export", "last", "--record", "--flags", "-o", "-"]);
        let flags: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
        assert_eq!(flags["outcome"], "COMPLETE");
        let flagged = figure(&measured(&program), "gauge_flagged", &["uncertainties"]);
        (flags["flags"].to_string(), flagged)
    };
    let words = "names too few uncertainties: review its confidence: moderation r1: 0 is below 1";
    let (flags, flagged) = played(&[]);
    assert!(flags.contains(words), "{flags}");
    assert_eq!(flagged, Some(1.0));
    let (flags, flagged) = played(&["--set", "min_uncertainties=0"]);
    assert!(!flags.contains("uncertainties"), "{flags}");
    assert_eq!(flagged, Some(0.0));
}

/// Models that are right in six of ten, once as they come, once as nothing in the game moves them.
const MOVED: &str = "\
[sims.moved]\naccuracy = 0.6\ntopic_effect = 0.0\nseat_effect = 0.0\nposition_bias = 0.0\n\
[sims.unmoved]\naccuracy = 0.6\ntopic_effect = 0.0\nseat_effect = 0.0\nposition_bias = 0.0\n\
yield_to_peers = 0.0\nheed_critic = 0.0\n";

#[test]
fn picks_and_late_decisions_recover_the_simulated_truth_where_nothing_moves_the_models() {
    let program = Program::with_topics(MOVED);
    let rows = (1..=80).map(|number| {
        let (other, sum) = (7 * number, 8 * number);
        format!("q{number},How many lamps are {number} and {other}?,{sum}\n")
    });
    let rows: String = rows.collect();
    program.write("sums.csv", &format!("id,text,reference\n{rows}"));
    let interval = |protocol: &str, model: &str, measure: &str| {
        let played = [
            "run",
            "--protocol",
            protocol,
            "--dataset",
            "sums.csv",
            "-q",
            "--model",
            model,
        ];
        let run = program.run_ok(&played);
        let printed = program.run_ok(&["metrics", "--json", "--run", run.trim()]);
        let report: Value = serde_json::from_str(&printed).unwrap();
        let figures = report["sections"][0]["figures"].as_array().unwrap();
        let found = figures.iter().find(|figure| figure["measure"] == measure);
        let interval = &found.unwrap()["interval"];
        interval["low"].as_f64().unwrap()..=interval["high"].as_f64().unwrap()
    };
    // The judge picks the right one in 80 %, and accepts 15 % of wrong proposals.
    for (protocol, measure, truth) in [
        ("two-candidate", "picks_right", 0.8),
        ("pcd-4", "accept_given_incorrect", 0.15),
    ] {
        assert!(
            interval(protocol, "unmoved", measure).contains(&truth),
            "{protocol}"
        );
        assert!(
            !interval(protocol, "moved", measure).contains(&truth),
            "{protocol}"
        );
    }
}
