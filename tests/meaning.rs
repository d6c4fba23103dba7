//! Long-term memory searched by meaning: the model that it needs, the runtime that runs it, the file
//! that keeps vectors, and what happens where one of them is missing or broken.
//!
//! Tests with a real model take it from the folder that `ELENCHUS_TEST_MODEL` names, and ONNX Runtime
//! from the library that `ELENCHUS_TEST_RUNTIME` names; `tests/minilm/make.sh` makes both. Without
//! them they say that they were not run.

mod broken;
mod fetched;
mod guards;
mod killed;
mod many;
mod real;
mod runs;
mod set_up;

use crate::support::program::Desk;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Once;

const MODEL: &str = "ELENCHUS_TEST_MODEL";
const RUNTIME: &str = "ELENCHUS_TEST_RUNTIME";
/// What the program itself reads.
const RUNTIME_VARIABLE: &str = "ORT_DYLIB_PATH";

/// A real model and the library that runs it.
struct Minilm {
    model: PathBuf,
    runtime: String,
}

impl Minilm {
    /// Finds both, or says once that tests were not run.
    fn find() -> Option<Self> {
        static TOLD: Once = Once::new();
        let found = std::env::var_os(MODEL).zip(std::env::var(RUNTIME).ok());
        if found.is_none() {
            TOLD.call_once(|| {
                // Past what the test harness keeps to itself.
                let _ = writeln!(
                    std::io::stderr(),
                    "NOT RUN: tests of memory with a real model; eval \"$(tests/minilm/make.sh target/minilm)\" first"
                );
            });
        }
        let (model, runtime) = found?;
        Some(Self {
            model: PathBuf::from(model),
            runtime,
        })
    }

    /// A desk whose memory is searched with it.
    fn desk(&self) -> Desk {
        let config = format!("[memory]\nmodel_dir = {:?}\n", self.model);
        Desk::configured(&config).with(RUNTIME_VARIABLE, &self.runtime)
    }
}

/// Adds an entry to memory.
fn teach(desk: &Desk, text: &str) {
    desk.run(&["memory", "add", text]).ended_with(0);
}
