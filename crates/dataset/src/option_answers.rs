//! Answers of multiple choice: an option's text, its letter or its number, told apart over a whole file.
//!
//! A reference is always the text of an option: nothing can be compared with a bare number or letter.

use std::collections::HashMap;

use serde_json::Value;

use super::columns::normalise_name;

/// The most columns that are options of one topic.
const MAX_OPTIONS: usize = 26;

/// Beginnings of the names of columns that hold an option each.
const STEMS: [&str; 8] = [
    "", "option", "choice", "opt", "op", "ending", "answer", "sol",
];

/// Options of a row, with the names by which an answer may mean them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct OptionList {
    pub texts: Vec<String>,
    /// The labels that the file itself gives; by default they are letters.
    pub labels: Vec<String>,
    /// The place of the right one, where the list says it.
    pub right: Option<usize>,
}

/// Returns which columns are the options of a row, in their order; none where fewer than two are.
pub(super) fn option_columns(columns: &[&str]) -> Vec<usize> {
    let places: HashMap<String, usize> = columns
        .iter()
        .enumerate()
        .rev()
        .map(|(at, column)| (normalise_name(column), at))
        .collect();
    for stem in STEMS {
        let letters = (0..MAX_OPTIONS).map(|at| option_letter(at).to_lowercase().to_string());
        let from_one = (1..=MAX_OPTIONS).map(|at| at.to_string());
        let from_zero = (0..MAX_OPTIONS).map(|at| at.to_string());
        let find_columns = |names: &mut dyn Iterator<Item = String>| -> Vec<usize> {
            names
                .map_while(|name| places.get(&format!("{stem}{name}")).copied())
                .collect()
        };
        for option_places in [
            find_columns(&mut letters.into_iter()),
            find_columns(&mut from_one.into_iter()),
            find_columns(&mut from_zero.into_iter()),
        ] {
            let digits_alone = stem.is_empty()
                && option_places
                    .first()
                    .and_then(|at| columns.get(*at))
                    .is_some_and(|name| name.trim().parse::<u64>().is_ok());
            if option_places.len() > 1 && !digits_alone {
                return option_places;
            }
        }
    }
    Vec::new()
}

/// Returns the letter of an option's place.
fn option_letter(at: usize) -> char {
    let letter = u8::try_from(at % MAX_OPTIONS).unwrap_or_default();
    char::from(b'A' + letter)
}

