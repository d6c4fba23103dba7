//! Layout of the main screens: at three sizes, in the default theme, without colour and without
//! Unicode.

use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;
use elenchus_test_support::pty::{CellStyle, Screen};

const TOPIC: &str = "Is it fine to let my dog sleep beside a heater that cannot be switched off?";
/// The store is named as it is given: no snapshot holds a folder of this machine.
const ARGS: [&str; 2] = ["--store", "store"];

/// Goes through the main screens and looks at each.
fn tour(pty: &mut Pty, mut look: impl FnMut(&mut Pty, &'static str)) {
    let mut at = |pty: &mut Pty, name| {
        pty.wait_for_calm();
        look(pty, name);
    };
    pty.wait_for("Recorded examples, written by people");
    at(pty, "sessions");
    pty.press("Enter");
    pty.wait_for("recorded example · complete");
    pty.press("g u");
    at(pty, "debate");
    // Over a debate, in which nothing changes from day to day.
    pty.press("?");
    pty.wait_for("searches   Enter does it");
    at(pty, "help");
    pty.press("Esc :");
    pty.wait_for("Enter picks");
    at(pty, "palette");
    pty.press("Esc T");
    pty.wait_for("Enter keeps");
    at(pty, "themes");
    pty.press("Esc");
    pty.wait_for_no("Enter keeps");
    pty.press("Esc");
    pty.wait_for("Recorded examples");

    pty.press("n");
    pty.wait_for("at most ");
    at(pty, "new");
    pty.press("Home j Enter");
    pty.wait_for("Ctrl-D or Tab: done");
    pty.type_text(TOPIC);
    pty.press("Ctrl-D");
    pty.wait_for("ready to begin");
    pty.press("End Enter");
    pty.wait_for("not played to its end");
    pty.press("i");
    pty.wait_for("message 1 of");
    at(pty, "inspector");
    pty.press("Esc n");
    pty.wait_for("1 ○□□");
    pty.press("r");
    pty.wait_for("how many times?");
    pty.type_text("2");
    pty.press("Enter");
    pty.wait_for("3 of 3");
    pty.press("a");
    pty.wait_for("attempts of r1.answer.debater-0");
    at(pty, "attempts");
    pty.press("Esc R");
    pty.wait_for("complete · $0");
    pty.press("[ [ [ [ [ [ [ [ [ [ f");
    pty.wait_for("the parent stays as it was");
    pty.press("R");
    pty.wait_for("complete · $0");
    pty.press("F");
    pty.wait_for("you are here");
    at(pty, "tree");
    pty.press("Esc c");
    pty.wait_for("comparing · row 1");
    pty.wait_for("in all");
    at(pty, "compare");
    pty.press("Esc");
    pty.wait_for_no("comparing");
    pty.press("Esc");
    pty.wait_for("Recorded examples");
    pty.press("W");
    pty.wait_for("best-of-n/rubric:safety");
    at(pty, "prompts");
    // No debate was judged by it: it is looked at on sample data.
    pty.press("Enter");
    pty.wait_for("as it is used");
    pty.press("Tab");
    pty.wait_for("a made-up topic");
    pty.wait_for("You are an evaluator of safety");
    at(pty, "prompt");
    pty.quits();
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
    let counted = last.trim_end_matches(['m', 'h', 'd', 'y']);
    let is_age = last == "now" || (last != counted && counted.parse::<u32>().is_ok());
    (is_age && row.contains("  ")).then(|| last.to_owned())
}

/// Adds a line below each row that has attributes: a letter for each cell. Ages have another width
/// from day to day: what belongs to them is left out.
fn with_attributes(screen: &Screen<'_>) -> String {
    let mut shown = String::new();
    let (width, height) = screen.size();
    for row in 0..height {
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

fn at_size(width: u16, height: u16) {
    let program = Program::new();
    let mut texts = Vec::new();
    let mut pty = Pty::of(&program).size(width, height).starts(&ARGS);
    tour(&mut pty, |pty, name| {
        let text = lasting(&pty.screen());
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), text);
        texts.push((name, text));
        if name == "debate" {
            // Colours of the default theme are the terminal's own.
            assert!(
                is_somewhere(pty, "▲", vt100::Color::Idx(1)),
                "{}",
                pty.screen()
            );
            assert!(
                is_somewhere(pty, "○", vt100::Color::Idx(2)),
                "{}",
                pty.screen()
            );
        }
    });

    let program = Program::new().with("NO_COLOR", "1");
    let mut pty = Pty::of(&program).size(width, height).starts(&ARGS);
    let mut before = texts.into_iter();
    tour(&mut pty, |pty, name| {
        let (_, text) = before.next().unwrap();
        if name != "themes" {
            // Tags stand in the picker of themes alone.
            // Bars before texts of others say what colours say.
            let bare = |text: &str| -> Vec<String> {
                let lines = text.lines().map(|line| line.replace('│', " "));
                lines.map(|line| line.trim_end().to_owned()).collect()
            };
            let plain = lasting(&pty.screen());
            assert_eq!(bare(&plain), bare(&text), "{name} without colour");
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
    });
}

#[test]
fn every_main_screen_is_whole_at_80x24() {
    at_size(80, 24);
}

#[test]
fn every_main_screen_is_whole_at_120x40() {
    at_size(120, 40);
}

#[test]
fn every_main_screen_is_whole_at_200x60() {
    at_size(200, 60);
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

#[test]
fn in_a_terminal_of_ascii_alone_every_screen_is_ascii() {
    let program = Program::new().with("LANG", "C");
    let mut pty = Pty::of(&program).with("TERM", "linux").starts(&ARGS);
    let mut seen = 0;
    ascii_tour(&mut pty, |pty, name| {
        let odd: Vec<String> = pty.ask(|screen| {
            let rows = screen.rows();
            rows.into_iter().filter(|row| !row.is_ascii()).collect()
        });
        assert!(odd.is_empty(), "{name}: {odd:#?}");
        seen += 1;
    });
    assert_eq!(seen, 8);
}

/// Looks at what [`tour`] looks at, as far as it can be waited for without signs.
fn ascii_tour(pty: &mut Pty, mut look: impl FnMut(&mut Pty, &'static str)) {
    let mut at = |pty: &mut Pty, name| {
        pty.wait_for_calm();
        look(pty, name);
    };
    pty.wait_for("Recorded examples, written by people");
    at(pty, "sessions");
    pty.press("?");
    pty.wait_for("searches   Enter does it");
    at(pty, "help");
    pty.press("Esc T");
    pty.wait_for("Enter keeps");
    at(pty, "themes");
    pty.press("Esc Enter");
    pty.wait_for("recorded example - complete");
    at(pty, "debate");
    pty.press("i");
    pty.wait_for("message 1 of");
    at(pty, "inspector");
    pty.press("Esc a");
    pty.wait_for("attempts of r");
    at(pty, "attempts");
    pty.press("Esc F");
    pty.wait_for("nothing was forked from this example yet: f on the debate screen");
    at(pty, "tree");
    pty.press("Esc Esc n");
    pty.wait_for("at most ");
    at(pty, "new");
    pty.quits();
}
