//! A missing or broken model or runtime: it is reported, and memory is searched by words.

use elenchus_memory::embed::{MODEL_FILE, MODEL_FILES};
use elenchus_test_support::minilm::{RUNTIME_VARIABLE, teach};
use elenchus_test_support::program::Program;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const NO_SUCH: &str = "/nowhere/libonnxruntime.so";

/// A folder whose files look right as long as nobody runs them.
fn looks_right(program: &Program) -> PathBuf {
    let folder = program.work().join("model");
    fs::create_dir(&folder).unwrap();
    for file in MODEL_FILES {
        let text: &[u8] = if file == MODEL_FILE {
            b"\x08\x08graph"
        } else {
            b"{}"
        };
        fs::write(folder.join(file), text).unwrap();
    }
    folder
}

fn configured() -> Program {
    Program::configured("[memory]\nmodel_dir = \"../model\"\n").with(RUNTIME_VARIABLE, NO_SUCH)
}

/// A library that answers as ONNX Runtime of a version does, and can do nothing.
fn library(folder: &Path, version: &str) -> PathBuf {
    let source = folder.join("runtime.c");
    let code = format!(
        "struct base {{ const void *(*api)(unsigned); const char *(*version)(void); }};\n\
         static const void *api(unsigned number) {{ (void)number; return 0; }}\n\
         static const char *version(void) {{ return \"{version}\"; }}\n\
         static const struct base base = {{ api, version }};\n\
         const struct base *OrtGetApiBase(void) {{ return &base; }}\n"
    );
    fs::write(&source, code).unwrap();
    let library = folder.join(format!("libonnxruntime.so.{version}"));
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status()
        .unwrap();
    assert!(built.success());
    library
}

#[test]
fn memory_is_searched_by_words_with_the_reason_said_once() {
    let program = Program::new();
    teach(&program, "Say who may open a door whose key is lost");
    let found = program.run(&["memory", "search", "door"]).ended_with(0);
    assert!(found.out.contains("whose key is lost"), "{}", found.out);
    let why = "notice: memory is searched by words, not by meaning: there is no model in";
    assert_eq!(found.err.matches(why).count(), 1, "{}", found.err);
    assert!(
        found.err.contains("'elenchus memory setup' fetches one"),
        "{}",
        found.err
    );
}

#[test]
fn a_run_without_a_model_says_so_once_and_records_what_it_was_searched_with() {
    let program = Program::new();
    program.write(
        "topics.csv",
        "id,text\na,Steps for a door\nb,Steps for a window\nc,Steps for a roof\n",
    );
    let played = program
        .run(&[
            "run",
            "--dataset",
            "own:topics.csv",
            "--protocol",
            "pred",
            "--rounds",
            "1",
            "--memory",
            "textual",
        ])
        .ended_with(0);
    assert_eq!(
        played.err.matches("memory is searched by words").count(),
        1,
        "{}",
        played.err
    );
    for session in program.sessions() {
        let events = program.events(&session);
        let retrieved = events
            .iter()
            .find(|event| event["type"] == "retrieved")
            .unwrap();
        assert_eq!(retrieved["retriever"], "lexical-bm25/1");
    }
}

#[test]
fn a_debate_without_memory_asks_for_no_model_and_says_nothing() {
    let program = configured();
    let played = program
        .run(&[
            "run",
            "--topic",
            "Steps for a door",
            "--protocol",
            "pred",
            "--rounds",
            "1",
        ])
        .ended_with(0);
    assert!(!played.err.contains("searched by words"), "{}", played.err);
}

#[test]
fn doctor_names_what_is_missing_and_what_mends_it() {
    let nothing = Program::new().run(&["doctor"]).ended_with(0);
    assert!(
        nothing
            .out
            .contains("searched by words: there is no model in"),
        "{}",
        nothing.out
    );

    let program = configured();
    let missing = program.run(&["doctor"]).ended_with(1);
    let text = flat(&missing.out);
    assert!(text.contains("PROBLEM there is no model in"), "{text}");
    assert!(
        text.contains(&format!(
            "PROBLEM {NO_SUCH} cannot be loaded as ONNX Runtime"
        )),
        "{text}"
    );

    let folder = looks_right(&program);
    for (file, bytes, expected) in [
        ("config.json", None, "has no config.json"),
        (
            "tokenizer.json",
            Some("<html>"),
            "tokenizer.json is not what it should be: it is a web page",
        ),
        (
            "model.onnx",
            Some("PK"),
            "model.onnx is not what it should be: it is no ONNX model",
        ),
    ] {
        let path = folder.join(file);
        let before = fs::read(&path).unwrap();
        match bytes {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let text = flat(&program.run(&["doctor"]).ended_with(1).out);
        assert!(
            text.contains(expected) && text.contains("memory setup"),
            "{text}"
        );
        fs::write(&path, before).unwrap();
    }
}

#[test]
fn a_runtime_that_is_too_old_or_another_library_is_told_and_the_rest_goes_on() {
    let program = Program::configured("[memory]\nmodel_dir = \"../model\"\n");
    looks_right(&program);
    teach(&program, "Say who may open a door whose key is lost");
    let old = library(&program.work(), "1.17.3");
    let hollow = library(&program.work(), "1.99.0");
    let text = program.work().join("text.so");
    fs::write(&text, "no library").unwrap();
    let cases = [
        (
            old,
            "ONNX Runtime 1.17.3 of",
            "is too old: 1.24 or later is needed",
        ),
        (
            hollow,
            "cannot be loaded as ONNX Runtime",
            "ORT_DYLIB_PATH names it",
        ),
        (
            text,
            "cannot be loaded as ONNX Runtime",
            "ORT_DYLIB_PATH names it",
        ),
        (
            PathBuf::from(NO_SUCH),
            "there is no such file",
            "ORT_DYLIB_PATH names it",
        ),
    ];
    let mut program = program;
    for (path, what, more) in cases {
        program = program.with(RUNTIME_VARIABLE, path.to_str().unwrap());
        let found = program.run(&["memory", "search", "door"]).ended_with(0);
        assert!(found.out.contains("whose key is lost"), "{}", found.out);
        let err = flat(&found.err);
        assert!(err.contains(what) && err.contains(more), "{err}");
        assert!(!err.contains("panicked"), "{err}");
    }
}

/// Text as one line, however it was wrapped.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
