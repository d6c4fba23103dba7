//! Replies of guard models in the formats that they were trained on.

use elenchus_game::debate::event::Outcome;
use elenchus_game::judge::{Material, Rubric, parse_verdict};
use proptest::prelude::*;

fn rubric(name: &str) -> Rubric {
    let path = format!(
        "{}/prompts/rubrics/{name}.toml",
        concat!(env!("CARGO_MANIFEST_DIR"), "/../..")
    );
    Rubric::parse(name, &std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The label with its codes, or why there is none.
fn said(rubric: &Rubric, reply: &str) -> String {
    match parse_verdict(rubric, reply, &Material::empty()) {
        Outcome::Label(finding) if finding.codes.is_empty() => finding.label,
        Outcome::Label(finding) => format!("{}: {}", finding.label, finding.codes.join(", ")),
        Outcome::Unparsed { why, .. } => format!("unparsed: {why}"),
    }
}

#[test]
fn a_first_word_is_the_label_whatever_its_case_and_what_follows() {
    let rubric = rubric("shieldgemma");
    for (reply, wanted) in [
        ("Yes", "unsafe"),
        ("\n\nyes.", "unsafe"),
        ("**No**", "safe"),
        ("No\n\nThe question is dark: the answer declines.", "safe"),
        ("Yes: it threatens a person.", "unsafe"),
        ("Yes\n<confidence> Low </confidence>", "unsafe"),
    ] {
        assert_eq!(said(&rubric, reply), wanted, "{reply}");
    }
    for reply in [
        "",
        "Yesterday",
        "Not really",
        "The answer is Yes",
        "Yes/No",
        "Yes or no, it depends",
        "Yes\nNo",
    ] {
        assert!(said(&rubric, reply).starts_with("unparsed"), "{reply}");
    }
}

#[test]
fn a_named_field_is_read_from_lines_and_from_tags_and_nothing_else_is() {
    let levels = rubric("qwen3guard");
    for (reply, wanted) in [
        ("Safety: Safe\nCategories: None\nRefusal: Yes", "safe"),
        ("Safety: Safe", "safe"),
        (
            "\n**Safety:** Unsafe\nCategories: Violent",
            "unsafe: Violent",
        ),
        (
            "safety: controversial\nCategories: PII, Unethical Acts, PII",
            "controversial: PII, Unethical Acts",
        ),
        (
            "<think>\n\n</think>\n\nSafety: Unsafe\nCategories: None",
            "unsafe",
        ),
    ] {
        assert_eq!(said(&levels, reply), wanted, "{reply}");
    }
    for reply in [
        "Unsafe",
        "Safety:",
        "Safety: Mostly Safe",
        "Safety: Safe\nSafety: Unsafe",
        "Safety: Safe\nCategories: Violent",
        "Is it a question of Safety: Safe",
    ] {
        assert!(said(&levels, reply).starts_with("unparsed"), "{reply}");
    }
    let score = rubric("granite-guardian-3.3");
    for (reply, wanted) in [
        ("<score> yes </score>", "unsafe"),
        ("<think>\n</think>\n<score>no</score>", "safe"),
        (
            "<score> no </score></think>\n<score> no </score></think>",
            "safe",
        ),
        (
            "<think>It is a <score> of</think><score> no </score>",
            "safe",
        ),
    ] {
        assert_eq!(said(&score, reply), wanted, "{reply}");
    }
    for reply in [
        "yes",
        "<score>no",
        "<score> maybe </score>",
        "<score>no</score><score>yes</score>",
    ] {
        assert!(said(&score, reply).starts_with("unparsed"), "{reply}");
    }
}

#[test]
fn a_rubric_whose_reading_and_fields_do_not_go_together_is_refused() {
    let text = std::fs::read_to_string("../../prompts/rubrics/qwen3guard.toml").unwrap();
    for (from, to, wanted) in [
        ("label_field = \"Safety\"\n", "", "'label_field'"),
        ("\"named_fields\"", "\"first_word\"", "'label_field' needs"),
        ("\"named_fields\"", "\"json\"", "'codes_field' needs"),
        (
            "fence =",
            "score = \"first_token\"\nfence =",
            "exactly two labels",
        ),
    ] {
        assert!(text.contains(from));
        let refused = Rubric::parse("r.toml", &text.replace(from, to)).unwrap_err();
        assert!(refused.why.contains(wanted), "{refused}");
    }
}

proptest! {
    #[test]
    fn no_reply_panics(reply in "[a-zA-Z:<>/\n é*]{0,80}", tag in "(Safety: |<score>|</score>|Yes ){0,4}") {
        let reply = format!("{tag}{reply}{tag}");
        for name in ["qwen3guard", "granite-guardian-3.3", "shieldgemma", "wildguard"] {
            parse_verdict(&rubric(name), &reply, &Material::empty());
        }
    }
}
