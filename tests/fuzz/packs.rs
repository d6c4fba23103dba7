//! Packs that came back damaged.

use super::{DEAR, cases, damaged_journal, files};
use crate::annotation::hostile_packs::handed_out;
use elenchus_test_support::program::copy_folder;
use std::fs;

#[test]
fn damaged_packs_are_merged_or_refused_and_leave_a_sound_store() {
    let program = handed_out();
    let whole = program.work().join("pack");
    let kept = program.work().join("kept");
    copy_folder(&whole, &kept);
    let files = files(&kept.to_string_lossy(), "jsonl");
    for mut damage in cases(DEAR) {
        fs::remove_dir_all(&whole).unwrap();
        copy_folder(&kept, &whole);
        let file = damage.pick(&files).clone();
        let target = whole.join(file.strip_prefix(&kept).unwrap());
        let original = fs::read(&file).unwrap();
        let text = String::from_utf8_lossy(&original);
        let damaged = match damage.number(0, 1) {
            0 => damage.bytes(&original),
            _ => damaged_journal(&mut damage, &text).into_bytes(),
        };
        fs::write(&target, damaged).unwrap();
        let merged = program.run(&["labels", "merge", "pack"]);
        assert!((0..=5).contains(&merged.code), "{file:?}: {}", merged.err);
        assert!(!merged.err.contains("panicked"), "{file:?}: {}", merged.err);
    }
    let checked = program.run(&["verify"]);
    assert!(!checked.err.contains("panicked"), "{}", checked.err);
}
