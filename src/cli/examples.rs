//! `elenchus examples`: the small files that the commands of the manual read, written into a folder.

use super::common::built_in_files::copy_built_in_files;
use super::common::{format_noun_count, print_notice};
use anyhow::Result;
use clap::Args;
use include_dir::{Dir, include_dir};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/examples/files");

/// `elenchus examples`
#[derive(Debug, Args)]
pub struct ExamplesArgs {
    /// The folder that they are written into; it is made where it is not there
    #[arg(value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    pub folder: PathBuf,
}

/// Writes the files, all of them or nothing.
///
/// # Errors
/// As [`copy_built_in_files`].
pub fn run(args: &ExamplesArgs) -> Result<()> {
    let mut files = BTreeMap::new();
    collect_files(&FILES, &mut files);
    let copied = copy_built_in_files(&files, &args.folder, "name another folder")?;
    let place = match args.folder == Path::new(".") {
        true => "this folder".to_owned(),
        false => args.folder.display().to_string(),
    };
    print_notice(&format!(
        "{} written into {place}, {} there already; the commands of the manual read them",
        format_noun_count(copied.written.len(), "file"),
        copied.there_already,
    ));
    copied.print_edited();
    copied.print_written()
}

fn collect_files(folder: &Dir<'_>, files: &mut BTreeMap<String, String>) {
    for file in folder.files() {
        let text = String::from_utf8_lossy(file.contents()).into_owned();
        files.insert(file.path().display().to_string(), text);
    }
    for inner in folder.dirs() {
        collect_files(inner, files);
    }
}
