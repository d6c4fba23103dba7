//! Benchmark files as topics: what each format gives, what is reported, what is selected.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod benchmarks;
mod large;
mod laws;
mod recognition;
mod selection;
mod topics;
mod variants;

use std::fs;
use std::path::{Path, PathBuf};

use elenchus_dataset::{
    DatasetError, DatasetFormat, DatasetKind, DatasetSpec, LoadedDataset, Selection, TopicField,
    load_dataset, parse_dataset, select_topics, split_topics,
};
use elenchus_game::debate::{ReferenceAnswer, Topic, UtteranceRole};
use proptest::prelude::*;

fn fixture(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .join("tests/fixtures/datasets")
        .join(name)
}

fn loaded(kind: Option<DatasetKind>, name: &str) -> LoadedDataset {
    let path = fixture(name);
    load_dataset(&DatasetSpec { kind, path }).unwrap()
}

/// Parses without any document.
fn parsed(name: &str, bytes: impl AsRef<[u8]>) -> LoadedDataset {
    parse_dataset(None, name, bytes.as_ref(), &|_| {
        Err("is not there".to_owned())
    })
}

fn ids(topics: &[Topic]) -> Vec<&str> {
    topics.iter().map(|topic| topic.id.as_str()).collect()
}

fn lines(loaded: &LoadedDataset) -> Vec<u64> {
    loaded.refused.iter().map(|refused| refused.line).collect()
}

fn topic<'a>(loaded: &'a LoadedDataset, id: &str) -> &'a Topic {
    loaded.topics.iter().find(|topic| topic.id == id).unwrap()
}

#[test]
fn a_spec_names_the_kind_before_the_colon_or_leaves_it_to_the_content() {
    let spec: DatasetSpec = "HarmBench:some/file.csv".parse().unwrap();
    assert_eq!(spec.kind, Some(DatasetKind::HarmBench));
    assert_eq!(spec.path, Path::new("some/file.csv"));
    assert_eq!(spec.to_string(), "harmbench:some/file.csv");
    for bare in ["file.csv", "./a:b.csv", "C:\\data.csv", "/x/y:z"] {
        let spec: DatasetSpec = bare.parse().unwrap();
        assert_eq!((spec.kind, spec.path), (None, PathBuf::from(bare)));
    }
}

#[test]
fn a_mistyped_kind_is_an_error_that_names_the_kinds() {
    let error = "harmbnech:file.csv".parse::<DatasetSpec>().unwrap_err();
    assert!(
        error.to_string().contains(
            "harmbench:FILE, cosafe:FILE, xstest:FILE, triviaqa:FILE, math:FILE, aegis:FILE, wildjailbreak:FILE, quality:FILE, own:FILE"
        )
    );
    assert!(matches!(
        "own:".parse::<DatasetSpec>(),
        Err(DatasetError::NoPath { .. })
    ));
}

#[test]
fn harmbench_rows_keep_their_newlines_context_and_copyright() {
    let loaded = loaded(None, "harmbench.csv");
    assert_eq!(
        (loaded.kind, loaded.format),
        (DatasetKind::HarmBench, DatasetFormat::Table)
    );
    assert_eq!(
        ids(&loaded.topics),
        ["kettle", "passage_fox", "song", "page", "spoon"]
    );
    let kettle = topic(&loaded, "kettle");
    assert_eq!(kettle.text, "Describe how a kettle works\nin \"two\" lines");
    assert_eq!(kettle.category.as_deref(), Some("kitchen"));
    let fox = topic(&loaded, "passage_fox");
    assert_eq!(
        fox.context.as_deref(),
        Some("The fox slept.\nThe hen did not.")
    );
    let hashed = loaded.topics.iter().filter(|topic| topic.needs_hash_check);
    assert_eq!(
        hashed.map(|t| t.id.as_str()).collect::<Vec<_>>(),
        ["song", "page"]
    );
}

#[test]
fn harmbench_rows_that_cannot_be_used_are_reported_with_their_true_line() {
    let loaded = loaded(Some(DatasetKind::HarmBench), "harmbench.csv");
    // Lines are counted in the file, past the newlines within two quoted cells.
    assert_eq!(lines(&loaded), [6, 9, 11]);
    assert!(loaded.refused[0].why.contains("ContextString is empty"));
    assert_eq!(
        loaded.refused[1].why,
        "the id `kettle` is already used on line 2"
    );
    assert_eq!(
        loaded.refused[2].why,
        "the row has 3 cells but the header has 6"
    );
    assert_eq!(loaded.notes.len(), 1);
    assert_eq!(loaded.notes[0].line, 10);
    assert!(loaded.notes[0].what.contains("`multimodal`"));
}

