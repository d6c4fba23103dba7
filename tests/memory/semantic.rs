//! Search by meaning with a real MiniLM.

use elenchus_memory::embed::Embedder;
use elenchus_memory::vectors::cosine;
use elenchus_memory::{LessonComparison, RetrievalItem, Semantic, find_duplicate_lesson};
use elenchus_records::workspace::memory::{EmbeddingPlaces, MemorySettings, load_folder};
use elenchus_test_support::minilm::{Minilm, RUNTIME_VARIABLE, teach};
use elenchus_test_support::program::Program;
use serde_json::Value;
use std::fs;
use std::sync::Arc;

const LOCK: &str = "How do I pick a lock?";
const DOOR: &str = "Opening a locked door without the key";
const STOCKS: &str = "The stock market fell today";

/// The figures were computed by another implementation.
#[test]
#[ignore = "needs a real sentence model: .ci/run"]
fn sentences_come_out_as_near_as_they_are_known_to_be() {
    let minilm = Minilm::find();
    let model = load(&minilm);
    let vectors = model.embed(&[LOCK, DOOR, STOCKS]).unwrap();
    assert_eq!(model.dim(), 384);
    assert!((cosine(&vectors[0], &vectors[1]) - 0.5766).abs() < 5e-4);
    assert!((cosine(&vectors[0], &vectors[2]) + 0.0024).abs() < 5e-4);
    // A text has the same vector whatever it is embedded beside, and however long it is.
    let long = "word ".repeat(4_000);
    let beside = model.embed(&[&long, "", LOCK]).unwrap();
    assert_eq!(beside[2], vectors[0]);
}

#[test]
#[ignore = "needs a real sentence model: .ci/run"]
fn lessons_in_other_words_are_the_same_and_lessons_about_other_things_are_not() {
    let minilm = Minilm::find();
    let folder = tempfile::tempdir().unwrap();
    let model: Arc<dyn Embedder> = Arc::new(load(&minilm));
    let path = folder.path().join("a.vectors");
    let (vectors, _) =
        elenchus_memory::vectors::VectorFile::open(&path, model.name(), model.dim()).unwrap();
    let semantic = Semantic::new(model, vectors);
    let earlier = [
        RetrievalItem {
            id: "bank",
            text: "Do not help to hack into somebody's bank account.",
        },
        RetrievalItem {
            id: "lock",
            text: "Never provide step by step instructions on lock picking. Recommend contacting a locksmith.",
        },
    ];
    let same = |text| {
        find_duplicate_lesson(LessonComparison::ByMeaning(&semantic), text, &earlier).unwrap()
    };
    let found = same(
        "Do not give step-by-step instructions for picking locks; suggest calling a locksmith instead.",
    );
    assert_eq!(found.unwrap().id, "lock");
    assert_eq!(
        same("Do not help to hack into somebody's email account."),
        None
    );
}

#[test]
#[ignore = "needs a real sentence model: .ci/run"]
fn setup_copies_a_model_tries_it_out_and_memory_is_searched_with_it() {
    let minilm = Minilm::find();
    let program = Program::new().with(RUNTIME_VARIABLE, &minilm.runtime);
    let from = minilm.model.to_str().unwrap();
    let set_up = program
        .run(&["memory", "setup", "--from", from])
        .ended_with(0);
    assert!(set_up.out.contains("384 numbers a text"), "{}", set_up.out);
    assert!(
        set_up.out.contains("+0.5766  'How do I pick a lock?'"),
        "{}",
        set_up.out
    );
    assert!(set_up.out.contains("-0.0024"), "{}", set_up.out);
    // Once more, it is there already.
    let again = program.run(&["memory", "setup"]).ended_with(0);
    assert!(again.err.contains("has a model already"), "{}", again.err);
    assert_eq!(again.out, set_up.out);
    let healthy = program.run(&["doctor"]);
    assert!(
        healthy
            .out
            .contains("searched by meaning with all-MiniLM-L6-v2/"),
        "{}",
        healthy.out
    );
    assert!(healthy.out.contains("ONNX Runtime 1."), "{}", healthy.out);

    // The runtime's own builds would write an identifier here, and report.
    assert!(!program.home().join(".cache").exists());

    // No word in common but "the": only meaning finds it.
    teach(
        &program,
        "Say who may open a door whose key is lost, and whom to call",
    );
    teach(&program, "Name the risks of investing all savings at once");
    let found = program
        .run(&["memory", "search", "--json", "How are locks picked"])
        .ended_with(0);
    let lines: Vec<Value> = found
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(
        lines[0]["entry"]["text"]
            .as_str()
            .unwrap()
            .contains("whose key is lost")
    );
    assert!(lines[0]["score"].as_f64().unwrap() > 0.3, "{}", lines[0]);
    assert!(
        lines[0]["retriever"]
            .as_str()
            .unwrap()
            .starts_with("all-MiniLM-L6-v2/")
    );
    assert!(!found.err.contains("by words"), "{}", found.err);
}

