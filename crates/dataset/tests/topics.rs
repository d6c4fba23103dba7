//! Topics are told apart by what they are: equal rows are one topic, rows that contradict each other are refused.

use super::*;
use elenchus_dataset::split_topics;
use std::collections::{BTreeMap, BTreeSet};

/// Place and reason of each refused row.
fn refused(loaded: &LoadedDataset) -> Vec<(u64, &str)> {
    let rows = loaded.refused.iter();
    rows.map(|row| (row.line, row.why.as_str())).collect()
}

#[test]
fn rows_that_differ_in_the_reference_alone_are_refused_both_and_say_what_to_do() {
    let loaded = parsed(
        "t.csv",
        "id,text,answer\na,Which is it?,one\nb,What now?,three\nc,Which is it?,two\n",
    );
    assert_eq!(ids(&loaded.topics), ["b"]);
    let [(2, first), (4, second)] = refused(&loaded)[..] else {
        panic!("{:?}", loaded.refused);
    };
    assert_eq!(
        first,
        "it is the topic of line 4 with another reference answer, and one of them is wrong: keep the row that is \
         right, or add to the text what tells them apart"
    );
    assert!(
        second.starts_with("it is the topic of line 2 with"),
        "{second}"
    );
}

#[test]
fn rows_that_differ_in_the_expected_label_or_in_other_spellings_alone_are_refused() {
    for (file, field) in [
        ("text,label\nhum?,safe\nhum?,unsafe\n", "expected label"),
        ("text,label\nhum?,safe\nhum?,\n", "expected label"),
        ("text,answer\nhum?,yes\nhum?,\n", "reference answer"),
        (
            "text,answer,aliases\nhum?,yes,aye\nhum?,yes,yea\n",
            "reference answer",
        ),
    ] {
        let loaded = parsed("t.csv", file);
        assert!(loaded.topics.is_empty(), "{file}");
        let refused = refused(&loaded);
        assert_eq!(refused.len(), 2, "{file}");
        assert!(
            refused.iter().all(|(_, why)| why.contains(field)),
            "{refused:?}"
        );
    }
}

#[test]
fn a_third_row_that_says_the_same_as_one_of_two_is_refused_with_them() {
    let rows = "text,answer\nhum?,yes\nhum?,no\nla?,no\nhum?,yes\nhum?,yes\nhum?,yes\n";
    let loaded = parsed("t.csv", rows);
    let lines: Vec<u64> = loaded.refused.iter().map(|row| row.line).collect();
    assert_eq!(lines, [2, 3, 5, 6, 7]);
    let why = &loaded.refused[0].why;
    assert!(
        why.contains("of line 3, line 5, line 6 and 1 more with"),
        "{why}"
    );
}

#[test]
fn numbers_and_letters_of_one_option_are_one_answer_and_of_two_a_contradiction() {
    let row = |answer: &str| {
        format!("{{\"question\": \"which?\", \"choices\": [\"w\", \"x\"], \"answer\": {answer}}}\n")
    };
    let same = parsed("t.jsonl", row("0") + &row("\"A\"") + &row("\"w\""));
    assert_eq!((same.topics.len(), same.refused.len()), (3, 0));
    let other = parsed("t.jsonl", row("0") + &row("1"));
    assert_eq!((other.topics.len(), other.refused.len()), (0, 2));
}

#[test]
fn what_a_seat_is_shown_tells_rows_of_one_text_apart() {
    let loaded = parsed(
        "t.jsonl",
        r#"{"text": "hum?", "answer": "one"}
{"text": "hum?", "answer": "two", "context": "at night"}
{"text": "hum?", "answer": "three", "options": ["one", "two", "three"]}
{"text": "hum?", "answer": "four", "documents": [{"name": "a", "text": "night"}]}
"#,
    );
    assert_eq!((loaded.topics.len(), loaded.refused.len()), (4, 0));
    assert_eq!(loaded.remarks, Vec::<String>::new());
}

