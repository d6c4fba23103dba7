//! What has to be done by hand, by name: each task is a few commands with their variables, printed before they
//! are run. `cargo xtask` lists them.

use std::process::{Command, ExitCode};

/// One command: variables, and words.
struct Step {
    variables: &'static [(&'static str, &'static str)],
    words: &'static [&'static str],
}

struct Task {
    name: &'static str,
    about: &'static str,
    steps: &'static [Step],
}

const fn step(words: &'static [&'static str]) -> Step {
    Step {
        variables: &[],
        words,
    }
}

/// The words of a task's last step are followed by those of the command line.
const TASKS: &[Task] = &[
    Task {
        name: "check",
        about: "format, and clippy with warnings as errors",
        steps: &[
            step(&["cargo", "fmt", "--check"]),
            step(&["cargo", "clippy", "--all-targets", "--", "-D", "warnings"]),
        ],
    },
    Task {
        name: "ci",
        about: "what decides whether a change lands [--full | --record]",
        steps: &[step(&[".ci/run"])],
    },
    Task {
        name: "snapshots",
        about: "write the pictures of screens and tables anew [FILTER]; read the difference afterwards",
        steps: &[Step {
            variables: &[("INSTA_UPDATE", "always")],
            words: &["cargo", "test"],
        }],
    },
    Task {
        name: "pages",
        about: "put the program's own screens, keys and pictures into the manual",
        steps: &[Step {
            variables: &[("README_SCREENS", "write")],
            words: &["cargo", "test", "--test", "all", "documents::"],
        }],
    },
    Task {
        name: "model",
        about: "tests with a real sentence model, which Python fetches",
        steps: &[step(&[
            "bash",
            "-c",
            "eval \"$(tests/minilm/make.sh target/minilm)\" && \
             cargo test --tests -- --ignored --skip child --skip a_hundred_thousand",
        ])],
    },
    Task {
        name: "simulations",
        about: "figures with all data sets of the simulations that check intervals",
        steps: &[Step {
            variables: &[("ELENCHUS_TEST_SIMULATIONS", "1")],
            words: &["cargo", "test", "--package", "elenchus-metrics"],
        }],
    },
    Task {
        name: "fuzz",
        about: "damaged input of every kind, a minute each",
        steps: &[
            Step {
                variables: &[("ELENCHUS_FUZZ_SECONDS", "60")],
                words: &["cargo", "test", "--test", "all", "fuzz::"],
            },
            Step {
                variables: &[("ELENCHUS_FUZZ_SECONDS", "60")],
                words: &[
                    "cargo",
                    "test",
                    "--package",
                    "elenchus-model",
                    "damaged_streams",
                ],
            },
        ],
    },
    Task {
        name: "deny",
        about: "bans, licences and sources of dependencies; needs cargo-deny",
        steps: &[step(&[
            "cargo", "deny", "check", "bans", "licenses", "sources",
        ])],
    },
    Task {
        name: "timings",
        about: "a release build with a page of what took how long, in target/cargo-timings",
        steps: &[step(&["cargo", "build", "--release", "--timings"])],
    },
    Task {
        name: "dist",
        about: "the program as it is handed out: small, in target/dist",
        steps: &[step(&["cargo", "build", "--profile", "dist"])],
    },
    Task {
        name: "bench",
        about: "measurements of speed, bytes and memory [--bench NAME]",
        steps: &[step(&["cargo", "bench"])],
    },
];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_default();
    let more: Vec<String> = words.collect();
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        eprintln!("usage: cargo xtask TASK [MORE ARGUMENTS]\n");
        for task in TASKS {
            eprintln!("  {:12} {}", task.name, task.about);
        }
        // Asked for no task it has said what there is.
        return ExitCode::from(if name.is_empty() { 0 } else { 2 });
    };
    for (at, step) in task.steps.iter().enumerate() {
        let is_last = at + 1 == task.steps.len();
        let more = if is_last { &more[..] } else { &[] };
        if let Err(why) = run(step, more) {
            eprintln!("xtask {name}: {why}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Prints a command and runs it in the folder of the repository.
fn run(step: &Step, more: &[String]) -> Result<(), String> {
    let set = step.variables.iter();
    let mut shown: Vec<String> = set.map(|(name, value)| format!("{name}={value}")).collect();
    shown.extend(step.words.iter().map(|word| (*word).to_owned()));
    shown.extend_from_slice(more);
    eprintln!("$ {}", shown.join(" "));
    let (program, arguments) = step.words.split_first().ok_or("nothing to run")?;
    let status = Command::new(program)
        .args(arguments)
        .args(more)
        .envs(step.variables.iter().copied())
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .status()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{program} ended with {status}")),
    }
}
