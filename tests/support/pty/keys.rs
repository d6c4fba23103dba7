//! Bytes that a terminal sends for a key.

/// Returns the bytes of a key by the name that the help gives it.
#[track_caller]
pub fn bytes_of(name: &str) -> Vec<u8> {
    let mut rest = name;
    let (mut ctrl, mut alt, mut shift) = (false, false, false);
    loop {
        let held = [
            ("Ctrl-", &mut ctrl),
            ("Alt-", &mut alt),
            ("Shift-", &mut shift),
        ];
        let mut found = false;
        for (prefix, held) in held {
            if let Some(after) = rest.strip_prefix(prefix).filter(|after| !after.is_empty()) {
                rest = after;
                *held = true;
                found = true;
            }
        }
        if !found {
            break;
        }
    }
    let modifiers = 1 + u8::from(shift) + 2 * u8::from(alt) + 4 * u8::from(ctrl);
    let with = |plain: &str, modified: String| {
        if modifiers == 1 {
            plain.as_bytes().to_vec()
        } else {
            modified.into_bytes()
        }
    };
    let letter = |last: char| with(&format!("\x1b[{last}"), format!("\x1b[1;{modifiers}{last}"));
    let number = |n: u8| with(&format!("\x1b[{n}~"), format!("\x1b[{n};{modifiers}~"));
    let other = |plain: &str, code: u32| with(plain, format!("\x1b[27;{modifiers};{code}~"));
    match rest {
        // Unmistakable, whatever is pressed next.
        "Esc" => format!("\x1b[27;{modifiers};27~").into_bytes(),
        "Up" => letter('A'),
        "Down" => letter('B'),
        "Right" => letter('C'),
        "Left" => letter('D'),
        "Home" => letter('H'),
        "End" => letter('F'),
        "PgUp" => number(5),
        "PgDn" => number(6),
        "Ins" => number(2),
        "Del" => number(3),
        "Enter" => other("\r", 13),
        "Backspace" => other("\x7f", 127),
        "Tab" if shift => b"\x1b[Z".to_vec(),
        "Tab" => other("\t", 9),
        "Space" => character(' ', ctrl, alt),
        _ => {
            let mut chars = rest.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) => character(c, ctrl, alt),
                _ => panic!("no key is called {name}"),
            }
        }
    }
}

fn character(c: char, ctrl: bool, alt: bool) -> Vec<u8> {
    let mut bytes = if alt { vec![0x1b] } else { Vec::new() };
    if ctrl {
        bytes.push(c.to_ascii_uppercase() as u8 & 0x1f);
    } else {
        bytes.extend_from_slice(c.to_string().as_bytes());
    }
    bytes
}
