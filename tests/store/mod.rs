//! Journals and the cache, on a real disk.

mod chain;
mod damaged_cache;
mod duplicates;
mod durable;
mod earlier_versions;
mod file_cache;
mod half_done;
mod harness;
mod heads;
mod index;
mod layout;
mod lazy_journal;
mod lock;
mod lost_lines;
mod planted_links;
mod processes;
mod truncated;
