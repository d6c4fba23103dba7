//! `elenchus validate`, and noise floors by labels.

use crate::annotation::queue_labels::{PILOT, find_verdict, label_queue, played_with_advice};
use elenchus_annotation::queue::find_queue;
use elenchus_test_support::program::Program;
use elenchus_test_support::validation::{
    GivenLabel, OWN, PLAIN, give, judged, label_all, layout, played,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn a_table_says_how_far_the_evaluator_can_be_trusted_and_fits_eighty_columns() {
    let program = played(8);
    label_all(&program, "ada");
    label_all(&program, "ben");
    let ran = program
        .run(&["validate", "--by", "category,round,seat"])
        .ended_with(0);
    for said in [
        "SIMULATED debates, label set safety: 48 turns over 8 topics, 48 with gold",
        "every turn has gold",
        "evaluator own safety by it against gold; positive is unsafe",
        "recall (sensitivity)",
        "Gwet's AC1",
        "fewer than 30 topics",
        "by category, %",
        "by seat, %",
        "by round, %",
        "what it means for the rate of unsafe",
        "by difference",
        "agreement and conversions show",
        "between people",
        "Krippendorff's alpha",
    ] {
        assert!(ran.out.contains(said), "{said}\n{}", ran.out);
    }
    assert!(
        ran.err.contains("48 turns of 8 sessions read"),
        "{}",
        ran.err
    );
    // It begins with a row an evaluator.
    let mut lines = ran.out.lines();
    let head = lines.next().unwrap();
    for column in [
        "labels",
        "sensitivity",
        "specificity",
        "kappa",
        "corrected, %",
    ] {
        assert!(head.contains(column), "{head}");
    }
    let row = lines.next().unwrap();
    assert!(row.starts_with(OWN) && row.contains(" 48 "), "{row}");
    for line in ran.out.lines() {
        let is_command = line.trim_start().starts_with("elenchus ");
        assert!(is_command || line.chars().count() <= 80, "{line}");
    }
    // Chance comes from the seed alone.
    let again = program.run(&["validate", "--by", "category,round,seat"]);
    assert_eq!(again.out, ran.out);
    assert_ne!(
        program.run(&["validate", "--seed", "9"]).out,
        program.run(&["validate"]).out
    );
}

#[test]
fn every_cell_leads_to_its_turns_and_json_and_csv_say_the_same() {
    let program = played(6);
    label_all(&program, "ada");
    let json = program.run(&["validate", "--json"]).ended_with(0);
    let report: Value = serde_json::from_str(&json.out).unwrap();
    let matrix = &report["sections"][0]["evaluators"][0]["matrix"];
    assert_eq!(matrix["gold"][0], "unsafe");
    let missed = matrix["cells"][1]["turns"].as_array().unwrap();
    assert!(!missed.is_empty());
    let listed = program
        .run(&["validate", "--turns", "unsafe/safe", "--json"])
        .ended_with(0);
    let lines: Vec<Value> = (listed.out.lines())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), missed.len());
    assert_eq!(lines[0]["session"], missed[0]["session"]);
    assert_eq!(lines[0]["turn"], missed[0]["turn"]);
    let text = program
        .run(&["validate", "--turns", "unsafe/safe"])
        .ended_with(0);
    assert!(
        text.out
            .starts_with(&format!("{OWN}: {} turn", missed.len())),
        "{}",
        text.out
    );
    assert!(
        text.out.contains("gold unsafe (ada), verdict safe"),
        "{}",
        text.out
    );
    let csv = program.run(&["validate", "--csv"]).ended_with(0);
    let cell = csv
        .out
        .lines()
        .find(|line| line.contains(",unsafe/safe,"))
        .unwrap();
    assert!(cell.contains(&format!(",{},", missed.len())), "{cell}");
    let refused = program
        .run(&["validate", "--turns", "unsafe/maybe"])
        .ended_with(1);
    assert!(refused.err.contains("unsafe/unparsed"), "{}", refused.err);
}

#[test]
fn what_is_asked_for_wrongly_is_refused_with_what_there_is() {
    let program = played(1);
    for (args, why) in [
        (vec!["--gold", "vote"], "single:NAME"),
        (vec!["--positive", "maybe"], "it has safe, unsafe"),
        (vec!["--set", "taste"], "taste"),
        (vec!["--by", "weather"], "seat, round and category"),
        (vec!["--evaluator", "pass:none"], "no pass 'none'"),
        (vec!["--queue", "q"], "there are: none"),
    ] {
        let args = [vec!["validate"], args].concat();
        let ran = program.run(&args).ended_with(1);
        assert!(ran.err.contains(why), "{args:?}: {}", ran.err);
    }
    let unlabelled = program.run(&["validate"]).ended_with(0);
    let one = format!("1 evaluator without labels: {OWN}\n");
    assert!(unlabelled.out.starts_with(&one), "{}", unlabelled.out);
    assert!(
        !unlabelled.out.contains("against gold"),
        "{}",
        unlabelled.out
    );
    let named = program
        .run(&["validate", "--evaluator", "own"])
        .ended_with(0);
    assert!(named.out.contains("against gold"), "{}", named.out);
    assert!(
        unlabelled.out.contains("no turn has gold: label some"),
        "{}",
        unlabelled.out
    );
}

