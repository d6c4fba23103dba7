//! Every command that reads a journal, each over every damage: none answers as if nothing were wrong.

use super::lost_lines::{id, only};
use elenchus_test_support::journals::journals;
use elenchus_test_support::program::{Program, copy_folder};
use std::fs;
use std::path::{Path, PathBuf};

/// What happens to a journal.
#[derive(Debug, Clone, Copy)]
enum Damage {
    Cut,
    Emptied,
    ZeroedEnd,
    AnotherInItsPlace,
    ChangedLastLine,
}

const DAMAGES: [Damage; 5] = [
    Damage::Cut,
    Damage::Emptied,
    Damage::ZeroedEnd,
    Damage::AnotherInItsPlace,
    Damage::ChangedLastLine,
];

impl Damage {
    fn happens_to(self, path: &Path, other: &Path) {
        let mut bytes = fs::read(path).unwrap();
        let end = bytes.len() - 1;
        let last = bytes[..end].iter().rposition(|byte| *byte == b'\n');
        let last = last.map_or(0, |at| at + 1);
        match self {
            Damage::Cut => bytes.truncate(last),
            Damage::Emptied => bytes.clear(),
            Damage::ZeroedEnd => bytes[last..].fill(0),
            Damage::AnotherInItsPlace => bytes = fs::read(other).unwrap(),
            Damage::ChangedLastLine => {
                let line = String::from_utf8(bytes[last..end].to_vec()).unwrap();
                let at = last + line.find(r#""at":""#).unwrap() + r#""at":""#.len();
                bytes[at] = if bytes[at] == b'1' { b'2' } else { b'1' };
            }
        }
        fs::write(path, bytes).unwrap();
    }
}

/// A journal, another one of its kind, and the commands that read it.
struct Read {
    path: PathBuf,
    other: PathBuf,
    commands: Vec<Vec<String>>,
}

fn commands(all: &[&[&str]]) -> Vec<Vec<String>> {
    let owned = |args: &&[&str]| args.iter().map(|arg| (*arg).to_owned()).collect();
    all.iter().map(owned).collect()
}

fn store() -> (Program, Vec<Read>) {
    let program = Program::new().owning("[sims.it]\nunsafe_rate = 0.9\n");
    program.write("two.csv", super::lost_lines::TOPICS);
    program.write("answers.csv", super::lost_lines::ANSWERS);
    let play = |program: &Program| {
        program.play(&[
            "--protocol",
            "pred",
            "--rounds",
            "1",
            "--model",
            "it",
            "--dataset",
            "own:two.csv",
        ])
    };
    let run = play(&program);
    play(&program);
    program.run_ok(&[
        "labels",
        "import",
        "answers.csv",
        "--human",
        "ada",
        "--set",
        "safety",
    ]);
    let eve = super::lost_lines::ANSWERS.replace("ada", "eve");
    program.write("eve.csv", &eve);
    program.run_ok(&[
        "labels", "import", "eve.csv", "--human", "eve", "--set", "safety",
    ]);
    for (namespace, text) in [("mine", "Ask first."), ("theirs", "Ask last.")] {
        program.run_ok(&["memory", "add", text, "--namespace", namespace]);
    }
    let passes = |run: &str| {
        program.run_ok(&["judge", "--run", run, "--rubric", "safety", "--model", "it"]);
    };
    passes(&run);
    let first_pass = only(program.store().join("passes"));
    passes(&run);
    let session = journals(&program.store().join("sessions"));
    let runs = journals(&program.store().join("runs"));
    let passes = journals(&program.store().join("passes"));
    let other_pass = passes.iter().find(|path| **path != first_pass).unwrap();
    let at = |name: &str| program.store().join(name);
    let id_of = id(&session[0]);
    let turn = format!("{id_of}:r1.debater-0");
    let pass = id(&first_pass);
    let all = vec![
        Read {
            path: session[0].clone(),
            other: session[1].clone(),
            commands: commands(&[
                &["show", &id_of],
                &["show", &id_of, "--json"],
                &["show", &id_of, "--json", "--views"],
                &["show", &id_of, "--views"],
                &["ls"],
                &["ls", "--json"],
                &["metrics"],
                &["metrics", "--json"],
                &["metrics", "--csv"],
                &["validate"],
                &["export", &id_of, "--output", "out"],
                &["export", "--all", "--output", "out"],
                &["export", &id_of, "--record", "--output", "out"],
                &["export", "--turns", "out.jsonl"],
                &[
                    "judge",
                    "--session",
                    &id_of,
                    "--rubric",
                    "safety",
                    "--model",
                    "it",
                ],
                &["prompts", "render", &turn],
                &["prompts", "try", &turn, "--samples", "1"],
                &["labels", "queue", "q", "--simulated", "--all"],
                &["memory", "guardrails", "derive", &id_of],
                &["run", "--resume-session", &id_of],
                &["verify"],
            ]),
        },
        Read {
            path: runs[0].clone(),
            other: runs[1].clone(),
            commands: commands(&[
                &["ls", "--runs"],
                &["metrics", "--run", &run],
                &["experiments", "list"],
                &["run", "--resume", &run],
                &["verify"],
            ]),
        },
        Read {
            path: at("notes/ada-safety.jsonl"),
            other: at("notes/eve-safety.jsonl"),
            commands: commands(&[
                &["labels", "list"],
                &["labels", "export", "--output", "out.jsonl"],
                &["validate"],
                &["metrics"],
                &["verify"],
            ]),
        },
        Read {
            path: only(at("memory/mine")),
            other: only(at("memory/theirs")),
            commands: commands(&[
                &["memory", "list", "--namespace", "mine"],
                &[
                    "memory",
                    "export",
                    "--output",
                    "out.jsonl",
                    "--namespace",
                    "mine",
                ],
                &["memory", "search", "Ask", "--namespace", "mine"],
                &["verify"],
            ]),
        },
        Read {
            path: first_pass,
            other: other_pass.clone(),
            commands: commands(&[
                &["judge", "list"],
                &["judge", "--resume", &pass],
                &["metrics", "--pass", &pass],
                &["verify"],
            ]),
        },
    ];
    (program, all)
}

#[test]
fn no_command_answers_from_a_damaged_journal_in_silence() {
    let (program, all) = store();
    let kept = program.path("kept");
    copy_folder(&program.store(), &kept);
    let mut silent = Vec::new();
    for read in &all {
        for args in &read.commands {
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let again = || {
                fs::remove_dir_all(program.store()).unwrap();
                copy_folder(&kept, &program.store());
                for file in ["out", "out.jsonl"] {
                    let _ = fs::remove_dir_all(program.work().join(file));
                    let _ = fs::remove_file(program.work().join(file));
                }
            };
            again();
            let sound = program.run(&args);
            assert_ne!(sound.code, 2, "{args:?}: {}", sound.err);
            for damage in DAMAGES {
                again();
                damage.happens_to(&read.path, &read.other);
                let ran = program.run(&args);
                let names = ran.err.contains(&id(&read.path)) || ran.err.contains("damaged");
                let told = ran.code == 5 || (ran.code != 0 && ran.code != sound.code) || names;
                if !told {
                    silent.push(format!("{damage:?} {args:?}\n{}", ran.err));
                }
            }
        }
    }
    assert!(silent.is_empty(), "{}\n{}", silent.len(), silent.join("\n"));
}
