//! A researcher's game that uses everything the built-in games do not have at once: an auction of
//! claims, with notes, structured bids, rulings, an ensemble and a field that ends it.

use elenchus_test_support::journals::{Debate, events};
use elenchus_test_support::program::Program;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const AUCTION: &str = r#"id = "auction"
name = "Auction"
description = "A seller offers claims, two bidders stake points on them, a keeper closes"
source = "a test"
measures = "quality"
rounds = 4
style = "dialogue"

[[seats]]
id = "seller"
kind = "speaker"
label = "Seller"

[[seats]]
id = "bidder"
kind = "speaker"
label = "Bidder"
count = 2

[[seats]]
id = "keeper"
kind = "speaker"
label = "Keeper"

[[seats]]
id = "appraiser"
kind = "judge"
label = "Appraiser"
count = 3

[[stages]]
id = "offer"
seats = ["seller"]
sees = { topic = true, rulings = ["price"], turns = [{ seats = ["seller", "bidder"] }] }

[[stages]]
id = "estimate"
seats = ["bidder"]
private = true
template = "estimate"
sees = { topic = true, own_private = "all", turns = [{ seats = ["seller"], rounds = "this" }] }

[[stages]]
id = "bid"
seats = ["bidder"]
template = "bid"
sees = { own_private = "this_round", turns = [{ seats = ["seller"], rounds = "this" }] }
retry = [{ field = "stake", below = 7, at_most = 2, template = "higher" }]

[stages.output]
type = "object"
required = ["claim", "stake"]
properties.claim = { type = "string" }
properties.stake = { type = "integer", minimum = 1, maximum = 10 }

[[stages]]
id = "close"
seats = ["keeper"]
sees = { turns = [{ seats = ["bidder"], rounds = "this" }] }
output = { type = "object", required = ["sold"], properties = { sold = { type = "boolean" } } }

[[judging]]
id = "price"
by = "appraiser"
of = "round"
rubric = "price"
sees = { topic = true, turns = [{ seats = ["seller", "bidder"], rounds = "this" }] }

[[stop]]
stage = "close"
field = "sold"
equals = true

[rewards.price]
fair = { bidder = 1.0, seller = 0.5 }
inflated = { bidder = -1.0, seller = 1.0 }
"#;

const SELLER: &str = "=== user
{% if first %}
{{ topic }}
{% endif %}
{% for ruling in rulings %}
Round {{ ruling.round }}, {{ ruling.label }}: {{ ruling.text }}
{% endfor %}
{% for turn in turns %}
{{ turn.label }}: {{ turn.text }}
{% endfor %}
Offer a claim.
";

const ESTIMATE: &str = "=== user
{% for turn in turns %}
{{ turn.text }}
{% endfor %}
What is it worth to you, bidder {{ me.number }} of {{ me.count }}?
";

const BID: &str = "=== user
Bid now.
";

const HIGHER: &str = "=== user
{{ retry.value }} is below {{ retry.below }}: too little.
";

const KEEPER: &str = "=== user
{% for turn in turns %}
{{ turn.label }} bids {{ turn.text }}
{% endfor %}
Sold?
";

const PRICE: &str = r#"id = "price"
description = "Was the claim worth its price?"
reading = "last_line"

[[labels]]
name = "fair"
meaning = "the stakes fit the claim"
says = "VERDICT: fair"
value = 1.0

[[labels]]
name = "inflated"
meaning = "the stakes are too high"
says = "VERDICT: inflated"
value = -1.0
"#;

const APPRAISER: &str = "=== user
{% for turn in turns %}
{{ turn.label }}: {{ turn.text }}
{% endfor %}
{% for label in labels %}
{{ label.says }}: {{ label.meaning }}
{% endfor %}
";