/// Reads options in the shapes that files use: a list of texts, a list of objects with a label and a text, or an
/// object with a list of each.
///
/// # Errors
/// What is wrong with them, as the rest of a sentence.
pub(super) fn parse_options(value: Value) -> Result<OptionList, &'static str> {
    const WANTED: &str =
        "is no list of texts: write [\"first\", \"second\"], in a cell also first|second";
    const EMPTY: &str = "holds an empty option: give it a text, or leave it out";
    let text = |value: Option<&Value>| -> Result<String, &'static str> {
        let text = match value {
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Number(number)) => super::missing_value::number_text(number),
            Some(Value::Bool(flag)) => flag.to_string(),
            Some(Value::Null) => String::new(),
            Some(Value::Array(_) | Value::Object(_)) | None => return Err(WANTED),
        };
        match text.is_empty() {
            true => Err(EMPTY),
            false => Ok(text),
        }
    };
    match value {
        Value::Null => Ok(OptionList::default()),
        Value::Array(items) => {
            let mut list = OptionList::default();
            for item in &items {
                match item {
                    Value::Object(map) => {
                        let get = |names: &[&str]| names.iter().find_map(|name| map.get(*name));
                        let own = get(&["text", "content", "value", "option", "answer"]);
                        list.texts.push(text(own)?);
                        let label = get(&["label", "key", "id", "letter"]);
                        list.labels.extend(text(label).ok());
                        let right = get(&["is_correct", "correct", "isCorrect"]);
                        if right == Some(&Value::Bool(true)) {
                            list.right = Some(list.texts.len() - 1);
                        }
                    }
                    plain => list.texts.push(text(Some(plain))?),
                }
            }
            Ok(list)
        }
        Value::Object(map) => {
            let get = |names: &[&str]| {
                let mut names = names.iter();
                names.find_map(|name| map.get(*name).and_then(Value::as_array))
            };
            let texts = get(&["text", "texts", "choices", "options"]);
            let labels = get(&["label", "labels"]);
            // {"A": "first", "B": "second"}
            let members = || map.values().map(|value| text(Some(value)));
            let Some(texts) = texts else {
                if map.len() < 2 {
                    return Err(WANTED);
                }
                // BIG-bench's scores of the texts that are keys.
                if map
                    .values()
                    .all(|value| matches!(value.as_f64(), Some(0.0 | 1.0)))
                {
                    let mut scores = map.values();
                    return Ok(OptionList {
                        texts: map.keys().cloned().collect(),
                        labels: Vec::new(),
                        right: scores.position(|score| score.as_f64() == Some(1.0)),
                    });
                }
                return Ok(OptionList {
                    texts: members().collect::<Result<_, _>>()?,
                    labels: map.keys().cloned().collect(),
                    right: None,
                });
            };
            let mut list = OptionList {
                texts: texts
                    .iter()
                    .map(|one| text(Some(one)))
                    .collect::<Result<_, _>>()?,
                ..OptionList::default()
            };
            let labels = labels.filter(|labels| labels.len() == texts.len());
            let is_mark = |label: &Value| matches!(label.as_u64(), Some(0 | 1));
            match labels {
                // TruthfulQA's targets: 1 marks the right one.
                Some(labels) if labels.iter().all(is_mark) => {
                    list.right = labels.iter().position(|label| label.as_u64() == Some(1));
                }
                Some(labels) => {
                    list.labels = labels.iter().filter_map(|l| text(Some(l)).ok()).collect()
                }
                None => {}
            }
            Ok(list)
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Err(WANTED),
    }
}

/// Reads a list that Python printed: `['a', "b"]`, `['a' 'b']` as NumPy does, and dictionaries of such.
pub(super) fn parse_python_list(text: &str) -> Option<Value> {
    let mut json = String::with_capacity(text.len() + 2);
    let mut chars = text.trim().chars().peekable();
    let mut after_text = false;
    while let Some(char) = chars.next() {
        match char {
            '\'' | '"' => {
                if after_text {
                    json.push(',');
                }
                let mut inner = String::new();
                loop {
                    match chars.next()? {
                        '\\' => match chars.next()? {
                            'n' => inner.push('\n'),
                            't' => inner.push('\t'),
                            other => inner.push(other),
                        },
                        end if end == char => break,
                        other => inner.push(other),
                    }
                }
                json.push_str(&Value::String(inner).to_string());
                after_text = true;
            }
            blank if blank.is_whitespace() => {}
            letter if letter.is_alphabetic() => {
                let mut word = letter.to_string();
                while let Some(next) = chars.next_if(|next| next.is_alphanumeric()) {
                    word.push(next);
                }
                match word.as_str() {
                    "True" | "true" => json.push_str("true"),
                    "False" | "false" => json.push_str("false"),
                    "None" | "null" => json.push_str("null"),
                    // array(['a', 'b'], dtype=object)
                    "nan" | "NaN" => json.push_str("\"NaN\""),
                    _ => return None,
                }
                after_text = false;
            }
            other => {
                json.push(other);
                after_text = false;
            }
        }
    }
    serde_json::from_str(&json).ok()
}

/// What an answer is among the options of its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptionAnswer {
    /// The option of this place.
    Option(usize),
    /// A number, whose first one only the whole file tells; whether it is also the text of an option.
    Number { number: i64, is_text: bool },
    /// None of them.
    None,
}

