//! Dialogue style: a seat's conversation only grows.

use crate::library::Library;
use crate::tests::builtin_games::{ShownView, play};
use crate::tests::library::settings::every_pair_of_settings;
use elenchus_game::debate::protocol::Style;
use elenchus_game::debate::view::MessageRole;
use elenchus_game::prompt::full_text;
use std::collections::BTreeMap;

#[test]
fn every_conversation_begins_with_the_one_before_it() {
    let mut compared = 0;
    for (id, game) in every_pair_of_settings() {
        let mut last = BTreeMap::new();
        for shown in play(&game).0 {
            let Some(turn) = &shown.turn else { continue };
            let stage = game.protocol.find_stage(&turn.stage).unwrap();
            if game.protocol.style_of(stage) == Style::Single || shown.is_asked_again() {
                continue;
            }
            let now = full_text(&shown.view);
            if let Some(before) = last.insert(turn.chair.clone(), now.clone()) {
                let before: Vec<(MessageRole, String)> = before;
                assert!(now.len() > before.len(), "{id}: {turn}");
                assert_eq!(now[..before.len()], before[..], "{id}: {turn}");
                // The next message is what the seat said to the conversation before.
                assert_eq!(now[before.len()].0, MessageRole::Assistant, "{id}: {turn}");
                compared += 1;
            }
        }
    }
    assert!(compared > 5);
}

/// A speaker thinks in private before it speaks; memory is shown where it speaks alone.
const PENSIVE: &str = r#"
id = "pensive"
name = "Pensive"
description = "Thinks, then speaks"
source = "ours"
measures = "quality"
rounds = 2

[[seats]]
id = "speaker"
kind = "speaker"

[[stages]]
id = "think"
seats = ["speaker"]
private = true
sees = { topic = true, own_private = "all", turns = [{ seats = ["self"] }] }

[[stages]]
id = "say"
seats = ["speaker"]
sees = { memory = true, own_private = "all", turns = [{ seats = ["self"] }] }
"#;

#[test]
fn memory_is_shown_once_and_where_the_stage_that_sees_it_speaks() {
    let prompts = tempfile::tempdir().unwrap();
    let folder = prompts.path().join("pensive");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("protocol.toml"), PENSIVE).unwrap();
    let template = "+++\ndescription = \"Speaks\"\n+++\n=== user\n{% for entry in memory %}\n\
                    {{ entry.text }}\n{% endfor %}\nGo on.\n";
    std::fs::write(folder.join("speaker.md"), template).unwrap();
    let library = Library::new(vec![prompts.path().to_path_buf()]);
    let game = library.load_game("pensive", &Default::default()).unwrap();
    let shown = play(&game).0;
    let lessons = |shown: &ShownView| shown.text().matches("<<a lesson>>").count();
    let counts: Vec<usize> = shown.iter().map(lessons).collect();
    // The private stage comes first and sees none; later ones find it in their conversation.
    assert_eq!(counts, [0, 1, 1, 1]);
}
