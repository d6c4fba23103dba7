//! Size, environment and start of a program in a pseudo-terminal.

use super::screen::TerminalOutput;
use super::{Program, Pty, SharedOutput};
use crate::program::binary;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rustix::fs::{Mode, OFlags};
use std::path::PathBuf;
use std::sync::Arc;

/// What a terminal is before a program starts in it.
pub struct PtySetup {
    environment: Vec<(String, String)>,
    folder: PathBuf,
    width: u16,
    height: u16,
}

impl PtySetup {
    pub(super) fn new(program: &Program) -> Self {
        let mut environment = program.environment();
        for (name, value) in [("TERM", "xterm-256color"), ("LANG", "C.UTF-8")] {
            if environment.iter().all(|(known, _)| known != name) {
                environment.push((name.to_owned(), value.to_owned()));
            }
        }
        Self {
            environment,
            folder: program.work(),
            width: 80,
            height: 24,
        }
    }

    /// Sets the size, width first.
    pub fn size(mut self, width: u16, height: u16) -> Self {
        (self.width, self.height) = (width, height);
        self
    }

    /// Sets a variable of the environment.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self = self.without(name);
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Takes a variable away.
    pub fn without(mut self, name: &str) -> Self {
        self.environment.retain(|(known, _)| known != name);
        self
    }

    /// Starts the program.
    pub fn starts(self, args: &[&str]) -> Pty {
        self.runs(binary().to_str().unwrap(), args)
    }

    /// Starts an ignored test of this binary, by its whole name.
    pub fn starts_child(self, test: &str) -> Pty {
        let this = std::env::current_exe().unwrap();
        self.runs(this.to_str().unwrap(), &child_args(test))
    }

    /// Starts a shell with a script in which `"$@"` is an ignored test of this binary.
    pub fn starts_child_in_shell(self, script: &str, test: &str) -> Pty {
        let this = std::env::current_exe().unwrap();
        let mut args = vec!["-c", script, "sh", this.to_str().unwrap()];
        args.extend(child_args(test));
        self.runs("/bin/sh", &args)
    }

    /// Starts a shell with a script in which `"$@"` is the program with these arguments.
    pub fn starts_in_shell(self, script: &str, args: &[&str]) -> Pty {
        let program = binary();
        let mut all = vec!["-c", script, "sh", program.to_str().unwrap()];
        all.extend(args);
        self.runs("/bin/sh", &all)
    }

    /// Starts any program.
    pub fn runs(self, program: &str, args: &[&str]) -> Pty {
        let size = PtySize {
            rows: self.height,
            cols: self.width,
            ..PtySize::default()
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env_clear();
        for (name, value) in &self.environment {
            command.env(name, value);
        }
        command.cwd(&self.folder);
        let child = pair.slave.spawn_command(command).unwrap();
        let name = pair.master.tty_name().unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let slave = rustix::fs::open(name, flags, Mode::empty()).unwrap();
        let watched = SharedOutput::new(TerminalOutput::new(self.width, self.height));
        let output = pair.master.try_clone_reader().unwrap();
        let reads = Arc::clone(&watched);
        Pty {
            reader: Some(std::thread::spawn(move || reads.read(output))),
            keys: Some(pair.master.take_writer().unwrap()),
            master: Some(pair.master),
            slave: Some(slave.into()),
            watched,
            child,
        }
    }
}

fn child_args(test: &str) -> Vec<&str> {
    vec![test, "--exact", "--ignored", "--nocapture", "--quiet"]
}
