//! Benchmarks in the variants that files come in, by generation: order of columns and rows, separators, ends of lines, a
//! byte order mark, packing, columns that nobody knows, and columns that are missing.

use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};
use std::io::Write;

/// What a topic says, apart from its id.
type Said = (
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    Vec<String>,
    usize,
);

fn said(topic: &Topic) -> Said {
    let reference = topic.reference.as_ref();
    (
        topic.text.clone(),
        topic.category.clone(),
        reference.map(|reference| reference.answer.clone()),
        topic.expected.clone(),
        topic.options.clone(),
        topic.conversation.len(),
    )
}

/// Rows of a benchmark in the columns that it is released with.
struct Benchmark {
    kind: DatasetKind,
    rows: Vec<Map<String, Value>>,
    /// The column without which there is no topic.
    text: &'static str,
    /// The first topic: text, category, reference.
    first: (&'static str, Option<&'static str>, Option<&'static str>),
}

fn rows(rows: Value) -> Vec<Map<String, Value>> {
    let Value::Array(rows) = rows else {
        panic!("{rows}");
    };
    let objects = rows.into_iter().map(|row| match row {
        Value::Object(row) => row,
        other => panic!("{other}"),
    });
    objects.collect()
}

fn tables() -> Vec<Benchmark> {
    vec![
        Benchmark {
            kind: DatasetKind::JailbreakBench,
            rows: rows(json!([
                {"Index": "3", "Goal": "Hum, in public; loudly", "Target": "Sure", "Behavior": "Humming", "Category": "Noise", "Source": "Original"},
                {"Index": "4", "Goal": "Hide a \"biscuit\"", "Target": "Sure", "Behavior": "Biscuits", "Category": "Kitchen", "Source": "Original"},
            ])),
            text: "Goal",
            first: ("Hum, in public; loudly", Some("Noise"), None),
        },
        Benchmark {
            kind: DatasetKind::StrongReject,
            rows: rows(json!([
                {"category": "Noise", "source": "custom", "forbidden_prompt": "Hum, in public; loudly"},
                {"category": "Kitchen", "source": "custom", "forbidden_prompt": "Hide a\nbiscuit"},
            ])),
            text: "forbidden_prompt",
            first: ("Hum, in public; loudly", Some("Noise"), None),
        },
        Benchmark {
            kind: DatasetKind::AdvBench,
            rows: rows(json!([
                {"goal": "Hum, in public; loudly", "target": "Sure, hum"},
                {"goal": "Hide a biscuit", "target": "Sure, hide"},
            ])),
            text: "goal",
            first: ("Hum, in public; loudly", None, None),
        },
        Benchmark {
            kind: DatasetKind::DoNotAnswer,
            rows: rows(json!([
                {"id": "0", "risk_area": "Noise", "types_of_harm": "Loud", "specific_harms": "Drums", "question": "Drums, at night?"},
                {"id": "1", "risk_area": "Kitchen", "types_of_harm": "Sly", "specific_harms": "Biscuits", "question": "Biscuits; where?"},
            ])),
            text: "question",
            first: ("Drums, at night?", Some("Noise"), None),
        },
        Benchmark {
            kind: DatasetKind::TruthfulQa,
            rows: rows(json!([
                {"Type": "Adversarial", "Category": "Myths", "Question": "Do ostriches hide, or sleep?", "Best Answer": "No, they do not", "Correct Answers": "They do not; They nest", "Incorrect Answers": "They do", "Source": "x"},
                {"Type": "Adversarial", "Category": "Birds", "Question": "Do swans bark?", "Best Answer": "Some do", "Correct Answers": "Some do", "Incorrect Answers": "Never", "Source": "y"},
            ])),
            text: "Question",
            first: (
                "Do ostriches hide, or sleep?",
                Some("Myths"),
                Some("No, they do not"),
            ),
        },
        Benchmark {
            kind: DatasetKind::Own,
            rows: rows(json!([
                {"prompt": "Is a whale, a fish?", "__expected": "contains: no", "__metadata:category": "animals"},
                {"prompt": "How do I hum?", "__expected": "llm-rubric: is polite", "__metadata:category": "sounds"},
            ])),
            text: "prompt",
            first: ("Is a whale, a fish?", Some("animals"), None),
        },
        Benchmark {
            kind: DatasetKind::Own,
            rows: rows(json!([
                {"question": "Which bird, of these, cannot fly?", "A": "Swift", "B": "Ostrich", "C": "Gull", "D": "Wren", "answer": "B"},
                {"question": "What is a young swan?", "A": "Cygnet", "B": "Kid", "C": "Calf", "D": "Cub", "answer": "A"},
            ])),
            text: "question",
            first: ("Which bird, of these, cannot fly?", None, Some("Ostrich")),
        },
    ]
}

fn json_lines() -> Vec<Benchmark> {
    vec![
        Benchmark {
            kind: DatasetKind::Own,
            rows: rows(json!([
                {"question": "Four baskets of five?", "answer": "4 times 5 is <<4*5=20>>20.\n#### 20"},
                {"question": "Three halls of 1,500?", "answer": "3 * 1500\n#### 4,500"},
            ])),
            text: "question",
            first: ("Four baskets of five?", None, Some("20")),
        },
        Benchmark {
            kind: DatasetKind::Own,
            rows: rows(json!([
                {"question": "Which bird cannot fly?", "subject": "birds", "choices": ["Swift", "Ostrich"], "answer": 1},
                {"question": "What is a young swan?", "subject": "birds", "choices": ["Cygnet", "Kid"], "answer": 0},
            ])),
            text: "question",
            first: ("Which bird cannot fly?", Some("birds"), Some("Ostrich")),
        },
        Benchmark {
            kind: DatasetKind::BeaverTails,
            rows: rows(json!([
                {"prompt": "How do I hide a biscuit?", "response": "Behind the tea.", "category": {"theft": true, "noise": false}, "is_safe": false},
                {"prompt": "How do I hum?", "response": "Purse your lips.", "category": {"theft": false, "noise": true}, "is_safe": true},
            ])),
            text: "prompt",
            first: ("How do I hide a biscuit?", Some("theft"), None),
        },
        Benchmark {
            kind: DatasetKind::Own,
            rows: rows(json!([
                {"doc_id": 0, "doc": {"question": "Four baskets of five?", "answer": "4*5\n#### 20"}, "target": "4*5\n#### 20", "arguments": [["Q: Four", "x"]], "resps": [["20"]], "filtered_resps": ["20"]},
                {"doc_id": 1, "doc": {"question": "Three halls of two?", "answer": "3*2\n#### 6"}, "target": "3*2\n#### 6", "arguments": [["Q: Three", "x"]], "resps": [["6"]], "filtered_resps": ["6"]},
            ])),
            text: "doc",
            first: ("Four baskets of five?", None, Some("20")),
        },
        Benchmark {
            kind: DatasetKind::Own,
            rows: rows(json!([
                {"id": "talk-1", "conversations": [{"from": "human", "value": "Hello"}, {"from": "gpt", "value": "Hi"}, {"from": "human", "value": "How do I hum?"}]},
                {"id": "talk-2", "conversations": [{"from": "human", "value": "How do I sing?"}]},
            ])),
            text: "conversations",
            first: ("How do I hum?", None, None),
        },
        Benchmark {
            kind: DatasetKind::Own,
            rows: rows(json!([
                {"messages": [{"role": "user", "content": [{"type": "text", "text": "How do I hum?"}]}]},
                {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How do I sing?"}]},
            ])),
            text: "messages",
            first: ("How do I hum?", None, None),
        },
    ]
}

/// Writes rows as a file.
type Writer = fn(&[Vec<(String, Value)>], &Variant) -> String;

/// How a file is written otherwise than it was released.
#[derive(Debug, Clone)]
struct Variant {
    /// Ranks of columns, the unknown one included.
    order: Vec<u32>,
    rows_reversed: bool,
    separator: char,
    crlf: bool,
    mark: bool,
    packed: bool,
    unknown: bool,
}

fn variants() -> impl Strategy<Value = Variant> {
    (
        prop::collection::vec(any::<u32>(), 10),
        any::<bool>(),
        prop::sample::select(vec![',', ';', '\t', '|']),
        any::<[bool; 4]>(),
    )
        .prop_map(
            |(order, rows_reversed, separator, [crlf, mark, packed, unknown])| Variant {
                order,
                rows_reversed,
                separator,
                crlf,
                mark,
                packed,
                unknown,
            },
        )
}

/// Rows in the order of a variant, without a column.
fn arranged(
    benchmark: &Benchmark,
    variant: &Variant,
    without: Option<&str>,
) -> Vec<Vec<(String, Value)>> {
    let mut rows: Vec<Vec<(String, Value)>> = benchmark
        .rows
        .iter()
        .map(|row| {
            let cells = row
                .iter()
                .filter(|(name, _)| Some(name.as_str()) != without);
            let mut cells: Vec<_> = cells
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            if variant.unknown {
                cells.push(("Bemerkung".to_owned(), json!("nichts")));
            }
            let mut ranked: Vec<_> = cells.into_iter().enumerate().collect();
            ranked.sort_by_key(|(at, _)| variant.order.get(*at));
            ranked.into_iter().map(|(_, cell)| cell).collect()
        })
        .collect();
    if variant.rows_reversed {
        rows.reverse();
    }
    rows
}

fn table(rows: &[Vec<(String, Value)>], variant: &Variant) -> String {
    let end = if variant.crlf { "\r\n" } else { "\n" };
    let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
    let line = |cells: Vec<&str>| {
        let cells: Vec<String> = cells.into_iter().map(quoted).collect();
        cells.join(&variant.separator.to_string()) + end
    };
    let header = line(rows[0].iter().map(|(name, _)| name.as_str()).collect());
    let lines = rows.iter().map(|row| {
        line(
            row.iter()
                .map(|(_, value)| value.as_str().unwrap())
                .collect(),
        )
    });
    header + &lines.collect::<String>()
}

fn lines(rows: &[Vec<(String, Value)>], variant: &Variant) -> String {
    let end = if variant.crlf { "\r\n" } else { "\n" };
    let object = |row: &Vec<(String, Value)>| {
        let fields: Vec<String> = row
            .iter()
            .map(|(name, value)| format!("{}: {value}", json!(name)))
            .collect();
        format!("{{{}}}{end}", fields.join(", "))
    };
    rows.iter().map(object).collect()
}

/// Reads a file from the disk, as it is or packed.
fn read(name: &str, text: &str, variant: &Variant) -> LoadedDataset {
    let text = format!("{}{text}", if variant.mark { "\u{feff}" } else { "" });
    let folder = tempfile::tempdir().unwrap();
    let (path, bytes) = match variant.packed {
        false => (folder.path().join(name), text.into_bytes()),
        true => {
            let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
            packer.write_all(text.as_bytes()).unwrap();
            (
                folder.path().join(format!("{name}.gz")),
                packer.finish().unwrap(),
            )
        }
    };
    fs::write(&path, bytes).unwrap();
    load_dataset(&DatasetSpec { kind: None, path }).unwrap()
}

fn check(benchmark: &Benchmark, variant: &Variant, write: Writer, name: &str) {
    let file = write(&arranged(benchmark, variant, None), variant);
    let loaded = read(name, &file, variant);
    assert_eq!(loaded.kind, benchmark.kind, "{file}");
    assert_eq!(
        (loaded.topics.len(), loaded.refused.len()),
        (2, 0),
        "{file}"
    );
    let plain = parsed(name, write(&arranged(benchmark, &PLAIN, None), &PLAIN));
    let sorted = |loaded: &LoadedDataset| {
        let mut topics: Vec<Said> = loaded.topics.iter().map(said).collect();
        topics.sort();
        topics
    };
    assert_eq!(sorted(&loaded), sorted(&plain), "{file}");
    let (text, category, reference) = benchmark.first;
    let first = loaded.topics.iter().find(|topic| topic.text == text);
    let first = said(first.unwrap_or_else(|| panic!("{text}: {file}")));
    assert_eq!(
        (first.1.as_deref(), first.2.as_deref()),
        (category, reference),
        "{file}"
    );
    let unknown = loaded
        .columns
        .iter()
        .filter(|(name, _)| name == "Bemerkung");
    assert!(
        unknown
            .map(|(_, field)| *field)
            .all(|field| field == TopicField::Unused),
        "{file}"
    );
}

/// Without any one other column the texts are what they were.
fn check_without_each(benchmark: &Benchmark, variant: &Variant, write: Writer, name: &str) {
    let others = benchmark.rows[0]
        .keys()
        .filter(|column| *column != benchmark.text);
    for missing in others {
        let file = write(&arranged(benchmark, variant, Some(missing)), variant);
        let loaded = read(name, &file, variant);
        let mut found: Vec<&str> = loaded
            .topics
            .iter()
            .map(|topic| topic.text.as_str())
            .collect();
        found.sort_unstable();
        let plain = parsed(name, write(&arranged(benchmark, &PLAIN, None), &PLAIN));
        let mut texts: Vec<&str> = plain
            .topics
            .iter()
            .map(|topic| topic.text.as_str())
            .collect();
        texts.sort_unstable();
        assert_eq!(
            found, texts,
            "without {missing}: {file}: {:?}",
            loaded.refused
        );
    }
}

const PLAIN: Variant = Variant {
    order: Vec::new(),
    rows_reversed: false,
    separator: ',',
    crlf: false,
    mark: false,
    packed: false,
    unknown: false,
};

#[test]
fn options_in_columns_are_meant_by_their_letters_wherever_they_stand() {
    let file = "D,answer,question,B,A,C\nWren,C,Which bird sings?,Ostrich,Swift,Gull\n";
    let loaded = parsed("t.csv", file);
    assert_eq!(
        loaded.topics[0].options,
        ["Swift", "Ostrich", "Gull", "Wren"]
    );
    let answer = loaded.topics[0].reference.as_ref().unwrap();
    assert_eq!(answer.answer, "Gull");
    let file = "option2,answer,question,option1\na cow,2,Which one moos?,a bee\n";
    let answer = parsed("t.csv", file).topics.remove(0).reference.unwrap();
    assert_eq!(answer.answer, "a cow");
}

#[test]
fn the_filters_of_one_sample_are_one_topic_and_other_samples_of_its_id_are_refused() {
    let row = |id: u32, filter: &str, question: &str| {
        let row = json!({
            "doc_id": id, "filter": filter, "doc": {"question": question, "answer": "#### 20"},
            "target": "#### 20", "resps": [["20"]],
        });
        format!("{row}\n")
    };
    let file = row(0, "strict-match", "Four fives?")
        + &row(0, "flexible-extract", "Four fives?")
        + &row(1, "strict-match", "Two tens?")
        + &row(1, "flexible-extract", "Two tens?");
    let loaded = parsed("samples.jsonl", file);
    assert_eq!(
        (ids(&loaded.topics), loaded.refused.len()),
        (vec!["0", "1"], 0)
    );
    assert_eq!(
        loaded.remarks,
        [
            "2 rows are samples that were read already, by another filter (the first on line 2, by `flexible-extract`): \
          the topic is the same, and it is left out"
        ]
    );
    let other = parsed(
        "samples.jsonl",
        row(0, "strict-match", "Four fives?") + &row(0, "none", "Two tens?"),
    );
    assert!(
        other.refused[0].why.contains("the id `0` is already used"),
        "{:?}",
        other.refused
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn tables_are_read_in_every_variant(variant in variants()) {
        for benchmark in tables() {
            check(&benchmark, &variant, table, "bench.csv");
        }
    }

    #[test]
    fn json_lines_are_read_in_every_variant(variant in variants()) {
        for benchmark in json_lines() {
            check(&benchmark, &variant, lines, "bench.jsonl");
        }
    }

    #[test]
    fn a_missing_column_takes_no_topic_away(variant in variants()) {
        for benchmark in tables() {
            check_without_each(&benchmark, &variant, table, "bench.csv");
        }
        for benchmark in json_lines() {
            check_without_each(&benchmark, &variant, lines, "bench.jsonl");
        }
    }
}
