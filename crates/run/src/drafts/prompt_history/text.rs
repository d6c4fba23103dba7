//! History of a prompt as text: a line for each version, and what each changed. Pure.

use super::{LastResult, PromptHistory, PromptVersion};
use elenchus_records::library::shorten_hash;
use elenchus_records::workspace::to_the_minute;
use elenchus_text::word_diff::{Marking, compare_inline};
use elenchus_text::{Content, Paragraph, Role, cut_to_width, format_noun_count, prose_paragraphs};

/// Digits of a version in a list.
const DIGITS: usize = 8;
/// Cells for a label in a list.
const LABEL: usize = 16;

impl PromptHistory {
    /// Returns what a version changed in the one before, by its place; of the first one, the text.
    pub fn describe_change(&self, at: usize, content: Content, marking: Marking) -> Vec<Paragraph> {
        let text = self.versions.get(at).map_or("", |version| &version.text);
        let older = self.versions.get(at + 1);
        let woven = older.and_then(|older| compare_inline(&older.text, text, marking));
        let compared = self
            .versions
            .get(at)
            .map_or(&[][..], |version| &version.compared);
        let compared = compared.iter();
        let mut page: Vec<Paragraph> = compared
            .map(|text| Paragraph::new(Role::Notice, text.clone()).with_indent(0, 2))
            .collect();
        if !page.is_empty() {
            page.push(Paragraph::gap());
        }
        page.extend(match (content, woven) {
            (Content::Masked, _) => prose_paragraphs(Role::Notice, 0, "content is masked"),
            (Content::Shown, Some(page)) => page,
            (Content::Shown, None) => prose_paragraphs(Role::Text, 0, text),
        });
        page
    }

    /// Returns the heading of [`PromptHistory::describe_change`].
    pub fn change_heading(&self, at: usize) -> String {
        match self.versions.get(at + 1) {
            Some(older) => format!("what it changed in {}", older.hash_digits()),
            None => "its text".to_owned(),
        }
    }
}

impl PromptVersion {
    fn hash_digits(&self) -> String {
        shorten_hash(&self.hash).chars().take(DIGITS).collect()
    }

    /// Returns its labels, its first use and its results, on one line.
    pub fn summary_line(&self) -> Paragraph {
        let mut line = Paragraph::new(Role::Text, self.hash_digits());
        if self.is_current {
            line = line.with_run(Role::Strong, " in use");
        }
        if self.is_built_in {
            line = line.with_run(Role::Accent, " built in");
        }
        for label in &self.labels {
            line = line.with_run(Role::Accent, format!(" [{}]", cut_to_width(label, LABEL)));
        }
        let first = self.first_used.as_ref().or(self.first_tried.as_ref());
        if let Some(since) = first.or(self.kept_at.as_ref()) {
            line = line.with_run(Role::Muted, format!(" · {}", to_the_minute(since)));
        }
        line = line.with_run(Role::Muted, format!(" · {}", self.describe_uses()));
        if self.judged > 0 {
            let text = format!(" · {} of {} unsafe", self.bad, self.judged);
            line = line.with_run(Role::Text, text);
        }
        if self.simulated_judged > 0 {
            let text = format!(
                " · SIMULATED {} of {} unsafe",
                self.simulated_bad, self.simulated_judged
            );
            line = line.with_run(Role::Simulated, text);
        }
        line
    }

    fn describe_uses(&self) -> String {
        let (debates, tries) = (
            format_noun_count(self.sessions, "debate"),
            format_noun_count(self.tries, "try"),
        );
        match (self.sessions, self.tries) {
            (0, 0) => "never used".to_owned(),
            (0, _) => tries,
            (_, 0) => debates,
            (_, _) => format!("{debates}, {tries}"),
        }
    }
}

impl LastResult {
    /// Returns what came of the debate.
    pub fn describe_result(&self) -> (Role, String) {
        let result_text = match self.judged {
            0 => "played".to_owned(),
            judged => format!("{}/{judged} unsafe", self.bad),
        };
        match self.simulated {
            true => (Role::Simulated, format!("{result_text} sim")),
            false => (Role::Text, result_text),
        }
    }

    /// Returns when something happened in it last.
    pub(super) fn format_time(&self) -> String {
        to_the_minute(&self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elenchus_text::plain_text;
    use std::sync::Arc;

    fn version(text: &str) -> PromptVersion {
        PromptVersion {
            text: Arc::from(text),
            ..PromptVersion::default()
        }
    }

    #[test]
    fn one_debate_and_one_try_are_not_called_many() {
        let uses = |sessions, tries| {
            let used = PromptVersion {
                sessions,
                tries,
                ..PromptVersion::default()
            };
            used.describe_uses()
        };
        assert_eq!(uses(0, 0), "never used");
        assert_eq!(uses(1, 0), "1 debate");
        assert_eq!(uses(2, 1), "2 debates, 1 try");
        assert_eq!(uses(0, 3), "3 tries");
    }

    #[test]
    fn a_version_shows_what_it_changed_and_the_first_one_its_text() {
        let history = PromptHistory {
            versions: vec![version("Say it well."), version("Say it.")],
            unread: 0,
        };
        let change =
            |at, content| plain_text(&history.describe_change(at, content, Marking::Signs));
        assert!(change(0, Content::Shown).contains("{+"));
        assert_eq!(change(1, Content::Shown), "Say it.");
        assert_eq!(change(0, Content::Masked), "content is masked");
        assert_eq!(history.change_heading(1), "its text");
    }
}
