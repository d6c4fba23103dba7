//! Page of the figures of an experiment: what one looks for first, all else folded. Pure.
//!
//! | file | content |
//! |---|---|
//! | `headlines` | which figures it begins with, and by what they are divided |
//! | `lines` | its lines for a width, and what each is about |
//! | `description` | what a line means |
//! | `failures` | what failed, by reason |

mod description;
mod failures;
mod headlines;
mod lines;

pub use description::describe_line;
pub use lines::{FiguresLine, LineSubject, OpenedParts, PageStyle, build_figure_lines};