fn home() -> Program {
    let program = Program::with_topics("");
    for (name, text) in [
        ("protocol.toml", AUCTION),
        ("seller.md", SELLER),
        ("estimate.md", ESTIMATE),
        ("bid.md", BID),
        ("higher.md", HIGHER),
        ("keeper.md", KEEPER),
        ("rubrics/price.toml", PRICE),
        ("rubrics/price.md", APPRAISER),
    ] {
        program.write(&format!(".elenchus/prompts/auction/{name}"), text);
    }
    program
}

/// The attempts at each turn, in their order, with what their fields say.
fn attempts(session: &[Value]) -> BTreeMap<String, Vec<Value>> {
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for event in session.iter().filter(|event| event["type"] == "replied") {
        let turn = event["turn"].as_str().unwrap().to_owned();
        let fields = event["fields"]["read"].clone();
        found.entry(turn).or_default().push(fields);
    }
    found
}

#[test]
fn an_auction_written_as_data_is_checked_and_played_by_its_own_rules() {
    let program = home();
    let checked = program.run_ok(&["protocols", "check", "auction"]);
    assert!(checked.starts_with("ok: auction (4 stages"), "{checked}");
    let mut lengths = BTreeSet::new();
    let mut tries = BTreeSet::new();
    for seed in 0..8 {
        let program = program.with_store(&format!("s{seed}"));
        let seed = seed.to_string();
        program.run_ok(&[
            "run",
            "--protocol",
            "auction",
            "--topic",
            "Which claim?",
            "--seed",
            &seed,
        ]);
        let session = program.session_files().remove(0);
        let played = events(&session);
        let turns = attempts(&played);

        // The first round that is sold is the last one.
        let sold = |round: u32| {
            turns
                .get(&format!("r{round}.close.keeper-0"))
                .map(|tried| tried[0]["sold"] == true)
        };
        let rounds = (1..=4).take_while(|round| sold(*round).is_some()).count() as u32;
        for round in 1..=rounds {
            assert!(
                sold(round) == Some(round == rounds) || round == 4,
                "{seed}: {round}"
            );
        }
        lengths.insert(rounds);

        // A bid below 7 is asked for again, twice at most.
        for (turn, tried) in turns.iter().filter(|(turn, _)| turn.contains(".bid.")) {
            let stakes: Vec<i64> = tried
                .iter()
                .map(|bid| bid["stake"].as_i64().unwrap())
                .collect();
            let (last, before) = stakes.split_last().unwrap();
            assert!(before.iter().all(|stake| *stake < 7), "{turn}: {stakes:?}");
            assert!(*last >= 7 || stakes.len() == 3, "{turn}: {stakes:?}");
            tries.insert(stakes.len());
        }

        let debate = Debate::read(&session);
        assert_eq!(
            debate.found.len(),
            3 * rounds as usize,
            "{:?}",
            debate.found
        );
        assert_eq!(
            program
                .run_ok(&["show", "last"])
                .matches("price together")
                .count(),
            rounds as usize
        );
        for event in played.iter().filter(|event| event["view"].is_object()) {
            let view = event["view"].to_string();
            let reader = event["turn"].as_str().unwrap_or_default();
            // An estimate is read by the bidder who made it.
            for bidder in ["bidder-0", "bidder-1"] {
                let own = reader.ends_with(bidder);
                assert!(
                    own || !view.contains(&format!(".estimate.{bidder}")),
                    "{event}"
                );
            }
            // The seller is told the price of every earlier round, and of no other.
            if let Some(round) = reader.strip_suffix(".offer.seller-0") {
                let round: u32 = round[1..].parse().unwrap();
                let told = (1..=rounds).filter(|of| view.contains(&format!("Round {of}, ")));
                assert_eq!(
                    told.collect::<Vec<_>>(),
                    (1..round).collect::<Vec<_>>(),
                    "{view}"
                );
            }
        }
        program.run_ok(&["verify"]);
    }
    assert!(lengths.len() > 1, "every auction had {lengths:?} rounds");
    assert!(tries.len() > 1, "every bid was asked for {tries:?} times");
}
