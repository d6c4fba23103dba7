//! Form and report of a prompt comparison.

use crate::tui::test_screen::TestScreen;
use elenchus::tui::app::Screen;
use elenchus::tui::screens::comparison_form::{ComparisonForm, FormMessage};
use elenchus::tui::screens::prompt_ab::ComparisonList;
use elenchus_game::debate::{CostEstimate, ExpectedUse, SessionId, TurnId};
use elenchus_records::workspace::prompts::PromptName;
use elenchus_run::drafts::prompt_ab::CompareWish;
use elenchus_run::engine::Repeats;
use elenchus_run::experiments::prompt_ab::{
    AbArm, AbContext, AbPlanned, AbSource, AbStop, AbSurvey, AbWish,
};
use elenchus_run::experiments::prompt_trial::{RollForward, TriedCall};

fn source(label: &str, sessions: &[&str]) -> AbSource {
    AbSource {
        label: label.to_owned(),
        detail: format!("{} of this game", sessions.len()),
        sessions: sessions.iter().map(|id| SessionId::new(*id)).collect(),
    }
}

const POWER: &str = "12 topics show a difference of 61 points where 10 % of topics come out differently by \
    chance as well (5 %, power 80 %, one sample a topic; more show more)";

fn survey() -> AbSurvey {
    AbSurvey {
        sources: vec![
            source("all real debates", &["01A", "01B", "01C"]),
            source("run 01RUN", &["01A", "01B"]),
            source("debate 01C", &["01C"]),
        ],
        seats: vec!["debater".to_owned()],
        is_judged: true,
        is_of_verdicts: false,
        truths: Vec::new(),
        judges: vec!["large".to_owned(), "small".to_owned()],
        budget_usd: Some(5.0),
    }
}

fn wish() -> CompareWish {
    CompareWish {
        prompt: PromptName {
            protocol: "sred".to_owned(),
            template: "debater".to_owned(),
        },
        a: AbArm {
            name: "recorded".to_owned(),
            text: None,
        },
        b: AbArm {
            name: "mine.md".to_owned(),
            text: Some("=== user\nSay it briefly.\n".to_owned()),
        },
    }
}

/// A form that knows its debates, and what it asked for then.
fn form() -> (TestScreen<ComparisonForm>, AbWish) {
    let mut screen = ComparisonForm::from_wish(wish());
    let effects = screen.handle_open();
    let mut stage = TestScreen::with(screen, effects);
    assert_eq!(stage.asked(), ["start: find debates to compare on"]);
    assert!(stage.draw(80, 24).contains("looking for debates"));
    stage.update(FormMessage::Surveyed(Ok(survey())));
    let wanted = asked(&mut stage);
    (stage, wanted)
}

fn asked(stage: &mut TestScreen<ComparisonForm>) -> AbWish {
    assert_eq!(stage.asked(), ["start: work out what a comparison costs"]);
    stage.screen.wish().unwrap()
}

fn answered(stage: &mut TestScreen<ComparisonForm>, wish: &AbWish, turns: u32) {
    let contexts = (0..turns).map(|at| AbContext {
        topic_key: None,
        truth: None,
        session: SessionId::new(format!("01{at}")),
        call: TurnId::try_from("r1.answer.debater-0".to_owned())
            .ok()
            .map(TriedCall::Turn),
        topic: format!("t{at}"),
    });
    let mut plan = wish.plan.clone();
    plan.contexts = contexts.collect();
    let used = |cost_usd| ExpectedUse {
        calls: u64::from(turns * plan.samples * 4),
        cost_usd: Some(cost_usd),
        ..ExpectedUse::default()
    };
    let planned = AbPlanned {
        topics: turns as usize,
        estimate: Ok(CostEstimate {
            likely: used(0.5),
            at_most: used(2.0),
        }),
        simulated: false,
        is_one_text: false,
        power: Some(POWER.to_owned()),
        notices: Vec::new(),
        plan,
    };
    stage.update(FormMessage::Planned(Ok(Box::new(planned))));
}

#[test]
fn a_comparison_is_set_out_with_its_cost_before_it_begins() {
    let (mut stage, wanted) = form();
    assert_eq!(wanted.sessions.len(), 3);
    assert_eq!(wanted.plan.ceilings.cost_usd, Some(5.0));
    assert!(stage.draw(80, 24).contains("working out what it costs"));
    // Begun before its cost is known, it waits; another key goes on with the form.
    assert!(stage.press("G Enter").asked().is_empty());
    let status = stage.screen.describe_status();
    assert!(status.contains("begins once its cost is known"), "{status}");
    let said = stage.press("G").asked().join(", ");
    assert!(said.contains("taken back"), "{said}");
    assert!(!stage.screen.describe_status().contains("begins once"));
    // Esc takes it back as well, and leaves the form only when nothing waits.
    stage.press("Enter");
    let said = stage.press("Esc").asked().join(", ");
    assert!(said.contains("taken back"), "{said}");
    assert!(!said.contains("leave"), "{said}");
    answered(&mut stage, &wanted, 12);
    assert!(stage.asked().is_empty());
    insta::assert_snapshot!("set_out_80x24", stage.draw(80, 24));
    assert_eq!(wanted.plan.arms, [wish().a, wish().b]);
    assert_eq!(stage.press("Enter").asked(), ["start: begin a comparison"]);
    assert!(stage.press("Enter").asked().is_empty(), "it begins once");
    stage.update(FormMessage::Begun(Ok("01AB".to_owned())));
    assert_eq!(stage.asked(), ["replace"]);
}

