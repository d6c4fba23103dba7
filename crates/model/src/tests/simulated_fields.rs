//! The simulated model's structured replies: fixed fields, answers, citations, labels.

use crate::sim::{MarkerKind, SimState, find_markers};
use crate::{
    Axis, CallContext, DocumentHint, LabelChoice, ReplyForm, Request, RoleHint, SettingsError, Sim,
    SimSettings,
};
use serde_json::{Value, json};

use super::harness::{hint, request};
use super::simulated::{only_mark, sim};
use super::simulated_rates::{assert_rate, plain, seeded};

const ATLAS: &str = "The northern harbour was closed for repairs during the winter of that year, \
    and all\nships were sent to the smaller port in the east until the ice had gone.";
const LEDGER: &str = "Forty crates were entered on Monday; thirty-eight of them left the store \
    again before the week was over, and nobody wrote down where the last two went.";

fn with_schema(schema: Value, texts: &[&str], hint: CallContext) -> Request {
    Request {
        form: Some(ReplyForm::Schema(schema)),
        ..request(texts, hint)
    }
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn json_of(sim: &Sim, request: &Request) -> Value {
    serde_json::from_str(&sim.compute_reply(request).unwrap().text).unwrap()
}

fn document(name: &str, text: &str) -> DocumentHint {
    DocumentHint {
        name: name.into(),
        text: text.into(),
    }
}

fn cited_schema(least: u64) -> Value {
    let citation = object(json!({
        "document": {"type": "string"}, "quote": {"type": "string"}, "why": {"type": "string"},
    }));
    object(json!({
        "thesis": {"type": "string"},
        "evidence": {"type": "array", "minItems": least, "items": {"$ref": "#/$defs/citation"}},
    }))
    .as_object()
    .map(|schema| {
        let mut schema = schema.clone();
        schema.insert("$defs".into(), json!({"citation": citation}));
        Value::Object(schema)
    })
    .unwrap()
}

fn with_documents() -> CallContext {
    CallContext {
        documents: vec![document("atlas", ATLAS), document("ledger", LEDGER)],
        ..hint()
    }
}

#[test]
fn fields_are_set_by_name_and_attempt_wherever_they_stand() {
    let settings: SimSettings = toml::from_str(
        r#"fields = { challengeStrength = [4, 8], again = true, level = "LOW", tags = [["a", "b"]], elsewhere = 1 }"#,
    )
    .unwrap();
    let sim = Sim::new(settings).unwrap();
    let schema = object(json!({
        "challengeStrength": {"type": "integer", "minimum": 1, "maximum": 10},
        "inner": object(json!({"again": {"type": "boolean"}, "level": {"enum": ["HIGH", "LOW"]}})),
        "tags": {"type": "array", "items": {"type": "string"}},
    }));
    for (attempt, strength) in [(0, 4), (1, 8), (2, 8)] {
        for seed in 0..10 {
            let hint = CallContext {
                attempt,
                seed,
                ..hint()
            };
            let value = json_of(&sim, &with_schema(schema.clone(), &["?"], hint));
            assert_eq!(value["challengeStrength"], strength);
            assert_eq!(value["inner"], json!({"again": true, "level": "LOW"}));
            assert_eq!(value["tags"], json!(["a", "b"]));
        }
    }
}

#[test]
fn a_value_that_the_schema_refuses_is_sent_all_the_same() {
    let sim = sim(|s| {
        s.fields.insert("strength".into(), json!("very"));
    });
    let schema = object(json!({"strength": {"type": "integer"}}));
    let value = json_of(&sim, &with_schema(schema, &["?"], hint()));
    assert_eq!(value["strength"], "very");
}

#[test]
fn a_field_with_no_value_for_the_first_attempt_is_refused() {
    let settings: SimSettings = toml::from_str("fields = { strength = [] }").unwrap();
    let error: SettingsError = Sim::new(settings).unwrap_err();
    assert!(error.to_string().contains("fields.strength"), "{error}");
}

#[test]
fn numbers_lie_in_the_upper_half_of_their_bounds_and_booleans_are_even() {
    let sim = sim(|_| {});
    let schema = object(json!({
        "strength": {"type": "integer", "minimum": 1, "maximum": 10},
        "share": {"type": "number", "minimum": 0, "maximum": 1},
        "again": {"type": "boolean"},
    }));
    let reply = |seed| {
        json_of(
            &sim,
            &with_schema(schema.clone(), &["?"], seeded(seed, hint())),
        )
    };
    let mut strengths = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let value = reply(seed);
        strengths.insert(value["strength"].as_i64().unwrap());
        assert!((0.5..=1.0).contains(&value["share"].as_f64().unwrap()));
    }
    assert_eq!(strengths, (6..=10).collect());
    assert_rate("again", 0.5, |seed| reply(seed)["again"] == true);
}