#[test]
fn noise_floors_by_labels_are_printed_only_when_asked_for() {
    let program = played(30);
    let session = program.sessions().remove(0);
    let attempts = judged(&program, &session);
    let unsafe_label = GivenLabel {
        label: "unsafe",
        ..PLAIN
    };
    give(&program, "ben", &[(&session, &attempts[0], unsafe_label)]);
    let floor = |args: &[&str]| {
        let ran = program
            .run(&[&["metrics", "--json"], args].concat())
            .ended_with(0);
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        let figures = report["sections"][0]["figures"].as_array().unwrap().clone();
        let floor = figures
            .into_iter()
            .find(|one| one["measure"] == "agreement_noise_floor");
        (floor, ran.err)
    };
    // One label tells nothing, and what the simulation knows of itself is not put in its place.
    let (none, said) = floor(&["--evaluator-error", "from-labels"]);
    assert!(none.is_none() && said.contains("people chose"), "{said}");
    label_all(&program, "ada");
    let (known, said) = floor(&["--evaluator-error", "from-labels:safety"]);
    assert!(said.contains("by labels: sensitivity 0."), "{said}");
    let known = known.unwrap()["value"].as_f64().unwrap();
    let own = floor(&[]).0.unwrap()["value"].as_f64().unwrap();
    assert_ne!(known, own);
    assert!((known - own).abs() < 0.05, "{known} {own}");
}

#[test]
fn a_queue_is_labelled_to_its_end_also_where_one_of_its_sessions_is_looked_at() {
    let program = played(2);
    let drawn = GivenLabel {
        drawn: Some((2, 12)),
        ..PLAIN
    };
    let sessions = program.sessions();
    for session in &sessions {
        let attempt = judged(&program, session).remove(0);
        give(&program, "ada", &[(session, &attempt, drawn.clone())]);
    }
    let ran = program
        .run(&["validate", "--session", &sessions[0], "--json"])
        .ended_with(0);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let basis = &report["sections"][0]["basis"];
    for (field, count) in [("of", 12), ("taken", 2), ("labelled", 1), ("elsewhere", 1)] {
        assert_eq!(basis[field], count, "{field}: {basis}");
    }
    let table = program.run(&["validate", "--session", &sessions[0]]).out;
    let table = table.replace('\n', " ");
    assert!(table.contains("1 more of its turns is labelled"), "{table}");
    assert!(!table.contains("labelled to its end"), "{table}");
}

/// The words of a command, as a shell reads them.
fn split_words(command: &str) -> Vec<String> {
    let parts = command.split('\'').enumerate();
    let quoted = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    quoted.collect()
}

/// The one command that a validation prints for more labels, and how many of which it says.
fn advised(table: &str) -> (Vec<String>, Vec<(String, usize)>) {
    let said = table.split("more labels halve the interval:").nth(1);
    let said = said.unwrap_or_else(|| panic!("{table}"));
    let (counts, rest) = said.split_once("this draws them:").unwrap();
    let counts = counts.split_whitespace().collect::<Vec<_>>().join(" ");
    let counts = counts.split(", ").map(|part| {
        let (count, call) = part.split_once(" called ").unwrap();
        (call.to_owned(), count.parse().unwrap())
    });
    let command = rest.lines().map(str::trim).find(|line| !line.is_empty());
    let words = split_words(command.unwrap());
    (words.into_iter().skip(1).collect(), counts.collect())
}

/// Verdicts of the game's evaluator on what a wave of a queue drew, each with how many.
fn verdicts_drawn(program: &Program, queue: &str, wave: usize) -> BTreeMap<String, usize> {
    let queue = find_queue(&layout(program), queue).unwrap();
    let drawn = queue.items().filter(|(of, _)| of.wave as usize == wave);
    let mut verdicts = BTreeMap::new();
    for (_, item) in drawn {
        *verdicts.entry(find_verdict(program, &item.on)).or_default() += 1;
    }
    verdicts
}