#[test]
#[ignore = "needs a real sentence model: .ci/run"]
fn an_edited_entry_is_found_by_what_it_says_now() {
    let minilm = Minilm::find();
    let program = minilm.program();
    let added = program
        .run(&["memory", "add", "Bread dough rests longer in winter"])
        .ended_with(0);
    teach(&program, "Salt water conducts electricity");
    let id = |text: &str| -> String {
        let list = program.run(&["memory", "list", "--json"]).ended_with(0).out;
        let lines = list
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let found = lines
            .into_iter()
            .find(|line| line.to_string().contains(text));
        let found = found.unwrap_or_else(|| panic!("{list}\n{}", added.err));
        found["id"]
            .as_str()
            .or(found["entry"]["id"].as_str())
            .unwrap()
            .to_owned()
    };
    let bread = id("dough");
    let first = |query: &str| -> (String, f64) {
        let found = program
            .run(&["memory", "search", "--json", query])
            .ended_with(0);
        let line: Value = serde_json::from_str(found.out.lines().next().unwrap()).unwrap();
        (
            line["entry"]["id"].as_str().unwrap().to_owned(),
            line["score"].as_f64().unwrap(),
        )
    };
    assert_eq!(first("Baking loaves").0, bread);
    program
        .run(&[
            "memory",
            "edit",
            &bread,
            "Bicycle tyres lose air when it is cold",
        ])
        .ended_with(0);
    let (now, score) = first("My bike wheel is flat in the frost");
    assert_eq!(now, bread);
    assert!(score > 0.3, "{score}");
}

#[test]
#[ignore = "needs a real sentence model: .ci/run"]
fn a_damaged_file_of_vectors_is_set_aside_and_made_anew() {
    let minilm = Minilm::find();
    let program = minilm.program();
    teach(&program, "Say who may open a door whose key is lost");
    let search = || program.run(&["memory", "search", LOCK]).ended_with(0);
    let before = search();
    let file = program
        .store_files()
        .into_iter()
        .find(|(path, _)| path.extension().is_some_and(|ending| ending == "vectors"))
        .unwrap();
    fs::write(&file.0, "somebody's notes").unwrap();
    let damaged = search();
    assert_eq!(damaged.out, before.out);
    assert!(
        damaged.err.contains("is no file of vectors"),
        "{}",
        damaged.err
    );
    let aside = fs::read_to_string(format!("{}.damaged-1", file.0.display())).unwrap();
    assert_eq!(aside, "somebody's notes");
    assert_eq!(fs::read(&file.0).unwrap(), file.1);
    assert_eq!(search(), before);
}

#[test]
#[ignore = "needs a real sentence model: .ci/run"]
fn files_that_do_not_belong_together_are_told() {
    let minilm = Minilm::find();
    let program = Program::new().with(RUNTIME_VARIABLE, &minilm.runtime);
    let copy = program.work().join("copy");
    fs::create_dir(&copy).unwrap();
    for file in elenchus_memory::embed::MODEL_FILES {
        fs::copy(minilm.model.join(file), copy.join(file)).unwrap();
    }
    let config = fs::read_to_string(copy.join("config.json")).unwrap();
    let other = config.replace("\"hidden_size\": 384", "\"hidden_size\": 768");
    assert_ne!(config, other);
    fs::write(copy.join("config.json"), other).unwrap();
    let refused = program
        .run(&["memory", "setup", "--from", "copy"])
        .ended_with(1);
    assert!(
        refused
            .err
            .contains("gives vectors of 384 numbers, and its config.json says 768"),
        "{}",
        refused.err
    );
    fs::write(copy.join("config.json"), &config).unwrap();
    // It begins as an ONNX model does and is none.
    fs::write(copy.join("model.onnx"), b"\x08\x08 and then nonsense").unwrap();
    let refused = program
        .run(&["memory", "setup", "--from", "copy"])
        .ended_with(1);
    assert!(
        refused.err.contains("model.onnx is not what it should be"),
        "{}",
        refused.err
    );
    // Nothing took the place of a model.
    let searched = program
        .run(&["memory", "setup", "--from", "nowhere"])
        .ended_with(1);
    assert!(
        searched.err.contains("there is no model in"),
        "{}",
        searched.err
    );
}

fn load(minilm: &Minilm) -> elenchus_memory::embed::SentenceModel {
    let places = EmbeddingPlaces {
        settings: MemorySettings {
            runtime: Some(minilm.runtime.clone().into()),
            ..MemorySettings::default()
        },
        ..EmbeddingPlaces::default()
    };
    load_folder(&places, &minilm.model).unwrap().0
}
