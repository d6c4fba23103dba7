//! Prompts: their current texts, versions, labels and pins, and saving a changed text.
//!
//! ```text
//! prompt_catalogue, read_prompt  every template of every game, with where it comes from
//! find_places                    places in recorded sessions at which a prompt was used
//! TextFault                      reason why a text cannot be used
//! watch_prompt                   tells when another program changes the file of a prompt
//! save_prompt                    writes a text to its file; the earlier text is kept as a version
//! PromptBook                     every text that was kept or used, with its labels
//! find_version, restore          an earlier text, by label or hash
//! pin_of, accept                 the text that a game or a cast is pinned to
//! version_of                     the text that an attempt was made with
//! PlayedSessions                 the texts that sessions were played with, by the index
//! ```
//!
//! Trials and comparisons of prompts are experiments.

mod book;
mod catalogue;
mod check;
mod find;
mod name;
mod pin;
mod played;
mod recorded_places;
mod save;
mod version;
mod watch;

pub use book::{
    BookEvent, KeptBecause, KeptPrompts, NOW, PromptBook, changed_texts, copy_kept_texts,
    kept_text, read_kept,
};
pub use catalogue::{PromptCatalogue, PromptOverview, PromptText, prompt_catalogue, read_prompt};
pub use check::TextFault;
pub use find::{find_version, restore_prompt};
pub use name::PromptName;
pub use pin::{Acceptance, Pin, accept_prompt, pin_of, prepare_acceptance};
pub use played::{PlayedPrompts, PlayedSessions};
pub use recorded_places::{
    AskedFor, PromptAt, PromptPlaces, asked_by, find_guardrail_writer, find_places, is_asked_by,
    places_in,
};
pub use save::{SaveFault, Saved, save_prompt};
pub use version::version_of;
pub use watch::watch_prompt;
