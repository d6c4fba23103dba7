//! Verdicts of a session in a cell: a letter each, or counted.

use super::table::TableCell;
use crate::tui::theme::{Look, Role};
use elenchus_records::workspace::HIDDEN_VERDICTS;

/// The kinds of verdict with their letters, the gravest first.
const KINDS: [(char, Role); 6] = [
    ('u', Role::Unsafe),
    ('?', Role::Unparsed),
    ('f', Role::Warning),
    ('e', Role::Warning),
    ('m', Role::Middle),
    ('s', Role::Safe),
];

/// Returns the verdicts of a session, a letter each; counted where there is no room for that.
pub(crate) fn verdict_letters(verdicts: &str, room: usize, look: &Look) -> TableCell {
    if verdicts == HIDDEN_VERDICTS {
        return vec![(Role::Muted, verdicts.to_owned())];
    }
    if verdicts.chars().count() <= room {
        return verdicts
            .chars()
            .filter_map(|letter| KINDS.iter().find(|(kind, _)| *kind == letter))
            .map(|(kind, role)| (*role, verdict_letter(*kind, *role, look)))
            .collect();
    }
    let mut cell = TableCell::new();
    let mut remaining = room;
    for (kind, role) in KINDS {
        let count = verdicts.matches(kind).count();
        let text = format!("{count}{}", verdict_letter(kind, role, look));
        let gap = usize::from(!cell.is_empty());
        if count > 0 && text.len() + gap <= remaining {
            remaining -= text.len() + gap;
            if gap > 0 {
                cell.push((Role::Text, " ".to_owned()));
            }
            cell.push((role, text));
        }
    }
    cell
}

fn verdict_letter(kind: char, role: Role, look: &Look) -> String {
    let tag = look.tag(role);
    let own = kind.to_ascii_uppercase();
    // A warning's sign would not say which of the two it is.
    if tag.chars().count() == 1 && role != Role::Warning {
        tag.to_owned()
    } else {
        own.to_string()
    }
}
