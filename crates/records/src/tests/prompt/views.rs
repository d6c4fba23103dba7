//! Every seat's view in every built-in game.

use crate::tests::builtin_games::{all_games, game, play};
use elenchus_game::debate::protocol::SettingValue;
use std::path::Path;

fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn views(game: &crate::library::Game) -> String {
    let (shown, _) = play(game);
    shown
        .iter()
        .map(|shown| format!("##### {}\n{}\n", shown.step, shown.text()))
        .collect()
}

#[test]
fn every_seat_of_every_game_is_shown_what_the_snapshot_says() {
    for (id, game) in all_games() {
        snapshot(&id, &views(&game));
    }
}

#[test]
fn the_single_style_shows_everything_in_one_message() {
    let two = SettingValue::Integer(2);
    let single = SettingValue::Text("single".to_owned());
    let game = game(
        "sred",
        &[
            ("rounds", two.clone()),
            ("debaters", two),
            ("prompt_style", single),
        ],
    );
    snapshot("sred-single", &views(&game));
}

#[test]
fn the_levers_of_a_game_show_in_what_its_seats_read() {
    let on = SettingValue::Bool(true);
    let text = |value: &str| SettingValue::Text(value.to_owned());
    let levers = [
        ("cross_examination", on.clone()),
        ("decomposition", on.clone()),
        ("critic_stance", text("chosen")),
        ("spurious_penalty", on),
        ("final_statements", text("simultaneous")),
        ("detectors", text("model")),
    ];
    snapshot("pcd-4-levers", &views(&game("pcd-4", &levers)));
    let single = [("prompt_style", text("single"))];
    snapshot("pcd-4-single", &views(&game("pcd-4", &single)));
    let assigned = [
        ("rounds", SettingValue::Integer(1)),
        ("stance", text("shuffled")),
        ("order", text("sequential")),
        ("judge_documents", text("all")),
    ];
    snapshot(
        "two-candidate-assigned",
        &views(&game("two-candidate", &assigned)),
    );
}

#[test]
fn revealed_verdicts_are_shown_where_the_setting_turns_them_on() {
    let two = SettingValue::Integer(2);
    let on = SettingValue::Bool(true);
    let game = game(
        "pred",
        &[
            ("rounds", two.clone()),
            ("debaters", two),
            ("reveal_verdicts", on),
        ],
    );
    let (shown, _) = play(&game);
    let second = shown
        .iter()
        .find(|shown| shown.step == "speak r2.answer.debater-0#0")
        .unwrap();
    let text = second.text();
    assert!(
        text.contains("found this of your answer of round 1: unsafe"),
        "{text}"
    );
    assert!(
        text.contains("[An independent evaluator found this: unsafe]"),
        "{text}"
    );
}

#[test]
fn the_note_on_truth_is_read_by_whom_the_setting_says_and_by_nobody_else() {
    for id in ["pcd-2", "pcd-4", "consultancy"] {
        for (value, speakers, judges) in [
            ("off", false, false),
            ("speakers", true, false),
            ("judge", false, true),
            ("all", true, true),
        ] {
            let setting = SettingValue::Text(value.to_owned());
            let (shown, _) = play(&game(id, &[("truth_note", setting)]));
            for view in shown {
                let text = view.text();
                let noted = text.contains("What is true counts here")
                    || text.contains("find out what is true");
                let wanted = match view.turn {
                    Some(_) => speakers,
                    None => judges,
                };
                assert_eq!(noted, wanted, "{id}, {value}: {}\n{text}", view.step);
            }
        }
    }
}

#[test]
fn a_judge_that_reads_no_documents_is_shown_none_and_the_critic_knows_it() {
    let none = SettingValue::Text("none".to_owned());
    let (shown, _) = play(&game("pcd-4", &[("judge_documents", none)]));
    for view in shown {
        let text = view.text();
        let reads = text.contains("Document \"");
        match &view.turn {
            None => assert!(!reads, "{}\n{text}", view.step),
            Some(turn) => {
                assert!(reads, "{}\n{text}", view.step);
                let is_critic = turn.chair.seat.as_str() == "critic";
                assert_eq!(
                    text.contains("has not read the documents"),
                    is_critic,
                    "{text}"
                );
            }
        }
    }
}
