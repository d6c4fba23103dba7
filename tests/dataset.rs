//! Benchmark files as topics: what each format gives, what is reported, what is selected.

use std::fs;
use std::path::{Path, PathBuf};

use elenchus::dataset::{
    DatasetError, DatasetSpec, Field, Format, Kind, Loaded, Selection, load, parse, select, split,
};
use elenchus::debate::{Reference, Topic, UtteranceRole};
use proptest::prelude::*;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/datasets")
        .join(name)
}

fn loaded(kind: Option<Kind>, name: &str) -> Loaded {
    let path = fixture(name);
    load(&DatasetSpec { kind, path }).unwrap()
}

/// Parses without any document.
fn parsed(name: &str, bytes: impl AsRef<[u8]>) -> Loaded {
    parse(None, name, bytes.as_ref(), &|_| {
        Err("is not there".to_owned())
    })
}

fn ids(topics: &[Topic]) -> Vec<&str> {
    topics.iter().map(|topic| topic.id.as_str()).collect()
}

fn lines(loaded: &Loaded) -> Vec<u64> {
    loaded.refused.iter().map(|refused| refused.line).collect()
}

fn topic<'a>(loaded: &'a Loaded, id: &str) -> &'a Topic {
    loaded.topics.iter().find(|topic| topic.id == id).unwrap()
}

#[test]
fn a_spec_names_the_kind_before_the_colon_or_leaves_it_to_the_content() {
    let spec: DatasetSpec = "HarmBench:some/file.csv".parse().unwrap();
    assert_eq!(spec.kind, Some(Kind::HarmBench));
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
        error
            .to_string()
            .contains("harmbench:FILE, cosafe:FILE, own:FILE")
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
        (Kind::HarmBench, Format::Table)
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
    let loaded = loaded(Some(Kind::HarmBench), "harmbench.csv");
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
        (Kind::CoSafe, Format::JsonLines)
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
    let loaded = loaded(Some(Kind::CoSafe), "cosafe_small_talk.json");
    let second = topic(&loaded, "cosafe_small_talk:2");
    assert_eq!(second.text, "Shall I bring a coat?");
    assert!(second.conversation.is_empty());
    assert_eq!(loaded.notes.len(), 1);
    assert_eq!(loaded.notes[0].line, 2);
}

#[test]
fn cosafe_lines_that_cannot_be_read_are_reported() {
    let loaded = loaded(Some(Kind::CoSafe), "cosafe_small_talk.json");
    assert_eq!(lines(&loaded), [4, 5, 6]);
    assert!(loaded.refused[0].why.contains("no user turn"));
    assert!(loaded.refused[1].why.contains("not valid JSON"));
    assert!(loaded.refused[2].why.contains("role `pirate`"));
}

