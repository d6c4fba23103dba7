//! Checks of a protocol: faults that make it unplayable, found before it is played.

mod judging;
mod outcome;

use super::locate::PathSegment;
use super::{
    Detector, JudgeWhen, JudgedThing, MAX_CHAIRS, MAX_PARTS, MAX_RETRIES, MAX_ROUNDS, Protocol,
    RetryRule, RoundsSeen, SeatKind, Sees, Stage, StageOrder, Stance,
};
use crate::debate::ids::{SeatId, StageId};
use std::collections::BTreeSet;
use std::fmt;

/// Longest name of a template, rubric or list, in bytes.
const MAX_FILE_STEM: usize = 80;

/// A fault of a protocol with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtocolFault {
    pub file: String,
    /// From 1.
    pub line: usize,
    pub why: String,
}

impl fmt::Display for ProtocolFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.why)
    }
}

/// A fault whose line is not known yet.
pub(super) struct PathFault {
    pub path: Vec<PathSegment>,
    pub why: String,
}

/// Returns all faults that make the protocol unplayable.
pub(super) fn find_faults(protocol: &Protocol) -> Vec<PathFault> {
    let mut check = Check {
        protocol,
        faults: Vec::new(),
    };
    check.check_counts();
    if !check.faults.is_empty() {
        // The others would name each of too many parts.
        return check.faults;
    }
    check.check_names();
    check.check_file_names();
    check.check_sizes();
    check.check_stages();
    check.check_judging();
    check.check_rewards();
    check.check_feedback();
    check.check_stops();
    check.check_gauges();
    check.check_record();
    check.faults
}

/// Who reads what a `sees` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    Speaker,
    /// A judge or evaluator who is asked by a rubric.
    Judge,
    /// A grader or detector, or the author of the lesson.
    Other,
}

struct Check<'a> {
    protocol: &'a Protocol,
    faults: Vec<PathFault>,
}

