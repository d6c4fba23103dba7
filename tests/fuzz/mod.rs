//! Damaged input of every kind that somebody else may hand over: whatever it holds, it is read or
//! refused, and nothing panics. What is damaged is a fixture; how is drawn from a seed, so that every
//! run damages it alike. `ELENCHUS_FUZZ_CASES` sets the number of cases of each kind,
//! `ELENCHUS_FUZZ_SECONDS` for how long they are drawn.

mod keys;
mod packs;

use elenchus::tui::theme::parse_built_in;
use elenchus_game::debate::protocol::{ProtocolFile, Settings};
use elenchus_game::prompt::Template;
use elenchus_records::library::Library;
use elenchus_terminal::decode::Decoder;
use elenchus_test_support::damage::{Damage, DamagedJson, cases};
use elenchus_test_support::journals::chained;
use elenchus_test_support::program::Program;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Cases of each kind where nothing else is said; few enough for every run of the tests.
const CASES: u64 = 150;
/// Cases of kinds that are dear: a whole game is played on sample data, or a session read by the program.
const DEAR: u64 = 10;

fn files(folder: &str, end: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|is| is == end) {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(!files.is_empty(), "no {end} in the folder");
    files
}

fn damaged_text(damage: &mut Damage, files: &[PathBuf]) -> String {
    let original = fs::read(damage.pick(files)).unwrap();
    String::from_utf8_lossy(&damage.bytes(&original)).into_owned()
}

#[test]
fn damaged_protocols_are_read_or_refused() {
    let files = files("prompts", "toml");
    let mut read = 0;
    for mut damage in cases(CASES) {
        let text = damaged_text(&mut damage, &files);
        if let Ok(file) = ProtocolFile::parse("protocol.toml", &text) {
            read += usize::from(file.resolve_protocol(&Settings::new()).is_ok());
        }
    }
    assert!(
        read > 0,
        "every one was refused: the damage is too great to find anything"
    );
}

#[test]
fn damaged_templates_are_rendered_or_refused() {
    let library = Library::default();
    let game = library.load_game("pred", &Settings::new()).unwrap();
    let mut read = 0;
    for mut damage in cases(DEAR) {
        let name = damage.pick(&["debater", "feedback"]);
        let bytes = damage.bytes(game.templates[*name].as_bytes());
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let _ = Template::parse(name, &text);
        if let Ok(changed) = game.with_template(name, &text) {
            changed.rehearse_templates();
            read += 1;
        }
    }
    assert!(read > 0, "every one was refused");
}

#[test]
fn damaged_themes_are_read_or_refused() {
    let files = files("themes", "toml");
    let mut read = 0;
    for mut damage in cases(CASES) {
        let text = damaged_text(&mut damage, &files);
        let mut themes = parse_built_in();
        themes.add_theme("mine", "mine.toml", Ok(text));
        read += usize::from(themes.resolve_theme("mine").is_ok());
    }
    assert!(read > 0, "every one was refused");
}

#[test]
fn damaged_datasets_are_read_or_refused() {
    let all = ["csv", "json", "jsonl"].map(|end| files("tests/fixtures/datasets", end));
    let all = all.concat();
    let mut topics = 0;
    for mut damage in cases(CASES) {
        let file = damage.pick(&all).clone();
        let bytes = damage.bytes(&fs::read(&file).unwrap());
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let loaded =
            elenchus_dataset::parse_dataset(None, &name, &bytes, &|_| Ok("text".to_owned()));
        topics += loaded.topics.len();
    }
    assert!(topics > 0, "every one was refused");
}

#[test]
fn damaged_terminal_input_never_stops_the_reader() {
    let typed = b"abc\x1b[A\x1b[1;5D\x1b[200~pasted \xf0\x9f\xa6\x80\x1b[201~\x1b]11;rgb:1e/1e/1e\x07\x1bOP\
                  \x1b[<0;12;7M\x1b[<64;1;1M\x1bP>|XTerm(390)\x1b\\\xc3\xb1\x1b\x1b\x7f";
    for mut damage in cases(CASES) {
        let bytes = damage.bytes(typed);
        let mut decoder = Decoder::new();
        let mut inputs = Vec::new();
        let pieces = damage.number(1, 9);
        for piece in bytes.chunks(pieces) {
            decoder.feed(piece, &mut inputs);
            if damage.number(0, 3) == 0 {
                decoder.handle_timeout(&mut inputs);
            }
        }
        // However it was torn, time brings back the state in which a letter is a letter.
        for _ in 0..64 {
            if decoder.pending_wait().is_some() {
                decoder.handle_timeout(&mut inputs);
            }
        }
        assert!(decoder.pending_wait().is_none(), "{bytes:?}");
        inputs.clear();
        // A sequence that was cut takes the next letters for its rest, and no more.
        decoder.feed(b"qqqqqqqq", &mut inputs);
        decoder.handle_timeout(&mut inputs);
        assert!(!inputs.is_empty(), "{bytes:?}");
    }
}

/// Damages values of a journal's events, and chains its lines anew: the chain says nothing.
fn damaged_journal(damage: &mut Damage, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..damage.number(1, 3) {
        let at = damage.number(0, lines.len() - 1);
        let (head, event) = lines[at].split_once(",\"event\":").unwrap();
        let event = event.strip_suffix('}').unwrap();
        let event = damage.json(&serde_json::from_str::<DamagedJson>(event).unwrap());
        lines[at] = format!("{head},\"event\":{event}}}");
    }
    if damage.number(0, 4) == 0 && lines.len() > 1 {
        let at = damage.number(0, lines.len() - 1);
        lines.remove(at);
    }
    chained(&(lines.join("\n") + "\n"))
}

#[test]
fn sessions_with_damaged_events_and_a_whole_chain_are_listed_shown_and_checked() {
    let originals: BTreeMap<PathBuf, String> = files("sessions", "jsonl")
        .into_iter()
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect();
    let paths: Vec<&PathBuf> = originals.keys().collect();
    let mut cases = cases(DEAR).peekable();
    while cases.peek().is_some() {
        let program = Program::new();
        let folder = program.store().join("sessions");
        fs::create_dir_all(&folder).unwrap();
        let mut ids = Vec::new();
        for mut damage in cases.by_ref().take(usize::try_from(DEAR).unwrap()) {
            let path = *damage.pick(&paths);
            let id = id_of(path, ids.len());
            let old = id_of_file(path);
            let text = damaged_journal(&mut damage, &originals[path].replace(&old, &id));
            fs::write(folder.join(format!("{id}.jsonl")), text).unwrap();
            ids.push(id);
        }
        are_read_or_refused(&program, &ids);
    }
}

/// Every command that reads sessions ends by itself, with a code of its own.
fn are_read_or_refused(program: &Program, ids: &[String]) {
    let sound = |args: &[&str]| {
        let ran = program.run(args);
        assert!(
            (0..=5).contains(&ran.code),
            "{args:?}: {} {}",
            ran.code,
            ran.err
        );
        assert!(!ran.err.contains("panicked"), "{args:?}: {}", ran.err);
    };
    sound(&["ls"]);
    sound(&["verify"]);
    sound(&["metrics"]);
    for id in ids {
        sound(&["show", id, "--private"]);
        sound(&["export", id, "--format", "record"]);
    }
}

fn id_of_file(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// The id of a session with its last characters counted up.
fn id_of(path: &Path, number: usize) -> String {
    let id = id_of_file(path);
    format!("{}{number:06}", &id[..id.len() - 6])
}
