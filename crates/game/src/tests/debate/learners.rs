//! Seats that learn for themselves: what a protocol may say of them, and which steps they wait for.

use super::harness::{created, perform, protocol, record};
use elenchus_game::debate::event::{EventGroup, Learning, Placebo};
use elenchus_game::debate::protocol::{Protocol, ProtocolFile, SettingValue, Settings};
use elenchus_game::debate::{Event, EventRefusal, SeatId, SessionId, State, Step, StepId};

const MARKET: &str = r#"
id = "market"
name = "Market"
description = "A seller and a buyer haggle; a clerk decides"
measures = "correctness"
rounds = 1

[settings.learn]
default = "off"
one_of = ["off", "seller", "buyer", "both"]
help = "Who learns"

[[seats]]
id = "seller"
kind = "speaker"

[[seats]]
id = "buyer"
kind = "speaker"

[[seats]]
id = "clerk"
kind = "judge"

[[seats]]
id = "scribe"
kind = "feedback"

[[stages]]
id = "haggle"
seats = ["seller", "buyer"]
sees = { topic = true, memory = "$learn!=off" }

[[judging]]
id = "price"
by = "clerk"
of = "debate"
rubric = "price"
sees = { topic = true, turns = [{ seats = ["seller", "buyer"] }] }

[rewards.price]
good = { seller = 1.0, buyer = -1.0 }
bad = { seller = -1.0, buyer = 1.0 }

[[feedback]]
by = "scribe"
for = "seller"
enabled = "$learn=seller|both"
when = "always"
sees = { topic = true, rewards = true, own_private = "all" }

[[feedback]]
by = "scribe"
for = "buyer"
enabled = "$learn=buyer|both"
when = "always"
sees = { topic = true, rewards = true, own_private = "all" }
"#;

fn market(learn: &str) -> Protocol {
    protocol(MARKET, &[("learn", SettingValue::Text(learn.to_owned()))])
}

fn fault_of(text: &str) -> String {
    let learn = SettingValue::Text("both".to_owned());
    let given = Settings::from([("learn".to_owned(), learn)]);
    let file = ProtocolFile::parse("market.toml", text).unwrap();
    file.resolve_protocol(&given).unwrap_err().to_string()
}

/// Performs every open step until one of this id is open, or nothing is.
fn play_until(state: &mut State, id: &str) -> Vec<String> {
    loop {
        let steps = state.find_open_steps().steps;
        let ids: Vec<String> = steps.iter().map(|step| step.id().to_string()).collect();
        if ids.is_empty() || ids.iter().any(|open| open == id) {
            return ids;
        }
        let event = perform(state, &steps[0], 1);
        state.apply_event(&record(event)).unwrap();
    }
}

#[test]
fn the_seats_that_learn_are_those_whose_lesson_is_enabled() {
    let learners = |learn: &str| -> Vec<String> {
        let game = market(learn);
        game.learners().map(ToString::to_string).collect()
    };
    assert!(learners("off").is_empty());
    assert_eq!(learners("buyer"), ["buyer"]);
    assert_eq!(learners("both"), ["seller", "buyer"]);
    // A game in which nobody learns shows no memory; a journal of one in which somebody does reads the same.
    assert!(!market("off").shows_memory());
    let game = market("both");
    let text = serde_json::to_string(&game).unwrap();
    assert_eq!(serde_json::from_str::<Protocol>(&text).unwrap(), game);
}

#[test]
fn a_single_lesson_is_written_as_earlier_versions_read_it() {
    let (begin, _) = MARKET.split_once("[[feedback]]").unwrap();
    let text = format!(
        "{begin}[feedback]\nby = \"scribe\"\njudging = \"price\"\nlabels = [\"bad\"]\nsees = {{ topic = true }}\n"
    );
    let game = protocol(&text, &[]);
    let written = serde_json::to_value(&game).unwrap();
    let feedback = written["feedback"].as_object().unwrap();
    let names: Vec<&String> = feedback.keys().collect();
    assert_eq!(names, ["by", "judging", "labels", "sees"]);
    assert!(feedback["sees"].get("rewards").is_none());
    assert_eq!(serde_json::from_value::<Protocol>(written).unwrap(), game);
    let wrong = text.replace("labels =", "lables =");
    let why = fault_of(&wrong);
    assert!(why.contains("lables"), "{why}");
}

