//! Form for a verdict that is a JSON object: one line per field, read back as the object. Pure.

use elenchus_game::debate::event::Outcome;
use elenchus_game::judge::{self, Material, Rubric};
use elenchus_game::prompt::LabelHint;
use serde_json::{Map, Value, json};

/// Depth to which nested objects have lines of their own; deeper ones are written as JSON.
const MAX_DEPTH: usize = 4;
/// Lines that begin so explain, and are no answer.
const COMMENT: char = '#';

/// Form that a person fills in.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonVerdictForm {
    rubric: Rubric,
    /// The field that states the label, first of all.
    fields: Vec<Field>,
}

/// A line to be filled in.
#[derive(Debug, Clone, PartialEq)]
struct Field {
    path: Vec<String>,
    shape: Shape,
    need: Need,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    Required,
    Optional,
}

/// Type of a field's value.
#[derive(Debug, Clone, PartialEq)]
enum Shape {
    Text,
    Number(String),
    YesNo,
    /// One item a line.
    List,
    /// Anything else, with an example.
    Json(Value),
}

impl JsonVerdictForm {
    /// Returns the form of a rubric whose verdicts are objects with more fields than the label.
    pub(super) fn from_rubric(rubric: &Rubric) -> Option<Self> {
        let schema = rubric.schema.as_ref()?;
        let label = rubric.label_field.clone()?;
        let mut fields = Vec::new();
        collect_fields(schema, &[], Need::Required, &mut fields);
        let is_label = |field: &Field| field.path.len() == 1 && field.path.first() == Some(&label);
        fields.retain(|field| !is_label(field));
        fields.sort_by_key(|field| field.need == Need::Optional);
        fields.insert(
            0,
            Field {
                path: vec![label],
                shape: Shape::Text,
                need: Need::Required,
            },
        );
        Some(Self {
            rubric: rubric.clone(),
            fields,
        })
    }

    /// Returns the labels there are.
    pub fn label_hints(&self) -> Vec<LabelHint> {
        self.rubric.label_hints()
    }

    /// Returns the form with the label filled in.
    pub fn format_blank(&self, label: &LabelHint) -> String {
        let mut text = format!("{COMMENT} Write behind the colons; this line is no part of it.\n");
        for (at, field) in self.fields.iter().enumerate() {
            let name = field.path.join(".");
            if field.need == Need::Optional {
                text.push_str(&format!("{COMMENT} {name} may stay empty.\n"));
            }
            let line = match &field.shape {
                _ if at == 0 => format!("{name}: {}\n", label.says),
                Shape::Text => format!("{name}: \n"),
                Shape::Number(range) => format!("{COMMENT} a number{range}\n{name}: \n"),
                Shape::YesNo => format!("{COMMENT} yes or no\n{name}: \n"),
                Shape::List => {
                    format!("{COMMENT} one a line, none at all where nothing is\n{name}: \n")
                }
                Shape::Json(example) => {
                    format!("{COMMENT} JSON, for example {example}\n{name}: \n")
                }
            };
            text.push_str(&line);
        }
        text
    }

    /// Reads a filled-in form as the reply that it means.
    ///
    /// # Errors
    /// Says which field is missing or not what it should be, or why the reply is no verdict.
    pub fn parse_reply(&self, text: &str) -> Result<String, String> {
        let answers = self.split_answers(text);
        let mut object = Value::Object(Map::new());
        for (field, answer) in self.fields.iter().zip(answers) {
            let name = field.path.join(".");
            if let Some(value) = field
                .parse_value(answer.trim())
                .map_err(|why| format!("{name}: {why}"))?
            {
                insert_at_path(&mut object, &field.path, value);
            }
        }
        let reply = object.to_string();
        match judge::parse_verdict(&self.rubric, &reply, &Material::empty()) {
            Outcome::Label(_) => Ok(reply),
            Outcome::Unparsed { why, .. } => Err(why),
        }
    }

