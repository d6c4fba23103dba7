//! Page of the figures of an experiment: what one looks for first, all else folded. Pure.
//!
//! | file | content |
//! |---|---|
//! | `headlines` | which figures it begins with, and by what they are divided |
//! | `lines` | its lines for a width, and what each is about |
//! | `description` | what a line means |
//! | `failures` | what failed, by reason |
//! | `part` | which debates a line is about |

mod description;
mod failures;
mod headlines;
mod lines;
mod part;

pub use description::describe_line;
pub use failures::FailureLine;
pub use lines::{
    FiguresLine, LineSubject, OpenedParts, PageContent, PageStyle, build_figure_lines,
};
pub use part::{DebatePart, LinePart, find_line_part};
