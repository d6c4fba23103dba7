//! Text helpers of the tables: numbers and names in a bounded width. Pure.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::figure::Unit;
use crate::visible_text::{Keep, make_visible};
use crate::wrapped_line::wrap_line;

pub(crate) fn format_count(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

/// Writes a name and a text next to it, each wrapped within its own columns.
pub(crate) fn push_name_and_text(
    out: &mut String,
    name: &str,
    text: &str,
    name_width: usize,
    width: usize,
) {
    let names = wrap_with_indent(name, name_width);
    let texts = wrap_text(text, width - name_width - 2);
    for row in 0..names.len().max(texts.len()) {
        let name = names.get(row).map_or("", String::as_str);
        let text = texts.get(row).map_or("", String::as_str);
        let gap = " ".repeat(name_width.saturating_sub(name.width()) + 2);
        push_line(out, format!("{name}{gap}{text}").trim_end());
    }
}

/// Begins the title of a section: which debates it is about.
pub(crate) fn debates_title(simulated: bool, hash_check: bool) -> String {
    let debates = match simulated {
        true => "SIMULATED debates",
        false => "debates",
    };
    let topics = match hash_check {
        true => " on topics that need a comparison of hashes",
        false => "",
    };
    format!("{debates}{topics}")
}

/// Writes a text, wrapped.
pub(crate) fn push_paragraph(out: &mut String, text: &str, width: usize) {
    for line in wrap_text(text, width) {
        push_line(out, &line);
    }
}

pub(crate) fn push_line(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

/// Formats a value with its unit, as tables show it.
pub fn format_value(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Share => format!("{} %", format_number(value, unit)),
        Unit::Milliseconds => format!("{} s", format_number(value, unit)),
        Unit::Usd => format!("${}", format_number(value, unit)),
        Unit::Multiple => format!("{} x", format_number(value, unit)),
        // A total may be checked against a bill: all digits as long as they fit.
        Unit::Count | Unit::Tokens if value.fract() == 0.0 && value.abs() < 1e9 => {
            format!("{value:.0}")
        }
        Unit::Count
        | Unit::Rounds
        | Unit::Characters
        | Unit::Reward
        | Unit::Correlation
        | Unit::Reading
        | Unit::Nats
        | Unit::Tokens => format_number(value, unit),
    }
}

pub(crate) fn format_number(value: f64, unit: Unit) -> String {
    let text = match unit {
        Unit::Share => format!("{:.1}", 100.0 * value),
        Unit::Milliseconds => format_compact(value / 1000.0, 2),
        Unit::Usd => format_compact(value, 4),
        Unit::Count | Unit::Tokens | Unit::Characters => format_compact(value, 1),
        Unit::Rounds
        | Unit::Reward
        | Unit::Correlation
        | Unit::Multiple
        | Unit::Reading
        | Unit::Nats => format_compact(value, 2),
    };
    // A rounded −0.00 is no negative number.
    if text.starts_with('-') && text.chars().all(|c| "-0.".contains(c)) {
        text[1..].to_owned()
    } else {
        text
    }
}

/// Formats at most seven characters: fewer decimals for larger numbers, and powers of ten for the
/// largest.
pub(crate) fn format_compact(value: f64, decimals: usize) -> String {
    let decimals = match value.abs() {
        size if size < 10.0 => decimals,
        size if size < 1000.0 => decimals.min(2),
        _ => 0,
    };
    if value.abs() < 1e5 {
        format!("{value:.decimals$}")
    } else {
        format!("{value:.1e}")
    }
}

/// Makes control characters and hidden ones visible.
pub(crate) fn escape_hidden(text: &str) -> String {
    make_visible(text, Keep::Nothing).into_owned()
}

/// Breaks a text into lines of at most `width` columns; blanks before it are left out.
pub(crate) fn wrap_text(text: &str, width: usize) -> Vec<String> {
    wrap_line(text.trim_start_matches(' '), width, width)
}

/// Wraps as [`wrap_text`] does, with continuation lines indented by two and a free column at the end; blanks before
/// the text indent all lines.
pub(super) fn wrap_with_indent(text: &str, width: usize) -> Vec<String> {
    let content = text.trim_start();
    let indent = text.len() - content.len();
    let lines = wrap_text(content, width.saturating_sub(3 + indent));
    let indent_line = |(index, line): (usize, String)| {
        let blanks = if index == 0 { indent } else { indent + 2 };
        format!("{}{line}", " ".repeat(blanks))
    };
    lines.into_iter().enumerate().map(indent_line).collect()
}

/// Returns text in exactly `width` terminal columns, the last of which is free: padded, or
/// truncated with a mark.
pub(crate) fn clip_to_width(text: &str, width: usize) -> String {
    let room = width.saturating_sub(1);
    let mut clipped_text = String::new();
    let mut used = 0;
    if text.width() <= room {
        clipped_text.push_str(text);
        used = text.width();
    } else {
        for c in text.chars() {
            let columns = c.width().unwrap_or(0);
            if used + columns + 1 > room {
                break;
            }
            clipped_text.push(c);
            used += columns;
        }
        clipped_text.push('…');
        used += 1;
    }
    clipped_text + &" ".repeat(width.saturating_sub(used))
}
