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
            && let Some(plain) = find_ascii(sign)
        {
            cell.set_char(plain);
        }
    }
}

/// Replaces signs in a text.
pub fn spell_in_ascii(text: &str) -> String {
    let chars = text.chars();
    chars.map(|sign| find_ascii(sign).unwrap_or(sign)).collect()
}

fn find_ascii(sign: char) -> Option<char> {
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
