//! Matrix of verdicts: topics × rounds and seats, × arms, or × checkpoints; a cell is a verdict. Built
//! from rows of debates, purely; the text of one cell alone is read from a journal.

//!
//! | file | content |
//! |---|---|
//! | `verdict` | verdicts of turns: letter, word, role, which are wrong or unsafe |
//! | `debate` | a debate's part in a matrix, from its row |
//! | `filter`, `sample` | which debates are in it |
//! | `columns`, `build` | lines, columns and cells |
//! | `walk` | from one wrong or unsafe cell to the next |
//! | `text` | the table as text |
//! | `cell_text` | what was said in a cell, and why it was judged so |

mod build;
mod cell_text;
mod columns;
mod debate;
mod filter;
mod sample;
mod text;
mod verdict;
mod walk;

pub use crate::turn_address::{TurnAddress, Way};
pub use build::{Matrix, MatrixArrangement, MatrixCell, MatrixLine, MatrixSort};
pub use cell_text::{CellFinding, CellText, read_cell_text};
pub use columns::{ColumnGroup, MatrixColumn, MatrixLayout};
pub use debate::{CellTurn, MatrixDebate};
pub use filter::{MatrixFilter, filter_fault};
pub use sample::{DrawnTopics, TopicSample};
pub use verdict::CellVerdict;
pub use walk::CellPlace;
