//! What a seat was shown, as data and as text, without a terminal.

use crate::seat_view::{OriginKind, ViewOptions, views_of_turn, views_of_verdicts};
use elenchus_game::debate::TurnId;
use elenchus_test_support::debates::{CALM, Play, game};
use elenchus_text::Content;

fn debate() -> Play {
    let mut play = Play::begin("01ONE", game("pred", &[("rounds", 2), ("debaters", 2)]));
    play.go_to_end(&CALM);
    play
}

#[test]
fn every_part_of_a_view_says_where_it_comes_from() {
    let play = debate();
    let turn = TurnId::try_from("r2.answer.debater-0".to_owned()).unwrap();
    let views = views_of_turn(&play.state, &turn);
    let [view] = views.as_slice() else {
        panic!("{} views", views.len());
    };
    assert!(view.total_tokens() > 20 && view.nothing.is_none());
    let kinds: Vec<OriginKind> = (0..view.messages.len())
        .flat_map(|at| view.messages.parts(at))
        .map(|part| view.origins.part_origin(&part.from).kind)
        .collect();
    for kind in [OriginKind::Topic, OriginKind::Peer, OriginKind::Own] {
        assert!(kinds.contains(&kind), "{kind:?} in {kinds:?}");
    }
    let text = |content| {
        let private = false;
        view.full_text(ViewOptions { content, private })
    };
    assert!(text(Content::Shown).contains("[the topic]\nShould the town library"));
    assert!(!text(Content::Masked).contains("library"));
}

#[test]
fn the_view_of_a_verdict_is_found_by_its_slot() {
    let play = debate();
    let (judging, target, by_slot) = play.state.verdicts().next().unwrap();
    let slot = by_slot.keys().next().copied();
    let (views, at) = views_of_verdicts(&play.state, judging, target, slot);
    let facts = &views[at].facts;
    let found = facts.iter().flat_map(|line| &line.runs);
    assert!(
        found
            .map(|(_, text)| text)
            .any(|text| text == "found: safe")
    );
}
