//! The pure core of the workbench: screens in a stack, inputs and tidings in, effects out.

mod bench;
mod deed;
mod prompt_talk;
mod run_talk;
mod screen;
mod sent;
mod told;
mod try_talk;

pub use bench::{App, Next, Outfit, SMALLEST, Turnout};

pub use deed::{AnnotateDeed, Deed, Effect, ExportAs, MemoryDeed, Revealing, Ticket, Work};
pub use prompt_talk::{PromptAt, PromptDeed, PromptResults, PromptTold, SaveEnd, Staged};
pub use run_talk::{RunDeed, RunLeft, RunOver, RunTold, UnsafeTurn};
pub use screen::{Brush, Screen};
pub use sent::{Sent, SentWhat};
pub use told::{
    AnnotateCard, AnnotateTold, GameCard, GameLine, HIDDEN_VERDICTS, LibraryList, Listing,
    MemoryCard, MemoryTold, ModelLine, Opened, Post, QueueLine, RowCard, Told, TopicTried,
    TrialTiding,
};
pub use try_talk::{AbCard, AbPlanned, AbSource, AbSurvey, AbWish, TryCard, TryDeed, TryTold};