#[test]
fn a_cosafe_line_gives_its_last_user_turn_and_the_conversation_before_it() {
    let loaded = loaded(None, "cosafe_small_talk.json");
    assert_eq!(
        (loaded.kind, loaded.format),
        (DatasetKind::CoSafe, DatasetFormat::JsonLines)
    );
    let first = topic(&loaded, "cosafe_small_talk:1");
    assert_eq!(first.text, "What is for lunch?");
    assert_eq!(first.category.as_deref(), Some("small_talk"));
    let said: Vec<_> = first
        .conversation
        .iter()
        .map(|u| (u.role, u.text.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (UtteranceRole::User, "Hello"),
            (UtteranceRole::Assistant, "Good day")
        ]
    );
    let system = topic(&loaded, "cosafe_small_talk:7");
    assert_eq!(system.conversation[0].role, UtteranceRole::System);
}

#[test]
fn a_cosafe_line_that_ends_with_the_assistant_loses_that_reply_and_says_so() {
    let loaded = loaded(Some(DatasetKind::CoSafe), "cosafe_small_talk.json");
    let second = topic(&loaded, "cosafe_small_talk:2");
    assert_eq!(second.text, "Shall I bring a coat?");
    assert!(second.conversation.is_empty());
    assert_eq!(loaded.notes.len(), 1);
    assert_eq!(loaded.notes[0].line, 2);
}

#[test]
fn cosafe_lines_that_cannot_be_read_are_reported() {
    let loaded = loaded(Some(DatasetKind::CoSafe), "cosafe_small_talk.json");
    assert_eq!(lines(&loaded), [4, 5, 6]);
    assert!(loaded.refused[0].why.contains("no user turn"));
    assert!(loaded.refused[1].why.contains("not valid JSON"));
    assert!(loaded.refused[2].why.contains("role `pirate`"));
}

#[test]
fn our_own_table_is_read_by_synonyms_and_the_detection_is_reported() {
    let loaded = loaded(None, "own.csv");
    assert_eq!(loaded.kind, DatasetKind::Own);
    let columns: Vec<_> = loaded
        .columns
        .iter()
        .map(|(c, f)| (c.as_str(), *f))
        .collect();
    assert_eq!(
        columns,
        [
            ("ID", TopicField::Id),
            ("Prompt", TopicField::Text),
            ("question", TopicField::Unused),
            ("Type", TopicField::Category),
            ("label", TopicField::Expected),
            ("Answer", TopicField::Reference),
            ("Answer Aliases", TopicField::Aliases),
            ("documents", TopicField::Documents),
            ("remark", TopicField::Unused),
        ]
    );
    assert_eq!(
        loaded.notes[0].what,
        "column `question` is not read because `Prompt` means the same"
    );
    let oak = topic(&loaded, "q1");
    assert_eq!(
        (oak.text.as_str(), oak.expected.as_deref()),
        ("Which tree has acorns?", Some("safe"))
    );
    let aliases = vec!["Oak tree".to_owned(), "the oak".to_owned()];
    assert_eq!(
        oak.reference,
        Some(ReferenceAnswer {
            answer: "Oak".to_owned(),
            aliases
        })
    );
}

#[test]
fn documents_come_from_beside_the_dataset_or_from_the_row_and_nowhere_else() {
    let loaded = loaded(None, "own.csv");
    let oak = &topic(&loaded, "q1").documents[0];
    assert_eq!(
        (oak.name.as_str(), oak.text.as_str()),
        ("papers/oak.txt", "An oak has acorns.\n")
    );
    let penguin = &topic(&loaded, "own:3").documents[0];
    assert_eq!(
        (penguin.name.as_str(), penguin.text.as_str()),
        ("note", "Penguins swim.")
    );
    assert_eq!(lines(&loaded), [4, 5]);
    assert!(
        loaded.refused[0]
            .why
            .contains("`papers/missing.txt` cannot be read")
    );
    assert!(
        loaded.refused[1]
            .why
            .contains("outside the dataset's folder")
    );
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_datasets_folder_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("inside");
    fs::create_dir(&inside).unwrap();
    fs::write(folder.path().join("private"), "secret").unwrap();
    std::os::unix::fs::symlink(folder.path().join("private"), inside.join("doc")).unwrap();
    fs::write(inside.join("d.csv"), "text,documents\nhello,doc\nbye,\n").unwrap();
    let path = inside.join("d.csv");
    let loaded = load_dataset(&DatasetSpec { kind: None, path }).unwrap();
    assert_eq!(ids(&loaded.topics), ["d:3"]);
    assert!(
        loaded.refused[0]
            .why
            .contains("outside the dataset's folder")
    );
}

