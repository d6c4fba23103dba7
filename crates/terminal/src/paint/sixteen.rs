//! The sixteen colours by the codes that every terminal with sixteen colours knows. crossterm names
//! them as the first of 256, which such a terminal does not read
//! (`the_sixteen_colours_are_named_as_terminals_with_sixteen_know_them`).

/// Begins a control sequence; texts were cleaned of it.
const CSI: &str = "\x1b[";

/// Returns a frame in which the sixteen colours have their own codes.
pub(super) fn convert_colour_codes(frame: &[u8]) -> Vec<u8> {
    // A frame is made of strings.
    let frame = String::from_utf8_lossy(frame);
    let mut parts = frame.split(CSI);
    let mut output = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        output.push_str(CSI);
        let codes = part.find(|c: char| !c.is_ascii_digit() && c != ';');
        match part.split_at(codes.unwrap_or(0)) {
            (codes, rest) if rest.starts_with('m') => push_codes(&mut output, codes, rest),
            _ => output.push_str(part),
        }
    }
    output.into_bytes()
}

fn push_codes(output: &mut String, codes: &str, rest: &str) {
    let mut codes = codes.split(';');
    let mut output_codes = Vec::new();
    while let Some(code) = codes.next() {
        let ground = matches!(code, "38" | "48");
        match ground.then(|| codes.next()).flatten() {
            Some("5") => output_codes.push(colour_code(code, codes.next().unwrap_or_default())),
            Some(other) => {
                output_codes.extend([code, other].map(str::to_owned));
                output_codes.extend(codes.by_ref().take(3).map(str::to_owned));
            }
            None => output_codes.push(code.to_owned()),
        }
    }
    output.push_str(&output_codes.join(";"));
    output.push_str(rest);
}

/// ECMA-48, "Select Graphic Rendition", and what aixterm added for the eight bright ones.
fn colour_code(ground: &str, index: &str) -> String {
    let normal = if ground == "38" { 30 } else { 40 };
    match index.parse::<u8>() {
        Ok(index @ 0..8) => (normal + index).to_string(),
        Ok(index @ 8..16) => (normal + 60 + index - 8).to_string(),
        _ => format!("{ground};5;{index}"),
    }
}
