//! Batches of topics as a trainer sends them: lines up to an empty one, or to the end.

use anyhow::{Result, bail};
use std::io::{BufRead, Read};

/// Lines of a batch at most.
const MAX_LINES: usize = 10_000;
/// Bytes of a batch at most.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Topics that are played together, as they were sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TopicLines {
    pub bytes: Vec<u8>,
    /// Lines before the first of these, empty ones included.
    pub lines_before: u64,
}

/// Batches one after the other.
pub(super) struct BatchReader<R> {
    from: R,
    lines_read: u64,
}

impl<R: BufRead> BatchReader<R> {
    pub(super) fn new(from: R) -> Self {
        Self {
            from,
            lines_read: 0,
        }
    }

    /// Returns the next batch; `None` at the end. Waits until a batch is whole.
    ///
    /// # Errors
    /// When it cannot be read, or is larger than any batch may be.
    pub(super) fn read_batch(&mut self) -> Result<Option<TopicLines>> {
        let (mut bytes, mut lines) = (Vec::new(), 0);
        let mut lines_before = self.lines_read;
        loop {
            let room = MAX_BYTES - bytes.len() as u64;
            let mut line = Vec::new();
            let read = (&mut self.from)
                .take(room + 1)
                .read_until(b'\n', &mut line)?;
            if line.len() as u64 > room {
                bail!(
                    "a batch of topics is larger than {MAX_BYTES} bytes; end batches with an empty line"
                );
            }
            self.lines_read += u64::from(read > 0);
            let is_blank = line.iter().all(u8::is_ascii_whitespace);
            if is_blank && lines == 0 && read > 0 {
                lines_before = self.lines_read;
                continue;
            }
            if is_blank {
                return Ok((lines > 0).then_some(TopicLines {
                    bytes,
                    lines_before,
                }));
            }
            lines += 1;
            if lines > MAX_LINES {
                bail!("a batch has more than {MAX_LINES} topics; end batches with an empty line");
            }
            bytes.append(&mut line);
        }
    }
}
