//! Bytes for each token of a reply that comes.

use super::harness::{BegunDebate, Words};
use elenchus_test_support::Pty;

/// What a token may cost, whatever the size of the terminal.
const MOST_BYTES: usize = 50;
/// What a token may cost where a pane is scrolled under it, over the whole of a reply. At 80 columns the pane
/// moves with every fifteenth piece, so that three or four of sixty pay for it, by where the first words ended:
/// 55 or 61 bytes.
const MOST_ON_AVERAGE: usize = 64;

#[test]
fn a_token_costs_few_bytes_at_80_columns() {
    tokens_are_cheap(80, 24, 200);
}

#[test]
fn a_token_costs_few_bytes_at_120_columns() {
    tokens_are_cheap(120, 40, 150);
}

#[test]
fn a_token_costs_few_bytes_at_200_columns() {
    tokens_are_cheap(200, 60, 450);
}

fn tokens_are_cheap(width: u16, height: u16, at_first: u32) {
    let words = Words {
        at_first,
        pieces: 60,
        per_piece: 5,
    };
    let pieces = words.pieces;
    let per_piece = words.per_piece as usize;
    let last: Vec<String> = (0..pieces)
        .map(|piece| Words::word(words.last_of(piece)))
        .collect();
    let begun = BegunDebate::of(words);
    let mut pty = Pty::of(&begun.program)
        .size(width, height)
        .starts(&["open", &begun.session]);
    pty.wait_for("next");
    pty.press("n");
    pty.wait_for(&Words::word(at_first - 1));
    pty.wait_for_calm();
    let mut costs = Vec::new();
    for last in &last {
        let mark = pty.mark();
        begun.barrier.meet();
        pty.wait_for(last);
        costs.push(pty.since(mark).bytes);
    }
    // The end of the reply, for which the server waits.
    begun.barrier.meet();
    assert!(!begun.barrier.broken());
    let all: usize = costs.iter().sum();
    let in_order = costs.clone();
    costs.sort_unstable();
    let median = costs[costs.len() / 2] / per_piece;
    let mean = all / costs.len() / per_piece;
    println!("{width}x{height}: median {median}, mean {mean} bytes a token");
    assert!(median <= MOST_BYTES, "{median}: {in_order:?}");
    assert!(mean <= MOST_ON_AVERAGE, "{mean}: {in_order:?}");
}
