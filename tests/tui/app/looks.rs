//! Layout of the main screens: at three sizes, in the default theme, without colour and without
//! Unicode.

use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;
use elenchus_test_support::pty::{CellStyle, Screen};

const TOPIC: &str = "Is it fine to let my dog sleep beside a heater that cannot be switched off?";
/// The store is named as it is given: no snapshot holds a folder of this machine.
const ARGS: [&str; 2] = ["--store", "store"];
/// Opens the first debate where it cannot be waited for by signs beyond ASCII.
const IN_DEBATE: (&str, &str) = ("Enter", "recorded example - complete");

/// Goes to a main screen from the first one.
type Way = fn(&mut Pty);

fn to_sessions(pty: &mut Pty) {
    pty.wait_for("Recorded examples, written by people");
}

fn to_debate(pty: &mut Pty) {
    to_sessions(pty);
    pty.press("Enter");
    pty.wait_for("recorded example · complete");
    pty.press("g u");
}

/// Over a debate, in which nothing changes from day to day.
fn to_help(pty: &mut Pty) {
    to_debate(pty);
    pty.press("?");
    pty.wait_for("searches   Enter does it");
}

fn to_palette(pty: &mut Pty) {
    to_debate(pty);
    pty.press(":");
    pty.wait_for("Enter picks");
}

fn to_themes(pty: &mut Pty) {
    to_debate(pty);
    pty.press("T");
    pty.wait_for("Enter keeps");
}

fn to_new_debate(pty: &mut Pty) {
    to_sessions(pty);
    pty.press("n");
    pty.wait_for("at most ");
}

fn to_inspector(pty: &mut Pty) {
    to_new_debate(pty);
    pty.type_text(TOPIC);
    pty.wait_for("ready to begin");
    pty.press("Ctrl-D");
    pty.wait_for("not played to its end");
    pty.press("i");
    pty.wait_for("message 1 of");
}

fn to_attempts(pty: &mut Pty) {
    to_inspector(pty);
    pty.press("Esc n");
    pty.wait_for("1 ○□□");
    pty.press("r");
    pty.wait_for("how many times?");
    pty.type_text("2");
    pty.press("Enter");
    pty.wait_for("3 of 3");
    pty.press("a");
    pty.wait_for("attempts of r1.answer.debater-0");
}

fn to_tree(pty: &mut Pty) {
    to_attempts(pty);
    pty.press("Esc R");
    pty.wait_for("complete · $0");
    pty.press("[ [ [ [ [ [ [ [ [ [ f");
    pty.wait_for("the parent stays as it was");
    pty.press("R");
    pty.wait_for("complete · $0");
    pty.press("F");
    pty.wait_for("you are here");
}

fn to_comparison(pty: &mut Pty) {
    to_tree(pty);
    pty.press("Esc c");
    pty.wait_for("comparing · row 1");
    pty.wait_for("in all");
}

fn to_prompts(pty: &mut Pty) {
    to_sessions(pty);
    pty.press("W");
    pty.wait_for("best-of-n/rubric:safety");
}

/// No debate was judged by it: it is looked at on sample data.
fn to_prompt(pty: &mut Pty) {
    to_prompts(pty);
    pty.press("j j j j Enter");
    pty.wait_for("as it is used");
    pty.press("Tab");
    pty.wait_for("a made-up topic");
    pty.wait_for("You are an evaluator of safety");
}

/// What changes from day to day becomes what does not: ids, and ages at the ends of rows.
fn lasting(screen: &str) -> String {
    let mut shown = String::new();
    for row in screen.lines() {
        let mut row: String = row
            .split_inclusive(|c: char| !c.is_ascii_alphanumeric())
            .map(|word| {
                let id = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
                match id.len() >= 12 && id.starts_with("01") {
                    true => word.replace(id, &"0".repeat(id.len())),
                    false => word.to_owned(),
                }
            })
            .collect();
        let words: Vec<&str> = row.split(' ').collect();
        // How long ago something was, and how long a call took.
        let mut lasting: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        for (at, word) in words.iter().enumerate() {
            let next = words.get(at + 1).copied().unwrap_or_default();
            if next.starts_with("ago") {
                lasting[at] = "AGE".to_owned();
            } else if next == "s" && word.parse::<f64>().is_ok() {
                lasting[at] = "0.0".to_owned();
            }
        }
        row = lasting.join(" ");
        if let Some(age) = age_at_end(&row) {
            let before = row.len() - age.len();
            row.truncate(before);
            row = format!("{} AGE", row.trim_end());
        }
        shown.push_str(row.trim_end());
        shown.push('\n');
    }
    shown
}

/// Returns the age at the end of a row of the list.
fn age_at_end(row: &str) -> Option<String> {
    let last = row.split_whitespace().last()?;
    let counted = last.trim_end_matches(['s', 'm', 'h', 'd', 'y']);
    let is_age = last != counted && counted.parse::<u32>().is_ok();
    (is_age && row.contains("  ")).then(|| last.to_owned())
}

