//! Notes on what servers did with the calls of debates.

use super::{judged, quick};
use crate::{ServedRow, compute_report};

fn served(model: &str, calls: u64, asked: &[(&str, u64)], short_reads: u64) -> ServedRow {
    ServedRow {
        model: model.to_owned(),
        calls,
        asked_otherwise: asked
            .iter()
            .map(|(what, calls)| ((*what).to_owned(), *calls))
            .collect(),
        short_reads,
        unread_share: 0.75,
        out_of_tokens: 0,
    }
}

fn notes(of: [Vec<ServedRow>; 2]) -> Vec<String> {
    let mut rows = vec![judged("a", &["S"]), judged("b", &["S"])];
    for (row, served) in rows.iter_mut().zip(of) {
        row.served = served;
    }
    compute_report(&rows, &quick())
        .unwrap()
        .sections
        .remove(0)
        .notes
}

#[test]
fn the_share_of_calls_that_were_asked_otherwise_is_said_by_model() {
    let said = notes([
        vec![
            served("ada", 4, &[("no seed", 4)], 0),
            served("ben", 9, &[], 0),
        ],
        vec![served("ada", 6, &[("no seed", 6), ("another limit", 1)], 0)],
    ]);
    let said: Vec<&String> = said
        .iter()
        .filter(|note| note.contains("otherwise"))
        .collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("ada") && said[0].ends_with(": another limit (1 of 10), no seed"),
        "{said:?}"
    );
}

#[test]
fn a_server_that_reads_less_than_was_sent_twice_is_named_and_one_count_is_not() {
    let once = notes([vec![served("ada", 4, &[], 1)], Vec::new()]);
    assert!(
        !once.iter().any(|note| note.contains("far fewer tokens")),
        "{once:?}"
    );
    let twice = notes([
        vec![served("ada", 4, &[], 1)],
        vec![served("ada", 5, &[], 1)],
    ]);
    let expected =
        "the server of ada read far fewer tokens than were sent in 2 of 9 calls (up to 75 %";
    assert!(
        twice.iter().any(|note| note.starts_with(expected)),
        "{twice:?}"
    );
}

#[test]
fn replies_that_spent_their_limit_on_reasoning_are_counted_with_the_setting() {
    let mut row = served("ada", 4, &[], 0);
    row.out_of_tokens = 3;
    let said = notes([vec![row], Vec::new()]);
    let expected =
        "3 of 4 replies of ada spent their token limit before a visible word: raise max_tokens";
    assert!(said.iter().any(|note| note == expected), "{said:?}");
}
