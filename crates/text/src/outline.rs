//! Outline of structured replies and findings for display. Pure.

use serde_json::Value;

/// The deepest level of an outline; deeper values are written as JSON.
const MAX_DEPTH: usize = 12;
/// Indentation of each level, in cells.
const STEP: usize = 2;

/// One line of an outline, before it is wrapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineLine {
    /// Cells before the first line of the text.
    pub indent: usize,
    /// Cells before its continuation lines where it is wrapped.
    pub hang: usize,
    pub text: String,
}

/// Returns a value as an outline: one line a field, lists with dashes, short values first.
pub fn outline_value(value: &Value) -> Vec<OutlineLine> {
    let mut lines = Vec::new();
    write_value(&mut lines, 0, "", value, 0);
    lines
}

/// Writes a value; `lead` is the text before it on its first line: a dash, a field's name, or both.
fn write_value(
    lines: &mut Vec<OutlineLine>,
    indent: usize,
    lead: &str,
    value: &Value,
    depth: usize,
) {
    let inner = if lead.is_empty() {
        indent
    } else {
        indent + STEP
    };
    match value {
        Value::Object(fields) if depth < MAX_DEPTH && !fields.is_empty() => {
            // The first field of a list's item is on the line of its dash.
            let (mut dash, level) = match lead {
                "-" => ("- ", inner),
                "" => ("", indent),
                _ => {
                    lines.push(outline_line(indent, indent, lead.to_owned()));
                    ("", inner)
                }
            };
            // Short values first, so that long ones do not separate them.
            let (long, short): (Vec<_>, Vec<_>) = fields
                .iter()
                .partition(|(_, field)| field.is_object() || field.is_array());
            for (name, field) in short.into_iter().chain(long) {
                let at = if dash.is_empty() { level } else { indent };
                write_value(lines, at, &format!("{dash}{name}:"), field, depth + 1);
                dash = "";
            }
        }
        Value::Array(items) if depth < MAX_DEPTH && !items.is_empty() => {
            if !lead.is_empty() {
                lines.push(outline_line(indent, indent, lead.to_owned()));
            }
            for item in items {
                write_value(lines, inner, "-", item, depth + 1);
            }
        }
        Value::String(text) => lines.push(outline_line(indent, inner, with_lead(lead, text))),
        Value::Array(items) if items.is_empty() => {
            lines.push(outline_line(indent, indent, with_lead(lead, "none")));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            lines.push(outline_line(
                indent,
                inner,
                with_lead(lead, &value.to_string()),
            ));
        }
    }
}

fn outline_line(indent: usize, hang: usize, text: String) -> OutlineLine {
    OutlineLine { indent, hang, text }
}

fn with_lead(lead: &str, text: &str) -> String {
    match lead {
        "" => text.to_owned(),
        lead => format!("{lead} {text}"),
    }
}
