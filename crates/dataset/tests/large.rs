//! Large and packed files: what is read in pieces, or unpacked, is what would be read at once.

use elenchus_dataset::{
    DatasetError, LoadedDataset, load_dataset, load_first_topics, parse_dataset,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use tempfile::TempDir;

/// Files above 8 MiB are read in pieces of that size.
const ROWS: usize = 30_000;

/// A text of a few hundred bytes that has what divides rows in it.
fn text(row: usize) -> String {
    format!(
        "row {row} says \"no, [or] {{maybe}}\", {}",
        "and so on ".repeat(30 + row % 7)
    )
}

fn json_row(row: usize) -> String {
    let category = ["a", "b"][row % 2];
    serde_json::json!({"id": format!("r{row}"), "text": text(row), "category": category})
        .to_string()
}

fn json_lines() -> String {
    let mut file = String::new();
    for row in 0..ROWS {
        match row % 997 {
            5 => file.push_str("not a row\n\n"),
            7 => file.push_str("{\"id\": \"r0\", \"text\": \"an id twice\"}\n"),
            _ => writeln!(file, "{}", json_row(row)).unwrap(),
        }
    }
    file
}

fn json_array(open: &str, close: &str) -> String {
    let rows: Vec<String> = (0..ROWS).map(json_row).collect();
    format!("{open}\n{}\n{close}", rows.join(",\n  "))
}

fn table() -> String {
    let mut file = "id,text,category\r\n".to_owned();
    for row in 0..ROWS {
        match row % 997 {
            5 => file.push_str("a,row,of,five,cells\r\n"),
            7 => write!(
                file,
                "r{row},\"over\ntwo lines, quoted \"\"{row}\"\"\",a\r\n"
            )
            .unwrap(),
            _ => write!(file, "r{row},{},b\r\n", text(row).replace(['"', ','], ";")).unwrap(),
        }
    }
    file
}

fn at_once(name: &str, bytes: &[u8]) -> LoadedDataset {
    parse_dataset(None, name, bytes, &|_| Err("is not there".to_owned()))
}

fn of_file(name: &str, bytes: &[u8], topics: usize) -> Result<LoadedDataset, DatasetError> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let spec = format!("{}", path.display()).parse().unwrap();
    match topics {
        usize::MAX => load_dataset(&spec),
        topics => load_first_topics(&spec, topics),
    }
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[test]
fn a_large_file_gives_what_it_would_at_once() {
    let files = [
        ("rows.jsonl", json_lines()),
        ("rows.json", json_array("[", "]")),
        ("rows.csv", table()),
        ("rows.txt", (0..ROWS).map(|row| text(row) + "\n").collect()),
    ];
    for (name, file) in files {
        assert!(file.len() > 10 << 20, "{name}: {}", file.len());
        let pieces = of_file(name, file.as_bytes(), usize::MAX).unwrap();
        let whole = at_once(name, file.as_bytes());
        assert_eq!(pieces.refused, whole.refused, "{name}");
        assert_eq!(pieces.columns, whole.columns, "{name}");
        assert!(pieces == whole, "{name}: {} topics", pieces.topics.len());
    }
}

#[test]
fn a_large_list_inside_an_object_gives_its_rows() {
    let file = json_array("{\"Version\": 1, \"Data\": [", "], \"Split\": \"train\"}");
    let loaded = of_file("rows.json", file.as_bytes(), usize::MAX).unwrap();
    let whole = at_once("rows.json", file.as_bytes());
    assert!(loaded.topics == whole.topics);
    assert_eq!(loaded.columns, whole.columns);
    let notes = |of: &LoadedDataset| {
        of.notes
            .iter()
            .map(|note| note.what.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(notes(&loaded), notes(&whole));
}

#[test]
fn a_packed_file_gives_what_it_holds() {
    for file in [json_lines(), json_row(1) + "\n"] {
        let loaded = of_file("rows.jsonl.gz", &packed(file.as_bytes()), usize::MAX).unwrap();
        let plain = of_file("rows.jsonl", file.as_bytes(), usize::MAX).unwrap();
        assert!(loaded.topics == plain.topics);
        // The file is pinned as it lies on the disk.
        assert_ne!(loaded.sha256, plain.sha256);
    }
}

#[test]
fn only_the_topics_that_are_asked_for_are_kept() {
    let loaded = of_file("rows.jsonl", json_lines().as_bytes(), 5).unwrap();
    let whole = at_once("rows.jsonl", json_lines().as_bytes());
    assert_eq!(loaded.topics[..], whole.topics[..5]);
    assert_eq!(loaded.refused, whole.refused);
    assert_eq!(loaded.sha256, whole.sha256);
}

#[test]
fn a_file_that_unpacks_beyond_all_measure_is_refused() {
    let blanks = vec![b'\n'; 100 << 20];
    let error = of_file("rows.jsonl.gz", &packed(&blanks), usize::MAX).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("more than 200 times its size"), "{error}");
}

#[test]
fn a_row_without_an_end_is_named_by_its_line() {
    let mut file = "id,text\nr1,fine\nr2,\"never closed\n".to_owned();
    file.push_str(&"more text, and more\n".repeat(2_500_000));
    let error = of_file("rows.csv", file.as_bytes(), usize::MAX).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("line 3 does not end within 16 MiB"),
        "{error}"
    );
    let long = format!("[{{\"text\": \"{}\"}}]", "x".repeat(40 << 20));
    let error = of_file("rows.json", long.as_bytes(), usize::MAX).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("line 1 does not end"), "{error}");
}
