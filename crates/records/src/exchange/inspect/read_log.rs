//! Reader of logs of Inspect: every sample becomes a finished conversation, is left out with its reason, or refused.

use super::archive_reader::{ArchiveFault, LogArchive, MAX_DOCUMENT_BYTES};
use super::log_types::{LogEval, LogHeader};
use super::sample::{SampleContent, SampleNotes, parse_sample};
use crate::exchange::finished_debate::{FinishedFile, MAX_FINISHED, RefusedRow, limit_rows};
use elenchus_dataset::{split_json_items, split_json_members};
use std::borrow::Cow;
use std::fs::File;

/// Texts of one log that are kept.
const MAX_KEPT_BYTES: usize = 1 << 30;
/// Samples without an answer that are named.
const MAX_NAMED: usize = 20;

/// Says whether a file's first bytes are those of an archive.
pub fn is_archive(head: &[u8]) -> bool {
    head.starts_with(b"PK")
}

/// Reads an `.eval` archive.
///
/// # Errors
/// When it is none, or too large as a whole.
pub fn read_log_archive(file: File) -> Result<FinishedFile, ArchiveFault> {
    let mut archive = LogArchive::open(file)?;
    let mut log = LogContent::default();
    if let Some(Ok(bytes)) = archive.read_header()? {
        let header: Option<LogHeader> = serde_json::from_slice(&mend_constants(&bytes)).ok();
        log.add_header(header.map(|header| header.eval));
    }
    for index in 0..archive.count_samples() {
        let (name, bytes) = archive.read_sample(index)?;
        let number = index as u64 + 1;
        match bytes {
            Ok(bytes) => log.add_sample(number, &name, &bytes),
            Err(why) => log.refuse(number, format!("{name}: {why}")),
        }
        if log.is_full() {
            break;
        }
    }
    Ok(log.into_file())
}

/// Reads a log that is one JSON document; `None` where the document is no log.
pub fn parse_log_document(bytes: &[u8]) -> Option<FinishedFile> {
    let members = split_json_members(bytes)?;
    let find = |key: &str| {
        let member = members.iter().find(|(name, _)| name == key);
        member.map(|(_, value)| *value)
    };
    let (eval, samples) = (find("eval")?, find("samples"));
    let mut log = LogContent::default();
    let eval: Option<LogEval> = serde_json::from_slice(&mend_constants(eval)).ok();
    log.add_header(eval);
    let samples = samples.and_then(split_json_items);
    let Some(samples) = samples else {
        log.refuse(
            0,
            "it has no list of samples: only its header was logged".to_owned(),
        );
        return Some(log.into_file());
    };
    for (index, sample) in samples.into_iter().enumerate() {
        let number = index as u64 + 1;
        let name = format!("samples[{index}]");
        match sample.len() as u64 > MAX_DOCUMENT_BYTES {
            true => log.refuse(
                number,
                format!("{name}: it is more than {MAX_DOCUMENT_BYTES} bytes"),
            ),
            false => log.add_sample(number, &name, sample),
        }
        if log.is_full() {
            break;
        }
    }
    Some(log.into_file())
}

/// What was read so far.
#[derive(Default)]
struct LogContent {
    file: FinishedFile,
    notes: SampleNotes,
    unanswered: Vec<String>,
    kept_bytes: usize,
}

impl LogContent {
    fn add_header(&mut self, eval: Option<LogEval>) {
        if let Some(eval) = eval {
            self.file.source = Some(eval.task).filter(|task| !task.is_empty());
        }
    }

    fn refuse(&mut self, line: u64, why: String) {
        self.file.refused.push(RefusedRow { line, why });
    }

    fn add_sample(&mut self, number: u64, name: &str, bytes: &[u8]) {
        match parse_sample(number, &mend_constants(bytes), &mut self.notes) {
            Ok(SampleContent::Item(item)) => {
                let texts = item.turns.iter();
                self.kept_bytes += texts.map(|turn| turn.text.len()).sum::<usize>();
                for label in item.turns.iter().flat_map(|turn| &turn.labels) {
                    if !self.file.automatic.contains(&label.column) {
                        self.file.automatic.push(label.column.clone());
                    }
                }
                self.file.items.push(*item);
            }
            Ok(SampleContent::Unanswered(why)) => self.unanswered.push(why),
            Err(why) => self.refuse(number, format!("{name}: {why}")),
        }
    }

    fn is_full(&mut self) -> bool {
        if self.kept_bytes > MAX_KEPT_BYTES {
            let line = self.file.items.last().map_or(0, |item| item.line);
            self.refuse(
                line,
                format!(
                    "texts of at most {MAX_KEPT_BYTES} bytes are taken from one log; divide it"
                ),
            );
            return true;
        }
        self.file.items.len() > MAX_FINISHED
    }

    fn into_file(mut self) -> FinishedFile {
        let more = self.unanswered.len().saturating_sub(MAX_NAMED);
        self.unanswered.truncate(MAX_NAMED);
        self.file.notes.append(&mut self.unanswered);
        if more > 0 {
            self.file
                .notes
                .push(format!("{more} more samples have no answer"));
        }
        self.file.notes.extend(self.notes.into_sentences());
        limit_rows(&mut self.file);
        self.file
    }
}

/// Writes `null` for the numbers that JSON does not have and Inspect writes: `NaN`, `Infinity`, `-Infinity`.
fn mend_constants(bytes: &[u8]) -> Cow<'_, [u8]> {
    const CONSTANTS: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];
    let has = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
    if !has(b"NaN") && !has(b"Infinity") {
        return Cow::Borrowed(bytes);
    }
    let mut mended = Vec::with_capacity(bytes.len());
    let (mut in_string, mut is_escaped) = (false, false);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if !in_string {
            let rest = &bytes[at..];
            if let Some(word) = CONSTANTS.iter().find(|word| rest.starts_with(word)) {
                mended.extend_from_slice(b"null");
                at += word.len();
                continue;
            }
        }
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            _ => {}
        }
        mended.push(*byte);
        at += 1;
    }
    Cow::Owned(mended)
}
