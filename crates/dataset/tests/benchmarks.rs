//! TriviaQA, XSTest, and the options and level of a topic.

mod math;
mod released;

use super::*;

/// The problem, its level and type, and a solution.
fn problem(text: &str, level: &str, solution: &str) -> String {
    serde_json::json!({"problem": text, "level": level, "type": "Algebra", "solution": solution})
        .to_string()
}

fn answers(loaded: &LoadedDataset) -> Vec<&str> {
    let references = loaded.topics.iter().filter_map(|t| t.reference.as_ref());
    references.map(|r| r.answer.as_str()).collect()
}

fn why(loaded: &LoadedDataset) -> Vec<(u64, &str)> {
    let refused = loaded.refused.iter();
    refused.map(|r| (r.line, r.why.as_str())).collect()
}

fn error_of(path: &Path, kind: Option<DatasetKind>) -> String {
    let path = path.to_owned();
    load_dataset(&DatasetSpec { kind, path })
        .unwrap_err()
        .to_string()
}

#[test]
fn every_row_of_an_array_that_is_written_on_one_line_is_a_topic() {
    let rows = "[{\"text\":\"one\"},{\"text\":\"two\"},{\"text\":\"three\"}]";
    let ids = parsed("rows.json", rows)
        .topics
        .into_iter()
        .map(|topic| topic.id);
    assert_eq!(ids.collect::<Vec<_>>(), ["rows:1", "rows:1.2", "rows:1.3"]);
}

#[test]
fn a_level_selects_and_one_that_is_nowhere_says_which_there_are() {
    let rows = ["Level 1", "Level 4", "Level ?", "5", "Level 4"];
    let rows = rows.map(|level| problem("Why?", level, r"\boxed{1}"));
    let loaded = parsed("m.jsonl", rows.join("\n"));
    let levels: Vec<_> = loaded.topics.iter().map(|topic| topic.level).collect();
    assert_eq!(levels, [Some(1), Some(4), None, Some(5), Some(4)]);
    assert_eq!(loaded.notes.len(), 1);
    assert!(loaded.notes[0].line == 3 && loaded.notes[0].what.contains("`Level ?`"));
    let of = |topics: &[Topic], levels: &[u8]| {
        let levels = levels.to_vec();
        select_topics(
            topics.to_vec(),
            &Selection {
                levels,
                ..Selection::default()
            },
        )
    };
    assert_eq!(
        ids(&of(&loaded.topics, &[4, 5]).unwrap()),
        ["m:2", "m:4", "m:5"]
    );
    let error = of(&loaded.topics, &[4, 9]).unwrap_err().to_string();
    assert_eq!(error, "no topic has the level 9; there are: 1, 4, 5");
    let none = parsed("t.txt", "hello\n").topics;
    let error = of(&none, &[4]).unwrap_err().to_string();
    assert!(
        error.contains("no topic of the dataset has a level"),
        "{error}"
    );
}

const AS_RELEASED: &str = r#"{
  "Data": [
    {"Question": "Which tree?", "QuestionId": "tc_1", "QuestionSource": "here",
     "Answer": {"Value": "Oak", "Type": "FreeForm", "NormalizedValue": "oak",
                "Aliases": ["Oak", "The Oak"], "NormalizedAliases": ["oak", "The Oak"]}},
    {"Question": "Which bird?", "QuestionId": "tc_2", "QuestionSource": "here"}
  ],
  "Domain": "Web"
}"#;

#[test]
fn triviaqa_as_released_gives_the_answer_and_each_alias_once() {
    let loaded = parsed("web-dev.json", AS_RELEASED);
    assert_eq!(
        (loaded.kind, ids(&loaded.topics)),
        (DatasetKind::TriviaQa, vec!["tc_1", "tc_2"])
    );
    let reference = loaded.topics[0].reference.as_ref().unwrap();
    assert_eq!(reference.answer, "Oak");
    assert_eq!(reference.aliases, ["The Oak", "oak"]);
    assert_eq!(loaded.topics[1].reference, None);
    let note = loaded.notes.last().unwrap();
    assert!(
        note.line == 6 && note.what.contains("no answer"),
        "{note:?}"
    );
}

