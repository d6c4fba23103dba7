//! Runs over a dataset: set up in the form, played in the background, read and labelled.

use elenchus_test_support::program::Program;
use elenchus_test_support::server::PATIENCE;
use elenchus_test_support::{Answer, ChatServer, Pty};
use std::sync::{Arc, Condvar, Mutex};

const EIGHT: &str = include_str!("../../fixtures/datasets/eight.csv");
/// Requests that are answered before the others are held back: in the middle of five debates.
const ANSWERED: usize = 31;

fn simulated() -> Program {
    let program = Program::configured("[defaults]\nname = \"ada\"\n");
    program.write("eight.csv", EIGHT);
    program
}

fn facing(server: &ChatServer) -> Program {
    let program = Program::configured(&format!(
        "[defaults]\nmodel = \"served\"\nname = \"ada\"\n\
         [providers.openai]\nbase_url = \"{}\"\nretries = 0\n\
         [models.served]\nprovider = \"openai\"\nname = \"served-model\"\n",
        server.base_url()
    ));
    program.write("eight.csv", EIGHT);
    program
}

/// Names the data set in the form and waits until it asks what is played of it.
fn names_the_data_set(pty: &mut Pty) {
    pty.wait_for("n begins your own debate");
    pty.press("n");
    pty.wait_for("every seat");
    pty.press("Home Down");
    pty.type_text("eight.csv");
    pty.press("Enter");
    pty.wait_for("What is played of 8 rows");
}

/// Asks for a sample of so many rows and begins the run.
fn begins_a_sample(pty: &mut Pty, rows: &str) {
    names_the_data_set(pty);
    pty.type_text("sample");
    pty.press("Enter");
    pty.wait_for("New run");
    pty.press("Backspace Backspace");
    pty.type_text(rows);
    pty.press("Enter");
    pty.wait_for(&format!("Begin the run of {rows} debates"));
    pty.wait_for("ready to begin");
    pty.press("End Enter");
}

/// Holds requests back from some number on, until it is opened.
#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    changed: Condvar,
}

impl Gate {
    fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.changed.notify_all();
    }

    fn wait(&self) {
        let is_open = self.is_open.lock().unwrap();
        // A test that fails must not leave the server waiting.
        let waited = self
            .changed
            .wait_timeout_while(is_open, PATIENCE, |open| !*open);
        drop(waited.unwrap());
    }
}

/// Answers every request, those beyond [`ANSWERED`] once the gate is open.
fn gated(gate: &Arc<Gate>) -> ChatServer {
    let gate = Arc::clone(gate);
    ChatServer::start(move |seen| {
        if seen.number >= ANSWERED {
            gate.wait();
        }
        // A server that read what was sent: nothing is said of it beside what a run says.
        Answer::counted("safe", seen.text().len() as u64 / 4, 1)
    })
}

/// How many requests the same run takes when nobody disturbs it.
fn undisturbed() -> usize {
    let server = ChatServer::start(|_| Answer::chat("safe"));
    let program = facing(&server);
    let played = program.run(&["run", "--dataset", "eight.csv", "--sample", "5"]);
    assert_eq!(played.code, 0, "{played:?}");
    server.requests().len()
}

#[test]
fn a_sample_from_the_form_is_priced_played_looked_at_and_labelled() {
    for size in [(80, 24), (120, 40)] {
        let program = simulated();
        let mut pty = Pty::of(&program).size(size.0, size.1).starts(&[]);
        begins_a_sample(&mut pty, "5");
        pty.wait_for("run done: 5 debates");
        pty.wait_for("error rate");
        pty.wait_for("5 sessions, newest first");
        let screen = pty.screen();
        assert!(screen.contains("simulated"), "{screen}");
        assert!(
            screen.contains("g u") && screen.contains("Q labels"),
            "{screen}"
        );
        pty.press("g u");
        pty.wait_for("the first unsafe turn of the run; Q labels a sample of 20");
        pty.wait_for("Evaluator: unsafe");
        pty.press("Q");
        pty.wait_for("1 of 20");
        pty.wait_for("these turns are simulated");
        pty.press("s");
        pty.wait_for("1 labelled");
        pty.quits();
        let exported = program.run(&["labels", "export", "-o", "labels.csv"]);
        assert_eq!(exported.code, 0, "{exported:?}");
        let labels = std::fs::read_to_string(program.work().join("labels.csv")).unwrap();
        assert_eq!(labels.lines().count(), 2, "{labels}");
        assert!(
            labels.contains("ada") && labels.contains("safe"),
            "{labels}"
        );
        let run = program.run_id().unwrap();
        let listed = program.run(&["ls", "--run", &run, "--json"]);
        assert_eq!(listed.out.lines().count(), 5, "{listed:?}");
    }
}

