//! Command palette: every action of a context by its words, with its keys, and where on the command line a
//! thing is that is not here.

use super::picker::{PickItem, Picker};
use crate::tui::keys::{Action, Context, KeyTable};
use crate::tui::widgets::Ranked;

/// Rows of the command line that are shown at most.
const MAX_COMMAND_LINES: usize = 6;
/// Letters that two words share at least to be forms of one word, as *ablate* and *ablation*.
const STEM: usize = 5;
/// Letters behind the stem at most.
const ENDING: usize = 4;

/// Something that the command line does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLineEntry {
    /// What is typed, as in `elenchus metrics --plot`.
    pub command: String,
    /// What it does, in one sentence.
    pub about: String,
}

/// What a row of the palette stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaletteRow {
    Action(Action),
    CommandLine(CommandLineEntry),
}

/// Returns a picker of what can be asked for in a context, and what its items stand for.
pub fn build_palette(
    table: &KeyTable,
    context: Context,
    command_line: &[CommandLineEntry],
) -> (Picker, Vec<PaletteRow>) {
    let actions = table.list_actions(context).into_iter();
    let actions = actions.filter(|action| *action != Action::Palette);
    let entries = command_line.iter().cloned().map(PaletteRow::CommandLine);
    let rows: Vec<PaletteRow> = actions.map(PaletteRow::Action).chain(entries).collect();
    let items = rows.iter().map(|row| match row {
        PaletteRow::Action(action) => PickItem {
            label: action.name().to_owned(),
            detail: action.help_in(context).to_owned(),
            aside: table.key_hint(context, *action).unwrap_or_default(),
        },
        PaletteRow::CommandLine(entry) => PickItem {
            label: "command line".to_owned(),
            detail: format!("{}: {}", entry.command, entry.about),
            aside: String::new(),
        },
    });
    let words = rows.iter().map(|row| PaletteWords::new(row, context));
    let ranking = WordRanking(words.collect());
    let pick = Picker::new("Commands", items.collect()).with_word_ranking(ranking);
    (pick, rows)
}

/// Finds the rows of a palette by words: of their names first, then of what they do.
#[derive(Debug, Clone)]
pub(super) struct WordRanking(Vec<PaletteWords>);

/// Words that a row is found by.
#[derive(Debug, Clone)]
struct PaletteWords {
    names: Vec<String>,
    described: Vec<String>,
    kind: RowKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowKind {
    Action,
    /// May spend or delete: it is found by its name alone.
    Weighty,
    CommandLine,
}

/// How well a row fits; the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    WholeName,
    Name,
    Description,
}

impl PaletteWords {
    fn new(row: &PaletteRow, context: Context) -> Self {
        match row {
            PaletteRow::Action(action) => Self {
                names: split_words(&format!("{} {}", action.name(), action.label())),
                described: split_words(action.help_in(context)),
                kind: match action.is_weighty() {
                    true => RowKind::Weighty,
                    false => RowKind::Action,
                },
            },
            PaletteRow::CommandLine(entry) => {
                let name = entry.command.strip_prefix("elenchus ");
                Self {
                    names: split_words(name.unwrap_or(&entry.command)),
                    described: split_words(&entry.about),
                    kind: RowKind::CommandLine,
                }
            }
        }
    }

    /// Says how well a row fits all words that are typed; `None` where it does not.
    fn fit(&self, query: &[String]) -> Option<Fit> {
        let all = |is_word: &dyn Fn(&String) -> bool| query.iter().all(is_word);
        let among = |words: &[String], typed: &String, is_one: fn(&str, &str) -> bool| {
            words.iter().any(|word| is_one(word, typed))
        };
        if all(&|typed| self.names.contains(typed)) {
            return Some(Fit::WholeName);
        }
        let is_name: fn(&str, &str) -> bool = match self.kind {
            RowKind::Weighty => |word, typed| word.starts_with(typed),
            RowKind::Action | RowKind::CommandLine => is_form_of,
        };
        if all(&|typed| among(&self.names, typed, is_name)) {
            return Some(Fit::Name);
        }
        let is_described = |typed: &String| {
            among(&self.names, typed, is_form_of) || among(&self.described, typed, is_form_of)
        };
        (self.kind != RowKind::Weighty && all(&is_described)).then_some(Fit::Description)
    }
}

impl WordRanking {
    /// Returns the rows that fit what is typed, the best first; all actions in their order where nothing is.
    /// Of the command line there are rows where no action is called so.
    pub(super) fn rank_rows(&self, query: &str, haystacks: &[String]) -> Vec<Ranked> {
        let typed = split_words(query);
        if typed.is_empty() {
            let actions = self.0.iter().enumerate();
            let actions = actions.filter(|(_, words)| words.kind != RowKind::CommandLine);
            return actions.map(|(index, _)| plain_row(index)).collect();
        }
        let fits = self.0.iter().enumerate();
        let mut fits: Vec<(Fit, usize)> = fits
            .filter_map(|(index, words)| Some((words.fit(&typed)?, index)))
            .collect();
        fits.sort_unstable();
        let is_line = |(_, index): &(Fit, usize)| {
            let row = self.0.get(*index);
            row.is_some_and(|words| words.kind == RowKind::CommandLine)
        };
        let is_named = |(fit, _): &(Fit, usize)| *fit < Fit::Description;
        let (lines, actions): (Vec<_>, Vec<_>) = fits.into_iter().partition(is_line);
        let (named, described): (Vec<_>, Vec<_>) = actions.into_iter().partition(is_named);
        let (mut named_lines, mut other_lines): (Vec<_>, Vec<_>) =
            lines.into_iter().partition(is_named);
        if !named.is_empty() {
            named_lines.clear();
        }
        // What only mentions the word is of use where nothing is called so.
        if !named.is_empty() || !named_lines.is_empty() {
            other_lines.clear();
        }
        named_lines.truncate(MAX_COMMAND_LINES);
        other_lines.truncate(MAX_COMMAND_LINES);
        let order = [named, named_lines, described, other_lines].into_iter();
        let rows = order.flatten().map(|(_, index)| {
            let letters = haystacks.get(index).map(|text| find_letters(text, &typed));
            Ranked {
                index,
                letters: letters.unwrap_or_default(),
            }
        });
        rows.collect()
    }
}

fn plain_row(index: usize) -> Ranked {
    Ranked {
        index,
        letters: Vec::new(),
    }
}

fn split_words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Says whether what is typed begins a word, or is another form of it, as *metrics* is of *metric*.
fn is_form_of(word: &str, typed: &str) -> bool {
    if word.starts_with(typed) {
        return true;
    }
    let shared = word.chars().zip(typed.chars()).take_while(|(a, b)| a == b);
    let shared = shared.count();
    let rest = |text: &str| text.chars().count() - shared;
    shared >= STEM && rest(word) <= ENDING && rest(typed) <= ENDING
}

/// Returns the letters of a text that begin a word as they are typed.
fn find_letters(text: &str, typed: &[String]) -> Vec<u32> {
    let characters: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let mut letters = Vec::new();
    for word in typed {
        let word: Vec<char> = word.chars().collect();
        let starts = (0..characters.len()).filter(|at| {
            let before = at.checked_sub(1).and_then(|before| characters.get(before));
            before.is_none_or(|letter| !letter.is_alphanumeric())
        });
        for at in starts {
            if characters.get(at..at + word.len()) == Some(word.as_slice()) {
                letters.extend((at..at + word.len()).filter_map(|at| u32::try_from(at).ok()));
            }
        }
    }
    letters.sort_unstable();
    letters.dedup();
    letters
}
