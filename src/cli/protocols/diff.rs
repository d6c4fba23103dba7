//! `elenchus protocols diff`: settings and texts in which two games differ.

use super::args::DiffArgs;
use crate::cli::common::parse_settings;
use crate::cli::common::{Colour, Ink, Page, Workshop, columns, counted, fit, output, wrap};
use anyhow::Result;
use elenchus_game::debate::protocol_diff::{Lever, LeverGroup, LeverSide};
use elenchus_records::library::{CONTEXT_LINES, Game, GameDiff, ProtocolSource, TextPair};
use serde::Serialize;
use similar::ChangeTag;

/// The column of levers' names.
const NAMES: usize = 26;
/// Prefixes of the two sides.
const INDENT: usize = 4;
/// Between columns.
const GUTTER: usize = 2;

/// Two games and their difference.
#[derive(Serialize)]
struct ComparedGames {
    a: NamedGame,
    b: NamedGame,
    #[serde(flatten)]
    diff: GameDiff,
}

/// A game and the settings that it was given.
#[derive(Serialize)]
struct NamedGame {
    protocol: String,
    settings: Vec<String>,
}

/// Compares two games and prints in what they differ.
///
/// # Errors
/// When one of them cannot be read.
pub fn run(args: &DiffArgs, shop: &Workshop) -> Result<()> {
    let a = game(shop, &args.a, "--set-a", &args.set_a)?;
    let b = game(shop, &args.b, "--set-b", &args.set_b)?;
    let found = ComparedGames {
        a: named(&args.a, &args.set_a),
        b: named(&args.b, &args.set_b),
        diff: GameDiff::of(&a, &b),
    };
    if args.output.json {
        return output::json_lines([&found]);
    }
    output::out(&draw(&found, args.prompts, output::width(), shop.colour))
}

fn game(shop: &Workshop, place: &str, option: &str, set: &[String]) -> Result<Game> {
    Ok(ProtocolSource::of(place).unpinned_game(&shop.library, &parse_settings(option, set)?)?)
}

fn named(protocol: &str, settings: &[String]) -> NamedGame {
    NamedGame {
        protocol: protocol.to_owned(),
        settings: settings.to_vec(),
    }
}

fn draw(found: &ComparedGames, prompts: bool, width: usize, colour: Colour) -> String {
    let mut page = Page::new(width, colour);
    for (letter, game) in [("A", &found.a), ("B", &found.b)] {
        let with = match game.settings.join(", ") {
            none if none.is_empty() => String::new(),
            some => format!(" with {some}"),
        };
        page.field(0, letter, 3, &format!("{}{with}", game.protocol));
    }
    page.gap();
    if found.diff.levers.is_empty() && found.diff.texts.is_empty() {
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
        let same = found.diff.same.iter().filter(|group| group.side() == side);
        let same: Vec<&str> = same.map(|group| group.title()).collect();
        if !same.is_empty() {
            page.at(2).line(&format!("same: {}", same.join(", ")));
        }
        if side == LeverSide::Initialisation {
            page.gap();
        }
    }
    if !prompts && !found.diff.texts.is_empty() {
        page.laid_out("\n--prompts prints the words that differ\n");
    }
    page.finish()
}

fn draw_group(
    page: &mut Page,
    found: &ComparedGames,
    group: LeverGroup,
    room: usize,
    prompts: bool,
) {
    let levers: Vec<&Lever> = found
        .diff
        .levers
        .iter()
        .filter(|lever| lever.group == group)
        .collect();
    let texts: Vec<&TextPair> = found
        .diff
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
    let diff = pair.lines();
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
