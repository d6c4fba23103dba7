//! The whole workbench, by the real program in a terminal.

mod guards;
mod hands_on;
mod hidden;
mod hostile;
mod leaving;
mod looks;
mod mended;
mod panicking;
mod runs;
mod stepping;
mod torn;
mod unjudged;

use crate::support::Pty;
use crate::support::program::Desk;
use crate::support::server::Server;

/// A desk with a game of two speakers whose every model is on this server.
fn desk_with_duo(server: &Server) -> Desk {
    let desk = Desk::configured(&format!(
        "[defaults]\nmodel = \"served\"\nprotocol = \"duo\"\nname = \"ada\"\n\
         [providers.openai]\nbase_url = \"{}\"\nretries = 0\n\
         [models.served]\nprovider = \"openai\"\nname = \"served-model\"\n",
        server.base_url()
    ));
    let protocol = include_str!("fixtures/duo/protocol.toml");
    desk.write(
        ".elenchus/prompts/duo/protocol.toml",
        &protocol.replace("default = 1", "default = 2"),
    );
    let template = include_str!("fixtures/duo/speaker.md");
    desk.write(".elenchus/prompts/duo/speaker.md", template);
    desk
}

/// Begins a debate of two speakers in the form for new debates, where `arrange` may change more.
fn begins(pty: &mut Pty, arrange: impl FnOnce(&mut Pty)) {
    pty.wait_for("n begins your own debate");
    pty.press("n");
    pty.wait_for("▶ game               duo");
    // The fields of a game are there once it is read.
    pty.wait_for("Settings of the game");
    arrange(pty);
    pty.press("Home j Enter");
    pty.wait_for("Topic: Enter begins a line");
    pty.paste("Why is it salty?");
    pty.press("Esc");
    pty.wait_for("ready to begin");
    pty.press("G Enter");
    pty.wait_for("not played to its end");
}
