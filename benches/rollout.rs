//! What a debate costs this program when a trainer asks for many: `rollout` of 64 topics, 8 debates each, of
//! `pcd-2` with a critic that is frozen, by simulated models and by a server that answers at once. Prints the
//! time a debate, and of the processor a debate and a call: `cargo bench --bench rollout -- [TOPICS]`.
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on fails")]

use elenchus_test_support::program::{Program, binary};
use elenchus_test_support::{Answer, ChatServer};
use std::process::{Command, Stdio};
use std::time::Instant;

const TOPICS: usize = 64;
const ROLLOUTS: usize = 8;
const TIMES: usize = 7;
/// Calls of a debate: the proposer thinks and proposes, the judge decides; the critic is frozen.
const CALLS: usize = 3;

fn main() {
    let named = std::env::args().skip(1).find_map(|one| one.parse().ok());
    let topics: usize = named.unwrap_or(TOPICS);
    let debates = topics * ROLLOUTS;
    println!("{topics} topics, {ROLLOUTS} debates each, {TIMES} times (min, median, max)");
    let simulated = Program::new();
    let costs = measure(&simulated, topics, &["--model", "sim"]);
    print_costs("simulated", &costs, debates);
    let server = ChatServer::start(|_| {
        Answer::chat(
            "The sum of both is what is asked for. The result is \\boxed{4}. DECISION: correct",
        )
    });
    let served = Program::facing(&server);
    let costs = measure(&served, topics, &["--model", "m", "--unlisted"]);
    print_costs("a server", &costs, debates);
    let calls: Vec<f64> = costs
        .iter()
        .map(|(_, cpu)| cpu * 1e3 / (debates * CALLS) as f64)
        .collect();
    print_spread("a server: processor a call, ms", calls);
}

/// Wall-clock and processor seconds of whole processes.
fn measure(program: &Program, topics: usize, models: &[&str]) -> Vec<(f64, f64)> {
    program.write(
        "critic.txt",
        "I find no step that follows from the one before it.\n",
    );
    let lines: String = (0..topics)
        .map(|at| {
            format!(
                "{{\"id\": \"t{at}\", \"text\": \"What is {at} + 2?\", \"reference\": \"{}\"}}\n",
                at + 2
            )
        })
        .collect();
    program.write("topics.jsonl", &lines);
    let rollouts = ROLLOUTS.to_string();
    let args = [
        &[
            "rollout",
            "topics.jsonl",
            "--protocol",
            "pcd-2",
            "--critic",
            "fixed:critic.txt",
            "-q",
        ][..],
        &["--rollouts", &rollouts],
        models,
    ];
    (0..TIMES)
        .map(|_| run_once(program, &args.concat(), topics))
        .collect()
}

fn run_once(program: &Program, args: &[&str], topics: usize) -> (f64, f64) {
    let mut command = Command::new("bash");
    command
        .args(["-c", "TIMEFORMAT='%U %S'; time \"$0\" \"$@\""])
        .arg(binary())
        .args(args);
    program.surround(&mut command);
    let begun = Instant::now();
    let ran = command.stdin(Stdio::null()).output().unwrap();
    let wall = begun.elapsed().as_secs_f64();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    assert_eq!(String::from_utf8_lossy(&ran.stdout).lines().count(), topics);
    let times = said.lines().last().unwrap().split(' ');
    (
        wall,
        times.map(|seconds| seconds.parse::<f64>().unwrap()).sum(),
    )
}

fn print_costs(name: &str, costs: &[(f64, f64)], debates: usize) {
    let per_debate = |seconds: f64| seconds * 1e3 / debates as f64;
    print_spread(
        &format!("{name}: a debate, ms"),
        costs.iter().map(|(wall, _)| per_debate(*wall)).collect(),
    );
    print_spread(
        &format!("{name}: processor a debate, ms"),
        costs.iter().map(|(_, cpu)| per_debate(*cpu)).collect(),
    );
}

fn print_spread(name: &str, mut values: Vec<f64>) {
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    println!(
        "{name}: {:.2} {:.2} {:.2}",
        values[0],
        values[values.len() / 2],
        values[last]
    );
}
