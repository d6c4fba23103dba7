//! Prompts of lessons in a debate whose seats learn for themselves.

use crate::drafts::{PreviewPlace, PromptStage};
use crate::engine::{DebatePlan, MemoryShown};
use crate::tests::simulated::{SimulatedStore, topic};
use elenchus_game::debate::SeatId;
use elenchus_game::debate::protocol::SettingValue;
use elenchus_records::workspace::prompts::{AskedFor, PromptAt, asked_by};

#[tokio::test]
async fn the_lesson_of_each_side_is_a_place_of_its_own() {
    let store = SimulatedStore::new();
    let both = SettingValue::Text("both".to_owned());
    let plan = DebatePlan {
        settings: [("learn".to_owned(), both)].into(),
        shown: MemoryShown::Lessons,
        ..DebatePlan::new("pcd-2", topic("Why is the sea salty?"))
    };
    let session = store.played(&plan).await;
    let (state, path) = (store.state(&session), store.path(&session));
    let mut shown = Vec::new();
    for side in ["critic", "proposer"] {
        let lesson = AskedFor::Lesson(Some(SeatId::new(side)));
        assert_eq!(lesson.to_string(), format!("the lesson for {side}"));
        let (name, asked) = asked_by(&state, lesson.clone()).unwrap();
        let at = PromptAt {
            session: session.clone(),
            asked,
        };
        let stage = PromptStage::read(&path, &name, at.clone()).unwrap();
        let text = &state.first_event().unwrap().templates[&name.template];
        let preview = stage.preview_text(&store.seats, text).unwrap();
        let recorded = stage.recorded.clone().unwrap();
        assert_eq!(preview.messages, recorded.messages, "{side}");
        let place = PreviewPlace::read_or_last(
            &store.store.layout,
            &store.library,
            &name,
            Some(at.clone()),
        );
        let place = place.unwrap();
        assert_eq!(place.place(), Some(&at));
        // Both sides' lessons are asked for with one prompt.
        let other = place.neighbour(1).or(place.neighbour(-1)).unwrap();
        assert_ne!(other.asked, at.asked);
        shown.push(recorded.messages);
    }
    assert_ne!(shown[0], shown[1]);
    assert_eq!(asked_by(&state, AskedFor::Lesson(None)), None);
}