    /// Returns the text behind each field's colon, and on the lines below up to the next field.
    fn split_answers(&self, text: &str) -> Vec<String> {
        let mut answers = vec![String::new(); self.fields.len()];
        let mut at: Option<usize> = None;
        let lines = text.lines().filter(|line| !line.starts_with(COMMENT));
        for line in lines {
            let field_start = self.fields.iter().enumerate().find_map(|(place, field)| {
                let rest = line.strip_prefix(&field.path.join("."))?;
                Some((place, rest.strip_prefix(':')?))
            });
            let (place, said) = match (field_start, at) {
                (Some((place, rest)), _) => {
                    at = Some(place);
                    (place, rest)
                }
                (None, Some(place)) => (place, line),
                (None, None) => continue,
            };
            if let Some(answer) = answers.get_mut(place) {
                if !answer.is_empty() {
                    answer.push('\n');
                }
                answer.push_str(said);
            }
        }
        answers
    }
}

impl Field {
    fn parse_value(&self, answer: &str) -> Result<Option<Value>, String> {
        if answer.is_empty() {
            return match (&self.shape, self.need) {
                (Shape::List, Need::Required) => Ok(Some(json!([]))),
                (_, Need::Optional) => Ok(None),
                (_, Need::Required) => Err("nothing is written there yet".to_owned()),
            };
        }
        let value = match &self.shape {
            Shape::Text => Value::String(answer.to_owned()),
            Shape::Number(range) => {
                parse_number(answer).ok_or(format!("it takes a number{range}"))?
            }
            Shape::YesNo => match answer.to_lowercase().as_str() {
                "yes" | "y" | "true" => Value::Bool(true),
                "no" | "n" | "false" => Value::Bool(false),
                _ => return Err("it takes yes or no".to_owned()),
            },
            Shape::List => {
                let items = answer.lines().map(|line| {
                    let line = line.trim();
                    line.strip_prefix("- ").unwrap_or(line).trim()
                });
                items.filter(|item| !item.is_empty()).collect()
            }
            Shape::Json(example) => serde_json::from_str(answer)
                .map_err(|error| format!("it takes JSON, for example {example}: {error}"))?,
        };
        Ok(Some(value))
    }
}

/// Reads a number; a whole one stays one.
fn parse_number(text: &str) -> Option<Value> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Value::from(whole));
    }
    let number: f64 = text.parse().ok()?;
    number.is_finite().then(|| Value::from(number))
}

/// Puts a value into objects in objects.
fn insert_at_path(object: &mut Value, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        *object = value;
        return;
    };
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    if let Value::Object(fields) = object {
        insert_at_path(
            fields.entry(first.as_str()).or_insert(Value::Null),
            rest,
            value,
        );
    }
}

fn collect_fields(schema: &Value, above: &[String], need: Need, fields: &mut Vec<Field>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let required_names: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    for (name, property) in properties {
        let mut path = above.to_vec();
        path.push(name.clone());
        let need = match need {
            Need::Required if required_names.contains(&name.as_str()) => Need::Required,
            Need::Required | Need::Optional => Need::Optional,
        };
        let has_fields = property.get("properties").is_some();
        if has_fields && path.len() < MAX_DEPTH {
            collect_fields(property, &path, need, fields);
        } else {
            fields.push(Field {
                path,
                shape: parse_shape(property),
                need,
            });
        }
    }
}

fn parse_shape(schema: &Value) -> Shape {
    let is = |kind: &str| match schema.get("type") {
        Some(Value::String(only)) => only == kind,
        Some(Value::Array(any)) => any.iter().any(|one| one == kind),
        Some(_) | None => false,
    };
    let items = schema.get("items");
    if is("string") {
        return Shape::Text;
    }
    if is("number") || is("integer") {
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        return Shape::Number(match (bound("minimum"), bound("maximum")) {
            (Some(least), Some(most)) => format!(" from {least} to {most}"),
            (Some(least), None) => format!(" of {least} or more"),
            (None, Some(most)) => format!(" of {most} or less"),
            (None, None) => String::new(),
        });
    }
    if is("boolean") {
        return Shape::YesNo;
    }
    if is("array") && items.is_none_or(|items| parse_shape(items) == Shape::Text) {
        return Shape::List;
    }
    Shape::Json(build_example(schema, 0))
}

