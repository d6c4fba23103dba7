//! How chairs share the width of the screen.

use elenchus::tui::screens::debate::compute_widths;
use elenchus_game::debate::{Chair, SeatId};
use ratatui::layout::Constraint;

fn shared(width: u16, shares: &[u16]) -> Vec<u16> {
    let chair = |index| Chair {
        seat: SeatId::new("debater"),
        index,
    };
    let chairs: Vec<_> = (0..).map(chair).take(shares.len()).collect();
    let given = chairs.iter().cloned().zip(shares.iter().copied()).collect();
    let widths = compute_widths(width, chairs.iter(), &given).into_iter();
    let length = |width| match width {
        Constraint::Length(width) => width,
        other => panic!("{other}"),
    };
    widths.map(length).collect()
}

#[test]
fn who_said_more_gets_more_room_and_none_is_too_narrow() {
    assert_eq!(shared(90, &[10, 10, 10]), [30, 30, 30]);
    assert_eq!(shared(91, &[10, 10, 10]), [30, 30, 31]);
    assert_eq!(shared(100, &[10, 30]), [37, 63]);
    assert_eq!(shared(100, &[1, 99]), [24, 76]);
    assert_eq!(shared(90, &[1, 1, 98]), [24, 24, 42]);
    assert_eq!(shared(30, &[1, 9]), [15, 15]);
}
