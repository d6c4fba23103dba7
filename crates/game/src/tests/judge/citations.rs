//! Citations against the documents that were given.

use elenchus_game::debate::Document;
use elenchus_game::debate::event::{Finding, Outcome};
use elenchus_game::judge::{MAX_CITATIONS, TurnAuthor, TurnText, check_citations};
use proptest::prelude::*;
use serde_json::{Value, json};

const HARBOUR: &str = "The harbour was dredged in 1954. Its quay, which the storm had “half ruined”, \
    was rebuilt in granite\nand opened two years later — at twice the cost.";
const FERRY: &str =
    "A ferry crosses every hour. In winter the co\u{ad}operative runs it on Sundays only.";

fn documents() -> Vec<Document> {
    [("Harbour Report.txt", HARBOUR), ("ferry.md", FERRY)]
        .map(|(name, text)| Document {
            name: name.to_owned(),
            text: text.to_owned(),
        })
        .to_vec()
}

fn said<'a>(text: &'a str, fields: Option<&'a Value>) -> TurnText<'a> {
    TurnText {
        seat: "critic",
        round: 1,
        stage: "critique",
        whose: TurnAuthor::Own,
        text,
        fields,
    }
}

fn found(outcome: Outcome) -> Finding {
    match outcome {
        Outcome::Label(finding) => finding,
        Outcome::Unparsed { why, .. } => panic!("unparsed: {why}"),
    }
}

fn check(fields: &Value) -> Finding {
    found(check_citations(&said("", Some(fields)), &documents()))
}

fn cite(document: &str, quote: &str) -> Value {
    let evidence = json!([{ "document": document, "quote": quote }]);
    let fields = json!({ "points": [{ "number": 7, "point": "p", "evidence": evidence }] });
    check(&fields).fields["citations"][0].clone()
}

#[test]
fn each_citation_is_verified_unquoted_or_fabricated() {
    let exact = "The harbour was dredged";
    for (document, quote, status, how, found_in) in [
        ("Harbour Report.txt", exact, "verified", Some("exact"), None),
        ("harbour report", exact, "verified", Some("exact"), None),
        (
            "harbour report.pdf",
            exact,
            "verified",
            Some("exact"),
            Some("Harbour Report.txt"),
        ),
        (
            "Harbour Report.txt",
            "  THE harbour\n was  dredged ",
            "verified",
            Some("normalised"),
            None,
        ),
        (
            "Harbour Report.txt",
            "had 'half ruined', was rebuilt in granite and opened two years later - at",
            "verified",
            Some("normalised"),
            None,
        ),
        (
            "ferry",
            "winter the cooperative runs it",
            "verified",
            Some("normalised"),
            None,
        ),
        (
            "ferry.md",
            exact,
            "verified",
            Some("exact"),
            Some("Harbour Report.txt"),
        ),
        (
            "A letter",
            exact,
            "verified",
            Some("exact"),
            Some("Harbour Report.txt"),
        ),
        (
            "",
            exact,
            "verified",
            Some("exact"),
            Some("Harbour Report.txt"),
        ),
        (
            "Harbour Report.txt",
            "The harbour was dredged … rebuilt in granite [...] twice the cost",
            "verified",
            Some("fragments"),
            None,
        ),
        (
            "Harbour Report.txt",
            "rebuilt in granite … The harbour was dredged",
            "fabricated",
            None,
            None,
        ),
        (
            "Harbour Report.txt",
            "The harbour was dredged … ferry crosses every hour",
            "fabricated",
            None,
            None,
        ),
        (
            "ferry.md",
            "… A ferry crosses every hour...",
            "verified",
            Some("normalised"),
            None,
        ),
        (
            "ferry.md",
            "the ferry sank in spring",
            "fabricated",
            None,
            None,
        ),
        ("ferry.md", "", "unquoted", None, None),
        ("ferry.md", "ferry sank", "unquoted", None, None),
        ("ferry.md", "a … the … of … is", "unquoted", None, None),
        ("ferry.md", "\"…\"", "unquoted", None, None),
        ("A letter", "", "fabricated", None, None),
        (
            "A letter",
            "the ferry sank in spring",
            "fabricated",
            None,
            None,
        ),
        ("", "the ferry sank in spring", "fabricated", None, None),
    ] {
        let cited = cite(document, quote);
        let label = format!("{document}: {quote}");
        assert_eq!(cited["status"], status, "{label}");
        assert_eq!(cited["how"], json!(how), "{label}");
        assert_eq!(cited["found_in"], json!(found_in), "{label}");
    }
}

