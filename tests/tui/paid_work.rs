//! Work that is paid for, from its price to its end.

use elenchus::tui::components::paid_work::{PaidWork, PriceAnswer, WorkStatus};
use ratatui::crossterm::event::{KeyCode, KeyEvent};

#[test]
fn a_key_that_answers_no_price_leaves_the_work_as_it_is() {
    let key = KeyEvent::from(KeyCode::Char('y'));
    let mut work: PaidWork<(), u32> = PaidWork::default();
    let ticket = work.begin_pricing().unwrap();
    assert!(work.handle_key(key).is_none() && work.accept_ticket(ticket));
    work.ask_to_begin("Begin", "It costs nothing. Begin?", ());
    assert!(matches!(work.handle_key(key), Some(PriceAnswer::Yes(()))));
    work.start_work(3);
    assert!(work.handle_key(key).is_none() && work.is_running());
    work.end_work(Some("the ceiling was reached".to_owned()));
    assert!(work.handle_key(key).is_none());
    let said = match work.work_status() {
        WorkStatus::Over(said) => said,
        _ => None,
    };
    assert_eq!(said, Some("the ceiling was reached"));
}
