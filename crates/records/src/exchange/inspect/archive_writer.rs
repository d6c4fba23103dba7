//! Archive of an Inspect log, written sample by sample: a zip of JSON documents, packed by deflate.
//!
//! Only summaries are held. Text that acts on a terminal is escaped, which changes nothing of what it says.

use super::summary::summarize_sample;
use flate2::{Compression, write::DeflateEncoder};
use rawzip::{CompressionMethod, ZipArchiveWriter};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Version of the format.
const VERSION: u32 = 2;
const START: &str = "_journal/start.json";
const JOURNAL_OF_SUMMARIES: &str = "_journal/summaries/1.json";
const SUMMARIES: &str = "summaries.json";
const HEADER: &str = "header.json";

/// Makes JSON harmless on a terminal without changing what it says.
pub type CleanJson = fn(&str) -> String;

/// An archive that is being written.
pub struct LogWriter<W: Write> {
    archive: ZipArchiveWriter<W>,
    clean: CleanJson,
    summaries: Vec<Value>,
}

impl<W: Write> LogWriter<W> {
    /// Begins an archive with what is known before the first sample: the evaluation and its plan.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(to: W, clean: CleanJson, eval: &Value, plan: &Value) -> io::Result<Self> {
        let mut writer = Self {
            archive: ZipArchiveWriter::new(to),
            clean,
            summaries: Vec::new(),
        };
        let start = json!({ "version": VERSION, "eval": eval, "plan": plan });
        writer.add_document(START, &start)?;
        Ok(writer)
    }

    /// Adds a sample.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add_sample(&mut self, sample: &Value) -> io::Result<()> {
        let id = sample["id"].as_str().unwrap_or_default();
        let name = format!("samples/{id}_epoch_{}.json", sample["epoch"]);
        self.add_document(&name, sample)?;
        self.summaries.push(summarize_sample(sample));
        Ok(())
    }

    /// Ends the archive with its header: the whole log without its samples.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self, header: &Value) -> io::Result<()> {
        let summaries = Value::Array(std::mem::take(&mut self.summaries));
        // Readers of a log that goes on look for the first, others for the second.
        self.add_document(JOURNAL_OF_SUMMARIES, &summaries)?;
        self.add_document(SUMMARIES, &summaries)?;
        let mut versioned_header = json!({ "version": VERSION });
        if let (Some(into), Some(fields)) = (versioned_header.as_object_mut(), header.as_object()) {
            into.extend(fields.clone());
        }
        self.add_document(HEADER, &versioned_header)?;
        let mut to = self.archive.finish().map_err(io::Error::other)?;
        to.flush()
    }

    fn add_document(&mut self, name: &str, document: &Value) -> io::Result<()> {
        let text = (self.clean)(&serde_json::to_string(document)?);
        let file = self.archive.new_file(name);
        let file = file.compression_method(CompressionMethod::DEFLATE);
        let (mut entry, config) = file.start().map_err(io::Error::other)?;
        let packed = DeflateEncoder::new(&mut entry, Compression::default());
        let mut writer = config.wrap(packed);
        writer.write_all(text.as_bytes())?;
        let (packed, descriptor) = writer.finish().map_err(io::Error::other)?;
        packed.finish()?;
        entry.finish(descriptor).map_err(io::Error::other)?;
        Ok(())
    }
}
