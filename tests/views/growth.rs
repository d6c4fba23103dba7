//! In the dialogue style a seat's conversation only grows.

use super::stage::{all_games, play};
use elenchus::debate::view::MessageRole;
use elenchus::prompt::full_text;
use std::collections::BTreeMap;

#[test]
fn every_conversation_begins_with_the_one_before_it() {
    let mut compared = 0;
    for (id, game) in all_games() {
        let mut last = BTreeMap::new();
        for shown in play(&game).0 {
            let Some(turn) = &shown.turn else { continue };
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
