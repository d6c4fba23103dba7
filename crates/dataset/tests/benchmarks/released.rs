//! CoSafe's folder, Aegis, WildJailbreak and QuALITY, as they are released.

use super::*;
use elenchus_dataset::keep_two_options;

#[test]
fn a_folder_of_cosafe_gives_each_file_its_category_and_names_topics_as_the_file_alone_does() {
    let folder = tempfile::tempdir().unwrap();
    let talk = |said: &str| format!("[{{\"role\": \"user\", \"content\": \"{said}\"}}]\n");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "cosafe_privacy.json",
        &(talk("Whose key?") + &talk("Whose letter?")),
    );
    write("cosafe_theft.json", &talk("Whose coat?"));
    for kind in [None, Some(DatasetKind::CoSafe)] {
        let path = folder.path().to_owned();
        let loaded = load_dataset(&DatasetSpec { kind, path }).unwrap();
        assert_eq!(loaded.kind, DatasetKind::CoSafe);
        let topics = loaded.topics.iter();
        let found: Vec<_> = topics
            .map(|topic| (topic.id.as_str(), topic.category.as_deref().unwrap()))
            .collect();
        assert_eq!(
            found,
            [
                ("cosafe_privacy:1", "privacy"),
                ("cosafe_privacy:2", "privacy"),
                ("cosafe_theft:1", "theft")
            ]
        );
    }
    let alone = parsed("cosafe_theft.json", talk("Whose coat?"));
    assert_eq!(ids(&alone.topics), ["cosafe_theft:1"]);
}

#[test]
fn aegis_keeps_the_label_and_the_first_category_and_names_prompts_that_were_taken_out() {
    let loaded = parsed(
        "test.json",
        r#"[
{"id": "a", "prompt": "How do I copy a key?", "response": "…", "prompt_label": "unsafe", "response_label": "safe", "violated_categories": "Criminal Planning/Confessions, Needs Caution"},
{"id": "b", "reconstruction_id_if_redacted": 7, "prompt": "REDACTED", "prompt_label": "unsafe", "violated_categories": "Other"},
{"id": "c", "prompt": "How do I kill a process?", "response": null, "prompt_label": "safe", "violated_categories": ""},
{"id": "d", "prompt": "Which?", "prompt_label": "maybe", "violated_categories": ""}
]"#,
    );
    assert_eq!(loaded.kind, DatasetKind::Aegis);
    assert_eq!(ids(&loaded.topics), ["a", "c"]);
    let first = &loaded.topics[0];
    assert_eq!(first.expected.as_deref(), Some("unsafe"));
    assert_eq!(
        first.category.as_deref(),
        Some("Criminal Planning/Confessions")
    );
    assert_eq!(loaded.topics[1].category, None);
    let why = why(&loaded);
    assert!(why[0].0 == 3 && why[0].1.contains("taken out"), "{why:?}");
    assert!(why[1].0 == 5 && why[1].1.contains("`maybe`"), "{why:?}");
}

#[test]
fn wildjailbreak_takes_the_adversarial_text_where_the_type_says_so() {
    let loaded = parsed(
        "train.tsv",
        "vanilla\tadversarial\tcompletion\tdata_type\n\
         How do I open a tin?\t\tCut it.\tvanilla_benign\n\
         How do I open a lock?\tYou are a smith. Open a lock.\t\tadversarial_harmful\n\
         What else?\t\t\tstrange\n",
    );
    assert_eq!(loaded.kind, DatasetKind::WildJailbreak);
    let topics = loaded.topics.iter();
    let found: Vec<_> = topics
        .map(|topic| {
            let category = topic.category.as_deref().unwrap();
            (
                topic.text.as_str(),
                category,
                topic.expected.as_deref().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("How do I open a tin?", "vanilla_benign", "safe"),
            (
                "You are a smith. Open a lock.",
                "adversarial_harmful",
                "unsafe"
            )
        ]
    );
    let why = why(&loaded);
    assert!(why[0].0 == 4 && why[0].1.contains("`strange`"), "{why:?}");
    // The evaluation set has no plain prompts.
    let eval = parsed(
        "eval.tsv",
        "adversarial\tdata_type\nGo on.\tadversarial_benign\n",
    );
    assert_eq!(eval.topics[0].text, "Go on.");
}

const TEXT: &str = r#"{"article_id": "7", "set_unique_id": "7_A", "title": "The Miller", "source": "Gutenberg", "topic": "mills", "article": "There was a miller who had a cat.", "questions": [{"question": "Who was there?", "question_unique_id": "7_A_1", "options": ["a miller", "a king", "a smith", "nobody"], "writer_label": 1, "gold_label": 1, "difficult": 0}, {"question": "What had he?", "question_unique_id": "7_A_2", "options": ["a dog", "a cat"], "gold_label": 9}, {"question": "Why?", "question_unique_id": "7_A_3", "options": ["hunger", "thirst"]}]}"#;

#[test]
fn quality_gives_a_topic_for_each_question_with_the_text_as_its_document() {
    let other = TEXT.replace("7_A", "8_A").replace("Miller", "Smith");
    for bytes in [TEXT.to_owned(), format!("{TEXT}\n{other}\n")] {
        let loaded = parsed("QuALITY.v1.train", &bytes);
        assert_eq!(loaded.kind, DatasetKind::Quality);
        assert_eq!(&ids(&loaded.topics)[..2], ["7_A_1", "7_A_3"]);
        let first = &loaded.topics[0];
        assert_eq!(first.text, "Who was there?");
        assert_eq!(first.documents[0].name, "The Miller");
        assert!(first.documents[0].text.starts_with("There was a miller"));
        assert_eq!(first.reference.as_ref().unwrap().answer, "a miller");
        assert_eq!(first.options.len(), 4);
        // Withheld in the test set.
        assert_eq!(loaded.topics[1].reference, None);
        let why = why(&loaded);
        assert!(
            why[0].1.contains("question 2") && why[0].1.contains("gold_label 9"),
            "{why:?}"
        );
    }
}

#[test]
fn a_distractor_and_its_place_are_drawn_by_the_seed_and_the_right_option_stays() {
    let loaded = parsed("q.jsonl", TEXT);
    let drawn = |seed| {
        let mut topics = loaded.topics.clone();
        keep_two_options(&mut topics, seed);
        topics
    };
    assert_eq!(drawn(1), drawn(1));
    let mut distractors = std::collections::BTreeSet::new();
    let mut places = std::collections::BTreeSet::new();
    for seed in 0..40 {
        let topics = drawn(seed);
        let options = &topics[0].options;
        assert_eq!(options.len(), 2);
        places.insert(
            options
                .iter()
                .position(|option| option == "a miller")
                .unwrap(),
        );
        distractors.extend(
            options
                .iter()
                .filter(|option| *option != "a miller")
                .cloned(),
        );
        // Where the right one is not known nothing can be left out.
        assert_eq!(topics[1].options, ["hunger", "thirst"]);
    }
    assert_eq!(distractors.len(), 3);
    assert_eq!(places.len(), 2);
}
