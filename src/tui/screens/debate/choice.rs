//! Choices of the debate screen: labels of a verdict, forms of an export.

use super::Debate;
use super::dialog::{AnswerTo, Choice, Purpose, Question};
use crate::tui::app::Effect;
use elenchus_game::debate::JudgingId;
use elenchus_game::debate::step::Step;
use elenchus_game::prompt::LabelHint;
use elenchus_records::library::JsonVerdictForm;
use elenchus_view::ExportAs;

impl Debate {
    pub(super) fn apply_choice(&mut self, choice: Choice) -> Vec<Effect> {
        match choice {
            Choice::Verdict { to, says } => self.answer_step(to, says),
            Choice::VerdictInWords(to) => {
                let title = format!("your verdict: {}", to.step);
                self.open_editor(title, "", Purpose::Answer(to))
            }
            Choice::VerdictInForm { to, rubric, label } => {
                let Some(form) = self.forms.get(&rubric).cloned() else {
                    return Vec::new();
                };
                let title = format!("your verdict, {}: fill in the form", label.name);
                let blank = form.format_blank(&label);
                self.open_form_editor(title, &blank, Purpose::Answer(to), Some(form))
            }
            Choice::Export(form) => {
                let name = match form {
                    ExportAs::Parcel => format!("{}.jsonl", self.id),
                    ExportAs::Transcript => format!("{}.txt", self.id),
                };
                self.ask_line(Question::Export(form), &name)
            }
            Choice::Page => self.ask_line(Question::Page, &format!("elenchus-{}.html", self.id)),
        }
    }

    /// Offers the labels of an open judge's step.
    pub(super) fn offer_labels(&mut self, step: &Step) -> Vec<Effect> {
        let (Step::Judge(judge) | Step::AwaitJudge(judge)) = step else {
            return Vec::new();
        };
        let to = AnswerTo::from_open_step(step.id());
        let mut items = self.verdicts_for(&judge.judging, &to);
        items.push((
            "in words of your own, as the rubric reads them".to_owned(),
            Choice::VerdictInWords(to),
        ));
        let title = format!("{} on {}", judge.judging, judge.target);
        self.offer_choices(&title, items)
    }

    /// Returns the verdicts that a rule's rubric knows: its labels, and where verdicts are objects the
    /// form that each is filled into.
    pub(super) fn verdicts_for(&self, judging: &JudgingId, to: &AnswerTo) -> Vec<(String, Choice)> {
        let rubric = self.rubric_of(judging).unwrap_or_default();
        let labels = self.labels.get(&rubric).into_iter().flatten();
        let by_label = labels.map(|label| {
            let choice = Choice::Verdict {
                to: to.clone(),
                says: label.says.clone(),
            };
            (label_line(label), choice)
        });
        let form = self.forms.get(&rubric).into_iter();
        let in_form = form.flat_map(JsonVerdictForm::label_hints).map(|label| {
            let line = format!("{}, with the other fields", label_line(&label));
            let choice = Choice::VerdictInForm {
                to: to.clone(),
                rubric: rubric.clone(),
                label,
            };
            (line, choice)
        });
        by_label.chain(in_form).collect()
    }

    fn rubric_of(&self, judging: &JudgingId) -> Option<String> {
        let rule = self.source.state.protocol()?.find_judging(judging)?;
        rule.rubric.clone()
    }
}

/// Returns a label with what it means.
fn label_line(label: &LabelHint) -> String {
    if label.meaning.is_empty() {
        label.name.clone()
    } else {
        format!("{}: {}", label.name, label.meaning)
    }
}
