//! Parser of numbers as people and models write them.

/// A number and its notation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    /// As written, without the percent sign.
    written: f64,
    percent: bool,
}

/// Largest relative difference between equal numbers.
const TOLERANCE: f64 = 1e-6;

impl Number {
    fn to_f64(self) -> f64 {
        if self.percent {
            self.written / 100.0
        } else {
            self.written
        }
    }

    /// Returns whether two numbers are equal up to a relative 10⁻⁶.
    ///
    /// `50%` equals `0.5`, and also `50`, because questions and answers often differ in the sign.
    pub(super) fn equals(self, other: Number) -> bool {
        is_close(self.to_f64(), other.to_f64())
            || (self.percent != other.percent && is_close(self.written, other.written))
    }
}

fn is_close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= TOLERANCE * a.abs().max(b.abs())
}

/// Returns the last number of a text.
///
/// Supported are signs, thousands (`1,000`), decimals, exponents (`1e-3`, `1.5 \times 10^{3}`),
/// fractions (`1/2`, `\frac{1}{2}`) and percent signs. Digits that belong to a word (`S2`) are not
/// numbers.
pub(super) fn last_number(text: &str) -> Option<Number> {
    find_numbers(text).last().map(|(number, _, _)| number)
}

/// Returns the number that a text consists of, except a currency sign and a final full stop.
pub(super) fn whole_number(text: &str) -> Option<Number> {
    let text = text.trim().trim_matches('$').trim_end_matches('.').trim();
    let mut candidates = find_numbers(text);
    let (number, start, end) = candidates.next()?;
    let before = text[..start].trim();
    let plain = before.is_empty() || matches!(before, "\\$" | "€" | "£");
    (plain && text[end..].trim().is_empty()).then_some(number)
}

/// Yields every number with the bytes it takes up.
pub(super) fn find_numbers(text: &str) -> impl Iterator<Item = (Number, usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let rest = &text[at..];
            if may_begin(text, at)
                && let Some((number, length)) = number_at(rest)
            {
                let entry = (number, at, at + length);
                at += length;
                return Some(entry);
            }
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
        None
    })
}

/// Returns whether a number may begin here: a sign after an operand is an operator, and a digit
/// inside a word or number begins nothing.
fn may_begin(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let first = text[at..].chars().next();
    match (before, first) {
        (Some(before), Some('-' | '−' | '+')) => {
            !before.is_alphanumeric() && !matches!(before, ')' | '}' | '-')
        }
        (Some(before), Some('0'..='9' | '.')) => !before.is_alphanumeric() && before != '_',
        (_, Some('-' | '−' | '+' | '.' | '\\' | '0'..='9')) => true,
        (_, Some(_) | None) => false,
    }
}

