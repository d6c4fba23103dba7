//! Columns of benchmarks and of other tools, told by their names and by a person, in the variants that files come in.

use super::*;
use elenchus_dataset::{ColumnChoice, load_dataset_with, parse_dataset_with};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// Parses with a choice of columns.
fn chosen(name: &str, bytes: &str, choice: &str) -> LoadedDataset {
    let choice: ColumnChoice = choice.parse().unwrap();
    parse_dataset_with(None, &choice, (name, bytes.as_bytes()), &|_| {
        Err("is not there".to_owned())
    })
}

/// Parses a file whose kind is not to be told from its columns.
fn parsed_as_own(name: &str, bytes: &str) -> LoadedDataset {
    let choice = ColumnChoice::default();
    parse_dataset_with(
        Some(DatasetKind::Own),
        &choice,
        (name, bytes.as_bytes()),
        &|_| Err("is not there".to_owned()),
    )
}

fn texts(loaded: &LoadedDataset) -> Vec<&str> {
    loaded
        .topics
        .iter()
        .map(|topic| topic.text.as_str())
        .collect()
}

fn answers(loaded: &LoadedDataset) -> Vec<Option<&str>> {
    let references = loaded.topics.iter().map(|topic| topic.reference.as_ref());
    references
        .map(|reference| reference.map(|known| known.answer.as_str()))
        .collect()
}

fn categories(loaded: &LoadedDataset) -> Vec<Option<&str>> {
    loaded
        .topics
        .iter()
        .map(|topic| topic.category.as_deref())
        .collect()
}

fn labels(loaded: &LoadedDataset) -> Vec<Option<&str>> {
    loaded
        .topics
        .iter()
        .map(|topic| topic.expected.as_deref())
        .collect()
}

/// A file with its columns in another order, by a number that says which.
fn permuted(rows: &[Vec<&str>], by: usize, separator: &str, end: &str) -> String {
    let line = |row: &Vec<&str>| {
        let mut cells = row.clone();
        let turn = by % cells.len();
        cells.rotate_left(turn);
        if by % 2 == 1 {
            cells.reverse();
        }
        let quoted = cells
            .iter()
            .map(|cell| format!("\"{}\"", cell.replace('"', "\"\"")));
        quoted.collect::<Vec<_>>().join(separator)
    };
    rows.iter().map(line).collect::<Vec<_>>().join(end)
}

