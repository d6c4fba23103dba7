//! `memory setup` with a runtime: fetched, copied by hand, or unusable.

use elenchus_test_support::answer::Step;
use elenchus_test_support::minilm::Minilm;
use elenchus_test_support::program::{Program, Ran, copy_folder};
use elenchus_test_support::{Answer, ChatServer, Pty};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where nothing listens.
const NOWHERE: &str = "http://127.0.0.1:9";

/// A program with no runtime of the system's but what it is given.
fn bare() -> Program {
    Program::new().with("PATH", "/usr/bin:/bin")
}

fn data(program: &Program) -> PathBuf {
    program.home().join(".local/share/elenchus")
}

/// Sets up from a server that has no model.
fn set_up(program: &Program, runtime_url: &str) -> Ran {
    let server = ChatServer::start(|_| Answer::body(404, "text/plain", b"no"));
    set_up_from(program, &server.base_url(), runtime_url)
}

fn set_up_from(program: &Program, models: &str, runtime_url: &str) -> Ran {
    let model = format!("{models}/{{model}}");
    let args = ["memory", "setup", "--model-url", &model];
    program.run(&[&args[..], &["--runtime-url", runtime_url]].concat())
}

/// Everything in the folder of the runtime and in the one where it arrives.
fn kept(program: &Program) -> Vec<String> {
    let folders = ["onnxruntime", "onnxruntime.arriving"].map(|name| data(program).join(name));
    let files = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
    files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// An archive of files, by the names they have in it.
fn tgz(files: &[(&str, &[u8])]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join("in").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let packed = Command::new("tar")
        .current_dir(folder.path().join("in"))
        .args(["-czf", "../out.tgz", "."])
        .status();
    assert!(packed.unwrap().success());
    fs::read(folder.path().join("out.tgz")).unwrap()
}

/// A zip file of files, under any names at all.
fn zip(files: &[(&str, &[u8])]) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let script = "import sys,zipfile as z\n\
                  out = z.ZipFile(sys.argv[1], 'w', z.ZIP_DEFLATED)\n\
                  for at in range(2, len(sys.argv), 2): out.write(sys.argv[at + 1], sys.argv[at])\n\
                  out.close()";
    let out = folder.path().join("out.whl");
    let mut command = Command::new("python3");
    command.args(["-I", "-c", script]).arg(&out);
    for (at, (name, bytes)) in files.iter().enumerate() {
        let path = folder.path().join(at.to_string());
        fs::write(&path, bytes).unwrap();
        command.arg(name).arg(path);
    }
    // A system without Python cannot make one.
    command
        .status()
        .ok()?
        .success()
        .then(|| fs::read(out).unwrap())
}

fn serving(body: Vec<u8>) -> ChatServer {
    ChatServer::start(move |_| Answer::body(200, "application/octet-stream", &body))
}

fn library_name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// A program whose model is there and whose runtime is not.
fn with_model(minilm: &Minilm) -> Program {
    let program = bare();
    copy_folder(
        &minilm.model,
        &data(&program).join("models/all-MiniLM-L6-v2"),
    );
    program
}

fn works(ran: Ran) -> Ran {
    let ran = ran.ended_with(0);
    let end = "semantic search works: 384-dimensional vectors\n";
    assert!(ran.out.ends_with(end), "{ran:?}");
    ran
}

#[test]
#[ignore = "needs a real sentence model: .ci/run"]
fn a_runtime_is_fetched_unpacked_tried_and_kept_and_found_from_then_on() {
    let minilm = Minilm::find();
    let bytes = fs::read(&minilm.runtime).unwrap();
    let name = library_name(Path::new(&minilm.runtime));
    let program = with_model(&minilm);
    let inside = format!("onnxruntime-linux/lib/{name}");
    let server = serving(tgz(&[("LICENSE", b"MIT"), (&inside, &bytes)]));
    let url = format!("{}/ort.tgz", server.base_url());
    let ran = works(program.run(&["memory", "setup", "--runtime-url", &url]));
    assert!(
        ran.err.contains("whether that is right is not known here"),
        "{}",
        ran.err
    );
    assert_eq!(kept(&program), [name]);
    drop(server);
    works(program.run(&["memory", "setup"]));
    let found = program.run(&["doctor"]);
    assert!(found.out.contains("searched by meaning with"), "{found:?}");
}

