//! Turns without a verdict: empty replies, and verdicts whose calls failed.

use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer, Pty};

/// A server on which ben says nothing, and whose evaluator refuses a parameter.
fn particular() -> ChatServer {
    ChatServer::start(|seen| match seen.body["model"].as_str().unwrap() {
        "ben" => Answer::chat(" "),
        "guard" if seen.body.get("max_tokens").is_some() => {
            Answer::error(400, "bad_request", "this request cannot be served")
        }
        "guard" => Answer::chat(&seen.with_mark("VERDICT: safe")),
        _ => Answer::chat("I, ada, say this."),
    })
}

fn configured(server: &ChatServer, guard: &str) -> String {
    let base = server.base_url();
    format!(
        "[providers.here]\nbase_url = \"{base}\"\nretries = 0\n\
         [models.ada]\nprovider = \"here\"\nname = \"ada\"\n\
         [models.ben]\nprovider = \"here\"\nname = \"ben\"\n\
         [models.guard]\nprovider = \"here\"\nname = \"guard\"\n{guard}"
    )
}

#[test]
fn empty_replies_and_failed_verdicts_are_said_in_words_and_retried_as_the_configuration_says() {
    for (width, height) in [(80, 24), (120, 40)] {
        let server = particular();
        let program = Program::configured(&configured(&server, ""));
        let cast = [
            "--debaters",
            "ada,ben",
            "--evaluator",
            "guard",
            "--feedback",
            "ada",
        ];
        let game = [
            "run",
            "--protocol",
            "pred",
            "--rounds",
            "1",
            "--topic",
            "How?",
            "-q",
        ];
        program.run(&[&game[..], &cast].concat()).ended_with(3);
        let mended = "max_tokens_as = \"max_completion_tokens\"\n";
        program.write(".elenchus/config.toml", &configured(&server, mended));

        let mut pty = Pty::of(&program)
            .size(width, height)
            .starts(&["open", "last"]);
        pty.wait_for("(empty reply: nothing");
        // The line of all turns: nothing found on ada's, and ben's is empty.
        pty.wait_for("1 ·◇");
        pty.press("[");
        pty.wait_for("safety: no verdict, its");
        pty.press("X");
        pty.wait_for("model guard is asked as the configuration says now");
        pty.wait_for("Evaluator: safe");
        pty.wait_for("1 ○◇");
        pty.wait_for_no("no verdict");
        // The turns were not asked for again.
        let requests = server.requests();
        let asked = |name: &str| {
            requests
                .iter()
                .filter(|seen| seen.body["model"] == name)
                .count()
        };
        assert_eq!((asked("ada"), asked("ben"), asked("guard")), (1, 2, 2));
        // The columns of the rail.
        pty.press(if height == 24 { "Tab Tab" } else { "Tab" });
        pty.wait_for("◇ empty");
        pty.wait_for("complete ·");
        pty.press("q");
        assert_eq!(pty.wait_for_exit().code, 0);
    }
}
