//! Texts above a list of sessions: how many there are and how they are listed, or a welcome where there are
//! none. Pure.

use super::browser::SessionBrowser;
use super::query::query_fault;
use elenchus_text::{Paragraph, Role};

/// Key that a text above a list names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadingKey {
    New,
    Open,
    Help,
    Quit,
    ClearFilter,
}

impl SessionBrowser {
    /// Returns what stands above the list; `key` writes keys.
    pub fn head(&self, key: impl Fn(HeadingKey) -> String) -> Vec<Paragraph> {
        let is_whole = self.searched().is_none() && self.filter().is_empty();
        if !self.known().is_empty() || !is_whole {
            return vec![self.heading(key)];
        }
        let mut keys = Paragraph::default();
        for (of, does) in [
            (HeadingKey::New, " begins your own debate, "),
            (HeadingKey::Open, " opens an example, "),
            (HeadingKey::Help, " lists the keys, "),
            (HeadingKey::Quit, " quits"),
        ] {
            keys = keys.and(Role::KeyHint, key(of)).and(Role::Text, does);
        }
        // Servers that answer, once known; before that the configured ones.
        let servers = self.known().servers();
        let servers = servers.unwrap_or_else(|| self.known().configured());
        vec![
            Paragraph::of(Role::Strong, "No sessions yet."),
            Paragraph::of(Role::Muted, servers),
            keys,
            Paragraph::gap(),
        ]
    }

    fn heading(&self, key: impl Fn(HeadingKey) -> String) -> Paragraph {
        if let Some((text, results)) = self.searched() {
            return Paragraph::of(Role::Strong, "Search ")
                .and(Role::Match, text)
                .and(Role::Muted, format!(": {}", results.status()));
        }
        let line = Paragraph::of(Role::Strong, self.known().count_words())
            .and(Role::Muted, format!(", {}", self.arrangement_words()));
        if self.filter().is_empty() {
            return line;
        }
        let (role, said) = match query_fault(self.filter()) {
            Some(why) => (Role::Warning, format!(": {why}")),
            None => {
                let matches = match self.count() {
                    1 => "1 match".to_owned(),
                    many => format!("{many} matches"),
                };
                let all = key(HeadingKey::ClearFilter);
                (Role::Muted, format!(": {matches}; {all} clears the filter"))
            }
        };
        line.and(Role::Muted, ", filter ")
            .and(Role::Match, self.filter())
            .and(role, said)
    }

    /// Returns what is said where no line is listed; `None` where there are lines.
    pub fn empty_words(&self) -> Option<&'static str> {
        let known = self.known();
        if !self.lines().is_empty() {
            return None;
        }
        let is_read = known.is_listed() && known.read_count() >= known.total();
        Some(match (self.filter().is_empty(), is_read) {
            (true, true) => "There is nothing to list.",
            (false, _) if known.is_listed() => "No session fits the filter.",
            (_, _) => "reading the sessions",
        })
    }
}
