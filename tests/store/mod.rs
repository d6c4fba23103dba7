//! Journals and the cache, on a real disk.

mod cache;
mod chain;
mod durable;
mod heads;
mod kept_files;
mod kit;
mod layout;
mod lock;
mod planted;
