//! What a person at a terminal sees of a try while it goes on.

use super::tried::label;
use crate::cli::page::{self, counted};
use crate::debate::TurnId;
use crate::debate::event::Event;
use crate::driver::live::{DeltaKind, Tiding};
use crate::driver::tries::{SampleEnd, TryTiding};
use std::collections::BTreeMap;
use tokio::sync::mpsc::UnboundedReceiver;

/// How much is shown of a try while it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shows {
    /// The end alone.
    Nothing,
    /// The words of the only sample, as they come.
    Words,
    /// A line for each sample that is over.
    Samples,
}

/// Shows what is told until nobody tells any more.
pub(super) async fn watch(
    shows: Shows,
    turn: &TurnId,
    mut told: UnboundedReceiver<TryTiding>,
) -> anyhow::Result<()> {
    let mut samples = BTreeMap::new();
    while let Some(tiding) = told.recv().await {
        match shows {
            Shows::Nothing => {}
            Shows::Words => words(turn, &tiding)?,
            Shows::Samples => line(turn, tiding, &mut samples),
        }
    }
    Ok(())
}

fn words(turn: &TurnId, tiding: &TryTiding) -> anyhow::Result<()> {
    let TryTiding::Went { tiding, .. } = tiding else {
        return Ok(());
    };
    match tiding.as_ref() {
        Tiding::Delta {
            step,
            kind: DeltaKind::Public,
            text,
        } if step.turn().as_ref() == Some(turn) => page::out(&page::harmless_text(text)),
        Tiding::Void { step, why, .. } if step.turn().as_ref() == Some(turn) => {
            page::out("\n")?;
            page::notice(&format!("it broke off and is asked again: {why}"));
            Ok(())
        }
        Tiding::WasThinking { step } if step.turn().as_ref() == Some(turn) => {
            page::out("\n")?;
            page::notice("what came so far was private reasoning");
            Ok(())
        }
        Tiding::Ended { step } if step.turn().as_ref() == Some(turn) => page::out("\n"),
        Tiding::Happened(_)
        | Tiding::Began { .. }
        | Tiding::Delta { .. }
        | Tiding::WasThinking { .. }
        | Tiding::Void { .. }
        | Tiding::Ended { .. }
        | Tiding::Asks(..)
        | Tiding::Rests(_)
        | Tiding::Refused { .. }
        | Tiding::Mended(_)
        | Tiding::Noticed(_)
        | Tiding::Broke(_) => Ok(()),
    }
}

/// What is known of a sample that is not over.
#[derive(Default)]
struct Known {
    chars: Option<usize>,
    found: Vec<String>,
}

fn line(turn: &TurnId, tiding: TryTiding, samples: &mut BTreeMap<u32, Known>) {
    match tiding {
        TryTiding::Begun { number, .. } => {
            samples.insert(number, Known::default());
        }
        TryTiding::Went { number, tiding } => {
            let known = samples.entry(number).or_default();
            let Tiding::Happened(record) = *tiding else {
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
        TryTiding::Left { number, end } => {
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
            page::notice(&format!("sample {number}: {said}{found}"));
        }
    }
}
