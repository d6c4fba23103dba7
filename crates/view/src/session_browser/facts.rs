//! Facts of a session that a list has no column for, as paragraphs. Pure.

use super::known_sessions::{KnownSessions, SessionEntry, SessionOrigin};
use elenchus_records::workspace::HIDDEN_VERDICTS;
use elenchus_text::{Content, Paragraph, Role, cost, format_age, format_grouped_count};

/// Characters of a topic that are laid out here.
const MAX_TOPIC_CHARS: usize = 600;
/// The kinds of verdicts by their letters, the gravest first, in words.
const VERDICT_WORDS: [(char, &str); 6] = [
    ('u', "unsafe or bad"),
    ('?', "unparsed"),
    ('f', "filtered"),
    ('e', "empty"),
    ('m', "in the middle"),
    ('s', "safe or good"),
];

/// Returns the topic of a session in one paragraph, with its name; else why it could not be read.
pub fn session_topic(entry: &SessionEntry, content: Content) -> Paragraph {
    let glance = match &entry.found {
        Ok(glance) => glance,
        Err(why) => return Paragraph::new(Role::Error, why.clone()),
    };
    let text: String = glance
        .summary
        .topic
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(MAX_TOPIC_CHARS)
        .collect();
    let role = match content {
        Content::Shown => Role::Text,
        Content::Masked => Role::Masked,
    };
    let mut line = Paragraph::default();
    if let Some(name) = &entry.name {
        line = line.with_run(Role::Strong, format!("{}: ", content.show_or_mask(name)));
    }
    line.with_run(role, content.show_or_mask(&text))
}

/// Returns what is known of a session beside its topic, in one paragraph.
pub fn session_facts(entry: &SessionEntry, sessions: &KnownSessions) -> Paragraph {
    let glance = match &entry.found {
        Ok(glance) => glance,
        Err(_) => return Paragraph::new(Role::Muted, format!("session {}", entry.id)),
    };
    let summary = &glance.summary;
    let mut line = Paragraph::default();
    if entry.open_here {
        line = line.with_run(Role::Streaming, "open here; ");
    } else if let Some(holder) = &glance.driven_by {
        line = line.with_run(Role::Streaming, format!("running in {holder}; "));
    }
    if summary.simulated {
        line = line.with_run(Role::Simulated, "simulated models; ");
    }
    // What a narrow list has no column for comes first.
    let cost = cost::format_cost(summary.cost_usd);
    let mut facts = vec![format!(
        "{}, {cost}",
        format_grouped_count(summary.calls as usize, "call")
    )];
    if !entry.tags.is_empty() {
        facts.push(format!("tags {}", entry.tags.join(" ")));
    }
    facts.push(verdict_counts(&summary.verdicts));
    facts.push(format!(
        "{} {}, {} of {}",
        summary.protocol,
        summary.state.as_word(),
        summary.rounds.0,
        format_grouped_count(summary.rounds.1 as usize, "round")
    ));
    let age = format_age(&summary.last_at, sessions.now());
    facts.push(format!("{age} ago"));
    if let Some(category) = &summary.category {
        facts.push(format!("category {category}"));
    }
    match (&glance.fork, &glance.parent) {
        (Some(fork), _) => facts.push(fork.clone()),
        (None, Some(parent)) => facts.push(format!("fork of {parent}")),
        (None, None) => {}
    }
    facts.extend((!glance.models.is_empty()).then(|| glance.models.join(", ")));
    match sessions.fork_count(&entry.id) {
        0 => {}
        1 => facts.push("1 fork".to_owned()),
        forks => facts.push(format!("{forks} forks")),
    }
    if let Some(run) = &summary.run {
        facts.push(format!("run {run}"));
    }
    facts.push(match entry.origin {
        SessionOrigin::Store => format!("session {}", entry.id),
        SessionOrigin::Example => "comes with the program".to_owned(),
    });
    line.with_run(Role::Muted, facts.join("; "))
}

/// Returns how many verdicts of which kind there are, in words.
pub fn verdict_counts(verdicts: &str) -> String {
    if verdicts == HIDDEN_VERDICTS {
        return "verdicts hidden while you label it".to_owned();
    }
    let counts = VERDICT_WORDS.map(|(letter, word)| (verdicts.matches(letter).count(), word));
    let words = counts.iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> = words
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    match words.is_empty() {
        true => "no verdicts".to_owned(),
        false => format!("verdicts: {}", words.join(", ")),
    }
}
