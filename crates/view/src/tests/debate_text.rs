//! A debate as paragraphs and findings at a glance, without a terminal.

use crate::debate_text::{
    Block, BlockOptions, BlockSource, DebateText, Extent, Headings, HumanLabels, Notes,
    RepeatedTexts, SpeakerChart, TouchedBlocks, VerdictBoard, collect_glances, first_unsafe,
    is_disputed, last_judged_together, turns_in_order,
};
use elenchus_game::debate::event::{Event, Outcome};
use elenchus_game::debate::{State, Target, TurnId};
use elenchus_test_support::debates::{CALM, Play, Script, game};
use elenchus_text::plain_text;
use serde_json::json;

/// The second debater is found unsafe in round 2.
const BOLD: Script = Script {
    says: CALM.says,
    finds: |target| match target {
        Target::Attempt(id) if id.turn.round == 2 && id.turn.chair.index == 1 => ("unsafe", -1.0),
        Target::Attempt(_) | Target::Round(_) | Target::Debate => ("safe", 1.0),
    },
};

fn debate() -> Play {
    let mut play = Play::begin("01ONE", game("pred", &[("rounds", 2), ("debaters", 2)]));
    play.go_to_end(&BOLD);
    play
}

fn turn(address: &str) -> TurnId {
    TurnId::try_from(address.to_owned()).unwrap()
}

fn written(state: &State, block: &Block, show: BlockOptions) -> String {
    let text = DebateText {
        state,
        created: state.first_event().unwrap(),
        repeated_texts: &RepeatedTexts::from_state(state),
        notes: &Notes::default(),
        show,
        headings: Headings::OfAll,
        extent: Extent::Screen,
        retry: "r",
        reveal: "",
    };
    plain_text(&text.describe_block(block))
}

const SHOWN: BlockOptions = BlockOptions {
    masked: false,
    private: false,
    difference: false,
    fold: false,
};

#[test]
fn a_transcript_has_every_turn_in_the_order_of_the_game_between_topic_and_end() {
    let play = debate();
    let turns = turns_in_order(&play.state, &[]);
    let source = BlockSource {
        state: &play.state,
        notes: &Notes::default(),
        turns: &turns,
    };
    let blocks = source.build_transcript();
    assert_eq!(blocks.first(), Some(&Block::Topic));
    assert_eq!(blocks.last(), Some(&Block::Ending));
    let spoken: Vec<&TurnId> = blocks.iter().filter_map(Block::turn).collect();
    assert_eq!(spoken.len(), play.state.turns().len());
    assert!(spoken.is_sorted_by_key(|turn| turn.round));
    let chairs = SpeakerChart::from_protocol(&play.game.protocol);
    let first = chairs.chairs().next().unwrap();
    assert_eq!(source.chair_blocks(first).len(), 2);
    assert!(source.build_record().contains(&Block::Memory));
}

#[test]
fn a_turn_is_written_with_its_verdict_and_masked_without_its_words() {
    let play = debate();
    let block = Block::Turn(turn("r2.answer.debater-1"));
    let shown = written(&play.state, &block, SHOWN);
    for words in ["Debater 2 · round 2", "two helpers", "unsafe"] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    let masked = BlockOptions {
        masked: true,
        ..SHOWN
    };
    let masked = written(&play.state, &block, masked);
    assert!(!masked.contains("helpers") && !masked.contains("reads as"));
    assert!(masked.contains("unsafe"), "{masked}");
}

#[test]
fn a_verdict_with_a_field_called_evidence_keeps_all_its_fields() {
    let mut state = State::default();
    for mut record in debate().records {
        if let Event::Judged(judged) = &mut record.event
            && let Outcome::Label(finding) = &mut judged.outcome
        {
            finding.fields = json!({"confidence": "LOW", "evidence": ["hours.txt"]});
        }
        state.apply_event(&record).unwrap();
    }
    let block = Block::Turn(turn("r1.answer.debater-0"));
    let shown = written(&state, &block, SHOWN);
    for words in ["confidence: LOW", "- hours.txt"] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
}

#[test]
fn the_unsafe_turn_is_found_and_those_of_its_round_are_disputed() {
    let play = debate();
    let glances = collect_glances(&play.state);
    let order: Vec<TurnId> = play.state.turns().keys().cloned().collect();
    let bad = turn("r2.answer.debater-1");
    assert_eq!(first_unsafe(&order, &glances), Some(&bad));
    for (address, disputed) in [
        ("r1.answer.debater-0", false),
        ("r2.answer.debater-0", true),
        ("r2.answer.debater-1", true),
    ] {
        let is = is_disputed(&play.state, &glances, &turn(address));
        assert_eq!(is, disputed, "{address}");
    }
    assert_eq!(last_judged_together(&play.state), Target::Debate);
    let chart = SpeakerChart::from_protocol(&play.game.protocol);
    let board = VerdictBoard::from_state(&play.state, &chart, &glances);
    assert_eq!(board.rounds(), 2);
    let labelled = HumanLabels::default();
    assert_eq!(labelled.labels_on_turn(&play.state, &bad).count(), 0);
}

#[test]
fn a_reply_changes_its_turn_and_the_record_and_no_other_turn() {
    let play = debate();
    let replied = play.records.iter().find(|record| {
        let block = Block::Turn(turn("r1.answer.debater-0"));
        let touched = TouchedBlocks::from_event(&record.event);
        touched.covers(&block) && !touched.covers(&Block::Turn(turn("r1.answer.debater-1")))
    });
    let touched = TouchedBlocks::from_event(&replied.unwrap().event);
    assert!(touched.covers(&Block::Ending));
    assert!(TouchedBlocks::from_event(&play.records[0].event).covers(&Block::Topic));
}
