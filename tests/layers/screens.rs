//! Screens on their own: each has messages that no other screen reads, and leaves rectangles to the kit.

use super::walk;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The workbench's files by their place in it, with their code.
fn files() -> BTreeMap<String, String> {
    let code = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text.lines();
        let code = lines.filter(|line| !line.trim_start().starts_with("//"));
        code.collect::<Vec<_>>().join("\n")
    };
    let place = |path: &PathBuf| {
        let place = path.strip_prefix("src/tui").unwrap();
        place.to_str().unwrap().to_owned()
    };
    let mut all = Vec::new();
    walk(Path::new("src/tui"), &mut all);
    all.iter().map(|path| (place(path), code(path))).collect()
}

/// The folder of the screen that a file belongs to.
fn screen_of(place: &str) -> Option<&str> {
    let (screen, _) = place.strip_prefix("screens/")?.split_once('/')?;
    Some(screen)
}

#[test]
fn rectangles_are_laid_out_by_the_kit() {
    for (place, code) in files() {
        let is_kit = ["widgets/", "popups/"];
        if is_kit.iter().any(|room| place.starts_with(room)) {
            continue;
        }
        for line in code.lines() {
            let by_hand = line.contains("Rect {") && !line.contains("-> Rect {");
            assert!(!by_hand && !line.contains("Rect::new("), "{place}: {line}");
        }
    }
}

#[test]
fn no_screen_reads_the_messages_of_another() {
    let files = files();
    let mut screens = BTreeSet::new();
    for (place, code) in &files {
        for line in code.lines() {
            let Some(message) = line.trim().strip_prefix("type Message = ") else {
                continue;
            };
            let message = message.trim_end_matches(';');
            let screen = screen_of(place).unwrap_or_else(|| panic!("{place} is no screen's"));
            screens.insert(screen.to_owned());
            let declares = |code: &str| {
                ["enum", "struct", "type"].iter().any(|word| {
                    code.contains(&format!("pub {word} {message} "))
                        || code.contains(&format!("pub(super) {word} {message} "))
                })
            };
            let own = files
                .iter()
                .any(|(other, code)| screen_of(other) == Some(screen) && declares(code));
            assert!(own, "{place}: {message} is not declared by the screen");
        }
    }
    assert!(screens.len() > 10, "{screens:?}");
    for (place, code) in &files {
        for screen in &screens {
            let reads = [
                format!("{screen}::Message"),
                format!("{screen}::update::Message"),
            ];
            let reads = reads.iter().any(|name| code.contains(name));
            assert!(
                screen_of(place) == Some(screen) || !reads,
                "{place} reads the messages of {screen}"
            );
        }
    }
}

#[test]
fn the_kit_and_components_know_no_screen() {
    for (place, code) in files() {
        let is_below = ["widgets/", "popups/", "components/", "theme/"];
        if is_below.iter().any(|room| place.starts_with(room)) {
            assert!(!code.contains("tui::screens"), "{place} knows a screen");
        }
    }
}
