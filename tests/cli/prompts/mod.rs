//! Versions of prompts: what is kept, labelled, restored and pinned, through the real program.

mod front;
mod kept;
mod pinned;
mod used;

use crate::support::program::Desk;

/// What the built-in Socratic prompt says, with one more paragraph.
fn changed(desk: &Desk, words: &str) -> String {
    let shown = desk.run(&["prompts", "show", "sred/socratic"]);
    format!("{}\n{words}\n", shown.ended_with(0).out)
}

/// The first words of every version of the Socratic prompt that 'prompts log' lists, newest first.
fn versions(desk: &Desk) -> Vec<String> {
    let log = desk.run(&["prompts", "log", "sred/socratic"]).ended_with(0);
    let lines = log.out.lines().filter(|line| !line.starts_with(' '));
    lines.map(str::to_owned).collect()
}

/// The hash with which a line of 'prompts log' begins.
fn hash(line: &str) -> String {
    line.split(' ').next().unwrap().to_owned()
}