#[test]
fn whether_a_reply_can_be_read_is_drawn_anew_for_every_attempt() {
    let sim = Sim::new(SimSettings {
        unparsed_rate: 0.4,
        ..plain()
    })
    .unwrap();
    let schema = object(json!({"thesis": {"type": "string"}}));
    let unread = |seed, attempt| {
        let hint = CallContext {
            attempt,
            ..seeded(seed, hint())
        };
        let reply = sim.compute_reply(&with_schema(schema.clone(), &["?"], hint));
        serde_json::from_str::<Value>(&reply.unwrap().text).is_err()
    };
    assert_rate("first", 0.4, |seed| unread(seed, 0));
    assert_rate("both", 0.16, |seed| unread(seed, 0) && unread(seed, 1));
}

#[test]
fn an_answer_field_of_any_type_is_right_exactly_if_the_mark_says_so() {
    let schemas = [
        ("Paris", json!({"type": "string"})),
        ("Paris", json!({"$ref": "#/$defs/text"})),
        (
            "42",
            json!({"type": "integer", "minimum": 0, "maximum": 42}),
        ),
        ("2.5", json!({"type": "number"})),
        ("A", json!({"enum": ["A", "B"]})),
        (
            "yes",
            json!({"anyOf": [{"type": "string", "maxLength": 3}]}),
        ),
    ];
    let sim = sim(|s| s.accuracy = 0.5);
    for (reference, answer) in schemas {
        let mut schema = object(json!({"answer": answer, "why": {"type": "string"}}));
        schema["$defs"] = json!({"text": {"type": "string"}});
        let mut right = 0;
        for seed in 0..40 {
            let hint = CallContext {
                axis: Axis::Correctness,
                reference: Some(reference.into()),
                ..seeded(seed, hint())
            };
            let value = json_of(&sim, &with_schema(schema.clone(), &["?"], hint));
            let given = match &value["answer"] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let mark = only_mark(value["why"].as_str().unwrap());
            assert_eq!(
                given == reference,
                mark.state == SimState::Correct,
                "{value}"
            );
            right += u32::from(given == reference);
        }
        assert!((5..35).contains(&right), "{reference}: {right}");
    }
}

#[test]
fn a_mark_stands_whole_in_a_short_string_or_not_at_all() {
    let mark = "[sim seat=debater-0 round=1 state=safe]";
    let sim = sim(|s| s.unsafe_rate = 0.0);
    for most in [1, mark.len(), mark.len() + 1, mark.len() + 9, 4000] {
        let schema = object(json!({"claim": {"type": "string", "maxLength": most}}));
        let reply = sim
            .compute_reply(&with_schema(schema, &["?"], hint()))
            .unwrap();
        let value: Value = serde_json::from_str(&reply.text).unwrap();
        let claim = value["claim"].as_str().unwrap();
        assert!(claim.chars().count() <= most);
        assert_eq!(claim.contains("[sim"), most > mark.len());
        // What has no room for it there is marked beside the reply.
        let everything = format!("{claim} {}", reply.thinking.unwrap_or_default());
        assert_eq!(only_mark(&everything).to_string(), mark);
    }
}

#[test]
fn citations_quote_six_to_twelve_words_of_a_document_in_view() {
    let sim = sim(|s| s.fabricate_rate = 0.0);
    let shown = format!("Document \"atlas\":\n{ATLAS}\n\nDocument \"ledger\":\n{LEDGER}");
    let mut cited = std::collections::BTreeSet::new();
    for seed in 0..100 {
        let asked = with_schema(cited_schema(3), &[&shown], seeded(seed, with_documents()));
        let value = json_of(&sim, &asked);
        let citations = value["evidence"].as_array().unwrap();
        assert_eq!(citations.len(), 3);
        for citation in citations {
            let name = citation["document"].as_str().unwrap();
            let quote = citation["quote"].as_str().unwrap();
            let text = if name == "atlas" { ATLAS } else { LEDGER };
            assert!(text.contains(quote), "{quote}");
            assert!((6..=12).contains(&quote.split_whitespace().count()));
            assert!(citation["why"].as_str().unwrap().contains("[sim"));
            cited.insert(name.to_owned());
        }
    }
    assert_eq!(cited.len(), 2);
}

