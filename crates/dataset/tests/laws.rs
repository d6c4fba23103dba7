//! Laws that hold for every file and every selection.

use super::*;

/// Bytes that look like the formats, with damage.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop::sample::select(vec![
        "text",
        "id",
        ",",
        "\"",
        "\n",
        "\r\n",
        "\r",
        "{",
        "}",
        "[",
        "]",
        ":",
        "\\",
        " ",
        "role",
        "\"role\":\"user\"",
        "\"content\":\"hi\"",
        "{\"text\":\"a\"}",
        "\"text\":",
        "1",
        "null",
        "[{\"role\":\"user\",\"content\":\"x\"}]",
        "BehaviorID,Behavior,FunctionalCategory\n",
        "\u{feff}",
        "é",
        "\"data\":[",
        "\t",
        ";",
        "|",
        "documents",
        "{\"problem\":\"a\",\"solution\":\"\\\\boxed{1}\",\"level\":\"Level 1\"}",
        "\"rows\":[{\"row\":{\"question\":\"a\"}}]",
        "prompt,label\n",
        "\\boxed{",
        "options",
        "- ",
        "prompt: ",
        "&a ",
        "*a",
        "<<: ",
        "---\n",
        "NaN",
        "choices",
        "answer",
        "label",
        "[\"a\",\"b\"]",
        "__expected",
    ]);
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..80),
        prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat().into_bytes()),
    ]
}

fn names() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "", "x", "x.csv", "x.tsv", "x.json", "x.jsonl", "x.txt", "x.yaml", "x.md", "cosafe",
    ])
}

fn kinds() -> impl Strategy<Value = Option<DatasetKind>> {
    prop::sample::select(vec![
        None,
        Some(DatasetKind::HarmBench),
        Some(DatasetKind::CoSafe),
        Some(DatasetKind::XsTest),
        Some(DatasetKind::TriviaQa),
        Some(DatasetKind::Math),
        Some(DatasetKind::Own),
    ])
}

#[test]
fn what_a_yaml_file_lacks_at_its_end_is_told_of_its_last_line() {
    for (text, last) in [
        ("<<: \n{", 2),
        ("a: \r\n- [", 2),
        ("{", 1),
        ("- a\r- [\r", 3),
    ] {
        let loaded = parse_dataset(None, "x.yaml", text.as_bytes(), &|_| Ok(String::new()));
        let told = lines(&loaded);
        assert!(!told.is_empty(), "{text:?}");
        assert!(told.iter().all(|line| *line <= last), "{text:?}: {told:?}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_the_loader_panic_and_ids_are_always_unique(
        bytes in damaged(), name in names(), kind in kinds(),
    ) {
        let loaded = parse_dataset(kind, name, &bytes, &|_| Ok(String::new()));
        let mut ids = ids(&loaded.topics);
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), loaded.topics.len());
        prop_assert!(loaded.topics.iter().all(|topic| !topic.text.trim().is_empty()));
        let ends = bytes.iter().filter(|b| matches!(b, b'\n' | b'\r')).count() as u64;
        for line in lines(&loaded).into_iter().chain(loaded.notes.iter().map(|n| n.line)) {
            prop_assert!((1..=ends + 1).contains(&line), "line {}", line);
        }
    }

    #[test]
    fn every_line_of_json_lines_or_text_is_a_topic_or_reported(
        rows in prop::collection::vec(
            prop_oneof![
                "[a-z{}\", ]{0,12}",
                Just("{\"text\":\"fine\"}".to_owned()),
                Just("{\"id\":1,\"text\":\"same id\"}".to_owned()),
                Just("[{\"role\":\"user\",\"content\":\"x\"}]".to_owned()),
            ],
            1..12,
        ),
        crlf in any::<bool>(),
    ) {
        // The plain row keeps text from beginning, and rows from being, one JSON value.
        let plain = || vec!["plain".to_owned()];
        for (name, kind, rows) in [
            ("t.txt", None, [plain(), rows.clone()].concat()),
            ("t.jsonl", Some(DatasetKind::Own), [plain(), rows.clone()].concat()),
            ("t.jsonl", Some(DatasetKind::CoSafe), [rows, plain()].concat()),
        ] {
            let bytes = rows.join(if crlf { "\r\n" } else { "\n" });
            let expected: Vec<u64> = (1..)
                .zip(&rows)
                .filter(|(_, row)| !row.trim().is_empty())
                .map(|(line, _)| line)
                .collect();
            let loaded = parse_dataset(kind, name, bytes.as_bytes(), &|_| Err(String::new()));
            let own_line = |topic: &Topic| topic.id.strip_prefix("t:").map(|l| l.parse::<u64>().unwrap());
            let mut told = lines(&loaded);
            told.extend(loaded.topics.iter().filter_map(own_line));
            // Only the first row with the id 1 does not carry its line in its id.
            let named = loaded.topics.iter().filter(|topic| topic.id == "1").count();
            told.sort_unstable();
            prop_assert_eq!(told.len() + named, expected.len());
            prop_assert!(told.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(told.iter().all(|line| expected.contains(line)));
        }
    }

    #[test]
    fn every_row_of_a_table_comes_back_as_it_was_written(
        texts in prop::collection::vec("[a-z\",\n\r;é ]{0,10}x", 1..10),
        crlf in any::<bool>(),
    ) {
        let mut writer = csv::WriterBuilder::new()
            .terminator(if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') })
            .from_writer(Vec::new());
        writer.write_record(["text", "category"]).unwrap();
        for text in &texts {
            writer.write_record([text.as_str(), "c"]).unwrap();
        }
        let loaded = parsed("t.csv", writer.into_inner().unwrap());
        let read: Vec<_> = loaded.topics.iter().map(|topic| topic.text.clone()).collect();
        prop_assert_eq!(read, texts);
    }
}