/// Finds the option that an answer means.
pub(super) fn find_option(answer: &str, list: &OptionList) -> OptionAnswer {
    let answer = answer.trim();
    let place_in = |texts: &[String]| {
        let same = |text: &String| text.trim().eq_ignore_ascii_case(answer);
        let exact = texts.iter().position(|text| text.trim() == answer);
        exact.or_else(|| texts.iter().position(same))
    };
    let by_label = place_in(&list.labels).filter(|at| *at < list.texts.len());
    let by_text = place_in(&list.texts);
    let number = super::missing_value::whole_text(answer.to_owned())
        .parse::<i64>()
        .ok();
    match (number, by_label, by_text) {
        (Some(_), Some(at), _) => return OptionAnswer::Option(at),
        (Some(number), None, by_text) => {
            let is_text = by_text.is_some();
            return OptionAnswer::Number { number, is_text };
        }
        (None, _, Some(at)) | (None, Some(at), None) => return OptionAnswer::Option(at),
        (None, None, None) => {}
    }
    let bare = answer.trim_matches(|c: char| "()[].: ".contains(c));
    let of_letter = |text: &str| {
        let mut chars = text.chars();
        let only = chars.next().filter(|_| chars.next().is_none())?;
        let at = (only.to_ascii_uppercase() as usize).checked_sub('A' as usize)?;
        (at < list.texts.len()).then_some(at)
    };
    let labels: Vec<&str> = list.labels.iter().map(String::as_str).collect();
    if let Some(at) = labels
        .iter()
        .position(|label| label.eq_ignore_ascii_case(bare))
    {
        return OptionAnswer::Option(at);
    }
    if let Some(at) = of_letter(bare) {
        return OptionAnswer::Option(at);
    }
    // "B. second", "(B) second", "option_b"
    let plain = normalise_name(answer);
    let suffix = STEMS
        .iter()
        .skip(1)
        .find_map(|stem| plain.strip_prefix(stem));
    if let Some(at) = suffix.and_then(of_letter) {
        return OptionAnswer::Option(at);
    }
    let begin = answer.trim_start_matches(['(', '[']);
    let mut chars = begin.chars();
    let first: String = chars.by_ref().take(1).collect();
    let rest = chars.as_str().trim_start_matches([')', ']', '.', ':', ' ']);
    let at = of_letter(&first).filter(|at| {
        let text = list.texts.get(*at);
        text.is_some_and(|text| text.trim().eq_ignore_ascii_case(rest.trim()))
    });
    at.map_or(OptionAnswer::None, OptionAnswer::Option)
}

/// A numbered answer that waits for the rest of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumberedAnswer {
    /// The place of its topic, where that is kept.
    pub topic: Option<usize>,
    pub line: u64,
    pub number: i64,
    pub options: usize,
    pub is_text: bool,
}

/// How the numbers of a file name options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbering {
    /// They are texts of options.
    Texts,
    FromZero,
    FromOne,
    /// None is 0 and none is the number of options, so both could be meant; they are read from 0.
    Unclear,
}

/// Says how the numbers of a file name options. `from_one` is said by the names of columns of their own.
pub(super) fn detect_numbering(answers: &[NumberedAnswer], from_one: bool) -> Numbering {
    let last = |answer: &NumberedAnswer| i64::try_from(answer.options).unwrap_or(i64::MAX);
    let beyond = |answer: &NumberedAnswer| answer.number < 0 || answer.number > last(answer);
    if answers.iter().all(|answer| answer.is_text)
        || answers
            .iter()
            .any(|answer| answer.is_text && beyond(answer))
    {
        return Numbering::Texts;
    }
    let has_zero = answers.iter().any(|answer| answer.number == 0);
    let has_last = answers.iter().any(|answer| answer.number == last(answer));
    match (has_zero, has_last) {
        (true, _) => Numbering::FromZero,
        (false, true) => Numbering::FromOne,
        (false, false) if from_one => Numbering::FromOne,
        (false, false) => Numbering::Unclear,
    }
}
