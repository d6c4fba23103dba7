//! The child program of these tests: it draws every input and obeys a few keys.

use elenchus::tui::keys::key_name;
use elenchus_terminal::Input;
use elenchus_terminal::{
    Depth, DrawResult, Link, Mouse, Signal, Signals, SuspendResult, TermOptions, Terminal,
    TerminalEnvironment,
};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{Event, KeyEvent};
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier, Style};
use std::collections::VecDeque;

/// The name under which it is started.
pub const CHILD: &str = "terminal::child::shows_what_comes";
/// Says which frames are drawn: nothing, or as many cells as there are, each time others.
pub const HEAVY: &str = "TEST_HEAVY";
/// The command that has the terminal lent on `l`.
pub const LENT: &str = "TEST_LENT";
/// Says that the mouse is asked for.
pub const MOUSE: &str = "TEST_MOUSE";
/// The code with which it ends when it was asked to.
pub const TERMINATED: i32 = 7;
/// How many inputs are shown.
const SHOWN: usize = 12;

#[test]
#[ignore = "a part of other tests, in a terminal of its own"]
fn shows_what_comes() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(Child::run());
    runtime.shutdown_background();
}

#[derive(Default)]
struct Child {
    inputs: VecDeque<String>,
    signals: Vec<&'static str>,
    said: String,
    draws: u64,
    is_over: bool,
}

impl Child {
    async fn run() {
        let lookup = |name: &str| std::env::var(name).ok();
        let surroundings = TerminalEnvironment::new(&lookup);
        let options = TermOptions {
            depth: Depth::Sixteen,
            link: Link::Near,
            mouse: match std::env::var_os(MOUSE) {
                Some(_) => Mouse::On,
                None => Mouse::Off,
            },
            in_tmux: surroundings.is_in_tmux(),
            has_hidden: |_| false,
            panics_are_caught: || false,
        };
        let (mut terminal, mut inputs) = match Terminal::enter(&options) {
            Ok(entered) => entered,
            Err(error) => {
                println!("error: {error}");
                return;
            }
        };
        let mut signals = Signals::listen().unwrap();
        let mut child = Self::default();
        let mut is_stale = true;
        while !child.is_over {
            if is_stale && terminal.is_ready() {
                child.draw(&mut terminal);
                is_stale = false;
            }
            tokio::select! {
                input = inputs.recv() => match input {
                    Some(input) => child.take(input, &mut terminal),
                    None => child.is_over = true,
                },
                signal = signals.next() => child.obey(signal, &mut terminal),
                () = terminal.wait_until_ready(), if is_stale => {}
            }
            is_stale = true;
        }
        drop(terminal);
        // Whoever asked for the end reads nothing, and the terminal may take nothing.
        if child.signals.contains(&"TERM") {
            std::process::exit(TERMINATED);
        }
        println!("left after {:?}", child.signals);
    }

    fn draw(&mut self, terminal: &mut Terminal) {
        self.draws += 1;
        let (width, height) = terminal.size();
        let drawn = terminal.draw(|screen| {
            if std::env::var_os(HEAVY).is_some() {
                fill(screen, self.draws);
            }
            let bold = Style::default().add_modifier(Modifier::BOLD);
            screen.set_string(0, 0, format!("size {width}x{height}"), bold);
            let inputs: Vec<&str> = self.inputs.iter().map(String::as_str).collect();
            screen.set_string(
                0,
                1,
                format!("inputs: {} .", inputs.join(" ")),
                Style::default(),
            );
            let signals = format!("signals: {} .", self.signals.join(" "));
            screen.set_string(0, 2, signals, Style::default().fg(Color::Red));
            screen.set_string(0, 3, format!("said: {} .", self.said), Style::default());
            (!self.said.is_empty()).then_some(Position::new(2, 3))
        });
        assert_ne!(drawn, DrawResult::NotNow);
    }

    fn take(&mut self, input: Input, terminal: &mut Terminal) {
        let text = match &input {
            Input::Event(Event::Key(key)) => key_name(*key),
            Input::Paste(paste) => {
                let begin: String = paste.text.chars().take(9).collect();
                let (bytes, dropped) = (paste.text.len(), paste.dropped_bytes);
                format!("<{bytes}+{dropped}:{}>", begin.escape_debug())
            }
            Input::Event(Event::Resize(width, height)) => format!("{width}x{height}"),
            Input::Event(other) => format!("{other:?}"),
        };
        self.inputs.push_back(text);
        while self.inputs.len() > SHOWN {
            self.inputs.pop_front();
        }
        if let Input::Event(Event::Key(key)) = input {
            self.obey_key(key, terminal);
        }
    }

    fn obey_key(&mut self, key: KeyEvent, terminal: &mut Terminal) {
        match key_name(key).as_str() {
            "q" => self.is_over = true,
            "p" => panic!("on purpose"),
            "t" => {
                let task = tokio::task::block_in_place(|| {
                    std::thread::spawn(|| panic!("in a task")).join().is_err()
                });
                self.said = format!("a task panicked: {task}");
            }
            "c" => self.said = format!("{:?}", terminal.copy_text("a text, naïve")),
            "C" => self.said = format!("{:?}", terminal.copy_text(&"long ".repeat(20_000))),
            "l" => {
                let command = std::env::var(LENT).unwrap();
                let status = tokio::task::block_in_place(|| {
                    terminal.lend(|| {
                        let mut shell = std::process::Command::new("/bin/sh");
                        shell.args(["-c", &command]).status().unwrap().code()
                    })
                });
                self.said = format!("came back with {status:?}");
            }
            "w" => {
                let written = terminal.write_totals();
                self.said = format!("{} frames of {}", written.frames, self.draws);
            }
            "Ctrl-Z" => self.suspend(terminal),
            _ => {}
        }
    }

    fn suspend(&mut self, terminal: &mut Terminal) {
        if terminal.suspend() == SuspendResult::NoShell {
            self.said = "no shell".to_owned();
        }
    }

    fn obey(&mut self, signal: Signal, terminal: &mut Terminal) {
        self.signals.push(match signal {
            Signal::Hangup => "HUP",
            Signal::Terminate => "TERM",
            Signal::Interrupt => "INT",
            Signal::Suspend => "TSTP",
            Signal::Continue => "CONT",
        });
        match signal {
            Signal::Hangup | Signal::Terminate => self.is_over = true,
            Signal::Interrupt => {}
            Signal::Suspend => self.suspend(terminal),
            Signal::Continue => terminal.resume(),
        }
    }
}

/// Gives every cell a colour and a letter that change with each draw.
fn fill(screen: &mut Buffer, draws: u64) {
    let area = screen.area;
    for (at, cell) in (draws..).zip(&mut screen.content) {
        let shade = (at % 251) as u8;
        cell.set_char(char::from(b'a' + shade % 26));
        cell.set_fg(Color::Rgb(shade, 255 - shade, 128));
    }
    assert_eq!(screen.area, area);
}
