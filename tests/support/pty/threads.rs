//! Threads of the program in the pseudo-terminal, as the system counts them.

use super::Pty;
use std::path::PathBuf;

/// Name of the thread that reads keys.
const READER: &str = "terminal-input";
/// Beginning of the names of the database's threads.
const DATABASE: &str = "sled";

impl Pty {
    /// Returns how often the program's threads went to sleep of themselves: once a wake-up. Those of the
    /// database are counted apart.
    pub fn wake_ups(&self) -> u64 {
        self.wake_ups_where(|name| !name.starts_with(DATABASE))
    }

    /// Returns how often the database's threads were woken, and how many there are.
    pub fn database_wake_ups(&self) -> (u64, usize) {
        let names = self.thread_names();
        let threads = names.iter().filter(|name| name.starts_with(DATABASE));
        let count = self.wake_ups_where(|name| name.starts_with(DATABASE));
        (count, threads.count())
    }

    /// Returns how often the thread that reads keys was woken; 0 where there is none, or the program is gone.
    pub(super) fn count_reads(&self) -> u64 {
        self.wake_ups_where(|name| name == READER)
    }

    fn wake_ups_where(&self, fits: impl Fn(&str) -> bool) -> u64 {
        let field = |status: &str, name: &str| -> Option<String> {
            let mut lines = status.lines();
            let value = lines.find_map(|line| line.strip_prefix(name))?;
            Some(value.trim().to_owned())
        };
        let statuses = self.threads("status").into_iter();
        let fitting = statuses.filter(|status| fits(&field(status, "Name:").unwrap_or_default()));
        let count = |status: String| -> Option<u64> {
            field(&status, "voluntary_ctxt_switches:")?.parse().ok()
        };
        fitting.filter_map(count).sum()
    }

    /// Returns how much CPU time the program has used, in the system's ticks of usually 10 ms.
    pub fn cpu_ticks(&self) -> u64 {
        // The name may hold blanks; user and system time are the 12th and 13th field after it.
        let fields = |stat: &String| -> u64 {
            let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
            let fields = after.split_whitespace().skip(11).take(2);
            fields.map(|field| field.parse::<u64>().unwrap_or(0)).sum()
        };
        self.threads("stat").iter().map(fields).sum()
    }

    /// Returns the names of the program's threads.
    pub fn thread_names(&self) -> Vec<String> {
        let names = self.threads("comm").into_iter();
        names.map(|name| name.trim().to_owned()).collect()
    }

    /// Returns the files that the program has open.
    pub fn open_files(&self) -> Vec<PathBuf> {
        let folder = PathBuf::from(format!("/proc/{}/fd", self.pid().as_raw_nonzero()));
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries
            .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
            .collect()
    }

    /// Whether every thread waits to be told something. One that sleeps for anything else (a disk, a lock)
    /// goes on by itself.
    pub(super) fn threads_wait(&self) -> bool {
        let sleeps = |status: &String| {
            let state = status.lines().find_map(|line| line.strip_prefix("State:"));
            state.is_some_and(|state| state.trim().starts_with('S'))
        };
        // What the system does not tell ("0" or nothing) is no reason to wait for ever.
        let is_told = |place: &String| {
            let place = place.trim();
            let told = ["futex", "poll", "read", "woken", "do_wait", "signal"];
            ["", "0"].contains(&place) || told.iter().any(|at| place.contains(at))
        };
        self.threads("status").iter().all(sleeps) && self.threads("wchan").iter().all(is_told)
    }

    /// Reads a file of the system about each of the program's threads.
    fn threads(&self, file: &str) -> Vec<String> {
        let folder = PathBuf::from(format!("/proc/{}/task", self.pid().as_raw_nonzero()));
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Vec::new();
        };
        entries
            .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join(file)).ok())
            .collect()
    }
}
