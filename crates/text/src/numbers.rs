//! Numbers formatted for people, and places in a circle of choices.

/// Returns a number with a comma between thousands.
pub fn format_thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns how many of something there are, in words that fit one and many, with commas between thousands.
pub fn format_grouped_count(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        many => format!("{} {what}s", format_thousands(many as u64)),
    }
}

/// Returns the place a number of steps further in a circle of `count` places.
pub fn wrap_index(at: usize, by: isize, count: usize) -> usize {
    let to_signed = |number: usize| isize::try_from(number).unwrap_or(isize::MAX);
    let to = to_signed(at)
        .saturating_add(by)
        .rem_euclid(to_signed(count.max(1)));
    usize::try_from(to).unwrap_or(0)
}