#[test]
fn our_own_table_is_read_by_synonyms_and_the_detection_is_reported() {
    let loaded = loaded(None, "own.csv");
    assert_eq!(loaded.kind, Kind::Own);
    let columns: Vec<_> = loaded
        .columns
        .iter()
        .map(|(c, f)| (c.as_str(), *f))
        .collect();
    assert_eq!(
        columns,
        [
            ("ID", Field::Id),
            ("Prompt", Field::Text),
            ("question", Field::Unused),
            ("Type", Field::Category),
            ("label", Field::Expected),
            ("Answer", Field::Reference),
            ("Answer Aliases", Field::Aliases),
            ("documents", Field::Documents),
            ("remark", Field::Unused),
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
        Some(Reference {
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
    let loaded = load(&DatasetSpec { kind: None, path }).unwrap();
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
    assert_eq!((loaded.kind, loaded.format), (Kind::Own, Format::JsonLines));
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
    assert_eq!(loaded.format, Format::JsonArray);
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
    assert_eq!(loaded.format, Format::PlainText);
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
    assert_eq!(loaded.columns, [("text".to_owned(), Field::Text)]);
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
    let own = parse(Some(Kind::Own), "h.csv", &bytes, &|_| Ok(String::new()));
    assert_eq!(own.kind, Kind::Own);
    assert!(own.topics.iter().any(|topic| topic.id == "passage_lost"));
    let wrong = load(&DatasetSpec {
        kind: Some(Kind::HarmBench),
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
    let missing = load(&"own:no/such/file.csv".parse().unwrap()).unwrap_err();
    assert!(missing.to_string().contains("no/such/file.csv"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.csv");
    fs::write(&path, "").unwrap();
    let empty = load(&DatasetSpec { kind: None, path }).unwrap_err();
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

fn numbered(count: usize) -> Vec<Topic> {
    let rows: Vec<String> = (0..count)
        .map(|at| format!("topic {at},{}", ["plants", "animals"][at % 2]))
        .collect();
    parsed("n.csv", format!("text,category\n{}\n", rows.join("\n"))).topics
}

#[test]
fn a_selection_keeps_categories_then_samples_then_limits() {
    let topics = numbered(20);
    let only = |change: fn(&mut Selection)| {
        let mut selection = Selection::default();
        change(&mut selection);
        select(topics.clone(), &selection)
    };
    let plants = only(|s| s.categories = vec!["Plants".to_owned()]).unwrap();
    assert_eq!(plants.len(), 10);
    assert_eq!(ids(&only(|s| s.limit = Some(2)).unwrap()), ["n:2", "n:3"]);
    let sample = only(|s| s.sample = Some(6)).unwrap();
    let limited = only(|s| (s.sample, s.limit) = (Some(6), Some(4))).unwrap();
    assert_eq!(limited, sample[..4]);
}

#[test]
fn a_sample_is_the_same_for_ever() {
    let sample = Selection {
        sample: Some(4),
        seed: 7,
        ..Selection::default()
    };
    let drawn = select(numbered(20), &sample).unwrap();
    // The four smallest of SHA-256("elenchus/dataset/1/sample/" ‖ 7 as u64 LE ‖ id), computed apart.
    assert_eq!(ids(&drawn), ["n:4", "n:9", "n:11", "n:14"]);
}

#[test]
fn what_cannot_be_selected_says_what_could() {
    let select = |categories: &[&str], sample, limit| {
        let categories = categories.iter().map(|c| (*c).to_owned()).collect();
        let selection = Selection {
            categories,
            limit,
            sample,
            seed: 1,
        };
        select(numbered(4), &selection).unwrap_err().to_string()
    };
    assert_eq!(
        select(&["rocks"], None, None),
        "no topic has the category `rocks`; there are: animals, plants"
    );
    assert!(select(&["plants"], Some(3), None).contains("only 2 topics"));
    assert!(select(&[], None, Some(0)).contains("leaves no topic"));
}

#[test]
fn a_split_needs_a_fraction_and_two_topics() {
    for fraction in [0.0, 1.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            split(numbered(4), fraction, 1),
            Err(DatasetError::Fraction { .. })
        ));
    }
    assert!(matches!(
        split(numbered(1), 0.5, 1),
        Err(DatasetError::TooFewToSplit { .. })
    ));
}

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
    ]);
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..80),
        prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat().into_bytes()),
    ]
}

fn names() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "", "x", "x.csv", "x.tsv", "x.json", "x.jsonl", "x.txt", "cosafe",
    ])
}

fn kinds() -> impl Strategy<Value = Option<Kind>> {
    prop::sample::select(vec![
        None,
        Some(Kind::HarmBench),
        Some(Kind::CoSafe),
        Some(Kind::Own),
    ])
}

proptest! {
    #[test]
    fn no_bytes_make_the_loader_panic_and_ids_are_always_unique(
        bytes in damaged(), name in names(), kind in kinds(),
    ) {
        let loaded = parse(kind, name, &bytes, &|_| Ok(String::new()));
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
            ("t.jsonl", Some(Kind::Own), [plain(), rows.clone()].concat()),
            ("t.jsonl", Some(Kind::CoSafe), [rows, plain()].concat()),
        ] {
            let bytes = rows.join(if crlf { "\r\n" } else { "\n" });
            let expected: Vec<u64> = (1..)
                .zip(&rows)
                .filter(|(_, row)| !row.trim().is_empty())
                .map(|(line, _)| line)
                .collect();
            let loaded = parse(kind, name, bytes.as_bytes(), &|_| Err(String::new()));
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

    #[test]
    fn a_sample_keeps_the_order_and_a_larger_one_holds_the_smaller(
        count in 2_usize..40, seed in any::<u64>(), pick in any::<prop::sample::Index>(),
    ) {
        let topics = numbered(count);
        let small = pick.index(count - 1) + 1;
        let sample = |n| {
            let selection = Selection { sample: Some(n), seed, ..Selection::default() };
            select(topics.clone(), &selection).unwrap()
        };
        let (few, more) = (sample(small), sample(small + 1));
        prop_assert_eq!((few.len(), more.len()), (small, small + 1));
        prop_assert!(few.iter().all(|topic| more.contains(topic)));
        let places: Vec<_> = few.iter().map(|t| topics.iter().position(|o| o == t)).collect();
        prop_assert!(places.is_sorted());
    }

    #[test]
    fn a_split_loses_nothing_and_leaves_neither_part_empty(
        count in 2_usize..40, fraction in 0.001_f64..0.999, seed in any::<u64>(),
    ) {
        let topics = numbered(count);
        let (train, rest) = split(topics.clone(), fraction, seed).unwrap();
        prop_assert!(!train.is_empty() && !rest.is_empty());
        prop_assert!((train.len() as f64 - count as f64 * fraction).abs() <= 1.0);
        for topic in &topics {
            prop_assert!(train.contains(topic) != rest.contains(topic));
        }
        let mut reversed = topics;
        reversed.reverse();
        let (again, _) = split(reversed, fraction, seed).unwrap();
        prop_assert!(train.iter().all(|topic| again.contains(topic)));
    }
}
