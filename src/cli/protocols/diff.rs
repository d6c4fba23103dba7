//! `elenchus protocols diff`: settings and texts in which two games differ.

use super::args::DiffArgs;
use super::find::ProtocolSource;
use super::sampling;
use crate::cli::common::parse_settings;
use crate::cli::common::{Colour, Ink, Page, Workshop, columns, counted, fit, output, wrap};
use crate::debate::protocol_diff::{Lever, LeverGroup, LeverSide, TextName, levers, text_slots};
use crate::library::Game;
use anyhow::Result;
use serde::Serialize;
use similar::{ChangeTag, TextDiff};
use std::collections::BTreeSet;
use std::time::Duration;

/// The column of levers' names.
const NAMES: usize = 26;
/// Prefixes of the two sides.
const INDENT: usize = 4;
/// Between columns.
const GUTTER: usize = 2;
/// How long the shortest difference of two texts is searched; then a longer one will do.
const MAX_SEARCH: Duration = Duration::from_secs(2);
/// Unchanged lines that are shown around a change.
const CONTEXT_LINES: usize = 2;

/// Everything in which two games differ.
#[derive(Serialize)]
struct Differences {
    a: NamedText,
    b: NamedText,
    levers: Vec<Lever>,
    texts: Vec<TextPair>,
    /// Groups without a difference.
    same: Vec<LeverGroup>,
}

/// A game and the settings that it was given.
#[derive(Serialize)]
struct NamedText {
    protocol: String,
    settings: Vec<String>,
}

/// Words that are read at the same place of both games and differ.
#[derive(Serialize)]
struct TextPair {
    group: LeverGroup,
    places: Vec<String>,
    #[serde(skip)]
    a: String,
    #[serde(skip)]
    b: String,
    lines_removed: usize,
    lines_added: usize,
    /// A unified diff.
    diff: String,
}

/// Compares two games and prints in what they differ.
///
/// # Errors
/// When one of them cannot be read.
pub fn run(args: &DiffArgs, shop: &Workshop) -> Result<()> {
    let a = game(shop, &args.a, "--set-a", &args.set_a)?;
    let b = game(shop, &args.b, "--set-b", &args.set_b)?;
    let texts = texts(&a, &b);
    let mut levers = levers(&a.protocol, &b.protocol);
    levers.extend(sampling::levers(&a, &b));
    let touched: BTreeSet<LeverGroup> = levers
        .iter()
        .map(|lever| lever.group)
        .chain(texts.iter().map(|text| text.group))
        .collect();
    let same = LeverGroup::ALL.into_iter();
    let found = Differences {
        a: named(&args.a, &args.set_a),
        b: named(&args.b, &args.set_b),
        levers,
        texts,
        same: same.filter(|group| !touched.contains(group)).collect(),
    };
    if args.output.json {
        return output::json_lines([&found]);
    }
    output::out(&draw(&found, args.prompts, output::width(), shop.colour))
}

fn game(shop: &Workshop, place: &str, option: &str, set: &[String]) -> Result<Game> {
    Ok(ProtocolSource::of(place).unpinned_game(shop, &parse_settings(option, set)?)?)
}

fn named(protocol: &str, settings: &[String]) -> NamedText {
    NamedText {
        protocol: protocol.to_owned(),
        settings: settings.to_vec(),
    }
}

/// Compares the words at places that both games have; where only one has a place, that is a lever.
fn texts(a: &Game, b: &Game) -> Vec<TextPair> {
    let places_of_b = text_slots(&b.protocol);
    let mut pairs: Vec<TextPair> = Vec::new();
    for place in text_slots(&a.protocol) {
        let like = |other: &&crate::debate::protocol_diff::TextSlot| {
            other.group == place.group && other.name == place.name
        };
        let Some(other) = places_of_b.iter().find(like) else {
            continue;
        };
        for ((what, of_a), (_, of_b)) in
            read(a, &place.words).into_iter().zip(read(b, &other.words))
        {
            if of_a == of_b {
                continue;
            }
            let name = format!("{}{what}", place.name);
            let known = pairs
                .iter_mut()
                .find(|pair| (pair.group, &pair.a, &pair.b) == (place.group, &of_a, &of_b));
            match known {
                Some(pair) => pair.places.push(name),
                None => pairs.push(pair(place.group, name, of_a, of_b)),
            }
        }
    }
    pairs
}

/// Returns the texts of a side, each with its name.
fn read(game: &Game, words: &TextName) -> Vec<(&'static str, String)> {
    match words {
        TextName::Template(name) => {
            vec![("", game.templates.get(name).cloned().unwrap_or_default())]
        }
        TextName::Rubric(name) => vec![
            (
                ": what is asked",
                game.rubric_template(name).unwrap_or_default().to_owned(),
            ),
            (
                ": how it is read",
                game.rubric_texts.get(name).cloned().unwrap_or_default(),
            ),
        ],
        TextName::List(name) => {
            let items = game.lists.get(name).cloned().unwrap_or_default();
            vec![("", items.join("\n"))]
        }
    }
}

