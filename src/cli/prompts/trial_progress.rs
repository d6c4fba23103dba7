//! Progress of a prompt trial at a terminal.

use crate::cli::common::{format_noun_count, output};
use anyhow::Result;
use elenchus_game::debate::event::{Event, Outcome};
use elenchus_run::engine::live::{CallProgress, DeltaKind, LiveEvent, LiveGroup};
use elenchus_run::experiments::prompt_trial::{
    SampleEnd, TrialUpdate, TriedCall, outcome_of_decision,
};
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
pub(super) async fn print_updates(
    shows: TrialProgress,
    call: &TriedCall,
    mut updates: UnboundedReceiver<TrialUpdate>,
) -> Result<()> {
    let mut samples = BTreeMap::new();
    let mut words = ShownWords::default();
    while let Some(update) = updates.recv().await {
        match shows {
            TrialProgress::Nothing => {}
            TrialProgress::Words => words.print_update(call, &update)?,
            TrialProgress::Samples => print_sample_progress(call, update, &mut samples),
        }
    }
    Ok(())
}

/// The words of a reply that were printed as they came.
#[derive(Default)]
pub struct ShownWords(pub String);

impl ShownWords {
    fn print_update(&mut self, call: &TriedCall, update: &TrialUpdate) -> Result<()> {
        let event = match update {
            TrialUpdate::Live { event, .. } => event,
            TrialUpdate::Begun { state, .. } => {
                let earlier_text = call
                    .find_own_text(state)
                    .map(|text| output::clean_text(&text) + "\n");
                return earlier_text.map_or(Ok(()), |text| output::print_text(&text));
            }
            TrialUpdate::Ended { .. } => return Ok(()),
        };
        match event.group() {
            // A sample on what is no turn asks for nothing else.
            LiveGroup::Call(step, progress) if step.turn().as_ref() == call.turn() => {
                self.print_progress(progress)
            }
            LiveGroup::Record(record) => match read_reply(&record.event, call) {
                Some(text) => output::print_text(&output::clean_text(&self.unprinted_rest(text))),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn print_progress(&mut self, progress: CallProgress<'_>) -> Result<()> {
        match progress {
            CallProgress::Delta(DeltaKind::Public, text) => {
                self.0.push_str(text);
                output::print_text(&output::clean_text(text))
            }
            CallProgress::Void { why } => {
                self.0.clear();
                output::print_text("\n")?;
                output::print_notice(&format!("it broke off and is asked again: {why}"));
                Ok(())
            }
            CallProgress::WasThinking => {
                self.0.clear();
                output::print_text("\n")?;
                output::print_notice("what came so far was private reasoning");
                Ok(())
            }
            CallProgress::Ended => output::print_text("\n"),
            CallProgress::Began | CallProgress::Delta(DeltaKind::Thinking, _) => Ok(()),
        }
    }

    /// Returns what is to be printed of a whole reply: its last words do not come as a piece where the call
    /// ends before the piece before them was taken.
    pub fn unprinted_rest(&self, reply: &str) -> String {
        // A reply is kept without the blanks around it.
        let printed_text = self.0.trim_start();
        if let Some(rest) = reply.strip_prefix(printed_text) {
            return rest.to_owned();
        }
        match printed_text.trim_end() == reply {
            true => String::new(),
            // It is not what came, for a part of that was reasoning.
            false => format!("\n{reply}"),
        }
    }
}

/// What is known of a sample that is not over.
#[derive(Default)]
struct SampleProgress {
    chars: Option<usize>,
    labels: Vec<String>,
}

fn print_sample_progress(
    call: &TriedCall,
    update: TrialUpdate,
    samples: &mut BTreeMap<u32, SampleProgress>,
) {
    match update {
        TrialUpdate::Begun { number, state, .. } => {
            let sample = SampleProgress {
                chars: call.find_own_text(&state).map(|text| text.chars().count()),
                labels: Vec::new(),
            };
            samples.insert(number, sample);
        }
        TrialUpdate::Live { number, event } => {
            let sample = samples.entry(number).or_default();
            let LiveEvent::Happened(record) = *event else {
                return;
            };
            if let Some(text) = read_reply(&record.event, call) {
                sample.chars = Some(text.chars().count());
            }
            match &record.event {
                Event::Judged(judged) => sample.labels.push(outcome_label(&judged.outcome)),
                Event::Guarded(guarded) => {
                    let outcome = outcome_of_decision(&guarded.decision);
                    sample.labels.push(outcome_label(&outcome));
                }
                _ => {}
            }
        }
        TrialUpdate::Ended { number, end } => {
            let sample = samples.remove(&number).unwrap_or_default();
            let reply_text = match (sample.chars, end) {
                (_, SampleEnd::Failed(why)) => format!("failed: {why}"),
                (None, _) => "nothing came".to_owned(),
                (Some(chars), SampleEnd::Played | SampleEnd::Paused | SampleEnd::Stopped) => {
                    format_noun_count(chars, "character")
                }
            };
            let verdict_text = match sample.labels.is_empty() {
                true => String::new(),
                false => format!(", {}", sample.labels.join(", ")),
            };
            output::print_notice(&format!("sample {number}: {reply_text}{verdict_text}"));
        }
    }
}

/// Returns the reply to what is tried, where an event is that.
fn read_reply<'e>(event: &'e Event, call: &TriedCall) -> Option<&'e str> {
    let reply = match (event, call) {
        (Event::Replied(replied), TriedCall::Turn(turn)) if replied.turn == *turn => &replied.reply,
        (Event::Judged(judged), TriedCall::Verdict(place))
            if judged.judging == place.judging && judged.target == place.target =>
        {
            judged.reply.as_ref()?
        }
        (Event::FeedbackWritten(written), TriedCall::Lesson(place))
            if written.learner == place.learner =>
        {
            &written.reply
        }
        (Event::Guarded(guarded), TriedCall::GuardDecision(place))
            if guarded.chair == place.chair =>
        {
            &guarded.reply
        }
        (Event::GuardrailWritten(written), TriedCall::Derivation(_)) => &written.reply,
        _ => return None,
    };
    Some(&reply.text)
}

pub(super) fn outcome_label(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Label(finding) => finding.label.clone(),
        Outcome::Unparsed { .. } => "unparsed".to_owned(),
    }
}
