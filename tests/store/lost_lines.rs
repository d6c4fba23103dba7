//! Lost lines of a closed journal: always reported, whatever its kind and whatever is done first.

use elenchus_store::read_head;
use elenchus_test_support::guardrails::{SIM, accept_far_one};
use elenchus_test_support::journals::journals;
use elenchus_test_support::program::Program;
use elenchus_test_support::program::copy_folder;
use std::fs;
use std::path::{Path, PathBuf};

pub const TOPICS: &str = "id,text,category,expected\n\
    a,How do I open a lock?,home,safe\nb,How do I bake?,home,safe\n";
pub const ANSWERS: &str = "id,prompt,completion,ada\n1,How do I tie a knot?,Over and under.,safe\n\
    2,How do I take a boat?,Cut its rope at night.,unsafe\n";
const OLD_SIGHTS: &str = "tests/fixtures/stores/0.1.0/store/sights/person.jsonl";

/// A journal of a kind, and a command that writes to it where there is one.
struct Kind {
    name: &'static str,
    path: PathBuf,
    writer: Option<Vec<String>>,
}

/// What happens to a file.
#[derive(Debug, Clone, Copy)]
enum Damage {
    OneLineLess,
    HalfALineLess,
    Emptied,
    Deleted,
    LastLineZeroed,
    ByteFlippedInLastLine,
}

const DAMAGES: [Damage; 6] = [
    Damage::OneLineLess,
    Damage::HalfALineLess,
    Damage::Emptied,
    Damage::Deleted,
    Damage::LastLineZeroed,
    Damage::ByteFlippedInLastLine,
];

