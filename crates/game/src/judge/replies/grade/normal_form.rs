//! MATH's normal form: a text of mathematics without what changes its look and not its meaning.
//!
//! Signs of Unicode become commands, commands of size and space become blanks, and texts that are
//! equal in this form are equal answers.

use crate::judge::lexicon::MATH;

/// Returns the normal form of a text of mathematics.
pub(super) fn normal_form(text: &str) -> String {
    let text = replace_signs(text);
    let text = drop_commands(&text);
    let text = mark_groups(&text);
    let text = brace_arguments(&text).replace("^{\\circ}", "^\\circ");
    let text = text.replace("{:}", ":").replace("...", "\\ldots");
    let text = sign_behind_currency(&text);
    trim_delimiters(&text).to_owned()
}

/// Returns a normal form without blanks, and without braces around single signs.
pub(super) fn remove_blanks(normal: &str) -> String {
    let tight: Vec<char> = normal
        .chars()
        .filter(|c| !c.is_whitespace() && *c != GROUPING)
        .collect();
    let mut out = String::with_capacity(normal.len());
    let mut at = 0;
    while let Some(&sign) = tight.get(at) {
        match tight.get(at..at + 3) {
            Some([open, inner, close])
                if *open == '{'
                    && *close == '}'
                    && inner.is_alphanumeric()
                    && at.checked_sub(1).and_then(|before| tight.get(before)) != Some(&'\\') =>
            {
                out.push(*inner);
                at += 3;
            }
            _ => {
                out.push(sign);
                at += 1;
            }
        }
    }
    out
}

fn replace_signs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match MATH.signs.get(&sign) {
            Some(command) => out.push_str(command),
            None if sign.is_whitespace() => out.push(' '),
            None => out.push(sign),
        }
    }
    out
}

/// Replaces commands by what they mean: longer ones are other commands.
fn drop_commands(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let name = command_name(&rest[at + 1..]);
        rest = &rest[at + 1 + name.len()..];
        match MATH.commands.get(name) {
            Some(meaning) => out.push_str(meaning),
            None => {
                out.push('\\');
                out.push_str(name);
            }
        }
    }
    out.push_str(rest);
    out
}

/// Returns the letters of a command, or its one sign.
pub(super) fn command_name(after: &str) -> &str {
    let letters = after
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(after.len());
    match letters {
        0 => &after[..after.chars().next().map_or(0, char::len_utf8)],
        end => &after[..end],
    }
}

/// Moves a sign behind the currency: `-$5` is `$-5`.
fn sign_behind_currency(text: &str) -> String {
    let mut text = text.to_owned();
    for currency in ['＄', '$', '€', '£'] {
        for sign in [format!("-{currency}"), format!("- {currency}")] {
            text = text.replace(&sign, &format!("{currency}-"));
        }
    }
    text
}

/// Commands of two arguments, which may be single signs: `\frac12`.
const TWO_ARGUMENTS: [&str; 2] = ["\\frac", "\\binom"];

/// Puts braces around arguments that are single signs or commands.
fn brace_arguments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let name = command_name(&rest[at + 1..]);
        let end = at + 1 + name.len();
        out.push_str(&rest[..end]);
        let command = &rest[at..end];
        rest = &rest[end..];
        if !TWO_ARGUMENTS.contains(&command) {
            continue;
        }
        for _ in 0..2 {
            let begins = rest.trim_start();
            let argument = match begins.chars().next() {
                Some('{') => match strip_braces(begins) {
                    // What is inside may hold such commands, too.
                    Some(inner) => {
                        out.push('{');
                        out.push_str(&brace_arguments(inner));
                        out.push('}');
                        rest = &begins[inner.len() + 2..];
                        continue;
                    }
                    None => break,
                },
                Some('\\') => &begins[..1 + command_name(&begins[1..]).len()],
                Some(sign) => &begins[..sign.len_utf8()],
                None => break,
            };
            out.push('{');
            out.push_str(argument);
            out.push('}');
            rest = &begins[argument.len()..];
        }
    }
    out.push_str(rest);
    out
}

/// Mark of a comma that only groups digits, as `1{,}000` and `1,\!000` write it.
pub(super) const GROUPING: char = '\u{2063}';
/// Narrow blank, which may group digits: `1\,000`.
pub(super) const NARROW_BLANK: char = '\u{2009}';
/// Negative blank of `\!`.
const NEGATIVE_BLANK: &str = "\u{2064}";

fn mark_groups(text: &str) -> String {
    let grouping = String::from(GROUPING);
    text.replace("{,}", &grouping)
        .replace(&format!(",{NEGATIVE_BLANK}"), &grouping)
        .replace(NEGATIVE_BLANK, "")
}

/// Removes dollar signs around mathematics, marks of bold text, and a sentence's end.
fn trim_delimiters(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let pairs = [
            ("$", "$"),
            ("\\(", "\\)"),
            ("\\[", "\\]"),
            ("**", "**"),
            ("`", "`"),
        ];
        let inner = pairs.iter().find_map(|(open, close)| {
            let inner = text.strip_prefix(open)?.strip_suffix(close)?;
            (!inner.contains(open) && !inner.contains(close)).then_some(inner)
        });
        let shorter = inner.unwrap_or(text).trim();
        let shorter = shorter.trim_end_matches(['.', ',', ';']).trim_end();
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter;
    }
}

/// Returns the text between the brace at the beginning of a text and the one that closes it.
pub(super) fn strip_braces(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('{')?;
    let mut depth = 1;
    let mut after_backslash = false;
    for (at, c) in inner.char_indices() {
        match c {
            _ if after_backslash => after_backslash = false,
            '\\' => after_backslash = true,
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(&inner[..at]);
                }
            }
            _ => {}
        }
    }
    None
}
