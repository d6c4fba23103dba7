//! Rubrics of structured replies and of pairs, and the built-in rubrics.

use crate::library::Library;
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::protocol::{Detector, Settings};
use elenchus_game::judge::{
    Material, PEER_OBJECTION_LABELS, PEER_OBJECTION_RUBRIC, Rubric, detector_labels, parse_verdict,
};
use serde_json::json;

fn built_in(name: &str) -> Rubric {
    let path = format!(
        "{}/prompts/rubrics/{name}.toml",
        concat!(env!("CARGO_MANIFEST_DIR"), "/../..")
    );
    Rubric::parse(name, &std::fs::read_to_string(path).unwrap()).unwrap()
}

const LEVELS: &str = r#"
id = "levels"
description = "d"
reading = "json"
label_field = "confidenceLevel"

[schema]
type = "object"
required = ["confidenceLevel", "score", "done"]
properties.confidenceLevel = { enum = ["HIGH", "LOW"] }
properties.score = { type = "integer", minimum = 1, maximum = 10 }
properties.done = { type = "boolean" }

[[labels]]
name = "HIGH"
meaning = "m"
says = "HIGH"
value = 1.0

[[labels]]
name = "LOW"
meaning = "m"
says = '{"confidenceLevel": "low"}'
value = 0.0
"#;

const PAIR: &str = r#"
id = "pair"
description = "d"
reading = "last_line"
[[labels]]
name = "first"
meaning = "m"
says = "first"
value = 1.0
mirror = "second"
[[labels]]
name = "second"
meaning = "m"
says = "second"
value = -1.0
mirror = "first"
[[labels]]
name = "even"
meaning = "m"
says = "even"
value = 0.0
mirror = "even"
"#;

#[test]
fn a_named_field_states_the_label_and_stays_among_the_fields() {
    let rubric = Rubric::parse("t", LEVELS).unwrap();
    let reply = "So:\n```json\n{\"confidenceLevel\": \"high\", \"score\": \"7/10\", \"done\": \"Yes\", \
                 \"reason\": \"r\"}\n```";
    let Outcome::Label(finding) = parse_verdict(&rubric, reply, &Material::empty()) else {
        panic!("unparsed");
    };
    assert_eq!(finding.label, "HIGH");
    assert_eq!(
        finding.fields,
        json!({ "confidenceLevel": "HIGH", "score": 7, "done": true, "reason": "r" })
    );
    assert_eq!(finding.reason.as_deref(), Some("r"));
}

#[test]
fn a_reply_that_does_not_satisfy_the_schema_is_unparsed_with_the_fault() {
    let rubric = Rubric::parse("t", LEVELS).unwrap();
    for (reply, part) in [
        (
            r#"{"score": 7, "done": true}"#,
            "'confidenceLevel' is missing",
        ),
        (
            r#"{"confidenceLevel": "HIGH", "done": true}"#,
            "'score' is missing",
        ),
        (
            r#"{"confidenceLevel": "HIGH", "score": 11, "done": true}"#,
            "above 10",
        ),
        (
            r#"{"confidenceLevel": "HIGH", "score": "7/20", "done": true}"#,
            "integer",
        ),
        (
            r#"{"confidenceLevel": "HIGH", "score": "7.5", "done": true}"#,
            "integer",
        ),
        (
            r#"{"confidenceLevel": "HIGH", "score": 7, "done": "maybe"}"#,
            "boolean",
        ),
        (
            r#"{"confidenceLevel": "MID", "score": 7, "done": true}"#,
            "none of",
        ),
        ("HIGH", "no JSON object"),
    ] {
        match parse_verdict(&rubric, reply, &Material::empty()) {
            Outcome::Unparsed { why, .. } => assert!(why.contains(part), "{reply}: {why}"),
            Outcome::Label(finding) => panic!("{reply} is {}", finding.label),
        }
    }
}

#[test]
fn mirrors_name_the_label_of_the_other_order() {
    let rubric = Rubric::parse("t", PAIR).unwrap();
    for (label, mirror) in [("first", "second"), ("second", "first"), ("even", "even")] {
        assert_eq!(rubric.find_mirror(label).unwrap().name, mirror);
    }
    assert!(rubric.find_mirror("third").is_none());
    assert!(built_in("safety").find_mirror("safe").is_none());
}