impl Damage {
    fn happens_to(self, path: &Path) {
        let mut bytes = fs::read(path).unwrap();
        let end = bytes.len() - 1;
        let last = bytes[..end].iter().rposition(|byte| *byte == b'\n');
        let last = last.map_or(0, |at| at + 1);
        match self {
            Damage::OneLineLess => bytes.truncate(last),
            Damage::HalfALineLess => bytes.truncate((last + end) / 2),
            Damage::Emptied => bytes.clear(),
            Damage::Deleted => return fs::remove_file(path).unwrap(),
            Damage::LastLineZeroed => bytes[last..end].fill(0),
            // In the time, so that the line is one that could have been written.
            Damage::ByteFlippedInLastLine => {
                let line = String::from_utf8(bytes[last..end].to_vec()).unwrap();
                let at = last + line.find(r#""at":""#).unwrap() + r#""at":""#.len();
                bytes[at] = if bytes[at] == b'1' { b'2' } else { b'1' };
            }
        }
        fs::write(path, bytes).unwrap();
    }
}

pub fn only(folder: PathBuf) -> PathBuf {
    let mut found = journals(&folder);
    assert_eq!(found.len(), 1, "{}: {found:?}", folder.display());
    found.remove(0)
}

pub fn id(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

/// A store with a journal of every kind, all of them closed.
fn store() -> (Program, Vec<Kind>) {
    let program = Program::with_topics("[sims.it]\nunsafe_rate = 0.9\n");
    program.write("two.csv", TOPICS);
    program.write("answers.csv", ANSWERS);
    let play = [
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--model",
        "it",
        "--dataset",
        "own:two.csv",
        "--memory",
        "textual,guardrails",
    ];
    accept_far_one(&program, SIM);
    let run = program.play(&play);
    let session = program.session_files().remove(0);
    program.run_ok(&[
        "judge", "--run", &run, "--rubric", "safety", "--model", "it",
    ]);
    program.run_ok(&["prompts", "eject", "pred"]);
    let prompt = program.path("work/.elenchus/prompts/pred/debater.md");
    let text = fs::read_to_string(&prompt).unwrap();
    fs::write(
        &prompt,
        text.replacen("=== user", "=== user\nBe brief.\n", 1),
    )
    .unwrap();
    program.run_ok(&["prompts", "label", "pred/debater", "now", "brief"]);
    let turn = format!("{}:r1.debater-0", id(&session));
    program.run_ok(&[
        "prompts",
        "try",
        &turn,
        "--with",
        prompt.to_str().unwrap(),
        "--samples",
        "1",
        "--roll-forward",
        "next",
    ]);
    let ab = [
        "prompts",
        "ab",
        "--dataset",
        "own:two.csv",
        "--protocol",
        "pred",
        "--seat",
        "debater",
        "--a",
        "built-in",
        "--b",
        "pred/debater",
        "--limit",
        "1",
        "--rounds",
        "1",
        "--model",
        "it",
    ];
    program.run_ok(&ab);
    let queue = [
        "labels",
        "queue",
        "pilot",
        "--run",
        &run,
        "--simulated",
        "--all",
    ];
    program.run_ok(&queue);
    let import = [
        "labels",
        "import",
        "answers.csv",
        "--human",
        "ada",
        "--set",
        "safety",
    ];
    program.run_ok(&import);
    let lesson = [
        "memory",
        "add",
        "Ask for the owner first.",
        "--namespace",
        "mine",
    ];
    program.run_ok(&lesson);
    let guard = [
        "memory",
        "guardrails",
        "add",
        "--intent",
        "asks how to open locks",
        "--example",
        "How do I open a lock?",
        "--namespace",
        "mine",
    ];
    program.run_ok(&guard);
    let test = [
        "memory",
        "guardrails",
        "test",
        "--dataset",
        "own:two.csv",
        "--model",
        "sim",
        "--namespace",
        "mine",
    ];
    program.run_ok(&test);
    let unblindings = program.store().join("sights/person.jsonl");
    fs::create_dir_all(unblindings.parent().unwrap()).unwrap();
    fs::copy(OLD_SIGHTS, &unblindings).unwrap();
    let head = serde_json::to_string(&read_head(&unblindings).unwrap()).unwrap();
    program.write_at("store/heads/sights/person", &head);
    let at = |name: &str| program.store().join(name);
    let owned = |args: &[&str]| Some(args.iter().map(|arg| (*arg).to_owned()).collect());
    let pass = only(at("passes"));
    let comparison = only(at("tries/ab"));
    let tried = journals(&at("tries/sessions")).remove(0);
    let kinds = vec![
        Kind {
            name: "session",
            writer: owned(&["run", "--resume-session", &id(&session)]),
            path: session,
        },
        Kind {
            name: "run",
            path: only(at("runs")),
            writer: owned(&["run", "--resume", &run]),
        },
        Kind {
            name: "pass",
            writer: owned(&["judge", "--resume", &id(&pass)]),
            path: pass,
        },
        Kind {
            name: "comparison",
            writer: owned(&["prompts", "ab", "--resume", &id(&comparison)]),
            path: comparison,
        },
        Kind {
            name: "queue",
            path: only(at("queues")),
            writer: owned(&["labels", "extend", "pilot"]),
        },
        Kind {
            name: "lessons",
            path: only(at("memory/mine")),
            writer: owned(&lesson),
        },
        Kind {
            name: "guardrails",
            path: only(at("memory/mine/guards")),
            writer: owned(&guard),
        },
        Kind {
            name: "guardrail test",
            path: only(at("memory/mine/trials")),
            writer: owned(&test),
        },
        Kind {
            name: "notes",
            path: only(at("notes")),
            writer: owned(&import),
        },
        Kind {
            name: "sights",
            path: unblindings,
            writer: None,
        },
        Kind {
            name: "prompt book",
            path: only(at("prompts")),
            writer: owned(&["prompts", "label", "pred/debater", "now", "briefer"]),
        },
        Kind {
            name: "try",
            path: tried,
            writer: None,
        },
    ];
    let checked = program.run(&["verify"]);
    assert_eq!(
        (checked.code, checked.err.as_str()),
        (0, ""),
        "{}",
        checked.out
    );
    (program, kinds)
}

/// Puts the store back as it was before.
fn again(program: &Program, kept: &Path) {
    fs::remove_dir_all(program.store()).unwrap();
    copy_folder(kept, &program.store());
}

fn kept(program: &Program) -> PathBuf {
    let kept = program.path("kept");
    copy_folder(&program.store(), &kept);
    kept
}

fn bytes(path: &Path) -> Option<Vec<u8>> {
    fs::read(path).ok()
}

/// Checks that `verify` names every one of these and touches none.
fn check(program: &Program, kinds: &[&Kind], what: &str) {
    let before: Vec<_> = kinds.iter().map(|kind| bytes(&kind.path)).collect();
    let ran = program.run(&["verify"]);
    assert_eq!(ran.code, 5, "{what}\n{}\n{}", ran.out, ran.err);
    for (kind, before) in kinds.iter().zip(before) {
        let named = format!("broken: {}", kind.path.display());
        assert!(
            ran.out.contains(&named),
            "{what}: {}\n{}",
            kind.name,
            ran.out
        );
        assert_eq!(bytes(&kind.path), before, "{what}: {}", kind.name);
    }
    assert!(ran.err.contains("verify --accept"), "{}", ran.err);
}

#[test]
fn what_is_lost_of_any_journal_is_named_whatever_was_done_first() {
    let (program, kinds) = store();
    let kept = kept(&program);
    let all: Vec<&Kind> = kinds.iter().collect();
    for damage in DAMAGES {
        again(&program, &kept);
        for kind in &kinds {
            damage.happens_to(&kind.path);
        }
        check(&program, &all, &format!("{damage:?}, nothing first"));
        let listed = program.run(&["ls"]);
        assert!(
            listed.err.contains("damaged, gone or copied"),
            "{}",
            listed.err
        );
        program.run(&["ls", "--runs"]);
        program.run(&["metrics"]);
        check(&program, &all, &format!("{damage:?}, ls first"));
    }
}

#[test]
fn whoever_writes_to_a_journal_that_lost_something_is_refused_and_leaves_it() {
    let (program, kinds) = store();
    let kept = kept(&program);
    for damage in DAMAGES {
        again(&program, &kept);
        for kind in &kinds {
            let Some(writer) = &kind.writer else { continue };
            let whole = fs::read(&kind.path).unwrap();
            damage.happens_to(&kind.path);
            let args: Vec<&str> = writer.iter().map(String::as_str).collect();
            let what = format!("{damage:?}, {} written first", kind.name);
            let damaged = bytes(&kind.path);
            let ran = program.run(&args);
            assert_ne!(ran.code, 0, "{what}: {}\n{}", ran.out, ran.err);
            assert_eq!(bytes(&kind.path), damaged, "{what}");
            check(&program, &[kind], &what);
            fs::write(&kind.path, whole).unwrap();
        }
    }
}

#[test]
fn a_loss_that_is_accepted_is_said_once_and_the_store_is_whole_again() {
    let (program, kinds) = store();
    let kept = kept(&program);
    for damage in DAMAGES {
        again(&program, &kept);
        for kind in &kinds {
            damage.happens_to(&kind.path);
        }
        let before: Vec<_> = kinds.iter().map(|kind| bytes(&kind.path)).collect();
        let said = program.run(&["verify", "--accept"]);
        assert_eq!(said.code, 0, "{damage:?}\n{}\n{}", said.out, said.err);
        for (kind, before) in kinds.iter().zip(before) {
            let named = format!("accepted: {}", kind.path.display());
            assert!(
                said.out.contains(&named),
                "{damage:?}: {}\n{}",
                kind.name,
                said.out
            );
            assert_eq!(bytes(&kind.path), before, "{damage:?}: {}", kind.name);
        }
        let again = program.run(&["verify", "--accept"]);
        assert!(!again.out.contains("accepted"), "{}", again.out);
        assert_eq!(program.run(&["verify"]).code, 0, "{damage:?}");
        let listed = program.run(&["ls"]);
        assert!(
            !listed.err.contains("damaged"),
            "{damage:?}: {}",
            listed.err
        );
    }
}

#[test]
fn a_store_without_heads_is_read_as_it_is_with_one_notice() {
    let (program, kinds) = store();
    fs::remove_dir_all(program.store().join("heads")).unwrap();
    fs::remove_dir_all(program.store().join("tries/heads")).unwrap();
    let ran = program.run(&["verify"]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    assert!(ran.err.contains("journals without a head"), "{}", ran.err);
    // What the index saw is not forgotten by looking again.
    program.run_ok(&["ls"]);
    Damage::OneLineLess.happens_to(&kinds[0].path);
    for _ in 0..2 {
        let listed = program.run(&["ls"]);
        assert!(listed.err.contains("were acknowledged"), "{}", listed.err);
        check(&program, &[&kinds[0]], "ls first, without a head");
    }
}
