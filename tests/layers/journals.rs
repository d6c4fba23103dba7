//! One way to a journal: the store's kit alone opens files of journals for writing, and sled is named in
//! one file.

use super::sources;
use std::path::Path;

#[test]
fn journals_are_opened_for_writing_in_one_file_and_sled_is_named_in_one() {
    let src = Path::new("src");
    let (mut writers, mut sled) = (Vec::new(), Vec::new());
    let modules = std::fs::read_dir(src).unwrap();
    let modules = modules.map(|entry| entry.unwrap().path());
    for module in modules.filter(|path| path.is_dir()) {
        for file in sources(module.file_name().unwrap().to_str().unwrap()) {
            let text = std::fs::read_to_string(&file).unwrap();
            let code = text.lines().map(str::trim_start);
            let code: Vec<&str> = code.filter(|line| !line.starts_with("//")).collect();
            let name = file.strip_prefix(src).unwrap().display().to_string();
            let opens = ["create(", "open(", "fork("].map(|verb| format!("JournalWriter::{verb}"));
            if code
                .iter()
                .any(|line| opens.iter().any(|open| line.contains(open)))
            {
                writers.push(name.clone());
            }
            if code.iter().any(|line| line.contains("sled::")) {
                sled.push(name);
            }
        }
    }
    assert_eq!(writers, ["store/journals.rs"]);
    assert_eq!(sled, ["store/index.rs"]);
}