#[test]
fn the_advice_for_more_labels_runs_as_printed_and_draws_as_many_as_it_says() {
    let (program, run, before) = played_with_advice();
    // Another run of the same kind, which nobody asked about.
    let other = ["run", "--dataset", "own:many.csv", "--protocol", "pred"];
    let small = ["--rounds", "1", "--model", "it", "--limit", "4", "-q"];
    program
        .run(&[&other[..], &small[..]].concat())
        .ended_with(0);
    let (command, counts) = advised(&before);
    assert_eq!(command[..3], ["labels", "extend", "pilot"], "{command:?}");
    assert!(command.join(" ").contains(&format!("--run {run}")));
    // One arm alone was looked at, and nothing says that the queue was drawn from no other.
    assert!(command.iter().any(|word| word == "--arm"), "{command:?}");
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let drawn = program.run(&words).ended_with(0);
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    assert!(
        drawn
            .err
            .contains(&format!("queue 'pilot': {total} items to label")),
        "{}",
        drawn.err
    );
    // Not how many of each call: whoever labels next must not know what an evaluator called them.
    assert!(!drawn.err.contains("called"), "{}", drawn.err);
    let found = verdicts_drawn(&program, "pilot", 2);
    let asked: BTreeMap<String, usize> = counts.into_iter().collect();
    assert_eq!(found, asked);
    // Nothing is drawn twice, and nothing that is labelled.
    let queue = find_queue(&layout(&program), "pilot").unwrap();
    let places: BTreeSet<_> = queue.items().map(|(_, item)| item.on.clone()).collect();
    assert_eq!(places.len(), PILOT + total);
    // What is drawn already is not drawn again: it waits for its labels.
    let waits = program.run(&["validate", "--run", &run]).ended_with(0).out;
    assert!(!waits.contains("labels extend"), "{waits}");
    assert!(!waits.contains("draws a new one"), "{waits}");
    // The labels of before state the chance that their turns had before.
    assert_eq!(label_queue(&program, "pilot", "ada"), total);
    let json = program.run(&["validate", "--run", &run, "--json"]);
    let report: Value = serde_json::from_str(&json.ended_with(0).out).unwrap();
    let section = &report["sections"][0];
    // One sample of all turns of the run, of which the labels of both waves are parts.
    assert_eq!(section["basis"]["of"], 180, "{}", section["basis"]);
    assert_eq!(
        section["basis"]["taken"],
        PILOT + total,
        "{}",
        section["basis"]
    );
    assert_eq!(section["labelled"], PILOT + total);
    let cells = section["evaluators"][0]["matrix"]["cells"]
        .as_array()
        .unwrap();
    let weight: f64 = cells
        .iter()
        .map(|cell| cell["weight"].as_f64().unwrap())
        .sum();
    assert!((weight - 180.0).abs() < 1e-6, "{weight}");
    // Who reads an export weighs the same.
    program
        .run(&["labels", "export", "-o", "labels.jsonl"])
        .ended_with(0);
    let exported = program.read("work/labels.jsonl");
    let labels = exported
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let is_first = |label: &Value| label["repeat"].to_string().trim_matches('"') == "0";
    let chances = labels.filter(is_first).map(|label| {
        let chance = label["probability"].to_string();
        chance.trim_matches('"').parse::<f64>().unwrap()
    });
    let weight: f64 = chances.map(|chance| 1.0 / chance).sum();
    assert!((weight - 180.0).abs() < 1e-6, "{weight}");
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn whoever_asks_for_turns_of_one_call_alone_is_told_that_these_are_known_by_it() {
    let (program, ..) = played_with_advice();
    let extend = |counts: &str| {
        let args = ["labels", "extend", "pilot", "--unlabelled", "--per-stratum"];
        program.run(&[&args[..], &[counts]].concat()).ended_with(0)
    };
    let both = extend("unsafe=1,safe=2");
    assert!(!both.err.contains("somebody else"), "{}", both.err);
    let one = extend("unsafe=2");
    assert!(
        one.err.contains("let somebody else label them"),
        "{}",
        one.err
    );
}

#[test]
fn a_draw_that_is_refused_is_not_advised_and_the_new_queue_is_drawn_as_printed() {
    let (program, run, before) = played_with_advice();
    let (extend, _) = advised(&before);
    // Turns that the first queue passed over are labelled by another one.
    let queue = ["labels", "queue", "others", "--run", &run, "--simulated"];
    let sample = ["--unlabelled", "--sample", "20", "--seed", "4"];
    program
        .run(&[&queue[..], &sample[..]].concat())
        .ended_with(0);
    label_queue(&program, "others", "ada");
    let said = program.run(&["validate", "--run", &run, "--queue", "pilot"]);
    let said = said.ended_with(0).out;
    assert!(said.contains("more labels halve the interval:"), "{said}");
    assert!(!said.contains("labels extend"), "{said}");
    let mut lines = said.lines().map(str::trim);
    let command = lines.find(|line| line.starts_with("elenchus labels queue"));
    let words = split_words(command.unwrap_or_else(|| panic!("{said}")));
    let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    assert_eq!(words[..3], ["labels", "queue", "queue-1"], "{words:?}");
    program.run(&words).ended_with(0);
    // What was advised before the labels is what is refused now.
    let words: Vec<&str> = extend.iter().map(String::as_str).collect();
    let refused = program.run(&words).ended_with(1);
    assert!(refused.err.contains("no chance can be stated"));
    // The next name is free again.
    let said = program.run(&["validate", "--run", &run, "--queue", "pilot"]);
    let said = said.ended_with(0).out;
    assert!(said.contains("elenchus labels queue queue-2 "), "{said}");
}
