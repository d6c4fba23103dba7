//! The filter of the list of sessions, without a terminal.

use super::screen::{full, glance, list_with_verdicts, order, stage_of};

#[test]
fn the_filter_follows_what_is_typed_and_esc_drops_it() {
    let mut stage = full();
    stage.press("/").write("twn");
    insta::assert_snapshot!("sessions_filter_80", stage.draw_with_cursor(80, 24));
    assert_eq!(order(&mut stage), ["town"]);
    stage.press("Enter Enter");
    assert_eq!(stage.asked(), ["open s4"]);
    stage.press("Esc");
    assert_eq!(order(&mut stage).len(), 7);
    stage.press("/").write("pred pai");
    assert_eq!(order(&mut stage), ["dispose", "dispose"]);
    stage.press("Esc");
    assert_eq!(order(&mut stage).len(), 7);
}

/// The sessions that pass a filter, by words of their topics or names.
fn filtered(filter: &str) -> Vec<&'static str> {
    let mut stage = full();
    stage.press("/").write(filter);
    order(&mut stage)
}

#[test]
fn a_filter_names_fields_and_a_minus_takes_away() {
    assert_eq!(filtered("state:failed"), ["dispose"]);
    assert_eq!(filtered("failed"), ["dispose"]);
    assert_eq!(filtered("state:open tag:paint"), ["dispose"]);
    assert_eq!(filtered("is:simulated"), ["town"]);
    assert_eq!(filtered("is:fork"), ["dispose"]);
    assert_eq!(filtered("cost>1"), ["漢字"]);
    // What is not known is in no range.
    assert_eq!(filtered("cost>=0 is:fork"), Vec::<&str>::new());
    assert_eq!(filtered("age<1h"), ["dispose"]);
    assert_eq!(filtered("run:r1 -state:failed"), ["town"]);
    assert_eq!(filtered("protocol:moderated"), ["漢字"]);
    assert_eq!(filtered("topic:\"old paint\" rounds<3"), ["dispose"]);
    assert_eq!(filtered("verdict:unparsed protocol:dared"), ["town"]);
    // A field without a value, or an age without its unit, is still being typed.
    assert_eq!(filtered("model:"), filtered(""));
    assert_eq!(filtered("age<2"), filtered(""));
}

#[test]
fn what_cannot_be_read_of_a_filter_is_said_with_what_can_be_written() {
    for (filter, why) in [
        (
            "state:done",
            "state: is one of open, failed, truncated, complete",
        ),
        ("is:old", "is: is one of fork, replicate, example"),
        ("cost>much", "cost is written cost>0.10"),
        ("age<2y", "age is written age<2d"),
    ] {
        let mut stage = full();
        stage.press("/").write(filter);
        let drawn = stage.draw_with_cursor(120, 40);
        assert!(drawn.contains(why), "{filter}: {drawn}");
    }
}

#[test]
fn exact_matches_come_before_near_ones_and_another_filter_begins_anew() {
    let mut stage = stage_of(vec![
        Ok(glance("t3", "pred", "What is a thin ice cap?")),
        Ok(glance("t2", "pred", "Is topic four hundred known?")),
        Ok(glance("t1", "pred", "topic for 401")),
    ]);
    stage.press("/").write("tpic");
    let drawn = stage.draw_with_cursor(80, 24);
    assert!(drawn.contains("2 matches"), "{drawn}");
    stage.press("Enter").press("/").write("topic for");
    let drawn = stage.draw_with_cursor(80, 24);
    let place = |text: &str| drawn.find(text).unwrap();
    assert!(place("topic for 401") < place("Is topic four"), "{drawn}");
    // Digits are not looked for in the middle of ids.
    stage.press("Enter").press("/").write("401");
    assert!(stage.draw_with_cursor(80, 24).contains("1 match"));
}

#[test]
fn a_filter_tells_nothing_of_verdicts_that_are_hidden() {
    let mut hidden = glance("t1", "pred", "hidden one");
    hidden.summary.verdicts = "hidden".to_owned();
    for filter in [
        "verdict:unsafe",
        "verdict:safe",
        "verdict:empty",
        "verdict:u",
    ] {
        let mut stage = stage_of(vec![Ok(hidden.clone())]);
        stage.press("/").write(filter);
        let drawn = stage.draw_with_cursor(80, 24);
        assert!(!drawn.contains("hidden one"), "{filter}: {drawn}");
    }
}

#[test]
fn letters_strewn_over_a_topic_are_no_match() {
    let mut stage = full();
    stage.press("/").write("hdsy");
    assert_eq!(order(&mut stage), Vec::<&str>::new());
    assert!(stage.draw_with_cursor(80, 24).contains("No session fits"));
}

#[test]
fn filtered_and_empty_turns_have_letters_of_their_own() {
    let mut stage = list_with_verdicts("sufe");
    let drawn = stage.draw(120, 40);
    assert!(drawn.contains("SUFE"), "{drawn}");
    assert!(drawn.contains("1 filtered, 1 empty"), "{drawn}");
}
