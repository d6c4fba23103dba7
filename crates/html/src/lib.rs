//! Pages to send: experiments and sessions as one HTML file that is readable without a script and fetches nothing.
//!
//! | file | content |
//! |---|---|
//! | `request` | what a page is of, and what it shows |
//! | `page` | the parts of a page, as data |
//! | `reading` | the parts, read from a store |
//! | `template` | the page's template and its looks, and how they are filled |
//! | `size` | a page cut to a limit |
//!
//! It computes no figure of its own, shows no private text and no verdict that was not asked for, and reads no clock.
//! Every text goes through one writer that makes it harmless: the template cannot forget it.

mod page;
mod reading;
mod request;
mod size;
mod template;

pub use page::{
    ConfusionCell, ConfusionRow, ConfusionTable, DebateItem, DebatePart, Fact, FigureRow,
    FigureTable, HtmlPage, MatrixCell, MatrixRow, PagePicture, PageSection, TextBlock, TextRun,
    TurnColumn, VerdictMatrix, ViewPart,
};
pub use reading::{PageSource, build_page, list_page_sessions};
pub use request::{
    DEFAULT_MAX_BYTES, PageOptions, PageRequest, Subject, find_subject, format_page_command,
};
pub use size::{PageError, WrittenPage, write_page};

#[cfg(test)]
mod tests;