#[test]
fn triviaqa_as_rows_is_recognised_by_its_answers() {
    let row = r#"{"question": "Which tree?", "question_id": "tc_1", "answer": {"value": "Oak", "aliases": ["The Oak"], "normalized_value": "oak", "normalized_aliases": ["oak"]}}"#;
    let held_back = r#"{"question": "Which bird?", "question_id": "tc_2", "answer": {"value": "<unk>", "aliases": [], "normalized_value": "<unk>", "normalized_aliases": []}}"#;
    let viewer =
        |row: &str, at| format!(r#"{{"row_idx": {at}, "row": {row}, "truncated_cells": []}}"#);
    let viewed = [viewer(row, 0), viewer(held_back, 1)].join(",");
    for (name, bytes) in [
        ("t.jsonl", format!("{row}\n{held_back}\n")),
        ("t.json", format!("[{row},\n{held_back}]")),
        (
            "t.json",
            format!(r#"{{"features": [], "rows": [{viewed}], "num_rows_total": 2}}"#),
        ),
    ] {
        let loaded = parsed(name, &bytes);
        assert_eq!(
            (loaded.kind, ids(&loaded.topics)),
            (DatasetKind::TriviaQa, vec!["tc_1", "tc_2"])
        );
        let reference = loaded.topics[0].reference.as_ref().unwrap();
        assert_eq!(reference.aliases, ["The Oak", "oak"], "{bytes}");
        assert_eq!(loaded.topics[1].reference, None, "{bytes}");
    }
    let table = parse_dataset(
        Some(DatasetKind::TriviaQa),
        "t.csv",
        b"question,answer\na,b\n",
        &|_| Ok(String::new()),
    );
    assert!(table.refused[0].why.contains("read from JSON"));
}

#[test]
fn xstest_prompts_expect_safe_or_unsafe_and_nothing_else() {
    let loaded = parsed(
        "p.csv",
        "id,prompt,type,label,focus,note\n1,\"How do I\nkill time?\",homonyms,safe,kill,\n\
         2,How do I stop time?,homonyms,Unsafe,stop,x\n3,What?,homonyms,maybe,,\n4,Who?,homonyms,,,\n",
    );
    assert_eq!(
        (loaded.kind, ids(&loaded.topics)),
        (DatasetKind::XsTest, vec!["1", "2"])
    );
    let expected: Vec<_> = loaded
        .topics
        .iter()
        .map(|t| t.expected.as_deref())
        .collect();
    assert_eq!(expected, [Some("safe"), Some("unsafe")]);
    assert_eq!(loaded.topics[0].category.as_deref(), Some("homonyms"));
    assert_eq!(
        why(&loaded),
        [
            (
                5,
                "the label `maybe` is neither safe nor unsafe: mend the row or leave it out"
            ),
            (6, "there is no `label`: write safe or unsafe"),
        ]
    );
}

#[test]
fn xstest_completions_are_told_from_the_prompts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.csv");
    fs::write(
        &path,
        "id,type,prompt,completion,annotation_1,annotation_2,agreement,final_label\n\
         v2-1,homonyms,Why?,Because.,1_full_compliance,1_full_compliance,True,1_full_compliance\n",
    )
    .unwrap();
    for kind in [None, Some(DatasetKind::XsTest)] {
        let error = error_of(&path, kind);
        assert!(error.contains("XSTest's completions"), "{error}");
        assert!(
            error.ends_with("focus and note)"),
            "no idle advice: {error}"
        );
    }
}

#[test]
fn a_missing_column_is_named_with_those_that_are_there() {
    for (kind, header, expected) in [
        (
            DatasetKind::XsTest,
            "id,prompt,type",
            "no column holds the right label: there are id, prompt, type; name one label",
        ),
        (DatasetKind::XsTest, "id,label", "name one prompt"),
        (
            DatasetKind::Math,
            "problem,level",
            "no column holds the solution",
        ),
        (DatasetKind::Math, "solution,level", "name one problem"),
    ] {
        let loaded = parse_dataset(
            Some(kind),
            "t.csv",
            format!("{header}\n").as_bytes(),
            &|_| Ok(String::new()),
        );
        assert!(
            loaded.refused[0].why.contains(expected),
            "{:?}",
            loaded.refused
        );
    }
}

#[test]
fn a_broken_object_names_the_line_on_which_it_breaks() {
    let loaded = parsed("m.json", "{\n \"problem\": \"Why?\"\n \"level\": 1\n}\n");
    assert_eq!(lines(&loaded), [3]);
    assert!(loaded.refused[0].why.contains("the file is not valid JSON"));
    let loaded = parsed(
        "m.json",
        b"{\n \"problem\":\n \"W\xff\"\n \"level\": 1\n}\n",
    );
    assert_eq!(lines(&loaded), [3]);
    assert!(loaded.refused[0].why.contains("UTF-8"));
}

#[test]
fn a_row_of_forty_megabytes_is_refused_and_the_next_one_read() {
    let huge = "a".repeat(40 << 20);
    for (name, bytes) in [
        (
            "t.jsonl",
            format!("{{\"text\":\"{huge}\"}}\n{{\"text\":\"next\"}}\n"),
        ),
        ("t.csv", format!("text,id\n{huge},\nnext,\n")),
        ("t.txt", format!("{huge}\nnext\n")),
    ] {
        let loaded = parsed(name, bytes);
        assert_eq!(loaded.topics.len(), 1, "{name}");
        assert_eq!(loaded.topics[0].text, "next");
        let why = &loaded.refused[0].why;
        assert!(
            why.contains("40 MiB") && why.contains("at most 16"),
            "{why}"
        );
    }
}

#[test]
fn options_are_a_list_in_json_and_also_divided_by_bars_in_a_cell() {
    let in_json = parsed(
        "t.jsonl",
        r#"{"text": "Which?", "options": ["Adopt X", 2, "Defer"]}"#,
    );
    assert_eq!(in_json.topics[0].options, ["Adopt X", "2", "Defer"]);
    let table = "text,options\nA?,Adopt X | Defer\nB?,\"[\"\"x|y\"\",\"\"z\"\"]\"\nC?,\n";
    let in_cells = parsed("t.csv", table);
    let options: Vec<_> = in_cells.topics.iter().map(|t| t.options.clone()).collect();
    assert_eq!(
        options,
        [vec!["Adopt X", "Defer"], vec!["x|y", "z"], vec![]]
    );
    assert!(
        !serde_json::to_string(&in_cells.topics[2])
            .unwrap()
            .contains("options")
    );
}

#[test]
fn options_that_are_none_refuse_their_row() {
    let rows = [
        r#"{"text": "a", "options": "X or Y"}"#,
        r#"{"text": "b", "options": {"A": "x"}}"#,
        r#"{"text": "c", "options": ["x", " "]}"#,
        r#"{"text": "d", "options": [["x"]]}"#,
    ];
    let loaded = parsed("t.jsonl", rows.join("\n"));
    assert_eq!(lines(&loaded), [1, 2, 3, 4]);
    for (at, expected) in [
        "no list of texts",
        "no list of texts",
        "empty option",
        "no list of texts",
    ]
    .iter()
    .enumerate()
    {
        assert!(
            loaded.refused[at].why.contains(expected),
            "{:?}",
            loaded.refused[at]
        );
    }
    let loaded = parsed("t.csv", "text,options\na,x||y\nb,[x\n");
    assert!(
        loaded.refused[0].why.contains("empty option"),
        "{:?}",
        loaded.refused
    );
    assert!(
        loaded.refused[1].why.contains("not valid JSON"),
        "{:?}",
        loaded.refused
    );
}
