//! What the command line answers before anything is done: no process is needed for that.

use clap::CommandFactory;
use elenchus::cli::Cli;
use elenchus_test_support::program::Ran;

/// The width of help and errors where there is no terminal.
const WITHOUT_TERMINAL: usize = 100;

/// Returns the answer to arguments that it does not take, or that ask for help. `None` where there is something
/// to do.
pub fn parser_answer(args: &[&str]) -> Option<Ran> {
    let line = std::iter::once("elenchus").chain(args.iter().copied());
    let command = Cli::command().term_width(WITHOUT_TERMINAL);
    let answer = command.try_get_matches_from(line).err()?;
    let text = answer.render().to_string();
    let (out, err) = match answer.use_stderr() {
        true => (String::new(), text),
        false => (text, String::new()),
    };
    let code = answer.exit_code();
    Some(Ran { code, out, err })
}
