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
    /// With what it does: it clears the filter, or leaves a list that was asked for by one.
    LeaveFilter,
}

impl SessionBrowser {
    /// Returns what stands above the list; `key` writes keys.
    pub fn head_paragraphs(&self, key: impl Fn(HeadingKey) -> String) -> Vec<Paragraph> {
        let is_whole = self.current_search().is_none() && self.filter().is_empty();
        if !self.known_sessions().is_empty() || !is_whole {
            return vec![self.build_heading(key)];
        }
        let mut keys = Paragraph::default();
        for (of, does) in [
            (HeadingKey::New, " begins your own debate, "),
            (HeadingKey::Open, " opens an example, "),
            (HeadingKey::Help, " lists the keys, "),
            (HeadingKey::Quit, " quits"),
        ] {
            keys = keys
                .with_run(Role::KeyHint, key(of))
                .with_run(Role::Text, does);
        }
        // Servers that answer, once known; before that the configured ones.
        let servers = self.known_sessions().servers();
        let servers = servers.unwrap_or_else(|| self.known_sessions().configuration());
        let elsewhere = self.known_sessions().elsewhere();
        let elsewhere = elsewhere.map(|text| Paragraph::new(Role::Notice, text));
        let mut head = vec![Paragraph::new(Role::Strong, "No sessions yet.")];
        head.extend(elsewhere);
        head.extend([Paragraph::new(Role::Muted, servers), keys, Paragraph::gap()]);
        head
    }

    fn build_heading(&self, key: impl Fn(HeadingKey) -> String) -> Paragraph {
        if let Some((text, results)) = self.current_search() {
            return Paragraph::new(Role::Strong, "Search ")
                .with_run(Role::Match, text)
                .with_run(Role::Muted, format!(": {}", results.describe_progress()));
        }
        let line = Paragraph::new(Role::Strong, self.known_sessions().count_words())
            .with_run(Role::Muted, format!(", {}", self.arrangement_words()));
        if self.filter().is_empty() {
            return line;
        }
        let (role, said) = match query_fault(self.filter()) {
            Some(why) => (Role::Warning, format!(": {why}")),
            None => {
                let matches = match self.count_sessions() {
                    1 => "1 match".to_owned(),
                    many => format!("{many} matches"),
                };
                let leave = key(HeadingKey::LeaveFilter);
                (Role::Muted, format!(": {matches}; {leave}"))
            }
        };
        line.with_run(Role::Muted, ", filter ")
            .with_run(Role::Match, self.filter())
            .with_run(role, said)
    }

    /// Returns what is said where no line is listed; `None` where there are lines.
    pub fn empty_words(&self) -> Option<&'static str> {
        let sessions = self.known_sessions();
        if !self.lines().is_empty() {
            return None;
        }
        let is_read = sessions.is_listed() && sessions.read_count() >= sessions.total();
        Some(match (self.filter().is_empty(), is_read) {
            (true, true) => "There is nothing to list.",
            (false, _) if sessions.is_listed() => "No session fits the filter.",
            (_, _) => "reading the sessions",
        })
    }
}