fn pair(group: LeverGroup, place: String, a: String, b: String) -> TextPair {
    let diff = lines(&a, &b);
    let count = |tag| {
        diff.iter_all_changes()
            .filter(|change| change.tag() == tag)
            .count()
    };
    let (lines_removed, lines_added) = (count(ChangeTag::Delete), count(ChangeTag::Insert));
    let unified = diff
        .unified_diff()
        .context_radius(CONTEXT_LINES)
        .to_string();
    TextPair {
        group,
        places: vec![place],
        lines_removed,
        lines_added,
        diff: unified,
        a,
        b,
    }
}

fn lines<'a>(a: &'a str, b: &'a str) -> TextDiff<'a, 'a, 'a, str> {
    TextDiff::configure().timeout(MAX_SEARCH).diff_lines(a, b)
}

fn draw(found: &Differences, prompts: bool, width: usize, colour: Colour) -> String {
    let mut page = Page::new(width, colour);
    for (letter, game) in [("A", &found.a), ("B", &found.b)] {
        let with = match game.settings.join(", ") {
            none if none.is_empty() => String::new(),
            some => format!(" with {some}"),
        };
        page.field(0, letter, 3, &format!("{}{with}", game.protocol));
    }
    page.gap();
    if found.levers.is_empty() && found.texts.is_empty() {
        page.line("no lever differs");
        return page.finish();
    }
    let room = width.saturating_sub(INDENT + NAMES + 2 * GUTTER) / 2;
    page.laid_out(&row("", "A", "B", room));
    for (side, title, about) in [
        (
            LeverSide::Initialisation,
            "INITIALISATION",
            "the words that debaters begin with; their models and weights are the cast's",
        ),
        (
            LeverSide::EvolutionOperator,
            "EVOLUTION OPERATOR",
            "what the rules make of every move: turns, sight, judge, rewards",
        ),
    ] {
        page.bold(title);
        page.at(2).dim(about);
        for group in LeverGroup::ALL
            .into_iter()
            .filter(|group| group.side() == side)
        {
            draw_group(&mut page, found, group, room, prompts);
        }
        let same = found.same.iter().filter(|group| group.side() == side);
        let same: Vec<&str> = same.map(|group| group.title()).collect();
        if !same.is_empty() {
            page.at(2).line(&format!("same: {}", same.join(", ")));
        }
        if side == LeverSide::Initialisation {
            page.gap();
        }
    }
    if !prompts && !found.texts.is_empty() {
        page.laid_out("\n--prompts prints the words that differ\n");
    }
    page.finish()
}

fn draw_group(page: &mut Page, found: &Differences, group: LeverGroup, room: usize, prompts: bool) {
    let levers: Vec<&Lever> = found
        .levers
        .iter()
        .filter(|lever| lever.group == group)
        .collect();
    let texts: Vec<&TextPair> = found
        .texts
        .iter()
        .filter(|text| text.group == group)
        .collect();
    if levers.is_empty() && texts.is_empty() {
        return;
    }
    page.at(2).bold(group.title());
    for lever in levers {
        let cell = |value: &Option<String>| value.clone().unwrap_or_else(|| "(none)".to_owned());
        page.laid_out(&row(&lever.name, &cell(&lever.a), &cell(&lever.b), room));
    }
    for pair in texts {
        let (gone, new) = (pair.lines_removed, pair.lines_added);
        page.at(INDENT).line(&format!(
            "{}: {} only in A, {} only in B",
            pair.places.join("; "),
            counted(gone, "line"),
            counted(new, "line"),
        ));
        if prompts {
            changes(page, pair);
        }
    }
}

/// Writes the lines that differ, with some around them.
fn changes(page: &mut Page, pair: &TextPair) {
    let diff = lines(&pair.a, &pair.b);
    for (at, group) in diff.grouped_ops(CONTEXT_LINES).iter().enumerate() {
        if at > 0 {
            page.at(INDENT + 2).dim("…");
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (mark, ink) = match change.tag() {
                ChangeTag::Equal => (' ', Ink::Dim),
                ChangeTag::Delete => ('-', Ink::Bad),
                ChangeTag::Insert => ('+', Ink::Good),
            };
            let line = change.value().trim_end_matches(['\n', '\r']);
            page.at(INDENT + 2).inked(ink, &format!("{mark} {line}"));
        }
    }
}

/// One lever: its name and both values, each wrapped in its column.
fn row(name: &str, a: &str, b: &str, room: usize) -> String {
    let cells = [(name, NAMES), (a, room), (b, room)]
        .map(|(text, width)| wrap(&output::clean(text), width, width));
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let gutter = " ".repeat(GUTTER);
    let mut text = String::new();
    for at in 0..height {
        let part = |cell: usize, width: usize| {
            let line = cells[cell].get(at).map_or("", String::as_str);
            debug_assert!(columns(line) <= width);
            fit(line, width)
        };
        let line = [part(0, NAMES), part(1, room), part(2, room)].join(&gutter);
        text.push_str(&" ".repeat(INDENT));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
