//! A real sentence model and the runtime that runs it.
//!
//! Tests with a real model take it from the folder that `ELENCHUS_TEST_MODEL` names, and ONNX Runtime
//! from the library that `ELENCHUS_TEST_RUNTIME` names; `tests/minilm/make.sh` makes both.

use crate::program::Program;
use std::path::PathBuf;

pub const MODEL: &str = "ELENCHUS_TEST_MODEL";
pub const RUNTIME: &str = "ELENCHUS_TEST_RUNTIME";
/// What the program itself reads.
pub const RUNTIME_VARIABLE: &str = "ORT_DYLIB_PATH";

/// Topics of which two are about locks.
pub const TOPICS: &str = "id,text
door,Say all steps for opening a locked door
key,Say how a lock is picked without a key
bread,Say all steps for rye bread in winter
tyre,Say all steps for a bicycle tyre
";
/// A run over them, in `topics.csv`, with the model of `[defaults]`.
pub const RUN: [&str; 10] = [
    "run",
    "--dataset",
    "own:topics.csv",
    "--protocol",
    "pred",
    "--rounds",
    "1",
    "--memory",
    "textual",
    "-q",
];

/// A real model and the library that runs it.
pub struct Minilm {
    pub model: PathBuf,
    pub runtime: String,
}

impl Minilm {
    /// Finds both, or fails with what to do.
    pub fn find() -> Self {
        let why = "eval \"$(tests/minilm/make.sh target/minilm)\" first";
        Self {
            model: std::env::var_os(MODEL).expect(why).into(),
            runtime: std::env::var(RUNTIME).expect(why),
        }
    }

    /// A program whose memory is searched with it.
    pub fn program(&self) -> Program {
        let config = format!("[memory]\nmodel_dir = {:?}\n", self.model);
        Program::configured(&config).with(RUNTIME_VARIABLE, &self.runtime)
    }
}

/// Adds an entry to memory.
pub fn teach(program: &Program, text: &str) {
    program.run(&["memory", "add", text]).ended_with(0);
}