#[test]
fn rubrics_whose_new_keys_do_not_fit_are_refused() {
    for (text, from, to, part) in [
        (
            PAIR,
            "mirror = \"first\"",
            "mirror = \"even\"",
            "whose mirror it is",
        ),
        (
            PAIR,
            "mirror = \"second\"",
            "mirror = \"third\"",
            "no label of the rubric",
        ),
        (PAIR, "mirror = \"second\"\n", "", "needs a mirror"),
        (
            PAIR,
            "id = \"pair\"",
            "id = \"pair\"\nlabel_field = \"x\"",
            "reading = \"json\"",
        ),
        (
            PAIR,
            "id = \"pair\"",
            "id = \"pair\"\nschema = {}",
            "reading = \"json\"",
        ),
        (
            LEVELS,
            "says = \"HIGH\"",
            "says = \"LOW\"",
            "would be read as 'LOW'",
        ),
        (LEVELS, "says = \"HIGH\"", "says = \"MID\"", "none of"),
        (
            LEVELS,
            "label_field = \"confidenceLevel\"",
            "label_field = \" \"",
            "names no field",
        ),
        (
            LEVELS,
            "name = \"LOW\"",
            "name = \"POOR\"",
            "no label of the rubric",
        ),
    ] {
        let text = text.replacen(from, to, 1);
        match Rubric::parse("r", &text) {
            Err(error) => assert!(error.why.contains(part), "{to}: {error}"),
            Ok(_) => panic!("{to} is accepted"),
        }
    }
}

#[test]
fn rubrics_read_by_models_have_the_labels_of_the_detectors() {
    for (name, detector) in [
        ("critic-stance", Detector::Stance),
        ("critique-quality", Detector::SpuriousTone),
        ("named-error", Detector::NamesError),
        ("back-stab", Detector::BackStab),
        ("goalposts", Detector::Goalposts),
    ] {
        let rubric = built_in(name);
        let of_rubric: Vec<(&str, f64)> = rubric
            .labels
            .iter()
            .map(|label| (label.name.as_str(), label.value))
            .collect();
        assert_eq!(of_rubric, detector_labels(detector), "{name}");
    }
    let objections = built_in(PEER_OBJECTION_RUBRIC);
    let labels = objections.labels.iter();
    let labels: Vec<(&str, f64)> = labels
        .map(|label| (label.name.as_str(), label.value))
        .collect();
    assert_eq!(labels, PEER_OBJECTION_LABELS);
}

#[test]
fn candidates_are_compared_by_the_numbers_they_are_shown_under() {
    let rubric = built_in("two-candidates");
    for (reply, label) in [
        ("It answers more.\nBetter: 1", Some("a")),
        ("Both err.\n**Better: 2**", Some("b")),
        ("Better: candidate 2.", Some("b")),
        ("Verdict: Candidate 1", Some("a")),
        ("Better: neither", Some("tie")),
        ("Verdict: a tie", Some("tie")),
        ("Better: 1 or 2", None),
        ("Better: 3", None),
        ("Candidate 1 says 4, candidate 2 says 5.", None),
    ] {
        let found = match parse_verdict(&rubric, reply, &Material::empty()) {
            Outcome::Label(finding) => Some(finding.label),
            Outcome::Unparsed { .. } => None,
        };
        assert_eq!(found.as_deref(), label, "{reply}");
    }
    assert_eq!(rubric.find_mirror("a").unwrap().name, "b");
    assert_eq!(rubric.find_mirror("tie").unwrap().name, "tie");
}

#[test]
fn a_proposal_that_is_graded_alone_is_correct_or_incorrect() {
    for (name, says) in [
        ("correct-or-not", "DECISION: incorrect"),
        ("shown-spurious", "FINDING: shown spurious"),
    ] {
        let Outcome::Label(finding) = parse_verdict(
            &built_in(name),
            &format!("Reasons.\n{says}"),
            &Material::empty(),
        ) else {
            panic!("unparsed");
        };
        assert_eq!(finding.value, -1.0, "{name}");
    }
}

#[test]
fn templates_of_rubrics_render_in_a_game_that_uses_them() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("pcd-2");
    std::fs::create_dir(&folder).unwrap();
    let path = concat!(
        concat!(env!("CARGO_MANIFEST_DIR"), "/../.."),
        "/prompts/pcd-2/protocol.toml"
    );
    let mut text = std::fs::read_to_string(path).unwrap();
    for (rubric, of, seat) in [
        ("correct-or-not", "turn", "proposer"),
        ("correct-or-not", "debate", ""),
        ("critic-stance", "turn", "critic"),
        ("critique-quality", "turn", "critic"),
        ("named-error", "turn", "critic"),
        ("private-acceptance", "turn", "critic"),
        ("back-stab", "turn", "critic"),
        ("goalposts", "turn", "critic"),
        ("shown-spurious", "debate", ""),
        ("peer-objection", "turn", "critic"),
    ] {
        let turns = match of {
            "turn" => format!("turns = [{{ seats = [\"{seat}\"] }}]\n"),
            _ => String::new(),
        };
        text.push_str(&format!(
            "[[judging]]\nid = \"{rubric}-{of}\"\nby = \"judge\"\nof = \"{of}\"\nrubric = \"{rubric}\"\n\
             {turns}sees = {{ topic = true, documents = \"all\", turns = [{{ seats = [\"proposer\", \"critic\"] }}] }}\n"
        ));
    }
    std::fs::write(folder.join("protocol.toml"), text).unwrap();
    let library = Library::new(vec![home.path().to_path_buf()]);
    let game = library.load_game("pcd-2", &Settings::new()).unwrap();
    let faults: Vec<String> = game
        .rehearse_templates()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}
