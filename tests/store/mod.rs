//! Journals and the cache, on a real disk.

mod damaged_cache;
mod duplicates;
mod earlier_versions;
mod forks;
mod half_done;
mod known_rows;
mod lost_lines;
mod planted_links;
mod processes;
mod reading_commands;
mod truncated;