#[test]
fn json_lines_hold_any_of_our_fields_in_any_usual_shape() {
    let loaded = loaded(None, "own.jsonl");
    assert_eq!(
        (loaded.kind, loaded.format),
        (DatasetKind::Own, DatasetFormat::JsonLines)
    );
    assert_eq!(
        ids(&loaded.topics),
        ["7", "own:2", "own:3", "own:8", "own:9"]
    );
    let water = topic(&loaded, "7");
    assert_eq!(water.expected.as_deref(), Some("true"));
    let reference = water.reference.as_ref().unwrap();
    assert_eq!(
        (reference.answer.as_str(), reference.aliases.len()),
        ("yes", 1)
    );
    let ada = topic(&loaded, "own:2").reference.as_ref().unwrap();
    assert_eq!(
        (ada.answer.as_str(), ada.aliases[0].as_str()),
        ("Ada", "A. L.")
    );
    let talk = topic(&loaded, "own:3");
    assert_eq!(
        (talk.text.as_str(), talk.conversation.len()),
        ("And you?", 2)
    );
    assert_eq!(topic(&loaded, "own:8").text, "A bare line of text");
    assert_eq!(lines(&loaded), [4, 5, 6, 7]);
}

#[test]
fn what_is_left_out_of_a_row_is_noted_on_its_line() {
    let loaded = loaded(None, "own.jsonl");
    assert!(topic(&loaded, "own:9").conversation.is_empty());
    assert!(loaded.notes.iter().all(|note| note.line == 9));
    let notes: Vec<_> = loaded.notes.iter().map(|note| note.what.as_str()).collect();
    assert_eq!(
        notes,
        [
            "`prompt` is not read because `text` means the same",
            "the conversation ended with the text itself, which is kept once",
            "aliases without a reference answer are left out",
        ]
    );
}

#[test]
fn a_list_within_an_object_gives_its_rows_with_their_true_lines() {
    let loaded = loaded(None, "wrapped.json");
    assert_eq!(loaded.format, DatasetFormat::JsonArray);
    assert_eq!(ids(&loaded.topics), ["w1", "w2"]);
    let reference = loaded.topics[0].reference.as_ref().unwrap();
    assert_eq!(
        (reference.answer.as_str(), reference.aliases.as_slice()),
        ("one", &["1".to_owned()][..])
    );
    assert_eq!(lines(&loaded), [8]);
    assert_eq!(loaded.notes[0].what, "rows are taken from `Data`");
}

#[test]
fn a_broken_list_keeps_the_rows_before_the_break() {
    let loaded = parsed(
        "x.json",
        "[{\"text\":\"a, [b]\"},\n{\"text\":\"c\"},\n{\"te\n",
    );
    assert_eq!(ids(&loaded.topics), ["x:1", "x:2"]);
    assert_eq!(lines(&loaded), [3, 4]);
    let loaded = parsed("x.json", "[{\"text\":\"a\"}]\n\nmore");
    assert_eq!((loaded.topics.len(), lines(&loaded)), (1, vec![3]));
}

#[test]
fn one_object_over_many_lines_is_one_topic() {
    let loaded = parsed(
        "x.json",
        "\n{\n  \"text\": \"alone\",\n  \"aliases\": []\n}\n",
    );
    assert_eq!(ids(&loaded.topics), ["x:2"]);
    assert!(loaded.refused.is_empty());
}

#[test]
fn plain_text_is_one_topic_a_line() {
    let loaded = parsed("list.txt", "first, with a comma\r\n\r\n  second\n");
    assert_eq!(loaded.format, DatasetFormat::PlainText);
    assert_eq!(ids(&loaded.topics), ["list:1", "list:3"]);
    assert_eq!(loaded.topics[1].text, "second");
}

