//! Sweeps as their journals hold them: the plan, its points, and the outcome of each. Every point is a run with a
//! journal of its own; `experiments` plays them.

mod event;
mod state;

pub use event::{SWEEP_FORMAT, SweepArm, SweepEvent, SweepManifest, SweepPoint};
pub use state::{PointStanding, SweepState, find_sweep, read_sweep, read_sweeps, sweep_of_run};
