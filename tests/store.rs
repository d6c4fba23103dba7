//! Journals and the cache, on a real disk.

mod cache;
mod chain;
mod durable;
mod kit;
mod layout;
mod lock;