#[test]
fn the_form_plays_the_rows_that_the_command_line_draws_at_the_price_that_it_says() {
    let by_command = simulated();
    let args = [
        "run",
        "--dataset",
        "eight.csv",
        "--sample",
        "3",
        "--seed",
        "0",
    ];
    let said = by_command.run(&args);
    assert_eq!(said.code, 0, "{said:?}");
    let by_form = simulated();
    let mut pty = Pty::of(&by_form).size(120, 40).starts(&[]);
    begins_a_sample(&mut pty, "3");
    pty.wait_for("run done: 3 debates");
    pty.quits();
    let topics = |program: &Program| {
        let listed = program.run(&["ls", "--json"]);
        let mut topics: Vec<String> = listed
            .out
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .map(|line| line["topic"].to_string())
            .collect();
        topics.sort();
        topics
    };
    assert_eq!(topics(&by_form), topics(&by_command));
    assert_eq!(topics(&by_form).len(), 3);
}

#[test]
fn a_run_that_is_left_is_asked_about_paused_and_buys_nothing_twice() {
    let gate = Arc::new(Gate::default());
    let server = gated(&gate);
    let program = facing(&server);
    let mut pty = Pty::of(&program).starts(&[]);
    begins_a_sample(&mut pty, "5");
    pty.wait_for("run: 0 of 5 debates");
    server.wait_until("calls are on their way", |log| {
        log.requests.len() > ANSWERED
    });
    pty.press("q");
    pty.wait_for("a run is under way (0 of 5");
    pty.press("n");
    pty.wait_for_no("a run is under way (0 of 5");
    pty.press("q y");
    pty.wait_for("pausing what is played");
    gate.open();
    assert_eq!(pty.wait_for_exit().code, 0);
    let run = program.run_id().unwrap();
    let screen = pty.screen();
    assert!(screen.contains("elenchus run --resume"), "{screen}");
    let bought = server.requests().len();
    let whole = undisturbed();
    assert!(bought < whole, "{bought} of {whole}");
    let resumed = program.run(&["run", "--resume", &run]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert_eq!(server.requests().len(), whole);
    assert_eq!(program.run(&["verify"]).code, 0);
}

#[test]
fn a_run_is_paused_and_gone_on_with_by_one_key_each_and_a_second_one_is_refused() {
    let gate = Arc::new(Gate::default());
    let server = gated(&gate);
    let program = facing(&server);
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    begins_a_sample(&mut pty, "5");
    server.wait_until("calls are on their way", |log| {
        log.requests.len() > ANSWERED
    });
    pty.wait_for("run: 0 of 5 debates");
    begins_a_sample_again(&mut pty);
    pty.wait_for("something is under way here");
    pty.press("Esc");
    pty.wait_for("run: 0 of 5 debates");
    pty.press("Z");
    pty.wait_for("run: pausing");
    gate.open();
    pty.wait_for("run paused at");
    pty.wait_for("elenchus run --resume");
    pty.press("O");
    pty.wait_for("run done: 5 debates");
    pty.quits();
    assert_eq!(server.requests().len(), undisturbed());
}

#[test]
fn calls_that_wait_for_a_place_are_not_sent_after_a_pause() {
    const PLACES: usize = 2;
    let gate = Arc::new(Gate::default());
    let server = gated(&gate);
    let program = facing(&server);
    let narrow = format!("retries = 0\nin_flight = {PLACES}\n");
    let config = std::fs::read_to_string(program.work().join(".elenchus/config.toml")).unwrap();
    program.write(
        ".elenchus/config.toml",
        &config.replace("retries = 0\n", &narrow),
    );
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    begins_a_sample(&mut pty, "5");
    server.wait_until("every place is taken by a call that is held", |log| {
        log.requests.len() == ANSWERED + PLACES
    });
    pty.press("Z");
    pty.wait_for("run: pausing");
    gate.open();
    pty.wait_for("run paused at");
    assert_eq!(server.requests().len(), ANSWERED + PLACES);
    pty.press("O");
    pty.wait_for("run done: 5 debates");
    pty.quits();
    assert_eq!(server.requests().len(), undisturbed());
    program.run(&["verify"]).ended_with(0);
}

fn begins_a_sample_again(pty: &mut Pty) {
    pty.press("n");
    pty.wait_for("every seat");
    pty.press("Home Down");
    pty.type_text("eight.csv");
    pty.press("Enter");
    pty.wait_for("What is played of 8 rows");
    pty.type_text("all");
    pty.press("Enter");
    pty.wait_for("Begin the run of 8 debates");
    pty.wait_for("ready to begin");
    pty.press("End Enter");
}

#[test]
fn one_row_is_picked_and_played_as_before() {
    let program = simulated();
    let mut pty = Pty::of(&program).starts(&[]);
    names_the_data_set(&mut pty);
    pty.press("Enter");
    pty.wait_for("Choose a topic");
    pty.type_text("moss");
    pty.press("Enter");
    pty.wait_for("ready to begin");
    pty.press("End Enter");
    pty.wait_for("not played to its end");
    pty.quits();
    assert_eq!(program.sessions().len(), 1);
    assert!(
        !program.store().join("runs").exists() || program.run(&["ls", "--runs"]).out.is_empty()
    );
}

#[test]
fn a_person_has_no_seat_in_a_run_and_a_wrong_number_of_rows_is_said() {
    let program = simulated();
    let mut pty = Pty::of(&program).starts(&[]);
    names_the_data_set(&mut pty);
    pty.type_text("sample");
    pty.press("Enter");
    pty.wait_for("New run");
    pty.press("Backspace Backspace");
    pty.type_text("9");
    pty.press("Enter");
    pty.wait_for("a whole number, 1 to 8");
    pty.press("Up Backspace");
    pty.type_text("2");
    pty.press("Enter");
    pty.wait_for("ready to begin");
    pty.press("Down Enter");
    pty.wait_for("Model for");
    pty.type_text("human");
    pty.press("Enter");
    pty.wait_for("asks no person here");
    pty.press("End Enter");
    pty.wait_for_calm();
    pty.press("Esc");
    pty.quits();
    assert!(program.sessions().is_empty());
}

#[test]
fn a_run_that_no_server_answers_says_why_it_stopped_and_how_to_go_on() {
    let server = ChatServer::start(|_| Answer::error(401, "invalid_api_key", "no such key"));
    let program = facing(&server);
    let mut pty = Pty::of(&program).starts(&[]);
    begins_a_sample(&mut pty, "5");
    pty.wait_for("run paused at 0 of 5; O goes on: ");
    pty.wait_for("the server refused the k");
    let run = program.run_id().unwrap();
    pty.press("q");
    pty.wait_for_exit();
    let screen = pty.screen();
    assert!(
        screen.contains(&format!("elenchus run --resume {run}")),
        "{screen}"
    );
}

#[test]
fn the_shell_draws_the_same_queue_of_a_run_once_and_names_the_key_of_the_workbench() {
    let program = simulated();
    let played = program.run(&["run", "--dataset", "eight.csv", "--sample", "5"]);
    assert_eq!(played.code, 0, "{played:?}");
    assert!(
        played.out.contains("(then Q labels a sample of 20)"),
        "{played:?}"
    );
    let run = program.run_id().unwrap();
    let mut pty = Pty::of(&program).starts(&["annotate", "--run", &run]);
    pty.wait_for("1 of 20");
    pty.press("s");
    pty.wait_for("1 labelled");
    pty.quits();
    assert!(pty.screen().contains("verdict="), "{}", pty.screen());
    let mut pty = Pty::of(&program).starts(&["open", "--run", &run]);
    pty.wait_for("Q labels a sample of 20");
    pty.wait_for("Evaluator: unsafe");
    pty.press("Q");
    pty.wait_for("1 labelled");
    pty.quits();
    let queues = program.run(&["labels", "queues"]);
    assert_eq!(queues.out.matches("run-").count(), 1, "{queues:?}");
}

#[test]
fn a_run_without_a_finished_debate_has_nothing_to_label_and_says_so() {
    let server = ChatServer::start(|_| Answer::error(401, "invalid_api_key", "no such key"));
    let program = facing(&server);
    program.run(&["run", "--dataset", "eight.csv", "--sample", "2"]);
    let run = program.run_id().unwrap();
    let said = program.run(&["annotate", "--run", &run]);
    assert!(said.err.contains("no debate of run"), "{said:?}");
    assert!(said.err.contains("elenchus run --resume"), "{said:?}");
}

#[test]
fn a_game_that_nobody_named_is_pred_and_that_is_said() {
    let line = "game: pred, as none was named (--protocol takes another)";
    let program = simulated();
    for what in [["--dataset", "eight.csv"], ["--topic", "Why?"]] {
        let said = program.run(&[&["run"], &what[..]].concat());
        assert_eq!(said.code, 0, "{said:?}");
        assert!(said.err.contains(line), "{said:?}");
    }
    let named = program.run(&["run", "--topic", "Why?", "--protocol", "pred"]);
    assert!(!named.err.contains("game:"), "{named:?}");
    let configured = Program::configured("[defaults]\nprotocol = \"sred\"\n");
    let said = configured.run(&["run", "--topic", "Why?"]);
    assert!(!said.err.contains("game:"), "{said:?}");
    let shown = configured.run(&["show", "last", "--json"]);
    assert!(shown.out.contains("\"sred\""), "{shown:?}");
    let nothing = program.run(&["run"]);
    assert!(nothing.err.contains("give what to debate"), "{nothing:?}");
    assert!(!nothing.err.contains("game:"), "{nothing:?}");
}

#[test]
fn a_budget_typed_in_the_form_is_the_ceiling_of_the_whole_run() {
    let server = ChatServer::start(|_| Answer::chat("safe"));
    let program = facing(&server);
    program.write(
        ".elenchus/config.toml",
        &format!(
            "[defaults]\nmodel = \"served\"\nname = \"ada\"\n\
             [providers.openai]\nbase_url = \"{}\"\nretries = 0\n\
             [models.served]\nprovider = \"openai\"\nname = \"served-model\"\n\
             price_in_usd_per_mtok = 1.0\nprice_out_usd_per_mtok = 1.0\n",
            server.base_url()
        ),
    );
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    names_the_data_set(&mut pty);
    pty.type_text("all");
    pty.press("Enter");
    pty.wait_for("Begin the run of 8 debates");
    pty.press("End Up");
    pty.type_text("0.001");
    pty.press("Enter");
    pty.wait_for("ready to begin");
    pty.wait_until("the price of all debates together", |screen| {
        screen.contains("likely  152 calls") && screen.contains("at most 152 calls")
    });
    pty.press("End Enter");
    pty.wait_for("the ceiling is reached");
    pty.quits();
    assert!(server.requests().len() < 152);
}

#[test]
fn a_run_whose_terminal_is_lost_is_gone_within_a_second_and_goes_on() {
    let gate = Arc::new(Gate::default());
    let server = gated(&gate);
    let program = facing(&server);
    let mut pty = Pty::of(&program).starts(&[]);
    begins_a_sample(&mut pty, "5");
    server.wait_until("calls are on their way", |log| {
        log.requests.len() > ANSWERED
    });
    pty.hang_up();
    // The gate is still closed: nobody waits for what will not come.
    assert_eq!(pty.wait_for_exit().signal, None, "it leaves of itself");
    gate.open();
    let resumed = program.run(&["run", "--resume", &program.run_id().unwrap()]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert_eq!(program.run(&["verify"]).code, 0);
}

#[test]
fn what_belongs_to_no_run_has_no_sample_to_label() {
    let program = simulated();
    let played = program.run(&["run", "--topic", "Why?", "--rounds", "1"]);
    assert_eq!(played.code, 0, "{played:?}");
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("1 session");
    for keys in ["Q", "O"] {
        pty.press(keys);
        pty.wait_for("no run is known that this belongs to");
        pty.press("j");
        pty.wait_for_no("no run is known that this belongs to");
    }
    pty.press("Q");
    pty.wait_for("in a debate A labels a turn");
    pty.press("Z");
    pty.wait_for("nothing is played here");
    pty.quits();
}

#[test]
fn the_first_unsafe_turn_is_of_the_debate_of_the_row() {
    let program = elenchus_test_support::labelling::played(3);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.wait_for("3 sessions, newest first");
    pty.press("End");
    // The examples are rows as well; they are debates that no run played.
    for at in 0..3 {
        let question = format!("Question first {at}");
        let row = |screen: &str| {
            let mut lines = screen.lines();
            lines.any(|line| line.contains('▶') && line.contains(&question))
        };
        pty.press("Home");
        for _ in 0..20 {
            pty.wait_for_calm();
            if row(&pty.screen()) {
                break;
            }
            pty.press("Down");
        }
        assert!(row(&pty.screen()), "{}", pty.screen());
        pty.press("g u");
        pty.wait_for("in this debate");
        pty.wait_for(&question);
        pty.press("Esc");
        pty.wait_for("3 sessions, newest first");
    }
    pty.quits();
}
