//! Orientation: hidden parts, unavailable actions and names on the debate screen.

use elenchus_test_support::answer::{Step, event};
use elenchus_test_support::duo::{begin_debate, duo_program};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, Barrier, ChatServer, Pty};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

fn numbered() -> ChatServer {
    ChatServer::start(|seen| Answer::chat(&format!("Reply number {}.", seen.number)))
}

#[test]
fn a_single_turn_is_followed_to_its_pane_where_one_pane_alone_is_shown() {
    let server = numbered();
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.wait_for("◆ transcript");
    pty.press("\\");
    pty.wait_for("◆ Speaker 1");
    pty.press("n");
    pty.wait_for("Reply number 0.");
    // The text is on the screen while it streams: the turn is over when nothing moves any more.
    pty.wait_for_calm();
    pty.press("n");
    pty.wait_for("◆ Speaker 2");
    pty.wait_for("Reply number 1.");
    // What somebody went to look at stays where it is.
    pty.press("Tab");
    pty.wait_for("◆ record");
    pty.press("s");
    server.wait_until("the whole stage", |log| log.requests.len() == 4);
    pty.wait_for("complete");
    pty.wait_for("◆ record");
    pty.quits();
}

#[test]
fn a_fork_after_the_last_turn_opens_that_turn_and_says_what_to_press() {
    let server = numbered();
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("R");
    pty.wait_for("complete");
    pty.wait_for_calm();
    pty.press("n");
    pty.wait_for("the debate is over: f forks after the turn under the cursor");
    pty.press("] ] ] ] f");
    pty.wait_for("r asks again, e edits");
    pty.press("r");
    pty.wait_for("how many times?");
    pty.press("Enter");
    pty.wait_for("attempt 2 of 2");
    assert_eq!(server.requests().len(), 5);
    pty.quits();
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_note_stands_at_its_turn_and_is_told_apart_from_what_was_said() {
    let server = numbered();
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("n");
    pty.wait_for("Reply number 0.");
    // The turn is one only once its reply is kept.
    pty.wait_for_calm();
    pty.press("#");
    pty.wait_for("note on Speaker 1, round 1 answer");
    pty.type_text("Here it turns.");
    pty.press("Ctrl-D");
    pty.wait_for("note by ada: Here it turns.");
    assert_ne!(pty.look_of("note by").fg, pty.look_of("Reply number").fg);
    pty.press("Tab Tab #");
    pty.wait_for("note on the debate");
    pty.type_text("Worth another look.");
    pty.press("Ctrl-D");
    pty.wait_for("note by ada: Worth another");
    pty.press("M");
    pty.wait_for("[masked]");
    pty.wait_for_no("Here it turns.");
    pty.press("M");
    pty.wait_for("note by ada: Here it turns.");
    pty.press("u");
    pty.wait_for_no("Worth another");
    pty.quits();
}

#[test]
fn a_tree_calls_sessions_by_their_names_and_tags() {
    let program = Program::new();
    let args = ["run", "--protocol", "pred", "--rounds", "1", "-q"];
    let ran = program.run(&[&args[..], &["--topic", "Is it salty?"]].concat());
    ran.ended_with(0);
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.press("Home r");
    pty.type_text("the first one");
    pty.press("Enter");
    pty.wait_for("the first one");
    pty.press("t");
    pty.type_text("sea");
    pty.press("Enter");
    pty.wait_for("tags sea");
    pty.press("F");
    pty.wait_for("the first one the first debate");
    pty.wait_for("· tags sea · pred · complete");
    pty.quits();
}

#[test]
fn a_session_that_is_played_here_is_said_to_be_open_here() {
    let barrier = Barrier::of(2);
    let held = Arc::clone(&barrier);
    let server = ChatServer::start(move |_| {
        let mut answer = Answer::chat("and the last words.");
        answer.steps.insert(1, Step::Meet(Arc::clone(&held)));
        let words = event(&json!({ "content": "The first words " })).into_bytes();
        answer.steps.insert(1, Step::Chunk(words));
        answer
    });
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("n");
    pty.wait_for("The first words");
    pty.press("Esc");
    pty.wait_for("▷ here");
    pty.press("Home");
    pty.wait_for("open here;");
    assert!(!pty.screen().contains("process"), "{}", pty.screen());
    pty.press("Enter");
    pty.wait_for("The first words");
    barrier.meet();
    pty.wait_for("The first words and the last words.");
    pty.wait_for("open here");
    pty.quits();
}

#[test]
fn a_search_through_everything_finds_the_examples_too() {
    let program = Program::new();
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.wait_for("Recorded examples");
    pty.press("*");
    pty.type_text("blood-pressure");
    pty.press("Enter");
    pty.wait_for("in 1 place");
    pty.press("Enter");
    pty.wait_for("recorded example · complete");
    pty.quits();
    assert!(program.sessions().is_empty());
}

#[test]
fn sentences_name_the_keys_that_are_in_force() {
    let server = numbered();
    let program = duo_program(&server);
    let config = std::fs::read_to_string(program.work().join(".elenchus/config.toml")).unwrap();
    let keys = "[keys.debate]\nstep-turn = [\"b b\"]\nnote = []\n";
    program.write(".elenchus/config.toml", &format!("{config}{keys}"));
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("]");
    pty.wait_for("nothing was said yet: b b plays one turn");
    pty.paste("some text");
    pty.wait_for("t speaks for a seat, the command note writes a note");
    pty.press("b b");
    pty.wait_for("Reply number 0.");
    pty.wait_for("open here");
    pty.quits();
}

#[test]
fn what_is_written_in_the_inspector_comes_back_after_a_kill() {
    let server = numbered();
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("i");
    pty.wait_for("system · message 1 of 2");
    pty.press("]");
    pty.wait_for("▶ user · message 2 of 2");
    pty.press("e");
    pty.wait_for("Ctrl-D uses the text");
    pty.press("Ctrl-K");
    pty.type_text("How salty?");
    pty.wait_for("How salty?");
    pty.wait_for_calm();
    pty.signal(rustix::process::Signal::KILL);
    pty.wait_for_exit();

    let mut pty = Pty::of(&program).size(100, 30).starts(&["open", "last"]);
    pty.wait_for("not played to its end");
    pty.press("i");
    pty.wait_for("your unsent changes of an earlier time are here again");
    pty.wait_for("How salty?");
    pty.press("n");
    pty.wait_for("n sends");
    pty.press("n");
    pty.wait_for("Reply number 0.");
    pty.wait_for("open here");
    let sent = server.requests()[0].body["messages"].clone();
    assert_eq!(sent[1]["content"], "How salty?");
    pty.quits();
}

#[test]
fn a_ceiling_that_was_reached_is_raised_from_the_screen() {
    let server = numbered();
    let program = duo_program(&server);
    let config = std::fs::read_to_string(program.work().join(".elenchus/config.toml")).unwrap();
    let config = config.replace("[defaults]\n", "[defaults]\nbudget_usd = 0.000001\n")
        + "price_in_usd_per_mtok = 1.0\nprice_out_usd_per_mtok = 1.0\n";
    program.write(".elenchus/config.toml", &config);
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("n");
    pty.wait_for("the ceiling allows no more calls, n raises it");
    assert!(server.requests().is_empty());
    pty.press("n");
    pty.wait_for("raise it to how many US dollars?");
    pty.type_text("nothing");
    pty.press("Enter");
    pty.wait_for("write an amount of US dollars");
    pty.press("Ctrl-U");
    pty.type_text("2.50");
    pty.press("Enter");
    pty.wait_for("Reply number 0.");
    pty.wait_for("open here");
    pty.quits();
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_verdict_that_is_an_object_is_filled_into_a_form() {
    let program = Program::new();
    let script = "#!/bin/sh\nsed -i -e 's/^argumentQualityScore\\.[a-z]*: $/&7/' \\\n\
                  -e 's/^\\(synthesis\\|answer\\): $/&The database, for now./' \\\n\
                  -e 's/^recommendAnotherRound: $/&no/' \"$1\"\n";
    program.write("fill.sh", script);
    let path = program.work().join("fill.sh");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut pty = Pty::of(&program)
        .with("EDITOR", path.to_str().unwrap())
        .size(120, 40)
        .starts(&[]);
    pty.wait_for("Recorded examples");
    pty.press("/");
    pty.type_text("moderated");
    pty.press("Enter");
    pty.wait_for("Esc clears the filter");
    pty.press("Enter");
    pty.wait_for("recorded example · complete (ended by a rule");
    pty.press("Tab Tab Tab v");
    pty.wait_for("in a fork: a verdict was given");
    pty.wait_for("LOW: ");
    pty.press("G Enter");
    pty.wait_for("your verdict, LOW: fill in the form");
    pty.wait_for("confidenceLevel: LOW");
    pty.press("Ctrl-D");
    pty.wait_for("nothing is written there yet");
    pty.press("Ctrl-E");
    pty.wait_for("read from your editor");
    pty.press("Ctrl-D");
    pty.wait_for("the parent stays as it was");
    let fork = program.sessions().pop().unwrap();
    pty.quits();
    let events = program.events(&fork);
    let judged = events
        .iter()
        .rfind(|event| event["type"] == "judged")
        .unwrap();
    assert!(
        judged["outcome"].to_string().contains("\"LOW\""),
        "{judged:#}"
    );
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_persona_is_given_to_a_seat_and_shown_to_it() {
    let program = Program::new();
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    begins_with_persona(&mut pty);
    pty.press("i");
    pty.wait_for("message 1 of");
    pty.wait_for("a harbour pilot");
    pty.quits();
    let created = &program.events(&program.sessions()[0])[0];
    let cast = created["cast"].as_array().unwrap();
    let given = cast
        .iter()
        .filter(|one| one["persona"] == "a harbour pilot");
    assert!(given.count() > 0, "{cast:#?}");
}

fn begins_with_persona(pty: &mut Pty) {
    pty.wait_for("n begins your own debate");
    pty.press("n");
    pty.wait_for("debater persona");
    pty.press("Home Down Down Down Down Down Down Down");
    pty.wait_for("▶   debater persona");
    pty.type_text("a harbour pilot");
    pty.press("Enter");
    pty.wait_for("a harbour pilot");
    pty.press("Home");
    pty.paste("Is it salty?");
    pty.wait_for("ready to begin");
    pty.press("End Enter");
    pty.wait_for("not played to its end");
}

#[test]
fn leaving_a_debate_that_is_still_being_read_keeps_the_place_where_somebody_was() {
    let server = numbered();
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("R");
    pty.wait_for("complete");
    pty.wait_for_calm();
    pty.press("[ [ [");
    pty.wait_for("▶Speaker 1 · round 1");
    pty.quits();
    // The key may come before the journal was read.
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.wait_until("anything", |screen| !screen.text().is_empty());
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.wait_for("complete");
    pty.wait_for("▶Speaker 1 · round 1");
    pty.quits();
}

#[test]
fn at_the_top_of_a_debate_actions_apply_to_its_first_turn() {
    let long = "words that fill a line of the screen ".repeat(40);
    let server = ChatServer::start(move |_| Answer::chat(&long));
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(80, 24).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("R");
    pty.wait_for("complete");
    pty.wait_for_calm();
    pty.press("G");
    pty.wait_for_no("Speaker 1 · round 1");
    // The topic stands above it, and no turn that was looked at before is in sight.
    pty.press("g g");
    pty.wait_for("Speaker 1 · round 1");
    pty.press("i");
    pty.wait_for("what Speaker 1 was shown for r1");
    pty.quits();
}
