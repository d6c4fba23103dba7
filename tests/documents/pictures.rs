//! Pictures of the manual are those that its commands draw: made anew by the tests of the pages, and compared.
//!
//! `cargo xtask pages` draws them anew.

use super::pages::{pages, root};
use elenchus_test_support::validation::{label_all, played_by_two_games};
use std::collections::BTreeMap;
use std::path::Path;

/// Where they lie, and the folder that the commands of a page write them to.
const FOLDER: &str = "docs/pictures";
const DRAWN: &str = "pictures";
/// One that no test of a page draws, for people give the labels that it rests on.
const CORRECTED: &str = "corrected-rates.svg";
/// Bytes of all of them together, at most: they are kept with the sources.
const MAX_BYTES: usize = 200 * 1024;

/// Compares what the commands of a page drew, if they drew any, with what the manual shows.
pub fn check_pictures(work: &Path) {
    let drawn = read_pictures(&work.join(DRAWN));
    if drawn.is_empty() {
        return;
    }
    let kept_folder = root().join(FOLDER);
    if std::env::var("README_SCREENS").is_ok_and(|how| how == "write") {
        for (name, _) in read_pictures(&kept_folder)
            .iter()
            .filter(|(name, _)| *name != CORRECTED)
        {
            std::fs::remove_file(kept_folder.join(name)).unwrap();
        }
        std::fs::create_dir_all(&kept_folder).unwrap();
        for (name, picture) in &drawn {
            std::fs::write(kept_folder.join(name), picture).unwrap();
        }
    }
    let mut kept = read_pictures(&kept_folder);
    kept.remove(CORRECTED);
    let names: Vec<&String> = drawn.keys().collect();
    assert_eq!(kept.keys().collect::<Vec<_>>(), names, "{FOLDER}");
    for (name, picture) in &drawn {
        assert!(
            kept[name] == *picture,
            "{FOLDER}/{name} is drawn otherwise; 'cargo xtask pages' draws it anew"
        );
    }
}

fn read_pictures(folder: &Path) -> BTreeMap<String, String> {
    let Ok(files) = std::fs::read_dir(folder) else {
        return BTreeMap::new();
    };
    let files = files.map(|file| file.unwrap());
    files
        .map(|file| {
            let name = file.file_name().into_string().unwrap();
            (name, std::fs::read_to_string(file.path()).unwrap())
        })
        .collect()
}

#[test]
fn the_picture_of_corrected_rates_is_drawn_by_the_command_beside_it() {
    let program = played_by_two_games(30);
    label_all(&program, "ada");
    let command = "elenchus metrics --by protocol --plot corrected --evaluator-error from-labels --svg corrected-rates.svg";
    assert!(pages().iter().any(|page| page.text.contains(command)));
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    program.run_ok(&words);
    let drawn = program.read("work/corrected-rates.svg");
    let file = root().join(FOLDER).join(CORRECTED);
    if std::env::var("README_SCREENS").is_ok_and(|how| how == "write") {
        std::fs::write(&file, &drawn).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == drawn,
        "{FOLDER}/{CORRECTED} is drawn otherwise; 'cargo xtask pages' draws it anew"
    );
}

#[test]
fn every_picture_is_shown_with_words_for_it_and_says_that_it_is_simulated() {
    let pictures = read_pictures(&root().join(FOLDER));
    let prose: String = pages().iter().map(|page| page.prose()).collect();
    for (name, picture) in &pictures {
        let shown = format!("](pictures/{name})");
        let line = prose.lines().find(|line| line.contains(&shown));
        let line = line.unwrap_or_else(|| panic!("{name} is on no page"));
        let words = line
            .strip_prefix("![")
            .and_then(|line| line.split(']').next());
        let words = words.unwrap_or_default();
        assert!(
            words.len() > 40 && words.contains("simulated"),
            "{name}: {words}"
        );
        assert!(picture.contains("SIMULATED"), "{name}");
    }
    let bytes: usize = pictures.values().map(String::len).sum();
    assert!(!pictures.is_empty() && bytes < MAX_BYTES, "{bytes} bytes");
}
