//! Natural order of names: `step-9` before `step-10`.

use std::cmp::Ordering;

/// Compares two names piece by piece, runs of digits by their numbers. Total: names of equal value
/// (`7`, `07`) are ordered by their text.
pub fn compare_naturally(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (Some(x), Some(y)) = (left.chars().next(), right.chars().next()) else {
            return left.len().cmp(&right.len()).then_with(|| a.cmp(b));
        };
        let piece = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (x, rest_of_left) = split_number(left);
            let (y, rest_of_right) = split_number(right);
            (left, right) = (rest_of_left, rest_of_right);
            // Without leading zeros the longer number is the larger one, however long it is.
            x.len().cmp(&y.len()).then_with(|| x.cmp(y))
        } else {
            left = &left[x.len_utf8()..];
            right = &right[y.len_utf8()..];
            x.cmp(&y)
        };
        if piece != Ordering::Equal {
            return piece;
        }
    }
}

/// Splits off the number at the beginning, without its leading zeros.
fn split_number(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    (number.trim_start_matches('0'), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_compared_as_numbers() {
        let mut names = [
            "step-10", "step-9", "step", "b2", "step-9a", "step-010", "a10b9", "a10b10", "",
        ];
        names.sort_by(|a, b| compare_naturally(a, b));
        assert_eq!(
            names,
            [
                "", "a10b9", "a10b10", "b2", "step", "step-9", "step-9a", "step-010", "step-10"
            ]
        );
    }

    #[test]
    fn numbers_of_any_length_have_an_order() {
        let (small, large) = ("9".repeat(400), format!("1{}", "0".repeat(400)));
        assert_eq!(compare_naturally(&small, &large), Ordering::Less);
        assert_eq!(compare_naturally("x7", "x07"), Ordering::Greater);
        assert_eq!(compare_naturally("x7", "x7"), Ordering::Equal);
    }
}
