//! Scanner of JSON text: where the items of a list or object lie, and on which lines, also where they are broken.

/// The content between a bracket and its match, divided at the commas of that depth.
pub(super) struct JsonPieces<'a> {
    /// Offset in the file and bytes, without surrounding blanks.
    pub items: Vec<(usize, &'a [u8])>,
    /// Offset of the closing bracket.
    pub end: Option<usize>,
}

impl<'a> JsonPieces<'a> {
    pub fn scan(bytes: &'a [u8], open: usize) -> Self {
        let mut items = Vec::new();
        let mut cut = |from: usize, to: usize| {
            let piece = bytes[from..to].trim_ascii_start();
            items.push((to - piece.len(), piece.trim_ascii_end()));
        };
        let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
        let mut start = open + 1;
        let mut end = None;
        for (at, byte) in bytes.iter().enumerate().skip(open) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                _ if in_string => {}
                b'[' | b'{' => depth += 1,
                b']' | b'}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        end = Some(at);
                        break;
                    }
                }
                b',' if depth == 1 => {
                    cut(start, at);
                    start = at + 1;
                }
                _ => {}
            }
        }
        cut(start, end.unwrap_or(bytes.len()).max(start));
        if items.len() == 1 {
            items.retain(|(_, piece)| !piece.is_empty());
        }
        JsonPieces { items, end }
    }
}

/// Divides a JSON object into its members, each with the bytes of its value; `None` where it is none, ends early, or
/// a key is no text.
pub fn split_json_members(bytes: &[u8]) -> Option<Vec<(String, &[u8])>> {
    let pieces = scan_whole(bytes, b'{')?;
    let members = pieces.items.into_iter().map(|(_, piece)| {
        let (key, value) = split_member(piece)?;
        Some((key, &piece[value..]))
    });
    members.collect()
}

/// Divides a JSON list into the bytes of its items; `None` where it is none or ends early.
pub fn split_json_items(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let pieces = scan_whole(bytes, b'[')?;
    Some(pieces.items.into_iter().map(|(_, piece)| piece).collect())
}

fn scan_whole(bytes: &[u8], bracket: u8) -> Option<JsonPieces<'_>> {
    let open = bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
    if bytes[open] != bracket {
        return None;
    }
    let pieces = JsonPieces::scan(bytes, open);
    pieces.end?;
    Some(pieces)
}

/// Divides `"key": value` into the key and the offset of the value.
pub(super) fn split_member(piece: &[u8]) -> Option<(String, usize)> {
    let mut keys = serde_json::Deserializer::from_slice(piece).into_iter::<String>();
    let key = keys.next()?.ok()?;
    let rest = &piece[keys.byte_offset()..];
    let value = rest
        .trim_ascii_start()
        .strip_prefix(b":")?
        .trim_ascii_start();
    Some((key, piece.len() - value.len()))
}

/// Counts lines up to an offset that only grows.
pub(super) struct LineIndex<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> LineIndex<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        LineIndex {
            bytes,
            at: 0,
            line: 1,
        }
    }

    pub fn line_at(&mut self, offset: usize) -> u64 {
        let span = self.bytes.get(self.at..offset).unwrap_or_default();
        self.line += span.iter().map(|b| u64::from(*b == b'\n')).sum::<u64>();
        self.at = self.at.max(offset);
        self.line
    }
}

/// Returns the line of an offset, from 1.
pub(super) fn line_of(bytes: &[u8], offset: usize) -> u64 {
    LineIndex::new(bytes).line_at(offset)
}
