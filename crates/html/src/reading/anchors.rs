//! Names of places within a page. Pure.

use elenchus_game::debate::TurnId;
use std::fmt::Write as _;

/// Returns the name of a debate's place, by its number from 0.
pub(super) fn debate_anchor(debate: usize) -> String {
    format!("d{}", debate + 1)
}

/// Returns the name of a turn's place; no two turns of a page have one name.
pub(super) fn turn_anchor(debate: usize, turn: &TurnId) -> String {
    let mut anchor = format!("{}-r{}-", debate_anchor(debate), turn.round);
    write_name(&mut anchor, turn.stage.as_str());
    anchor.push('-');
    write_name(&mut anchor, turn.chair.seat.as_str());
    let _ = write!(anchor, "-{}", turn.chair.index + 1);
    anchor
}

/// Writes a name in letters and digits; every other sign by its number, so that two names stay two.
fn write_name(anchor: &mut String, name: &str) {
    for sign in name.chars() {
        match sign.is_ascii_alphanumeric() {
            true => anchor.push(sign),
            // Writing to a string cannot fail.
            false => {
                let _ = write!(anchor, "_{:x}_", u32::from(sign));
            }
        }
    }
}
