//! Matrix of verdicts: topics × rounds and seats, × arms, or × checkpoints; a cell is a verdict. Pure: built from
//! rows of debates, it never reads a journal.
//!
//! | file | content |
//! |---|---|
//! | `verdict` | verdicts of turns: letter, word, role, which are wrong or unsafe |
//! | `debate` | a debate's part in a matrix, from its row |
//! | `filter`, `sample` | which debates are in it |
//! | `columns`, `build` | lines, columns and cells |
//! | `walk` | from one wrong or unsafe cell to the next |
//! | `text` | the table as text |

mod build;
mod columns;
mod debate;
mod filter;
mod sample;
mod text;
mod verdict;
mod walk;

pub use crate::turn_address::{TurnAddress, Way};
pub use build::{Matrix, MatrixArrangement, MatrixCell, MatrixLine, MatrixSort};
pub use columns::{ColumnGroup, MatrixColumn, MatrixLayout};
pub use debate::{CellTurn, MatrixDebate};
pub use filter::{MatrixFilter, filter_fault};
pub use sample::{DrawnTopics, TopicSample};
pub use verdict::CellVerdict;
pub use walk::CellPlace;
