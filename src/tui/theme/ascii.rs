//! ASCII fallback: signs that our own sentences use become their nearest ASCII sign. Letters stay
//! as they are, since quoted text is never changed.

use ratatui::buffer::Buffer;

/// Replaces signs on a drawn screen; signs and replacements are one cell wide.
pub fn to_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let symbol = cell.symbol();
        if symbol.is_ascii() {
            continue;
        }
        let mut chars = symbol.chars();
        if let (Some(sign), None) = (chars.next(), chars.next())
            && let Some(plain) = nearest(sign)
        {
            cell.set_char(plain);
        }
    }
}

fn nearest(sign: char) -> Option<char> {
    Some(match sign {
        '\u{a0}' | '\u{2002}'..='\u{200a}' => ' ',
        '·' | '‐'..='―' | '−' | '─' | '━' | '═' => '-',
        '•' | '∙' | '●' | '×' | '◆' => '*',
        '…' => '~',
        '‘' | '’' | '‚' | '′' => '\'',
        '“' | '”' | '„' | '″' | '«' | '»' => '"',
        '‹' | '←' | '◀' | '≤' => '<',
        '›' | '→' | '▶' | '▷' | '▸' | '≥' => '>',
        '↑' | '▲' => '^',
        '↓' | '▾' | '▼' | '✓' => 'v',
        '│' | '┃' | '║' => '|',
        '┄'..='╿' => '+',
        '█' | '▓' => '#',
        '░' | '▒' => '.',
        // Pictures of control characters: the characters themselves must not be sent either.
        '\u{2400}'..='\u{2426}' => '^',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn signs_become_ascii_in_their_cells_and_letters_stay() {
        let text = "a · b … \u{201c}é漢\u{201d} ␛[2J → ▶ ×";
        let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 1));
        buffer.set_stringn(0, 0, text, 40, Style::default());
        let before = buffer.clone();
        to_ascii(&mut buffer);
        let shown: String = buffer.content.iter().map(|cell| cell.symbol()).collect();
        assert_eq!(shown.trim_end(), "a - b ~ \"é漢 \" ^[2J > > *");
        let wide = |buffer: &Buffer| {
            buffer
                .content
                .iter()
                .filter(|cell| cell.symbol() == "漢")
                .count()
        };
        assert_eq!(wide(&before), wide(&buffer));
    }
}