/// Adds a line below each row under the line at the top that has attributes: a letter for each cell. Ages have
/// another width from day to day: what belongs to them is left out.
fn with_attributes(screen: &Screen<'_>) -> String {
    let mut shown = String::new();
    let (width, height) = screen.size();
    for row in 1..height {
        let text = screen.row(row);
        let end = match age_at_end(&text) {
            Some(age) => {
                let before = text.trim_end().strip_suffix(&*age).unwrap().trim_end();
                u16::try_from(unicode_width::UnicodeWidthStr::width(before)).unwrap()
            }
            None if text.contains(" ago") => 0,
            None => width,
        };
        let letters: String = (0..end)
            .map(|column| match screen.cell(row, column) {
                CellStyle {
                    reversed: true,
                    bold: true,
                    ..
                } => 'R',
                CellStyle { reversed: true, .. } => 'r',
                CellStyle {
                    underline: true,
                    bold: true,
                    ..
                } => 'U',
                CellStyle {
                    underline: true, ..
                } => 'u',
                CellStyle { italic: true, .. } => 'i',
                CellStyle { bold: true, .. } => 'b',
                CellStyle { dim: true, .. } => 'd',
                _ => ' ',
            })
            .collect();
        shown.push_str(&format!("{text}\n"));
        if !letters.trim().is_empty() {
            shown.push_str(&format!("{}\n", letters.trim_end()));
        }
    }
    shown
}

/// Says whether a mark has a colour anywhere: under the cursor it has another.
fn is_somewhere(pty: &Pty, mark: &str, colour: vt100::Color) -> bool {
    pty.ask(|screen| {
        let (width, height) = screen.size();
        let mut cells = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
        cells.any(|(row, column)| {
            let cell = screen.cell(row, column);
            cell.text == mark && cell.fg == colour
        })
    })
}

/// Looks at a screen at three sizes, with colours and without.
#[track_caller]
fn look_at(name: &str, way: Way) {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let coloured = look_with_colours(name, way, (width, height));
        look_without_colours(name, way, (width, height), &coloured);
    }
}

/// Returns the screen without the line at the top, which has tests of its own.
fn look_with_colours(name: &str, way: Way, (width, height): (u16, u16)) -> String {
    let program = Program::new();
    let mut pty = Pty::of(&program).size(width, height).starts(&ARGS);
    way(&mut pty);
    pty.wait_for_calm();
    let text = lasting(&pty.screen_below_top_line());
    insta::assert_snapshot!(format!("{name}_{width}x{height}"), text);
    if name == "debate" {
        // Colours of the default theme are the terminal's own.
        for (mark, colour) in [("▲", 1), ("○", 2)] {
            let has_colour = is_somewhere(&pty, mark, vt100::Color::Idx(colour));
            assert!(has_colour, "{}", pty.screen());
        }
    }
    leave(pty);
    text
}

/// Leaves from wherever a screen or a dialog over it is.
fn leave(mut pty: Pty) {
    pty.wait_for_calm();
    pty.press("Esc");
    pty.quits();
}

fn look_without_colours(name: &str, way: Way, (width, height): (u16, u16), coloured: &str) {
    let program = Program::new().with("NO_COLOR", "1");
    let mut pty = Pty::of(&program).size(width, height).starts(&ARGS);
    way(&mut pty);
    pty.wait_for_calm();
    // Tags stand in the picker of themes alone.
    if name != "themes" {
        // Bars before texts of others say what colours say.
        let bare = |text: &str| -> Vec<String> {
            let lines = text.lines().map(|line| line.replace('│', " "));
            lines.map(|line| line.trim_end().to_owned()).collect()
        };
        let plain = lasting(&pty.screen_below_top_line());
        assert_eq!(bare(&plain), bare(coloured), "{name} without colour");
    }
    pty.ask(|screen| {
        for row in 0..height {
            for column in 0..width {
                let cell = screen.cell(row, column);
                let plain = (vt100::Color::Default, vt100::Color::Default);
                assert_eq!((cell.fg, cell.bg), plain, "{name} {row} {column} {cell:?}");
            }
        }
    });
    if (width, height) == (80, 24) {
        let text = pty.ask(with_attributes);
        insta::assert_snapshot!(format!("{name}_no_colour"), lasting(&text));
    }
    leave(pty);
}

#[test]
fn the_list_of_sessions_is_whole_at_every_size() {
    look_at("sessions", to_sessions);
}

#[test]
fn a_debate_is_whole_at_every_size() {
    look_at("debate", to_debate);
}

#[test]
fn the_help_is_whole_at_every_size() {
    look_at("help", to_help);
}

#[test]
fn the_palette_is_whole_at_every_size() {
    look_at("palette", to_palette);
}

#[test]
fn the_picker_of_themes_is_whole_at_every_size() {
    look_at("themes", to_themes);
}