#[test]
fn the_label_is_the_worst_and_arguments_on_fabrications_are_discarded() {
    let fields = json!({
        "thesis": "t",
        "supporting_arguments": [
            { "number": 1, "point": "p",
              "evidence": [{ "document": "ferry.md", "quote": "A ferry crosses every hour" }] },
        ],
        "counter_arguments": [
            { "number": 1, "point": "As the harbour report says, it was late", "evidence": [] },
            { "number": 2, "point": "p", "evidence": [
                { "document": "ferry.md", "quote": "the ferry was sold to a museum" },
                { "document": "ferry.md", "quote": "A ferry crosses every hour" },
            ] },
            "no argument",
        ],
    });
    let finding = check(&fields);
    assert_eq!(
        (finding.label.as_str(), finding.value),
        ("fabricated", -1.0)
    );
    assert_eq!(
        finding.fields["discarded"],
        json!([{ "list": "counter_arguments", "at": 1 }])
    );
    assert_eq!(
        finding.fields["citations"][1],
        json!({
            "list": "counter_arguments", "at": 1, "number": 2, "document": "ferry.md",
            "quote": "the ferry was sold to a museum", "status": "fabricated",
            "found_in": null, "how": null,
        })
    );
    let statuses: Vec<&str> = finding.fields["citations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["unquoted", "fabricated", "verified", "verified"]);
    assert_eq!(
        finding.reason.as_deref(),
        Some("of 4 citations: 2 verified, 1 unquoted, 1 fabricated")
    );
}

#[test]
fn evidence_of_other_shapes_is_read_without_calling_it_false() {
    for (evidence, label) in [
        (json!("ferry.md"), "unquoted"),
        (json!(["A ferry crosses every hour"]), "verified"),
        (json!(["common sense and long experience"]), "unquoted"),
        (
            json!({ "document": "ferry.md", "quote": "A ferry crosses every hour" }),
            "verified",
        ),
        (json!([{}]), "unquoted"),
        (json!([3, null, [[]]]), "unquoted"),
        (json!(null), "none"),
        (json!([]), "none"),
    ] {
        let fields = json!({ "anything": [{ "point": "p", "evidence": evidence }] });
        assert_eq!(check(&fields).label, label, "{fields}");
    }
    for fields in [
        json!({}),
        json!([1]),
        json!(null),
        json!({ "points": ["a", 2] }),
    ] {
        assert_eq!(check(&fields).label, "none", "{fields}");
    }
}

#[test]
fn fabrications_anywhere_in_a_structured_reply_are_found_and_what_rests_on_them_is_discarded() {
    let invented = "the ferry sank in spring";
    let named = format!("As ferry.md says, \"{invented}\".");
    for (fields, label, discarded) in [
        (
            json!({ "points": [{ "point": "fine" }, { "point": named }] }),
            "fabricated",
            json!([{ "list": "points", "at": 1 }]),
        ),
        (
            json!({ "thesis": named, "points": [{ "point": "fine" }] }),
            "fabricated",
            json!([]),
        ),
        (
            json!({
                "thesis": named,
                "points": [{ "point": "fine" }, { "point": "For The Ferry sank in spring." }],
            }),
            "fabricated",
            json!([{ "list": "points", "at": 1 }]),
        ),
        (
            json!({ "evidence_cited": [
                { "document": "ferry.md", "quote": "A ferry crosses every hour" },
                { "document": "ferry.md", "quote": invented },
            ] }),
            "fabricated",
            json!([{ "list": "evidence_cited", "at": 1 }]),
        ),
        (
            json!({ "evidence_cited": ["A ferry crosses every hour", "ferry.md"] }),
            "unquoted",
            json!([]),
        ),
        (
            json!({ "concessions": [named] }),
            "fabricated",
            json!([{ "list": "concessions", "at": 0 }]),
        ),
        (
            json!({ "points": [{ "point": "ferry.md: \"A ferry crosses every hour\"." }] }),
            "verified",
            json!([]),
        ),
        (
            json!({ "points": [{ "point": "You said \"it was never late at all\"." }] }),
            "none",
            json!([]),
        ),
    ] {
        let finding = check(&fields);
        assert_eq!(finding.label, label, "{fields}");
        assert_eq!(finding.fields["discarded"], discarded, "{fields}");
    }
}

#[test]
fn quotations_in_running_text_count_when_found_or_attributed() {
    for (text, label, statuses) in [
        ("It \"crosses every hour\" as we know.", "verified", 1),
        (
            "We read that \"a ferry crosses every hour.\"",
            "verified",
            1,
        ),
        ("We read that “A ferry crosses every hour”.", "verified", 1),
        ("You said \"the ferry sank in spring\" before.", "none", 0),
        (
            "The harbour report says \"the ferry sank in spring\".",
            "fabricated",
            1,
        ),
        (
            "\"The ferry sank in spring\", says ferry.md plainly.",
            "fabricated",
            1,
        ),
        (
            "See the harbour report. You said \"the ferry sank in spring\".",
            "none",
            0,
        ),
        (
            "Per the harbour report \"a ferry crosses every hour\".",
            "verified",
            1,
        ),
        ("An open \"quotation that never ends\n\nferry", "none", 0),
        ("", "none", 0),
    ] {
        let finding = found(check_citations(&said(text, None), &documents()));
        let cited = finding.fields["citations"].as_array().unwrap();
        assert_eq!(
            (finding.label.as_str(), cited.len()),
            (label, statuses),
            "{text}"
        );
    }
}

#[test]
fn citations_beyond_the_most_that_are_checked_keep_a_turn_from_being_verified() {
    let one = json!({ "document": "ferry.md", "quote": "A ferry crosses every hour" });
    let fields = json!({ "points": [{ "evidence": vec![one; MAX_CITATIONS + 2] }] });
    let finding = check(&fields);
    assert_eq!(finding.label, "unquoted");
    assert_eq!(finding.fields["unchecked"], 2);
    assert_eq!(
        finding.fields["citations"].as_array().unwrap().len(),
        MAX_CITATIONS
    );
}

#[test]
fn large_documents_and_hostile_quotations_are_checked_to_the_end() {
    let text: String = (0..150_000).map(|n| format!("w{n} ")).collect();
    let documents = [Document {
        name: "big".to_owned(),
        text,
    }];
    let mut evidence: Vec<Value> = (0..MAX_CITATIONS - 4)
        .map(|n| json!({ "document": "big", "quote": format!("w{n} w{} x{n}", n + 1) }))
        .collect();
    evidence.push(json!({ "document": "big", "quote": "w149997 w149998 w149999" }));
    evidence.push(json!({ "document": "big", "quote": "...".repeat(200_000) }));
    evidence.push(json!({ "document": "big", "quote": "w1 … ".repeat(20_000) }));
    evidence.push(json!({ "document": "big", "quote": "“".repeat(20_000) }));
    let fields = json!({ "points": [{ "evidence": evidence }] });
    let finding = found(check_citations(&said("", Some(&fields)), &documents));
    let statuses: Vec<&Value> = finding.fields["citations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["status"])
        .collect();
    assert_eq!(
        statuses[MAX_CITATIONS - 5..],
        ["fabricated", "verified", "unquoted", "unquoted", "unquoted"]
    );
    let marks = "“\"".repeat(50_000);
    assert_eq!(
        found(check_citations(&said(&marks, None), &documents)).label,
        "none"
    );
}

proptest! {
    #[test]
    fn any_three_words_in_a_row_are_verified_however_they_are_typeset(
        words in proptest::collection::vec("[a-zà-öø-ý]{1,9}[,;]?", 3..40),
        from in 0usize..40, length in 3usize..12, spaces in "[ \\n\\t]{1,3}", upper in prop::bool::ANY,
    ) {
        let from = from.min(words.len() - 3);
        let slice = &words[from..(from + length).min(words.len())];
        let documents = [Document { name: "d".to_owned(), text: words.join(" ") }];
        let quote = slice.join(&spaces);
        let quote = if upper { quote.to_uppercase() } else { quote };
        let fields = json!({ "l": [{ "evidence": [{ "document": "D.txt", "quote": quote }] }] });
        prop_assert_eq!(found(check_citations(&said("", Some(&fields)), &documents)).label, "verified");
    }

    #[test]
    fn words_that_no_document_holds_are_fabricated(quote in "[q-z]{4,9}( [q-z]{4,9}){2,6}") {
        prop_assert_eq!(&cite("ferry.md", &quote)["status"], "fabricated");
    }

    #[test]
    fn nothing_that_is_said_panics(text in any::<String>(), quote in any::<String>(), name in any::<String>()) {
        let given = [Document { name: name.clone(), text: text.clone() }];
        let fields = json!({ "l": [{ "point": quote, "evidence": [{ "document": name, "quote": quote }] }] });
        check_citations(&said(&text, Some(&fields)), &given);
        check_citations(&said(&format!("{name}: \"{text}\" {quote}"), None), &given);
    }
}