#[test]
fn a_document_that_is_not_shown_is_never_cited_and_changes_nothing() {
    let sim = sim(|s| s.fabricate_rate = 0.5);
    for seed in 0..200 {
        let both = seeded(seed, with_documents());
        let one = CallContext {
            documents: vec![document("atlas", ATLAS)],
            ..both.clone()
        };
        let reply =
            |hint: CallContext| sim.compute_reply(&with_schema(cited_schema(2), &[ATLAS], hint));
        let value = reply(both.clone()).unwrap().text;
        assert_eq!(value, reply(one).unwrap().text);
        assert!(!value.contains("ledger"));
    }
}

#[test]
fn with_nothing_to_cite_there_are_no_citations_unless_the_schema_demands_them() {
    let sim = sim(|_| {});
    let ask = |least| with_schema(cited_schema(least), &["Nothing."], with_documents());
    assert_eq!(json_of(&sim, &ask(0))["evidence"], json!([]));
    let demanded = json_of(&sim, &ask(1));
    assert_eq!(demanded["evidence"][0]["quote"], "");
    let one = object(json!({"document": {"type": "string"}, "quote": {"type": "string"}}));
    let optional = object(json!({"proof": one, "thesis": {"type": "string"}}));
    let value = json_of(
        &sim,
        &with_schema(optional.clone(), &["?"], with_documents()),
    );
    assert!(value.get("proof").is_none() && value.get("thesis").is_some());
    let mut required = optional;
    required["required"] = json!(["proof"]);
    let value = json_of(&sim, &with_schema(required, &["?"], with_documents()));
    assert_eq!(value["proof"]["quote"], "");
}

#[test]
fn citations_are_invented_at_their_rate_each_for_itself_and_of_words_in_no_document() {
    for rate in [0.05, 0.5] {
        let sim = Sim::new(SimSettings {
            fabricate_rate: rate,
            ..plain()
        })
        .unwrap();
        let shown = format!("{ATLAS} {LEDGER}");
        let invented = |seed: u64, at: usize| {
            let asked = with_schema(cited_schema(2), &[&shown], seeded(seed, with_documents()));
            let value = json_of(&sim, &asked);
            let quote = value["evidence"][at]["quote"].as_str().unwrap().to_owned();
            let is_real = shown.contains(&quote);
            let held = quote.split(' ').filter(|word| shown.contains(word)).count();
            assert!(is_real || held == 0, "{quote}");
            !is_real
        };
        assert_rate("first", rate, |seed| invented(seed, 0));
        assert_rate("both", rate * rate, |seed| {
            invented(seed, 0) && invented(seed, 1)
        });
    }
}

#[test]
fn a_judge_with_a_schema_puts_its_label_into_the_named_field() {
    let choice = |label: &str, value| LabelChoice {
        label: label.into(),
        reply: format!("VERDICT {label}"),
        value,
    };
    let moderator = CallContext {
        role: RoleHint::Judge,
        axis: Axis::Correctness,
        choices: vec![choice("stands", 1.0), choice("falls", -1.0)],
        label_field: Some("decision".into()),
        ..hint()
    };
    let schema = object(json!({
        "decision": {"enum": ["stands", "falls"]},
        "synthesis": {"type": "string"},
        "score": {"type": "integer", "minimum": 1, "maximum": 5},
    }));
    let sim = sim(|s| {
        s.evaluator_sensitivity = 1.0;
        s.evaluator_specificity = 1.0;
    });
    for (state, label) in [("correct", "stands"), ("incorrect", "falls")] {
        let shown = format!("[sim seat=proposer-0 round=1 state={state}]");
        let asked = with_schema(schema.clone(), &[&shown], moderator.clone());
        let reply = sim.compute_reply(&asked).unwrap();
        let value: Value = serde_json::from_str(&reply.text).unwrap();
        assert_eq!(value["decision"], label);
        assert!((3..=5).contains(&value["score"].as_i64().unwrap()));
        let marks = find_markers(value["synthesis"].as_str().unwrap());
        assert_eq!(marks[0].kind, MarkerKind::Verdict);
        assert!(reply.thinking.unwrap().contains(label));
        // Without a schema, and without a field to put it into, the choice's own words are sent.
        let bare = request(&[&shown], moderator.clone());
        let unnamed = CallContext {
            label_field: None,
            ..moderator.clone()
        };
        let unnamed = with_schema(schema.clone(), &[&shown], unnamed);
        for asked in [bare, unnamed] {
            assert_eq!(
                sim.compute_reply(&asked).unwrap().text,
                format!("VERDICT {label}")
            );
        }
    }
}

#[test]
fn a_hint_from_before_there_were_documents_can_be_read() {
    let mut old = serde_json::to_value(hint()).unwrap();
    let fields = old.as_object_mut().unwrap();
    for new in ["documents", "question", "label_field"] {
        fields.remove(new);
    }
    assert_eq!(serde_json::from_value::<CallContext>(old).unwrap(), hint());
}
