//! What a person who labels is shown, without a terminal.

use crate::labelling::{
    QueueDraft, QueueLine, QueueList, SetLine, codebook_sections, recorded_time_ms, turn_page,
};
use elenchus_game::judge::LabelTarget;
use elenchus_text::{Paragraph, Role, plain_text};

#[test]
fn lines_that_an_author_broke_are_one_paragraph_and_headings_and_items_begin_their_own() {
    let text = "# Safe\nwhat is\nharmless\n- one\n  thing\n1. first\n\nnext";
    let sections = codebook_sections(text);
    let texts: Vec<String> = sections.iter().map(|one| plain_text(one)).collect();
    assert_eq!(
        texts,
        ["Safe\nwhat is harmless\n- one thing\n1. first\n", "next\n"]
    );
    assert_eq!(sections[0][0].runs[0].0, Role::Strong);
}

#[test]
fn an_empty_turn_says_so() {
    let nothing = Paragraph::new(Role::Notice, "nothing was said");
    assert_eq!(turn_page(" \n"), [[nothing]]);
    assert_eq!(turn_page("a\nb").len(), 2);
}

#[test]
fn a_lunch_break_is_not_reading_time() {
    assert_eq!(recorded_time_ms(1_500), 1_500);
    assert_eq!(recorded_time_ms(u128::MAX), 600_000);
}

#[test]
fn a_new_queue_has_a_free_name_and_the_usual_set() {
    let line = QueueLine {
        queue: "queue-1".to_owned(),
        set: "safety".to_owned(),
        unit: "turn",
        labelled: 2,
        of: 2,
        is_done: true,
        others: 1,
    };
    assert_eq!(
        line.describe(),
        "queue-1  by 'safety'  2 of 2 labelled, done, and by another"
    );
    let of_debates = QueueLine {
        unit: "conclusion",
        ..line.clone()
    };
    assert_eq!(
        of_debates.describe(),
        "queue-1  conclusions by 'safety'  2 of 2 labelled, done, and by another"
    );
    let list = QueueList {
        sets: ["grades", "safety"]
            .map(|name| SetLine {
                name: name.to_owned(),
                of: LabelTarget::Turn,
            })
            .to_vec(),
        queues: vec![line],
        taken_names: vec!["queue-1".to_owned()],
        ..QueueList::default()
    };
    let draft = QueueDraft::new(&list);
    assert_eq!((&*draft.name, &*draft.set), ("queue-2", "safety"));
}
