//! The pure core of the workbench: screens in a stack, inputs and tidings in, effects out.

mod bench;
mod deed;
mod screen;
mod sent;
mod told;

pub use bench::{App, Next, Outfit, SMALLEST, Turnout};

pub use deed::{Deed, Effect, ExportAs, MemoryDeed, Ticket};
pub use screen::{Brush, Screen};
pub use sent::{Sent, SentWhat};
pub use told::{
    GameCard, GameLine, LibraryList, Listing, MemoryCard, MemoryTold, ModelLine, Opened, RowCard,
    Told, TopicTried, TrialTiding,
};
