//! Hostile text of models and terminals never acts and never breaks a border.

use elenchus_test_support::duo::{begin_debate, duo_program};
use elenchus_test_support::{Answer, ChatServer, Pty};

/// Escapes that would act, marks that would turn lines round, and characters of every width.
const HOSTILE: &str = "\u{1b}[2J\u{1b}[1;1HGOTCHA \u{1b}]52;c;aGFja2Vk\u{7}\u{1b}]0;owned\u{7}\
    \u{202e}reversed\u{202c} \u{2066}isolated\u{2069} \u{200f}rtl \u{9b}31mred\u{9d}8;;x\u{9c} \
    漢字仮名交じり文を長く続けて折り返す漢字仮名交じり文 e\u{301}e\u{301}\u{302}\u{303} \
    👩\u{200d}👩\u{200d}👧 👍🏽 🇩🇪 ❤\u{fe0f} ﷽ \u{1b}Pq\u{1b}\\ \u{8}\u{8}\u{8} \r over\ttab \u{7f} end.";

/// Returns the columns in which a row has vertical borders.
fn borders(row: &str) -> Vec<usize> {
    let mut column = 0;
    let mut found = Vec::new();
    for c in row.chars() {
        if "│┃".contains(c) {
            found.push(column);
        }
        column += unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
    }
    found
}

/// Returns the cells of the terminal that hold vertical borders, row by row.
fn border_cells(pty: &Pty, row: u16) -> Vec<u16> {
    pty.ask(|screen| {
        let columns = 0..screen.size().0;
        columns
            .filter(|column| ["│", "┃"].contains(&&*screen.cell(row, *column).text))
            .collect()
    })
}

fn hostile() -> ChatServer {
    ChatServer::start(|_| Answer::deltas([serde_json::json!({ "content": HOSTILE })]))
}

#[test]
fn a_hostile_reply_acts_on_nothing_and_breaks_no_border() {
    let server = hostile();
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("o");
    pty.wait_for("1 ··");
    pty.wait_for("GOTCHA");
    pty.wait_for_calm();
    let straight = |pty: &Pty| {
        let expected = border_cells(pty, 3);
        assert!(expected.len() >= 4, "{}", pty.screen());
        // The panes of the speakers go down the whole screen.
        let panes: Vec<u16> = expected.into_iter().take(4).collect();
        for row in 3..30 {
            let found: Vec<u16> = border_cells(pty, row).into_iter().take(4).collect();
            assert_eq!(found, panes, "row {row}\n{}", pty.screen());
        }
    };
    straight(&pty);
    assert!(pty.clipboard().is_empty());
    let output = pty.output();
    let has = |bytes: &[u8]| output.windows(bytes.len()).any(|at| at == bytes);
    assert!(!has(b"\x1b]0;owned") && !has(b"\x1b]52;") && !has(b"\x1b]8;"));
    assert!(!has("\u{202e}".as_bytes()) && !has("\u{9b}".as_bytes()));

    // Sizes change quicker than frames are drawn; the last one is drawn.
    for step in 0..50_u16 {
        pty.resize(70 + (step * 13) % 90, 18 + (step * 7) % 30);
    }
    pty.resize(120, 40);
    pty.wait_for_calm();
    pty.wait_for("GOTCHA");
    straight(&pty);

    pty.resize(60, 14);
    pty.wait_for("elenchus needs 60×15 cells; this is 60×14");
    pty.resize(120, 40);
    pty.wait_for("GOTCHA");
    pty.wait_for_calm();
    straight(&pty);
    pty.quits();
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_paste_of_a_megabyte_is_text_and_fires_nothing() {
    let server = hostile();
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    begin_debate(&mut pty, |_| {});

    // No byte of a key is a command; `torn` tears keys apart, where the link leaves time for it.
    let before = pty.screen();
    pty.send(b"\x1b[A\x1bOB\x1b[1;5C\x1b[5~");
    // A paste outside of an editor fires no command, whatever stands in it.
    pty.paste("nnnnRRqqq\nxfo");
    pty.wait_for("nothing takes text here");
    assert_eq!(server.requests().len(), 0);
    assert_eq!(program.sessions().len(), 1);
    let rows = |screen: &str| {
        screen
            .lines()
            .take(20)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(&before), rows(&pty.screen()));

    pty.press("t");
    pty.wait_for("speak for Speaker 1, round 1 answer");
    let line = "naïve 漢字 q n R \u{1b}[A x\n";
    pty.paste(&line.repeat(1_000_000 / line.len()));
    pty.wait_for("the editor is full");
    pty.wait_for("bytes were left out");
    assert_eq!(server.requests().len(), 0);
    let wide = pty.ask(|screen| screen.rows());
    let edges: Vec<_> = wide.iter().filter(|row| row.starts_with('┃')).collect();
    assert!(edges.len() > 5, "{wide:#?}");
    for row in edges {
        assert_eq!(borders(row).first(), Some(&0));
        assert_eq!(borders(row).last(), Some(&99), "{row}");
    }
    pty.press("Ctrl-D");
    pty.wait_for("1 ·□");
    pty.quits();
    let events = program.events(&program.sessions()[0]);
    let replied = events
        .iter()
        .find(|event| event["type"] == "replied")
        .unwrap();
    let kept = replied["reply"]["text"].as_str().unwrap();
    assert!(kept.len() > 100_000, "{}", kept.len());
    assert!(kept.starts_with("naïve 漢字 q n R "));
}
