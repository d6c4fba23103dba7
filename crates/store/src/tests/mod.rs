//! Journals and the cache, on a real disk.

mod chain;
mod durable;
mod file_cache;
mod harness;
mod heads;
mod index;
mod layout;
mod lazy_journal;
mod lock;
