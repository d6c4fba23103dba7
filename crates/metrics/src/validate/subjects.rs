//! Subjects of a validation: each evaluator of each section, and the people of each section.

use super::report::{EvaluatorReport, Validation, ValidationSection};
use super::table::{LabelCommand, evaluator_to_text, people_to_text};

/// An evaluator, or the people of a section.
#[derive(Debug, Clone, Copy)]
pub struct ValidationSubject<'a> {
    pub section: &'a ValidationSection,
    /// `None` for the people.
    pub evaluator: Option<&'a EvaluatorReport>,
}

impl Validation {
    /// Returns all subjects, section by section: evaluators first.
    pub fn list_subjects(&self) -> Vec<ValidationSubject<'_>> {
        let of_section = |section| {
            let of = move |evaluator| ValidationSubject { section, evaluator };
            let evaluators = section.evaluators.iter().map(Some).chain([None]);
            evaluators.map(of)
        };
        self.sections.iter().flat_map(of_section).collect()
    }

    /// Returns the place of the evaluator that judged the most labelled turns, the first of several.
    pub fn most_labelled_index(&self) -> usize {
        let judged_count = |subject: &ValidationSubject<'_>| {
            let evaluator = subject.evaluator;
            evaluator.map_or(0, |evaluator| evaluator.matrix.judged_count())
        };
        let subjects = self.list_subjects();
        let most = subjects.iter().map(judged_count).max();
        let mut all = subjects.iter();
        all.position(|one| Some(judged_count(one)) == most)
            .unwrap_or(0)
    }

    /// Returns the name of a subject; where the same name stands in several sections, with what sets its turns
    /// apart.
    pub fn name_of(&self, subject: ValidationSubject<'_>) -> String {
        let evaluator = subject.evaluator;
        let name = match evaluator {
            None => "people".to_owned(),
            Some(evaluator) => match evaluator.role {
                None => evaluator.evaluator.clone(),
                Some(role) => format!("{} ({})", evaluator.evaluator, role.label()),
            },
        };
        let has_real_sections = self.sections.iter().any(|section| !section.simulated);
        if subject.section.hash_check && self.sections.len() > 1 {
            format!("{name} (by hashes)")
        } else if subject.section.simulated && has_real_sections {
            format!("{name} (simulated)")
        } else {
            name
        }
    }

    /// Writes the figures of a subject.
    pub fn subject_to_text(
        &self,
        subject: ValidationSubject<'_>,
        width: usize,
        command: &LabelCommand<'_>,
    ) -> String {
        let (section, classes) = (subject.section, &self.classes);
        match subject.evaluator {
            Some(evaluator) => evaluator_to_text(section, evaluator, classes, width, command),
            None => people_to_text(section, &classes.set, width),
        }
    }
}
