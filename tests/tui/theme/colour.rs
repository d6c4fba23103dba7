//! Colours: how they are read, compared, and brought to a terminal with fewer.

use elenchus::tui::theme::Rgb;

/// The levels of a channel in the cube of 216 colours, as xterm has them.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn distance(one: Rgb, other: Rgb) -> u32 {
    let square = |one: u8, two: u8| u32::from(one.abs_diff(two)).pow(2);
    square(one.0, other.0) + square(one.1, other.1) + square(one.2, other.2)
}

#[test]
fn the_nearest_index_is_as_near_as_any_of_the_240() {
    let colour = |index: u8| -> Rgb {
        if index >= 232 {
            let grey = 8 + 10 * (index - 232);
            Rgb(grey, grey, grey)
        } else {
            let at = usize::from(index - 16);
            Rgb(STEPS[at / 36], STEPS[at / 6 % 6], STEPS[at % 6])
        }
    };
    for red in (0..=255).step_by(15) {
        for green in (0..=255).step_by(17) {
            for blue in (0..=255).step_by(51) {
                let wanted = Rgb(red, green, blue);
                let best = (16..=255).map(|i| distance(wanted, colour(i))).min();
                let got = distance(wanted, colour(wanted.nearest_index()));
                assert_eq!(Some(got), best, "{wanted:?}");
            }
        }
    }
}

#[test]
fn only_six_hexadecimal_digits_are_a_colour() {
    assert_eq!(Rgb::parse("#0a10ff"), Some(Rgb(10, 16, 255)));
    for wrong in ["0a10ff", "#0a10f", "#0a10fg", "#+a10ff", "#é0ff1", ""] {
        assert_eq!(Rgb::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn black_on_white_has_the_highest_contrast() {
    let contrast = Rgb(0, 0, 0).contrast_ratio(Rgb(255, 255, 255));
    assert!((contrast - 21.0).abs() < 1e-9, "{contrast}");
}
