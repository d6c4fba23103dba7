//! `elenchus prompts`: versions that are kept, labelled, restored and pinned.

mod by_setting;
mod front_matter;
mod pins;
mod provenance;
mod shown_words;
mod versions;

use elenchus_test_support::program::Program;

/// What the built-in Socratic prompt says, with one more paragraph.
pub fn changed(program: &Program, words: &str) -> String {
    let shown = program.run(&["prompts", "show", "sred/socratic"]);
    format!("{}\n{words}\n", shown.ended_with(0).out)
}

/// The first words of every version of the Socratic prompt that 'prompts log' lists, newest first.
pub fn versions(program: &Program) -> Vec<String> {
    let log = program
        .run(&["prompts", "log", "sred/socratic"])
        .ended_with(0);
    let lines = log.out.lines().filter(|line| !line.starts_with(' '));
    lines.map(str::to_owned).collect()
}

/// The hash with which a line of 'prompts log' begins.
pub fn hash(line: &str) -> String {
    line.split(' ').next().unwrap().to_owned()
}
