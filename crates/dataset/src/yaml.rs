//! YAML as rows: what its core schema says, with bounds on depth and on what aliases repeat.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 64;
/// The most values of a file, those that aliases repeat included.
const MAX_VALUES: usize = 2_000_000;
/// The most bytes of texts, those that aliases repeat included.
const MAX_TEXT_BYTES: usize = 256 << 20;
/// The key under which a mapping takes what another one has.
const MERGE: &str = "<<";

/// A value of YAML; items of a list keep their lines.
#[derive(Debug)]
pub(super) struct YamlItem {
    pub line: u64,
    pub value: Value,
    /// Where the value is a list: its items with their lines; where it is a mapping: those of its lists.
    pub lists: Vec<(String, Vec<(u64, Value)>)>,
}

/// What is wrong with a file, and on which line.
#[derive(Debug)]
pub(super) struct YamlFault {
    pub line: u64,
    pub why: String,
}

/// A list or mapping that is not closed yet.
enum Open {
    List(Vec<Value>, Vec<u64>),
    Mapping(Map<String, Value>, Option<String>),
}

struct Frame {
    open: Open,
    anchor: usize,
    line: u64,
}

#[derive(Default)]
struct Builder {
    frames: Vec<Frame>,
    /// Values by the number of their anchor, with how many values and bytes they are.
    anchors: HashMap<usize, (Value, usize, usize)>,
    values: usize,
    bytes: usize,
    documents: Vec<YamlItem>,
    lists: Vec<(String, Vec<(u64, Value)>)>,
}

/// Reads the documents of a file.
///
/// # Errors
/// With the line, where the text is no YAML or is beyond the bounds.
pub(super) fn parse_yaml(text: &str) -> Result<Vec<YamlItem>, YamlFault> {
    let mut builder = Builder::default();
    let mut parser = Parser::new_from_str(text);
    let last_line = count_lines(text);
    // What is missing at the end is told of the line behind it.
    let line_in_text = |line: usize| (line as u64).clamp(1, last_line);
    loop {
        let (event, span) = match parser.next_event() {
            None => break,
            Some(Ok(read)) => read,
            Some(Err(error)) => {
                return Err(YamlFault {
                    line: line_in_text(error.marker().line()),
                    why: format!("the file is not valid YAML: {}", error.info()),
                });
            }
        };
        let line = line_in_text(span.start.line());
        let is_end = matches!(event, Event::StreamEnd);
        builder
            .add_event(event, line)
            .map_err(|why| YamlFault { line, why })?;
        if is_end {
            break;
        }
    }
    Ok(builder.documents)
}

fn count_lines(text: &str) -> u64 {
    let breaks = text.matches(['\n', '\r']).count() - text.matches("\r\n").count();
    breaks as u64 + 1
}

