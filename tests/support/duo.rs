//! Debates of two speakers in the workbench against one server.

use crate::Pty;
use crate::program::{DUO, Program};
use crate::server::ChatServer;

/// A program with a game of two speakers whose every model is on this server; nothing is asked twice.
pub fn duo_program(server: &ChatServer) -> Program {
    duo_with_retries(server, 0)
}

/// The same, with calls that are sent again so many times.
pub fn duo_with_retries(server: &ChatServer, retries: u32) -> Program {
    let program = Program::configured(&format!(
        "[defaults]\nmodel = \"served\"\nprotocol = \"duo\"\nname = \"ada\"\n\
         [providers.openai]\nbase_url = \"{}\"\nretries = {retries}\n\
         [models.served]\nprovider = \"openai\"\nname = \"served-model\"\n",
        server.base_url()
    ))
    .with_duo();
    program.write(
        ".elenchus/prompts/duo/protocol.toml",
        &DUO.replace("default = 1", "default = 2"),
    );
    program
}

/// Begins a debate of two speakers in the form for new debates, where `arrange` may change more.
pub fn begin_debate(pty: &mut Pty, arrange: impl FnOnce(&mut Pty)) {
    pty.wait_for("n begins your own debate");
    pty.press("n");
    pty.wait_for("game               duo");
    // The fields of a game are there once it is read.
    pty.wait_for("speaker 2");
    arrange(pty);
    pty.press("Home");
    pty.paste("Why is it salty?");
    pty.wait_for("ready to begin");
    pty.press("Ctrl-D");
    pty.wait_for("not played to its end");
}
