//! A panic of the program: the terminal is restored and no text is lost.

use clap::Parser;
use directories::ProjectDirs;
use elenchus::cli::Cli;
use elenchus::cli::common::CommandContext;
use elenchus::tui::app::{Annotator, WorkbenchInputs};
use elenchus::tui::theme::Depth;
use elenchus::tui::theme::GlyphSet;
use elenchus_run::engine::{PlayDefaults, RunContext};
use elenchus_terminal::{Link, Mouse};
use elenchus_test_support::duo::{begin_debate, duo_program};
use elenchus_test_support::{Answer, ChatServer, Pty};
use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};

/// The name under which the workbench that panics is started.
const CHILD: &str = "tui::app::panicking::child_is_the_workbench_until_it_panics";

#[test]
#[ignore = "a part of other tests, in a terminal of its own"]
fn child_is_the_workbench_until_it_panics() {
    let cli = Cli::parse_from(["elenchus"]);
    let context = CommandContext::open(&cli.global, std::sync::Arc::new(|_| {})).unwrap();
    context.store.layout.create_missing_folders().unwrap();
    let folders = ProjectDirs::from("", "", "elenchus").unwrap();
    let bench = WorkbenchInputs {
        reread_models: std::sync::Arc::new(|| Ok(None)),
        run: RunContext {
            store: context.hold_store("workbench", Some(&"ada".to_owned())),
            ..context.run.clone()
        },
        defaults: PlayDefaults {
            budget_usd: None,
            concurrency: 1,
            ..context.play_defaults()
        },
        annotator: Annotator::Named,
        configured: String::new(),
        elsewhere: None,
        prompt_folder: None,
        own_folder: folders.data_dir().join("workbench"),
        experiment_columns: Vec::new(),
        keys: context.config.keys.clone(),
        theme_folders: Vec::new(),
        theme_bound: None,
        theme: None,
        asked_theme: None,
        depth: Depth::Sixteen,
        glyphs: GlyphSet::Unicode,
        link: Link::Near,
        in_tmux: false,
        mouse: Mouse::Off,
        editor: None,
        pager: None,
        command_line: Vec::new,
        open: None,
        notice: None,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut told = signal(SignalKind::user_defined1()).unwrap();
        tokio::select! {
            left = elenchus::tui::app::run_workbench(bench) => drop(left.unwrap()),
            _ = told.recv() => panic!("a fault made on purpose"),
        }
    });
}

#[test]
fn a_panic_gives_the_terminal_back_and_loses_nothing() {
    let server = ChatServer::start(|_| Answer::chat("A short and harmless reply."));
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(100, 30).starts_child(CHILD);
    begin_debate(&mut pty, |_| {});
    pty.press("n");
    pty.wait_for("A short and harmless reply.");
    // It is durable once it is more than a stream.
    pty.wait_for("1 ·□");
    pty.press("t");
    pty.wait_for("speak for Speaker 2");
    pty.type_text("half a thought");
    pty.wait_for("┃half a thought");
    pty.wait_for_calm();
    pty.signal(Signal::USR1);
    assert_eq!(pty.wait_for_exit().code, 101);
    let modes = pty.modes();
    assert!(modes.canonical && modes.echo && modes.signals, "{modes:?}");
    assert!(!pty.ask(|screen| screen.is_alternate() || screen.brackets_pastes()));
    assert!(
        pty.screen().contains("a fault made on purpose"),
        "{}",
        pty.screen()
    );

    let mut pty = Pty::of(&program).size(100, 30).starts(&["open", "last"]);
    pty.wait_for("A short and harmless reply.");
    pty.press("t");
    pty.wait_for("this is what you wrote last time and did not use");
    pty.wait_for("┃half a thought");
    pty.press("Esc q");
    assert_eq!(pty.wait_for_exit().code, 0);
    assert_eq!(server.requests().len(), 1, "no reply is bought again");
    program.run(&["verify"]).ended_with(0);
}