#[test]
#[ignore = "needs a real sentence model: .ci/run"]
fn a_wheel_that_was_copied_by_hand_is_unpacked_where_the_list_says() {
    let minilm = Minilm::find();
    let bytes = fs::read(&minilm.runtime).unwrap();
    let name = library_name(Path::new(&minilm.runtime));
    let inside = format!("onnxruntime/capi/{name}");
    let other = "onnxruntime/capi/libonnxruntime_providers_shared.so";
    let Some(wheel) = zip(&[(other, b"no"), (&inside, &bytes)]) else {
        return;
    };
    let program = bare();
    let told = set_up_from(&program, NOWHERE, &format!("{NOWHERE}/ort.whl"))
        .ended_with(1)
        .err;
    let model = data(&program).join("models/all-MiniLM-L6-v2");
    let runtime = data(&program).join("onnxruntime");
    for said in [
        "config.json, special_tokens_map.json, tokenizer_config.json, tokenizer.json, model.onnx",
        &format!("from  {NOWHERE}/Qdrant/all-MiniLM-L6-v2-onnx/"),
        &format!("into  {}/", model.display()),
        &format!("from  {NOWHERE}/ort.whl"),
        &format!("into  {}/", runtime.display()),
        "run 'elenchus memory setup' again",
    ] {
        assert!(told.contains(said), "{said}\n{told}");
    }
    copy_folder(&minilm.model, &model);
    fs::create_dir_all(&runtime).unwrap();
    fs::write(runtime.join("onnxruntime-1.whl"), wheel).unwrap();
    works(program.run(&["memory", "setup"]));
    fs::remove_file(runtime.join("onnxruntime-1.whl")).unwrap();
    works(program.run(&["memory", "setup"]));
    assert_eq!(kept(&program), [name]);
}

#[test]
#[ignore = "needs a real sentence model: .ci/run"]
fn a_library_that_was_copied_by_hand_is_enough() {
    let minilm = Minilm::find();
    let program = with_model(&minilm);
    let runtime = data(&program).join("onnxruntime");
    fs::create_dir_all(&runtime).unwrap();
    let name = library_name(Path::new(&minilm.runtime));
    fs::copy(&minilm.runtime, runtime.join(name)).unwrap();
    works(program.run(&["memory", "setup"]));
}

#[test]
fn what_is_no_runtime_is_told_and_nothing_of_it_stays() {
    let name = "lib/libonnxruntime.so.1.24.4";
    let mut cases = vec![
        (b"<p>log in".to_vec(), "it is no archive"),
        (tgz(&[("README", b"no")]), "the archive holds no library"),
        (
            tgz(&[(name, b"no library")]),
            "does not load as ONNX Runtime, so it was not kept",
        ),
        (tgz(&[(name, b"")]), "the archive holds no library"),
        ([&[0x1f, 0x8b][..], &[7; 900]].concat(), "so it is damaged"),
    ];
    let hostile = [
        ("../../libonnxruntime.so.1.24.4", &b"outside"[..]),
        ("-o/libonnxruntime.so.1.24.4", b"an option"),
        ("a;b/libonnxruntime.so.1.24.4", b"a command"),
    ];
    cases.extend(zip(&hostile).map(|bytes| (bytes, "the archive holds no library")));
    for (bytes, expected) in cases {
        let program = bare();
        let server = serving(bytes);
        let url = format!("{}/ort", server.base_url());
        let told = set_up(&program, &url).ended_with(1).err;
        assert!(told.contains(expected), "{expected}\n{told}");
        assert!(
            kept(&program).is_empty(),
            "{expected}: {:?}",
            kept(&program)
        );
        let outside = [data(&program), program.home(), program.work()];
        for folder in outside {
            assert!(!folder.join("libonnxruntime.so.1.24.4").exists());
        }
    }
}

