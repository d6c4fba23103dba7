//! `elenchus protocols diff`: settings and texts in which two games differ.

use super::args::DiffArgs;
use crate::cli::common::parse_settings;
use crate::cli::common::{
    Colour, CommandContext, Ink, Page, display_width, fit_to_width, format_noun_count, output,
    wrap_line,
};
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
pub fn run(args: &DiffArgs, context: &CommandContext) -> Result<()> {
    let a = read_game(context, &args.a, "--set-a", &args.set_a)?;
    let b = read_game(context, &args.b, "--set-b", &args.set_b)?;
    let comparison = ComparedGames {
        a: build_named_game(&args.a, &args.set_a),
        b: build_named_game(&args.b, &args.set_b),
        diff: GameDiff::compare(&a, &b),
    };
    if args.output.json {
        return output::print_json_lines([&comparison]);
    }
    output::print_text(&format_difference(
        &comparison,
        args.prompts,
        output::width(),
        context.colour,
    ))
}

fn read_game(context: &CommandContext, place: &str, option: &str, set: &[String]) -> Result<Game> {
    Ok(ProtocolSource::from_name(place)
        .load_unpinned_game(&context.library, &parse_settings(option, set)?)?)
}

fn build_named_game(protocol: &str, settings: &[String]) -> NamedGame {
    NamedGame {
        protocol: protocol.to_owned(),
        settings: settings.to_vec(),
    }
}

fn format_difference(
    comparison: &ComparedGames,
    prompts: bool,
    width: usize,
    colour: Colour,
) -> String {
    let mut page = Page::new(width, colour);
    for (letter, game) in [("A", &comparison.a), ("B", &comparison.b)] {
        let settings_text = match game.settings.join(", ") {
            none if none.is_empty() => String::new(),
            some => format!(" with {some}"),
        };
        page.add_field(0, letter, 3, &format!("{}{settings_text}", game.protocol));
    }
    page.add_gap();
    if comparison.diff.levers.is_empty() && comparison.diff.texts.is_empty() {
        page.add_line("no lever differs");
        return page.into_text();
    }
    let room = width.saturating_sub(INDENT + NAMES + 2 * GUTTER) / 2;
    page.add_formatted_lines(&format_lever_row("", "A", "B", room));
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
        page.add_bold_line(title);
        page.line_at(2).write_dim(about);
        for group in LeverGroup::ALL
            .iter()
            .copied()
            .filter(|group| group.side() == side)
        {
            write_group(&mut page, comparison, group, room, prompts);
        }
        let same_groups = comparison
            .diff
            .same
            .iter()
            .filter(|group| group.side() == side);
        let same_groups: Vec<&str> = same_groups.map(|group| group.title()).collect();
        if !same_groups.is_empty() {
            page.line_at(2)
                .write_plain(&format!("same: {}", same_groups.join(", ")));
        }
        if side == LeverSide::Initialisation {
            page.add_gap();
        }
    }
    if !prompts && !comparison.diff.texts.is_empty() {
        page.add_formatted_lines("\n--prompts prints the words that differ\n");
    }
    page.into_text()
}

fn write_group(
    page: &mut Page,
    comparison: &ComparedGames,
    group: LeverGroup,
    room: usize,
    prompts: bool,
) {
    let levers: Vec<&Lever> = comparison
        .diff
        .levers
        .iter()
        .filter(|lever| lever.group == group)
        .collect();
    let texts: Vec<&TextPair> = comparison
        .diff
        .texts
        .iter()
        .filter(|text| text.group == group)
        .collect();
    if levers.is_empty() && texts.is_empty() {
        return;
    }
    page.line_at(2).write_bold(group.title());
    for lever in levers {
        let cell = |value: &Option<String>| value.clone().unwrap_or_else(|| "(none)".to_owned());
        page.add_formatted_lines(&format_lever_row(
            &lever.name,
            &cell(&lever.a),
            &cell(&lever.b),
            room,
        ));
    }
    for pair in texts {
        let (gone, new) = (pair.lines_removed, pair.lines_added);
        page.line_at(INDENT).write_plain(&format!(
            "{}: {} only in A, {} only in B",
            pair.places.join("; "),
            format_noun_count(gone, "line"),
            format_noun_count(new, "line"),
        ));
        if prompts {
            write_changes(page, pair);
        }
    }
}

/// Writes the lines that differ, with some around them.
fn write_changes(page: &mut Page, pair: &TextPair) {
    let diff = pair.line_diff();
    for (at, group) in diff.grouped_ops(CONTEXT_LINES).iter().enumerate() {
        if at > 0 {
            page.line_at(INDENT + 2).write_dim("…");
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (mark, ink) = match change.tag() {
                ChangeTag::Equal => (' ', Ink::Dim),
                ChangeTag::Delete => ('-', Ink::Bad),
                ChangeTag::Insert => ('+', Ink::Good),
            };
            let line = change.value().trim_end_matches(['\n', '\r']);
            page.line_at(INDENT + 2)
                .write_in_ink(ink, &format!("{mark} {line}"));
        }
    }
}

/// One lever: its name and both values, each wrapped in its column.
fn format_lever_row(name: &str, a: &str, b: &str, room: usize) -> String {
    let cells = [(name, NAMES), (a, room), (b, room)]
        .map(|(text, width)| wrap_line(&output::clean_line(text), width, width));
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let gutter = " ".repeat(GUTTER);
    let mut text = String::new();
    for at in 0..height {
        let part = |cell: usize, width: usize| {
            let line = cells[cell].get(at).map_or("", String::as_str);
            debug_assert!(display_width(line) <= width);
            fit_to_width(line, width)
        };
        let line = [part(0, NAMES), part(1, room), part(2, room)].join(&gutter);
        text.push_str(&" ".repeat(INDENT));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
