//! Digits of a pin as a person writes them, and the template that they pin.

/// Fewer digits could fit another text by chance.
pub const MIN_PIN_DIGITS: usize = 12;
/// Of a whole hash.
const MAX_PIN_DIGITS: usize = 64;

/// Returns the template that a pin is of; `None` where it is another protocol's.
pub fn template_of<'a>(named: &'a str, protocol: &str) -> Option<&'a str> {
    match named.split_once('/') {
        None => Some(named),
        Some((of, template)) => (of == protocol).then_some(template),
    }
}

/// Says why digits are no pin.
pub fn wrong_digits(digits: &str) -> Option<String> {
    let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let fits = (MIN_PIN_DIGITS..=MAX_PIN_DIGITS).contains(&digits.len());
    (!fits || !digits.bytes().all(hex)).then(|| {
        format!(
            "'{digits}' is no pin: a pin is the beginning of a SHA-256, {MIN_PIN_DIGITS} to \
             {MAX_PIN_DIGITS} digits of 0-9 and a-f"
        )
    })
}
