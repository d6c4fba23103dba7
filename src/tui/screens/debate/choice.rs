//! Choices of the debate screen: labels of a verdict, forms of an export.

use super::Debate;
use super::dialog::{Choice, Purpose, Question};
use crate::debate::JudgingId;
use crate::debate::step::Step;
use crate::engine::live::LiveCommand;
use crate::prompt::LabelHint;
use crate::tui::app::{Effect, ExportAs};
use crate::workspace::Reopen;

impl Debate {
    pub(super) fn chosen(&mut self, choice: Choice) -> Vec<Effect> {
        match choice {
            Choice::Verdict { step, says } => self.order(LiveCommand::Answer { step, text: says }),
            Choice::VerdictAnew {
                judging,
                target,
                slot,
                step,
                says,
            } => {
                let reopen = Reopen::Verdict {
                    judging,
                    target,
                    slot: Some(slot),
                };
                self.fork(reopen, vec![LiveCommand::Answer { step, text: says }])
            }
            Choice::VerdictInWords(step) => {
                let title = format!("your verdict: {step}");
                self.write(title, "", Purpose::Answer(step))
            }
            Choice::VerdictInForm {
                purpose,
                rubric,
                label,
            } => {
                let Some(form) = self.forms.get(&rubric).cloned() else {
                    return Vec::new();
                };
                let title = format!("your verdict, {}: fill in the form", label.name);
                let blank = form.blank(&label);
                self.write_into(title, &blank, purpose, Some(form))
            }
            Choice::Export(form) => {
                let name = match form {
                    ExportAs::Parcel => format!("{}.jsonl", self.id),
                    ExportAs::Transcript => format!("{}.txt", self.id),
                };
                self.ask(Question::Export(form), &name)
            }
        }
    }

    /// Offers the labels of an open judge's step.
    pub(super) fn offer_labels(&mut self, step: &Step) -> Vec<Effect> {
        let (Step::Judge(judge) | Step::AwaitJudge(judge)) = step else {
            return Vec::new();
        };
        let id = step.id();
        let labels = self.labels_of(&judge.judging);
        let mut items: Vec<(String, Choice)> = labels
            .iter()
            .map(|label| {
                let choice = Choice::Verdict {
                    step: id.clone(),
                    says: label.says.clone(),
                };
                (label_line(label), choice)
            })
            .collect();
        items.extend(self.in_form(&judge.judging, &Purpose::Answer(id.clone())));
        items.push((
            "in words of your own, as the rubric reads them".to_owned(),
            Choice::VerdictInWords(id),
        ));
        let title = format!("{} on {}", judge.judging, judge.target);
        self.offer(&title, items)
    }

    /// Returns the labels of a rule whose verdicts are objects, each with the form it is filled into.
    pub(super) fn in_form(&self, judging: &JudgingId, purpose: &Purpose) -> Vec<(String, Choice)> {
        let rubric = self.rubric_of(judging).unwrap_or_default();
        let Some(form) = self.forms.get(&rubric) else {
            return Vec::new();
        };
        let labels = form.labels().into_iter();
        labels
            .map(|label| {
                let line = format!("{}, with the other fields", label_line(&label));
                let choice = Choice::VerdictInForm {
                    purpose: purpose.clone(),
                    rubric: rubric.clone(),
                    label,
                };
                (line, choice)
            })
            .collect()
    }

    pub(super) fn labels_of(&self, judging: &JudgingId) -> Vec<LabelHint> {
        let rubric = self.rubric_of(judging);
        rubric
            .and_then(|rubric| self.labels.get(&rubric).cloned())
            .unwrap_or_default()
    }

    fn rubric_of(&self, judging: &JudgingId) -> Option<String> {
        let rule = self.source.state.protocol()?.judging(judging)?;
        rule.rubric.clone()
    }
}

/// Returns a label with what it means.
pub(super) fn label_line(label: &LabelHint) -> String {
    if label.meaning.is_empty() {
        label.name.clone()
    } else {
        format!("{}: {}", label.name, label.meaning)
    }
}
