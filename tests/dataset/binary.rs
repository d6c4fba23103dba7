//! Binary files: recognised by content and refused.

use elenchus_test_support::program::Program;

#[test]
fn a_binary_file_is_no_dataset_whatever_it_is_called_and_says_what_it_is() {
    let program = Program::new();
    for (name, bytes, what) in [
        // An archive without any zero byte near its beginning, and with line ends.
        (
            "x.eval",
            &b"PK\x03\x04\x14\x01\x01\x01\nheader.json\nsamples\n"[..],
            "a zip archive",
        ),
        (
            "x.csv.gz",
            b"\x1f\x8b\x08\x01\nabc\ndef\n",
            "compressed by gzip",
        ),
        ("x.parquet", b"PAR1\x15\x04\nabc\n", "a Parquet file"),
        (
            "x.db",
            b"SQLite format 3\0\x10\nabc\n",
            "an SQLite database",
        ),
        ("x.txt", b"one line\nanother\0 line\n", "binary data"),
        ("x.csv", b"t\0e\0x\0t\0\n\0a\0b\0c\0", "looks like UTF-16"),
        ("y.csv", b"\xff\xfet\0e\0x\0t\0", "UTF-16: save it as UTF-8"),
    ] {
        std::fs::write(program.work().join(name), bytes).unwrap();
        for kind in ["own:", ""] {
            let dataset = format!("{kind}{name}");
            let said = program
                .run(&["run", "--protocol", "pred", "--dataset", &dataset])
                .ended_with(1);
            let told = format!("the dataset {name} cannot be read: the file");
            assert!(
                said.err.contains(&told) && said.err.contains(what),
                "{said:?}"
            );
        }
    }
    assert_eq!(program.sessions(), Vec::<String>::new());
}

#[test]
fn text_of_another_encoding_says_how_to_save_it() {
    let program = Program::new();
    std::fs::write(
        program.work().join("latin.csv"),
        b"text\nWie sp\xe4t ist es?\n",
    )
    .unwrap();
    let said = program
        .run(&["run", "--protocol", "pred", "--dataset", "own:latin.csv"])
        .ended_with(1);
    let told = "`text` is not valid UTF-8: save the file as UTF-8";
    assert!(said.err.contains(told), "{said:?}");
}
