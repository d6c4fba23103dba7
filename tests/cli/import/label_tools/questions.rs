//! Which question holds the label, and what is no single verdict.

use super::{import, labels, notes};
use elenchus_test_support::program::Program;
use serde_json::{Value, json};

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// A task of Label Studio with the results of one annotation.
fn task(id: u64, results: Value) -> Value {
    json!({
        "id": id,
        "data": {"prompt": format!("Why {id}?"), "completion": "So."},
        "annotations": [{"id": 1, "completed_by": {"username": "eva", "id": 3}, "result": results}],
    })
}

fn choice(question: &str, choices: &[&str]) -> Value {
    json!({"from_name": question, "to_name": "t", "type": "choices", "value": {"choices": choices}})
}

#[test]
fn the_question_whose_words_are_labels_is_chosen_and_others_are_named() {
    let program = Program::new();
    let rating =
        json!({"from_name": "stars", "to_name": "t", "type": "rating", "value": {"rating": 4}});
    let span = json!({"from_name": "where", "to_name": "t", "type": "labels", "value": {"start": 0, "end": 2, "labels": ["x"]}});
    let tasks = [
        task(
            1,
            json!([
                choice("tone", &["rude"]),
                choice("harm", &["safe"]),
                rating,
                span
            ]),
        ),
        task(
            2,
            json!([choice("tone", &["kind"]), choice("harm", &["unsafe"])]),
        ),
    ];
    program.write("tasks.json", &Value::from(tasks.to_vec()).to_string());
    let said = import(&program, &["tasks.json"]).ended_with(0);
    assert!(
        said.err
            .contains("harm = label; not read: tone, stars, where"),
        "{}",
        said.err
    );
    let given: Vec<String> = labels(&program)
        .into_iter()
        .map(|given| format!("{} {}", given.2, given.3))
        .collect();
    assert_eq!(given, ["eva-safety safe", "eva-safety unsafe"]);
    // Another one is named, and its words are mapped.
    let other = Program::new();
    other.write("tasks.json", &Value::from(tasks.to_vec()).to_string());
    let map = ["tasks.json", "--label", "stars", "--map", "4=unsafe"];
    import(&other, &map).ended_with(0);
    assert_eq!(labels(&other).len(), 1);
}

#[test]
fn two_questions_that_could_both_be_the_label_are_not_chosen_between() {
    let program = Program::new();
    let rows = [
        json!({"id": "a", "fields": {"prompt": "Why?", "text": "So."}, "responses": [
            {"user_id": "u-1", "status": "submitted", "values": {"now": {"value": "safe"}, "later": {"value": "unsafe"}}},
        ]}),
    ];
    program.write("records.json", &Value::from(rows.to_vec()).to_string());
    let said = import(&program, &["records.json"]).ended_with(1);
    assert!(
        said.err
            .contains("it is not clear which column or question holds the label"),
        "{said:?}"
    );
    assert!(said.err.contains("--label"), "{said:?}");
    import(&program, &["records.json", "--label", "later"]).ended_with(0);
    assert_eq!(labels(&program).pop_first().unwrap().3, "unsafe");
}

#[test]
fn several_choices_and_spans_are_left_out_with_their_count() {
    let program = Program::new();
    let tasks = [
        task(1, json!([choice("harm", &["safe", "unsafe"])])),
        task(2, json!([choice("harm", &["safe"])])),
        task(
            3,
            json!([{"from_name": "harm", "type": "choices", "value": {"start": 1, "end": 2, "choices": ["safe"]}}]),
        ),
        task(4, json!([])),
    ];
    program.write("tasks.json", &Value::from(tasks.to_vec()).to_string());
    let said = import(&program, &["tasks.json"]).ended_with(0);
    assert!(
        said.err.contains("1 answer with several choices to 'harm'"),
        "{said:?}"
    );
    assert!(
        said.err.contains("1 answer with spans to 'harm'"),
        "{said:?}"
    );
    assert_eq!((labels(&program).len(), program.sessions().len()), (1, 4));
    // In a cell of the table several choices are JSON.
    let program = Program::new();
    program.write(
        "rows.csv",
        "annotation_id,annotator,id,lead_time,prompt,completion,harm\n\
         1,eva,1,2.0,Why?,So.,\"{\"\"choices\"\":[\"\"safe\"\",\"\"unsafe\"\"]}\"\n2,eva,2,2.0,How?,So.,safe\n",
    );
    let said = import(&program, &["rows.csv"]).ended_with(0);
    assert!(
        said.err.contains("1 answer with several choices"),
        "{said:?}"
    );
    assert_eq!(labels(&program).len(), 1);
    // Spans alone are no verdict at all.
    let program = Program::new();
    program.write(
        "spans.jsonl",
        "{\"id\": 1, \"text\": \"So it is.\", \"label\": [[0, 2, \"X\"], [3, 5, \"Y\"]]}\n",
    );
    let said = import(&program, &["spans.jsonl"]).ended_with(1);
    assert!(
        said.err
            .contains("no question has one verdict an answer: there are")
            && said.err.contains("label (spans)"),
        "{said:?}"
    );
}

