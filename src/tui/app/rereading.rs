//! Reading of what others change as well: one at a time, and once more where it was asked for meanwhile.

use super::effect::Effect;
use super::task::Task;
use std::time::Duration;

/// What was written during a reading is read again after this.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Whether something is being read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rereading {
    goes_on: bool,
    /// It was asked for once more meanwhile.
    again: bool,
}

impl Rereading {
    /// Reads, where it is not being read; else once more afterwards.
    pub(crate) fn start_read(&mut self, read: impl FnOnce() -> Task) -> Vec<Effect> {
        self.again = std::mem::replace(&mut self.goes_on, true);
        match self.again {
            true => Vec::new(),
            false => vec![Effect::Start(read())],
        }
    }

    /// Takes note that it was read. Where it is to be read once more, `again` is the message for that, which
    /// comes a moment later.
    pub(crate) fn finish_read<M: Send + 'static>(&mut self, message: M) -> Vec<Effect> {
        self.goes_on = false;
        if !std::mem::take(&mut self.again) {
            return Vec::new();
        }
        let task = Task::new_stream("read again", |_, replies| async move {
            tokio::time::sleep(AGAIN_AFTER).await;
            replies.send_message(message);
        });
        vec![Effect::Start(task)]
    }
}
