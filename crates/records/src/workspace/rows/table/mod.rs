//! Tables for statistics programs: a row for each debate or each turn, a column for each thing that is known.

mod cells;
mod debates;
mod pass_columns;
mod person_columns;
mod turns;

pub use debates::DebateTable;
pub use turns::TurnTable;