#[test]
fn lessons_that_cannot_be_are_refused_with_the_reason() {
    for (from, to, why) in [
        (
            "for = \"buyer\"",
            "for = \"seller\"",
            "two lessons for the seat 'seller'",
        ),
        ("for = \"buyer\"", "for = \"clerk\"", "cannot learn"),
        ("for = \"buyer\"\n", "", "would be shown to nobody"),
        ("when = \"always\"", "", "`labels` of which `judging`"),
        (
            "when = \"always\"",
            "when = \"always\"\njudging = \"price\"",
            "names no `judging`",
        ),
        (
            "id = \"seller\"\nkind = \"speaker\"",
            "id = \"seller\"\nkind = \"speaker\"\ncount = 2",
            "several chairs",
        ),
        (
            "$learn=seller|both",
            "$learn=seller|nobody",
            "can never be 'nobody'",
        ),
        (
            "memory = \"$learn!=off\"",
            "rewards = true",
            "authors of lessons alone",
        ),
        (
            "by = \"clerk\"\nof = \"debate\"\nrubric = \"price\"",
            "grader = \"auto\"\nof = \"debate\"",
            "reference answer",
        ),
    ] {
        assert!(MARKET.contains(from), "{from}");
        let found = fault_of(&MARKET.replacen(from, to, 1));
        assert!(found.contains(why), "{from} → {to}: {found}");
    }
}

#[test]
fn each_learner_is_shown_its_own_memory_and_others_none() {
    let mut state = State::default();
    let begin = created(market("buyer"), 1);
    state
        .apply_event(&record(Event::Created(Box::new(begin))))
        .unwrap();
    let open = |state: &State| -> Vec<String> {
        let steps = state.find_open_steps().steps;
        steps.iter().map(|step| step.id().to_string()).collect()
    };
    // The seller, who does not learn, waits for no memory.
    assert_eq!(
        open(&state),
        ["retrieve buyer", "speak r1.haggle.seller-0#0"]
    );
    let own = perform(&state, &Step::Retrieve(Some(SeatId::new("buyer"))), 1);
    state.apply_event(&record(own.clone())).unwrap();
    assert_eq!(
        open(&state),
        ["speak r1.haggle.seller-0#0", "speak r1.haggle.buyer-0#0"]
    );
    assert_eq!(
        state.apply_event(&record(own)),
        Err(EventRefusal::NoRetrieval)
    );
    assert!(state.retrieved_for(&SeatId::new("seller")).is_none());
    assert!(state.retrieved_for(&SeatId::new("buyer")).is_some());
}

#[test]
fn lessons_wait_for_the_rewards_that_are_exchanged() {
    let mut begin = created(market("both"), 1);
    begin.memory.learning = Some(Learning {
        batch: 2,
        split: None,
        accepts_up_to: None,
        placebo: Some(Placebo::Rewards),
    });
    let mut state = State::default();
    state
        .apply_event(&record(Event::Created(Box::new(begin.clone()))))
        .unwrap();
    assert!(!state.waits_for_rewards());
    assert_eq!(play_until(&mut state, "swap-rewards"), ["swap-rewards"]);
    assert!(state.waits_for_rewards() && state.has_decisions());
    let own = state.paid_decisions();
    assert_eq!(own.rewards.len(), 2);
    let swap = perform(&state, &Step::SwapRewards, 1);
    assert!(matches!(swap.group(), EventGroup::Memory(_)));
    state.apply_event(&record(swap.clone())).unwrap();
    assert!(matches!(
        state.apply_event(&record(swap)),
        Err(EventRefusal::NotOpen(_))
    ));
    assert_eq!(
        play_until(&mut state, "feedback seller"),
        ["feedback seller", "feedback buyer"]
    );
    assert!(play_until(&mut state, "nothing").is_empty());
    let written: Vec<&str> = state
        .lessons()
        .map(|lesson| lesson.learner.as_ref().unwrap().as_str())
        .collect();
    assert_eq!(written, ["buyer", "seller"]);

    // Where memory is only read no lesson is written, and nothing is waited for.
    begin.memory.writes = false;
    let mut reading = State::default();
    reading
        .apply_event(&record(Event::Created(Box::new(begin))))
        .unwrap();
    assert!(play_until(&mut reading, "swap-rewards").is_empty());
    assert!(reading.lesson().is_none());
    assert_eq!(StepId::feedback_step(None).as_str(), "feedback");
}

