//! Wrapping of a line of text to columns of a terminal. Pure.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Breaks a line at spaces; inside a word only where the word alone is longer, after a comma if it can be. The
/// first line may have another width. At least one line.
pub fn wrap_line(line: &str, first: usize, rest: usize) -> Vec<String> {
    let (mut width, rest) = (first.max(1), rest.max(1));
    let mut lines = Vec::new();
    let mut now = String::new();
    let mut used = 0;
    let mut turn = |now: &mut String, used: &mut usize, width: &mut usize| {
        lines.push(now.trim_end().to_owned());
        now.clear();
        *used = 0;
        *width = rest;
    };
    let columns_of = |text: &str| text.trim_end_matches(' ').width();
    for word in line.split_inclusive(' ') {
        if used + columns_of(word) > width && !now.trim().is_empty() {
            turn(&mut now, &mut used, &mut width);
        }
        for piece in word.split_inclusive(',') {
            if used + columns_of(piece) > width && !now.trim().is_empty() {
                turn(&mut now, &mut used, &mut width);
            }
            for c in piece.chars() {
                let columns = c.width().unwrap_or(0);
                if used + columns > width {
                    if c == ' ' {
                        continue;
                    }
                    if used > 0 {
                        turn(&mut now, &mut used, &mut width);
                    }
                }
                now.push(c);
                used += columns;
            }
        }
    }
    turn(&mut now, &mut used, &mut width);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_breaks_at_spaces_and_a_long_word_after_commas_or_anywhere() {
        assert_eq!(wrap_line("one two three", 10, 10), ["one two", "three"]);
        assert_eq!(wrap_line("one two three", 3, 9), ["one", "two three"]);
        assert_eq!(
            wrap_line("abcdefghijklmno", 10, 10),
            ["abcdefghij", "klmno"]
        );
        assert_eq!(wrap_line("abc,defg,hijkl", 10, 10), ["abc,defg,", "hijkl"]);
        assert_eq!(wrap_line("漢字", 1, 1), ["漢", "字"]);
        assert_eq!(wrap_line("", 10, 10), [""]);
    }

    proptest! {
        #[test]
        fn wrapping_keeps_every_word_and_no_line_is_too_wide(
            line in "[a-z漢, ]{0,80}", width in 2_usize..40,
        ) {
            let lines = wrap_line(&line, width, width);
            for wrapped in &lines {
                prop_assert!(wrapped.width() <= width);
            }
            let squeezed = |text: &str| text.replace(' ', "");
            prop_assert_eq!(squeezed(&lines.concat()), squeezed(&line));
        }
    }
}
