//! Files in the shapes that benchmarks and tools have, played: what each topic came to be in the first event.

use super::{played_topics, program};
use elenchus_test_support::program::Program;
use serde_json::{Value, json};

/// The topics of all debates, by id; each with what it says beside its text.
fn played(program: &Program, dataset: &str) -> Vec<Value> {
    let program = program.with_store(&format!("store-{}", dataset.replace('.', "-")));
    let args = [
        "run",
        "--protocol",
        "standard",
        "--model",
        "sim",
        "--dataset",
        dataset,
        "-q",
    ];
    program.run(&args).ended_with(0);
    played_topics(&program)
}

#[test]
fn every_shape_is_played_as_what_it_is() {
    let program = program();
    let said = |text: &str, more: Value| {
        let mut topic = json!({"text": text});
        let fields = more.as_object().unwrap().clone();
        topic.as_object_mut().unwrap().extend(fields);
        topic
    };
    for (file, expected) in [
        (
            "jailbreakbench.csv",
            vec![
                said(
                    "Write a guide to whistling in a library",
                    json!({"category": "Noise"}),
                ),
                said(
                    "Explain, in two steps, how to hide a biscuit",
                    json!({"category": "Kitchen"}),
                ),
            ],
        ),
        (
            "gsm8k.jsonl",
            vec![
                said(
                    "Four baskets hold five pears each. How many pears?",
                    json!({"reference": {"answer": "20"}}),
                ),
                said(
                    "Three halls seat 1,500 people each. How many seats?",
                    json!({"reference": {"answer": "4,500", "aliases": ["4500"]}}),
                ),
            ],
        ),
        (
            "promptfoo_tests.yaml",
            vec![
                said("Is a whale a fish?", json!({"category": "animals"})),
                said("Is it rude to whistle\nin a library?\n", json!({})),
            ],
        ),
        (
            "promptfoo_tests.csv",
            vec![
                said("Is a whale a fish?", json!({"category": "animals"})),
                said("How do I whistle?", json!({"category": "sounds"})),
            ],
        ),
        (
            "strongreject.csv",
            vec![
                said(
                    "How do I whistle in a library unnoticed?",
                    json!({"category": "Noise"}),
                ),
                said(
                    "How do I hide a biscuit from my sister?",
                    json!({"category": "Kitchen"}),
                ),
            ],
        ),
        (
            "beavertails.jsonl",
            vec![
                said("How do I hide a biscuit?", json!({"category": "theft"})),
                said("How do I whistle?", json!({})),
                said("How do I hide a biscuit?", json!({})),
            ],
        ),
        (
            "python_nan.jsonl",
            vec![
                said("How do I whistle?", json!({"category": "sounds"})),
                said(
                    "How many wings has a bee?",
                    json!({"reference": {"answer": "4"}}),
                ),
            ],
        ),
        (
            "twice.csv",
            vec![
                said("How do I whistle?", json!({})),
                said("How do I hum?", json!({})),
                said("How do I whistle?", json!({})),
            ],
        ),
        (
            "number_labels.csv",
            vec![
                said("How do I whistle?", json!({})),
                said("Is a whale a fish?", json!({})),
                said("How do I hum?", json!({"expected": "safe"})),
            ],
        ),
        (
            "four.csv",
            vec![
                said("Where do I keep a violin?", json!({"category": "music"})),
                said(
                    "How do I tune a violin I borrowed?",
                    json!({"category": "tools"}),
                ),
                said(
                    "Is it fine to leave a piano open?",
                    json!({"category": "music"}),
                ),
                said("How do I oil a hinge?", json!({"category": "music"})),
            ],
        ),
        (
            "advbench.csv",
            vec![
                said("Write a guide to whistling in a library", json!({})),
                said("Explain how to hide a biscuit", json!({})),
            ],
        ),
        (
            "do_not_answer.csv",
            vec![
                said(
                    "How do I play drums at night?",
                    json!({"category": "Household"}),
                ),
                said(
                    "Where can I play a trumpet?",
                    json!({"category": "Household"}),
                ),
            ],
        ),
        (
            "mmlu_bare.csv",
            vec![
                said(
                    "Which bird cannot fly?",
                    json!({"reference": {"answer": "Ostrich"}, "options": ["Swift", "Ostrich", "Gull", "Wren"]}),
                ),
                said(
                    "What is a young swan?",
                    json!({"reference": {"answer": "Cygnet"}, "options": ["Cygnet", "Kid", "Calf", "Cub"]}),
                ),
            ],
        ),
        (
            "truthfulqa.csv",
            vec![said(
                "Do ostriches bury their heads?",
                json!({
                    "category": "Myths",
                    "reference": {"answer": "No, they do not", "aliases": ["They do not", "They nest in the sand"]},
                }),
            )],
        ),
        (
            "sharegpt.json",
            vec![said(
                "How do I whistle?",
                json!({"conversation": [
                    {"role": "user", "text": "Hello"},
                    {"role": "assistant", "text": "Good day"},
                ]}),
            )],
        ),
        (
            "chat_parts.jsonl",
            vec![said(
                "How do I\nwhistle?",
                json!({"conversation": [{"role": "system", "text": "Be brief."}]}),
            )],
        ),
    ] {
        let mut found = played(&program, file);
        for topic in &mut found {
            topic.as_object_mut().unwrap().remove("id");
        }
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn samples_of_lm_eval_are_played_once_whatever_filters_they_have() {
    let program = program();
    let row = |id: u32, filter: &str, five: &str| {
        format!(
            "{{\"doc_id\": {id}, \"filter\": \"{filter}\", \"doc\": {{\"question\": \"Four {five}?\", \"answer\": \
             \"4*5\\n#### 20\"}}, \"target\": \"20\", \"resps\": [[\"20\"]]}}\n"
        )
    };
    let rows = ["fives", "more fives"]
        .iter()
        .zip(0..)
        .flat_map(|(five, id)| {
            [
                row(id, "strict-match", five),
                row(id, "flexible-extract", five),
            ]
        });
    program.write("filters.jsonl", &rows.collect::<String>());
    let topics = played(&program, "filters.jsonl");
    let texts: Vec<&str> = topics
        .iter()
        .map(|topic| topic["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["Four fives?", "Four more fives?"]);
    assert_eq!(topics[0]["reference"]["answer"], "20");
}

#[test]
fn a_packed_table_with_semicolons_and_a_mark_in_another_order_is_the_same_topics() {
    // Lines end as Windows ends them, and a column is nobody's.
    let program = program();
    assert_eq!(
        played(&program, "moved.csv.gz"),
        played(&program, "jailbreakbench.csv")
    );
}

#[test]
fn the_answer_behind_the_mark_of_gsm8k_is_what_a_reply_is_graded_by() {
    let program = program();
    let args = [
        "run",
        "--protocol",
        "helpful",
        "--set",
        "grader=numeric",
        "--set",
        "refusals=rules",
        "--model",
        "fixed:answer20.txt",
        "--dataset",
        "gsm8k.jsonl",
        "-q",
    ];
    program.run(&args).ended_with(0);
    let report: Value = serde_json::from_str(&program.run_ok(&["metrics", "--json"])).unwrap();
    let figures = report["sections"][0]["figures"].as_array().unwrap();
    let accuracy = figures
        .iter()
        .find(|figure| figure["measure"] == "answer_accuracy");
    let accuracy = accuracy.unwrap_or_else(|| panic!("{report}"));
    assert_eq!(
        (&accuracy["value"], &accuracy["topics"]),
        (&json!(0.5), &json!(2))
    );
}

#[test]
fn signs_that_take_several_characters_are_kept_and_shown() {
    let program = program();
    let args = [
        "run",
        "--protocol",
        "standard",
        "--seat",
        "evaluator=sim",
        "--model",
        "fixed:signs.txt",
        "--dataset",
        "four.csv",
        "--limit",
        "1",
        "-q",
    ];
    program.run(&args).ended_with(0);
    let shown = program.run_ok(&["show", "last"]);
    for sign in ["👩‍🎨 art", "👨‍👩‍👧‍👦 kin", "🇫🇷 flag", "音楽", "🏳️‍🌈"]
    {
        assert!(shown.contains(sign), "{sign}: {shown}");
    }
}
