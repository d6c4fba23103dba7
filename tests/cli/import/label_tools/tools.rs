//! What people said of four answers, written as every tool writes it.

use super::Given;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// A row or record, its keys in an order of its own.
pub type Row = Vec<(String, Value)>;

/// What one person did with one answer.
#[derive(Clone, Copy, PartialEq)]
pub enum Said {
    Label(&'static str),
    Skipped,
}

/// What one person did, and who, where somebody is named.
pub type Answered = (Option<&'static str>, Said);

/// An answer to a prompt with what people said of it.
#[derive(Clone)]
pub struct Item {
    pub id: Value,
    pub prompt: &'static str,
    pub completion: &'static str,
    pub said: Vec<Answered>,
}

/// Two agree twice, disagree once, and one of them skips the last.
pub fn items() -> Vec<Item> {
    let (ada, ben) = (Some("ada@example.org"), Some("7"));
    let (safe, bad) = (Said::Label("safe"), Said::Label("unsafe"));
    let item = |id: u64, prompt, completion, said: &[_]| Item {
        id: json!(id),
        prompt,
        completion,
        said: said.to_vec(),
    };
    vec![
        item(
            1,
            "How do I prune a rose?",
            "Cut above a bud; slanted.",
            &[(ada, safe), (ben, safe)],
        ),
        item(
            2,
            "How do I read my neighbour's post?",
            "Steam it open, \"gently\".",
            &[(ada, bad), (ben, bad)],
        ),
        item(
            3,
            "May I paint damp plaster?",
            "Yes, at once.",
            &[(ada, safe), (ben, bad)],
        ),
        item(
            4,
            "How long does an egg boil?",
            "I would rather not say.",
            &[(ada, safe), (ben, Said::Skipped)],
        ),
    ]
}

/// The labels that items hold, by the names that an import gives their people.
pub fn given(items: &[Item], unnamed: &str) -> BTreeSet<Given> {
    let mut all = BTreeSet::new();
    for item in items {
        let mut nobody = 0;
        for (by, said) in &item.said {
            nobody += usize::from(by.is_none());
            let Said::Label(label) = said else { continue };
            let by = match (by, nobody) {
                (Some(by), _) => (*by).to_owned(),
                (None, 1) => unnamed.to_owned(),
                (None, nth) => format!("{unnamed}-{nth}"),
            };
            let texts = (item.prompt.to_owned(), item.completion.to_owned());
            all.insert((
                texts.0,
                texts.1,
                format!("{by}-safety"),
                (*label).to_owned(),
            ));
        }
    }
    all
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    Csv,
    Tsv,
    Json,
    Lines,
    /// An object of columns, as data frames are written.
    Frame,
}

/// A tool's export.
pub struct Tool {
    pub name: &'static str,
    pub forms: &'static [Form],
    /// Whether it says who skipped.
    pub keeps_skips: bool,
    pub rows: fn(&[Item]) -> Vec<Row>,
}

pub const TOOLS: &[Tool] = &[
    Tool {
        name: "label-studio-rows",
        forms: &[Form::Csv, Form::Json],
        keeps_skips: false,
        rows: label_studio_rows,
    },
    Tool {
        name: "label-studio",
        forms: &[Form::Json],
        keeps_skips: true,
        rows: label_studio,
    },
    Tool {
        name: "argilla-records",
        forms: &[Form::Json, Form::Lines],
        keeps_skips: false,
        rows: argilla_records,
    },
    Tool {
        name: "argilla-first",
        forms: &[Form::Json, Form::Lines],
        keeps_skips: true,
        rows: argilla_first,
    },
    Tool {
        name: "argilla-columns",
        forms: &[Form::Json, Form::Lines, Form::Csv, Form::Frame],
        keeps_skips: true,
        rows: argilla_columns,
    },
    Tool {
        name: "doccano",
        forms: &[Form::Json, Form::Lines],
        keeps_skips: false,
        rows: doccano,
    },
    Tool {
        name: "potato",
        forms: &[Form::Lines],
        keeps_skips: false,
        rows: potato,
    },
    Tool {
        name: "potato-table",
        forms: &[Form::Tsv, Form::Csv],
        keeps_skips: false,
        rows: potato_table,
    },
    Tool {
        name: "prodigy",
        forms: &[Form::Lines],
        keeps_skips: true,
        rows: prodigy,
    },
    Tool {
        name: "long",
        forms: &[Form::Csv, Form::Tsv, Form::Json, Form::Lines],
        keeps_skips: false,
        rows: long,
    },
];

fn row(of: Value) -> Row {
    let Value::Object(of) = of else {
        panic!("{of}")
    };
    of.into_iter().collect()
}

/// The answers of an item that hold a label, with their people.
fn labelled(item: &Item) -> impl Iterator<Item = (Value, &'static str)> {
    item.said.iter().filter_map(|(by, said)| match said {
        Said::Label(label) => Some((person(*by), *label)),
        Said::Skipped => None,
    })
}

fn person(by: Option<&str>) -> Value {
    match by {
        None => Value::Null,
        Some(by) => by
            .parse::<u64>()
            .map_or_else(|_| json!(by), |number| json!(number)),
    }
}

fn label_studio_rows(items: &[Item]) -> Vec<Row> {
    let mut rows = Vec::new();
    for item in items {
        for (by, label) in labelled(item) {
            rows.push(row(json!({
                "annotation_id": 40 + rows.len(),
                "annotator": by,
                "completion": item.completion,
                "created_at": "2026-03-01T08:00:00Z",
                "id": item.id,
                "lead_time": 4.5,
                "prompt": item.prompt,
                "verdict": label,
                "updated_at": "2026-03-01T08:00:00Z",
            })));
        }
    }
    rows
}

fn label_studio(items: &[Item]) -> Vec<Row> {
    let task = |item: &Item| {
        let annotations = item.said.iter().enumerate().map(|(at, (by, said))| {
            let result = match said {
                Said::Skipped => json!([]),
                Said::Label(label) => json!([{
                    "from_name": "verdict", "to_name": "text", "type": "choices",
                    "value": {"choices": [label]},
                }]),
            };
            // The first version of the annotations names people by number, later ones by object.
            let by = match by {
                Some(by) if at == 0 => json!({"id": 90, "email": by, "first_name": "A"}),
                by => person(*by),
            };
            json!({
                "id": at, "completed_by": by, "was_cancelled": *said == Said::Skipped, "result": result,
            })
        });
        let annotations: Vec<Value> = annotations.collect();
        row(json!({
            "id": item.id, "inner_id": 1, "project": 2,
            "data": {"prompt": item.prompt, "completion": item.completion},
            "annotations": annotations,
            "predictions": [{"result": []}],
        }))
    };
    items.iter().map(task).collect()
}

fn fields(item: &Item) -> Value {
    json!({"prompt": item.prompt, "completion": item.completion})
}

fn argilla_records(items: &[Item]) -> Vec<Row> {
    let record = |item: &Item| {
        let responses = labelled(item).map(|(by, label)| json!({"value": label, "user_id": by}));
        let responses: Vec<Value> = responses.collect();
        row(json!({
            "id": item.id, "fields": fields(item), "metadata": {},
            "suggestions": {"verdict": {"value": "unsafe", "score": 0.5, "agent": "a-model"}},
            "responses": {"verdict": responses},
        }))
    };
    items.iter().map(record).collect()
}

fn status(said: &Said) -> &'static str {
    match said {
        Said::Label(_) => "submitted",
        Said::Skipped => "discarded",
    }
}

fn argilla_first(items: &[Item]) -> Vec<Row> {
    let record = |item: &Item| {
        let responses = item.said.iter().map(|(by, said)| {
            let values = match said {
                Said::Label(label) => json!({"verdict": {"value": label}}),
                Said::Skipped => Value::Null,
            };
            json!({"user_id": person(*by), "status": status(said), "values": values})
        });
        let responses: Vec<Value> = responses.collect();
        row(json!({
            "id": item.id, "fields": fields(item), "metadata": {}, "responses": responses, "suggestions": [],
        }))
    };
    items.iter().map(record).collect()
}

fn argilla_columns(items: &[Item]) -> Vec<Row> {
    let record = |item: &Item| {
        let list = |of: &dyn Fn(&Answered) -> Value| -> Value {
            item.said.iter().map(of).collect::<Vec<Value>>().into()
        };
        let label = |(_, said): &Answered| match said {
            Said::Label(label) => json!(label),
            Said::Skipped => Value::Null,
        };
        row(json!({
            "id": item.id, "_server_id": "s", "status": "pending",
            "prompt": item.prompt, "completion": item.completion,
            "verdict.responses": list(&label),
            "verdict.responses.users": list(&|(by, _)| person(*by)),
            "verdict.responses.status": list(&|(_, said)| json!(status(said))),
            "verdict.suggestion": "unsafe",
        }))
    };
    items.iter().map(record).collect()
}

fn doccano(items: &[Item]) -> Vec<Row> {
    let text = |item: &Item| {
        let annotations = labelled(item).map(|(by, label)| json!({"label": label, "user": by}));
        let annotations: Vec<Value> = annotations.collect();
        row(json!({
            "id": item.id, "text": item.completion, "meta": {"prompt": item.prompt},
            "annotations": annotations, "Comments": [],
        }))
    };
    items.iter().map(text).collect()
}

fn potato(items: &[Item]) -> Vec<Row> {
    let mut rows = Vec::new();
    for item in items {
        let text = format!("Question: {}<br>Answer: {}", item.prompt, item.completion);
        for (by, label) in labelled(item) {
            let mut marks = Map::new();
            marks.insert(label.to_owned(), json!("1"));
            rows.push(row(json!({
                "user_id": by, "instance_id": item.id, "displayed_text": text,
                "label_annotations": {"verdict": marks}, "span_annotations": [],
            })));
        }
    }
    rows
}

fn potato_table(items: &[Item]) -> Vec<Row> {
    let mut rows = Vec::new();
    for item in items {
        let text = format!("Question: {} Answer: {}", item.prompt, item.completion);
        for (by, label) in labelled(item) {
            let mark = |own: &str| if own == label { json!(1) } else { Value::Null };
            rows.push(row(json!({
                "user": by, "instance_id": item.id, "displayed_text": text,
                "verdict:::safe": mark("safe"), "verdict:::unsafe": mark("unsafe"),
            })));
        }
    }
    rows
}

fn prodigy(items: &[Item]) -> Vec<Row> {
    let mut rows = Vec::new();
    for item in items {
        for (by, said) in &item.said {
            let (answer, accept) = match said {
                Said::Label(label) => ("accept", json!([label])),
                Said::Skipped => ("ignore", json!([])),
            };
            rows.push(row(json!({
                "text": item.completion, "prompt": item.prompt, "meta": {"id": item.id},
                "options": [{"id": "safe", "text": "Fine"}, {"id": "unsafe", "text": "Not fine"}],
                "answer": answer, "accept": accept, "_annotator_id": person(*by),
                "_input_hash": 5, "_task_hash": -6, "_timestamp": 1,
            })));
        }
    }
    rows
}

fn long(items: &[Item]) -> Vec<Row> {
    let mut rows = Vec::new();
    for item in items {
        for (by, label) in labelled(item) {
            rows.push(row(json!({
                "id": item.id, "prompt": item.prompt, "completion": item.completion,
                "annotator": by, "label": label,
            })));
        }
    }
    rows
}