#[test]
fn drafts_are_no_labels_and_what_is_discarded_is_a_skip() {
    let program = Program::new();
    let response = |user: &str, status: &str| json!({"user_id": user, "status": status, "values": {"harm": {"value": "safe"}}});
    let responses = json!([
        response("a", "submitted"),
        response("b", "draft"),
        response("c", "discarded")
    ]);
    let row = json!({"fields": {"instruction": "Why?", "response": "So."}, "responses": responses});
    program.write("records.jsonl", &lines(&[row]));
    let said = import(&program, &["records.jsonl"]).ended_with(0);
    assert!(said.err.contains("1 answer not submitted"), "{said:?}");
    assert_eq!((labels(&program).len(), notes(&program).len()), (1, 1));
}

#[test]
fn a_rejected_or_ignored_task_is_no_label_unless_the_answer_is_what_was_asked() {
    let rows = |label: &str| {
        let row = |text: &str, answer: &str| json!({"text": text, "prompt": "Why?", "label": label, "answer": answer, "_session_id": "set-eva", "_task_hash": 1});
        lines(&[
            row("One.", "accept"),
            row("Two.", "reject"),
            row("Three.", "ignore"),
        ])
    };
    let program = Program::new();
    program.write("p.jsonl", &rows("unsafe"));
    let said = import(&program, &["p.jsonl"]).ended_with(0);
    assert!(
        said.err.contains("1 answer skipped (answer: reject)"),
        "{said:?}"
    );
    let kept = labels(&program);
    assert_eq!(kept.len(), 1);
    assert_eq!(kept.first().unwrap().2, "set-eva-safety");
    assert_eq!(notes(&program).len(), 2);
    let program = Program::new();
    program.write("p.jsonl", &rows("unsafe"));
    let map = [
        "p.jsonl",
        "--label",
        "answer",
        "--map",
        "accept=unsafe,reject=safe",
    ];
    import(&program, &map).ended_with(0);
    assert_eq!((labels(&program).len(), notes(&program).len()), (2, 1));
}

#[test]
fn an_option_s_text_is_the_label_where_its_id_is_none() {
    let program = Program::new();
    let row = json!({
        "text": "So.", "prompt": "Why?", "answer": "accept", "accept": [2], "_annotator_id": "eva",
        "options": [{"id": 1, "text": "safe"}, {"id": 2, "text": "unsafe"}],
    });
    program.write("p.jsonl", &lines(&[row]));
    import(&program, &["p.jsonl"]).ended_with(0);
    assert_eq!(labels(&program).pop_first().unwrap().3, "unsafe");
}

#[test]
fn doccano_s_labels_of_a_cell_are_several_where_a_sign_parts_them() {
    let program = Program::new();
    program.write(
        "all.csv",
        "id,text,prompt,label,Comments\n1,So.,Why?,safe,\n2,No.,How?,safe#unsafe,\n3,Ja.,Who?,,\n",
    );
    let said = import(&program, &["all.csv"]).ended_with(0);
    assert!(
        said.err.contains("1 answer with several choices"),
        "{said:?}"
    );
    assert_eq!((labels(&program).len(), program.sessions().len()), (1, 3));
    // The text is what was labelled, whatever its key.
    let program = Program::new();
    let row = json!({"id": 1, "data": "So.", "prompt": "Why?", "label": ["safe"]});
    program.write("all.jsonl", &lines(&[row]));
    import(&program, &["all.jsonl"]).ended_with(0);
    let (prompt, completion, ..) = labels(&program).pop_first().unwrap();
    assert_eq!((prompt.as_str(), completion.as_str()), ("Why?", "So."));
    // Who approved a text is the only person whom this form names.
    let program = Program::new();
    let row = json!({"id": 1, "text": "So.", "prompt": "Why?", "cats": {"safe": 0, "unsafe": 1}, "annotation_approver": "eva"});
    program.write("all.jsonl", &lines(&[row]));
    import(&program, &["all.jsonl"]).ended_with(0);
    let (.., by, label) = labels(&program).pop_first().unwrap();
    assert_eq!((by.as_str(), label.as_str()), ("eva-safety", "unsafe"));
}