impl Check<'_> {
    fn add_fault(&mut self, path: &[PathSegment], why: impl Into<String>) {
        self.faults.push(PathFault {
            path: path.to_vec(),
            why: why.into(),
        });
    }

    fn check_counts(&mut self) {
        let protocol = self.protocol;
        let counts = [
            ("seats", protocol.seats.len()),
            ("stages", protocol.stages.len()),
            ("judging", protocol.judging.len()),
        ];
        for (parts, count) in counts {
            if count > MAX_PARTS {
                let path = [parts.into(), MAX_PARTS.into(), "id".into()];
                let why = format!(
                    "there are {count} of [[{parts}]], and a protocol may have {MAX_PARTS}; repeat \
                     stages with `rounds`, and seats with `count`"
                );
                self.add_fault(&path, why);
            }
        }
    }

    fn check_names(&mut self) {
        let protocol = self.protocol;
        if !is_usable_name(&protocol.id) {
            self.add_fault(&["id".into()], name_rule("the protocol's id", &protocol.id));
        }
        let mut seat_names = BTreeSet::new();
        for (at, seat) in protocol.seats.iter().enumerate() {
            let path = ["seats".into(), at.into(), "id".into()];
            let name = seat.id.as_str();
            if !is_usable_name(name) || name == "self" || name == "peers" {
                self.add_fault(&path, name_rule("a seat", name));
            }
            if !seat_names.insert(name) {
                self.add_fault(&path, format!("there are two seats '{name}'"));
            }
        }
        let mut stage_names = BTreeSet::new();
        for (at, stage) in protocol.stages.iter().enumerate() {
            let path = ["stages".into(), at.into(), "id".into()];
            if !is_usable_name(stage.id.as_str()) {
                self.add_fault(&path, name_rule("a stage", stage.id.as_str()));
            }
            if !stage_names.insert(stage.id.as_str()) {
                self.add_fault(&path, format!("there are two stages '{}'", stage.id));
            }
        }
        let mut rule_names = BTreeSet::new();
        for (at, judging) in protocol.judging.iter().enumerate() {
            let path = ["judging".into(), at.into(), "id".into()];
            if !is_usable_name(judging.id.as_str()) {
                self.add_fault(&path, name_rule("a judging rule", judging.id.as_str()));
            }
            // Rules of one id are alternatives: a setting enables one of them.
            if judging.enabled && !rule_names.insert(judging.id.as_str()) {
                self.add_fault(
                    &path,
                    format!(
                        "there are two judging rules '{}', and both are enabled",
                        judging.id
                    ),
                );
            }
        }
    }

    /// Checks names that become part of a path: none may lead out of the prompts folder.
    fn check_file_names(&mut self) {
        let protocol = self.protocol;
        let mut file_names: Vec<(Vec<PathSegment>, &str, &str)> = Vec::new();
        for (at, stage) in protocol.stages.iter().enumerate() {
            let here = |key: &str| vec!["stages".into(), at.into(), key.into()];
            let retries = stage.retry.iter().filter_map(|rule| rule.template.as_ref());
            let of_seats = stage.templates.values();
            file_names
                .extend(of_seats.map(|name| (here("templates"), "a template", name.as_str())));
            file_names.extend(
                stage
                    .template
                    .iter()
                    .map(|name| (here("template"), "a template", name.as_str())),
            );
            file_names.extend(retries.map(|name| (here("retry"), "a template", name.as_str())));
            let lists = stage.draw.values();
            file_names.extend(lists.map(|name| (here("draw"), "a list", name.as_str())));
        }
        for (at, judging) in protocol.judging.iter().enumerate() {
            let here = vec!["judging".into(), at.into(), "rubric".into()];
            let rubric = judging.rubric.iter();
            file_names.extend(rubric.map(|name| (here.clone(), "a rubric", name.as_str())));
            let here = vec!["judging".into(), at.into(), "repair".into()];
            let repair = judging.repair.iter().map(|repair| repair.template.as_str());
            file_names.extend(repair.map(|name| (here.clone(), "a template", name)));
        }
        for (at, feedback) in protocol.feedback.iter().enumerate() {
            let mut here = outcome::feedback_path(protocol, at);
            here.push("template".into());
            let template = feedback.template.iter();
            file_names.extend(template.map(|name| (here.clone(), "a template", name.as_str())));
        }
        for (path, what, name) in file_names {
            if !is_file_stem(name) {
                self.add_fault(
                    &path,
                    format!(
                        "{what} cannot be called '{name}': it names a file, so letters, digits, \
                         '-', '_' and '.' only, and no '.' at the beginning"
                    ),
                );
            }
        }
    }

    fn check_sizes(&mut self) {
        let protocol = self.protocol;
        if !(1..=MAX_ROUNDS).contains(&protocol.rounds) {
            self.add_fault(
                &["rounds".into()],
                format!("rounds must be from 1 to {MAX_ROUNDS}"),
            );
        }
        for (at, seat) in protocol.seats.iter().enumerate() {
            if !(1..=MAX_CHAIRS).contains(&seat.count) {
                self.add_fault(
                    &["seats".into(), at.into(), "count".into()],
                    format!("seat '{}' must have from 1 to {MAX_CHAIRS} chairs", seat.id),
                );
            }
            if seat.stance != Stance::Chosen && seat.kind != SeatKind::Speaker {
                self.add_fault(
                    &["seats".into(), at.into(), "stance".into()],
                    format!(
                        "seat '{}' argues for nothing: only speakers have a stance",
                        seat.id
                    ),
                );
            }
        }
        if protocol.stages.is_empty() {
            self.add_fault(&[], "a protocol needs at least one [[stages]]");
        }
    }

    fn check_stages(&mut self) {
        let protocol = self.protocol;
        for (at, stage) in protocol.stages.iter().enumerate() {
            let here: [PathSegment; 2] = ["stages".into(), at.into()];
            if stage.seats.is_empty() {
                self.add_fault(&here, format!("stage '{}' names no seats", stage.id));
            }
            let mut twice = BTreeSet::new();
            for seat in &stage.seats {
                let path = [here[0].clone(), here[1].clone(), "seats".into()];
                if !twice.insert(seat) {
                    self.add_fault(&path, format!("seat '{seat}' speaks twice in one stage"));
                }
                self.check_seat_kind(&path, seat, &[SeatKind::Speaker], "speak in a stage");
            }
            let sees = [here[0].clone(), here[1].clone(), "sees".into()];
            self.check_sees(&sees, &stage.sees, Reader::Speaker);
            self.check_no_rewards(&sees, &stage.sees);
            self.check_no_judged_private(&sees, &stage.sees);
            self.check_own_stage(&sees, stage);
            for (index, rule) in stage.retry.iter().enumerate() {
                let mut path = here.to_vec();
                path.extend(["retry".into(), index.into()]);
                self.check_retry(&path, stage, rule);
            }
            for seat in stage.templates.keys() {
                if !stage.seats.contains(seat) {
                    let why = format!(
                        "`templates` names the seat '{seat}', which does not speak in stage '{}'",
                        stage.id
                    );
                    self.add_fault(&here, why);
                }
            }
        }
    }

    fn check_retry(&mut self, path: &[PathSegment], stage: &Stage, rule: &RetryRule) {
        if stage.output.is_none() {
            let why = match &rule.field {
                Some(field) => {
                    format!("a retry on the field '{field}' needs an output schema in the stage")
                }
                None => {
                    "a retry of unparsed replies needs an output schema in the stage".to_owned()
                }
            };
            self.add_fault(path, why);
        }
        match (&rule.field, rule.below, rule.unparsed) {
            (Some(_), Some(_), false) | (None, None, true) => {}
            (Some(_) | None, Some(_) | None, true | false) => self.add_fault(
                path,
                "a retry rule needs either `field` and `below`, or `unparsed = true`",
            ),
        }
        if !(1..=MAX_RETRIES).contains(&rule.at_most) {
            self.add_fault(path, format!("`at_most` must be from 1 to {MAX_RETRIES}"));
        }
    }

    fn check_own_stage(&mut self, path: &[PathSegment], stage: &Stage) {
        if stage.order != StageOrder::Simultaneous {
            return;
        }
        for selector in &stage.sees.turns {
            let only_own = selector.stages.as_ref().is_some_and(|stages| {
                stages.iter().all(|id| id == &stage.id) && selector.rounds == RoundsSeen::This
            });
            if only_own {
                self.add_fault(
                    path,
                    format!(
                        "in the simultaneous stage '{}' nobody can see its own turns of this round",
                        stage.id
                    ),
                );
            }
        }
    }

    fn check_sees(&mut self, path: &[PathSegment], sees: &Sees, reader: Reader) {
        let by_speaker = reader == Reader::Speaker;
        for (at, selector) in sees.turns.iter().enumerate() {
            let mut here = path.to_vec();
            here.extend([PathSegment::from("turns"), at.into()]);
            for seat in &selector.seats {
                match seat.as_str() {
                    "self" | "peers" if by_speaker => {}
                    "self" | "peers" => self.add_fault(
                        &here,
                        format!("'{seat}' is for speakers; name the seats whose turns are shown"),
                    ),
                    _ => self.check_seat_kind(&here, seat, &[SeatKind::Speaker], "be shown"),
                }
            }
            self.check_stages_exist(&here, selector.stages.as_deref());
        }
        self.check_rulings(path, sees, by_speaker);
        if sees.memory && reader == Reader::Other {
            self.add_fault(
                path,
                "long-term memory is shown to speakers, and to judges who are asked by a rubric",
            );
        }
        if sees.verdicts
            && self
                .protocol
                .judging
                .iter()
                .all(|judging| judging.of != JudgedThing::Turn)
        {
            self.add_fault(path, "verdicts cannot be shown where no turns are judged");
        }
    }

    /// Checks a view that is shown before the debate is over.
    fn check_no_rewards(&mut self, path: &[PathSegment], sees: &Sees) {
        if sees.rewards {
            self.add_fault(path, "rewards are shown to the authors of lessons alone");
        }
    }

    /// Checks a view of anybody but a rule on turns.
    fn check_no_judged_private(&mut self, path: &[PathSegment], sees: &Sees) {
        if sees.judged_private {
            self.add_fault(
                path,
                "`judged_private` is for a judge's rule with of = \"turn\"",
            );
        }
    }

    fn check_rulings(&mut self, path: &[PathSegment], sees: &Sees, by_speaker: bool) {
        for id in &sees.rulings {
            match self.protocol.find_judging(id) {
                None => self.add_fault(path, format!("there is no judging '{id}'")),
                Some(rule) if rule.of != JudgedThing::Round || rule.when == JudgeWhen::End => self
                    .add_fault(
                        path,
                        format!(
                            "`rulings` names '{id}', which is not found round by round: it needs \
                             of = \"round\" and when = \"soon\""
                        ),
                    ),
                Some(_) => {}
            }
        }
        let Some(id) = &sees.screened_by else { return };
        if by_speaker {
            self.add_fault(path, "`screened_by` is for judges");
        }
        match self.protocol.find_judging(id) {
            None => self.add_fault(path, format!("there is no judging '{id}'")),
            Some(rule) if rule.detector != Some(Detector::Citations) => self.add_fault(
                path,
                format!("`screened_by` names '{id}', which is no detector of citations"),
            ),
            Some(_) => {}
        }
    }

    fn check_stages_exist(&mut self, path: &[PathSegment], stages: Option<&[StageId]>) {
        for id in stages.unwrap_or_default() {
            match self.protocol.find_stage(id) {
                None => self.add_fault(path, format!("there is no stage '{id}'")),
                Some(stage) if stage.private => self.add_fault(
                    path,
                    format!("stage '{id}' is private: nobody else may be shown it"),
                ),
                Some(_) => {}
            }
        }
    }

    fn check_seat_kind(&mut self, path: &[PathSegment], id: &SeatId, kinds: &[SeatKind], to: &str) {
        match self.protocol.find_seat(id) {
            None => {
                let seat_ids: Vec<&str> = self
                    .protocol
                    .seats
                    .iter()
                    .map(|seat| seat.id.as_str())
                    .collect();
                self.add_fault(
                    path,
                    format!("there is no seat '{id}'; there are {}", seat_ids.join(", ")),
                );
            }
            Some(seat) if !kinds.contains(&seat.kind) => {
                self.add_fault(path, format!("seat '{id}' is of a kind that cannot {to}"));
            }
            Some(_) => {}
        }
    }
}

fn is_usable_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_ascii_lowercase())
        && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-')
        && name.len() <= 40
}

/// Returns whether a name is a plain file name, which no path can leave.
fn is_file_stem(name: &str) -> bool {
    (1..=MAX_FILE_STEM).contains(&name.len())
        && !name.starts_with('.')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn name_rule(what: &str, name: &str) -> String {
    format!(
        "{what} cannot be called '{name}': names are lower-case letters, digits, '-' and '_', \
         begin with a letter and have at most 40 characters"
    )
}
