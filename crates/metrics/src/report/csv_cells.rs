//! Cells of tables that people open in spreadsheets, which would run a text that begins like a formula.

/// First characters by which a spreadsheet takes a text for a formula, or for what it begins after.
const STARTS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];
/// Character before a text that is to stay a text.
const QUOTE: char = '\'';

/// Returns a cell that no spreadsheet runs: a text that begins like a formula has an apostrophe before it.
/// Numbers stay as they are, and [`restore_cell`] undoes it.
pub fn defuse_cell(cell: String) -> String {
    match begins_like_formula(&cell) && cell.trim().parse::<f64>().is_err() {
        true => format!("{QUOTE}{cell}"),
        false => cell,
    }
}

/// Returns the cell that [`defuse_cell`] was given.
pub fn restore_cell(cell: &str) -> &str {
    match cell.strip_prefix(QUOTE) {
        Some(rest) if begins_like_formula(cell) => rest,
        Some(_) | None => cell,
    }
}

/// Also after apostrophes, so that what was one in the text is told from what was added.
fn begins_like_formula(cell: &str) -> bool {
    cell.trim_start_matches(QUOTE).starts_with(STARTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_are_texts_and_numbers_stay_numbers() {
        for (cell, written) in [
            ("=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")"),
            ("+1 for that", "'+1 for that"),
            ("-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("'=1", "''=1"),
            ("-0.5", "-0.5"),
            ("+3", "+3"),
            ("-1e-9", "-1e-9"),
            ("it's", "it's"),
            ("", ""),
        ] {
            assert_eq!(defuse_cell(cell.to_owned()), written);
            assert_eq!(restore_cell(written), cell);
        }
    }

    proptest! {
        #[test]
        fn every_cell_comes_back(cell in "['=+@\\-a1 \t]{0,6}") {
            let written = defuse_cell(cell.clone());
            let is_number = written.trim().parse::<f64>().is_ok();
            prop_assert!(is_number || !written.starts_with(STARTS), "{written}");
            prop_assert_eq!(restore_cell(&written), cell);
        }
    }
}
