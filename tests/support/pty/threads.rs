//! Threads of the program in the pseudo-terminal, as the system counts them.

use super::Pty;
use std::path::PathBuf;

impl Pty {
    /// Returns how often the program's threads went to sleep of themselves: once a wake-up.
    pub fn wake_ups(&self) -> u64 {
        let count = |status: &String| -> u64 {
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            line.and_then(|line| line.trim().parse().ok()).unwrap_or(0)
        };
        self.threads("status").iter().map(count).sum()
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

    pub(super) fn threads_sleep(&self) -> bool {
        let sleeps = |status: &String| {
            let state = status.lines().find_map(|line| line.strip_prefix("State:"));
            state.is_some_and(|state| state.trim().starts_with('S'))
        };
        self.threads("status").iter().all(sleeps)
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