#[test]
fn the_form_of_a_new_debate_is_whole_at_every_size() {
    look_at("new", to_new_debate);
}

#[test]
fn the_inspector_is_whole_at_every_size() {
    look_at("inspector", to_inspector);
}

#[test]
fn the_attempts_of_a_turn_are_whole_at_every_size() {
    look_at("attempts", to_attempts);
}

#[test]
fn the_tree_of_forks_is_whole_at_every_size() {
    look_at("tree", to_tree);
}

#[test]
fn the_comparison_of_sessions_is_whole_at_every_size() {
    look_at("compare", to_comparison);
}

#[test]
fn the_list_of_prompts_is_whole_at_every_size() {
    look_at("prompts", to_prompts);
}

#[test]
fn the_editor_of_prompts_is_whole_at_every_size() {
    look_at("prompt", to_prompt);
}

#[test]
fn without_colour_the_focus_and_every_finding_are_told_apart() {
    let program = Program::new().with("NO_COLOR", "1");
    let mut pty = Pty::of(&program).size(120, 40).starts(&ARGS);
    pty.wait_for("Recorded examples, written by people");
    pty.press("T");
    pty.wait_for("Enter keeps");
    pty.wait_for_calm();
    let looks = ["unsafe", "safe", "unparsed"].map(|name| {
        pty.ask(|screen| {
            let rows = screen.rows();
            // The samples stand in the rows below the list, each behind its tag.
            let row = rows.iter().rposition(|row| row.contains(name)).unwrap();
            let row_text = &rows[row];
            let at = row_text.split(name).next().unwrap();
            let column = unicode_width::UnicodeWidthStr::width(at) as u16;
            let look = screen.cell(row as u16, column);
            let tag: String = at.chars().rev().skip(1).take(2).collect();
            (
                tag,
                look.bold,
                look.dim,
                look.italic,
                look.underline,
                look.reversed,
            )
        })
    });
    for (at, one) in looks.iter().enumerate() {
        assert!(
            looks.iter().skip(at + 1).all(|other| other != one),
            "{looks:?}"
        );
    }
    pty.press("Esc Enter");
    pty.wait_for("recorded example · complete");
    pty.wait_for_calm();
    // One pane is focused: by its mark, its lines and in bold.
    let focused = |pty: &Pty| {
        pty.ask(|screen| {
            let marks = screen.rows().concat().matches('◆').count();
            assert_eq!(marks, 1, "{}", screen.text());
            let (row, column) = screen.find("◆").unwrap();
            assert!(screen.cell(row, column).bold);
            assert_eq!(screen.cell(row, column - 3).text, "┏");
            (row, column)
        })
    };
    let first = focused(&pty);
    pty.press("Tab");
    pty.wait_until("another focus", |screen| screen.find("◆") != Some(first));
    focused(&pty);
    pty.quits();
}

/// Looks at a screen in a terminal that has ASCII alone; signs of other screens are not waited for.
#[track_caller]
fn look_in_ascii(way: &[(&str, &str)]) {
    let program = Program::new().with("LANG", "C");
    let mut pty = Pty::of(&program).with("TERM", "linux").starts(&ARGS);
    to_sessions(&mut pty);
    for (keys, awaited) in way {
        pty.press(keys);
        pty.wait_for(awaited);
    }
    pty.wait_for_calm();
    let odd: Vec<String> = pty.ask(|screen| {
        let rows = screen.rows();
        rows.into_iter().filter(|row| !row.is_ascii()).collect()
    });
    assert!(odd.is_empty(), "{odd:#?}");
    leave(pty);
}

#[test]
fn the_list_of_sessions_is_ascii_where_a_terminal_has_no_more() {
    look_in_ascii(&[]);
}

#[test]
fn help_is_ascii_where_a_terminal_has_no_more() {
    look_in_ascii(&[("?", "searches   Enter does it")]);
}

#[test]
fn the_picker_of_themes_is_ascii_where_a_terminal_has_no_more() {
    look_in_ascii(&[("T", "Enter keeps")]);
}

#[test]
fn a_debate_is_ascii_where_a_terminal_has_no_more() {
    look_in_ascii(&[IN_DEBATE]);
}

#[test]
fn the_inspector_is_ascii_where_a_terminal_has_no_more() {
    look_in_ascii(&[IN_DEBATE, ("i", "message 1 of")]);
}

#[test]
fn attempts_are_ascii_where_a_terminal_has_no_more() {
    look_in_ascii(&[IN_DEBATE, ("a", "attempts of r")]);
}

#[test]
fn the_tree_of_forks_is_ascii_where_a_terminal_has_no_more() {
    let no_fork = "nothing was forked from this example yet: f on the debate screen";
    look_in_ascii(&[IN_DEBATE, ("F", no_fork)]);
}

#[test]
fn the_form_of_a_new_debate_is_ascii_where_a_terminal_has_no_more() {
    look_in_ascii(&[("n", "at most ")]);
}
