//! A fork that goes on with other prompts.

use super::harness::{created, protocol};
use super::kitchen_sink::KITCHEN;
use elenchus_game::debate::event::{Author, Event, Prompted, Record};
use elenchus_game::debate::{EventRefusal, SessionId, State};
use std::collections::BTreeMap;

fn record(event: Event) -> Record {
    Record {
        at: "2026-01-01T00:00:00.000Z".to_owned(),
        by: Author::Engine,
        event,
    }
}

fn forked() -> Record {
    record(Event::Forked {
        parent: SessionId::new("p"),
        parent_head: "00".to_owned(),
        session: None,
    })
}

fn prompted(template: &str, sample: u32) -> Record {
    let text = "=== user\nanother text\n".to_owned();
    record(Event::Prompted(Box::new(Prompted {
        templates: BTreeMap::from([(template.to_owned(), text)]),
        sample,
        derives: None,
    })))
}

/// A session that has one template.
fn begun() -> State {
    let mut created = created(protocol(KITCHEN, &[]), 1);
    let text = "=== user\nthe first text\n".to_owned();
    created.templates.insert("cook".to_owned(), text);
    let mut state = State::default();
    state
        .apply_event(&record(Event::Created(Box::new(created))))
        .unwrap();
    state
}

#[test]
fn prompts_change_as_the_first_act_of_a_fork_alone() {
    let mut state = begun();
    let before = state.clone();
    assert_eq!(
        state.apply_event(&prompted("cook", 0)),
        Err(EventRefusal::NotForked)
    );
    assert_eq!(state, before);
    state.apply_event(&forked()).unwrap();
    state.apply_event(&prompted("cook", 3)).unwrap();
    let templates = &state.first_event().unwrap().templates;
    assert!(templates["cook"].contains("another text"));
    assert_eq!(state.sample_index(), 3);
    // Once is enough: whoever wants other texts forks anew.
    assert_eq!(
        state.apply_event(&prompted("cook", 0)),
        Err(EventRefusal::NotForked)
    );
    let mut late = begun();
    late.apply_event(&forked()).unwrap();
    late.apply_event(&record(Event::Resumed {})).unwrap();
    assert_eq!(
        late.apply_event(&prompted("cook", 0)),
        Err(EventRefusal::NotForked)
    );
}

#[test]
fn a_template_that_the_session_does_not_have_cannot_be_changed() {
    let mut state = begun();
    state.apply_event(&forked()).unwrap();
    let before = state.clone();
    let refused = state.apply_event(&prompted("sophist", 0));
    let expected = EventRefusal::NoSuchTemplate("sophist".to_owned());
    assert_eq!(refused, Err(expected));
    assert_eq!(state, before);
}