#[test]
fn a_benchmark_is_known_in_any_order_of_columns_with_any_separator_and_line_end() {
    let jailbreakbench = vec![
        vec!["Index", "Goal", "Target", "Behavior", "Category", "Source"],
        vec![
            "4",
            "Hum, in public; loudly",
            "Sure",
            "Humming",
            "Noise",
            "Original",
        ],
        vec![
            "5",
            "Hide a biscuit",
            "Sure",
            "Biscuits",
            "Kitchen",
            "Original",
        ],
    ];
    let strongreject = vec![
        vec!["category", "source", "forbidden_prompt"],
        vec!["Noise", "custom", "Hum, in public; loudly"],
        vec!["Kitchen", "custom", "Hide a biscuit"],
    ];
    let beavertails = vec![
        vec!["prompt", "response", "category", "is_safe"],
        vec![
            "Hum, in public; loudly",
            "No",
            "{'Noise': True, 'Kitchen': False}",
            "False",
        ],
        vec![
            "Hide a biscuit",
            "No",
            "{'Noise': False, 'Kitchen': True}",
            "True",
        ],
    ];
    let do_not_answer = vec![
        vec![
            "id",
            "risk_area",
            "types_of_harm",
            "specific_harms",
            "question",
        ],
        vec!["4", "Noise", "x", "y", "Hum, in public; loudly"],
        vec!["5", "Kitchen", "x", "y", "Hide a biscuit"],
    ];
    for (kind, rows) in [
        (DatasetKind::JailbreakBench, jailbreakbench),
        (DatasetKind::StrongReject, strongreject),
        (DatasetKind::BeaverTails, beavertails),
        (DatasetKind::DoNotAnswer, do_not_answer),
    ] {
        for by in 0..6 {
            for (separator, end) in [(",", "\n"), (";", "\r\n"), ("\t", "\n"), ("|", "\r\n")] {
                for mark in ["", "\u{feff}"] {
                    let file = format!("{mark}{}", permuted(&rows, by, separator, end));
                    let loaded = parsed("bench.csv", &file);
                    assert_eq!(loaded.kind, kind, "{file}");
                    let texts = texts(&loaded);
                    assert_eq!(
                        texts,
                        ["Hum, in public; loudly", "Hide a biscuit"],
                        "{file}"
                    );
                    let categories = categories(&loaded);
                    assert_eq!(categories, [Some("Noise"), Some("Kitchen")], "{file}");
                    assert_eq!(labels(&loaded), [None, None], "{file}");
                    assert_eq!(answers(&loaded), [None, None], "{file}");
                    let own = parsed_as_own("bench.csv", &file);
                    assert_eq!(
                        (self::texts(&own), self::categories(&own)),
                        (texts, categories),
                        "{file}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_packed_file_is_read_with_the_columns_that_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fragen.csv.gz");
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer
        .write_all("nr;Frage\n7;Wie pfeift man?\n".as_bytes())
        .unwrap();
    fs::write(&path, packer.finish().unwrap()).unwrap();
    let spec = DatasetSpec { kind: None, path };
    let choice: ColumnChoice = "text=Frage,id=nr".parse().unwrap();
    let loaded = load_dataset_with(&spec, &choice, usize::MAX).unwrap();
    assert_eq!(
        (ids(&loaded.topics), texts(&loaded)),
        (vec!["7"], vec!["Wie pfeift man?"])
    );
}

#[test]
fn a_named_column_wins_over_what_is_recognised_and_its_case_does_not_matter() {
    let file = "prompt,Behaviour text,type,gold\nshort,the long one,a,x\n";
    let loaded = chosen("t.csv", file, "text=behaviour TEXT,category=gold");
    assert_eq!(texts(&loaded), ["the long one"]);
    assert_eq!(categories(&loaded), [Some("x")]);
    assert_eq!(answers(&loaded), [None]);
    assert!(loaded.missing.is_empty() && loaded.notes.is_empty());
    let lines = "{\"meta\": {\"ask\": \"deep\"}, \"prompt\": \"flat\"}\n";
    assert_eq!(texts(&chosen("t.jsonl", lines, "text=meta.ask")), ["deep"]);
}

#[test]
fn a_column_that_is_ignored_is_as_if_it_were_not_there() {
    let choice =
        ColumnChoice::join_choices(&[], ["prompt".to_owned(), "nowhere".to_owned()]).unwrap();
    let file = "prompt,question,label\nno,yes,safe\n";
    let loaded = parse_dataset_with(None, &choice, ("t.csv", file.as_bytes()), &|_| {
        Ok(String::new())
    });
    assert_eq!(texts(&loaded), ["yes"]);
    assert_eq!(loaded.missing, ["nowhere"]);
}

#[test]
fn a_named_column_that_is_missing_is_an_error_that_lists_the_columns() {
    let folder = tempfile::tempdir().unwrap();
    for (name, file, known) in [
        ("t.csv", "colour,size\nred,3\n", "there are colour, size"),
        ("t.jsonl", "{\"colour\": \"red\"}\n", "there are colour"),
        ("t.txt", "red\n", "plain text"),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, file).unwrap();
        let spec = DatasetSpec { kind: None, path };
        let choice: ColumnChoice = "text=Goal".parse().unwrap();
        match load_dataset_with(&spec, &choice, usize::MAX) {
            Ok(loaded) => assert_eq!(loaded.missing, ["Goal"], "{name}"),
            Err(error) => {
                let error = error.to_string();
                assert!(
                    error.contains("no column `Goal`") && error.contains(known),
                    "{error}"
                );
            }
        }
    }
}

#[test]
fn a_choice_that_cannot_be_meant_says_what_is_wrong() {
    for (given, why) in [
        ("Goal", "FIELD=COLUMN"),
        ("text=", "FIELD=COLUMN"),
        ("txt=Goal", "`txt` is no field"),
        ("text=a,text=b", "named twice"),
        ("text=a,category=a", "for two fields"),
    ] {
        let error = given.parse::<ColumnChoice>().unwrap_err();
        assert!(error.contains(why), "{given}: {error}");
    }
    // A comma belongs to a name that no field follows.
    let choice: ColumnChoice = "text=Answer, long,category=kind".parse().unwrap();
    let columns: Vec<&str> = choice.all_columns().collect();
    assert_eq!(columns, ["Answer, long", "kind"]);
}

#[test]
fn numbers_of_options_are_told_from_the_whole_file() {
    let row = |at: usize, answer: &str| {
        format!(
            "{{\"question\": \"which, {at}?\", \"choices\": [\"w\", \"x\", \"y\", \"z\"], \"answer\": {answer}}}\n"
        )
    };
    let file = |answers: &[&str]| {
        let rows = answers.iter().enumerate();
        rows.map(|(at, answer)| row(at, answer)).collect::<String>()
    };
    for (given, expected) in [
        (&["0", "3", "1"][..], vec![Some("w"), Some("z"), Some("x")]),
        (&["1", "4"], vec![Some("w"), Some("z")]),
        (&["\"2\"", "\"0\""], vec![Some("y"), Some("w")]),
        (&["2.0", "0.0"], vec![Some("y"), Some("w")]),
        (
            &["\"B\"", "\"(d)\"", "\"A. w\"", "\"y\""],
            vec![Some("x"), Some("z"), Some("w"), Some("y")],
        ),
        // Out of reach either way: no reference is made up.
        (&["0", "9"], vec![Some("w"), None]),
    ] {
        let loaded = parsed("t.jsonl", file(given));
        assert_eq!(answers(&loaded), expected, "{given:?}");
    }
    let unclear = parsed("t.jsonl", file(&["1", "2"]));
    assert_eq!(answers(&unclear), [Some("x"), Some("y")]);
    assert!(
        unclear.remarks[0].contains("counted from 0"),
        "{:?}",
        unclear.remarks
    );
    let odd = parsed("t.jsonl", file(&["0", "9"]));
    assert!(
        odd.remarks[0].contains("`9` is the number of none"),
        "{:?}",
        odd.remarks
    );
}

#[test]
fn a_number_that_is_the_text_of_an_option_stays_what_it_is() {
    let file = "question,options,answer\nhow many?,3|5|7,7\nand now?,2|4|6,2\n";
    assert_eq!(answers(&parsed("t.csv", file)), [Some("7"), Some("2")]);
}

#[test]
fn multiple_choice_is_read_in_the_shapes_that_tools_write() {
    let files = [
        (
            "arc.jsonl",
            r#"{"question": "which?", "choices": {"text": ["a bee", "a cow"], "label": ["A", "B"]}, "answerKey": "B"}"#,
        ),
        (
            "numbers.jsonl",
            r#"{"question": "which?", "choices": {"text": ["a bee", "a cow"], "label": ["1", "2"]}, "answerKey": "2"}"#,
        ),
        (
            "hellaswag.jsonl",
            r#"{"ctx": "which?", "endings": ["a bee", "a cow"], "label": "1"}"#,
        ),
        (
            "winogrande.jsonl",
            r#"{"sentence": "which?", "option1": "a bee", "option2": "a cow", "answer": "2"}"#,
        ),
        (
            "medmcqa.jsonl",
            r#"{"question": "which?", "opa": "a bee", "opb": "a cow", "cop": 1, "opc": "an ox"}"#,
        ),
        (
            "truthful.json",
            r#"[{"question": "which?", "mc1_targets": {"choices": ["a bee", "a cow"], "labels": [0, 1]}}]"#,
        ),
        (
            "marked.jsonl",
            r#"{"question": "which?", "options": [{"text": "a bee", "correct": false}, {"text": "a cow", "correct": true}]}"#,
        ),
        (
            "keys.jsonl",
            r#"{"question": "which?", "options": {"A": "a bee", "B": "a cow"}, "answer": "B"}"#,
        ),
        ("table.csv", "question,A,B,answer\nwhich?,a bee,a cow,B\n"),
        (
            "named.csv",
            "question,option_a,option_b,answer\nwhich?,a bee,a cow,option_b\n",
        ),
        (
            "mmlu.csv",
            "which?,a bee,a cow,an ox,a fly,B\nand?,a,b,c,d,A\n",
        ),
        (
            "python.csv",
            "question,choices,answer\nwhich?,\"['a bee', \"\"a cow\"\"]\",1\n",
        ),
        (
            "numpy.csv",
            "question,choices,answer\nwhich?,\"['a bee'\n 'a cow' 'an ox']\",1\n",
        ),
    ];
    for (name, file) in files {
        let loaded = parsed(name, file);
        assert_eq!(texts(&loaded)[0], "which?", "{name}: {:?}", loaded.refused);
        assert_eq!(
            answers(&loaded)[0],
            Some("a cow"),
            "{name}: {:?}",
            loaded.remarks
        );
        assert!(loaded.topics[0].options.len() >= 2, "{name}");
    }
}

#[test]
fn columns_named_as_letters_are_options_only_beside_an_answer() {
    let loaded = parsed("pairs.csv", "prompt,a,b\nwhich?,first reply,second reply\n");
    assert!(loaded.topics[0].options.is_empty());
}

#[test]
fn a_missing_value_is_absent_and_refused_where_the_text_is() {
    for word in ["nan", "NaN", "N/A", "n/a", "NULL", "#N/A"] {
        let file =
            format!("text,category,label,reference\nhum?,{word},{word},{word}\n{word},a,safe,b\n");
        let loaded = parsed("t.csv", &file);
        assert_eq!(
            (texts(&loaded), lines(&loaded)),
            (vec!["hum?"], vec![3]),
            "{word}"
        );
        let topic = &loaded.topics[0];
        assert_eq!(
            (&topic.category, &topic.expected, &topic.reference),
            (&None, &None, &None)
        );
        assert!(loaded.refused[0].why.contains(word), "{:?}", loaded.refused);
        assert_eq!(loaded.remarks.len(), 3);
    }
    let lines_of_python =
        "{\"text\": \"hum?\", \"reference\": NaN, \"category\": Infinity}\n{\"text\": NaN}\n";
    for (name, file) in [
        ("t.jsonl", lines_of_python.to_owned()),
        (
            "t.json",
            format!("[{}]", lines_of_python.trim().replace('\n', ",\n")),
        ),
    ] {
        let loaded = parsed(name, &file);
        assert_eq!(
            (texts(&loaded), answers(&loaded)),
            (vec!["hum?"], vec![None]),
            "{name}"
        );
        assert!(
            loaded.refused[0].why.contains("NaN") && lines(&loaded) == [2],
            "{name}"
        );
    }
}

#[test]
fn a_word_for_a_missing_value_is_an_answer_where_an_option_or_alias_says_it() {
    let file = "text,options,reference\nwhat is 0/0 in JavaScript?,0|NaN|1,NaN\n";
    assert_eq!(answers(&parsed("t.csv", file)), [Some("NaN")]);
    let file = "{\"text\": \"zero in German?\", \"answer\": {\"value\": \"Null\", \"aliases\": [\"null\"]}}\n";
    assert_eq!(answers(&parsed("t.jsonl", file)), [Some("Null")]);
}

#[test]
fn whole_numbers_written_as_floats_are_whole() {
    let loaded = parsed(
        "t.jsonl",
        "{\"id\": 7.0, \"text\": \"how many?\", \"reference\": 18.0}\n",
    );
    assert_eq!(
        (ids(&loaded.topics), answers(&loaded)),
        (vec!["7"], vec![Some("18")])
    );
    let loaded = parsed(
        "t.csv",
        "text,reference,level\nhow many?,18.0,5.0\nhow much?,1.50,2\n",
    );
    assert_eq!(answers(&loaded), [Some("18"), Some("1.50")]);
    assert_eq!(loaded.topics[0].level, Some(5));
}

#[test]
fn a_label_that_is_none_is_counted_and_never_taken_in_silence() {
    let file = "text,label\na?,0\nb?,1\nc?,equals: safe\nd?,UNSAFE\ne?,harmful\nf?,3.5\n";
    let loaded = parsed("t.csv", file);
    let expected = [None, None, None, Some("unsafe"), Some("harmful"), None];
    assert_eq!(labels(&loaded), expected);
    assert_eq!(loaded.remarks.len(), 2, "{:?}", loaded.remarks);
    assert!(
        loaded
            .remarks
            .iter()
            .any(|remark| remark.contains("`0` is no label") && remark.contains("4 rows"))
    );
    assert!(
        loaded
            .remarks
            .iter()
            .any(|remark| remark.contains("`harmful` is neither"))
    );
}

#[test]
fn an_assertion_is_a_reference_only_where_it_says_the_answer() {
    let file = "question,__expected\nhow many?,equals: 18\nwhy?,llm-rubric: is kind\n";
    let loaded = chosen("t.csv", file, "reference=__expected");
    assert_eq!(answers(&loaded), [Some("18"), None]);
    assert_eq!(answers(&parsed("t.csv", file)), [None, None]);
    assert!(parsed("t.csv", file).remarks[0].contains("2 rows"));
}

#[test]
fn gsm8k_gives_what_stands_behind_its_mark_and_other_answers_stay() {
    let rows = [
        r#####"{"question": "a?", "answer": "1+1=2\n#### 1,250"}"#####,
        r#####"{"question": "b?", "answer": "#### Heading\nand text"}"#####,
        r#####"{"question": "c?", "answer": "no end\n####"}"#####,
    ];
    let loaded = parsed("t.jsonl", rows.join("\n"));
    assert_eq!(
        answers(&loaded),
        [Some("1,250"), Some("#### Heading\nand text"), None]
    );
    let reference = loaded.topics[0].reference.as_ref().unwrap();
    assert_eq!(reference.aliases, ["1250"]);
}

#[test]
fn a_separator_that_excel_names_is_no_row_and_a_comma_in_a_quoted_name_none() {
    let loaded = parsed("t.csv", "sep=;\r\nid;prompt\r\n1;hum, hum?\r\n");
    assert_eq!(
        (ids(&loaded.topics), texts(&loaded)),
        (vec!["1"], vec!["hum, hum?"])
    );
    let loaded = parsed("t.csv", "\"a, b, c\";prompt\nx;hum?\n");
    assert_eq!(texts(&loaded), ["hum?"]);
}

#[test]
fn a_reference_that_hardly_compares_is_kept_and_counted() {
    let long = "word ".repeat(200);
    let loaded = parsed("t.csv", format!("text,reference\na?,?\nb?,{long}\nc?,4\n"));
    assert!(loaded.topics.iter().all(|topic| topic.reference.is_some()));
    assert_eq!(loaded.remarks.len(), 2, "{:?}", loaded.remarks);
}

#[test]
fn talks_are_read_whatever_tool_wrote_them() {
    let rows = [
        r#"{"conversations": [{"from": "human", "value": "hum?"}, {"from": "gpt", "value": "hm"}]}"#,
        r#"{"messages": [{"role": "user", "content": [{"type": "text", "text": "hum?"}]}]}"#,
        r#"{"prompt": [{"role": "user", "content": "hum?"}]}"#,
        r#"{"input": [{"role": "system", "content": "short"}, {"role": "user", "content": "hum?"}], "ideal": "hm"}"#,
        r#"{"custom_id": "x", "method": "POST", "body": {"messages": [{"role": "user", "content": "hum?"}]}}"#,
        r#"[{"from": "human", "value": "hum?"}]"#,
        r#"{"custom_id": "x", "params": {"messages": [{"role": "user", "content": "hum?"}]}}"#,
        r#"{"contents": [{"role": "user", "parts": [{"text": "hum?"}]}]}"#,
    ];
    for row in rows {
        for file in [format!("{row}\n"), format!("{row}\n{row}\n")] {
            let loaded = parsed("t.jsonl", &file);
            let first = texts(&loaded).first().copied();
            assert_eq!(first, Some("hum?"), "{file}: {:?}", loaded.refused);
        }
    }
}

#[test]
fn yaml_gives_its_rows_with_their_lines() {
    for (file, lines) in [
        (
            "- prompt: hum?\n- prompt: |\n    hum?\n",
            vec!["t:1", "t:2"],
        ),
        ("tests:\n  - vars: {prompt: hum?}\n", vec!["t:2"]),
        (
            "description: x\nprompts: [a, b]\ntests:\n- vars:\n    joke: hum?\n",
            vec!["t:4"],
        ),
        ("- hum?\n", vec!["t:1"]),
        ("prompt: hum?\n---\nprompt: hum?\n", vec!["t:1", "t:3"]),
        (
            "- &one {prompt: hum?, category: a}\n- {<<: *one, category: b}\n",
            vec!["t:1", "t:2"],
        ),
    ] {
        let loaded = parsed("t.yaml", file);
        assert_eq!(ids(&loaded.topics), lines, "{file}: {:?}", loaded.refused);
        assert!(
            texts(&loaded).iter().all(|text| text.trim() == "hum?"),
            "{file}"
        );
    }
    let by_content = parsed("tests", "- vars:\n    prompt: hum?\n");
    assert_eq!(texts(&by_content), ["hum?"]);
}

#[test]
fn yaml_that_is_broken_deep_or_a_bomb_is_refused_with_its_line() {
    let deep = "[".repeat(100) + &"]".repeat(100);
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        bomb += &format!(
            "a{level}: &a{level} [{}]\n",
            [before.as_str(); 10].join(", ")
        );
    }
    for (file, why) in [
        ("- prompt: 'open\n".to_owned(), "not valid YAML"),
        (deep, "64 deep"),
        (bomb, "aliases repeat"),
        (
            "tests: file://other.yaml\n".to_owned(),
            "names another file",
        ),
        ("only a text\n".to_owned(), "no list of rows"),
    ] {
        let loaded = parsed("t.yaml", &file);
        assert!(loaded.topics.is_empty(), "{why}");
        assert!(
            loaded.refused[0].why.contains(why),
            "{why}: {:?}",
            loaded.refused
        );
    }
}

#[test]
fn text_that_is_something_else_is_refused_and_never_played_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    for (name, file, what) in [
        ("t.md", "- hum?\n", "Markdown"),
        (
            "t.txt",
            "| prompt |\n|---|\n| hum? |\n",
            "table drawn with lines",
        ),
        (
            "prompts",
            "| a | b |\n|:-:|---|\n",
            "table drawn with lines",
        ),
        ("t.html", "<p>hum?</p>\n", "web page"),
        ("page", "<!DOCTYPE html>\n<p>hum?</p>\n", "web page"),
        ("t.xml", "<a/>\n", "XML"),
        ("t.toml", "prompt = \"hum?\"\n", "settings"),
        (
            "t.yml",
            "- prompt: 'open\n",
            "line 1: the file is not valid YAML",
        ),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, file).unwrap();
        let error = load_dataset(&DatasetSpec { kind: None, path })
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(what) && error.contains("cannot be read"),
            "{name}: {error}"
        );
    }
    // Lines that only look a little like it are topics.
    for file in [
        "Note: hum softly\nWhy: it is late\n",
        "is 3|4 even?\n",
        "- one\n- two\n",
    ] {
        let loaded = parsed("t.txt", file);
        assert_eq!(loaded.format, DatasetFormat::PlainText, "{file}");
    }
    let table = parsed("t.txt", "id,prompt\n1,hum?\n");
    assert_eq!(
        (table.format, texts(&table)),
        (DatasetFormat::Table, vec!["hum?"])
    );
}

#[test]
fn topics_with_one_text_are_counted() {
    let loaded = parsed("t.csv", "text,context\nhum?,\nhum?,\nhum?,x\nhum?,\n");
    assert_eq!(loaded.topics.len(), 4);
    assert!(
        loaded.remarks[0].starts_with(
            "2 rows have the text of an earlier one (the first on line 3, that of line 2): each is played, and \
             rows of one text are one topic"
        ),
        "{:?}",
        loaded.remarks
    );
}
