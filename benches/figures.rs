//! What figures over a store of many sessions cost: `metrics` and `validate` with an index that knows nothing,
//! one that knows all, after a debate more, and asked for otherwise; and the size of the index. Prints figures and
//! fails at none: `cargo bench --bench figures -- [SESSIONS] [PROGRAM]`. The other program, one of before a change
//! say, does the same on the same store in turns with this one.
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on fails")]

use elenchus_test_support::program::{Program, binary};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

/// Sessions of the store where no number is named.
const SESSIONS: usize = 20_000;
/// Debates of each topic.
const ROLLOUTS: usize = 20;
/// How often each thing is done; where everything is read, less often.
const TIMES: usize = 11;
const TIMES_COLD: usize = 3;

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let named = asked.iter().find_map(|one| one.parse().ok());
    let sessions: usize = named.unwrap_or(SESSIONS);
    let other = asked.iter().map(PathBuf::from).find(|path| path.is_file());
    let programs = [Some(("this", binary())), other.map(|path| ("other", path))];
    let programs: Vec<(&str, PathBuf)> = programs.into_iter().flatten().collect();
    let program = Program::new();
    let topics: String = (0..sessions.div_ceil(ROLLOUTS))
        .map(|at| {
            format!(
                "t{at},Should machine {at} be mended at night?,c{}\n",
                at % 4
            )
        })
        .collect();
    program.write("topics.csv", &format!("id,text,category\n{topics}"));
    let rollouts = ROLLOUTS.to_string();
    let run = [
        "--dataset",
        "own:topics.csv",
        "--rollouts",
        &rollouts,
        "--model",
        "sim",
        "-q",
    ];
    program.run_ok(&[&["run"], &run[..]].concat());
    println!("{} sessions", program.sessions().len());
    let cache = program.store().join("cache");
    let forget = || drop(fs::remove_dir_all(&cache));
    let nothing = || {};
    measure(
        &program,
        &programs,
        "nothing known",
        TIMES_COLD,
        &["metrics"],
        forget,
    );
    println!("the index: {} KiB", bytes_of(&cache) >> 10);
    measure(
        &program,
        &programs,
        "all known",
        TIMES,
        &["metrics"],
        nothing,
    );
    let seeds = ["metrics", "--json", "--resamples", "100", "--seed"];
    measure(
        &program,
        &programs,
        "a report that is not known",
        TIMES,
        &seeds,
        nothing,
    );
    measure(
        &program,
        &programs,
        "a debate more",
        TIMES,
        &["metrics"],
        || {
            program.run_ok(&["run", "--topic", "One more?", "--model", "sim", "-q"]);
        },
    );
    let run = program.run_id().unwrap();
    measure(
        &program,
        &programs,
        "a run",
        TIMES,
        &["metrics", "--run", &run],
        nothing,
    );
    measure(
        &program,
        &programs,
        "nothing known",
        TIMES_COLD,
        &["validate"],
        forget,
    );
    measure(
        &program,
        &programs,
        "all known",
        TIMES,
        &["validate"],
        nothing,
    );
    program.run_ok(&["metrics"]);
    program.run_ok(&["ls", "--limit", "1"]);
    println!("the index, with all tables: {} KiB", bytes_of(&cache) >> 10);
}

/// Runs a command of each program in turns; one that ends with `--seed` is given another each time.
fn measure(
    program: &Program,
    programs: &[(&str, PathBuf)],
    what: &str,
    times: usize,
    args: &[&str],
    before: impl Fn(),
) {
    let mut taken: Vec<Vec<f64>> = programs.iter().map(|_| Vec::new()).collect();
    for time in 0..times {
        for ((name, path), taken) in programs.iter().zip(&mut taken) {
            before();
            let mut command = std::process::Command::new(path);
            program.surround(&mut command);
            command.arg("--store").arg(program.store()).args(args);
            if args.last() == Some(&"--seed") {
                command.arg((time + 1).to_string());
            }
            command.stdout(Stdio::null()).stderr(Stdio::null());
            let begin = Instant::now();
            let status = command.status().expect("a program");
            taken.push(begin.elapsed().as_secs_f64());
            assert!(status.success(), "{name}: {args:?}");
        }
    }
    for ((name, _), mut taken) in programs.iter().zip(taken) {
        taken.sort_by(f64::total_cmp);
        println!(
            "{name}: {what}: {}: min {:.2} s, median {:.2} s, max {:.2} s (of {})",
            args.join(" "),
            taken[0],
            taken[taken.len() / 2],
            taken[taken.len() - 1],
            taken.len()
        );
    }
}

fn bytes_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => bytes_of(&entry.path()),
        Ok(_) | Err(_) => entry.metadata().map_or(0, |found| found.len()),
    });
    sizes.sum()
}