impl Builder {
    fn add_event(&mut self, event: Event<'_>, line: u64) -> Result<(), String> {
        match event {
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentEnd
            | Event::DocumentStart(_) => Ok(()),
            Event::Scalar(text, style, anchor, tag) => {
                self.count_values(1, text.len())?;
                let is_text = tag.is_some_and(|tag| tag.suffix == "str");
                let value = match style {
                    ScalarStyle::Plain if !is_text => parse_plain_scalar(&text),
                    _ => Value::String(text.into_owned()),
                };
                self.add_value(value, anchor, line)
            }
            Event::SequenceStart(anchor, _) => {
                self.open_frame(Open::List(Vec::new(), Vec::new()), anchor, line)
            }
            Event::MappingStart(anchor, _) => {
                self.open_frame(Open::Mapping(Map::new(), None), anchor, line)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close_frame(),
            Event::Alias(anchor) => {
                let anchor_value = self.anchors.get(&anchor);
                let Some((value, values, bytes)) = anchor_value.cloned() else {
                    return Err("an alias (`*name`) stands inside of what it names".to_owned());
                };
                self.count_values(values, bytes)?;
                self.add_value(value, 0, line)
            }
        }
    }

    fn open_frame(&mut self, open: Open, anchor: usize, line: u64) -> Result<(), String> {
        self.count_values(1, 0)?;
        if self.frames.len() >= MAX_DEPTH {
            return Err(format!("the file is nested more than {MAX_DEPTH} deep"));
        }
        self.frames.push(Frame { open, anchor, line });
        Ok(())
    }

    fn close_frame(&mut self) -> Result<(), String> {
        let Some(frame) = self.frames.pop() else {
            return Ok(());
        };
        let value = match frame.open {
            Open::List(items, lines) => {
                // The lists that rows may be taken from: a whole document, or a member of one.
                let key = match self.frames.as_slice() {
                    [] => Some(String::new()),
                    [outer] => match &outer.open {
                        Open::Mapping(_, Some(key)) => Some(key.clone()),
                        Open::Mapping(_, None) | Open::List(..) => None,
                    },
                    _ => None,
                };
                if let Some(key) = key {
                    let rows = lines.into_iter().zip(items.iter().cloned());
                    self.lists.push((key, rows.collect()));
                }
                Value::Array(items)
            }
            Open::Mapping(map, _) => Value::Object(map),
        };
        self.add_value(value, frame.anchor, frame.line)
    }

    fn add_value(&mut self, value: Value, anchor: usize, line: u64) -> Result<(), String> {
        if anchor > 0 {
            let (values, bytes) = size_of_value(&value);
            // What an anchor holds is a copy.
            self.count_values(values, bytes)?;
            self.anchors.insert(anchor, (value.clone(), values, bytes));
        }
        match self.frames.last_mut().map(|frame| &mut frame.open) {
            None => {
                let lists = std::mem::take(&mut self.lists);
                self.documents.push(YamlItem { line, value, lists });
            }
            Some(Open::List(items, lines)) => {
                items.push(value);
                lines.push(line);
            }
            Some(Open::Mapping(_, key @ None)) => {
                *key = Some(match value {
                    Value::String(text) => text,
                    Value::Null => String::new(),
                    Value::Bool(_) | Value::Number(_) => value.to_string(),
                    Value::Array(_) | Value::Object(_) => {
                        return Err("a key is a list or mapping: name keys by texts".to_owned());
                    }
                });
            }
            Some(Open::Mapping(map, key)) => {
                let key = key.take().unwrap_or_default();
                match value {
                    Value::Object(other) if key == MERGE => {
                        for (key, value) in other {
                            map.entry(key).or_insert(value);
                        }
                    }
                    value => {
                        map.insert(key, value);
                    }
                }
            }
        }
        Ok(())
    }

    fn count_values(&mut self, values: usize, bytes: usize) -> Result<(), String> {
        self.values = self.values.saturating_add(values);
        self.bytes = self.bytes.saturating_add(bytes);
        match self.values > MAX_VALUES || self.bytes > MAX_TEXT_BYTES {
            true => Err(format!(
                "the file holds more than {MAX_VALUES} values or {} MiB of text with what its aliases repeat: \
                 write it as JSON Lines",
                MAX_TEXT_BYTES >> 20
            )),
            false => Ok(()),
        }
    }
}

fn size_of_value(value: &Value) -> (usize, usize) {
    let sum = |(a, b): (usize, usize), (c, d): (usize, usize)| (a + c, b + d);
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => (1, 0),
        Value::String(text) => (1, text.len()),
        Value::Array(items) => items.iter().map(size_of_value).fold((1, 0), sum),
        Value::Object(map) => {
            let members = map.iter().map(|(key, value)| {
                let (values, bytes) = size_of_value(value);
                (values, bytes + key.len())
            });
            members.fold((1, 0), sum)
        }
    }
}

/// Returns what YAML 1.2's core schema takes an unquoted word for.
fn parse_plain_scalar(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Value::String("NaN".to_owned()),
        _ => {}
    }
    let looks_like_number = text.bytes().all(|byte| b"0123456789+-.eE".contains(&byte))
        && text.bytes().any(|byte| byte.is_ascii_digit());
    let digits = text.strip_prefix('+').unwrap_or(text);
    let number = match looks_like_number {
        true => match digits.parse::<i64>() {
            // A number with zeros before it is a name, as of a telephone.
            Ok(whole) if whole.to_string() == digits => Some(Number::from(whole)),
            Ok(_) => None,
            Err(_) => digits.parse::<f64>().ok().and_then(Number::from_f64),
        },
        false => None,
    };
    number.map_or_else(|| Value::String(text.to_owned()), Value::Number)
}
