//! Binary files, recognised by content and not by name: nothing is read from them.

/// Bytes of a file that are searched for zero bytes.
const LOOKED_AT_BYTES: usize = 8000;

const UNPACK: &str = "unpack it, and name a CSV, JSON or JSON Lines file in it";
const SAVE_AS_TEXT: &str = "save its rows as CSV or JSON Lines";

/// Magic bytes of files that are found next to datasets, with their description and advice.
const BEGINNINGS: [(&[u8], &str, &str); 14] = [
    (
        b"PK\x03\x04",
        "a zip archive, as an Excel workbook and an Inspect log (.eval) are",
        "unpack it, or save what it holds as CSV or JSON Lines",
    ),
    (b"PK\x05\x06", "an empty zip archive", UNPACK),
    (b"\x1f\x8b", "compressed by gzip", UNPACK),
    (b"BZh", "compressed by bzip2", UNPACK),
    (b"\xfd7zXZ\0", "compressed by xz", UNPACK),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"PAR1", "a Parquet file", SAVE_AS_TEXT),
    (b"ARROW1", "an Arrow file", SAVE_AS_TEXT),
    (b"SQLite format 3\0", "an SQLite database", SAVE_AS_TEXT),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", SAVE_AS_TEXT),
    (b"\x93NUMPY", "a NumPy file", SAVE_AS_TEXT),
    (b"%PDF-", "a PDF", "copy its text into a file"),
    (
        b"\xd0\xcf\x11\xe0",
        "an old Office document",
        "save its sheet as CSV",
    ),
];

/// Returns the kind of a file and advice, if it is not text in UTF-8 or close to it.
pub(super) fn no_text(bytes: &[u8]) -> Option<String> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Some("the file is UTF-16: save it as UTF-8".to_owned());
    }
    let begins = BEGINNINGS.iter().find(|(mark, ..)| bytes.starts_with(mark));
    if let Some((_, what, way_out)) = begins {
        return Some(format!("the file is no text but {what}: {way_out}"));
    }
    let looked_at = bytes.get(..LOOKED_AT_BYTES).unwrap_or(bytes);
    let nuls = looked_at.iter().filter(|byte| **byte == 0).count();
    if nuls == 0 {
        return None;
    }
    // Every other byte of UTF-16 letters is zero.
    let of_a_place = |even: usize| {
        let bytes = looked_at.iter().skip(even).step_by(2);
        bytes.filter(|byte| **byte == 0).count()
    };
    let other_place = of_a_place(0).min(of_a_place(1));
    Some(match 4 * nuls > looked_at.len() && other_place == 0 {
        true => "the file looks like UTF-16: save it as UTF-8".to_owned(),
        false => format!(
            "the file holds binary data (zero bytes), no text: name a CSV, JSON, JSON Lines or text file, or {SAVE_AS_TEXT}"
        ),
    })
}