#[test]
fn a_server_that_does_not_give_the_runtime_is_told_and_nothing_half_is_used() {
    let elsewhere = serving(tgz(&[("lib/libonnxruntime.so.1.24.4", b"no library")]));
    let away = format!("{}/ort", elsewhere.base_url());
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 90000\r\n\r\n\x1f\u{8b}half";
    let cases = [
        (
            Answer::body(404, "text/plain", b"no"),
            "404: there is no such file",
        ),
        (
            Answer::with_headers(302, &[("location", &away)], b""),
            "it redirects to where nothing is fetched from",
        ),
        (
            Answer::body(200, "text/html", b"<html>"),
            "a web page came instead",
        ),
        (
            Answer::of(vec![Step::Raw(
                b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n".to_vec(),
            )]),
            "the file is larger than",
        ),
        (
            Answer::of(vec![Step::Raw(cut.as_bytes().to_vec()), Step::Cut]),
            "/ort: ",
        ),
    ];
    for (answer, expected) in cases {
        let server = ChatServer::start(move |_| answer.clone());
        let program = bare();
        let told = set_up(&program, &format!("{}/ort", server.base_url()));
        let told = told.ended_with(1).err;
        assert!(told.contains(expected), "{expected}\n{told}");
        let whole = kept(&program)
            .into_iter()
            .filter(|name| !name.contains(".part"));
        assert_eq!(whole.count(), 0, "{expected}");
    }
    assert!(elsewhere.requests().is_empty());
}

#[test]
fn code_is_never_fetched_over_a_connection_that_others_can_write_into() {
    let program = bare();
    let told = set_up(&program, "http://mirror.example/ort.whl")
        .ended_with(1)
        .err;
    assert!(
        told.contains("only fetched from an https:// address"),
        "{told}"
    );
}

#[test]
fn a_library_that_a_person_named_is_not_replaced() {
    let server = serving(tgz(&[("lib/libonnxruntime.so.1.24.4", b"no library")]));
    let program = bare().with("ORT_DYLIB_PATH", "/nowhere/libonnxruntime.so");
    let told = set_up(&program, &format!("{}/ort", server.base_url()));
    let told = told.ended_with(1).err;
    assert!(told.contains("ORT_DYLIB_PATH names it"), "{told}");
    assert!(server.requests().is_empty());
}

#[test]
fn a_first_look_at_memory_says_how_it_is_searched() {
    let program = bare();
    elenchus_test_support::minilm::teach(&program, "Ask what a request is really after.");
    let line = "memory is searched by words until 'elenchus memory setup' brings a model";
    let listed = program.run(&["memory", "list"]).ended_with(0);
    assert_eq!(listed.err.matches(line).count(), 1, "{}", listed.err);
    let found = program.run(&["memory", "search", "request"]).ended_with(0);
    assert_eq!(
        found.err.matches("memory is searched by words").count(),
        1,
        "{}",
        found.err
    );
    let elsewhere = program.run(&["protocols", "list"]).ended_with(0);
    assert!(
        !elsewhere.err.contains("searched by words"),
        "{}",
        elsewhere.err
    );
}

#[test]
fn the_memory_screen_says_once_how_it_is_searched() {
    let program = bare();
    elenchus_test_support::minilm::teach(&program, "Ask what a request is really after.");
    let mut pty = Pty::of(&program).size(80, 24).starts(&[]);
    pty.wait_for("n begins your own debate");
    pty.press("L");
    pty.wait_for("memory is searched by words until 'elenchus memory setup' brings a model");
    pty.quits();
}