#[test]
fn a_lesson_that_is_turned_off_asks_for_nothing() {
    let (begin, _) = MARKET.split_once("[rewards.price]").unwrap();
    let (_, lessons) = MARKET.split_once("[[feedback]]").unwrap();
    let unpaid = format!("{begin}[[feedback]]{lessons}");
    assert!(fault_of(&unpaid).contains("where none are paid"));
    let off = SettingValue::Text("off".to_owned());
    assert!(protocol(&unpaid, &[("learn", off)]).feedback.is_empty());
    // Beside seats that learn for themselves, a lesson of all that is turned off is nobody's either.
    let common = MARKET.replacen("for = \"buyer\"\n", "", 1);
    let seller = SettingValue::Text("seller".to_owned());
    let game = protocol(&common, &[("learn", seller)]);
    let learners: Vec<&str> = game.learners().map(SeatId::as_str).collect();
    assert_eq!(learners, ["seller"]);
}

#[test]
fn rewards_are_known_once_everything_that_pays_was_judged() {
    let text = MARKET.replacen(
        "of = \"debate\"\nrubric = \"price\"",
        "of = \"round\"\nwhen = \"end\"\nrubric = \"price\"",
        1,
    );
    let off = [("learn", SettingValue::Text("off".to_owned()))];
    let mut state = State::default();
    let begin = created(protocol(&text, &off), 1);
    state
        .apply_event(&record(Event::Created(Box::new(begin))))
        .unwrap();
    let mut known_while_open = 0;
    loop {
        let steps = state.find_open_steps().steps;
        let Some(step) = steps.first() else { break };
        known_while_open += usize::from(state.has_decisions());
        let event = perform(&state, step, 1);
        state.apply_event(&record(event)).unwrap();
    }
    assert_eq!(known_while_open, 0, "the round is judged last");
    assert!(state.has_decisions());
    let (begin, _) = MARKET.split_once("[rewards.price]").unwrap();
    let (begin, _) = begin.split_once("[[feedback]]").unwrap_or((begin, ""));
    let mut unpaid = State::default();
    let begin = created(protocol(begin, &off), 1);
    unpaid
        .apply_event(&record(Event::Created(Box::new(begin))))
        .unwrap();
    assert!(play_until(&mut unpaid, "nothing").is_empty());
    assert!(!unpaid.has_decisions(), "nothing pays");
}

#[test]
fn a_fork_waits_for_no_rewards_of_others_and_writes_no_lesson_from_them() {
    let mut begin = created(market("both"), 1);
    begin.memory.learning = Some(Learning {
        batch: 2,
        split: None,
        accepts_up_to: None,
        placebo: Some(Placebo::Rewards),
    });
    let mut state = State::default();
    state
        .apply_event(&record(Event::Created(Box::new(begin))))
        .unwrap();
    play_until(&mut state, "swap-rewards");
    let fork = |state: &State| {
        let mut fork = state.clone();
        let forked = Event::Forked {
            parent: SessionId::new("s"),
            parent_head: "head".to_owned(),
            session: None,
        };
        fork.apply_event(&record(forked)).unwrap();
        fork
    };
    // It is part of no batch: nobody would give it another debate's rewards.
    let alone = fork(&state).find_open_steps();
    assert!(
        alone.steps.is_empty() && alone.done.is_some(),
        "{:?}",
        alone.steps
    );
    // One that left later has them, and writes its lessons.
    let swap = perform(&state, &Step::SwapRewards, 1);
    state.apply_event(&record(swap)).unwrap();
    assert_eq!(fork(&state).find_open_steps().steps.len(), 2);
}
