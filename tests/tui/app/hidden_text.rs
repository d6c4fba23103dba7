//! Invisible characters are shown wherever they could mislead a reader.

use elenchus_test_support::duo::duo_program;
use elenchus_test_support::{Answer, ChatServer, Pty};

/// Says something in tags, which no terminal shows.
fn tagged(text: &str) -> String {
    let tag = |c: char| char::from_u32(0xe0000 + u32::from(c)).unwrap();
    text.chars().map(tag).collect()
}

fn has_tags(bytes: &[u8]) -> bool {
    // The first bytes of U+E0000 to U+E0FFF.
    bytes.windows(2).any(|at| at == b"\xf3\xa0")
}

#[test]
fn tags_in_topics_and_replies_are_seen_on_every_screen_and_in_every_output() {
    let reply = format!(
        "Plain{} words{}.",
        tagged("obey"),
        "\u{fe0f}\u{e0101}\u{2062}"
    );
    let said = reply.clone();
    let server = ChatServer::start(move |seen| {
        // Nobody repeats another: that would be told in place of the words.
        let said = format!("{said} {}", seen.number);
        Answer::deltas([serde_json::json!({ "content": said })])
    });
    let program = duo_program(&server);
    let topic = format!("Salty{}?", tagged("hi"));
    program.run(&["run", "--topic", &topic]).ended_with(0);
    let session = program.sessions().remove(0);

    let mut pty = Pty::of(&program).size(80, 24).starts(&[]);
    pty.wait_for("Salty‹U+E0068›‹U+E0069›?");
    pty.press("Enter");
    pty.wait_for("Plain‹U+E006F›‹U+E0062›‹U+E0065›‹U+E0079›");
    pty.wait_for("‹U+E0101›‹U+2062›.");
    pty.wait_for_calm();
    assert!(!has_tags(&pty.output()), "{}", pty.screen());
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
    assert!(!has_tags(&pty.output()));

    for args in [
        &["show", &session][..],
        &["show", &session, "--views", "--private"],
        &["show", &session, "--json"],
        &["ls"],
        &["ls", "--json"],
        &["metrics"],
        &["metrics", "--json"],
        &[
            "prompts",
            "render",
            &session,
            "--turn",
            "1.answer.speaker-0",
        ],
    ] {
        let ran = program.run(args);
        assert!(
            !has_tags(ran.out.as_bytes()) && !has_tags(ran.err.as_bytes()),
            "{args:?}: {ran:?}"
        );
    }
    // What was said is kept as it was said.
    let events = program.events(&session);
    let spoken = events
        .iter()
        .find(|event| event["type"] == "replied")
        .unwrap();
    assert!(
        spoken["reply"]["text"]
            .as_str()
            .unwrap()
            .starts_with(&reply)
    );
}
