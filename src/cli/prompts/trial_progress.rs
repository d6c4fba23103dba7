//! Progress of a prompt trial at a terminal.

use crate::cli::common::{counted, output};
use anyhow::Result;
use elenchus_game::debate::event::{Event, Outcome};
use elenchus_game::debate::{State, TurnId};
use elenchus_run::engine::live::{CallProgress, DeltaKind, LiveEvent, LiveGroup};
use elenchus_run::experiments::prompt_trial::{SampleEnd, TrialUpdate};
use std::collections::BTreeMap;
use tokio::sync::mpsc::UnboundedReceiver;

/// How much is shown of a try while it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TrialProgress {
    /// The end alone.
    Nothing,
    /// The words of the only sample, as they come.
    Words,
    /// A line for each sample that is over.
    Samples,
}

/// Shows events until the channel closes.
pub(super) async fn watch(
    shows: TrialProgress,
    turn: &TurnId,
    mut updates: UnboundedReceiver<TrialUpdate>,
) -> Result<()> {
    let mut samples = BTreeMap::new();
    let mut shown = ShownWords::default();
    while let Some(update) = updates.recv().await {
        match shows {
            TrialProgress::Nothing => {}
            TrialProgress::Words => shown.print(turn, &update)?,
            TrialProgress::Samples => line(turn, update, &mut samples),
        }
    }
    Ok(())
}

/// The words of a reply that were printed as they came.
#[derive(Default)]
pub struct ShownWords(pub String);

impl ShownWords {
    fn print(&mut self, turn: &TurnId, update: &TrialUpdate) -> Result<()> {
        let event = match update {
            TrialUpdate::Live { event, .. } => event,
            TrialUpdate::Begun { state, .. } => {
                let played = spoken(turn, state).map(|text| output::harmless_text(text) + "\n");
                return played.map_or(Ok(()), |text| output::out(&text));
            }
            TrialUpdate::Left { .. } => return Ok(()),
        };
        match event.group() {
            LiveGroup::Call(step, progress) if step.turn().as_ref() == Some(turn) => {
                self.print_progress(progress)
            }
            LiveGroup::Record(record) => match &record.event {
                Event::Replied(replied) if replied.turn == *turn => {
                    output::out(&output::harmless_text(&self.unseen(&replied.reply.text)))
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn print_progress(&mut self, progress: CallProgress<'_>) -> Result<()> {
        match progress {
            CallProgress::Delta(DeltaKind::Public, text) => {
                self.0.push_str(text);
                output::out(&output::harmless_text(text))
            }
            CallProgress::Void { why } => {
                self.0.clear();
                output::out("\n")?;
                output::notice(&format!("it broke off and is asked again: {why}"));
                Ok(())
            }
            CallProgress::WasThinking => {
                self.0.clear();
                output::out("\n")?;
                output::notice("what came so far was private reasoning");
                Ok(())
            }
            CallProgress::Ended => output::out("\n"),
            CallProgress::Began | CallProgress::Delta(DeltaKind::Thinking, _) => Ok(()),
        }
    }

    /// Returns what is to be printed of a whole reply: its last words do not come as a piece where the call
    /// ends before the piece before them was taken.
    pub fn unseen(&self, reply: &str) -> String {
        // A reply is kept without the blanks around it.
        let shown = self.0.trim_start();
        if let Some(rest) = reply.strip_prefix(shown) {
            return rest.to_owned();
        }
        match shown.trim_end() == reply {
            true => String::new(),
            // It is not what came, for a part of that was reasoning.
            false => format!("\n{reply}"),
        }
    }
}

/// What is known of a sample that is not over.
#[derive(Default)]
struct Known {
    chars: Option<usize>,
    found: Vec<String>,
}

fn line(turn: &TurnId, update: TrialUpdate, samples: &mut BTreeMap<u32, Known>) {
    match update {
        TrialUpdate::Begun { number, state, .. } => {
            let known = Known {
                chars: spoken(turn, &state).map(|text| text.chars().count()),
                found: Vec::new(),
            };
            samples.insert(number, known);
        }
        TrialUpdate::Live { number, event } => {
            let known = samples.entry(number).or_default();
            let LiveEvent::Happened(record) = *event else {
                return;
            };
            if let Event::Replied(replied) = &record.event
                && &replied.turn == turn
            {
                known.chars = Some(replied.reply.text.chars().count());
            }
            if let Event::Judged(judged) = &record.event {
                known.found.push(label(&judged.outcome));
            }
        }
        TrialUpdate::Left { number, end } => {
            let known = samples.remove(&number).unwrap_or_default();
            let said = match (known.chars, end) {
                (_, SampleEnd::Failed(why)) => format!("failed: {why}"),
                (None, _) => "nothing came".to_owned(),
                (Some(chars), SampleEnd::Played | SampleEnd::Paused | SampleEnd::Stopped) => {
                    counted(chars, "character")
                }
            };
            let found = match known.found.is_empty() {
                true => String::new(),
                false => format!(", {}", known.found.join(", ")),
            };
            output::notice(&format!("sample {number}: {said}{found}"));
        }
    }
}

/// Returns what the seat said in a sample that was played before.
fn spoken<'a>(turn: &TurnId, state: &'a State) -> Option<&'a str> {
    let (_, attempt) = state.chosen(turn)?;
    (!attempt.inherited).then_some(&*attempt.reply.text)
}

pub(super) fn label(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Label(finding) => finding.label.clone(),
        Outcome::Unparsed { .. } => "unparsed".to_owned(),
    }
}