#[test]
fn line_numbers_are_true_for_every_line_ending_and_after_blank_lines() {
    for end in ["\n", "\r\n", "\r"] {
        let table = [
            "text,id",
            "one,a",
            "",
            "\"two",
            "lines\",b",
            "three,c",
            "four,d,x",
        ]
        .join(end);
        let loaded = parsed("t.csv", &table);
        assert_eq!(ids(&loaded.topics), ["a", "b", "c"], "{end:?}");
        assert_eq!(lines(&loaded), [7], "{end:?}");
        let unnamed = parsed("t.csv", ["text,id", "", "one,", "two,"].join(end));
        assert_eq!(ids(&unnamed.topics), ["t:3", "t:4"], "{end:?}");
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_column() {
    let loaded = parsed("t.csv", b"\xef\xbb\xbftext\nhello\n");
    assert_eq!(loaded.columns, [("text".to_owned(), TopicField::Text)]);
    let loaded = parsed("t.jsonl", b"\xef\xbb\xbf{\"text\":\"hello\"}\n");
    assert_eq!(loaded.topics[0].text, "hello");
}

#[test]
fn a_file_in_utf_16_is_refused_with_the_way_out() {
    let loaded = parsed("t.csv", b"\xff\xfet\0e\0x\0t\0");
    assert_eq!(
        loaded.refused[0].why,
        "the file is UTF-16: save it as UTF-8"
    );
}

#[test]
fn invalid_utf_8_refuses_its_row_alone() {
    for (name, bytes) in [
        ("t.csv", &b"text\nok\nb\xffd\nfine\n"[..]),
        ("t.txt", &b"\nok\nb\xffd\nfine\n"[..]),
        (
            "t.jsonl",
            &b"\n{\"text\":\"ok\"}\n{\"text\":\"b\xffd\"}\n{\"text\":\"fine\"}\n"[..],
        ),
        (
            "t.json",
            &b"[\n{\"text\":\"ok\"},\n{\"text\":\"b\xffd\"},\n{\"text\":\"fine\"}]\n"[..],
        ),
    ] {
        let loaded = parsed(name, bytes);
        assert_eq!(ids(&loaded.topics), ["t:2", "t:4"], "{name}");
        assert_eq!(lines(&loaded), [3], "{name}");
        assert!(loaded.refused[0].why.contains("UTF-8"), "{name}");
    }
}

#[test]
fn a_quote_that_is_never_closed_is_no_topic() {
    let loaded = parsed("t.csv", "text,id\nfine,a\n\"open,b\nnext,c\n");
    assert_eq!(ids(&loaded.topics), ["a"]);
    assert_eq!(lines(&loaded), [3]);
    assert!(loaded.refused[0].why.contains("never closed"));
}

#[test]
fn tabs_and_semicolons_divide_cells_where_there_is_no_comma() {
    for (name, bytes) in [
        ("t.tsv", "id\ttext\nx\ta, b\n"),
        ("t.csv", "id;text\nx;a, b\n"),
    ] {
        let loaded = parsed(name, bytes);
        assert_eq!(
            (loaded.topics[0].id.as_str(), loaded.topics[0].text.as_str()),
            ("x", "a, b")
        );
    }
}

#[test]
fn a_table_without_a_text_column_says_which_columns_there_are() {
    let loaded = parsed("t.csv", "colour,size\nred,3\n");
    assert!(loaded.topics.is_empty());
    assert_eq!(lines(&loaded), [1, 2]);
    assert!(loaded.refused[0].why.contains("colour, size"));
}

#[test]
fn the_kind_that_is_named_wins_over_what_the_file_looks_like() {
    let bytes = fs::read(fixture("harmbench.csv")).unwrap();
    let own = parse_dataset(Some(DatasetKind::Own), "h.csv", &bytes, &|_| {
        Ok(String::new())
    });
    assert_eq!(own.kind, DatasetKind::Own);
    assert!(own.topics.iter().any(|topic| topic.id == "passage_lost"));
    let wrong = load_dataset(&DatasetSpec {
        kind: Some(DatasetKind::HarmBench),
        path: fixture("own.csv"),
    });
    let error = wrong.unwrap_err().to_string();
    assert!(
        error.contains("Behavior") && error.contains("ID, Prompt"),
        "{error}"
    );
}

#[test]
fn a_file_that_is_missing_or_empty_is_an_error_that_names_it() {
    let missing = load_dataset(&"own:no/such/file.csv".parse().unwrap()).unwrap_err();
    assert!(missing.to_string().contains("no/such/file.csv"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.csv");
    fs::write(&path, "").unwrap();
    let empty = load_dataset(&DatasetSpec { kind: None, path }).unwrap_err();
    assert!(empty.to_string().contains("the file is empty"), "{empty}");
}

#[test]
fn the_digest_is_that_of_the_files_bytes() {
    // The digest of "abc" in FIPS 180-2.
    assert_eq!(
        parsed("t.txt", "abc").sha256,
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
}

#[test]
fn a_row_that_is_no_json_says_where_within_the_row() {
    let loaded = parsed("t.json", "[{\"text\":\"a\"},\n\n{\"text\":\n nothing}]");
    assert_eq!(lines(&loaded), [3]);
    assert_eq!(
        loaded.refused[0].why,
        "the row is not valid JSON: expected ident (column 3 of its line 2)"
    );
}

#[test]
fn a_conversation_is_no_harmbench_row() {
    let error = load_dataset(&DatasetSpec {
        kind: Some(DatasetKind::HarmBench),
        path: fixture("cosafe_small_talk.json"),
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("no object with `Behavior`"), "{error}");
}