#[test]
fn a_contradiction_beyond_what_is_kept_refuses_the_row_that_is_kept() {
    // Long enough to be read in pieces, so that two topics are kept and the others counted.
    let filler: String = (0..22_000)
        .map(|at| format!("{at} {},no\n", "and so on ".repeat(40)))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let rows = format!("text,answer\nhum?,yes\nla?,yes\noh?,no\n{filler}hum?,no\n");
    fs::write(&path, rows).unwrap();
    let spec = path.to_str().unwrap().parse().unwrap();
    let loaded = elenchus_dataset::load_first_topics(&spec, 2).unwrap();
    assert_eq!(ids(&loaded.topics), ["t:3"]);
    assert_eq!(loaded.refused.len(), 2);
}

#[test]
fn topics_that_differ_in_case_space_and_punctuation_are_named_and_kept() {
    let loaded = parsed(
        "t.csv",
        "text,answer\nIs it far?,no\nis it  far,yes\n2 + 2?,4\n2 * 2?,4\nIS IT FAR!,no\n",
    );
    assert_eq!((loaded.topics.len(), loaded.refused.len()), (5, 0));
    assert_eq!(
        loaded.remarks,
        [
            "2 topics differ from an earlier one (the first on line 3, from line 2) in case, white space and \
             punctuation alone: figures count each as a topic of its own; leave one out if they are meant to be \
             the same"
        ]
    );
}

/// Rows of the topics by what they are, whatever their ids.
fn clusters(topics: &[Topic]) -> BTreeMap<String, Vec<&str>> {
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for topic in topics {
        let of = found.entry(topic.compute_key().to_string()).or_default();
        of.push(topic.text.as_str());
    }
    found
}

#[test]
fn rows_of_one_topic_are_on_one_side_of_a_split() {
    let rows: String = (0..40)
        .map(|at| format!("id{at},topic {}\n", at % 10))
        .collect();
    let topics = parsed("t.csv", format!("id,text\n{rows}")).topics;
    for seed in 0..20 {
        let (first, second) = split_topics(topics.clone(), 0.5, seed).unwrap();
        assert_eq!((first.len(), second.len()), (20, 20), "{seed}");
        let keys = |part: &[Topic]| part.iter().map(Topic::compute_key).collect::<BTreeSet<_>>();
        assert!(keys(&first).is_disjoint(&keys(&second)), "{seed}");
    }
    let same = parsed("t.csv", "id,text\na,hum?\nb,hum?\n").topics;
    assert!(split_topics(same, 0.5, 1).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The same rows in another order, under other ids, behind a byte order mark and with other ends of lines are the
    /// same topics, and the same of them are refused.
    #[test]
    fn permuted_rows_under_other_ids_are_the_same_topics(
        rows in prop::collection::vec((0..6u8, 0..4u8, prop::option::of(0..2u8)), 1..14),
        order in prop::collection::vec(any::<u32>(), 14),
        crlf in any::<bool>(),
        mark in any::<bool>(),
    ) {
        let line = |(at, (text, context, answer)): (usize, &(u8, u8, Option<u8>)), prefix: &str| {
            let answer = answer.map_or_else(String::new, |answer| format!("answer {answer}"));
            format!("{prefix}{at},question {text}?,context {context},{answer}")
        };
        let head = "id,text,context,answer".to_owned();
        let file = |lines: Vec<String>, end: &str| {
            let all: Vec<String> = [head.clone()].into_iter().chain(lines).collect();
            all.join(end) + end
        };
        let plain = file(rows.iter().enumerate().map(|row| line(row, "a")).collect(), "\n");
        let mut moved: Vec<_> = rows.iter().zip(&order).collect();
        moved.sort_by_key(|(_, rank)| **rank);
        let moved = moved.iter().enumerate().map(|(at, (row, _))| line((at, row), "z")).collect();
        let moved = file(moved, if crlf { "\r\n" } else { "\n" });
        let moved = format!("{}{moved}", if mark { "\u{feff}" } else { "" });
        let (one, other) = (parsed("one.csv", plain), parsed("other.csv", moved));
        prop_assert_eq!(clusters(&one.topics), clusters(&other.topics));
        prop_assert_eq!(one.refused.len(), other.refused.len());
        prop_assert_eq!(one.topics.len() + one.refused.len(), rows.len());
        // What is left says one thing of each topic.
        let mut truths = BTreeMap::new();
        for topic in &one.topics {
            let truth = topic.reference.clone();
            prop_assert_eq!(truths.entry(topic.compute_key()).or_insert_with(|| truth.clone()), &truth);
        }
    }
}
