//! Verdicts in a cell: of a session a letter each, or counted; of a turn a sign, with a letter where there is no colour.

use super::table::TableCell;
use super::wrapped_lines::StyledLine;
use crate::tui::theme::{Look, Role};
use elenchus_records::workspace::HIDDEN_VERDICTS;
use elenchus_text::word_diff::Marking;
use elenchus_view::matrix::CellVerdict;
use std::collections::BTreeSet;

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

/// Returns what the letters of some sessions' verdicts mean, as many as fit into a width; `None` where none does.
pub(crate) fn verdict_legend<'a>(
    verdicts: impl Iterator<Item = &'a str>,
    width: usize,
    look: &Look,
) -> Option<StyledLine> {
    let shown = verdicts.filter(|verdicts| *verdicts != HIDDEN_VERDICTS);
    let letters: BTreeSet<char> = shown.flat_map(str::chars).collect();
    let mut line = StyledLine::default();
    let mut used = 0;
    for (kind, role) in KINDS {
        if !letters.contains(&kind) {
            continue;
        }
        let (letter, word) = (verdict_letter(kind, role, look), short_word(kind));
        let gap = if used == 0 { "" } else { "  " };
        let own = gap.len() + letter.len() + 1 + word.len();
        if used + own > width {
            return None;
        }
        used += own;
        line.runs.push((Role::Muted, gap.to_owned()));
        line.runs.push((role, letter));
        line.runs.push((Role::Muted, format!(" {word}")));
    }
    (used > 0).then_some(line)
}

fn short_word(kind: char) -> &'static str {
    match kind {
        'u' => "unsafe/bad",
        'f' => "filtered",
        'e' => "empty",
        'm' => "in the middle",
        's' => "safe/good",
        _ => "unparsed",
    }
}

/// Returns the sign of a turn's verdict; where there are no colours with its letter.
pub(crate) fn verdict_sign(verdict: CellVerdict, look: &Look) -> (Role, String) {
    let glyphs = look.glyphs();
    let sign = match verdict {
        CellVerdict::Unsafe | CellVerdict::Wrong => glyphs.unsafe_found,
        CellVerdict::Safe | CellVerdict::Right => glyphs.safe,
        CellVerdict::Middle => glyphs.middle,
        CellVerdict::Unparsed => glyphs.unparsed,
        CellVerdict::Failed => glyphs.failed,
        CellVerdict::Filtered | CellVerdict::Refused => glyphs.refused,
        CellVerdict::Empty => glyphs.empty,
        CellVerdict::NotJudged => glyphs.turn,
        CellVerdict::Hidden => glyphs.bar_empty,
    };
    let text = match look.marking() {
        Marking::Signs => format!("{sign}{}", verdict.letter()),
        Marking::Look => sign.to_owned(),
    };
    (verdict.role(), text)
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