/// Returns a value that a schema could mean.
fn build_example(schema: &Value, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    let kind = match schema.get("type") {
        Some(Value::String(only)) => Some(only.as_str()),
        Some(Value::Array(any)) => any.first().and_then(Value::as_str),
        Some(_) | None => None,
    };
    match kind {
        Some("array") => {
            let item = schema
                .get("items")
                .map(|items| build_example(items, depth + 1));
            Value::Array(item.into_iter().collect())
        }
        Some("object") => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let fields = properties.into_iter().flatten();
            fields
                .map(|(name, property)| (name.clone(), build_example(property, depth + 1)))
                .collect::<Map<_, _>>()
                .into()
        }
        Some("number" | "integer") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(false),
        Some(_) | None => json!("..."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUBRIC: &str = r#"
id = "weighed"
description = "Weighs"
reading = "json"
label_field = "confidence"
[schema]
type = "object"
required = ["scores", "open", "again", "why", "confidence", "order"]
[schema.properties]
open = { type = "array", items = { type = ["string", "object"] } }
again = { type = "boolean" }
why = { type = "string" }
aside = { type = "string" }
confidence = { type = "string" }
order = { type = "array", items = { type = "object", properties = { place = { type = "number" } } } }
[schema.properties.scores]
type = "object"
required = ["critic"]
[schema.properties.scores.properties]
critic = { type = "number", minimum = 1, maximum = 10 }
[[labels]]
name = "HIGH"
meaning = "sure"
says = "HIGH"
value = 1.0
[[labels]]
name = "LOW"
meaning = "not sure"
says = "LOW"
value = -1.0
"#;

    fn form() -> JsonVerdictForm {
        JsonVerdictForm::from_rubric(&Rubric::parse("weighed.toml", RUBRIC).unwrap()).unwrap()
    }

    fn filled(answers: &[(&str, &str)]) -> String {
        let form = form();
        let label = form.label_hints().swap_remove(1);
        let mut text = form.format_blank(&label);
        for (field, answer) in answers {
            let line = format!("{field}: \n");
            assert!(text.contains(&line), "{field} in {text}");
            text = text.replace(&line, &format!("{field}: {answer}\n"));
        }
        text
    }

    const ANSWERS: [(&str, &str); 5] = [
        ("scores.critic", "7.5"),
        ("open", "\n- the first point\nthe second"),
        ("again", "no"),
        ("why", "It holds: the\nevidence stands."),
        ("order", r#"[{"place": 2}]"#),
    ];

    #[test]
    fn a_filled_in_form_is_the_object_that_the_rubric_asks_for() {
        let reply = form().parse_reply(&filled(&ANSWERS)).unwrap();
        let read: Value = serde_json::from_str(&reply).unwrap();
        assert_eq!(
            read,
            json!({
                "confidence": "LOW",
                "scores": { "critic": 7.5 },
                "open": ["the first point", "the second"],
                "again": false,
                "why": "It holds: the\nevidence stands.",
                "order": [{ "place": 2 }],
            })
        );
        let empty = [("open", ""), ANSWERS[0], ANSWERS[2], ANSWERS[3], ANSWERS[4]];
        let reply = form().parse_reply(&filled(&empty)).unwrap();
        assert!(reply.contains(r#""open":[]"#), "{reply}");
    }

    #[test]
    fn what_is_missing_or_wrong_is_named_by_its_field() {
        let fault = |at: usize, answer: &'static str| {
            let mut answers = ANSWERS;
            answers[at].1 = answer;
            form().parse_reply(&filled(&answers)).unwrap_err()
        };
        assert_eq!(fault(0, ""), "scores.critic: nothing is written there yet");
        assert_eq!(
            fault(0, "seven"),
            "scores.critic: it takes a number from 1 to 10"
        );
        assert!(fault(0, "70").contains("critic"), "{}", fault(0, "70"));
        assert_eq!(fault(2, "perhaps"), "again: it takes yes or no");
        assert!(fault(4, "first").starts_with("order: it takes JSON, for example [{"));
        let other = filled(&ANSWERS).replace("confidence: LOW", "confidence: SOME");
        assert!(form().parse_reply(&other).is_err());
    }

    #[test]
    fn where_a_label_alone_is_a_verdict_there_is_no_form() {
        let plain = RUBRIC.split("[schema]").next().unwrap().to_owned()
            + RUBRIC.split_at(RUBRIC.find("[[labels]]").unwrap()).1;
        let rubric = Rubric::parse("weighed.toml", &plain).unwrap();
        assert_eq!(JsonVerdictForm::from_rubric(&rubric), None);
    }
}