fn number_at(text: &str) -> Option<(Number, usize)> {
    let mut cursor = Cursor { text, at: 0 };
    let negative = match cursor.peek() {
        Some('-' | '−') => {
            cursor.advance();
            true
        }
        Some('+') => {
            cursor.advance();
            false
        }
        Some(_) | None => false,
    };
    let mut value = match cursor.parse_latex_fraction() {
        Some(value) => value,
        None => {
            let top = cursor.parse_decimal()?;
            cursor.parse_quotient(top).unwrap_or(top)
        }
    };
    if let Some(power) = cursor.parse_power_of_ten() {
        value *= 10f64.powi(power);
    }
    let percent = cursor.accept("\\%")
        || cursor.accept("%")
        || cursor.accept(" %")
        || cursor.accept(" percent");
    if !value.is_finite() {
        return None;
    }
    let signed_value = if negative { -value } else { value };
    Some((
        Number {
            written: signed_value,
            percent,
        },
        cursor.at,
    ))
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn advance(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn accept(&mut self, token: &str) -> bool {
        let is_next = self.rest().starts_with(token);
        if is_next {
            self.at += token.len();
        }
        is_next
    }

    fn skip_spaces(&mut self) {
        while self.peek() == Some(' ') {
            self.advance();
        }
    }

    fn take_digits(&mut self) -> String {
        let digits: String = self
            .rest()
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        self.at += digits.len();
        digits
    }

    /// `1,000.5e-3`, without a sign.
    fn parse_decimal(&mut self) -> Option<f64> {
        let start = self.at;
        let mut number = self.take_digits();
        if (1..=3).contains(&number.len()) {
            while self.is_at_thousands() {
                self.advance();
                number.push_str(&self.take_digits());
            }
        }
        let after_point = self.rest().strip_prefix('.').unwrap_or_default();
        if after_point.starts_with(|c: char| c.is_ascii_digit()) {
            self.advance();
            number.push('.');
            number.push_str(&self.take_digits());
        }
        if number.is_empty() {
            return None;
        }
        let exponent = self.rest().strip_prefix(['e', 'E']).unwrap_or_default();
        let exponent_digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if exponent_digits.starts_with(|c: char| c.is_ascii_digit()) {
            number.push('e');
            self.advance();
            if exponent.len() != exponent_digits.len() {
                if self.peek() == Some('-') {
                    number.push('-');
                }
                self.advance();
            }
            number.push_str(&self.take_digits());
        }
        let value = number.parse().ok();
        if value.is_none() {
            self.at = start;
        }
        value
    }

    /// Returns whether `,000` is next: a comma and three digits, no more.
    fn is_at_thousands(&self) -> bool {
        let group: Vec<char> = self.rest().chars().take(5).collect();
        group.first() == Some(&',')
            && group.len() >= 4
            && group[1..4].iter().all(char::is_ascii_digit)
            && !group.get(4).is_some_and(char::is_ascii_digit)
    }

    /// `/2` after a number.
    fn parse_quotient(&mut self, top: f64) -> Option<f64> {
        let start = self.at;
        self.skip_spaces();
        if self.accept("/") {
            self.skip_spaces();
            if let Some(bottom) = self.parse_decimal().filter(|bottom| *bottom != 0.0) {
                return Some(top / bottom);
            }
        }
        self.at = start;
        None
    }

    /// `\frac{1}{2}` and `\frac12`.
    fn parse_latex_fraction(&mut self) -> Option<f64> {
        let start = self.at;
        let is_fraction = ["\\frac", "\\dfrac", "\\tfrac"]
            .iter()
            .any(|name| self.accept(name));
        if is_fraction {
            let top = self.parse_latex_argument();
            let bottom = self.parse_latex_argument().filter(|bottom| *bottom != 0.0);
            if let (Some(top), Some(bottom)) = (top, bottom) {
                return Some(top / bottom);
            }
        }
        self.at = start;
        None
    }

    fn parse_latex_argument(&mut self) -> Option<f64> {
        self.skip_spaces();
        if !self.accept("{") {
            let digit = self.peek()?.to_digit(10)?;
            self.advance();
            return Some(f64::from(digit));
        }
        self.skip_spaces();
        let negative = self.accept("-");
        let value = self.parse_decimal()?;
        self.skip_spaces();
        self.accept("}")
            .then_some(if negative { -value } else { value })
    }

    /// `\times 10^{3}` after a number.
    fn parse_power_of_ten(&mut self) -> Option<i32> {
        let start = self.at;
        self.skip_spaces();
        let times = ["\\times", "\\cdot", "×", "·", "*", "x"]
            .iter()
            .any(|sign| self.accept(sign));
        self.skip_spaces();
        if times && self.accept("10^") {
            let has_brace = self.accept("{");
            let negative = self.accept("-") || self.accept("−");
            let power: Option<i32> = self.take_digits().parse().ok();
            if let Some(power) = power.filter(|_| !has_brace || self.accept("}")) {
                return Some(if negative { -power } else { power });
            }
        }
        self.at = start;
        None
    }
}