#[test]
fn a_comparison_that_is_begun_early_begins_when_its_cost_is_known() {
    let (mut stage, wanted) = form();
    assert!(stage.press("G Enter").asked().is_empty());
    answered(&mut stage, &wanted, 12);
    assert_eq!(stage.asked(), ["start: begin a comparison"]);
}

#[test]
fn every_field_says_what_is_compared_and_a_change_has_the_cost_worked_out_anew() {
    let (mut stage, wanted) = form();
    answered(&mut stage, &wanted, 12);
    // Of the debates, the second of the list.
    stage.press("Enter");
    insta::assert_snapshot!("debates_80x24", stage.draw(80, 24));
    stage.write("run").press("Enter");
    let wanted = asked(&mut stage);
    assert_eq!(wanted.sessions.len(), 2);
    // While that is worked out, much else is changed: it is asked for once more, not once each.
    stage.press("j l j l l j");
    stage.write("30").press("Enter");
    stage.press("l j l j l j l j l");
    stage.press("j Ctrl-U").write("0.75").press("Enter");
    assert!(stage.commands().is_empty());
    answered(&mut stage, &wanted, 12);
    let wanted = asked(&mut stage);
    assert_eq!(
        (wanted.seat.as_deref(), wanted.round, wanted.turns),
        (Some("debater"), Some(2), Some(30))
    );
    let plan = &wanted.plan;
    assert_eq!((plan.samples, plan.roll), (3, RollForward::Next));
    assert!(matches!(plan.stop, AbStop::Settled { .. }));
    assert_eq!(
        plan.preference.as_ref().map(|kept| kept.judge.as_str()),
        Some("large")
    );
    assert_eq!(
        (plan.repeats, plan.ceilings.cost_usd),
        (Repeats::AskAnew, Some(0.75))
    );
    answered(&mut stage, &wanted, 0);
    let page = stage.draw(80, 24);
    assert!(page.contains("no recorded turn fits"), "{page}");
    let said = stage.press("G Enter").asked();
    assert!(said[0].contains("no recorded turn fits"), "{said:?}");
}

#[test]
fn two_prompts_of_one_text_are_warned_of_before_they_are_paid_for() {
    let (mut stage, wanted) = form();
    let planned = AbPlanned {
        topics: 1,
        estimate: Err("no price".to_owned()),
        simulated: false,
        is_one_text: true,
        power: None,
        notices: Vec::new(),
        plan: elenchus_run::experiments::prompt_ab::AbPlan {
            contexts: vec![AbContext {
                topic_key: None,
                truth: None,
                session: SessionId::new("01A"),
                call: None,
                topic: "t".to_owned(),
            }],
            ..wanted.plan.clone()
        },
    };
    stage.update(FormMessage::Planned(Ok(Box::new(planned))));
    let page = stage.draw(80, 24);
    assert!(page.contains("A and B are one text"), "{page}");
}

#[test]
fn what_does_not_fit_a_field_stays_in_it_with_what_would() {
    let (mut stage, wanted) = form();
    answered(&mut stage, &wanted, 12);
    stage.press("j j j j Ctrl-U");
    stage.write("900").press("Enter");
    assert!(stage.draw(80, 24).contains("a number from 1 to 64"));
    assert!(stage.is_typing());
    stage.press("Esc");
    assert!(stage.commands().is_empty());
}

#[test]
fn a_digit_types_another_number_at_once_and_a_letter_stays_a_command() {
    let (mut stage, wanted) = form();
    answered(&mut stage, &wanted, 12);
    stage.press("j j j j").write("7").press("Tab");
    assert_eq!(asked(&mut stage).plan.samples, 7);
    assert!(!stage.is_typing());
    stage.press("k").paste("3");
    stage.press("Enter");
    assert!(stage.draw(80, 24).contains("samples           3"));
}

#[test]
fn without_comparisons_the_list_says_where_they_come_from() {
    let mut stage = TestScreen::new(ComparisonList::default());
    stage.update(Vec::new());
    assert!(stage.draw(80, 24).contains("no prompts were compared yet"));
    assert_eq!(stage.press("Esc").asked(), ["leave"]);
}
