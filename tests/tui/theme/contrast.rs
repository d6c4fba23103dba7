//! Contrast of text and background.

use crate::tui::drawing::look;
use elenchus::tui::theme::{Depth, GlyphSet, Look, Rgb, Role};
use ratatui::style::Color;

/// Lines carry no text (WCAG 2.2, "non-text contrast").
const LINES: f64 = 3.0;

fn rgb(colour: Color) -> Rgb {
    let Color::Rgb(red, green, blue) = colour else {
        panic!("{colour:?} is no true colour");
    };
    Rgb(red, green, blue)
}

fn contrast(look: &Look, role: Role, ground: Role) -> f64 {
    let base = look.base_style();
    let style = look.style(role);
    let under = look.style(ground).bg.or(base.bg);
    let text = rgb(style.fg.or(base.fg).unwrap());
    text.contrast_ratio(rgb(style.bg.or(under).unwrap()))
}

#[test]
fn every_role_of_the_true_colour_themes_stands_out_from_its_ground() {
    let themes = [
        ("dark", 4.5),
        ("light", 4.5),
        ("colour-blind", 4.5),
        ("high-contrast", 7.0),
    ];
    let mut faults = Vec::new();
    for (theme, wanted) in themes {
        let look = look(theme, Depth::TrueColour, GlyphSet::Unicode);
        for &role in Role::ALL {
            let wanted = if role == Role::Border { LINES } else { wanted };
            let mut grounds = vec![Role::Text];
            // A coloured piece of text stays readable in the row and the turn under the cursor.
            if look.style(role).bg.is_none() {
                grounds.push(Role::Cursor);
            }
            for ground in grounds {
                let got = contrast(&look, role, ground);
                if got < wanted {
                    faults.push(format!("{theme}: {role:?} on {ground:?} has {got:.2}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
